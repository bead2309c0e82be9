// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/text.h"
#include "map/parse.h"
#include "map/shape.h"

const struct unc_map_text *unc_map_built_in(const char *name)
{
	for (size_t i = 0; i < unc_n_maps_built_in; i++)
		if (strcmp(unc_maps_built_in[i].name, name) == 0)
			return &unc_maps_built_in[i];
	return NULL;
}

void unc_map_tree_free(struct unc_map_tree *tree)
{
	if (!tree)
		return;
	unc_yaml_free(tree->root);
	for (unsigned i = 0; i < tree->n_files; i++) {
		free(tree->name[i]);
		free(tree->path[i]);
	}
	free(tree);
}

static void set_file(struct unc_yaml *node, unsigned file)
{
	for (; node; node = node->next) {
		node->file = file;
		set_file(node->child, file);
	}
}

int unc_map_tree_add(struct unc_ctx *ctx, const struct unc_map_file *file, const char *stop_key,
		     struct unc_map_tree *tree, struct unc_yaml **ret_root)
{
	const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
	const char *end = strstr(name, ".yaml");
	unsigned index = tree->n_files;
	int rc;

	tree->path[index] = unc_text_dup(file->path);
	/* "intel-snbep-imc" of "regs/intel-snbep-imc.yaml (built in)" */
	tree->name[index] = unc_text_new("%.*s", (int)(end ? (size_t)(end - name) : strlen(name)), name);
	tree->built_in[index] = !file->loaded;
	tree->n_files++;
	if (!tree->path[index] || !tree->name[index])
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", file->path);
	rc = unc_yaml_parse_head(ctx, file->path, file->text, file->len, stop_key, ret_root);
	if (rc == 0)
		set_file(*ret_root, index);
	return rc;
}

int unc_map_tree_parse(struct unc_ctx *ctx, const struct unc_map_file *file, const char *stop_key,
		       struct unc_map_tree **ret_tree)
{
	struct unc_map_tree *tree = calloc(1, sizeof(*tree));
	int rc;

	if (!tree)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", file->path);
	rc = unc_map_tree_add(ctx, file, stop_key, tree, &tree->root);
	if (rc < 0)
		unc_map_tree_free(tree);
	else
		*ret_tree = tree;
	return rc;
}

const char *const unc_words_access[] = {"ro", "rw", "wo", "rw1c", "reserved", NULL};
const char *const unc_words_space[] = {"pci", "msr", "mmio", NULL};
const char *const unc_words_bus[] = {"lower", "higher", NULL};
/* As enum unc_window_way, which begins with none of them; the last is no window. */
const char *const unc_words_found[] = {"membar",          "membar_ddrt", "membar_wide", "scf",        "scf_gnrd",
				       "scf_gnrd_a",      "membar_free", "mchbar",      "mchbar_tgl", "mchbar_adl",
				       "mchbar_adl_pmon", "cpuid",       NULL};
const char *const unc_words_per[] = {"node", "l3", "cpu", NULL};
static const char *const words_format[] = {"uncorectl-regs/1", NULL};
static const char *const words_model[] = {"pmon1", "ubox1", "freeze1", "qm1", "free1", "node1", "view1", "read1", NULL};
static const char *const words_memory[] = {"hbm", NULL};
static const char *const words_width[] = {"32", "64", NULL};
static const char *const words_write[] = {"whole", NULL};
static const char *const words_use[] = {"never", NULL};
static const char *const words_true[] = {"true", NULL};
static const char *const words_metrics_format[] = {"uncorectl-metrics/1", NULL};
static const char *const words_bool[] = {"true", "false", NULL};

static const struct unc_key when_keys[] = {
	{"cpuid", .shape = UNC_IS_TEXT, .required = true},
	{"is", .shape = UNC_IS_NUMBER, .required = true, .unless = "not", .max = UINT32_MAX},
	{"not", .shape = UNC_IS_NUMBER, .max = UINT32_MAX},
	{0},
};

static const struct unc_key cpu_keys[] = {
	{"vendor", .shape = UNC_IS_TEXT, .required = true},
	{"family", .shape = UNC_IS_NUMBER, .max = 0x10e}, /* 15 and 8 bits of extension */
	{"model", .shape = UNC_IS_SPAN, .max = 0xff},
	{"stepping", .shape = UNC_IS_RANGE, .max = 0xf},
	{"when", .shape = UNC_IS_RECORDS, .sub = when_keys},
	{0},
};

static const struct unc_key remark_keys[] = {
	{"is", .shape = UNC_IS_TEXT, .required = true},
	{"src", .shape = UNC_IS_TEXT, .required = true},
	{"verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key instance_keys[] = {
	{"pci, at", .shape = UNC_IS_TEXT},
	{"imc, channel", .shape = UNC_IS_NUMBER, .max = 63},
	{"perf, pcm, likwid", .shape = UNC_IS_NUMBER, .max = 999},
	{"memory", .shape = UNC_IS_WORD, .words = words_memory},
	{0},
};

static const struct unc_key field_keys[] = {
	{"bits", .shape = UNC_IS_BITS, .required = true, .max = 63},
	{"access", .shape = UNC_IS_WORD, .required = true, .words = unc_words_access, .words_check = "access_known"},
	{"said", .shape = UNC_IS_WORDS, .words = unc_words_access, .words_check = "access_known"},
	{"reset, write", .shape = UNC_IS_NUMBER, .max = UINT64_MAX},
	{"is, src, verify, tested", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key offset_keys[] = {
	{"first", .shape = UNC_IS_NUMBER, .required = true, .max = UINT32_MAX},
	{"step", .shape = UNC_IS_NUMBER, .required = true, .max = UINT32_MAX},
	{"count", .shape = UNC_IS_NUMBER, .required = true, .max = 1024},
	{0},
};

static const struct unc_key register_keys[] = {
	{"at", .shape = UNC_IS_OFFSET, .required = true, .max = UINT32_MAX, .sub = offset_keys},
	{"bits", .shape = UNC_IS_WORD, .words = words_width},
	{"write", .shape = UNC_IS_WORD, .words = words_write},
	{"use", .shape = UNC_IS_WORD, .words = words_use},
	{"optional", .shape = UNC_IS_WORD, .words = words_true},
	{"within, through, is, src, verify, tested", .shape = UNC_IS_TEXT},
	{"fields", .shape = UNC_IS_TABLE, .required = true, .sub = field_keys},
	{0},
};

static const struct unc_key event_keys[] = {
	{"select", .shape = UNC_IS_VALUES, .max = UINT64_MAX},
	{"fixed", .shape = UNC_IS_WORD, .words = words_true},
	{"max_inc", .shape = UNC_IS_NUMBER, .max = UINT32_MAX},
	{"one_per", .shape = UNC_IS_NUMBER, .max = 255},
	{"clock_bytes", .shape = UNC_IS_NUMBER, .max = 1024},
	{"counters", .shape = UNC_IS_NUMBERS, .max = 31},
	{"scale", .shape = UNC_IS_REAL},
	{"also", .shape = UNC_IS_NAMES},
	{"is", .shape = UNC_IS_TEXT, .required = true},
	{"as, register, in, src, verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key every_event_keys[] = {
	{"select", .shape = UNC_IS_VALUES, .max = UINT64_MAX},
	{"max_inc", .shape = UNC_IS_NUMBER, .max = UINT32_MAX},
	{"counters", .shape = UNC_IS_NUMBERS, .max = 31},
	{"src, verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key file_keys[] = {
	{"format", .shape = UNC_IS_WORD, .required = true, .words = words_format, .words_check = "format_known"},
	{"cpus", .shape = UNC_IS_LIST, .required = true, .sub = cpu_keys},
	{"title", .shape = UNC_IS_TEXT, .required = true},
	{"base, refused", .shape = UNC_IS_TEXT},
	{"sources", .shape = UNC_IS_TEXTS, .required = true},
	{"unit", .shape = UNC_IS_TEXT, .required = true},
	{"space", .shape = UNC_IS_WORD, .required = true, .words = unc_words_space, .words_check = "space_known"},
	{"model", .shape = UNC_IS_WORD, .required = true, .words = words_model, .words_check = "model_known"},
	{"per", .shape = UNC_IS_WORD, .words = unc_words_per},
	{"counts_in", .shape = UNC_IS_TEXT},
	{"saturates", .shape = UNC_IS_WORD, .words = words_true},
	{"bus", .shape = UNC_IS_WORD, .words = unc_words_bus},
	{"found", .shape = UNC_IS_WORD, .words = unc_words_found},
	{"box_type", .shape = UNC_IS_NUMBER, .max = 0xffff},
	{"counter_bits", .shape = UNC_IS_NUMBER, .max = 64},
	{"max_clock_mhz", .shape = UNC_IS_NUMBER, .max = 1000000},
	{"notes", .shape = UNC_IS_LIST, .sub = remark_keys},
	{"instances", .shape = UNC_IS_LIST, .sub = instance_keys},
	{"registers", .shape = UNC_IS_TABLE, .required = true, .unless = "counts_in", .sub = register_keys},
	{"every_event", .shape = UNC_IS_RECORD, .sub = every_event_keys},
	{"events", .shape = UNC_IS_TABLE, .sub = event_keys},
	{0},
};

const struct unc_key unc_map_keys = {"file", .shape = UNC_IS_RECORD, .sub = file_keys};

static const struct unc_key metric_keys[] = {
	{"is", .shape = UNC_IS_TEXT, .required = true},
	{"formula", .shape = UNC_IS_TEXT, .required = true},
	{"in", .shape = UNC_IS_TEXT, .required = true},
	{"adds", .shape = UNC_IS_WORD, .required = true, .words = words_bool},
	{"signed", .shape = UNC_IS_WORD, .words = words_true},
	{"events", .shape = UNC_IS_CHOICES, .required = true},
	{"src", .shape = UNC_IS_TEXT, .required = true},
	{"instead_of, verify", .shape = UNC_IS_TEXT},
	{0},
};

static const struct unc_key metrics_file_keys[] = {
	{"format", .shape = UNC_IS_WORD, .required = true, .words = words_metrics_format,
	 .words_check = "format_known"},
	{"unit", .shape = UNC_IS_TEXT, .required = true},
	{"sources", .shape = UNC_IS_TEXTS, .required = true},
	{"metrics", .shape = UNC_IS_TABLE, .required = true, .sub = metric_keys},
	{0},
};

const struct unc_key unc_metrics_keys = {"file", .shape = UNC_IS_RECORD, .sub = metrics_file_keys};

const struct unc_key *unc_key_find(const struct unc_key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (unc_text_listed(keys->name, name, strlen(name)))
			return keys;
	return NULL;
}

int unc_word_find(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

/* Has the tree the shape that the tables describe?  What comes after this may rely on it. */

enum {
	SCALAR = 1 << UNC_YAML_SCALAR,
	LIST = 1 << UNC_YAML_LIST,
	MAP = 1 << UNC_YAML_MAP,
	PAIR = 1 << 8,   /* a list of two scalars */
	FILLED = 1 << 9, /* a scalar or a list that is not empty */
};

/* What values of each shape are, how that is called, and the shape of the elements of a list or mapping. */
static const struct {
	unsigned takes;
	const char *called;
	enum unc_shape element;
} shapes[] = {
	[UNC_IS_TEXT] = {SCALAR | FILLED, "a text"},
	[UNC_IS_WORD] = {SCALAR, "a word"},
	[UNC_IS_NUMBER] = {SCALAR, "a number"},
	[UNC_IS_REAL] = {SCALAR, "a number"},
	[UNC_IS_NUMBERS] = {SCALAR, "numbers such as 0-3 or 0,2"},
	[UNC_IS_BITS] = {SCALAR | PAIR, "a bit, such as 22, or [high, low], such as [31, 24]"},
	[UNC_IS_RANGE] = {PAIR, "two numbers, such as [0, 4]"},
	[UNC_IS_SPAN] = {SCALAR | PAIR, "a number, or two, such as [0x20, 0x5f]"},
	[UNC_IS_OFFSET] = {SCALAR | MAP, "an offset, or {first: OFFSET, step: BYTES, count: NUMBER}"},
	[UNC_IS_RECORD] = {MAP, "a mapping"},
	[UNC_IS_LIST] = {LIST, "a list", UNC_IS_RECORD},
	[UNC_IS_RECORDS] = {MAP | LIST | FILLED, "a mapping, or a list of them", UNC_IS_RECORD},
	[UNC_IS_TABLE] = {MAP, "a mapping", UNC_IS_RECORD},
	[UNC_IS_VALUES] = {MAP, "a mapping", UNC_IS_SERIES},
	[UNC_IS_SERIES] = {SCALAR | LIST, "a number, or a list of numbers", UNC_IS_NUMBER},
	[UNC_IS_NAMES] = {LIST, "a list of names", UNC_IS_TEXT},
	[UNC_IS_TEXTS] = {MAP, "a mapping", UNC_IS_TEXT},
	[UNC_IS_WORDS] = {MAP, "a mapping", UNC_IS_WORD},
	[UNC_IS_CHOICES] = {MAP, "a mapping", UNC_IS_CHOICE},
	[UNC_IS_CHOICE] = {SCALAR | LIST | FILLED, "a text, or a list of texts", UNC_IS_TEXT},
};

/* The keys that a value of this key may have, or NULL. */
static const struct unc_key *keys_of(const struct unc_key *key, const struct unc_yaml *node)
{
	bool record = key->shape == UNC_IS_RECORD || key->shape == UNC_IS_RECORDS || key->shape == UNC_IS_OFFSET;

	return record && node->kind == UNC_YAML_MAP ? key->sub : NULL;
}

void unc_shape_walk(struct unc_checker *c, unc_shape_check *check, const struct unc_key *key,
		    const struct unc_yaml *node)
{
	const struct unc_key *keys = keys_of(key, node);
	struct unc_key element = *key;

	check(c, key, node);
	if (!(shapes[key->shape].takes & 1U << node->kind))
		return;
	element.shape = shapes[key->shape].element;
	for (const struct unc_yaml *child = node->child; child; child = child->next) {
		const struct unc_key *sub = keys ? unc_key_find(keys, child->key) : &element;

		if (sub)
			unc_shape_walk(c, check, sub, child);
	}
}

void unc_check_unknown_key(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	const struct unc_key *keys = keys_of(key, node);

	for (const struct unc_yaml *child = keys ? node->child : NULL; child; child = child->next)
		if (!unc_key_find(keys, child->key))
			unc_found(c, child, "key \"%.80s\" is not known here; uncorectl-regs(5) lists all there are",
				  child->key);
}

void unc_check_missing_key(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	for (const struct unc_key *k = keys_of(key, node); k && k->name; k++)
		if (k->required && !unc_yaml_get(node, k->name) && !(k->unless && unc_yaml_get(node, k->unless)))
			unc_found(c, node, "%.80s lacks the key %s", node->key ? node->key : "this", k->name);
}

void unc_check_wrong_type(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	unsigned takes = shapes[key->shape].takes;
	const struct unc_yaml *first = node->kind == UNC_YAML_LIST ? node->child : NULL;
	bool pair = first && first->kind == UNC_YAML_SCALAR && first->next && first->next->kind == UNC_YAML_SCALAR &&
		    !first->next->next;
	bool good = takes & 1U << node->kind;

	if (takes & FILLED && node->kind != UNC_YAML_MAP)
		good &= node->child || (node->text && node->text[0]);
	if (!good && !(takes & PAIR && pair))
		unc_found(c, node, "%.80s is to be %s", node->key ? node->key : key->name, shapes[key->shape].called);
}

static void check_number(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	uint64_t value;

	if (node->kind != UNC_YAML_SCALAR)
		return;
	if (!unc_text_u64(node->text, &value))
		unc_found(c, node, "%.80s: \"%.40s\" is not a whole number; write it like 12 or 0x0c",
			  node->key ? node->key : key->name, node->text);
	else if (value > key->max)
		unc_found(c, node, "%.80s: %.40s is too large; at most %" PRIu64 " is possible here",
			  node->key ? node->key : key->name, node->text, key->max);
}

void unc_check_bad_number(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	const char *text = unc_yaml_text(node), *rest = text;
	uint64_t first, last;
	double real;

	switch (key->shape) {
	case UNC_IS_NUMBER:
	case UNC_IS_SERIES:
	case UNC_IS_OFFSET:
	case UNC_IS_BITS:
	case UNC_IS_RANGE:
	case UNC_IS_SPAN:
		check_number(c, key, node);
		for (const struct unc_yaml *one = shapes[key->shape].takes & PAIR ? node->child : NULL; one;
		     one = one->next)
			check_number(c, key, one);
		break;
	case UNC_IS_REAL:
		if (text && !unc_text_double(text, &real))
			unc_found(c, node, "%s: \"%.40s\" is not a number; write it like 64 or 0.5", key->name, text);
		break;
	case UNC_IS_NUMBERS:
		while (unc_text_range(&rest, key->max, &first, &last))
			;
		if (rest)
			unc_found(c, node,
				  "%s: \"%.40s\" is not a list of numbers up to %" PRIu64 "; write it like 0-3 or 0,2",
				  key->name, text, key->max);
		break;
	default:
		break;
	}
}

/* One function for several checks: each looks at the keys whose words it answers for. */
void unc_check_words(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	const char *text = unc_yaml_text(node);
	char words[100] = "";

	if (key->shape != UNC_IS_WORD || !text || unc_word_find(key->words, text) >= 0 ||
	    strcmp(key->words_check ? key->words_check : "word_known", c->check) != 0)
		return;
	for (size_t i = 0; key->words[i]; i++)
		unc_text_enlist(words, sizeof(words), key->words[i], strlen(key->words[i]));
	unc_found(c, node, "%s: \"%.40s\" is not known; it can be %s", key->name, text, words);
}

static bool consists_of(const char *name, const char *chars)
{
	return name[0] && strlen(name) == strspn(name, chars) && strlen(name) < 64;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"

static void check_event_names(struct unc_checker *c, const struct unc_yaml *events)
{
	struct unc_family family;
	size_t n = 0;

	for (const struct unc_yaml *event = events->child; event; event = event->next) {
		const struct unc_yaml *also = unc_yaml_get(event, "also");

		if (!unc_family_parse(event->key, &family))
			unc_found(c, event,
				  "name \"%.80s\" is to be at most 63 of a-z, 0-9, _ and ., with up to %d ranges such "
				  "as [0-7] in it, of at most %d numbers",
				  event->key, UNC_FAMILY_RANGES, UNC_FAMILY_LENGTH);
		else if ((n += unc_family_count(&family)) > UNC_EVENTS_MAX)
			break;
		for (const struct unc_yaml *name = also ? also->child : NULL; name; name = name->next)
			if (unc_yaml_text(name) && !consists_of(name->text, LOWER DIGIT "_."))
				unc_found(c, name, "name \"%.80s\" is to be at most 63 of a-z, 0-9, _ and .",
					  name->text);
	}
	if (n > UNC_EVENTS_MAX)
		unc_found(c, events, "more than %d events, too many for a unit", UNC_EVENTS_MAX);
}

/* Names are typed at a keyboard, inside of "imc/cas_count.rd:thresh=8/" and "socket0.imc0.ch2.BOX_CTL.frz". */
void unc_check_name_valid(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	bool registers = strcmp(key->name, "registers") == 0;
	const char *chars = registers ? UPPER DIGIT "_" : LOWER DIGIT "_";
	const char *unit = strcmp(key->name, "unit") == 0 ? unc_yaml_text(node) : NULL;

	if (unit && !consists_of(unit, chars))
		unc_found(c, node, "unit: \"%.80s\" is to be at most 63 of a-z, 0-9 and _", unit);
	if ((key->shape != UNC_IS_TABLE && key->shape != UNC_IS_TEXTS) || node->kind != UNC_YAML_MAP)
		return;
	if (strcmp(key->name, "metrics") == 0)
		return; /* may have a range in their names: the check metric_name */
	if (strcmp(key->name, "events") == 0) {
		check_event_names(c, node);
		return;
	}
	for (const struct unc_yaml *child = node->child; child; child = child->next)
		if (!consists_of(child->key, chars))
			unc_found(c, child, "name \"%.80s\" is to be at most 63 of %s, 0-9, _", child->key,
				  registers ? "A-Z" : "a-z");
}
