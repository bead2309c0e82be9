// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the text of a record, line by line, and checks it. */

#include "access/record_text.h"
#include "access/replay.h"
#include "base/text.h"

enum { WORD = 64 /* longer than any that is known */, PATH = 512, ITEMS = 1 << 20 };
enum { PIECE = 1 << 18, ENTRY_BYTES = 1 << 24 /* of the text of one entry at most */ };

struct cursor { /* within a line */
	struct unc_record_text *text;
	const char *at, *end;
};

static int wrong(const struct unc_record_text *text, const char *what)
{
	return unc_fail(text->ctx, UNC_EARG, "%s:%u: %s; that is no record as `uncorectl record` writes it", text->path,
			text->line, what);
}

static int no_memory(const struct unc_record_text *text)
{
	return unc_fail(text->ctx, UNC_ENOMEM, "%s: out of memory", text->path);
}

/* ---- the file ---- */

void unc_record_close(struct unc_record_text *text)
{
	if (text->file >= 0)
		unc_os_file_close(text->file);
	free(text->bytes);
}

struct unc_record_place unc_record_place(const struct unc_record_text *text)
{
	return (struct unc_record_place){text->off + (uint64_t)(text->at - text->bytes), text->line};
}

void unc_record_go(struct unc_record_text *text, struct unc_record_place place)
{
	if (place.off < text->off || place.off - text->off > (uint64_t)(text->end - text->bytes)) {
		text->off = place.off;
		text->end = text->bytes;
	}
	text->at = text->bytes + (place.off - text->off);
	text->line = place.line;
}

/* Reads on in the file.  False: it ends, or text->rc. */
static bool load(struct unc_record_text *text)
{
	size_t n = 0, used = (size_t)(text->end - text->bytes);

	if (ENTRY_BYTES - used < PIECE)
		text->rc = wrong(text, "what follows is too long");
	else
		text->rc = unc_wrap(
			text->ctx,
			unc_os_file_piece(text->ctx, text->file, text->off + used, text->bytes + used, PIECE, &n), "%s",
			text->path);
	text->end += n;
	return n > 0;
}

/* A last line that was cut off says nothing that could be relied on. */
static bool next_line(struct unc_record_text *text, struct cursor *ret_cursor)
{
	const char *newline;

	while (!(newline = memchr(text->at, '\n', (size_t)(text->end - text->at))))
		if (!load(text))
			return false;
	*ret_cursor = (struct cursor){.text = text, .at = text->at, .end = newline};
	text->at = newline + 1;
	text->line++;
	return true;
}

/* ---- words ---- */

/* A word up to the next blank; "" at the end, or where it is longer than any that is known.  Returns buf. */
static const char *take_word(struct cursor *c, char buf[WORD])
{
	size_t len = 0;

	while (c->at < c->end && *c->at != ' ' && len < WORD - 1)
		buf[len++] = *c->at++;
	if (c->at < c->end && *c->at != ' ')
		len = 0;
	if (c->at < c->end && *c->at == ' ')
		c->at++;
	buf[len] = '\0';
	return buf;
}

static bool take_number(struct cursor *c, uint64_t max, uint64_t *ret_number)
{
	if (!unc_text_number(&c->at, ret_number) || (c->at < c->end && *c->at != ' '))
		return false;
	c->at += c->at < c->end;
	return *ret_number <= max;
}

/* The rest of the line.  False: it is malformed, has a zero in it, or is longer than there is room. */
static bool take_rest(const struct cursor *c, char *buf, size_t size)
{
	size_t len;

	return unc_text_unescape(c->at, c->end, buf, size, &len) && strlen(buf) == len;
}

/* ---- fields ---- */

/* "+50" */
static bool take_step(struct cursor *c, uint64_t *ret_step)
{
	bool back = *c->at == '-';

	if (*c->at++ != '+' && !back)
		return false;
	if (!take_number(c, UINT64_MAX, ret_step))
		return false;
	*ret_step = back ? -*ret_step : *ret_step;
	return true;
}

static bool take_of_type(struct cursor *c, char type, uint64_t *ret_number)
{
	static const uint64_t most[UINT8_MAX + 1] = {
		['u'] = INT32_MAX,  ['e'] = INT32_MAX, ['w'] = UINT32_MAX, ['x'] = UINT32_MAX,
		['h'] = UINT32_MAX, ['c'] = UINT8_MAX, ['i'] = ITEMS,      ['b'] = UNC_RECORD_TEXT};
	const char *const *words = unc_line_words(type);
	char buf[WORD];

	if (type == 'e' && *c->at++ != '=')
		return false;
	if (type == 'D' && *c->at == 'm')
		return c->at++, take_step(c, ret_number);
	if (!words && type != 'D')
		return take_number(c, most[(unsigned char)type] ? most[(unsigned char)type] : UINT64_MAX, ret_number);
	take_word(c, buf);
	for (*ret_number = 0; words && words[*ret_number]; ++*ret_number)
		if (strcmp(buf, words[*ret_number]) == 0)
			return true;
	*ret_number = UNC_RECORD_FOREVER;
	return !words && strcmp(buf, "forever") == 0;
}

static bool take_path(struct cursor *c)
{
	struct cursor word = *c;
	const char *blank = memchr(c->at, ' ', (size_t)(c->end - c->at));
	char path[PATH];

	if (!blank)
		return false;
	word.end = blank;
	c->at = blank + 1;
	return take_rest(&word, path, sizeof(path));
}

/* The bytes of an access; those of a read that failed are their number behind *. */
static bool take_data(struct cursor *c, char type, struct unc_entry *entry)
{
	uint64_t value;

	if (c->at < c->end && *c->at == '*' && !unc_line_types[entry->kind].deed) {
		c->at++;
		if (!take_number(c, UNC_RECORD_BLOCK, &value) || c->at == c->end || *c->at != '!')
			return false;
		entry->len = (size_t)value;
		return true;
	}
	if (type != '*') {
		entry->len = type == '8' ? 8 : 4;
		if (!take_number(c, type == '8' ? UINT64_MAX : UINT32_MAX, &value))
			return false;
		unc_put_le64(entry->bytes, value);
		return true;
	}
	for (entry->len = 0; c->at < c->end && *c->at != ' '; c->at += 2) {
		int hi = unc_text_digit(c->at[0]), lo = c->at + 1 < c->end ? unc_text_digit(c->at[1]) : -1;

		if (hi < 0 || lo < 0 || entry->len == sizeof(entry->bytes))
			return false;
		entry->bytes[entry->len++] = (unsigned char)(hi << 4 | lo);
	}
	c->at += c->at < c->end;
	return entry->len != 0;
}

static bool take_fields(struct cursor *c, const char *types, uint64_t *n, struct unc_entry *entry)
{
	struct unc_addr addr = {0};
	bool good = true;
	char buf[WORD];

	for (; good && *types; types++) {
		if (*types == 's') {
			good = unc_addr_parse(take_word(c, buf), &addr);
			entry->bus = addr.kind;
		} else if (*types == 'p') {
			good = take_path(c);
		} else if (unc_line_is_data(*types)) {
			good = take_data(c, *types, entry);
		} else {
			good = take_of_type(c, *types, n++);
		}
	}
	return good;
}

/* The question, with what its group is told apart by. */
static bool take_question(struct cursor *c, struct unc_entry *entry)
{
	const struct unc_line_type *type = &unc_line_types[entry->kind];
	const char *blank;

	c->at += strlen(type->word);
	c->at += c->at < c->end;
	entry->key = c->at;
	blank = memchr(c->at, ' ', (size_t)(c->end - c->at));
	entry->key_len = (size_t)((blank ? blank : c->end) - c->at);
	if (!take_fields(c, type->question, entry->n, entry))
		return false;
	entry->question_end = c->at > entry->at && c->at[-1] == ' ' ? c->at - 1 : c->at;
	if (type->group == UNC_GROUP_SPACE || type->group == UNC_GROUP_EVENT)
		return true;
	entry->key = entry->at;
	entry->key_len = (size_t)(entry->question_end - entry->at);
	if (type->group == UNC_GROUP_TRAFFIC || type->group == UNC_GROUP_END)
		entry->key_len = type->group == UNC_GROUP_END ? strlen(type->word) : 0;
	return true;
}

/* ---- items ---- */

static bool parse_item(enum unc_line_items type, char *word, void *items, size_t i)
{
	struct unc_host_cpu *cpu = (struct unc_host_cpu *)items + i;
	size_t count = 0;
	int n[4] = {0};

	if (type == UNC_ITEMS_ADDRS)
		return unc_addr_parse(word, (struct unc_addr *)items + i);
	/* Numbers with : between them; - is -1, and off -2. */
	for (; word; count++) {
		const char *piece = unc_text_cut(&word, ':');
		uint64_t value = 0;

		if (count == 4 || (strcmp(piece, "-") != 0 && strcmp(piece, "off") != 0 &&
				   (!unc_text_u64(piece, &value) || value > INT32_MAX)))
			return false;
		n[count] = *piece == '-' ? -1 : *piece == 'o' ? -2 : (int)value;
	}
	if (n[0] < 0)
		return false;
	switch (type) {
	case UNC_ITEMS_CPUS: /* "CPU:PACKAGE:NODE:L3" or "CPU:off" */
		*cpu = (struct unc_host_cpu){(unsigned)n[0], count == 4, -1, -1, -1};
		if (!cpu->online)
			return count == 2 && n[1] == -2;
		cpu->package = n[1];
		cpu->node = n[2];
		cpu->l3 = n[3];
		return n[1] > -2 && n[2] > -2 && n[3] > -2;
	case UNC_ITEMS_NUMBERS:
		((unsigned *)items)[i] = (unsigned)n[0];
		return count == 1;
	default:
		((struct unc_package *)items)[i] = (struct unc_package){(unsigned)n[0], (unsigned)n[1], (unsigned)n[2]};
		return count == 3 && n[1] >= 0 && n[2] >= 0;
	}
}

/* Packages are as many as there are in the line; of others each line begins with +. */
static int take_items(struct cursor *c, enum unc_line_items type, uint64_t n, struct unc_entry *entry)
{
	static const size_t sizes[] = {
		[UNC_ITEMS_PACKAGES] = sizeof(struct unc_package),
		[UNC_ITEMS_ADDRS] = sizeof(struct unc_addr),
		[UNC_ITEMS_CPUS] = sizeof(struct unc_host_cpu),
		[UNC_ITEMS_NUMBERS] = sizeof(unsigned),
	};
	char buf[WORD];

	if (type != UNC_ITEMS_PACKAGES && c->at < c->end)
		return UNC_EARG;
	while (type == UNC_ITEMS_PACKAGES ? c->at < c->end : entry->n_items < n) {
		void *items;

		if (c->at == c->end && (!next_line(c->text, c) || strcmp(take_word(c, buf), "+") != 0))
			return UNC_EARG;
		items = unc_array_more(entry->items, entry->n_items, sizes[type]);
		if (!items)
			return no_memory(c->text);
		entry->items = items;
		if (!parse_item(type, (char *)take_word(c, buf), items, entry->n_items++))
			return UNC_EARG;
	}
	return c->at == c->end ? UNC_OK : UNC_EARG;
}

static int take_names(struct cursor *c, uint64_t n, struct unc_entry *entry)
{
	struct unc_names names = {0};
	char buf[WORD], name[PATH];
	int rc = c->at < c->end ? UNC_EARG : UNC_OK;

	while (rc == UNC_OK && names.n < n) {
		if (!next_line(c->text, c) || strcmp(take_word(c, buf), "+") != 0 || c->at == c->end ||
		    memchr(c->at, '/', (size_t)(c->end - c->at)) || !take_rest(c, name, sizeof(name)))
			rc = UNC_EARG;
		else if (!unc_names_add(&names, name))
			rc = no_memory(c->text);
	}
	entry->n_items = names.n;
	entry->items = (void *)unc_names_list(&names, false);
	return rc == UNC_OK && !entry->items ? no_memory(c->text) : rc;
}

/* Lines with so many bytes; a zero is put behind them. */
static int take_bytes(struct cursor *c, uint64_t n, struct unc_entry *entry)
{
	char *bytes = malloc((size_t)n + 1), *at = bytes;

	if (!bytes)
		return no_memory(c->text);
	entry->items = bytes;
	entry->n_items = (size_t)n;
	if (c->at < c->end)
		return UNC_EARG;
	while (at < bytes + n) {
		bool newline;
		size_t len;

		if (!next_line(c->text, c) || c->at == c->end || (*c->at != '|' && *c->at != ':') ||
		    !unc_text_unescape(c->at + 1, c->end, at, (size_t)(bytes + n - at) + 1, &len))
			return UNC_EARG;
		newline = *c->at == '|';
		c->at = c->end;
		at += len;
		if (newline && at == bytes + n)
			return UNC_EARG;
		if (newline)
			*at++ = '\n';
	}
	*at = '\0';
	return UNC_OK;
}

/* The rest of the line; *text, which it replaces, is owned. */
static int take_text(struct cursor *c, char **text)
{
	size_t size = (size_t)(c->end - c->at) + 1;
	char *copy = malloc(size);

	if (!copy)
		return no_memory(c->text);
	free(*text);
	*text = copy;
	return take_rest(c, copy, size) ? UNC_OK : UNC_EARG;
}

/* ---- lines ---- */

/* The same name as static text; NULL: it is not known. */
static const char *os_name(const char *name)
{
	static const char *const names[] = {
		"EACCES",     "EAGAIN", "EBADF",  "EBUSY",   "EEXIST", "EFAULT", "EFBIG",  "EINTR",
		"EINVAL",     "EIO",    "EISDIR", "ELOOP",   "EMFILE", "ENFILE", "ENODEV", "ENAMETOOLONG",
		"ENOENT",     "ENOMEM", "ENOSPC", "ENOSYS",  "ENXIO",  "EPERM",  "EPIPE",  "ENOTCONN",
		"EOPNOTSUPP", "ERANGE", "EROFS",  "ENOTDIR", "ESTALE", "errno",  "ESRCH",  "ETIMEDOUT",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return names[i];
	return NULL;
}

/* At "!io EIO SENTENCE". */
static int take_failure(struct cursor *c, struct unc_entry *entry)
{
	char class[WORD], name[WORD];

	c->at++;
	entry->err = unc_record_err(take_word(c, class));
	entry->os_name = os_name(take_word(c, name));
	return entry->err < 0 && name[0] && take_rest(c, entry->sentence, sizeof(entry->sentence)) ? UNC_OK : UNC_EARG;
}

static int take_answer(struct cursor *c, struct unc_entry *entry)
{
	const struct unc_line_type *type = &unc_line_types[entry->kind];
	unsigned n = (unsigned)strlen(type->answer);
	char *target = NULL;
	int rc;

	if (c->at < c->end && *c->at == '!')
		return take_failure(c, entry);
	if (!take_fields(c, type->answer, entry->a, entry))
		return UNC_EARG;
	if (c->at < c->end && *c->at == '!' && unc_line_is_data(type->answer[0]))
		return take_failure(c, entry);
	switch (type->items) {
	case UNC_ITEMS_NONE:
		return c->at == c->end ? UNC_OK : UNC_EARG;
	case UNC_ITEMS_NAMES:
		return take_names(c, entry->a[n - 1], entry);
	case UNC_ITEMS_BYTES:
		return take_bytes(c, entry->a[n - 1], entry);
	case UNC_ITEMS_REST:
		if (c->at == c->end || *c->at++ != '=' || c->end - c->at >= UNC_RECORD_TEXT)
			return UNC_EARG;
		rc = take_text(c, &target);
		entry->items = target;
		return rc;
	default:
		return take_items(c, type->items, n ? entry->a[n - 1] : entry->n[strlen(type->question) - 1], entry);
	}
}

static int take_times(struct cursor *c, struct unc_entry *entry)
{
	const char *clock;

	for (c->at += c->at + 1 < c->end ? 2 : 1; c->at < c->end && entry->len < UNC_RECORD_TIMES; entry->len++) {
		clock = *c->at ? strchr(unc_record_clocks, *c->at++) : NULL;
		if (!clock || !take_step(c, &entry->steps[entry->len]))
			return UNC_EARG;
		entry->bytes[entry->len] = (unsigned char)(clock - unc_record_clocks);
	}
	return entry->len && c->at == c->end ? UNC_OK : UNC_EARG;
}

static int take_line(struct cursor *c, struct unc_entry *entry)
{
	const struct unc_line_type *type = &unc_line_types[entry->kind];
	int rc;

	if (entry->kind == UNC_LINE_KINDS)
		return UNC_EARG;
	if (entry->kind == UNC_LINE_TIME)
		return take_times(c, entry);
	if (entry->kind == UNC_LINE_NOTE) {
		c->at += strlen("note");
		c->at += c->at < c->end;
		return take_rest(c, entry->sentence, sizeof(entry->sentence)) ? UNC_OK : UNC_EARG;
	}
	if (!take_question(c, entry))
		return UNC_EARG;
	rc = take_answer(c, entry);
	if (rc < 0)
		return rc;
	/* What the table of types does not say. */
	if (entry->kind == UNC_LINE_END + UNC_RECORD_SIGNAL)
		return entry->n[0] > 0 && entry->n[0] < 65 ? UNC_OK : UNC_EARG;
	if (type->group == UNC_GROUP_SPACE &&
	    unc_line_access(type->deed, entry->bus, entry->n[0], entry->len) != entry->kind)
		return UNC_EARG;
	return UNC_OK;
}

void unc_entry_clear(struct unc_entry *entry)
{
	free(entry->items);
	entry->items = NULL;
	entry->at = NULL;
}

static bool begins_with(const struct cursor *c, const char *word)
{
	size_t len = *word == *c->at ? strlen(word) : 0;

	return len && (size_t)(c->end - c->at) >= len && memcmp(c->at, word, len) == 0 &&
	       (c->at + len == c->end || c->at[len] == ' ');
}

bool unc_record_next(struct unc_record_text *text, struct unc_entry *entry, int *ret_rc)
{
	struct unc_record_place place = unc_record_place(text);
	struct cursor c;

	unc_entry_clear(entry);
	if (text->at - text->bytes > PIECE) {
		memmove(text->bytes, text->at, (size_t)(text->end - text->at));
		text->end -= text->at - text->bytes;
		text->at = text->bytes;
		text->off = place.off;
	}
	*ret_rc = text->rc = UNC_OK;
	if (next_line(text, &c)) {
		memset(entry, 0, offsetof(struct unc_entry, n));
		entry->sentence[0] = '\0';
		entry->line = text->line;
		entry->at = c.at;
		entry->off = place.off;
		while (entry->kind < UNC_LINE_KINDS && !begins_with(&c, unc_line_types[entry->kind].word))
			entry->kind++;
		*ret_rc = take_line(&c, entry);
		entry->end = text->at;
		if (*ret_rc == UNC_OK)
			return true;
		unc_entry_clear(entry);
	}
	if (text->rc < 0)
		*ret_rc = text->rc;
	else if (*ret_rc == UNC_EARG)
		wrong(text, "this line makes no sense");
	return false;
}

/* ---- the head ---- */

static int take_utc(struct cursor *c, struct unc_replay_head *head)
{
	bool west = c->at < c->end && *c->at == '-';
	uint64_t seconds;

	c->at += west;
	if (!take_number(c, 86400, &seconds) || c->at < c->end)
		return UNC_EARG;
	head->utc_s = west ? -(int64_t)seconds : (int64_t)seconds;
	return UNC_OK;
}

static int head_line(struct cursor *c, const char *first, struct unc_replay_head *head)
{
	if (strcmp(first, "program") == 0)
		return take_text(c, &head->program);
	if (strcmp(first, "utc") == 0)
		return take_utc(c, head);
	if (strcmp(first, "option") == 0) {
		if (head->n_options == UNC_REPLAY_OPTIONS)
			return UNC_EARG;
		if (!unc_array_add(&head->options, &head->n_options, &(char *){NULL}, sizeof(char *)))
			return no_memory(c->text);
		return take_text(c, &head->options[head->n_options - 1]);
	}
	if (strcmp(first, "machine") == 0)
		return take_text(c, &head->name);
	if (c->at < c->end)
		return UNC_EARG;
	if (strcmp(first, "simulated") == 0)
		head->simulated = true;
	else if (strcmp(first, "stands_still") == 0)
		head->stands_still = true;
	else if (strcmp(first, "maps") == 0)
		head->maps = true;
	else
		return UNC_EARG;
	return UNC_OK;
}

static int read_head(struct unc_record_text *text, struct unc_replay_head *head)
{
	char first[WORD] = "";
	struct cursor c;
	bool is_record;
	int rc = UNC_OK;

	is_record = next_line(text, &c) && strcmp(take_word(&c, first), UNC_RECORD_FORMAT) == 0 && c.at == c.end;
	text->line = 1;
	if (text->rc < 0)
		return text->rc;
	if (!is_record && strcmp(first, "uncorectl-record/1") == 0)
		return unc_fail(
			text->ctx, UNC_EARG,
			"%s:1: this record has the format uncorectl-record/1, which this version does not read; "
			"replay it with the version that wrote it, or record the command again",
			text->path);
	if (!is_record)
		return wrong(text, "it does not begin with " UNC_RECORD_FORMAT);
	while (rc == UNC_OK) {
		if (!next_line(text, &c))
			return text->rc < 0 ? text->rc : wrong(text, "its head does not end");
		if (strcmp(take_word(&c, first), "begin") == 0)
			break;
		rc = head_line(&c, first, head);
	}
	if (rc == UNC_OK && (c.at < c.end || !head->name))
		rc = UNC_EARG;
	return rc == UNC_EARG ? wrong(text, "this line makes no sense") : rc;
}

int unc_record_open(struct unc_ctx *ctx, const char *path, struct unc_record_text *ret_text,
		    struct unc_replay_head *ret_head)
{
	char *bytes = malloc(ENTRY_BYTES); /* most of it is rarely touched */
	int rc;

	*ret_head = (struct unc_replay_head){.name = NULL};
	*ret_text = (struct unc_record_text){
		.ctx = ctx, .path = path, .file = -1, .bytes = bytes, .at = bytes, .end = bytes};
	rc = bytes ? unc_os_file_open(ctx, path, &ret_text->file) : no_memory(ret_text);
	return rc < 0 ? unc_wrap(ctx, rc == UNC_ENODEV ? UNC_EARG : rc, "replay") : read_head(ret_text, ret_head);
}
