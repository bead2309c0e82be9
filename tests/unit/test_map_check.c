// SPDX-License-Identifier: GPL-2.0-or-later
/* Each check fails through one small edit of a map that passes them all, and says in which line. */
#define _GNU_SOURCE
#include "map/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"
#include "mapedits.h"
#include "test.h"

struct report {
	unsigned line, n;
	char check[40], sentence[UNC_MSG_MAX], file[200];
};

/* Keeps the first and counts the rest. */
static void take(void *arg, const char *file, unsigned line, const char *check, const char *sentence)
{
	struct report *r = arg;

	if (r->n++)
		return;
	r->line = line;
	snprintf(r->file, sizeof(r->file), "%s", file);
	snprintf(r->check, sizeof(r->check), "%s", check);
	snprintf(r->sentence, sizeof(r->sentence), "%s", sentence);
}

static int run(const char *text, size_t len, bool loaded, struct report *r)
{
	struct unc_ctx ctx = {.msg = ""};
	unsigned errors = 0;
	int rc;

	*r = (struct report){0};
	rc = unc_map_check_text(&ctx, "t.yaml", text, len, loaded, take, r, &errors);
	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(errors, r->n);
	return rc;
}

static char *edited(const struct edit *e, unsigned *ret_line)
{
	const char *at = strstr(e->text, e->from);
	char *text = malloc(strlen(e->text) + strlen(e->to) + 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	sprintf(text, "%.*s%s%s", (int)(at - e->text), e->text, e->to, at + strlen(e->from));
	*ret_line = 1;
	for (const char *c = e->text; c < at; c++)
		*ret_line += *c == '\n';
	*ret_line = (unsigned)((int)*ret_line + e->lines);
	return text;
}

static void passes(const char *name, const char *text, size_t len, bool loaded)
{
	struct report r;

	run(text, len, loaded, &r);
	CU_ASSERT_EQUAL(r.n, 0);
	if (r.n)
		printf("\n    %s:%u (%s): %s\n", name, r.line, r.check, r.sentence);
}

TEST(good_maps_pass)
{
	for (size_t i = 0; i < n_good_maps; i++)
		passes(good_maps[i].name, good_maps[i].text, strlen(good_maps[i].text), true);
}

TEST(built_in_maps_pass)
{
	for (size_t i = 0; i < unc_n_maps_built_in; i++)
		passes(unc_maps_built_in[i].name, unc_maps_built_in[i].text, unc_maps_built_in[i].len, false);
}

/* What is reported of the text after the edit; the line where that must be. */
static unsigned run_edited(const struct edit *e, bool loaded, struct report *r)
{
	unsigned line;
	char *text = edited(e, &line);

	run(text, strlen(text), loaded, r);
	free(text);
	return line;
}

TEST(each_fault_is_found_in_its_line)
{
	for (size_t i = 0; i < n_map_edits; i++) {
		const struct edit *e = &map_edits[i];
		struct report r;
		unsigned line = run_edited(e, true, &r);

		CU_ASSERT_STRING_EQUAL(r.check, e->check);
		CU_ASSERT_EQUAL(r.line, line);
		CU_ASSERT_STRING_EQUAL(r.file, "t.yaml");
		CU_ASSERT_TRUE(strlen(r.sentence) > 10 && !strchr(r.sentence, '\n'));
		if (strcmp(r.check, e->check) != 0 || r.line != line)
			printf("\n    edit %zu, to \"%s\": wanted %u (%s), got %u (%s): %s\n", i, e->to, line, e->check,
			       r.line, r.check, r.sentence);
	}
}

TEST(more_counters_than_can_be_driven_are_a_fault)
{
	static const struct {
		const char *controls, *counters;
		unsigned n; /* faults */
	} rows[] = {
		{"first: 0x140, step: 4, count: 7", "first: 0x100, step: 8, count: 7", 0},
		{"first: 0x140, step: 4, count: 8", "first: 0x100, step: 8, count: 8", 1},
	};

	for (size_t i = 0; i < 2; i++) {
		struct edit e = {map_good, "", "first: 0xd8, step: 4, count: 4", rows[i].controls, 0};
		unsigned line;
		char *once = edited(&e, &line);
		struct report r;

		e = (struct edit){once, "", "first: 0xa0, step: 8, count: 4", rows[i].counters, 0};
		run_edited(&e, true, &r);
		CU_ASSERT_EQUAL(r.n, rows[i].n);
		CU_ASSERT_STRING_EQUAL(r.check, r.n ? "model_registers" : "");
		free(once);
	}
}

TEST(a_built_in_map_may_write_any_msr)
{
	struct edit e = {map_good_msr, "", "at: 0xc8f", "at: 0x1a0", 0};
	struct report r;

	run_edited(&e, false, &r);
	CU_ASSERT_EQUAL(r.n, 0);
}

TEST(several_faults_are_all_reported)
{
	struct edit e = {map_good, "", "title: Test part", "titel: Test part\ntietl: x", 0};
	struct report r;

	run_edited(&e, true, &r);
	CU_ASSERT_EQUAL(r.n, 3); /* two unknown keys, and a missing one */
}

TEST(every_check_is_described_and_has_an_edit_that_fails_it)
{
	struct unc_ctx ctx = {.msg = ""};
	char *readme = NULL;
	const char *name;

	CU_ASSERT_EQUAL_FATAL(unc_os_file_read(&ctx, "regs/README.md", 1 << 20, UNC_TRUST_ANY, &readme, NULL), 0);
	for (size_t i = 0; (name = unc_map_check_name(i)) != NULL; i++) {
		bool fails = false, described;
		char quoted[60];

		for (size_t k = 0; k < n_map_edits; k++)
			fails = fails || strcmp(map_edits[k].check, name) == 0;
		snprintf(quoted, sizeof(quoted), "`%s`", name);
		described = strstr(readme, quoted) != NULL;
		CU_ASSERT_TRUE(fails && described);
		if (!fails || !described)
			printf("\n    %s %s\n", fails ? "regs/README.md does not name" : "no edit fails", name);
	}
	free(readme);
}

/* Whatever comes, it is checked or refused, in a line that exists. */
static void survive(const char *text, size_t len)
{
	unsigned lines = 2;
	struct report r;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	run(text, len, true, &r);
	if (r.n) {
		CU_ASSERT_TRUE(r.line >= 1 && r.line <= lines);
		CU_ASSERT_TRUE(r.check[0] && r.sentence[0]);
	}
}

TEST(cuts_of_a_map_are_survived)
{
	const struct unc_map_text *map = &unc_maps_built_in[0];

	for (size_t len = 0; len < map->len; len += 211)
		survive(map->text, len);
	for (size_t len = 0; len <= strlen(map_good); len += 7)
		survive(map_good, len);
	for (size_t len = 0; len <= strlen(map_good_metrics); len++)
		survive(map_good_metrics, len);
}

static void flip(const char *good_text, size_t len)
{
	uint32_t random = 12345;
	char *text = malloc(len + 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	for (unsigned round = 0; round < 1500; round++) {
		memcpy(text, good_text, len + 1);
		for (unsigned k = 0; k <= round % 3; k++) {
			random = random * 1664525 + 1013904223;
			text[(random >> 8) % len] ^= (char)(1 << (random >> 29));
			random = random * 1664525 + 1013904223;
			if (random >> 31)
				text[(random >> 8) % len] = "0:-[{}],\"' \n#&*!"[(random >> 4) % 16];
		}
		survive(text, len);
	}
	free(text);
}

TEST(flipped_bytes_are_survived)
{
	flip(map_good, strlen(map_good));
	flip(map_good_metrics, strlen(map_good_metrics));
}

/* The text ends with a page behind which there is no memory. */
TEST(a_text_that_no_zero_follows_is_not_read_past_its_end)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), len = strlen(map_good);
	const size_t room = (len + page - 1) / page * page;
	char *mem = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct report r;

	CU_ASSERT_FATAL(mem != MAP_FAILED && mprotect(mem + room, page, PROT_NONE) == 0);
	memcpy(mem + room - len, map_good, len);
	passes("at the end", mem + room - len, len, true);
	run(mem + room, 0, true, &r);
	CU_ASSERT_EQUAL(r.n, 1);
	munmap(mem, room + page);
}
