# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The same output, byte for byte, on another computer, that has no such machine.
. tests/vm/lib.sh

for record in list mem csv stat doctor; do
	is "$record: it works in the guest" "$(left $record.rc)" 0
	run "$U" --machine "replay:$R/$record.rec"
	is "$record: its replay ends the same" "$rc" 0
	if cmp -s "$T/out" "$R/$record.out" && [ -s "$T/out" ]; then
		ok "$record: its replay prints the same"
	else
		not_ok "$record: its replay prints the same" "$(diff "$R/$record.out" "$T/out" | head -n 10)"
	fi
done
