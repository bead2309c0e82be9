// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/trace.h"
#include "access/write.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

/* A host whose clock stands still, a bus of bytes that can be told to fail, and a sink that keeps lines. */
static struct bench {
	struct unc_ctx ctx;
	struct unc_host host;
	struct unc_bus bus;
	struct unc_trace trace;
	unsigned char bytes[8192];
	int fail;         /* of the next access */
	const char *name; /* under this name of the operating system */
	bool sink_fails;
	uint64_t now_ns;
	char lines[4][8300];
	unsigned n_lines, open, closed;
} bench;
static struct unc_bus *bus; /* that bus, traced */
static struct unc_space *space, *msr;

static int fake_access(void)
{
	bench.now_ns += 1000;
	return bench.fail ? unc_fail_named(&bench.ctx, bench.fail, bench.name, "the access failed") : UNC_OK;
}

static int fake_read(struct unc_space *of, uint64_t off, void *buf, size_t len)
{
	(void)of;
	memcpy(buf, bench.bytes + (off & 0xfff), len);
	return fake_access();
}

static int fake_write(struct unc_space *of, uint64_t off, const void *buf, size_t len)
{
	(void)of;
	memcpy(bench.bytes + (off & 0xfff), buf, len);
	return fake_access();
}

static int fake_space_open(struct unc_bus *of, const struct unc_addr *addr, struct unc_space **ret_space)
{
	if (bench.fail)
		return unc_fail(&bench.ctx, bench.fail, "cannot open");
	*ret_space = calloc(1, sizeof(**ret_space));
	**ret_space =
		(struct unc_space){.bus = of, .addr = *addr, .len = addr->kind == UNC_MSR ? UINT64_C(1) << 32 : 8192};
	bench.open++;
	return UNC_OK;
}

static void fake_space_close(struct unc_space *of)
{
	bench.open--;
	free(of);
}

static int fake_list(struct unc_bus *of, struct unc_addr **ret_addrs, size_t *ret_n)
{
	(void)of;
	*ret_addrs = calloc(2, sizeof(**ret_addrs));
	*ret_n = 2;
	return UNC_OK;
}

static void fake_close(struct unc_bus *of)
{
	(void)of;
	bench.closed++;
}

static const struct unc_bus_ops fake_ops = {
	.name = "pci",
	.close = fake_close,
	.list = fake_list,
	.space_open = fake_space_open,
	.space_close = fake_space_close,
	.read = fake_read,
	.write = fake_write,
};

static uint64_t fake_now_ns(struct unc_host *host, enum unc_clock clock)
{
	(void)host;
	CU_ASSERT_EQUAL(clock, UNC_CLOCK_RAW);
	return bench.now_ns;
}

static const struct unc_host_ops fake_host_ops = {.now_ns = fake_now_ns};

static void keep(void *arg, const char *line)
{
	(void)arg;
	CU_ASSERT_FATAL(bench.n_lines < 4);
	snprintf(bench.lines[bench.n_lines++], sizeof(bench.lines[0]), "%s", line);
	if (bench.sink_fails)
		unc_fail_named(&bench.ctx, UNC_EIO, "ENOSPC", "the disk is full");
}

static void open_all(bool writable)
{
	static const struct unc_addr pci = {.kind = UNC_PCI, .pci = {.bus = 0xff, .dev = 0x10}},
				     cpu3 = {.kind = UNC_MSR, .msr = {.cpu = 3}};

	memset(&bench, 0, sizeof(bench));
	bench.host = (struct unc_host){.ops = &fake_host_ops, .ctx = &bench.ctx};
	bench.bus = (struct unc_bus){.ops = &fake_ops, .ctx = &bench.ctx, .writable = writable};
	bench.now_ns = 81233 - 1000 + 500;
	bench.trace = (struct unc_trace){.host = &bench.host, .t0_ns = 500, .sink = keep};
	CU_ASSERT_EQUAL_FATAL(unc_trace_wrap(&bench.bus, &bench.trace, &bus), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(unc_space_open(bus, &pci, &space), UNC_OK);
	bus->kind = bench.bus.kind = UNC_MSR; /* one bus has both here */
	CU_ASSERT_EQUAL_FATAL(unc_space_open(bus, &cpu3, &msr), UNC_OK);
}

static void begin(void)
{
	open_all(true);
}

static void end(void)
{
	unc_space_close(space);
	unc_space_close(msr);
	unc_bus_close(bus);
	CU_ASSERT_EQUAL(bench.open, 0);
	CU_ASSERT_EQUAL(bench.closed, 1);
}
EACH(begin, end)

TEST(each_access_is_one_line)
{
	uint32_t value = 0;
	unsigned char block[8];

	CU_ASSERT_EQUAL(unc_write32(space, 0xf4, 0x00010100), UNC_OK);
	CU_ASSERT_EQUAL(unc_read32(space, 0xf4, &value), UNC_OK);
	CU_ASSERT_EQUAL(unc_read_block(space, 0xf0, block, 8), UNC_OK);
	CU_ASSERT_EQUAL(unc_write64(msr, 0xc8d, UINT64_C(0x500000002)), UNC_OK);
	CU_ASSERT_EQUAL(value, 0x00010100);
	CU_ASSERT_STRING_EQUAL(bench.lines[0], "81233 pci 0000:ff:10.0 w32 0xf4 0x00010100");
	CU_ASSERT_STRING_EQUAL(bench.lines[1], "82233 pci 0000:ff:10.0 r32 0xf4 0x00010100");
	CU_ASSERT_STRING_EQUAL(bench.lines[2], "83233 pci 0000:ff:10.0 rblk 0xf0 0000000000010100");
	CU_ASSERT_STRING_EQUAL(bench.lines[3], "84233 pci cpu3 w64 0xc8d 0x0000000500000002");
}

TEST(a_failed_access_says_how_the_system_called_it)
{
	uint32_t value;
	uint64_t wide;

	bench.fail = UNC_EIO;
	bench.name = "ENODATA";
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EIO);
	bench.name = NULL;
	CU_ASSERT_EQUAL(unc_write32(space, 0xa0, 5), UNC_EIO);
	bench.fail = UNC_EPERM;
	CU_ASSERT_EQUAL(unc_read64(msr, 0xc8f, &wide), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(bench.lines[0], "81233 pci 0000:ff:10.0 r32 0xa0 - !ENODATA");
	CU_ASSERT_STRING_EQUAL(bench.lines[1], "82233 pci 0000:ff:10.0 w32 0xa0 0x00000005 !EIO");
	CU_ASSERT_STRING_EQUAL(bench.lines[2], "83233 pci cpu3 r64 0xc8f - !EPERM");
}

TEST(a_sink_that_fails_does_not_hide_what_the_access_said)
{
	uint32_t value;

	bench.fail = UNC_EIO;
	bench.name = "EREMOTEIO";
	bench.sink_fails = true;
	CU_ASSERT_EQUAL(unc_read32(space, 0xa0, &value), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(bench.ctx.msg, "the access failed");
	CU_ASSERT_STRING_EQUAL(bench.ctx.os_name, "EREMOTEIO");
}

TEST(what_is_refused_in_front_of_the_bus_is_no_access)
{
	uint32_t value;

	CU_ASSERT_EQUAL(unc_read32(space, 0xa1, &value), UNC_ERANGE);
	CU_ASSERT_EQUAL(bench.n_lines, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(bench.ctx.msg, "pci 0000:ff:10.0: "));
	end();
	open_all(false);
	CU_ASSERT_EQUAL(unc_write32(space, 0xa0, 1), UNC_EDENIED);
	CU_ASSERT_EQUAL(bench.n_lines, 0);
}

TEST(a_whole_configuration_space_fits_in_a_line_and_more_is_cut)
{
	static unsigned char block[8192];
	const char *start = "81233 pci 0000:ff:10.0 rblk 0x0 ";

	memset(bench.bytes, 0xab, sizeof(bench.bytes));
	CU_ASSERT_EQUAL(unc_read_block(space, 0, block, 4096), UNC_OK);
	CU_ASSERT_EQUAL(strlen(bench.lines[0]), strlen(start) + 8192);
	CU_ASSERT_EQUAL(unc_read_block(space, 0, block, 8192), UNC_OK);
	CU_ASSERT_EQUAL(strlen(bench.lines[1]), strlen(start) + 8192 + 3);
	CU_ASSERT_STRING_EQUAL(bench.lines[1] + strlen(start) + 8190, "ab...");
}

TEST(a_space_that_does_not_open_leaves_nothing_behind)
{
	struct unc_addr addr = {.kind = UNC_PCI}, *addrs = NULL;
	struct unc_space *none = NULL;
	size_t n = 0;

	bench.fail = UNC_EPERM;
	bus->kind = bench.bus.kind = UNC_PCI;
	CU_ASSERT_EQUAL(unc_space_open(bus, &addr, &none), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(bench.ctx.msg, "cannot open");
	CU_ASSERT_PTR_NULL(none);
	CU_ASSERT_EQUAL(unc_bus_list(bus, &addrs, &n), UNC_OK);
	CU_ASSERT_EQUAL(n, 2);
	free(addrs);
}
