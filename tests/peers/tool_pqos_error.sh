# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: where QM_CTR has its Error bit set (qm=error), pqos takes the number it wrote to QM_EVTSEL for the occupancy.
. tests/peers/lib.sh

# shellcheck disable=SC2046 # four words
set -- $("$asif" "$mnt" "$B/tests/peers/whoami" cpuid 0xf 1)
scale=$((0x$2))
rc=0
as pqos --iface=msr --disable-mon-ipc --disable-mon-llc_miss -m llc:0 -i 1 -t 1 -u csv -o "$T/csv" >"$T/out" 2>&1 || rc=$?
# Event 1 of RMID 1, the lowest that is free, less one turn of a counter of 24 bits, in units of the counter.
row pqos "CPU 0 LLC KB, in error" "$(tail -1 "$T/csv" | cut -d, -f3)" "$(awk -v scale=$scale 'BEGIN { printf "%.1f", (2 ^ 32 + 1 - 2 ^ 24) * scale / 1024 }')" =
row pqos "exit status" $rc 0 =
