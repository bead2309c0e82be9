// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/gate.h"

#include "map/field.h"
#include "onsim.h"
#include "test.h"

static const char me[1], other[1]; /* owners */

struct place { /* a register of a channel */
	struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
};

static struct place place(struct onsim *o, const char *box, const char *reg, unsigned index)
{
	struct unc_box *b = onsim_box(o, box);

	return (struct place){b, onsim_reg(b, reg), index};
}

static int put(const struct place *p, uint64_t value)
{
	return unc_gate_write(p->box, p->reg, p->index, value, me);
}

static uint32_t look(struct onsim *o, const struct place *p)
{
	return onsim_peek(o, p->box, unc_reg_off(p->reg, p->index));
}

/* ---- what is let through ---- */

TEST(a_write_goes_through_and_the_former_value_comes_back)
{
	struct onsim o;
	struct place ctl;

	onsim_open(&o, "sockets=1", NULL);
	ctl = place(&o, "socket0.imc0.ch2", "CTL", 1);
	onsim_poke(&o, ctl.box, R_CTL(1), 0x00001234);
	OK(&o, put(&ctl, 0x00400304));
	CU_ASSERT_EQUAL(look(&o, &ctl), 0x00400304);
	OK(&o, put(&ctl, 0x00000304));
	SAME(o.trace, "pci 0000:ff:10.4 r32 0xdc 0x00001234\n"
		      "pci 0000:ff:10.4 w32 0xdc 0x00400304\n"
		      "pci 0000:ff:10.4 w32 0xdc 0x00000304\n");
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(look(&o, &ctl), 0x00001234);
	SAME(o.notes, "");
	onsim_close(&o);
}

/* Nothing was written, and the journal does not think otherwise. */
static void refuses(struct onsim *o, const struct place *p, uint64_t value, int err, const char *piece)
{
	onsim_trace_clear(o);
	FAILS(o, err, put(p, value), piece, p->box->name);
	EQ(onsim_trace_count(o, " w"), 0);
	EQ(o->m->journal.n, 0);
}

TEST(a_machine_opened_for_reading_takes_no_write)
{
	struct onsim o;
	struct place ctl;

	onsim_open_read_only(&o, "sockets=1", NULL);
	ctl = place(&o, "socket0.imc0.ch0", "CTL", 3);
	refuses(&o, &ctl, 0x00400304, UNC_EDENIED, "opened read-only");
	/* Not even if somebody forgot to ask: the bus itself is read-only. */
	o.m->writable = true;
	FAILS(&o, UNC_EDENIED, put(&ctl, 0x00400304), "for reading only");
	EQ(onsim_trace_count(&o, " w"), 0);
	onsim_close(&o);
}

TEST(reserved_bits_are_refused)
{
	static const uint32_t reserved[] = {1 << 16, 1 << 17, 1 << 19, 1 << 20, 1 << 21};
	struct onsim o;
	struct place ctl, box_ctl, fixed;

	onsim_open(&o, "sockets=1", NULL);
	ctl = place(&o, "socket0.imc0.ch0", "CTL", 0);
	for (unsigned i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		refuses(&o, &ctl, 0x00400304 | reserved[i], UNC_EDENIED, "reserved");
	refuses(&o, &ctl, UINT64_C(0x100400304), UNC_EDENIED, "CTL[0]");
	box_ctl = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
	for (unsigned bit = 0; bit < 32; bit++)
		if (bit != 8 && bit != 16)
			refuses(&o, &box_ctl, UINT64_C(1) << bit, UNC_EDENIED, "reserved");
	fixed = place(&o, "socket0.imc0.ch0", "FIXED_CTL", 0);
	refuses(&o, &fixed, 1 << 20, UNC_EDENIED, "reserved");
	onsim_close(&o);
}

TEST(a_register_that_is_never_to_be_used_is_refused)
{
	struct onsim o;
	struct place ctl4, ctr;

	onsim_open(&o, "sockets=1", NULL);
	ctl4 = place(&o, "socket0.imc0.ch0", "CTL4", 0);
	refuses(&o, &ctl4, 0, UNC_EDENIED, "never");
	ctr = place(&o, "socket0.imc0.ch0", "CTR4", 0);
	refuses(&o, &ctr, 0, UNC_EDENIED, "never");
	onsim_close(&o);
}

TEST(a_register_of_another_unit_or_beyond_the_last_is_refused)
{
	struct onsim o;
	struct place ctl;
	struct unc_reg copy;

	onsim_open(&o, "sockets=1", NULL);
	ctl = place(&o, "socket0.imc0.ch0", "CTL", 4);
	refuses(&o, &ctl, 0x304, UNC_EDENIED, "not a register of");
	ctl.reg = unc_unit_reg(unc_map_unit(o.m->map, "ubox"), "CPUNODEID");
	ctl.index = 0;
	refuses(&o, &ctl, 0, UNC_EDENIED, "not a register of");
	copy = *onsim_reg(ctl.box, "CTL");
	ctl.reg = &copy; /* as good as the map's, but not from it */
	refuses(&o, &ctl, 0x304, UNC_EDENIED, "not a register of");
	onsim_close(&o);
}

/* The map as it would be if its checks had let this through. */
static struct unc_reg *map_reg(struct onsim *o, const struct place *p)
{
	struct unc_unit *unit = &o->m->map->units[p->box->unit - o->m->map->units];

	return &unit->regs[p->reg - unit->regs];
}

TEST(the_configuration_header_is_refused)
{
	struct onsim o;
	struct place ctl;

	onsim_open(&o, "sockets=1", NULL);
	ctl = place(&o, "socket0.imc0.ch0", "CTL", 0);
	for (uint32_t off = 0; off < 0x40; off += 4) {
		map_reg(&o, &ctl)->off = off;
		refuses(&o, &ctl, 0x304, UNC_EDENIED, "header");
	}
	/* The first of an array may lie outside of it and another inside. */
	map_reg(&o, &ctl)->off = 0x40;
	map_reg(&o, &ctl)->step = (uint32_t)-4;
	ctl.index = 1;
	refuses(&o, &ctl, 0x304, UNC_EDENIED, "header");
	onsim_close(&o);
}

TEST(a_bridge_is_refused_under_a_map_that_was_loaded)
{
	struct onsim o;
	struct place ctl;
	struct unc_unit *unit;

	onsim_open(&o, "sockets=1", NULL);
	ctl = place(&o, "socket0.imc0.ch0", "CTL", 0);
	unit = &o.m->map->units[ctl.box->unit - o.m->map->units];
	unit->loaded = true;
	ctl.box->bridge = true;
	refuses(&o, &ctl, 0x304, UNC_EDENIED, "bridge");
	ctl.box->bridge = false;
	OK(&o, put(&ctl, 0x304));
	onsim_close(&o);
}

TEST(a_box_that_is_not_there_is_refused_with_its_reason)
{
	struct onsim o;
	struct place ctl;
	uint64_t value;

	onsim_open(&o, "sockets=1", "allones=ff:10.1");
	ctl = place(&o, "socket0.imc0.ch1", "CTL", 0);
	refuses(&o, &ctl, 0x304, UNC_ENODEV, "all ones");
	FAILS(&o, UNC_ENODEV, unc_reg_get(ctl.box, ctl.reg, 0, &value), "all ones");
	onsim_close(&o);
}

TEST(without_the_former_value_there_is_no_write)
{
	static const struct {
		enum unc_fault_how how;
		int err;
	} cases[] = {{UNC_FAULT_EIO, UNC_EIO}, {UNC_FAULT_EPERM, UNC_EPERM}, {UNC_FAULT_ONES, UNC_ENODEV}};
	struct onsim o;
	struct place ctl;

	onsim_open(&o, "sockets=1", NULL);
	ctl = place(&o, "socket0.imc0.ch0", "CTL", 2);
	for (unsigned i = 0; i < 3; i++) {
		ONSIM_FAIL(&o, .at = 1, .how = cases[i].how);
		refuses(&o, &ctl, 0x304, cases[i].err, "CTL[2]");
	}
	onsim_close(&o);
}

TEST(a_register_is_read_whole)
{
	struct onsim o;
	struct unc_box *box;
	uint64_t value = 0;

	onsim_open(&o, "sockets=1", NULL);
	box = onsim_box(&o, "socket0.imc0.ch3");
	onsim_poke48(&o, box, R_CTR(2), UINT64_C(0x123456789abc));
	OK(&o, unc_reg_get(box, onsim_reg(box, "CTR"), 2, &value));
	EQ(value, UINT64_C(0x123456789abc));
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EIO);
	FAILS(&o, UNC_EIO, unc_reg_get(box, onsim_reg(box, "CTR"), 2, &value),
	      "socket0.imc0.ch3: CTR[2]: pci 0000:ff:10.5");
	onsim_work(&o);
	onsim_close(&o);
}

/* ---- undoing ---- */

TEST(undoing_goes_backwards_and_box_by_box)
{
	struct onsim o;
	struct place first, second, third;

	onsim_open(&o, "sockets=1", NULL);
	first = place(&o, "socket0.imc0.ch0", "CTL", 0);
	second = place(&o, "socket0.imc0.ch3", "CTL", 3);
	third = place(&o, "socket0.imc0.ch0", "FIXED_CTL", 0);
	OK(&o, put(&first, 0x304));
	OK(&o, put(&second, 0xc04));
	OK(&o, put(&first, 0x400304));
	OK(&o, put(&third, R_EN));
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, NULL));
	SAME(o.trace, "pci 0000:ff:10.0 r32 0xf0 0x00400000\n"
		      "pci 0000:ff:10.0 w32 0xf0 0x00000000\n"
		      "pci 0000:ff:10.0 r32 0xf0 0x00000000\n"
		      "pci 0000:ff:10.5 r32 0xe4 0x00000c04\n"
		      "pci 0000:ff:10.5 w32 0xe4 0x00000000\n"
		      "pci 0000:ff:10.5 r32 0xe4 0x00000000\n"
		      "pci 0000:ff:10.0 r32 0xd8 0x00400304\n"
		      "pci 0000:ff:10.0 w32 0xd8 0x00000000\n"
		      "pci 0000:ff:10.0 r32 0xd8 0x00000000\n");
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, NULL));
	SAME(o.trace, "");
	onsim_close(&o);
}

/* The operating system refuses before it hands anything on: nothing to put back, and nothing to complain about. */
TEST(a_refused_write_leaves_nothing_to_undo)
{
	struct onsim o;
	struct place box_ctl, ctl;

	onsim_open(&o, "sockets=1", NULL);
	box_ctl = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
	ctl = place(&o, "socket0.imc0.ch0", "CTL", 0);
	OK(&o, put(&ctl, 0x304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .writes_only = true, .how = UNC_FAULT_EPERM);
	FAILS(&o, UNC_EPERM, put(&box_ctl, 0x10000), "BOX_CTL");
	FAILS(&o, UNC_EPERM, put(&ctl, 0xc04), "CTL[0]");
	onsim_work(&o);
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, NULL));
	SAME(o.trace, "pci 0000:ff:10.0 r32 0xd8 0x00000304\n"
		      "pci 0000:ff:10.0 w32 0xd8 0x00000000\n"
		      "pci 0000:ff:10.0 r32 0xd8 0x00000000\n");
	onsim_close(&o);
}

TEST(only_the_owners_writes_are_undone)
{
	struct onsim o;
	struct place a, b;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "CTL", 0);
	b = place(&o, "socket0.imc0.ch0", "CTL", 1);
	OK(&o, put(&a, 0x304));
	OK(&o, unc_gate_write(b.box, b.reg, 1, 0xc04, other));
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(look(&o, &a), 0);
	CU_ASSERT_EQUAL(look(&o, &b), 0xc04);
	OK(&o, unc_gate_restore(o.m, other));
	CU_ASSERT_EQUAL(look(&o, &b), 0);
	onsim_close(&o);
}

TEST(what_somebody_changed_meanwhile_is_left_alone_and_said)
{
	struct onsim o;
	struct place a, b;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "CTL", 0);
	b = place(&o, "socket0.imc0.ch0", "CTL", 1);
	OK(&o, put(&a, 0x400304));
	OK(&o, put(&b, 0x400c04));
	onsim_poke(&o, a.box, R_CTL(0), 0x00400101);
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(look(&o, &a), 0x00400101);
	CU_ASSERT_EQUAL(look(&o, &b), 0);
	EQ(onsim_trace_count(&o, "w32 0xd8"), 0);
	HAS(o.notes, "socket0.imc0.ch0: CTL[0] no longer holds what was written (0x00400304, now 0x00400101)");
	EQ(onsim_count(o.notes, "\n"), 1);
	onsim_close(&o);
}

TEST(what_is_back_already_is_no_news)
{
	struct onsim o;
	struct place a;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "CTL", 0);
	onsim_poke(&o, a.box, R_CTL(0), 0x1234);
	OK(&o, put(&a, 0x400304));
	onsim_poke(&o, a.box, R_CTL(0), 0x1234);
	OK(&o, unc_gate_restore(o.m, me));
	SAME(o.notes, "");
	onsim_close(&o);
}

TEST(a_last_write_that_did_not_arrive_is_undone_as_well)
{
	static const enum unc_fault_how hows[] = {UNC_FAULT_DROP, UNC_FAULT_EIO, UNC_FAULT_ONES};

	for (unsigned i = 0; i < 3; i++) {
		struct onsim o;
		struct place a;

		onsim_open(&o, "sockets=1", NULL);
		a = place(&o, "socket0.imc0.ch0", "CTL", 0);
		onsim_poke(&o, a.box, R_CTL(0), 0x1234);
		OK(&o, put(&a, 0x304));
		ONSIM_FAIL(&o, .at = 1, .how = hows[i]);
		CU_ASSERT_EQUAL(put(&a, 0x400304), hows[i] == UNC_FAULT_EIO ? UNC_EIO : 0);
		onsim_work(&o);
		CU_ASSERT_EQUAL(look(&o, &a), 0x304);
		OK(&o, unc_gate_restore(o.m, me));
		CU_ASSERT_EQUAL(look(&o, &a), 0x1234);
		SAME(o.notes, "");
		onsim_close(&o);
	}
}

/* Any single access that fails while undoing: read, write, read back, in each way that there is. */
TEST(no_single_failure_leaves_the_machine_changed)
{
	static const enum unc_fault_how hows[] = {UNC_FAULT_EIO, UNC_FAULT_EPERM, UNC_FAULT_ENODEV, UNC_FAULT_ONES,
						  UNC_FAULT_DROP};
	unsigned at, how;

	for (how = 0; how < 5; how++) {
		for (at = 1; at < 20; at++) {
			struct onsim o;
			struct place a, b;
			unsigned done;

			onsim_open(&o, "sockets=1", NULL);
			a = place(&o, "socket0.imc0.ch0", "CTL", 0);
			b = place(&o, "socket0.imc0.ch1", "CTL", 3);
			onsim_poke(&o, a.box, R_CTL(0), 0x1234);
			OK(&o, put(&a, 0x400304));
			OK(&o, put(&b, 0x400304));
			ONSIM_FAIL(&o, .at = at, .how = hows[how]);
			OK(&o, unc_gate_restore(o.m, me));
			done = o.fault.done;
			onsim_work(&o);
			CU_ASSERT_EQUAL(look(&o, &a), 0x1234);
			CU_ASSERT_EQUAL(look(&o, &b), 0);
			SAME(o.notes, "");
			onsim_close(&o);
			if (!done)
				break;
		}
		CU_ASSERT_EQUAL(at, 7); /* six accesses: look, write, read back, twice */
	}
}

TEST(what_cannot_be_put_back_is_named_and_the_rest_is_done)
{
	struct onsim o;
	struct place a, b, c;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "CTL", 0);
	b = place(&o, "socket0.imc0.ch1", "CTL", 3);
	c = place(&o, "socket0.imc0.ch1", "CTL", 2);
	OK(&o, put(&a, 0x400304));
	OK(&o, put(&b, 0x400304));
	OK(&o, put(&c, 0x400304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_DROP, .only = "0000:ff:10.1");
	FAILS(&o, UNC_EIO, unc_gate_restore(o.m, me), "registers not put back: socket0.imc0.ch1: CTL[2], CTL[3]",
	      "wrote 0x00000000", "reads 0x00400304");
	CU_ASSERT_EQUAL(look(&o, &a), 0);
	onsim_work(&o);
	onsim_close(&o);
}

/* Its former value would be forgotten, on the disk as well. */
TEST(what_was_not_put_back_is_not_what_was_there_before)
{
	struct onsim o;
	struct place a, b;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "CTL", 0);
	b = place(&o, "socket0.imc0.ch0", "CTL", 1);
	OK(&o, put(&a, 0x400304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_DROP);
	FAILS(&o, UNC_EIO, unc_gate_restore(o.m, me), "register not put back: socket0.imc0.ch0: CTL[0]");
	onsim_work(&o);
	FAILS(&o, UNC_EBUSY, put(&a, 0x400c04), "socket0.imc0.ch0: CTL[0]: it could not be put back before",
	      "uncorectl recover");
	CU_ASSERT_EQUAL(look(&o, &a), 0x400304);
	OK(&o, put(&b, 0x400304));
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(look(&o, &a), 0x400304);
	CU_ASSERT_EQUAL(look(&o, &b), 0);
	onsim_close(&o);
}

TEST(a_function_that_is_gone_is_named)
{
	struct onsim o;
	struct place a;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "CTL", 0);
	OK(&o, put(&a, 0x400304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_ONES);
	onsim_trace_clear(&o);
	FAILS(&o, UNC_EIO, unc_gate_restore(o.m, me), "socket0.imc0.ch0: CTL[0]", "0000:ff:10.0", "all ones");
	EQ(onsim_trace_count(&o, " w"), 0);
	onsim_work(&o);
	onsim_close(&o);
}

TEST(a_register_that_is_to_stay_stays)
{
	struct onsim o;
	struct place a, b, c;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "CTL", 0);
	b = place(&o, "socket0.imc0.ch0", "CTL", 1);
	c = place(&o, "socket0.imc0.ch0", "CTL", 2);
	OK(&o, put(&a, 0x304));
	OK(&o, put(&b, 0x304));
	OK(&o, put(&c, 0x304));
	unc_gate_keep(b.box, b.reg, 1);
	unc_gate_keep(b.box, b.reg, 3); /* never written: nothing to do */
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(look(&o, &a), 0);
	CU_ASSERT_EQUAL(look(&o, &b), 0x304);
	CU_ASSERT_EQUAL(look(&o, &c), 0);
	onsim_close(&o);
}

/* ---- write-only bits ---- */

static int settle(const struct place *box_ctl)
{
	static const uint64_t armed = R_FRZ_EN;
	const struct unc_gate_intent intent = {
		.reg = box_ctl->reg, .values = &armed, .n_values = 1, .doubted = R_FRZ_EN, .idle = R_FRZ_EN};
	int rc = unc_gate_plan(box_ctl->box, &intent, me);

	return rc == 0 ? unc_gate_verify_readback(box_ctl->box, box_ctl->reg, 0) : rc;
}

TEST(a_write_only_register_ends_idle_and_is_said_once)
{
	struct onsim o;
	struct place a, b;

	onsim_open(&o, "sockets=1,frz_en=wo", NULL);
	a = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
	b = place(&o, "socket0.imc0.ch1", "BOX_CTL", 0);
	OK(&o, put(&a, R_FRZ_EN));
	OK(&o, settle(&a));
	OK(&o, put(&a, R_FRZ_EN | R_FRZ));
	OK(&o, put(&b, R_FRZ_EN));
	OK(&o, settle(&b));
	CU_ASSERT_EQUAL(onsim_box_ctl(&o, a.box), R_FRZ_EN | R_FRZ);
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(onsim_box_ctl(&o, a.box), R_FRZ_EN);
	CU_ASSERT_EQUAL(onsim_box_ctl(&o, b.box), R_FRZ_EN);
	SAME(o.notes, "BOX_CTL cannot be read back on this part; it was left idle (frz_en=1) on 2 boxes\n");
	onsim_close(&o);
}

TEST(a_register_that_reads_back_ends_as_it_was)
{
	for (unsigned before = 0; before < 2; before++) {
		struct onsim o;
		struct place a;

		onsim_open(&o, "sockets=1,frz_en=rw", NULL);
		a = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
		onsim_poke(&o, a.box, R_BOX_CTL, before * R_FRZ_EN);
		OK(&o, put(&a, R_FRZ_EN));
		OK(&o, settle(&a));
		OK(&o, put(&a, R_FRZ_EN | R_FRZ));
		OK(&o, unc_gate_restore(o.m, me));
		CU_ASSERT_EQUAL(onsim_box_ctl(&o, a.box), before * R_FRZ_EN);
		SAME(o.notes, "");
		onsim_close(&o);
	}
}

TEST(a_register_that_reads_back_and_was_changed_is_left_alone)
{
	struct onsim o;
	struct place a;

	onsim_open(&o, "sockets=1,frz_en=rw", NULL);
	a = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
	onsim_poke(&o, a.box, R_BOX_CTL, R_FRZ_EN);
	OK(&o, put(&a, R_FRZ_EN));
	OK(&o, settle(&a));
	onsim_poke(&o, a.box, R_BOX_CTL, 0);
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_trace_count(&o, " w"), 0);
	HAS(o.notes, "BOX_CTL no longer holds");
	onsim_close(&o);
}

/* One write lost on a part where frz_en reads back must not make it look like one where it does not. */
TEST(a_lost_write_is_not_taken_for_a_write_only_bit)
{
	struct onsim o;
	struct place a;

	onsim_open(&o, "sockets=1,frz_en=rw", NULL);
	a = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_DROP, .writes_only = true);
	OK(&o, put(&a, R_FRZ_EN));
	OK(&o, settle(&a));
	OK(&o, put(&a, R_FRZ_EN | R_FRZ));
	OK(&o, put(&a, R_FRZ_EN));
	CU_ASSERT_EQUAL(onsim_box_ctl(&o, a.box), R_FRZ_EN);
	OK(&o, unc_gate_restore(o.m, me));
	CU_ASSERT_EQUAL(onsim_box_ctl(&o, a.box), 0);
	SAME(o.notes, "");
	onsim_close(&o);
}

/* BOX_CTL 1:0 may be a reset (datasheet): should a part read ones there, they must not be written all the same. */
TEST(reserved_bits_that_were_read_are_not_put_back_into_box_ctl)
{
	struct onsim o;
	struct place a;

	onsim_open(&o, "sockets=1,frz_en=rw", NULL);
	a = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
	OK(&o, put(&a, R_FRZ_EN));
	o.m->journal.entries[0].line.before = 0x00010003; /* what the Linux driver writes when it loads */
	OK(&o, settle(&a));
	OK(&o, put(&a, R_FRZ_EN | R_FRZ));
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, me));
	EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 2);
	EQ(onsim_trace_count(&o, " w32 "), 2);
	onsim_close(&o);
}

TEST(only_a_register_that_was_written_can_be_settled)
{
	struct onsim o;
	struct place a;

	onsim_open(&o, "sockets=1", NULL);
	a = place(&o, "socket0.imc0.ch0", "BOX_CTL", 0);
	OK(&o, settle(&a));
	CU_ASSERT_TRUE(o.m->journal.entries[0].line.has_idle);
	OK(&o, put(&a, R_FRZ_EN));
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EIO);
	FAILS(&o, UNC_EIO, settle(&a), "BOX_CTL");
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_ONES);
	FAILS(&o, UNC_ENODEV, settle(&a), "BOX_CTL", "all ones");
	onsim_work(&o);
	onsim_close(&o);
}
