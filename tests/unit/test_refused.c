// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/fail.h"

#include "treeroot.h"
#include "test.h"

static const struct unc_linux_rights full = {.uid = 0, .raw_io = true, .admin = true};
static const struct unc_linux_rights container = {.uid = 0};
static const struct unc_linux_rights user = {.uid = 1000};

struct question {
	const struct unc_linux_rights *rights;
	enum unc_linux_deed deed;
	bool msr;
	int errnum;
};

static bool why(const struct tree *tree, struct question question, const char *part)
{
	struct unc_linux_root root = tree_as_root(tree);
	struct unc_linux_refusal refusal = {
		.root = &root,
		.path = "/some/file",
		.deed = question.deed,
		.msr = question.msr,
		.errnum = question.errnum,
	};
	char buf[512];

	unc_linux_refused_why(&refusal, question.rights, buf, sizeof(buf));
	unc_linux_root_close(&root);
	if (strstr(buf, part))
		return true;
	printf("\n    got: %s", buf);
	return false;
}

static void set_lockdown(const struct tree *tree, const char *text)
{
	tree_text(tree, "sys/kernel/security/lockdown", text);
}

static void set_allow_writes(const struct tree *tree, const char *text)
{
	tree_text(tree, "sys/module/msr/parameters/allow_writes", text);
}

TEST(a_user_is_told_to_be_root)
{
	struct tree tree = tree_new();

	set_lockdown(&tree, "none [integrity] confidentiality\n");
	set_allow_writes(&tree, "off\n");
	CU_ASSERT_TRUE(why(&tree, (struct question){&user, UNC_LINUX_OPEN_READ, true, EACCES}, "needs root"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&user, UNC_LINUX_OPEN_WRITE, false, EACCES}, "user 1000"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&user, UNC_LINUX_OPEN_READ, true, EPERM}, "sudo"));
	tree_remove(&tree);
}

TEST(a_root_without_the_capability_is_told_which)
{
	struct tree tree = tree_new();

	CU_ASSERT_TRUE(why(&tree, (struct question){&container, UNC_LINUX_OPEN_READ, true, EPERM}, "CAP_SYS_RAWIO"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&container, UNC_LINUX_OPEN_READ, true, EACCES}, "dmesg"));
	tree_remove(&tree);
}

TEST(lockdown_is_named_for_what_it_forbids)
{
	struct tree tree = tree_new();

	set_lockdown(&tree, "[none] integrity confidentiality\n");
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_WRITE, true, EPERM}, "dmesg"));
	set_lockdown(&tree, "none [integrity] confidentiality\n");
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_WRITE, true, EPERM}, "Secure Boot"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_WRITE, false, EPERM}, "/security/lockdown"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_OPEN_READ, true, EPERM}, "locked down"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_READ, false, EPERM}, "dmesg"));
	set_lockdown(&tree, "none integrity [confidentiality]\n");
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_OPEN_WRITE, false, EPERM}, "locked down"));
	tree_remove(&tree);
}

TEST(the_write_filter_is_named_for_writes_of_msrs_only)
{
	struct tree tree = tree_new();

	set_allow_writes(&tree, "off\n");
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_WRITE, true, EPERM}, "msr.allow_writes=on"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_WRITE, false, EPERM}, "dmesg"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_READ, true, EPERM}, "dmesg"));
	set_allow_writes(&tree, "default\n");
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_WRITE, true, EPERM}, "dmesg"));
	set_allow_writes(&tree, "off\n");
	set_lockdown(&tree, "none [integrity] confidentiality\n");
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_WRITE, true, EPERM}, "locked down"));
	tree_remove(&tree);
}

TEST(what_a_write_leaves_behind_follows_from_the_filter)
{
	struct tree tree = tree_new();
	struct unc_linux_root root = tree_as_root(&tree);

	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_UNSEEN);
	set_allow_writes(&tree, "on\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_TAINT);
	set_allow_writes(&tree, "default\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_LOGGED);
	set_lockdown(&tree, "none [integrity] confidentiality\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_REFUSED);
	set_lockdown(&tree, "[none] integrity confidentiality\n");
	set_allow_writes(&tree, "off\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_REFUSED);
	unc_linux_root_close(&root);
	tree_remove(&tree);
}

TEST(a_read_only_mount_is_named_whoever_asks)
{
	struct tree tree = tree_new();

	CU_ASSERT_TRUE(why(&tree, (struct question){&user, UNC_LINUX_OPEN_WRITE, false, EROFS}, "remount,rw"));
	CU_ASSERT_TRUE(why(&tree, (struct question){&full, UNC_LINUX_OPEN_WRITE, false, EROFS}, "mounted read-only"));
	tree_remove(&tree);
}

TEST(sixty_four_bytes_have_three_reasons)
{
	char buf[256];

	CU_ASSERT_PTR_NOT_NULL(strstr(unc_linux_short_why(&user, buf, sizeof(buf)), "you are user 1000"));
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_linux_short_why(&container, buf, sizeof(buf)), "CAP_SYS_ADMIN"));
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_linux_short_why(&full, buf, sizeof(buf)), "copy"));
}

TEST(the_sentence_has_what_where_why_and_the_systems_name)
{
	struct tree tree = tree_new();
	struct unc_ctx ctx = {.msg = ""};
	struct unc_linux_root root = tree_as_root(&tree);
	struct unc_linux_refusal refusal = {
		.root = &root, .path = "/dev/cpu/3/msr", .deed = UNC_LINUX_WRITE, .msr = true, .errnum = EROFS};

	CU_ASSERT_EQUAL(unc_linux_refused(&ctx, &refusal, "cpu %u: write MSR 0x%x", 3, 0xc8f), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(ctx.os_name, "EROFS");
	CU_ASSERT_EQUAL(strncmp(ctx.msg,
				"cpu 3: write MSR 0xc8f: write to /dev/cpu/3/msr: Read-only file system: it is mounted",
				strlen("cpu 3: write MSR 0xc8f: write to /dev/cpu/3/msr: Read-only file system: it is "
				       "mounted")),
			0);
	unc_linux_root_close(&root);
	tree_remove(&tree);
}

static int rights_of_nobody(void *arg)
{
	struct unc_linux_rights rights = unc_linux_rights();

	(void)arg;
	return rights.uid == geteuid() && rights.uid != 0 && !rights.raw_io && !rights.admin ? 0 : 1;
}

TEST(another_user_has_no_rights)
{
	int rc = run_as_nobody(rights_of_nobody, NULL);

	if (rc == -1)
		printf("\n    skipped: cannot become another user");
	else
		CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(unc_linux_rights().uid, geteuid());
}
