// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Commands write files: no word may name one outside of the folder of the run, or take "/" behind an option's letter. */
static bool stays_inside(const char *word)
{
	for (const char *at = word; (at = strchr(at, '/')); at++)
		if (at == word || !isalnum((unsigned char)at[-1]))
			return false;
	return !strstr(word, "..") && !(word[0] == '-' && strchr(word, '/'));
}

static bool take_words(struct fuzz_scene *scene, const char *text, size_t len)
{
	char *rest, *word;

	scene->line = strndup(text, len);
	if (!scene->line)
		return false;
	for (word = strtok_r(scene->line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (scene->n_words == FUZZ_WORDS || !stays_inside(word))
			return false;
		scene->words[scene->n_words++] = word;
	}
	return true;
}

static bool take_name(struct fuzz_file *file, const char *name, size_t len)
{
	if (len == 0 || len >= sizeof(file->name) || memchr(name, '\0', len))
		return false;
	memcpy(file->name, name, len);
	/* What begins with a slash is never written. */
	return file->name[0] == '/' || stays_inside(file->name);
}

/* Behind the line that begins at text; end where there is none. */
static const char *next_line(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return newline ? newline + 1 : end;
}

static bool take_file(struct fuzz_scene *scene, const char **at, const char *end)
{
	struct fuzz_file *file = &scene->files[scene->n_files];
	const char *name = *at + 1, *body = next_line(*at, end), *rest = body;

	if (scene->n_files == FUZZ_FILES ||
	    !take_name(file, name, (size_t)(body - name) - (body > name && body[-1] == '\n')) ||
	    fuzz_scene_file(scene, file->name)) /* it is not counted yet, so that is another one */
		return false;
	while (rest < end && *rest != '@')
		rest = next_line(rest, end);
	file->text = body;
	file->len = (size_t)(rest - body);
	scene->n_files++;
	*at = rest;
	return true;
}

bool fuzz_scene_parse(const char *text, size_t size, struct fuzz_scene *ret_scene)
{
	const char *end = text + size, *at = next_line(text, end);
	bool good;

	memset(ret_scene, 0, sizeof(*ret_scene));
	good = take_words(ret_scene, text, (size_t)(at - text) - (at > text && at[-1] == '\n'));
	while (good && at < end)
		good = *at == '@' && take_file(ret_scene, &at, end);
	if (!good)
		fuzz_scene_clear(ret_scene);
	return good;
}

void fuzz_scene_clear(struct fuzz_scene *scene)
{
	free(scene->line);
	scene->line = NULL;
}

const struct fuzz_file *fuzz_scene_file(const struct fuzz_scene *scene, const char *name)
{
	for (size_t i = 0; i < scene->n_files; i++)
		if (strcmp(scene->files[i].name, name) == 0)
			return &scene->files[i];
	return NULL;
}
