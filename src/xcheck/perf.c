// SPDX-License-Identifier: GPL-2.0-or-later
/* The side of memory channels: what perf counts in a box, the counter that it uses, and our own counter beside it. */
#include "xcheck/perf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "pmon/counter.h"

/*
 * Two counters of a box with the same event are switched on and off one after the other, and an event may be counted in either of
 * two adjacent clocks, so their counts may sometimes differ by one: that is far below this part.
 */
static const double usual_tolerance = 0.001;

/* The longest time between two reads, even if no counter can wrap: so soon it is seen that perf has moved an event. */
static const uint64_t poll_ns_max = UINT64_C(60000000000);

void unc_xperf_keep(const struct unc_xperf *p, char why[UNC_XCHECK_WHY], const char *before)
{
	size_t len = strlen(before);

	snprintf(why, UNC_XCHECK_WHY, "%s%.*s", before, (int)(UNC_XCHECK_WHY - 1 - len), p->m->ctx->msg);
}

struct unc_xevent *unc_xevent_next(const struct unc_xperf *p, const struct unc_xbox *xbox,
				   const struct unc_xevent *after)
{
	for (size_t i = after ? (size_t)(after - p->events) + 1 : 0; i < p->n_events; i++)
		if (&p->boxes[p->events[i].box] == xbox)
			return &p->events[i];
	return NULL;
}

int unc_xevent_ask(const struct unc_xperf *p, struct unc_xevent *e, const struct unc_pmu *pmu)
{
	int rc = unc_pmu_encode(pmu, p->boxes[e->box].box, e->wanted, &e->code);

	if (rc < 0)
		return rc;
	e->pmu = pmu;
	e->cpu = -1;
	unc_pmu_text(pmu, &e->code, e->config, sizeof(e->config));
	unc_pmu_words(pmu, &e->code, e->words, sizeof(e->words));
	return UNC_OK;
}

/* ---- adding ---- */

static void pmus_free(const struct unc_xbox *xbox)
{
	if (!xbox->owns_pmus || !xbox->pmus)
		return;
	unc_pmus_clear(xbox->pmus);
	free(xbox->pmus);
}

static int box_of(struct unc_xperf *p, struct unc_box *box, size_t *ret_box)
{
	struct unc_xbox xbox = {.box = box};
	int rc;

	for (size_t i = 0; i < p->n_boxes; i++) {
		if (p->boxes[i].box == box) {
			*ret_box = i;
			return UNC_OK;
		}
		if (strcmp(p->boxes[i].box->unit->name, box->unit->name) == 0)
			xbox.pmus = p->boxes[i].pmus;
	}
	rc = unc_pmon1_init(box, &xbox.pbox);
	if (rc < 0)
		return rc;
	xbox.owns_pmus = !xbox.pmus;
	if (xbox.owns_pmus) {
		xbox.pmus = calloc(1, sizeof(*xbox.pmus));
		rc = xbox.pmus ? unc_pmus_find(p->m, box->unit, xbox.pmus)
			       : unc_fail(p->m->ctx, UNC_ENOMEM, "out of memory");
	}
	if (rc == 0 && !unc_array_add(&p->boxes, &p->n_boxes, &xbox, sizeof(xbox)))
		rc = unc_fail(p->m->ctx, UNC_ENOMEM, "out of memory");
	if (rc == 0)
		*ret_box = p->n_boxes - 1;
	else
		pmus_free(&xbox);
	return rc;
}

static int add(struct unc_xperf *p, struct unc_box *box, const char *text)
{
	struct unc_xevent e = {
		.slot = -1,
		.from_end.slot = -1,
		.to_end.slot = -1,
		.now.slot = -1,
		.judgement = {.verdict = UNC_XCHECK_NOT_COMPARABLE, .why = "no interval has ended yet"},
	};
	int rc = unc_wanted_new(box, text, &e.wanted);

	if (rc < 0)
		return rc;
	rc = box_of(p, box, &e.box);
	if (rc == 0) {
		/* The PMU that the map gives for this box, else any: all PMUs of a unit encode events the same way. */
		const struct unc_pmus *pmus = p->boxes[e.box].pmus;
		const struct unc_pmu *likely = pmus->pmus;

		for (size_t i = 0; i < pmus->n; i++) {
			const struct unc_pmu *pmu = &pmus->pmus[i];

			if (pmu->hbm == box->instance->hbm &&
			    (likely->hbm != pmu->hbm || (int)pmu->number == box->instance->perf))
				likely = pmu;
		}
		rc = unc_xevent_ask(p, &e, likely);
	}
	if (rc == 0 && !unc_array_add(&p->events, &p->n_events, &e, sizeof(e)))
		rc = unc_fail(p->m->ctx, UNC_ENOMEM, "out of memory");
	if (rc < 0)
		unc_wanted_free(e.wanted);
	return rc;
}

int unc_xperf_add(struct unc_xcheck *x, struct unc_box *box, const char *event)
{
	struct unc_machine *m = x->machine;

	if (m->map->no_counters)
		return unc_fail(m->ctx, UNC_ENOSUP, "%s", m->map->no_counters);
	if (box->presence != UNC_PRESENT)
		return unc_fail(m->ctx, box->rc, "%s", box->why);
	if (!x->perf) {
		x->perf = calloc(1, sizeof(*x->perf));
		if (!x->perf)
			return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
		x->perf->m = m;
		x->perf->cfg = x->cfg;
		if (x->cfg.tolerance < 0)
			x->perf->cfg.tolerance = usual_tolerance;
	}
	return add(x->perf, box, event);
}

/* ---- from bracket to bracket ---- */

/* Takes the brackets of all boxes.  Returns UNC_OK if at least one box answers. */
static int take_all(struct unc_xperf *p)
{
	size_t n_good = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < p->n_events; i++)
		p->events[i].from_end = p->events[i].begin;
	for (size_t i = 0; i < p->n_boxes; i++) {
		int failure = unc_bracket_take(p, &p->boxes[i]);

		if (failure < 0)
			rc = unc_fail(p->m->ctx, failure, "%s", p->boxes[i].why);
		else
			n_good++;
	}
	p->read_mono_ns = p->looked_mono_ns = unc_machine_mono_ns(p->m);
	for (size_t i = 0; i < p->n_events; i++)
		p->events[i].begin = p->events[i].to_end;
	return n_good ? UNC_OK : rc;
}

/* Resets what is followed until the next bracket. */
static void begin_intervals(struct unc_xperf *p)
{
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];

		e->raw = e->begin.bracket.raw_before;
		e->gained = 0;
		e->own_flags = e->own_flags_after; /* flags from brackets that were taken again */
		e->own_flags_after = 0;
		e->changed[0] = '\0';
	}
}

int unc_xperf_start(struct unc_xperf *p)
{
	int rc = unc_xperf_begin(p);

	if (rc < 0 || p->m->dry_run)
		return rc;
	p->running = true;
	p->poll_ns = poll_ns_max;
	for (size_t i = 0; i < p->n_events; i++) {
		const struct unc_unit *unit = p->boxes[p->events[i].box].box->unit;
		uint64_t wrap_ns = unc_wrap_ns(&p->events[i].wanted->event, unit->max_clock_hz, unit->counter_bits);

		if (wrap_ns / 4 < p->poll_ns)
			p->poll_ns = wrap_ns / 4;
	}
	p->look_ns = p->poll_ns;
	for (size_t i = 0; i < p->n_boxes; i++)
		if (p->boxes[i].own)
			p->look_ns = UNC_XOWN_LOOK_NS;
	rc = take_all(p);
	begin_intervals(p);
	return rc;
}

int unc_xperf_sleep_until(struct unc_xperf *p, uint64_t mono_ns)
{
	struct unc_host *host = p->m->host;

	if (mono_ns == UINT64_MAX && host->stands_still)
		return UNC_EAGAIN;
	for (;;) {
		uint64_t poll_due = p->read_mono_ns + p->poll_ns, due = p->looked_mono_ns + p->look_ns;
		uint64_t until = p->running && due < mono_ns ? due : mono_ns;
		bool counters = until >= poll_due;
		int rc = host->ops->sleep_until(host, until);

		if (rc < 0 || until == mono_ns)
			return rc;
		for (size_t i = 0; i < p->n_boxes; i++)
			unc_bracket_follow(p, &p->boxes[i], counters);
		p->looked_mono_ns = unc_machine_mono_ns(p->m);
		if (counters)
			p->read_mono_ns = p->looked_mono_ns;
	}
}

int unc_xperf_sample(struct unc_xperf *p)
{
	uint64_t offset_ns = unc_machine_real_ns(p->m) - unc_machine_raw_ns(p->m);
	int rc;

	if (!p->running)
		return UNC_OK;
	rc = take_all(p);
	unc_xperf_find_again(p);
	for (size_t i = 0; i < p->n_events; i++) {
		unc_xperf_judge(p, &p->events[i]);
		p->events[i].time_ns = p->events[i].to_end.bracket.end_ns + offset_ns;
	}
	unc_xperf_begin_again(p);
	begin_intervals(p);
	return rc;
}

void unc_xperf_row(const struct unc_xperf *p, size_t index, struct unc_xcheck_row *ret_row)
{
	const struct unc_xevent *e = &p->events[index];
	const struct unc_xbox *xbox = &p->boxes[e->box];

	*ret_row = (struct unc_xcheck_row){
		.subject = xbox->box->name,
		.event = e->wanted->text,
		.box = xbox->box,
		.source = e->pmu->name,
		.number = xbox->pmu ? (int)xbox->pmu->number : -1,
		.cpu = e->cpu,
		.config = e->config,
		.perf_event = e->words,
		.alias = unc_pmu_alias(e->pmu, &e->code),
		.counter = e->counter[0] ? e->counter : NULL,
		.own = e->counted && e->own[0] && !e->own_lost ? e->own : NULL,
		.interval_ns = e->interval_ns,
		.time_ns = e->time_ns,
	};
	unc_judgement_show(&e->judgement, &e->from_end.bracket, &e->to_end.bracket, ret_row);
}

/* Closes perf's events first: if one has taken a counter of ours, it gives it back before we look at that counter. */
int unc_xperf_close(struct unc_xperf *p)
{
	struct unc_saved_msg why;
	int rc = UNC_OK;

	if (!p)
		return UNC_OK;
	for (size_t i = 0; i < p->n_events; i++) {
		if (p->events[i].open)
			unc_host_perf(p->m->host, UNC_PERF_CLOSE, p->events[i].event, NULL);
		unc_wanted_free(p->events[i].wanted);
	}
	for (size_t i = 0; i < p->n_boxes; i++) {
		int failure = unc_session_close(p->boxes[i].own);

		if (failure < 0 && rc == 0) {
			rc = failure;
			unc_msg_save(p->m->ctx, &why);
		}
	}
	if (rc < 0)
		unc_msg_restore(p->m->ctx, &why);
	for (size_t i = 0; i < p->n_boxes; i++)
		pmus_free(&p->boxes[i]);
	free(p->boxes);
	free(p->events);
	free(p->places);
	free(p);
	return rc;
}
