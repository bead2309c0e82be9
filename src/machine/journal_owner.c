// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose a box is that is locked: journals of the living say so. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "machine/journal_disk.h"
#include "machine/journals.h"

#define MS UINT64_C(1000000)

static bool claims_it(const struct unc_journal_text *text, const struct unc_addr *addr)
{
	for (size_t i = 0; i < text->n_claims; i++)
		if (unc_addr_compare(&text->claims[i].addr, addr) == 0)
			return true;
	return false;
}

/* seen: only one who can be seen from here; who cannot is in another container, or dead and just being recovered. */
static bool find_owner(const struct unc_journals *journals, const struct unc_host_identity *identity,
		       const struct unc_addr *addr, bool seen, char *buf, size_t size)
{
	for (size_t i = 0; i < journals->n; i++) {
		const struct unc_journal_file *file = &journals->files[i];
		const struct unc_journal_who *who = &file->text.who;

		if (file->kind != UNC_RECOVER_ALIVE || !claims_it(&file->text, addr) ||
		    strcmp(file->text.identity.machine, identity->machine) != 0 ||
		    (seen && !unc_os_process_lives(who->pid, who->start)))
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
			struct unc_journals journals = {.ctx = m->ctx};

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
