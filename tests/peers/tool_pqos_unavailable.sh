# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: where QM_CTR says Unavailable four times (qm=unavailable), pqos ends with success.
. tests/peers/lib.sh

rc=0
as pqos --iface=msr --disable-mon-ipc --disable-mon-llc_miss -m llc:0 -i 1 -t 1 -u csv -o "$T/csv" >"$T/out" 2>&1 || rc=$?
row pqos "records, not available" "$(grep -c '^20' "$T/csv")" 0 =
row pqos "exit status" $rc 0 =
