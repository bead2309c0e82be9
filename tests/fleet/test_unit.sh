# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The units for systemd, which does not run here: systemd-analyze reads them, and `serve` does nothing that they forbid.
. tests/lib.sh

env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s "B=$B" PREFIX="$T/prefix" install >"$T/make.log" 2>&1
units=$T/prefix/lib/systemd/system
service=$units/uncorectl-serve.service
setting() { sed -n "s/^$1=//p" "$service"; }

run systemd-analyze verify --man=no "$service" "$units/uncorectl-serve.socket"
is "systemd finds nothing in the units" "$rc $out$err" "0 "
run systemd-analyze security --offline=yes --no-pager --threshold=25 "$service"
is "what an intruder could do is little" "$rc" 0
for line in 'User=/DynamicUser=' 'NoNewPrivileges=' 'ProtectSystem=' 'ProtectKernelTunables=' 'RestrictAddressFamilies=~…'; do
	lacks "$line is as good as it can be" "$(grep -F "✗" "$T/out")" "✗ $line"
done
is "the capabilities are those that the page names" "$(setting AmbientCapabilities)" "$(sed -n '/^\.Sh PRIVILEGES/,/^\.Sh ENV/s/^\.It Dv //p' \
	src/cli/uncorectl.8 | grep -v SYS_PTRACE | paste -sd' ')"
is "and no others can be had" "$(setting CapabilityBoundingSet)" "$(setting AmbientCapabilities)"

# What each command line calls, with the socket passed as systemd does, is allowed.
cat >"$T/pass" <<'END2'
import os, socket, sys
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(sys.argv[1] + "/notify")
notify.settimeout(60)
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(8)
child = os.fork()
if child == 0:
    os.dup2(listener.fileno(), 3)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", NOTIFY_SOCKET=sys.argv[1] + "/notify")
    os.execv("/usr/bin/strace", ["strace", "-D", "-f", "-o", sys.argv[1] + "/trace"] + sys.argv[2:])
print(notify.recv(99).decode())
connection = socket.create_connection(listener.getsockname(), timeout=60)
connection.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
print(connection.recv(15).decode().strip())
os.kill(child, 15)
os.waitpid(child, 0)
END2
state=$(setting ExecStart | grep -o -e '--state [^ ]*')
mkdir -m 700 "$T/state"
is "the folder of journals is root's, made before, and may be written" "$(setting ExecStartPre | head -1) $(setting ReadWritePaths)" \
	"+/bin/mkdir -p -m 0700 %t/uncorectl /sys/devices %t/uncorectl"
words() { setting "$1" | tail -1 | sed -e "s,^-,," -e "s,--state [^ ]*,--state $T/state --machine sim:bdx\,sockets=2\,state=$T/machine,"; }
is "both commands have that folder" "$(setting ExecStartPre | grep -o -e '--state [^ ]*') $state" "--state %t/uncorectl --state %t/uncorectl"
# shellcheck disable=SC2046 # words
run python3 "$T/pass" "$T" $(words ExecStart)
is "it is ready, and answers at the socket that it is passed" "$(echo "$out" | paste -sd' ')" "READY=1 HTTP/1.1 200 OK"
# What a killed one leaves is put back by the line before, as another user with these capabilities.
caps=-all,$(setting AmbientCapabilities | sed 's/CAP_/+/g' | tr 'A-Z ' 'a-z,')
as="setpriv --reuid 12345 --regid 12345 --clear-groups --no-new-privs --bounding-set=$caps --inh-caps=$caps --ambient-caps=$caps --"
$as true 2>/dev/null || as=
# shellcheck disable=SC2046,SC2086
$as $(words ExecStart) --listen "unix:$T/socket" >"$T/killed.log" 2>&1 &
killed=$!
programmed() { [ "$("$POKE" "sim:bdx,sockets=2,state=$T/machine" r ff:14.0 0xe4)" != 0x00000000 ]; }
check "a counter is programmed" until_ programmed
until_ [ -S "$T/socket" ]
kill -KILL "$killed"
over "$killed" >/dev/null
check "a killed one leaves it" programmed
# shellcheck disable=SC2046,SC2086
run $as strace -f -o "$T/trace.recover" $(words ExecStartPre)
is "which ExecStartPre puts back" "$rc $("$POKE" "sim:bdx,sockets=2,state=$T/machine" r ff:14.0 0xe4)" "0 0x00000000"
expand() {
	for word; do
		case $word in
		@*)
			systemd-analyze syscall-filter "$word" | sed -n 's/^ *\([@a-z0-9_][a-z0-9_-]*\)$/\1/p' | grep -vxF "$word" >"$T/$word"
			# shellcheck disable=SC2046
			(expand $(cat "$T/$word"))
			;;
		*) echo "$word" ;;
		esac
	done
}
setting SystemCallFilter | grep -v '^~' | tr ' ' '\n' >"$T/words"
# shellcheck disable=SC2046
expand $(cat "$T/words") | sort -u >"$T/allowed.all"
# shellcheck disable=SC2046
expand $(setting SystemCallFilter | sed -n 's/^~//p') | sort -u >"$T/forbidden"
comm -23 "$T/allowed.all" "$T/forbidden" >"$T/allowed"
check "systemd knows these groups of system calls" [ "$(wc -l <"$T/allowed")" -gt 100 ]
cat "$T/trace" "$T/trace.recover" | sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' | sort -u >"$T/called"
check "both were traced" [ "$(wc -l <"$T/called")" -gt 30 ]
is "no system call is made that the filter refuses" "$(comm -23 "$T/called" "$T/allowed")" ""
is "every socket that it makes is of an allowed family" "$(grep -ho '[^a-z]socket(AF_[A-Z0-9]*' "$T/trace" "$T/trace.recover" | sed 's/.*(//' | sort -u)" \
	"$(setting RestrictAddressFamilies)"
is "no unit is enabled" "$(find "$T/prefix" -path '*.wants*')" ""
