# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A discovery table that is not as the registers say.
. /guest/lib.sh

modprobe intel_uncore
ls /sys/bus/event_source/devices >pmus
perf_stat -- sleep 0.5
said list uncorectl list -v
said mem uncorectl mem -n 1 --format csv
