// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/replay_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { WORD = 64, PATH = 512, ITEMS = 1 << 20 };

struct cursor { /* within a line */
	struct unc_replay_text *text;
	const char *at, *end;
};

static int wrong(const struct unc_replay_text *text, const char *what)
{
	return unc_fail(text->ctx, UNC_EARG, "%s:%u: %s; that is no record as `uncorectl record` writes it", text->path,
			text->line, what);
}

static int no_memory(const struct unc_replay_text *text)
{
	return unc_fail(text->ctx, UNC_ENOMEM, "%s: out of memory", text->path);
}

/* ---- words ---- */

/* The next line; false: there is none. */
static bool next_line(struct unc_replay_text *text, struct cursor *ret_cursor)
{
	const char *newline = NULL;

	if (text->at < text->end)
		newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	if (!newline)
		return false; /* a last line that was cut off says nothing that could be relied on */
	*ret_cursor = (struct cursor){.text = text, .at = text->at, .end = newline};
	text->at = newline + 1;
	text->line++;
	return true;
}

static char first_of_next(const struct unc_replay_text *text)
{
	if (text->at == text->end)
		return '\0';
	return *text->at;
}

/* A word up to the next blank; "" at the end, or where it is longer than any that is known. */
static const char *word(struct cursor *c, char buf[WORD])
{
	size_t len = 0;

	while (c->at < c->end && *c->at != ' ' && len < WORD - 1)
		buf[len++] = *c->at++;
	if (c->at < c->end && *c->at != ' ')
		len = 0;
	if (c->at < c->end && *c->at == ' ')
		c->at++;
	buf[len] = '\0';
	return buf;
}

static bool number(struct cursor *c, uint64_t max, uint64_t *ret_number)
{
	char buf[WORD];

	return unc_text_u64(word(c, buf), ret_number) && *ret_number <= max;
}

static bool number_unsigned(struct cursor *c, unsigned *ret_number)
{
	uint64_t value;

	if (!number(c, INT32_MAX, &value))
		return false;
	*ret_number = (unsigned)value;
	return true;
}

static bool number32(struct cursor *c, uint32_t *ret_number)
{
	uint64_t value;

	if (!number(c, UINT32_MAX, &value))
		return false;
	*ret_number = (uint32_t)value;
	return true;
}

/* One character, %XX for those that cannot stand in a line. */
static bool character(struct cursor *c, char *ret_char)
{
	int hi, lo;

	if (*c->at != '%') {
		*ret_char = *c->at++;
		return true;
	}
	if (c->end - c->at < 3)
		return false;
	hi = unc_text_digit(c->at[1]);
	lo = unc_text_digit(c->at[2]);
	if (hi < 0 || lo < 0)
		return false;
	*ret_char = (char)(hi << 4 | lo);
	c->at += 3;
	return true;
}

/* The rest of the line.  false: malformed, or longer than there is room. */
static bool rest(struct cursor *c, char *buf, size_t size)
{
	size_t len = 0;

	while (c->at < c->end)
		if (len + 1 == size || !character(c, &buf[len++]))
			return false;
	buf[len] = '\0';
	return strlen(buf) == len;
}

/* "!io EIO SENTENCE", or the end of the line. */
static bool ending(struct cursor *c, struct unc_replay_thing *thing)
{
	char class[WORD], name[WORD];

	if (c->at == c->end)
		return true;
	if (*c->at++ != '!')
		return false;
	thing->err = unc_record_err(word(c, class));
	thing->os_name = unc_record_os_name(word(c, name));
	return thing->err < 0 && name[0] && rest(c, thing->text, sizeof(thing->text));
}

static bool failed(const struct cursor *c)
{
	return c->at < c->end && *c->at == '!';
}

/* ---- things ---- */

static bool step(const char *text, struct unc_replay_thing *thing)
{
	thing->backwards = text[0] == '-';
	return (text[0] == '+' || text[0] == '-') && unc_text_u64(text + 1, &thing->ns);
}

/* "r+50": of a line of times. */
static bool parse_time(struct cursor *c, struct unc_replay_thing *thing)
{
	char buf[WORD];
	const char *clock;

	if (!*word(c, buf))
		return false;
	clock = strchr(unc_record_clocks, buf[0]);
	if (!clock)
		return false;
	thing->kind = UNC_REPLAY_TIME;
	thing->clock = (enum unc_clock)(clock - unc_record_clocks);
	return step(buf + 1, thing);
}

static bool parse_sleep(struct cursor *c, struct unc_replay_thing *thing)
{
	char buf[WORD];

	word(c, buf);
	thing->forever = strcmp(buf, "forever") == 0;
	return (thing->forever || (buf[0] == 'm' && step(buf + 1, thing))) && ending(c, thing);
}

static bool parse_cpuid(struct cursor *c, struct unc_replay_thing *thing)
{
	if (!number_unsigned(c, &thing->cpu) || !number32(c, &thing->leaf) || !number32(c, &thing->subleaf))
		return false;
	if (failed(c))
		return ending(c, thing);
	return number32(c, &thing->regs.eax) && number32(c, &thing->regs.ebx) && number32(c, &thing->regs.ecx) &&
	       number32(c, &thing->regs.edx) && c->at == c->end;
}

static bool parse_kind(struct cursor *c, struct unc_replay_thing *thing)
{
	char buf[WORD];

	word(c, buf);
	for (unsigned kind = 0; kind < UNC_KINDS; kind++) {
		if (strcmp(buf, unc_record_kinds[kind]) == 0) {
			thing->bus = (enum unc_kind)kind;
			return true;
		}
	}
	return false;
}

static bool parse_bus(struct cursor *c, struct unc_replay_thing *thing)
{
	char buf[WORD];

	if (!parse_kind(c, thing))
		return false;
	word(c, buf);
	thing->writable = strcmp(buf, "rw") == 0;
	return (thing->writable || strcmp(buf, "ro") == 0) && ending(c, thing);
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

static bool parse_space_name(struct cursor *c, struct unc_replay_thing *thing, struct unc_addr *ret_addr)
{
	char buf[WORD];

	if (!parse_space(word(c, buf), ret_addr))
		return false;
	unc_addr_text(ret_addr, thing->space);
	return true;
}

static bool parse_open(struct cursor *c, struct unc_replay_thing *thing)
{
	struct unc_addr addr;

	if (!parse_space_name(c, thing, &addr))
		return false;
	if (failed(c))
		return ending(c, thing);
	return number(c, UINT64_MAX, &thing->len) && c->at == c->end;
}

/* Data as hex digits, up to a blank. */
static bool parse_hex(struct cursor *c, struct unc_replay_thing *thing)
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
static bool parse_data(struct cursor *c, const char *op, struct unc_replay_thing *thing)
{
	bool block = strcmp(op + 1, "blk") == 0;
	uint64_t value;

	if (c->at < c->end && *c->at == '*' && thing->kind == UNC_REPLAY_READ) {
		c->at++;
		return number(c, UNC_RECORD_BLOCK, &thing->len) && failed(c);
	}
	if (block)
		return parse_hex(c, thing);
	thing->len = strcmp(op + 1, "64") == 0 ? 8 : 4;
	if (!number(c, thing->len == 8 ? UINT64_MAX : UINT32_MAX, &value))
		return false;
	unc_put_le64(thing->bytes, value);
	return true;
}

static bool parse_access(struct cursor *c, const char *op, struct unc_replay_thing *thing)
{
	struct unc_addr addr;

	thing->kind = op[0] == 'w' ? UNC_REPLAY_WRITE : UNC_REPLAY_READ;
	if (!parse_space_name(c, thing, &addr) || !number(c, UINT64_MAX, &thing->off) || !parse_data(c, op, thing))
		return false;
	return strcmp(op, unc_record_op(op[0] == 'w', addr.kind, thing->off, (size_t)thing->len)) == 0 &&
	       ending(c, thing);
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

static int parse_topology(struct cursor *c, struct unc_replay_thing *thing)
{
	struct unc_topo *topo = &thing->topo;

	if (failed(c))
		return ending(c, thing) ? UNC_OK : UNC_EARG;
	if (!number_unsigned(c, &topo->n_cpus) || !number_unsigned(c, &topo->first_cpu))
		return UNC_EARG;
	while (c->at < c->end) {
		struct unc_package *packages, package;
		char buf[WORD];

		word(c, buf);
		if (!parse_package(buf, &package))
			return UNC_EARG;
		packages = unc_array_more(topo->packages, topo->n_packages, sizeof(*packages));
		if (!packages)
			return no_memory(c->text);
		topo->packages = packages;
		packages[topo->n_packages++] = package;
	}
	return UNC_OK;
}

static int parse_list(struct cursor *c, struct unc_replay_thing *thing)
{
	uint64_t n;

	if (!parse_kind(c, thing))
		return UNC_EARG;
	if (failed(c))
		return ending(c, thing) ? UNC_OK : UNC_EARG;
	if (!number(c, ITEMS, &n) || c->at < c->end)
		return UNC_EARG;
	while (thing->n < n) {
		struct unc_addr *addrs;
		char buf[WORD];

		if (c->at == c->end && (!next_line(c->text, c) || strcmp(word(c, buf), "+") != 0))
			return UNC_EARG;
		addrs = unc_array_more(thing->addrs, thing->n, sizeof(*addrs));
		if (!addrs)
			return no_memory(c->text);
		thing->addrs = addrs;
		if (!parse_space(word(c, buf), &addrs[thing->n++]))
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
static int grow_line(struct cursor *c, struct growing *growing, bool has_last, char last)
{
	while (c->at < c->end) {
		char decoded;

		if (!character(c, &decoded) || growing->len > UNC_RECORD_TEXT)
			return UNC_EARG;
		if (!grow(growing, decoded))
			return no_memory(c->text);
	}
	return !has_last || grow(growing, last) ? UNC_OK : no_memory(c->text);
}

/* N, and N lines of a name. */
static int parse_names(struct cursor *c, struct unc_replay_thing *thing)
{
	struct growing names = {0};
	int rc = UNC_OK;
	char buf[WORD];
	uint64_t n;

	if (!number(c, ITEMS, &n) || c->at < c->end)
		return UNC_EARG;
	while (thing->n < n && rc == UNC_OK) {
		if (!next_line(c->text, c) || strcmp(word(c, buf), "+") != 0 || c->at == c->end ||
		    memchr(c->at, '/', (size_t)(c->end - c->at)))
			rc = UNC_EARG;
		else
			rc = grow_line(c, &names, true, '\0');
		thing->file = names.bytes;
		thing->n++;
	}
	return rc;
}

static int parse_maps(struct cursor *c, struct unc_replay_thing *thing)
{
	if (failed(c))
		return ending(c, thing) ? UNC_OK : UNC_EARG;
	return parse_names(c, thing);
}

/* BYTES, and lines with so many. */
static int parse_text(struct cursor *c, struct unc_replay_thing *thing)
{
	struct growing file = {0};
	int rc = UNC_OK;
	char buf[WORD];
	uint64_t len;

	if (!unc_text_u64(word(c, buf), &len) || len > UNC_RECORD_TEXT || c->at < c->end)
		return UNC_EARG;
	while (file.len < len && rc == UNC_OK) {
		char first = first_of_next(c->text);

		if (!next_line(c->text, c) || (first != '|' && first != ':'))
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
		rc = no_memory(c->text);
	thing->file = file.bytes;
	return rc;
}

/* A name or path first, then what the kind has. */
static int parse_named(struct cursor *c, struct unc_replay_thing *thing)
{
	struct cursor word_only = *c;
	char name[PATH];

	word_only.end = memchr(c->at, ' ', (size_t)(c->end - c->at));
	if (!word_only.end || !rest(&word_only, name, sizeof(name)))
		return UNC_EARG;
	c->at = word_only.end + 1;
	if (failed(c)) {
		if (!ending(c, thing))
			return UNC_EARG;
		thing->file = unc_text_dup(name);
		return thing->file ? UNC_OK : no_memory(c->text);
	}
	snprintf(thing->text, sizeof(thing->text), "%s", name);
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

static int parse_cpus(struct cursor *c, struct unc_replay_thing *thing)
{
	uint64_t n;

	if (failed(c))
		return ending(c, thing) ? UNC_OK : UNC_EARG;
	if (!number(c, ITEMS, &n) || c->at < c->end)
		return UNC_EARG;
	while (thing->n < n) {
		struct unc_host_cpu *cpus;
		char buf[WORD];

		if (c->at == c->end && (!next_line(c->text, c) || strcmp(word(c, buf), "+") != 0))
			return UNC_EARG;
		cpus = unc_array_more(thing->cpus, thing->n, sizeof(*cpus));
		if (!cpus)
			return no_memory(c->text);
		thing->cpus = cpus;
		word(c, buf);
		if (!parse_cpu(buf, &cpus[thing->n++]))
			return UNC_EARG;
	}
	return c->at == c->end ? UNC_OK : UNC_EARG;
}

static bool parse_outside(struct cursor *c, struct unc_replay_thing *thing, enum unc_record_end end)
{
	uint64_t value;

	thing->kind = UNC_REPLAY_OUTSIDE;
	thing->end = end;
	if (!number(c, 255, &value) || !number_unsigned(c, &thing->asked) || c->at < c->end)
		return false;
	thing->number = (int)value;
	return end != UNC_RECORD_SIGNAL || (thing->number > 0 && thing->number < 65);
}

static int parsed(bool well)
{
	return well ? UNC_OK : UNC_EARG;
}

/* A line whose first word is that. */
static int parse_line(struct cursor *c, const char *first, struct unc_replay_thing *thing)
{
	static const struct {
		const char *word;
		enum unc_replay_kind kind;
		bool (*parse)(struct cursor *c, struct unc_replay_thing *thing);
		int (*parse_long)(struct cursor *c, struct unc_replay_thing *thing);
	} rows[] = {
		{"sleep", UNC_REPLAY_SLEEP, parse_sleep, NULL},
		{"cpuid", UNC_REPLAY_CPUID, parse_cpuid, NULL},
		{"bus", UNC_REPLAY_BUS, parse_bus, NULL},
		{"open", UNC_REPLAY_OPEN, parse_open, NULL},
		{"topology", UNC_REPLAY_TOPOLOGY, NULL, parse_topology},
		{"list", UNC_REPLAY_LIST, NULL, parse_list},
		{"maps", UNC_REPLAY_MAPS, NULL, parse_maps},
		{"file", UNC_REPLAY_FILE, NULL, parse_named},
		{"cpus", UNC_REPLAY_CPUS, NULL, parse_cpus},
		{"text", UNC_REPLAY_TEXT, NULL, parse_named},
		{"names", UNC_REPLAY_NAMES, NULL, parse_named},
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
		return parsed(rest(c, thing->text, sizeof(thing->text)));
	}
	if (first[0] == 'r' || first[0] == 'w')
		return parsed(parse_access(c, first, thing));
	return UNC_EARG;
}

int unc_replay_text_next(struct unc_replay_text *text, struct unc_replay_thing *thing)
{
	struct cursor c = {.text = text, .at = text->at, .end = text->end};
	char first[WORD];
	int rc = UNC_OK;

	memset(thing, 0, offsetof(struct unc_replay_thing, bytes));
	thing->topo = (struct unc_topo){0};
	thing->addrs = NULL;
	thing->cpus = NULL;
	thing->file = NULL;
	thing->n = 0;
	if (!text->in_times) {
		if (!next_line(text, &c)) {
			thing->line = text->line + 1;
			return UNC_OK;
		}
		thing->line = text->line;
		if (strcmp(word(&c, first), "t") != 0)
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
	return rc == UNC_EARG ? wrong(text, "this line makes no sense") : rc;
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

/* ---- the head ---- */

static int take_text(struct cursor *c, char **ret_text)
{
	size_t size = (size_t)(c->end - c->at) + 1;
	char *copy = malloc(size);

	if (!copy)
		return no_memory(c->text);
	free(*ret_text);
	*ret_text = copy;
	return rest(c, copy, size) ? UNC_OK : UNC_EARG;
}

static int take_option(struct cursor *c, struct unc_replay_head *head)
{
	void *more;

	if (head->n_options == UNC_REPLAY_OPTIONS)
		return UNC_EARG;
	more = unc_array_more(head->options, head->n_options, sizeof(*head->options));
	if (!more)
		return no_memory(c->text);
	head->options = more;
	return take_text(c, &head->options[head->n_options++]);
}

static int take_utc(struct cursor *c, struct unc_replay_head *head)
{
	char buf[WORD];
	bool west;
	uint64_t seconds;

	word(c, buf);
	west = buf[0] == '-';
	if (!unc_text_u64(buf + west, &seconds) || seconds > 86400 || c->at < c->end)
		return UNC_EARG;
	head->utc_s = west ? -(int64_t)seconds : (int64_t)seconds;
	return UNC_OK;
}

static int take_fact(struct cursor *c, const char *first, struct unc_replay_head *head)
{
	if (c->at < c->end)
		return UNC_EARG;
	if (strcmp(first, "simulated") == 0)
		head->simulated = true;
	else if (strcmp(first, "stands_still") == 0)
		head->stands_still = true;
	else if (strcmp(first, "maps") == 0)
		head->maps = true;
	else
		return UNC_EARG;
	return UNC_OK;
}

static int head_line(struct cursor *c, const char *first, struct unc_replay_head *head)
{
	if (strcmp(first, "program") == 0)
		return take_text(c, &head->program);
	if (strcmp(first, "utc") == 0)
		return take_utc(c, head);
	if (strcmp(first, "option") == 0)
		return take_option(c, head);
	if (strcmp(first, "machine") == 0)
		return take_text(c, &head->name);
	return take_fact(c, first, head);
}

int unc_replay_text_head(struct unc_replay_text *text, struct unc_replay_head *head)
{
	struct cursor c;
	char first[WORD];
	int rc = UNC_OK;

	memset(head, 0, sizeof(*head));
	text->line = 0;
	if (!next_line(text, &c) || strcmp(word(&c, first), UNC_RECORD_FORMAT) != 0 || c.at < c.end) {
		text->line = 1;
		return wrong(text, "it does not begin with " UNC_RECORD_FORMAT);
	}
	while (rc == UNC_OK) {
		if (!next_line(text, &c))
			return wrong(text, "its head does not end");
		if (strcmp(word(&c, first), "begin") == 0)
			break;
		rc = head_line(&c, first, head);
	}
	if (rc == UNC_OK && (c.at < c.end || !head->name))
		rc = UNC_EARG;
	return rc == UNC_EARG ? wrong(text, "this line makes no sense") : rc;
}

void unc_replay_head_clear(struct unc_replay_head *head)
{
	for (size_t i = 0; i < head->n_options; i++)
		free(head->options[i]);
	free(head->options);
	free(head->program);
	free(head->name);
	memset(head, 0, sizeof(*head));
}
