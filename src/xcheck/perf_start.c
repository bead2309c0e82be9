// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which of the kernel's PMUs is which box.  The map's number of a box is tried first, but always checked: kernels number
 * channels in the order in which they find them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/text.h"
#include "xcheck/perf.h"

/* ---- perf's events ---- */

static void xevent_close(struct unc_xperf *p, struct unc_xevent *e)
{
	if (e->open)
		unc_host_perf(p->m->host, UNC_PERF_CLOSE, e->event, NULL);
	e->open = false;
}

/* Opens the event in perf on that PMU, switched off; in a dry run it is only described. */
static int xevent_open(struct unc_xperf *p, struct unc_xevent *e, const struct unc_pmu *pmu)
{
	const struct unc_box *box = p->boxes[e->box].box;
	struct unc_perf_attr attr;
	unsigned cpu = 0;
	int rc = unc_xevent_ask(p, e, pmu);

	if (rc == 0)
		rc = unc_pmu_cpu(p->m, pmu, box->socket, &cpu);
	if (rc < 0)
		return rc;
	attr = (struct unc_perf_attr){
		.type = pmu->type,
		.config = e->code.config[0],
		.config1 = e->code.config[1],
		.config2 = e->code.config[2],
		.cpu = cpu,
	};
	e->cpu = (int)cpu;
	if (p->m->dry_run)
		return UNC_OK;
	rc = unc_host_perf_open(p->m->host, &attr, &e->event);
	e->open = rc == 0;
	return unc_wrap(p->m->ctx, rc, "%s", box->name);
}

/* True if rc means that this event, or this PMU, is not available, while others may be. */
static bool xevent_alone_fails(int rc)
{
	return rc == UNC_EARG || rc == UNC_ENODEV || rc == UNC_ENODATA || rc == UNC_EBUSY || rc == UNC_ENOSUP;
}

/* ---- which PMU is which box ---- */

struct unc_xplace { /* a PMU on a socket whose box is known */
	const struct unc_pmu *pmu;
	unsigned socket;
};

/* Finds which box of its socket a PMU is: it may be any of that kind. */
static int try_pmu(struct unc_xperf *p, struct unc_xevent *e, const struct unc_pmu *pmu)
{
	struct unc_machine *m = p->m;
	const struct unc_box *like = p->boxes[e->box].box;
	const struct unc_xplace place = {.pmu = pmu, .socket = like->socket};
	struct unc_pmon_box *pboxes;
	struct unc_saved_msg why;
	struct unc_found found;
	size_t n = 0;
	int rc = xevent_open(p, e, pmu);

	if (rc < 0)
		return rc;
	pboxes = calloc(m->n_boxes, sizeof(*pboxes));
	if (!pboxes)
		rc = unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < m->n_boxes && rc == 0; i++) {
		struct unc_box *box = &m->boxes[i];

		if (box->unit == like->unit && box->socket == like->socket && box->presence == UNC_PRESENT)
			rc = unc_pmon1_init(box, &pboxes[n++]);
	}
	if (rc == 0)
		rc = unc_wrap(m->ctx, unc_find_counter(m, e->event, pboxes, n, &found), "%s", pmu->name);
	if (rc == 0 && !unc_array_add(&p->places, &p->n_places, &place, sizeof(place)))
		rc = unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < p->n_boxes && rc == 0; i++)
		if (p->boxes[i].box == pboxes[found.pbox].box && !p->boxes[i].pmu)
			p->boxes[i].pmu = pmu;
	free(pboxes);
	unc_msg_save(m->ctx, &why);
	xevent_close(p, e);
	unc_msg_restore(m->ctx, &why);
	return rc;
}

static bool is_maps(const struct unc_xbox *xbox, const struct unc_pmu *pmu)
{
	return xbox->box->instance->perf >= 0 && pmu->number == (unsigned)xbox->box->instance->perf;
}

/* Tries the PMUs with one event of the box.  If none is found, the error is that of the map's own number. */
static int find_pmu(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
{
	const struct unc_pmus *pmus = xbox->pmus;
	const struct unc_pmu *likely = e->pmu;
	struct unc_ctx *ctx = p->m->ctx;
	struct unc_saved_msg why;
	int first = UNC_OK;

	for (unsigned other = 0; other < 2; other++) {
		for (size_t i = 0; i < pmus->n && !xbox->pmu; i++) {
			const struct unc_pmu *pmu = &pmus->pmus[i];
			bool placed = false;
			int rc;

			for (size_t k = 0; k < p->n_places; k++)
				placed |= p->places[k].pmu == pmu && p->places[k].socket == xbox->box->socket;
			if (placed || pmu->hbm != xbox->box->instance->hbm || is_maps(xbox, pmu) != !other)
				continue;
			rc = try_pmu(p, e, pmu);
			if (rc < 0 && !xevent_alone_fails(rc))
				return rc;
			if (rc < 0 && first == 0) {
				first = rc;
				unc_msg_save(ctx, &why);
			}
		}
	}
	if (xbox->pmu)
		return UNC_OK;
	unc_xevent_ask(p, e, likely);
	if (first == 0)
		return unc_fail(ctx, UNC_ENODATA, "each of perf's uncore_%s_N of socket %u is another box",
				xbox->box->unit->name, xbox->box->socket);
	unc_msg_restore(ctx, &why);
	return first;
}

static void lose_box(struct unc_xperf *p, const struct unc_xbox *xbox)
{
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e))
		if (!e->from[0])
			unc_xperf_keep(p, e->from, "which of perf's counters are of this box was not found: ");
}

/*
 * Finds the PMU of a box.  One event is enough that perf accepts and has a counter for: the fixed counter may be free if others
 * are not.  If none is found, the reason is that of the first event.
 */
static int find_box(struct unc_xperf *p, struct unc_xbox *xbox)
{
	struct unc_saved_msg why;
	int first = UNC_OK;

	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e && !xbox->pmu; e = unc_xevent_next(p, xbox, e)) {
		int rc = find_pmu(p, xbox, e);

		if (rc < 0 && !xevent_alone_fails(rc))
			return rc;
		if (rc < 0 && first == 0) {
			first = rc;
			unc_msg_save(p->m->ctx, &why);
		}
	}
	if (xbox->pmu)
		return UNC_OK;
	if (first < 0)
		unc_msg_restore(p->m->ctx, &why);
	lose_box(p, xbox);
	return UNC_OK;
}

/* Finds the PMU of each box; if there is none, the box's events have the reason. */
static int find_boxes(struct unc_xperf *p)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < p->n_boxes && rc == 0; i++) {
		struct unc_xbox *xbox = &p->boxes[i];

		if (unc_pmon1_inspect(&xbox->pbox) < 0) {
			lose_box(p, xbox);
			continue;
		}
		for (unsigned k = 0; k < xbox->pbox.n_slots; k++)
			xbox->foreign[k] = xbox->pbox.slots[k].enabled;
		if (!xbox->pmu)
			rc = find_box(p, xbox);
	}
	for (size_t i = 0; i < p->n_boxes && rc == 0; i++) {
		const struct unc_xbox *xbox = &p->boxes[i];

		if (xbox->pmu && xbox->box->instance->perf >= 0 && !is_maps(xbox, xbox->pmu))
			unc_note(p->m->ctx, "%s is %s here, not number %d as the map of this CPU has it",
				 xbox->box->name, xbox->pmu->name, xbox->box->instance->perf);
	}
	return rc;
}

/* ---- which counter is which event ---- */

/* Finds the counter of an event while it is on alone, so that only its counter follows. */
static int find_event(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
{
	char name[UNC_GATE_TEXT], is[120], asked[120];
	bool fixed = e->wanted->event.fixed;
	const struct unc_field *en = fixed ? xbox->pbox.regs.fixed_en : xbox->pbox.regs.en;
	uint64_t wanted = fixed ? 0 : e->wanted->control;
	struct unc_found found;
	int rc = unc_find_counter(p->m, e->event, &xbox->pbox, 1, &found);

	if (rc < 0 && !xevent_alone_fails(rc))
		return rc;
	if (en)
		unc_field_set(xbox->box->machine->ctx, en, 1, &wanted);
	e->known = true;
	e->fixed = fixed;
	e->control = wanted;
	if (rc < 0) {
		unc_xperf_keep(p, e->lost, "");
	} else {
		const struct unc_slot *slot = &xbox->pbox.slots[found.slot];

		e->fixed = slot->fixed;
		e->control = found.control;
		if (!unc_wanted_is(xbox->box, e->wanted, slot->ctl, e->control))
			snprintf(e->wrong, sizeof(e->wrong),
				 "perf was asked for %s, %s, and the kernel's driver programmed %s with 0x%08" PRIx64
				 " (%s), where 0x%08" PRIx64 " (%s) is that event",
				 e->wanted->text, e->config, unc_gate_reg_text(slot->ctl, slot->index, name),
				 e->control, unc_reg_text(slot->ctl, e->control, is, sizeof(is)), wanted,
				 fixed ? "the fixed counter"
				       : unc_reg_text(xbox->pbox.regs.ctl, wanted, asked, sizeof(asked)));
	}
	return unc_host_perf(p->m->host, UNC_PERF_OFF, e->event, NULL);
}

/* ---- our own counters ---- */

/*
 * Counts with our own counters beside the kernel's: a session for each box, started after perf's events were found, so that it
 * sees which counters are theirs.  It takes the highest free ones; Linux begins at the lowest, and does not check whether one is
 * in use.
 */

/* The fixed counter's event is perf's, and there is no second fixed counter for us. */
static bool wants_one(const struct unc_xperf *p, const struct unc_xevent *e)
{
	return (p->m->dry_run || !e->from[0]) && !e->wanted->event.fixed;
}

/* Adds the first n of its events. */
static int add_own(struct unc_xperf *p, struct unc_xbox *xbox, unsigned n)
{
	int rc = UNC_OK;

	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e && rc == 0; e = unc_xevent_next(p, xbox, e)) {
		if (!wants_one(p, e))
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
	rc = add_own(p, xbox, n);
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

static int own_start(struct unc_xperf *p, struct unc_xbox *xbox)
{
	unsigned n = 0, n_free = 0;
	int rc = unc_pmon1_inspect(&xbox->pbox);

	if (rc < 0)
		return UNC_OK; /* every bracket will report the failure */
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e))
		n += wants_one(p, e);
	for (unsigned k = 0; k < xbox->pbox.n_slots; k++)
		n_free += !xbox->pbox.slots[k].fixed && !xbox->pbox.slots[k].enabled;
	if (p->m->dry_run) /* perf has no counters yet, and would take one for each event */
		n_free = n_free > n ? n_free - n : 0;
	rc = UNC_EBUSY;
	for (n = n < n_free ? n : n_free; n > 0 && rc == UNC_EBUSY; n--)
		rc = try(p, xbox, n);
	if (rc < 0) {
		add_own(p, xbox, 0);
		return rc == UNC_EBUSY ? UNC_OK : rc;
	}
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
		unsigned k;

		if (!e->counted)
			continue;
		k = xbox->own->requests[e->request].slot;
		xbox->own_slots[k] = true;
		unc_gate_reg_text(xbox->pbox.slots[k].ctr, xbox->pbox.slots[k].index, e->own);
	}
	return UNC_OK;
}

/* ---- start ---- */

static int tell(struct unc_xperf *p)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < p->n_events && rc == 0; i++) {
		struct unc_xevent *e = &p->events[i];
		const struct unc_xbox *xbox = &p->boxes[e->box];
		char line[400];

		rc = xevent_open(p, e, e->pmu);
		if (rc < 0)
			unc_xperf_keep(p, e->from, "");
		else
			snprintf(e->from, sizeof(e->from), "in a dry run perf is not asked");
		if (xevent_alone_fails(rc)) {
			rc = UNC_OK;
			continue;
		}
		snprintf(line, sizeof(line), "open perf event %s on cpu %d (%s) for %s %s", e->config, e->cpu,
			 e->pmu->name, xbox->box->name, e->wanted->text);
		p->m->dry_run(p->m->dry_run_arg, line);
	}
	return rc;
}

int unc_xperf_begin(struct unc_xperf *p)
{
	int rc = p->m->dry_run ? tell(p) : find_boxes(p);

	for (size_t i = 0; i < p->n_events && rc == 0 && !p->m->dry_run; i++) {
		struct unc_xevent *e = &p->events[i];
		struct unc_xbox *xbox = &p->boxes[e->box];

		if (e->from[0])
			continue;
		rc = xevent_open(p, e, xbox->pmu);
		if (rc == 0)
			rc = find_event(p, xbox, e);
		if (!xevent_alone_fails(rc))
			continue;
		unc_xperf_keep(p, e->from, "");
		xevent_close(p, e);
		rc = UNC_OK;
	}
	for (size_t i = 0; i < p->n_events && rc == 0; i++)
		if (p->events[i].open)
			rc = unc_host_perf(p->m->host, UNC_PERF_ON, p->events[i].event, NULL);
	for (size_t i = 0; i < p->n_boxes && rc == 0 && !p->cfg.observe; i++)
		rc = own_start(p, &p->boxes[i]);
	return rc;
}
