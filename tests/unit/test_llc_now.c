// SPDX-License-Identifier: GPL-2.0-or-later
/* RMIDs as they are, one at a time and one reading at a time: against the truth, to the quantum. */
#include "onllc.h"
#include "rdt/llc.h"

#include "test.h"

EACH_ON_LLC(x)

static struct unc_llc_now now(size_t row, enum unc_llc_event event)
{
	struct unc_llc_now now;

	OK(&x.o, unc_llc_read_now(x.llc, row, event, &now));
	return now;
}

/* CPU 0, 1 carry RMID 5, CPU 4 RMID 140, which an erratum makes count wrong; rows are 5 and 140 of either L3. */
static void open_two(const char *own)
{
	static const struct unc_llc_cfg shared = {.shared = true};

	onllc_open_load(&x, BDX_16,
			"  0: {occupancy: 4e6, total: 10e9, local: 5e9}\n"
			"  4: {occupancy: 3e6, total: 7e9, local: 6e9}\n",
			own, &shared);
	onllc_poke(&x, 0, R_PQR, 5);
	onllc_poke(&x, 1, R_PQR, 5);
	onllc_poke(&x, 4, R_PQR, 140);
	OK(&x.o, unc_llc_add_rmid(x.llc, 140));
	OK(&x.o, unc_llc_add_rmid(x.llc, 5));
	OK(&x.o, unc_llc_add_rmid(x.llc, 5));
	onllc_start(&x);
}

TEST(one_rmid_has_a_row_for_each_l3)
{
	static const unsigned rmids[] = {5, 5, 140, 140}, l3s[] = {0, 1, 0, 1};
	struct onllc_state before, after;

	open_two("dword_ns=0");
	EQ(x.n, 4);
	for (size_t i = 0; i < 4; i++) {
		EQ(x.infos[i].rmid, rmids[i]);
		EQ(x.infos[i].l3, l3s[i]);
		CU_ASSERT_TRUE(x.infos[i].as_is);
	}
	before = onllc_state(&x);
	for (size_t i = 0; i < 4; i++)
		now(i, UNC_LLC_TOTAL);
	after = onllc_state(&x);
	for (size_t i = 0; i < before.n; i++)
		EQ(before.pqr[i], after.pqr[i]);
}

TEST(a_reading_is_what_moved_since_the_start)
{
	struct unc_sim_llc start[2], is;

	open_two("dword_ns=0");
	start[0] = onllc_truth(&x, 0, 5);
	for (unsigned k = 0; k < 3; k++) {
		struct unc_llc_now total, local, owned;

		onsim_step(&x.o, 300 * MS_NS + k);
		is = onllc_truth(&x, 0, 5);
		total = now(0, UNC_LLC_TOTAL);
		local = now(0, UNC_LLC_LOCAL);
		owned = now(0, UNC_LLC_OCCUPANCY);
		EQ(total.status, UNC_LLC_OK);
		EQ(total.bytes, onllc_moved(start[0].total_bytes, is.total_bytes, BDX_UNIT));
		EQ(local.bytes, onllc_moved(start[0].local_bytes, is.local_bytes, BDX_UNIT));
		EQ(owned.bytes, is.occupancy_bytes / BDX_UNIT * BDX_UNIT);
		EQ(total.before_ns, unc_machine_raw_ns(x.o.m));
		CU_ASSERT_FALSE(total.corrected);
	}
	CU_ASSERT_TRUE(is.total_bytes > start[0].total_bytes + 1000 * BDX_UNIT);
}

/* Linux's table for 144 RMIDs: 1.185255 above 127. */
TEST(the_erratum_is_corrected)
{
	struct unc_sim_llc start, is;
	struct unc_llc_now total;
	uint64_t moved;

	open_two("dword_ns=0");
	start = onllc_truth(&x, 1, 140);
	onsim_step(&x.o, S_NS);
	is = onllc_truth(&x, 1, 140);
	total = now(3, UNC_LLC_TOTAL);
	moved = is.total_bytes - start.total_bytes;
	EQ(total.status, UNC_LLC_OK);
	CU_ASSERT_TRUE(total.corrected);
	CU_ASSERT_TRUE(moved > 10000 * BDX_UNIT);
	CU_ASSERT_DOUBLE_EQUAL((double)total.bytes, (double)moved, 3.0 * BDX_UNIT);
}

TEST(a_long_sleep_loses_nothing)
{
	struct unc_sim_llc start, is;
	struct unc_llc_now total;

	open_two("dword_ns=0");
	start = onllc_truth(&x, 0, 5);
	OK(&x.o, unc_llc_sleep_until(x.llc, unc_machine_mono_ns(x.o.m) + 300 * S_NS));
	is = onllc_truth(&x, 0, 5);
	total = now(0, UNC_LLC_TOTAL);
	CU_ASSERT_TRUE(is.total_bytes - start.total_bytes > BDX_UNIT << 24); /* more than a counter holds */
	EQ(total.status, UNC_LLC_OK);
	EQ(total.bytes, onllc_moved(start.total_bytes, is.total_bytes, BDX_UNIT));
}

TEST(one_that_may_have_wrapped_is_stale_and_begins_anew)
{
	struct unc_sim_llc is;
	struct unc_llc_now total;

	open_two("dword_ns=0");
	onsim_step(&x.o, 100 * S_NS);
	total = now(0, UNC_LLC_TOTAL);
	EQ(total.status, UNC_LLC_STALE);
	EQ(total.bytes, 0);
	for (unsigned i = 0; i < 100; i++) { /* from there on beyond what a counter holds, too */
		onsim_step(&x.o, 2 * S_NS);
		is = onllc_truth(&x, 0, 5);
		total = now(0, UNC_LLC_TOTAL);
		EQ(total.status, UNC_LLC_OK);
		EQ(total.bytes, is.total_bytes / BDX_UNIT * BDX_UNIT);
	}
	CU_ASSERT_TRUE(is.total_bytes > BDX_UNIT << 24);
}

TEST(hardware_may_say_no)
{
	static const struct {
		const char *own;
		enum unc_llc_status status;
	} cases[] = {
		{"dword_ns=0,qm=unavailable", UNC_LLC_UNAVAILABLE},
		{"dword_ns=0,qm=error", UNC_LLC_ERROR},
		{"dword_ns=0,disturb=1:1000000", UNC_LLC_DISTURBED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_two(cases[i].own);
		EQ(now(0, UNC_LLC_TOTAL).status, cases[i].status);
		EQ(now(0, UNC_LLC_OCCUPANCY).status, cases[i].status);
		EQ(now(0, UNC_LLC_OCCUPANCY).bytes, 0);
	}
}

TEST(an_access_that_fails_has_its_sentence)
{
	struct unc_llc_now total = {0};

	open_two("dword_ns=0");
	ONSIM_FAIL(&x.o, .at = 1, .forever = true);
	FAILS(&x.o, UNC_EIO, unc_llc_read_now(x.llc, 0, UNC_LLC_TOTAL, &total), "QM_EVTSEL");
	EQ(total.status, UNC_LLC_ERROR);
	FAILS(&x.o, UNC_EIO, unc_llc_read_now(x.llc, 0, UNC_LLC_OCCUPANCY, &total), "QM_EVTSEL");
	EQ(total.status, UNC_LLC_ERROR);
	onsim_work(&x.o);
}

TEST(an_event_that_is_not_monitored_is_not_asked)
{
	static const struct unc_llc_cfg cfg = {.events = 1 << UNC_LLC_OCCUPANCY, .shared = true};

	onllc_open(&x, "bdx", BDX_16, "dword_ns=0", &cfg);
	OK(&x.o, unc_llc_add_rmid(x.llc, 0));
	onllc_start(&x);
	EQ(now(0, UNC_LLC_TOTAL).status, UNC_LLC_NOT_ASKED);
	EQ(now(0, UNC_LLC_OCCUPANCY).status, UNC_LLC_OK);
}

TEST(an_rmid_that_there_is_not_is_refused)
{
	onllc_open(&x, "bdx", BDX_16, "dword_ns=0", NULL);
	FAILS(&x.o, UNC_EARG, unc_llc_start(x.llc), "one group at least");
	FAILS(&x.o, UNC_EARG, unc_llc_add_rmid(x.llc, 144), "no RMID 144", "143 is the highest");
	OK(&x.o, unc_llc_add_rmid(x.llc, 143));
	onllc_start(&x);
	EQ(x.n, 2);
	FAILS(&x.o, UNC_EARG, unc_llc_add_rmid(x.llc, 1), "has started");
}
