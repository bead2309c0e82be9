// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmon/pmon.h"

#include "onsim.h"
#include "test.h"

EACH_WITH_RUN(o, r, "sockets=1", NULL)

/* Counters in the middle of nowhere, so that no carry is near, and not 0, so that clearing one would show. */
static const uint64_t stale = UINT64_C(0x123480000000);

static void preset(struct unc_box *box)
{
	for (unsigned i = 0; i < 4; i++)
		onsim_poke48(&o, box, R_CTR(i), stale);
	onsim_poke48(&o, box, R_FIXED_CTR, stale);
}

/* Every write there was: a control of the channel, nothing reserved, no reset, no overflow enable; never a counter. */
static void check_writes(void)
{
	unsigned bad = 0;

	for (const char *at = o.trace; (at = strstr(at, " w")); at++) {
		unsigned off, value;

		if (sscanf(at, " w32 0x%x 0x%x", &off, &value) != 2)
			bad++;
		else if (off == R_BOX_CTL)
			bad += (value & ~(unsigned)(R_FRZ | R_FRZ_EN)) != 0;
		else if (off == R_FIXED_CTL)
			bad += (value & ~(unsigned)R_EN) != 0;
		else
			bad += off < R_CTL0 || off > R_CTL3 || (value & 0x003b0000) != 0;
	}
	if (bad)
		fprintf(stderr, "\n%s", o.trace);
	EQ(bad, 0);
}

/* ---- the order of programming ---- */

TEST(programming_is_done_in_the_order_of_the_guide)
{
	char *released;

	preset(onsim_box(&o, "socket0.imc0.ch2"));
	ONRUN(&r, &o, NULL, "socket0.imc0.ch2", "cas_count.rd", "cas_count.wr");
	released = strstr(o.trace, "w32 0xf4 0x00010100\n");
	released = released ? strstr(released, "w32 0xf4 0x00010000\n") : NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(released);
	CU_ASSERT_PTR_NOT_NULL_FATAL(strstr(released, "rblk 0xb0 "));
	strstr(released, "rblk 0xb0 ")[strlen("rblk 0xb0")] = '\0'; /* the counters' values are not of this test */
	SAME(o.trace,
	     /* who counts here? CTL[0..3], FIXED_CTL, BOX_CTL */
	     "pci 0000:ff:10.4 rblk 0xd8 0000000000000000000000000000000000000000000000000000000000000000\n"
	     /* freeze enable; freeze */
	     "pci 0000:ff:10.4 w32 0xf4 0x00010000\n"
	     "pci 0000:ff:10.4 w32 0xf4 0x00010100\n"
	     /* each control: configuration, the same with enable */
	     "pci 0000:ff:10.4 w32 0xe0 0x00000c04\n"
	     "pci 0000:ff:10.4 w32 0xe0 0x00400c04\n"
	     "pci 0000:ff:10.4 w32 0xe4 0x00000304\n"
	     "pci 0000:ff:10.4 w32 0xe4 0x00400304\n"
	     /* the clock, whose control held 0 */
	     "pci 0000:ff:10.4 w32 0xf0 0x00400000\n"
	     /* read back CTR[2..3], FIXED_CTR, CTL[0..3], FIXED_CTL, BOX_CTL; does freeze enable? */
	     "pci 0000:ff:10.4 rblk 0xb0 "
	     "00000080341200000000008034120000"
	     "00000000000000000000000000000000"
	     "0000008034120000"
	     "0000000000000000040c400004034000"
	     "0000000000000000"
	     "00004000"
	     "00000000\n"
	     /* release, twice lest a write is lost; baseline */
	     "pci 0000:ff:10.4 w32 0xf4 0x00010000\n"
	     "pci 0000:ff:10.4 w32 0xf4 0x00010000\n"
	     "pci 0000:ff:10.4 rblk 0xb0");
	EQ(onsim_box_ctl(&o, r.box[0]), R_FRZ_EN);
	CU_ASSERT_TRUE(onsim_peek48(&o, r.box[0], R_CTR(3)) > stale);
	CU_ASSERT_EQUAL(onsim_peek48(&o, r.box[0], R_CTR(1)), stale);
}

TEST(the_fixed_counter_is_switched_by_its_own_control)
{
	preset(onsim_box(&o, "socket0.imc0.ch0"));
	ONRUN(&r, &o, NULL, "socket0.imc0.ch0", "dclk");
	EQ(onsim_trace_count(&o, " w32 "), 5);
	HAS(o.trace, "pci 0000:ff:10.0 w32 0xf4 0x00010100\n"
		     "pci 0000:ff:10.0 w32 0xf0 0x00400000\n"
		     "pci 0000:ff:10.0 rblk 0xd0 0000008034120000"
		     "0000000000000000000000000000000000000000000000000000400000000000\n"
		     "pci 0000:ff:10.0 w32 0xf4 0x00010000\n");
	CU_ASSERT_TRUE(onsim_peek48(&o, r.box[0], R_FIXED_CTR) >= stale);
	onrun_close(&r);
	CU_ASSERT_EQUAL(onsim_peek(&o, onsim_box(&o, "socket0.imc0.ch0"), R_FIXED_CTL), 0);
	check_writes();
}

TEST(ending_gives_the_controls_back_and_leaves_the_box_released)
{
	static const struct {
		const char *options, *box_ctl;
	} cases[] = {
		/* write-only: frz_en stays, frz is off */
		{"sockets=1,frz_en=wo", "pci 0000:ff:10.0 r32 0xf4 0x00000000\n"
					"pci 0000:ff:10.0 w32 0xf4 0x00010000\n"
					"pci 0000:ff:10.0 r32 0xf4 0x00000000\n"},
		{"sockets=1,frz_en=rw", "pci 0000:ff:10.0 r32 0xf4 0x00010000\n"
					"pci 0000:ff:10.0 w32 0xf4 0x00000000\n"
					"pci 0000:ff:10.0 r32 0xf4 0x00000000\n"},
	};

	for (unsigned i = 0; i < 2; i++) {
		onrun_reopen(&r, &o, cases[i].options, NULL);
		onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch0"), R_CTL3, 0x00001234);
		ONRUN(&r, &o, NULL, "socket0.imc0.ch0", "cas_count.rd");
		onsim_trace_clear(&o);
		onrun_close(&r);
		HAS(o.trace, "pci 0000:ff:10.0 r32 0xe4 0x00400304\n"
			     "pci 0000:ff:10.0 w32 0xe4 0x00001234\n"
			     "pci 0000:ff:10.0 r32 0xe4 0x00001234\n");
		HAS(o.trace, cases[i].box_ctl);
		EQ(onsim_trace_count(&o, " w32 "), 3); /* these, and the clock's control */
		EQ(onsim_count(o.notes, "cannot be read back"), 1 - i);
	}
}

TEST(no_counter_and_no_reserved_bit_is_ever_written)
{
	static const char *const events[] = {"cas_count.rd", "dclk", "wpq_occupancy", "act_count", "clockticks"};
	static const struct unc_session_cfg cfgs[] = {{.freeze = false}, {.freeze = true}};

	for (unsigned i = 0; i < 2; i++) {
		onrun_reopen(&r, &o, "sockets=1", NULL);
		onrun_open(&r, &o, &cfgs[i]);
		for (unsigned k = 0; k < 5; k++)
			onrun_add(&r, "socket0.imc0.ch3", events[k]);
		onrun_start(&r);
		for (unsigned k = 0; k < 5; k++) {
			onrun_read_after(&r, 70 * MS_NS);
		}
		onrun_close(&r);
		CU_ASSERT_TRUE(onsim_trace_count(&o, " w32 ") >= 5 * 3 + 4);
		check_writes();
	}
}

/* ---- others in the box ---- */

TEST(where_another_process_counts_box_ctl_is_never_written)
{
	static const uint32_t controls[] = {R_CTL(0), R_CTL(1), R_CTL(2), R_FIXED_CTL};

	for (unsigned i = 0; i < 4; i++) {
		struct unc_box *box;
		uint32_t foreign = controls[i] == R_FIXED_CTL ? R_EN : R_EN | 0x0c04;

		onrun_reopen(&r, &o, "sockets=1", NULL);
		box = onsim_box(&o, "socket0.imc0.ch1");
		preset(box);
		onsim_poke(&o, box, controls[i], foreign);
		onrun_open(&r, &o, NULL);
		onrun_add(&r, "socket0.imc0.ch1", "cas_count.rd");
		onrun_add(&r, "socket0.imc0.ch0", "cas_count.rd");
		onrun_start(&r);
		GOOD_AFTER(&r, 200 * MS_NS, 0, 100);
		onrun_close(&r);
		EQ(onsim_trace_count(&o, "10.1 w32 0xf4"), 0);
		EQ(onsim_trace_count(&o, "10.0 w32 0xf4"), 5); /* the other box is not meant */
		EQ(onsim_peek(&o, box, controls[i]), foreign);
		EQ(onsim_box_ctl(&o, box), 0);
	}
}

/* frz is write-only on this part; one where it can be read would tell. */
TEST(a_box_frozen_by_another_process_that_counts_is_in_use)
{
	onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch1"), R_CTL(0), R_EN | 0x304);
	ONSIM_FAIL(&o, .or_off = R_BOX_CTL, .or_value = R_FRZ);
	onrun_open(&r, &o, NULL);
	onrun_add(&r, "socket0.imc0.ch0", "cas_count.rd"); /* frozen too, but no program counts there */
	onrun_add(&r, "socket0.imc0.ch1", "cas_count.rd");
	FAILS(&o, UNC_EBUSY, unc_session_start(r.s), "socket0.imc0.ch1 (0000:ff:10.1)", "frozen",
	      "try again when it is released");
	EQ(onsim_trace_count(&o, " w"), 0);
	onrun_close(&r);
	onsim_work(&o);
}

TEST(a_frozen_box_where_nobody_counts_can_be_used)
{
	onrun_reopen(&r, &o, "sockets=1", "dword_ns=0");
	onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch0"), R_BOX_CTL, R_FRZ_EN | R_FRZ);
	ONSIM_FAIL(&o, .or_off = R_BOX_CTL, .or_value = R_FRZ);
	ONRUN(&r, &o, NULL, "socket0.imc0.ch0", "cas_count.rd");
	onsim_work(&o); /* it was released, and reads so */
	GOOD_AFTER(&r, S_NS, 0, 0);
}

/* ---- what does not work ---- */

TEST(a_control_that_does_not_stick_is_named_with_both_values)
{
	onsim_poke(&o, onsim_box(&o, "socket0.imc0.ch2"), R_CTL3, 0x00000101);
	onrun_open(&r, &o, NULL);
	onrun_add(&r, "socket0.imc0.ch0", "cas_count.rd");
	onrun_add(&r, "socket0.imc0.ch2", "cas_count.rd");
	ONSIM_FAIL(&o, .at = 1, .forever = true, .how = UNC_FAULT_DROP, .only = "0000:ff:10.4");
	FAILS(&o, UNC_EIO, unc_session_start(r.s), "socket0.imc0.ch2 (0000:ff:10.4)", "CTL[3] at 0xe4",
	      "wrote 0x00400304", "reads back 0x00000101");
	OK(&o, onrun_try_close(&r)); /* it is as it was found */
	onsim_work(&o);
	CU_ASSERT_EQUAL(onsim_peek(&o, r.box[0], R_CTL3), 0);
}

/* From its first write on CTL[3] reads with more bits. */
/* It seems to be another process's counter by then, and BOX_CTL is left alone: as it is must be released. */
TEST(a_start_that_fails_leaves_no_box_frozen)
{
	onrun_open(&r, &o, NULL);
	onrun_add(&r, "socket0.imc0.ch0", "cas_count.rd");
	ONSIM_FAIL(&o, .or_off = R_CTL(3), .or_value = 1 << 10);
	FAILS(&o, UNC_EIO, unc_session_start(r.s), "socket0.imc0.ch0", "CTL[3] at 0xe4 did not take the write");
	EQ(onsim_box_ctl(&o, r.box[0]) & R_FRZ, 0);
	onrun_try_close(&r);
	EQ(onsim_box_ctl(&o, onsim_box(&o, "socket0.imc0.ch0")) & R_FRZ, 0);
	onsim_work(&o);
	onsim_close_any(&o);
}

static void more_bits(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	(void)arg, (void)addr;
	if (write && off == R_CTL3)
		o.fault.or_off = R_CTL3;
}

TEST(only_bits_that_are_no_reserved_ones_must_read_back)
{
	static const uint32_t bits[] = {1 << 20, 1 << 16, 1 << 23, 1 << 8 << 2};
	static const char *const reads_back[] = {NULL, NULL, "reads back 0x00c00304", "reads back 0x00400704"};

	for (unsigned i = 0; i < 4; i++) {
		onrun_reopen(&r, &o, "sockets=1", NULL);
		onrun_open(&r, &o, NULL);
		onrun_add(&r, "socket0.imc0.ch0", "cas_count.rd");
		ONSIM_FAIL(&o, .or_off = UINT32_MAX - 8, .or_value = bits[i], .before = more_bits);
		if (reads_back[i])
			FAILS(&o, UNC_EIO, unc_session_start(r.s), reads_back[i]);
		else
			OK(&o, unc_session_start(r.s));
		onsim_work(&o);
	}
}

TEST(a_unit_that_is_not_driven_so_is_not_supported)
{
	struct unc_pmon_box pbox;
	struct unc_box ubox;
	struct unc_unit *imc;
	struct unc_box *box;

	box = onsim_box(&o, "socket0.imc0.ch0");
	ubox = *box;
	ubox.unit = unc_map_unit(o.m->map, "ubox");
	FAILS(&o, UNC_ENOSUP, unc_pmon1_init(&ubox, &pbox), "intel-snbep-ubox", "pmon1");
	imc = &o.m->map->units[box->unit - o.m->map->units];
	OK(&o, unc_pmon1_init(box, &pbox));
	EQ(pbox.n_slots, 5);
	imc->model = "pmon2";
	FAILS(&o, UNC_ENOSUP, unc_pmon1_init(box, &pbox), "pmon1");
	imc->model = "pmon1";
	imc->regs[onsim_reg(box, "CTL") - imc->regs].count = 8;
	FAILS(&o, UNC_ENOSUP, unc_pmon1_init(box, &pbox), "has 8 counters in a box", "at most 7 and the fixed one");
}

TEST(an_event_that_selects_what_there_is_not_is_refused)
{
	struct unc_event *event;
	struct unc_box *box;

	onrun_open(&r, &o, NULL);
	box = onsim_box(&o, "socket0.imc0.ch0");
	event = &o.m->map->units[box->unit - o.m->map->units]
			 .events[unc_unit_event(box->unit, "cas_count.rd") - box->unit->events];
	event->select[0].field = "opcode";
	FAILS(&o, UNC_ENOREG, unc_session_add(r.s, box, "cas_count.rd", NULL), "cas_count.rd",
	      "CTL has no field opcode");
	event->select[0].field = "ev_sel";
}
