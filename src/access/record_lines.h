/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the recording host share: the host, and the line that it is at. */
#ifndef UNC_ACCESS_RECORD_LINES_H
#define UNC_ACCESS_RECORD_LINES_H

#include "access/record_private.h"
#include "access/record_words.h"
#include "base/err.h"

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

/* access/record_perf.c: as unc_host_ops.perf_open and .perf. */
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

#endif
