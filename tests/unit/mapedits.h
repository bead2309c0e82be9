/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps that pass all checks, and small edits of them, each of which one check finds. */
#ifndef UNC_TESTS_MAPEDITS_H
#define UNC_TESTS_MAPEDITS_H

#include <stddef.h>

extern const char map_good[], map_good_msr[], map_good_metrics[];
struct good_map {
	const char *name, *text;
};
extern const struct good_map good_maps[]; /* these, and others */
extern const size_t n_good_maps;

struct edit {
	const char *text;
	const char *check;
	const char *from, *to; /* the first time that `from` stands in the text */
	int lines;             /* the fault is that many lines below (above) the edit */
};

extern const struct edit map_edits[];
extern const size_t n_map_edits;

#endif
