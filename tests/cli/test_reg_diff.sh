# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl reg diff: what two dumps differ in.
. tests/lib.sh

S=sim:snbep,sockets=2,clock=step,dword_ns=0,state=$T/state
for format in csv jsonl; do "$U" --machine "$S" reg dump --format $format >"$T/a.$format" 2>/dev/null; done
"$POKE" "$S" w 7f:10.1 0xdc 0x00400c04
"$POKE" "$S" c 7f:10.1 0 77
for format in csv jsonl; do "$U" --machine "$S" reg dump --format $format >"$T/b.$format" 2>/dev/null; done

run "$U" reg diff "$T/a.csv" "$T/a.csv" --format csv
is "nothing differs in the same" "$rc $out" "0 "
wanted='box,register,field,a,b,difference
socket0.imc0.ch1,CTR[0],event_count,0x0,0x4d,value
socket0.imc0.ch1,CTL[1],en,0x0,0x1,value
socket0.imc0.ch1,CTL[1],umask,0x0,0xc,value
socket0.imc0.ch1,CTL[1],ev_sel,0x0,0x4,value'
for a in csv jsonl; do
	for b in csv jsonl; do
		run "$U" reg diff "$T/a.$a" "$T/b.$b" --format csv
		is "$a against $b: fields that differ" "$rc $out" "1 $wanted"
	done
done
run sh -c "'$U' reg diff '$T/a.csv' - --format csv <'$T/b.jsonl'"
is "- is standard input" "$rc $out" "1 $wanted"
mkfifo "$T/fifo"
cat "$T/b.csv" >"$T/fifo" &
run "$U" reg diff "$T/a.csv" "$T/fifo" --format csv
is "a pipe will do" "$rc $out" "1 $wanted"
over $!
run "$U" reg diff "$T/a.csv" "$T/b.csv" --but 'CTR*' --format csv
is "--but leaves registers out" "$(sed 1d "$T/out" | cut -d, -f2 | sort -u)" "CTL[1]"
run "$U" reg diff "$T/a.csv" "$T/b.csv" --but CTR --but '*.CTL[1].en' --but 'CTL.umask' --but 'socket1.*.CTL' --format csv
is "and fields, and those of some boxes" "$(sed 1d "$T/out" | cut -d, -f2,3)" "CTL[1],ev_sel"
run "$U" reg diff "$T/a.csv" "$T/b.csv" --but '*CT*'
is "with nothing left that differs it is 0" "$rc $out" "0 "
run "$U" reg diff "$T/a.csv" "$T/b.csv"
has "a table tells them" "$out" "umask        0x0  0xc   value"

# Boxes, registers and fields that only one of them has.
grep -v '^socket1.imc0.ch3,' "$T/a.csv" >"$T/less.csv"
run "$U" reg diff "$T/a.csv" "$T/less.csv" --format csv
is "a box that only the first has" "$rc $(sed 1d "$T/out")" "1 socket1.imc0.ch3,,,,,only in A"
run "$U" reg diff "$T/less.csv" "$T/a.csv" --format csv
is "a box that only the second has" "$(sed 1d "$T/out")" "socket1.imc0.ch3,,,,,only in B"
run "$U" reg diff "$T/less.csv" "$T/a.csv" --but 'socket1.imc0.ch3.CTR[0]' --format csv
is "also when its first register is left out" "$(sed 1d "$T/out")" "socket1.imc0.ch3,,,,,only in B"
grep -v '^socket1.imc0.ch3,.*,FIXED_CTL,' "$T/a.csv" >"$T/less.csv"
run "$U" reg diff "$T/a.csv" "$T/less.csv" --format csv
is "a register that only the first has" "$(sed 1d "$T/out")" "socket1.imc0.ch3,FIXED_CTL,,0x00000000,,only in A"
grep -v '^socket1.imc0.ch3,.*,BOX_CTL,.*,frz,' "$T/a.csv" >"$T/less.csv"
run "$U" reg diff "$T/less.csv" "$T/a.csv" --format csv
is "a field that only the second has" "$(sed 1d "$T/out")" "socket1.imc0.ch3,BOX_CTL,frz,,0x0,only in B"

# What is no dump.
head -3 "$T/a.csv" >"$T/cut"
printf 'socket0.imc0.ch0,"0000' >>"$T/cut"
refused "a line of CSV that is cut" 2 "$T/cut:4: a quote is not closed" "$U" reg diff "$T/a.csv" "$T/cut"
head -3 "$T/a.csv" >"$T/cut"
echo 'socket0.imc0.ch0,0000:7f:10.0' >>"$T/cut"
refused "a line of CSV with fields missing" 2 "$T/cut:4: it has another number of fields" "$U" reg diff "$T/cut" "$T/a.csv"
printf '%s\n' '{"box":"a","register":"B","value":"0x0","field":"c","field_value":"0x0"}' '{"box":"a",' >"$T/cut"
refused "a line of JSON that is cut" 2 "$T/cut:2: not JSON: string" "$U" reg diff "$T/a.csv" "$T/cut"
for line in '{"box":"a"} x' '{"box":"a"' '{"box":' '{box:1}' '{"a":[1]}' '{"a":"\u12"}' '{"a":"\q"}' '{"box":"a","register":null}' '{"a":"b'; do
	echo "$line" >"$T/bad"
	refused "no dump: $line" 2 "$T/bad:1: " "$U" reg diff "$T/a.csv" "$T/bad"
done
: >"$T/bad"
refused "an empty file" 2 "$T/bad:1: " "$U" reg diff "$T/a.csv" "$T/bad"
"$U" --machine "$S" events --format csv >"$T/bad" 2>/dev/null
refused "a CSV of something else" 2 "$T/bad:1: not a dump" "$U" reg diff "$T/a.csv" "$T/bad"
head -1 "$T/a.csv" >"$T/bad"
refused "a header alone" 2 "$T/bad:1: there is no record" "$U" reg diff "$T/a.csv" "$T/bad"
printf 'a\000b\n' >"$T/bad"
refused "a file that is no text" 2 "$T/bad: there is a zero byte" "$U" reg diff "$T/a.csv" "$T/bad"
refused "a file that is not there" 2 "$T/none: No such file" "$U" reg diff "$T/none" "$T/a.csv"
refused "one dump" 2 "two dumps" "$U" reg diff "$T/a.csv"
refused "standard input twice" 2 "only one" "$U" reg diff - -
refused "--but of no register" 2 "--but x" "$U" reg diff "$T/a.csv" "$T/b.csv" --but x
# Texts with everything in them that CSV and JSON have to escape come through both.
printf '%s\n' 'box,register,value,field,field_value,meaning' 'a,B,0x0,c,0x0,"say ""x"", and
' | head -2 | sed 's/and$/and"/' >"$T/quoted.csv"
printf '%s\n' '{ "box": "a", "register" : "B","value":"0x0","field":"c", "field_value":"0x0","meaning":"\"\\\/\b\f\n\r\t\u0001","n":-1.5e3,"t":true,"z":null }' >"$T/quoted.jsonl"
run "$U" reg diff "$T/quoted.csv" "$T/quoted.jsonl"
is "escaped texts are read" "$rc $out" "0 "
