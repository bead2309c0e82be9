# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "mem and reg dump work" "$(left mem.rc) $(left dump.rc) $(left ecam_dump.rc)" "0 0 0"
follow 100
counted ours "$(our_counts mem.out)" $((2 * channels))
is "mem tells the true rates" "$(true_rates mem.out)" ""
same "registers are those that sysfs has" dump.out ecam_dump.out
has "doctor says that it would work" "$(left doctor.out)" "machine live,ecam"
same "all controls are as before" before after
legal
