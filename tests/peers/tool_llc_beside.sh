# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl llc reads all RMIDs, ten times over, while pqos reads some of them on the same CPU, ten times a second: QM_EVTSEL is
# rewritten in between, on whichever of the two notions of whose it is (qm_scope=).  What llc says then is true, or it is no number.
# Of pqos nothing is expected.
. tests/peers/lib.sh
. tests/peers/pqos.sh

pqos_start "all:$(nth_cpus 1 | paste -sd,)"
pqos_tells 2
rc=0
# shellcheck disable=SC2046 # words
llc --shared --all-rmids --group "ours=$(nth_cpus 2 | paste -sd,)" $(nth_cpus 1 | sed 's/^/--read-cpu /') -n 10 --format jsonl \
	>"$T/json" 2>"$T/said" || rc=$?
truth >"$T/after"
row llc "exit status" $rc 0 =
row pqos "is still there" "$(kill -0 "$pqos_job" && echo yes)" yes =
pqos_end
# The last sample: what it says of any RMID as it is, and of its own.
jq -s -r '(map(.time_ns) | length / 10) as $n | .[-$n:][] | select(.l3) |
	[.l3, .rmid, .occupancy_status, .occupancy_raw, .mbm_total_status, .mbm_total_raw, .mbm_local_status, .mbm_local_raw] |
	map(. // "-") | @tsv' "$T/json" >"$T/llc"
awk -v scale="$scale" -v bits="$bits" '
	function check(status, raw, truth) {
		truth = int(truth / scale) % 2 ^ bits
		if (status == "ok" && raw == truth)
			right[truth > 0]++
		else if (status == "ok" || raw != "-")
			wrong++
	}
	NR == FNR { if ($1 == "llc") { owned[$2, $3] = $4; total[$2, $3] = $5; from_local[$2, $3] = $6 } next }
	{ check($3, $4, owned[$1, $2]); check($5, $6, total[$1, $2]); check($7, $8, from_local[$1, $2]) }
	END { print wrong + 0, (right[1] > 0), (right[0] > 0) }' "$T/after" "$T/llc" >"$T/verdict"
read -r wrong some others <"$T/verdict"
row llc "numbers of all RMIDs that are wrong" "$wrong" 0 =
row llc "some that are right, of those in use and others" "$some$others" 11 =
