// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own counting in memory channels.  Numbers of channels, encodings and the order of accesses are written
 * out here a second time, from Linux 6.1, arch/x86/events/intel/uncore_snbep.c and uncore.c.
 */
#include "test_sim.h"

#include <signal.h>
#include <sys/wait.h>

#define ONE   "snbep,sockets=1,clock=step,perf=on"
#define STILL ONE ",dword_ns=0"
#define TWO   "snbep,sockets=2,clock=step,dword_ns=0,perf=on"

enum { TYPE = 12, RD = 0x304, WR = 0xc04, CLOCK = 0xff, DWORD_NS = 500 };
#define HOUR (3600 * SECOND)

static void open_still(void)
{
	fx_open(STILL);
}

BEFORE_EACH(open_still)

static int try_open(unsigned number, unsigned cpu, uint64_t config, unsigned *ret_event)
{
	const struct unc_perf_attr attr = {.type = TYPE + number, .config = config, .cpu = cpu};

	return fx.host->ops->perf_open(fx.host, &attr, ret_event);
}

static unsigned opened(unsigned number, unsigned cpu, uint64_t config)
{
	unsigned event = 0;
	int rc = try_open(number, cpu, config, &event);

	if (rc < 0)
		fprintf(stderr, "\n%s\n", unc_errmsg(fx.ctx));
	CU_ASSERT_FATAL(rc == 0);
	return event;
}

static void act(enum unc_perf_op op, unsigned event)
{
	CU_ASSERT_EQUAL(fx.host->ops->perf(fx.host, op, event, NULL), 0);
}

/* Opened and switched on. */
static unsigned counting(unsigned number, unsigned cpu, uint64_t config)
{
	unsigned event = opened(number, cpu, config);

	act(UNC_PERF_ON, event);
	return event;
}

static struct unc_perf_count count(unsigned event)
{
	struct unc_perf_count is = {0};

	CU_ASSERT_EQUAL(fx.host->ops->perf(fx.host, UNC_PERF_READ, event, &is), 0);
	return is;
}

static uint64_t between(const char *at, const char *event, uint64_t from_ns, uint64_t to_ns)
{
	return fx_truth_at(at, event, to_ns) - fx_truth_at(at, event, from_ns);
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

	fx_open(ONE ",frz_en=rw");
	CU_ASSERT_EQUAL(fx_raw_ns(), UINT64_C(1000000000000) + 4 * DWORD_NS); /* what loading it took */
	IS32("ff:10.0", {BOX_CTL, 0x10000});
	event = opened(0, 0, RD);
	CU_ASSERT_EQUAL(fx_raw_ns(),
			UINT64_C(1000000000000) + (4 + 1 + 4) * DWORD_NS); /* it was stopped and released */
	opened(0, 0, RD);
	CU_ASSERT_EQUAL(fx_raw_ns(), UINT64_C(1000000000000) + (4 + 1 + 4) * DWORD_NS); /* only once */
	IS32("ff:10.0", {BOX_CTL, 0x10000}, {CTL, 0});
	fx_step(SECOND);
	on = fx_raw_ns();
	act(UNC_PERF_ON, event);
	CU_ASSERT_EQUAL(fx_raw_ns(), on + 7 * DWORD_NS);
	IS32("ff:10.0", {CTL, EN | RD}, {BOX_CTL, 0x10000});
	fx_step(SECOND);
	late = fx_raw_ns();
	CU_ASSERT_EQUAL(count(event).value, between("ff:10.0", "cas_count.rd", on + 6 * DWORD_NS, late));
	CU_ASSERT_EQUAL(fx_raw_ns(), late + 2 * DWORD_NS);
	fx_step(SECOND);
	off = fx_raw_ns();
	act(UNC_PERF_OFF, event);
	CU_ASSERT_EQUAL(fx_raw_ns(), off + 7 * DWORD_NS);
	IS32("ff:10.0", {CTL, RD}); /* left, not enabled */
	IS32("ff:10.0", {BOX_CTL, 0x10000});
	fx_step(SECOND);
	CU_ASSERT_EQUAL(count(event).value, between("ff:10.0", "cas_count.rd", on + 6 * DWORD_NS, off + 1 * DWORD_NS));
	CU_ASSERT_EQUAL(count(event).enabled_ns, off - on);
	CU_ASSERT_EQUAL(count(event).running_ns, off - on);
	/* The counter was not written. */
	IS48("ff:10.0", {CTR, count(event).value});
}

/* frz_en reads 0, so a read-modify-write of BOX_CTL takes it away, and frz does nothing: counts begin with CTL. */
TEST(without_frz_en_nothing_is_frozen)
{
	uint64_t on, off;
	unsigned event;

	fx_open(ONE);
	event = opened(0, 0, RD);
	on = fx_raw_ns();
	act(UNC_PERF_ON, event);
	fx_step(SECOND);
	off = fx_raw_ns();
	act(UNC_PERF_OFF, event);
	CU_ASSERT_EQUAL(count(event).value, between("ff:10.0", "cas_count.rd", on + 4 * DWORD_NS, off + 2 * DWORD_NS));
}

/* What there was is taken off and put on again, in the order in which it was opened. */
TEST(counters_are_taken_from_the_lowest_up)
{
	unsigned rd, wr, clock, act_count;
	uint64_t on, t;

	on = fx_raw_ns();
	rd = counting(1, 3, RD);
	wr = opened(1, 0, WR);
	clock = counting(1, 0, CLOCK);
	act_count = counting(1, 0, 0x01);
	IS32("ff:10.1", {CTL, EN | RD}, {CTL + 4, EN | 0x01}, {CTL + 8, 0}, {FIXED_CTL, EN});
	fx_step(SECOND);
	act(UNC_PERF_ON, wr);
	IS32("ff:10.1", {CTL, EN | RD}, {CTL + 4, EN | WR}, {CTL + 8, EN | 0x01});
	t = fx_raw_ns();
	act(UNC_PERF_OFF, rd); /* the others stay where they are */
	IS32("ff:10.1", {CTL, RD}, {CTL + 4, EN | WR});
	fx_step(SECOND);
	CU_ASSERT_EQUAL(count(rd).value, between("ff:10.1", "cas_count.rd", on, t));
	CU_ASSERT_EQUAL(count(wr).value, between("ff:10.1", "cas_count.wr", t, fx_raw_ns()));
	CU_ASSERT_EQUAL(count(clock).value, UINT64_C(1600000000));
	CU_ASSERT_EQUAL(count(act_count).value, between("ff:10.1", "act_count", on, fx_raw_ns()));
	act(UNC_PERF_CLOSE, clock);
	IS32("ff:10.1", {FIXED_CTL, 0});
}

/* In every model: switched on, an event of that number is the only one, in that function. */
TEST(every_channel_has_the_number_that_linux_gives_it)
{
	static const struct {
		const char *machine;
		unsigned cpu;
		const char *channels; /* "NUMBER=ADDRESS ..." */
	} cases[] = {
		{"snbep,sockets=2", 8, "0=ff:10.0 1=ff:10.1 2=ff:10.4 3=ff:10.5"},
		{"snbep,sockets=2", 0, "0=7f:10.0 1=7f:10.1 2=7f:10.4 3=7f:10.5"},
		{"ivt,sockets=1", 0, "0=ff:10.4 1=ff:10.5 2=ff:10.0 3=ff:10.1 4=ff:1e.4 5=ff:1e.5 6=ff:1e.0 7=ff:1e.1"},
		{"hsx,sockets=1", 0, "0=ff:14.0 1=ff:14.1 4=ff:17.0 5=ff:17.1"},
		{"bdx,sockets=1", 0, "0=ff:14.0 1=ff:14.1 4=ff:17.0 5=ff:17.1"},
		{"bdxde", 0, "0=ff:14.0 1=ff:14.1"},
		{"skx,sockets=2", 28, "0=ae:0a.2 1=ae:0a.6 2=ae:0b.2 3=ae:0c.2 4=ae:0c.6 5=ae:0d.2"},
		{"clx,sockets=2", 0, "0=3a:0a.2 5=3a:0d.2"},
		{"cpx,sockets=2", 0, "3=3a:0c.2 4=3a:0c.6"},
		{"snbep,sockets=1,perf_order=2-3-0-7", 0, "2=ff:10.0 3=ff:10.1 0=ff:10.4 7=ff:10.5"},
		{"snbep,sockets=2,numbering=reversed", 0, "0=ff:10.0"},
		{"snbep,sockets=2,defect=sockets-swapped:0:1", 0, "0=ff:10.0"},
	};

	for (size_t i = 0; i < N(cases); i++) {
		unsigned number[9], n = 0;
		char at[9][8];

		for (const char *c = cases[i].channels; sscanf(c, "%u=%7s", &number[n], at[n]) == 2; n++)
			c += strcspn(c, " ") + (c[strcspn(c, " ")] == ' ');
		CU_ASSERT(n > 0);
		fx_open(fx_text("%s,clock=step,perf=on", cases[i].machine));
		for (unsigned c = 0; c < n; c++) {
			unsigned event = counting(number[c], cases[i].cpu, RD);

			for (unsigned other = 0; other < n; other++)
				CU_ASSERT_EQUAL(fx_r32(at[other], CTL) & EN, other == c ? EN : 0);
			act(UNC_PERF_CLOSE, event);
		}
	}
}

/* Five events take turns on four counters, each gets four fifths of the time, and what it counted is exact in it. */
TEST(more_events_than_counters_take_turns)
{
	static const uint64_t configs[] = {RD, WR, RD, 0x01, RD};
	unsigned events[5];
	struct unc_perf_count is;
	uint64_t on, t;

	fx_step(MS);
	on = fx_raw_ns();
	for (size_t i = 0; i < 5; i++)
		events[i] = counting(2, 0, configs[i]);
	fx_step(2 * MS);
	CU_ASSERT_EQUAL(count(events[0]).running_ns, 2 * MS);
	CU_ASSERT_EQUAL(count(events[4]).running_ns, 0);
	CU_ASSERT_EQUAL(count(events[4]).enabled_ns, 2 * MS);
	CU_ASSERT_EQUAL(count(events[4]).value, 0);
	fx_step(MS - 1);
	IS32("ff:10.4", {CTL, EN | RD});
	fx_step(1); /* 4 ms of the machine: the first goes, the others move one down */
	IS32("ff:10.4", {CTL, EN | WR}, {CTL + 8, EN | 0x01}, {CTL + 12, EN | RD});
	t = fx_raw_ns();
	is = count(events[0]);
	CU_ASSERT_EQUAL(is.running_ns, 3 * MS);
	CU_ASSERT_EQUAL(is.value, between("ff:10.4", "cas_count.rd", on, t));
	fx_step(17 * MS); /* all have waited once, the last one first */
	is = count(events[2]);
	CU_ASSERT_EQUAL(is.enabled_ns, 20 * MS);
	CU_ASSERT_EQUAL(is.running_ns, 16 * MS);
	CU_ASSERT_EQUAL(is.value, between("ff:10.4", "cas_count.rd", on, t + 8 * MS) +
					  between("ff:10.4", "cas_count.rd", t + 12 * MS, t + 17 * MS));
	fx_step(10 * SECOND);
	for (size_t i = 0; i < 5; i++) {
		is = count(events[i]);
		CU_ASSERT_DOUBLE_EQUAL((double)is.running_ns / (double)is.enabled_ns, 0.8, 0.001);
	}
	/* One goes, and no event has to wait any more. */
	act(UNC_PERF_CLOSE, events[0]);
	fx_step(4 * MS);
	t = count(events[1]).running_ns;
	fx_step(SECOND);
	CU_ASSERT_EQUAL(count(events[1]).running_ns - t, SECOND);
	CU_ASSERT_EQUAL(count(events[4]).enabled_ns, fx_raw_ns() - on);
}

/* The same whatever is looked at in between. */
TEST(turns_do_not_depend_on_who_looks)
{
	struct unc_perf_count is[2][6];

	for (unsigned looks = 0; looks < 2; looks++) {
		unsigned events[6];

		fx_open(STILL);
		for (unsigned i = 0; i < 6; i++)
			events[i] = counting(0, 0, i % 2 ? RD : WR);
		for (unsigned ms = 0; ms < 101; ms++) {
			fx_step(MS);
			if (looks && ms % 3)
				fx_r32("ff:10.0", CTR);
			else if (looks)
				count(events[ms % 6]);
		}
		for (unsigned i = 0; i < 6; i++)
			is[looks][i] = count(events[i]);
	}
	for (unsigned i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(is[0][i].value, is[1][i].value);
		CU_ASSERT_EQUAL(is[0][i].running_ns, is[1][i].running_ns);
		CU_ASSERT(is[0][i].running_ns < is[0][i].enabled_ns);
	}
}

/* An access may be later than what was due before it ended; nothing is counted backwards for that. */
TEST(turns_are_taken_in_real_time_too)
{
	unsigned events[5];
	struct unc_perf_count begun[5];
	uint64_t start, all_on, last = 0, running = 0, enabled = 0;

	fx_open("snbep,sockets=1,perf=on");
	start = fx_raw_ns();
	for (unsigned i = 0; i < 5; i++)
		events[i] = counting(0, 0, 0);
	for (unsigned i = 0; i < 5; i++)
		begun[i] = count(events[i]);
	all_on = fx_raw_ns();
	while (fx_raw_ns() - all_on < 41 * MS) {
		struct unc_perf_count is = count(events[0]);

		CU_ASSERT(is.value >= last && is.running_ns <= is.enabled_ns);
		last = is.value;
		fx_r32("ff:10.0", CTR);
	}
	for (unsigned i = 0; i < 5; i++) {
		struct unc_perf_count is = count(events[i]);

		CU_ASSERT(is.value > 0 && is.value <= (fx_raw_ns() - start) * 8 / 10);
		running += is.running_ns - begun[i].running_ns;
		enabled += is.enabled_ns - begun[i].enabled_ns;
	}
	CU_ASSERT_DOUBLE_EQUAL((double)running / (double)enabled, 0.8, 0.05);
}

/* One that does not fit keeps those behind it waiting, although there is room for them. */
TEST(who_waits_keeps_others_waiting)
{
	unsigned first = counting(0, 0, CLOCK), second = counting(0, 0, CLOCK), third = counting(0, 0, RD);

	fx_step(4 * MS - 1);
	CU_ASSERT_EQUAL(count(first).running_ns, 4 * MS - 1);
	CU_ASSERT_EQUAL(count(second).running_ns, 0);
	CU_ASSERT_EQUAL(count(third).running_ns, 0);
	fx_step(4 * MS);
	CU_ASSERT_EQUAL(count(first).running_ns, 4 * MS);
	CU_ASSERT_EQUAL(count(second).running_ns, 4 * MS - 1);
	CU_ASSERT_EQUAL(count(third).running_ns, 4 * MS - 1);
}

TEST(a_wrap_is_no_loss)
{
	uint64_t on;
	unsigned event, clock;

	fx_w48("ff:10.0", CTR, (UINT64_C(1) << 48) - 1000);
	on = fx_raw_ns();
	event = counting(0, 0, RD);
	clock = counting(0, 0, CLOCK);
	fx_step(SECOND);
	CU_ASSERT(between("ff:10.0", "cas_count.rd", on, fx_raw_ns()) > 1000);
	CU_ASSERT_EQUAL(count(event).value, between("ff:10.0", "cas_count.rd", on, fx_raw_ns()));
	IS48("ff:10.0", {CTR, count(event).value - 1000});
	/* 2^48 cycles are four days: it was looked at in between. */
	fx_step(300 * HOUR - SECOND);
	CU_ASSERT_EQUAL(count(clock).value, UINT64_C(800000000) * 3600 * 300);
}

TEST(a_counter_that_is_set_back_is_a_gain_that_no_hardware_makes)
{
	unsigned event = counting(0, 0, CLOCK);

	fx_step(SECOND);
	CU_ASSERT_EQUAL(count(event).value, 800000000);
	fx_w48("ff:10.0", FIXED, 0);
	CU_ASSERT_EQUAL(count(event).value, UINT64_C(1) << 48);
}

TEST(events_move_when_they_are_told_to)
{
	unsigned rd, wr;
	uint64_t on;

	fx_open(STILL ",perf_moves=0.5");
	fx_step(SECOND);
	on = fx_raw_ns();
	rd = counting(0, 0, RD);
	wr = counting(0, 0, WR);
	fx_step(SECOND / 2 - 1);
	IS32("ff:10.0", {CTL, EN | RD});
	fx_step(1);
	IS32("ff:10.0", {CTL, RD}, {CTL + 4, WR}, {CTL + 8, EN | WR}, {CTL + 12, EN | RD});
	fx_step(SECOND);
	CU_ASSERT_EQUAL(count(rd).value, between("ff:10.0", "cas_count.rd", on, fx_raw_ns()));
	CU_ASSERT_EQUAL(count(wr).value, between("ff:10.0", "cas_count.wr", on, fx_raw_ns()));
	CU_ASSERT_EQUAL(count(wr).running_ns, fx_raw_ns() - on);
	/* When none is on any more, it begins anew. */
	act(UNC_PERF_OFF, rd);
	act(UNC_PERF_OFF, wr);
	act(UNC_PERF_ON, wr);
	IS32("ff:10.0", {CTL, EN | WR});
}

static uint32_t taken(const char *machine, const char *at, uint64_t config)
{
	fx_open(fx_text("%s,clock=step,perf=on", machine));
	counting(0, 0, config);
	return (uint32_t)fx_r32(at, CTL);
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

	fx_open(STILL ",perf_off=2.5");
	event = counting(0, 0, CLOCK);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(count(event).value, 820000000);
	CU_ASSERT_EQUAL(count(event).running_ns, SECOND);
	IS48("ff:10.0", {FIXED, 800000000});
	fx_open(STILL ",perf_off=-50");
	event = counting(0, 0, CLOCK);
	fx_step(SECOND);
	CU_ASSERT_EQUAL(count(event).value, 400000000);
}

TEST(what_cannot_be_had_is_refused)
{
	struct unc_perf_count is;
	unsigned event;

	fx_open("snbep,clock=step");
	FAILS(try_open(0, 0, RD, &event), UNC_ENOSUP, "perf=on");
	IS32("ff:10.0", {CTL, 0});
	fx_open(TWO ",offline=3,hide=ff:10.4,hide=7f:10.5,hide=ff:10.5");
	FAILS(try_open(4, 0, RD, &event), UNC_ENODEV, "PMU 16, config 0x304, CPU 0: No such file");
	FAILS(try_open(3, 0, RD, &event), UNC_ENODEV, "no PMU has that number");
	FAILS(try_open((unsigned)-TYPE, 0, RD, &event), UNC_ENODEV, "PMU 0, config");
	FAILS(try_open(0, 1000, RD, &event), UNC_ENODEV, "CPU 1000: No such device");
	FAILS(try_open(0, 3, RD, &event), UNC_ENODEV, "offline");
	FAILS(try_open(2, 8, RD, &event), UNC_EARG, "uncore_imc_2 (PMU 14), config 0x304, CPU 8: Invalid argument");
	event = opened(2, 0, RD);
	FAILS(fx.host->ops->perf(fx.host, UNC_PERF_ON, event + 1, NULL), UNC_EARG, "no open event 1");
	FAILS(fx.host->ops->perf(fx.host, UNC_PERF_ON, 100000, NULL), UNC_EARG, "no open event 100000");
	act(UNC_PERF_CLOSE, event);
	FAILS(fx.host->ops->perf(fx.host, UNC_PERF_READ, event, &is), UNC_EARG, "no open event 0");
	fx_open(ONE ",perf_paranoid=1");
	FAILS(try_open(0, 0, RD, &event), UNC_EPERM, "kernel.perf_event_paranoid is 1");
	fx_open(ONE ",perf_paranoid=0");
	opened(0, 0, RD);
}

TEST(it_has_many_events_but_not_any_number)
{
	unsigned event = 0;

	fx_open(ONE);
	for (unsigned i = 0; i < 512; i++)
		opened(i % 4, 0, RD);
	FAILS(try_open(0, 0, RD, &event), UNC_ENOMEM, "512 events");
	act(UNC_PERF_CLOSE, 7);
	CU_ASSERT_EQUAL(opened(0, 0, RD), 7);
}

/* They share the counters of one machine, and each has its own events; whose opener is gone, ends. */
TEST(several_openers_have_one_kernel)
{
	const char *plain = fx_text("snbep,sockets=1,clock=step,dword_ns=0,state=%s", fx_file(NULL));
	const char *perf = fx_text("%s,perf=on", plain);
	unsigned mine, other;
	pid_t child;

	fx_open(perf);
	fx_w32("ff:10.5", CTL + 12, 0x55);
	mine = counting(0, 0, RD);
	fx_use(1);
	fx_open(perf); /* the driver is loaded once */
	IS32("ff:10.5", {CTL + 12, 0x55});
	other = counting(0, 0, WR);
	CU_ASSERT_NOT_EQUAL(mine, other);
	FAILS(fx.host->ops->perf(fx.host, UNC_PERF_OFF, mine, NULL), UNC_EARG, "no open event");
	fx_use(0);
	IS32("ff:10.0", {CTL, EN | RD}, {CTL + 4, EN | WR});
	fx_use(1);
	fx_close();
	fx_use(0);
	IS32("ff:10.0", {CTL + 4, WR});
	child = fork();
	if (child == 0) {
		fx_use(1);
		fx_open(perf);
		counting(0, 0, 0x01);
		kill(getpid(), SIGKILL);
	}
	CU_ASSERT_EQUAL(waitpid(child, NULL, 0), child);
	IS32("ff:10.0", {CTL + 4, EN | 0x01});
	fx_use(1);
	fx_open(plain); /* a kernel cleans up, whichever program looks */
	IS32("ff:10.0", {CTL + 4, 0x01}, {CTL, EN | RD});
	fx_use(0);
}

TEST(keys_that_make_no_sense_are_refused)
{
	BAD_KEYS("snbep", {"perf=yes", "on or off"});
	FX_REFUSED("snbep,perf_order=0-1-2-3", "perf_order", "add perf=on");
	FX_REFUSED("snbep,perf_off=1", "perf_off", "add perf=on");
	BAD_KEYS("snbep,perf=on", {"perf_order=0-1-2", "4 different numbers"}, {"perf_order=0-1-2-2"},
		 {"perf_order=0-1-2-3-4"}, {"perf_order=0-1-2-16"}, {"perf_moves=0", "seconds"}, {"perf_mask=x"},
		 {"perf_mask=0x100000000"}, {"perf_off=0"}, {"perf_paranoid=-2"}, {"perf_paranoid=5"});
	BAD_KEYS("zen2", {"perf=on", "no memory channels"});
	FX_REFUSED("zen4,perf=on,perf_order=0", "no memory channels");
}
