# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Least privilege: what a process is left with while it measures, what a COMMAND gets, and with how little both start.
. tests/lib.sh
. tests/mounted.sh

M=sim:snbep,sockets=1,state=$T/state
field() { sed -n "s/^$1:[[:space:]]*//p" "$2"; } # NAME FILE: of a /proc/PID/status
filter=yes
"$U" --help | grep -q '^  --no-sandbox' || filter=
filters=$(field Seccomp_filters /proc/self/status) # of a container that we are in

ready=.
# status_of SENTENCE FILE COMMAND...: its /proc/PID/status in T/status, once $ready is in FILE.
status_of() {
	: >"$2"
	file=$2
	shift 2
	"$U" "$@" </dev/null >"$T/out" 2>"$T/err" &
	pid_u=$!
	until_ grep -q "$ready" "$file"
	cat /proc/$pid_u/status >"$T/status"
	kill $pid_u
	rc=0
	over $pid_u || rc=$?
}
capabilities() { for set in CapInh CapPrm CapEff CapAmb; do field $set "$T/status"; done | tr '\n' ' '; }
NONE="0000000000000000 0000000000000000 0000000000000000 0000000000000000 "
confined() { # SENTENCE FILE COMMAND...
	status_of "$@"
	is "$1: no capability is left" "$(capabilities)" "$NONE"
	is "$1: nor will any come back" "$(field NoNewPrivs "$T/status")" 1
	if [ -z "$filter" ] || [ -z "$filters" ]; then
		skip "$1: system calls are filtered" "built without, or this kernel does not tell"
	else
		is "$1: system calls are filtered" "$(field Seccomp "$T/status") $(field Seccomp_filters "$T/status")" \
			"2 $((filters + 1))"
	fi
	is "$1: a signal ends it as always" "$rc" 143
}
confined mem "$T/csv" --machine "$M" mem -i 0.05 --format csv -o "$T/csv"
confined stat "$T/csv" --machine "$M" stat -e cas_count.rd -i 0.05 --format csv -o "$T/csv"
confined llc "$T/csv" --machine "sim:bdx,state=$T/llc" llc -i 0.05 --format csv -o "$T/csv"
confined xcheck "$T/csv" --machine "$M,perf=on" xcheck -i 0.05 --format csv -o "$T/csv"
ready="note: written" # what is said before, of the machine, is said by a process that has all
confined "reg set" "$T/err" --machine "$M" reg set 'socket0.imc0.ch0.CTL[3].ev_sel=4' --write
ready=.
is "and what it wrote is put back" "$("$POKE" "$M" r ff:10.0 0xe4)" 0x00000000

# What only reads goes on opening files, and keeps what that takes: DAC_OVERRIDE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN.
status_of "reg watch" "$T/csv" --machine "$M" reg watch 'socket0.imc0.ch0.CTL[3]' -i 0.05 -o "$T/csv" --format csv
kept=$(printf '%d' "0x$(field CapPrm "$T/status")")
is "reading keeps no capability but those that opening needs" "$((kept & ~0x2a0002))" 0
is "reading: no new privileges" "$(field NoNewPrivs "$T/status")" 1

if [ -n "$filter" ] && [ -n "$filters" ]; then
	status_of "--no-sandbox" "$T/csv" --machine "$M" --no-sandbox mem -i 0.05 --format csv -o "$T/csv"
	is "--no-sandbox: nothing is filtered" "$(field Seccomp_filters "$T/status")" "$filters"
	is "--no-sandbox: capabilities are dropped all the same" "$(capabilities)$(field NoNewPrivs "$T/status")" "${NONE}1"
else
	run "$U" --machine "$M" --no-sandbox mem -n 1 -i 0.01
	has "--no-sandbox says that there is nothing to turn off, in a build without" "$rc $err" "0 uncorectl: note: --no-sandbox: this uncorectl was built without"
fi

# ---- a COMMAND is the caller's -------------------------------------------------------------------------------

grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status >"$T/ours"
run "$U" --machine "$M" mem -- grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status
is "a COMMAND has the capabilities of who called, and nothing is forbidden to it" "$out" "$(cat "$T/ours")"
command="$U --machine $M --trace $T/trace record $T/rec -- mem -o $T/csv --"
run ls /proc/self/fd
ours=$out
# shellcheck disable=SC2086 # words
run $command ls /proc/self/fd
is "a COMMAND has none of our descriptors" "$out" "$ours"
# shellcheck disable=SC2086
out=$($command ls /proc/self/fd 2>"$T/err" 7</dev/null)
is "and all of who called" "$out" "$(ls /proc/self/fd 7</dev/null)"
run "$U" --machine "$M" reg set 'socket0.imc0.ch0.CTL[3].ev_sel=4' --write -- ls /proc/self/fd
is "the same with reg set" "$out" "$ours"

signals() { env --ignore-signal=USR1,PIPE,INT,CHLD,XFSZ --block-signal=TERM,USR2 "$@" grep -E '^Sig(Blk|Ign|Cgt|Pnd)' /proc/self/status 2>/dev/null; }
is "a COMMAND has blocked and ignored what its caller had" "$(signals "$U" --machine "$M" mem --)" "$(signals)"

# Where there are sanitizers: that of leaks looks through ptrace(), which a traced process cannot, nor one that starts with more
# than its caller.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# ---- the current directory -----------------------------------------------------------------------------------

if command -v strace >/dev/null && strace -o "$T/strace" true 2>/dev/null; then
	case $U in /*) here= ;; *) here=$PWD/ ;; esac
	mkdir "$T/here"
	for command in "list -v" "mem -n 1 -i 0.01" "stat -e cas_count.rd -n 1 -i 0.01" "events" "reg dump" "recover" \
		"reg explain CTL" "maps check" "reg set socket0.imc0.ch0.CTL[3].ev_sel=4 --write --for 0.01"; do
		# shellcheck disable=SC2086 # words
		(cd "$T/here" && exec strace -f -e trace=%file -o "$T/strace" "$here$U" --machine "$M" $command) >"$T/out" 2>"$T/err"
		is "$command: no file of the current directory is looked for" \
			"$(grep -v -e execve -e ', "", .*AT_EMPTY_PATH' "$T/strace" | sed 's/", "/"\n"/g' | grep -oE '"[^/"][^"]*"|getcwd.*' | grep -v '\.\(journal\|new\)"$')" ""
	done
else
	skip "no file of the current directory is looked for" "needs strace"
fi

# ---- with how little it starts -------------------------------------------------------------------------------

ONLY="setpriv --bounding-set=-all,+sys_rawio,+sys_admin --inh-caps=-all" # root, but for that
OTHER="setpriv --reuid=65534 --regid=65534 --clear-groups"
RIGHTS=+sys_rawio,+sys_admin,+dac_override # and another user, with these
OTHER_WITH="$OTHER --inh-caps=$RIGHTS --ambient-caps=$RIGHTS"
if [ "$(id -u)" != 0 ] || ! $ONLY true 2>/dev/null || ! $OTHER_WITH true 2>/dev/null; then
	skip "little is enough to start with" "needs to be root, with these capabilities"
	exit 0
fi
# as root|other COMMAND...: with so little.
as() {
	case $1 in root) set -- "$ONLY" "$@" ;; *) set -- "$OTHER_WITH" "$@" ;; esac
	with=$1
	shift 2
	# shellcheck disable=SC2086 # words
	exec $with "$@"
}
try() { (as "$@"); }

run "$U" --machine sim:snbep,clock=step mem -n 2 --format csv
wanted=$(column read_count)
# Who mounts a machine must be who uses it: FUSE asks neither for capabilities nor for modes.
for who in root other; do
	UNCORECTL_STATE=$T/journals.$who # each has its own folder
	mnt=$T/$who
	mkdir "$mnt"
	[ $who = other ] && chown 65534 "$mnt"
	as $who "$B/uncore-simfs" sim:snbep,clock=step "$mnt" >"$T/server" 2>&1 &
	pid=$!
	until_ try $who test -e "$mnt/truth.json"
	if ! try $who test -e "$mnt/truth.json"; then
		skip "$who: a mounted machine" "it cannot be mounted: $(cat "$T/server")"
		continue
	fi
	run try $who "$U" --machine "root:$mnt" mem -n 2 --format csv
	is "$who: mem runs on a mounted machine" "$rc" 0
	is "$who: and gives the same numbers" "$(column read_count)" "$wanted"
	run try $who "$U" --machine "root:$mnt" reg get 'socket0.imc0.ch0.CTL[3]'
	is "$who: reg get runs there" "$rc" 0
	unmount
done
mnt=$T/mnt

# Plain files that only their owner may open, as the msr driver's are; another user may not even write them without CAP_DAC_OVERRIDE.
# They belong to who runs it: a file of another user below root:DIR is not written, whatever the rights.
tree=$T/tree
mount_machine sim:snbep,sockets=1
for dir in "$mnt"/sys/bus/pci/devices/*; do
	mkdir -p "$tree/sys/bus/pci/devices/${dir##*/}"
	cat "$dir/config" >"$tree/sys/bus/pci/devices/${dir##*/}/config"
done
unmount
printf 'basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n' >"$tree/cpuid.raw"
chmod 600 "$tree"/sys/bus/pci/devices/*/config
find "$tree" -type f -exec md5sum {} + | sort >"$T/before"
for who in root other; do
	UNCORECTL_STATE=$T/journals.$who
	if [ $who = other ]; then
		chown -R 65534 "$tree"
		chmod 400 "$tree"/sys/bus/pci/devices/*/config
	fi
	run try $who "$U" --machine "root:$tree" mem -i 0.05 -n 2 --format csv
	is "$who: mem runs on files of its own, where no clock ticks" "$rc $(column read_count | sort -u) $(column flags | sort -u)" "0  stopped"
	is "$who: and its journal is removed, in whatever folder" "$(find "$T/journals.$who" -name '*.journal')" ""
	run try $who "$U" --machine "root:$tree" reg set 'socket0.imc0.ch0.CTL[3].ev_sel=4' --write --for 0.1
	is "$who: reg set runs there" "$rc" 0
	run try $who "$U" --machine "root:$tree" list --format csv
	is "$who: list runs there" "$rc $(grep -c ',idle,' "$T/out")" "0 4"
	find "$tree" -type f -exec md5sum {} + | sort >"$T/after"
	check "$who: and everything is as it was" cmp -s "$T/before" "$T/after"
done
# It takes the way to a folder of root's, and the right to open what is in it, from no more than these rights.
chmod 755 "$T" "$tree"
refused "another user without CAP_DAC_OVERRIDE is told so" 4 "this needs root, and you are user 65534" \
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search \
	"$U" --machine "root:$tree" mem -n 1

# ---- a program with more rights than its caller ----------------------------------------------------------------

cp "$U" "$T/raised"
chmod 755 "$T/raised"
by_caller() { $OTHER --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "$@"; } # may look into T, no more
if ! setcap cap_sys_rawio,cap_sys_admin,cap_dac_override=ep "$T/raised" 2>/dev/null ||
	! by_caller "$T/raised" --version >/dev/null 2>&1; then
	skip "a file with capabilities" "this file system or user has none"
	exit 0
fi
"$U" --machine sim:snbep,sockets=1 reg dump --format csv >"$T/dump.csv" 2>/dev/null
# What the caller names is opened with the caller's rights, whatever the program's are.
files_of_caller() {
	folder=$(mktemp -d) # the way to T takes a right that this program has not
	mkdir "$folder/of_root" "$folder/of_caller"
	chmod 755 "$folder" "$folder/of_root"
	chown 65534 "$folder/of_caller"
	echo kept >"$folder/of_caller/root"
	chmod 600 "$folder/of_caller/root"
	cp "$T/dump.csv" "$folder"
	J="--state $T/journals.$raised --machine sim:snbep,sockets=1"
	for command in "$J mem -n 1 -i 0.01 -o" "$J list -o" "$J reg dump -o" "$J doctor -o" "$J check --observe -o" "$J record" \
		"reg diff $folder/dump.csv $folder/dump.csv -o" "reg explain CTL -o" "$J load --read 1MB --time 0.01 -o" "$J --trace"; do
		then=
		case "$command" in *record) then="-- list" ;; *--trace) then=list ;; esac
		what=$(echo "$command" | sed "s|$J ||; s|$folder/||g")
		# shellcheck disable=SC2086 # words
		run by_caller "$T/raised" $command "$folder/of_root/made" $then
		is "$raised: $what makes no file in a folder of root's" \
			"$([ "$rc" -ne 0 ] && echo refused) $(grep -c 'Permission denied' "$T/err") $(ls "$folder/of_root")" "refused 1 "
		# shellcheck disable=SC2086
		run by_caller "$T/raised" $command "$folder/of_caller/root" $then
		is "$raised: $what changes no file of root's" "$([ "$rc" -ne 0 ] && echo refused) $(cat "$folder/of_caller/root")" "refused kept"
		# shellcheck disable=SC2086
		run by_caller "$T/raised" $command "$folder/of_caller/made" $then
		is "$raised: $what makes one in the caller's" "$(stat -c %u "$folder/of_caller/made")" 65534
		rm -f "$folder/of_caller/made"
		# shellcheck disable=SC2086
		run "$U" $command "$folder/of_caller/made" $then
		is "and so does root, whose file it is" "$(stat -c %u "$folder/of_caller/made")" 0
		rm -f "$folder/of_caller/made"
	done
	mkdir "$folder/sticky"
	chmod 1777 "$folder/sticky"
	echo kept >"$folder/sticky/root"
	# shellcheck disable=SC2086
	run by_caller "$T/raised" $J mem -n 1 --format prometheus -o "$folder/sticky/root"
	is "$raised: series replace no file of root's" "$([ "$rc" -ne 0 ] && echo refused) $(cat "$folder/sticky/root") $(ls -A "$folder/sticky")" "refused kept root"
	# shellcheck disable=SC2086
	run by_caller "$T/raised" $J mem -n 1 --format prometheus -o "$folder/of_caller/made"
	if [ "$raised" = root ]; then
		is "$raised: nor any other with a set-user-ID bit" "$rc $(ls "$folder/of_caller")" "4 root"
	else
		is "$raised: but one in the caller's folder" "$rc $(tail -1 "$folder/of_caller/made" | cut -d' ' -f1)" "0 process_start_time_seconds"
	fi
	case $("$U" serve --help 2>&1) in *'built without'*) ;; *)
		mkdir "$folder/open"
		chmod 777 "$folder/open"
		# shellcheck disable=SC2086
		run by_caller timeout 20 "$T/raised" $J serve -n 1 --listen "unix:$folder/open/socket"
		is "$raised: serve makes no socket in the file system" "$rc $(ls -A "$folder/open")" "2 "
		;;
	esac
	rm -r "$folder"
}
raised=capable # a folder for its journals, since the environment does not tell
export UNCORECTL_MACHINE=sim:snbep,sockets=1
run by_caller "$U" list --format csv
has "a caller's environment says which machine" "$err" "machine: sim:snbep"
run by_caller "$T/raised" list --format csv
lacks "but not to a program with more rights than the user has" "$err" "machine: sim:snbep"
run by_caller "$T/raised" --state "$T/journals.$raised" --machine "root:$tree" mem -- grep -E '^(Cap(Prm|Eff|Amb)|NoNewPrivs)' /proc/self/status
is "a COMMAND has nothing of the rights that came with our file" "$out" "$(printf 'CapPrm:\t%016x\nCapEff:\t%016x\nCapAmb:\t%016x\nNoNewPrivs:\t0' 0 0 0)"
run by_caller "$T/raised" --state "$T/journals.$raised" --machine "root:$tree" mem -- sh -c 'echo "$UNCORECTL_MACHINE"'
is "and its caller's environment" "$out" "$UNCORECTL_MACHINE"
unset UNCORECTL_MACHINE
files_of_caller
setcap -r "$T/raised"
raised=root
chown -R 0 "$tree"
chmod u+s,g+s "$T/raised"
run by_caller "$T/raised" --state "$T/journals.$raised" --machine "root:$tree" mem -- sh -c 'id -u; id -ru; id -g; id -rg'
is "with a set-user-ID bit a COMMAND is the caller's, too" "$(echo "$out" | tr '\n' ' ')" "65534 65534 65534 65534 "
files_of_caller
