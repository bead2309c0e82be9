# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A CPU that no map fits, or none with counters: it can be opened, and what needs memory channels says why not.
. tests/lib.sh

R=$T/root
mkdir -p "$R/dev/cpu/0" "$R/sys/devices/system/cpu/cpu0/topology"
echo 0 >"$R/sys/devices/system/cpu/online"
echo 0 >"$R/sys/devices/system/cpu/present"
echo 0 >"$R/sys/devices/system/cpu/cpu0/topology/physical_package_id"
# A processor of this signature (leaf 1 EAX) and vendor, with or without monitoring (leaf 7 EBX bit 12).
processor() {
	{
		echo "basic_cpuid[0]=0000000f $2"
		echo "basic_cpuid[1]=$1 00010800 00000000 00000000"
		for leaf in 2 3 4 5 6; do echo "basic_cpuid[$leaf]=00000000 00000000 00000000 00000000"; done
		echo "basic_cpuid[7]=00000000 $3 00000000 00000000"
		for leaf in 8 9 10 11 12 13 14 15; do echo "basic_cpuid[$leaf]=00000000 00000000 00000000 00000000"; done
		echo "ext_cpuid[0]=80000000 00000000 00000000 00000000"
	} >"$R/cpuid.raw"
}
intel="756e6547 6c65746e 49656e69"
amd="68747541 444d4163 69746e65"

processor 00030679 "$intel" 00000000
for command in "mem -n 1" "stat -e dclk -n 1" "stat -m bandwidth -n 1" events "events --metrics" "reg dump"; do
	# shellcheck disable=SC2086 # words
	refused "$command needs a map" 3 "GenuineIntel family 6 model 0x37 stepping 9: no register map fits this CPU; \`uncorectl maps list\` shows" \
		"$U" --machine "root:$R" $command
done
lacks "nor boxes of CPUs that could be dumped" "$err" "boxes of CPUs"
has "what works is told" "$err" "; try: uncorectl --machine sim:skx mem"
for command in "check" "xcheck" "reg get socket0.imc0.ch0.CTL" "check --box socket0.imc0.ch0"; do
	# shellcheck disable=SC2086 # words
	refused "$command tells what works, too" 3 "try: uncorectl --machine sim:skx mem" "$U" --machine "root:$R" $command
done
refused "so does llc" 3 "bit 12 (PQM) is 0; try: uncorectl --machine sim:skx llc" "$U" --machine "root:$R" llc
refused "where there are channels, they are what works" 3 "its memory channels can be counted: \`uncorectl mem\`; try:" \
	"$U" --machine sim:snbep,clock=step llc
run "$U" --machine "root:$R" list
is "list says it once" "$rc $(cat "$T/out" "$T/err" | grep -c "register map\|stepping 9") $(grep -c '^try ' "$T/out")" "3 2 1"
run "$U" --machine "root:$R" list --format csv
is "and where a program reads, on standard error" "$(grep -c "register map" "$T/err")" 1
run "$U" maps list
is "the maps are listed" "$rc $(grep -c '^intel-snbep-imc  *Sandy Bridge-EP  *imc ' "$T/out")" "0 1"
run "$U" maps list --format jsonl
is "a row for each that is built in" "$(grep -c '"map":' "$T/out")" "$(grep -L '^format: uncorectl-metrics' regs/*.yaml | wc -l)"
mkdir "$T/maps"
sed 's/^unit: imc$/unit: ours/' regs/intel-snbep-imc.yaml >"$T/maps/ours.yaml"
run "$U" maps list --regs "$T/maps" --format csv
has "and those of --regs" "$out" "ours,Sandy Bridge-EP"
refused "which must be there" 2 "$T/none" "$U" --regs "$T/none" maps list
refused "so does explaining without one" 3 "no register map fits this CPU" "$U" --machine "root:$R" reg explain CTL
refused "it has no boxes of CPUs" 3 'no box is called "cpu0.rdt"' "$U" --machine "root:$R" reg get cpu0.rdt.PQR_ASSOC

# With monitoring there are those, though there is no PCI.
for vendor in "$intel" "$amd"; do
	processor 000406c8 "$vendor" 00001000
	refused "still memory channels need a map" 3 "no register map fits this CPU" "$U" --machine "root:$R" mem -n 1
	run "$U" --machine "root:$R" reg dump
	is "and so does a dump without a name" "$rc $(grep -c "no register map fits this CPU" "$T/err")" "3 1"
	has "but how to dump boxes of CPUs is told" "$err" "boxes of CPUs there are: \`uncorectl reg dump cpu0.rdt\`"
	rm -f "$R/dev/cpu/0/msr"
	refused "without the driver that is said" 3 "cpu0.rdt: PQR_ASSOC: " "$U" --machine "root:$R" reg get cpu0.rdt.PQR_ASSOC
	head -c 8192 /dev/zero >"$R/dev/cpu/0/msr" # 8 bytes at the offset that is the number
	printf '\005\000\000\000\003\000\000\000' | dd of="$R/dev/cpu/0/msr" bs=1 seek=3215 conv=notrunc 2>/dev/null
	cp "$R/dev/cpu/0/msr" "$T/before"
	run "$U" --machine "root:$R" reg get cpu0.rdt.PQR_ASSOC.rmid cpu0.rdt.PQR_ASSOC.clos --format csv
	is "a register of a CPU is read" "$(sed 1d "$T/out" | cut -d, -f6,8 | paste -sd ' ')" "rmid,0x5 clos,0x3"
	run "$U" --machine "root:$R" reg dump 'cpu*' --format csv
	is "and found by a pattern" "$(sed 1d "$T/out" | cut -d, -f1 | sort -u)" cpu0.rdt
	run "$U" --machine "root:$R" reg set cpu0.rdt.PQR_ASSOC.rmid=7 --write -- \
		"$U" --machine "root:$R" reg get cpu0.rdt.PQR_ASSOC --format csv -o "$T/during"
	is "one field is written" "$(sed 1d "$T/during" | cut -d, -f5 | uniq)" 0x0000000300000007
	check "and put back" cmp -s "$R/dev/cpu/0/msr" "$T/before"
done

# Where no source says which CPUs there are, they are still reached by name.
rm -r "$R/sys"
refused "a pattern needs to know them" 3 "which CPUs there are is not known" "$U" --machine "root:$R" reg dump 'cpu*'
run "$U" --machine "root:$R" reg get cpu0.rdt.PQR_ASSOC.rmid --format csv
has "that their sockets are not known is said" "$err" "the number of sockets is not known, one is assumed: "
is "a name does not" "$(sed 1d "$T/out" | cut -d, -f8)" 0x5
