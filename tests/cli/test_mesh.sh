# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the mesh sends to each memory controller (M2M), counted in PCI configuration space.
. tests/lib.sh

for part in icx:4 icxd:4 snr:1 spr:4 emr:4; do
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
