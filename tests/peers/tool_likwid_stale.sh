# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: on Haswell-EP likwid takes what a counter held before for something that it counted.
. tests/peers/lib.sh

address=$(truth | awk '$1 == "channel" && $2 == 0 { print $3 }' | grep ":$(likwid_order | cut -d' ' -f2)$")
setpci -s "$address" a0.l=23456789 a4.l=00000001
truth >"$T/before"
likwid as_in_time -C S0:0 "$T/slow_second" >"$T/out" 2>"$T/err"
truth >"$T/after"
row likwid "MBOX1C0 = $address, held $((0x123456789)) before" "$(awk -F, '$2 == "MBOX1C0" { print $3 }' "$T/out")" \
	$(($(events "$address") + 0x123456789)) =
