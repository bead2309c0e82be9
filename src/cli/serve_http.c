// SPDX-License-Identifier: GPL-2.0-or-later
/* HTTP by libmicrohttpd, which is given no thread: its epoll descriptor wakes the loop of the sampler. */
#define _GNU_SOURCE
#include <microhttpd.h>
#include <sys/socket.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/serve.h"

enum { CONNECTIONS = 32, TIMEOUT_S = 2, CONNECTION_BYTES = 16384 };

/* So long a connection may take for a request and its answer: libmicrohttpd's own limit begins again with each byte. */
#define REQUEST_NS UINT64_C(10000000000)

struct place {                             /* of a connection */
	struct MHD_Connection *connection; /* NULL: the place is free; not owned */
	uint64_t since_ns;                 /* when it was opened, or its last request was answered */
};

struct http {
	struct MHD_Daemon *daemon; /* owned, as is the listener by it */
	http_metrics_fn *metrics;
	void *arg; /* not owned */
	struct place places[CONNECTIONS];
	struct MHD_Response *kept[2]; /* the last metrics in each format; NULL: none; a reference is owned */
};

static const char text_type[] = "text/plain; version=0.0.4; charset=utf-8";
static const char open_type[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";
static const char index_page[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><title>uncorectl</title>\n<h1>uncorectl " UNC_VERSION "</h1>\n"
	"<p><a href=\"/metrics\">Metrics</a> of memory channels and caches; <a href=\"/-/healthy\">health</a>.\n";

/* Does a media range of this list ask for OpenMetrics 1.0.0?  Prometheus names that version before older ones. */
static bool asks_for_openmetrics(const char *accept)
{
	static const char type[] = "application/openmetrics-text";

	while (accept && *accept) {
		const char *weight;
		char range[200];
		size_t len;

		accept += strspn(accept, " \t");
		len = strcspn(accept, ",");
		if (len < sizeof(range) && strncasecmp(accept, type, sizeof(type) - 1) == 0) {
			memcpy(range, accept, len);
			range[len] = '\0';
			weight = strcasestr(range, "q=");
			weight = weight ? weight + 2 + strspn(weight + 2, "0.") : "1"; /* 0.000 refuses */
			if ((strstr(range, "version=1.0.0") || !strstr(range, "version=")) &&
			    strspn(weight, "123456789"))
				return true;
		}
		accept += len + (accept[len] == ',');
	}
	return false;
}

/* Frees text in the end, if owned.  NULL: out of memory. */
static struct MHD_Response *response_of(const char *type, char *text, size_t len, bool owned)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(len, text, owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

	if (!response && owned)
		free(text);
	if (response && MHD_add_response_header(response, "Content-Type", type) != MHD_YES) {
		MHD_destroy_response(response);
		return NULL;
	}
	return response;
}

static enum MHD_Result say_words(struct MHD_Connection *connection, unsigned status, const char *type,
				 const char *words)
{
	struct MHD_Response *response = response_of(type, (char *)words, strlen(words), false);
	enum MHD_Result result = MHD_NO;

	if (response && (status != MHD_HTTP_METHOD_NOT_ALLOWED ||
			 MHD_add_response_header(response, "Allow", "GET, HEAD") == MHD_YES))
		result = MHD_queue_response(connection, status, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

/* Texts are kept, so that many scrapes of the same values cost little. */
static enum MHD_Result send_metrics(struct http *http, struct MHD_Connection *connection)
{
	bool openmetrics = asks_for_openmetrics(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"));
	struct MHD_Response **kept = &http->kept[openmetrics];
	struct output out = {.fd = -1, .name = "a scrape"};

	if (http->metrics(http->arg, openmetrics, &out)) {
		size_t len = out.len;
		char *text = output_take(&out);

		if (*kept)
			MHD_destroy_response(*kept);
		*kept = text ? response_of(openmetrics ? open_type : text_type, text, len, true) : NULL;
	}
	return *kept ? MHD_queue_response(connection, MHD_HTTP_OK, *kept) : MHD_NO;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_len, void **state)
{
	static const char plain[] = "text/plain; charset=utf-8";
	static int seen;
	struct http *http = arg;

	(void)version;
	(void)upload;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return say_words(connection, MHD_HTTP_METHOD_NOT_ALLOWED, plain, "only GET and HEAD\n");
	if (*upload_len)
		return MHD_NO; /* no request that is answered has a body */
	if (!*state) {         /* the headers alone are here: an answer now would close the connection */
		*state = &seen;
		return MHD_YES;
	}
	if (strcmp(url, "/metrics") == 0)
		return send_metrics(http, connection);
	if (strcmp(url, "/") == 0)
		return say_words(connection, MHD_HTTP_OK, "text/html; charset=utf-8", index_page);
	if (strcmp(url, "/-/healthy") == 0)
		return say_words(connection, MHD_HTTP_OK, plain, "uncorectl is healthy\n");
	return say_words(connection, MHD_HTTP_NOT_FOUND, plain, "there are /metrics, / and /-/healthy\n");
}

static struct place *free_place(struct http *http)
{
	for (struct place *place = http->places; place < http->places + CONNECTIONS; place++)
		if (!place->connection)
			return place;
	return NULL;
}

/* A connection without a place is closed at once, so that it does not wait for others to end. */
static enum MHD_Result has_place(void *arg, const struct sockaddr *address, socklen_t len)
{
	(void)address;
	(void)len;
	return free_place(arg) ? MHD_YES : MHD_NO;
}

static void connected(void *arg, struct MHD_Connection *connection, void **place,
		      enum MHD_ConnectionNotificationCode what)
{
	bool opened = what == MHD_CONNECTION_NOTIFY_STARTED;
	struct place *its = opened ? free_place(arg) : *place;

	if (its)
		*its = (struct place){opened ? connection : NULL, unc_os_now_ns(UNC_CLOCK_MONO)};
	*place = its;
}

static void answered(void *arg, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	(void)arg;
	(void)state;
	(void)how;
	if (info && info->socket_context)
		((struct place *)info->socket_context)->since_ns = unc_os_now_ns(UNC_CLOCK_MONO);
}

/* Ends connections that take too long, so that they leave their places to others. */
static void end_slow(struct http *http)
{
	uint64_t now_ns = unc_os_now_ns(UNC_CLOCK_MONO);

	for (struct place *place = http->places; place < http->places + CONNECTIONS; place++)
		if (place->connection && now_ns - place->since_ns > REQUEST_NS)
			shutdown(MHD_get_connection_info(place->connection, MHD_CONNECTION_INFO_CONNECTION_FD)
					 ->connect_fd,
				 SHUT_RDWR);
}

int http_start(struct unc_ctx *ctx, int fd, http_metrics_fn *metrics, void *arg, struct http **ret_http)
{
	struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	http->metrics = metrics;
	http->arg = arg;
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, has_place, http, handle, http, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS + 1, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION, connected, http, MHD_OPTION_NOTIFY_COMPLETED,
		answered, http, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_END);
	if (!http->daemon) {
		free(http);
		return unc_fail(ctx, UNC_EIO, "serve: libmicrohttpd does not start");
	}
	*ret_http = http;
	return UNC_OK;
}

int http_fd(const struct http *http)
{
	return MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

bool http_run(struct http *http)
{
	MHD_UNSIGNED_LONG_LONG wait_ms = 1;

	end_slow(http);
	return MHD_run(http->daemon) == MHD_YES && MHD_get_timeout(http->daemon, &wait_ms) == MHD_YES && wait_ms == 0;
}

void http_stop(struct http *http)
{
	MHD_stop_daemon(http->daemon);
	for (unsigned i = 0; i < 2; i++)
		if (http->kept[i])
			MHD_destroy_response(http->kept[i]);
	free(http);
}
