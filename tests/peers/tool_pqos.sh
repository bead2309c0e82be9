# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# pqos on its MSR interface, on a machine whose time stands still but for one long step while it watches: occupancy and
# bandwidth of the first and the last CPU of two sockets, each of which it gives an RMID of its own.  Its rates are what it
# counted in its nominal interval, however long that really was.
. tests/peers/lib.sh

interval=0.1 # its shortest
package_of() { cat "/sys/devices/system/cpu/cpu$1/topology/physical_package_id"; }
cpus=$(for dir in "$mnt"/dev/cpu/[0-9]*; do
	cpu=${dir##*/}
	echo "$(package_of "$cpu") $cpu"
done | sort -k 1,1n -k 2,2n | awk 'NR == 1 || $1 != package { print last; print $2; package = $1 } { last = $2 } END { print last }' |
	grep . | head -4)
list=$(echo "$cpus" | paste -sd,)
# shellcheck disable=SC2046 # four words
set -- $("$asif" "$mnt" "$B/tests/peers/whoami" cpuid 0xf 1)
scale=$((0x$2)) events=$((0x$4))

as pqos --iface=msr --disable-mon-ipc --disable-mon-llc_miss -m "all:$list" -i 1 -t 1 -u csv -o "$T/csv" >"$T/out" 2>&1 &
pid=$!
all_told() { [ "$(grep -c '^20' "$T/csv" 2>/dev/null)" -ge 4 ]; }
until_it all_told
for cpu in $cpus; do
	echo "$cpu $(package_of "$cpu") $(($(rdmsr -p "$cpu" -u -f 9:0 0xc8f)))"
done >"$T/rmids"
truth >"$T/before"
step 2
truth >"$T/after"
wait $pid
awk -v name="$name" -v scale=$scale -v events=$events -v interval=$interval -f tests/peers/pqos.awk \
	"$T/before" "$T/after" "$T/rmids" "$T/csv" >>"$T/rows"
for cpu in $cpus; do
	row pqos "CPU $cpu RMID when it ended" "$(rdmsr -p "$cpu" -u 0xc8f)" 0 =
done
