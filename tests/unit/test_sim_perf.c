// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own counting in memory channels.  Numbers of channels, encodings and the order of accesses are written
 * out here a second time, from Linux 6.1, arch/x86/events/intel/uncore_snbep.c and uncore.c.
 */
#include "test_sim.h"

#include <signal.h>
#include <sys/wait.h>

#include "test.h"

#define ONE    "snbep,sockets=1,clock=step,perf=on"
#define STILL  ONE ",dword_ns=0"
#define TWO    "snbep,sockets=2,clock=step,dword_ns=0,perf=on"
#define READS  "cas_count.rd"
#define WRITES "cas_count.wr"

enum { CTR = 0xa0, FIXED = 0xd0, CTL = 0xd8, FIXED_CTL = 0xf0, BOX_CTL = 0xf4, EN = 0x400000 };
enum { TYPE = 12, RD = 0x304, WR = 0xc04, CLOCK = 0xff, DWORD_NS = 500 };
#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define HOUR   (3600 * SECOND)

static int try_open(struct fx *fx, unsigned number, unsigned cpu, uint64_t config, unsigned *ret_event)
{
	const struct unc_perf_attr attr = {.type = TYPE + number, .config = config, .cpu = cpu};

	return fx->host->ops->perf_open(fx->host, &attr, ret_event);
}

static unsigned opened(struct fx *fx, unsigned number, unsigned cpu, uint64_t config)
{
	unsigned event = 0;
	int rc = try_open(fx, number, cpu, config, &event);

	if (rc < 0)
		fprintf(stderr, "\n%s\n", unc_errmsg(fx->ctx));
	CU_ASSERT_FATAL(rc == 0);
	return event;
}

static void act(struct fx *fx, enum unc_perf_op op, unsigned event)
{
	CU_ASSERT_EQUAL(fx->host->ops->perf(fx->host, op, event, NULL), 0);
}

/* Opened and switched on. */
static unsigned counting(struct fx *fx, unsigned number, unsigned cpu, uint64_t config)
{
	unsigned event = opened(fx, number, cpu, config);

	act(fx, UNC_PERF_ON, event);
	return event;
}

static struct unc_perf_count count(struct fx *fx, unsigned event)
{
	struct unc_perf_count is = {0};

	CU_ASSERT_EQUAL(fx->host->ops->perf(fx->host, UNC_PERF_READ, event, &is), 0);
	return is;
}

static uint64_t now(struct fx *fx)
{
	return fx->host->ops->now_ns(fx->host, UNC_CLOCK_RAW);
}

static uint64_t truth_at(struct fx *fx, const char *at, const char *event, uint64_t raw_ns)
{
	struct unc_addr addr = fx_addr(at);
	uint64_t n = 0;

	CU_ASSERT_EQUAL(unc_sim_truth_events_at(fx->host, &addr, event, raw_ns, &n), 0);
	return n;
}

static uint64_t between(struct fx *fx, const char *at, const char *event, uint64_t from_ns, uint64_t to_ns)
{
	return truth_at(fx, at, event, to_ns) - truth_at(fx, at, event, from_ns);
}

static void done(struct fx *fx)
{
	CU_ASSERT_EQUAL(unc_sim_violations(fx->host), 0);
	fx_close(fx);
}

static void refused(struct fx *fx, int rc, int err, const char *piece)
{
	CU_ASSERT_EQUAL(rc, err);
	if (!strstr(unc_errmsg(fx->ctx), piece))
		fprintf(stderr, "\nno \"%s\" in: %s\n", piece, unc_errmsg(fx->ctx));
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx->ctx), piece));
}

/*
 * On: BOX_CTL is read and written, the counter read low and high, its control written, BOX_CTL read and written.  Off:
 * BOX_CTL twice, the control, the counter, BOX_CTL twice.  So while frz acts, counts begin with the seventh access and
 * end with the second.
 */
TEST(starting_and_stopping_is_what_linux_does)
{
	uint64_t on, off, late;
	unsigned event;
	struct fx fx;

	fx_open(&fx, ONE ",frz_en=rw");
	CU_ASSERT_EQUAL(now(&fx), UINT64_C(1000000000000) + 4 * DWORD_NS); /* what loading it took */
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", BOX_CTL), 0x10000);
	event = opened(&fx, 0, 0, RD);
	CU_ASSERT_EQUAL(now(&fx), UINT64_C(1000000000000) + (4 + 1 + 4) * DWORD_NS); /* it was stopped and released */
	opened(&fx, 0, 0, RD);
	CU_ASSERT_EQUAL(now(&fx), UINT64_C(1000000000000) + (4 + 1 + 4) * DWORD_NS); /* only once */
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", BOX_CTL), 0x10000);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL), 0);
	fx_step(&fx, SECOND);
	on = now(&fx);
	act(&fx, UNC_PERF_ON, event);
	CU_ASSERT_EQUAL(now(&fx), on + 7 * DWORD_NS);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL), EN | RD);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", BOX_CTL), 0x10000);
	fx_step(&fx, SECOND);
	late = now(&fx);
	CU_ASSERT_EQUAL(count(&fx, event).value, between(&fx, "ff:10.0", READS, on + 6 * DWORD_NS, late));
	CU_ASSERT_EQUAL(now(&fx), late + 2 * DWORD_NS);
	fx_step(&fx, SECOND);
	off = now(&fx);
	act(&fx, UNC_PERF_OFF, event);
	CU_ASSERT_EQUAL(now(&fx), off + 7 * DWORD_NS);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL), RD); /* left, not enabled */
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", BOX_CTL), 0x10000);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(count(&fx, event).value, between(&fx, "ff:10.0", READS, on + 6 * DWORD_NS, off + 1 * DWORD_NS));
	CU_ASSERT_EQUAL(count(&fx, event).enabled_ns, off - on);
	CU_ASSERT_EQUAL(count(&fx, event).running_ns, off - on);
	/* The counter was not written. */
	CU_ASSERT_EQUAL(fx_r48(&fx, "ff:10.0", CTR), count(&fx, event).value);
	done(&fx);
}

/* frz_en reads 0, so a read-modify-write of BOX_CTL takes it away, and frz does nothing: counts begin with CTL. */
TEST(without_frz_en_nothing_is_frozen)
{
	uint64_t on, off;
	unsigned event;
	struct fx fx;

	fx_open(&fx, ONE);
	event = opened(&fx, 0, 0, RD);
	on = now(&fx);
	act(&fx, UNC_PERF_ON, event);
	fx_step(&fx, SECOND);
	off = now(&fx);
	act(&fx, UNC_PERF_OFF, event);
	CU_ASSERT_EQUAL(count(&fx, event).value, between(&fx, "ff:10.0", READS, on + 4 * DWORD_NS, off + 2 * DWORD_NS));
	done(&fx);
}

/* What there was is taken off and put on again, in the order in which it was opened. */
TEST(counters_are_taken_from_the_lowest_up)
{
	unsigned rd, wr, clock, act_count;
	uint64_t on, t;
	struct fx fx;

	fx_open(&fx, STILL);
	on = now(&fx);
	rd = counting(&fx, 1, 3, RD);
	wr = opened(&fx, 1, 0, WR);
	clock = counting(&fx, 1, 0, CLOCK);
	act_count = counting(&fx, 1, 0, 0x01);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL), EN | RD);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL + 4), EN | 0x01);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL + 8), 0);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", FIXED_CTL), EN);
	fx_step(&fx, SECOND);
	act(&fx, UNC_PERF_ON, wr);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL), EN | RD);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL + 4), EN | WR);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL + 8), EN | 0x01);
	t = now(&fx);
	act(&fx, UNC_PERF_OFF, rd); /* the others stay where they are */
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL), RD);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", CTL + 4), EN | WR);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(count(&fx, rd).value, between(&fx, "ff:10.1", READS, on, t));
	CU_ASSERT_EQUAL(count(&fx, wr).value, between(&fx, "ff:10.1", WRITES, t, now(&fx)));
	CU_ASSERT_EQUAL(count(&fx, clock).value, UINT64_C(1600000000));
	CU_ASSERT_EQUAL(count(&fx, act_count).value, between(&fx, "ff:10.1", "act_count", on, now(&fx)));
	act(&fx, UNC_PERF_CLOSE, clock);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.1", FIXED_CTL), 0);
	done(&fx);
}

/* In every model: switched on, an event of that number is the only one, in that function. */
TEST(every_channel_has_the_number_that_linux_gives_it)
{
	static const struct {
		const char *machine;
		unsigned cpu;
		struct {
			unsigned number;
			const char *at;
		} channels[9];
	} cases[] = {
		{"snbep,sockets=2", 8, {{0, "ff:10.0"}, {1, "ff:10.1"}, {2, "ff:10.4"}, {3, "ff:10.5"}}},
		{"snbep,sockets=2", 0, {{0, "7f:10.0"}, {1, "7f:10.1"}, {2, "7f:10.4"}, {3, "7f:10.5"}}},
		{"ivt,sockets=1",
		 0,
		 {{0, "ff:10.4"},
		  {1, "ff:10.5"},
		  {2, "ff:10.0"},
		  {3, "ff:10.1"},
		  {4, "ff:1e.4"},
		  {5, "ff:1e.5"},
		  {6, "ff:1e.0"},
		  {7, "ff:1e.1"}}},
		{"hsx,sockets=1", 0, {{0, "ff:14.0"}, {1, "ff:14.1"}, {4, "ff:17.0"}, {5, "ff:17.1"}}},
		{"bdx,sockets=1", 0, {{0, "ff:14.0"}, {1, "ff:14.1"}, {4, "ff:17.0"}, {5, "ff:17.1"}}},
		{"bdxde", 0, {{0, "ff:14.0"}, {1, "ff:14.1"}}},
		{"skx,sockets=2",
		 28,
		 {{0, "ae:0a.2"}, {1, "ae:0a.6"}, {2, "ae:0b.2"}, {3, "ae:0c.2"}, {4, "ae:0c.6"}, {5, "ae:0d.2"}}},
		{"clx,sockets=2", 0, {{0, "3a:0a.2"}, {5, "3a:0d.2"}}},
		{"cpx,sockets=2", 0, {{3, "3a:0c.2"}, {4, "3a:0c.6"}}},
		{"snbep,sockets=1,perf_order=2-3-0-7",
		 0,
		 {{2, "ff:10.0"}, {3, "ff:10.1"}, {0, "ff:10.4"}, {7, "ff:10.5"}}},
		{"snbep,sockets=2,numbering=reversed", 0, {{0, "ff:10.0"}}},
		{"snbep,sockets=2,defect=sockets-swapped:0:1", 0, {{0, "ff:10.0"}}},
	};
	char args[256];
	struct fx fx;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(args, sizeof(args), "%s,clock=step,perf=on", cases[i].machine);
		fx_open(&fx, args);
		for (size_t c = 0; cases[i].channels[c].at; c++) {
			unsigned event = counting(&fx, cases[i].channels[c].number, cases[i].cpu, RD);

			for (size_t other = 0; cases[i].channels[other].at; other++)
				CU_ASSERT_EQUAL(fx_r32(&fx, cases[i].channels[other].at, CTL) & EN,
						other == c ? EN : 0);
			act(&fx, UNC_PERF_CLOSE, event);
		}
		done(&fx);
	}
}

/* Five events take turns on four counters, each gets four fifths of the time, and what it counted is exact in it. */
TEST(more_events_than_counters_take_turns)
{
	static const uint64_t configs[] = {RD, WR, RD, 0x01, RD};
	unsigned events[5];
	struct unc_perf_count is;
	uint64_t on, t;
	struct fx fx;

	fx_open(&fx, STILL);
	fx_step(&fx, MS);
	on = now(&fx);
	for (size_t i = 0; i < 5; i++)
		events[i] = counting(&fx, 2, 0, configs[i]);
	fx_step(&fx, 2 * MS);
	CU_ASSERT_EQUAL(count(&fx, events[0]).running_ns, 2 * MS);
	CU_ASSERT_EQUAL(count(&fx, events[4]).running_ns, 0);
	CU_ASSERT_EQUAL(count(&fx, events[4]).enabled_ns, 2 * MS);
	CU_ASSERT_EQUAL(count(&fx, events[4]).value, 0);
	fx_step(&fx, MS - 1);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.4", CTL), EN | RD);
	fx_step(&fx, 1); /* 4 ms of the machine: the first goes, the others move one down */
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.4", CTL), EN | WR);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.4", CTL + 8), EN | 0x01);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.4", CTL + 12), EN | RD);
	t = now(&fx);
	is = count(&fx, events[0]);
	CU_ASSERT_EQUAL(is.running_ns, 3 * MS);
	CU_ASSERT_EQUAL(is.value, between(&fx, "ff:10.4", READS, on, t));
	fx_step(&fx, 17 * MS); /* all have waited once, the last one first */
	is = count(&fx, events[2]);
	CU_ASSERT_EQUAL(is.enabled_ns, 20 * MS);
	CU_ASSERT_EQUAL(is.running_ns, 16 * MS);
	CU_ASSERT_EQUAL(is.value, between(&fx, "ff:10.4", READS, on, t + 8 * MS) +
					  between(&fx, "ff:10.4", READS, t + 12 * MS, t + 17 * MS));
	fx_step(&fx, 10 * SECOND);
	for (size_t i = 0; i < 5; i++) {
		is = count(&fx, events[i]);
		CU_ASSERT_DOUBLE_EQUAL((double)is.running_ns / (double)is.enabled_ns, 0.8, 0.001);
	}
	/* One goes, and nobody has to wait any more. */
	act(&fx, UNC_PERF_CLOSE, events[0]);
	fx_step(&fx, 4 * MS);
	t = count(&fx, events[1]).running_ns;
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(count(&fx, events[1]).running_ns - t, SECOND);
	CU_ASSERT_EQUAL(count(&fx, events[4]).enabled_ns, now(&fx) - on);
	done(&fx);
}

/* Whoever looks in between, and at what. */
TEST(turns_do_not_depend_on_who_looks)
{
	struct unc_perf_count is[2][6];
	struct fx fx;

	for (unsigned looks = 0; looks < 2; looks++) {
		unsigned events[6];

		fx_open(&fx, STILL);
		for (unsigned i = 0; i < 6; i++)
			events[i] = counting(&fx, 0, 0, i % 2 ? RD : WR);
		for (unsigned ms = 0; ms < 101; ms++) {
			fx_step(&fx, MS);
			if (looks && ms % 3)
				fx_r32(&fx, "ff:10.0", CTR);
			else if (looks)
				count(&fx, events[ms % 6]);
		}
		for (unsigned i = 0; i < 6; i++)
			is[looks][i] = count(&fx, events[i]);
		done(&fx);
	}
	for (unsigned i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(is[0][i].value, is[1][i].value);
		CU_ASSERT_EQUAL(is[0][i].running_ns, is[1][i].running_ns);
		CU_ASSERT(is[0][i].running_ns < is[0][i].enabled_ns);
	}
}

/* Somebody's access may be later than what was due before it ended; nothing is counted backwards for that. */
TEST(turns_are_taken_in_real_time_too)
{
	unsigned events[5];
	struct unc_perf_count begun[5];
	uint64_t start, all_on, last = 0, running = 0, enabled = 0;
	struct fx fx;

	fx_open(&fx, "snbep,sockets=1,perf=on");
	start = now(&fx);
	for (unsigned i = 0; i < 5; i++)
		events[i] = counting(&fx, 0, 0, 0);
	for (unsigned i = 0; i < 5; i++)
		begun[i] = count(&fx, events[i]);
	all_on = now(&fx);
	while (now(&fx) - all_on < 41 * MS) {
		struct unc_perf_count is = count(&fx, events[0]);

		CU_ASSERT(is.value >= last && is.running_ns <= is.enabled_ns);
		last = is.value;
		fx_r32(&fx, "ff:10.0", CTR);
	}
	for (unsigned i = 0; i < 5; i++) {
		struct unc_perf_count is = count(&fx, events[i]);

		CU_ASSERT(is.value > 0 && is.value <= (now(&fx) - start) * 8 / 10);
		running += is.running_ns - begun[i].running_ns;
		enabled += is.enabled_ns - begun[i].enabled_ns;
	}
	CU_ASSERT_DOUBLE_EQUAL((double)running / (double)enabled, 0.8, 0.05);
	done(&fx);
}

/* One that does not fit keeps those behind it waiting, although there is room for them. */
TEST(who_waits_keeps_others_waiting)
{
	unsigned first, second, third;
	struct fx fx;

	fx_open(&fx, STILL);
	first = counting(&fx, 0, 0, CLOCK);
	second = counting(&fx, 0, 0, CLOCK);
	third = counting(&fx, 0, 0, RD);
	fx_step(&fx, 4 * MS - 1);
	CU_ASSERT_EQUAL(count(&fx, first).running_ns, 4 * MS - 1);
	CU_ASSERT_EQUAL(count(&fx, second).running_ns, 0);
	CU_ASSERT_EQUAL(count(&fx, third).running_ns, 0);
	fx_step(&fx, 4 * MS);
	CU_ASSERT_EQUAL(count(&fx, first).running_ns, 4 * MS);
	CU_ASSERT_EQUAL(count(&fx, second).running_ns, 4 * MS - 1);
	CU_ASSERT_EQUAL(count(&fx, third).running_ns, 4 * MS - 1);
	done(&fx);
}

TEST(a_wrap_is_no_loss)
{
	uint64_t on;
	unsigned event, clock;
	struct fx fx;

	fx_open(&fx, STILL);
	fx_w48(&fx, "ff:10.0", CTR, (UINT64_C(1) << 48) - 1000);
	on = now(&fx);
	event = counting(&fx, 0, 0, RD);
	clock = counting(&fx, 0, 0, CLOCK);
	fx_step(&fx, SECOND);
	CU_ASSERT(between(&fx, "ff:10.0", READS, on, now(&fx)) > 1000);
	CU_ASSERT_EQUAL(count(&fx, event).value, between(&fx, "ff:10.0", READS, on, now(&fx)));
	CU_ASSERT_EQUAL(fx_r48(&fx, "ff:10.0", CTR), count(&fx, event).value - 1000);
	/* 2^48 cycles are four days: it was looked at in between. */
	fx_step(&fx, 300 * HOUR - SECOND);
	CU_ASSERT_EQUAL(count(&fx, clock).value, UINT64_C(800000000) * 3600 * 300);
	done(&fx);
}

TEST(a_counter_that_is_set_back_is_a_gain_that_no_hardware_makes)
{
	unsigned event;
	struct fx fx;

	fx_open(&fx, STILL "");
	event = counting(&fx, 0, 0, CLOCK);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(count(&fx, event).value, 800000000);
	fx_w48(&fx, "ff:10.0", FIXED, 0);
	CU_ASSERT_EQUAL(count(&fx, event).value, UINT64_C(1) << 48);
	done(&fx);
}

TEST(events_move_when_they_are_told_to)
{
	unsigned rd, wr;
	uint64_t on;
	struct fx fx;

	fx_open(&fx, STILL ",perf_moves=0.5");
	fx_step(&fx, SECOND);
	on = now(&fx);
	rd = counting(&fx, 0, 0, RD);
	wr = counting(&fx, 0, 0, WR);
	fx_step(&fx, SECOND / 2 - 1);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL), EN | RD);
	fx_step(&fx, 1);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL), RD);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL + 4), WR);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL + 8), EN | WR);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL + 12), EN | RD);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(count(&fx, rd).value, between(&fx, "ff:10.0", READS, on, now(&fx)));
	CU_ASSERT_EQUAL(count(&fx, wr).value, between(&fx, "ff:10.0", WRITES, on, now(&fx)));
	CU_ASSERT_EQUAL(count(&fx, wr).running_ns, now(&fx) - on);
	/* When none is on any more, it begins anew. */
	act(&fx, UNC_PERF_OFF, rd);
	act(&fx, UNC_PERF_OFF, wr);
	act(&fx, UNC_PERF_ON, wr);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL), EN | WR);
	done(&fx);
}

static uint32_t taken(const char *machine, const char *at, uint64_t config)
{
	char args[256];
	uint32_t ctl;
	struct fx fx;

	snprintf(args, sizeof(args), "%s,clock=step,perf=on", machine);
	fx_open(&fx, args);
	counting(&fx, 0, 0, config);
	ctl = fx_r32(&fx, at, CTL);
	done(&fx);
	return ctl;
}

TEST(bits_that_the_driver_does_not_know_are_dropped)
{
	CU_ASSERT_EQUAL(taken("snbep,sockets=1", "ff:10.0", UINT64_C(0x7ff7a0304)), 0xff400304);
	CU_ASSERT_EQUAL(taken("snbep,sockets=1", "ff:10.0", 0x12845678), 0x12c45678);
	CU_ASSERT_EQUAL(taken("ivt,sockets=1", "ff:10.4", 0x01800304), 0x01400304); /* has no invert there */
	CU_ASSERT_EQUAL(taken("hsx,sockets=1", "ff:14.0", 0x01800304), 0x01c00304);
	CU_ASSERT_EQUAL(taken("snbep,sockets=1,perf_mask=0xffff", "ff:10.0", 0x01800304), 0x00400304);
	CU_ASSERT_EQUAL(taken("snbep,sockets=1,perf_mask=0xfffffcff", "ff:10.0", 0x304), 0x00400004);
}

TEST(a_wrong_kernel_says_too_much)
{
	unsigned event;
	struct fx fx;

	fx_open(&fx, STILL ",perf_off=2.5");
	event = counting(&fx, 0, 0, CLOCK);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(count(&fx, event).value, 820000000);
	CU_ASSERT_EQUAL(count(&fx, event).running_ns, SECOND);
	CU_ASSERT_EQUAL(fx_r48(&fx, "ff:10.0", FIXED), 800000000);
	done(&fx);
	fx_open(&fx, STILL ",perf_off=-50");
	event = counting(&fx, 0, 0, CLOCK);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(count(&fx, event).value, 400000000);
	done(&fx);
}

TEST(what_cannot_be_had_is_refused)
{
	struct unc_perf_count is;
	unsigned event;
	struct fx fx;

	fx_open(&fx, "snbep,clock=step");
	refused(&fx, try_open(&fx, 0, 0, RD, &event), UNC_ENOSUP, "perf=on");
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:10.0", CTL), 0);
	done(&fx);
	fx_open(&fx, TWO ",offline=3,hide=ff:10.4,hide=7f:10.5,hide=ff:10.5");
	refused(&fx, try_open(&fx, 4, 0, RD, &event), UNC_ENODEV, "PMU 16, config 0x304, CPU 0: No such file");
	refused(&fx, try_open(&fx, 3, 0, RD, &event), UNC_ENODEV, "no PMU has that number");
	refused(&fx, try_open(&fx, (unsigned)-TYPE, 0, RD, &event), UNC_ENODEV, "PMU 0, config");
	refused(&fx, try_open(&fx, 0, 1000, RD, &event), UNC_ENODEV, "CPU 1000: No such device");
	refused(&fx, try_open(&fx, 0, 3, RD, &event), UNC_ENODEV, "offline");
	refused(&fx, try_open(&fx, 2, 8, RD, &event), UNC_EARG,
		"uncore_imc_2 (PMU 14), config 0x304, CPU 8: Invalid argument");
	event = opened(&fx, 2, 0, RD);
	refused(&fx, fx.host->ops->perf(fx.host, UNC_PERF_ON, event + 1, NULL), UNC_EARG, "no open event 1");
	refused(&fx, fx.host->ops->perf(fx.host, UNC_PERF_ON, 100000, NULL), UNC_EARG, "no open event 100000");
	act(&fx, UNC_PERF_CLOSE, event);
	refused(&fx, fx.host->ops->perf(fx.host, UNC_PERF_READ, event, &is), UNC_EARG, "no open event 0");
	done(&fx);
	fx_open(&fx, ONE ",perf_paranoid=1");
	refused(&fx, try_open(&fx, 0, 0, RD, &event), UNC_EPERM, "kernel.perf_event_paranoid is 1");
	done(&fx);
	fx_open(&fx, ONE ",perf_paranoid=0");
	opened(&fx, 0, 0, RD);
	done(&fx);
}

TEST(it_has_many_events_but_not_any_number)
{
	unsigned event = 0;
	struct fx fx;

	fx_open(&fx, ONE);
	for (unsigned i = 0; i < 512; i++)
		opened(&fx, i % 4, 0, RD);
	refused(&fx, try_open(&fx, 0, 0, RD, &event), UNC_ENOMEM, "512 events");
	act(&fx, UNC_PERF_CLOSE, 7);
	CU_ASSERT_EQUAL(opened(&fx, 0, 0, RD), 7);
	done(&fx);
}

/* They share the counters of one machine, and each has its own events; whose opener is gone, ends. */
TEST(several_openers_have_one_kernel)
{
	char *path = fx_file(NULL), args[256], plain[256];
	unsigned mine, his;
	struct fx a, b, c;
	pid_t child;

	snprintf(args, sizeof(args), STILL ",state=%s", path);
	snprintf(plain, sizeof(plain), "snbep,sockets=1,clock=step,dword_ns=0,state=%s", path);
	fx_open(&a, args);
	fx_w32(&a, "ff:10.5", CTL + 12, 0x55);
	mine = counting(&a, 0, 0, RD);
	fx_open(&b, args); /* the driver is loaded once */
	CU_ASSERT_EQUAL(fx_r32(&b, "ff:10.5", CTL + 12), 0x55);
	his = counting(&b, 0, 0, WR);
	CU_ASSERT_NOT_EQUAL(mine, his);
	refused(&b, b.host->ops->perf(b.host, UNC_PERF_OFF, mine, NULL), UNC_EARG, "no open event");
	CU_ASSERT_EQUAL(fx_r32(&a, "ff:10.0", CTL), EN | RD);
	CU_ASSERT_EQUAL(fx_r32(&a, "ff:10.0", CTL + 4), EN | WR);
	fx_close(&b);
	CU_ASSERT_EQUAL(fx_r32(&a, "ff:10.0", CTL + 4), WR);
	child = fork();
	if (child == 0) {
		struct fx killed;

		fx_open(&killed, args);
		counting(&killed, 0, 0, 0x01);
		kill(getpid(), SIGKILL);
	}
	CU_ASSERT_EQUAL(waitpid(child, NULL, 0), child);
	CU_ASSERT_EQUAL(fx_r32(&a, "ff:10.0", CTL + 4), EN | 0x01);
	fx_open(&c, plain); /* a kernel cleans up, whoever looks */
	CU_ASSERT_EQUAL(fx_r32(&c, "ff:10.0", CTL + 4), 0x01);
	CU_ASSERT_EQUAL(fx_r32(&c, "ff:10.0", CTL), EN | RD);
	fx_close(&c);
	done(&a);
	fx_unlink(path);
}

TEST(keys_that_make_no_sense_are_refused)
{
	FX_REFUSED("snbep,perf=yes", UNC_EARG, "perf=yes", "on or off");
	FX_REFUSED("snbep,perf_order=0-1-2-3", UNC_EARG, "perf_order", "add perf=on");
	FX_REFUSED("snbep,perf_off=1", UNC_EARG, "perf_off", "add perf=on");
	FX_REFUSED("snbep,perf=on,perf_order=0-1-2", UNC_EARG, "perf_order=0-1-2", "4 different numbers");
	FX_REFUSED("snbep,perf=on,perf_order=0-1-2-2", UNC_EARG, "perf_order=0-1-2-2");
	FX_REFUSED("snbep,perf=on,perf_order=0-1-2-3-4", UNC_EARG, "perf_order=");
	FX_REFUSED("snbep,perf=on,perf_order=0-1-2-16", UNC_EARG, "perf_order=");
	FX_REFUSED("snbep,perf=on,perf_moves=0", UNC_EARG, "perf_moves=0", "seconds");
	FX_REFUSED("snbep,perf=on,perf_mask=x", UNC_EARG, "perf_mask=x");
	FX_REFUSED("snbep,perf=on,perf_mask=0x100000000", UNC_EARG, "perf_mask=");
	FX_REFUSED("snbep,perf=on,perf_off=0", UNC_EARG, "perf_off=0");
	FX_REFUSED("snbep,perf=on,perf_paranoid=-2", UNC_EARG, "perf_paranoid=-2");
	FX_REFUSED("snbep,perf=on,perf_paranoid=5", UNC_EARG, "perf_paranoid=5");
	FX_REFUSED("zen2,perf=on", UNC_EARG, "perf=on", "no memory channels");
	FX_REFUSED("zen4,perf=on,perf_order=0", UNC_EARG, "no memory channels");
}
