// SPDX-License-Identifier: GPL-2.0-or-later
/* SMBIOS tables, which tell of the memory, as Linux shows them. */
#include <stdlib.h>
#include <string.h>

#include "fs.h"

static const char *const paths[] = {UNC_SIM_SMBIOS_TABLE, UNC_SIM_SMBIOS_ENTRY};

static int table_print(struct fs *fs, const struct node *node, struct out *out)
{
	char *bytes;
	size_t len;
	int rc = unc_sim_smbios(fs->sim.host, paths[node->which], &bytes, &len);

	if (rc < 0)
		return failure_errno(fs, rc);
	out_bytes(out, bytes, len);
	free(bytes);
	return 0;
}

/* Serial numbers can be in them: root's alone. */
void dmi_add(struct fs *fs)
{
	static const struct file_type table = {.mode = 0400, .print = table_print};

	for (uint32_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct node *node;
		char *bytes;
		size_t len;
		int rc = unc_sim_smbios(fs->sim.host, paths[i], &bytes, &len);

		fs->tree.failed |= rc == UNC_ENOMEM;
		if (rc < 0)
			continue;
		free(bytes);
		node = tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/firmware/dmi/tables"),
				 strrchr(paths[i], '/') + 1, &table, i);
		if (node)
			node->size = (uint32_t)len;
	}
}
