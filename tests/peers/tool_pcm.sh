# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# pcm-memory: every channel, socket and the system.  It numbers the channels that it can open, so hidden ones have no number
# and are missing from the sums, without a word.
. tests/peers/lib.sh

truth >"$T/before"
if stands_still; then # but for one second: exact
	exact=1
	as pcm-memory -csv -- "$T/second" >"$T/out" 2>"$T/err"
else # its time base is whole milliseconds, and nothing is counted while it reads, which may take some of them
	exact=0
	as pcm-memory -csv 4 -i=1 >"$T/out" 2>"$T/err"
fi
truth >"$T/after"
awk -v order="$(pcm_order)" -v name="$name" -v exact=$exact -f tests/peers/pcm.awk "$T/before" "$T/after" "$T/out" >>"$T/rows"
