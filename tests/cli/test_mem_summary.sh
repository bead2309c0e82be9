# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What uncorectl mem says of a whole run when it ends: of each socket and in total.
. tests/lib.sh

# 4 GB/s in each channel of one socket, and 12 GB/s in those of the other, of 12.8 GB/s that a channel could move.
cat >"$T/load.yaml" <<'END_OF_LOAD'
format: uncorectl-load/1
channels:
  socket*.imc0.ch*:
    read: 3200000000
    write: 800000000
  socket1.imc0.ch*:
    read: 11200000000
    write: 800000000
END_OF_LOAD
S=sim:snbep,sockets=2,clock=step,load=$T/load.yaml
# of WHAT COLUMN: of the summary of a socket, or null for the total, in JSON lines
of() {
	grep '"record":"summary"' "$T/out" | grep "\"socket\":$1," | tr ',{}' '\n\n\n' | sed -n "s/^\"$2\"://p"
}

run "$U" --machine "$S" mem -n 20 -i 0.5 --format jsonl
is "JSON lines end with a record for each socket and one for all" "$(tail -3 "$T/out" | grep -c '"record":"summary"') $(grep -c summary "$T/out")" "3 3"
lacks "and stderr has none" "$err" "in all"
is "it has all samples" "$(of null samples)" 20
check "and their time" near "$(of null interval_ns)" 1e10 0.001
sum=$(grep -v summary "$T/out" | tr ',{}' '\n\n\n' | sed -n 's/^"read_bytes"://p' | awk '{ s += $1 } END { printf "%.0f", s }')
is "what was read is the sum of all records" "$(of null read_bytes)" "$sum"
check "the mean is 4 channels at 4 GB/s, and 4 at 12" near "$(of null mean_bytes_per_s)" 64e9 0.001
for column in min_bytes_per_s mean_bytes_per_s p95_bytes_per_s max_bytes_per_s; do
	check "of an even load $column is that of socket 0" near "$(of 0 $column)" 16e9 0.008
	check "and of socket 1" near "$(of 1 $column)" 48e9 0.008
done
is "socket 0 was never above 80 % of its peak" "$(of 0 above_80_percent)" 0
is "socket 1 always was" "$(of 1 above_80_percent)" 100
has "flags that occurred" "$out" '"flags":["simulated"]}'

run "$U" --machine "$S" mem -n 19 -i 0.5 --format jsonl
is "there is no 95th percentile of fewer than 20 samples" "$(of null p95_bytes_per_s)" null

run "$U" --machine "$S" mem -n 3 --format csv
is "with CSV, stdout has nothing but the samples" "$(wc -l <"$T/out")" 25
has "and stderr has the summary" "$err" "in all, of 3 samples:"
run "$U" --machine "$S" mem -n 1
lacks "with a table, too" "$out" "in all"
has "even of one sample" "$err" "in all, of 1 sample:"
has "with the volume" "$err" "57.60 GB"
run "$U" --machine "$S,state=$T/state" mem -n 1 -o "$T/file" -- "$POKE" "$S,state=$T/state" step 1000000000
has "and after a COMMAND" "$err" "in all, of 1 sample:"
lacks "but not in the file" "$(cat "$T/file")" "in all"

# A flag that occurred once, and a channel that is missing.
run "$U" --machine "$S,hide=ff:10.1" mem -n 3 --format jsonl
has "a channel is missing" "$(tail -2 "$T/out" | head -1)" '"flags":["missing","partial","simulated"]}'
is "a share of the peak is not known then" "$(of 1 above_80_percent)" null
is "but of the other socket" "$(of 0 above_80_percent)" 0

# No sample has a number, as that of a COMMAND that ends at once may have none.
run "$U" --machine "sim:hsx,sockets=1,clock=step,freeze=socket0" mem -n 2
has "a run without a number says so and why" "$err" "note: no sample has a number (stopped), so there is nothing to add up"
lacks "and adds up nothing" "$err" "in all"
run "$U" --machine "sim:hsx,sockets=1,clock=step,freeze=socket0" mem -n 2 --format jsonl
is "while JSON lines have their summary, of no samples" "$(of null samples) $(of null mean_bytes_per_s)" "0 null"

# An interrupt in the middle of an interval.
R=sim:snbep,sockets=1,state=$T/real
run timeout --preserve-status -s INT 0.5 "$U" --machine "$R" mem -i 100 --format csv
is "SIGINT in the first interval ends the run as ever" "$rc" 0
is "and that part of it is a sample" "$(sed 1d "$T/out" | wc -l)" 4
check "as long as it lasted" awk -F, 'NR == 2 { exit !($2 > 1e8 && $2 < 3e9) }' "$T/out"
has "and is summed up" "$err" "in all, of 1 sample:"
run timeout --preserve-status -s INT 0.5 "$U" --machine "$R" mem -i 0.3 --format csv
is "SIGINT in the second leaves the first as it was" "$(sed 1d "$T/out" | cut -d, -f1 | wc -l)" 8
run timeout --preserve-status -s TERM 0.5 "$U" --machine "$R" mem -i 100 --format csv
is "SIGTERM ends it at once" "$rc $(wc -c <"$T/out")" "143 0"
