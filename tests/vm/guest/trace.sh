# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What is written and read for one event in one channel: the driver when it is loaded, perf, ours.
. /guest/lib.sh

between 100 modprobe intel_uncore
pmu=/sys/bus/event_source/devices/uncore_imc_0
said perf between 101 perf stat -I 700 -C "$(cut -d, -f1 $pmu/cpumask)" -e uncore_imc_0/event=0x4,umask=0x3/ -- sleep 1.2
said stat between 102 uncorectl stat --box socket0.imc0.ch0 -e cas_count.rd -i 0.5 -n 2
