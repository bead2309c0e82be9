// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of a record: the table of their kinds, and how they are put together and taken apart. */
#include "access/record_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/replay.h"
#include "base/text.h"

enum { WORD = 64 /* longer than any that is known */, PATH = 512, ITEMS = 1 << 20, PER_LINE = 8, PIECE = 1024 };

/*
 * Types of fields: u a decimal number below 2^31, w below 2^32, U below 2^64, c below 256, i a number of items, b one of bytes;
 * x a hex number of 32 bits, X of 64, h and H with leading zeros; e the number of an event behind =; D how far a deadline is from
 * the clock m; k, m, T words of the lists below; s the name of a space, p a path; 4, 8 and * the bytes of an access.
 */
const struct unc_line_type unc_line_types[UNC_LINE_KINDS] = {
	[UNC_LINE_TIME] = {.word = "t", .what = "the time"},
	[UNC_LINE_SLEEP] = {.word = "sleep", .question = "D", .answer = "", .what = "a sleep"},
	[UNC_LINE_CPUID] = {"cpuid", "uxx", "hhhh", UNC_ITEMS_NONE, UNC_GROUP_QUESTION, false, "CPUID"},
	[UNC_LINE_TOPOLOGY] = {"topology", "", "uu", UNC_ITEMS_PACKAGES, UNC_GROUP_QUESTION, false,
			       "which CPUs there are"},
	[UNC_LINE_CPUS] = {"cpus", "", "i", UNC_ITEMS_CPUS, UNC_GROUP_QUESTION, false, "which CPUs share what"},
	[UNC_LINE_BUS] = {"bus", "km", "", UNC_ITEMS_NONE, UNC_GROUP_QUESTION, false, "opening a bus"},
	[UNC_LINE_LIST] = {"list", "k", "i", UNC_ITEMS_ADDRS, UNC_GROUP_QUESTION, false, "what there is on a bus"},
	[UNC_LINE_OPEN] = {"open", "s", "U", UNC_ITEMS_NONE, UNC_GROUP_QUESTION, false, "opening a space"},
	[UNC_LINE_R32] = {"r32", "sX", "4", UNC_ITEMS_NONE, UNC_GROUP_SPACE, false, "a read"},
	[UNC_LINE_R64] = {"r64", "sX", "8", UNC_ITEMS_NONE, UNC_GROUP_SPACE, false, "a read"},
	[UNC_LINE_RBLK] = {"rblk", "sX", "*", UNC_ITEMS_NONE, UNC_GROUP_SPACE, false, "a read"},
	[UNC_LINE_W32] = {"w32", "sX4", "", UNC_ITEMS_NONE, UNC_GROUP_SPACE, true, "a write"},
	[UNC_LINE_W64] = {"w64", "sX8", "", UNC_ITEMS_NONE, UNC_GROUP_SPACE, true, "a write"},
	[UNC_LINE_WBLK] = {"wblk", "sX*", "", UNC_ITEMS_NONE, UNC_GROUP_SPACE, true, "a write"},
	[UNC_LINE_CLAIM + UNC_CLAIM_TAKE] = {"claim take", "sXU", "", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false, "a claim"},
	[UNC_LINE_CLAIM + UNC_CLAIM_ASK] = {"claim ask", "sXU", "", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false,
					    "the question for a claim"},
	[UNC_LINE_CLAIM + UNC_CLAIM_LEAVE] = {"claim leave", "sXU", "", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false,
					      "the end of a claim"},
	[UNC_LINE_MAPS] = {"maps", "", "i", UNC_ITEMS_NAMES, UNC_GROUP_QUESTION, false,
			   "which register maps there are"},
	[UNC_LINE_FILE] = {"file", "p", "b", UNC_ITEMS_BYTES, UNC_GROUP_QUESTION, false, "a file"},
	[UNC_LINE_TEXT] = {"text", "p", "b", UNC_ITEMS_BYTES, UNC_GROUP_QUESTION, false, "a file of the system"},
	[UNC_LINE_NAMES] = {"names", "p", "i", UNC_ITEMS_NAMES, UNC_GROUP_QUESTION, false, "what there is in a folder"},
	[UNC_LINE_LINK] = {"link", "p", "", UNC_ITEMS_REST, UNC_GROUP_QUESTION, false, "where a link leads"},
	[UNC_LINE_TRAFFIC + UNC_TRAFFIC_START] = {"traffic start", "TuUUi", "", UNC_ITEMS_NUMBERS, UNC_GROUP_TRAFFIC,
						  true, "the start of traffic"},
	[UNC_LINE_TRAFFIC + UNC_TRAFFIC_LOOK] = {"traffic look", "", "UUUU", UNC_ITEMS_NONE, UNC_GROUP_TRAFFIC, false,
						 "the volume of traffic"},
	[UNC_LINE_TRAFFIC + UNC_TRAFFIC_STOP] = {"traffic stop", "", "UUUU", UNC_ITEMS_NONE, UNC_GROUP_TRAFFIC, true,
						 "the end of traffic"},
	[UNC_LINE_PERF_OPEN] = {"perf open", "wXXXu", "e", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false,
				"opening an event of perf"},
	[UNC_LINE_PERF + UNC_PERF_ON] = {"perf on", "u", "", UNC_ITEMS_NONE, UNC_GROUP_EVENT, true,
					 "switching on an event of perf"},
	[UNC_LINE_PERF + UNC_PERF_OFF] = {"perf off", "u", "", UNC_ITEMS_NONE, UNC_GROUP_EVENT, true,
					  "switching off an event of perf"},
	[UNC_LINE_PERF + UNC_PERF_READ] = {"perf read", "u", "UUU", UNC_ITEMS_NONE, UNC_GROUP_EVENT, false,
					   "reading an event of perf"},
	[UNC_LINE_PERF + UNC_PERF_CLOSE] = {"perf close", "u", "", UNC_ITEMS_NONE, UNC_GROUP_EVENT, true,
					    "closing an event of perf"},
	[UNC_LINE_NOTE] = {.word = "note", .what = "a note"},
	[UNC_LINE_END + UNC_RECORD_SIGNAL] = {.word = "signal", .question = "cu", .answer = "", .what = "a signal"},
	[UNC_LINE_END +
		UNC_RECORD_ENDED] = {.word = "ended", .question = "cu", .answer = "", .what = "the end of the COMMAND"},
};

const char unc_record_clocks[] = {
	[UNC_CLOCK_RAW] = 'r',  [UNC_CLOCK_MONO] = 'm',     [UNC_CLOCK_BOOT] = 'b',
	[UNC_CLOCK_REAL] = 'w', [UNC_RECORD_CLOCKS] = '\0',
};

static const char *const kinds[] = {[UNC_PCI] = "pci", [UNC_MSR] = "msr", [UNC_MMIO] = "mmio", NULL};
static const char *const modes[] = {"ro", "rw", NULL};
static const char *const traffic_kinds[] = {
	[UNC_TRAFFIC_READ] = "read", [UNC_TRAFFIC_WRITE] = "write", [UNC_TRAFFIC_NT_WRITE] = "nt_write", NULL};

/* The words of a field; NULL: it is of another type. */
static const char *const *words_of(char type)
{
	switch (type) {
	case 'k':
		return kinds;
	case 'm':
		return modes;
	default:
		return type == 'T' ? traffic_kinds : NULL;
	}
}

const char *unc_record_kind_name(enum unc_kind kind)
{
	return kinds[kind];
}

static const struct {
	const char *name;
	int err;
} classes[] = {
	{"nomem", UNC_ENOMEM}, {"arg", UNC_EARG},     {"perm", UNC_EPERM},   {"nodev", UNC_ENODEV},
	{"io", UNC_EIO},       {"noreg", UNC_ENOREG}, {"range", UNC_ERANGE}, {"denied", UNC_EDENIED},
	{"map", UNC_EMAP},     {"busy", UNC_EBUSY},   {"again", UNC_EAGAIN}, {"nodata", UNC_ENODATA},
	{"nosup", UNC_ENOSUP},
};

const char *unc_record_class(int err)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].err == err)
			return classes[i].name;
	return NULL;
}

int unc_record_err(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].err;
	return 0;
}

/* The same name as static text; NULL: it is not known. */
static const char *os_name(const char *name)
{
	static const char *const names[] = {
		"EACCES",     "EAGAIN", "EBADF",  "EBUSY",   "EEXIST", "EFAULT", "EFBIG",  "EINTR",
		"EINVAL",     "EIO",    "EISDIR", "ELOOP",   "EMFILE", "ENFILE", "ENODEV", "ENAMETOOLONG",
		"ENOENT",     "ENOMEM", "ENOSPC", "ENOSYS",  "ENXIO",  "EPERM",  "EPIPE",  "ENOTCONN",
		"EOPNOTSUPP", "ERANGE", "EROFS",  "ENOTDIR", "ESTALE", "errno",  "ESRCH",  "ETIMEDOUT",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return names[i];
	return NULL;
}

enum unc_line_kind unc_line_access(bool write, enum unc_kind kind, uint64_t off, size_t len)
{
	if (kind == UNC_MSR)
		return write ? UNC_LINE_W64 : UNC_LINE_R64;
	if (len == 4 && off % 4 == 0)
		return write ? UNC_LINE_W32 : UNC_LINE_R32;
	return write ? UNC_LINE_WBLK : UNC_LINE_RBLK;
}

/* ---- writing ---- */

void unc_line_put(struct unc_line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->text) - line->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line->text + line->len, room, fmt, args);
	va_end(args);
	if (n > 0)
		line->len += (size_t)n < room ? (size_t)n : room - 1;
}

void unc_line_end(struct unc_line *line)
{
	line->end(line->arg, line->text);
	line->text[0] = '\0';
	line->len = 0;
}

/* A record is ASCII, so that it can be shown anywhere. */
static void put_char(struct unc_line *line, char c)
{
	if (c < ' ' || c > '~' || c == '%')
		unc_line_put(line, "%%%02X", (unsigned char)c);
	else
		unc_line_put(line, "%c", c);
}

void unc_line_put_text(struct unc_line *line, const char *text)
{
	while (*text)
		put_char(line, *text++);
}

static void put_path(struct unc_line *line, const char *path)
{
	for (; *path; path++) {
		if (*path == ' ')
			unc_line_put(line, "%%20");
		else
			put_char(line, *path);
	}
}

static void put_hex(struct unc_line *line, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len && line->len + 3 <= sizeof(line->text); i++) {
		line->text[line->len++] = digits[bytes[i] >> 4];
		line->text[line->len++] = digits[bytes[i] & 0xf];
	}
	line->text[line->len] = '\0';
}

static void put_deadline(struct unc_line *line, uint64_t step)
{
	if (step == UNC_RECORD_FOREVER)
		unc_line_put(line, "forever");
	else if (step > UNC_RECORD_FOREVER)
		unc_line_put(line, "m-%" PRIu64, -step);
	else
		unc_line_put(line, "m+%" PRIu64, step);
}

static void put_number(struct unc_line *line, char type, uint64_t n)
{
	if (words_of(type))
		unc_line_put(line, "%s", words_of(type)[n]);
	else if (type == 'D')
		put_deadline(line, n);
	else if (type == 'h')
		unc_line_put(line, "0x%08" PRIx64, n);
	else if (type == 'x' || type == 'X')
		unc_line_put(line, "0x%" PRIx64, n);
	else
		unc_line_put(line, type == 'e' ? "=%" PRIu64 : "%" PRIu64, n);
}

static void put_data(struct unc_line *line, char type, const void *bytes, size_t len)
{
	if (type == '4')
		unc_line_put(line, "0x%08" PRIx32, unc_le32(bytes));
	else if (type == '8')
		unc_line_put(line, "0x%016" PRIx64, unc_le64(bytes));
	else
		put_hex(line, bytes, len);
}

static bool is_data(char type)
{
	return type == '4' || type == '8' || type == '*';
}

static void put_fields(struct unc_line *line, const char *types, const uint64_t *n, const char *text, const void *bytes,
		       size_t len)
{
	for (; *types; types++) {
		unc_line_put(line, " ");
		if (*types == 's')
			unc_line_put(line, "%s", text);
		else if (*types == 'p')
			put_path(line, text);
		else if (is_data(*types))
			put_data(line, *types, bytes, len);
		else
			put_number(line, *types, *n++);
	}
}

void unc_line_put_question(struct unc_line *line, const struct unc_question *q)
{
	const struct unc_line_type *type = &unc_line_types[q->kind];

	unc_line_put(line, "%s", type->word);
	put_fields(line, type->question, q->n, q->text, q->bytes, q->len);
}

static void put_package(struct unc_line *line, const struct unc_package *package)
{
	unc_line_put(line, " %u:%u:%u", package->id, package->n_cpus, package->first_cpu);
}

static void put_cpu(struct unc_line *line, const struct unc_host_cpu *cpu)
{
	const int told[] = {cpu->package, cpu->node, cpu->l3};

	unc_line_put(line, cpu->online ? " %u" : " %u:off", cpu->cpu);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]) && cpu->online; i++) {
		if (told[i] < 0)
			unc_line_put(line, ":-");
		else
			unc_line_put(line, ":%d", told[i]);
	}
}

/* Eight of them in a line. */
static void put_item(struct unc_line *line, enum unc_line_items type, const void *items, size_t i)
{
	char name[UNC_ADDR_TEXT];

	if (type != UNC_ITEMS_PACKAGES && i % PER_LINE == 0) {
		unc_line_end(line);
		unc_line_put(line, "+");
	}
	if (type == UNC_ITEMS_PACKAGES)
		put_package(line, (const struct unc_package *)items + i);
	else if (type == UNC_ITEMS_ADDRS)
		unc_line_put(line, " %s", unc_addr_text((const struct unc_addr *)items + i, name));
	else if (type == UNC_ITEMS_CPUS)
		put_cpu(line, (const struct unc_host_cpu *)items + i);
	else
		unc_line_put(line, " %u", ((const unsigned *)items)[i]);
}

static void put_names(struct unc_line *line, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unc_line_end(line);
		unc_line_put(line, "+ ");
		unc_line_put_text(line, names[i]);
	}
}

static void put_bytes(struct unc_line *line, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t piece = (size_t)(end - text) < PIECE ? (size_t)(end - text) : PIECE;
		const char *newline = memchr(text, '\n', piece);

		if (newline)
			piece = (size_t)(newline - text);
		unc_line_end(line);
		unc_line_put(line, "%c", newline ? '|' : ':');
		for (size_t i = 0; i < piece; i++)
			put_char(line, text[i]);
		text += piece + (newline ? 1 : 0);
	}
}

void unc_line_put_answer(struct unc_line *line, const struct unc_question *q, const uint64_t *numbers,
			 const void *items, size_t n)
{
	const struct unc_line_type *type = &unc_line_types[q->kind];

	put_fields(line, type->answer, numbers, NULL, items, n);
	if (type->items == UNC_ITEMS_NAMES)
		put_names(line, items, n);
	else if (type->items == UNC_ITEMS_BYTES)
		put_bytes(line, items, n);
	else if (type->items == UNC_ITEMS_REST)
		unc_line_put(line, " =");
	if (type->items == UNC_ITEMS_REST)
		unc_line_put_text(line, items);
	for (size_t i = 0; i < n && type->items != UNC_ITEMS_NONE && type->items <= UNC_ITEMS_NUMBERS; i++)
		put_item(line, type->items, items, i);
}

void unc_line_put_failure(struct unc_line *line, const struct unc_question *q, int rc, const char *name,
			  const char *sentence)
{
	if (is_data(unc_line_types[q->kind].answer[0]))
		unc_line_put(line, " *%zu", q->len);
	unc_line_put(line, " !%s %s", unc_record_class(rc), name ? name : "-");
	if (!sentence)
		return;
	unc_line_put(line, " ");
	unc_line_put_text(line, sentence);
}

/* ---- reading: words ---- */

struct cursor { /* within a line */
	struct unc_record_text *text;
	const char *at, *end;
};

int unc_record_wrong(const struct unc_record_text *text, const char *what)
{
	return unc_fail(text->ctx, UNC_EARG, "%s:%u: %s; that is no record as `uncorectl record` writes it", text->path,
			text->line, what);
}

static int no_memory(const struct unc_record_text *text)
{
	return unc_fail(text->ctx, UNC_ENOMEM, "%s: out of memory", text->path);
}

/* A last line that was cut off says nothing that could be relied on. */
static bool next_line(struct unc_record_text *text, struct cursor *ret_cursor)
{
	const char *newline = NULL;

	if (text->at < text->end)
		newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	if (!newline)
		return false;
	*ret_cursor = (struct cursor){.text = text, .at = text->at, .end = newline};
	text->at = newline + 1;
	text->line++;
	return true;
}

/* A word up to the next blank; "" at the end, or where it is longer than any that is known.  Returns buf. */
static const char *take_word(struct cursor *c, char buf[WORD])
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

static bool take_number(struct cursor *c, uint64_t max, uint64_t *ret_number)
{
	char buf[WORD];

	return unc_text_u64(take_word(c, buf), ret_number) && *ret_number <= max;
}

/* One character, %XX for those that cannot stand in a line.  False: it is malformed. */
static bool take_char(struct cursor *c, char *ret_char)
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

/* The rest of the line.  False: it is malformed, has a zero in it, or is longer than there is room. */
static bool take_rest(struct cursor *c, char *buf, size_t size)
{
	size_t len = 0;

	while (c->at < c->end)
		if (len + 1 == size || !take_char(c, &buf[len++]))
			return false;
	buf[len] = '\0';
	return strlen(buf) == len;
}

/* ---- reading: fields ---- */

static bool take_step(const char *text, uint64_t *ret_step)
{
	if ((text[0] != '+' && text[0] != '-') || !unc_text_u64(text + 1, ret_step))
		return false;
	*ret_step = text[0] == '-' ? -*ret_step : *ret_step;
	return true;
}

static bool take_deadline(struct cursor *c, uint64_t *ret_step)
{
	char buf[WORD];

	*ret_step = UNC_RECORD_FOREVER;
	take_word(c, buf);
	return strcmp(buf, "forever") == 0 || (buf[0] == 'm' && take_step(buf + 1, ret_step));
}

static bool take_listed(struct cursor *c, const char *const *words, uint64_t *ret_index)
{
	char buf[WORD];

	take_word(c, buf);
	for (*ret_index = 0; words[*ret_index]; ++*ret_index)
		if (strcmp(buf, words[*ret_index]) == 0)
			return true;
	return false;
}

static bool take_of_type(struct cursor *c, char type, uint64_t *ret_number)
{
	uint64_t max = UINT64_MAX;

	if (words_of(type))
		return take_listed(c, words_of(type), ret_number);
	if (type == 'D')
		return take_deadline(c, ret_number);
	if (type == 'e' && (c->at == c->end || *c->at++ != '='))
		return false;
	if (type == 'u' || type == 'e')
		max = INT32_MAX;
	else if (type == 'w' || type == 'x' || type == 'h')
		max = UINT32_MAX;
	else if (type == 'c')
		max = UINT8_MAX;
	else if (type == 'i')
		max = ITEMS;
	else if (type == 'b')
		max = UNC_RECORD_TEXT;
	return take_number(c, max, ret_number);
}

/* The name of a space, as unc_addr_text() prints it. */
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

static bool take_space(struct cursor *c, struct unc_addr *ret_addr)
{
	char buf[WORD];

	return parse_space(take_word(c, buf), ret_addr);
}

static bool take_path(struct cursor *c)
{
	struct cursor word = *c;
	const char *blank = memchr(c->at, ' ', (size_t)(c->end - c->at));
	char path[PATH];

	if (!blank)
		return false;
	word.end = blank;
	c->at = blank + 1;
	return take_rest(&word, path, sizeof(path));
}

static bool take_hex(struct cursor *c, struct unc_entry *entry)
{
	for (entry->len = 0; c->at < c->end && *c->at != ' '; c->at += 2) {
		int hi = unc_text_digit(c->at[0]), lo = c->at + 1 < c->end ? unc_text_digit(c->at[1]) : -1;

		if (hi < 0 || lo < 0 || entry->len == sizeof(entry->bytes))
			return false;
		entry->bytes[entry->len++] = (unsigned char)(hi << 4 | lo);
	}
	if (c->at < c->end)
		c->at++;
	return entry->len != 0;
}

/* The bytes of an access; those of a read that failed are their number behind *. */
static bool take_data(struct cursor *c, char type, struct unc_entry *entry)
{
	uint64_t value;

	if (c->at < c->end && *c->at == '*' && !unc_line_types[entry->kind].deed) {
		c->at++;
		if (!take_number(c, UNC_RECORD_BLOCK, &value) || c->at == c->end || *c->at != '!')
			return false;
		entry->len = (size_t)value;
		return true;
	}
	if (type == '*')
		return take_hex(c, entry);
	entry->len = type == '8' ? 8 : 4;
	if (!take_number(c, type == '8' ? UINT64_MAX : UINT32_MAX, &value))
		return false;
	unc_put_le64(entry->bytes, value);
	return true;
}

static bool take_fields(struct cursor *c, const char *types, uint64_t *n, struct unc_addr *addr,
			struct unc_entry *entry)
{
	for (; *types; types++) {
		bool good;

		if (*types == 's')
			good = take_space(c, addr);
		else if (*types == 'p')
			good = take_path(c);
		else if (is_data(*types))
			good = take_data(c, *types, entry);
		else
			good = take_of_type(c, *types, n++);
		if (!good)
			return false;
	}
	return true;
}

static const char *without_blank(const struct cursor *c, const char *begin)
{
	return c->at > begin && c->at[-1] == ' ' ? c->at - 1 : c->at;
}

/* The question, with what its group is told apart by. */
static bool take_question(struct cursor *c, struct unc_addr *addr, struct unc_entry *entry)
{
	const struct unc_line_type *type = &unc_line_types[entry->kind];
	const char *first;

	c->at += strlen(type->word);
	c->at += c->at < c->end;
	first = c->at;
	if (!take_fields(c, type->question, entry->n, addr, entry))
		return false;
	entry->question_end = without_blank(c, entry->at);
	entry->key = type->group == UNC_GROUP_SPACE || type->group == UNC_GROUP_EVENT ? first : entry->at;
	entry->key_len = (size_t)(entry->question_end - entry->at);
	if (entry->key == first) {
		const char *blank = memchr(first, ' ', (size_t)(c->end - first));

		entry->key_len = (size_t)((blank ? blank : c->end) - first);
	}
	if (type->group == UNC_GROUP_TRAFFIC)
		entry->key_len = 0;
	return true;
}

/* ---- reading: items ---- */

/* Numbers with : between them; - is -1, and off -2.  Returns how many; 0: they make no sense. */
static size_t parse_numbers(char *text, int numbers[4])
{
	size_t n = 0;

	while (text) {
		const char *piece = unc_text_cut(&text, ':');
		uint64_t value = 0;

		if (n == 4 || (strcmp(piece, "-") != 0 && strcmp(piece, "off") != 0 &&
			       (!unc_text_u64(piece, &value) || value > INT32_MAX)))
			return 0;
		numbers[n++] = *piece == '-' ? -1 : *piece == 'o' ? -2 : (int)value;
	}
	return n;
}

/* "CPU:PACKAGE:NODE:L3" or "CPU:off" */
static bool make_cpu(const int *numbers, size_t n, struct unc_host_cpu *ret_cpu)
{
	bool online = n == 4;

	*ret_cpu = (struct unc_host_cpu){(unsigned)numbers[0], online, -1, -1, -1};
	if (!online)
		return n == 2 && numbers[1] == -2;
	ret_cpu->package = numbers[1];
	ret_cpu->node = numbers[2];
	ret_cpu->l3 = numbers[3];
	return numbers[1] > -2 && numbers[2] > -2 && numbers[3] > -2;
}

static bool parse_item(enum unc_line_items type, char *word, void *items, size_t i)
{
	int n[4];
	size_t count;

	if (type == UNC_ITEMS_ADDRS)
		return parse_space(word, (struct unc_addr *)items + i);
	count = parse_numbers(word, n);
	if (!count || n[0] < 0)
		return false;
	if (type == UNC_ITEMS_CPUS)
		return make_cpu(n, count, (struct unc_host_cpu *)items + i);
	if (type == UNC_ITEMS_NUMBERS) {
		((unsigned *)items)[i] = (unsigned)n[0];
		return count == 1;
	}
	((struct unc_package *)items)[i] = (struct unc_package){(unsigned)n[0], (unsigned)n[1], (unsigned)n[2]};
	return count == 3 && n[1] >= 0 && n[2] >= 0;
}

static size_t item_size(enum unc_line_items type)
{
	if (type == UNC_ITEMS_PACKAGES)
		return sizeof(struct unc_package);
	if (type == UNC_ITEMS_ADDRS)
		return sizeof(struct unc_addr);
	return type == UNC_ITEMS_CPUS ? sizeof(struct unc_host_cpu) : sizeof(unsigned);
}

/* At the next of many, which may be the first of a line that begins with +. */
static bool at_item(struct cursor *c)
{
	char buf[WORD];

	return c->at < c->end || (next_line(c->text, c) && strcmp(take_word(c, buf), "+") == 0);
}

/* Packages are as many as there are in the line. */
static int take_items(struct cursor *c, enum unc_line_items type, uint64_t n, struct unc_entry *entry)
{
	char buf[WORD];

	if (type != UNC_ITEMS_PACKAGES && c->at < c->end)
		return UNC_EARG;
	while (type == UNC_ITEMS_PACKAGES ? c->at < c->end : entry->n_items < n) {
		void *items;

		if (!at_item(c))
			return UNC_EARG;
		items = unc_array_more(entry->items, entry->n_items, item_size(type));
		if (!items)
			return no_memory(c->text);
		entry->items = items;
		if (!parse_item(type, (char *)take_word(c, buf), items, entry->n_items++))
			return UNC_EARG;
	}
	return c->at == c->end ? UNC_OK : UNC_EARG;
}

/* How many bytes the next n lines have; 0: there are not so many lines. */
static size_t lines_len(const struct unc_record_text *text, uint64_t n)
{
	const char *at = text->at;

	for (; n && at; n--) {
		at = at < text->end ? memchr(at, '\n', (size_t)(text->end - at)) : NULL;
		at += at != NULL;
	}
	return at ? (size_t)(at - text->at) : 0;
}

/* Pointers first, the names they point to behind them: one allocation. */
static int take_names(struct cursor *c, uint64_t n, struct unc_entry *entry)
{
	size_t room = lines_len(c->text, n);
	const char **names;
	char buf[WORD], *to;

	if (c->at < c->end || (n && !room))
		return UNC_EARG;
	names = malloc((size_t)n * sizeof(*names) + room + 1);
	if (!names)
		return no_memory(c->text);
	entry->items = names;
	entry->n_items = (size_t)n;
	to = (char *)(names + n);
	for (size_t i = 0; i < n; i++) {
		if (!next_line(c->text, c) || strcmp(take_word(c, buf), "+") != 0 || c->at == c->end ||
		    memchr(c->at, '/', (size_t)(c->end - c->at)) || !take_rest(c, to, room))
			return UNC_EARG;
		names[i] = to;
		room -= strlen(to) + 1;
		to += strlen(to) + 1;
	}
	return UNC_OK;
}

/* Lines with so many bytes; a zero is put behind them. */
static int take_bytes(struct cursor *c, uint64_t n, struct unc_entry *entry)
{
	char *bytes = malloc((size_t)n + 1), *at = bytes;

	if (!bytes)
		return no_memory(c->text);
	entry->items = bytes;
	entry->n_items = (size_t)n;
	if (c->at < c->end)
		return UNC_EARG;
	while (at < bytes + n) {
		char first = c->text->at < c->text->end ? *c->text->at : '\0';

		if (!next_line(c->text, c) || (first != '|' && first != ':'))
			return UNC_EARG;
		for (c->at++; c->at < c->end; at++)
			if (at == bytes + n || !take_char(c, at))
				return UNC_EARG;
		if (first == '|' && at == bytes + n)
			return UNC_EARG;
		if (first == '|')
			*at++ = '\n';
	}
	*at = '\0';
	return UNC_OK;
}

static int take_link(struct cursor *c, struct unc_entry *entry)
{
	size_t size = (size_t)(c->end - c->at) + 1;

	if (c->at == c->end || *c->at++ != '=' || size > UNC_RECORD_TEXT)
		return UNC_EARG;
	entry->items = malloc(size);
	if (!entry->items)
		return no_memory(c->text);
	if (!take_rest(c, entry->items, size))
		return UNC_EARG;
	entry->n_items = strlen(entry->items);
	return UNC_OK;
}

/* ---- reading: lines ---- */

/* At "!io EIO SENTENCE". */
static int take_failure(struct cursor *c, struct unc_entry *entry)
{
	char class[WORD], name[WORD];

	c->at++;
	entry->err = unc_record_err(take_word(c, class));
	entry->os_name = os_name(take_word(c, name));
	return entry->err < 0 && name[0] && take_rest(c, entry->sentence, sizeof(entry->sentence)) ? UNC_OK : UNC_EARG;
}

static int take_answer(struct cursor *c, struct unc_entry *entry)
{
	const struct unc_line_type *type = &unc_line_types[entry->kind];
	unsigned n = (unsigned)strlen(type->answer);

	if (c->at < c->end && *c->at == '!')
		return take_failure(c, entry);
	if (!take_fields(c, type->answer, entry->a, NULL, entry))
		return UNC_EARG;
	if (c->at < c->end && *c->at == '!' && is_data(type->answer[0]))
		return take_failure(c, entry);
	switch (type->items) {
	case UNC_ITEMS_NONE:
		return c->at == c->end ? UNC_OK : UNC_EARG;
	case UNC_ITEMS_NAMES:
		return take_names(c, entry->a[n - 1], entry);
	case UNC_ITEMS_BYTES:
		return take_bytes(c, entry->a[n - 1], entry);
	case UNC_ITEMS_REST:
		return take_link(c, entry);
	default:
		return take_items(c, type->items, n ? entry->a[n - 1] : entry->n[strlen(type->question) - 1], entry);
	}
}

/* What a table of types does not say. */
static bool makes_sense(const struct unc_entry *entry, const struct unc_addr *addr)
{
	const struct unc_line_type *type = &unc_line_types[entry->kind];

	if (entry->kind == UNC_LINE_END + UNC_RECORD_SIGNAL)
		return entry->n[0] > 0 && entry->n[0] < 65;
	return type->group != UNC_GROUP_SPACE ||
	       unc_line_access(type->deed, addr->kind, entry->n[0], entry->len) == entry->kind;
}

static enum unc_line_kind kind_of(const struct cursor *c)
{
	unsigned kind = 0;

	for (; kind < UNC_LINE_KINDS; kind++) {
		size_t len = strlen(unc_line_types[kind].word);

		if ((size_t)(c->end - c->at) >= len && memcmp(c->at, unc_line_types[kind].word, len) == 0 &&
		    (c->at + len == c->end || c->at[len] == ' '))
			break;
	}
	return (enum unc_line_kind)kind;
}

static int take_line(struct cursor *c, struct unc_entry *entry)
{
	struct unc_addr addr = {.kind = UNC_PCI};
	int rc;

	if (entry->kind == UNC_LINE_KINDS)
		return UNC_EARG;
	if (entry->kind == UNC_LINE_NOTE) {
		c->at += strlen("note");
		c->at += c->at < c->end;
		return take_rest(c, entry->sentence, sizeof(entry->sentence)) ? UNC_OK : UNC_EARG;
	}
	if (!take_question(c, &addr, entry))
		return UNC_EARG;
	rc = take_answer(c, entry);
	return rc == UNC_OK && !makes_sense(entry, &addr) ? UNC_EARG : rc;
}

/* "r+50": of a line of times. */
static int take_time(struct cursor *c, struct unc_entry *entry)
{
	char buf[WORD];
	const char *clock = *take_word(c, buf) ? strchr(unc_record_clocks, buf[0]) : NULL;

	entry->kind = UNC_LINE_TIME;
	if (!clock || !take_step(buf + 1, &entry->a[1]))
		return UNC_EARG;
	entry->a[0] = (uint64_t)(clock - unc_record_clocks);
	return UNC_OK;
}

void unc_entry_clear(struct unc_entry *entry)
{
	free(entry->items);
	entry->items = NULL;
}

static void begin_entry(struct unc_entry *entry, const struct cursor *c)
{
	unc_entry_clear(entry);
	memset(entry, 0, offsetof(struct unc_entry, sentence));
	entry->sentence[0] = '\0';
	entry->n_items = 0;
	entry->len = 0;
	entry->line = c->text->line;
	entry->at = c->at;
}

bool unc_record_next(struct unc_record_text *text, struct unc_entry *entry, int *ret_rc)
{
	struct cursor c = {.text = text, .at = text->at};
	int rc;

	*ret_rc = UNC_OK;
	if (text->in_times)
		c.end = memchr(text->at, '\n', (size_t)(text->end - text->at)); /* it was seen before */
	else if (!next_line(text, &c))
		return false;
	begin_entry(entry, &c);
	entry->kind = text->in_times ? UNC_LINE_TIME : kind_of(&c);
	if (entry->kind == UNC_LINE_TIME) {
		if (!text->in_times)
			c.at += c.at + 1 < c.end ? 2 : 1;
		rc = take_time(&c, entry);
		text->in_times = c.at < c.end;
		text->at = text->in_times ? c.at : c.end + 1;
	} else {
		rc = take_line(&c, entry);
	}
	entry->end = text->at;
	if (rc == UNC_OK)
		return true;
	unc_entry_clear(entry);
	*ret_rc = rc == UNC_EARG ? unc_record_wrong(text, "this line makes no sense") : rc;
	return false;
}

int unc_record_again(struct unc_record_text text, const char *at, unsigned line, struct unc_entry *entry)
{
	int rc;

	text.at = at;
	text.line = line - 1;
	text.in_times = false;
	unc_record_next(&text, entry, &rc);
	return rc;
}

void unc_record_question(struct unc_record_text text, const char *at, struct unc_entry *entry)
{
	struct cursor c = {.text = &text};
	struct unc_addr addr;

	text.at = at;
	if (!next_line(&text, &c))
		return;
	begin_entry(entry, &c);
	entry->kind = kind_of(&c);
	if (entry->kind < UNC_LINE_KINDS && take_question(&c, &addr, entry) &&
	    unc_line_types[entry->kind].group == UNC_GROUP_SPACE)
		take_fields(&c, unc_line_types[entry->kind].answer, entry->a, NULL, entry);
}

/* ---- reading: the head ---- */

static int take_text(struct cursor *c, char **ret_text)
{
	size_t size = (size_t)(c->end - c->at) + 1;
	char *copy = malloc(size);

	if (!copy)
		return no_memory(c->text);
	free(*ret_text);
	*ret_text = copy;
	return take_rest(c, copy, size) ? UNC_OK : UNC_EARG;
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

	take_word(c, buf);
	west = buf[0] == '-';
	if (!unc_text_u64(buf + west, &seconds) || seconds > 86400 || c->at < c->end)
		return UNC_EARG;
	head->utc_s = west ? -(int64_t)seconds : (int64_t)seconds;
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

/* The first line names the format. */
static int take_format(struct unc_record_text *text)
{
	struct cursor c;
	char first[WORD] = "";

	text->line = 0;
	if (next_line(text, &c) && strcmp(take_word(&c, first), UNC_RECORD_FORMAT) == 0 && c.at == c.end)
		return UNC_OK;
	text->line = 1;
	if (strcmp(first, "uncorectl-record/1") == 0)
		return unc_fail(
			text->ctx, UNC_EARG,
			"%s:1: this record has the format uncorectl-record/1, which this version does not read; "
			"replay it with the version that wrote it, or record the command again",
			text->path);
	return unc_record_wrong(text, "it does not begin with " UNC_RECORD_FORMAT);
}

int unc_record_read_head(struct unc_record_text *text, struct unc_replay_head *head)
{
	struct cursor c;
	char first[WORD];
	int rc;

	memset(head, 0, sizeof(*head));
	rc = take_format(text);
	if (rc < 0)
		return rc;
	while (rc == UNC_OK) {
		if (!next_line(text, &c))
			return unc_record_wrong(text, "its head does not end");
		if (strcmp(take_word(&c, first), "begin") == 0)
			break;
		rc = head_line(&c, first, head);
	}
	if (rc == UNC_OK && (c.at < c.end || !head->name))
		rc = UNC_EARG;
	return rc == UNC_EARG ? unc_record_wrong(text, "this line makes no sense") : rc;
}
