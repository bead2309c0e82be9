// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of a record: the table of their kinds, and how they are put together. */
#include "access/record_text.h"

#include "base/text.h"

enum { PER_LINE = 8, PIECE = 1024 };

/*
 * Types of fields: u a decimal number below 2^31, w below 2^32, U below 2^64, c below 256, i a number of items, b one of bytes;
 * x a hex number of 32 bits, X of 64, h and H with leading zeros; e the number of an event behind =; D how far a deadline is from
 * the clock m; k, m, T words of the lists below; s the name of a space, p a path; 4, 8 and * the bytes of an access.
 */
const struct unc_line_type unc_line_types[UNC_LINE_KINDS] = {
	/* in the order of enum unc_line_kind */
	{.word = "t", .what = "the time"},
	{.word = "sleep", .question = "D", .answer = "", .what = "a sleep"},
	{"cpuid", "uxx", "hhhh", UNC_ITEMS_NONE, UNC_GROUP_QUESTION, false, "CPUID"},
	{"topology", "", "uu", UNC_ITEMS_PACKAGES, UNC_GROUP_QUESTION, false, "which CPUs there are"},
	{"cpus", "", "i", UNC_ITEMS_CPUS, UNC_GROUP_QUESTION, false, "which CPUs share what"},
	{"bus", "km", "", UNC_ITEMS_NONE, UNC_GROUP_QUESTION, false, "opening a bus"},
	{"list", "k", "i", UNC_ITEMS_ADDRS, UNC_GROUP_QUESTION, false, "what there is on a bus"},
	{"open", "s", "U", UNC_ITEMS_NONE, UNC_GROUP_QUESTION, false, "opening a space"},
	{"r32", "sX", "4", UNC_ITEMS_NONE, UNC_GROUP_SPACE, false, "a read"},
	{"r64", "sX", "8", UNC_ITEMS_NONE, UNC_GROUP_SPACE, false, "a read"},
	{"rblk", "sX", "*", UNC_ITEMS_NONE, UNC_GROUP_SPACE, false, "a read"},
	{"w32", "sX4", "", UNC_ITEMS_NONE, UNC_GROUP_SPACE, true, "a write"},
	{"w64", "sX8", "", UNC_ITEMS_NONE, UNC_GROUP_SPACE, true, "a write"},
	{"wblk", "sX*", "", UNC_ITEMS_NONE, UNC_GROUP_SPACE, true, "a write"},
	{"claim take", "sXU", "", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false, "a claim"},
	{"claim ask", "sXU", "", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false, "the question for a claim"},
	{"claim leave", "sXU", "", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false, "the end of a claim"},
	{"maps", "", "i", UNC_ITEMS_NAMES, UNC_GROUP_QUESTION, false, "which register maps there are"},
	{"file", "p", "b", UNC_ITEMS_BYTES, UNC_GROUP_QUESTION, false, "a file"},
	{"text", "p", "b", UNC_ITEMS_BYTES, UNC_GROUP_QUESTION, false, "a file of the system"},
	{"names", "p", "i", UNC_ITEMS_NAMES, UNC_GROUP_QUESTION, false, "what there is in a folder"},
	{"link", "p", "", UNC_ITEMS_REST, UNC_GROUP_QUESTION, false, "where a link leads"},
	{"traffic start", "TuUUi", "", UNC_ITEMS_NUMBERS, UNC_GROUP_TRAFFIC, true, "the start of traffic"},
	{"traffic look", "", "UUUU", UNC_ITEMS_NONE, UNC_GROUP_TRAFFIC, false, "the volume of traffic"},
	{"traffic stop", "", "UUUU", UNC_ITEMS_NONE, UNC_GROUP_TRAFFIC, true, "the end of traffic"},
	{"perf open", "wXXXu", "e", UNC_ITEMS_NONE, UNC_GROUP_ONCE, false, "opening an event of perf"},
	{"perf on", "u", "", UNC_ITEMS_NONE, UNC_GROUP_EVENT, true, "switching on an event of perf"},
	{"perf off", "u", "", UNC_ITEMS_NONE, UNC_GROUP_EVENT, true, "switching off an event of perf"},
	{"perf read", "u", "UUU", UNC_ITEMS_NONE, UNC_GROUP_EVENT, false, "reading an event of perf"},
	{"perf close", "u", "", UNC_ITEMS_NONE, UNC_GROUP_EVENT, true, "closing an event of perf"},
	{.word = "note", .what = "a note"},
	{"signal", "cu", "", UNC_ITEMS_NONE, UNC_GROUP_END, false, "a signal"},
	{"ended", "cu", "", UNC_ITEMS_NONE, UNC_GROUP_END, false, "the end of the COMMAND"},
};

const char unc_record_clocks[] = {
	[UNC_CLOCK_RAW] = 'r',  [UNC_CLOCK_MONO] = 'm',     [UNC_CLOCK_BOOT] = 'b',
	[UNC_CLOCK_REAL] = 'w', [UNC_RECORD_CLOCKS] = '\0',
};

static const char *const kinds[] = {
	[UNC_PCI] = "pci", [UNC_MSR] = "msr", [UNC_MMIO] = "mmio", [UNC_AREA] = "area", NULL};
static const char *const modes[] = {"ro", "rw", NULL};
static const char *const traffic_kinds[] = {
	[UNC_TRAFFIC_READ] = "read", [UNC_TRAFFIC_WRITE] = "write", [UNC_TRAFFIC_NT_WRITE] = "nt_write", NULL};

const char *const *unc_line_words(char type)
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

static const char *const classes[] = {
	[-UNC_ENOMEM] = "nomem", [-UNC_EARG] = "arg",     [-UNC_EPERM] = "perm",   [-UNC_ENODEV] = "nodev",
	[-UNC_EIO] = "io",       [-UNC_ENOREG] = "noreg", [-UNC_ERANGE] = "range", [-UNC_EDENIED] = "denied",
	[-UNC_EMAP] = "map",     [-UNC_EBUSY] = "busy",   [-UNC_EAGAIN] = "again", [-UNC_ENODATA] = "nodata",
	[-UNC_ENOSUP] = "nosup",
};
enum { N_CLASSES = sizeof(classes) / sizeof(classes[0]) };

const char *unc_record_class(int err)
{
	return err < 0 && err > -N_CLASSES ? classes[-err] : NULL;
}

int unc_record_err(const char *name)
{
	for (int err = 1; err < N_CLASSES; err++)
		if (strcmp(classes[err], name) == 0)
			return -err;
	return 0;
}

enum unc_line_kind unc_line_access(bool write, enum unc_kind kind, uint64_t off, size_t len)
{
	if (kind == UNC_MSR)
		return write ? UNC_LINE_W64 : UNC_LINE_R64;
	if (len == 4 && off % 4 == 0)
		return write ? UNC_LINE_W32 : UNC_LINE_R32;
	return write ? UNC_LINE_WBLK : UNC_LINE_RBLK;
}

struct unc_question unc_line_access_of(const struct unc_addr *addr, bool write, uint64_t off, const void *bytes,
				       size_t len, char name[UNC_ADDR_TEXT])
{
	return (struct unc_question){.kind = unc_line_access(write, addr->kind, off, len),
				     .n = {off},
				     .text = unc_addr_text(addr, name),
				     .bytes = bytes,
				     .len = len};
}

struct unc_question unc_line_start_of(const struct unc_traffic *traffic)
{
	return (struct unc_question){
		.kind = UNC_LINE_TRAFFIC + UNC_TRAFFIC_START,
		.n = {traffic->kind, traffic->node, traffic->bytes_per_s, traffic->size_bytes, traffic->n_cpus}};
}

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
static void put_text(struct unc_line *line, const char *text, size_t len, bool in_word)
{
	for (const char *end = text + len; text < end; text++)
		if (*text < ' ' || *text > '~' || *text == '%' || (*text == ' ' && in_word))
			unc_line_put(line, "%%%02X", (unsigned char)*text);
		else
			unc_line_put(line, "%c", *text);
}

void unc_line_put_text(struct unc_line *line, const char *text)
{
	put_text(line, text, strlen(text), false);
}

static void put_number(struct unc_line *line, char type, uint64_t n)
{
	if (unc_line_words(type))
		unc_line_put(line, "%s", unc_line_words(type)[n]);
	else if (type == 'D' && n == UNC_RECORD_FOREVER)
		unc_line_put(line, "forever");
	else if (type == 'D')
		unc_line_put(line, "m%c%" PRIu64, n > UNC_RECORD_FOREVER ? '-' : '+', n > UNC_RECORD_FOREVER ? -n : n);
	else if (type == 'h')
		unc_line_put(line, "0x%08" PRIx64, n);
	else if (type == 'x' || type == 'X')
		unc_line_put(line, "0x%" PRIx64, n);
	else
		unc_line_put(line, type == 'e' ? "=%" PRIu64 : "%" PRIu64, n);
}

bool unc_line_is_data(char type)
{
	return type == '4' || type == '8' || type == '*';
}

static void put_fields(struct unc_line *line, const char *types, const uint64_t *n, const char *text, const void *bytes,
		       size_t len)
{
	for (; *types; types++) {
		unc_line_put(line, " ");
		if (*types == 's') {
			unc_line_put(line, "%s", text);
		} else if (*types == 'p') {
			put_text(line, text, strlen(text), true);
		} else if (*types == '4') {
			unc_line_put(line, "0x%08" PRIx32, unc_le32(bytes));
		} else if (*types == '8') {
			unc_line_put(line, "0x%016" PRIx64, unc_le64(bytes));
		} else if (*types == '*') {
			/* There is room for an access of UNC_RECORD_BLOCK bytes, the longest that there is. */
			unc_text_put_hex(line->text + line->len, bytes, len);
			line->len += 2 * len;
		} else {
			put_number(line, *types, *n++);
		}
	}
}

void unc_line_put_question(struct unc_line *line, const struct unc_question *q)
{
	const struct unc_line_type *type = &unc_line_types[q->kind];

	unc_line_put(line, "%s", type->word);
	put_fields(line, type->question, q->n, q->text, q->bytes, q->len);
}

/* Eight of them in a line; packages are all in the line of the answer. */
static void put_item(struct unc_line *line, enum unc_line_items type, const void *items, size_t i)
{
	const struct unc_package *package = (const struct unc_package *)items + i;
	const struct unc_host_cpu *cpu = (const struct unc_host_cpu *)items + i;
	char name[UNC_ADDR_TEXT];

	if (type != UNC_ITEMS_PACKAGES && i % PER_LINE == 0) {
		unc_line_end(line);
		unc_line_put(line, "+");
	}
	if (type == UNC_ITEMS_PACKAGES)
		unc_line_put(line, " %u:%u:%u", package->id, package->n_cpus, package->first_cpu);
	else if (type == UNC_ITEMS_ADDRS)
		unc_line_put(line, " %s", unc_addr_text((const struct unc_addr *)items + i, name));
	else if (type == UNC_ITEMS_NUMBERS)
		unc_line_put(line, " %u", ((const unsigned *)items)[i]);
	else
		unc_line_put(line, cpu->online ? " %u" : " %u:off", cpu->cpu);
	if (type == UNC_ITEMS_CPUS && cpu->online) {
		const int told[] = {cpu->package, cpu->node, cpu->l3};

		for (size_t k = 0; k < sizeof(told) / sizeof(told[0]); k++)
			if (told[k] < 0)
				unc_line_put(line, ":-");
			else
				unc_line_put(line, ":%d", told[k]);
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
		put_text(line, text, piece, false);
		text += piece + (newline ? 1 : 0);
	}
}

void unc_line_put_answer(struct unc_line *line, const struct unc_question *q, const uint64_t *numbers,
			 const void *items, size_t n)
{
	const struct unc_line_type *type = &unc_line_types[q->kind];
	const char *const *names = items;

	put_fields(line, type->answer, numbers, q->text, items, n);
	switch (type->items) {
	case UNC_ITEMS_NONE:
		break;
	case UNC_ITEMS_NAMES:
		for (size_t i = 0; i < n; i++) {
			unc_line_end(line);
			unc_line_put(line, "+ ");
			unc_line_put_text(line, names[i]);
		}
		break;
	case UNC_ITEMS_BYTES:
		put_bytes(line, items, n);
		break;
	case UNC_ITEMS_REST:
		unc_line_put(line, " =");
		unc_line_put_text(line, items);
		break;
	default:
		for (size_t i = 0; i < n; i++)
			put_item(line, type->items, items, i);
	}
}

void unc_line_put_failure(struct unc_line *line, const struct unc_question *q, int rc, const char *name,
			  const char *sentence)
{
	if (unc_line_is_data(unc_line_types[q->kind].answer[0]))
		unc_line_put(line, " *%zu", q->len);
	unc_line_put(line, " !%s %s", unc_record_class(rc), name ? name : "-");
	if (!sentence)
		return;
	unc_line_put(line, " ");
	unc_line_put_text(line, sentence);
}
