# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For tests/peers/tool_*.sh.  They run where the machine's files lie over the computer's own (tests/peers/inside), with
#     mnt     where the machine is mounted        name, model    what it is called, and its model
#     asif    the program                         T              a folder to write in
# and write rows with `row`.
set -eu

# row TOOL WHAT PEER TRUTH ALLOWED: see tests/peers/rows.awk.
row() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$name" "$2" "$3" "$4" "$5" >>"$T/rows"; }

status() { # COMMAND...: its exit status
	rc=0
	"$@" >/dev/null 2>&1 || rc=$?
	echo $rc
}

# as COMMAND...: on the machine, with what it asks the processor answered by it, and its registers in memory where it maps /dev/mem.
maps=
if [ -e "$mnt/dev/mem" ]; then maps="env LD_PRELOAD=$PWD/$B/tests/peers/mapmem.so MAPMEM=$mnt/dev/mem"; fi
# shellcheck disable=SC2086 # a list of words
as() { timeout -k 1 30 "$asif" "$mnt" $maps "$@"; }
# Time stamps in real time, though the machine's stands still.
# shellcheck disable=SC2086 # a list of words
as_in_time() { timeout -k 1 30 "$asif" -r "$mnt" $maps "$@"; }

# What really happened until now, in words: "ns TIME", "channel SOCKET ADDR READ WRITTEN [hidden]" in bytes,
# "llc L3 RMID OCCUPANCY TOTAL LOCAL" in bytes.
truth() {
	jq -r '
		"ns \(.raw_ns)",
		(.channels | sort_by(.socket, .imc, .channel)[] | "channel \(.socket) \(.pci) \(.read_bytes) \(.write_bytes) \(if .hidden then "hidden" else "" end)"),
		(.llc[] | "llc \(.l3) \(.rmid) \(.occupancy_bytes) \(.total_bytes) \(.local_bytes)")
	' "$mnt/truth.json"
}

# events ADDRESS: CAS_COUNT.RD of a channel that really happened between $T/before and $T/after.
events() { awk -v address="$1" '$3 == address { if (NR == FNR) a = $4; else printf "%.0f\n", ($4 - a) / 64 }' "$T/before" "$T/after"; }

# likwid HOW ARGUMENT...: what belongs to every call.  Of one socket hwloc, which it asks for the test device's socket, hangs all
# devices above that, where it does not look before it crashes; without hwloc's list of devices it reads /proc/bus/pci.
likwid() {
	how=$1
	shift
	if [ "$(truth | awk '$1 == "channel" { print $2 }' | sort -u | wc -l)" = 1 ]; then
		HWLOC_COMPONENTS=-linuxpci $how likwid-perfctr -M 0 -O -g MEM "$@"
	else
		$how likwid-perfctr -M 0 -O -g MEM "$@"
	fi
}

# until_it COMMAND...: until it succeeds, for twenty seconds; a busy computer may take its time.
until_it() {
	tries=400
	while [ $tries -gt 0 ]; do
		"$@" && return
		tries=$((tries - 1))
		sleep 0.05
	done
	return 1
}
# What a test started and did not wait for does not outlive it.
trap 'kill $(jobs -p) 2>/dev/null || :' EXIT

# Is time still (clock=step)?  Then SECONDS pass with `step`, or one with the program $T/second.  likwid stops the program that it
# starts until it counts, unless that is quicker, and sleeps for 30 s where it ends before it is asleep: $T/slow_second.
stands_still() { [ -e "$mnt/clock" ]; }
if stands_still; then
	printf '#!/bin/sh\necho 1000000000 >%s/clock\n' "$mnt" >"$T/second"
	printf '#!/bin/sh\nsleep 0.2\n%s/second\nsleep 0.15\n' "$T" >"$T/slow_second"
	chmod +x "$T/second" "$T/slow_second"
fi
step() { awk -v s="$1" 'BEGIN { printf "%.0f", s * 1e9 }' >"$mnt/clock"; }

# The channels of a socket in the order in which a tool numbers them, by device and function.  (perf's is another again.)
pcm_order() {
	case $model in
	snbep) echo 10.4 10.5 10.0 10.1 ;;
	ivt) echo 10.4 10.5 10.0 10.1 1e.4 1e.5 1e.0 1e.1 ;;
	hsx | bdx | bdxde) echo 14.0 14.1 15.0 15.1 17.0 17.1 18.0 18.1 ;;
	skx | clx | cpx) echo 0a.2 0a.6 0b.2 0c.2 0c.6 0d.2 ;;
	esac
}
likwid_order() {
	case $model in
	snbep) echo 10.0 10.1 10.4 10.5 ;;
	*) pcm_order ;;
	esac
}
