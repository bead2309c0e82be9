# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

function=$(left function)
rows() { awk -F, -v f="$function" -v same="$1" 'NR > 1 && ($6 == f) == same' "$R/mem.csv"; } # 1: its, 0: all others'
is "the channel is stolen from then on, and has no number of reads" \
	"$(rows 1 | awk -F, 'stolen && ($13 !~ /stolen/ || $11 != "") { print } $13 ~ /stolen/ { stolen++ } END { if (stolen < 2) print "stolen in", stolen }')" ""
is "no other channel is" "$(rows 0 | awk -F, '$13 != "" && $13 != "late"')" ""
is "the control is left to the program that wrote it" "$(awk -v f="$function" '$1 == f { print $5 }' "$R/after")" "$(left theirs)"
is "all other controls are as before" "$(awk -v f="$function" '$1 == f { $5 = "" } { print }' "$R/after")" \
	"$(awk -v f="$function" '$1 == f { $5 = "" } { print }' "$R/before")"
has "and that is said" "$(left mem.err)" "CTL[3]"
