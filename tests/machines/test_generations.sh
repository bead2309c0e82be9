# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# list, mem and reg dump on every part that has a map and a simulated machine: 1 to 8 sockets, PCI domains, hidden functions.
. tests/lib.sh

# truth_agrees MACHINE: the records in T/out of one sample against what the channels did between T/before and T/after.
# imc_of(): the controller that the documents give a PCI device, or an address in memory, where each controller of icx and spr has
# 0x60000 bytes from 0x300000 on, each of gnr 0x4000 from 0x34c000 on, in the 8 MiB of its socket.
truth_agrees() {
	bad=$(paste -d ' ' "$T/before" "$T/after" | awk -v model="$model" '
		function number(digits,   n, i) {
			for (i = 1; i <= length(digits); i++)
				n = n * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
			return n
		}
		function imc_of(addr,   at) {
			at = number(substr(addr, 3)) % 8388608
			if (addr ~ /^0x/)
				return model == "gnr" ? int((at - 3457024) / 16384) : int((at - 3145728) / 393216)
			sub(/.*:/, "", addr)
			sub(/[.].*/, "", addr)
			return addr ~ /^(10|14|15|0a|0b)$/ ? 0 : addr ~ /^(1e|17|18|0c|0d)$/ ? 1 : "unknown"
		}
		function agrees(is, should,   off) {
			off = is - should
			return should > 0 && (off < 0 ? -off : off) <= should / 10000
		}
		FILENAME != "-" { split($0, field, ","); record[field[3] "," field[4] "," field[5] "," field[6]] = $0; next }
		{
			place = $1 "," imc_of($3) "," $2 "," $3
			if (!(place in record)) {
				print "no record of " place
				next
			}
			split(record[place], field, ",")
			if (!agrees(field[9], ($11 - $5) * 1e9 / ($10 - $4)))
				print "read of " $3 ": " record[place]
			if (!agrees(field[10], ($12 - $6) * 1e9 / ($10 - $4)))
				print "write of " $3 ": " record[place]
			n++
		}
		END { if (!n) print "no channel" }' "$T/out" -)
	[ -z "$bad" ] || { echo "$bad" >>"$T/err"; return 1; }
}

# functions_of MODEL: the channels of one socket of two, and behind them its UBOX.
functions_of() {
	case $1 in
	ivt) echo "ff:10.4 ff:10.5 ff:10.0 ff:10.1 ff:1e.4 ff:1e.5 ff:1e.0 ff:1e.1 ff:0b.0" ;;
	hsx | bdx) echo "ff:14.0 ff:14.1 ff:17.0 ff:17.1 ff:10.5" ;;
	skx) echo "ae:0a.2 ae:0a.6 ae:0b.2 ae:0c.2 ae:0c.6 ae:0d.2 80:08.0" ;;
	esac
}

for model in ivt hsx bdx skx; do
	boxes=8
	[ $model = skx ] && boxes=6
	for options in sockets=1 sockets=2 sockets=4 sockets=8 sockets=4,numbering=reversed sockets=2,domains=2 sockets=4,domains=2 \
		sockets=8,domains=4 sockets=8,domains=3,numbering=reversed; do
		n=${options#sockets=} n=${n%%,*}
		M=sim:$model,$options,clock=step,state=$T/state-$model-$(echo "$options" | tr , -)
		"$POKE" "$M" truth >"$T/before"
		run "$U" --machine "$M" --trace "$T/trace" mem -i 1 -n 1 --format csv
		"$POKE" "$M" truth >"$T/after"
		is "$model, $options: mem succeeds" "$rc" 0
		check "$model, $options: every channel is named rightly, and its bandwidth is the truth" truth_agrees
		is "$model, $options: no rule of the manuals was broken" "$("$POKE" "$M" violations | head -3)" 0
		is "$model, $options: no counter was written" "$(grep -cE ' w32 0x(a|b|d[0-7])' "$T/trace")" 0
		"$U" --machine "$M" --trace "$T/longer" mem -i 1 -n 2 >"$T/out" 2>&1
		is "$model, $options: a sample of 1 s reads 16 bytes once, and looks with two reads" "$(reads_of_a_sample)" "$(wc -l <"$T/before")"
		is "$model, $options: MSRs are not touched" "$(grep -c '^.*msr ' "$T/trace")" 0
		run "$U" --machine "$M" list --format csv
		is "$model, $options: list succeeds" "$rc" 0
		is "$model, $options: it shows every place" "$(sed 1d "$T/out" | wc -l)" $((boxes * n))
		is "$model, $options: what is there is idle" "$(column state | grep -cx idle)" "$(wc -l <"$T/before")"
		is "$model, $options: sockets are numbered by the UBOX" "$(column why | grep -c 'found.*by UBOX')" "$(wc -l <"$T/before")"
		run "$U" --machine "$M" reg dump "socket*.imc?.ch?" --format csv
		is "$model, $options: reg dump succeeds" "$rc" 0
		is "$model, $options: it shows the controls of each channel" "$(grep -c ',CTL\[3\],0xe4,0x00000000,en,' "$T/out")" \
			"$(wc -l <"$T/before")"
	done

	# The figures of one channel, from a load file.
	cat >"$T/load" <<-'END'
		format: uncorectl-load/1
		channels:
		  "socket*.imc*.ch*": {read: 1e9, write: 5e8}
		  "socket1.imc1.ch1": {read: 6.4e9, write: 3.2e9}
	END
	run "$U" --machine "sim:$model,sockets=2,clock=step,load=$T/load" mem -i 1 -n 1 --format csv
	line=$(grep ',1,1,1,0000:' "$T/out")
	check "$model: the channel that the load names reads what it says" near "$(echo "$line" | cut -d, -f9)" 6.4e9 0.001
	check "$model: and writes what it says" near "$(echo "$line" | cut -d, -f10)" 3.2e9 0.001
	run "$U" --machine "sim:$model,sockets=2,clock=step,load=$T/load" mem -i 1 -n 1 --per machine --format csv
	channels=$("$POKE" "sim:$model,sockets=2,clock=step,state=$T/count-$model" truth | wc -l)
	check "$model: and the machine what all of them do" near "$(column read_bytes_per_s)" \
		"$(awk "BEGIN { print 6.4e9 + ($channels - 1) * 1e9 }")" 0.001

	# Any one function hidden, where the highest bus is socket 0's, so that bus order would be wrong.
	functions=$(functions_of $model)
	for at in $functions; do
		M=sim:$model,sockets=2,numbering=reversed,clock=step,state=$T/hidden-$model-$at
		"$POKE" "$M" truth | grep -v " 0000:$at " >"$T/before"
		run "$U" --machine "$M,hide=$at" mem -i 1 -n 1 --format csv
		"$POKE" "$M" truth | grep -v " 0000:$at " >"$T/after"
		is "$model, $at hidden: mem succeeds" "$rc" 0
		check "$model, $at hidden: all others are named rightly and tell the truth" truth_agrees
		if [ "$at" = "${functions##* }" ]; then # the UBOX
			is "$model, its UBOX hidden: no row is missing" "$(column flags | grep -c missing)" 0
			has "$model, its UBOX hidden: that is said" "$err" "bus order for bus 0000:"
		else
			is "$model, $at hidden: its row is missing" "$(grep ",0000:$at," "$T/out" | cut -d, -f7-14,16-)" ",,,,,,missing;simulated,,,"
		fi
		run "$U" --machine "$M,hide=$at" list
		is "$model, $at hidden: list succeeds" "$rc" 0
		run "$U" --machine "$M,hide=$at" reg dump "socket0.*"
		is "$model, $at hidden: reg dump succeeds" "$rc" 0
	done
done

# All ones in place of one of them, and a function that is not ours at the UBOX's place of the bus of the channels.
run "$U" --machine sim:skx,sockets=2,numbering=reversed,clock=step,allones=ae:08.0 list --format csv
is "skx: what else is at 08.0 of the bus of the channels is no UBOX" "$(column why | grep -c 'found.*by UBOX')" 12
run "$U" --machine sim:skx,sockets=2,clock=step,msr=absent mem -n 1 --format csv
is "skx: without the msr driver mem works" "$(column flags | grep -cx simulated)" 12

# Registers in memory.  16 bytes at once are read, and functions are hidden, on the others alone: here an access has the width of a
# register, and one function tells where all channels of a socket are.
for model in icx spr gnr; do
	places=8
	[ $model = gnr ] && places=12
	for options in sockets=1 sockets=2 sockets=4 sockets=8 sockets=4,numbering=reversed sockets=2,domains=2 sockets=8,domains=4; do
		n=${options#sockets=} n=${n%%,*}
		M=sim:$model,$options,cores=2,clock=step,state=$T/state-$model-$(echo "$options" | tr , -)
		"$POKE" "$M" truth >"$T/before"
		run "$U" --machine "$M" --trace "$T/trace" mem -i 1 -n 1 --format csv
		"$POKE" "$M" truth >"$T/after"
		is "$model, $options: mem succeeds" "$rc $(column flags | sort -u)" "0 simulated"
		is "$model, $options: each channel has a record" "$(sed 1d "$T/out" | wc -l) $(wc -l <"$T/before")" "$((places * n)) $((places * n))"
		check "$model, $options: every channel is named rightly, and its bandwidth is the truth" truth_agrees
		is "$model, $options: no rule of the manuals was broken" "$("$POKE" "$M" violations | head -3)" 0
		is "$model, $options: no counter was written, and nothing in PCI space" "$(grep -cE ' mmio 0x[0-9a-f]* w[0-9]* 0x([89a-f]|[123].) | pci .* w' "$T/trace")" 0
		is "$model, $options: MSRs are not touched" "$(grep -c '^.*msr ' "$T/trace")" 0
		run "$U" --machine "$M" list --format csv
		is "$model, $options: list shows every place, idle" "$rc $(column state | grep -cx idle)" "0 $((places * n))"
		run "$U" --machine "$M" reg dump "socket*.imc*.ch*" --format csv
		is "$model, $options: reg dump shows the controls of each channel" "$rc $(grep -c ',CTL\[3\],0x4c,0x00000000,ev_sel,' "$T/out")" "0 $((places * n))"
	done
done
M=sim:icx,sockets=2,cores=2,numbering=reversed,clock=step
run "$U" --machine "$M,hide=fe:00.0" list --format csv
is "icx, a UBOX hidden: its socket is that of the NUMA node" "$(column state | grep -cx idle) $(column why | grep -c 'socket 0 by the NUMA node')" "16 8"
run "$U" --machine "$M,hide=fe:00.1" mem -n 1 --format csv
is "icx, the function hidden that tells where the registers are: the channels of its socket are missing" "$rc $(grep -c '^[0-9]*,[0-9]*,0,.*,missing;simulated,' "$T/out")" "0 8"
is "icx: and the others count" "$(column flags | grep -cx simulated)" 8

# Every map that is built in passes, from a folder too, where less may be written.
run "$U" maps check regs
is "every map of regs/ passes the checks, as one of a folder" "$rc" 0
is "and all of them are looked at" "$err" "uncorectl: $(find regs -name '*.yaml' | wc -l) maps checked, 0 errors"
