# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What is written and read for CAS_COUNT.RD in one channel, by the driver for perf and by us, is what tests/vm/expected/ has.  The
# differences:
# - Loading, the driver resets every box.  We reset nothing: somebody may count there, and what is there is put back in the end.
# - The driver stops a box by reading BOX_CTL, setting frz and writing that.  Where frz_en reads 0 (the guide has it write-only), what it
#   writes lacks frz_en, without which frz does nothing: its boxes are never stopped.  Where it reads back (as the datasheet has it) they
#   are, whoever else counts in them.  We write whole constants, and stop a box only where nobody else counts in it.
# - The driver takes the lowest free counter, knowing of its own only; we take the highest that nobody enabled.
# - Both take differences: neither writes a counter.  The driver reads low before high and once, so that a carry between them costs it
#   2^32 counts; we read a value that may be torn once more.
# - The driver takes its first value while the event is not enabled yet, and its last when it is disabled.  Ours are taken while it
#   counts, so that no time is lost between samples.
# - The driver believes that its control holds what it wrote.  We look, after the start, with each sample and before the end.
# - It leaves the event in the control, disabled.  We put back what was there.
. tests/vm/lib.sh

# As in tests/vm/expected: offsets and values, those of counters being `*`, with an empty line where nothing happened for 250 ms.  A
# counter that is read again at once, as it was read too slowly or next to a carry, is one.  So is a look at the clock and the controls
# that follows another one: how many a start needs depends on how fast they are.
written() { # MARK FUNCTION...
	mark=$1
	shift
	accesses "$mark" | awk -v functions="$*" '
	!index(functions, $3) || $5 ~ /^0x([0-9a-f]|[123].)$/ { next }
	ns && $1 - ns > 2.5e8 { print ""; split("", read) }
	{ ns = $1; value = $6 }
	$4 == "r32" && $5 ~ /^0x([ab].|d[04])$/ {
		value = "*"
		if (read[$5]++) next
	}
	value != "*" { split("", read) }
	{ print $3, $4, $5, value }' | awk '
	/r32 0xd0 \*$/ { printf "%s", look; look = ""; looks = 1 }
	!looks { print; before = "" }
	looks { look = look $0 "\n" }
	looks && /r32 0xf4 / {
		printf "%s", look == before ? "" : look
		before = look
		look = ""
		looks = 0
	}
	looks && !/ r32 / { printf "%s", look; look = before = ""; looks = 0 }
	END { printf "%s", look }'
}
matches() { # SENTENCE FILE MARK FUNCTION...
	sentence=$1 file=tests/vm/expected/$2
	shift 2
	written "$@" >"$T/written"
	grep -v '^#' "$file" >"$T/expected"
	if cmp -s "$T/expected" "$T/written"; then ok "$sentence"; else not_ok "$sentence" "$(diff "$T/expected" "$T/written")"; fi
}
case $machine in
*frz_en=rw*) wo='' ;;
*) wo=_wo ;;
esac
matches "the driver is loaded as expected" driver_load 100 0000:ff:0b.0 0000:ff:10.0 0000:ff:10.1 0000:ff:10.4 0000:ff:10.5
matches "perf starts, samples and stops as expected" driver_cas_count_rd$wo 101 0000:ff:10.0
matches "ours starts, samples and stops as expected" ours_cas_count_rd$wo 102 0000:ff:10.0
