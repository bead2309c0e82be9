# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Known: for pcm-memory a counter that starts again at 2^48 has gone up by nearly 2^64, which it takes times 64, and all in 64 bits.
. tests/peers/lib.sh

has_lines() { [ "$(grep -c '^20' "$T/out")" -ge "$1" ]; }

address=$(truth | awk '$1 == "channel" && $2 == 0 { print $3 }' | grep ":$(pcm_order | cut -d' ' -f1)$")
truth >"$T/before"
as pcm-memory -csv -f 1 -i=2 >"$T/out" 2>"$T/err" &
pid=$!
until_it grep -q "^Update every" "$T/err" # its counters run
setpci -s "$address" a0.l=ffff0000 a4.l=0000ffff # 65536 below the end
until_it has_lines 1
step 1
truth >"$T/after"
wait $pid
row pcm-memory "Ch0 = $address read MB/s, over 2^48" "$(awk -F, '/^20/ { value = $3 } END { print value }' "$T/out" | tr -d ' ')" "$(
	awk -v n="$(events "$address")" 'BEGIN { printf "%.0f", (2 ^ 64 - (2 ^ 48 - n) * 64) / 1e6 }'
)" 0.001%
