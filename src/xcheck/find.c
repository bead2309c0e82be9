// SPDX-License-Identifier: GPL-2.0-or-later
#include "xcheck/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "map/field.h"

/* Somebody else may switch counters on and off at the same time: who follows so often is no accident. */
enum { ROUNDS = 4 };

struct look { /* the controls of one box */
	bool read;
	bool enabled[UNC_PMON_SLOTS];
	uint64_t control[UNC_PMON_SLOTS];
};

struct finding {
	struct unc_machine *m;
	unsigned event;
	struct unc_pmon_box *pboxes;
	size_t n;
	struct look *on, *off, *again; /* n each, in one piece of memory */
	bool (*follows)[UNC_PMON_SLOTS];
};

bool unc_slot_has(const struct unc_slot *slot, uint64_t control)
{
	return slot->enabled && ((slot->found ^ control) & unc_reg_readback_mask(slot->ctl)) == 0;
}

/* A box that does not answer has nothing that follows; rc where none does. */
static int look(struct finding *f, enum unc_perf_op op, struct look *looks)
{
	struct unc_host *host = f->m->host;
	size_t n_read = 0;
	int rc = host->ops->perf(host, op, f->event, NULL);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < f->n; i++) {
		struct unc_pmon_box *pbox = &f->pboxes[i];
		int failure = unc_pmon1_inspect(pbox);

		looks[i].read = failure == 0;
		if (failure < 0)
			rc = failure;
		else
			n_read++;
		for (unsigned k = 0; k < pbox->n_slots && failure == 0; k++) {
			looks[i].enabled[k] = pbox->slots[k].enabled;
			looks[i].control[k] = pbox->slots[k].found;
		}
	}
	return n_read ? UNC_OK : rc;
}

static bool follows(const struct finding *f, size_t i, unsigned k)
{
	const struct look *on = &f->on[i], *off = &f->off[i], *again = &f->again[i];

	return on->read && off->read && again->read && on->enabled[k] && !off->enabled[k] && again->enabled[k] &&
	       on->control[k] == again->control[k];
}

/* One round more: who has followed in all of them. */
static int go_round(struct finding *f, struct unc_found *found, unsigned *ret_n)
{
	int rc = look(f, UNC_PERF_ON, f->on);

	*ret_n = 0;
	if (rc == 0)
		rc = look(f, UNC_PERF_OFF, f->off);
	if (rc == 0)
		rc = look(f, UNC_PERF_ON, f->again);
	for (size_t i = 0; i < f->n && rc == 0; i++) {
		for (unsigned k = 0; k < f->pboxes[i].n_slots; k++) {
			f->follows[i][k] = f->follows[i][k] && follows(f, i, k);
			if (!f->follows[i][k])
				continue;
			++*ret_n;
			*found = (struct unc_found){.pbox = i, .slot = k, .control = f->again[i].control[k]};
		}
	}
	return rc;
}

static int find(struct finding *f, struct unc_found *ret_found)
{
	struct unc_found found = {0};
	unsigned n = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < f->n; i++)
		for (unsigned k = 0; k < UNC_PMON_SLOTS; k++)
			f->follows[i][k] = true;
	for (unsigned round = 0; round < ROUNDS && rc == 0; round++) {
		rc = go_round(f, &found, &n);
		if (n <= 1)
			break;
	}
	if (rc < 0)
		return rc;
	if (n == 0)
		return unc_fail(
			f->m->ctx, UNC_ENODATA,
			"no control follows when perf's event is switched on and off: others have all counters, or it "
			"counts somewhere else");
	if (n > 1)
		return unc_fail(
			f->m->ctx, UNC_ENODATA,
			"%u counters follow when perf's event is switched on and off, so it cannot be told which is "
			"perf's",
			n);
	*ret_found = found;
	return UNC_OK;
}

int unc_find_counter(struct unc_machine *m, unsigned event, struct unc_pmon_box *pboxes, size_t n,
		     struct unc_found *ret_found)
{
	struct finding f = {.m = m, .event = event, .pboxes = pboxes, .n = n};
	int rc;

	f.on = calloc(3 * n, sizeof(*f.on));
	f.follows = calloc(n, sizeof(*f.follows));
	if (!f.on || !f.follows) {
		rc = unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	} else {
		f.off = f.on + n;
		f.again = f.off + n;
		rc = find(&f, ret_found);
	}
	free(f.on);
	free(f.follows);
	return rc;
}

enum { NOT, OWN, FOREIGN, SURE, SAME };

static int how_sure(const struct unc_pmon_box *pbox, const struct unc_search *search, unsigned k)
{
	const struct unc_slot *slot = &pbox->slots[k];

	if (slot->fixed != search->fixed || search->taken[k] || !unc_slot_has(slot, search->control))
		return NOT;
	if (search->was == (int)k)
		return SAME;
	if (search->own[k])
		return search->may_be_own ? OWN : NOT;
	if (search->foreign[k])
		return search->may_be_foreign ? FOREIGN : NOT;
	return SURE;
}

int unc_find_slot(const struct unc_pmon_box *pbox, const struct unc_search *search)
{
	int best = NOT, slot = -1;

	for (unsigned k = 0; k < pbox->n_slots; k++) {
		int sure = how_sure(pbox, search, k);

		if (sure <= best)
			continue;
		best = sure;
		slot = (int)k;
	}
	return slot;
}
