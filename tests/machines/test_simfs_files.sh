# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncore-simfs: the files of a simulated machine, as the kernel would show and answer them; and what can go wrong with
# mounting it.
. tests/lib.sh
. tests/mounted.sh
LC_ALL=C
export LC_ALL

S=$B/uncore-simfs
# no_mount SENTENCE STATUS PART ARGUMENT...: that status, one sentence with PART in it, and nothing is mounted.
no_mount() {
	what=$1 status=$2 part=$3
	shift 3
	run timeout 10 "$S" "$@"
	if [ "$rc" = "$status" ] && [ -z "$out" ] && [ "$(wc -l <"$T/err")" = 1 ] && ! mountpoint -q "$mnt"; then
		has "$what" "$err" "$part"
	else
		not_ok "$what" "status $rc, wanted $status" "stdout: $out" "stderr: $err"
	fi
}
mkdir -p "$mnt"
: >"$T/file"
printf 'format: uncorectl-load/1\nchannels:\n  socket7.imc0.ch0: {read: 1}\n' >"$T/load"
no_mount "without arguments it tells its usage" 2 usage:
no_mount "an argument too many is refused" 2 usage: sim:snbep "$mnt" more
no_mount "an unknown option is refused" 2 --nonsense --nonsense sim:snbep "$mnt"
no_mount "--log needs a file" 2 --log --log
run "$S" --help
check "--help helps" [ "$rc" = 0 ]
has "on stdout" "$out" MOUNTPOINT
is "its page has the same options" "$(sed -n 's/^\.It Fl -\([a-z]*\).*/--\1/p' tools/simfs/uncore-simfs.1)" \
	"$(echo "$out" | sed -n 's/^  \(--[a-z]*\) .*/\1/p')"
run "$S" --version
is "--version is that of uncorectl" "$rc $out" "0 $("$U" --version | sed 's/uncorectl/uncore-simfs/')"
no_mount "only simulated machines are mounted" 2 sim: live "$mnt"
no_mount "an unknown model is refused" 2 z80 sim:z80 "$mnt"
no_mount "an unknown key is refused" 2 colour sim:snbep,colour=red "$mnt"
no_mount "a number out of range is refused" 2 sockets sim:snbep,sockets=9 "$mnt"
no_mount "options that contradict each other are refused" 2 offline sim:snbep,sockets=1,cores=1,threads=1,offline=0 "$mnt"
no_mount "a function that is not there cannot be hidden" 2 12:03.4 sim:snbep,hide=12:03.4 "$mnt"
no_mount "a load file must be there" 2 "$T/none" "sim:snbep,load=$T/none" "$mnt"
no_mount "and fit the machine" 2 socket7 "sim:snbep,load=$T/load" "$mnt"
no_mount "a missing mount point is refused" 2 "No such file" sim:snbep "$T/nowhere"
no_mount "a file is no mount point" 2 "not a directory" sim:snbep "$T/file"
no_mount "a log that cannot be opened is refused" 2 --log --log "$T/nowhere/log" sim:snbep "$mnt"

if ! mount_machine sim:bdx,sockets=2,clock=step,offline=3; then
	unmount
	skip "uncore-simfs shows a machine as its files" "no FUSE here: $(cat "$T/server")"
	exit 0
fi

# By offset, which dd(1) will not do in a file of size 0.
rd() { # FILE OFFSET LENGTH: what one read gives, in hex; "!" and why, if it failed
	perl -e 'open F, "<", $ARGV[0] and sysseek F, $ARGV[1], 0 and defined sysread F, $b, $ARGV[2] or print "!$!";
		print unpack "H*", $b' "$mnt/$1" "$2" "$3"
}
wr() { # FILE OFFSET HEX: how many bytes were written; "!" and why, if it failed
	perl -e '$n = -1; open F, "+<", $ARGV[0] and sysseek F, $ARGV[1], 0 and defined($n = syswrite F, pack "H*", $ARGV[2])
		and print $n or print "!$!"' "$mnt/$1" "$2" "$3"
}
shown() { cat "$mnt/$1" 2>&1; }
time_of() { awk '$1 == "raw" { print $2 }' "$mnt/clock"; }

# JSON, by its grammar (RFC 8259).
json() {
	perl -0777 -ne 'exit !/\A(?&ws)(?&value)(?&ws)\z(?(DEFINE)
		(?<ws>[ \t\n\r]*) (?<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*")
		(?<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
		(?<pair>(?&ws)(?&string)(?&ws):(?&ws)(?&value)(?&ws))
		(?<value>\{(?:(?&ws)|(?&pair)(?:,(?&pair))*)\}|\[(?:(?&ws)|(?&ws)(?&value)(?&ws)(?:,(?&ws)(?&value)(?&ws))*)\]
			|(?&string)|(?&number)|true|false|null))/x' "$1"
}

# ---- configuration space

C=sys/bus/pci/devices/0000:ff:14.0/config
P=proc/bus/pci/ff/14.0
is "sysfs has a link for each function" "$(readlink "$mnt/sys/bus/pci/devices/0000:ff:14.0")" ../../../devices/pci0000:ff/0000:ff:14.0
is "config has the mode and size of sysfs" "$(stat -L -c '%A %s %u' "$mnt/$C")" "-rw-r--r-- 256 0"
is "so has that of procfs" "$(stat -c '%A %s' "$mnt/$P")" "-rw-r--r-- 256"
vendor=$(shown sys/bus/pci/devices/0000:ff:14.0/vendor) device=$(shown sys/bus/pci/devices/0000:ff:14.0/device)
is "vendor is Intel" "$vendor" 0x8086
is "the ids are those of configuration space" "$(rd $C 0 4)" "$(echo "$vendor $device" | sed 's/0x\(..\)\(..\) 0x\(..\)\(..\)/\2\1\4\3/')"
is "procfs reads the same" "$(rd $P 0 64)" "$(rd $C 0 64)"
for read in "0 4 1" "1 7 3" "3 2 2" "2 2 1" "2 3 2" "0 256 64" "1 1 1" "5 16 6"; do
	# shellcheck disable=SC2086 # three words
	set -- $read
	for file in $C $P; do
		before=$(time_of)
		rd "$file" "$1" "$2" >"$T/part"
		is "$2 bytes at $1 of ${file%%/*} take $3 cycles" $((($(time_of) - before) / 500)) "$3"
		is "and are those of the whole" "$(cat "$T/part")" "$(rd $C 0 256 | cut -c $((2 * $1 + 1))-$((2 * ($1 + $2))))"
	done
done
for file in $C $P; do
	is "a read across the end of ${file%%/*} is cut" "$(rd "$file" 252 8 | wc -c)" 8
	is "a read beyond it gives nothing" "$(rd "$file" 256 4)" ""
	is "a write across the end is cut" "$(wr "$file" 254 00000000)" 2
done
is "a write beyond the end of sysfs is too large" "$(wr $C 256 00)" "!File too large"
is "of procfs, none" "$(wr $P 256 00)" 0
is "a register can be written" "$(wr $C $((0xd8)) 04034000) $(rd $P $((0xd8)) 4)" "4 04034000"
is "two bytes of it too" "$(wr $P $((0xd9)) 0100) $(rd $C $((0xd8)) 4)" "2 04010000"
wr $C $((0xd8)) 00000000 >"$T/part"
is "a file without registers cannot be written" "$(wr sys/bus/pci/devices/0000:ff:14.0/vendor 0 31)" "!Permission denied"
is "resource has 13 lines of nothing" "$(shown sys/bus/pci/devices/0000:ff:14.0/resource | sort | uniq -c | tr -s ' ')" " 13 0x0000000000000000 0x0000000000000000 0x0000000000000000"
has "uevent names the slot" "$(shown sys/bus/pci/devices/0000:ff:14.0/uevent)" "PCI_SLOT_NAME=0000:ff:14.0"
is "numa_node is the socket" "$(shown sys/bus/pci/devices/0000:ff:14.0/numa_node)" 1
is "and its CPUs are those of the node" "$(shown sys/bus/pci/devices/0000:ff:14.0/local_cpulist)" "$(shown sys/devices/system/node/node1/cpulist)"
is "procfs lists each function" "$(shown proc/bus/pci/devices | wc -l)" "$(find "$mnt/sys/bus/pci/devices/" -type l | wc -l)"
is "in the form of Linux" "$(shown proc/bus/pci/devices | grep -c '^[0-9a-f]\{4\}	8086[0-9a-f]\{4\}	0\(	 \{15\}0\)\{14\}	$')" "$(shown proc/bus/pci/devices | wc -l)"
is "lspci finds them" "$(lspci -A linux-sysfs -O "sysfs.path=$mnt/sys/bus/pci" -n | cut -d' ' -f3 | sort | uniq -c)" \
	"$(cut -f2 "$mnt/proc/bus/pci/devices" | sed 's/..../&:/' | sort | uniq -c)"
is "in procfs too" "$(lspci -A linux-proc -O "proc.path=$mnt/proc/bus/pci" -n)" "$(lspci -A linux-sysfs -O "sysfs.path=$mnt/sys/bus/pci" -n)"
run lspci -A linux-sysfs -O "sysfs.path=$mnt/sys/bus/pci" -s ff:14.0 -vv
has "lspci reads all that it wants" "$out" "NUMA node: 1"
setpci -A linux-sysfs -O "sysfs.path=$mnt/sys/bus/pci" -s ff:14.0 d8.l=400304
is "setpci reads what it wrote" "$(setpci -A linux-sysfs -O "sysfs.path=$mnt/sys/bus/pci" -s ff:14.0 d9.b)" 03
setpci -A linux-sysfs -O "sysfs.path=$mnt/sys/bus/pci" -s ff:14.0 d8.l=0

# ---- who asks

cd "$mnt" || exit 1 # another user may not look into the folder above
other_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
without() { # CAPABILITY COMMAND...
	lost=$1
	shift
	setpriv --bounding-set="-$lost" "$@"
}
is "another user reads 64 bytes of sysfs" "$(other_user cat $C | wc -c)" 64
is "and of procfs" "$(other_user cat $P | wc -c)" 64
is "the opener decides in sysfs" "$(other_user cat <$C | wc -c)" 256
is "the reader decides in procfs" "$(other_user cat <$P | wc -c)" 64
is "root without CAP_SYS_ADMIN reads 64 bytes" "$(without sys_admin cat $C | wc -c)" 64
is "and of procfs" "$(without sys_admin cat $P | wc -c)" 64
is "also of what it opened before" "$(without sys_admin cat <$P | wc -c)" 64
has "another user may not write" "$(other_user sh -c ": >>$C" 2>&1)" "Permission denied"
has "another user may not open MSRs" "$(other_user cat dev/cpu/0/msr 2>&1)" "Permission denied"
has "root without CAP_SYS_RAWIO neither" "$(without sys_rawio cat dev/cpu/0/msr 2>&1)" "Operation not permitted"
is "another user may see what it did" "$(other_user cat truth.json | head -c 1)" "{"
cd "$OLDPWD" || exit 1

# ---- MSRs and CPUID

is "msr is a file of root" "$(stat -c '%a %s' "$mnt/dev/cpu/0/msr")" "600 0"
is "an MSR that is not there is EIO" "$(rd dev/cpu/0/msr $((0xdead)) 8)" "!Input/output error"
is "writing one too" "$(wr dev/cpu/0/msr $((0xdead)) 0000000000000000)" "!Input/output error"
is "half an MSR is EINVAL" "$(rd dev/cpu/0/msr $((0xc8f)) 4)" "!Invalid argument"
is "writing half of one too" "$(wr dev/cpu/0/msr $((0xc8f)) 00000000)" "!Invalid argument"
is "an offline CPU is ENXIO" "$(shown dev/cpu/3/msr | sed 's/.*: //') $(shown dev/cpu/3/cpuid | sed 's/.*: //')" "No such device or address No such device or address"
is "CPUID leaf 0 names the vendor" "$(rd dev/cpu/1/cpuid 0 16 | cut -c 9-)" 47656e756e74656c696e6549
is "32 bytes are two leaves" "$(rd dev/cpu/1/cpuid 0 32)" "$(rd dev/cpu/1/cpuid 0 16)$(rd dev/cpu/1/cpuid 1 16)"
is "sub-leaves stand above bit 32" "$(rd dev/cpu/1/cpuid $((4 | 3 << 32)) 16 | cut -c 1-2)" 63
is "15 bytes are EINVAL" "$(rd dev/cpu/1/cpuid 0 15)" "!Invalid argument"
check "each CPU answers for itself" [ "$(rd dev/cpu/0/cpuid 11 16)" != "$(rd dev/cpu/1/cpuid 11 16)" ]
is "CPUID cannot be written" "$(wr dev/cpu/0/cpuid 0 31)" "!Invalid argument"

# ---- the log, which ends with the accesses above

wr $C $((0xd8)) 00000000 >"$T/part"
rd $P 1 3 >"$T/part"
rd dev/cpu/2/msr $((0xdead)) 8 >"$T/part"
is "the log has the form of --trace" "$(tail -n 3 "$T/log" | cut -d' ' -f2-)" "pci 0000:ff:14.0 w32 0xd8 0x00000000
pci 0000:ff:14.0 rblk 0x1 80$(rd $C 2 2)
msr cpu2 r64 0xdead - !EIO"
is "its times are the machine's" "$(tail -n 1 "$T/log" | cut -d' ' -f1)" $(($(time_of) - 1000000000000))

# ---- CPUs

cpu=sys/devices/system/cpu
is "CPU 3 is offline" "$(shown $cpu/offline) $(shown $cpu/online) $(shown $cpu/possible) $(shown $cpu/present) $(shown $cpu/cpu3/online)" "3 0-2,4-71 0-71 0-71 0"
is "CPU 0 cannot be taken away" "$(ls "$mnt/$cpu/cpu0")" "cache
node0
topology"
is "cpuinfo has those that are online" "$(awk '$1 == "processor" { print $3 }' "$mnt/proc/cpuinfo" | paste -sd ' ')" "$(seq 0 71 | grep -vx 3 | paste -sd ' ')"
is "threads of a core" "$(shown $cpu/cpu1/topology/thread_siblings_list) $(shown $cpu/cpu1/topology/core_cpus)" "1,37 00,00000020,00000002"
is "whose other thread is offline" "$(shown $cpu/cpu39/topology/core_cpus_list)" 39
is "packages" "$(shown $cpu/cpu18/topology/physical_package_id) $(shown $cpu/cpu18/topology/package_cpus_list)" "1 18-35,54-71"
is "cpuinfo and sysfs agree on cores" "$(awk -F ': ' '/^core id/ { print $2 }' "$mnt/proc/cpuinfo")" \
	"$(for i in $(seq 0 71); do [ "$i" = 3 ] || shown "$cpu/cpu$i/topology/core_id"; done)"
is "cpuinfo counts what is online" "$(grep -e ^siblings -e '^cpu cores' "$mnt/proc/cpuinfo" | tr -d '\t' | sort | uniq -c | tr -s ' ')" " 71 cpu cores: 18
 35 siblings: 35
 36 siblings: 36"
for flag in fpu constant_tsc nonstop_tsc arch_perfmon cqm cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local rdt_a cat_l3 avx2; do
	has "the flags have $flag" "$(grep -m 1 ^flags "$mnt/proc/cpuinfo") " " $flag "
done
has "but not what it lacks" " $(grep -m 1 ^flags "$mnt/proc/cpuinfo" | grep -cw avx512f) " " 0 "
is "the third cache is the package's" "$(shown $cpu/cpu0/cache/index3/level) $(shown $cpu/cpu0/cache/index3/type) $(shown $cpu/cpu0/cache/index3/shared_cpu_list)" \
	"3 Unified 0-2,4-17,36-53"
is "the first is the core's" "$(shown $cpu/cpu0/cache/index0/level) $(shown $cpu/cpu0/cache/index0/shared_cpu_list)" "1 0,36"
is "its size is that of cpuinfo" "$(shown $cpu/cpu0/cache/index3/size)" "$(awk '/^cache size/ { print $4 "K"; exit }' "$mnt/proc/cpuinfo")"
is "each socket is a node" "$(shown sys/devices/system/node/online) $(readlink "$mnt/$cpu/cpu20/node1") $(shown sys/devices/system/node/node1/distance)" "0-1 ../../node/node1 21 10"
is "the links between CPUs and nodes lead somewhere" "$(find "$mnt/sys/devices/system" -type l ! -exec test -e {} \; -print)" ""

mcfg=$mnt/sys/firmware/acpi/tables/MCFG
is "MCFG is as long as it says" "$(od -An -tu4 -j4 -N4 "$mcfg" | tr -d ' ')" "$(stat -c %s "$mcfg")"
is "its bytes add up to 0" "$(od -An -v -tu1 "$mcfg" | awk '{ for (i = 1; i <= NF; i++) s += $i } END { print s % 256 }')" 0
is "it has one segment of 256 buses" "$(od -An -tx1 -j 52 "$mcfg")" " 00 00 00 ff 00 00 00 00"

# ---- truth, violations, time

cat "$mnt/truth.json" >"$T/truth"
check "truth.json is JSON" json "$T/truth"
is "of eight channels" "$(grep -c '"socket": [01], "imc": [01], "channel": [01], "pci": "0000:.*"hidden": false.*"dclk": [0-9].*"cas_count.all": [0-9]' "$T/truth")" 8
has "with the time of the machine" "$(cat "$T/truth")" "\"raw_ns\": $(time_of),"
check "a read in pieces is of one moment" sh -c 'dd if="$1/truth.json" bs=1000 2>/dev/null | cmp - "$2"' - "$mnt" "$T/truth"
bytes=$(grep -m 1 -o '"read_bytes": [0-9]*' "$T/truth" | cut -d' ' -f2)
echo 1000000000 >"$mnt/clock"
is "time passes when it is told to" "$(time_of)" $(($(sed -n 's/.*"raw_ns": \([0-9]*\),/\1/p' "$T/truth") + 1000000000))
check "and the memory works" [ "$(grep -m 1 -o '"read_bytes": [0-9]*' "$mnt/truth.json" | cut -d' ' -f2)" -gt $((bytes + 1000000000)) ]
printf 5 >"$mnt/clock"
for bad in '' '\n' -1 1x 0x10 ' 1' '1 ' 1.5 99999999999999999999 18446744073709551615 '1\n\n' '1\000'; do
	is "the clock refuses \"$(printf %s "$bad" | sed 's/[\\]/%/g')\"" "$(wr clock 0 "$(printf '%b' "$bad" | od -An -v -tx1 | tr -d ' \n')")" \
		"$([ "$bad" ] && echo '!Invalid argument' || echo 0)"
done
is "the clocks are four" "$(sed 's/ [0-9]*$//' "$mnt/clock" | paste -sd ' ')" "raw mono boot real"
wr $C $((0xf4)) ffffffff >"$T/part"
check "a reserved bit that is written is a violation" [ "$(grep -c '"pci": "0000:ff:14.0", "offset": 244, "value": 4294967295, "wrong": [1-9].*"sentence": ".*"}' "$mnt/violations.json")" -ge 1 ]
cat "$mnt/violations.json" >"$T/violations"
check "violations.json is JSON" json "$T/violations"
is "a missing file is missing" "$(shown nothing | sed 's/.*: //')" "No such file or directory"

for deed in "touch $mnt/new !Permission" "mkdir $mnt/new !Operation" "rm -f $mnt/truth.json !Operation" "rmdir $mnt/proc !Operation" \
	"mv $mnt/clock $mnt/new !Operation"; do
	has "no process can ${deed%% *} there" "$(${deed% !*} 2>&1)" "${deed#*!}"
done
is "so all is as it was" "$(ls "$mnt")" "clock
dev
proc
sys
traffic
truth.json
violations.json"

# ---- a second one, and the end

run timeout 10 "$S" sim:snbep "$mnt"
is "a second mount on the same place is refused" "$rc" 2
has "and says so" "$err" "mounted there already"
is "the first is still there" "$(shown $cpu/offline)" 3
exec 3<"$mnt/$C"
unmount
is "SIGTERM is the end, open files or not" "$server_rc" 0
exec 3<&-
is "which says nothing" "$(cat "$T/server")" ""
is "nothing is mounted then" "$(ls "$mnt")" ""
for signal in INT HUP; do
	mount_machine sim:snbep,sockets=1 || not_ok "it can be mounted again" "$(cat "$T/server")"
	kill -$signal "$pid"
	over "$pid"
	is "SIG$signal too" "$? $(ls "$mnt")" "0 "
done
mount_machine sim:snbep,sockets=1,msr=absent || not_ok "it can be mounted again" "$(cat "$T/server")"
is "msr=absent leaves CPUID" "$(ls "$mnt/dev/cpu/0")" cpuid
check "without clock=step there is no clock" [ ! -e "$mnt/clock" ]
umount "$mnt"
over "$pid"
is "unmounting it from outside is its end" "$?" 0
pid=

mount_machine sim:snbep,sockets=1 || not_ok "it can be mounted again" "$(cat "$T/server")"
kill -KILL "$pid"
over "$pid"
run timeout 10 "$S" sim:snbep "$mnt"
is "where a server was killed, nothing can be mounted" "$rc" 2
has "and it says why" "$err" "whose server has gone"
umount "$mnt"
pid=

run timeout 10 "$S" --log /dev/full sim:snbep "$T/nowhere"
is "a mount point is looked at before a log" "$rc" 2
"$S" --log /dev/full sim:snbep "$mnt" 2>"$T/server" &
pid=$!
until_ is_mounted
rd sys/bus/pci/devices/0000:ff:10.0/config 0 4 >"$T/part"
unmount
is "a log that is not complete is a failure" "$server_rc" 1
has "and said to be" "$(cat "$T/server")" "not complete"

# In a mount namespace of our own, where /dev is empty.
if unshare -m true 2>/dev/null; then
	run unshare -m sh -c 'mount -t tmpfs none /dev && exec "$0" sim:snbep "$1"' "$S" "$mnt"
	is "without FUSE it cannot be" "$rc" 3
	has "and says why" "$err" /dev/fuse
else
	skip "without FUSE it cannot be" "no mount namespaces here"
fi
run setpriv --bounding-set=-sys_admin timeout 10 "$S" sim:snbep "$mnt"
is "without the right to mount it is not permitted" "$rc" 4
is "in one sentence" "$(wc -l <"$T/err")" 1

# ---- domains

mount_machine sim:skx,sockets=4,domains=2,clock=step || not_ok "skx is mounted" "$(cat "$T/server")"
bus=$(basename "$(find "$mnt/proc/bus/pci" -name '0001:*' | sort | tail -1)")
check "buses of other domains say so" [ -d "$mnt/proc/bus/pci/$bus" ]
file=$(find "$mnt/proc/bus/pci/$bus" -type f | sort | head -1)
is "and their files are those of sysfs" "$(od -An -tx4 -N 64 "$file")" "$(od -An -tx4 -N 64 "$mnt/sys/bus/pci/devices/$bus:${file##*/}/config")"
is "configuration space has 4096 bytes there" "$(wc -c <"$file")" 4096
is "MCFG has both domains" "$(od -An -v -tu2 -w16 -j 44 "$mnt/sys/firmware/acpi/tables/MCFG" | awk '{ print $5 }' | paste -sd ' ')" "0 1"
unmount

# ---- what goes wrong

C=sys/bus/pci/devices/0000:ff:10.0/config
for fault in "EIO !Input/output error" "EPERM !Operation not permitted" "ENODEV !No such device" "ENXIO !No such device or address"; do
	mount_machine "sim:snbep,clock=step,fail=2:${fault%% *}" || not_ok "$fault is mounted" "$(cat "$T/server")"
	is "fail=2:${fault%% *}: the first access is as ever" "$(rd $C 0 2)" 8680
	is "the second fails by that name" "$(rd $C 0 2)" "${fault#* }"
	is "so does the log say" "$(tail -n 1 "$T/log" | cut -d' ' -f2-)" "pci 0000:ff:10.0 rblk 0x0 - !${fault%% *}"
	is "the third is as ever" "$(rd $C 0 2)" 8680
	unmount
done
mount_machine "sim:snbep,clock=step,fail=1:short:forever" || not_ok "short is mounted" "$(cat "$T/server")"
is "fail=1:short: half of the bytes" "$(rd $C 0 4)" 8680
unmount
mount_machine "sim:snbep,clock=step,fail=1:ones" || not_ok "ones is mounted" "$(cat "$T/server")"
is "fail=1:ones: all ones" "$(rd $C 0 4)" ffffffff
unmount
mount_machine "sim:snbep,clock=step,fail=1:drop" || not_ok "drop is mounted" "$(cat "$T/server")"
is "fail=1:drop: a write is lost" "$(wr $C $((0xd8)) 04) $(rd $C $((0xd8)) 1)" "1 00"
unmount
mount_machine "sim:hsx,clock=step,lose=2:2" || not_ok "lose is mounted" "$(cat "$T/server")"
H=sys/bus/pci/devices/0000:ff:14.0/config
is "lose=2:2: the first write is done" "$(wr $H $((0xd8)) 04) $(rd $H $((0xd8)) 1)" "1 04"
is "the second is lost, whatever was read before" "$(wr $H $((0xd8)) 05) $(rd $H $((0xd8)) 1)" "1 04"
is "so is the third" "$(wr $H $((0xd8)) 06) $(rd $H $((0xd8)) 1)" "1 04"
is "the fourth is done" "$(wr $H $((0xd8)) 07) $(rd $H $((0xd8)) 1)" "1 07"
unmount
mount_machine "sim:snbep,clock=step,vanish=ff:10.0@2" || not_ok "vanish is mounted" "$(cat "$T/server")"
is "vanish: a function is there at first" "$(rd $C 0 2)" 8680
echo 2000000000 >"$mnt/clock"
is "and then reads all ones" "$(rd $C 0 2)" ffff
unmount
mount_machine "sim:snbep,clock=step,lockdown=1" || not_ok "lockdown is mounted" "$(cat "$T/server")"
for file in $C proc/bus/pci/ff/10.0; do
	is "lockdown=1: ${file%%/*} cannot be written" "$(wr "$file" $((0xd8)) 04) $(rd "$file" $((0xd8)) 1)" "!Operation not permitted 00"
done
is "nor can MSRs" "$(wr dev/cpu/0/msr $((0xc8f)) 0000000000000000)" "!Operation not permitted"
is "and the kernel says so" "$(shown sys/kernel/security/lockdown) $(shown sys/module/msr/parameters/allow_writes)" "none [integrity] confidentiality on"
unmount
mount_machine "sim:snbep,clock=step,msr_writes=off" || not_ok "msr_writes=off is mounted" "$(cat "$T/server")"
is "msr_writes=off: configuration space can be written" "$(wr $C $((0xd8)) 04)" 1
is "MSRs cannot" "$(wr dev/cpu/0/msr $((0xc8f)) 0000000000000000)" "!Operation not permitted"
is "and the driver says so" "$(shown sys/module/msr/parameters/allow_writes) $(shown sys/kernel/security/lockdown)" "off [none] integrity confidentiality"
unmount
for when in before:00 after:04; do
	mount_machine "sim:snbep,clock=step,kill=2:${when%:*}" || not_ok "kill is mounted" "$(cat "$T/server")"
	is "kill=2: the first access kills no process" "$(rd $C 0 2)" 8680
	run sh -c 'printf "\4" | dd of="$1" bs=1 oflag=seek_bytes seek=216 conv=notrunc; echo $?' - "$mnt/$C"
	is "the second kills the client" "$out" 137
	is "${when%:*} its effect" "$(rd $C $((0xd8)) 1)" "${when#*:}"
	unmount
	is "and not the server" "$server_rc" 0
done
