# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# mem and stat on simulated POWER machines: what their chips move, how often their areas are read, and what firmware or other programs do.
. tests/lib.sh

# Four channels of 2 and 1 GB/s on one chip, and half of that on the other.
cat >"$T/load" <<'END'
format: uncorectl-load/1
channels:
  "socket0.imc*.ch*": {read: 2e9, write: 1e9}
  "socket1.imc*.ch*": {read: 1e9, write: 5e8}
END
# The rows of T/out whose rates are not within 0.1 % of the load, and how many there are.
wrong_rows() {
	awk -F, 'function off(is, wanted) { return !(is / wanted - 1 < 0.001 && is / wanted - 1 > -0.001) }
		NR > 1 { rows++; of = $3 ? 1 : 2; if (off($9, of * 4e9) || off($10, of * 2e9)) print }
		END { print rows + 0, "rows" }' "$T/out"
}
# After the start, at which the period of its updates is measured.
reads() { awk -v from="${1:-500000000}" '$1 > from && $4 == "rblk"' "$T/trace" | wc -l; }
for model in p9 p10; do
	S=sim:$model,clock=step,load=$T/load
	run "$U" --machine "$S" --trace "$T/trace" mem -i 10 -n 10 --format csv
	is "$model: each chip's reads and writes" "$rc $(wrong_rows)" "0 20 rows"
	is "$model: one read for each chip and sample" "$(reads)" 20
	is "$model: of at most 4 KiB" "$(awk '$4 == "rblk" && length($6) > 2 * 4096' "$T/trace" | wc -l)" 0
	is "$model: no row is uncertain by more than two updates" "$(column flags | sort -u | paste -sd ' ') $(column uncertainty_percent | awk '$1 > 0.0802' | wc -l)" "estimate;simulated 0"
	has "$model: the bytes of a count are not confirmed" "$err" "how many bytes a count stands for is from other tools, not from IBM"
	is "$model: nothing is written" "$(grep -c ' w[0-9b]' "$T/trace")" 0
	run "$U" --machine "$S" mem -i 0.1 -n 10 --format csv
	is "$model: at 100 ms an update is a part of the uncertainty" "$rc $(column flags | sort -u)" "0 late;estimate;simulated"
done
S=sim:p9,clock=step,load=$T/load
run "$U" --machine "$S" stat -n 1 -i 10 --block mba5 -e 'PM_MBA5_*' --format csv
is "each MBA has half of a channel" "$rc $(column event | paste -sd ' ') $(column count | awk '{ printf "%.3g ", $1 }')" \
	"0 PM_MBA5_READ_BYTES PM_MBA5_WRITE_BYTES PM_MBA5_READ_BYTES PM_MBA5_WRITE_BYTES 1.56e+08 7.81e+07 7.81e+07 3.91e+07 "
run "$U" --machine "$S" stat -n 1 -i 10 --block powerbus0 -e PM_PB_CYC --format csv
is "the PowerBus's clock" "$rc $(column value | awk '{ printf "%.4g ", $1 }')" "0 2e+10 2e+10 "

run "$U" --machine "sim:p10,sockets=16,clock=step,load=$T/load" --trace "$T/trace" mem -i 0.1 -n 20 --format csv
is "16 chips at 100 ms: each sample is one read a chip, and has each number" "$rc $(reads 99000000) $(column read_bytes | grep -c .)" "0 320 320"
run "$U" --machine "sim:p10,sockets=16" mem -i 0.1 -n 20 --format csv
is "in real time, too" "$rc $(column read_bytes | grep -c .)" "0 320"
refused "others have up to 8 sockets" 2 "only p9 and p10 have more than 8" "$U" --machine sim:snbep,sockets=9 list

# Several units of a chip take their counters from one read.
run "$U" --machine "$S" --trace "$T/trace" stat -n 5 -i 1 --block mba0 -e PM_MBA0_READ_BYTES
is "stat reads as often" "$rc $(reads)" "0 10"

rows() { run "$U" --machine "$S,nest=$1" mem -i 1 -n 6 --format csv; }
rows torn
is "reads that saw half of an update are done again" "$rc $(column flags | sort -u)" "0 estimate;simulated"
rows stalls
is "a chip whose updates end has no number from then on" "$rc $(column flags | paste -sd ' ')" \
	"0 estimate;simulated estimate;simulated estimate;simulated estimate;simulated stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated"
is "and never 0" "$(column read_bytes | sed 1,4d | sort -u)" ""
has "and why" "$err" "the kernel paused them, as it does when the last perf event of the nest is closed"
rows pauses
is "one that is paused for 1.5 s has none until an interval after that" "$(column flags | awk 'NR % 2' | paste -sd ' ')" \
	"estimate;simulated estimate;simulated stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated estimate;simulated"
run "$U" --machine "$S,nest=pauses" mem -i 3 -n 3 --format csv
is "a pause within the first interval is seen, too" "$(column flags | awk 'NR % 2' | paste -sd ' ')" \
	"stopped;estimate;simulated stopped;estimate;simulated stopped;estimate;simulated"
fails() { # SENTENCE STATUS PART NEST
	refused "$1" "$2" "$3" "$U" --machine "$S,nest=$4" mem -n 1
}
fails "paused" 5 "they are paused (status 2); with --start a measurement lets them run" paused
fails "never began" 1 "their microcode never ran (status 0)" never
fails "a speed at which scales are wrong" 3 "have speed 4, at which the catalogue's scales are wrong: they are right up to 3" speed
fails "little-endian words" 1 "which none is: this is no area of counters, or its words are not big-endian" little
fails "an area that ends too early" 1 "the area of chip 0 ends at 0x600" short
fails "units that firmware removed" 3 "the units of the nest are absent" pruned
refused "nest= of another machine" 2 "only p9 and p10 have that" "$U" --machine sim:skx,nest=paused list
