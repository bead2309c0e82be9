// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrapes PORT PID CONNECTIONS PER_SECOND SECONDS: asks the server of that process, on the loopback, for /metrics so often, over that many
 * connections that stay.  Writes the last answer to standard output, and "ANSWERED BYTES CPU_NS CLOSED" to standard error: answers, bytes
 * of the last one, CPU time of the process meanwhile, and connections that it closed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

enum { CONNECTIONS = 64, ANSWER = 1 << 20 };

struct connection {
	int fd;
	bool asked;
	size_t len; /* of what came of its answer */
	char text[ANSWER];
};

struct totals {
	unsigned long long asked, answered, bytes, closed;
	const struct connection *last;
};

static const char question[] = "GET /metrics HTTP/1.1\r\nHost: bench\r\n\r\n";

static void open_one(struct connection *connection, unsigned port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};

	connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		die("a connection", strerror(errno));
	connection->asked = false;
}

/* Bytes of a whole answer; 0: not known yet. */
static size_t whole(const struct connection *connection)
{
	static const char length[] = "Content-Length: ";
	const char *end = strstr(connection->text, "\r\n\r\n"), *at = strstr(connection->text, length);

	return end && at && at < end ? (size_t)(end + 4 - connection->text) + strtoul(at + strlen(length), NULL, 10)
				     : 0;
}

static void ask(struct connection *connection, struct totals *totals)
{
	if (send(connection->fd, question, strlen(question), MSG_NOSIGNAL) != (ssize_t)strlen(question))
		return; /* it has been closed, as poll() will show */
	connection->asked = true;
	connection->len = 0;
	totals->asked++;
}

static void take(struct connection *connection, unsigned port, struct totals *totals)
{
	ssize_t n =
		recv(connection->fd, connection->text + connection->len, ANSWER - 1 - connection->len, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		totals->closed++;
		close(connection->fd);
		open_one(connection, port);
		return;
	}
	connection->len += (size_t)n;
	connection->text[connection->len] = '\0';
	if (connection->len != whole(connection))
		return;
	connection->asked = false;
	totals->answered++;
	totals->last = connection;
	totals->bytes = connection->len;
}

int main(int argc, char **argv)
{
	static struct connection connections[CONNECTIONS];
	struct pollfd polled[CONNECTIONS];
	struct totals totals = {0};
	unsigned long long port, n, per_s, seconds, cpu_ns;
	uint64_t begin_ns, now = 0;
	clockid_t clock;

	if (argc != 6 || clock_getcpuclockid(atoi(argv[2]), &clock) != 0)
		return usage("PORT PID CONNECTIONS PER_SECOND SECONDS");
	port = strtoull(argv[1], NULL, 10);
	n = strtoull(argv[3], NULL, 10);
	per_s = strtoull(argv[4], NULL, 10);
	seconds = strtoull(argv[5], NULL, 10);
	for (unsigned i = 0; i < n; i++) {
		if (n > CONNECTIONS)
			die("connections", "too many");
		open_one(&connections[i], (unsigned)port);
	}
	cpu_ns = now_ns(clock);
	begin_ns = now_ns(CLOCK_MONOTONIC);
	while (now < seconds * 1000000000) {
		uint64_t due = now * per_s / 1000000000 + 1;

		for (unsigned i = 0; i < n; i++) {
			if (!connections[i].asked && totals.asked < due)
				ask(&connections[i], &totals);
			polled[i] = (struct pollfd){.fd = connections[i].fd, .events = POLLIN};
		}
		if (poll(polled, n, 1) > 0)
			for (unsigned i = 0; i < n; i++)
				if (polled[i].revents)
					take(&connections[i], (unsigned)port, &totals);
		now = now_ns(CLOCK_MONOTONIC) - begin_ns;
	}
	if (totals.last)
		fwrite(totals.last->text, 1, totals.bytes, stdout);
	fprintf(stderr, "%llu %llu %llu %llu\n", totals.answered, totals.bytes,
		(unsigned long long)now_ns(clock) - cpu_ns, totals.closed);
	return !totals.last || fflush(stdout) != 0;
}
