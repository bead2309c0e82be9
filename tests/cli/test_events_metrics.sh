# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl events --metrics: what follows from counts, and what each part lacks for it.
. tests/lib.sh

S=sim:snbep,sockets=1
run "$U" --machine "$S" events --metrics --format csv
is "events --metrics succeeds" "$rc" 0
is "its header" "$(head -1 "$T/out")" "metric,unit,formula,events,adds,meaning,lacks,source,verify"
has "a metric with its formula and events" "$out" \
	"total_bandwidth,bytes/s,64 * (rd + wr) / time,rd=cas_count.rd wr=cas_count.wr,true,"
is "one of each rank" "$(grep -c '^cke_off\.rank[0-7],' "$T/out")" 8
has "with the event of that rank" "$(grep '^cke_off.rank5,' "$T/out")" "on=power_cke_cycles.rank5 dclk=dclk"
is "on a Sandy Bridge-EP only the DIMM slots and Optane modules of later parts and AMD's data fabric are lacking" "$(grep 'has no event' "$T/out" | grep -Evc '\.slot[01],|^pmem_|^df_over_umc,')" 0
run "$U" --machine "$S" events --metrics --format jsonl PAGE
is "a part of names, in any case" "$(grep -o '"metric":"[a-z_]*"' "$T/out" | cut -d'"' -f4 | paste -sd ' ')" \
	"page_hit page_empty page_miss"
run "$U" --machine "$S" events --metrics page_hit
is "a name alone" "$(sed 1d "$T/out" | wc -l)" 1
run "$U" --machine "$S" events --metrics throttled.rank
is "a family" "$(sed 1d "$T/out" | wc -l)" 8
run "$U" --machine "$S" events --metrics -v power_down
has "all about one, in a paragraph" "$out" "  formula 100 * cycles / dclk"
has "with the documents behind it" "$out" "
sources
  uc "
check "that fits a terminal" awk 'length > 80 { exit 1 }' "$T/out"
refused "a metric that is not there" 1 'no metric matches "nothing"' "$U" --machine "$S" events --metrics nothing

run "$U" --machine sim:hsx,sockets=1 events --metrics --format csv queue
has "what a part lacks is said" "$out" ",,false,\"mean time of a read in the queue of pending reads, not from load to use\",Haswell-EP has no event rpq_occupancy,"
run "$U" --machine sim:hsx,sockets=1 events --metrics read_queue_latency
has "in a table too" "$out" "not here: Haswell-EP has no event rpq_occupancy"

# From a folder.
mkdir -m 755 "$T/regs"
cat >"$T/regs/own.yaml" <<'END'
format: uncorectl-metrics/1
unit: imc
sources: {me: "a thought"}
metrics:
  writes_per_read:
    is: writes for each read
    formula: wr / rd
    in: writes
    adds: false
    events: {rd: cas_count.rd, wr: cas_count.wr}
    src: me
END
chmod 644 "$T/regs/own.yaml"
run "$U" --machine "$S" --regs "$T/regs" events --metrics --format csv 'w*'
has "one of a folder" "$out" "writes_per_read,writes,wr / rd,rd=cas_count.rd wr=cas_count.wr,false,writes for each read,,me,"
has "beside the built-in ones" "$out" "write_bandwidth,"
run "$U" maps check "$T/regs"
is "maps check checks metrics too" "$rc" 0
has "as a map" "$err" "1 map checked, 0 errors"
sed 's,wr / rd,wr / (rd,' "$T/regs/own.yaml" >"$T/regs/bad.yaml"
run "$U" maps check "$T/regs/bad.yaml"
is "and finds faults" "$rc" 1
is "with line and check" "$out" \
	"$T/regs/bad.yaml:7: error (metric_formula): writes_per_read: formula \"wr / (rd\": at character 9: an operator or ) is wanted here"
refused "which are refused" 2 "bad.yaml:7: error (metric_formula): " "$U" --machine "$S" --regs "$T/regs" list
