# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl reg set: written, shown, held, put back.
. tests/lib.sh

S=sim:snbep,sockets=2,clock=step,dword_ns=0,state=$T/state
peek() { "$POKE" "$S" r 7f:10.0 "$1"; }
"$POKE" "$S" w 7f:10.0 0xe4 0x01000304
# Looked at while it is held, by a COMMAND.
held() { # ARGUMENT...
	run "$U" --machine "$S" reg set "$@" --write --format csv -o "$T/file" -- "$POKE" "$S" r 7f:10.0 0xe4
	cp "$T/file" "$T/out"
}

# Without --write.
run "$U" --machine "$S" --trace "$T/trace" reg set 'socket0.imc0.ch0.CTL[3].en=1' --format csv
is "without --write the status is 2" "$rc" 2
has "and what to add is said" "$err" "nothing was written: add --write"
is "what would be is shown" "$(sed 1d "$T/out")" \
	"socket0.imc0.ch0,0000:7f:10.0,CTL[3],0xe4,0x01000304,0x01400304,,not written,en:0x0->0x1"
is "its header" "$(head -1 "$T/out")" "box,pci,register,offset,old,new,now,state,changed"
is "and nothing written" "$(grep -c ' w' "$T/trace")" 0

# Held for the life of a COMMAND.
held 'socket0.imc0.ch0.CTL[3].en=1'
is "it succeeds" "$rc" 0
is "while COMMAND runs it is there, the other fields as they were" "$out" 0x01400304
is "old, new, what it reads" "$(sed -n 2p "$T/out")" \
	"socket0.imc0.ch0,0000:7f:10.0,CTL[3],0xe4,0x01000304,0x01400304,0x01400304,written,en:0x0->0x1"
is "then it is put back, and shown" "$(sed -n 3p "$T/out")" \
	"socket0.imc0.ch0,0000:7f:10.0,CTL[3],0xe4,0x01400304,0x01000304,0x01000304,put back,en:0x1->0x0"
is "really" "$(peek 0xe4)" 0x01000304
held 'socket0.imc0.ch0.CTL[3].ev_sel=0x04' 'socket0.imc0.ch0.CTL[3].umask=12' 'socket0.imc0.ch0.CTL[3].thresh=0'
is "fields of one register that stand together are one write" "$out $(grep -c written "$T/file")" "0x00000c04 1"
held 'socket0.imc0.ch0.CTL[3]=0x304' 'socket0.imc0.ch0.CTL[3].en=1'
is "assignments are done in order" "$out $(grep -c written "$T/file")" "0x00400304 2"
is "and put back to what was first" "$(peek 0xe4)" 0x01000304
held 'socket*.imc0.ch?.CTL[3]=0x00400304'
is "a pattern means all of them" "$(grep -c ',written,' "$T/file") $(grep -c ',put back,' "$T/file")" "8 8"
is "the last is put back first" "$(grep -e ',written,' "$T/file" | cut -d, -f1 | tac)" "$(grep ',put back,' "$T/file" | cut -d, -f1)"
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3]=0' --write -o "$T/file" -- sh -c 'exit 7'
is "COMMAND's status is ours" "$rc" 7
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3]=0' --write -o "$T/file" -- "$T/none"
is "a COMMAND that is not there gives 127" "$rc" 127
is "and leaves the register as it was" "$(peek 0xe4)" 0x01000304
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3]=0' --write --format csv -- true
has "without -o the records go to stderr then" "$err" ",put back,"
is "and not to stdout" "$out" ""

# --for, in the machine's time, and --keep.
before=$("$POKE" "$S" truth | head -1 | cut -d ' ' -f 4)
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --for 2.5 --format csv
is "--for succeeds" "$rc" 0
has "it says so" "$err" "put back in 2.5 s"
after=$("$POKE" "$S" truth | head -1 | cut -d ' ' -f 4)
check "and takes its time" [ $((after - before)) -ge 2500000000 ]
is "then it is put back" "$(grep -c ',put back,' "$T/out") $(peek 0xe4)" "1 0x01000304"
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --keep --format csv
is "--keep leaves it" "$rc $(wc -l <"$T/out") $(peek 0xe4)" "0 2 0x01400304"
"$POKE" "$S" w 7f:10.0 0xe4 0x01000304
run "$U" --machine "$S" --dry-run reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --for 100
is "--dry-run tells every write" "$out" "write socket0.imc0.ch0 (0000:7f:10.0) CTL[3] at 0xe4: 0x01400304 (thresh=0x1 en=1 umask=0x3 ev_sel=0x4)
write socket0.imc0.ch0 (0000:7f:10.0) CTL[3] at 0xe4: 0x01000304 (thresh=0x1 umask=0x3 ev_sel=0x4)"
is "and does none" "$(peek 0xe4)" 0x01000304

# Another process writes.
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --format csv -o "$T/file" -- "$POKE" "$S" w 7f:10.0 0xe4 0x00000909
has "what another process wrote meanwhile is left alone, and said" "$err" "no longer holds what was written (0x01400304, now 0x00000909)"
has "and the record says so" "$(tail -1 "$T/file")" "0x00000909,not back"
is "really" "$(peek 0xe4)" 0x00000909
"$POKE" "$S" w 7f:10.0 0xe4 0x01000304

# What cannot be put back.
"$POKE" "$S" c 7f:10.0 1 0x100000002
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTR[1]=0xfffffffffff0' --write --format csv -o "$T/file" -- "$POKE" "$S" r 7f:10.0 0xac
is "a counter is written, both halves" "$out" 0x0000ffff
is "and one that stands is put back" "$(tail -1 "$T/file" | cut -d, -f7,8)" "0x0000000100000002,put back"
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[1]=0x400304' 'socket0.imc0.ch0.CTR[1]=0' --write --for 1 --format csv
is "one that runs is not" "$(grep -c 'CTR\[1\].*,not back,' "$T/out") $rc" "1 0"
has "which is said" "$err" "CTR[1] has counted on since it was written"
run "$U" --machine "$S" reg set socket0.imc0.ch0.BOX_STATUS.ov_ctr0=1 --write --for 1
has "what writing 1 clears stays cleared, and that is said" "$err" "writing 1 clears ov_ctr0, which cannot be put back"
run "$U" --machine "$S" reg set socket0.imc0.ch0.BOX_CTL.frz_en=1 socket0.imc0.ch0.BOX_CTL.frz=1 --write --for 1 --format csv
has "what cannot be read is said" "$err" "frz_en, frz cannot be read where the map is right"
is "and not called put back" "$(tail -1 "$T/out" | cut -d, -f8)" "not seen"
run "$U" --machine "${S%,state*},frz_en=rw,state=$T/rw" reg set socket0.imc0.ch0.BOX_CTL.frz_en=1 --write --for 1 --format csv
is "where it reads back after all, it is" "$(tail -1 "$T/out" | cut -d, -f8)" "put back"

# Refused, with nothing written: not even what stands in front of it.
"$POKE" "$S" violations >"$T/violations"
for wrong in 'CTL[0]=0x10000:4:reserved' 'CTL[0].rsv_16=1:4:reserved' 'CTL[0].umask=0x100:2:does not fit' 'CTL4=0:4:never' \
	'CTL4.as_ctl=0:4:read-only' 'CTL=0:2:CTL[0] to [3], or CTL[*]' 'NONE=0:2:no register NONE' 'CTL[0].none=0:2:no field none' \
	'CTL[0]=x:2:not a number' 'CTL[0]=0x100000000:4:CTL[0]' 'CTL[0]:2:no assignment'; do
	rest=${wrong#*:}
	run "$U" --machine "$S" --trace "$T/trace" reg set 'socket0.imc0.ch0.CTL[3]=0' "socket0.imc0.ch0.${wrong%%:*}" --write --for 1
	is "${wrong%%:*}: its status" "$rc" "${rest%%:*}"
	has "${wrong%%:*}: it is said" "$err" "${rest#*:}"
	is "${wrong%%:*}: nothing is written" "$(grep -c ' w32 ' "$T/trace" 2>/dev/null)$out" 0
done
refused "no such box is not on this machine" 3 "no box" "$U" --machine "$S" reg set 'socket9.imc0.ch0.CTL[0]=0' --write
refused "ubox is read-only" 4 "read-only" "$U" --machine "$S" reg set 'socket0.ubox.CPUNODEID.node=1' --write
refused "--keep and --for contradict" 2 "not both" "$U" --machine "$S" reg set 'a.B=0' --write --keep --for 1
refused "--keep and COMMAND contradict" 2 "not both" "$U" --machine "$S" reg set 'a.B=0' --write --keep -- true
refused "a time must be one" 2 "--for 0" "$U" --machine "$S" reg set 'a.B=0' --write --for 0
refused "-- wants a COMMAND" 2 "no COMMAND" "$U" --machine "$S" reg set 'a.B=0' --write --
refused "nothing is not enough" 2 "what?" "$U" --machine "$S" reg set --write
refused "lockdown refuses, in one sentence" 4 "Operation not permitted" "$U" --machine sim:snbep,lockdown=1 reg set 'socket0.imc0.ch0.CTL[0]=0x304' --write --for 1
is "no rule of the manual was broken" "$("$POKE" "$S" violations)" "$(cat "$T/violations")"

# A register of 64 bits that is an MSR.
I=sim:ivt,sockets=2,clock=step,state=$T/ivt
run "$U" --machine "$I" --trace "$T/trace" reg set socket1.global.GLOBAL_CTL.pmi_core_sel=5 --write --for 1 --format csv
is "an MSR is written and put back" "$rc $(sed 1d "$T/out" | cut -d, -f6,7,8 | paste -sd ' ')" \
	"0 0x0000000000000005,0x0000000000000005,written 0x0000000000000000,0x0000000000000000,put back"
is "on a CPU of that socket" "$(grep ' w64 ' "$T/trace" | cut -d ' ' -f 2-5 | sort -u | grep -c '^msr cpu[0-9]* w64 0xc00$')" 1

# However it ends, the register is as it was.
R=sim:snbep,sockets=1,state=$T/real
real() { "$POKE" "$R" r ff:10.0 0xe4; }
"$POKE" "$R" w ff:10.0 0xe4 0x01000004
written() { [ "$(real)" = 0x01400004 ]; }
# sh starts what is behind & with SIGINT and SIGQUIT ignored, which stays so: env gives them back.
for signal in INT:0 TERM:143 HUP:129 QUIT:131 USR1:138 ALRM:142 XCPU:152; do
	start "$U" --machine "$R" reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --format csv
	until_ written
	check "SIG${signal%:*}: before it, the register is written" written
	kill "-${signal%:*}" $pid
	ended "SIG${signal%:*}"
	is "SIG${signal%:*} ends it with its status" "$rc" "${signal#*:}"
	is "SIG${signal%:*} puts the register back" "$(real) $(grep -c ',put back,' "$T/out")" "0x01000004 1"
done
start "$U" --machine "$R" reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --for 100
until_ written
kill -INT $pid
ended "SIGINT before its time"
is "SIGINT before the end of --for is told apart" "$rc $(real)" "130 0x01000004"
start "$U" --machine "$R" reg set 'socket0.imc0.ch0.CTL[3].en=1' --write -- sh -c 'trap "exit 9" TERM; while :; do sleep 0.05; done'
until_ written
sleep 0.2
kill -TERM $pid
ended "a signal that is passed on"
is "SIGTERM goes to COMMAND, whose status is ours" "$rc $(real)" "9 0x01000004"
run sh -c "'$U' --machine '$R' reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --for 1 >/dev/full"
is "a full output is status 1" "$rc" 1
is "and the register is put back" "$(real)" 0x01000004
run sh -c "'$U' --machine '$R' reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --for 0.2 --format csv | true; exit"
is "without a reader it is put back" "$(real)" 0x01000004
run sh -c "'$U' --machine '$R' reg set 'socket0.imc0.ch0.CTL[3].en=1' --write --for 1 >&-"
is "a closed output is said before anything is written" "$rc $(real)" "1 0x01000004"

# ---- a narrow window ----
for wide in 39 40 41 60; do
	script -qec "stty cols $wide rows 50; \"$U\" --machine sim:ivt,clock=step reg set 'socket0.imc0.ch0.CTL[0]=0x3' --write --for 0.1" \
		/dev/null </dev/null >"$T/out" 2>"$T/err"
	tr -d '\r' <"$T/out" | grep '^socket0.imc0.ch0' >"$T/rows"
	is "$wide columns: what has no room is marked" "$(awk -v w=$wide 'length($0) != w || substr($0, w) != ">"' "$T/rows"; wc -l <"$T/rows")" 2
done
