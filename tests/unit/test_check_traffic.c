// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks that make traffic, on healthy machines and on such whose channels count wrong. */
#define _GNU_SOURCE

#include "onchecks.h"
#include "tree.h"
#include "test.h"

EACH(NULL, onchecks_end)

static const char *const checks[] = {"traffic.volume", "traffic.kinds", "traffic.nodes", "traffic.interleave"};

/* Half of the quiet before, traffic of three kinds, and quiet again: what is moved shows in the plot. */
TEST(a_plot_shows_the_traffic_go_on_and_off)
{
	struct unc_check_plot plot;
	double low = 1e9, high = 0;

	onchecks_quick("hsx", "sockets=1", NULL, "traffic.volume");
	EQ(onchecks_result("traffic.volume", "socket0").n_plots, 4);
	OK(&rig.o, unc_check_plot(rig.check, 0, 0, &plot));
	HAS(plot.title, "socket0.imc0.ch0");
	EQ(plot.n_points, 5 * 2 * 2);
	for (size_t i = 0; i < plot.n_points; i++) {
		low = plot.points[i].y < low ? plot.points[i].y : low;
		high = plot.points[i].y > high ? plot.points[i].y : high;
		CU_ASSERT(!i || plot.points[i].x >= plot.points[i - 1].x);
	}
	CU_ASSERT(plot.points[0].y < low + 0.01 && plot.points[plot.n_points - 1].y < low + 0.01);
	CU_ASSERT(high - low > 0.99 && high - low < 1.01); /* 4 GB/s over four channels */
}

TEST(an_empty_channel_is_told)
{
	onchecks_quick("hsx", "sockets=2,empty=socket1.imc0.ch1", NULL, "traffic");
	NONE_FAILED();
	FOUND("traffic.interleave", "socket1", UNC_CHECK_PASS, "33.3 %: even", "empty", "socket1.imc0.ch1");
	FOUND("traffic.interleave", "socket0", UNC_CHECK_PASS, "socket0.imc0.ch1 25.0 %", "25.0 %: even");
	FOUND("traffic.kinds", "socket1.imc0.ch1", UNC_CHECK_SKIP, "none of the traffic");
	FOUND("traffic.volume", "socket1", UNC_CHECK_PASS, "100.0");
}

TEST(a_umask_one_bit_off_counts_other_kinds)
{
	onchecks_quick("hsx", "sockets=2,defect=umask-shifted:socket1.imc1.ch0", NULL, "traffic");
	FOUND("traffic.kinds", "socket1.imc1.ch0", UNC_CHECK_FAIL, "of loads", "as written");
	EQ(onchecks_count("traffic.kinds", UNC_CHECK_FAIL), 1);
	FOUND("traffic.volume", "socket1", UNC_CHECK_FAIL, "loads with node 1", "to be expected");
	FOUND("traffic.volume", "socket0", UNC_CHECK_PASS, "100.0");
}

TEST(sockets_that_tell_each_others_number_are_found)
{
	onchecks_quick("hsx", "sockets=3,defect=sockets-swapped:0:2", NULL, "traffic");
	FOUND("traffic.nodes", "socket0", UNC_CHECK_FAIL, "100.0 % came to socket2", "0.0 % to its own");
	FOUND("traffic.nodes", "socket2", UNC_CHECK_FAIL, "100.0 % came to socket0");
	FOUND("traffic.nodes", "socket1", UNC_CHECK_PASS, "100.0 %");
	EQ(onchecks_count("traffic.volume", UNC_CHECK_FAIL), 2);
	EQ(onchecks_count("traffic.kinds", UNC_CHECK_FAIL), 0);
	EQ(onchecks_count("traffic.interleave", UNC_CHECK_FAIL), 0);
	FOUND("traffic.interleave", "socket2", UNC_CHECK_SKIP, "none of the traffic");
}

TEST(a_channel_of_another_socket_is_found)
{
	onchecks_quick("hsx", "sockets=2,defect=channels-swapped:socket0.imc0.ch1:socket1.imc0.ch1", NULL, "traffic");
	FOUND("traffic.nodes", "socket0", UNC_CHECK_FAIL, "25.0 % came to socket1");
	FOUND("traffic.interleave", "socket0", UNC_CHECK_FAIL, "socket0.imc0.ch1 has memory", "counted 0.00 MB");
}

TEST(a_channel_that_counts_nothing_is_found)
{
	onchecks_quick("skx", "sockets=1,defect=stops:socket0.imc1.ch2:0", NULL, "traffic");
	FOUND("traffic.interleave", "socket0", UNC_CHECK_FAIL, "socket0.imc1.ch2 counts nothing at all");
	FOUND("traffic.volume", "socket0", UNC_CHECK_FAIL, "loads with node 0");
}

TEST(where_not_all_channels_are_counted_no_volume_is_judged)
{
	onchecks_quick("hsx", "sockets=2", "hide=7f:14.1", "traffic");
	NONE_FAILED();
	FOUND("traffic.volume", "socket0", UNC_CHECK_SKIP, "not all of it", "14.1");
	FOUND("traffic.volume", "socket1", UNC_CHECK_PASS, "100.0");
	onchecks_open("hsx", "sockets=2", NULL);
	onchecks_run(UNC_CHECK_QUICK, "traffic", "socket1.imc0.*", 0);
	NONE_FAILED();
	FOUND("traffic.volume", "socket1", UNC_CHECK_SKIP, "socket1.imc1.ch0", "--box");
	FOUND("traffic.nodes", "socket1", UNC_CHECK_SKIP, "no other socket");
	EQ(onchecks_count("traffic.kinds", UNC_CHECK_PASS), 2);
}

TEST(where_no_traffic_can_be_made_all_is_skipped)
{
	static struct unc_host_ops ops;

	onchecks_open("hsx", "sockets=1", NULL);
	ops = *rig.o.m->host->ops;
	ops.traffic = NULL;
	rig.o.m->host->ops = &ops;
	onchecks_run(UNC_CHECK_QUICK, "traffic", NULL, 0);
	EQ(unc_check_results(rig.check), 5);
	for (size_t i = 0; i < 4; i++)
		FOUND(checks[i], "machine", UNC_CHECK_SKIP, "memory traffic cannot be made");
}

TEST(where_no_cpu_is_online_nothing_is_made)
{
	onchecks_quick("hsx", "sockets=2,cores=2,threads=1,offline=2-3", NULL, "traffic");
	NONE_FAILED();
	FOUND("traffic.volume", "socket1", UNC_CHECK_SKIP, "no CPU that is online");
	FOUND("traffic.kinds", "socket1.imc0.ch0", UNC_CHECK_SKIP, "no CPU that is online");
	FOUND("traffic.nodes", "socket0", UNC_CHECK_PASS, "0.0 % to socket1");
}

/* Firmware interleaves the memory of both: what is moved with it cannot be told apart. */
TEST(memory_that_sockets_share_is_not_judged)
{
	onchecks_quick("bdx", "sockets=2,cores=2,numa=off", NULL, NULL);
	NONE_FAILED();
	for (size_t i = 0; i < 4; i++)
		if (i != 1)
			FOUND(checks[i], "socket1", UNC_CHECK_SKIP, "node 0", "several sockets");
	FOUND("traffic.kinds", "socket0.imc1.ch1", UNC_CHECK_SKIP, "several sockets");
	FOUND("monitoring.bandwidth", "socket1.l3-1", UNC_CHECK_PASS, "its instructions load");
}

/* Every few milliseconds another program begins or ends to read up to 3 GB/s of each channel. */
static void write_restless_load(const char *path, unsigned seed)
{
	static const char *const rates[] = {"2e8", "5e8", "3e9"};
	FILE *file = fopen(path, "w");
	double at = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fprintf(file, "format: uncorectl-load/1\nchannels:\n  \"*\":\n    write: 2e8\n    read:\n");
	for (unsigned i = 0; at < 3; i++) {
		seed = seed * 1103515245 + 12345;
		fprintf(file, "      - {at: %.6f, rate: %s}\n", at, rates[seed / 65536 % 3]);
		at += 0.002 + seed / 65536 % 1000 * 0.00008;
	}
	CU_ASSERT_EQUAL(fclose(file), 0);
}

TEST(what_others_begin_and_end_is_no_fault)
{
	struct tree tree = tree_new();
	struct tree_path path = tree_path(&tree, "load.yaml");
	size_t n_skipped = 0;

	for (unsigned seed = 1; seed <= 6; seed++) {
		write_restless_load(path.text, seed);
		onchecks_quick(seed % 2 ? "bdx" : "skx", test_text("sockets=2,cores=2,load=%s", path.text), NULL, NULL);
		NONE_FAILED();
		n_skipped += onchecks_count("traffic.volume", UNC_CHECK_SKIP);
	}
	CU_ASSERT(n_skipped > 0);
	tree_remove(&tree);
}

TEST(a_run_that_is_woken_stops_the_traffic)
{
	onchecks_open("hsx", "sockets=1", NULL);
	onsim_wake(&rig.o);
	onchecks_run(UNC_CHECK_QUICK, "traffic", NULL, UNC_EAGAIN);
	CU_ASSERT(!rig.o.m->has_traffic);
	EQ(onchecks_count("traffic.volume", UNC_CHECK_NOT_RUN), 1);
	EQ(onchecks_count("traffic.interleave", UNC_CHECK_NOT_RUN), 1);
}

TEST(an_access_that_fails_ends_in_a_result)
{
	onchecks_fail_each("traffic", UNC_FAULT_EIO, 19);
	onchecks_fail_each("traffic", UNC_FAULT_ONES, 31);
}

/* ---- recorded and replayed ---- */

enum { FINDINGS = 16384 };

static void on_line(void *arg, const char *line)
{
	fprintf(arg, "%s\n", line);
}

static void on_difference(void *arg, const char *sentence)
{
	(void)arg;
	fprintf(stderr, "%s\n", sentence);
	CU_FAIL("the replay differs");
}

static void run_on(const char *machine, FILE *record, char text[FINDINGS])
{
	static const char *const only[] = {"clock", "traffic"};
	const struct unc_check_cfg cfg = {.depth = UNC_CHECK_QUICK, .only = only, .n_only = 2};
	const struct unc_machine_cfg machine_cfg = {.machine = machine,
						    .writable = true,
						    .record = record ? on_line : NULL,
						    .record_arg = record,
						    .differs = on_difference};
	struct unc_check_result result;
	struct unc_check *check;
	struct onplain p;

	onplain_open_cfg(&p, &machine_cfg);
	OK(&p, unc_check_open(p.m, &cfg, &check));
	CU_ASSERT_EQUAL(unc_check_run(check), 0);
	for (size_t i = 0; unc_check_result(check, i, &result) == 0; i++)
		snprintf(text + strlen(text), FINDINGS - strlen(text), "%s %s %d %s\n", result.check, result.subject,
			 (int)result.state, result.finding);
	unc_check_close(check);
	onplain_close(&p);
}

TEST(the_mesh_sends_what_the_channels_count)
{
	static const char check[] = "traffic.mesh";

	onchecks_quick("icx", "sockets=2", NULL, check);
	NONE_FAILED();
	FOUND(check, "socket0.m2m0", UNC_CHECK_PASS, "imc_reads.all differs by 0.");
	FOUND(check, "socket1.m2m3", UNC_CHECK_PASS, "cas_count.wr of its channels");
	onchecks_run(UNC_CHECK_QUICK, check, "socket1.imc2.ch0", 0);
	FOUND(check, "socket1.m2m2", UNC_CHECK_SKIP, "some of its channels");
	EQ(unc_check_results(rig.check), 1);
	onchecks_quick("spr", "sockets=1,defect=mesh-misses:socket0.imc1.ch1", NULL, check);
	EQ(onchecks_count(check, UNC_CHECK_FAIL), 1);
	FOUND(check, "socket0.m2m1", UNC_CHECK_FAIL, "differs by more than 20 %");
	/* Where sub-channels are counted one by one. */
	onchecks_quick("gnr", "sockets=1,defect=mesh-misses:socket0.imc9.ch0", NULL, check);
	EQ(onchecks_count(check, UNC_CHECK_FAIL), 1);
	FOUND(check, "socket0.m2m8", UNC_CHECK_PASS, "cas_count_sch[0-1].wr of its channels");
	FOUND(check, "socket0.m2m9", UNC_CHECK_FAIL, "differs by more than 20 %");
	onchecks_quick("skx", "sockets=1", NULL, check);
	FOUND(check, "machine", UNC_CHECK_SKIP, "no map of this part");
}

TEST(what_was_recorded_is_found_again)
{
	static char recorded[FINDINGS], replayed[FINDINGS];
	struct tree tree = tree_new();
	struct tree_path path = tree_path(&tree, "record");
	FILE *file = fopen(path.text, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	run_on("sim:hsx,clock=step,seed=7,empty=socket1.imc0.ch0", file, recorded);
	fclose(file);
	run_on(test_text("replay:%s", path.text), NULL, replayed);
	HAS(recorded, "traffic.volume socket1 0 loads");
	SAME(replayed, recorded);
	tree_remove(&tree);
}
