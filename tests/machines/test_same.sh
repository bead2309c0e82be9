# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The same machine in the process (sim:) and mounted (root:): the same figures and the same accesses, where time stands still.
. tests/lib.sh
. tests/mounted.sh

without_time() { sed 's/^[0-9]* //' "$1"; }

# same STATUS MACHINE COMMAND...: run on both, each freshly started.
same() {
	status=$1 machine=$2
	shift 2
	# All that is mounted here has one identity, to which what the one before could not put back is still to be done.
	rm -rf "$UNCORECTL_STATE"
	run "$U" --machine "$machine" --trace "$T/sim.trace" "$@" --format csv -o "$T/sim.csv"
	is "$machine: $*" "$rc" "$status"
	mount_machine "$machine" || not_ok "$machine is mounted" "$(cat "$T/server")"
	run "$U" --machine "root:$mnt" --trace "$T/root.trace" "$@" --format csv -o "$T/root.csv"
	is "the same on its files" "$rc" "$status"
	unmount
	[ "$status" != 0 ] || check "there are figures" [ "$(wc -l <"$T/sim.csv")" -gt 1 ]
	is "they are the same" "$(diff "$T/sim.csv" "$T/root.csv")" ""
	check "there are accesses" [ -s "$T/sim.trace" ]
	without_time "$T/sim.trace" >"$T/a"
	without_time "$T/root.trace" >"$T/b"
	is "they are the same but for their times" "$(diff "$T/a" "$T/b")" ""
	case $machine in *:short) return ;; esac # to who transfers half it is no failure
	at_addresses "$T/sim.trace" >"$T/a"
	at_addresses "$T/log" >"$T/b"
	is "and the server saw the same" "$(diff "$T/a" "$T/b")" ""
}

if ! mount_machine sim:snbep,clock=step; then
	unmount
	skip "a mounted machine gives the figures of one in the process" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
unmount

same 0 sim:snbep,sockets=2,clock=step mem -i 0.25 -n 4
same 0 sim:snbep,sockets=1,clock=step,frz_en=rw mem -i 0.25 -n 4 --freeze
same 0 sim:snbep,sockets=4,clock=step,dword_ns=200,hide=bf:10.1 mem -i 1.5 -n 3 --per socket
same 0 sim:snbep,sockets=1,clock=step reg dump
# Other generations, where the socket is told in another way.
same 0 sim:ivt,sockets=2,clock=step mem -i 0.25 -n 2
same 0 sim:bdxde,clock=step mem -i 0.25 -n 2
same 0 sim:skx,sockets=4,clock=step,domains=2 mem -i 0.25 -n 2
same 0 sim:clx,sockets=2,clock=step,hide=3a:0a.2 mem -i 0.25 -n 2
same 0 sim:cpx,sockets=1,clock=step mem -i 0.25 -n 2
# Sets, turns, metrics, and registers by name, those of MSRs too.
same 0 sim:skx,sockets=2,clock=step stat -i 0.25 -n 2 -e '{cas_count.rd,cas_count.wr,dclk}'
same 0 sim:hsx,sockets=1,clock=step stat -i 0.25 -n 2 -e act_count.rd,act_count.wr,pre_count.rd,pre_count.wr,cas_count.rd -m page_hit
same 0 sim:bdx,sockets=2,clock=step reg get '*.CTL' '*.CPUNODEID.node' '*.GLOBAL_*'
same 0 sim:ivt,sockets=1,clock=step reg set 'socket0.imc?.ch0.CTL[2]=0x400304' 'socket0.global.GLOBAL_CTL.pmi_core_sel=1' --write --for 0.1

# What goes wrong, goes wrong at the same access, with the same effect.
same 4 sim:snbep,sockets=1,clock=step,lockdown=1 mem -i 0.25 -n 2
same 1 sim:snbep,sockets=1,clock=step,fail=25:EIO:forever mem -i 0.25 -n 2
same 1 sim:snbep,sockets=1,clock=step,vanish=ff:10.0@0.3 mem -i 0.25 -n 4
# (After a read that came back short the files are asked for more, to tell why: time must not tell that.)
for how in EPERM ENXIO short ones drop; do
	for nth in 2 14 27 45; do # looking for boxes, start, sampling
		machine=sim:snbep,sockets=1,clock=step,dword_ns=0,fail=$nth:$how
		"$U" --machine "$machine" mem -i 0.25 -n 2 >/dev/null 2>&1
		same $? "$machine" mem -i 0.25 -n 2
	done
done
