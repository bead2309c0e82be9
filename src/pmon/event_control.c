// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of an event in the control register.  The map says which bits they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "map/field.h"
#include "pmon/event_parts.h"

/* Sets what a named event selects, in a control built from the register's blank value. */
static int select_named(struct unc_ctx *ctx, const struct unc_reg *ctl, const struct unc_event *event,
			uint64_t *ret_control)
{
	uint64_t control = unc_reg_blank(ctl);
	int rc = UNC_OK;

	for (size_t i = 0; i < event->n_select && rc == 0; i++) {
		const struct unc_field *field = unc_reg_field(ctl, event->select[i].field);

		rc = field ? unc_field_set(ctx, field, event->select[i].value, &control)
			   : unc_fail(ctx, UNC_ENOREG, "%s has no field %s", ctl->name, event->select[i].field);
	}
	if (rc == 0)
		*ret_control = control;
	return unc_wrap(ctx, rc, "event %s", event->name);
}

static bool selects(const struct unc_event *event, unsigned part)
{
	for (size_t i = 0; i < event->n_select; i++)
		if (strcmp(event->select[i].field, unc_part_names[part].field) == 0)
			return true;
	return false;
}

static uint64_t part_in(const struct unc_parts *t, unsigned part, uint64_t control)
{
	const struct unc_field *field = unc_parts_field(t, part);

	return field ? unc_field_get(field, control) : 0;
}

static int build_control(const struct unc_parts *t, uint64_t *ret_control)
{
	uint64_t control = unc_reg_blank(t->ctl);
	int rc = t->named ? select_named(t->ctx, t->ctl, t->named, &control) : UNC_OK;

	for (unsigned i = 0; i < UNC_PARTS && rc == 0; i++) {
		if (!t->given[i])
			continue;
		if (t->named && selects(t->named, i))
			rc = unc_parts_refuse(t, UNC_EARG, "%s sets %s itself", t->named->name, unc_part_names[i].perf);
		else
			rc = unc_field_set(t->ctx, unc_parts_field(t, i), t->values[i], &control);
	}
	if (rc < 0)
		return rc;
	/* Both act on the result of the threshold comparison (Intel 327043-001, table 2-61). */
	if ((part_in(t, UNC_PART_EDGE, control) || part_in(t, UNC_PART_INVERT, control)) &&
	    part_in(t, UNC_PART_THRESH, control) == 0)
		return unc_parts_refuse(t, UNC_EARG,
					"%s acts on what comes out of the threshold comparison; add thresh=1 or more",
					part_in(t, UNC_PART_EDGE, control) ? "edge" : "invert");
	*ret_control = control;
	return UNC_OK;
}

/* Returns the map's event that selects the same, ignoring threshold, edge and inversion. */
static const struct unc_event *same_event(const struct unc_parts *t, uint64_t control)
{
	const struct unc_unit *unit = t->box->unit;

	for (unsigned i = UNC_PART_EDGE; i < UNC_PARTS; i++)
		if (unc_parts_field(t, i))
			unc_field_set(t->ctx, unc_parts_field(t, i), 0, &control);
	for (size_t i = 0; i < unit->n_events; i++) {
		uint64_t its;

		if (!unit->events[i].fixed && select_named(t->ctx, t->ctl, &unit->events[i], &its) == 0 &&
		    its == control)
			return &unit->events[i];
	}
	return NULL;
}

static uint32_t every_counter(const struct unc_reg *ctl)
{
	uint32_t all = 0;

	for (unsigned i = 0; i < ctl->count; i++)
		all |= UINT32_C(1) << i;
	return all;
}

/* Describes a raw event as the map describes the event that selects the same. */
static struct unc_event raw_event(const struct unc_parts *t, uint64_t control)
{
	const struct unc_event *same = same_event(t, control);

	if (same)
		return *same;
	return (struct unc_event){.path = t->box->unit->path, .line = 0, .counters = every_counter(t->ctl), .scale = 1};
}

/* After a threshold there is at most one count per clock, and it counts clocks, not what the event adds up. */
static void count_clocks(struct unc_event *event)
{
	event->max_inc = 1;
	event->one_per = 0;
	event->scale = 1;
	event->unit = NULL;
}

static int fill(struct unc_parts *t, struct unc_wanted *wanted)
{
	int rc = unc_parts_read(t);

	if (rc < 0)
		return rc;
	if (t->named && t->named->fixed) {
		wanted->event = *t->named;
	} else {
		rc = build_control(t, &wanted->control);
		if (rc < 0)
			return rc;
		wanted->event = t->named ? *t->named : raw_event(t, wanted->control);
		if (t->values[UNC_PART_THRESH])
			count_clocks(&wanted->event);
	}
	unc_parts_show(t, wanted->text);
	wanted->event.name = wanted->text;
	wanted->event.select = NULL;
	wanted->event.n_select = 0;
	return UNC_OK;
}

int unc_wanted_new(const struct unc_box *box, const char *text, struct unc_wanted **ret_wanted)
{
	struct unc_ctx *ctx = box->machine->ctx;
	struct unc_parts t = {.ctx = ctx, .box = box, .whole = text, .ctl = unc_unit_reg(box->unit, "CTL")};
	struct unc_wanted *wanted;
	int rc;

	if (!t.ctl)
		return unc_fail(ctx, UNC_ENOSUP, "%s: %s describes no counters", box->name, box->unit->path);
	wanted = calloc(1, sizeof(*wanted));
	if (!wanted)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	rc = fill(&t, wanted);
	if (rc < 0) {
		unc_wanted_free(wanted);
		return rc;
	}
	*ret_wanted = wanted;
	return UNC_OK;
}

void unc_wanted_free(struct unc_wanted *wanted)
{
	free(wanted);
}

/* ---- decoding a control that another program wrote ---- */

static const struct unc_event *fixed_event(const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_events; i++)
		if (unit->events[i].fixed)
			return &unit->events[i];
	return NULL;
}

static void decode_fixed(const struct unc_box *box, const struct unc_reg *ctl, struct unc_wanted *wanted)
{
	const struct unc_event *event = fixed_event(box->unit);

	wanted->event = event ? *event : (struct unc_event){.path = ctl->path, .line = ctl->line, .scale = 1};
	wanted->event.fixed = true;
	snprintf(wanted->text, sizeof(wanted->text), "%s", event ? event->name : ctl->name);
}

/* Bits that no field of the map names have an unknown effect. */
static void decode_unknown(const struct unc_parts *t, uint64_t control, struct unc_wanted *wanted)
{
	const struct unc_field *en = unc_reg_field(t->ctl, "en");

	if (en)
		unc_field_set(t->ctx, en, 0, &control);
	wanted->event = (struct unc_event){
		.path = t->ctl->path, .line = t->ctl->line, .counters = every_counter(t->ctl), .scale = 1};
	snprintf(wanted->text, sizeof(wanted->text), "config=0x%" PRIx64, control);
}

static void decode_parts(struct unc_parts *t, uint64_t control, struct unc_wanted *wanted)
{
	wanted->control = unc_reg_blank(t->ctl);
	for (unsigned i = 0; i < UNC_PARTS; i++) {
		t->values[i] = part_in(t, i, control);
		if (unc_parts_field(t, i))
			unc_field_set(t->ctx, unc_parts_field(t, i), t->values[i], &wanted->control);
	}
	t->named = same_event(t, wanted->control);
	wanted->event = raw_event(t, wanted->control);
	if (t->values[UNC_PART_THRESH])
		count_clocks(&wanted->event);
	else if (t->values[UNC_PART_EDGE] || t->values[UNC_PART_INVERT]) /* not documented without a threshold */
		wanted->event.max_inc = wanted->event.one_per = 0;
	unc_parts_show(t, wanted->text);
}

void unc_wanted_decode(const struct unc_box *box, const struct unc_reg *ctl, uint64_t control,
		       struct unc_wanted *ret_wanted)
{
	struct unc_parts t = {.ctx = box->machine->ctx, .box = box, .ctl = ctl};

	memset(ret_wanted, 0, sizeof(*ret_wanted));
	if (ctl != unc_unit_reg(box->unit, "CTL"))
		decode_fixed(box, ctl, ret_wanted);
	else if (unc_reg_wrong_bits(ctl, control))
		decode_unknown(&t, control, ret_wanted);
	else
		decode_parts(&t, control, ret_wanted);
	ret_wanted->event.name = ret_wanted->text;
	ret_wanted->event.select = NULL;
	ret_wanted->event.n_select = 0;
}

bool unc_wanted_is(const struct unc_box *box, const struct unc_wanted *wanted, const struct unc_reg *ctl,
		   uint64_t control)
{
	const struct unc_parts t = {.ctx = box->machine->ctx, .box = box, .ctl = ctl};

	if (wanted->event.fixed || ctl != unc_unit_reg(box->unit, "CTL"))
		return wanted->event.fixed && ctl != unc_unit_reg(box->unit, "CTL");
	if (unc_reg_wrong_bits(ctl, control))
		return false;
	for (unsigned i = 0; i < UNC_PARTS; i++)
		if (part_in(&t, i, control) != part_in(&t, i, wanted->control))
			return false;
	return true;
}
