# SPDX-License-Identifier: GPL-2.0-or-later
# Truth before and after (lib.sh), "CPU L3 RMID" of what pqos watched, "CPU L3" of llc's group, what llc said
# (GROUP L3 RMID OWNED TOTAL LOCAL RAW_TOTAL RAW_LOCAL), what pqos wrote as CSV: rows.  Time stood still but for once, so the
# numbers are exact: whole units of SCALE bytes.  BITS is how wide pqos takes the counters for.  SLACK: by so
# many bytes bandwidth may differ, where counters do not begin with the truth.
BEGIN {
	OFS = "\t"
	OWNED = 4
	TOTAL = 5
	LOCAL = 6
}
FNR == 1 {
	file++
}
file < 3 && $1 == "llc" {
	owned[file, $2, $3] = $4
	total[file, $2, $3] = $5
	from_local[file, $2, $3] = $6
}
file == 3 {
	cpus[n_cpus++] = $1
	l3[$1] = $2
	rmid[$1] = $3
	taken[$2, $3] = 1
}
file == 4 {
	ours[n_ours++] = $1
	l3[$1] = $2
}
file == 5 {
	if ($1 == "ours" && $2 != "-")
		rmid_of_ours[$2] = $3
	if ($1 == "ours")
		$3 = "ours"
	for (i = 4; i <= 8; i++)
		llc[$2, $3, i] = $i
}
file == 6 {
	gsub(/"/, "")
	n = split($0, field, ",")
	if (FNR == 1) {
		for (i = 1; i <= n; i++)
			title[i] = field[i]
		next
	}
	for (i = 3; i <= n; i++) {
		last[field[2], title[i]] = field[i]
		if (!((field[2], title[i]) in most) || field[i] > most[field[2], title[i]] + 0)
			most[field[2], title[i]] = field[i]
	}
}

function units(bytes) {
	return int(bytes / scale)
}
# What pqos takes for the difference: it takes 2^BITS off once from what is not below that (lib/hw_monitoring.c,
# hw_mon_read_counter() and get_delta()).  Known: to pqos 4.5.0 an AMD counter has 24 bits where CPUID 0xF.1 EAX is 0.
function cut(raw) {
	return raw >= 2 ^ bits ? raw - 2 ^ bits : raw
}
function differs(on, r, total_or_local,  now, was) {
	now = llc[on, r, total_or_local + 2]
	was = cut(now - llc[on, r, total_or_local] / scale)
	now = cut(now)
	return (was > now ? 2 ^ bits - was + now : now - was) * scale
}
function whole(value) {
	return value == "-" || value == "" ? value : sprintf("%.0f", value)
}
function moved(counts, on, r) {
	return (units(counts[2, on, r]) - units(counts[1, on, r])) * scale
}
function say(tool, what, said, expected, allowed) {
	print tool, name, what, said, expected, allowed ? allowed : "="
}
# What llc says of an RMID on an L3, in its row AS, is the truth.
function against_truth(what, on, r, as) {
	say("llc", what " bytes owned", whole(llc[on, as, OWNED]), sprintf("%.0f", units(owned[2, on, r]) * scale))
	if (int(events / 2) % 2)
		say("llc", what " bytes moved", whole(llc[on, as, TOTAL]), sprintf("%.0f", moved(total, on, r)), slack)
	if (int(events / 4) % 2)
		say("llc", what " bytes, same node", whole(llc[on, as, LOCAL]), sprintf("%.0f", moved(from_local, on, r)), slack)
}
# A number of pqos is llc's in its units.
function against_llc(cpu, what, said, expected, per) {
	say("pqos", "CPU " cpu " RMID " rmid[cpu] " " what ", of llc", said, sprintf("%.1f", expected / per))
}

END {
	for (i = 0; i < n_cpus; i++) {
		cpu = cpus[i]
		on = l3[cpu]
		if (rmid[cpu] == 0 || !((2, on, rmid[cpu]) in owned))
			say("pqos", "CPU " cpu " has an RMID", rmid[cpu], "some")
		against_truth("CPU " cpu " RMID " rmid[cpu], on, rmid[cpu], rmid[cpu])
		against_llc(cpu, "LLC KB", last[cpu, "LLC[KB]"], llc[on, rmid[cpu], OWNED], 1024)
		if (int(events / 4) % 2) {
			bytes = differs(on, rmid[cpu], LOCAL)
			against_llc(cpu, "local MB/s", most[cpu, "MBL[MB/s]"], bytes, 1048576 * interval)
			bytes = differs(on, rmid[cpu], TOTAL) - bytes
			against_llc(cpu, "remote MB/s", most[cpu, "MBR[MB/s]"], bytes < 0 ? 0 : bytes, 1048576 * interval)
		}
	}
	for (i = 0; i < n_ours; i++) {
		cpu = ours[i]
		on = l3[cpu]
		r = rmid_of_ours[on]
		if (r + 0 == 0 || (on, r) in taken)
			say("llc", "CPU " cpu " has an RMID of its own", r, "some")
		against_truth("CPU " cpu " RMID " r, on, r, "ours")
	}
}
