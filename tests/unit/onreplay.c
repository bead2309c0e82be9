// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "onreplay.h"

#include "access/replay.h"

struct onreplay bench;
struct unc_host *host;
struct unc_bus *bus;
struct unc_space *space;

void onreplay_begin(void)
{
	bench.tree = tree_new();
	CU_ASSERT_EQUAL_FATAL(unc_new(&bench.ctx), 0);
	bench.text.len = 0;
	bench.differences = 0;
	snprintf(bench.machine, sizeof(bench.machine), "replay:%s/r", bench.tree.root);
}

const char *record_path(void)
{
	return bench.machine + strlen("replay:");
}

void differs(unsigned n)
{
	unc_space_close(space);
	unc_bus_close(bus);
	unc_host_close(host);
	space = NULL;
	bus = NULL;
	host = NULL;
	CU_ASSERT_EQUAL(bench.differences, n);
	bench.differences = 0;
}

void onreplay_end(void)
{
	if (host)
		differs(0);
	tree_remove(&bench.tree);
	unc_free(bench.ctx);
}

void count_difference(void *arg, const char *sentence)
{
	(void)sentence;
	++*(unsigned *)arg;
}

void open_record(void)
{
	OK(&bench, unc_replay_open(bench.ctx, record_path(), -1, &host));
	CU_ASSERT_TRUE(unc_replay_on_difference(host, count_difference, &bench.differences));
}

void file_is(const char *path, const char *expected)
{
	char *text;
	size_t len;

	OK(&bench, unc_host_file(host, path, 100, &text, &len));
	CU_ASSERT_EQUAL(len, strlen(expected));
	SAME(text, expected);
	free(text);
}

uint64_t now(enum unc_clock clock)
{
	return host->ops->now_ns(host, clock);
}

void open_the_place(void)
{
	const struct unc_addr addr = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10}};

	OK(&bench, host->ops->bus_open(host, UNC_PCI, true, &bus));
	OK(&bench, unc_space_open(bus, &addr, &space));
}

void reads(uint64_t off, uint32_t wanted)
{
	uint32_t value = 0;

	OK(&bench, unc_read32(space, off, &value));
	EQ(value, wanted);
}

void does_not_read(uint64_t off, const char *why)
{
	uint32_t value = 4711;

	FAILS(&bench, UNC_EIO, unc_read32(space, off, &value), why);
	EQ(value, 4711);
}
