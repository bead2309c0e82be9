# SPDX-License-Identifier: GPL-2.0-or-later
# Follows the counters of memory channels through the log of accesses.  Each line of input is one access and what was true then:
#     NS FUNCTION r32|w32 OFFSET VALUE READS WRITES
# CAS commands since the machine's start.  A line of output is one read of a counter's low and high dword:
#     NS FUNCTION COUNTER EVENT RUNS VALUE RAN READS WRITES
# EVENT is rd, wr or "-", RUNS 1 where it counted then; VALUE is what was read, RAN what of its event happened until then while
# its control and BOX_CTL said that it counts.
function hex(text, n, i) {
	n = 0
	for (i = 3; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}
function bit(value, n) { return int(value / 2 ^ n) % 2 }
function event(control) { return control % 65536 == 772 ? "rd" : control % 65536 == 3076 ? "wr" : "-" } # 0x304, 0xc04
function happened(key) { return event(control[key]) == "rd" ? reads : event(control[key]) == "wr" ? writes : 0 }
# Until this moment.
function go_on(function_, slot, key) {
	for (slot = 0; slot < 4; slot++) {
		key = function_ " " slot
		if (runs[key])
			ran[key] += happened(key) - since[key]
		since[key] = happened(key)
	}
}
function anew(function_, slot, key) {
	for (slot = 0; slot < 4; slot++) {
		key = function_ " " slot
		runs[key] = bit(control[key], 22) && !(bit(box[function_], 16) && bit(box[function_], 8))
		since[key] = happened(key)
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
	else
		control[key] = value
	anew($2)
}
$3 == "r32" && slot >= 0 && offset < 192 && offset % 8 == 0 {
	go_on($2)
	low[key] = value
	at[key] = $1
	said[key] = sprintf("%s %d", event(control[key]), runs[key])
	then[key] = sprintf("%.0f %.0f %.0f", ran[key], reads, writes)
}
$3 == "r32" && slot >= 0 && offset < 192 && offset % 8 == 4 && key in at {
	printf "%s %s %d %s %.0f %s\n", at[key], $2, slot, said[key], value * 4294967296 + low[key], then[key]
}
