# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# make static: one file that needs no other, tried in a root that has nothing else; and as /init there.
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

# As process 1 of a namespace, whose end is what poweroff (SIGINT) or reboot (SIGHUP) is there.
if ! unshare -fpm true 2>/dev/null; then
	skip "the static file as /init" "this computer makes no namespaces of processes and mounts"
	exit 0
fi
process_1() { timeout 60 unshare -fpm --root "$R" "$@"; }
alone_1() { run process_1 "$@"; }
alone_1 /uncorectl --version
is "as process 1 of a container it is the command that it is elsewhere" "$rc $out" "0 $("$U" --version)"
mv "$R/uncorectl" "$R/init"

mem="--machine $M mem -n 2 --format csv"
cat >"$R/uncorectl.args" <<END
$mem
# nothing

list "of nothing
uncorectl nothing
'no thing'
END
echo nonsense >"$R/msr.ko"
echo nonsense >"$R/msr.ko.xz"
alone_1 /init ignored
is "as /init it ends the computer after its commands" "$rc" 130
# shellcheck disable=SC2086 # words
run_out=$("$U" $mem 2>/dev/null)
has "and each command printed what it prints elsewhere" "$out" "uncorectl> $mem
$run_out
uncorectl> # nothing
uncorectl> list"
is "a line without an end is no command" "$(echo "$err" | grep -c 'a quote has no end')" 1
has "quotes keep blanks" "$err" 'no command "no thing"'
has "a status that is not 0 is said" "$err" "uncorectl: nothing: exit status 2"
has "a module that the kernel does not take is named" "$err" "/msr.ko: the kernel does not load it"
has "and one that is compressed, with what to do" "$err" "; unpack it, since this kernel may not do that itself"
rm "$R"/msr.ko*
printf 'list\nreboot\nmaps list\n' >"$R/uncorectl.args"
alone_1 /init
is "reboot ends the computer at once" "$rc $(echo "$out" | grep -c '^uncorectl> ')" "129 2"
has "/proc and /sys are there" "$out" "CPU "
lacks "and all of that could be mounted" "$err" "cannot mount"

rm "$R/uncorectl.args"
asked() { printf '%s\n' --version '' 'help mem' poweroff | process_1 /init; }
run asked
is "without a file of commands it asks for them" "$rc $(echo "$out" | grep -o '^uncorectl> .*' | tr '\n' ' ')" \
	"130 uncorectl> $("$U" --version) uncorectl> uncorectl> usage: uncorectl mem [OPTION]... [-- COMMAND [ARGUMENT]...] uncorectl>  "
