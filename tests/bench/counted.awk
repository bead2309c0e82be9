# SPDX-License-Identifier: GPL-2.0-or-later
# Of what callgrind wrote: "READS WRITES CALLS" of the function of that name (-v name=), of all processes and threads.  The numbers
# behind a line are those of the function in whose part it is, but for the one behind calls=, which are of the function that is called.
FNR == 1 { split("", known); inside = 0; skip = 0; to = 0 }
/^events:/ { for (i = 2; i <= NF; i++) { if ($i == "Dr") dr = i; if ($i == "Dw") dw = i } next }
/^c?fn=/ {
	id = $1; sub(/^c?fn=/, "", id)
	if (NF > 1) known[id] = $2
	if (/^fn=/) inside = known[id] == name; else to = known[id] == name
	next
}
/^calls=/ { n = $1; sub(/^calls=/, "", n); if (to) calls += n; skip = 1; next }
/^[0-9+*-]/ { if (inside && !skip) { reads += $dr; writes += $dw } skip = 0 }
END { printf "%d %d %d\n", reads, writes, calls }
