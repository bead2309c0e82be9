# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# likwid-perfctr, measuring on one hardware thread of each socket.  In real time: counts of every channel and the bandwidth of
# every socket, by its own time.  Where time stands still but for one second: the counts, exactly.
. tests/peers/lib.sh

sockets=$(truth | awk '$1 == "channel" { print $2 }' | sort -nu)
threads=$(for s in $sockets; do echo "S$s:0"; done | paste -sd@)
truth >"$T/before"
if stands_still; then
	exact=1
	likwid as_in_time -C "$threads" "$T/slow_second" >"$T/out" 2>"$T/err"
else
	exact=0
	likwid as -C "$threads" sleep 4 >"$T/out" 2>"$T/err"
fi
truth >"$T/after"
awk -v order="$(likwid_order)" -v sockets="$sockets" -v name="$name" -v exact=$exact -f tests/peers/likwid.awk \
	"$T/before" "$T/after" "$T/out" >>"$T/rows"
