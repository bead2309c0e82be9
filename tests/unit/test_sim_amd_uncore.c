// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMD's uncore counters: data fabric, UMCs and L3s.  Register numbers, controls and CPUID are those that Linux (events/amd/uncore.c
 * and tools/perf/pmu-events/arch/x86/amdzen*) and LIKWID have, typed again.
 */
#include "test_sim_qm.h"

enum { UMC_RD = 0x10a, UMC_WR = 0x20a };
#define DF_CTL(i)   (0xc0010240 + 2 * (uint32_t)(i))
#define DF_CTR(i)   (0xc0010241 + 2 * (uint32_t)(i))
#define UMC_CTL(i)  (0xc0010800 + 2 * (uint32_t)(i))
#define UMC_CTR(i)  (0xc0010801 + 2 * (uint32_t)(i))
#define L3_CTL(i)   (0xc0010230 + 2 * (uint32_t)(i))
#define L3_CTR(i)   (0xc0010231 + 2 * (uint32_t)(i))
#define UMC_EN      UINT64_C(0x80000000)
#define CHANNELS    "format: uncorectl-load/1\nchannels:\n"
#define ONE_CHANNEL CHANNELS "  socket0.imc0.ch3: {read: 6.4e9, write: 1.28e9}\n"

struct leaf {
	const char *args;
	uint32_t leaf, eax, ebx, ecx;
};

static void leaves_are(size_t n, const struct leaf *leaves, const char *file, int line)
{
	for (const struct leaf *leaf = leaves; leaf < leaves + n; leaf++) {
		struct unc_cpuid_regs is;

		fx_open(leaf->args);
		is = fx_cpuid(0, leaf->leaf, 0);
		if (is.eax != leaf->eax || is.ebx != leaf->ebx || is.ecx != leaf->ecx)
			fx_wrong(file, line, "%s: %x is %x %x %x", leaf->args, leaf->leaf, is.eax, is.ebx, is.ecx);
	}
}

#define LEAVES(...) leaves_are(ROWS(leaf, __VA_ARGS__))

/* A 9124, a 9654 and 9655, a 9950X3D, a 97x4; those without the leaf. */
TEST(cpuid_tells_of_the_counters)
{
	LEAVES({"zen4", 0x80000022, 7, 0x44106, 8}, {"zen4,umcs=0xfff", 0x80000022, 7, 0x304106, 0xfff},
	       {"zen5", 0x80000022, 7, 0x304106, 0xfff}, {"zen5,umcs=3,umc_ctrs=8", 0x80000022, 7, 0x84106, 3},
	       {"zen4,umcs=0xfff,umc_ctrs=32", 0x80000022, 7, 0x204106, 0xfff},
	       {"zen4,umcs=0", 0x80000022, 7, 0x4106, 0}, {"zen4,df_ctrs=4", 0x80000022, 7, 0x41106, 8},
	       {"zen2", 0x80000022, 0, 0, 0}, {"zen3", 0x80000022, 0, 0, 0}, {"zen1", 0x80000022, 0, 0, 0},
	       {"zen4,vm=kvm", 0x80000022, 0, 0, 0});
	LEAVES({"zen1", 1, 0x800f12, 0x400800, 0x7ef8320b}, {"zen1", 0x80000001, 0x800f12, 0x40000000, 0x35c233ff});
	for (size_t i = 0; i < 5; i++) {
		fx_open(fx_text("zen%zu", i + 1));
		CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000001, 0).ecx & (BIT(24) | BIT(28)), BIT(24) | BIT(28));
		CU_ASSERT_EQUAL(fx_cpuid(0, 1, 0).ecx >> 31, 0);
		fx_open(fx_text("zen%zu,vm=kvm", i + 1));
		CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000001, 0).ecx & (BIT(10) | BIT(24) | BIT(28)), 0);
		CU_ASSERT_EQUAL(fx_cpuid(0, 1, 0).ecx >> 31, 1);
		CU_ASSERT_EQUAL(fx_cpuid(0, 0x8000001b, 0).eax, 0);
		ABSENT(0, DF_CTL(0), DF_CTR(0), L3_CTL(0), UMC_CTL(0));
	}
}

TEST(nodes_are_dies_or_sockets)
{
	fx_open("zen1");
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_cpus, 128);
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_caches, 16);
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, 0);
	CU_ASSERT_EQUAL(fx_cache(0).bytes, 8 << 20);
	for (unsigned i = 0; i < 128; i++) {
		CU_ASSERT_EQUAL(fx_cpuid(i, 0x8000001e, 0).ecx, 0x300 | i % 64 / 8);
		CU_ASSERT_EQUAL(fx_cpu(i).node, i % 64 / 8);
	}
	fx_open("zen2");
	CU_ASSERT_EQUAL(fx_cpuid(63, 0x8000001e, 0).ecx, 0);
	CU_ASSERT_EQUAL(fx_cpuid(64, 0x8000001e, 0).ecx, 1);
	fx_open("zen1,sockets=1,cores=2"); /* one L3 is on one die */
	CU_ASSERT_EQUAL(fx_cpuid(3, 0x8000001e, 0).ecx, 0x300);
}

/* Each die has four counters and two channels of its own; each CPU of it reaches them. */
TEST(each_die_has_a_data_fabric)
{
	const char *load =
		CHANNELS "  socket0.imc1.ch1: {read: 6.4e6, write: 6.4e5}\n  socket1.imc3.ch0: {read: 6.4e8}\n";

	fx_open_load("zen1,clock=step,dword_ns=0,offline=8", load);
	WMSR({9, DF_CTL(0), 0x403847}, {73, DF_CTL(1), 0x403847}, {0, DF_CTL(0), 0x403847}, {63, DF_CTL(3), 0x403807},
	     {9, DF_CTL(2), 0x403887}); /* a die has no such channel */
	fx_step(SECOND);
	ISMSR({15, DF_CTR(0), 110000}, {79, DF_CTR(1), 110000}, {0, DF_CTR(0), 0}, {120, DF_CTR(3), 10000000},
	      {9, DF_CTR(2), 0}, {0, DF_CTL(1), 0}, {9, DF_CTL(1), 0x403847});
	CU_ASSERT_EQUAL(try_read(8, DF_CTL(0)), UNC_ENODEV); /* offline */
	ABSENT(0, DF_CTL(4), DF_CTR(4), UMC_CTL(0));
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_channels, 16);
	CU_ASSERT_EQUAL(fx_channel(3).addr.kind, UNC_MSR);
	CU_ASSERT_EQUAL(fx_channel(3).addr.msr.cpu, 8);
	CU_ASSERT(fx_channel(3).imc == 1 && fx_channel(3).channel == 1);
}

/* Of Zen 1 to 3: both directions of channel n, in 64 bytes. */
TEST(old_data_fabrics_count_both_directions)
{
	static const uint64_t ctls[] = {0x0000000000403807, 0x0000000000403847, 0x0000000000403887, 0x00000000004038c7,
					0x0000000100403807, 0x0000000100403847, 0x0000000100403887, 0x00000001004038c7};
	static const char *const old[] = {"zen2", "zen3"};

	for (size_t m = 0; m < N(old); m++) {
		open_model(old[m], ",remote=50");
		for (unsigned half = 0; half < 2; half++) {
			uint64_t before[4], read, written;

			for (unsigned i = 0; i < 4; i++)
				WMSR({64, DF_CTL(i), ctls[4 * half + i]}, {64, DF_CTR(i), 0});
			for (unsigned i = 0; i < 4; i++) {
				unc_sim_truth_bytes_of(fx.host, 8 + 4 * half + i, UNC_SIM_NOW, &read, &written);
				before[i] = read / 64 + written / 64;
			}
			fx_step(12345678);
			for (unsigned i = 0; i < 4; i++) {
				CU_ASSERT_EQUAL(
					unc_sim_truth_bytes_of(fx.host, 8 + 4 * half + i, UNC_SIM_NOW, &read, &written),
					0);
				ISMSR({255, DF_CTR(i), read / 64 + written / 64 - before[i]});
				CU_ASSERT(fx_rmsr(64, DF_CTR(i)) > 100000);
				ISMSR({0, DF_CTR(i), 0});
			}
		}
		WMSR({0, DF_CTL(0), 0x403707}, {0, DF_CTL(1), 0x403808},
		     {0, DF_CTL(2), 0x3807},                      /* another mask, event; not enabled */
		     {0, DF_CTL(3), 0x0000000700400000 | 0x2c7}); /* a link out of the socket */
		fx_step(SECOND);
		ISMSR({0, DF_CTR(0), 0}, {0, DF_CTR(1), 0}, {0, DF_CTR(2), 0});
		CU_ASSERT(fx_rmsr(0, DF_CTR(3)) > 1000000);
	}
}

/* Of Zen 4 and 5: reads and writes of channel n, of this socket and of others. */
TEST(new_data_fabrics_count_each_direction)
{
	const char *load = CHANNELS
		"  socket*.imc0.ch0: {read: 6.4e9, write: 3.2e9}\n  socket*.imc0.ch4: {read: 6.4e8, write: 3.2e8}\n"
		"  socket*.imc0.ch11: {read: 6.4e7, write: 3.2e7}\n";

	fx_open_load("zen5,clock=step,dword_ns=0,remote=20", load);
	WMSR({0, DF_CTL(0), 0x000000000740fe1f}, {0, DF_CTL(1), 0x000000000740ff1f}, {0, DF_CTL(2), 0x000000000b40fe1f},
	     {0, DF_CTL(3), 0x000000000b40ff1f}, {0, DF_CTL(4), 0x000000010740fe1f}, {0, DF_CTL(5), 0x000000010740ff1f},
	     {0, DF_CTL(6), 0x000000010b40fe1f}, {0, DF_CTL(7), 0x000000010b40ff1f}, {0, DF_CTL(8), 0x000000020740fedf},
	     {0, DF_CTL(9), 0x000000020740ffdf}, {0, DF_CTL(10), 0x000000020b40fedf},
	     {0, DF_CTL(11), 0x000000020b40ffdf}, {0, DF_CTL(12), 0x000000000f40fe1f},
	     {0, DF_CTL(13), 0x000000000f40ff1f}, {0, DF_CTL(15), 0x0000000000403807});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(0), 80000000}, {0, DF_CTR(1), 40000000}, {0, DF_CTR(2), 20000000}, {0, DF_CTR(3), 10000000},
	      {0, DF_CTR(4), 8000000}, {0, DF_CTR(5), 4000000}, {0, DF_CTR(6), 2000000}, {0, DF_CTR(7), 1000000},
	      {0, DF_CTR(8), 800000}, {0, DF_CTR(9), 400000}, {0, DF_CTR(10), 200000}, {0, DF_CTR(11), 100000},
	      {0, DF_CTR(12), 100000000}, {0, DF_CTR(13), 50000000}, {0, DF_CTR(15), 0});
	ABSENT(0, 0xc0010260);
	fx_open_load("zen4,sockets=2,umcs=0xfff,clock=step,dword_ns=0", load);
	WMSR({16, DF_CTL(15), 0x000000000740fe1f});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(15), 0}, {17, DF_CTR(15), 100000000});
}

/* Cores, devices, links; 111 000 000 reads and half as many writes in all, a fifth of them of the other socket. */
TEST(other_parts_of_the_fabric_count_a_share)
{
	const char *load = CHANNELS
		"  socket*.imc0.ch0: {read: 6.4e9, write: 3.2e9}\n  socket*.imc0.ch1: {read: 6.4e8, write: 3.2e8}\n"
		"  socket*.imc0.ch2: {read: 6.4e7, write: 3.2e7}\n";

	fx_open_load("zen5,clock=step,dword_ns=0,remote=20", load);
	WMSR({0, DF_CTL(0), 0x000000040740fe1e}, {0, DF_CTL(1), 0x000000050b40ffdf}, /* CCM 0 and 7, 41E and 5DF */
	     {0, DF_CTL(2), 0x000000080740fe1f}, {0, DF_CTL(3), 0x000000090740ffdf}, /* IOM 0 and 7, 81F and 9DF */
	     {0, DF_CTL(4), 0x0000000d0f403e5f}, {0, DF_CTL(5), 0x0000000e0f403fdf | UINT64_C(1) << 32}, /* D5F, FDF */
	     {0, DF_CTL(6), 0x0000000e0f403fdf}, {0, DF_CTL(7), 0x0000000d0f403e1f});                    /* EDF, D1F */
	fx_step(SECOND);
	ISMSR({0, DF_CTR(0), 111000000 / 5 * 4 * 2 / 16}, {0, DF_CTR(1), 55500000 / 5 / 16},
	      {0, DF_CTR(2), 111000000 / 5 * 4 / 16 / 8}, {0, DF_CTR(3), 55500000 / 5 * 4 / 16 / 8},
	      {0, DF_CTR(4), 111000000 / 5 / 6}, {0, DF_CTR(5), 0}, {0, DF_CTR(7), 0});
	fx_open_load("zen4,sockets=2,umcs=0xfff,clock=step,dword_ns=0,remote=20", load);
	WMSR({0, DF_CTL(0), 0x0000000d0f403e1f}, {0, DF_CTL(1), 0x0000000d0f403e5f}, {0, DF_CTL(2), 0x0000000b0f403f5f},
	     {0, DF_CTL(3), 0x000000080740fedf}, {0, DF_CTL(4), 0x000000090740fe1f});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(0), 111000000 / 5 / 8}, {0, DF_CTR(1), 0}, {0, DF_CTR(2), 0},
	      {0, DF_CTR(3), 111000000 / 5 * 4 / 16 / 4}, {0, DF_CTR(4), 0});
}

/* 48 bits; a counter goes on from what is written, and keeps it while it is off. */
TEST(data_fabric_counters_wrap)
{
	fx_open_load("zen4,clock=step,dword_ns=0", ONE_CHANNEL);
	WMSR({0, DF_CTR(0), UINT64_C(0xffffffffffff)}, {0, DF_CTL(0), 0x740fedf});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(0), 99999999});
	fx_wmsr(0, DF_CTL(0), 0x700fedf);
	fx_step(SECOND);
	ISMSR({0, DF_CTR(0), 99999999}, {0, DF_CTL(0), 0x700fedf});
	WMSR({0, DF_CTR(0), 5}, {0, DF_CTL(0), 0x740ffdf});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(0), 20000005});
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	ISMSR({0, DF_CTR(0), 0}, {0, DF_CTL(0), 0});
}

TEST(bits_of_the_other_generation_fault)
{
	fx_open("zen3");
	for (unsigned bit = 0; bit < 64; bit++)
		if ((bit >= 24 && bit < 28) || bit == 36 || bit == 37)
			FAULTS({0, DF_CTL(0), BIT(bit)});
	WMSR({0, DF_CTL(0), UINT64_C(0x1800000f0040ffff)});
	ISMSR({0, DF_CTL(0), UINT64_C(0x1800000f0040ffff)});
	fx_open("zen4");
	FAULTS({0, DF_CTL(0), BIT(59)}, {0, DF_CTL(15), BIT(60)});
	WMSR({0, DF_CTL(0), UINT64_C(0x3f0f40ffff)}, {0, UMC_CTL(0), 0x800003ff},
	     {0, L3_CTL(0), UINT64_C(0x0307dc000040ffff)});
	ISMSR({0, DF_CTL(0), UINT64_C(0x3f0f40ffff)}, {0, UMC_CTL(0), 0x800003ff},
	      {0, L3_CTL(0), UINT64_C(0x0307dc000040ffff)});
}

/* Bits that must be 0, and that for an interrupt, are no faults: they are recorded. */
TEST(reserved_bits_are_violations)
{
	static const struct {
		const char *model;
		uint32_t number;
		uint64_t value, wrong, reads;
	} writes[] = {
		{"zen3", DF_CTL(1), 0x503807, BIT(20), 0x503807},
		{"zen3", DF_CTL(1), 0x80403807, BIT(31), 0x403807},
		{"zen4", DF_CTL(1), BIT(38) | BIT(22), BIT(38), BIT(22)},
		{"zen4", DF_CTR(1), UINT64_MAX, UINT64_C(0xffff) << 48, BIT(48) - 1},
		{"zen4", UMC_CTL(1), UMC_EN | BIT(20) | BIT(10), BIT(20) | BIT(10), UMC_EN},
		{"zen4", UMC_CTR(1), BIT(49) | 7, BIT(49), 7},
		{"zen2", L3_CTL(1), UINT64_C(0xff1f000000400000), BIT(52), UINT64_C(0xff0f000000400000)},
		{"zen4", L3_CTL(1), UINT64_C(0xff0f000000000000), UINT64_C(0xfc08000000000000), UINT64_C(0x0307) << 48},
		{"zen4", L3_CTR(1), BIT(63), BIT(63), 0},
	};

	for (size_t i = 0; i < N(writes); i++) {
		struct unc_sim_violation is;

		fx_open(writes[i].model);
		fx_wmsr(3, writes[i].number, writes[i].value);
		CU_ASSERT_EQUAL_FATAL(fx_violations(), 1);
		is = fx_violation(0);
		CU_ASSERT(is.off == writes[i].number && is.value == writes[i].value && is.wrong == writes[i].wrong);
		CU_ASSERT(is.addr.kind == UNC_MSR && is.addr.msr.cpu == 3);
		CU_ASSERT_PTR_NOT_NULL(strstr(is.sentence, "cpu3: 0xc001"));
		ISMSR({3, writes[i].number, writes[i].reads});
	}
}

/* Event, RdWrMask; the clock of DDR5-4800, and what the commands are in relation to each other. */
TEST(umcs_count_their_commands)
{
	fx_open_load("zen4,clock=step,dword_ns=0", ONE_CHANNEL);
	WMSR({0, UMC_CTL(0), 0x80000000}, {0, UMC_CTL(1), 0x8000000a}, {0, UMC_CTL(2), 0x8000010a},
	     {0, UMC_CTL(3), 0x8000020a});
	fx_step(SECOND);
	ISMSR({0, 0xc0010801, UINT64_C(2400000000)}, {0, 0xc0010803, 120000000}, {0, 0xc0010805, 100000000},
	      {31, 0xc0010807, 20000000});
	WMSR({0, UMC_CTL(0), 0x80000005}, {0, UMC_CTR(0), 0}, {0, UMC_CTL(1), 0x80000106}, {0, UMC_CTR(1), 0},
	     {0, UMC_CTL(2), 0x80000214}, {0, UMC_CTR(2), 0}, {0, UMC_CTL(3), 0x8000030a}, {0, UMC_CTR(3), 0});
	fx_step(SECOND);
	ISMSR({0, UMC_CTR(0), 30000000}, {0, UMC_CTR(1), 18750000}, {0, UMC_CTR(2), 160000000}, {0, UMC_CTR(3), 0});
	ABSENT(0, UMC_CTL(4), UMC_CTR(4));
	open_model("zen5", "");
	fx_wmsr(0, UMC_CTL(47), 0x80000000);
	fx_step(SECOND);
	ISMSR({0, 0xc001085f, UINT64_C(3000000000)});
	ABSENT(0, 0xc0010860);
}

/* Registers follow each other by the ordinal of the UMC, and not by its number. */
TEST(umcs_are_numbered_by_ordinal)
{
	const char *load = CHANNELS "  socket*.imc0.ch2: {read: 6.4e6}\n  socket*.imc0.ch3: {read: 9.9e9}\n"
				    "  socket*.imc0.ch9: {read: 6.4e7}\n";
	uint64_t read, written, clock = 1;

	fx_open_load("zen4,umcs=0x205,sockets=2,clock=step,dword_ns=0", load);
	WMSR({0, 0xc0010800, UMC_EN | UMC_RD}, {0, 0xc0010808, UMC_EN | UMC_RD}, {0, 0xc0010816, UMC_EN | UMC_RD},
	     {16, 0xc0010816, UMC_EN | UMC_WR}, {0, 0xc0010802, UMC_EN}, {0, DF_CTL(0), 0x740fedf});
	fx_step(SECOND);
	ISMSR({0, 0xc0010801, 0}, {0, 0xc0010809, 100000}, {0, 0xc0010817, 1000000}, {16, 0xc0010817, 0},
	      {0, 0xc0010803, UINT64_C(2400000000)}, {0, DF_CTR(0), 0});
	ABSENT(0, 0xc0010818);
	CU_ASSERT_EQUAL(unc_sim_truth_bytes_of(fx.host, 3, UNC_SIM_NOW, &read, &written), 0);
	CU_ASSERT_EQUAL(read, 0); /* without memory nothing happens, and no clock runs */
	CU_ASSERT_EQUAL(unc_sim_truth_events_of(fx.host, 3, "mem_clk", UNC_SIM_NOW, &clock), 0);
	CU_ASSERT_EQUAL(clock, 0);
	fx_open_load("zen4,umcs=7,umc_ctrs=7,clock=step,dword_ns=0", load); /* two each */
	fx_wmsr(0, 0xc0010808, UMC_EN | UMC_RD);
	fx_step(SECOND);
	ISMSR({0, 0xc0010809, 100000});
	ABSENT(0, 0xc001080c);
	fx_open("zen4,umcs=0,umc_ctrs=4,clock=step,dword_ns=0"); /* CPUID tells of none, but there is memory */
	ABSENT(0, UMC_CTL(0));
	ISMSR({0, DF_CTL(0), 0});
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000022, 0).ecx, 0);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(unc_sim_truth_bytes_of(fx.host, 11, UNC_SIM_NOW, &read, &written), 0);
	CU_ASSERT_TRUE(read > 0);
}

static void is_gone(unsigned cpu)
{
	uint64_t value;

	FAILS(sim_msr_read(fx.host, cpu, DF_CTL(0), &value), UNC_ENODEV, "is gone");
}

/* Other CPUs of its node show the same registers. */
TEST(the_file_of_a_cpu_goes_away)
{
	fx_open("zen4,vanish=cpu3@1,clock=step,dword_ns=0");
	fx_wmsr(3, DF_CTL(0), 1);
	fx_step(SECOND);
	is_gone(3);
	ISMSR({0, DF_CTL(0), 1});
	fx_open("zen4,vanish=cpu3@0");
	is_gone(3);
	FX_REFUSED("zen4,vanish=cpu3", "cpu3@1.5");
	FX_REFUSED("zen4,allones=cpu3@1", "allones");
}

/* Each socket has its own UMCs. */
TEST(sockets_can_differ_in_their_umcs)
{
	fx_open_load("zen5,umcs=0x5:0xe00,clock=step,dword_ns=0", CHANNELS "  socket*.imc0.ch9: {read: 6.4e7}\n");
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000022, 0).ecx, 5);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000022, 0).ebx, 0x84106);
	CU_ASSERT_EQUAL(fx_cpuid(96, 0x80000022, 0).ecx, 0xe00);
	CU_ASSERT_EQUAL(fx_cpuid(96, 0x80000022, 0).ebx, 0xc4106);
	WMSR({0, UMC_CTL(0), UMC_EN | UMC_RD}, {96, UMC_CTL(0), UMC_EN | UMC_RD});
	fx_step(SECOND);
	ISMSR({0, UMC_CTR(0), 0}, {96, UMC_CTR(0), 1000000}, {96, UMC_CTL(11), 0});
	ABSENT(0, UMC_CTL(8));
}

TEST(cpuid_can_promise_more_than_there_is)
{
	fx_open("zen5,df_ctrs=16:4,umc_ctrs=48:40");
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000022, 0).ebx, 0x304106);
	ISMSR({0, DF_CTL(3), 0}, {0, UMC_CTL(39), 0});
	ABSENT(0, DF_CTL(4), UMC_CTL(40));
	fx_open("zen5,df_ctrs=63");
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000022, 0).ebx >> 10 & 0x3f, 63);
	ISMSR({0, DF_CTL(15), 0});
	ABSENT(0, DF_CTL(16));
}

/* After 2^48 counts bit 48 is set and all others stay 1, until it is written. */
TEST(umc_counters_saturate)
{
	fx_open_load("zen4,clock=step,dword_ns=0", ONE_CHANNEL);
	WMSR({0, UMC_CTR(0), BIT(48) - 100000000}, {0, UMC_CTL(0), UMC_EN | UMC_RD});
	fx_step(SECOND - 1000);
	ISMSR({0, UMC_CTR(0), BIT(48) - 100});
	fx_step(SECOND);
	ISMSR({0, UMC_CTR(0), BIT(49) - 1});
	fx_wmsr(0, UMC_CTL(0), UMC_RD);
	ISMSR({0, UMC_CTR(0), BIT(49) - 1});
	WMSR({0, UMC_CTL(0), UMC_EN | UMC_RD}, {0, UMC_CTR(0), 0});
	fx_step(SECOND);
	ISMSR({0, UMC_CTR(0), 100000000});
	fx_wmsr(0, UMC_CTR(0), BIT(49) - 1); /* as it was */
	ISMSR({0, UMC_CTR(0), BIT(49) - 1});
}

/* A CPU misses once for 64 bytes and hits three times as often. */
TEST(an_l3_counts_what_its_cpus_do)
{
	const char *load = HEAD "  0: {total: 6.4e6, local: 3.2e6}\n  1: {total: 6.4e7}\n  4: {total: 9e9}\n";

	fx_open_load("zen2,cores=8,threads=1,clock=step,dword_ns=0", load);
	WMSR({3, L3_CTL(0), UINT64_C(0xff0f00000040ff04)}, {0, L3_CTL(1), UINT64_C(0xff0f000000400104)},
	     {0, L3_CTL(2), UINT64_C(0xff0f000000400090)}, {0, L3_CTL(3), UINT64_C(0xff0f000000403f9a)},
	     {0, L3_CTL(4), 0x400104}, {0, L3_CTL(5), UINT64_C(0x010f000000400104)});
	fx_step(SECOND);
	ISMSR({0, L3_CTR(0), 4400000}, {0, L3_CTR(1), 1100000}, {0, L3_CTR(2), 11000000}, {0, L3_CTR(3), 1100000},
	      {1, L3_CTR(4), 0}, {0, L3_CTR(5), 100000}, {4, L3_CTR(1), 0});
	WMSR({0, L3_CTL(0), UINT64_C(0xff01000000400104)}, {0, L3_CTR(0), 0}, {0, L3_CTL(1), 0x400090},
	     {0, L3_CTR(1), 0});
	fx_step(SECOND);
	ISMSR({0, L3_CTR(0), 275000}, {0, L3_CTR(1), 11000000}); /* one of four slices; 90 ignores masks */
	ABSENT(0, 0xc001023c);
	fx_open_load("zen3,cores=8,threads=1,clock=step,dword_ns=0,offline=4", load);
	WMSR({0, L3_CTL(0), UINT64_C(0x0300c0000040ff9a)}, {0, L3_CTL(1), UINT64_C(0x0300c0000040fe04)},
	     {0, L3_CTL(2), UINT64_C(0x0300440000400104)}, {0, L3_CTL(3), UINT64_C(0x0200c00000400104)},
	     {0, L3_CTL(4), UINT64_C(0x0303800000400104)}, {0, L3_CTL(5), UINT64_C(0x0300c00000400090)});
	fx_step(SECOND);
	ISMSR({0, L3_CTR(0), 1100000}, {0, L3_CTR(1), 3300000}, {0, L3_CTR(2), 1000000}, {0, L3_CTR(3), 0},
	      {0, L3_CTR(4), 1100000 / 8}, {0, L3_CTR(5), 11000000}); /* core 1; second threads; slice 3 */
}

/* AD: where misses are served; AC: for how many 10 ns. */
TEST(new_l3s_tell_where_misses_are_served)
{
	fx_open_load("zen4,clock=step,dword_ns=0", HEAD "  0: {total: 1.28e8, local: 6.4e7}\n");
	for (unsigned i = 0; i < 6; i++)
		fx_wmsr(1, L3_CTL(i), UINT64_C(0x0303c000004000ad) | BIT(8 + i));
	fx_step(SECOND);
	ISMSR({0, L3_CTR(0), 859375}, {0, L3_CTR(1), 859375}, {0, L3_CTR(2), 125000}, {0, L3_CTR(3), 125000},
	      {0, L3_CTR(4), 15625}, {0, L3_CTR(5), 15625});
	WMSR({1, L3_CTL(0), UINT64_C(0x0303c00000403fac)}, {1, L3_CTR(0), 0},
	     {1, L3_CTL(1), UINT64_C(0x0303c00000403fad)}, {1, L3_CTR(1), 0},
	     {1, L3_CTL(2), UINT64_C(0x0303c000004001ac)}, {1, L3_CTR(2), 0},
	     {1, L3_CTL(3), UINT64_C(0x0303c00000400090)}, {1, L3_CTR(3), 0});
	fx_step(SECOND);
	ISMSR({0, L3_CTR(1), 2000000}, {0, L3_CTR(2), 8593750}, {0, L3_CTR(3), 0},
	      {0, L3_CTR(0), 859375 * 30 + 125000 * 20 + 15625 * 65});
}

/* QEMU has no such registers, and forgets what is written. */
TEST(a_virtual_machine_can_swallow_writes)
{
	fx_open("zen4,vm=qemu");
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000001, 0).ecx >> 24 & 1, 1);
	WMSR({0, DF_CTL(0), 0x740fe1f}, {0, DF_CTR(0), 7}, {0, L3_CTL(0), 7}, {0, UMC_CTL(0), UMC_EN});
	ISMSR({0, DF_CTL(0), 0}, {0, DF_CTR(0), 0}, {0, L3_CTL(0), 0}, {0, UMC_CTL(0), 0});
}

TEST(channels_of_amd_carry_traffic)
{
	const struct unc_traffic traffic = {
		.node = 5, .cpus = (const unsigned[]){40}, .n_cpus = 1, .size_bytes = 4096, .bytes_per_s = 128000000};
	struct unc_traffic_done done;

	fx_open_load("zen1,clock=step,dword_ns=0", CHANNELS "  socket0.imc0.ch0: {read: 0}\n");
	WMSR({40, DF_CTL(0), 0x403807}, {40, DF_CTL(1), 0x403847}, {0, DF_CTL(0), 0x403807}, {32, DF_CTL(0), 0x403807});
	CU_ASSERT_EQUAL(fx.host->ops->traffic(fx.host, UNC_TRAFFIC_START, &traffic, &done), 0);
	fx_step(SECOND);
	ISMSR({40, DF_CTR(0), 1000000}, {40, DF_CTR(1), 1000000}, {0, DF_CTR(0), 0}, {32, DF_CTR(0), 0});
	CU_ASSERT_EQUAL(fx.host->ops->traffic(fx.host, UNC_TRAFFIC_STOP, NULL, &done), 0);
	CU_ASSERT_EQUAL(done.loaded_bytes, 128000000);
}

TEST(keys_of_amd_are_checked)
{
	BAD_KEYS("zen4", {"umcs=0x1000", "0xfff"}, {"df_ctrs=64"}, {"df_ctrs=16:17"}, {"umc_ctrs=4:x"}, {"remote=101"},
		 {"vm=xen", "kvm"}, {"remote=5", "no other socket"}, {"freeze=socket0.imc0.ch3", "freeze="},
		 {"defect=hidden:socket0.imc0.ch3", "registers of their own"});
	FX_REFUSED("zen3,umcs=1", "umcs: ", "PerfMonV2; zen4");
	FX_REFUSED("zen3,umc_ctrs=4", "umc_ctrs: ", "PerfMonV2; zen4");
	FX_REFUSED("zen1,df_ctrs=4", "df_ctrs: ", "PerfMonV2; zen4");
	FX_REFUSED("bdx,remote=5", "remote: ", "zen1 to zen5");
	FX_REFUSED("bdx,vm=kvm", "vm: ", "zen1 to zen5");
}

TEST(openers_of_one_machine_agree_about_its_counters)
{
	const char *state = fx_file(NULL);

	fx_open(fx_text("zen4,clock=step,dword_ns=0,umcs=3,state=%s", state));
	fx_wmsr(0, DF_CTL(2), 0x740fe1f);
	fx_use(1);
	fx_open(fx_text("zen4,clock=step,dword_ns=0,umcs=3,state=%s", state));
	fx_step(SECOND);
	ISMSR({3, DF_CTL(2), 0x740fe1f});
	CU_ASSERT(fx_rmsr(0, DF_CTR(2)) > 1000000);
	fx_close();
	FX_REFUSED(fx_text("zen4,clock=step,dword_ns=0,umcs=7,state=%s", state), "another machine", "umcs=0x3");
	FX_REFUSED(fx_text("zen4,clock=step,dword_ns=0,umcs=3,vm=qemu,state=%s", state), "another machine");
}
