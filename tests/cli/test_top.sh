# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The live view, in a terminal that tmux makes.  Simulated time passes in steps, so that each sample is exact.
. tests/lib.sh

S=sim:bdx,sockets=2,cores=2,threads=1,clock=step,state=$T/s

# ---- where there is no such terminal ----
run "$U" --machine "$S" top
check "without a terminal it is refused" test "$rc" = 2
check "in one sentence, which names mem" test "$(wc -l <"$T/err") $(grep -c 'uncorectl mem' "$T/err")" = "1 1"
check "and prints no data" test -z "$out"
run "$U" top -- true
check "it takes no COMMAND" test "$rc" = 2
run "$U" top true
check "nor any argument, and names mem" [ "$rc $(grep -c 'uncorectl mem -- COMMAND' "$T/err")" = "2 1" ]
run "$U" --machine "$S" --dry-run top
check "--dry-run needs none, and shows what would be written" grep -q "^write socket0.imc0.ch0 " "$T/out"
run "$U" --machine "$S" record "$T/r" -- top
check "it is not recorded" test "$rc" = 2

command -v tmux >/dev/null || {
	skip "top in a terminal" "there is no tmux (apt-get install tmux)"
	exit 0
}
TMUX_TMPDIR=$T
export TMUX_TMPDIR
N=0
tm() { tmux -L "top$N" -f /dev/null "$@"; }
new() { # ARGUMENT...: a server that nothing else has used
	tm kill-server 2>/dev/null
	N=$((N + 1))
	tm new-session -d "$@"
}
# What follows a command in the terminal: its exit status, and then the terminal's settings.
AFTER='echo "status $?"; stty -a | grep -o -- "-*icanon\|-*echo "'
# top COLUMNSxROWS COMMAND...: in a new terminal
top() {
	size=$1
	shift
	new -x "${size%x*}" -y "${size#*x}" "$* 2>$T/err; $AFTER; sleep 600"
}
# LeakSanitizer stops a process to look at it, which lasts for ever where a signal ends that process without its terminal.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
process() { pgrep -P "$(tm list-panes -F '#{pane_pid}')" -f 'uncorectl.*top -i'; }
size() { tm resize-window -t 0 -x "${1%x*}" -y "${1#*x}"; }
key() { tm send-keys -t 0 "$@"; }
screen() { tm capture-pane -t 0 -p "$@"; }
# shows TEXT...: soon, each in a row
shows() {
	for text; do
		tries=200
		until screen 2>/dev/null | grep -qF -- "$text"; do
			[ $((tries -= 1)) -gt 0 ] || return 1
			sleep 0.05
		done
	done
}
showed() { # SENTENCE TEXT...
	sentence=$1
	shift
	if shows "$@"; then ok "$sentence"; else not_ok "$sentence" "wanted: $*" "$(screen)"; fi
}
shows_no() { ! screen | grep -q -- "$1"; }
is_ascii() { ! screen | LC_ALL=C grep -q '[^ -~]'; }
colours() { screen -e | grep -o "$(printf '\033')\[[0-9;]*[34][0-8][0-9;]*m"; }
# No row is wider or wrapped: the last row of the window is that of the keys.
whole() { screen | tail -1 | grep -q '^q quit'; }
left() { "$U" --machine "$S" reg get '*.CTL[*]' --format csv 2>/dev/null | sort >"$T/left.$1"; }
left before

# ---- sizes ----
LC_ALL=C.UTF-8
export LC_ALL
top 80x24 "$U" --machine "$S" top -i 0.1
showed "80x24: the machine, channels with their rates, shares and peaks, and caches" "Broadwell-EP (simulated), 8 channels" \
	"socket 0   read 17.5  write 6.75   24.3  32 %" " imc0.ch0  ████▒▒··············    5.50  29 %" " l3-0      0 " \
	"full bar: 19.2 GB/s a channel, the possible peak"
showed "its history is of braille" "⣤"
check "and the last row has the keys" whole
size 160x50
showed "160x50: beside that a map of channels over time" "channels over time" "socket1.imc1.ch1   ░" " imc1.ch1  █████▒▒·············    6.85"
check "and the last row has the keys" whole
size 40x10
showed "40x10: channels fold to their sockets" " socket 1  ███"
check "and no channel is shown" shows_no imc
check "and the last row has the keys" whole
key Down Enter
showed "a socket opens" ">socket 0 " " imc0.ch1  ███▒"
for size in 20x5 132x43 1x1 79x24 300x90 80x24; do size $size; done
showed "after a storm of sizes all is in its place" " imc0.ch0  ████▒▒··············    5.50  29 %"
check "and the last row has the keys" whole

# ---- keys ----
key '?'
showed "? shows the keys" "pause what is shown"
key '?' p
showed "p pauses" "[paused]"
key p c
showed "c shows all caches" "L3  occupancy"
check "and nothing else" shows_no imc0
key c
check "then it hides them" until_ shows_no l3-0
key c o
showed "o sorts by traffic" " socket1.imc1.ch1 "
key o l
showed "l takes the highest seen as the scale" "[own scale]"
key l
showed "and locks it" "[locked]"
key l +
showed "+ makes the interval shorter, and - longer" "8 channels  0.1 s"
key - -
showed "as the first row says" "8 channels  0.5 s"
key + e page_h Tab
showed "e asks for events and metrics, and completes their names" "events or metrics: page_hit_"
key ,rpq_inserts Enter
showed "the view of one channel has them" " page_hit                                 75.00 %" " rpq_inserts "
key e Enter Down d
showed "d tells what its counters hold" "cas_count.rd" "cas_count.wr"
key d e nonsense Enter
showed "a name that there is not is told, and counting goes on" "nonsense"
key m
showed "m shows the map" "channels over time"

# ---- endings ----
sleep 1 # for a sample after counting began again
key s
showed "s keeps the screen and its sample" "printed at the end"
key R
showed "R needs a file" "start with -o FILE"
key q
showed "q ends it" "status 0"
kept=$(screen -J -S -)
check "and prints the screen that was kept" [ "$(echo "$kept" | grep -c "^socket1.imc1.ch1   ░")" = 1 ]
check "and its sample, as mem and llc write it" [ "$(echo "$kept" | grep -c '^{"record":"sample",.*"box":"socket[01]\.\(imc[01]\.ch[01]\|l3-[01]\)"')" = 10 ]
showed "and the terminal is as before" "icanon" "echo"
left q
check "as is every register" cmp "$T/left.before" "$T/left.q"
for signal in TERM HUP INT QUIT; do
	top 80x24 "$U" --machine "$S" top -i 0.1
	shows "imc0.ch0" || not_ok "top for SIG$signal"
	kill -s "$signal" "$(process)"
	showed "SIG$signal ends it, and the terminal is as before" "status" "icanon"
	check "no letter of icanon is missing" shows_no -icanon
	left "$signal"
	check "SIG$signal: every register is as before" cmp "$T/left.before" "$T/left.$signal"
done
top 80x24 "$U" --machine "$S" top -i 0.1
shows "imc0.ch0" || not_ok "top to lose its terminal"
lost=$(process)
tm kill-server
check "it ends with its terminal" until_ is_gone "$lost"
left lost
check "and every register is as before" cmp "$T/left.before" "$T/left.lost"
new -x 80 -y 24 'bash --norc -i'
key " $U --machine $S top -i 0.1" Enter
shows "imc0.ch0" || not_ok "top in a shell"
key C-z
showed "SIGTSTP gives the terminal back, and says that the counters stay programmed" "suspended; the counters stay programmed" "Stopped"
key fg Enter
showed "and SIGCONT takes it again" "full bar: 19.2"
size 100x30
showed "SIGWINCH after that too" "full bar: 19.2"
key q
top 80x24 "$U" --machine "$S" --state "$T/killed" top -i 0.1
shows "imc0.ch0" || not_ok "top to be killed"
kill -s KILL "$(process)"
shows "status 137" || not_ok "kill -9 of top"
run "$U" --machine "$S" --state "$T/killed" recover
left recovered
check "after kill -9 recover puts every register back" cmp "$T/left.before" "$T/left.recovered"

# ---- caches by group, Optane modules, units, flags ----
top 80x24 "$U" --machine "sim:bdx,sockets=2,cores=2,threads=1,clock=step" top -i 0.1 --group web=0,2 --group db=1
showed "a group has its sum, its part on each L3, and histories" " web       all " "           0   ····" "           1   ····" \
	" db        0 " "local   remote" "⣿⣿⣿"
top 80x24 "$U" --machine "sim:bdx,cores=2,threads=1,clock=step" top --group web=7
showed "a group that cannot be is refused" "status"
check "and named" grep -q "cpu 7: this machine has no such CPU" "$T/err"
top 100x24 "$U" --machine sim:icx,pmem=socket0.imc0.ch1,clock=step top -i 0.1
showed "Optane modules have a part of the bar, and a column" " imc0.ch1  █████▒▒░············    6.55  34 %      1.41" \
	"of peak  Optane-" "  Optane 1.18 + 0.23" "░ Optane"
top 80x24 "$U" --machine "$S" top -i 0.1 --unit MiB
showed "--unit is that of all numbers" "total 47112 MiB/s  of 146484" "   MiB/s of peak" " imc0.ch0  ████▒▒··············    5245  29 %" \
	"18311 MiB/s a channel"
top 80x24 "$U" --machine "$S" top -i 0.1 -e 'imc/event=0x4,umask=0x3/,page_hit'
shows "imc0.ch0"
key Down Down Enter
showed "an event as perf writes it keeps its comma" " event=0x4,umask=0x3 " "4.000 GB/s" " page_hit "
top 80x24 "$U" --machine "$S" top -i 0.1 --peak 150MB/s
showed "otherwise the possible peak chooses it" "total 49400 MB/s  of 1200" "    MB/s of peak"
run "$U" --machine "$S" --dry-run top --unit KB
check "there is no unit KB" [ "$rc" = 2 ]
top 80x24 "$U" --machine "sim:bdx,sockets=2,cores=2,threads=1,clock=step,hide=7f:14.0" top -i 0.1
showed "a channel that does not answer has a word, and a note" " missing" "socket0.imc0.ch0: missing"
key Down Down d
showed "whose sentence d shows" "missing: it does not answer"

# ---- recording ----
for format in csv jsonl; do
	top 80x24 "$U" --machine "$S" top -i 0.1 -n 8 -o "$T/rec.$format" --format $format
	showed "it ends after -n samples" "status 0"
	run "$U" --machine "$S" mem -i 0.1 -n 8 -o "$T/mem.$format" --format $format
	[ $format = csv ] || "$U" --machine "$S" llc -i 0.1 -n 8 --format $format 2>/dev/null >>"$T/mem.$format"
	run "$U" diff "$T/rec.$format" "$T/mem.$format"
	check "$format: diff reads what top recorded, and it is what mem writes, and llc as JSON lines" [ "$rc" = 0 ]
	run "$U" plot "$T/rec.$format" -o "$T/page.html"
	check "$format: plot does" [ "$rc" = 0 ]
done
run "$U" --machine "$S" --dry-run top -o -
check "standard output is refused as the file" [ "$rc" = 2 ]
run "$U" --machine "$S" --dry-run top --format csv
check "a format without a file, too" [ "$rc" = 2 ]

# ---- terminals ----
top 80x24 TERM=dumb "$U" --machine "$S" top
showed "TERM=dumb is refused" "status 2"
check "in one sentence, with what to do" test "$(wc -l <"$T/err") $(grep -c 'cannot move its cursor.*mem' "$T/err")" = "1 1"
top 80x24 TERM=none-such "$U" --machine "$S" top
showed "as is a terminal that is not known" "status 2"
top 80x24 LC_ALL=C LANG=C "$U" --machine "$S" top -i 0.1
showed "LANG=C: ASCII" " imc0.ch0  ####==..............    5.50  29 %" "# read  = write"
check "and nothing else" is_ascii
top 80x24 TERM=vt100 "$U" --machine "$S" top -i 0.1
showed "TERM=vt100 shows the same" " imc0.ch0  ████▒▒··············    5.50  29 %"
top 80x24 NO_COLOR=1 "$U" --machine "$S" top -i 0.1
shows " imc0.ch0 " || not_ok "NO_COLOR"
check "NO_COLOR: no colour" [ -z "$(colours)" ]
top 80x24 "$U" --machine "$S" top -i 0.1
shows " imc0.ch0 " || not_ok "colours"
check "else reads and writes have colours of their own" [ -n "$(colours)" ]
top 80x24 "$U" --machine "$S" --observe top -i 0.1
showed "--observe: no program counts, so there is nothing to show" "status 3"
tm kill-server 2>/dev/null
