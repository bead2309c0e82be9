// SPDX-License-Identifier: GPL-2.0-or-later
/* The global freeze of the PMON boxes, by MSR. */
#include "test_sim.h"

/* PMON registers that count a channel's DCLK, and the freeze of its socket. */
TEST(a_global_freeze_stops_all_channels_of_its_socket)
{
	static const struct {
		const char *options;
		uint32_t msr;
		uint64_t freeze, thaw, back;
		const char *at, *other; /* a channel of socket 0 and one of socket 1 */
		unsigned cpu;           /* of socket 0 */
	} parts[] = {
		{"ivt", 0xc00, 0xc0000003, 0x60000003, 0x40000003, "7f:10.0", "ff:10.0", 1},
		{"hsx", 0x700, 0x80000000, 0x20000000, 0, "7f:14.0", "ff:14.0", 1},
		{"bdx", 0x700, 0x80000000, 0x20000000, 0, "7f:14.0", "ff:14.0", 1},
		{"skx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 0, "3a:0a.2", "ae:0a.2", 1},
		{"bdxde,sockets=2", 0x700, 0x80000000, 0x20000000, 0, "7f:14.0", "ff:14.0", 1},
		{"clx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 0, "3a:0a.2", "ae:0a.2", 1},
		{"cpx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 0, "3a:0a.2", "ae:0a.2", 1},
	};

	for (size_t i = 0; i < N(parts); i++) {
		uint64_t before, other;

		open_model(parts[i].options, "");
		fx_w32(parts[i].at, 0xf0, 0x400000);
		fx_w32(parts[i].other, 0xf0, 0x400000);
		fx_step(SECOND);
		before = fx_r48(parts[i].at, 0xd0);
		CU_ASSERT(before >= 800000000);
		fx_wmsr(parts[i].cpu, parts[i].msr, parts[i].freeze);
		ISMSR(0, {parts[i].msr, parts[i].back});
		fx_step(SECOND / 2);
		IS48(parts[i].at, {0xd0, before});
		fx_wmsr(parts[i].cpu, parts[i].msr, parts[i].back); /* neither freezes nor thaws */
		fx_step(SECOND / 4);
		fx_wmsr(parts[i].cpu, parts[i].msr, parts[i].freeze | parts[i].thaw);
		fx_step(SECOND / 4);
		IS48(parts[i].at, {0xd0, before});
		other = fx_r48(parts[i].other, 0xd0);
		CU_ASSERT_EQUAL(other, 2 * before);
		fx_wmsr(parts[i].cpu, parts[i].msr, parts[i].thaw);
		ISMSR(0, {parts[i].msr, parts[i].back});
		fx_step(SECOND);
		IS48(parts[i].at, {0xd0, 2 * before});
		fx_wmsr(parts[i].cpu, parts[i].msr, parts[i].back);
		fx_step(SECOND);
		IS48(parts[i].at, {0xd0, 3 * before});
	}
	open_model("snbep", "");
	FAULTS(0, {0xc00, 0x20000000}, {0x700, 0x20000000});
}

/* Of a socket's every channel, each counter: general ones and the fixed one. */
static uint64_t count_all(unsigned socket)
{
	struct unc_sim_channel channel;
	char at[UNC_ADDR_TEXT];
	uint64_t sum = 0;

	for (size_t i = 0; i < unc_sim_channels(fx.host); i++) {
		CU_ASSERT_FATAL(unc_sim_channel(fx.host, i, &channel) == 0);
		if (channel.socket != socket)
			continue;
		unc_addr_text(&channel.addr, at);
		for (uint32_t off = 0xa0; off < 0xc0; off += 8)
			sum += fx_r48(at, off);
		sum += fx_r48(at, 0xd0);
	}
	return sum;
}

static void enable_all(void)
{
	struct unc_sim_channel channel;
	char at[UNC_ADDR_TEXT];

	for (size_t i = 0; i < unc_sim_channels(fx.host); i++) {
		CU_ASSERT_FATAL(unc_sim_channel(fx.host, i, &channel) == 0);
		unc_addr_text(&channel.addr, at);
		for (uint32_t off = 0xd8; off < 0xe8; off += 4)
			fx_w32(at, off, 0x400000); /* clockticks */
		fx_w32(at, 0xf0, 0x400000);
	}
}

TEST(a_global_freeze_stops_every_counter_and_loses_none)
{
	static const struct {
		const char *model;
		uint32_t msr;
		uint64_t freeze, thaw;
		uint64_t per_second; /* channels, each with five counters of DCLK */
	} parts[] = {
		{"ivt", 0xc00, 0x80000000, 0x20000000, 8 * 5 * UINT64_C(800000000)},
		{"hsx", 0x700, 0x80000000, 0x20000000, 4 * 5 * UINT64_C(800000000)},
		{"bdx", 0x700, 0x80000000, 0x20000000, 4 * 5 * UINT64_C(1200000000)},
		{"skx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 6 * 5 * UINT64_C(1200000000)},
		{"bdxde", 0x700, 0x80000000, 0x20000000, 2 * 5 * UINT64_C(800000000)},
		{"clx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 6 * 5 * UINT64_C(1200000000)},
		{"cpx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 6 * 5 * UINT64_C(1200000000)},
	};

	for (size_t i = 0; i < N(parts); i++) {
		uint64_t n = parts[i].per_second;

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

/* All bits but those that G-IVT, LIKWID or PCM name. */
TEST(reserved_bits_of_the_global_freeze_fault)
{
	static const struct {
		const char *model;
		uint32_t msr;
		uint64_t named;
	} parts[] = {
		{"ivt", 0xc00, 0xe0007fff},
		{"hsx", 0x700, 0xa0000000},
		{"bdx", 0x700, 0xa0000000},
		{"skx", 0x700, UINT64_C(0xa000000000000000)},
		{"bdxde", 0x700, 0xa0000000},
		{"clx", 0x700, UINT64_C(0xa000000000000000)},
		{"cpx", 0x700, UINT64_C(0xa000000000000000)},
	};

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
	ISMSR(5, {0x704, 2000});
	fx_wmsr(0, 0x700, 0x80000000);
	fx_step(1000);
	ISMSR(0, {0x704, 2000});
	WMSR(0, {0x704, 5}, {0x700, 0x20000000});
	fx_step(1000);
	ISMSR(0, {0x704, 2005});
	fx_wmsr(0, 0x703, 0);
	fx_step(1000);
	ISMSR(0, {0x704, 2005});
	FAULTS(0, {0x704, UINT64_C(1) << 48}, {0x703, UINT64_C(1) << 32});
	ISMSR(0, {0x704, 2005});
	open_model("snbep", "");
	fx_wmsr(0, 0xc08, 0x400000);
	fx_step(1000);
	ISMSR(0, {0xc09, 2000});
}
