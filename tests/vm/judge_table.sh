# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# perf, ours and the truth side by side, in the file $table.  perf's rate is its count by its time, as it prints both; ours is a column.
. tests/vm/lib.sh

at_once perf.csv mem.csv
is "ours tells the true rates" "$(true_rates mem.csv)" ""

perf_rows perf.csv >"$T/perf_rows"
awk -F, 'NR > 1 { printf "%s rd %.0f %s\n%s wr %.0f %s\n", $6, $9, $13, $6, $10, $13 }' "$R/mem.csv" >"$T/our_rates"
awk '!($2 in t) { t[$2] = $1; r[$2] = $9; w[$2] = $10 }
	{ t1[$2] = $1; r1[$2] = $9; w1[$2] = $10 }
	END { for (f in t) { s = (t1[f] - t[f]) / 1e9; printf "%s rd %.0f\n%s wr %.0f\n", f, 64 * (r1[f] - r[f]) / s, f, 64 * (w1[f] - w[f]) / s } }' \
	"$T/reads" >"$T/true_rates"
{
	echo "Both at once on $machine, MB/s, and how far each is from the truth:"
	echo
	awk 'FILENAME ~ /our_rates$/ { ours[$1, $2] = $3; flags[$1, $2] = $4; next }
	FILENAME ~ /true_rates$/ { truth[$1, $2] = $3; next }
	FNR == 1 { printf "%-12s  %-16s %-5s  %8s  %9s  %8s  %9s  %9s\n", "channel", "perf calls it", "", "perf", "uncorectl", "truth", "perf", "uncorectl" }
	{
		perf = $3 * 64 / $4 * 1000
		t = truth[$1, $2] / 1e6
		o = ours[$1, $2] / 1e6
		printf "%-12s  %-2s %-13s %-5s  %8.2f  %9.2f  %8.2f  %+7.3f %%  %+7.3f %%%s\n", $1, $5, $6, $2 == "rd" ? "read" : "write",
			perf, o, t, 100 * (perf / t - 1), 100 * (o / t - 1), flags[$1, $2] == "" ? "" : " " flags[$1, $2]
	}' "$T/our_rates" "$T/true_rates" "$T/perf_rows"
	echo
	echo "$(left ../up/kernel | sed 's/ #.*Debian/, Debian/; s/ (.*//'); perf $(left ../up/perf | sed 's/.* //'); $("$U" --version)"
} >"$table"
is "the table has all channels" "$(grep -c '^0.* %' "$table")" $((2 * channels))
