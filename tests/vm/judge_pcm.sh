# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Its rates are what its counters gained by its own time, which is wrong here by up to a tenth: it divides the guest's time stamps by a
# frequency that the processor has by its name.  So rates are compared with each other.
. tests/vm/lib.sh

# The numbers that PCM gives to the channels of a controller.  On Sapphire Rapids it takes a controller for three; the middle one does not
# exist.
case $model in spr) each=3 step=2 ;; *) each=2 step=1 ;; esac
tr -d ' ' <"$R/pcm.out" | awk -F, -v each=$each -v step=$step '
	NR == FNR { split($0, place, " "); at["SKT" place[1], "Ch" each * int(place[2] / slots) + step * (place[2] % slots)] = place[3]; next }
	FNR == 1 { for (i = 1; i <= NF; i++) socket[i] = $i; next }
	FNR == 2 { for (i = 1; i <= NF; i++) name[i] = $i; next }
	{
		for (i = 1; i <= NF; i++) {
			if (name[i] !~ /^Ch[0-9]+(Read|Write)$/)
				continue
			channel = name[i]
			sub(/(Read|Write)$/, "", channel)
			if ((socket[i], channel) in at)
				print at[socket[i], channel], name[i] ~ /Read/ ? "rd" : "wr", $i
			else if ($i != "")
				print "there is no channel:", socket[i], name[i], $i
		}
	}' slots="$slots" FS=' ' /dev/fd/3 FS=, - 3<<EOF | sort >"$T/rates"
$(places)
EOF
follow all
moved perf >"$T/moved"
is "pcm: there is a rate for each channel and direction" "$(awk '{ print $1, $2 }' "$T/rates")" "$(awk '{ print $1, $2 }' "$T/moved")"
is "pcm: what its counters gained is what happened while they ran" \
	"$(awk '{ d = $3 - $4; if (d < 0) d = -d; if (!($4 > 0) || d > $4 * 0.0002) print }' "$T/moved")" ""
is "pcm: its rates are these counts, each by the same time" "$(paste -d' ' "$T/rates" "$T/moved" | awk '
	{ by = $6 / $3; if (NR == 1 || by < least) least = by; if (by > most) most = by }
	END { if (!NR || most > least * 1.0005) print least, most }')" ""
if [ "$model" = spr ]; then
	is "pcm: it takes a controller for three channels" "$(grep -c 'total number of 12 channels' "$R/pcm.err")" 2
	is "mem: pcm has all counters" "$(left mem.rc) $(left mem.out)" "5 "
else
	is "mem: pcm has all counters, so controllers are measured by those that always run" \
		"$(left mem.rc) $(awk -F, 'NR > 1 { sub(/^late;/, "", $13); print $13 }' "$R/mem.out" | sort | uniq -c)" "0 $(printf '%7d free_running' 8)"
fi
