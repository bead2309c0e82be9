# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Completion in bash: what the function answers, as bash would call it for a line with the cursor at its end.
. tests/lib.sh
abs=$(cd "$(dirname "$U")" && pwd)/uncorectl
PATH=${abs%/*}:$PATH # the options are those of the program's --help

mkdir "$T/dir" "$T/dir/maps"
: >"$T/dir/file.yaml"
cat >"$T/complete" <<'END'
source src/cli/uncorectl.bash
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
complete -p uncorectl >/dev/null || exit 1
COMP_LINE=$1 COMP_POINT=${#1}
cd "$2" || exit 1
_uncorectl
printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
END
# completes SENTENCE LINE ANSWERS
completes() { is "$1" "$(bash "$T/complete" "$2" "$T/dir" 2>&1)" "$3"; }

commands=$("$U" --help | sed -n '/^$/,/^Before/s/^  \([a-z]*\)  *[^ ].*/\1/p' | sort | paste -sd ' ')
completes "the commands are those of --help" "uncorectl " "$commands"
completes "a command's beginning is completed" "uncorectl ma" "maps"
completes "after global options too" "uncorectl --machine sim:snbep --trace /tmp/x --dry-run m" "maps mem"

# Every long option that a command's --help or the source knows.
long_options() { # COMMAND... of help
	"$@" --help | sed 's/`[^`]*`//g' | grep -oE '(^|[^a-z-])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u
}
for command in list mem stat llc events "reg dump" "reg get" "reg set" "reg watch" "reg diff" "reg explain" "reg raw" recover check xcheck doctor load diff plot top serve; do
	# shellcheck disable=SC2086
	for option in $(long_options "$U" $command); do
		has "$command: $option is offered" " $(bash "$T/complete" "uncorectl $command -" .) " " $option "
	done
	for option in $(bash "$T/complete" "uncorectl $command -" "$T"); do
		[ "$option" = -- ] && continue
		machine=live
		[ "$command" = check ] && machine=sim:snbep,sockets=1,clock=step
		# shellcheck disable=SC2086
		run "$U" --machine $machine $command "$option"
		lacks "$command: $option, which is offered, is there" "$err" "there is no option"
	done
done
for option in $(long_options "$U"); do
	has "$option is offered before the command" " $(bash "$T/complete" "uncorectl -" .) " " $option "
done

completes "formats" "uncorectl mem --format " "csv jsonl openmetrics prometheus table"
completes "formats of check" "uncorectl check --format " "html jsonl junit table tap"
completes "formats of its list" "uncorectl check --list --format " "jsonl table"
completes "formats of check behind =" "uncorectl check --format=j" "jsonl junit"
completes "formats behind =" "uncorectl events --format=j" "jsonl"
completes "what --per takes" "uncorectl mem --per s" "socket"
completes "what --per takes elsewhere" "uncorectl stat --per " "all box channel imc machine node socket"
completes "what --per takes behind =" "uncorectl stat --per=b" "box"
completes "kinds of machine" "uncorectl --machine " "live live,ecam replay: root: sim:adl sim:bdx sim:bdxde sim:clx sim:cpuid= sim:cpx sim:cwf sim:emr sim:gnr sim:gnrd sim:grr sim:hsx sim:icx sim:icxd sim:ivt sim:mtl sim:p10 sim:p9 sim:skl sim:skx sim:snbep sim:snr sim:spr sim:sprhbm sim:srf sim:tgl sim:zen1 sim:zen2 sim:zen3 sim:zen4 sim:zen5"
completes "simulated machines, behind the colon" "uncorectl --machine sim:" "adl bdx bdxde clx cpuid= cpx cwf emr gnr gnrd grr hsx icx icxd ivt mtl p10 p9 skl skx snbep snr spr sprhbm srf tgl zen1 zen2 zen3 zen4 zen5"
completes "keys of a simulated machine" "uncorectl --machine sim:snbep,c" "snbep,clock= snbep,clock_event= snbep,cores= snbep,ctl_writes="
completes "events of llc" "uncorectl llc --events " "local occupancy total"
completes "behind a comma" "uncorectl llc --events total,o" "total,occupancy"
completes "as fast as it goes" "uncorectl load --nt-write " "max"
completes "nothing for a list of CPUs" "uncorectl llc --cpus " ""
completes "behind another key" "uncorectl --machine sim:snbep,sockets=2,frz_" "2,frz_en="
completes "their values" "uncorectl --machine sim:snbep,sockets=2,clock=" "real step"
completes "machines behind =" "uncorectl --machine=sim:s" "skl skx snbep snr spr sprhbm srf"
# The models and keys are those that the program has.
is "every model is offered" "$(bash "$T/complete" "uncorectl --machine sim:" . | tr ' ' '\n' | sort)" \
	"$("$U" --list-machines | sed 's/^sim://; s/ .*//; $acpuid=' | sort)"
completes "a machine after the command" "uncorectl mem --machine sim:skx" "skx"
completes "and of that one, names" "$abs stat --machine sim:snbep -e cas_count.rd_" "cas_count.rd_reg cas_count.rd_underfill"
completes "global options after the command" "uncorectl doctor --mach" "--machine"
completes "help of a command" "uncorectl help ma" "maps"
run "$U" --machine sim:snbep,x=1 list
is "every key is offered" "$(bash "$T/complete" "uncorectl --machine sim:snbep," . | tr ' ' '\n' | sed 's/^snbep,//; s/=$//' | sort)" \
	"$(echo "${err##*the keys are: }" | tr -d ' ' | tr ',' '\n' | sort)"

completes "folders for root:" "uncorectl --machine root:ma" "maps"
completes "folders for --regs" "uncorectl --regs " "maps"
completes "files for --trace" "uncorectl --trace f" "file.yaml"
completes "files for -o" "uncorectl mem -o f" "file.yaml"
completes "files for load=" "uncorectl --machine sim:snbep,load=f" "file.yaml"
completes "maps has check and list" "uncorectl maps " "check list"
completes "files for maps check" "uncorectl maps check " "file.yaml maps"
completes "what reg does" "uncorectl reg " "diff dump explain get raw set watch"
completes "what raw reads" "uncorectl reg raw " "mmio msr pci"
completes "files for reg diff" "uncorectl reg diff fi" "file.yaml"
completes "files for diff" "uncorectl diff fi" "file.yaml"
completes "a COMMAND behind reg set" "uncorectl reg set a.B=1 --write -- uncorectl-no-such" ""
has "is one that there is" " $(bash "$T/complete" "uncorectl reg set a.B=1 --write -- ls" .) " " ls "
completes "boxes of a simulated machine" "$abs --machine sim:snbep,sockets=1 reg dump so" \
	"socket0.imc0.ch0 socket0.imc0.ch1 socket0.imc0.ch2 socket0.imc0.ch3"
completes "and a dot where a register follows" "$abs --machine sim:snbep,sockets=1 reg get socket0.imc0.ch3" "socket0.imc0.ch3."
completes "a state file is not made by that" "$abs --machine sim:snbep,sockets=1,state=$T/state reg dump socket0.imc0.ch3" \
	"socket0.imc0.ch3"
check "really not" [ ! -e "$T/state" ]
completes "events of a simulated machine" "$abs --machine sim:snbep events cas_count.r" "$(
	"$U" --machine sim:snbep events 'cas_count.r*' --format csv 2>/dev/null | sed 1d | cut -d, -f1 | sort | paste -sd ' '
)"
completes "events of stat" "$abs --machine sim:snbep stat -e cas_count.rd_" "cas_count.rd_reg cas_count.rd_underfill"
completes "events behind a comma" "$abs --machine sim:snbep stat -e {dclk,act_c" "{dclk,act_count"
completes "metrics of stat" "$abs --machine sim:snbep stat -m page_hit,page_e" "page_hit,page_empty"
completes "files for stat's --import-perfmon" "uncorectl stat --import-perfmon f" "file.yaml"
has "behind -- of llc stand commands" " $(bash "$T/complete" "uncorectl llc --bind 0 -- ls" .) " " ls "
has "behind -- of stat stand commands" " $(bash "$T/complete" "uncorectl stat -e dclk -- ls" .) " " ls "
completes "themes and checks" "$abs check --only pre" "presence $("$U" check --list --format jsonl |
	sed -n 's/.*"check":"\(presence[^"]*\)".*/\1/p' | sort | paste -sd ' ')"
completes "behind a comma" "$abs check --skip registers,presence.fu" "registers,presence.functions"
completes "boxes of check" "$abs --machine sim:snbep,sockets=1 check --box socket0.imc0.ch3" "socket0.imc0.ch3"
completes "boxes of stat" "$abs --machine sim:snbep,sockets=1 stat --box socket0.imc0.ch0,socket0.imc0.ch3" \
	"socket0.imc0.ch0,socket0.imc0.ch3"
completes "metrics of a simulated machine" "$abs --machine sim:snbep events --metrics page_" "page_empty page_hit page_miss"
completes "files for --import-perfmon" "uncorectl events --import-perfmon f" "file.yaml"
completes "no hardware is asked at the keyboard" "$abs reg dump s" ""
has "behind -- stand commands" " $(bash "$T/complete" "uncorectl mem -n 1 -- ls" .) " " ls "
completes "and then files" "uncorectl mem -- ls fi" "file.yaml"
completes "nothing for a number" "uncorectl mem -i " ""
