# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# promtool and a strict parser find nothing in what mem, stat and llc write, on machines of each kind.
. tests/lib.sh
. tests/fleet/lib.sh

try() { # MACHINE COMMAND...
	machine=$1
	shift
	for format in prometheus openmetrics; do
		run "$U" --machine "$machine" "$@" -n 2 --format $format
		is "$machine: $1 --format $format succeeds" "$rc" 0
		last_of "$T/out" >"$T/last"
		sound "$machine: $1 --format $format" "$T/last"
	done
}

for model in $("$U" --list-machines | cut -d' ' -f1 | sed 's/.*sim://'); do
	"$U" --machine "sim:$model,clock=step" mem -n 1 >"$T/out" 2>&1 || continue # no channels are known
	try "sim:$model,sockets=2,clock=step" mem
done
try sim:skx,sockets=2,clock=step,hide=3a:0a.2 mem
try sim:skx,sockets=2,clock=step,allones=3a:0a.2@0.5-1.5 mem
try sim:bdx,sockets=2,clock=step llc
try sim:bdx,sockets=2,clock=step,qm=unavailable:alternate llc --group 'a"b\c=0-3'
try sim:bdx,sockets=2,clock=step llc --all-rmids
try sim:bdx,sockets=2,clock=step stat -e cas_count.rd,act_count.rd -m 'read_bandwidth,write_bandwidth'
try sim:snbep,sockets=2,clock=step stat -e cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts,dclk

# The finders find: a counter without its end, a unit that is no base unit, series that come twice.
printf '# TYPE a counter\na_count 1\n' >"$T/wrong"
if promtool check metrics <"$T/wrong" >"$T/finds" 2>&1; then not_ok "promtool finds what is wrong"; else ok "promtool finds what is wrong"; fi
printf '# TYPE a counter\na 1\n# EOF\n' >"$T/wrong"
if /usr/bin/python3 tests/fleet/strict.py "$T/wrong" >"$T/finds" 2>&1; then not_ok "so does the strict parser"; else ok "so does the strict parser"; fi
