# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: pqos -r takes the RMIDs away from CPUs that it does not measure.  llc refuses to be beside them, or leaves them alone; and
# gives back what a CPU of its own had.
. tests/peers/lib.sh
. tests/peers/pqos.sh

wrmsr -p 2 0xc8f 0x300000007
# shellcheck disable=SC2046 # words
as pqos $(pqos_asks) -r -m llc:0 -t 1 -o "$T/csv" >"$T/out" 2>&1
row pqos "CPU 2, was CLOS 3 RMID 7, after -r for CPU 0" "$(rdmsr -p 2 0xc8f)" 300000000 =
rm /run/lock/libpqos

wrmsr -p 2 0xc8f 0x300000007
wrmsr -p 3 0xc8f 0x200000009
rc=0
llc --group zero=0 -n 1 >"$T/said" 2>&1 || rc=$?
row llc "exit status where CPUs have RMIDs" $rc 5 =
row llc "words that name one of them" "$(grep -c 'cpu 2 carries RMID 7 already' "$T/said")" 1 =
rc=0
llc --shared --group zero=0,3 -n 2 >"$T/said" 2>&1 || rc=$?
row llc "exit status with --shared" $rc 0 =
row llc "CPU 2, was CLOS 3 RMID 7, after --shared for others" "$(rdmsr -p 2 0xc8f)" 300000007 =
row llc "CPU 3, was CLOS 2 RMID 9, after --shared for it" "$(rdmsr -p 3 0xc8f)" 200000009 =
wrmsr -p 2 0xc8f 0
wrmsr -p 3 0xc8f 0
