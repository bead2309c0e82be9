# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl llc: its records, tables and words, and its numbers against the simulated truth.
. tests/lib.sh

header=time_ns,interval_ns,group,cpus,l3,rmid,occupancy_bytes,occupancy_status,mbm_total_bytes,mbm_total_bytes_per_s,mbm_total_status,mbm_local_bytes,mbm_local_bytes_per_s,mbm_local_status,mbm_remote_bytes,mbm_remote_uncertainty_bytes,l3_share,occupancy_raw,mbm_total_raw,mbm_local_raw,rmid_found,flags,uncertainty_percent,box,l3_share_percent,mbm_remote_bytes_per_s
S=sim:bdx,sockets=2,clock=step,state=$T/state
# Broadwell-EP E5-2697 v4: 18 slices of 4096 bytes, RMIDs to 143, of which those above 127 are counted wrong; an L3 of 45 MiB.
unit=73728 l3=47185920

run "$U" --machine "$S" llc -i 1 -n 3 --cpus 1 --cpus 19 --format csv
is "llc succeeds" "$rc" 0
is "the CSV header is the documented one" "$(head -1 "$T/out")" "$header"
is "one record per group, L3 and sample" "$(sed 1d "$T/out" | wc -l)" 6
is "groups of --cpus are called by their lists" "$(column group | sort | uniq -c | awk '{ print $2 ":" $1 }' | paste -sd ' ')" "1:3 19:3"
is "each on its L3" "$(awk -F, 'NR > 1 { print $3 "/" $5 }' "$T/out" | sort -u | paste -sd ' ')" "1/0 19/1"
is "records of a simulated machine say so" "$(column flags | sort -u)" simulated
is "the RMID is the highest that counts exactly, on each L3" "$(column rmid | sort -u)" 127
is "every value is ok" "$(for c in occupancy_status mbm_total_status mbm_local_status; do column $c; done | sort -u)" ok
is "occupancy is raw times the unit" "$(awk -F, -v u=$unit 'NR > 1 && $7 != $18 * u' "$T/out")" ""
is "bandwidth is whole units" "$(awk -F, -v u=$unit 'NR > 1 && ($9 % u || $12 % u)' "$T/out")" ""
is "and the difference of raw values from sample to sample" \
	"$(awk -F, -v u=$unit 'NR > 1 { if ($3 in t && ($9 != ($19 - t[$3]) * u || $12 != ($20 - l[$3]) * u)) print; t[$3] = $19; l[$3] = $20 }' "$T/out")" ""
is "remote is total but local" "$(awk -F, 'NR > 1 && $15 != $9 - $12' "$T/out")" ""
is "rates are bytes over the interval" \
	"$(awk -F, 'NR > 1 { d = $10 - $9 * 1e9 / $2; if (d < -20000 || d > 20000) print }' "$T/out")" ""
is "the share is that of the L3" "$(awk -F, -v l=$l3 'NR > 1 { d = $17 - $7 / l; if (d > 1e-6 || d < -1e-6) print }' "$T/out")" ""
is "the intervals are those that were asked for" "$(awk -F, 'NR > 1 && ($2 < 999e6 || $2 > 1001e6)' "$T/out")" ""
is "no rule of the manual was broken" "$("$POKE" "$S" violations | head -1)" 0
for cpu in 1 19; do
	is "IA32_PQR_ASSOC of CPU $cpu is as it was" "$("$POKE" "$S" m $cpu 0xc8f)" 0x0000000000000000
done
is "IA32_QM_EVTSEL, too" "$("$POKE" "$S" m 0 0xc8d) $("$POKE" "$S" m 18 0xc8d)" "0x0000000000000000 0x0000000000000000"

# What the RMIDs moved is what the groups moved while they had them; a run of one second, and the time of start and end.
sum() { awk -F, -v c="$1" 'NR > 1 && $3 == 1 { s += $c } END { printf "%.0f\n", s }' "$T/out"; }
# shellcheck disable=SC2046 # three words
set -- $("$POKE" "$S" llc 0 "$(awk -F, '$3 == 1 { print $6; exit }' "$T/out")")
check "all bytes moved are the truth" near "$(sum 9)" "$2" 0.02
check "and those of the same node" near "$(sum 12)" "$3" 0.02

# Every model that counts bandwidth, also with sub-NUMA clustering in both modes; and one that has occupancy alone.  An AMD part
# tells the first time that it has only begun to follow an RMID, so of the samples the last is looked at.
for machine in bdx skx clx icx spr "icx snc=2" "spr snc=4" zen2 zen3 zen4 zen5; do
	model=${machine% *} snc=
	[ "$model" = "$machine" ] || snc=,${machine#* }
	M=sim:$model$snc,sockets=1,clock=step,state=$T/$model${snc#,}
	run "$U" --machine "$M" llc -n 2 --cpus 2 --format csv
	is "$machine: succeeds" "$rc" 0
	# shellcheck disable=SC2046 # three words
	set -- $("$POKE" "$M" llc 0 "$(column rmid | tail -1)")
	total=$(column mbm_total_bytes | awk '{ s += $1 } END { printf "%.0f\n", s }')
	local=$(column mbm_local_bytes | awk '{ s += $1 } END { printf "%.0f\n", s }')
	check "$machine: bandwidth is the truth" near "$total" "$2" 0.1
	check "$machine: local bandwidth is" near "$local" "$3" 0.1
	[ "$model" = zen5 ] && continue # 4096 RMIDs on each of many L3s
	"$POKE" "$M" m 2 0xc8f 5 # a group gives its RMID back, and then it does not own for long
	"$POKE" "$M" step 1000000000
	run "$U" --machine "$M" llc -n 2 --all-rmids --format csv
	line=$(grep ',rmid5,2,0,5,' "$T/out" | tail -1)
	# shellcheck disable=SC2046 # three words
	set -- $("$POKE" "$M" llc 0 5)
	check "$machine: occupancy is, to a unit" awk -v a="$(echo "$line" | cut -d, -f7)" -v b="$1" -v r="$(echo "$line" | cut -d, -f18)" \
		'BEGIN { d = b - a; if (d < 0) d = -d; exit !(r > 0 && d <= a / r) }'
done
M=sim:zen3,clock=step
run "$U" --machine "$M" llc -n 1 --format csv
is "a part with several L3s a socket has a group for each" "$(column group | paste -sd ' ')" \
	"$(seq 0 $(($(sed 1d "$T/out" | wc -l) - 1)) | sed 's/^/l3-/' | paste -sd ' ')"
run "$U" --machine sim:hsx,sockets=1,clock=step llc -n 1 --format csv
is "a part with occupancy alone" "$rc" 0
is "has no bandwidth, nor a status of it" "$(sed 1d "$T/out" | cut -d, -f10-16 | grep -v '^[^,]*$' | awk -F, '{ print $1 $2 $3 $4 $5 $6 }')" ""
run "$U" --machine sim:hsx,sockets=1,clock=step llc -n 1
lacks "and no columns of it in a table" "$out" Total
refused "what it does not count is refused" 3 "CPUID 0xF.1 EDX bit 1 is 0" "$U" --machine sim:hsx llc -n 1 --events total
refused "a part without any tells the bit of CPUID" 3 "bit 12 (PQM)" "$U" --machine sim:snbep llc -n 1
run "$U" --machine sim:skx,clock=step llc -n 1 --cpus 0
lacks "what Linux minds is not said after each run" "$err" "note: "
run "$U" --machine sim:skx,clock=step llc -v -n 1 --cpus 0
has "but with -v" "$err" "note: errata SKZ4"

# Groups on several L3s.
run "$U" --machine "$S" llc -n 1 --group two=0,18 --group one=1 --format csv
is "a group on two L3s has a row for each, and a sum" "$(awk -F, 'NR > 1 { print $3 "/" $4 "/" $5 }' "$T/out" | paste -sd ' ')" 'two/0/0 two/18/1 two/"0/18" one/1/0'
# The cpus of the sum are quoted, so that its fields are one further.
is "its L3 is empty and its flag is sum" "$(awk -F, '$4 == "\"0" { print $6 "/" $23 }' "$T/out")" "/sum;simulated"
is "it adds up what there is" "$(awk -F, '$3 == "two" && $4 != "\"0" { o += $7; t += $9; l += $12 } $4 == "\"0" { print $8 - o, $10 - t, $13 - l }' "$T/out")" "0 0 0"
run "$U" --machine "$S" llc -n 1
has "without a group each L3 is one" "$out" "l3-1   18-35,54-71"
lacks "a table in a pipe has no escape sequences" "$out" "$(printf '\033')"
run "$U" --machine "$S" llc -n 1 --cpus 1 --format jsonl
is "JSON lines carry the same names, and what each line is" "$(sed -n 2p "$T/out" | tr '{},' '\n\n\n' | sed -n 's/^"\([a-z0-9_]*\)":.*/\1/p' | paste -sd,)" "record,$header"
has "and null where there is no value" "$out" '"rmid_found":null'
run "$U" --machine "$S" llc -n 1 --cpus 1 --events local,occupancy --format csv
is "--events: what is not asked for is empty" "$(sed 1d "$T/out" | cut -d, -f9-11,15-16,19)" ",,,,,"
is "and what is asked for is there" "$(column mbm_local_status)$(column occupancy_status)" okok

# A window has room for numbers before it has some for long names; what is cut says so, and no character is cut in two.
script -qec "stty cols 48 rows 24; \"$U\" --machine \"$S\" llc -n 1 --group a-name-that-leaves-no-room-for-any-number-at-all=0 --group \"$(printf 'abcdefghijklmnop\303\244\303\244\303\244\303\244\303\244\303\244')\"=1 --cpus 2" \
	/dev/null </dev/null 2>/dev/null | tr -d '\r' | sed 's/.\[K$//' >"$T/out"
is "a long name is shortened, and the numbers stand" \
	"$(LC_ALL=C awk '$1 ~ />$/ { name = $1; gsub(/[\200-\277]/, "", name); print length(name) == 20, ($NF > 0), ($(NF - 2) > 0) }' "$T/out" | sort | uniq -c | awk '{ print $1 ":" $2 $3 $4 }')" "2:111"
check "in whole characters" iconv -f UTF-8 -t UTF-8 "$T/out"
is "a short one is not" "$(awk '$1 == "2" { print ($NF > 0) }' "$T/out")" 1
run "$U" --machine "$S" llc -n 1 --group "$(printf '\303\244\303\244=0')" --group "bb=1"
is "a letter of two bytes takes one column" "$(LC_ALL=C awk '/^Group/ { g = length($0) } /^bb/ { b = length($0) } /^\303/ { a = length($0) } END { print a - b, (g > 0) }' "$T/out")" "2 1"

# A table on a terminal takes the place of the one before, but not that of what was said meanwhile.
script -qec "stty cols 200 rows 24; \"$U\" --machine sim:bdx,sockets=1,clock=step,qm=error llc -n 4 --cpus 0" /dev/null </dev/null 2>/dev/null >"$T/out"
is "a note is not wiped out" "$(awk 'last ~ /note: .* times in a row/ && !/note:/ { print (/\033\[[0-9]+A/ ? "wiped out" : "stands") } { last = $0 }' "$T/out")" stands
is "where nothing was said the table is drawn again" "$(grep -c "$(printf '\033')\[[0-9]*A" "$T/out")" 1

script -qec "stty cols 200 rows 24; \"$U\" --machine sim:bdx,sockets=1 llc -i 0.1 --cpus 0 -- sh -c 'echo one; sleep 0.25; echo two; sleep 0.15'" \
	/dev/null </dev/null 2>/dev/null | tr -d '\r' >"$T/out"
is "nor is what a COMMAND says" "$(grep -c "$(printf '\033')" "$T/out") $(grep -cx -e one -e two "$T/out") $(($(grep -c '^Group' "$T/out") > 2))" "0 2 1"

# --all-rmids
run "$U" --machine "$S" --trace "$T/trace" llc -n 1 --all-rmids --format csv
is "--all-rmids has a row for every RMID of every L3" "$(column group | sort -u | wc -l) $(sed 1d "$T/out" | wc -l)" "144 288"
is "and gives none to a CPU" "$(grep -c 'w64 0xc8f' "$T/trace")" 0
"$POKE" "$S" m 5 0xc8f 17
"$POKE" "$S" m 6 0xc8f 17
"$POKE" "$S" m 7 0xc8f 130
run "$U" --machine "$S" llc -n 2 --all-rmids --format csv
is "a row has the CPUs that carry it" "$(awk -F, '$3 == "rmid130" && $5 == 0 { print $4 }' "$T/out" | sort -u)" 7
is "those of higher numbers are corrected" "$(awk -F, '/^[0-9]/ && $(NF - 4) ~ /corrected/ { sub(/rmid/, "", $3); if ($3 <= 127) print "low"; else n++ } END { print (n > 0) }' "$T/out")" 1
is "and their raw values are not" "$(awk -F, -v u=$unit '$3 == "rmid130" && $5 == 0 { if (last && $9 / (($19 - last) * u) > 1.18) print "corrected"; last = $19 }' "$T/out")" corrected
run "$U" --machine "$S" llc -n 1 --all-rmids
is "a table leaves out those of no bytes" "$(grep -c '^rmid' "$T/out")" 4
has "and says how many" "$out" "284 more"
lacks "and of none that its value is not known" "$out" "no value"
run "$U" --machine sim:bdx,sockets=1,clock=step,qm=error llc -n 1 --all-rmids
is "of those without a value it does not say that it is 0" "$(awk '$2 == "more" { print $1, $(NF - 1), $NF }' "$T/out")" "144 no value"
run "$U" --machine sim:zen4,clock=step llc -n 2 --all-rmids
is "nor of those that an AMD part does not follow" "$(awk '$2 == "more" { print $1, $(NF - 1), $NF }' "$T/out" | sort -u)" "1020 no value"
run "$U" --machine "$S" llc -n 1 --shared --group rmid130=7
has "a group that is called as one is no such row" "$out" "rmid130"
run "$U" --machine "$S" llc -n 1 --all-rmids --shared --group a=1 --format csv
is "a group beside it has its own row, first" "$(sed -n 2p "$T/out" | cut -d, -f3-6)" a,1,0,127
is "and there are all RMIDs" "$(sed 1,2d "$T/out" | wc -l)" 288

# A window that has no room for all RMIDs has some for the first.
script -qec "stty cols 80 rows 12; \"$U\" --machine sim:zen2,clock=step llc -n 2 -i 0.1 --cpus 0,4 --all-rmids" /dev/null </dev/null 2>/dev/null |
	tr -d '\r' | sed -n '/^Group/,/^(/p' >"$T/out"
is "in a low window the sum of a group stands before RMIDs" "$(sed -n '2p;4p' "$T/out" | cut -d' ' -f1 | paste -sd ' ')" "0,4 rmid0"
is "and it is full" "$(awk '/^Group/ { n = 0 } { n++ } END { print n }' "$T/out")" 10

# Words instead of numbers.
run "$U" --machine "sim:bdx,sockets=1,clock=step,qm=error" llc -n 2 --cpus 0 --format csv
is "Error is a status" "$(column occupancy_status | sort -u)$(column mbm_total_status | sort -u)" errorerror
is "and there is no number" "$(cut -d, -f7,9,10,12,13,15,16 "$T/out" | sed 1d | sort -u)" ",,,,,,"
is "a value that was never obtained is status 1" "$rc" 1
has "and says which" "$err" "llc: 0, L3 0: there was no value of occupancy, total bandwidth, local bandwidth: the last answer was Error"
lacks "and no other row, where there is none" "$err" " more row"
run "$U" --machine "sim:bdx,sockets=1,clock=step,qm=unavailable" llc -n 2 --events total,local --cpus 0 --cpus 1 --format csv
has "and how many more" "$err" "no value of total bandwidth, local bandwidth: the last answer was Unavailable; 1 more row lacks values, too"
run "$U" --machine "sim:bdx,sockets=2,clock=step,qm=unavailable" llc -n 2 --cpus 0,20 --cpus 1 --format csv
has "without their sums" "$err" "; 2 more rows lack values, too"
run "$U" --machine "sim:bdx,sockets=1,clock=step,qm=unavailable" llc -n 6 --cpus 0 --format csv
is "Unavailable is a status" "$(column occupancy_status | sort -u)$(column mbm_total_status | sort -u)" unavailableunavailable
is "and does not end the run" "$(sed 1d "$T/out" | wc -l) $rc" "6 1"
run "$U" --machine "sim:bdx,sockets=1,clock=step,qm=error" llc -n 1 --cpus 0
has "a table has the word in the place of the number" "$out" "error"
run "$U" --machine "sim:bdx,sockets=1,clock=step,qm=error" llc -n 9 --cpus 0 --format csv
is "three Errors of everything end the run" "$rc" 1

run "$U" --machine "sim:bdx,sockets=1,clock=step,disturb=4:9" llc -n 2 --cpus 0 --format csv
is "disturbed is one" "$(column mbm_local_status | paste -sd ' ')" "disturbed ok"
is "without a number" "$(sed -n 2p "$T/out" | cut -d, -f12,13)" ,
is "and no failure where there is one later" "$rc" 0
run "$U" --machine sim:zen5,sockets=1,clock=step,abmc=1 llc -n 1 --cpus 0 --format csv
has "AMD's counters that are assigned one by one are said" "$err" "an RMID without one has no bandwidth"
is "once" "$(grep -c ABMC "$T/err")" 1
is "and bandwidth is read" "$(column mbm_total_status) $(column mbm_total_bytes)" "ok 200002112"
A=sim:zen5,sockets=1,clock=step
run "$U" --machine "$A" llc -n 1 --abmc --cpus 0 --format csv
is "they are assigned for a run" "$(column mbm_total_status) $(column mbm_total_bytes)" "ok 200002112"
has "which is said" "$err" "all bandwidth counters of 1 L3 restart now, and again at the end"
run "$U" --machine "$A" llc -n 1 --bmec local=0x2 --cpus 0 --format csv
is "what events count is set for a run, so that nothing is told to be remote" "$(column mbm_local_bytes) $(column mbm_remote_bytes)" "50000320 "
run "$U" --machine "$A,abmc=1,resctrl=on" llc -n 1 --shared --cpus 0 --format csv
is "beside the kernel they are its own" "$(column mbm_total_status) $(column mbm_total_bytes) $(column flags)" "unassigned  unassigned;simulated"
has "so that there is no value" "$err" "no bandwidth counter is assigned to its RMID (ABMC)"
is "which is a failure" "$rc" 1
run "$U" --machine "$A,abmc=1,resctrl=on" llc -n 1 --shared --abmc --cpus 0
has "and nothing is set" "$err" "resctrl is mounted at"
for bad in total local=0 remote=1 local=x total=; do
	run "$U" --machine "$A" llc --bmec "$bad"
	is "--bmec $bad is refused" "$rc" 2
done

# Another process gives a CPU of ours another RMID; suspended meanwhile.
R=sim:bdx,sockets=1,state=$T/real
counting() { [ "$("$POKE" "$R" m 3 0xc8f)" != 0x0000000000000000 ]; }
"$U" --machine "$R" llc -n 4 -i 0.3 --cpus 3 --format csv >"$T/out" 2>"$T/err" &
until_ counting
"$POKE" "$R" m 3 0xc8f 9
over $!
is "a CPU that another program gave another RMID is hijacked" "$(tail -1 "$T/out" | cut -d, -f21,22)" "9,hijacked;simulated"
has "and that is said" "$(cat "$T/err")" "another program gave it RMID 9"
is "it is that process's from then on" "$("$POKE" "$R" m 3 0xc8f)" 0x0000000000000009
"$POKE" "$R" m 3 0xc8f 0
"$U" --machine "$R" llc -n 4 -i 0.3 --cpus 3 --format csv >"$T/out" 2>"$T/err" &
until_ counting
"$POKE" "$R" suspend 30000000000
over $!
has "an interval in which the machine was suspended is stale" "$(column mbm_total_status | paste -sd ' ')" stale
is "and has no number" "$(awk -F, '$11 == "stale" && ($9 != "" || $10 != "")' "$T/out")" ""

# --dry-run: every write, and how many.
run "$U" --machine "$S" --dry-run llc --cpus 1 --cpus 20
is "--dry-run succeeds where RMIDs are in use with --shared only" "$rc" 5
run "$U" --machine "$S" --dry-run llc --shared --cpus 1 --cpus 20
is "--dry-run succeeds" "$rc" 0
is "each line is a write" "$(grep -cv '^write cpu[0-9]*.rdt (cpu[0-9]*) [A-Z_]* at 0xc8[df]: 0x' "$T/out")" 0
has "decoded" "$out" "write cpu20.rdt (cpu20) PQR_ASSOC at 0xc8f: 0x000000000000007f (rmid=0x7f)"
has "and how many writes that would be is said" "$err" "$(wc -l <"$T/out") writes of MSRs; one sample has 6 of them"
is "nothing was written" "$("$POKE" "$S" m 20 0xc8f)" 0x0000000000000000

# The same through the files of a real machine.
. tests/mounted.sh
run "$U" --machine sim:bdx,sockets=1 llc -n 1 -i 0.3 --cpus 1,2 --format csv
total=$(sed 1d "$T/out" | cut -d, -f11)
if mount_machine sim:bdx,sockets=1; then
	run "$U" --machine "root:$mnt" llc -n 1 -i 0.3 --cpus 1,2 --format csv
	is "a machine of files is monitored" "$rc" 0
	check "with the same numbers" near "$(sed 1d "$T/out" | cut -d, -f11)" "$total" 2
	run "$U" --machine "root:$mnt" llc -n 1 -i 0.3 --cpus 1 --format csv
	is "and no RMID is left behind" "$rc" 0
else
	skip "a machine of files is monitored" "no FUSE here: $(cat "$T/server")"
fi
