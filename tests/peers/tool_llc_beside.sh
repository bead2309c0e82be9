# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl llc reads all RMIDs, ten times over, while pqos reads some of them on the same CPU, as often a second: QM_EVTSEL is
# rewritten in between, on whichever of the two notions of whose it is (qm_scope=).  What llc says then is true, or it is no number.
# Of pqos nothing is expected; and nothing of its own RMIDs: who reads the same may select the same again before llc looks whether
# that is still selected.
. tests/peers/lib.sh
. tests/peers/pqos.sh

pqos_start "all:$(nth_cpus 1 | paste -sd,)"
pqos_tells 2
# shellcheck disable=SC2046 # words
carried $(nth_cpus 1) | awk '{ print $2, $3 }' >"$T/theirs"
truth >"$T/before"
rc=0
# shellcheck disable=SC2046 # words
llc --shared --all-rmids --group "ours=$(nth_cpus 2 | paste -sd,)" $(nth_cpus 1 | sed 's/^/--read-cpu /') -n 10 --format jsonl \
	>"$T/json" 2>"$T/said" || rc=$?
truth >"$T/after"
row llc "exit status" $rc 0 =
row pqos "is still there" "$(kill -0 "$pqos_job" && echo yes)" yes =
pqos_end
# RMIDs as they are and llc's own, "L3 RMID TIME" and raw values: time stands still while they are read, and every CPU moves so many
# bytes a second, from T/before on.  Of what is owned only the last sample is known.
jq -r 'select(.l3 != null) | [.l3, .rmid, .time_ns, .occupancy_status, .occupancy_raw, .mbm_total_status, .mbm_total_raw,
	.mbm_local_status, .mbm_local_raw] | map(. // "-") | @tsv' "$T/json" |
	awk 'NR == FNR { theirs[$1, $2] = 1; next } !(($1, $2) in theirs)' "$T/theirs" - >"$T/llc"
awk -v scale="$scale" -v bits="$bits" '
	function check(status, raw, truth, slack,  off) {
		off = raw - int(truth / scale) % 2 ^ bits
		if (status == "ok" && off <= slack && -off <= slack)
			right[truth > 0]++
		else if (status == "ok" || raw != "-")
			wrong++
	}
	function then(counts, key, ago) {
		return counts[2, key] - (counts[2, key] - counts[1, key]) * ago / (ns[2] - ns[1])
	}
	FNR == 1 { file++ }
	file < 3 && $1 == "ns" { ns[file] = $2 }
	file < 3 && $1 == "llc" { key = $2 " " $3; owned[file, key] = $4; total[file, key] = $5; from_local[file, key] = $6 }
	file == 3 { last = $3 }
	file == 4 {
		key = $1 " " $2
		if ($3 == last)
			check($4, $5, owned[2, key], 0)
		check($6, $7, then(total, key, last - $3), 1)
		check($8, $9, then(from_local, key, last - $3), 1)
	}
	END { print wrong + 0, (right[1] > 0), (right[0] > 0) }' "$T/before" "$T/after" "$T/llc" "$T/llc" >"$T/verdict"
read -r wrong some others <"$T/verdict"
# A number that is wrong now and then is wrong, also when it is not at the next look (tests/peers/machine).
wrong=$((wrong + $(cat "$T/wrong" 2>/dev/null || echo 0)))
echo $wrong >"$T/wrong"
row llc "numbers of other RMIDs that are wrong, ever" "$wrong" 0 =
row llc "some that are right, of those in use and others" "$some$others" 11 =
