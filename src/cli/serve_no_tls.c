// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Of gnutls, which no command loads, the archive of libmicrohttpd calls two functions when a program starts and ends, and wants the
 * address of one.  The others are called only by a server with TLS, which `serve` leaves to a reverse proxy: the Makefile lets them be
 * missing.
 */
#include <stddef.h>

void *(*gnutls_malloc)(size_t);
int gnutls_global_init(void);
void gnutls_global_deinit(void);

int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void)
{
}
