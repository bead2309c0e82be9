# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086 # what runs as which user is several words
# Root, and a service that is another user with the capabilities of uncorectl-serve.service: one folder of journals, in which each
# sees the other's, and into which no user comes whom root has not let in.
. tests/lib.sh

caps=-all$(sed -n 's/^AmbientCapabilities=//p' tools/serve/uncorectl-serve.service | sed 's/CAP_/,+/g' | tr -d ' ' | tr '[:upper:]' '[:lower:]')
user() { echo "setpriv --reuid $1 --regid $1 --clear-groups --no-new-privs --bounding-set=$2 --inh-caps=$2 --ambient-caps=$2 --"; }
root="env --"
service=$(user 12345 "$caps")
if [ "$(id -u)" != 0 ]; then
	skip "root and another user share a folder of journals" "only root can become another user"
	exit 0
elif ! $service true 2>"$T/err"; then
	skip "root and another user share a folder of journals" "no such capabilities here: $(head -1 "$T/err")"
	exit 0
fi
# Other users come here.
D=$(mktemp -d)
chmod 711 "$D"
last=
finish() {
	[ -z "$last" ] || kill -KILL "$last" 2>/dev/null
	rm -rf "$D"
}
trap finish EXIT

S=sim:snbep,sockets=1,state=$D/machine
J=$D/journals
UNCORECTL_STATE=$J
mkdir -m 700 "$J"
: >"$D/machine" # root's, as registers are
cp "$U" "$D/uncorectl"
U=$D/uncorectl
stat_="$U --machine $S stat -e cas_count.rd --box socket0.imc0.ch0 -i 0.05 --format csv"
begun() { [ "$(wc -l <"$T/data")" -ge 2 ] || is_gone "$last"; }
hold() { # USER: counts besides, until it has a sample; its id is in $last
	: >"$T/data"
	$1 $stat_ >"$T/data" 2>"$T/held.err" </dev/null &
	last=$!
	until_ begun
}
end() { # SIGNAL
	kill -"$1" "$last"
	over "$last" >/dev/null
}
control() { "$POKE" "$S" r ff:10.0 0xe4; }
owners() { (cd "$J" && stat -c %u -- * 2>/dev/null); }
said() { grep -v ' machine: ' "$T/err"; }

# one_and_the_other WHO USER WHO USER: the first is killed, the other sees that and puts back.
one_and_the_other() {
	title="$1, then $3" one=$2 other=$4
	hold "$one"
	is "$title: the first has programmed a counter" "$(control)" 0x00400304
	run $other $stat_ -n 1
	is "$title: the second is refused" "$rc $out" "5 "
	has "and told which process has it" "$err" "socket0.imc0.ch0 (0000:ff:10.0) is in use by process $last (uncorectl"
	run $other "$U" --machine "$S" recover
	is "$title: what runs is not recovered" "$rc $(control)" "0 0x00400304"
	has "and named" "$err" "alive, and puts back by itself: process $last"
	end KILL
	run $other $stat_ -n 1
	is "$title: the second counts beside what a killed one left" "$rc $(control)" "0 0x00400304"
	has "and tells who left it" "$err" "note: process $last (uncorectl"
	has "and what to do" "$err" "left alone; \`uncorectl recover\` puts them back"
	run $other "$U" --machine "$S" doctor --format csv
	is "$title: so does doctor" "$(grep -c "process $last .*left alone until recover" "$T/out")" 1
	run $other "$U" --machine "$S" recover
	is "$title: the second puts it back" "$rc $(control) $(owners)" "0 0x00000000 "
	hold "$one"
	is "$title: the first starts again" "$(control)" 0x00400304
	end KILL
	run $one "$U" --machine "$S" recover
	is "$title: and can put back itself what it left" "$rc $(control) $(owners)" "0 0x00000000 "
}
one_and_the_other "a service" "$service" "root" "$root"
one_and_the_other "root" "$root" "a service" "$service"

# A service that has dropped its capabilities may remove no file of root's folder.
hold "$service"
is "the journal of a service is its own" "$(owners)" 12345
end TERM
is "a service that ends puts back" "$(control)" 0x00000000
is "and complains of nothing" "$(grep -v ' machine: ' "$T/held.err")" ""
is "its journal stays" "$(owners)" 12345
run "$U" --machine "$S" doctor --format csv
is "and names no register: doctor does not mind it" "$(grep -c 'no killed program has left one' "$T/out")" 1
run "$U" --machine "$S" recover --dry-run
is "nor does recover" "$rc $(said)" "0 uncorectl: note: there is nothing to recover"
run $stat_ -n 1
is "the next that writes removes it" "$rc $(said) $(owners)" "0  "

# The user of a service is another one at each start.
hold "$service"
end KILL
run $(user 54321 "$caps") "$U" --machine "$S" recover
is "another user of the service puts back" "$rc $(control) $(owners)" "0 0x00000000 "

# ---- whom root does not trust ----

hold "$root"
cp "$J"/*.journal "$T/hostile"
end TERM
"$POKE" "$S" w ff:10.0 0xe4 0x00400304
put() { # FOLDER USER MODE
	install -o "$2" -g "$2" -m "$3" "$T/hostile" "$1/1-1-0.journal"
}
mkdir -m 700 "$D/other"
chown 12345:12345 "$D/other"
put "$D/other" 12345 600
refused "root takes nothing from a folder of another user" 4 "belongs to user 12345" "$U" --state "$D/other" --machine "$S" recover
put "$D/other" 54321 600
run $service "$U" --state "$D/other" --machine "$S" recover
is "a service takes no file of others from a folder of its own" "$rc" 1
has "and says whose it is" "$err" "it belongs to user 54321"
for mode in 620 602 640 604; do
	put "$J" 12345 $mode
	run "$U" --machine "$S" recover
	is "root takes no file of mode $mode from its own" "$rc" 1
	has "and says so" "$err" "has mode 0$mode"
done
rm "$J"/*
is "nothing of these was written" "$(control)" 0x00400304
"$POKE" "$S" w ff:10.0 0xe4 0x00000000
install -o 12345 -m 600 /dev/null "$D/his"
run $(user 12345 -all) "$U" --machine "sim:snbep,sockets=1,state=$D/his" mem -n 1
is "a user without capabilities is not let into root's folder" "$rc $out $(owners)" "4  "
has "and told so" "$err" "$J: Permission denied"
if setcap cap_sys_rawio,cap_sys_admin,cap_dac_override+ep "$U" 2>"$T/err"; then
	run setpriv --reuid 12345 --regid 12345 --clear-groups "$U" --state "$J" --machine "$S" mem -n 1
	is "nor one whose capabilities are the program's" "$rc $out $(owners)" "4  "
	has "since its user would lead it there" "$err" "$J: not trusted: this folder belongs to user 0"
else
	skip "nor one whose capabilities are the program's" "$(head -1 "$T/err")"
fi
