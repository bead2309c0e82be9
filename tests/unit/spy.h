/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine whose backend is watched from its innermost side: each write that reaches the hardware must have its former value in
 * the journal at that moment, be of a register that the map names, and hold nothing in it that the map does not allow.
 */
#ifndef UNC_TESTS_SPY_H
#define UNC_TESTS_SPY_H

#include "access/fault.h"
#include "onsim.h"
#include "uncore.h"

enum spy_mode { SPY_READ_ONLY, SPY_DRY, SPY_WRITABLE };

enum { SPY_PLACES = 256, SPY_TASK_CPUS = 128 };

struct spy_place { /* a dword of configuration space, or an MSR, that was written */
	struct unc_addr addr;
	uint64_t off, former;
};

struct spy {
	struct unc_ctx *ctx;
	struct unc_machine *m;
	struct unc_fault *fault; /* of the simulated machine itself: no bus is opened that does not count there */
	char state[64], journals[80];
	char name[300];           /* of the machine, for one more opener */
	struct unc_ctx *hand_ctx; /* another opener of that machine */
	struct unc_host *hand;

	uint64_t writes;  /* that reached the backend */
	uint64_t traced;  /* that the machine traced */
	uint64_t under;   /* by the function that is looked at; UINT64_MAX: it was not called */
	bool by_offset;   /* a register may be one that no map names */
	bool kept;        /* what was written stays */
	unsigned n_wrong; /* writes that should not have been; */
	char wrong[300];  /* the first, and why */
	struct spy_place places[SPY_PLACES];
	size_t n_places;
	/* What a scene has opened; NULL: not. */
	struct unc_session *session;
	struct unc_llc *llc;
	struct unc_task *task;
	struct unc_recover *recover;
	struct unc_doctor *doctor;
	struct unc_check *check;
	struct unc_xcheck *xcheck;
	struct unc_box *box; /* the first channel */
};

/* A Broadwell-EP with clock=step, whose kernel has a driver for its channels. */
void spy_open(struct spy *s, enum spy_mode mode);
/* The same, of which a killed process has left a register of the first channel changed. */
void spy_open_left(struct spy *s, enum spy_mode mode);
/* Closes what is open, and looks whether every register that was written is as it was. */
void spy_close(struct spy *s);
/* Another process has a counter enabled in the first channel. */
void spy_other_counts(struct spy *s);
/* Looks at each write that a machine traces: cfg.trace, with the spy as its argument. */
void spy_trace(void *spy, const char *line);
/* What stands between them is the function that is looked at. */
void spy_begin(struct spy *s);
void spy_end(struct spy *s);
#define UNDER(s, call) (spy_begin(s), (void)(call), spy_end(s))

#endif
