// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the head of a file, and of its sources. */
#include "map/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/parse.h"
#include "map/field.h"
#include "map/metric.h"

static bool is_key(const struct unc_yaml *node, const char *key)
{
	return node && strcmp(node->key, key) == 0;
}

/* Runs before the bases are known: each check gets the file's own root in c->root. */
static void check_head_first(struct unc_checker *c)
{
	const struct unc_yaml *first = c->root->kind == UNC_YAML_MAP ? c->root->child : NULL;

	if (c->root->kind != UNC_YAML_MAP)
		unc_found(c, c->root, "a map file is a mapping that begins with `format:` and `cpus:`");
	else if (!is_key(first, "format"))
		unc_found(c, first ? first : c->root, "the first key is to be format");
	else if (!is_key(first->next, "cpus"))
		unc_found(c, first->next ? first->next : first, "the second key is to be cpus");
}

static uint64_t number(const struct unc_yaml *node)
{
	uint64_t value = 0;

	unc_text_u64(unc_yaml_text(node), &value);
	return value;
}

static void check_when(struct unc_checker *c, const struct unc_yaml *when)
{
	const struct unc_yaml *cpuid = unc_yaml_get(when, "cpuid"), *is = unc_yaml_get(when, "is");
	struct unc_cpuid_bits bits;

	if (!unc_cpuid_bits_parse(cpuid->text, &bits))
		unc_found(c, cpuid,
			  "cpuid: \"%.40s\" is to be like \"7.0:ebx[12]\": leaf and sub-leaf in hex, register, bits",
			  cpuid->text);
	else if (number(is) > unc_field_max(&bits.bits))
		unc_found(c, is, "is: %s does not fit into the bits of %s", is->text, cpuid->text);
}

static void check_cpus_valid(struct unc_checker *c)
{
	const struct unc_yaml *cpus = unc_yaml_get(c->root, "cpus");

	if (!cpus)
		return;
	if (!cpus->child)
		unc_found(c, cpus, "cpus: no CPU is named, so this map would never be used");
	for (const struct unc_yaml *cpu = cpus->child; cpu; cpu = cpu->next) {
		const struct unc_yaml *stepping = unc_yaml_get(cpu, "stepping"), *when = unc_yaml_get(cpu, "when");

		if (stepping && number(stepping->child) > number(stepping->child->next))
			unc_found(c, stepping, "stepping: [low, high] is wanted, and %s is above %s",
				  stepping->child->text, stepping->child->next->text);
		if (unc_yaml_get(cpu, "model") && !unc_yaml_get(cpu, "family"))
			unc_found(c, cpu, "cpus: a model without a family means another CPU in each of them; say both");
		if (stepping && !unc_yaml_get(cpu, "model"))
			unc_found(c, cpu, "cpus: a stepping without a model means nothing; say which");
		if (when && when->kind == UNC_YAML_LIST)
			for (const struct unc_yaml *one = when->child; one; one = one->next)
				check_when(c, one);
		else if (when)
			check_when(c, when);
	}
}

static bool tag_known(const struct unc_yaml *sources, const char *tag, size_t len)
{
	for (const struct unc_yaml *source = sources ? sources->child : NULL; source; source = source->next) {
		if (strlen(source->key) == len && memcmp(source->key, tag, len) == 0)
			return true;
	}
	return false;
}

void unc_check_src(struct unc_checker *c, const char *src, const struct unc_place *at)
{
	const struct unc_yaml *sources = unc_yaml_get(c->root, "sources");

	while (src && *src) {
		size_t len;

		src += strspn(src, " ");
		len = strcspn(src, " ;");
		if (!tag_known(sources, src, len))
			unc_found_at(c, at->path, at->line, "%.64s: src: \"%.*s\" is not a tag from sources", at->what,
				     (int)(len < 40 ? len : 40), src);
		src = strchr(src, ';');
		if (src)
			src++;
	}
}

static void check_said(struct unc_checker *c, const struct unc_field *field)
{
	const struct unc_yaml *sources = unc_yaml_get(c->root, "sources");

	for (size_t i = 0; i < field->n_said; i++)
		if (!tag_known(sources, field->said[i].tag, strlen(field->said[i].tag)))
			unc_found_at(c, field->path, field->line, "%.64s: said: \"%.40s\" is not a tag from sources",
				     field->name, field->said[i].tag);
}

static void check_reg_src(struct unc_checker *c, const struct unc_reg *reg)
{
	unc_check_src(c, reg->src, &(struct unc_place){reg->name, reg->path, reg->line});
	for (size_t i = 0; i < reg->n_fields; i++) {
		const struct unc_field *field = &reg->fields[i];

		unc_check_src(c, field->src, &(struct unc_place){field->name, field->path, field->line});
		check_said(c, field);
	}
}

void unc_check_source_known(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_remarks; i++) {
		const struct unc_remark *remark = &unit->remarks[i];

		unc_check_src(c, remark->src, &(struct unc_place){"notes", remark->path, remark->line});
	}
	for (size_t i = 0; i < unit->n_regs; i++)
		check_reg_src(c, &unit->regs[i]);
	for (size_t i = 0; i < unit->n_events; i++) {
		const struct unc_event *event = &unit->events[i];

		unc_check_src(c, event->src, &(struct unc_place){event->name, event->path, event->line});
	}
}

void unc_check_register_has_source(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (!reg->src)
			unc_found_at(c, reg->path, reg->line, "%s lacks src; say which document describes it",
				     reg->name);
	}
}

void unc_check_event_has_source(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_events; i++) {
		const struct unc_event *event = &unit->events[i];

		if (!event->src)
			unc_found_at(c, event->path, event->line, "%s lacks src; say which document describes it",
				     event->name);
	}
}

/* The table of checks, and the order in which a map file goes through them. */

struct check {
	const char *name, *help;
	void (*head)(struct unc_checker *c); /* one of these; none if reading the file finds the fault */
	unc_shape_check *shape;
	unc_unit_check *unit;
	unc_metric_check *metric;
};

static const struct check checks[] = {
	{"yaml",
	 .help = "the file is YAML: one document, no anchors, aliases, tags, no key twice, bounded size and depth"},

	{"head_first", .head = check_head_first,
	 .help = "format and cpus are the first two keys, so that a map is chosen without reading all of it"},
	{"format_known", .shape = unc_check_words, .help = "the format is one that this program reads"},
	{"cpus_valid", .head = check_cpus_valid,
	 .help = "at least one CPU; its stepping is [low, high]; its conditions name a CPUID leaf and bits"},

	{"base_found", .help = "the base is a map that exists, and no base leads back to a file before it"},
	{"sources_kept", .help = "a source tag means the same document as in the base"},
	{"none_removes", .help = "`none` is allowed only where the base has something to remove"},

	{"unknown_key", .shape = unc_check_unknown_key, .help = "every key is one that the format has at this place"},
	{"missing_key", .shape = unc_check_missing_key,
	 .help = "every key is there that the format wants at this place"},
	{"wrong_type", .shape = unc_check_wrong_type,
	 .help = "every value is a text, number, list or mapping as the format wants"},
	{"bad_number", .shape = unc_check_bad_number,
	 .help = "every number is one, and not larger than what it counts"},
	{"word_known", .shape = unc_check_words,
	 .help = "bits, write, use, optional, fixed, per and bus have a value that means something"},
	{"space_known", .shape = unc_check_words, .help = "the space is a way to reach registers"},
	{"model_known", .shape = unc_check_words, .help = "the model is a way of driving that this program has"},
	{"access_known", .shape = unc_check_words,
	 .help = "the access of a field, and what is said of it, is ro, rw, wo, rw1c or reserved"},
	{"name_valid", .shape = unc_check_name_valid, .help = "names consist of letters, digits and underscores"},

	{"source_known", .unit = unc_check_source_known,
	 .help = "every src begins each of its parts with a tag from sources, and said has such tags"},
	{"register_has_source", .unit = unc_check_register_has_source,
	 .help = "every register says which document describes it"},
	{"register_aligned", .unit = unc_check_register_aligned,
	 .help = "offsets are multiples of 4 where hardware counts bytes"},
	{"register_in_space", .unit = unc_check_register_in_space, .help = "every register lies inside its space"},
	{"registers_overlap", .unit = unc_check_registers_overlap, .help = "no two registers share a byte"},
	{"field_bits", .unit = unc_check_field_bits,
	 .help = "the bits of a field are [high, low] and inside its register"},
	{"fields_overlap", .unit = unc_check_fields_overlap, .help = "no two fields share a bit"},
	{"fields_cover", .unit = unc_check_fields_cover,
	 .help = "every bit of a register is in a field, if only a reserved one"},
	{"reset_fits", .unit = unc_check_reset_fits, .help = "a reset value fits its field"},
	{"write_fits", .unit = unc_check_write_fits,
	 .help = "what is to be written to reserved bits fits, and only those have it"},
	{"write_whole_said", .unit = unc_check_write_whole_said,
	 .help = "a register with write-only bits says write: whole"},
	{"model_registers", .unit = unc_check_model_registers,
	 .help = "the registers and fields are there that the model drives"},
	{"counter_bits_fit", .unit = unc_check_counter_bits_fit, .help = "counters are as wide as counter_bits says"},

	{"event_has_source", .unit = unc_check_event_has_source,
	 .help = "every event says which document describes it"},
	{"event_family", .unit = unc_check_event_family,
	 .help = "a name with ranges such as [0-7] goes with as many lists in select, each as long as its range"},
	{"event_names", .unit = unc_check_event_names, .help = "no two events have one name, other names included"},
	{"event_field_known", .unit = unc_check_event_field_known,
	 .help = "an event selects fields of the control register that can hold its values"},
	{"event_counters", .unit = unc_check_event_counters, .help = "an event names counters that the unit has"},
	{"event_max_inc", .unit = unc_check_event_max_inc,
	 .help = "the highest increment is 1 to 255, or a verify says why it is not known"},
	{"event_fixed", .unit = unc_check_event_fixed,
	 .help = "an event of the fixed counter selects nothing, and there is a fixed counter"},
	{"event_unit", .unit = unc_check_event_unit, .help = "a scale is not 0, and `in` says what the result is"},
	{"event_unique", .unit = unc_check_event_unique, .help = "no two events select the same"},

	{"instance_valid", .unit = unc_check_instance_valid,
	 .help = "a PCI unit has instances like {pci: \"8086:3cb0\", at: \"10.0\"}, one in mmio like {imc: 0, channel: "
		 "1}"},
	{"found_meant", .unit = unc_check_found_meant,
	 .help = "units in mmio, and no others, say how their windows are found"},
	{"bus_meant", .unit = unc_check_bus_meant, .help = "only a ubox1 says on which bus it is"},
	{"per_meant", .unit = unc_check_per_meant,
	 .help = "MSRs that a qm1 drives are those of each CPU, no others are"},
	{"instances_unique", .unit = unc_check_instances_unique,
	 .help = "no two instances are in one place or have one number"},

	{"header_writable", .unit = unc_check_header_writable,
	 .help = "the first 64 bytes of a PCI function are not written"},
	{"msr_writable", .unit = unc_check_msr_writable,
	 .help = "a map that is not built in writes no MSR but those meant for it"},

	{"metric_name", .metric = unc_check_metric_name,
	 .help = "the name of a metric consists of a-z, 0-9, _, . and up to two ranges such as [0-7]; no two are the "
		 "same"},
	{"metric_events", .metric = unc_check_metric_events,
	 .help = "a metric's events are names of events, with the ranges of the metric or none"},
	{"metric_formula", .metric = unc_check_metric_formula,
	 .help = "a formula has numbers, time and the names of its events, each of them, + - * / and parentheses"},
	{"metric_source", .metric = unc_check_metric_source,
	 .help = "the src of a metric begins each of its parts with a tag from sources"},
};

enum { N_CHECKS = sizeof(checks) / sizeof(checks[0]) };

const char *unc_map_check_name(size_t number, const char **ret_help)
{
	if (number >= N_CHECKS)
		return NULL;
	*ret_help = checks[number].help;
	return checks[number].name;
}

static void vfound(struct unc_checker *c, const char *path, unsigned line, const char *fmt, va_list args)
{
	char sentence[UNC_MSG_MAX];

	vsnprintf(sentence, sizeof(sentence), fmt, args);
	c->errors++;
	c->report(c->arg, path, line, c->check, sentence);
}

void unc_found_at(struct unc_checker *c, const char *path, unsigned line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfound(c, path, line, fmt, args);
	va_end(args);
}

void unc_found(struct unc_checker *c, const struct unc_yaml *at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfound(c, c->tree->path[at->file], at->key_line ? at->key_line : at->line, fmt, args);
	va_end(args);
}

bool unc_blame_second(const struct unc_unit *unit, const char *path1, unsigned line1, const char *path2, unsigned line2)
{
	if (path1 != path2 && (path1 == unit->path || path2 == unit->path))
		return path2 == unit->path;
	return line2 >= line1;
}

void unc_found_yaml(struct unc_checker *c, const char *path)
{
	const char *sentence = c->ctx->msg; /* "PATH:LINE: ..." */
	size_t len = strlen(path);
	unsigned long long line = 1;

	if (strncmp(sentence, path, len) == 0 && sentence[len] == ':') {
		char *end;

		line = strtoull(sentence + len + 1, &end, 10);
		sentence = strncmp(end, ": ", 2) == 0 ? end + 2 : end;
	}
	c->check = "yaml";
	unc_found_at(c, path, (unsigned)line, "%s", sentence);
}

/* Runs all of them at one place of the tree. */
static void shape_checks(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	for (size_t i = 0; i < N_CHECKS; i++) {
		c->check = checks[i].name;
		if (checks[i].shape)
			checks[i].shape(c, key, node);
	}
}

static void count_only(void *arg, const char *file, unsigned line, const char *check, const char *sentence)
{
	(void)arg;
	(void)file;
	(void)line;
	(void)check;
	(void)sentence;
}

/* Most trees are right, and one walk shows that; faults are reported check by check. */
static bool shape_is_right(const struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	struct unc_checker counter = *c;

	counter.report = count_only;
	counter.errors = 0;
	unc_shape_walk(&counter, shape_checks, key, node);
	return counter.errors == 0;
}

void unc_map_check_shape(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	if (shape_is_right(c, key, node))
		return;
	for (size_t i = 0; i < N_CHECKS; i++) {
		c->check = checks[i].name;
		if (checks[i].shape)
			unc_shape_walk(c, checks[i].shape, key, node);
	}
}

/* The shape of format and cpus comes first, since the other checks of the head rely on it. */
void unc_map_check_head(struct unc_checker *c, const struct unc_yaml *root)
{
	static const char *const names[] = {"format", "cpus"};
	unsigned before = c->errors;

	c->root = root;
	for (size_t i = 0; i < 2; i++) {
		const struct unc_yaml *node = unc_yaml_get(root, names[i]);

		if (node)
			unc_map_check_shape(c, unc_key_find(unc_map_keys.sub, names[i]), node);
	}
	for (size_t i = 0; i < N_CHECKS && c->errors == before; i++) {
		c->check = checks[i].name;
		if (checks[i].head)
			checks[i].head(c);
	}
}

static void check_unit(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < N_CHECKS; i++) {
		c->check = checks[i].name;
		if (checks[i].unit)
			checks[i].unit(c, unit);
	}
}

void unc_map_check_metrics(struct unc_checker *c, const struct unc_yaml *metrics)
{
	for (size_t i = 0; i < N_CHECKS; i++) {
		c->check = checks[i].name;
		for (const struct unc_yaml *metric = metrics->child; metric && checks[i].metric; metric = metric->next)
			checks[i].metric(c, metric);
	}
}

/* Each step relies on the one before: head, bases, shape, meaning. */
static int examine_tree(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree *tree,
			struct unc_unit *unit)
{
	int rc;

	unc_map_check_head(c, tree->root);
	if (c->errors)
		return 0;
	rc = unc_map_tree_rebase(c, file, tree);
	if (rc < 0 || c->errors)
		return rc;
	c->root = tree->root;
	unc_map_check_shape(c, &unc_map_keys, tree->root);
	if (c->errors)
		return 0;
	rc = unc_unit_parse(c->ctx, tree, unit);
	if (rc == 0)
		check_unit(c, unit);
	return rc;
}

int unc_checked_tree(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree **ret_tree)
{
	int rc = unc_map_tree_parse(c->ctx, file, NULL, ret_tree);

	if (rc == UNC_EMAP) {
		unc_found_yaml(c, file->path);
		*ret_tree = NULL;
		return 0;
	}
	if (rc == 0)
		c->tree = *ret_tree;
	return rc;
}

int unc_map_examine(struct unc_checker *c, const struct unc_map_file *file, struct unc_unit *ret_unit)
{
	struct unc_unit unit = {0};
	struct unc_map_tree *tree;
	int rc;

	rc = unc_checked_tree(c, file, &tree);
	if (rc < 0 || !tree)
		return rc;
	rc = examine_tree(c, file, tree, &unit);
	if (!unit.tree)
		unc_map_tree_free(tree); /* else the unit owns it */
	if (rc < 0 || c->errors)
		unc_unit_clear(&unit);
	c->tree = NULL;
	*ret_unit = unit;
	return rc;
}

/* Returns "regs" for "regs/x.yaml", "." for "x.yaml".  NULL: out of memory. */
static char *folder_of(const char *path)
{
	char *dir = unc_map_join(path, "", "");
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (dir && !slash) {
		free(dir);
		return unc_map_join(".", "", "");
	}
	if (dir)
		slash[slash == dir] = '\0'; /* for "/x.yaml" it is "/" */
	return dir;
}

int unc_map_check_text(struct unc_ctx *ctx, const char *path, const char *text, size_t len, bool loaded,
		       unc_map_report_fn *report, void *arg, unsigned *ret_errors)
{
	struct unc_checker c = {.ctx = ctx, .report = report, .arg = arg};
	struct unc_map_file file = {.path = path, .text = text, .len = len, .loaded = loaded};
	char *dir = loaded ? folder_of(path) : NULL;
	struct unc_metrics metrics = {0};
	struct unc_unit unit = {0};
	int rc;

	if (loaded && !dir)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path);
	file.dir = dir;
	if (unc_metrics_known(ctx, &file)) {
		rc = unc_metrics_examine(&c, &file, &metrics);
		unc_metrics_clear(&metrics);
	} else {
		rc = unc_map_examine(&c, &file, &unit);
		unc_unit_clear(&unit);
	}
	free(dir);
	if (rc == 0)
		*ret_errors = c.errors;
	return rc;
}
