# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl events of POWER's catalogues: files in three forms, a live tree, the faults of published ones, and damaged ones.
. tests/lib.sh

make_() { # NAME ARGUMENTS...: T/NAME.dtb
	name=$1
	shift
	python3 tests/cli/catalogue.py "$@" >"$T/$name.dts" && dtc -q -f -O dtb -o "$T/$name.dtb" "$T/$name.dts"
}
if ! command -v dtc >/dev/null; then
	skip "catalogues of POWER" "there is no dtc (Debian: device-tree-compiler)"
	exit 0
fi
make_ p9 p9 || exit 1
make_ p10 p10 || exit 1
named() { grep -F ",$1," "$T/out" || grep "^$1," "$T/out"; } # the row of an event

run "$U" events --catalogue "$T/p9.dtb" --format csv
is "a catalogue's events" "$rc $err" "0 "
is "their columns" "$(head -1 "$T/out")" "event,block,encoding,scale,unit,also,refused,meaning,source,verify"
is "all of them" "$(sed 1d "$T/out" | wc -l)" "$(tail -n +2 "$T/out" | cut -d, -f1 | sort -u | wc -l)"
is "so many" "$(sed 1d "$T/out" | wc -l)" 57
is "prefix and name, place, scale, meaning" "$(named PM_MCS01_128B_RD_DISP_PORT01)" \
	'PM_MCS01_128B_RD_DISP_PORT01,imc,offset=0xd0,256,,,,"reads of ports 0, 1",catalogue,"how many bytes a count stands for is from other tools, not from IBM"'
is "two units of one group each have its events" "$(named PM_MBA5_WRITE_BYTES)" "PM_MBA5_WRITE_BYTES,mba5,offset=0x578,1,,,,,catalogue,"
has "an offset that is counted twice" "$(named PM_NTL0_CLK_CYC)" 'offset=0x450,256,,,at 0x450 the microcode counts mba'
has "a unit that is elsewhere" "$(named PM_NX_A)" "at 0x3f8 the microcode counts nothing"
has "a place of another unit" "$(named PM_XLINK0_EVEN_AVLBL_CYC)" "at 0x1d8 the microcode counts nx"
has "the word after a group" "$(named PM_XLINK1_EVEN_AVLBL_CYC)" '"0x218 holds an update count, not a counter"'
has "the word before one" "$(named PM_XLINK1_ODD_AVLBL_CYC)" '"0x220 holds an update count, not a counter"'
has "outside of what is written" "$(named PM_CENTAUR0_PORT0_READ_BYTES)" "0x778 is outside of what the microcode writes, which ends at 0x770"
has "at the very end of the area" "$(named PM_CAPP2_AT_THE_END)" "0x40000 is unaligned, or outside the unit's 0x40000 bytes"
has "two in one place: the first" "$(named PM_CAPP1_TWO)" "0x6d0 is the place of PM_CAPP2_OTHER, too"
has "and the second" "$(named PM_CAPP2_OTHER)" "capp0@6d0,offset=0x6d0,256,,,\"0x6d0 is the place of PM_CAPP1_TWO, too"
has "a unit whose name is another's" "$(named PM_CAPP2_LAST)" "PM_CAPP2_LAST,capp0@6d0,offset=0x6e0,256,,,,,"
has "a counter of cores" "$(named CPM_CYC)" "it is not reachable without the kernel"
has "and of the trace" "$(named trace_cycles)" "it is not reachable without the kernel"
is "nothing else is refused" "$(awk -F, 'NR > 1 && $7 != ""' "$T/out" | wc -l)" 16
sort "$T/out" >"$T/p9.csv"

# Other forms of the same.
python3 tests/cli/catalogue.py xz "$T/p9.dtb" "$T/p9.xz"
python3 tests/cli/catalogue.py partition "$T/part" 0x4e0200:"$T/p9.dtb" 0x800200:"$T/p10.dtb"
python3 tests/cli/catalogue.py partition "$T/one" 0x4e0200:"$T/p9.dtb"
same() { # SENTENCE COMMAND...
	sentence=$1
	shift
	run "$@"
	sort "$T/out" >"$T/sorted"
	check "$sentence" cmp -s "$T/sorted" "$T/p9.csv"
}
same "packed by xz" "$U" events --catalogue "$T/p9.xz" --format csv
same "of a partition, by the PVR" "$U" events --catalogue "$T/part" --pvr 0x4e1202 --format csv
same "the only one of a partition" "$U" events --catalogue "$T/one" --format csv
for place in proc/device-tree sys/firmware/devicetree/base; do
	mkdir -p "$T/root/$place"
	python3 tests/cli/catalogue.py tree "$T/p9.dtb" "$T/root/$place/imc-counters"
	same "of a machine's $place" "$U" --machine "root:$T/root" events --format csv
	[ $place = sys/firmware/devicetree/base ] || rm -r "$T/root/proc"
done
run "$U" events --catalogue "$T/part" --pvr 0x801200 --format csv
is "another PVR" "$(sed 1d "$T/out" | wc -l) $(named PM_OCMB0_CAS_RD)" "7 PM_OCMB0_CAS_RD,ocmb0,offset=0x9a0,65536,,,,,catalogue,"
has "a word that tells of updates there" "$(named PM_OCMB0_WORD)" "0xa98 holds an update count"
refused "without a PVR" 2 "it has catalogues for the PVRs 0x4e0200, 0x800200; choose one with --pvr" "$U" events --catalogue "$T/part"
refused "with another" 2 "none of them is the wanted one" "$U" events --catalogue "$T/part" --pvr 0x4d0200
refused "--pvr alone" 2 "--pvr needs --catalogue FILE" "$U" events --pvr 0x4d0200
refused "no number" 2 "a number such as" "$U" events --catalogue "$T/part" --pvr p9
refused "--metrics" 2 "--metrics lists none" "$U" events --catalogue "$T/part" --metrics
refused "no such file" 2 "$T/none: " "$U" events --catalogue "$T/none"
refused "a file that cannot be read" 1 "/proc/self/mem: " "$U" events --catalogue /proc/self/mem

run "$U" events --catalogue "$T/p9.dtb" --block mba0 --format csv
is "one block" "$(column block | sort -u)" mba0
refused "no such block" 3 "it has imc, mba0, mba1" "$U" events --catalogue "$T/p9.dtb" --block mcs01
run "$U" events --catalogue "$T/p9.dtb" 'PM_MCS*RD*'
is "a pattern" "$(sed 1d "$T/out" | cut -d' ' -f1 | paste -sd ' ')" "PM_MCS01_64B_RD_DISP_PORT01 PM_MCS01_128B_RD_DISP_PORT01 PM_MCS01_128B_RD_DISP_PORT23 PM_MCS23_64B_RD_DISP_PORT01 PM_MCS23_128B_RD_DISP_PORT01 PM_MCS23_128B_RD_DISP_PORT23"
run "$U" events --catalogue "$T/p9.dtb" -v PM_XLINK1_EVEN_AVLBL_CYC
is "all that is known" "$out" "PM_XLINK1_EVEN_AVLBL_CYC
  block    xlink1
  encoding offset=0x218
  scale    4096
  refused  0x218 holds an update count, not a counter
  source   catalogue

sources
  catalogue $T/p9.dtb, version 0x20"
refused "its counters are not read" 3 "sys/firmware/opal/exports: No such file" "$U" --machine "root:$T/root" mem
run "$U" --machine "root:$T/root" list
has "list names the part" "$rc $out" "POWER9 nest"
mkdir "$T/empty"
refused "a tree without CPUID and catalogue" 3 "which CPU this is cannot be told" "$U" --machine "root:$T/empty" events

# Wrong in one place: one sentence, and the rest is there.
wrong() { # SENTENCE CHANGE NOTE EVENTS-LEFT
	make_ wrong p9 "$2" || not_ok "$1" "dtc"
	run "$U" events --catalogue "$T/wrong.dtb" --format csv
	is "$1" "$rc $(sed 1d "$T/out" | wc -l) $err" "0 $4 uncorectl: note: $T/wrong.dtb: $3"
}
wrong "events that lead nowhere" 'events = <&nx>=>events = <0x7777>' "nx@3f8: its events point to no group of events; it is left out" 55
wrong "events that lead to a unit" 'events = <&nx>=>events = <&{/powerbus0@8}>' "nx@3f8: its events point to no group of events; it is left out" 55
wrong "a unit that is its own group" 'events = <&nx>=>events = <&{/nx@3f8}>' "nx@3f8: its events point to no group of events; it is left out" 55
wrong "an unknown type" 'type = <0x4>=>type = <0x40>' "core@18: its type is not known; it is left out" 56
wrong "no type" 'type = <0x4>;=>' "core@18: it has no type; it is left out" 56
wrong "no size" 'size = <0x2000>;=>' "core@18: it has no size, or no reg; it is left out" 56
wrong "no prefix" 'events-prefix = "CPM_";=>' "core@18: it has no events-prefix, or no events; it is left out" 56
wrong "a prefix that is no text" 'events-prefix = "CPM_"=>events-prefix = [43 50]' "core@18: it has no events-prefix, or no events; it is left out" 56
wrong "an event without its name" 'event-name = "A";=>' "nx@3f8: events left out: 1, the last one without event-name or reg" 56
wrong "an event without its place" 'event-name = "B"; reg = <0x8 0x8>;=>event-name = "B";' "nx@3f8: events left out: 1, the last one without event-name or reg" 56
wrong "a place that is cut short" 'event-name = "B"; reg = <0x8 0x8>;=>event-name = "B"; reg = [00 00];' "nx@3f8: events left out: 1, the last one without event-name or reg" 56
wrong "a name that controls the terminal" 'event-name = "A"=>event-name = "\x1b[2J"' "nx@3f8: events left out: 1, the last one with a name that cannot be typed" 56
odd() { # SENTENCE CHANGE REASON EVENT
	make_ odd p9 "$2" || not_ok "$1" "dtc"
	run "$U" events --catalogue "$T/odd.dtb" --format csv
	has "$1" "$rc $(named "$4")" "$3"
}
odd "a place that no address can be" 'reg = <0x78 0x8>=>reg = <0xffffffff 0x8>' "0x100000007 is unaligned, or outside" PM_PB_CYC
odd "between two counters" 'reg = <0x78 0x8>=>reg = <0x7c 0x8>' "0x84 is unaligned, or outside" PM_PB_CYC
odd "beyond a smaller area" 'size = <0x40000>=>size = <0xd0>' "0xd0 is unaligned, or outside the unit's 0xd0 bytes" PM_MCS01_128B_RD_DISP_PORT01
odd "a scale that is no whole number" 'scale = "256"=>scale = "1.2207e-4"' '"its scale, 1.2207e-4, is no whole number"' PM_MCS01_128B_RD_DISP_PORT01
odd "an unknown version" 'version-id = <0x20>=>version-id = <0xa>' "the layout of counters in version 0xa is not known" PM_PB_CYC

# Not to be read at all.
gone() { refused "$1" 2 "$3" "$U" events --catalogue "$2"; }
head -c 3000 "$T/p9.dtb" >"$T/cut" && gone "a device tree that is cut off" "$T/cut" "$T/cut: its device tree is damaged or cut off"
head -c 300 "$T/p9.xz" >"$T/cut.xz" && gone "xz data that are cut off" "$T/cut.xz" "its xz data is damaged, cut off, or more than 262144 bytes when unpacked"
head -c 8192 "$T/one" | head -c 4200 >"$T/cut.part" && gone "a partition that is cut off" "$T/cut.part" "the catalogue for PVR 0x4e0200 reaches beyond its end"
printf 'IMCC\0\0\0\2' >"$T/two" && gone "another version of partition" "$T/two" "the partition has version 2; only version 1 can be read"
printf 'IMCC' >"$T/four" && gone "four bytes of it" "$T/four" "version 0; only version 1"
printf 'IMCC\0\0\0\1' >"$T/none.part" && gone "a partition with nothing in it" "$T/none.part" "(none)"
: >"$T/nothing" && gone "an empty file" "$T/nothing" "neither a device tree, nor one packed by xz, nor an IMA_CATALOG partition"
gone "any other file" tests/cli/catalogue.py "neither a device tree"
head -c 2000000 /dev/zero >"$T/large" && gone "a large one" "$T/large" "$T/large: "
python3 -c "import lzma; open('$T/bomb', 'wb').write(lzma.compress(bytes(1 << 20)))" && gone "xz data that grow" "$T/bomb" "or more than 262144 bytes when unpacked"
make_ other p9 'compatible = "ibm,opal-in-memory-counters"=>compatible = "ibm,other"' && gone "another device tree" "$T/other.dtb" "it is no catalogue"
python3 tests/cli/catalogue.py p9 | sed 's/ibm,imc-counters/ibm,imc/' | dtc -q -O dtb -o "$T/unitless.dtb" && gone "one without units" "$T/unitless.dtb" "without any unit that is as it should be"

# A live tree that leads back into itself, or has no end.
R=$T/root/sys/firmware/devicetree/base/imc-counters
ln -s .. "$R/nx@3f8/again"
refused "a live tree with a link that leads back" 2 "more than 4 levels" "$U" --machine "root:$T/root" events
rm "$R/nx@3f8/again"
head -c 400000 /dev/zero >"$R/nx@3f8/desc"
check "a live tree with a large file is refused" sh -c "! '$U' --machine 'root:$T/root' events >'$T/out' 2>'$T/err' && [ ! -s '$T/out' ]"
