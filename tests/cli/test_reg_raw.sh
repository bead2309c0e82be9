# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl reg raw: registers that no map names.
. tests/lib.sh

S=sim:snbep,sockets=1,clock=step,dword_ns=0,state=$T/state
M=0xc10 # an MSR of the U-box that the simulated machine keeps as memory
run "$U" --machine "$S" --trace "$T/trace" reg raw pci 0000:ff:10.4 0x00 --format csv
is "a dword of configuration space is read" "$rc $(cat "$T/out")" "0 box,offset,value
0000:ff:10.4,0x00,0x3cb48086"
is "by one access, after the machine was opened" "$(tail -1 "$T/trace" | cut -d ' ' -f 2-6)" "pci 0000:ff:10.4 r32 0x0 0x3cb48086"
run "$U" --machine "$S" reg raw pci ff:10.4 0xe4 --format csv
is "the domain may be left out, and what a map names is read too" "$(sed 1d "$T/out")" "0000:ff:10.4,0xe4,0x00000000"
run "$U" --machine "$S" reg raw msr 1 $M --format jsonl
is "an MSR is read" "$(sed 1d "$T/out")" '{"record":"register","box":"cpu1","offset":"0xc10","value":"0x0000000000000000"}'
run "$U" --machine "$S" reg raw msr 0 $M 0x123456789abc --write --unmapped --format csv -o "$T/file" -- true
is "an MSR is written, held and put back" "$rc $(sed 1d "$T/file")" \
	"0 cpu0,cpu0,0xc10,0xc10,0x0000000000000000,0x0000123456789abc,0x0000123456789abc,written,all:0x0->0x123456789abc
cpu0,cpu0,0xc10,0xc10,0x0000123456789abc,0x0000000000000000,0x0000000000000000,put back,all:0x123456789abc->0x0"
run "$U" --machine "$S" reg raw msr 0 $M 5 --write --unmapped --keep
run "$U" --machine "$S" reg raw msr 0 $M --format csv
is "--keep leaves it there" "$(sed 1d "$T/out")" "cpu0,0xc10,0x0000000000000005"
run "$U" --machine "$S" --dry-run reg raw msr 0 $M 6 --write --unmapped
is "--dry-run tells what would be written" "$out" "write cpu0 at 0xc10: 0x0000000000000006
write cpu0 at 0xc10: 0x0000000000000005"
run "$U" --machine "$S" reg raw msr 0 $M --format csv
is "and writes nothing" "$(sed 1d "$T/out" | cut -d, -f3)" 0x0000000000000005

for options in ':add --write --unmapped' '--write:add --unmapped' '--unmapped:add --write'; do
	# shellcheck disable=SC2086 # one word, or none
	run "$U" --machine "$S" --trace "$T/trace" reg raw msr 0 $M 7 ${options%%:*} --format csv
	has "with \"${options%%:*}\" alone nothing is written" "$rc $err" "nothing was written: ${options#*:}"
	is "but shown" "$rc $(sed 1d "$T/out" | cut -d, -f5,6,8) $(grep -c ' w64 ' "$T/trace")" "2 0x0000000000000005,0x0000000000000007,not written 0"
done
W='--write --unmapped --for 1'
# shellcheck disable=SC2086
{
	refused "what a map names is for reg set" 4 "that is CTL[0] of socket0.imc0.ch0: use reg set" "$U" --machine "$S" reg raw pci ff:10.0 0xd8 1 $W
	refused "the upper half of a counter too" 4 "that is CTR[3] of socket0.imc0.ch2" "$U" --machine "$S" reg raw pci ff:10.4 0xbc 1 $W
	refused "MSRs that a map names too, on every CPU" 4 "that is GLOBAL_CTL of socket" "$U" --machine sim:ivt,sockets=2 reg raw msr 1 0xc00 1 $W
	refused "the configuration header is never written" 4 "header" "$U" --machine "$S" reg raw pci ff:10.0 0x04 1 $W
	refused "an offset that is no multiple of 4 is refused" 2 "multiple of 4" "$U" --machine "$S" reg raw pci ff:10.0 0x86 1 $W
	refused "a value of more than 32 bits is refused" 2 "32 bits" "$U" --machine "$S" reg raw pci ff:10.0 0x84 0x100000000 $W
	refused "an MSR that is not there is refused" 1 "no such register" "$U" --machine "$S" reg raw msr 0 0xdead 1 $W
}
refused "so it is when it is read" 1 "no such register" "$U" --machine "$S" reg raw msr 0 0xdead
refused "a function that is not there" 3 "ff:1e.7" "$U" --machine "$S" reg raw pci ff:1e.7 0x84
refused "a CPU that is not there" 3 "4711" "$U" --machine "$S" reg raw msr 4711 0x10
refused "without the msr driver" 3 "modprobe msr" "$U" --machine sim:snbep,msr=absent reg raw msr 0 0x10
refused "an address that is none" 2 "ff:10" "$U" --machine "$S" reg raw pci ff:10 0x84
refused "another space" 2 "pci, msr and mmio" "$U" --machine "$S" reg raw io 0 0
refused "no unit of a table" 2 "not a unit of a discovery table" "$U" --machine "$S" reg raw mmio 0 0
refused "too little" 2 "which?" "$U" --machine "$S" reg raw pci ff:10.0
refused "an offset that is no number" 2 "offset" "$U" --machine "$S" reg raw pci ff:10.0 f4
refused "a CPU that is no number" 2 "CPU" "$U" --machine "$S" reg raw msr x 0x10
refused "--write without a VALUE" 2 "no VALUE" "$U" --machine "$S" reg raw msr 0 0x10 --write
is "no rule of the manual was broken" "$("$POKE" "$S" violations)" 0
