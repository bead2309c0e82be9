// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * This program as the only one of an initramfs: the kernel starts it as /init.  It runs the commands in /uncorectl.args and powers the
 * computer off, or those that are typed on the console.  If process 1 ended, the kernel would panic.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/module.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"

#define PROMPT "uncorectl> "
static const char args_path[] = "/uncorectl.args";
enum { WORDS_MAX = 1000 };

/* Their files are what the commands read; the journal is kept in /run. */
static const struct {
	const char *type, *folder;
} mounts[] = {{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/run"}};
enum { N_MOUNTS = sizeof(mounts) / sizeof(mounts[0]) };

static void mount_folders(void)
{
	int error[N_MOUNTS], fd;

	for (int i = 0; i < N_MOUNTS; i++) {
		mkdir(mounts[i].folder, 0755);
		error[i] = mount(mounts[i].type, mounts[i].folder, mounts[i].type, MS_NOSUID | MS_NOEXEC, NULL);
		error[i] = error[i] != 0 && errno != EBUSY ? errno : 0;
	}
	/* The kernel found no console if the initramfs lacks /dev/console; now it is there. */
	if (fcntl(STDIN_FILENO, F_GETFD) < 0)
		for (fd = open("/dev/console", O_RDWR); fd >= 0 && fd < STDERR_FILENO;)
			fd = dup(fd);
	for (int i = 0; i < N_MOUNTS; i++)
		if (error[i])
			say("%s: cannot mount %s: %s", mounts[i].folder, mounts[i].type, strerror(error[i]));
}

/* Loads msr.ko, in most kernels a module, beside this program or where it is installed. */
static void load_msr(void)
{
	static const char *const packed[] = {"", ".xz", ".zst", ".gz"};
	struct utsname kernel;

	uname(&kernel);
	for (size_t i = 0; i < 2 * sizeof(packed) / sizeof(packed[0]); i++) {
		const char *suffix = packed[i / 2];
		char path[300] = "";
		int fd;

		if (i % 2)
			snprintf(path, sizeof(path), "/lib/modules/%s/kernel/arch/x86/kernel", kernel.release);
		unc_text_join(path, sizeof(path), "", "/msr.ko%s", suffix);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (syscall(SYS_finit_module, fd, "", *suffix ? MODULE_INIT_COMPRESSED_FILE : 0) != 0 &&
		    errno != EEXIST)
			say("%s: the kernel does not load it: %s%s", path, strerror(errno),
			    *suffix ? "; unpack it, since this kernel may not do that itself" : "");
		close(fd);
	}
}

/* The terminal sends SIGINT here, too: it ends the input of a line, and nothing else. */
static void on_interrupt(int signal)
{
	(void)signal;
}

static _Noreturn void end_computer(int how)
{
	fflush(stdout);
	tcdrain(STDOUT_FILENO);
	sync();
	reboot(how);
	say("this computer does not end: %s; switch it off", strerror(errno));
	for (;;)
		pause();
}

/* The file with commands, with a zero after it; NULL: there is none. */
static char *read_args(void)
{
	FILE *file = fopen(args_path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0)
		text = unc_text_dup("");
	fclose(file);
	return text;
}

/* The next line, in *line.  False: there is none now. */
static bool ask(char **line, size_t *size)
{
	fputs(PROMPT, stdout);
	fflush(stdout);
	errno = 0;
	if (getline(line, size, stdin) >= 0)
		return true;
	if (errno != EINTR)
		sleep(1); /* Ctrl-D, or a console that has gone */
	clearerr(stdin);
	fputs("\n", stdout);
	return false;
}

/* Waits for it, and for orphans, which are children of process 1. */
static void await(pid_t pid, const char *command)
{
	int status = 0;
	pid_t ended;

	do
		ended = wait(&status);
	while (ended != pid && (ended >= 0 || errno == EINTR));
	if (WIFSIGNALED(status))
		say("%s: ended by signal %d", command, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		say("%s: exit status %d", command, WEXITSTATUS(status));
}

/* Runs a line of input.  True: this is the process of its command, and words, of *ret_n elements and a NULL, are the arguments. */
static bool run_line(char *line, char **words, int *ret_n)
{
	int n = unc_text_words(line, words + 1, WORDS_MAX - 1);
	pid_t pid;

	if (n < 0)
		say("a quote has no end, or there are more than %d words", WORDS_MAX - 2);
	if (n > 0 && strcmp(words[1], "uncorectl") == 0) /* as it is written elsewhere */
		memmove(words + 1, words + 2, (size_t)n-- * sizeof(*words));
	if (n <= 0)
		return false;
	if (strcmp(words[1], "poweroff") == 0)
		end_computer(RB_POWER_OFF);
	if (strcmp(words[1], "reboot") == 0)
		end_computer(RB_AUTOBOOT);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		*ret_n = n + 1;
		return true;
	}
	if (pid < 0)
		say("%s: cannot start it: %s", words[1], strerror(errno));
	else
		await(pid, words[1]);
	return false;
}

void init_take_over(int *argc, char ***argv)
{
	char **words, *args, *rest, *line = NULL;
	size_t size = 0;

	if (getpid() != 1 || *argc < 1 || !unc_text_match("*init", (*argv)[0]))
		return;
	mount_folders();
	/* So the terminal's keys send signals. */
	setsid();
	ioctl(STDIN_FILENO, TIOCSCTTY, 1);
	sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
	setvbuf(stdin, NULL, _IONBF, 0); /* what is after a line is for its command */
	load_msr();
	words = calloc(WORDS_MAX, sizeof(*words));
	if (!words)
		end_computer(RB_POWER_OFF);
	words[0] = (*argv)[0];
	*argv = words;
	args = rest = read_args();
	if (!args)
		puts("Commands of uncorectl, as `help` lists them, and poweroff and reboot.");
	while (!args || rest) {
		if (args) {
			line = unc_text_cut(&rest, '\n');
			if (*line)
				printf(PROMPT "%s\n", line);
		} else if (!ask(&line, &size)) {
			continue;
		}
		if (run_line(line, words, argc))
			return;
	}
	end_computer(RB_POWER_OFF);
}
