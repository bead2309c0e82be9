/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPU is called.  Implemented in os/, because libcpuid needs a hosted C library.
 *
 * libcpuid's code name is the nearest entry of its table and it never says that none fits: version 0.6.2 calls an
 * E5-2699 v3 "Xeon (Woodcrest)".  Believe the brand, which is the processor's own, and the name in the map that fits.
 */
#ifndef UNC_ACCESS_IDENTIFY_H
#define UNC_ACCESS_IDENTIFY_H

#include "access/host.h"

struct unc_identity {
	char brand[64];     /* "Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz", or "" */
	char codename[64];  /* "Sandy Bridge-E (Xeon)", a guess, or "" */
	unsigned n_cores;   /* of its package; 0: not told */
	unsigned n_threads; /* of its package; 0: not told */
	uint64_t l2_bytes;  /* one of them; 0: not told */
	uint64_t l3_bytes;  /* one of them; 0: not told */
};

/*
 * Asks the host's CPUID only, never the processor it runs on.  UNC_ENODATA: libcpuid does not know that CPU, or
 * CPUID tells nothing; or as the host's cpuid() fails.
 */
int unc_os_identify(struct unc_host *host, unsigned cpu, struct unc_identity *ret_identity);

#endif
