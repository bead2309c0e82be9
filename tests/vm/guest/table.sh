# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# perf, and in the time that it counts ours: the table of README.
. /guest/lib.sh

modprobe intel_uncore
perf_stat -- uncorectl mem -i 1 -n 1 --format csv -o mem.csv 2>mem.err
