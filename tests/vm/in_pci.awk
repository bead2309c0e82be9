# SPDX-License-Identifier: GPL-2.0-or-later
# Accesses of channels in memory as tests/vm/follow.awk knows them of channels in PCI space: lines "NS PLACE r32|w32|r64|w64 OFFSET VALUE", a
# register at the offset that it has there, and 64 bits as two halves.  Other lines stay.
function hex(text, n, i) {
	n = 0
	for (i = 3; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}
function in_pci(offset) {
	if (offset >= 8 && offset < 40)
		return offset - 8 + 160 # counters, at A0
	if (offset >= 64 && offset < 80)
		return offset - 64 + 216 # controls, at D8
	if (offset == 0)
		return 244 # BOX_CTL, at F4
	return 0
}
$2 !~ /^0x/ {
	print
	next
}
$3 ~ /32$/ { printf "%s %s %s 0x%02x %s\n", $1, $2, $3, in_pci(hex($4)), $5 }
$3 ~ /64$/ {
	# As text, so that no bit gets lost.
	digits = substr("0000000000000000" substr($5, 3), length($5) - 1)
	way = substr($3, 1, 1) "32"
	printf "%s %s %s 0x%02x 0x%s\n", $1, $2, way, in_pci(hex($4)), substr(digits, 9)
	printf "%s %s %s 0x%02x 0x%s\n", $1, $2, way, in_pci(hex($4)) + 4, substr(digits, 1, 8)
}
