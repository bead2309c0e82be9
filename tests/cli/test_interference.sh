# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Another program interferes while `mem` runs: it freezes a socket or a box, or takes a counter.  The load is constant, so each
# value is known: none without a flag is wrong by more than 0.2 %, and our registers are as they were found.
# By hand, with more runs, other intervals and beside N loops that keep the processor busy:
#     RUNS=10 BUSY=2 tests/run build interference
. tests/lib.sh

RUNS=${RUNS:-1} BUSY=${BUSY:-0} INTERVALS=${INTERVALS:-0.001 0.01 0.1}
awk -v format=load -f tests/bench/truth.awk /dev/null >"$T/snbep.yaml"
awk -v format=load -v imcs=2 -f tests/bench/truth.awk /dev/null >"$T/hsx.yaml"

# The registers are those of the datasheets: BOX_CTL at 0xf4 (frz_en and frz), CTL[2] and CTL[3] at 0xe0 and 0xe4, FIXED_CTL
# at 0xf0 (327043-001, table 2-58); U_MSR_PMON_GLOBAL_CTL with frz_all 31 and unfrz_all 29 (0x700 from Haswell on).
poke() { "$POKE" "$S" "$@"; }
nothing() { sleep 0.35; }
socket_frozen() { poke m 0 0x700 0x80000000 && sleep 0.35; }
socket_frozen_for_a_while() { poke m 0 0x700 0x80000000 && sleep 0.06 && poke m 0 0x700 0x20000000 && sleep 0.29; }
box_frozen() { poke w "$ADDR" 0xf4 0x00010100 && sleep 0.35; }
box_frozen_for_a_while() { poke w "$ADDR" 0xf4 0x00010100 && sleep 0.06 && poke w "$ADDR" 0xf4 0x00010000 && sleep 0.29; }
control_cleared() { poke w "$ADDR" 0xe4 0 && sleep 0.35; }
control_taken() { poke w "$ADDR" 0xe4 0x00400104 && poke w "$ADDR" 0xe0 0x00400304 && sleep 0.35; }
clock_taken() { poke w "$ADDR" 0xf0 0 && sleep 0.35; }

# What we wrote is gone: of all controls of all channels only those that the other program holds are not 0.
controls_left() {
	"$U" --machine "$S" reg dump --format csv 2>"$T/err" |
		awk -F, '$3 ~ /CTL/ && $3 != "BOX_CTL" && $5 !~ /^0x0+$/ { print $2, $4, $5 }'
}

# try WHAT INTERVAL OPTION...: adds a line of truth.awk to $T/lines.
try() {
	what=$1 interval=$2
	shift 2
	rm -f "$T/state"
	"$U" --machine "$S" mem -i "$interval" "$@" --format csv -o "$T/csv" >"$T/log" 2>&1 &
	pid=$!
	tries=0
	while kill -0 $pid 2>"$T/err" && ! [ -s "$T/csv" ] && [ $tries -lt 400 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	sleep "0.0$(($(date +%N | cut -c 5-7 | sed 's/^0*//') % 90 + 10))" # anywhere in an interval
	"$what"
	kill -TERM $pid
	wait $pid
	awk -v format=check -f tests/bench/truth.awk "$T/csv" >>"$T/lines"
	controls_left >>"$T/left"
}

# situation SENTENCE WHAT MODEL CONTROLS: CONTROLS is what the other program leaves in them in each run.
situation() {
	sentence=$1 what=$2 S="sim:$3,load=$T/$3.yaml,state=$T/state" left=$4
	case $3 in
	hsx) ADDR=7f:14.0 ;;
	*) ADDR=7f:10.0 ;;
	esac
	: >"$T/lines"
	: >"$T/left"
	for interval in $INTERVALS; do
		for freeze in "" --freeze; do
			run=0
			while [ $run -lt "$RUNS" ]; do
				try "$what" "$interval" ${freeze:+$freeze}
				run=$((run + 1))
			done
		done
	done
	is "$sentence: no value without a flag is wrong" "$(awk '{ wrong += $1; n += $4 } END { print wrong + 0, (n > 0) }' "$T/lines")" "0 1"
	is "and our controls are as they were found" "$(sort -u "$T/left")" "$left"
}

loops=
for _ in $(seq "$BUSY"); do
	(while :; do :; done) &
	loops="$loops $!"
done
situation "nothing interferes" nothing snbep ""
situation "a socket is frozen" socket_frozen hsx ""
situation "a socket is frozen for 60 ms" socket_frozen_for_a_while hsx ""
situation "a box is frozen" box_frozen snbep ""
situation "a box is frozen for 60 ms" box_frozen_for_a_while snbep ""
situation "a control is cleared" control_cleared snbep ""
situation "two controls are written" control_taken snbep "0000:7f:10.0 0xe0 0x00400304
0000:7f:10.0 0xe4 0x00400104"
situation "the clock's control is cleared" clock_taken snbep ""
for pid in $loops; do
	kill "$pid"
done
