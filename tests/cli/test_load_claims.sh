# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What load says that it loads and stores is what its innermost loops do: callgrind counts their accesses.
. tests/lib.sh

if ! command -v valgrind >/dev/null; then
	skip "callgrind counts what load claims" "there is no valgrind"
	exit 0
fi
if grep -q -e __asan_init -e __gcov_ "$U"; then
	skip "callgrind counts what load claims" "this build accesses more than it says"
	exit 0
fi
one=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
if [ "$(uname -m)" = x86_64 ]; then width=16; else width=8; fi

# counted FUNCTION: reads, writes and calls of it, of all processes and threads, from what callgrind wrote.
counted() {
	awk -v name="$1" -f tests/bench/counted.awk "$T"/callgrind.*
}

for kind in read write nt-write; do
	rm -f "$T"/callgrind.*
	run valgrind --tool=callgrind --cache-sim=yes --callgrind-out-file="$T/callgrind.%p" \
		"$U" --no-sandbox load --$kind 200MB --cpu "$one" --size 1M --time 0.5 --format csv
	is "$kind: done under callgrind" "$rc" 0
	case $kind in
	read) function=traffic_load column=loaded_bytes ;;
	write) function=traffic_store column=stored_bytes ;;
	nt-write) function=traffic_nt_store column=nt_stored_bytes ;;
	esac
	claimed=$(column "$column")
	# shellcheck disable=SC2046 # three words
	set -- $(counted "$function")
	check "$kind: something was moved" [ "${claimed:-0}" -gt 1000000 ]
	# A call of the function reads its return address when it ends, and that is all that it does besides.
	if [ $kind = read ]; then
		is "read: the bytes that it claims are the loads of its loop" "$((($1 - $3) * width))" "$claimed"
		is "read: it stores nothing" "$2" 0
	else
		is "$kind: the bytes that it claims are the stores of its loop" "$(($2 * width))" "$claimed"
		is "$kind: it loads nothing" "$(($1 - $3))" 0
	fi
	for other in traffic_load traffic_store traffic_nt_store; do
		[ $other = "$function" ] || is "$kind: $other is not called" "$(counted $other)" "0 0 0"
	done
done
