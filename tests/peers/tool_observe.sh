# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl mem --observe, in the second that pcm-memory and likwid-perfctr measure, on the counters that they programmed: their
# events, by what their controls hold, are the truth of that second, and they are disturbed in nothing.
. tests/peers/lib.sh

# The second passes in the observer's sleep, and the truth is asked around it.
cat >"$T/observer" <<END
#!/bin/sh
jq -r '.channels[] | "\(.pci) \(.read_bytes) \(.write_bytes)"' $mnt/truth.json >$T/first
$B/uncorectl --trace $T/trace --machine root:$mnt mem --observe -i 1 -n 1 --format csv -o $T/seen 2>$T/said
jq -r '.channels[] | "\(.pci) \(.read_bytes) \(.write_bytes)"' $mnt/truth.json >$T/last
END
chmod +x "$T/observer"
printf '#!/bin/sh\nsleep 0.2\n%s/observer\nsleep 0.15\n' "$T" >"$T/slow_observer"
chmod +x "$T/slow_observer"

# seen TOOL: a row per channel and direction.
seen() {
	paste -d' ' "$T/first" "$T/last" | awk '{ printf "%s %.0f %.0f\n", $1, $5 - $2, $6 - $3 }' >"$T/moved"
	while read -r address read written; do
		line=$(grep ",$address," "$T/seen" || echo ,,,,,,,)
		row observe "$1: $address bytes read" "$(echo "$line" | cut -d, -f7)" "$read" 0
		row observe "$1: $address bytes written" "$(echo "$line" | cut -d, -f8)" "$written" 0
		row observe "$1: $address flags" "$(echo "$line" | cut -d, -f13)" simulated =
	done <"$T/moved"
	row observe "$1: registers written" "$(grep -c ' w[0-9b]' "$T/trace")" 0 =
}

truth >"$T/before"
likwid as_in_time -C "S0:0" "$T/slow_observer" >"$T/out" 2>"$T/err"
truth >"$T/after"
# It measures on that socket alone.
grep "$(truth | awk '$1 == "channel" && $2 == 0 { print substr($3, 1, 8); exit }')" "$T/first" >"$T/own"
mv "$T/own" "$T/first"
grep "$(truth | awk '$1 == "channel" && $2 == 0 { print substr($3, 1, 8); exit }')" "$T/last" >"$T/own"
mv "$T/own" "$T/last"
seen likwid
case $model in
hsx | bdx) ;; # its numbers have in them what counters held before (tool_likwid_stale.sh)
*)
	awk -v order="$(likwid_order)" -v sockets=0 -v name="$name" -v exact=1 -f tests/peers/likwid.awk \
		"$T/before" "$T/after" "$T/out" >>"$T/rows"
	;;
esac

truth >"$T/before"
as pcm-memory -csv -- "$T/observer" >"$T/out" 2>"$T/err"
truth >"$T/after"
seen pcm
awk -v order="$(pcm_order)" -v name="$name" -v exact=1 -f tests/peers/pcm.awk "$T/before" "$T/after" "$T/out" >>"$T/rows"
