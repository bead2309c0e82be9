// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/files.h"

#include "treeroot.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "test.h"

struct fx {
	struct unc_ctx ctx;
	struct tree all; /* has a folder "in", which is the root, and a file "secret" beside it */
	struct tree in;
	struct unc_linux_root root;
	unsigned open_before;
};

static void fx_open(struct fx *fx, bool walks)
{
	*fx = (struct fx){.ctx = {.msg = ""}, .open_before = open_files(), .all = tree_new()};
	tree_text(&fx->all, "secret", "outside");
	tree_text(&fx->all, "in/secret", "inside");
	tree_text(&fx->all, "in/a/b/c", "c");
	snprintf(fx->in.root, sizeof(fx->in.root), "%.480s/in", fx->all.root);
	fx->root = tree_as_root(&fx->in);
	fx->root.walks = walks;
}

static void fx_close(struct fx *fx)
{
	unc_linux_root_close(&fx->root);
	tree_remove(&fx->all);
	CU_ASSERT_EQUAL(open_files(), fx->open_before);
}

static void add_link(struct fx *fx, const char *name, const char *target)
{
	struct tree_path path = tree_path(&fx->in, name);

	CU_ASSERT_EQUAL_FATAL(symlink(target, path.text), 0);
}

static int open_at(struct fx *fx, const char *name, int flags)
{
	return unc_linux_open(&fx->root, tree_path(&fx->in, name).text, flags);
}

/* What the file of that path has in it; or the name of an errno. */
static const char *read_at(struct fx *fx, const char *name)
{
	static char text[64];
	int fd = open_at(fx, name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? "ENOENT" : errno == ELOOP ? "ELOOP" : errno == ENOTDIR ? "ENOTDIR" : "other";
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	return text;
}

/* The kernel's way, and the one that goes without openat2(): both find the same. */
TEST(no_path_leads_out_of_the_root)
{
	char absolute[1200];

	for (int walks = 0; walks < 2; walks++) {
		struct fx fx;

		fx_open(&fx, walks);
		snprintf(absolute, sizeof(absolute), "%s/secret", fx.all.root);
		add_link(&fx, "up", "../secret");
		add_link(&fx, "far", "../../../../../../../../secret");
		add_link(&fx, "abs", "/secret");
		add_link(&fx, "out", absolute);
		add_link(&fx, "a/dir", "..");
		add_link(&fx, "a/top", "/");
		add_link(&fx, "loop", "loop");
		add_link(&fx, "dots", "a/./b/../b//c");
		add_link(&fx, "a/passwd", "/etc/passwd");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "up"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "far"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "abs"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "out"), "ENOENT");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "../secret"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "a/dir/secret"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "a/top/a/dir/dots"), "c");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "a/b/c"), "c");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "a/passwd"), "ENOENT");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "loop"), "ELOOP");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "secret/x"), "ENOTDIR");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "up/x"), "ENOTDIR");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, "none"), "ENOENT");
		CU_ASSERT_EQUAL(fx.root.walks, walks);
		fx_close(&fx);
	}
}

TEST(folders_links_and_what_is_there_are_looked_for_likewise)
{
	for (int walks = 0; walks < 2; walks++) {
		const char *const *names;
		struct fx fx;
		char *text;
		size_t n;

		fx_open(&fx, walks);
		add_link(&fx, "a/link", "/a/b");
		add_link(&fx, "a/gone", "../../secret2");
		CU_ASSERT_TRUE(unc_linux_is_there(&fx.root, tree_path(&fx.in, "a/link/c").text));
		CU_ASSERT_TRUE(unc_linux_is_there(&fx.root, fx.in.root));
		CU_ASSERT_FALSE(unc_linux_is_there(&fx.root, tree_path(&fx.in, "a/gone").text));
		CU_ASSERT_EQUAL_FATAL(
			unc_linux_dir_list(&fx.ctx, &fx.root, tree_path(&fx.in, "a/link/.").text, &names, &n), 0);
		CU_ASSERT_TRUE(n == 1 && strcmp(names[0], "c") == 0);
		free((void *)names);
		CU_ASSERT_EQUAL_FATAL(unc_linux_link_read(&fx.ctx, &fx.root, tree_path(&fx.in, "a/gone").text, &text),
				      0);
		CU_ASSERT_STRING_EQUAL(text, "../../secret2");
		free(text);
		CU_ASSERT_EQUAL(unc_linux_link_read(&fx.ctx, &fx.root, tree_path(&fx.in, "a/b").text, &text),
				UNC_ENODEV);
		CU_ASSERT_PTR_NOT_NULL(strstr(fx.ctx.msg, "not a symbolic link"));
		fx_close(&fx);
	}
}

TEST(deep_and_long_paths_are_refused)
{
	char deep[600] = "a";

	for (unsigned i = 0; i < 200; i++)
		strcat(deep, "/b");
	for (int walks = 0; walks < 2; walks++) {
		struct fx fx;

		fx_open(&fx, walks);
		add_link(&fx, "a/b/b", ".");
		CU_ASSERT_STRING_EQUAL(read_at(&fx, deep), "ELOOP"); /* 40 links are too many */
		fx_close(&fx);
	}
}

TEST(a_fifo_or_a_socket_is_not_waited_for)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct fx fx;
	char *text;
	int fd;

	fx_open(&fx, false);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/socket", fx.in.root);
	CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CU_ASSERT_EQUAL_FATAL(mkfifo(tree_path(&fx.in, "fifo").text, 0600), 0);
	CU_ASSERT_EQUAL(
		unc_linux_file_read(&fx.ctx, &fx.root, tree_path(&fx.in, "fifo").text, 10, UNC_TRUST_ANY, &text, NULL),
		UNC_EIO);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx.ctx.msg, "not a regular file"));
	CU_ASSERT_EQUAL(unc_os_file_read(&fx.ctx, tree_path(&fx.in, "fifo").text, 10, UNC_TRUST_ANY, &text, NULL),
			UNC_EIO);
	CU_ASSERT_TRUE(unc_os_file_read(&fx.ctx, tree_path(&fx.in, "socket").text, 10, UNC_TRUST_ANY, &text, NULL) < 0);
	CU_ASSERT_EQUAL(unc_os_file_read(&fx.ctx, "/dev/zero", 10, UNC_TRUST_ANY, &text, NULL), UNC_EIO);
	close(fd);
	fx_close(&fx);
}

/* ---- writing ---- */

static int may_write(struct fx *fx, const char *name)
{
	struct tree_path path = tree_path(&fx->in, name);
	int fd = unc_linux_open(&fx->root, path.text, O_RDWR), rc;

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	fx->ctx.msg[0] = '\0';
	rc = unc_linux_may_write(&fx->ctx, &fx->root, path.text, fd, 202);
	close(fd);
	return rc;
}

static bool says(const struct fx *fx, const char *part)
{
	if (strstr(fx->ctx.msg, part))
		return true;
	printf("\n    got: %s", fx->ctx.msg);
	return false;
}

TEST(a_file_of_ones_own_is_written_also_through_links_of_ones_own)
{
	for (int walks = 0; walks < 2; walks++) {
		struct fx fx;

		fx_open(&fx, walks);
		add_link(&fx, "link", "/a/b");
		CU_ASSERT_EQUAL(may_write(&fx, "secret"), UNC_OK);
		CU_ASSERT_EQUAL(may_write(&fx, "link/c"), UNC_OK);
		CU_ASSERT_EQUAL(may_write(&fx, "a/b/c"), UNC_OK);
		fx_close(&fx);
	}
}

TEST(a_file_with_a_second_name_is_not_written)
{
	struct fx fx;

	fx_open(&fx, false);
	CU_ASSERT_EQUAL_FATAL(link(tree_path(&fx.all, "secret").text, tree_path(&fx.in, "config").text), 0);
	CU_ASSERT_EQUAL(may_write(&fx, "config"), UNC_EPERM);
	CU_ASSERT_TRUE(says(&fx, "in/config: not written: this file has a second name (a hard link)"));
	fx_close(&fx);
}

TEST(what_is_neither_device_nor_regular_file_is_not_written)
{
	struct fx fx;

	fx_open(&fx, false);
	CU_ASSERT_EQUAL_FATAL(mkfifo(tree_path(&fx.in, "msr").text, 0600), 0);
	CU_ASSERT_EQUAL(may_write(&fx, "msr"), UNC_EPERM);
	CU_ASSERT_TRUE(says(&fx, "not a register's file"));
	fx_close(&fx);
}

static void give(struct fx *fx, const char *name)
{
	CU_ASSERT_EQUAL_FATAL(lchown(tree_path(&fx->in, name).text, 65534, 65534), 0);
}

static bool is_root(const char *test)
{
	if (geteuid() != 0)
		printf("\n    skip %s: only root has files of others", test);
	return geteuid() == 0;
}

TEST(a_device_of_another_driver_is_not_written)
{
	struct tree_path path;
	struct fx fx;

	if (!is_root(__func__))
		return;
	fx_open(&fx, false);
	path = tree_path(&fx.in, "msr");
	if (mknod(path.text, S_IFCHR | 0600, makedev(1, 3)) == 0) { /* null */
		CU_ASSERT_EQUAL(may_write(&fx, "msr"), UNC_EPERM);
		CU_ASSERT_TRUE(says(&fx, "not a register's file"));
	}
	fx_close(&fx);
}

/* The attack: in a folder of another user, a link leads to a file that belongs to root. */
TEST(what_others_can_change_is_not_written)
{
	for (int walks = 0; walks < 2 && is_root(__func__); walks++) {
		struct fx fx;

		fx_open(&fx, walks);
		give(&fx, "a/b/c");
		CU_ASSERT_EQUAL(may_write(&fx, "a/b/c"), UNC_EPERM);
		CU_ASSERT_TRUE(says(&fx, "this file belongs to another user"));
		tree_text(&fx.in, "d/config", "of root's");
		add_link(&fx, "a/link", "/secret");
		give(&fx, "a");
		CU_ASSERT_EQUAL(may_write(&fx, "a/link"), UNC_EPERM);
		CU_ASSERT_TRUE(says(&fx, "other users can change a folder or a link on the way"));
		CU_ASSERT_EQUAL(may_write(&fx, "d/config"), UNC_OK);
		fx_close(&fx);
	}
}

TEST(the_folders_above_are_safe_from_others)
{
	struct fx fx;

	if (!is_root(__func__))
		return;
	fx_open(&fx, false);
	CU_ASSERT_EQUAL(chmod(fx.in.root, 01777), 0);
	CU_ASSERT_EQUAL(may_write(&fx, "secret"), UNC_EPERM); /* others could make "sys" */
	CU_ASSERT_TRUE(says(&fx, "in/: others than root and you can change this folder (user 0, mode 1777)"));
	CU_ASSERT_EQUAL(chmod(fx.in.root, 0755), 0);
	CU_ASSERT_EQUAL(chmod(fx.all.root, 0777), 0);
	CU_ASSERT_EQUAL(may_write(&fx, "secret"), UNC_EPERM); /* others could rename "in" */
	CU_ASSERT_TRUE(says(&fx, "in/..: "));
	CU_ASSERT_EQUAL(chmod(fx.all.root, 01777), 0);
	CU_ASSERT_EQUAL(chown(fx.in.root, 65534, 65534), 0);
	CU_ASSERT_EQUAL(may_write(&fx, "secret"), UNC_EPERM);
	CU_ASSERT_TRUE(says(&fx, "(user 65534, mode 0755)"));
	CU_ASSERT_EQUAL(chown(fx.in.root, 0, 0), 0);
	CU_ASSERT_EQUAL(may_write(&fx, "secret"), UNC_OK); /* as /tmp is */
	fx_close(&fx);
}
