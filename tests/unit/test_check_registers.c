// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of registers on healthy machines of every kind, and on machines whose registers do not hold what they should. */
#include "onchecks.h"
#include "test.h"

EACH(NULL, onchecks_end)

TEST(counters_are_as_before)
{
	struct unc_box *box;

	onchecks_open("snbep", "sockets=1", NULL);
	box = onsim_box(&rig.o, "socket0.imc0.ch2");
	for (unsigned i = 0; i < 4; i++)
		onsim_poke48(&rig.o, box, R_CTR(i), UINT64_C(0x123456789ab) * (i + 1));
	onchecks_run(UNC_CHECK_QUICK, "registers", NULL, 0);
	for (unsigned i = 0; i < 4; i++)
		EQ(onsim_peek48(&rig.o, box, R_CTR(i)), UINT64_C(0x123456789ab) * (i + 1));
}

/* A defect, which check must find it, and what its sentence says. */
static const struct {
	const char *model, *defect, *check, *piece;
} defects[] = {
	{"snbep", "stuck0:socket0.imc0.ch1:0xd8:3", "registers.bits", "CTL[0]: bit 3 (ev_sel) stays 0"},
	{"bdx", "stuck1:socket0.imc0.ch1:0xdc:26", "registers.bits", "CTL[1]: bit 26 (thresh) stays 1"},
	{"hsx", "stuck1:socket0.imc0.ch1:0xdc:9", "registers.bits", "CTL[1]: bit 9 (umask) stays 1"},
	{"cpx", "stuck0:socket0.imc0.ch1:0xf0:22", "registers.bits", "FIXED_CTL: bit 22 (en) stays 0"},
	{"snbep", "stuck0:socket0.imc0.ch1:0xa0:20", "registers.bits", "CTR[0]: bit 20 (event_count) stays 0"},
	{"snbep", "stuck0:socket0.imc0.ch1:0xa4:8", "registers.bits", "CTR[0]: bit 40 (event_count) stays 0"},
	{"snbep", "stuck1:socket0.imc0.ch1:0xe4:19", "registers.readonly", "CTL[3]: reserved bits: wrote"},
	{"snbep", "stuck1:socket0.imc0.ch1:0xe4:19", "registers.reset", "CTL[3]: rsv_19 as found: read"},
	{"ivt", "stuck1:socket0.imc0.ch1:0xd4:31", "registers.width", "above its 48 bits"},
	{"snbep", "width:socket0.imc0.ch1:2:47", "registers.width", "CTR[2] holds 47 bits, not 48"},
	{"hsx", "width:socket0.imc0.ch1:fixed:40", "registers.width", "FIXED_CTR holds 40 bits, not 48"},
	{"snbep", "writes-alias:socket0.imc0.ch0:socket0.imc0.ch1", "registers.channels",
	 "written to socket0.imc0.ch0"},
	{"snbep", "writes-alias:socket0.imc0.ch3:socket0.imc0.ch1", "registers.channels",
	 "written to socket0.imc0.ch3"},
	{"hsx", "writes-alias:socket0.imc1.ch1:socket0.imc0.ch1:0xa8", "registers.channels", "CTR[1]: held"},
	{"hsx", "writes-alias:socket0.imc0.ch0:socket0.imc0.ch1:0xdc", "registers.channels", "CTL[1]: held"},
	{"snbep", "write-clears:socket0.imc0.ch1:0xa0:0xa4", "registers.halves", "CTR[0]: a write of its low dword"},
	{"hsx", "write-clears:socket0.imc0.ch1:0xd0:0xd4", "registers.halves", "FIXED_CTR: a write of its low dword"},
	{"skx", "write-clears:socket0.imc0.ch1:0xbc:0xb8", "registers.bits", "CTR[3]: bit 0 (event_count) stays 0"},
};

TEST(what_registers_do_not_hold_is_found_and_named)
{
	for (size_t i = 0; i < sizeof(defects) / sizeof(defects[0]); i++) {
		onchecks_quick(defects[i].model, test_text("sockets=1,defect=%s", defects[i].defect), NULL,
			       defects[i].check);
		FOUND(defects[i].check, "socket0.imc0.ch1", UNC_CHECK_FAIL, defects[i].piece);
		EQ(onchecks_count(defects[i].check, UNC_CHECK_FAIL), 1);
		rig.broken = true;
	}
}

TEST(writes_that_are_lost_now_and_then_are_counted)
{
	static const char *const commons[] = {"sockets=1", "sockets=1,ctl_writes=twice"};

	for (unsigned seed = 1; seed <= 8; seed++) {
		onchecks_open("hsx", test_text("%s,defect=drops:socket0.imc0.ch1:100,seed=%u", commons[seed % 2], seed),
			      NULL);
		onchecks_run(UNC_CHECK_FULL, "registers.writes", NULL, 0);
		EQ(onchecks_count("registers.writes", UNC_CHECK_FAIL), 1);
		FOUND("registers.writes", "socket0.imc0.ch0", UNC_CHECK_PASS, "all read back", "99 %");
		rig.broken = true;
	}
}

TEST(two_writes_that_a_control_takes_are_no_loss)
{
	onchecks_open("hsx", "sockets=1,ctl_writes=twice", NULL);
	onchecks_run(UNC_CHECK_USUAL, "registers.writes", NULL, 0);
	FOUND("registers.writes", "socket0.imc0.ch0", UNC_CHECK_PASS, "a control takes two writes here");
	onchecks_open("hsx", "sockets=1", NULL);
	onchecks_run(UNC_CHECK_USUAL, "registers.writes", NULL, 0);
	CU_ASSERT_PTR_NULL(strstr(onchecks_result("registers.writes", "socket0.imc0.ch0").finding, "takes two"));
}

TEST(it_is_told_which_source_silicon_agrees_with)
{
	onchecks_quick("snbep", "sockets=1,frz_en=rw", NULL, "registers.bits");
	TESTED("registers.bits", "socket0.imc0.ch0",
	       "BOX_CTL.frz_en: {tested: \"reads back what is written: as ds_snb (rw); not as g_jkt (wo)\"}");
	TESTED("registers.bits", "socket0.imc0.ch0",
	       "BOX_CTL.frz: {tested: \"reads 0 whatever is written: as g_jkt (wo); not as krn (rw)\"}");
	onchecks_quick("snbep", "sockets=1", NULL, "registers.bits");
	TESTED("registers.bits", "socket0.imc0.ch0",
	       "BOX_CTL.frz_en: {tested: \"reads 0 whatever is written: as g_jkt (wo); not as ds_snb (rw)\"}");
}

TEST(what_is_in_doubt_cannot_fail)
{
	/* The datasheet says that bit 31 of the threshold is not used. */
	onchecks_quick("snbep", "sockets=1,defect=stuck0:socket0.imc0.ch1:0xd8:31", NULL, "registers.bits");
	NONE_FAILED();
	TESTED("registers.bits", "socket0.imc0.ch1",
	       "CTL[0].thresh: {tested: \"bit 31 does not hold what is written\"}");
	rig.broken = true;
}

/* ---- a channel of which one dword is another's ---- */

static const struct unc_bus_ops *plain; /* of the bus */
static uint32_t alias_at, alias_of;

static int read_alias(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	unsigned char other[4];
	int rc = plain->read(space, off, buf, len);

	if (rc < 0 || space->addr.pci.fn != 1 || off > alias_at || off + len < alias_at + 4)
		return rc;
	rc = plain->read(space, alias_of, other, sizeof(other));
	if (rc == 0)
		memcpy((char *)buf + (alias_at - off), other, sizeof(other));
	return rc;
}

TEST(what_follows_another_register_is_found)
{
	static const struct {
		uint32_t at, of;
		const char *piece;
	} aliases[] = {
		{0xc4, 0xd8, "the dword at 0xc4, which was not written, follows"},
		{0x60, 0xa4, "the dword at 0x60, which was not written, follows"},
		{0xdc, 0xe4, "CTL[1]: held"},
		{0xdc, 0xe4, "what was written to CTL[3]"},
		{0xa8, 0xb0, "CTR[1]: held"},
	};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		struct unc_bus_ops ops;
		struct unc_bus *bus;

		onchecks_open("snbep", "sockets=1", NULL);
		bus = rig.o.m->bus[UNC_PCI];
		plain = bus->ops;
		ops = *plain;
		ops.read = read_alias;
		alias_at = aliases[i].at;
		alias_of = aliases[i].of;
		bus->ops = &ops;
		onchecks_run(UNC_CHECK_QUICK, "registers.alias", NULL, 0);
		bus->ops = plain;
		FOUND("registers.alias", "socket0.imc0.ch1", UNC_CHECK_FAIL, aliases[i].piece);
		EQ(onchecks_count("registers.alias", UNC_CHECK_PASS), 3);
		rig.broken = true;
	}
}

/* Each of two that are one loses what was written to it, in one of the two orders. */
TEST(two_channels_that_are_one_both_fail_and_nothing_more_is_told_of_them)
{
	onchecks_quick("hsx", "sockets=2,defect=same-box:socket0.imc0.ch1:socket1.imc0.ch1", NULL, "registers");
	FOUND("registers.channels", "socket0.imc0.ch1", UNC_CHECK_FAIL, "what was written to socket1.imc0.ch1");
	FOUND("registers.channels", "socket1.imc0.ch1", UNC_CHECK_FAIL, "what was written to socket0.imc0.ch1");
	FOUND("registers.width", "socket1.imc0.ch1", UNC_CHECK_SKIP, "registers.channels", "nothing can be told");
	EQ(onchecks_count("registers.channels", UNC_CHECK_FAIL), 2);
	EQ(onchecks_count("registers.width", UNC_CHECK_PASS), rig.before.n - 2);
	rig.broken = true;
}

TEST(what_another_program_used_is_told_and_no_failure)
{
	onchecks_open("snbep", "sockets=1", NULL);
	onsim_poke(&rig.o, onsim_box(&rig.o, "socket0.imc0.ch0"), R_CTL(1), 0x304);
	rig.before = onsim_controls(&rig.o);
	onchecks_run(UNC_CHECK_QUICK, "registers.reset", NULL, 0);
	FOUND("registers.reset", "socket0.imc0.ch0", UNC_CHECK_PASS, "CTL[1].umask, CTL[1].ev_sel", "no failure");
}
