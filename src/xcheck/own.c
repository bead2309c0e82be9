// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Counts with our own counters beside the kernel's: a session for each box, started after perf's events were found, so that it
 * sees which counters are theirs.  It takes the highest free ones; Linux begins at the lowest, and does not check whether one is
 * in use.
 */
#include "base/err.h"
#include "xcheck/perf.h"

/* The fixed counter's event is perf's, and there is no second fixed counter for us. */
static bool wants_one(const struct unc_xperf *p, const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	return &p->boxes[e->box] == xbox && (p->m->dry_run || !e->from[0]) && !e->wanted->event.fixed;
}

static unsigned count_free(const struct unc_xbox *xbox)
{
	unsigned n = 0;

	for (unsigned k = 0; k < xbox->pbox.n_slots; k++)
		n += !xbox->pbox.slots[k].fixed && !xbox->pbox.slots[k].enabled;
	return n;
}

/* Adds the first n of its events. */
static int add(struct unc_xperf *p, struct unc_xbox *xbox, unsigned n)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < p->n_events && rc == 0; i++) {
		struct unc_xevent *e = &p->events[i];

		if (!wants_one(p, xbox, e))
			continue;
		e->counted = n > 0;
		if (!e->counted)
			continue;
		rc = unc_session_add(xbox->own, xbox->box, e->wanted->text, &e->request);
		n--;
	}
	return rc;
}

static int try(struct unc_xperf *p, struct unc_xbox *xbox, unsigned n)
{
	const struct unc_session_cfg cfg = {.confirm_later = true};
	struct unc_saved_msg why;
	int rc = unc_session_open(p->m, &cfg, &xbox->own);

	if (rc < 0)
		return rc;
	xbox->own->shared = true;
	rc = add(p, xbox, n);
	if (rc == 0)
		rc = unc_session_start(xbox->own);
	if (xbox->own->poll_ns > UNC_XOWN_LOOK_NS)
		xbox->own->poll_ns = UNC_XOWN_LOOK_NS;
	if (rc != UNC_EBUSY)
		return rc; /* if a failed start leaves registers changed, closing reports it */
	unc_msg_save(p->m->ctx, &why);
	unc_session_close(xbox->own);
	xbox->own = NULL;
	unc_msg_restore(p->m->ctx, &why);
	return rc;
}

static void name_counters(struct unc_xperf *p, struct unc_xbox *xbox)
{
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];
		const struct unc_slot *slot;
		unsigned k;

		if (&p->boxes[e->box] != xbox || !e->counted)
			continue;
		k = xbox->own->requests[e->request].slot;
		slot = &xbox->pbox.slots[k];
		xbox->own_slots[k] = true;
		unc_gate_reg_text(slot->ctr, slot->index, e->own);
	}
}

int unc_xown_start(struct unc_xperf *p, struct unc_xbox *xbox)
{
	unsigned n = 0, n_free;
	int rc = unc_pmon1_inspect(&xbox->pbox);

	if (rc < 0)
		return UNC_OK; /* every bracket will report the failure */
	for (size_t i = 0; i < p->n_events; i++)
		n += wants_one(p, xbox, &p->events[i]);
	n_free = count_free(xbox);
	if (p->m->dry_run) /* perf has no counters yet, and would take one for each event */
		n_free = n_free > n ? n_free - n : 0;
	rc = UNC_EBUSY;
	for (n = n < n_free ? n : n_free; n > 0 && rc == UNC_EBUSY; n--)
		rc = try(p, xbox, n);
	if (rc == 0)
		name_counters(p, xbox);
	else
		add(p, xbox, 0);
	return rc == UNC_EBUSY ? UNC_OK : rc;
}
