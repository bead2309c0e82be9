/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal on disk: what outlives this process, so that `recover` can put back what a killed one left.  A file for each machine
 * that is open for writing, in the folder of unc_machine_cfg.state_dir, held as long as its writer lives.
 *
 * Only machine/gate.c writes to it: lines of all registers that a session is going to write are queued, and are on the disk before the
 * first of them is written.  Lines: machine/journal_text.h.
 */
#ifndef UNC_MACHINE_JOURNAL_DISK_H
#define UNC_MACHINE_JOURNAL_DISK_H

#include "access/host.h"
#include "machine/machine.h"

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
 * machine/journal_owner.c: who holds a box whose lock is taken: "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04".  Looks again for a tenth of a
 * second, as its process may be about to write it.  False: no journal in this folder names it.
 */
bool unc_journal_disk_owner(const struct unc_machine *m, const struct unc_addr *addr, char *buf, size_t size);

#endif
