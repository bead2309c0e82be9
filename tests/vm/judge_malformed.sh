# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

places >"$T/places"
numbers() { sed -n 's/.*,uncore_imc_\([0-9]*\)\/event.*/\1/p' "$R/perf.csv" | sort -nu | tr '\n' ' '; }
case $machine in
*table=differs*)
	is "perf: where the table says otherwise than the registers it counts nothing, and says 0" \
		"$(awk -F, '/^S0/ { print $3 }' "$R/perf.csv" | sort | uniq -c | awk '{ print $1, $2 }')" "$((2 * channels)) 0"
	is "mem refuses" "$(left mem.rc) $(left mem.out)" "1 "
	has "and names the place by the registers" "$(left mem.err)" ": by its registers it is at 0x"
	has "and that by the table" "$(left mem.err)" ", and by the discovery table of pci 0000:7e:03.0 at 0x"
	is "list says it of each channel" "$(grep -c 'missing.*by its registers.*by the discovery table' "$R/list.out")" "$channels"
	is "no channel was touched by us" "$(awk 'NR == FNR { at[$3]; next } $3 in at && $4 ~ /^w/' "$T/places" "$R/log")" ""
	;;
*table=duplicate*)
	is "perf: one of its numbers is missing" "$(numbers)" "0 2 3 4 5 6 7 "
	is "mem has all channels but that of the two units" "$(left mem.rc) $(awk -F, 'NR > 1 && $13 ~ /missing/ { print $3, $4, $5 }' "$R/mem.out")" "0 0 0 0"
	is "mem has rates of all others" "$(awk -F, 'NR > 1 && $9 != ""' "$R/mem.out" | grep -c .)" $((channels - 1))
	has "list says why" "$(left list.out)" "has unit 0 of type 6 twice, or another unit in its registers: it is not counted"
	follow all
	is "mem tells the true rates" "$(true_rates mem.out)" ""
	;;
esac
