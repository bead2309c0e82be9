# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# mem where no channel can be programmed or observed: the counters of whole controllers that always run.
. tests/lib.sh

S=sim:icx,sockets=2,clock=step,state=$T/state
"$POKE" "$S" truth >"$T/before"
run "$U" --machine "$S" --trace "$T/trace" mem --observe -i 0.5 -n 2 --format csv
"$POKE" "$S" truth >"$T/after"
is "without anything to observe mem shows them" "$rc" 0
has "and says why" "$err" "no program counts any of these events"
is "a row for each controller and sample" "$(tail -n +2 "$T/out" | cut -d, -f3,4 | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ';')" \
	"2 0,0;2 0,1;2 0,2;2 0,3;2 1,0;2 1,1;2 1,2;2 1,3"
is "none is divided among channels" "$(awk -F, 'NR > 1 && ($5 != "" || $6 != "")' "$T/out")" ""
is "each is flagged" "$(awk -F, 'NR > 1 { print $13 }' "$T/out" | sort -u)" "free_running;simulated"
is "nothing is written" "$(grep -c ' w' "$T/trace")" 0
is "each rate is the sum of the loads of its two channels" "$(rates_of_controllers 8)" "16 rows"

run "$U" --machine "$S" mem --observe -i 0.1 -n 1 --per socket --format csv
is "sums are of all controllers" "$rc $(tail -n +2 "$T/out" | wc -l)" "0 2"

"$U" --machine "$S" mem -i 0.1 >"$T/first" 2>&1 &
first=$!
until grep -q total "$T/first"; do sleep 0.05; done
run "$U" --machine "$S" mem -i 0.1 -n 1 --format csv
kill -TERM $first
wait $first 2>/dev/null
# The other one moves the same clock on, so that an interval may be late.
is "beside another uncorectl that has the channels, too" "$rc $(awk -F, 'NR > 1 { sub(/^late;/, "", $13); print $13 }' "$T/out" | sort -u)" \
	"0 free_running;simulated"
has "which is named" "$err" "is in use by process $first"

refused "stat has no such events" 3 "nothing to observe" "$U" --machine "$S" stat --observe -e cas_count.rd -n 1
refused "and parts without these counters have nothing" 3 "nothing to observe" "$U" --machine sim:spr mem --observe -n 1
run "$U" --machine "$S" reg dump socket0.free1 --format csv
is "they are registers" "$(cut -d, -f3 "$T/out" | tail -n +2 | sort -u | paste -sd ' ')" "DCLK PMM_RD PMM_WR RD WR"
run "$U" --machine "$S" reg set socket0.free1.RD=0 --write
is "that are never written" "$rc" 4
run "$U" --machine "$S" mem --observe -n 2 --format csv
is "a controller could move what its two channels can" "$(column peak_bytes_per_s | sort -u)" 38400000000

run "$U" --machine "$S" --trace "$T/trace" stat --block free -e read,dclk -i 0.2 -n 2 --format csv
is "stat counts them as any event" "$rc $(column event | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ' ')" "0 16 dclk 16 read"
is "a row for each controller, of no channel" "$(tail -n +2 "$T/out" | cut -d, -f3-5 | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd " ")" \
	"4 0,0, 4 0,1, 4 0,2, 4 0,3, 4 1,0, 4 1,1, 4 1,2, 4 1,3,"
is "also without --observe nothing is written" "$(grep -c ' w' "$T/trace")" 0
run "$U" --machine "$S" record "$T/record" -- stat --block free -e read -i 0.2 -n 1 --format csv
cp "$T/out" "$T/first"
run "$U" --machine "replay:$T/record" stat --block free -e read -i 0.2 -n 1 --format csv
is "a replay has the same rows" "$rc $(diff "$T/first" "$T/out")" "0 "
refused "they have no options" 2 "has no thresh" "$U" --machine "$S" stat --block free -e read:thresh=2 -n 1
refused "nothing freezes them" 3 "no register stops its counters" "$U" --machine "$S" stat --block free --freeze -e read -n 1
