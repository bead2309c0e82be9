# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# perf has finished, and left its controls as they were but for the enable: they are not in use.
. /guest/lib.sh

modprobe intel_uncore
perf_stat -- sleep 0.2
controls >before
said list uncorectl list
said mem uncorectl mem -i 0.5 -n 2 --format csv
controls >after
