// SPDX-License-Identifier: GPL-2.0-or-later
/* src/os/linux/folder.c and process.c */
#define _GNU_SOURCE
#include "base/err.h"
#include "base/os.h"
#include "tree.h"

#include <signal.h>

#include "test.h"

static struct {
	struct unc_ctx ctx;
	struct tree tree;
	char path[600];
	struct unc_os_folder *folder; /* or NULL */
} p;

static void begin(void)
{
	p.tree = tree_new();
	snprintf(p.path, sizeof(p.path), "%s/journals", p.tree.root);
	CU_ASSERT_EQUAL_FATAL(unc_os_folder_open(&p.ctx, p.path, true, &p.folder), UNC_OK);
}

static void end(void)
{
	unc_os_folder_close(p.folder);
	tree_remove(&p.tree);
}

EACH(begin, end)

static struct tree_path in_folder(const char *name)
{
	struct tree_path path;

	snprintf(path.text, sizeof(path.text), "%s/%s", p.path, name);
	return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(in_folder(name).text, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	CU_ASSERT_EQUAL(fchmod(fd, mode), 0);
	close(fd);
}

TEST(a_folder_is_made_for_us_alone)
{
	struct stat st;

	CU_ASSERT_EQUAL(lstat(p.path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode, S_IFDIR | 0700);
	CU_ASSERT_STRING_EQUAL(unc_os_folder_path(p.folder), p.path);
	unc_os_folder_close(p.folder);
	CU_ASSERT_EQUAL(unc_os_folder_open(&p.ctx, p.path, false, &p.folder), UNC_OK);
}

TEST(whether_one_could_be_made_is_told_and_none_is)
{
	struct tree_path path = in_folder("another"), further = in_folder("further/journals/");
	struct unc_os_folder *folder;

	CU_ASSERT_EQUAL(unc_os_folder_could(&p.ctx, path.text), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_folder_open(&p.ctx, path.text, false, &folder), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_os_folder_could(&p.ctx, further.text), UNC_ENODEV);
	CU_ASSERT_EQUAL(strncmp(p.ctx.msg, further.text, strlen(further.text)), 0);
}

TEST(no_folder_is_enodev_and_none_is_made_above_it)
{
	struct tree_path path = in_folder("further/journals");
	struct unc_os_folder *folder;

	for (int create = 0; create < 2; create++)
		CU_ASSERT_EQUAL(unc_os_folder_open(&p.ctx, path.text, create, &folder), UNC_ENODEV);
	CU_ASSERT_EQUAL(strncmp(p.ctx.msg, path.text, strlen(path.text)), 0);
}

static void refuses(const char *piece)
{
	struct unc_os_folder *folder;

	for (int create = 0; create < 2; create++) {
		CU_ASSERT_EQUAL(unc_os_folder_open(&p.ctx, p.path, create, &folder), UNC_EPERM);
		CU_ASSERT_EQUAL(strncmp(p.ctx.msg, p.path, strlen(p.path)), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(p.ctx.msg, piece));
	}
}

TEST(a_folder_that_others_can_reach_is_refused)
{
	static const mode_t modes[] = {0755, 0770, 0701, 0710, 01777};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		CU_ASSERT_EQUAL(chmod(p.path, modes[i]), 0);
		refuses("remove it after a look");
	}
}

TEST(a_link_or_a_file_in_its_place_is_refused)
{
	struct tree_path other = tree_path(&p.tree, "other");

	CU_ASSERT_EQUAL(rename(p.path, other.text), 0);
	CU_ASSERT_EQUAL(symlink(other.text, p.path), 0);
	refuses("symbolic link");
	unlink(p.path);
	CU_ASSERT_EQUAL(symlink("/nonexistent", p.path), 0);
	refuses("symbolic link");
	unlink(p.path);
	CU_ASSERT_EQUAL(mkfifo(p.path, 0600), 0);
	refuses("not a folder");
}

TEST(a_folder_of_another_user_is_refused)
{
	if (geteuid() == 0) {
		CU_ASSERT_EQUAL(chown(p.path, 12345, 0), 0);
		refuses("belongs to user 12345");
	}
}

static int try_read(const char *name, bool *ret_held)
{
	char *text = NULL;
	size_t len = 0;
	int rc = unc_os_folder_read(p.folder, name, 100, ret_held, &text, &len);

	if (rc == 0)
		CU_ASSERT_EQUAL(strlen(text), len);
	free(text);
	return rc;
}

TEST(only_plain_files_of_ours_are_read)
{
	bool held = true;

	write_file("good", "text", 0600);
	CU_ASSERT_EQUAL(try_read("good", &held), UNC_OK);
	CU_ASSERT_FALSE(held);
	write_file("open", "text", 0644);
	CU_ASSERT_EQUAL(try_read("open", NULL), UNC_EPERM);
	CU_ASSERT_EQUAL(symlink("good", in_folder("link").text), 0);
	CU_ASSERT_EQUAL(try_read("link", NULL), UNC_EPERM);
	CU_ASSERT_EQUAL(mkfifo(in_folder("pipe").text, 0600), 0);
	CU_ASSERT_EQUAL(try_read("pipe", NULL), UNC_EPERM);
	CU_ASSERT_EQUAL(try_read("none", NULL), UNC_ENODEV);
	CU_ASSERT_EQUAL(truncate(in_folder("good").text, 101), 0);
	CU_ASSERT_EQUAL(try_read("good", NULL), UNC_ERANGE);
}

TEST(it_is_listed_again_and_again)
{
	const char *const *names;
	size_t n;

	write_file("b", "", 0600);
	write_file("a", "", 0600);
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL_FATAL(unc_os_folder_list(p.folder, &names, &n), UNC_OK);
		CU_ASSERT_EQUAL_FATAL(n, 2);
		CU_ASSERT_STRING_EQUAL(names[0], "a");
		CU_ASSERT_STRING_EQUAL(names[1], "b");
		free((void *)names);
	}
}

TEST(what_is_held_no_other_holds)
{
	struct unc_os_held *held = NULL, *second = NULL;
	bool is_held = false;

	CU_ASSERT_EQUAL_FATAL(unc_os_folder_hold(p.folder, "new", true, &held), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_folder_hold(p.folder, "new", true, &second), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_os_folder_hold(p.folder, "new", false, &second), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_os_held_write(held, 0, "text", 4), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_held_write(held, 2, "st!", 3), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_held_sync(held), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_held_rename(held, "named"), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(unc_os_folder_hold(p.folder, "new", true, &second), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_held_rename(second, "named"), UNC_EBUSY);
	CU_ASSERT_EQUAL(unc_os_held_end(second, true), UNC_OK);
	CU_ASSERT_EQUAL(try_read("new", NULL), UNC_ENODEV);
	CU_ASSERT_EQUAL(try_read("named", &is_held), UNC_OK);
	CU_ASSERT_TRUE(is_held);
	CU_ASSERT_EQUAL(unc_os_held_end(held, false), UNC_OK);
	CU_ASSERT_EQUAL(try_read("named", &is_held), UNC_OK);
	CU_ASSERT_FALSE(is_held);
	CU_ASSERT_EQUAL_FATAL(unc_os_folder_hold(p.folder, "named", false, &held), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_held_end(held, true), UNC_OK);
	CU_ASSERT_EQUAL(try_read("named", NULL), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_os_folder_hold(p.folder, "named", false, &held), UNC_ENODEV);
}

TEST(the_one_that_was_taken_away_gets_no_name)
{
	struct unc_os_held *held = NULL;

	CU_ASSERT_EQUAL_FATAL(unc_os_folder_hold(p.folder, "new", true, &held), UNC_OK);
	unlink(in_folder("new").text);
	CU_ASSERT_EQUAL(unc_os_held_rename(held, "named"), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_os_held_end(held, true), UNC_OK);
}

TEST(a_killed_process_holds_nothing)
{
	struct unc_os_held *held = NULL;
	int ready[2];
	char byte;
	pid_t pid;

	CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (unc_os_folder_hold(p.folder, "new", true, &held) == 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
	CU_ASSERT_EQUAL(unc_os_folder_hold(p.folder, "new", false, &held), UNC_EBUSY);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CU_ASSERT_EQUAL_FATAL(unc_os_folder_hold(p.folder, "new", false, &held), UNC_OK);
	CU_ASSERT_EQUAL(unc_os_held_end(held, true), UNC_OK);
	close(ready[0]);
	close(ready[1]);
}

TEST(a_process_is_known_by_its_number_and_its_start)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_os_self self = {.pid = 0};

	CU_ASSERT_EQUAL_FATAL(unc_os_self(&ctx, &self), UNC_OK);
	CU_ASSERT_EQUAL(self.pid, (unsigned)getpid());
	CU_ASSERT_EQUAL(self.uid, (unsigned)geteuid());
	CU_ASSERT_TRUE(strlen(self.command) > 0);
	CU_ASSERT_TRUE(unc_os_process_lives(self.pid, self.start));
	CU_ASSERT_FALSE(unc_os_process_lives(self.pid, self.start + 1));
	CU_ASSERT_FALSE(unc_os_process_lives(4194305, self.start)); /* beyond the highest that Linux gives */
}
