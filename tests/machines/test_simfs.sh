# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The way of a real machine: the same code as `live` on a mounted tree of files whose registers tick.
. tests/lib.sh
. tests/mounted.sh

# Of each channel: socket, channel, PCI address, time, bytes read, bytes written.
truth() {
	awk -F '[:,] *' '/"raw_ns"/ { t = $2 }
		/"socket"/ { pci = $0; sub(/.*"pci": "/, "", pci); sub(/".*/, "", pci)
			for (i = 1; i < NF; i++) { key = $i; gsub(/[" {]/, "", key); v[key] = $(i + 1) }
			print v["socket"], v["channel"], pci, t, v["read_bytes"], v["write_bytes"] }' "$mnt/truth.json"
}

if ! mount_machine sim:snbep,sockets=2; then
	unmount
	skip "a mounted machine is measured through its files" "no FUSE here: $(cat "$T/server")"
	exit 0
fi

M=root:$mnt
cat "$mnt"/sys/bus/pci/devices/*/config | md5sum >/dev/null # every file can be read
run "$U" --machine "$M" list --format csv
is "list finds eight idle channels" "$(grep -c ',idle,' "$T/out")" 8
is "list names the sockets by the UBOX" "$(grep -c '^socket0.*,0000:7f:' "$T/out")" 4

truth >"$T/before"
run "$U" --machine "$M" --trace "$T/trace" mem -i 0.5 -n 2 --format csv
truth >"$T/after"
is "mem succeeds" "$rc" 0
# On a computer that does other things too a read may come late, whose count is right all the same.
is "a machine that is not simulated by us is not flagged" "$(column flags | sort -u | grep -vx late)" ""
# The load is constant, so every sample's rate is the rate between any two moments.
bad=$(paste "$T/before" "$T/after" | while read -r socket channel addr t0 r0 w0 _ _ _ t1 r1 w1; do
	grep ",$socket,0,$channel,$addr," "$T/out" | while IFS=, read -r _ _ _ _ _ _ _ _ read write _; do
		near "$read" "$(awk "BEGIN { print ($r1 - $r0) * 1e9 / ($t1 - $t0) }")" 0.5 || echo "read of $addr: $read"
		near "$write" "$(awk "BEGIN { print ($w1 - $w0) * 1e9 / ($t1 - $t0) }")" 0.5 || echo "write of $addr: $write"
	done
done)
is "every channel's bandwidth is the truth within 0.5 %" "$bad" ""
# 3 of 8 channels, the first for the baseline; more where a read took unusually long and was done again.
check "the trace has a read of 16 bytes per channel and sample" [ "$(grep -c ' rblk 0xb0 [0-9a-f]\{32\}$' "$T/trace")" -ge 24 ]
is "controls are as they were" "$(od -v -An -tx4 -j 0xd8 -N 32 "$mnt/sys/bus/pci/devices/0000:ff:10.0/config" | tr -d ' 0\n')" ""

run "$U" --machine "$M" mem --format csv -- sleep 0.2
is "a COMMAND is measured there" "$(grep -c '^[0-9]' "$T/err")" 8
unmount
check "the server unmounts when told to end" [ ! -e "$mnt/truth.json" ]

# Registers in memory: accesses of their width to dev/mem.  Not gnr: its truth.json cannot be read yet, since it has no event cas_count.rd.
for model in icx spr; do
	if ! mount_machine sim:$model,sockets=2,cores=4; then
		not_ok "$model is mounted" "$(cat "$T/server")"
		continue
	fi
	truth >"$T/before"
	run "$U" --machine "$M" --trace "$T/trace" mem -i 0.5 -n 2 --format csv
	truth >"$T/after"
	is "$model: mem succeeds, and no record is flagged" "$rc $(column flags | sort -u | grep -vx late)" "0 "
	bad=$(paste "$T/before" "$T/after" | while read -r socket channel addr t0 r0 w0 _ _ _ t1 r1 w1; do
		grep ",$socket,[0-9]*,$channel,$addr," "$T/out" | while IFS=, read -r _ _ _ _ _ _ _ _ read write _; do
			near "$read" "$(awk "BEGIN { print ($r1 - $r0) * 1e9 / ($t1 - $t0) }")" 0.5 || echo "read of $addr: $read"
			near "$write" "$(awk "BEGIN { print ($w1 - $w0) * 1e9 / ($t1 - $t0) }")" 0.5 || echo "write of $addr: $write"
		done
	done)
	is "$model: two records of every channel" "$(column pci | sort | uniq -c | grep -c '^ *2 0x')" "$(wc -l <"$T/before")"
	is "$model: whose bandwidth is the truth within 0.5 %" "$bad" ""
	run "$U" --machine "$M" reg get '*.CTL[*]' --format csv
	is "$model: controls are as they were" "$(column value | sed 's/^0x00*$/zero/' | sort -u)" zero
	unmount
done

if mount_machine sim:snbep,sockets=2,hide=ff:10.4; then
	run "$U" --machine "$M" mem -i 0.1 -n 1 --format csv
	is "a channel without a file is missing" "$(grep -c ',0000:ff:10.4,.*,missing,' "$T/out")" 1
	is "and the others count" "$(column flags | grep -cx -e '' -e late)" 7
else
	not_ok "a second machine is mounted" "$(cat "$T/server")"
fi
