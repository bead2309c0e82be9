// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

static struct unc_ctx *ctx;

static void begin(void)
{
	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
}

static void end(void)
{
	unc_free(ctx);
}

EACH(begin, end)

TEST(before_the_first_failure_the_sentence_is_empty)
{
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "");
	unc_free(NULL);
}

TEST(failing_returns_the_code_and_leaves_the_sentence)
{
	CU_ASSERT_EQUAL(unc_fail(ctx, UNC_EIO, "cpu %u: read MSR 0x%x", 3u, 0xc8fu), UNC_EIO);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "cpu 3: read MSR 0xc8f");
	CU_ASSERT_EQUAL(unc_fail(ctx, UNC_EPERM, "other"), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "other");
}

TEST(each_level_puts_itself_in_front)
{
	int rc = unc_fail(ctx, UNC_EIO, "read 0xa8");

	rc = unc_wrap(ctx, rc, "pci %s", "0000:7f:10.4");
	rc = unc_wrap(ctx, rc, "CTR[%u]", 1u);
	CU_ASSERT_EQUAL(rc, UNC_EIO);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "CTR[1]: pci 0000:7f:10.4: read 0xa8");
}

TEST(wrapping_success_changes_nothing)
{
	unc_fail(ctx, UNC_EIO, "old");
	CU_ASSERT_EQUAL(unc_wrap(ctx, 0, "level"), 0);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "old");
}

TEST(a_sentence_may_be_made_of_the_former_one)
{
	unc_fail(ctx, UNC_EIO, "inner");
	unc_fail(ctx, UNC_ENODEV, "outer of %s", unc_errmsg(ctx));
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "outer of inner");
	unc_wrap(ctx, UNC_ENODEV, "<%s>", unc_errmsg(ctx));
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "<outer of inner>: outer of inner");
}

TEST(a_longer_sentence_is_cut)
{
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	unc_fail(ctx, UNC_EIO, "%s", text);
	CU_ASSERT_EQUAL(strlen(unc_errmsg(ctx)), UNC_MSG_MAX - 1);
	unc_wrap(ctx, UNC_EIO, "level");
	CU_ASSERT_EQUAL(strlen(unc_errmsg(ctx)), UNC_MSG_MAX - 1);
	CU_ASSERT_TRUE(strncmp(unc_errmsg(ctx), "level: xxx", 10) == 0);
	unc_wrap(ctx, UNC_EIO, "%s", text);
	CU_ASSERT_EQUAL(strlen(unc_errmsg(ctx)), UNC_MSG_MAX - 1);
}

TEST(a_sentence_is_one_line)
{
	unc_fail(ctx, UNC_EARG, "no \"%s\"", "a\nb\x1b[1m\x7f\xc3\xa4");
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "no \"a\\x0ab\\x1b[1m\\x7f\xc3\xa4\"");
	unc_wrap(ctx, UNC_EARG, "file \"%s\"", "x\ty\r");
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "file \"x\\x09y\\x0d\": no \"a\\x0ab\\x1b[1m\\x7f\xc3\xa4\"");
}

TEST(a_failure_keeps_the_name_the_system_gave_it)
{
	int rc = unc_fail_named(ctx, UNC_EIO, "ENXIO", "cpu %d", 9);

	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "cpu 9");
	rc = unc_wrap(ctx, rc, "level");
	CU_ASSERT_STRING_EQUAL(unc_err_name(ctx, rc), "ENXIO");
	rc = unc_fail(ctx, UNC_ENODEV, "another");
	CU_ASSERT_STRING_EQUAL(unc_err_name(ctx, rc), "ENODEV");
}

TEST(every_code_has_a_name)
{
	static const struct {
		int err;
		const char *name;
	} names[] = {
		{UNC_ENOMEM, "ENOMEM"}, {UNC_EARG, "EINVAL"},   {UNC_EPERM, "EPERM"}, {UNC_ENODEV, "ENODEV"},
		{UNC_EIO, "EIO"},       {UNC_ERANGE, "EINVAL"}, {UNC_EBUSY, "EBUSY"}, {UNC_EAGAIN, "EAGAIN"},
		{UNC_EDENIED, "EPERM"}, {UNC_ENODATA, "EIO"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CU_ASSERT_STRING_EQUAL(unc_err_name(ctx, names[i].err), names[i].name);
}

TEST(cleaning_up_can_keep_the_first_sentence)
{
	struct unc_saved_msg saved;

	unc_fail_named(ctx, UNC_EIO, "EREMOTEIO", "first");
	unc_msg_save(ctx, &saved);
	unc_fail(ctx, UNC_EPERM, "second");
	unc_msg_restore(ctx, &saved);
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "first");
	CU_ASSERT_STRING_EQUAL(unc_err_name(ctx, UNC_EIO), "EREMOTEIO");
}

static void hear(void *arg, const char *sentence)
{
	snprintf(arg, 64, "%s", sentence);
}

TEST(a_note_goes_to_the_log_and_is_no_failure)
{
	char heard[64] = "";

	unc_note(ctx, "not heard %d", 1);
	unc_set_log(ctx, hear, heard);
	unc_note(ctx, "heard %d", 2);
	CU_ASSERT_STRING_EQUAL(heard, "heard 2");
	CU_ASSERT_STRING_EQUAL(unc_errmsg(ctx), "");
	unc_set_log(ctx, NULL, NULL);
	unc_note(ctx, "not heard %d", 3);
	CU_ASSERT_STRING_EQUAL(heard, "heard 2");
}
