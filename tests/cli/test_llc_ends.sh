# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# However uncorectl llc ends, CPUs have the RMIDs that they had, and their classes of service.
. tests/lib.sh

R=sim:bdx,sockets=1,state=$T/real
"$POKE" "$R" m 2 0xc8f 0x0000000300000000 # a class of service, which is another process's
"$POKE" "$R" m 0 0xc8d 0x0000000500000002 # and what another process selected last
registers() { for cpu in 2 3; do "$POKE" "$R" m $cpu 0xc8f; done | paste -sd ' '; "$POKE" "$R" m 0 0xc8d; }
found=$(registers)
as_found() { is "$1: RMIDs, classes of service and QM_EVTSEL are as they were" "$(registers)" "$found"; }
given() { [ "$("$POKE" "$R" m 2 0xc8f)" = 0x000000030000007f ]; }

for signal in INT:0 TERM:143 HUP:129 QUIT:131; do
	start "$U" --machine "$R" llc --cpus 2,3 -i 0.05 --format csv
	check "before SIG${signal%:*} a CPU carries an RMID, and its class of service" until_ given
	kill "-${signal%:*}" "$pid"
	ended "SIG${signal%:*}"
	is "SIG${signal%:*} ends it with its status" "$rc" "${signal#*:}"
	as_found "SIG${signal%:*}"
done
run timeout --preserve-status -s INT 0.3 "$U" --machine "$R" llc -n 1000 -i 0.05 --format csv
is "SIGINT before the last of -n samples is told apart" "$rc" 130
as_found "SIGINT before the last of -n samples"
run sh -c "'$U' --machine '$R' llc -i 0.01 --format csv | head -2 | wc -l; exit"
is "head gets its lines" "$out" 2
as_found "a reader that is gone"
run sh -c "'$U' --machine '$R' llc -n 1 -i 0.01 >/dev/full"
is "a full output is status 1" "$rc" 1
as_found "a full output"
run sh -c "'$U' --machine '$R' llc -n 1 -i 0.01 >&-"
has "a closed output is said before anything is touched" "$err" "standard output: closed"
is "and is status 1" "$rc" 1

# What is not there, or not permitted: told apart, and nothing is left behind.
for why in "lockdown=1:4:the kernel is locked down" "msr_writes=off:4:the msr driver filters writes" \
	"msr=absent:3:the msr driver is not loaded"; do
	key=${why%%:*} words=${why##*:} status=${why#*:}
	refused "$key is status ${status%%:*}" "${status%%:*}" "$words" "$U" --machine "$R,$key" llc -n 1 --cpus 2
	as_found "$key"
done

# Another process's monitoring, by what the operating system tells.
mkdir -p "$T/files/proc"
echo 'resctrl /sys/fs/resctrl resctrl rw,relatime 0 0' >"$T/files/proc/mounts"
refused "resctrl in use is status 5" 5 "resctrl is mounted" "$U" --machine "$R,files=$T/files" llc -n 1 --cpus 2
as_found "resctrl"
run "$U" --machine "$R,files=$T/files" llc -n 1 -i 0.01 --cpus 2 --shared
is "--shared goes on beside it" "$rc" 0
has "and says so" "$err" "note: resctrl is mounted"

# SIGKILL leaves RMIDs behind, which the next run sees: it takes others, and the CPUs are left alone until recover.
start "$U" --machine "$R" llc --cpus 2,3 -i 0.05
until_ given
kill -KILL $pid
over $pid
check "SIGKILL leaves the RMID" given
refused "RMIDs that were left are status 5, and the way out" 5 "cpus 2-3 carry RMID 127 already" "$U" --machine "$R" llc -n 1 --cpus 5
has "which is recover" "$err" "(uncorectl recover)"
refused "a CPU that was left is not taken, even so" 5 "cpu2.rdt: PQR_ASSOC: it was left changed by process $pid" \
	"$U" --machine "$R" llc -n 1 --cpus 2 --shared
check "and nothing was written" given
run "$U" --machine "$R" recover
is "recover puts them back" "$rc" 0
as_found "recover"

# RMIDs that others carry: with --shared it takes others.
"$POKE" "$R" m 2 0xc8f 0x000000030000007f
"$POKE" "$R" m 3 0xc8f 0x000000000000007f
refused "RMIDs in use are status 5, and who" 5 "cpus 2-3 carry RMID 127 already" "$U" --machine "$R" llc -n 1 --cpus 5
check "and nothing was written" given
way_out=$(sed -n 's/.*(uncorectl \(reg set .*\)), or go on .*/\1/p' "$T/err")
run "$U" --machine "$R" llc -n 1 -i 0.01 --cpus 5 --shared --format csv
is "--shared goes on" "$rc" 0
is "with another RMID" "$(column rmid)" 126
has "and says so" "$err" "note: L3 0: cpus 2-3 carry RMID 127 already"
run "$U" --machine "$R" llc -n 1 -i 0.01 --cpus 2 --shared --format csv
is "a CPU that had one" "$rc" 0
has "whose owner loses it is told" "$err" "1 CPU of the groups here carries another program's RMID"
check "gets it back" given
eval "run \"\$U\" --machine \"\$R\" $way_out"
is "the way out that was told takes them off" "$rc $("$POKE" "$R" m 2 0xc8f) $("$POKE" "$R" m 3 0xc8f)" \
	"0 0x0000000300000000 0x0000000000000000"
run "$U" --machine "$R" llc -n 1 -i 0.01 --cpus 5
is "and then nothing is in the way" "$rc" 0

# Every free RMID still owns cache, since no process moves anything that would take its place: RMIDs 36 to 71 had it.
cat >"$T/load" <<'END'
format: uncorectl-load/1
cpus:
  "0-35":
    occupancy: 1e6
    total:
      - {at: 0, rate: 1e9}
      - {at: 3, rate: 0}
      - {at: END, rate: 1e9}
END
sed s/END/7/ "$T/load" >"$T/load.yaml"
sed s/END/700/ "$T/load" >"$T/load.long.yaml" # a busy computer may take long in real time
# each FIRST: the writes that give CPU 0 that RMID, CPU 1 the next and so on
each() { for cpu in $(seq 0 35); do printf -- '-- m %d 0xc8f %d ' "$cpu" $(($1 + cpu)); done | sed 's/^-- //'; }
dirty() { # MACHINE
	# shellcheck disable=SC2046 # words
	"$POKE" "$1" $(each 36)
	"$POKE" "$1" step 3000000000 2>/dev/null || sleep 3
	# shellcheck disable=SC2046
	"$POKE" "$1" $(each 0)
}
D=sim:hsx,sockets=1,clock=step,load=$T/load.yaml,state=$T/dirty
dirty "$D"
run "$U" --machine "$D" llc --shared --no-wait -n 1 --cpus 0 --format csv
is "--no-wait takes a dirty one" "$rc $(column rmid)" "0 71"
has "and says so" "$err" "RMID 71 is taken as it is, and its occupancy begins with that"
run "$U" --machine "$D" llc --shared -n 1 --cpus 0 --format csv
is "without it, it waits for a clean one" "$rc" 0
check "until one is" [ "$(column time_ns)" -gt 1577836807000000000 ]
has "and says so" "$err" "waiting until one does not"
D=sim:hsx,sockets=1,load=$T/load.long.yaml,state=$T/dirty.real
dirty "$D"
start "$U" --machine "$D" llc --shared -n 1 --cpus 0
until_ grep -q "waiting until" "$T/err"
kill -TERM $pid
ended "waiting"
is "SIGTERM while it waits" "$rc" 143
is "and nothing else is said" "$(grep -cv -e machine: -e note: "$T/err")" 0
is "nor written" "$("$POKE" "$D" m 0 0xc8f)" 0x0000000000000000
