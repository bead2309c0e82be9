// SPDX-License-Identifier: GPL-2.0-or-later
/* How uncertain an interval is: never less than it is wrong, however slow reads are, whatever was usual before. */
#include "machine/uncertain.h"

#include "onsim.h"
#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", NULL)

TEST(half_of_both_brackets_over_the_interval)
{
	EQ(unc_half_ns(10, 10), 0);
	EQ(unc_half_ns(10, 11), 1);
	EQ(unc_half_ns(10, 14), 2);
	CU_ASSERT_DOUBLE_EQUAL(unc_uncertainty_percent(2 * MS_NS, S_NS), 0.2, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(unc_uncertainty_percent(0, 0), 100, 0);
	CU_ASSERT_FALSE(unc_is_late(2 * MS_NS, S_NS));
	CU_ASSERT_TRUE(unc_is_late(2 * MS_NS + 1, S_NS));
	CU_ASSERT_TRUE(unc_is_late(0, 0));
	CU_ASSERT_TRUE(unc_is_late(UINT64_MAX, UINT64_MAX));
}

TEST(a_read_is_done_again_where_that_can_help)
{
	CU_ASSERT_FALSE(unc_read_again(2 * MS_NS, MS_NS, S_NS));
	CU_ASSERT_TRUE(unc_read_again(3 * MS_NS, MS_NS, S_NS));
	CU_ASSERT_TRUE(unc_read_again(3 * MS_NS, 0, S_NS)); /* nothing is known yet */
	CU_ASSERT_FALSE(unc_read_again(5 * MS_NS, 3 * MS_NS, S_NS));
	CU_ASSERT_FALSE(unc_read_again(S_NS, 0, 0)); /* no interval is asked for */
}

/* ---- whole sessions ---- */

enum { READS = 60, TURN_NS = 10000000 };
static const char *const events[] = {"cas_count.rd", "cas_count.wr", "act_count", "pre_count.page_miss", "rpq_inserts"};

static double off_percent(size_t i)
{
	const struct unc_count *c = &r.c[i];
	double truth = (double)onrun_truth(&r, i) * ((double)c->running_ns / (double)c->enabled_ns);
	double spare, off = (double)c->delta > truth ? (double)c->delta - truth : truth - (double)c->delta;

	/* Counts are whole, and so is the truth, at both ends of each turn. */
	spare = 2 + 2 * (double)c->interval_ns / (double)TURN_NS;
	return off > spare ? 100 * (off - spare) / truth : 0;
}

struct tried {
	unsigned late, numbers;
};

static void judge(struct tried *tried)
{
	for (size_t i = 0; i < r.n; i++) {
		const struct unc_count *c = &r.c[i];
		double off;

		if (c->flags & UNC_COUNT_NO_NUMBER)
			continue;
		off = off_percent(i);
		tried->numbers++;
		tried->late += (c->flags & UNC_COUNT_LATE) != 0;
		CU_ASSERT_EQUAL(c->uncertainty_percent > 0.2, (c->flags & UNC_COUNT_LATE) != 0);
		if (off > c->uncertainty_percent * 1.01)
			printf("%s: off by %.4f %%, uncertain by %.4f %%\n", r.event[i], off, c->uncertainty_percent);
		CU_ASSERT_TRUE(off <= c->uncertainty_percent * 1.01);
		if (!(c->flags & UNC_COUNT_LATE))
			CU_ASSERT_TRUE(off <= 0.2);
	}
}

/* In the first and in every interval. */
static struct tried try_reads(const char *common, const char *own, uint64_t interval_ns,
			      const struct unc_session_cfg *cfg)
{
	struct tried tried = {0};

	onrun_reopen(&r, &o, common, own);
	if (cfg->observe) {
		onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch0"), R_CTL(0), R_EN | 0x304);
		onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch0"), R_CTL(1), R_EN | 0xc04);
	}
	onrun_open(&r, &o, cfg);
	for (unsigned i = 0; i < (cfg->multiplex ? 5 : 2); i++)
		onrun_add(&r, "socket0.imc0.ch0", events[i]);
	onrun_start(&r);
	for (unsigned k = 0; k < READS; k++) {
		OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + interval_ns));
		onrun_read(&r);
		judge(&tried);
	}
	onrun_close(&r);
	onsim_close(&o);
	return tried;
}

static const struct unc_session_cfg how[] = {
	{0}, {.freeze = true}, {.observe = true}, {.multiplex = true}, {.multiplex = true, .freeze = true},
};

/* A read of two counters is four accesses: 0.02 to 3 ms of an access are what they take here. */
TEST(however_slow_reads_are_no_value_is_more_wrong_than_it_says)
{
	static const unsigned dword_us[] = {0, 1, 20, 75, 200, 750};
	static const uint64_t intervals_ns[] = {MS_NS, 10 * MS_NS, 100 * MS_NS};

	for (size_t h = 0; h < sizeof(how) / sizeof(how[0]); h++) {
		for (unsigned d = 0; d < sizeof(dword_us) / sizeof(dword_us[0]); d++) {
			for (unsigned seed = 0; seed < 3; seed++) {
				char common[32], own[32];

				snprintf(common, sizeof(common), "sockets=1,seed=%u", seed);
				snprintf(own, sizeof(own), "dword_ns=%u", dword_us[d] * 1000);
				for (unsigned i = 0; i < 3; i++)
					try_reads(common, own, intervals_ns[i], &how[h]);
			}
		}
	}
}

/* Where every read is slow that is no reason to keep silent; where all are quick, none is late. */
TEST(it_is_the_clock_that_says_so_and_not_what_is_usual)
{
	struct tried tried = try_reads("sockets=1", "dword_ns=200000", 100 * MS_NS, &how[0]);

	EQ(tried.numbers, 2 * READS);
	EQ(tried.late, tried.numbers);
	tried = try_reads("sockets=1", "dword_ns=500", 100 * MS_NS, &how[0]);
	EQ(tried.numbers, 2 * READS);
	EQ(tried.late, 0);
}

/* ---- the note ---- */

static void note_of(const char *own, struct unc_session_cfg cfg, const char *piece)
{
	onrun_reopen(&r, &o, "sockets=1", own);
	onrun_open(&r, &o, &cfg);
	for (unsigned i = 0; i < (cfg.multiplex ? 5 : 2); i++)
		onrun_add(&r, "socket0.imc0.ch0", events[i]);
	onrun_start(&r);
	if (piece)
		HAS(o.notes, piece);
	else
		CU_ASSERT_PTR_NULL(strstr(o.notes, "late"));
	onrun_close(&r);
	onsim_close(&o);
}

TEST(a_note_names_the_shortest_interval_that_is_certain)
{
	/* Four accesses of 0.1 ms: 0.4 ms, of which 0.2 % are 0.2 s. */
	note_of("dword_ns=100000", (struct unc_session_cfg){.interval_ns = 100 * MS_NS},
		"a read takes 400 us here, which is too long for intervals of 0.1 s; the shortest interval that is "
		"certain to "
		"0.2 % is 0.2 s");
	note_of("dword_ns=100000", (struct unc_session_cfg){.interval_ns = 200 * MS_NS}, NULL);
	note_of("dword_ns=100000", (struct unc_session_cfg){.interval_ns = 0}, NULL);
	note_of("dword_ns=100", (struct unc_session_cfg){.interval_ns = MS_NS, .freeze = true}, NULL);
	note_of("dword_ns=100000", (struct unc_session_cfg){.interval_ns = MS_NS, .freeze = true},
		"too long for intervals");
	note_of("dword_ns=100000", (struct unc_session_cfg){.multiplex = true},
		"multiplexed events that count for 0.01 s at a time");
}
