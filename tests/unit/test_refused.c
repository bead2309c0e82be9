// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/fail.h"

#include "treeroot.h"
#include "test.h"

static const struct unc_linux_rights full = {.uid = 0, .raw_io = true, .admin = true};
static const struct unc_linux_rights container = {.uid = 0};
static const struct unc_linux_rights user = {.uid = 1000};

static struct tree tree;

static void begin(void)
{
	tree = tree_new();
}

static void end(void)
{
	tree_remove(&tree);
}

EACH(begin, end)

/* What is said when a file is refused. */
static void why(const struct unc_linux_rights *rights, enum unc_linux_deed deed, bool msr, int errnum, const char *part)
{
	struct unc_linux_root root = tree_as_root(&tree);
	struct unc_linux_refusal refusal = {
		.root = &root, .path = "/some/file", .deed = deed, .msr = msr, .errnum = errnum};
	char buf[512];

	unc_linux_refused_why(&refusal, rights, buf, sizeof(buf));
	unc_linux_root_close(&root);
	if (!strstr(buf, part))
		printf("\n    got: %s", buf);
	CU_ASSERT_PTR_NOT_NULL(strstr(buf, part));
}

static void set_lockdown(const char *text)
{
	tree_text(&tree, "sys/kernel/security/lockdown", text);
}

static void set_allow_writes(const char *text)
{
	tree_text(&tree, "sys/module/msr/parameters/allow_writes", text);
}

TEST(a_user_is_told_to_be_root)
{
	set_lockdown("none [integrity] confidentiality\n");
	set_allow_writes("off\n");
	why(&user, UNC_LINUX_OPEN_READ, true, EACCES, "needs root");
	why(&user, UNC_LINUX_OPEN_WRITE, false, EACCES, "user 1000");
	why(&user, UNC_LINUX_OPEN_READ, true, EPERM, "sudo");
}

TEST(a_root_without_the_capability_is_told_which)
{
	why(&container, UNC_LINUX_OPEN_READ, true, EPERM, "CAP_SYS_RAWIO");
	why(&container, UNC_LINUX_OPEN_READ, true, EACCES, "dmesg");
}

TEST(lockdown_is_named_for_what_it_forbids)
{
	set_lockdown("[none] integrity confidentiality\n");
	why(&full, UNC_LINUX_WRITE, true, EPERM, "dmesg");
	set_lockdown("none [integrity] confidentiality\n");
	why(&full, UNC_LINUX_WRITE, true, EPERM, "Secure Boot");
	why(&full, UNC_LINUX_WRITE, false, EPERM, "/security/lockdown");
	why(&full, UNC_LINUX_OPEN_READ, true, EPERM, "locked down");
	why(&full, UNC_LINUX_READ, false, EPERM, "dmesg");
	set_lockdown("none integrity [confidentiality]\n");
	why(&full, UNC_LINUX_OPEN_WRITE, false, EPERM, "locked down");
}

TEST(the_write_filter_is_named_for_writes_of_msrs_only)
{
	set_allow_writes("off\n");
	why(&full, UNC_LINUX_WRITE, true, EPERM, "msr.allow_writes=on");
	why(&full, UNC_LINUX_WRITE, false, EPERM, "dmesg");
	why(&full, UNC_LINUX_READ, true, EPERM, "dmesg");
	set_allow_writes("default\n");
	why(&full, UNC_LINUX_WRITE, true, EPERM, "dmesg");
	set_allow_writes("off\n");
	set_lockdown("none [integrity] confidentiality\n");
	why(&full, UNC_LINUX_WRITE, true, EPERM, "locked down");
}

TEST(what_a_write_leaves_behind_follows_from_the_filter)
{
	struct unc_linux_root root = tree_as_root(&tree);

	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_UNSEEN);
	set_allow_writes("on\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_TAINT);
	set_allow_writes("default\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_LOGGED);
	set_lockdown("none [integrity] confidentiality\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_REFUSED);
	set_lockdown("[none] integrity confidentiality\n");
	set_allow_writes("off\n");
	CU_ASSERT_EQUAL(unc_linux_msr_writes(&root), UNC_LINUX_WRITES_REFUSED);
	unc_linux_root_close(&root);
}

TEST(a_read_only_mount_is_named_whoever_asks)
{
	why(&user, UNC_LINUX_OPEN_WRITE, false, EROFS, "remount,rw");
	why(&full, UNC_LINUX_OPEN_WRITE, false, EROFS, "mounted read-only");
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
	struct unc_ctx ctx = {.msg = ""};
	struct unc_linux_root root = tree_as_root(&tree);
	struct unc_linux_refusal refusal = {
		.root = &root, .path = "/dev/cpu/3/msr", .deed = UNC_LINUX_WRITE, .msr = true, .errnum = EROFS};

	CU_ASSERT_EQUAL(unc_linux_refused(&ctx, &refusal, "cpu %u: write MSR 0x%x", 3, 0xc8f), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(ctx.os_name, "EROFS");
	CU_ASSERT_PTR_EQUAL(strstr(ctx.msg, "cpu 3: write MSR 0xc8f: write to /dev/cpu/3/msr: Read-only file system: "
					    "it is mounted"),
			    ctx.msg);
	unc_linux_root_close(&root);
}

static int rights_of_nobody(void *arg)
{
	struct unc_linux_rights rights = unc_linux_rights();

	(void)arg;
	return rights.uid == geteuid() && rights.uid != 0 && !rights.raw_io && !rights.admin ? 0 : 1;
}

TEST(another_user_has_no_rights)
{
	passes_as_nobody(rights_of_nobody, NULL);
	CU_ASSERT_EQUAL(unc_linux_rights().uid, geteuid());
}
