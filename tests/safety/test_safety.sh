# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Every way of dying, everywhere it can happen, and then `recover`: tests/safety/main.c tells what is looked at.  The figures are in
# build/safety.json.
. tests/lib.sh

# In memory, where there is room: each of some thousand runs has its journal synced to the disk.
scratch=$T/safety
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; then
	scratch=$(mktemp -d /dev/shm/uncorectl-safety.XXXXXX) || exit 1
else
	mkdir "$scratch"
fi
clean() {
	for mnt in "$scratch"/*/mount; do mountpoint -q "$mnt" && umount "$mnt"; done
	rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 1' INT TERM

"$B/tests/safety/run" "$U" "$B/uncore-simfs" "$PWD/$B/tests/sigat.so" "$scratch" "$B/safety.json" "$(every)" ||
	not_ok "safety ran to its end"
check "the figures are kept" grep -q '"registers_left_over": 0,' "$B/safety.json"
