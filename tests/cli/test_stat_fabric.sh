# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# stat -m df_over_umc: AMD's data fabric and its memory controllers count the same bytes, unless one of them counts wrong.
. tests/lib.sh

count() { run "$U" --machine "sim:$1,clock=step" stat -m df_over_umc -n 1 -i 0.5 --format csv -o "$T/rows" --per "$2"; }
# between SENTENCE PLACE ROWS LOW HIGH: so many rows of that socket (or of all, "-"), and each value between the two.
between() {
	check "$1" awk -F, -v place="$2" -v rows="$3" -v low="$4" -v high="$5" '
		FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		place != "-" && $column["socket"] != place { next }
		$column["value"] == "" || $column["value"] < low || $column["value"] > high { bad = 1; print }
		{ n++ }
		END { exit bad || n != rows }' "$T/rows"
}

for machine in zen4,umcs=0xf:4 zen4,umcs=0xfff:12 zen4,umcs=0x8:1 zen5,sockets=1:12 zen5,sockets=2:24; do
	count "${machine%:*}" box
	between "each channel of ${machine%:*}" - "${machine##*:}" 99.8 100.2
done
count zen5,sockets=2 socket
between "each of two sockets" - 2 99.9 100.1
has "what was counted in turns is flagged" "$(cat "$T/rows")" scaled

count zen4,umcs=0x8,defect=counts-twice:socket0.df0:15 socket
between "reads that the data fabric counts twice" 0 1 140 190
count zen4,umcs=0x8,defect=counts-twice:socket0.df0:0 socket
between "a defect in a counter that is not used" 0 1 99.9 100.1
count zen5,sockets=2,defect=counts-twice:socket1.df0:15 socket
between "the socket with the defect" 1 1 103 200
between "and not the other" 0 1 99.9 100.1

refused "parts without counters of controllers" 3 "has no event df_read" "$U" --machine sim:zen3 stat -m df_over_umc -n 1
refused "a machine that another program watches" 3 "no program counts any of these events" \
	"$U" --machine sim:zen4 stat --observe -m df_over_umc -n 1
