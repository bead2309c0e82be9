// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/gate.h"

#include "map/field.h"
#include "onsim.h"
#include "test.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

static const char me[1], other[1]; /* owners */

struct place { /* a register of a channel */
	struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
};

/* "ch2 CTL[1]" */
static struct place at(const char *text)
{
	char box[40] = "socket0.imc0.", reg[20];
	struct place p = {.index = 0};

	CU_ASSERT_FATAL(sscanf(text, "%9s %19[^[][%u]", box + strlen(box), reg, &p.index) >= 2);
	p.box = onsim_box(&o, box);
	p.reg = onsim_reg(p.box, reg);
	return p;
}

static int put(const char *text, uint64_t value)
{
	struct place p = at(text);

	return unc_gate_write(p.box, p.reg, p.index, value, me);
}

static uint32_t look(const char *text)
{
	struct place p = at(text);

	return onsim_peek(&o, p.box, unc_reg_off(p.reg, p.index));
}

static void poke(const char *text, uint32_t value)
{
	struct place p = at(text);

	onsim_poke(&o, p.box, unc_reg_off(p.reg, p.index), value);
}

static int restore(void)
{
	return unc_gate_restore(o.m, me);
}

/* ---- what is let through ---- */

TEST(a_write_goes_through_and_the_former_value_comes_back)
{
	poke("ch2 CTL[1]", 0x00001234);
	OK(&o, put("ch2 CTL[1]", 0x00400304));
	EQ(look("ch2 CTL[1]"), 0x00400304);
	OK(&o, put("ch2 CTL[1]", 0x00000304));
	SAME(o.trace, "pci 0000:ff:10.4 r32 0xdc 0x00001234\n"
		      "pci 0000:ff:10.4 w32 0xdc 0x00400304\n"
		      "pci 0000:ff:10.4 w32 0xdc 0x00000304\n");
	OK(&o, restore());
	EQ(look("ch2 CTL[1]"), 0x00001234);
	SAME(o.notes, "");
}

/* Nothing was written, and the journal does not think otherwise. */
static void refuses_at(struct place p, uint64_t value, int err, const char *piece)
{
	onsim_trace_clear(&o);
	FAILS(&o, err, unc_gate_write(p.box, p.reg, p.index, value, me), piece, p.box->name);
	EQ(onsim_trace_count(&o, " w"), 0);
	EQ(o.m->journal.n, 0);
}

static void refuses(const char *text, uint64_t value, int err, const char *piece)
{
	refuses_at(at(text), value, err, piece);
}

TEST(a_machine_opened_for_reading_takes_no_write)
{
	onsim_close(&o);
	onsim_open_read_only(&o, "sockets=1", NULL);
	refuses("ch0 CTL[3]", 0x00400304, UNC_EDENIED, "opened read-only");
	/* Not even if a caller forgot to ask: the bus itself is read-only. */
	o.m->writable = true;
	FAILS(&o, UNC_EDENIED, put("ch0 CTL[3]", 0x00400304), "for reading only");
	EQ(onsim_trace_count(&o, " w"), 0);
}

TEST(reserved_bits_are_refused)
{
	static const unsigned reserved[] = {16, 17, 19, 20, 21};

	for (unsigned i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		refuses("ch0 CTL[0]", 0x00400304 | 1 << reserved[i], UNC_EDENIED, "reserved");
	refuses("ch0 CTL[0]", UINT64_C(0x100400304), UNC_EDENIED, "CTL[0]");
	for (unsigned bit = 0; bit < 32; bit++)
		if (bit != 8 && bit != 16)
			refuses("ch0 BOX_CTL", UINT64_C(1) << bit, UNC_EDENIED, "reserved");
	refuses("ch0 FIXED_CTL", 1 << 20, UNC_EDENIED, "reserved");
}

TEST(a_register_that_is_never_to_be_used_is_refused)
{
	refuses("ch0 CTL4", 0, UNC_EDENIED, "never");
	refuses("ch0 CTR4", 0, UNC_EDENIED, "never");
}

TEST(a_register_of_another_unit_or_beyond_the_last_is_refused)
{
	struct place ctl = at("ch0 CTL[4]");
	struct unc_reg copy = *ctl.reg; /* as good as the map's, but not from it */

	refuses_at(ctl, 0x304, UNC_EDENIED, "not a register of");
	ctl.reg = unc_unit_reg(unc_map_unit(o.m->map, "ubox"), "CPUNODEID");
	ctl.index = 0;
	refuses_at(ctl, 0, UNC_EDENIED, "not a register of");
	ctl.reg = &copy;
	refuses_at(ctl, 0x304, UNC_EDENIED, "not a register of");
}

/* The map as it would be if its checks had let this through. */
static struct unc_unit *map_unit(struct place p)
{
	return &o.m->map->units[p.box->unit - o.m->map->units];
}

TEST(the_configuration_header_is_refused)
{
	struct place ctl = at("ch0 CTL[0]");
	struct unc_reg *reg = &map_unit(ctl)->regs[ctl.reg - map_unit(ctl)->regs];

	for (reg->off = 0; reg->off < 0x40; reg->off += 4)
		refuses_at(ctl, 0x304, UNC_EDENIED, "header");
	/* The first of an array may lie outside of it and another inside. */
	reg->step = (uint32_t)-4;
	ctl.index = 1;
	refuses_at(ctl, 0x304, UNC_EDENIED, "header");
}

TEST(a_bridge_is_refused_under_a_map_that_was_loaded)
{
	struct place ctl = at("ch0 CTL[0]");

	map_unit(ctl)->loaded = true;
	ctl.box->bridge = true;
	refuses_at(ctl, 0x304, UNC_EDENIED, "bridge");
	ctl.box->bridge = false;
	OK(&o, put("ch0 CTL[0]", 0x304));
}

TEST(a_box_that_is_not_there_is_refused_with_its_reason)
{
	struct place ctl;
	uint64_t value;

	onsim_reopen(&o, "snbep", "sockets=1", "allones=ff:10.1");
	ctl = at("ch1 CTL[0]");
	refuses_at(ctl, 0x304, UNC_ENODEV, "all ones");
	FAILS(&o, UNC_ENODEV, unc_reg_get(ctl.box, ctl.reg, 0, &value), "all ones");
}

TEST(without_the_former_value_there_is_no_write)
{
	static const struct {
		enum unc_fault_how how;
		int err;
	} cases[] = {{UNC_FAULT_EIO, UNC_EIO}, {UNC_FAULT_EPERM, UNC_EPERM}, {UNC_FAULT_ONES, UNC_ENODEV}};

	for (unsigned i = 0; i < 3; i++) {
		ONSIM_FAIL(&o, .at = 1, .how = cases[i].how);
		refuses("ch0 CTL[2]", 0x304, cases[i].err, "CTL[2]");
	}
}

TEST(a_register_is_read_whole)
{
	struct place ctr = at("ch3 CTR[2]");
	uint64_t value = 0;

	onsim_poke48(&o, ctr.box, R_CTR(2), UINT64_C(0x123456789abc));
	OK(&o, unc_reg_get(ctr.box, ctr.reg, 2, &value));
	EQ(value, UINT64_C(0x123456789abc));
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EIO);
	FAILS(&o, UNC_EIO, unc_reg_get(ctr.box, ctr.reg, 2, &value), "socket0.imc0.ch3: CTR[2]: pci 0000:ff:10.5");
	onsim_work(&o);
}

/* ---- undoing ---- */

TEST(undoing_goes_backwards_and_box_by_box)
{
	OK(&o, put("ch0 CTL[0]", 0x304));
	OK(&o, put("ch3 CTL[3]", 0xc04));
	OK(&o, put("ch0 CTL[0]", 0x400304));
	OK(&o, put("ch0 FIXED_CTL", R_EN));
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
}

/* The operating system refuses before it hands anything on: nothing to put back, and nothing to complain about. */
TEST(a_refused_write_leaves_nothing_to_undo)
{
	OK(&o, put("ch0 CTL[0]", 0x304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .writes_only = true, .how = UNC_FAULT_EPERM);
	FAILS(&o, UNC_EPERM, put("ch0 BOX_CTL", 0x10000), "BOX_CTL");
	FAILS(&o, UNC_EPERM, put("ch0 CTL[0]", 0xc04), "CTL[0]");
	onsim_work(&o);
	onsim_trace_clear(&o);
	OK(&o, unc_gate_restore(o.m, NULL));
	SAME(o.trace, "pci 0000:ff:10.0 r32 0xd8 0x00000304\n"
		      "pci 0000:ff:10.0 w32 0xd8 0x00000000\n"
		      "pci 0000:ff:10.0 r32 0xd8 0x00000000\n");
}

TEST(only_the_owners_writes_are_undone)
{
	struct place b = at("ch0 CTL[1]");

	OK(&o, put("ch0 CTL[0]", 0x304));
	OK(&o, unc_gate_write(b.box, b.reg, 1, 0xc04, other));
	OK(&o, restore());
	EQ(look("ch0 CTL[0]"), 0);
	EQ(look("ch0 CTL[1]"), 0xc04);
	OK(&o, unc_gate_restore(o.m, other));
	EQ(look("ch0 CTL[1]"), 0);
}

TEST(what_another_program_changed_meanwhile_is_left_alone_and_said)
{
	OK(&o, put("ch0 CTL[0]", 0x400304));
	OK(&o, put("ch0 CTL[1]", 0x400c04));
	poke("ch0 CTL[0]", 0x00400101);
	onsim_trace_clear(&o);
	OK(&o, restore());
	EQ(look("ch0 CTL[0]"), 0x00400101);
	EQ(look("ch0 CTL[1]"), 0);
	EQ(onsim_trace_count(&o, "w32 0xd8"), 0);
	HAS(o.notes, "socket0.imc0.ch0: CTL[0] no longer holds what was written (0x00400304, now 0x00400101)");
	EQ(onsim_count(o.notes, "\n"), 1);
}

TEST(what_is_back_already_is_no_news)
{
	poke("ch0 CTL[0]", 0x1234);
	OK(&o, put("ch0 CTL[0]", 0x400304));
	poke("ch0 CTL[0]", 0x1234);
	OK(&o, restore());
	SAME(o.notes, "");
}

TEST(a_last_write_that_did_not_arrive_is_undone_as_well)
{
	static const enum unc_fault_how hows[] = {UNC_FAULT_DROP, UNC_FAULT_EIO, UNC_FAULT_ONES};

	poke("ch0 CTL[0]", 0x1234);
	for (unsigned i = 0; i < 3; i++) {
		OK(&o, put("ch0 CTL[0]", 0x304));
		ONSIM_FAIL(&o, .at = 1, .how = hows[i]);
		CU_ASSERT_EQUAL(put("ch0 CTL[0]", 0x400304), hows[i] == UNC_FAULT_EIO ? UNC_EIO : 0);
		onsim_work(&o);
		EQ(look("ch0 CTL[0]"), 0x304);
		OK(&o, restore());
		EQ(look("ch0 CTL[0]"), 0x1234);
		SAME(o.notes, "");
	}
}

/* Any single access that fails while undoing: read, write, read back, in each way that there is. */
TEST(no_single_failure_leaves_the_machine_changed)
{
	static const enum unc_fault_how hows[] = {UNC_FAULT_EIO, UNC_FAULT_EPERM, UNC_FAULT_ENODEV, UNC_FAULT_ONES,
						  UNC_FAULT_DROP};

	poke("ch0 CTL[0]", 0x1234);
	for (unsigned how = 0; how < 5; how++) {
		bool done = true;
		unsigned at;

		for (at = 1; at < 20 && done; at++) {
			OK(&o, put("ch0 CTL[0]", 0x400304));
			OK(&o, put("ch1 CTL[3]", 0x400304));
			ONSIM_FAIL(&o, .at = at, .how = hows[how]);
			OK(&o, restore());
			done = o.fault.done;
			onsim_work(&o);
			EQ(look("ch0 CTL[0]"), 0x1234);
			EQ(look("ch1 CTL[3]"), 0);
			SAME(o.notes, "");
		}
		EQ(at, 8); /* six accesses: look, write, read back, twice; the seventh did not come */
	}
}

TEST(what_cannot_be_put_back_is_named_and_the_rest_is_done)
{
	OK(&o, put("ch0 CTL[0]", 0x400304));
	OK(&o, put("ch1 CTL[3]", 0x400304));
	OK(&o, put("ch1 CTL[2]", 0x400304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_DROP, .only = "0000:ff:10.1");
	FAILS(&o, UNC_EIO, restore(), "registers not put back: socket0.imc0.ch1: CTL[2], CTL[3]", "wrote 0x00000000",
	      "reads 0x00400304");
	EQ(look("ch0 CTL[0]"), 0);
	onsim_work(&o);
}

/* Its former value would be forgotten, on the disk as well. */
TEST(what_was_not_put_back_is_not_what_was_there_before)
{
	OK(&o, put("ch0 CTL[0]", 0x400304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_DROP);
	FAILS(&o, UNC_EIO, restore(), "register not put back: socket0.imc0.ch0: CTL[0]");
	onsim_work(&o);
	FAILS(&o, UNC_EBUSY, put("ch0 CTL[0]", 0x400c04), "socket0.imc0.ch0: CTL[0]: it could not be put back before",
	      "uncorectl recover");
	EQ(look("ch0 CTL[0]"), 0x400304);
	OK(&o, put("ch0 CTL[1]", 0x400304));
	OK(&o, restore());
	EQ(look("ch0 CTL[0]"), 0x400304);
	EQ(look("ch0 CTL[1]"), 0);
}

TEST(a_function_that_is_gone_is_named)
{
	OK(&o, put("ch0 CTL[0]", 0x400304));
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_ONES);
	onsim_trace_clear(&o);
	FAILS(&o, UNC_EIO, restore(), "socket0.imc0.ch0: CTL[0]", "0000:ff:10.0", "all ones");
	EQ(onsim_trace_count(&o, " w"), 0);
	onsim_work(&o);
}

TEST(a_register_that_is_to_stay_stays)
{
	struct place b = at("ch0 CTL[1]");

	OK(&o, put("ch0 CTL[0]", 0x304));
	OK(&o, put("ch0 CTL[1]", 0x304));
	OK(&o, put("ch0 CTL[2]", 0x304));
	unc_gate_keep(b.box, b.reg, 1);
	unc_gate_keep(b.box, b.reg, 3); /* never written: nothing to do */
	OK(&o, restore());
	EQ(look("ch0 CTL[0]"), 0);
	EQ(look("ch0 CTL[1]"), 0x304);
	EQ(look("ch0 CTL[2]"), 0);
}

/* ---- write-only bits ---- */

static int settle(const char *text)
{
	static const uint64_t armed = R_FRZ_EN;
	struct place p = at(text);
	const struct unc_gate_intent intent = {
		.reg = p.reg, .values = &armed, .n_values = 1, .doubted = R_FRZ_EN, .idle = R_FRZ_EN};
	int rc = unc_gate_plan(p.box, &intent, me);

	return rc == 0 ? unc_gate_verify_readback(p.box, p.reg, 0) : rc;
}

/* What it holds, with the bits that cannot be read back. */
static uint32_t box_ctl(const char *text)
{
	return onsim_box_ctl(&o, at(text).box);
}

TEST(a_write_only_register_ends_idle_and_is_said_once)
{
	onsim_reopen(&o, "snbep", "sockets=1,frz_en=wo", NULL);
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN));
	OK(&o, settle("ch0 BOX_CTL"));
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN | R_FRZ));
	OK(&o, put("ch1 BOX_CTL", R_FRZ_EN));
	OK(&o, settle("ch1 BOX_CTL"));
	EQ(box_ctl("ch0 BOX_CTL"), R_FRZ_EN | R_FRZ);
	OK(&o, restore());
	EQ(box_ctl("ch0 BOX_CTL"), R_FRZ_EN);
	EQ(box_ctl("ch1 BOX_CTL"), R_FRZ_EN);
	SAME(o.notes, "BOX_CTL cannot be read back on this part; it was left idle (frz_en=1) on 2 boxes\n");
}

TEST(a_register_that_reads_back_ends_as_it_was)
{
	for (unsigned before = 0; before < 2; before++) {
		onsim_reopen(&o, "snbep", "sockets=1,frz_en=rw", NULL);
		poke("ch0 BOX_CTL", before * R_FRZ_EN);
		OK(&o, put("ch0 BOX_CTL", R_FRZ_EN));
		OK(&o, settle("ch0 BOX_CTL"));
		OK(&o, put("ch0 BOX_CTL", R_FRZ_EN | R_FRZ));
		OK(&o, restore());
		EQ(box_ctl("ch0 BOX_CTL"), before * R_FRZ_EN);
		SAME(o.notes, "");
	}
}

TEST(a_register_that_reads_back_and_was_changed_is_left_alone)
{
	onsim_reopen(&o, "snbep", "sockets=1,frz_en=rw", NULL);
	poke("ch0 BOX_CTL", R_FRZ_EN);
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN));
	OK(&o, settle("ch0 BOX_CTL"));
	poke("ch0 BOX_CTL", 0);
	onsim_trace_clear(&o);
	OK(&o, restore());
	EQ(onsim_trace_count(&o, " w"), 0);
	HAS(o.notes, "BOX_CTL no longer holds");
}

/* One write lost on a part where frz_en reads back must not make it look like one where it does not. */
TEST(a_lost_write_is_not_taken_for_a_write_only_bit)
{
	onsim_reopen(&o, "snbep", "sockets=1,frz_en=rw", NULL);
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_DROP, .writes_only = true);
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN));
	OK(&o, settle("ch0 BOX_CTL"));
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN | R_FRZ));
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN));
	EQ(box_ctl("ch0 BOX_CTL"), R_FRZ_EN);
	OK(&o, restore());
	EQ(box_ctl("ch0 BOX_CTL"), 0);
	SAME(o.notes, "");
}

/* BOX_CTL 1:0 may be a reset (datasheet): should a part read ones there, they must not be written all the same. */
TEST(reserved_bits_that_were_read_are_not_put_back_into_box_ctl)
{
	onsim_reopen(&o, "snbep", "sockets=1,frz_en=rw", NULL);
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN));
	o.m->journal.entries[0].line.before = 0x00010003; /* what the Linux driver writes when it loads */
	OK(&o, settle("ch0 BOX_CTL"));
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN | R_FRZ));
	onsim_trace_clear(&o);
	OK(&o, restore());
	EQ(onsim_trace_count(&o, "w32 0xf4 0x00010000"), 2);
	EQ(onsim_trace_count(&o, " w32 "), 2);
}

TEST(only_a_register_that_was_written_can_be_settled)
{
	OK(&o, settle("ch0 BOX_CTL"));
	CU_ASSERT_TRUE(o.m->journal.entries[0].line.has_idle);
	OK(&o, put("ch0 BOX_CTL", R_FRZ_EN));
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_EIO);
	FAILS(&o, UNC_EIO, settle("ch0 BOX_CTL"), "BOX_CTL");
	ONSIM_FAIL(&o, .at = 1, .how = UNC_FAULT_ONES);
	FAILS(&o, UNC_ENODEV, settle("ch0 BOX_CTL"), "BOX_CTL", "all ones");
	onsim_work(&o);
}
