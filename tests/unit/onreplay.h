/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record in a file, and what is replayed of it, as a machine or by hand. */
#ifndef UNC_TESTS_ONREPLAY_H
#define UNC_TESTS_ONREPLAY_H

#include "access/write.h"
#include "onrecord.h"
#include "tree.h"

struct onreplay {
	struct tree tree;
	struct unc_ctx *ctx;
	struct text text;
	uint64_t count;
	unsigned differences;
	char machine[600];
};
extern struct onreplay bench;
extern struct unc_host *host; /* what is replayed by hand, and what is open of it: */
extern struct unc_bus *bus;
extern struct unc_space *space;

#define HEAD   "uncorectl-record/2\nmachine live\nbegin\n"
#define OPENED HEAD "bus pci rw\nopen 0000:ff:10.0 256\n"

/* For EACH(). */
void onreplay_begin(void);
void onreplay_end(void);

const char *record_path(void);
void count_difference(void *arg, const char *sentence);
/* Opens the record at record_path(). */
void open_record(void);
/* Opens the function of OPENED, which may be asked. */
void open_the_place(void);
/* Closes what is replayed, in which there have been so many differences. */
void differs(unsigned n);
/* What a file of the system has in it. */
void file_is(const char *path, const char *expected);
void reads(uint64_t off, uint32_t wanted);
/* Ends as every difference does, and the number is not touched. */
void does_not_read(uint64_t off, const char *why);
uint64_t now(enum unc_clock clock);

#endif
