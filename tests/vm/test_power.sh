# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl on Debian's kernel for POWER, under firmware that has a catalogue and microcode that does not answer: QEMU's POWER9.
# VM_KEEP=FOLDER keeps what the guest left there.
. tests/lib.sh

V=$B/vm
if ! tests/vm/fetch_power "$V" 2>"$T/why"; then
	skip "a guest of POWER" "$(head -n 1 "$T/why")"
	exit 0
fi
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j2 "B=$B" CFLAGS=-O1 POWER_PARTS=uncorectl ppc64le
if [ "$rc" != 0 ] && expr "$err" : '.*cannot fetch Debian' >/dev/null; then
	skip "a guest of POWER" "$(echo "$err" | head -n 1)"
	exit 0
fi
is "make ppc64le succeeds, and has nothing to say" "$rc $err" "0 "

# The guest's files, and its flash, whose catalogue has two events of core and thread.  0x4e0200 is QEMU's POWER9.
root=$T/root
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/run"
cp "$V/power/busybox" "$root/bin/"
ln -s busybox "$root/bin/sh"
powerpc64le-linux-gnu-strip -o "$root/bin/uncorectl" "$B/ppc64le/uncorectl"
cp tests/vm/guest/power.sh "$root/init"
chmod 755 "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$T/initramfs"
core='event@0 { event-name = "CYC"; reg = <0x0 0x8>; };'
thread='thread@18 { compatible = "ibm,imc-counters"; type = <0x1>; size = <0x2000>; reg = <0x18 0x8>; events = <&core>; events-prefix = "CPM_"; scale = "512"; };'
python3 tests/cli/catalogue.py p9 "trace@0=>$thread trace@0" "$core=>$core event@1fa0 { event-name = \"INST\"; reg = <0x1fa0 0x8>; };" |
	dtc -q -f -O dtb -o "$T/p9.dtb" || exit 1
python3 tests/cli/catalogue.py partition "$T/partition" "0x4e0200:$T/p9.dtb"
python3 tests/cli/catalogue.py flash "$T/flash" "$T/partition"

# Firmware reads the flash through a BMC.  With a second thread it hangs.
timeout 120 qemu-system-ppc64 -M powernv9 -accel tcg -smp 1 -m 1G -nodefaults -display none -nic none -no-reboot \
	-device ipmi-bmc-sim,id=bmc0 -device isa-ipmi-bt,bmc=bmc0,irq=10 -drive "file=$T/flash,format=raw,if=mtd" \
	-kernel "$V/power/vmlinux" -initrd "$T/initramfs" -append "console=hvc0 quiet loglevel=4 panic=-1" -serial "file:$T/serial" \
	>"$T/qemu" 2>&1 </dev/null
status=$?
tr -d '\r' <"$T/serial" >"$T/console"
R=$T/left
mkdir "$R"
if [ $status != 0 ] || ! sed -n '/^==== begin$/,/^==== end$/p' "$T/console" | sed '1d;$d' | base64 -d 2>/dev/null | tar -xz -C "$R" 2>/dev/null; then
	not_ok "a guest of POWER runs to its end, and all that it sent has arrived" "status $status" "$(cat "$T/qemu")" "$(tail -n 30 "$T/console")"
	exit 0
fi
[ -z "${VM_KEEP:-}" ] || { mkdir -p "$VM_KEEP/power" && cp -r "$R" "$T/console" "$VM_KEEP/power"; }

left() { cat "$R/$1" 2>/dev/null; }                                  # FILE
words() { left "$1" | tr -s ' \n' ' '; }                              # FILE: without the table's line breaks
rows() { awk -F, 'NR > 1 { print $2, $1, $3, $4 }' "$R/$1" | sort; } # FILE
said="the units of the nest are absent, or none of them is known here: firmware removes all if their microcode does not answer"

is "firmware removed the units of the nest, and left those of core and thread" "$(sed 's,.*/,,' "$R/units" | paste -sd ' ')" "core@18 thread@18"
has "it exports the area of counters all the same" "$(left exports)" imc_nest_chip_0
is "list: exit status 3" "$(left list.rc) $(left list.err)" "3 "
has "list: the part" "$(words list.out)" "part POWER9 nest: IBM sockets 0, 1 CPUs"
has "list: why there are no boxes, and what is left" "$(words list.out)" "boxes $said; \`uncorectl events\` lists what is left"
is "mem: exit status 3, and the same sentence" "$(left mem.rc) $(left mem.out) $(left mem.err)" \
	"3  uncorectl: device tree: $said; \`uncorectl events\` lists what is left; try: uncorectl --machine sim:skx mem"
is "doctor: exit status 3" "$(left doctor.rc) $(left doctor.err)" \
	"3 uncorectl: doctor: not everything can be measured: something needed is not here (cpu)"
has "doctor: why" "$(words doctor.out)" "fail cpu POWER9 nest: device tree: $said; \`uncorectl events\` lists what is left seen device tree, version 0x20"
has "doctor: nothing else is wrong" "$(words doctor.out)" "Failed: 1, warnings: 0, unknown: 0."
is "events: exit status 0" "$(left events.rc) $(left events.err)" "0 "
# The kernel's driver read the same tree: .../core_imc/events/NAME:event=PLACE, and NAME.scale:SCALE.
is "events: those of core and thread, as the kernel's driver has them" "$(rows events.out)" \
	"$(sed -n 's,.*/\([a-z]*\)_imc/events/\([^:.]*\):event=\(.*\),\1 \2 offset=\3 512,p' "$R/kernel" | sort)"
is "events: there are four" "$(grep -c ',it is not reachable without the kernel: only that can read this counter,' "$R/events.out")" 4
is "stat, reg, check, xcheck: exit status 3" "$(left stat.rc) $(left reg.rc) $(left check.rc) $(left xcheck.rc)" "3 3 3 3"
run "$U" --machine "replay:$R/record.txt" list
is "a record of list says the same here" "$(left record.rc) $rc $(sed 1d "$T/out")" "3 3 $(sed 1d "$R/list.out")"

# A read of this area, where QEMU 7.2 has no memory, is an oops.
opened() { sed -n 's/.* who="\(.*\)" path="\(.*\)"$/\1 \2/p' "$R/opens" | sort -u; }
is "uncorectl did not open the area: the kernel noted each program that did" "$(opened)" \
	"init /sys/firmware/opal/exports/imc_nest_chip_0
uncorectl /sys/firmware/devicetree/base/imc-counters/core@18/reg"
is "the kernel noted all" "$(sed -n 's,^# entries-in-buffer/entries-written: \([0-9]*\)/\([0-9]*\) .*,\1 of \2,p' "$R/opens")" \
	"$(grep -c 'path=' "$R/opens") of $(grep -c 'path=' "$R/opens")"
is "the kernel is well" "$(grep -c 'Linux version' "$R/log") $(grep -i -e 'oops:' -e 'bug:' -e 'unable to handle' -e 'call trace' "$R/log")" "1 "
