// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the process that has locked a box: live processes name their boxes in their journals. */
#include "machine/journal.h"

#include "machine/journals.h"

#define MS UINT64_C(1000000)

/*
 * seen: only a process that is visible from here counts; others are in another container, or ended and just being
 * recovered.
 */
static bool find_owner(const struct unc_journals *journals, const struct unc_host_identity *identity,
		       const struct unc_addr *addr, bool seen, char *buf, size_t size)
{
	for (size_t i = 0; i < journals->n; i++) {
		const struct unc_journal_file *file = &journals->files[i];
		const struct unc_journal_text *text = &file->text;
		bool claimed = false;

		for (size_t c = 0; c < text->n_claims; c++)
			claimed |= unc_addr_compare(&text->claims[c].addr, addr) == 0;
		if (file->kind != UNC_RECOVER_ALIVE || !claimed ||
		    strcmp(text->identity.machine, identity->machine) != 0 ||
		    (seen && !unc_os_process_lives(text->who.pid, text->who.start)))
			continue;
		snprintf(buf, size, "%s%s", file->who,
			 seen ? ""
			      : ", which is in another container than this one, or what it left is being recovered");
		return true;
	}
	return false;
}

bool unc_journal_disk_owner(const struct unc_machine *m, const struct unc_addr *addr, char *buf, size_t size)
{
	enum { TRIES = 10 };
	struct unc_host_identity identity;
	struct unc_os_folder *folder;
	struct unc_saved_msg kept;
	bool found = false;

	unc_msg_save(m->ctx, &kept);
	if (m->host->ops->identity && m->host->ops->identity(m->host, &identity) == 0 &&
	    unc_os_folder_open(m->ctx, m->state_dir, false, &folder) == 0) {
		for (unsigned i = 0; i < TRIES && !found; i++) {
			struct unc_journals journals = {0};

			if (i)
				unc_os_sleep_until(unc_os_now_ns(UNC_CLOCK_MONO) + 10 * MS, -1);
			if (unc_journals_read(m->ctx, folder, &identity, false, NULL, &journals) == 0)
				found = find_owner(&journals, &identity, addr, i + 1 < TRIES, buf, size);
			unc_journals_clear(&journals);
		}
		unc_os_folder_close(folder);
	}
	unc_msg_restore(m->ctx, &kept);
	return found;
}

enum { LEFT_TEXT = 400, NAMES_TRIED = 256, NAME_TEXT = sizeof(((struct unc_journal_file *)0)->name) };

struct unc_journal_disk {
	struct unc_machine *m; /* not owned */
	struct unc_host_identity identity;
	struct unc_os_folder *folder; /* owned; NULL: not open yet */
	struct unc_os_held *file;     /* owned; NULL: nothing was written yet */
	uint64_t len, sum;            /* of the file: number of good bytes, and the sum of those after its head */
	/* The same of its first lines alone, which name no register. */
	uint64_t opening_len, opening_sum;
	struct unc_bytes claims;  /* all of them, since they are needed longer than the file */
	size_t claims_written;    /* bytes of these that are in the file */
	struct unc_bytes queue;   /* other lines that are not in the file yet */
	struct unc_journals left; /* journals of other processes, as last read */
	bool stale;               /* boxes were claimed since then, so a writer may have ended */
	char name[NAME_TEXT];     /* of our file; "": there is none */
	char who[LEFT_TEXT];      /* unc_journal_disk_left() */
};

static int no_memory(struct unc_ctx *ctx)
{
	return unc_fail(ctx, UNC_ENOMEM, "journal: out of memory");
}

/* ---- what other processes left ---- */

/* A journal that names no register any more is useless: its writer was killed between two of them. */
static void report_journal(struct unc_journal_disk *disk, const struct unc_journal_file *file)
{
	const char *folder = unc_os_folder_path(disk->folder);
	size_t n = file->text.n_lines;

	if (file->kind == UNC_RECOVER_OTHER_BOOT && disk->m->host->name)
		return; /* unc_journals_look() has not looked */
	if (file->kind == UNC_RECOVER_OTHER_BOOT || (file->kind == UNC_RECOVER_STALE && n == 0)) {
		if (unc_journals_remove(disk->folder, file->name) == 0 && n)
			unc_note(disk->m->ctx,
				 "%s/%s: discarded: %s, wrote it before this machine was started anew, and no register "
				 "holds what it wrote",
				 folder, file->name, file->who);
	} else if (file->kind == UNC_RECOVER_STALE) {
		unc_note(disk->m->ctx,
			 "%s, ended without putting back %zu register%s: left alone; `uncorectl recover` puts %s back",
			 file->who, n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
	} else if (file->kind == UNC_RECOVER_DAMAGED) {
		unc_note(disk->m->ctx,
			 "%s/%s: a damaged journal (%s): which registers were left changed is not known; `uncorectl "
			 "recover` tells what to do",
			 folder, file->name, file->why);
	}
}

/* Notes what is new there.  If there is no folder, nothing was left. */
static int report_new(struct unc_journal_disk *disk, bool tells)
{
	struct unc_journals now = {0};
	int rc = UNC_OK;

	if (!disk->folder)
		rc = unc_os_folder_open(disk->m->ctx, disk->m->state_dir, false, &disk->folder);
	if (rc == 0)
		rc = unc_journals_read(disk->m->ctx, disk->folder, &disk->identity, true, disk->name, &now);
	if (rc < 0 && rc != UNC_ENODEV)
		return rc;
	unc_journals_look(disk->m, &now);
	for (size_t i = 0; tells && i < now.n; i++) {
		const struct unc_journals *left = &disk->left;
		bool known = false;

		for (size_t k = 0; k < left->n; k++)
			known |= strcmp(left->files[k].name, now.files[i].name) == 0 &&
				 left->files[k].kind == now.files[i].kind;
		if (!known)
			report_journal(disk, &now.files[i]);
	}
	unc_journals_clear(&disk->left);
	disk->left = now;
	disk->stale = false;
	return UNC_OK;
}

static int wrap_not_written(struct unc_journal_disk *disk, int rc)
{
	return unc_wrap(disk->m->ctx, rc,
			"%s was written to the hardware, since what it holds must be in a journal on disk first, and "
			"that cannot be written (make room, or name another folder with %s)",
			disk->file ? "nothing more" : "nothing", unc_setting(disk->m->ctx, "--state"));
}

int unc_journal_disk_look(struct unc_journal_disk *disk)
{
	return disk && disk->stale ? wrap_not_written(disk, report_new(disk, true)) : UNC_OK;
}

int unc_journal_disk_open(struct unc_machine *m, struct unc_journal_disk **ret_disk)
{
	struct unc_journal_disk *disk;
	int rc = UNC_ENODATA;

	*ret_disk = NULL;
	disk = calloc(1, sizeof(*disk));
	if (!disk)
		return no_memory(m->ctx);
	disk->m = m;
	if (m->host->ops->identity)
		rc = m->host->ops->identity(m->host, &disk->identity);
	/* A folder that cannot be read fails again before something is written, which is early enough. */
	if (rc == 0 && report_new(disk, !m->recovers) == UNC_ENOMEM)
		rc = UNC_ENOMEM;
	if (rc == 0)
		*ret_disk = disk;
	else
		unc_journal_disk_close(disk);
	return rc == UNC_ENODATA ? UNC_OK : rc;
}

const char *unc_journal_disk_left(struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off)
{
	const struct unc_journal_file *file;

	unc_journal_disk_look(disk); /* a failure comes again when it is planned */
	file = disk ? unc_journals_left(&disk->left, addr, off) : NULL;
	if (!file)
		return NULL;
	snprintf(disk->who, sizeof(disk->who), "%s, which ended without putting it back", file->who);
	return disk->who;
}

/* ---- our own journal ---- */

/* A program that opens one session after another claims the same boxes again: a line that is there already is not added. */
int unc_journal_disk_claim(struct unc_journal_disk *disk, const char *box, const struct unc_addr *addr)
{
	struct unc_bytes *claims;
	size_t line, len;

	if (!disk)
		return UNC_OK;
	disk->stale = true;
	claims = &disk->claims;
	line = claims->len;
	if (!unc_journal_put_claim(claims, box, addr))
		return no_memory(disk->m->ctx);
	len = claims->len - line;
	for (size_t at = 0; at + len <= line;) {
		const char *end = memchr(claims->bytes + at, '\n', line - at);

		if (memcmp(claims->bytes + at, claims->bytes + line, len) == 0) {
			claims->len = line;
			break;
		}
		at = (size_t)(end - claims->bytes) + 1;
	}
	return UNC_OK;
}

int unc_journal_disk_add(struct unc_journal_disk *disk, const struct unc_journal_line *line)
{
	return !disk || unc_journal_put_reg(&disk->queue, line) ? UNC_OK : no_memory(disk->m->ctx);
}

int unc_journal_disk_drop(struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off)
{
	return !disk || unc_journal_put_drop(&disk->queue, addr, off) ? UNC_OK : no_memory(disk->m->ctx);
}

/*
 * The file is begun under a name that no process reads until there is something in it.  Another machine of this process has its
 * own file, as may a process of another container with the same name; one that tidies up may have it for a moment.
 */
static int name_file(struct unc_journal_disk *disk, const struct unc_os_self *self, bool final)
{
	char name[NAME_TEXT + 8];
	int rc = UNC_EBUSY;

	for (unsigned i = 0; i < NAMES_TRIED && rc == UNC_EBUSY; i++) {
		snprintf(name, sizeof(name), "%s%u-%" PRIu64 "-%u" UNC_JOURNAL_SUFFIX, final ? "" : UNC_JOURNAL_NEW,
			 self->pid, self->start, i);
		rc = final ? unc_os_held_rename(disk->file, name)
			   : unc_os_folder_hold(disk->folder, name, true, &disk->file);
	}
	if (rc == 0 && final)
		memcpy(disk->name, name, sizeof(disk->name));
	return rc;
}

static int write_file(struct unc_journal_disk *disk, const struct unc_bytes *body)
{
	char head[UNC_JOURNAL_HEAD + 1];
	uint64_t len = disk->len + body->len, sum = unc_journal_sum(disk->sum, body->bytes, body->len);
	int rc;

	if (len > UNC_JOURNAL_MAX)
		return unc_fail(disk->m->ctx, UNC_EIO, "journal: longer than the %u bytes that are read of one",
				(unsigned)UNC_JOURNAL_MAX);
	rc = unc_os_held_write(disk->file, disk->len, body->bytes, body->len);
	unc_journal_put_head(head, len, sum);
	if (rc == 0)
		rc = unc_os_held_write(disk->file, 0, head, UNC_JOURNAL_HEAD);
	if (rc < 0)
		return rc;
	/*
	 * Also if fsync failed: bytes that the head calls good are never overwritten, since we may be killed meanwhile.
	 */
	disk->len = len;
	disk->sum = sum;
	return unc_os_held_sync(disk->file);
}

static int begin(struct unc_journal_disk *disk, struct unc_bytes *body, struct unc_os_self *self)
{
	struct unc_journal_who who = {.since_ns = unc_os_now_ns(UNC_CLOCK_REAL)};
	int rc = UNC_OK;

	if (!disk->folder)
		rc = unc_os_folder_open(disk->m->ctx, disk->m->state_dir, true, &disk->folder);
	if (rc == 0)
		rc = unc_os_self(disk->m->ctx, self);
	if (rc < 0)
		return rc;
	who.pid = self->pid;
	who.uid = self->uid;
	who.start = self->start;
	memcpy(who.command, self->command, sizeof(who.command));
	if (!unc_journal_put_begin(body, &disk->identity, &who))
		return no_memory(disk->m->ctx);
	disk->len = UNC_JOURNAL_HEAD;
	disk->sum = UNC_JOURNAL_NO_SUM;
	disk->opening_len = disk->len + body->len;
	disk->opening_sum = unc_journal_sum(disk->sum, body->bytes, body->len);
	return name_file(disk, self, false);
}

/*
 * In root's folder a service that has dropped its capabilities may not remove it any more: then it stays, and names no register, until
 * the next process removes it.
 */
static void forget_file(struct unc_journal_disk *disk)
{
	char head[UNC_JOURNAL_HEAD + 1];
	struct unc_saved_msg why;

	unc_msg_save(disk->m->ctx, &why);
	unc_journal_put_head(head, disk->opening_len, disk->opening_sum);
	if (disk->file)
		unc_os_held_write(disk->file, 0, head, UNC_JOURNAL_HEAD);
	unc_os_held_end(disk->file, true);
	unc_msg_restore(disk->m->ctx, &why);
	disk->file = NULL;
	disk->name[0] = '\0';
	disk->claims_written = 0;
}

static int append(struct unc_journal_disk *disk)
{
	struct unc_bytes body = {0};
	struct unc_os_self self = {0};
	size_t written = disk->claims_written;
	bool new = !disk->file;
	int rc = new ? begin(disk, &body, &self) : UNC_OK;

	if (rc == 0 && !(unc_bytes_add(&body, disk->claims.bytes + written, disk->claims.len - written) &&
			 unc_bytes_add(&body, disk->queue.bytes, disk->queue.len)))
		rc = no_memory(disk->m->ctx);
	if (rc == 0)
		rc = write_file(disk, &body);
	if (rc == 0 && new)
		rc = name_file(disk, &self, true);
	free(body.bytes);
	if (rc == 0) {
		disk->claims_written = disk->claims.len;
		disk->queue.len = 0;
	} else if (new) {
		forget_file(disk);
	}
	return rc;
}

int unc_journal_disk_sync(struct unc_journal_disk *disk)
{
	int rc;

	if (!disk || (!disk->queue.len && disk->claims_written == disk->claims.len))
		return UNC_OK;
	rc = append(disk);
	if (rc == UNC_ENODEV) /* there is no folder in which to make one, so no journal is needed */
		rc = UNC_EIO;
	return wrap_not_written(disk, rc);
}

void unc_journal_disk_done(struct unc_journal_disk *disk)
{
	if (!disk)
		return;
	if (disk->file)
		forget_file(disk);
	disk->queue.len = 0;
}

void unc_journal_disk_close(struct unc_journal_disk *disk)
{
	if (!disk)
		return;
	/* Dropped entries are removed from disk; if that fails, `recover` finds them as they were. */
	if (disk->file && disk->queue.len)
		append(disk);
	unc_os_held_end(disk->file, false);
	unc_os_folder_close(disk->folder);
	unc_journals_clear(&disk->left);
	free(disk->claims.bytes);
	free(disk->queue.bytes);
	free(disk);
}

struct unc_journal_entry *unc_journal_find(struct unc_journal *journal, const struct unc_box *box,
					   const struct unc_reg *reg, unsigned index)
{
	for (size_t i = box->journalled; i; i = journal->entries[i - 1].earlier) {
		struct unc_journal_entry *entry = &journal->entries[i - 1];

		if (entry->reg == reg && entry->index == index)
			return entry;
	}
	return NULL;
}

/* Makes the i-th entry the last of its box so far. */
static void link_entry(struct unc_journal *journal, size_t i)
{
	struct unc_journal_entry *entry = &journal->entries[i];

	entry->earlier = entry->box->journalled;
	entry->box->journalled = i + 1;
}

struct unc_journal_entry *unc_journal_add(struct unc_journal *journal, struct unc_box *box)
{
	void *entries = unc_array_more(journal->entries, journal->n, sizeof(*journal->entries));

	if (!entries)
		return NULL;
	journal->entries = entries;
	journal->entries[journal->n].box = box;
	link_entry(journal, journal->n);
	return &journal->entries[journal->n++];
}

void unc_journal_sweep(struct unc_journal *journal)
{
	size_t kept = 0;

	for (size_t i = 0; i < journal->n; i++)
		journal->entries[i].box->journalled = 0;
	for (size_t i = 0; i < journal->n; i++) {
		if (journal->entries[i].dropped) {
			free((void *)journal->entries[i].line.values);
			continue;
		}
		journal->entries[kept] = journal->entries[i];
		link_entry(journal, kept++);
	}
	journal->n = kept;
}

void unc_journal_clear(struct unc_journal *journal)
{
	for (size_t i = 0; i < journal->n; i++)
		journal->entries[i].dropped = true;
	unc_journal_sweep(journal);
	free(journal->entries);
	journal->entries = NULL;
}
