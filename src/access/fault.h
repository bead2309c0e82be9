/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bus around a bus in which accesses go wrong: the nth of all that pass through it, over all its spaces, once or from
 * then on.  It is how every other part is tried on hardware that fails.
 */
#ifndef UNC_ACCESS_FAULT_H
#define UNC_ACCESS_FAULT_H

#include "access/access.h"

enum unc_fault_how {
	UNC_FAULT_EIO,
	UNC_FAULT_EPERM,
	UNC_FAULT_ENODEV,
	UNC_FAULT_ENXIO, /* UNC_ENODEV by another name: an offline CPU */
	UNC_FAULT_SHORT, /* fewer bytes than asked for: UNC_EIO */
	UNC_FAULT_ONES, /* a read gives all ones with full success; a write is lost: what Linux makes of a failed cycle */
	UNC_FAULT_DROP, /* a write is lost and said to be done; reads are as ever */
	UNC_FAULT_HOWS
};

struct unc_fault {
	uint64_t at; /* the first access that goes wrong, from 1; 0: none */
	bool forever;
	enum unc_fault_how how;
	bool opens;       /* opening a space counts as an access too, and may fail (but not with ones or drop) */
	bool writes_only; /* only writes count and go wrong */
	const char *only; /* likewise, this function alone ("0000:ff:10.4"); NULL: all.  Not owned */
	uint32_t or_off, or_value; /* that register reads with these bits set, as another part might; value 0: none */
	/* Called before each read and write; NULL: not. */
	void (*before)(void *arg, const struct unc_addr *addr, bool write, uint64_t off);
	void *arg;        /* not owned */
	uint64_t kill_at; /* kill() is called around this access, from 1; 0: around none */
	bool kill_after;  /* behind its effect, else in front of it */
	/* Of the writes alone, the first that is lost and said to be done, from 1, and how many are; lose 0: none. */
	uint64_t lose_at, lose;
	/*
	 * NULL: ends this process as SIGKILL does.  One that returns has killed the process that asked for the access: if it was
	 * killed before the access, that is not done, and fails ("EINTR").
	 */
	void (*kill)(void *arg);
	void *kill_arg; /* not owned */

	uint64_t seen, done; /* accesses that counted so far; those that went wrong */
	uint64_t writes;     /* all so far, for lose */
	bool done_write;     /* the last of these was a write, */
	uint64_t done_off;   /* there */
};

/* "EIO", "EPERM", "ENODEV", "ENXIO", "short", "ones", "drop": NULL beyond the last. */
const char *unc_fault_name(unsigned how);

/*
 * *ret_bus owns inner from then on; fault, which several buses may share, must outlive it.  UNC_ENOMEM: inner is
 * closed.
 */
int unc_fault_wrap(struct unc_bus *inner, struct unc_fault *fault, struct unc_bus **ret_bus);

/* The same for who answers accesses and has no bus to wrap: around each of them. */
struct unc_fault_access {
	struct unc_ctx *ctx;
	const char *bus; /* "pci": for the sentence */
	const struct unc_addr *addr;
	bool write;
	uint64_t off;
	bool can_be_short; /* the caller can transfer fewer bytes than asked for; else that is a failure */
};
enum unc_fault_instead { UNC_FAULT_LOST = 1, UNC_FAULT_CUT };
/*
 * UNC_OK: it goes on; UNC_FAULT_LOST: it has no effect and looks done, a read is all ones; UNC_FAULT_CUT: fewer of its
 * bytes are transferred; or it failed, with a sentence.
 */
int unc_fault_begin(struct unc_fault *fault, const struct unc_fault_access *access);
void unc_fault_end(struct unc_fault *fault);

#endif
