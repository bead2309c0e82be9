# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Which L3 a CPU has, as lscpu, pqos and uncorectl say.  Then cache monitoring by hand, with rdmsr and wrmsr, on a machine whose time stands still but for one step: an RMID for a CPU, what it
# owns and moved, what the registers do not take; and uncorectl reg sees what rdmsr does.
. tests/peers/lib.sh
. tests/peers/pqos.sh

"$B/uncorectl" --machine "root:$tree" list --caches --format jsonl >"$T/json" 2>/dev/null
jq -r 'select(.l3 != null) | "\(.l3) \(.cpus)"' "$T/json" | awk '{ n = split($2, range, ","); for (i = 1; i <= n; i++) {
	last = split(range[i], end, "-"); for (cpu = end[1]; cpu <= end[last]; cpu++) print cpu, $1 } }' | sort -n >"$T/l3s"
list=$(md5sum <"$T/l3s" | cut -c1-12)
row lscpu "L3 of each of $(wc -l <"$T/l3s") CPUs (md5), of uncorectl" \
	"$(lscpu -p=CPU,CACHE | awk -F, '/^[0-9]/ { print $1, $NF }' | sort -n | md5sum | cut -c1-12)" "$list" =
row lscpu "bytes of all L3s, of uncorectl" "$(lscpu -B -C=NAME,ALL-SIZE | awk '$1 == "L3" { print $2 }')" "$(jq -s 'map(.bytes) | add' "$T/json")" =
row pqos "L3 of each CPU (md5), of uncorectl" "$(as pqos --iface=msr -s 2>/dev/null |
	sed -n 's/^ *Core \([0-9]*\), .*L3ID \([0-9]*\) .*/\1 \2/p' | sort -n | md5sum | cut -c1-12)" "$list" =

cpu=$(nth_cpus 2 | head -n 1)
reader=$(nth_cpus 1 | head -n 1)
on=$(l3_of "$cpu")
# shellcheck disable=SC2046 # four words
set -- $("$asif" "$mnt" "$B/tests/peers/whoami" cpuid 0xf 1)
highest=$((0x$3))
# CPUID's width is beyond 24 bits, but with AMD's first parts, which say 0 and have 44.
case $model in
zen*) width=44 rmid_bits=12 ;;
*) width=$bits rmid_bits=10 ;;
esac
select_() { wrmsr -p "$reader" 0xc8d $(($1 << 32 | $2)); } # RMID EVENT
counted() { printf '%016x' "$(rdmsr -p "$reader" -u 0xc8e)"; }

wrmsr -p "$cpu" 0xc8f 5
row wrmsr "PQR_ASSOC of CPU $cpu as written" "$(rdmsr -p "$cpu" 0xc8f)" 5 =
for event in 1 2 3; do
	[ $((events >> (event - 1) & 1)) = 1 ] || continue
	case $model in
	zen*)
		select_ 5 $event
		row rdmsr "QM_CTR of event $event, as it begins to be followed" "$(counted)" 4000000000000000 =
		;;
	esac
done
step 1.5
truth >"$T/after"
for event in 1 2 3; do
	[ $((events >> (event - 1) & 1)) = 1 ] || continue
	select_ 5 $event
	row rdmsr "QM_CTR of event $event of RMID 5" "$(counted)" "$(awk -v on="$on" -v event=$event -v scale="$scale" -v width=$width \
		'$1 == "llc" && $2 == on && $3 == 5 { printf "%016x", int($(event + 3) / scale) % 2 ^ width }' "$T/after")" =
	row rdmsr "QM_EVTSEL as written" "$(rdmsr -p "$reader" 0xc8d)" 50000000$event =
done
row rdmsr "registers that uncorectl reg sees otherwise" "$(
	"$B/uncorectl" --machine "root:$tree" reg dump "cpu$reader.rdt" --format csv 2>/dev/null >"$T/dump"
	n=0
	while IFS=, read -r offset value; do
		[ "$(rdmsr -p "$reader" -u "$offset")" = "$((value))" ] || echo "$offset"
		n=$((n + 1))
	done <<EOF
$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["offset"] "," $at["value"] }' "$T/dump" | sort -u)
EOF
	[ $n -gt 2 ] || echo "only $n"
)" "" =

select_ 5 4
row rdmsr "QM_CTR of an event that is not there" "$(counted)" 8000000000000000 =
if [ $((highest + 1)) -lt $((1 << rmid_bits)) ]; then
	select_ $((highest + 1)) 1
	row rdmsr "QM_CTR of an RMID beyond the highest" "$(counted)" 8000000000000000 =
fi
row wrmsr "status for a reserved bit of QM_EVTSEL" "$(status select_ $((1 << rmid_bits)) 1)" 4 =
row wrmsr "status for QM_CTR, which cannot be written" "$(status wrmsr -p "$reader" 0xc8e 0)" 4 =
wrmsr -p "$cpu" 0xc8f $highest
row wrmsr "PQR_ASSOC with the highest RMID" "$(rdmsr -p "$cpu" -u 0xc8f)" $highest =
row wrmsr "status for an RMID beyond it" "$(status wrmsr -p "$cpu" 0xc8f $((highest + 1)))" 4 =
row wrmsr "PQR_ASSOC after that" "$(rdmsr -p "$cpu" -u 0xc8f)" $highest =
wrmsr -p "$cpu" 0xc8f 0
wrmsr -p "$reader" 0xc8d 0

# What not all have.
here() { case " $1 " in *" $model "*) rdmsr -p "$reader" "$2" ;; *) status rdmsr -p "$reader" "$2" ;; esac }
expected() { case " $1 " in *" $model "*) echo "$2" ;; *) echo 4 ;; esac }
row rdmsr "RMID_SNC_CONFIG, or status" "$(here 'icx spr' 0xca0)" "$(expected 'icx spr' 1)" =
row rdmsr "configuration of AMD's total bandwidth, or status" "$(here 'zen4 zen5' 0xc0000400)" "$(expected 'zen4 zen5' 7f)" =
row rdmsr "and of local bandwidth" "$(here 'zen4 zen5' 0xc0000401)" "$(expected 'zen4 zen5' 15)" =
row rdmsr "L3_QOS_EXT_CFG, or status" "$(here zen5 0xc00003ff)" "$(expected zen5 0)" =
