# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: with counters of 32 bits pqos 4.5.0 compares local with total traffic to see whether total has wrapped (lib/hw_monitoring.c,
# hw_mon_read_counter()).  Once it has and local has not, it polls again and again and tells nothing.  llc takes differences.
. tests/peers/lib.sh
. tests/peers/pqos.sh

moved() { # of L3 0 and $rmid, between two files of truth: bytes in all, and of the same node, in whole units
	awk -v rmid="$rmid" -v scale="$scale" 'FNR == 1 { n++ }
		$1 == "llc" && $2 == 0 && $3 == rmid { total[n] = int($5 / scale); from_local[n] = int($6 / scale) }
		END { printf "%.0f %.0f\n", (total[2] - total[1]) * scale, (from_local[2] - from_local[1]) * scale }' "$1" "$2"
}
raw() { # FIELD of truth, as the counter has it
	awk -v rmid="$rmid" -v scale="$scale" -v bits="$bits" -v field="$1" '$1 == "llc" && $2 == 0 && $3 == rmid {
		printf "%.0f\n", int($field / scale) % 2 ^ bits }' "$T/after"
}
pqos_start all:0
pqos_tells 1
pqos_halt
rmid=$(($(rdmsr -p 0 -u 0xc8f)))
truth >"$T/before"
step 100
truth >"$T/after"
# shellcheck disable=SC2046 # two words
set -- $(moved "$T/before" "$T/after")
step "$(awk -v scale="$scale" -v bits="$bits" -v moved="$1" 'BEGIN { printf "%.0f", 1.1 * scale * 2 ^ bits / (moved / 100) }')"
truth >"$T/after"
row pqos "CPU 0 RMID $rmid: total has wrapped, and is below local" "$([ "$(raw 5)" -lt "$(raw 6)" ] && echo yes)" yes =
seen=$(pqos_lines)
pqos_go_on
overflows() { [ "$(grep -c 'Counter overflow' "$T/out")" -gt 10 ]; }
until_it overflows
kill -STOP "$(cat "$T/pid")"
row pqos "records since then, of more than ten polls" $(($(pqos_lines) - seen)) 0 =

cp "$T/after" "$T/before"
rc=0
llc --shared --all-rmids -n 1 --format jsonl >"$T/json" 2>"$T/said" || rc=$?
truth >"$T/after"
pqos_go_on
pqos_end
row llc "exit status" $rc 0 =
# shellcheck disable=SC2046 # two words
set -- $(moved "$T/before" "$T/after")
row llc "CPU 0 RMID $rmid bytes moved" "$(of_llc "rmid$rmid" 0 mbm_total_bytes)" "$1" =
row llc "CPU 0 RMID $rmid bytes, same node" "$(of_llc "rmid$rmid" 0 mbm_local_bytes)" "$2" =
row llc "CPU 0 RMID $rmid bytes, another node" "$(of_llc "rmid$rmid" 0 mbm_remote_bytes)" $(($1 - $2)) =
row llc "its counters, the total one" "$(of_llc "rmid$rmid" 0 mbm_total_raw)" "$(raw 5)" =
row llc "and the local one" "$(of_llc "rmid$rmid" 0 mbm_local_raw)" "$(raw 6)" =
