# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# root:DIR on plain files: a captured or made-up machine, with little in it.  Such registers do not tick, but what is read
# and written where, what is missing, and who is refused can all be seen.
. tests/lib.sh

octal() { printf '\\%03o' "$(($1))"; }
# config ADDR VENDOR DEVICE [BYTES]: a function's configuration space, all else zero.
config() {
	dir=$root/sys/bus/pci/devices/$1
	mkdir -p "$dir"
	head -c "${4:-256}" /dev/zero >"$dir/config"
	# shellcheck disable=SC2059 # the bytes are the format
	printf "$(octal "$2 & 255")$(octal "$2 >> 8")$(octal "$3 & 255")$(octal "$3 >> 8")" |
		dd of="$dir/config" conv=notrunc status=none
}
dword() { # ADDR OFFSET VALUE
	# shellcheck disable=SC2059
	printf "$(octal "$3 & 255")$(octal "$3 >> 8 & 255")$(octal "$3 >> 16 & 255")$(octal "$3 >> 24 & 255")" |
		dd of="$root/sys/bus/pci/devices/$1/config" bs=1 seek=$(($2)) conv=notrunc status=none
}
cpuid() { # a Xeon E5-2600, as much of it as is needed
	printf 'basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n'
}
socket() { # DOMAIN:BUS NODE-ID
	config "$1:0b.0" 0x8086 0x3ce0
	dword "$1:0b.0" 0x40 "$2"
	dword "$1:0b.0" 0x54 0x00fac688 # entry i is node i
	config "$1:10.0" 0x8086 0x3cb0
	config "$1:10.1" 0x8086 0x3cb1
	config "$1:10.4" 0x8086 0x3cb4
	config "$1:10.5" 0x8086 0x3cb5
}

root=$T/tree
mkdir -p "$root"
cpuid >"$root/cpuid.raw"
socket 0000:7f 0
socket 0000:ff 1
config 0000:00:10.0 0x8086 0x1234 # something else in the place of a channel
config 0000:05:00.0 0x10de 0x0001
M=root:$root
find "$root" -name config -exec md5sum {} + | sort >"$T/before"

run "$U" --machine "$M" list --format csv
is "list needs no more than config files and CPUID" "$rc" 0
is "eight channels are idle" "$(grep -c ',idle,' "$T/out")" 8
has "the missing topology is said" "$err" "sockets is taken from PCI alone"
run "$U" --machine "$M" --trace "$T/trace" mem -i 0.05 -n 2 --format csv
is "mem succeeds" "$rc" 0
is "files in which no clock ticks have no number" "$(column read_count | sort -u) $(column flags | sort -u)" " stopped"
find "$root" -name config -exec md5sum {} + | sort >"$T/after"
check "every byte of every file is as it was" cmp "$T/before" "$T/after"
is "functions that are none of ours are not opened but to see their ids" "$(grep -c '0000:05:00.0' "$T/trace")" 0
is "a read-only command writes nothing" "$("$U" --machine "$M" --trace /dev/stdout list -o /dev/null 2>/dev/null | grep -c ' w')" 0

# A trace line by line: t_ns bus space op offset value.
is "trace lines have the documented form" "$(grep -vcE \
	'^[0-9]+ pci [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ((r|w)32 0x[0-9a-f]+ 0x[0-9a-f]{8}|rblk 0x[0-9a-f]+ [0-9a-f]+)$' "$T/trace")" 0
grep '0000:ff:10.0 w' "$T/trace" | sed 's/^[0-9]* //' >"$T/writes"
printf 'pci 0000:ff:10.0 w32 %s\n' \
	"0xf4 0x00010000" "0xf4 0x00010100" \
	"0xe0 0x00000c04" "0xe0 0x00400c04" "0xe4 0x00000304" "0xe4 0x00400304" "0xf0 0x00400000" \
	"0xf4 0x00010000" "0xf4 0x00010000" \
	"0xf0 0x00000000" "0xe4 0x00000000" "0xe0 0x00000000" "0xf4 0x00000000" >"$T/wanted"
# Released twice: that a box still stands still cannot be read, and it would count 0.
is "a box is programmed as the guide orders, and put back in reverse" "$(cat "$T/writes")" "$(cat "$T/wanted")"

# A box that was left frozen, by the firmware say, with no counter enabled: it is used, and frozen again.
dword 0000:ff:10.1 0xf4 0x00010100
dword 0000:ff:10.5 0xf4 0x00010000
find "$root" -name config -exec md5sum {} + | sort >"$T/before"
run "$U" --machine "$M" --trace "$T/trace" mem -i 0.05 -n 1 --format csv
is "a frozen box that no process uses is measured" "$(column flags | grep -c '^stopped$')" 8 # no clock ticks in files
is "it is released meanwhile" "$(grep -c '0000:ff:10.1 w32 0xf4 0x00010000' "$T/trace")" 3 # armed, released twice
find "$root" -name config -exec md5sum {} + | sort >"$T/after"
check "and every byte is as it was" cmp "$T/before" "$T/after"

# PCI domains, and a socket whose bus number is the lower one.
root=$T/domains
mkdir -p "$root"
cpuid >"$root/cpuid.raw"
socket 0000:ff 1
socket 10000:3f 0
run "$U" --machine "root:$root" mem -i 0.05 -n 1 --format csv
is "PCI domains are carried everywhere" "$(grep -c ',0,0,[0-3],10000:3f:10.' "$T/out")" 4
is "and socket numbers come from the UBOX" "$(grep -c ',1,0,[0-3],0000:ff:10.' "$T/out")" 4

# The first 64 bytes are all that a person without privileges gets from a real machine.
root=$T/cut
mkdir -p "$root"
cpuid >"$root/cpuid.raw"
socket 0000:ff 0
for at in 10.0 10.1 10.4 10.5; do truncate -s 64 "$root/sys/bus/pci/devices/0000:ff:$at/config"; done
run "$U" --machine "root:$root" list
is "configuration space cut to 64 bytes is not permitted" "$rc" 4
has "and list says so" "$out" "not permitted"
refused "mem says so too" 4 "first 64 bytes" "$U" --machine "root:$root" mem -n 1
refused "and who only looks" 4 "first 64 bytes" "$U" --machine "root:$root" mem -n 1 --observe

# As another user, unless the run is not root anyway.
root=$T/tree
if [ "$(id -u)" = 0 ]; then
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	chmod 755 "$T" "$(dirname "$T")"
	cp "$U" "$T/uncorectl"
	UN=$T/uncorectl
else
	as_nobody() { "$@"; }
	UN=$U
	find "$root" -name config -exec chmod 444 {} +
fi
run as_nobody "$UN" --machine "$M" mem -n 1
is "without permission to write: exit status 4" "$rc" 4
has "the file is named" "$err" "/sys/bus/pci/devices/0000:7f:"
has "and what is missing" "$err" "root"
is "in one sentence" "$(grep -vc -e 'machine:' -e 'note:' "$T/err")" 1

# Who may only read can look at what others count, and opens nothing for writing.
dword 0000:ff:10.0 0xd8 0x00400304
dword 0000:ff:10.0 0xdc 0x00400c04
run as_nobody "$UN" --machine "$M" mem --observe -n 1 -i 0.05 --format csv
is "without permission to write others are observed" "$rc" 0
is "where they count, and nowhere else" "$(awk -F, 'NR > 1 { print $6, $11, $12, $13 }' "$T/out" | grep -v unprogrammed)" \
	"0000:ff:10.0   unconfirmed" # no program counts a clock there
find "$root" -name config -exec md5sum {} + | sort >"$T/before"
if command -v strace >/dev/null; then
	for command in "mem -n 1 -i 0.05" "stat -n 1 -i 0.05" list "reg dump socket1.imc0.ch0"; do
		# Where strace looks on, a sanitizer cannot look for leaks, and makes folders for its reports.
		# shellcheck disable=SC2086 # words
		run env ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS= strace -f -e trace=open,openat,openat2,creat,pwrite64,ioctl,unlink,mkdir,mkdirat -o "$T/calls" \
			"$U" --machine "$M" --observe $command
		check "strace sees $command --observe open registers" grep -q 'config".*O_RDONLY' "$T/calls"
		# But for the clock of a mounted machine, which is its time, and is asked by writing.
		is "and no file for writing, nor anything else written" \
			"$(grep -E 'O_WRONLY|O_RDWR|O_CREAT|pwrite|mkdir|unlink' "$T/calls" | grep -v '"clock"')" ""
	done
else
	skip "strace sees no file opened for writing" "there is no strace"
fi
find "$root" -name config -exec md5sum {} + | sort >"$T/after"
check "every byte of every file is as it was" cmp "$T/before" "$T/after"
dword 0000:ff:10.0 0xd8 0
dword 0000:ff:10.0 0xdc 0

# Links that lead out of the tree: another user put them into a folder that it owns, and root runs the command.
root=$T/link
mkdir -p "$root"
cpuid >"$root/cpuid.raw"
socket 0000:7f 0
for config in "$root"/sys/bus/pci/devices/0000:7f:10.[0145]/config; do
	cp "$config" "$T/victim"
	ln -sf "$T/victim" "$config"
done
cp "$T/victim" "$T/before"
touch -d 2001-02-03 "$T/victim"
refused "a link out of the tree is no channel" 3 "" "$U" --machine "root:$root" mem -n 1 -i 0.05
check "and what it leads to is as it was" cmp "$T/before" "$T/victim"
is "and was not written meanwhile" "$(date -r "$T/victim" +%F)" 2001-02-03
mkdir -p "$root/work" "$root/sys/real"
for at in 10.0 10.1 10.4 10.5; do
	rm "$root/sys/bus/pci/devices/0000:7f:$at/config"
	config "0000:7f:$at" 0x8086 "0x3cb${at#10.}"
	mv "$root/sys/bus/pci/devices/0000:7f:$at" "$root/sys/real/$at"
	ln -s "/sys/real/$at" "$root/sys/bus/pci/devices/0000:7f:$at"
done
run "$U" --machine "root:$root" mem -n 1 -i 0.05 --format csv
is "links within the tree are followed, as sysfs has them" "$rc $(grep -c ',0000:7f:10' "$T/out")" "0 4"
ln "$root/sys/real/10.0/config" "$root/second"
refused "a file with a second name is not written" 4 "this file has a second name (a hard link)" \
	"$U" --machine "root:$root" mem -n 1 -i 0.05
rm "$root/second"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$root/sys/real/10.1/config"
	refused "nor one of another user's" 4 "10.1/config: not written: this file belongs to another user" \
		"$U" --machine "root:$root" mem -n 1 -i 0.05
	chown 0 "$root/sys/real/10.1/config"
	chown -h 65534 "$root/sys/bus/pci/devices"
	refused "nor one that a link in a folder of another user's leads to" 4 "other users can change a folder or a link" \
		"$U" --machine "root:$root" mem -n 1 -i 0.05
	run "$U" --machine "root:$root" reg get socket0.imc0.ch0.CTL[0]
	is "which can be read all the same" "$rc" 0
	chown -h 0 "$root/sys/bus/pci/devices"
	chmod 1777 "$root"
	refused "nor one in a tree where others can add files" 4 "link/: others than root and you can change this folder" \
		"$U" --machine "root:$root" mem -n 1 -i 0.05
	chmod 755 "$root"
else
	skip "files and folders of other users are not written" "only root has any"
fi
rm "$root/sys/real/10.5/config"
mkfifo "$root/sys/real/10.5/config"
run timeout 20 "$U" --machine "root:$root" mem -n 1 -i 0.05 --format csv
is "a FIFO in the place of a register's file is not waited for" "$rc" 0

# What is not there.
root=$T/nopci
mkdir -p "$root"
cpuid >"$root/cpuid.raw"
refused "a tree without PCI names the folder that is missing" 3 "$root/sys/bus/pci/devices" "$U" --machine "root:$root" mem -n 1
root=$T/other
mkdir -p "$root"
printf 'basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=000506c9 00200800 1fbee3ff bfebfbff\n' >"$root/cpuid.raw"
refused "a CPU that no map fits is named" 3 "GenuineIntel family 6 model 0x5c stepping 9" "$U" --machine "root:$root" mem -n 1
echo nonsense >"$root/cpuid.raw"
refused "a dump that is none is refused with its line" 2 "cpuid.raw:1" "$U" --machine "root:$root" mem -n 1

# The processor of a real machine.
dump=../shared/cpuid/intel-xeon-cpu-e5-2687w-0.test
if [ -e "$dump" ]; then
	root=$T/tree
	cp "$dump" "$root/cpuid.raw"
	run "$U" --machine "root:$root" list
	has "the E5-2687W is recognised from its raw CPUID" "$out" "Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz"
	has "its leaf 0xf, which answers garbage, is not believed" "$out" "no monitoring (CMT, MBM): CPUID leaf 0xf lies beyond"
else
	skip "the E5-2687W is recognised from its raw CPUID" "there is no $dump"
fi
