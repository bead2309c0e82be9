# SPDX-License-Identifier: GPL-2.0-or-later
# From lines WHAT, MEASURED, UNIT, LIMIT, "limit" or "aim", with tabs between: the table, and JSON into the file named by -v json=FILE.
# Exit status 1 if a limit is broken.
function quoted(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}

BEGIN {
	printf "%-76s %12s %12s\n", "what", "measured", "limit"
	printf "[" >json
}
{
	verdict = ""
	if ($4 != "")
		verdict = $2 != "" && $2 + 0 <= $4 + 0 ? "ok" : "over"
	# A read too few is as wrong as one too many.
	if ($1 ~ /^(16-byte reads|bytes that load|reads of MSRs a channel and sample)/ && $2 != $4)
		verdict = "over"
	what = $1
	sub(/^ */, "", what)
	limit = $4 == "" ? "-" : ($5 == "aim" ? "aim " : "") $4 ($3 == "" ? "" : " " $3)
	printf "%-76s %12s %12s  %s\n", $1, $2 ($3 == "" ? "" : " " $3), limit, verdict
	printf "%s\n  {\"what\": %s, \"measured\": %s, \"unit\": %s, \"limit\": %s, \"kind\": %s, \"ok\": %s}", NR == 1 ? "" : ",",
		quoted(what), $2, $3 == "" ? "null" : quoted($3), $4 == "" ? "null" : $4, $4 == "" ? "null" : quoted($5),
		verdict == "" ? "null" : verdict == "ok" ? "true" : "false" >json
	if (verdict == "over" && $5 == "limit")
		broken++
}
END {
	print "\n]" >json
	if (broken)
		printf "%d limit%s broken\n", broken, broken == 1 ? " is" : "s are"
	exit broken > 0
}
