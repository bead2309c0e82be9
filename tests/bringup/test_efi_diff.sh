# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl.efi compares what it wrote to its volume: dumps, by `reg diff`, and samples, by `diff`; a record it cannot.
. tests/lib.sh
cat >"$T/startup.nsh" <<'END'
fs0:
uncorectl.efi reg dump --format csv -o a.csv
uncorectl.efi reg dump --format jsonl -o a.jsonl
uncorectl.efi mem -n 2 -i 0.05 --format csv -o m.csv
uncorectl.efi reg set socket0.imc0.ch1.CTL[2].ev_sel=4 socket0.imc0.ch1.CTL[2].umask=3 --write --keep --state journals
uncorectl.efi reg dump -o b.txt
uncorectl.efi reg diff a.csv a.jsonl --format csv -o same.csv
uncorectl.efi reg diff a.csv b.txt --but "*CTR*" --but "*FIXED*" --format csv -o differ.csv
uncorectl.efi reg diff a.csv m.csv
uncorectl.efi diff m.csv m.csv --format csv -o means.csv
uncorectl.efi diff m.csv old.rec
uncorectl.efi diff m.csv none.csv
reset -s
END
printf 'uncorectl-record/1\n' >"$T/old.rec"
SHELL_FILE=$T/startup.nsh VOLUME=$T/volume FILES=$T/old.rec tests/bringup/boot_efi "$T/boot" sim:skx,sockets=1
mcopy -n -i "$T/volume" '::*.csv' "$T/" 2>/dev/null
is "two dumps of the same registers do not differ" "$(wc -c <"$T/same.csv")" 0
is "what was written between two dumps is what differs" "$(sed 1d "$T/differ.csv" | cut -d, -f1-5)" \
	"socket0.imc0.ch1,CTL[2],umask,0x0,0x3
socket0.imc0.ch1,CTL[2],ev_sel,0x0,0x4"
is "samples do not differ from themselves" "$(wc -c <"$T/means.csv")" 0
words() { tr -s ' \n\r' '   ' <"$T/boot/console"; }
has "samples are no dump" "$(words)" "reg diff: m.csv:1: not a dump of registers"
has "a record needs an operating system" "$(words)" "diff: old.rec: replaying a record needs an operating system"
has "a file that is not there is named" "$(words)" "diff: none.csv: No such file or directory"
