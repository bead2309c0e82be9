# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl serve among clients that are too many, slow, silent or wrong: others are answered meanwhile, and samples go on.
. tests/lib.sh

if "$U" serve --help | grep -q 'built without'; then
	skip "serve under attack" "this build has no libmicrohttpd"
	exit 0
fi
cat >"$T/attack.py" <<'END'
"""attack.py SOCKET KIND: prints what became of the attackers; then whether others are answered and samples go on while they stay."""
import random, re, socket, sys, time

HEALTHY = b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\n"

def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(60)
    connection.connect(sys.argv[1])
    return connection

def send(connection, text):
    try:
        connection.sendall(text)
    except OSError:
        pass

def receive(connection, until=None):
    """What comes until the end of the connection, or until that many bytes match."""
    seen = b""
    try:
        while until is None or not re.search(until, seen, re.S):
            more = connection.recv(65536)
            if not more:
                break
            seen += more
    except ConnectionError:
        pass
    return seen

def asked(text, connection=None):
    """The answer to a request that is the last of its connection."""
    connection = connection or connect()
    send(connection, text)
    return receive(connection)

def samples():
    """So many there were; None: there was no answer."""
    seen = re.search(rb"\nuncore_samples_total (\d+)\n", asked(b"GET /metrics HTTP/1.0\r\n\r\n"))
    return int(seen[1]) if seen else None

def others():
    """Another client, for as long as it takes to see three more samples."""
    first = last = None
    until = time.monotonic() + 60
    while time.monotonic() < until and (first is None or last < first + 3):
        seen = samples()
        last = last if seen is None else seen
        first = last if first is None else first
        time.sleep(0.05)
    return "others are answered" if first is not None and last >= first + 3 else f"samples from {first} to {last}"

def crowd():
    """64 at once: those that are served stay."""
    many = [connect() for _ in range(64)]
    for connection in many:
        send(connection, HEALTHY)
    seen = [receive(connection, rb"healthy\n$") for connection in many]
    served = [c for c, text in zip(many, seen) if text.startswith(OK)]
    print(len(served), "served,", seen.count(b""), "closed")
    for connection in served:
        send(connection, HEALTHY)
    print(sum(receive(c, rb"healthy\n$").startswith(OK) for c in served), "still served")
    return served

def slow():
    """All places are taken by requests that never end.  What comes meanwhile is refused, then answered."""
    first = samples()
    many = [connect() for _ in range(32)]
    begun, seen = time.monotonic(), None
    while seen is None and time.monotonic() < begun + 60:
        for connection in many:
            send(connection, b"G")
        seen = samples()
        time.sleep(0.2)
    print("later" if time.monotonic() - begun > 5 else "at once", "samples go on" if seen > first + 3 else "no samples")
    return many

def idle():
    """All places are taken by connections that say nothing at all; then by such as stop within a request."""
    for begin in b"", b"GET /metrics HTTP/1.1\r\nHos":
        many = [connect() for _ in range(32)]
        for connection in many:
            send(connection, begin)
        print([receive(connection)[:12] for connection in many].count(b""), "closed")
    return []

def half():
    """The client has closed its half after the request; within it; and before it."""
    for text in HEALTHY, b"GET /-/healthy HTTP/1.1\r\nHos", b"":
        connection = connect()
        send(connection, text)
        connection.shutdown(socket.SHUT_WR)
        print(receive(connection)[:15].decode() or "closed")
    return []

def deaf():
    """Clients ask for much and read nothing, until they are given up."""
    many = [connect() for _ in range(16)]
    for connection in many:
        connection.setblocking(False)
        for _ in range(500):
            send(connection, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        connection.settimeout(60)
    print(others())
    until = time.monotonic() + 60
    while many and time.monotonic() < until:
        for connection in list(many):
            try:
                connection.send(b"G", socket.MSG_DONTWAIT)
            except BlockingIOError:
                pass
            except OSError:
                many.remove(connection)
        time.sleep(0.1)
    print(len(many), "left")
    return many

def large():
    """Words, names, values, numbers of headers, arguments and bodies are too large."""
    line = b"GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n"
    texts = (b"A" * 70000 + b" / HTTP/1.1\r\n\r\n", line % (b"/" * 70000, b""), line % (b"/metrics?" + b"a=b&" * 20000, b""),
             line % (b"/metrics", b"X" * 70000 + b": x\r\n"), line % (b"/metrics", b"X: " + b"x" * 70000 + b"\r\n"),
             line % (b"/metrics", b"X: x\r\n" * 10000), line % (b"/metrics", b"Content-Length: 70000\r\n") + b"x" * 70000,
             line % (b"/metrics", b"Content-Length: 99999999999999999999\r\n"),
             line % (b"/metrics", b"Transfer-Encoding: chunked\r\n") + b"ffffffffffffffff\r\nx")
    print(sum(asked(text).startswith(OK) for text in texts), "answered")
    return []

def pipelined():
    """500 requests in one piece on each of 8 connections."""
    many = [connect() for _ in range(8)]
    for connection in many:
        connection.setblocking(False)
    left = [b"HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 500 for _ in many]
    seen = [b"" for _ in many]
    until = time.monotonic() + 60
    while time.monotonic() < until and any(text.count(OK) < 500 for text in seen):
        for i, connection in enumerate(many):
            try:
                left[i] = left[i][connection.send(left[i]):] if left[i] else b""
            except OSError:
                pass
            try:
                seen[i] += connection.recv(65536)
            except OSError:
                pass
    print(sum(text.count(OK) for text in seen), "answered")
    return many

def old():
    """HTTP/1.0: the connection ends after the answer, or stays where that is asked for.  There are no other versions."""
    print(asked(b"GET /-/healthy HTTP/1.0\r\n\r\n").endswith(b"\nuncorectl is healthy\n"))
    stays = connect()
    for _ in range(3):
        send(stays, b"GET /-/healthy HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
        print(receive(stays, rb"healthy\n$").endswith(b"\nuncorectl is healthy\n"))
    wrong = (b"GET /metrics\r\n\r\n", b"GET /metrics HTTP/0.9\r\n\r\n", b"GET /metrics HTTP/2.0\r\n\r\n",
             b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /metrics FTP/1.1\r\n\r\n")
    print(sum(b"200 OK" in asked(text) for text in wrong), "answered")
    return [stays]

def noise():
    """Random bytes, and requests in which some bytes are others: what is answered is HTTP."""
    chance = random.Random(23)
    wrong = 0
    for _ in range(5):
        many = [connect() for _ in range(30)]
        for i, connection in enumerate(many):
            text = bytearray(b"GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: text/plain;version=0.0.4;q=0.5\r\n\r\n")
            for _ in range(3):
                text[chance.randrange(len(text))] = chance.randrange(256)
            send(connection, bytes(text) if i % 2 else chance.randbytes(chance.randrange(1, 400)))
        for connection in many:
            seen = receive(connection, rb"\r\n")
            wrong += bool(seen) and not re.match(rb"HTTP/1\.[01] (200|4\d\d|50\d) ", seen)
            connection.close()
    print(wrong, "wrong")
    return []

stay = globals()[sys.argv[2]]()
print(others())
END
# attacked SENTENCE KIND LINE...: what attack.py prints.
attacked() {
	sentence=$1 kind=$2
	shift 2
	run python3 "$T/attack.py" "$T/socket" "$kind"
	is "$sentence" "$out$err" "$(printf '%s\n' "$@")"
}

start "$U" --machine sim:skx,sockets=1 serve --listen "unix:$T/socket" -i 0.1
check "it serves" until_ [ -S "$T/socket" ]
go_on='others are answered'
attacked "of 64 connections at once 32 are served, and the others closed" crowd '32 served, 32 closed' '32 still served' "$go_on"
attacked "requests that never end give their places to others" slow 'later samples go on' "$go_on"
attacked "so do connections that say nothing, or nothing more" idle '32 closed' '32 closed' "$go_on"
attacked "a client that closes its half has its answer, if its request was whole" half 'HTTP/1.1 200 OK' closed closed "$go_on"
attacked "clients that read nothing keep nothing" deaf "$go_on" '0 left' "$go_on"
attacked "what is too large is not answered" large '0 answered' "$go_on"
attacked "requests that come together are all answered" pipelined '4000 answered' "$go_on"
attacked "HTTP/1.0 is answered, and no other version but 1.1" old True True True True '0 answered' "$go_on"
attacked "noise is answered in HTTP, if at all" noise '0 wrong' "$go_on"
is "it says nothing of all that" "$(grep -v '^uncorectl: machine:' "$T/err")" ""
kill -TERM "$pid"
ended "serve"
is "and SIGTERM ends it as ever" "$rc" 143
