// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stands in for QEMU in tests of uncore-simqemu: finds the sockets in its arguments, as QEMU would, and says over them what the
 * words behind -do tell.  A function is named BB:DD.F; numbers are hexadecimal.
 *
 *     read F OFF LEN, write F OFF LEN VALUE     a value that is read is printed
 *     bar F ADDRESS LEN                         a read of memory, at a physical address in a BAR
 *     ask F OFF LEN, hear F                     the same in two parts, so that several can be asked at once
 *     slow F OFF LEN                            a read that comes byte by byte
 *     say F COMMAND SIZE                        a header with that, and so many zeros; heard with hear
 *     part F                                    half of a header, then the socket is closed
 *     give F COMMAND                            a message with two file descriptors
 *     close F
 *     time F OFF N                              N reads: prints how many ns each took, decimal
 *     fds                                       prints how many descriptors the parent has
 *     wait                                      prints "waiting" and waits to be killed
 *     deaf                                      the same, but SIGTERM is ignored
 *     busy F OFF                                prints "waiting", ignores SIGTERM too, and reads for ever
 *     exit N, die N                             with that status, by that signal
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 16, CFG_WRITE = 2, CFG_READ = 3, BAR_READ = 5 };

struct function {
	char name[16];
	int fd;
};

static struct function functions[512];
static size_t n_functions;

static void fail(const char *what)
{
	fprintf(stderr, "fakeqemu: %s\n", what);
	exit(99);
}

/* "x-pci-proxy-dev,fd=5,bus=simqemu-bus7f,addr=10.0,multifunction=on" */
static void device(const char *text)
{
	struct function *f = &functions[n_functions];
	char bus[32], addr[8];

	if (strncmp(text, "x-pci-proxy-dev,fd=", 19) != 0)
		return;
	if (sscanf(text, "x-pci-proxy-dev,fd=%d,bus=%31[^,],addr=%7[^,],", &f->fd, bus, addr) != 3)
		fail(text);
	snprintf(f->name, sizeof(f->name), "%s:%s", strcmp(bus, "pcie.0") == 0 ? "00" : bus + strlen(bus) - 2, addr);
	n_functions++;
}

static int fd_of(const char *name)
{
	for (size_t i = 0; i < n_functions; i++)
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].fd;
	fail(name);
	return -1;
}

static unsigned long hex(const char *text)
{
	return strtoul(text, NULL, 16);
}

struct message {
	unsigned char bytes[512];
	size_t len;
};

static struct message message(int32_t command, const void *data, uint64_t size)
{
	struct message m = {.len = HEADER + (size < 256 ? size : 0)};

	memcpy(m.bytes, &command, sizeof(command));
	memcpy(m.bytes + 8, &size, sizeof(size));
	if (data)
		memcpy(m.bytes + HEADER, data, size);
	return m;
}

static struct message config(int32_t command, const char *off, const char *len, unsigned long value)
{
	uint32_t data[3] = {(uint32_t)hex(off), (uint32_t)value, (uint32_t)hex(len)};

	return message(command, data, sizeof(data));
}

static struct message bar_read(const char *address, const char *len)
{
	uint64_t data[3] = {hex(address), 0, hex(len) | UINT64_C(1) << 32};

	return message(BAR_READ, data, sizeof(data));
}

/* A reader sees the end of the stream when no writer is left. */
static void tell(const char *name, const struct message *m)
{
	if (send(fd_of(name), m->bytes, m->len, MSG_NOSIGNAL) < 0)
		printf("gone\n");
}

static uint64_t hear(const char *name)
{
	unsigned char bytes[HEADER + 8];
	int32_t command;
	uint64_t size, value;

	if (recv(fd_of(name), bytes, sizeof(bytes), MSG_WAITALL) != (ssize_t)sizeof(bytes)) {
		printf("no answer\n");
		fflush(stdout);
		pause();
	}
	memcpy(&command, bytes, sizeof(command));
	memcpy(&size, bytes + 8, sizeof(size));
	memcpy(&value, bytes + HEADER, sizeof(value));
	if (command != 1 || size != 8)
		fail("that is no answer");
	return value;
}

static void slow(const char *name, const struct message *m)
{
	for (size_t i = 0; i < m->len; i++) {
		struct timespec ms = {.tv_nsec = 1000000};

		send(fd_of(name), m->bytes + i, 1, 0);
		nanosleep(&ms, NULL);
	}
}

static void give(const char *name, int32_t command)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct message m = message(command, NULL, command ? 0 : 192);
	struct iovec iov = {.iov_base = m.bytes, .iov_len = m.len};
	struct msghdr header = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	int fds[2] = {memfd_create("a", 0), memfd_create("b", 0)};

	control.header =
		(struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(fds))};
	memcpy(CMSG_DATA(&control.header), fds, sizeof(fds));
	if (sendmsg(fd_of(name), &header, 0) < 0)
		fail("sendmsg");
	close(fds[0]);
	close(fds[1]);
}

static void time_reads(const char *name, const char *off, unsigned long n)
{
	struct message m = config(CFG_READ, off, "4", 0);
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned long i = 0; i < n; i++) {
		tell(name, &m);
		hear(name);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.0f\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / (double)n);
}

static void count_fds(void)
{
	char path[64];
	unsigned n = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)getppid());
	folder = opendir(path);
	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	printf("%u\n", n);
}

static void wait_for_death(bool deaf)
{
	if (deaf)
		signal(SIGTERM, SIG_IGN);
	printf("waiting\n");
	fflush(stdout);
	for (;;)
		pause();
}

static void read_for_ever(const char *name, const char *off)
{
	struct message m = config(CFG_READ, off, "4", 0);

	signal(SIGTERM, SIG_IGN);
	printf("waiting\n");
	fflush(stdout);
	for (;;) {
		tell(name, &m);
		hear(name);
	}
}

/* Those about a function.  How many words they take behind their own; -1: none of these. */
static int obey_function(char **w)
{
	struct message m;

	if (!strcmp(w[0], "read") || !strcmp(w[0], "ask") || !strcmp(w[0], "slow")) {
		m = config(CFG_READ, w[2], w[3], 0);
		if (w[0][0] == 's')
			slow(w[1], &m);
		else
			tell(w[1], &m);
		if (w[0][0] != 'a')
			printf("%lx\n", (unsigned long)hear(w[1]));
		return 3;
	}
	if (!strcmp(w[0], "bar")) {
		m = bar_read(w[2], w[3]);
		tell(w[1], &m);
		printf("%lx\n", (unsigned long)hear(w[1]));
		return 3;
	}
	if (!strcmp(w[0], "write")) {
		m = config(CFG_WRITE, w[2], w[3], hex(w[4]));
		tell(w[1], &m);
		hear(w[1]);
		return 4;
	}
	if (!strcmp(w[0], "say")) {
		m = message((int32_t)hex(w[2]), NULL, hex(w[3]));
		tell(w[1], &m);
		return 3;
	}
	if (!strcmp(w[0], "hear")) {
		printf("%lx\n", (unsigned long)hear(w[1]));
		return 1;
	}
	return -1;
}

static int obey_rare(char **w)
{
	if (!strcmp(w[0], "time")) {
		time_reads(w[1], w[2], hex(w[3]));
		return 3;
	}
	if (!strcmp(w[0], "busy"))
		read_for_ever(w[1], w[2]);
	if (!strcmp(w[0], "give")) {
		give(w[1], (int32_t)hex(w[2]));
		return 2;
	}
	if (!strcmp(w[0], "part") || !strcmp(w[0], "close")) {
		if (w[0][0] == 'p')
			send(fd_of(w[1]), "\3\0\0\0", 4, 0);
		close(fd_of(w[1]));
		return 1;
	}
	return -1;
}

static int obey_other(char **w)
{
	if (!strcmp(w[0], "wait") || !strcmp(w[0], "deaf"))
		wait_for_death(w[0][0] == 'd');
	if (!strcmp(w[0], "exit"))
		exit((int)hex(w[1]));
	if (!strcmp(w[0], "die")) {
		fflush(stdout);
		raise((int)hex(w[1]));
	}
	if (strcmp(w[0], "fds") != 0)
		fail(w[0]);
	count_fds();
	return 0;
}

int main(int argc, char **argv)
{
	int i = 1;

	/* A QEMU that was built without multi-process support knows no such device. */
	if (getenv("FAKEQEMU_KNOWS_NO_PROXY")) {
		fprintf(stderr, "fakeqemu: -device x-pci-proxy-dev: it is not a valid device model name\n");
		return 1;
	}
	for (; i < argc && strcmp(argv[i], "-do") != 0; i++)
		device(argv[i]);
	for (i++; i < argc; i++) {
		int words = obey_function(&argv[i]);

		if (words < 0)
			words = obey_rare(&argv[i]);
		if (words < 0)
			words = obey_other(&argv[i]);
		i += words;
		fflush(stdout);
	}
	return 0;
}
