/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of recovering share. */
#ifndef UNC_MACHINE_RECOVER_H
#define UNC_MACHINE_RECOVER_H

#include "machine/journals.h"
#include "uncore/recover.h"

struct unc_recover_row {
	size_t journal, line; /* of these */
	struct unc_addr addr; /* where that is, in text: */
	char pci[UNC_ADDR_TEXT];
	uint64_t is, becomes;
	bool is_known, becomes_known;
	enum unc_recover_state state;
	char *why; /* owned; or NULL */
};

struct unc_recover {
	struct unc_machine *m;        /* not owned */
	struct unc_os_folder *folder; /* owned; NULL: there is none */
	struct unc_journals journals; /* last begun first */
	char **paths;                 /* owned, each of them too: one for each journal */
	struct unc_recover_row *rows; /* owned; last written first */
	size_t n;
};

#endif
