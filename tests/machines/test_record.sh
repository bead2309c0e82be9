# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# record FILE -- COMMAND, and --machine replay:FILE: the same output to the byte, and what differs is found.
. tests/lib.sh
. tests/mounted.sh

R=$T/run.rec
# Sentences but the one that names the machine, which differs.
talk() { grep -v '^uncorectl: machine: ' "$1" || true; }

# same SENTENCE MACHINE COMMAND...: recorded and run again, both print and say the same and end alike.  $more: options before
same() {
	sentence=$1 machine=$2
	shift 2
	# shellcheck disable=SC2086 # $more is words
	run "$U" --machine "$machine" ${more-} record "$R" -- "$@"
	first=$rc
	cp "$T/out" "$T/recorded.out"
	talk "$T/err" >"$T/recorded.err"
	run "$U" --machine "replay:$R"
	if [ "$rc" = "$first" ] && cmp -s "$T/out" "$T/recorded.out" && talk "$T/err" | cmp -s - "$T/recorded.err"; then
		ok "$sentence"
	else
		not_ok "$sentence" "status $first, then $rc" "$(diff "$T/recorded.out" "$T/out" | head -5)" \
			"$(talk "$T/err" | diff "$T/recorded.err" - | head -5)"
	fi
}

for sockets in 1 2; do
	for clock in real step; do
		S=sim:snbep,sockets=$sockets,clock=$clock
		same "list -v: $S" "$S" list -v
		same "mem as a table: $S" "$S" mem -i 0.01 -n 3
		same "mem as CSV: $S" "$S" mem -i 0.01 -n 3 --format csv
		same "mem as JSON lines: $S" "$S" mem -i 0.01 -n 3 --format jsonl
		same "mem --freeze: $S" "$S" mem -i 0.01 -n 3 --freeze --format csv
		same "reg dump: $S" "$S" reg dump
		same "events: $S" "$S" events --format csv
	done
done
has "a replay is named" "$err" "machine: replay:$R"
S=sim:snbep,sockets=2
same "a hidden function" "$S,hide=ff:10.4" mem -i 0.01 -n 2
same "a function that reads as all ones" "$S,allones=ff:10.4" list -v
same "an access that fails at the start" "$S,fail=40:EIO" mem -i 0.01 -n 2
same "an access that fails while it is measured" "$S,fail=160:EIO" mem -i 0.01 -n 2 --format csv
same "a function that vanishes, whose registers cannot be put back" "$S,clock=step,vanish=ff:10.4@1.5" mem -n 3 --format csv
is "with its status" "$rc" 1
same "a kernel that is locked down" "$S,lockdown=1" mem -n 1
is "with its status" "$rc" 4
same "MSRs of a socket, reached through its own first CPU" sim:hsx,sockets=2,clock=step reg get socket1.global.GLOBAL_CTL
more=--dry-run
same "--dry-run" "$S" mem
more=
TZ=UTC-5:30 run "$U" --machine "$S" record "$R" -- mem -i 0.01 -n 1
cp "$T/out" "$T/recorded.out"
TZ=UTC+8 run "$U" --machine "replay:$R"
check "local time in a table is that of where it was recorded" grep -q '^[0-9T:-]*+05:30   sim:' "$T/out"
check "also somewhere else" cmp -s "$T/out" "$T/recorded.out"
is "how far it is ahead stands in the record" "$(grep '^utc' "$R")" "utc 19800"

run "$U" --machine "$S" record "$R" -- mem -i 0.001 -n 200 --format csv -o "$T/data"
run "$U" --machine "replay:$R" mem -i 0.001 -n 200 --format csv -o "$T/again"
check "data in a file is the same" cmp -s "$T/data" "$T/again"
# Where reads take no time: in others, a late one is done again, and both are recorded.
run "$U" --machine "$S,clock=step" record "$R" -- mem -i 0.001 -n 200 --format csv -o "$T/data"
check "a sample of eight channels takes less than a kilobyte" [ "$(wc -c <"$R")" -lt 200000 ]

# The COMMAND, and endings from outside.
run "$U" --machine "$S" record "$R" -- mem -i 0.05 --format csv -o "$T/data" -- sh -c 'sleep 0.12; exit 7'
run "$U" --machine "replay:$R" mem -i 0.05 --format csv -o "$T/again" -- "$T/no-such-program"
is "a COMMAND's status is replayed" "$rc" 7
check "and what was measured until it ended" cmp -s "$T/data" "$T/again"
lacks "what COMMAND was is not in the record" "$(cat "$R")" "sleep 0.12"
same "a COMMAND on a machine whose time stands still" "$S,clock=step" mem -- true
# Records that were cut, or made up: their end is the end of everything, and nothing is waited for that never comes.
grep -v '^ended ' "$R" >"$T/cut.rec"
refused "a record that does not tell how the COMMAND ended" 1 "cut.rec:$(grep -n '^ended ' "$R" | cut -d: -f1): the record does not tell how the COMMAND ended" \
	timeout 30 "$U" --machine "replay:$T/cut.rec"
sed '/^ended /,$d' "$R" >"$T/cut.rec"
refused "nor has anything after that" 1 "the record does not tell how the COMMAND ended" timeout 30 "$U" --machine "replay:$T/cut.rec"
sed 's/^ended .*/ended 3 99999999/' "$R" >"$T/cut.rec"
refused "or only after a hundred million questions" 1 "the record does not tell how the COMMAND ended" \
	timeout 30 "$U" --machine "replay:$T/cut.rec"
mkfifo "$T/pipe.rec"
refused "a FIFO is no record, and not waited for" 1 "pipe.rec: this is not a regular file" timeout 30 "$U" --machine "replay:$T/pipe.rec"
refused "nor is a device" 1 "/dev/zero: this is not a regular file" timeout 30 "$U" --machine replay:/dev/zero
refused "nor load=FILE" 1 "pipe.rec: this is not a regular file" timeout 30 "$U" --machine "sim:snbep,load=$T/pipe.rec" list
refused "nor sim:cpuid=FILE" 1 "pipe.rec: this is not a regular file" timeout 30 "$U" --machine "sim:cpuid=$T/pipe.rec" list
mkdir -p "$T/pipes/proc/sys/kernel" && mkfifo "$T/pipes/proc/sys/kernel/nmi_watchdog" "$T/pipes/proc/modules"
run timeout 30 "$U" --machine "$S,files=$T/pipes" doctor
check "nor a file of files=" [ "$rc" -ne 124 ]
run "$U" --machine "$S" record "$R" -- mem -- "$T/no-such-program"
run "$U" --machine "replay:$R"
is "one that could not be run" "$rc" 127
timeout -s TERM 0.5 "$U" --machine "$S" record "$R" -- mem -i 0.05 --format csv >"$T/recorded.out" 2>/dev/null </dev/null
run "$U" --machine "replay:$R"
check "a run that a signal ended prints the same" cmp -s "$T/out" "$T/recorded.out"
is "and ends by that signal" "$rc" 143
check "after samples" [ "$(wc -l <"$T/out")" -gt 8 ]

# A register that is held until it is interrupted.
"$U" --machine "$S,clock=step" record "$R" -- reg set 'socket0.imc0.ch0.CTL[0].umask=1' --write >"$T/recorded.out" 2>"$T/recorded.err" &
held=$!
until_ grep -q 'it is put back when' "$T/recorded.err"
kill -TERM $held
first=0
over $held || first=$?
run timeout 30 "$U" --machine "replay:$R"
is "reg set until a signal: its replay does not wait" "$rc" "$first"
is "and prints the same" "$out" "$(cat "$T/recorded.out")"
grep -v '^signal ' "$R" >"$T/cut.rec"
run timeout 30 "$U" --machine "replay:$T/cut.rec"
check "nor for a signal that the record lacks" [ "$rc" -ne 124 ]

# Registers of each socket's first CPU.
for model in ivt hsx skx icx spr gnr; do
	same "reg dump of $model" "sim:$model,sockets=2" reg dump
done
# Registers in memory, of which /proc/iomem says whether they may be touched.
for model in icx spr gnr; do
	for command in "list -v" "mem -i 0.01 -n 3 --format csv" "doctor"; do
		# shellcheck disable=SC2086 # a list of words
		same "$command of $model" "sim:$model,sockets=2,clock=step" $command
	done
done

# Registers in MSRs.
for model in zen1 zen2 zen3 zen4 zen5; do
	for command in "list -v" "mem -i 0.05 -n 3 --format csv" "doctor"; do
		# shellcheck disable=SC2086 # a list of words
		same "$command of $model" "sim:$model,clock=step" $command
	done
	[ "$model" = zen1 ] || same "llc of $model" "sim:$model,clock=step" llc -i 0.05 -n 2 --cpus 0 --format csv
done
same "another CPU that serves" "sim:zen5,sockets=1,clock=step,vanish=cpu0@0" mem -i 0.05 -n 2 --format csv

# Caches, and processes whose CPUs are a group.
S=sim:bdx,sockets=2
for clock in real step; do
	same "llc as a table, $clock time" "$S,clock=$clock" llc -i 0.05 -n 2
	same "llc as CSV, $clock time" "$S,clock=$clock" llc -i 0.05 -n 2 --cpus 0,18 --group web=2 --format csv
	same "llc --all-rmids, $clock time" "$S,clock=$clock" llc -i 0.05 -n 2 --all-rmids --format jsonl
done
same "llc on a part of several L3s a socket" sim:zen3,clock=step llc -n 2 --format csv
same "a value that is never obtained" "$S,clock=step,qm=error" llc -n 1
is "with its status" "$rc" 1
same "a group of a CPU that is not there" "$S" llc --cpus 999
is "with its status" "$rc" 3
more=--dry-run
same "llc --dry-run" "$S" llc --cpus 0
more=
here=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
if [ "$here" -lt 36 ]; then
	same "llc of a COMMAND" "$S" llc --bind "$here" -i 0.05 -- sh -c 'sleep 0.23; exit 5'
	is "with its status" "$rc" 5
	is "what COMMAND was is not in the record" "$(grep -c '^|.*sleep\|sleep 0' "$R")" 0
	run timeout 20 "$U" --machine "replay:$R" llc --bind "$here" -i 0.05 -- "$T/no-such-program"
	is "nor run again" "$rc" 5
	same "one on a machine whose time stands still" "$S,clock=step" llc --bind "$here" --format csv -- true
	same "llc of a process" "$S,clock=step" llc --shared -n 2 --pid $$ --format csv
	mkdir "$T/files"
	ln -s /proc "$T/files/proc"
	same "llc on a machine with files, which has processes" "$S,files=$T/files" llc -i 0.3 --bind "$here" -- sleep 0.8
	is "whose folder is not named" "$(grep -c "$T" "$R")" 0
	check "nor are those where something is mounted" [ "$(grep '^|.* .* [a-z0-9]* r[ow],' "$R" | grep -vc ' /sys ')" = 0 ]
else
	skip "llc of a COMMAND" "this computer lets us run on CPU $here and above only"
fi
S=sim:snbep,sockets=2

# ---- what of the system's files is in a record ----

# Each file has a secret in every place that no reader asks for.
P=$T/planted
put() { # FILE TEXT
	mkdir -p "$P/$(dirname "$1")"
	printf '%b' "$2" >"$P/$1"
}
rest='1 777 777 34816 777 4194560 1 2 3 4 14 15 16 17 20 0 1 0 22 23 24 18446744073709551615 94558777 94558778 140723777 140721777 0 0 0 0 0 0 0 0 17 2 0 0 94558779 0'
put proc/mounts 'secret:/home /mnt nfs secret 0 0\nsecret /sys sysfs rw,nosuid,x=secret 0 0\nsecret /sys/fs/resctrl resctrl rw,secret 0 0\n'
put proc/1/mounts 'secret:/home /mnt nfs secret 0 0\n'
put proc/modules 'secret 1 0 - Live 0x0\nintel_uncore 1 0 secret Live 0x0\n'
put proc/stat 'cpu 1 2 3 4 secret\ncpu0 1 2 3 4 secret\nintr 777\nsecret 1\n'
put proc/sysvipc/shm 'key shmid secret\n 777 4711 1600 777 812 813 1 1000 1000 secret\n'
for file in nmi_watchdog perf_event_paranoid; do put proc/sys/kernel/$file '1\nsecret\n'; done
for file in osrelease version hostname domainname; do put proc/sys/kernel/$file "$file\\nsecret\\n"; done
put proc/sys/kernel/hostname 'secret\n'
for pid in 812 813; do
	put proc/$pid/stat "$pid (secret) S $rest secret\\n"
	for tid in $pid 777; do
		put "proc/$pid/task/$tid/stat" "$tid (secret) R $rest secret\\n"
		put "proc/$pid/task/$tid/status" 'Name:\tsecret\nUid:\t777\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3\nsecret\n'
		put "proc/$pid/task/$tid/children" '778 secret'
	done
	for file in cmdline environ maps cgroup status comm; do put "proc/$pid/$file" 'secret\n'; done
	mkdir -p "$P/proc/$pid/fd"
	ln -s "/home/secret/x" "$P/proc/$pid/fd/3"
done
ln -s 'anon_inode:[perf_event]' "$P/proc/813/fd/4"
put proc/secret 'secret\n'
put proc/cmdline 'secret\n'
put var/lock/libpqos '812 22 secret\n'
put var/run/likwid.lock 'secret\n'
put 'dev/shm/sem.Num PCM insts' '\001\000\000\000secret'
put tmp/opcm-daemon-shm-id '4711\nsecret\n'
put sys/kernel/security/lockdown '[none] integrity\nsecret\n'
put sys/module/msr/parameters/allow_writes 'on\nsecret\n'
put sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c '\006\000\000\000\000secret'
put sys/firmware/dmi/tables/DMI '\001\006\001\000\001\002secret\000secret\000\000\177\004\003\000\000\000secret'
for file in sys_vendor product_name board_vendor board_name board_version bios_vendor bios_version bios_date; do
	put sys/class/dmi/id/$file "$file\\nsecret\\n"
done
put sys/class/dmi/id/product_serial 'secret\n'
put sys/devices/system/cpu/cpu0/microcode/version '0x1\nsecret\n'
put sys/bus/event_source/devices/uncore_imc_0/type '12\nsecret\n'
put sys/bus/event_source/devices/uncore_imc_0/cpumask '0\nsecret\n'
put sys/bus/event_source/devices/uncore_imc_0/format/event 'config:0-7\nsecret\n'
put sys/bus/event_source/devices/uncore_imc_0/events/cas_count_read 'event=0x4\nsecret\n'
put sys/bus/event_source/devices/secret/type '13\nsecret\n'
put sys/fs/resctrl/schemata 'secret\n'
put sys/fs/resctrl/tasks '777\n'
put sys/fs/resctrl/cpus_list '0\nsecret\n'
put sys/fs/resctrl/info/L3_MON/mon_features 'llc_occupancy\nsecret\n'
put sys/fs/resctrl/mon_groups/pcm0/tasks '778\nsecret'
put sys/fs/resctrl/mon_data/mon_L3_00/llc_occupancy '1\nsecret\n'
"$POKE" "sim:ivt,sockets=1,state=$T/busy" w ff:10.4 0xd8 0x00400304
for machine in "sim:ivt,sockets=1,files=$P,state=$T/busy" "sim:bdx,sockets=1,cores=4,clock=step,files=$P" "root:$P"; do
	for command in list "list -v --caches" "mem -i 0.01 -n 1" "stat -e cas_count.rd -i 0.01 -n 1" "llc -i 0.05 -n 2" \
		"llc -i 0.05 -n 2 --pid 812 --shared" doctor "doctor --format jsonl" "check --quick" "xcheck -n 1" \
		"xcheck --resctrl / -n 1" "reg dump" "reg set socket0.imc0.ch0.CTL[0].umask=1 --write --keep" events; do
		# shellcheck disable=SC2086 # words
		same "$command: ${machine%%,*}" "$machine" $command
		named=777
		case "$command" in *--pid*) ;; *) named='77[78]\|81[23]' ;; esac
		is "which records no secret" "$(grep -c 'secret' "$R") $(grep -e '^[|:+]' -e '^text ' -e '^names ' -e '^link ' "$R" | grep -cw "$named")" "0 0"
		lacks "and has a rule for every file" "$(cat "$R")" "there is no rule"
	done
done
same "a process that counts" "sim:ivt,sockets=1,files=$P" doctor
has "has another number" "$(grep '^text /proc/1000000[0-9]/stat' "$R")" "text /proc/1000000"
has "also in what is printed" "$out" "/proc/1000000"
same "a process that was named" "sim:bdx,sockets=1,cores=4,clock=step,files=$P" llc -n 1 --pid 812 --shared
has "keeps its number" "$(cat "$R")" "text /proc/812/stat"

# Another format, other columns, another view: the numbers of the record, as a run of that command shows them.
for clock in step real; do
	S=sim:snbep,sockets=2,clock=$clock
	for format in table csv jsonl; do
		run "$U" --machine "$S" record "$R" -- mem -i 0.01 -n 2 --format $format
		cp "$T/out" "$T/$format.out"
		mv "$R" "$T/$format.rec"
		for other in table csv jsonl; do
			run "$U" --machine "replay:$T/$format.rec" mem -i 0.01 -n 2 --format $other
			is "mem in $format, $clock time, is replayed in $other: status" "$rc" 0
			cp "$T/out" "$T/$format.$other"
		done
	done
	for format in table csv jsonl; do
		check "and prints what it printed: $format, $clock time" cmp -s "$T/$format.$format" "$T/$format.out"
		[ $clock = real ] || check "and what a run in that format prints" cmp -s "$T/csv.$format" "$T/$format.out"
		check "a replay of any format has the same numbers: $format, $clock time" \
			sh -c "cut -d, -f4- '$T/csv.csv' >'$T/a'; [ \$(wc -l <'$T/a') -gt 8 ] && cut -d, -f4- '$T/csv.out' | cmp -s - '$T/a'"
	done
	run "$U" --machine "replay:$T/csv.rec" mem -i 0.01 -n 1 --format csv
	is "a shorter run, $clock time" "$rc $out" "0 $(head -9 "$T/csv.out")"
	run "$U" --machine "replay:$T/csv.rec" mem -i 0.01 -n 2 --format csv -o "$T/file"
	check "the output into a file, $clock time" cmp -s "$T/file" "$T/csv.out"
	run "$U" --machine "replay:$T/csv.rec" stat -e cas_count.rd -e cas_count.wr -i 0.01 -n 2 --format csv
	is "stat of events that mem counts, $clock time" "$rc $(grep -c ',cas_count.wr,' "$T/out")" "0 16"
	is "has the counts of mem" "$(sed -n 's/.*,cas_count.rd,\([0-9]*\),.*/\1/p' "$T/out")" "$(sed 1d "$T/csv.out" | cut -d, -f11)"
	refused "stat of other events, $clock time" 1 "next at that place, and this command goes on with a write (w32 " \
		"$U" --machine "replay:$T/csv.rec" stat -e cas_count.all -i 0.01 -n 2
	run "$U" --machine "replay:$T/csv.rec" mem -i 0.013 -n 2 --format csv
	is "another interval, $clock time: status 1" "$rc $(cat "$T/out")" "1 "
	has "in one sentence" "$(talk "$T/err")" "replay it with the interval that was recorded"
done
same "list of a record of list -v" sim:snbep,clock=step list -v
run "$U" --machine "replay:$R" list
is "list of what list -v recorded" "$rc $out" "0 $("$U" --machine sim:snbep,clock=step list 2>/dev/null)"
run "$U" --machine sim:snbep,clock=step,sockets=1 record "$T/table.rec" -- doctor
cp "$T/out" "$T/table.out"
run "$U" --machine sim:snbep,clock=step,sockets=1 record "$R" -- doctor --format jsonl
run "$U" --machine "replay:$R" doctor
is "doctor in another format" "$rc $(diff "$T/table.out" "$T/out")" "0 "
S=sim:snbep,sockets=2

# What differs.
run "$U" --machine "$S,clock=step" record "$R" -- mem -n 2 --format csv
cp "$R" "$T/good.rec"
refused "another command ends where it asks for something else" 1 \
	"replay:$R: CPUID (cpuid 0 0x2 0x0) is not in the record; record this command to replay it" "$U" --machine "replay:$R" list
run "$U" --machine "replay:$R" mem -n 3 --format csv
is "more samples than were recorded: status 1" "$rc" 1
is "what agreed until then is printed" "$(cat "$T/out")" "$("$U" --machine "replay:$R" 2>/dev/null)"
is "in one sentence" "$(talk "$T/err" | grep -c "replay:$R: the record has no further sleep")$(talk "$T/err" | wc -l)" 11
line=$(grep -n '^rblk .* 0xd8 ' "$R" | head -1 | cut -d: -f1)
w=$(grep -n '^w32 ' "$R" | head -1 | cut -d: -f1)
sed "${w}s/.\$/7/" "$T/good.rec" >"$R"
refused "a digit of a write" 1 "replay:$R:$w: the record has a write (w32 " "$U" --machine "replay:$R"
sed "${line}s/\(0xd8 .\{28\}\)./\14/" "$T/good.rec" >"$R" # counter 3 is another process's now
refused "a digit of a read, where it steers what is written next" 1 "and this command goes on with a write" "$U" --machine "replay:$R"
n=$(wc -l <"$T/good.rec")
head -n $((n - 5)) "$T/good.rec" >"$R"
run "$U" --machine "replay:$R"
is "a record that was cut short is status 1" "$rc" 1
has "and what it lacks" "$err" "is not in the record"
sed '/^rblk .* 0xb0 /d' "$T/good.rec" >"$R"
run "$U" --machine "replay:$R"
is "one without its counters has no numbers" "$rc $(cat "$T/out")" "1 "
sed '1s/2$/1/' "$T/good.rec" >"$R"
refused "one of an older format" 2 "this record has the format uncorectl-record/1, which this version does not read" \
	"$U" --machine "replay:$R"
sed '20s/^/x/' "$T/good.rec" >"$R"
refused "a line that makes no sense is wrong usage, with the line" 2 "$R:20: this line makes no sense" "$U" --machine "replay:$R"
echo x >"$R"
refused "something that is no record" 2 "$R:1: it does not begin with uncorectl-record/2" "$U" --machine "replay:$R"
refused "a file that is not there" 2 "No such file" "$U" --machine "replay:$T/none"
refused "no file" 2 "write replay:FILE" "$U" --machine replay: list
sed "s,^option mem\$,option mem\noption -o\noption $T/made," "$T/good.rec" >"$R"
refused "a record chooses no file to write to" 2 "its options are none" "$U" --machine "replay:$R"
check "and none is made" [ ! -e "$T/made" ]
sed "s,^option mem\$,option stat\noption -e\noption --\noption -o\noption $T/made," "$T/good.rec" >"$R"
refused "not behind a -- that is the value of an option either" 2 "its options are none" "$U" --machine "replay:$R"
check "none is made" [ ! -e "$T/made" ]
echo secret >"$T/secret"
for what in 'reg,diff' 'events,--i' 'stat,--im' 'stat,-e,--,--import-perfmon'; do
	options=$(echo "$what,$T/secret" | sed 's/,/\\noption /g')
	sed "s,^option mem\$,option $options," "$T/good.rec" >"$R"
	refused "nor one to read: $what" 2 "its options are none" "$U" --machine "replay:$R"
done
sed 's/^option mem$/option record/' "$T/good.rec" >"$R"
refused "and no record to record" 2 "its options are none" "$U" --machine "replay:$R"
sed 's/^program .*/program 9.9/' "$T/good.rec" >"$R"
run "$U" --machine "replay:$R"
has "another version of the program is told" "$err" "note: version 9.9 of this program wrote that record"

# An event list comes along with the record, without its path, however the option is written.
cp tests/cli/perfmon.json "$T/skylakex.json"
for what in "events|--import-perfmon|$T/skylakex.json|--format|csv" "events|--i=$T/skylakex.json|-v" \
	"stat|--im|$T/skylakex.json|-e|UNC_M_CAS_COUNT.RD|-n|2|--format|csv"; do
	(
		IFS='|'
		# shellcheck disable=SC2086 # words
		"$U" --machine "$S,clock=step" record "$R" -- $what >"$T/recorded" 2>/dev/null
	)
	run "$U" --machine "replay:$R"
	is "${what%%|*} of a list: the replay prints the same" "$rc $(diff "$T/recorded" "$T/out")" "0 "
	check "and something" [ "$(wc -l <"$T/out")" -gt 5 ]
	is "nothing of its path is in the record" "$(grep -c -e skylakex -e "$T" "$R")" 0
	is "its text is" "$(grep -c '^file INPUT ' "$R")" 1
done
sed 's/UNC_M_CAS_COUNT\.RD"/UNC_M_CAS_COUNT.XY"/' "$R" >"$T/other.rec"
run "$U" --machine "replay:$T/other.rec"
has "what is in the record is what is read" "$err" "-e UNC_M_CAS_COUNT.RD: INPUT has no such event"
echo '{' >"$T/skylakex.json"
run "$U" --machine "$S,clock=step" record "$R" -- events --import-perfmon "$T/skylakex.json"
is "a broken list is refused, and so by its replay" "$rc $("$U" --machine "replay:$R" >/dev/null 2>&1; echo $?)" "2 2"
run "$U" --machine "$S,clock=step" record "$R" -- events --import-perfmon "$T/none.json"
is "so is one that is not there" "$rc $("$U" --machine "replay:$R" >/dev/null 2>&1; echo $?)" "2 2"
is "still no path is in the record" "$(grep -c -e none.json -e "$T" "$R")" 0

# Usage.
refused "record wants a file, -- and a command" 2 "record FILE -- COMMAND" "$U" --machine "$S" record "$T/new" mem
refused "a command that there is" 2 "there is no command \"nope\"" "$U" --machine "$S" record "$T/new" -- nope
refused "no record of a record" 2 "nothing to record" "$U" --machine "$S" record "$T/new" -- record "$T/x" -- list
refused "none of a replay" 2 "is a record already" "$U" --machine "replay:$T/good.rec" record "$T/new" -- list
refused "none of what needs no machine" 2 "nothing to record" "$U" --machine "$S" record "$T/new" -- maps check
refused "none of two dumps" 2 "nothing to record" "$U" --machine "$S" record "$T/new" -- reg diff "$T/secret" "$T/secret"
run "$U" --machine "$S,clock=step" record "$T/new" -- mem --i 0.1 -n 1
is "--i of mem is its interval" "$rc" 0
rm -f "$T/new"
refused "none into a folder" 1 "Is a directory" "$U" --machine "$S" record "$T" -- list
refused "none into a device" 1 "not a regular file" "$U" --machine "$S" record /dev/null -- list
run "$U" --machine "$S" record "$T/new" -- mem -n 0
is "wrong usage of the command is its own" "$rc" 2
check "and leaves no file" [ ! -e "$T/new" ]
same "a record takes the place of another" "$S" list
cp "$R" "$T/before.rec"
refused "a machine that is not there" 2 "no simulated machine" "$U" --machine sim:none record "$R" -- list
check "leaves a record as it was" cmp -s "$R" "$T/before.rec"
# The end of a small disk: ulimit counts blocks of 512 bytes.  The journal of four channels, two kilobytes, finds room.
S1=sim:snbep,sockets=1,clock=step,state=$T/full
"$POKE" "$S1" r ff:10.0 0xe4 >/dev/null
run sh -c "ulimit -f 16; exec \"$U\" --machine $S1 record $T/new -- mem -n 40 --format csv -o /dev/null"
is "a record that cannot be written is status 1" "$rc" 1
has "and said" "$err" "the record is not complete"
is "the registers are as they were" "$("$POKE" "$S1" r ff:10.0 0xe4)$("$POKE" "$S1" r ff:10.5 0xe0)" 0x000000000x00000000

# --trace beside it changes nothing.
run "$U" --machine "$S,clock=step" record "$T/a.rec" -- mem -n 2 --format csv
run "$U" --machine "$S,clock=step" --trace "$T/trace" record "$R" -- mem -n 2 --format csv
check "a record is the same with a trace" cmp -s "$R" "$T/a.rec"
run "$U" --machine "replay:$R" --trace "$T/again" mem -n 2 --format csv
cut -d' ' -f2- "$T/trace" >"$T/expected"
is "a replay can be traced" "$rc$(cut -d' ' -f2- "$T/again" | cmp - "$T/expected" 2>&1)" 0

# Maps.
mkdir "$T/maps"
cp regs/*.yaml "$T/maps"
chmod go-w "$T"/maps/*
sed -i 's/^title: .*/title: Changed/' "$T"/maps/intel-snbep-imc.yaml
more="--regs $T/maps"
same "the maps of --regs come along" "$S" list -v
has "and are those that are used" "$out" "part     Changed"
lacks "their folder does not" "$(cat "$R")" "$T"
echo 'bogus: 1' >>"$T"/maps/intel-snbep-imc.yaml
same "one that is wrong is wrong again" "$S" list
more=
refused "a replay takes no others" 2 "brings its register maps along" "$U" --machine "replay:$R" --regs "$T/maps" list

# No path, no name.
private() { # SENTENCE
	names=$T
	for name in "$(hostname 2>/dev/null)" "$(id -un)"; do
		[ ${#name} -gt 5 ] && names="$names|$name" # "root" is a kind of machine
	done
	is "$1" "$(grep -nE "$names" "$R")" ""
}
same "a state file" "$S,state=$T/state" list -v
has "is not named in the output" "$out" "sim:snbep,sockets=2,state=FILE"
private "nor in the record"
root=$T/tree
mkdir -p "$root/sys/bus/pci/devices/0000:ff:10.0"
same "a tree without CPUID" "root:$root" list
has "whose sentence calls it DIR" "$err" "DIR: which CPU this is cannot be told"
private "names no path"
printf 'basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n' >"$root/cpuid.raw"
for fn in 0:b0 1:b1 4:b4 5:b5; do
	dir=$root/sys/bus/pci/devices/0000:ff:10.${fn%:*}
	mkdir -p "$dir"
	head -c 256 /dev/zero >"$dir/config"
	# shellcheck disable=SC2059
	printf "\\206\\200\\$(printf %03o "0x${fn#*:}")\\074" | dd of="$dir/config" conv=notrunc status=none
done
same "a tree of plain files" "root:$root/" list -v
has "which is called DIR" "$out" "machine  root:DIR"
private "and is named nowhere"
same "measured" "root:$root" mem -i 0.01 -n 2
private "and is named nowhere then"

if ! mount_machine sim:snbep,sockets=2,hide=ff:10.4; then
	unmount
	skip "a mounted machine is recorded" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
same "list -v of a mounted machine" "root:$mnt" list -v
private "which is named nowhere"
same "mem of a mounted machine" "root:$mnt" mem -i 0.05 -n 3
same "its registers" "root:$mnt" reg dump --format csv
private "whose path is nowhere either"
unmount
if mount_machine sim:bdx,sockets=1; then
	same "its caches" "root:$mnt" llc -i 0.1 -n 2 --cpus 1,2 --format csv
	has "which are measured" "$out" ",ok,"
	private "and the path is nowhere then"
fi
