# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl llc while pqos is at work, on a machine whose time stands still but for llc's own sleep: without --shared it refuses and
# writes nothing; with it it takes RMIDs of its own, and reads pqos's as well, of which both must say the same.
. tests/peers/lib.sh
. tests/peers/pqos.sh

theirs=$(nth_cpus 1; nth_cpus 0)
ours=$(nth_cpus 2)
readers=$(nth_cpus 3 | sed 's/^/--read-cpu /')
ours_list=$(echo "$ours" | paste -sd,)
# rdmsr -a would end at a CPU that is offline.
all_carried() { cut -d ' ' -f 2 "$T/l3_cpus" | while read -r cpu; do rdmsr -p "$cpu" 0xc8f; done | md5sum | cut -c1-12; }
# Another program has given them a class of service, where there are any.
for cpu in $theirs $ours; do wrmsr -p "$cpu" 0xc8f 0x100000000 2>/dev/null || :; done
found=$(all_carried)

pqos_start "all:$(echo "$theirs" | paste -sd,)"
n_theirs=$(echo "$theirs" | wc -l)
pqos_tells "$n_theirs"
# shellcheck disable=SC2086 # words
carried $theirs >"$T/rmids"

busy=$(all_carried)
rc=0
# shellcheck disable=SC2086
llc $readers -n 1 --cpus "$ours_list" >"$T/said" 2>&1 || rc=$?
row llc "exit status where pqos is at work" $rc 5 =
row llc "words that name it" "$(grep -c 'libpqos (pqos, rdtset)' "$T/said")" 1 =
row llc "registers written then" "$(grep -c ' w' "$T/trace")" 0 =
row llc "PQR_ASSOC of all CPUs (md5)" "$(all_carried)" "$busy" =

# Halted, so that it sees all that passes meanwhile at one look.
pqos_halt
truth >"$T/before"
rc=0
# shellcheck disable=SC2086
llc --shared --all-rmids $readers -n 1 --group "ours=$ours_list" --format jsonl >"$T/json" 2>"$T/said" || rc=$?
# With AMD counters begin at 0 when an RMID is first carried.
slack=
case $model in zen*) slack=$scale ;; esac
row llc "exit status with --shared" $rc 0 =
truth >"$T/after"
pqos_go_on
pqos_tells $((2 * n_theirs))
pqos_end
row pqos "exit status" $pqos_rc 0 =
jq -r 'select(.group) | [.group, .l3, .rmid, .occupancy_bytes, .mbm_total_bytes, .mbm_local_bytes, .mbm_total_raw, .mbm_local_raw] | map(. // "-") | @tsv' \
	"$T/json" >"$T/llc"
for cpu in $ours; do echo "$cpu $(l3_of "$cpu")"; done >"$T/ours"
awk -v name="$name" -v scale="$scale" -v events="$events" -v interval="$interval" -v bits="$bits" -v slack="$slack" -f tests/peers/llc.awk \
	"$T/before" "$T/after" "$T/rmids" "$T/ours" "$T/llc" "$T/csv" >>"$T/rows"
row both "PQR_ASSOC of all CPUs, as found (md5)" "$(all_carried)" "$found" =
for cpu in $theirs $ours; do wrmsr -p "$cpu" 0xc8f 0; done
