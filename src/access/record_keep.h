/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of each kind of file of the operating system, which names hosts, users, folders and programs. */
#ifndef UNC_ACCESS_RECORD_KEEP_H
#define UNC_ACCESS_RECORD_KEEP_H

#include "access/record_private.h"

struct unc_keep {
	struct unc_record_private *private;
	const char *text, *end; /* what was read, which has a zero at its end */
	char *kept;             /* what is kept of it */
	size_t len, size;
};
/* A number of a process may become longer: "1 " becomes "10000001 ". */
#define UNC_KEEP_SIZE(len) (8 * (len) + 64)

/* The number of a process in a record; 0: Linux has no process of that number, or out of memory. */
uint64_t unc_record_alias_of(struct unc_record_private *private, uint64_t pid);

void unc_keep_nothing(struct unc_keep *k);
void unc_keep_line(struct unc_keep *k);           /* the first one */
void unc_keep_numbers(struct unc_keep *k);        /* of its first line, what consists of digits, blanks, "-" and "," */
void unc_keep_word(struct unc_keep *k);           /* 32 bits */
void unc_keep_variable(struct unc_keep *k);       /* of EFI: 32 bits of attributes, and a byte */
void unc_keep_pids(struct unc_keep *k);           /* numbers of processes */
void unc_keep_mounts(struct unc_keep *k);         /* where resctrl is mounted, and how /sys is */
void unc_keep_modules(struct unc_keep *k);        /* whether the driver for uncore counters is loaded */
void unc_keep_cpu_times(struct unc_keep *k);      /* the CPUs of /proc/stat */
void unc_keep_segments(struct unc_keep *k);       /* number, maker and users of shared memory */
void unc_keep_rights(struct unc_keep *k);         /* user and capabilities */
void unc_keep_container(struct unc_keep *k);      /* its maker */
void unc_keep_cpus_allowed(struct unc_keep *k);   /* the CPUs on which a thread may run */
void unc_keep_process(struct unc_keep *k);        /* state, times, threads, size and CPU of a process or thread */
void unc_keep_lock(struct unc_keep *k);           /* process and second number of libpqos */
void unc_keep_memory_devices(struct unc_keep *k); /* of SMBIOS tables, without their serial numbers */
void unc_keep_features(struct unc_keep *k);       /* of resctrl's monitoring */

#endif
