# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl stat: wrong arguments, counters in use, COMMANDs; however it ends, the control registers are as they were found.
. tests/lib.sh

E=sim:snbep,sockets=1,clock=step
six=cas_count.rd,cas_count.wr,act_count,pre_count.page_miss,rpq_inserts,rpq_occupancy

refused "an event or a metric is needed" 2 "stat: which event?" "$U" --machine "$E" stat -n 1
for list in '' ',' 'a,' ',a' 'a,,b' '{}' '{a' 'a}' '{a,{b}}' 'x{a}' '{a}b' imc/event=4,umask=3; do
	refused "-e \"$list\" is refused" 2 "stat: -e $list: " "$U" --machine "$E" stat -e "$list" -n 1
done
refused "an unknown --per is refused" 2 "stat: --per core: there are channel, imc, node, socket, machine, all and box" "$U" --machine "$E" stat -e dclk --per core
refused "--explain without a metric is refused" 2 "stat: --explain" "$U" --machine "$E" stat -e dclk --explain
refused "an unknown option is named" 2 "stat: there is no option --frob" "$U" --machine "$E" stat --frob
refused "an option without its value is named" 2 "stat: -e needs a value" "$U" --machine "$E" stat -e
refused "an interval that is none is refused" 2 "stat: -i 0" "$U" --machine "$E" stat -e dclk -i 0
refused "a count that is none is refused" 2 "stat: -n x" "$U" --machine "$E" stat -e dclk -n x
refused "a COMMAND without -- is refused" 2 "stat: true: a COMMAND comes after --" "$U" --machine "$E" stat -e dclk true
refused "-- without a COMMAND is refused" 2 "stat: there is no COMMAND" "$U" --machine "$E" stat -e dclk --
run "$U" stat --help
is "help succeeds" "$rc" 0
is "and fits a terminal" "$(awk 'length > 100' "$T/out")" ""

# Counters that another process uses.
B=sim:snbep,sockets=1,clock=step,state=$T/busy
for off in 0xd8 0xdc 0xe0 0xe4; do "$POKE" "$B" w ff:10.0 $off 0x00400304; done
refused "counters in use are status 5, and who" 5 "socket0.imc0.ch0 (0000:ff:10.0)" "$U" --machine "$B" stat -e act_count -n 1
run "$U" --machine "$B" stat -e dclk -n 1 --format csv
is "the fixed counter is free all the same" "$rc $(column flags | sort -u)" "0 simulated"
refused "a set would stop them" 5 "socket0.imc0.ch0" "$U" --machine "$B" stat -e '{dclk}' -n 1
run "$U" --machine "$B" stat -e act_count -n 1 --force --format csv
is "--force takes one" "$rc" 0
is "and gives it back" "$("$POKE" "$B" r ff:10.0 0xe4)" 0x00400304
refused "a kernel that is locked down is status 4" 4 "Operation not permitted" "$U" --machine sim:snbep,lockdown=1 stat -e dclk -n 1

# Endings.
R=sim:snbep,sockets=1,state=$T/real
"$POKE" "$R" w ff:10.0 0xe4 0x01000004 # another process's, left behind
controls() { for off in 0xd8 0xdc 0xe0 0xe4 0xf0; do "$POKE" "$R" r ff:10.0 $off; done | tr '\n' ' '; }
found=$(controls)
as_found() { is "$1: the controls are as they were" "$(controls)" "$found"; }
for signal in INT:0 TERM:143 HUP:129; do
	for events in "$six" "{cas_count.rd,act_count}"; do
		run timeout --preserve-status -s "${signal%:*}" 0.4 "$U" --machine "$R" stat -e "$events" -i 0.05 --format csv
		is "-e $events: SIG${signal%:*} ends it with its status" "$rc" "${signal#*:}"
		as_found "-e $events, SIG${signal%:*}"
	done
done
run timeout --preserve-status -s INT 0.3 "$U" --machine "$R" stat -e dclk -n 1000 -i 0.05
is "SIGINT before the last of -n samples is told apart" "$rc" 130
run sh -c "'$U' --machine '$R' stat -e $six -i 0.01 --format csv | head -2 | wc -l; exit"
is "head gets its lines" "$out" 2
lacks "and a reader that has gone is no failure" "$err" "Broken pipe"
run bash -c "set -o pipefail; '$U' --machine '$R' stat -e $six -i 0.01 --format csv | head -1 >/dev/null"
is "nor an exit status" "$rc" 0
as_found "| head"
run sh -c "'$U' --machine '$R' stat -m page_hit --explain -n 1 -i 0.01 >/dev/full"
is "a full output is status 1" "$rc" 1
has "and says so" "$err" "standard output: No space left on device"
as_found "a full output"
for command in "sh -c 'exit 7':7" "$T/none:127" "$T:126" "sh -c 'kill -KILL \$\$':137"; do
	run sh -c "exec '$U' --machine '$R' stat -e $six -o '$T/file' --format csv -- ${command%:*}"
	is "COMMAND ${command%:*}: its status" "$rc" "${command##*:}"
	as_found "COMMAND ${command%:*}"
done
run "$U" --machine "$R" stat -e dclk,act_count --format csv -- sh -c 'echo from the command; sleep 0.2'
is "a COMMAND keeps its stdout" "$out" "from the command"
is "its lifetime is one sample, on stderr" "$(grep -c '^[0-9]' "$T/err")" 8
run "$U" --machine "$R" stat -e dclk -o "$T/file" -i 0.05 --format csv -- sleep 0.3
check "with -i there are samples meanwhile" [ "$(sed 1d "$T/file" | wc -l)" -ge 8 ]
run "$U" --machine "$R" stat -m page_hit --explain -- true
has "--explain of a COMMAND stands behind its table" "$err" "page_hit = "
as_found "all that"
