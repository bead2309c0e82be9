// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/files.h"

#include "treeroot.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "test.h"

/* The desk's tree has a folder "in", which is the root, and a file "secret" beside it. */
static struct tree in;

static void begin(void)
{
	desk_begin();
	tree_text(&desk.tree, "secret", "outside");
	tree_text(&desk.tree, "in/secret", "inside");
	tree_text(&desk.tree, "in/a/b/c", "c");
	snprintf(in.root, sizeof(in.root), "%.480s/in", desk.tree.root);
	unc_linux_root_close(&desk.root);
	desk.root = tree_as_root(&in);
}

EACH(begin, desk_end)

static void anew(bool walks)
{
	desk_end();
	begin();
	desk.root.walks = walks;
}

static void add_link(const char *name, const char *target)
{
	struct tree_path path = tree_path(&in, name);

	CU_ASSERT_EQUAL_FATAL(symlink(target, path.text), 0);
}

static int open_at(const char *name, int flags)
{
	return unc_linux_open(&desk.root, tree_path(&in, name).text, flags);
}

/* What the file of that path has in it; or the name of an errno. */
static const char *read_at(const char *name)
{
	static char text[64];
	int fd = open_at(name, O_RDONLY);
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
		anew(walks);
		snprintf(absolute, sizeof(absolute), "%s/secret", desk.tree.root);
		add_link("up", "../secret");
		add_link("far", "../../../../../../../../secret");
		add_link("abs", "/secret");
		add_link("out", absolute);
		add_link("a/dir", "..");
		add_link("a/top", "/");
		add_link("loop", "loop");
		add_link("dots", "a/./b/../b//c");
		add_link("a/passwd", "/etc/passwd");
		CU_ASSERT_STRING_EQUAL(read_at("up"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at("far"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at("abs"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at("out"), "ENOENT");
		CU_ASSERT_STRING_EQUAL(read_at("../secret"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at("a/dir/secret"), "inside");
		CU_ASSERT_STRING_EQUAL(read_at("a/top/a/dir/dots"), "c");
		CU_ASSERT_STRING_EQUAL(read_at("a/b/c"), "c");
		CU_ASSERT_STRING_EQUAL(read_at("a/passwd"), "ENOENT");
		CU_ASSERT_STRING_EQUAL(read_at("loop"), "ELOOP");
		CU_ASSERT_STRING_EQUAL(read_at("secret/x"), "ENOTDIR");
		CU_ASSERT_STRING_EQUAL(read_at("up/x"), "ENOTDIR");
		CU_ASSERT_STRING_EQUAL(read_at("none"), "ENOENT");
		CU_ASSERT_EQUAL(desk.root.walks, walks);
	}
}

TEST(folders_links_and_what_is_there_are_looked_for_likewise)
{
	for (int walks = 0; walks < 2; walks++) {
		const char *const *names;
		struct unc_os_found link;
		size_t n;

		anew(walks);
		add_link("a/link", "/a/b");
		add_link("a/gone", "../../secret2");
		CU_ASSERT_TRUE(unc_linux_is_there(&desk.root, tree_path(&in, "a/link/c").text));
		CU_ASSERT_TRUE(unc_linux_is_there(&desk.root, in.root));
		CU_ASSERT_FALSE(unc_linux_is_there(&desk.root, tree_path(&in, "a/gone").text));
		CU_ASSERT_EQUAL_FATAL(
			unc_linux_dir_list(&desk.ctx, &desk.root, tree_path(&in, "a/link/.").text, &names, &n), 0);
		CU_ASSERT_TRUE(n == 1 && strcmp(names[0], "c") == 0);
		free((void *)names);
		CU_ASSERT_EQUAL_FATAL(unc_linux_look(&desk.ctx, &desk.root, UNC_LOOK_LINK,
						     tree_path(&in, "a/gone").text, SIZE_MAX, &link),
				      0);
		CU_ASSERT_STRING_EQUAL(link.text, "../../secret2");
		free(link.data);
		CU_ASSERT_EQUAL(unc_linux_look(&desk.ctx, &desk.root, UNC_LOOK_LINK, tree_path(&in, "a/b").text,
					       SIZE_MAX, &link),
				UNC_ENODEV);
		CU_ASSERT_TRUE(says("not a symbolic link"));
	}
}

TEST(deep_and_long_paths_are_refused)
{
	char deep[600] = "a";

	for (unsigned i = 0; i < 200; i++)
		strcat(deep, "/b");
	for (int walks = 0; walks < 2; walks++) {
		anew(walks);
		add_link("a/b/b", ".");
		CU_ASSERT_STRING_EQUAL(read_at(deep), "ELOOP"); /* 40 links are too many */
	}
}

TEST(a_fifo_or_a_socket_is_not_waited_for)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char *text;
	int fd;

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/socket", in.root);
	CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CU_ASSERT_EQUAL_FATAL(mkfifo(tree_path(&in, "fifo").text, 0600), 0);
	CU_ASSERT_EQUAL(
		unc_linux_file_read(&desk.ctx, &desk.root, tree_path(&in, "fifo").text, 10, UNC_TRUST_ANY, &text, NULL),
		UNC_EIO);
	CU_ASSERT_TRUE(says("not a regular file"));
	CU_ASSERT_EQUAL(unc_os_file_read(&desk.ctx, tree_path(&in, "fifo").text, 10, UNC_TRUST_ANY, &text, NULL),
			UNC_EIO);
	CU_ASSERT_TRUE(unc_os_file_read(&desk.ctx, tree_path(&in, "socket").text, 10, UNC_TRUST_ANY, &text, NULL) < 0);
	CU_ASSERT_EQUAL(unc_os_file_read(&desk.ctx, "/dev/zero", 10, UNC_TRUST_ANY, &text, NULL), UNC_EIO);
	close(fd);
}

/* ---- writing ---- */

static int may_write(const char *name)
{
	struct tree_path path = tree_path(&in, name);
	int fd = unc_linux_open(&desk.root, path.text, O_RDWR), rc;

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	desk.ctx.msg[0] = '\0';
	rc = unc_linux_may_write(&desk.ctx, &desk.root, path.text, fd, 202);
	close(fd);
	return rc;
}

TEST(a_file_of_ones_own_is_written_also_through_links_of_ones_own)
{
	for (int walks = 0; walks < 2; walks++) {
		anew(walks);
		add_link("link", "/a/b");
		CU_ASSERT_EQUAL(may_write("secret"), UNC_OK);
		CU_ASSERT_EQUAL(may_write("link/c"), UNC_OK);
		CU_ASSERT_EQUAL(may_write("a/b/c"), UNC_OK);
	}
}

TEST(a_file_with_a_second_name_is_not_written)
{
	CU_ASSERT_EQUAL_FATAL(link(tree_path(&desk.tree, "secret").text, tree_path(&in, "config").text), 0);
	REFUSED(UNC_EPERM, may_write("config"), "in/config: not written: this file has a second name (a hard link)");
}

TEST(what_is_neither_device_nor_regular_file_is_not_written)
{
	CU_ASSERT_EQUAL_FATAL(mkfifo(tree_path(&in, "msr").text, 0600), 0);
	REFUSED(UNC_EPERM, may_write("msr"), "not a register's file");
}

static void give(const char *name)
{
	CU_ASSERT_EQUAL_FATAL(lchown(tree_path(&in, name).text, 65534, 65534), 0);
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

	if (!is_root(__func__))
		return;
	path = tree_path(&in, "msr");
	if (mknod(path.text, S_IFCHR | 0600, makedev(1, 3)) == 0) { /* null */
		REFUSED(UNC_EPERM, may_write("msr"), "not a register's file");
	}
}

/* The attack: in a folder of another user, a link leads to a file that belongs to root. */
TEST(what_others_can_change_is_not_written)
{
	for (int walks = 0; walks < 2 && is_root(__func__); walks++) {
		anew(walks);
		give("a/b/c");
		REFUSED(UNC_EPERM, may_write("a/b/c"), "this file belongs to another user");
		tree_text(&in, "d/config", "of root's");
		add_link("a/link", "/secret");
		give("a");
		REFUSED(UNC_EPERM, may_write("a/link"), "other users can change a folder or a link on the way");
		CU_ASSERT_EQUAL(may_write("d/config"), UNC_OK);
	}
}

TEST(the_folders_above_are_safe_from_others)
{
	if (!is_root(__func__))
		return;
	CU_ASSERT_EQUAL(chmod(in.root, 01777), 0);
	CU_ASSERT_EQUAL(may_write("secret"), UNC_EPERM); /* others could make "sys" */
	CU_ASSERT_TRUE(says("in/: others than root and you can change this folder (user 0, mode 1777)"));
	CU_ASSERT_EQUAL(chmod(in.root, 0755), 0);
	CU_ASSERT_EQUAL(chmod(desk.tree.root, 0777), 0);
	CU_ASSERT_EQUAL(may_write("secret"), UNC_EPERM); /* others could rename "in" */
	CU_ASSERT_TRUE(says("in/..: "));
	CU_ASSERT_EQUAL(chmod(desk.tree.root, 01777), 0);
	CU_ASSERT_EQUAL(chown(in.root, 65534, 65534), 0);
	REFUSED(UNC_EPERM, may_write("secret"), "(user 65534, mode 0755)");
	CU_ASSERT_EQUAL(chown(in.root, 0, 0), 0);
	CU_ASSERT_EQUAL(may_write("secret"), UNC_OK); /* as /tmp is */
}
