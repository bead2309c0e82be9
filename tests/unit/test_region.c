// SPDX-License-Identifier: GPL-2.0-or-later
/* Regions of a program: to whom each read belongs, and what it costs. */
#define UNC_REGIONS
#include "uncore/region.h"

#include "onsim.h"

#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", NULL)

static const struct unc_session_cfg later = {.confirm_later = true};
static struct unc_regions *regions;

/* Of channel 0 and 1. */
static void start(const struct unc_session_cfg *cfg)
{
	ONRUN_START(&r, &o, cfg, "ch0 cas_count.rd", "ch1 cas_count.rd");
	OK(&o, unc_regions_open(r.s, &regions));
}

static void pass(const char *name, uint64_t ns)
{
	OK(&o, unc_region_begin(regions, name));
	onsim_step(&o, ns);
	OK(&o, unc_region_end(regions, name));
}

/* Region number i: its name, its parent, how often, and milliseconds in it, give or take one. */
static void region_is(size_t i, const char *name, size_t parent, uint64_t times, uint64_t ms)
{
	struct unc_region_info info;

	OK(&o, unc_region_info(regions, i, &info));
	SAME(info.name, name);
	EQ(info.parent, parent);
	EQ(info.times, times);
	EQ((info.interval_ns + MS_NS / 2) / MS_NS, ms);
}

/* Channels 0 and 1 of the simulated machine read 4,000 and 4,700 million bytes per second. */
static void reads_are(size_t region)
{
	struct unc_count counts[2];

	OK(&o, unc_region_counts(regions, region, counts, 2));
	for (unsigned i = 0; i < 2; i++) {
		double rate = unc_count_value(&counts[i]) / (double)counts[i].interval_ns, truth = i == 0 ? 4 : 4.7;

		EQ(counts[i].flags, 0);
		EQ(counts[i].delta, counts[i].total);
		CU_ASSERT_DOUBLE_EQUAL(rate, truth, 0.002 * truth);
	}
}

static void end(void)
{
	unc_regions_close(regions);
	regions = NULL;
}

TEST(a_region_is_summed_over_the_times_that_it_was_passed)
{
	start(NULL);
	pass("solve", 100 * MS_NS);
	onsim_step(&o, S_NS);
	pass("solve", 200 * MS_NS);
	EQ(unc_region_count(regions), 1);
	region_is(0, "solve", SIZE_MAX, 2, 300);
	reads_are(0);
	end();
}

TEST(a_region_holds_those_inside_of_it_and_the_same_name_elsewhere_is_another)
{
	start(NULL);
	OK(&o, unc_region_begin(regions, "solve"));
	onsim_step(&o, 50 * MS_NS);
	pass("copy", 100 * MS_NS);
	pass("copy", 100 * MS_NS);
	OK(&o, unc_region_end(regions, "solve"));
	pass("copy", 400 * MS_NS);
	EQ(unc_region_count(regions), 3);
	region_is(0, "solve", SIZE_MAX, 1, 250);
	region_is(1, "copy", 0, 2, 200);
	region_is(2, "copy", SIZE_MAX, 1, 400);
	reads_are(0);
	reads_are(1);
	end();
}

TEST(begin_and_end_read_each_box_once)
{
	start(&later);
	OK(&o, unc_region_begin(regions, "first"));
	OK(&o, unc_region_end(regions, "first"));
	onsim_step(&o, MS_NS);
	onsim_trace_clear(&o);
	OK(&o, unc_region_begin(regions, "solve"));
	onsim_step(&o, MS_NS);
	OK(&o, unc_region_end(regions, "solve"));
	EQ(onsim_trace_count(&o, "10.4"), 0);
	EQ(onsim_trace_count(&o, "pci"), 4); /* two boxes, two reads of each */
	EQ(onsim_trace_count(&o, " w"), 0);
	end();
}

/* More reads than wait for a confirmation. */
TEST(reads_that_wait_are_confirmed_in_time)
{
	start(&later);
	for (unsigned i = 0; i < 100; i++)
		pass("solve", MS_NS);
	region_is(0, "solve", SIZE_MAX, 100, 100);
	reads_are(0);
	end();
}

TEST(a_count_that_was_stolen_once_has_no_number_in_the_sum)
{
	struct unc_count counts[2];

	start(&later);
	pass("solve", 10 * MS_NS);
	onsim_poke(&o, r.box[0], R_CTL3, R_EN | 0x0c04);
	pass("solve", 200 * MS_NS);
	pass("solve", 200 * MS_NS);
	OK(&o, unc_region_counts(regions, 0, counts, 2));
	CU_ASSERT(counts[0].flags & UNC_COUNT_STOLEN);
	EQ(counts[0].delta, 0);
	EQ(counts[1].flags, 0);
	end();
}

TEST(a_region_that_is_too_short_for_its_reads_says_so)
{
	struct unc_region_info info;

	start(NULL);
	pass("long", 100 * MS_NS);
	pass("short", 1000);
	OK(&o, unc_region_info(regions, 0, &info));
	CU_ASSERT(!info.too_short && info.uncertainty_percent > 0);
	OK(&o, unc_region_info(regions, 1, &info));
	CU_ASSERT(info.too_short && info.uncertainty_percent > 1);
	end();
}

TEST(events_that_take_turns_are_scaled_over_all_times)
{
	struct unc_count counts[6];

	ONRUN_START(&r, &o, (&(struct unc_session_cfg){.multiplex = true}), "ch0 cas_count.rd", "ch0 cas_count.wr",
		    "ch0 act_count", "ch0 wpq_inserts", "ch0 rpq_inserts", "ch0 pre_count.page_miss");
	OK(&o, unc_regions_open(r.s, &regions));
	for (unsigned i = 0; i < 20; i++)
		pass("solve", 15 * MS_NS);
	OK(&o, unc_region_counts(regions, 0, counts, 6));
	for (unsigned i = 0; i < 6; i++) {
		EQ(counts[i].flags & UNC_COUNT_NO_NUMBER, 0);
		CU_ASSERT(counts[i].flags & UNC_COUNT_SCALED);
		CU_ASSERT(counts[i].running_ns < counts[i].enabled_ns);
	}
	CU_ASSERT_DOUBLE_EQUAL(unc_count_value(&counts[0]), 20 * 15 * 4e6, 20 * 15 * 4e4);
	end();
}

TEST(what_does_not_fit_together_is_refused_in_a_sentence)
{
	struct unc_region_info info;
	struct unc_count counts[2];

	ONRUN_OPEN(&r, &o, NULL, "ch0 cas_count.rd", "ch1 cas_count.rd");
	FAILS(&o, UNC_EARG, unc_regions_open(r.s, &regions), "unc_session_start");
	onrun_start(&r);
	OK(&o, unc_regions_open(r.s, &regions));
	FAILS(&o, UNC_EARG, unc_region_begin(regions, ""), "name");
	FAILS(&o, UNC_EARG, unc_region_end(regions, "solve"), "solve", "no region");
	OK(&o, unc_region_begin(regions, "solve"));
	onsim_trace_clear(&o);
	FAILS(&o, UNC_EARG, unc_region_end(regions, "copy"), "copy", "solve");
	EQ(onsim_trace_count(&o, "pci"), 0);
	FAILS(&o, UNC_EARG, unc_region_info(regions, 1, &info), "number 1");
	FAILS(&o, UNC_EARG, unc_region_counts(regions, 0, counts, 1), "1 counts");
	end();
	unc_regions_close(NULL);
}
