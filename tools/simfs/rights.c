// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel tells of why it refuses: lockdown (Linux: security/lockdown), the msr driver's filter of writes. */
#include "fs.h"

static int lockdown_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	out_printf(out, unc_sim_locked_down(fs->host) ? "none [integrity] confidentiality\n"
						      : "[none] integrity confidentiality\n");
	return 0;
}

static int allow_writes_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	out_printf(out, unc_sim_msr_writes(fs->host) ? "on\n" : "off\n");
	return 0;
}

void rights_add(struct fs *fs)
{
	static const struct file_type lockdown = {.mode = 0644, .print = lockdown_print};
	static const struct file_type allow_writes = {.mode = 0644, .shown_size = 4096, .print = allow_writes_print};

	tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/kernel/security"), "lockdown", &lockdown, 0);
	if (unc_sim_has_msrs(fs->host))
		tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/module/msr/parameters"), "allow_writes",
			  &allow_writes, 0);
}
