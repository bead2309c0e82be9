// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A preloaded library: a program that maps /dev/mem gets the file MAPMEM, which takes reads and writes of the exact width of an access,
 * such as dev/mem of a mounted machine.  What it maps cannot be accessed; at each access, whose place and width capstone tells, the
 * bytes are fetched, the page is opened for that one instruction, and what it wrote is sent.  Nothing is emulated.
 */
#define _GNU_SOURCE
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { REGIONS = 1024, PAGE = 4096, SINGLE_STEP = 0x100 /* TF of EFLAGS */ };

static struct region {
	unsigned char *at;
	size_t len;
	off_t from;
	int fd;
} regions[REGIONS];
static size_t n_regions;

/* The access that an instruction of this thread is making. */
static __thread struct {
	const struct region *region; /* NULL: none */
	unsigned char *at;
	unsigned len;
	bool writes;
} now;

static csh capstone;
static struct sigaction others[2]; /* what the program wants done at SIGSEGV and SIGTRAP */
static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);

/* Offsets of accesses of more than 8 bytes, as of vector registers, are those of 8 bytes each, as on a bus. */
static void transfer(bool write)
{
	off_t off = now.region->from + (now.at - now.region->at);

	for (unsigned done = 0, n; done < now.len; done += n) {
		n = now.len - done < 8 ? now.len - done : 8;
		if ((write ? pwrite(now.region->fd, now.at + done, n, off + done)
			   : pread(now.region->fd, now.at + done, n, off + done)) != (ssize_t)n)
			memset(now.at + done, 0xff, n);
	}
}

/* The page of the access, and the next one if it lies in both. */
static void protect(int how)
{
	uintptr_t begin = (uintptr_t)now.at & ~(uintptr_t)(PAGE - 1), end = (uintptr_t)now.at + now.len;

	mprotect((void *)begin, (end - begin + PAGE - 1) & ~(size_t)(PAGE - 1), how);
}

static const struct region *region_of(const unsigned char *at)
{
	for (size_t i = 0; i < n_regions; i++)
		if (at >= regions[i].at && at < regions[i].at + regions[i].len)
			return &regions[i];
	return NULL;
}

/* As if it were not for us. */
static void hand_on(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *theirs = &others[signal == SIGTRAP];

	if (theirs->sa_flags & SA_SIGINFO) {
		theirs->sa_sigaction(signal, info, context);
	} else if (theirs->sa_handler == SIG_DFL) {
		next_sigaction(signal, theirs, NULL);
		raise(signal);
	} else if (theirs->sa_handler != SIG_IGN) {
		theirs->sa_handler(signal);
	}
}

static void access_begins(int signal, siginfo_t *info, void *context)
{
	mcontext_t *cpu = &((ucontext_t *)context)->uc_mcontext;
	const struct region *region = now.region ? NULL : region_of(info->si_addr);
	const uint8_t *code = (const uint8_t *)cpu->gregs[REG_RIP];
	uint64_t address = (uint64_t)cpu->gregs[REG_RIP];
	cs_insn *insn = region ? cs_malloc(capstone) : NULL;
	size_t left = 15;
	bool reads = false;

	if (!insn || !cs_disasm_iter(capstone, &code, &left, &address, insn)) {
		hand_on(signal, info, context);
		return;
	}
	now.region = region;
	now.at = info->si_addr;
	now.len = 0;
	now.writes = false;
	for (uint8_t i = 0; i < insn->detail->x86.op_count; i++) {
		const cs_x86_op *op = &insn->detail->x86.operands[i];

		if (op->type != X86_OP_MEM)
			continue;
		now.len = op->size;
		reads |= (op->access & CS_AC_READ) != 0;
		now.writes |= (op->access & CS_AC_WRITE) != 0;
	}
	cs_free(insn, 1);
	protect(PROT_READ | PROT_WRITE);
	if (reads)
		transfer(false);
	cpu->gregs[REG_EFL] |= SINGLE_STEP;
}

static void access_ended(int signal, siginfo_t *info, void *context)
{
	if (!now.region) {
		hand_on(signal, info, context);
		return;
	}
	if (now.writes)
		transfer(true);
	protect(PROT_NONE);
	now.region = NULL;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
}

__attribute__((constructor)) static void begin(void)
{
	const struct sigaction segv = {.sa_sigaction = access_begins, .sa_flags = SA_SIGINFO | SA_NODEFER};
	const struct sigaction trap = {.sa_sigaction = access_ended, .sa_flags = SA_SIGINFO | SA_NODEFER};

	*(void **)&next_sigaction = dlsym(RTLD_NEXT, "sigaction");
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) != CS_ERR_OK ||
	    cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK)
		abort();
	next_sigaction(SIGSEGV, &segv, &others[0]);
	next_sigaction(SIGTRAP, &trap, &others[1]);
}

/* ---- what the program calls */

#pragma GCC visibility push(default)

int open_2(const char *path, int flags) __asm__("__open_2");

int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction *ours = signal == SIGSEGV ? &others[0] : signal == SIGTRAP ? &others[1] : NULL;
	struct sigaction before;

	if (!ours)
		return next_sigaction(signal, action, old);
	before = *ours;
	if (action)
		*ours = *action;
	if (old)
		*old = before;
	return 0;
}

static const char *instead_of(const char *path)
{
	const char *file = getenv("MAPMEM");

	return file && strcmp(path, "/dev/mem") == 0 ? file : path;
}

int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...);
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
	va_end(list);
	*(void **)&next = dlsym(RTLD_NEXT, "open");
	return next(instead_of(path), flags, mode);
}

/* open() of a hardened program that makes no file. */
int open_2(const char *path, int flags)
{
	return open(path, flags);
}

static bool is_the_file(int fd)
{
	const char *path = getenv("MAPMEM");
	struct stat mapped, file;

	return fd >= 0 && path && fstat(fd, &mapped) == 0 && stat(path, &file) == 0 && mapped.st_dev == file.st_dev &&
	       mapped.st_ino == file.st_ino;
}

void *mmap(void *at, size_t len, int how, int flags, int fd, off_t from)
{
	void *(*next)(void *, size_t, int, int, int, off_t);
	struct region *region = &regions[n_regions];

	*(void **)&next = dlsym(RTLD_NEXT, "mmap");
	if (!is_the_file(fd) || n_regions == REGIONS)
		return next(at, len, how, flags, fd, from);
	*region = (struct region){.len = len, .from = from, .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)};
	region->at = next(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region->at != MAP_FAILED)
		n_regions++;
	return region->at;
}

int munmap(void *at, size_t len)
{
	int (*next)(void *, size_t);

	*(void **)&next = dlsym(RTLD_NEXT, "munmap");
	for (size_t i = 0; i < n_regions; i++) {
		if (regions[i].at != at)
			continue;
		close(regions[i].fd);
		regions[i] = regions[--n_regions];
		break;
	}
	return next(at, len);
}
