// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "base/os.h"

#include "base/err.h"
#include "tree.h"

#include <signal.h>
#include <sys/time.h>

#include "test.h"

#define MS UINT64_C(1000000)

static struct unc_ctx ctx;
static struct tree tree;
static struct tree_path path; /* a file of it, which is not there yet */
static struct unc_os_shared a, b;

static void begin(void)
{
	ctx = (struct unc_ctx){.msg = ""};
	tree = tree_new();
	path = tree_path(&tree, "state");
}

static void end(void)
{
	unc_os_shared_close(&a);
	unc_os_shared_close(&b);
	tree_remove(&tree);
}

EACH(begin, end)

/* The sentence begins with a path. */
static bool is_of(const char *name)
{
	return strncmp(ctx.msg, name, strlen(name)) == 0;
}

/* Whether a file can be read. */
static int read_of(const char *name, size_t max, enum unc_trust trust)
{
	char *text = NULL;
	int rc = unc_os_file_read(&ctx, name, max, trust, &text, NULL);

	CU_ASSERT_EQUAL(text != NULL, rc == 0);
	free(text);
	return rc;
}

static void share(struct unc_os_shared *shared, size_t len)
{
	CU_ASSERT_EQUAL_FATAL(unc_os_shared_open(&ctx, path.text, len, len, shared), UNC_OK);
}

TEST(clocks_go_forward)
{
	for (int clock = UNC_CLOCK_RAW; clock <= UNC_CLOCK_REAL; clock++) {
		uint64_t before = unc_os_now_ns((enum unc_clock)clock);

		CU_ASSERT_TRUE(before > 0);
		CU_ASSERT_TRUE(unc_os_now_ns((enum unc_clock)clock) >= before);
	}
	CU_ASSERT_TRUE(unc_os_now_ns(UNC_CLOCK_REAL) > UINT64_C(1500000000) * 1000 * MS);
}

TEST(a_sleep_ends_at_its_time_and_not_before)
{
	uint64_t until = unc_os_now_ns(UNC_CLOCK_MONO) + 20 * MS;

	CU_ASSERT_EQUAL(unc_os_sleep_until(until, -1), UNC_OK);
	CU_ASSERT_TRUE(unc_os_now_ns(UNC_CLOCK_MONO) >= until);
	CU_ASSERT_EQUAL(unc_os_sleep_until(until, -1), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_sleep_until(0, -1), UNC_OK);
}

TEST(a_sleep_ends_early_when_woken_even_if_it_was_late_already)
{
	uint64_t far = unc_os_now_ns(UNC_CLOCK_MONO) + 60000 * MS;
	int fds[2];

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	CU_ASSERT_EQUAL(unc_os_sleep_until(unc_os_now_ns(UNC_CLOCK_MONO) + MS, fds[0]), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_sleep_until(0, fds[0]), UNC_OK);
	CU_ASSERT_EQUAL(write(fds[1], "x", 1), 1);
	CU_ASSERT_EQUAL(unc_os_sleep_until(far, fds[0]), UNC_EAGAIN);
	CU_ASSERT_EQUAL(unc_os_sleep_until(UINT64_MAX, fds[0]), UNC_EAGAIN);
	CU_ASSERT_EQUAL(unc_os_sleep_until(0, fds[0]), UNC_EAGAIN);
	CU_ASSERT_TRUE(unc_os_now_ns(UNC_CLOCK_MONO) < far);
	close(fds[0]);
	close(fds[1]);
}

static void heard(int signal)
{
	(void)signal;
}

TEST(a_signal_ends_a_sleep_early)
{
	struct sigaction action = {.sa_handler = heard}, before;
	struct itimerval soon = {.it_value = {.tv_usec = 10000}}, never = {0};

	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	CU_ASSERT_EQUAL(unc_os_sleep_until(UINT64_MAX, -1), UNC_EAGAIN);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
}

TEST(a_file_is_read_whole_up_to_its_limit)
{
	static char big[100000];
	static const size_t sizes[] = {0, 1, 511, 512, 513, 4096, 99999, 100000};

	memset(big, 'x', sizeof(big));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *text = NULL;
		size_t len = 1;

		tree_bytes(&tree, "state", big, sizes[i]);
		CU_ASSERT_EQUAL(unc_os_file_read(&ctx, path.text, sizes[i], UNC_TRUST_OWNED, &text, &len), UNC_OK);
		CU_ASSERT_EQUAL(len, sizes[i]);
		CU_ASSERT_TRUE(text && strlen(text) == sizes[i]);
		free(text);
		CU_ASSERT_EQUAL(read_of(path.text, SIZE_MAX, UNC_TRUST_ANY), UNC_OK);
		if (sizes[i] == 0)
			continue;
		CU_ASSERT_EQUAL(read_of(path.text, sizes[i] - 1, UNC_TRUST_ANY), UNC_ERANGE);
		CU_ASSERT_TRUE(is_of(path.text));
	}
}

TEST(a_file_that_does_not_tell_its_size_is_read_too)
{
	char *text = NULL;
	size_t len = 0;

	CU_ASSERT_EQUAL_FATAL(unc_os_file_read(&ctx, "/proc/self/status", 65536, UNC_TRUST_ANY, &text, &len), UNC_OK);
	CU_ASSERT_TRUE(len > 100 && strlen(text) == len);
	free(text);
}

TEST(a_file_that_cannot_be_read_is_named)
{
	struct tree_path none = tree_path(&tree, "none");

	CU_ASSERT_EQUAL(read_of(none.text, 10, UNC_TRUST_ANY), UNC_ENODEV);
	CU_ASSERT_TRUE(is_of(none.text));
	CU_ASSERT_STRING_EQUAL(ctx.os_name, "ENOENT");
	CU_ASSERT_EQUAL(read_of(tree.root, 10, UNC_TRUST_ANY), UNC_EIO);
	CU_ASSERT_EQUAL(read_of(tree.root, 10, UNC_TRUST_OWNED), UNC_EPERM);
}

TEST(a_file_that_others_could_have_written_is_not_trusted)
{
	struct tree_path file = tree_path(&tree, "map.yaml"), link = tree_path(&tree, "link"),
			 fifo = tree_path(&tree, "fifo");
	int for_root = geteuid() == 0 ? UNC_EPERM : UNC_OK;

	tree_text(&tree, "map.yaml", "x");
	CU_ASSERT_EQUAL_FATAL(symlink(file.text, link.text), 0);
	CU_ASSERT_EQUAL_FATAL(mkfifo(fifo.text, 0600), 0);
	CU_ASSERT_EQUAL(read_of(file.text, 100, UNC_TRUST_OWNED), UNC_OK);
	CU_ASSERT_EQUAL(read_of(link.text, 100, UNC_TRUST_OWNED), UNC_EPERM);
	CU_ASSERT_EQUAL(read_of(fifo.text, 100, UNC_TRUST_OWNED), UNC_EPERM);
	chmod(file.text, 0664);
	CU_ASSERT_EQUAL(read_of(file.text, 100, UNC_TRUST_OWNED), for_root);
	chmod(file.text, 0646);
	CU_ASSERT_EQUAL(read_of(file.text, 100, UNC_TRUST_OWNED), for_root);
	chmod(file.text, 0644);
	if (geteuid() == 0 && chown(file.text, 65534, 65534) == 0)
		CU_ASSERT_EQUAL(read_of(file.text, 100, UNC_TRUST_OWNED), UNC_EPERM);
}

TEST(a_directory_is_listed_in_order)
{
	const char *const *names = NULL;
	size_t n = 7;
	char name[16];

	CU_ASSERT_EQUAL(unc_os_dir_list(&ctx, tree.root, &names, &n), UNC_OK);
	CU_ASSERT_EQUAL(n, 0);
	free((void *)names);
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%03u", (i * 7) % 1000);
		tree_text(&tree, name, "");
	}
	CU_ASSERT_EQUAL_FATAL(unc_os_dir_list(&ctx, tree.root, &names, &n), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(n, 1000);
	for (unsigned i = 0; i < 1000; i++)
		CU_ASSERT_TRUE(strlen(names[i]) == 3 && strtoul(names[i], NULL, 10) == i);
	free((void *)names);
	CU_ASSERT_EQUAL(unc_os_dir_list(&ctx, tree_path(&tree, "none").text, &names, &n), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_os_dir_list(&ctx, tree_path(&tree, "000").text, &names, &n), UNC_ENODEV);
}

TEST(shared_memory_starts_as_zeros_and_outlives_its_openers)
{
	struct stat st;

	share(&a, 8192);
	CU_ASSERT_TRUE(a.len == 8192 && ((char *)a.mem)[8191] == 0);
	share(&b, 8192);
	((char *)a.mem)[100] = 'x';
	CU_ASSERT_EQUAL(((char *)b.mem)[100], 'x');
	unc_os_shared_close(&a);
	unc_os_shared_close(&a);
	unc_os_shared_close(NULL);
	unc_os_shared_close(&b);
	share(&a, 8192);
	CU_ASSERT_EQUAL(((char *)a.mem)[100], 'x');
	unc_os_shared_close(&a);
	CU_ASSERT_EQUAL(stat(path.text, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0600);
	CU_ASSERT_EQUAL(unc_os_shared_open(&ctx, path.text, 4096, 4096, &a), UNC_EARG);
	CU_ASSERT_TRUE(is_of(path.text));
	CU_ASSERT_EQUAL(unc_os_shared_open(&ctx, tree_path(&tree, "no/state").text, 4096, 4096, &a), UNC_ENODEV);
}

TEST(shared_memory_is_claimed_apart_from_its_lock)
{
	const uint64_t far = UINT64_C(1) << 61;

	share(&a, 8192);
	share(&b, 8192);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&a, far, 16, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&b, far + 15, 1, UNC_CLAIM_TAKE), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&b, far + 15, 1, UNC_CLAIM_ASK), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&b, far + 16, 1, UNC_CLAIM_TAKE), UNC_OK);
	unc_os_shared_lock(&b); /* does not wait for a */
	unc_os_shared_unlock(&b);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&b, far, 1, UNC_CLAIM_ASK), UNC_EBUSY);
	unc_os_shared_lock(&a);
	unc_os_shared_unlock(&a);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&b, far, 1, UNC_CLAIM_ASK), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&a, far, 16, UNC_CLAIM_LEAVE), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&b, far, 1, UNC_CLAIM_TAKE), UNC_OK);
	unc_os_shared_close(&b);
	CU_ASSERT_EQUAL(unc_os_shared_claim(&a, far, 17, UNC_CLAIM_TAKE), UNC_OK);
}

TEST(shared_memory_takes_the_space_that_is_used)
{
	const size_t len = 64 << 20, used = 64 << 10;
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(unc_os_shared_open(&ctx, path.text, len, used, &a), UNC_OK);
	((char *)a.mem)[used - 1] = 'x';
	CU_ASSERT_EQUAL(((char *)a.mem)[len - 1], 0);
	unc_os_shared_close(&a);
	CU_ASSERT_EQUAL_FATAL(stat(path.text, &st), 0);
	CU_ASSERT_EQUAL((size_t)st.st_size, len);
	CU_ASSERT((size_t)st.st_blocks * 512 >= used && (size_t)st.st_blocks * 512 < len / 2);
	CU_ASSERT_EQUAL(unc_os_shared_open(&ctx, path.text, used, used, &a), UNC_EARG);
}

/* Adds 1 to a counter slowly, many times, from two processes: without the lock, some additions are lost. */
static void count(void)
{
	volatile unsigned *counter = a.mem;

	for (unsigned i = 0; i < 2000; i++) {
		unsigned value;

		unc_os_shared_lock(&a);
		value = *counter;
		for (volatile unsigned pause = 0; pause < 50; pause++)
			;
		*counter = value + 1;
		unc_os_shared_unlock(&a);
	}
}

TEST(the_lock_keeps_processes_apart)
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	share(&a, 4096);
	count();
	if (pid == 0)
		_exit(0);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(*(unsigned *)a.mem, 4000);
}

TEST(the_lock_of_a_process_that_dies_is_free)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	share(&a, 4096);
	if (pid == 0) {
		unc_os_shared_lock(&a);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	unc_os_shared_lock(&a);
	unc_os_shared_unlock(&a);
	CU_PASS("the lock was given to us");
}
