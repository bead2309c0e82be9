# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Caches of the same machine in the process (sim:) and mounted (root:): the same topology, figures and accesses.
. tests/lib.sh
. tests/mounted.sh

without_name() { sed '/^machine  /d' "$1"; }
without_time() { sed 's/^[0-9]* //' "$1"; }

if ! mount_machine sim:icx,clock=step; then
	unmount
	skip "the caches of a mounted machine are those of one in the process" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
unmount

# Topology from the system's files on one side and from the model on the other; CPUID and registers on both.
for machine in sim:icx,sockets=2,snc=2,clock=step sim:zen2,offline=4,offline=130,clock=step sim:zen5,sockets=1,abmc=1,clock=step \
	sim:hsx,sockets=2,clock=step sim:snbep,clock=step; do
	"$U" --machine "$machine" list -v >"$T/sim.list" 2>"$T/err"
	is "$machine: list" $? 0
	mount_machine "$machine" || not_ok "$machine is mounted" "$(cat "$T/server")"
	"$U" --machine "root:$mnt" list -v >"$T/root.list" 2>"$T/err"
	is "of its files" $? 0
	unmount
	without_name "$T/sim.list" >"$T/a"
	without_name "$T/root.list" >"$T/b"
	is "it is the same" "$(diff "$T/a" "$T/b")" ""
	check "and tells of caches" grep -q "^cache" "$T/sim.list"
done

# same STATUS MACHINE OPTION...: llc on both, each freshly started.
same() {
	status=$1 machine=$2
	shift 2
	run "$U" --machine "$machine" --trace "$T/sim.trace" llc -i 0.25 -n 3 "$@" --format csv -o "$T/sim.csv"
	is "$machine: llc $*" "$rc" "$status"
	mount_machine "$machine" || not_ok "$machine is mounted" "$(cat "$T/server")"
	run "$U" --machine "root:$mnt" --trace "$T/root.trace" llc -i 0.25 -n 3 "$@" --format csv -o "$T/root.csv"
	is "the same on its files" "$rc" "$status"
	unmount
	check "there are figures" [ "$(wc -l <"$T/sim.csv")" -gt 1 ]
	is "they are the same" "$(diff "$T/sim.csv" "$T/root.csv")" ""
	without_time "$T/sim.trace" >"$T/a"
	without_time "$T/root.trace" >"$T/b"
	is "so are the accesses, but for their times" "$(diff "$T/a" "$T/b")" ""
	at_addresses "$T/sim.trace" >"$T/a"
	at_addresses "$T/log" >"$T/b"
	is "and the server saw the same" "$(diff "$T/a" "$T/b")" ""
}
same 0 sim:icx,sockets=2,clock=step
same 0 sim:icx,sockets=1,snc=2,clock=step --cpus 0-3
same 0 sim:zen2,sockets=1,clock=step --cpus 0-3 --group two=4,8
same 0 sim:bdx,sockets=2,clock=step,qm_scope=package,disturb=9:2 --cpus 0,1,20
same 0 sim:bdx,sockets=1,clock=step,qm=unavailable:alternate --cpus 5
