# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

# LIKWID's counts in FILE, in lines "PLACE rd|wr COUNT"; it measures on a thread of each socket, in their order.
likwid_counts() {
	places >"$T/places"
	awk -F, -v slots="$slots" '
		NR == FNR { split($0, place, " "); at[place[1], 2 * int(place[2] / slots) + place[2] % slots] = place[3]; next }
		$1 ~ /^CAS_COUNT_(RD|WR)$/ {
			box = $2
			gsub(/^MBOX|C[01]$/, "", box)
			for (socket = 0; socket < 2; socket++)
				print at[socket, box], $1 ~ /RD/ ? "rd" : "wr", $(3 + socket)
		}' "$T/places" "$R/$1" | sort
}
# likwid_moved: of its counters, which it sets to 0 before, the last value that was read of each and what happened while it ran.
likwid_moved() {
	awk '$3 < 2 && $4 != "-" { value[$2 " " $4] = $6; ran[$2 " " $4] = $7 } END { for (key in value) print key, value[key], ran[key] }' "$T/reads" | sort
}
follow 100
likwid_moved >"$T/moved"
is "likwid: each count is what its counter said" "$(likwid_counts beside.out)" "$(awk '{ print $1, $2, $3 }' "$T/moved")"
is "likwid: there are as many as channels and directions" "$(grep -c . "$T/moved")" $((2 * channels))
is "likwid: that is what happened while it ran" \
	"$(awk '{ d = $3 - $4; if (d < 0) d = -d; if (!($4 > 0) || d > $4 * 0.0002) print }' "$T/moved")" ""
undisturbed ours "$(our_counts mem.csv)" $((2 * channels))
is "ours tells the true rates" "$(true_rates mem.csv)" ""

frozen=$(places | awk '{ print $3 }' | sort | head -n 1)
is "likwid: in a frozen box it counts nothing, and says 0" "$(likwid_counts frozen.out | awk '$3 == 0')" "$frozen rd 0
$frozen wr 0"
is "likwid: it does not look at BOX_CTL" "$(accesses 101 | awk '$2 == "mmio" && $5 == "0x0"')" ""
