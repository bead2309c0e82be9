# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For tests/vm/judge_CASE.sh, which look, outside, at what a guest's CASE.sh left.  tests/vm/boot starts each with
#     R        what it left: files, and `log`, the accesses of that time
#     T        a folder to write in; in it log, truth, violations of the whole guest
#     machine  sim:...                                             name    what the guest is called
. tests/lib.sh

model=${machine#sim:}
model=${model%%,*}

# perf's numbers for the channels of a socket, and encodings of reads and writes: the driver's table of device ids, or how many channels it
# takes a controller for (read in arch/x86/events/intel/uncore_snbep.c of Linux).
functions='' slots=0
case $model in
snbep) functions='10.0 10.1 10.4 10.5' ;;
hsx) functions='14.0 14.1 15.0 15.1 17.0 17.1 18.0 18.1' ;;
skx) functions='0a.2 0a.6 0b.2 0c.2 0c.6 0d.2' ;;
icx) slots=3 ;;
spr) slots=2 ;;
gnr) slots=1 ;;
esac
enable=22 freeze=8,16
case $model in
icx) reads=0f04 writes=3004 freeze=8 ;;
spr) reads=cf05 writes=f005 enable='' freeze=0 ;;
*) reads=0304 writes=0c04 ;;
esac

left() { cat "$R/$1" 2>/dev/null; } # FILE

# same SENTENCE FILE FILE: what the guest left in both.
same() {
	if cmp -s "$R/$2" "$R/$3"; then ok "$1"; else not_ok "$1" "$(diff "$R/$2" "$R/$3" 2>&1 | head -n 20)"; fi
}

# The channels that really are there, in lines "SOCKET NUMBER-OF-PERF PLACE".
places() {
	sed -n 's/.*"socket": \([0-9]*\), "imc": \([0-9]*\), "channel": \([0-9]*\), "pci": "\([^"]*\)".*/\1 \2 \3 \4/p' "$T/truth" |
		awk -v slots="$slots" -v functions="$functions" '
			BEGIN { n = split(functions, of, " "); for (i = 1; i <= n; i++) number[of[i]] = i - 1 }
			{ print $1, slots ? slots * $2 + $3 : number[substr($4, 9)], $4 }'
}

# accesses all|MARK: those of this case, or those between two marks of it.
accesses() {
	if [ "$1" = all ]; then cat "$R/log"; else awk -v mark="0x$(printf %x $((0x80 + $1)))" -f tests/vm/cut.awk "$R/log"; fi
}

# follow all|MARK: what tests/vm/follow.awk says of these, in $T/reads.
follow() {
	places >"$T/places"
	accesses "$1" | awk 'NR == FNR { channel[$3]; next }
		$4 ~ /^[rw](32|64)$/ && $3 in channel { print $1, $3, $4, $5, $6 }' "$T/places" - | awk -f tests/vm/in_pci.awk >"$T/accesses"
	# Where firmware put the registers is where the truth was looked at.
	moved=$(sed -n '1s/.* \(0x.*\)/\1/p' "$T/places")
	[ -z "$moved" ] || moved=",mmio_base=$(printf '0x%x' $((moved & ~0x7fffff)))"
	awk '{ print $1, $2, "cas_count.rd"; print $1, $2, "cas_count.wr" }' "$T/accesses" |
		"$B/tests/vm/truthat" "$machine$moved" | paste -d' ' - - | paste -d' ' "$T/accesses" - |
		awk -v reads_event="$reads" -v writes_event="$writes" -v enable="$enable" -v freeze="$freeze" -f tests/vm/follow.awk >"$T/reads"
}

# perf's rows in FILE, in lines "FUNCTION EVENT COUNT NS SOCKET PMU"; and its counts alone.
perf_rows() {
	places >"$T/places"
	awk -F, -v reads="umask=0x$(echo "${reads%??}" | sed 's/^0//')/" '
	NR == FNR { split($1, words, " "); place[words[1], words[2]] = words[3]; next }
	/^S[0-9]/ {
		pmu = channel = $5 # as the event has a comma, it is two fields
		sub(/\/.*/, "", pmu)
		sub(/\/.*/, "", channel)
		sub(/.*_/, "", channel)
		if ((substr($1, 2), channel) in place)
			print place[substr($1, 2), channel], $6 == reads ? "rd" : "wr", $3, $7, $1, pmu
		else if ($3 != 0)
			print "a slot without a channel counted:", $0
	}' "$T/places" "$R/$1" | sort
}
perf_counts() { perf_rows "$1" | awk '{ print $1, $2, $3 }'; }

# Ours in FILE, likewise: the sum of all samples.
our_counts() {
	awk -F, 'NR > 1 && $11 != "" { r[$6] += $11; w[$6] += $12 }
		END { for (f in r) printf "%s rd %.0f\n%s wr %.0f\n", f, r[f], f, w[f] }' "$R/$1" | sort
}

# The functions that stood still in some of our samples in FILE: what these counted is no number.
our_stopped() { awk -F, '/stopped/ { print $6 }' "$R/$1" | sort -u; }

# Of stat's samples those of the two events, likewise.
our_events() {
	awk -F, 'NR > 1 && $7 ~ /^cas_count/ { sum[$6 " " substr($7, 11)] += $8 }
		END { for (i in sum) printf "%s %.0f\n", i, sum[i] }' "$R/$1" | sort
}

# moved WHOSE: by $T/reads, in lines "FUNCTION EVENT VALUE RAN SPAN", what a counter gained from its first read to its last, and what
# happened.  perf takes counters from the first one up, and reads each before it begins and after its end.  Ours takes them from the
# last one down, and begins with what it reads last before it first sleeps: half a second in all cases, of which half may be gone.
moved() { # perf|ours
	awk -v whose="$1" '
	(whose == "perf") != ($3 < 2) { next }
	{ key = $2 " " $3 }
	!(key in value0) || (whose == "ours" && !slept[key] && $1 - ns[key] < 2.5e8) { value0[key] = $6; ran0[key] = $7; span0[key] = $8 }
	key in ns && $1 - ns[key] >= 2.5e8 { slept[key] = 1 }
	{ ns[key] = $1; name[key] = $2; event[key] = $4; value[key] = $6; ran[key] = $7; span[key] = $8 }
	END {
		for (key in ns) {
			gain = value[key] - value0[key]
			if (gain < 0)
				gain += 2 ^ 48
			if (event[key] != "-")
				printf "%s %s %.0f %.0f %.0f\n", name[key], event[key], gain, ran[key] - ran0[key], span[key] - span0[key]
		}
	}' "$T/reads" | sort
}

# counted WHOSE COUNTS NUMBER: the lines that perf_counts or our_counts print, so many, are what the registers said, to the last count; these
# are what happened while they counted, to 0.02 %, as the log's times are when an access was over.
counted() {
	touch "$T/stopped"
	echo "$2" >"$T/counts"
	moved "$1" >"$T/moved"
	is "$1: there are as many numbers as channels and directions" "$(grep -c . "$T/counts")" "$3"
	is "$1: each is what its counter gained, to the last count" "$(grep -vFf "$T/stopped" "$T/counts")" \
		"$(awk '{ print $1, $2, $3 }' "$T/moved" | grep -vFf "$T/stopped")"
	is "$1: and less where its box stood still in an interval" "$(grep -Ff "$T/stopped" "$T/counts" |
		awk 'NR == FNR { gain[$1 $2] = $3; next } $3 >= gain[$1 $2]' "$T/moved" -)" ""
	is "$1: that is what happened while it ran" "$(awk '{ d = $3 - $4; if (d < 0) d = -d; if (d > $4 * 0.0002) print }' "$T/moved")" ""
}
# undisturbed WHOSE COUNTS NUMBER: and they are what happened from their begin to their end, also while another stopped the box for a
# moment, to 0.1 %.
undisturbed() {
	counted "$@"
	is "$1: nothing was lost to others" "$(awk '{ d = $3 - $5; if (d < 0) d = -d; if (!($5 > 0) || d > $5 * 0.001) print }' "$T/moved")" ""
}

# Where the driver's frz has an effect, it stops the box, with all that counts in it, while it adds its events and takes them away.
case $machine in *frz_en=rw* | sim:icx* | sim:spr*) how=counted ;; *) how=undisturbed ;; esac
# at_once PERF_FILE OUR_FILE: the numbers of both are right.
at_once() {
	follow all
	: >"$T/stopped"
	$how perf "$(perf_counts "$1")" $((2 * channels))
	[ $how = counted ] && our_stopped "$2" >"$T/stopped"
	$how ours "$(our_counts "$2")" $((2 * channels))
}

# The rates in the rows of our mem in FILE are the true ones of the time of $T/reads, to the uncertainty that each row states, and 0.1 %
# that the clocks are worth.
true_rates() {
	awk -F, '
	NR == FNR {
		split($0, read, " ")
		if (!(read[2] in t0)) { t0[read[2]] = read[1]; r0[read[2]] = read[9]; w0[read[2]] = read[10] }
		t1[read[2]] = read[1]; r1[read[2]] = read[9]; w1[read[2]] = read[10]
		next
	}
	function off(said, n, ns) { return said / (64 * n / ns * 1e9) - 1 }
	function far(by, limit) { return by < -limit || by > limit }
	FNR > 1 && $6 in t0 { rows++ }
	FNR > 1 && $6 in t0 {
		ns = t1[$6] - t0[$6]
		r = off($9, r1[$6] - r0[$6], ns); w = off($10, w1[$6] - w0[$6], ns)
		limit = ($14 + 0.1) / 100
		if (far(r, limit) || far(w, limit))
			print $6, r, w, "uncertain by", $14
	}
	END { if (!rows) print "no rows" }' "$T/reads" "$R/$1"
}

# Only the kernel, whose driver loads with a write of 0x10003, and which writes Device Control (0x48) of a PCI Express function, wrote
# what the manual forbids.
legal() {
	is "no register was written against the manual's rules" "$(grep '"sentence"' "$T/violations" |
		grep -v -e '0xf4 written 0x00010003: wrong bits 0x00000003' -e '03.0: 0x48 written 0x00000000: wrong bits 0x0000ffff')" ""
}
channels=$(grep '"pci"' "$T/truth" | grep -c '"hidden": false')
