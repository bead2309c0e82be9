# SPDX-License-Identifier: GPL-2.0-or-later
# Truth before, truth after (lib.sh), what likwid-perfctr -O wrote: rows.  With EXACT counts are compared with counts; without, as
# bytes per second of the time that it says it measured.
BEGIN {
	n_order = split(order, at, " ")
	n_sockets = split(sockets, socket, /[ \n]/)
	OFS = "\t"
}
FNR == 1 {
	file++
}
file < 3 && $1 == "ns" {
	ns[file] = $2
}
file < 3 && $1 == "channel" {
	read[file, $3] = $4
	written[file, $3] = $5
	hidden[$3] = $6 == "hidden"
	bus[$2] = substr($3, 1, 8)
	if (file == 1)
		place[$2, ++n_places[$2]] = $3
}
file == 3 {
	n = split($0, field, ",")
	if (field[1] ~ / STAT$/ || field[2] ~ / STAT$/)
		next
	for (i = 1; i <= n_sockets; i++) {
		if (field[1] ~ /^CAS_COUNT_/)
			got[field[2], i] = field[2 + i]
		else
			got[field[1], i] = field[1 + i]
	}
}

function rate(counts, address) {
	return (counts[2, address] - counts[1, address]) / 1e6 / seconds
}
function say(what, peer, truth) {
	print "likwid", name, what " MB/s", peer, sprintf("%.4f", truth), "0.5%"
}
# What was counted in between, in events and in sums of bytes.
function count(counter, i, counts, address) {
	print "likwid", name, counter " = " address, got[counter, i], (counts[2, address] - counts[1, address]) / 64, 0
}
function counted(box, i) {
	runtime = got["Runtime (RDTSC) [s]", i]
	return (box, i) in got && runtime > 0 ? sprintf("%.4f", got[box, i] * 64 / 1e6 / runtime) : ""
}

END {
	seconds = (ns[2] - ns[1]) / 1e9
	for (i = 1; i <= n_sockets; i++) {
		sum_r = sum_w = 0
		# Channels in memory have the numbers of their order.
		for (c = 1; c <= (n_order ? n_order : n_places[socket[i]]); c++) {
			address = n_order ? bus[socket[i]] at[c] : place[socket[i], c]
			if (!((1, address) in read) || hidden[address])
				continue
			if (exact) {
				count("MBOX" c - 1 "C0", i, read, address)
				count("MBOX" c - 1 "C1", i, written, address)
				sum_r += read[2, address] - read[1, address]
				sum_w += written[2, address] - written[1, address]
				continue
			}
			r = rate(read, address)
			w = rate(written, address)
			say("MBOX" c - 1 "C0 = " address " read", counted("MBOX" c - 1 "C0", i), r)
			say("MBOX" c - 1 "C1 = " address " written", counted("MBOX" c - 1 "C1", i), w)
			sum_r += r
			sum_w += w
		}
		if (exact) {
			print "likwid", name, "socket " socket[i] " read GB", got["Memory read data volume [GBytes]", i], sum_r / 1e9, 0.000051
			print "likwid", name, "socket " socket[i] " written GB", got["Memory write data volume [GBytes]", i], sum_w / 1e9, 0.000051
			continue
		}
		say("socket " socket[i] " read", got["Memory read bandwidth [MBytes/s]", i], sum_r)
		say("socket " socket[i] " written", got["Memory write bandwidth [MBytes/s]", i], sum_w)
	}
}
