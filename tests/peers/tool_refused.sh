# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# msr-tools where MSRs cannot be written (msr_writes=off) and CPU 3 is offline: they tell one errno from another by their status.
. tests/peers/lib.sh

row wrmsr "status where it may not write (EPERM)" "$(status wrmsr -p 1 0xc8f 1)" 127 =
row wrmsr "PQR_ASSOC of CPU 1 after that" "$(rdmsr -p 1 0xc8f)" 0 =
row rdmsr "status for a CPU that is offline (ENXIO)" "$(status rdmsr -p 3 0x10)" 2 =
row rdmsr "status for a register that is not there (EIO)" "$(status rdmsr -p 0 0x123)" 4 =
