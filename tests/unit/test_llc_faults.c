// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache monitoring where an access fails, and where another process monitors too: never a wrong number, never a register left. */
#include "onllc.h"
#include "test.h"

EACH_ON_LLC(x)

static struct unc_sim_llc before;

/* A group "a" of these CPUs. */
static void begin(const char *cpus)
{
	ONLLC(&x, "bdx", BDX_16, "dword_ns=0", NULL, "a", cpus);
	before = onllc_truth(&x, 0, x.infos[0].rmid);
}

static const struct unc_llc_value *total(void)
{
	return &x.rows[0].values[UNC_LLC_TOTAL];
}

/* Of all that moved since `before`, which is now from then on. */
static void total_is_true(void)
{
	struct unc_sim_llc now = onllc_truth(&x, 0, x.infos[0].rmid);

	EQ(total()->status, UNC_LLC_OK);
	EQ(total()->bytes, onllc_moved(before.total_bytes, now.total_bytes, BDX_UNIT));
	before = now;
}

/* Between the write of QM_EVTSEL and the reading of QM_CTR. */
struct disturber {
	unsigned nth, times; /* from the nth reading of QM_CTR on */
	unsigned seen;
};

static void disturb(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct disturber *d = arg;

	if (write || off != R_QM_CTR)
		return;
	d->seen++;
	if (d->seen >= d->nth && d->seen < d->nth + d->times)
		onllc_poke(&x, addr->msr.cpu, R_EVTSEL, UINT64_C(3) << 32 | QM_LOCAL);
}

TEST(evtsel_written_in_between_is_tried_again_twice_then_disturbed)
{
	struct disturber d = {.nth = 2, .times = 2};

	begin("0-3");
	ONSIM_FAIL(&x.o, .before = disturb, .arg = &d);
	onllc_read_after(&x, 100 * MS_NS);
	EQ(d.seen, 5);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_OK, UNC_LLC_OK);
	total_is_true();
	d = (struct disturber){.nth = 2, .times = 3};
	onllc_read_after(&x, 100 * MS_NS);
	EQ(d.seen, 5);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_DISTURBED, UNC_LLC_OK);
	EQ(total()->bytes, 0);
	CU_ASSERT_FALSE(x.rows[0].has_remote);
	/* What moved meanwhile is in the next number, whose interval says so; there is no remote of two intervals. */
	onllc_read_after(&x, 100 * MS_NS);
	EQ(total()->interval_ns, 200 * MS_NS);
	total_is_true();
	EQ(x.rows[0].values[UNC_LLC_LOCAL].interval_ns, 100 * MS_NS);
	CU_ASSERT_FALSE(x.rows[0].has_remote);
	onllc_read_after(&x, 100 * MS_NS);
	CU_ASSERT_TRUE(x.rows[0].has_remote);
	onsim_work(&x.o);
}

/* The simulated machine's own other hand: right behind each of our writes of QM_EVTSEL after the start's three. */
TEST(another_process_that_never_stops_disturbs)
{
	char lack[200];

	ONLLC(&x, "bdx", BDX_16, "dword_ns=0,disturb=4:1000000", NULL, "a", "0-3");
	for (unsigned k = 0; k < 5; k++) {
		onllc_read_after(&x, 100 * MS_NS);
		STATUS_IS(&x, 0, UNC_LLC_DISTURBED, UNC_LLC_DISTURBED, UNC_LLC_DISTURBED);
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			EQ(x.rows[0].values[event].bytes, 0);
	}
	CU_ASSERT_FALSE(unc_llc_complete(x.llc, lack, sizeof(lack)));
	HAS(lack, "writes IA32_QM_EVTSEL all the time");
	onllc_stop(&x);
	HAS(x.o.notes, "QM_EVTSEL no longer holds what was written");
}

struct slow {
	unsigned seen, from, until; /* of readings of QM_CTR: these are stopped in */
};

/* We are stopped for a while within the first reading of QM_CTR. */
static void stop_within(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct slow *slow = arg;

	(void)addr;
	if (!write && off == R_QM_CTR && ++slow->seen >= slow->from && slow->seen <= slow->until)
		onsim_step(&x.o, 700 * MS_NS);
}

TEST(a_reading_that_took_long_is_done_once_more)
{
	struct slow slow = {0};

	begin("0-3");
	slow = (struct slow){.from = 2, .until = 2};
	ONSIM_FAIL(&x.o, .before = stop_within, .arg = &slow);
	onllc_read_after(&x, 100 * MS_NS);
	EQ(slow.seen, 4);
	EQ(x.rows[0].flags, 0);
	EQ(total()->interval_ns, 800 * MS_NS);
	total_is_true();
	/* Every time: then when it was is not known well, and that is said. */
	slow = (struct slow){.from = 2, .until = 4};
	onllc_read_after(&x, 100 * MS_NS);
	EQ(slow.seen, 5);
	EQ(total()->status, UNC_LLC_OK);
	CU_ASSERT_TRUE(total()->late);
	EQ(x.rows[0].flags, UNC_LLC_LATE);
	onsim_work(&x.o);
}

/* Hardware, or who wrote about its units, may be wrong: 1024 units are 72 MiB. */
TEST(more_than_the_cache_is_flagged)
{
	ONLLC(&x, "bdx", BDX_16, "dword_ns=0", NULL, "a", "0,1,4", "b", "2");
	ONSIM_FAIL(&x.o, .or_off = R_QM_CTR, .or_value = 1024);
	onllc_read_after(&x, 100 * MS_NS);
	EQ(x.rows[0].values[UNC_LLC_OCCUPANCY].status, UNC_LLC_OK);
	FLAGS_ARE(&x, UNC_LLC_OVER, UNC_LLC_OVER, UNC_LLC_OVER, UNC_LLC_OVER); /* all of an L3, and the sum of two */
	onsim_work(&x.o);
	onllc_read_after(&x, 100 * MS_NS);
	EQ(x.rows[0].flags, 0);
}

/* CPUID 0xf.0 EBX may be more than 0xf.1 ECX: 0x37f is none of an L3, but the CPU does not count for us any more. */
TEST(an_rmid_that_no_l3_has_is_hijacked_too)
{
	begin("0-3");
	ONSIM_FAIL(&x.o, .or_off = R_PQR, .or_value = 0x300);
	onllc_read_after(&x, S_NS);
	CU_ASSERT_TRUE(x.rows[0].flags & UNC_LLC_HIJACKED);
	EQ(x.rows[0].rmid_found, 0x37f);
	onsim_work(&x.o);
	/* all ones is no RMID */
	begin("0-3");
	onsim_step(&x.o, S_NS);
	ONSIM_FAIL(&x.o, .at = 1, .forever = true, .only = "cpu2", .how = UNC_FAULT_ONES);
	onllc_read(&x);
	EQ(x.rows[0].flags, 0);
	onsim_work(&x.o);
}

static void suspend_within(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	unsigned *seen = arg;

	(void)addr;
	if (!write && off == R_QM_CTR && ++*seen == 3)
		CU_ASSERT_EQUAL_FATAL(unc_sim_suspend(x.o.hand, 60 * S_NS), 0);
}

static void read_suspended(void)
{
	unsigned seen = 0;

	ONSIM_FAIL(&x.o, .before = suspend_within, .arg = &seen);
	onllc_read_after(&x, 100 * MS_NS);
	onsim_work(&x.o);
}

/* Of RMIDs beyond the threshold of the erratum, too: nothing is corrected then. */
TEST(suspended_while_it_is_read_no_bytes_are_of_longer)
{
	ONLLC(&x, "bdx", BDX_16, "dword_ns=0,qm=error:alternate", NULL, "a", "0-3");
	onllc_read_after(&x, 100 * MS_NS);
	EQ(total()->status, UNC_LLC_ERROR);
	read_suspended();
	EQ(total()->status, UNC_LLC_STALE);
	EQ(x.rows[0].flags, UNC_LLC_HIJACKED);
}

TEST(suspended_while_it_is_read_nothing_is_corrected)
{
	onllc_open(&x, "bdx", "sockets=1,cores=1", "dword_ns=0", NULL);
	OK(&x.o, unc_llc_add_rmids(x.llc));
	onllc_start(&x);
	onllc_read_after(&x, 100 * MS_NS);
	EQ(x.rows[BDX_MAX_RMID].flags, UNC_LLC_CORRECTED);
	read_suspended();
	EQ(x.rows[BDX_MAX_RMID].values[UNC_LLC_TOTAL].status, UNC_LLC_STALE);
	EQ(x.rows[BDX_MAX_RMID].flags, 0);
}

TEST(suspended_while_it_is_read_there_is_no_bandwidth)
{
	begin("0-3");
	read_suspended();
	EQ(total()->status, UNC_LLC_STALE); /* although it was read before that */
	EQ(total()->bytes, 0);
	CU_ASSERT_FALSE(x.rows[0].has_remote);
	EQ(x.rows[0].flags, UNC_LLC_HIJACKED); /* its RMID is gone, which is seen at once */
	onllc_read_after(&x, 100 * MS_NS);
	EQ(total()->status, UNC_LLC_STALE);
	before = onllc_truth(&x, 0, x.infos[0].rmid);
	onllc_read_after(&x, 100 * MS_NS);
	total_is_true();
}

/* What a CPU carries cannot be told any more, which says nothing of the numbers. */
TEST(a_measured_cpu_that_goes_offline_is_told_once)
{
	begin("0-2");
	ONSIM_FAIL(&x.o, .at = 1, .forever = true, .only = "cpu2", .how = UNC_FAULT_ENXIO);
	for (unsigned k = 0; k < 4; k++) {
		onllc_read_after(&x, S_NS);
		EQ(x.rows[0].flags, 0);
		EQ(total()->status, UNC_LLC_OK);
	}
	EQ(onsim_count(x.o.notes, "which RMID cpu 2 carries cannot be told"), 1);
	FAILS(&x.o, UNC_EIO, onllc_try_stop(&x), "register not put back: cpu2.rdt: PQR_ASSOC");
	EQ(onllc_peek(&x, 0, R_PQR), 0);
	EQ(onllc_peek(&x, 1, R_PQR), 0);
	EQ(onllc_peek(&x, 2, R_PQR), BDX_EXACT_RMID);
	onsim_work(&x.o);
}

/* An L3 that does not answer any more does not stop the other. */
TEST(one_l3_fails_and_the_other_goes_on)
{
	char lack[200];

	begin("0,4");
	ONSIM_FAIL(&x.o, .at = 1, .forever = true, .only = "cpu5");
	for (unsigned k = 0; k < 5; k++) {
		onllc_read_after(&x, 100 * MS_NS);
		STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_OK, UNC_LLC_OK);
		STATUS_IS(&x, 1, UNC_LLC_ERROR, UNC_LLC_ERROR, UNC_LLC_ERROR);
		STATUS_IS(&x, 2, UNC_LLC_ERROR, UNC_LLC_ERROR, UNC_LLC_ERROR);
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			EQ(x.rows[2].values[event].bytes, 0);
		EQ(x.rows[0].flags, 0);
		EQ(x.rows[2].flags, UNC_LLC_PARTIAL);
	}
	EQ(onsim_count(x.o.notes, "3 times in a row"), 3);
	CU_ASSERT_FALSE(unc_llc_complete(x.llc, lack, sizeof(lack)));
	HAS(lack, "a, L3 1: there was no value of occupancy");
	onsim_work(&x.o);
}

/* The CPU that an L3 is read on goes offline: another one is. */
TEST(another_cpu_of_the_l3_is_read_on)
{
	begin("0");
	ONSIM_FAIL(&x.o, .at = 1, .forever = true, .only = "cpu1", .how = UNC_FAULT_ENXIO);
	onllc_read_after(&x, 100 * MS_NS);
	EQ(total()->status, UNC_LLC_OK);
	HAS(x.o.notes, "cpu 1 does not answer any more: L3 0 is read on cpu 2");
	onsim_work(&x.o);
}

TEST(when_nothing_answers_reading_fails)
{
	begin("0,4");
	ONSIM_FAIL(&x.o, .at = 1, .forever = true);
	FAILS(&x.o, UNC_EIO, unc_llc_read(x.llc, x.rows, x.n), "QM_EVTSEL");
	onsim_work(&x.o);
}

/* ---- every access ---- */

struct bases {
	uint64_t bytes[2][UNC_LLC_EVENTS];
};

static uint64_t truth_of(size_t row, unsigned event)
{
	struct unc_sim_llc is = onllc_truth(&x, x.infos[row].l3, x.infos[row].rmid);

	return event == UNC_LLC_OCCUPANCY ? is.occupancy_bytes
	       : event == UNC_LLC_TOTAL   ? is.total_bytes
					  : is.local_bytes;
}

/* A number is the truth since that value last was one, or was said to begin anew. */
static void numbers_are_true(struct bases *bases)
{
	for (size_t row = 0; row < 2; row++) {
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
			const struct unc_llc_value *value = &x.rows[row].values[event];
			uint64_t now = truth_of(row, event), *base = &bases->bytes[row][event];

			if (value->status == UNC_LLC_OK && event == UNC_LLC_OCCUPANCY)
				EQ(value->bytes, now / BDX_UNIT * BDX_UNIT);
			else if (value->status == UNC_LLC_OK)
				EQ(value->bytes, onllc_moved(*base, now, BDX_UNIT));
			else
				EQ(value->bytes, 0);
			if (value->status == UNC_LLC_OK || value->status == UNC_LLC_STALE)
				*base = now;
		}
	}
}

static void sample(void)
{
	struct bases bases;

	for (size_t row = 0; row < 2; row++)
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			bases.bytes[row][event] = truth_of(row, event);
	for (unsigned k = 0; k < 4; k++) {
		onsim_step(&x.o, 300 * MS_NS);
		if (unc_llc_read(x.llc, x.rows, x.n) == 0)
			numbers_are_true(&bases);
		else
			CU_ASSERT_TRUE(strlen(unc_errmsg(x.o.ctx)) > 10);
	}
}

/* Returns false when the fault came too late to meet anything. */
static bool try_fault(struct unc_fault fault)
{
	struct onllc_state found, now;
	bool met, told;
	int rc;

	onllc_open(&x, "bdx", "sockets=2,cores=2,threads=1", "dword_ns=0", NULL);
	onllc_poke(&x, 1, R_PQR, UINT64_C(2) << 32);
	found = onllc_state(&x);
	onllc_group(&x, "a", "0,1,2");
	onsim_fail(&x.o, &fault);
	rc = onllc_try_start(&x);
	if (rc == 0)
		sample();
	else
		CU_ASSERT_TRUE(strlen(unc_errmsg(x.o.ctx)) > 10);
	told = strstr(x.o.notes, "not put back") != NULL;
	rc = onllc_try_stop(&x);
	met = x.o.fault.done > 0;
	now = onllc_state(&x);
	/* No MSR reads all ones when the access failed: here it looks like another process's value, which is left, and told. */
	if (fault.how != UNC_FAULT_ONES && onllc_differ(&found, &now)) {
		CU_ASSERT_TRUE(fault.forever && (told || rc == UNC_EIO));
		if (rc == UNC_EIO)
			HAS(unc_errmsg(x.o.ctx), "not put back");
	} else if (fault.how != UNC_FAULT_ONES && !fault.forever) {
		EQ(rc, 0);
	}
	onsim_work(&x.o);
	onsim_close_any(&x.o);
	return met;
}

static void try_all(bool forever)
{
	const enum unc_fault_how hows[] = {UNC_FAULT_EIO, UNC_FAULT_EPERM, UNC_FAULT_ENXIO, UNC_FAULT_ONES,
					   UNC_FAULT_DROP};

	for (unsigned i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		unsigned at = 1;

		while (try_fault((struct unc_fault){.at = at, .how = hows[i], .forever = forever}))
			at += forever ? 3 : 1;
		CU_ASSERT_TRUE(at > 100);
	}
}

TEST(any_access_may_fail_once)
{
	try_all(false);
}

TEST(any_access_may_fail_from_then_on)
{
	try_all(true);
}
