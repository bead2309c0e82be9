# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What uncorectl-output(5) promises: the names of version 1, the header, one box everywhere, and the options that choose what is shown.
. tests/lib.sh

S=sim:bdx,sockets=2,clock=step
# Of version 1, kept: nothing of it may go, and in CSV nothing of it moves.
mem=time_ns,interval_ns,socket,imc,channel,pci,read_bytes,write_bytes,read_bytes_per_s,write_bytes_per_s,read_count,write_count,flags,uncertainty_percent
stat=time_ns,interval_ns,socket,imc,channel,pci,event,count,enabled_ns,running_ns,value,unit,flags,uncertainty_percent,value_uncertainty
llc=time_ns,interval_ns,group,cpus,l3,rmid,occupancy_bytes,occupancy_status,mbm_total_bytes,mbm_total_bytes_per_s,mbm_total_status,mbm_local_bytes,mbm_local_bytes_per_s,mbm_local_status,mbm_remote_bytes,mbm_remote_uncertainty_bytes,l3_share,occupancy_raw,mbm_total_raw,mbm_local_raw,rmid_found,flags,uncertainty_percent
pmem=pmem_read_bytes,pmem_write_bytes,pmem_read_bytes_per_s,pmem_write_bytes_per_s,pmem_read_count,pmem_write_count
names() { sed -n 2p "$T/out" | grep -o '"[a-z0-9_]*":' | tr -d '":' | paste -sd,; }
for of in "mem -n 1:$mem" "stat -e dclk -n 1:$stat" "llc -n 1:$llc"; do
	command=${of%%:*} v1=${of#*:}
	# shellcheck disable=SC2086 # words
	run "$U" --machine "$S" $command --format csv
	case "$(head -1 "$T/out")" in "$v1",*) ok "$command has the columns of version 1 in their places" ;; *) not_ok "$command has the columns of version 1 in their places" "$(head -1 "$T/out")" ;; esac
	header=$(head -1 "$T/out")
	# shellcheck disable=SC2086
	run "$U" --machine "$S" $command --format jsonl
	is "$command has the same names in JSON" "$(names)" "record,$header"
	has "$command begins with a header" "$(head -1 "$T/out")" '{"record":"header","contract":2,"program":"uncorectl","version":"'
	has "which names the part" "$(head -1 "$T/out")" '"part":"Broadwell-EP"'
done
run "$U" --machine "sim:icx,sockets=1,clock=step,pmem=socket0.imc1.ch1" mem -n 1 --format csv
is "columns of Optane modules are before the flags" "$(head -1 "$T/out" | cut -d, -f13-19)" "$pmem,flags"
run "$U" --machine "sim:sprhbm,sockets=1,clock=step" mem -n 1 --format csv
is "and that of the kind of memory behind them" "$(head -1 "$T/out" | cut -d, -f13-15)" "flags,uncertainty_percent,memory"
run "$U" --machine "sim:zen2,sockets=1,clock=step" mem -n 1 --format csv
is "and those of both directions" "$(head -1 "$T/out" | cut -d, -f13-16)" "total_bytes,total_bytes_per_s,total_count,flags"

# ---- the place ----
run "$U" --machine "$S" mem -n 1 --per all --format csv
is "--per all has each level" "$(column box | grep -v '[.]ch')" "socket0
socket0.imc0
socket0.imc1
socket1
socket1.imc0
socket1.imc1
machine"
is "and every channel" "$(column box | grep -c '[.]ch')" 8
for per in channel:8 imc:4 socket:2 machine:1 all:15; do
	run "$U" --machine "$S" stat -e dclk -n 1 --per "${per%:*}" --format csv
	is "--per ${per%:*} of stat: so many records" "$(sed 1d "$T/out" | wc -l)" "${per#*:}"
	run "$U" --machine "$S" mem -n 1 --per "${per%:*}" --format csv
	is "and of mem" "$(sed 1d "$T/out" | wc -l)" "${per#*:}"
done
nodes() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { print $at["box"], $at["socket"], $at["node"] }' "$T/out" | paste -sd ' '; }
run "$U" --machine "$S" mem -n 1 --per node --format csv
is "--per node: of a socket that is one" "$(nodes)" "node0 0 0 node1 1 1"
is "what its socket has" "$(column read_count | paste -sd ' ')" "$("$U" --machine "$S" mem -n 1 --per socket --format csv 2>/dev/null | sed 1d | cut -d, -f11 | paste -sd ' ')"
run "$U" --machine sim:zen1,clock=step mem -n 1 --per node --format csv
is "AMD: of each die of a socket, whose channels are its own" "$(nodes)" "node0 0 0 node1 0 1 node2 0 2 node3 0 3 node4 1 4 node5 1 5 node6 1 6 node7 1 7"
check "which are its two" near "$(column total_bytes_per_s | head -1)" 12050000000 0.001
run "$U" --machine sim:zen1,clock=step mem -n 1 --per node
is "a table has them and their sum" "$(sed 1,2d "$T/out" | cut -c1-6 | grep . | paste -sd ,)" "node 0,node 1,node 2,node 3,node 4,node 5,node 6,node 7,total "
run "$U" --machine sim:zen2,clock=step stat --block df -e dram_data.ch0 -n 1 --per node --format csv
is "as stat has those of data fabrics" "$(nodes)" "node0 0 0 node1 1 1"
refused "sub-NUMA clusters: which controllers are of which is not known" 3 "several NUMA nodes, 0 and 1" "$U" --machine sim:icx,snc=2,clock=step mem -n 1 --per node
refused "nor is that of HBM" 3 "socket0.hbm0.ch0: memory in the package may be a NUMA node of its own" "$U" --machine sim:sprhbm,clock=step mem -n 1 --per node
run "$U" --machine sim:sprhbm,clock=step mem -n 1 --per node --box 'socket*.imc*' --format csv
is "but that of its DIMMs" "$(nodes)" "node0 0 0"
lacks "other records have no such column" "$("$U" --machine "$S" mem -n 1 --format csv 2>/dev/null | head -1)" node
refused "what belongs to no controller has none" 2 "--per imc: of --block df" "$U" --machine sim:zen2,clock=step stat --block df -e dram_data.ch0 -n 1 --per imc
run "$U" --machine "$S" mem -n 1 --box 'socket1.*' --per machine --format csv
is "--box of mem" "$(column read_bytes_per_s | cut -c1-3)" 180
run "$U" --machine "$S" llc -n 1 --box '*.l3-1' --format csv
is "--box of llc" "$(awk -F, 'NR > 1 { print $3, $(NF - 2) }' "$T/out")" "l3-1 socket1.l3-1"
refused "--box of llc that is none" 3 "--box socket0.l3-7: no L3 of this machine has such a name; the nearest are socket0.l3-0, socket1.l3-1;" "$U" --machine "$S" llc -n 1 --box 'socket0.l3-7'
for of in mem "stat -e dclk" xcheck; do
	# shellcheck disable=SC2086 # words
	refused "$of: each name must be that of a box" 3 "--box socket0.imc0.ch7: no box of this machine has such a name; the nearest are socket0.imc0.ch0" \
		"$U" --machine "$S,perf=on" $of -n 1 --box 'socket1.*,socket0.imc0.ch7'
done
refused "check, too" 2 "the nearest are socket0.imc0.ch0" "$U" --machine "$S" check --box socket0.imc0.ch7
refused "and reg" 3 "the nearest are socket0.imc0.ch0" "$U" --machine "$S" reg dump socket0.imc0.ch7
run "$U" --machine "$S" llc -n 1 --group all=0-71 --format csv
has "a sum over sockets is of the machine" "$(tail -1 "$T/out")" ",machine,"

per() { "$U" --machine "$1" llc -n 1 --format csv --per "$2" ${3:+--group "$3"} ${4:+--group "$4"} >"$T/out" 2>"$T/err"; column box | paste -sd ' '; }
Z=sim:zen2,sockets=2,cores=16,threads=1,l3s=2,clock=step
is "--per of llc: l3" "$(per $Z l3 a=0-8 b=16-24)" "socket0.l3-0 socket0.l3-1 socket1.l3-2 socket1.l3-3"
is "group: one of several L3s is a sum" "$(per $Z group a=0-8 b=16-17) $(column group | paste -sd ' ')" "socket0 socket1.l3-2 a b"
is "which is that of its rows" "$(column mbm_total_bytes | head -1)" "$("$U" --machine $Z llc -n 1 --format csv --group a=0-8 --group b=16-17 2>/dev/null | sed -n 4p | cut -d, -f9)"
is "socket" "$(per $Z socket)" "socket0 socket1"
is "whose bytes are those of its L3s" "$(column mbm_total_bytes | head -1)" "$(per $Z l3 >/dev/null; column mbm_total_bytes | head -2 | awk '{ s += $1 } END { printf "%.0f", s }')"
is "machine" "$(per $Z machine)" machine
is "all: each of them" "$(per $Z all)" "socket0.l3-0 socket0.l3-1 socket1.l3-2 socket1.l3-3 socket0 socket1 machine"
is "a sum has flags that say so, no group, and all of the L3s" "$(column flags | tail -1) $(column group | tail -1) $(column l3_share | awk '{ a[NR] = $1 } END { d = (a[1] + a[2] + a[3] + a[4]) / 4 - a[7]; print (d < 2e-6 && d > -2e-6) }')" "sum;simulated  1"
run "$U" --machine $Z llc -n 1 --per socket --box 'socket1.l3-3' --format csv
is "of the L3s that --box leaves" "$(column box) $(column occupancy_bytes)" "socket1 $("$U" --machine $Z llc -n 1 --box 'socket1.l3-3' --format csv 2>/dev/null | sed 1d | cut -d, -f7)"
run "$U" --machine $Z llc -n 1 --per machine --all-rmids --format csv
is "and of all RMIDs, without any group" "$(column box) $(column rmid)" "machine "

# ---- order ----
run "$U" --machine "$S" mem -n 2 --sort write_bytes_per_s --top 2 --format csv
is "--sort and --top are of each sample" "$(column box | paste -sd ' ')" "socket1.imc1.ch1 socket1.imc0.ch1 socket1.imc1.ch1 socket1.imc0.ch1"
run "$U" --machine "$S" mem -n 1 --sort write_bytes_per_s --top 2
is "a table has their names, without sums" "$(sed -n '3,4p' "$T/out" | cut -d' ' -f1 | paste -sd ' ')" "socket1.imc1.ch1 socket1.imc0.ch1"
has "and how many more there are" "$out" "(6 more)"
run "$U" --machine "$S,perf=on" xcheck -n 1 --sort box --top 1 --format csv
is "texts are sorted by the alphabet" "$(column box)" "socket0.imc0.ch0"
run "$U" --machine "$S" mem -n 1 --sort total_bytes_per_s --top 1 --format csv
is "the total of both directions sorts, also where only a table shows it" "$(column box)" socket1.imc1.ch1
refused "a column that others have is refused" 2 "mem: --sort pmem_read_bytes: on this machine there is no such column" "$U" --machine "$S" mem --sort pmem_read_bytes
refused "a column that is none has a nearest" 2 "mem: --sort read_byte: there is no such column; the nearest are read_bytes, read_bytes_per_s" "$U" --machine "$S" mem --sort read_byte
refused "--top of nothing" 2 "not a number above 0" "$U" --machine "$S" mem --top 0

refused "xcheck has no bytes for --unit" 2 "there is no option --unit" "$U" --machine "$S,perf=on" xcheck --unit GB

# ---- units ----
for unit in MB:4000.0 GB:4.000 MiB:3814.7 GiB:3.725; do
	run "$U" --machine "$S" mem -n 1 --unit "${unit%:*}"
	has "--unit ${unit%:*}" "$(grep imc0.ch0 "$T/out" | head -1)" " ${unit#*:} "
	has "is in the title" "$out" "Read ${unit%:*}/s"
done
run "$U" --machine "$S" stat -e cas_count.rd -n 1 --unit MiB --box '*0.imc0.ch0'
has "of bytes that were counted, too" "$out" " MiB  "
printf "format: uncorectl-load/1\nchannels:\n  socket*.imc0.ch*:\n    read: 1000000\n" >"$T/idle.yaml"
run "$U" --machine "sim:snbep,sockets=1,clock=step,load=$T/idle.yaml" mem -n 1
has "the unit is chosen by what could be moved, not by what is" "$out" "Read GB/s"
run "$U" --machine "sim:snbep,sockets=1,clock=step,load=$T/idle.yaml" mem -n 1 --peak 200MB/s
has "which --peak tells" "$out" "Read MB/s"
has "in the summary, too" "$err" "mean MB/s"
run "$U" --machine "$S" stat -e cas_count.rd -i 0.06 -n 1 --box '*0.imc0.ch0'
has "or the clock of a channel: its 19.2 GB/s may move more than a GB in 60 ms" "$out" " 0.240 GB  4.000 GB/s"
refused "a unit that is none" 2 "there are auto, MB, GB, MiB and GiB" "$U" --machine "$S" mem --unit TB

# ---- the header in CSV, numbers above 2^53, time ----
run "$U" --machine "$S" mem -n 1 --header --format csv
has "--header: comments" "$out" '# part: "Broadwell-EP"'
is "before the names" "$(grep -v '^#' "$T/out" | head -1 | cut -d, -f1)" time_ns
lacks "a table has none" "$("$U" --machine "$S" mem -n 1 --header 2>/dev/null)" "#"
run "$U" --machine "$S" mem -n 1 --format jsonl --big text
has "--big text: integers above 2^53 are texts" "$(sed -n 2p "$T/out")" '"time_ns":"15778368'
has "and no others" "$(sed -n 2p "$T/out")" '"socket":0,'
is "the time of a table has its zone" "$(TZ=XST-3 "$U" --machine "$S" mem -n 1 2>/dev/null | head -1 | cut -d' ' -f1)" "2020-01-01T03:00:01+03:00"
is "or is that of UTC" "$(TZ=XST-3 "$U" --machine "$S" mem -n 1 --utc 2>/dev/null | head -1 | cut -d' ' -f1)" "2020-01-01T00:00:01Z"
is "so is that of a header" "$(TZ=XST+3:30 "$U" --machine "$S" mem -n 1 --format jsonl 2>/dev/null | head -1 | grep -o '"time":"[^"]*"')" '"time":"2019-12-31T20:30:00-03:30"'
# Names of files belong to a computer.
"$U" --machine "$S" mem -n 1 --format jsonl -o "$T/json" 2>/dev/null -- true
has "a header has the command without files and COMMAND" "$(head -1 "$T/json")" '"command":"mem -n 1 --format jsonl -- COMMAND"'
