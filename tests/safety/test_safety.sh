# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Every way of dying, everywhere it can happen, and then `recover`: tests/safety/main.c tells what is looked at.  The figures are in
# build/safety.json.
. tests/lib.sh

clean() {
	for mnt in "$T"/*/mount; do mountpoint -q "$mnt" && umount "$mnt"; done
}
trap clean EXIT
trap 'exit 1' INT TERM

"$B/tests/safety/run" "$U" "$B/uncore-simfs" "$PWD/$B/tests/sigat.so" "$T" "$B/safety.json" "$(every)" ||
	not_ok "safety ran to its end"
check "the figures are kept" grep -q '"registers_left_over": 0,' "$B/safety.json"
