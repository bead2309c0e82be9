// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/journal_disk.h"

int unc_journal_disk_open(struct unc_machine *m, const char *state_dir, struct unc_journal_disk **ret_disk)
{
	(void)m;
	(void)state_dir;
	*ret_disk = NULL;
	return UNC_OK;
}

int unc_journal_disk_claim(struct unc_journal_disk *disk, const char *box, const struct unc_addr *addr)
{
	(void)disk;
	(void)box;
	(void)addr;
	return UNC_OK;
}

int unc_journal_disk_add(struct unc_journal_disk *disk, const struct unc_journal_line *line)
{
	(void)disk;
	(void)line;
	return UNC_OK;
}

int unc_journal_disk_sync(struct unc_journal_disk *disk)
{
	(void)disk;
	return UNC_OK;
}

int unc_journal_disk_drop(struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off)
{
	(void)disk;
	(void)addr;
	(void)off;
	return UNC_OK;
}

void unc_journal_disk_done(struct unc_journal_disk *disk)
{
	(void)disk;
}

void unc_journal_disk_close(struct unc_journal_disk *disk)
{
	(void)disk;
}

const char *unc_journal_disk_left(const struct unc_journal_disk *disk, const struct unc_addr *addr, uint32_t off)
{
	(void)disk;
	(void)addr;
	(void)off;
	return NULL;
}

bool unc_journal_disk_owner(const struct unc_machine *m, const struct unc_addr *addr, char *buf, size_t size)
{
	(void)m;
	(void)addr;
	(void)buf;
	(void)size;
	return false;
}
