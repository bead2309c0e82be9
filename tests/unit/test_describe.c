// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"
#include "uncore/event.h"
#include "uncore/reg.h"
#include "test.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

static struct unc_box *ch2(void)
{
	return onsim_box(&o, "socket0.imc0.ch2");
}

TEST(a_box_is_found_by_its_name_and_no_other)
{
	struct unc_box *none = NULL;

	FAILS(&o, UNC_ENODEV, unc_box_find(o.m, "socket0.imc0.ch4", &none), "socket0.imc0.ch4");
	CU_ASSERT_PTR_NULL(none);
}

TEST(elements_of_an_array_are_registers_by_themselves)
{
	struct unc_reg_info reg;

	CU_ASSERT_EQUAL(unc_box_reg_count(ch2()), 4 + 1 + 1 + 4 + 1 + 1 + 1 + 1);
	CU_ASSERT_EQUAL(unc_box_reg_info(ch2(), onsim_reg_number(ch2(), "CTL", 3), &reg), 0);
	CU_ASSERT_EQUAL(reg.offset, 0xe4);
	CU_ASSERT_EQUAL(reg.count, 4);
	CU_ASSERT_EQUAL(reg.bits, 32);
	CU_ASSERT_EQUAL(unc_box_reg_info(ch2(), onsim_reg_number(ch2(), "CTR", 1), &reg), 0);
	CU_ASSERT_EQUAL(reg.offset, 0xa8);
	CU_ASSERT_EQUAL(reg.bits, 64);
	CU_ASSERT_EQUAL(unc_box_reg_info(ch2(), unc_box_reg_count(ch2()), &reg), UNC_ENOREG);
}

TEST(fields_are_decoded)
{
	struct unc_field_info field;
	struct unc_reg_info reg;
	uint64_t value;
	bool seen = false;
	size_t ctl = onsim_reg_number(ch2(), "CTL", 0);

	CU_ASSERT_EQUAL(unc_box_reg_info(ch2(), ctl, &reg), 0);
	for (size_t i = 0; i < reg.n_fields; i++) {
		CU_ASSERT_EQUAL(unc_box_field_info(ch2(), ctl, i, &field), 0);
		if (strcmp(field.name, "umask") != 0)
			continue;
		seen = true;
		CU_ASSERT_EQUAL(field.hi, 15);
		CU_ASSERT_EQUAL(field.lo, 8);
		CU_ASSERT_STRING_EQUAL(field.access, "rw");
		CU_ASSERT_TRUE(field.reset_known && field.reset == 0);
		CU_ASSERT_EQUAL(unc_box_field_value(ch2(), ctl, i, 0x00400c04, &value), 0);
		CU_ASSERT_EQUAL(value, 0x0c);
	}
	CU_ASSERT_TRUE(seen);
	CU_ASSERT_EQUAL(unc_box_field_info(ch2(), ctl, reg.n_fields, &field), UNC_ENOREG);
	CU_ASSERT_EQUAL(unc_box_field_value(ch2(), ctl, reg.n_fields, 0, &value), UNC_ENOREG);
}

TEST(registers_are_read_by_number)
{
	uint64_t value = 1;

	CU_ASSERT_EQUAL(unc_box_reg_read(ch2(), onsim_reg_number(ch2(), "CTL", 0), &value), 0);
	CU_ASSERT_EQUAL(value, 0);
	CU_ASSERT_EQUAL(unc_box_reg_read(ch2(), 999, &value), UNC_ENOREG);
}

TEST(events_are_described)
{
	struct unc_event_info event;
	size_t i;
	size_t n = unc_event_count(o.m, "imc");

	CU_ASSERT_TRUE(n > 0);
	for (i = 0; i < n; i++) {
		CU_ASSERT_EQUAL_FATAL(unc_event_info(o.m, "imc", i, &event), 0);
		if (strcmp(event.name, "cas_count.wr") == 0)
			break;
	}
	CU_ASSERT_TRUE_FATAL(i < n);
	CU_ASSERT_STRING_EQUAL(event.encoding, "ev_sel=0x4,umask=0xc");
	CU_ASSERT_STRING_EQUAL(event.counters, "0-3");
	CU_ASSERT_EQUAL(event.max_inc, 1);
	CU_ASSERT_EQUAL((unsigned)event.scale, 64);
	CU_ASSERT_STRING_EQUAL(event.unit, "bytes");
	CU_ASSERT_EQUAL(unc_event_info(o.m, "imc", n, &event), UNC_ENOREG);
	CU_ASSERT_EQUAL(unc_event_count(o.m, "nothing"), 0);
}
