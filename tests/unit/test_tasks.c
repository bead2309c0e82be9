// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs a task has, and whether it stays there. */
#include "fakeproc.h"
#include "test.h"

static struct desk d;

static void end(void)
{
	desk_close(&d);
}

static void begin(void)
{
	desk_new(&d);
}
EACH(begin, end)

TEST(a_task_has_the_cpus_of_all_its_threads_and_descendants)
{
	put_thread(&d, "100", "100", "2", "200 300 ");
	put_thread(&d, "100", "101", "4", "");
	put_alone(&d, "200", 6000, (struct times){0}, "5", "");
	put_thread(&d, "200", "201", "2,5", "400 ");
	put_alone(&d, "300", 6000, (struct times){0}, "2", "");
	put_alone(&d, "400", 6000, (struct times){0}, "0", "");
	put_alone(&d, "500", 6000, (struct times){0}, "7", ""); /* of another process */
	desk_open(&d);
	has_cpus(&d, "0 2 4 5");
	EQ(look(&d), 0);
	EQ(strlen(d.f.notes), 0);
}

TEST(only_cpus_that_are_online_are_told)
{
	d.f.n_online = 3;
	put_thread(&d, "100", "100", "0-8191", "");
	desk_open(&d);
	has_cpus(&d, "0 1 2");
	put_thread(&d, "100", "100", "0-2", ""); /* as far as anybody can tell the same */
	EQ(look(&d), 0);

	desk_new(&d);
	d.f.n_online = 2;
	FAILS(&d.f, UNC_ENODEV, unc_task_open(d.f.m, PID, &d.task), "process 100", "no CPU that is online");
	CU_ASSERT_PTR_NULL(d.task);

	desk_new(&d);
	d.f.n_online = 0;
	put_thread(&d, "100", "100", "63,8191", "");
	desk_open(&d);
	has_cpus(&d, "63 8191");
}

TEST(there_must_be_such_a_process)
{
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
}

TEST(a_first_thread_that_ended_is_not_the_end)
{
	put_stat(&d, "100", 'Z', 2, 5000, (struct times){0});
	put_thread(&d, "100", "101", "2", "");
	desk_open(&d);
	EQ(look(&d), 0);
	put_stat(&d, "100", 'Z', 1, 5000, (struct times){0});
	EQ(look(&d), UNC_TASK_GONE);
}

TEST(the_command_is_looked_for_on_this_computer)
{
	snprintf(d.proc, sizeof(d.proc), "own:/proc");
	put_process(&d, "COMMAND", 7000, (struct times){0});
	put_thread(&d, "COMMAND", "4000", "6", "4001 ");
	put_alone(&d, "4001", 7001, (struct times){0}, "7", "");
	d.f.host.command = 4000;
	OK(&d.f, unc_task_open(d.f.m, 0, &d.task));
	has_cpus(&d, "6 7");
	EQ(look(&d), 0);
	drop(&d, "COMMAND");
	EQ(look(&d), UNC_TASK_GONE);
}

TEST(a_simulated_machine_without_files_has_the_processes_of_this_computer)
{
	d.f.host.simulated = true;
	snprintf(d.proc, sizeof(d.proc), "own:/proc");
	put_alone(&d, "100", 7000, (struct times){0}, "6", "");
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
}

TEST(to_leave_the_cpus_is_to_be_moved)
{
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
}

TEST(a_descendant_can_leave_them_too)
{
	desk_open(&d);
	put_thread(&d, "100", "100", "2-3", "200 ");
	EQ(look(&d), 0); /* it ended before it was looked at */
	put_alone(&d, "200", 6000, (struct times){0}, "2-3", "");
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
}

TEST(one_that_ended_is_gone_for_good)
{
	unsigned n_read;

	desk_open(&d);
	drop(&d, "100");
	EQ(look(&d), UNC_TASK_GONE);
	put_alone(&d, "100", 5000, (struct times){0}, "7", "");
	n_read = d.f.n_read;
	EQ(look(&d), UNC_TASK_GONE);
	EQ(d.f.n_read, n_read);
}

TEST(a_number_that_is_used_again_is_another_process)
{
	desk_open(&d);
	put_process(&d, "100", 5001, (struct times){10, 20, 0, 0});
	EQ(look(&d), UNC_TASK_GONE);
}

TEST(what_is_not_told_is_not_flagged)
{
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
}

TEST(a_kernel_that_tells_no_children_is_noted_once)
{
	drop(&d, "100/task/100/children");
	desk_open(&d);
	HAS(d.f.notes, "CONFIG_PROC_CHILDREN");
	d.f.notes[0] = '\0';
	put_thread(&d, "100", "100", "2-4", "");
	EQ(look(&d), UNC_TASK_MOVED);
	EQ(strlen(d.f.notes), 0);
}

static void put_threads(unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		char tid[16];

		snprintf(tid, sizeof(tid), "%u", 100000 + i);
		put_thread(&d, "100", tid, "2", "");
	}
	put_stat(&d, "100", 'S', n, 5000, (struct times){0});
}

TEST(of_very_many_threads_only_some_are_looked_at)
{
	unsigned n_read;

	put_threads(UNC_TASK_THREADS_MAX);
	desk_open(&d);
	EQ(strlen(d.f.notes), 0);
	unc_task_close(d.task);
	put_threads(UNC_TASK_THREADS_MAX + 200);
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
}

TEST(of_very_many_children_only_some_are_looked_at)
{
	static char list[40000];
	unsigned n_read;

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
}

TEST(looking_takes_a_twentieth_of_the_time_at_most)
{
	uint64_t begun_ns;
	unsigned n_read;

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
}

TEST(want_of_memory_strikes_anywhere)
{
	unsigned n;

	desk_with_child(&d, (struct times){200, 0, 0, 0});
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
}
