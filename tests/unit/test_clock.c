// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "treeroot.h"
#include "test.h"

static const char four[] = "raw 1000000000005\nmono 2000000000005\nboot 3000000000005\nreal 1577836800000000005\n";

static struct fx {
	struct unc_ctx *ctx;
	struct tree tree;
	struct unc_linux_root root;
	int clock;
} fx;

/* text NULL: there is no file. */
static void open_clock(const char *text)
{
	fx = (struct fx){.tree = tree_new()};
	CU_ASSERT_EQUAL(unc_new(&fx.ctx), 0);
	if (text)
		tree_text(&fx.tree, "clock", text);
	fx.root = tree_as_root(&fx.tree);
	CU_ASSERT_EQUAL(unc_linux_clock_open(fx.ctx, &fx.root, &fx.clock), UNC_OK);
}

static void begin(void)
{
	open_clock(four);
}

static void end(void)
{
	if (fx.clock >= 0)
		close(fx.clock);
	unc_linux_root_close(&fx.root);
	tree_remove(&fx.tree);
	unc_free(fx.ctx);
}

EACH(begin, end)

TEST(the_file_tells_each_clock)
{
	CU_ASSERT_FATAL(fx.clock >= 0);
	CU_ASSERT_EQUAL(unc_linux_clock_now(fx.clock, UNC_CLOCK_RAW), UINT64_C(1000000000005));
	CU_ASSERT_EQUAL(unc_linux_clock_now(fx.clock, UNC_CLOCK_MONO), UINT64_C(2000000000005));
	CU_ASSERT_EQUAL(unc_linux_clock_now(fx.clock, UNC_CLOCK_BOOT), UINT64_C(3000000000005));
	CU_ASSERT_EQUAL(unc_linux_clock_now(fx.clock, UNC_CLOCK_REAL), UINT64_C(1577836800000000005));
}

TEST(sleeping_writes_what_is_left)
{
	char text[64] = "";

	CU_ASSERT_EQUAL(unc_linux_clock_sleep(fx.clock, UINT64_C(2000000000005), -1), UNC_OK);
	CU_ASSERT_EQUAL(unc_linux_clock_sleep(fx.clock, 17, -1), UNC_OK);
	CU_ASSERT_FATAL(pread(fx.clock, text, 4, 0) == 4);
	CU_ASSERT_STRING_EQUAL(text, "raw "); /* nothing was left to sleep, nothing was written */
	CU_ASSERT_EQUAL(unc_linux_clock_sleep(fx.clock, UINT64_C(2000000001234), -1), UNC_OK);
	CU_ASSERT_FATAL(pread(fx.clock, text, 4, 0) == 4);
	CU_ASSERT_STRING_EQUAL(text, "1229");
}

TEST(without_a_deadline_time_does_not_pass)
{
	int ends[2];

	CU_ASSERT_EQUAL(unc_linux_clock_sleep(fx.clock, UINT64_MAX, -1), UNC_EAGAIN);
	CU_ASSERT_FATAL(pipe(ends) == 0 && write(ends[1], "", 1) == 1);
	CU_ASSERT_EQUAL(unc_linux_clock_sleep(fx.clock, UINT64_C(2000000001234), ends[0]), UNC_EAGAIN);
	close(ends[0]);
	close(ends[1]);
}

TEST(another_file_of_that_name_is_none)
{
	static const char *const texts[] = {NULL, "", "12:30\n", "raw 1\nmono 2\nboot 3\n",
					    "raw 1\nmono 2\nboot 3\nreal x\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		end();
		open_clock(texts[i]);
		CU_ASSERT_EQUAL(fx.clock, -1);
	}
	CU_ASSERT_EQUAL(unlink(tree_path(&fx.tree, "clock").text), 0);
	tree_dir(&fx.tree, "clock");
	CU_ASSERT_EQUAL(unc_linux_clock_open(fx.ctx, &fx.root, &fx.clock), UNC_OK);
	CU_ASSERT_EQUAL(fx.clock, -1);
}

TEST(a_tree_with_a_clock_is_simulated)
{
	struct unc_host *host = NULL;

	CU_ASSERT_EQUAL_FATAL(unc_linux_host_open(fx.ctx, fx.tree.root, false, -1, &host), UNC_OK);
	CU_ASSERT_TRUE(host->simulated);
	CU_ASSERT_TRUE(host->stands_still);
	CU_ASSERT_EQUAL(host->ops->now_ns(host, UNC_CLOCK_BOOT), UINT64_C(3000000000005));
	CU_ASSERT_EQUAL(host->ops->sleep_until(host, UINT64_MAX), UNC_EAGAIN);
	unc_host_close(host);
}
