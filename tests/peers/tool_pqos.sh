# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# pqos on its MSR interface, on a machine whose time stands still but for one long step while it watches: occupancy and
# bandwidth of the first and the last CPU of two L3s, each of which it gives an RMID of its own.  Its rates are what it
# counted in its nominal interval, however long that really was.
. tests/peers/lib.sh
. tests/peers/pqos.sh

cpus=$(nth_cpus 1; nth_cpus 0)
list=$(echo "$cpus" | paste -sd,)
pqos_start "all:$list"
until_it pqos_told "$(echo "$cpus" | wc -l)"
# shellcheck disable=SC2086 # words
carried $cpus >"$T/rmids"
truth >"$T/before"
step 2
truth >"$T/after"
pqos_tells $((2 * $(echo "$cpus" | wc -l))) # all of them once at least, behind the step
pqos_end
awk -v name="$name" -v scale="$scale" -v events="$events" -v interval="$interval" -f tests/peers/pqos.awk \
	"$T/before" "$T/after" "$T/rmids" "$T/csv" >>"$T/rows"
for cpu in $cpus; do
	row pqos "CPU $cpu RMID when it ended" "$(rdmsr -p "$cpu" -u 0xc8f)" 0 =
done
