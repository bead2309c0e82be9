# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncore-simqemu: what it starts QEMU with, what it answers, what it writes, and how it ends.  A program that speaks as QEMU
# does over the sockets in its arguments stands in for QEMU; tests/vm has the real one.
. tests/lib.sh
LC_ALL=C
export LC_ALL

S=$B/uncore-simqemu
FAKE=$B/tests/fakeqemu
sq() { "$S" --qemu "$FAKE" "$@"; }

# no_start SENTENCE STATUS PART ARGUMENT...: that status, one sentence with PART in it, and no QEMU.
no_start() {
	what=$1 status=$2 part=$3
	shift 3
	run timeout 10 "$S" --qemu "$T/no-qemu" "$@"
	if [ "$rc" = "$status" ] && [ -z "$out" ] && [ "$(wc -l <"$T/err")" = 1 ]; then
		has "$what" "$err" "$part"
	else
		not_ok "$what" "status $rc, wanted $status" "stdout: $out" "stderr: $err"
	fi
}
no_start "without arguments it tells its usage" 2 usage:
no_start "without -- it tells what is missing" 2 "sim:snbep: -- is missing" sim:snbep
no_start "without a machine too" 2 usage: -- -m 1
no_start "two machines are one too many" 2 usage: sim:snbep sim:snbep --
no_start "an unknown option is refused" 2 --nonsense --nonsense sim:snbep --
no_start "--log needs a file" 2 --log --log
no_start "only simulated machines are served" 2 live live --
no_start "an unknown model is refused" 2 z80 sim:z80 --
no_start "a machine without functions has nothing for QEMU" 2 "no PCI functions" sim:zen2 --
no_start "a locked down kernel is the guest's" 2 lockdown=integrity sim:snbep,lockdown=1 --
no_start "other PCI domains are refused" 2 "no PCI domain but 0; take domains=1" sim:snbep,domains=2 --
no_start "so is memory of no size" 2 "-m lots" sim:snbep -- -m lots
no_start "QEMU is not to leave us" 2 -daemonize sim:snbep -- -daemonize
no_start "a log that cannot be opened is refused" 2 "--log $T/none/log" --log "$T/none/log" sim:snbep --
no_start "so is a truth that cannot be written" 2 "--truth $T/none/t" --truth "$T/none/t" sim:snbep --
no_start "and violations that cannot" 2 "--violations $T/none/v" --violations "$T/none/v" sim:snbep --
no_start "where there is no QEMU its package is named" 3 qemu-system-x86 sim:snbep --
: >"$T/no-qemu"
no_start "a file that is no program is told" 4 "Permission denied" sim:snbep --
run env FAKEQEMU_KNOWS_NO_PROXY=1 "$S" --qemu "$FAKE" sim:snbep --
is "a QEMU without such a device ends with its own status" "$rc" 1
has "and it is said what it lacks" "$err" "uncore-simqemu: $FAKE has no device x-pci-proxy-dev"

run "$S" --help
check "--help helps" [ "$rc" = 0 ]
is "its page has the same options" "$(sed -n 's/^\.It Fl -\([a-z]*\).*/--\1/p' tools/simqemu/uncore-simqemu.1)" \
	"$(echo "$out" | sed -n 's/^  \(--[a-z]*\) .*/\1/p')"
run "$S" --version
is "--version is that of uncorectl" "$rc $out" "0 $("$U" --version | sed 's/uncorectl/uncore-simqemu/')"

# ---- what QEMU is started with ----

words() { # MACHINE ARGUMENT...: without the numbers of descriptors; what is noted goes to T/note
	words_of=$1
	shift
	"$S" --print "$words_of" -- "$@" 2>"$T/note" | sed 's/,fd=[0-9]*,/,fd=N,/'
}
of_option() { # OPTION: its values, in T/words
	awk -v o="$1" 'before == o { print } { before = $0 }' "$T/words"
}
words sim:snbep,sockets=1 -kernel k >"$T/words"
is "no note is needed for a healthy machine" "$(cat "$T/note")" ""
is "the computer has shared memory" "$(of_option -M) $(of_option -object) $(of_option -m)" \
	"q35,memory-backend=simqemu-memory0 memory-backend-memfd,id=simqemu-memory0,size=536870912,share=on 512"
is "one CPU for its socket" "$(of_option -smp)" 1,sockets=1
is "that looks like the machine's" "$(of_option -cpu)" \
	"SandyBridge,family=6,model=45,stepping=7,model-id=Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz,-hypervisor,-x2apic,-tsc-deadline"
is "no NUMA node" "$(of_option -numa)" ""
is "the machine's bus" "$(of_option -device | grep -v proxy)" "pxb-pcie,id=simqemu-rootff,bus=pcie.0,bus_nr=0xfe
i82801b11-bridge,id=simqemu-busff,bus=simqemu-rootff,addr=0"
is "and its functions on it" "$(of_option -device | grep proxy)" "$(
	for f in 08.0 08.2 09.0 09.2 0b.0 0e.0 0e.1 10.0 10.1 10.4 10.5 13.0 13.1 13.5 13.6; do
		echo "x-pci-proxy-dev,fd=N,bus=simqemu-busff,addr=$f,multifunction=on"
	done
)"
is "the user's words are the last" "$(tail -n 2 "$T/words" | paste -sd ' ')" "-kernel k"

words sim:snbep -m 1G -smp 4 >"$T/words"
is "two sockets are two nodes with equal parts of the memory that is wanted" \
	"$(of_option -M) $(of_option -object | paste -sd ' ') $(of_option -numa | paste -sd ' ')" \
	"q35 memory-backend-memfd,id=simqemu-memory0,size=536870912,share=on memory-backend-memfd,id=simqemu-memory1,size=536870912,share=on node,nodeid=0,memdev=simqemu-memory0 node,nodeid=1,memdev=simqemu-memory1 cpu,node-id=0,socket-id=0 cpu,node-id=1,socket-id=1"
is "which is said once" "$(of_option -m)" 1G
is "sockets stay, whatever number of CPUs there is" "$(of_option -smp | paste -sd ' ')" "2,sockets=2 4"
is "each bus is on its socket's node" "$(of_option -device | sed -n 's/^pxb.*root\(..\).*bus_nr=\(.*\)/\1 \2/p' | paste -sd ';')" \
	"7f 0x7e,numa_node=0;ff 0xfe,numa_node=1"
words sim:snbep,sockets=8 >"$T/words"
is "QEMU is not asked for more pieces of memory than it can hand over" \
	"$(of_option -object | grep -c memory) $(of_option -numa | grep -c '^node') $(of_option -numa | grep -c '^cpu')" "4 8 8"
words sim:snbep,numbering=reversed >"$T/words"
is "wherever the machine has it" "$(of_option -device | sed -n 's/^pxb.*root\(..\).*bus_nr=\(.*\)/\1 \2/p' | paste -sd ';')" \
	"7f 0x7e,numa_node=1;ff 0xfe,numa_node=0"
words sim:snbep,numa=off >"$T/words"
is "interleaved memory is one node" "$(of_option -M) $(of_option -numa)" "q35,memory-backend=simqemu-memory0 "
words sim:snbep -numa node >"$T/words"
is "a user with nodes of its own has all of them to make" "$(of_option -M) $(of_option -object) $(of_option -numa)" "q35  node"
for odd in 512M size=512,slots=2 524288k 0.5; do
	words sim:snbep,sockets=1 -m "$odd" >"$T/words"
	case $odd in 0.5) wanted= ;; *) wanted=536870912 ;; esac
	is "-m $odd is understood as QEMU does" "$(of_option -object | sed 's/.*size=\([0-9]*\).*/\1/')" "$wanted"
done
words sim:hsx >"$T/words"
is "another machine has its own processor" "$(of_option -cpu | cut -d, -f 2-4)" "family=6,model=63,stepping=2"
words sim:skx >"$T/words"
is "functions on bus 0 are on QEMU's" "$(of_option -device | head -n 1)" \
	"x-pci-proxy-dev,fd=N,bus=pcie.0,addr=08.0,multifunction=on"
is "and other buses have roots of their own" "$(of_option -device | sed -n 's/^pxb.*bus_nr=\([^,]*\).*/\1/p' | paste -sd ' ')" \
	"0x39 0x5c 0x7f 0xad 0xd6"
words sim:snbep,sockets=1,hide=ff:10.0 >"$T/words"
lacks "a hidden function is not there" "$(of_option -device)" "addr=10.0"
is "what that hides besides is noted" "$(cat "$T/note")" \
	"uncore-simqemu: note: pci 0000:ff:10.1: function 0 of that device is not there, so firmware and kernels look for no other of it"
channels() { # of T/truth: BUS:DEVICE.FUNCTION
	sed -n 's/.*"pci": "0000:\([^"]*\)".*/\1/p' "$T/truth" | sort
}
for machine in snbep,sockets=8 ivt hsx bdx bdxde skx,sockets=8 clx cpx; do
	words "sim:$machine" >"$T/words"
	sq --truth "$T/truth" "sim:$machine" --
	of_option -device | sed -n 's/^x-pci.*simqemu-bus\(..\),addr=\([^,]*\),.*/\1:\2/p' | sort >"$T/places"
	is "a kernel finds every channel of sim:$machine" "$(channels | comm -23 - "$T/places") $(cat "$T/note")" " "
done

# ---- what it answers ----

load="$T/load"
printf 'format: uncorectl-load/1\nchannels:\n  socket0.imc0.ch0: {read: 3200000000, write: 640000000}\n' >"$load"
machine="sim:snbep,sockets=1,load=$load"
run sq --log "$T/log" --truth "$T/truth" --violations "$T/violations" "$machine,clock=step" -- -do \
	read ff:10.0 0 4 read ff:10.0 0 2 read ff:10.0 2 2 read ff:10.0 e 1 read ff:0b.0 0 4 read ff:10.0 100 4 \
	write ff:10.0 f4 4 10100 write ff:10.0 d8 4 400304 write ff:10.0 da 1 40 write ff:10.0 f4 4 10000 \
	read ff:10.0 d8 4 read ff:10.0 a0 4 write ff:10.0 10 4 ffffffff read ff:10.0 10 4 \
	slow ff:10.0 d8 4 ask ff:10.0 d8 4 ask ff:10.1 0 4 ask ff:13.5 0 4 hear ff:13.5 hear ff:10.1 hear ff:10.0 \
	say ff:10.0 7 0 hear ff:10.0 say ff:10.0 5 18 hear ff:10.0 say ff:10.0 4 18 hear ff:10.0 exit 7
is "its status is QEMU's" "$rc $err" "7 "
is "what is read is what the machine has" "$(echo "$out" | paste -sd ' ')" \
	"3cb08086 8086 3cb0 80 3ce08086 ffffffff 400304 32 0 400304 3c448086 3cb18086 400304 0 0 0"
cat >"$T/wanted" <<'END'
500 pci 0000:ff:10.0 r32 0x0 0x3cb08086
1000 pci 0000:ff:10.0 rblk 0x0 8680
1500 pci 0000:ff:10.0 rblk 0x2 b03c
2000 pci 0000:ff:10.0 rblk 0xe 80
2500 pci 0000:ff:0b.0 r32 0x0 0x3ce08086
END
is "each access is in the log" "$(head -n 5 "$T/log")" "$(cat "$T/wanted")"
cat >"$T/wanted" <<'END'
3000 pci 0000:ff:10.0 w32 0xf4 0x00010100
3500 pci 0000:ff:10.0 w32 0xd8 0x00400304
4000 pci 0000:ff:10.0 wblk 0xda 40
4500 pci 0000:ff:10.0 w32 0xf4 0x00010000
5000 pci 0000:ff:10.0 r32 0xd8 0x00400304
5500 pci 0000:ff:10.0 r32 0xa0 0x00000032
5500 pci 0000:ff:10.0 w32 0x10 0xffffffff
6000 pci 0000:ff:10.0 r32 0x10 0x00000000
END
is "writes too, those to the header, of which the machine knows nothing, as well" "$(sed -n 7,14p "$T/log")" "$(cat "$T/wanted")"
has "which is no violation" "$(cat "$T/violations")" '"count": 0,'
is "what counted is what the truth says of these times" \
	"$("$B/tests/vm/truthat" "$machine" ff:10.0 cas_count.rd 4000 5000 | paste -sd ' ')" "200 250"

run sq --truth "$T/truth" --violations "$T/violations" "$machine,clock=step" -- -do write ff:10.0 f4 4 2
is "a reserved bit that is written is a violation" "$(sed -n 's/.*"pci": "\([^"]*\)", "offset": \([0-9]*\), "value": \([0-9]*\),.*/\1 \2 \3/p' "$T/violations")" \
	"0000:ff:10.0 244 2"

# 4096 bytes of configuration space: a second BAR has that of all functions, also where QEMU forwards none.
run "$S" --extended --print sim:spr,sockets=1 -- -m 256
has "with --extended functions are behind a root port" "$out" "pcie-root-port,id=simqemu-bus7e,bus=simqemu-root7e,addr=0,"
extended() { # WORD...: what QEMU reads in turn
	run sq "$@" --log "$T/log" --violations "$T/violations" sim:spr,sockets=1,clock=step -- -do \
		write 00:10.0 14 4 ffffffff read 00:10.0 14 4 write 00:10.0 14 4 e0000000 \
		bar 00:10.0 e7e18000 4 bar 00:10.0 e7e18100 4 bar 00:10.0 e7e1800a 2 bar 00:10.0 e7e00200 4 bar 00:10.0 e0000000 4 \
		read 7e:00.1 6 2 read 7e:00.1 34 1 read 7e:00.1 40 4 write 7e:00.1 48 2 0
	echo "$out" | paste -sd ' '
}
is "and all of their configuration space is in a BAR" "$(extended --extended)" "f0000000 9a78086 11010023 880 0 ffffffff 10 40 920010"
has "that of a capability of no machine is not its business" "$(cat "$T/violations")" '"count": 0,'
is "else there is no such BAR, and no such capability" "$(extended)" "0 ffffffff ffffffff ffff ffffffff ffffffff 0 0 0"

# The same machine, looked at by others: its registers, and what uncore-simfs says of it and writes into its log.
state="sim:snbep,sockets=1,clock=step,state=$T/state"
run sq --log "$T/log" --truth "$T/truth" --violations "$T/violations" "$state" -- -do write ff:10.0 d8 4 400f04 \
	read ff:10.0 d8 4 read ff:10.0 d8 2 write ff:10.0 f4 4 10002
is "what was written is in the machine's registers" "$("$POKE" "$state" r 0000:ff:10.0 0xd8)" 0x00400f04
grep -v -e ' w32 ' "$T/log" | cut -d ' ' -f 2- >"$T/wanted"
sed "s/\"\(raw\|mono\|t\)_ns\": [0-9]*//" "$T/truth" >"$T/truth.simqemu"
. tests/mounted.sh
if mount_machine "$state"; then
	# The look through simpoke took its time of this machine.
	cat "$mnt/truth.json" >"$T/truth.simfs"
	cat "$mnt/violations.json" >"$T/violations.simfs"
	is "truth.json of uncore-simfs has the same form" "$(sed 's/: *[0-9][0-9]*/: N/g' "$T/truth.simfs")" "$(sed 's/: *[0-9][0-9]*/: N/g' "$T/truth")"
	is "violations.json says the same" "$(cat "$T/violations.simfs")" "$(cat "$T/violations")"
	config=$mnt/sys/bus/pci/devices/0000:ff:10.0/config
	dd if="$config" bs=4 count=1 skip=$((0xd8 / 4)) iflag=direct status=none >"$T/out"
	dd if="$config" bs=2 count=1 skip=$((0xd8 / 2)) iflag=direct status=none >"$T/out"
	unmount
	is "and its log has the same lines" "$(cut -d ' ' -f 2- "$T/log")" "$(cat "$T/wanted")"
else
	skip "uncore-simfs says the same" "no FUSE here: $(cat "$T/server")"
fi

# ---- a machine in real time ----

run sq --log "$T/log" --truth "$T/truth" "$machine" -- -do write ff:10.0 f4 4 10100 write ff:10.0 d8 4 400304 write ff:10.0 f4 4 10000 \
	time ff:10.0 a0 3e8
t=$(sed -n 's/.*"t_ns": \([0-9]*\),/\1/p' "$T/truth")
for event in clockticks act_count cas_count.rd cas_count.all; do
	is "the truth of $event is that of a second machine at that time" \
		"$(sed -n "s/.*\"ff:10.0\".*//; s/.*0000:ff:10.0.*\"$event\": \([0-9]*\).*/\1/p" "$T/truth")" \
		"$("$B/tests/vm/truthat" "$machine" 0000:ff:10.0 $event "$t")"
done
# A value was read between the times of the line before it and of its own.
awk '/w32 0xf4 0x00010000/ { on = 1 } on && / r32 0xa0 / { line = $0; before = t } { t = $1 } on && / w32 / { from = from " " t }
	END { split(line, l, " "); print before, l[1], l[6] }' "$T/log" >"$T/last"
read -r before after value <"$T/last"
released=$(awk '/ w32 / { print $1 }' "$T/log" | tail -n 2 | paste -sd ' ')
# shellcheck disable=SC2046,SC2086 # times, counts
set -- $("$B/tests/vm/truthat" "$machine" ff:10.0 cas_count.rd $released "$before" "$after")
value=$(printf %d "$value")
check "a counter is between what was true before the access and after it" [ $(($3 - $2)) -le "$value" ]
check "and not above" [ "$value" -le $(($4 - $1)) ]
check "it did count" [ "$value" -gt 100 ]

# ---- messages that QEMU does not send ----

for bad in "say ff:10.0 9 0 hear ff:10.0:no such command" "say ff:10.0 1 8 hear ff:10.0:no such command" \
	"say ff:10.0 ffffffff 0 hear ff:10.0:no such command" "say ff:10.0 3 4 hear ff:10.0:not its size" \
	"say ff:10.0 2 d hear ff:10.0:not its size" "say ff:10.0 3 1000 hear ff:10.0:no message is that long" \
	"say ff:10.0 0 ffffffffffffffff hear ff:10.0:no message is that long" "read ff:10.0 0 3:1, 2 or 4 bytes" \
	"read ff:10.0 0 0:1, 2 or 4 bytes" "read ff:10.0 0 ffffffff:1, 2 or 4 bytes" \
	"write ff:10.0 d8 8 0:1, 2 or 4 bytes" "part ff:10.0 wait:middle of a message"; do
	words=${bad%:*}
	# shellcheck disable=SC2086 # words
	run timeout 10 "$S" --qemu "$FAKE" sim:snbep,sockets=1 -- -do $words exit 0
	is "$words ends QEMU" "$rc $(grep -c . "$T/err") $(grep -c "^uncore-simqemu: pci 0000:ff:10.0: .*${bad##*:}" "$T/err")" "1 1 1"
done
run sq sim:snbep,sockets=1 -- -do read ff:10.0 0 2 fds give ff:10.0 0 give ff:10.0 6 give ff:10.0 0 read ff:10.0 0 4 fds close ff:10.0 read ff:10.1 0 4
is "descriptors that come with messages are closed" "$rc $err $(echo "$out" | sed -n 2,3p | paste -sd ' ')" \
	"0  $(echo "$out" | sed -n 4p) 3cb08086"
is "a function less is no trouble" "$(echo "$out" | tail -n 1)" 3cb18086
run sq sim:snbep,sockets=1,fail=2 -- -do read ff:10.0 0 4 read ff:10.0 0 4 read ff:10.0 0 2
is "a read that fails is all ones" "$(echo "$out" | paste -sd ' ')" "3cb08086 ffffffff 8086"

# ---- how it ends ----

run sq sim:snbep -- -do die 9
is "a signal that ends QEMU is told" "$rc $err" "137 uncore-simqemu: $FAKE was ended by signal 9, Killed"
run sq sim:snbep,kill=2:before -- -do read ff:10.0 0 4 read ff:10.0 0 4 read ff:10.0 0 4
is "kill= kills QEMU" "$rc $out" "137 3cb08086"

start() { # WORD...: in the background, until it waits; its number in sq_pid
	: >"$T/out"
	"$S" --qemu "$FAKE" --truth "$T/truth" sim:snbep -- -do "$@" >"$T/out" 2>"$T/err" &
	sq_pid=$!
	until_ grep -q waiting "$T/out"
	qemu_pid=$(pgrep -P $sq_pid)
}
raw_ns() { sed -n 's/.*"raw_ns": \([0-9]*\),/\1/p' "$T/truth"; }
for signal in TERM INT HUP; do
	start wait
	kill -$signal $sq_pid
	over $sq_pid
	is "SIG$signal ends both" "$? $(cat "$T/err") $(kill -0 "$qemu_pid" 2>&1 | grep -c 'No such')" "0  1"
done
start deaf
first=$(raw_ns)
kill -USR1 $sq_pid
has_moved() { [ "$(raw_ns)" != "$first" ]; }
until_ has_moved
check "SIGUSR1 writes the truth anew" [ "$(raw_ns)" -gt "$first" ]
check "and QEMU goes on" kill -0 "$qemu_pid"
kill -TERM $sq_pid
sleep 0.2
check "QEMU may take its time to end" kill -0 "$qemu_pid"
kill -TERM $sq_pid
over $sq_pid
is "but not when it is asked twice" "$? $(kill -0 "$qemu_pid" 2>&1 | grep -c 'No such')" "0 1"
start busy ff:10.0 a0
kill -TERM $sq_pid
check "one that does not end in some seconds is ended, however busy it is" until_ is_gone $sq_pid
over $sq_pid
is "which is no failure" "$? $(kill -0 "$qemu_pid" 2>&1 | grep -c 'No such')" "0 1"
is "nothing is left of writing the truth" "$(find "$T" -name '*.new')" ""
start wait
kill -KILL $sq_pid
over $sq_pid
is_dead() { is_gone "$1" || grep -q '^State:.*Z' "/proc/$1/status"; }
check "QEMU does not outlive it" until_ is_dead "$qemu_pid"
if [ -c /dev/full ]; then
	run sq --log /dev/full sim:snbep -- -do read ff:10.0 0 4
	is "a log that is not complete is a failure" "$rc $err" "1 uncore-simqemu: --log /dev/full: No space left on device; the log is not complete"
fi
