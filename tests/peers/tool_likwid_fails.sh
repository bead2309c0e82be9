# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: likwid finds the sockets by a QPI device, and where that is hidden measures no memory, though the channels are there.
. tests/peers/lib.sh

rc=0
likwid as_in_time -C S0:0 "$T/slow_second" >"$T/out" 2>"$T/err" || rc=$?
row setpci "channels that can be read" "$(for address in $(truth | awk '$1 == "channel" { print $3 }'); do setpci -s "$address" 0.w; done | grep -c 8086)" \
	"$(truth | grep -c '^channel')" =
row likwid "gives a volume" "$(awk -F, '$1 == "Memory read data volume [GBytes]" && $2 > 0' "$T/out" | wc -l)" 0 =
