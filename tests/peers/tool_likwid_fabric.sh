# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# likwid-perfctr on AMD's data fabric, on a machine whose time stands still but for one second: its counts, exactly.
# Known: group MEM on zen2 counts channels 0 and 1 alone and multiplies their sum by 4 / (NUMA nodes of a socket), which the
# group's own file calls a work-around: that is wrong where channels are not all equally busy.
# Known: a group on zen3 is half of the channels, and says so (MEM1: 0 to 3, MEM2: 4 to 7).
. tests/peers/lib.sh
. tests/peers/fabric.sh

for group in $(fabric_groups); do
	truth >"$T/before"
	likwid_fabric "$group" "$sockets" "$T/slow_second"
	truth >"$T/after"
	rows_of_likwid "$group" "$sockets"
done
row wrmsr "rules that the machine saw broken" "$(jq .count "$mnt/violations.json")" 0 =
