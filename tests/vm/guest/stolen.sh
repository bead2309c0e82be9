# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Another process writes one of our controls while we count.
. /guest/lib.sh

function=$(channels | tail -n 1)
echo "$function" >function
controls >before
mem_begin
controls >counting
echo "$theirs" >theirs
poke "$function" ctl3 "$theirs"
until_it grep -q stolen mem.csv
n=$(wc -l <mem.csv)
until_it lines mem.csv $((n + 8))
mem_end
controls >after
# No other program would: it is in use.
poke "$function" ctl3 0
