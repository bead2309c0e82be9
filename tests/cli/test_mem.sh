# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl mem: its numbers, formats and COMMANDs, on simulated machines.
. tests/lib.sh

header=time_ns,interval_ns,socket,imc,channel,pci,read_bytes,write_bytes,read_bytes_per_s,write_bytes_per_s,read_count,write_count,flags,uncertainty_percent,box,peak_bytes_per_s,peak_percent
S=sim:snbep,sockets=2,clock=step,state=$T/state

# A machine whose time we make: every number is exact but for the time that the reads themselves take.
cat >"$T/load.yaml" <<'END'
format: uncorectl-load/1
channels:
  socket*.imc0.ch*:
    read: 6400000000
    write: 1280000000
END
run "$U" --machine "$S" mem -i 1 -n 3 --format csv
is "mem succeeds" "$rc" 0
is "the CSV header is the documented one" "$(head -1 "$T/out")" "$header"
is "one record per channel and sample" "$(sed 1d "$T/out" | wc -l)" 24
is "records of a simulated machine say so" "$(column flags | sort -u)" simulated
is "channels are named by PCI address too" "$(column pci | sort -u | tr '\n' ' ')" \
	"0000:7f:10.0 0000:7f:10.1 0000:7f:10.4 0000:7f:10.5 0000:ff:10.0 0000:ff:10.1 0000:ff:10.4 0000:ff:10.5 "
is "bytes are 64 times the count" "$(awk -F, 'NR > 1 && ($7 != 64 * $11 || $8 != 64 * $12)' "$T/out")" ""
is "rates are bytes over the interval" \
	"$(awk -F, 'NR > 1 { d = $9 - $7 * 1e9 / $2; if (d < -1 || d > 1) print }' "$T/out")" ""
is "no rule of the manual was broken" "$("$POKE" "$S" violations | head -1)" 0
for off in 0xd8 0xdc 0xe0 0xe4 0xf0 0xf4; do
	is "control $off is as it was" "$("$POKE" "$S" r ff:10.0 $off)" 0x00000000
done

# Against what the simulated hardware says it did, over the same simulated second.
"$POKE" "$S" truth >"$T/before"
run "$U" --machine "$S" mem -i 1 -n 1 --format csv
"$POKE" "$S" truth >"$T/after"
bad=$(paste "$T/before" "$T/after" | while read -r _ _ addr t0 r0 w0 _ _ _ t1 r1 w1; do
	line=$(grep ",$addr," "$T/out")
	rate=$(echo "$line" | cut -d, -f9) wrate=$(echo "$line" | cut -d, -f10)
	near "$rate" "$(awk "BEGIN { print ($r1 - $r0) * 1e9 / ($t1 - $t0) }")" 0.01 || echo "$addr read $rate"
	near "$wrate" "$(awk "BEGIN { print ($w1 - $w0) * 1e9 / ($t1 - $t0) }")" 0.01 || echo "$addr write $wrate"
done)
is "every channel's bandwidth is the truth" "$bad" ""

run "$U" --machine "sim:snbep,sockets=2,clock=step,load=$T/load.yaml" mem -n 1 --per machine --format csv
check "a load of 6.4 and 1.28 GB/s on 8 channels is 51.2" near "$(column read_bytes_per_s)" 51200000000 0.01
check "and 10.24 GB/s" near "$(column write_bytes_per_s)" 10240000000 0.01
is "a sum over all has no socket, channel or address" "$(sed 1d "$T/out" | cut -d, -f3-6)" ",,,"
for per in channel:8 imc:2 socket:2 machine:1; do
	run "$U" --machine "$S" mem -n 1 --per "${per%:*}" --format csv
	is "--per ${per%:*} gives its records" "$(sed 1d "$T/out" | wc -l)" "${per#*:}"
	is "--per ${per%:*} has the same header" "$(head -1 "$T/out")" "$header"
done

run "$U" --machine "$S" mem -n 1 --format jsonl
is "JSON lines carry the same names, and what each line is" "$(sed -n 2p "$T/out" | tr '{},' '\n\n\n' | sed -n 's/^"\([a-z_]*\)":.*/\1/p' | paste -sd,)" "record,$header"
run "$U" --machine "$S" mem -n 2
has "the table tells the channels" "$out" "ch3     0000:ff:10.5"
has "the table tells sockets" "$out" "socket 1"
has "the table has a total" "$out" "total"
lacks "a table in a pipe has no escape sequences" "$out" "$(printf '\033')"
run "$U" --machine "$S" mem -n 1 -o "$T/file" --format csv
is "-o leaves stdout empty" "$out" ""
is "-o gets the data" "$(head -1 "$T/file")" "$header"
run "$U" --machine "$S" mem -n 2 -i 0.5 --freeze --format csv
is "--freeze succeeds" "$rc" 0
is "--freeze gives as many records" "$(sed 1d "$T/out" | wc -l)" 16

# COMMANDs
R=sim:snbep,sockets=1,state=$T/real
run "$U" --machine "$R" mem --format csv -- sh -c 'echo from the command; sleep 0.3; exit 7'
is "a COMMAND's exit status is ours" "$rc" 7
is "a COMMAND keeps its stdout" "$out" "from the command"
is "the data goes to stderr" "$(grep -c '^[0-9]' "$T/err")" 4
interval=$(grep '^[0-9]' "$T/err" | head -1 | cut -d, -f2)
check "its lifetime is one sample" awk -v i="$interval" 'BEGIN { exit !(i > 3e8 && i < 3e9) }'
run "$U" --machine "$R" mem -o "$T/file" --format csv -- true
is "with -o it goes there" "$(sed 1d "$T/file" | wc -l)" 4
lacks "and not to stderr" "$err" time_ns
run "$U" --machine "$R" mem -o "$T/file" -i 0.1 --format csv -- sleep 0.35
check "with -i there are samples meanwhile" [ "$(sed 1d "$T/file" | wc -l)" -ge 12 ]
run "$U" --machine "$R" mem -o "$T/file" -i 0.05 -n 2 --format csv -- sh -c 'sleep 0.5; echo at its end; exit 7'
is "with -n no more than those" "$(sed 1d "$T/file" | wc -l)" 8
is "and the COMMAND is waited for" "$rc $out" "7 at its end"
run "$U" --machine "$R" mem -o "$T/file" -- "$T/no-such-program"
is "a COMMAND that is not there gives 127" "$rc" 127
has "and its name" "$err" "$T/no-such-program: No such file"
run "$U" --machine "$R" mem -o "$T/file" -- "$T"
is "a COMMAND that cannot be run gives 126" "$rc" 126
run "$U" --machine "$R" mem -o "$T/file" -- sh -c 'kill -KILL $$'
is "a COMMAND that is killed gives 128 + signal" "$rc" 137
run ls /proc/self/fd
alone=$out
run "$U" --machine "$R" --trace "$T/trace" mem -o "$T/file" -- ls /proc/self/fd
is "a COMMAND inherits no descriptor of ours" "$out" "$alone"
mkdir "$T/none"
run "$U" --machine "root:$T/none" mem -- sh -c "echo ran >$T/ran"
is "where nothing can be measured, that is the status" "$rc" 3
check "and the COMMAND does not run" [ ! -e "$T/ran" ]

# Under 10 ms an interval, several samples are written at once: none may get lost, nor a failure to write them.
run "$U" --machine "$R" mem -i 0.001 -n 25 -o "$T/file" --format csv
is "at the fastest pacing every sample is written" "$(sed 1d "$T/file" | wc -l)" 100
run sh -c "'$U' --machine '$R' mem -i 0.001 -n 5 >/dev/full"
is "and a full output is status 1 all the same" "$rc" 1

# Memory in the package beside DIMMs.
H=sim:sprhbm,sockets=2,clock=step
run "$U" --machine "$H" mem -n 1 --per socket --format csv
is "both kinds of memory have sums of their own" "$rc $(awk -F, 'NR > 1 { print $3, $(NF - 3) }' "$T/out" | paste -sd ';')" "0 0 ddr;1 ddr;0 hbm;1 hbm"
run "$U" --machine "$H" mem -n 1 --format jsonl
is "each channel says which it is of" "$(grep -v summary "$T/out" | grep -c '"memory":"ddr"') $(grep -v summary "$T/out" | grep -c '"memory":"hbm"')" "16 64"
run "$U" --machine "$H" mem -n 1 --per machine
is "and a table has two totals" "$(grep -c '^total ' "$T/out") $(grep -c '^total HBM ' "$T/out")" "2 1"
run "$U" --machine "$H" stat -n 1 --per machine -m read_bandwidth --format csv
is "in stat, too" "$(awk -F, 'NR > 1 { print $7, $(NF - 2) }' "$T/out" | paste -sd ';')" "read_bandwidth ddr;read_bandwidth hbm"

# What a channel could move: its clock, times the bytes that it moves in a tick.
for of in snbep:12800000000 bdx:19200000000 skx:19200000000 icx:19200000000 zen4:38400000000 spr:38400000000 gnr:38400000000 zen2:; do
	run "$U" --machine "sim:${of%:*},sockets=1,clock=step" mem -n 2 --format csv
	is "the peak of a channel of ${of%:*}" "$(column peak_bytes_per_s | sort -u)" "${of#*:}"
done
run "$U" --machine sim:spr,sockets=1,clock=step,defect=dclk-off:socket0.imc0.ch0:7 mem -n 2 --format csv
is "a clock that does not agree with the firmware's speed tells no peak" "$(column peak_bytes_per_s | sort -u | paste -sd ' ')" " 38400000000"
run "$U" --machine "$H" mem -n 1 --format csv
is "nor does the firmware's speed tell that of HBM" "$(column peak_bytes_per_s | grep -c "^$") $(column peak_bytes_per_s | grep -cx 38400000000)" "64 16"
run "$U" --machine "$S" mem -n 1 --per socket --peak 20GB/s --format csv
is "--peak sets that of a channel, so a socket has four times that" "$(column peak_bytes_per_s | sort -u)" 80000000000
is "the share is of reads and writes together" "$(awk -F, 'NR > 1 { d = $NF - 100 * ($9 + $10) / $(NF - 1); if (d < -.01 || d > .01) print }' "$T/out")" ""
run "$U" --machine "$S" mem -n 1
has "a table shows the share" "$out" "of peak"
for wrong in 0 fast 3GB/m -5; do
	refused "--peak $wrong is refused" 2 "not a number of bytes per second above 0" "$U" --machine "$S" mem --peak "$wrong"
done

# Channels that share four counters take turns, and their peak is not known.
Z=sim:zen2,sockets=1,clock=step
run "$U" --machine "$Z" mem -i 0.04 -n 2
is "a table says which rates are scaled" "$(grep -c '^  ch.* scaled$' "$T/out")" 16
run "$U" --machine "$Z" mem -i 0.004 -n 1
is "and which channels had no turn" "$(grep -c '^  ch.* -  *not_counted$' "$T/out")" 4
LC_ALL=C script -qec "stty cols 80 rows 40; \"$U\" --machine $Z mem -i 0.04 -n 1" /dev/null </dev/null >"$T/screen" 2>&1
has "a bar is of both directions together" "$(cat "$T/screen")" "read and write"
is "the longer the higher the rate" "$(sed -n 's/^  ch[0-7] .* \(##*\).*/\1/p' "$T/screen" | sort -u | wc -l)" 8
LC_ALL=C script -qec "stty cols 24 rows 40; \"$U\" --machine $Z mem -i 0.04 -n 1" /dev/null </dev/null >"$T/screen" 2>&1
has "the narrowest window keeps the rate" "$(cat "$T/screen")" "  ch7         12.850"
