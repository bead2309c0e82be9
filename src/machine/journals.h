/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal on disk: what outlives this process, so that `recover` can put back what a killed one left.  A file for each machine
 * that is open for writing, in the folder of unc_machine_cfg.state_dir, held as long as its writer lives.
 *
 * Only machine/gate.c writes to it: lines of all registers that a session is going to write are queued, and are on the disk before the
 * first of them is written.  Lines: see below.
 */
#ifndef UNC_MACHINE_JOURNALS_H
#define UNC_MACHINE_JOURNALS_H

#include "access/host.h"
#include "machine/machine.h"
#include "uncore/recover.h"

/* A register that is going to be written. */
struct unc_journal_line {
	struct unc_addr addr;
	uint32_t off; /* or the number of an MSR */
	unsigned bits;
	char box[40], reg[48]; /* "socket0.imc0.ch2", "CTL[3]" */
	uint64_t before;
	uint64_t ours; /* bits that we write; the others stay those of other programs */
	uint64_t any;  /* bits that we write in any way, all the time: a selector */
	uint64_t
		doubted; /* bits of which the first write shows whether they read back; where they do not, idle goes there */
	bool has_idle;
	uint64_t idle;
	const uint64_t *values; /* each that we write there; not owned by who adds a line, owned by what was read */
	size_t n_values;
};

struct unc_journal_disk;

/*
 * Opens the folder, and notes what others have left in it that were killed: their registers are left alone.  Where that fails it is
 * no failure yet, but of every unc_journal_disk_sync().  *ret_disk is NULL for a machine whose registers die with this process.
 * UNC_ENOMEM.
 */
int unc_journal_disk_open(struct unc_machine *m, struct unc_journal_disk **ret_disk);
/* Those below take NULL, and do nothing then. */

/* Queues a line that says whose a box is: name, and where its lock is. */
int unc_journal_disk_claim(struct unc_journal_disk *disk, const char *box, const struct unc_addr *addr);
int unc_journal_disk_add(struct unc_journal_disk *disk, const struct unc_journal_line *line);
/*
 * What is queued is on the disk, all of it or the register must not be written: one write, one of how far it is good, one fsync.  The
 * sentence says that nothing was written to the hardware.  UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_journal_disk_sync(struct unc_journal_disk *disk);
/* It stays as it is from now on: it is not to be put back.  Not synced. */
int unc_journal_disk_drop(struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off);
/* Every register is as it was: nothing of it is left. */
void unc_journal_disk_done(struct unc_journal_disk *disk);
/* What was not dropped stays behind for `recover`; where nothing is left the file is gone. */
void unc_journal_disk_close(struct unc_journal_disk *disk);

/*
 * Looks again, if a box was claimed since: who had it may have been killed meanwhile.  Before a register of it is planned.  Fails as
 * unc_journal_disk_sync().
 */
int unc_journal_disk_look(struct unc_journal_disk *disk);
/* Did a killed process leave this register changed?  Returns which, as "process 812 (uncorectl mem), which ended without ..."; else NULL. */
const char *unc_journal_disk_left(struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off);
/*
 * machine/journal.c: who holds a box whose lock is taken: "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04".  Looks again for a tenth of a
 * second, as its process may be about to write it.  False: no journal in this folder names it.
 */
bool unc_journal_disk_owner(const struct unc_machine *m, const struct unc_addr *addr, char *buf, size_t size);

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

/* The journals of a folder: whose they are, and what is to be thought of each. */

/* Of a file that has a journal: NAME.journal; one that is being begun, of which no register was written, new.NAME. */
#define UNC_JOURNAL_SUFFIX ".journal"
#define UNC_JOURNAL_NEW    "new."

enum { UNC_COMMAND_SHOWN = 80 }; /* of a command, in a sentence */

struct unc_journal_file {
	char name[64];
	enum unc_recover_kind kind; /* STALE also where it tells of no register; DAMAGED also where it cannot be read */
	struct unc_journal_text text; /* empty where it is damaged */
	char who[320]; /* "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04 UTC"; "" where it is damaged */
	char why[UNC_MSG_MAX]; /* it is damaged */
};

struct unc_journals {
	struct unc_journal_file *files; /* owned; by name, so nearly by age */
	size_t n;
	struct unc_ctx *ctx;
};

/*
 * All there are, but for one of that name, if it is not NULL.  identity: of the machine that is asked for.  tidy: files that were begun by
 * processes that have ended are removed.
 * UNC_EIO, UNC_EPERM: the folder cannot be listed; UNC_ENOMEM.
 */
int unc_journals_read(struct unc_ctx *ctx, struct unc_os_folder *folder, const struct unc_host_identity *identity,
		      bool tidy, const char *but, struct unc_journals *ret_journals);
void unc_journals_clear(struct unc_journals *journals);
/* The first that says that a killed process left this register changed; NULL: none. */
const struct unc_journal_file *unc_journals_left(const struct unc_journals *journals, const struct unc_addr *addr,
						 uint32_t off);
/* Removes one whose writer is gone. */
int unc_journals_remove(struct unc_os_folder *folder, const struct unc_journal_file *file);
/* "2026-11-20 12:03:04 UTC", of nanoseconds since 1970.  Returns buf. */
enum { UNC_TIME_TEXT = 40 };
const char *unc_journals_time(uint64_t ns, char buf[UNC_TIME_TEXT]);

#endif
