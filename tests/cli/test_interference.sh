# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Another program interferes while `mem` runs: it freezes a socket or a box, or takes a counter.  The load is constant, so each
# value is known: none without a flag is wrong by more than 0.2 %, and our registers are as they were found.
# By hand, with more runs, other intervals and beside N loops that keep the processor busy:
#     RUNS=10 BUSY=2 tests/run build interference
# Runs alone, since values are judged by real time.
. tests/lib.sh

RUNS=${RUNS:-1} BUSY=${BUSY:-0} INTERVALS=${INTERVALS:-0.001 0.01 0.1}
N=$((2 * RUNS * $(echo "$INTERVALS" | wc -w)))
awk -v format=load -f tests/bench/truth.awk /dev/null >"$T/snbep.yaml"
awk -v format=load -v imcs=2 -f tests/bench/truth.awk /dev/null >"$T/hsx.yaml"

# The registers are those of the datasheets: BOX_CTL at 0xf4 (frz_en and frz), CTL[2] and CTL[3] at 0xe0 and 0xe4, CTR[3] at 0xb8, FIXED_CTL
# at 0xf0 (327043-001, table 2-58); U_MSR_PMON_GLOBAL_CTL with frz_all 31 and unfrz_all 29 (0x700 from Haswell on).
poke() { "$POKE" "$S" "$@"; }
nothing() { sleep 0.35; }
socket_frozen() { poke m 0 0x700 0x80000000 && sleep 0.35; }
socket_frozen_for_a_while() { poke m 0 0x700 0x80000000 && sleep 0.06 && poke m 0 0x700 0x20000000 && sleep 0.29; }
box_frozen() { poke w "$ADDR" 0xf4 0x00010100 && sleep 0.35; }
box_frozen_for_a_while() { poke w "$ADDR" 0xf4 0x00010100 && sleep 0.06 && poke w "$ADDR" 0xf4 0x00010000 && sleep 0.29; }
control_cleared() { poke w "$ADDR" 0xe4 0 && sleep 0.35; }
control_taken() { poke w "$ADDR" 0xe4 0x00400104 && poke w "$ADDR" 0xe0 0x00400304 && sleep 0.35; }
# CTR[3] jumps by half a count for each clock of 100 ms, twice what the data bus can carry.
counter_raised() { poke raise "$ADDR" 3 60000000 && sleep 0.35; }
clock_taken() { poke w "$ADDR" 0xf0 0 && sleep 0.35; }

# Prints the controls of all channels that are not 0: only those that the other program wrote should be left.
controls_left() {
	"$U" --machine "$S" reg dump --format csv 2>"$T/err.$one" |
		awk -F, '$3 ~ /CTL/ && $3 != "BOX_CTL" && $5 !~ /^0x0+$/ { print $2, $4, $5 }'
}

# try INTERVAL OPTION...: adds a line of truth.awk to $T/lines.  Its files have names of their own, since all are tried at once.
try() {
	one=$1$2 S=$MODEL,state=$T/state.$1$2
	rm -f "$T/state.$one" "$T/csv.$one"
	"$U" --machine "$S" mem -i "$@" --format csv -o "$T/csv.$one" >"$T/log.$one" 2>&1 &
	pid=$!
	until_ [ -s "$T/csv.$one" ] || exit 1
	sleep "0.0$(shuf -i 10-99 -n 1)" # anywhere in an interval
	"$what"
	kill -TERM $pid
	wait $pid 2>/dev/null
	awk -v format=check -v late=1 -f tests/bench/truth.awk "$T/csv.$one" >>"$T/lines"
	controls_left >>"$T/left"
}

# situation SENTENCE WHAT MODEL CONTROLS: CONTROLS is what the other program leaves in them in each run.
situation() {
	sentence=$1 what=$2 MODEL="sim:$3,load=$T/$3.yaml" left=$4
	case $3 in
	hsx) ADDR=7f:14.0 ;;
	*) ADDR=7f:10.0 ;;
	esac
	: >"$T/lines"
	: >"$T/left"
	for _ in $(seq "$RUNS"); do
		tries=
		for interval in $INTERVALS; do
			for freeze in "" --freeze; do
				try "$interval" ${freeze:+$freeze} &
				tries="$tries $!"
			done
		done
		for pid in $tries; do
			wait "$pid"
		done
	done
	is "$sentence: no value without a flag is wrong" "$(awk '{ wrong += $1; n += $2 < 100 } END { print wrong, (n > 0), NR }' "$T/lines")" "0 1 $N"
	is "and our controls are as they were found" "$(sort -u "$T/left")" "$left"
}

keep_busy "$BUSY"
situation "nothing interferes" nothing snbep ""
situation "a socket is frozen" socket_frozen hsx ""
situation "a socket is frozen for 60 ms" socket_frozen_for_a_while hsx ""
situation "a box is frozen" box_frozen snbep ""
situation "a box is frozen for 60 ms" box_frozen_for_a_while snbep ""
situation "a control is cleared" control_cleared snbep ""
situation "two controls are written" control_taken snbep "0000:7f:10.0 0xe0 0x00400304
0000:7f:10.0 0xe4 0x00400104"
situation "a counter is raised" counter_raised snbep ""
situation "the clock's control is cleared" clock_taken snbep ""

# ---- a package sleeps, twice: for long, and for a part of some intervals ----
slept=sim:hsx,sockets=2,clock=step,load=$T/hsx.yaml,sleep=1@0.5-0.6,sleep=1@0.9-0.903
for freeze in "" --freeze; do
	for interval in 0.001 0.01 0.1; do
		run "$U" --machine "$slept" mem ${freeze:+$freeze} -i "$interval" \
			-n "$(awk -v i=$interval 'BEGIN { print int(1.2 / i) }')" --format csv -o "$T/csv"
		words="every $interval s${freeze:+, $freeze}"
		is "a package sleeps, $words: no value without a flag is wrong" \
			"$(awk -v format=check -f tests/bench/truth.awk "$T/csv" | cut -d' ' -f1)" 0
		is "only its own rows have no number, and they have the reason, $words" \
			"$(awk -F, 'NR > 1 && $7 == "" { sub(/late;/, ""); print $3, $13 }' "$T/csv" | sort -u)" "1 stopped;simulated"
		has "and the note says so, $words" "$err" "or the package slept (PC3, PC6)"
		lacks "and it accuses no program, $words" "$err" "found here"
	done
done

# ---- the note has the evidence of which program froze a socket, and nothing else ----
mkdir -p "$T/files/var/run"
: >"$T/files/var/run/likwid.lock"
froze() { run "$U" --machine "sim:hsx,sockets=2,clock=step,$1" mem -i 0.1 -n 3; }
froze freeze=socket0
has "a note names the boxes of a frozen socket" "$err" "socket0.imc0.ch0 and 3 more: stood still: the clock did not tick: another program or the firmware froze"
lacks "and no program is named without evidence" "$err" "found here"
froze "frz=rw,freeze=socket0"
has "a freeze bit that reads back is evidence" "$err" "socket0: channels stood still in this run: 4; found here: GLOBAL_CTL of socket0 reads frz_all=1"
froze "freeze=socket0,files=$T/files"
has "and so is LIKWID's lock file" "$err" "LIKWID counts, which its lock file reserves for one user, whether that user counts now or not [/var/run/likwid.lock: is there]"
froze "frz=rw,freeze=socket1.imc0.ch1@0.05"
has "a box that is frozen while it is measured" "$err" "socket1: channels stood still in this run: 1; found here: BOX_CTL of socket1.imc0.ch1 read frz=1"
run "$U" --machine sim:icx,sockets=2,clock=step,freeze=socket0 mem -i 0.1 -n 1 --format csv
is "a socket with registers in memory that another program froze has no number, and the other one has" \
	"$(echo "$out" | awk -F, 'NR > 1 { print $3, $7 != "", $13 ~ /stopped/ }' | sort | uniq -c | awk '{ print $1, $2, $3, $4 }')" "8 0 0 1
8 1 1 0"
