# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# pcm-memory, which takes all counters of a channel, and ours while it measures.
. /guest/lib.sh

pcm-memory -csv 2 -i=1 >pcm.out 2>pcm.err &
pcm=$!
last=$(channels | tail -n 1)
taken() { [ $((0x$(peek "$last" ctl1))) != 0 ]; }
until_it taken
said mem uncorectl mem -n 1 -i 0.5 --format csv
wait "$pcm"
