// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/cpuid_raw.h"

#include "base/text.h"

struct record {
	unsigned cpu;
	uint32_t leaf, subleaf;
	bool told; /* the dump says which sub-leaf it is */
	size_t line;
	struct unc_cpuid_regs regs;
};

struct unc_cpuid_dump {
	struct record *records; /* owned; sorted by CPU, leaf, sub-leaf, line */
	size_t n;
	unsigned n_cpus;
	bool headless; /* no heading names a CPU: the one that is there stands for all */
};

enum { CPU_MAX = 65535, INDEX_MAX = 0xffff };

/* Names of the first form: an index into leaves, or into the sub-leaves of one leaf. */
static const struct form1 {
	const char *name;
	uint32_t leaf;
	bool by_subleaf;
} form1[] = {
	{"basic_cpuid[", 0x00000000, false},    {"ext_cpuid[", 0x80000000, false},  {"intel_fn4[", 0x00000004, true},
	{"intel_fn11[", 0x0000000b, true},      {"intel_fn12h[", 0x00000012, true}, {"intel_fn14h[", 0x00000014, true},
	{"amd_fn8000001dh[", 0x8000001d, true},
};

/*
 * Leaves that answer by ECX.  One recorded without a sub-leaf was asked for with ECX = 0, and its data must not
 * stand for another: the first form keeps only 0xF.0, whose EBX would pass for an upscaling factor in 0xF.1.
 */
static bool leaf_has_subleaves(uint32_t leaf)
{
	static const uint32_t leaves[] = {
		0x4,  0x7,  0xb,  0xd,  0xf,  0x10, 0x12, 0x14,       0x17,       0x18,
		0x1b, 0x1d, 0x1e, 0x1f, 0x20, 0x23, 0x24, 0x8000001d, 0x80000020, 0x80000026,
	};

	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (leaves[i] == leaf)
			return true;
	return false;
}

struct cursor { /* one line, never beyond its end */
	const char *at, *end;
};

static bool skip(struct cursor *cursor, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(cursor->end - cursor->at) < len || memcmp(cursor->at, text, len) != 0)
		return false;
	cursor->at += len;
	return true;
}

/* At least least, at most most digits (8 do not overflow). */
static bool number(struct cursor *cursor, int base, unsigned least, unsigned most, uint32_t *ret_value)
{
	uint32_t value = 0;
	unsigned n = 0;

	for (; cursor->at < cursor->end && n < most; cursor->at++, n++) {
		int d = unc_text_digit(*cursor->at);

		if (d < 0 || d >= base)
			break;
		value = value * (uint32_t)base + (uint32_t)d;
	}
	*ret_value = value;
	return n >= least;
}

/* Four registers of exactly eight digits: one cut off in its middle must not pass for a smaller number. */
static bool registers(struct cursor *cursor, const char *between, struct unc_cpuid_regs *ret_regs)
{
	return number(cursor, 16, 8, 8, &ret_regs->eax) && skip(cursor, between) &&
	       number(cursor, 16, 8, 8, &ret_regs->ebx) && skip(cursor, between) &&
	       number(cursor, 16, 8, 8, &ret_regs->ecx) && skip(cursor, between) &&
	       number(cursor, 16, 8, 8, &ret_regs->edx) && (cursor->at == cursor->end || *cursor->at == ' ');
}

/* "00000004: 7C004121-01C0003F-0000003F-00000000 [SL 00] [L1D: 32 KB]", behind "CPUID ". */
static bool form2_line(struct cursor *cursor, struct record *ret_record)
{
	if (!number(cursor, 16, 8, 8, &ret_record->leaf) || !skip(cursor, ": ") ||
	    !registers(cursor, "-", &ret_record->regs))
		return false;
	ret_record->subleaf = 0;
	ret_record->told = skip(cursor, " [SL ");
	if (ret_record->told)
		return number(cursor, 16, 1, 8, &ret_record->subleaf) && skip(cursor, "]");
	ret_record->told = leaf_has_subleaves(ret_record->leaf);
	return true;
}

struct parser {
	struct unc_ctx *ctx;
	const char *name;
	size_t line;
	struct unc_cpuid_dump *dump;
	bool heading; /* one was seen */
	bool foreign; /* below one that names no CPU */
	unsigned cpu;
};

static int bad_line(const struct parser *parser, const char *why)
{
	return unc_fail(parser->ctx, UNC_EARG, "%s:%zu: %s", parser->name, parser->line, why);
}

static int heading(struct parser *parser, struct cursor line)
{
	static const char sign[] = "Logical CPU #";
	uint32_t cpu;

	if (!parser->heading && parser->dump->n)
		return bad_line(parser, "a heading, but there were registers above it; which CPU's are they?");
	parser->heading = true;
	while (line.at < line.end && !skip(&line, sign))
		line.at++;
	parser->foreign = line.at == line.end;
	if (parser->foreign)
		return UNC_OK;
	if (!number(&line, 10, 1, 8, &cpu) || cpu > CPU_MAX)
		return bad_line(parser, "a heading without a CPU number that makes sense");
	parser->cpu = cpu;
	return UNC_OK;
}

/* What the line has, which is not empty. */
static int one_line(struct parser *parser, struct cursor line)
{
	struct unc_cpuid_dump *dump = parser->dump;
	struct record record = {.cpu = parser->cpu, .line = parser->line};
	struct cursor rest = line;
	size_t i = 0;
	uint32_t index;

	if (skip(&rest, "------[") || skip(&rest, "_________________ "))
		return heading(parser, line);
	if (parser->foreign)
		return UNC_OK;
	if (skip(&line, "CPUID ")) {
		if (!form2_line(&line, &record))
			return bad_line(parser, "not as \"CPUID LEAF: EAX-EBX-ECX-EDX [SL nn]\"");
	} else {
		while (i < sizeof(form1) / sizeof(form1[0]) && !skip(&line, form1[i].name))
			i++;
		/* Programs that write such dumps put remarks below a heading; above the first there is only a version. */
		if (i == sizeof(form1) / sizeof(form1[0]))
			return parser->heading || skip(&line, "version=")
				       ? UNC_OK
				       : bad_line(parser, "not a raw CPUID dump: neither registers nor a heading");
		/* "4]=3c004121 01c0003f 0000003f 00000000", after the name */
		if (!number(&line, 10, 1, 8, &index) || index > INDEX_MAX || !skip(&line, "]=") ||
		    !registers(&line, " ", &record.regs))
			return bad_line(parser, "not as \"NAME[N]=EAX EBX ECX EDX\"");
		record.leaf = form1[i].by_subleaf ? form1[i].leaf : form1[i].leaf + index;
		record.subleaf = form1[i].by_subleaf ? index : 0;
		record.told = form1[i].by_subleaf || leaf_has_subleaves(record.leaf);
	}
	if (!unc_array_add(&dump->records, &dump->n, &record, sizeof(record)))
		return unc_fail(parser->ctx, UNC_ENOMEM, "%s: out of memory", parser->name);
	return UNC_OK;
}

static bool only_dashes(struct cursor line)
{
	struct cursor rest = line;

	while (rest.at < rest.end && *rest.at == '-')
		rest.at++;
	return rest.at == rest.end && line.end - line.at >= 8;
}

static int by_place(const void *a, const void *b)
{
	const struct record *ra = a, *rb = b;

	if (ra->cpu != rb->cpu)
		return unc_order(ra->cpu, rb->cpu);
	if (ra->leaf != rb->leaf)
		return unc_order(ra->leaf, rb->leaf);
	return ra->subleaf != rb->subleaf ? unc_order(ra->subleaf, rb->subleaf) : unc_order(ra->line, rb->line);
}

int unc_cpuid_dump_parse(struct unc_ctx *ctx, const char *name, const char *text, size_t len,
			 struct unc_cpuid_dump **ret_dump)
{
	struct unc_cpuid_dump *dump = calloc(1, sizeof(*dump));
	struct parser parser = {.ctx = ctx, .name = name, .dump = dump};
	const char *end = text + len;
	int rc = dump ? UNC_OK : unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", name);

	while (text < end && rc == UNC_OK) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct cursor line = {text, stop ? stop : end};

		text = stop ? stop + 1 : end;
		parser.line++;
		if (line.end > line.at && line.end[-1] == '\r')
			line.end--;
		if (only_dashes(line))
			break;
		if (line.at < line.end)
			rc = one_line(&parser, line);
	}
	if (rc == UNC_OK && !dump->n)
		rc = unc_fail(ctx, UNC_EARG, "%s: not a raw CPUID dump: there are no registers in it", name);
	if (rc < 0) {
		unc_cpuid_dump_free(dump);
		return rc;
	}
	qsort(dump->records, dump->n, sizeof(dump->records[0]), by_place);
	dump->n_cpus = 1;
	for (size_t i = 1; i < dump->n; i++)
		dump->n_cpus += dump->records[i].cpu != dump->records[i - 1].cpu;
	dump->headless = !parser.heading;
	*ret_dump = dump;
	return UNC_OK;
}

void unc_cpuid_dump_free(struct unc_cpuid_dump *dump)
{
	if (!dump)
		return;
	free(dump->records);
	free(dump);
}

unsigned unc_cpuid_dump_cpus(const struct unc_cpuid_dump *dump)
{
	return dump->n_cpus;
}

/* The first record at or behind a place; NULL at the end. */
static const struct record *find(const struct unc_cpuid_dump *dump, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	struct record key = {.cpu = cpu, .leaf = leaf, .subleaf = subleaf};
	size_t low = 0, high = dump->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_place(&dump->records[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < dump->n ? &dump->records[low] : NULL;
}

int unc_cpuid_dump_get(struct unc_ctx *ctx, const struct unc_cpuid_dump *dump, unsigned cpu, uint32_t leaf,
		       uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	const struct record *record;

	if (dump->headless)
		cpu = 0;
	record = find(dump, cpu, 0, 0);
	if (!record || record->cpu != cpu)
		return unc_fail(ctx, UNC_ENODEV, "cpu %u: not in the CPUID dump, which has %u CPUs", cpu, dump->n_cpus);
	record = find(dump, cpu, leaf, 0);
	if (!record || record->cpu != cpu || record->leaf != leaf)
		return unc_fail(ctx, UNC_ENODATA, "cpu %u: leaf 0x%x is not in the CPUID dump", cpu, leaf);
	if (record->told) {
		record = find(dump, cpu, leaf, subleaf);
		if (!record || record->cpu != cpu || record->leaf != leaf || record->subleaf != subleaf)
			return unc_fail(ctx, UNC_ENODATA, "cpu %u: sub-leaf 0x%x of leaf 0x%x is not in the CPUID dump",
					cpu, subleaf, leaf);
	}
	*ret_regs = record->regs;
	return UNC_OK;
}
