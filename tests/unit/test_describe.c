// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "uncore.h"
#include "uncore/event.h"
#include "uncore/reg.h"
#include "test.h"

struct described {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	struct unc_box *box;
};

static void open_machine(struct described *d)
{
	struct unc_machine_cfg cfg = {.machine = "sim:snbep,sockets=1,clock=step", .wake_fd = -1};

	CU_ASSERT_EQUAL_FATAL(unc_new(&d->ctx), 0);
	CU_ASSERT_EQUAL_FATAL(unc_machine_open(d->ctx, &cfg, &d->machine), 0);
	CU_ASSERT_EQUAL_FATAL(unc_box_find(d->machine, "socket0.imc0.ch2", &d->box), 0);
}

static void close_machine(struct described *d)
{
	CU_ASSERT_EQUAL(unc_machine_close(d->machine), 0);
	unc_free(d->ctx);
}

/* The number of a register, or fails. */
static size_t find_reg(struct described *d, const char *name, unsigned index)
{
	struct unc_reg_info reg;

	for (size_t i = 0; i < unc_box_reg_count(d->box); i++)
		if (unc_box_reg_info(d->box, i, &reg) == 0 && strcmp(reg.name, name) == 0 && reg.index == index)
			return i;
	CU_FAIL_FATAL("no such register");
	return 0;
}

TEST(a_box_is_found_by_its_name_and_no_other)
{
	struct unc_box *box = NULL;
	struct described d;

	open_machine(&d);
	CU_ASSERT_EQUAL(unc_box_find(d.machine, "socket0.imc0.ch4", &box), UNC_ENODEV);
	CU_ASSERT_PTR_NULL(box);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(d.ctx), "socket0.imc0.ch4"));
	close_machine(&d);
}

TEST(elements_of_an_array_are_registers_by_themselves)
{
	struct unc_reg_info reg;
	struct described d;

	open_machine(&d);
	CU_ASSERT_EQUAL(unc_box_reg_count(d.box), 4 + 1 + 1 + 4 + 1 + 1 + 1 + 1);
	CU_ASSERT_EQUAL(unc_box_reg_info(d.box, find_reg(&d, "CTL", 3), &reg), 0);
	CU_ASSERT_EQUAL(reg.offset, 0xe4);
	CU_ASSERT_EQUAL(reg.count, 4);
	CU_ASSERT_EQUAL(reg.bits, 32);
	CU_ASSERT_EQUAL(unc_box_reg_info(d.box, find_reg(&d, "CTR", 1), &reg), 0);
	CU_ASSERT_EQUAL(reg.offset, 0xa8);
	CU_ASSERT_EQUAL(reg.bits, 64);
	CU_ASSERT_EQUAL(unc_box_reg_info(d.box, unc_box_reg_count(d.box), &reg), UNC_ENOREG);
	close_machine(&d);
}

TEST(fields_are_decoded)
{
	struct unc_field_info field;
	struct unc_reg_info reg;
	struct described d;
	uint64_t value;
	size_t ctl;
	bool seen = false;

	open_machine(&d);
	ctl = find_reg(&d, "CTL", 0);
	CU_ASSERT_EQUAL(unc_box_reg_info(d.box, ctl, &reg), 0);
	for (size_t i = 0; i < reg.n_fields; i++) {
		CU_ASSERT_EQUAL(unc_box_field_info(d.box, ctl, i, &field), 0);
		if (strcmp(field.name, "umask") != 0)
			continue;
		seen = true;
		CU_ASSERT_EQUAL(field.hi, 15);
		CU_ASSERT_EQUAL(field.lo, 8);
		CU_ASSERT_STRING_EQUAL(field.access, "rw");
		CU_ASSERT_TRUE(field.reset_known && field.reset == 0);
		CU_ASSERT_EQUAL(unc_box_field_value(d.box, ctl, i, 0x00400c04, &value), 0);
		CU_ASSERT_EQUAL(value, 0x0c);
	}
	CU_ASSERT_TRUE(seen);
	CU_ASSERT_EQUAL(unc_box_field_info(d.box, ctl, reg.n_fields, &field), UNC_ENOREG);
	CU_ASSERT_EQUAL(unc_box_field_value(d.box, ctl, reg.n_fields, 0, &value), UNC_ENOREG);
	close_machine(&d);
}

TEST(registers_are_read_by_number)
{
	struct described d;
	uint64_t value = 1;

	open_machine(&d);
	CU_ASSERT_EQUAL(unc_box_reg_read(d.box, find_reg(&d, "CTL", 0), &value), 0);
	CU_ASSERT_EQUAL(value, 0);
	CU_ASSERT_EQUAL(unc_box_reg_read(d.box, 999, &value), UNC_ENOREG);
	close_machine(&d);
}

TEST(events_are_described)
{
	struct unc_event_info event;
	struct described d;
	size_t n, i;

	open_machine(&d);
	n = unc_event_count(d.machine, "imc");
	CU_ASSERT_TRUE(n > 0);
	for (i = 0; i < n; i++) {
		CU_ASSERT_EQUAL_FATAL(unc_event_info(d.machine, "imc", i, &event), 0);
		if (strcmp(event.name, "cas_count.wr") == 0)
			break;
	}
	CU_ASSERT_TRUE_FATAL(i < n);
	CU_ASSERT_STRING_EQUAL(event.encoding, "ev_sel=0x4,umask=0xc");
	CU_ASSERT_STRING_EQUAL(event.counters, "0-3");
	CU_ASSERT_EQUAL(event.max_inc, 1);
	CU_ASSERT_EQUAL((unsigned)event.scale, 64);
	CU_ASSERT_STRING_EQUAL(event.unit, "bytes");
	CU_ASSERT_EQUAL(unc_event_info(d.machine, "imc", n, &event), UNC_ENOREG);
	CU_ASSERT_EQUAL(unc_event_count(d.machine, "nothing"), 0);
	close_machine(&d);
}
