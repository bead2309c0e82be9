// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads files of the machine's operating system, and of this process, as evidence. */
#include "doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

#define OWN "own:" /* prefix of a path on the computer that this program runs on: access/host.h */

enum { FILE_MAX = 4 << 20 };

static bool begins_with(const char *text, const char *part)
{
	return strncmp(text, part, strlen(part)) == 0;
}

char *unc_doctor_text(struct unc_doctor *d, const char *path, size_t *ret_len, int *ret_rc)
{
	struct unc_host *host = d->m->host;
	char *text = NULL;
	int rc = host->ops->file(host, path, FILE_MAX, &text, ret_len);

	if (rc == UNC_ENOMEM)
		d->rc = rc;
	*ret_rc = rc;
	return rc < 0 ? NULL : text;
}

bool unc_doctor_has_folder(struct unc_doctor *d, const char *path)
{
	struct unc_host *host = d->m->host;
	const char *const *names;
	size_t n;
	int rc = host->ops->names(host, path, &names, &n);

	if (rc == UNC_ENOMEM)
		d->rc = rc;
	if (rc == 0)
		free((void *)names);
	return rc == 0;
}

void unc_doctor_look(struct unc_doctor *d, const char *path, struct unc_doctor_file *ret_file)
{
	const char *shown = begins_with(path, OWN) ? path + strlen(OWN) : path;
	struct unc_doctor_file file = {0};
	char *text;
	int rc;

	if ((d->no_proc && begins_with(path, "/proc/")) || (d->no_sys && begins_with(path, "/sys/"))) {
		file.untold = true;
		snprintf(file.seen, sizeof(file.seen), "%s: the folder of root: has none",
			 begins_with(path, "/proc/") ? "/proc" : "/sys");
		*ret_file = file;
		return;
	}
	text = unc_doctor_text(d, path, NULL, &rc);
	file.there = text != NULL;
	file.untold = rc < 0 && rc != UNC_ENODEV;
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		snprintf(file.value, sizeof(file.value), "%s", text);
		free(text);
	}
	snprintf(file.seen, sizeof(file.seen), "%s: %s", shown,
		 file.there    ? file.value[0] ? file.value : "there"
		 : file.untold ? "cannot be read"
			       : "not there");
	*ret_file = file;
}

static const struct {
	const char *theme;
	unc_doctor_check *run;
} checks[] = {
	/* clang-format off */
	{"machine", unc_doctor_simulated},
	{"machine", unc_doctor_root},
	{"machine", unc_doctor_container},
	{"cpu", unc_doctor_cpu},
	{"cpu", unc_doctor_map},
	{"cpu", unc_doctor_caches},
	{"cpu", unc_doctor_virtual},
	{"rights", unc_doctor_rights},
	{"kernel", unc_doctor_sysfs},
	{"kernel", unc_doctor_lockdown},
	{"kernel", unc_doctor_msr_driver},
	{"kernel", unc_doctor_msr_writes},
	{"kernel", unc_doctor_watchdog},
	{"pci", unc_doctor_find},
	{"pci", unc_doctor_config},
	{"pci", unc_doctor_hidden},
	{"journals", unc_doctor_journals},
	{"others", unc_doctor_others},
	{"others", unc_doctor_instances},
	{"counters", unc_doctor_in_use},
	{"counters", unc_doctor_ticking},
	{"counters", unc_doctor_stopped},
	{"counters", unc_doctor_left},
	{"counters", unc_doctor_rmids},
	/* clang-format on */
};

static enum unc_err kind_of_failure(int err)
{
	switch (err) {
	case UNC_EPERM:
	case UNC_EDENIED:
		return UNC_EPERM;
	case UNC_EBUSY:
		return UNC_EBUSY;
	case UNC_ENODEV:
	case UNC_ENOSUP:
	case UNC_ENODATA:
	case UNC_ENOREG:
		return UNC_ENODEV;
	default:
		return UNC_EIO;
	}
}

static void add(struct unc_doctor *d, const char *check, enum unc_doctor_state state, int err, const char *fmt,
		va_list args)
{
	struct unc_doctor_entry *entry, *more;

	if (d->rc < 0)
		return;
	more = unc_array_more(d->entries, d->n_entries, sizeof(*more));
	if (!more) {
		d->rc = unc_fail(d->ctx, UNC_ENOMEM, "out of memory");
		return;
	}
	d->entries = more;
	entry = &more[d->n_entries++];
	*entry = (struct unc_doctor_entry){.theme = d->theme, .state = state, .err = err};
	snprintf(entry->check, sizeof(entry->check), "%s", check);
	vsnprintf(entry->finding, UNC_DOCTOR_TEXT, fmt, args);
}

void unc_doctor_say(struct unc_doctor *d, const char *check, enum unc_doctor_state state, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(d, check, state, UNC_OK, fmt, args);
	va_end(args);
}

void unc_doctor_fail(struct unc_doctor *d, const char *check, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(d, check, UNC_DOCTOR_FAIL, kind_of_failure(err), fmt, args);
	va_end(args);
}

void unc_doctor_fail_caches(struct unc_doctor *d, const char *check, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (d->caches)
		add(d, check, UNC_DOCTOR_FAIL, kind_of_failure(err), fmt, args);
	else
		add(d, check, UNC_DOCTOR_NOTE, UNC_OK, fmt, args);
	va_end(args);
}

void unc_doctor_seen(struct unc_doctor *d, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (d->rc == 0 && d->n_entries)
		vsnprintf(d->entries[d->n_entries - 1].evidence, UNC_DOCTOR_TEXT, fmt, args);
	va_end(args);
}

void unc_doctor_todo(struct unc_doctor *d, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (d->rc == 0 && d->n_entries)
		vsnprintf(d->entries[d->n_entries - 1].todo, UNC_DOCTOR_TEXT, fmt, args);
	va_end(args);
}

static const char *quote_of(const char *word)
{
	return strchr(word, '\'') ? "" : "'";
}

/* Writes the first words of every suggested command. */
static void begin_command(struct unc_doctor *d, const char *machine)
{
	size_t size = sizeof(d->command);

	snprintf(d->command, size, "uncorectl");
	if (d->state_dir && !d->m->host->name) /* a record has no journals */
		unc_text_join(d->command, size, " ", "--state %s%.300s%s", quote_of(d->state_dir), d->state_dir,
			      quote_of(d->state_dir));
	if (d->kind != UNC_DOCTOR_LIVE)
		unc_text_join(d->command, size, " ", "--machine %s%.500s%s", quote_of(machine), machine,
			      quote_of(machine));
}

/* Finds the kind of machine; for a replay, the kind that was recorded. */
static void find_kind(struct unc_doctor *d)
{
	const char *name = d->m->host->name ? d->m->host->name : d->m->name;

	d->kind = UNC_DOCTOR_SIM;
	if (strcmp(name, "live") == 0)
		d->kind = UNC_DOCTOR_LIVE;
	else if (strncmp(name, "root:", strlen("root:")) == 0)
		d->kind = UNC_DOCTOR_ROOT;
	begin_command(d, name);
}

int unc_doctor_run(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_doctor **ret_doctor)
{
	struct unc_machine_cfg reading = *cfg;
	struct unc_doctor *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	d->ctx = ctx;
	d->map_dir = cfg->map_dir;
	d->state_dir = cfg->state_dir;
	reading.writable = false;
	reading.dry_run = NULL;
	d->rc = unc_machine_reach(ctx, &reading, &d->m);
	if (d->rc == 0)
		find_kind(d);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && d->rc == 0; i++) {
		d->theme = checks[i].theme;
		checks[i].run(d);
	}
	rc = unc_machine_close(d->m);
	d->m = NULL;
	free(d->boxes);
	d->boxes = NULL;
	unc_journals_clear(&d->journals);
	if (d->rc < 0 || rc < 0) {
		rc = d->rc < 0 ? d->rc : rc;
		unc_doctor_free(d);
		return rc;
	}
	*ret_doctor = d;
	return UNC_OK;
}

size_t unc_doctor_count(const struct unc_doctor *d)
{
	return d->n_entries;
}

int unc_doctor_line(const struct unc_doctor *d, size_t index, struct unc_doctor_line *ret_line)
{
	const struct unc_doctor_entry *entry;

	if (index >= d->n_entries)
		return unc_fail(d->ctx, UNC_ENODEV, "doctor: there is no line number %zu", index);
	entry = &d->entries[index];
	*ret_line = (struct unc_doctor_line){
		.theme = entry->theme,
		.check = entry->check,
		.state = entry->state,
		.err = entry->err,
		.finding = entry->finding,
		.evidence = entry->evidence,
		.todo = entry->todo[0] ? entry->todo : NULL,
	};
	return UNC_OK;
}

/* Failures that no permission helps against come first, then those that waiting does not help against. */
int unc_doctor_verdict(const struct unc_doctor *d)
{
	static const int worst[] = {UNC_ENODEV, UNC_EPERM, UNC_EBUSY, UNC_EIO};

	for (size_t w = 0; w < sizeof(worst) / sizeof(worst[0]); w++)
		for (size_t i = 0; i < d->n_entries; i++)
			if (d->entries[i].state == UNC_DOCTOR_FAIL && d->entries[i].err == worst[w])
				return worst[w];
	return UNC_OK;
}

void unc_doctor_free(struct unc_doctor *d)
{
	if (!d)
		return;
	free(d->entries);
	free(d);
}
