# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# truth.json is exact, and all of it of the time that it names, also where time goes by itself.
. tests/lib.sh
. tests/mounted.sh

cat >"$T/load" <<'E2'
format: uncorectl-load/1
channels:
  "socket*.imc*.ch*": {read: 6.4e9, write: 3.2e9}
cpus:
  "0-35": {occupancy: 1e5, total: 10e9, local: 4e9}
E2

if ! mount_machine "sim:bdx,sockets=1,load=$T/load"; then
	unmount
	skip "truth.json is exact" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
# 36 CPUs move 360 and 144 bytes a ns; what each has done until a time is floored by itself.
for i in 1 2 3 4 5 6; do
	cat "$mnt/truth.json" >"$T/truth$i"
	awk -F '[:,] *' '/"raw_ns"/ { t = $2 } /"rmid": 0/ { gsub("}", ""); print t, $10, $12 }' "$T/truth$i"
done >"$T/moments"
is "each answer has what the L3 moved" "$(wc -l <"$T/moments")" 6
is "which is that of its time, to the byte" "$(awk 'NR > 1 { d = $2 - b - ($1 - a) * 360; e = $3 - c - ($1 - a) * 144
	if (d < -36 || d > 36 || e < -36 || e > 36) print d, e } { a = $1; b = $2; c = $3 }' "$T/moments")" ""
# 64 bytes a command, 0.1 and 0.05 of them a ns.
is "so is what the channels did" "$(awk -F '[:,] *' '/"raw_ns"/ { t = $2; n = 0 } /"read_bytes"/ {
	n++; for (i = 1; i < NF; i++) { key = $i; gsub(/[" {]/, "", key); v[key] = $(i + 1) }
	r = (v["read_bytes"] - r0[n]) / 64 - (t - t0[n]) / 10; w = (v["write_bytes"] - w0[n]) / 64 - (t - t0[n]) / 20
	if (t0[n] && (r < -1 || r > 1 || w < -1 || w > 1)) print r, w
	r0[n] = v["read_bytes"]; w0[n] = v["write_bytes"]; t0[n] = t }' "$T"/truth[1-6])" ""
is "and bytes are 64 for each CAS" "$(awk '/"read_bytes"/ { match($0, /"read_bytes": [0-9]+/); b = substr($0, RSTART + 14, RLENGTH - 14)
	match($0, /"cas_count.rd": [0-9]+/); c = substr($0, RSTART + 16, RLENGTH - 16); if (b + 0 != 64 * c) print b, c }' "$T/truth6")" ""
unmount
is "the server ends well" "$server_rc" 0
