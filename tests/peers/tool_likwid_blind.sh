# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: with all channels hidden likwid prints 0 and is content.
. tests/peers/lib.sh

rc=0
likwid as_in_time -C S0:0 "$T/slow_second" >"$T/out" 2>"$T/err" || rc=$?
row likwid "socket 0 read GB, all channels hidden" "$(awk -F, '$1 == "Memory read data volume [GBytes]" { print $2 }' "$T/out")" 0 =
row likwid "exit status" $rc 0 =
