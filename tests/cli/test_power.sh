# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Machines with a catalogue and areas of counters (POWER): list, doctor, events of stat, and records.
. tests/lib.sh

if ! command -v dtc >/dev/null; then
	skip "counters of POWER's nest" "there is no dtc (Debian: device-tree-compiler)"
	exit 0
fi
M=root:$T/root
AREA=$T/root/sys/firmware/opal/exports/imc_nest_chip
mkdir -p "$T/root/proc/device-tree" "${AREA%/*}"
python3 tests/cli/catalogue.py p9 >"$T/p9.dts" && dtc -q -f -O dtb -o "$T/p9.dtb" "$T/p9.dts" || exit 1
python3 tests/cli/catalogue.py tree "$T/p9.dtb" "$T/root/proc/device-tree/imc-counters"
nest() { # CHIP [KEY=VALUE]...
	chip=$1
	shift
	python3 tests/cli/nest.py "${AREA}_$chip" "$@"
}
fresh() { # [KEY=VALUE]...: of the second of two chips
	rm -f "${AREA}"_*
	cp "$T/area" "${AREA}_0" && cp "$T/area" "${AREA}_8"
	[ $# = 0 ] || nest 8 "$@"
}
states() { run "$U" --machine "$M" list --format csv && column state | paste -sd ' '; }
row() { grep "^socket8" "$T/out"; }

python3 tests/cli/nest.py "$T/area"
fresh
run "$U" --machine "$M" list
is "two chips that count" "$rc $out" "0 machine  $M
part     POWER9 nest: IBM
sockets  2

box           PCI    state
socket0.imc0  chip0  counting
socket8.imc0  chip8  counting"
seen() { # SENTENCE STATES PART KEY=VALUE...
	sentence=$1 wanted=$2 part=$3
	shift 3
	fresh "$@"
	is "$sentence" "$(states)" "$wanted"
	has "$sentence: why" "$(row)" "$part"
}
seen "a paused chip" "counting stopped" "they are paused (status 2); with --start a measurement lets them run" status=2
seen "one whose microcode never ran" "counting stopped" "never ran (status 0)" status=0
seen "one with a wrong speed" "counting stopped" "the microcode refuses its speed (status 3)" status=3
seen "one with a wrong mode" "counting stopped" "the microcode refuses its mode (status 4)" status=4
seen "one whose scales are wrong" "counting counting" "speed 5, at which the catalogue's scales are wrong" speed=5
seen "one without memory controllers" "counting absent" "its bits of the availability vector, 0x807f8073f007e000, are not set" available=0x807F8073F007E000
seen "one with one of them" "counting counting" "exports for chip 8" available=0x4000000000000000
seen "words in the other order" "counting missing" "or its words are not big-endian" little=1
seen "an area that is cut off" "counting missing" "that is not within the registers of this space" length=4096
is "one chip is enough" "$rc" 0
fresh length=0 && nest 0 length=0
refused "areas that are empty" 3 "none of these boxes is there" "$U" --machine "$M" list -o "$T/none"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	fresh && chmod 600 "${AREA}"_*
	cp "$U" "$T/mine" && chmod 755 "$T" "$(dirname "$T")" "$T/mine"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$T/mine" --state "$T/none" --machine "$M" list --format csv
	is "areas that only root may read" "$rc $(column state | paste -sd ' ')" "4 not permitted not permitted"
	has "and why" "$(row)" "imc_nest_chip_8"
else
	skip "areas that only root may read" "this is not root, or there is no setpriv"
fi

# doctor
lines() { run "$U" --machine "$M" doctor --format csv; }
line() { grep "^[a-z]*,$1," "$T/out"; }
fresh && lines
is "doctor: nothing fails, as nothing of x86 is missing" "$rc $(grep -c ',fail,' "$T/out") $(grep -ciE 'cpuid|modprobe|PCI functions' "$T/out")" "0 0 0"
has "what it is" "$(line cpu)" "POWER9 nest: its counters are known from its catalogue,\"device tree, version 0x20\""
has "its microcode" "$(line nest | tail -1)" 'chip 8: its counters run,"microcode 2.0.0 of 2018-05-31, status 1, speed 0, mode 0, availability 0xffff8073f007e000"'
fresh status=2 speed=2 mode=1 && lines
is "a paused chip is a failure" "$rc $(line nest | cut -d, -f3,4 | paste -sd ' ')" "5 ok, fail,5"
has "a paused chip" "$(line nest | tail -1)" "status 2, speed 2, mode 1"
fresh speed=4 && lines
is "so are scales that are wrong" "$rc $(line nest | cut -d, -f3,4 | paste -sd ' ')" "3 ok, fail,3"
fresh available=0 && lines
has "units that one chip lacks" "$(line absent)" 'centaur0, nx: on no socket'
lacks "and not what another has" "$(line absent)" mba0
fresh little=1 && lines
has "words in the other order" "$(line memory)" "or its words are not big-endian"
mv "${AREA%/*}" "$T/away" && lines && mv "$T/away" "${AREA%/*}"
has "no areas" "$rc $(line functions)" "3 pci,functions,fail,3,memory channels cannot be reached: there are no areas of their counters"

# Events, while one chip counts in the background.
fresh && rm "${AREA}_8"
python3 tests/cli/nest.py "${AREA}_0" run=600000 &
counts=$!
run "$U" --machine "$M" stat -n 1 -i 0.1 -e 'PM_MCS*128B_RD*,pm_mcs23_64b*' --format csv
is "patterns of events" "$rc $(column event | sort | paste -sd ' ')" "0 PM_MCS01_128B_RD_DISP_PORT01 PM_MCS01_128B_RD_DISP_PORT23 PM_MCS23_128B_RD_DISP_PORT01 PM_MCS23_128B_RD_DISP_PORT23 PM_MCS23_64B_RD_DISP_PORT01"
run "$U" --machine "$M" stat -n 1 -i 0.1 --block xlink1 -e '*' --format csv
is "of a unit those that can be counted" "$rc $(column event | paste -sd ' ')" "0 PM_XLINK1_EVEN_CYC"
refused "a pattern of none" 2 "-e PM_X*: no event that can be counted has such a name" "$U" --machine "$M" stat -n 1 -e 'PM_X*'
refused "a pattern of refused ones" 2 "-e PM_NTL*: no event that can be counted" "$U" --machine "$M" stat -n 1 --block nvlink0 -e 'PM_NTL*'
refused "a refused event, with its reason" 3 "at 0x450 the microcode counts mba" "$U" --machine "$M" stat -n 1 --block nvlink0 -e PM_NTL0_CLK_CYC
refused "one of cores" 3 "--block core: only the kernel reaches its counters" "$U" --machine "$M" stat -n 1 --block core -e CPM_CYC

# A record has the catalogue, without addresses of memory, and gives the same.
printf 'WHERE_IT_IS' >"$T/root/proc/device-tree/imc-counters/powerbus0@8/base-addr"
printf '\0\0\0\010' >"$T/root/proc/device-tree/imc-counters/powerbus0@8/chip-id"
for what in "mem -n 2 -i 0.1 --format csv" "doctor" "stat -n 1 -i 0.1 -e PM_M*_CYC --block mba0 --format csv"; do
	rm -f "$T/record"
	# shellcheck disable=SC2086 # words
	run "$U" --machine "$M" record "$T/record" -- $what
	recorded=$out
	is "$what is recorded" "$rc" 0
	# shellcheck disable=SC2086 # words
	run "$U" --machine "replay:$T/record" $what
	is "and gives the same from its record" "$out" "$recorded"
done
check "which has properties" grep -q chip-id "$T/record"
check "and no address" sh -c "! grep -q WHERE_IT_IS '$T/record'"
kill $counts

# Firmware removes all units of the nest if their microcode does not answer.  Reading an area there may crash the kernel: opening these
# would wait for ever.
cp -a "$T/root" "$T/pruned"
P=$T/pruned/proc/device-tree/imc-counters
rm "$T/pruned/sys/firmware/opal/exports"/*
for node in "$P"/*@*; do
	case $node in */core@* | */trace@*) ;; *) rm -r "$node" ;; esac
done
mkfifo "$T/pruned/sys/firmware/opal/exports/imc_nest_chip_0" "$T/pruned/sys/firmware/opal/exports/imc_nest_chip_8"
run timeout 20 "$U" --machine "root:$T/pruned" list
is "units that firmware removed" "$rc $out" "3 machine  root:$T/pruned
part     POWER9 nest: IBM
sockets  0
boxes    the units of the nest are absent, or none of them is known here:
         firmware removes all if their microcode does not answer; \`uncorectl
         events\` lists what is left
try      uncorectl --machine sim:skx mem"
for what in "list --format csv" "mem -n 1" "stat -n 1 -e PM_MBA0_READ_BYTES"; do
	# shellcheck disable=SC2086 # words
	run timeout 20 "$U" --machine "root:$T/pruned" $what
	is "so does $what" "$rc $out" "3 "
	has "so says $what" "$err" "the units of the nest are absent"
	lacks "$what: nothing of CPUID" "$err" "names the vendor"
done
run timeout 20 "$U" --machine "root:$T/pruned" doctor --format csv
has "doctor says it, too" "$rc $(line cpu)" "3 cpu,cpu,fail,3,\"POWER9 nest: device tree: the units of the nest are absent"
