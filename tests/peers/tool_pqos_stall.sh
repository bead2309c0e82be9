# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: pqos, halted for 3 s, says what was moved in all that time as if it were its nominal interval.  llc, which has 3 s pass
# somewhere between two samples, says what was moved in a second.
. tests/peers/lib.sh
. tests/peers/pqos.sh

moved() { # RMID: bytes moved between $T/before and $T/after, of L3 0, and the nanoseconds in between
	awk -v rmid="$1" '$1 == "ns" { ns[FILENAME] = $2 } $1 == "llc" && $2 == 0 && $3 == rmid { bytes[FILENAME] = $5 }
		END { printf "%.0f %.0f\n", bytes[ARGV[2]] - bytes[ARGV[1]], ns[ARGV[2]] - ns[ARGV[1]] }' "$T/before" "$T/after"
}
pqos_start "all:0"
pqos_tells 1
rmid=$(($(rdmsr -p 0 -u -f 9:0 0xc8f)))
pqos_halt
truth >"$T/before"
step 3
truth >"$T/after"
pqos_go_on
pqos_tells 2
pqos_end
rm /run/lock/libpqos
most=$(awk -F, 'NR > 1 && $4 + $5 > most { most = $4 + $5 } END { print most }' "$T/csv")
# shellcheck disable=SC2046 # two words
set -- $(moved "$rmid")
row pqos "CPU 0 MB/s after a stall of 3 s, 30 times too high" "$most" "$(awk -v b="$1" -v ns="$2" 'BEGIN { print 30 * b / (ns / 1e9) / 1048576 }')" \
	"$(awk -v scale="$scale" -v interval=$interval 'BEGIN { print 2 * (scale / 1048576 / interval + 0.051) }')"

# A step of 3.5 s is below the half of what a counter needs to wrap at full speed, 15 s on Broadwell: beyond that there is no number.
truth >"$T/before"
rc=0
# shellcheck disable=SC2016 # for the COMMAND
llc --group zero=0 -i 0.5 --format jsonl -o "$T/json" -- sh -c 'echo 3000000000 >"$0"' "$mnt/clock" 2>"$T/said" || rc=$?
truth >"$T/after"
row llc "exit status" $rc 0 =
# shellcheck disable=SC2046 # two words
set -- $(moved "$(of_llc zero 0 rmid)")
row llc "CPU 0 bytes moved, all told" "$(jq -s 'map(.mbm_total_bytes // 0) | add' "$T/json")" "$1" "$scale"
row llc "seconds in the longest sample, 3 at least" "$(jq -s 'map(.interval_ns) | max >= 3000000000' "$T/json")" true =
rate=$(awk -v b="$1" -v ns="$2" 'BEGIN { printf "%.0f", b / (ns / 1e9) }')
for of in min max; do
	row llc "CPU 0 bytes per second, $of of all samples" "$(jq -s "map(select(.interval_ns > 0).mbm_total_bytes_per_s) | $of" "$T/json")" "$rate" $((2 * scale))
done
