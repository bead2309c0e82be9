// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In what the registers of a channel differ from Sandy Bridge-EP's, which test_sim_imc.c has.  Bits are written out here
 * a second time: uncore guide 329468-002 for Ivy Bridge-EP; for the later ones what Linux, PCM and LIKWID write.
 */
#include "test_sim.h"

#include "sim/computer.h"

static const struct gen {
	const char *model, *ch, *other;           /* channels of socket 0 */
	uint64_t cycles;                          /* in a microsecond */
	uint32_t ones;                            /* what BOX_CTL must have */
	uint32_t ctl, fixed_ctl, box_ctl, status; /* reserved bits */
	uint32_t run, freeze;                     /* of BOX_CTL */
} gens[] = {
	{"ivt", "ff:1e.5", "ff:10.4", 800, 0x30000, 0x00a90000, 0xffb7ffff, 0xfffcfefc, 0xffffffe0, 0x30000, 0x30100},
	{"hsx", "ff:17.1", "ff:14.0", 800, 0, 0x00290000, 0xffa7ffff, 0xfffefefc, 0xffffffe0, 0x10000, 0x10100},
	{"bdx", "ff:17.0", "ff:14.1", 1200, 0, 0x00290000, 0xffa7ffff, 0xfffefefc, 0xffffffe0, 0x10000, 0x10100},
	{"skx", "3a:0c.6", "3a:0a.2", 1200, 0, 0x00290000, 0xffa7ffff, 0xfffcfefc, 0xffffffe0, 0x30000, 0x30100},
	{"bdxde", "ff:14.1", "ff:14.0", 800, 0, 0x00290000, 0xffa7ffff, 0xfffefefc, 0xffffffe0, 0x10000, 0x10100},
	{"clx", "3a:0d.2", "3a:0a.6", 1200, 0, 0x00290000, 0xffa7ffff, 0xfffcfefc, 0xffffffe0, 0x30000, 0x30100},
	{"cpx", "3a:0a.2", "3a:0c.2", 1200, 0, 0x00290000, 0xffa7ffff, 0xfffcfefc, 0xffffffe0, 0x30000, 0x30100},
};

/* 100 million CAS reads a second: 100 a microsecond. */
static void open_loaded(const struct gen *gen)
{
	fx_open_load(fx_text("%s,sockets=1,clock=step,dword_ns=0", gen->model),
		     "format: uncorectl-load/1\nchannels:\n  \"*\":\n    read: 6.4e9\n"
		     "    events: {power_cke_cycles.rank0: 400e6}\n");
}

static void expect_bit(const struct gen *gen, uint32_t off, uint32_t with, unsigned bit, bool reserved)
{
	open_loaded(gen);
	fx_w32(gen->ch, off, 1u << bit | with);
	if (fx_violations() != reserved)
		fprintf(stderr, "\n%s: 0x%x: bit %u: reserved %d\n", gen->model, off, bit, !reserved);
	CU_ASSERT_EQUAL(fx_violations(), reserved);
	if (reserved) {
		CU_ASSERT_EQUAL(fx_violation(0).wrong, 1u << bit);
		CU_ASSERT_PTR_NOT_NULL(strstr(fx_violation(0).sentence, "must be written 0"));
		CU_ASSERT_EQUAL(fx_r32(gen->ch, off) & 1u << bit, 0);
	}
}

TEST(each_reserved_bit_of_each_generation_is_a_violation)
{
	for (size_t i = 0; i < N(gens); i++) {
		for (unsigned bit = 0; bit < 32; bit++) {
			/* edge_det and invert want a threshold, which is not what is tried here */
			expect_bit(&gens[i], CTL + 4, 1u << 24, bit, gens[i].ctl >> bit & 1);
			expect_bit(&gens[i], FIXED_CTL, 0, bit, gens[i].fixed_ctl >> bit & 1);
			expect_bit(&gens[i], BOX_CTL, gens[i].ones, bit, gens[i].box_ctl >> bit & 1);
			expect_bit(&gens[i], STATUS, 0, bit, gens[i].status >> bit & 1);
		}
	}
}

/* Linux writes 0 there and PCM one of the two: against the guide, and it counts. */
TEST(ivy_bridge_wants_box_ctl_17_and_16_written_1_but_counts_without)
{
	static const uint32_t values[] = {0x00000, 0x10000, 0x20000, 0x30000};
	for (size_t i = 0; i < 4; i++) {
		open_loaded(&gens[0]);
		fx_w32(gens[0].ch, BOX_CTL, values[i]);
		CU_ASSERT_EQUAL(fx_violations(), values[i] != 0x30000);
		if (values[i] != 0x30000) {
			CU_ASSERT_EQUAL(fx_violation(0).wrong, 0x30000 & ~values[i]);
			CU_ASSERT_PTR_NOT_NULL(strstr(fx_violation(0).sentence, "must be written 1"));
		}
		fx_w32(gens[0].ch, CTL, READS);
		fx_step(US);
		IS48(gens[0].ch, {CTR, 100});
		IS32(gens[0].ch, {BOX_CTL, 0});
	}
}

TEST(the_skylakes_take_box_ctl_17_and_16_either_way)
{
	static const uint32_t values[] = {0x00000, 0x10000, 0x20000, 0x30000};

	for (size_t i = 0; i < 12; i++) {
		const struct gen *gen = &gens[i / 4 ? 4 + i / 4 : 3]; /* skx, clx, cpx */

		open_loaded(gen);
		W32(gen->ch, {CTL, READS}, {BOX_CTL, values[i % 4]});
		fx_step(US);
		IS48(gen->ch, {CTR, 100});
		fx_w32(gen->ch, BOX_CTL, values[i % 4] | 0x100);
		fx_step(US);
		IS48(gen->ch, {CTR, 100});
		IS32(gen->ch, {BOX_CTL, 0});
	}
}

TEST(a_byte_without_these_bits_is_not_asked_for_them)
{
	struct unc_addr addr = fx_addr(gens[0].ch);
	unsigned char frz = 1;
	size_t done = 0;

	open_loaded(&gens[0]);
	fx_w32(gens[0].ch, CTL, READS);
	CU_ASSERT_EQUAL(unc_sim_access(fx.host, &addr, true, BOX_CTL + 1, &frz, 1, &done), 0);
	fx_step(US);
	IS48(gens[0].ch, {CTR, 0});
}

TEST(frz_needs_frz_en_on_haswell_and_broadwells_only)
{
	for (size_t i = 0; i < N(gens); i++) {
		bool needs = gens[i].run == 0x10000;

		open_loaded(&gens[i]);
		fx_w32(gens[i].ch, CTL, READS);
		fx_w32(gens[i].other, CTL, READS);
		W32(gens[i].ch, {FIXED_CTL, EN}, {BOX_CTL, 0x100});
		fx_step(US);
		IS48(gens[i].ch, {CTR, needs ? 100 : 0}, {FIXED, needs ? gens[i].cycles : 0});
		fx_w32(gens[i].ch, BOX_CTL, gens[i].freeze);
		fx_step(US);
		IS48(gens[i].ch, {CTR, needs ? 100 : 0});
		IS48(gens[i].other, {CTR, 200});
		fx_w32(gens[i].ch, BOX_CTL, gens[i].run);
		fx_step(US);
		IS48(gens[i].ch, {CTR, needs ? 200 : 100});
		CU_ASSERT_EQUAL(fx_violations(), i == 0); /* ivt wants more bits */
	}
}

TEST(frz_en_reads_back_as_the_option_says)
{
	fx_open("hsx,frz_en=rw");
	fx_w32("ff:14.0", BOX_CTL, 0x10103);
	IS32("ff:14.0", {BOX_CTL, 0x10000});
	fx_open("bdx");
	fx_w32("ff:14.0", BOX_CTL, 0x10103);
	IS32("ff:14.0", {BOX_CTL, 0});
}

static void fill(const struct gen *gen)
{
	for (uint32_t i = 0; i < 4; i++) {
		fx_w48(gen->ch, CTR + 8 * i, 1000 + i);
		fx_w32(gen->ch, CTL + 4 * i, 0x304); /* not enabled */
	}
	fx_w48(gen->ch, FIXED, 2000);
	fx_w32(gen->ch, FIXED_CTL, EN);
}

TEST(box_ctl_resets_counters_by_bit_1_and_controls_by_bit_0)
{
	for (size_t i = 0; i < N(gens); i++) {
		for (uint32_t reset = 0; reset < 4; reset++) {
			open_loaded(&gens[i]);
			fill(&gens[i]);
			fx_w48(gens[i].other, CTR, 77);
			fx_w32(gens[i].ch, BOX_CTL, gens[i].freeze | reset);
			for (uint32_t k = 0; k < 4; k++) {
				IS48(gens[i].ch, {CTR + 8 * k, reset & 2 ? 0 : 1000 + k});
				IS32(gens[i].ch, {CTL + 4 * k, reset & 1 ? 0 : 0x304});
			}
			/* The fixed one has a rst of its own. */
			IS48(gens[i].ch, {FIXED, 2000});
			IS32(gens[i].ch, {FIXED_CTL, EN});
			IS48(gens[i].other, {CTR, 77});
		}
	}
}

/* rst is not kept: the counter goes on. */
TEST(rst_of_a_control_clears_its_counter_once)
{
	for (size_t i = 0; i < N(gens); i++) {
		open_loaded(&gens[i]);
		fill(&gens[i]);
		fx_w32(gens[i].ch, CTL + 8, READS | 0x20000);
		IS48(gens[i].ch, {CTR + 16, 0}, {CTR + 8, 1001});
		IS32(gens[i].ch, {CTL + 8, READS});
		fx_step(2 * US);
		IS48(gens[i].ch, {CTR + 16, 200});
	}
}

TEST(ov_en_reads_back_and_an_overflow_only_sets_its_bit)
{
	for (size_t i = 0; i < N(gens); i++) {
		open_loaded(&gens[i]);
		fx_w48(gens[i].ch, CTR, 0xffffffffffff);
		fx_w32(gens[i].ch, CTL, READS | 0x100000);
		IS32(gens[i].ch, {CTL, READS | 0x100000});
		fx_step(US);
		IS48(gens[i].ch, {CTR, 99});
		IS32(gens[i].ch, {STATUS, 0x02});
		fx_w32(gens[i].ch, STATUS, 0x02);
		IS32(gens[i].ch, {STATUS, 0});
		fx_w32(gens[i].ch, FIXED_CTL, 0x500000);
		IS32(gens[i].ch, {FIXED_CTL, i == 0 ? 0x400000 : 0x500000});
		CU_ASSERT_EQUAL(fx_violations(), i == 0);
	}
}

/* CKE of rank 0 is on in 400 cycles of a microsecond. */
TEST(invert_is_missing_on_ivy_bridge_alone)
{
	for (size_t i = 0; i < N(gens); i++) {
		open_loaded(&gens[i]);
		fx_w32(gens[i].ch, CTL, 0x01c00183);
		fx_step(US);
		IS48(gens[i].ch, {CTR, i == 0 ? 400 : gens[i].cycles - 400});
		IS32(gens[i].ch, {CTL, i == 0 ? 0x01400183 : 0x01c00183});
		CU_ASSERT_EQUAL(fx_violations(), i == 0);
	}
}

/* What LIKWID says of Haswell and Broadwell. */
TEST(a_control_may_have_to_be_written_twice)
{
	static const struct {
		uint32_t write, is;
	} steps[] = {
		{READS, 0},       {READS, READS},             /* the same twice */
		{READS, READS},   {0, READS},     {0, 0},     /* a write that changes nothing is not the first of two */
		{0x304, 0},       {READS, READS},             /* LIKWID: without en, then with it */
		{0x304, READS},   {READS, READS}, {0, READS}, /* nor is one of what it has */
		{0xffff, 0xffff},
	};

	fx_open("hsx,sockets=1,clock=step,dword_ns=0,ctl_writes=twice");
	for (size_t i = 0; i < N(steps); i++) {
		fx_w32("ff:14.0", CTL + 4, steps[i].write);
		IS32("ff:14.0", {CTL + 4, steps[i].is});
	}
	/* Each control and channel by itself; counters and the others want one write. */
	fx_w32("ff:14.0", CTL, READS);
	fx_w32("ff:14.1", CTL, READS);
	fx_w32("ff:14.0", CTL + 8, READS);
	IS32("ff:14.0", {CTL, 0}, {CTL + 8, 0});
	IS32("ff:14.1", {CTL, 0});
	fx_w32("ff:14.0", FIXED_CTL, EN);
	fx_w48("ff:14.0", CTR, 77);
	IS32("ff:14.0", {FIXED_CTL, EN});
	IS48("ff:14.0", {CTR, 77});
	/* rst is lost with the rest of its write. */
	fx_w32("ff:14.1", CTL, 0);
	fx_w48("ff:14.1", CTR, 99);
	fx_w32("ff:14.1", CTL, READS | 0x20000);
	IS48("ff:14.1", {CTR, 99});
	fx_w32("ff:14.1", CTL, READS | 0x20000);
	IS48("ff:14.1", {CTR, 0});
	fx_step(US);
	CU_ASSERT(fx_r48("ff:14.1", CTR) > 0);
}

TEST(edge_and_threshold_are_everywhere)
{
	for (size_t i = 0; i < N(gens); i++) {
		open_loaded(&gens[i]);
		fx_w32(gens[i].ch, CTL, 0x01440304); /* reads: less than one in two cycles, a beginning each */
		fx_w32(gens[i].ch, CTL + 4, 0x02400304);
		fx_step(US);
		IS48(gens[i].ch, {CTR, 100}, {CTR + 8, 0});
	}
}

/* What U_MSR_PMON_GLOBAL_CTL does, below the MSR. */
TEST(a_global_freeze_stops_all_channels_of_a_socket)
{
	struct unc_sim_channel channel;
	char at[UNC_ADDR_TEXT];

	fx_open("skx,clock=step,dword_ns=0");
	for (size_t i = 0; i < 12; i++) {
		channel = fx_channel(i);
		fx_w32(unc_addr_text(&channel.addr, at), FIXED_CTL, EN);
	}
	fx_step(US);
	unc_sim_imc_freeze_all(unc_sim_of(fx.host), 1, true, US);
	fx_step(US);
	for (size_t i = 0; i < 12; i++) {
		channel = fx_channel(i);
		unc_addr_text(&channel.addr, at);
		IS48(at, {FIXED, channel.socket == 1 ? 1200 : 2400});
		fx_w32(at, BOX_CTL, 0x30000); /* which does not let it go on */
	}
	fx_step(US);
	IS48("ae:0d.2", {FIXED, 1200});
	fx_w32("ae:0d.2", BOX_CTL, 0x30100);
	unc_sim_imc_freeze_all(unc_sim_of(fx.host), 1, false, 3 * US);
	fx_step(US);
	IS48("ae:0d.2", {FIXED, 1200}); /* its own frz is still there */
	IS48("ae:0a.2", {FIXED, 2400});
	IS48("3a:0a.2", {FIXED, 4800});
}
