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

# mark N: a read of one byte of a UBOX at 0x80 + N, as no other process does, so that the log of accesses can be cut there.  The first
# hundred are the cases, in their order; a case may have more, from 100 to 127.
mark() { dd if="$ubox/config" of=/dev/null bs=1 skip=$((0x80 + $1)) count=1 2>/dev/null; }
between() { # N COMMAND...
	mark "$1"
	n=$1
	shift
	"$@"
	mark "$n"
}
ubox=$(grep -lx -e 0x3ce0 -e 0x2f1e -e 0x3450 -e 0x3250 /sys/bus/pci/devices/*/device | head -n 1)
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

# The memory channels: functions of PCI, or where their registers are in memory, by the arithmetic that the kernel's driver has.
windows() { # FUNCTION STEP
	base=$(((0x$(setpci -s "$1" d0.l) & 0x1fffffff) << 23))
	for bar in d8 dc e0 e4; do
		at=$((base + ((0x$(setpci -s "$1" $bar.l) & 0x7ff) << 12) + 0x22800))
		printf '0x%x\n0x%x\n' $at $((at + $2))
	done
}
channels() {
	lspci -Dn | awk '$3 ~ /8086:(3cb[0145]|2f[bd][0145])/ { print $1 }'
	for function in $(lspci -Dn | awk '$3 == "8086:3451" { print $1 }'); do windows "$function" 0x4000; done
	for function in $(lspci -Dn | awk '$3 == "8086:3251" { print $1 }'); do windows "$function" 0x8000; done
}

# peek CHANNEL REGISTER, poke CHANNEL REGISTER VALUE: ctl0 to ctl3, box (BOX_CTL), and ctr0, of 64 bits, of which in PCI the high half is
# meant; in hex.
place() {
	case $1 in *:*) pci=true ;; *) pci=false ;; esac
	case $2 in
	ctl?) off=$($pci && echo 0xd8 || echo 0x40) bits=32 ;;
	box) off=$($pci && echo 0xf4 || echo 0) bits=32 ;;
	ctr0) off=$($pci && echo 0xa4 || echo 8) bits=$($pci && echo 32 || echo 64) ;;
	esac
	case $2 in ctl?) off=$((off + 4 * ${2#ctl})) ;; esac
}
peek() {
	place "$1" "$2"
	if $pci; then
		setpci -s "$1" "$(printf %x "$off").l"
	else
		printf '%08x\n' "$(devmem "$(($1 + off))" "$bits")"
	fi
}
poke() {
	place "$1" "$2"
	if $pci; then setpci -s "$1" "$(printf %x "$off").l=$3"; else devmem "$(($1 + off))" "$bits" "0x$3"; fi
}
# Of each channel the four controls and BOX_CTL, in a line.
controls() {
	for channel in $(channels); do
		# shellcheck disable=SC2046 # a list of words
		echo "$channel" $(for register in ctl0 ctl1 ctl2 ctl3 box; do peek "$channel" $register; done)
	done
}
# On Sapphire Rapids any control but 0 counts; `theirs` is what another program might write into one.
enabling=0x400000 theirs=00400404
[ "$(cat "$ubox/device")" != 0x3250 ] || enabling=0xffffffff theirs=00000404
enabled() { [ $((0x$(peek "$1" "$2") & enabling)) != 0 ]; } # CHANNEL REGISTER

# CAS commands of each of perf's channels, read and written, by encoding so that it prints counts and not MiB.
cas_events() {
	case $(cat "$ubox/device") in
	0x3250) rd=event=0x5,umask=0xcf wr=event=0x5,umask=0xf0 ;;
	0x3450) rd=event=0x4,umask=0xf wr=event=0x4,umask=0x30 ;;
	*) rd=event=0x4,umask=0x3 wr=event=0x4,umask=0xc ;;
	esac
	for pmu in /sys/bus/event_source/devices/uncore_imc_*; do
		case $pmu in *free_running*) continue ;; esac
		echo "-e ${pmu##*/}/$rd/ -e ${pmu##*/}/$wr/"
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
	until_it enabled "$(channels | tail -n 1)" ctl1
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
