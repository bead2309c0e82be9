// SPDX-License-Identifier: GPL-2.0-or-later
/* Which RMID a group gets, the other programs, and what is put back. */
#define _GNU_SOURCE
#include "onllc.h"

#include "tree.h"
#include "test.h"

EACH_ON_LLC(x)

TEST(the_highest_exact_one_that_is_free_on_every_l3_is_taken)
{
	struct unc_llc_cfg cfg = {.shared = true};

	onllc_open(&x, "bdx", BDX_16, "dword_ns=0", &cfg);
	onllc_poke(&x, 0, R_PQR, BDX_EXACT_RMID);
	onllc_poke(&x, 7, R_PQR, BDX_EXACT_RMID - 1);
	ONLLC_GROUPS(&x, "a", "1", "b", "5", "c", "2,6");
	EQ(x.infos[0].rmid, BDX_EXACT_RMID - 1);
	EQ(x.infos[1].rmid, BDX_EXACT_RMID);
	EQ(x.infos[2].rmid, BDX_EXACT_RMID - 2);
	HAS(x.o.notes, "L3 0: cpu 0 carries RMID 127 already");
	HAS(x.o.notes, "L3 1: cpu 7 carries RMID 126 already");
	EQ(onllc_peek(&x, 1, R_PQR), BDX_EXACT_RMID - 1);
	EQ(onllc_peek(&x, 6, R_PQR), BDX_EXACT_RMID - 2);
	onllc_stop(&x);
	EQ(onllc_peek(&x, 0, R_PQR), BDX_EXACT_RMID);
	EQ(onllc_peek(&x, 7, R_PQR), BDX_EXACT_RMID - 1);
	EQ(onllc_peek(&x, 6, R_PQR), 0);
}

TEST(rmids_in_use_are_told_before_anything_is_written)
{
	struct onllc_state found;

	onllc_open(&x, "bdx", BDX_16, NULL, NULL);
	onllc_poke(&x, 1, R_PQR, 5);
	onllc_poke(&x, 2, R_PQR, 5);
	onllc_poke(&x, 3, R_PQR, 6);
	found = onllc_state(&x);
	onllc_group(&x, "a", "8");
	FAILS(&x.o, UNC_EBUSY, unc_llc_start(x.llc),
	      "L3 0: cpus 1-2 carry RMID 5 already, and 1 more of its CPUs others", "cfg.shared");
	EQ(onsim_trace_count(&x.o, " w64 "), 0);
	EQ(onsim_trace_count(&x.o, " r64 0xc8f "), 8); /* of this L3 alone, each once */
	onllc_stop(&x);
	onllc_is_as(&x, &found);
}

TEST(whose_numbers_lose_cpus_is_told)
{
	struct unc_llc_cfg cfg = {.shared = true};

	onllc_open(&x, "bdx", BDX_16, NULL, &cfg);
	for (unsigned cpu = 1; cpu <= 3; cpu++)
		onllc_poke(&x, cpu, R_PQR, 4 + cpu);
	ONLLC_GROUPS(&x, "a", "0-2,8");
	HAS(x.o.notes, "2 CPUs of the groups here carry another program's RMID and get another one until the end: what "
		       "they do until then is missing in that program's numbers");
	onllc_stop(&x);
	EQ(onllc_peek(&x, 1, R_PQR), 5);
	EQ(onllc_peek(&x, 2, R_PQR), 6);

	onllc_open(&x, "bdx", BDX_16, NULL, &cfg);
	onllc_poke(&x, 1, R_PQR, 5);
	ONLLC_GROUPS(&x, "a", "1");
	HAS(x.o.notes,
	    "1 CPU of the groups here carries another program's RMID and gets another one until the end: what "
	    "it does until then is missing in that program's numbers");

	onllc_open(&x, "bdx", BDX_16, NULL, &cfg);
	onllc_poke(&x, 1, R_PQR, 5);
	ONLLC_GROUPS(&x, "a", "2");
	CU_ASSERT_PTR_NULL(strstr(x.o.notes, "missing in that program"));
}

TEST(others_that_the_operating_system_tells_of_are_said_too)
{
	struct unc_llc_cfg cfg = {.shared = true};
	struct tree tree = tree_new();
	const char *own = test_text("files=%s", tree.root);

	tree_text(&tree, "var/lock/libpqos", "");
	onllc_open(&x, "bdx", BDX_16, own, NULL);
	onllc_group(&x, "a", "8");
	FAILS(&x.o, UNC_EBUSY, unc_llc_start(x.llc), "possible: a program that uses libpqos",
	      "; remove that file if no pqos or rdtset runs, or", "cfg.shared");
	tree_text(&tree, "proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	FAILS(&x.o, UNC_EBUSY, unc_llc_start(x.llc), "resctrl is mounted at /sys/fs/resctrl",
	      "; unmount it if no program needs its groups (umount /sys/fs/resctrl), or", "cfg.shared");
	EQ(onsim_trace_count(&x.o, " w64 "), 0);
	ONLLC(&x, "bdx", BDX_16, own, &cfg, "a", "8");
	HAS(x.o.notes, "resctrl is mounted at");
	HAS(x.o.notes, "libpqos");
	EQ(onllc_peek(&x, 8, R_PQR), BDX_EXACT_RMID);
	onllc_close(&x);
	tree_remove(&tree);
}

TEST(each_pqr_assoc_is_read_once_and_the_clos_is_kept)
{
	struct onllc_state found;

	onllc_open(&x, "bdx", BDX_16, NULL, NULL);
	for (unsigned cpu = 0; cpu < 16; cpu++)
		onllc_poke(&x, cpu, R_PQR, (uint64_t)cpu << 32);
	found = onllc_state(&x);
	ONLLC_GROUPS(&x, "a", "0-3,8-11", "b", "4-7");
	EQ(onsim_trace_count(&x.o, " r64 0xc8f "), 16 + 12); /* and once behind each write */
	EQ(onsim_trace_count(&x.o, " w64 0xc8f "), 12);
	for (unsigned cpu = 0; cpu < 12; cpu++)
		EQ(onllc_peek(&x, cpu, R_PQR), (uint64_t)cpu << 32 | BDX_EXACT_RMID);
	onllc_poke(&x, 3, R_PQR, UINT64_C(9) << 32 | BDX_EXACT_RMID); /* another CLOS meanwhile */
	onllc_stop(&x);
	EQ(onllc_peek(&x, 3, R_PQR), UINT64_C(9) << 32);
	found.pqr[3] = UINT64_C(9) << 32;
	onllc_is_as(&x, &found);
}

/* CPU 0 held 4 MB under RMID 127 and stopped moving anything: it stays. */
TEST(a_dirty_one_is_passed_over)
{
	onllc_open_load(&x, BDX_16,
			"  0: {occupancy: [{at: 0, rate: 4e6}], total: [{at: 0, rate: 1e9}, {at: 1, rate: 0}]}\n", NULL,
			NULL);
	onllc_poke(&x, 0, R_PQR, BDX_EXACT_RMID);
	onsim_step(&x.o, 2 * S_NS);
	onllc_poke(&x, 0, R_PQR, 0);
	CU_ASSERT_TRUE(onllc_truth(&x, 0, BDX_EXACT_RMID).occupancy_bytes > 3000000);
	ONLLC_GROUPS(&x, "a", "1", "b", "4");
	EQ(x.infos[0].rmid, BDX_EXACT_RMID - 1);
	EQ(x.infos[1].rmid, BDX_EXACT_RMID); /* on the other L3 it is clean */
	SAME(x.o.notes, "");
}

/* 128 CPUs on one L3, of which 127 held 369000 bytes, 5 units, each under their own RMID; up to 327680 is clean. */
static void all_dirty(const struct unc_llc_cfg *cfg)
{
	onllc_open_load(&x, "sockets=1,cores=64", "  0-126: {occupancy: 369000, total: 1000000}\n", "dword_ns=0", cfg);
	for (unsigned cpu = 0; cpu < 127; cpu++)
		onllc_poke(&x, cpu, R_PQR, cpu + 1);
	onsim_step(&x.o, 2 * S_NS);
	for (unsigned cpu = 0; cpu < 127; cpu++)
		onllc_poke(&x, cpu, R_PQR, 0);
	for (unsigned rmid = 1; rmid < 128; rmid++)
		CU_ASSERT_TRUE(onllc_truth(&x, 0, rmid).occupancy_bytes / BDX_UNIT >= 5);
	onllc_group(&x, "a", "127");
}

static void give_clos(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	(void)arg, (void)addr;
	if (!write && off == R_QM_CTR && onllc_peek(&x, 127, R_PQR) == 0)
		onllc_poke(&x, 127, R_PQR, UINT64_C(5) << 32);
}

TEST(with_only_dirty_ones_left_it_waits_unless_it_may_not)
{
	struct unc_llc_cfg cfg = {.no_wait = true};
	uint64_t since_ns;

	all_dirty(&cfg);
	since_ns = unc_machine_mono_ns(x.o.m);
	onllc_start(&x);
	EQ(unc_machine_mono_ns(x.o.m), since_ns);
	HAS(x.o.notes, "RMID 127 is taken as it is");

	cfg.no_wait = false;
	all_dirty(&cfg);
	since_ns = unc_machine_mono_ns(x.o.m);
	onllc_start(&x);
	EQ(unc_machine_mono_ns(x.o.m), since_ns + S_NS);
	EQ(onsim_count(x.o.notes, "waiting until one does not; cfg.no_wait"), 1);
	EQ(x.infos[0].rmid, BDX_EXACT_RMID);

	/* Another process divides the cache meanwhile. */
	all_dirty(&cfg);
	ONSIM_FAIL(&x.o, .before = give_clos);
	onllc_start(&x);
	onsim_work(&x.o);
	EQ(onllc_peek(&x, 127, R_PQR), UINT64_C(5) << 32 | BDX_EXACT_RMID);
	onllc_stop(&x);
	EQ(onllc_peek(&x, 127, R_PQR), UINT64_C(5) << 32);

	all_dirty(&cfg);
	onsim_wake(&x.o);
	FAILS(&x.o, UNC_EAGAIN, unc_llc_start(x.llc), "waiting for an RMID");
	EQ(onllc_peek(&x, 127, R_PQR), 0);
}

/* 64 cores: 128 groups want an RMID, 127 count exactly. */
TEST(more_groups_than_rmids_are_refused)
{
	struct onllc_state found;

	onllc_open(&x, "bdxde", "cores=32", "dword_ns=0", NULL); /* 64 RMIDs */
	found = onllc_state(&x);
	for (unsigned cpu = 0; cpu < 64; cpu++)
		onllc_group(&x, test_text("g%u", cpu), test_text("%u", cpu));
	FAILS(&x.o, UNC_EARG, unc_llc_start(x.llc), "group \"g63\": there are more groups than RMIDs", "63 (1-63)");
	EQ(onsim_trace_count(&x.o, " w64 0xc8f "), 0);
	onllc_stop(&x);
	onllc_is_as(&x, &found);
}

TEST(groups_are_checked)
{
	unsigned none;

	onllc_open(&x, "bdx", BDX_16 ",offline=5", NULL, NULL);
	onllc_group(&x, "a", "0-1");
	FAILS(&x.o, UNC_EARG, onllc_try_group(&x, "a", "2"), "group \"a\" already");
	FAILS(&x.o, UNC_EARG, onllc_try_group(&x, "b", "1-2"), "cpu 1 is in group \"a\" already");
	FAILS(&x.o, UNC_ENODEV, onllc_try_group(&x, "b", "4-6"), "group \"b\": cpu 5 is offline");
	FAILS(&x.o, UNC_ENODEV, onllc_try_group(&x, "b", "16"), "cpu 16: this machine has no such CPU");
	FAILS(&x.o, UNC_EARG, unc_llc_add(x.llc, "b", &none, 0), "one CPU at least");
	ONLLC_GROUPS(&x, "b", "2,2,3");
	SAME(x.infos[1].cpus, "2-3");
	FAILS(&x.o, UNC_EARG, onllc_try_group(&x, "c", "4"), "started already");
	FAILS(&x.o, UNC_EARG, unc_llc_start(x.llc), "starts once");
	FAILS(&x.o, UNC_EARG, unc_llc_read(x.llc, x.rows, 1), "as many rows");
	onllc_open(&x, "bdx", BDX_16, NULL, NULL);
	FAILS(&x.o, UNC_EARG, unc_llc_start(x.llc), "one group at least");
}

TEST(without_monitoring_it_says_why)
{
	struct unc_llc_cfg cfg = {0};

	onllc_machine(&x, "snbep", NULL, NULL);
	FAILS(&x.o, UNC_ENOSUP, unc_llc_open(x.o.m, &cfg, &x.llc), "CPUID");
}

TEST(writes_that_are_refused_leave_nothing_behind)
{
	struct onllc_state found;

	onllc_open(&x, "bdx", BDX_16, "msr_writes=off", NULL);
	found = onllc_state(&x);
	onllc_group(&x, "a", "0-3");
	FAILS(&x.o, UNC_EPERM, unc_llc_start(x.llc), "the msr driver filters writes");
	onllc_stop(&x);
	onllc_is_as(&x, &found);
}

/* A group may be called as an RMID is. */
TEST(a_row_says_whether_it_is_of_an_rmid_as_it_is)
{
	struct unc_llc_row_info none;

	onllc_open(&x, "bdx", BDX_16, "dword_ns=0", NULL);
	onllc_group(&x, "rmid9", "0-1,4");
	OK(&x.o, unc_llc_add_rmids(x.llc));
	onllc_start(&x);
	EQ(x.n, 3 + 2 * (BDX_MAX_RMID + 1));
	for (size_t i = 0; i < x.n; i++) {
		EQ(x.infos[i].as_is, i >= 3);
		EQ(x.infos[i].sum, i == 2);
	}
	SAME(x.infos[0].group, "rmid9");
	SAME(x.infos[3 + 18].group, "rmid9");
	FAILS(&x.o, UNC_ENODEV, unc_llc_row_info(x.llc, x.n, &none), "there is no row 291");
}
