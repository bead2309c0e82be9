# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The example of the manual page: collectd runs it, has what each channel moves, and leaves nothing when it ends.
. tests/lib.sh

if [ "$(id -u)" != 0 ]; then
	skip "collectd runs the example" "it runs programs as another user, which only root may"
	exit 0
fi
# Its user must reach the program, the script and the simulated machine.
D=$(mktemp -d)
collectd=""
example=""
end_all() {
	# shellcheck disable=SC2086 # several
	kill $collectd $example 2>/dev/null
	rm -rf "$D"
}
trap end_all EXIT
chmod 755 "$D"
cp "$U" "$D/uncorectl"
mkdir "$D/machine"
chown nobody "$D/machine"
machine=sim:skx,sockets=2,hide=3a:0a.2
sed -n '/that its exec plugin runs/,/^\.Sh/p' src/cli/uncorectl.8 | sed -n '/^#!/,/^\.Ed/p' | sed '/^\.Ed/d; s/\\e/\\/g' >"$D/page"
is "sudo runs one command, without a shell" "$(tail -1 "$D/page")" "    ' < <(sudo -n uncorectl mem -i 10 --format jsonl)"
sed -e "s|sudo -n uncorectl mem -i 10|$D/uncorectl --state $D/machine/journals --machine $machine,state=$D/machine/state mem -i 1|" \
	-e 's/interval=10/interval=1/' "$D/page" >"$D/script"
chmod 755 "$D/script"
cat >"$D/collectd.conf" <<END
Hostname "node1"
BaseDir "$D"
PIDFile "$D/pid"
TypesDB "/usr/share/collectd/types.db"
Interval 1
LoadPlugin exec
LoadPlugin csv
<Plugin exec>
  Exec "nobody" "$D/script"
</Plugin>
<Plugin csv>
  DataDir "$D/csv"
</Plugin>
END
PATH=$PATH:/usr/sbin:/sbin
collectd -f -C "$D/collectd.conf" >"$T/collectd.log" 2>&1 &
collectd=$!
of() { cat "$D/csv/node1/uncore-$1/bytes-$2"-* 2>/dev/null | grep -v epoch; }
has_three() { [ "$(of socket1.imc1.ch2 write | wc -l)" -ge 3 ]; }
check "collectd has values" until_ has_three
example=$(sed -n 's/^who \([0-9]*\) .*/\1/p' "$D"/machine/journals/*.journal)
"$U" --machine "$machine,clock=step" mem -n 1 --format csv >"$T/out" 2>/dev/null
column box >"$T/boxes"
for what in read write; do
	column ${what}_bytes_per_s | paste -d' ' "$T/boxes" - >"$T/$what"
	while read -r box truth; do
		got=$(of "$box" $what | tail -1 | cut -d, -f2)
		if [ "$truth" ]; then
			check "what $box moves ($what) is the truth" near "$got" "$truth" 0.1
		else
			is "$box, which is hidden, has no value ($what)" "$got" ""
		fi
	done <"$T/$what"
done
is "one of twelve channels is hidden" "$(awk 'NF < 2' "$T/read" | wc -l) $(wc -l <"$T/read" | tr -d ' ')" "1 12"
at=$(of socket1.imc1.ch2 write | tail -1 | cut -d. -f1)
check "values have the time of day" [ "$(($(date +%s) - at))" -lt 1000 ]
chown root "$D/machine/state" # simpoke takes no file of others
programmed() { [ "$("$POKE" "$machine,state=$D/machine/state" r 3a:0c.2 0xe4)" != 0x00000000 ]; }
check "a counter is programmed" programmed
kill "$collectd"
over "$collectd" collectd >/dev/null
collectd=
check "when collectd ends, so does uncorectl" until_ is_gone "$example"
back() { ! programmed; }
check "registers are put back" back
is "no journal stays" "$(ls "$D/machine/journals")" ""
is "and no process" "$(pgrep -f "$D/script|$D/uncorectl")" ""
is "collectd has nothing to say against it" "$(grep -iE 'error|warn|fail' "$T/collectd.log" | grep -v ' machine: ')" ""
