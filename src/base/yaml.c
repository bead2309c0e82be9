// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Uses libyaml's events, not its documents: an event shows the use of an alias, an anchor or a tag, so each can be
 * refused before it costs anything.
 */
#include "base/yaml.h"

#include <yaml.h>

#include "base/err.h"
#include "base/text.h"

struct builder {
	struct unc_ctx *ctx;
	const char *name;
	const char *stop_key; /* of the root mapping; NULL: read everything */
	const char *text;
	size_t len;
	size_t n_given; /* bytes that libyaml has read */
	yaml_parser_t parser;
	struct unc_yaml *root; /* owned until the caller gets it */
	size_t n_nodes;
	unsigned n_documents;
	bool done;
};

static unsigned line_of(const yaml_event_t *event)
{
	return (unsigned)event->start_mark.line + 1;
}

static int refuse(struct builder *b, unsigned line, const char *why)
{
	return unc_fail(b->ctx, UNC_EMAP, "%s:%u: %s", b->name, line, why);
}

static int no_memory(struct builder *b)
{
	return unc_fail(b->ctx, UNC_ENOMEM, "%s: out of memory", b->name);
}

static int parser_failed(struct builder *b)
{
	const yaml_parser_t *p = &b->parser;
	const char *problem = p->problem ? p->problem : "it cannot be read";
	unsigned line = 1;

	if (p->error == YAML_MEMORY_ERROR)
		return no_memory(b);
	if (p->error != YAML_READER_ERROR)
		return unc_fail(b->ctx, UNC_EMAP, "%s:%u: malformed YAML: %s%s%s", b->name,
				(unsigned)p->problem_mark.line + 1, p->context ? p->context : "",
				p->context ? ", " : "", problem);
	/* libyaml's reader reports only the byte where it stopped. */
	for (size_t i = 0; i < p->problem_offset && i < b->len; i++)
		line += b->text[i] == '\n';
	return unc_fail(b->ctx, UNC_EMAP, "%s:%u: malformed YAML: %s", b->name, line, problem);
}

static int compare_keys(const void *a, const void *b)
{
	const struct unc_yaml *x = *(const struct unc_yaml *const *)a;
	const struct unc_yaml *y = *(const struct unc_yaml *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->key_line > y->key_line) - (x->key_line < y->key_line);
}

/* For a few keys comparing each with each costs less than sorting. */
static bool few_and_different(const struct unc_yaml *map)
{
	size_t n = 0;

	for (const struct unc_yaml *child = map->child; child; child = child->next) {
		if (++n > 12)
			return false;
		for (const struct unc_yaml *other = map->child; other != child; other = other->next)
			if (strcmp(other->key, child->key) == 0)
				return false;
	}
	return true;
}

/* Sorted, because comparing each with each would take seconds for a long mapping. */
static int check_keys_once(struct builder *b, const struct unc_yaml *map)
{
	const struct unc_yaml **sorted, *twice = NULL, *first = NULL;
	size_t n = 0;

	if (few_and_different(map))
		return 0;
	for (const struct unc_yaml *child = map->child; child; child = child->next)
		n++;
	sorted = malloc((n + 1) * sizeof(*sorted));
	if (!sorted)
		return no_memory(b);
	n = 0;
	for (const struct unc_yaml *child = map->child; child; child = child->next)
		sorted[n++] = child;
	qsort(sorted, n, sizeof(*sorted), compare_keys);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(sorted[i]->key, sorted[i - 1]->key) != 0)
			continue;
		if (!twice || sorted[i]->key_line < twice->key_line) {
			first = sorted[i - 1];
			twice = sorted[i];
		}
	}
	free(sorted);
	if (!twice)
		return 0;
	return unc_fail(b->ctx, UNC_EMAP, "%s:%u: key %.80s is here a second time, first in line %u; keep one", b->name,
			twice->key_line, twice->key, first->key_line);
}

/* The text of a scalar, which is libyaml's. */
static int scalar_text(struct builder *b, const yaml_event_t *event, const char **ret_text)
{
	const char *value = (const char *)event->data.scalar.value;

	if (strlen(value) != event->data.scalar.length)
		return refuse(b, line_of(event), "a zero byte inside a value; write text only");
	*ret_text = value;
	return 0;
}

/* Makes a node with its key and its text in one allocation. */
static struct unc_yaml *node_new(const char *key, const char *text)
{
	size_t key_size = key ? strlen(key) + 1 : 0, text_size = text ? strlen(text) + 1 : 0;
	struct unc_yaml *node = malloc(sizeof(*node) + key_size + text_size);
	char *room = (char *)(node + 1);

	if (!node)
		return NULL;
	*node = (struct unc_yaml){0};
	if (key)
		node->key = memcpy(room, key, key_size);
	if (text)
		node->text = memcpy(room + key_size, text, text_size);
	return node;
}

/*
 * Counts a node, and refuses anchors and tags: neither is needed to describe registers, and both let a file mean something else
 * than it seems to say.
 */
static int check_node(struct builder *b, const yaml_event_t *event)
{
	/* The data of sequences and mappings begins with the same two members. */
	if (event->data.scalar.anchor)
		return refuse(b, line_of(event), "an anchor (&name) is not allowed here; write the value out");
	if (event->data.scalar.tag)
		return refuse(b, line_of(event), "a tag (!name) is not allowed here; write the value alone");
	if (++b->n_nodes > UNC_YAML_MAX_NODES)
		return unc_fail(b->ctx, UNC_EMAP,
				"%s:%u: more than %d keys and values, too many for a file of this kind", b->name,
				line_of(event), UNC_YAML_MAX_NODES);
	return 0;
}

/* The caller deletes the event, unless this fails. */
static int next_event(struct builder *b, yaml_event_t *event)
{
	int rc;

	if (!yaml_parser_parse(&b->parser, event))
		return parser_failed(b);
	if (event->type != YAML_ALIAS_EVENT)
		return 0;
	rc = refuse(b, line_of(event), "an alias (*name) is not allowed here; write the value out");
	yaml_event_delete(event);
	return rc;
}

static int read_children(struct builder *b, struct unc_yaml *node, unsigned depth);

/* Reads the node that begins with that event, in a mapping after its key, into *slot.  depth: how many nodes it is in. */
static int read_node(struct builder *b, const yaml_event_t *event, const yaml_event_t *key_event, unsigned depth,
		     struct unc_yaml **slot)
{
	const char *key = key_event ? (const char *)key_event->data.scalar.value : NULL, *text = NULL;
	enum unc_yaml_kind kind = event->type == YAML_SCALAR_EVENT           ? UNC_YAML_SCALAR
				  : event->type == YAML_SEQUENCE_START_EVENT ? UNC_YAML_LIST
									     : UNC_YAML_MAP;
	int rc = check_node(b, event);

	if (rc == 0 && depth == 0 && b->stop_key && kind != UNC_YAML_MAP)
		return unc_fail(b->ctx, UNC_EMAP, "%s:%u: the file is not a mapping; it must begin with `key: value`",
				b->name, line_of(event));
	if (rc == 0 && kind == UNC_YAML_SCALAR)
		rc = scalar_text(b, event, &text);
	if (rc < 0)
		return rc;
	*slot = node_new(key, text);
	if (!*slot)
		return no_memory(b);
	(*slot)->kind = kind;
	(*slot)->line = line_of(event);
	(*slot)->key_line = key ? line_of(key_event) : 0;
	if (kind != UNC_YAML_SCALAR && depth == UNC_YAML_MAX_DEPTH)
		return unc_fail(b->ctx, UNC_EMAP, "%s:%u: nested deeper than %d levels", b->name, line_of(event),
				UNC_YAML_MAX_DEPTH);
	if (kind != UNC_YAML_SCALAR)
		rc = read_children(b, *slot, depth + 1);
	if (b->stop_key && depth == 1 && key && strcmp(key, b->stop_key) == 0)
		b->done = true;
	return rc;
}

/* Reads the elements of a list or mapping, to its end; or to the value of stop_key. */
static int read_children(struct builder *b, struct unc_yaml *node, unsigned depth)
{
	bool is_map = node->kind == UNC_YAML_MAP;
	struct unc_yaml **slot = &node->child;
	yaml_event_t event, key;
	const char *text;
	int rc;

	for (;;) {
		rc = next_event(b, &event);
		if (rc < 0)
			return rc;
		if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT)
			break;
		if (is_map) {
			key = event;
			rc = check_node(b, &key);
			if (rc == 0 && key.type != YAML_SCALAR_EVENT)
				rc = refuse(b, line_of(&key),
					    "a list or mapping is where a key belongs; keys are plain words");
			if (rc == 0)
				rc = scalar_text(b, &key, &text);
			if (rc == 0)
				rc = next_event(b, &event);
			if (rc < 0) {
				yaml_event_delete(&key);
				return rc;
			}
		}
		rc = read_node(b, &event, is_map ? &key : NULL, depth, slot);
		yaml_event_delete(&event);
		if (is_map)
			yaml_event_delete(&key);
		if (rc < 0 || b->done)
			return rc;
		slot = &(*slot)->next;
	}
	yaml_event_delete(&event);
	return is_map ? check_keys_once(b, node) : 0;
}

/* libyaml decodes a chunk as a whole; the whole of a long file would cost more than its head. */
enum { CHUNK_BYTES = 512 };

static int give(void *arg, unsigned char *buf, size_t size, size_t *ret_n)
{
	struct builder *b = arg;
	size_t n = b->len - b->n_given;

	if (n > size)
		n = size;
	if (b->stop_key && n > CHUNK_BYTES)
		n = CHUNK_BYTES;
	memcpy(buf, b->text + b->n_given, n);
	b->n_given += n;
	*ret_n = n;
	return 1;
}

int unc_yaml_parse_head(struct unc_ctx *ctx, const char *name, const char *text, size_t len, const char *stop_key,
			struct unc_yaml **ret_root)
{
	struct builder b = {.ctx = ctx, .name = name, .text = text, .len = len, .stop_key = stop_key};
	yaml_event_t event;
	int rc = 0;

	if (len > UNC_YAML_MAX_BYTES)
		return unc_fail(ctx, UNC_EMAP, "%s:1: longer than %d bytes, too long for a file of this kind", name,
				UNC_YAML_MAX_BYTES);
	if (!yaml_parser_initialize(&b.parser))
		return no_memory(&b);
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input(&b.parser, give, &b);
	while (rc == 0 && !b.done) {
		rc = next_event(&b, &event);
		if (rc < 0)
			break;
		if (event.type == YAML_DOCUMENT_START_EVENT && b.n_documents++)
			rc = refuse(&b, line_of(&event), "a second document begins; a file holds one");
		else if (event.type == YAML_SCALAR_EVENT || event.type == YAML_SEQUENCE_START_EVENT ||
			 event.type == YAML_MAPPING_START_EVENT)
			rc = read_node(&b, &event, NULL, 0, &b.root);
		else if (event.type == YAML_STREAM_END_EVENT)
			b.done = true;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&b.parser);
	if (rc == 0 && !b.root)
		rc = refuse(&b, 1, "the file is empty");
	else if (rc == 0 && stop_key && !unc_yaml_get(b.root, stop_key))
		rc = unc_fail(ctx, UNC_EMAP, "%s:%u: key %s is missing", name, b.root->line, stop_key);
	else if (rc == 0 && stop_key)
		rc = check_keys_once(&b, b.root);
	if (rc < 0)
		unc_yaml_free(b.root);
	else
		*ret_root = b.root;
	return rc;
}

int unc_yaml_parse(struct unc_ctx *ctx, const char *name, const char *text, size_t len, struct unc_yaml **ret_root)
{
	return unc_yaml_parse_head(ctx, name, text, len, NULL, ret_root);
}

void unc_yaml_free(struct unc_yaml *node)
{
	while (node) {
		struct unc_yaml *next = node->next;

		unc_yaml_free(node->child); /* the depth is at most UNC_YAML_MAX_DEPTH */
		free(node);
		node = next;
	}
}

const struct unc_yaml *unc_yaml_get(const struct unc_yaml *node, const char *key)
{
	if (!node || node->kind != UNC_YAML_MAP)
		return NULL;
	for (const struct unc_yaml *child = node->child; child; child = child->next) {
		if (strcmp(child->key, key) == 0)
			return child;
	}
	return NULL;
}

const char *unc_yaml_text(const struct unc_yaml *node)
{
	return node && node->kind == UNC_YAML_SCALAR ? node->text : NULL;
}

uint64_t unc_yaml_number(const struct unc_yaml *node, uint64_t otherwise)
{
	const char *digits = unc_yaml_text(node);
	uint64_t value;

	return digits && unc_text_u64(digits, &value) ? value : otherwise;
}

unsigned unc_yaml_line(const struct unc_yaml *node)
{
	return node->key_line ? node->key_line : node->line;
}
