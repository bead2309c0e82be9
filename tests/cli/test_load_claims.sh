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

# counted FUNCTION: reads, writes and calls of it, of all processes and threads, from what callgrind wrote.  The numbers behind a
# line are those of the function in whose part it is, but for the one behind calls=, which are of the function that is called.
counted() {
	awk -v name="$1" '
		FNR == 1 { split("", known); inside = 0; skip = 0; to = 0 }
		/^events:/ { for (i = 2; i <= NF; i++) { if ($i == "Dr") dr = i; if ($i == "Dw") dw = i } next }
		/^c?fn=/ {
			id = $1; sub(/^c?fn=/, "", id)
			if (NF > 1) known[id] = $2
			if (/^fn=/) inside = known[id] == name; else to = known[id] == name
			next
		}
		/^calls=/ { n = $1; sub(/^calls=/, "", n); if (to) calls += n; skip = 1; next }
		/^[0-9+*-]/ { if (inside && !skip) { reads += $dr; writes += $dw } skip = 0 }
		END { printf "%d %d %d\n", reads, writes, calls }' "$T"/callgrind.*
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
