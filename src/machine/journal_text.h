/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal on disk as text: a head of 48 bytes, and lines behind it.
 *
 *     uncorectl-journal/1 0000000421 5c1f2a90b3d47e68
 *     machine live
 *     boot 7c9e6679-7425-40de-944b-e07fc1f90ae7
 *     who 812 53341 0 uncorectl mem -i 1
 *     since 1763676184000000000
 *     claim 0000:7f:10.4 socket0.imc0.ch0
 *     reg 0000:7f:10.4 0xe4 32 socket0.imc0.ch0 CTL[3] was 0x0 ours 0xffffffff any 0x0 doubted 0x0 idle - writes 0x304 0x400304
 *     drop 0000:7f:10.4 0xe4
 *
 * The head has how many bytes are good, itself among them, and their checksum: FNV-1a of 64 bits over all that is behind the head,
 * then over the head up to the checksum.  Each step of it can be undone, so one byte that differs always shows.  What stands
 * beyond that length is an append that was never finished: no register of it was written.  Anything else that does not fit, in
 * the head, the sum or a line, makes all of it damaged, since it is not known then what else is wrong.
 *
 * who: process, when it began (/proc/PID/stat), user, its words.  since: nanoseconds since 1970.  reg: where, the offset (of an MSR
 * its number), bits, the names of box and register; was: before the first write; ours: bits that are written; any: those of them
 * that are written in any way, as of a selector; doubted: write-only bits of which the first write shows whether they read back;
 * idle: what goes there where they do not; writes: the values.  A further reg line of the same place takes the place of the first.
 * drop: it stays as it is.  In names and texts %HH is a byte that has no place there.
 */
#ifndef UNC_MACHINE_JOURNAL_TEXT_H
#define UNC_MACHINE_JOURNAL_TEXT_H

#include "machine/journal_disk.h"

enum { UNC_JOURNAL_HEAD = 48 };
/* The most that is read: thousands of CPUs with two registers each take some 400 KiB. */
enum { UNC_JOURNAL_MAX = 16 << 20 };

struct unc_journal_who {
	unsigned pid, uid;
	uint64_t start; /* as struct unc_os_self */
	char command[240];
	uint64_t since_ns; /* since 1970 */
};

/* ---- writing ---- */

struct unc_journal_buf {
	char *bytes; /* owned: free() */
	size_t len, room;
};
/* Each adds lines.  False: out of memory, and nothing is added. */
bool unc_journal_put_begin(struct unc_journal_buf *buf, const struct unc_host_identity *identity,
			   const struct unc_journal_who *who);
bool unc_journal_put_claim(struct unc_journal_buf *buf, const char *box, const struct unc_addr *addr);
bool unc_journal_put_reg(struct unc_journal_buf *buf, const struct unc_journal_line *line);
bool unc_journal_put_drop(struct unc_journal_buf *buf, const struct unc_addr *addr, uint32_t off);
bool unc_journal_put_text(struct unc_journal_buf *buf, const char *text, size_t len); /* lines as they are */

/* The sum of what is behind the head goes on from sum; it begins with UNC_JOURNAL_NO_SUM. */
#define UNC_JOURNAL_NO_SUM UINT64_C(0xcbf29ce484222325)
uint64_t unc_journal_sum(uint64_t sum, const void *bytes, size_t len);
/* The head of so many bytes, that sum being of those behind it. */
void unc_journal_put_head(char head[UNC_JOURNAL_HEAD + 1], uint64_t len, uint64_t sum);

/* ---- reading ---- */

struct unc_journal_claim {
	char box[40];
	struct unc_addr addr;
};

struct unc_journal_place { /* of a register */
	struct unc_addr addr;
	uint32_t off; /* or the number of an MSR */
};

struct unc_journal_text {
	struct unc_host_identity identity;
	struct unc_journal_who who;
	struct unc_journal_claim *claims; /* owned */
	size_t n_claims;
	uint64_t len, sum; /* good bytes, and the sum of those behind the head */
	struct unc_journal_line
		*lines; /* owned, with their values; one for each register that was not dropped, by its first line */
	size_t n_lines;
	struct unc_journal_place *places; /* owned: those of the lines, sorted */
};
/* UNC_EARG: damaged, and the sentence says where; UNC_ENOMEM. */
int unc_journal_text_parse(struct unc_ctx *ctx, const char *text, size_t len, struct unc_journal_text *ret_text);
void unc_journal_text_clear(struct unc_journal_text *text);
/* Is there a line of this register?  Takes the logarithm of their number. */
bool unc_journal_text_has(const struct unc_journal_text *text, const struct unc_journal_place *place);

#endif
