# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Every command on a machine whose NTH access goes wrong: tests/faults/main.c tells what is looked at.  And functions that vanish.
. tests/lib.sh

mkdir "$T/0" "$T/1"
step=$(every)
"$B/tests/faults/run" "$U" "$POKE" "$B/tests/sigat.so" "$T/0" 0 2 "$step" >"$T/0/result" &
"$B/tests/faults/run" "$U" "$POKE" "$B/tests/sigat.so" "$T/1" 1 2 "$step" >"$T/1/result" || echo "not ok faults ran to its end"
wait $! || echo "not ok faults ran to its end"
cat "$T/0/result" "$T/1/result"

S=sim:snbep,sockets=1,clock=step,state=$T/state
run "$U" --machine "$S,fail=1" maps check
is "maps check needs no machine" "$rc" 0

# A function that vanishes while it is measured.
V=sim:snbep,sockets=1,clock=step,state=$T/vanish
run "$U" --machine "$V,vanish=ff:10.4@1.5" mem -n 3 --format csv
is "a channel that vanishes is no reason to stop" "$(sed 1d "$T/out" | wc -l)" 12
is "before, it has its number" "$(column flags | sed -n 3p)" simulated
is "from then on it is missing" "$(sed 1d "$T/out" | awk -F, '$5 == 2 { print $7 $9 $11 $13 }' | tail -2 | sort -u)" "missing;simulated"
is "the others go on" "$(sed 1d "$T/out" | awk -F, '$5 != 2 { print $13 }' | sort -u)" simulated
check "with the right numbers" near "$(sed -n 13p "$T/out" | cut -d, -f9)" 6100000000 0.5
is "its registers cannot be put back, so the status is 1" "$rc" 1
has "and that is said" "$err" "registers not put back: socket0.imc0.ch2: FIXED_CTL, CTL[3], CTL[2], BOX_CTL: pci 0000:ff:10.4: reads as all ones"
sentences() { grep '^uncorectl: ' "$T/err" | grep -cv -e ' machine: ' -e ' note: '; } # without the summary
is "in one sentence" "$(sentences)" 1
is "the registers of the others are back" "$("$POKE" "$V" r ff:10.5 0xe4)" 0x00000000
run "$U" --machine "$V" recover
is "when it is there again, its registers are put back" "$rc $("$POKE" "$V" r ff:10.4 0xe4)" "0 0x00000000"
run "$U" --machine "$V,vanish=ff:10.4@4.5" mem -n 3 --per machine --format csv
is "a sum without it is partial" "$(column flags | tail -1)" "partial;simulated"
check "and of the others" near "$(tail -1 "$T/out" | cut -d, -f9)" 14800000000 0.5
run "$U" --machine "$V" recover
is "after a sum without it its registers are put back" "$rc $("$POKE" "$V" r ff:10.4 0xe4)" "0 0x00000000"
all=$(for fn in 0 1 4 5; do printf ',vanish=ff:10.%s@7.5' $fn; done)
run "$U" --machine "$V$all" mem -n 9 --format csv
is "where all vanish, the run ends with status 3" "$rc" 3
is "after what was measured" "$(column flags | sort -u)" simulated
has "and says so" "$err" "reads as all ones: the function is gone"
is "a sentence for the end, and one for what is not put back" "$(sentences)" 2
refused "a kernel that is locked down refuses, in one sentence" 4 "write 0xf4: Operation not permitted" \
	"$U" --machine sim:snbep,lockdown=1 mem -n 1
run "$U" --machine sim:snbep,lockdown=1 reg dump --format csv
is "but it lets registers be read" "$rc" 0
refused "kill= wants a number and a side" 2 "kill=3" "$U" --machine "$V,kill=3" list
refused "vanish= wants an address and a time" 2 "vanish=ff:10.0" "$U" --machine "$V,vanish=ff:10.0" list
refused "fail= wants a number" 2 "fail=0" "$U" --machine "$V,fail=0" list

# A machine that is suspended meanwhile: its clocks part, and the registers are lost.
Z=sim:snbep,sockets=1,clock=step,state=$T/suspend
run "$U" --machine "$Z" mem --format csv -o "$T/file" -- "$POKE" "$Z" suspend 3600000000000
is "an interval over a suspend is no failure" "$rc" 0
is "but a gap, without a number" "$(sed 1d "$T/file" | cut -d, -f7-14 | sort -u)" ",,,,,,gap;simulated,"
has "and what was lost is said" "$err" "socket0.imc0.ch3: its control registers were lost while the machine was suspended"
is "nothing is written there again" "$("$POKE" "$Z" r ff:10.5 0xe4)" 0x00000000

# The process is killed around one of its accesses, and what was written until then stays.
K=sim:snbep,sockets=1,clock=step
w=$("$U" --machine "$K" --trace "$T/trace" mem -n 1 >/dev/null 2>&1; grep -n 'ff:10.0 w32 0xe4 ' "$T/trace" | sed -n '1s/:.*//p;2s/:.*//p' | tail -1)
value=$(sed -n "${w}s/.* //p" "$T/trace")
rm -f "$T/kb" "$T/ka"
run "$U" --machine "$K,state=$T/kb,kill=$w:before" mem -n 1
is "kill=N:before ends the process by SIGKILL" "$rc" 137
check "in front of its Nth access" [ "$("$POKE" "$K,state=$T/kb" r ff:10.0 0xe4)" != "$value" ]
run "$U" --machine "$K,state=$T/ka,kill=$w:after" mem -n 1
is "kill=N:after too" "$rc" 137
is "behind it" "$("$POKE" "$K,state=$T/ka" r ff:10.0 0xe4)" "$value"
# Writes alone: as many as there were until then.
n=$(head -n "$w" "$T/trace" | grep -c ' w[0-9]* ')
rm -f "$T/kw"
run "$U" --machine "$K,state=$T/kw,kill=$n:after:writes" mem -n 1
is "kill=N:after:writes counts writes alone" "$rc $("$POKE" "$K,state=$T/kw" r ff:10.0 0xe4)" "137 $value"
refused "and nothing else" 2 "kill=3:after:reads" "$U" --machine "$V,kill=3:after:reads" list
