# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# However uncorectl mem ends, the control registers are as they were found.  tests/faults ends it at every moment besides.
. tests/lib.sh

R=sim:snbep,sockets=1,state=$T/real
controls() { for off in 0xd8 0xdc 0xe0 0xe4 0xf0; do "$POKE" "$R" r ff:10.0 $off; done | tr '\n' ' '; }
"$POKE" "$R" w ff:10.0 0xe4 0x01000004 # another process's, left behind
found=$(controls)
as_found() { is "$1: the controls are as they were" "$(controls)" "$found"; }
counting() { [ "$("$POKE" "$R" r ff:10.0 0xe4)" = 0x00400304 ]; }

# A run without -n is ended by SIGINT, and that is its ordinary end.
for signal in INT:0 TERM:143 HUP:129 QUIT:131; do
	start "$U" --machine "$R" mem -i 0.05 --format csv
	until_ counting
	"$POKE" "$R" r ff:10.0 0xe4 >"$T/meanwhile"
	kill -s "${signal%:*}" $pid
	ended "mem"
	is "the counters ran before SIG${signal%:*}" "$(cat "$T/meanwhile")" 0x00400304
	is "SIG${signal%:*} ends it with its status" "$rc" "${signal#*:}"
	is "SIG${signal%:*} leaves the control as it was" "$(controls)" "$found"
done
run timeout --preserve-status -s INT 0.3 "$U" --machine "$R" mem -n 1000 -i 0.05 --format csv
is "SIGINT before the last of -n samples is told apart" "$rc" 130

run sh -c "'$U' --machine '$R' mem -i 0.01 --format csv | head -2 | wc -l; exit"
is "head gets its lines" "$out" 2
lacks "and a reader that has gone is no failure" "$err" "Broken pipe"
run bash -c "set -o pipefail; '$U' --machine '$R' mem -i 0.01 --format csv | head -1 >/dev/null"
is "nor an exit status" "$rc" 0
is "a reader that is gone leaves the control as it was" "$(controls)" "$found"
run sh -c "'$U' --machine '$R' mem -n 1 -i 0.01 >/dev/full"
is "a full output is status 1" "$rc" 1
has "and says so" "$err" "standard output: No space left on device"
is "a full output leaves the control as it was" "$(controls)" "$found"
run sh -c "'$U' --machine '$R' mem -n 1 -i 0.01 >&-"
is "a closed output is status 1" "$rc" 1
has "and is said before anything is touched" "$err" "standard output: closed"
run sh -c "'$U' --machine '$R' list >/dev/full"
is "list on a full output is status 1" "$rc" 1

for signal in USR1:138 ALRM:142 XCPU:152; do
	run timeout --preserve-status -s "${signal%:*}" 0.3 "$U" --machine "$R" mem -i 0.05 --format csv
	is "SIG${signal%:*} ends it with its status" "$rc" "${signal#*:}"
	as_found "SIG${signal%:*}"
done

# A signal that is ignored when it starts stays so, as nohup(1) and the background jobs of scripts want it.
for signal in INT HUP QUIT; do
	start env "--ignore-signal=$signal" "$U" --machine "$R" mem -i 0.05 --format csv
	until_ counting
	kill "-$signal" $pid
	sleep 0.3
	check "SIG$signal does not end a run that was started with it ignored" kill -0 $pid
	kill -TERM $pid
	ended "a run with SIG$signal ignored"
	is "SIGTERM does" "$rc" 143
	as_found "SIG$signal ignored"
done

# An output that fills up while it runs.
run sh -c "ulimit -f 16; exec '$U' --machine '$R' mem -n 1000 -i 0.001 --format csv -o '$T/limited'"
is "a file that may not grow is status 1" "$rc" 1
has "and says so" "$err" "$T/limited: File too large"
as_found "a file that may not grow"
# Too little for the journal: then it does not even begin.
run sh -c "ulimit -f 1; exec '$U' --machine '$R' --trace '$T/trace' mem -n 1 --format csv -o /dev/null"
is "a journal that may not grow is status 1" "$rc" 1
has "and says so" "$err" "nothing was written to the hardware"
check "and nothing was" sh -c "! grep ' w32 ' '$T/trace'"

# A pipe that is full and that no process reads: SIGTERM ends it all the same, and it dies by that.
mkfifo "$T/fifo"
for way in "mem -i 0.0001 --format csv -o $T/fifo" "--trace $T/fifo mem -i 0.0001 --format csv -o /dev/null"; do
	sleep 30 <>"$T/fifo" &
	reader=$!
	# shellcheck disable=SC2086 # words
	start "$U" --machine "$R" $way
	until_ counting
	sleep 0.7 # far longer than it takes to fill 64 KiB
	kill -TERM $pid
	ended "$way"
	is "$way: SIGTERM while blocked on a full pipe" "$rc" 143
	is "and nothing else is said" "$(grep -cv -e machine: -e note: "$T/err")" 0
	as_found "$way"
	kill $reader
	over $reader
done
# Before anything is touched: while it waits for a reader.
for way in "mem -n 1 -o $T/fifo" "--trace $T/fifo mem -n 1"; do
	# shellcheck disable=SC2086 # words
	start "$U" --machine "$R" $way
	sleep 0.3
	kill -TERM $pid
	ended "$way"
	is "$way: SIGTERM while no process opens the pipe" "$rc" 143
	as_found "$way, no reader there"
done

# COMMANDs.  It ends by itself, dies, is killed, cannot be executed.
for command in "true:0" "false:1" "sh -c 'kill -KILL \$\$':137" "$T/none:127" "$T:126"; do
	run sh -c "exec '$U' --machine '$R' mem -o '$T/file' -- ${command%:*}"
	is "COMMAND ${command%:*}: its status" "$rc" "${command##*:}"
	as_found "COMMAND ${command%:*}"
done
# A signal is passed on, and waited for; a second one is not.
start "$U" --machine "$R" mem -o "$T/file" --format csv -- sh -c 'trap "exit 9" TERM; while :; do sleep 0.05; done'
until_ counting
sleep 0.2
kill -TERM $pid
ended "a signal that is passed on"
is "SIGTERM goes to the COMMAND, whose status is ours" "$rc" 9
is "and its sample is there" "$(sed 1d "$T/file" | wc -l)" 4
as_found "SIGTERM with a COMMAND"
start "$U" --machine "$R" mem -o "$T/file" --format csv -- sh -c "echo \$\$ >$T/pid; trap '' TERM; while :; do sleep 0.05; done"
until_ test -s "$T/pid"
sleep 0.2
kill -TERM $pid
sleep 1.5 # longer than a second, after which whatever blocks is woken
check "a COMMAND that ignores SIGTERM is waited for" kill -0 $pid
kill -TERM $pid
ended "a second signal"
is "a second SIGTERM ends us alone" "$rc" 143
check "and not the COMMAND" kill -0 "$(cat "$T/pid")"
kill -KILL "$(cat "$T/pid")"
as_found "a second signal"
# A signal during start: the COMMAND never runs.
D=sim:snbep,sockets=1,clock=step,state=$T/step
rm -f "$T/ran"
run env "SIGAT=30:15" "LD_PRELOAD=$B/tests/sigat.so" ASAN_OPTIONS=verify_asan_link_order=0 \
	"$U" --machine "$D" mem -- sh -c "echo >$T/ran"
is "SIGTERM during start: its status" "$rc" 143
check "and the COMMAND does not run" [ ! -e "$T/ran" ]
is "and the control is as it was" "$("$POKE" "$D" r ff:10.0 0xe4)" 0x00000000
# Who starts us may block signals for himself.
if command -v python3 >/dev/null; then
	run timeout 10 python3 -c "
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
os.execv('$U', ['$U', '--machine', '$R', 'mem', '-o', '$T/file', '--', 'true'])"
	is "a COMMAND's end is heard where SIGCHLD was blocked" "$rc" 0
else
	skip "a COMMAND's end is heard where SIGCHLD was blocked" "there is no python3 (tests/faults does the same)"
fi

# Closing: the output fails first, the registers are back all the same.
run sh -c "'$U' --machine '$R' mem -i 0.01 --format csv | head -1 >/dev/null"
as_found "| head -1"
run sh -c "'$U' --machine '$R' list | true; '$U' --machine '$R' reg dump | true; '$U' --machine '$R' events | true"
as_found "commands that only look, without a reader"
