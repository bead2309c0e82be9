# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What takes longer the more there is of something takes four times as long for four times as much, and not sixteen times.
# Instructions are counted, so it does not matter how busy this computer is.
set -u
. tests/lib.sh

if ! command -v valgrind >/dev/null; then
	skip "callgrind counts instructions" "there is no valgrind"
	exit 0
fi
if grep -q -e __asan_init -e __gcov_ "$U"; then
	skip "callgrind counts instructions" "this build has sanitizers"
	exit 0
fi

instructions() { # WHAT N
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$B/tests/bench/growth" "$1" "$2" 2>&1 |
		sed -n 's/.*Collected : //p'
}

# n log n is below 5 here, n * n is 16; what both have in common, such as the start, is left out.
grows() { # WHAT N
	none=$(instructions "$1" 0) some=$(instructions "$1" "$2") more=$(instructions "$1" $((4 * $2)))
	ratio=$(awk -v a="$none" -v b="$some" -v c="$more" 'BEGIN { printf "%.2f", (b > a ? (c - a) / (b - a) : 99) }')
	check "$1: four times $2 cost $ratio times as much" awk -v r="$ratio" 'BEGIN { exit !(r > 2 && r < 5.5) }'
}

grows journal 500
grows again 500
grows nearest 500
grows events 200
grows twice 200
