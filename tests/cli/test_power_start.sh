# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# --start: the microcode of POWER chips that is paused runs while a program measures, and is paused again, unless perf needs it.
. tests/lib.sh
. tests/mounted.sh
export XDG_RUNTIME_DIR="$T"

# Of a machine in this process.
cat >"$T/load" <<'END'
format: uncorectl-load/1
channels:
  "*": {read: 2e9, write: 1e9}
END
P=sim:p9,clock=step,load=$T/load
S=$P,nest=paused
writes() { awk '$4 ~ /^w/ { printf "%s ", $3 "=" $6 }' "$T/trace"; }
run "$U" --machine "$S" --trace "$T/trace" mem -i 1 -n 3 --start --format csv
is "a paused chip is started, and paused again at the end, the last one first" "$rc $(writes)" \
	"0 chip0=0x0000000000000001 chip8=0x0000000000000001 chip8=0x0000000000000002 chip0=0x0000000000000002 "
is "each number is right, and the first, too" "$(column flags | sort -u) $(column read_bytes_per_s | awk '{ print ($1 > 7.992e9 && $1 < 8.008e9) }' | sort -u)" "estimate;simulated 1"
has "that is said" "$err" "the microcode of 2 chips was paused; it runs until this ends"
run "$U" --machine "$P" --trace "$T/trace" mem -n 1 --start
is "one that runs is left alone" "$rc $(writes)" "0 "
run "$U" --machine "$S" --trace "$T/trace" stat -n 1 --block powerbus0 -e PM_PB_CYC --start
is "stat starts it, too, by another unit" "$rc $(writes | wc -w)" "0 4"
run "$U" --machine "$S" --dry-run mem --start
is "--dry-run tells the writes" "$rc $(grep -c '^write .* STATUS at 0x3fc00: 0x000000000000000[12] (status=0x[12])$' "$T/out")" "0 4"
refused "lockdown" 4 "the kernel is locked down" "$U" --machine "$S,lockdown=1" mem --start -n 1
refused "a microcode that takes no command" 1 "its microcode takes no command" "$U" --machine "$P,nest=deaf" mem --start -n 1
refused "never begun" 1 "their microcode never ran" "$U" --machine "$P,nest=never" mem --start -n 1
refused "--observe" 2 "--start needs a register to be written, and --observe writes none" "$U" --machine "$S" mem --observe --start
refused "reg set refuses other values" 1 "no program writes 0x3fc00 of an area, or no such value" "$U" --machine "$P" reg set --write socket0.imc0.STATUS=3
run "$U" --machine "$S" record "$T/record" -- mem -n 2 --start --format csv
cp "$T/out" "$T/first"
run "$U" --machine "replay:$T/record"
is "a record of it can be replayed" "$rc $(cmp "$T/out" "$T/first" 2>&1)" "0 "

# Commands through debugfs.  The machine shows its processes: one of them opens an event of perf.  Another, uncorectl, is killed.
tree=$T/tree
binds_end() {
	for bind in "$tree/sys" "$tree/proc/device-tree"; do
		! mountpoint -q "$bind" || umount "$bind"
	done
}
trap 'binds_end; unmount' EXIT
mkdir -p "$tree/sys" "$tree/proc/4711/fd" "$tree/proc/device-tree"
echo "4711 (perf) S $(seq -s ' ' 1 49)" >"$tree/proc/4711/stat"
if ! { mount_machine "sim:p9,nest=paused" && mount --bind "$mnt/sys" "$tree/sys" && mount --bind "$mnt/proc/device-tree" "$tree/proc/device-tree"; }; then
	skip "commands through debugfs" "no FUSE or no bind mount here: $(cat "$T/server")"
	exit 0
fi
unc() { run "$U" --machine "root:$tree" --state "$T/state" "$@"; }
status() {
	for chip in 0 8; do
		perl -e 'open F, "<", $ARGV[0]; sysseek F, 0x3fc00, 0; sysread F, $b, 8; print unpack("Q>", $b), " "' "$mnt/sys/firmware/opal/exports/imc_nest_chip_$chip"
	done
}
is "it is paused" "$(status)" "2 2 "
unc mem -i 0.2 -n 2 --start --format csv
is "it counts" "$rc $(column flags | sort -u) $(column read_bytes | awk '$1 <= 0' | wc -l)" "0 late;estimate 0"
is "then it is paused again" "$(status)" "2 2 "
is "and no journal is left" "$(find "$T/state" -type f | wc -l)" 0
"$U" --machine "root:$tree" --state "$T/state" mem -i 0.2 --start >"$T/rows" 2>&1 &
killed=$!
until_ grep -q total "$T/rows"
kill -9 $killed
over $killed
is "a process that is killed leaves it running" "$(status)" "1 1 "
ln -s 'anon_inode:[perf_event]' "$tree/proc/4711/fd/3"
unc recover --format csv
is "while perf has an event open, recover does not pause it" "$rc $(column state | sort -u) $(status)" "1 changed 1 1 "
has "and why" "$err" "process 4711 (perf) has a perf event open, which may be of the nest, left alone"
unc recover --force
is "with --force it does" "$rc $(status)" "0 2 2 "
unc mem -i 0.2 -n 1 --start
is "nor does what measures" "$rc $(status)" "0 1 1 "
has "which says so" "$err" "socket0.imc0: STATUS is left as it is (0x1): process 4711 (perf) has a perf event open"
rm "$tree/proc/4711/fd/3"
echo 0x2 >"$mnt/sys/kernel/debug/powerpc/imc/imc_cmd_0"
sleep 0.1
is "a command of another program is taken" "$(cat "$mnt/sys/kernel/debug/powerpc/imc/imc_cmd_0") $(status)" "0x0000000000000000 2 1 "
unc mem -i 0.2 -n 1 --start
is "a chip that ran before is left running" "$rc $(status)" "0 2 1 "
