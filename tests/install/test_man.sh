# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The manual pages tell what there is, and nothing that is not there.
. tests/lib.sh

page=$B/uncorectl.8
# Options as they are typed, from macros like .It Fl -per Ar WHAT.
page_options() { # [SECTION]: of a .Ss, or of the whole page
	awk -v section="${1-}" '
		/^\.S[sh] / { on = section == "" || $0 == ".Ss " section }
		on && /^\.(It|Op|Fl)/ {
			for (i = 1; i < NF; i++)
				if ($i == "Fl" || $i == ".Fl")
					print "-" $(i + 1)
		}' "$page" | grep -E '^(-[a-z]|--[a-z-]+)$' | sort -u
}
# Options in a help text, but not those in a sentence or in the usage line of another command.
help_options() { # COMMAND...
	"$@" --help | sed 's/`[^`]*`//g' | grep -oE '(^|[][ ,(])--?[a-z][a-z-]*' | grep -oE -- '--?[a-z][a-z-]*$' | sort -u
}
# What the option tables of a command have, also what its --help does not show, and those that it shares with others.
source_options() { # FILE
	[ "$1" = src/cli/reg.c ] && return # those of all its commands are below
	grep -qE 'SAMPLER_(INTERVAL|TIMES)' "$1" && set -- "$@" src/cli/sampler.h
	grep -qE 'COUNTING_(FREEZE_)?FORCE' "$1" && set -- "$@" src/cli/counting.h
	[ "$1" = src/cli/main.c ] || set -- "$@" src/cli/options.h
	perl -0777 -ne 'print "--$1\n" while /\{"([a-z-]+)",\s+(NULL|"[^"]+"),\s+\w+,\s+(0|offsetof\([^)]*\)),[\s\\]+\.help/g' "$@" |
		sort -u
}
missing_from() { # LIST-FILE: lines of stdin that are not in it
	grep -vxF -f "$1" | paste -sd ' '
}

page_options "Options that commands share" >"$T/shared"
page_options "Options of every command" >"$T/global"
check "the page has options before the command" [ "$(wc -l <"$T/global")" -ge 5 ]
is "every option of --help stands in the page" "$(help_options "$U" | missing_from "$T/global")" ""
is "every option that the program takes before the command stands in the page" \
	"$(source_options src/cli/main.c | missing_from "$T/global")" ""
while read -r option; do
	run "$U" "$option"
	lacks "$option of the page is in the program" "$err" "there is no option"
done <"$T/global"

for command in list mem stat llc events "reg dump" "reg get" "reg set" "reg watch" "reg diff" "reg explain" "reg raw" recover "maps check" check xcheck doctor load diff plot top serve; do
	{ page_options "uncorectl $command"; cat "$T/shared" "$T/global"; } | sort -u >"$T/page"
	check "$command has a section" grep -qxF ".Ss uncorectl $command" "$page"
	# shellcheck disable=SC2086 # reg dump is two words
	is "$command: every option of its --help stands in the page" "$(help_options "$U" $command | missing_from "$T/page")" ""
	is "$command: every option that it takes stands in the page" \
		"$(source_options "src/cli/${command%% *}.c" | missing_from "$T/page")" ""
	[ "$command" = "maps check" ] && continue # it shares no options
	page_options "uncorectl $command" >"$T/claimed"
	[ "$command" = serve ] || cat "$T/shared" >>"$T/claimed" # its data is no file
	while read -r option; do
		machine=live
		[ "$command" = check ] && machine=sim:snbep,sockets=1,clock=step # not on this computer, just for the manual
		# shellcheck disable=SC2086
		run "$U" --machine $machine $command "$option" </dev/null
		lacks "$command: $option of the page is in the program" "$err" "there is no option"
	done <"$T/claimed"
done
for command in dump get set watch diff explain raw; do
	page_options "uncorectl reg $command"
done | cat - "$T/shared" "$T/global" | sort -u >"$T/page"
is "every option that the commands of reg take stands in the page" "$(source_options src/cli/reg_*.c | missing_from "$T/page")" ""
is "every command stands in the page" "$(
	"$U" --help | sed -n '/^$/,/^Before/s/^  \([a-z]*\)  *[^ ].*/\1/p' | while read -r command; do
		grep -q "^\.Ss uncorectl $command" "$page" || echo "$command"
	done
)" ""

# Words of the output.  A column of a record, then flags.
words() { # SECTION...: what stands behind Cm in it
	for section; do
		awk -v section="$section" '/^\.S[sh] / { on = $0 == ".Sh " section || $0 == ".Ss " section }
			on && /^\.(It )?Cm / { sub(/^\.(It )?Cm /, ""); n = split($0, w, /[ ,=]+/); for (i = 1; i <= n; i++) print w[i] }' "$page"
	done | sort -u
}
words OUTPUT >"$T/words"
for command in "mem -n 1" "stat -e dclk -n 1" "llc -n 1" list "list --caches" events "events --metrics" "events --import-perfmon tests/cli/perfmon.json" \
	"reg dump" "reg get *.CTL" "reg set *.CTL[0]=0" "reg watch *.CTL -n 1" "reg explain CTL" "reg raw msr 0 0x10" doctor "load --read 1GB --time 1" "xcheck -n 1"; do
	model=snbep
	case $command in llc* | *--caches) model=bdx ;; xcheck*) model=snbep,perf=on ;; esac
	# shellcheck disable=SC2086
	run "$U" --machine sim:$model,sockets=1,clock=step $command --format csv
	is "every column of $command stands in the page" "$(head -1 "$T/out" | tr ',' '\n' | missing_from "$T/words")" ""
done
# What `check` has are records with lists in them.
for options in "" --list; do
	run "$U" --machine sim:snbep,sockets=1,clock=step,hide=ff:10.4 check $options --format jsonl
	is "every name of check $options stands in the page" "$(grep -o '"[a-z_]*":' "$T/out" | tr -d '":' | sort -u | missing_from "$T/words")" ""
done
words FLAGS >"$T/words"
grep -ho '{UNC_COUNT_[A-Z_]*, "[a-z_]*"' src/cli/*.c | cut -d'"' -f2 >"$T/flags"
check "there are flags" [ "$(wc -l <"$T/flags")" -ge 5 ]
is "every flag of a record stands in the page" "$(printf '%s\n' partial simulated | cat - "$T/flags" | missing_from "$T/words")" ""
grep -ho '{UNC_LLC_[A-Z_]*, "[a-z_]*"' src/cli/*.c | cut -d'"' -f2 >"$T/flags"
check "there are flags of llc" [ "$(wc -l <"$T/flags")" -ge 7 ]
is "every flag of llc stands in the page" "$(echo sum | cat - "$T/flags" | missing_from "$T/words")" ""
words OUTPUT >"$T/words"
is "every status of llc stands in the page" \
	"$(grep -ho '\[UNC_LLC_[A-Z_]*\] = "[a-z]*"' src/cli/*.c | cut -d'"' -f2 | grep . | missing_from "$T/words")" ""
for status in 0 1 2 3 4 5; do
	check "exit status $status stands in the page" \
		awk -v s="$status" '/^\.Sh/ { on = /EXIT STATUS/ } on && $0 == ".It " s { found = 1 } END { exit !found }' "$page"
done

# The simulated machine: its models and keys, and the load file of the page.
page=src/sim/uncorectl-sim.5
words MODELS >"$T/words"
run "$U" --list-machines
is "every model of a simulated machine stands in uncorectl-sim(5)" \
	"$({ sed 's/^sim://; s/ .*//' "$T/out"; echo cpuid; } | missing_from "$T/words")" ""
words KEYS "The machine" "Where manuals or machines differ" "The kernel's own counting" resctrl "What goes wrong" >"$T/words"
run "$U" --machine sim:snbep,x=1 list
is "every key of a simulated machine stands in uncorectl-sim(5)" \
	"$(echo "${err##*the keys are: }" | tr -d ' ' | tr ',' '\n' | missing_from "$T/words")" ""
awk '/^\.Ed/ { exit } on { print } /^\.Bd/ { on = 1 }' "$page" >"$T/load.yaml"
run "$U" --machine "sim:snbep,load=$T/load.yaml,clock=step" mem -n 1 -i 1 --format csv
check "the example of uncorectl-sim(5) is a load" near "$(column read_bytes_per_s | head -1)" 6400000000 0.1

# The library: each prototype, word for word.
awk '/^UNC_API/ { on = 1; text = "" }
	on { text = text " " $0 }
	on && /;/ {
		on = 0
		gsub(/[ \t]+/, " ", text)
		sub(/^ ?UNC_API /, "", text)
		sub(/;.*/, "", text)
		print text
	}' include/uncore.h include/uncore/*.h | sed 's/ \*unc_/ * unc_/; s/ \*\* *unc_/ ** unc_/' | sort >"$T/header"
awk '/^\.Ft / { sub(/^\.Ft /, ""); gsub(/"/, ""); type = $0 }
	/^\.Fn / && type != "" {
		line = $0
		sub(/^\.Fn /, "", line)
		name = line
		sub(/ .*/, "", name)
		sub(/^[^ ]* /, "", line)
		gsub(/" "/, ", ", line)
		gsub(/"/, "", line)
		print type " " name "(" line ")"
		type = ""
	}' src/libuncore.3 | sort >"$T/prototypes"
is "libuncore(3) has every function of the header as it is there" "$(diff "$T/header" "$T/prototypes")" ""
is "libuncore(3) says something about each" "$(
	sed 's/(.*//; s/.*[ *]//' "$T/header" | while read -r name; do
		[ "$(grep -c "^\.Fn $name\( \|\$\)" src/libuncore.3)" -ge 2 ] || echo "$name"
	done
)" ""
is "libuncore(3) has every error" "$(
	sed -n 's/^\t\(UNC_E[A-Z]*\) = .*/\1/p' include/uncore.h | while read -r name; do
		grep -q "^\.It Dv $name$" src/libuncore.3 || echo "$name"
	done
)" ""

# The format of maps: keys and checks of regs/README.md, which the program's own tests compare with the program.
sed -n 's/^\.It Cm //p' regs/uncorectl-regs.5 | sed 's/ No \*//g; s/ , /\n/g; s/, Cm /\n/g; s/ Cm /\n/g' | sort -u >"$T/words"
is "every key and check of regs/README.md stands in uncorectl-regs(5)" \
	"$(sed -n 's/^| \(`[^|]*\) |.*/\1/p' regs/README.md | tr -d '`,' | tr ' ' '\n' | sort -u | missing_from "$T/words")" ""
awk '/^\.Sh/ { on = /EXAMPLES/ } on && /^\.Ed/ { exit } on && !/^\./ && seen { print } /^\.Bd/ { seen = on }' \
	regs/uncorectl-regs.5 >"$T/example.yaml"
run "$U" maps check "$T/example.yaml"
is "the example of uncorectl-regs(5) is a map without fault" "$rc" 0
has "one map" "$err" "1 map checked"

# ---- parts ----
missing=$(sed -n 's/^title: //p' regs/*-imc.yaml | sort -u | while read -r title; do
	tr '\n' ' ' <src/cli/uncorectl.8 | grep -qF "$title" || echo "$title"
done)
is "uncorectl(8) names every part that has a register map" "$missing" ""
is "and has no empty quotes" "$(grep -n '^\.Ql !$\|^\.Pq Ql .* No ' "$B/uncorectl.8")" ""

# ---- the tool that fills in options ----
printf '.Bl -tag\n.\\" options: list\n.It caches\nMore.\n.It nonesuch\nText.\n.El\n' >"$T/page"
run tools/page-options "$U" "$T/page"
is "text about an option that there is not is refused" "$rc" 1
has "with its name" "$err" "list has no option nonesuch"
sed -i '/nonesuch/,/Text/d' "$T/page"
run tools/page-options "$U" "$T/page"
is "what the page adds follows the help" "$(sed -n '/^\.It Fl -caches/,/^\.It/p' "$T/out" | head -3 | paste -sd '|')" \
	".It Fl -caches|A row for each L3 cache that can be monitored, instead.|More."
is "and options that it does not name are there" "$(grep -c '^\.It Fl -observe$' "$T/out")" 1
