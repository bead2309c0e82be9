# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: pqos -r takes the RMIDs away from CPUs that it does not measure.
. tests/peers/lib.sh

wrmsr -p 2 0xc8f 0x300000007
as pqos --iface=msr --disable-mon-ipc --disable-mon-llc_miss -r -m llc:0 -i 1 -t 1 -u csv -o "$T/csv" >"$T/out" 2>&1
row pqos "CPU 2, was CLOS 3 RMID 7, after -r for CPU 0" "$(rdmsr -p 2 0xc8f)" 300000000 =
wrmsr -p 2 0xc8f 0
