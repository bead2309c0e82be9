# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Runs independent tests side by side: for tests/run, tests/peers/run and tests/vm/run.

# An empty folder for what follows; it goes away at the end, and what still runs is ended.
# A path of plain characters, as in tests/afresh.
case ${TMPDIR-} in *[!A-Za-z0-9/._-]*) unset TMPDIR ;; esac
scratch=$(mktemp -d) || exit 2
running='' # processes
finish() {
	trap '' HUP INT TERM
	# shellcheck disable=SC2086 # a list
	[ -n "$running" ] && kill $running 2>/dev/null && wait $running
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
: >"$scratch/results"
: >"$scratch/times"

# lane NUMBER SECONDS LIST COMMAND...: takes the next line of LIST that no other lane has taken, until none is left.
lane() {
	mine=$scratch/lane$1 seconds=$2 list=$3
	shift 3
	nth=0 child=''
	# shellcheck disable=SC2154 # it has its value when the signal comes
	trap '[ -n "$child" ] && kill "$child" 2>/dev/null && wait "$child"; exit 1' HUP INT TERM
	while read -r job <&3; do
		T=$list.$((nth += 1))
		mkdir "$T.taken" 2>/dev/null || continue
		mkdir "$T"
		export T
		since=$(date +%s)
		# shellcheck disable=SC2086 # words
		tests/afresh "$seconds" "$@" $job >"$mine" 2>"$mine.stderr" &
		child=$!
		wait "$child"
		status=$?
		child=''
		{
			echo "-- $job"
			cat "$mine"
			[ $status -eq 0 ] || echo "not ok $job ran to its end (status $status)"
			sed 's/^/# /' "$mine.stderr"
		} >"$mine.said"
		echo "$(($(date +%s) - since)) $job" >>"$scratch/times"
		(flock 9 && tee -a "$scratch/results" <"$mine.said") 9>>"$scratch/lock"
		rm -rf "$T"
	done 3<"$list"
}

# side_by_side LANES SECONDS LIST COMMAND...: runs COMMAND with the words of each line of the file LIST, LANES at a time, each for
# SECONDS at most, with an empty folder in T.  What one printed is shown as a whole when it ends; it is also in $scratch/results.
side_by_side() {
	lanes=$1
	shift
	for n in $(seq "$lanes"); do
		lane "$n" "$@" &
		running="$running $!"
	done
	# shellcheck disable=SC2086 # a list
	wait $running
	running=''
}

# The last line, "N passed, N failed" and ", N skipped" where there were any, after what took 10 s or longer.  Its status is 1 if any
# failed, or none passed or was skipped.
summary() {
	sort -rn "$scratch/times" | awk '$1 >= 10 { print "slow: " $2 " took " $1 " s" }'
	passed=$(grep -c '^ok ' "$scratch/results")
	failed=$(grep -c '^not ok ' "$scratch/results")
	skipped=$(grep -c '^skip ' "$scratch/results")
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
}
