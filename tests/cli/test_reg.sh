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
is "without a box all are shown" "$(grep -c "^socket" "$T/out")" 10
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

# On many parts channels are absent: said once, in one sentence.
run "$U" --machine sim:hsx,sockets=2,clock=step reg get '*.CTL[0].en' --format csv
is "what no socket has is one note" "$(grep -c '^uncorectl: note' "$T/err") $(sed 1d "$T/out" | wc -l)" "1 8"
has "and names the places" "$err" "imc0.ch2, imc0.ch3, imc1.ch2, imc1.ch3 are absent on every socket"
