// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of asif (asif.c): what the machine below TREE answers, and where a program asks. */
#ifndef ASIF_H
#define ASIF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
