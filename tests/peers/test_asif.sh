# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# asif: a program that asks the processor itself hears what the machine below TREE says.
. tests/lib.sh

asif=$B/tests/peers/asif whoami=$B/tests/peers/whoami library=$B/tests/peers/whoami_lib.so

# What is found needs no machine.
for file in "$whoami" "$library" /usr/sbin/pcm-memory "$(ldconfig -p | sed -n 's/.* => \(.*liblikwid\.so.*\)/\1/p' | head -1)"; do
	[ -e "$file" ] || continue
	is "the instructions found in ${file##*/} are those that objdump sees" \
		"$("$asif" -l "$file" | awk '{ print $3 }' | sort | uniq -c)" \
		"$(objdump -d --no-show-raw-insn "$file" | awk '$2 ~ /^(cpuid|rdtscp?)$/ { print $2 }' | sort | uniq -c)"
done
is "nothing is found in the C library" "$("$asif" -l /lib/x86_64-linux-gnu/libc.so.6)" ""

# A machine of plain files: 12 CPUs of which 3 is offline, of two nodes; leaf 0xB gives CPU N the id 100 + N.  (In a plain file leaves that
# are less than 16 apart lie over one another, so that few can be given.)
tree=$T/tree
word() { printf '%b' "$(printf '\\0%03o\\0%03o\\0%03o\\0%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"; }
put() { # FILE OFFSET EAX EBX ECX EDX
	{ word "$3" && word "$4" && word "$5" && word "$6"; } | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
mkdir -p "$tree/sys/devices/system/cpu" "$tree/sys/devices/system/node/node1"
echo 0-2,4-11 >"$tree/sys/devices/system/cpu/online"
echo 0-11 >"$tree/sys/devices/system/cpu/possible"
for cpu in 0 1 2 4 5 6 7 8 9 10 11; do
	mkdir -p "$tree/dev/cpu/$cpu"
	cpuid=$tree/dev/cpu/$cpu/cpuid
	: >"$cpuid"
	put "$cpuid" $((0x80000002)) 0x20202020 0x20202020 0x20202020 0x20202020
	put "$cpuid" $((0x80000004)) 0x20402020 0x30322e35 0x007a4847 0 # "  @ 5.20GHz"
	put "$cpuid" $((0xb)) 1 2 0x100 $((100 + cpu))
	put "$cpuid" $(((1 << 32) + 0xb)) 5 24 0x201 $((100 + cpu))
	put "$cpuid" $((0x40)) 0 0x756d6973 0x68636e69 0x6574616c
	ln -s . "$tree/sys/devices/system/node/node1/cpu$cpu"
done

asif_run() { run timeout 60 "$asif" "$@"; }
asif_run "$tree" "$whoami" cpuid 0xb 0 cpuid 0xb 1
is "leaf and sub-leaf are those of the first CPU" "$out" "00000001 00000002 00000100 00000064
00000005 00000018 00000201 00000064"
asif_run -c 7 "$tree" "$whoami" cpuid 0xb 0 rdtscp
is "-c chooses another CPU, whose number RDTSCP gives" "$out" "00000001 00000002 00000100 0000006b
1 7"
asif_run "$tree" "$whoami" affinity 11 affinity 3 affinity 999
is "affinity decides who answers, and a CPU that is not online is refused" "$out" "1 11 11 111
refused
refused"
asif_run "$tree" "$whoami" rate
check "without a counter to read, time runs at the rate in the brand string" near "$out" 5200000000 1
for cpu in 0 1 2; do
	truncate -s 32 "$tree/dev/cpu/$cpu/msr"
done
asif_run "$tree" "$whoami" rate
is "with one, it is what that says" "$out" 0
asif_run -r "$tree" "$whoami" rate
check "-r does without it" near "$out" 5200000000 1
rm "$tree"/dev/cpu/[012]/msr
asif_run "$tree" "$whoami" loaded "$library"
is "a library that is loaded later is answered too, and numbers in code are left alone" "$out" "simulateinch"
asif_run "$tree" "$whoami" affinity 5 fork affinity 8 exec affinity 2
is "children and programs started in their place are followed" "$out" "1 5 5 105
1 8 8 108
1 2 2 102"
asif_run "$tree" "$whoami" each
is "so are threads" "$(echo "$out" | tr ' ' '\n' | grep -c '^10[0-9]$')" "$(getconf _NPROCESSORS_CONF)"
# The same with all the machine's CPUs, where /sys can be covered.
if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # of the inner shell
	run timeout 60 unshare -m sh -c 'mount --bind "$1/sys/devices/system/cpu" /sys/devices/system/cpu && exec "$2" "$1" "$3" each' - "$tree" "$asif" "$whoami"
	is "twelve threads on as many CPUs, one of them offline, each ask fifty times at once" "$out" "100 101 102 - 104 105 106 107 108 109 110 111 "
else
	skip "twelve threads on as many CPUs ask at once" "no mount namespace here"
fi

asif_run "$tree" sh -c 'exit 7'
is "the exit status is the command's" "$rc" 7
# shellcheck disable=SC2016 # of the inner shell
asif_run "$tree" sh -c 'kill -USR2 $$'
is "so is a death by signal" "$rc" 140
asif_run "$tree" "$T/none"
is "a command that is not there is 127" "$rc $err" "127 asif: $T/none: No such file or directory"
asif_run "$tree" "$tree/sys/devices/system/cpu/online"
is "one that is no program is 126" "$rc $err" "126 asif: $tree/sys/devices/system/cpu/online: Permission denied"
# shellcheck disable=SC2016 # of the inner shell
"$asif" "$tree" sh -c 'trap "exit 9" TERM; echo ready; while :; do sleep 0.02; done' >"$T/ready" &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -s "$T/ready" ] && break
	sleep 0.05
done
kill -TERM $!
rc=0
wait $! || rc=$?
is "a signal is passed on" "$rc" 9
"$asif" "$tree" sh -c 'echo $$; exec sleep 60' >"$T/pid" &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -s "$T/pid" ] && break
	sleep 0.05
done
kill -KILL $!
wait $! 2>/dev/null
sleep 0.1
# It may still be there for its new parent to ask after.
is "what is traced dies with the tracer" "$(sed -n 's/^State:[[:space:]]*//p' "/proc/$(cat "$T/pid")/status" 2>/dev/null | grep -v '^Z')" ""

rm "$tree/dev/cpu/4/cpuid"
asif_run "$tree" "$whoami" affinity 4
is "an answer that cannot be had ends the command, in one sentence" "$rc $err" \
	"125 asif: CPUID on CPU 4: open $tree/dev/cpu/4/cpuid: No such file or directory"
asif_run "$T" "$whoami"
is "a tree without CPUs is no machine" "$rc $err" "125 asif: $T/sys/devices/system/cpu/online: names no CPU"
asif_run -c 3 "$tree" "$whoami"
is "-c takes a CPU that is online" "$rc $err" "2 asif: -c 3: no CPU that is online in $tree"
asif_run "$tree"
is "a command is needed" "$rc" 2
