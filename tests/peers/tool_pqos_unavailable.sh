# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: where QM_CTR says Unavailable four times (qm=unavailable), pqos ends with success.  llc goes on.
. tests/peers/lib.sh
. tests/peers/pqos.sh

rc=0
# shellcheck disable=SC2046 # words
as pqos $(pqos_asks) -m llc:0 -t 1 -o "$T/csv" >"$T/out" 2>&1 || rc=$?
row pqos "records, not available" "$(pqos_lines)" 0 =
row pqos "exit status" $rc 0 =
rm /run/lock/libpqos

rc=0
llc --group zero=0 -n 5 --format jsonl >"$T/json" 2>"$T/said" || rc=$?
row llc "records, not available" "$(grep -c unavailable "$T/json")" 5 =
row llc "bytes in the last" "$(of_llc zero 0 occupancy_bytes)" - =
row llc "exit status" $rc 1 =
