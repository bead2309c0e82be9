# SPDX-License-Identifier: GPL-2.0-or-later
# Follows the counters of memory channels through the log of accesses.  Each line of input is one access and what was true then:
#     NS FUNCTION r32|w32 OFFSET VALUE READS WRITES
# CAS commands since the machine's start.  A line of output is one read of a counter's low and high dword:
#     NS FUNCTION COUNTER EVENT RUNS VALUE RAN SPAN READS WRITES
# EVENT is rd, wr or "-", RUNS 1 where it counted then; VALUE is what was read; RAN what of its event happened until then while
# its control and BOX_CTL said that it counts, SPAN while its control did.
function hex(text, n, i) {
	n = 0
	for (i = 3; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}
function bit(value, n) { return int(value / 2 ^ n) % 2 }
function event(control) { return control % 65536 == 772 ? "rd" : control % 65536 == 3076 ? "wr" : "-" } # 0x304, 0xc04
function happened(key) { return event(control[key]) == "rd" ? reads : event(control[key]) == "wr" ? writes : 0 }
# A box is stopped by frz, where it has frz_en too.
function is_stopped(control) { return bit(control, 8) && bit(control, 16) }
# Until this moment.
function go_on(name, slot, key, n) {
	for (slot = 0; slot < 4; slot++) {
		key = name " " slot
		n = happened(key)
		if (bit(control[key], 22)) {
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
		since[key] = happened(key)
	}
}
$3 == "r32" && slot >= 0 && offset < 192 && offset % 8 == 0 {
	go_on($2)
	low[key] = value
	at[key] = $1
	said[key] = sprintf("%s %d", event(control[key]), bit(control[key], 22) && !is_stopped(box[$2]))
	then[key] = sprintf("%.0f %.0f %.0f %.0f", ran[key], span[key], reads, writes)
}
$3 == "r32" && slot >= 0 && offset < 192 && offset % 8 == 4 && key in at {
	printf "%s %s %d %s %.0f %s\n", at[key], $2, slot, said[key], value * 4294967296 + low[key], then[key]
}
