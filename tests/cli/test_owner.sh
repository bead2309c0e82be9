# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Who writes where: several programs at once on one machine, simulated and mounted.
. tests/lib.sh
. tests/mounted.sh

S=sim:snbep,sockets=1,state=$T/m
held=

begun() { [ "$(wc -l <"$out")" -ge 2 ] || is_gone "$last"; }
# hold NAME COMMAND...: runs it besides, until it has written something to $T/NAME.  Its id is in $last.
hold() {
	out=$T/$1
	shift
	: >"$out"
	"$@" -o "$out" --format csv 2>"$out.err" </dev/null &
	last=$!
	held="$held $last"
	until_ begun
}
release() { # ID: ends it as a signal does
	kill -TERM "$1"
	rc=0
	over "$1" || rc=$?
	is "the process that had it ends by its signal" "$rc" 143
}
finish() {
	# shellcheck disable=SC2086 # several
	[ -z "$held" ] || kill -KILL $held 2>/dev/null
	unmount
}
trap finish EXIT

# Names a box and whose it is.
whose() { # SENTENCE BOX PID COMMAND...
	sentence=$1 box=$2 owner=$3
	shift 3
	refused "$sentence: status 5, and the box" 5 "$box is in use by process $owner (" "$@"
}

# ---- channels ----

E=cas_count.rd
hold one "$U" --machine "$S" stat -e $E --box socket0.imc0.ch0 -i 0.05
one=$last
whose "a second program in the same channel" "socket0.imc0.ch0 (0000:ff:10.0)" "$one" "$U" --machine "$S" stat -e $E --box socket0.imc0.ch0 -n 1
has "and how it was called is told, without options before the command" "$err" "(uncorectl ... stat -e $E --box socket0.imc0.ch0 -i 0.05 "
has "and since when" "$err" "), since 20"
has "and what to do" "$err" "leave it out, or wait until that one ends"
hold two "$U" --machine "$S" stat -e $E --box socket0.imc0.ch1 -i 0.05
two=$last
check "a second in another channel counts" test "$(wc -l <"$T/two")" -ge 2
run "$U" --machine "$S" stat -e $E --box socket0.imc0.ch2 -i 0.05 -n 2 --format csv
is "and a third in a third" "$rc $(column flags | sort -u)" "0 simulated"
whose "a third in that of the second" "socket0.imc0.ch1 (0000:ff:10.1)" "$two" "$U" --machine "$S" stat -e $E --box socket0.imc0.ch1 -n 1
whose "a command that wants all channels is told the first that is not free" "socket0.imc0.ch0 (0000:ff:10.0)" "$one" \
	"$U" --machine "$S" mem -n 1
whose "a register of it is not set" "socket0.imc0.ch0 (0000:ff:10.0)" "$one" \
	"$U" --machine "$S" reg set 'socket0.imc0.ch0.CTL[0].en=1' --write --for 1
whose "nor one that no map names" "0000:ff:10.0" "$one" \
	"$U" --machine "$S" reg raw pci ff:10.0 0x84 0 --write --unmapped --for 1
whose "what would be done says so too" "socket0.imc0.ch0 (0000:ff:10.0)" "$one" \
	"$U" --machine "$S" --dry-run mem -n 1
run "$U" --machine "$S" --state "$T/elsewhere" stat --box socket0.imc0.ch0 -e cas_count.rd -n 1
is "with another --state folder it is still in use" "$rc" 5
has "by an unknown process" "$err" "socket0.imc0.ch0 (0000:ff:10.0) is in use: pci 0000:ff:10.0: another program writes there"
run "$U" --machine "$S" record "$T/claim" -- stat --box socket0.imc0.ch0 -e $E -n 1
is "a recorded run names no process" "$rc $(grep -v -e machine: -e note: "$T/err")" \
	"5 uncorectl: socket0.imc0.ch0 (0000:ff:10.0) is in use: pci 0000:ff:10.0: another program writes there that has FILE"
is "as the claim stands in the record" "$(grep '^claim' "$T/claim")" \
	"claim take 0000:ff:10.0 0x0 0 !busy EBUSY pci 0000:ff:10.0: another program writes there that has FILE"
cp "$T/err" "$T/recorded"
run "$U" --machine "replay:$T/claim" stat --box socket0.imc0.ch0 -e $E -n 1
is "a replay says the same" "$rc $(grep -v -e machine: "$T/err")" "5 $(grep -v -e machine: "$T/recorded")"
run "$U" --machine "$S" reg get 'socket0.imc0.ch0.CTL[3]'
is "looking is free" "$rc" 0
release "$two"
run "$U" --machine "$S" stat -e $E --box socket0.imc0.ch1 -i 0.05 -n 1
is "what is let go of is free" "$rc" 0

# A killed process holds nothing, whatever it left in the registers.
kill -KILL "$one"
over "$one"
run "$U" --machine "$S" --state "$T/elsewhere" stat --box socket0.imc0.ch0 -e cas_count.rd -i 0.05 -n 2 --format csv
is "a killed owner holds nothing" "$rc" 0
is "and what it left enabled is not touched" "$("$POKE" "$S" r ff:10.0 0xe4)" 0x00400304
run "$U" --machine "$S" recover
is "what the killed owner left can be put back" "$rc $("$POKE" "$S" r ff:10.0 0xe4)" "0 0x00000000"
rm -f "$T/m"

# ---- who else, where a control is enabled that no uncorectl has ----

mkdir -p "$T/files/sys/bus/pci/devices/0000:ff:10.0" "$T/files/sys/bus/event_source/devices/uncore_imc_0" \
	"$T/files/proc/812/fd" "$T/files/run"
ln -s ../../../bus/pci/drivers/snbep_uncore "$T/files/sys/bus/pci/devices/0000:ff:10.0/driver"
ln -s 'anon_inode:[perf_event]' "$T/files/proc/812/fd/7"
ln -s "$T" "$T/files/proc/812/fd/3"
echo '812 (perf) S 1 1 1 0 -1 4194304 0 0 0 0 5 6 7 8 20 0 1 0 4711 8192000 390 18446744073709551615' >"$T/files/proc/812/stat"
F=$S,files=$T/files
for off in 0xd8 0xdc 0xe0 0xe4; do
	"$POKE" "$S" w ff:10.0 $off 0x00400304
done
refused "four counters that others enabled: status 5" 5 \
	"no counter is free for cas_count.rd: CTL[3] at 0xe4 holds 0x00400304, enabled by another program" \
	"$U" --machine "$F" stat -e $E --box socket0.imc0.ch0 -n 1
has "and who has a driver there, with the evidence" "$err" \
	"driver snbep_uncore is bound to this function [/sys/bus/pci/devices/0000:ff:10.0/driver: leads to snbep_uncore]"
has "and who has perf events open" "$err" "process 812 (perf) has a perf event open; on which unit cannot be told, and 1 process was looked at [/proc/812/fd/7: anon_inode:[perf_event]]"
run "$U" --machine "$F" record "$T/rec" -- stat --box socket0.imc0.ch0 -e cas_count.rd -n 1
is "a recorded run says the same, with another number" "$rc $(grep -c 'process 1000000[0-9] (perf)' "$T/err")" "5 1"
cp "$T/err" "$T/recorded"
is "without what that process has open besides" "$(sed -n 's,^link /proc/1000000[0-9]/,link ,p' "$T/rec")" \
	"link fd/3 =
link fd/7 =anon_inode:[perf_event]"
run "$U" --machine "replay:$T/rec" stat --box socket0.imc0.ch0 -e cas_count.rd -n 1
is "a replay too" "$rc $(grep -v machine: "$T/err")" "5 $(grep -v machine: "$T/recorded")"
rm -f "$T/m"

# ---- a counter of ours that another process programs meanwhile ----

# Off, from 0, on, as perf does; to the very value, so that nothing but the counter tells of it.  No other program is found on that
# machine, so such a control is put back.
cat >"$T/anew" <<'END'
sleep 0.25
value=${2:-$("$POKE" "$S" r ff:10.0 "$CTL")}
"$POKE" "$S" anew ff:10.0 "$CTR" "$CTL" "$1" "$value"
sleep 0.25
END
export POKE S CTL CTR
taken() { # NAME CTL CTR VALUE-THEN FLAG COMMAND...
	name=$1 CTL=$2 CTR=$3 wanted=$4 flag=$5
	shift 5
	run "$U" --machine "$S" "$@"
	is "$name: it ends well" "$rc" 0
	check "$name: it is flagged $flag" grep -q "ff:10.0.*$flag" "$T/data"
	is "$name: it holds $wanted in the end" "$("$POKE" "$S" r ff:10.0 "$CTL")" "$wanted"
	rm -f "$T/m"
}
data="-i 0.1 --format csv -o $T/data"
# shellcheck disable=SC2086 # several words
{
	taken "stat, anew to the same" 0xe4 3 0x00000000 reset \
		stat --box socket0.imc0.ch0 -e $E $data -- sh "$T/anew" 0x304
	has "and what was seen is said" "$err" \
		"socket0.imc0.ch0: the counter of CTL[3] jumped by more than it can count"
	taken "stat, something else" 0xe4 3 0x00400104 stolen \
		stat --box socket0.imc0.ch0 -e $E $data -- sh "$T/anew" 0x304 0x00400104
	taken "mem, something else" 0xe4 3 0x00400104 stolen mem $data -- sh "$T/anew" 0x304 0x00400104
	taken "mem, anew to the same" 0xe4 3 0x00000000 reset mem $data -- sh "$T/anew" 0x304
}

# ---- caches ----

C=sim:hsx,sockets=2,cores=4,state=$T/c
hold mem "$U" --machine "$C" mem -i 0.05
mem=$last
hold llc "$U" --machine "$C" llc -i 0.05 --cpus 1
llc=$last
check "mem and llc go side by side" test "$(wc -l <"$T/llc")" -ge 2 -a "$(wc -l <"$T/mem")" -ge 2
whose "a second llc on that L3" "cpu0.rdt" "$llc" "$U" --machine "$C" llc -n 1 --cpus 2
whose "beside others or not" "cpu0.rdt" "$llc" "$U" --machine "$C" llc -n 1 --cpus 2 --shared
run "$U" --machine "$C" llc -n 1 -i 0.05 --cpus 4
is "but on the other it goes" "$rc" 0
whose "a CPU of it is given no RMID" "cpu3.rdt, whose L3 is that of cpu0," "$llc" \
	"$U" --machine "$C" reg set cpu3.rdt.PQR_ASSOC.rmid=5 --write --for 1
release "$llc"
hold set "$U" --machine "$C" reg set cpu3.rdt.PQR_ASSOC.rmid=5 --write --for 60
set=$last
whose "nor monitored while another process gives one RMIDs" "cpu0.rdt" "$set" "$U" --machine "$C" llc -n 1 --cpus 1
release "$set"
release "$mem"
is "all is as it was" "$("$POKE" "$C" m 3 0xc8f) $("$POKE" "$C" m 1 0xc8f)" "0x0000000000000000 0x0000000000000000"

# ---- the mounted machine: the code for real ones ----

if mount_machine sim:snbep,sockets=1; then
	R=root:$mnt
	hold one "$U" --machine "$R" stat -e $E --box socket0.imc0.ch0 -i 0.05
	one=$last
	whose "mounted: a second program in the same channel" "socket0.imc0.ch0 (0000:ff:10.0)" "$one" \
		"$U" --machine "$R" stat -e $E --box socket0.imc0.ch0 -n 1
	run "$U" --machine "$R" stat -e $E --box socket0.imc0.ch1 -i 0.05 -n 2
	is "mounted: another channel is free" "$rc" 0
	config=$mnt/sys/bus/pci/devices/0000:ff:10.0/config
	refused "mounted: with another --state folder the file is named" 5 \
		"another program holds a lock on $config, so it writes there; \`fuser -v $config\` tells" \
		"$U" --machine "$R" --state "$T/elsewhere" stat --box socket0.imc0.ch0 -e cas_count.rd -n 1
	if unshare -m true 2>/dev/null; then
		run unshare -m "$U" --machine "$R" --state "$T/elsewhere" stat --box socket0.imc0.ch0 -e cas_count.rd -n 1
		is "mounted: another mount namespace hides nothing" "$rc" 5
	else
		skip "mounted: another mount namespace hides nothing" "no mount namespaces here"
	fi
	kill -KILL "$one"
	over "$one"
	run "$U" --machine "$R" --state "$T/elsewhere" stat --box socket0.imc0.ch0 -e cas_count.rd -i 0.05 -n 2
	is "mounted: a killed owner holds nothing" "$rc" 0
	unmount
else
	skip "programs side by side on a mounted machine" "$(head -c 200 "$T/server")"
fi
