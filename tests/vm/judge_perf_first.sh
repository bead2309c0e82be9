# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

follow
is "ours ends well" "$(left mem.rc)" 0
undisturbed perf "$(perf_counts perf.csv)" $((2 * channels))
undisturbed ours "$(our_counts mem.csv)" $((2 * channels))
