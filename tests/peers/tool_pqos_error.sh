# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: where QM_CTR has its Error bit set (qm=error), pqos takes the number it wrote to QM_EVTSEL for the occupancy, and ends with
# success.  llc has a word for it, and does not.
. tests/peers/lib.sh
. tests/peers/pqos.sh

rc=0
# shellcheck disable=SC2046 # words
as pqos $(pqos_asks) -m llc:0 -t 1 -o "$T/csv" >"$T/out" 2>&1 || rc=$?
# Event 1 of RMID 1, the lowest that is free, less one turn of a counter of 24 bits, in units of the counter.
row pqos "CPU 0 LLC KB, in error" "$(tail -1 "$T/csv" | cut -d, -f3)" "$(awk -v scale="$scale" 'BEGIN { printf "%.1f", (2 ^ 32 + 1 - 2 ^ 24) * scale / 1024 }')" =
row pqos "exit status" $rc 0 =
rm /run/lock/libpqos # it says that there was one

rc=0
llc --group zero=0 -n 2 --format jsonl >"$T/json" 2>"$T/said" || rc=$?
row llc "group on CPU 0, bytes, in error" "$(of_llc zero 0 occupancy_bytes)" - =
row llc "group on CPU 0, status of it" "$(of_llc zero 0 occupancy_status)" error =
row llc "exit status" $rc 1 =
row llc "RMID of CPU 0 when it ended" "$(rdmsr -p 0 -u 0xc8f)" 0 =
