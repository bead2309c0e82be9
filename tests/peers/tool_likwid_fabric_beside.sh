# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl mem and stat while likwid-perfctr counts on AMD's data fabric, and after it.  It has four counters a socket: on zen2
# likwid leaves two, which are enough in turns; on zen3 it takes all, and then nothing but --observe is possible.  likwid's own
# counts are exact for all that time, though others measured in it.
. tests/peers/lib.sh
. tests/peers/fabric.sh

controls() { for s in $sockets; do for n in 0 1 2 3; do rdmsr -p "$(cpu_of "$s")" "$(fabric_ctl $n)"; done; done | paste -sd' '; }

# ours NAME COMMAND...: uncorectl for one second, in $T/NAME.out, err, status, first and last (truth around it), trace.
ours() {
	said=$T/$1
	shift
	truth >"$said.first"
	status=0
	"$B/uncorectl" --trace "$said.trace" --machine "root:$mnt" "$@" -i 1 -n 1 --format csv >"$said.out" 2>"$said.err" || status=$?
	echo $status >"$said.status"
	truth >"$said.last"
}
# touched NAME: how often it wrote to registers of the counters that likwid has, which are the first ones.
touched() {
	last=$(fabric_ctr $(($(channels_of "$group" | wc -w) - 1)))
	awk -v last="$last" '$4 ~ /^w/ && $5 >= "0xc0010240" && $5 <= last { n++ } END { print n + 0 }' "$T/$1.trace"
}

if [ "${1:-}" = inner ]; then
	group=$2
	sleep 0.2
	controls >"$T/controls_first"
	ours mem mem
	ours stat stat -e dram_data
	ours observe mem --observe
	controls >"$T/controls_last"
	sleep 0.15
	exit
fi

# numbers NAME WHAT CHANNELS COLUMN COLUMN_OF_FLAGS FLAGS ALLOWED: a row a channel.
numbers() {
	cp "$T/$1.first" "$T/before"
	cp "$T/$1.last" "$T/after"
	for socket in $sockets; do
		for n in $3; do
			line=$(grep -E "^[0-9]+,[0-9]+,$socket,0,$n," "$T/$1.out" || echo ,,)
			row uncorectl "$2: socket $socket channel $n bytes" "$(echo "$line" | cut -d, -f"$4")" \
				"$(($(moved "$socket" "$n" both) * 64))" "$7"
			row uncorectl "$2: socket $socket channel $n flags" "$(echo "$line" | cut -d, -f"$5")" "$6" =
		done
	done
}

# A turn is 10 ms, and in each the part of a burst that is under way may be lost or won, in either direction: 64 bytes each.
turns=$((100 * 2 * 64))

for group in $(fabric_groups); do
	printf '#!/bin/sh\nexec sh tests/peers/tool_likwid_fabric_beside.sh inner %s\n' "$group" >"$T/observer"
	chmod +x "$T/observer"
	truth >"$T/before"
	likwid_fabric "$group" "$sockets" "$T/observer"
	truth >"$T/after"
	rows_of_likwid "$group" "$sockets"
	row likwid "$group: its controls after others looked" \
		"$(md5sum <"$T/controls_last" | cut -c1-12)" "$(md5sum <"$T/controls_first" | cut -c1-12)" =
	case $model in
	zen2)
		row uncorectl "$group: mem, its registers written" "$(touched mem)" 0 =
		row uncorectl "$group: stat, its registers written" "$(touched stat)" 0 =
		numbers mem "$group, mem" "0 1 2 3 4 5 6 7" 13 16 'scaled;simulated' "$turns"
		numbers stat "$group, stat" "0 1 2 3 4 5 6 7" 11 13 'scaled;simulated' "$turns"
		;;
	zen3)
		for command in mem stat; do
			row uncorectl "$group: $command, exit status" "$(cat "$T/$command.status")" 5 =
			row uncorectl "$group: $command, registers written" "$(grep -c ' w[0-9b]' "$T/$command.trace")" 0 =
			row uncorectl "$group: $command says which register" \
				"$(grep -c 'no counter is free .*CTL\[3\] at 0xc0010246 holds 0x[0-9a-f]*, enabled by another' "$T/$command.err")" 1 =
		done
		;;
	esac
	numbers observe "$group, mem --observe" "$(channels_of "$group")" 13 16 simulated 0
	row uncorectl "$group: mem --observe, registers written" "$(grep -c ' w[0-9b]' "$T/observe.trace")" 0 =

	left=$(controls)
	ours after mem
	numbers after "after $group, mem" "0 1 2 3 4 5 6 7" 13 16 'scaled;simulated' "$turns"
	row likwid "$group: its controls at its end" "$left" "$(for _ in $sockets; do echo 0 0 0 0; done | paste -sd' ')" =
	row uncorectl "after $group: controls as likwid left them" "$(controls)" "$left" =
done
row wrmsr "rules that the machine saw broken" "$(jq .count "$mnt/violations.json")" 0 =
