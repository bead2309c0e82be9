// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/journals.h"

#define NS_PER_S UINT64_C(1000000000)

static bool is_leap(unsigned year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

const char *unc_journals_time(uint64_t ns, char buf[UNC_TIME_TEXT])
{
	static const unsigned month_days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	uint64_t seconds = ns / NS_PER_S, days = seconds / 86400, second = seconds % 86400;
	unsigned year = 1970, month = 0;

	for (; days >= (is_leap(year) ? 366u : 365u); year++)
		days -= is_leap(year) ? 366 : 365;
	for (; days >= month_days[month] + (month == 1 && is_leap(year)); month++)
		days -= month_days[month] + (month == 1 && is_leap(year));
	snprintf(buf, UNC_TIME_TEXT, "%04u-%02u-%02u %02u:%02u:%02u UTC", year, month + 1, (unsigned)days + 1,
		 (unsigned)(second / 3600), (unsigned)(second / 60 % 60), (unsigned)(second % 60));
	return buf;
}

static const char *next_word(const char *word)
{
	word += strcspn(word, " ");
	return word + strspn(word, " ");
}

/* Returns how many bytes of a text may be shown without cutting a character. */
static size_t fitting(const char *text, size_t room)
{
	size_t len = strlen(text);

	if (len <= room)
		return len;
	for (len = room; len && ((unsigned char)text[len] & 0xc0) == 0x80; len--) /* UTF-8 */
		;
	return len;
}

/* Names the program without its folder, and its command; the rows of `recover` have all of it. */
static void shorten_command(const char *command, char buf[UNC_COMMAND_SHOWN + 1])
{
	static const char *const valued[] = {"--machine ", "--regs ", "--state ", "--trace "};
	static const char cut[] = " ...";
	const char *name = command + strcspn(command, " "), *rest;
	size_t len, room;

	while (name > command && name[-1] != '/')
		name--;
	if (strlen(name) <= UNC_COMMAND_SHOWN) {
		memcpy(buf, name, strlen(name) + 1);
		return;
	}
	room = UNC_COMMAND_SHOWN - 2 * strlen(cut) - 1; /* the last one: a blank */
	len = fitting(name, strcspn(name, " ") < room ? strcspn(name, " ") : room);
	/* Options before the command are left out: they are long (some have paths) and say little. */
	for (rest = next_word(name); strncmp(rest, "--", 2) == 0;) {
		bool has_value = false;

		for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++)
			has_value |= strncmp(rest, valued[i], strlen(valued[i])) == 0;
		rest = next_word(has_value ? next_word(rest) : rest);
	}
	room -= len;
	snprintf(buf, UNC_COMMAND_SHOWN + 1, "%.*s%s%s%.*s%s", (int)len, name, rest == next_word(name) ? "" : cut,
		 *rest ? " " : "", (int)fitting(rest, room), rest, strlen(rest) > room ? cut : "");
}

/* Reads a journal and decides its kind; only lack of memory, and that its writer has just ended well, are failures. */
static int read_one(struct unc_ctx *ctx, struct unc_os_folder *folder, const struct unc_host_identity *identity,
		    struct unc_journal_file *file)
{
	const struct unc_journal_who *who = &file->text.who;
	char *bytes = NULL, command[UNC_COMMAND_SHOWN + 1], since[UNC_TIME_TEXT];
	size_t len = 0;
	bool held = false;
	int rc = unc_os_folder_read(folder, file->name, UNC_JOURNAL_MAX, &held, &bytes, &len);

	if (rc == UNC_ENODEV)
		return rc;
	if (rc == 0)
		rc = unc_journal_text_parse(ctx, bytes, len, &file->text);
	free(bytes);
	if (rc == UNC_ENOMEM)
		return rc;
	if (rc < 0) {
		file->kind = UNC_RECOVER_DAMAGED;
		memcpy(file->why, ctx->msg, sizeof(file->why));
	} else {
		file->kind = strcmp(file->text.identity.machine, identity->machine) != 0 ? UNC_RECOVER_OTHER_MACHINE
			     : strcmp(file->text.identity.boot, identity->boot) != 0     ? UNC_RECOVER_OTHER_BOOT
											 : UNC_RECOVER_STALE;
		shorten_command(who->command, command);
		snprintf(file->who, sizeof(file->who), "process %u (%s), since %s", who->pid, command,
			 unc_journals_time(who->since_ns, since));
	}
	if (held)
		file->kind = UNC_RECOVER_ALIVE;
	return UNC_OK;
}

int unc_journals_remove(struct unc_os_folder *folder, const char *name)
{
	struct unc_os_held *held;
	int rc = unc_os_folder_hold(folder, name, false, &held);

	return rc < 0 ? rc : unc_os_held_end(held, true);
}

int unc_journals_read(struct unc_ctx *ctx, struct unc_os_folder *folder, const struct unc_host_identity *identity,
		      bool tidy, const char *but, struct unc_journals *ret_journals)
{
	struct unc_journals journals = {0};
	struct unc_journal_file *files;
	const char *const *names, *end;
	size_t n;
	int rc = unc_os_folder_list(folder, &names, &n);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (strncmp(names[i], UNC_JOURNAL_NEW, strlen(UNC_JOURNAL_NEW)) == 0) {
			if (tidy)
				unc_journals_remove(folder, names[i]);
			continue;
		}
		if (but && strcmp(names[i], but) == 0)
			continue;
		end = strrchr(names[i], '.');
		if (!end || end == names[i] || strcmp(end, UNC_JOURNAL_SUFFIX) != 0 ||
		    strlen(names[i]) >= sizeof(files->name))
			continue;
		files = unc_array_more(journals.files, journals.n, sizeof(*files));
		if (!files) {
			rc = unc_fail(ctx, UNC_ENOMEM, "journals: out of memory");
			break;
		}
		journals.files = files;
		snprintf(files[journals.n].name, sizeof(files->name), "%s", names[i]);
		rc = read_one(ctx, folder, identity, &files[journals.n]);
		journals.n += rc == 0;
		rc = rc == UNC_ENODEV ? UNC_OK : rc;
	}
	free((void *)names);
	if (rc < 0)
		unc_journals_clear(&journals);
	else
		*ret_journals = journals;
	return rc;
}

const struct unc_journal_file *unc_journals_left(const struct unc_journals *journals, const struct unc_addr *addr,
						 uint32_t off)
{
	for (size_t i = 0; i < journals->n; i++) {
		const struct unc_journal_file *file = &journals->files[i];

		if (file->kind == UNC_RECOVER_STALE && unc_journal_text_has(&file->text, addr, off))
			return file;
	}
	return NULL;
}

void unc_journals_clear(struct unc_journals *journals)
{
	for (size_t i = 0; i < journals->n; i++)
		unc_journal_text_clear(&journals->files[i].text);
	free(journals->files);
	journals->files = NULL;
	journals->n = 0;
}

/*
 * Reads journals on disk; machine/journals.h has their form.  A journal that does not fit it to the last byte is
 * damaged.
 */

struct told {                         /* what a line says about a register */
	struct unc_journal_line line; /* its values are owned */
	size_t kept_as;               /* its index among the lines that are kept */
	bool dropped;
};

struct parsing {
	struct unc_ctx *ctx;
	struct unc_journal_text *text;
	struct told *told; /* owned: all lines about registers, in the order of the file */
	size_t n_told;
	char *rest;     /* rest of the line, or NULL */
	unsigned line;  /* its number, the head being 1 */
	unsigned begun; /* opening lines seen so far */
};

static int damaged(const struct parsing *p, const char *what)
{
	return unc_fail(p->ctx, UNC_EARG, "line %u: %s", p->line, what);
}

/* Copies a text, with its byte for each %HH.  False: there is none, it is malformed, too long, or has a zero in it. */
static bool take_text(const char *text, char *ret_text, size_t size)
{
	size_t len;

	return text && unc_text_unescape(text, text + strlen(text), ret_text, size, &len) && strlen(ret_text) == len;
}

static bool take_word(struct parsing *p, char *ret_word, size_t size)
{
	return take_text(unc_text_cut(&p->rest, ' '), ret_word, size) && *ret_word;
}

static bool take_number(struct parsing *p, uint64_t max, uint64_t *ret_number)
{
	const char *word = unc_text_cut(&p->rest, ' ');

	return word && unc_text_u64(word, ret_number) && *ret_number <= max;
}

static bool take_keyword(struct parsing *p, const char *keyword)
{
	const char *word = unc_text_cut(&p->rest, ' ');

	return word && strcmp(word, keyword) == 0;
}

static bool take_addr(struct parsing *p, struct unc_addr *ret_addr)
{
	const char *word = unc_text_cut(&p->rest, ' ');

	return word && unc_addr_parse(word, ret_addr);
}

static bool take_place(struct parsing *p, struct unc_journal_line *line)
{
	uint64_t off = 0;
	bool good = take_addr(p, &line->addr) && take_number(p, UINT32_MAX, &off);

	line->off = (uint32_t)off;
	return good;
}

/* The opening lines have an order. */
static int take_opening(struct parsing *p, const char *word)
{
	static const char *const words[] = {"machine", "boot", "who", "since"};
	static const char *const lacks[] = {"which machine?", "which boot?", "who?", "since when?"};
	struct unc_host_identity *identity = &p->text->identity;
	struct unc_journal_who *who = &p->text->who;
	uint64_t pid, uid;
	bool good = false;

	if (strcmp(word, words[p->begun]) != 0)
		return damaged(p, "not the line that belongs here");
	switch (p->begun++) {
	case 0:
		good = take_text(p->rest, identity->machine, sizeof(identity->machine));
		break;
	case 1:
		good = take_text(p->rest, identity->boot, sizeof(identity->boot));
		break;
	case 2:
		good = take_number(p, UINT32_MAX, &pid) && take_number(p, UINT64_MAX, &who->start) &&
		       take_number(p, UINT32_MAX, &uid) && take_text(p->rest, who->command, sizeof(who->command));
		who->pid = good ? (unsigned)pid : 0;
		who->uid = good ? (unsigned)uid : 0;
		break;
	default:
		good = take_number(p, UINT64_MAX, &who->since_ns) && !p->rest;
	}
	return good ? UNC_OK : damaged(p, lacks[p->begun - 1]);
}

/* ---- the other lines ---- */

/* The line's values are added to it, as long as it is there. */
static int add_told(struct parsing *p, const struct told *told)
{
	return unc_list_add(p->ctx, &p->told, &p->n_told, told, sizeof(*told));
}

static bool take_line(struct parsing *p, struct unc_journal_line *line)
{
	uint64_t bits;

	if (!take_place(p, line) || !take_number(p, 64, &bits) || (bits != 32 && bits != 64) ||
	    !take_word(p, line->box, sizeof(line->box)) || !take_word(p, line->reg, sizeof(line->reg)) ||
	    !take_keyword(p, "was") || !take_number(p, UINT64_MAX, &line->before) || !take_keyword(p, "ours") ||
	    !take_number(p, UINT64_MAX, &line->ours) || !take_keyword(p, "any") ||
	    !take_number(p, UINT64_MAX, &line->any) || !take_keyword(p, "doubted") ||
	    !take_number(p, UINT64_MAX, &line->doubted) || !take_keyword(p, "idle"))
		return false;
	line->bits = (unsigned)bits;
	line->has_idle = p->rest && *p->rest != '-';
	if (line->has_idle ? !take_number(p, UINT64_MAX, &line->idle) : !take_keyword(p, "-"))
		return false;
	return take_keyword(p, "writes") && p->rest;
}

static int reg_line(struct parsing *p)
{
	struct told told = {.dropped = false};
	struct unc_journal_line *line;
	int rc;

	if (!take_line(p, &told.line))
		return damaged(p, "not a register");
	rc = add_told(p, &told);
	if (rc < 0)
		return rc;
	line = &p->told[p->n_told - 1].line;
	while (p->rest && rc == 0) {
		uint64_t value;

		if (!take_number(p, UINT64_MAX, &value))
			return damaged(p, "not a value");
		rc = unc_list_add(p->ctx, &line->values, &line->n_values, &value, sizeof(value));
	}
	return rc;
}

enum { N_OPENING = 4 };

static int take_any(struct parsing *p, char *line)
{
	const char *word;

	p->rest = line;
	word = unc_text_cut(&p->rest, ' ');
	if (p->begun < N_OPENING)
		return take_opening(p, word);
	if (strcmp(word, "reg") == 0)
		return reg_line(p);
	if (strcmp(word, "drop") == 0) {
		struct told told = {.dropped = true};

		if (!take_place(p, &told.line) || p->rest)
			return damaged(p, "which register is dropped?");
		return add_told(p, &told);
	}
	if (strcmp(word, "claim") == 0) {
		struct unc_journal_claim claim;

		if (!take_addr(p, &claim.addr) || !take_word(p, claim.box, sizeof(claim.box)) || p->rest)
			return damaged(p, "which box?");
		return unc_list_add(p->ctx, &p->text->claims, &p->text->n_claims, &claim, sizeof(claim));
	}
	return damaged(p, "not a line of such a file");
}

/* Returns the number of good bytes, if head, length and sum agree. */
static bool check_head(const char *text, size_t len, size_t *ret_good)
{
	char digits[11] = "", head[UNC_JOURNAL_HEAD + 1];
	uint64_t good;

	if (len < UNC_JOURNAL_HEAD)
		return false;
	memcpy(digits, text + sizeof("uncorectl-journal/1"), 10);
	if (!unc_text_u64(digits, &good) || good < UNC_JOURNAL_HEAD || good > len)
		return false;
	unc_journal_put_head(
		head, good,
		unc_journal_sum(UNC_JOURNAL_NO_SUM, text + UNC_JOURNAL_HEAD, (size_t)good - UNC_JOURNAL_HEAD));
	if (memcmp(head, text, UNC_JOURNAL_HEAD) != 0)
		return false;
	*ret_good = (size_t)good;
	return true;
}

/* Of pointers to lines. */
static int compare_places(const void *a, const void *b)
{
	const struct unc_journal_line *x = *(struct unc_journal_line *const *)a,
				      *y = *(struct unc_journal_line *const *)b;
	int order = unc_addr_compare(&x->addr, &y->addr);

	return order ? order : unc_order(x->off, y->off);
}

/* Those of one place in the order of the array that they are in. */
static int by_place(const void *a, const void *b)
{
	struct unc_journal_line *const *x = a, *const *y = b;
	int order = compare_places(a, b);

	return order ? order : (*x > *y) - (*x < *y);
}

/*
 * Keeps one line for each register that was not dropped: a further line replaces the first, in its place of the order, unless that
 * was dropped.
 */
static int keep_last(struct parsing *p)
{
	struct unc_journal_text *text = p->text;
	struct unc_journal_line **sorted = malloc((p->n_told + 1) * sizeof(*sorted));
	size_t n = 0;

	text->by_place = sorted;
	text->lines = malloc((p->n_told + 1) * sizeof(*text->lines));
	if (!sorted || !text->lines)
		return unc_fail(p->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < p->n_told; i++)
		sorted[i] = &p->told[i].line;
	qsort(sorted, p->n_told, sizeof(*sorted), by_place);
	for (size_t i = 0; i < p->n_told; i++) {
		struct told *told = (struct told *)sorted[i], *next = NULL; /* a line is its first member */

		if (i + 1 < p->n_told && compare_places(&sorted[i], &sorted[i + 1]) == 0)
			next = (struct told *)sorted[i + 1];
		if (next)
			free((void *)told->line.values);
		if (next && !told->dropped && !next->dropped) {
			told->line = next->line;
			next->dropped = true;
			sorted[i + 1] = &told->line;
		} else if (next) {
			told->dropped = true;
		} else if (!told->dropped) {
			sorted[n++] = &told->line;
		}
	}
	for (size_t i = 0; i < p->n_told; i++) {
		if (p->told[i].dropped)
			continue;
		p->told[i].kept_as = text->n_lines;
		text->lines[text->n_lines++] = p->told[i].line;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = &text->lines[((struct told *)sorted[i])->kept_as];
	p->n_told = 0;
	return UNC_OK;
}

bool unc_journal_text_has(const struct unc_journal_text *text, const struct unc_addr *addr, uint32_t off)
{
	const struct unc_journal_line wanted = {.addr = *addr, .off = off}, *key = &wanted;

	return text->n_lines && bsearch(&key, text->by_place, text->n_lines, sizeof(key), compare_places);
}

void unc_journal_text_forget(struct unc_journal_text *text, size_t line)
{
	free((void *)text->lines[line].values);
	text->n_lines--;
	memmove(&text->lines[line], &text->lines[line + 1], (text->n_lines - line) * sizeof(*text->lines));
	for (size_t i = 0; i < text->n_lines; i++)
		text->by_place[i] = &text->lines[i];
	qsort(text->by_place, text->n_lines, sizeof(*text->by_place), by_place);
}

int unc_journal_text_parse(struct unc_ctx *ctx, const char *text, size_t len, struct unc_journal_text *ret_text)
{
	struct unc_journal_text parsed = {0};
	struct parsing p = {.ctx = ctx, .text = &parsed, .line = 1};
	char *lines, *end;
	size_t good = 0;
	int rc = UNC_OK;

	if (!check_head(text, len, &good) || memchr(text, '\0', good))
		return damaged(&p, "length and checksum do not fit what is there");
	lines = malloc(good - UNC_JOURNAL_HEAD + 1);
	if (!lines)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	memcpy(lines, text + UNC_JOURNAL_HEAD, good - UNC_JOURNAL_HEAD);
	lines[good - UNC_JOURNAL_HEAD] = '\0';
	/* The last line, too, ends with a newline, so nothing follows it. */
	p.line = 2;
	for (char *line = lines; rc == 0 && *line; p.line += rc == 0) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		rc = end ? take_any(&p, line) : damaged(&p, "it has no end");
		line = end ? end + 1 : line;
	}
	free(lines);
	p.line = 1;
	if (rc == 0 && p.begun < N_OPENING)
		rc = damaged(&p, "the beginning is missing");
	if (rc == 0)
		rc = keep_last(&p);
	for (size_t i = 0; i < p.n_told; i++)
		free((void *)p.told[i].line.values);
	free(p.told);
	parsed.len = good;
	parsed.sum = unc_journal_sum(UNC_JOURNAL_NO_SUM, text + UNC_JOURNAL_HEAD, good - UNC_JOURNAL_HEAD);
	if (rc < 0)
		unc_journal_text_clear(&parsed);
	else
		*ret_text = parsed;
	return rc;
}

void unc_journal_text_clear(struct unc_journal_text *text)
{
	for (size_t i = 0; i < text->n_lines; i++)
		free((void *)text->lines[i].values);
	free(text->lines);
	free(text->by_place);
	free(text->claims);
	*text = (struct unc_journal_text){0};
}

/* ---- writing ---- */

/* Room for a line: two names, numbers, and texts, whose bytes take up to three each; values come in pieces. */
enum { PIECE_MAX = 3 * UNC_IDENTITY_TEXT + 200 };

static bool put(struct unc_bytes *buf, const char *fmt, ...) UNC_PRINTF(2, 3);
static bool put(struct unc_bytes *buf, const char *fmt, ...)
{
	char piece[PIECE_MAX];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(piece, sizeof(piece), fmt, args);
	va_end(args);
	return n >= 0 && (size_t)n < sizeof(piece) && unc_bytes_add(buf, piece, (size_t)n);
}

/* Writes ASCII without control characters; a word also has no blank.  Returns out, of at least 3 * size bytes. */
static const char *escaped(const char *text, bool word, char *out)
{
	char *to = out;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c == '%' || c > '~' || (word && c == ' '))
			to += snprintf(to, 4, "%%%02x", c);
		else
			*to++ = (char)c;
	}
	*to = '\0';
	return out;
}

bool unc_journal_put_begin(struct unc_bytes *buf, const struct unc_host_identity *identity,
			   const struct unc_journal_who *who)
{
	char machine[3 * sizeof(identity->machine)], boot[3 * sizeof(identity->boot)],
		command[3 * sizeof(who->command)];
	size_t len = buf->len;
	bool good = put(buf, "machine %s\n", escaped(identity->machine, false, machine)) &&
		    put(buf, "boot %s\n", escaped(identity->boot, false, boot)) &&
		    put(buf, "who %u %" PRIu64 " %u %s\n", who->pid, who->start, who->uid,
			escaped(who->command, false, command)) &&
		    put(buf, "since %" PRIu64 "\n", who->since_ns);

	if (!good)
		buf->len = len;
	return good;
}

bool unc_journal_put_claim(struct unc_bytes *buf, const char *box, const struct unc_addr *addr)
{
	char addr_text[UNC_ADDR_TEXT], name[3 * 40 + 1];

	if (strlen(box) >= 40)
		return false;
	return put(buf, "claim %s %s\n", unc_addr_text(addr, addr_text), escaped(box, true, name));
}

bool unc_journal_put_reg(struct unc_bytes *buf, const struct unc_journal_line *line)
{
	char addr[UNC_ADDR_TEXT], box[3 * sizeof(line->box)], reg[3 * sizeof(line->reg)];
	size_t len = buf->len;
	bool good = put(buf,
			"reg %s 0x%" PRIx32 " %u %s %s was 0x%" PRIx64 " ours 0x%" PRIx64 " any 0x%" PRIx64
			" doubted 0x%" PRIx64,
			unc_addr_text(&line->addr, addr), line->off, line->bits, escaped(line->box, true, box),
			escaped(line->reg, true, reg), line->before, line->ours, line->any, line->doubted) &&
		    (line->has_idle ? put(buf, " idle 0x%" PRIx64 " writes", line->idle) : put(buf, " idle - writes"));

	for (size_t i = 0; i < line->n_values && good; i++)
		good = put(buf, " 0x%" PRIx64, line->values[i]);
	good = good && put(buf, "\n");
	if (!good)
		buf->len = len;
	return good;
}

bool unc_journal_put_drop(struct unc_bytes *buf, const struct unc_addr *addr, uint32_t off)
{
	char text[UNC_ADDR_TEXT];

	return put(buf, "drop %s 0x%" PRIx32 "\n", unc_addr_text(addr, text), off);
}

/* http://www.isthe.com/chongo/tech/comp/fnv/: FNV-1a */
uint64_t unc_journal_sum(uint64_t sum, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

void unc_journal_put_head(char head[UNC_JOURNAL_HEAD + 1], uint64_t len, uint64_t sum)
{
	int n = snprintf(head, UNC_JOURNAL_HEAD + 1, "uncorectl-journal/1 %010" PRIu64 " ", len);

	sum = unc_journal_sum(sum, head, (size_t)n);
	snprintf(head + n, UNC_JOURNAL_HEAD + 1 - (size_t)n, "%016" PRIx64 "\n", sum);
}
