// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the target, and keeps what one run opens from the next. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fuzz_target *const tables[] = {fuzz_texts, fuzz_machines, fuzz_runs, fuzz_serve};
enum { N_TABLES = sizeof(tables) / sizeof(tables[0]) };

static const struct fuzz_target *target; /* libFuzzer hands no pointer through */

void fuzz_fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

char *fuzz_copy(const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	FUZZ_ASSERT(copy);
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

static const struct fuzz_target *find_target(const char *name)
{
	for (unsigned i = 0; i < N_TABLES; i++)
		for (const struct fuzz_target *at = tables[i]; at->name; at++)
			if (name && strcmp(name, at->name) == 0)
				return at;
	return NULL;
}

static _Noreturn void list_targets(void)
{
	for (unsigned i = 0; i < N_TABLES; i++)
		for (const struct fuzz_target *at = tables[i]; at->name; at++)
			puts(at->name);
	exit(0);
}

/* libFuzzer starts this program again to merge, without the word that it does not know: so the word is in the environment too. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char **words = *argv;

	target = *argc > 1 ? find_target(words[1]) : NULL;
	if (target) {
		setenv("FUZZ_TARGET", target->name, 1);
		memmove(&words[1], &words[2], (size_t)(*argc - 1) * sizeof(*words));
		--*argc;
	} else {
		target = find_target(getenv("FUZZ_TARGET"));
	}
	if (!target)
		list_targets();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_copy((const char *)data, size);
	int first_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	FUZZ_ASSERT(first_fd >= 0);
	target->run(text, size);
	free(text);
	close_range((unsigned)first_fd, ~0U, 0);
	return 0;
}
