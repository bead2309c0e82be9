// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a whole controller that always run count what the counters of its channels do. */
#include "check/behaviour.h"

#include <inttypes.h>
#include <string.h>

#include "machine/gate.h"
#include "pmon/counter.h"
#include "pmon/free.h"

/* The registers of a controller, and what each of its channels counts; the last two are of Optane modules. */
enum { PMEM = 2, SUMS = 4, SLACK = 1 /* a command that one of the two counters has seen already */ };
static const char *const regs[SUMS] = {"RD", "WR", "PMM_RD", "PMM_WR"};
static const char *const events[UNC_COUNTERS_MAX] = {"cas_count.rd", "cas_count.wr", "pmm_rpq_inserts",
						     "pmm_wpq_inserts"};

struct controller {          /* is in what is seen of its first channel */
	struct unc_box *box; /* NULL: it has none, or this is another channel */
	const struct unc_reg *regs[SUMS];
	uint64_t values[UNC_WINDOW_LOOKS][SUMS];
	int rc; /* the error of the failure in why */
	char why[UNC_MSG_MAX];
};

static bool is_of(const struct unc_box *controller, const struct unc_box *channel)
{
	return channel->socket == controller->socket && !channel->instance->hbm &&
	       channel->instance->imc == controller->instance->imc;
}

static void find_controller(const struct unc_windows *ws, size_t i)
{
	struct controller *m = ws->of[i].seen;
	struct unc_box *box;

	for (size_t k = 0; (box = unc_box_at(ws->c->m, UNC_FREE_UNIT, k)) != NULL; k++)
		if (box->presence == UNC_PRESENT && is_of(box, ws->of[i].b->box) &&
		    !(i > 0 && is_of(box, ws->of[i - 1].b->box)))
			m->box = box;
	for (unsigned k = 0; m->box && k < SUMS; k++)
		if (k < PMEM || unc_box_has_pmem(m->box))
			m->regs[k] = unc_unit_reg(m->box->unit, regs[k]);
}

static void look(struct unc_windows *ws, unsigned nth)
{
	for (size_t i = 0; i < ws->n; i++) {
		struct controller *m = ws->of[i].seen;

		for (unsigned k = 0; k < SUMS && m->rc == 0; k++) {
			if (m->regs[k])
				m->rc = unc_reg_get(m->box, m->regs[k], 0, &m->values[nth][k]);
			if (m->rc == 0 && m->regs[k] && m->values[nth][k] >> m->box->unit->counter_bits)
				m->rc = unc_gate_gone(m->box);
			if (m->rc < 0)
				memcpy(m->why, ws->c->m->ctx->msg, sizeof(m->why));
		}
	}
}

/*
 * The controller was read before and after its channels were released, and before and after they were frozen: what they counted is
 * at least its gain between the inner two reads, and at most that between the outer two.
 */
static void report(const struct unc_windows *ws, const struct controller *m)
{
	uint64_t counted[SUMS] = {0}, all = 0;
	struct unc_check *c = ws->c;
	struct unc_box *box;
	size_t n_lacking = 0;

	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)) != NULL; i++)
		n_lacking += is_of(m->box, box) && box->presence != UNC_ABSENT;
	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (unsigned k = 0; k < SUMS && is_of(m->box, w->b->box); k++)
			counted[k] += w->gained[k];
		n_lacking -= is_of(m->box, w->b->box) && w->in && w->restless < 0;
	}
	unc_check_begin(c, m->box->name);
	if (m->rc < 0)
		unc_check_fail(c, "%s", m->why);
	for (unsigned k = 0; k < SUMS && !n_lacking && m->rc == 0; k++) {
		uint64_t low = unc_delta(m->values[1][k], m->values[2][k], m->box->unit->counter_bits);
		uint64_t high = unc_delta(m->values[0][k], m->values[3][k], m->box->unit->counter_bits);

		if (!m->regs[k])
			continue;
		all += counted[k];
		if (counted[k] + SLACK < low || counted[k] > high + SLACK)
			unc_check_fail(c,
				       "%s gained %" PRIu64 " to %" PRIu64 " while its channels counted %" PRIu64
				       " %s: it counts something else, or not all of them",
				       regs[k], low, high, counted[k], events[k]);
	}
	if (n_lacking)
		unc_check_skip(c, "not all of its channels could be counted beside it");
	else if (!all)
		unc_check_skip(c, "nothing moved: no read or write went through its channels");
	else
		unc_check_pass(c, "it gained what its channels counted: %" PRIu64 " commands", all);
}

static void count(struct unc_windows *ws)
{
	const char *known[UNC_COUNTERS_MAX] = {NULL};

	if (!unc_box_count(ws->c->m, UNC_FREE_UNIT)) {
		unc_check_begin(ws->c, "machine");
		unc_check_skip(ws->c, "no map of this part has counters of a whole memory controller that always run");
		return;
	}
	for (unsigned k = 0; k < SUMS; k++)
		known[k] = unc_windows_know(ws, events[k]) ? events[k] : NULL;
	for (size_t i = 0; i < ws->n; i++)
		find_controller(ws, i);
	ws->look = look;
	unc_windows_run(ws, known, unc_check_ms(ws->c, 1, 4, 40));
	for (size_t i = 0; i < ws->n && ws->rc == 0; i++)
		if (((const struct controller *)ws->of[i].seen)->box)
			report(ws, ws->of[i].seen);
}

const struct unc_windows_def unc_check_free = {sizeof(struct controller), count, NULL, NULL};
