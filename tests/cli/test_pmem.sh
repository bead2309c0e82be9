# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Optane modules beside DIMMs: what mem counts, and where nothing is shown of them.
. tests/lib.sh

cat >"$T/load.yaml" <<'END_OF_LOAD'
format: uncorectl-load/1
channels:
  socket*.imc*.ch*:
    read: 6400000000
    write: 1280000000
  socket0.imc1.ch1:
    events: {pmm_rpq_inserts: 10000000, pmm_wpq_inserts: 5000000}
  socket1.imc3.ch*:
    events: {pmm_rpq_inserts: 10000000, pmm_wpq_inserts: 5000000}
END_OF_LOAD
names=pmem_read_bytes,pmem_write_bytes,pmem_read_bytes_per_s,pmem_write_bytes_per_s,pmem_read_count,pmem_write_count
S="sim:icx,sockets=2,clock=step,load=$T/load.yaml,pmem=socket0.imc1.ch1,pmem=socket1.imc3.ch*"

run "$U" --machine "$S" mem -i 1 -n 2 --format csv
is "mem counts them" "$rc" 0
is "in columns of their own" "$(head -1 "$T/out" | cut -d, -f13-18)" "$names"
is "for the channels that have one" "$(awk -F, 'NR > 1 && $13 != "" { print $3, $4, $5 }' "$T/out" | sort | uniq -c | awk '{ print $2, $3, $4, "x", $1 }' | paste -sd ';')" \
	"0 1 1 x 2;1 3 0 x 2;1 3 1 x 2"
is "and nothing elsewhere" "$(awk -F, 'NR > 1 && $13 == "" && ($14 $15 $16 $17 $18) != ""' "$T/out")" ""
is "every channel has its DIMMs" "$(awk -F, 'NR > 1 && ($7 < 1 || $8 < 1)' "$T/out")" ""
is "bytes are 64 times the count" "$(awk -F, 'NR > 1 && $13 != "" && ($13 != 64 * $17 || $14 != 64 * $18)' "$T/out")" ""
is "rates are those of the load" "$(awk -F, '
	function off(is, wanted) { return is / wanted - 1 > 0.0005 || is / wanted - 1 < -0.0005 }
	NR > 1 && $13 != "" && (off($15, 640000000) || off($16, 320000000))' "$T/out")" ""

# Of a run that has more samples than looks at the channels' clocks, as in tests/bench.
run "$U" --machine "$S" --trace "$T/trace" mem -i 0.01 -n 12 --format csv
is "a sample takes four loads a channel, and no write" "$(awk '
	$1 - last > 3e6 { print loads + 0, writes + 0; loads = writes = 0 }
	{ last = $1; loads += $4 == "r64"; writes += $4 ~ /^w/ }' "$T/trace" | sed 1d | sort | uniq -c | sort -n | tail -1 | awk '{ print $2, $3 }')" "64 0"

run "$U" --machine "$S" mem -i 1 -n 1 --per socket --format csv
is "sums are of the channels that have one" "$(awk -F, 'NR > 1 { printf "%s%.2f %.2f", sep, $15 / 1e9, $16 / 1e9; sep = ";" }' "$T/out")" "0.64 0.32;1.28 0.64"
is "and lack nothing" "$(column flags | sort -u)" simulated
run "$U" --machine "$S" mem -i 1 -n 1 --format jsonl
is "a channel without one has null" "$(sed -n 2p "$T/out" | grep -c '"pmem_read_bytes":null,"pmem_write_bytes":null')" 1
run "$U" --machine "$S" mem -i 1 -n 1
has "the table has them" "$out" "PMem read GB/s"

run "$U" --machine "$S" --observe mem -i 1 -n 1 --format csv
is "controllers that always count tell theirs" "$(awk -F, 'NR > 1 && $13 != "" { printf "%s%s %s %.2f %.2f", sep, $3, $4, $15 / 1e9, $16 / 1e9; sep = ";" }' "$T/out")" \
	"0 1 0.64 0.32;1 3 1.28 0.64"

run "$U" --machine "$S" list -v
has "list tells where they are" "$out" "Optane module in slot 1"
run "$U" --machine "$S" doctor
has "doctor tells how many there are" "$out" "Optane modules in 3 of them"

for model in icx snr spr clx; do
	run "$U" --machine "sim:$model,sockets=1,clock=step" mem -i 0.1 -n 1 --format csv
	lacks "nothing of them is shown on $model without" "$out" pmem
done
refused "where there can be none the machine says so" 2 "icx and icxd have" "$U" --machine sim:spr,pmem=socket0.imc0.ch0 list

# What is counted there needs four counters of each channel.
S=sim:icx,clock=step,pmem=socket0.imc0.ch0,state=$T/state
run "$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[3]=0x00400304' --write --keep
run "$U" --machine "$S" mem -i 0.1 -n 1 --format csv
is "without them the DIMMs of all channels are shown alone" "$rc $(column flags | sort | uniq -c | xargs)" "0 8 simulated"
lacks "which have no columns of modules" "$out" pmem
has "and the missing counter is named" "$err" "no counter is free for pmm_wpq_inserts"
has "with what that means" "$err" "so Optane modules are not shown"
run "$U" --machine "$S" doctor
has "doctor knows that four are needed" "$(echo "$out" | tr -s ' \n' ' ')" "leaves fewer than 4 of 1"
for ctl in 1 2; do "$U" --machine "$S" reg set "socket0.imc0.ch0.CTL[$ctl]=0x00400304" --write --keep >/dev/null 2>&1; done
run "$U" --machine "$S" mem -i 0.1 -n 1 --format csv
is "where even these lack counters controllers are shown" "$rc $(column flags | sort -u)" "0 free_running;simulated"
has "with columns of their modules" "$out" pmem_read_bytes
is "which is said once" "$(grep -c "so the counters that always run are shown" "$T/err")" 1
lacks "and nothing else" "$err" "so Optane modules are not shown"
