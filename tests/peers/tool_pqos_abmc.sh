# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: where AMD's bandwidth counters are assigned one by one (abmc=1), pqos reads RMIDs, for which nothing is counted, and says
# that nothing was moved.  llc assigns a counter to the group, and gives the bandwidth: CPU 0 of an idle machine moves 200 MB/s, 150
# of them to local memory (uncorectl-sim(5)).
. tests/peers/lib.sh
. tests/peers/pqos.sh

pqos_start all:0
pqos_tells 1
rmid=$(($(rdmsr -p 0 -u 0xc8f)))
pqos_tells 1
step 1
truth >"$T/after"
pqos_tells 2
pqos_end
rm /run/lock/libpqos
row pqos "CPU 0 MB/s, most of local and remote" "$(awk -F, 'NR > 1 && $4 + $5 >= most { most = $4 + $5 } END { print most }' "$T/csv")" 0 =
row pqos "CPU 0 moved something" "$(awk -v rmid="$rmid" '$1 == "llc" && $2 == 0 && $3 == rmid { print ($5 > 0) }' "$T/after")" 1 =
row pqos "CPU 0 LLC KB" "$(tail -1 "$T/csv" | cut -d, -f3)" \
	"$(awk -v rmid="$rmid" -v scale="$scale" '$1 == "llc" && $2 == 0 && $3 == rmid { printf "%.1f", int($4 / scale) * scale / 1024 }' "$T/after")" =

rc=0
llc --group zero=0 -n 2 --format jsonl >"$T/json" 2>"$T/said" || rc=$?
row llc "exit status" $rc 0 =
row llc "group on CPU 0, mbm_total_bytes" "$(of_llc zero 0 mbm_total_bytes)" 200000000 =
row llc "group on CPU 0, mbm_total_bytes_per_s" "$(of_llc zero 0 mbm_total_bytes_per_s)" 200000000 =
row llc "group on CPU 0, mbm_local_bytes" "$(of_llc zero 0 mbm_local_bytes)" 150000000 =
row llc "group on CPU 0, mbm_remote_bytes" "$(of_llc zero 0 mbm_remote_bytes)" 50000000 =
row llc "group on CPU 0, occupancy_status" "$(of_llc zero 0 occupancy_status)" ok =
