// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts perf's side: finds which PMU is which box, then which counter each event gets alone, and then switches on all of them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "xcheck/perf.h"

/* ---- perf's events ---- */

void unc_xevent_close(struct unc_xperf *p, struct unc_xevent *e)
{
	if (e->open)
		unc_host_perf(p->m->host, UNC_PERF_CLOSE, e->event, NULL);
	e->open = e->on = false;
}

static int switch_event(struct unc_xperf *p, struct unc_xevent *e, bool on)
{
	int rc = unc_host_perf(p->m->host, on ? UNC_PERF_ON : UNC_PERF_OFF, e->event, NULL);

	if (rc == 0)
		e->on = on;
	return rc;
}

int unc_xevent_open(struct unc_xperf *p, struct unc_xevent *e, const struct unc_pmu *pmu)
{
	const struct unc_box *box = p->boxes[e->box].box;
	struct unc_perf_attr attr;
	unsigned cpu = 0;
	int rc = unc_pmu_encode(pmu, box, e->wanted, &e->code);

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
	e->pmu = pmu;
	e->cpu = (int)cpu;
	unc_pmu_text(pmu, &e->code, e->config, sizeof(e->config));
	unc_pmu_words(pmu, &e->code, e->words, sizeof(e->words));
	if (p->m->dry_run)
		return UNC_OK;
	rc = unc_host_perf_open(p->m->host, &attr, &e->event);
	e->open = rc == 0;
	return unc_wrap(p->m->ctx, rc, "%s", box->name);
}

bool unc_xevent_alone_fails(int rc)
{
	return rc == UNC_EARG || rc == UNC_ENODEV || rc == UNC_ENODATA || rc == UNC_EBUSY || rc == UNC_ENOSUP;
}

/* ---- which counter is which event ---- */

static uint64_t asked_control(const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	const struct unc_pmon_regs *regs = &xbox->pbox.regs;
	struct unc_ctx *ctx = xbox->box->machine->ctx;
	uint64_t control = e->wanted->event.fixed ? 0 : e->wanted->control;

	if (e->wanted->event.fixed && regs->fixed_en)
		unc_field_set(ctx, regs->fixed_en, 1, &control);
	else if (!e->wanted->event.fixed)
		unc_field_set(ctx, regs->en, 1, &control);
	return control;
}

static void say_wrong(const struct unc_xbox *xbox, struct unc_xevent *e, const struct unc_slot *slot)
{
	char name[UNC_GATE_TEXT], is[120], asked[120];
	uint64_t control = asked_control(xbox, e);

	snprintf(e->wrong, sizeof(e->wrong),
		 "perf was asked for %s, %s, and the kernel's driver programmed %s with 0x%08" PRIx64
		 " (%s), where 0x%08" PRIx64 " (%s) is that event",
		 e->wanted->text, e->config, unc_gate_reg_text(slot->ctl, slot->index, name), e->control,
		 unc_reg_text(slot->ctl, e->control, is, sizeof(is)), control,
		 e->wanted->event.fixed ? "the fixed counter"
					: unc_reg_text(xbox->pbox.regs.ctl, control, asked, sizeof(asked)));
}

/* Finds the counter of an event while it is on alone, so that only its counter follows. */
static int find_event(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
{
	struct unc_found found;
	int rc = unc_find_counter(p->m, e->event, &xbox->pbox, 1, &found);

	if (rc < 0 && !unc_xevent_alone_fails(rc))
		return rc;
	e->known = true;
	e->fixed = e->wanted->event.fixed;
	e->control = asked_control(xbox, e);
	if (rc < 0) {
		unc_xperf_keep(p, e->lost, "");
	} else {
		const struct unc_slot *slot = &xbox->pbox.slots[found.slot];

		e->fixed = slot->fixed;
		e->control = found.control;
		if (!unc_wanted_is(xbox->box, e->wanted, slot->ctl, e->control))
			say_wrong(xbox, e, slot);
	}
	return switch_event(p, e, false);
}

static int begin_event(struct unc_xperf *p, struct unc_xevent *e)
{
	struct unc_xbox *xbox = &p->boxes[e->box];
	int rc;

	if (e->from[0])
		return UNC_OK;
	rc = unc_xevent_open(p, e, xbox->pmu);
	if (rc == 0)
		rc = find_event(p, xbox, e);
	if (rc < 0 && unc_xevent_alone_fails(rc)) {
		unc_xperf_keep(p, e->from, "");
		unc_xevent_close(p, e);
		return UNC_OK;
	}
	return rc;
}

/* ---- start ---- */

static int begin_perf(struct unc_xperf *p)
{
	int rc = unc_xperf_find_boxes(p);

	for (size_t i = 0; i < p->n_events && rc == 0; i++)
		rc = begin_event(p, &p->events[i]);
	for (size_t i = 0; i < p->n_events && rc == 0; i++)
		if (p->events[i].open)
			rc = switch_event(p, &p->events[i], true);
	return rc;
}

static int tell(struct unc_xperf *p)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < p->n_events && rc == 0; i++) {
		struct unc_xevent *e = &p->events[i];
		const struct unc_xbox *xbox = &p->boxes[e->box];
		char line[400];

		rc = unc_xevent_open(p, e, e->pmu);
		if (rc < 0)
			unc_xperf_keep(p, e->from, "");
		else
			snprintf(e->from, sizeof(e->from), "in a dry run perf is not asked");
		if (unc_xevent_alone_fails(rc)) {
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
	int rc = p->m->dry_run ? tell(p) : begin_perf(p);

	for (size_t i = 0; i < p->n_boxes && rc == 0 && !p->cfg.observe; i++)
		rc = unc_xown_start(p, &p->boxes[i]);
	return rc;
}
