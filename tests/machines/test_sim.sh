# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The whole tool on simulated Sandy Bridge-EP machines: numbers of sockets, hidden functions, other users of the boxes.
. tests/lib.sh

# truth_agrees MACHINE: the records in T/out of one sample against what the channels did between T/before and T/after.
truth_agrees() {
	bad=$(paste "$T/before" "$T/after" | while read -r socket channel addr t0 r0 w0 _ _ _ t1 r1 w1; do
		line=$(grep ",$socket,0,$channel,$addr," "$T/out") || { echo "no record of $addr as socket $socket ch$channel"; continue; }
		near "$(echo "$line" | cut -d, -f9)" "$(awk "BEGIN { print ($r1 - $r0) * 1e9 / ($t1 - $t0) }")" 0.01 || echo "read of $addr: $line"
		near "$(echo "$line" | cut -d, -f10)" "$(awk "BEGIN { print ($w1 - $w0) * 1e9 / ($t1 - $t0) }")" 0.01 || echo "write of $addr: $line"
	done)
	[ -z "$bad" ] || { echo "$bad" >>"$T/err"; return 1; }
}

for options in sockets=1 sockets=2 sockets=3 sockets=4 sockets=8 sockets=2,numbering=reversed sockets=4,frz_en=rw; do
	M=sim:snbep,$options,clock=step,state=$T/state-$(echo "$options" | tr , -)
	"$POKE" "$M" truth >"$T/before"
	run "$U" --machine "$M" --trace "$T/trace" mem -i 1 -n 1 --format csv
	"$POKE" "$M" truth >"$T/after"
	is "$options: mem succeeds" "$rc" 0
	check "$options: every channel is named rightly, and its bandwidth is the truth" truth_agrees
	is "$options: no rule of the manual was broken" "$("$POKE" "$M" violations)" 0
	is "$options: no counter was written" "$(grep -cE ' w32 0x(a|b|d[0-7])' "$T/trace")" 0
	"$U" --machine "$M" --trace "$T/longer" mem -i 1 -n 2 >"$T/out" 2>&1
	is "$options: a sample of 1 s reads 16 bytes once, and looks with two reads" "$(reads_of_a_sample)" "$(wc -l <"$T/before")"
done

M=sim:snbep,sockets=2,clock=step
has "reversed numbering comes from the UBOX, not from bus order" \
	"$("$U" --machine "$M,numbering=reversed" list --format csv 2>/dev/null)" "socket1.imc0.ch0,1,0,0,0000:7f:10.0"
run "$U" --machine "$M,numbering=reversed,hide=7f:0b.0" list --format csv
has "a bus without UBOX gets the socket that is left" "$out" "socket1.imc0.ch0,1,0,0,0000:7f:10.0"
has "and that is said" "$err" "bus order for bus 0000:7f"
run "$U" --machine "$M,hide=7f:0b.0,hide=ff:0b.0" list -v
has "without any UBOX sockets follow bus order" "$out" "socket0.imc0.ch0  0000:7f:10.0"
has "and list -v says why" "$out" "; socket 0 by bus order, since its UBOX is not there"

# Hidden functions: channel by channel, on one socket and on every one.
for channel in 0:10.0 1:10.1 2:10.4 3:10.5; do
	at=${channel#*:} channel=${channel%:*}
	run "$U" --machine "$M,hide=ff:$at" mem -n 1 --format csv
	is "channel $channel hidden on one socket: mem succeeds" "$rc" 0
	is "channel $channel hidden on one socket: its row is missing, without numbers" \
		"$(grep ",1,0,$channel,0000:ff:$at," "$T/out" | cut -d, -f7-14,16-)" ",,,,,,missing;simulated,,,"
	is "channel $channel hidden on one socket: seven others count" "$(column flags | grep -cx simulated)" 7
	is "channel $channel hidden on one socket: no other is renumbered" \
		"$(sed 1d "$T/out" | cut -d, -f5,6 | sed 's/0000:..:10\.//' | sort -u | tr '\n' ' ')" "0,0 1,1 2,4 3,5 "
	run "$U" --machine "$M,hide=ff:$at" mem -n 1 --per machine --format csv
	is "channel $channel hidden on one socket: the sum is partial" "$(column flags)" "partial;simulated"
	run "$U" --machine "$M,hide=ff:$at" mem -n 1 --per socket --format csv
	is "channel $channel hidden on one socket: the other socket's sum is not" "$(column flags | head -1)" simulated
	run "$U" --machine "$M,hide=ff:$at,hide=7f:$at" mem -n 1 --format csv
	is "channel $channel hidden everywhere: six count, and nothing is flagged" "$(column flags | grep -cx simulated)" 6
	run "$U" --machine "$M,hide=ff:$at,hide=7f:$at" mem -v -n 1 --format csv
	is "channel $channel hidden everywhere: it is said once" "$(grep -c "imc0.ch$channel is absent on every socket" "$T/err")" 1
	run "$U" --machine "$M,hide=ff:$at,hide=7f:$at" list --format csv
	is "channel $channel hidden everywhere: list says absent" "$(grep -c ",$channel,0000:..:$at,absent," "$T/out")" 2
done
all_of() { echo "hide=$1:10.0,hide=$1:10.1,hide=$1:10.4,hide=$1:10.5"; }
run "$U" --machine "$M,$(all_of ff)" mem -n 1 --format csv
is "all channels of a socket hidden: four rows are missing" "$(column flags | grep -cx 'missing;simulated')" 4
run "$U" --machine "$M,$(all_of ff),hide=ff:0b.0" mem -n 1 --format csv
is "a whole socket hidden, UBOX and all: its rows are missing all the same" "$(column flags | grep -cx 'missing;simulated')" 4
refused "all channels hidden: not on this machine" 3 "no memory channel answers" \
	"$U" --machine "$M,$(all_of ff),$(all_of 7f)" mem -n 1
run "$U" --machine "$M,$(all_of ff),$(all_of 7f)" list
is "all channels hidden: list says so by its status" "$rc" 3
is "all channels hidden: list shows eight absent" "$(grep -c ' absent$' "$T/out")" 8
run "$U" --machine "$M,allones=7f:10.1" mem -n 1 --format csv
is "a function that reads all ones is missing" "$(grep ',0,0,1,0000:7f:10.1,' "$T/out" | cut -d, -f7-14,16-)" ",,,,,,missing;simulated,,,"
run "$U" --machine "sim:snbep,sockets=1,clock=step,allones=ff:10.1" mem -n 1 --format csv
is "also on a machine of one socket" "$(column flags | grep -cx 'missing;simulated')" 1
run "$U" --machine "$M,hide=7f:10.4,allones=ff:10.4" list --format csv
is "hidden here and all ones there is missing on both" "$(grep -c ',missing,' "$T/out")" 2

# Counters as others left them.
M=sim:snbep,sockets=1,clock=step,state=$T/stale
for n in 0 1 2 3; do "$POKE" "$M" c ff:10.$((n + n / 2 * 2)) 3 0xfffffffffff0; done
for n in 0 1 2 3; do "$POKE" "$M" c ff:10.$((n + n / 2 * 2)) 2 0xffffffff0000; done
"$POKE" "$M" truth >"$T/before"
run "$U" --machine "$M" mem -i 1 -n 1 --format csv
"$POKE" "$M" truth >"$T/after"
check "stale counters near their wrap count rightly" truth_agrees

# A carry between the two dwords of a counter: each read takes its time, and the counters are preset so that the low half
# carries during one read or another.  100 samples a second wide apart, 4 channels, from many phases.
for ns in 100 977 100000; do
	for low in 0xffff0000 0xfffff000 0xffffff00 0xfffffff0 0xffffffff 0x00000000; do
		M="sim:snbep,sockets=1,clock=step,dword_ns=$ns,state=$T/carry-$ns-$low"
		for at in 0 1 4 5; do
			for n in 0 1 2 3; do "$POKE" "$M" c "ff:10.$at" $n "0x0041$low"; done
			for n in 0 1 2 3; do "$POKE" "$M" w "ff:10.$at" $((0xa4 + 8 * n)) 0x41 && "$POKE" "$M" w "ff:10.$at" $((0xa0 + 8 * n)) "$low"; done
		done
		"$U" --machine "$M" mem -i 0.000002 -n 50 --format csv 2>/dev/null >"$T/out-$ns-$low"
	done
done
cat "$T"/out-* >"$T/out"
check "samples were taken" [ "$(grep -c '^[0-9]' "$T/out")" -ge 3000 ]
is "a carry between two dwords never shows" "$(awk -F, '/^[0-9]/ && ($9 > 12.8e9 || $10 > 12.8e9)' "$T/out")" ""

# Another process in the box.
M=sim:snbep,sockets=1,clock=step,state=$T/foreign
"$POKE" "$M" w ff:10.1 0xd8 0x00400304
run "$U" --machine "$M" --trace "$T/trace" mem -n 1 --format csv
is "another process's counter in a box: all channels are measured" "$(column flags | grep -cx simulated)" 4
is "another process's counter in a box: BOX_CTL there is not written" "$(grep -c '0000:ff:10.1 w32 0xf4' "$T/trace")" 0
is "another process's counter in a box: elsewhere it is" "$(grep -c '0000:ff:10.0 w32 0xf4 0x00010100' "$T/trace")" 1
is "another process's control is as it was" "$("$POKE" "$M" r ff:10.1 0xd8)" 0x00400304
refused "freezing where another process counts is refused" 5 "socket0.imc0.ch1 (0000:ff:10.1)" "$U" --machine "$M" mem -n 1 --freeze
run "$U" --machine "$M" list
has "list says that it counts" "$out" "counting  CTL[0] at 0xd8 = 0x00400304"
has "and that the others are idle" "$out" "socket0.imc0.ch0  0000:ff:10.0  idle"
for off in 0xdc 0xe0 0xe4; do "$POKE" "$M" w ff:10.1 $off 0x00400c04; done
refused "no free counter names channel, register and value" 5 \
	"socket0.imc0.ch1 (0000:ff:10.1): no counter is free for cas_count.rd: CTL[3] at 0xe4 holds 0x00400c04" \
	"$U" --machine "$M" --trace "$T/trace" mem -n 1
is "and nothing was written anywhere" "$(grep -c ' w' "$T/trace")" 0
run "$U" --machine "$M" mem -n 1 --force --format csv
is "--force takes them" "$(column flags | grep -cx simulated)" 4
for off in 0xdc 0xe0 0xe4; do
	is "--force gives $off back" "$("$POKE" "$M" r ff:10.1 $off)" 0x00400c04
done
is "nothing of that broke a rule" "$("$POKE" "$M" violations)" 0

M=sim:snbep,sockets=1,clock=step,state=$T/fixed
"$POKE" "$M" w ff:10.5 0xf0 0x00400000
run "$U" --machine "$M" --trace "$T/trace" mem -n 1 --format csv
is "another process's fixed counter makes the box that process's too" "$(grep -c '0000:ff:10.5 w32 0xf4' "$T/trace")" 0
"$POKE" "$M" w ff:10.4 0xe4 0x00000304
run "$U" --machine "$M" --trace "$T/trace" mem -n 1 --format csv
is "a control that is not zero but not enabled is free (perf leaves it so)" \
	"$(grep -c '0000:ff:10.4 w32 0xe4 0x00400304' "$T/trace")" 1
is "and gets its value back" "$("$POKE" "$M" r ff:10.4 0xe4)" 0x00000304

# Taken away while we run.
M=sim:snbep,sockets=1,state=$T/stolen
(sleep 0.35 && "$POKE" "$M" w ff:10.4 0xe4 0x00400c04 && "$POKE" "$M" c ff:10.0 3 0) &
run "$U" --machine "$M" mem -i 0.1 -n 8 --format csv
over $!
is "mem goes on when a counter is taken" "$rc" 0
check "a counter that was taken is flagged" [ "$(grep -c ',0000:ff:10.4,.*,stolen;simulated,' "$T/out")" -ge 3 ]
is "and gives no numbers" "$(awk -F, '/stolen/ && ($7 != "" || $9 != "" || $11 != "")' "$T/out")" ""
is "its neighbours are not flagged" "$(grep ',0000:ff:10.[15],' "$T/out" | grep -vc ',simulated,[0-9.,]*,socket[^,]*,[0-9.,]*$')" 0
check "a counter that was cleared is flagged once" [ "$(grep -c ',0000:ff:10.0,.*,reset;simulated,' "$T/out")" = 1 ]
is "no number is beyond what a channel can do" "$(awk -F, 'NR > 1 && ($9 > 12.8e9 || $10 > 12.8e9)' "$T/out")" ""
is "what was taken is not written back" "$("$POKE" "$M" r ff:10.4 0xe4)" 0x00400c04
has "and that is said" "$err" "another program changed it, left alone"
is "our other control is as it was" "$("$POKE" "$M" r ff:10.4 0xe0)" 0x00000000

# BOX_CTL: both readings of the documents.
M=sim:snbep,sockets=1,clock=step,frz_en=rw,state=$T/rw
run "$U" --machine "$M" mem -n 1 --format csv
lacks "where frz_en reads back it is restored without a word" "$err" "BOX_CTL"
is "and is as it was" "$("$POKE" "$M" r ff:10.0 0xf4)" 0x00000000
run "$U" --machine sim:snbep,sockets=1,clock=step mem -v -n 1 --format csv
has "where it does not, what is left is said" "$err" "left idle (frz_en=1) on 4 boxes"

run "$U" --machine sim:bdx,clock=step stat -v -e dclk -n 1
is "channels that a part has nowhere are one note" "$(grep 'absent on every socket' "$T/err")" \
	"uncorectl: note: imc0.ch2, imc0.ch3, imc1.ch2, imc1.ch3 are absent on every socket (hidden by the firmware, or this part has none)"
