# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl.efi on volumes that cannot be written, and where Secure Boot is on: one sentence each.
. tests/lib.sh
cat >"$T/startup.nsh" <<'TEXT'
fs0:
echo first
uncorectl.efi mem -i 0.2 -n 1 --format csv -o mem.csv
echo second
uncorectl.efi mem -i 0.2 -n 1
echo third
uncorectl.efi list --poweroff
TEXT
shell() { SHELL_FILE=$T/startup.nsh VOLUME=$T/$1.volume tests/bringup/boot_efi "$T/$1" sim:snbep,sockets=1; }
# A full volume: where uncorectl.args was, one cluster is free.
full=$T/full.volume
truncate -s 33M "$full"
mkfs.vfat -F 32 "$full" >/dev/null
mmd -i "$full" ::EFI ::EFI/BOOT
echo >"$T/small"
mcopy -i "$full" "$B/uncorectl.efi" "$T/startup.nsh" ::
mcopy -i "$full" "$T/small" ::uncorectl.args
head -c 33M /dev/zero >"$T/zeros"
free=$(mdir -i "$full" :: | sed -n 's/ *\([0-9 ]*\) bytes free/\1/p' | tr -d ' ')
head -c "$free" "$T/zeros" >"$T/rest"
mcopy -i "$full" "$T/rest" ::
mdel -i "$full" ::uncorectl.args
shell full &
READONLY=1 shell readonly
wait
# after WORD: what the command after that line said.
after() { tr -d '\r' <"$T/$1/console" | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' | awk -v word="$2" '/^(first|second|third)$/ { on = $0 == word } on' | grep -v ' note: '; }
journal='uncorectl: nothing was written to the hardware, since what it holds must be in a journal on disk first'
for volume in full readonly; do
	case $volume in full) why='the volume is full' ;; *) why='the volume is write-protected' ;; esac
	for word in first second; do
		said=$(after $volume $word | grep '^uncorectl: ')
		case $volume$word in
		readonlyfirst) is "$volume: -o FILE is one sentence" "$said" "uncorectl: -o mem.csv: Read-only file system" ;;
		*) is "$volume, $word: that no journal can be kept is one sentence" "$(echo "$said" | sed 's/ first, .*: / first: /')" "$journal: $why" ;;
		esac
	done
	is "$volume: no register was written" "$(awk '$3 ~ /ff:10/ && $4 == "w32" && $5 ~ /^0xd[8c]$|^0xe[04]$|^0xf[04]$/' "$T/$volume/log")" ""
	is "$volume: list works" "$(after $volume third | grep -c '^socket0.imc0.ch[0-3] .* idle')" 4
done

# Firmware refuses it; nothing of it runs.
SERIAL=$T/serial SECURE=1 UNTIL='Access Denied' tests/bringup/boot_efi "$T/secure" sim:snbep,sockets=1 list
check "Secure Boot is on: firmware does not load it" grep -q 'failed to load .*Access Denied' "$T/serial"
lacks "and none of it has run" "$(cat "$T/serial")" uncorectl
has "the manual tells how to sign it" "$(sed -n '/^While Secure Boot/,$p' src/os/efi/uncorectl-efi.8 | tr '\n' ' ')" "sign it with a key of your own, for example with .Ql sbsign"
