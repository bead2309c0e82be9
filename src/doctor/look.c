// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads files of the machine's operating system, and of this process, as evidence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

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
