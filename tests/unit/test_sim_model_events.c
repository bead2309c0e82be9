// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the events of the models count: names, codes and umasks are typed here a second time, so that a slip of the pen in a
 * model shows.  Of snbep there is test_sim_model_snbep.c.
 */
#include "test_sim.h"

#include "sim/load.h"

enum { IVT = 1, HSX = 2, BDX = 4, SKX = 8, DE = 16, CLX = 32, CPX = 64, ALL = 127 };
enum { BUFFERED = IVT | HSX | BDX | DE, OPTANE = CLX | CPX, NEWEST = SKX | OPTANE, REFRESH = ALL & ~OPTANE };

static const struct {
	const char *name;
	unsigned bit;
	const char *ch; /* a channel of socket 0 with sockets=1, as address and as in load files */
	const char *channel;
	uint64_t dclk;
} models[] = {
	{"ivt", IVT, "ff:1e.0", "socket0.imc1.ch2", 800000000},
	{"hsx", HSX, "ff:17.1", "socket0.imc1.ch1", 800000000},
	{"bdx", BDX, "ff:14.1", "socket0.imc0.ch1", 1200000000},
	{"skx", SKX, "3a:0d.2", "socket0.imc1.ch2", 1200000000},
	{"bdxde", DE, "ff:14.1", "socket0.imc0.ch1", 800000000},
	{"clx", CLX, "3a:0c.6", "socket0.imc1.ch1", 1200000000},
	{"cpx", CPX, "3a:0b.2", "socket0.imc0.ch2", 1200000000},
};

enum { N_MODELS = 7 };

/* The events, and the models that have them; the commands to ranks are further below. */
static const struct {
	const char *name;
	uint32_t code, umask;
	unsigned models;
} table[] = {
	{"act_count.rd", 0x01, 0x01, ALL},
	{"act_count.wr", 0x01, 0x02, ALL},
	{"act_count.byp", 0x01, 0x08, ALL},
	{"pre_count.page_miss", 0x02, 0x01, ALL},
	{"pre_count.page_close", 0x02, 0x02, ALL},
	{"pre_count.rd", 0x02, 0x04, ALL},
	{"pre_count.wr", 0x02, 0x08, ALL},
	{"pre_count.byp", 0x02, 0x10, ALL},
	{"cas_count.rd_reg", 0x04, 0x01, ALL},
	{"cas_count.rd_underfill", 0x04, 0x02, ALL},
	{"cas_count.wr_wmm", 0x04, 0x04, ALL},
	{"cas_count.wr_rmm", 0x04, 0x08, ALL},
	{"cas_count.rd_wmm", 0x04, 0x10, ALL},
	{"cas_count.rd_rmm", 0x04, 0x20, ALL},
	{"cas_count.rd_isoch", 0x04, 0x40, NEWEST},
	{"cas_count.wr_isoch", 0x04, 0x80, NEWEST},
	{"dram_refresh.panic", 0x05, 0x02, REFRESH},
	{"dram_refresh.high", 0x05, 0x04, REFRESH},
	{"dram_pre_all", 0x06, 0x00, ALL},
	{"major_modes.read", 0x07, 0x01, ALL},
	{"major_modes.write", 0x07, 0x02, ALL},
	{"major_modes.partial", 0x07, 0x04, ALL},
	{"major_modes.isoch", 0x07, 0x08, ALL},
	{"preemption.rd_preempt_rd", 0x08, 0x01, ALL},
	{"preemption.rd_preempt_wr", 0x08, 0x02, ALL},
	{"ecc_correctable_errors", 0x09, 0x00, ALL},
	{"rpq_inserts", 0x10, 0x00, ALL},
	{"rpq_cycles_ne", 0x11, 0x00, ALL},
	{"rpq_cycles_full", 0x12, 0x00, NEWEST},
	{"wpq_inserts", 0x20, 0x00, IVT | NEWEST},
	{"wpq_cycles_ne", 0x21, 0x00, ALL},
	{"wpq_cycles_full", 0x22, 0x00, ALL},
	{"wpq_read_hit", 0x23, 0x00, ALL},
	{"wpq_write_hit", 0x24, 0x00, ALL},
	{"power_throttle_cycles.rank0", 0x41, 0x01, ALL},
	{"power_throttle_cycles.rank1", 0x41, 0x02, ALL},
	{"power_throttle_cycles.rank2", 0x41, 0x04, ALL},
	{"power_throttle_cycles.rank3", 0x41, 0x08, ALL},
	{"power_throttle_cycles.rank4", 0x41, 0x10, ALL},
	{"power_throttle_cycles.rank5", 0x41, 0x20, ALL},
	{"power_throttle_cycles.rank6", 0x41, 0x40, ALL},
	{"power_throttle_cycles.rank7", 0x41, 0x80, ALL},
	{"power_pcu_throttling", 0x42, 0x00, ALL},
	{"power_self_refresh", 0x43, 0x00, ALL},
	{"rpq_occupancy", 0x80, 0x00, NEWEST},
	{"wpq_occupancy", 0x81, 0x00, NEWEST},
	{"power_cke_cycles.rank0", 0x83, 0x01, ALL},
	{"power_cke_cycles.rank1", 0x83, 0x02, ALL},
	{"power_cke_cycles.rank2", 0x83, 0x04, ALL},
	{"power_cke_cycles.rank3", 0x83, 0x08, ALL},
	{"power_cke_cycles.rank4", 0x83, 0x10, ALL},
	{"power_cke_cycles.rank5", 0x83, 0x20, ALL},
	{"power_cke_cycles.rank6", 0x83, 0x40, ALL},
	{"power_cke_cycles.rank7", 0x83, 0x80, ALL},
	{"power_channel_dlloff", 0x84, 0x00, ALL},
	{"power_channel_ppd", 0x85, 0x00, ALL},
	{"power_critical_throttle_cycles", 0x86, 0x00, ALL},
	{"vmse_wr_push.wmm", 0x90, 0x01, BUFFERED},
	{"vmse_wr_push.rmm", 0x90, 0x02, BUFFERED},
	{"vmse_mxb_wr_occupancy", 0x91, 0x00, BUFFERED},
	{"rd_cas_prio.low", 0xa0, 0x01, ALL},
	{"rd_cas_prio.med", 0xa0, 0x02, ALL},
	{"rd_cas_prio.high", 0xa0, 0x04, ALL},
	{"rd_cas_prio.panic", 0xa0, 0x08, ALL},
	{"byp_cmds.act", 0xa1, 0x01, ALL},
	{"byp_cmds.cas", 0xa1, 0x02, ALL},
	{"byp_cmds.pre", 0xa1, 0x04, ALL},
	{"wmm_to_rmm.low_thresh", 0xc0, 0x01, ALL},
	{"wmm_to_rmm.starve", 0xc0, 0x02, ALL},
	{"wmm_to_rmm.vmse_retry", 0xc0, 0x04, ALL},
	{"wrong_mm", 0xc1, 0x00, ALL},
	{"sb_cycles_ne", 0xd0, 0x00, OPTANE},
	{"sb_cycles_full", 0xd1, 0x00, OPTANE},
	{"sb_accesses.rd_accepts", 0xd2, 0x01, OPTANE},
	{"sb_accesses.rd_rejects", 0xd2, 0x02, OPTANE},
	{"sb_accesses.wr_accepts", 0xd2, 0x04, OPTANE},
	{"sb_accesses.wr_rejects", 0xd2, 0x08, OPTANE},
	{"sb_accesses.nm_rd_cmps", 0xd2, 0x10, OPTANE},
	{"sb_accesses.nm_wr_cmps", 0xd2, 0x20, OPTANE},
	{"sb_accesses.fm_rd_cmps", 0xd2, 0x40, OPTANE},
	{"sb_accesses.fm_wr_cmps", 0xd2, 0x80, OPTANE},
	{"tagchk.hit", 0xd3, 0x01, OPTANE},
	{"tagchk.miss_clean", 0xd3, 0x02, OPTANE},
	{"tagchk.miss_dirty", 0xd3, 0x04, OPTANE},
	{"sb_reject.nm_set_cnflt", 0xd4, 0x01, OPTANE},
	{"sb_reject.fm_addr_cnflt", 0xd4, 0x02, OPTANE},
	{"sb_reject.patrol_set_cnflt", 0xd4, 0x04, OPTANE},
	{"sb_occupancy.rds", 0xd5, 0x01, OPTANE},
	{"sb_occupancy.wrs", 0xd5, 0x02, OPTANE},
	{"sb_occupancy.pmm_rds", 0xd5, 0x04, OPTANE},
	{"sb_occupancy.pmm_wrs", 0xd5, 0x08, OPTANE},
	{"sb_occupancy.block_rds", 0xd5, 0x20, OPTANE},
	{"sb_occupancy.block_wrs", 0xd5, 0x40, OPTANE},
	{"sb_occupancy.patrol", 0xd5, 0x80, OPTANE},
	{"sb_inserts.rds", 0xd6, 0x01, OPTANE},
	{"sb_inserts.wrs", 0xd6, 0x02, OPTANE},
	{"sb_inserts.pmm_rds", 0xd6, 0x04, OPTANE},
	{"sb_inserts.pmm_wrs", 0xd6, 0x08, OPTANE},
	{"sb_inserts.block_rds", 0xd6, 0x10, OPTANE},
	{"sb_inserts.block_wrs", 0xd6, 0x20, OPTANE},
	{"sb_inserts.dealloc", 0xd6, 0x40, OPTANE},
	{"sb_inserts.patrol", 0xd6, 0x80, OPTANE},
	{"sb_strv_alloc.nmrd_set", 0xd7, 0x01, OPTANE},
	{"sb_strv_alloc.fmrd_set", 0xd7, 0x02, OPTANE},
	{"sb_strv_alloc.nmwr_set", 0xd7, 0x04, OPTANE},
	{"sb_strv_alloc.fmwr_set", 0xd7, 0x08, OPTANE},
	{"sb_strv_alloc.nmrd_clr", 0xd7, 0x10, OPTANE},
	{"sb_strv_alloc.fmrd_clr", 0xd7, 0x20, OPTANE},
	{"sb_strv_alloc.nmwr_clr", 0xd7, 0x40, OPTANE},
	{"sb_strv_alloc.fmwr_clr", 0xd7, 0x80, OPTANE},
	{"sb_strv_occ.nmrd", 0xd8, 0x01, OPTANE},
	{"sb_strv_occ.fmrd", 0xd8, 0x02, OPTANE},
	{"sb_strv_occ.nmwr", 0xd8, 0x04, OPTANE},
	{"sb_strv_occ.fmwr", 0xd8, 0x08, OPTANE},
	{"sb_canary.alloc", 0xd9, 0x01, OPTANE},
	{"sb_canary.dealloc", 0xd9, 0x02, OPTANE},
	{"sb_canary.rej", 0xd9, 0x04, OPTANE},
	{"sb_canary.vld", 0xd9, 0x08, OPTANE},
	{"sb_canary.nmrd_starved", 0xd9, 0x10, OPTANE},
	{"sb_canary.nmwr_starved", 0xd9, 0x20, OPTANE},
	{"sb_canary.fmrd_starved", 0xd9, 0x40, OPTANE},
	{"sb_canary.fmwr_starved", 0xd9, 0x80, OPTANE},
	{"sb_tagged.new", 0xdd, 0x01, OPTANE},
	{"sb_tagged.rd_hit", 0xdd, 0x02, OPTANE},
	{"sb_tagged.rd_miss", 0xdd, 0x04, OPTANE},
	{"sb_tagged.ddr4_cmp", 0xdd, 0x08, OPTANE},
	{"sb_tagged.pmm0_cmp", 0xdd, 0x10, OPTANE},
	{"sb_tagged.pmm1_cmp", 0xdd, 0x20, OPTANE},
	{"sb_tagged.pmm2_cmp", 0xdd, 0x40, OPTANE},
	{"sb_tagged.occ", 0xdd, 0x80, OPTANE},
	{"pmm_rpq_occupancy.all", 0xe0, 0x01, OPTANE},
	{"pmm_rpq_occupancy.gnt_wait", 0xe0, 0x04, OPTANE},
	{"pmm_rpq_cycles_ne", 0xe1, 0x00, OPTANE},
	{"pmm_rpq_cycles_full", 0xe2, 0x00, OPTANE},
	{"pmm_rpq_inserts", 0xe3, 0x00, OPTANE},
	{"pmm_wpq_occupancy.all", 0xe4, 0x01, OPTANE},
	{"pmm_wpq_occupancy.cas", 0xe4, 0x02, OPTANE},
	{"pmm_wpq_occupancy.pwr", 0xe4, 0x04, OPTANE},
	{"pmm_wpq_cycles_ne", 0xe5, 0x00, OPTANE},
	{"pmm_wpq_cycles_full", 0xe6, 0x00, OPTANE},
	{"pmm_wpq_inserts", 0xe7, 0x00, OPTANE},
	{"pmm_wpq_pcommit", 0xe8, 0x00, OPTANE},
	{"pmm_wpq_pcommit_cyc", 0xe9, 0x00, OPTANE},
	{"pmm_cmd1.all", 0xea, 0x01, OPTANE},
	{"pmm_cmd1.rd", 0xea, 0x02, OPTANE},
	{"pmm_cmd1.wr", 0xea, 0x04, OPTANE},
	{"pmm_cmd1.ufill_rd", 0xea, 0x08, OPTANE},
	{"pmm_cmd1.rpq_gnts", 0xea, 0x10, OPTANE},
	{"pmm_cmd1.wpq_gnts", 0xea, 0x20, OPTANE},
	{"pmm_cmd1.misc_gnt", 0xea, 0x40, OPTANE},
	{"pmm_cmd1.misc", 0xea, 0x80, OPTANE},
	{"pmm_cmd2.opp_rd", 0xeb, 0x01, OPTANE},
	{"pmm_cmd2.nodata_exp", 0xeb, 0x02, OPTANE},
	{"pmm_cmd2.nodata_unexp", 0xeb, 0x04, OPTANE},
	{"pmm_cmd2.reqs_slot0", 0xeb, 0x08, OPTANE},
	{"pmm_cmd2.reqs_slot1", 0xeb, 0x10, OPTANE},
	{"pmm_cmd2.pmm_ecc_error", 0xeb, 0x20, OPTANE},
	{"pmm_cmd2.pmm_erid_error", 0xeb, 0x40, OPTANE},
	{"pmm_majmode1.rd_cyc", 0xec, 0x01, OPTANE},
	{"pmm_majmode1.wr_cyc", 0xec, 0x02, OPTANE},
	{"pmm_majmode1.partial_wr_cyc", 0xec, 0x04, OPTANE},
	{"pmm_majmode1.partial_wr_enter", 0xec, 0x20, OPTANE},
	{"pmm_majmode1.partial_wr_exit", 0xec, 0x40, OPTANE},
	{"majmode2.pmm_cyc", 0xed, 0x01, OPTANE},
	{"majmode2.dram_cyc", 0xed, 0x02, OPTANE},
	{"majmode2.pmm_enter", 0xed, 0x04, OPTANE},
	{"majmode2.dram_enter", 0xed, 0x08, OPTANE},
};

struct expected { /* of one model */
	size_t model, n;
	struct {
		char name[40];
		uint32_t code, umask;
	} events[512];
};

/* RD_CAS_RANKn is B0 + n, WR_CAS_RANKn B8 + n; a bit for each of 8 banks, or the number of one of 16. */
static void expect_banks(struct expected *e)
{
	unsigned banks = models[e->model].bit == IVT ? 8 : 16, rank, bank;

	for (rank = 0; rank < 16; rank++) {
		for (bank = 0; bank < banks; bank++) {
			snprintf(e->events[e->n].name, sizeof(e->events[0].name), "%s_cas_rank%u.bank%u",
				 rank < 8 ? "rd" : "wr", rank % 8, bank);
			e->events[e->n].code = 0xb0 + rank;
			e->events[e->n++].umask = banks == 8 ? 1u << bank : bank;
		}
	}
}

static void expect_events(size_t model, struct expected *e)
{
	size_t i;

	memset(e, 0, sizeof(*e));
	e->model = model;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!(table[i].models & models[model].bit))
			continue;
		snprintf(e->events[e->n].name, sizeof(e->events[0].name), "%s", table[i].name);
		e->events[e->n].code = table[i].code;
		e->events[e->n++].umask = table[i].umask;
	}
	expect_banks(e);
}

/* No two alike. */
static uint64_t rate_of(size_t event)
{
	return 1000003 + 10007 * event + 13 * event * event;
}

static void open_all_different(const struct expected *e, struct fx *fx)
{
	static char text[32768];
	char options[64];
	size_t i, len;

	len = (size_t)snprintf(text, sizeof(text), "format: uncorectl-load/1\nchannels:\n  %s:\n    events:\n",
			       models[e->model].channel);
	for (i = 0; i < e->n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "      %s: %llu\n", e->events[i].name,
					(unsigned long long)rate_of(i));
	CU_ASSERT_FATAL(len < sizeof(text));
	snprintf(options, sizeof(options), "%s,sockets=1,clock=step,dword_ns=0", models[e->model].name);
	fx_open_load(fx, options, text);
}

/* What counter 1 of that channel takes in a second. */
static uint64_t counted(struct fx *fx, const char *ch, uint32_t code, uint32_t umask)
{
	fx_w32(fx, ch, 0xdc, 0);
	fx_w48(fx, ch, 0xa8, 0);
	fx_w32(fx, ch, 0xdc, 0x400000 | umask << 8 | code);
	fx_step(fx, 1000000000);
	return fx_r48(fx, ch, 0xa8);
}

static void every_event_of_every_model_is_counted_by_its_own_code(void)
{
	static struct expected e;
	size_t model, i;

	for (model = 0; model < N_MODELS; model++) {
		const char *ch = models[model].ch;
		uint64_t before, count;
		struct fx fx;

		expect_events(model, &e);
		open_all_different(&e, &fx);
		for (i = 0; i < e.n; i++) {
			before = fx_truth(&fx, ch, e.events[i].name);
			count = counted(&fx, ch, e.events[i].code, e.events[i].umask);
			if (count != rate_of(i))
				fprintf(stderr, "\n%s: %s: %llu, not %llu\n", models[model].name, e.events[i].name,
					(unsigned long long)count, (unsigned long long)rate_of(i));
			CU_ASSERT_EQUAL(count, rate_of(i));
			CU_ASSERT_EQUAL(fx_truth(&fx, ch, e.events[i].name) - before, rate_of(i));
		}
		CU_ASSERT_EQUAL(unc_sim_violations(fx.host), 0);
		fx_close(&fx);
	}
}

static void there_are_no_other_events(void)
{
	static struct expected e;
	size_t model, i, k, known;
	const char *name;

	for (model = 0; model < N_MODELS; model++) {
		const char *last = NULL;
		struct fx fx;

		expect_events(model, &e);
		open_all_different(&e, &fx);
		for (i = 0; (name = unc_sim_event_name(fx.host, i)) != NULL; i++) {
			for (k = 0, known = !strcmp(name, "clockticks"); k < e.n; k++)
				known += !strcmp(name, e.events[k].name);
			if (known != 1)
				fprintf(stderr, "\n%s: %s\n", models[model].name, name);
			CU_ASSERT_EQUAL(known, 1);
			CU_ASSERT(!last || strcmp(name, last) != 0);
			last = name;
		}
		CU_ASSERT_EQUAL(i, e.n + 1);
		fx_close(&fx);
	}
}

static void every_other_code_counts_nothing(void)
{
	static struct expected e;
	size_t model, i;
	uint32_t code;

	for (model = 0; model < N_MODELS; model++) {
		struct fx fx;

		expect_events(model, &e);
		open_all_different(&e, &fx);
		for (code = 1; code < 256; code++) {
			bool known = false;

			for (i = 0; i < e.n; i++)
				known |= e.events[i].code == code;
			if (known)
				continue;
			CU_ASSERT_EQUAL(counted(&fx, models[model].ch, code, 0), 0);
			CU_ASSERT_EQUAL(counted(&fx, models[model].ch, code, 0xff), 0);
		}
		fx_close(&fx);
	}
}

static uint64_t rates(const struct expected *e, const char *first, unsigned n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < e->n && strcmp(e->events[i].name, first) != 0; i++)
		;
	CU_ASSERT_FATAL(i + n <= e->n);
	while (n-- > 0)
		sum += rate_of(i + n);
	return sum;
}

/* The umask is a number on Haswell-EP and later: 10 is all banks, 11 to 14 are groups of four, beyond is nothing. */
static void bank_umasks_are_numbers(void)
{
	static struct expected e;
	size_t model;

	for (model = 1; model < N_MODELS; model++) {
		const char *ch = models[model].ch;
		struct fx fx;

		expect_events(model, &e);
		open_all_different(&e, &fx);
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xb2, 0x10), rates(&e, "rd_cas_rank2.bank0", 16));
		CU_ASSERT_EQUAL(fx_truth(&fx, ch, "rd_cas_rank2.allbanks"), rates(&e, "rd_cas_rank2.bank0", 16));
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xbf, 0x11), rates(&e, "wr_cas_rank7.bank0", 4));
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xbf, 0x12), rates(&e, "wr_cas_rank7.bank4", 4));
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xbf, 0x13), rates(&e, "wr_cas_rank7.bank8", 4));
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xbf, 0x14), rates(&e, "wr_cas_rank7.bank12", 4));
		CU_ASSERT_EQUAL(fx_truth(&fx, ch, "wr_cas_rank7.bankg3"), 5 * rates(&e, "wr_cas_rank7.bank12", 4));
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xb0, 0x15), 0);
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xb0, 0xff), 0);
		/* Not bits: 3 is bank 3, not banks 0 and 1. */
		CU_ASSERT_EQUAL(counted(&fx, ch, 0xb0, 0x03), rates(&e, "rd_cas_rank0.bank3", 1));
		fx_close(&fx);
	}
}

static void bank_umasks_of_ivy_bridge_are_bits(void)
{
	static struct expected e;
	const char *ch = models[0].ch;
	struct fx fx;

	expect_events(0, &e);
	open_all_different(&e, &fx);
	CU_ASSERT_EQUAL(counted(&fx, ch, 0xb1, 0x03), rates(&e, "rd_cas_rank1.bank0", 2));
	CU_ASSERT_EQUAL(counted(&fx, ch, 0xb9, 0xff), rates(&e, "wr_cas_rank1.bank0", 8));
	CU_ASSERT_EQUAL(fx_truth(&fx, ch, "wr_cas_rank1.allbanks"), 2 * rates(&e, "wr_cas_rank1.bank0", 8));
	CU_ASSERT_EQUAL(counted(&fx, ch, 0xb1, 0x00), 0);
	fx_close(&fx);
}

static void the_clock_is_the_models(void)
{
	size_t model;

	for (model = 0; model < N_MODELS; model++) {
		const char *ch = models[model].ch;
		char args[64];
		struct fx fx;

		snprintf(args, sizeof(args), "%s,sockets=1,clock=step,dword_ns=0", models[model].name);
		fx_open(&fx, args);
		fx_w32(&fx, ch, 0xf0, 0x400000);
		CU_ASSERT_EQUAL(counted(&fx, ch, 0x00, 0x00), models[model].dclk);
		CU_ASSERT_EQUAL(fx_r48(&fx, ch, 0xd0), models[model].dclk);
		CU_ASSERT_EQUAL(fx_truth(&fx, ch, "clockticks"), models[model].dclk);
		if (!(models[model].bit & NEWEST))
			CU_ASSERT_EQUAL(fx_truth(&fx, ch, "dclockticks"), models[model].dclk);
		fx_step(&fx, 7); /* 5.6 and 8.4 cycles */
		CU_ASSERT_EQUAL(fx_r48(&fx, ch, 0xd0), models[model].dclk + models[model].dclk * 7 / 1000000000);
		fx_close(&fx);
	}
}

static void reads_by_mode_are_the_same_reads(void)
{
	struct fx fx;
	int i;

	fx_open(&fx, "bdx,clock=step,dword_ns=0");
	for (i = 0; i < 1000; i++) {
		uint64_t rd, wmm;

		fx_step(&fx, 17);
		rd = fx_truth(&fx, "ff:17.0", "cas_count.rd");
		wmm = fx_truth(&fx, "ff:17.0", "cas_count.rd_wmm");
		CU_ASSERT_EQUAL(fx_truth(&fx, "ff:17.0", "cas_count.rd_reg") +
					fx_truth(&fx, "ff:17.0", "cas_count.rd_underfill"),
				rd);
		CU_ASSERT_EQUAL(wmm, rd / 4);
		CU_ASSERT_EQUAL(wmm + fx_truth(&fx, "ff:17.0", "cas_count.rd_rmm"), rd);
	}
	CU_ASSERT(fx_truth(&fx, "ff:17.0", "cas_count.rd_wmm") > 100);
	fx_close(&fx);
}

static void a_load_is_checked_against_the_models_clock(void)
{
	static const char text[] = "format: uncorectl-load/1\n"
				   "channels:\n"
				   "  \"*\":\n"
				   "    read: 12.8e9\n" /* 200e6 CAS and twice that if the modes' were added */
				   "    write: 0\n"
				   "    events: {wpq_cycles_ne: 1200000000}\n";
	char *path = fx_file(text), args[128];
	struct fx fx;

	snprintf(args, sizeof(args), "skx,load=%s", path);
	fx_open(&fx, args);
	fx_close(&fx);
	snprintf(args, sizeof(args), "hsx,load=%s", path);
	FX_REFUSED(args, UNC_EARG, "wpq_cycles_ne would come 1200000000 times", "800000000 a second");
	fx_unlink(path);
	path = fx_file("format: uncorectl-load/1\nchannels:\n  \"*\":\n    events:\n      dclockticks: 5\n");
	snprintf(args, sizeof(args), "bdx,load=%s", path);
	FX_REFUSED(args, UNC_EARG, ":5: dclockticks", "always 1200000000 a second");
	fx_unlink(path);
	path = fx_file("format: uncorectl-load/1\nchannels:\n  \"*\":\n    events:\n"
		       "      cas_count.rd_wmm: 1.5e8\n      cas_count.rd_rmm: 1e8\n");
	snprintf(args, sizeof(args), "ivt,load=%s", path);
	FX_REFUSED(args, UNC_EARG, "cas_count, all", "250000000", "200000000");
	fx_unlink(path);
}

void test_sim_model_events_suite(void);
void test_sim_model_events_suite(void)
{
	CU_pSuite s = CU_add_suite("sim_model_events", NULL, NULL);

	CU_add_test(s, "every event of every model is counted by its own code",
		    every_event_of_every_model_is_counted_by_its_own_code);
	CU_add_test(s, "there are no other events", there_are_no_other_events);
	CU_add_test(s, "every other code counts nothing", every_other_code_counts_nothing);
	CU_add_test(s, "bank umasks are numbers", bank_umasks_are_numbers);
	CU_add_test(s, "bank umasks of Ivy Bridge are bits", bank_umasks_of_ivy_bridge_are_bits);
	CU_add_test(s, "the clock is the model's", the_clock_is_the_models);
	CU_add_test(s, "reads by mode are the same reads", reads_by_mode_are_the_same_reads);
	CU_add_test(s, "a load is checked against the model's clock", a_load_is_checked_against_the_models_clock);
}
