# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: pqos 4.5.0 takes RMIDs for 10 bits, also where AMD has 12: of a CPU that carries RMID 1025 it says 1, and so that 1 is in
# use and 1025 is not.
. tests/peers/lib.sh
. tests/peers/pqos.sh

wrmsr -p 1 0xc8f 0x401
row pqos "RMID of CPU 1, which is 1025" "$(as pqos --iface=msr -s 2>/dev/null | sed -n 's/^ *Core 1, .*RMID//p')" 1 =
pqos_start llc:0
pqos_tells 1
row pqos "RMID that it takes for CPU 0, of 1 that is free" "$(($(rdmsr -p 0 -u 0xc8f)))" 2 =
pqos_end
rm /run/lock/libpqos
rc=0
llc --group zero=0 -n 1 >"$T/said" 2>&1 || rc=$?
row llc "exit status where CPU 1 has RMID 1025" $rc 5 =
row llc "words that name it" "$(grep -c 'cpu 1 carries RMID 1025 already' "$T/said")" 1 =
row both "PQR_ASSOC of CPU 1, as found" "$(rdmsr -p 1 0xc8f)" 401 =
wrmsr -p 1 0xc8f 0
