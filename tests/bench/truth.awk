# SPDX-License-Identifier: GPL-2.0-or-later
# A constant load and what is counted of it.  -v format=load: the load file, of snbep, or with -v imcs=2 of hsx, with
# -v imcs=4 -v sockets=1 of spr, with -v channels=8 or 12 of zen2 or zen5.  -v format=check, over the CSV of `mem`: one line
#
#     WRONG FLAGGED OFF RECORDS
#
# WRONG: unflagged counts that differ from rate * interval_ns by more than 0.2 % and what uncertainty_percent admits, and by more
# than a count; their rows go to standard error.  FLAGGED: percent of the
# records with a flag besides "simulated", and "scaled" with -v scaled=1.  OFF: percent by which the sum of all unflagged counts
# differs from the truth.  With -v late=1 all may be flagged, as on a slow computer; else that prints nothing.  With -v rates=1
# the rates are compared instead: a counter in an MSR has an interval of its own, and interval_ns is that of the reads.
function rate(socket, channel, writes) { # bytes per second
	return writes ? 1.5e9 + 350e6 * channel + 90e6 * socket : 4e9 + 700e6 * channel + 130e6 * socket
}

function compare(count, truth,   off) {
	off = count - truth
	if (off < 0)
		off = -off
	if (off > truth * (0.2 + $column["uncertainty_percent"]) / 100 && off > 1) {
		wrong++
		print "truth.awk: " count " is not " truth ": " $0 >"/dev/stderr"
	}
	counted += count
	true_sum += truth
}

BEGIN {
	FS = ","
	if (format == "load") {
		print "format: uncorectl-load/1"
		print "channels:"
		for (socket = 0; socket < (sockets ? sockets : 2); socket++)
			for (i = 0; i < (channels ? channels : imcs ? 2 * imcs : 4); i++) {
				channel = imcs ? i % 2 : i
				printf "  socket%d.imc%d.ch%d: {read: %.0f, write: %.0f}\n", socket, imcs ? int(i / 2) : 0,
					channel, rate(socket, channel, 0), rate(socket, channel, 1)
			}
		exit 0
	}
}
FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
{
	n++
	flags = $column["flags"]
	gsub(scaled ? "simulated|scaled|;" : "simulated|;", "", flags)
	if (flags != "") {
		flagged++
		next
	}
	seconds = $column["interval_ns"] / 1e9
	if ("total_bytes" in column) { # of both directions, and what scaled it is not in the count
		compare($column["total_bytes"] / 64, (rate($column["socket"], $column["channel"], 0) + rate($column["socket"], $column["channel"], 1)) / 64 * seconds)
		next
	}
	if (rates) {
		compare($column["read_bytes_per_s"] / 64 * seconds, rate($column["socket"], $column["channel"], 0) / 64 * seconds)
		compare($column["write_bytes_per_s"] / 64 * seconds, rate($column["socket"], $column["channel"], 1) / 64 * seconds)
		next
	}
	compare($column["read_count"], rate($column["socket"], $column["channel"], 0) / 64 * seconds)
	compare($column["write_count"], rate($column["socket"], $column["channel"], 1) / 64 * seconds)
}
END {
	if (format == "load")
		exit 0
	if (n == 0 || (true_sum == 0 && !late))
		exit 1
	off = true_sum ? (counted / true_sum - 1) * 100 : 0
	printf "%d %.4f %.6f %d\n", wrong, flagged / n * 100, off < 0 ? -off : off, n
}
