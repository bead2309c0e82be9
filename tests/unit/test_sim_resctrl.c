// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resctrl of a simulated kernel.  What its files say is written out here a second time, from Linux
 * Documentation/filesystems/resctrl.rst and arch/x86/kernel/cpu/resctrl/monitor.c.
 */
#include "test_sim_files.h"
#include "test_sim_qm.h"

#define DIR "/sys/fs/resctrl"
#define ON  BDX ",resctrl=on"
#define LOADED                                                                                                         \
	HEAD "  0: {total: 73728000, local: 36864000, occupancy: 7372800}\n  1: {total: 7372800, local: 7372800}\n"
#define JOBS  ",resctrl_group=jobs:5:0"
#define RMID5 (UINT64_C(5) << 32) /* in IA32_QM_EVTSEL */

static uint64_t value(const char *path)
{
	char *text = NULL, whole[256];
	uint64_t value = 0;

	snprintf(whole, sizeof(whole), DIR "/%s", path);
	CU_ASSERT_FATAL(unc_host_file(fx.host, whole, 4096, &text, NULL) == 0);
	CU_ASSERT_EQUAL(sscanf(text, "%" SCNu64, &value), 1);
	free(text);
	return value;
}

struct value {
	const char *path;
	uint64_t is;
};

static void values_are(size_t n, const struct value *rows, const char *file, int line)
{
	for (size_t i = 0; i < n; i++)
		if (value(rows[i].path) != rows[i].is)
			fx_wrong(file, line, "%s: not %" PRIu64, rows[i].path, rows[i].is);
}

/* A machine with that load, half a second later. */
static void open_half(const char *options, const char *load)
{
	fx_open_load(options, load);
	fx_step(SECOND / 2);
}

#define VALUES(...) values_are(ROWS(value, __VA_ARGS__))

#define RESCTRL_LINE "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n"

TEST(it_is_mounted_where_it_is_said_to_be)
{
	char *given = NULL;

	fx_open(BDX);
	file_is("/proc/mounts", NULL);
	names_are(DIR, NULL);
	file_is(DIR "/cpus_list", NULL);
	ISMSR({0, EVTSEL, 0});
	fx_open(ON);
	file_is("/proc/mounts", RESCTRL_LINE);
	fx_open(ON ",resctrl_hw_id=on");
	file_is("/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime,debug 0 0\n");
	tree_text(fx_folder(), "/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n");
	fx_open(fx_text(ON ",files=%s", fx_folder()->root));
	file_is("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n" RESCTRL_LINE);
	CU_ASSERT_EQUAL(unc_host_file(fx.host, "/proc/mounts", 30, &given, NULL), UNC_ERANGE);
}

TEST(folders_have_what_linux_has_in_them)
{
	fx_open(ON ",resctrl_group=jobs:5:1-2,resctrl_group=mon_groups/one:7:0,resctrl_group=jobs/mon_groups/two:9:2,"
		   "resctrl_group=more:11:");
	NAMES(DIR, {"", "cpus_list info jobs mon_data mon_groups more tasks"},
	      {"/jobs", "cpus_list mon_data mon_groups tasks"}, {"/mon_groups", "one"},
	      {"/mon_groups/one", "cpus_list mon_data tasks"}, {"/mon_groups/one/mon_groups", NULL},
	      {"/jobs/mon_groups", "two"}, {"/more/mon_groups", ""}, {"/info", "L3_MON"},
	      {"/info/L3_MON", "max_threshold_occupancy mon_features num_rmids"}, {"/jobs/info", NULL},
	      {"/mon_data", "mon_L3_00 mon_L3_01"},
	      {"/jobs/mon_groups/two/mon_data/mon_L3_01", "llc_occupancy mbm_local_bytes mbm_total_bytes"},
	      {"/mon_data/mon_L3_02", NULL}, {"/mon_data/mon_L3_00/llc_occupancy", NULL}, {"/job", NULL});
	FILES(DIR, {"/info/L3_MON/num_rmids", "144\n"},
	      {"/info/L3_MON/mon_features", "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n"},
	      {"/info/L3_MON/max_threshold_occupancy", "294912\n"}); /* 45 MiB / 144, in whole units */
	FILES(DIR, {"/cpus_list", "0,3\n"}, {"/jobs/cpus_list", "1-2\n"}, {"/mon_groups/one/cpus_list", "0\n"},
	      {"/jobs/mon_groups/two/cpus_list", "2\n"}, {"/more/cpus_list", "\n"}, {"/more/tasks", ""},
	      {"/tasks", "1\n"}, {"/jobs/mon_hw_id", NULL}, {"/jobs", NULL},
	      {"/jobs/mon_data/mon_L3_00/mbm_total", NULL}, {"/jobs/mon_data/mon_L3_07/mbm_total_bytes", NULL});
}

/* Its CPUs carry its RMID and its class of service from the start. */
TEST(groups_have_rmids_and_classes_of_service)
{
	fx_open(ON ",resctrl_group=jobs:5:1-2,resctrl_group=mon_groups/one:7:0,resctrl_group=more:143:,"
		   "resctrl_group=jobs/mon_groups/two:9:2,resctrl_group=last:1:3,resctrl_hw_id=on");
	ISMSR({0, PQR, 7}, {1, PQR, UINT64_C(1) << 32 | 5}, {2, PQR, UINT64_C(1) << 32 | 9},
	      {3, PQR, UINT64_C(3) << 32 | 1});
	FILES(DIR, {"/mon_hw_id", "0\n"}, {"/jobs/mon_hw_id", "5\n"}, {"/mon_groups/one/mon_hw_id", "7\n"},
	      {"/more/mon_hw_id", "143\n"});
	names_are(DIR "/jobs/mon_groups/two", "cpus_list mon_data mon_hw_id tasks");
}

TEST(values_are_those_of_the_registers)
{
	open_half(ON JOBS, LOADED);
	CU_ASSERT_EQUAL(value("jobs/mon_data/mon_L3_00/mbm_total_bytes"), 500 * UNIT);
	ISMSR({0, EVTSEL, RMID5 | TOTAL});
	VALUES({"jobs/mon_data/mon_L3_00/mbm_local_bytes", 250 * UNIT},
	       {"mon_data/mon_L3_00/mbm_total_bytes", 50 * UNIT}, {"jobs/mon_data/mon_L3_01/mbm_total_bytes", 0},
	       {"jobs/mon_data/mon_L3_00/llc_occupancy", 100 * UNIT});
	QM({0, 5, OCCUPANCY, 100});
	/* From the mount on, which is when the machine was made; the registers are those that it had before. */
	QM({1, 5, TOTAL, 500});
	TOTALS({0, 5, 500 * UNIT});
}

TEST(reading_takes_two_accesses)
{
	uint64_t before;

	fx_open("bdx,sockets=1,cores=2,clock=step,resctrl=on");
	before = fx_raw_ns();
	CU_ASSERT_EQUAL(before, UINT64_C(1000000000000)); /* mounting it took none */
	value("mon_data/mon_L3_00/llc_occupancy");
	CU_ASSERT_EQUAL(fx_raw_ns(), before + 2 * 500);
	file_is(DIR "/cpus_list", "0-3\n");
	CU_ASSERT_EQUAL(fx_raw_ns(), before + 2 * 500);
}

TEST(a_control_group_has_what_its_monitoring_groups_have)
{
	open_half(ON ",resctrl_group=jobs:5:0-1,resctrl_group=jobs/mon_groups/one:6:1", LOADED);
	VALUES({"jobs/mon_groups/one/mon_data/mon_L3_00/mbm_total_bytes", 50 * UNIT},
	       {"jobs/mon_data/mon_L3_00/mbm_total_bytes", 550 * UNIT}, {"mon_data/mon_L3_00/mbm_total_bytes", 0});
	/* Whatever it is called. */
	open_half(ON ",resctrl_group=my_mon_groups:5:0-1,resctrl_group=my_mon_groups/mon_groups/one:6:1", LOADED);
	VALUES({"my_mon_groups/mon_groups/one/mon_data/mon_L3_00/mbm_total_bytes", 50 * UNIT},
	       {"my_mon_groups/mon_data/mon_L3_00/mbm_total_bytes", 550 * UNIT});
	open_half(ON ",resctrl_group=mon_groups/one:6:1", LOADED);
	VALUES({"mon_groups/one/mon_data/mon_L3_00/mbm_total_bytes", 50 * UNIT},
	       {"mon_data/mon_L3_00/mbm_total_bytes", 550 * UNIT});
}

/* 2^24 units at 10^6 a second: every 16.8 s. */
TEST(counters_are_read_before_they_wrap)
{
	fx_open_load(ON JOBS, HEAD "  0: {total: 73728000000, local: 36864000000}\n");
	fx_step(1000 * SECOND);
	VALUES({"jobs/mon_data/mon_L3_00/mbm_total_bytes", UINT64_C(1000000000) * UNIT},
	       {"jobs/mon_data/mon_L3_00/mbm_local_bytes", UINT64_C(500000000) * UNIT});
	fx_step(20 * SECOND);
	CU_ASSERT_EQUAL(value("jobs/mon_data/mon_L3_00/mbm_total_bytes"), UINT64_C(1020000000) * UNIT);
}

/*
 * The kernel asks every second, on the lowest CPU of each L3, and leaves what it asked for last: the last group's local
 * bandwidth.
 */
TEST(the_kernel_is_in_the_way_every_second)
{
	fx_open_load(ON JOBS, LOADED);
	WMSR({0, EVTSEL, RMID5 | OCCUPANCY}, {1, EVTSEL, RMID5 | OCCUPANCY});
	fx_step(SECOND - 1);
	ISMSR({0, EVTSEL, RMID5 | OCCUPANCY});
	fx_step(1);
	ISMSR({0, EVTSEL, RMID5 | LOCAL}, {0, QM_CTR, 500}, {1, EVTSEL, RMID5 | OCCUPANCY}, {2, EVTSEL, RMID5 | LOCAL});
	open_half(ON JOBS ",qm_scope=package", LOADED);
	fx_wmsr(1, EVTSEL, RMID5 | OCCUPANCY);
	fx_step(SECOND);
	ISMSR({1, EVTSEL, RMID5 | LOCAL});
}

/* And it is not a write of another process that is to be disturbed. */
TEST(its_writes_are_not_the_openers)
{
	fx_open(ON JOBS ",disturb=2");
	value("jobs/mon_data/mon_L3_00/llc_occupancy");
	fx_step(2 * SECOND);
	fx_wmsr(0, EVTSEL, RMID5 | TOTAL);
	ISMSR({0, EVTSEL, RMID5 | TOTAL});
	fx_wmsr(0, EVTSEL, RMID5 | TOTAL);
	ISMSR({0, EVTSEL, UINT64_C(4) << 32 | TOTAL});
}

/* A Broadwell with 144 RMIDs: above 127 what is counted is to be multiplied by 1.185255. */
TEST(bandwidth_is_corrected_where_linux_does)
{
	uint64_t bytes, truth, units = 100000;

	fx_open_load(ON ",resctrl_group=jobs:130:0", HEAD "  0: {total: 7372800000, local: 0}\n");
	fx_step(SECOND);
	bytes = value("jobs/mon_data/mon_L3_00/mbm_total_bytes");
	truth = llc(0, 130).total_bytes;
	CU_ASSERT(qm(1, 130, TOTAL) < 85000);
	CU_ASSERT(bytes <= truth && truth - bytes < 3 * UNIT);
	fx_open_load(ON ",resctrl_group=jobs:130:0,mbm_erratum=0", HEAD "  0: {total: 7372800000, local: 0}\n");
	fx_step(SECOND);
	bytes = value("jobs/mon_data/mon_L3_00/mbm_total_bytes");
	CU_ASSERT_EQUAL(bytes, (units * (uint64_t)(1048576 * 1.185255 + 0.5) >> 20) * UNIT);
}

TEST(what_is_no_number_is_called_so)
{
	fx_open_load(ON JOBS ",qm=error", LOADED);
	FILES(DIR, {"/jobs/mon_data/mon_L3_00/llc_occupancy", "Error\n"},
	      {"/jobs/mon_data/mon_L3_00/mbm_total_bytes", "Error\n"});
	open_half(ON JOBS ",qm=unavailable:3", LOADED);
	file_is(DIR "/jobs/mon_data/mon_L3_00/mbm_total_bytes", "Unavailable\n"); /* mounting it was the first */
	file_is(DIR "/jobs/mon_data/mon_L3_00/mbm_total_bytes", "Unavailable\n");
	CU_ASSERT_EQUAL(value("jobs/mon_data/mon_L3_00/mbm_total_bytes"), 500 * UNIT);
	/* A sum is one if any of its parts is. */
	open_half(ZEN2 ",resctrl=on,resctrl_group=jobs:5:,resctrl_group=jobs/mon_groups/one:6:",
		  HEAD "  0: {total: 64000, local: 64000}\n");
	file_is(DIR "/jobs/mon_data/mon_L3_00/mbm_total_bytes", "Unavailable\n");
	fx_wmsr(0, PQR, 6);
	file_is(DIR "/jobs/mon_data/mon_L3_00/mbm_total_bytes", "Unavailable\n"); /* the first since it is tracked */
	fx_step(SECOND / 4);
	CU_ASSERT_EQUAL(value("jobs/mon_data/mon_L3_00/mbm_total_bytes"), 16000);
}

TEST(amd_has_domains_for_each_l3)
{
	fx_open_load(ZEN2 ",resctrl=on,resctrl_group=jobs:200:0-3", HEAD "  2: {total: 64000, local: 64000}\n");
	names_are(DIR "/mon_data", "mon_L3_00 mon_L3_02");
	file_is(DIR "/info/L3_MON/num_rmids", "256\n");
	/* Carried since it was mounted, and it has not been read since. */
	file_is(DIR "/jobs/mon_data/mon_L3_02/mbm_total_bytes", "Unavailable\n");
	fx_step(10 * SECOND + SECOND / 2);
	VALUES({"jobs/mon_data/mon_L3_02/mbm_total_bytes", 672000}, {"jobs/mon_data/mon_L3_00/mbm_total_bytes", 0},
	       {"mon_data/mon_L3_02/mbm_total_bytes", 0});
}

TEST(an_l3_without_cpus_is_no_domain)
{
	fx_open(ON ",offline=0,offline=2-3,resctrl_group=jobs:5:1");
	names_are(DIR "/mon_data", "mon_L3_00");
	FILES(DIR, {"/mon_data/mon_L3_01/llc_occupancy", NULL}, {"/cpus_list", "\n"});
	CU_ASSERT_EQUAL(value("jobs/mon_data/mon_L3_00/mbm_total_bytes"), 0);
	ISMSR({1, EVTSEL, RMID5 | TOTAL});
}

TEST(a_part_with_occupancy_alone_has_that)
{
	fx_open("hsx,sockets=1,cores=2,clock=step,dword_ns=0,resctrl=on,resctrl_group=mon_groups/one:3:1");
	file_is(DIR "/info/L3_MON/mon_features", "llc_occupancy\n");
	names_are(DIR "/mon_groups/one/mon_data/mon_L3_00", "llc_occupancy");
	file_is(DIR "/mon_data/mon_L3_00/mbm_total_bytes", NULL);
	ISMSR({1, PQR, 3});
	fx_step(10 * SECOND);
	ISMSR({0, EVTSEL, 0}); /* there is nothing to be read every second */
	value("mon_groups/one/mon_data/mon_L3_00/llc_occupancy");
	ISMSR({0, EVTSEL, UINT64_C(3) << 32 | OCCUPANCY});
}

TEST(a_wrong_kernel_says_too_much)
{
	open_half(ON JOBS ",resctrl_off=-10", LOADED);
	VALUES({"jobs/mon_data/mon_L3_00/mbm_total_bytes", 450 * UNIT},
	       {"jobs/mon_data/mon_L3_00/llc_occupancy", 90 * UNIT});
	QM({1, 5, TOTAL, 500});
}

TEST(several_openers_have_one_mount)
{
	const char *load = fx_file(LOADED), *args = fx_text(BDX ",load=%s,state=%s", load, fx_file(NULL));
	const char *mounted = fx_text("%s,resctrl=on" JOBS, args);

	fx_open(mounted);
	fx_wmsr(1, PQR, 9);
	fx_use(1);
	fx_open(args);
	fx_step(100 * SECOND);
	ISMSR({0, EVTSEL, RMID5 | LOCAL});
	file_is(DIR "/cpus_list", NULL);
	fx_open(mounted); /* which mounts nothing anew */
	ISMSR({1, PQR, 9});
	CU_ASSERT_EQUAL(value("jobs/mon_data/mon_L3_00/mbm_total_bytes"), 100000 * UNIT);
	fx_use(0);
	CU_ASSERT_EQUAL(value("jobs/mon_data/mon_L3_00/mbm_total_bytes"), 100000 * UNIT);
	FX_REFUSED(fx_text("%s,resctrl=on,resctrl_group=jobs:5:1", args), "mounted there with other groups");
}

/* {the last of the groups, what the sentence says, ...}, ... */
#define BAD_GROUPS(others, ...) fx_bad_keys("bdx,resctrl=on" others ",resctrl_group=", 1, FX_KEYS(__VA_ARGS__))

TEST(keys_that_make_no_sense_are_refused)
{
	static const char *const not_groups[] = {"jobs",     "jobs:5",         "jobs:x:0",        "jobs:4096:0",
						 "jobs:5:x", ":5:0",           "info:5:0",        "..:5:0",
						 "a/b:5:0",  "mon_groups:5:0", "mon_groups/:5:0", "mon_groups/a/b:5:0"};

	BAD_KEYS("bdx", {"resctrl=1", "on or off"});
	FX_REFUSED("bdx,resctrl_group=jobs:5:0", "resctrl_group", "add resctrl=on");
	FX_REFUSED("bdx,resctrl_hw_id=on", "add resctrl=on");
	FX_REFUSED("bdx,resctrl_off=1", "add resctrl=on");
	BAD_KEYS("bdx,resctrl=on", {"resctrl_off=0"});
	FX_REFUSED("snbep,resctrl=on", "no cache monitoring");
	FX_REFUSED("spr,snc=2,resctrl=on", "snc=2");
	for (size_t i = 0; i < N(not_groups); i++)
		BAD_GROUPS("", {not_groups[i], fx_text("resctrl_group=%s", not_groups[i]), "NAME:RMID:CPUS"});
	BAD_GROUPS("", {"jobs:0:0", "jobs:0", "another group has that RMID"}, {"jobs:144:0", "jobs:144", "fewer RMIDs"},
		   {"jobs:5:72", "not there, or offline"}, {"jobs/mon_groups/one:5:", "must be given before"});
	BAD_GROUPS(",resctrl_group=jobs:5:1", {"jobs:6:", "jobs:6", "a group of that name"},
		   {"more:5:", "more:5", "another group has that RMID"},
		   {"jobs/mon_groups/one:6:2", "not one of the group in which"},
		   {"mon_groups/one:6:1", "another group's"});
	BAD_GROUPS(",resctrl_group=jobs:5:1,3", {"more:6:2,3", "another group's"});
	FX_REFUSED("hsx,resctrl=on,resctrl_group=jobs:5:1", "no class of service", "mon_groups/NAME");
	BAD_GROUPS(",resctrl_group=a:1:,resctrl_group=b:2:,resctrl_group=c:3:,resctrl_group=d:4:,resctrl_group=e:5:,"
		   "resctrl_group=f:6:,resctrl_group=g:7:,resctrl_group=h:8:,resctrl_group=i:9:,"
		   "resctrl_group=j:10:,resctrl_group=k:11:,resctrl_group=l:12:,resctrl_group=m:13:,"
		   "resctrl_group=n:14:,resctrl_group=o:15:",
		   {"p:16:", "there can be 15"});
}
