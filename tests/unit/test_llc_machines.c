// SPDX-License-Identifier: GPL-2.0-or-later
/* Cache monitoring of every kind of machine: several L3s in a package, sub-NUMA clustering, AMD, many CPUs. */
#include "llc_oracle.h"
#include "test.h"

EACH_ON_LLC(x)

enum { R_SNC_CONFIG = 0xca0 };

static struct llc_oracle oracle;

/* What was read now is compared.  Accesses take no time, so it is of this moment. */
static void compare(void)
{
	static struct llc_truths now;

	llc_oracle_truths(&oracle, &now);
	llc_oracle_check(&oracle, &now, &now);
	EQ(oracle.wrong, 0);
}

/* All is known, whole units, and nothing is flagged. */
static void reads_true(uint64_t ns)
{
	unsigned long before = oracle.numbers;

	onllc_read_after(&x, ns);
	compare();
	CU_ASSERT_TRUE(oracle.numbers > before);
	for (size_t i = 0; i < x.n; i++) {
		EQ(x.rows[i].flags, 0);
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			EQ(x.rows[i].values[event].bytes % oracle.info.unit_bytes, 0);
	}
}

/* The bandwidth of a row is not known, and begins anew. */
static void reads_stale(uint64_t ns)
{
	onllc_read_after(&x, ns);
	EQ(x.rows[0].values[UNC_LLC_TOTAL].status, UNC_LLC_STALE);
	EQ(x.rows[0].values[UNC_LLC_TOTAL].bytes, 0);
	oracle.undisturbed = false;
	compare();
	oracle.undisturbed = true;
}

/* local_mode, of sub-NUMA clustering: a group's RMID is one of each node's range. */
static void sample(bool local_mode)
{
	llc_oracle_init(&oracle, &x);
	oracle.exact = oracle.undisturbed = oracle.steady = true;
	oracle.local_mode = local_mode;
	onllc_start(&x);
	llc_oracle_started(&oracle);
	for (unsigned k = 0; k < 3; k++)
		reads_true(100 * MS_NS);
}

static void group_each_l3(void)
{
	struct unc_llc_info info;

	OK(&x.o, unc_llc_info(x.o.m, &info));
	for (size_t i = 0; i < info.n_l3s; i++) {
		struct unc_l3_info l3;

		OK(&x.o, unc_l3_info(x.o.m, i, &l3));
		onllc_group(&x, test_text("l3-%u", l3.id), l3.cpus);
	}
}

TEST(every_model_tells_the_truth)
{
	const char *const machines[][2] = {
		{"hsx", "sockets=2"},  {"bdx", "sockets=2"},  {"bdxde", ""},         {"skx", "sockets=2"},
		{"clx", "sockets=1"},  {"cpx", "sockets=1"},  {"icx", "sockets=2"},  {"spr", "sockets=1"},
		{"zen2", "sockets=1"}, {"zen3", "sockets=1"}, {"zen4", "sockets=1"}, {"zen5", "sockets=1"},
	};
	const char *const scopes[] = {"qm_scope=thread", "qm_scope=package"};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (unsigned s = 0; s < 2; s++) {
			const char *between = *machines[i][1] ? "," : "";

			onllc_open(&x, machines[i][0], test_text("%s%s%s", machines[i][1], between, scopes[s]),
				   "dword_ns=0", NULL);
			group_each_l3();
			sample(false);
		}
	}
}

TEST(groups_cross_the_nodes_of_sub_numa_clustering)
{
	const char *const machines[][2] = {{"icx", "sockets=1,cores=8,snc=2"}, {"spr", "sockets=2,cores=8,snc=4"}};

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned sharing = 0; sharing < 2; sharing++) {
			struct unc_llc_cfg cfg = {0};

			onllc_close(&x);
			onllc_machine(&x, machines[i][0], machines[i][1], "dword_ns=0");
			if (sharing)
				for (unsigned package = 0; package <= i; package++)
					onllc_poke(&x, 8 * package, R_SNC_CONFIG, 0);
			OK(&x.o, unc_llc_open(x.o.m, &cfg, &x.llc));
			onllc_group(&x, "wide", "0-7");
			onllc_group(&x, "some", i ? "16-18" : "8-10");
			sample(!sharing);
			EQ(oracle.info.nodes, i ? 4 : 2);
			/* Of each node three accesses a value. */
			onsim_trace_clear(&x.o);
			onllc_read(&x);
			EQ(onsim_trace_count(&x.o, " r64 0xc8e "), x.n * 3 * oracle.info.nodes);
		}
	}
}

TEST(an_rmid_of_twelve_bits_is_one)
{
	onllc_open(&x, "zen5", "sockets=1,cores=16,l3s=2", "dword_ns=0", NULL);
	onllc_group(&x, "a", "0-3");
	onllc_group(&x, "b", "4,12");
	sample(false);
	EQ(x.infos[0].rmid, 0xfff);
	EQ(onllc_peek(&x, 0, R_PQR), 0xfff);
}

static void has_occupancy_alone(void)
{
	HAS(x.o.notes, "so there is occupancy alone");
	onllc_read_after(&x, 100 * MS_NS);
	STATUS_IS(&x, 0, UNC_LLC_OK, UNC_LLC_NOT_ASKED, UNC_LLC_NOT_ASKED);
}

/* ABMC: test_llc_abmc.c has more. */
TEST(assigned_counters_tell_the_truth)
{
	onllc_open(&x, "zen5", "sockets=1,cores=16,l3s=2,abmc=1", "dword_ns=0", NULL);
	onllc_group(&x, "a", "0-3");
	sample(false);
	EQ(onsim_count(x.o.notes, "ABMC"), 1);
	HAS(x.o.notes, "L3_QOS_EXT_CFG bit 0 is 1");
}

/* Of one L3 it is on, and of all it cannot be read. */
TEST(counters_that_may_be_assigned_leave_occupancy)
{
	enum { WHO = 8 };
	struct unc_llc_cfg cfg = {.events = 1 << UNC_LLC_TOTAL};

	onllc_machine(&x, "zen5", "sockets=1,cores=16,threads=1,l3s=2", "dword_ns=0");
	for (unsigned cpu = WHO; cpu < 16; cpu++)
		onllc_poke(&x, cpu, 0xc00003ff, 1);
	OK(&x.o, unc_llc_open(x.o.m, &(struct unc_llc_cfg){0}, &x.llc));
	onllc_group(&x, "a", "0-3,8");
	sample(false);
	HAS(x.o.notes, "L3_QOS_EXT_CFG bit 0 is 1");
	onllc_close(&x);

	onllc_machine(&x, "zen5", "sockets=1,cores=16,l3s=2", "dword_ns=0");
	ONSIM_FAIL(&x.o, .at = 1, .forever = true);
	FAILS(&x.o, UNC_ENOSUP, unc_llc_open(x.o.m, &cfg, &x.llc), "ABMC", "ask for occupancy alone");
	cfg.events = 0;
	OK(&x.o, unc_llc_open(x.o.m, &cfg, &x.llc));
	EQ(unc_llc_events(x.llc), 1 << UNC_LLC_OCCUPANCY);
	onsim_work(&x.o);
	HAS(x.o.notes, "bandwidth counters may be assigned one by one here (ABMC; L3_QOS_EXT_CFG cannot be read)");
	ONLLC_GROUPS(&x, "a", "0-3");
	has_occupancy_alone();
}

/* An RMID that hardware stops to follow begins at 0 again, and says Unavailable once: the next read is where it begins anew. */
TEST(what_amd_forgets_is_no_number)
{
	onllc_open(&x, "zen3", "sockets=1,cores=16,l3s=2", "dword_ns=0", NULL);
	onllc_group(&x, "a", "0");
	sample(false);
	onllc_poke(&x, 0, R_PQR, 0);
	onsim_step(&x.o, 100 * MS_NS);
	onllc_poke(&x, 0, R_PQR, x.infos[0].rmid); /* followed anew */
	reads_stale(100 * MS_NS);
	reads_true(100 * MS_NS);
}

/* Followed anew, and it has moved more since than ever before: its counter alone does not tell. */
static void followed_anew(void)
{
	onllc_poke(&x, 0, R_PQR, 0);
	onllc_poke(&x, 0, R_PQR, x.infos[0].rmid);
	onsim_step(&x.o, 10 * S_NS);
}

TEST(a_second_row_of_an_rmid_learns_what_the_first_was_told)
{
	size_t second;

	onllc_open(&x, "zen3", "sockets=1,cores=4,l3s=1", "dword_ns=0", NULL);
	onllc_group(&x, "a", "0");
	OK(&x.o, unc_llc_add_rmids(x.llc));
	onllc_start(&x);
	second = 1 + x.infos[0].rmid;
	SAME(x.infos[second].group, "rmid255");
	onllc_read_after(&x, 100 * MS_NS);
	EQ(x.rows[second].values[UNC_LLC_TOTAL].status, UNC_LLC_OK);
	EQ(x.rows[second].values[UNC_LLC_TOTAL].bytes, x.rows[0].values[UNC_LLC_TOTAL].bytes);
	followed_anew();
	onllc_read(&x);
	EQ(x.rows[0].values[UNC_LLC_TOTAL].status, UNC_LLC_STALE);
	EQ(x.rows[second].values[UNC_LLC_TOTAL].status, UNC_LLC_STALE);
}

/* Unavailable at the first reads after each selection, and once more where hardware began anew. */
TEST(what_amd_forgets_is_told_from_what_is_slow)
{
	const char *const how[] = {"sockets=1,cores=16,l3s=2,qm=slow:1", "sockets=1,cores=16,l3s=2,qm=slow:2"};

	for (unsigned h = 0; h < 2; h++) {
		onllc_open(&x, "zen3", how[h], "dword_ns=0", NULL);
		onllc_group(&x, "a", "0");
		sample(false);
		reads_true(100 * MS_NS);
		followed_anew();
		reads_stale(0);
		reads_true(100 * MS_NS);
	}
}

struct meddler {
	uint64_t off; /* in front of the first read of which, */
	bool slowly;  /* time passes; else IA32_QM_EVTSEL becomes another */
	bool done;
};

static void meddle(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct meddler *meddler = arg;
	uint64_t evtsel = onllc_peek(&x, addr->msr.cpu, R_EVTSEL);

	if (write || off != meddler->off || meddler->done || (evtsel & 0xff) != QM_TOTAL)
		return;
	meddler->done = true;
	if (meddler->slowly)
		onsim_step(&x.o, 5 * MS_NS);
	else
		onllc_poke(&x, addr->msr.cpu, R_EVTSEL, evtsel ^ UINT64_C(1) << 32);
}

/* Hardware says Unavailable only once: not again where the reading is repeated since it was slow, or disturbed. */
TEST(unavailable_in_a_try_that_is_repeated_counts)
{
	for (unsigned slowly = 0; slowly < 2; slowly++) {
		struct meddler meddler = {.off = slowly ? R_QM_CTR : R_EVTSEL, .slowly = slowly};

		ONLLC(&x, "zen3", "sockets=1,cores=4,l3s=1", "dword_ns=0", NULL, "a", "0");
		onllc_read_after(&x, 100 * MS_NS);
		followed_anew();
		ONSIM_FAIL(&x.o, .before = meddle, .arg = &meddler);
		onllc_read(&x);
		CU_ASSERT_TRUE(meddler.done);
		EQ(x.rows[0].values[UNC_LLC_TOTAL].status, UNC_LLC_STALE);
		EQ(x.rows[0].values[UNC_LLC_LOCAL].status, UNC_LLC_STALE);
		onsim_work(&x.o);
	}
}

/* Another process selects our other group's RMID, and we get what is said of that. */
TEST(unavailable_that_was_said_of_another_group_counts)
{
	struct meddler meddler = {.off = R_QM_CTR};

	ONLLC(&x, "zen3", "sockets=1,cores=4,l3s=1", "dword_ns=0", NULL, "other", "0", "first", "1");
	onllc_read_after(&x, 100 * MS_NS);
	EQ(x.infos[0].rmid ^ 1, x.infos[1].rmid);
	onllc_poke(&x, 1, R_PQR, 0);
	onllc_poke(&x, 1, R_PQR, x.infos[1].rmid);
	onsim_step(&x.o, 10 * S_NS);
	ONSIM_FAIL(&x.o, .before = meddle, .arg = &meddler);
	onllc_read(&x);
	EQ(x.rows[1].values[UNC_LLC_TOTAL].status, UNC_LLC_STALE);
	onsim_work(&x.o);
}

/* At the start, and for each look, which follows each of three reads here. */
TEST(of_384_cpus_each_pqr_assoc_is_read_once)
{
	onllc_open(&x, "zen5", "sockets=2,cores=96,threads=2,l3s=16", "dword_ns=0", NULL);
	for (unsigned i = 0; i < 32; i++) /* CPUs of two L3s next to each other */
		onllc_group(&x, test_text("g%u", i), test_text("%u-%u", 6 * i, 6 * i + 1));
	onsim_trace_clear(&x.o);
	sample(false);
	EQ(oracle.info.n_l3s, 32);
	EQ(x.n, 32);
	EQ(onsim_trace_count(&x.o, " w64 0xc8f "), 64);
	EQ(onsim_trace_count(&x.o, "msr cpu383 r64 0xc8f"), 1 + 3);
	EQ(onsim_trace_count(&x.o, " r64 0xc8f "), 4 * 384 + 64);
}
