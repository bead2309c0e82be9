// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/yaml.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "test.h"

static struct unc_ctx ctx;
static struct unc_yaml *root; /* what was parsed last */

static void end(void)
{
	unc_yaml_free(root);
	root = NULL;
	ctx.msg[0] = '\0';
}
EACH(NULL, end)

static int parse_n(const char *text, size_t len)
{
	end();
	return unc_yaml_parse(&ctx, "t.yaml", text, len, &root);
}

static int parse(const char *text)
{
	return parse_n(text, strlen(text));
}

/* The head is decoded in pieces, between which a character of two bytes may be cut. */
TEST(a_head_may_be_long)
{
	static char text[8192];

	for (unsigned shift = 0; shift < 3; shift++) {
		size_t len = (size_t)snprintf(text, sizeof(text), "#%.*s", (int)shift, "xxx");

		while (len < 4000) {
			memcpy(text + len, "\303\244", 2); /* a with two dots */
			len += 2;
		}
		len += (size_t)snprintf(text + len, sizeof(text) - len, "\na: 1\nb: %0*d\nc: [is\n\tno: yaml", 1500, 7);
		end();
		CU_ASSERT_EQUAL(unc_yaml_parse_head(&ctx, "t", text, len, "b", &root), 0);
		CU_ASSERT_PTR_NOT_NULL_FATAL(root);
		CU_ASSERT_STRING_EQUAL(unc_yaml_text(unc_yaml_get(root, "a")), "1");
		CU_ASSERT_EQUAL(strlen(unc_yaml_text(unc_yaml_get(root, "b"))), 1500);
		CU_ASSERT_EQUAL(unc_yaml_get(root, "b")->line, 3);
	}
}

/* The text is refused, and the sentence begins and goes on like this. */
static void refused(const char *text, const char *begins, const char *contains)
{
	CU_ASSERT_EQUAL(parse(text), UNC_EMAP);
	CU_ASSERT_PTR_NULL(root);
	CU_ASSERT_TRUE(strncmp(ctx.msg, begins, strlen(begins)) == 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(ctx.msg, contains));
	if (!strstr(ctx.msg, contains))
		printf("\n    got: %s\n", ctx.msg);
}

TEST(a_tree_has_texts_and_lines)
{
	const struct unc_yaml *list, *item;

	CU_ASSERT_EQUAL_FATAL(parse("# remark\na: 0x10\n\nb:\n  - {c: one, d: 'two: 2'}\n  - x\n"), 0);
	CU_ASSERT_EQUAL(root->kind, UNC_YAML_MAP);
	CU_ASSERT_PTR_NULL(root->key);
	CU_ASSERT_STRING_EQUAL(unc_yaml_text(unc_yaml_get(root, "a")), "0x10");
	CU_ASSERT_EQUAL(unc_yaml_get(root, "a")->key_line, 2);
	list = unc_yaml_get(root, "b");
	CU_ASSERT_PTR_NOT_NULL_FATAL(list);
	CU_ASSERT_EQUAL(list->kind, UNC_YAML_LIST);
	CU_ASSERT_EQUAL(list->key_line, 4);
	item = list->child;
	CU_ASSERT_EQUAL(item->line, 5);
	CU_ASSERT_STRING_EQUAL(unc_yaml_text(unc_yaml_get(item, "d")), "two: 2");
	CU_ASSERT_EQUAL(item->next->line, 6);
	CU_ASSERT_STRING_EQUAL(unc_yaml_text(item->next), "x");
	CU_ASSERT_PTR_NULL(item->next->next);
}

TEST(a_value_that_is_left_out_is_an_empty_text)
{
	CU_ASSERT_EQUAL_FATAL(parse("a:\nb: []\nc: {}\n"), 0);
	CU_ASSERT_STRING_EQUAL(unc_yaml_text(unc_yaml_get(root, "a")), "");
	CU_ASSERT_EQUAL(unc_yaml_get(root, "b")->kind, UNC_YAML_LIST);
	CU_ASSERT_PTR_NULL(unc_yaml_get(root, "b")->child);
	CU_ASSERT_EQUAL(unc_yaml_get(root, "c")->kind, UNC_YAML_MAP);
}

TEST(what_is_not_there_is_null)
{
	CU_ASSERT_PTR_NULL(unc_yaml_get(NULL, "a"));
	CU_ASSERT_PTR_NULL(unc_yaml_text(NULL));
	CU_ASSERT_EQUAL_FATAL(parse("a: 1\n"), 0);
	CU_ASSERT_PTR_NULL(unc_yaml_get(root, "b"));
	CU_ASSERT_PTR_NULL(unc_yaml_get(root->child, "a"));
	CU_ASSERT_PTR_NULL(unc_yaml_text(root));
	unc_yaml_free(NULL);
}

TEST(what_is_malformed_or_not_wanted_is_refused_with_its_line)
{
	refused("a: 1\nb: [1, 2\nc: 3\n", "t.yaml:3: malformed YAML", "flow sequence");
	refused("a: 1\n\tb: 2\n", "t.yaml:2: malformed YAML", "tab");
	refused("a: 'open\n", "t.yaml:2: malformed YAML", "quoted scalar");
	refused("a: 1\nb: \xff\xfe\n", "t.yaml:2: malformed YAML", "UTF-8");
	refused("a: 1\n\nb: \x01\n", "t.yaml:3: malformed YAML", "control characters");
	/* An empty text */
	refused("", "t.yaml:1: ", "empty");
	refused("# nothing\n", "t.yaml:1: ", "empty");
	/* Anchors, aliases and tags */
	refused("a: &x 1\n", "t.yaml:1: ", "anchor");
	refused("a: 1\nb: &x [1]\n", "t.yaml:2: ", "anchor");
	refused("a: 1\nb: &x {c: 1}\n", "t.yaml:2: ", "anchor");
	refused("a: 1\n&x b: 1\n", "t.yaml:2: ", "anchor");
	refused("a: 1\nb: *x\n", "t.yaml:2: ", "alias");
	refused("a: !!int 1\n", "t.yaml:1: ", "tag");
	refused("a: ! 1\n", "t.yaml:1: ", "tag");
	refused("a: !x [1]\n", "t.yaml:1: ", "tag");
	refused("!x\na: 1\n", "t.yaml:1: ", "tag");
	/* A second document */
	refused("---\na: 1\n---\nb: 1\n", "t.yaml:3: ", "second document");
	/* A key that is there twice */
	refused("a: 1\nb: 2\nc: 3\nb: 4\n", "t.yaml:4: ", "key b is here a second time, first in line 2");
	refused("a: {x: 1, y: 2, x: 3}\n", "t.yaml:1: ", "key x is here a second");
	refused("z: 1\ny: 1\ny: 2\na: 1\nz: 1\na: 2\n", "t.yaml:3: ", "key y is here a second");
	/* A key that is no word */
	refused("a: 1\n? [b, c]\n: 2\n", "t.yaml:2: ", "where a key belongs");
	refused("{{a: 1}: 2}\n", "t.yaml:1: ", "where a key belongs");
	/* A zero byte */
	refused("a: \"x\\0y\"\n", "t.yaml:1: ", "zero byte");
	refused("\"a\\0\": 1\n", "t.yaml:1: ", "zero byte");
}

TEST(nesting_is_bounded)
{
	char text[2 * UNC_YAML_MAX_DEPTH + 3];

	memset(text, '[', UNC_YAML_MAX_DEPTH);
	memset(text + UNC_YAML_MAX_DEPTH, ']', UNC_YAML_MAX_DEPTH);
	text[2 * UNC_YAML_MAX_DEPTH] = '\0';
	CU_ASSERT_EQUAL(parse(text), 0);
	memset(text, '[', UNC_YAML_MAX_DEPTH + 1);
	refused(text, "t.yaml:1: ", "nested deeper than 16 levels");
}

TEST(size_is_bounded)
{
	size_t len = UNC_YAML_MAX_BYTES;
	char *text = malloc(len + 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	memset(text, 'x', len + 1);
	CU_ASSERT_EQUAL(parse_n(text, len), 0);
	CU_ASSERT_EQUAL(parse_n(text, len + 1), UNC_EMAP);
	CU_ASSERT_PTR_NOT_NULL(strstr(ctx.msg, "t.yaml:1: longer than 1048576 bytes"));
	CU_ASSERT_PTR_NULL(root);
	free(text);
}

TEST(the_number_of_nodes_is_bounded)
{
	size_t n = UNC_YAML_MAX_NODES;
	char *text = malloc(2 * n + 3);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	text[0] = '[';
	for (size_t i = 0; i < n; i++)
		memcpy(text + 1 + 2 * i, "1,", 2);
	memcpy(text + 1 + 2 * n, "]", 2);
	refused(text, "t.yaml:1: ", "more than 100000 keys and values");
	free(text);
}

TEST(a_mapping_of_many_keys_is_read_quickly)
{
	size_t n = 40000, used = 0;
	char *text = malloc(n * 16);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, 16, "k%zu: 1\n", i);
	CU_ASSERT_EQUAL(parse_n(text, used), 0);
	free(text);
}

static int parse_head(const char *text)
{
	end();
	return unc_yaml_parse_head(&ctx, "t.yaml", text, strlen(text), "cpus", &root);
}

TEST(a_head_ends_behind_its_last_key)
{
	/* What follows is nonsense, which is not read. */
	CU_ASSERT_EQUAL_FATAL(parse_head("format: f\ncpus: [{a: 1}, {a: 2}]\nrest: *x\n\t!\n"), 0);
	CU_ASSERT_STRING_EQUAL(unc_yaml_text(unc_yaml_get(root, "format")), "f");
	CU_ASSERT_PTR_NOT_NULL(unc_yaml_get(root, "cpus")->child->next);
	CU_ASSERT_PTR_NULL(unc_yaml_get(root, "rest"));
	CU_ASSERT_EQUAL_FATAL(parse_head("a: {cpus: 1}\ncpus: x\nb: 1\n"), 0);
	CU_ASSERT_STRING_EQUAL(unc_yaml_text(unc_yaml_get(root, "cpus")), "x");
	CU_ASSERT_PTR_NULL(unc_yaml_get(root, "b"));
}

TEST(a_head_without_its_last_key_is_refused)
{
	CU_ASSERT_EQUAL(parse_head("# x\nformat: f\nb: 1\n"), UNC_EMAP);
	CU_ASSERT_STRING_EQUAL(ctx.msg, "t.yaml:2: key cpus is missing");
	CU_ASSERT_EQUAL(parse_head("- cpus\n"), UNC_EMAP);
	CU_ASSERT_PTR_NOT_NULL(strstr(ctx.msg, "t.yaml:1: the file is not a mapping"));
	CU_ASSERT_EQUAL(parse_head(""), UNC_EMAP);
	CU_ASSERT_EQUAL(parse_head("a: 1\na: 2\ncpus: 3\n"), UNC_EMAP);
	CU_ASSERT_PTR_NOT_NULL(strstr(ctx.msg, "t.yaml:2: key a is here a second"));
	CU_ASSERT_PTR_NULL(root);
}

TEST(every_cut_of_a_text_is_read_or_refused)
{
	static const char text[] = "a: {b: [1, 'two', \"th\\nree\"], c: {d: e}}\n"
				   "f:\n  - g: |\n      h\n    i: >\n      j\n# k\n";

	for (size_t len = 0; len < sizeof(text); len++) {
		int rc = parse_n(text, len);

		CU_ASSERT_TRUE(rc == 0 ? root != NULL : rc == UNC_EMAP && root == NULL && ctx.msg[0]);
	}
}
