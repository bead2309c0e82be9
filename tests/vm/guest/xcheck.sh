# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# perf, the counter that it got, and ours, compared by xcheck itself.
. /guest/lib.sh

if grep -q '^intel_uncore ' /proc/modules; then rmmod intel_uncore; fi
controls >before
said no_driver uncorectl xcheck -n 1
modprobe intel_uncore
between 100 said json uncorectl xcheck -i 0.5 -n 2 --format jsonl
said user su user -c 'uncorectl xcheck -n 1'
said unknown uncorectl xcheck -n 1 -e imc/event=0x4,umask=0x3,thresh=300/
# Another process adds 2^40 to a counter of perf's: the kernel believes it, and ours beside it tells.
function=$(channels | tail -n 1)
echo "$function" >function
box=$(uncorectl list --format csv | grep -F ",$function," | cut -d, -f1)
uncorectl xcheck -i 0.5 -n 6 --box "$box" --format jsonl -o hand.out 2>hand.err &
xcheck=$!
until_it lines hand.out 2
case $function in *:*) more=0x100 ;; *) more=0x10000000000 ;; esac # 2^40, in the half that is written
poke "$function" ctr0 "$(printf %x $((0x$(peek "$function" ctr0) + more)))"
rc=0
wait "$xcheck" || rc=$?
echo $rc >hand.rc
controls >after
