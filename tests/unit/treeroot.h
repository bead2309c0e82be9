/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A test's directory tree as the place of a machine's files. */
#ifndef UNC_TESTS_TREEROOT_H
#define UNC_TESTS_TREEROOT_H

#include "os/linux/files.h"
#include "tree.h"

/* The caller closes it. */
static inline struct unc_linux_root tree_as_root(const struct tree *tree)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_linux_root root;

	if (unc_linux_root_open(&ctx, tree->root, &root) < 0)
		abort();
	return root;
}

/* From here on they are opened as this computer's own are: links lead where they say, and a first write is not checked. */
static inline void root_as_computer(struct unc_linux_root *root, unsigned *open_before)
{
	close(root->fd);
	root->fd = -1;
	*open_before -= 1;
}

#endif
