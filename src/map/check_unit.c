// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of registers and fields. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "map/check.h"
#include "map/parse.h"
#include "map/field.h"

static unsigned width_bytes(const struct unc_unit *unit, const struct unc_reg *reg)
{
	return unit->kind == UNC_MSR ? 1 : reg->bits / 8; /* an MSR is one number, however wide */
}

/* Past the last element, without wrapping. */
static uint64_t end_of(const struct unc_unit *unit, const struct unc_reg *reg)
{
	uint64_t last = reg->count ? reg->count - 1 : 0;

	return reg->off + last * reg->step + width_bytes(unit, reg);
}

static void at_reg(struct unc_checker *c, const struct unc_reg *reg, const char *why)
{
	unc_found_at(c, reg->path, reg->line, "%s %s", reg->name, why);
}

void unc_check_register_aligned(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		unsigned to = unit->kind == UNC_MMIO ? reg->bits / 8 : 4;

		if (unit->kind != UNC_MSR && (reg->off % to != 0 || reg->step % to != 0))
			at_reg(c, reg,
			       to == 4 ? "is not aligned; its offset and step are to be multiples of 4"
				       : "is not aligned; its offset and step are to be multiples of 8");
	}
}

void unc_check_register_in_space(struct unc_checker *c, const struct unc_unit *unit)
{
	/* A window is the registers of one block; the page behind them belongs to others. */
	static const uint64_t lens[] = {[UNC_PCI] = 0x1000, [UNC_MSR] = UINT64_C(0x100000000), [UNC_MMIO] = 0x100};
	uint64_t len = lens[unit->kind];

	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (reg->count == 0)
			at_reg(c, reg, "has a count of 0; leave the register out");
		if (end_of(unit, reg) > len)
			unc_found_at(c, reg->path, reg->line,
				     "%s ends at 0x%" PRIx64 ", beyond the 0x%" PRIx64 " of its space", reg->name,
				     end_of(unit, reg), len);
		if (unit->kind == UNC_MSR && reg->bits != 64)
			at_reg(c, reg, "is an MSR, which are 64 bits wide; write bits: 64");
	}
}

/* Do any two elements share a byte?  Arrays interleave (lo, hi, lo, hi), so each element is looked at. */
static bool overlap(const struct unc_unit *unit, const struct unc_reg *a, const struct unc_reg *b)
{
	if (end_of(unit, a) <= b->off || end_of(unit, b) <= a->off)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned k = 0; k < b->count; k++) {
			uint64_t x = a->off + (uint64_t)i * a->step, y = b->off + (uint64_t)k * b->step;

			if (x < y + width_bytes(unit, b) && y < x + width_bytes(unit, a))
				return true;
		}
	}
	return false;
}

static void report_overlap(struct unc_checker *c, const struct unc_unit *unit, const struct unc_reg *a,
			   const struct unc_reg *b)
{
	bool second = unc_blame_second(unit, a->path, a->line, b->path, b->line);
	const struct unc_reg *reg = second ? b : a, *other = second ? a : b;

	unc_found_at(c, reg->path, reg->line, "%s overlaps %s", reg->name, other->name);
}

void unc_check_registers_overlap(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (reg->count > 1 && reg->step < width_bytes(unit, reg))
			at_reg(c, reg, "overlaps itself; its step is smaller than its width");
		for (size_t k = 0; k < i; k++) {
			if (overlap(unit, &unit->regs[k], reg))
				report_overlap(c, unit, &unit->regs[k], reg);
		}
	}
}

typedef void field_check(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field);

static void each_field(struct unc_checker *c, const struct unc_unit *unit, field_check *check)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		for (size_t k = 0; k < unit->regs[i].n_fields; k++)
			check(c, &unit->regs[i], &unit->regs[i].fields[k]);
	}
}

static void bits_of_field(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field)
{
	if (field->hi < field->lo)
		unc_found_at(c, field->path, field->line, "%s.%s: bits are written [high, low], so [%u, %u]", reg->name,
			     field->name, field->lo, field->hi);
	else if (field->hi >= reg->bits)
		unc_found_at(c, field->path, field->line, "%s.%s: bit %u is outside of a register of %u bits",
			     reg->name, field->name, field->hi, reg->bits);
}

void unc_check_field_bits(struct unc_checker *c, const struct unc_unit *unit)
{
	each_field(c, unit, bits_of_field);
}

static void report_common_bits(struct unc_checker *c, const struct unc_unit *unit, const struct unc_reg *reg,
			       const struct unc_field *a, const struct unc_field *b)
{
	bool second = unc_blame_second(unit, a->path, a->line, b->path, b->line);
	const struct unc_field *field = second ? b : a, *other = second ? a : b;

	unc_found_at(c, field->path, field->line, "%s.%s has bits in common with %s", reg->name, field->name,
		     other->name);
}

static void overlaps_of_reg(struct unc_checker *c, const struct unc_unit *unit, const struct unc_reg *reg)
{
	for (size_t i = 0; i < reg->n_fields; i++) {
		for (size_t k = 0; k < i; k++) {
			if (unc_field_mask(&reg->fields[k]) & unc_field_mask(&reg->fields[i]))
				report_common_bits(c, unit, reg, &reg->fields[k], &reg->fields[i]);
		}
	}
}

void unc_check_fields_overlap(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++)
		overlaps_of_reg(c, unit, &unit->regs[i]);
}

/* A bit that the map forgets would be written 0 and shown nowhere. */
void unc_check_fields_cover(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];
		uint64_t missing = unc_reg_all(reg);

		for (size_t k = 0; k < reg->n_fields; k++)
			missing &= ~unc_field_mask(&reg->fields[k]);
		if (missing)
			unc_found_at(c, reg->path, reg->line,
				     "%s: no field has the bits 0x%" PRIx64 "; name them, if only as reserved",
				     reg->name, missing);
	}
}

static void reset_of_field(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field)
{
	if (field->reset > unc_field_max(field))
		unc_found_at(c, field->path, field->line, "%s.%s: reset 0x%" PRIx64 " does not fit into its bits",
			     reg->name, field->name, field->reset);
}

void unc_check_reset_fits(struct unc_checker *c, const struct unc_unit *unit)
{
	each_field(c, unit, reset_of_field);
}

static void write_of_field(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field)
{
	if (field->write > unc_field_max(field))
		unc_found_at(c, field->path, field->line, "%s.%s: write 0x%" PRIx64 " does not fit into its bits",
			     reg->name, field->name, field->write);
	else if (field->write && field->acc != UNC_RSVD)
		unc_found_at(c, field->path, field->line, "%s.%s: write is for reserved bits only", reg->name,
			     field->name);
}

void unc_check_write_fits(struct unc_checker *c, const struct unc_unit *unit)
{
	each_field(c, unit, write_of_field);
}

void unc_check_write_whole_said(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (unc_reg_mask(reg, UNC_WO) && !reg->write_whole)
			at_reg(c, reg, "has write-only bits, which cannot be read back and kept; say write: whole");
	}
}

/* Checks of events. */

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
			     "%s selects %.64s, which is not a field of CTL that an event can set", event->name,
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
			     "%s: say max_inc, 1 to 255, or why it is not known with verify", event->name);
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

/* Checks of the unit as a whole: where it is, whether its model can drive it, and what must not be written. */

static void check_place(struct unc_checker *c, const struct unc_unit *unit, const struct unc_yaml *instance)
{
	const struct unc_yaml *pci = unc_yaml_get(instance, "pci"), *at = unc_yaml_get(instance, "at");
	struct unc_pci_place place;

	if (unit->kind != UNC_PCI && (pci || at))
		unc_found(c, instance, "pci and at are of units in PCI space; leave them out");
	else if (unit->kind == UNC_PCI && (!pci || !at))
		unc_found(c, instance, "this lacks the key %s", pci ? "at" : "pci");
	else if (unit->kind == UNC_PCI && !unc_pci_place_parse(pci->text, at->text, &place))
		unc_found(c, instance,
			  "instance at %.20s with pci %.20s: wanted are hex digits as in {pci: \"8086:3cb0\", "
			  "at: \"10.0\"}, device 00 to 1f, function 0 to 7",
			  at->text, pci->text);
}

void unc_check_instance_valid(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *instances = unc_yaml_get(c->root, "instances");

	if (unit->kind == UNC_PCI && unit->n_instances == 0)
		unc_found(c, instances ? instances : c->root, "no instances: say at which PCI functions the unit is");
	if (unit->kind == UNC_MMIO && unit->n_instances == 0)
		unc_found(c, instances ? instances : c->root, "no instances: say which channels the unit has");
	for (const struct unc_yaml *one = instances ? instances->child : NULL; one; one = one->next)
		check_place(c, unit, one);
}

static const char *in_common(const struct unc_instance *a, const struct unc_instance *b)
{
	if (a->vendor && a->vendor == b->vendor && a->device == b->device && a->dev == b->dev && a->fn == b->fn)
		return "place";
	if (a->hbm != b->hbm)
		return NULL;
	if (a->imc == b->imc && a->channel == b->channel)
		return "imc and channel";
	if (a->perf >= 0 && a->perf == b->perf)
		return "perf number";
	if (a->pcm >= 0 && a->pcm == b->pcm)
		return "pcm number";
	return a->likwid >= 0 && a->likwid == b->likwid ? "likwid number" : NULL;
}

void unc_check_instances_unique(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_instances; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct unc_instance *instance = &unit->instances[i];
			const char *what = in_common(instance, &unit->instances[k]);

			if (what)
				unc_found_at(c, instance->path, instance->line,
					     "the instance has the same %s as that of line %u", what,
					     unit->instances[k].line);
		}
	}
}

void unc_check_bus_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	if (unit->bus != UNC_BUS_SAME && strcmp(unit->model, "ubox1") != 0)
		unc_found(c, unc_yaml_get(c->root, "bus"), "bus: model %s finds nothing by a bus; leave the line out",
			  unit->model);
}

/* A window in memory is found by registers or by a discovery table, and nothing else is. */
void unc_check_found_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *found = unc_yaml_get(c->root, "found"), *type = unc_yaml_get(c->root, "box_type");
	bool said = found || type;

	if (said && unit->kind != UNC_MMIO)
		unc_found(c, found ? found : type, "found and box_type are of units in mmio; leave them out");
	else if (!said && unit->kind == UNC_MMIO)
		unc_found(c, c->root, "no found and no box_type: say how the windows of the unit are found");
}

/* Windows and PCI functions have a place of their own; only MSRs are the same number on every CPU. */
void unc_check_per_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *per = unc_yaml_get(c->root, "per");
	bool driven_per_cpu = strcmp(unit->model, "qm1") == 0;

	if (unit->per_cpu && unit->kind != UNC_MSR)
		unc_found(c, per, "per: only MSRs are %s's own; leave the line out", per->text);
	else if (unit->per_cpu != driven_per_cpu)
		unc_found(c, per ? per : c->root, "per: model %s is driven %s", unit->model,
			  driven_per_cpu ? "on each CPU; say per: cpu" : "once a socket; leave the line out");
}

/* What the code of each model asks its map for. */
static const struct need {
	const char *model, *reg;
	bool optional; /* the register may be missing, but if it is there, it has the field */
	const char *field;
} needs[] = {
	{"pmon1", "CTL", false, "ev_sel"},
	{"pmon1", "CTL", false, "umask"},
	{"pmon1", "CTR", false, "event_count"},
	{"pmon1", "BOX_CTL", false, "frz"},
	{"pmon1", "FIXED_CTL", true, "en"},
	{"pmon1", "FIXED_CTR", true, "event_count"},
	{"free1", "RD", false, "count"},
	{"free1", "WR", false, "count"},
	{"free1", "DCLK", false, "count"},
	{"freeze1", "GLOBAL_CTL", false, "frz_all"},
	{"freeze1", "GLOBAL_CTL", false, "unfrz_all"},
	{"qm1", "PQR_ASSOC", false, "rmid"},
	{"qm1", "PQR_ASSOC", false, "clos"},
	{"qm1", "QM_EVTSEL", false, "event"},
	{"qm1", "QM_EVTSEL", false, "rmid"},
	{"qm1", "QM_CTR", false, "data"},
	{"qm1", "QM_CTR", false, "unavailable"},
	{"qm1", "QM_CTR", false, "error"},
	{"ubox1", "CPUNODEID", false, "node"},
	{"ubox1", "GIDNIDMAP", false, "gid0"},
	{"ubox1", "GIDNIDMAP", false, "gid1"},
	{"ubox1", "GIDNIDMAP", false, "gid2"},
	{"ubox1", "GIDNIDMAP", false, "gid3"},
	{"ubox1", "GIDNIDMAP", false, "gid4"},
	{"ubox1", "GIDNIDMAP", false, "gid5"},
	{"ubox1", "GIDNIDMAP", false, "gid6"},
	{"ubox1", "GIDNIDMAP", false, "gid7"},
};

static void check_need(struct unc_checker *c, const struct unc_unit *unit, const struct need *need)
{
	const struct unc_yaml *registers = unc_yaml_get(c->root, "registers");
	const struct unc_reg *reg = unc_unit_reg(unit, need->reg);

	if (!reg && !need->optional)
		unc_found(c, registers, "model %s needs a register %s with a field %s", need->model, need->reg,
			  need->field);
	else if (reg && !unc_reg_field(reg, need->field))
		unc_found_at(c, reg->path, reg->line, "model %s needs a field %s in %s", need->model, need->field,
			     need->reg);
}

static void check_pair(struct unc_checker *c, const struct unc_unit *unit, const char *ctl_name, const char *ctr_name)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, ctl_name), *ctr = unc_unit_reg(unit, ctr_name);

	if (!ctl != !ctr)
		unc_found_at(c, (ctl ? ctl : ctr)->path, (ctl ? ctl : ctr)->line, "%s is there alone; %s is missing",
			     ctl ? ctl_name : ctr_name, ctl ? ctr_name : ctl_name);
	else if (ctl && ctl->count != ctr->count)
		unc_found_at(c, ctr->path, ctr->line, "there are %u %s for %u %s; each counter has one control",
			     ctr->count, ctr_name, ctl->count, ctl_name);
}

void unc_check_model_registers(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (strcmp(needs[i].model, unit->model) == 0)
			check_need(c, unit, &needs[i]);
	}
	if (strcmp(unit->model, "pmon1") != 0)
		return;
	if (ctl && unit->kind != UNC_MMIO && !unc_reg_field(ctl, "en"))
		unc_found_at(c, ctl->path, ctl->line, "model pmon1 needs a field en in CTL, but in mmio");
	check_pair(c, unit, "CTL", "CTR");
	check_pair(c, unit, "FIXED_CTL", "FIXED_CTR");
	if (ctl && ctl->count > UNC_COUNTERS_MAX)
		unc_found_at(c, ctl->path, ctl->line, "CTL: more than %d counters cannot be handled", UNC_COUNTERS_MAX);
}

static void check_counter(struct unc_checker *c, const struct unc_unit *unit, const char *name)
{
	const struct unc_reg *ctr = unc_unit_reg(unit, name);
	const struct unc_field *count = ctr ? unc_reg_field(ctr, "event_count") : NULL;

	if (count && (count->lo != 0 || count->hi + 1 != unit->counter_bits))
		unc_found_at(c, count->path, count->line, "%s.event_count has the bits %u:%u, but counter_bits is %u",
			     name, count->hi, count->lo, unit->counter_bits);
}

void unc_check_counter_bits_fit(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *said = unc_yaml_get(c->root, "counter_bits");

	if (unc_unit_reg(unit, "CTR") && unit->counter_bits == 0)
		unc_found(c, said ? said : c->root, "counter_bits: say how wide the counters are, such as 48");
	if (unit->counter_bits == 0)
		return;
	check_counter(c, unit, "CTR");
	check_counter(c, unit, "FIXED_CTR");
}

/* Command, status, BARs, bridge windows: a wrong bit there takes the machine down. */
void unc_check_header_writable(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs && unit->kind == UNC_PCI; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (reg->off < 0x40 && unc_reg_writable(reg))
			unc_found_at(c, reg->path, reg->line,
				     "%s is in the header of the PCI function, offsets 0x00 to 0x3f, "
				     "and may not be writable",
				     reg->name);
	}
}

static bool msr_meant_for_maps(uint32_t msr)
{
	static const uint32_t allowed[] = {
		0x700,         /* global freeze: HSX, BDX, SKX, ICX */
		0x701,         /* its status, in which writing 1 clears a bit */
		0xc00,         /* IVT */
		0xc01, 0x2ff0, /* SPR, EMR */
		0xc8d,         /* QM_EVTSEL */
		0xc8f,         /* PQR_ASSOC */
	};

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		if (allowed[i] == msr)
			return true;
	}
	return false;
}

/* Any MSR takes any value from root; a file from another person must not choose it. */
void unc_check_msr_writable(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs && unit->kind == UNC_MSR && unit->loaded; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		for (unsigned k = 0; k < reg->count && unc_reg_writable(reg); k++) {
			if (msr_meant_for_maps(unc_reg_off(reg, k)))
				continue;
			unc_found_at(c, reg->path, reg->line,
				     "%s: MSR 0x%x is not among those that a map from a folder may "
				     "write; make it ro",
				     reg->name, unc_reg_off(reg, k));
			break;
		}
	}
}
