// SPDX-License-Identifier: GPL-2.0-or-later
/* What happened, as lines of a record tell it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/replay_text.h"
#include "base/text.h"

enum { PATH = 512, ITEMS = 1 << 20 };

static bool step(const char *text, struct unc_replay_thing *thing)
{
	thing->backwards = text[0] == '-';
	return (text[0] == '+' || text[0] == '-') && unc_text_u64(text + 1, &thing->ns);
}

/* "r+50": of a line of times. */
static bool parse_time(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char buf[UNC_REPLAY_WORD];
	const char *clock;

	if (!*unc_replay_word(c, buf))
		return false;
	clock = strchr(unc_record_clocks, buf[0]);
	if (!clock)
		return false;
	thing->kind = UNC_REPLAY_TIME;
	thing->clock = (enum unc_clock)(clock - unc_record_clocks);
	return step(buf + 1, thing);
}

static bool parse_sleep(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char buf[UNC_REPLAY_WORD];

	unc_replay_word(c, buf);
	thing->forever = strcmp(buf, "forever") == 0;
	return (thing->forever || (buf[0] == 'm' && step(buf + 1, thing))) && unc_replay_ending(c, thing);
}

static bool parse_cpuid(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	if (!unc_replay_unsigned(c, &thing->cpu) || !unc_replay_number32(c, &thing->leaf) ||
	    !unc_replay_number32(c, &thing->subleaf))
		return false;
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing);
	return unc_replay_number32(c, &thing->regs.eax) && unc_replay_number32(c, &thing->regs.ebx) &&
	       unc_replay_number32(c, &thing->regs.ecx) && unc_replay_number32(c, &thing->regs.edx) && c->at == c->end;
}

static bool parse_kind(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char buf[UNC_REPLAY_WORD];

	unc_replay_word(c, buf);
	for (unsigned kind = 0; kind < UNC_KINDS; kind++) {
		if (strcmp(buf, unc_record_kinds[kind]) == 0) {
			thing->bus = (enum unc_kind)kind;
			return true;
		}
	}
	return false;
}

static bool parse_bus(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char buf[UNC_REPLAY_WORD];

	if (!parse_kind(c, thing))
		return false;
	unc_replay_word(c, buf);
	thing->writable = strcmp(buf, "rw") == 0;
	return (thing->writable || strcmp(buf, "ro") == 0) && unc_replay_ending(c, thing);
}

/* What unc_addr_text() prints. */
static bool parse_space(const char *name, struct unc_addr *ret_addr)
{
	struct unc_addr addr = {.kind = UNC_MSR};
	char again[UNC_ADDR_TEXT];
	uint64_t cpu;

	if (strncmp(name, "cpu", 3) == 0) {
		if (!unc_text_u64(name + 3, &cpu) || cpu > INT32_MAX)
			return false;
		addr.msr.cpu = (unsigned)cpu;
	} else if (name[0] == '0' && name[1] == 'x') {
		addr.kind = UNC_MMIO;
		addr.mmio.len = 0;
		if (!unc_text_u64(name, &addr.mmio.base))
			return false;
	} else if (!unc_addr_parse_pci(name, &addr)) {
		return false;
	}
	if (strcmp(unc_addr_text(&addr, again), name) != 0)
		return false;
	*ret_addr = addr;
	return true;
}

static bool parse_space_name(struct unc_replay_cursor *c, struct unc_replay_thing *thing, struct unc_addr *ret_addr)
{
	char buf[UNC_REPLAY_WORD];

	if (!parse_space(unc_replay_word(c, buf), ret_addr))
		return false;
	unc_addr_text(ret_addr, thing->space);
	return true;
}

static bool parse_open(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct unc_addr addr;

	if (!parse_space_name(c, thing, &addr))
		return false;
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing);
	return unc_replay_number(c, UINT64_MAX, &thing->len) && c->at == c->end;
}

static bool parse_claim(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char buf[UNC_REPLAY_WORD];
	struct unc_addr addr;
	unsigned how = 0;

	unc_replay_word(c, buf);
	while (how < UNC_RECORD_CLAIMS && strcmp(buf, unc_record_claims[how]) != 0)
		how++;
	thing->claim = (enum unc_claim)how;
	return how < UNC_RECORD_CLAIMS && parse_space_name(c, thing, &addr) &&
	       unc_replay_number(c, UINT64_MAX, &thing->off) && unc_replay_number(c, UINT64_MAX, &thing->len) &&
	       unc_replay_ending(c, thing);
}

/* Data as hex digits, up to a blank. */
static bool parse_hex(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	thing->len = 0;
	while (c->at < c->end && *c->at != ' ') {
		int hi = unc_text_digit(c->at[0]), lo = c->at + 1 < c->end ? unc_text_digit(c->at[1]) : -1;

		if (hi < 0 || lo < 0 || thing->len == sizeof(thing->bytes))
			return false;
		thing->bytes[thing->len++] = (unsigned char)(hi << 4 | lo);
		c->at += 2;
	}
	if (c->at < c->end)
		c->at++;
	return thing->len != 0;
}

/* The data of an access whose op is known; of a read that failed its length alone. */
static bool parse_data(struct unc_replay_cursor *c, const char *op, struct unc_replay_thing *thing)
{
	bool block = strcmp(op + 1, "blk") == 0;
	uint64_t value;

	if (c->at < c->end && *c->at == '*' && thing->kind == UNC_REPLAY_READ) {
		c->at++;
		return unc_replay_number(c, UNC_RECORD_BLOCK, &thing->len) && unc_replay_failed(c);
	}
	if (block)
		return parse_hex(c, thing);
	thing->len = strcmp(op + 1, "64") == 0 ? 8 : 4;
	if (!unc_replay_number(c, thing->len == 8 ? UINT64_MAX : UINT32_MAX, &value))
		return false;
	unc_put_le64(thing->bytes, value);
	return true;
}

static bool parse_access(struct unc_replay_cursor *c, const char *op, struct unc_replay_thing *thing)
{
	struct unc_addr addr;

	thing->kind = op[0] == 'w' ? UNC_REPLAY_WRITE : UNC_REPLAY_READ;
	if (!parse_space_name(c, thing, &addr) || !unc_replay_number(c, UINT64_MAX, &thing->off) ||
	    !parse_data(c, op, thing))
		return false;
	return strcmp(op, unc_record_op(op[0] == 'w', addr.kind, thing->off, (size_t)thing->len)) == 0 &&
	       unc_replay_ending(c, thing);
}

/* "ID:CPUS:FIRST" */
static bool parse_package(char *text, struct unc_package *ret_package)
{
	unsigned *const numbers[] = {&ret_package->id, &ret_package->n_cpus, &ret_package->first_cpu};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *piece = unc_text_cut(&text, ':');
		uint64_t value;

		if (!piece || !unc_text_u64(piece, &value) || value > INT32_MAX)
			return false;
		*numbers[i] = (unsigned)value;
	}
	return !text;
}

static int parse_topology(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct unc_topo *topo = &thing->topo;

	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing) ? UNC_OK : UNC_EARG;
	if (!unc_replay_unsigned(c, &topo->n_cpus) || !unc_replay_unsigned(c, &topo->first_cpu))
		return UNC_EARG;
	while (c->at < c->end) {
		struct unc_package *packages, package;
		char buf[UNC_REPLAY_WORD];

		unc_replay_word(c, buf);
		if (!parse_package(buf, &package))
			return UNC_EARG;
		packages = unc_array_more(topo->packages, topo->n_packages, sizeof(*packages));
		if (!packages)
			return unc_replay_no_memory(c->text);
		topo->packages = packages;
		packages[topo->n_packages++] = package;
	}
	return UNC_OK;
}

/* At the next of many, which may be the first of a line that begins with +. */
static bool at_item(struct unc_replay_cursor *c)
{
	char buf[UNC_REPLAY_WORD];

	return c->at < c->end || (unc_replay_next_line(c->text, c) && strcmp(unc_replay_word(c, buf), "+") == 0);
}

static int parse_list(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	uint64_t n;

	if (!parse_kind(c, thing))
		return UNC_EARG;
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing) ? UNC_OK : UNC_EARG;
	if (!unc_replay_number(c, ITEMS, &n) || c->at < c->end)
		return UNC_EARG;
	while (thing->n < n) {
		struct unc_addr *addrs;
		char buf[UNC_REPLAY_WORD];

		if (!at_item(c))
			return UNC_EARG;
		addrs = unc_array_more(thing->addrs, thing->n, sizeof(*addrs));
		if (!addrs)
			return unc_replay_no_memory(c->text);
		thing->addrs = addrs;
		if (!parse_space(unc_replay_word(c, buf), &addrs[thing->n++]))
			return UNC_EARG;
	}
	return c->at == c->end ? UNC_OK : UNC_EARG;
}

struct growing {
	char *bytes; /* owned by the thing */
	size_t len;
};

static bool grow(struct growing *growing, char c)
{
	char *bytes = unc_array_more(growing->bytes, growing->len, 1);

	if (!bytes)
		return false;
	growing->bytes = bytes;
	bytes[growing->len++] = c;
	return true;
}

/* What stands in the line, decoded, and one more character. */
static int grow_line(struct unc_replay_cursor *c, struct growing *growing, bool has_last, char last)
{
	while (c->at < c->end) {
		char decoded;

		if (!unc_replay_char(c, &decoded) || growing->len > UNC_RECORD_TEXT)
			return UNC_EARG;
		if (!grow(growing, decoded))
			return unc_replay_no_memory(c->text);
	}
	return !has_last || grow(growing, last) ? UNC_OK : unc_replay_no_memory(c->text);
}

/* N, and N lines of a name. */
static int parse_names(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct growing names = {0};
	int rc = UNC_OK;
	char buf[UNC_REPLAY_WORD];
	uint64_t n;

	if (!unc_replay_number(c, ITEMS, &n) || c->at < c->end)
		return UNC_EARG;
	while (thing->n < n && rc == UNC_OK) {
		if (!unc_replay_next_line(c->text, c) || strcmp(unc_replay_word(c, buf), "+") != 0 || c->at == c->end ||
		    memchr(c->at, '/', (size_t)(c->end - c->at)))
			rc = UNC_EARG;
		else
			rc = grow_line(c, &names, true, '\0');
		thing->file = names.bytes;
		thing->n++;
	}
	return rc;
}

static int parse_maps(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing) ? UNC_OK : UNC_EARG;
	return parse_names(c, thing);
}

/* BYTES, and lines with so many. */
static int parse_text(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct growing file = {0};
	int rc = UNC_OK;
	char buf[UNC_REPLAY_WORD];
	uint64_t len;

	if (!unc_text_u64(unc_replay_word(c, buf), &len) || len > UNC_RECORD_TEXT || c->at < c->end)
		return UNC_EARG;
	while (file.len < len && rc == UNC_OK) {
		char first = unc_replay_peek(c->text);

		if (!unc_replay_next_line(c->text, c) || (first != '|' && first != ':'))
			rc = UNC_EARG;
		c->at++;
		if (rc == UNC_OK)
			rc = grow_line(c, &file, first == '|', '\n');
		thing->file = file.bytes;
	}
	thing->n = file.len;
	if (rc == UNC_OK && file.len != len)
		rc = UNC_EARG;
	if (rc == UNC_OK && !grow(&file, '\0'))
		rc = unc_replay_no_memory(c->text);
	thing->file = file.bytes;
	return rc;
}

/* "=" and the rest of the line. */
static int parse_link(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct growing target = {0};
	int rc;

	if (c->at == c->end || *c->at++ != '=')
		return UNC_EARG;
	rc = grow_line(c, &target, true, '\0');
	thing->file = target.bytes;
	thing->n = target.len;
	return rc;
}

/* A name or path first, then what the kind has. */
static int parse_named(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct unc_replay_cursor word_only = *c;
	char name[PATH];

	word_only.end = memchr(c->at, ' ', (size_t)(c->end - c->at));
	if (!word_only.end || !unc_replay_rest(&word_only, name, sizeof(name)))
		return UNC_EARG;
	c->at = word_only.end + 1;
	if (unc_replay_failed(c)) {
		if (!unc_replay_ending(c, thing))
			return UNC_EARG;
		thing->file = unc_text_dup(name);
		return thing->file ? UNC_OK : unc_replay_no_memory(c->text);
	}
	snprintf(thing->text, sizeof(thing->text), "%s", name);
	if (thing->kind == UNC_REPLAY_LINK)
		return parse_link(c, thing);
	return thing->kind == UNC_REPLAY_NAMES ? parse_names(c, thing) : parse_text(c, thing);
}

/* "CPU:PACKAGE:NODE:L3" or "CPU:off" */
static bool parse_cpu(char *text, struct unc_host_cpu *ret_cpu)
{
	int *const numbers[] = {&ret_cpu->package, &ret_cpu->node, &ret_cpu->l3};
	const char *piece = unc_text_cut(&text, ':');
	uint64_t value;

	*ret_cpu = (struct unc_host_cpu){.package = -1, .node = -1, .l3 = -1};
	if (!piece || !text || !unc_text_u64(piece, &value) || value > INT32_MAX)
		return false;
	ret_cpu->cpu = (unsigned)value;
	if (strcmp(text, "off") == 0)
		return true;
	ret_cpu->online = true;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		piece = unc_text_cut(&text, ':');
		if (piece && strcmp(piece, "-") == 0)
			continue;
		if (!piece || !unc_text_u64(piece, &value) || value > INT32_MAX)
			return false;
		*numbers[i] = (int)value;
	}
	return !text;
}

/* Its own, behind those that it has; NULL without memory. */
static struct unc_host_cpu *one_more_cpu(struct unc_replay_thing *thing)
{
	struct unc_host_cpu *cpus = unc_array_more(thing->cpus, thing->n, sizeof(*cpus));

	if (!cpus)
		return NULL;
	thing->cpus = cpus;
	return &cpus[thing->n++];
}

static int parse_cpus(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	uint64_t n;

	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing) ? UNC_OK : UNC_EARG;
	if (!unc_replay_number(c, ITEMS, &n) || c->at < c->end)
		return UNC_EARG;
	while (thing->n < n) {
		struct unc_host_cpu *cpu;
		char buf[UNC_REPLAY_WORD];

		if (!at_item(c))
			return UNC_EARG;
		cpu = one_more_cpu(thing);
		if (!cpu)
			return unc_replay_no_memory(c->text);
		unc_replay_word(c, buf);
		if (!parse_cpu(buf, cpu))
			return UNC_EARG;
	}
	return c->at == c->end ? UNC_OK : UNC_EARG;
}

/* The index of the word among these, or n. */
static unsigned word_of(struct unc_replay_cursor *c, const char *const *words, unsigned n)
{
	char buf[UNC_REPLAY_WORD];
	unsigned i = 0;

	unc_replay_word(c, buf);
	while (i < n && strcmp(buf, words[i]) != 0)
		i++;
	return i;
}

static int parse_traffic_cpus(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	while (thing->n < thing->traffic.n_cpus) {
		struct unc_host_cpu *cpu;

		if (!at_item(c))
			return UNC_EARG;
		cpu = one_more_cpu(thing);
		if (!cpu)
			return unc_replay_no_memory(c->text);
		if (!unc_replay_unsigned(c, &cpu->cpu))
			return UNC_EARG;
	}
	return c->at == c->end ? UNC_OK : UNC_EARG;
}

/* KIND NODE BYTES_PER_S SIZE_BYTES N, and N CPUs in lines behind it */
static int parse_traffic_start(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct unc_traffic *traffic = &thing->traffic;
	unsigned kind = word_of(c, unc_record_traffic_kinds, UNC_RECORD_TRAFFIC_KINDS);
	uint64_t n;

	if (kind == UNC_RECORD_TRAFFIC_KINDS || !unc_replay_unsigned(c, &traffic->node) ||
	    !unc_replay_number(c, UINT64_MAX, &traffic->bytes_per_s) ||
	    !unc_replay_number(c, UINT64_MAX, &traffic->size_bytes) || !unc_replay_number(c, ITEMS, &n))
		return UNC_EARG;
	traffic->kind = (enum unc_traffic_kind)kind;
	traffic->n_cpus = (size_t)n;
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing) ? UNC_OK : UNC_EARG;
	return c->at == c->end ? parse_traffic_cpus(c, thing) : UNC_EARG;
}

static int parse_traffic(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct unc_traffic_done *done = &thing->done;
	unsigned op = word_of(c, unc_record_traffic_ops, UNC_RECORD_TRAFFIC_OPS);

	if (op == UNC_RECORD_TRAFFIC_OPS)
		return UNC_EARG;
	thing->op = (enum unc_traffic_op)op;
	if (op == UNC_TRAFFIC_START)
		return parse_traffic_start(c, thing);
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing) ? UNC_OK : UNC_EARG;
	return unc_replay_number(c, UINT64_MAX, &done->loaded_bytes) &&
			       unc_replay_number(c, UINT64_MAX, &done->stored_bytes) &&
			       unc_replay_number(c, UINT64_MAX, &done->nt_stored_bytes) &&
			       unc_replay_number(c, UINT64_MAX, &done->raw_ns) && c->at == c->end
		       ? UNC_OK
		       : UNC_EARG;
}

static bool parse_outside(struct unc_replay_cursor *c, struct unc_replay_thing *thing, enum unc_record_end end)
{
	uint64_t value;

	thing->kind = UNC_REPLAY_OUTSIDE;
	thing->end = end;
	if (!unc_replay_number(c, 255, &value) || !unc_replay_unsigned(c, &thing->asked) || c->at < c->end)
		return false;
	thing->number = (int)value;
	return end != UNC_RECORD_SIGNAL || (thing->number > 0 && thing->number < 65);
}

static int parsed(bool well)
{
	return well ? UNC_OK : UNC_EARG;
}

/* A line whose first word is that. */
static int parse_line(struct unc_replay_cursor *c, const char *first, struct unc_replay_thing *thing)
{
	static const struct {
		const char *word;
		enum unc_replay_kind kind;
		bool (*parse)(struct unc_replay_cursor *c, struct unc_replay_thing *thing);
		int (*parse_long)(struct unc_replay_cursor *c, struct unc_replay_thing *thing);
	} rows[] = {
		{"sleep", UNC_REPLAY_SLEEP, parse_sleep, NULL},
		{"cpuid", UNC_REPLAY_CPUID, parse_cpuid, NULL},
		{"bus", UNC_REPLAY_BUS, parse_bus, NULL},
		{"open", UNC_REPLAY_OPEN, parse_open, NULL},
		{"claim", UNC_REPLAY_CLAIM, parse_claim, NULL},
		{"topology", UNC_REPLAY_TOPOLOGY, NULL, parse_topology},
		{"list", UNC_REPLAY_LIST, NULL, parse_list},
		{"maps", UNC_REPLAY_MAPS, NULL, parse_maps},
		{"file", UNC_REPLAY_FILE, NULL, parse_named},
		{"cpus", UNC_REPLAY_CPUS, NULL, parse_cpus},
		{"text", UNC_REPLAY_TEXT, NULL, parse_named},
		{"names", UNC_REPLAY_NAMES, NULL, parse_named},
		{"link", UNC_REPLAY_LINK, NULL, parse_named},
		{"traffic", UNC_REPLAY_TRAFFIC, NULL, parse_traffic},
		{"perf", UNC_REPLAY_PERF, NULL, unc_replay_parse_perf},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(first, rows[i].word) != 0)
			continue;
		thing->kind = rows[i].kind;
		return rows[i].parse ? parsed(rows[i].parse(c, thing)) : rows[i].parse_long(c, thing);
	}
	for (unsigned end = 0; end < UNC_RECORD_ENDS; end++)
		if (strcmp(first, unc_record_ends[end]) == 0)
			return parsed(parse_outside(c, thing, (enum unc_record_end)end));
	if (strcmp(first, "note") == 0) {
		thing->kind = UNC_REPLAY_NOTE;
		return parsed(unc_replay_rest(c, thing->text, sizeof(thing->text)));
	}
	if (first[0] == 'r' || first[0] == 'w')
		return parsed(parse_access(c, first, thing));
	return UNC_EARG;
}

int unc_replay_text_next(struct unc_replay_text *text, struct unc_replay_thing *thing)
{
	struct unc_replay_cursor c = {.text = text, .at = text->at, .end = text->end};
	char first[UNC_REPLAY_WORD];
	int rc = UNC_OK;

	memset(thing, 0, offsetof(struct unc_replay_thing, bytes));
	thing->topo = (struct unc_topo){0};
	thing->addrs = NULL;
	thing->cpus = NULL;
	thing->file = NULL;
	thing->n = 0;
	if (!text->in_times) {
		if (!unc_replay_next_line(text, &c)) {
			thing->line = text->line + 1;
			return UNC_OK;
		}
		thing->line = text->line;
		if (strcmp(unc_replay_word(&c, first), "t") != 0)
			rc = parse_line(&c, first, thing);
		else
			text->in_times = true;
	} else {
		c.end = memchr(text->at, '\n', (size_t)(text->end - text->at)); /* seen before */
		thing->line = text->line;
	}
	if (text->in_times) {
		rc = parsed(parse_time(&c, thing));
		text->in_times = c.at < c.end;
		text->at = text->in_times ? c.at : c.end + 1;
	}
	return rc == UNC_EARG ? unc_replay_wrong(text, "this line makes no sense") : rc;
}

void unc_replay_thing_clear(struct unc_replay_thing *thing)
{
	unc_topo_clear(&thing->topo);
	free(thing->addrs);
	free(thing->cpus);
	free(thing->file);
	thing->addrs = NULL;
	thing->cpus = NULL;
	thing->file = NULL;
}
