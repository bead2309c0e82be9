// SPDX-License-Identifier: GPL-2.0-or-later
/* Where `serve` listens, and what systemd asks of it: sd_listen_fds(3) and sd_notify(3), without its library. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/serve.h"

enum { FIRST_PASSED = 3, BACKLOG = 64 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

/* A listener that was passed by systemd; *ret_fd -1: there is none. */
static int passed_listener(struct unc_ctx *ctx, int *ret_fd)
{
	const char *pid = secure_getenv("LISTEN_PID"), *fds = secure_getenv("LISTEN_FDS");
	uint64_t process, n;

	if (!pid || !fds || !unc_text_u64(pid, &process) || !unc_text_u64(fds, &n) || process != (uint64_t)getpid())
		return UNC_OK;
	if (n != 1 || fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC) != 0)
		return unc_fail(ctx, UNC_EARG, "serve: LISTEN_FDS=%s: only one socket can be passed", fds);
	fcntl(FIRST_PASSED, F_SETFL, O_NONBLOCK);
	*ret_fd = FIRST_PASSED;
	return UNC_OK;
}

/* "127.0.0.1:9769", "[::1]:9769"; names are not looked up. */
static bool parse_address(const char *text, union address *address, socklen_t *ret_len)
{
	const char *colon = strrchr(text, ':');
	char host[64];
	uint64_t port;
	size_t len;

	if (!colon || !unc_text_u64(colon + 1, &port) || port == 0 || port > UINT16_MAX)
		return false;
	len = (size_t)(colon - text);
	if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		snprintf(host, sizeof(host), "%.*s", (int)len - 2, text + 1);
		address->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
		*ret_len = sizeof(address->v6);
		return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
	}
	snprintf(host, sizeof(host), "%.*s", (int)len, text);
	address->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	*ret_len = sizeof(address->v4);
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

/* Removes a socket at which no process listens any more. */
static void remove_stale(const union address *address, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat status;

	if (fd < 0)
		return;
	if (lstat(address->local.sun_path, &status) == 0 && S_ISSOCK(status.st_mode) &&
	    connect(fd, &address->any, len) != 0 && errno == ECONNREFUSED)
		unlink(address->local.sun_path);
	close(fd);
}

/* A socket in the file system; a stale one is removed. */
static int local_address(struct unc_ctx *ctx, const char *path, union address *address)
{
	/* Rights that the program has, and not its caller, must not make or remove a file. */
	if (!*path || strlen(path) >= sizeof(address->local.sun_path) || getauxval(AT_SECURE) != 0)
		return unc_fail(ctx, UNC_EARG,
				"serve: --listen unix:%s: not a path of a socket that this user can make", path);
	address->local = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address->local.sun_path, path, strlen(path) + 1);
	remove_stale(address, sizeof(address->local));
	return UNC_OK;
}

static int open_listener(struct unc_ctx *ctx, const char *where, const union address *address, socklen_t len)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, error;

	if (fd >= 0 && address->any.sa_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd >= 0 && bind(fd, &address->any, len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	return unc_fail(ctx,
			error == EADDRINUSE ? UNC_EBUSY
			: error == EACCES   ? UNC_EPERM
					    : UNC_EIO,
			"serve: --listen %s: %s", where, strerror(error));
}

int http_listen(struct unc_ctx *ctx, const char *where, int *ret_fd)
{
	static const char local[] = "unix:";
	int fd = -1, rc = passed_listener(ctx, &fd);
	union address address;
	socklen_t len = sizeof(address.local);

	if (rc == 0 && fd < 0) {
		memset(&address, 0, sizeof(address));
		if (strncmp(where, local, strlen(local)) == 0)
			rc = local_address(ctx, where + strlen(local), &address);
		else if (!parse_address(where, &address, &len))
			rc = unc_fail(ctx, UNC_EARG,
				      "serve: --listen %s: write ADDRESS:PORT, such as 127.0.0.1:9769 or [::1]:9769, "
				      "or unix:PATH",
				      where);
		fd = rc == 0 ? open_listener(ctx, where, &address, len) : -1;
		rc = fd < 0 && rc == 0 ? fd : rc;
	}
	if (rc == 0)
		*ret_fd = fd;
	return rc;
}

void http_tell_ready(void)
{
	const char *path = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, strlen(path));
	if (*path == '@') /* an abstract name */
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&address,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))) < 0)
		say("note: NOTIFY_SOCKET=%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}
