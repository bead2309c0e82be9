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
