# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What is written and read for CAS_COUNT.RD in one channel, by the driver for perf and by us, is what tests/vm/expected/ has.  The
# differences:
# - Loading, the driver resets every box.  We reset nothing: another process may count there, and what is there is put back in the end.
# - The driver stops a box by reading BOX_CTL, setting frz and writing that.  Where frz_en reads 0 (the guide has it write-only), what it
#   writes lacks frz_en, without which frz does nothing: its boxes are never stopped.  Where it reads back (as the datasheet has it) they
#   are, whichever process counts in them.  We write whole constants, and stop a box only where no other process counts in it.
# - The driver takes the lowest free counter, knowing of its own only; we take the highest that is not enabled.
# - Both take differences: neither writes a counter.  The driver reads low before high and once, so that a carry between them costs it
#   2^32 counts; we read a value that may be torn once more.
# - The driver takes its first value while the event is not enabled yet, and its last when it is disabled.  Ours are taken while it
#   counts, so that no time is lost between samples.
# - The driver believes that its control holds what it wrote.  We look, after the start, with each sample and before the end.
# - It leaves the event in the control, disabled.  We put back what was there.
. tests/vm/lib.sh

# As in tests/vm/expected: offsets and values, those of counters being `*`.  A counter that is read again at once, as it was read too
# slowly or next to a carry, is one; after 250 ms it is another sample.
written() { # MARK FUNCTION...
	mark=$1
	shift
	accesses "$mark" | awk -v functions="$*" '
	!index(functions, $3) || $5 ~ /^0x([0-9a-f]|[123].)$/ { next }
	ns && $1 - ns > 2.5e8 || $5 !~ /^0x[ab].$/ { split("", read) }
	{ ns = $1 }
	$5 ~ /^0x[ab].$/ && read[$5]++ { next }
	{ print $3, $4, $5, $4 == "r32" && $5 ~ /^0x([ab].|d[04])$/ ? "*" : $6 }'
}
# Between two reads of a counter, what is read of the clock and the controls, 0xd0 to 0xf4, counts once: how often we look
# depends on how fast the guest is.  After a write of a control all of it counts again.
looks_once() {
	awk '$2 != "r32" || $3 !~ /^0x[def].$/ { if ($2 == "r32" || $3 != "0xf4") split("", seen); print; next }
	!seen[$0]++'
}
matches() { # SENTENCE FILE MARK FUNCTION...
	sentence=$1 file=tests/vm/expected/$2
	shift 2
	grep -v -e '^#' -e '^$' "$file" | looks_once >"$T/expected"
	written "$@" | looks_once >"$T/written"
	if cmp -s "$T/expected" "$T/written"; then ok "$sentence"; else not_ok "$sentence" "$(diff "$T/expected" "$T/written")"; fi
}
case $machine in
*frz_en=rw*) wo='' ;;
*) wo=_wo ;;
esac
matches "the driver is loaded as expected" driver_load 100 0000:ff:0b.0 0000:ff:10.0 0000:ff:10.1 0000:ff:10.4 0000:ff:10.5
matches "perf starts, samples and stops as expected" driver_cas_count_rd$wo 101 0000:ff:10.0
matches "ours starts, samples and stops as expected" ours_cas_count_rd$wo 102 0000:ff:10.0
