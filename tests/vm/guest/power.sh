#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first program of a guest of POWER, and its only case.  What it leaves goes through the console, as a tar file in base64.
/bin/busybox --install -s /bin
PATH=/bin
export PATH
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
mount -t securityfs securityfs /sys/kernel/security
mount -t tracefs tracefs /sys/kernel/tracing
mkdir /tmp/left
cd /tmp/left || poweroff -f
ls -d /proc/device-tree/imc-counters/*@* >units
ls /sys/firmware/opal/exports >exports
for pmu in core_imc thread_imc; do grep -H . /sys/bus/event_source/devices/$pmu/events/*; done >kernel

# From here on the kernel notes who opens these paths: what do_filp_open(folder, name, flags) is told, in r4.
cd /sys/kernel/tracing || poweroff -f
# shellcheck disable=SC2016 # the kernel's
echo 'p:opens do_filp_open who=$comm path=+0(+0(%gpr4)):string' >kprobe_events
echo 'path ~ "*imc_nest*" || path ~ "*core@18/reg"' >events/kprobes/opens/filter
echo 1 >events/kprobes/opens/enable
cd /tmp/left || poweroff -f
run() { # NAME WORD...
	name=$1
	shift
	uncorectl "$@" >"$name.out" 2>"$name.err" </dev/null
	echo $? >"$name.rc"
}
run list list
run events events --format csv
run doctor doctor
run mem mem -n 1
run stat stat -n 1 -e CPM_CYC
run reg reg dump
run check check
run xcheck xcheck
run record record record.txt -- list
# Opened, and not read, which would be an oops.
exec 3</sys/firmware/opal/exports/imc_nest_chip_0
exec 3<&-
echo 0 >/sys/kernel/tracing/events/kprobes/opens/enable
cat /sys/kernel/tracing/trace >opens
dmesg >log
dmesg -n 1
echo '==== begin'
tar -c . | gzip | base64
echo '==== end'
poweroff -f
