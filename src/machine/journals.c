// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/journals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"

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
	struct unc_journals journals = {.ctx = ctx};
	struct unc_journal_file *files;
	const char *const *names, *end;
	size_t n;
	int rc = unc_os_folder_list(folder, &names, &n);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (tidy && strncmp(names[i], UNC_JOURNAL_NEW, strlen(UNC_JOURNAL_NEW)) == 0)
			unc_journals_remove(folder, names[i]);
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
