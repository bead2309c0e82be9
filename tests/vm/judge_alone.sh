# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "list, mem and stat work" "$(left list.rc) $(left mem.rc) $(left stat.rc)" "0 0 0"
follow 100
undisturbed ours "$(our_counts mem.out)" $((2 * channels))
is "mem tells the true rates" "$(true_rates mem.out)" ""
is "mem has nothing to remark" "$(awk -F, 'NR > 1 && $13 != "" && $13 != "late"' "$R/mem.out")" ""
follow 101
counted ours "$(our_events stat.out)" $((2 * channels))
same "all controls are as before" before after
legal
