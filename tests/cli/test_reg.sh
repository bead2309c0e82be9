# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl reg dump: registers raw and decoded.
. tests/lib.sh

S=sim:snbep,sockets=2,clock=step,dword_ns=0,state=$T/state
"$POKE" "$S" w ff:10.4 0xdc 0x01c40c04
"$POKE" "$S" c ff:10.4 2 0x123456789abc
run "$U" --machine "$S" --trace "$T/trace" reg dump socket1.imc0.ch2 --format csv
is "reg dump succeeds" "$rc" 0
is "its header" "$(head -1 "$T/out")" \
	"box,pci,register,offset,value,field,bits,field_value,access,reset,meaning"
is "it names box and address" "$(sed 1d "$T/out" | cut -d, -f1,2 | sort -u)" "socket1.imc0.ch2,0000:ff:10.4"
is "every register of the map is there" "$(sed 1d "$T/out" | cut -d, -f3 | uniq | tr '\n' ' ')" \
	"CTR[0] CTR[1] CTR[2] CTR[3] CTR4 FIXED_CTR CTL[0] CTL[1] CTL[2] CTL[3] CTL4 FIXED_CTL BOX_CTL BOX_STATUS "
field() { sed 1d "$T/out" | awk -F, -v r="$1" -v f="$2" '$3 == r && $6 == f { print $5, $7, $8 }'; }
is "a field of a control" "$(field 'CTL[1]' umask)" "0x01c40c04 15:8 0xc"
is "a field of one bit" "$(field 'CTL[1]' en)" "0x01c40c04 22 0x1"
is "the highest field" "$(field 'CTL[1]' thresh)" "0x01c40c04 31:24 0x1"
is "a counter of 48 bits" "$(field 'CTR[2]' event_count)" "0x0000123456789abc 47:0 0x123456789abc"
is "it writes nothing" "$(grep -c ' w' "$T/trace")" 0
run "$U" --machine "$S" reg dump '*.ch[0-9]'
is "a pattern that matches no box is not on this machine" "$rc" 3
run "$U" --machine "$S" reg dump 'socket?.imc0.ch3' --format jsonl
is "a pattern selects boxes" "$(grep -o '"box":"[^"]*"' "$T/out" | sort -u | tr '\n' ' ')" \
	'"box":"socket0.imc0.ch3" "box":"socket1.imc0.ch3" '
run "$U" --machine "$S" reg dump
is "without a box all are shown" "$(grep -c "^socket" "$T/out")" 12
is "those of memory controllers first" "$(grep "^socket" "$T/out" | sed -n "1p;8p;9p" | cut -d " " -f 1 | paste -sd " ")" "socket0.imc0.ch0 socket1.imc0.ch3 socket0.ubox"
run "$U" --machine "$S,hide=ff:10.0" reg dump 'socket1.imc0.ch0'
is "a box that is not there is status 3" "$rc" 3
has "and why" "$err" "hidden by the firmware"
refused "reg needs to know what" 2 "reg dump" "$U" --machine "$S" reg
refused "reg does one thing" 2 "reg: poke" "$U" --machine "$S" reg poke

# reg get: BOX.REG[.FIELD], where the register is the first part with a capital letter.
run "$U" --machine "$S" --trace "$T/trace" reg get 'socket1.imc0.ch2.CTL[1]' --format csv
is "reg get succeeds" "$rc" 0
is "its header is that of a dump" "$(head -1 "$T/out")" \
	"box,pci,register,offset,value,field,bits,field_value,access,reset,meaning"
cp "$T/out" "$T/got"
run "$U" --machine "$S" reg dump socket1.imc0.ch2 --format csv
is "and so are its records" "$(sed 1d "$T/got")" "$(grep ',CTL\[1\],' "$T/out")"
is "one register is one access, after the machine was opened" "$(grep -c ' r32 0xdc ' "$T/trace")" 1
is "it writes nothing" "$(grep -c ' w' "$T/trace")" 0
run "$U" --machine "$S" reg get 'socket1.imc0.ch2.CTL[1].umask' --format csv
is "a field alone" "$(sed 1d "$T/out" | cut -d, -f1,3,5,6,8)" "socket1.imc0.ch2,CTL[1],0x01c40c04,umask,0xc"
run "$U" --machine "$S" reg get 'socket*.imc0.ch?.CTL[*].en' --format csv
is "patterns for box, element and field" "$(sed 1d "$T/out" | wc -l)" 32
is "the enabled one among them" "$(grep ',en,22,0x1,' "$T/out" | cut -d, -f1,3)" "socket1.imc0.ch2,CTL[1]"
run "$U" --machine "$S" reg get 'socket0.imc0.ch0.CTL' --format csv
is "an array without its index is every element" "$(sed 1d "$T/out" | cut -d, -f3 | uniq | paste -sd ' ')" "CTL[0] CTL[1] CTL[2] CTL[3]"
run "$U" --machine "$S" reg get '*.BOX_CTL' 'socket0.imc0.ch1.CT?[2]' --format csv
is "several at once, in their order" "$(sed 1d "$T/out" | cut -d, -f1,3 | uniq | sed -n '8,10p' | paste -sd ' ')" \
	"socket1.imc0.ch3,BOX_CTL socket0.imc0.ch1,CTR[2] socket0.imc0.ch1,CTL[2]"
run "$U" --machine "$S" reg get 'socket?.ubox.CPUNODEID.node' --format csv
is "boxes of other units" "$(sed 1d "$T/out" | cut -d, -f1,8 | paste -sd ' ')" "socket0.ubox,0x1 socket1.ubox,0x0"
run "$U" --machine "$S" reg get 'socket0.imc0.ch0.FIXED_CTL.rsv_20'
has "a reserved field that is named is shown in a table" "$out" rsv_20
refused "no such box is not on this machine" 3 'no box is called "socket7.imc0.ch0"' "$U" --machine "$S" reg get socket7.imc0.ch0.CTL
refused "no such register is wrong usage, and those there are told" 2 "CTR, CTR4, FIXED_CTR, CTL," "$U" --machine "$S" reg get socket0.imc0.ch0.CTLL
refused "no such element too" 2 "no register CTL[4]" "$U" --machine "$S" reg get 'socket0.imc0.ch0.CTL[4]'
refused "no such field, and those there are told" 2 "edge_det" "$U" --machine "$S" reg get 'socket0.imc0.ch0.CTL[0].edge'
refused "a box alone is no register" 2 "BOX.REG" "$U" --machine "$S" reg get socket0.imc0.ch0
refused "a register alone is in no box" 2 "BOX.REG" "$U" --machine "$S" reg get BOX_CTL
refused "nothing is not enough" 2 "which?" "$U" --machine "$S" reg get
refused "a hidden box says why" 3 "none of these boxes answers" "$U" --machine "$S,hide=ff:10.0" reg get socket1.imc0.ch0.CTL
refused "options of other commands are none" 2 "no option --write" "$U" --machine "$S" reg get --write socket0.imc0.ch0.CTL
refused "dump takes one box" 2 "no second argument" "$U" --machine "$S" reg dump a b
I=sim:ivt,sockets=2,clock=step
run "$U" --machine "$I" reg get '*.GLOBAL_CTL' --format csv
is "registers that are MSRs are read through a CPU of the socket" "$(sed 1d "$T/out" | cut -d, -f1,2 | sort -u | grep -c '^socket[01].global,cpu')" 2
run "$U" --machine "$I,msr=absent" reg dump --format csv
is "without the msr driver a dump has the rest" "$(sed 1d "$T/out" | cut -d, -f1 | grep -c global)" 0
is "and succeeds" "$rc" 0
has "and says what is missing" "$err" "modprobe msr"

# Each CPU has registers of its own where there is cache monitoring: cpu17.rdt, found where the name begins with cpu.
C=sim:skx,sockets=2,cores=4,threads=1,clock=step,state=$T/rdt,offline=5
run "$U" --machine "$C" --trace "$T/trace" reg get cpu6.rdt.PQR_ASSOC --format csv
is "a register of one CPU" "$(sed 1d "$T/out" | cut -d, -f1,2,3,4,6 | paste -sd ' ')" \
	"cpu6.rdt,cpu6,PQR_ASSOC,0xc8f,clos cpu6.rdt,cpu6,PQR_ASSOC,0xc8f,rsv_31_10 cpu6.rdt,cpu6,PQR_ASSOC,0xc8f,rmid"
is "is one access, to that CPU" "$(grep ' msr ' "$T/trace" | cut -d ' ' -f 2-5)" "msr cpu6 r64 0xc8f"
run "$U" --machine "$C" --trace "$T/trace" reg set cpu6.rdt.PQR_ASSOC.rmid=9 --write -- \
	"$U" --machine "$C" reg get 'cpu*.rdt.PQR_ASSOC.rmid' --format csv -o "$T/during"
is "it can be set, for as long as a command runs" "$rc" 0
is "of the CPUs that are online that one has it" "$(sed 1d "$T/during" | cut -d, -f1,8 | paste -sd ' ')" \
	"cpu0.rdt,0x0 cpu1.rdt,0x0 cpu2.rdt,0x0 cpu3.rdt,0x0 cpu4.rdt,0x0 cpu6.rdt,0x9 cpu7.rdt,0x0"
is "and then it is as it was" "$(grep -c ' msr cpu6 w64 0xc8f 0x0000000000000000' "$T/trace")" 1
refused "what the hardware counts is not written" 4 "cpu6.rdt: QM_CTR" "$U" --machine "$C" reg set cpu6.rdt.QM_CTR=1 --write
refused "reserved bits are not either" 4 "reserved" "$U" --machine "$C" reg set cpu6.rdt.PQR_ASSOC=0x400 --write
refused "nor by their number" 4 "that is PQR_ASSOC of cpu6.rdt: use reg set" "$U" --machine "$C" reg raw msr 6 0xc8f 1 --write
run "$U" --machine "$C" reg dump cpu0.rdt --format csv
is "a dump of one CPU succeeds" "$rc" 0
is "and has what this part has" "$(sed 1d "$T/out" | cut -d, -f3 | uniq | sed 's/\[[0-9]*\]//' | uniq | paste -sd ' ')" \
	"PQR_ASSOC QM_EVTSEL QM_CTR L3_QOS_CFG L3_MASK MBA_DELAY"
has "and says what it lacks" "$err" "note: this processor has no RMID_SNC_CONFIG, MBA_DELAY, or not all of them"
run "$U" --machine "$C" reg dump 'cpu*' --format csv
is "a dump of all CPUs has each that is online" "$(sed 1d "$T/out" | cut -d, -f1 | uniq | paste -sd ' ')" \
	"cpu0.rdt cpu1.rdt cpu2.rdt cpu3.rdt cpu4.rdt cpu6.rdt cpu7.rdt"
run "$U" --machine "$C" reg dump --format csv
is "without a pattern none" "$(sed 1d "$T/out" | grep -c '^cpu')" 0
run "$U" --machine "$C" reg dump '*' --format csv
is "nor with one that does not begin with cpu" "$(sed 1d "$T/out" | grep -c '^cpu')" 0
refused "a CPU that is offline says so" 3 "cpu5.rdt: PQR_ASSOC: cpu 5: the CPU is offline" \
	"$U" --machine "$C" reg get cpu5.rdt.PQR_ASSOC
refused "one that there is not too" 3 "CPUs 0 to 7" "$U" --machine "$C" reg get cpu8.rdt.PQR_ASSOC
refused "a dump of it has nothing" 3 "none of these boxes answers" "$U" --machine "$C" reg dump cpu5.rdt
refused "a part without monitoring has no such boxes" 3 "no box is called \"cpu0.rdt\"; those of CPUs" \
	"$U" --machine "$S" reg get cpu0.rdt.PQR_ASSOC
refused "nor with a pattern" 3 "no box is called \"cpu*\"" "$U" --machine "$S" reg dump 'cpu*'
run "$U" --machine "$C" record "$T/rdt.rec" -- reg dump 'cpu?.rdt' --format csv
cp "$T/out" "$T/recorded"
run "$U" --machine "replay:$T/rdt.rec"
is "a record of it replays" "$rc $(cmp "$T/out" "$T/recorded" && echo same)" "0 same"
is "and has all of it" "$(grep -c ',PQR_ASSOC,.*,rmid,' "$T/out")" 7

# On many parts channels are absent: that is no news where others answer, and said once, in one sentence, where none does.
run "$U" --machine sim:hsx,sockets=2,clock=step reg get '*.CTL[0].en' --format csv
is "what no socket has is one note" "$(grep -c '^uncorectl: note' "$T/err") $(sed 1d "$T/out" | wc -l)" "0 8"
run "$U" --machine sim:hsx,sockets=2,clock=step reg get '*.ch2.CTL[0].en' --format csv
has "and names the places" "$err" "imc0.ch2, imc1.ch2 are absent on every socket"
