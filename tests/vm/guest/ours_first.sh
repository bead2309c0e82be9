# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Ours counts, then perf does on the same boxes, and ends before ours.
. /guest/lib.sh

modprobe intel_uncore
mem_begin
perf_stat -- sleep 1.2
mem_end
