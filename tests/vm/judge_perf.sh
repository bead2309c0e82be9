# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

follow all
$how perf "$(perf_counts perf.csv)" $((2 * channels))
