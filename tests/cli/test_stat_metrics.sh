# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl stat -m: metrics of channels, sockets and the machine, and how they come about; names of an event list.
. tests/lib.sh

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
# values METRIC COLUMN: of the CSV records in T/out, joined by blanks.
values() {
	awk -F, -v e="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		$7 == e { printf "%s%s", n++ ? " " : "", $c }' "$T/out"
}

run "$U" --machine "$E2" stat -m read_bandwidth,read_queue_latency -n 1 --format csv
is "stat succeeds" "$rc" 0
is "a metric is a record, with value and unit" "$(grep ',0,0,0,' "$T/out" | cut -d, -f7-13)" \
	"read_bandwidth,,1000000000,1000000000,6400000000,bytes/s,simulated
read_queue_latency,,1000000000,1000000000,2.5,ns,simulated"
run "$U" --machine "$E2" stat -m read_bandwidth,page_hit -n 1 --format csv
check "a share of what was counted" near "$(values page_hit value | cut -d' ' -f1)" 79.16666666666667 0.000000001
is "one that divides by zero has no value" "$(grep ',1,0,3,' "$T/out" | grep page_hit | cut -d, -f8-13)" ",1000000000,1000000000,,%,simulated"
is "another of the same channel has one" "$(grep ',1,0,3,' "$T/out" | grep read_bandwidth | cut -d, -f11)" 0
run "$U" --machine "$E2" stat -m read_bandwidth,page_hit -n 1 --per machine --format csv
is "a bandwidth of several channels is their sum" "$(values read_bandwidth value)" 41600000000
check "a ratio is the formula of their sums" near "$(values page_hit value)" \
	"$(awk 'BEGIN { printf "%.12f", 100 * (1 - 8 * 25e6 / (650e6 + 6 * 20e6)) }')" 0.000000001
is "and not partial because one had nothing to divide by" "$(values page_hit flags)" simulated
run "$U" --machine "$E2,hide=ff:10.1" stat -m read_bandwidth,page_hit -n 1 --per socket --format csv
is "a sum that lacks a channel is partial" "$(values page_hit flags) $(values read_bandwidth flags)" \
	"simulated partial;simulated simulated partial;simulated"
is "and of the others" "$(values read_bandwidth value)" "22400000000 12800000000"
run "$U" --machine "$E2,hide=ff:10.1" stat -m page_hit -n 1 --format csv
is "a channel that is missing has no value" "$(grep ',1,0,1,' "$T/out" | cut -d, -f2,7-13)" ",page_hit,,,,,%,missing;simulated"

run "$U" --machine "$E" --trace "$T/trace" stat -m '*_bandwidth' -n 1 --box '*.ch0' --format csv
is "metrics go by patterns" "$(column event | tr '\n' ' ')" "read_bandwidth write_bandwidth total_bandwidth "
is "and what they share is counted once" "$(grep -cE ' w32 0x(d8|dc|e0|e4) 0x004' "$T/trace")" 2
is "nothing is stopped for them" "$(grep -c ' w32 0xf4 0x00010100' "$T/trace")" 1
run "$U" --machine "$E" stat -m cke_off -n 1 --box '*.ch0' --format csv
is "and by the beginning of their names" "$(column event | head -2 | tr '\n' ' ')" "cke_off.rank0 cke_off.rank1 "
run "$U" --machine "$E" stat -m 'page_*' -e cas_count.rd -m page_hit -n 1 --box '*.ch0' --format csv
is "one that is wanted twice is one, and events come first" "$(column event | tr '\n' ' ')" "cas_count.rd page_hit page_empty page_miss "

# More than there are counters for.
run "$U" --machine "$E" stat -m '*' -n 1 -i 0.005 --box '*.ch0' --format csv
never=$(awk -F, 'NR > 1 && $13 ~ /not_counted/ { n++; if ($8 != "" || $11 != "" || $10 != 0) bad = 1 } END { print (n > 3 && !bad) }' "$T/out")
is "a metric whose events had no turn has no value, and says so" "$never" 1
run "$U" --machine "$E" stat -m '*' -n 1 --box '*.ch0' --format csv
is "with time for all, all have a turn" "$(awk -F, 'NR > 1 && $13 ~ /not_counted/' "$T/out")" ""
is "and are scaled" "$(values page_hit flags)" "scaled;simulated"
check "and right all the same" near "$(values page_hit value)" 79.16666 0.01
check "as are others" near "$(values read_queue_latency value)" 2.5 0.01
check "and bandwidths" near "$(values total_bandwidth value)" 7680000000 0.01
run "$U" --machine "$E" stat -m '*' -n 1 -i 0.005 --box '*.ch0'
has "a table says <not counted>" "$out" "<not counted>"

refused "a metric that there is not is refused" 2 "-m nope" "$U" --machine "$E" stat -m nope -n 1
refused "an empty one is refused" 2 "-m: an empty name" "$U" --machine "$E" stat -m page_hit, -n 1

# ---- differences ----
# As many pages opened as bursts, and one more; twice as many; and a rank whose clock enable is always on, which takes turns.
cat >"$T/below.yaml" <<'END'
format: uncorectl-load/1
channels:
  socket0.imc0.ch0: {read: 6.4e9, write: 0, events: {act_count: 100000001}}
  socket0.imc0.ch1: {read: 6.4e9, write: 0, events: {act_count: 2e8}}
  "socket0.imc0.ch*": {read: 6.4e9, write: 0, events: {power_cke_cycles.rank0: 8e8}}
END
B=sim:snbep,sockets=1,clock=step,load=$T/below.yaml
run "$U" --machine "$B,dword_ns=0" stat -m page_hit -n 1 --format csv --box '*.ch0,*.ch1'
is "below zero a value is 0 as far as it is uncertain, and else there is none" \
	"$(values page_hit value),$(values page_hit flags)" "0 ,simulated below_zero;simulated"
is "and by how much it is uncertain is told" "$(values page_hit value_uncertainty)" "0.0001 "
run "$U" --machine "$B,dword_ns=0" stat -m page_hit -n 1 --explain --box '*.ch0,*.ch1'
has "--explain says so" "$out" " %, which is 0 within its uncertainty"
has "of both" "$out" "= -100 %, below zero by more than its uncertainty: no value"
run "$U" --machine "sim:snbep,sockets=1,load=$T/below.yaml" stat -m cke_off.rank0 \
	-e act_count,cas_count.rd,cas_count.wr,rpq_inserts,wpq_inserts -n 2 -i 0.4 --format csv
is "reads at different instants make nothing negative" "$(values cke_off.rank0 value | tr ' ' '\n' | grep -c -e - -e '^$')" 0
is "and no row without a number" "$(grep -c below_zero "$T/out")" 0

# ---- how they come about ----
run "$U" --machine "$E" stat -m page_hit,read_bandwidth -n 1 --box '*.ch0' --explain
has "--explain has the formula" "$out" "page_hit = 100 * (1 - act / (rd + wr)), in %"
has "and what its names are" "$out" "act is act_count, rd is cas_count.rd, wr is cas_count.wr"
has "and the counts" "$out" "socket0.imc0.ch0: act 25000000, rd 100000000, wr 20000000, in 1 s"
has "and the arithmetic" "$out" "100 * (1 - 25000000 / (100000000 + 20000000)) = 79.16666667 %"
has "of each metric" "$out" "64 * 100000000 / 1 = 6400000000 bytes/s"
run "$U" --machine "$E" stat -m page_hit,read_queue_latency,power_down -n 1 --box '*.ch0' --explain
check "what took turns is told as counted and as scaled" grep -qE 'act [0-9]+ \(scaled 2[45][0-9.]+\), rd' "$T/out"
run "$U" --machine sim:snbep,sockets=2,clock=step stat -m '*' -n 1 -i 1.1 --explain --per socket
long=$(sed -n '/ = .* in /,$p' "$T/out" | grep -oE '[0-9]+\.[0-9]+' | awk '{ sub(/\./, ""); sub(/^0+/, "") } length($0) > 10' | head -3)
is "no number of it has decimals behind its tenth digit" "$long" ""
# Each line of arithmetic, calculated again.
sed -nE 's/^    ([-0-9.e+*/() ]+) = ([-0-9.]+) .*/BEGIN { v = \1; d = v - (\2); n++; if (d * d > v * v * 1e-18 + 1e-18) print v, "\2" }/p' "$T/out" >"$T/sums"
check "there is much arithmetic" test "$(wc -l <"$T/sums")" -gt 50
is "what is shown is what a calculator makes of it" "$(awk -f "$T/sums" </dev/null)" ""
added=$(awk '/^[a-z]/ { sum = 0 } /^    .* bytes\/s$/ { sum += $(NF - 1) } /the sum of these/ { n++; d = sum - $(NF - 1); if (d > 2 || d < -2) print; sum = 0 } END { print n }' "$T/out")
is "and so are sums" "$added" 6
run "$U" --machine "$E2" stat -m page_hit,read_bandwidth -n 1 --per socket --explain --format csv
is "a CSV file is not disturbed" "$(sed 1d "$T/out" | wc -l)" 4
has "it goes to standard error, of the sums" "$err" "uncorectl:   socket 1: act 100000000, rd 300000000, wr 60000000, in 4 s"
has "and of what is added up" "$err" "uncorectl:   socket 1: the sum of these = 19200000000 bytes/s"
run "$U" --machine "$E2" stat -m page_hit -n 1 --box socket1.imc0.ch3 --explain
has "it tells of a division by zero" "$out" "divides by zero"
run "$U" --machine "$E2,hide=ff:10.1" stat -m page_hit -n 1 --box 'socket1.imc0.ch0,*.ch1' --explain
has "and of a channel that is missing" "$out" "socket1.imc0.ch1: no number: missing"

# ---- names of others ----
cat >"$T/events.json" <<'END'
{"Header": {"Info": "small"}, "Events": [
{"Unit": "iMC", "EventCode": "0x04", "UMask": "0x03", "EventName": "UNC_M_CAS_COUNT.RD", "BriefDescription": "reads", "Counter": "0,1,2,3", "PerPkg": "1"},
{"Unit": "iMC", "EventCode": "0x05", "UMask": "0x00", "EventName": "UNC_M_ACT_COUNT", "BriefDescription": "wrong", "Counter": "0,1,2,3", "PerPkg": "1"}]}
END
run "$U" --machine "$E" stat --import-perfmon "$T/events.json" -e 'UNC_M_CAS_COUNT.RD,cas_count.rd,unc_m_cas_count.rd:thresh=1' \
	-n 1 --box '*.ch0' --format csv
is "names of an event list can be used, with options, beside ours" "$(column event | tr '\n' ' ')" \
	"UNC_M_CAS_COUNT.RD cas_count.rd unc_m_cas_count.rd:thresh=1 "
is "and count what they select" "$(column count | head -2 | tr '\n' ' ')" "100000000 100000000 "
lacks "where both agree nothing is said" "$err" "in the map"
run "$U" --machine "$E" stat --import-perfmon "$T/events.json" -e '{UNC_M_ACT_COUNT,act_count}' -n 1 --box '*.ch0' --format csv
has "where they do not, that is said" "$err" "note: UNC_M_ACT_COUNT of $T/events.json is not act_count here: ev_sel 0x1 in the map, 0x5 in the file"
is "and each is what it says" "$(values UNC_M_ACT_COUNT count) $(values act_count count)" "0 25000000"
refused "a name that the file lacks is refused" 2 "UNC_M_FOO: $T/events.json has no such event" \
	"$U" --machine "$E" stat --import-perfmon "$T/events.json" -e UNC_M_FOO -n 1
refused "a file that is none is refused" 2 "$T/load.yaml" "$U" --machine "$E" stat --import-perfmon "$T/load.yaml" -e dclk -n 1
refused "one that is not there is refused" 2 "$T/nowhere" "$U" --machine "$E" stat --import-perfmon "$T/nowhere" -e dclk -n 1
