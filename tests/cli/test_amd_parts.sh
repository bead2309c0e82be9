# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Which boxes CPUID tells of on AMD's processors, and what is wrong there: one sentence each, and the right exit status.
. tests/lib.sh

# A CPUID dump of one CPU.  SIGNATURE (leaf 1 EAX) LEAF1.ECX 80000001.ECX 8000001E.ECX 80000022: "EAX EBX ECX"
dump() {
	{
		echo "basic_cpuid[0]=00000010 68747541 444d4163 69746e65"
		echo "basic_cpuid[1]=$1 00010800 $2 178bfbff"
		echo "ext_cpuid[0]=80000028 68747541 444d4163 69746e65"
		echo "ext_cpuid[1]=$1 00000000 $3 00000000"
		echo "ext_cpuid[8]=00003030 00000000 00000000 00000000"
		echo "ext_cpuid[30]=00000000 00000000 $4 00000000"
		echo "ext_cpuid[34]=$5 00000000"
	} >"$T/dump"
}
# The channels that are not absent; the first register that was asked for, which a dump does not have.
boxes() { "$U" --machine "sim:cpuid=$T/dump" list 2>&1 | sed -n '/ absent$/d; s/^socket0\.\(imc[0-9.]*ch[0-9]*\) *cpu0 .*/\1/p' | tr '\n' ' '; }
whole="imc0.ch0 imc0.ch1 imc0.ch2 imc0.ch3 imc0.ch4 imc0.ch5 imc0.ch6 imc0.ch7 imc0.ch8 imc0.ch9 imc0.ch10 imc0.ch11 "
first() { "$U" --machine "sim:cpuid=$T/dump" mem -n 1 2>&1 | sed -n 's/.*read MSR \(0x[0-9a-f]*\):.*/\1/p'; }

# Leaves as they were published: amd.md, section 2.
dump 00a10f11 7efa320b 75c237ff 00000000 "00000007 00304106 00000fff"
is "EPYC 9654: 12 channels" "$(boxes)" "$whole"
is "whose first control is that of its UMC" "$(first)" 0xc0010800
dump 00b00f21 7efa320b 75c237ff 00000000 "00000007 00304106 00000fff"
is "EPYC 9655: 12 channels" "$(boxes)" "$whole"
dump 00b40f40 7efa320b 75c237ff 00000000 "00000007 00084106 00000003"
is "Ryzen 9950X3D: two channels" "$(boxes)" "imc0.ch0 imc0.ch1 "
dump 00a10f11 7efa320b 75c237ff 00000000 "00000007 00044106 00000008"
is "EPYC 9124: UMC 3 alone" "$(boxes)" "imc0.ch3 "
is "which has the first MSRs" "$(first)" 0xc0010800
dump 00aa0f02 7efa320b 75c237ff 00000000 "00000007 00204106 00000fff"
is "Bergamo: its counters do not divide, the data fabric counts instead" "$(first)" 0xc0010240
dump 00a00f11 7efa320b 75c237ff 00000000 "00000000 00000000 00000000"
is "Milan: the data fabric counts" "$(first)" 0xc0010240
dump 00830f10 7efa320b 75c237ff 00000000 "00000000 00000000 00000000"
is "Rome, too" "$(first)" 0xc0010240
dump 00a10f11 fefa320b 004003f3 00000000 "00000000 00000000 00000000"
refused "a virtual machine has none" 3 "a virtual machine: its host hides the counters" "$U" --machine "sim:cpuid=$T/dump" mem
dump 00870f10 7efa320b 75c237ff 00000000 "00000000 00000000 00000000"
is "Matisse, a desktop: two channels of the data fabric" "$(boxes)" "imc0.ch0 imc0.ch1 "
dump 00a20f10 7efa320b 75c237ff 00000000 "00000000 00000000 00000000"
is "Vermeer, too" "$(boxes)" "imc0.ch0 imc0.ch1 "
dump 00b50f00 7efa320b 75c237ff 00000000 "00000007 00204106 0000ffff"
refused "16 controllers, more than the map has: nothing is counted, since some would be missing" 3 \
	"tells of memory controllers that map amd-zen5-umc lacks (ECX 0xffff)" "$U" --machine "sim:cpuid=$T/dump" mem

dump 00a10f11 7efa320b 75c237ff 00000000 "00000000 00000000 00000000"
refused "a Zen 4 whose leaf of counters is hidden" 3 "CPUID leaf 0x80000022 EAX bit 0 is 0" "$U" --machine "sim:cpuid=$T/dump" mem -n 1

for real in amd-epyc-7742-64-core-processor-dual amd-epyc-9124-16-core-processor; do
	dump=../shared/cpuid/$real.test
	if [ ! -r "$dump" ]; then
		skip "the boxes of $real" "no $dump"
		continue
	fi
	"$U" --machine "sim:cpuid=$dump" list >"$T/out" 2>&1
	case $real in
	*7742*) is "an EPYC 7742 has a data fabric a socket" "$(grep -c '^socket[01].imc0.ch[0-7] .*0xc0010240' "$T/out")" 16 ;;
	*) is "an EPYC 9124 has UMC 3" "$(grep -c '^socket0.imc0.ch3 .*0xc0010800' "$T/out") $(grep -c ' absent$' "$T/out")" "1 11" ;;
	esac
done

# wrong SENTENCE STATUS SAYS MODEL
wrong() { refused "$1" "$2" "$3" "$U" --machine "sim:$4" mem -n 1 -i 0.1; }
wrong "32 counters for 12 controllers" 3 "32 counters for 12 memory controllers" zen5,umc_ctrs=32
wrong "counters of UMCs that only CPUID has" 3 "ch6: CPUID tells of a counter that is not there" zen5,umc_ctrs=48:24
wrong "of the data fabric, too" 3 "socket0.df: CPUID tells of a counter that is not there" zen5,umc_ctrs=0,df_ctrs=16:8
wrong "no counters at all" 3 "tells of no counters of the data fabric" zen5,umc_ctrs=0,df_ctrs=0
wrong "a control whose writes fault" 3 "lets no program count here" zen2,defect=write-faults:cpu0:0xc0010246
wrong "no file of MSRs of any CPU of the node" 3 "cpu 0: the file of its MSRs is gone" zen4,cores=4,threads=1,vanish=cpu0@0,vanish=cpu1@0,vanish=cpu2@0,vanish=cpu3@0

run "$U" --machine sim:zen5,umcs=0,umc_ctrs=48,clock=step mem -n 1 -i 0.1
is "ECX 0: the data fabric counts" "$rc" 0
has "which is said" "$err" "the data fabric counts instead"
has "with numbers" "$out" "ch11    cpu0       11.700       5.350      17.050"
run "$U" --machine sim:zen5,clock=step,sockets=1,vanish=cpu0@0 mem -n 1 -i 0.1
has "another CPU serves where the first one has no file" "$out" "ch11    cpu1      11.700       5.350      17.050"
run "$U" --machine sim:zen5,clock=step,sockets=2,offline=96-191,288-383 mem -n 1 -i 0.1
has "a socket without a CPU is told" "$err" "192 CPUs are offline, as many as a socket may have"
run "$U" --machine sim:zen5,clock=step,sockets=2,offline=8-96 mem -n 1 -i 0.1
lacks "fewer CPUs are not" "$err" "are offline"
mkdir -p "$T/files/sys/devices/system/cpu/smt"
echo off >"$T/files/sys/devices/system/cpu/smt/control"
run "$U" --machine "sim:zen5,clock=step,offline=192-383,files=$T/files" mem -n 1 -i 0.1
lacks "nor second threads that are switched off" "$err" "are offline"
run "$U" --machine "sim:zen5,clock=step,offline=96-383,files=$T/files" mem -n 1 -i 0.1
has "but a socket where they are off" "$err" "288 CPUs are offline"
run "$U" --machine sim:zen1,clock=step,sockets=1,offline=8-15,40-47 mem -n 1 -i 0.1
is "a die without a CPU makes the sum partial" "$(grep -c '^total  *36\.950.* partial' "$T/out")" 1
run "$U" --machine sim:zen5,clock=step,umcs=0xffe:1 mem -v -n 1 -i 0.1
lacks "what one socket lacks, not every one does" "$err" "absent on every socket"
has "that is without DIMMs" "$err" "no DIMM is there, on every socket or on some"

# What another program counts: --observe shows it and writes nothing; without it what is left is counted in turns.
poke() { "$POKE" "$S" m 0 "$1" "$2"; }
S=sim:zen4,umcs=0x9,clock=step,state=$T/zen4
poke 0xc0010806 0x8000010a
poke 0xc0010804 0x8000020a
run "$U" --machine "$S" --observe --trace "$T/trace" mem -n 1
is "--observe shows reads and writes of another program" "$(grep -c '^  ch0  *cpu0  *4\.000  *1\.500  *5\.500' "$T/out")" 1
is "and that nothing counts in the other channel" "$(grep -c '^  ch3 .* unprogrammed' "$T/out")" 1
is "and writes nothing" "$(grep -c ' w' "$T/trace")" 0
S=sim:zen2,sockets=1,clock=step,state=$T/zen2
poke 0xc0010240 0x403807
poke 0xc0010242 0x1004038c7
run "$U" --machine "$S" --observe --trace "$T/trace" mem -n 1
is "--observe of a data fabric, by channel" "$(grep -c '^  ch[07]  *cpu0  *\(5\.500\|12\.850\)' "$T/out") $(grep -c unprogrammed "$T/out")" "2 6"
is "writes nothing, too" "$(grep -c ' w' "$T/trace")" 0
run "$U" --machine "$S" --trace "$T/trace" mem -n 3 -i 0.2
is "two counters are left: all channels in turns" "$(grep -c '^  ch[0-7] .* scaled' "$T/out")" 24
is "those of the other program are not written" "$(grep -c ' w64 0xc001024[0-3] ' "$T/trace")" 0
poke 0xc0010244 0x403847
poke 0xc0010246 0x403887
refused "no counter is left" 5 "socket0.df (cpu0): no counter is free" "$U" --machine "$S" mem -n 1

# Names of registers: those of the CPU's own node or L3.
named() { refused "$1" 4 "that is $2: use reg set" "$U" --machine "sim:$3" reg raw msr "$4" "$5" 1 --write --unmapped --for 0.1; }
named "the second UMC has its own" "CTL[0] of socket0.imc0.ch1" zen5,sockets=1 0 0xc0010808
named "and the last one" "CTR[3] of socket1.imc0.ch11" zen5 96 0xc001085f
named "an L3 is that of the CPU" "CTL[0] of socket0.l3_1" zen5 8 0xc0010230
named "a data fabric is that of the die" "CTL[3] of socket0.df1" zen1 9 0xc0010246
refused "a part without IBS says so" 3 "whose CPUID leaf 0x80000001 has ECX bit 10" "$U" --machine sim:zen1 reg dump cpu0.ibs
