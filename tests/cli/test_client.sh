# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Client processors, whose memory controllers have counters that always run, below MCHBAR.
. tests/lib.sh

for model in skl tgl adl mtl; do
	boxes=socket0.imc0
	[ $model = skl ] || boxes="socket0.imc0 socket0.imc1"
	S=sim:$model,clock=step,state=$T/$model
	run "$U" --machine "$S" list --format csv
	is "$model: list has each controller, whose counters run" "$rc $(awk -F, '$6 == "counting" { print $1 }' "$T/out" | paste -sd ' ')" "0 $boxes"
	programmed=
	case $model in adl | mtl) programmed="socket0.pmon0 socket0.pmon1" ;; esac
	is "$model: and those that can be programmed" "$(awk -F, '$6 == "idle" { print $1 }' "$T/out" | paste -sd ' ')" "$programmed"
	"$POKE" "$S" truth >"$T/before"
	run "$U" --machine "$S" --trace "$T/trace" mem -i 0.5 -n 2 --format csv
	"$POKE" "$S" truth >"$T/after"
	is "$model: mem has a row for each controller and sample" "$rc $(column box | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ';')" \
		"0 $(for box in $boxes; do echo "2 $box"; done | paste -sd ';')"
	is "$model: of no channel" "$(column channel | sort -u)$(column pci | sort -u)" ""
	is "$model: nothing is written, and the machine is opened for reading" "$(grep -c ' w' "$T/trace")" 0
	is "$model: each rate is the sum of the loads of its channels" "$(rates_of_controllers 4)" "$(echo "$boxes" | awk '{ print 2 * NF }') rows"
	run "$U" --machine "$S" record "$T/$model.record" -- stat -m read_bandwidth,write_bandwidth -i 0.2 -n 1 --format csv
	cp "$T/out" "$T/first"
	run "$U" --machine "replay:$T/$model.record" stat -m read_bandwidth,write_bandwidth -i 0.2 -n 1 --format csv
	is "$model: a replay has the same rows" "$rc $(diff "$T/first" "$T/out")" "0 "
	run "$U" --machine "$S" check
	is "$model: check has no complaint" "$rc" 0
	run "$U" --machine "$S" doctor
	is "$model: nor has doctor" "$rc" 0
	refused "$model: xcheck says why it compares nothing" 3 "its counters always run" "$U" --machine "$S" xcheck
	refused "$model: nothing freezes them" 3 "no register stops its counters" "$U" --machine "$S" mem --freeze -n 1
done

# What each part asks for, by the model: three of four reads the cores, the others the graphics.
run "$U" --machine sim:skl,clock=step stat -e gt_requests,ia_requests,io_requests,data_reads,data_writes -i 1 -n 1 --format csv
is "skl: requests are counted by who makes them" "$rc $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { n[$c["event"]] = $c["count"] }
	END { print ((n["gt_requests"] + n["ia_requests"] - n["data_reads"]) ^ 2 <= 400), ((n["io_requests"] - n["data_writes"]) ^ 2 < 400), int(n["ia_requests"] * 10 / n["data_reads"]) }' "$T/out")" "0 1 1 7"
run "$U" --machine sim:tgl,clock=step stat -e data_total,data_read,data_write -i 1 -n 1 --format csv
is "tgl: requests are more than reads and writes" "$rc $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { n[$c["event"]] += $c["count"] }
	END { print (n["data_total"] > n["data_read"] + n["data_write"]) }' "$T/out")" "0 1"
run "$U" --machine sim:mtl,clock=step mem -n 1
has "mtl: how many bytes each is, is not confirmed" "$err" "may be of 32 bytes or of 64"
run "$U" --machine sim:adl,clock=step mem -n 1
is "adl: where it is, nothing is said" "$(echo "$err" | grep -c confirmed)" 0

# 50 GB/s for 10,000 wraps of 32 bits, 64 bytes each: 15.3 hours, in samples of a minute.
cat >"$T/load" <<'END'
format: uncorectl-load/1
channels:
  "socket0.imc0.ch*": {read: 20e9, write: 5e9}
END
S=sim:skl,clock=step,load=$T/load,state=$T/wraps
run "$U" --machine "$S" mem -i 60 -n 920 --format csv
is "counters of 32 bits are read before they wrap, and none is lost" "$rc $(column flags | sort | uniq -c | awk '{ print $1, $2 }')" "0 920 free_running;simulated"
is "each sample is exact, over more than 10,000 wraps" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ n++; ns += $c["interval_ns"]; reads += $c["read_count"]; writes += $c["write_count"]
	  if (($c["read_count"] - $c["interval_ns"] * 0.625) ^ 2 > 4 || ($c["write_count"] - $c["interval_ns"] * 0.15625) ^ 2 > 4) print }
	END { print n, int((reads + writes) / 2 ^ 32), (reads - ns * 0.625) ^ 2 < 4, (writes - ns * 0.15625) ^ 2 < 4 }' "$T/out")" "920 10040 1 1"

cat >"$T/still" <<'END'
format: uncorectl-load/1
channels:
  socket0.imc0.ch0: {read: 1e9}
END
run "$U" --machine "sim:tgl,clock=step,load=$T/still" mem -i 0.5 -n 1 --format csv
is "without a clock a 0 is a number only beside a counter that moved" "$rc $(awk -F, 'NR > 1 { print $4, ($11 > 0), $12, $13 }' "$T/out" | paste -sd ';')" \
	"0 0 1 0 free_running;simulated;1 0  unconfirmed;free_running;simulated"

refused "bit 0 of MCHBAR is clear: it is switched off" 3 "bit 0 is clear: the firmware has switched it off" "$U" --machine sim:adl,mmio=limit mem -n 1
run "$U" --machine sim:skl,mmio=limit,clock=step mem -n 1 --format csv
is "which earlier parts are not asked for" "$rc" 0
refused "MCHBAR is 0" 3 "0x48 of pci 0000:00:00.0) is 0x0: the firmware gave the controllers no address" "$U" --machine sim:tgl,mmio_base=0 mem -n 1
refused "MCHBAR is beyond the addresses of the CPU" 3 "beyond the addresses of this CPU" "$U" --machine sim:tgl,mmio_base=0x4000000000000 mem -n 1
refused "nothing answers there" 3 "reads all ones: this controller does not exist here" "$U" --machine sim:adl,mmio=off mem -n 1
refused "main memory is there" 4 "System RAM" "$U" --machine sim:adl,mmio_base=0x40000000 mem -n 1

run "$U" --machine sim:tgl,clock=step,iomem=zeros check --quick
has "counters that may not be reached are no fault of the hardware" "$rc $out" "1 check: 0 passed, 0 failed, 1 skipped"
run "$U" --machine sim:adl,clock=step,iomem=zeros check --quick
has "nor are those that are programmed" "$rc $(echo "$out" | tail -2 | paste -sd ' ')" "4 INCOMPLETE. 41 checks: 1 passed, 0 failed, 40 skipped"

# From Alder Lake on each controller also has five counters that are programmed.
for model in adl mtl; do
	S=sim:$model,clock=step,state=$T/pmon.$model
	run "$U" --machine "$S" reg dump 'socket0.pmon*' --format csv
	grep -v CTR "$T/out" >"$T/before"
	run "$U" --machine "$S" --trace "$T/trace" stat --block pmon -m read_bandwidth,write_bandwidth,total_bandwidth -i 1 -n 1 --format csv
	is "$model: bandwidth is that of the load of each controller, within a thousandth" "$rc $(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ value = $c["value"] / 1e6; print $c["imc"], $c["event"], int(value + 0.5), $c["flags"] }' "$T/out" | paste -sd ';')" \
		"0 0 read_bandwidth 8700 simulated;0 write_bandwidth 3350 simulated;0 total_bandwidth 12050 simulated;1 read_bandwidth 8810 simulated;1 write_bandwidth 3400 simulated;1 total_bandwidth 12210 simulated"
	is "$model: GLOBAL_CTL, which rules both controllers, is not written" "$(grep -c ' w32 0x0 ' "$T/trace") $(grep -c ' w32 0x4 ' "$T/trace")" "0 10"
	run "$U" --machine "$S" reg dump 'socket0.pmon*' --format csv
	is "$model: every register is back" "$rc $(grep -v CTR "$T/out" | diff "$T/before" -)" "0 "

	run "$U" --machine "$S" stat --block pmon -e 'cas_count.rd,cas_count.rd:chmask=1,cas_count.rd:chmask=2,UNC_M_CAS_COUNT_RD:chmask=0xf,pmon/event=0x22/' -i 1 -n 1 --format csv
	is "$model: a mask of channels counts these, no mask counts all" "$rc $(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ n[$c["imc"] "," (NR - 2) % 5] = $c["count"]; flags[$c["flags"]]++ }
		END { for (imc = 0; imc < 2; imc++) { all = n[imc ",0"]; both = n[imc ",1"] + n[imc ",2"]
			print (n[imc ",1"] > 0), (n[imc ",2"] > 0), (both / all - 1) ^ 2 < 1e-8, (n[imc ",3"] / all - 1) ^ 2 < 1e-8, (n[imc ",4"] / all - 1) ^ 2 < 1e-8 }
			for (f in flags) print f }' "$T/out" | paste -sd ';')" "0 1 1 1 1 1;1 1 1 1 1;simulated"
	run "$U" --machine "$S" stat --block pmon -e act_count.rd,act_count.wr,act_count.total,pre_count.page_miss,pre_count.idle,cas_count.rd -i 1 -n 1 --format csv
	is "$model: five are counted at once, and a sixth in turn" "$rc $(column flags | sort -u)" "0 scaled;simulated"
	run "$U" --machine "$S" stat --block pmon --freeze -e '{cas_count.rd,cas_count.wr}' -i 1 -n 1 --format csv
	is "$model: they can be frozen to be read" "$rc $(column flags | sort -u)" "0 simulated"
	run "$U" --machine "$S" stat --block pmon -e pmon/event=0x22,edge/ -i 1 -n 1 --format csv
	is "$model: an edge needs no threshold where there is none" "$rc $(sed -n 2p "$T/out" | grep -o '"event=0x22,edge"')" '0 "event=0x22,edge"'
	refused "$model: there is no umask" 2 "has no umask" "$U" --machine "$S" stat --block pmon -e event=0x22,umask=1 -n 1
	refused "$model: and no threshold" 2 "has no thresh" "$U" --machine "$S" stat --block pmon -e cas_count.rd:thresh=1 -n 1
	run "$U" --machine "$S" record "$T/$model.pmon" -- stat --block pmon -e cas_count.wr -i 0.2 -n 1 --format csv
	cp "$T/out" "$T/first"
	run "$U" --machine "replay:$T/$model.pmon" stat --block pmon -e cas_count.wr -i 0.2 -n 1 --format csv
	is "$model: a replay has the same rows of these" "$rc $(diff "$T/first" "$T/out")" "0 "

	run "$U" --machine "$S" check
	is "$model: check tries them" "$rc $(awk '/^[a-z]+$/ { theme = $1 } $1 == "pass" { print theme "." $2 }' "$T/out" | paste -sd ' ')" \
		"0 presence.functions presence.alike presence.steady registers.bits registers.readonly registers.alias registers.channels registers.halves registers.width registers.writes behaviour.enable behaviour.carry behaviour.wrap traffic.volume traffic.kinds traffic.interleave always.requests"
	has "$model: what needs a clock says that there is none" "$out" "it counts no clock"
	run "$U" --machine "$S" reg dump 'socket0.pmon*' --format csv
	is "$model: after which every register is back" "$rc $(grep -v CTR "$T/out" | diff "$T/before" -)" "0 "
done

# Killed at any of its writes, it leaves what recover puts back.
S=sim:adl,clock=step,state=$T/killed
kept() { "$U" --machine "$S" reg dump 'socket0.pmon*' --format csv 2>/dev/null | grep -v CTR; }
kept >"$T/before"
seen=
for nth in 3 8 13 18; do
	run "$U" --machine "$S,kill=$nth:after:writes" stat --block pmon -e cas_count.rd,cas_count.wr -i 0.1 -n 1
	kept | diff "$T/before" - >/dev/null && left=0 || left=1
	run "$U" --machine "$S" recover
	seen="$seen$rc $left $(kept | diff "$T/before" - | wc -l);"
done
is "what a killed stat left in them is put back by recover" "$seen" "0 1 0;0 1 0;0 1 0;0 0 0;"
