# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl.efi in the shell: what --help and doctor say of it; and other processors: their MSRs, what one refuses, and firmware that has them again after each run.  The second run
# could not start work on a processor that still waits for the first.
. tests/lib.sh
cat >"$T/startup.nsh" <<'END'
fs0:
uncorectl.efi --help
uncorectl.efi --list-machines
uncorectl.efi doctor
uncorectl.efi reg raw msr 0 0x1b
uncorectl.efi reg raw msr 1 0x1b
uncorectl.efi reg raw msr 1 0x6e1 0x100000000 --write --unmapped --state journals
uncorectl.efi reg raw msr 1 0x1b --poweroff
END
SHELL_FILE=$T/startup.nsh tests/bringup/boot_efi "$T/boot" sim:skx,sockets=2
# Bit 8 of IA32_APIC_BASE: the processor that firmware started.
is "an MSR is that of the processor that was named" "$(awk '$1 ~ /^cpu[0-9]/ { print $1, $3 }' "$T/boot/console" | head -2 | paste -sd ' ')" \
	"cpu0 0x00000000fee00900 cpu1 0x00000000fee00800"
is "another processor refuses a value: that is an error, not a reset" \
	"$(grep -c 'cpu 1: write MSR 0x6e1: the processor refuses it' "$T/boot/console")" 1
is "each run gives processors back to firmware, which starts the next one's work" \
	"$(grep -c '^cpu1  0x1b  *0x00000000fee00800' "$T/boot/console") $(grep -c 'no lasting work' "$T/boot/console")" "2 0"

# Lines of a table are cut.
words() { tr -s ' \n' '  ' <"$T/boot/console"; }
has "--help has the only machine that there is" "$(words)" "which machine: live is the only one under firmware --regs"
has "--list-machines says that there is none" "$(words)" "--list-machines no machine is simulated in this build"
is "doctor says what firmware says" "$(words | grep -oE 'ok firmware EDK II, revision 0x[0-9a-f]+, UEFI 2[.][0-9]+|Secure Boot is not on|names [0-9]{2,} ranges|is in memory, the first of it at 0x[0-9a-f]{8} ' | wc -l)" 4
is "and looks for no operating system" "$(words | grep -oE '/proc|/sys|the kernel|another uncorectl|/run/' | sort | uniq -c)" ""
