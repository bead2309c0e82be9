// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that always run, in a session: those of a whole memory controller of Ice Lake-SP. */
#include "onsim.h"
#include "pmon/free1.h"
#include "test.h"

enum { CONTROLLERS = 4, EVENTS = 2, MS = 1000000 };

static struct onsim o;
static struct {
	struct unc_session *session;
	struct unc_count counts[CONTROLLERS * EVENTS];
} opened;

static void open_all(const char *options, const char *first, const char *second)
{
	onsim_open_model(&o, "icx", options, NULL);
	EQ(unc_box_count(o.m, UNC_FREE_UNIT), CONTROLLERS);
	OK(&o, unc_session_open(o.m, &(struct unc_session_cfg){.interval_ns = 50 * MS}, &opened.session));
	for (size_t i = 0; i < CONTROLLERS * EVENTS; i++)
		OK(&o, unc_session_add(opened.session, unc_box_at(o.m, UNC_FREE_UNIT, i / EVENTS),
				       i % EVENTS ? second : first, NULL));
	OK(&o, unc_session_start(opened.session));
	onsim_trace_clear(&o);
}

static int read_all(void)
{
	return unc_session_read(opened.session, opened.counts, CONTROLLERS * EVENTS);
}

static void begin(void)
{
	open_all("sockets=1", "read", "write");
}

static void end(void)
{
	EQ(onsim_trace_count(&o, " w"), 0);
	OK(&o, unc_session_close(opened.session));
	onsim_close(&o);
}

EACH(begin, end)

/* The sum of both channels, in the interval of the count; each end is uncertain by one read. */
static void is_truth(size_t controller, unsigned which, const char *event)
{
	const struct unc_count *count = &opened.counts[controller * EVENTS + which];
	uint64_t raw_offset = unc_machine_real_ns(o.m) - unc_machine_raw_ns(o.m), truth = 0, off;
	uint64_t to_ns = count->time_ns - raw_offset;

	for (unsigned channel = 0; channel < 2; channel++) {
		const struct unc_box *box = unc_box_at(o.m, "imc", 2 * controller + channel);

		truth += onsim_truth(&o, box, event, to_ns) - onsim_truth(&o, box, event, to_ns - count->interval_ns);
	}
	EQ(count->flags, UNC_COUNT_FREE_RUNNING);
	off = count->delta > truth ? count->delta - truth : truth - count->delta;
	CU_ASSERT(truth > 1000);
	CU_ASSERT((double)off <= (double)truth * count->uncertainty_percent / 100 + 2);
}

static void all_have(unsigned flags)
{
	for (size_t i = 0; i < CONTROLLERS * EVENTS; i++) {
		EQ(opened.counts[i].flags, flags | UNC_COUNT_FREE_RUNNING);
		EQ(opened.counts[i].delta, 0);
	}
}

TEST(a_count_is_the_sum_of_the_controllers_channels)
{
	uint64_t total = 0;

	for (unsigned sample = 0; sample < 3; sample++) {
		onsim_step(&o, 50 * MS);
		OK(&o, read_all());
		for (size_t i = 0; i < CONTROLLERS; i++) {
			is_truth(i, 0, "cas_count.rd");
			is_truth(i, 1, "cas_count.wr");
		}
		total += opened.counts[0].delta;
		EQ(opened.counts[0].total, total);
		EQ(opened.counts[0].scale, 64);
	}
}

/* A look reads the clock at most three times, and takes the quickest read. */
TEST(a_sample_is_a_load_for_each_count)
{
	onsim_step(&o, 50 * MS);
	onsim_trace_clear(&o);
	OK(&o, read_all());
	EQ(onsim_trace_count(&o, " r64 "), (2 + 3) * CONTROLLERS);
	EQ(onsim_trace_count(&o, " r"), (2 + 3) * CONTROLLERS);
}

TEST(optane_modules_are_counted)
{
	end();
	open_all("sockets=1,pmem=socket0.imc2.ch0,pmem=socket0.imc2.ch1", "ddrt_read", "ddrt_write");
	onsim_step(&o, 50 * MS);
	OK(&o, read_all());
	is_truth(2, 0, "pmm_rpq_inserts");
	is_truth(2, 1, "pmm_wpq_inserts");
	/* The clock ran, so that this is a number. */
	EQ(opened.counts[0].flags, UNC_COUNT_FREE_RUNNING);
	EQ(opened.counts[0].delta, 0);
}

TEST(what_does_not_answer_has_no_number)
{
	onsim_step(&o, 50 * MS);
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_ONES, .forever = true);
	FAILS(&o, UNC_ENODEV, read_all(), "reads as all ones");
	all_have(UNC_COUNT_MISSING);
	onsim_work(&o);
	onsim_step(&o, 50 * MS);
	OK(&o, read_all());
	all_have(UNC_COUNT_MISSING); /* what was counted meanwhile is not known */
	onsim_step(&o, 50 * MS);
	OK(&o, read_all());
	is_truth(1, 0, "cas_count.rd");
}

TEST(a_suspend_is_a_gap)
{
	onsim_step(&o, 50 * MS);
	unc_sim_suspend(o.hand, 1000 * MS);
	onsim_step(&o, 50 * MS);
	OK(&o, read_all());
	all_have(UNC_COUNT_GAP);
}

/* 2^48 clocks of 2.5 GHz are 31 hours; there was no look for half of that. */
TEST(a_counter_that_may_have_wrapped_has_no_number)
{
	onsim_step(&o, UINT64_C(60000) * 1000 * MS);
	OK(&o, read_all());
	all_have(UNC_COUNT_GAP);
}

TEST(what_nothing_selects_takes_no_options)
{
	struct unc_session *session;
	struct unc_box *box = unc_box_at(o.m, UNC_FREE_UNIT, 0);

	OK(&o, unc_session_open(o.m, &(struct unc_session_cfg){.freeze = false}, &session));
	FAILS(&o, UNC_EARG, unc_session_add(session, box, "read:thresh=1", NULL), "has no thresh");
	FAILS(&o, UNC_EARG, unc_session_add(session, box, "event=0x4", NULL), "has no event");
	FAILS(&o, UNC_EARG, unc_session_add(session, box, "config=0x0", NULL), "no event= in it");
	FAILS(&o, UNC_ENOREG, unc_session_add(session, box, "cas_count.rd", NULL), "`uncorectl events` lists them");
	OK(&o, unc_session_close(session));
}

/* There is nothing that could be another program's. */
TEST(an_observer_counts_as_well)
{
	struct unc_session *session;
	struct unc_count count;

	OK(&o, unc_session_open(o.m, &(struct unc_session_cfg){.observe = true}, &session));
	OK(&o, unc_session_add(session, unc_box_at(o.m, UNC_FREE_UNIT, 0), "uncore_free/read/", NULL));
	OK(&o, unc_session_start(session));
	onsim_step(&o, 50 * MS);
	OK(&o, unc_session_read(session, &count, 1));
	EQ(count.flags, UNC_COUNT_FREE_RUNNING);
	CU_ASSERT(count.delta > 1000);
	OK(&o, unc_session_close(session));
}
