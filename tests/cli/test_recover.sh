# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What a killed uncorectl leaves behind: said at the next start, left alone, and put back by `uncorectl recover`.
. tests/lib.sh

S=sim:snbep,sockets=1,clock=step,dword_ns=0,state=$T/machine
J=$UNCORECTL_STATE
peek() { "$POKE" "$S" r "ff:10.$1" "$2"; }
controls() { # of each channel: CTL[0] to CTL[3], FIXED_CTL
	for fn in 0 1 4 5; do for off in 0xd8 0xdc 0xe0 0xe4 0xf0; do peek $fn $off; done; done | paste -sd ' '
}
files() { find "$J" -type f 2>/dev/null | wc -l; }
# killed ACCESS ARGUMENT...: a run that is killed by SIGKILL after that access.
killed() {
	at=$1
	shift
	run sh -c '"$@" 2>/dev/null' sh "$U" --machine "$S,kill=$at:after" "$@"
}

"$POKE" "$S" w ff:10.0 0xe4 0x01000304
before=$(controls)

# Nothing there.
run "$U" --machine "$S" recover --format csv
is "where nothing was left there is nothing to recover" "$rc" 0
has "which is said" "$err" "there is nothing to recover"
is "and nothing printed" "$out" ""
check "and no folder made" [ ! -e "$J" ]

# Killed.
killed 60 mem -n 3
is "a run is killed" "$rc" 137
check "and leaves controls changed" [ "$(controls)" != "$before" ]
is "its journal stays" "$(files)" 1
is "in a folder of its own" "$(stat -c %a "$J")" 700
is "that no other user reads" "$(stat -c %a "$J"/*.journal)" 600
left=$(controls)
run "$U" --machine "$S" mem -n 1 --format csv
is "the next start goes on" "$rc" 0
has "and says who left what, without folder and options" "$err" "(uncorectl ... mem -n 3), since"
has "and what to do" "$err" 'ended without putting back 16 registers: left alone; `uncorectl recover` puts them back'
is "it left these registers alone" "$(controls)" "$left"
is "but counted on others" "$(column flags | sort -u)" "simulated"
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3]=0' --write --for 1
is "who writes one of them is refused" "$rc" 5
has "and told why" "$err" 'CTL[3]: it was left changed by process'

# Looked at.
for dry in "recover --dry-run" "--dry-run recover"; do
	# shellcheck disable=SC2086
	run "$U" --machine "$S" --trace "$T/trace" $dry --format csv
	is "$dry succeeds" "$rc" 0
	is "$dry writes nothing" "$(grep -c ' w' "$T/trace")" 0
	is "$dry shows what would be" "$(column state | grep -vx 'as it was' | sort -u)" "to be put back"
	is "$dry: its columns" "$(head -1 "$T/out")" "pid,since_ns,box,pci,register,offset,was,is,becomes,state,command,why"
	is "$dry: was, is, becomes" "$(grep 'ch0,.*CTL\[3\]' "$T/out" | cut -d, -f3-10)" \
		"socket0.imc0.ch0,0000:ff:10.0,CTL[3],0xe4,0x01000304,0x00400304,0x01000304,to be put back"
done
is "the journal is still there" "$(files)" 1

# Of another machine, nothing.
O=sim:snbep,sockets=1,clock=step,state=$T/other
run "$U" --machine "$O" --trace "$T/trace" recover
is "on another machine there is nothing to recover" "$rc" 0
has "the journal is said to be of another" "$err" "left alone: process"
is "and no register is written" "$(grep -c ' w' "$T/trace")" 0

# Put back.
run "$U" --machine "$S" recover --format csv
is "recover succeeds" "$rc" 0
is "it says what it put back" "$(column state | grep -vx 'as it was' | sort -u | paste -sd ,)" "idle,put back"
is "registers are as before" "$(controls)" "$before"
is "and the journal is gone" "$(files)" 0
run "$U" --machine "$S" mem -n 1
lacks "then a start says nothing of it" "$err" "recover"

# Frozen while it is killed: it is released.
"$POKE" "$S" w ff:10.0 0xe4 0x01000304
killed 40 mem -n 3 --freeze
is "killed in between" "$rc" 137
run "$U" --machine "$S" recover
is "it recovers" "$rc" 0
is "registers are as before, too" "$(controls)" "$before"
run "$U" --machine "$S" mem -n 1 --freeze --format csv
is "and nothing stands still" "$(column flags | sort -u)" "simulated"

# Killed while it recovers: once more.
killed 60 mem -n 3
killed 30 recover
is "recovering is killed" "$rc" 137
run "$U" --machine "$S" recover
is "the second time it is done" "$rc" 0
is "and registers are as before again" "$(controls)" "$before"
is "no journal is left of either" "$(files)" 0

# Changed by another process since.
killed 60 mem -n 3
"$POKE" "$S" w ff:10.0 0xe4 0x00400404
run "$U" --machine "$S" recover --format csv
is "what another process changed since is a failure" "$rc" 1
has "how many there are is said" "$err" "recover: 1 of 16 registers are not as they were"
has "it is named" "$err" "socket0.imc0.ch0: CTL[3]: it no longer holds what was written"
is "and left alone" "$(peek 0 0xe4)" 0x00400404
is "the others are put back" "$(column state | grep -c changed) of $(column state | grep -cvE '^(as it was|idle|put back)$')" "1 of 1"
run "$U" --machine "$S" recover --force --format csv
is "--force puts it back" "$rc" 0
is "that one alone was left" "$(column state)" "put back"
is "now it is as before" "$(controls)" "$before"

# In use by a process that lives.
killed 60 mem -n 3
"$U" --machine "$S" reg set 'socket0.imc0.ch1.CTL[0]=0' --write 2>"$T/user" >/dev/null &
user=$!
until_ grep -q 'written' "$T/user"
run "$U" --machine "$S" recover --format csv
is "a box in use is status 5" "$rc" 5
has "its user is named" "$err" "in use by process $user"
is "its registers wait" "$(grep -c 'ch1,.*,in use,' "$T/out")" 4
kill -TERM $user
over $user
run "$U" --machine "$S" recover
is "when it is gone they are put back" "$rc" 0
is "all of them" "$(controls)" "$before"

# A journal that is damaged, and one that was cut off.
killed 60 mem -n 3
file=$(echo "$J"/*.journal)
cp "$file" "$T/good"
for how in "printf X | dd of=$file bs=1 seek=700 conv=notrunc" "truncate -s 700 $file" "truncate -s 0 $file"; do
	cp "$T/good" "$file"
	sh -c "$how" 2>/dev/null
	run "$U" --machine "$S" --trace "$T/trace" recover --force
	is "$how: status 1" "$rc" 1
	has "$how: it is said" "$err" "$file: a damaged journal: nothing of it is put back"
	is "$how: nothing is written" "$(grep -c ' w' "$T/trace")" 0
	is "$how: it stays" "$(files)" 1
done
cp "$T/good" "$file"
printf 'reg 0000:ff:10.0 0xd8 32 socket0.imc0.ch0 CTL[0] was 0x' >>"$file"
run "$U" --machine "$S" recover
is "an append that was not finished is nothing" "$rc" 0
is "registers are as before that" "$(controls)" "$before"

# Folders that are refused: nothing is written.
nothing_written() { # SENTENCE STATUS PART [COMMAND...]: what runs uncorectl
	sentence=$1 status=$2 part=$3
	shift 3
	run "$@" "$U" --machine "$S" --trace "$T/trace" mem -n 1
	is "$sentence: status" "$rc" "$status"
	has "$sentence: said" "$err" "$part"
	has "$sentence: and what that means" "$err" "nothing was written to the hardware"
	is "$sentence: nothing is written" "$(grep -c ' w' "$T/trace")" 0
	is "$sentence: nothing is printed" "$out" ""
}
rm -rf "$J"
mkdir -m 755 "$J"
nothing_written "a folder that others can read" 4 "others may look into this folder"
rmdir "$J"
mkdir -m 700 "$T/elsewhere"
ln -s "$T/elsewhere" "$J"
nothing_written "a symbolic link" 4 "it is a symbolic link"
rm "$J"
echo text >"$J"
nothing_written "a file" 4 "not a folder"
rm "$J"
if [ "$(id -u)" = 0 ]; then
	mkdir -m 700 "$J"
	chown 12345 "$J"
	nothing_written "a folder of another user" 4 "belongs to user 12345"
	rmdir "$J"
else
	skip "a folder of another user" "only root can make one"
fi
UNCORECTL_STATE=$T/none/none
nothing_written "a folder that cannot be made" 1 "$T/none/none"
UNCORECTL_STATE=$J
is "--state goes before the environment" "$(UNCORECTL_STATE=/nonexistent/x "$U" --state "$J" --machine "$S" mem -n 1 --format csv 2>&1 | grep -c '0000:ff:10.0')" 1

# A disk that is full, or read-only.
if unshare -m true 2>/dev/null; then
	mkdir -p "$T/disk"
	nothing_written "a disk that is full" 1 "No space left on device" unshare -m sh -c '
		mount -t tmpfs -o size=8k,mode=700 tmpfs "$0" && head -c 8192 /dev/zero >"$0/full" 2>/dev/null
		UNCORECTL_STATE=$0 exec "$@"' "$T/disk"
	nothing_written "a disk that is read-only" 4 "Read-only file system" unshare -m sh -c '
		mount -t tmpfs -o mode=700 tmpfs "$0" && mount -o remount,ro "$0"
		UNCORECTL_STATE=$0 exec "$@"' "$T/disk"
else
	skip "a disk that is full or read-only" "no mount namespace"
fi
is "after all that registers are as before" "$(controls)" "$before"

# In records it has no place.
refused "it cannot be recorded" 2 "recover asks the journals of this computer" "$U" record "$T/rec" -- recover
