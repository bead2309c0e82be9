# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The clock of the uncore, and its limits.
. tests/lib.sh

for model in bdx bdxde skx clx cpx icx icxd spr emr tgl adl mtl; do
	S=sim:$model,sockets=1,clock=step
	run "$U" --machine "$S" mem -v -n 1 --format csv
	is "$model: mem -v has clock and limit" "$rc $(column uncore_clock_mhz | sort -u) $(column uncore_limit_mhz | sort -u)" "0 2400 2400"
	lacks "$model: it runs at its limit" "$err" "below its limit"
done
S=sim:icx,sockets=2,clock=step
run "$U" --machine "$S,uncore=15" mem -v -n 3 --format csv
is "a clock that is throttled is what it is" "$rc $(column uncore_clock_mhz | sort -u) $(column uncore_limit_mhz | sort -u)" "0 1500 2400"
is "once for each socket a note says so" "$(grep -c "the uncore runs at 1500 MHz, below its limit of 2400" "$T/err")" 2
run "$U" --machine "$S,uncore=15" mem -v -n 1 --per socket
is "the table has it" "$(grep -c 'socket [01] .* 1500$' "$T/out")" 2
run "$U" --machine "$S,uncore=15" mem --format openmetrics -n 1
is "series have it in hertz" "$(grep ^uncore_clock_hertz "$T/out" | paste -sd ' ')" \
	'uncore_clock_hertz{socket="0"} 1500000000 uncore_clock_hertz{socket="1"} 1500000000'
run "$U" --machine "$S" --trace "$T/trace" mem -n 1 --format csv
is "without -v no MSR is read" "$rc $(grep -c ' 0x62[01] ' "$T/trace") $(head -1 "$T/out" | grep -c uncore)" "0 0 0"
run "$U" --machine "$S" --trace "$T/trace" mem -v -n 1 --format csv
is "with it two of each socket, at the start and with each sample, and none is written" \
	"$(grep -c ' r.* 0x62[01] ' "$T/trace") $(grep -c ' w.* 0x62[01] ' "$T/trace")" "8 0"

run "$U" --machine "$S,msr=absent" mem -v -n 1 --format csv
is "without the msr driver there is no number" "$rc $(column uncore_clock_mhz | sort -u)$(column uncore_limit_mhz | sort -u)" "0 "
run "$U" --machine "$S,msr=absent" mem --format openmetrics -n 1
is "nor a series" "$rc $(grep -c '^uncore_clock_hertz' "$T/out")" "0 0"
for model in gnrd cwf zen4 skl; do
	run "$U" --machine "sim:$model,clock=step" mem -v -n 1 --format csv
	is "$model: a part without these registers has no number" "$rc $(column uncore_clock_mhz | sort -u)" "0 "
done

# Without them a counter tells it, which another program has enabled: here a bit that is stuck.
for part in snbep:0xc08 ivt:0xc08 hsx:0x703 snr:0x1f93 gnr:0x3ffe srf:0x3ffe grr:0x3f5e; do
	S=sim:${part%:*},sockets=1,clock=step
	E=$S,defect=stuck1:cpu0:${part#*:}:22
	run "$U" --machine "$S" --trace "$T/trace" mem -v -n 2 --format csv
	is "${part%:*}: a counter that no program has enabled has no number" "$rc $(column uncore_clock_mhz | sort -u)" "0 "
	is "${part%:*}: nor is it enabled" "$(grep -c 'msr cpu0 w' "$T/trace")" 0
	run "$U" --machine "$S" list -v
	has "${part%:*}: and list says why" "$(tr -s '\n ' ' ' <"$T/out")" "no program has enabled its counter; "
	run "$U" --machine "$E" --trace "$T/trace" mem -v -n 2 --format csv
	is "${part%:*}: it tells the clock of each sample, and no limit" \
		"$rc $(column uncore_clock_mhz | sort -u) $(column uncore_limit_mhz | sort -u)" "0 2000 "
	is "${part%:*}: nothing is written" "$(grep -c 'msr cpu0 w' "$T/trace")" 0
	run "$U" --machine "$E,uncore=13" list -v
	has "${part%:*}: list -v reads it twice" "$out" "socket 0: 1300 MHz now"
	lacks "${part%:*}: without a limit" "$out" "limits"
done
run "$U" --machine "$E" mem --format openmetrics -n 1
is "a series has it, too" "$rc $(grep ^uncore_clock_hertz "$T/out")" '0 uncore_clock_hertz{socket="0"} 2000000000'
E=sim:hsx,sockets=1,clock=step,state=$T/hsx
run "$POKE" "$E" m 0 0x703 0x400000 -- m 0 0x704 0xffffffff0000
run "$U" --machine "$E" record "$T/counted" -- mem -v -n 3 --format csv
cp "$T/out" "$T/first"
is "it may wrap" "$rc $(column uncore_clock_mhz | sort -u)" "0 2000"
run "$U" --machine "replay:$T/counted" mem -v -n 3 --format csv
is "a replay has the same clock" "$rc $(diff "$T/first" "$T/out")" "0 "
run "$POKE" "$E" m 0 0x703 0
run "$U" --machine "$E" mem -v -n 1 --format csv
is "a program that has ended takes it along" "$rc $(column uncore_clock_mhz | sort -u)" "0 "
S=sim:icx,sockets=2,clock=step

run "$U" --machine "$S,uncore=13" list -v
has "list -v has clock and limits" "$out" "socket 1: 1300 MHz now, limits 1200 to 2400 MHz"
run "$U" --machine "$S,msr=absent" list -v
has "and why there are none" "$out" "the msr driver is not loaded"
run "$U" --machine sim:gnrd,clock=step list -v
has "or that they are elsewhere" "$out" "which this part has in TPMI"
run "$U" --machine "$S,uncore=13" reg get 'socket*.uclk.UNCORE_PERF_STATUS.ratio' --format csv
is "they are registers" "$rc $(column field_value | sort -u)" "0 0xd"
refused "that are never written" 4 "read-only" "$U" --machine "$S" reg set socket0.uclk.UNCORE_RATIO_LIMIT.max_ratio=0x10 --write
run "$U" --machine "$S,uncore=15" record "$T/record" -- mem -v -n 2 --format csv
cp "$T/out" "$T/first"
run "$U" --machine "replay:$T/record" mem -v -n 2 --format csv
is "a replay has the same rows" "$rc $(diff "$T/first" "$T/out")" "0 "

# In a machine of files: these are opened before the process gives up what it needs for that.
. tests/mounted.sh
if ! mount_machine sim:skx,sockets=2,cores=2,uncore=15; then
	skip "the clock of a machine of files" "no FUSE here: $(cat "$T/server")"
else
	run "$U" --machine "root:$mnt" mem -v -n 1 --format csv
	is "a machine of files has the clock, too" "$rc $(column uncore_clock_mhz | sort -u)" "0 1500"
	unmount
fi
run "$U" --machine "$S,uncore=15" mem -v --format csv -o "$T/mem.csv" -- true
is "after a COMMAND there is none, as it could only be that of an idle machine" \
	"$rc $(head -1 "$T/mem.csv" | grep -c uncore) $(grep -c 'below its limit' "$T/err")" "0 0 0"
