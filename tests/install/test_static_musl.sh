# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# make static LIBC=musl: it prints what the other build prints, and is smaller.
. tests/lib.sh

case "${CFLAGS-}" in *-fsanitize* | *--coverage*)
	skip "the static file with musl" "this build is not one to ship"
	exit 0
	;;
esac
if [ "$(id -u)" != 0 ] || ! command -v dpkg-query >/dev/null; then
	skip "the static file with musl" "it is tried in another root, which only root enters, and Debian's sources are fetched for it"
	exit 0
fi
M=$PWD/$B/archives/musl
run tools/static-archives "$M" musl-gcc
if [ "$rc" != 0 ] && expr "$err" : '.*cannot fetch Debian' >/dev/null; then
	skip "the static file with musl" "$(echo "$err" | head -1)"
	exit 0
fi
is "its libraries are made" "$rc $err" "0 "
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s "B=$T/build" "MUSL=$M" LIBC=musl static
is "make static LIBC=musl succeeds, and has nothing to say" "$rc $err" "0 "
S=$T/build/static/uncorectl
lacks "no loader is asked for" "$(readelf -l "$S")" INTERP
check "it is below 4 MB" [ "$(stat -c %s "$S")" -lt 4000000 ]
mkdir "$T/root"
cp "$S" "$T/root/uncorectl"
for words in "list -v" "mem -n 2 --format csv" "stat -m read_bandwidth -n 1" "llc -n 1" "check --quick" "events" "doctor" "reg dump"; do
	# shellcheck disable=SC2086 # words
	run "$U" --machine sim:spr,sockets=1,clock=step $words
	wanted="$rc $out"
	# shellcheck disable=SC2086 # words
	run chroot "$T/root" /uncorectl --machine sim:spr,sockets=1,clock=step --state / $words
	is "$words prints there what it prints here" "$rc $out" "$wanted"
	lacks "and is confined as here" "$err" "not confined"
done
