// SPDX-License-Identifier: GPL-2.0-or-later
/* From a flattened device tree to a map: skiboot doc/device-tree/imc.rst, Linux arch/powerpc/platforms/powernv/opal-imc.c. */
#include "catalogue/catalogue.h"

#include <libfdt.h>

#include "base/text.h"
#include "map/area.h"
#include "map/parse.h"

enum { TYPE_THREAD = 0x1, TYPE_TRACE = 0x2, TYPE_CORE = 0x4, TYPE_NEST = 0x10 };
enum { COUNTER_BYTES = 8 };

/* Which unit's counters are where in the area, as far as that is published (open-power/occ, gpe1_24x7.c of POWER9). */
struct range {
	uint32_t first, end;
	const char *unit; /* what names of its units begin with, a list */
};
static const struct range p9_ranges[] = {
	{0x008, 0x108, "powerbus, mcs"}, {0x118, 0x1d8, "xlink"}, {0x1d8, 0x218, "nx"},    {0x228, 0x328, "nvlink"},
	{0x338, 0x3f8, "phb"},           {0x448, 0x4a8, "mba"},   {0x4a8, 0x528, "alink"}, {0x558, 0x5b8, "mba"},
	{0x5b8, 0x638, "alink"},         {0x668, 0x6c8, "npcq"},  {0x6c8, 0x748, "capp"},  {0},
};
/*
 * The bits of the availability vector, counted from the highest, that a unit has by the number in its name (skiboot hw/imc.c, and the masks
 * of open-power/occ), and how often the microcode updates its counters at the speed with code 0.
 */
struct kind {
	const char *stem;    /* the name up to its number */
	uint8_t first, bits; /* of number 0, and of each number */
	uint8_t link; /* else the bits are of a link that can be of several kinds, and have this value if it is of this one */
	uint8_t update_ms;
};
static const struct kind p9_kinds[] = {
	{"powerbus", 0, 1, 0, 1}, {"mcs", 1, 1, 0, 1},     {"mba", 9, 1, 0, 4}, {"centaur", 17, 1, 0, 4},
	{"xlink", 25, 1, 0, 2},   {"phb", 30, 1, 0, 12},   {"nx", 36, 1, 0, 2}, {"capp", 37, 1, 0, 4},
	{"alink", 41, 1, 0, 2},   {"nvlink", 45, 1, 0, 1}, {NULL, 0, 0, 0, 12},
};
static const struct kind p10_kinds[] = {
	{"pb", 0, 1, 0, 4},     {"mcs", 1, 2, 0, 4},  {"pec", 9, 1, 0, 4},  {"xlink", 11, 3, 5, 4},
	{"alink", 11, 3, 6, 4}, {"otl", 11, 3, 7, 4}, {"phb", 35, 1, 0, 8}, {"ocmb", 41, 1, 0, 8},
	{"nx", 57, 1, 0, 8},    {NULL, 0, 0, 0, 8},
};
static const struct part {
	const char *title;
	uint32_t versions[2];
	uint32_t end;               /* of what the microcode writes */
	uint32_t heads_end;         /* groups from here on have no word before them that can be believed */
	const struct kind *kinds;   /* the last one is of all others */
	const struct range *ranges; /* NULL: not published */
} parts[] = {
	{"POWER9 nest", {0x20, 0x19}, 7 * UNC_AREA_GROUP, 5 * UNC_AREA_GROUP, p9_kinds, p9_ranges},
	{"POWER10 nest", {0x3, 0x3}, 13 * UNC_AREA_GROUP, 13 * UNC_AREA_GROUP, p10_kinds, NULL},
};

static const char source_tag[] = "catalogue";

struct group { /* of events; several units may have the same */
	uint32_t phandle;
	int node;
};

struct reader {
	struct unc_ctx *ctx;
	const char *name;
	char *tree;
	const struct part *part; /* NULL: the version is not known */
	uint32_t version;
	struct group *groups; /* owned */
	size_t n_groups, n_events;
	const char *memory;  /* what units of memory are called that become "imc" */
	struct unc_map *map; /* owned */
};

struct shape { /* a unit of the tree */
	const char *node_name, *prefix, *scale, *measure;
	uint32_t type, base, size;
	int group;
};

/* NULL: it has no such text. */
static const char *text_of(const struct reader *r, int node, const char *name)
{
	int len;
	const char *text = fdt_getprop(r->tree, node, name, &len);

	return text && len > 0 && memchr(text, '\0', (size_t)len) == text + len - 1 ? text : NULL;
}

/* The first number of a property.  False: it has none. */
static bool number_of(const struct reader *r, int node, const char *name, uint32_t *ret_number)
{
	int len;
	const fdt32_t *cell = fdt_getprop(r->tree, node, name, &len);

	if (!cell || len < (int)sizeof(*cell))
		return false;
	*ret_number = fdt32_to_cpu(*cell);
	return true;
}

static bool is_compatible(const struct reader *r, int node, const char *what)
{
	return fdt_node_check_compatible(r->tree, node, what) == 0;
}

static int no_memory(const struct reader *r)
{
	return unc_fail(r->ctx, UNC_ENOMEM, "%s: out of memory", r->name);
}

/* A text that the unit owns; NULL is passed on. */
static const char *own(struct unc_unit *unit, char *text)
{
	if (text && !unc_array_add(&unit->texts, &unit->n_texts, &text, sizeof(text))) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- what is wrong with an event ---- */

static const char *counted_at(const struct part *part, uint64_t at)
{
	for (const struct range *range = part->ranges; range->unit; range++)
		if (at >= range->first && at < range->end)
			return range->unit;
	return "nothing";
}

/* Does the unit's name begin with one of the list, with a digit or nothing after it? */
static bool is_of(const char *list, const char *unit)
{
	return unc_text_listed(list, unit, strcspn(unit, "0123456789@"));
}

/* Writes why an event of a nest unit cannot be counted; "": it can. */
static void judge(const struct reader *r, const struct shape *shape, uint64_t at, char *why, size_t size)
{
	uint32_t end = r->part ? r->part->end : 0;
	const char *there = r->part && r->part->ranges ? counted_at(r->part, at) : NULL;

	*why = '\0';
	if (!r->part)
		snprintf(why, size, "the layout of counters in version 0x%x is not known", r->version);
	else if (at + COUNTER_BYTES > shape->size || at % COUNTER_BYTES != 0)
		snprintf(why, size, "0x%llx is unaligned, or outside the unit's 0x%x bytes", (unsigned long long)at,
			 shape->size);
	else if (at >= end)
		snprintf(why, size, "0x%llx is outside of what the microcode writes, which ends at 0x%x",
			 (unsigned long long)at, end);
	else if (at % UNC_AREA_GROUP == 0 || at % UNC_AREA_GROUP == UNC_AREA_TAIL)
		snprintf(why, size, "0x%llx holds an update count, not a counter", (unsigned long long)at);
	else if (there && !is_of(there, shape->node_name))
		snprintf(why, size, "at 0x%llx the microcode counts %s", (unsigned long long)at, there);
}

struct placed {
	struct unc_event *event;
	uint32_t at;
};

static int by_place(const void *a, const void *b)
{
	const struct placed *one = a, *other = b;

	return unc_order(one->at, other->at);
}

/* Of two counters with different names in one place at least one is wrong. */
static int refuse_shared(struct reader *r)
{
	struct placed *all = calloc(r->n_events + 1, sizeof(*all));
	size_t n = 0;
	int rc = all ? UNC_OK : no_memory(r);

	for (size_t u = 0; u < r->map->n_units && all; u++) {
		struct unc_unit *unit = &r->map->units[u];

		for (size_t i = 0; i < unit->n_events; i++)
			if (!unit->events[i].refused)
				all[n++] = (struct placed){&unit->events[i], unit->regs[i].off};
	}
	if (all)
		qsort(all, n, sizeof(*all), by_place);
	for (size_t first = 0, end; first < n; first = end) {
		const char *name = all[first].event->name, *other = NULL;

		for (end = first; end < n && all[end].at == all[first].at; end++)
			if (strcmp(all[end].event->name, name) != 0)
				other = all[end].event->name;
		for (size_t i = first; other && i < end && rc == 0; i++) {
			const char *too = strcmp(all[i].event->name, name) != 0 ? name : other;

			all[i].event->refused =
				own(&r->map->units[0], unc_text_new("0x%x is the place of %s, too", all[i].at, too));
			rc = all[i].event->refused ? UNC_OK : no_memory(r);
		}
	}
	free(all);
	return rc;
}

/* ---- units and their events ---- */

/* A word of the area, of one field. */
static bool add_word(const struct reader *r, struct unc_unit *unit, const char *name, uint32_t off,
		     const struct unc_field *field)
{
	struct unc_reg reg = {.name = name, .path = r->name, .off = off, .count = 1, .bits = 64, .n_fields = 1};

	reg.fields = malloc(sizeof(*reg.fields));
	if (!reg.fields)
		return false;
	*reg.fields = *field;
	reg.fields->path = r->name;
	reg.fields->hi = 63;
	if (unc_array_add(&unit->regs, &unit->n_regs, &reg, sizeof(reg)))
		return true;
	free(reg.fields);
	return false;
}

/* Returns what is wrong with it; NULL: it was added, or *ret_rc is a failure. */
static const char *add_event(struct reader *r, struct unc_unit *unit, const struct shape *shape, int node, int *ret_rc)
{
	static const char in_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	const char *name = text_of(r, node, "event-name"), *scale = text_of(r, node, "scale");
	struct unc_event event = {
		.src = source_tag, .desc = text_of(r, node, "desc"), .unit = text_of(r, node, "unit")};
	char why[160] = "";
	uint64_t at, factor = 1;
	uint32_t off;

	if (!name || !number_of(r, node, "reg", &off))
		return "without event-name or reg";
	if (strspn(name, in_names) != strlen(name) || strlen(shape->prefix) + strlen(name) >= UNC_FAMILY_NAME)
		return "with a name that cannot be typed";
	at = (uint64_t)shape->base + off;
	scale = scale ? scale : shape->scale;
	if (shape->type != TYPE_NEST)
		snprintf(why, sizeof(why), "it is not reachable without the kernel: only that can read this counter");
	else
		judge(r, shape, at, why, sizeof(why));
	if (scale && !unc_text_u64(scale, &factor) && !*why)
		snprintf(why, sizeof(why), "its scale, %.40s, is no whole number", scale);
	event.scale = (double)factor;
	event.name = event.reg = own(unit, unc_text_new("%s%s", shape->prefix, name));
	event.refused = *why ? own(unit, unc_text_dup(why)) : NULL;
	event.unit = event.unit ? event.unit : shape->measure;
	if (strcmp(unit->name, "imc") == 0)
		event.verify = "how many bytes a count stands for is from other tools, not from IBM";
	event.path = r->name;
	if (!event.name || (*why && !event.refused) ||
	    !unc_array_add(&unit->events, &unit->n_events, &event, sizeof(event)) ||
	    !add_word(r, unit, event.name, (uint32_t)at, &(struct unc_field){.name = "event_count"}))
		*ret_rc = no_memory(r);
	return NULL;
}

static int add_events(struct reader *r, struct unc_unit *unit, const struct shape *shape)
{
	const char *last = NULL;
	unsigned n_out = 0;
	int node, rc = UNC_OK;

	fdt_for_each_subnode(node, r->tree, shape->group)
	{
		const char *wrong;

		if (++r->n_events > UNC_EVENTS_MAX)
			return unc_fail(r->ctx, UNC_EMAP, "%s: more than %d events", r->name, UNC_EVENTS_MAX);
		wrong = add_event(r, unit, shape, node, &rc);
		if (rc < 0)
			return rc;
		n_out += wrong != NULL;
		last = wrong ? wrong : last;
	}
	if (n_out)
		unc_note(r->ctx, "%s: %s: events left out: %u, the last one %s", r->name, shape->node_name, n_out,
			 last);
	return UNC_OK;
}

/* Returns what is wrong with a unit; NULL: nothing. */
static const char *shape_of(const struct reader *r, int node, struct shape *shape)
{
	uint32_t phandle;
	size_t i = 0;

	*shape = (struct shape){.node_name = fdt_get_name(r->tree, node, NULL),
				.prefix = text_of(r, node, "events-prefix"),
				.scale = text_of(r, node, "scale"),
				.measure = text_of(r, node, "unit")};
	if (!number_of(r, node, "type", &shape->type))
		return "it has no type";
	if (shape->type != TYPE_NEST && shape->type != TYPE_CORE && shape->type != TYPE_THREAD &&
	    shape->type != TYPE_TRACE)
		return "its type is not known";
	if (!number_of(r, node, "size", &shape->size) || !number_of(r, node, "reg", &shape->base))
		return "it has no size, or no reg";
	if (!shape->prefix || !number_of(r, node, "events", &phandle))
		return "it has no events-prefix, or no events";
	while (i < r->n_groups && r->groups[i].phandle != phandle)
		i++;
	if (i == r->n_groups)
		return "its events point to no group of events";
	shape->group = r->groups[i].node;
	return NULL;
}

/* Fills in what says whether a chip has the unit, and how often it is updated. */
static void fill_area(const struct part *part, const struct shape *shape, struct unc_area *area)
{
	const struct kind *kind = part->kinds;
	size_t len = strcspn(shape->node_name, "0123456789@");
	unsigned first = (unsigned)strtoul(shape->node_name + len, NULL, 10), last = first;

	while (kind->stem && (strncmp(kind->stem, shape->node_name, len) != 0 || kind->stem[len]))
		kind++;
	area->bytes = part->end;
	area->heads_end = part->heads_end;
	if (kind->update_ms > area->update_ms)
		area->update_ms = kind->update_ms;
	if (is_of("mcs", shape->node_name)) { /* "mcs23" is 2 and 3 */
		last = first % 10;
		first /= 10;
	}
	for (unsigned i = first; i <= last && kind->stem; i++)
		for (unsigned bit = 0; bit < kind->bits; bit++) {
			uint64_t mask = UINT64_C(1) << (63 - (kind->first + i * kind->bits + bit) % 64);

			area->available |= mask;
			if (kind->link >> (kind->bits - 1 - bit) & 1)
				area->of_link |= mask;
		}
}

static int add_unit(struct reader *r, int node)
{
	struct unc_unit unit = {.map = "catalogue",
				.path = r->name,
				.model = "nest1",
				.kind = UNC_AREA,
				.box_type = -1,
				.title = r->part ? r->part->title : "unknown part",
				.max_clock_hz = UINT64_C(4000000000), /* more than any of them */
				.counter_bits = 64};
	struct unc_source source = {.tag = source_tag};
	struct unc_instance of_chip = {.whole = true, .perf = -1, .pcm = -1, .likwid = -1};
	struct unc_unit *imc;
	struct shape shape;
	const char *wrong = shape_of(r, node, &shape);
	bool is_imc;
	int rc;

	if (wrong) {
		unc_note(r->ctx, "%s: %s: %s; it is left out", r->name, shape.node_name, wrong);
		return UNC_OK;
	}
	/* The units of memory become one, since a chip's traffic is the sum of theirs: what `mem` and `list` call imc. */
	is_imc = shape.type == TYPE_NEST && r->part && r->memory && is_of(r->memory, shape.node_name);
	imc = is_imc ? (struct unc_unit *)unc_map_unit(r->map, "imc") : NULL;
	if (imc)
		fill_area(r->part, &shape, &imc->area);
	if (imc)
		return add_events(r, imc, &shape);
	of_chip.numbered = is_imc;
	if (shape.type == TYPE_NEST && r->part) {
		fill_area(r->part, &shape, &unit.area);
		if (!unc_array_add(&unit.instances, &unit.n_instances, &of_chip, sizeof(of_chip)))
			return no_memory(r);
	} else {
		unit.refused = "only the kernel reaches its counters";
	}
	unit.name = own(&unit, is_imc ? unc_text_dup("imc")
				      : unc_text_new("%.*s", (int)strcspn(shape.node_name, "@"), shape.node_name));
	source.title = own(&unit, unc_text_new("%s, version 0x%x", r->name, r->version));
	if (unit.name && unc_map_unit(r->map, unit.name)) /* published ones have several of one name */
		unit.name = own(&unit, unc_text_dup(shape.node_name));
	rc = unit.name && source.title && unc_array_add(&unit.sources, &unit.n_sources, &source, sizeof(source))
		     ? add_events(r, &unit, &shape)
		     : no_memory(r);
	if (rc == 0 && !unc_array_add(&r->map->units, &r->map->n_units, &unit, sizeof(unit)))
		rc = no_memory(r);
	if (rc < 0)
		unc_unit_clear(&unit);
	return rc;
}

static int read_tree(struct reader *r, int root)
{
	bool counts = false;
	int node, rc = UNC_OK;

	if (number_of(r, root, "version-id", &r->version))
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			if (r->version == parts[i].versions[0] || r->version == parts[i].versions[1])
				r->part = &parts[i];
	/* Found once, since looking for a phandle goes through the whole tree. */
	fdt_for_each_subnode(node, r->tree, root)
	{
		struct group group = {fdt_get_phandle(r->tree, node), node};

		if (group.phandle && !is_compatible(r, node, "ibm,imc-counters") &&
		    !unc_array_add(&r->groups, &r->n_groups, &group, sizeof(group)))
			return no_memory(r);
		if (is_compatible(r, node, "ibm,imc-counters")) {
			const char *name = fdt_get_name(r->tree, node, NULL);

			if (is_of("mcs", name) || (!r->memory && is_of("mba", name)))
				r->memory = is_of("mcs", name) ? "mcs" : "mba";
		}
	}
	fdt_for_each_subnode(node, r->tree, root)
	{
		if (rc == 0 && is_compatible(r, node, "ibm,imc-counters"))
			rc = add_unit(r, node);
	}
	for (size_t u = 0; u < r->map->n_units; u++) {
		struct unc_unit *unit = &r->map->units[u];

		if (!unit->n_instances)
			continue;
		counts = true;
		/* Registers of events have the numbers of their events, so this one comes last. */
		if (!add_word(r, unit, UNC_AREA_STATUS_NAME, UNC_AREA_STATUS,
			      &(struct unc_field){.name = "status", .acc = UNC_RW}))
			return no_memory(r);
	}
	if (rc == 0 && !counts)
		r->map->no_counters = unc_text_new("%s: the units of the nest are absent, or none of them is known "
						   "here: firmware removes all if their microcode does "
						   "not answer; `uncorectl events` lists what is left",
						   r->name);
	if (rc == 0 && !counts && !r->map->no_counters)
		return no_memory(r);
	if (rc == 0 && !r->map->n_units)
		return unc_fail(r->ctx, UNC_EMAP, "%s: a catalogue without any unit that is as it should be", r->name);
	return rc < 0 ? rc : refuse_shared(r);
}

int unc_catalogue_parse(struct unc_ctx *ctx, const char *name, char *tree, size_t len, struct unc_map **ret_map)
{
	struct reader r = {.ctx = ctx, .name = name, .tree = tree, .map = calloc(1, sizeof(*r.map))};
	int root = -1, rc;

	if (!r.map) {
		free(tree);
		return no_memory(&r);
	}
	r.map->catalogue = tree;
	/* libfdt's checks are of trees of version 16 and later: names of earlier ones have another form. */
	if (len < sizeof(struct fdt_header) || fdt_version(tree) < 16 || fdt_check_full(tree, len) < 0)
		rc = unc_fail(ctx, UNC_EMAP, "%s: its device tree is damaged or cut off", name);
	else if ((root = fdt_node_offset_by_compatible(tree, -1, "ibm,opal-in-memory-counters")) < 0)
		rc = unc_fail(ctx, UNC_EMAP, "%s: it is no catalogue, as nothing in it is ibm,opal-in-memory-counters",
			      name);
	else
		rc = read_tree(&r, root);
	free(r.groups);
	if (rc < 0)
		unc_map_free(r.map);
	else
		*ret_map = r.map;
	return rc;
}
