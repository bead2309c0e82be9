// SPDX-License-Identifier: GPL-2.0-or-later
/* The journals on disk: whether one may be written, and what other processes have left in theirs. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "doctor/doctor.h"

static void say_folder(struct unc_doctor *d, int rc, const char *path)
{
	bool there = rc == 0;
	char seen[600];

	snprintf(seen, sizeof(seen), "%.500s%s", there ? path : unc_errmsg(d->ctx),
		 there ? ": a folder of our own, with mode 0700" : "");
	if (there || rc == UNC_ENODEV)
		rc = unc_os_folder_could(d->ctx, d->state_dir);
	if (rc == UNC_ENOMEM)
		d->rc = rc;
	if (rc == 0) {
		unc_doctor_say(d, "state folder", UNC_DOCTOR_OK,
			       there ? "it is our own, and nobody else may write there"
				     : "there is none yet: it is made before the first write");
		unc_doctor_seen(d, "%s", seen);
	} else {
		unc_doctor_fail(d, "state folder", rc == UNC_ENODEV ? UNC_EIO : rc,
				"no journal can be kept there, and without one nothing is written");
		unc_doctor_seen(d, "%.600s", unc_errmsg(d->ctx));
		unc_doctor_todo(d, "see that sentence; `--state DIR` names another one");
	}
}

static void say_journal(struct unc_doctor *d, const char *folder, const struct unc_journal_file *file)
{
	size_t n = file->text.n_lines;

	switch (file->kind) {
	case UNC_RECOVER_STALE:
		unc_doctor_say(d, "journals", UNC_DOCTOR_WARN,
			       "%s, ended without putting back %zu register%s: left alone until recover puts back what "
			       "was there",
			       file->who, n, n == 1 ? "" : "s");
		unc_doctor_todo(d, "`%s recover`, at first with --dry-run", d->command);
		break;
	case UNC_RECOVER_DAMAGED:
		unc_doctor_say(d, "journals", UNC_DOCTOR_WARN,
			       "a damaged journal: which registers somebody has left changed is not known: %.400s",
			       file->why);
		unc_doctor_todo(d, "`%s recover` tells what to do", d->command);
		break;
	case UNC_RECOVER_OTHER_BOOT:
		unc_doctor_say(d, "journals", UNC_DOCTOR_NOTE,
			       "%s, wrote it before this machine was started anew: no register keeps its value then",
			       file->who);
		unc_doctor_todo(d, "nothing: the next command that writes removes it");
		break;
	case UNC_RECOVER_OTHER_MACHINE:
		unc_doctor_say(d, "journals", UNC_DOCTOR_NOTE, "%s, left registers of another machine: %.200s",
			       file->who, file->text.identity.machine);
		unc_doctor_todo(d, "`uncorectl recover` there");
		break;
	case UNC_RECOVER_ALIVE:
		return;
	}
	unc_doctor_seen(d, "%.400s/%s", folder, file->name);
}

static void say_journals(struct unc_doctor *d, const char *folder)
{
	size_t n_gone = 0;

	for (size_t i = 0; i < d->journals.n; i++) {
		n_gone += d->journals.files[i].kind != UNC_RECOVER_ALIVE;
		say_journal(d, folder, &d->journals.files[i]);
	}
	if (n_gone)
		return;
	unc_doctor_say(d, "journals", UNC_DOCTOR_OK, "nobody who was killed has left one");
	unc_doctor_seen(d, "%.500s: %zu of programs that run", folder, d->journals.n);
}

/* This folder belongs to the computer that this program runs on, so it is not in a record, and a replay has none. */
void unc_doctor_journals(struct unc_doctor *d)
{
	struct unc_host *host = d->m->host;
	struct unc_host_identity identity;
	struct unc_os_folder *folder;
	int rc;

	if (host->name) {
		unc_doctor_say(d, "journals", UNC_DOCTOR_UNKNOWN, "what others have left is in no record");
		unc_doctor_seen(d, "not looked at while a record is made or replayed");
		unc_doctor_todo(d, "run it without `record`");
		return;
	}
	rc = host->ops->identity ? host->ops->identity(host, &identity) : UNC_ENODATA;
	if (rc == UNC_ENOMEM)
		d->rc = rc;
	if (rc == UNC_ENODATA) {
		unc_doctor_say(d, "journals", UNC_DOCTOR_OK, "its registers end with this process: none is needed");
		unc_doctor_seen(d, "--machine: without state=");
	}
	if (rc < 0)
		return;
	rc = unc_os_folder_open(d->ctx, d->state_dir, false, &folder);
	if (rc == UNC_ENOMEM)
		d->rc = rc;
	say_folder(d, rc, rc == 0 ? unc_os_folder_path(folder) : "");
	if (rc < 0)
		return;
	rc = unc_journals_read(d->ctx, folder, &identity, false, NULL, &d->journals);
	if (rc == 0) {
		say_journals(d, unc_os_folder_path(folder));
	} else if (rc == UNC_ENOMEM) {
		d->rc = rc;
	} else {
		unc_doctor_say(d, "journals", UNC_DOCTOR_UNKNOWN, "what others have left cannot be read");
		unc_doctor_seen(d, "%.600s", unc_errmsg(d->ctx));
		unc_doctor_todo(d, "see that sentence");
	}
	unc_os_folder_close(folder);
}
