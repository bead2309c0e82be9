/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A test's directory tree as the place of a machine's files, and a bus on it. */
#ifndef UNC_TESTS_TREEROOT_H
#define UNC_TESTS_TREEROOT_H

#include "access/write.h"
#include "base/err.h"
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

enum { DESK_BUSES = 4, DESK_SPACES = 300 };

static struct desk {
	struct unc_ctx ctx;
	struct tree tree;
	struct unc_linux_root root;
	struct unc_bus *bus; /* the last that was opened */
	struct unc_bus *buses[DESK_BUSES];
	struct unc_space *spaces[DESK_SPACES];
	size_t n_buses, n_spaces;
	unsigned open_before;
} desk;

/* For EACH(). */
static inline void desk_begin(void)
{
	desk = (struct desk){.ctx = {.msg = ""}, .tree = tree_new()};
	desk.root = tree_as_root(&desk.tree);
	desk.open_before = open_files();
}

/* Closes all that is open: no file is left open then. */
static inline void desk_end(void)
{
	while (desk.n_spaces)
		unc_space_close(desk.spaces[--desk.n_spaces]);
	while (desk.n_buses)
		unc_bus_close(desk.buses[--desk.n_buses]);
	CU_ASSERT_EQUAL(open_files(), desk.open_before);
	unc_linux_root_close(&desk.root);
	tree_remove(&desk.tree);
}

typedef int desk_opener(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

static inline void desk_bus(desk_opener *open_it, bool writable)
{
	CU_ASSERT_EQUAL_FATAL(open_it(&desk.ctx, &desk.root, writable, &desk.bus), UNC_OK);
	CU_ASSERT_FATAL(desk.n_buses < DESK_BUSES);
	desk.buses[desk.n_buses++] = desk.bus;
}

static inline struct unc_space *desk_space(struct unc_bus *bus, struct unc_addr addr)
{
	struct unc_space *space = NULL;

	CU_ASSERT_EQUAL_FATAL(unc_space_open(bus, &addr, &space), UNC_OK);
	CU_ASSERT_FATAL(desk.n_spaces < DESK_SPACES);
	desk.spaces[desk.n_spaces++] = space;
	return space;
}

/* One that a test closes itself. */
static inline void desk_close(struct unc_space *space)
{
	for (size_t i = 0; i < desk.n_spaces; i++)
		if (desk.spaces[i] == space)
			desk.spaces[i] = NULL;
	unc_space_close(space);
}

/* A dword, or 64 bits, can be read there, and that is what it holds. */
static inline void reads32(struct unc_space *space, uint64_t off, uint32_t expected)
{
	uint32_t value = ~expected;

	CU_ASSERT_EQUAL(unc_read32(space, off, &value), UNC_OK);
	CU_ASSERT_EQUAL(value, expected);
}

static inline void reads64(struct unc_space *space, uint64_t off, uint64_t expected)
{
	uint64_t value = ~expected;

	CU_ASSERT_EQUAL(unc_read64(space, off, &value), UNC_OK);
	CU_ASSERT_EQUAL(value, expected);
}

/* The last sentence has that part. */
static inline bool says(const char *part)
{
	if (strstr(desk.ctx.msg, part))
		return true;
	printf("\n    got: %s", desk.ctx.msg);
	return false;
}

/* rc is err, and the sentence has all the parts. */
#define REFUSED(err, call, ...) refused(err, call, (const char *const[]){__VA_ARGS__, NULL})
static inline void refused(int err, int rc, const char *const *parts)
{
	CU_ASSERT_EQUAL(rc, err);
	for (; *parts; parts++)
		CU_ASSERT_TRUE(says(*parts));
}

#endif
