// SPDX-License-Identifier: GPL-2.0-or-later
/* truth.json and violations.json: what the hardware really did, and what was done to it against the rules. */
#include "fs.h"

static int truth_file_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	return failure_errno(fs, truth_print(&fs->sim, out));
}

static int violations_file_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)node;
	return failure_errno(fs, violations_print(&fs->sim, out));
}

void truth_add(struct fs *fs)
{
	static const struct file_type truth_file = {.mode = 0444, .print = truth_file_print};
	static const struct file_type violations_file = {.mode = 0444, .print = violations_file_print};

	tree_file(&fs->tree, TREE_ROOT, "truth.json", &truth_file, 0);
	tree_file(&fs->tree, TREE_ROOT, "violations.json", &violations_file, 0);
}
