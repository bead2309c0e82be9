// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the meaning of events. */

#include "map/field.h"
#include "map/parse.h"

static void event_has_source(struct unc_checker *c, const struct unc_event *event)
{
	if (!event->src)
		unc_found_here(c, "%s lacks src; say which document describes it", event->name);
}

static void selects_known(struct unc_checker *c, const char *name, const struct unc_select *select, size_t n)
{
	const struct unc_reg *ctl = unc_unit_reg(c->unit, "CTL");

	for (; n > 0; select++, n--) {
		const struct unc_field *field = ctl ? unc_reg_field(ctl, select->field) : NULL;

		if (!field || field->acc != UNC_RW || strcmp(select->field, "en") == 0)
			unc_found_here(c, "%s selects %.64s, which is not a field of CTL that an event can set", name,
				       select->field);
		else if (select->value > unc_value_max(ctl, select->field))
			unc_found_here(c, "%s: %s 0x%" PRIx64 " does not fit; the largest value is 0x%" PRIx64, name,
				       select->field, select->value, unc_value_max(ctl, select->field));
	}
}

static void event_field_known(struct unc_checker *c, const struct unc_event *event)
{
	if (!event->fixed && !event->as && !event->reg && event->n_select == 0 && c->unit->n_regs)
		unc_found_here(c, "%s selects nothing; say select: {ev_sel: CODE, umask: MASK}", event->name);
	selects_known(c, event->name, event->select, event->n_select);
}

static void every_field_known(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *every = unc_yaml_get(unc_yaml_get(c->root, "every_event"), "select");

	if (!every)
		return;
	c->path = c->tree->path[every->file];
	c->line = unc_yaml_line(every);
	for (const struct unc_yaml *one = every->child; one; one = one->next)
		if (one->kind == UNC_YAML_LIST)
			unc_found(c, one, "every_event: a list is for the members of a family; say one value");
	if (unit->n_every > UNC_EVERY_MAX)
		unc_found_here(c, "every_event: more than %d fields cannot be handled", UNC_EVERY_MAX);
	selects_known(c, "every_event", unit->selects, unit->n_every);
}

static void event_as(struct unc_checker *c, const struct unc_event *event)
{
	if (!c->unit->counts_in && event->as)
		unc_found_here(c, "%s: as is for a unit with counts_in; say what the event selects", event->name);
	else if (event->as ? event->n_select || event->counters || event->fixed
			   : !c->unit->n_regs && c->unit->counts_in)
		unc_found_here(c, "%s: another unit counts it; say {as: EVENT} without select, counters and fixed",
			       event->name);
}

static void event_counters(struct unc_checker *c, const struct unc_event *event)
{
	const struct unc_reg *ctl = unc_unit_reg(c->unit, "CTL");
	unsigned count = ctl ? ctl->count : 0;

	if (event->fixed || event->as || event->reg)
		return;
	if (event->counters == 0)
		unc_found_here(c, "%s: no counter can count it; say counters: 0-%u", event->name,
			       count ? count - 1 : 0);
	else if (count < 32 && event->counters >> count)
		unc_found_here(c, "%s: counters: there are only %u", event->name, count);
}

static void event_max_inc(struct unc_checker *c, const struct unc_event *event)
{
	if (event->max_inc > 255)
		unc_found_here(c, "%s: max_inc is 1 to 255, what 8 bits can add in a clock", event->name);
	else if (event->one_per == 1)
		unc_found_here(c, "%s: one_per is 2 to 255; leave it out for one in each clock", event->name);
	else if (event->max_inc == 0 && !event->verify && !event->as)
		unc_found_here(c, "%s: say max_inc, 1 to 255, or why it is not known with verify", event->name);
}

static void event_fixed(struct unc_checker *c, const struct unc_event *event)
{
	if (!event->fixed)
		return;
	if (event->n_select || event->counters)
		unc_found_here(c, "%s is counted by the fixed counter; leave out select and counters", event->name);
	if (!unc_unit_reg(c->unit, "FIXED_CTL") || !unc_unit_reg(c->unit, "FIXED_CTR"))
		unc_found_here(c, "%s wants a fixed counter, and there are no FIXED_CTL and FIXED_CTR", event->name);
}

/* Counters that always run are registers that are only read, each as wide as the map says. */
static void event_register(struct unc_checker *c, const struct unc_event *event)
{
	bool always = strcmp(c->unit->model, "free1") == 0;
	const struct unc_reg *reg = event->reg ? unc_unit_reg(c->unit, event->reg) : NULL;
	const struct unc_field *count = reg ? unc_reg_field(reg, "count") : NULL;

	if (always != (event->reg != NULL))
		unc_found_here(c, "%s: `register` is required in model free1, and not allowed in others", event->name);
	else if (always && (!count || reg->count != 1 || unc_reg_writable(reg)))
		unc_found_here(c, "%s: %.64s must be one read-only register with a field count", event->name,
			       event->reg);
	else if (always && (count->lo != 0 || count->hi + 1 != c->unit->counter_bits))
		unc_found_here(c, "%s: %s.count has the bits %u:%u, but counter_bits is %u", event->name, event->reg,
			       count->hi, count->lo, c->unit->counter_bits);
	else if (always && (event->n_select || event->counters || event->fixed || event->as))
		unc_found_here(c, "%s: its register counts nothing else; leave out select, counters, fixed and as",
			       event->name);
}

static void event_unit(struct unc_checker *c, const struct unc_event *event)
{
	if (event->scale <= 0)
		unc_found_here(c, "%s: scale is to be greater than 0", event->name);
	else if (event->scale != 1 && !event->unit)
		unc_found_here(c, "%s: scale without in; say what the result is, such as bytes", event->name);
}

/* "rd_cas_rank[0-7].bank[0-15]" wants two lists, of 8 and of 16. */
static void lists_of_family(struct unc_checker *c, const struct unc_yaml *event)
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

static void event_family(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *events = unc_yaml_get(c->root, "events");

	(void)unit;
	for (const struct unc_yaml *event = events ? events->child : NULL; event; event = event->next)
		lists_of_family(c, event);
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

/* Sorted, since there are hundreds of events: then the same ones are neighbours.  Frees keys, which may be NULL. */
static void report_same(struct unc_checker *c, struct key *keys, size_t n, const char *what)
{
	if (!keys) {
		unc_found_at(c, c->unit->path, c->unit->line, "out of memory");
		return;
	}
	qsort(keys, n, sizeof(*keys), by_key);
	for (size_t i = 1; i < n; i++) {
		const struct unc_event *a = keys[i - 1].event, *b = keys[i].event;
		bool second = unc_blame_second(c->unit, a->path, a->line, b->path, b->line);
		const struct unc_event *event = second ? b : a, *other = second ? a : b;

		if (compare_keys(&keys[i - 1], &keys[i]) == 0)
			unc_found_at(c, event->path, event->line, "%s %s %s", event->name, what, other->name);
	}
	free(keys);
}

/* One of the two has a wrong number, most likely. */
static void event_unique(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");
	struct key *keys = calloc(unit->n_events + 1, sizeof(*keys));
	struct unc_ctx quiet = {.msg = ""};

	for (size_t i = 0; keys && i < unit->n_events; i++) {
		const struct unc_event *event = &unit->events[i];

		/* What selects nothing that fits was reported by other checks, and is like no other here. */
		keys[i] = (struct key){.event = event, .value = event->fixed ? UINT64_MAX : UINT64_MAX - 1 - i};
		if (event->reg)
			keys[i].value = unc_unit_reg(unit, event->reg) ? unc_unit_reg(unit, event->reg)->off : i;
		else if (ctl && !event->fixed && !event->as)
			unc_event_control(&quiet, unit, event, &keys[i].value);
	}
	report_same(c, keys, unit->n_events, "selects the same as");
}

static void event_names(struct unc_checker *c, const struct unc_unit *unit)
{
	size_t n = 1;
	struct key *keys;

	for (size_t i = 0; i < unit->n_events; i++, n++)
		for (const char *names = unit->events[i].also; names; names = strchr(names + 1, ','))
			n++;
	keys = calloc(n, sizeof(*keys));
	n = 0;
	for (size_t i = 0; keys && i < unit->n_events; i++) {
		const struct unc_event *event = &unit->events[i];

		keys[n++] = (struct key){.event = event, .name = event->name, .len = strlen(event->name)};
		for (const char *name = event->also; name && *name; name += strspn(name, ", ")) {
			keys[n++] = (struct key){.event = event, .name = name, .len = strcspn(name, ",")};
			name += keys[n - 1].len;
		}
	}
	report_same(c, keys, n, "has a name that is also one of");
}

const struct unc_check unc_event_checks[] = {
	/* Every event says which document describes it. */
	{"event_has_source", .event = event_has_source},
	/* A name with ranges such as [0-7] goes with as many lists in select, each as long as its range. */
	{"event_family", .unit = event_family},
	/* No two events have one name, other names included. */
	{"event_names", .unit = event_names},
	/* Each event of a free1 names the register that counts it, which is only read. */
	{"event_register", .event = event_register},
	/* An event selects fields of the control register that can hold its values. */
	{"event_field_known", .unit = every_field_known, .event = event_field_known},
	/* All events of a view1 say `as`; others may where there is counts_in. */
	{"event_as", .event = event_as},
	/* An event names counters that the unit has. */
	{"event_counters", .event = event_counters},
	/* The highest increment is 1 to 255, or a verify says why it is not known. */
	{"event_max_inc", .event = event_max_inc},
	/* An event of the fixed counter selects nothing, and there is a fixed counter. */
	{"event_fixed", .event = event_fixed},
	/* A scale is not 0, and `in` says what the result is. */
	{"event_unit", .event = event_unit},
	/* No two events select the same. */
	{"event_unique", .unit = event_unique},
	{0},
};
