# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: pqos knows nothing of sub-NUMA clustering (snc=2).  It takes a counter's unit for twice what it is; and gives a CPU of the
# second node an RMID of the first, which counts nothing there.  llc knows.
. tests/peers/lib.sh
. tests/peers/pqos.sh

node_of() { for node in /sys/devices/system/cpu/cpu"$1"/node*; do echo "${node##*node}"; done; }
first=1
second=$(awk '$1 == 0 { print $2 }' "$T/l3_cpus" | while read -r cpu; do [ "$(node_of "$cpu")" = 1 ] && echo "$cpu" && break; done)
pqos_start "llc:$first,$second"
pqos_tells 2
rmid=$(($(rdmsr -p $first -u -f 9:0 0xc8f)))
step 1
truth >"$T/after"
pqos_tells 4
pqos_end
rm /run/lock/libpqos
owned() { awk -v rmid="$1" -v unit=$((scale / 2)) '$1 == "llc" && $2 == 0 && $3 == rmid { printf "%.0f", int($4 / unit) * unit }' "$T/after"; }
said() { awk -F, -v cpu="\"$1\"" '$2 == cpu { said = $3 } END { print said }' "$T/csv"; }
row pqos "CPU $first RMID $rmid LLC KB, twice" "$(said $first)" "$(awk -v bytes="$(owned "$rmid")" 'BEGIN { printf "%.1f", 2 * bytes / 1024 }')" =
row pqos "CPU $second of the second node LLC KB" "$(said "$second")" 0.0 =

rc=0
llc --group first=$first --group "second=$second" -n 2 --format jsonl >"$T/json" 2>"$T/said" || rc=$?
truth >"$T/after"
row llc "exit status" $rc 0 =
for group in first second; do
	rmid=$(of_llc $group 0 rmid)
	# The second node counts under numbers behind those of the first, 144 of the 288.
	[ $group = first ] || rmid=$((rmid + 144))
	row llc "group on the $group node, RMID $rmid, bytes owned" "$(of_llc $group 0 occupancy_bytes)" "$(owned "$rmid")" =
	row llc "group on the $group node owns something" "$([ "$(owned "$rmid")" -gt 0 ] && echo yes)" yes =
done
