// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/shape.h"

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

static bool digits(const char **text, unsigned *ret_number)
{
	size_t len = strspn(*text, "0123456789");
	unsigned number = 0;

	if (len == 0 || len > 3)
		return false;
	for (size_t i = 0; i < len; i++)
		number = number * 10 + (unsigned)((*text)[i] - '0');
	*text += len;
	*ret_number = number;
	return true;
}

/* "[0-7]" */
static bool parse_range(struct unc_family *family, const char **text)
{
	unsigned k = family->n_ranges, last;

	if (k == UNC_FAMILY_RANGES)
		return false;
	family->at[k] = (size_t)(*text - family->name);
	++*text;
	if (!digits(text, &family->first[k]) || *(*text)++ != '-' || !digits(text, &last) || *(*text)++ != ']')
		return false;
	if (last < family->first[k] || last - family->first[k] >= UNC_FAMILY_LENGTH)
		return false;
	family->len[k] = last - family->first[k] + 1;
	family->after[k] = (size_t)(*text - family->name);
	family->n_ranges++;
	return true;
}

bool unc_family_parse(const char *name, struct unc_family *ret_family)
{
	struct unc_family family = {.name = name};
	const char *text = name;

	while (*text) {
		text += strspn(text, name_chars);
		if (*text && (*text != '[' || !parse_range(&family, &text)))
			return false;
	}
	/* A member's name is shorter: "[0-7]" becomes one digit, "[100-107]" three. */
	if (text == name || text - name >= UNC_FAMILY_NAME)
		return false;
	*ret_family = family;
	return true;
}

size_t unc_family_count(const struct unc_family *family)
{
	size_t n = 1;

	for (unsigned k = 0; k < family->n_ranges; k++)
		n *= family->len[k];
	return n;
}

void unc_family_indices(const struct unc_family *family, size_t i, unsigned indices[UNC_FAMILY_RANGES])
{
	for (unsigned k = family->n_ranges; k-- > 0;) {
		indices[k] = (unsigned)(i % family->len[k]);
		i /= family->len[k];
	}
}

size_t unc_family_member(const struct unc_family *family, size_t i, char name[UNC_FAMILY_NAME])
{
	unsigned indices[UNC_FAMILY_RANGES];
	size_t from = 0, len = 0;

	unc_family_indices(family, i, indices);
	for (unsigned k = 0; k < family->n_ranges; k++) {
		memcpy(name + len, family->name + from, family->at[k] - from);
		len += family->at[k] - from;
		len += (size_t)snprintf(name + len, UNC_FAMILY_NAME - len, "%u", family->first[k] + indices[k]);
		from = family->after[k];
	}
	return len + (size_t)snprintf(name + len, UNC_FAMILY_NAME - len, "%s", family->name + from);
}

/*
 * The shape was checked (map/shape.c), so that here nothing can be wrong but memory.  What the numbers mean is checked
 * afterwards, on the unit.
 */

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

static bool parse_said(const struct unc_yaml *node, struct unc_field *field)
{
	size_t i = 0;

	if (!node)
		return true;
	field->said = array_for(node, sizeof(*field->said), &field->n_said);
	for (const struct unc_yaml *one = node->child; one && field->said; one = one->next)
		field->said[i++] = (struct unc_said){
			.tag = one->key, .acc = (enum unc_acc)unc_word_find(unc_words_access, unc_yaml_text(one))};
	return field->said;
}

static bool parse_field(const struct unc_map_tree *tree, const struct unc_yaml *node, struct unc_field *field)
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
	return parse_said(unc_yaml_get(node, "said"), field);
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
	bool good = true;

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
	reg->optional = text(node, "optional") != NULL;
	reg->fields = array_for(fields, sizeof(*reg->fields), &reg->n_fields);
	if (!reg->fields)
		return false;
	for (const struct unc_yaml *field = fields->child; field; field = field->next)
		good &= parse_field(tree, field, &reg->fields[i++]);
	qsort(reg->fields, reg->n_fields, sizeof(*reg->fields), compare_fields);
	return good;
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

/* What the event says, or else what every_event does. */
static const struct unc_yaml *said(const struct unc_yaml *node, const struct unc_yaml *every, const char *key)
{
	const struct unc_yaml *value = unc_yaml_get(node, key);

	return value ? value : unc_yaml_get(every, key);
}

/* What all members of a family have in common. */
static void parse_event(const struct unc_map_tree *tree, const struct unc_yaml *every, const struct unc_yaml *node,
			struct unc_event *event)
{
	const char *counters;

	event->name = node->key;
	event->desc = text(node, "is");
	event->src = unc_yaml_text(said(node, every, "src"));
	event->verify = unc_yaml_text(said(node, every, "verify"));
	event->path = tree->path[node->file];
	event->line = line_of(node);
	event->fixed = text(node, "fixed") != NULL;
	event->max_inc = (unsigned)number_of(said(node, every, "max_inc"), 0);
	event->one_per = (unsigned)number_of(unc_yaml_get(node, "one_per"), 0);
	counters = event->fixed ? text(node, "counters") : unc_yaml_text(said(node, every, "counters"));
	if (counters)
		unc_text_list(counters, 31, add_counter, &event->counters);
	event->scale = 1;
	if (text(node, "scale"))
		unc_text_double(text(node, "scale"), &event->scale);
	event->unit = text(node, "in");
}

/* What the member with these numbers has in its fields.  How long the lists are is checked later. */
static void parse_select(const struct unc_yaml *select, const unsigned *indices, struct unc_select *ret_select)
{
	unsigned n_lists = 0;

	for (const struct unc_yaml *one = select ? select->child : NULL; one; one = one->next) {
		const struct unc_yaml *value = one;

		if (one->kind == UNC_YAML_LIST) {
			value = one->child;
			for (unsigned i = n_lists < UNC_FAMILY_RANGES ? indices[n_lists] : 0; value && i > 0; i--)
				value = value->next;
			n_lists++;
		}
		*ret_select++ = (struct unc_select){.field = one->key, .value = number_of(value, 0)};
	}
}

/* The names of all members, one behind the other. */
static char *member_names(const struct unc_family *family, size_t n)
{
	char *names = malloc(n * UNC_FAMILY_NAME);

	for (size_t i = 0; names && i < n; i++)
		unc_family_member(family, i, names + i * UNC_FAMILY_NAME);
	return names;
}

/* "dclockticks, dclk2" */
static char *join_names(const struct unc_yaml *list)
{
	size_t len = 0;
	char *names;

	for (const struct unc_yaml *one = list->child; one; one = one->next)
		len += strlen(one->text) + 2;
	names = malloc(len + 1);
	if (!names)
		return NULL;
	names[0] = '\0';
	len = 0;
	for (const struct unc_yaml *one = list->child; one; one = one->next) {
		memcpy(names + len, len ? ", " : "", len ? 2 : 0);
		len += len ? 2 : 0;
		memcpy(names + len, one->text, strlen(one->text) + 1);
		len += strlen(one->text);
	}
	return names;
}

struct events { /* room for all of them, and how much of it is used */
	struct unc_unit *unit;
	const struct unc_yaml *every;
	size_t n, n_selects;
};

static bool keep_text(struct unc_unit *unit, char *text)
{
	if (text)
		unit->texts[unit->n_texts++] = text;
	return text;
}

/* An event, or all of a family. */
static bool parse_family(struct events *all, const struct unc_yaml *node)
{
	const struct unc_yaml *select = unc_yaml_get(node, "select"), *also = unc_yaml_get(node, "also");
	struct unc_event common = {.n_select = count_children(select)};
	struct unc_unit *unit = all->unit;
	struct unc_family family;
	char *names = NULL;
	size_t n;

	if (!unc_family_parse(node->key, &family))
		return true; /* the shape of the map was checked, so this does not happen */
	n = unc_family_count(&family);
	parse_event(unit->tree, all->every, node, &common);
	if (family.n_ranges && !keep_text(unit, names = member_names(&family, n)))
		return false;
	if (also && also->child) {
		char *others = join_names(also);

		if (!keep_text(unit, others))
			return false;
		common.also = others;
	}
	for (size_t i = 0; i < n; i++) {
		struct unc_select *selects = unit->selects + all->n_selects;
		struct unc_event *event = &unit->events[all->n++];
		unsigned indices[UNC_FAMILY_RANGES] = {0};

		unc_family_indices(&family, i, indices);
		parse_select(select, indices, selects);
		*event = common;
		event->select = selects;
		if (names)
			event->name = names + i * UNC_FAMILY_NAME;
		all->n_selects += common.n_select;
	}
	return true;
}

static bool parse_events(struct unc_unit *unit, const struct unc_yaml *node, const struct unc_yaml *every)
{
	struct events all = {.unit = unit, .every = every};
	size_t n_events = 0, n_selects = 0, n_nodes = 0;

	for (const struct unc_yaml *event = node ? node->child : NULL; event; event = event->next) {
		struct unc_family family;
		size_t n = unc_family_parse(event->key, &family) ? unc_family_count(&family) : 0;

		n_events += n;
		n_selects += n * count_children(unc_yaml_get(event, "select"));
		n_nodes++;
	}
	unit->events = calloc(n_events + 1, sizeof(*unit->events));
	unit->selects = calloc(n_selects + 1, sizeof(*unit->selects));
	unit->texts = calloc(2 * n_nodes + 1, sizeof(*unit->texts));
	if (!unit->events || !unit->selects || !unit->texts)
		return false;
	unit->n_events = n_events;
	for (const struct unc_yaml *event = node ? node->child : NULL; event; event = event->next) {
		if (!parse_family(&all, event))
			return false;
	}
	return true;
}

/* "8086:3cb0" and "10.0", all in hex.  What is malformed stays 0 and is found by the check instance_valid. */
static void parse_place(const struct unc_yaml *node, struct unc_instance *instance)
{
	struct unc_pci_place place = {0};

	if (text(node, "pci") && text(node, "at"))
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
		instance->hbm = text(one, "memory") != NULL;
		instance->numbered = unc_yaml_get(one, "imc") || unc_yaml_get(one, "channel");
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
	unit.refused = text(root, "refused");
	unit.kind = (enum unc_kind)unc_word_find(unc_words_space, text(root, "space"));
	if (text(root, "bus"))
		unit.bus = UNC_BUS_LOWER + (enum unc_ubox_bus)unc_word_find(unc_words_bus, text(root, "bus"));
	if (text(root, "found"))
		unit.found = (enum unc_window_way)(1 + unc_word_find(unc_words_found, text(root, "found")));
	unit.box_type = text(root, "box_type") ? (int)number(root, "box_type", 0) : -1;
	unit.per_cpu = text(root, "per") != NULL;
	unit.counter_bits = (unsigned)number(root, "counter_bits", 0);
	unit.max_clock_hz = number(root, "max_clock_mhz", 0) * 1000000;
	if (!parse_sources(&unit, unc_yaml_get(root, "sources")) ||
	    !parse_remarks(&unit, unc_yaml_get(root, "notes")) ||
	    !parse_instances(&unit, unc_yaml_get(root, "instances")) ||
	    !parse_regs(&unit, unc_yaml_get(root, "registers")) ||
	    !parse_events(&unit, unc_yaml_get(root, "events"), unc_yaml_get(root, "every_event"))) {
		unit.tree = NULL;
		unc_unit_clear(&unit);
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", tree->path[0]);
	}
	*ret_unit = unit;
	return 0;
}

void unc_unit_clear(struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		for (size_t k = 0; unit->regs[i].fields && k < unit->regs[i].n_fields; k++)
			free(unit->regs[i].fields[k].said);
		free(unit->regs[i].fields);
	}
	for (size_t i = 0; i < unit->n_texts; i++)
		free(unit->texts[i]);
	free(unit->texts);
	free(unit->selects);
	free(unit->regs);
	free(unit->events);
	free(unit->instances);
	free(unit->sources);
	free(unit->remarks);
	unc_map_tree_free(unit->tree);
	memset(unit, 0, sizeof(*unit));
}
