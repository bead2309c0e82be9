// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel of a simulated machine counts beside its counters and ours, held against what really happened. */
#define _GNU_SOURCE
#include <unistd.h>

#include "every.h"
#include "onsim.h"
#include "uncore.h"

void test_xcheck_suite(void);

struct run {
	struct onsim o;
	struct unc_xcheck *x;
	struct unc_xcheck_row row;      /* the last that was looked at */
	struct onsim_controls controls; /* before */
};

struct setup {
	const char *model, *common, *own;
	struct unc_xcheck_cfg cfg;
};

/* Of every channel that is there: CTL[0..3], FIXED_CTL. */
static struct onsim_controls controls(struct run *r)
{
	struct onsim_controls all = {0};

	for (size_t i = 0; i < unc_box_count(r->o.m, "imc"); i++) {
		const struct unc_box *box = unc_box_at(r->o.m, "imc", i);

		if (box->presence != UNC_PRESENT)
			continue;
		for (unsigned k = 0; k < 4; k++)
			all.values[all.n][k] = onsim_peek(&r->o, box, R_CTL(k));
		all.values[all.n++][4] = onsim_peek(&r->o, box, R_FIXED_CTL);
	}
	return all;
}

static void open_setup(struct run *r, const struct setup *setup)
{
	memset(r, 0, sizeof(*r));
	onsim_open_model(&r->o, setup->model, setup->common, setup->own);
	r->controls = controls(r);
	OK(&r->o, unc_xcheck_open(r->o.m, &setup->cfg, &r->x));
}

static void open_run(struct run *r, const char *model, const char *common)
{
	open_setup(r, &(struct setup){model, common, NULL, {.tolerance = -1}});
}

static void add(struct run *r, const char *box, const char *event)
{
	OK(&r->o, unc_xcheck_add(r->x, onsim_box(&r->o, box), event));
}

static void add_everywhere(struct run *r, const char *event)
{
	for (size_t i = 0; i < unc_box_count(r->o.m, "imc"); i++)
		if (unc_box_at(r->o.m, "imc", i)->presence == UNC_PRESENT)
			OK(&r->o, unc_xcheck_add(r->x, unc_box_at(r->o.m, "imc", i), event));
}

static void start(struct run *r)
{
	OK(&r->o, unc_xcheck_start(r->x));
}

static void go_on(struct run *r, uint64_t ns)
{
	struct unc_machine *m = r->o.m;

	OK(&r->o, unc_xcheck_sleep_until(r->x, unc_machine_mono_ns(m) + ns));
	OK(&r->o, unc_xcheck_sample(r->x));
}

static const struct unc_xcheck_row *row(struct run *r, size_t i)
{
	OK(&r->o, unc_xcheck_row(r->x, i, &r->row));
	return &r->row;
}

/* Nothing counts that did not before; what perf had is left with its event, as Linux does, what was ours as it was. */
static void is_left_as_found(struct run *r)
{
	struct onsim_controls now = controls(r);

	for (size_t i = 0; i < now.n; i++) {
		for (unsigned k = 0; k < 5; k++) {
			uint32_t was = r->controls.values[i][k], is = now.values[i][k];

			CU_ASSERT(was & R_EN ? is == was : !(is & R_EN));
			CU_ASSERT(was || is == 0 || k < 4);
		}
	}
}

static void close_run(struct run *r)
{
	OK(&r->o, unc_xcheck_close(r->x));
	is_left_as_found(r);
	onsim_close(&r->o);
}

static void show(const struct unc_xcheck_row *is)
{
	fprintf(stderr,
		"\n%s %s: %s (%d) on cpu %d, %s, alias %s, counter %s, ours %s: verdict %d, %s; %d %" PRIu64
		", %d %" PRIu64 ", %d %" PRIu64 ", uncertainty %" PRIu64 "\n",
		is->subject, is->event, is->source, is->number, is->cpu, is->config, is->alias ? is->alias : "-",
		is->counter ? is->counter : "-", is->own ? is->own : "-", is->verdict, is->why ? is->why : "-",
		is->has_kernel, is->kernel, is->has_raw, is->raw, is->has_ours, is->ours, is->uncertainty);
}

/* What a control with the code of that config counts had so often happened there. */
static uint64_t truth(struct run *r, const struct unc_xcheck_row *is, uint64_t raw_ns)
{
	const char *config = strstr(is->config, "config=0x");
	unsigned code = config ? (unsigned)strtoul(config + 7, NULL, 16) : 0;
	size_t event;

	if (code == 0xff)
		return onsim_truth(&r->o, is->box, "dclk", raw_ns);
	return every_truth(r->o.hand, &is->box->addr, code & 0xff, code >> 8 & 0xff, raw_ns, &event);
}

/* All three are what happened between some instant of the one bracket and some of the other. */
static bool is_true(struct run *r, const struct unc_xcheck_row *is)
{
	uint64_t least = truth(r, is, is->to.begin_ns) - truth(r, is, is->from.end_ns);
	uint64_t most = truth(r, is, is->to.end_ns) - truth(r, is, is->from.begin_ns);
	uint64_t kernel = is->kernel, raw = is->raw, ours = is->has_ours ? is->ours : raw;

	/* A half of one is rounded somewhere. */
	return kernel + 1 >= least && kernel <= most + 1 && raw + 1 >= least && raw <= most + 1 && ours + 1 >= least &&
	       ours <= most + 1 && is->uncertainty <= most - least + 2;
}

/* Row i agrees, and with the truth; with a count of ours, or without. */
static void is_ok(struct run *r, size_t i, bool ours)
{
	const struct unc_xcheck_row *is = row(r, i);
	bool right = is->verdict == UNC_XCHECK_OK && !is->why && is->has_kernel && is->has_raw &&
		     is->has_ours == ours && (is->own != NULL) == ours && is->raw > 0 && is_true(r, is);

	if (!right)
		show(is);
	CU_ASSERT(right);
}

static void is_not(struct run *r, size_t i, enum unc_xcheck_verdict verdict, const char *why)
{
	const struct unc_xcheck_row *is = row(r, i);
	bool right = is->verdict == verdict && is->why && strstr(is->why, why);

	if (!right) {
		show(is);
		fprintf(stderr, "no \"%s\"\n", why);
	}
	CU_ASSERT(right);
}

/* ---- it agrees ---- */

static void on_every_machine_all_three_counts_are_what_happened(void)
{
	static const char *const models[] = {"snbep", "ivt", "hsx", "bdx", "bdxde", "skx", "clx", "cpx"};
	static const char *const sockets[] = {"sockets=1", "sockets=2"};

	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
		for (size_t s = 0; s < 2; s++) {
			char args[200], like[40], *load;
			struct run r;

			if (s && strcmp(models[m], "bdxde") == 0) /* which is for one socket */
				continue;
			snprintf(like, sizeof(like), "%s,%s", models[m], sockets[s]);
			load = every_load(like);
			snprintf(args, sizeof(args), "%s,perf=on,load=%s", sockets[s], load);
			open_run(&r, models[m], args);
			add_everywhere(&r, "cas_count.rd");
			add_everywhere(&r, "cas_count.wr");
			add_everywhere(&r, "dclk");
			start(&r);
			for (unsigned n = 0; n < 3; n++) {
				size_t rows = unc_xcheck_count(r.x);

				go_on(&r, S_NS / 7);
				CU_ASSERT(rows >= 6);
				for (size_t i = 0; i < rows; i++) {
					is_ok(&r, i, i < rows / 3 * 2);
					CU_ASSERT_EQUAL(r.row.number, r.row.box->instance->perf);
					CU_ASSERT(r.row.interval_ns >= S_NS / 7);
				}
			}
			SAME(r.o.notes, "");
			close_run(&r);
			unlink(load);
			free(load);
		}
	}
}

static void a_row_has_all_that_a_report_wants(void)
{
	const struct unc_xcheck_row *is;
	struct run r;

	open_run(&r, "snbep", "sockets=2,perf=on");
	add(&r, "socket1.imc0.ch2", "uncore_imc/cas_count.rd/");
	add(&r, "socket1.imc0.ch2", "cas_count.wr:thresh=1:edge");
	start(&r);
	is = row(&r, 0);
	CU_ASSERT_EQUAL(is->verdict, UNC_XCHECK_NOT_COMPARABLE);
	SAME(is->why, "no interval has ended yet");
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	is = &r.row;
	SAME(is->subject, "socket1.imc0.ch2");
	SAME(is->event, "cas_count.rd");
	SAME(is->source, "uncore_imc_2");
	SAME(is->config, "type=14 config=0x304");
	SAME(is->alias, "cas_count_read");
	SAME(is->counter, "CTR[0]");
	SAME(is->own, "CTR[3]");
	EQ(is->number, 2);
	EQ(is->cpu, 8);
	EQ(is->from.control, 0x400304);
	EQ(is->to.control, 0x400304);
	EQ(is->to.raw_before - is->from.raw_before, is->raw);
	EQ(is->to.kernel - is->from.kernel, is->kernel);
	EQ(is->to.running_ns - is->from.running_ns, is->to.enabled_ns - is->from.enabled_ns);
	CU_ASSERT(is->from.raw_after > is->from.raw_before && is->to.raw_after > is->to.raw_before);
	CU_ASSERT(is->time_ns > S_NS);
	is = row(&r, 1);
	SAME(is->event, "cas_count.wr:thresh=1:edge");
	SAME(is->config, "type=14 config=0x1040c04");
	CU_ASSERT_PTR_NULL(is->alias);
	SAME(is->counter, "CTR[1]");
	SAME(is->own, "CTR[2]");
	EQ(is->verdict, UNC_XCHECK_OK);
	FAILS(&r.o, UNC_ENODEV, unc_xcheck_row(r.x, 2, &r.row), "there is no row 2");
	close_run(&r);
}

/* On Skylake-SP the kernel's clockticks is event 0, in a general counter, and the fixed one has no name. */
static void what_the_kernel_calls_it_is_by_its_encoding(void)
{
	struct run r;

	open_run(&r, "skx", "sockets=1,perf=on");
	add(&r, "socket0.imc1.ch0", "dclk");
	add(&r, "socket0.imc1.ch0", "clockticks");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, false);
	SAME(r.row.config, "type=15 config=0xff");
	CU_ASSERT_PTR_NULL(r.row.alias);
	SAME(r.row.counter, "FIXED_CTR");
	is_ok(&r, 1, true);
	SAME(r.row.config, "type=15 config=0x0");
	SAME(r.row.alias, "clockticks");
	SAME(r.row.counter, "CTR[0]");
	close_run(&r);
}

static void a_channel_is_found_whatever_number_the_kernel_gave_it(void)
{
	static const int numbers[] = {2, 0, 3, 1};
	struct run r;

	open_run(&r, "snbep", "sockets=2,perf=on,perf_order=2-0-3-1");
	add_everywhere(&r, "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	for (size_t i = 0; i < 8; i++) {
		is_ok(&r, i, true);
		EQ(r.row.number, numbers[i % 4]);
	}
	HAS(r.o.notes, "socket0.imc0.ch1 is uncore_imc_0 here, not number 1 as the map of this CPU has it\n");
	close_run(&r);
	/* One alone, whose number is the last to be tried. */
	open_run(&r, "snbep", "sockets=2,perf=on,perf_order=3-0-1-2");
	add(&r, "socket1.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	EQ(r.row.number, 3);
	close_run(&r);
}

static void a_hidden_channel_takes_no_other_with_it(void)
{
	struct run r;

	open_setup(&r, &(struct setup){"snbep", "sockets=2,perf=on", "hide=ff:10.4", {.tolerance = -1}});
	FAILS(&r.o, UNC_ENODEV, unc_xcheck_add(r.x, onsim_box(&r.o, "socket1.imc0.ch2"), "cas_count.rd"), "ch2");
	add_everywhere(&r, "cas_count.rd");
	EQ(unc_xcheck_count(r.x), 7);
	start(&r);
	go_on(&r, S_NS);
	for (size_t i = 0; i < 7; i++)
		is_ok(&r, i, true);
	close_run(&r);
}

static void what_perf_has_all_counters_for_is_not_counted_by_us(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch0", "cas_count.wr");
	add(&r, "socket0.imc0.ch0", "act_count");
	add(&r, "socket0.imc0.ch1", "cas_count.rd");
	add(&r, "socket0.imc0.ch1", "cas_count.wr");
	add(&r, "socket0.imc0.ch1", "act_count");
	add(&r, "socket0.imc0.ch1", "pre_count.page_miss");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true); /* the one that is left is for the first */
	is_ok(&r, 1, false);
	is_ok(&r, 2, false);
	for (size_t i = 3; i < 7; i++)
		is_ok(&r, i, false);
	close_run(&r);
}

/* 2^48 clocks of 800 MHz are 4 days. */
static void a_wrap_that_is_days_apart_is_counted(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	add(&r, "socket0.imc0.ch0", "dclk");
	start(&r);
	go_on(&r, 5 * 86400 * S_NS);
	is_ok(&r, 0, false);
	CU_ASSERT(r.row.raw > UINT64_C(1) << 48);
	close_run(&r);
}

static void a_counter_may_wrap_between_brackets(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	onsim_poke48(&r.o, onsim_box(&r.o, "socket0.imc0.ch0"), R_CTR(0), (UINT64_C(1) << 48) - 1000000);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	CU_ASSERT(r.row.to.raw_before < r.row.from.raw_before);
	close_run(&r);
}

/* ---- it differs ---- */

static void a_driver_that_counts_wrong_differs(void)
{
	static const struct {
		const char *key, *why;
	} cases[] = {{"perf_off=1", "1 % more; allowed are 0.1 %"}, {"perf_off=-2", "2 % less"}};

	for (size_t i = 0; i < 2; i++) {
		char args[80];
		struct run r;

		snprintf(args, sizeof(args), "sockets=1,perf=on,%s", cases[i].key);
		open_run(&r, "hsx", args);
		add(&r, "socket0.imc0.ch1", "cas_count.rd");
		start(&r);
		go_on(&r, S_NS);
		is_not(&r, 0, UNC_XCHECK_DIFFERS, cases[i].why);
		HAS(r.row.why, "perf says ");
		CU_ASSERT(r.row.has_kernel && r.row.has_raw && r.row.has_ours);
		CU_ASSERT(r.row.ours + r.row.uncertainty >= r.row.raw && r.row.ours <= r.row.raw + r.row.uncertainty);
		close_run(&r);
	}
}

static void a_tolerance_that_is_wider_is_kept_to(void)
{
	struct run r;

	open_setup(&r, &(struct setup){"snbep", "sockets=1,perf=on,perf_off=1", NULL, {.tolerance = 0.02}});
	add(&r, "socket0.imc0.ch1", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	row(&r, 0);
	EQ(r.row.verdict, UNC_XCHECK_OK);
	close_run(&r);
}

static void a_driver_that_drops_bits_counts_something_else(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on,perf_mask=0xffff");
	add(&r, "socket0.imc0.ch1", "cas_count.rd:thresh=1");
	add(&r, "socket0.imc0.ch1", "cas_count.wr");
	start(&r);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_DIFFERS,
	       "perf was asked for cas_count.rd:thresh=1, type=13 config=0x1000304, and the kernel's driver programmed "
	       "CTL[0] with 0x00400304 (en=1 umask=0x3 ev_sel=0x4), where 0x01400304 (thresh=0x1 en=1 umask=0x3 "
	       "ev_sel=0x4) "
	       "is that event");
	is_ok(&r, 1, true);
	close_run(&r);
}

/* The famous 281474976207131: who resets the counters of a box in which perf counts makes it print that. */
static void a_counter_that_was_set_back_is_impossible_or_seen(void)
{
	struct unc_box *box;
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onsim_poke48(&r.o, box, R_CTR(0), UINT64_C(1) << 40);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	onsim_poke48(&r.o, box, R_CTR(0), 0);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_DIFFERS, "somebody set CTR[0], which it takes for counts");
	CU_ASSERT(r.row.has_kernel && r.row.kernel > UINT64_C(1) << 47);
	CU_ASSERT_FALSE(r.row.has_raw);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	close_run(&r);
}

/*
 * BOX_CTL with both reset bits, as tools write it: the control goes, too, and perf is left with a number that
 * cannot be.
 */
static void a_box_that_was_reset_leaves_perf_with_an_impossible_number(void)
{
	struct unc_box *box;
	struct run r;

	open_run(&r, "ivt", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onsim_poke48(&r.o, box, R_CTR(0), UINT64_C(1) << 40);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	onsim_poke(&r.o, box, R_CTL(0), 0);
	onsim_poke48(&r.o, box, R_CTR(0), 0);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_DIFFERS, " in this interval at most; CTL[0], where it was, holds 0x00000000 by now");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw && r.row.kernel > UINT64_C(1) << 47);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "no counter was found that has this event for perf");
	close_run(&r);
}

/* ---- it cannot be compared ---- */

static void an_event_that_the_kernel_moves_is_compared_from_there_on(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on,perf_moves=2");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	SAME(r.row.counter, "CTR[0]");
	go_on(&r, 2 * S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[0] to CTR[");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw);
	go_on(&r, S_NS);
	/* Linux does not look whether a counter is in use: it was ours.  Its own numbers are as good as before. */
	for (unsigned i = 0; i < 2; i++) {
		is_ok(&r, 0, false);
		SAME(r.row.counter, "CTR[3]");
		go_on(&r, S_NS);
	}
	SAME(r.o.notes, "socket0.imc0.ch0 cas_count.rd: there is no count of ours: perf's driver took CTR[3], in which "
			"we counted; perf's number is compared with its counter alone\n");
	close_run(&r);
}

static void events_that_take_turns_cannot_be_compared(void)
{
	static const char *const events[] = {"cas_count.rd",        "cas_count.wr", "act_count",
					     "pre_count.page_miss", "rpq_inserts",  "wpq_inserts"};
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	for (size_t i = 0; i < 6; i++)
		add(&r, "socket0.imc0.ch0", events[i]);
	add(&r, "socket0.imc0.ch0", "dclk");
	start(&r);
	go_on(&r, S_NS);
	for (size_t i = 0; i < 6; i++) {
		is_not(&r, i, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
		CU_ASSERT(r.row.has_kernel && !r.row.has_raw && !r.row.has_ours);
		CU_ASSERT(r.row.to.running_ns - r.row.from.running_ns < r.row.to.enabled_ns - r.row.from.enabled_ns);
	}
	/* It would have its counter for itself, but in Linux what stands behind one that does not fit waits with it. */
	is_not(&r, 6, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
	close_run(&r);
}

static void a_count_of_ours_that_was_stolen_is_said(void)
{
	struct unc_box *box;
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch0", "dclk");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	onsim_poke(&r.o, box, R_CTL(3), 0);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_OK, "there is no count of ours, of CTR[3]: stolen"); /* in this interval */
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && !r.row.has_ours && is_true(&r, &r.row));
	CU_ASSERT_PTR_NULL(r.row.own);
	is_ok(&r, 1, false);
	for (unsigned i = 0; i < 2; i++) {
		go_on(&r, S_NS);
		is_ok(&r, 0, false);
	}
	EQ(onsim_count(r.o.notes, "cas_count.rd: there is no count of ours, of CTR[3]: stolen"), 1);
	close_run(&r);
}

static void a_box_in_which_somebody_else_counts_is_shared(void)
{
	struct unc_box *box;
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	onsim_poke(&r.o, box, R_CTL(3), R_EN | 0x304);
	r.controls = controls(&r);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch0", "cas_count.wr");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	SAME(r.row.counter, "CTR[0]");
	SAME(r.row.own, "CTR[2]");
	is_ok(&r, 1, false);
	OK(&r.o, unc_xcheck_close(r.x));
	EQ(onsim_peek(&r.o, box, R_CTL(3)), R_EN | 0x304);
	EQ(onsim_peek(&r.o, box, R_CTL(2)), 0);
	onsim_close(&r.o);
}

static void a_frozen_box_is_seen_by_its_clock(void)
{
	struct unc_box *box;
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on,frz_en=rw");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch0", "dclk");
	start(&r);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN | R_FRZ);
	go_on(&r, S_NS);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "the clock of this box, stood still");
	EQ(r.row.has_kernel && r.row.has_raw, true);
	EQ(r.row.kernel, 0);
	EQ(r.row.raw, 0);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN);
	go_on(&r, S_NS);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	close_run(&r);
}

/* Without it what stands still may as well be idle, and 0 is no count to compare. */
static void counters_that_stand_still_tell_nothing(void)
{
	struct unc_box *box;
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	box = onsim_box(&r.o, "socket0.imc0.ch0");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch1", "cas_count.rd");
	start(&r);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN | R_FRZ);
	go_on(&r, S_NS);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "CTR[0] did not move: ");
	HAS(r.row.why, "or somebody has frozen the box, which dclk tells: add it to the events (-e)");
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && r.row.has_ours && !r.row.kernel && !r.row.raw && !r.row.ours);
	is_ok(&r, 1, true);
	onsim_poke(&r.o, box, R_BOX_CTL, R_FRZ_EN);
	close_run(&r);
}

static void a_box_that_goes_away_is_missing(void)
{
	struct run r;

	open_setup(&r, &(struct setup){"snbep", "sockets=1,perf=on", "vanish=ff:10.0@10", {.tolerance = -1}});
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch1", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	is_ok(&r, 1, true);
	go_on(&r, 20 * S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "reads as all ones");
	CU_ASSERT_FALSE(r.row.has_raw);
	is_ok(&r, 1, true);
	unc_xcheck_close(r.x);
	onsim_close_any(&r.o);
}

/* ---- who else is there ---- */

static void he_does(struct run *r, enum unc_perf_op op, unsigned event)
{
	onsim_ok(r->o.hand_ctx, unc_host_perf(r->o.hand, op, event, NULL), "perf", __FILE__, __LINE__);
}

/* Another opener of the machine, with perf's events of his own. */
static unsigned somebody_counts(struct run *r, uint64_t config)
{
	const struct unc_perf_attr attr = {.type = 12, .config = config, .cpu = 0};
	unsigned event = 0;

	onsim_ok(r->o.hand_ctx, unc_host_perf_open(r->o.hand, &attr, &event), "open", __FILE__, __LINE__);
	he_does(r, UNC_PERF_ON, event);
	return event;
}

static void sleep_for(struct run *r, uint64_t ns)
{
	OK(&r->o, unc_xcheck_sleep_until(r->x, unc_machine_mono_ns(r->o.m) + ns));
}

/* His event is ours to the bit, and both are right, but his is not taken for ours. */
static void who_counts_the_same_with_perf_is_not_taken_for_us(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	somebody_counts(&r, 0x304);
	r.controls = controls(&r);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	SAME(r.row.counter, "CTR[1]");
	close_run(&r);
}

/* Nor is his when ours is gone. */
static void what_was_wiped_is_not_found_in_the_counter_of_another(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	somebody_counts(&r, 0x304);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	onsim_poke(&r.o, onsim_box(&r.o, "socket0.imc0.ch0"), R_CTL(1), 0);
	for (unsigned i = 0; i < 2; i++) {
		go_on(&r, S_NS);
		is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "no counter was found that has this event for perf");
	}
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

/*
 * His event ends and another of his begins, so that ours gets the counter that was his, and he the one that was ours: no
 * control tells, but in the moment until he counts there ours has counted on.  A thousandth would be tolerated.
 */
static void who_changes_places_with_us_is_found_out(void)
{
	unsigned his;
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	his = somebody_counts(&r, 0x304);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	SAME(r.row.counter, "CTR[1]");
	he_does(&r, UNC_PERF_CLOSE, his);
	his = somebody_counts(&r, 0x304);
	he_does(&r, UNC_PERF_OFF, his);
	onsim_step(&r.o, 50000);
	he_does(&r, UNC_PERF_ON, his);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[1] to CTR[0] in this interval");
	for (unsigned i = 0; i < 2; i++) {
		go_on(&r, S_NS);
		is_ok(&r, 0, true);
		SAME(r.row.counter, "CTR[0]");
	}
	he_does(&r, UNC_PERF_CLOSE, his);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

static void what_is_moved_is_not_taken_for_another_with_the_same_control(void)
{
	static const char *const counters[] = {"CTR[0]", "CTR[1]"};
	unsigned his;
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	his = somebody_counts(&r, 0x304);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch0", "cas_count.wr");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	is_ok(&r, 1, false);
	he_does(&r, UNC_PERF_CLOSE, his);
	somebody_counts(&r, 0x304);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[1] to CTR[0] in this interval");
	is_not(&r, 1, UNC_XCHECK_NOT_COMPARABLE, "perf moved it from CTR[2] to CTR[1] in this interval");
	for (unsigned i = 0; i < 4; i++) {
		if (i % 2 == 0)
			go_on(&r, S_NS);
		is_ok(&r, i % 2, i % 2 == 0);
		SAME(r.row.counter, counters[i % 2]);
	}
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

/* His end leaves a hole, into which ours move when they are looked for, since perf's numbers and counters drift apart. */
static void who_is_moved_by_the_search_was_where_it_was(void)
{
	static const char *const counters[2][2] = {{"CTR[1]", "CTR[2]"}, {"CTR[0]", "CTR[1]"}};
	unsigned his;
	struct run r;

	open_setup(&r, &(struct setup){"snbep", "sockets=1,perf=on,perf_off=1", NULL, {.tolerance = 0.02}});
	his = somebody_counts(&r, 0x304);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch0", "cas_count.wr");
	start(&r);
	he_does(&r, UNC_PERF_CLOSE, his);
	for (unsigned i = 0; i < 4; i++) {
		if (i % 2 == 0)
			go_on(&r, S_NS);
		row(&r, i % 2);
		EQ(r.row.verdict, UNC_XCHECK_OK);
		SAME(r.row.counter, counters[i / 2][i % 2]);
	}
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

/* In turns perf has an event of another in our counter for a while, with the very control that we wrote there. */
static void while_others_take_turns_we_have_no_count(void)
{
	unsigned his[4];
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	for (unsigned i = 0; i < 4; i++)
		his[i] = somebody_counts(&r, 0x304);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw && !r.row.has_ours && !r.row.own);
	for (unsigned i = 0; i < 4; i++)
		he_does(&r, UNC_PERF_CLOSE, his[i]);
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

/* He takes our counter for what we count in it, leaves it, and takes it again: it looks as it did, and has less. */
static void a_count_of_ours_that_stopped_for_a_while_is_none(void)
{
	unsigned his[3];
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	SAME(r.row.own, "CTR[3]");
	for (unsigned again = 0; again < 2; again++) {
		for (unsigned i = 0; i < 3; i++)
			his[i] = somebody_counts(&r, 0x304);
		sleep_for(&r, S_NS / 4);
		for (unsigned i = 0; i < 3 && !again; i++)
			he_does(&r, UNC_PERF_CLOSE, his[i]);
		sleep_for(&r, S_NS / 4);
	}
	OK(&r.o, unc_xcheck_sample(r.x));
	is_not(&r, 0, UNC_XCHECK_OK, "there is no count of ours, of CTR[3]: stolen");
	CU_ASSERT_FALSE(r.row.has_ours);
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

/* Which box it is is seen when it has its turn. */
static void where_others_have_all_counters_there_are_only_turns(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	for (unsigned i = 0; i < 5; i++)
		somebody_counts(&r, 0x304 + 0x100 * i);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch1", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "% of the interval only");
	EQ(r.row.number, 0);
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw);
	is_ok(&r, 1, true);
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
	/* With so many, that is seldom. */
	open_run(&r, "snbep", "sockets=1,perf=on");
	for (unsigned i = 0; i < 30; i++)
		somebody_counts(&r, 0x304 + 0x100 * i);
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch1", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE,
	       "uncore_imc_0: no control follows when perf's event is switched on and off: others have all counters "
	       "that it could have, and perf lets it take turns with them (it had one in 0 % of the time)");
	CU_ASSERT(!r.row.has_kernel && !r.row.has_raw);
	SAME(r.row.source, "uncore_imc_0");
	EQ(r.row.number, -1);
	is_ok(&r, 1, true);
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

/* perf's CPUs of socket 1 are all offline: it has none in its mask. */
static void a_socket_of_which_perf_has_no_cpu_is_said(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=2,cores=2,threads=1,offline=2-3,perf=on");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket1.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	is_not(&r, 1, UNC_XCHECK_NOT_COMPARABLE, "uncore_imc_0/cpumask has no CPU of socket 1 (\"0\")");
	CU_ASSERT(!r.row.has_kernel && !r.row.has_raw && !r.row.has_ours && !r.row.own && !r.row.counter);
	EQ(r.row.number, -1);
	SAME(r.row.source, "uncore_imc_0");
	close_run(&r);
}

/* ---- accesses that take long ---- */

struct hook {
	struct run *r;
	uint64_t step_ns;           /* every access takes so much longer */
	unsigned n;                 /* so many of them */
	uint64_t from_ns, until_ns; /* meanwhile CTL0 holds something else; 0: never */
	uint32_t is;
};

static void on_access(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct hook *hook = arg;
	struct onsim *o = &hook->r->o;
	uint64_t now = unc_machine_raw_ns(o->m);
	bool other = now >= hook->from_ns && now < hook->until_ns;

	(void)addr, (void)write, (void)off;
	if (hook->n) {
		hook->n--;
		onsim_step(o, hook->step_ns);
	}
	if (hook->until_ns)
		onsim_poke(o, onsim_box(o, "socket0.imc0.ch0"), R_CTL(0), other ? R_EN | 0xc04 : R_EN | 0x304);
}

static void hook_in(struct run *r, struct hook *hook)
{
	hook->r = r;
	r->o.fault.before = on_access;
	r->o.fault.arg = hook;
}

static void a_bracket_that_took_long_is_taken_again(void)
{
	struct hook hook = {.step_ns = 20 * MS_NS, .n = 0};
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	hook_in(&r, &hook);
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	sleep_for(&r, S_NS);
	hook.n = 5;
	OK(&r.o, unc_xcheck_sample(r.x));
	is_ok(&r, 0, true);
	CU_ASSERT(r.row.uncertainty < 1000 && r.row.interval_ns > S_NS + 50 * MS_NS);
	sleep_for(&r, S_NS);
	hook.n = 1000;
	OK(&r.o, unc_xcheck_sample(r.x));
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, " counts came while they were read, which took up to ");
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && r.row.has_ours && is_true(&r, &r.row));
	hook.n = 0;
	go_on(&r, 20 * S_NS); /* long enough for what is uncertain at its beginning */
	is_ok(&r, 0, true);
	close_run(&r);
}

/* Between brackets it is looked at ten times a second where we count, else once a minute. */
static void a_control_that_was_another_in_between_is_seen(void)
{
	struct hook hook = {0};
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	hook_in(&r, &hook);
	start(&r);
	hook.from_ns = unc_machine_raw_ns(r.o.m) + 30 * S_NS;
	hook.until_ns = hook.from_ns + 60 * S_NS;
	go_on(&r, 100 * S_NS);
	hook.until_ns = 0;
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "CTL[0] held 0x00400c04 in between, and not 0x00400304");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw);
	go_on(&r, S_NS);
	is_ok(&r, 0, true);
	close_run(&r);
}

static void wipe(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct onsim *o = &((struct hook *)arg)->r->o;

	(void)addr, (void)write, (void)off;
	onsim_poke(o, onsim_box(o, "socket0.imc0.ch0"), R_CTL(0), 0);
}

/* Somebody is at CTL0 all the time. */
static void a_box_is_found_by_any_of_its_events(void)
{
	struct hook hook = {0};
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	add(&r, "socket0.imc0.ch0", "dclk");
	hook_in(&r, &hook);
	r.o.fault.before = wipe;
	start(&r);
	go_on(&r, S_NS);
	is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE,
	       "no control follows when perf's event is switched on and off, though perf says that it has a counter "
	       "all "
	       "the time: it counts somewhere else");
	EQ(r.row.number, 0);
	is_ok(&r, 1, false);
	close_run(&r);
}

/* ---- nothing is written ---- */

static void who_only_observes_writes_nothing_of_his_own(void)
{
	const struct unc_xcheck_cfg cfg = {.tolerance = -1, .observe = true};
	struct run r;

	memset(&r, 0, sizeof(r));
	onsim_open_read_only(&r.o, "sockets=1,perf=on", NULL);
	OK(&r.o, unc_xcheck_open(r.o.m, &cfg, &r.x));
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	go_on(&r, S_NS);
	is_ok(&r, 0, false);
	OK(&r.o, unc_xcheck_close(r.x));
	EQ(onsim_trace_count(&r.o, " w32 "), 0);
	CU_ASSERT(onsim_trace_count(&r.o, " r32 ") > 0);
	onsim_close(&r.o);
}

/* ---- what is refused ---- */

static void what_makes_no_sense_is_refused(void)
{
	struct unc_xcheck_cfg cfg = {.tolerance = 1};
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on");
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
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	start(&r);
	FAILS(&r.o, UNC_EARG, unc_xcheck_start(r.x), "has started already");
	FAILS(&r.o, UNC_EARG, unc_xcheck_add(r.x, onsim_box(&r.o, "socket0.imc0.ch0"), "cas_count.wr"),
	      "cas_count.wr: the cross-check has started already");
	CU_ASSERT_EQUAL(unc_xcheck_close(NULL), 0);
	close_run(&r);
}

static void a_machine_without_a_driver_says_what_to_load(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1");
	FAILS(&r.o, UNC_ENOSUP, unc_xcheck_add(r.x, onsim_box(&r.o, "socket0.imc0.ch0"), "cas_count.rd"), "perf");
	close_run(&r);
}

static void who_may_not_is_told_why(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=1,perf=on,perf_paranoid=2");
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	FAILS(&r.o, UNC_EPERM, unc_xcheck_start(r.x), "uncore_imc_0 type=12 config=0x304: ", "perf_event_paranoid");
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);

	memset(&r, 0, sizeof(r));
	onsim_open_read_only(&r.o, "sockets=1,perf=on", NULL);
	OK(&r.o, unc_xcheck_open(r.o.m, &(struct unc_xcheck_cfg){.tolerance = -1}, &r.x));
	add(&r, "socket0.imc0.ch0", "cas_count.rd");
	FAILS(&r.o, UNC_EDENIED, unc_xcheck_start(r.x), "open for reading only");
	OK(&r.o, unc_xcheck_close(r.x));
	onsim_close(&r.o);
}

/* ---- accesses that fail ---- */

/* Starts, counts, ends, whatever fails on the way: what is ok then is true, and nothing is said to differ. */
static void live(struct run *r, bool *ret_started)
{
	struct unc_machine *m = r->o.m;

	*ret_started = unc_xcheck_start(r->x) == 0;
	for (unsigned n = 0; n < 2 && *ret_started; n++) {
		unc_xcheck_sleep_until(r->x, unc_machine_mono_ns(m) + S_NS);
		unc_xcheck_sample(r->x);
		for (size_t i = 0; i < unc_xcheck_count(r->x); i++) {
			const struct unc_xcheck_row *is = row(r, i);
			bool right = is->verdict == UNC_XCHECK_NOT_COMPARABLE ? is->why && *is->why
				     : is->verdict == UNC_XCHECK_OK           ? is_true(r, is)
									      : false;

			if (!right)
				show(is);
			CU_ASSERT(right);
		}
	}
}

static void whatever_access_fails_what_is_ok_is_true(void)
{
	static const struct unc_fault ways[] = {
		{.how = UNC_FAULT_EIO},
		{.how = UNC_FAULT_EIO, .forever = true},
		{.how = UNC_FAULT_ONES},
		{.how = UNC_FAULT_DROP, .writes_only = true},
	};

	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct unc_fault fault = ways[way];
		bool failed = true, started;

		for (fault.at = 1; failed; fault.at++) {
			struct run r;

			open_run(&r, "snbep", "sockets=1,perf=on");
			add(&r, "socket0.imc0.ch0", "cas_count.rd");
			add(&r, "socket0.imc0.ch0", "dclk");
			add(&r, "socket0.imc0.ch2", "cas_count.wr");
			onsim_fail(&r.o, &fault);
			live(&r, &started);
			failed = r.o.fault.done;
			CU_ASSERT(failed || started);
			onsim_work(&r.o);
			CU_ASSERT_EQUAL(unc_xcheck_close(r.x), 0);
			is_left_as_found(&r);
			onsim_close_any(&r.o);
			CU_ASSERT_FATAL(fault.at < 1000);
		}
		CU_ASSERT(fault.at > 4);
	}
}

/* ---- dry, and on record ---- */

static void add_line(void *arg, const char *line)
{
	char *text = arg;
	size_t len = strlen(text), room = (size_t)1 << 20;
	int n = snprintf(text + len, room - len, "%s\n", line);

	CU_ASSERT_FATAL(n > 0 && (size_t)n < room - len);
}

struct shown { /* every row of three intervals, in words */
	char text[16384];
};

static int run_on(const struct unc_machine_cfg *cfg, const char *const *boxes, struct shown *shown)
{
	const struct unc_xcheck_cfg how = {.tolerance = -1};
	struct unc_ctx *ctx = NULL;
	struct unc_machine *m = NULL;
	struct unc_xcheck *x = NULL;
	int rc;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	onsim_ok(ctx, unc_machine_open(ctx, cfg, &m), "open", __FILE__, __LINE__);
	onsim_ok(ctx, unc_xcheck_open(m, &how, &x), "open", __FILE__, __LINE__);
	for (; *boxes; boxes++) {
		struct unc_box *box = NULL;

		onsim_ok(ctx, unc_box_find(m, *boxes, &box), "find", __FILE__, __LINE__);
		onsim_ok(ctx, unc_xcheck_add(x, box, "cas_count.rd"), "add", __FILE__, __LINE__);
		onsim_ok(ctx, unc_xcheck_add(x, box, "dclk"), "add", __FILE__, __LINE__);
	}
	rc = unc_xcheck_start(x);
	for (unsigned i = 0; i < 3 && rc == 0; i++) {
		rc = unc_xcheck_sleep_until(x, unc_machine_mono_ns(m) + S_NS);
		if (rc == 0)
			rc = unc_xcheck_sample(x);
		for (size_t k = 0; k < unc_xcheck_count(x) && rc == 0; k++) {
			struct unc_xcheck_row row;
			size_t len = strlen(shown->text);

			rc = unc_xcheck_row(x, k, &row);
			snprintf(shown->text + len, sizeof(shown->text) - len,
				 "%s %s %s %s %s: %d %s %" PRIu64 " %" PRIu64 " %" PRIu64 " +- %" PRIu64 ", %" PRIu64
				 " %" PRIu64 "\n",
				 row.subject, row.event, row.source, row.counter ? row.counter : "-",
				 row.own ? row.own : "-", row.verdict, row.why ? row.why : "", row.kernel, row.raw,
				 row.ours, row.uncertainty, row.time_ns, row.interval_ns);
		}
	}
	onsim_ok(ctx, rc, "run", __FILE__, __LINE__);
	onsim_ok(ctx, unc_xcheck_close(x), "close", __FILE__, __LINE__);
	CU_ASSERT_EQUAL(unc_machine_close(m), 0);
	unc_free(ctx);
	return rc;
}

static const char *const two_boxes[] = {"socket0.imc0.ch0", "socket1.imc0.ch3", NULL};

static void a_run_on_record_is_the_same_when_it_is_replayed(void)
{
	char path[] = "/tmp/unc-xcheck.XXXXXX", journals[] = "/tmp/unc-xcheck-j.XXXXXX", replay[60];
	struct unc_machine_cfg cfg = {
		.machine = "sim:snbep,sockets=2,clock=step,perf=on,perf_order=1-0-2-3,perf_moves=2",
		.writable = true,
		.wake_fd = -1,
		.record = add_line,
	};
	static struct shown first, again;
	char *text = calloc(1, (size_t)1 << 20);
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(text && fd >= 0 && mkdtemp(journals));
	cfg.record_arg = text;
	cfg.state_dir = journals;
	first.text[0] = again.text[0] = '\0';
	run_on(&cfg, two_boxes, &first);
	CU_ASSERT_FATAL(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	snprintf(replay, sizeof(replay), "replay:%s", path);
	cfg.machine = replay;
	cfg.record = NULL;
	run_on(&cfg, two_boxes, &again);
	HAS(first.text, "socket0.imc0.ch0 cas_count.rd uncore_imc_1 CTR[0] CTR[3]: 0 ");
	HAS(first.text, "perf moved it from CTR[0] to CTR[");
	SAME(again.text, first.text);
	unlink(path);
	rmdir(journals);
	free(text);
}

static void a_dry_run_opens_nothing_and_says_what_it_would(void)
{
	struct unc_machine_cfg cfg = {.machine = "sim:snbep,sockets=2,clock=step,perf=on",
				      .writable = true,
				      .wake_fd = -1,
				      .dry_run = add_line};
	static struct shown shown;
	char *text = calloc(1, (size_t)1 << 20);

	CU_ASSERT_FATAL(text != NULL);
	cfg.dry_run_arg = text;
	shown.text[0] = '\0';
	run_on(&cfg, two_boxes, &shown);
	HAS(text, "open perf event type=12 config=0x304 on cpu 0 (uncore_imc_0) for socket0.imc0.ch0 cas_count.rd\n");
	HAS(text, "open perf event type=15 config=0xff on cpu 8 (uncore_imc_3) for socket1.imc0.ch3 dclk\n");
	HAS(text, "write socket1.imc0.ch3 (0000:ff:10.5) CTL[3] at 0xe4: 0x00400304");
	EQ(onsim_count(text, "BOX_CTL"), 0); /* perf would count there, so it would not be ours to write */
	HAS(shown.text, "socket0.imc0.ch0 cas_count.rd uncore_imc_0 - CTR[3]: 2 ");
	free(text);
}

void test_xcheck_suite(void)
{
	CU_pSuite s = CU_add_suite("xcheck", NULL, NULL);

	CU_ADD_TEST(s, on_every_machine_all_three_counts_are_what_happened);
	CU_ADD_TEST(s, a_row_has_all_that_a_report_wants);
	CU_ADD_TEST(s, what_the_kernel_calls_it_is_by_its_encoding);
	CU_ADD_TEST(s, a_channel_is_found_whatever_number_the_kernel_gave_it);
	CU_ADD_TEST(s, a_hidden_channel_takes_no_other_with_it);
	CU_ADD_TEST(s, what_perf_has_all_counters_for_is_not_counted_by_us);
	CU_ADD_TEST(s, a_wrap_that_is_days_apart_is_counted);
	CU_ADD_TEST(s, a_counter_may_wrap_between_brackets);
	CU_ADD_TEST(s, a_driver_that_counts_wrong_differs);
	CU_ADD_TEST(s, a_tolerance_that_is_wider_is_kept_to);
	CU_ADD_TEST(s, a_driver_that_drops_bits_counts_something_else);
	CU_ADD_TEST(s, a_counter_that_was_set_back_is_impossible_or_seen);
	CU_ADD_TEST(s, a_box_that_was_reset_leaves_perf_with_an_impossible_number);
	CU_ADD_TEST(s, an_event_that_the_kernel_moves_is_compared_from_there_on);
	CU_ADD_TEST(s, events_that_take_turns_cannot_be_compared);
	CU_ADD_TEST(s, a_count_of_ours_that_was_stolen_is_said);
	CU_ADD_TEST(s, a_box_in_which_somebody_else_counts_is_shared);
	CU_ADD_TEST(s, a_frozen_box_is_seen_by_its_clock);
	CU_ADD_TEST(s, counters_that_stand_still_tell_nothing);
	CU_ADD_TEST(s, a_box_that_goes_away_is_missing);
	CU_ADD_TEST(s, who_counts_the_same_with_perf_is_not_taken_for_us);
	CU_ADD_TEST(s, what_was_wiped_is_not_found_in_the_counter_of_another);
	CU_ADD_TEST(s, who_changes_places_with_us_is_found_out);
	CU_ADD_TEST(s, what_is_moved_is_not_taken_for_another_with_the_same_control);
	CU_ADD_TEST(s, who_is_moved_by_the_search_was_where_it_was);
	CU_ADD_TEST(s, while_others_take_turns_we_have_no_count);
	CU_ADD_TEST(s, a_count_of_ours_that_stopped_for_a_while_is_none);
	CU_ADD_TEST(s, where_others_have_all_counters_there_are_only_turns);
	CU_ADD_TEST(s, a_socket_of_which_perf_has_no_cpu_is_said);
	CU_ADD_TEST(s, a_bracket_that_took_long_is_taken_again);
	CU_ADD_TEST(s, a_control_that_was_another_in_between_is_seen);
	CU_ADD_TEST(s, a_box_is_found_by_any_of_its_events);
	CU_ADD_TEST(s, who_only_observes_writes_nothing_of_his_own);
	CU_ADD_TEST(s, what_makes_no_sense_is_refused);
	CU_ADD_TEST(s, a_machine_without_a_driver_says_what_to_load);
	CU_ADD_TEST(s, who_may_not_is_told_why);
	CU_ADD_TEST(s, whatever_access_fails_what_is_ok_is_true);
	CU_ADD_TEST(s, a_run_on_record_is_the_same_when_it_is_replayed);
	CU_ADD_TEST(s, a_dry_run_opens_nothing_and_says_what_it_would);
}
