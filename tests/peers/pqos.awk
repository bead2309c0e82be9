# SPDX-License-Identifier: GPL-2.0-or-later
# Truth before and after a step (lib.sh), "CPU L3 RMID" of what was watched, what pqos wrote as CSV: rows.  A counter's unit
# is SCALE bytes, so a rate may be off by one unit in INTERVAL.
BEGIN {
	OFS = "\t"
}
FNR == 1 {
	file++
}
file < 3 && $1 == "llc" {
	occupancy[file, $2, $3] = $4
	total[file, $2, $3] = $5
	from_local[file, $2, $3] = $6
}
file == 3 {
	cpus[n_cpus++] = $1
	l3[$1] = $2
	rmid[$1] = $3
}
file == 4 {
	gsub(/"/, "")
	n = split($0, field, ",")
	if (FNR == 1) {
		for (i = 1; i <= n; i++)
			title[i] = field[i]
		next
	}
	for (i = 3; i <= n; i++) {
		last[field[2], title[i]] = field[i]
		if (field[i] > most[field[2], title[i]] + 0)
			most[field[2], title[i]] = field[i]
	}
}

function moved(counts, cpu,  on, r) {
	on = l3[cpu]
	r = rmid[cpu]
	return (counts[2, on, r] - counts[1, on, r]) / 1048576 / interval
}
function say(cpu, what, peer, truth, allowed) {
	print "pqos", name, "CPU " cpu " RMID " rmid[cpu] " " what, peer, sprintf("%.3f", truth), allowed
}

END {
	unit = scale / 1048576 / interval + 0.051
	for (i = 0; i < n_cpus; i++) {
		cpu = cpus[i]
		if (!((2, l3[cpu], rmid[cpu]) in occupancy) || rmid[cpu] == 0)
			say(cpu, "has an RMID of its own", "", 0, "=")
		say(cpu, "LLC KB", last[cpu, "LLC[KB]"], int(occupancy[2, l3[cpu], rmid[cpu]] / scale) * scale / 1024, 0.051)
		if (int(events / 4) % 2)
			say(cpu, "local MB/s", most[cpu, "MBL[MB/s]"], moved(from_local, cpu), unit)
		if (int(events / 4) % 2 && int(events / 2) % 2)
			say(cpu, "remote MB/s", most[cpu, "MBR[MB/s]"], moved(total, cpu) - moved(from_local, cpu), 2 * unit)
	}
}
