# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Where the journal cannot be written, as the disk is full or read-only, no register is.
. tests/lib.sh

mnt=$T/disk
mkdir "$mnt"
trap 'mountpoint -q "$mnt" && umount "$mnt"' EXIT
trap 'exit 1' INT TERM
if ! mount -t tmpfs -o size=64k,mode=0700 tmpfs "$mnt" 2>"$T/err"; then
	skip "a disk that is full or read-only" "nothing can be mounted here: $(cat "$T/err")"
	exit 0
fi
S=sim:snbep,sockets=1,clock=step,state=$T/snbep
C=sim:bdx,sockets=1,cores=2,threads=1,clock=step,state=$T/bdx
"$POKE" "$S" w ff:10.0 0xe4 0x01000004
"$POKE" "$C" m 1 0xc8f 0x300000000
controls() {
	for fn in 0 1 4 5; do for off in 0xd8 0xdc 0xe0 0xe4 0xf0 0xf4; do "$POKE" "$S" r "ff:10.$fn" "$off"; done; done
	for cpu in 0 1; do for msr in 0xc8d 0xc8f 0x1a4; do "$POKE" "$C" m $cpu $msr; done; done
}
controls >"$T/found"
# One command of each kind that writes: MACHINE WORD...
tries() {
	cat <<-EOT
		$S mem -n 1
		$S stat -e cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts -n 1 -i 0.1
		$C llc --cpus 0 --cpus 1 -n 1
		$S reg set *.CTL[3].umask=12 --write --for 1
		$S check --quick --only clock.rate
		$C reg raw msr 0 0x1a4 7 --write --unmapped --for 1
	EOT
}
# each SENTENCE PART: every one of them is refused with that, and writes nothing.
each() {
	set -f
	while read -r machine words; do
		rm -f "$T/trace"
		# shellcheck disable=SC2086 # words
		run "$U" --machine "$machine" --state "$mnt/journals" --trace "$T/trace" $words </dev/null
		is "$1: $words: no register is written" "$(grep -cE ' w(32|64) ' "$T/trace")" 0
		check "$1: $words: its status" [ "$rc" = 1 -o "$rc" = 4 ]
		has "$1: $words: why" "$err" "$2"
		has "and that nothing was written" "$err" "nothing was written to the hardware"
	done <"$T/tries"
	set +f
}
tries >"$T/tries"
# With room it works, so that it is the disk that makes the difference below; and all room is given back.
set -f
while read -r machine words; do
	# shellcheck disable=SC2086
	run "$U" --machine "$machine" --state "$mnt/journals" $words </dev/null
	is "with room: $words" "$rc $(find "$mnt/journals" -type f | wc -l)" "0 0"
done <"$T/tries"
set +f
dd if=/dev/zero of="$mnt/rest" bs=4096 status=none 2>/dev/null
each "a full disk" "No space left on device"
is "nor is a piece of a journal left there" "$(find "$mnt/journals" -type f | wc -l)" 0
rm -rf "$mnt/rest" "$mnt/journals"
# The last file that was open for writing there may be put away a moment after its process has ended.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	mount -o remount,ro "$mnt" 2>"$T/err" && break
	sleep 0.2
done
is "the disk is made read-only" "$(grep -c " $mnt [^ ]* ro" /proc/mounts)" 1
each "a disk that is read-only" "Read-only file system"
controls >"$T/now"
check "every control is as it was" cmp "$T/found" "$T/now"

# Root is not refused by the mode of a folder, but by a file in its place.
: >"$T/file"
run "$U" --machine "$S" --state "$T/file" --trace "$T/trace" mem -n 1
check "a file in the folder's place is refused" [ "$rc" != 0 ]
is "and no register is written" "$(grep -cE ' w(32|64) ' "$T/trace")" 0
