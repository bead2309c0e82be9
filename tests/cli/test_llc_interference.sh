# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Another program gives RMIDs to CPUs while `llc` runs.  The load is constant, so each value is known: none without a flag is wrong
# by more than 0.2 %, what its row admits and two units of the counter, and our registers are as they were found.
# By hand, with more runs, other intervals and beside N loops that keep the processor busy:
#     RUNS=10 BUSY=2 tests/run build llc_interference
# Runs alone, since values are judged by real time.
. tests/lib.sh

RUNS=${RUNS:-1} BUSY=${BUSY:-0} INTERVALS=${INTERVALS:-0.001 0.01 0.1 1 2}
N=$((RUNS * $(echo "$INTERVALS" | wc -w)))
PQR=0xc8f
# CPUs 0 and 1 are the group; 2 moves 6 times as much as both.
cat >"$T/load" <<'EOF'
format: uncorectl-load/1
cpus:
  0-1: {occupancy: 1e6, total: 5e9, local: 4e9}
  2: {occupancy: 9e6, total: 60e9, local: 40e9}
EOF
MODEL=sim:bdx,sockets=1,cores=2,load=$T/load
TRUTH=10e9

poke() { "$POKE" "$S" m "$1" $PQR "$2"; }
carries_it() { [ "$("$POKE" "$S" m 1 $PQR)" = 0x000000000000007f ]; }
nothing() { sleep 2.5; }
# A CPU outside has our RMID until the end, or for a while.  Ours is 127, the highest RMID whose values are exact.
outside() { poke 2 127 && sleep 2.5; }
outside_for_a_while() { poke 2 127 && sleep 1.8 && poke 2 0 && sleep 2.5; }
# A CPU of the group is taken out of it.
lost() { poke 1 0 && sleep 2.5; }
lost_for_a_while() { poke 1 0 && sleep 1.8 && poke 1 127 && sleep 2.5; }

# check_rows FILE: prints a line WRONG FLAGGED ROWS; rows that are wrong go to standard error.
check_rows() {
	awk -F, -v truth=$TRUTH '
	FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		n++
		flags = $column["flags"]
		value = $column["mbm_total_bytes_per_s"]
		bytes = $column["mbm_total_bytes"]
		if (flags != "simulated") {
			flagged += flags ~ /shared_rmid|hijacked/
			bad = flags ~ /shared_rmid/ && value != ""
		} else if (value == "")
			bad = 1
		else {
			off = value - truth
			off = off < 0 ? -off : off
			# A counter has units of 73728 bytes.
			bad = off > truth * ((0.2 + $column["uncertainty_percent"]) / 100 + 2 * 73728 / bytes)
		}
		if (bad) {
			wrong++
			print FILENAME ": " $0 >"/dev/stderr"
		}
	}
	END { print wrong + 0, flagged + 0, n + 0 }' "$1"
}

# try WHAT INTERVAL: its files have names of their own, since everything is tried at once.
try() {
	one=$1.$2 S=$MODEL,state=$T/state.$1.$2
	rm -f "$T/state.$one"
	"$U" --machine "$S" llc --cpus 0-1 -i "$2" --format csv -o "$T/csv.$one" >"$T/log.$one" 2>&1 &
	pid=$!
	until_ carries_it || exit 1
	sleep "0.$(shuf -i 100-949 -n 1)" # anywhere between two looks
	"$1"
	kill -TERM $pid
	wait $pid 2>/dev/null
	check_rows "$T/csv.$one" >>"$T/lines.$1"
	for cpu in 0 1 3; do "$POKE" "$S" m $cpu $PQR; done >>"$T/left.$1"
}

# situation WHAT FLAGGED SENTENCE: FLAGGED, 0 or 1: are there flagged rows in each run?
situation() {
	what=$1 flagged=$2 sentence=$3
	for _ in $(seq "$RUNS"); do
		tries=
		for interval in $INTERVALS; do
			(try "$what" "$interval") 2>>"$T/err.$what" &
			tries="$tries $!"
		done
		for pid in $tries; do
			wait "$pid"
		done
	done
	grep -F "$T/csv." "$T/err.$what" >&2
	is "$sentence: no value without a flag is wrong" \
		"$(awk -v flagged="$flagged" '{ wrong += $1; as_expected += flagged == ($2 > 0) } END { print wrong, as_expected == NR, NR }' "$T/lines.$what")" "0 1 $N"
	is "and our RMIDs are as they were found" "$(sort -u "$T/left.$what")" 0x0000000000000000
}

keep_busy "$BUSY"
situations=
for what in \
	"nothing 0 nothing interferes" \
	"outside 1 a CPU outside is given the group's RMID" \
	"outside_for_a_while 1 a CPU outside is given it for a while" \
	"lost 1 a CPU of the group is given another RMID" \
	"lost_for_a_while 1 a CPU of the group is given another for a while"; do
	situation "${what%% *}" "$(echo "$what" | cut -d' ' -f2)" "${what#* * }" >"$T/said.${what%% *}" &
	situations="$situations $!"
done
for pid in $situations; do
	wait "$pid" || not_ok "each situation ran to its end"
done
cat "$T"/said.*

# A CPU of nohz_full is looked at only at the end: what went out before may be wrong, and the exit status says so.
S=$MODEL,nohz_full=2,state=$T/nohz
"$U" --machine "$S" --trace "$T/trace" llc --cpus 0-1 -i 0.2 -n 7 --format csv -o "$T/csv" 2>"$T/err" &
pid=$!
until_ carries_it
poke 2 127
wait $pid
is "a CPU of nohz_full that is given the RMID fails the run" "$?" 1
has "by its name" "$(cat "$T/err")" "llc: cpu 2: another program gave it an RMID during the run; it is in nohz_full"
is "and the rows that waited have no number" "$(tail -1 "$T/csv" | cut -d, -f9-11,22)" ",,shared_rmid,shared_rmid;simulated"
is "it is read once at the start, and once at the end" "$(awk '$3 == "cpu2" && $4 == "r64" && $5 == "0xc8f"' "$T/trace" | wc -l)" 2
run "$U" --machine "$MODEL,nohz_full=2" record "$T/record" -- llc --cpus 0-1 -n 2 -i 0.1 --format csv
# shellcheck disable=SC2154 # rc: tests/lib.sh
is "a record of that" "$rc" 0
has "has the list of nohz_full" "$(cat "$T/record")" "/sys/devices/system/cpu/nohz_full"
run "$U" --machine "replay:$T/record" llc --cpus 0-1 -n 2 -i 0.1 --format csv
is "and is replayed" "$rc" 0
