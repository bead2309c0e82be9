# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "mem is not permitted" "$(left mem.rc)" 4
has "and lockdown is named as the cause" "$(left mem.err)" "lockdown"
is "in one sentence" "$(grep -vc ': note: ' "$R/mem.err")" 1
is "mem prints nothing" "$(left mem.out)" ""
is "list says so of each channel" "$(left list.rc) $(grep -c ' not permitted .*the kernel is locked down' "$R/list.out")" "4 $channels"
is "doctor says that it is not permitted" "$(left doctor.rc)" 4
follow all
$how perf "$(perf_counts perf.csv)" $((2 * channels))
