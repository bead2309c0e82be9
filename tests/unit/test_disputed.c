// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of ours that another program programs meanwhile. */
#include "onsim.h"
#include "onmultiplex.h"
#include "test.h"

EACH_ON_SIM(o, "snbep", "sockets=1,frz_en=rw", "dword_ns=0")

#define CH0 "socket0.imc0.ch0"

static struct unc_box *channel(void)
{
	return onsim_box(&o, CH0);
}

static struct onrun r;

static void after(uint64_t ns)
{
	onsim_step(&o, ns);
	onrun_read(&r);
}

/* What perf does with an event that it starts anew: off, from 0, on. */
static void program_anew(uint32_t ctl, uint32_t ctr)
{
	uint32_t value = onsim_peek(&o, r.box[0], ctl);

	onsim_poke(&o, r.box[0], ctl, value & ~(uint32_t)R_EN);
	onsim_poke48(&o, r.box[0], ctr, 0);
	onsim_poke(&o, r.box[0], ctl, value);
}

static void begin(const char *event)
{
	onrun_open(&r, &o, NULL);
	onrun_add(&r, CH0, event);
	onrun_start(&r);
	after(S_NS);
	IS_GOOD(&r, 0, 0);
}

/* Ends it: that control holds that, and nothing was written to it nor to BOX_CTL. */
static void ends_with(uint32_t ctl, uint32_t value)
{
	char write[16];

	snprintf(write, sizeof(write), "w32 0x%x ", ctl);
	onsim_trace_clear(&o);
	onrun_close(&r);
	EQ(onsim_peek(&o, channel(), ctl), value);
	EQ(onsim_trace_count(&o, write), 0);
	EQ(onsim_trace_count(&o, "w32 0xf4 "), 0);
}

static const struct unc_host_ops *real_ops;

/* Beside us there is the lock file of LIKWID. */
static int look_of_likwid(struct unc_host *host, enum unc_look what, const char *path, size_t max,
			  struct unc_os_found *ret_found)
{
	if (what != UNC_LOOK_TEXT || strcmp(path, "/var/run/likwid.lock") != 0)
		return real_ops->look(host, what, path, max, ret_found);
	*ret_found = (struct unc_os_found){.text = calloc(1, 1)};
	return UNC_OK;
}

TEST(one_programmed_to_our_very_value_stays_on_where_another_program_is_found)
{
	static struct unc_host_ops ops; /* until the machine is closed */

	begin("cas_count.rd");
	program_anew(R_CTL(3), R_CTR(3));
	after(50 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_RESET);
	after(S_NS);
	IS_GOOD(&r, 0, 0); /* the other program counts the same */
	real_ops = o.m->host->ops;
	ops = *real_ops;
	ops.look = look_of_likwid;
	o.m->host->ops = &ops;
	ends_with(R_CTL(3), R_EN | 0x304);
	HAS(o.notes, CH0 ": CTL[3]: another program may count there (possible: LIKWID counts");
	HAS(o.notes, "`uncorectl reg set '" CH0 ".CTL[3].en=0' --write --keep` switches it off");
}

/* Whatever made it jump: nothing says that it is another program's. */
TEST(one_whose_counter_jumped_is_put_back)
{
	for (unsigned freeze = 0; freeze < 2; freeze++) {
		const struct unc_session_cfg cfg = {.freeze = freeze};
		struct onsim_controls before;

		onsim_reopen(&o, "snbep", "sockets=1,frz_en=rw", "dword_ns=0");
		before = onsim_controls(&o);
		for (unsigned run = 0; run < 5; run++) { /* and no run uses a counter up */
			onrun_open(&r, &o, &cfg);
			onrun_add(&r, CH0, "cas_count.rd");
			onrun_add(&r, CH0, "dclk");
			onrun_start(&r);
			after(S_NS);
			onsim_poke48(&o, r.box[0], R_CTR(3), 5);
			onsim_poke48(&o, r.box[0], R_FIXED_CTR, 5);
			after(50 * MS_NS);
			IS_FLAGGED(&r, 0, UNC_COUNT_RESET);
			IS_FLAGGED(&r, 1, UNC_COUNT_RESET);
			onrun_close(&r);
			onsim_controls_are(&o, &before, UINT32_MAX);
		}
		HAS(o.notes, CH0 ": the counter of CTL[3] jumped by more than it can count");
		HAS(o.notes, CH0 ": the counter of FIXED_CTL jumped by more than it can count");
	}
}

TEST(one_that_was_seen_off_and_is_on_again_stays_on)
{
	begin("cas_count.rd");
	onsim_poke(&o, r.box[0], R_CTL(3), 0x304);
	after(150 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOLEN);
	onsim_poke(&o, r.box[0], R_CTL(3), R_EN | 0x304);
	after(150 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOLEN); /* it was, when this interval began */
	after(S_NS);
	IS_GOOD(&r, 0, 0);
	ends_with(R_CTL(3), R_EN | 0x304);
	HAS(o.notes, "stays on");
}

TEST(one_that_holds_something_else_stays_as_it_is)
{
	begin("cas_count.rd");
	onsim_poke(&o, r.box[0], R_CTL(3), R_EN | 0x0104);
	after(150 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOLEN);
	ends_with(R_CTL(3), R_EN | 0x0104);
	HAS(o.notes, "CTL[3] no longer holds what was written");
}

TEST(the_fixed_counter_is_no_exception)
{
	begin("dclk");
	onsim_poke(&o, r.box[0], R_FIXED_CTL, 0);
	after(150 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOLEN);
	onsim_poke(&o, r.box[0], R_FIXED_CTL, R_EN);
	after(150 * MS_NS);
	ends_with(R_FIXED_CTL, R_EN);
	HAS(o.notes, "FIXED_CTL.en=0' --write --keep");
	onsim_reopen(&o, "snbep", "sockets=1,frz_en=rw", "dword_ns=0");
	begin("dclk");
	onsim_poke(&o, r.box[0], R_FIXED_CTL, 0);
	after(150 * MS_NS);
	IS_FLAGGED(&r, 0, UNC_COUNT_STOLEN);
	onrun_close(&r);
	EQ(onsim_peek(&o, channel(), R_FIXED_CTL), 0); /* as it was found: it is not switched on again */
}

TEST(one_that_no_other_program_wrote_is_put_back)
{
	begin("cas_count.rd");
	onrun_close(&r);
	EQ(onsim_peek(&o, channel(), R_CTL(3)), 0);
	SAME(o.notes, "");
}

/* Every event whose turn it would be in that counter is stolen from then on; what the other process counts, we count. */
TEST(a_turn_does_not_take_it_back)
{
	uint32_t theirs;
	unsigned n_scaled = 0, n_stolen = 0;

	onrun_open(&r, &o, &turns);
	for (unsigned i = 0; i < 8; i++)
		onrun_add(&r, CH0, eight[i]);
	onrun_start(&r);
	sleep_on(&r, 105 * MS_NS);
	program_anew(R_CTL(3), R_CTR(3));
	theirs = onsim_peek(&o, r.box[0], R_CTL(3));
	sleep_on(&r, 10 * MS_NS);
	onrun_read(&r);
	onsim_trace_clear(&o);
	for (unsigned k = 0; k < 3; k++) {
		sleep_on(&r, 50 * MS_NS);
		onrun_read(&r);
	}
	for (unsigned i = 0; i < 8; i++) {
		n_scaled += r.c[i].flags == UNC_COUNT_SCALED;
		n_stolen += r.c[i].flags == UNC_COUNT_STOLEN;
	}
	EQ(n_scaled, 7);
	EQ(n_stolen, 1);
	CU_ASSERT_TRUE(onsim_trace_count(&o, "w32 0xe0 ") > 0);
	EQ(onsim_trace_count(&o, "w32 0xe4 "), 0);
	EQ(onsim_peek(&o, r.box[0], R_CTL(3)), theirs);
	onrun_close(&r);
	EQ(onsim_peek(&o, channel(), R_CTL(3)), 0);
}
