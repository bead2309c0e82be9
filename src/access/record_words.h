/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a record (access/record.h), for who writes and who reads it. */
#ifndef UNC_ACCESS_RECORD_WORDS_H
#define UNC_ACCESS_RECORD_WORDS_H

#include "access/record.h"
#include "uncore/traffic.h"

#define UNC_RECORD_FORMAT    "uncorectl-record/1"
#define UNC_RECORD_INPUT     "INPUT" /* a file that a command reads */
#define UNC_RECORD_MAPS      "REGS"  /* what the folder of --regs is called */
#define UNC_RECORD_PERF_OPEN "open"  /* what perf is asked to, besides unc_record_perf_ops */

enum {
	UNC_RECORD_CLOCKS = UNC_CLOCK_REAL + 1,
	UNC_RECORD_CLAIMS = UNC_CLAIM_LEAVE + 1,
	UNC_RECORD_TRAFFIC_OPS = UNC_TRAFFIC_STOP + 1,
	UNC_RECORD_TRAFFIC_KINDS = UNC_TRAFFIC_NT_WRITE + 1,
	UNC_RECORD_PERF_OPS = UNC_PERF_CLOSE + 1,
	UNC_RECORD_BLOCK = 4096,
	UNC_RECORD_TEXT = 1 << 20, /* bytes of a file */
};

extern const char unc_record_clocks[UNC_RECORD_CLOCKS + 1]; /* a letter each, by enum unc_clock */
extern const char *const unc_record_kinds[UNC_KINDS];
extern const char *const unc_record_ends[UNC_RECORD_ENDS];
extern const char *const unc_record_claims[UNC_RECORD_CLAIMS]; /* by enum unc_claim */

extern const char *const unc_record_traffic_ops[UNC_RECORD_TRAFFIC_OPS];
extern const char *const unc_record_traffic_kinds[UNC_RECORD_TRAFFIC_KINDS];
extern const char *const unc_record_perf_ops[UNC_RECORD_PERF_OPS]; /* by enum unc_perf_op */

/* "io" for UNC_EIO; NULL: no such error. */
const char *unc_record_class(int err);
/* The other way round; 0: no such class. */
int unc_record_err(const char *name);
/* The same name as static text, or NULL for one that is not known. */
const char *unc_record_os_name(const char *name);

/* "r32", "w64", "rblk": what an access is called; bytes of a block are at most UNC_RECORD_BLOCK. */
const char *unc_record_op(bool write, enum unc_kind kind, uint64_t off, size_t len);

#endif
