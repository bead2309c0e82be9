// SPDX-License-Identifier: GPL-2.0-or-later
/* The server of `serve` on a socket of this process, and what a client sends there. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/serve.h"
#include "fuzz.h"

enum { ROUNDS = 64, ANSWERS = 1 << 20 };

/* Every second scrape has the text of the one before. */
static bool put_metrics(void *arg, bool openmetrics, struct output *out)
{
	unsigned *n_asked = arg;

	if ((*n_asked)++ % 2)
		return false;
	output_text(out, openmetrics ? "# EOF\n" : "uncore 1\n");
	return true;
}

static int listen_at(struct sockaddr_un *address, socklen_t *len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	FUZZ_ASSERT(fd >= 0 && bind(fd, (struct sockaddr *)address, sizeof(sa_family_t)) == 0 && listen(fd, 8) == 0 &&
		    getsockname(fd, (struct sockaddr *)address, len) == 0);
	return fd;
}

static int connect_to(const struct sockaddr_un *address, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	FUZZ_ASSERT(fd >= 0 && connect(fd, (const struct sockaddr *)address, len) == 0);
	return fd;
}

/* The server works off what there is; what it answers is added to answers. */
static void serve(struct http *http, int fd, char *answers, size_t *len)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		bool more = http_run(http);
		ssize_t n = recv(fd, answers + *len, ANSWERS - 1 - *len, 0);

		*len += n > 0 ? (size_t)n : 0;
		if (!more && n <= 0 && i > 2)
			break;
	}
	answers[*len] = '\0';
}

/* A byte 0xff ends a piece, which the server sees before the next comes.  After all, another client is answered. */
static void run_serve(const char *text, size_t size)
{
	static const char whole[] = "GET /-/healthy HTTP/1.0\r\n\r\n", good[] = "HTTP/1.1 200 OK\r\n";
	const char *end = text + size;
	char *answers = calloc(1, ANSWERS), *sent = calloc(1, size + 1);
	struct sockaddr_un address;
	socklen_t address_len = sizeof(address);
	unsigned n_asked = 0;
	struct unc_ctx *ctx;
	struct http *http;
	size_t len = 0, n_sent = 0;
	int fd;

	FUZZ_ASSERT(answers && sent && unc_new(&ctx) == 0);
	FUZZ_ASSERT(http_start(ctx, listen_at(&address, &address_len), put_metrics, &n_asked, &http) == 0);
	fd = connect_to(&address, address_len);
	for (const char *at = text, *next; at < end; at = next + 1) {
		next = memchr(at, 0xff, (size_t)(end - at));
		next = next ? next : end;
		send(fd, at, (size_t)(next - at), MSG_NOSIGNAL);
		memcpy(sent + n_sent, at, (size_t)(next - at));
		n_sent += (size_t)(next - at);
		serve(http, fd, answers, &len);
	}
	FUZZ_ASSERT(len == 0 || strncmp(answers, "HTTP/1.", 7) == 0);
	/* Metrics are for GET and HEAD alone. */
	FUZZ_ASSERT(n_asked == 0 || memmem(sent, n_sent, "GET", 3) || memmem(sent, n_sent, "HEAD", 4));
	close(fd);
	len = 0;
	fd = connect_to(&address, address_len);
	send(fd, whole, strlen(whole), MSG_NOSIGNAL);
	serve(http, fd, answers, &len);
	FUZZ_ASSERT(strncmp(answers, good, strlen(good)) == 0);
	close(fd);
	http_stop(http);
	unc_free(ctx);
	free(answers);
	free(sent);
}

const struct fuzz_target fuzz_serve[] = {{"serve", run_serve}, {NULL, NULL}};
