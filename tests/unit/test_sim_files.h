/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of a simulated kernel's files have in common. */
#ifndef TEST_SIM_FILES_H
#define TEST_SIM_FILES_H

#include "test_sim.h"

/* NULL: there is no such file. */
static inline void file_is(const char *path, const char *text)
{
	char *is = NULL;
	size_t len = 0;
	int rc = unc_host_file(fx.host, path, 4096, &is, &len);

	CU_ASSERT_EQUAL(rc, text ? 0 : UNC_ENODEV);
	if (rc == 0 && text && strcmp(is, text) != 0)
		fprintf(stderr, "\n%s: \"%s\", not \"%s\"\n", path, is, text);
	if (rc == 0 && text) {
		CU_ASSERT_STRING_EQUAL(is, text);
		CU_ASSERT_EQUAL(len, strlen(is));
	}
	if (rc == 0)
		free(is);
}

/* "a b c"; NULL: there is no such directory. */
static inline void names_are(const char *path, const char *expected)
{
	const char *const *names = NULL;
	char text[512] = "";
	size_t n = 0;
	int rc = unc_host_names(fx.host, path, &names, &n);

	CU_ASSERT_EQUAL(rc, expected ? 0 : UNC_ENODEV);
	for (size_t i = 0; rc == 0 && i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", names[i]);
	if (rc == 0)
		free((void *)names);
	if (expected && strcmp(text, expected) != 0)
		fprintf(stderr, "\n%s: \"%s\", not \"%s\"\n", path, text, expected);
	if (expected)
		CU_ASSERT_STRING_EQUAL(text, expected);
}

/* NULL: there is no such link. */
static inline void link_is(const char *path, const char *target)
{
	char *is = NULL;
	int rc = unc_host_link(fx.host, path, &is);

	CU_ASSERT_EQUAL(rc, target ? 0 : UNC_ENODEV);
	CU_ASSERT(rc != 0 || (target && strcmp(is, target) == 0));
	free(is);
}

struct path_text {
	const char *path, *text;
};

static inline void all_are(void (*is)(const char *path, const char *text), const char *root, size_t n,
			   const struct path_text *rows, const char *file, int line)
{
	(void)file, (void)line;
	for (size_t i = 0; i < n; i++)
		is(fx_text("%s%s", root, rows[i].path), rows[i].text);
}

/* Below a folder: {path of a file, its text}, ...; {path of a link, where it leads}, ...; {path of a folder, the names in it}, ...; NULL: it is not there. */
#define FILES(root, ...) all_are(file_is, root, ROWS(path_text, __VA_ARGS__))
#define LINKS(root, ...) all_are(link_is, root, ROWS(path_text, __VA_ARGS__))
#define NAMES(root, ...) all_are(names_are, root, ROWS(path_text, __VA_ARGS__))

#endif
