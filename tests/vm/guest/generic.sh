# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A part that this kernel does not know: its driver names units by the number of their type.  perf, then ours, which takes all counters.
. /guest/lib.sh

said mem_before between 100 uncorectl mem -i 0.5 -n 2 --format csv
modprobe intel_uncore
events=$(for pmu in /sys/bus/event_source/devices/uncore_type_6_*; do
	for event in 0x5,umask=0xcf 0x5,umask=0xf0 0x6,umask=0xcf 0x6,umask=0xf0; do echo "-e ${pmu##*/}/event=$event/"; done
done)
# shellcheck disable=SC2086 # a list of words
between 101 perf stat -x, --per-socket -o perf.csv $events -- sleep 1
said mem_after between 102 uncorectl mem -i 0.5 -n 2 --format csv
said xcheck uncorectl xcheck -i 0.5 -n 1 --format csv
