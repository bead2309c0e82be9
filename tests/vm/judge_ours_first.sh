# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

follow
is "ours ends by the signal, when all is put back" "$(left mem.rc)" 143
undisturbed perf "$(perf_counts perf.csv)" $((2 * channels))
undisturbed ours "$(our_counts mem.csv)" $((2 * channels))
