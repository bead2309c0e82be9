// SPDX-License-Identifier: GPL-2.0-or-later
/* What a kernel reports: what the msr driver takes, whether it is locked down, and resctrl. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs.h"

enum { COMMAND = 0x3fc08 }; /* of an area of POWER */

static int lockdown_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	out_printf(out, "%s\n",
		   unc_sim_info(fs->sim.host).is_locked_down ? "none [integrity] confidentiality"
							     : "[none] integrity confidentiality");
	return 0;
}

static int allow_writes_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	out_printf(out, "%s\n", unc_sim_info(fs->sim.host).takes_msr_writes ? "on" : "off");
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
	if (unc_sim_info(fs->sim.host).has_msrs)
		tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/module/msr/parameters"), "allow_writes",
			  &allow_writes, 0);
}

/* resctrl of the machine's kernel, with resctrl=on: as the simulated host tells of it. */

enum { PATH_MAX_LEN = 512, TEXT_MAX = 65536 };

/* From the root on; false: longer than any that is there. */
static bool path_of(const struct fs *fs, const struct node *node, char path[PATH_MAX_LEN])
{
	size_t len;

	if (!node->parent || node == tree_node(&fs->tree, TREE_ROOT)) {
		path[0] = '\0';
		return true;
	}
	if (!path_of(fs, tree_node(&fs->tree, node->parent), path))
		return false;
	len = strlen(path);
	return snprintf(path + len, PATH_MAX_LEN - len, "/%s", node->name) < (int)(PATH_MAX_LEN - len);
}

static int file_print(struct fs *fs, const struct node *node, struct out *out)
{
	char path[PATH_MAX_LEN], *text;
	size_t len;
	int rc;

	if (!path_of(fs, node, path))
		return -ENAMETOOLONG;
	rc = unc_host_file(fs->sim.host, path, TEXT_MAX, &text, &len);
	if (rc < 0)
		return failure_errno(fs, rc);
	out_bytes(out, text, len);
	free(text);
	return 0;
}

static const struct file_type file = {.mode = 0444, .print = file_print};

/* What the host lists is a folder, anything else in it a file; false: there is no such folder. */
static bool add_folder(struct fs *fs, const char *path)
{
	const char *const *names;
	char below[PATH_MAX_LEN];
	uint32_t folder;
	size_t n, i;

	if (unc_host_names(fs->sim.host, path, &names, &n) < 0)
		return false;
	folder = tree_folder_path(&fs->tree, path + 1);
	for (i = 0; i < n; i++) {
		if (snprintf(below, sizeof(below), "%s/%s", path, names[i]) >= (int)sizeof(below))
			fs->tree.failed = true;
		else if (!add_folder(fs, below))
			tree_file(&fs->tree, folder, tree_name(&fs->tree, names[i]), &file, 0);
	}
	free((void *)names);
	return true;
}

/* Words with the high byte first, as POWER has them. */
static int area_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	struct unc_addr addr = {.kind = UNC_AREA, .area = {.chip = handle->node->which}};
	size_t done = 0;
	int rc = unc_sim_access(fs->sim.host, &addr, false, off, buf, len / 8 * 8, &done);

	if (rc < 0)
		return failure_errno(fs, rc);
	for (size_t at = 0; at < done; at += 8)
		for (unsigned i = 0; i < 4; i++) {
			char low = buf[at + i];

			buf[at + i] = buf[at + 7 - i];
			buf[at + 7 - i] = low;
		}
	return (int)done;
}

/* Linux 6.1, arch/powerpc/platforms/powernv/opal-imc.c: "0x%016llx\n" is read, any number is taken. */
static int command_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct unc_addr addr = {.kind = UNC_AREA, .area = {.chip = node->which}};
	unsigned char word[8] = {0};
	size_t done = 0;
	int rc = unc_sim_access(fs->sim.host, &addr, false, COMMAND, word, sizeof(word), &done);

	out_printf(out, "0x%016llx\n", (unsigned long long)unc_le64(word));
	return rc < 0 ? failure_errno(fs, rc) : 0;
}

static int command_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	struct unc_addr addr = {.kind = UNC_AREA, .area = {.chip = handle->node->which}};
	unsigned char word[8];
	char text[24] = "";
	size_t done = 0;
	int rc;

	(void)off;
	memcpy(text, buf, len < sizeof(text) ? len : sizeof(text) - 1);
	unc_put_le64(word, strtoull(text, NULL, 0));
	rc = unc_sim_access(fs->sim.host, &addr, true, COMMAND, word, sizeof(word), &done);
	return rc < 0 ? failure_errno(fs, rc) : (int)len;
}

/* POWER: the device tree's catalogue, the areas of the chips, and what starts and stops their counting. */
void power_add(struct fs *fs)
{
	static const struct file_type area = {.mode = 0400, .read = area_read};
	static const struct file_type command = {.mode = 0600, .print = command_print, .write = command_write};

	if (!add_folder(fs, "/proc/device-tree/imc-counters"))
		return;
	for (uint32_t i = 0; i < unc_sim_info(fs->sim.host).n_chips; i++) {
		char name[40];
		struct node *node;

		snprintf(name, sizeof(name), "imc_nest_chip_%x", 8 * i);
		node = tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/firmware/opal/exports"),
				 tree_name(&fs->tree, name), &area, 8 * i);
		if (node)
			node->size = 0x40000;
		snprintf(name, sizeof(name), "imc_cmd_%u", 8 * i);
		tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/kernel/debug/powerpc/imc"),
			  tree_name(&fs->tree, name), &command, 8 * i);
	}
}

void resctrl_add(struct fs *fs)
{
	if (unc_sim_info(fs->sim.host).memory_bytes)
		tree_file(&fs->tree, tree_folder_path(&fs->tree, "proc"), "iomem", &file, 0);
	if (add_folder(fs, "/sys/fs/resctrl"))
		tree_file(&fs->tree, tree_folder_path(&fs->tree, "proc"), "mounts", &file, 0);
}
