# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl mem --fail-if, and --lines.
. tests/lib.sh

# Channels of socket 0 have 4 GB/s and those of socket 1 12 GB/s, of 12.8: 64 GB/s in total.
cat >"$T/load.yaml" <<'END_OF_LOAD'
format: uncorectl-load/1
channels:
  socket*.imc0.ch*:
    read: 3200000000
    write: 800000000
  socket1.imc0.ch*:
    read: 11200000000
    write: 800000000
END_OF_LOAD
S=sim:snbep,sockets=2,clock=step,load=$T/load.yaml
while read -r status part condition; do
	run "$U" --machine "$S" mem -n 6 --format csv --fail-if "$condition"
	is "6 s with $condition: status $status" "$rc" "$status"
	is "$condition: it says why, or nothing" "$(grep -c -e '--fail-if' "$T/err")" "$status"
	[ "$status" = 0 ] || has "and of what" "$err" "true of $part for 6.000 s, with"
	is "and all samples are there" "$(sed 1d "$T/out" | wc -l)" 48
done <<'END_OF_CASES'
0 - total>65GB/s
1 machine total>63GB/s
1 machine total>63GB/s for 5s
0 - total>63GB/s for 7s
1 machine total<65GB/s
0 - total<63GB/s
1 machine read>57GB/s
0 - read>58GB/s
1 machine write<7GB/s
1 machine peak>60%
0 - peak>63%
0 - socket0.total>17GB/s
1 socket1 socket*.total>17GB/s
1 socket1.imc0.ch0 socket?.imc0.ch*.peak>90%
0 - socket0.imc0.peak>90%
END_OF_CASES
run "$U" --machine "$S" mem -n 6 --fail-if 'total>90GB/s' --fail-if 'total<1GB/s' --fail-if 'read>57GB/s'
is "of several conditions one is enough" "$rc $(grep -c -e '--fail-if' "$T/err")" "1 1"
has "its sentence has the value" "$err" "--fail-if 'read>57GB/s': true of machine for 6.000 s, with up to 57.60 GB/s read"
run "$U" --machine "$S" mem --fail-if 'total>63GB/s' -o "$T/file" -- sh -c 'exit 7'
is "a COMMAND's status is first" "$rc" 7
run "$U" --machine "$S,state=$T/state" mem --fail-if 'total>63GB/s' -o "$T/file" -- "$POKE" "$S,state=$T/state" step 2000000000
is "unless it is 0" "$rc" 1
run "$U" --machine "$S,hide=ff:10.1" mem -n 2 --fail-if 'socket1.total<100GB/s' --fail-if 'socket1.peak>1%'
is "a sum without a channel is not known to be below a limit" "$rc" 0
run "$U" --machine "$S,hide=ff:10.1" mem -n 2 --fail-if 'socket1.total>30GB/s'
is "but it is above one if what is there is" "$rc" 1
run "$U" --machine sim:zen2,clock=step mem -n 2 --fail-if 'peak>0%'
is "without a clock no share of the peak is known" "$rc" 0
for wrong in total 'speed>3' 'total>80%' 'peak>3GB/s' 'total>3GB/s for' '.total>3' '>3' 'total=3' ''; do
	refused "--fail-if '$wrong' is refused" 2 "not a condition" "$U" --machine "$S" mem -n 1 --fail-if "$wrong"
done
refused "so is a time that is none" 2 "3 days" "$U" --machine "$S" mem -n 1 --fail-if 'total>3 for 3 days'
run "$U" --machine "$S" mem -n 1 --fail-if 'nope.total>3'
is "and a box that is not there" "$rc" 2
has "by its name" "$err" "nothing here is called nope"

run "$U" --machine "$S" mem --lines -n 30
is "--lines: a line for each sample and socket" "$(grep -c '^00:00:[0-9][0-9]Z       socket [01] ' "$T/out")" 60
is "titles after twenty lines or so" "$(grep -c 'Read GB/s' "$T/out")" 3
has "with the time, and all values" "$out" "00:00:02Z       socket 1      44.800       3.200      48.000     93.75 %"
lacks "no channel" "$out" "ch0"
lacks "and no total" "$out" "total"
is "lines are as wide as each other" "$(sed 1d "$T/out" | awk '{ print length($0) }' | sort -u | wc -l)" 1
refused "--lines and a row for each channel, too" 2 "leave it or --per channel out" "$U" --machine "$S" mem --lines --per channel
refused "--lines and CSV contradict each other" 2 "only one of them" "$U" --machine "$S" mem --lines --format csv
