# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# --observe: what others programmed, here another uncorectl or a hand on the registers, and not one write.
. tests/lib.sh

S=sim:snbep,sockets=2,clock=step,state=$T/state
# Of the datasheet, 327043-001 table 2-61: enable, umask, event.
rd=0x00400304 wr=0x00400c04 all=0x00400f04 rd_reg=0x00400104 underfill=0x00400204 thresh=0x01400304
poke() { "$POKE" "$S" w "$@"; }
poke ff:10.0 0xd8 $rd
poke ff:10.0 0xdc $wr
poke ff:10.1 0xd8 $all
poke ff:10.1 0xe4 $rd
poke ff:10.4 0xd8 $rd_reg
poke ff:10.4 0xdc $underfill
poke ff:10.4 0xe0 $wr
poke ff:10.5 0xd8 $thresh
poke ff:10.5 0xf0 0x00400000
poke ff:10.5 0xdc 0x00000c04 # programmed, as perf leaves it, and not enabled
poke 7f:10.0 0xd8 $wr

# ---- mem ----
# sample ARGUMENTS...: with the truth around it, and the trace of it.
sample() {
	"$POKE" "$S" truth >"$T/before"
	run "$U" --machine "$S" --trace "$T/trace" "$@" --format csv
	"$POKE" "$S" truth >"$T/after"
}
# of ADDRESS COLUMN
of() { awk -F, -v pci="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["pci"] == pci { print $c[name] }' "$T/out"; }
# truth ADDRESS r|w: bytes per second
truth() { paste "$T/before" "$T/after" | awk -v pci="$1" -v f="$([ "$2" = r ] && echo 5 || echo 6)" \
	'$3 == pci { print ($(f + 6) - $f) * 1e9 / ($10 - $4) }'; }

sample mem -n 1 --observe
is "mem --observe succeeds" "$rc" 0
for pci in 0000:ff:10.0 0000:ff:10.1 0000:ff:10.4; do
	check "the reads that another program counts in $pci are the truth" near "$(of $pci read_bytes_per_s)" "$(truth $pci r)" 0.02
	check "and the writes" near "$(of $pci write_bytes_per_s)" "$(truth $pci w)" 0.02
	is "without a flag" "$(of $pci flags)" simulated
done
is "clocks are no bytes" "$(of 0000:ff:10.5 read_bytes),$(of 0000:ff:10.5 write_bytes)" ,
is "and that is said" "$(of 0000:ff:10.5 flags)" "unprogrammed;simulated"
is "where only writes are counted, reads have no value" "$(of 0000:7f:10.0 read_bytes)" ""
check "but writes" near "$(of 0000:7f:10.0 write_bytes_per_s)" "$(truth 0000:7f:10.0 w)" 0.02
is "nor have they where no program counts anything" "$(of 0000:7f:10.5 read_bytes),$(of 0000:7f:10.5 flags)" ",unprogrammed;simulated"
check "registers were read" grep -q ' rblk ' "$T/trace"
is "and not one was written" "$(grep -c ' w[0-9b]' "$T/trace")" 0
run "$U" --machine "$S" --observe mem -n 1 --per socket --format csv
is "a sum over such is partial" "$(column flags | sort -u)" "partial;simulated"
check "and has what there is" [ "$(column read_bytes | tail -1)" -gt 1000 ]

# ---- stat ----
run "$U" --machine "$S" --trace "$T/trace" stat --observe -n 1 --format csv
is "stat --observe has its header" "$(head -1 "$T/out")" \
	time_ns,interval_ns,socket,imc,channel,pci,counter,event,count,value,unit,flags,uncertainty_percent,box,value_per_s
is "each of its columns stands in the page" "$(head -1 "$T/out" | tr , '\n' | while read -r word; do
	awk '/^\.Sh/ { on = /OUTPUT/ } on' src/cli/uncorectl.8 | grep '^\.\(It \)\{0,1\}Cm' | grep -qw "$word" || echo "$word"
done)" ""
is "every counter that is enabled is a row, decoded" "$(sed 1d "$T/out" | cut -d, -f6-8)" "0000:7f:10.0,CTL[0],cas_count.wr
0000:ff:10.0,CTL[0],cas_count.rd
0000:ff:10.0,CTL[1],cas_count.wr
0000:ff:10.1,CTL[0],cas_count.all
0000:ff:10.1,CTL[3],cas_count.rd
0000:ff:10.4,CTL[0],cas_count.rd_reg
0000:ff:10.4,CTL[1],cas_count.rd_underfill
0000:ff:10.4,CTL[2],cas_count.wr
0000:ff:10.5,CTL[0],cas_count.rd:thresh=1
0000:ff:10.5,FIXED_CTL[0],dclk"
is "the clock is that of DDR3-1600" "$(awk -F, '$8 == "dclk" { printf "%.0f", $9 * 1e3 / $2 }' "$T/out")" 800
is "not one register was written" "$(grep -c ' w[0-9b]' "$T/trace")" 0
run "$U" --machine "$S" stat --observe -n 1 --box 'socket1.imc0.ch3'
has "the table has counters and events" "$out" "CTL[0]        cas_count.rd:thresh=1"
run "$U" --machine "$S" stat --observe -n 1 -e cas_count.rd --box 'socket1.*' --format csv
is "an event by its name is where another process counts it" "$(awk -F, 'NR > 1 { print $6, $8 != "", $13 }' "$T/out")" \
	"0000:ff:10.0 1 simulated
0000:ff:10.1 1 simulated
0000:ff:10.4 0 unprogrammed;simulated
0000:ff:10.5 0 unprogrammed;simulated"
sample stat --observe -n 1 -m total_bandwidth --box 'socket1.imc0.ch0'
check "a metric of such counts is the truth" near "$(column value)" \
	"$(echo "$(truth 0000:ff:10.0 r) $(truth 0000:ff:10.0 w)" | awk '{ print $1 + $2 }')" 0.02
run "$U" --machine "$S" stat --observe -n 1 -m total_bandwidth --box 'socket0.imc0.ch0' --format csv
is "and none where one is missing" "$(column value),$(column flags)" ",unprogrammed;simulated"

# ---- list, reg ----
run "$U" --machine "$S" list
has "list tells what is counted" "$out" "CTL[0] at 0xd8 = 0x01400304 cas_count.rd:thresh=1, FIXED_CTL[0] at 0xf0 = 0x00400000 dclk"
lacks "and nothing that is not enabled" "$out" "not enabled"
run "$U" --machine "$S" list --observe
has "but --observe does" "$out" "CTL[1] at 0xdc = 0x00000c04 cas_count.wr (not enabled)"
run "$U" --machine "$S" reg get --observe 'socket1.imc0.ch0.CTL[0].en' --format csv
is "reg get reads" "$rc" 0
before=$("$POKE" "$S" r ff:10.0 0xe0)
for machine in "--observe --machine $S" "--machine $S"; do
	case $machine in --obs*) here='' ;; *) here=--observe ;; esac
	# shellcheck disable=SC2086 # words
	refused "reg set --write is not permitted with ${here:-the global option}" 4 "--observe writes no register" \
		"$U" $machine reg set 'socket1.imc0.ch0.CTL[2]=0x304' --write $here
	# shellcheck disable=SC2086
	refused "nor is reg raw" 4 "--observe writes no register" \
		"$U" $machine reg raw pci ff:10.0 0x90 1 --write --unmapped $here
done
refused "and nothing is put back" 4 "recover --dry-run" "$U" --observe --machine "$S" recover
is "nothing was written" "$("$POKE" "$S" r ff:10.0 0xe0)" "$before"

# ---- what makes no sense ----
refused "llc cannot only look" 2 "IA32_QM_EVTSEL" "$U" --machine sim:bdx llc --observe
refused "nor with the option in front" 2 "IA32_QM_EVTSEL" "$U" --machine sim:bdx --observe llc
refused "--dry-run has nothing to show" 2 "--dry-run" "$U" --machine "$S" --dry-run --observe mem
refused "likewise behind the command" 2 "--dry-run" "$U" --machine "$S" --dry-run mem --observe
refused "--freeze writes" 2 "--freeze needs a register to be written" "$U" --machine "$S" mem --observe --freeze
refused "--force writes" 2 "--force needs" "$U" --machine "$S" --observe stat -e dclk --force
refused "a set stops its box" 2 "braces" "$U" --machine "$S" stat --observe -e '{cas_count.rd,cas_count.wr}'
refused "counters by themselves are not summed up" 2 "no --per" "$U" --machine "$S" stat --observe --per socket
refused "nor explained" 2 "no --explain" "$U" --machine "$S" stat --observe --explain
for command in mem stat "stat -e cas_count.rd"; do
	# shellcheck disable=SC2086
	refused "where no process counts, $command says so" 3 "no program counts" \
		"$U" --machine sim:snbep,sockets=1,clock=step $command --observe -n 1
done

# ---- a record ----
run "$U" --machine "$S" --observe record "$T/r.rec" -- mem -n 2 --format csv
is "it is recorded" "$rc" 0
cp "$T/out" "$T/recorded"
run "$U" --machine "replay:$T/r.rec"
is "and replayed, with the option in front" "$rc $(cmp "$T/out" "$T/recorded" 2>&1)" "0 "
run "$U" --machine "$S" record "$T/r.rec" -- stat --observe -n 2 --format csv
cp "$T/out" "$T/recorded"
run "$U" --machine "replay:$T/r.rec"
is "and with that of the command" "$rc $(cmp "$T/out" "$T/recorded" 2>&1)" "0 "
is "no rule of the manual was broken" "$("$POKE" "$S" violations | head -1)" 0

# ---- one that counts, and one that watches it ----
L=sim:snbep,sockets=1,state=$T/live
: >"$T/theirs"
: >"$T/seen"
has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; } # FILE LINES
# begun FILE: until it has two records.
begun() { until_ has_lines "$1" 3; }
"$U" --machine "$L" --state "$T/journal" stat -e cas_count.rd,cas_count.wr -i 0.1 --format csv -o "$T/theirs" 2>"$T/theirs.err" &
theirs=$!
begun "$T/theirs"
run "$U" --machine "$L" --trace "$T/trace" mem --observe -i 0.3 -n 2 --format csv
cp "$T/out" "$T/mine"
is "who watches another uncorectl succeeds" "$rc" 0
is "and sees each of its channels" "$(sed 1d "$T/mine" | wc -l)" 8
is "writes nothing" "$(grep -c ' w[0-9b]' "$T/trace")" 0
kill "$theirs"
over "$theirs"
is "and disturbs no process" "$(awk -F, 'NR > 1 && $13 != "simulated" && $13 != "late;simulated" { print $13 }' "$T/theirs")" ""
# Rates of a machine whose load is constant, both measured.
for channel in 0 1 2 3; do
	check "both have the same bandwidth in channel $channel" near \
		"$(awk -F, -v c=$channel 'NR > 1 && $5 == c && $7 != "" { s += $9; n++ } END { printf "%.0f", s / n }' "$T/mine")" \
		"$(awk -F, -v c=$channel 'NR > 1 && $5 == c && $7 == "cas_count.rd" { s += $11 * 1e9 / $2; n++ } END { printf "%.0f", s / n }' "$T/theirs")" 1
done

# ---- another process changes it, while it is watched ----
poke_live() { "$POKE" "$L" w "$@"; }
poke_live ff:10.0 0xd8 $rd
"$U" --machine "$L" stat --observe -i 0.2 -n 12 --format csv >"$T/seen" 2>/dev/null &
mine=$!
begun "$T/seen"
poke_live ff:10.0 0xd8 $wr
over "$mine"
is "another event in a counter is changed, then counted" "$(sed 1d "$T/seen" | cut -d, -f7,8,12 | sed 's/late;//' | uniq)" \
	"CTL[0],cas_count.rd,simulated
CTL[0],cas_count.wr,changed;simulated
CTL[0],cas_count.wr,simulated"
poke_live ff:10.0 0xd8 $rd
"$POKE" "$L" c ff:10.0 0 0xfffffff00000
run "$U" --machine "$L" mem --observe -n 2 -i 0.2 --format csv
is "a counter that wraps counts on" "$(awk -F, '$6 == "0000:ff:10.0" && $7 > 0 && $7 < 1e10' "$T/out" | wc -l)" 2
