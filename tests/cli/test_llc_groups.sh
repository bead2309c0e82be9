# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl llc: which CPUs a group has, by name, of a COMMAND, of a process; and what is refused.
. tests/lib.sh

S=sim:bdx,sockets=2,clock=step
llc() { # STATUS PART OPTION...: refused so
	status=$1 part=$2
	shift 2
	refused "llc $*: status $status" "$status" "$part" "$U" --machine "$S" llc "$@"
}
for list in "," 3-1 "0-3," 0-3,,5 a 0-2-100000 100000x -1 0x3; do
	llc 2 "not a list of CPUs, such as 0-3,8" --cpus "$list"
done
llc 2 "--cpus \"\": not a list of CPUs" --cpus ""
llc 2 "--bind \"\": not a list of CPUs" --bind ""
llc 2 "--pid \"\": not the number" --pid ""
llc 2 "--events \"\": there are" --events ""
llc 3 "--cpus 100000: there is no such CPU" --cpus 100000
llc 3 "--cpus 0-99999999999999999999: there is no such CPU" --cpus 0-99999999999999999999
llc 3 "--read-cpu 65536: there is no such CPU" --read-cpu 65536
llc 2 "--group a=: not a list of CPUs" --group a=
llc 2 "write NAME=LIST" --group a
llc 2 "write NAME=LIST" --group =0-3
refused "a name is one line, and so is the sentence about it" 2 "--group a\x0ab=0: the NAME has characters that do not print" \
	"$U" --machine "$S" llc --group "$(printf 'a\nb=0')"
# JSON is UTF-8: not half a character, one written too long, half of a pair, one beyond the last, nor a control in two bytes.
for name in /377 a/303 /303a /200 /300/257 /355/240/200 /364/220/200/200 /302/233 /177; do
	run "$U" --machine "$S" llc -n 1 --group "$(printf '%b=0' "$(printf %s "$name" | tr / '\134')")"
	is "nor is the name $name one" "$rc $(LC_ALL=C grep -c 'or is not UTF-8$' "$T/err")" "2 1"
done
run "$U" --machine "$S" llc -n 1 --group "$(printf 'K\303\244se \342\202\254 \360\235\225\217=0')" --format csv
is "letters of others are" "$rc $(column group)" "$(printf '0 K\303\244se \342\202\254 \360\235\225\217')"
llc 2 "cpu 3 is in group \"0-3\" already" --cpus 0-3 --group b=3-5
llc 2 "there is a group \"0-3\" already; give one of the two another name" --cpus 0-3 --group 0-3=4-5
llc 2 "--cpus 7: given twice" --cpus 7 --cpus 7
llc 2 "--cpus 0-3: given twice" --cpus 0-3 --cpus 4 --cpus 0-3
llc 2 "the NAME is blank" --group " =0"
llc 2 "--group \"\": write NAME=LIST" --group ""
llc 2 "so a row of --all-rmids is called" --group rmid7=0 --all-rmids
llc 3 "this machine has no such CPU" --cpus 0,72
llc 3 "this machine has no such CPU" --read-cpu 72
llc 2 "there are occupancy, total and local" --events occupancy,foo
llc 2 "there are occupancy, total and local" --events ""
llc 2 "--events total,: there are occupancy" --events total,
llc 2 "--pid 1: given twice" --pid 1 --pid 1
for pid in 0 -1 x 99999999999; do llc 2 "not the number of a process" --pid $pid; done
llc 3 "there is no such process" --pid 99999999
llc 2 "there is no option --freeze" --freeze
llc 2 "there is no option --force" --force
llc 2 "and there is none; write -- COMMAND" --bind 0
llc 2 "a COMMAND comes after --" true
llc 3 "cannot run on CPU 60000 of this computer" --bind 60000 -- true
refused "a CPU that is offline is status 3" 3 "cpu 5 is offline: nothing can be given to it" "$U" --machine "$S,offline=5" llc --cpus 5
refused "nor can it read" 3 "CPU to read from: cpu 5 is offline: nothing can be read there" "$U" --machine "$S,offline=5" llc --read-cpu 5
# As many groups as CPUs is fine, more than RMIDs are not: of Haswell-EP's 72, 0 is everybody's.
groups=$(seq 0 70 | sed 's/^/--cpus /' | paste -sd ' ')
# shellcheck disable=SC2086 # words
run "$U" --machine sim:hsx,clock=step,sockets=1,cores=36,threads=2 llc -n 1 $groups --format csv
is "there are 71 groups" "$rc $(sed 1d "$T/out" | wc -l)" "0 71"
is "each with an RMID of its own" "$(column rmid | sort -nu | wc -l)" 71
is "and none has 0" "$(column rmid | grep -cx 0)" 0
# shellcheck disable=SC2086
refused "one more is wrong usage" 2 "there are more groups than RMIDs" "$U" --machine sim:hsx,clock=step,sockets=1,cores=36,threads=2 llc -n 1 $groups --cpus 71

run "$U" --machine "$S" llc -n 1 --group "a,b=3,2,1,2" --format csv
is "a list is sorted, and each CPU is there once" "$(sed -n 2p "$T/out" | cut -d, -f3-5)" '"a,b",1-3'
run "$U" --machine "$S" --trace "$T/trace" llc -n 1 --cpus 0,1
is "an L3 is read on the lowest CPU outside every group" "$(awk '$4 == "r64" && $5 == "0xc8e" { print $3 }' "$T/trace" | sort -u)" cpu2
run "$U" --machine "$S" --trace "$T/trace" llc -n 1 --cpus 0 --cpus 20 --read-cpu 40 --read-cpu 60
is "or on those of --read-cpu" "$(awk '$4 == "r64" && $5 == "0xc8e" { print $3 }' "$T/trace" | sort -u | paste -sd ' ')" "cpu40 cpu60"
values() { grep -c 'r64 0xc8e' "$T/trace"; }
all=$(values) seen=$(grep -c 'r64 0xc8d' "$T/trace")
run "$U" --machine "$S" --trace "$T/trace" llc -n 1 --cpus 0 --cpus 20 --read-cpu 40 --read-cpu 60 --no-verify
is "--no-verify reads as many values" "$(values)" "$all"
check "and what was selected but for the journal" [ "$(grep -c 'r64 0xc8d' "$T/trace")" -le $((seen - all)) ]

# The CPUs of a cgroup, and of every process of a program.
mkdir -p "$T/files/sys/fs/cgroup/web.slice/a.service" "$T/files/sys/fs/cgroup/none" "$T/files/sys/fs/cgroup/bad" "$T/files/sys/fs/cgroup/all"
echo 0-2,5 >"$T/files/sys/fs/cgroup/web.slice/a.service/cpuset.cpus.effective"
echo 0-1023 >"$T/files/sys/fs/cgroup/all/cpuset.cpus.effective"
echo 3-1 >"$T/files/sys/fs/cgroup/bad/cpuset.cpus.effective"
for path in web.slice/a.service /web.slice/a.service /sys/fs/cgroup/web.slice/a.service; do
	run "$U" --machine "$S,files=$T/files" llc --cgroup "$path" --cpus 7 -n 1 --format csv
	is "--cgroup $path is the CPUs of its cpuset" "$rc $(awk -F, 'NR == 2 { print $3 }' "$T/out") $(grep -c '"0-2,5"' "$T/out")" \
		"0 web.slice/a.service 1"
done
F=$S,files=$T/files
refused "a cgroup that may use every CPU is told from nothing else" 2 "cgroup all may run on every CPU" "$U" --machine "$F" llc --cgroup all
refused "one without a cpuset has no CPUs" 3 "or it has no cpuset" "$U" --machine "$F" llc --cgroup none
refused "nor has one that is not there" 3 "there is no such cgroup" "$U" --machine "$F" llc --cgroup web
refused "a list of CPUs that is none is said" 1 "not a list of CPUs: 3-1" "$U" --machine "$F" llc --cgroup bad
llc 2 "which one?" --cgroup ""
llc 2 "which one?" --program ""
llc 2 "a path below /sys/fs/cgroup" --cgroup a/../../b
llc 2 "given twice" --cgroup a --cgroup /a
llc 2 "the name alone, without its folder" --program /bin/sleep
llc 3 "no process runs a program of that name now" --program no-such-program

# COMMANDs.  Where this computer lets us run: its lowest CPU.
here=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
R=sim:bdx,sockets=1,state=$T/real
if [ "$here" -gt 34 ]; then
	skip "a COMMAND's CPUs are its group" "this computer lets us run on CPU $here and above only"
	exit
fi
run "$U" --machine "$R" llc --bind "$here" -o "$T/file" --format csv -- \
	sh -c 'sed -n "s/^Cpus_allowed_list:[^0-9]*//p" /proc/self/status; sleep 0.2; exit 7'
is "a COMMAND's exit status is ours" "$rc" 7
is "it runs on the CPU of --bind" "$out" "$here"
cp "$T/file" "$T/out"
is "which is its group" "$(sed 1d "$T/out" | cut -d, -f3-5)" "COMMAND,$here,0"
is "and its lifetime one sample" "$(column mbm_total_status)" ok
is "and nothing is said of it" "$(column flags)" simulated
is "its CPU gets its RMID back" "$("$POKE" "$R" m "$here" 0xc8f)" 0x0000000000000000
run "$U" --machine "$R" llc --bind "$here" -i 0.1 -o "$T/file" --format csv -- sleep 0.35
check "with -i there are samples meanwhile" [ "$(sed 1d "$T/file" | wc -l)" -ge 3 ]
run "$U" --machine "$R" llc --bind "$here" -o "$T/file" -- "$T/no-such-program"
is "a COMMAND that is not there gives 127" "$rc" 127
run "$U" --machine "$R" llc --bind "$here" -o "$T/file" -- sh -c 'kill -KILL $$'
is "a COMMAND that is killed gives 128 + signal" "$rc" 137
run "$U" --machine "$R" llc --cpus 1,2 -o "$T/file" --format csv -- true
is "where groups are named, a COMMAND is none" "$(sed 1d "$T/file" | cut -d, -f3-6)" '"1,2",1-2,0'
run "$U" --machine "$R" llc --cpus 35 --bind "$here" -o "$T/file" --format csv -- true
is "but when it is bound" "$(sed 1d "$T/file" | cut -d, -f3,4 | paste -sd ' ')" "35,35 COMMAND,$here"
run "$U" --machine "$R" llc --all-rmids -o "$T/file" --format csv -- true
is "nor is it beside --all-rmids alone" "$(grep -c COMMAND "$T/file")" 0
refused "its group overlaps no other" 2 "is in group" "$U" --machine "$R" llc --cpus "$here" --bind "$here" -- true
refused "its name is taken" 2 "the group of the COMMAND is called COMMAND" \
	"$U" --machine "$R" llc --group COMMAND=35 --bind "$here" -- true

# Every CPU of an L3, where nothing tells it from others.
one=$((here + 1))
refused "a COMMAND on every CPU of an L3 is wrong usage" 2 "bind it to fewer (--bind LIST), or count all (--shared)" \
	"$U" --machine "sim:zen3,cores=$one,threads=1,l3s=$one" llc --bind "$here" -- sh -c "echo >$T/ran"
check "and does not run" [ ! -e "$T/ran" ]
run "$U" --machine "sim:zen3,cores=$one,threads=1,l3s=$one" llc --bind "$here" --shared -- sh -c "echo >$T/ran"
check "with --shared it does" [ -e "$T/ran" ]
rm -f "$T/ran"
run "$U" --machine "$R" --dry-run llc --bind "$here" -- sh -c "echo >$T/ran"
is "--dry-run knows its CPUs" "$rc $(grep -c PQR_ASSOC "$T/out")" "0 2"
check "and does not run it" [ ! -e "$T/ran" ]

# It goes elsewhere; others come to it.
there=$(awk -v h="$here" '/^Cpus_allowed_list/ { n = split($2, w, /[-,]/); for (i = 1; i <= n; i++) if (w[i] + 0 > h && !t) t = w[i] } END { print t }' /proc/self/status)
if [ -n "$there" ] && command -v taskset >/dev/null; then
	run "$U" --machine "$R" llc --bind "$here" -o "$T/out" --format csv -- taskset -c "$there" sleep 0.3
	has "a COMMAND that goes to another CPU is moved" "$(cat "$T/out")" "moved;narrowed;simulated"
	run "$U" --machine "$R" llc -i 0.1 --bind "$here,$there" -o "$T/out" --format csv -- taskset -c "$there" sleep 0.3
	has "one that stays on fewer is narrowed" "$(cat "$T/out")" ",narrowed;simulated"
else
	skip "a COMMAND that goes to another CPU is moved" "there is one CPU alone, or no taskset"
fi
run "$U" --machine "$R" llc --bind "$here" -o "$T/out" --format csv -- sleep 1.5
lacks "others are not told where there is no /proc/stat" "$(cat "$T/out")" others
mkdir "$T/files"
ln -s /proc "$T/files/proc"
if command -v taskset >/dev/null; then
	# shellcheck disable=SC2016 # for that shell
	taskset -c "$here" sh -c 'while [ -e "$1" ]; do :; done' sh "$T/files" &
	run "$U" --machine "$R,files=$T/files" llc --bind "$here" -o "$T/file" --format csv -- sleep 2.5
	run "$U" --machine "$R,files=$T/files" llc --bind "$here" -i 0.36 -n 1 -o "$T/short" --format csv -- sleep 2
	mv "$T/files" "$T/done"
	over $!
	has "others that use its CPU are" "$(cat "$T/file")" "others;simulated"
	has "so in an interval of 0.36 s" "$(sed -n 2p "$T/short")" "others;simulated"
fi

# A process that runs already.
sleep 1.2 &
pid=$!
run timeout 20 "$U" --machine "$R" llc --pid $pid -i 0.3 --shared --format csv
is "the end of a process ends the run" "$rc" 0
is "and is told in its last row" "$(tail -1 "$T/out" | awk -F, '{ print $(NF - 4) }')" "gone;simulated"
is "which is called by its number" "$(tail -1 "$T/out" | cut -d, -f3)" "pid$pid"
sleep 30 &
long=$!
sleep 0.6 &
if [ -n "$there" ] && command -v taskset >/dev/null; then
	taskset -pc "$here" $long >/dev/null
	taskset -pc "$there" $! >/dev/null
	run timeout --preserve-status -s INT 1.5 "$U" --machine "$R" llc --pid $long --pid $! -i 0.3 --format csv
	is "while one of several is there, the run goes on" "$(tail -2 "$T/out" | awk -F, '{ print $3 $(NF - 4) }' | paste -sd ' ')" "pid${long}simulated pid$!gone;simulated"
fi
kill $long

# A program, of which there are two processes.
cp "$(command -v sleep)" "$T/unc-program-of-test" # longer than the 15 letters that the kernel keeps
"$T/unc-program-of-test" 1.5 &
"$T/unc-program-of-test" 0.5 &
run timeout 20 "$U" --machine "$R" llc --program unc-program-of-test -i 0.3 --shared --format csv
is "two processes of a program are one group, until both have ended" "$rc $(column group | sort -u)" "0 unc-program-of-test"
check "which is longer than the first of them" [ "$(sed 1d "$T/out" | wc -l)" -ge 4 ]
is "and only the last row says that it has gone" "$(grep -c gone "$T/out") $(tail -1 "$T/out" | grep -c gone)" "1 1"

# ---- sums ----

of_group() { # NAME=CPUS: the box of its only record
	"$U" --machine sim:zen2,sockets=2,clock=step llc -n 1 --all-rmids --group "$1" --per group --format jsonl >"$T/out" 2>"$T/err"
	jq -r --arg name "${1%%=*}" 'select(.group == $name).box' "$T/out"
}
is "a group on two L3s of a socket is of that socket, beside all RMIDs, too" "$(of_group web=0-7)" socket0
is "one on L3s of both is of the machine" "$(of_group web=0,64)" machine
is "and one on a single L3 is of that" "$(of_group web=0-3)" socket0.l3-0
