# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

has "the kernel refuses setpci" "$(left setpci.err)" "Operation not permitted"
is "mem is not permitted" "$(left mem.rc)" 4
has "and lockdown is named as the cause" "$(left mem.err)" "the kernel is locked down (/sys/kernel/security/lockdown)"
is "mem prints nothing" "$(left mem.out)" ""
is "list, which only reads, works" "$(left list.rc)" 0
is "doctor says that it is not permitted" "$(left doctor.rc)" 4
has "doctor names lockdown" "$(left doctor.out | tr -s ' \n' ' ')" "fail lockdown the kernel is locked down: it refuses every write to registers seen /sys/kernel/security/lockdown: none [integrity] confidentiality"
same "no control was changed" before after
is "--observe shows what perf counts meanwhile" "$(left observe.rc) $(awk -F, 'NR > 1 && $11 != "" && $12 != ""' "$R/observe.out" | wc -l)" "0 $((2 * channels))"
follow all
is "to its true rates" "$(true_rates observe.out)" ""
undisturbed perf "$(perf_counts perf.csv)" $((2 * channels))
