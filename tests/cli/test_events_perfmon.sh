# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl events --import-perfmon: events of a list beside ours.
. tests/lib.sh

S=sim:snbep,sockets=1
J=tests/cli/perfmon.json
run "$U" --machine "$S" events --import-perfmon $J --format csv
is "it succeeds" "$rc" 0
is "its header" "$(head -1 "$T/out")" \
	"event,origin,encoding,counters,max_inc,unit,also,matches,disagreement,meaning,source,verify"
is "all of ours, and six of the file" "$(grep -c ',map,' "$T/out") $(grep -c ',perfmon,' "$T/out")" "52 6"
has "one that agrees stands behind ours" "$(grep -A1 '^cas_count.rd,' "$T/out" | tail -1)" \
	'UNC_M_CAS_COUNT.RD,perfmon,"ev_sel=0x4,umask=0x3","0,1,2,3",,,,cas_count.rd,,lines read,tests/cli/perfmon.json,'
has "ours names it" "$(grep '^cas_count.rd,' "$T/out")" ",UNC_M_CAS_COUNT.RD,,"
has "a disagreement is in the record" "$(grep '^UNC_M_CAS_COUNT.WR,' "$T/out")" \
	',cas_count.wr,"umask 0xc in the map, 0x8 in the file",'
has "and is said" "$err" "note: UNC_M_CAS_COUNT.WR of $J is not as cas_count.wr: umask 0xc in the map, 0x8 in the file"
has "names match in any case" "$err" "ev_sel 0x80 in the map, 0x81 in the file; umask 0x0 in the map, 0x1 in the file"
has "text is kept on one line, control characters can be seen" "$(grep '^unc_m_rpq_occupancy,' "$T/out")" 'first line second, with \x1b[1m'
has "numbers need no quotes" "$(grep '^UNC_M_POWER_CHANNEL_PPD,' "$T/out")" '"ev_sel=0x85,umask=0x0"'
has "what is deprecated is called so" "$(grep '^UNC_M_POWER_CHANNEL_PPD,' "$T/out")" "deprecated"
has "options are shown" "$(grep '^UNC_M_QUEUE.LONG,' "$T/out")" '"ev_sel=0x80,umask=0x0,edge_det=0x1,invert=0x1,thresh=0x8"'
has "the fixed counter is ours, whatever its name" "$(grep '^UNC_M_CLOCKS_F,' "$T/out")" "UNC_M_CLOCKS_F,perfmon,fixed,fixed,,,,dclk,,"
has "what was found is counted" "$err" \
	"$J: 6 events of the unit iMC, 2 entries of other units; of those shown 3 are as in the map, 2 differ, 1 are not in the map"
is "of what cannot be used, ten are noted" "$(grep -c 'it is left out$' "$T/err")" 10
has "with the reason" "$err" "entry 9, UNC_M_BAD.CODE: its EventCode is not a number up to 0xff; it is left out"
for part in 'NO_CODE: it has no EventCode' 'UMASK: its UMask' 'LIST: its UMask' 'EXT: it wants bits' 'EDGE: its EdgeDetect' \
	'COUNTER: its Counter' 'no name: its EventName' 'RD: there is another of that name'; do
	has "left out: $part" "$err" "$part"
done
has "and the rest is counted" "$err" "$J: 1 more entries are left out"

run "$U" --machine "$S" events --import-perfmon $J --format csv UNC_M_CAS_COUNT.RD
is "a name of the file selects both" "$(sed 1d "$T/out" | cut -d, -f1 | paste -sd ' ')" "cas_count.rd UNC_M_CAS_COUNT.RD"
run "$U" --machine "$S" events --import-perfmon $J queue
is "what only the file has is found" "$(sed 1d "$T/out" | cut -d' ' -f1)" "UNC_M_QUEUE.LONG"
run "$U" --machine "$S" events -v --import-perfmon $J cas_count.wr
has "a paragraph has it all" "$out" "disagreement umask 0xc in the map, 0x8 in the file"

# Older files are the list alone.
printf '[{"Unit": "iMC", "EventCode": "0x01", "UMask": "0x00", "EventName": "UNC_M_ACT_COUNT", "Counter": "0"}]' >"$T/list.json"
run "$U" --machine "$S" events --import-perfmon "$T/list.json" act_count
is "a list without a head is taken" "$(sed 1d "$T/out" | wc -l)" 2

# bad NAME TEXT PART: refused with status 2 and that in the sentence.
bad() {
	printf '%s' "$2" >"$T/bad.json"
	refused "$1" 2 "$T/bad.json$3" "$U" --machine "$S" events --import-perfmon "$T/bad.json"
}
bad "no JSON" 'format: uncorectl-regs/1' ':1:6: malformed JSON: '
bad "an empty file" '' ':1:1: malformed JSON: '
bad "a list that ends early" '[
{"Unit": "iMC",' ':2:15: malformed JSON: '
bad "a text that ends early" '[
{"Unit": "iM' ':2:12: malformed JSON: '
bad "a comma too many" '[{"Unit": "iMC",}]' ':1:17: malformed JSON: '
bad "more behind the end" '[] []' ':1:4: malformed JSON: '
bad "no UTF-8" "$(printf '["\377"]')" ':1:'
bad "something else" '"text"' ':1:6: malformed JSON: '
bad "an object without events" '{"Header": {}}' ': this JSON is not an event list'
bad "events that are no list" '{"Events": {}}' ': this JSON is not an event list'
bad "no event of ours" '[{"Unit": "CBO"}]' ': there is no event of the unit iMC'
bad "a depth without end" "$(head -c 100000 /dev/zero | tr '\0' '[')" ':1:'
bad "an escape in the message" "$(printf '[{"Unit": \033[31m}]')" ':1:'
check "is not printed" awk '/\033/ { exit 1 }' "$T/err"
head -c 9000000 /dev/zero | tr '\0' ' ' >"$T/long.json"
refused "a file without end" 2 "$T/long.json" "$U" --machine "$S" events --import-perfmon "$T/long.json"
refused "no file" 2 "$T/none.json" "$U" --machine "$S" events --import-perfmon "$T/none.json"
refused "no name of a file" 2 "--import-perfmon needs a value" "$U" --machine "$S" events --import-perfmon

refused "metrics are not imported" 2 "use one of them" "$U" --machine "$S" events --metrics --import-perfmon $J

# Every so often a byte is missing, or the rest of the file: it is read or refused, never more.
size=$(wc -c <$J)
at=3 odd=
while [ $at -lt "$size" ]; do
	head -c $at $J >"$T/cut.json"
	run "$U" --machine "$S" events --import-perfmon "$T/cut.json" cas_count.rd
	[ "$rc" = 2 ] || odd="$odd cut=$at:$rc"
	{ head -c $at $J; tail -c +$((at + 2)) $J; } >"$T/cut.json"
	run "$U" --machine "$S" events --import-perfmon "$T/cut.json" cas_count.rd
	[ "$rc" -le 2 ] || odd="$odd without=$at:$rc"
	at=$((at + 97))
done
is "damaged files are read or refused" "$odd" ""
