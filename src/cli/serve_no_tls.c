// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The archive of libmicrohttpd wants these of gnutls, for TLS, which `serve` leaves to a reverse proxy.  They are called only by a server
 * with TLS, except for the first two, which libmicrohttpd calls when a program starts and ends.  So no command loads gnutls.
 */
#include <stddef.h>

/* They are declared without their arguments, since they use none. */
/* clang-format off */
#define NONE(name) \
	int name(void); \
	int name(void) { return -1; }
/* clang-format on */

int gnutls_global_init(void);
void gnutls_global_deinit(void);
int gnutls_global_init(void)
{
	return 0;
}
void gnutls_global_deinit(void)
{
}

NONE(gnutls_alpn_set_protocols)
NONE(gnutls_bye)
NONE(gnutls_certificate_allocate_credentials)
NONE(gnutls_certificate_free_credentials)
NONE(gnutls_certificate_server_set_request)
NONE(gnutls_certificate_set_dh_params)
NONE(gnutls_certificate_set_retrieve_function2)
NONE(gnutls_certificate_set_retrieve_function3)
NONE(gnutls_certificate_set_x509_key_mem)
NONE(gnutls_certificate_set_x509_key_mem2)
NONE(gnutls_certificate_set_x509_trust_mem)
NONE(gnutls_cipher_get)
NONE(gnutls_credentials_set)
NONE(gnutls_deinit)
NONE(gnutls_dh_params_deinit)
NONE(gnutls_dh_params_import_pkcs3)
NONE(gnutls_dh_params_init)
NONE(gnutls_handshake)
NONE(gnutls_init)
NONE(gnutls_priority_deinit)
NONE(gnutls_priority_init)
NONE(gnutls_priority_set)
NONE(gnutls_protocol_get_version)
NONE(gnutls_psk_allocate_server_credentials)
NONE(gnutls_psk_free_server_credentials)
NONE(gnutls_psk_set_server_credentials_function)
NONE(gnutls_record_check_pending)
NONE(gnutls_record_get_direction)
NONE(gnutls_record_recv)
NONE(gnutls_record_send)
NONE(gnutls_session_get_ptr)
NONE(gnutls_session_set_ptr)
NONE(gnutls_strerror)
NONE(gnutls_transport_set_int2)

void *(*gnutls_malloc)(size_t);
