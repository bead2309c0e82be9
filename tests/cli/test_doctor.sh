# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# doctor: machines that each have one thing wrong, and the line that says so; all its other lines are ok.
. tests/lib.sh

state=$T/journals
# doctor MACHINE [OPTION]...
doctor() {
	machine=$1
	shift
	run "$U" --state "$state" --machine "$machine" doctor --format csv "$@"
}
# What is not ok in T/out: "lockdown fail 4, ..."
wrong() { # [CHECK-TO-LEAVE-OUT]
	awk -F, -v but="${1-}" 'NR > 1 && $3 != "ok" && $2 != but { printf "%s%s %s%s", n++ ? ", " : "", $2, $3, $4 == "" ? "" : " " $4 } END { print "" }' "$T/out"
}
# finds SENTENCE STATUS WHAT MACHINE: that is wrong, and nothing else.
finds() {
	doctor "$4"
	is "$1" "$(wrong machine)" "$3"
	is "$1: exit status" "$rc" "$2"
}
# line CHECK: all of its record.
line() { grep -m1 "^[a-z]*,$1," "$T/out"; }

# ---- simulated machines ----
M=sim:ivt,sockets=1
finds "a machine without fault" 0 "" "$M"
finds "one that can monitor caches too" 0 "absent note" sim:bdx
has "which the line tells" "$(line caches)" "occupancy, total, local bandwidth"
caches_dump
finds "a part without a map whose caches can be monitored" 0 "map note" "sim:cpuid=$T/caches.dump"
doctor sim:spr
has "of a part in discovery tables it looks for PMUs under every name" "$(line driver)" "uncore_imc*, uncore_hbm*, uncore_type_6_*, uncore_type_14_*: not there"
doctor sim:icx
lacks "and of others under theirs" "$(line driver)" uncore_type
finds "lockdown" 4 "lockdown fail 4" "$M,lockdown=1"
has "with file and value" "$(line lockdown)" "/sys/kernel/security/lockdown: none [integrity] confidentiality"
has "on stderr is what failed" "$err" "doctor: not everything can be measured: it is not permitted (lockdown)"
finds "no msr driver, where caches need it" 3 "msr driver fail 3, absent note, RMIDs unknown" sim:bdx,msr=absent
finds "no msr driver, where nothing needs it" 0 "msr driver note" "$M,msr=absent"
finds "a filter of MSR writes" 4 "msr writes fail 4, absent note" sim:bdx,msr_writes=off
has "with what to do" "$(line "msr writes")" "msr.allow_writes=on"
finds "the same where no MSR is written" 0 "msr writes note" "$M,msr_writes=off"
finds "a function that is hidden on one socket" 0 "hidden warn" "sim:ivt,hide=ff:10.4"
has "is named, and how that was found" "$(line hidden)" "socket1.imc0.ch0: PCI function 0000:ff:10.4 is not there, though other sockets have it"
finds "a function that is hidden on all sockets" 0 "absent note" "sim:ivt,hide=ff:10.4,hide=7f:10.4"
has "is told by its ids and place" "$(line absent)" "no 8086:0eb4 at 10.4"
finds "a function that reads as all ones" 0 "all ones warn" "sim:ivt,allones=ff:10.4"
hidden=$(for d in 10 1e; do for f in 0 1 4 5; do printf ',hide=ff:%s.%s' $d $f; done; done)
finds "no channel at all" 3 "functions fail 3, absent note" "$M$hidden"
finds "an erratum of a part's caches" 0 "caches warn" sim:skx
finds "a register that cannot be read" 0 "silent warn" "$M,fail=12"
finds "none that can be read" 1 "functions fail 1, silent warn, silent warn, silent warn, silent warn" "sim:snbep,sockets=1,fail=2:EIO:forever"

# ---- counters that another process has enabled ----
S=sim:ivt,sockets=1,clock=step,state=$T/busy
"$POKE" "$S" w ff:10.4 0xd8 0x00400304 # reads, which tick
finds "a counter that another process has enabled" 0 "in use warn, left enabled warn" "$S"
has "is shown with its control" "$(line "in use")" "socket0.imc0.ch0: CTL[0] at 0xd8 = 0x00400304"
has "and with the line that frees it" "$(line "left enabled")" "\`uncorectl --state '$state' --machine '$S' reg set 'socket0.imc0.ch0.CTL[0]=0' --write --keep\`"
"$POKE" "$S" w ff:10.4 0xf4 0x00010100 # frozen
finds "a counter that is enabled and stands still" 0 "in use warn, ticking warn, left enabled warn" "$S"
has "is named, with innocent reasons" "$(line ticking)" "channel without DIMMs or asleep"
has "which counter" "$(line ticking)" "socket0.imc0.ch0.CTR[0]: read twice, 20 ms apart, the same"
lacks "that the channel itself stands still is not claimed" "$out" "channels stand still"
"$POKE" "$S" w ff:10.4 0xf0 0x00400000 # its clock
finds "a channel whose clock stands" 0 "in use warn, ticking warn, stopped warn, left enabled warn" "$S"
has "is named" "$(line stopped)" "socket0.imc0.ch0.FIXED_CTR[0] did not tick for 20 ms"
has "with the reasons there are" "$(line stopped)" "another program or the firmware froze them, the package sleeps (PC3, PC6)"
"$POKE" "$S" w ff:10.5 0xf0 0x00400000
finds "one that stands while another ticks" 0 "in use warn, ticking warn, stopped warn, left enabled warn, left enabled warn" "$S"
has "is no socket that stands" "$(line stopped)" "1 of its channels stand still"
"$POKE" "$S" w ff:10.5 0xf4 0x00010100
finds "all channels whose clocks stand" 0 "in use warn, ticking warn, stopped warn, left enabled warn, left enabled warn" "$S"
has "are a socket that is frozen" "$(line stopped)" "reg set 'socket0.global.GLOBAL_CTL.unfrz_all=1' --write --keep"
"$POKE" "$S" w ff:10.5 0xf4 0x00000000
"$POKE" "$S" w ff:10.5 0xf0 0
"$POKE" "$S" w ff:10.4 0xf0 0
finds "a socket that reads as frozen" 0 "frozen warn" "sim:ivt,sockets=2,clock=step,frz=rw,freeze=socket1"
has "is named" "$(line frozen)" "socket1: another program or the firmware froze all its counters"
has "with its release" "$(line frozen)" "reg set 'socket1.global.GLOBAL_CTL.unfrz_all=1' --write --keep"
finds "one that does not read so" 0 "" "sim:ivt,sockets=2,clock=step,freeze=socket1"
"$POKE" "$S" w ff:10.4 0xf4 0x00000000
for off in 0xdc 0xe0; do "$POKE" "$S" w ff:10.4 $off 0x00400304; done
"$POKE" "$S" w ff:10.5 0xf0 0x00400000
finds "too few free counters" 5 "in use fail 5, left enabled warn, left enabled warn" "$S"
before=$("$POKE" "$S" r ff:10.4 0xd8)
sed -n 's/.*`uncorectl \(.*--keep\)`.*/\1/p' "$T/out" >"$T/lines"
is "every box has its line" "$(wc -l <"$T/lines")" 2
while read -r words; do
	eval "\"$U\" $words" >"$T/freed" 2>&1 || not_ok "the line that frees it runs" "$words" "$(cat "$T/freed")"
done <"$T/lines"
is "before, it was enabled" "$before" 0x00400304
finds "these lines free what they say" 0 "" "$S"

# A discovery table that is of no use, beside registers that tell the same.
finds "a discovery table that reads all ones" 0 "table warn" "sim:spr,sockets=1,clock=step,table=ones"
has "is named with what it reads" "$(line table)" "0000:7e:03.0: its table reads all ones"
finds "no table is bad where all are good" 0 "" "sim:spr,sockets=1,clock=step,table=second"

# Granite Rapids has two events for the reads of a channel, and two for the writes.
G=sim:gnr,sockets=1,clock=step,state=$T/gnr
run "$U" --machine "$G" reg set 'socket0.imc0.ch0.CTL[0]=0x5' --write --keep
finds "one counter in use is too much where mem needs all four" 5 "in use fail 5, ticking warn, left enabled warn" "$G"
has "which is said" "$(line "in use")" "leaves fewer than 4 of 1"

# ---- caches that another process monitors ----
C=sim:hsx,sockets=1,cores=2,clock=step,state=$T/caches
"$POKE" "$C" m 1 0xc8f 5
finds "a CPU that carries an RMID" 5 "absent note, RMIDs fail 5" "$C"
has "is named" "$(line RMIDs)" "of CPUs 1"
words=$(sed -n 's/.*`uncorectl \(.*--keep\)`.*/\1/p' "$T/out")
eval "\"$U\" $words" >"$T/freed" 2>&1
finds "and its line frees it" 0 "absent note" "$C"

# ---- files of the machine's operating system ----
mkdir -p "$T/files/proc/sys/kernel" "$T/files/var/run"
F=sim:hsx,sockets=1,files=$T/files
finds "a machine with files" 0 "absent note" "$F"
echo 1 >"$T/files/proc/sys/kernel/nmi_watchdog"
finds "the NMI watchdog is left alone" 0 "absent note" "$F"
has "and told" "$(line "nmi watchdog")" "/proc/sys/kernel/nmi_watchdog: 1"
echo "resctrl /sys/fs/resctrl resctrl rw 0 0" >"$T/files/proc/mounts"
finds "resctrl" 5 "absent note, resctrl fail 5" "$F"
finds "resctrl, where caches cannot be monitored" 0 "resctrl note" "$M,files=$T/files"
rm "$T/files/proc/mounts"
: >"$T/files/var/run/likwid.lock"
finds "LIKWID's lock file" 0 "absent note, LIKWID note" "$F"
rm "$T/files/var/run/likwid.lock"
mkdir -p "$T/files/var/lock"
: >"$T/files/var/lock/libpqos"
finds "a mark of pqos" 5 "absent note, pqos fail 5" "$F"
rm -r "$T/files/var/lock"
mkdir -p "$T/files/dev/shm"
printf '\001\000\000\000' >"$T/files/dev/shm/sem.Num PCM insts"
finds "a mark of PCM" 0 "PCM note" "$M,files=$T/files"
rm -r "$T/files/dev"
mkdir -p "$T/files/proc/812/fd"
ln -s 'anon_inode:[perf_event]' "$T/files/proc/812/fd/4"
echo '812 (perf) S 1 2' >"$T/files/proc/812/stat"
finds "a process that has perf events" 0 "absent note, perf note" "$F"
has "is named with the descriptor" "$(line perf)" "/proc/812/fd/4"
rm -r "$T/files/proc/812"
mkdir -p "$T/files/sys/bus/event_source/devices/uncore_imc_0"
finds "the kernel's driver" 0 "absent note, driver note" "$F"
rm -r "$T/files/sys"
B64=/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
mkdir -p "$T/files${B64%/*}"
printf '\006\000\000\000\001' >"$T/files$B64"
finds "Secure Boot" 0 "secure boot note, absent note" "$F"
has "by the last byte of its variable" "$(line "secure boot")" "$B64: 1"
finds "Secure Boot that locks the kernel down" 4 "lockdown fail 4, secure boot note, absent note" "$F,lockdown=1"
has "is what to turn off" "$(line lockdown)" "turn Secure Boot off"
printf '\006\000\000\000\000' >"$T/files$B64"
finds "Secure Boot that is off" 0 "absent note" "$F"
rm -r "$T/files/sys"
mkdir -p "$T/files/sys/module/msr/parameters"
echo default >"$T/files/sys/module/msr/parameters/allow_writes"
finds "a kernel that logs MSR writes" 0 "msr writes note, absent note" "$F"

# ---- a virtual machine ----
"$U" --machine sim:ivt record "$T/unused" -- list >/dev/null 2>&1
cat >"$T/guest.raw" <<'END'
basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69
basic_cpuid[1]=000306e4 00200800 9fbee3ff bfebfbff
END
mkdir -p "$T/guest"
cp "$T/guest.raw" "$T/guest/cpuid.raw"
doctor "root:$T/guest"
has "a hypervisor's bit is seen" "$(line virtual)" "CPUID leaf 0x1 ECX bit 31 is 1"
is "a guest without functions is none to be measured" "$rc" 3
has "for want of functions" "$err" "(functions"

# ---- a folder with a machine's files ----
octal() { printf '\\%03o' "$(($1))"; }
config() { # ADDR DEVICE BYTES
	dir=$root/sys/bus/pci/devices/0000:$1
	mkdir -p "$dir"
	head -c "$3" /dev/zero >"$dir/config"
	# shellcheck disable=SC2059 # the bytes are the format
	printf "$(octal 0x86)$(octal 0x80)$(octal "$2 & 255")$(octal "$2 >> 8")" | dd of="$dir/config" conv=notrunc status=none
}
ubox() { # VALUE-AT-0x54 little endian
	# shellcheck disable=SC2059
	printf '\210\306\372\000' | dd of="$root/sys/bus/pci/devices/0000:ff:0b.0/config" bs=1 seek=84 conv=notrunc status=none
}
# A Xeon E5-2600, as much of it as is needed; leaf 7 announces no monitoring.
{
	printf 'basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n'
	printf 'basic_cpuid[7]=00000000 00000000 00000000 00000000\n'
} >"$T/cpuid.raw"
make_tree() { # BYTES of each config file
	mkdir -p "$root/proc/sys/kernel" "$root/dev/cpu/0" "$root/sys/devices/system/cpu/cpu0/topology"
	cp "$T/cpuid.raw" "$root/cpuid.raw"
	head -c 8192 /dev/zero >"$root/dev/cpu/0/msr"
	echo 0 >"$root/sys/devices/system/cpu/online"
	echo 0 >"$root/sys/devices/system/cpu/present"
	echo 0 >"$root/sys/devices/system/cpu/cpu0/topology/physical_package_id"
	echo 'sysfs /sys sysfs rw,nosuid 0 0' >"$root/proc/mounts"
	config ff:0b.0 0x3ce0 "$1"
	[ "$1" -gt 64 ] && ubox
	for f in 0 1 4 5; do config "ff:10.$f" 0x3cb$f "$1"; done
}
root=$T/tree
make_tree 256
# The user who runs this decides whether the lines about the rights are ok: they have tests of their own.
rights() { grep -v -e '^rights,' -e ',container,' "$T/out" >"$T/rest" && mv "$T/rest" "$T/out"; }
in_tree() { # SENTENCE WHAT
	doctor "root:$root"
	rights
	is "$1" "$(wrong)" "$2"
}
in_tree "a folder that has everything" ""
mv "$root/proc" "$root/gone"
in_tree "a folder without proc" "root warn, nmi watchdog unknown, others unknown"
has "which is named" "$(line root)" "/proc (the other programs)"
mv "$root/gone" "$root/proc"
mv "$root/dev" "$root/gone"
in_tree "a folder without dev/cpu" "root note, msr driver note"
mv "$root/gone" "$root/dev"
echo 'sysfs /sys sysfs ro,nosuid 0 0' >"$root/proc/mounts"
in_tree "/sys that is read-only" "sysfs fail 4"
is "is a matter of permission" "$rc" 4
echo 'sysfs /sys sysfs rw,nosuid 0 0' >"$root/proc/mounts"
mkdir -p "$root/sys/kernel/security"
echo 'none integrity [confidentiality]' >"$root/sys/kernel/security/lockdown"
in_tree "lockdown by a file" "lockdown fail 4"
rm -r "$root/sys/kernel"
mkdir -p "$root/drivers/snbep_uncore"
ln -s ../../../../drivers/snbep_uncore "$root/sys/bus/pci/devices/0000:ff:10.0/driver"
in_tree "a driver that is bound" "driver note"
has "by its link" "$(line driver)" "/sys/bus/pci/devices/0000:ff:10.0/driver: leads to snbep_uncore"
rm "$root/sys/bus/pci/devices/0000:ff:10.0/driver"
rm "$root/cpuid.raw"
doctor "root:$root"
is "a folder without CPUID can still be asked" "$rc" 3
has "and says which CPU cannot be known" "$(line cpu)" "neither $root/dev/cpu/0/cpuid nor $root/cpuid.raw is there"
root=$T/bare
make_tree 64
in_tree "configuration space that is cut" "config space fail 4"
has "is shown where" "$(line "config space")" "only the first 64 bytes can be read"
rm -r "$root/sys/bus"
in_tree "no PCI at all" "functions fail 3"

# ---- journals ----
state=$T/killed-journals
J=sim:ivt,sockets=1,clock=step,state=$T/killed
"$U" --state "$state" --machine "$J,kill=60:after" mem -n 3 >/dev/null 2>&1
doctor "$J"
is "a killed program's journal" "$(wrong machine | grep -c 'journals warn')" 1
has "is shown with the command that puts back" "$(line journals)" "\`uncorectl --state '$state' --machine '$J' recover\`"
lacks "and what it left is not called another program's" "$(wrong machine)" "left enabled"
C=sim:hsx,sockets=1,cores=2,clock=step,state=$T/killed-caches
"$U" --state "$state" --machine "$C,kill=26:after" llc -n 3 --cpus 1 >/dev/null 2>&1
doctor "$C"
is "RMIDs that a killed program has left" "$(line RMIDs | cut -d, -f 3,4)" "fail,5"
has "are put back by recover" "$(line RMIDs)" "\`uncorectl --state '$state' --machine '$C' recover\`"

state=$T/journals

# ---- another instance ----
R=sim:bdx,sockets=1,cores=2,state=$T/running
for command in "mem" "llc --cpus 0"; do
	mkfifo "$T/samples"
	# shellcheck disable=SC2086
	"$U" --state "$state" --machine "$R" $command -i 0.1 --format csv -o "$T/samples" 2>"$T/other" &
	other=$!
	exec 9<"$T/samples"
	read -r _ <&9
	doctor "$R"
	kill -TERM $other
	cat <&9 >/dev/null
	exec 9<&-
	over $other
	rm "$T/samples"
	is "another uncorectl $command" "$rc" 5
	case $command in mem) name=uncorectl ;; *) name=RMIDs ;; esac
	has "is named by its process" "$(line $name)" "process $other ("
	has "is who fails" "$err" "another program uses it ($name)"
done
finds "when they have ended" 0 "absent note" "$R"

mkdir "$T/open"
chmod 755 "$T/open"
state=$T/open
finds "a state folder that others may look into" 4 "state folder fail 4" "$S"
state=$T/journals
mkdir "$T/read-only"
chmod 700 "$T/read-only"
if unshare -m mount -t tmpfs none "$T/read-only" 2>/dev/null; then
	run unshare -m sh -c 'mount -t tmpfs -o ro,mode=700 none "$1" && "$2" --state "$1" --machine "$3" doctor --format csv' \
		- "$T/read-only" "$U" "$S"
	has "a state folder that is read-only" "$(line "state folder")" "make a file there: Read-only file system"
	is "is a failure" "$(line "state folder" | cut -d, -f 3)" fail
else
	skip "a state folder that is read-only" "no file system can be mounted here"
fi

# ---- who runs it ----
cp "$U" "$T/mine"
chmod 755 "$T" "$(dirname "$T")" "$T/mine"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$T/mine" --state "$T/none" --machine live doctor --format csv
	has "an ordinary user may not write" "$(line user)" "user 65534 may not open registers for writing"
	has "and lacks capabilities" "$(line capabilities)" "lacks CAP_SYS_ADMIN"
	is "that is a failure" "$(line user | cut -d, -f 3,4)" "fail,4"
	mkdir -m 777 "$T/theirs"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$T/mine" --state /run/none --machine "sim:ivt,state=$T/theirs/none" doctor --format csv
	is "and cannot make a folder anywhere" "$(line "state folder" | cut -d, -f 3,4)" "fail,4"
	run setpriv --bounding-set -sys_rawio --inh-caps -sys_rawio "$T/mine" --state "$T/none" --machine live doctor --format csv
	has "root without CAP_SYS_RAWIO" "$(line capabilities)" "lacks CAP_SYS_RAWIO (for MSRs)"
	is "that alone" "$(line user | cut -d, -f 3)" ok
	run unshare -U -r "$T/mine" --state "$T/none" --machine live doctor --format csv
	if [ -n "$out" ]; then
		has "root of a user namespace is none" "$(line namespace)" "in a user namespace"
		is "a failure" "$(line namespace | cut -d, -f 3,4)" "fail,4"
	else
		skip "root of a user namespace is none" "no user namespace can be made here"
	fi
else
	skip "an ordinary user may not write" "this is not root, or there is no setpriv"
fi

# ---- what it writes ----
rm -f "$T/trace"
run "$U" --state "$T/none" --machine "$S" --trace "$T/trace" doctor
check "registers are read" [ "$(grep -c ' r' "$T/trace")" -gt 8 ]
is "and none is written" "$(grep -c ' w[0-9]' "$T/trace")" 0
check "no folder is made" [ ! -e "$T/none" ]

# ---- the page, and records of it ----
sizes() { # SENTENCE WIDTH
	script -qec "stty cols $2 rows 24; \"$U\" --machine sim:bdx,lockdown=1 doctor" /dev/null </dev/null 2>/dev/null | tr -d '\r' | grep -v '^uncorectl: ' >"$T/page"
	is "$1: no line is wider" "$(awk -v w="$2" 'length > w' "$T/page")" ""
	is "$1: no line ends in a blank" "$(grep -c ' $' "$T/page")" 0
	is "$1: all of it is there" "$(tr -s ' \n' '  ' <"$T/page" | grep -c 'do boot without lockdown=')" 1
}
sizes "40 columns" 40
sizes "80 columns" 80
sizes "200 columns" 200
run "$U" --machine sim:bdx doctor
is "in a pipe it has 80 columns" "$(awk 'length > 80' "$T/out")" ""
has "an ok has its evidence behind it" "$out" "ok      virtual       no virtual machine (CPUID leaf 0x1 ECX bit 31 is 0)"
has "it ends with a sum" "$out" "Everything needed is there. Failed: 0, warnings: 0, unknown: 0."
run "$U" --machine sim:bdx doctor -o "$T/page.csv" --format csv
is "-o writes a file" "$(head -1 "$T/page.csv")" "theme,check,state,status,finding,evidence,what_to_do"
is "every line has evidence" "$("$U" --machine sim:bdx,lockdown=1 doctor --format jsonl 2>/dev/null | grep -c '"evidence":null')" 0
is "and all that is not ok has something to do" "$("$U" --machine sim:bdx,lockdown=1 doctor --format jsonl 2>/dev/null | grep -v '"state":"ok"' | grep -c '"what_to_do":null')" 0
if command -v python3 >/dev/null; then
	check "JSON lines are JSON" python3 -c 'import json, subprocess, sys
for line in subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines():
    json.loads(line)' "$U" --machine sim:bdx,msr_writes=off doctor --format jsonl
else
	skip "JSON lines are JSON" "there is no python3"
fi
for machine in live sim:bdx,lockdown=1 "root:$T/tree"; do
	"$U" --machine "$machine" record "$T/rec" -- doctor >"$T/first" 2>"$T/err"
	first=$?
	"$U" --machine "replay:$T/rec" >"$T/second" 2>>"$T/err"
	is "a replay ends as the record of ${machine%%[:,]*} did" "$?" "$first"
	check "and prints the same" cmp "$T/first" "$T/second"
done
is "the record has no path of ours" "$(grep -c "$T" "$T/rec")" 0
refused "a machine that makes no sense is wrong usage" 2 "no such kind of machine" "$U" --machine x doctor
refused "a map that makes no sense, too" 2 "No such file or directory" "$U" --regs "$T/nowhere" --machine sim:ivt doctor
refused "it takes no argument" 2 "it takes no argument" "$U" doctor x
