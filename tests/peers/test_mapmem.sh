# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# mapmem.so: a program that maps /dev/mem makes reads and writes of a file, each of the width of its access.
. tests/lib.sh

try() { # WORD...
	run env LD_PRELOAD="$PWD/$B/tests/peers/mapmem.so" MAPMEM="$T/mem" "$B/tests/peers/maptry" 1000 "$@"
}
bytes() { od -An -v -tx1 -j "$1" -N "$2" "$T/mem" | tr -d ' \n'; } # OFFSET NUMBER
awk 'BEGIN { for (i = 0; i < 16384; i++) printf "%c", 65 + i % 26 }' >"$T/mem"
cp "$T/mem" "$T/before"

try r1:0 r2:0 r4:4 r8:8 r8:ff8
is "reads of each width give the file's bytes" "$rc $(echo "$out" | paste -sd ' ')" \
	"0 $(bytes 4096 1) $(bytes 4096 2 | sed 's/\(..\)\(..\)/\2\1/') $(for n in 4:4100 8:4104 8:8184; do
		od -An -v -tx"${n%:*}" -j "${n#*:}" -N "${n%:*}" "$T/mem" | tr -d ' '
	done | paste -sd ' ')"
check "and change nothing" cmp -s "$T/mem" "$T/before"
try w1:0:11 w2:2:2233 w4:4:44556677 w8:8:8899aabbccddeeff
is "writes of each width change these bytes" "$rc $(bytes 4096 16)" "0 11$(od -An -tx1 -j 4097 -N 1 "$T/before" | tr -d ' ')332277665544ffeeddccbbaa9988"
is "and no others" "$(cmp -l "$T/mem" "$T/before" | awk '$1 < 4097 || $1 > 4112')" ""
try w4:20:0f0f0000 o4:20:000000f1 r4:20
is "an instruction that reads and writes does both" "$rc $out" "0 f0f00f1"
try w4:1004:12345678 r4:1004
is "the second page is after the first" "$rc $out $(bytes 8196 4)" "0 12345678 78563412"
try r4:0 crash r4:0
is "an access elsewhere ends the program as ever" "$rc $(echo "$out" | grep -c .)" "139 1"
# Where the file takes no access of its width, as at its end, nothing answers.
truncate -s 4100 "$T/mem"
try r4:0 r8:0
is "what the file does not answer reads as ones" "$rc $(echo "$out" | tail -n 1)" "0 ffffffffffffffff"
