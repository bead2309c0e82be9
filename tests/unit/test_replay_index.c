// SPDX-License-Identifier: GPL-2.0-or-later
/* Records that are longer than what is in memory of them. */
#define _GNU_SOURCE
#include "access/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "onreplay.h"
#include "test.h"

EACH(onreplay_begin, onreplay_end)

static struct unc_bytes long_text;

static void add_text(const char *fmt, ...)
{
	char text[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	CU_ASSERT_TRUE_FATAL(unc_bytes_add(&long_text, text, strlen(text)));
}

static void put_long(void)
{
	tree_bytes(&bench.tree, "r", long_text.bytes, long_text.len);
	free(long_text.bytes);
	long_text = (struct unc_bytes){0};
}

/* Reads of two registers, each at its time, with these lines before and between them. */
enum { READS = 20000 };
static void open_long(const char *before, const char *between)
{
	add_text(OPENED "%s", before);
	for (unsigned i = 0; i < READS; i++) {
		add_text("t r+10\nr32 0000:ff:10.0 0xa0 0x%x\nr32 0000:ff:10.0 0xa4 0x%x\n", i, i + 1);
		if (i == READS / 2)
			add_text("%s", between);
	}
	add_text("t r+10\n");
	put_long();
	open_record();
	open_the_place();
}

static void read_all(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		EQ(now(UNC_CLOCK_RAW), 10 * (i + 1));
		reads(0xa0, i);
		reads(0xa4, i + 1);
	}
}

TEST(a_long_record_is_read_as_it_is_asked_for)
{
	struct unc_cpuid_regs regs;

	open_long("cpuid 0 0x1 0x0 1 2 3 4\n", "text /a 2\n:ab\ncpuid 0 0x1 0x0 1 2 3 4\n");
	read_all(0, READS / 2);
	OK(&bench, host->ops->cpuid(host, 0, 1, 0, &regs)); /* what it said first is still known */
	EQ(regs.edx, 4);
	read_all(READS / 2, READS / 2 + 1);
	file_is("/a", "ab");
	read_all(READS / 2 + 1, READS);
	does_not_read(0xa0, "/r:60005: the record has a read (r32 0000:ff:10.0 0xa0) only at another time");
	differs(1);
}

/* An answer that lies far ahead: what is between them is left out. */
TEST(most_of_a_long_record_may_be_left_out)
{
	open_long("", "r32 0000:ff:10.0 0xb0 0x7\n");
	read_all(0, 2);
	reads(0xb0, 7);
	EQ(now(UNC_CLOCK_RAW), 10 * (READS / 2 + 2));
	reads(0xa0, READS / 2 + 1);
	does_not_read(0xb0, "(r32 0000:ff:10.0 0xb0) only at another time than this command asks for it");
	differs(1);
}

TEST(a_write_that_was_left_out_divides_a_long_record)
{
	open_long("", "w32 0000:ff:10.0 0xa4 0x00000007\nsleep m+50\n");
	read_all(0, 2);
	OK(&bench, host->ops->sleep_until(host, 50));
	EQ(now(UNC_CLOCK_RAW), 10 * (READS / 2 + 2));
	does_not_read(0xa0, "(r32 0000:ff:10.0 0xa0) only at another time"); /* those behind the write are not given */
	differs(1);
}

/* Of 300 kB, longer than a piece of the file. */
TEST(a_long_answer_is_whole)
{
	enum { LINES = 5000, LENGTH = 60 };
	char *text;
	size_t len;

	add_text(HEAD "text /a %u\n", (unsigned)LINES * LENGTH);
	for (unsigned i = 0; i < LINES; i++)
		add_text("|%0*u\n", LENGTH - 1, i);
	add_text("text /b 1\n:x\n");
	put_long();
	open_record();
	OK(&bench, unc_host_file(host, "/a", 1 << 20, &text, &len));
	EQ(len, LINES * LENGTH);
	for (unsigned i = 0; i < LINES && len == LINES * LENGTH; i++)
		CU_ASSERT_EQUAL(strtoul(text + (size_t)i * LENGTH, NULL, 10), i);
	free(text);
	file_is("/b", "x");
}

TEST(an_answer_that_is_longer_than_any_is_refused)
{
	struct unc_host *none;
	char *text = malloc(20 << 20);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	memset(text, 'x', 20 << 20);
	memcpy(text, HEAD, strlen(HEAD));
	tree_bytes(&bench.tree, "r", text, 20 << 20);
	free(text);
	FAILS(&bench, UNC_EARG, unc_replay_open(bench.ctx, record_path(), -1, &none), "/r:3: what follows is too long");
}

TEST(a_record_that_changes_while_it_is_replayed_ends_the_run)
{
	open_long("", "");
	read_all(0, 10);
	tree_text(&bench.tree, "r", HEAD "bus pci ro\n");
	for (unsigned i = 10; i < READS && bench.differences == 0; i++) {
		now(UNC_CLOCK_RAW);
		unc_read32(space, 0xa0, &(uint32_t){0});
	}
	differs(1);
}
