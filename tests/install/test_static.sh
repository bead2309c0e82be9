# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# make static: one file that needs no other, tried in a root that has nothing else.
. tests/lib.sh

case "${CFLAGS-}" in *-fsanitize* | *--coverage*)
	skip "the static file" "this build is not one to ship"
	exit 0
	;;
esac
if [ "$(id -u)" != 0 ] || ! command -v dpkg-query >/dev/null; then
	skip "the static file" "it is tried in another root, which only root enters, and Debian's sources are fetched for it"
	exit 0
fi
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s "B=$B" "$B/static/uncorectl"
if [ "$rc" != 0 ] && expr "$err" : '.*cannot fetch Debian' >/dev/null; then
	skip "the static file" "$(echo "$err" | head -1)"
	exit 0
fi
check "make static succeeds" [ "$rc" = 0 ]
is "it has nothing to say" "$err" ""
S=$B/static/uncorectl
lacks "no loader is asked for" "$(readelf -l "$S")" INTERP
check "it is below 4 MB" [ "$(stat -c %s "$S")" -lt 4000000 ]

R=$T/root
mkdir "$R"
cp "$S" "$R/uncorectl"
alone() { run chroot "$R" /uncorectl "$@"; }
M=sim:spr,sockets=1,clock=step
alone --version
is "alone in a root it says its version" "$out" "$("$U" --version)"
for words in "list -v" "mem -n 2 --format csv" "stat -m read_bandwidth -n 1" "llc -n 1" "check --list" "events" "maps list" "reg dump"; do
	# shellcheck disable=SC2086 # words
	run "$U" --machine "$M" $words
	wanted="$rc $out"
	# shellcheck disable=SC2086 # words
	alone --machine "$M" --state / $words
	is "$words prints there what it prints here" "$rc $out" "$wanted"
	lacks "and is confined as here" "$err" "not confined"
done
alone list
is "without /proc and /sys it refuses, as nothing is known of the machine" "$rc" 3
alone --machine "$M" top
is "top wants a terminal" "$rc" 2
