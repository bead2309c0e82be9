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
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "test.h"

static char path[] = "/tmp/confine.XXXXXX", victim[] = "/tmp/confine.XXXXXX", state_dir[] = "/tmp/confine.XXXXXX";
static char made_dir[] = "/tmp/confine.XXXXXX", other_dir[] = "/tmp/confine.XXXXXX";

/* Which of them are left when a command is confined to what. */
enum {
	NONE = 0,
	READING = 1,
	WRITING = 2,
	TRAFFIC = 4,
	ONLY_HELD = 8,
	REPLACING = 16,
	SERVING = 32,
	HELD = ONLY_HELD | REPLACING | SERVING,
	ALL = 63,
	ONLY_LANDLOCK_SEES_IT = 64
};

static struct deed {
	const char *what;
	bool (*can)(void);
	unsigned left_to;
} deeds[80];
static size_t n_deeds;

/* Is it left?  It adds itself to the list. */
#define DEED(what, left_to, ...)                                                                                       \
	static bool what(void)                                                                                         \
	{                                                                                                              \
		return __VA_ARGS__;                                                                                    \
	}                                                                                                              \
	__attribute__((constructor)) static void add_##what(void)                                                      \
	{                                                                                                              \
		deeds[n_deeds++] = (struct deed){#what, what, left_to};                                                \
	}

static bool left(long rc)
{
	return rc >= 0 || (errno != EPERM && errno != EACCES); /* of the filter, and of Landlock */
}

static int tmp(void)
{
	return open("/tmp", O_RDONLY | O_DIRECTORY);
}

static const char *journal(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s/journal", state_dir);
	return text;
}

static int opened(const char *folder)
{
	return open(folder, O_PATH | O_DIRECTORY);
}

static const char *absolute(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s/file", other_dir);
	return text;
}

static bool make_in(const char *folder, const char *name)
{
	return left(openat(opened(folder), name, REPLACED_FLAGS, 0600));
}

static bool rename_in(const char *folder, const char *name, const char *to)
{
	int fd = opened(folder);

	return left(renameat(fd, name, fd, to));
}

static long fork_one(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}

static bool map_page(int protection, const char *file)
{
	int fd = file ? open(file, O_RDONLY) : -1;
	void *page = mmap(NULL, 4096, protection, file ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);

	if (file)
		close(fd);
	return page != MAP_FAILED;
}

static void *nothing(void *arg)
{
	return arg;
}

static bool run_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

static struct winsize size_of_terminal;
static struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
static unsigned long node = 1;

/* Numbers of system calls, where the C library might make another of it. */
DEED(read_as_the_stdio_of_musl, ALL, left(readv(STDIN_FILENO, NULL, 0)))
DEED(open_a_file_for_reading, ALL, left(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)))
DEED(list_a_folder, ALL, left(open("/proc/self/task", O_RDONLY | O_DIRECTORY)))
DEED(open_a_file_for_writing, WRITING, left(open(path, O_RDWR)))
DEED(truncate_one, WRITING, left(open(path, O_RDONLY | O_TRUNC)))
DEED(make_one_without_a_name, WRITING, left(open("/tmp", O_TMPFILE | O_WRONLY, 0600)))
DEED(create_one, WRITING, left(openat(AT_FDCWD, path, O_RDONLY | O_CREAT, 0600)))
DEED(remove_any_file, WRITING, left(unlinkat(AT_FDCWD, "/tmp/there.is.no.such.file", 0)))
DEED(remove_one_of_a_folder_that_is_open, WRITING | HELD, left(unlinkat(tmp(), "there.is.no.such.file", 0)))
/* Its directory is ignored where the path is absolute. */
DEED(remove_one_by_a_folder_that_it_is_not_in, WRITING | ONLY_LANDLOCK_SEES_IT, left(unlinkat(tmp(), victim, 0)))
DEED(make_a_file_of_a_folder, WRITING | REPLACING, make_in(made_dir, "new"))
DEED(make_one_of_another_folder, WRITING | ONLY_LANDLOCK_SEES_IT, make_in(other_dir, "new"))
DEED(make_one_by_a_folder_that_it_is_not_in, WRITING | ONLY_LANDLOCK_SEES_IT, make_in(made_dir, absolute()))
DEED(make_one_that_may_be_there, WRITING,
     left(openat(opened(made_dir), "new", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)))
DEED(rename_a_file_of_a_folder, WRITING | REPLACING, rename_in(made_dir, "new", "file"))
DEED(rename_one_into_another_folder, WRITING | ONLY_LANDLOCK_SEES_IT, rename_in(made_dir, "file", absolute()))
DEED(rename_one_of_no_folder, WRITING, left(renameat(AT_FDCWD, "there.is.no.such.file", AT_FDCWD, "/tmp/no")))
DEED(remove_a_journal, WRITING | HELD, left(unlinkat(tmp(), journal(), 0)))
DEED(set_a_terminal, HELD, left(ioctl(-1, TCSETSW, 0)))
DEED(write_to_a_terminal_as_its_keys, NONE, left(ioctl(-1, TIOCSTI, "")))
DEED(wait_for_fewer_files, HELD, left(epoll_ctl(-1, EPOLL_CTL_DEL, 0, NULL)))
DEED(remove_a_folder, NONE, left(unlinkat(tmp(), "there.is.no.such.folder", AT_REMOVEDIR)))
DEED(write_our_own_memory_as_a_file, NONE | ONLY_LANDLOCK_SEES_IT, left(open("/proc/self/mem", O_RDWR)))
DEED(become_another_program, NONE, left(execl("/there.is.no.such.file", "", NULL)))
DEED(start_one, NONE, left(fork_one()))
DEED(reach_another_program, NONE, left(socket(AF_UNIX, SOCK_STREAM, 0)))
DEED(connect_to_another_program, NONE, left(connect(-1, NULL, 0)))
DEED(listen_somewhere, NONE, left(listen(-1, 1)))
DEED(accept_a_connection, SERVING, left(accept4(-1, NULL, NULL, 0)))
DEED(answer_it, SERVING, left(send(-1, "", 1, 0)) && left(recv(-1, &(char){0}, 1, 0)) && left(shutdown(-1, SHUT_RDWR)))
DEED(wait_for_all_of_them, SERVING, left(epoll_wait(-1, &(struct epoll_event){0}, 1, 0)))
DEED(mark_what_it_sends, NONE, left(setsockopt(-1, SOL_SOCKET, SO_MARK, "", 1)))
DEED(take_memory, ALL, map_page(PROT_READ | PROT_WRITE, NULL))
DEED(map_a_file, READING | WRITING | TRAFFIC, map_page(PROT_READ, "/proc/self/exe"))
DEED(take_memory_for_code, NONE, map_page(PROT_READ | PROT_EXEC, NULL))
DEED(make_code_of_memory, NONE,
     left(mprotect((void *)((uintptr_t)path & ~UINT64_C(4095)), 4096, PROT_READ | PROT_WRITE | PROT_EXEC)))
DEED(send_our_parent_a_signal, NONE, left(kill(getppid(), 0)))
DEED(send_all_processes_one, NONE, left(kill(-1, 0)))
DEED(send_ourselves_one, ALL, left(raise(SIGCONT)) && left(kill(getpid(), 0)))
DEED(ask_how_large_a_terminal_is, ALL, left(ioctl(0, TIOCGWINSZ, &size_of_terminal)) && left(isatty(0) - 1))
DEED(type_into_a_terminal, NONE, left(ioctl(0, TIOCSTI, "x")))
/* Of no event: the call alone is what matters. */
DEED(switch_an_event_of_the_kernel, ALL,
     left(ioctl(0, PERF_EVENT_IOC_ENABLE, 0)) && left(ioctl(0, PERF_EVENT_IOC_DISABLE, 0)))
DEED(refresh_one, NONE, left(ioctl(0, PERF_EVENT_IOC_REFRESH, 1)))
DEED(reset_one, NONE, left(ioctl(0, PERF_EVENT_IOC_RESET, 0)))
DEED(filter_one, NONE, left(ioctl(0, PERF_EVENT_IOC_SET_FILTER, "")))
DEED(open_one, NONE, left(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)))
DEED(ask_which_process_has_locked_a_file, ALL, left(fcntl(0, F_OFD_GETLK, &lock)))
DEED(have_signals_sent_for_a_file, NONE, left(fcntl(0, F_SETOWN, getpid())))
DEED(leave_no_core, ALL, left(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0})))
DEED(change_another_limit, NONE, left(setrlimit(RLIMIT_NOFILE, &(struct rlimit){16, 16})))
DEED(sleep_a_moment, ALL, left(nanosleep(&(struct timespec){0, 1}, NULL)))
DEED(let_others_trace_us, NONE, left(prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL)))
DEED(begin_a_thread, TRAFFIC, run_thread())
DEED(choose_where_our_memory_is, TRAFFIC, left(syscall(SYS_mbind, NULL, 0, 2 /* MPOL_BIND */, &node, 8, 0)))
DEED(choose_where_that_of_others_is, NONE, left(syscall(SYS_migrate_pages, getppid(), 0, NULL, NULL)))

/* valgrind's own calls would be filtered too. */
static bool can_be_tried(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return confine_has_filter && !(preloaded && strstr(preloaded, "vgpreload"));
}

/* A new process does it, confined to that; its exit status. */
static int in_a_child(enum confine_to to, int (*deed)(enum confine_to to, void *arg), void *arg)
{
	int status = -1;
	pid_t pid = fork();

	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
		_exit(deed(to, arg));
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status)); /* nothing that is refused ends a process */
	return WEXITSTATUS(status);
}

/* Writes a character each: y or n. */
static int try_all(enum confine_to to, void *fds)
{
	char result[sizeof(deeds) / sizeof(deeds[0])];

	if (confine_paths(to, state_dir, made_dir) != 0 || confine_calls(to, 0) != 0)
		return 2;
	for (size_t i = 0; i < n_deeds; i++)
		result[i] = deeds[i].can() ? 'y' : 'n';
	return write(((int *)fds)[1], result, n_deeds) != (ssize_t)n_deeds;
}

static void try_and_check(enum confine_to to, unsigned flag)
{
	char result[sizeof(deeds) / sizeof(deeds[0])] = {0};
	int fds[2];

	CU_ASSERT_FATAL(pipe2(fds, O_CLOEXEC) == 0);
	CU_ASSERT_EQUAL(in_a_child(to, try_all, fds), 0);
	close(fds[1]);
	CU_ASSERT_EQUAL(read(fds[0], result, sizeof(result)), (ssize_t)n_deeds);
	close(fds[0]);
	for (size_t i = 0; i < n_deeds; i++) {
		char wanted = deeds[i].left_to & flag ? 'y' : 'n';

		if (confine_paths_version() < 1 && deeds[i].left_to & ONLY_LANDLOCK_SEES_IT)
			continue;
		if (result[i] != wanted)
			fprintf(stderr, "\nconfined to %d: %s: '%c'\n", (int)to, deeds[i].what, result[i]);
		CU_ASSERT_EQUAL(result[i], wanted);
	}
}

TEST(what_is_left_is_what_the_rest_takes)
{
	static const struct {
		enum confine_to to;
		unsigned flag;
	} all[] = {{CONFINE_READING, READING}, {CONFINE_WRITING, WRITING},     {CONFINE_FILES, WRITING},
		   {CONFINE_HELD, ONLY_HELD},  {CONFINE_REPLACING, REPLACING}, {CONFINE_SERVING, SERVING},
		   {CONFINE_TRAFFIC, TRAFFIC}};

	if (!can_be_tried())
		return;
	if (confine_paths_version() < 1)
		fprintf(stderr, "\nskip: which paths may be changed # this kernel has no Landlock\n");
	close(mkstemp(path));
	close(mkstemp(victim));
	CU_ASSERT_FATAL(mkdtemp(state_dir) != NULL && mkdtemp(made_dir) != NULL && mkdtemp(other_dir) != NULL);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		/* Files that are removed where that is left. */
		close(open(journal(), O_WRONLY | O_CREAT, 0600));
		close(open(victim, O_WRONLY | O_CREAT, 0600));
		try_and_check(all[i].to, all[i].flag);
		unlink(absolute());
		unlinkat(opened(other_dir), "new", 0);
		unlinkat(opened(made_dir), "new", 0);
		unlinkat(opened(made_dir), "file", 0);
	}
	unlink(path);
	unlink(victim);
	unlink(journal());
	rmdir(state_dir);
	CU_ASSERT_EQUAL(rmdir(made_dir), 0);
	CU_ASSERT_EQUAL(rmdir(other_dir), 0);
}

static int look_at_descriptors(enum confine_to to, void *link)
{
	char leads_to[64];

	return confine_paths(to, NULL, NULL) != 0 || confine_calls(to, 0) != 0 ||
	       readlink(link, leads_to, sizeof(leads_to)) < 0;
}

/* Landlock would hide which process counts by perf. */
TEST(a_command_that_looks_for_others_can_see_them)
{
	char link[64];

	if (!can_be_tried())
		return;
	snprintf(link, sizeof(link), "/proc/%d/fd/1", (int)getpid());
	CU_ASSERT_EQUAL(in_a_child(CONFINE_READING, look_at_descriptors, link), 0);
	CU_ASSERT_EQUAL(in_a_child(CONFINE_SEARCHING, look_at_descriptors, link), 0);
}

static int end_command(enum confine_to to, void *command)
{
	return confine_calls(to, *(pid_t *)command) != 0 || kill(getppid(), 0) == 0 ||
	       kill(*(pid_t *)command, SIGTERM) != 0;
}

TEST(signals_reach_the_command_and_no_other_process)
{
	pid_t command;
	int status = -1;

	if (!can_be_tried())
		return;
	command = fork();
	CU_ASSERT_FATAL(command >= 0);
	if (command == 0) {
		pause();
		_exit(0);
	}
	CU_ASSERT_EQUAL(in_a_child(CONFINE_HELD, end_command, &command), 0);
	CU_ASSERT_EQUAL(waitpid(command, &status, 0), command);
	CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
