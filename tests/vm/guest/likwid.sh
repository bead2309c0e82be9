# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# likwid-perfctr, and in the time that it counts ours; then once more where a box is frozen, which it leaves alone.
. /guest/lib.sh

likwid() { # FILE COMMAND...
	into=$1
	shift
	likwid-perfctr -M 0 -O -g MEM -C S0:0@S1:0 "$@" >"$into.out" 2>"$into.err"
}
between 100 likwid beside uncorectl mem -i 1 -n 1 --format csv -o mem.csv
first=$(channels | head -n 1)
poke "$first" box 00000100
between 101 likwid frozen sleep 0.5
poke "$first" box 00000000
