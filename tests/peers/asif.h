// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of asif; asif.c says what it does. */
#ifndef ASIF_H
#define ASIF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#define ASIF_MAX_CPUS 1024
#define ASIF_FAILED   125 /* exit status when asif itself cannot go on */

/* "asif: SENTENCE" on stderr, then exit with ASIF_FAILED; what is traced dies with the tracer. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- asif_tree.c: the machine whose file tree is mounted at PATH */

struct tree {
	const char *path;
	uint64_t online[ASIF_MAX_CPUS / 64];
	unsigned n_possible; /* highest possible CPU + 1 */
	int cpuid_fd[ASIF_MAX_CPUS], msr_fd[ASIF_MAX_CPUS];
	bool real_time;    /* the time stamp counter is not read from a file even if there is one */
	double made_up_hz; /* of a time stamp counter that is not read from a file */
};

void tree_open(struct tree *tree, const char *path);
bool tree_is_online(const struct tree *tree, unsigned cpu);
/* eax, ebx, ecx, edx */
void tree_cpuid(struct tree *tree, unsigned cpu, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4]);
uint64_t tree_tsc(struct tree *tree, unsigned cpu);
unsigned tree_node(const struct tree *tree, unsigned cpu);

/* ---- asif_sites.c: the instructions of a file that are to be answered for */

enum kind { CPUID, RDTSC, RDTSCP };

struct site {
	uint64_t offset; /* in the file */
	enum kind kind;
	unsigned char length; /* of the instruction, in bytes */
};

struct object {
	uint64_t device, inode;
	struct site *sites; /* owned */
	size_t n_sites;
	struct object *next; /* owned; one list of all files seen */
};

/* Remembered per file: the same object is returned for the same file.  NAME tells what is left alone. */
const struct object *object_of(const char *path, const char *name);
const char *kind_name(enum kind kind);

/* ---- asif_threads.c: whom it traces */

/* A breakpoint in the memory of a process. */
struct planted {
	uint64_t address;
	const struct site *site; /* outlives this: files are never forgotten */
};

/* What is planted in one address space; threads share it. */
struct space {
	unsigned n_threads;
	struct planted *planted; /* owned */
	size_t n_planted;
};

struct thread {
	pid_t tid, tgid;
	unsigned cpu;                      /* on which it believes to be */
	uint64_t mask[ASIF_MAX_CPUS / 64]; /* on which it believes it may run */
	struct space *space;               /* shared, counted */
	bool is_known, is_waiting;         /* a child that was seen before its parent told of it waits */
	const struct object *mapping;      /* in an mmap() of this file, else NULL */
	uint64_t mapping_offset, mapping_len;
	struct thread *next; /* owned */
};

struct tracer {
	struct tree tree;
	struct thread *threads; /* owned */
	unsigned first_cpu;
	int status; /* of the command, as wait() gave it */
};

struct thread *thread_of(struct tracer *tracer, pid_t tid);
struct thread *add_thread(struct tracer *tracer, pid_t tid);
struct space *new_space(const struct space *like);
void leave_space(struct thread *thread);
void remove_thread(struct tracer *tracer, struct thread *gone);
pid_t tgid_of(pid_t tid);
/* ptrace(): false when the thread is gone; WHAT is for the sentence of any other failure. */
bool trace(enum __ptrace_request request, pid_t tid, void *address, void *data, const char *what);
void go_on(const struct thread *thread, int signal);

/* ---- asif_plant.c: breakpoints and what they are answered with */

/* LEN bytes of OBJECT from OFFSET are now at ADDRESS, and nothing else is. */
void plant_object(struct thread *thread, const struct object *object, uint64_t address, uint64_t offset, uint64_t len);
/* After exec. */
void plant_program(struct thread *thread);
void hide_vdso(const struct thread *thread);
/* It stands at an int3, which may be its own. */
void breakpoint(struct tracer *tracer, struct thread *thread);

/* ---- asif_calls.c: system calls; each lets the thread go on */

void system_call(struct tracer *tracer, struct thread *thread);
/* Of one that start_of_mmap() noted. */
void end_of_mmap(struct thread *thread);
/* For the command itself, before exec.  -1 with errno. */
int install_filter(void);

#endif
