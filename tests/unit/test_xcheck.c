// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel of a simulated machine counts beside its counters and ours, held against what really happened. */
#define _GNU_SOURCE
#include <unistd.h>

#include "onxcheck.h"
#include "test.h"

EACH_ON_XCHECK(r, onxcheck_close)

/* ---- it agrees ---- */

TEST(on_every_machine_all_three_counts_are_what_happened)
{
	static const char *const models[] = {"snbep", "ivt", "hsx", "bdx", "bdxde", "skx", "clx", "cpx"};
	static const char *const sockets[] = {"sockets=1", "sockets=2"};

	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
		for (size_t s = 0; s < 2; s++) {
			char *load;

			if (s && strcmp(models[m], "bdxde") == 0) /* which is for one socket */
				continue;
			load = every_load(test_text("%s,%s", models[m], sockets[s]));
			onxcheck_open(&r, models[m], test_text("%s,perf=on,load=%s", sockets[s], load));
			onxcheck_add_everywhere(&r, "cas_count.rd");
			onxcheck_add_everywhere(&r, "cas_count.wr");
			onxcheck_add_everywhere(&r, "dclk");
			onxcheck_start(&r);
			for (unsigned n = 0; n < 3; n++) {
				size_t rows = unc_xcheck_count(r.x);

				onxcheck_go_on(&r, S_NS / 7);
				CU_ASSERT(rows >= 6);
				for (size_t i = 0; i < rows; i++) {
					onxcheck_is_ok(&r, i, i < rows / 3 * 2);
					CU_ASSERT_EQUAL(r.row.number, r.row.box->instance->perf);
					CU_ASSERT(r.row.interval_ns >= S_NS / 7);
				}
			}
			SAME(r.o.notes, "");
			unlink(load);
			free(load);
		}
	}
}

TEST(pmus_are_found_where_the_kernel_does_not_know_the_processor)
{
	static const char *const models[] = {"gnr", "gnrd", "srf", "grr", "cwf"};

	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
		onxcheck_open(&r, models[m], "sockets=1,perf=on");
		onxcheck_add_everywhere(&r, "imc/event=0x05,umask=0xcf/");
		ONXCHECK_START(&r, "ch0 uncore_imc/event=0xff/");
		onxcheck_go_on(&r, S_NS / 7);
		for (size_t i = 0; i + 1 < unc_xcheck_count(r.x); i++) {
			onxcheck_is_ok(&r, i, true);
			SAME(r.row.source, test_text("uncore_type_6_%d", r.row.box->instance->perf));
		}
		onxcheck_is_not(&r, unc_xcheck_count(r.x) - 1, UNC_XCHECK_NOT_COMPARABLE, "no fixed counter");
	}
}

TEST(a_row_has_all_that_a_report_wants)
{
	const struct unc_xcheck_row *is = &r.row;

	onxcheck_open(&r, "snbep", "sockets=2,perf=on");
	ONXCHECK_START(&r, "socket1.imc0.ch2 uncore_imc/cas_count.rd/", "socket1.imc0.ch2 cas_count.wr:thresh=1:edge");
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "no interval has ended yet");
	onxcheck_goes_on(&r, true);
	onxcheck_says(
		&r,
		"socket1.imc0.ch2 cas_count.rd: uncore_imc_2 (2) on cpu 8, type=14 config=0x304, alias cas_count_read, "
		"counter CTR[0], ours CTR[3]");
	EQ(is->from.control, 0x400304);
	EQ(is->to.control, 0x400304);
	EQ(is->to.raw_before - is->from.raw_before, is->raw);
	EQ(is->to.kernel - is->from.kernel, is->kernel);
	EQ(is->to.running_ns - is->from.running_ns, is->to.enabled_ns - is->from.enabled_ns);
	CU_ASSERT(is->from.raw_after > is->from.raw_before && is->to.raw_after > is->to.raw_before);
	CU_ASSERT(is->time_ns > S_NS);
	onxcheck_row(&r, 1);
	onxcheck_says(&r, "socket1.imc0.ch2 cas_count.wr:thresh=1:edge: uncore_imc_2 (2) on cpu 8, type=14 "
			  "config=0x1040c04, alias -, "
			  "counter CTR[1], ours CTR[2]");
	EQ(is->verdict, UNC_XCHECK_OK);
	FAILS(&r.o, UNC_ENODEV, unc_xcheck_row(r.x, 2, &r.row), "there is no row 2");
}

/* On Skylake-SP the kernel's clockticks is event 0, in a general counter, and the fixed one has no name. */
TEST(what_the_kernel_calls_it_is_by_its_encoding)
{
	onxcheck_open(&r, "skx", "sockets=1,perf=on");
	ONXCHECK_COUNT(&r, "socket0.imc1.ch0 dclk", "socket0.imc1.ch0 clockticks");
	onxcheck_is_ok(&r, 0, false);
	onxcheck_says(&r, "socket0.imc1.ch0 dclk: uncore_imc_3 (3) on cpu 0, type=15 config=0xff, alias -, "
			  "counter FIXED_CTR, ours -");
	onxcheck_is_ok(&r, 1, true);
	onxcheck_says(&r,
		      "socket0.imc1.ch0 clockticks: uncore_imc_3 (3) on cpu 0, type=15 config=0x0, alias clockticks, "
		      "counter CTR[0], ours CTR[3]");
}

TEST(a_channel_is_found_whatever_number_the_kernel_gave_it)
{
	static const int numbers[] = {2, 0, 3, 1};

	onxcheck_open(&r, "snbep", "sockets=2,perf=on,perf_order=2-0-3-1");
	onxcheck_add_everywhere(&r, "cas_count.rd");
	onxcheck_start(&r);
	onxcheck_go_on(&r, S_NS);
	for (size_t i = 0; i < 8; i++) {
		onxcheck_is_ok(&r, i, true);
		EQ(r.row.number, numbers[i % 4]);
	}
	HAS(r.o.notes, "socket0.imc0.ch1 is uncore_imc_0 here, not number 1 as the map of this CPU has it\n");
	/* One alone, whose number is the last to be tried. */
	onxcheck_open(&r, "snbep", "sockets=2,perf=on,perf_order=3-0-1-2");
	ONXCHECK_COUNT(&r, "socket1.imc0.ch0 cas_count.rd");
	onxcheck_is_ok(&r, 0, true);
	EQ(r.row.number, 3);
}

TEST(a_hidden_channel_takes_no_other_with_it)
{
	onxcheck_open_with(&r, "snbep", "sockets=2,perf=on", "hide=ff:10.4", -1);
	FAILS(&r.o, UNC_ENODEV, unc_xcheck_add(r.x, onsim_box(&r.o, "socket1.imc0.ch2"), "cas_count.rd"), "ch2");
	onxcheck_add_everywhere(&r, "cas_count.rd");
	EQ(unc_xcheck_count(r.x), 7);
	onxcheck_start(&r);
	onxcheck_go_on(&r, S_NS);
	for (size_t i = 0; i < 7; i++)
		onxcheck_is_ok(&r, i, true);
}

TEST(what_perf_has_all_counters_for_is_not_counted_by_us)
{
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd", "ch0 cas_count.wr", "ch0 act_count", "ch1 cas_count.rd",
		       "ch1 cas_count.wr", "ch1 act_count", "ch1 pre_count.page_miss");
	onxcheck_is_ok(&r, 0, true); /* the one that is left is for the first */
	for (size_t i = 1; i < 7; i++)
		onxcheck_is_ok(&r, i, false);
}

/* 2^48 clocks of 800 MHz are 4 days. */
TEST(a_wrap_that_is_days_apart_is_counted)
{
	ONXCHECK_START(&r, "ch0 dclk");
	onxcheck_go_on(&r, 5 * 86400 * S_NS);
	onxcheck_is_ok(&r, 0, false);
	CU_ASSERT(r.row.raw > UINT64_C(1) << 48);
}

TEST(a_counter_may_wrap_between_brackets)
{
	onsim_poke48(&r.o, onsim_box(&r.o, "socket0.imc0.ch0"), R_CTR(0), (UINT64_C(1) << 48) - 1000000);
	onxcheck_begin_well(&r);
	CU_ASSERT(r.row.to.raw_before < r.row.from.raw_before);
}

/* ---- it differs ---- */

TEST(a_driver_that_counts_wrong_differs)
{
	static const struct {
		const char *key, *why;
	} cases[] = {{"perf_off=1", "1 % more; allowed are 0.1 %"}, {"perf_off=-2", "2 % less"}};

	for (size_t i = 0; i < 2; i++) {
		onxcheck_open(&r, "hsx", test_text("sockets=1,perf=on,%s", cases[i].key));
		ONXCHECK_COUNT(&r, "ch1 cas_count.rd");
		onxcheck_is_not(&r, 0, UNC_XCHECK_DIFFERS, cases[i].why);
		HAS(r.row.why, "perf says ");
		CU_ASSERT(r.row.has_kernel && r.row.has_raw && r.row.has_ours);
		CU_ASSERT(r.row.ours + r.row.uncertainty >= r.row.raw && r.row.ours <= r.row.raw + r.row.uncertainty);
	}
}

TEST(a_tolerance_that_is_wider_is_kept_to)
{
	onxcheck_open_with(&r, "snbep", "sockets=1,perf=on,perf_off=1", NULL, 0.02);
	ONXCHECK_COUNT(&r, "ch1 cas_count.rd");
	onxcheck_row(&r, 0);
	EQ(r.row.verdict, UNC_XCHECK_OK);
}

TEST(a_driver_that_drops_bits_counts_something_else)
{
	onxcheck_open(&r, "snbep", "sockets=1,perf=on,perf_mask=0xffff");
	ONXCHECK_COUNT(&r, "ch1 cas_count.rd:thresh=1", "ch1 cas_count.wr");
	onxcheck_is_not(&r, 0, UNC_XCHECK_DIFFERS,
			"perf was asked for cas_count.rd:thresh=1, type=13 config=0x1000304, and the kernel's driver "
			"programmed CTL[0] with "
			"0x00400304 (en=1 umask=0x3 ev_sel=0x4), where 0x01400304 (thresh=0x1 en=1 umask=0x3 "
			"ev_sel=0x4) is that event");
	onxcheck_is_ok(&r, 1, true);
}

/* The famous 281474976207131: who resets the counters of a box in which perf counts makes it print that. */
TEST(a_counter_that_was_set_back_is_impossible_or_seen)
{
	struct unc_box *box = onsim_box(&r.o, "socket0.imc0.ch0");

	onsim_poke48(&r.o, box, R_CTR(0), UINT64_C(1) << 40);
	onxcheck_begin_well(&r);
	onsim_poke48(&r.o, box, R_CTR(0), 0);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_DIFFERS, "another program set CTR[0], which it takes for counts");
	CU_ASSERT(r.row.has_kernel && r.row.kernel > UINT64_C(1) << 47);
	CU_ASSERT_FALSE(r.row.has_raw);
	onxcheck_goes_on(&r, true);
}

/*
 * BOX_CTL with both reset bits, as tools write it: the control goes, too, and perf is left with a number that
 * cannot be.
 */
TEST(a_box_that_was_reset_leaves_perf_with_an_impossible_number)
{
	struct unc_box *box;

	onxcheck_open(&r, "ivt", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onsim_poke48(&r.o, box, R_CTR(0), UINT64_C(1) << 40);
	onxcheck_begin_well(&r);
	onsim_poke(&r.o, box, R_CTL(0), 0);
	onsim_poke48(&r.o, box, R_CTR(0), 0);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_DIFFERS,
			" in this interval at most; CTL[0], where it was, holds 0x00000000 by now");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw && r.row.kernel > UINT64_C(1) << 47);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "no counter was found that has this event for perf");
}

/* ---- nothing is written ---- */

TEST(who_only_observes_writes_nothing_of_his_own)
{
	onxcheck_end(&r);
	onsim_open_read_only(&r.o, "sockets=1,perf=on", NULL);
	OK(&r.o, unc_xcheck_open(r.o.m, &(struct unc_xcheck_cfg){.tolerance = -1, .observe = true}, &r.x));
	ONXCHECK_COUNT(&r, "ch0 cas_count.rd");
	onxcheck_is_ok(&r, 0, false);
	OK(&r.o, unc_xcheck_close(r.x));
	r.x = NULL;
	EQ(onsim_trace_count(&r.o, " w32 "), 0);
	CU_ASSERT(onsim_trace_count(&r.o, " r32 ") > 0);
}

/* ---- what is refused ---- */

TEST(what_makes_no_sense_is_refused)
{
	struct unc_xcheck_cfg cfg = {.tolerance = 1};

	FAILS(&r.o, UNC_EARG, unc_xcheck_open(r.o.m, &cfg, &r.x), "a tolerance of 1 is none");
	cfg.tolerance = -1;
	FAILS(&r.o, UNC_EARG, unc_xcheck_start(r.x), "nothing is to be cross-checked");
	FAILS(&r.o, UNC_EARG, unc_xcheck_sample(r.x), "has not started");
	FAILS(&r.o, UNC_EARG, unc_xcheck_sleep_until(r.x, 0), "has not started");
	FAILS(&r.o, UNC_ENOREG, unc_xcheck_add(r.x, onsim_box(&r.o, "socket0.imc0.ch0"), "cas_cont.rd"),
	      "no imc event \"cas_cont.rd\"", "cas_count.rd");
	/* To perf that is another event, in another counter. */
	FAILS(&r.o, UNC_EARG, unc_xcheck_add(r.x, onsim_box(&r.o, "socket0.imc0.ch0"), "imc/event=0xff/"),
	      "perf's driver takes that for the fixed counter");
	EQ(unc_xcheck_count(r.x), 0);
	ONXCHECK_START(&r, "ch0 cas_count.rd");
	FAILS(&r.o, UNC_EARG, unc_xcheck_start(r.x), "has started already");
	FAILS(&r.o, UNC_EARG, unc_xcheck_add(r.x, onsim_box(&r.o, "socket0.imc0.ch0"), "cas_count.wr"),
	      "cas_count.wr: the cross-check has started already");
	CU_ASSERT_EQUAL(unc_xcheck_close(NULL), 0);
}

TEST(a_machine_without_a_driver_says_what_to_load)
{
	onxcheck_open(&r, "snbep", "sockets=1");
	FAILS(&r.o, UNC_ENOSUP, unc_xcheck_add(r.x, onsim_box(&r.o, "socket0.imc0.ch0"), "cas_count.rd"), "perf");
}

TEST(who_may_not_is_told_why)
{
	onxcheck_open(&r, "snbep", "sockets=1,perf=on,perf_paranoid=2");
	ONXCHECK_ADD(&r, "ch0 cas_count.rd");
	FAILS(&r.o, UNC_EPERM, unc_xcheck_start(r.x), "socket0.imc0.ch0: ", "perf_event_paranoid");
	onxcheck_end(&r);
	onsim_open_read_only(&r.o, "sockets=1,perf=on", NULL);
	OK(&r.o, unc_xcheck_open(r.o.m, &(struct unc_xcheck_cfg){.tolerance = -1}, &r.x));
	ONXCHECK_ADD(&r, "ch0 cas_count.rd");
	FAILS(&r.o, UNC_EDENIED, unc_xcheck_start(r.x), "open for reading only");
	onxcheck_end(&r);
}

/* ---- dry, and on record ---- */

static char told[1 << 20]; /* lines of a record, or of a dry run */

static void add_line(void *arg, const char *line)
{
	size_t len = strlen(told);
	int n = snprintf(told + len, sizeof(told) - len, "%s\n", line);

	(void)arg;
	CU_ASSERT_FATAL(n > 0 && (size_t)n < sizeof(told) - len);
}

enum { SHOWN = 16384 };

/* Every row of three intervals, in words. */
static void run_on(const struct unc_machine_cfg *cfg, char shown[SHOWN])
{
	static const char *const boxes[] = {"socket0.imc0.ch0", "socket1.imc0.ch3"};
	const struct unc_xcheck_cfg how = {.tolerance = -1};
	struct onplain o;
	struct unc_xcheck *x = NULL;

	shown[0] = '\0';
	onplain_open_cfg(&o, cfg);
	OK(&o, unc_xcheck_open(o.m, &how, &x));
	for (unsigned i = 0; i < 2; i++) {
		struct unc_box *box = NULL;

		OK(&o, unc_box_find(o.m, boxes[i], &box));
		OK(&o, unc_xcheck_add(x, box, "cas_count.rd"));
		OK(&o, unc_xcheck_add(x, box, "dclk"));
	}
	OK(&o, unc_xcheck_start(x));
	for (unsigned i = 0; i < 3; i++) {
		OK(&o, unc_xcheck_sleep_until(x, unc_machine_mono_ns(o.m) + S_NS));
		OK(&o, unc_xcheck_sample(x));
		for (size_t k = 0; k < unc_xcheck_count(x); k++) {
			struct unc_xcheck_row row;
			size_t len = strlen(shown);

			OK(&o, unc_xcheck_row(x, k, &row));
			snprintf(shown + len, SHOWN - len,
				 "%s %s %s %s %s: %d %s %" PRIu64 " %" PRIu64 " %" PRIu64 " +- %" PRIu64 ", %" PRIu64
				 " %" PRIu64 "\n",
				 row.subject, row.event, row.source, row.counter ? row.counter : "-",
				 row.own ? row.own : "-", row.verdict, row.why ? row.why : "", row.kernel, row.raw,
				 row.ours, row.uncertainty, row.time_ns, row.interval_ns);
		}
	}
	OK(&o, unc_xcheck_close(x));
	onplain_close(&o);
}

TEST(a_run_on_record_is_the_same_when_it_is_replayed)
{
	char journals[] = "/tmp/unc-xcheck-j.XXXXXX";
	struct unc_machine_cfg cfg = {
		.machine = "sim:snbep,sockets=2,clock=step,perf=on,perf_order=1-0-2-3,perf_moves=2",
		.writable = true,
		.wake_fd = -1,
		.record = add_line,
	};
	static char first[SHOWN], again[SHOWN];

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(journals));
	told[0] = '\0';
	cfg.state_dir = journals;
	run_on(&cfg, first);
	cfg.machine = test_text("replay:%s", onsim_file(told));
	cfg.record = NULL;
	run_on(&cfg, again);
	HAS(first, "socket0.imc0.ch0 cas_count.rd uncore_imc_1 CTR[0] CTR[3]: 0 ");
	HAS(first, "perf moved it from CTR[0] to CTR[");
	SAME(again, first);
	rmdir(journals);
}

TEST(a_dry_run_opens_nothing_and_says_what_it_would)
{
	struct unc_machine_cfg cfg = {.machine = "sim:snbep,sockets=2,clock=step,perf=on",
				      .writable = true,
				      .wake_fd = -1,
				      .dry_run = add_line};
	static char shown[SHOWN];

	told[0] = '\0';
	run_on(&cfg, shown);
	HAS(told, "open perf event type=12 config=0x304 on cpu 0 (uncore_imc_0) for socket0.imc0.ch0 cas_count.rd\n");
	HAS(told, "open perf event type=15 config=0xff on cpu 8 (uncore_imc_3) for socket1.imc0.ch3 dclk\n");
	HAS(told, "write socket1.imc0.ch3 (0000:ff:10.5) CTL[3] at 0xe4: 0x00400304");
	EQ(onsim_count(told, "BOX_CTL"), 0); /* perf would count there, so it would not be ours to write */
	HAS(shown, "socket0.imc0.ch0 cas_count.rd uncore_imc_0 - CTR[3]: 2 ");
}
