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
is "without a box all are shown" "$(grep -c '^socket' "$T/out")" 8
run "$U" --machine "$S,hide=ff:10.0" reg dump 'socket1.imc0.ch0'
is "a box that is not there is status 3" "$rc" 3
has "and why" "$err" "hidden by the firmware"
refused "reg needs to know what" 2 "reg dump" "$U" --machine "$S" reg
refused "reg does one thing" 2 "reg: poke" "$U" --machine "$S" reg poke
