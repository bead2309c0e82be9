# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# An event list in JSON; and --log serial: all is printed if the line has time for it; if not, whole lines are dropped, and counted.
. tests/lib.sh
cat >"$T/startup.nsh" <<'END'
fs0:
echo BdsDxe: starting
uncorectl.efi --log serial reg dump --format csv
echo dumped
uncorectl.efi reg dump --format csv -o dump.csv
uncorectl.efi events --import-perfmon perfmon.json --format csv -o events.csv
uncorectl.efi --log serial mem -i 0.001 -n 500 --format csv --poweroff
END
FILES=tests/cli/perfmon.json VOLUME=$T/volume SHELL_FILE=$T/startup.nsh tests/bringup/boot_efi "$T/boot" sim:snbep,sockets=1
mcopy -n -i "$T/volume" ::dump.csv ::events.csv "$T/"
rows() { grep -E '^(0000:|socket)[^ ]*,' "$1" | tr -d '\r'; }
sed '/^dumped/,$d' "$T/boot/console" >"$T/dumped"
check "there is something in the file" [ "$(rows "$T/dump.csv" | wc -l)" -gt 50 ]
is "what is printed on the serial line is what would be in a file" "$(rows "$T/dumped")" "$(rows "$T/dump.csv")"
sed '1,/^dumped/d' "$T/boot/console" | tr -d '\r' >"$T/measured"
got=$(grep -c ',socket0[.]imc0[.]ch[0-3],' "$T/measured")
lost=$(sed -n 's/^uncorectl: note: --log serial: \([0-9]*\) lines were dropped, since .*/\1/p' "$T/measured")
check "a line that is too slow drops lines" [ "${lost:-0}" -gt 0 ]
# Dropped were also the lines after the last sample.
check "each row is there or counted as dropped: $got and $lost of 2000" [ $((got + lost)) -ge 2000 ]
check "and no more" [ $((got + lost)) -le 2010 ]
is "a row that is there is whole" "$(grep ',socket0[.]imc0[.]ch[0-3],' "$T/measured" | awk -F, '{ print NF }' | sort -u)" 17

(cd tests/cli && "$PWD/../../$B/uncorectl" --machine sim:snbep,sockets=1 events --import-perfmon perfmon.json --format csv) >"$T/wanted" 2>/dev/null
check "an event list in JSON has events that the map has not" grep -q ',perfmon,' "$T/wanted"
is "and they are shown as elsewhere" "$(tr -d '\r' <"$T/events.csv" | diff - "$T/wanted")" ""
