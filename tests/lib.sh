# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For the shell tests: a test is one line "ok SENTENCE" or "not ok SENTENCE" (with what was seen), or "skip SENTENCE # why".
# tests/run starts each file with B set to the build folder, the repository root as current directory, and an empty
# folder in T that goes away afterwards.

U=$B/uncorectl
POKE=$B/tests/simpoke
# What a test leaves behind is its own.
UNCORECTL_STATE=$T/journals
export UNCORECTL_STATE

# run COMMAND...: leaves its exit status in rc, what it printed in out and err, and both in files of these names in T.
run() {
	rc=0
	"$@" >"$T/out" 2>"$T/err" </dev/null || rc=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
	# tests/run looks at all of them: are they as the schema says?
	[ -z "${JSON_OUTPUTS-}" ] || collect "$@" >>"$JSON_OUTPUTS/$$"
}
collect() {
	case "$rc $out" in [01]' {"record":"header"'*) cat "$T/out" ;; esac
	# Not what a COMMAND, or a register alone, printed.
	case $(grep -v '^#' "$T/out" | head -1) in
	*,*) case "$rc $* " in [01]" $U "*" --format csv "*) echo csv && cat "$T/out" ;; esac ;;
	esac
}

# until_ COMMAND...: waits for it to succeed, 60 s at most, since a busy computer may take its time.
until_() {
	until_left=1200
	until "$@" >/dev/null 2>&1; do
		[ $((until_left -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}
# start COMMAND...: in the background, its process in pid; ended WHAT: its end, after which rc, out and err are as run() leaves
# them.  A shell starts what is in the background with SIGINT and SIGQUIT ignored, which stays so: env takes that back.
start() {
	env --default-signal=INT,QUIT "$@" </dev/null >"$T/out" 2>"$T/err" &
	pid=$!
}
ended() {
	rc=0
	over "$pid" "$1" || rc=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
}
# over PROCESS [WHAT]: `wait` with a bound.  A process that does not end within it is killed, and that is a failure.
over() {
	if ! until_ is_gone "$1"; then
		not_ok "${2:-process $1} came to its end"
		kill -KILL "$1"
	fi
	wait "$1" 2>/dev/null
}
is_gone() { ! kill -0 "$1"; }

ok() { echo "ok $1"; }
not_ok() {
	echo "not ok $1"
	shift
	printf '%s\n' "$@" | sed 's/^/# /'
}
skip() { echo "skip $1 # $2"; }

# check SENTENCE COMMAND...: it must succeed.
check() {
	sentence=$1
	shift
	if "$@"; then ok "$sentence"; else not_ok "$sentence" "failed: $*" "rc=${rc-}" "stdout: $(head -c 1500 "$T/out")" "stderr: $(head -c 1500 "$T/err")"; fi
}
is() { # SENTENCE GOT WANTED
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got:    $2" "wanted: $3"; fi
}
has() { # SENTENCE TEXT PART
	case "$2" in *"$3"*) ok "$1" ;; *) not_ok "$1" "in:     $2" "wanted: $3" ;; esac
}
lacks() { # SENTENCE TEXT PART
	case "$2" in *"$3"*) not_ok "$1" "in:       $2" "unwanted: $3" ;; *) ok "$1" ;; esac
}

# refused SENTENCE STATUS PART COMMAND...: that exit status, nothing on stdout, and one sentence on stderr with PART in it
# (the line that names a machine which is not live, and notes, do not count).
refused() {
	sentence=$1 status=$2 part=$3
	shift 3
	run "$@"
	lines=$(grep -cv -e '^uncorectl: machine: ' -e '^uncorectl: note: ' "$T/err")
	if [ "$rc" = "$status" ] && [ -z "$out" ] && [ "$lines" = 1 ] &&
		grep -v '^uncorectl: machine: ' "$T/err" | grep -qF -- "$part" && ! grep -qv '^uncorectl: ' "$T/err"; then
		ok "$sentence"
	else
		not_ok "$sentence" "status $rc, wanted $status" "stdout: $out" "stderr: $err" "wanted in it, alone: $part"
	fi
}

# column NAME: of the CSV records in T/out, one value a line.
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$T/out"
}
# near A B PERCENT
near() { awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b > 0 && d <= b * p / 100) }'; }

# Of how many places of a proof one is tried: EVERY, or 5 (make check-every: 1); each run takes ten times as long with sanitizers.
every() {
	if grep -q __asan_init "$U"; then
		echo 61
	else
		echo "${EVERY:-5}"
	fi
}

# By how many T/longer has more reads of counters than T/trace, of those whose bytes match PATTERN.
one_more() { # PATTERN
	reads=" r(32|64|blk) 0x([abc].|d[0-7]) $1\$"
	echo $(($(grep -cE "$reads" "$T/longer") - $(grep -cE "$reads" "$T/trace")))
}

# T/longer has one sample of 1 s more than T/trace.  Prints of how many channels it is, if each is read as expected: the counters are
# one block, and the look reads the clock in a block with the controls, and its low half once more.
reads_of_a_sample() {
	n=$(one_more '[0-9a-f]{32}')
	all=$(one_more '.*') halves=$(one_more '0x[0-9a-f]{8}')
	if [ "$all $halves" = "$((3 * n)) $n" ]; then
		echo "$n"
	else
		echo "$all, of them $n of 16 bytes and $halves of 4"
	fi
}

# Are the rates in the CSV rows of `mem` in T/out what was moved between what simpoke wrote into T/before and T/after?  Prints how many
# rows there are, each of a controller of two channels, and before that each row that is not.
rates_of_controllers() { # CHANNELS_OF_A_SOCKET
	awk -F, -v of_socket="$1" '
		function off(is, wanted) { return !(is / wanted - 1 < 0.0005 && is / wanted - 1 > -0.0005) }
		FNR == 1 { file++ }
		file < 3 { # SOCKET CHANNEL ADDR RAW_NS READ_BYTES WRITE_BYTES, two channels to a controller
			split($0, w, " ")
			sign = file == 1 ? -1 : 1
			place = w[1] "," int((FNR - 1) % of_socket / 2)
			reads[place] += sign * w[5]
			writes[place] += sign * w[6]
			if (FNR == 1)
				t += sign * w[4]
			next
		}
		FNR > 1 {
			place = $3 "," $4
			rows++
			if (off($9, reads[place] * 1e9 / t) || off($10, writes[place] * 1e9 / t))
				print
		}
		END { print rows + 0, "rows" }' "$T/before" "$T/after" "$T/out"
}

# Starts that many loops, which keep processors busy until the test ends.
keep_busy() { # LOOPS
	for _ in $(seq "$1"); do
		while kill -0 $$ 2>/dev/null; do :; done &
	done
}

# Writes T/caches.dump, of an Intel processor whose channels no map has, and whose L3 can be monitored: for sim:cpuid=.
caches_dump() {
	cat >"$T/caches.dump" <<'END'
------[ Logical CPU #0 ]------
CPUID 00000000: 0000000F-756E6547-6C65746E-49656E69 [GenuineIntel]
CPUID 00000001: 000706A1-00010800-7FFEFBFF-BFEBFBFF
CPUID 00000004: 0C004163-0280003F-00000FFF-00000004 [SL 00]
CPUID 00000007: 00000000-00001000-00000000-00000000 [SL 00]
CPUID 0000000B: 00000000-00000001-00000100-00000000 [SL 00]
CPUID 0000000B: 00000003-00000001-00000201-00000000 [SL 01]
CPUID 0000000F: 00000000-0000001F-00000000-00000002 [SL 00]
CPUID 0000000F: 00000000-00010000-0000001F-00000007 [SL 01]
END
}
