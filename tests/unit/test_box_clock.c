// SPDX-License-Identifier: GPL-2.0-or-later
/* The clock that shows whether a box ran: how its rate is learned, and what is judged before that and after. */
#include "onsim.h"
#include "pmon/counter.h"
#include "pmon/session.h"
#include "test.h"

#define BOX "socket0.imc0.ch0"

static const struct unc_session_cfg later = {.confirm_later = true};

/* Each test begins with a session that has started to count reads in BOX. */
static struct onsim o;
static struct onrun r;
static struct unc_count count;

static void begin(void)
{
	onsim_open(&o, "sockets=1", NULL);
	onrun_open(&r, &o, &later);
	onrun_add(&r, BOX, "cas_count.rd");
	onrun_start(&r);
}

static void end(void)
{
	EQ(unc_session_close(r.s), 0);
	r.s = NULL;
	if (o.m)
		onsim_close(&o);
}
EACH(begin, end)

/* Another session in its place, which is not started; event: what is counted besides. */
static void open_another(const char *own, const struct unc_session_cfg *cfg, const char *event)
{
	end();
	onsim_open(&o, "sockets=1", own);
	onrun_open(&r, &o, cfg);
	onrun_add(&r, BOX, "cas_count.rd");
	if (event)
		onrun_add(&r, BOX, event);
}

static void freeze(bool on)
{
	onsim_poke(&o, r.box[0], R_BOX_CTL, on ? R_FRZ_EN | R_FRZ : R_FRZ_EN);
}

static void stop_for(uint64_t ns)
{
	freeze(true);
	onsim_step(&o, ns);
	freeze(false);
}

static void nap(uint64_t ns)
{
	OK(&o, unc_session_sleep_until(r.s, unc_machine_mono_ns(o.m) + ns));
}

static void read_pending(struct unc_count *ret_count)
{
	OK(&o, unc_session_read(r.s, ret_count, 1));
	EQ(ret_count->flags, UNC_COUNT_PENDING);
}

static void read_and_confirm(unsigned flags)
{
	OK(&o, unc_session_read(r.s, &count, 1));
	OK(&o, unc_session_confirm(r.s, &count, 1));
	EQ(count.flags, flags);
}

static void slow_down(const char *access, unsigned nth, uint64_t ns)
{
	o.slow = access;
	o.slow_nth = nth;
	o.slow_ns = ns;
}

/* Rows of 2 ms until a read looks; in number at, the box stands still for that long.  Returns how many there are, confirmed. */
static unsigned rows_to_look(struct unc_count *ret_rows, unsigned max, unsigned at, uint64_t still_ns)
{
	unsigned n = 0;
	bool pending = true;

	while (n < max && pending) {
		if (n == at)
			stop_for(still_ns);
		nap(2 * MS_NS);
		OK(&o, unc_session_read(r.s, &ret_rows[n], 1));
		pending = ret_rows[n++].flags & UNC_COUNT_PENDING;
	}
	OK(&o, unc_session_confirm(r.s, ret_rows, n));
	return n;
}

/* The look before the stop was interrupted for longer than the stop lasts; or the stop is hardly longer than a read. */
TEST(a_stop_in_rows_of_2_ms_is_seen)
{
	static const uint64_t stops_ns[] = {6000, 12000, 4 * MS_NS};
	enum { ROWS = 60, AT = 20 };

	for (unsigned i = 0; i < 3; i++) {
		struct unc_count rows[ROWS];

		open_another("dword_ns=500", &later, NULL);
		onrun_start(&r);
		rows_to_look(rows, ROWS, ROWS, 0);
		slow_down("rblk 0xd0", 1, 6 * MS_NS);
		rows_to_look(rows, ROWS, ROWS, 0);
		CU_ASSERT_FATAL(rows_to_look(rows, ROWS, AT, stops_ns[i]) > AT);
		EQ(rows[AT].flags, UNC_COUNT_STOPPED);
	}
}

TEST(a_stop_after_an_interrupted_start_is_seen)
{
	open_another(NULL, &later, NULL);
	slow_down("w32 0xf4 0x00010000", 2, 5 * MS_NS);
	onrun_start(&r);
	nap(2 * MS_NS);
	freeze(true);
	nap(4 * MS_NS);
	freeze(false);
	nap(44 * MS_NS);
	read_and_confirm(UNC_COUNT_STOPPED);
}

/* It is after the last read of the counters and before the look: the next count lacks it. */
TEST(a_stop_before_the_look_is_of_the_next_row_too)
{
	nap(50 * MS_NS);
	read_and_confirm(0);
	nap(50 * MS_NS);
	OK(&o, unc_session_read(r.s, &count, 1));
	stop_for(4 * MS_NS);
	OK(&o, unc_session_confirm(r.s, &count, 1));
	EQ(count.flags, UNC_COUNT_STOPPED);
	nap(44 * MS_NS);
	read_and_confirm(UNC_COUNT_STOPPED);
	nap(44 * MS_NS);
	read_and_confirm(0);
}

/* A signal ends the run, so nothing waits any more. */
TEST(a_run_that_ends_before_the_rate_is_known_is_unconfirmed)
{
	onsim_step(&o, 6 * MS_NS);
	OK(&o, unc_session_read(r.s, &count, 1));
	onsim_wake(&o);
	OK(&o, unc_session_confirm(r.s, &count, 1));
	o.m->host->wake_fd = -1;
	EQ(count.flags, UNC_COUNT_UNCONFIRMED);
}

/* Whether looks alone read the clock, or samples too: those of a box that is stopped for each, and those of an event that counts it. */
TEST(a_stop_in_a_run_of_a_few_milliseconds_is_seen)
{
	static const struct {
		struct unc_session_cfg cfg;
		const char *clock;
	} of[] = {{{.confirm_later = true}, NULL},
		  {{.confirm_later = true, .freeze = true}, NULL},
		  {{.confirm_later = true}, "dclk"},
		  {{.confirm_later = true}, "clockticks"}};

	for (unsigned i = 0; i < 8; i++) {
		bool frozen = i % 2;
		struct unc_count counts[2];

		open_another(NULL, &of[i / 2].cfg, of[i / 2].clock);
		onrun_start(&r);
		onsim_step(&o, MS_NS);
		if (frozen)
			freeze(true);
		onsim_step(&o, 2 * MS_NS);
		freeze(false);
		onsim_step(&o, 3 * MS_NS);
		OK(&o, unc_session_read(r.s, counts, r.n));
		EQ(counts[0].flags, UNC_COUNT_PENDING);
		OK(&o, unc_session_confirm(r.s, counts, r.n));
		EQ(counts[0].flags & ~(unsigned)UNC_COUNT_LATE, frozen ? UNC_COUNT_STOPPED : 0);
	}
}

/* Only a look that measures the rate saw the other value. */
TEST(a_control_that_is_put_back_before_the_next_read_was_stolen)
{
	struct unc_count counts[2];
	uint32_t control;

	onsim_step(&o, 5 * MS_NS);
	read_pending(&counts[0]);
	control = onsim_peek(&o, r.box[0], R_CTL3);
	onsim_poke(&o, r.box[0], R_CTL3, 0);
	nap(10 * MS_NS);
	onsim_poke(&o, r.box[0], R_CTL3, control);
	onsim_step(&o, 100 * MS_NS);
	OK(&o, unc_session_read(r.s, &counts[1], 1));
	OK(&o, unc_session_confirm(r.s, counts, 2));
	EQ(counts[0].flags, UNC_COUNT_STOLEN);
	EQ(counts[1].flags, UNC_COUNT_STOLEN);
	onsim_step(&o, 20 * MS_NS);
	read_pending(&count);
	OK(&o, unc_session_confirm(r.s, &count, 1));
	EQ(count.flags, 0);
}

/* The look before the stop is interrupted for longer than the stop lasts. */
TEST(a_look_that_takes_long_is_done_again)
{
	nap(50 * MS_NS);
	read_pending(&count);
	slow_down("rblk 0xd0", 1, 5 * MS_NS);
	OK(&o, unc_session_confirm(r.s, &count, 1));
	EQ(count.flags, 0);
	onsim_step(&o, 30 * MS_NS);
	stop_for(4 * MS_NS);
	onsim_step(&o, 16 * MS_NS);
	read_pending(&count);
	OK(&o, unc_session_confirm(r.s, &count, 1));
	EQ(count.flags, UNC_COUNT_STOPPED);
}

/* Rows of 1 ms, a look every 100 ms: 20 ppm would be 2 us, which is too much of such a row. */
TEST(a_rate_that_drifts_with_the_temperature_is_no_stop)
{
	enum { LOOKS = 600 };
	struct unc_pmon_box pbox;
	uint64_t now_ns = S_NS;
	double rate = 0.8, ticks = 0;
	unsigned stood = 0;

	OK(&o, unc_pmon1_init(onsim_box(&o, BOX), &pbox));
	pbox.clock.slot = &pbox.slots[4];
	for (unsigned k = 0; k < LOOKS; k++) {
		struct unc_stop when = {now_ns - 100, now_ns + 100};

		stood += unc_box_clock_see(&pbox, (uint64_t)ticks, &when, MS_NS) == UNC_CLOCK_STOOD;
		now_ns += 100 * MS_NS;
		rate -= 0.8e-7; /* 0.1 ppm in each tenth of a second */
		ticks += rate * 100e6;
	}
	EQ(stood, 0);
	ticks -= rate * 5e3; /* a stop of 5 us */
	EQ(unc_box_clock_see(&pbox, (uint64_t)ticks, &(struct unc_stop){now_ns - 100, now_ns + 100}, MS_NS),
	   UNC_CLOCK_STOOD);
}

/* The write of freeze was lost, or another program released the box: it was read later than the time that its row has. */
TEST(a_block_that_ran_on_is_unconfirmed)
{
	static const struct unc_session_cfg freezing = {.confirm_later = true, .freeze = true};
	enum { ROWS = 100, AT = 50 };

	open_another(NULL, &freezing, NULL);
	onrun_start(&r);
	for (unsigned k = 0; k < ROWS; k++) {
		if (k == AT)
			ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_DROP, .writes_only = true);
		nap(2 * MS_NS);
		read_and_confirm(k == AT || k == AT + 1 ? UNC_COUNT_UNCONFIRMED : 0);
		if (k == AT)
			onsim_work(&o);
	}
}

/* What its ticks prove is lost once, and its rate is not. */
TEST(a_clock_that_another_program_writes_is_unconfirmed)
{
	for (unsigned k = 0; k < 30; k++) {
		nap(100 * MS_NS);
		if (k == 10)
			onsim_poke48(&o, r.box[0], R_FIXED_CTR, onsim_peek48(&o, r.box[0], R_FIXED_CTR) + 10000000);
		read_and_confirm(k == 10 ? UNC_COUNT_UNCONFIRMED : 0);
	}
}

/* The first rate had stops in it: the true one shows when they end. */
TEST(a_rate_that_was_measured_too_low_is_measured_anew)
{
	for (unsigned ms = 0; ms < 100; ms++) {
		freeze(true);
		nap(MS_NS / 4);
		freeze(false);
		nap(MS_NS - MS_NS / 4);
	}
	OK(&o, unc_session_read(r.s, &count, 1));
	OK(&o, unc_session_confirm(r.s, &count, 1));
	for (unsigned k = 0; k < 2 * UNC_RATES; k++) {
		nap(100 * MS_NS);
		read_and_confirm(k < UNC_RATES - 1 ? UNC_COUNT_UNCONFIRMED : 0);
	}
	freeze(true);
	nap(MS_NS / 4);
	freeze(false);
	nap(100 * MS_NS);
	read_and_confirm(UNC_COUNT_STOPPED);
}

static unsigned next_random(uint64_t *state, unsigned below) /* xorshift64 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (unsigned)(*state % below);
}

/*
 * Whatever another program does, and whenever it is found: the total is the sum of the counts that were confirmed.  Three events are
 * counted all the time, six take turns, and one is in a box that is left alone.
 */
TEST(a_total_is_the_sum_of_what_was_confirmed)
{
	static const char *const events[] = {"cas_count.rd", "cas_count.wr", "act_count",
					     "rpq_inserts",  "wpq_inserts",  "pre_count.page_miss"};
	static const struct unc_session_cfg cfgs[] = {{.confirm_later = true},
						      {.confirm_later = true, .freeze = true},
						      {.confirm_later = true, .multiplex = true}};
	enum { READS = 7, RUNS = 60, MOST = 7 };
	uint64_t seed = 1;

	for (unsigned run = 0; run < RUNS; run++) {
		const struct unc_session_cfg *cfg = &cfgs[run % 3];
		unsigned n = cfg->multiplex ? MOST : 4;
		struct unc_count counts[READS * MOST];
		uint64_t sums[MOST] = {0};

		OK(&o, unc_session_close(r.s));
		onsim_close_any(&o);
		onsim_open(&o, "sockets=1", NULL);
		onrun_open(&r, &o, cfg);
		for (unsigned i = 0; i < n - 1; i++)
			onrun_add(&r, BOX, events[i]);
		onrun_add(&r, "socket0.imc0.ch1", events[0]);
		onrun_start(&r);
		for (unsigned k = 0; k < 8; k++) {
			unsigned reads = 1 + next_random(&seed, READS), done = 0;
			bool pending = true;

			while (done < reads && pending) {
				unsigned what = next_random(&seed, 8);

				if (what == 0)
					onsim_poke(&o, r.box[0], R_CTL(1 + next_random(&seed, 3)), R_EN | 0x0f04);
				else if (what <= 2)
					freeze(what == 1);
				else if (what == 3)
					onsim_poke48(&o, r.box[0], R_CTR(3), 5);
				nap((1 + next_random(&seed, 60)) * MS_NS);
				OK(&o, unc_session_read(r.s, &counts[done * n], n));
				pending = (counts[done * n].flags | counts[done * n + n - 1].flags) & UNC_COUNT_PENDING;
				done++;
			}
			OK(&o, unc_session_confirm(r.s, counts, done * n));
			for (unsigned i = 0; i < done * n; i++) {
				sums[i % n] += counts[i].delta;
				if (counts[i].total != sums[i % n])
					EQ(counts[i].total, sums[i % n]);
			}
		}
	}
	OK(&o, unc_session_close(r.s));
	onsim_close_any(&o);
	r.s = NULL;
}

/* An event that counts less often than every clock would let it wrap unseen. */
TEST(the_clock_is_read_before_it_can_wrap)
{
	const struct unc_unit *unit = r.box[0]->unit;

	CU_ASSERT_TRUE(r.s->poll_ns <= unc_wrap_ns(&unc_box_clock_event, unit->max_clock_hz, unit->counter_bits) / 4);
}
