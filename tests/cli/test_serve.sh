# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl serve: what it answers, to whom it listens, and how it ends.
. tests/lib.sh

if "$U" serve --help | grep -q 'built without'; then
	skip "serve answers" "this build has no libmicrohttpd"
	exit 0
fi
cat >"$T/ask" <<'END'
"""ask SOCKET METHOD PATH [ACCEPT]: the status, the headers in small letters, and the body."""
import http.client, socket, sys

class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.host)

connection = Local(sys.argv[1])
connection.request(sys.argv[2], sys.argv[3], headers={"Accept": sys.argv[4]} if len(sys.argv) > 4 else {})
answer = connection.getresponse()
print(answer.status)
for name, value in answer.getheaders():
    print(f"{name.lower()}: {value}")
print()
sys.stdout.write(answer.read().decode())
END
ask() { python3 "$T/ask" "$T/socket" "$@" >"$T/answer" 2>"$T/ask.err"; }
head_of() { sed '/^$/q' "$T/answer"; }
body() { sed '1,/^$/d' "$T/answer"; }
series() { sed -n "s/^$1 //p" "$T/answer"; }
healthy() { ask GET /-/healthy && [ "$(head -1 "$T/answer")" = 200 ]; }

S=sim:bdx,sockets=2,state=$T/state
start "$U" --machine "$S" serve --listen "unix:$T/socket" -i 0.2 --group web=0-3
check "it serves" until_ healthy
ask GET /metrics
is "/metrics is there" "$(head -1 "$T/answer")" 200
is "in the text format" "$(head_of | grep '^content-type')" "content-type: text/plain; version=0.0.4; charset=utf-8"
is "every channel is up" "$(body | grep -c '^uncore_channel_up.* 1$')" 8
is "a group has its cache" "$(body | grep -c '^uncore_llc_occupancy_bytes{l3="0",group="web"}')" 1
is "the machine is simulated" "$(body | grep -c '^uncore_machine_info.*simulated="true"} 1')" 1
first=$(series 'uncore_memory_read_bytes_total{socket="0",imc="0",channel="0"}')
until_ sh -c "sleep 0.3"
ask GET /metrics
second=$(series 'uncore_memory_read_bytes_total{socket="0",imc="0",channel="0"}')
check "bytes grow from scrape to scrape" [ "$second" -gt "$first" ]
is "scrapes are counted" "$(body | grep '^uncore_scrapes_total' | awk '{ n += $2 } END { print n }')" 2
ask GET /metrics 'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
is "Prometheus gets OpenMetrics" "$(head_of | grep '^content-type')" "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"
is "which ends" "$(tail -1 "$T/answer")" "# EOF"
ask GET /metrics 'application/openmetrics-text;version=0.0.1,text/plain;q=0.5'
is "not in a version that it does not write" "$(tail -1 "$T/answer" | cut -d' ' -f1)" process_start_time_seconds
for weight in 0 0. 0.0 0.00 0.000 '0 ' '0;x=1'; do
	ask GET /metrics "application/openmetrics-text;version=1.0.0;q=$weight, text/plain"
	is "nor where q=$weight refuses that" "$(tail -1 "$T/answer" | cut -d' ' -f1)" process_start_time_seconds
done
for weight in 0.001 0.5 1.0 1; do
	ask GET /metrics "text/plain, application/openmetrics-text; version=1.0.0; Q=$weight"
	is "but where q=$weight asks for it" "$(tail -1 "$T/answer")" "# EOF"
done
ask HEAD /metrics
is "HEAD is the same without a body" "$(head -1 "$T/answer") $(body | wc -c)" "200 0"
ask GET /
has "/ leads to the metrics" "$(body)" '<a href="/metrics">'
ask GET /etc/passwd
is "nothing else is there" "$(head -1 "$T/answer")" 404
for method in POST PUT DELETE OPTIONS; do
	ask $method /metrics
	is "$method is refused" "$(head -1 "$T/answer")" 405
done
is "which tells what is not" "$(head_of | grep '^allow')" "allow: GET, HEAD"
printf 'GET / HTTP/1.1\r\nHost: x\r\nX: %70000s\r\n\r\n' x >"$T/large"
python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(sys.argv[1]); s.sendall(open(sys.argv[2], "rb").read()); print(s.recv(99))' \
	"$T/socket" "$T/large" >"$T/seen" 2>&1
check "a request that is too large gets no metrics" sh -c "! grep -q '200 OK' '$T/seen'"
check "and others are still answered" healthy
if [ -r "/proc/$pid/status" ] && [ "$(id -u)" = 0 ]; then
	is "it has no capability" "$(grep -E '^Cap(Prm|Eff):' "/proc/$pid/status" | grep -cv '0000000000000000$')" 0
fi
is "it says nothing else" "$(grep -v '^uncorectl: machine:' "$T/err")" ""
refused "a second one at the same socket is not" 5 "Address already in use" "$U" --machine sim:snbep serve --listen "unix:$T/socket"
kill -TERM "$pid"
ended "serve"
is "SIGTERM ends it" "$rc" 143
for off in 0xd8 0xdc 0xe0 0xe4 0xf4; do
	is "and control $off is as it was" "$("$POKE" "$S" r ff:14.0 $off)" 0x00000000
done

# A channel comes and goes; the server stays, and goes on where the socket of a killed one is left.
start "$U" --machine "sim:skx,sockets=1,vanish=3a:0a.2@0.4" serve --listen "unix:$T/socket" -i 0.1
until_ healthy
vanished() { ask GET /metrics && [ "$(series 'uncore_channel_up{socket="0",imc="0",channel="0"}')" = 0 ]; }
check "a channel that vanished is down" until_ vanished
is "and tells why" "$(series 'uncore_channel_state{socket="0",imc="0",channel="0",state="missing"}')" 1
is "it has no bytes any more" "$(series 'uncore_memory_read_bytes_total{socket="0",imc="0",channel="0"}')" ""
is "the others have" "$(body | grep -c '^uncore_memory_read_bytes_total')" 5
kill -TERM "$pid"
ended "serve"

# The sampler sleeps for a second, and requests that came together do not wait for the end of that.
cat >"$T/together" <<'END'
"""together SOCKET PATH: sends 8 requests at once on one connection, and prints how many answers came within 5 s, and how many differ."""
import re, socket, sys, time
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % sys.argv[2].encode() * 7 + b"GET %s HTTP/1.0\r\n\r\n" % sys.argv[2].encode())
end = time.monotonic() + 5
seen = b""
while time.monotonic() < end:
    connection.settimeout(max(0.01, end - time.monotonic()))
    try:
        more = connection.recv(65536)
    except socket.timeout:
        break
    if not more:
        break
    seen += more
answers = re.split(rb"HTTP/1.1 200 OK\r\n", seen)[1:]
print(len(answers), len({answer.split(b"\r\n\r\n")[1] for answer in answers}))
END
start "$U" --machine sim:bdx,sockets=1 serve --listen "unix:$T/socket" -i 60
until_ healthy
run python3 "$T/together" "$T/socket" /-/healthy
is "requests that come together are all answered at once" "$out" "8 1"
run python3 "$T/together" "$T/socket" /metrics
check "and scrapes that come together have the same text" [ "${out#8 }" -lt 4 ]
# Counters of caches wrap within 5.5 s.
cat >"$T/often" <<'END'
import socket, sys, time
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
for _ in range(90):
    connection.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
    connection.recv(9999)
    time.sleep(0.1)
END
python3 "$T/often" "$T/socket"
ask GET /metrics
is "they are read although requests come all the time" "$(body | grep -c '^uncore_l3_bandwidth_bytes_total')" 2
kill -TERM "$pid"
ended "serve"

# Readiness and a listener that is passed, as systemd does both.
cat >"$T/pass" <<'END'
import os, socket, sys
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(sys.argv[1] + "/notify")
notify.settimeout(60)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1] + "/passed")
listener.listen(8)
child = os.fork()
if child == 0:
    os.dup2(listener.fileno(), 3)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", NOTIFY_SOCKET=sys.argv[1] + "/notify")
    os.execv(sys.argv[2], [sys.argv[2], "--machine", "sim:snbep,sockets=1", "serve"])
print(notify.recv(99).decode())
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(60)
connection.connect(sys.argv[1] + "/passed")
connection.sendall(b"GET /-/healthy HTTP/1.0\r\n\r\n")
print(connection.recv(15).decode())
os.kill(child, 15)
os.waitpid(child, 0)
END
run python3 "$T/pass" "$T" "$U"
is "a listener that is passed is taken, and readiness told" "$(echo "$out" | tr -d '\r' | paste -sd' ')" "READY=1 HTTP/1.1 200 OK"

refused "an address without a port" 2 "write ADDRESS:PORT" "$U" --machine sim:snbep serve --listen 127.0.0.1
refused "a name is not looked up" 2 "write ADDRESS:PORT" "$U" --machine sim:snbep serve --listen localhost:9769
refused "groups are of caches" 2 "leaves the caches out" "$U" --machine sim:snbep serve --no-caches --group web=0
refused "and are not observed" 2 "--observe leaves the caches out" "$U" --machine sim:snbep serve --observe --cpus 0
refused "a COMMAND is mem's" 2 "mem -- COMMAND" "$U" --machine sim:snbep serve -- true
refused "a record has no scrapes" 2 "in no record" "$U" --machine sim:snbep record "$T/record" -- serve
