// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a whole memory controller that always run. */
#include "onsim.h"
#include "pmon/free.h"
#include "test.h"

enum { CONTROLLERS = 4, MS = 1000000 };

static struct onsim o;
static struct {
	struct unc_free *counters;
	struct unc_box *boxes[CONTROLLERS];
	struct unc_count counts[CONTROLLERS * UNC_FREE_COUNTS];
} opened;

static void open_all(const char *options)
{
	onsim_open_model(&o, "icx", options, NULL);
	EQ(unc_box_count(o.m, UNC_FREE_UNIT), CONTROLLERS);
	OK(&o, unc_free_open(o.m, &opened.counters));
	for (size_t i = 0; i < CONTROLLERS; i++) {
		opened.boxes[i] = unc_box_at(o.m, UNC_FREE_UNIT, i);
		OK(&o, unc_free_add(opened.counters, opened.boxes[i]));
	}
	onsim_trace_clear(&o);
}

static int read_all(void)
{
	return unc_free_read(opened.counters, opened.counts, CONTROLLERS * UNC_FREE_COUNTS);
}

static void begin(void)
{
	open_all("sockets=1");
}

static void end(void)
{
	EQ(onsim_trace_count(&o, " w"), 0);
	unc_free_close(opened.counters);
	onsim_close(&o);
}

EACH(begin, end)

/* The sum of both channels, in the interval of the count; each end is uncertain by one read. */
static void is_truth(size_t controller, enum unc_free_count which, const char *event)
{
	const struct unc_count *count = &opened.counts[controller * UNC_FREE_COUNTS + which];
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
	for (size_t i = 0; i < CONTROLLERS * UNC_FREE_COUNTS; i++) {
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
			is_truth(i, UNC_FREE_READS, "cas_count.rd");
			is_truth(i, UNC_FREE_WRITES, "cas_count.wr");
		}
		total += opened.counts[0].delta;
		EQ(opened.counts[0].total, total);
	}
}

TEST(a_sample_is_three_loads_a_controller)
{
	onsim_step(&o, 50 * MS);
	onsim_trace_clear(&o);
	OK(&o, read_all());
	EQ(onsim_trace_count(&o, " r64 "), 3 * CONTROLLERS);
	EQ(onsim_trace_count(&o, " r"), 3 * CONTROLLERS);
}

TEST(optane_modules_are_read_where_they_are)
{
	end();
	open_all("sockets=1,pmem=socket0.imc2.ch0,pmem=socket0.imc2.ch1");
	onsim_step(&o, 50 * MS);
	onsim_trace_clear(&o);
	OK(&o, read_all());
	EQ(onsim_trace_count(&o, " r64 "), 3 * CONTROLLERS + 2);
	is_truth(2, UNC_FREE_READS, "cas_count.rd");
	is_truth(2, UNC_FREE_PMEM_READS, "pmm_rpq_inserts");
	is_truth(2, UNC_FREE_PMEM_WRITES, "pmm_wpq_inserts");
	EQ(opened.counts[UNC_FREE_PMEM_READS].delta, 0);
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
	all_have(UNC_COUNT_GAP); /* what was counted meanwhile is not known */
	onsim_step(&o, 50 * MS);
	OK(&o, read_all());
	is_truth(1, UNC_FREE_READS, "cas_count.rd");
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
