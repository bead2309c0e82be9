# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl on the real machine, as far as it can tell: the instruction CPUID on each CPU, /dev/cpu, /sys, /var/lock.  Its time is
# the computer's, and the machine's stands still but for a second while the COMMAND runs; so of rates nothing is said.
. tests/peers/lib.sh
. tests/peers/pqos.sh

row live "list --caches is as of root: (md5)" "$(as "$B/uncorectl" list --caches --format csv 2>/dev/null | md5sum | cut -c1-12)" \
	"$("$B/uncorectl" --machine "root:$tree" list --caches --format csv 2>/dev/null | md5sum | cut -c1-12)" =

cpu=$(nth_cpus 2 | tail -n 1)
on=$(l3_of "$cpu")
wrmsr -p "$cpu" 0xc8f 0x100000000 2>/dev/null || :
found=$(rdmsr -p "$cpu" 0xc8f)
violations=$(jq .count "$mnt/violations.json")
truth >"$T/before"
rc=0
as "$B/uncorectl" llc --group "one=$cpu" --format jsonl -o "$T/json" -- "$T/second" >"$T/out" 2>"$T/said" || rc=$?
truth >"$T/after"
rmid=$(of_llc one "$on" rmid)
row live "exit status" $rc 0 =
row live "rules of the manuals broken" $(($(jq .count "$mnt/violations.json") - violations)) 0 =
row live "PQR_ASSOC of CPU $cpu, as found" "$(rdmsr -p "$cpu" 0xc8f)" "$found" =
wrmsr -p "$cpu" 0xc8f 0
# shellcheck disable=SC2046 # three words
set -- $(awk -v on="$on" -v rmid="$rmid" -v scale="$scale" 'FNR == 1 { n++ }
	$1 == "llc" && $2 == on && $3 == rmid { for (i = 4; i <= 6; i++) units[n, i] = int($i / scale) }
	END { printf "%.0f %.0f %.0f\n", units[2, 4] * scale, (units[2, 5] - units[1, 5]) * scale, (units[2, 6] - units[1, 6]) * scale }' \
	"$T/before" "$T/after")
row live "CPU $cpu RMID $rmid bytes owned" "$(of_llc one "$on" occupancy_bytes)" "$1" =
if [ $((events & 6)) = 6 ]; then
	row live "CPU $cpu RMID $rmid bytes moved" "$(of_llc one "$on" mbm_total_bytes)" "$2" "$scale"
	row live "CPU $cpu RMID $rmid bytes, same node" "$(of_llc one "$on" mbm_local_bytes)" "$3" "$scale"
fi

pqos_start "llc:$cpu"
pqos_tells 1
row live "exit status where pqos is at work" "$(status as "$B/uncorectl" llc -n 1)" 5 =
pqos_end
