# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Prometheus scrapes `serve` on several machines, and through node-exporter what `mem -o` writes, for more than 60 s: its rate() is the truth.
. tests/lib.sh
. tests/fleet/lib.sh

first_port=19769
machines="snbep:sim:snbep,sockets=2 skx:sim:skx,sockets=2 bdx:sim:bdx,sockets=2 hidden:sim:skx,sockets=2,hide=3a:0a.2 back:sim:skx,sockets=1,allones=3a:0a.2@20-30"
pids=
end_all() {
	for process in $pids; do kill "$process" 2>/dev/null; done
	for process in $pids; do over "$process" >/dev/null; done
}
trap end_all EXIT

mkdir "$T/textfiles" "$T/data"
cp tools/serve/alerts.yml "$T"
cat >"$T/prometheus.yml" <<-END
	global:
	  scrape_interval: 1s
	  evaluation_interval: 1s
	rule_files: [alerts.yml]
	scrape_configs:
END
port=$first_port
for machine in $machines; do
	name=${machine%%:*}
	"$U" --state "$T/journals.$name" --machine "${machine#*:}" serve --listen "127.0.0.1:$port" >"$T/$name.log" 2>&1 &
	pids="$pids $!"
	[ "$name" = snbep ] && restarted=$!
	printf "  - job_name: %s\n    static_configs:\n      - targets: ['127.0.0.1:%s']\n" "$name" "$port" >>"$T/prometheus.yml"
	port=$((port + 1))
done
"$U" --state "$T/journals.file" --machine sim:skx,sockets=2 mem --format prometheus -o "$T/textfiles/mem.prom" >"$T/file.log" 2>&1 &
pids="$pids $!"
prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$T/textfiles" \
	--web.listen-address="127.0.0.1:$port" >"$T/node.log" 2>&1 &
pids="$pids $!"
printf "  - job_name: file\n    static_configs:\n      - targets: ['127.0.0.1:%s']\n" "$port" >>"$T/prometheus.yml"
server=127.0.0.1:$((port + 1))
prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/data" --web.listen-address="$server" \
	--log.level=error >"$T/prometheus.log" 2>&1 &
pids="$pids $!"

# query EXPRESSION: its values, one a line, each after its labels that follow: NAME...
query() {
	expression=$1
	shift
	labels=$(printf ' .metric.%s,' "$@")
	/usr/bin/python3 - "$server" "$expression" <<'END' >"$T/answer" 2>"$T/query.err"
import sys, urllib.parse, urllib.request
print(urllib.request.urlopen("http://%s/api/v1/query?%s" % (sys.argv[1], urllib.parse.urlencode({"query": sys.argv[2]})), timeout=20).read().decode())
END
	jq -r ".data.result[] | [$labels .value[1]] | join(\" \")" "$T/answer"
}
all_up() { [ "$(query 'sum(up)' job | tr -d ' ')" = 6 ]; }
check "Prometheus scrapes all of them" until_ all_up
sleep 66

# What each channel of a model moves, from a machine whose time is made.
truth() { # MACHINE COLUMN
	"$U" --machine "$1,clock=step" mem -n 1 --format csv 2>/dev/null |
		awk -F, -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) n = i; next } { printf "%s %s %s %.0f\n", $3, $4, $5, $n }' | sort
}
for machine in $machines file:sim:skx,sockets=2; do
	name=${machine%%:*}
	[ "$name" = back ] && continue
	for direction in read written; do
		column=read_bytes_per_s
		[ $direction = written ] && column=write_bytes_per_s
		truth "${machine#*:}" "$column" | awk '$4 > 0' >"$T/truth"
		query "rate(uncore_memory_${direction}_bytes_total{job=\"$name\"}[50s])" socket imc channel | sort >"$T/rates"
		bad=$(paste -d' ' "$T/truth" "$T/rates" | awk '{ d = $4 - $8; if (d < 0) d = -d; if ($1 $2 $3 != $5 $6 $7 || d > $4 / 1000) print }')
		is "$name: rate() of what is $direction is within 0.1 % of the truth" "$bad" ""
		is "$name: of every channel" "$(wc -l <"$T/rates")" "$(wc -l <"$T/truth")"
	done
done
is "a channel that is hidden is down, and expected" \
	"$(query 'sum by (job) (uncore_channels_expected{job="hidden"}) - sum by (job) (uncore_channel_up{job="hidden"})' job)" "hidden 1"
is "a channel that went and came back is up" "$(query 'sum by (job) (uncore_channel_up{job="back"})' job)" "back 6"
is "it was down" "$(query 'min_over_time(uncore_channel_up{job="back",imc="0",channel="0"}[60s])' job)" "back 0"
check "and each sample without it was counted" \
	[ "$(query 'uncore_sample_errors_total{job="back",reason="missing"}' job | cut -d' ' -f2)" -ge 8 ]
is "no socket was above 80 % of its peak for a tenth of the time" \
	"$(query 'histogram_quantile(0.9, rate(uncore_memory_throughput_bytes_per_second_bucket[50s])) > on(job, socket) group_left() (0.8 * uncore_memory_peak_bytes_per_second)' job)" ""
is "but each above 20 %" \
	"$(query 'count(histogram_quantile(0.1, rate(uncore_memory_throughput_bytes_per_second_bucket{job="skx"}[50s])) > on(job, socket) group_left() (0.2 * uncore_memory_peak_bytes_per_second))' job | tr -d ' ')" 2

# The alerts that are installed.
firing() { query "ALERTS{alertname=\"$1\",alertstate=\"firing\"}" "$2" | cut -d' ' -f1 | sort -u | paste -sd' '; }
is "the alert for what is missing fires, on the machine that lacks it" "$(firing UncoreChannelMissing job)" hidden
is "and has not fired for a channel that came back" \
	"$(query 'max_over_time(ALERTS{alertname="UncoreChannelMissing",alertstate="firing",job="back"}[60s])' job)" ""
is "the alert for what is simulated fires, on every machine" "$(firing UncoreMachineSimulated job)" "back bdx file hidden skx snbep"
is "the others do not" "$(firing UncoreChannelStolen job)$(firing UncoreMemoryBusy job)" ""

# The dashboard: each of its queries, and the one for its variable, has data.
jq -r '.panels[].targets[].expr' tools/serve/dashboard.json >"$T/queries"
check "the dashboard has queries" [ "$(wc -l <"$T/queries")" -ge 15 ]
sed -e 's/\$instance/.+/g' -e 's/\$__rate_interval/30s/g' "$T/queries" >"$T/asked"
while read -r asked; do
	query "$asked" job >/dev/null
	is "data for $asked" "$(jq -r '.status, (.data.result | length > 0)' "$T/answer" | paste -sd' ')" "success true"
	is "and all of it is numbers" "$(jq -r '.data.result[].value[1]' "$T/answer" | grep -c -e NaN -e Inf)" 0
done <"$T/asked"
is "each of its instances is found" "$(query 'count(count by (instance) (uncore_build_info))' instance | tr -d ' ')" 6

# A restart is a reset of the counters, which rate() survives.
kill "$restarted"
over "$restarted" >/dev/null
"$U" --state "$T/journals.snbep" --machine sim:snbep,sockets=2 serve --listen "127.0.0.1:$first_port" >"$T/snbep.log" 2>&1 &
pids="$pids $!"
sleep 12
truth sim:snbep,sockets=2 read_bytes_per_s | awk '{ n += $4 } END { print n }' >"$T/sum"
check "after a restart rate() goes on" near \
	"$(query 'sum(rate(uncore_memory_read_bytes_total{job="snbep"}[10s]))' job | tr -d ' ')" "$(cat "$T/sum")" 1
is "which Prometheus saw as one reset" "$(query 'max by (job) (resets(uncore_samples_total{job="snbep"}[60s]))' job)" "snbep 1"

end_all
trap - EXIT
