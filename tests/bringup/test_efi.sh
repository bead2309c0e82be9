# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl.efi, started by firmware (OVMF) on simulated PCI functions: what it lacks, and its journal.  What it prints is in test_rows.sh.
. tests/lib.sh
scratch=$T
for command in xcheck top "mem -- true"; do
	# shellcheck disable=SC2086 # words
	tests/bringup/boot_efi "$scratch/none" sim:snbep,sockets=1 $command
	is "$command: it says what it needs, in one sentence" "$(grep -v ' note: ' "$scratch/none/console" |
		grep -c '^uncorectl: .*needs an operating system, and none runs here')" 1
done
UNTIL='end it, or use fewer' tests/bringup/boot_efi "$scratch/none" sim:snbep,sockets=1 list "'unended"
has "arguments with a quote that has no end: one sentence" "$(cat "$scratch/none/console")" "uncorectl: arguments: a quote has no end"

# Equal ones stay in their order, whose sort it may be.
boxes() { tr -d '\r' | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "box") at = i } NR > 1 { print $at }'; }
sorted="mem -i 0.1 -n 1 --sort socket --format csv"
# shellcheck disable=SC2086 # words
tests/bringup/boot_efi "$scratch/sorted" sim:skx,sockets=2 $sorted -o mem.csv
# shellcheck disable=SC2086 # words
is "rows that are equal stay in their order" "$(boxes <"$scratch/sorted/mem.csv" | paste -sd ' ')" \
	"$("$B/uncorectl" --machine sim:skx,sockets=2,clock=step $sorted 2>/dev/null | boxes | paste -sd ' ')"

# The power goes while it measures: the journal is on the volume.
volume=$scratch/volume
snbep() { VOLUME=$volume tests/bringup/boot_efi "$scratch/boot" sim:snbep,sockets=1 "$@"; }
journals() { mdir -b -i "$volume" ::/uncorectl 2>/dev/null | grep -c '[.]journal$'; }
UNTIL='GB/s' snbep mem -i 0.5
is "the power goes: there is a journal" "$(journals)" 1
mcopy -n -i "$volume" '::/uncorectl/*.journal' "$scratch/journal"
is "with each register that it wrote" "$(grep -c '^reg 0000:ff:10.0 ' "$scratch/journal") $(grep -c '^reg ' "$scratch/journal")" "4 16"
cp "$volume" "$scratch/kept"
snbep recover
has "after the next start recover finds that no register holds it" "$(cat "$scratch/boot/console")" \
	"wrote it before this machine was started anew, and no register holds what it wrote"
is "and the journal is gone" "$(journals)" 0

# A start that is no reset, such as that of a program which broke off, in the shell: the variable that names the boot is that of the
# journal, and a register holds what was written.
volume=$scratch/kept
boot=$(sed -n 's/^boot firmware //p' "$scratch/journal")
# Two numbers of 64 bits, as bytes from the lowest on.
bytes=$(echo "$boot" | fold -w 16 | while read -r number; do echo "$number" | fold -w 2 | tac; done | tr -d '\n')
cat >"$scratch/startup.nsh" <<END
fs0:
uncorectl.efi mem -i
setvar UncorectlBoot -guid 7c1a5f0e-3d52-4b8e-9a61-25d40fb36e17 -bs -rt =$bytes
mm ff1000e4 400304 -w 4 -PCI -n
uncorectl.efi recover
uncorectl.efi reg raw pci ff:10.0 0xe4 --poweroff
END
SHELL_FILE=$scratch/startup.nsh snbep
has "an option without its value is named" "$(cat "$scratch/boot/console")" "uncorectl: mem: -i needs a value"
is "in the same boot recover puts back what is left" "$(awk '/^ / && $4 == "CTL[3]" && $3 == "0000:ff:10.0" { print $6, $7, $8, $9, $10 }' \
	"$scratch/boot/console")" "0x00000000 0x00400304 0x00000000 put back"
is "and what it holds then is what it held" "$(awk '$3 == "0000:ff:10.0" && $4 == "w32" && $5 == "0xe4" { print $6 }' "$scratch/boot/log" | paste -sd ' ')" \
	"0x00400304 0x00000000"
is "and the journal is gone, too" "$(journals)" 0
