# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "configuration space in memory is not permitted" "$(left mem.rc) $(left mem.out)" "4 "
has "and the kernel's option is named" "$(left mem.err)" "CONFIG_IO_STRICT_DEVMEM"
lacks "doctor does not say that it would work" "$(left doctor.out)" "machine live,ecam"
