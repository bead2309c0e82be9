# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl diff: what two outputs differ in.  Dumps of registers alone are in test_reg_diff.sh.
. tests/lib.sh

S=sim:snbep,sockets=1,clock=step,state=$T/state
# samples FORMAT FILE OPTION...: an output of each command that has samples, with time that the test makes
samples() { "$U" --machine "$S" "$3" -n 3 --format "$1" -o "$2" ${4+"$4"} ${5+"$5"} 2>/dev/null; }
samples csv "$T/a.csv" mem
samples jsonl "$T/a.jsonl" mem
"$U" --machine "$S" record "$T/a.rec" -- mem -n 3 >/dev/null 2>&1

for a in csv jsonl rec; do
	for b in csv jsonl rec; do
		run "$U" diff "$T/a.$a" "$T/a.$b" --threshold 1
		is "$a against $b of the same traffic" "$rc $out$err" "0 "
	done
done

# A channel that reads a tenth more in each sample, another with a flag, one that is gone, one that is new.
awk -F, -v OFS=, 'NR > 1 && $5 == 0 { $9 *= 1.1 } NR > 1 && $5 == 1 { $13 = "stolen;" $13 }
	NR > 1 && $5 == 2 { $5 = 7; sub(/ch2/, "ch7") } { print }' "$T/a.csv" >"$T/b.csv"
wanted='socket0.imc0.ch0,,,read_bytes_per_s,4000000000,4400000000,10,value
socket0.imc0.ch2,,,,,,,only in A
socket0.imc0.ch1,,,flag stolen,,,,only in B
socket0.imc0.ch7,,,,,,,only in B'
for a in csv jsonl rec; do
	run "$U" diff "$T/a.$a" "$T/b.csv" --format csv
	is "what differs from $a" "$rc $(sed 1d "$T/out" | awk -F, -v OFS=, '$5 { $5 = sprintf("%.2g", $5); $6 = sprintf("%.2g", $6); $7 = sprintf("%.2g", $7) } { print }')" \
		"1 $(echo "$wanted" | sed 's/4000000000,4400000000,10/4e+09,4.4e+09,10/')"
done
run "$U" diff "$T/a.csv" "$T/b.csv" --threshold 11 --format csv
lacks "not what is within the threshold" "$out" "read_bytes_per_s"
has "but the rest" "$rc $out" "flag stolen,,,,only in B"
run "$U" diff --threshold 0 "$T/a.csv" "$T/a.csv"
is "nothing differs from itself" "$rc $out" "0 "
run "$U" diff "$T/a.csv" "$T/b.csv"
has "a table, with units" "$out" "socket0.imc0.ch0  read_bytes_per_s  4.000 GB/s  4.400 GB/s     10.00 %  value"
run "$U" diff "$T/a.csv" "$T/b.csv" --format jsonl
has "JSON lines begin with a header" "$(head -1 "$T/out")" '{"record":"header",'
has "JSON lines" "$out" '{"record":"difference","box":"socket0.imc0.ch1","group":null,"event":null,"quantity":"flag stolen","a":null,"b":null,"change_percent":null,"difference":"only in B"'
run sh -c "'$U' diff - '$T/a.csv' <'$T/a.jsonl'"
is "- is standard input" "$rc $out" "0 "
# A channel with next to no traffic: its noise is no difference.
awk -F, -v OFS=, 'NR > 1 && $5 == 0 { $9 = 64 } { print }' "$T/a.csv" >"$T/idle.csv"
awk -F, -v OFS=, 'NR > 1 && $5 == 0 { $9 = 640 } { print }' "$T/a.csv" >"$T/idle2.csv"
run "$U" diff "$T/idle.csv" "$T/idle2.csv"
is "what is nothing beside the others is equal" "$rc $out" "0 "
# A value that hardware did not give is no zero.
awk -F, -v OFS=, 'NR > 1 && $5 == 0 { $9 = "" } { print }' "$T/a.csv" >"$T/none.csv"
run "$U" diff "$T/a.csv" "$T/none.csv" --format csv
has "a value that only one has" "$rc $out" "read_bytes_per_s,40000"
has "is told as that" "$out" ",,,only in A"

# The mean is one over time: a long sample counts for more than a short one.
head -1 "$T/a.csv" | cut -d, -f-14 >"$T/long.csv"
printf '%s\n' '1000,1000000000,0,0,0,p,1,0,1000,0,1,0,,0' '2000,3000000000,0,0,0,p,1,0,2000,0,1,0,,0' >>"$T/long.csv"
head -1 "$T/a.csv" | cut -d, -f-14 >"$T/even.csv"
echo '1000,1000000000,0,0,0,p,1,0,1750,0,1,0,,0' >>"$T/even.csv"
run "$U" diff --threshold 0 "$T/long.csv" "$T/even.csv"
is "a mean is one over time" "$rc $out" "0 "

# Version 2: a header, a box, what a record is, flags as a list, a summary; and everything that JSON may escape.
printf '%s\n' '{"record":"header","version":2,"units":{"a":[1]}}' \
	'{"record":"sample","time_ns":1000,"interval_ns":1000000000,"box":"socket0.imc0.ch0","read_bytes_per_s":1750,"write_bytes_per_s":0,"peak_bytes_per_s":19200000000,"flags":["late","sc\u0061led"]}' \
	'{"record":"summary","box":"socket0","read_bytes_per_s":99}' >"$T/two.jsonl"
run "$U" diff "$T/even.csv" "$T/two.jsonl" --format csv
is "version 2 against version 1" "$rc $(sed 1d "$T/out")" "1 socket0.imc0.ch0,,,flag late,,,,only in B
socket0.imc0.ch0,,,flag scaled,,,,only in B"
sed 's/"sc\\u0061led"/"scaled"/; s/,"/, "/g' "$T/two.jsonl" >"$T/plain.jsonl"
run "$U" diff "$T/two.jsonl" "$T/plain.jsonl"
is "an escaped letter is that letter" "$rc $out" "0 "
{ echo '# machine: x, y'; cat "$T/even.csv"; } >"$T/head.csv"
run "$U" diff "$T/even.csv" "$T/head.csv"
is "comments in front of CSV are passed over" "$rc $out" "0 "

# Other commands with samples.
for what in "stat -e cas_count.rd,act_count -m page_hit" "llc --group web=0-3"; do
	# shellcheck disable=SC2086
	set -- $what
	command=$1
	shift
	model=snbep
	[ "$command" = llc ] && model=bdx
	"$U" --machine "sim:$model,clock=step" "$command" -n 2 --format csv "$@" >"$T/c.csv" 2>/dev/null
	"$U" --machine "sim:$model,clock=step" "$command" -n 2 --format jsonl "$@" >"$T/c.jsonl" 2>/dev/null
	run "$U" diff "$T/c.csv" "$T/c.jsonl" --threshold 0.5
	is "$command is compared" "$rc $out$err" "0 "
done
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 { $c["occupancy_bytes"] *= 2 } { print }' "$T/c.csv" >"$T/d.csv"
run "$U" diff "$T/c.csv" "$T/d.csv" --format csv
has "what a group holds of its cache" "$(grep occupancy "$T/out")" ",web,,occupancy_bytes,"
"$U" --machine "$S" stat -n 2 --format csv -e cas_count.rd -m page_hit >"$T/c.csv" 2>/dev/null
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 && $c["event"] == "page_hit" { $c["value"] /= 2 } { print }' "$T/c.csv" >"$T/d.csv"
run "$U" diff "$T/c.csv" "$T/d.csv" --format csv
is "a metric by its name" "$(sed 1d "$T/out" | cut -d, -f3,4,7 | cut -c1-18 | sort -u)" "page_hit,value,-50"

# Registers, in every format that `reg dump` has, and in a record.
for format in csv jsonl table; do "$U" --machine "$S" reg dump --format $format >"$T/r.$format" 2>/dev/null; done
"$U" --machine "$S" record "$T/r.rec" -- reg dump >/dev/null 2>&1
"$POKE" "$S" w ff:10.1 0xdc 0x00400c04
"$U" --machine "$S" reg dump >"$T/now.table" 2>/dev/null
for format in csv jsonl table rec; do
	run "$U" diff "$T/r.$format" "$T/r.table"
	is "a dump as $format has what the table has" "$rc $out" "0 "
	for command in diff "reg diff"; do
		# shellcheck disable=SC2086
		run "$U" $command "$T/r.$format" "$T/now.table" --but '*CTR*' --format csv
		is "$command tells what differs from $format" "$rc $(sed 1d "$T/out")" "1 socket0.imc0.ch1,CTL[1],en,0x0,0x1,value
socket0.imc0.ch1,CTL[1],umask,0x0,0xc,value
socket0.imc0.ch1,CTL[1],ev_sel,0x0,0x4,value"
	done
done

# Wrong input.
refused "a dump and samples" 2 "two of one kind are compared" "$U" diff "$T/a.csv" "$T/r.table"
refused "one file" 2 "diff A B" "$U" diff "$T/a.csv"
refused "standard input twice" 2 "only one" "$U" diff - -
refused "samples are no dump" 2 "not a dump of registers" "$U" reg diff "$T/a.csv" "$T/a.csv"
"$U" --machine "$S" list --format csv >"$T/list.csv" 2>/dev/null
refused "an output of something else" 2 "$T/list.csv:1: neither samples" "$U" diff "$T/list.csv" "$T/a.csv"
printf 'some words\nand more\n' >"$T/words"
refused "any text" 2 "$T/words:2: neither CSV nor JSON lines" "$U" diff "$T/words" "$T/a.csv"
refused "a program" 2 "" "$U" diff "$U" "$T/a.csv"
refused "a folder" 2 "Is a directory" "$U" diff "$T" "$T/a.csv"
refused "an empty file" 2 "there is no record in it" "$U" diff /dev/null "$T/a.csv"
head -1 "$T/a.csv" >"$T/none"
refused "a header alone" 2 "$T/none:1: there is no sample" "$U" diff "$T/none" "$T/a.csv"
{ head -2 "$T/a.csv"; sed -n 3p "$T/a.csv" | cut -c1-40 | tr -d '\n'; } >"$T/cut"
refused "a line that is cut" 2 "$T/cut:3: it has another number of fields" "$U" diff "$T/cut" "$T/a.csv"
sed '2s/,[0-9]*,simulated/,x,simulated/; 2s/^\([^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*\),[^,]*/\1,many/' "$T/a.csv" >"$T/cut"
refused "a number that is none" 2 "$T/cut:2: read_bytes_per_s is not a number: many" "$U" diff "$T/cut" "$T/a.csv"
sed 's/^[0-9]*,/soon,/' "$T/a.csv" >"$T/cut"
refused "a time that is none" 2 "$T/cut:2: its time_ns" "$U" diff "$T/cut" "$T/a.csv"
head -c 300 "$T/a.rec" >"$T/cut"
run "$U" diff "$T/cut" "$T/a.csv"
is "a record that is cut" "$rc $out" "2 "
has "is told as by its replay" "$err" "replay:$T/cut: "
refused "a record has a name" 2 "give the file" sh -c "'$U' diff - '$T/a.csv' <'$T/a.rec'"
refused "a threshold that is none" 2 "not a number of percent" "$U" diff --threshold x "$T/a.csv" "$T/a.csv"
refused "--but of no register" 2 "--but x" "$U" diff --but x "$T/r.csv" "$T/r.csv"
refused "no record of a diff" 2 "nothing to record" "$U" --machine "$S" record "$T/new" -- diff "$T/a.csv" "$T/a.csv"
# A record must not choose files to read here.
sed 's/^option mem$/option diff/; s/^option -n$/option README.md/; s/^option 3$/option README.md/' "$T/a.rec" >"$T/evil.rec"
refused "a record of a diff is refused" 2 "its options are none that" "$U" --machine "replay:$T/evil.rec"
run "$U" diff "$T/evil.rec" "$T/a.csv"
is "also as a file to compare" "$rc $out" "2 "
