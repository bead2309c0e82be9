# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: where another process writes another RMID into QM_EVTSEL before QM_CTR is read (disturb=), pqos takes what that owns for what
# it asked for.  llc sees it, and gives no number.
. tests/peers/lib.sh
. tests/peers/pqos.sh

# Some cache for all that is not measured: RMID 0, which is read in the place of RMID 1.
step 1
truth >"$T/after"
others=$(awk -v scale="$scale" '$1 == "llc" && $2 == 0 && $3 == 0 { printf "%.1f", int($4 / scale) * scale / 1024 }' "$T/after")
# shellcheck disable=SC2046 # words
as pqos $(pqos_asks) -m llc:0 -t 1 -o "$T/csv" >"$T/out" 2>&1
row pqos "CPU 0 LLC KB, what RMID 0 owns" "$(tail -1 "$T/csv" | cut -d, -f3)" "$others" =
rm /run/lock/libpqos

rc=0
llc --group zero=0 -n 2 --format jsonl >"$T/json" 2>"$T/said" || rc=$?
row llc "group on CPU 0, bytes" "$(of_llc zero 0 occupancy_bytes)" - =
row llc "group on CPU 0, status of it" "$(of_llc zero 0 occupancy_status)" disturbed =
row llc "exit status" $rc 1 =
