# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncore-simfs: caches that are not a package's, nodes that are not a socket's, processors of another make, and machines
# without PCI functions.
. tests/lib.sh
. tests/mounted.sh
LC_ALL=C
export LC_ALL

cpu=sys/devices/system/cpu
node=sys/devices/system/node
shown() { cat "$mnt/$1" 2>&1; }
# shared CPU: id, size and CPUs of its L3
shared() { echo "$(shown "$cpu/cpu$1/cache/index3/level") $(shown "$cpu/cpu$1/cache/index3/id") $(shown "$cpu/cpu$1/cache/index3/size") $(shown "$cpu/cpu$1/cache/index3/shared_cpu_list")"; }
true_l3s() { grep -o '"l3": [0-9]*' "$mnt/truth.json" | cut -d' ' -f2 | sort -un; }
info() { awk -F '\t*: ' -v key="$1" '$1 == key { print $2; exit }' "$mnt/proc/cpuinfo"; }
msr() { perl -e 'open F, "<", $ARGV[0] and sysseek F, $ARGV[1], 0 and defined sysread F, $b, 8 or print "!$!"; print unpack "H*", $b' "$mnt/dev/cpu/$1/msr" "$2"; }
cpuid() { perl -e 'open F, "<", $ARGV[0] and sysseek F, $ARGV[1] + ($ARGV[2] << 32), 0 and sysread F, $b, 16; printf "%x %x %x %x", unpack "V4", $b' "$mnt/dev/cpu/$1/cpuid" "$2" "$3"; }

if ! mount_machine sim:zen2,sockets=2,clock=step,offline=4; then
	unmount
	skip "uncore-simfs shows caches and nodes" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
# Two EPYC 7742: 64 cores, four of them on each L3 of 16 MiB.
is "an L3 is a core complex's" "$(shared 0)" "3 0 16384K 0-3,128-131"
is "without what is offline" "$(shared 5)" "3 1 16384K 5-7,132-135"
is "there are so many" "$(cat "$mnt/$cpu"/cpu*/cache/index3/id | sort -u | wc -l)" 32
is "the second socket has others" "$(shared 127)" "3 31 16384K 124-127,252-255"
is "an L2 is a core's" "$(shown $cpu/cpu9/cache/index2/level) $(shown $cpu/cpu9/cache/index2/size) $(shown $cpu/cpu9/cache/index2/shared_cpu_list)" "2 512K 9,137"
is "a node is a socket" "$(shown $node/online) $(shown $node/node1/cpulist)" "0-1 64-127,192-255"
is "packages" "$(shown $cpu/cpu64/topology/physical_package_id) $(shown $cpu/cpu64/topology/package_cpus_list)" "1 64-127,192-255"
is "cpuinfo names make and model" "$(info vendor_id) $(info 'cpu family') $(info model) $(info 'model name')" "AuthenticAMD 23 49 AMD EPYC 7742 64-Core Processor"
is "and what only AMD has" "$(info 'cache size'), $(info 'TLB size'),$(sed -n 's/^power management://p' "$mnt/proc/cpuinfo" | uniq)" \
	"512 KB, 3072 4K pages, ts ttp tm hwpstate cpb eff_freq_ro [13] [14]"
for flag in topoext cat_l3 cdp_l3 mba cqm rdt_a cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local svm sse4a; do
	has "the flags have $flag" " $(info flags) " " $flag "
done
is "each CPU answers CPUID" "$(cpuid 1 15 1)" "0 40 ff 7"
is "RMIDs are there" "$(msr 17 $((0xc8f))) $(msr 17 $((0xc8d)))" "0000000000000000 0000000000000000"
is "what only Intel has is not" "$(msr 17 $((0xca0)))" "!Input/output error"
is "there are no PCI functions, but the bus" "$(find "$mnt/sys/bus/pci/devices" -mindepth 1 | wc -l) $(shown proc/bus/pci/devices)" "0 "
is "truth.json has all channels, and each L3" "$(grep -c '"imc": 0, "channel"' "$mnt/truth.json") $(true_l3s | wc -l)" "16 32"
is "resctrl is not there" "$(find "$mnt/sys" -name resctrl | wc -l)" 0
unmount

mount_machine sim:icx,sockets=2,snc=2,clock=step || not_ok "nodes below an L3 are mounted" "$(cat "$T/server")"
# Two Platinum 8351N: 36 cores, one L3 of 54 MiB.
is "an L3 is a package's" "$(shared 0)" "3 0 55296K 0-35,72-107"
is "and has two nodes" "$(shown $node/online) $(shown $node/node0/cpulist) $(shown $node/node1/cpulist)" "0-3 0-17,72-89 18-35,90-107"
is "which are nearer to each other" "$(shown $node/node2/distance)" "21 21 10 12"
is "each CPU links to its own" "$(readlink "$mnt/$cpu/cpu20/node1") $(readlink "$mnt/$cpu/cpu60/node3")" "../../node/node1 ../../node/node3"
is "the links between CPUs and nodes lead somewhere" "$(find "$mnt/sys/devices/system" -type l ! -exec test -e {} \; -print)" ""
is "RMID_SNC_CONFIG is there" "$(msr 0 $((0xca0)))" 0100000000000000
has "no bug that it is free of" " $(info bugs) " " spectre_v2 "
is "meltdown is one" "$(info bugs | grep -c meltdown)" 0
unmount

for model in spr zen3 zen4 zen5; do
	mount_machine "sim:$model,sockets=1" || not_ok "$model is mounted" "$(cat "$T/server")"
	is "$model: sysfs and CPUID tell the same L3s" "$(cat "$mnt/$cpu"/cpu*/cache/index3/id | sort -un | paste -sd ' ')" \
		"$(true_l3s | paste -sd ' ')"
	unmount
done
mount_machine sim:bdx,numa=off || not_ok "interleaved memory is mounted" "$(cat "$T/server")"
is "interleaved memory is one node of all CPUs" \
	"$(cat "$mnt"/sys/devices/system/node/online "$mnt"/sys/devices/system/node/node*/cpulist "$mnt"/sys/devices/system/node/node*/distance | paste -sd ' ')" \
	"0 $(cat "$mnt/sys/devices/system/cpu/online") 10"
is "on which every function is" "$(cat "$mnt"/sys/bus/pci/devices/*/numa_node | sort -u)" 0
unmount
mount_machine sim:zen5,sockets=1,abmc=1 || not_ok "assigned counters are mounted" "$(cat "$T/server")"
is "L3_QOS_EXT_CFG says it" "$(msr 0 $((0xc00003ff)))" 0100000000000000
unmount
is "the server ended well" "$server_rc" 0
