// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of events. */
#include <inttypes.h>
#include <string.h>

#include "map/checker.h"
#include "map/field.h"

typedef void event_check(struct unc_checker *c, const struct unc_unit *unit, const struct unc_event *event);

static void each_event(struct unc_checker *c, const struct unc_unit *unit, event_check *check)
{
	for (size_t i = 0; i < unit->n_events; i++)
		check(c, unit, &unit->events[i]);
}

static void check_select(struct unc_checker *c, const struct unc_reg *ctl, const struct unc_event *event,
			 const struct unc_select *select)
{
	const struct unc_field *field = ctl ? unc_reg_field(ctl, select->field) : NULL;

	if (!field || field->acc != UNC_RW || strcmp(select->field, "en") == 0)
		unc_found_at(c, event->path, event->line,
			     "%s selects %.64s, which is no field of CTL that an event can set", event->name,
			     select->field);
	else if (select->value > unc_field_max(field))
		unc_found_at(c, event->path, event->line,
			     "%s: %s 0x%" PRIx64 " does not fit; the largest value is 0x%" PRIx64, event->name,
			     select->field, select->value, unc_field_max(field));
}

static void fields_of_event(struct unc_checker *c, const struct unc_unit *unit, const struct unc_event *event)
{
	if (!event->fixed && event->n_select == 0)
		unc_found_at(c, event->path, event->line, "%s selects nothing; say select: {ev_sel: CODE, umask: MASK}",
			     event->name);
	for (size_t i = 0; i < event->n_select; i++)
		check_select(c, unc_unit_reg(unit, "CTL"), event, &event->select[i]);
}

void unc_check_event_field_known(struct unc_checker *c, const struct unc_unit *unit)
{
	each_event(c, unit, fields_of_event);
}

static void counters_of_event(struct unc_checker *c, const struct unc_unit *unit, const struct unc_event *event)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");
	unsigned count = ctl ? ctl->count : 0;

	if (event->fixed)
		return;
	if (event->counters == 0)
		unc_found_at(c, event->path, event->line, "%s: no counter can count it; say counters: 0-%u",
			     event->name, count ? count - 1 : 0);
	else if (count < 32 && event->counters >> count)
		unc_found_at(c, event->path, event->line, "%s: counters: there are only %u", event->name, count);
}

void unc_check_event_counters(struct unc_checker *c, const struct unc_unit *unit)
{
	each_event(c, unit, counters_of_event);
}

static void max_inc_of_event(struct unc_checker *c, const struct unc_unit *unit, const struct unc_event *event)
{
	(void)unit;
	if (event->max_inc > 255)
		unc_found_at(c, event->path, event->line, "%s: max_inc is 1 to 255, what 8 bits can add in a clock",
			     event->name);
	else if (event->max_inc == 0 && !event->verify)
		unc_found_at(c, event->path, event->line,
			     "%s: say max_inc, 1 to 255, or why nobody knows it with verify", event->name);
}

void unc_check_event_max_inc(struct unc_checker *c, const struct unc_unit *unit)
{
	each_event(c, unit, max_inc_of_event);
}

static void fixed_of_event(struct unc_checker *c, const struct unc_unit *unit, const struct unc_event *event)
{
	if (!event->fixed)
		return;
	if (event->n_select || event->counters)
		unc_found_at(c, event->path, event->line,
			     "%s is counted by the fixed counter; leave out select and counters", event->name);
	if (!unc_unit_reg(unit, "FIXED_CTL") || !unc_unit_reg(unit, "FIXED_CTR"))
		unc_found_at(c, event->path, event->line,
			     "%s wants a fixed counter, and there are no FIXED_CTL and FIXED_CTR", event->name);
}

void unc_check_event_fixed(struct unc_checker *c, const struct unc_unit *unit)
{
	each_event(c, unit, fixed_of_event);
}

static void unit_of_event(struct unc_checker *c, const struct unc_unit *unit, const struct unc_event *event)
{
	(void)unit;
	if (event->scale <= 0)
		unc_found_at(c, event->path, event->line, "%s: scale is to be greater than 0", event->name);
	else if (event->scale != 1 && !event->unit)
		unc_found_at(c, event->path, event->line, "%s: scale without in; say what the result is, such as bytes",
			     event->name);
}

void unc_check_event_unit(struct unc_checker *c, const struct unc_unit *unit)
{
	each_event(c, unit, unit_of_event);
}

static bool selects(const struct unc_event *event, const struct unc_select *wanted)
{
	for (size_t i = 0; i < event->n_select; i++) {
		if (strcmp(event->select[i].field, wanted->field) == 0)
			return event->select[i].value == wanted->value;
	}
	return wanted->value == 0; /* what is not said is 0 */
}

static bool same(const struct unc_event *a, const struct unc_event *b)
{
	if (a->fixed || b->fixed)
		return a->fixed && b->fixed;
	for (size_t i = 0; i < a->n_select; i++) {
		if (!selects(b, &a->select[i]))
			return false;
	}
	for (size_t i = 0; i < b->n_select; i++) {
		if (!selects(a, &b->select[i]))
			return false;
	}
	return true;
}

static void report_same(struct unc_checker *c, const struct unc_unit *unit, const struct unc_event *a,
			const struct unc_event *b)
{
	bool second = unc_blame_second(unit, a->path, a->line, b->path, b->line);
	const struct unc_event *event = second ? b : a, *other = second ? a : b;

	unc_found_at(c, event->path, event->line, "%s selects the same as %s", event->name, other->name);
}

/* One of the two has a wrong number, most likely. */
void unc_check_event_unique(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_events; i++) {
		for (size_t k = 0; k < i; k++) {
			if (same(&unit->events[k], &unit->events[i]))
				report_same(c, unit, &unit->events[k], &unit->events[i]);
		}
	}
}
