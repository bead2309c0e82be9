// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

static size_t field_number(struct unc_box *box, size_t reg, const char *name)
{
	struct unc_field_info field;

	for (size_t i = 0; unc_box_field_info(box, reg, i, &field) == 0; i++)
		if (strcmp(field.name, name) == 0)
			return i;
	CU_FAIL_FATAL("no such field");
	return 0;
}

static struct unc_box *ch2(void)
{
	return onsim_box(&o, "socket0.imc0.ch2");
}

static uint64_t now; /* what the register that was written last holds then */

static int put(const char *reg, unsigned index, uint64_t value)
{
	return unc_box_reg_write(ch2(), onsim_reg_number(ch2(), reg, index), value, &now);
}

TEST(a_register_is_written_read_back_and_put_back)
{
	onsim_poke(&o, ch2(), R_CTL(2), 0x01000304);
	OK(&o, put("CTL", 2, 0x00000c04));
	EQ(now, 0xc04);
	OK(&o, put("CTL", 2, 0x00400c04));
	EQ(onsim_peek(&o, ch2(), R_CTL(2)), 0x00400c04);
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_peek(&o, ch2(), R_CTL(2)), 0x01000304);
	SAME(o.notes, "");
}

TEST(what_is_kept_stays)
{
	OK(&o, put("CTL", 2, 0x304));
	OK(&o, unc_box_reg_keep(ch2(), onsim_reg_number(ch2(), "CTL", 2)));
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_peek(&o, ch2(), R_CTL(2)), 0x304);
	onsim_poke(&o, ch2(), R_CTL(2), 0);
}

TEST(a_field_changes_alone)
{
	uint64_t value = 0;
	struct unc_box *box = onsim_box(&o, "socket0.imc0.ch0");
	size_t ctl = onsim_reg_number(box, "CTL", 0);

	/* Reserved bits that were read do not stay. */
	OK(&o, unc_box_reg_base(box, ctl, 0x01c30304, &value));
	EQ(value, 0x01c00304);
	OK(&o, unc_box_field_put(box, ctl, field_number(box, ctl, "umask"), 0x0c, &value));
	EQ(value, 0x01c00c04);
	/* Nor do write-only ones, which say nothing. */
	OK(&o, unc_box_reg_base(box, onsim_reg_number(box, "FIXED_CTL", 0), 0x00480000, &value));
	EQ(value, 0x00400000);
	/* Nor bits that writing 1 would clear. */
	OK(&o, unc_box_reg_base(box, onsim_reg_number(box, "BOX_STATUS", 0), 0x3f, &value));
	EQ(value, 0);
}

TEST(what_cannot_be_written_is_refused_before_anything_is_touched)
{
	uint64_t value = 0x1234;
	struct unc_box *box = onsim_box(&o, "socket0.imc0.ch0");
	size_t ctl = onsim_reg_number(box, "CTL", 0), ctl4 = onsim_reg_number(box, "CTL4", 0);

	onsim_trace_clear(&o);
	FAILS(&o, UNC_ERANGE, unc_box_field_put(box, ctl, field_number(box, ctl, "umask"), 0x100, &value), "umask",
	      "socket0.imc0.ch0: CTL");
	FAILS(&o, UNC_EDENIED, unc_box_field_put(box, ctl, field_number(box, ctl, "rsv_16"), 1, &value), "reserved");
	FAILS(&o, UNC_EDENIED, unc_box_field_put(box, ctl4, 0, 1, &value), "CTL4.as_ctl is read-only");
	FAILS(&o, UNC_ENOREG, unc_box_field_put(box, ctl, 99, 1, &value), "99");
	EQ(value, 0x1234);
	FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, ctl, 1 << 16), "CTL[0]", "reserved");
	FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, ctl4, 0), "never");
	FAILS(&o, UNC_ENOREG, unc_box_reg_allows(box, 99, 0), "99");
	FAILS(&o, UNC_ENOREG, unc_box_reg_write(box, 99, 0, &value), "99");
	FAILS(&o, UNC_ENOREG, unc_box_reg_keep(box, 99), "99");
	FAILS(&o, UNC_ENOREG, unc_box_reg_base(box, 99, 0, &value), "99");
	OK(&o, unc_box_reg_allows(box, ctl, 0x00400304));
	SAME(o.trace, "");
}

TEST(a_machine_opened_for_reading_allows_but_does_not_write)
{
	onsim_close(&o);
	onsim_open_read_only(&o, "sockets=1", NULL);
	now = 77;
	OK(&o, unc_box_reg_allows(ch2(), onsim_reg_number(ch2(), "CTL", 0), 0x304));
	FAILS(&o, UNC_EDENIED, put("CTL", 0, 0x304), "read-only");
	EQ(now, 77);
}

/* ---- counters, two dwords ---- */

TEST(a_counter_that_stands_is_written_and_put_back)
{
	onsim_poke48(&o, ch2(), R_CTR(1), UINT64_C(0x123456789abc));
	onsim_trace_clear(&o);
	OK(&o, put("CTR", 1, UINT64_C(0xfffffffffff0)));
	EQ(now, UINT64_C(0xfffffffffff0));
	EQ(onsim_trace_count(&o, "w32 0xa8 0xfffffff0\n"), 1);
	EQ(onsim_trace_count(&o, "w32 0xac 0x0000ffff\n"), 1);
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_peek48(&o, ch2(), R_CTR(1)), UINT64_C(0x123456789abc));
	SAME(o.notes, "");
}

TEST(a_counter_that_runs_is_left_where_it_is_and_that_is_said)
{
	onsim_poke(&o, ch2(), R_CTL(0), R_EN | 0x304);
	OK(&o, put("CTR", 0, 5));
	onsim_step(&o, MS_NS);
	onsim_trace_clear(&o);
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_trace_count(&o, " w32 "), 0);
	HAS(o.notes, "socket0.imc0.ch2: CTR[0] has counted on since it was written (0x0000000000000005, now 0x");
	onsim_poke(&o, ch2(), R_CTL(0), 0);
}

/* The low dword went out: it may not be forgotten because the high one was refused. */
TEST(a_counter_of_which_one_half_was_refused_is_put_back)
{
	onsim_poke48(&o, ch2(), R_CTR(1), UINT64_C(0x100000007));
	ONSIM_FAIL(&o, .at = 2, .how = UNC_FAULT_EPERM, .writes_only = true);
	FAILS(&o, UNC_EPERM, put("CTR", 1, UINT64_C(0x200000009)), "CTR[1]");
	onsim_work(&o);
	EQ(onsim_peek48(&o, ch2(), R_CTR(1)), UINT64_C(0x100000009));
	EQ(o.m->journal.n, 1);
}

/* ---- what cannot be put back ---- */

TEST(bits_that_writing_1_clears_are_never_written_back)
{
	OK(&o, put("BOX_STATUS", 0, 2));
	o.m->journal.entries[0].line.before = 6; /* as if two counters had wrapped, of which one was cleared */
	onsim_trace_clear(&o);
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_trace_count(&o, " w32 "), 0);
}

TEST(write_only_bits_end_as_0_and_that_is_said)
{
	onsim_reopen(&o, "snbep", "sockets=1,frz_en=wo", NULL);
	OK(&o, put("BOX_CTL", 0, R_FRZ_EN | R_FRZ));
	EQ(onsim_box_ctl(&o, ch2()), R_FRZ_EN | R_FRZ);
	onsim_trace_clear(&o);
	OK(&o, unc_machine_put_back(o.m));
	EQ(onsim_box_ctl(&o, ch2()), 0);
	/* Twice: that one was lost would not be seen. */
	EQ(onsim_trace_count(&o, "w32 0xf4 0x00000000"), 2);
	HAS(o.notes, "BOX_CTL cannot be read back");
}

TEST(a_bit_that_the_hardware_did_not_take_is_not_another_programs)
{
	/* The read back shows a bit that was not written, as of a part that has it stuck. */
	ONSIM_FAIL(&o, .or_off = R_CTL(0), .or_value = UINT32_C(1) << 31);
	OK(&o, put("CTL", 0, 0x304));
	EQ(now, 0x80000304);
	OK(&o, unc_machine_put_back(o.m));
	onsim_work(&o);
	EQ(onsim_peek(&o, ch2(), R_CTL(0)) & 0x7fffffff, 0);
	SAME(o.notes, "");
	onsim_poke(&o, ch2(), R_CTL(0), 0);
}

TEST(sleeping_ends_at_its_time_and_not_without_end)
{
	uint64_t begin_ns = unc_machine_mono_ns(o.m);

	OK(&o, unc_machine_sleep_until(o.m, begin_ns + 3 * S_NS));
	CU_ASSERT(unc_machine_mono_ns(o.m) >= begin_ns + 3 * S_NS);
	FAILS(&o, UNC_EARG, unc_machine_sleep_until(o.m, UINT64_MAX), "stands still");
}
