// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a whole memory controller that always run. */
#include "onsim.h"
#include "pmon/free.h"
#include "test.h"

enum { CONTROLLERS = 4, MS = 1000000 };

struct opened {
	struct onsim o;
	struct unc_free *counters;
	struct unc_box *boxes[CONTROLLERS];
	struct unc_count counts[CONTROLLERS * UNC_FREE_COUNTS];
};

static void open_all(struct opened *opened, const char *options)
{
	struct onsim *o = &opened->o;

	onsim_open_model(o, "icx", options ? options : "sockets=1", NULL);
	EQ(unc_box_count(o->m, UNC_FREE_UNIT), CONTROLLERS);
	OK(o, unc_free_open(o->m, &opened->counters));
	for (size_t i = 0; i < CONTROLLERS; i++) {
		opened->boxes[i] = unc_box_at(o->m, UNC_FREE_UNIT, i);
		OK(o, unc_free_add(opened->counters, opened->boxes[i]));
	}
	onsim_trace_clear(o);
}

static int read_all(struct opened *opened)
{
	return unc_free_read(opened->counters, opened->counts, CONTROLLERS * UNC_FREE_COUNTS);
}

static void close_all(struct opened *opened)
{
	EQ(onsim_trace_count(&opened->o, " w"), 0);
	unc_free_close(opened->counters);
	onsim_close(&opened->o);
}

/* The sum of both channels, in the interval of the count; each end is uncertain by one read. */
static void is_truth(struct opened *opened, size_t controller, enum unc_free_count which, const char *event)
{
	struct onsim *o = &opened->o;
	const struct unc_count *count = &opened->counts[controller * UNC_FREE_COUNTS + which];
	uint64_t raw_offset = unc_machine_real_ns(o->m) - unc_machine_raw_ns(o->m), truth = 0, off;
	uint64_t to_ns = count->time_ns - raw_offset;

	for (unsigned channel = 0; channel < 2; channel++) {
		const struct unc_box *box = unc_box_at(o->m, "imc", 2 * controller + channel);

		truth += onsim_truth(o, box, event, to_ns) - onsim_truth(o, box, event, to_ns - count->interval_ns);
	}
	EQ(count->flags, UNC_COUNT_FREE_RUNNING);
	off = count->delta > truth ? count->delta - truth : truth - count->delta;
	CU_ASSERT(truth > 1000);
	CU_ASSERT((double)off <= (double)truth * count->uncertainty_percent / 100 + 2);
}

static void all_have(const struct opened *opened, unsigned flags)
{
	for (size_t i = 0; i < CONTROLLERS * UNC_FREE_COUNTS; i++) {
		EQ(opened->counts[i].flags, flags | UNC_COUNT_FREE_RUNNING);
		EQ(opened->counts[i].delta, 0);
	}
}

TEST(a_count_is_the_sum_of_the_controllers_channels)
{
	struct opened opened;
	uint64_t total = 0;

	open_all(&opened, NULL);
	for (unsigned sample = 0; sample < 3; sample++) {
		onsim_step(&opened.o, 50 * MS);
		OK(&opened.o, read_all(&opened));
		for (size_t i = 0; i < CONTROLLERS; i++) {
			is_truth(&opened, i, UNC_FREE_READS, "cas_count.rd");
			is_truth(&opened, i, UNC_FREE_WRITES, "cas_count.wr");
		}
		total += opened.counts[0].delta;
		EQ(opened.counts[0].total, total);
	}
	close_all(&opened);
}

TEST(a_sample_is_three_loads_a_controller)
{
	struct opened opened;

	open_all(&opened, NULL);
	onsim_step(&opened.o, 50 * MS);
	onsim_trace_clear(&opened.o);
	OK(&opened.o, read_all(&opened));
	EQ(onsim_trace_count(&opened.o, " r64 "), 3 * CONTROLLERS);
	EQ(onsim_trace_count(&opened.o, " r"), 3 * CONTROLLERS);
	close_all(&opened);
}

TEST(optane_modules_are_read_where_they_are)
{
	struct opened opened;

	open_all(&opened, "sockets=1,pmem=socket0.imc2.ch0,pmem=socket0.imc2.ch1");
	onsim_step(&opened.o, 50 * MS);
	onsim_trace_clear(&opened.o);
	OK(&opened.o, read_all(&opened));
	EQ(onsim_trace_count(&opened.o, " r64 "), 3 * CONTROLLERS + 2);
	is_truth(&opened, 2, UNC_FREE_READS, "cas_count.rd");
	is_truth(&opened, 2, UNC_FREE_PMEM_READS, "pmm_rpq_inserts");
	is_truth(&opened, 2, UNC_FREE_PMEM_WRITES, "pmm_wpq_inserts");
	EQ(opened.counts[UNC_FREE_PMEM_READS].delta, 0);
	close_all(&opened);
}

TEST(what_does_not_answer_has_no_number)
{
	struct opened opened;

	open_all(&opened, NULL);
	onsim_step(&opened.o, 50 * MS);
	ONSIM_FAIL(&opened.o, .at = 1, .how = UNC_FAULT_ONES, .forever = true);
	FAILS(&opened.o, UNC_ENODEV, read_all(&opened), "reads as all ones");
	all_have(&opened, UNC_COUNT_MISSING);
	onsim_work(&opened.o);
	onsim_step(&opened.o, 50 * MS);
	OK(&opened.o, read_all(&opened));
	all_have(&opened, UNC_COUNT_GAP); /* what was counted meanwhile is not known */
	onsim_step(&opened.o, 50 * MS);
	OK(&opened.o, read_all(&opened));
	is_truth(&opened, 1, UNC_FREE_READS, "cas_count.rd");
	close_all(&opened);
}

TEST(a_suspend_is_a_gap)
{
	struct opened opened;

	open_all(&opened, NULL);
	onsim_step(&opened.o, 50 * MS);
	unc_sim_suspend(opened.o.hand, 1000 * MS);
	onsim_step(&opened.o, 50 * MS);
	OK(&opened.o, read_all(&opened));
	all_have(&opened, UNC_COUNT_GAP);
	close_all(&opened);
}

/* 2^48 clocks of 2.5 GHz are 31 hours; nobody looked for half of that. */
TEST(a_counter_that_may_have_wrapped_has_no_number)
{
	struct opened opened;

	open_all(&opened, NULL);
	onsim_step(&opened.o, UINT64_C(60000) * 1000 * MS);
	OK(&opened.o, read_all(&opened));
	all_have(&opened, UNC_COUNT_GAP);
	close_all(&opened);
}
