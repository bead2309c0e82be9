# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl xcheck: what the kernel's driver counts, beside its counter and ours, on a simulated machine that has such a driver.
. tests/lib.sh

S=sim:snbep,sockets=2,clock=step,perf=on
# field NAME: of the JSON lines in T/out, one value a line, texts without their quotes.
field() { sed -n "/\"record\":\"header\"/d; s/.*\"$1\":\(\"[^\"]*\"\|[^,}]*\).*/\1/p" "$T/out" | tr -d '"'; }
verdicts() { field verdict | sort | uniq -c | sed 's/^ *//' | paste -sd ' '; }
x() { # KEYS ARGUMENT...: as JSON lines, with these keys behind those of S
	keys=$1
	shift
	run "$U" --machine "$S$keys" xcheck --format jsonl "$@"
}

# All is well.
x '' -n 2
is "on a driver that counts right it succeeds" "$rc" 0
is "two events of each of eight channels, twice, are ok" "$(verdicts)" "32 ok"
is "they are reads and writes" "$(field event | sort -u | paste -sd ' ')" "cas_count.rd cas_count.wr"
is "each channel by its PMU" "$(field source | sort | uniq -c | sed 's/^ *//' | paste -sd ' ')" \
	"8 uncore_imc_0 8 uncore_imc_1 8 uncore_imc_2 8 uncore_imc_3"
is "perf's numbers are the map's" "$(field perf)" "$(field perf_by_map)"
is "its counters are the lowest, ours the highest" "$(field counter | sort -u | paste -sd ' ') $(field own_counter | sort -u | paste -sd ' ')" \
	"CTR[0] CTR[1] CTR[2] CTR[3]"
is "perf's own name of the event is told" "$(field alias | sort -u | paste -sd ' ')" "cas_count_read cas_count_write"
has "and its type and config" "$(field config | sort -u)" "type=12 config=0x304"
is "each row is flagged simulated" "$(field flags | sort -u)" "[simulated]"
check "all three have counted" [ "$(field kernel | sort -n | head -1)" -gt 1000000 ]
check "and none is far off" [ "$(field kernel_minus_raw | tr -d - | sort -n | tail -1)" -le "$(field uncertainty | sort -n | tail -1)" ]
has "the sum is said on stderr" "$err" "note: xcheck: 32 compared: 32 ok, 0 differ; 0 not comparable"
lacks "and no number of perf's" "$err" "as the map"
# What is in the record is what the counts follow from.
awk -F'[:,]' 'NR > 1 { for (i = 1; i < NF; i++) v[$i] = $(i + 1); if (v["\"to_raw_before\""] - v["\"from_raw_before\""] != v["\"raw\""] ||
	v["\"to_kernel\""] - v["\"from_kernel\""] != v["\"kernel\""]) bad++ } END { print NR - 1, bad + 0 }' "$T/out" >"$T/bad"
is "raw and kernel are the differences of what was read" "$(cat "$T/bad")" "32 0"

# A table, in windows of several widths.
run "$U" --machine "$S" xcheck -n 1
is "a table succeeds" "$rc" 0
has "with a line for each socket" "$out" "socket 1"
has "the PMU of each channel" "$out" "uncore_imc_3"
is "and the sum below" "$(tail -1 "$T/out")" "16 compared: 16 ok, 0 differ; 0 not comparable"
window() { # COLUMNS ROWS KEYS ARGUMENT...
	size="cols $1 rows $2"
	machine=$S$3
	shift 3
	script -qec "stty $size; '$U' --machine '$machine' xcheck $*" /dev/null </dev/null 2>/dev/null | tr -d '\r' | sed 's/\x1b\[[0-9]*[A-Z]//g'
}
window 80 50 '' -n 1 >"$T/out"
has "80 columns have event, PMU, count, difference, uncertainty and verdict" "$(grep kernel "$T/out" | tr -s ' ')" \
	" event perf kernel kernel-raw +/- verdict"
has "with their values" "$(grep '^  ch3  *cas_count.wr' "$T/out" | head -1)" uncore_imc_3
is "and no line is longer" "$(awk 'length > 80 && !/^uncorectl: / { print }' "$T/out")" ""
window 120 50 '' -n 1 >"$T/out"
has "120 columns have all three counts, too" "$(grep kernel "$T/out" | tr -s ' ')" \
	"event perf counter kernel raw ours kernel-raw"
window 80 16 ,hide=ff:10.4 -n 2 >"$T/out"
has "a low window has the sums" "$(tr -s ' ' <"$T/out")" "socket 1 6 ok, 2 not comparable"
has "and the rows that are not ok" "$(grep '^  ch2' "$T/out" | head -1)" "not comparable"
is "but no other" "$(grep -c '^  ch[013]' "$T/out")" 0
run "$U" --machine "$S" xcheck -n 1 --format csv
is "CSV has the fields of JSON" "$(head -1 "$T/out")" \
	"$("$U" --machine "$S" xcheck -n 1 --format jsonl 2>/dev/null | sed -n 2p | sed "s,.record.:.sample.\,,," | grep -o '"[a-z0-9_]*":' | tr -d '":' | paste -sd ,)"
run "$U" --machine "$S" xcheck -n 1 -o "$T/table"
check "-o writes the table and what is below it" [ "$(tail -1 "$T/table")" = "16 compared: 16 ok, 0 differ; 0 not comparable" ]
is "and nothing on stdout" "$out" ""

# What is compared.
x '' -n 1 -e act_count --events 'imc/event=0x04,umask=0x03/,pre_count.page_miss'
is "several -e, commas within slashes" "$(field event | sort | uniq -c | sed 's/^ *//' | paste -sd ' ')" \
	"8 act_count 8 event=0x4,umask=0x3 8 pre_count.page_miss"
x '' -n 1 --box 'socket1.*.ch0' -e dclk
is "the fixed counter is the kernel's clockticks" "$rc $(field alias) $(verdicts)" "0 clockticks 1 ok"

# A driver that counts wrong.
x ,perf_off=2 -n 2 --box 'socket0.*' -e cas_count.rd
is "a driver that counts 2 % wrong is status 1" "$rc" 1
is "each row differs" "$(verdicts)" "8 differs"
check "by that" near "$(field kernel_minus_raw_percent | tr -d - | head -1)" 2 1
has "and why" "$(field why | head -1)" "perf says"
x ,perf_off=2 -n 1 --box 'socket0.*' -e cas_count.rd --tolerance 5
is "which is within 5 %" "$rc $(verdicts)" "0 4 ok"
x '' -n 1 --box 'socket0.*' --tolerance 0
is "with no tolerance at all a right driver differs by nothing" "$(field verdict | grep -c differs)" 0
run "$U" --machine "$S,perf_off=2" xcheck -n 2 --box '*ch2' -e cas_count.rd
is "a table of it is status 1" "$rc" 1
is "equal differences are one finding" "$(grep -c '^all 2 differ by [+-]2\.[0-9]* %: a scale$' "$T/out")" 1
is "with one report" "$(grep -c '^socket0.imc0.ch2 cas_count.rd differs: ' "$T/out") $(grep -c '^socket1' "$T/out")" "1 0"
is "that names the others" "$(grep '^  also ' "$T/out")" "  also      socket1.imc0.ch2 cas_count.rd (uncore_imc_2)"
for part in '  CPU       GenuineIntel family 6 model 45 stepping 7: Sandy Bridge-EP (simulated)' '  kernel    ' \
	'  box       socket0.imc0.ch2 at 0000:7f:10.4' '  PMU       uncore_imc_2, type=' \
	'  counter   CTR[0] at 0xa0, its control was 0x00400304' "  seen by   $("$U" --version)" '  from      raw ' '  to        raw ' '  counted   in ' '  expected  ' \
	'perf stat -a --per-socket -e uncore_imc_2/'; do
	has "the report has:$part" "$out" "$part"
done
is "and the sum" "$(tail -1 "$T/out")" "4 compared: 0 ok, 4 differ; 0 not comparable"
mkdir -p "$T/kernel/proc/sys/kernel"
echo 6.1.0-56-amd64 >"$T/kernel/proc/sys/kernel/osrelease"
echo '#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-10-01)' >"$T/kernel/proc/sys/kernel/version"
run "$U" --machine "$S,perf_off=2,files=$T/kernel" xcheck -n 1 --box '*ch2' -e cas_count.rd
has "which kernel it was" "$out" "  kernel    6.1.0-56-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-10-01)"
x ",perf_off=2,files=$T/kernel" -n 1 --box '*ch2' -e cas_count.rd
is "a record has it, too" "$(field system | head -n 1)" "6.1.0-56-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-10-01)"

# The kernel's driver is not alone.
x ,perf_order=2-3-0-1 -n 1 -e cas_count.rd
is "another order of perf's numbers is found" "$rc $(field perf | head -4 | paste -sd ' ') $(field perf_by_map | head -4 | paste -sd ' ')" "0 2 3 0 1 0 1 2 3"
has "and said" "$err" "note: socket0.imc0.ch0 is uncore_imc_2 here, not number 0"
run "$U" --machine "$S,perf_order=2-3-0-1,perf_off=2" xcheck -n 1 -e cas_count.rd
has "a report of a difference says it too" "$out" "(the map of this CPU has number 0 for this channel)"
x ,perf_moves=1.5 -n 3 --box socket0.imc0.ch0 -e cas_count.rd --observe
is "an event that was moved is not comparable then, before and afterwards it is" "$rc $(field verdict | paste -sd ,)" "0 ok,not comparable,ok"
has "and it is said where to" "$(field why)" "perf moved it from CTR[0] to CTR["
x ,perf_moves=1.5 -n 3 --box socket0.imc0.ch0
is "perf's number agrees with its counter, whatever becomes of ours" "$rc $(field verdict | tail -2 | paste -sd ,)" "0 ok,ok"
is "of which there is none then" "$(field ours | tail -2 | paste -sd ' ') $(field own_counter | tail -2 | paste -sd ' ')" "null null null null"
is "where perf takes our counter that is said, once" "$(grep -c "note: socket0.imc0.ch0 cas_count.rd: there is no count of ours: perf's driver took CTR\[" "$T/err")" 1
x '' -n 1 --box socket0.imc0.ch0 -e cas_count.rd,cas_count.wr,act_count,pre_count.page_miss,rpq_inserts
is "more events than counters take turns" "$rc $(field verdict | sort -u)" "1 not comparable"
has "which is said with how much" "$(field why)" "% of the interval only"
has "nothing was compared" "$err" "uncorectl: xcheck: 0 compared: 0 ok, 0 differ; 5 not comparable"
x ,hide=ff:10.4 -n 1 -e cas_count.rd
is "a hidden channel of one socket is a row that is not comparable" "$rc $(verdicts)" "0 1 not comparable 7 ok"
is "namely this" "$(grep '"not comparable"' "$T/out" | grep -c '"box":"socket1.imc0.ch2"')" 1
x ,vanish=ff:10.4@1.5 -n 2 -e cas_count.rd --box 'socket1.*' --observe
is "of one that goes away, perf takes all ones for counts" "$rc $(verdicts)" "1 1 differs 7 ok"
is "and the sentence does not begin with its name again" "$(grep '"differs"' "$T/out" | grep -o '; [^";]*"')" \
	'; pci 0000:ff:10.4: reads as all ones: the function is gone"'

run "$U" --machine sim:sprhbm,sockets=1,clock=step,perf=on xcheck -n 1
has "channels in HBM are compared with PMUs of their own" "$out" "80 compared: 80 ok"
has "whose names are types of units" "$(grep hbm15.ch1 "$T/out" | xargs)" "cas_count.rd uncore_type_14_31 CTR[0]"

# What is not there, or not allowed.
refused "no driver is status 3" 3 "no perf events (a simulated one does with perf=on)" "$U" --machine sim:snbep,clock=step xcheck -n 1
mkdir -p "$T/files/sys/bus/event_source/devices/cpu"
refused "and where there are other PMUs, what to load" 3 "modprobe intel_uncore" "$U" --machine "sim:snbep,clock=step,files=$T/files" xcheck -n 1
refused "perf_event_paranoid is status 4, and named" 4 "perf_event_paranoid" "$U" --machine "$S,perf_paranoid=3" xcheck -n 1
refused "no resctrl is status 3" 3 "resctrl is not mounted" "$U" --machine sim:bdx,clock=step xcheck --resctrl / -n 1
refused "nor monitors every CPU its caches" 3 "xcheck --resctrl: this CPU does not monitor its caches: CPUID leaf 0xf" "$U" --machine "$S" xcheck --resctrl / -n 1
caches_dump
refused "a CPU without a map is status 3" 3 "no register map" "$U" --machine "sim:cpuid=$T/caches.dump,clock=step" xcheck -n 1
has "which tells what there is to compare there" "$err" "; its caches can be compared: xcheck --resctrl GROUP, without -e and --box"
refused "an event that there is none of is status 2" 2 "frob" "$U" --machine "$S" xcheck -e frob -n 1
refused "a box that there is none of is status 3" 3 "--box frob" "$U" --machine "$S" xcheck --box frob -n 1
refused "braces are refused" 2 "take the braces away" "$U" --machine "$S" xcheck -e '{cas_count.rd,cas_count.wr}' -n 1
for list in '' ',' 'a,,b' imc/event=4,umask=3; do
	refused "-e \"$list\" is refused" 2 "xcheck: -e $list: " "$U" --machine "$S" xcheck -e "$list" -n 1
done
for tolerance in '' x -1 100 nan inf 0x 1%; do
	refused "--tolerance \"$tolerance\" is refused" 2 "xcheck: --tolerance $tolerance: " "$U" --machine "$S" xcheck --tolerance="$tolerance" -n 1
done
refused "no group is refused" 2 "xcheck: --resctrl" "$U" --machine "$S" xcheck --resctrl '' -n 1
refused "--resctrl with --observe is refused" 2 "IA32_QM_EVTSEL" "$U" --machine "$S" xcheck --resctrl / --observe -n 1
refused "an unknown option is named" 2 "xcheck: there is no option --frob" "$U" --machine "$S" xcheck --frob
run "$U" xcheck --help
is "help succeeds" "$rc" 0
is "and fits a terminal" "$(awk 'length > 100' "$T/out")" ""

# What is written.
x '' -n 1 --observe
is "--observe compares two counts" "$rc $(verdicts) $(field ours | sort -u)" "0 16 ok null"
run "$U" --machine "$S" --trace "$T/trace" xcheck -n 1 --observe
is "and writes nothing" "$(grep -cE ' w(32|64) ' "$T/trace")" 0
run "$U" --machine "$S" --trace "$T/trace" --dry-run xcheck
is "--dry-run writes nothing" "$rc $(grep -cE ' w(32|64) ' "$T/trace")" "0 0"
has "and shows what would be, for our own counters" "$out" "write socket0.imc0.ch0 (0000:7f:10.0) CTL[3]"
sed -n 's/^write [^ ]* (\([^)]*\)) [^ ]* at \(0x[0-9a-f]*\): \(0x[0-9a-f]*\) (.*)$/\1 \2 \3/p' "$T/out" >"$T/would"
run "$U" --machine "$S" --trace "$T/trace" xcheck -n 1
grep ' w32 ' "$T/trace" | awk '{ print $3, $5, $6 }' >"$T/done"
check "they are the writes of a real run, in its order" cmp "$T/done" "$T/would"
has "and which events would be opened" "$("$U" --machine "$S" --dry-run xcheck 2>/dev/null | head -1)" \
	"open perf event type=12 config=0x304 on cpu 0 (uncore_imc_0) for socket0.imc0.ch0 cas_count.rd"

# Endings.
R=sim:snbep,sockets=1,perf=on,state=$T/real
"$POKE" "$R" w ff:10.0 0xe4 0x01000004 # another process's, left behind
controls() { for off in 0xe0 0xe4 0xf0; do "$POKE" "$R" r ff:10.0 $off; done | tr '\n' ' '; }
found=$(controls)
as_found() { is "$1: the controls are as they were" "$(controls)" "$found"; }
for signal in INT:0 TERM:143 HUP:129; do
	run timeout --preserve-status -s "${signal%:*}" 0.6 "$U" --machine "$R" xcheck -i 0.2 --format csv
	is "SIG${signal%:*} ends it with its status" "$rc" "${signal#*:}"
	as_found "SIG${signal%:*}"
	is "SIG${signal%:*}: no event of the kernel's is left on" "$("$POKE" "$R" r ff:10.0 0xd8)" 0x00000304
done
run "$U" --machine "$R,kill=60:after" xcheck -n 1
run "$U" --machine "$R" recover
is "what a killed one left is put back" "$rc" 0
as_found "recover"
# Time that a COMMAND takes is a second of the machine's.
C=$S,state=$T/command
step="'$POKE' '$C' step 1000000000"
for end in 0 7; do
	run "$U" --machine "$C" xcheck -o "$T/file" --format csv -- sh -c "$step; exit $end"
	is "a COMMAND that ends with $end: its status" "$rc" "$end"
	is "its life is one sample" "$(grep -c ',ok,' "$T/file")" 16
done
run "$U" --machine "$C" xcheck -- "$T/none"
is "a COMMAND that is not there: its status" "$rc" 127
C=$C,perf_off=2
step="'$POKE' '$C' step 1000000000"
run "$U" --machine "$C" xcheck -e cas_count.rd --box 'socket0.*' -- sh -c "$step; echo from the command"
is "a difference is 1 when COMMAND succeeds" "$rc" 1
is "a COMMAND keeps its stdout" "$out" "from the command"
has "the data is on stderr" "$err" "4 compared: 0 ok, 4 differ; 0 not comparable"
run "$U" --machine "$C" xcheck -- sh -c "$step; exit 3"
is "else it is COMMAND's" "$rc" 3
run sh -c "'$U' --machine '$S' xcheck -n 1 >/dev/full"
is "a full output is status 1" "$rc" 1

# Recorded and replayed, byte for byte.
for options in "" "--format csv" "--format jsonl" "--observe" "-e dclk --box *ch0"; do
	for keys in "" ,perf_off=2 ,perf_moves=1.5; do
		set -f
		# shellcheck disable=SC2086 # words
		run "$U" --machine "$S$keys" record "$T/record" -- xcheck -n 2 $options
		set +f
		first="$rc $out $(grep -v '^uncorectl: machine' "$T/err")"
		run "$U" --machine "replay:$T/record"
		is "xcheck $options on a machine with ${keys#,} is replayed" "$rc $out $(grep -v '^uncorectl: machine' "$T/err")" "$first"
	done
done
for keys in "" ,perf_paranoid=3; do
	run "$U" --machine "sim:snbep,clock=step${keys:+,perf=on}$keys" record "$T/record" -- xcheck -n 1
	first="$rc $(grep -v '^uncorectl: machine' "$T/err")"
	run "$U" --machine "replay:$T/record"
	is "a refusal is replayed${keys:+: $keys}" "$rc $(grep -v '^uncorectl: machine' "$T/err")" "$first"
done
