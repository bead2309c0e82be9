# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The firmware hides a channel.
. /guest/lib.sh

modprobe intel_uncore
ls -d /sys/bus/event_source/devices/uncore_imc_* >pmus
said list uncorectl list -v
between 101 said mem uncorectl mem -i 0.5 -n 2 --format csv
between 100 perf_stat -- sleep 0.5
said xcheck uncorectl xcheck -i 0.5 -n 1 --format csv
