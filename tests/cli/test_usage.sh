# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Wrong arguments: one sentence, the documented exit status, and no register touched.
. tests/lib.sh

refused "a command is needed" 2 "which command?" "$U"
refused "an unknown command is named" 2 '"frobnicate"' "$U" frobnicate
refused "an unknown option is named" 2 "--frob" "$U" --frob list
refused "an unknown option of a command is named" 2 "mem: there is no option --frob" "$U" mem --frob
refused "an unknown short option is named" 2 "mem: there is no option -q" "$U" mem -q
refused "an option without its value is named" 2 "-i needs a value" "$U" mem -i

refused "the nearest command is named" 2 'no command "mme"; the nearest is mem; see `uncorectl --help`' "$U" mme
refused "help is one of those" 2 "the nearest is help" "$U" hlep
refused "the nearest option is named, with its help" 2 'no option --fromat; the nearest is --format; see `uncorectl mem --help`' "$U" mem --fromat=csv
refused "a global one too" 2 "the nearest is --machine" "$U" mem --machien sim:skx
refused "what is no global option is told apart" 2 "no option --per before the command" "$U" --per imc mem
refused "a model without its kind is found" 2 "the simulated one is sim:skx,sockets=1" "$U" mem --machine skx,sockets=1
refused "the nearest model is named" 2 "the nearest is snbep" "$U" --machine sim:snbpe list
refused "the nearest event is named" 2 "the nearest are cas_count.rd, cas_count.wr" "$U" stat --machine sim:skx -e cas_count.rx
refused "a metric is told from an event" 2 '"page_hit" is a metric' "$U" stat --machine sim:skx -e page_hit

refused "the nearest metric is named" 2 "no metric has such a name; the nearest is page_hit" "$U" stat --machine sim:skx -m page_hti
refused "an event is told from a metric" 2 "that is an event and no metric; use -e dclk" "$U" stat --machine sim:skx -m dclk
refused "the nearest box is named" 3 "; the nearest are socket0.imc0.ch0, " "$U" stat --machine sim:skx -e dclk --box sockt0
refused "of registers too" 3 'no box is called "socket0.imc0.chh2"; the nearest are socket0.imc0.ch2' "$U" reg get --machine sim:skx socket0.imc0.chh2.CTL
refused "the nearest register is named" 2 "there is no register CTLL; the nearest are CTL, CTR;" "$U" reg get --machine sim:skx socket0.imc0.ch0.CTLL
refused "the nearest field is named" 2 "has no field umsk; the nearest is umask" "$U" reg get --machine sim:skx socket0.imc0.ch0.CTL.umsk
refused "without a machine too" 2 "no map here has such a register; the nearest are CTL, CTR;" "$U" reg explain CTLL --map intel-skx-imc
refused "the nearest map is named" 2 "no map here is called so; the nearest is intel-skx-imc" "$U" reg explain CTL --map intel-skx-icm

# Options of every command also stand after it, and the last one counts.
for order in "--machine sim:skx events" "events --machine sim:skx" "events cas_count.rd --machine=sim:skx" \
	"--machine sim:nehalem events --machine sim:skx"; do
	# shellcheck disable=SC2086 # words
	run "$U" $order --format csv
	is "$order succeeds" "$rc" 0
	has "$order is of that machine" "$err" "machine: sim:skx"
done
run "$U" mem --machine sim:skx,clock=step -n 1 -- echo --machine x
is "those of the COMMAND are its own" "$out" "--machine x"
run "$U" mem --dry-run --machine sim:skx -n 1
is "a dry run" "$rc $(grep -vc '^write ' "$T/out") $(grep -c 'CTL\[3\]' "$T/out")" "0 0 36"
refused "its value is needed" 2 "mem: --machine needs a value" "$U" mem --machine
run "$U" record "$T/rec" -- mem --machine sim:skx,clock=step -n 2 --format csv
cp "$T/out" "$T/first"
run "$U" mem --machine "replay:$T/rec" -n 2 --format csv
is "a record is made, and replayed as it was" "$rc $(cat "$T/out")" "0 $(cat "$T/first")"

for way in "help" "--help" "-h"; do
	run "$U" $way
	is "$way is the summary" "$rc ${out%%"
"*}" "0 $("$U" --help | head -1)"
done
run "$U" help reg get
is "help of a command is that of its --help" "$out" "$("$U" reg get --help)"
refused "help of what is no command" 2 'no command "lst"; the nearest' "$U" help lst
is "-V, --version, and after a command" "$("$U" -V)$("$U" mem --version)" "$("$U" --version)$("$U" --version)"
run "$U" --list-machines
is "the simulated machines" "$rc $(sed -n 's/^\(sim:skx\) .*Skylake-SP .*8180.*/\1/p' "$T/out")" "0 sim:skx"
sed 's/ .*//' "$T/out" >"$T/machines"
while read -r machine; do
	run "$U" list --machine "$machine,clock=step" </dev/null
	is "$machine is one" "$rc" 0
done <"$T/machines"

# Remarks that mean no harm are shown with -v, and by doctor.
for machine in hsx:BOX_CTL hsx:absent zen4:DIMM icx:BOX_CTL; do
	remark=${machine#*:} machine=sim:${machine%:*},clock=step
	run "$U" mem --machine "$machine" -n 1 --format csv
	is "$machine: no note on $remark" "$rc $(grep -c note: "$T/err")" "0 0"
	run "$U" mem --machine "$machine" -n 1 --format csv -v
	is "$machine: with -v there is one on $remark" "$(grep -c "note: .*$remark" "$T/err")" 1
	[ "$remark" = DIMM ] || has "$machine: and in doctor" "$("$U" doctor --machine "$machine" 2>&1)" "$remark"
done
run "$U" check --machine sim:snbep,clock=step --quick
lacks "nor after a check" "$err" "left idle"

# A trace of -.
run "$U" --trace - mem --machine sim:skx,clock=step -n 1
is "the trace is on standard error beside the data" "$(grep -c ' pci 0000:3a:0a.2 ' "$T/out")" 0
check "really" grep -q ' pci 0000:3a:0a.2 ' "$T/err"
run "$U" --trace - mem --machine sim:skx,clock=step -n 1 -o "$T/data"
check "and on standard output where that is free" grep -q ' pci 0000:3a:0a.2 ' "$T/out"
check "no file has that name" [ ! -e - ]

# An output of -, and a reader that has gone.
run "$U" mem --machine sim:skx,clock=step -n 1 --per machine --format csv -o - -- true
is "- is standard output" "$rc $(wc -l <"$T/out")" "0 2"
for command in "list" "--help" "mem -i 1ms" "events" "reg dump" "check --list"; do
	# shellcheck disable=SC2086 # words
	run bash -c 'set -o pipefail; "$@" | head -1 >/dev/null' - "$U" --machine sim:skx,clock=step $command
	is "$command | head is no failure" "$rc $(grep -c 'reader\|Broken\|standard output' "$T/err")" "0 0"
done

refused "an unknown kind of machine is named" 2 '"foo"' "$U" --machine foo list
refused "an unknown model is named" 2 "nehalem" "$U" --machine sim:nehalem list
refused "an unknown key is named" 2 "sokets" "$U" --machine sim:snbep,sokets=2 list
refused "a value that makes no sense is named" 2 "sockets" "$U" --machine sim:snbep,sockets=0 list
refused "root: needs a directory" 2 "root:DIR" "$U" --machine root: list
refused "a root: directory that is missing is named" 2 "$T/nowhere" "$U" --machine "root:$T/nowhere" list
mkdir "$T/empty"
refused "a root: directory without CPUID says which files were looked for" 3 "$T/empty/cpuid.raw" "$U" --machine "root:$T/empty" mem -n 1
UNCORECTL_MACHINE=sim:nehalem refused "the machine of the environment counts" 2 "nehalem" "$U" list

S=sim:snbep,sockets=1,state=$T/state
for interval in 0 -1 0.0 x 1x nan inf 1e99 ms 5sm '1 s' 300h ''; do
	refused "an interval of \"$interval\" is refused" 2 "-i $interval" "$U" --machine "$S" mem -i "$interval" -n 1
done
for interval in 0.5:500 500ms:500 2s:2000 1m:60000 1.5h:5400000 2min:120000 3:3000 2500us:2 1e-3:1; do
	run "$U" mem --machine sim:snbep,clock=step -n 2 -i "${interval%:*}" --per machine --format csv
	is "an interval of ${interval%:*}" "$(($(sed -n '3s/^[0-9]*,\([0-9]*\),.*/\1/p' "$T/out") / 1000000))" "${interval#*:}"
done
for duration in 2.5s:1000:3 2m:1000:120 300ms:300:1 3:1000:3; do
	limit=${duration%:*}
	run "$U" mem --machine sim:snbep,clock=step -d "${limit%:*}" --per machine --format csv
	is "a duration of ${limit%:*}" "$(sed 1d "$T/out" | wc -l)" "${duration##*:}"
done
refused "a duration with a COMMAND is refused" 2 "leave out one of them" "$U" mem --machine "$S" -d 1 -- true
for count in 0 -1 x 1.5 18446744073709551616; do
	refused "a count of \"$count\" is refused" 2 "-n $count" "$U" --machine "$S" mem -n "$count"
done
refused "an unknown format is refused" 2 "--format xml" "$U" --machine "$S" mem --format xml
refused "an unknown --per is refused" 2 "--per bank" "$U" --machine "$S" mem --per bank
refused "a COMMAND without -- is refused" 2 "after --" "$U" --machine "$S" mem true
refused "-- without a COMMAND is refused" 2 "no COMMAND" "$U" --machine "$S" mem --
refused "list takes no argument" 2 "list: x" "$U" --machine "$S" list x
check "no machine was made by all that" [ ! -e "$T/state" ]

refused "--regs of a folder that is missing is refused" 2 "$T/nowhere" "$U" --machine "$S" --regs "$T/nowhere" list
refused "a folder of journals has a name" 2 "--state wants the name of a folder" "$U" --state "" list
refused "a trace that cannot be written is named" 1 "$T/no/trace" "$U" --machine "$S" --trace "$T/no/trace" list
refused "an output file that cannot be made is named" 1 "$T/no/out" "$U" --machine "$S" mem -n 1 -o "$T/no/out"

for command in "" list mem maps; do
	# shellcheck disable=SC2086 # no argument when empty
	run "$U" $command --help
	is "help of \"$command\" succeeds" "$rc" 0
	has "help of \"$command\" is on stdout" "$out" "usage: uncorectl"
	is "help of \"$command\" fits a terminal" "$(awk 'length > 100' "$T/out")" ""
done
run "$U" --version
has "--version tells it" "$out" "uncorectl 0."
