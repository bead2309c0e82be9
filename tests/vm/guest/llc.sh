# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Emulation has no cache monitoring.  Its highest leaf is 0xd, and what lies beyond is answered with the data of that.
. /guest/lib.sh

leaf() { dd if=/dev/cpu/0/cpuid bs=16 count=1 skip="$1" iflag=skip_bytes 2>/dev/null | od -An -v -tx4; }
leaf 0 >leaf0
leaf 15 >leaf15
said llc uncorectl llc -n 1
said list uncorectl list
