// SPDX-License-Identifier: GPL-2.0-or-later
/* Has the tree the shape that map/keys.c describes?  What comes after this may rely on it. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "map/checker.h"
#include "map/family.h"

static bool is_map(const struct unc_yaml *node)
{
	return node->kind == UNC_YAML_MAP;
}

static void walk_children(struct unc_checker *c, unc_shape_check *check, const struct unc_key *key,
			  const struct unc_yaml *node)
{
	for (const struct unc_yaml *child = node->child; child; child = child->next)
		unc_shape_walk(c, check, key, child);
}

static void walk_record(struct unc_checker *c, unc_shape_check *check, const struct unc_key *keys,
			const struct unc_yaml *node)
{
	for (const struct unc_yaml *child = node->child; child; child = child->next) {
		const struct unc_key *key = unc_key_find(keys, child->key);

		if (key)
			unc_shape_walk(c, check, key, child);
	}
}

void unc_shape_walk(struct unc_checker *c, unc_shape_check *check, const struct unc_key *key,
		    const struct unc_yaml *node)
{
	struct unc_key element = {.name = key->name,
				  .shape = UNC_IS_RECORD,
				  .sub = key->sub,
				  .max = key->max,
				  .words = key->words,
				  .words_check = key->words_check};

	check(c, key, node);
	switch (key->shape) {
	case UNC_IS_OFFSET:
	case UNC_IS_RECORD:
		if (is_map(node))
			walk_record(c, check, key->sub, node);
		break;
	case UNC_IS_LIST:
		if (node->kind == UNC_YAML_LIST)
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_RECORDS:
		if (node->kind == UNC_YAML_LIST)
			walk_children(c, check, &element, node);
		else if (is_map(node))
			walk_record(c, check, key->sub, node);
		break;
	case UNC_IS_TABLE:
		if (is_map(node))
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_VALUES:
		element.shape = UNC_IS_SERIES;
		if (is_map(node))
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_SERIES:
		element.shape = UNC_IS_NUMBER;
		if (node->kind == UNC_YAML_LIST)
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_NAMES:
		element.shape = UNC_IS_TEXT;
		if (node->kind == UNC_YAML_LIST)
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_TEXTS:
		element.shape = UNC_IS_TEXT;
		if (is_map(node))
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_WORDS:
		element.shape = UNC_IS_WORD;
		if (is_map(node))
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_CHOICES:
		element.shape = UNC_IS_CHOICE;
		if (is_map(node))
			walk_children(c, check, &element, node);
		break;
	case UNC_IS_CHOICE:
		element.shape = UNC_IS_TEXT;
		if (node->kind == UNC_YAML_LIST)
			walk_children(c, check, &element, node);
		break;
	default:
		break;
	}
}

/* The keys that a value of this key may have, or NULL. */
static const struct unc_key *keys_of(const struct unc_key *key, const struct unc_yaml *node)
{
	bool record = key->shape == UNC_IS_RECORD || key->shape == UNC_IS_RECORDS || key->shape == UNC_IS_OFFSET;

	return record && is_map(node) ? key->sub : NULL;
}

void unc_check_unknown_key(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	const struct unc_key *keys = keys_of(key, node);

	if (!keys)
		return;
	for (const struct unc_yaml *child = node->child; child; child = child->next) {
		if (!unc_key_find(keys, child->key))
			unc_found(c, child, "key \"%.80s\" is not known here; regs/README.md lists all there are",
				  child->key);
	}
}

void unc_check_missing_key(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	for (const struct unc_key *k = keys_of(key, node); k && k->name; k++) {
		if (k->required && !unc_yaml_get(node, k->name))
			unc_found(c, node, "%.80s lacks the key %s", node->key ? node->key : "this", k->name);
	}
}

static bool is_list_of_two(const struct unc_yaml *node)
{
	const struct unc_yaml *first = node->kind == UNC_YAML_LIST ? node->child : NULL;

	return first && first->kind == UNC_YAML_SCALAR && first->next && first->next->kind == UNC_YAML_SCALAR &&
	       !first->next->next;
}

static const char *wanted(enum unc_shape shape, const struct unc_yaml *node)
{
	bool scalar = node->kind == UNC_YAML_SCALAR;

	switch (shape) {
	case UNC_IS_TEXT:
		return scalar && node->text[0] ? NULL : "a text";
	case UNC_IS_WORD:
		return scalar ? NULL : "a word";
	case UNC_IS_NUMBER:
	case UNC_IS_REAL:
		return scalar ? NULL : "a number";
	case UNC_IS_SERIES:
		return scalar || node->kind == UNC_YAML_LIST ? NULL : "a number, or a list of numbers";
	case UNC_IS_NAMES:
		return node->kind == UNC_YAML_LIST ? NULL : "a list of names";
	case UNC_IS_NUMBERS:
		return scalar ? NULL : "numbers such as 0-3 or 0,2";
	case UNC_IS_BITS:
		return scalar || is_list_of_two(node) ? NULL : "a bit, such as 22, or [high, low], such as [31, 24]";
	case UNC_IS_RANGE:
		return is_list_of_two(node) ? NULL : "two numbers, such as [0, 4]";
	case UNC_IS_OFFSET:
		return scalar || is_map(node) ? NULL : "an offset, or {first: OFFSET, step: BYTES, count: NUMBER}";
	case UNC_IS_LIST:
		return node->kind == UNC_YAML_LIST ? NULL : "a list";
	case UNC_IS_RECORDS:
		return is_map(node) || (node->kind == UNC_YAML_LIST && node->child) ? NULL
										    : "a mapping, or a list of them";
	case UNC_IS_CHOICE:
		return (scalar && node->text[0]) || (node->kind == UNC_YAML_LIST && node->child)
			       ? NULL
			       : "a text, or a list of texts";
	default:
		return is_map(node) ? NULL : "a mapping";
	}
}

void unc_check_wrong_type(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	const char *want = wanted(key->shape, node);

	if (want)
		unc_found(c, node, "%.80s is to be %s", node->key ? node->key : key->name, want);
}

static void check_number(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	uint64_t value;

	if (node->kind != UNC_YAML_SCALAR)
		return;
	if (!unc_text_u64(node->text, &value))
		unc_found(c, node, "%.80s: \"%.40s\" is no whole number; write it like 12 or 0x0c",
			  node->key ? node->key : key->name, node->text);
	else if (value > key->max)
		unc_found(c, node, "%.80s: %.40s is too large; at most %" PRIu64 " is possible here",
			  node->key ? node->key : key->name, node->text, key->max);
}

static void ignore_number(void *arg, uint64_t number)
{
	(void)arg;
	(void)number;
}

void unc_check_bad_number(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	const char *text = unc_yaml_text(node);
	double real;

	switch (key->shape) {
	case UNC_IS_NUMBER:
	case UNC_IS_SERIES:
	case UNC_IS_OFFSET:
		check_number(c, key, node);
		break;
	case UNC_IS_BITS:
	case UNC_IS_RANGE:
		check_number(c, key, node);
		for (const struct unc_yaml *child = node->child; child; child = child->next)
			check_number(c, key, child);
		break;
	case UNC_IS_REAL:
		if (text && !unc_text_double(text, &real))
			unc_found(c, node, "%s: \"%.40s\" is no number; write it like 64 or 0.5", key->name, text);
		break;
	case UNC_IS_NUMBERS:
		if (text && !unc_text_list(text, key->max, ignore_number, NULL))
			unc_found(c, node,
				  "%s: \"%.40s\" is no list of numbers up to %" PRIu64 "; write it like 0-3 or 0,2",
				  key->name, text, key->max);
		break;
	default:
		break;
	}
}

static void list_words(const char *const *words, char *buf, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; words[i] && used + strlen(words[i]) + 3 < size; i++) {
		if (i > 0) {
			memcpy(buf + used, ", ", 2);
			used += 2;
		}
		memcpy(buf + used, words[i], strlen(words[i]));
		used += strlen(words[i]);
	}
	buf[used] = '\0';
}

/* One function for several checks: each looks at the keys whose words it answers for. */
void unc_check_words(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	const char *text = unc_yaml_text(node);
	char words[100];

	if (key->shape != UNC_IS_WORD || !text || strcmp(key->words_check, c->check) != 0)
		return;
	if (unc_word_find(key->words, text) >= 0)
		return;
	list_words(key->words, words, sizeof(words));
	unc_found(c, node, "%s: \"%.40s\" is not known; it can be %s", key->name, text, words);
}

static bool consists_of(const char *name, const char *chars)
{
	return name[0] && strlen(name) == strspn(name, chars) && strlen(name) < 64;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"

static void check_event_names(struct unc_checker *c, const struct unc_yaml *events)
{
	struct unc_family family;
	size_t n = 0;

	for (const struct unc_yaml *event = events->child; event; event = event->next) {
		const struct unc_yaml *also = unc_yaml_get(event, "also");

		if (!unc_family_parse(event->key, &family))
			unc_found(c, event,
				  "name \"%.80s\" is to be at most 63 of a-z, 0-9, _ and ., with up to %d ranges such "
				  "as [0-7] "
				  "in it, of at most %d numbers",
				  event->key, UNC_FAMILY_RANGES, UNC_FAMILY_LENGTH);
		else if ((n += unc_family_count(&family)) > UNC_EVENTS_MAX)
			break;
		for (const struct unc_yaml *name = also ? also->child : NULL; name; name = name->next) {
			if (unc_yaml_text(name) && !consists_of(name->text, LOWER DIGIT "_."))
				unc_found(c, name, "name \"%.80s\" is to be at most 63 of a-z, 0-9, _ and .",
					  name->text);
		}
	}
	if (n > UNC_EVENTS_MAX)
		unc_found(c, events, "more than %d events, too many for a unit", UNC_EVENTS_MAX);
}

/* Names are typed at a keyboard, inside of "imc/cas_count.rd:thresh=8/" and "socket0.imc0.ch2.BOX_CTL.frz". */
void unc_check_name_valid(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	bool registers = strcmp(key->name, "registers") == 0;
	const char *chars = registers ? UPPER DIGIT "_" : LOWER DIGIT "_";
	const char *unit = strcmp(key->name, "unit") == 0 ? unc_yaml_text(node) : NULL;

	if (unit && !consists_of(unit, chars))
		unc_found(c, node, "unit: \"%.80s\" is to be at most 63 of a-z, 0-9 and _", unit);
	if ((key->shape != UNC_IS_TABLE && key->shape != UNC_IS_TEXTS) || !is_map(node))
		return;
	if (strcmp(key->name, "metrics") == 0)
		return; /* may have a range in their names: the check metric_name */
	if (strcmp(key->name, "events") == 0) {
		check_event_names(c, node);
		return;
	}
	for (const struct unc_yaml *child = node->child; child; child = child->next) {
		if (!consists_of(child->key, chars))
			unc_found(c, child, "name \"%.80s\" is to be at most 63 of %s, 0-9, _", child->key,
				  registers ? "A-Z" : "a-z");
	}
}
