// SPDX-License-Identifier: GPL-2.0-or-later
#include "fakefiles.h"
#include "machine/users.h"
#include "test.h"

#define MOUNTS "proc /proc proc rw,relatime 0 0\n/dev/sda1 / ext4 rw 0 0\n"

/* Fields of proc(5): it began at tick 4711 and has 8192000 bytes. */
#define STAT(pid, comm, state, threads)                                                                                \
	pid " (" comm ") " state " 1 1 1 0 -1 4194304 0 0 0 0 5 6 7 8 20 0 " threads                                   \
	    " 0 4711 8192000 390 18446744073709551615\n"

static struct fake f;
/* What was found last. */
static struct unc_finding *found;
static size_t n_found;
static struct unc_box boxes[2]; /* channels, without which no driver has a function to be bound to */

static void begin(void)
{
	fake_open(&f);
	for (unsigned i = 0; i < 2; i++) {
		boxes[i] = (struct unc_box){.machine = f.m};
		snprintf(boxes[i].name, sizeof(boxes[i].name), "socket0.imc0.ch%u", i);
		boxes[i].addr_known = unc_addr_parse_pci(i ? "ff:10.1" : "ff:10.0", &boxes[i].addr);
		unc_addr_text(&boxes[i].addr, boxes[i].pci);
	}
	f.m->boxes = boxes;
	f.m->n_boxes = 2;
}

static void end(void)
{
	free(found);
	found = NULL;
	fake_close(&f);
}
EACH(begin, end)

static struct fake_file *put(const char *path, const char *text)
{
	return fake_put(&f, path, text);
}

/* Of the caches, or of a box. */
static int find(const struct unc_box *box)
{
	return unc_users_find(f.m, box ? UNC_USERS_OF_BOX : UNC_USERS_OF_CACHES, box, &found, &n_found);
}

/* What it says of it is asserted to be whole. */
static void look(const struct unc_box *box)
{
	free(found);
	OK(&f, find(box));
	for (size_t i = 0; i < n_found; i++) {
		CU_ASSERT_TRUE(found[i].evidence[0] == '/');
		CU_ASSERT_TRUE(found[i].way_out[0] != '\0');
		EQ(strncmp(found[i].sentence, "possible: ", 10) != 0, found[i].certain);
	}
}

static void has_one(enum unc_finding_kind kind, bool certain, const char *evidence, const char *sentence)
{
	CU_ASSERT_EQUAL_FATAL(n_found, 1);
	EQ(found[0].kind, kind);
	EQ(found[0].certain, certain);
	HAS(found[0].evidence, evidence);
	HAS(found[0].sentence, sentence);
}

static void is(enum unc_finding_kind kind, bool certain, const char *evidence, const char *sentence)
{
	look(NULL);
	has_one(kind, certain, evidence, sentence);
}

static void box_has(unsigned box, enum unc_finding_kind kind, const char *evidence, const char *sentence)
{
	look(&boxes[box]);
	has_one(kind, false, evidence, sentence);
}

static void is_nothing(const struct unc_box *box)
{
	look(box);
	EQ(n_found, 0);
	CU_ASSERT_PTR_NULL(found);
}

/* The search of caches, or of a box, ends wherever memory runs out. */
static void ends_without_memory(const struct unc_box *box, unsigned least)
{
	unsigned n;

	f.n_read = 0;
	look(box);
	n = f.n_read;
	CU_ASSERT_TRUE(n >= least);
	for (f.fail_at = 1; f.fail_at <= n; f.fail_at++) {
		free(found);
		found = NULL;
		f.n_read = 0;
		FAILS(&f, UNC_ENOMEM, find(box), "out of memory");
		CU_ASSERT_PTR_NULL(found);
	}
}

TEST(without_other_users_there_are_none)
{
	is_nothing(NULL);
	put("/proc/mounts", MOUNTS);
	put("/proc/1/mounts", MOUNTS);
	is_nothing(NULL);
	put("/sys/fs/resctrl", NULL); /* a place to mount it, as every kernel with it has */
	is_nothing(NULL);
	EQ(strlen(f.notes), 0);
}

static void files_of_resctrl(const char *dir)
{
	static const char *const names[] = {
		"cpus", "cpus_list", "mode", "schemata", "size", "tasks", "info/L3_MON/num_rmids"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put(test_text("%s/%s", dir, names[i]), "0\n");
	put(test_text("%s/mon_groups", dir), NULL);
	put(test_text("%s/mon_data/mon_L3_00/llc_occupancy", dir), "123\n");
}

TEST(resctrl_is_found_where_it_is_mounted)
{
	put("/proc/mounts", MOUNTS "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl("/sys/fs/resctrl");
	is(UNC_FOUND_RESCTRL, true, "/proc/mounts: resctrl at /sys/fs/resctrl",
	   "with 0 control and 0 monitoring groups: its kernel rewrites IA32_PQR_ASSOC at every context switch once");
	SAME(found[0].way_out, "unmount it if no program needs its groups (umount /sys/fs/resctrl)");
	put("/proc/mounts", MOUNTS "none /mnt/two\\040words\\134 resctrl rw 0 0\n");
	files_of_resctrl("/mnt/two words\\");
	is(UNC_FOUND_RESCTRL, true, "resctrl at /mnt/two words\\", "is mounted at /mnt/two words\\, with 0");
	put("/proc/mounts", MOUNTS "resctrl /sys/fs/resctrl tmpfs rw 0 0\n");
	is_nothing(NULL);
}

TEST(resctrl_groups_are_counted)
{
	put("/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl("/sys/fs/resctrl");
	put("/sys/fs/resctrl/a_new_file", "\n");
	files_of_resctrl("/sys/fs/resctrl/web");
	files_of_resctrl("/sys/fs/resctrl/db");
	put("/sys/fs/resctrl/mon_groups/x/tasks", "");
	put("/sys/fs/resctrl/db/mon_groups/y/tasks", "");
	put("/sys/fs/resctrl/db/mon_groups/z/tasks", "");
	is(UNC_FOUND_RESCTRL, true, "/sys/fs/resctrl",
	   "with 2 control and 3 monitoring groups: its kernel rewrites IA32_PQR_ASSOC at every context switch, RMIDs");
}

TEST(resctrl_is_found_outside_of_our_mount_namespace)
{
	put("/proc/mounts", MOUNTS);
	put("/proc/1/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl("/proc/1/root/sys/fs/resctrl");
	files_of_resctrl("/proc/1/root/sys/fs/resctrl/web");
	is(UNC_FOUND_RESCTRL, true, "/proc/1/mounts: resctrl at /proc/1/root/sys/fs/resctrl", "with 1 control");
	SAME(found[0].way_out,
	     "unmount it if no program needs its groups (nsenter --target 1 --mount umount /sys/fs/resctrl)");
}

TEST(malformed_mounts_are_no_resctrl)
{
	static const char *const texts[] = {
		"",           "\n\n",     "resctrl", "resctrl ", "resctrl resctrl", "a b resctr\n", "a b resctrlx rw\n",
		" resctrl\n", "\\04 \\ x"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put("/proc/mounts", texts[i]);
		is_nothing(NULL);
	}
	put("/proc/mounts", "a b resctrl"); /* cut off behind what matters */
	is(UNC_FOUND_RESCTRL, true, "/proc/mounts", "mounted at b,");
}

TEST(an_empty_lock_file_of_libpqos_is_a_possibility)
{
	static const char *const texts[] = {"", "\n", "x", "123", "123 x", "-1 5\n", "99999999999999999999 1\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put("/var/lock/libpqos", texts[i]);
		is(UNC_FOUND_PQOS, false, "/var/lock/libpqos: is there", "stays when they end");
	}
	fake_drop(&f, "/var/lock/libpqos");
	is_nothing(NULL);
	put("/run/lock/libpqos", "");
	is(UNC_FOUND_PQOS, false, "/run/lock/libpqos: is there", "stays when they end");
	put("/var/lock/libpqos", ""); /* it is one file */
	is(UNC_FOUND_PQOS, false, "/var/lock/libpqos: is there", "stays when they end");
}

TEST(the_process_that_libpqos_names_is_looked_for)
{
	put("/var/lock/libpqos", "321 8000000\n");
	is(UNC_FOUND_PQOS, false, "process 321, which is not there", "was killed");
	put("/proc/321/stat", STAT("321", "pqos", "S", "1"));
	is(UNC_FOUND_PQOS, true, "process 321, which is \"pqos\"", "process 321 (pqos) uses libpqos");
	put("/proc/321/stat", STAT("321", "a) (b", "S", "1"));
	is(UNC_FOUND_PQOS, false, "is \"a) (b\"", "possible: process 321 (a) (b)");
	put("/var/lock/libpqos", "321 4711\n"); /* as it is meant */
	is(UNC_FOUND_PQOS, true, "process 321", "uses libpqos");
	put("/var/lock/libpqos", "321 8192000\n"); /* as v26.03 writes it */
	is(UNC_FOUND_PQOS, true, "process 321", "uses libpqos");
	put("/proc/321/stat", STAT("321", "pqos", "Z", "1"));
	is(UNC_FOUND_PQOS, false, "process 321, which is not there", "was killed");
}

TEST(instances_of_old_pcm_are_a_possibility)
{
	static const unsigned char two[32] = {2}, none[32] = {0}, waited[32] = {0, 0, 0, 0, 1};

	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", two, sizeof(two));
	is(UNC_FOUND_PCM, false, "/dev/shm/sem.Num PCM insts: its value is 2", "number of instances is 2");
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", none, sizeof(none));
	is_nothing(NULL);
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", waited, sizeof(waited)); /* behind it: who waits */
	is_nothing(NULL);
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", two, 3);
	is_nothing(NULL);
}

#define SHM_HEAD "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid\n"

TEST(the_daemon_of_pcm_is_found_while_it_runs)
{
	put("/tmp/opcm-daemon-shm-id", "32769");
	is_nothing(NULL);
	put("/proc/sysvipc/shm",
	    SHM_HEAD "-559038737      32768   600                524288   900   901      2     0     0     0     0\n"
		     "         0      32769   660                 78000   777   778      1     0     0     0     0\n");
	is_nothing(NULL);
	put("/proc/777/stat", STAT("777", "pcm-daemon", "S", "1"));
	is(UNC_FOUND_PCM, true, "32769, which /proc/sysvipc/shm has as made by process 777",
	   "running as process 777 (pcm-daemon)");
	put("/proc/sysvipc/shm", SHM_HEAD "0 32769 660 78000 777 778 0 0 0 0 0\n");
	is_nothing(NULL);
	put("/proc/sysvipc/shm", SHM_HEAD "0 32769 660\n78000 777 778 1 0 0 0 0\n");
	is_nothing(NULL);
	put("/proc/sysvipc/shm", SHM_HEAD "-1 32769 660 78000 777 778 1");
	is(UNC_FOUND_PCM, true, "777", "777");
	put("/tmp/opcm-daemon-shm-id", "-32769");
	is_nothing(NULL);
}

TEST(groups_of_pcm_in_resctrl_are_a_possibility)
{

	put("/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl("/sys/fs/resctrl");
	put("/sys/fs/resctrl/mon_groups/pcm", NULL);
	put("/sys/fs/resctrl/mon_groups/pcm1x", NULL);
	is(UNC_FOUND_RESCTRL, true, "", "2 monitoring groups");
	put("/sys/fs/resctrl/mon_groups/pcm0", NULL);
	put("/sys/fs/resctrl/mon_groups/pcm11", NULL);
	look(NULL);
	EQ(n_found, 2);
	EQ(found[1].kind, UNC_FOUND_PCM);
	EQ(found[1].certain, false);
	SAME(found[1].evidence, "/sys/fs/resctrl/mon_groups: has pcm0");
	HAS(found[1].sentence, "has 2 groups");
}

TEST(what_may_not_be_read_is_not_found)
{
	put("/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n")->rc = UNC_EPERM;
	put("/var/lock/libpqos", "")->rc = UNC_EIO;
	is_nothing(NULL);
}

TEST(want_of_memory_is_told_wherever_it_strikes)
{
	put("/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl("/sys/fs/resctrl");
	files_of_resctrl("/sys/fs/resctrl/web");
	put("/var/lock/libpqos", "321 4711\n");
	put("/proc/321/stat", STAT("321", "pqos", "S", "1"));
	put("/tmp/opcm-daemon-shm-id", "1");
	put("/proc/sysvipc/shm", SHM_HEAD "0 1 660 78000 321 778 1 0\n");
	ends_without_memory(NULL, 11);
}

/* ---- who may count in a box ---- */

#define CH0    "/sys/bus/pci/devices/0000:ff:10.0/driver"
#define CH1    "/sys/bus/pci/devices/0000:ff:10.1/driver"
#define DRIVER "../../../bus/pci/drivers/snbep_uncore"
#define PERF   "anon_inode:[perf_event]"

TEST(a_driver_that_is_bound_to_the_function_is_named)
{

	is_nothing(&boxes[0]);
	put(CH0, DRIVER);
	box_has(0, UNC_FOUND_DRIVER, CH0 ": leads to snbep_uncore",
		"perf counts, as the kernel's driver snbep_uncore is bound to this function");
	is_nothing(&boxes[1]);
	put(CH1, "../bus/pci/drivers/vfio-pci");
	box_has(1, UNC_FOUND_DRIVER, CH1 ": leads to vfio-pci", "the driver vfio-pci, which is bound to this function");
	/* Of the whole machine it is said once. */
	free(found);
	OK(&f, unc_users_find(f.m, UNC_USERS_OF_MACHINE, NULL, &found, &n_found));
	CU_ASSERT_EQUAL_FATAL(n_found, 1);
	HAS(found[0].sentence, "is bound to 2 of the functions of memory controllers");
	HAS(found[0].way_out, "echo 0000:ff:10.0 > /sys/bus/pci/drivers/snbep_uncore/unbind");
}

TEST(pmus_of_the_kernel_are_named_where_no_function_tells)
{
	put("/sys/bus/event_source/devices/cpu/type", "4");
	put("/sys/bus/event_source/devices/uncore_cbox_0/type", "9");
	is_nothing(&boxes[0]);
	put("/sys/bus/event_source/devices/uncore_imc_0/type", "10");
	put("/sys/bus/event_source/devices/uncore_imc_1/type", "11");
	box_has(0, UNC_FOUND_DRIVER, "/sys/bus/event_source/devices: 2 of uncore_imc_0",
		"the kernel has a driver for counters of memory controllers");
}

TEST(pmus_that_a_kernel_names_by_their_type_are_noticed)
{
	static const char *const names[] = {"uncore_type_6_0", "uncore_type_14_3", "uncore_hbm_3"};
	static const char *const others[] = {"uncore_type_5_0", "uncore_type_60_0", "uncore_type_1_6"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fake_drop(&f, "/sys");
		put(test_text("/sys/bus/event_source/devices/%s/type", others[i]), "9");
		is_nothing(&boxes[0]);
		put(test_text("/sys/bus/event_source/devices/%s/type", names[i]), "10");
		box_has(0, UNC_FOUND_DRIVER, test_text("/sys/bus/event_source/devices: 1 of %s", names[i]),
			"the kernel has a driver for counters of memory controllers");
	}
}

TEST(a_process_with_a_perf_event_is_a_possibility)
{
	struct unc_perf_users users;

	put("/proc/1/fd/0", "/dev/null");
	put("/proc/812/fd/3", "pipe:[99]");
	put("/proc/812/fd/4", PERF);
	put("/proc/812/fd/5", PERF);
	put("/proc/812/stat", STAT("812", "perf", "S", "1"));
	put("/proc/813/fd/4", PERF);
	put("/proc/814/fd", NULL); /* a thread of the kernel */
	put("/proc/meminfo", "x");
	/* Without a driver of the kernel it does not count here, and no process is searched for. */
	f.n_read = 0;
	is_nothing(&boxes[0]);
	CU_ASSERT_TRUE(f.n_read < 12);
	put("/sys/bus/event_source/devices/uncore_imc_0/type", "10");
	look(&boxes[0]);
	CU_ASSERT_EQUAL_FATAL(n_found, 2);
	EQ(found[1].kind, UNC_FOUND_PERF);
	CU_ASSERT_FALSE(found[1].certain);
	SAME(found[1].evidence, "/proc/812/fd/4: " PERF);
	SAME(found[1].sentence, "possible: process 812 (perf) has a perf event open, and 1 more have; on which "
				"unit cannot be told, and 4 processes were looked at");
	OK(&f, unc_users_perf_users(f.m, &users));
	EQ(users.n_looked, 4);
	EQ(users.n_holders, 2);
	EQ(users.pid, 812);
	SAME(users.comm, "perf");
	SAME(users.evidence, "/proc/812/fd/4");
	EQ(users.n_hidden + users.n_skipped, 0);
}

/* AMD's driver writes nothing before an event is opened: that its PMU is there is no other user. */
TEST(amd_pmus_tell_only_where_an_event_is_open)
{
	static const struct {
		const char *unit, *pmu, *others[2];
	} rows[] = {{"df", "amd_df", {"amd_l3", "amd_umc_0"}},
		    {"l3", "amd_l3", {"amd_df", "amd_umc_0"}},
		    {"imc", "amd_umc_3", {"amd_l3", "amd_iommu_0"}},
		    {"imc", "amd_df", {"amd_l3", "uncore_imc_0"}}}; /* channels that the data fabric counts */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct unc_unit unit = {.kind = UNC_MSR, .name = rows[i].unit};

		fake_drop(&f, "");
		boxes[0].unit = &unit;
		boxes[0].addr = (struct unc_addr){.kind = UNC_MSR};
		put(test_text("/sys/bus/event_source/devices/%s/cpumask", rows[i].pmu), "0,64\n");
		is_nothing(&boxes[0]);
		put("/proc/812/fd/4", PERF);
		put("/proc/812/stat", STAT("812", "perf", "S", "1"));
		box_has(0, UNC_FOUND_PERF, "/proc/812/fd/4: " PERF,
			"process 812 (perf) has a perf event open; whether on ");
		HAS(found[0].sentence, rows[i].pmu);
		HAS(found[0].way_out, rows[i].pmu);
		/* Not through those of other boxes. */
		fake_drop(&f, "/sys");
		for (unsigned k = 0; k < 2; k++)
			put(test_text("/sys/bus/event_source/devices/%s/type", rows[i].others[k]), "9");
		is_nothing(&boxes[0]);
		put("/run/likwid.lock", "");
		box_has(0, UNC_FOUND_LIKWID, "/run/likwid.lock: is there", "LIKWID counts");
	}
}

TEST(likwid_is_a_possibility_where_its_lock_file_is)
{
	put("/run/likwid.lock", "");
	box_has(1, UNC_FOUND_LIKWID, "/run/likwid.lock: is there", "LIKWID counts, which its lock file reserves");
	put("/var/run/likwid.lock", "");
	box_has(1, UNC_FOUND_LIKWID, "/var/run/likwid.lock", "LIKWID");
	is_nothing(NULL); /* it has nothing to do with caches */
}

TEST(pcm_counts_in_boxes_too)
{
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", "\2\0\0\0", 4);
	box_has(0, UNC_FOUND_PCM, "its value is 2", "it programs the counters of memory controllers");
}

TEST(who_is_found_stands_behind_what_was_said)
{
	int rc = unc_fail(f.ctx, UNC_EBUSY, "taken");

	EQ(unc_users_text(&boxes[0], rc), UNC_EBUSY);
	SAME(unc_errmsg(f.ctx), "taken");
	put(CH0, DRIVER);
	put("/run/likwid.lock", "");
	rc = unc_fail(f.ctx, UNC_EBUSY, "taken");
	EQ(unc_users_text(&boxes[0], rc), UNC_EBUSY);
	SAME(unc_errmsg(f.ctx),
	     "taken (found here: possible: perf counts, as the kernel's driver snbep_uncore is bound to this function "
	     "[" CH0
	     ": leads to snbep_uncore]; possible: LIKWID counts, which its lock file reserves for one user, whether "
	     "that user counts now or not [/run/likwid.lock: is there])");
	/* What there is no room for is counted. */
	rc = unc_fail(f.ctx, UNC_EBUSY, "%0720d", 0);
	EQ(unc_users_text(&boxes[0], rc), UNC_EBUSY);
	HAS(unc_errmsg(f.ctx), "; and 1 more)");
	rc = unc_fail(f.ctx, UNC_EBUSY, "%0860d", 0);
	EQ(unc_users_text(&boxes[0], rc), UNC_EBUSY);
	HAS(unc_errmsg(f.ctx), "(found here: and 2 more)");
	rc = unc_fail(f.ctx, UNC_EBUSY, "%01000d", 0);
	EQ(unc_users_text(&boxes[0], rc), UNC_EBUSY);
	EQ(strlen(unc_errmsg(f.ctx)), 1000);
}

TEST(want_of_memory_ends_the_search_of_a_box)
{
	put(CH0, DRIVER);
	put("/sys/bus/event_source/devices/uncore_imc_0/type", "10");
	put("/proc/812/fd/4", PERF);
	put("/proc/812/stat", STAT("812", "perf", "S", "1"));
	put("/run/likwid.lock", "");
	ends_without_memory(&boxes[0], 8);
}
