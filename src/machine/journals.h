/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal on disk, which outlives this process, so that `recover` can put back what a killed process left.  Each
 * machine that is open for writing has a file in the folder of unc_machine_cfg.state_dir, held as long as its writer
 * lives.
 *
 * Only machine/gate.c writes to it: lines of all registers that a session will write are queued, and are on disk before
 * the first of them is written.  The form of the lines is below.
 */
#ifndef UNC_MACHINE_JOURNALS_H
#define UNC_MACHINE_JOURNALS_H

#include "base/text.h"
#include "machine/machine.h"
#include "uncore/recover.h"

/*
 * Opens the folder, and notes registers that killed processes left: these are left alone.  If this fails, only
 * unc_journal_disk_sync() reports it.  *ret_disk is NULL for a machine whose registers end with this process.
 * UNC_ENOMEM.
 */
int unc_journal_disk_open(struct unc_machine *m, struct unc_journal_disk **ret_disk);
/* The functions below accept NULL, and do nothing then. */

/* Queues a line that says which box is claimed: its name, and the place of its lock. */
int unc_journal_disk_claim(struct unc_journal_disk *disk, const char *box, const struct unc_addr *addr);
int unc_journal_disk_add(struct unc_journal_disk *disk, const struct unc_journal_line *line);
/*
 * Puts all queued lines on disk, or the register must not be written: one write of the lines, one of the number of good
 * bytes, one fsync.  The message says that nothing was written to the hardware.  UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_journal_disk_sync(struct unc_journal_disk *disk);
/* Drops a register: it will not be put back.  Not synced. */
int unc_journal_disk_drop(struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off);
/* Drops all registers: each holds its former value. */
void unc_journal_disk_done(struct unc_journal_disk *disk);
/* Leaves what was not dropped for `recover`; if nothing is left, removes the file. */
void unc_journal_disk_close(struct unc_journal_disk *disk);

/*
 * Reads the journals of other processes again if a box was claimed since the last time, since its former writer may
 * have been killed meanwhile.  Call it before a register of it is planned.  Fails as unc_journal_disk_sync().
 */
int unc_journal_disk_look(struct unc_journal_disk *disk);
/*
 * Returns the killed process that left this register changed, as "process 812 (uncorectl mem), which ended without
 * ..."; NULL: there is none.
 */
const char *unc_journal_disk_left(struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off);
/*
 * machine/journal.c: names the owner of a locked box: "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04".
 * Tries for a tenth of a second, since the owner may be just about to write it.  False: no journal in this folder names
 * the box.
 */
bool unc_journal_disk_owner(const struct unc_machine *m, const struct unc_addr *addr, char *buf, size_t size);

/*
 * The journal on disk as text: a head of 48 bytes, then lines.
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
 * The head has the number of good bytes, including itself, and their checksum: FNV-1a of 64 bits over all bytes after the
 * head, then over the head up to the checksum.  Each of its steps can be undone, so one byte that differs always shows.
 * Bytes beyond that length are an append that was never finished: no register of it was written.  Anything else that does
 * not fit, in the head, the checksum or a line, makes the whole journal damaged, since it is not known what else is wrong.
 *
 * who: process, its start (/proc/PID/stat), user, command line.  since: nanoseconds since 1970.  reg: address, offset (for
 * an MSR its number), bits, the names of box and register; was: the value before the first write; ours: bits that are
 * written; any: those of them that are written with any value, as of a selector; doubted: write-only bits that may read
 * back, which the first write shows; idle: the value to leave if they do not; writes: the values.  A further reg line of
 * the same place replaces the first.  drop: the register stays as it is.  In names and texts %HH is a byte that must not
 * be there itself.
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

/* Each adds lines.  False: out of memory, and nothing is added. */
bool unc_journal_put_begin(struct unc_bytes *buf, const struct unc_host_identity *identity,
			   const struct unc_journal_who *who);
bool unc_journal_put_claim(struct unc_bytes *buf, const char *box, const struct unc_addr *addr);
bool unc_journal_put_reg(struct unc_bytes *buf, const struct unc_journal_line *line);
bool unc_journal_put_drop(struct unc_bytes *buf, const struct unc_addr *addr, uint32_t off);

/* Continues the checksum of the bytes after the head; the first sum is UNC_JOURNAL_NO_SUM. */
#define UNC_JOURNAL_NO_SUM UINT64_C(0xcbf29ce484222325)
uint64_t unc_journal_sum(uint64_t sum, const void *bytes, size_t len);
/* Writes the head for that many bytes; sum: the checksum of those after the head. */
void unc_journal_put_head(char head[UNC_JOURNAL_HEAD + 1], uint64_t len, uint64_t sum);

/* ---- reading ---- */

struct unc_journal_claim {
	char box[40];
	struct unc_addr addr;
};

struct unc_journal_text {
	struct unc_host_identity identity;
	struct unc_journal_who who;
	struct unc_journal_claim *claims; /* owned */
	size_t n_claims;
	uint64_t len, sum; /* good bytes, and the checksum of those after the head */
	struct unc_journal_line
		*lines; /* owned, with their values; one for each register that was not dropped, by its first line */
	size_t n_lines;
	struct unc_journal_line **by_place; /* owned: the lines, sorted by address and offset */
};
/* UNC_EARG: damaged, and the message says where; UNC_ENOMEM. */
int unc_journal_text_parse(struct unc_ctx *ctx, const char *text, size_t len, struct unc_journal_text *ret_text);
void unc_journal_text_clear(struct unc_journal_text *text);
/* Returns true if there is a line of this register.  Takes the logarithm of their number. */
bool unc_journal_text_has(const struct unc_journal_text *text, const struct unc_addr *addr, uint32_t off);
void unc_journal_text_forget(struct unc_journal_text *text, size_t line);

/* The journals of a folder: the writer and the kind of each. */

/* A file with a journal is NAME.journal; one that is being begun, when no register was written yet, is new.NAME. */
#define UNC_JOURNAL_SUFFIX ".journal"
#define UNC_JOURNAL_NEW    "new."

enum { UNC_COMMAND_SHOWN = 80 }; /* bytes of a command in a message */

struct unc_journal_file {
	char name[64];
	enum unc_recover_kind kind;   /* STALE also if it names no register; DAMAGED also if it cannot be read */
	struct unc_journal_text text; /* empty if it is damaged */
	char who[320]; /* "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04 UTC"; "" if it is damaged */
	char why[UNC_MSG_MAX]; /* why it is damaged */
};

struct unc_journals {
	struct unc_journal_file *files; /* owned; sorted by name, so nearly by age */
	size_t n;
};

/*
 * Reads all journals except the one of that name, if it is not NULL.  identity: the machine to which they must belong.
 * tidy: removes files that were begun by ended processes. UNC_EIO, UNC_EPERM: the folder cannot be listed; UNC_ENOMEM.
 */
int unc_journals_read(struct unc_ctx *ctx, struct unc_os_folder *folder, const struct unc_host_identity *identity,
		      bool tidy, const char *but, struct unc_journals *ret_journals);
/*
 * Reads the registers that journals of another boot name.  After a reset none of them holds what was written; after kexec, or where
 * firmware has started a system without a reset, they still do.  If a register holds exactly what was written, its journal becomes
 * STALE, and lines of registers that do not are removed from it.
 */
void unc_journals_look(struct unc_machine *m, struct unc_journals *journals);
void unc_journals_clear(struct unc_journals *journals);
/* Returns the first journal that says a killed process left this register changed; NULL: none. */
const struct unc_journal_file *unc_journals_left(const struct unc_journals *journals, const struct unc_addr *addr,
						 uint32_t off);
/* Removes a journal whose writer has ended. */
int unc_journals_remove(struct unc_os_folder *folder, const char *name);
/* Writes nanoseconds since 1970 as "2026-11-20 12:03:04 UTC".  Returns buf. */
enum { UNC_TIME_TEXT = 40 };
const char *unc_journals_time(uint64_t ns, char buf[UNC_TIME_TEXT]);

#endif
