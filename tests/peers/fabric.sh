# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034 # the files that read this one use them
# For tests/peers/tool_*.sh that look at the data fabric of AMD's processors.

sockets=$(truth | awk '$1 == "channel" { print $2 }' | sort -nu)
# The CPU that reaches the data fabric of a socket, as the machine calls its channels.
cpu_of() { truth | awk -v socket="$1" '$1 == "channel" && $2 == socket { print substr($3, 4); exit }'; }
fabric_ctl() { printf '0x%x' $((0xc0010240 + 2 * $1)); } # COUNTER, from 0
fabric_ctr() { printf '0x%x' $((0xc0010241 + 2 * $1)); }

# What a channel moved between $T/before and $T/after, in 64 bytes: moved SOCKET NUMBER read|written|both.
moved() {
	awk -v socket="$1" -v number="$2" -v what="$3" '
		FNR == 1 { seen = 0 }
		$1 == "channel" && $2 == socket && seen++ == number { r = $4 - r; w = $5 - w }
		END { printf "%.0f", (what == "read" ? r : what == "written" ? w : r + w) / 64 }
	' "$T/before" "$T/after"
}

# ---- likwid

fabric_groups() {
	case $model in
	zen2) echo MEM ;;
	zen3) echo MEM1 MEM2 ;;
	esac
}
# The channels that a group counts.
channels_of() {
	case $1 in
	MEM) echo 0 1 ;;
	MEM1) echo 0 1 2 3 ;;
	MEM2) echo 4 5 6 7 ;;
	esac
}

# likwid_fabric GROUP SOCKETS COMMAND
likwid_fabric() {
	threads=$(for s in $2; do echo "S$s:0"; done | paste -sd@)
	as_in_time likwid-perfctr -M 0 -O -g "$1" -C "$threads" "$3" >"$T/out" 2>"$T/err"
}

# rows_of_likwid GROUP SOCKETS: of what it wrote.
rows_of_likwid() {
	factor=1
	if [ "$1" = MEM ]; then
		nodes=$(find "$mnt/sys/devices/system/node" -mindepth 1 -maxdepth 1 -name 'node[0-9]*' | wc -l)
		factor=$((4 * $(echo "$sockets" | wc -l) / nodes))
	fi
	column=2
	for socket in $2; do
		sum=0
		counter=0
		for n in $(channels_of "$1"); do
			events=$(moved "$socket" "$n" both)
			row likwid "$1 socket $socket DFC$counter = channel $n" \
				"$(awk -F, -v c=$((column + 1)) -v box=DFC$counter '$2 == box && $1 !~ / STAT$/ { print $c }' "$T/out")" "$events" 0
			sum=$((sum + events))
			counter=$((counter + 1))
		done
		row likwid "$1 socket $socket GB, $factor x channels $(channels_of "$1" | tr ' ' ,)" \
			"$(awk -F, -v c=$column '$1 ~ /^Memory data volume .*\[GBytes\]$/ { print $c }' "$T/out")" \
			"$(awk -v s="$sum" -v f="$factor" 'BEGIN { printf "%.6f", s * 64 * f / 1e9 }')" 0.000051
		column=$((column + 1))
	done
}
