// SPDX-License-Identifier: GPL-2.0-or-later
/* A session from opening to closing: which events are to be counted in which boxes. */
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "pmon/session.h"

int unc_session_open(struct unc_machine *m, const struct unc_session_cfg *cfg, struct unc_session **ret_session)
{
	struct unc_session *s;

	if (m->map->no_counters)
		return unc_fail(m->ctx, UNC_ENOSUP, "%s", m->map->no_counters);
	if (cfg->observe && (cfg->freeze || cfg->force))
		return unc_fail(m->ctx, UNC_EARG, "who only observes writes no register: no freeze, and no force");
	s = calloc(1, sizeof(*s));
	if (!s)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	s->machine = m;
	s->cfg = *cfg;
	*ret_session = s;
	return UNC_OK;
}

static int pbox_of(struct unc_session *s, struct unc_box *box, size_t *ret_index)
{
	void *more;
	int rc;

	for (size_t i = 0; i < s->n_pboxes; i++) {
		if (s->pboxes[i].box == box) {
			*ret_index = i;
			return UNC_OK;
		}
	}
	more = unc_array_more(s->pboxes, s->n_pboxes, sizeof(*s->pboxes));
	if (!more)
		return unc_fail(s->machine->ctx, UNC_ENOMEM, "out of memory");
	s->pboxes = more;
	rc = unc_pmon1_init(box, &s->pboxes[s->n_pboxes]);
	if (rc < 0)
		return rc;
	s->pboxes[s->n_pboxes].freezes = s->cfg.freeze;
	*ret_index = s->n_pboxes++;
	return UNC_OK;
}

/* Appends request number i, counted from 1, to the list of its box. */
static void link_request(struct unc_session *s, size_t i)
{
	struct unc_pmon_box *pbox = &s->pboxes[s->requests[i - 1].pbox];

	if (pbox->last_request)
		s->requests[pbox->last_request - 1].next = i;
	else
		pbox->first_request = i;
	pbox->last_request = i;
	pbox->n_requests++;
}

static int add_request(struct unc_session *s, struct unc_box *box, struct unc_request **ret_request)
{
	struct unc_ctx *ctx = s->machine->ctx;
	struct unc_request *requests;
	size_t pbox;
	int rc = box->presence == UNC_PRESENT ? pbox_of(s, box, &pbox) : unc_fail(ctx, box->rc, "%s", box->why);

	if (rc < 0)
		return rc;
	requests = unc_array_more(s->requests, s->n_requests, sizeof(*s->requests));
	if (!requests)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	s->requests = requests;
	*ret_request = &requests[s->n_requests++];
	**ret_request = (struct unc_request){.pbox = pbox, .set = s->set_open ? s->n_sets : ++s->n_sets};
	s->pboxes[pbox].freezes |= s->set_freezes;
	return UNC_OK;
}

int unc_session_add(struct unc_session *s, struct unc_box *box, const char *event, size_t *ret_index)
{
	struct unc_wanted *wanted = NULL;
	struct unc_request *request;
	int rc;

	if (s->started)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s: the session has started already", event);
	rc = unc_wanted_new(box, event, &wanted);
	if (rc < 0)
		return rc;
	rc = add_request(s, box, &request);
	if (rc < 0) {
		unc_wanted_free(wanted);
		return rc;
	}
	request->wanted = wanted;
	link_request(s, s->n_requests);
	if (ret_index)
		*ret_index = s->n_requests - 1;
	return UNC_OK;
}

int unc_session_add_counter(struct unc_session *s, struct unc_box *box, size_t slot, size_t *ret_index)
{
	struct unc_request *request;
	int rc;

	if (s->started || !s->cfg.observe)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s: %s", box->name,
				s->started ? "the session has started already"
					   : "a counter by its number is for sessions that only observe");
	rc = add_request(s, box, &request);
	if (rc < 0)
		return rc;
	if (slot >= s->pboxes[request->pbox].n_slots) {
		s->n_requests--;
		return unc_fail(s->machine->ctx, UNC_ENOREG, "%s: a box of %s has %u counters, and no number %zu",
				box->name, box->unit->title, s->pboxes[request->pbox].n_slots, slot);
	}
	request->slot = (unsigned)slot;
	request->observing.any = true;
	if (ret_index)
		*ret_index = s->n_requests - 1;
	return UNC_OK;
}

const char *unc_session_event(const struct unc_session *s, size_t index)
{
	if (index >= s->n_requests)
		return NULL;
	return s->requests[index].observing.any ? unc_observe_event(s, &s->requests[index])
						: s->requests[index].wanted->text;
}

int unc_session_begin_set(struct unc_session *s, bool freeze)
{
	if (s->started || s->set_open)
		return unc_fail(s->machine->ctx, UNC_EARG, "%s",
				s->started ? "the session has started already" : "a set within a set");
	if (freeze && s->cfg.observe)
		return unc_fail(
			s->machine->ctx, UNC_EARG,
			"a set that is read frozen: who only observes stops no box, for which a register is written");
	s->set_open = true;
	s->set_freezes = freeze;
	s->n_sets++;
	return UNC_OK;
}

int unc_session_end_set(struct unc_session *s)
{
	if (!s->set_open)
		return unc_fail(s->machine->ctx, UNC_EARG, "no set was begun");
	s->set_open = s->set_freezes = false;
	return UNC_OK;
}

/* A box in which another program counts by now keeps its BOX_CTL: putting it back could freeze that program's counters. */
static void spare_others(struct unc_session *s)
{
	if (s->started)
		unc_session_look_for_suspend(s);
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];

		if (pbox->resumed)
			unc_pmon_visit(pbox, false, true, s);
		unc_pmon_settle_disputed(pbox);
	}
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];
		const struct unc_journal_entry *entry =
			unc_journal_find(&s->machine->journal, pbox->box, pbox->regs.box_ctl, 0);

		if (!entry || !entry->written || unc_pmon1_inspect(pbox) < 0 || !pbox->foreign)
			continue;
		unc_gate_keep(pbox->box, pbox->regs.box_ctl, 0);
		unc_note(s->machine->ctx, "%s: somebody else counts there by now: BOX_CTL stays as it is, released",
			 pbox->box->name);
	}
}

int unc_session_close(struct unc_session *s)
{
	int rc;

	if (!s)
		return UNC_OK;
	if (!s->cfg.observe)
		spare_others(s);
	rc = unc_gate_restore(s->machine, s);
	unc_session_note_who_stopped(s); /* this takes long, so it comes after everything is put back */
	for (size_t i = 0; i < s->n_requests; i++)
		unc_wanted_free(s->requests[i].wanted);
	free(s->requests);
	for (size_t i = 0; i < s->n_pboxes; i++)
		unc_session_forget(&s->pboxes[i]);
	free(s->pboxes);
	free(s);
	return rc;
}
