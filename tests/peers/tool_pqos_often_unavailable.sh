# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: pqos has ended before QM_CTR has a number, where that is Unavailable nine times for each RMID and event
# (qm=unavailable:9).  llc has it then.
. tests/peers/lib.sh
. tests/peers/pqos.sh

# shellcheck disable=SC2046 # words
as pqos $(pqos_asks) -m llc:0 -t 1 -o "$T/csv" >"$T/out" 2>&1 || :
row pqos "records" "$(pqos_lines)" 0 =
rm /run/lock/libpqos

rc=0
llc --group zero=0 -n 15 --format jsonl >"$T/json" 2>"$T/said" || rc=$?
truth >"$T/after"
rmid=$(of_llc zero 0 rmid)
row llc "CPU 0 RMID $rmid bytes owned" "$(of_llc zero 0 occupancy_bytes)" \
	"$(awk -v rmid="$rmid" -v scale="$scale" '$1 == "llc" && $2 == 0 && $3 == rmid { printf "%.0f", int($4 / scale) * scale }' "$T/after")" =
row llc "exit status" $rc 0 =
