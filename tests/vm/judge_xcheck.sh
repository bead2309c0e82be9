# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What xcheck says of perf: each of its numbers is what that very counter held in the log, and the truth.
. tests/vm/lib.sh

# rows FILE: "FUNCTION EVENT VERDICT PERF COUNTER FROM_RAW TO_RAW RAW KERNEL", of JSON lines, one a line.
rows() {
	awk '
	function field(name, value) {
		if (!match($0, "\"" name "\":(\"[^\"]*\"|[^,}]*)"))
			return "-"
		value = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
		gsub(/"/, "", value)
		gsub(/ /, "_", value)
		return value
	}
	/"record":"header"/ { next }
	{
		counter = field("counter")
		gsub(/[^0-9]/, "", counter)
		print field("pci"), field("event"), field("verdict"), field("perf"), counter, field("from_raw_before"), field("to_raw_before"),
			field("raw"), field("kernel")
	}' "$R/$1"
}

is "xcheck works" "$(left json.rc)" 0
rows json.out >"$T/rows"
is "it has a row for each channel, event and sample" "$(wc -l <"$T/rows")" $((channels * 2 * 2))
# In a guest that halts for some ms too many counts come while two counters are read.
is "nothing differs" "$(awk '$3 != "ok" && $3 != "not_comparable"' "$T/rows")" ""
check "most is compared" [ "$(grep -c ' ok ' "$T/rows")" -ge "$channels" ]
is "what perf calls each channel is found out" "$(places >"$T/places" && awk '
	NR == FNR { number[$3] = $2; next }
	$4 != number[$1]' "$T/places" "$T/rows")" ""
follow 100
# Perf's count is the difference of two values that the kernel read there, right behind ours.  (What it counted before that may be from
# another counter: it moves the events that it has whenever one is added.)
is "each number is what that counter held when it was read, and the truth" "$(awk '
	NR == FNR {
		key = $2 " " $3
		held[key, $6] = $7
		values[key, n[key]++] = $6
		next
	}
	{
		key = $1 " " $5
		if (!((key, $6) in held) || !((key, $7) in held) || $8 != $7 - $6) print $1, $2, "CTR[" $5 "] never held", $6, "or", $7, $8
		for (i = 0; i < n[key] && !(values[key, i] > $6 && (key, sprintf("%.0f", values[key, i] + $9)) in held); i++)
			;
		if (i == n[key]) print $1, $2, "is not for perf to say:", $9
		off = $8 - (held[key, $7] - held[key, $6])
		if (off * off > ($8 * 0.0002) ^ 2) print $1, $2, $8, "is", off, "from the truth"
		compared++
	}
	END { if (!compared) print "nothing" }' "$T/reads" "$T/rows")" ""

is "without the driver there is nothing to compare" "$(left no_driver.rc)" 3
has "and it is named" "$(left no_driver.err)" "the kernel's driver for these counters is not loaded (modprobe intel_uncore;"
is "a user who is not root is not permitted" "$(left user.rc)" 4
has "and hears why" "$(left user.err)" "this needs root, and you are user 1000"
is "an event that there is not is wrong usage" "$(left unknown.rc)" 2
has "and is named" "$(left unknown.err)" "thresh=300"

function=$(left function)
is "a counter of perf's that another process writes makes a difference" "$(left hand.rc)" 1
is "of that counter, and of no other" "$(rows hand.out | awk '$3 == "differs" { print $1, $2 }' | sort -u)" "$function cas_count.rd"
has "and that perf takes it for counts is said" "$(left hand.err)" "which it takes for counts"

is "our counters are left as before" "$(awk '{ print $1, $4, $5, $6 }' "$R/after")" "$(awk '{ print $1, $4, $5, $6 }' "$R/before")"
