// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of events. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "map/checker.h"
#include "map/family.h"
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
	else if (event->one_per == 1)
		unc_found_at(c, event->path, event->line, "%s: one_per is 2 to 255; leave it out for one in each clock",
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

/* "rd_cas_rank[0-7].bank[0-15]" wants two lists, of 8 and of 16. */
static void family_of_event(struct unc_checker *c, const struct unc_yaml *event)
{
	const struct unc_yaml *select = unc_yaml_get(event, "select");
	struct unc_family family;
	unsigned n_lists = 0;

	if (!unc_family_parse(event->key, &family))
		return;
	for (const struct unc_yaml *one = select ? select->child : NULL; one; one = one->next) {
		unsigned len = 0;

		if (one->kind != UNC_YAML_LIST)
			continue;
		for (const struct unc_yaml *value = one->child; value; value = value->next)
			len++;
		if (n_lists < family.n_ranges && len != family.len[n_lists])
			unc_found(c, event, "%s: %s has %u values for %u numbers", event->key, one->key, len,
				  family.len[n_lists]);
		n_lists++;
	}
	if (n_lists != family.n_ranges)
		unc_found(c, event, "%s: there are %u lists in select for %u ranges in the name", event->key, n_lists,
			  family.n_ranges);
	if (family.n_ranges && unc_yaml_get(event, "also"))
		unc_found(c, event, "%s: the events of a family have no other names; write them out", event->key);
}

void unc_check_event_family(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *events = unc_yaml_get(c->root, "events");

	(void)unit;
	for (const struct unc_yaml *event = events ? events->child : NULL; event; event = event->next)
		family_of_event(c, event);
}

/* What events are compared by: a name of theirs, or what they write into CTL. */
struct key {
	const struct unc_event *event;
	const char *name; /* NULL: by value */
	size_t len;
	uint64_t value;
};

static int compare_keys(const struct key *a, const struct key *b)
{
	if (!a->name)
		return (a->value > b->value) - (a->value < b->value);
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->name, b->name, a->len);
}

/* Equal ones in the order of the map. */
static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = compare_keys(x, y);

	return order ? order : (x->event > y->event) - (x->event < y->event);
}

/* Sorted, since there are hundreds of events: then the same ones are neighbours. */
static void report_same(struct unc_checker *c, const struct unc_unit *unit, struct key *keys, size_t n,
			const char *what)
{
	qsort(keys, n, sizeof(*keys), by_key);
	for (size_t i = 1; i < n; i++) {
		const struct unc_event *a = keys[i - 1].event, *b = keys[i].event;
		bool second = unc_blame_second(unit, a->path, a->line, b->path, b->line);
		const struct unc_event *event = second ? b : a, *other = second ? a : b;

		if (compare_keys(&keys[i - 1], &keys[i]) == 0)
			unc_found_at(c, event->path, event->line, "%s %s %s", event->name, what, other->name);
	}
}

static uint64_t control_of(const struct unc_unit *unit, const struct unc_event *event)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");
	uint64_t control = 0;

	if (event->fixed)
		return UINT64_MAX;
	for (size_t i = 0; ctl && i < event->n_select; i++) {
		const struct unc_field *field = unc_reg_field(ctl, event->select[i].field);

		if (field && event->select[i].value <= unc_field_max(field))
			unc_field_set(NULL, field, event->select[i].value, &control);
	}
	return control;
}

static struct key *keys_new(struct unc_checker *c, const struct unc_unit *unit, size_t n)
{
	struct key *keys = calloc(n + 1, sizeof(*keys));

	if (!keys)
		unc_found_at(c, unit->path, unit->line, "out of memory");
	return keys;
}

/* One of the two has a wrong number, most likely. */
void unc_check_event_unique(struct unc_checker *c, const struct unc_unit *unit)
{
	struct key *keys = keys_new(c, unit, unit->n_events);

	if (!keys)
		return;
	for (size_t i = 0; i < unit->n_events; i++)
		keys[i] = (struct key){.event = &unit->events[i], .value = control_of(unit, &unit->events[i])};
	report_same(c, unit, keys, unit->n_events, "selects the same as");
	free(keys);
}

static size_t count_names(const struct unc_event *event)
{
	size_t n = 1;

	for (const char *names = event->also; names; names = strchr(names + 1, ','))
		n++;
	return n;
}

/* Its own name and then the others.  Returns how many. */
static size_t names_of(const struct unc_event *event, struct key *keys)
{
	const char *name = event->also;
	size_t n = 0;

	keys[n++] = (struct key){.event = event, .name = event->name, .len = strlen(event->name)};
	while (name && *name) {
		size_t len = strcspn(name, ",");

		keys[n++] = (struct key){.event = event, .name = name, .len = len};
		name += len;
		name += strspn(name, ", ");
	}
	return n;
}

void unc_check_event_names(struct unc_checker *c, const struct unc_unit *unit)
{
	size_t n = 0;
	struct key *keys;

	for (size_t i = 0; i < unit->n_events; i++)
		n += count_names(&unit->events[i]);
	keys = keys_new(c, unit, n);
	if (!keys)
		return;
	n = 0;
	for (size_t i = 0; i < unit->n_events; i++)
		n += names_of(&unit->events[i], keys + n);
	report_same(c, unit, keys, n, "has a name that is also one of");
	free(keys);
}
