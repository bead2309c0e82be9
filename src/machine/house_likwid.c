// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LIKWID's lock file (its src/includes/lock.h; the path is LIKWIDLOCKPATH of its config.mk).  Where it exists, LIKWID counts for the
 * user alone whom it belongs to, so administrators give a machine to a job by its owner.  It is not made by counting and does not
 * go away with it: it shows that LIKWID is used here, not that it counts now.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "machine/house_finders.h"

enum { LOCK_MAX = 4096 };

/* Since /var/run may be a link to /run, which leads out of a directory tree. */
static const char *const lock_files[] = {"/var/run/likwid.lock", "/run/likwid.lock"};

static int add(struct unc_house *house, const char *path)
{
	struct unc_finding *found = unc_house_add(house, UNC_FOUND_LIKWID, false);

	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: is there", path);
	snprintf(found->way_out, sizeof(found->way_out), "ask whom that file belongs to (ls -l %s)", path);
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: LIKWID counts, which its lock file reserves for one user, whether that user counts now or "
		 "not");
	return UNC_OK;
}

int unc_house_find_likwid(struct unc_house *house)
{
	for (size_t i = 0; i < sizeof(lock_files) / sizeof(lock_files[0]); i++) {
		char *text;
		int rc = unc_house_file(house, lock_files[i], LOCK_MAX, &text, NULL);

		if (rc < 0)
			return rc;
		if (!text)
			continue;
		free(text);
		return add(house, lock_files[i]);
	}
	return UNC_OK;
}
