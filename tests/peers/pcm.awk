# SPDX-License-Identifier: GPL-2.0-or-later
# Truth before, truth after (lib.sh), what pcm-memory wrote as CSV: rows.
# Of channels in memory the socket, whose channels are numbered in their order.
function bus_of(socket, address) {
	return address ~ /^0x/ ? "socket" socket : substr(address, 1, 8)
}
BEGIN {
	n_order = split(order, at, " ")
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
	bus = bus_of($2, $3)
	if (file == 1)
		place[bus, ++n_places[bus]] = $3
	if (!(bus in seen))
		buses[n_buses++] = bus
	seen[bus] = 1
}
file == 3 && FNR == 1 {
	n = split($0, group, ",")
}
file == 3 && FNR == 2 {
	split($0, title, ",")
}
file == 3 && FNR == 3 {
	split($0, value, ",")
	for (i = 1; i <= n; i++) {
		gsub(/ /, "", value[i])
		got[group[i], title[i]] = value[i]
	}
}

function say(what, group, title, truth) {
	print "pcm-memory", name, what " MB/s", got[group, title], sprintf("%.4f", truth), exact ? digits(truth) : "0.5%"
}
# It prints two digits of a number that it keeps as a float.
function digits(truth) {
	return sprintf("%.4f", 0.0051 + truth * 2e-7)
}
function rate(counts, address) {
	return (counts[2, address] - counts[1, address]) / 1e6 / seconds
}

END {
	seconds = (ns[2] - ns[1]) / 1e9
	# Its socket s has the uncore bus that is the s-th by segment and number.
	for (i = 1; i < n_buses; i++)
		for (k = i; k > 0 && buses[k - 1] > buses[k]; k--) {
			bus = buses[k]
			buses[k] = buses[k - 1]
			buses[k - 1] = bus
		}
	for (s = 0; s < n_buses; s++) {
		sum_r = sum_w = c = 0
		for (i = 1; i <= (n_order ? n_order : n_places[buses[s]]); i++) {
			address = n_order ? buses[s] at[i] : place[buses[s], i]
			if (!((1, address) in read))
				continue
			r = rate(read, address)
			w = rate(written, address)
			really += r
			if (hidden[address]) {
				n_hidden++
				continue
			}
			say("Ch" c " = " address " read", "SKT" s, "Ch" c "Read", r)
			say("Ch" c " = " address " written", "SKT" s, "Ch" c "Write", w)
			sum_r += r
			sum_w += w
			c++
		}
		say("socket " s " read", "SKT" s, "Mem Read (MB/s)", sum_r)
		say("socket " s " written", "SKT" s, "Mem Write (MB/s)", sum_w)
		all_r += sum_r
		all_w += sum_w
	}
	say("all read", "System", "Read", all_r)
	say("all written", "System", "Write", all_w)
	if (n_hidden)
		print "pcm-memory", name, "all read, % of what really was", sprintf("%.3f", 100 * got["System", "Read"] / really), \
			sprintf("%.3f", 100 * all_r / really), 0.002
}
