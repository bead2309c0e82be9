// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/parse.h"

#include "base/text.h"
#include "map/field.h"

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

/* "[0-7]" */
static bool parse_range(struct unc_family *family, const char **text)
{
	unsigned k = family->n_ranges;
	uint64_t first, last;

	if (k == UNC_FAMILY_RANGES)
		return false;
	family->at[k] = (size_t)(*text - family->name);
	++*text;
	if (!unc_text_digits(text, 10, 3, &first) || *(*text)++ != '-' || !unc_text_digits(text, 10, 3, &last) ||
	    *(*text)++ != ']' || last < first || last - first >= UNC_FAMILY_LENGTH)
		return false;
	family->first[k] = (unsigned)first;
	family->len[k] = (unsigned)(last - first) + 1;
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

/* An array for the children of a list or mapping, at least one element long.  NULL: out of memory. */
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

static unsigned number(const struct unc_yaml *node, const char *key, unsigned otherwise)
{
	return (unsigned)unc_yaml_number(unc_yaml_get(node, key), otherwise);
}

static int word(const char *const *words, const struct unc_yaml *node)
{
	return unc_word_find(words, unc_yaml_text(node));
}

/* Fields, which stand in any order, by falling bit. */
static int compare_fields(const void *a, const void *b)
{
	const struct unc_field *x = a, *y = b;

	return x->hi != y->hi ? (x->hi < y->hi ? 1 : -1) : (x->lo < y->lo) - (x->lo > y->lo);
}

static bool parse_field(const struct unc_map_tree *tree, const struct unc_yaml *node, struct unc_field *field)
{
	const struct unc_yaml *bits = unc_yaml_get(node, "bits"), *reset = unc_yaml_get(node, "reset");
	const struct unc_yaml *said = unc_yaml_get(node, "said");
	bool pair = bits->kind == UNC_YAML_LIST;

	*field = (struct unc_field){.name = node->key,
				    .desc = text(node, "is"),
				    .src = text(node, "src"),
				    .verify = text(node, "verify"),
				    .tested = text(node, "tested"),
				    .path = tree->path[node->file],
				    .line = unc_yaml_line(node),
				    .hi = (unsigned)unc_yaml_number(pair ? bits->child : bits, 0),
				    .lo = (unsigned)unc_yaml_number(pair ? bits->child->next : bits, 0),
				    .acc = (enum unc_acc)word(unc_words_access, unc_yaml_get(node, "access")),
				    .reset_known = reset != NULL,
				    .reset = unc_yaml_number(reset, 0),
				    .write = unc_yaml_number(unc_yaml_get(node, "write"), 0)};
	if (!said)
		return true;
	field->said = array_for(said, sizeof(*field->said), &field->n_said);
	if (!field->said)
		return false;
	said = said->child;
	for (size_t i = 0; i < field->n_said; i++, said = said->next)
		field->said[i] = (struct unc_said){.tag = said->key, .acc = (enum unc_acc)word(unc_words_access, said)};
	return true;
}

static bool parse_reg(const struct unc_map_tree *tree, const struct unc_yaml *node, struct unc_reg *reg)
{
	const struct unc_yaml *field = unc_yaml_get(node, "fields"), *at = unc_yaml_get(node, "at");
	bool good = true;

	*reg = (struct unc_reg){.name = node->key,
				.desc = text(node, "is"),
				.src = text(node, "src"),
				.verify = text(node, "verify"),
				.tested = text(node, "tested"),
				.path = tree->path[node->file],
				.line = unc_yaml_line(node),
				.off = at->kind == UNC_YAML_MAP ? number(at, "first", 0)
								: (uint32_t)unc_yaml_number(at, 0),
				.step = number(at, "step", 0),
				.count = number(at, "count", 1),
				.bits = number(node, "bits", 32),
				.write_whole = text(node, "write") != NULL,
				.never = text(node, "use") != NULL,
				.optional = text(node, "optional") != NULL,
				.within = text(node, "within"),
				.through = text(node, "through")};
	reg->fields = array_for(field, sizeof(*reg->fields), &reg->n_fields);
	if (!reg->fields)
		return false;
	field = field->child;
	for (size_t i = 0; i < reg->n_fields; i++, field = field->next)
		good &= parse_field(tree, field, &reg->fields[i]);
	qsort(reg->fields, reg->n_fields, sizeof(*reg->fields), compare_fields);
	return good;
}

static bool parse_regs(struct unc_unit *unit, const struct unc_yaml *node)
{
	size_t i = 0;

	unit->regs = array_for(node, sizeof(*unit->regs), &unit->n_regs);
	if (!unit->regs)
		return false;
	for (const struct unc_yaml *reg = node ? node->child : NULL; reg; reg = reg->next)
		if (!parse_reg(unit->tree, reg, &unit->regs[i++]))
			return false;
	return true;
}

/* What the event says, or else what every_event does. */
static const struct unc_yaml *said(const struct unc_yaml *node, const struct unc_yaml *every, const char *key)
{
	const struct unc_yaml *value = unc_yaml_get(node, key);

	return value ? value : unc_yaml_get(every, key);
}

/* What all members of a family have in common. */
static struct unc_event parse_event(const struct unc_map_tree *tree, const struct unc_yaml *every,
				    const struct unc_yaml *node)
{
	struct unc_event event = {.name = node->key,
				  .desc = text(node, "is"),
				  .src = unc_yaml_text(said(node, every, "src")),
				  .verify = unc_yaml_text(said(node, every, "verify")),
				  .path = tree->path[node->file],
				  .line = unc_yaml_line(node),
				  .n_select = count_children(unc_yaml_get(node, "select")),
				  .fixed = text(node, "fixed") != NULL,
				  .as = text(node, "as"),
				  .reg = text(node, "register"),
				  .max_inc = (unsigned)unc_yaml_number(said(node, every, "max_inc"), 0),
				  .one_per = number(node, "one_per", 0),
				  .clock_bytes = number(node, "clock_bytes", 0),
				  .scale = 1,
				  .unit = text(node, "in")};
	const char *counters = event.fixed || event.as || event.reg ? text(node, "counters")
								    : unc_yaml_text(said(node, every, "counters"));
	uint64_t counter, last;

	while (unc_text_range(&counters, 31, &counter, &last))
		for (; counter <= last; counter++)
			event.counters |= UINT32_C(1) << counter;
	if (text(node, "scale"))
		unc_text_double(text(node, "scale"), &event.scale);
	return event;
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
		*ret_select++ = (struct unc_select){.field = one->key, .value = unc_yaml_number(value, 0)};
	}
}

/* Allocates a text that the unit owns from then on.  NULL: out of memory. */
static char *text_new(struct unc_unit *unit, size_t size)
{
	char *text = calloc(1, size);

	if (text)
		unit->texts[unit->n_texts++] = text;
	return text;
}

/* "dclockticks, dclk2" */
static const char *join_names(struct unc_unit *unit, const struct unc_yaml *list)
{
	size_t size = 1;
	char *names;

	for (const struct unc_yaml *one = list->child; one; one = one->next)
		size += strlen(one->text) + 2;
	names = text_new(unit, size);
	for (const struct unc_yaml *one = list->child; one && names; one = one->next)
		unc_text_join(names, size, ", ", "%s", one->text);
	return names;
}

/* Adds an event, or all of a family, which take the next of the unit's events and selects. */
static bool parse_family(struct unc_unit *unit, const struct unc_yaml *every, const struct unc_yaml *node,
			 struct unc_select **selects)
{
	const struct unc_yaml *also = unc_yaml_get(node, "also");
	struct unc_event common = parse_event(unit->tree, every, node);
	struct unc_family family;
	char *names = NULL;
	size_t n;

	if (!unc_family_parse(node->key, &family))
		return true; /* the shape of the map was checked, so this does not happen */
	n = unc_family_count(&family);
	if (family.n_ranges && !(names = text_new(unit, n * UNC_FAMILY_NAME)))
		return false;
	if (also && also->child && !(common.also = join_names(unit, also)))
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned indices[UNC_FAMILY_RANGES] = {0};

		if (names) {
			unc_family_member(&family, i, names + i * UNC_FAMILY_NAME);
			common.name = names + i * UNC_FAMILY_NAME;
		}
		unc_family_indices(&family, i, indices);
		parse_select(unc_yaml_get(node, "select"), indices, *selects);
		common.select = *selects;
		*selects += common.n_select;
		unit->events[unit->n_events++] = common;
	}
	return true;
}

static bool parse_events(struct unc_unit *unit, const struct unc_yaml *node, const struct unc_yaml *every)
{
	const struct unc_yaml *every_select = unc_yaml_get(every, "select");
	size_t n_events = 0, n_selects = count_children(every_select), n_nodes = 0;
	const unsigned none[UNC_FAMILY_RANGES] = {0};
	struct unc_select *selects;

	unit->n_every = n_selects;

	for (const struct unc_yaml *event = node ? node->child : NULL; event; event = event->next, n_nodes++) {
		struct unc_family family;
		size_t n = unc_family_parse(event->key, &family) ? unc_family_count(&family) : 0;

		n_events += n;
		n_selects += n * count_children(unc_yaml_get(event, "select"));
	}
	unit->events = calloc(n_events + 1, sizeof(*unit->events));
	unit->selects = selects = calloc(n_selects + 1, sizeof(*unit->selects));
	unit->texts = calloc(2 * n_nodes + 1, sizeof(*unit->texts));
	if (!unit->events || !unit->selects || !unit->texts)
		return false;
	parse_select(every_select, none, selects);
	selects += unit->n_every;
	for (const struct unc_yaml *event = node ? node->child : NULL; event; event = event->next)
		if (!parse_family(unit, every, event, &selects))
			return false;
	return true;
}

static int peer(const struct unc_yaml *node, const char *key)
{
	return unc_yaml_get(node, key) ? (int)number(node, key, 0) : -1;
}

static bool parse_instances(struct unc_unit *unit, const struct unc_yaml *node)
{
	struct unc_instance *instance = array_for(node, sizeof(*instance), &unit->n_instances);

	unit->instances = instance;
	if (!instance)
		return false;
	for (const struct unc_yaml *one = node ? node->child : NULL; one; one = one->next, instance++) {
		*instance = (struct unc_instance){
			.path = unit->tree->path[one->file],
			.line = unc_yaml_line(one),
			.numbered = unc_yaml_get(one, "imc") || unc_yaml_get(one, "channel"),
			.whole = !unc_yaml_get(one, "channel"),
			.hbm = text(one, "memory") != NULL,
			.imc = number(one, "imc", 0),
			.channel = number(one, "channel", 0),
			.perf = peer(one, "perf"),
			.pcm = peer(one, "pcm"),
			.likwid = peer(one, "likwid"),
		};
		/* What is malformed stays 0 and is found by the check instance_valid. */
		if (text(one, "pci") && text(one, "at"))
			unc_pci_place_parse(text(one, "pci"), text(one, "at"), instance);
	}
	return true;
}

static bool parse_texts(struct unc_unit *unit, const struct unc_yaml *sources, const struct unc_yaml *notes)
{
	size_t i = 0;

	unit->sources = array_for(sources, sizeof(*unit->sources), &unit->n_sources);
	unit->remarks = array_for(notes, sizeof(*unit->remarks), &unit->n_remarks);
	if (!unit->sources || !unit->remarks)
		return false;
	for (const struct unc_yaml *one = sources->child; one; one = one->next)
		unit->sources[i++] = (struct unc_source){.tag = one->key, .title = one->text};
	i = 0;
	for (const struct unc_yaml *one = notes ? notes->child : NULL; one; one = one->next)
		unit->remarks[i++] = (struct unc_remark){.text = text(one, "is"),
							 .src = text(one, "src"),
							 .verify = text(one, "verify"),
							 .path = unit->tree->path[one->file],
							 .line = unc_yaml_line(one)};
	return true;
}

int unc_unit_parse(struct unc_ctx *ctx, struct unc_map_tree *tree, struct unc_unit *ret_unit)
{
	const struct unc_yaml *root = tree->root, *bus = unc_yaml_get(root, "bus"),
			      *found = unc_yaml_get(root, "found"), *per = unc_yaml_get(root, "per");
	struct unc_unit unit = {.map = tree->name[0],
				.path = tree->path[0],
				.line = unc_yaml_line(unc_yaml_get(root, "cpus")),
				.loaded = !tree->built_in[0],
				.name = text(root, "unit"),
				.model = text(root, "model"),
				.title = text(root, "title"),
				.refused = text(root, "refused"),
				.kind = (enum unc_kind)word(unc_words_space, unc_yaml_get(root, "space")),
				.box_type = peer(root, "box_type"),
				.by_cpuid = found && strcmp(found->text, "cpuid") == 0,
				.saturates = text(root, "saturates") != NULL,
				.counts_in = text(root, "counts_in"),
				.counter_bits = number(root, "counter_bits", 0),
				.max_clock_hz = (uint64_t)number(root, "max_clock_mhz", 0) * 1000000,
				.tree = tree};

	if (bus)
		unit.bus = UNC_BUS_LOWER + (enum unc_ubox_bus)word(unc_words_bus, bus);
	if (per)
		unit.per = UNC_PER_NODE + (enum unc_scope)word(unc_words_per, per);
	if (found && !unit.by_cpuid)
		unit.found = (enum unc_window_way)(1 + word(unc_words_found, found));
	if (!parse_texts(&unit, unc_yaml_get(root, "sources"), unc_yaml_get(root, "notes")) ||
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

bool unc_pci_place_parse(const char *id, const char *at, struct unc_instance *instance)
{
	uint64_t vendor, device, dev, fn;

	/* The lengths are those of all digits. */
	if (strlen(id) != 9 || !unc_text_digits(&id, 16, 4, &vendor) || *id++ != ':' ||
	    !unc_text_digits(&id, 16, 4, &device) || *id)
		return false;
	if (strlen(at) != 4 || !unc_text_digits(&at, 16, 2, &dev) || *at++ != '.' ||
	    !unc_text_digits(&at, 16, 1, &fn) || *at || dev > 0x1f || fn > 7)
		return false;
	instance->vendor = (uint16_t)vendor;
	instance->device = (uint16_t)device;
	instance->dev = (uint8_t)dev;
	instance->fn = (uint8_t)fn;
	return true;
}

bool unc_cpuid_bits_parse(const char *text, struct unc_cpuid_bits *ret_bits)
{
	static const char *const regs[] = {"eax[", "ebx[", "ecx[", "edx["};
	uint64_t leaf, subleaf, hi, lo;
	unsigned reg = 0;

	if (!unc_text_digits(&text, 16, 8, &leaf) || *text++ != '.' || !unc_text_digits(&text, 16, 8, &subleaf) ||
	    *text++ != ':')
		return false;
	while (reg < 4 && strncmp(text, regs[reg], 4) != 0)
		reg++;
	if (reg == 4)
		return false;
	text += 4;
	if (!unc_text_number(&text, &hi))
		return false;
	lo = hi;
	if (*text == ':') {
		text++;
		if (!unc_text_number(&text, &lo))
			return false;
	}
	if (strcmp(text, "]") != 0 || hi > 31 || lo > hi)
		return false;
	*ret_bits = (struct unc_cpuid_bits){.leaf = (uint32_t)leaf,
					    .subleaf = (uint32_t)subleaf,
					    .reg = reg,
					    .bits = {.name = "cpuid", .lo = (unsigned)lo, .hi = (unsigned)hi}};
	return true;
}

/* A leaf beyond the highest one answers with the data of another, so the highest is read first. */
static int one_holds(const struct unc_yaml *when, const struct unc_cpu_id *cpu, bool *ret_holds)
{
	uint32_t extended = UINT32_C(0x80000000);
	struct unc_host *host = cpu->host;
	struct unc_cpuid_bits want;
	struct unc_cpuid_regs r;
	int rc;

	*ret_holds = false;
	if (!host || !unc_cpuid_bits_parse(unc_yaml_text(unc_yaml_get(when, "cpuid")), &want))
		return 0;
	rc = host->ops->cpuid(host, cpu->cpu, want.leaf < extended ? 0 : extended, 0, &r);
	if (rc == 0 && want.leaf > r.eax)
		return 0;
	if (rc == 0)
		rc = host->ops->cpuid(host, cpu->cpu, want.leaf, want.subleaf, &r);
	if (rc == 0) {
		const uint32_t regs[] = {r.eax, r.ebx, r.ecx, r.edx};

		uint64_t value = unc_field_get(&want.bits, regs[want.reg]);
		const struct unc_yaml *is = unc_yaml_get(when, "is");

		*ret_holds =
			is ? value == unc_yaml_number(is, 0) : value != unc_yaml_number(unc_yaml_get(when, "not"), 0);
	}
	return rc == UNC_ENODATA ? 0 : rc;
}

/* Of a number, or of [low, high]. */
static bool is_or_unsaid(const struct unc_yaml *entry, const char *key, unsigned is)
{
	const struct unc_yaml *said = unc_yaml_get(entry, key);
	bool pair = said && said->kind == UNC_YAML_LIST;

	return !said || (unc_yaml_number(pair ? said->child : said, 0) <= is &&
			 is <= unc_yaml_number(pair ? said->child->next : said, 0));
}

static bool identity_fits(const struct unc_yaml *entry, const struct unc_cpu_id *cpu)
{
	if (strcmp(unc_yaml_text(unc_yaml_get(entry, "vendor")), cpu->vendor) != 0)
		return false;
	return is_or_unsaid(entry, "family", cpu->family) && is_or_unsaid(entry, "model", cpu->model) &&
	       is_or_unsaid(entry, "stepping", cpu->stepping);
}

int unc_cpus_match(struct unc_ctx *ctx, const struct unc_yaml *cpus, const struct unc_cpu_id *cpu, bool *ret_fits)
{
	bool fits = false;

	for (const struct unc_yaml *entry = cpus->child; entry && !fits; entry = entry->next) {
		const struct unc_yaml *when = unc_yaml_get(entry, "when");
		bool is_list = when && when->kind == UNC_YAML_LIST;
		int rc = 0;

		fits = identity_fits(entry, cpu);
		if (is_list)
			when = when->child;
		for (; when && rc == 0 && fits; when = is_list ? when->next : NULL)
			rc = one_holds(when, cpu, &fits);
		if (rc < 0)
			return unc_wrap(ctx, rc, "which register map fits");
	}
	*ret_fits = fits;
	return 0;
}
