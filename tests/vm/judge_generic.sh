# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Each channel has two sub-channels, which count by events of their own: four counters of a channel; mem shows their sum.
. tests/vm/lib.sh

# lines of a part of the log, of the four counters of each channel: "NS PLACE r|w INDEX VALUE"; a control is written, a counter read.
counters() { # MARK
	places >"$T/places"
	accesses "$1" | awk '
		NR == FNR { channel[$3]; next }
		!($3 in channel) { next }
		$4 == "w32" && $5 ~ /^0x4[048c]$/ { print $1, $3, "w", index("048c", substr($5, 4)) - 1, substr($6, 7) }
		$4 == "r64" && $5 ~ /^0x(8|10|18|20)$/ { print $1, $3, "r", int(index("0x08 0x10 0x18 0x20", substr($5, 3)) / 5), $6 }' "$T/places" -
}
# truth: of lines "NS PLACE" the sums of reads and of writes.
truth() {
	moved=$(awk 'NR == 1 { print $3 }' "$T/places")
	awk '{ for (i = 0; i < 2; i++) print $1, $2, "cas_count_sch" i ".rd\n" $1, $2, "cas_count_sch" i ".wr" }' "$1" |
		"$B/tests/vm/truthat" "$machine,mmio_base=$(printf '0x%x' $((moved & ~0x7fffff)))" | paste -d' ' - - - - | awk '{ printf "%.0f %.0f\n", $1 + $3, $2 + $4 }'
}
true_mem() { # NAME MARK
	# A guest that halts may make every read slow.
	is "$1: it works, and says no more than its summary" "$(left "$1.rc") $(left "$1.err" | grep "^uncorectl:" | grep -v 'every value is .late.: a read takes')" "0 "
	counters "$2" | awk '$3 == "r" { print $1, $2 }' >"$T/times"
	truth "$T/times" | paste -d' ' "$T/times" - | awk '{ print $1, $2, 0, "-", 0, 0, 0, 0, $3, $4 }' >"$T/reads"
	is "$1: it tells the true rates" "$(true_rates "$1.out")" ""
	is "$1: it has a row for each channel and sample" "$(grep -c ',0x' "$R/$1.out")" $((2 * channels))
}
true_mem mem_before 100
true_mem mem_after 102

# Perf's counts of each channel, reads and writes of both sub-channels, and what it gained and what happened in that time.
awk -F, 'NR == FNR { split($0, place, " "); at[place[1], place[2]] = place[3]; next }
	/^S[0-9]/ { pmu = $5; gsub(/^uncore_type_6_|\/.*/, "", pmu); printf "%s %s %s %.0f\n", at[substr($1, 2), pmu], $5 ~ /=0x5$/ ? 5 : 6, $6 ~ /cf/ ? "cf" : "f0", $3 }' \
	slots=1 "$T/places" "$R/perf.csv" | sort >"$T/perf"
counters 101 >"$T/counters"
awk '
	function hex(text, n, i) {
		n = 0
		for (i = 3; i <= length(text); i++)
			n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
		return n
	}
	{ key = $2 " " $4 }
	$3 == "w" { if ($5 != "0000") { event[key] = $5 } next }
	{ value = hex($5) }
	key in event && key in before { gain[$2 " " substr(event[key], 4) " " substr(event[key], 1, 2)] += value - before[key] }
	{ before[key] = value }
	END { for (key in gain) printf "%s %.0f\n", key, gain[key] }' "$T/counters" | sort >"$T/moved"
is "perf: each of its counts is what its counter gained" "$(cat "$T/perf")" "$(cat "$T/moved")"
is "perf: it has four for each channel" "$(grep -c . "$T/perf")" $((4 * channels))
# From when its last event was added to when its first one ended.
awk '$3 == "w" && $5 != "0000" { begin[$2] = $1 } $3 == "w" && $5 == "0000" && ($2 in begin) && $1 - begin[$2] > 5e8 && !($2 in end) { end[$2] = $1 }
	END { for (place in end) print begin[place], place "\n" end[place], place }' "$T/counters" >"$T/times"
truth "$T/times" | paste -d' ' "$T/times" - | paste -d' ' - - | awk '{ printf "%s cf %.0f\n%s f0 %.0f\n", $2, $7 - $3, $2, $8 - $4 }' | sort >"$T/happened"
awk '{ sum[$1 " " $3] += $4 } END { for (key in sum) printf "%s %.0f\n", key, sum[key] }' "$T/perf" | sort | paste -d' ' - "$T/happened" |
	awk '{ off = $3 / $6 - 1; if ($1 != $4 || $2 != $5 || off > 0.005 || off < -0.005) print }' >"$T/off"
is "perf: these are what happened meanwhile, to 0.5 %" "$(cat "$T/off")" ""
is "xcheck: ours and the kernel's counts agree" "$(left xcheck.rc) $(awk -F, 'NR > 1' "$R/xcheck.out" | grep -c uncore_type_6_)" "0 $((4 * channels))"
