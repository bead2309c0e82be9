/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory traffic of known volume. */
#ifndef UNCORE_TRAFFIC_H
#define UNCORE_TRAFFIC_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

enum unc_traffic_kind {
	UNC_TRAFFIC_READ,     /* loads, of one buffer after the other, cache line by cache line */
	UNC_TRAFFIC_WRITE,    /* stores, for which a cache reads each line first */
	UNC_TRAFFIC_NT_WRITE, /* non-temporal stores, which bypass the caches */
};
struct unc_traffic { /* a request for traffic */
	enum unc_traffic_kind kind;
	unsigned node;        /* node of the memory: Linux's number of the NUMA node */
	const unsigned *cpus; /* one thread on each of these CPUs makes it */
	size_t n_cpus;
	uint64_t bytes_per_s; /* all CPUs together; 0: as fast as possible */
	uint64_t size_bytes;  /* size of the buffer that each thread uses again and again */
};
struct unc_traffic_done {                                     /* traffic made since the start */
	uint64_t loaded_bytes, stored_bytes, nt_stored_bytes; /* by executed instructions */
	uint64_t raw_ns;                                      /* the machine's raw time at which these were counted */
};
/*
 * A maker of traffic: one at a time, from start to stop; look and stop report what was done.  Each returns 0, or a negative enum
 * unc_err with a message in buf.
 */
struct unc_traffic_maker {
	int (*start)(void *arg, const struct unc_traffic *traffic, char *buf, size_t size);
	int (*look)(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size);
	int (*stop)(void *arg, struct unc_traffic_done *ret_done, char *buf, size_t size);
	void *arg;
};

/*
 * Makes traffic between CPUs of the machine and memory of one of its nodes, until it is stopped: a simulated machine passes it to
 * its model, on this computer cfg.traffic_maker makes it.  One at a time. UNC_ENOSUP: the machine cannot make traffic, or not of
 * that kind; UNC_ENODEV: it has no such node or CPU; UNC_EARG: no CPU, no size, or already started (for look and stop: not
 * started); UNC_EBUSY: another program makes traffic on that mounted machine; UNC_EIO, UNC_EPERM, UNC_ENOMEM.
 */
UNC_API int unc_traffic_start(struct unc_machine *machine, const struct unc_traffic *traffic);
UNC_API int unc_traffic_look(struct unc_machine *machine, struct unc_traffic_done *ret_done);
UNC_API int unc_traffic_stop(struct unc_machine *machine, struct unc_traffic_done *ret_done);

#ifdef __cplusplus
}
#endif

#endif
