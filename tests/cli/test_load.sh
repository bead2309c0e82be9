# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Memory traffic: on this computer, of known volume at a known rate, by a process that ends; and told to a simulated machine.
# Runs alone, since rates on this computer are judged.
. tests/lib.sh

one=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//') # a CPU that we may run on
small="--cpu $one --size 1M"
# A number of the last record.
last() { column "$1" | tail -1; }
# of_socket SOCKET COLUMN: the sum over mem's records with that socket.
of_socket() { awk -F, -v s="$1" -v c="$2" 'NR > 1 && $3 == s { n += $c } END { printf "%.0f\n", n }' "$T/out"; }

# shellcheck disable=SC2086 # words
for kind in read write nt-write; do
	run "$U" load --$kind 100MB $small --time 0.4 --format csv
	is "--$kind is done" "$rc$err" 0
	is "--$kind: one record, of all" "$(column record)" summary
	is "--$kind: that is its kind" "$(column kind)" $kind
	case $kind in read) mine=loaded_bytes ;; write) mine=stored_bytes ;; *) mine=nt_stored_bytes ;; esac
	for what in loaded_bytes stored_bytes nt_stored_bytes; do
		if [ $what = $mine ]; then
			check "--$kind: $what is what was made" [ "$(last $what)" -gt 0 ]
		else
			is "--$kind: no $what" "$(last $what)" 0
		fi
	done
	is "--$kind: whole cache lines" "$(($(last $mine) % 64))" 0
	check "--$kind: the rate is that of these bytes in that time" \
		near "$(last bytes_per_s)" "$(awk -v b="$(last $mine)" -v t="$(last interval_ns)" 'BEGIN { printf "%.0f", b * 1e9 / t }')" 0.0001
	# Who else is busy may keep it from its CPU, so it is tried again then; too much is never made.
	: >"$T/rates"
	for _ in $(seq 30); do
		"$U" load --$kind 100MB $small --time 0.4 --format jsonl | sed 's/.*"bytes_per_s":\([0-9]*\).*/\1/' >>"$T/rates"
		near "$(tail -1 "$T/rates")" 100000000 1 && break
	done
	check "--$kind: the rate is kept within 1 %" near "$(tail -1 "$T/rates")" 100000000 1
	check "--$kind: it is never exceeded by more than 1 %" [ "$(sort -n "$T/rates" | tail -1)" -le 101000000 ]
done
# shellcheck disable=SC2086
{
	run "$U" load --read max $small --time 0.2 --format csv
	is "as fast as it goes" "$rc$(last wanted_bytes_per_s)" 0
	fast=$(last bytes_per_s)
	run "$U" load --read 100MB $small --time 0.2 --format csv
	check "that is faster than 100 MB/s" awk -v a="$fast" 'BEGIN { exit !(a > 1.5e8) }'
	is "the wanted rate is in the record" "$(last wanted_bytes_per_s)" 100000000
	# --time is how long, and no longer than starting takes besides.
	run "$U" load --read 10MB $small --time 0.5 --format csv
	check "--time is the time of the record" awk -v t="$(last interval_ns)" 'BEGIN { exit !(t >= 5e8 && t < 15e8) }'
	run "$U" load --read 1 $small --time 0.1 --format csv
	is "a rate of a byte per second: the first line, and no more" "$rc $(last loaded_bytes)" "0 64"
	run "$U" load --read 10MB $small --time 0.1 -o "$T/data" --format jsonl
	check "-o takes the data" grep -q '"record":"summary"' "$T/data"
	is "and none goes to stdout" "$out" ""
	run "$U" load --read 10MB --cpu "$one" --size 5000 --time 0.1 --format csv
	is "a size is rounded up to whole pages" "$(last size_bytes)" 8192
	run "$U" --trace "$T/trace" load --read 10MB $small --time 0.1
	is "no register is accessed" "$rc $(grep -cv '^#' "$T/trace")" "0 0"
}

# begin OPTION...: until its child has a thread at work.  Leaves them in pid and child.
begin() {
	"$U" load "$@" >"$T/out" 2>"$T/err" &
	pid=$!
	child=
	for _ in $(seq 500); do
		child=$(tr -d ' ' <"/proc/$pid/task/$pid/children")
		[ "$child" ] && [ "$(awk '/^Threads:/ { print $2 }' "/proc/$child/status" 2>/dev/null)" -ge 2 ] && break
		sleep 0.01
	done
	# It has a record only once its first look is taken, a moment later; on a busy machine, with sanitizers, that was too soon.
	sleep 0.3
}
# gone PID: within five seconds, or a zombie that its parent has not waited for
gone() {
	for _ in $(seq 500); do
		case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) in '' | Z | X) return 0 ;; esac
		sleep 0.01
	done
	return 1
}
# Started from here a background job ignores SIGINT, and so would it.
begin --read 10MB --cpu "$one" --size 1M --format csv
kill -TERM "$pid"
rc=0
over "$pid" || rc=$?
is "ended by a signal, it ends as by that signal" "$rc" 143
is "with its record" "$(sed 1d "$T/out" | cut -d, -f3)" summary
check "and its child" gone "$child"
run timeout --preserve-status -s INT 1.5 "$U" load --read 10MB --cpu "$one" --size 1M --format csv
is "Ctrl-C is how it ends without --time" "$rc$(column record)" 0summary
run timeout --preserve-status -s INT 1.5 "$U" load --read 10MB --cpu "$one" --size 1M --time 100 --format csv
is "with --time, that is cut short" "$rc$(column record)" 130summary

begin --read 10MB --cpu "$one" --size 1M
if grep -q '^Seccomp:' "/proc/$child/status" && "$U" --help | grep -q '^  --no-sandbox'; then
	is "the child's system calls are filtered" "$(awk '/^Seccomp:/ { print $2 }' "/proc/$child/status")" 2
else
	skip "the child's system calls are filtered" "built without a filter"
fi
is "the child has no capability" "$(awk '/^Cap(Eff|Prm|Inh)/ { print $2 }' "/proc/$child/status" | sort -u)" 0000000000000000
kill -KILL "$child"
rc=0
over "$pid" || rc=$?
is "a child that is killed ends it" "$rc" 1
has "and that is said" "$(cat "$T/err")" "was ended by signal 9"
begin --read 10MB --cpu "$one" --size 1M
kill -KILL "$pid"
over "$pid"
check "a child does not outlive its parent" gone "$child"

# What cannot be.
refused "which traffic must be said" 2 "which traffic?" "$U" load
refused "one at a time" 2 "one of them at a time" "$U" load --read max --write max
refused "a rate of nothing" 2 "not a number of bytes per second above 0" "$U" load --read 0
refused "a rate that is none" 2 "--nt-write fast" "$U" load --nt-write fast
refused "a size of nothing" 2 "a buffer has 4096 bytes at least" "$U" load --read max --size 0
refused "a size that is none" 2 "--size many" "$U" load --read max --size many
refused "too large a size" 2 "to spare" "$U" load --read max --cpu "$one" --size 900T
refused "a time of nothing" 2 "--time 0" "$U" load --read max --time 0
refused "CPUs that are none" 2 "not a list of CPUs" "$U" load --read max --cpu 1-
refused "a CPU that is not there" 3 "cpu 60000: there is none of that number online" "$U" load --read max --cpu 60000
refused "a node that is not there" 3 "node 999" "$U" load --read max --node 999
refused "a node that is not there, with a CPU" 3 "node 999: this computer has no such NUMA node" "$U" load --read max --node 999 --cpu "$one"
refused "a node that is none" 2 "--node x" "$U" load --read max --node x
refused "an argument" 2 "it takes no argument" "$U" load --read max 17
# shellcheck disable=SC2086
{
	run "$U" record "$T/rec" -- load --read 20MB $small --time 0.2 --format jsonl
	cp "$T/out" "$T/recorded"
	is "it is recorded" "$rc$err" 0
	run "$U" --machine "replay:$T/rec"
	is "and replayed, to the byte" "$rc $(cmp "$T/out" "$T/recorded" 2>&1)" "0 "
}
other=$(taskset -cp $$ | sed 's/.*: //; s/.*[,-]//')
if [ "$one" != "$other" ]; then
	refused "a CPU on which we may not run" 4 "cpu $other: this process may not run there" \
		taskset -c "$one" "$U" load --read max --cpu "$other"
	run taskset -c "$other" "$U" load --read 1MB --size 1M --time 0.1 --format csv
	is "without --cpu, those on which we may run" "$rc $(last cpus)" "0 $other"
else
	skip "a CPU on which we may not run" "this computer has one"
fi
if [ "$(id -u)" = 0 ]; then
	# shellcheck disable=SC2086
	run setpriv --reuid=65534 --clear-groups "$U" load --read 10MB $small --time 0.1 --format csv
	is "no user needs to be root for it" "$rc$err" 0
else
	skip "no user needs to be root for it" "we are not"
fi

# A simulated machine counts it, for every command that looks at it.
S=sim:hsx,sockets=2,clock=step
run "$U" --machine $S load --nt-write 2GB --node 1 --cpu 18-21 --time 3 --format csv
is "a simulated machine makes it in its own time" "$(last interval_ns) $(last flags)" "3000000000 simulated"
check "as much as it was told" near "$(last nt_stored_bytes)" 6000000000 0.001
is "by the name of its node" "$(last box)" node1
is "each count of bytes has its rate beside it" "$(last loaded_bytes_per_s) $(last stored_bytes_per_s) $(last nt_stored_bytes_per_s)" "0 0 $(last bytes_per_s)"
run "$U" --machine $S load --read 2GB --node 1 --time 3 --format jsonl
has "without --cpu, on those of that node" "$out" '"cpus":"18-35,54-71"'
run "$U" --machine $S load --read 2GB --cpu 20 --time 3 --format csv
is "without --node, in the memory of theirs" "$(last node)" 1
refused "which must be one" 2 "several NUMA nodes, 0 and 1" "$U" --machine $S load --read 2GB --cpu 0,18 --time 1
refused "where time stands still it needs an end" 2 "stands still" "$U" --machine $S load --read 1GB
refused "nor is there any node of a simulated machine" 3 "node 7" "$U" --machine $S load --read 1GB --node 7 --time 1
run "$U" --machine "$S,fail=1" load --read 1GB --time 1 --format csv
is "of a simulated machine, too, no register is accessed" "$rc" 0
M=sim:hsx,sockets=2,state=$T/state
"$U" --machine "$M" mem -n 1 -i 0.4 --format csv >"$T/out" 2>"$T/err"
quiet_write=$(of_socket 1 10) quiet_read=$(of_socket 1 9)
"$U" --machine "$M" load --nt-write 3GB --node 1 --time 60 >"$T/load" 2>&1 &
pid=$!
for _ in $(seq 500); do
	"$U" --machine "$M" mem -n 1 -i 0.4 --format csv >"$T/out" 2>"$T/err"
	[ "$(of_socket 1 10)" -gt "$((quiet_write + 2970000000))" ] && break
done
check "mem sees what is stored, on the channels of that node" near "$(($(of_socket 1 10) - quiet_write))" 3000000000 1
check "non-temporal stores read nothing" near "$(of_socket 1 9)" "$quiet_read" 1
kill -TERM $pid
over $pid
"$U" --machine "$M" mem -n 1 -i 0.4 --format csv >"$T/out" 2>"$T/err"
check "when it has ended, that is over" near "$(of_socket 1 10)" "$quiet_write" 1

# A mounted one, through its file.
. tests/mounted.sh
if mount_machine sim:snbep,sockets=2,clock=step; then
	run "$U" --machine "root:$mnt" load --write 1GB --node 1 --time 2 --format csv
	is "a mounted machine makes it" "$rc" 0
	check "as much as it was told" near "$(awk '/^stored/ { print $2 }' "$mnt/traffic")" 2000000000 0.001
	check "which is what the record says" grep -q ",$(awk '/^stored/ { print $2 }' "$mnt/traffic")," "$T/out"
	has "and has ended then" "$(cat "$mnt/traffic")" "running 0"
	refused "a CPU that it has not" 3 "5000" "$U" --machine "root:$mnt" load --write 1GB --cpu 5000 --node 1 --time 2
	unmount
else
	unmount
	skip "a mounted machine makes it" "no FUSE here: $(cat "$T/server")"
fi

# On a terminal, a record each second besides.
if command -v script >/dev/null; then
	script -qec "$U load --read 10MB --cpu $one --size 1M --time 2.4 --format csv" /dev/null >"$T/terminal" 2>"$T/err" </dev/null
	tr -d '\r' <"$T/terminal" >"$T/out"
	is "on a terminal there is a record each second, and the last is of all" "$(column record | uniq | paste -sd ' ')" "sample summary"
	check "none is of no time" [ "$(column interval_ns | sort -n | head -1)" -gt 1000000 ]
	# shellcheck disable=SC2016 # these are awk's
	check "and together no more than all" awk -F, 'NR > 1 { n[$3] += $9 } END { exit n["sample"] == 0 || n["sample"] > n["summary"] }' "$T/out"
else
	skip "on a terminal there is a record each second" "there is no script(1)"
fi
