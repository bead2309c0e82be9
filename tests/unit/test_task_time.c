// SPDX-License-Identifier: GPL-2.0-or-later
/* How much of the time of its CPUs is a task's, and how much is others'. */
#include "fakeproc.h"
#include "test.h"

static struct desk d;
static struct cpu_ticks now[4];

static void end(void)
{
	desk_close(&d);
}

/* The process, with a CPU file of at_first; none of its time is another's yet. */
static void begin(void)
{
	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	memcpy(now, at_first, sizeof(now));
}
EACH(begin, end)

/* What is told so much later, when the CPUs have used what is in now. */
static unsigned after(uint64_t ns)
{
	put_cpus(&d, now, 0, 4);
	d.f.now_ns += ns;
	return look(&d);
}

/* CPUs 2 and 3, ten seconds later: with these ticks of the one process, and these of another one. */
static unsigned ten_seconds(unsigned its, unsigned others)
{
	now[0].user += 1000; /* where it may not run */
	now[2].user += its;
	now[2].idle += 1000 - its;
	now[3].system += others;
	now[3].idle += 1000 - others;
	put_process(&d, "100", 5000, (struct times){10 + its, 20, 0, 0});
	return after(10 * S_NS);
}

static unsigned after_ten_seconds(unsigned its, unsigned others)
{
	begin();
	desk_open(&d);
	EQ(look(&d), 0);
	return ten_seconds(its, others);
}

TEST(more_than_two_per_cent_of_others_is_told)
{
	EQ(after_ten_seconds(1000, 0), 0);
	EQ(after_ten_seconds(500, 38), 0); /* 1.9 % of 2000 ticks */
	EQ(after_ten_seconds(500, 40), 0);
	EQ(after_ten_seconds(500, 41), UNC_TASK_OTHERS);
	EQ(after_ten_seconds(500, 42), UNC_TASK_OTHERS); /* 2.1 % */
	EQ(after_ten_seconds(0, 42), UNC_TASK_OTHERS);
	EQ(after_ten_seconds(0, 0), 0);
}

TEST(every_kind_of_time_but_idle_and_iowait_is_work)
{
	static const struct cpu_ticks kinds[] = {
		{.user = 100}, {.nice = 100}, {.system = 100}, {.irq = 100}, {.softirq = 100}, {.steal = 100},
	};
	static const struct cpu_ticks none[] = {{.idle = 100}, {.iowait = 100}};

	for (unsigned i = 0; i < 8; i++) {
		const unsigned *add = (const unsigned *)(i < 6 ? &kinds[i] : &none[i - 6]);

		begin();
		desk_open(&d);
		for (unsigned k = 0; k < sizeof(now[0]) / sizeof(unsigned); k++)
			((unsigned *)&now[2])[k] += add[k];
		now[2].idle += 900;
		now[3].idle += 1000;
		EQ(after(10 * S_NS), i < 6 ? UNC_TASK_OTHERS : 0);
	}
}

TEST(guests_are_within_user_time)
{
	desk_open(&d);
	now[2].user += 1000;
	now[2].guest += 1000; /* as of qemu, which is the process */
	now[3].idle += 1000;
	put_process(&d, "100", 5000, (struct times){1010, 20, 0, 0});
	EQ(after(10 * S_NS), 0);
}

/* A tenth of a second, in which others have so many ticks of CPU 3. */
static unsigned tenth_of_a_second(unsigned others)
{
	now[2].idle += 10;
	now[3].user += others;
	now[3].idle += 10 - others;
	return after(100 * MS_NS);
}

TEST(others_are_told_of_an_interval_as_a_whole)
{
	desk_open(&d);
	for (unsigned i = 1; i <= 100; i++) /* of the first second 15 %, surely so from 12 ticks on; of all ten 1.5 % */
		EQ(tenth_of_a_second(i <= 10 ? 3 : 0), i >= 4 && i < 75 ? UNC_TASK_OTHERS : 0);
	unc_task_begin(d.task);
	for (unsigned i = 1; i <= 10; i++) /* of this one second 2.5 % */
		EQ(tenth_of_a_second(i > 5), i >= 9 ? UNC_TASK_OTHERS : 0);
	unc_task_begin(d.task);
	for (unsigned i = 1; i <= 10; i++)
		EQ(tenth_of_a_second(0), i < 9 ? UNC_TASK_OTHERS : 0);
}

TEST(short_intervals_go_on_until_it_is_sure)
{
	desk_open(&d);
	for (unsigned i = 1; i <= 45;
	     i++) { /* 1 to 9, 10 to 12, then two each with ten ticks, 21 to 29, 30 to 38, ... */
		EQ(tenth_of_a_second(i > 10 && i <= 20 ? 5 : 0), i >= 12 && i < 29 ? UNC_TASK_OTHERS : 0);
		unc_task_begin(d.task);
	}
}

TEST(a_little_more_than_ticks_hide_goes_on_for_nearly_a_second)
{
	desk_open(&d);
	for (unsigned i = 1; i <= 36; i++) { /* 8 ticks of 180 in 10 to 18 */
		EQ(tenth_of_a_second(i > 10 && i <= 18), i >= 18 && i < 27 ? UNC_TASK_OTHERS : 0);
		unc_task_begin(d.task);
	}
}

/* 0.36 s in which CPU 2 was busy for so many ticks, CPU 3 for so many, and the one process on these used so many. */
static unsigned short_interval(const char *cpus, unsigned cpu2, unsigned cpu3, unsigned its)
{
	begin();
	put_thread(&d, "100", "100", cpus, "");
	desk_open(&d);
	now[2].user += cpu2;
	now[2].idle += 36 - cpu2;
	now[3].user += cpu3;
	now[3].idle += 36 - cpu3;
	put_process(&d, "100", 5000, (struct times){10 + its, 20, 0, 0});
	return after(360 * MS_NS);
}

TEST(a_busy_neighbour_is_told_of_in_a_short_interval)
{
	EQ(short_interval("2-3", 36, 36, 36), UNC_TASK_OTHERS); /* beside it */
	EQ(short_interval("2-3", 0, 36, 0), UNC_TASK_OTHERS);
	EQ(short_interval("2", 36, 36, 18), UNC_TASK_OTHERS); /* with it */
	EQ(short_interval("2-3", 36, 0, 36), 0);
	EQ(short_interval("2-3", 36, 36, 72), 0);
	EQ(short_interval("2-3", 36, 36, 80), 0); /* more than there is: ticks */
	EQ(short_interval("2", 36, 36, 36), 0);
	EQ(short_interval("2-3", 0, 0, 0), 0);
	EQ(short_interval("2-3", 9, 0, 0), 0); /* a tick of the 2 %, 2 of each CPU, 4 of the process */
	EQ(short_interval("2-3", 10, 0, 0), UNC_TASK_OTHERS);
	EQ(short_interval("2-3", 36, 0, 18), 0); /* 9 more than that, where the deviation is 3.7 */
	EQ(short_interval("2-3", 36, 5, 18), UNC_TASK_OTHERS);
}

TEST(each_process_may_hide_ticks)
{
	desk_with_child(&d, (struct times){200, 0, 0, 0});
	desk_open(&d);
	EQ(tenth_of_a_second(10), 0);
	EQ(tenth_of_a_second(2), 0);
	EQ(tenth_of_a_second(2), UNC_TASK_OTHERS);
}

TEST(a_look_that_was_sure_is_not_the_last_word)
{
	desk_open(&d);
	EQ(tenth_of_a_second(9), UNC_TASK_OTHERS);
	for (unsigned i = 2; i <= 8; i++) /* from 50 ticks on 9 are not too many */
		EQ(tenth_of_a_second(0), i < 3 ? UNC_TASK_OTHERS : 0);
}

TEST(others_of_the_last_interval_are_told_when_it_has_ended)
{
	desk_open(&d);
	EQ(ten_seconds(500, 100), UNC_TASK_OTHERS);
	drop(&d, "100");
	EQ(look(&d), UNC_TASK_GONE | UNC_TASK_OTHERS);
	EQ(look(&d), UNC_TASK_GONE | UNC_TASK_OTHERS);
	unc_task_begin(d.task);
	EQ(look(&d), UNC_TASK_GONE);
}

TEST(a_tick_that_was_cut_off_is_nobody)
{
	/* A second in which its 100 ticks are 102 of the CPU by rounding, then one of 103. */
	put_thread(&d, "100", "100", "2", "");
	desk_open(&d);
	now[2].user += 101;
	now[2].system += 1;
	put_process(&d, "100", 5000, (struct times){110, 20, 0, 0});
	EQ(after(S_NS), 0);
	unc_task_begin(d.task);
	now[2].user += 103;
	put_process(&d, "100", 5000, (struct times){210, 20, 0, 0});
	EQ(after(S_NS), UNC_TASK_OTHERS);
}

TEST(less_than_a_second_of_ticks_decides_nothing)
{
	/* Our clock says a second, but its file has half of one: a machine that was put together from files. */
	desk_open(&d);
	now[2].user += 5;
	now[2].idle += 45;
	now[3].idle += 50;
	EQ(after(S_NS), 0);
	now[2].idle += 50;
	now[3].idle += 50;
	EQ(after(S_NS), UNC_TASK_OTHERS);
}

/* Ten seconds in which CPU 2 was busy for so many ticks. */
static unsigned busy_for(unsigned ticks)
{
	now[2].user += ticks;
	now[2].idle += 1000 - ticks;
	now[3].idle += 1000;
	return after(10 * S_NS);
}

TEST(descendants_are_no_others)
{
	desk_with_child(&d, (struct times){300, 0, 0, 0});
	desk_open(&d);
	put_process(&d, "100", 5000, (struct times){110, 20, 0, 0}); /* 100 */
	put_alone(&d, "200", 6000, (struct times){500, 0, 50, 50}, "2",
		  "400 ");                                                 /* 200, and 100 of one that came and went */
	put_alone(&d, "400", 6500, (struct times){100, 0, 0, 0}, "2", ""); /* 100 of a new one */
	EQ(busy_for(500), 0);
}

TEST(a_child_that_ended_is_counted_once)
{
	static const struct {
		unsigned waited, busy, flags;
	} cases[] = {
		{400, 200, 0}, /* it used 100 more before it ended, its parent 100 */
		{400, 239, 0},
		{400, 241, UNC_TASK_OTHERS},
		{299, 105, 0}, /* a tick of it was cut off */
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		desk_with_child(&d, (struct times){200, 0, 60, 40});
		desk_open(&d);
		drop(&d, "200");
		put_thread(&d, "100", "100", "2-3", "");
		put_process(&d, "100", 5000, (struct times){110, 20, cases[i].waited, 0});
		memcpy(now, at_first, sizeof(now));
		EQ(busy_for(cases[i].busy), cases[i].flags);
	}
}

TEST(a_child_that_has_ended_but_was_not_waited_for_yet_still_counts)
{
	desk_with_child(&d, (struct times){200, 0, 0, 0});
	desk_open(&d);
	put_stat(&d, "200", 'Z', 1, 6000, (struct times){700, 0, 0, 0});
	drop(&d, "200/task");
	EQ(busy_for(500), 0);
}

TEST(where_nobody_knows_how_much_a_child_used_nothing_is_said)
{
	desk_with_child(&d, (struct times){200, 0, 0, 0});
	desk_open(&d);
	drop(&d, "200"); /* and its parent ignores SIGCHLD */
	EQ(busy_for(500), 0);
	unc_task_begin(d.task);
	/* From then on it is told again. */
	put_cpus(&d, (struct cpu_ticks[2]){{2500, 3, 50, 10500, 11, 2, 3, 4, 0}, {.user = 600, .idle = 10500}}, 2, 2);
	d.f.now_ns += 10 * S_NS;
	EQ(look(&d), UNC_TASK_OTHERS);
}

TEST(a_task_that_moved_is_not_told_from_others)
{
	desk_open(&d);
	EQ(busy_for(500), UNC_TASK_OTHERS);
	put_thread(&d, "100", "100", "2-4", "");
	EQ(look(&d), UNC_TASK_MOVED);
	put_thread(&d, "100", "100", "2-3", "");
	EQ(look(&d), 0); /* the interval is spoilt as a whole */
	unc_task_begin(d.task);
	put_cpus(&d, (struct cpu_ticks[2]){{1100, 3, 50, 10400, 11, 2, 3, 4, 0}, {.user = 600, .idle = 10000}}, 2, 2);
	EQ(look(&d), UNC_TASK_OTHERS);
}

/* CPU 2 alone, which has used so much by now. */
static unsigned on_cpu_2(unsigned user, unsigned idle)
{
	unsigned flags;

	put_cpus(&d, &(struct cpu_ticks){user, 3, 50, idle, 11, 2, 3, 4, 0}, 2, 1);
	flags = look(&d);
	unc_task_begin(d.task);
	return flags;
}

TEST(cpus_that_come_and_go_are_not_compared)
{
	desk_open(&d);
	EQ(on_cpu_2(1500, 9000), 0); /* CPU 3 went offline */
	EQ(on_cpu_2(1519, 9981), 0); /* 1.9 % of CPU 2 */
	EQ(on_cpu_2(1540, 10960), UNC_TASK_OTHERS);
	EQ(on_cpu_2(1539, 90000), 0); /* time that runs backwards */
	EQ(on_cpu_2(1639, 90900), UNC_TASK_OTHERS);
	put_cpus(&d, (struct cpu_ticks[2]){{.user = 3000, .idle = 90900}, {.user = 600, .idle = 9000}}, 2, 2);
	EQ(look(&d), 0); /* CPU 3 is back */
}

TEST(without_a_proc_stat_nobody_is_told_of)
{
	static const char *const texts[] = {"",
					    "cpu 1 2 3 4\n",
					    "cpu2\ncpu3 1 2 3\n",
					    "cpu2 1 2 3 4",
					    "cpux 1 2 3 4\n",
					    "cpu2 a b c d\n",
					    "cpu2 1 2 3 99999999999999999999\n",
					    "cpu99999 1 2 3 4\n"};
	unsigned n_read;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		desk_new(&d);
		fake_put(&d.f, "/proc/stat", texts[i]);
		desk_open(&d);
		d.f.now_ns += 10 * S_NS;
		EQ(look(&d), 0);
	}
	desk_new(&d);
	desk_open(&d);
	n_read = d.f.n_read;
	put_cpus(&d, at_first, 0, 4);
	EQ(busy_for(1000), 0);
	EQ(d.f.n_read - n_read, 4); /* stat, task, status, children, and no /proc/stat */
}
