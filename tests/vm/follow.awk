# SPDX-License-Identifier: GPL-2.0-or-later
# Follows the counters of memory channels through the log of accesses.  Each line of input is one access and what was true then:
#     NS FUNCTION r32|w32 OFFSET VALUE READS WRITES
# CAS commands since the machine's start.  A line of output is one read of a counter's low and high dword:
#     NS FUNCTION COUNTER EVENT RUNS VALUE RAN SPAN READS WRITES
# reads_event and writes_event are event and umask of a control, in hex.  EVENT is rd, wr or "-", RUNS 1 where it counted then; VALUE is what was read; RAN what of its event happened since it was last written while
# its control and BOX_CTL said that it counts, SPAN while its control did.
function hex(text, n, i) {
	n = 0
	for (i = 3; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}
function bit(value, n) { return int(value / 2 ^ n) % 2 }
function event(control) { return control % 65536 == hex("0x" reads_event) ? "rd" : control % 65536 == hex("0x" writes_event) ? "wr" : "-" }
function happened(key) { return event(control[key]) == "rd" ? reads : event(control[key]) == "wr" ? writes : 0 }
# Of parts without an enable bit (enable is "") any control but 0 counts, and what was counted is what the last of these said.  A box is stopped by the bits of BOX_CTL in freeze together.
BEGIN { n_freeze = split(freeze, frozen_by, ",") }
function is_on(control) { return enable == "" ? control != 0 : bit(control, enable) }
function is_stopped(control, i, all) {
	all = 1
	for (i = 1; i <= n_freeze; i++)
		all = all && bit(control, frozen_by[i])
	return all
}
# Until this moment.
function go_on(name, slot, key, n) {
	for (slot = 0; slot < 4; slot++) {
		key = name " " slot
		n = happened(key)
		if (is_on(control[key])) {
			span[key] += n - since[key]
			if (!is_stopped(box[name]))
				ran[key] += n - since[key]
		}
		since[key] = n
	}
}

{
	offset = hex($4)
	value = hex($5)
	reads = $6
	writes = $7
	slot = -1
	if (offset >= 160 && offset < 192) # A0, A8, B0, B8
		slot = int((offset - 160) / 8)
	else if (offset >= 216 && offset < 232) # D8 to E4
		slot = (offset - 216) / 4
	key = $2 " " slot
}
$3 == "w32" && (offset == 244 || (slot >= 0 && offset >= 216)) {
	go_on($2)
	if (offset == 244)
		box[$2] = value
	else {
		control[key] = value
		if (is_on(value) || enable != "")
			last[key] = value
		since[key] = happened(key)
	}
}
# Who sets a counter begins to count there.
$3 == "w32" && slot >= 0 && offset < 192 && offset % 8 == 0 {
	go_on($2)
	ran[key] = span[key] = 0
}
$3 == "r32" && slot >= 0 && offset < 192 && offset % 8 == 0 {
	go_on($2)
	low[key] = value
	at[key] = $1
	said[key] = sprintf("%s %d", event(last[key]), is_on(control[key]) && !is_stopped(box[$2]))
	then[key] = sprintf("%.0f %.0f %.0f %.0f", ran[key], span[key], reads, writes)
}
$3 == "r32" && slot >= 0 && offset < 192 && offset % 8 == 4 && key in at {
	printf "%s %s %d %s %.0f %s\n", at[key], $2, slot, said[key], value * 4294967296 + low[key], then[key]
}
