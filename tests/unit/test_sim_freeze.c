// SPDX-License-Identifier: GPL-2.0-or-later
/* The global freeze of the PMON boxes, by MSR. */
#include "test_sim.h"

static const struct part {
	const char *model;
	uint32_t msr;
	uint64_t freeze, thaw;  /* its bits for that */
	uint64_t selects;       /* bits that can be read back: boxes */
	uint64_t named;         /* all bits that G-IVT, LIKWID or PCM name */
	const char *at, *other; /* a channel of socket 0 and one of socket 1 */
	uint64_t channels, dclk;
} parts[] = {
	{"ivt", 0xc00, BIT(31), BIT(29), 0x40000003, 0xe0007fff, "7f:10.0", "ff:10.0", 8, 800000000},
	{"hsx", 0x700, BIT(31), BIT(29), 0, BIT(31) | BIT(29), "7f:14.0", "ff:14.0", 4, 800000000},
	{"bdx", 0x700, BIT(31), BIT(29), 0, BIT(31) | BIT(29), "7f:14.0", "ff:14.0", 4, 1200000000},
	{"skx", 0x700, BIT(63), BIT(61), 0, BIT(63) | BIT(61), "3a:0a.2", "ae:0a.2", 6, 1200000000},
	{"bdxde", 0x700, BIT(31), BIT(29), 0, BIT(31) | BIT(29), "7f:14.0", "ff:14.0", 2, 800000000},
	{"clx", 0x700, BIT(63), BIT(61), 0, BIT(63) | BIT(61), "3a:0a.2", "ae:0a.2", 6, 1200000000},
	{"cpx", 0x700, BIT(63), BIT(61), 0, BIT(63) | BIT(61), "3a:0a.2", "ae:0a.2", 6, 1200000000},
};

/* PMON registers that count a channel's DCLK, and the freeze of its socket. */
TEST(a_global_freeze_stops_all_channels_of_its_socket)
{
	for (size_t i = 0; i < N(parts); i++) {
		uint64_t before;

		open_model(parts[i].model, ",sockets=2");
		fx_w32(parts[i].at, FIXED_CTL, EN);
		fx_w32(parts[i].other, FIXED_CTL, EN);
		fx_step(SECOND);
		before = fx_r48(parts[i].at, FIXED);
		CU_ASSERT(before >= 800000000);
		fx_wmsr(1, parts[i].msr, parts[i].freeze | parts[i].selects);
		ISMSR({0, parts[i].msr, parts[i].selects});
		fx_step(SECOND / 2);
		IS48(parts[i].at, {FIXED, before});
		fx_wmsr(1, parts[i].msr, parts[i].selects); /* neither freezes nor thaws */
		fx_step(SECOND / 4);
		fx_wmsr(1, parts[i].msr, parts[i].freeze | parts[i].thaw | parts[i].selects);
		fx_step(SECOND / 4);
		IS48(parts[i].at, {FIXED, before});
		IS48(parts[i].other, {FIXED, 2 * before});
		fx_wmsr(1, parts[i].msr, parts[i].thaw | parts[i].selects);
		ISMSR({0, parts[i].msr, parts[i].selects});
		fx_step(SECOND);
		IS48(parts[i].at, {FIXED, 2 * before});
		fx_wmsr(1, parts[i].msr, parts[i].selects);
		fx_step(SECOND);
		IS48(parts[i].at, {FIXED, 3 * before});
	}
	open_model("snbep", "");
	FAULTS({0, 0xc00, 0x20000000}, {0, 0x700, 0x20000000});
}

/* Sapphire Rapids, in memory: MSR 0x2ff0 is a state of one bit. */
TEST(a_global_freeze_of_one_bit_reads_back)
{
	struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = 0xf0322800, .len = 0x60}};
	unsigned char en[4] = {0, 0, 0x40}, before[8], now[8];
	struct unc_space *space = NULL;

	open_model("spr", ",sockets=2");
	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_MMIO, true, &fx.memory) == UNC_OK);
	CU_ASSERT_FATAL(fx.memory->ops->space_open(fx.memory, &addr, &space) == 0);
	CU_ASSERT_EQUAL(fx.memory->ops->write(space, 0x54, en, 4), UNC_OK);
	fx_step(SECOND);
	fx_wmsr(0, 0x2ff0, 1);
	ISMSR({0, 0x2ff0, 1});
	CU_ASSERT_EQUAL(fx.memory->ops->read(space, 0x38, before, 8), UNC_OK);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(fx.memory->ops->read(space, 0x38, now, 8), UNC_OK);
	CU_ASSERT(unc_le64(before) > 0 && unc_le64(now) == unc_le64(before));
	fx_wmsr(0, 0x2ff0, 0);
	ISMSR({0, 0x2ff0, 0});
	fx_step(SECOND);
	CU_ASSERT_EQUAL(fx.memory->ops->read(space, 0x38, now, 8), UNC_OK);
	CU_ASSERT_EQUAL(unc_le64(now), 2 * unc_le64(before));
	FAULTS({0, 0x2ff0, 2});
	fx.memory->ops->space_close(space);
}

/* Of a socket's every channel, each counter: general ones and the fixed one. */
static uint64_t count_all(unsigned socket)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < unc_sim_info(fx.host).n_channels; i++) {
		struct unc_sim_channel channel = fx_channel(i);
		char at[UNC_ADDR_TEXT];

		if (channel.socket != socket)
			continue;
		unc_addr_text(&channel.addr, at);
		for (uint32_t off = 0xa0; off < 0xc0; off += 8)
			sum += fx_r48(at, off);
		sum += fx_r48(at, FIXED);
	}
	return sum;
}

static void enable_all(void)
{
	struct unc_sim_channel channel;
	char at[UNC_ADDR_TEXT];

	for (size_t i = 0; i < unc_sim_info(fx.host).n_channels; i++) {
		channel = fx_channel(i);
		unc_addr_text(&channel.addr, at);
		for (uint32_t off = 0xd8; off < 0xe8; off += 4)
			fx_w32(at, off, 0x400000); /* clockticks */
		fx_w32(at, FIXED_CTL, EN);
	}
}

TEST(a_global_freeze_stops_every_counter_and_loses_none)
{
	for (size_t i = 0; i < N(parts); i++) {
		uint64_t n = parts[i].channels * 5 * parts[i].dclk; /* five counters each */

		open_model(parts[i].model, ",sockets=3,cores=2,threads=1"); /* CPUs 2 and 3 are socket 1's */
		enable_all();
		fx_step(SECOND);
		fx_wmsr(3, parts[i].msr, parts[i].freeze);
		fx_step(SECOND);
		CU_ASSERT_EQUAL(count_all(0), 2 * n);
		CU_ASSERT_EQUAL(count_all(1), n);
		CU_ASSERT_EQUAL(count_all(2), 2 * n);
		enable_all(); /* does not thaw */
		fx_step(SECOND);
		CU_ASSERT_EQUAL(count_all(1), n);
		fx_wmsr(0, parts[i].msr, parts[i].thaw); /* another socket's */
		fx_step(SECOND);
		CU_ASSERT_EQUAL(count_all(1), n);
		fx_wmsr(2, parts[i].msr, parts[i].thaw);
		fx_step(SECOND);
		CU_ASSERT_EQUAL(count_all(0), 5 * n);
		CU_ASSERT_EQUAL(count_all(1), 2 * n);
	}
}

TEST(reserved_bits_of_the_global_freeze_fault)
{
	for (size_t i = 0; i < N(parts); i++) {
		open_model(parts[i].model, "");
		for (unsigned bit = 0; bit < 64; bit++)
			CU_ASSERT_EQUAL(try_write(0, parts[i].msr, UINT64_C(1) << bit),
					parts[i].named >> bit & 1 ? UNC_OK : UNC_EIO);
	}
}

TEST(the_clock_of_the_u_box_stands_while_all_is_frozen)
{
	open_model("hsx", "");
	fx_wmsr(0, 0x703, 0x400000);
	fx_step(1000);
	ISMSR({5, 0x704, 2000});
	fx_wmsr(0, 0x700, 0x80000000);
	fx_step(1000);
	ISMSR({0, 0x704, 2000});
	WMSR({0, 0x704, 5}, {0, 0x700, 0x20000000});
	fx_step(1000);
	ISMSR({0, 0x704, 2005});
	fx_wmsr(0, 0x703, 0);
	fx_step(1000);
	ISMSR({0, 0x704, 2005});
	FAULTS({0, 0x704, UINT64_C(1) << 48}, {0, 0x703, UINT64_C(1) << 32});
	ISMSR({0, 0x704, 2005});
	open_model("snbep", "");
	fx_wmsr(0, 0xc08, 0x400000);
	fx_step(1000);
	ISMSR({0, 0xc09, 2000});
}
