/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers that killed processes have left changed. */
#ifndef UNCORE_RECOVER_H
#define UNCORE_RECOVER_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The journal of a process that had a machine open for writing. */
enum unc_recover_kind {
	UNC_RECOVER_ALIVE, /* its writer is alive, and puts its registers back itself */
	/* Its writer is gone: its registers are listed below; if this machine has booted since, those that hold what it wrote. */
	UNC_RECOVER_STALE,
	UNC_RECOVER_OTHER_BOOT, /* this machine has booted since, and no register holds what it wrote: it is removed */
	UNC_RECOVER_OTHER_MACHINE, /* its writer is gone, and it is of another machine: left alone */
	UNC_RECOVER_DAMAGED,       /* its writer is gone, and its content is not valid: left alone */
};
struct unc_recover_journal {
	const char *path;
	enum unc_recover_kind kind;
	const char *who;     /* "process 812 (uncorectl mem -i 1), since 2026-11-20 12:03:04 UTC"; "" if damaged */
	const char *machine; /* "live", "root:/real/path DEVICE:INODE"; "" if damaged */
	size_t n_registers;  /* registers that were not put back */
	const char *why;     /* a sentence why it is damaged; else "" */
};

enum unc_recover_state {
	UNC_RECOVER_NOT_YET,   /* unc_recover_run() was not called */
	UNC_RECOVER_WOULD,     /* it would be put back: a dry run */
	UNC_RECOVER_PUT_BACK,  /* it was put back, and reads so */
	UNC_RECOVER_AS_IT_WAS, /* it holds its former value: nothing to be done */
	UNC_RECOVER_IDLE,      /* its former value could not be read: it was written to be idle */
	UNC_RECOVER_COUNTED,   /* a counter that has counted since: left alone */
	UNC_RECOVER_CHANGED,   /* it holds another value than was written, so another program uses it now: left alone */
	UNC_RECOVER_IN_USE,    /* a live process writes in that box, or recovers the same journal */
	UNC_RECOVER_NOT_REACHED, /* it could not be read, or may not be written */
	UNC_RECOVER_NOT_BACK,    /* it was written, but reads another value */
};
/* A register that was left changed.  All texts live until unc_recover_close(). */
struct unc_recover_info {
	size_t journal; /* index for unc_recover_journal() */
	unsigned pid;   /* process that left it */
	const char *command;
	uint64_t since_ns;     /* since when the process had the machine, since 1970 */
	const char *box, *reg; /* "socket0.imc0.ch2", "CTL[3]"; names that the process used */
	const char *pci;       /* "0000:7f:10.4"; for an MSR "cpu17" */
	uint32_t offset;       /* in bytes; for an MSR its number */
	unsigned bits;         /* 32 or 64 */
	uint64_t was;          /* value before the process wrote it */
	bool is_known;         /* is is valid: the register could be read */
	uint64_t is;           /* value found now, before anything is put back */
	bool becomes_known;    /* becomes is valid */
	uint64_t becomes;      /* value to be written: was, or the idle value; bits of other users unchanged */
	enum unc_recover_state state;
	const char *why; /* reason for one of the last four states; or "" */
};

struct unc_recover;
/*
 * Finds what killed processes have left changed on this machine, last first, from the folder of unc_machine_cfg.state_dir.  A
 * machine whose registers end with its process has nothing.  Touches no register. UNC_EPERM: the folder cannot be trusted;
 * UNC_EIO, UNC_ENOMEM.
 */
UNC_API int unc_recover_open(struct unc_machine *machine, struct unc_recover **ret_recover);
/* Call it before the machine is closed.  NULL is fine. */
UNC_API void unc_recover_close(struct unc_recover *recover);
/* Returns the number of journals of every kind. */
UNC_API size_t unc_recover_journals(const struct unc_recover *recover);
/* All texts live until unc_recover_close().  UNC_ENODEV: index is too high. */
UNC_API int unc_recover_journal(const struct unc_recover *recover, size_t index,
				struct unc_recover_journal *ret_journal);
/* Returns the number of registers left in all journals. */
UNC_API size_t unc_recover_count(const struct unc_recover *recover);
/* UNC_ENODEV: index is too high. */
UNC_API int unc_recover_info(const struct unc_recover *recover, size_t index, struct unc_recover_info *ret_info);
/*
 * Looks at each register, last written first, and puts back those that hold what was written; with force also those that hold
 * another value.  A journal of which nothing is left is removed.  On a machine opened for a dry run it only looks.  Call it once;
 * the machine is best closed then, since until then it leaves these registers alone. UNC_EIO: a register is not as it was;
 * unc_recover_info() has the details; UNC_EBUSY: the same, because a live process has its box; UNC_EDENIED: the machine is open
 * for reading only; UNC_EPERM: another user owns or can access a journal; UNC_ENOMEM.
 */
UNC_API int unc_recover_run(struct unc_recover *recover, bool force);

#ifdef __cplusplus
}
#endif

#endif
