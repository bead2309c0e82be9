// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/field.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "test.h"

static struct unc_field fields[] = {
	{.name = "thresh", .hi = 31, .lo = 24, .acc = UNC_RW},
	{.name = "must", .hi = 23, .lo = 22, .acc = UNC_RSVD, .write = 2},
	{.name = "state", .hi = 21, .lo = 20, .acc = UNC_RO},
	{.name = "wrapped", .hi = 19, .lo = 19, .acc = UNC_RW1C},
	{.name = "rsv", .hi = 18, .lo = 17, .acc = UNC_RSVD},
	{.name = "en", .hi = 16, .lo = 16, .acc = UNC_RW},
	{.name = "rst", .hi = 15, .lo = 15, .acc = UNC_WO},
	{.name = "ev_sel", .hi = 7, .lo = 0, .acc = UNC_RW}, /* no field has 14:8 */
};
static const struct unc_reg reg = {
	.name = "CTL", .bits = 32, .count = 1, .write_whole = true, .fields = fields, .n_fields = 8};

static const struct unc_field *field(const char *name)
{
	for (size_t i = 0; i < reg.n_fields; i++) {
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	}
	return NULL;
}

TEST(a_field_is_got_and_set_where_its_bits_are)
{
	static const struct {
		unsigned hi, lo;
		uint64_t reg, value, other, after; /* value is what is read; other is set over it */
	} cases[] = {
		{0, 0, 1, 1, 0, 0},
		{7, 0, 0x12345678, 0x78, 0xff, 0x123456ff},
		{31, 24, 0x12345678, 0x12, 0, 0x345678},
		{22, 22, UINT64_C(1) << 22, 1, 0, 0},
		{63, 63, UINT64_C(1) << 63, 1, 0, 0},
		{63, 0, UINT64_MAX, UINT64_MAX, 5, 5},
		{47, 0, UINT64_C(0xffff000000000001), 1, UINT64_C(0xffffffffffff), UINT64_MAX},
		{63, 48, UINT64_C(0xabcd000000000001), 0xabcd, 1, UINT64_C(0x0001000000000001)},
	};
	struct unc_ctx ctx = {.msg = ""};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_field f = {.name = "f", .hi = cases[i].hi, .lo = cases[i].lo};
		uint64_t value = cases[i].reg;

		CU_ASSERT_EQUAL(unc_field_get(&f, value), cases[i].value);
		CU_ASSERT_EQUAL(unc_field_set(&ctx, &f, cases[i].other, &value), 0);
		CU_ASSERT_EQUAL(value, cases[i].after);
	}
}

TEST(masks_and_largest_values_follow_from_the_bits)
{
	struct unc_field all = {.hi = 63, .lo = 0}, one = {.hi = 63, .lo = 63}, wrong = {.hi = 3, .lo = 5};

	CU_ASSERT_EQUAL(unc_field_mask(field("thresh")), 0xff000000);
	CU_ASSERT_EQUAL(unc_field_max(field("thresh")), 0xff);
	CU_ASSERT_EQUAL(unc_field_mask(field("en")), 0x10000);
	CU_ASSERT_EQUAL(unc_field_mask(&all), UINT64_MAX);
	CU_ASSERT_EQUAL(unc_field_mask(&one), UINT64_C(1) << 63);
	CU_ASSERT_EQUAL(unc_field_mask(&wrong), 0);
}

TEST(a_value_that_does_not_fit_leaves_the_register_alone)
{
	struct unc_ctx ctx = {.msg = ""};
	uint64_t value = 0x1234;

	CU_ASSERT_EQUAL(unc_field_set(&ctx, field("en"), 2, &value), UNC_ERANGE);
	CU_ASSERT_EQUAL(value, 0x1234);
	CU_ASSERT_STRING_EQUAL(ctx.msg, "en: 0x2 does not fit into bits 16:16; the largest value is 0x1");
	CU_ASSERT_EQUAL(unc_field_set(&ctx, field("thresh"), 0x100, &value), UNC_ERANGE);
	CU_ASSERT_EQUAL(unc_field_set(&ctx, field("thresh"), UINT64_MAX, &value), UNC_ERANGE);
	CU_ASSERT_EQUAL(value, 0x1234);
}

/* AMD's data fabric: bits 7:0 of an event are in one field, 11:8 and 13:12 in two others. */
TEST(a_value_may_be_spread_over_fields)
{
	struct unc_field parts[] = {
		{.name = "ev_sel_top", .hi = 60, .lo = 59, .acc = UNC_RW},
		{.name = "ev_sel_hi", .hi = 35, .lo = 32, .acc = UNC_RW},
		{.name = "umask_hi", .hi = 27, .lo = 24, .acc = UNC_RSVD},
		{.name = "umask", .hi = 15, .lo = 8, .acc = UNC_RW},
		{.name = "ev_sel", .hi = 7, .lo = 0, .acc = UNC_RW},
	};
	const struct unc_reg ctl = {.name = "CTL", .bits = 64, .count = 1, .fields = parts, .n_fields = 5};
	struct unc_ctx ctx = {.msg = ""};
	uint64_t value = UINT64_MAX;

	CU_ASSERT_EQUAL(unc_value_max(&ctl, "ev_sel"), 0x3fff);
	CU_ASSERT_EQUAL(unc_value_max(&ctl, "umask"), 0xff); /* what is reserved takes no part */
	CU_ASSERT_EQUAL(unc_value_max(&ctl, "en"), 0);
	CU_ASSERT_EQUAL(unc_value_set(&ctx, &ctl, "ev_sel", 0x2107, &value), 0);
	CU_ASSERT_EQUAL(value, UINT64_C(0xf7fffff1ffffff07));
	CU_ASSERT_EQUAL(unc_value_get(&ctl, "ev_sel", value), 0x2107);
	CU_ASSERT_EQUAL(unc_value_get(&ctl, "umask", value), 0xff);
	CU_ASSERT_EQUAL(unc_value_get(&ctl, "en", value), 0);
	CU_ASSERT_EQUAL(unc_value_set(&ctx, &ctl, "ev_sel", 0x4000, &value), UNC_ERANGE);
	CU_ASSERT_STRING_EQUAL(ctx.msg, "ev_sel: 0x4000 does not fit; the largest value is 0x3fff");
	CU_ASSERT_EQUAL(unc_value_set(&ctx, &ctl, "en", 1, &value), UNC_ENOREG);
	CU_ASSERT_EQUAL(value, UINT64_C(0xf7fffff1ffffff07));
}

TEST(a_register_knows_its_bits_by_access)
{
	CU_ASSERT_EQUAL(unc_reg_all(&reg), 0xffffffff);
	CU_ASSERT_EQUAL(unc_reg_mask(&reg, UNC_RW), 0xff0100ff);
	CU_ASSERT_EQUAL(unc_reg_mask(&reg, UNC_RO), 0x300000);
	CU_ASSERT_EQUAL(unc_reg_mask(&reg, UNC_WO), 0x8000);
	CU_ASSERT_EQUAL(unc_reg_mask(&reg, UNC_RW1C), 0x80000);
	CU_ASSERT_EQUAL(unc_reg_mask(&reg, UNC_RSVD), 0xc60000);
	CU_ASSERT_EQUAL(unc_reg_readback_mask(&reg), 0xff0100ff);
	CU_ASSERT_EQUAL(unc_reg_blank(&reg), 0x800000);
	CU_ASSERT_TRUE(unc_reg_writable(&reg));
}

TEST(what_the_map_wants_may_be_written)
{
	struct unc_ctx ctx = {.msg = ""};

	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, &reg, 0x800000), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, &reg, 0xff8980ff), 0);
}

static void denied(uint64_t value, const char *sentence)
{
	struct unc_ctx ctx = {.msg = ""};

	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, &reg, value), UNC_EDENIED);
	CU_ASSERT_STRING_EQUAL(ctx.msg, sentence);
}

TEST(reserved_unnamed_and_read_only_bits_are_denied)
{
	denied(0, "CTL: bits 23:22 are reserved and must be written 0x2, not 0x0");
	denied(0xc00000, "CTL: bits 23:22 are reserved and must be written 0x2, not 0x3");
	denied(0x820000, "CTL: bits 18:17 are reserved and must be written 0x0, not 0x1");
	denied(0x900000, "CTL.state: is read-only; write 0 there, not 0x1");
	denied(0x800100, "CTL: the map names no bits 0x100; write 0 there");
	denied(UINT64_C(0x100800000), "CTL: the map names no bits 0x100000000; write 0 there");
}

TEST(a_register_that_is_not_to_be_used_is_denied)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_field ro = {.name = "x", .hi = 31, .lo = 0, .acc = UNC_RO};
	struct unc_reg status = {.name = "STATUS", .bits = 32, .fields = &ro, .n_fields = 1}, never = reg;

	never.never = true;
	CU_ASSERT_FALSE(unc_reg_writable(&never));
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, &never, 0x800000), UNC_EDENIED);
	CU_ASSERT_STRING_EQUAL(ctx.msg, "CTL: the map says it is never to be used");
	CU_ASSERT_FALSE(unc_reg_writable(&status));
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, &status, 0), UNC_EDENIED);
	CU_ASSERT_STRING_EQUAL(ctx.msg, "STATUS: the map names no bit in it that can be written");
}

TEST(a_value_is_told_field_by_field)
{
	char buf[80];

	CU_ASSERT_STRING_EQUAL(unc_reg_text(&reg, 0, buf, sizeof(buf)), "0");
	CU_ASSERT_STRING_EQUAL(unc_reg_text(&reg, 0x08010004, buf, sizeof(buf)), "thresh=0x8 en=1 ev_sel=0x4");
	CU_ASSERT_STRING_EQUAL(unc_reg_text(&reg, 0x00800300, buf, sizeof(buf)), "must=0x2 unnamed=0x300");
	CU_ASSERT_STRING_EQUAL(unc_reg_text(&reg, 0x300, buf, sizeof(buf)), "unnamed=0x300");
}

TEST(a_text_is_cut_at_its_size)
{
	for (size_t size = 0; size < 30; size++) {
		char *buf = malloc(size + 1), whole[80];

		CU_ASSERT_PTR_NOT_NULL_FATAL(buf);
		buf[size] = '#';
		unc_reg_text(&reg, 0x08010104, whole, sizeof(whole));
		CU_ASSERT_PTR_EQUAL(unc_reg_text(&reg, 0x08010104, buf, size), buf);
		CU_ASSERT_EQUAL(buf[size], '#');
		if (size) {
			CU_ASSERT_EQUAL(strlen(buf), strlen(whole) < size ? strlen(whole) : size - 1);
			CU_ASSERT_EQUAL(strncmp(buf, whole, strlen(buf)), 0);
		}
		free(buf);
	}
}
