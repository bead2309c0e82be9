# SPDX-License-Identifier: GPL-2.0-or-later
# What others measured against what is true, a line each, separated by tabs:
#     TOOL MACHINE WHAT PEER TRUTH ALLOWED
# ALLOWED is "=" (the same text), "N%" of the truth, or a number by which both may differ.  Where no number is, that is wrong.
BEGIN {
	FS = "\t"
}

function number(text) {
	return text ~ /^ *[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
}

{
	difference = ""
	if ($6 == "=") {
		fine = $4 == $5
	} else if (!number($4) || !number($5)) {
		fine = 0
	} else {
		d = $4 - $5
		difference = $5 == 0 ? sprintf("%+.4g", d) : sprintf("%+.3f %%", 100 * d / $5)
		limit = $6 ~ /%$/ ? ($5 < 0 ? -$5 : $5) * $6 / 100 : $6 + 0
		fine = d <= limit && -d <= limit
	}
	printf "%-6s %-10s %-12s %-48s %16s %16s  %s\n", fine ? "ok" : "not ok", $1, $2, $3, $4 == "" ? "-" : $4, $5 == "" ? "-" : $5, difference
}
