# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The alert rules, by promtool; test_scrape.sh lets them fire.
. tests/lib.sh

cp tools/serve/alerts.yml tests/fleet/alerts_test.yml "$T"
run promtool check rules "$T/alerts.yml"
is "promtool finds nothing in the rules" "$rc $err" "0 "
sed -n '/^scrape_configs:/,/^\.Ed/p' src/cli/uncorectl.8 | sed "/^\.Ed/d; s,/usr/local/share/doc/uncorectl/examples,$T," >"$T/prometheus.yml"
run promtool check config "$T/prometheus.yml"
is "nor in the configuration of the page" "$rc $err" "0 "
has "which finds these rules" "$out" "SUCCESS: 1 rule files found"
run promtool test rules "$T/alerts_test.yml"
is "each alert fires when it should, and only then" "$rc" 0
sed -n 's/.*- alert: //p' "$T/alerts.yml" >"$T/alerts"
while read -r alert; do
	is "$alert has a test in which it fires" "$(grep -A1 "alertname: $alert" "$T/alerts_test.yml" | grep -c 'exp_alerts:$')" 1
done <"$T/alerts"
