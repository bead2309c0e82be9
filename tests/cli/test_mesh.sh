# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the mesh sends to each memory controller (M2M, later B2CMI), counted in PCI configuration space.
. tests/lib.sh

for part in icx:4 icxd:4 snr:1 spr:4 emr:4 gnr:12 srf:12 gnrd:8 grr:2; do
	model=${part%:*}
	S=sim:$model,sockets=2,clock=step,state=$T/$model
	run "$U" --machine "$S" --trace "$T/trace" stat --block m2m -m mesh_read_bandwidth,mesh_write_bandwidth -n 1 --format csv
	cp "$T/out" "$T/mesh"
	is "$model: each controller has a row" "$rc $(column box | sort -u | wc -l)" "0 $((2 * ${part#*:}))"
	run "$U" --machine "$S" stat -m read_bandwidth,write_bandwidth -n 1 --per imc --format csv
	is "$model: the mesh sends what the channels move" "$(awk -F, '
		FNR == 1 { file++; next }
		{ key = $3 "," $4 "," ($7 ~ /read/) }
		file == 1 { mesh[key] = $11 }
		file == 2 && (n[key]++ || mesh[key] / $11 - 1 > 0.0005 || mesh[key] / $11 - 1 < -0.0005) { print key, mesh[key], $11 }
		END { if (length(n) != '"$((4 * ${part#*:}))"') print length(n), "rows" }' "$T/mesh" "$T/out")" ""
	halves() { grep -c "pci .* w32 0x4\($1\) " "$T/trace"; }
	is "$model: both halves of a control are written" "$(halves '6c\|74\|7c\|84')" "$(halves '68\|70\|78\|80')"
	check "$model: at least one" [ "$(halves '6c\|74\|7c\|84')" -gt 0 ]
	is "$model: no write breaks a rule" "$("$POKE" "$S" violations)" 0
	run "$U" --machine "$S" reg dump 'socket0.m2m*' --format csv
	is "$model: all controls are as before" "$(awk -F, '$3 ~ /CTL/ { print $5 }' "$T/out" | sed 's/^0x00*$/zero/' | sort -u)" zero
done

S=sim:icx,sockets=1,clock=step
run "$U" --machine "$S" stat --block m2m -e imc_reads.ch0,imc_reads.ch1,imc_reads.all -n 1 --format csv
is "channels add up" "$(awk -F, 'NR > 1 { sum[$4] += ($7 ~ /all/ ? -1 : 1) * $8; all[$4] += $8 }
	END { for (i in sum) if (sum[i] / all[i] > 1e-6 || sum[i] / all[i] < -1e-6 || !all[i]) print i, sum[i] }' "$T/out")" ""
run "$U" --machine "$S,defect=mesh-misses:socket0.imc1.ch0" stat --block m2m -e imc_reads.ch0 -n 1 --format csv
is "a channel that the mesh does not see counts nothing, and that is no number" \
	"$(awk -F, '$4 == 1 { print $8 ":" $11 }' "$T/out")" ":"
refused "parts without these functions say so" 3 "this machine has none that counts events" \
	"$U" --machine sim:skx,clock=step stat --block m2m -m mesh_read_bandwidth -n 1

# mem where no channel can be counted: as without /dev/mem, or where another process has them.
for part in icx:8 spr:8 snr:2 gnr:24; do
	model=${part%:*}
	S=sim:$model,sockets=2,clock=step,state=$T/$model.off
	run "$U" --machine "$S,mmio=off" mem -i 0.5 -n 1 --format csv
	cp "$T/out" "$T/mesh"
	is "$model: without memory-mapped registers mem shows the mesh's counts" "$rc $(column flags | sort -u)" "0 mesh;simulated"
	has "$model: and says why" "$err" "so the mesh's counts, in PCI space, are shown"
	run "$U" --machine "sim:$model,sockets=2,clock=step" mem -i 0.5 -n 1 --per imc --format csv
	is "$model: they are what the channels count" "$(awk -F, '
		FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
		{ key = $3 "," $4; r = $(at[file, "read_bytes_per_s"]); w = $(at[file, "write_bytes_per_s"]) }
		file == 1 { rd[key] = r; wr[key] = w }
		file == 2 && (n[key]++ || r / rd[key] - 1 > 0.0005 || rd[key] / r - 1 > 0.0005 || w / wr[key] - 1 > 0.0005 || wr[key] / w - 1 > 0.0005) { print key, r, rd[key] }
		END { if (length(n) != '"${part#*:}"') print length(n), "rows" }' "$T/mesh" "$T/out")" ""
	is "$model: no write breaks a rule then, either" "$("$POKE" "$S,mmio=off" violations)" 0
done
S=sim:spr,sockets=1,clock=step,state=$T/busy
"$U" --machine "$S" mem -i 0.1 >"$T/first" 2>&1 &
first=$!
until_ grep -q total "$T/first"
run "$U" --machine "$S" mem -i 0.1 -n 1 --format csv
kill -TERM $first
wait $first 2>/dev/null
is "beside another process that has the channels, too" "$rc $(column flags | sed 's/^late;//' | sort -u)" "0 mesh;simulated"
refused "where nothing may be written there is no way" 4 "locked down" "$U" --machine sim:spr,clock=step,lockdown=1 mem -n 1
refused "--box is about channels" 3 "no memory channel of --box" "$U" --machine sim:icx,clock=step,mmio=off mem --box socket0.imc0.ch0 -n 1

# Where memory cannot be reached, nothing tells whether there is memory in the package, whose mesh is not counted.
run "$U" --machine sim:sprhbm,sockets=1,clock=step,mmio=off mem -i 0.5 -n 1 --format csv
has "a part that may have memory in the package has a note" "$err" "memory in the package (HBM), which Xeon Max processors have"
run "$U" --machine sim:icx,sockets=1,clock=step,mmio=off mem -i 0.5 -n 1 --format csv
lacks "others have none" "$err" "HBM"

# Who else may count there: the kernel has other names for it on later parts.
S=sim:gnr,sockets=1,clock=step,state=$T/used
for off in 0x468 0x470 0x478 0x480; do
	"$POKE" "$S" w 7e:05.1 $off 0x424
done
for pmu in uncore_b2cmi_3 uncore_type_16_3; do
	mkdir -p "$T/$pmu/sys/bus/event_source/devices/$pmu"
	refused "$pmu may have these counters" 5 "sys/bus/event_source/devices: 1 of $pmu]" \
		"$U" --machine "$S,files=$T/$pmu" stat --block m2m --box socket0.m2m0 -e imc_reads.all -n 1
done
