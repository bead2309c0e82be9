# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl xcheck --resctrl: what the kernel says of a group's caches, beside the same RMID read directly.
. tests/lib.sh

S=sim:bdx,clock=step,resctrl=on,resctrl_group=jobs:5:0-3
field() { sed -n "/\"record\":\"header\"/d; s/.*\"$1\":\(\"[^\"]*\"\|[^,}]*\).*/\1/p" "$T/out" | tr -d '"'; }
verdicts() { field verdict | sort | uniq -c | sed 's/^ *//' | paste -sd ' '; }
x() { # KEYS ARGUMENT...
	keys=$1
	shift
	run "$U" --machine "$S$keys" xcheck --format jsonl "$@"
}

x '' --resctrl jobs -n 2
is "a kernel that says what there is" "$rc $(verdicts)" "0 12 ok"
is "three events of each of two L3s" "$(sed -n 2,7p "$T/out" | sed 's/.*"box":"\([^"]*\)".*"event":"\([^"]*\)".*/\1 \2/' | paste -sd ,)" \
	"socket0.l3-0 llc_occupancy,socket0.l3-0 mbm_total_bytes,socket0.l3-0 mbm_local_bytes,socket1.l3-1 llc_occupancy,socket1.l3-1 mbm_total_bytes,socket1.l3-1 mbm_local_bytes"
is "by the files of the group" "$(field source | head -1)" jobs/mon_data/mon_L3_00/llc_occupancy
has "its RMID is what the CPUs carry that run its tasks" "$(field config | head -1)" "rmid=5 (IA32_PQR_ASSOC of cpu 0"
check "it owns something" [ "$(field kernel | head -1)" -gt 100000 ]
check "and moves something" [ "$(field kernel | sed -n 2p)" -gt 100000000 ]
is "no memory channel is compared" "$(field box | grep -c imc)" 0
is "nothing is counted by us" "$(field ours | sort -u)" null
x ,resctrl_hw_id=on --resctrl jobs -n 1
has "or what the mount shows" "$(field config | head -1)" "rmid=5 (mon_hw_id)"
x '' --resctrl / --resctrl jobs/ -n 1
is "/ is the root group, a slash behind is none" "$rc $(verdicts) $(field source | sed -n '1p;7p' | paste -sd ' ')" \
	"0 12 ok mon_data/mon_L3_00/llc_occupancy jobs/mon_data/mon_L3_00/llc_occupancy"
run "$U" --machine "$S" xcheck --resctrl / --resctrl jobs -n 1
is "a table succeeds" "$rc" 0
has "with a line for the root group" "$out" "resctrl /"
has "one for the other" "$out" "resctrl jobs"
lacks "and no column of what is not there" "$(sed -n 2p "$T/out")" ours
is "and the sum" "$(tail -1 "$T/out")" "12 compared: 12 ok, 0 differ; 0 not comparable"

x ,resctrl_off=30 --resctrl jobs -n 1
is "one that says 30 % more of bandwidth is wrong" "$rc $(verdicts)" "1 2 differs 4 ok"
has "and of how much, by the kernel's own tolerances" "$(field why)" "allowed are 8 %"
x ,resctrl_off=5 --resctrl jobs -n 1
is "5 % are tolerated" "$rc $(verdicts)" "0 6 ok"
x ,resctrl_off=5 --resctrl jobs -n 1 --tolerance 1
is "but not where 1 % is all that is" "$rc $(field verdict | grep -c differs | sed 's/[1-9]/some/')" "1 some"
run "$U" --machine "$S,resctrl_off=30" xcheck --resctrl jobs -n 1
for part in 'jobs/mon_data/mon_L3_00/mbm_total_bytes differs: resctrl says' '  CPU       GenuineIntel family 6 model 79' 'rmid=5 (' \
	'  from      raw ' '  to        raw ' '  expected  '; do
	has "the report has:$part" "$out" "$part"
done

# Both sides at once.
run "$U" --machine "$S,perf=on" xcheck --resctrl jobs -e cas_count.rd --box 'socket0.*' -n 1 --format jsonl
is "channels, too, where they are named" "$rc $(field box | sort | uniq -c | sed 's/^ *//' | paste -sd ' ')" \
	"0 1 socket0.imc0.ch0 1 socket0.imc0.ch1 1 socket0.imc1.ch0 1 socket0.imc1.ch1 3 socket0.l3-0 3 socket1.l3-1"
is "and all of it is ok" "$(verdicts)" "10 ok"

# Where nothing of the group ever ran AMD's hardware has no number.
run "$U" --machine sim:zen3,clock=step,resctrl=on,resctrl_group=jobs:5:0-3 xcheck --resctrl jobs -n 1
is "what the kernel has no number of is not comparable, the rest is" "$rc $(tail -1 "$T/out")" "0 3 compared: 3 ok, 0 differ; 45 not comparable"
has "each is told once by its file" "$(grep '^  /' "$T/out" | head -n 1)" \
	'  /sys/fs/resctrl/jobs/mon_data/mon_L3_01/llc_occupancy says "Unavailable", which means that hardware has no number for it now'
refused "a group that is not there is status 3" 3 'no group "none"' "$U" --machine "$S" xcheck --resctrl none -n 1
refused "no resctrl is status 3" 3 "resctrl is not mounted" "$U" --machine sim:bdx,clock=step xcheck --resctrl / -n 1
for group in jobs/ /sys/fs/resctrl/jobs /sys/fs/resctrl/jobs/; do
	x '' --resctrl $group -n 1
	is "$group is the group" "$rc $(field source | head -1)" "0 jobs/mon_data/mon_L3_00/llc_occupancy"
	refused "and the same as jobs: it is refused" 2 "asked for twice" "$U" --machine "$S" xcheck --resctrl jobs --resctrl $group -n 1
done
x '' --resctrl /sys/fs/resctrl -n 1
is "and that the root group" "$rc $(field source | head -1)" "0 mon_data/mon_L3_00/llc_occupancy"
for group in /jobs /sys/fs/resctrlx //; do
	refused "$group is none" 2 "\"$group\" is not below /sys/fs/resctrl" "$U" --machine "$S" xcheck --resctrl $group -n 1
done
for group in ../x info mon_groups jobs/tasks; do
	refused "nor is $group" 2 "\"$group\" is not a group of resctrl" "$U" --machine "$S" xcheck --resctrl $group -n 1
done

# Registers.
M=$S,state=$T/state
"$POKE" "$M" m 0 0xc8d 0x700000002 # another process's, left behind
run "$U" --machine "$M" --trace "$T/trace" xcheck --resctrl jobs -n 2
check "QM_EVTSEL is written, of no other CPU than one of each L3" \
	[ "$(grep ' w64 ' "$T/trace" | awk '{ print $3, $5 }' | sort -u | paste -sd ,)" = "cpu0 0xc8d,cpu18 0xc8d" ]
is "and put back" "$("$POKE" "$M" m 0 0xc8d)" 0x0000000700000002
run "$U" --machine "$S" --trace "$T/trace" --dry-run xcheck --resctrl jobs
is "--dry-run writes nothing" "$rc $(grep -cE ' w(32|64) ' "$T/trace")" "0 0"
sed -n 's/^write [^ ]* (\([^)]*\)) [^ ]* at \(0x[0-9a-f]*\): \(0x[0-9a-f]*\) (.*)$/\1 \2 \3/p' "$T/out" >"$T/would"
run "$U" --machine "$S" --trace "$T/trace" xcheck --resctrl jobs -n 1
grep ' w64 ' "$T/trace" | awk '{ print $3, $5, $6 }' >"$T/done"
check "and shows the writes of a run with one sample, in its order" cmp "$T/done" "$T/would"
check "which are some" [ "$(wc -l <"$T/would")" -ge 24 ]

for options in "" "--format jsonl"; do
	for keys in "" ,resctrl_off=30 ,resctrl_hw_id=on; do
		# shellcheck disable=SC2086 # words
		run "$U" --machine "$S$keys" record "$T/record" -- xcheck --resctrl / --resctrl jobs -n 2 $options
		first="$rc $out $(grep -v '^uncorectl: machine' "$T/err")"
		run "$U" --machine "replay:$T/record"
		is "xcheck --resctrl $options is replayed${keys:+ with $keys}" "$rc $out $(grep -v '^uncorectl: machine' "$T/err")" "$first"
	done
done
