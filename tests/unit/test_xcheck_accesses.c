// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses that take long, or fail: whatever is ok then is true. */
#include "onxcheck.h"
#include "test.h"

EACH_ON_XCHECK(r, onxcheck_close)

/* ---- accesses that take long ---- */

struct hook {
	uint64_t step_ns;           /* every access takes so much longer */
	unsigned n;                 /* so many of them */
	uint64_t from_ns, until_ns; /* meanwhile CTL0 holds something else; 0: never */
};

static void on_access(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct hook *hook = arg;
	uint64_t now = unc_machine_raw_ns(r.o.m);
	bool other = now >= hook->from_ns && now < hook->until_ns;

	(void)addr, (void)write, (void)off;
	if (hook->n) {
		hook->n--;
		onsim_step(&r.o, hook->step_ns);
	}
	if (hook->until_ns)
		onsim_poke(&r.o, onsim_box(&r.o, "socket0.imc0.ch0"), R_CTL(0), other ? R_EN | 0xc04 : R_EN | 0x304);
}

static void hook_in(struct hook *hook)
{
	r.o.fault.before = on_access;
	r.o.fault.arg = hook;
}

TEST(a_bracket_that_took_long_is_taken_again)
{
	struct hook hook = {.step_ns = 20 * MS_NS, .n = 0};

	ONXCHECK_ADD(&r, "ch0 cas_count.rd");
	hook_in(&hook);
	onxcheck_start(&r);
	onxcheck_goes_on(&r, true);
	onxcheck_sleep_for(&r, S_NS);
	hook.n = 5;
	OK(&r.o, unc_xcheck_sample(r.x));
	onxcheck_is_ok(&r, 0, true);
	CU_ASSERT(r.row.uncertainty < 1000 && r.row.interval_ns > S_NS + 50 * MS_NS);
	onxcheck_sleep_for(&r, S_NS);
	hook.n = 1000;
	OK(&r.o, unc_xcheck_sample(r.x));
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, " counts came while they were read, which took up to ");
	CU_ASSERT(r.row.has_kernel && r.row.has_raw && r.row.has_ours && onxcheck_is_true(&r, &r.row));
	hook.n = 0;
	onxcheck_go_on(&r, 20 * S_NS); /* long enough for what is uncertain at its beginning */
	onxcheck_is_ok(&r, 0, true);
}

/* Between brackets it is looked at ten times a second where we count, else once a minute. */
TEST(a_control_that_was_another_in_between_is_seen)
{
	struct hook hook = {0};

	ONXCHECK_ADD(&r, "ch0 cas_count.rd");
	hook_in(&hook);
	onxcheck_start(&r);
	hook.from_ns = unc_machine_raw_ns(r.o.m) + 30 * S_NS;
	hook.until_ns = hook.from_ns + 60 * S_NS;
	onxcheck_go_on(&r, 100 * S_NS);
	hook.until_ns = 0;
	onxcheck_is_not(&r, 0, UNC_XCHECK_NOT_COMPARABLE, "CTL[0] held 0x00400c04 in between, and not 0x00400304");
	CU_ASSERT(r.row.has_kernel && !r.row.has_raw);
	onxcheck_goes_on(&r, true);
}

static void wipe(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	(void)arg, (void)addr, (void)write, (void)off;
	onsim_poke(&r.o, onsim_box(&r.o, "socket0.imc0.ch0"), R_CTL(0), 0);
}

/* Another process uses CTL0 all the time. */
TEST(a_box_is_found_by_any_of_its_events)
{
	struct hook hook = {0};

	ONXCHECK_ADD(&r, "ch0 cas_count.rd", "ch0 dclk");
	hook_in(&hook);
	r.o.fault.before = wipe;
	onxcheck_start(&r);
	onxcheck_go_on(&r, S_NS);
	onxcheck_is_not(
		&r, 0, UNC_XCHECK_NOT_COMPARABLE,
		"no control follows when perf's event is switched on and off, though perf says that it has a counter "
		"all "
		"the time: it counts somewhere else");
	EQ(r.row.number, 0);
	onxcheck_is_ok(&r, 1, false);
}

/* ---- accesses that fail ---- */

/* Starts, counts, ends, whatever fails on the way: what is ok then is true, and nothing is said to differ. */
static bool live(void)
{
	bool started = unc_xcheck_start(r.x) == 0;

	for (unsigned n = 0; n < 2 && started; n++) {
		unc_xcheck_sleep_until(r.x, unc_machine_mono_ns(r.o.m) + S_NS);
		unc_xcheck_sample(r.x);
		for (size_t i = 0; i < unc_xcheck_count(r.x); i++) {
			const struct unc_xcheck_row *is = onxcheck_row(&r, i);
			bool right = is->verdict == UNC_XCHECK_NOT_COMPARABLE ? is->why && *is->why
				     : is->verdict == UNC_XCHECK_OK           ? onxcheck_is_true(&r, is)
									      : false;

			if (!right)
				onxcheck_show(is);
			CU_ASSERT(right);
		}
	}
	return started;
}

TEST(whatever_access_fails_what_is_ok_is_true)
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
			begin();
			ONXCHECK_ADD(&r, "ch0 cas_count.rd", "ch0 dclk", "ch2 cas_count.wr");
			onsim_fail(&r.o, &fault);
			started = live();
			failed = r.o.fault.done;
			CU_ASSERT(failed || started);
			onsim_work(&r.o);
			CU_ASSERT_EQUAL(unc_xcheck_close(r.x), 0);
			r.x = NULL;
			onxcheck_is_left_as_found(&r);
			onsim_close_any(&r.o);
			CU_ASSERT_FATAL(fault.at < 1000);
		}
		CU_ASSERT(fault.at > 4);
	}
}
