# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: for likwid a counter is in use if its control register is not 0, though one without its enable bit (22) is not: it is
# what perf leaves.  Such a channel is left out of the sum; -f takes it.
. tests/peers/lib.sh

address=$(truth | awk '$1 == "channel" && $2 == 0 { print $3 }' | grep ":$(likwid_order | cut -d' ' -f1)$")
# What was read on socket 0 but by one channel, in GB.
others() {
	awk -v but="$1" '$1 == "channel" && $2 == 0 && $3 != but { sum += (NR == FNR ? -1 : 1) * $4 } END { print sum / 1e9 }' \
		"$T/before" "$T/after"
}
volume() { awk -F, '$1 == "Memory read data volume [GBytes]" { print $2 }' "$T/out"; }

setpci -s "$address" d8.l=00000304
truth >"$T/before"
likwid as_in_time -C S0:0 "$T/slow_second" >"$T/out" 2>"$T/err"
truth >"$T/after"
row likwid "MBOX0C0 = $address, CTL0 was 00000304" "$(awk -F, '$2 == "MBOX0C0" { print $3 }' "$T/out")" - =
row likwid "socket 0 read GB, without that channel" "$(volume)" "$(others "$address")" 0.000051

setpci -s "$address" d8.l=00000304
truth >"$T/before"
likwid as_in_time -f -C S0:0 "$T/slow_second" >"$T/out" 2>"$T/err"
truth >"$T/after"
row likwid "socket 0 read GB, with -f" "$(volume)" "$(others none)" 0.000051
