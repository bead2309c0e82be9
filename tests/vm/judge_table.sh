# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# perf, ours and the truth side by side, in $table.  perf's rate is its count and its time, as it prints both; ours is a column.
. tests/vm/lib.sh

follow
undisturbed perf "$(perf_counts perf.csv)" $((2 * channels))
undisturbed ours "$(our_counts mem.csv)" $((2 * channels))
is "ours tells the true rates" "$(true_rates mem.csv)" ""
