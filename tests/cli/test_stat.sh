# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl stat: events, sets, taking turns, boxes and sums, on simulated machines.
. tests/lib.sh

header=time_ns,interval_ns,socket,imc,channel,pci,event,count,enabled_ns,running_ns,value,unit,flags,uncertainty_percent,value_uncertainty,box,value_per_s
# Accesses take no time here, so that every number is exact.
cat >"$T/load.yaml" <<'END'
format: uncorectl-load/1
channels:
  "socket*.imc0.ch*":
    read: 6.4e9
    write: 1.28e9
    events: {act_count: 25e6, pre_count.page_miss: 5e6, rpq_occupancy: 160e6, rpq_inserts: 80e6}
  socket0.imc0.ch3: {read: 3.2e9, write: 0}
END
{ cat "$T/load.yaml" && echo '  socket1.imc0.ch3: {read: 0, write: 0}'; } >"$T/load2.yaml"
E=sim:snbep,sockets=1,clock=step,dword_ns=0,load=$T/load.yaml
E2=sim:snbep,sockets=2,clock=step,dword_ns=0,load=$T/load2.yaml
S=sim:snbep,sockets=2,clock=step,state=$T/state
# values EVENT COLUMN: of the CSV records in T/out, joined by blanks.  No event here has a comma in its name.
values() {
	awk -F, -v e="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		$7 == e { printf "%s%s", n++ ? " " : "", $c }' "$T/out"
}

# ---- events ----
run "$U" --machine "$E" stat -e cas_count.rd,act_count -e dclk -n 2 --format csv
is "stat succeeds" "$rc" 0
is "the CSV header is the documented one" "$(head -1 "$T/out")" "$header"
is "one record per channel, event and sample" "$(sed 1d "$T/out" | wc -l)" 24
is "in the order of the events" "$(column event | head -4 | tr '\n' ' ')" "cas_count.rd act_count dclk cas_count.rd "
is "reads are counted, not one more or less" "$(values cas_count.rd count)" \
	"100000000 100000000 100000000 50000000 100000000 100000000 100000000 50000000"
is "their value is bytes" "$(values cas_count.rd value | cut -d' ' -f1,4)" "6400000000 3200000000"
is "and says so" "$(values cas_count.rd unit | tr ' ' '\n' | sort -u)" bytes
is "a plain event is counted" "$(values act_count count | cut -d' ' -f1-3)" "25000000 25000000 25000000"
is "its value is the count, without a unit" "$(values act_count value | cut -d' ' -f1),$(values act_count unit | tr -d ' ')" "25000000,"
is "the fixed counter counts the clock" "$(values dclk count | cut -d' ' -f1)" 800000000
is "the interval is the second" "$(column interval_ns | sort -u)" 1000000000
is "all of it enabled and counted" "$(column enabled_ns | sort -u) $(column running_ns | sort -u)" "1000000000 1000000000"
is "records of a simulated machine say so" "$(column flags | sort -u)" simulated
is "channels are named by PCI address too" "$(column pci | sort -u | tr '\n' ' ')" \
	"0000:ff:10.0 0000:ff:10.1 0000:ff:10.4 0000:ff:10.5 "

run "$U" --machine "$E" stat -e '{CAS_COUNT.?R,pre_count.page_m*},dclk' -n 1 --format csv
is "a pattern stands for the events that match" "$rc $(column event | head -3 | tr '\n' ' ')" "0 cas_count.wr pre_count.page_miss dclk "
refused "a pattern that none matches" 2 "-e cas?: no event that can be counted has such a name; \`uncorectl events\` shows them" "$U" --machine "$E" stat -n 1 -e 'cas?'
run "$U" --machine "$S" stat -e cas_count.rd,cas_count.wr,act_count,pre_count.page_miss,dclk -n 1 --format csv
is "all five counters of a box can be used at once" "$(sed 1d "$T/out" | wc -l) $(column flags | sort -u)" "40 simulated"
is "no rule of the manual was broken" "$("$POKE" "$S" violations | head -1)" 0
for off in 0xd8 0xdc 0xe0 0xe4 0xf0 0xf4; do
	is "control $off is as it was" "$("$POKE" "$S" r ff:10.0 $off)" 0x00000000
done

# ---- ways to write one ----
for event in imc/cas_count.rd imc/cas_count.rd/ imc/event=0x04,umask=0x03/ uncore_imc/event=0x4,umask=0x3/; do
	run "$U" --machine "$E" stat -e "$event" -n 1 --box '*.ch0' --format csv
	is "$event counts the same" "$(grep -c ',100000000,1000000000,1000000000,6400000000,bytes,simulated,' "$T/out")" 1
done
run "$U" --machine "$E" stat -e imc/event=0x1,umask=0/,act_count -n 1 --box '*.ch0' --format csv
is "a raw event is written in one way, and quoted" "$(sed -n 2p "$T/out" | cut -d, -f7-9)" '"event=0x1,umask=0x0",25000000'
for event in cas_count.rd:thresh=1 imc/cas_count.rd,thresh=1/ uncore_imc/cas_count.rd,thresh=1/; do
	run "$U" --machine "$E" stat -e "$event" -n 1 --box '*.ch0' --format csv
	is "$event is shown in the same way" "$(column event)" "cas_count.rd:thresh=1"
done
refused "an event that this CPU lacks is named" 2 '"foo"' "$U" --machine "$E" stat -e foo -n 1
for event in foo '{dclk,foo}' nosuch/dclk/ cas_count.rd:edge cas_count.rd:invert cas_count.rd:thresh=256 imc/event=0x4,foo=1/; do
	refused "-e $event is refused in a sentence" 2 "socket0.imc0.ch0" "$U" --machine "$E" stat -e "$event" -n 1
done

# ---- sets ----
run "$U" --machine "$S" --trace "$T/trace" stat -e '{cas_count.rd,act_count},cas_count.wr' -n 2 --box socket0.imc0.ch0 --format csv
is "a set is counted" "$(sed 1d "$T/out" | wc -l)" 6
is "and read at one instant" "$(values cas_count.rd interval_ns | cut -d' ' -f2)" "$(values act_count interval_ns | cut -d' ' -f2)"
frozen=$(grep -c '7f:10.0 w32 0xf4 0x00010100' "$T/trace")
is "no other box is touched" "$(grep ' w32 ' "$T/trace" | grep -cv ' 0000:7f:10.0 ')" 0
run "$U" --machine "$S" --trace "$T/trace" stat -e cas_count.rd,act_count -n 2 --box socket0.imc0.ch0 --format csv
check "for a set its box is stopped at each sample" [ "$frozen" -ge "$(($(grep -c '7f:10.0 w32 0xf4 0x00010100' "$T/trace") + 2))" ]
run "$U" --machine "$S" --trace "$T/trace" stat --freeze -e cas_count.rd,act_count -n 2 --box socket0.imc0.ch0 --format csv
is "as with --freeze" "$(grep -c '7f:10.0 w32 0xf4 0x00010100' "$T/trace")" "$frozen"
run "$U" --machine "$E" stat -e '{dclk,act_count,dclk}' -n 1 --box '*.ch0' --format csv
is "the fixed counter serves both where it stands twice in a set" "$(values dclk count)" "800000000 800000000"
run "$U" --machine "$S" --trace "$T/trace" stat -e '{cas_count.rd,cas_count.rd,cas_count.rd,cas_count.rd}' -n 2 --box socket0.imc0.ch0 --format csv
is "four counters given one event agree, from the first sample on" "$(column count | uniq -c | awk '{ print $1 }' | paste -sd ' ')" "4 4"
is "and there are four" "$(grep -c ' w32 0x[de][0-9a-f] 0x00400304' "$T/trace")" 4
refused "a set that no box has counters for is refused" 2 "socket0.imc0.ch0" \
	"$U" --machine "$E" stat -e '{cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts}' -n 1

# ---- taking turns ----
six=cas_count.rd,cas_count.wr,act_count,pre_count.page_miss,rpq_inserts,rpq_occupancy
run "$U" --machine "$E" stat -e $six,dclk -n 2 --box '*.ch0' --format csv
is "more events than counters are counted" "$(sed 1d "$T/out" | wc -l)" 14
is "those that took turns are scaled" "$(values act_count flags)" "scaled;simulated scaled;simulated"
is "the time is the whole one" "$(values act_count enabled_ns)" "1000000000 1000000000"
check "but each was counted in a part of it" awk -F, 'NR > 1 && $7 != "dclk" { if (!($10 > 2e8 && $10 < 1e9)) bad = 1 } END { exit bad }' "$T/out"
check "what each counted is as much as there was in its part" awk -F, '
	BEGIN { r["cas_count.rd"] = 1e8; r["cas_count.wr"] = 2e7; r["act_count"] = 25e6; r["pre_count.page_miss"] = 5e6; r["rpq_inserts"] = 8e7; r["rpq_occupancy"] = 16e7 }
	$7 in r { n++; d = $8 - r[$7] * $10 / 1e9; if (d < -100 || d > 100) bad = 1 } END { exit bad || n != 12 }' "$T/out"
check "and its value is that of the whole" awk -F, '
	BEGIN { r["cas_count.rd"] = 64e8; r["cas_count.wr"] = 128e7; r["act_count"] = 25e6; r["pre_count.page_miss"] = 5e6; r["rpq_inserts"] = 8e7; r["rpq_occupancy"] = 16e7 }
	$7 in r { n++; d = $11 / r[$7] - 1; if (d < -1e-4 || d > 1e-4) bad = 1 } END { exit bad || n != 12 }' "$T/out"
run "$U" --machine "$E" stat -e "{cas_count.rd,cas_count.wr,act_count},{pre_count.page_miss,rpq_inserts}" -n 1 --box '*.ch0' --format csv
is "events of a set take their turns together" "$(values cas_count.rd running_ns)" "$(values act_count running_ns)"
is "those of the other, too" "$(values pre_count.page_miss running_ns)" "$(values rpq_inserts running_ns)"
check "and not at the same time" [ "$(($(values act_count running_ns) + $(values rpq_inserts running_ns)))" -le 1000000000 ]
run "$U" --machine "$E" stat -e $six -i 0.005 -n 1 --box '*.ch0' --format csv
is "one whose turn did not come is not counted" "$(values rpq_occupancy flags)" "not_counted;simulated"
is "and its fields are empty" "$(values rpq_occupancy count),$(values rpq_occupancy value)" ","
is "and it ran for no time" "$(values rpq_occupancy running_ns)" 0
is "the others are" "$(values cas_count.wr count)" 100000
run "$U" --machine "$E" stat -e $six -i 0.005 -n 1 --box '*.ch0'
has "a table says <not counted>" "$(grep '  ch0 ' "$T/out")" "<not counted>"
run "$U" --machine "$E" stat -e $six -n 1 --box '*.ch0'
check "and how much of the time a scaled one ran" grep -qE '  ch0 .*  [0-9]+\.[0-9] %$' "$T/out"
run "$U" --machine "$E" stat -e $six -i 0.005 -n 1 --format jsonl --box '*.ch0'
has "JSON has null there" "$(grep rpq_occupancy "$T/out")" \
	'"count":null,"enabled_ns":5000000,"running_ns":0,"value":null,"unit":null,"flags":["not_counted","simulated"]'
run "$U" --machine "$E" stat -e $six -i 0.005 -n 1 --per machine --format csv
is "nor is the sum of such counted" "$(values rpq_occupancy count),$(values rpq_occupancy flags)" ",not_counted;partial;simulated"

# ---- which boxes, and sums ----
run "$U" --machine "$E2" stat -e cas_count.rd,act_count -n 1 --per socket --format csv
is "--per socket gives a record per socket and event" "$(sed 1d "$T/out" | cut -d, -f3-8 | tr '\n' ' ')" \
	"0,,,,cas_count.rd,350000000 0,,,,act_count,100000000 1,,,,cas_count.rd,300000000 1,,,,act_count,100000000 "
is "with the same header" "$(head -1 "$T/out")" "$header"
is "their value is the sum" "$(values cas_count.rd value)" "22400000000 19200000000"
is "their interval is the mean" "$(column interval_ns | sort -u)" 1000000000
run "$U" --machine "$E2" stat -e cas_count.rd -n 1 --per machine --format csv
is "--per machine gives one" "$(sed 1d "$T/out" | cut -d, -f2-8)" "1000000000,,,,,cas_count.rd,650000000"
run "$U" --machine "$E2" stat -e cas_count.rd -n 1 --box 'socket1.*.ch?' --format csv
is "--box takes patterns" "$(column socket | sort -u) $(sed 1d "$T/out" | wc -l)" "1 4"
run "$U" --machine "$E2" stat -e cas_count.rd -n 1 --box 'socket0.imc0.ch0,*.ch3' --format csv
is "and several of them" "$(sed 1d "$T/out" | cut -d, -f3,5 | tr '\n' ' ')" "0,0 0,3 1,3 "
run "$U" --machine "$E2" stat -e cas_count.rd -n 1 --box '*.ch3' --per machine --format csv
is "a sum is over those" "$(column count) $(column flags)" "50000000 simulated"
refused "a pattern that no box matches is status 3" 3 "--box socket7.*: no box" "$U" --machine "$E" stat -e dclk -n 1 --box 'socket7.*'
run "$U" --machine "$E2,hide=ff:10.1" stat -e cas_count.rd,act_count -n 1 --format csv
is "a channel that only another socket has is a row for each event" "$(grep ',1,0,1,' "$T/out" | cut -d, -f2,6-13)" \
	",0000:ff:10.1,cas_count.rd,,,,,bytes,missing;simulated
,0000:ff:10.1,act_count,,,,,,missing;simulated"
run "$U" --machine "$E2,hide=ff:10.1" stat -e cas_count.rd -n 1 --per machine --format csv
is "and a sum without it is partial" "$(column count) $(column flags)" "550000000 partial;simulated"
run "$U" --machine "$E2,hide=ff:10.1,hide=7f:10.1" stat -v -e cas_count.rd -n 1 --format csv
is "what is on no socket is no row" "$(sed 1d "$T/out" | wc -l)" 6
is "and said once" "$(grep -c 'imc0.ch1 is absent' "$T/err")" 1
refused "a --box that is absent is status 3" 3 "no memory channel of --box" "$U" --machine "$E,hide=ff:10.1" stat -e dclk -n 1 --box '*.ch1'
run "$U" --machine "$E2,allones=ff:10.4" stat -e '{cas_count.rd,act_count}' -n 1 --format csv
is "one that reads as all ones is missing" "$(grep -c 'missing;simulated' "$T/out")" 2

# ---- formats ----
run "$U" --machine "$S" stat -e cas_count.rd -n 1 --format jsonl
is "JSON lines carry the same names, and what each line is" "$(sed -n 2p "$T/out" | tr '{},' '\n\n\n' | sed -n 's/^"\([a-z_]*\)":.*/\1/p' | paste -sd,)" "record,$header"
run "$U" --machine "$E2" stat -e cas_count.rd,act_count -n 2
has "the table tells the channels" "$out" "  ch1     0000:ff:10.1   100,000,000   25,000,000"
has "the table tells sockets" "$out" "socket 1                 300,000,000  100,000,000"
has "the table has a total" "$out" "total                    650,000,000  200,000,000"
has "an event is a column" "$out" "          PCI           cas_count.rd    act_count"
run "$U" --machine "$E2" stat -e cas_count.rd -n 1
has "one event alone has its value and its rate, too" "$out" "  ch1     0000:ff:10.1  cas_count.rd  100,000,000    6.400 GB  6.400 GB/s"
lacks "a table in a pipe has no escape sequences" "$out" "$(printf '\033')"
run "$U" --machine "$S" stat -e dclk -n 1 -o "$T/file" --format csv
is "-o leaves stdout empty" "$out" ""
is "-o gets the data" "$(head -1 "$T/file")" "$header"
run "$U" --machine "$S" --dry-run stat -e '{cas_count.rd,dclk}' --box socket0.imc0.ch0
is "--dry-run succeeds" "$rc" 0
has "and prints the writes" "$out" "socket0.imc0.ch0 (0000:7f:10.0) CTL[3] at 0xe4: 0x00400304 (en=1 umask=0x3 ev_sel=0x4)"
has "of the fixed counter too" "$out" "FIXED_CTL"
is "and nothing else" "$(grep -cv '^write ' "$T/out")" 0

# ---- windows ----
# window ROWS COLUMNS COMMAND...: the last table that it draws in a terminal of that size
window() {
	rows=$1 columns=$2
	shift 2
	script -qec "stty rows $rows cols $columns; '$U' $* 2>/dev/null" /dev/null </dev/null | tr -d '\r' |
		sed 's/.*\[[0-9]*A//; s/.\[[KJ]//g' | awk '/^[0-9-]*T[0-9][0-9]:/ { n = 0 } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }' >"$T/out"
}
W=sim:bdx,clock=step
window 12 100 --machine $W stat -e cas_count.rd,act_count.wr -n 2
is "a low window shows the busiest boxes of each socket" "$(grep -o 'imc.*:..\..' "$T/out" | tr -s ' ' | paste -sd ';')" \
	"imc0.ch1 0000:7f:14.1;imc1.ch1 0000:7f:17.1;imc0.ch1 0000:ff:14.1;imc1.ch0 0000:ff:17.0;imc1.ch1 0000:ff:17.1"
has "and says how many are hidden" "$(cat "$T/out")" "(3 rows that are less busy are hidden: a higher window shows them)"
window 12 100 --machine $W mem -n 2
has "so does mem" "$(cat "$T/out")" "(3 rows that are less busy are hidden: a higher window shows them)"
window 30 100 --machine $W stat -e cas_count.rd,act_count.wr -n 2
is "a high one shows all" "$(grep -c ' imc[01].ch' "$T/out") $(grep -c hidden "$T/out")" "8 0"
window 60 79 --machine $W stat -e cas_count.rd,cas_count.wr,act_count.rd,act_count.wr -n 2
is "a narrow one has a row for each event" "$(grep -c ' cas_count.rd ' "$T/out")" 11
