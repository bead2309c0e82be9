/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bus around a bus that tells of each access, in one line, and that line for others:
 *
 *     t_ns bus space op offset value          81233 pci 0000:ff:10.0 w32 0xf4 0x00010100
 *
 * t_ns counts from t0_ns, in the machine's UNC_CLOCK_RAW, and is taken when the access has ended.  op is r32 or w32 for
 * one aligned dword, r64 or w64 for an MSR; anything else is rblk or wblk with the bytes in hex, in address order.  Where
 * the access failed, the value of a read is "-" and the line ends in " !ERRNO", e.g. "!EIO".
 */
#ifndef UNC_ACCESS_TRACE_H
#define UNC_ACCESS_TRACE_H

#include "access/host.h"

enum {
	UNC_TRACE_SHOWN =
		4096, /* bytes of one access that are shown: a whole configuration space; "..." for the rest */
	UNC_TRACE_LINE = 2 * UNC_TRACE_SHOWN + 160
};

struct unc_trace_access {
	uint64_t t_ns;   /* since the start, when it ended */
	const char *bus; /* "pci" */
	const struct unc_addr *addr;
	bool write;
	uint64_t off;
	const void *bytes; /* little-endian */
	size_t len;
	const char *failure; /* "EIO"; NULL: none */
};

/* That line, without a newline.  Returns line. */
const char *unc_trace_line(const struct unc_trace_access *access, char line[UNC_TRACE_LINE]);

typedef void unc_trace_fn(void *arg, const char *line); /* without a newline */

struct unc_trace {
	struct unc_host *host; /* whose time it is; not owned */
	uint64_t t0_ns;
	unc_trace_fn *sink;
	void *arg; /* not owned */
};

/* *ret_bus owns inner from then on; trace must outlive it.  UNC_ENOMEM: inner is closed. */
int unc_trace_wrap(struct unc_bus *inner, const struct unc_trace *trace, struct unc_bus **ret_bus);

#endif
