// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/journals.h"

#include "onsim.h"
#include "test.h"

static const uint64_t controls[] = {0x304, 0x400304}, far[] = {UINT64_MAX};
static const struct unc_journal_line control = {
	.addr = {.kind = UNC_PCI, .pci = {.domain = 0x10000, .bus = 0x7f, .dev = 0x10, .fn = 4}},
	.off = 0xe4,
	.bits = 32,
	.box = "socket0.imc0.ch2",
	.reg = "CTL[3]",
	.before = 0x1234,
	.ours = UINT32_MAX,
	.values = controls,
	.n_values = 2,
};
static const struct unc_journal_line association = {
	.addr = {.kind = UNC_MSR, .msr = {.cpu = 4095}},
	.off = 0xc8f,
	.bits = 64,
	.box = "cpu4095.rdt",
	.reg = "PQR_ASSOC",
	.before = UINT64_C(0x300000007),
	.ours = 0x3ff,
	.any = 0xff,
	.doubted = 0x10000,
	.has_idle = true,
	.idle = 0x10000,
	.values = far,
	.n_values = 1,
};
static const struct unc_host_identity here = {"root:/a b%c\n\x7f/\xc3\xa9 fe00:11",
					      "7c9e6679-7425-40de-944b-e07fc1f90ae7"};
static const struct unc_journal_who me = {.pid = 812,
					  .uid = 3,
					  .start = 53341,
					  .command = "uncorectl mem -i 1\n",
					  .since_ns = UINT64_C(1763676184000000007)};

/* What is written, the file that it makes, and what was read of that last. */
static struct unc_bytes body;
static struct {
	char bytes[4096];
	size_t len;
} file;
static struct unc_journal_text text;

static void end(void)
{
	unc_journal_text_clear(&text);
	free(body.bytes);
	body = (struct unc_bytes){0};
}

EACH(NULL, end)

static void begin(void)
{
	end();
	CU_ASSERT_TRUE(unc_journal_put_begin(&body, &here, &me));
}

static void make_file(void)
{
	char head[UNC_JOURNAL_HEAD + 1];

	file.len = UNC_JOURNAL_HEAD + body.len;
	CU_ASSERT_FATAL(file.len <= sizeof(file.bytes));
	unc_journal_put_head(head, file.len, unc_journal_sum(UNC_JOURNAL_NO_SUM, body.bytes, body.len));
	memcpy(file.bytes, head, UNC_JOURNAL_HEAD);
	memcpy(file.bytes + UNC_JOURNAL_HEAD, body.bytes, body.len);
}

static void make_example(void)
{
	begin();
	CU_ASSERT_TRUE(unc_journal_put_claim(&body, "socket0.imc0.ch2", &control.addr));
	CU_ASSERT_TRUE(unc_journal_put_reg(&body, &control));
	CU_ASSERT_TRUE(unc_journal_put_reg(&body, &association));
	make_file();
}

static int parse(const char *bytes, size_t len)
{
	struct unc_ctx ctx = {.msg = ""};
	int rc;

	unc_journal_text_clear(&text);
	rc = unc_journal_text_parse(&ctx, bytes, len, &text);
	CU_ASSERT_TRUE(rc == 0 || (rc == UNC_EARG && strncmp(ctx.msg, "line ", 5) == 0));
	return rc;
}

/* With so many lines of registers. */
static void is_good(size_t n_lines)
{
	CU_ASSERT_EQUAL_FATAL(parse(file.bytes, file.len), 0);
	EQ(text.n_lines, n_lines);
}

static void is_line(const struct unc_journal_line *is, const struct unc_journal_line *expected)
{
	CU_ASSERT_EQUAL(unc_addr_compare(&is->addr, &expected->addr), 0);
	EQ(is->off, expected->off);
	EQ(is->bits, expected->bits);
	SAME(is->box, expected->box);
	SAME(is->reg, expected->reg);
	EQ(is->before, expected->before);
	EQ(is->ours, expected->ours);
	EQ(is->any, expected->any);
	EQ(is->doubted, expected->doubted);
	EQ(is->has_idle, expected->has_idle);
	EQ(is->idle, expected->idle);
	EQ(is->n_values, expected->n_values);
	for (size_t i = 0; i < expected->n_values && i < is->n_values; i++)
		EQ(is->values[i], expected->values[i]);
}

TEST(what_was_written_is_read)
{
	make_example();
	CU_ASSERT_EQUAL_FATAL(parse(file.bytes, file.len), 0);
	SAME(text.identity.machine, here.machine);
	SAME(text.identity.boot, here.boot);
	EQ(text.who.pid, me.pid);
	EQ(text.who.uid, me.uid);
	EQ(text.who.start, me.start);
	EQ(text.who.since_ns, me.since_ns);
	SAME(text.who.command, me.command);
	EQ(text.n_claims, 1);
	SAME(text.claims[0].box, "socket0.imc0.ch2");
	CU_ASSERT_EQUAL(unc_addr_compare(&text.claims[0].addr, &control.addr), 0);
	EQ(text.n_lines, 2);
	is_line(&text.lines[0], &control);
	is_line(&text.lines[1], &association);
	EQ(text.len, file.len);
	unc_journal_text_clear(&text);
	EQ(text.n_lines, 0);
}

TEST(a_further_line_takes_the_place_of_the_first_and_a_dropped_one_is_gone)
{
	static const uint64_t more[] = {0x404};
	struct unc_journal_line again = control;

	again.values = more;
	again.n_values = 1;
	begin();
	CU_ASSERT_TRUE(unc_journal_put_reg(&body, &control));
	CU_ASSERT_TRUE(unc_journal_put_reg(&body, &association));
	CU_ASSERT_TRUE(unc_journal_put_reg(&body, &again));
	CU_ASSERT_TRUE(unc_journal_put_drop(&body, &association.addr, association.off));
	CU_ASSERT_TRUE(unc_journal_put_drop(&body, &association.addr, association.off + 1));
	make_file();
	is_good(1);
	is_line(&text.lines[0], &again);
	/* Written once more after that, it is there again. */
	CU_ASSERT_TRUE(unc_journal_put_reg(&body, &association));
	make_file();
	is_good(2);
	is_line(&text.lines[1], &association);
}

TEST(cut_off_anywhere_it_is_damaged)
{
	make_example();
	for (size_t len = 0; len < file.len; len++) {
		char *cut = malloc(len + 1); /* so that a sanitizer sees a byte read beyond */

		CU_ASSERT_FATAL(cut != NULL);
		memcpy(cut, file.bytes, len);
		CU_ASSERT_EQUAL(parse(cut, len), UNC_EARG);
		free(cut);
	}
}

TEST(with_any_bit_flipped_it_is_damaged)
{
	make_example();
	for (size_t bit = 0; bit < 8 * file.len; bit++) {
		file.bytes[bit / 8] = (char)(file.bytes[bit / 8] ^ 1 << bit % 8);
		CU_ASSERT_EQUAL(parse(file.bytes, file.len), UNC_EARG);
		file.bytes[bit / 8] = (char)(file.bytes[bit / 8] ^ 1 << bit % 8);
	}
	CU_ASSERT_EQUAL_FATAL(parse(file.bytes, file.len), 0);
}

TEST(what_stands_beyond_the_good_bytes_is_nothing)
{
	static const char torn[] = "reg 0000:ff:10.0 0xd8 32 socket0.imc0.ch0 CTL[0] was 0x0 ou";

	make_example();
	for (size_t n = 1; n < sizeof(torn); n++) {
		memcpy(file.bytes + file.len, torn, n);
		CU_ASSERT_EQUAL_FATAL(parse(file.bytes, file.len + n), 0);
		EQ(text.n_lines, 2);
		EQ(text.len, file.len);
	}
}

/* With a sum that fits: such a file was made by hand, or by another version. */
TEST(lines_that_are_not_understood_are_damage)
{
	static const char *const bad[] = {
		"reg 0000:ff:10.0 0xd8 32 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes\n",
		"reg 0000:ff:10.0 0xd8 32 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1 \n",
		"reg 0000:ff:10.0 0xd8 32 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes x\n",
		"reg 0000:ff:10.0 0xd8 16 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1\n",
		"reg 0000:ff:10.0 0xd8 32  r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1\n",
		"reg 0000:ff:10.9 0xd8 32 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1\n",
		"reg cpux 0xd8 64 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1\n",
		"reg cpu99999999999 0xd8 64 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1\n",
		"reg cpu1 0x1d8000000 64 b r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1\n",
		"reg cpu1 0xd8 64 b%2 r was 0x0 ours 0x1 any 0x0 doubted 0x0 idle - writes 0x1\n",
		"reg\n",
		"drop cpu1\n",
		"drop cpu1 0xd8 0x1\n",
		"claim cpu1\n",
		"claim cpu1 a-box-with-a-name-that-is-longer-than-any-box-has-it\n",
		"machine twice\n",
		"\n",
		"dropp cpu1 0xd8\n",
		"drop cpu1 0xd8", /* no end */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin();
		CU_ASSERT_TRUE(unc_bytes_add(&body, bad[i], strlen(bad[i])));
		make_file();
		if (parse(file.bytes, file.len) != UNC_EARG) {
			fprintf(stderr, "\nbelieved: %s", bad[i]);
			CU_FAIL("believed");
		}
	}
}

TEST(without_its_beginning_it_is_damaged)
{
	static const char *const lines[] = {"machine live\n", "boot x\n", "who 1 2 0 c\n", "since 5\n"};

	for (size_t lacks = 0; lacks <= 4; lacks++) {
		end();

		for (size_t i = 0; i < 4; i++)
			if (i != lacks)
				CU_ASSERT_TRUE(unc_bytes_add(&body, lines[i], strlen(lines[i])));
		make_file();
		CU_ASSERT_EQUAL(parse(file.bytes, file.len), lacks == 4 ? UNC_OK : UNC_EARG);
	}
}
