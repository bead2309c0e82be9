/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a record (access/record.h), for who writes and who reads it. */
#ifndef UNC_ACCESS_RECORD_PARTS_H
#define UNC_ACCESS_RECORD_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/record.h"
#include "base/err.h"
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

/*
 * What of the operating system's files goes into a record.  A rule for each file, directory and link keeps what a reader in this
 * program asks of it, and nothing else; without a rule a recorded command gets UNC_ENODATA.  The recorded command sees what its
 * record has, so that a replay does the same.
 */

/*
 * Processes and threads have other numbers in a record: UNC_RECORD_PID and the following, which Linux gives to none (its PID_MAX_LIMIT
 * is 4194304).  Those that the caller named keep theirs, and so do the COMMAND and process 1.
 */
enum { UNC_RECORD_PID = 10000000 };

struct unc_record_private {
	uint32_t *aliases; /* by process number: 0, or 1 more than its index in pids; owned */
	size_t n_aliases;
	struct unc_record_pid {
		uint32_t pid;
		bool named;
	} * pids; /* owned */
	size_t n_pids;
	char resctrl[256]; /* where it is mounted, as a mount table has told; "": nowhere */
	bool out_of_memory;
};
void unc_record_private_clear(struct unc_record_private *private);
/* The caller has named this process.  Does nothing for 0. */
void unc_record_private_name(struct unc_record_private *private, uint64_t pid);

/* The path that is asked for with a path of the record: own numbers of processes in it.  The caller's to free(); NULL: out of memory. */
char *unc_record_private_path(struct unc_record_private *private, const char *path);

/*
 * Each replaces what was read by what is kept of it.  UNC_ENODATA: no rule; UNC_ENOMEM.  Then it is freed.
 * A text has a zero behind its length; names are one allocation, as unc_os_dir_list() makes them.
 */
int unc_record_keep_text(struct unc_ctx *ctx, struct unc_record_private *private, const char *path, char **text,
			 size_t *len);
int unc_record_keep_names(struct unc_ctx *ctx, struct unc_record_private *private, const char *path,
			  const char *const **names, size_t *n);
int unc_record_keep_link(struct unc_ctx *ctx, const char *path, char **text);

/* The maker of a container whom the text of /proc/1/cgroup names (cgroups(7)); NULL: none that is known.  Static text. */
const char *unc_record_container(const char *cgroup);

/* What the files of the recording host share: the host, and the line that it is at. */

enum { UNC_RECORD_LINE = 2 * UNC_RECORD_BLOCK + 4 * UNC_MSG_MAX };

struct record {
	struct unc_host host;
	struct unc_files files;
	struct unc_host *inner; /* owned */
	struct unc_record_cfg cfg;
	unc_log_fn *log; /* who hears the context's notes */
	void *log_arg;   /* not owned */
	bool asking;     /* the host inside is at work: what it notes is part of the record */
	unsigned asked[UNC_RECORD_ENDS];
	uint64_t last_ns[UNC_RECORD_CLOCKS];
	struct unc_record_private private;
	bool has_times; /* the line that is being put together is one of times */
	size_t len;
	char line[UNC_RECORD_LINE];
};

/* More of the line. */
void unc_record_put(struct record *record, const char *fmt, ...) UNC_PRINTF(2, 3);
void unc_record_put_text(struct record *record, const char *text);
void unc_record_put_path(struct record *record, const char *path); /* one word */
void unc_record_put_hex(struct record *record, const unsigned char *bytes, size_t len);
/* In front of the i-th of many: it may be the first of a new line. */
void unc_record_part(struct record *record, size_t i);
/* Their number ends the line, and each is one. */
void unc_record_put_names(struct record *record, const char *const *names, size_t n);
void unc_record_put_file(struct record *record, const char *text, size_t len);

/* Ends that of times, if it is at one. */
void unc_record_begin_line(struct record *record);
void unc_record_end_line(struct record *record);
/* Between these the host inside is at work, and what it notes is part of the record. */
void unc_record_ask(struct record *record);
void unc_record_answered(struct record *record);
/* Behind what failed: its sentence without paths, for everybody; then the end of its line.  Returns rc. */
int unc_record_finish(struct record *record, int rc);
/* Aliases in the place of paths. */
void unc_record_hide(const struct record *record, char *text, size_t size);
/* The path of the record in the place of the one that was asked for. */
void unc_record_hide_path(char *text, size_t size, const char *real, const char *path);

/* access/record_bus.c: as unc_host_ops.bus_open. */
int unc_record_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus);

/* access/record_bus.c: as unc_host_ops.perf_open and .perf. */
int unc_record_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event);
int unc_record_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count);

/* access/record_files.c: as unc_host_ops.file, .names and .link. */
int unc_record_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len);
int unc_record_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n);
int unc_record_link(struct unc_host *host, const char *path, char **ret_text);
/* Map files: as struct unc_files. */
int unc_record_maps_list(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n);
int unc_record_maps_read(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
			 size_t *ret_len);

/* What is kept of each kind of file of the operating system, which names hosts, users, folders and programs. */

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
