# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For the guest's scripts.  They write files into the folder that they start in, and tests/vm/judge_NAME.sh looks at them outside.

# said NAME COMMAND...: what it prints in NAME.out and NAME.err, its exit status in NAME.rc.
said() {
	into=$1
	shift
	rc=0
	"$@" >"$into.out" 2>"$into.err" </dev/null || rc=$?
	echo $rc >"$into.rc"
}

# mark N: a read of one byte of a UBOX at 0x80 + N, as nobody else does, so that the log of accesses can be cut there.  The first
# hundred are the cases, in their order; a case may have more, from 100 to 127.
mark() { dd if="$ubox/config" of=/dev/null bs=1 skip=$((0x80 + $1)) count=1 2>/dev/null; }
between() { # N COMMAND...
	mark "$1"
	n=$1
	shift
	"$@"
	mark "$n"
}
ubox=$(grep -lx -e 0x3ce0 -e 0x2f1e /sys/bus/pci/devices/*/device | head -n 1)
ubox=${ubox%/device}

# until_it COMMAND...: until it succeeds, for twenty seconds.
until_it() {
	tries=400
	while [ $tries -gt 0 ]; do
		if "$@"; then return; fi
		tries=$((tries - 1))
		usleep 50000
	done
	echo "never: $*" >&2
	return 1
}

# The memory channels' functions, and of each the four controls and BOX_CTL, in a line.
channels() { lspci -n | awk '$3 ~ /8086:(3cb[0145]|2f[bd][0145])/ { print $1 }'; }
controls() {
	for function in $(channels); do
		echo "$function" "$(setpci -s "$function" d8.l dc.l e0.l e4.l f4.l | tr '\n' ' ')"
	done
}
enabled() { [ $((0x$(setpci -s "$1" "$2.l") & 0x400000)) != 0 ]; } # FUNCTION OFFSET

# CAS commands of each of perf's channels, read and written, by encoding so that it prints counts and not MiB.
cas_events() {
	for pmu in /sys/bus/event_source/devices/uncore_imc_*; do
		echo "-e ${pmu##*/}/event=0x4,umask=0x3/ -e ${pmu##*/}/event=0x4,umask=0xc/"
	done
}
# perf_stat ARGUMENT...: its rows go into perf.csv.
perf_stat() {
	# shellcheck disable=SC2046 # a list of words
	perf stat -x, --per-socket -o perf.csv $(cas_events) "$@"
}
# Running in the background from perf_begin to perf_end; all its counters are enabled when perf_begin returns.
perf_begin() {
	# shellcheck disable=SC2046 # a list of words
	perf stat -x, --per-socket -o perf.csv $(cas_events) &
	perf=$!
	until_it enabled "$(channels | tail -n 1)" dc
}
perf_end() {
	kill -INT "$perf"
	wait "$perf" || [ $? = 130 ]
}

# Likewise our mem, at least one sample of which is in mem.csv when mem_begin returns.
lines() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }
mem_begin() {
	uncorectl mem -i 0.5 --format csv -o mem.csv 2>mem.err &
	mem=$!
	until_it lines mem.csv 2
}
mem_end() {
	kill -TERM "$mem"
	mem_rc=0
	wait "$mem" || mem_rc=$?
	echo $mem_rc >mem.rc
}
