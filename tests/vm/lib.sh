# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For tests/vm/judge_CASE.sh, which look, outside, at what a guest's CASE.sh left.  tests/vm/boot starts each with
#     R        what it left: files, and `log`, the accesses of that time
#     T        a folder to write in; in it log, truth, violations of the whole guest
#     machine  sim:...                                             name    what the guest is called
. tests/lib.sh

model=${machine#sim:}
model=${model%%,*}

# perf's numbers for the channels of a socket are in the order of these: the driver's table of device ids (read in
# arch/x86/events/intel/uncore_snbep.c of Linux).
case $model in
snbep) functions='10.0 10.1 10.4 10.5' ;;
hsx) functions='14.0 14.1 15.0 15.1 17.0 17.1 18.0 18.1' ;;
esac

left() { cat "$R/$1" 2>/dev/null; } # FILE

# same SENTENCE FILE FILE: what the guest left in both.
same() {
	if cmp -s "$R/$2" "$R/$3"; then ok "$1"; else not_ok "$1" "$(diff "$R/$2" "$R/$3" 2>&1 | head -n 20)"; fi
}

# A socket's bus, in lines "SOCKET BUS", of what really is there.
buses() { sed -n 's/.*"socket": \([0-9]*\),.*"pci": "\(0000:[0-9a-f]*\):.*/\1 \2/p' "$T/truth" | sort -u; }

# follow: what tests/vm/follow.awk says of this case's accesses, in $T/reads.
follow() {
	awk '$4 ~ /^[rw]32$/ && $3 !~ /:0b\./ { print $1, $3, $4, $5, $6 }' "$R/log" >"$T/accesses"
	awk '{ print $1, $2, "cas_count.rd"; print $1, $2, "cas_count.wr" }' "$T/accesses" |
		"$B/tests/vm/truthat" "$machine" | paste -d' ' - - | paste -d' ' "$T/accesses" - |
		awk -f tests/vm/follow.awk >"$T/reads"
}

# perf's counts in FILE, in lines "FUNCTION EVENT COUNT".
perf_counts() {
	buses >"$T/buses"
	awk -F, -v functions="$functions" '
	BEGIN { n = split(functions, of, " ") }
	NR == FNR { split($1, words, " "); bus[words[1]] = words[2]; next }
	/^S[0-9]/ {
		channel = $5
		sub(/\/.*/, "", channel)
		sub(/.*_/, "", channel)
		print bus[substr($1, 2)] ":" of[channel + 1], $0 ~ /umask=0x3\// ? "rd" : "wr", $3
	}' "$T/buses" "$R/$1" | sort
}

# Ours in FILE, likewise: the sum of all samples.
our_counts() {
	awk -F, 'NR > 1 && $6 != "" { r[$6] += $11; w[$6] += $12 }
		END { for (f in r) printf "%s rd %.0f\n%s wr %.0f\n", f, r[f], f, w[f] }' "$R/$1" | sort
}

# moved FIRST LAST WHOSE: by $T/reads, in lines "FUNCTION EVENT VALUE RAN TRUE", what a counter gained from its first read to its last, what
# happened while it ran, and what happened.  perf takes counters from the first one up, and reads each before it begins and after its
# end; ours takes them from the last one down, and its first value is read while it counts.
moved() { # perf|ours
	awk -v whose="$1" '
	(whose == "perf") != ($3 < 2) { next }
	whose == "ours" && !$5 { next }
	!(($2, $3) in first) { first[$2, $3] = $6; ran0[$2, $3] = $7; reads0[$2, $3] = $8; writes0[$2, $3] = $9 }
	{ key[$2, $3] = $2; event[$2, $3] = $4; last[$2, $3] = $6; ran[$2, $3] = $7; reads[$2, $3] = $8; writes[$2, $3] = $9 }
	END {
		for (i in key) {
			gain = last[i] - first[i]
			if (gain < 0)
				gain += 2 ^ 48
			if (event[i] != "-")
				printf "%s %s %.0f %.0f %.0f\n", key[i], event[i], gain, ran[i] - ran0[i],
					event[i] == "rd" ? reads[i] - reads0[i] : writes[i] - writes0[i]
		}
	}' "$T/reads" | sort
}

# counted WHOSE COUNTS NUMBER: the lines that perf_counts or our_counts print, so many, are what the registers said, to the last count; and
# these are what happened while they counted, to 0.02 %, as the log's times are when an access was over; and what happened at
# all, also while the other started and ended, to 0.1 %.
counted() {
	echo "$2" >"$T/counts"
	moved "$1" >"$T/moved"
	is "$1: there are as many numbers as channels and directions" "$(grep -c . "$T/counts")" "$3"
	is "$1: each is what its counter gained, to the last count" "$(cat "$T/counts")" "$(awk '{ print $1, $2, $3 }' "$T/moved")"
	is "$1: that is what happened while it ran" "$(awk '{ d = $3 - $4; if (d < 0) d = -d; if (d > $4 * 0.0002) print }' "$T/moved")" ""
	is "$1: nothing was lost to others" "$(awk '{ d = $3 - $5; if (d < 0) d = -d; if (!($5 > 0) || d > $5 * 0.001) print }' "$T/moved")" ""
}

# Nobody wrote what the manual forbids, in all that the guest did so far.
legal() { has "no register was written against the manual's rules" "$(cat "$T/violations")" '"count": 0'; }
