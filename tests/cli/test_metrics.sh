# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# --format prometheus and openmetrics of mem, stat and llc.  tests/fleet has those that need other programs.
. tests/lib.sh

S=sim:skx,sockets=2,clock=step,state=$T/state

# The last exposition of T/out, in T/last; a series of it.
last() { awk '/^# HELP uncore_build_info/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$T/out" >"$T/last"; }
series() { sed -n "s/^$1 //p" "$T/last"; } # NAME{LABELS}, without backslashes before what grep takes
of() { grep "^$1[{ ]" "$T/last"; }

# ---- numbers ----

# With -v, which reads the clock of the uncore as series do, and so takes the same time.
run "$U" --machine "$S" mem -v -n 4 --format csv
sed 1d "$T/out" | awk -F, '{ r[$3 " " $4 " " $5] += $7; w[$3 " " $4 " " $5] += $8 } END { for (k in r) printf "%s %.0f %.0f\n", k, r[k], w[k] }' |
	sort >"$T/wanted"
rm -rf "$T/state"
run "$U" --machine "$S" mem -n 4 --format prometheus
last
is "mem --format prometheus succeeds" "$rc" 0
is "each sample is a whole exposition" "$(grep -c '^# TYPE uncore_build_info' "$T/out")" 4
tr '"' ' ' <"$T/last" | awk '
	/^uncore_memory_read_bytes_total/ { r[$2 " " $4 " " $6] = $8 }
	/^uncore_memory_written_bytes_total/ { w[$2 " " $4 " " $6] = $8 }
	END { for (k in r) print k, r[k], w[k] }' | sort >"$T/got"
is "counters are the sums of all samples, to the byte" "$(cat "$T/got")" "$(cat "$T/wanted")"
is "12 channels are up" "$(of uncore_channel_up | grep -c ' 1$')" 12
is "and as many are expected" "$(of uncore_channels_expected | awk '{ n += $2 } END { print n }')" 12
is "no channel has a state" "$(of uncore_channel_state)" ""
is "the machine is simulated" "$(of uncore_machine_info | grep -c 'simulated="true"} 1$')" 1
is "the clock ticks at 1.2 GHz" "$(of uncore_memory_clock_cycles_total | awk '$2 > 4.79e9 && $2 < 4.81e9' | wc -l)" 12
is "samples are counted" "$(series uncore_samples_total)" 4
is "none was late" "$(series uncore_sample_late_total)" 0
is "three intervals lie between four samples" "$(series 'uncore_sample_interval_seconds_bucket{le="1.001"}')" 3
is "none of them was shorter" "$(series 'uncore_sample_interval_seconds_bucket{le="0.999"}')" 0
is "reads and writes of registers are counted" \
	"$(of uncore_register_accesses_total | awk '$2 > 50' | wc -l)" 2
is "no series has a time of its own" "$(grep -v '^#' "$T/last" | awk 'NF != 2')" ""
is "no series has a CPU, a process or a cgroup" "$(grep -E '(cpu|pid|comm|cgroup)s?=' "$T/last")" ""
is "each family has one help and one type" \
	"$(grep '^# [HT]' "$T/last" | cut -d' ' -f2,3 | sort | uniq -c | awk '$1 != 1')" ""
awk '/^# TYPE/ { name = $3; next } /^#/ { next } { n = $1; sub(/[{].*/, "", n); sub(/_(bucket|sum|count)$/, "", n); if (n != name) print }' \
	"$T/last" >"$T/strays"
is "each series follows its type" "$(cat "$T/strays")" ""
is "no series comes twice" "$(grep -v '^#' "$T/last" | cut -d' ' -f1 | sort | uniq -d)" ""

# Monotonic from sample to sample.
awk '!/^#/ && /_(total|count|bucket)[{ ]/ { if (($1 in was) && $2 < was[$1]) print; was[$1] = $2 }' "$T/out" >"$T/fell"
is "no counter falls" "$(cat "$T/fell")" ""

# 39.54 GB/s of 115.2 are between 0.3 and 0.4.
is "a socket's throughput is in the bucket of its share" \
	"$(of uncore_memory_throughput_bytes_per_second_bucket | grep 'socket="0"' | awk '{ print $2 }' | paste -sd' ')" \
	"0 0 0 0 4 4 4 4 4 4 4 4"
has "whose bound is that share of the peak" "$(cat "$T/last")" \
	'throughput_bytes_per_second_bucket{socket="0",le="4.608e+10"}'
is "the peak of a socket" "$(series 'uncore_memory_peak_bytes_per_second{socket="1"}')" 115200000000

# ---- OpenMetrics ----

rm -rf "$T/state"
run "$U" --machine "$S" mem -n 4 --format openmetrics
is "OpenMetrics ends with EOF" "$(tail -1 "$T/out")" "# EOF"
is "each of its expositions does" "$(grep -c '^# EOF$' "$T/out")" 4
is "its families of counters have no _total" "$(grep -c '^# TYPE .*_total ' "$T/out")" 0
grep -v '^#' "$T/out" >"$T/series"
rm -rf "$T/state"
run "$U" --machine "$S" mem -n 4 --format prometheus
is "and its series are the same" "$(cat "$T/series")" "$(grep -v '^#' "$T/out")"

# ---- no value ----

run "$U" --machine "sim:skx,sockets=2,clock=step,vanish=3a:0a.2@2.5" mem -n 4 --format prometheus
last
is "a channel that vanished is down" "$(series 'uncore_channel_up{socket="0",imc="0",channel="0"}')" 0
is "its state tells why" "$(series 'uncore_channel_state{socket="0",imc="0",channel="0",state="missing"}')" 1
is "it has no bytes" "$(series 'uncore_memory_read_bytes_total{socket="0",imc="0",channel="0"}')" ""
is "it had some before" "$(grep -c '^uncore_memory_read_bytes_total{socket="0",imc="0",channel="0"}' "$T/out")" 2
is "each sample without it is counted" "$(series 'uncore_sample_errors_total{reason="missing"}')" 2
is "its socket has no throughput then" "$(series 'uncore_memory_throughput_bytes_per_second_count{socket="0"}')" 2
is "the other socket has" "$(series 'uncore_memory_throughput_bytes_per_second_count{socket="1"}')" 4
run "$U" --machine "sim:skx,sockets=2,clock=step,allones=3a:0a.2@1.5-2.5" mem -n 4 --format prometheus
last
is "a channel that came back is up" "$(series 'uncore_channel_up{socket="0",imc="0",channel="0"}')" 1
is "without a state" "$(of uncore_channel_state)" ""
awk '!/^#/ && /_total[{ ]/ { if (($1 in was) && $2 < was[$1]) print; was[$1] = $2 }' "$T/out" >"$T/fell"
is "and goes on from what it had" "$(cat "$T/fell")" ""
run "$U" --machine "sim:skx,sockets=2,clock=step,hide=3a:0a.2" mem -n 1 --format prometheus
last
is "a channel that is hidden is down" "$(series 'uncore_channel_up{socket="0",imc="0",channel="0"}')" 0
is "though it is expected" "$(series 'uncore_channels_expected{socket="0"}')" 6

# ---- stat and llc ----

run "$U" --machine "$S" stat -e cas_count.rd,act_count.rd -e cas_count.rd -m read_bandwidth -n 2 --format prometheus
last
is "stat has a counter of each event" "$(of uncore_event_total | sed 's/.*event=//' | cut -d'"' -f2 | sort | uniq -c | tr -s ' ')" \
	"$(printf ' 12 act_count.rd\n 12 cas_count.rd')"
is "and a gauge of each metric" "$(of uncore_metric | grep -c 'metric="read_bandwidth",unit="bytes/s"}')" 12
rate=$(series 'uncore_metric{socket="0",imc="0",channel="0",metric="read_bandwidth",unit="bytes\/s"}')
check "which is its rate" near "$rate" 4000000000 0.01
count=$(series 'uncore_event_total{socket="0",imc="0",channel="0",event="cas_count.rd"}')
check "an event is counted once, however often it was asked for" near "$count" 125000000 0.1
run "$U" --machine "$S" stat -n 20 -i 0.1 --format prometheus \
	-e cas_count.rd,cas_count.wr,act_count.rd,act_count.wr,pre_count.rd,pre_count.wr,rpq_inserts,wpq_inserts
last
count=$(series 'uncore_event_total{socket="0",imc="0",channel="0",event="cas_count.rd"}')
check "an event that was counted for a part of the time is extended to all of it" near "$count" 125000000 3

run "$U" --machine "sim:bdx,sockets=2,clock=step" llc -n 3 --group 'a"b\c=0-3' --format prometheus
last
is "llc has the bytes that a group owns" "$(of uncore_llc_occupancy_bytes | grep -c 'l3="0",group="a\\"b\\\\c"} [1-9]')" 1
is "and those it moved" "$(of uncore_l3_bandwidth_bytes_total | grep -c 'scope="\(total\|local\)"} [1-9]')" 2
is "and the size of each L3" "$(of uncore_llc_size_bytes | grep -c .)" 2
run "$U" --machine "sim:bdx,sockets=1,clock=step,qm=unavailable" llc -n 3 --format prometheus
last
is "a value that was not obtained is counted, with its reason" \
	"$(of uncore_llc_value_errors_total)" 'uncore_llc_value_errors_total{l3="0",reason="unavailable"} 9'
is "and is no series" "$(of uncore_llc_occupancy_bytes)$(of uncore_l3_bandwidth_bytes_total)" ""
run "$U" --machine "sim:bdx,sockets=2,clock=step" llc -n 1 --all-rmids --format prometheus
last
is "at most 64 groups have series" "$(of uncore_llc_occupancy_bytes | sed 's/.*group=//' | sort -u | wc -l)" 64
check "the others are counted" [ "$(series uncore_series_dropped)" -gt 100 ]

# Names of any length and kind leave the text well-formed; one that is cut might be that of another group, and is left out.
long=$(printf '%0700d' 0)
quotes=$(printf '%0299d' 0 | tr 0 '"')
run "$U" --machine "sim:bdx,sockets=1,clock=step" llc -n 2 --group "${long}a=0" --group "$quotes=1" --group "x$quotes$quotes=2" --format prometheus
last
is "a group whose name is too long has no series" "$(of uncore_llc_occupancy_bytes | cut -c-40)" 'uncore_llc_occupancy_bytes{l3="0",group='
is "others have" "$(of uncore_llc_occupancy_bytes | tr -d "\\\\" | grep -c "\"$quotes\"} [0-9]*$")" 1
is "and it is counted" "$(series uncore_series_dropped)" 6

rm -rf "$T/state"
run "$U" --machine "$S" stat -e cas_count.rd -n 7 --format csv
wanted=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["count"] } END { printf "%.0f", n }' "$T/out")
rm -rf "$T/state"
run "$U" --machine "$S" stat -e cas_count.rd -n 7 --format prometheus
last
is "events add up to the last one" "$(of uncore_event_total | awk '{ n += $2 } END { printf "%.0f", n }')" "$wanted"

# ---- files ----

run "$U" --machine "$S" mem -n 1 --format prometheus -o "$T/mem.prom"
is "-o FILE makes it" "$(tail -1 "$T/mem.prom" | cut -d' ' -f1)" process_start_time_seconds
chmod 600 "$T/mem.prom"
ln "$T/mem.prom" "$T/before"
ln -s mem.prom "$T/link.prom"
start "$U" --machine sim:skx,sockets=2 mem -n 20 -i 0.02 --format prometheus -o "$T/link.prom"
torn=0
while ! is_gone "$pid" 2>/dev/null; do
	cat "$T/link.prom" >"$T/seen" 2>/dev/null
	[ "$(tail -1 "$T/seen" | cut -d' ' -f1)" = process_start_time_seconds ] || torn=$((torn + 1))
done
ended "mem -o"
is "a reader never sees a part of it" "$torn" 0
is "each sample replaces it" "$(grep '^uncore_samples_total' "$T/mem.prom")" "uncore_samples_total 20"
is "who has it open keeps what was there" "$(grep '^uncore_samples_total' "$T/before")" "uncore_samples_total 1"
check "a link stays one" [ -L "$T/link.prom" ]
is "no other file is left" "$(find "$T" -maxdepth 1 -name '*prom*new*')" ""
echo kept >"$T/victim"
# as_own COMMAND...: COMMAND gets the path under which uncorectl then makes its file before it is complete: that of no other process.
as_own() {
	# shellcheck disable=SC2016 # of the shell that it starts
	run timeout 20 sh -c '"$@" "$T/.mem.prom.$$.new" && exec "$U" --machine "$S" mem -n 1 --format prometheus -o "$T/mem.prom"' own "$@"
}
export T U S
as_own ln "$T/victim"
is "what another user linked under the temporary name is not written" "$rc $(cat "$T/victim")" "0 kept"
is "and the file is complete" "$(tail -1 "$T/mem.prom" | cut -d' ' -f1)" process_start_time_seconds
as_own mkfifo
is "nor does a pipe of that name make it wait" "$rc" 1
rm "$T"/.mem.prom.*.new
mkfifo "$T/fifo"
cat "$T/fifo" >"$T/through" &
run "$U" --machine "$S" mem -n 2 --format prometheus -o "$T/fifo"
wait $!
check "what is no file is not replaced" [ -p "$T/fifo" ]
is "and gets each sample" "$(grep -c '^uncore_samples_total' "$T/through")" 2
run "$U" --machine "$S" mem -n 1 --format prometheus -o "$T/nowhere/mem.prom"
is "a folder that is not there is a failure" "$rc" 1
has "which tells the file" "$err" "-o $T/nowhere/mem.prom: No such file or directory"
run "$U" --machine "$S" mem -n 1 --format openmetrics -- true
has "with a COMMAND it goes to standard error" "$err" "# EOF"

# ---- refused ----

refused "series have no order" 2 "--sort is of records" "$U" --machine "$S" mem --sort read_bytes --format prometheus
refused "and no first ones" 2 "--top is of records" "$U" --machine "$S" llc --top 3 --format openmetrics
refused "sums are the query's" 2 "--per: --format prometheus" "$U" --machine "$S" mem --per socket --format prometheus
refused "of caches, too" 2 "--per: --format prometheus" "$U" --machine "$S" llc --per machine --format prometheus
refused "as is the choice of channels" 2 "--box: --format openmetrics" "$U" --machine "$S" stat -e dclk --box 'socket0*' --format openmetrics
refused "a list has no such format" 2 "there are table, csv and jsonl" "$U" --machine "$S" list --format prometheus
