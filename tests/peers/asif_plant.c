// SPDX-License-Identifier: GPL-2.0-or-later
/* Breakpoints on the instructions that asif answers for, and the answers. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "asif.h"

static void plant(struct thread *thread, uint64_t address, const struct site *site)
{
	struct space *space = thread->space;
	uint64_t word;

	errno = 0;
	word = (uint64_t)ptrace(PTRACE_PEEKTEXT, thread->tid, (void *)address, NULL);
	if (errno)
		die("thread %d: read the code at 0x%lx: %s", thread->tid, address, strerror(errno));
	word = (word & ~UINT64_C(0xff)) | 0xcc; /* int3 */
	if (!trace(PTRACE_POKETEXT, thread->tid, (void *)address, (void *)word, "set a breakpoint"))
		return;
	space->planted = realloc(space->planted, (space->n_planted + 1) * sizeof(*space->planted));
	if (!space->planted)
		die("out of memory");
	space->planted[space->n_planted++] = (struct planted){address, site};
}

/* LEN bytes of OBJECT from OFFSET are now at ADDRESS, and nothing else is. */
void plant_object(struct thread *thread, const struct object *object, uint64_t address, uint64_t offset, uint64_t len)
{
	struct space *space = thread->space;
	size_t kept = 0;

	for (size_t i = 0; i < space->n_planted; i++)
		if (space->planted[i].address - address >= len)
			space->planted[kept++] = space->planted[i];
	space->n_planted = kept;
	for (size_t i = 0; i < object->n_sites; i++)
		if (object->sites[i].offset - offset < len)
			plant(thread, address + object->sites[i].offset - offset, &object->sites[i]);
}

/* After exec: the program itself is mapped, its libraries will be. */
void plant_program(struct thread *thread)
{
	char path[64], line[PATH_MAX + 128], name[PATH_MAX];
	const struct object *object;
	ssize_t len;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/exe", thread->tid);
	len = readlink(path, name, sizeof(name) - 1);
	if (len < 0)
		return; /* gone */
	name[len] = '\0';
	object = object_of(path, name);
	snprintf(path, sizeof(path), "/proc/%d/maps", thread->tid);
	maps = fopen(path, "re");
	while (object && maps && fgets(line, sizeof(line), maps)) {
		unsigned long from, to, offset;
		char may[5];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &from, &to, may, &offset, &at) == 4 && at &&
		    may[2] == 'x' && strcmp(line + at, name) == 0)
			plant_object(thread, object, from, offset, to - from);
	}
	if (maps)
		fclose(maps);
}

/* The vdso is there but the program will not find it: its entry in the auxiliary vector (above argv, envp) says nothing. */
void hide_vdso(const struct thread *thread)
{
	struct user_regs_struct regs;
	uint64_t words[2], at;
	unsigned zeros = 0;
	struct iovec here = {words, sizeof(words)}, there = {NULL, sizeof(words)};

	if (!trace(PTRACE_GETREGS, thread->tid, NULL, &regs, "read its registers"))
		return;
	for (at = regs.rsp + 8; zeros < 2; at += 8) {
		there.iov_base = (void *)at;
		here.iov_len = there.iov_len = 8;
		if (process_vm_readv(thread->tid, &here, 1, &there, 1, 0) != 8)
			return;
		zeros += words[0] == 0;
	}
	for (here.iov_len = there.iov_len = 16;; at += 16) {
		there.iov_base = (void *)at;
		if (process_vm_readv(thread->tid, &here, 1, &there, 1, 0) != 16 || words[0] == AT_NULL)
			return;
		if (words[0] == AT_SYSINFO_EHDR)
			trace(PTRACE_POKEDATA, thread->tid, (void *)at, (void *)AT_IGNORE, "change its start");
	}
}

static void answer(struct tracer *tracer, struct thread *thread, const struct planted *planted,
		   struct user_regs_struct *regs)
{
	uint32_t out[4];
	uint64_t tsc;

	switch (planted->site->kind) {
	case CPUID:
		tree_cpuid(&tracer->tree, thread->cpu, (uint32_t)regs->rax, (uint32_t)regs->rcx, out);
		regs->rax = out[0];
		regs->rbx = out[1];
		regs->rcx = out[2];
		regs->rdx = out[3];
		break;
	case RDTSCP:
		regs->rcx = (uint64_t)tree_node(&tracer->tree, thread->cpu) << 12 | thread->cpu;
		/* fallthrough */
	case RDTSC:
		tsc = tree_tsc(&tracer->tree, thread->cpu);
		regs->rax = (uint32_t)tsc;
		regs->rdx = tsc >> 32;
		break;
	}
	regs->rip = planted->address + planted->site->length;
}

void breakpoint(struct tracer *tracer, struct thread *thread)
{
	struct user_regs_struct regs;

	if (!trace(PTRACE_GETREGS, thread->tid, NULL, &regs, "read its registers"))
		return;
	for (size_t i = 0; i < thread->space->n_planted; i++) {
		if (thread->space->planted[i].address != regs.rip - 1)
			continue;
		answer(tracer, thread, &thread->space->planted[i], &regs);
		if (trace(PTRACE_SETREGS, thread->tid, NULL, &regs, "write its registers"))
			go_on(thread, 0);
		return;
	}
	go_on(thread, SIGTRAP); /* the program's own */
}
