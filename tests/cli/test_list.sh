# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# list: caches and what of them can be monitored, in words and as rows; who has none, and who answers nonsense.
. tests/lib.sh

# caches MACHINE: its rows of list --caches
caches() {
	run "$U" --machine "$1" list --caches --format csv
}

# Every model is listed, within 80 columns but for the lists of CPUs.
for model in $("$U" --list-machines | sed 's/^sim://; s/ .*//'); do
	run "$U" --machine "sim:$model" list
	is "$model: list succeeds" "$rc" 0
	is "$model: no line is wider than 80 columns" "$(grep -v 'CPUs [0-9]' "$T/out" | awk 'length > 80')" ""
	is "$model: no line ends in a blank" "$(grep -c ' $' "$T/out")" 0
done

# What is announced is listed, in words ...
run "$U" --machine sim:bdx list
is "the machine is named once" "$(cat "$T/out" "$T/err" | grep -c sim:bdx)" 1
run "$U" --machine sim:bdx list --caches
is "also where the table does not name it" "$(cat "$T/out" "$T/err" | grep -c sim:bdx)" 1
run "$U" --machine sim:bdx list
has "the L3s are told with their CPUs" "$out" "cache    2 L3s of 45 MiB
         L3 0: socket 0, CPUs 0-17,36-53
         L3 1: socket 1, CPUs 18-35,54-71"
has "what can be monitored, and the quantum" "$out" \
	"monitor  occupancy (CMT), total and local bandwidth (MBM) in units of 72 KiB
         RMIDs 0 to 143 on each L3
         24-bit counters of bandwidth: one wraps after 15.5 s at 80 GB/s
         an erratum: bandwidth of RMIDs above 127 is multiplied by 1.185255"
has "and what is allocated" "$out" "allocate L3 CAT of 20 ways (0xc0000 used by devices too), 16 CLOS, CDP"
run "$U" --machine sim:bdx,offline=4-6 list
has "CPUs that are offline are of no L3" "$out" "L3 0: socket 0, CPUs 0-3,7-17,36-53"
run "$U" --machine sim:hsx list
has "Haswell has no monitoring of bandwidth" "$out" "occupancy (CMT) in units of 72 KiB; this part has no monitoring of"
lacks "and so nothing is said of its counters" "$out" "wraps"
run "$U" --machine sim:skx list
has "a Skylake is warned of" "$out" "SKZ4, SKZ14 and SKZ15"
run "$U" --machine sim:clx list
lacks "a Cascade Lake is not" "$out" "SKZ4"
run "$U" --machine sim:icx,snc=4 list
has "sub-NUMA clustering is said" "$out" "in units of 18 KiB
         RMIDs 0 to 287, of 288: sub-NUMA clustering, 4 nodes in each L3"
has "and what its mode leaves out" "$(echo "$out" | tr -s ' \n' ' ')" "each of them has 72 RMIDs of its own, which count nothing that is done in the others"
run "$U" --machine sim:zen2 list
has "AMD has an L3 for each core complex" "$out" "cache    32 L3s of 16 MiB; list -v tells their CPUs"
has "its counters have 44 bits though CPUID says 0" "$out" "44-bit counters of bandwidth: one wraps after 93.8 min at 200 GB/s"
has "in units of a line" "$out" "in units of 64 bytes"
lacks "many L3s are not told one by one" "$out" "L3 31:"
run "$U" --machine sim:zen2 list -v
has "but with -v" "$out" "L3 31: socket 1, CPUs 124-127,252-255"
run "$U" --machine sim:zen5,abmc=1 list
has "assigned counters are said" "$out" "ABMC of 32 counters is on"
has "and what that means" "$(echo "$out" | tr -s ' \n' ' ')" "an RMID without one has no bandwidth"
has "what AMD's events count is read" "$(echo "$out" | tr -s ' \n' ' ')" \
	"BMEC: total counts 0x7f as after power-on; local counts 0x15 as after power-on;"
run "$U" --machine sim:zen5,abmc=0 list
has "those that are off, too" "$out" "ABMC of 32 counters is off"

# ... and as rows.
caches sim:bdx
is "a row for each L3" "$out" "l3,socket,cpus,bytes,events,max_rmid,unit_bytes,counter_bits,full_speed_bytes_per_s,nodes,exact_rmid,factor,box
0,0,\"0-17,36-53\",47185920,occupancy+total+local,143,73728,24,80000000000,1,127,1.185255,socket0.l3-0
1,1,\"18-35,54-71\",47185920,occupancy+total+local,143,73728,24,80000000000,1,127,1.185255,socket1.l3-1"
run "$U" --machine sim:hsx,sockets=1 list --caches --format jsonl
is "the same as JSON" "$(sed 1d "$T/out")" '{"record":"cache","l3":0,"socket":0,"cpus":"0-35","bytes":47185920,"events":"occupancy","max_rmid":71,"unit_bytes":73728,"counter_bits":24,"full_speed_bytes_per_s":160000000000,"nodes":1,"exact_rmid":71,"factor":1,"box":"socket0.l3-0"}'
run "$U" --machine sim:zen5 list --caches
is "as a table" "$(echo "$out" | sed -n '1p;$p')" "L3  socket  CPUs                  bytes  events                 max RMID  unit bytes
27       1  184-191,376-383  33,554,432  occupancy+total+local      4095          64"
run "$U" --machine sim:bdx list --caches -v
has "with -v all of it" "$out" "counter bits  bytes/s at most  nodes  exact RMID"
has "bytes are written alike in all columns" "$(echo "$out" | tail -1)" " 143      73,728            24   80,000,000,000 "
caches sim:icx,snc=2
is "sub-NUMA clustering divides the unit" "$(sed 1d "$T/out" | cut -d, -f 5-12)" "occupancy+total+local,287,36864,32,1000000000000,2,287,1"
refused "a part without monitoring has no rows, and says which bit" 3 "leaf 7 EBX bit 12 (PQM) is 0" \
	"$U" --machine sim:ivt list --caches
is "the boxes are the records as before" \
	"$("$U" --machine sim:bdx list --format csv 2>/dev/null | sed 1d | cut -d, -f 1,5,6 | head -1)" "socket0.imc0.ch0,0000:7f:14.0,idle"

# Boxes that stand still are stopped, where something tells.
states() { "$U" --machine "$1" list --format csv 2>/dev/null | sed 1d | grep -v ,absent, | cut -d, -f 6,7 | uniq; }
Z=sim:ivt,sockets=1,clock=step,state=$T/stands
for at in ff:10.4 ff:10.5; do "$POKE" "$Z" w $at 0xf0 0x00400000; done
"$POKE" "$Z" w ff:10.4 0xf4 0x00000100 # frozen
is "a box whose clock does not tick is stopped" "$(states "$Z" | head -2)" "stopped,FIXED_CTL[0] at 0xf0 = 0x00400000 dclk
counting,FIXED_CTL[0] at 0xf0 = 0x00400000 dclk"
has "which the help tells" "$("$U" list --help)" "the box stands still, frozen or asleep"
is "one without a clock to look at is not" "$(states sim:ivt,sockets=1,freeze=socket0)" "idle,"
is "but where the bits read back it is" "$(states sim:ivt,sockets=1,frz=rw,freeze=socket0.imc0.ch0 | head -2)" "stopped,BOX_CTL reads frz=1
idle,"
is "with all of its socket" "$(states sim:ivt,sockets=2,frz=rw,freeze=socket0)" "stopped,GLOBAL_CTL reads frz_all=1
idle,"

# Where no channel is there, or none is known, caches may be all that there is.
run "$U" --machine sim:bdxde,hide=ff:14.0,hide=ff:14.1 list
is "caches without a channel are listed" "$rc" 0
has "and that there is none is said" "$err" "none of these boxes is there"
run "$U" --machine sim:spr,sockets=1,table=access0 list -v
has "units of a discovery table are told apart by type" "$(tr -s ' \n' ' ' <"$T/out")" "type 6 (memory controllers): 1 in MSRs,"
has "and by the way in which they are reached" "$(tr -s ' \n' ' ' <"$T/out")" "type 6 (memory controllers): 7 in memory,"
run "$U" --machine sim:cwf,sockets=1,table=two list -v
is "both tables of a function are listed" "$(tr -s ' \n' ' ' <"$T/out" | grep -o 'of 0000:7e:03.0: [0-9]* units' | cut -d ' ' -f 3 | xargs)" "7 6"
run "$U" --machine sim:cwf,sockets=1,table=loop list -v
has "capabilities without an end are told" "$(tr -s ' \n' ' ' <"$T/out")" "not used: pci 0000:7e:03.0: its list of capabilities has no end"

run "$U" --machine sim:snbep,sockets=1,hide=ff:10.0,hide=ff:10.1,hide=ff:10.4,hide=ff:10.5 list
is "neither channels nor caches: nothing is here" "$rc" 3
caches_dump
run "$U" --machine "sim:cpuid=$T/caches.dump" list
is "one that has caches to monitor is listed" "$rc" 0
has "with the reason for no boxes" "$out" "boxes    no register map fits this CPU"
refused "and its channels are refused" 3 "; its caches can be monitored: \`uncorectl llc\`; try: uncorectl --machine sim:skx mem" "$U" --machine "sim:cpuid=$T/caches.dump" mem -n 1
run "$U" --machine sim:zen3,vm=kvm list
is "a virtual machine has neither" "$rc" 3
has "and list says why" "$(echo "$out" | tr -s ' \n' ' ')" "a virtual machine: its host hides the counters"

# What is read of registers for it is in a record as well.
for machine in sim:icx,snc=4 sim:zen5,abmc=1 sim:hsx,offline=4-6; do
	"$U" --machine "$machine" record "$T/record" -- list -v >"$T/recorded" 2>/dev/null
	run "$U" --machine "replay:$T/record" list -v
	check "$machine: the replay of a record lists the same" cmp "$T/recorded" "$T/out"
done

# Trees of files: what CPUID says is typed here.
octal() { printf '\\%03o' "$(($1))"; }
config() { # ADDR VENDOR DEVICE: its configuration space, all else zero
	mkdir -p "$root/sys/bus/pci/devices/$1"
	head -c 256 /dev/zero >"$root/sys/bus/pci/devices/$1/config"
	# shellcheck disable=SC2059 # the bytes are the format
	printf "$(octal "$2 & 255")$(octal "$2 >> 8")$(octal "$3 & 255")$(octal "$3 >> 8")" |
		dd of="$root/sys/bus/pci/devices/$1/config" conv=notrunc status=none
}
n=0
# tree CPUS CPUID: an empty tree with that, in M
tree() {
	n=$((n + 1))
	root=$T/tree$n
	mkdir -p "$root/sys/bus/pci/devices" "$root/sys/devices/system/cpu"
	[ -z "$1" ] || echo "$1" >"$root/sys/devices/system/cpu/online"
	printf '%s\n' "$2" >"$root/cpuid.raw"
	M=root:$root
}
intel="------[ Logical CPU #0 ]------
CPUID 00000000: 00000014-756E6547-6C65746E-49656E69
CPUID 00000004: 7C0FC163-04C0003F-00008FFF-00000006 [SL 00]
CPUID 0000000B: 00000001-00000002-00000100-00000000 [SL 00]
CPUID 0000000B: 00000006-00000024-00000201-00000000 [SL 01]"
bdx="$intel
CPUID 00000001: 000406F1-00400800-7FFEFBFF-BFEBFBFF
CPUID 00000007: 00000000-021CBFBB-00000000-00000000 [SL 00]
CPUID 0000000F: 00000000-0000008F-00000000-00000002 [SL 00]"

tree 0 "$bdx
CPUID 0000000F: 00000000-00012000-0000008F-00000007 [SL 01]"
config 0000:7f:10.5 0x8086 0x6f1e
config 0000:7f:14.0 0x8086 0x6fb0
caches "$M"
is "a captured machine has its caches" "$(sed 1d "$T/out")" "0,0,0,47185920,occupancy+total+local,143,73728,24,80000000000,1,127,1.185255,socket0.l3-0"

tree 0 "$bdx
CPUID 0000000F: 00000013-000C0000-00000004-0000000F [SL 01]"
config 0000:7f:10.5 0x8086 0x6f1e
config 0000:7f:14.0 0x8086 0x6fb0
run "$U" --machine "$M" list
is "answers that contradict each other do not end list" "$rc" 0
words=$(echo "$out" | tr -s ' \n' ' ')
has "they are shown" "$words" "monitoring (CMT, MBM) cannot be used: CPUID leaf 0xf.1 EDX is 0xf"
has "and the boxes are listed" "$out" "socket0.imc0.ch0  0000:7f:14.0  idle"
refused "but there are no rows of caches" 3 "contradict each other" "$U" --machine "$M" list --caches

tree 0 "$bdx
CPUID 0000000F: 00000708-00012000-0000008F-00000002 [SL 01]"
run "$U" --machine "$M" list
has "agents that are no CPUs are said" "$out" "monitor  total bandwidth (MBM) in units of 72 KiB
         occupancy and bandwidth of devices are counted too"
has "and so is a bit that tells of a wrap" "$out" "32-bit counters of bandwidth: one wraps after 5.28 min at 1000 GB/s,
         and its overflow bit tells"

tree '' "$bdx
CPUID 0000000F: 00000000-00012000-0000008F-00000007 [SL 01]"
run "$U" --machine "$M" list
has "a machine without lists of CPUs says what it does not tell" "$(echo "$out" | tr -s ' \n' ' ')" "does not tell"
refused "and has no rows" 3 "does not tell" "$U" --machine "$M" list --caches

tree 0 "$intel
CPUID 00000001: 000406C3-00400800-7FFEFBFF-BFEBFBFF
CPUID 00000007: 00000000-00008000-00000000-00000000 [SL 00]
CPUID 00000010: 00000000-00000004-00000000-00000000 [SL 00]
CPUID 00000010: 00000013-00000000-00000004-00000007 [SL 02]"
run "$U" --machine "$M" list
is "a part with allocation alone has nothing to list" "$rc" 3
has "which is said plainly" "$out" "no monitoring (CMT, MBM): CPUID leaf 7 EBX bit 12 (PQM) is 0
         there is allocation, but no monitoring
allocate L2 CAT of 20 ways, 8 CLOS, CDP"
lacks "and once" "$err" "PQM"
run "$U" --machine "$M" list --format csv
has "but on standard error where a program reads the rows" "$err" "caches cannot be monitored: CPUID leaf 7 EBX bit 12 (PQM) is 0; there is allocation alone"

tree 0 'basic_cpuid[0]=00000016 746e6543 736c7561 48727561
basic_cpuid[1]=000006f0 00000000 00000000 00000000'
run "$U" --machine "$M" list
is "a vendor that is not known has nothing to list" "$rc" 3
has "and is named" "$(echo "$out" | tr -s ' \n' ' ')" "CPUID names the vendor CentaurHauls"

# Registers in memory without /dev/mem: Ice Lake-SP whose memory, all zero, is the BAR of a function.
dword() { # ADDR OFFSET VALUE
	# shellcheck disable=SC2059 # the bytes are the format
	printf "$(octal "$3 & 255")$(octal "$3 >> 8 & 255")$(octal "$3 >> 16 & 255")$(octal "$3 >> 24 & 255")" |
		dd of="$root/sys/bus/pci/devices/$1/config" conv=notrunc bs=1 seek="$(($2))" status=none
}
tree 0 "$intel
CPUID 00000001: 000606A6-00400800-7FFEFBFF-BFEBFBFF"
config 0000:7e:00.0 0x8086 0x3450
dword 0000:7e:00.0 0xd4 0x00fac688 # GIDNIDMAP
config 0000:7e:00.1 0x8086 0x3451
dword 0000:7e:00.1 0xd0 0x1e0 # MMIO_BASE 0xf0000000
dword 0000:7e:00.1 0xd8 0x006a0300
config 0000:7e:02.0 0x8086 0x1234
bar=$root/sys/bus/pci/devices/0000:7e:02.0
echo "0x00000000f0000000 0x00000000f07fffff 0x0000000000040200" >"$bar/resource"
truncate -s 8M "$bar/resource0"
mkdir "$root/proc"
printf '%s\n' "00100000-7fffffff : System RAM" "90000000-fbffffff : PCI Bus 0000:7e" "  f0000000-f07fffff : 0000:7e:02.0" >"$root/proc/iomem"
run "$U" --machine "$M" list -v
has "a window in a BAR is reached without /dev/mem" "$out" "socket0.imc0.ch0  0xf0322800    idle"
has "and which way is used is noted" "$err" "registers in memory are reached through $bar/resource0, since mmio: open $root/dev/mem: it is not there"
is "once" "$(grep -c resource0 "$T/err")" 1
run "$U" --machine "$M" doctor
has "doctor notes it, too" "$err" "are reached through $bar/resource0"
run "$U" --machine "$M" --state "$T/state" reg set "socket0.imc0.ch0.CTL[0]=0x304" --write --keep
is "registers are written there" "$rc $(od -An -tx4 -j 0x322840 -N 4 "$bar/resource0")" "0  00000304"
mkdir "$root/driver"
ln -s "../../../../../driver" "$bar/driver"
run "$U" --machine "$M" list -v
has "but not where a driver has the BAR" "$out" '0xf0320970 is in "0000:7e:02.0"'

# Real machines' CPUID: dump, CPUs, then L3s, their bytes, RMIDs, unit, bits of a counter, and the last L3.
while read -r dump cpus l3s bytes rmids unit bits last; do
	file=../shared/cpuid/$dump.test
	if ! [ -e "$file" ]; then
		skip "$dump: its caches" "there is no $file"
		continue
	fi
	tree "$cpus" ""
	cp "$file" "$root/cpuid.raw"
	if [ "$l3s" = 0 ]; then
		refused "$dump: no monitoring, whatever leaf 0xf says" 3 "leaf 0xf lies beyond its highest leaf 0xd" \
			"$U" --machine "sim:cpuid=$file" list --caches
		continue
	fi
	caches "sim:cpuid=$file"
	mv "$T/out" "$T/simulated"
	caches "$M"
	check "$dump: simulated or captured, it has the same caches" cmp "$T/simulated" "$T/out"
	is "$dump: its L3s" "$(sed 1d "$T/out" | wc -l) $(tail -1 "$T/out" | cut -d, -f 4,6,7,8)" \
		"$l3s $bytes,$rmids,$unit,$bits"
	is "$dump: the last of them" "$(tail -1 "$T/out" | cut -d, -f 1-3)" "$last"
done <<'END'
amd-epyc-7742-64-core-processor-dual 0-255 32 16777216 255 64 44 31,1,248-255
amd-epyc-9124-16-core-processor 0-31 4 16777216 255 64 44 6,0,24-31
intel-xeon-cpu-e5-2687w-0 0-15 0
intel-xeon-cpu-e5-2697-v2 0-23 0
intel-xeon-cpu-e5-2697-v4-dual 0-71 2 47185920 143 73728 24 1,1,36-71
intel-xeon-cpu-e5-2699-v3-dual 0-71 2 47185920 71 73728 24 1,1,36-71
intel-xeon-platinum-8180-cpu-dual 0-111 2 40370176 223 114688 24 1,1,56-111
intel-xeon-platinum-8351n-cpu 0-71 1 56623104 287 73728 32 0,0,0-71
intel-xeon-w9-3475x 0-71 1 86507520 351 90112 32 0,0,0-71
END
