# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Text from other users, files and machines steers no terminal and breaks no format, whatever it came with and whatever prints it.
. tests/lib.sh

# A sequence of C0, one of a raw C1 byte, one of C1 in UTF-8, DEL, overlong, half a pair, too large, right to left; the last one cut.
EVIL=$(printf 'e\033[31m\233\062J\302\233\063Jd\177\300\233\355\240\200\364\220\200\200\342\200\256x\342\202')
LC_ALL=C.UTF-8
export LC_ALL

# UTF-8 without a control character, a change of direction, or a replacement that no reader can decode.
is_plain() { # FILE
	iconv -f UTF-8 -t UTF-8 <"$1" >/dev/null 2>&1 &&
		! LC_ALL=C grep -qaE "$(printf '[\001-\010\013-\037\177]|\302[\200-\237]|\342\200[\252-\256]')" "$1"
}
# plain SENTENCE SHOWN COMMAND...: what it prints is plain, and has SHOWN in it.
plain() {
	sentence=$1 shown=$2
	shift 2
	run "$@"
	if is_plain "$T/out" && is_plain "$T/err" && cat "$T/out" "$T/err" | grep -qaF -- "$shown"; then
		ok "$sentence"
	else
		not_ok "$sentence" "stdout: $(head -c 1500 "$T/out" | cat -v)" "stderr: $(head -c 1500 "$T/err" | cat -v)" "wanted in it: $shown"
	fi
}
SEEN='e\x1b[31m\x9b2J'
ALL='e\x1b[31m\x9b2J\xc2\x9b3Jd\x7f\xc0\x9b\xed\xa0\x80\xf4\x90\x80\x80\xe2\x80\xaex\xe2\x82'
JSON='e\u001b[31m\ufffd2J'
S=sim:snbep,sockets=1

# ---- the command line ----
for wrong in "$EVIL" "--machine $EVIL list" "--$EVIL" "--regs $EVIL list" "--machine $S $EVIL" "--machine $S mem --format $EVIL" \
	"--machine $S mem -i $EVIL" "--machine $S stat -e $EVIL" "--machine $S llc --cpus $EVIL" "--machine $S events $EVIL" \
	"--machine $S reg get $EVIL" "--machine $S reg $EVIL" "--machine $S check $EVIL" "--machine $S xcheck $EVIL" "maps check $EVIL" \
	"--machine $S record $T/no/$EVIL -- list" "--machine replay:$EVIL" "--machine root:$EVIL list" "--machine sim:$EVIL list" \
	"--machine $S mem -o $T/no/$EVIL" "--trace $T/no/$EVIL --machine $S mem" "--machine $S mem -- $T/$EVIL" "load --size $EVIL"; do
	# shellcheck disable=SC2086 # words
	plain "an argument: $(printf %s "$wrong" | LC_ALL=C tr -cd 'a-zA-Z0-9 ./:-')" "$SEEN" "$U" $wrong
done
mkdir "$T/$EVIL"
for format in table csv jsonl; do
	plain "a path that is the machine's name, mem as $format" "$ALL" "$U" --machine "$S,state=$T/$EVIL/s" mem -i 0.01 -n 1 --format $format
done
plain "a path in list" "machine  $S" "$U" --machine "$S,state=$T/$EVIL/s" list
K=$S,clock=step,state=$T/s
mkdir "$(printf '%s/a\nb' "$T")"
plain "a line end in a path breaks no line" "machine  $S,state=$T/a\x0ab/s (simulated)" "$U" --machine "$(printf '%s,state=%s/a\nb/s' $S "$T")" list
"$U" --state "$T/killed" --machine "$K,kill=60:after" mem -n 3 -o "$T/$EVIL/data" >/dev/null 2>&1
for format in table csv jsonl; do
	plain "arguments of another run, which recover tells beside $format" "$SEEN" "$U" --state "$T/killed" --machine "$K" --dry-run recover --format $format
	plain "and doctor as $format" "mem" "$U" --state "$T/killed" --machine "$K" doctor --format $format
done

# ---- maps ----
mkdir "$T/maps"
sed 's/^\( *is: \)[A-Za-z].*/\1"D\\e[31m\\x9b\\u202e\\x7f"/; s/is: [a-z][^,}]*}$/is: "D\\e[31m\\x9b\\u202e\\x7f"}/
	s/^  g_jkt: .*/  g_jkt: "G\\e[31m\\x9b\\u202e\\x7f"/; s/^title: .*/title: "T\\e[31m\\x9b\\u202e\\x7f"/' \
	regs/intel-snbep-imc.yaml >"$T/maps/intel-snbep-imc.yaml"
M="--regs $T/maps --machine $S"
D='\x1b[31m\xc2\x9b\xe2\x80\xae\x7f'
# shellcheck disable=SC2086 # words
{
	plain "a map: events" "D$D" "$U" $M events
	plain "a map: events as CSV" "D$D" "$U" $M events --format csv
	plain "a map: events as JSON lines" 'D\u001b[31m\u009b\u202e\u007f' "$U" $M events --format jsonl
	plain "a map: events in paragraphs" "G$D" "$U" $M events -v
	plain "a map: reg explain" "D$D" "$U" $M reg explain CTL
	plain "a map: reg dump" "D$D" "$U" $M reg dump
	plain "a map: list" "T$D" "$U" $M list -v
	plain "a map: doctor" "$S" "$U" $M doctor
	for format in table jsonl tap junit html; do
		plain "a map: check as $format" "$S" "$U" $M check --quick --format $format
	done
}
printf 'format: uncorectl-regs/1\ntitle: "%s"\n%s: 1\n' "$EVIL" "$EVIL" >"$T/bad.yaml"
plain "a map that is wrong" "bad.yaml" "$U" maps check "$T/bad.yaml"
sed 's/^counter_bits:.*/&\n"k\\e[31m\\x9b": 1/' regs/intel-snbep-imc.yaml >"$T/bad.yaml"
plain "one with a key that is wrong" 'k\x1b[31m\xc2\x9b' "$U" maps check "$T/bad.yaml"

# ---- lists of events, dumps, records ----
printf '[{"Unit": "iMC", "EventCode": "0x01", "UMask": "0x00", "EventName": "UNC_M_X", "Counter": "0",
	"BriefDescription": "e\\u001b[31m\\u009b3J\\u202e\\u007f"},
	{"Unit": "iMC", "EventCode": "0x01", "EventName": "N\\u001b[31m\\u009b3J", "Counter": "0"}]' >"$T/list.json"
for format in table csv; do
	plain "a list of events as $format" 'e\x1b[31m\xc2\x9b3J\xe2\x80\xae\x7f' "$U" --machine $S events --import-perfmon "$T/list.json" --format $format
done
plain "a list of events as JSON lines" 'e\u001b[31m\u009b3J\u202e\u007f' "$U" --machine $S events --import-perfmon "$T/list.json" --format jsonl
"$U" --machine $S reg dump --format csv 2>/dev/null >"$T/a.csv"
LC_ALL=C sed "2s/^[^,]*/$(printf %s "$EVIL" | sed 's/[[\]/\\&/g')/" "$T/a.csv" >"$T/b.csv"
for format in table csv jsonl; do
	plain "a dump as $format" 'd' "$U" reg diff "$T/a.csv" "$T/b.csv" --format $format
done
"$U" --machine $S record "$T/r" -- list >/dev/null 2>&1
for what in 's/^machine .*/&%1B[31m%9B%C2%9B/' 's/^\(rblk .*\) [^ ]*$/\1 *16 !io EIO e%1B[31m%9B%C2%9B/' 's/^begin/option e%1B[31m%9B%C2%9B\n&/'; do
	LC_ALL=C sed -e "$what" "$T/r" >"$T/evil.rec"
	plain "a record: $(printf %s "$what" | tr -cd 'a-z ^')" 'x1b[31m\x9b' "$U" --machine "replay:$T/evil.rec"
done

# ---- files of the machine ----
mkdir -p "$T/files/proc/812/fd" "$T/files/proc/sys/kernel" "$T/files/sys/class/dmi/id" "$T/files/var/run" \
	"$T/files/sys/bus/event_source/devices/uncore_imc_0"
ln -s 'anon_inode:[perf_event]' "$T/files/proc/812/fd/4"
printf '812 (%s) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n' "$EVIL" >"$T/files/proc/812/stat"
printf 'resctrl /%s resctrl rw 0 0\n' "$EVIL" >"$T/files/proc/mounts"
for file in proc/sys/kernel/nmi_watchdog proc/sys/kernel/version proc/sys/kernel/osrelease sys/class/dmi/id/product_name; do
	printf '%s\n' "$EVIL" >"$T/files/$file"
done
F=sim:ivt,sockets=1,files=$T/files
for format in table csv jsonl; do
	shown=$SEEN
	[ $format = jsonl ] && shown=$JSON
	plain "a process, a file system: doctor as $format" "$shown" "$U" --machine "$F" doctor --format $format
done
for format in table jsonl tap junit html; do
	case $format in jsonl) shown=$JSON ;; tap | html) shown='e\\x1b' ;; *) shown=$SEEN ;; esac
	plain "firmware and kernel: check as $format" "$shown" "$U" --machine "$F" check --quick --format $format
done
for off in 0xd8 0xdc 0xe0 0xe4; do
	for f in 10.0 10.1 10.4 10.5; do "$POKE" "$F,state=$T/busy" w ff:$f $off 0x00400304; done
done
plain "a process: channels that are in use" "$SEEN" "$U" --machine "$F,state=$T/busy" stat -e cas_count.rd,cas_count.wr -n 1
plain "a kernel: xcheck" "verdict" "$U" --machine "$F,perf=on" xcheck -n 1

# A processor calls itself anything.
mkdir -p "$T/root/sys"
{
	printf 'basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n'
	printf 'extended_cpuid[0]=80000008 0 0 0\nextended_cpuid[2]=6d1b5b58 339b9bc2 7f41334a 0a0d0742\n'
	printf 'extended_cpuid[3]=41414141 41414141 41414141 41414141\nextended_cpuid[4]=41414141 41414141 41414141 00414141\n'
} >"$T/root/cpuid.raw"
for command in list "doctor" "doctor --format jsonl" "reg dump" mem; do
	# shellcheck disable=SC2086 # words
	plain "a dump of CPUID: $command" "root" "$U" --machine "root:$T/root" $command
done
