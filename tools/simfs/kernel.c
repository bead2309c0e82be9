// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a kernel says why it refuses: what the msr driver takes, and whether it is locked down. */
#include <errno.h>
#include <string.h>

#include "fs.h"

static int lockdown_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	out_printf(out, "%s\n",
		   unc_sim_is_locked_down(fs->sim.host) ? "none [integrity] confidentiality"
							: "[none] integrity confidentiality");
	return 0;
}

static int allow_writes_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	out_printf(out, "%s\n", unc_sim_takes_msr_writes(fs->sim.host) ? "on" : "off");
	return 0;
}

/* Words of arch/x86/kernel/msr.c, set_allow_writes(). */
static int allow_writes_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	size_t word = len && buf[len - 1] == '\n' ? len - 1 : len;

	(void)handle;
	(void)off;
	if ((word == 2 && memcmp(buf, "on", word) == 0) || (word == 7 && memcmp(buf, "default", word) == 0))
		unc_sim_take_msr_writes(fs->sim.host, true);
	else if (word == 3 && memcmp(buf, "off", word) == 0)
		unc_sim_take_msr_writes(fs->sim.host, false);
	else
		return -EINVAL;
	return (int)len;
}

void kernel_add(struct fs *fs)
{
	static const struct file_type lockdown = {.mode = 0444, .print = lockdown_print};
	static const struct file_type allow_writes = {
		.mode = 0644, .shown_size = 4096, .print = allow_writes_print, .write = allow_writes_write};

	tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/kernel/security"), "lockdown", &lockdown, 0);
	if (unc_sim_has_msrs(fs->sim.host))
		tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/module/msr/parameters"), "allow_writes",
			  &allow_writes, 0);
}
