// SPDX-License-Identifier: GPL-2.0-or-later
/* The side of memory channels: what perf counts in a box, the counter that it uses, and our own counter beside it. */
#include "xcheck/perf.h"

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

static int ask_for(const struct unc_xperf *p, struct unc_xevent *e, const struct unc_pmu *pmu)
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
	if (rc == 0)
		rc = unc_list_add(p->m->ctx, &p->boxes, &p->n_boxes, &xbox, sizeof(xbox));
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
		.judgement = {.row = {.verdict = UNC_XCHECK_NOT_COMPARABLE}, .why = "no interval has ended yet"},
	};
	int rc = unc_wanted_new(box, text, &e.wanted);

	if (rc < 0)
		return rc;
	rc = box_of(p, e.wanted->by ? e.wanted->by : box, &e.box);
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
		rc = ask_for(p, &e, likely);
	}
	if (rc == 0)
		rc = unc_list_add(p->m->ctx, &p->events, &p->n_events, &e, sizeof(e));
	if (rc < 0)
		unc_wanted_free(e.wanted);
	return rc;
}

int unc_xperf_compares(const struct unc_box *box)
{
	const char *why = NULL;

	if (box->unit->kind == UNC_MSR)
		why = "its counters are MSRs, and those of perf's amd_df, amd_umc and amd_l3 are not compared";
	else if (strcmp(box->unit->model, "free1") == 0)
		why = "its counters always run, and perf reads the same registers: only counters with a control are "
		      "compared";
	return why ? unc_fail(box->machine->ctx, UNC_ENOSUP, "%s: %s", box->name, why) : UNC_OK;
}

int unc_xperf_add(struct unc_xcheck *x, struct unc_box *box, const char *event)
{
	struct unc_machine *m = x->machine;

	if (m->map->no_counters)
		return unc_fail(m->ctx, UNC_ENOSUP, "%s", m->map->no_counters);
	if (box->presence != UNC_PRESENT)
		return unc_fail(m->ctx, box->rc, "%s", box->why);
	if (unc_xperf_compares(box) < 0)
		return UNC_ENOSUP;
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

/* ==== start ==== */

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
	int rc = ask_for(p, e, pmu);

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

/*
 * Finds which of the kernel's PMUs is which box.  The map's number of a box is tried first, but always checked: kernels number
 * channels in the order in which they find them.
 */

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
	if (rc == 0)
		rc = unc_list_add(m->ctx, &p->places, &p->n_places, &place, sizeof(place));
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

/* Keeps in xbox->why, from the message, why the PMU of a box was not found: the first reason, which is that of the map's own number. */
static void keep_first(struct unc_xperf *p, struct unc_xbox *xbox)
{
	if (!xbox->why[0])
		unc_xperf_keep(p, xbox->why, "which of perf's counters are of this box was not found: ");
}

/* Tries the PMUs with one event of the box. */
static int find_pmu(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
{
	const struct unc_pmus *pmus = xbox->pmus;
	const struct unc_pmu *likely = e->pmu;

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
			if (rc < 0)
				keep_first(p, xbox);
		}
	}
	if (xbox->pmu)
		return UNC_OK;
	ask_for(p, e, likely);
	unc_fail(p->m->ctx, UNC_ENODATA, "each of perf's uncore_%s_N of socket %u is another box",
		 xbox->box->unit->name, xbox->box->socket);
	keep_first(p, xbox);
	return UNC_OK;
}

/*
 * Finds the PMU of each box.  One event is enough that perf accepts and has a counter for: the fixed counter may be free if others
 * are not.  If none is found, the box's events have the reason.
 */
static int find_boxes(struct unc_xperf *p)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < p->n_boxes && rc == 0; i++) {
		struct unc_xbox *xbox = &p->boxes[i];
		bool answers = unc_pmon1_inspect(&xbox->pbox) == 0;
		struct unc_xevent *e = NULL;

		if (!answers)
			keep_first(p, xbox);
		for (unsigned k = 0; k < xbox->pbox.n_slots && answers; k++)
			xbox->foreign[k] = xbox->pbox.slots[k].enabled;
		while (answers && rc == 0 && !xbox->pmu && (e = unc_xevent_next(p, xbox, e)))
			rc = find_pmu(p, xbox, e);
		while ((!answers || !xbox->pmu) && (e = unc_xevent_next(p, xbox, e)))
			if (!e->from[0])
				memcpy(e->from, xbox->why, sizeof(e->from));
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

static int report_events(struct unc_xperf *p)
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

static int begin(struct unc_xperf *p)
{
	int rc = p->m->dry_run ? report_events(p) : find_boxes(p);

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

/* ==== from bracket to bracket ==== */

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
	int rc = begin(p);

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

	*ret_row = e->judgement.row;
	ret_row->subject = xbox->box->name;
	ret_row->event = e->wanted->text;
	ret_row->box = xbox->box;
	ret_row->source = e->pmu->name;
	ret_row->number = xbox->pmu ? (int)xbox->pmu->number : -1;
	ret_row->cpu = e->cpu;
	ret_row->config = e->config;
	ret_row->perf_event = e->words;
	ret_row->alias = unc_pmu_alias(e->pmu, &e->code);
	ret_row->counter = e->counter[0] ? e->counter : NULL;
	ret_row->own = e->counted && e->own[0] && !e->own_lost ? e->own : NULL;
	ret_row->why = e->judgement.why[0] ? e->judgement.why : NULL;
	ret_row->interval_ns = e->interval_ns;
	ret_row->time_ns = e->time_ns;
	ret_row->from = e->from_end.bracket;
	ret_row->to = e->to_end.bracket;
}

/* Closes perf's events first: if one has taken a counter of ours, it gives it back before we look at that counter. */
int unc_xperf_close(struct unc_xperf *p)
{
	struct unc_saved_msg why;
	int rc = UNC_OK;

	if (!p)
		return UNC_OK;
	for (size_t i = 0; i < p->n_events; i++) {
		xevent_close(p, &p->events[i]);
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
