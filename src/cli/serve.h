/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server of `serve`: HTTP in the caller's own loop. */
#ifndef UNC_CLI_SERVE_H
#define UNC_CLI_SERVE_H

#include "cli/emit.h"

struct http; /* it listens, and answers GET and HEAD */

/* Writes the series, in OpenMetrics or in the text format; false: nothing, since they are as it wrote them last in that format. */
typedef bool http_metrics_fn(void *arg, bool openmetrics, struct output *out);

/*
 * Opens a listener: one that another process passed (LISTEN_FDS), or listen: "ADDR:PORT", "unix:PATH".  UNC_EARG: neither;
 * UNC_EBUSY: another process listens there; UNC_EPERM, UNC_EIO.
 */
int http_listen(struct unc_ctx *ctx, const char *listen, int *ret_fd);
/* fd: a listener, which it owns from then on.  UNC_EIO, UNC_ENOMEM. */
int http_start(struct unc_ctx *ctx, int fd, http_metrics_fn *metrics, void *arg, struct http **ret_http);
/* It can be read when there is something to do. */
int http_fd(const struct http *http);
/* Does a part of what there is to do, and never waits.  True: there is more, by which the descriptor need not be readable. */
bool http_run(struct http *http);
void http_stop(struct http *http);
/* Tells the process that started this one (NOTIFY_SOCKET), if it asked, that the server is ready. */
void http_tell_ready(void);

#endif
