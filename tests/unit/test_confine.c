// SPDX-License-Identifier: GPL-2.0-or-later
/* Which system calls are left, each tried in a child that is confined. */
#define _GNU_SOURCE
#include "cli/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static char path[] = "/tmp/confine.XXXXXX", victim[] = "/tmp/confine.XXXXXX", state_dir[] = "/tmp/confine.XXXXXX";

static bool of_error(long rc)
{
	return rc >= 0 || (errno != EPERM && errno != EACCES); /* of the filter, and of Landlock */
}

/* Each: is it left?  Numbers of system calls, where the C library might make another of it. */
static bool to_read(void)
{
	return of_error(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
}

static bool to_list(void)
{
	return of_error(open("/proc/self/task", O_RDONLY | O_DIRECTORY));
}

static bool to_write(void)
{
	return of_error(open(path, O_RDWR));
}

static bool to_truncate(void)
{
	return of_error(open(path, O_RDONLY | O_TRUNC));
}

static bool to_make(void)
{
	return of_error(open("/tmp", O_TMPFILE | O_WRONLY, 0600));
}

static bool to_create(void)
{
	return of_error(openat(AT_FDCWD, path, O_RDONLY | O_CREAT, 0600));
}

static bool to_remove(void)
{
	return of_error(unlinkat(AT_FDCWD, "/tmp/there.is.no.such.file", 0));
}

static bool to_remove_from_a_folder(void)
{
	return of_error(unlinkat(open("/tmp", O_RDONLY | O_DIRECTORY), "there.is.no.such.file", 0));
}

/* Its directory is ignored where the path is absolute. */
static bool to_remove_through_a_folder(void)
{
	return of_error(unlinkat(open("/tmp", O_RDONLY | O_DIRECTORY), victim, 0));
}

static bool to_remove_a_journal(void)
{
	char journal[64];

	snprintf(journal, sizeof(journal), "%s/journal", state_dir);
	return of_error(unlinkat(open("/tmp", O_RDONLY | O_DIRECTORY), journal, 0));
}

static bool to_remove_a_folder(void)
{
	return of_error(unlinkat(open("/tmp", O_RDONLY | O_DIRECTORY), "there.is.no.such.folder", AT_REMOVEDIR));
}

static bool to_write_our_memory(void)
{
	return of_error(open("/proc/self/mem", O_RDWR));
}

static bool to_run(void)
{
	return of_error(execl("/there.is.no.such.file", "", NULL));
}

static bool to_fork(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return of_error(pid);
}

static bool to_network(void)
{
	return of_error(socket(AF_UNIX, SOCK_STREAM, 0));
}

static bool to_map(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool to_map_a_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	close(fd);
	return page != MAP_FAILED;
}

static bool to_map_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool to_make_code(void)
{
	return of_error(
		mprotect((void *)((uintptr_t)path & ~UINT64_C(4095)), 4096, PROT_READ | PROT_WRITE | PROT_EXEC));
}

static bool to_kill_our_parent(void)
{
	return of_error(kill(getppid(), 0));
}

static bool to_kill_all(void)
{
	return of_error(kill(-1, 0));
}

static bool to_raise(void)
{
	return of_error(raise(SIGCONT)) && of_error(kill(getpid(), 0));
}

static bool to_ask_a_terminal(void)
{
	struct winsize size;

	return of_error(ioctl(0, TIOCGWINSZ, &size)) && of_error(isatty(0) - 1);
}

static bool to_type_for_a_terminal(void)
{
	return of_error(ioctl(0, TIOCSTI, "x"));
}

/* Of no event: the call alone is what matters. */
static bool to_switch_an_event(void)
{
	return of_error(ioctl(0, PERF_EVENT_IOC_ENABLE, 0)) && of_error(ioctl(0, PERF_EVENT_IOC_DISABLE, 0));
}

static bool to_refresh_an_event(void)
{
	return of_error(ioctl(0, PERF_EVENT_IOC_REFRESH, 1));
}

static bool to_reset_an_event(void)
{
	return of_error(ioctl(0, PERF_EVENT_IOC_RESET, 0));
}

static bool to_filter_an_event(void)
{
	return of_error(ioctl(0, PERF_EVENT_IOC_SET_FILTER, ""));
}

static bool to_open_an_event(void)
{
	return of_error(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

static bool to_lock(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	return of_error(fcntl(0, F_OFD_GETLK, &lock));
}

static bool to_own_signals_of_files(void)
{
	return of_error(fcntl(0, F_SETOWN, getpid()));
}

static bool to_die_without_core(void)
{
	return of_error(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
}

static bool to_take_more(void)
{
	return of_error(setrlimit(RLIMIT_NOFILE, &(struct rlimit){16, 16}));
}

static bool to_sleep(void)
{
	return of_error(nanosleep(&(struct timespec){0, 1}, NULL));
}

static bool to_trace(void)
{
	return of_error(prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL));
}

static void *nothing(void *arg)
{
	return arg;
}

static bool to_begin_a_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

static bool to_choose_a_node(void)
{
	unsigned long node = 1;

	return of_error(syscall(SYS_mbind, NULL, 0, 2 /* MPOL_BIND */, &node, 8, 0));
}

static bool to_move_memory_of_others(void)
{
	return of_error(syscall(SYS_migrate_pages, getppid(), 0, NULL, NULL));
}

static const struct deed {
	const char *what;
	bool (*can)(void);
	bool reading, writing, traffic, held;
} deeds[] = {
	{"open a file for reading", to_read, true, true, true, true},
	{"list a folder", to_list, true, true, true, true},
	{"open a file for writing", to_write, false, true, false, false},
	{"truncate one", to_truncate, false, true, false, false},
	{"make one without a name", to_make, false, true, false, false},
	{"create one", to_create, false, true, false, false},
	{"remove any file", to_remove, false, true, false, false},
	{"remove one of a folder that is open", to_remove_from_a_folder, false, true, false, true},
	{"remove one by a folder that it is not in", to_remove_through_a_folder, false, true, false, false},
	{"remove a journal", to_remove_a_journal, false, true, false, true},
	{"remove a folder", to_remove_a_folder, false, false, false, false},
	{"write our own memory as a file", to_write_our_memory, false, false, false, false},
	{"become another program", to_run, false, false, false, false},
	{"start one", to_fork, false, false, false, false},
	{"reach another program", to_network, false, false, false, false},
	{"take memory", to_map, true, true, true, true},
	{"map a file", to_map_a_file, true, true, true, false},
	{"take memory for code", to_map_code, false, false, false, false},
	{"make code of memory", to_make_code, false, false, false, false},
	{"send our parent a signal", to_kill_our_parent, false, false, false, false},
	{"send everybody one", to_kill_all, false, false, false, false},
	{"send ourselves one", to_raise, true, true, true, true},
	{"ask how large a terminal is", to_ask_a_terminal, true, true, true, true},
	{"type for somebody", to_type_for_a_terminal, false, false, false, false},
	{"switch an event of the kernel's", to_switch_an_event, true, true, true, true},
	{"refresh one", to_refresh_an_event, false, false, false, false},
	{"reset one", to_reset_an_event, false, false, false, false},
	{"filter one", to_filter_an_event, false, false, false, false},
	{"open one", to_open_an_event, false, false, false, false},
	{"ask who has locked a file", to_lock, true, true, true, true},
	{"have signals sent for a file", to_own_signals_of_files, false, false, false, false},
	{"leave no core", to_die_without_core, true, true, true, true},
	{"change another limit", to_take_more, false, false, false, false},
	{"sleep", to_sleep, true, true, true, true},
	{"let others trace us", to_trace, false, false, false, false},
	{"begin a thread", to_begin_a_thread, false, false, true, false},
	{"choose where our memory is", to_choose_a_node, false, false, true, false},
	{"choose where that of others is", to_move_memory_of_others, false, false, false, false},
};
enum { N_DEEDS = sizeof(deeds) / sizeof(deeds[0]) };

/* valgrind's own calls would be filtered too. */
static bool can_be_tried(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return confine_has_filter && !(preloaded && strstr(preloaded, "vgpreload"));
}

/* A character each: y, n; or "e" alone when the filter was refused. */
static void try_all(enum confine_to to, int pid, char result[N_DEEDS + 1])
{
	memset(result, 0, N_DEEDS + 1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0 || confine_paths(to, state_dir) != 0 ||
	    confine_calls(to, pid) != 0) {
		result[0] = 'e';
		return;
	}
	for (size_t i = 0; i < N_DEEDS; i++)
		result[i] = deeds[i].can() ? 'y' : 'n';
}

static void try_in_a_child(enum confine_to to, char result[N_DEEDS + 1])
{
	int fds[2], status = -1;
	pid_t pid;

	memset(result, 0, N_DEEDS + 1);
	CU_ASSERT_FATAL(pipe2(fds, O_CLOEXEC) == 0);
	pid = fork();
	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0) {
		try_all(to, 0, result);
		_exit(write(fds[1], result, N_DEEDS) != N_DEEDS);
	}
	close(fds[1]);
	CU_ASSERT_EQUAL(read(fds[0], result, N_DEEDS), N_DEEDS);
	close(fds[0]);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0); /* nothing that is refused ends a process */
}

static void check(enum confine_to to, const char *result)
{
	for (size_t i = 0; i < N_DEEDS; i++) {
		bool wanted = to == CONFINE_WRITING || to == CONFINE_FILES ? deeds[i].writing
			      : to == CONFINE_TRAFFIC                      ? deeds[i].traffic
			      : to == CONFINE_HELD                         ? deeds[i].held
									   : deeds[i].reading;

		/* Only Landlock sees a path. */
		if (confine_paths_version() < 1 &&
		    (deeds[i].can == to_remove_through_a_folder || deeds[i].can == to_write_our_memory))
			continue;

		if (result[i] != (wanted ? 'y' : 'n'))
			fprintf(stderr, "\nconfined to %d: %s: '%c'\n", (int)to, deeds[i].what, result[i]);
		CU_ASSERT_EQUAL(result[i], wanted ? 'y' : 'n');
	}
}

static void remove_journal(void)
{
	char journal[64];

	snprintf(journal, sizeof(journal), "%s/journal", state_dir);
	unlink(journal);
}

/* Files that are removed where that is left. */
static void make_victims(void)
{
	char journal[64];

	snprintf(journal, sizeof(journal), "%s/journal", state_dir);
	close(open(journal, O_WRONLY | O_CREAT, 0600));
	close(open(victim, O_WRONLY | O_CREAT, 0600));
}

TEST(what_is_left_is_what_the_rest_takes)
{
	static const enum confine_to all[] = {CONFINE_READING, CONFINE_WRITING, CONFINE_FILES, CONFINE_HELD,
					      CONFINE_TRAFFIC};
	char result[N_DEEDS + 1];
	int fd, victim_fd;

	if (!can_be_tried())
		return;
	if (confine_paths_version() < 1)
		fprintf(stderr, "\nskip: which paths may be changed # this kernel has no Landlock\n");
	fd = mkstemp(path);
	victim_fd = mkstemp(victim);
	CU_ASSERT_FATAL(fd >= 0 && victim_fd >= 0 && mkdtemp(state_dir));
	close(victim_fd);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		make_victims();
		try_in_a_child(all[i], result);
		check(all[i], result);
	}
	close(fd);
	unlink(path);
	unlink(victim);
	remove_journal();
	rmdir(state_dir);
}

static bool sees_descriptors(enum confine_to to)
{
	char link[64], leads_to[64];
	int status = -1;
	pid_t pid;

	snprintf(link, sizeof(link), "/proc/%d/fd/1", (int)getpid());
	pid = fork();
	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
		_exit(confine_paths(to, NULL) != 0 || confine_calls(to, 0) != 0 ||
		      readlink(link, leads_to, sizeof(leads_to)) < 0);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	return status == 0;
}

/* Landlock would hide who counts by perf. */
TEST(a_command_that_looks_for_others_can_see_them)
{
	if (!can_be_tried())
		return;
	CU_ASSERT_TRUE(sees_descriptors(CONFINE_READING));
	CU_ASSERT_TRUE(sees_descriptors(CONFINE_SEARCHING));
}

TEST(signals_reach_the_command_and_nobody_else)
{
	pid_t command, pid;
	int status = -1;

	if (!can_be_tried())
		return;
	command = fork();
	CU_ASSERT_FATAL(command >= 0);
	if (command == 0) {
		pause();
		_exit(0);
	}
	pid = fork();
	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
		_exit(confine_calls(CONFINE_HELD, command) != 0 || kill(getppid(), 0) == 0 ||
		      kill(command, SIGTERM) != 0);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(waitpid(command, &status, 0), command);
	CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
