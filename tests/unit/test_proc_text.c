// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/tasks.h"

#include "fakefiles.h"
#include "machine/users.h"
#include "test.h"
#include "uncore/task.h"

/* As read on Linux 6.18. */
static const char stat_text[] =
	"30331 (cat) R 30319 30319 25859 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 5 0 2246268 3133440 390 "
	"18446744073709551615 94662286942208 94662286962089 140721637316480 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n";

TEST(a_stat_has_these_fields)
{
	struct unc_proc_stat stat;
	char text[200];

	CU_ASSERT_TRUE_FATAL(unc_proc_stat_parse(stat_text, &stat));
	snprintf(text, sizeof(text),
		 "%s %c %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		 " %d %" PRIu64,
		 stat.comm, stat.state, stat.utime, stat.stime, stat.cutime, stat.cstime, stat.n_threads,
		 stat.starttime, stat.vsize, stat.processor_told, stat.processor);
	SAME(text, "cat R 1 2 3 4 5 2246268 3133440 1 1");
	CU_ASSERT_FALSE(unc_proc_ended(&stat));
}

TEST(a_stat_that_ends_before_the_processor_does_not_tell_it)
{
	static const struct {
		const char *more;
		bool told;
	} cases[] = {
		{"", false},
		{"\n", false},
		{" 390 18446744073709551615 0 0\n", false},
		{" 390 1 0 0 0 0 0 0 0 0 0 0 0 0 17", false},     /* 38 fields */
		{" 390 1 0 0 0 0 0 0 0 0 0 0 0 0 17 63\n", true}, /* 39 */
		{" 390 1 0 0 0 0 0 0 0 0 0 0 0 0 17 63 0 0\n", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_proc_stat stat;
		char text[200];

		snprintf(text, sizeof(text), "1 (a) R 1 1 1 0 -1 4 0 0 0 0 5 6 7 8 20 0 1 0 4711 8192%s",
			 cases[i].more);
		CU_ASSERT_TRUE_FATAL(unc_proc_stat_parse(text, &stat));
		EQ(stat.vsize, 8192);
		EQ(stat.processor_told, cases[i].told);
		EQ(stat.processor, cases[i].told ? 63 : 0);
	}
}

#define REST " 1 1 1 0 -1 4 0 0 0 0 5 6 7 8 20 0 1 0 4711 8192"

TEST(a_name_may_look_like_fields)
{
	static const struct {
		const char *text, *comm;
	} cases[] = {
		{"1 () S" REST, ""},
		{"1 (a b) S" REST, "a b"},
		{"1 (a) R 1 (b) S" REST, "a) R 1 (b"},
		{"1 ()) S" REST, ")"},
		{"1 (new\nline) S" REST, "new\nline"},
		{"1 (0123456789012345678901234567890123456789012345678901234567890123456789) S" REST,
		 "012345678901234567890123456789012345678901234567890123456789012"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_proc_stat stat;

		CU_ASSERT_TRUE_FATAL(unc_proc_stat_parse(cases[i].text, &stat));
		SAME(stat.comm, cases[i].comm);
		EQ(stat.state, 'S');
		EQ(stat.utime, 5);
		EQ(stat.starttime, 4711);
	}
}

TEST(what_is_no_stat_is_refused)
{
	static const char *const texts[] = {
		"",
		"1",
		"1 (a",
		"1 a) S" REST,
		"1 )a( S" REST,
		"1 (a)S" REST,
		"1 (a) ",
		"1 (a) SS" REST,
		"1 (a) S 1 1 1 0 -1 4 0 0 0 0 5 6 7 8 20 0 1 0 4711",
		"1 (a) S 1 1 1 0 -1 4 0 0 0 0 5 6 7 8 20 0 1 0 4711 ",
		"1 (a) S 1 1 1 0 -1 4 0 0 0 0 5 6 7 8 20 0 1 0 4711 8192x",
		"1 (a) S 1 1 1 0 -1 4 0 0 0 0 x 6 7 8 20 0 1 0 4711 8192",
		"1 (a) S 1 1 1 0 - 4 0 0 0 0 5 6 7 8 20 0 1 0 4711 8192",
		"1 (a) S 1 1 1 0 --1 4 0 0 0 0 5 6 7 8 20 0 1 0 4711 8192",
		"1 (a) S 1 1 1 0 -1  4 0 0 0 0 5 6 7 8 20 0 1 0 4711 8192",
		"1 (a) S 1 1 1 0 -1 4 0 0 0 0 18446744073709551616 6 7 8 20 0 1 0 4711 8192",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct unc_proc_stat stat = {.utime = 99};

		CU_ASSERT_FALSE(unc_proc_stat_parse(texts[i], &stat));
		EQ(stat.utime, 99);
	}
}

TEST(a_cpu_list_is_all_or_nothing)
{
	static const char *const wrong[] = {"",       "\n", "1-",  "3-1", "1,,2",
					    "0-8192", "x",  "1 2", "-1",  "1,99999999999999999999"};
	static struct unc_cpuset set;

	CU_ASSERT_TRUE(unc_cpuset_of_list("0,2-3,8191", &set));
	EQ(unc_cpuset_count(&set), 4);
	CU_ASSERT_TRUE(set.has[0] && set.has[2] && set.has[3] && set.has[8191]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CU_ASSERT_FALSE(unc_cpuset_of_list(wrong[i], &set));
		EQ(unc_cpuset_count(&set), 4);
	}
	CU_ASSERT_TRUE(unc_cpuset_of_list("0-8191", &set));
	EQ(unc_cpuset_count(&set), UNC_CPUSET_MAX);
}

TEST(a_status_has_a_list_of_cpus)
{
	static struct unc_cpuset set;

	CU_ASSERT_TRUE(
		unc_proc_status_cpus("Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\nMems_allowed:\t1\n", &set));
	EQ(unc_cpuset_count(&set), 2);
	/* A name cannot have a newline here, which Linux writes as \n. */
	CU_ASSERT_FALSE(unc_proc_status_cpus("Name:\tCpus_allowed_list:\t0\n", &set));
	CU_ASSERT_FALSE(unc_proc_status_cpus("Cpus_allowed:\t3\n", &set));
	CU_ASSERT_FALSE(unc_proc_status_cpus("\nCpus_allowed_list:\t0-1", &set));
}

TEST(cpus_are_busy_but_for_idle_and_iowait)
{
	static const struct {
		const char *text, *times;
	} cases[] = {
		{"cpu  1 1 1 1\ncpu0 1 2 4 8 16 32 64 128 256 512\ncpu7 1 2 4 8\nintr 5\n", "0:231/255 7:7/15 "},
		{"cpu0 1 2 4 8 16\ncpu1 1 2 4\ncpu2 1 2 4 8", "0:7/31 "}, /* the last line is cut off */
		{"cpu0\ncpu 1 2 3 4\ncpux 1 2 3 4\n cpu1 1 2 3 4\ncpu2  1 2 3 4\ncpu3 1 2 3 4x\n", ""},
		{"cpu0 18446744073709551615 18446744073709551615 1 1\n", ""},
		{"cpu0 18446744073709551616 0 0 0\ncpu18446744073709551616 1 1 1 1\n", ""},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *rest = cases[i].text;
		struct unc_cpu_time time;
		char times[200] = "";
		size_t len = 0;
		uint64_t cpu;

		while (unc_proc_next_cpu_time(&rest, &cpu, &time)) {
			CU_ASSERT_TRUE(time.told && time.busy <= time.total);
			len += (size_t)snprintf(times + len, sizeof(times) - len,
						"%" PRIu64 ":%" PRIu64 "/%" PRIu64 " ", cpu, time.busy, time.total);
		}
		SAME(times, cases[i].times);
	}
}

TEST(numbers_of_a_line_come_one_by_one)
{
	static const char *const cases[][2] = {{"12  345 6x 7", "12 345 6 "}, {"1\n2", "1 "}};

	for (size_t i = 0; i < 2; i++) {
		const char *rest = cases[i][0];
		char numbers[40] = "";
		uint64_t number;

		while (unc_proc_next_number(&rest, &number))
			snprintf(numbers + strlen(numbers), sizeof(numbers) - strlen(numbers), "%" PRIu64 " ", number);
		SAME(numbers, cases[i][1]);
	}
}

/* ---- whatever stands there ---- */

static uint64_t next_random(uint64_t *state) /* xorshift64 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A few bytes become others, most of them such as stand in these texts; sometimes the end is missing. */
static size_t spoil(char text[400], const char *sample, uint64_t *state)
{
	static const char usual[] = "0123456789 ()-,\n\\:cpu\t\0Z";
	unsigned n = (unsigned)(next_random(state) % 4);
	size_t len = strlen(sample);

	memcpy(text, sample, len);
	while (n-- && len)
		text[next_random(state) % len] =
			next_random(state) % 4 ? usual[next_random(state) % sizeof(usual)] : (char)next_random(state);
	return next_random(state) % 3 ? len : next_random(state) % (len + 1);
}

/* In memory that ends where the text does, so that a sanitizer sees who reads on. */
static bool survives(const char *bytes, size_t len)
{
	static struct unc_cpuset set;
	char *text = malloc(len + 1);
	struct unc_proc_stat stat;
	struct unc_cpu_time time;
	const char *rest;
	uint64_t number;
	bool good = true;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	memcpy(text, bytes, len);
	text[len] = '\0';
	if (unc_proc_stat_parse(text, &stat))
		good = strlen(stat.comm) < sizeof(stat.comm) && stat.state;
	if (unc_proc_status_cpus(text, &set) || unc_cpuset_of_list(text, &set))
		good &= unc_cpuset_count(&set) > 0;
	for (rest = text; unc_proc_next_cpu_time(&rest, &number, &time);)
		good &= time.told && time.busy <= time.total;
	rest = text;
	while (unc_proc_next_number(&rest, &number))
		good &= rest <= text + strlen(text);
	free(text);
	return good;
}

static const char *const samples[] = {
	stat_text,
	"Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6-7\nMems_allowed_list:\t0\n",
	"cpu  5 4 3 2 1 0 0 0 0 0\ncpu0 5 4 3 2 1 6 7 8 9 10\ncpu1 5 4 3 2 1 6 7 8 9 10\nintr 1\n",
	"123 456 789 ",
	"0-3,8,10-11\n",
};

TEST(every_beginning_of_a_text_is_survived)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		for (size_t len = 0; len <= strlen(samples[i]); len++)
			CU_ASSERT_TRUE_FATAL(survives(samples[i], len));
}

TEST(spoilt_texts_are_survived)
{
	uint64_t state = 20260211;

	for (unsigned i = 0; i < 40000; i++) {
		const char *sample = samples[i % (sizeof(samples) / sizeof(samples[0]))];
		char text[400];
		size_t len = spoil(text, sample, &state);

		CU_ASSERT_TRUE_FATAL(survives(text, len));
	}
}

static void put_spoilt(struct fake *f, const char *path, const char *sample, uint64_t *state)
{
	char text[400];

	fake_put_bytes(f, path, text, spoil(text, sample, state));
}

TEST(spoilt_files_are_survived)
{
	uint64_t state = 4711;
	size_t n_found = 0, n_more = 0;
	struct fake f;

	fake_open(&f);
	fake_put(&f, "/sys/fs/resctrl/mon_groups/pcm0", NULL);
	for (unsigned i = 0; i < 4000; i++) {
		struct unc_finding *findings;
		size_t n;

		put_spoilt(&f, "/proc/mounts", "a b ext4 rw 0 0\nresctrl /sys/fs/res\\143trl resctrl rw 0 0\n", &state);
		put_spoilt(&f, "/var/lock/libpqos", "30331 2246268\n", &state);
		put_spoilt(&f, "/proc/30331/stat", stat_text, &state);
		put_spoilt(&f, "/tmp/opcm-daemon-shm-id", "32769", &state);
		put_spoilt(&f, "/proc/sysvipc/shm", "key shmid\n -1 32769 600 5000 30331 901 2 0\n", &state);
		OK(&f, unc_users_find(f.m, UNC_USERS_OF_CACHES, NULL, &findings, &n));
		CU_ASSERT_TRUE_FATAL(n >= 1 && n <= 4); /* the lock file is there in any case */
		n_found += n;
		n_more += n > 1;
		free(findings);
	}
	CU_ASSERT_TRUE(n_found > 4000 && n_more > 1000 && n_more < 4000);
	fake_close(&f);
}

TEST(a_task_of_spoilt_files_is_survived)
{
	uint64_t state = 815;
	unsigned n_opened = 0, n_looked = 0;
	struct fake f;

	fake_open(&f);
	for (unsigned i = 0; i < 4000; i++) {
		struct unc_task *task = NULL;
		const unsigned *cpus;
		unsigned flags = 0;
		size_t n;

		f.now_ns += 2 * S_NS;
		put_spoilt(&f, "/proc/30331/stat", stat_text, &state);
		put_spoilt(&f, "/proc/30331/task/30331/status", samples[1], &state);
		put_spoilt(&f, "/proc/30331/task/30331/children", "30331 3 4 30332 ", &state);
		put_spoilt(&f, "/proc/30332/stat", stat_text, &state);
		put_spoilt(&f, "/proc/stat", samples[2], &state);
		if (unc_task_open(f.m, 30331, &task) < 0)
			continue;
		n_opened++;
		OK(&f, unc_task_cpus(task, &cpus, &n));
		CU_ASSERT_TRUE_FATAL(n > 0 && n <= 8 && cpus[n - 1] < 8);
		put_spoilt(&f, "/proc/30331/task/30331/status", samples[1], &state);
		put_spoilt(&f, "/proc/30332/stat", stat_text, &state);
		put_spoilt(&f, "/proc/stat", samples[2], &state);
		f.now_ns += 2 * S_NS;
		OK(&f, unc_task_look(task, &flags));
		n_looked += flags == 0;
		unc_task_close(task);
	}
	CU_ASSERT_TRUE(n_opened > 500 && n_opened < 4000 && n_looked > 400 && n_looked < n_opened);
	fake_close(&f);
}
