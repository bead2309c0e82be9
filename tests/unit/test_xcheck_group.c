// SPDX-License-Identifier: GPL-2.0-or-later
/* Which groups of resctrl there are, and which RMIDs they have, whatever its files say. */
#define _GNU_SOURCE
#include "onresctrl.h"
#include "test.h"

EACH_ON_RESCTRL(k)

/* ---- which RMID ---- */

TEST(cpus_of_a_group_carry_its_rmid)
{
	onresctrl_open_bdx(&k, false);
	onresctrl_add(&k, "jobs");
	onresctrl_watch(&k, "");
	onresctrl_goes_on(&k);
	EQ(k.n, 12);
	SAME(onresctrl_row(&k, "jobs", 1, "llc_occupancy")->config, "rmid=5 (IA32_PQR_ASSOC of cpu 0,1)");
	HAS(onresctrl_row(&k, "", 0, "llc_occupancy")->config, "rmid=0 (IA32_PQR_ASSOC of cpu 2,3");
}

/* A group that has no CPU, but a task that runs on one of the root group's. */
TEST(tasks_of_a_group_carry_its_rmid)
{
	onresctrl_open_bdx(&k, false);
	onresctrl_task(&k, 40, 'S', 9);
	onresctrl_task(&k, 41, 'R', 12);
	onresctrl_carry(&k, 12, 12, 31);
	onresctrl_group(&k, "jobs/mon_groups/one", 31, "", "40\n41\n42\n");
	onresctrl_watch(&k, "/sys/fs/resctrl/jobs/mon_groups/one/");
	onresctrl_goes_on(&k);
	SAME(k.rows[0].config, "rmid=31 (IA32_PQR_ASSOC of cpu 12)");
}

/* The tasks of others on its CPUs have their RMID with them. */
TEST(cpus_where_others_run_are_not_believed)
{
	onresctrl_open_bdx(&k, false);
	onresctrl_carry(&k, 0, 0, 9);
	onresctrl_task(&k, 50, 'R', 0);
	onresctrl_group(&k, "other", 9, "", "50\n");
	onresctrl_carry(&k, 6, 7, 9);
	onresctrl_watch(&k, "jobs");
	SAME(k.rows[0].config, "rmid=5 (IA32_PQR_ASSOC of cpu 1)");
}

TEST(an_rmid_that_nobody_carries_cannot_be_told)
{
	onresctrl_open_bdx(&k, false);
	onresctrl_group(&k, "idle", 8, "", "");
	FAILS(&k.x.o, UNC_ENODATA, onresctrl_try(&k, "idle"), "group \"idle\": which RMID it has cannot be told",
	      "no mon_hw_id", "-o debug", "let something run in the group, or give it a CPU");
	/* A task that sleeps says nothing, and one on whose CPU it is not seen. */
	onresctrl_put(&k, "idle", "tasks", "60\n61\n");
	onresctrl_task(&k, 60, 'S', 3);
	onresctrl_task(&k, 61, 'R', 10);
	FAILS(&k.x.o, UNC_ENODATA, onresctrl_try(&k, "idle"), "let something run");
	onresctrl_carry(&k, 10, 10, 8);
	onresctrl_add(&k, "idle");
}

TEST(contradictions_are_not_believed)
{
	onresctrl_open_bdx(&k, false);
	onresctrl_carry(&k, 1, 1, 6);
	FAILS(&k.x.o, UNC_ENODATA, onresctrl_try(&k, "jobs"), "cpu 0 has RMID 5, cpu 1 RMID 6",
	      "let others keep off them");
	onresctrl_carry(&k, 1, 1, 0);
	FAILS(&k.x.o, UNC_ENODATA, onresctrl_try(&k, "jobs"), "cpu 1 has RMID 0, the root group's");
	onresctrl_carry(&k, 1, 1, 5);
	onresctrl_add(&k, "jobs");
}

TEST(a_group_has_the_numbers_of_its_monitoring_groups_too)
{
	const struct unc_xcheck_row *row;

	for (unsigned hw_id = 0; hw_id < 2; hw_id++) {
		onresctrl_open_bdx(&k, hw_id);
		onresctrl_run(&k, "jobs/mon_groups/a", 11, 1, 1);
		onresctrl_carry(&k, 2, 2, 12);
		onresctrl_carry(&k, 4, 4, 12);
		onresctrl_group(&k, "mon_groups/b", 12, "2,4", "");
		onresctrl_add(&k, "jobs");
		onresctrl_add(&k, ".");
		onresctrl_watch(&k, "jobs/mon_groups/a");
		EQ(k.n, 18);
		onresctrl_goes_on(&k);
		row = onresctrl_row(&k, "jobs", 0, "mbm_total_bytes");
		SAME(row->counter, "RMIDs 5, 11");
		SAME(row->config, hw_id ? "rmid=5+11 (mon_hw_id)" : "rmid=5+11 (IA32_PQR_ASSOC of their CPUs)");
		CU_ASSERT_TRUE(row->raw > onresctrl_row(&k, "jobs/mon_groups/a", 0, "mbm_total_bytes")->raw);
		SAME(onresctrl_row(&k, "", 0, "mbm_total_bytes")->counter, "RMIDs 0, 12");
		CU_ASSERT_TRUE(onresctrl_row(&k, "", 1, "mbm_total_bytes")->raw > 2900000000);
	}
}

TEST(an_rmid_file_of_nonsense_is_said)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"x\n", "mon_hw_id says \"x\""},
		{"\n", "mon_hw_id says \"\""},
		{"144\n", "mon_hw_id says 144, and the highest RMID of this CPU is 143"},
		{"18446744073709551615\n", "mon_hw_id says 18446744073709551615"},
	};

	onresctrl_open_bdx(&k, true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onresctrl_put(&k, "jobs", "mon_hw_id", cases[i].text);
		FAILS(&k.x.o, UNC_ENODATA, onresctrl_try(&k, "jobs"), cases[i].says);
	}
	onresctrl_put(&k, "jobs", "mon_hw_id", "5\n");
	onresctrl_watch(&k, "jobs");
	onresctrl_put(&k, "jobs", "mon_hw_id", "nonsense\n");
	onresctrl_sample(&k, S_NS);
	EQ(k.rows[0].verdict, UNC_XCHECK_NOT_COMPARABLE);
	HAS(k.rows[0].why, "mon_hw_id says \"nonsense\"");
}

TEST(lists_of_nonsense_are_said)
{
	onresctrl_open_bdx(&k, false);
	onresctrl_put(&k, "jobs", "cpus_list", "0-\n");
	FAILS(&k.x.o, UNC_ENODATA, onresctrl_try(&k, "jobs"), "cpus_list says \"0-\", which is not a list of CPUs");
	onresctrl_put(&k, "jobs", "cpus_list", "0-1,99999\n");
	FAILS(&k.x.o, UNC_ENODATA, onresctrl_try(&k, "jobs"), "not a list of CPUs");
	onresctrl_put(&k, "jobs", "cpus_list", "0-1,500\n"); /* no such CPU is online */
	onresctrl_put(&k, "jobs", "tasks", "what\n");
	onresctrl_add(&k, "jobs");
}

/* ---- what is asked for ---- */

TEST(names_of_no_group_are_refused)
{
	const char *wrong =
		".. ../proc jobs/.. /proc /sys/fs/resctrlx info info/L3_MON mon_data mon_groups jobs/mon_groups "
		"jobs/mon_data jobs/other a/mon_groups/b/c ./jobs jobs//mon_groups/a schemata";
	const char *missing = "absent mon_groups/none jobs/mon_groups/none /sys/fs/resctrl/no";
	char name[64];

	onresctrl_open_bdx(&k, true);
	while (onsim_word(&wrong, name))
		FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, name), name, "a group is its folder");
	while (onsim_word(&missing, name))
		FAILS(&k.x.o, UNC_ENODEV, onresctrl_try(&k, name), "resctrl has no group");
	onresctrl_add(&k, "/sys/fs/resctrl");
	FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, ""), "asked for twice");
	FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, "/"), "asked for twice");
	onresctrl_add(&k, "jobs/");
	FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, "jobs"), "group \"jobs\" was asked for twice");
	onresctrl_start(&k);
	FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, "jobs"), "started already");
}

TEST(it_may_be_mounted_elsewhere)
{
	onresctrl_open_loaded(&k, "bdx", BDX_16, "dword_ns=0");
	tree_text(&k.tree, "proc/mounts", "resctrl /mnt/my\\040resctrl resctrl rw 0 0\n");
	snprintf(k.mount, sizeof(k.mount), "mnt/my resctrl");
	onresctrl_put(&k, "", "info/L3_MON/mon_features", "llc_occupancy\nmbm_total_bytes\nmbm_total_bytes_config\n");
	k.hw_id = true;
	onresctrl_group(&k, "", 0, "2-15", "");
	onresctrl_run(&k, "jobs", 5, 0, 1);
	onresctrl_add(&k, "/mnt/my resctrl/jobs");
	FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, "/sys/fs/resctrl/jobs"), "is not below /mnt/my resctrl");
	onresctrl_start(&k);
	onresctrl_goes_on(&k);
	EQ(k.n, 4); /* events that the kernel has */
}

TEST(there_may_be_no_resctrl)
{
	onresctrl_open_bdx(&k, true);
	tree_text(&k.tree, "proc/mounts", "proc /proc proc rw 0 0\n");
	FAILS(&k.x.o, UNC_ENOSUP, onresctrl_try(&k, "jobs"), "not mounted", "mount -t resctrl");

	onresctrl_open_bdx(&k, true);
	onresctrl_put(&k, "", "info/L3_MON/mon_features", "cycles\n");
	FAILS(&k.x.o, UNC_ENOSUP, onresctrl_try(&k, "jobs"), "names none of llc_occupancy");
	onresctrl_drop(&k, "info/L3_MON");
	FAILS(&k.x.o, UNC_ENOSUP, onresctrl_try(&k, "jobs"), "monitors no L3", "uncorectl llc");

	/* Skylake, on which Linux switches it off; not so Cascade Lake. */
	onresctrl_open_loaded(&k, "skx", "sockets=1,cores=4", "dword_ns=0");
	onresctrl_drop(&k, "info/L3_MON");
	FAILS(&k.x.o, UNC_ENOSUP, onresctrl_try(&k, ""), "Skylake", "rdt=cmt,mbmtotal,mbmlocal");
	onresctrl_open_loaded(&k, "clx", "sockets=1,cores=4", "dword_ns=0");
	onresctrl_drop(&k, "info/L3_MON");
	FAILS(&k.x.o, UNC_ENOSUP, onresctrl_try(&k, ""), "does its command line switch that off");
}

TEST(what_needs_a_write_is_refused_where_none_is_allowed)
{
	onresctrl_open_bdx(&k, true);
	k.cfg.observe = true;
	FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, "jobs"), "IA32_QM_EVTSEL", "nothing is to be written");
	OK(&k.x.o, unc_xcheck_close(k.xc));
	k.xc = NULL;
	k.cfg.observe = false;
	k.x.o.m->writable = false;
	FAILS(&k.x.o, UNC_EARG, onresctrl_try(&k, "jobs"), "opened read-only");
	k.x.o.m->writable = true;
}

/* Every file of the kernel's cut off, and filled with anything: no number is made up of that, and nothing crashes. */
TEST(files_of_nonsense_are_survived)
{
	static const char *const files[] = {"tasks",
					    "cpus_list",
					    "mon_hw_id",
					    "mon_data/mon_L3_00/llc_occupancy",
					    "mon_data/mon_L3_01/mbm_total_bytes",
					    "mon_data/mon_L3_4294967296/llc_occupancy",
					    "mon_data/mon_L3_/llc_occupancy",
					    "mon_data/mon_L3_x/llc_occupancy",
					    "mon_data/mon_PERF_PKG_00/core_energy",
					    "mon_groups/file"};
	uint32_t lot = 12345;

	for (unsigned i = 0; i < 200; i++) {
		char text[40];
		size_t len = i % sizeof(text);

		for (size_t b = 0; b < sizeof(text); b++) {
			lot = lot * 1664525 + 1013904223;
			text[b] = i % 2 ? "0123456789-,\n x"[lot >> 28] : (char)(lot >> 24);
		}
		text[len] = '\0';
		onresctrl_open_bdx(&k, i % 3);
		onresctrl_put(&k, "jobs", files[i % 10], text);
		if (onresctrl_try(&k, "jobs") == 0) {
			OK(&k.x.o, unc_xcheck_start(k.xc));
			onresctrl_put(&k, "jobs", files[lot % 10], text);
			onsim_step(&k.x.o, S_NS);
			OK(&k.x.o, unc_xcheck_sample(k.xc));
		} else {
			CU_ASSERT_TRUE(strlen(k.x.o.ctx->msg) > 20);
		}
	}
}
