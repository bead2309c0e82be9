# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# check: options, what is chosen, exit statuses, the table, interruptions, records.  What the checks find is tested elsewhere.
. tests/lib.sh

M=sim:ivt,sockets=2,clock=step
HIDDEN=$M,hide=ff:10.4
on() { # MACHINE OPTION...
	machine=$1
	shift
	run "$U" --machine "$machine" check "$@"
}
# ---- a machine without fault, and one with ----
on "$M"
is "a machine without fault passes" "$rc" 0
is "and nothing is said but which it is" "$(grep -v note: "$T/err")" "uncorectl: machine: $M"
has "the last line has the verdict" "$(tail -2 "$T/out" | paste -sd ' ')" "PASSED. "
has "the machine is named" "$(head -3 "$T/out" | paste -sd ' ')" "Ivy Bridge-EP"
# Lines for a register map are to be copied as they are.
check "no line is wider than 80" awk 'length > 80 && !/tested:/ { exit 1 }' "$T/out"
check "no escape sequence goes to a pipe" sh -c '! LC_ALL=C grep -q "[^[:print:]]" "$1"' sh "$T/out"
on "$HIDDEN"
is "one with a hidden channel fails" "$rc" 1
is "with one sentence about it" "$(grep -v -e machine: -e note: "$T/err" | cut -d, -f1)" "uncorectl: check: failed: presence.functions"
has "the table has the check" "$(grep FAIL "$T/out")" "FAIL     functions"
has "and the channel" "$out" "socket1.imc0.ch0: PCI function 0000:ff:10.4 is not"
has "and the verdict" "$out" "FAILED. "
on "$M,hide=ff:10.1,hide=7f:10.1" --only presence.functions
is "a channel that is nowhere is none of this part" "$rc" 0
on "$M,hide=ff:10.4,hide=7f:10.4" --only presence.functions
is "but a gap before those behind it is" "$rc" 1

# ---- what is chosen ----
on "$HIDDEN" --box 'socket0.*' --only presence.functions
is "a channel that is left out cannot fail" "$rc" 0
lacks "nor is it in the report" "$out" socket1
on "$M" --only presence.functions --format jsonl
is "one check alone" "$(grep -o '"check":"[^"]*"' "$T/out" | sort -u)" '"check":"presence.functions"'
on "$M" --only presence --skip presence.functions --format jsonl
lacks "what is skipped is not run" "$out" '"check":"presence.functions"'
refused "an unknown check" 2 "the nearest is presence.functions" "$U" --machine "$M" check --only presence.functoins
refused "an unknown theme" 2 "--skip presense: there is no such check or theme; the nearest are presence" "$U" --machine "$M" check --skip presense
refused "a part of a name finds its check" 2 "the nearest is presence.functions" "$U" check --only function
refused "what is like none" 2 "there is no such check or theme; see" "$U" check --only qqqqqqqqq
refused "an empty name" 2 "there is no such check or theme" "$U" check --only ""
refused "a pattern that fits no channel" 2 "there are socket0.imc0.ch0 to socket1.imc1.ch3" "$U" --machine "$M" check --box 'socket7.*'
refused "quick and full" 2 "only one of them" "$U" check --quick --full
refused "an unknown format" 2 "there are table, tap, junit, jsonl and html" "$U" check --format csv
refused "a list as TAP" 2 "a list is a table or jsonl" "$U" check --list --format tap
refused "an argument" 2 "it takes no argument" "$U" check registers
refused "--observe with --force" 2 "nothing to --force" "$U" check --observe --force
refused "--observe with --dry-run" 2 "only one of them" "$U" --dry-run check --observe
refused "everything is left out" 3 "nothing to check" "$U" --machine "$M" check --only presence.functions --skip presence

# ---- the list ----
run "$U" check --list
is "the list needs no machine" "$rc $err" "0 "
has "it has themes" "$(sed -n 1p "$T/out")" "presence"
has "what a check proves" "$out" "each memory channel that this part should have is there"
has "where that is written" "$out" "PCI 3.0 section 6.1"
has "and how long it takes" "$out" "with --full"
run "$U" check --list --format jsonl
check "as records it has the same checks" [ "$(wc -l <"$T/out")" -ge 1 ]
is "each of them whole" "$(sed 1d "$T/out" | grep -c '^{"record":"check","check":"[a-z]*\.[a-z_]*","proves":"[^"]*","src":"[^"]*","quick_ms":[0-9nul]*,"usual_ms":[0-9nul]*,"full_ms":[0-9nul]*,"writes":[a-z]*,"makes_traffic":[a-z]*,"global":[a-z]*}$')" "$(sed 1d "$T/out" | wc -l)"

# ---- files ----
refused "a report that cannot be written" 1 "No such file or directory" "$U" --machine "$M" --trace "$T/trace" check -o "$T/no/such"
check "is said before the machine is touched" [ ! -e "$T/trace" ]
on "$M" -o "$T/report"
is "to a file, nothing is on standard output" "$rc $out" "0 "
has "but in the file" "$(cat "$T/report")" "PASSED. "
run sh -c '"$1" --machine "$2" check >/dev/full' sh "$U" "$M"
is "a report that does not fit fails" "$rc" 1
has "and that is said" "$err" "No space left on device"

# ---- no other process is disturbed ----
run "$U" --machine "$M" --trace "$T/trace" check --observe
is "--observe passes" "$rc" 0
is "and writes nothing" "$(grep -cE ' w(32|64|blk) ' "$T/trace")" 0
run "$U" --machine "$M" --trace "$T/trace" --dry-run check --only presence.functions --box 'socket1.*'
is "a dry run ends well" "$rc" 0
has "names what would be run" "$out" "presence.functions"
has "and on what" "$out" "socket1.imc0.ch3"
lacks "and nothing else" "$out" "socket0"
is "it writes nothing" "$(grep -cE ' w(32|64|blk) ' "$T/trace")" 0
busy=sim:snbep,sockets=1,clock=step,state=$T/busy
for f in 0 1 4 5; do "$POKE" "$busy" w ff:10.$f 0xd8 0x00400304; done
on "$busy"
is "where all channels are in use it is refused" "$rc" 5
has "with what to do" "$err" "--force"
on "$busy" --force --only presence.functions
is "unless it is forced" "$rc" 0

# ---- interruptions ----
# While it waits, in real time.  A shell has what runs in the background ignore SIGINT, and any other signal ends it likewise.
"$U" --machine sim:snbep,state="$T/interrupted" --state "$T/journals" check --full --only presence,clock --format tap >"$T/out" 2>"$T/err" &
pid=$!
sleep 1
kill -TERM $pid
over $pid
is "an interruption ends it with status 1" "$?" 1
is "what was found before is told" "$(grep -c '^ok .* - presence.functions' "$T/out")" 8
has "and that it is not all" "$(tail -1 "$T/out")" "Bail out! incomplete: it was interrupted"
is "in one sentence" "$(grep -v -e machine: -e note: "$T/err")" "uncorectl: check: incomplete: it was interrupted"
is "no register is left changed" "$(find "$T/journals" -name '*.journal')" ""

# ---- a terminal ----
if command -v script >/dev/null; then
	run script -qec "'$U' --machine $M check --only presence.functions --format tap >/dev/null" "$T/typescript"
	has "on a terminal a line tells what runs" "$(cat -v "$T/typescript")" '[1/1] presence.functions, about'
	run script -qec "stty cols 24 rows 20; '$U' --machine $M check --only presence.functions --format tap >/dev/null" "$T/typescript"
	lacks "in a narrow one the time is left out" "$(cat -v "$T/typescript")" "about"
	has "and what does not fit is cut" "$(cat -v "$T/typescript")" '[1/1] presence.function^['
else
	skip "on a terminal a line tells what runs" "script is not there"
fi

# ---- records ----
for format in table tap junit jsonl html; do
	"$U" --machine "$HIDDEN" record "$T/rec" -- check --format $format >"$T/first" 2>/dev/null
	first=$?
	"$U" --machine "replay:$T/rec" >"$T/again" 2>/dev/null
	is "a replay of $format ends as its record" "$?" "$first"
	check "and prints the same" cmp -s "$T/first" "$T/again"
done
"$U" --machine "$HIDDEN" check --format html >"$T/first" 2>/dev/null
"$U" --machine "replay:$T/rec" check --format html >"$T/again" 2>/dev/null
"$U" --machine "replay:$T/rec" check --format tap >"$T/tap" 2>/dev/null
has "one record serves for every format" "$(cat "$T/tap")" "not ok "
is "it has no path of ours" "$(grep -c "$T" "$T/rec")" 0

# ---- parts without channels, and without anything ----
caches_dump
run "$U" --machine "sim:cpuid=$T/caches.dump,clock=step" check --only presence
is "a part whose channels are not known here has none to check" "$rc" 3
