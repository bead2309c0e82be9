// SPDX-License-Identifier: GPL-2.0-or-later
/* On the computer that runs the tests: any CPU of it, a small buffer. */
#define _GNU_SOURCE
#include "cli/traffic.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os.h"
#include "test.h"

enum { SIZE = 1 << 20, NS_PER_MS = 1000000 };

static struct unc_ctx *ctx;
static struct traffic_board *board;
static struct traffic_make *make;
static unsigned our_cpu, our_node;

static int set_up(void)
{
	board = aligned_alloc(_Alignof(struct traffic_board), traffic_board_size(2));
	if (!board || unc_new(&ctx) < 0 || getcpu(&our_cpu, &our_node) != 0)
		return -1;
	memset(board, 0, traffic_board_size(2));
	board->n_slots = 2;
	return 0;
}

static int tear_down(void)
{
	unc_free(ctx);
	free(board);
	return 0;
}

static struct unc_traffic of_kind(enum unc_traffic_kind kind)
{
	return (struct unc_traffic){.kind = kind, .node = our_node, .cpus = &our_cpu, .n_cpus = 1, .size_bytes = SIZE};
}

static int start(const struct unc_traffic *traffic)
{
	make = NULL;
	atomic_store(&board->quit, false);
	return traffic_make_start(ctx, traffic, board, &make);
}

static void rest_ms(unsigned ms)
{
	unc_os_sleep_until(unc_os_now_ns(UNC_CLOCK_MONO) + (uint64_t)ms * NS_PER_MS, -1);
}

/* A busy computer may take its time. */
static void wait_for_more_than(uint64_t bytes)
{
	do
		rest_ms(1);
	while (traffic_board_bytes(board, 1) <= bytes);
}

TEST(each_kind_is_made_and_told_of)
{
	for (int kind = UNC_TRAFFIC_READ; kind <= UNC_TRAFFIC_NT_WRITE; kind++) {
		struct unc_traffic traffic = of_kind((enum unc_traffic_kind)kind);
		uint64_t at_first, later;

		if (kind == UNC_TRAFFIC_NT_WRITE && !traffic_has_nt) {
			CU_ASSERT_EQUAL(start(&traffic), UNC_ENOSUP);
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(start(&traffic), UNC_OK);
		at_first = traffic_board_bytes(board, 1);
		wait_for_more_than(at_first);
		traffic_make_stop(make);
		later = traffic_board_bytes(board, 1);
		CU_ASSERT(later > at_first && later % TRAFFIC_CHUNK == 0);
		CU_ASSERT(board->ended_ns > board->began_ns);
		rest_ms(2);
		CU_ASSERT_EQUAL(traffic_board_bytes(board, 1), later);
	}
}

/* A buffer that is no whole number of bursts: what is left of it is moved, and no byte behind it (the sanitizers look). */
TEST(a_rate_is_kept_through_the_end_of_a_buffer)
{
	struct unc_traffic traffic = of_kind(UNC_TRAFFIC_WRITE);
	uint64_t bytes, ns;

	traffic.size_bytes = 12 * 4096;
	traffic.bytes_per_s = 20000000;
	CU_ASSERT_EQUAL_FATAL(start(&traffic), UNC_OK);
	rest_ms(100);
	wait_for_more_than(0);
	traffic_make_stop(make);
	bytes = traffic_board_bytes(board, 1);
	ns = board->ended_ns - board->began_ns;
	/* It may be late on a busy computer, but never ahead by more than a burst. */
	CU_ASSERT((double)bytes <= 20e6 / 1e9 * (double)ns + 20000);
}

TEST(a_rest_ends_with_the_traffic)
{
	struct unc_traffic traffic = of_kind(UNC_TRAFFIC_READ);
	uint64_t before;

	traffic.bytes_per_s = 1; /* 64 bytes, then a minute of rest */
	CU_ASSERT_EQUAL_FATAL(start(&traffic), UNC_OK);
	wait_for_more_than(0);
	before = unc_os_now_ns(UNC_CLOCK_RAW);
	traffic_make_stop(make);
	CU_ASSERT(unc_os_now_ns(UNC_CLOCK_RAW) - before < UINT64_C(10000) * NS_PER_MS);
	CU_ASSERT_EQUAL(traffic_board_bytes(board, 1), TRAFFIC_LINE);
}

TEST(what_cannot_be_is_refused)
{
	struct unc_traffic traffic = of_kind(UNC_TRAFFIC_READ);
	unsigned cpus[] = {our_cpu, our_cpu, our_cpu};

	traffic.size_bytes = 4095;
	CU_ASSERT_EQUAL(start(&traffic), UNC_EARG);
	traffic.size_bytes = UINT64_C(1) << 50;
	CU_ASSERT_EQUAL(start(&traffic), UNC_EARG);
	CU_ASSERT(strstr(unc_errmsg(ctx), "to spare") != NULL);
	traffic = of_kind(UNC_TRAFFIC_READ);
	traffic.node = 4000;
	CU_ASSERT_EQUAL(start(&traffic), UNC_ENODEV);
	traffic = of_kind(UNC_TRAFFIC_READ);
	traffic.cpus = (unsigned[]){65000};
	CU_ASSERT_EQUAL(start(&traffic), UNC_ENODEV);
	traffic.cpus = cpus;
	traffic.n_cpus = 2;
	CU_ASSERT_EQUAL(start(&traffic), UNC_EARG);
	CU_ASSERT(strstr(unc_errmsg(ctx), "twice") != NULL);
	traffic.n_cpus = 3;
	CU_ASSERT_EQUAL(start(&traffic), UNC_EARG);
	CU_ASSERT_PTR_NULL(make);
}

TEST(one_that_is_to_end_does_not_begin)
{
	struct unc_traffic traffic = of_kind(UNC_TRAFFIC_READ);

	make = NULL;
	atomic_store(&board->quit, true);
	CU_ASSERT_EQUAL(traffic_make_start(ctx, &traffic, board, &make), UNC_EAGAIN);
	CU_ASSERT_EQUAL(traffic_board_bytes(board, 1), 0);
}

TEST(spare_memory_is_what_is_free_or_gives_way)
{
	uint64_t spare = 0;

	CU_ASSERT(traffic_meminfo_spare("MemTotal: 100 kB\nMemFree:  10 kB\nMemAvailable:   50 kB\n", &spare));
	CU_ASSERT_EQUAL(spare, 50 * 1024);
	CU_ASSERT(traffic_meminfo_spare(
		"Node 1 MemTotal: 100 kB\nNode 1 MemFree: 10 kB\nNode 1 Active(file): 7 kB\n"
		"Node 1 Inactive(file): 20 kB\nNode 1 KReclaimable: 9 kB\nNode 1 SReclaimable: 4 kB\n",
		&spare));
	CU_ASSERT_EQUAL(spare, 32 * 1024);
	CU_ASSERT(traffic_meminfo_spare("Node 2 MemFree: 0 kB\n", &spare));
	CU_ASSERT_EQUAL(spare, 0);
	CU_ASSERT(!traffic_meminfo_spare("", &spare));
}

/* What is loaded and stored: from the first byte to the last, and none beside. */
TEST(loops_go_to_the_end_and_no_further)
{
	char *memory = aligned_alloc(TRAFFIC_LINE, 4 * TRAFFIC_LINE);

	CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
	for (int kind = 0; kind < 2; kind++) {
		memset(memory, 0, 4 * TRAFFIC_LINE);
		if (kind == 0)
			traffic_store(memory + TRAFFIC_LINE, 2 * TRAFFIC_LINE);
		else
			traffic_nt_store(memory + TRAFFIC_LINE, 2 * TRAFFIC_LINE);
		for (int i = 0; i < 4 * TRAFFIC_LINE; i++)
			CU_ASSERT_EQUAL(memory[i] != 0, i >= TRAFFIC_LINE && i < 3 * TRAFFIC_LINE);
	}
	traffic_load(memory, 4 * TRAFFIC_LINE);
	free(memory);
}

SUITE(set_up, tear_down)
