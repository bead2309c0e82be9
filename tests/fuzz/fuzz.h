/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzing with libFuzzer: one program for all targets, build/fuzz/tests/fuzz/run TARGET [OPTION of libFuzzer]... [FOLDER or FILE]...
 *
 * A target gets any bytes.  The sanitizers find what C forbids; what else must hold, a target asserts itself.
 */
#ifndef UNC_TESTS_FUZZ_H
#define UNC_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore.h"

struct fuzz_target {
	const char *name;
	/* text is size bytes, with a zero behind them that does not count. */
	void (*run)(const char *text, size_t size);
};
extern const struct fuzz_target fuzz_texts[], fuzz_machines[], fuzz_runs[],
	fuzz_serve[]; /* each ends with a name of NULL */

/* Prints a sentence and ends the program as a crash, so that libFuzzer keeps the input. */
_Noreturn void fuzz_fail(const char *fmt, ...) UNC_PRINTF(1, 2);
#define FUZZ_ASSERT(condition)                                                                                         \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			fuzz_fail("%s:%d: %s", __FILE__, __LINE__, #condition);                                        \
	} while (0)

/* A copy with a zero behind it; free() it. */
char *fuzz_copy(const char *text, size_t len);
/* A function that the linker hands us in the place of the library's (--wrap): real_NAME() is that one, wrap_NAME() is called. */
#define FUZZ_WRAPPED(type, name, ...)                                                                                  \
	type real_##name(__VA_ARGS__) __asm__("__real_" #name);                                                        \
	type wrap_##name(__VA_ARGS__) __asm__("__wrap_" #name)

/* ---- scene.c: a whole run as text ---- */

/*
 * The first line is the words of a command line.  A line "@NAME" begins a file, which ends before the next such line.  NAME
 * "/proc/mounts" is what the machine's operating system answers; NAME "load.yaml" is written into the folder of the run; the name
 * "cpuid" is a CPUID dump, which answers for the machine's CPUs; each byte of "bus" is XORed into one read of registers.
 */
enum { FUZZ_WORDS = 64, FUZZ_FILES = 64, FUZZ_NAME = 200 };
struct fuzz_file {
	char name[FUZZ_NAME];
	const char *text; /* within the scene's text */
	size_t len;
};
struct fuzz_scene {
	char *words[FUZZ_WORDS + 1];
	int n_words;
	struct fuzz_file files[FUZZ_FILES];
	size_t n_files;
	char *line; /* owned; the words are in it */
};
/* False: a word or a name could lead out of the folder of the run, or there is too much of it. */
bool fuzz_scene_parse(const char *text, size_t size, struct fuzz_scene *ret_scene);
void fuzz_scene_clear(struct fuzz_scene *scene);
const struct fuzz_file *fuzz_scene_file(const struct fuzz_scene *scene, const char *name); /* NULL: none */

/* ---- folder.c: the folder of a run, in memory, which is the current directory while there is one ---- */

void fuzz_folder_begin(void);
void fuzz_folder_write(const char *name, const char *text, size_t len); /* with the directories above it */
/* What is in a file, up to a MiB; free() it.  NULL: it is gone, or a directory. */
char *fuzz_folder_read(const char *name, size_t *ret_len);
void fuzz_folder_end(void);

#endif
