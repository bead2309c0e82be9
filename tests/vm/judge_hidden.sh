# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Which channel is missing: not the others are renumbered, and perf's numbers are told of each.
. tests/vm/lib.sh

is "list shows the hidden channel as missing, and perf's numbers" "$(awk '$1 ~ /^socket[01][.]/ { print $1, $3, $4 }' "$R/list.out")" \
	"socket0.imc0.ch0 idle 0
socket0.imc0.ch1 idle 1
socket0.imc0.ch2 missing 2
socket0.imc0.ch3 idle 3
socket1.imc0.ch0 idle 0
socket1.imc0.ch1 idle 1
socket1.imc0.ch2 idle 2
socket1.imc0.ch3 idle 3"
is "mem has a row without numbers for it" "$(awk -F, 'NR > 1 && $13 != "" && $13 != "late" { print $3 "." $5, $6, $7 $8 $11 $12 $13 }' "$R/mem.out" | sort | uniq -c | tr -s ' ')" \
	" 2 0.2 0000:7f:10.4 missing"
is "the driver does not renumber either" "$(left pmus)" "$(printf '/sys/bus/event_source/devices/uncore_imc_%d\n' 0 1 2 3)"
# perf 6.1 has no number of the other socket's channel 2 then: it gives an event up that one CPU does not have.
is "perf has no number of channel 2, on either socket" "$(grep '<not supported>' "$R/perf.csv" | cut -d, -f1,5 | cut -d/ -f1 | sort -u | tr '\n' ' ')" \
	"S0,uncore_imc_2 S1,uncore_imc_2 "
follow 101
undisturbed ours "$(our_counts mem.out)" $((2 * channels))
follow 100
undisturbed perf "$(perf_counts perf.csv | grep -v ' <not')" $((2 * channels - 2))
is "xcheck compares all others, and that channel 2 too which perf has no number of" \
	"$(left xcheck.rc) $(awk -F, '$7 == "0000:ff:10.4" { print $8, $9, $10 }' "$R/xcheck.out")" "0 cas_count.rd uncore_imc_2 2
cas_count.wr uncore_imc_2 2"
is "and tells why not the hidden one" "$(grep -F 'not comparable' "$R/xcheck.out" | grep -c ',0000:7f:10.4,.*hidden by the firmware')" 2
