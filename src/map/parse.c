// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shape was checked (map/shape.c), so that here nothing can be wrong but memory.  What the numbers mean is checked
 * afterwards, on the unit.
 */
#include "map/parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/keys.h"
#include "map/place.h"

static size_t count_children(const struct unc_yaml *node)
{
	size_t n = 0;

	for (const struct unc_yaml *child = node ? node->child : NULL; child; child = child->next)
		n++;
	return n;
}

/* An array for the children of a list or mapping, at least one element long. */
static void *array_for(const struct unc_yaml *node, size_t size, size_t *ret_n)
{
	size_t n = count_children(node);
	void *array = calloc(n ? n : 1, size);

	if (array)
		*ret_n = n;
	return array;
}

static const char *text(const struct unc_yaml *node, const char *key)
{
	return unc_yaml_text(unc_yaml_get(node, key));
}

static uint64_t number_of(const struct unc_yaml *node, uint64_t otherwise)
{
	const char *digits = unc_yaml_text(node);
	uint64_t value;

	return digits && unc_text_u64(digits, &value) ? value : otherwise;
}

static uint64_t number(const struct unc_yaml *node, const char *key, uint64_t otherwise)
{
	return number_of(unc_yaml_get(node, key), otherwise);
}

static unsigned line_of(const struct unc_yaml *node)
{
	return node->key_line ? node->key_line : node->line;
}

/* Fields, which stand in any order, by falling bit. */
static int compare_fields(const void *a, const void *b)
{
	const struct unc_field *x = a, *y = b;

	return x->hi != y->hi ? (x->hi < y->hi ? 1 : -1) : (x->lo < y->lo) - (x->lo > y->lo);
}

static void parse_bits(const struct unc_yaml *node, struct unc_field *field)
{
	const struct unc_yaml *high = node->kind == UNC_YAML_LIST ? node->child : node;
	const struct unc_yaml *low = node->kind == UNC_YAML_LIST ? node->child->next : node;

	field->hi = (unsigned)number_of(high, 0);
	field->lo = (unsigned)number_of(low, 0);
}

static void parse_field(const struct unc_map_tree *tree, const struct unc_yaml *node, struct unc_field *field)
{
	field->name = node->key;
	field->desc = text(node, "is");
	field->src = text(node, "src");
	field->verify = text(node, "verify");
	field->tested = text(node, "tested");
	field->path = tree->path[node->file];
	field->line = line_of(node);
	parse_bits(unc_yaml_get(node, "bits"), field);
	field->acc = (enum unc_acc)unc_word_find(unc_words_access, text(node, "access"));
	field->reset_known = unc_yaml_get(node, "reset") != NULL;
	field->reset = number(node, "reset", 0);
	field->write = number(node, "write", 0);
}

static void parse_offset(const struct unc_yaml *at, struct unc_reg *reg)
{
	bool array = at->kind == UNC_YAML_MAP;

	reg->off = (uint32_t)(array ? number(at, "first", 0) : number_of(at, 0));
	reg->step = (uint32_t)number(at, "step", 0);
	reg->count = (unsigned)number(at, "count", 1);
}

static bool parse_reg(const struct unc_map_tree *tree, const struct unc_yaml *node, struct unc_reg *reg)
{
	const struct unc_yaml *fields = unc_yaml_get(node, "fields");
	size_t i = 0;

	reg->name = node->key;
	reg->desc = text(node, "is");
	reg->src = text(node, "src");
	reg->verify = text(node, "verify");
	reg->tested = text(node, "tested");
	reg->path = tree->path[node->file];
	reg->line = line_of(node);
	parse_offset(unc_yaml_get(node, "at"), reg);
	reg->bits = (unsigned)number(node, "bits", 32);
	reg->write_whole = text(node, "write") != NULL;
	reg->never = text(node, "use") != NULL;
	reg->fields = array_for(fields, sizeof(*reg->fields), &reg->n_fields);
	if (!reg->fields)
		return false;
	for (const struct unc_yaml *field = fields->child; field; field = field->next)
		parse_field(tree, field, &reg->fields[i++]);
	qsort(reg->fields, reg->n_fields, sizeof(*reg->fields), compare_fields);
	return true;
}

static bool parse_regs(struct unc_unit *unit, const struct unc_yaml *node)
{
	size_t i = 0;

	unit->regs = array_for(node, sizeof(*unit->regs), &unit->n_regs);
	if (!unit->regs)
		return false;
	for (const struct unc_yaml *reg = node->child; reg; reg = reg->next) {
		if (!parse_reg(unit->tree, reg, &unit->regs[i++]))
			return false;
	}
	return true;
}

static void add_counter(void *arg, uint64_t counter)
{
	uint32_t *counters = arg;

	*counters |= UINT32_C(1) << counter;
}

static bool parse_event(const struct unc_map_tree *tree, const struct unc_yaml *node, struct unc_event *event)
{
	const struct unc_yaml *select = unc_yaml_get(node, "select");
	size_t i = 0;

	event->name = node->key;
	event->desc = text(node, "is");
	event->src = text(node, "src");
	event->verify = text(node, "verify");
	event->path = tree->path[node->file];
	event->line = line_of(node);
	event->fixed = text(node, "fixed") != NULL;
	event->max_inc = (unsigned)number(node, "max_inc", 0);
	if (text(node, "counters"))
		unc_text_list(text(node, "counters"), 31, add_counter, &event->counters);
	event->scale = 1;
	if (text(node, "scale"))
		unc_text_double(text(node, "scale"), &event->scale);
	event->unit = text(node, "in");
	event->select = array_for(select, sizeof(*event->select), &event->n_select);
	if (!event->select)
		return false;
	for (const struct unc_yaml *one = select ? select->child : NULL; one; one = one->next)
		event->select[i++] = (struct unc_select){.field = one->key, .value = number_of(one, 0)};
	return true;
}

static bool parse_events(struct unc_unit *unit, const struct unc_yaml *node)
{
	size_t i = 0;

	unit->events = array_for(node, sizeof(*unit->events), &unit->n_events);
	if (!unit->events)
		return false;
	for (const struct unc_yaml *event = node ? node->child : NULL; event; event = event->next) {
		if (!parse_event(unit->tree, event, &unit->events[i++]))
			return false;
	}
	return true;
}

/* "8086:3cb0" and "10.0", all in hex.  What is malformed stays 0 and is found by the check instance_valid. */
static void parse_place(const struct unc_yaml *node, struct unc_instance *instance)
{
	struct unc_pci_place place = {0};

	unc_pci_place_parse(text(node, "pci"), text(node, "at"), &place);
	instance->vendor = place.vendor;
	instance->device = place.device;
	instance->dev = place.dev;
	instance->fn = place.fn;
}

static int peer(const struct unc_yaml *node, const char *key)
{
	return unc_yaml_get(node, key) ? (int)number(node, key, 0) : -1;
}

static bool parse_instances(struct unc_unit *unit, const struct unc_yaml *node)
{
	size_t i = 0;

	unit->instances = array_for(node, sizeof(*unit->instances), &unit->n_instances);
	if (!unit->instances)
		return false;
	for (const struct unc_yaml *one = node ? node->child : NULL; one; one = one->next) {
		struct unc_instance *instance = &unit->instances[i++];

		instance->path = unit->tree->path[one->file];
		instance->line = line_of(one);
		parse_place(one, instance);
		instance->imc = (unsigned)number(one, "imc", 0);
		instance->channel = (unsigned)number(one, "channel", 0);
		instance->perf = peer(one, "perf");
		instance->pcm = peer(one, "pcm");
		instance->likwid = peer(one, "likwid");
	}
	return true;
}

static bool parse_sources(struct unc_unit *unit, const struct unc_yaml *node)
{
	size_t i = 0;

	unit->sources = array_for(node, sizeof(*unit->sources), &unit->n_sources);
	if (!unit->sources)
		return false;
	for (const struct unc_yaml *one = node->child; one; one = one->next)
		unit->sources[i++] = (struct unc_source){.tag = one->key, .title = one->text};
	return true;
}

static bool parse_remarks(struct unc_unit *unit, const struct unc_yaml *node)
{
	size_t i = 0;

	unit->remarks = array_for(node, sizeof(*unit->remarks), &unit->n_remarks);
	if (!unit->remarks)
		return false;
	for (const struct unc_yaml *one = node ? node->child : NULL; one; one = one->next) {
		unit->remarks[i++] = (struct unc_remark){.text = text(one, "is"),
							 .src = text(one, "src"),
							 .verify = text(one, "verify"),
							 .path = unit->tree->path[one->file],
							 .line = line_of(one)};
	}
	return true;
}

int unc_unit_parse(struct unc_ctx *ctx, struct unc_map_tree *tree, struct unc_unit *ret_unit)
{
	const struct unc_yaml *root = tree->root;
	struct unc_unit unit = {
		.map = tree->name[0], .path = tree->path[0], .loaded = !tree->built_in[0], .tree = tree};

	unit.line = line_of(unc_yaml_get(root, "cpus"));
	unit.name = text(root, "unit");
	unit.model = text(root, "model");
	unit.title = text(root, "title");
	unit.kind = (enum unc_kind)unc_word_find(unc_words_space, text(root, "space"));
	unit.counter_bits = (unsigned)number(root, "counter_bits", 0);
	unit.max_clock_hz = number(root, "max_clock_mhz", 0) * 1000000;
	if (!parse_sources(&unit, unc_yaml_get(root, "sources")) ||
	    !parse_remarks(&unit, unc_yaml_get(root, "notes")) ||
	    !parse_instances(&unit, unc_yaml_get(root, "instances")) ||
	    !parse_regs(&unit, unc_yaml_get(root, "registers")) || !parse_events(&unit, unc_yaml_get(root, "events"))) {
		unit.tree = NULL;
		unc_unit_clear(&unit);
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", tree->path[0]);
	}
	*ret_unit = unit;
	return 0;
}

void unc_unit_clear(struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++)
		free(unit->regs[i].fields);
	for (size_t i = 0; i < unit->n_events; i++)
		free(unit->events[i].select);
	free(unit->regs);
	free(unit->events);
	free(unit->instances);
	free(unit->sources);
	free(unit->remarks);
	unc_map_tree_free(unit->tree);
	memset(unit, 0, sizeof(*unit));
}
