// SPDX-License-Identifier: GPL-2.0-or-later
#include "fakefiles.h"
#include "machine/tasks.h"

void test_tasks_suite(void);

enum { PID = 100 };

struct times { /* in ticks */
	unsigned user, system, waited_user, waited_system;
};

struct desk {
	struct fake f;
	struct unc_task *task;
	char proc[32];
};

static void put(struct desk *d, const char *text, const char *fmt, ...) UNC_PRINTF(3, 4);
static void put(struct desk *d, const char *text, const char *fmt, ...)
{
	char name[100], path[FAKE_PATH];
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/%s", d->proc, name);
	fake_put(&d->f, path, text);
}

static void drop(struct desk *d, const char *name)
{
	char path[FAKE_PATH];

	snprintf(path, sizeof(path), "%s/%s", d->proc, name);
	fake_drop(&d->f, path);
}

/* The stat of a process that began at a tick. */
static void put_stat(struct desk *d, const char *pid, char state, unsigned n_threads, unsigned start, struct times t)
{
	char text[400];

	snprintf(text, sizeof(text),
		 "%s (a ) S 9 (b) %c 1 1 1 0 -1 4194304 10 0 0 0 %u %u %u %u 20 0 %u 0 %u 8192000 390 "
		 "18446744073709551615 0 0\n",
		 pid, state, t.user, t.system, t.waited_user, t.waited_system, n_threads, start);
	put(d, text, "%s/stat", pid);
}

static void put_process(struct desk *d, const char *pid, unsigned start, struct times t)
{
	put_stat(d, pid, 'S', 1, start, t);
}

static void put_thread(struct desk *d, const char *pid, const char *tid, const char *cpus, const char *children)
{
	char text[400];

	snprintf(text, sizeof(text),
		 "Name:\tb\nUmask:\t0022\nCpus_allowed:\tff\nCpus_allowed_list:\t%s\nMems_allowed:\t1\n", cpus);
	put(d, text, "%s/task/%s/status", pid, tid);
	put(d, children, "%s/task/%s/children", pid, tid);
}

/* One process of one thread. */
static void desk_new(struct desk *d)
{
	memset(d, 0, sizeof(*d));
	fake_open(&d->f);
	snprintf(d->proc, sizeof(d->proc), "/proc");
	put_process(d, "100", 5000, (struct times){10, 20, 0, 0});
	put_thread(d, "100", "100", "2-3", "");
}

static void desk_open(struct desk *d)
{
	OK(&d->f, unc_task_open(d->f.m, PID, &d->task));
	CU_ASSERT_PTR_NOT_NULL_FATAL(d->task);
}

static void desk_close(struct desk *d)
{
	unc_task_close(d->task);
	fake_close(&d->f);
}

static void has_cpus(struct desk *d, const char *expected)
{
	const unsigned *cpus = NULL;
	char text[200] = "";
	size_t n = 0;

	OK(&d->f, unc_task_cpus(d->task, &cpus, &n));
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", i ? " " : "", cpus[i]);
	SAME(text, expected);
}

static unsigned look(struct desk *d)
{
	unsigned flags = 0xdead;

	OK(&d->f, unc_task_look(d->task, &flags));
	return flags;
}

/* ---- where ---- */

static void a_task_has_the_cpus_of_all_its_threads_and_descendants(void)
{
	struct desk d;

	desk_new(&d);
	put_thread(&d, "100", "100", "2", "200 300 ");
	put_thread(&d, "100", "101", "4", "");
	put_process(&d, "200", 6000, (struct times){0});
	put_thread(&d, "200", "200", "5", "");
	put_thread(&d, "200", "201", "2,5", "400 ");
	put_process(&d, "300", 6000, (struct times){0});
	put_thread(&d, "300", "300", "2", "");
	put_process(&d, "400", 6000, (struct times){0});
	put_thread(&d, "400", "400", "0", "");
	put_process(&d, "500", 6000, (struct times){0}); /* somebody else's */
	put_thread(&d, "500", "500", "7", "");
	desk_open(&d);
	has_cpus(&d, "0 2 4 5");
	EQ(look(&d), 0);
	EQ(strlen(d.f.notes), 0);
	desk_close(&d);
}

static void only_cpus_that_are_online_are_told(void)
{
	struct desk d;

	desk_new(&d);
	d.f.n_online = 3;
	put_thread(&d, "100", "100", "0-8191", "");
	desk_open(&d);
	has_cpus(&d, "0 1 2");
	put_thread(&d, "100", "100", "0-2", ""); /* as far as anybody can tell the same */
	EQ(look(&d), 0);
	desk_close(&d);

	desk_new(&d);
	d.f.n_online = 2;
	FAILS(&d.f, UNC_ENODEV, unc_task_open(d.f.m, PID, &d.task), "process 100", "no CPU that is online");
	CU_ASSERT_PTR_NULL(d.task);
	desk_close(&d);

	desk_new(&d);
	d.f.n_online = 0;
	put_thread(&d, "100", "100", "63,8191", "");
	desk_open(&d);
	has_cpus(&d, "63 8191");
	desk_close(&d);
}

static void there_must_be_such_a_process(void)
{
	struct desk d;

	desk_new(&d);
	FAILS(&d.f, UNC_ENODEV, unc_task_open(d.f.m, 101, &d.task), "process 101: there is no such process");
	FAILS(&d.f, UNC_EARG, unc_task_open(d.f.m, 0, &d.task), "no COMMAND");
	put_stat(&d, "100", 'Z', 1, 5000, (struct times){0});
	FAILS(&d.f, UNC_ENODEV, unc_task_open(d.f.m, PID, &d.task), "process 100", "ended");
	put_stat(&d, "100", 'X', 0, 5000, (struct times){0});
	FAILS(&d.f, UNC_ENODEV, unc_task_open(d.f.m, PID, &d.task), "process 100", "ended");
	put(&d, "100 (cat R 1", "100/stat");
	FAILS(&d.f, UNC_EIO, unc_task_open(d.f.m, PID, &d.task), "process 100", "/proc/100/stat");
	fake_put(&d.f, "/proc/100/stat", "")->rc = UNC_EPERM;
	FAILS(&d.f, UNC_EPERM, unc_task_open(d.f.m, PID, &d.task), "process 100: /proc/100/stat: refused");
	unc_task_close(NULL);
	desk_close(&d);
}

static void a_first_thread_that_ended_is_not_the_end(void)
{
	struct desk d;

	desk_new(&d);
	put_stat(&d, "100", 'Z', 2, 5000, (struct times){0});
	put_thread(&d, "100", "101", "2", "");
	desk_open(&d);
	EQ(look(&d), 0);
	put_stat(&d, "100", 'Z', 1, 5000, (struct times){0});
	EQ(look(&d), UNC_TASK_GONE);
	desk_close(&d);
}

static void the_command_is_looked_for_on_this_computer(void)
{
	struct desk d;

	desk_new(&d);
	snprintf(d.proc, sizeof(d.proc), "own:/proc");
	put_process(&d, "COMMAND", 7000, (struct times){0});
	put_thread(&d, "COMMAND", "4000", "6", "4001 ");
	put_process(&d, "4001", 7001, (struct times){0});
	put_thread(&d, "4001", "4001", "7", "");
	d.f.host.command = 4000;
	OK(&d.f, unc_task_open(d.f.m, 0, &d.task));
	has_cpus(&d, "6 7");
	EQ(look(&d), 0);
	drop(&d, "COMMAND");
	EQ(look(&d), UNC_TASK_GONE);
	desk_close(&d);
}

static void a_simulated_machine_without_files_has_the_processes_of_this_computer(void)
{
	struct desk d;

	desk_new(&d);
	d.f.host.simulated = true;
	snprintf(d.proc, sizeof(d.proc), "own:/proc");
	put_process(&d, "100", 7000, (struct times){0});
	put_thread(&d, "100", "100", "6", "");
	desk_open(&d);
	has_cpus(&d, "2 3");
	unc_task_close(d.task);
	fake_drop(&d.f, "/proc");
	desk_open(&d);
	has_cpus(&d, "6");
	unc_task_close(d.task);
	/* One that has files has its own processes alone. */
	fake_put(&d.f, "/proc/stat", "cpu  0 0 0 0\n");
	FAILS(&d.f, UNC_ENODEV, unc_task_open(d.f.m, PID, &d.task), "process 100: there is no such process");
	d.task = NULL;
	desk_close(&d);
}

static void to_leave_the_cpus_is_to_be_moved(void)
{
	struct desk d;

	desk_new(&d);
	put_thread(&d, "100", "101", "2-3", "");
	desk_open(&d);
	put_thread(&d, "100", "101", "3", ""); /* the other one may still run on both */
	EQ(look(&d), 0);
	has_cpus(&d, "2 3");
	put_thread(&d, "100", "101", "3-4", "");
	EQ(look(&d), UNC_TASK_MOVED);
	has_cpus(&d, "2 3 4");
	put_thread(&d, "100", "100", "5", "");
	EQ(look(&d), UNC_TASK_MOVED | UNC_TASK_NARROWED);
	put_thread(&d, "100", "100", "3", "");
	put_thread(&d, "100", "101", "3", "");
	EQ(look(&d), UNC_TASK_NARROWED);
	put_thread(&d, "100", "100", "2-3", "");
	EQ(look(&d), 0);
	desk_close(&d);
}

static void a_descendant_can_leave_them_too(void)
{
	struct desk d;

	desk_new(&d);
	desk_open(&d);
	put_thread(&d, "100", "100", "2-3", "200 ");
	EQ(look(&d), 0); /* it ended before it was looked at */
	put_process(&d, "200", 6000, (struct times){0});
	put_thread(&d, "200", "200", "2-3", "");
	EQ(look(&d), 0);
	put_thread(&d, "200", "200", "0-3", "");
	EQ(look(&d), UNC_TASK_MOVED);
	/* Its parent let go of it; it is of the task all the same, until it ends. */
	put_thread(&d, "100", "100", "2-3", "");
	EQ(look(&d), UNC_TASK_MOVED);
	put_process(&d, "200", 6001, (struct times){0}); /* another one with its number */
	EQ(look(&d), 0);
	put_process(&d, "200", 6000, (struct times){0});
	EQ(look(&d), 0);
	desk_close(&d);
}

static void one_that_ended_is_gone_for_good(void)
{
	struct desk d;
	unsigned n_read;

	desk_new(&d);
	desk_open(&d);
	drop(&d, "100");
	EQ(look(&d), UNC_TASK_GONE);
	put_process(&d, "100", 5000, (struct times){0});
	put_thread(&d, "100", "100", "7", "");
	n_read = d.f.n_read;
	EQ(look(&d), UNC_TASK_GONE);
	EQ(d.f.n_read, n_read);
	desk_close(&d);
}

static void a_number_that_is_used_again_is_another_process(void)
{
	struct desk d;

	desk_new(&d);
	desk_open(&d);
	put_process(&d, "100", 5001, (struct times){10, 20, 0, 0});
	EQ(look(&d), UNC_TASK_GONE);
	desk_close(&d);
}

static void what_is_not_told_is_not_flagged(void)
{
	struct desk d;

	desk_new(&d);
	desk_open(&d);
	put(&d, "Name:\tb\n", "100/task/100/status");
	EQ(look(&d), 0);
	put(&d, "x\nCpus_allowed_list:\t0-7", "100/task/100/status"); /* cut off */
	EQ(look(&d), 0);
	put(&d, "x\nCpus_allowed_list:\t0-8192\n", "100/task/100/status");
	EQ(look(&d), 0);
	put(&d, "x\nCpus_allowed_list:\t\n", "100/task/100/status");
	EQ(look(&d), 0);
	drop(&d, "100/task/100/status");
	EQ(look(&d), 0);
	drop(&d, "100/task");
	EQ(look(&d), 0);
	fake_put(&d.f, "/proc/100/stat", "")->rc = UNC_EIO;
	FAILS(&d.f, UNC_EIO, unc_task_look(d.task, &(unsigned){0}), "process 100: /proc/100/stat: refused");
	desk_close(&d);
}

static void a_kernel_that_tells_no_children_is_noted_once(void)
{
	struct desk d;

	desk_new(&d);
	drop(&d, "100/task/100/children");
	desk_open(&d);
	HAS(d.f.notes, "CONFIG_PROC_CHILDREN");
	d.f.notes[0] = '\0';
	put_thread(&d, "100", "100", "2-4", "");
	EQ(look(&d), UNC_TASK_MOVED);
	EQ(strlen(d.f.notes), 0);
	desk_close(&d);
}

static void put_threads(struct desk *d, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		char tid[16];

		snprintf(tid, sizeof(tid), "%u", 100000 + i);
		put_thread(d, "100", tid, "2", "");
	}
	put_stat(d, "100", 'S', n, 5000, (struct times){0});
}

static void of_very_many_threads_only_some_are_looked_at(void)
{
	struct desk d;
	unsigned n_read;

	desk_new(&d);
	put_threads(&d, UNC_TASK_THREADS_MAX);
	desk_open(&d);
	EQ(strlen(d.f.notes), 0);
	unc_task_close(d.task);
	put_threads(&d, UNC_TASK_THREADS_MAX + 200);
	desk_open(&d);
	HAS(d.f.notes, "the first 1024 are looked at");
	d.f.notes[0] = '\0';
	n_read = d.f.n_read;
	put_thread(&d, "100", "100", "2", "");
	EQ(look(&d), 0); /* one of the others may still run on CPU 3 */
	EQ(strlen(d.f.notes), 0);
	CU_ASSERT_TRUE(d.f.n_read - n_read < 2 * UNC_TASK_THREADS_MAX + 10);
	put_thread(&d, "100", "100", "2-5", "");
	EQ(look(&d), UNC_TASK_MOVED);
	desk_close(&d);
}

static void of_very_many_children_only_some_are_looked_at(void)
{
	static char list[40000];
	struct desk d;
	unsigned n_read;

	desk_new(&d);
	list[0] = '\0';
	for (unsigned i = 0, len = 0; i < 2000; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%u", 200000 + i);
		len += (unsigned)snprintf(list + len, sizeof(list) - len, "%s ", pid);
		put_process(&d, pid, 6000, (struct times){0});
	}
	put_thread(&d, "100", "100", "2-3", list);
	desk_open(&d);
	HAS(d.f.notes, "the first 1024 are looked at");
	n_read = d.f.n_read;
	EQ(look(&d), 0);
	CU_ASSERT_TRUE(d.f.n_read - n_read < 2 * UNC_TASK_THREADS_MAX + 10);
	desk_close(&d);
}

static void looking_takes_a_twentieth_of_the_time_at_most(void)
{
	struct desk d;
	uint64_t begun_ns;
	unsigned n_read;

	desk_new(&d);
	desk_open(&d);
	d.f.cost_ns = MS_NS;
	begun_ns = d.f.now_ns;
	EQ(look(&d), 0);
	CU_ASSERT_TRUE(d.f.now_ns - begun_ns >= 4 * MS_NS);
	n_read = d.f.n_read;
	put_thread(&d, "100", "100", "7", "");
	EQ(look(&d), 0);
	EQ(d.f.n_read, n_read);
	d.f.now_ns += 19 * (d.f.now_ns - begun_ns);
	EQ(look(&d), UNC_TASK_MOVED | UNC_TASK_NARROWED);
	EQ(look(&d), UNC_TASK_MOVED | UNC_TASK_NARROWED);
	desk_close(&d);
}

/* ---- others ---- */

struct cpu_ticks {
	unsigned user, nice, system, idle, iowait, irq, softirq, steal, guest;
};

static void put_cpus(struct desk *d, const struct cpu_ticks *cpus, unsigned first, unsigned n)
{
	char text[4000] = "cpu  9 9 9 9 9 9 9 9 9 9\n";

	for (unsigned i = 0; i < n; i++) {
		const struct cpu_ticks *c = &cpus[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "cpu%u %u %u %u %u %u %u %u %u %u 0\n",
			 first + i, c->user, c->nice, c->system, c->idle, c->iowait, c->irq, c->softirq, c->steal,
			 c->guest);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "intr 7 0 0\nctxt 5\nbtime 1\n");
	fake_put(&d->f, "/proc/stat", text);
}

static const struct cpu_ticks at_first[4] = {
	{.user = 1000}, {.user = 1000}, {500, 3, 50, 9000, 11, 2, 3, 4, 0}, {.user = 600, .idle = 8000}};

/* CPUs 2 and 3, ten seconds later: with these ticks of the one process, and these of somebody else. */
static void ten_seconds(struct desk *d, unsigned its, unsigned others)
{
	struct cpu_ticks now[4];

	memcpy(now, at_first, sizeof(now));
	now[0].user += 1000; /* where it may not run */
	now[2].user += its;
	now[2].idle += 1000 - its;
	now[3].system += others;
	now[3].idle += 1000 - others;
	put_cpus(d, now, 0, 4);
	put_process(d, "100", 5000, (struct times){10 + its, 20, 0, 0});
	d->f.now_ns += 10 * S_NS;
}

static unsigned after_ten_seconds(unsigned its, unsigned others)
{
	struct desk d;
	unsigned flags;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	EQ(look(&d), 0);
	ten_seconds(&d, its, others);
	flags = look(&d);
	desk_close(&d);
	return flags;
}

static void more_than_two_per_cent_of_others_is_told(void)
{
	EQ(after_ten_seconds(1000, 0), 0);
	EQ(after_ten_seconds(500, 38), 0); /* 1.9 % of 2000 ticks */
	EQ(after_ten_seconds(500, 40), 0);
	EQ(after_ten_seconds(500, 41), UNC_TASK_OTHERS);
	EQ(after_ten_seconds(500, 42), UNC_TASK_OTHERS); /* 2.1 % */
	EQ(after_ten_seconds(0, 42), UNC_TASK_OTHERS);
	EQ(after_ten_seconds(0, 0), 0);
}

static void every_kind_of_time_but_idle_and_iowait_is_somebodys(void)
{
	static const struct cpu_ticks kinds[] = {
		{.user = 100}, {.nice = 100}, {.system = 100}, {.irq = 100}, {.softirq = 100}, {.steal = 100},
	};
	static const struct cpu_ticks none[] = {{.idle = 100}, {.iowait = 100}};
	struct desk d;

	for (unsigned i = 0; i < 8; i++) {
		struct cpu_ticks now[4];
		const unsigned *add = (const unsigned *)(i < 6 ? &kinds[i] : &none[i - 6]);

		desk_new(&d);
		put_cpus(&d, at_first, 0, 4);
		desk_open(&d);
		memcpy(now, at_first, sizeof(now));
		for (unsigned k = 0; k < sizeof(now[0]) / sizeof(unsigned); k++)
			((unsigned *)&now[2])[k] += add[k];
		now[2].idle += 900;
		now[3].idle += 1000;
		put_cpus(&d, now, 0, 4);
		d.f.now_ns += 10 * S_NS;
		EQ(look(&d), i < 6 ? UNC_TASK_OTHERS : 0);
		desk_close(&d);
	}
}

static void guests_are_within_user_time(void)
{
	struct desk d;
	struct cpu_ticks now[4];

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	memcpy(now, at_first, sizeof(now));
	now[2].user += 1000;
	now[2].guest += 1000; /* as of qemu, which is the process */
	now[3].idle += 1000;
	put_cpus(&d, now, 0, 4);
	put_process(&d, "100", 5000, (struct times){1010, 20, 0, 0});
	d.f.now_ns += 10 * S_NS;
	EQ(look(&d), 0);
	desk_close(&d);
}

/* A tenth of a second, in which others have so many ticks of CPU 3. */
static unsigned tenth_of_a_second(struct desk *d, struct cpu_ticks now[4], unsigned others)
{
	now[2].idle += 10;
	now[3].user += others;
	now[3].idle += 10 - others;
	put_cpus(d, now, 0, 4);
	d->f.now_ns += 100 * MS_NS;
	return look(d);
}

static void others_are_told_of_an_interval_as_a_whole(void)
{
	struct cpu_ticks now[4];
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	memcpy(now, at_first, sizeof(now));
	for (unsigned i = 1; i <= 100; i++) /* of the first second 15 %, of all ten 1.5 % */
		EQ(tenth_of_a_second(&d, now, i <= 10 ? 3 : 0), i >= 9 && i < 75 ? UNC_TASK_OTHERS : 0);
	unc_task_begin(d.task);
	for (unsigned i = 1; i <= 10; i++) /* of this one second 2.5 % */
		EQ(tenth_of_a_second(&d, now, i > 5), i >= 9 ? UNC_TASK_OTHERS : 0);
	unc_task_begin(d.task);
	for (unsigned i = 1; i <= 10; i++)
		EQ(tenth_of_a_second(&d, now, 0), i < 9 ? UNC_TASK_OTHERS : 0);
	desk_close(&d);
}

static void short_intervals_are_told_of_by_nearly_a_second(void)
{
	struct cpu_ticks now[4];
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	memcpy(now, at_first, sizeof(now));
	for (unsigned i = 1; i <= 45; i++) { /* 1 to 9, 10 to 18, 19 to 27, ... */
		EQ(tenth_of_a_second(&d, now, i > 10 && i <= 20 ? 5 : 0), i >= 18 && i < 36 ? UNC_TASK_OTHERS : 0);
		unc_task_begin(d.task);
	}
	desk_close(&d);
}

static void others_of_the_last_interval_are_told_when_it_has_ended(void)
{
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	ten_seconds(&d, 500, 100);
	EQ(look(&d), UNC_TASK_OTHERS);
	drop(&d, "100");
	EQ(look(&d), UNC_TASK_GONE | UNC_TASK_OTHERS);
	EQ(look(&d), UNC_TASK_GONE | UNC_TASK_OTHERS);
	unc_task_begin(d.task);
	EQ(look(&d), UNC_TASK_GONE);
	desk_close(&d);
}

static void a_tick_that_was_cut_off_is_nobody(void)
{
	struct cpu_ticks now[4];
	struct desk d;

	/* A second in which its 100 ticks are 102 of the CPU by rounding, then one of 103. */
	desk_new(&d);
	put_thread(&d, "100", "100", "2", "");
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	memcpy(now, at_first, sizeof(now));
	now[2].user += 101;
	now[2].system += 1;
	put_cpus(&d, now, 0, 4);
	put_process(&d, "100", 5000, (struct times){110, 20, 0, 0});
	d.f.now_ns += S_NS;
	EQ(look(&d), 0);
	unc_task_begin(d.task);
	now[2].user += 103;
	put_cpus(&d, now, 0, 4);
	put_process(&d, "100", 5000, (struct times){210, 20, 0, 0});
	d.f.now_ns += S_NS;
	EQ(look(&d), UNC_TASK_OTHERS);
	desk_close(&d);
}

static void less_than_a_second_of_ticks_decides_nothing(void)
{
	struct cpu_ticks now[4];
	struct desk d;

	/* Our clock says a second, but its file has half of one: a machine that was put together from files. */
	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	memcpy(now, at_first, sizeof(now));
	now[2].user += 50;
	now[3].idle += 50;
	put_cpus(&d, now, 0, 4);
	d.f.now_ns += S_NS;
	EQ(look(&d), 0);
	now[2].idle += 50;
	now[3].idle += 50;
	put_cpus(&d, now, 0, 4);
	d.f.now_ns += S_NS;
	EQ(look(&d), UNC_TASK_OTHERS);
	desk_close(&d);
}

/* Ten seconds in which CPU 2 was busy for so many ticks. */
static unsigned busy_for(struct desk *d, unsigned ticks)
{
	struct cpu_ticks now[4];

	memcpy(now, at_first, sizeof(now));
	now[2].user += ticks;
	now[2].idle += 1000 - ticks;
	now[3].idle += 1000;
	put_cpus(d, now, 0, 4);
	d->f.now_ns += 10 * S_NS;
	return look(d);
}

static void descendants_are_no_others(void)
{
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	put_thread(&d, "100", "100", "2-3", "200 ");
	put_process(&d, "200", 6000, (struct times){300, 0, 0, 0});
	put_thread(&d, "200", "200", "2", "");
	desk_open(&d);
	put_process(&d, "100", 5000, (struct times){110, 20, 0, 0});  /* 100 */
	put_process(&d, "200", 6000, (struct times){500, 0, 50, 50}); /* 200, and 100 of one that came and went */
	put_thread(&d, "200", "200", "2", "400 ");
	put_process(&d, "400", 6500, (struct times){100, 0, 0, 0}); /* 100 of a new one */
	put_thread(&d, "400", "400", "2", "");
	EQ(busy_for(&d, 500), 0);
	desk_close(&d);
}

static void a_child_that_ended_is_counted_once(void)
{
	static const struct {
		unsigned waited, busy, flags;
	} cases[] = {
		{400, 200, 0}, /* it used 100 more before it ended, its parent 100 */
		{400, 239, 0},
		{400, 241, UNC_TASK_OTHERS},
		{299, 105, 0}, /* a tick of it was cut off */
	};
	struct desk d;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		desk_new(&d);
		put_cpus(&d, at_first, 0, 4);
		put_thread(&d, "100", "100", "2-3", "200 ");
		put_process(&d, "200", 6000, (struct times){200, 0, 60, 40});
		put_thread(&d, "200", "200", "2", "");
		desk_open(&d);
		drop(&d, "200");
		put_thread(&d, "100", "100", "2-3", "");
		put_process(&d, "100", 5000, (struct times){110, 20, cases[i].waited, 0});
		EQ(busy_for(&d, cases[i].busy), cases[i].flags);
		desk_close(&d);
	}
}

static void a_child_that_has_ended_but_was_not_waited_for_yet_still_counts(void)
{
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	put_thread(&d, "100", "100", "2-3", "200 ");
	put_process(&d, "200", 6000, (struct times){200, 0, 0, 0});
	put_thread(&d, "200", "200", "2", "");
	desk_open(&d);
	put_stat(&d, "200", 'Z', 1, 6000, (struct times){700, 0, 0, 0});
	drop(&d, "200/task");
	EQ(busy_for(&d, 500), 0);
	desk_close(&d);
}

static void where_nobody_knows_how_much_a_child_used_nothing_is_said(void)
{
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	put_thread(&d, "100", "100", "2-3", "200 ");
	put_process(&d, "200", 6000, (struct times){200, 0, 0, 0});
	put_thread(&d, "200", "200", "2", "");
	desk_open(&d);
	drop(&d, "200"); /* and its parent ignores SIGCHLD */
	EQ(busy_for(&d, 500), 0);
	unc_task_begin(d.task);
	/* From then on it is told again. */
	put_cpus(&d, (struct cpu_ticks[2]){{2500, 3, 50, 10500, 11, 2, 3, 4, 0}, {.user = 600, .idle = 10500}}, 2, 2);
	d.f.now_ns += 10 * S_NS;
	EQ(look(&d), UNC_TASK_OTHERS);
	desk_close(&d);
}

static void a_task_that_moved_is_not_told_from_others(void)
{
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	EQ(busy_for(&d, 500), UNC_TASK_OTHERS);
	put_thread(&d, "100", "100", "2-4", "");
	EQ(look(&d), UNC_TASK_MOVED);
	put_thread(&d, "100", "100", "2-3", "");
	EQ(look(&d), 0); /* the interval is spoilt as a whole */
	unc_task_begin(d.task);
	put_cpus(&d, (struct cpu_ticks[2]){{1100, 3, 50, 10400, 11, 2, 3, 4, 0}, {.user = 600, .idle = 10000}}, 2, 2);
	EQ(look(&d), UNC_TASK_OTHERS);
	desk_close(&d);
}

/* CPU 2 alone, which has used so much by now. */
static unsigned on_cpu_2(struct desk *d, unsigned user, unsigned idle)
{
	unsigned flags;

	put_cpus(d, &(struct cpu_ticks){user, 3, 50, idle, 11, 2, 3, 4, 0}, 2, 1);
	flags = look(d);
	unc_task_begin(d->task);
	return flags;
}

static void cpus_that_come_and_go_are_not_compared(void)
{
	struct desk d;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	desk_open(&d);
	EQ(on_cpu_2(&d, 1500, 9000), 0); /* CPU 3 went offline */
	EQ(on_cpu_2(&d, 1519, 9981), 0); /* 1.9 % of CPU 2 */
	EQ(on_cpu_2(&d, 1540, 10960), UNC_TASK_OTHERS);
	EQ(on_cpu_2(&d, 1539, 90000), 0); /* time that runs backwards */
	EQ(on_cpu_2(&d, 1639, 90900), UNC_TASK_OTHERS);
	put_cpus(&d, (struct cpu_ticks[2]){{.user = 3000, .idle = 90900}, {.user = 600, .idle = 9000}}, 2, 2);
	EQ(look(&d), 0); /* CPU 3 is back */
	desk_close(&d);
}

static void without_a_proc_stat_nobody_is_told_of(void)
{
	static const char *const texts[] = {"",
					    "cpu 1 2 3 4\n",
					    "cpu2\ncpu3 1 2 3\n",
					    "cpu2 1 2 3 4",
					    "cpux 1 2 3 4\n",
					    "cpu2 a b c d\n",
					    "cpu2 1 2 3 99999999999999999999\n",
					    "cpu99999 1 2 3 4\n"};
	struct desk d;
	unsigned n_read;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		desk_new(&d);
		fake_put(&d.f, "/proc/stat", texts[i]);
		desk_open(&d);
		d.f.now_ns += 10 * S_NS;
		EQ(look(&d), 0);
		desk_close(&d);
	}
	desk_new(&d);
	desk_open(&d);
	n_read = d.f.n_read;
	put_cpus(&d, at_first, 0, 4);
	EQ(busy_for(&d, 1000), 0);
	EQ(d.f.n_read - n_read, 4); /* stat, task, status, children, and no /proc/stat */
	desk_close(&d);
}

static void want_of_memory_strikes_anywhere(void)
{
	struct desk d;
	unsigned n;

	desk_new(&d);
	put_cpus(&d, at_first, 0, 4);
	put_thread(&d, "100", "100", "2-3", "200 ");
	put_process(&d, "200", 6000, (struct times){200, 0, 0, 0});
	put_thread(&d, "200", "200", "2", "");
	desk_open(&d);
	n = d.f.n_read;
	unc_task_close(d.task);
	d.task = NULL;
	for (unsigned i = 1; i <= n; i++) {
		d.f.n_read = 0;
		d.f.fail_at = i;
		FAILS(&d.f, UNC_ENOMEM, unc_task_open(d.f.m, PID, &d.task), "out of memory");
		CU_ASSERT_PTR_NULL(d.task);
	}
	d.f.fail_at = 0;
	desk_open(&d);
	for (unsigned i = 1; i <= n; i++) {
		d.f.n_read = 0;
		d.f.fail_at = i;
		d.f.now_ns += S_NS;
		FAILS(&d.f, UNC_ENOMEM, unc_task_look(d.task, &(unsigned){0}), "out of memory");
	}
	d.f.fail_at = 0;
	EQ(look(&d), 0);
	desk_close(&d);
}

void test_tasks_suite(void)
{
	CU_pSuite suite = CU_add_suite("tasks", NULL, NULL);

	CU_ADD_TEST(suite, a_task_has_the_cpus_of_all_its_threads_and_descendants);
	CU_ADD_TEST(suite, only_cpus_that_are_online_are_told);
	CU_ADD_TEST(suite, there_must_be_such_a_process);
	CU_ADD_TEST(suite, a_first_thread_that_ended_is_not_the_end);
	CU_ADD_TEST(suite, the_command_is_looked_for_on_this_computer);
	CU_ADD_TEST(suite, a_simulated_machine_without_files_has_the_processes_of_this_computer);
	CU_ADD_TEST(suite, to_leave_the_cpus_is_to_be_moved);
	CU_ADD_TEST(suite, a_descendant_can_leave_them_too);
	CU_ADD_TEST(suite, one_that_ended_is_gone_for_good);
	CU_ADD_TEST(suite, a_number_that_is_used_again_is_another_process);
	CU_ADD_TEST(suite, what_is_not_told_is_not_flagged);
	CU_ADD_TEST(suite, a_kernel_that_tells_no_children_is_noted_once);
	CU_ADD_TEST(suite, of_very_many_threads_only_some_are_looked_at);
	CU_ADD_TEST(suite, of_very_many_children_only_some_are_looked_at);
	CU_ADD_TEST(suite, looking_takes_a_twentieth_of_the_time_at_most);
	CU_ADD_TEST(suite, more_than_two_per_cent_of_others_is_told);
	CU_ADD_TEST(suite, every_kind_of_time_but_idle_and_iowait_is_somebodys);
	CU_ADD_TEST(suite, guests_are_within_user_time);
	CU_ADD_TEST(suite, others_are_told_of_an_interval_as_a_whole);
	CU_ADD_TEST(suite, short_intervals_are_told_of_by_nearly_a_second);
	CU_ADD_TEST(suite, others_of_the_last_interval_are_told_when_it_has_ended);
	CU_ADD_TEST(suite, a_tick_that_was_cut_off_is_nobody);
	CU_ADD_TEST(suite, less_than_a_second_of_ticks_decides_nothing);
	CU_ADD_TEST(suite, descendants_are_no_others);
	CU_ADD_TEST(suite, a_child_that_ended_is_counted_once);
	CU_ADD_TEST(suite, a_child_that_has_ended_but_was_not_waited_for_yet_still_counts);
	CU_ADD_TEST(suite, where_nobody_knows_how_much_a_child_used_nothing_is_said);
	CU_ADD_TEST(suite, a_task_that_moved_is_not_told_from_others);
	CU_ADD_TEST(suite, cpus_that_come_and_go_are_not_compared);
	CU_ADD_TEST(suite, without_a_proc_stat_nobody_is_told_of);
	CU_ADD_TEST(suite, want_of_memory_strikes_anywhere);
}
