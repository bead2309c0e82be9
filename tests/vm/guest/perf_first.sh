# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# perf counts, then ours does on the same boxes, and ends before perf.
. /guest/lib.sh

modprobe intel_uncore
perf_begin
said mem uncorectl mem -i 0.5 -n 2 --format csv -o mem.csv
perf_end
