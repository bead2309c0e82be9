// SPDX-License-Identifier: GPL-2.0-or-later
/* Controllers whose counters always run, where nothing can be written: what they count agrees with itself. */

#include "check/check.h"
#include "pmon/counter.h"

enum { COUNTS = 3, LOOKS = 2 };
/* All requests of a controller are counted before writes are merged: Linux uncore_snb.c; intel/perfmon. */
static const char *const events[COUNTS] = {"data_total", "data_read", "data_write"};
static const char *const of_earlier[COUNTS] = {"", "data_reads", "data_writes"};

struct looks {
	const struct unc_reg *regs[COUNTS];
	uint64_t values[LOOKS][COUNTS];
};

/* Requests are read before the others at first, and after them at the end, so that they cover the longer time. */
static int look(struct unc_box *box, struct looks *looks, unsigned nth)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < COUNTS && rc == 0; i++) {
		unsigned k = nth ? COUNTS - 1 - i : i;

		if (looks->regs[k])
			rc = unc_reg_get(box, looks->regs[k], 0, &looks->values[nth][k]);
		if (rc == 0 && looks->regs[k] && looks->values[nth][k] == unc_reg_all(looks->regs[k]))
			rc = unc_gate_gone(box);
	}
	return rc;
}

static int requests_of(struct unc_check *c, struct unc_box *box)
{
	struct looks looks = {0};
	const char *doubt = NULL;
	uint64_t gained[COUNTS];
	int rc = UNC_OK;

	for (unsigned i = 0; i < COUNTS; i++) {
		const struct unc_event *event = unc_unit_event(box->unit, events[i]);

		event = event ? event : unc_unit_event(box->unit, of_earlier[i]);
		doubt = event ? event->verify : NULL; /* the last one counts writes */
		looks.regs[i] = event ? unc_unit_reg(box->unit, event->reg) : NULL;
	}
	unc_check_begin(c, box->name);
	if (box->presence != UNC_PRESENT) {
		if (box->presence == UNC_DENIED)
			unc_check_prevented(c, box->rc, box->why);
		else
			unc_check_fail(c, "%s", box->why);
		return UNC_OK;
	}
	for (unsigned i = 0; i < LOOKS && rc == 0; i++) {
		rc = look(box, &looks, i);
		if (rc == 0 && i + 1 < LOOKS)
			rc = unc_check_wait(c, unc_check_ms(c, 1, 10, 100));
	}
	if (rc < 0)
		return unc_check_broke(c, rc);
	for (unsigned i = 0; i < COUNTS; i++)
		gained[i] = unc_delta(looks.values[0][i], looks.values[1][i], box->unit->counter_bits);
	if (gained[0] + gained[1] + gained[2] == 0)
		unc_check_skip(c, "no counter moved: there was no traffic");
	else if (!looks.regs[0])
		unc_check_pass(c,
			       "they move: %" PRIu64 " reads and %" PRIu64
			       " writes; this part has no counter of all requests",
			       gained[1], gained[2]);
	else if (gained[0] < gained[1] + gained[2] && doubt)
		unc_check_skip(c, "fewer requests than reads and writes, which may be right here: %s", doubt);
	else if (gained[0] < gained[1] + gained[2])
		unc_check_fail(c,
			       "%" PRIu64 " requests, but %" PRIu64 " reads and %" PRIu64
			       " writes: there must be as many requests at least",
			       gained[0], gained[1], gained[2]);
	else
		unc_check_pass(c, "%" PRIu64 " requests for %" PRIu64 " reads and %" PRIu64 " writes", gained[0],
			       gained[1], gained[2]);
	return UNC_OK;
}

static int run_requests(struct unc_check *c)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < c->n_always && rc == 0; i++)
		rc = requests_of(c, c->always[i]);
	return rc;
}

static const struct unc_check_def defs[] = {
	{UNC_CHECK_ALWAYS, .run = run_requests,
	 .about = {"always.requests",
		   "counters that always run show at least as many requests as reads and writes together",
		   "Linux arch/x86/events/intel/uncore_snb.c; intel/perfmon, uncore event lists", .ms = {2, 12, 102}}},
};

const struct unc_check_theme unc_check_always = {defs, sizeof(defs) / sizeof(defs[0])};
