// SPDX-License-Identifier: GPL-2.0-or-later
#include "fakefiles.h"
#include "machine/users.h"
#include "test.h"

#define MOUNTS "proc /proc proc rw,relatime 0 0\n/dev/sda1 / ext4 rw 0 0\n"

/* Fields of proc(5): it began at tick 4711 and has 8192000 bytes. */
#define STAT(pid, comm, state, threads)                                                                                \
	pid " (" comm ") " state " 1 1 1 0 -1 4194304 0 0 0 0 5 6 7 8 20 0 " threads                                   \
	    " 0 4711 8192000 390 18446744073709551615\n"

struct found {
	struct unc_finding *findings;
	size_t n;
};

static struct found look(struct fake *f)
{
	struct found found = {0};

	OK(f, unc_users_find(f->m, UNC_USERS_OF_CACHES, NULL, &found.findings, &found.n));
	for (size_t i = 0; i < found.n; i++) {
		CU_ASSERT_TRUE(found.findings[i].evidence[0] == '/');
		CU_ASSERT_TRUE(found.findings[i].way_out[0] != '\0');
		EQ(strncmp(found.findings[i].sentence, "possible", 8) != 0, found.findings[i].certain);
	}
	return found;
}

static void is(struct fake *f, enum unc_finding_kind kind, bool certain, const char *evidence, const char *sentence)
{
	struct found found = look(f);

	CU_ASSERT_EQUAL_FATAL(found.n, 1);
	EQ(found.findings[0].kind, kind);
	EQ(found.findings[0].certain, certain);
	HAS(found.findings[0].evidence, evidence);
	HAS(found.findings[0].sentence, sentence);
	free(found.findings);
}

static void is_left_by(struct fake *f, const char *way_out)
{
	struct found found = look(f);

	CU_ASSERT_EQUAL_FATAL(found.n, 1);
	SAME(found.findings[0].way_out, way_out);
	free(found.findings);
}

static void is_nothing(struct fake *f)
{
	struct found found = look(f);

	EQ(found.n, 0);
	CU_ASSERT_PTR_NULL(found.findings);
	free(found.findings);
}

TEST(without_other_users_there_are_none)
{
	struct fake f;

	fake_open(&f);
	is_nothing(&f);
	fake_put(&f, "/proc/mounts", MOUNTS);
	fake_put(&f, "/proc/1/mounts", MOUNTS);
	is_nothing(&f);
	fake_put(&f, "/sys/fs/resctrl", NULL); /* a place to mount it, as every kernel with it has */
	is_nothing(&f);
	EQ(strlen(f.notes), 0);
	fake_close(&f);
}

static void files_of_resctrl(struct fake *f, const char *dir)
{
	static const char *const names[] = {
		"cpus", "cpus_list", "mode", "schemata", "size", "tasks", "info/L3_MON/num_rmids"};
	char path[FAKE_PATH];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		fake_put(f, path, "0\n");
	}
	snprintf(path, sizeof(path), "%s/mon_groups", dir);
	fake_put(f, path, NULL);
	snprintf(path, sizeof(path), "%s/mon_data/mon_L3_00/llc_occupancy", dir);
	fake_put(f, path, "123\n");
}

TEST(resctrl_is_found_where_it_is_mounted)
{
	struct fake f;

	fake_open(&f);
	fake_put(&f, "/proc/mounts", MOUNTS "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl(&f, "/sys/fs/resctrl");
	is(&f, UNC_FOUND_RESCTRL, true, "/proc/mounts: resctrl at /sys/fs/resctrl",
	   "with 0 control and 0 monitoring groups: its kernel rewrites IA32_PQR_ASSOC at every context switch once");
	is_left_by(&f, "unmount it if no program needs its groups (umount /sys/fs/resctrl)");
	fake_put(&f, "/proc/mounts", MOUNTS "none /mnt/two\\040words\\134 resctrl rw 0 0\n");
	files_of_resctrl(&f, "/mnt/two words\\");
	is(&f, UNC_FOUND_RESCTRL, true, "resctrl at /mnt/two words\\", "is mounted at /mnt/two words\\, with 0");
	fake_put(&f, "/proc/mounts", MOUNTS "resctrl /sys/fs/resctrl tmpfs rw 0 0\n");
	is_nothing(&f);
	fake_close(&f);
}

TEST(resctrl_groups_are_counted)
{
	struct fake f;

	fake_open(&f);
	fake_put(&f, "/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl(&f, "/sys/fs/resctrl");
	fake_put(&f, "/sys/fs/resctrl/a_new_file", "\n");
	files_of_resctrl(&f, "/sys/fs/resctrl/web");
	files_of_resctrl(&f, "/sys/fs/resctrl/db");
	fake_put(&f, "/sys/fs/resctrl/mon_groups/x/tasks", "");
	fake_put(&f, "/sys/fs/resctrl/db/mon_groups/y/tasks", "");
	fake_put(&f, "/sys/fs/resctrl/db/mon_groups/z/tasks", "");
	is(&f, UNC_FOUND_RESCTRL, true, "/sys/fs/resctrl",
	   "with 2 control and 3 monitoring groups: its kernel rewrites IA32_PQR_ASSOC at every context switch, RMIDs");
	fake_close(&f);
}

TEST(resctrl_is_found_outside_of_our_mount_namespace)
{
	struct fake f;

	fake_open(&f);
	fake_put(&f, "/proc/mounts", MOUNTS);
	fake_put(&f, "/proc/1/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl(&f, "/proc/1/root/sys/fs/resctrl");
	files_of_resctrl(&f, "/proc/1/root/sys/fs/resctrl/web");
	is(&f, UNC_FOUND_RESCTRL, true, "/proc/1/mounts: resctrl at /proc/1/root/sys/fs/resctrl", "with 1 control");
	is_left_by(&f, "unmount it if no program needs its groups (nsenter --target 1 --mount umount /sys/fs/resctrl)");
	fake_close(&f);
}

TEST(malformed_mounts_are_no_resctrl)
{
	static const char *const texts[] = {
		"",           "\n\n",     "resctrl", "resctrl ", "resctrl resctrl", "a b resctr\n", "a b resctrlx rw\n",
		" resctrl\n", "\\04 \\ x"};
	struct fake f;

	fake_open(&f);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fake_put(&f, "/proc/mounts", texts[i]);
		is_nothing(&f);
	}
	fake_put(&f, "/proc/mounts", "a b resctrl"); /* cut off behind what matters */
	is(&f, UNC_FOUND_RESCTRL, true, "/proc/mounts", "mounted at b,");
	fake_close(&f);
}

TEST(an_empty_lock_file_of_libpqos_is_a_possibility)
{
	static const char *const texts[] = {"", "\n", "x", "123", "123 x", "-1 5\n", "99999999999999999999 1\n"};
	struct fake f;

	fake_open(&f);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fake_put(&f, "/var/lock/libpqos", texts[i]);
		is(&f, UNC_FOUND_PQOS, false, "/var/lock/libpqos: is there", "stays when they end");
	}
	fake_drop(&f, "/var/lock/libpqos");
	is_nothing(&f);
	fake_put(&f, "/run/lock/libpqos", "");
	is(&f, UNC_FOUND_PQOS, false, "/run/lock/libpqos: is there", "stays when they end");
	fake_put(&f, "/var/lock/libpqos", ""); /* it is one file */
	is(&f, UNC_FOUND_PQOS, false, "/var/lock/libpqos: is there", "stays when they end");
	fake_close(&f);
}

TEST(the_process_that_libpqos_names_is_looked_for)
{
	struct fake f;

	fake_open(&f);
	fake_put(&f, "/var/lock/libpqos", "321 8000000\n");
	is(&f, UNC_FOUND_PQOS, false, "process 321, which is not there", "was killed");
	fake_put(&f, "/proc/321/stat", STAT("321", "pqos", "S", "1"));
	is(&f, UNC_FOUND_PQOS, true, "process 321, which is \"pqos\"", "process 321 (pqos) uses libpqos");
	fake_put(&f, "/proc/321/stat", STAT("321", "a) (b", "S", "1"));
	is(&f, UNC_FOUND_PQOS, false, "is \"a) (b\"", "possible: process 321 (a) (b)");
	fake_put(&f, "/var/lock/libpqos", "321 4711\n"); /* as it is meant */
	is(&f, UNC_FOUND_PQOS, true, "process 321", "uses libpqos");
	fake_put(&f, "/var/lock/libpqos", "321 8192000\n"); /* as v26.03 writes it */
	is(&f, UNC_FOUND_PQOS, true, "process 321", "uses libpqos");
	fake_put(&f, "/proc/321/stat", STAT("321", "pqos", "Z", "1"));
	is(&f, UNC_FOUND_PQOS, false, "process 321, which is not there", "was killed");
	fake_close(&f);
}

TEST(instances_of_old_pcm_are_a_possibility)
{
	static const unsigned char two[32] = {2}, none[32] = {0}, waited[32] = {0, 0, 0, 0, 1};
	struct fake f;

	fake_open(&f);
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", two, sizeof(two));
	is(&f, UNC_FOUND_PCM, false, "/dev/shm/sem.Num PCM insts: its value is 2", "number of instances is 2");
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", none, sizeof(none));
	is_nothing(&f);
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", waited, sizeof(waited)); /* behind it: who waits */
	is_nothing(&f);
	fake_put_bytes(&f, "/dev/shm/sem.Num PCM insts", two, 3);
	is_nothing(&f);
	fake_close(&f);
}

#define SHM_HEAD "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid\n"

TEST(the_daemon_of_pcm_is_found_while_it_runs)
{
	struct fake f;

	fake_open(&f);
	fake_put(&f, "/tmp/opcm-daemon-shm-id", "32769");
	is_nothing(&f);
	fake_put(&f, "/proc/sysvipc/shm",
		 SHM_HEAD
		 "-559038737      32768   600                524288   900   901      2     0     0     0     0\n"
		 "         0      32769   660                 78000   777   778      1     0     0     0     0\n");
	is_nothing(&f);
	fake_put(&f, "/proc/777/stat", STAT("777", "pcm-daemon", "S", "1"));
	is(&f, UNC_FOUND_PCM, true, "32769, which /proc/sysvipc/shm has as made by process 777",
	   "running as process 777 (pcm-daemon)");
	fake_put(&f, "/proc/sysvipc/shm", SHM_HEAD "0 32769 660 78000 777 778 0 0 0 0 0\n");
	is_nothing(&f);
	fake_put(&f, "/proc/sysvipc/shm", SHM_HEAD "0 32769 660\n78000 777 778 1 0 0 0 0\n");
	is_nothing(&f);
	fake_put(&f, "/proc/sysvipc/shm", SHM_HEAD "-1 32769 660 78000 777 778 1");
	is(&f, UNC_FOUND_PCM, true, "777", "777");
	fake_put(&f, "/tmp/opcm-daemon-shm-id", "-32769");
	is_nothing(&f);
	fake_close(&f);
}

TEST(groups_of_pcm_in_resctrl_are_a_possibility)
{
	struct fake f;
	struct found found;

	fake_open(&f);
	fake_put(&f, "/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl(&f, "/sys/fs/resctrl");
	fake_put(&f, "/sys/fs/resctrl/mon_groups/pcm", NULL);
	fake_put(&f, "/sys/fs/resctrl/mon_groups/pcm1x", NULL);
	is(&f, UNC_FOUND_RESCTRL, true, "", "2 monitoring groups");
	fake_put(&f, "/sys/fs/resctrl/mon_groups/pcm0", NULL);
	fake_put(&f, "/sys/fs/resctrl/mon_groups/pcm11", NULL);
	found = look(&f);
	EQ(found.n, 2);
	EQ(found.findings[1].kind, UNC_FOUND_PCM);
	EQ(found.findings[1].certain, false);
	SAME(found.findings[1].evidence, "/sys/fs/resctrl/mon_groups: has pcm0");
	HAS(found.findings[1].sentence, "has 2 groups");
	free(found.findings);
	fake_close(&f);
}

TEST(what_may_not_be_read_is_not_found)
{
	struct fake f;

	fake_open(&f);
	fake_put(&f, "/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n")->rc = UNC_EPERM;
	fake_put(&f, "/var/lock/libpqos", "")->rc = UNC_EIO;
	is_nothing(&f);
	fake_close(&f);
}

TEST(want_of_memory_is_told_wherever_it_strikes)
{
	struct fake f;
	unsigned n;

	fake_open(&f);
	fake_put(&f, "/proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,relatime 0 0\n");
	files_of_resctrl(&f, "/sys/fs/resctrl");
	files_of_resctrl(&f, "/sys/fs/resctrl/web");
	fake_put(&f, "/var/lock/libpqos", "321 4711\n");
	fake_put(&f, "/proc/321/stat", STAT("321", "pqos", "S", "1"));
	fake_put(&f, "/tmp/opcm-daemon-shm-id", "1");
	fake_put(&f, "/proc/sysvipc/shm", SHM_HEAD "0 1 660 78000 321 778 1 0\n");
	free(look(&f).findings);
	n = f.n_read;
	CU_ASSERT_TRUE(n > 10);
	for (unsigned i = 1; i <= n; i++) {
		struct unc_finding *findings = NULL;
		size_t n_findings = 0;

		f.n_read = 0;
		f.fail_at = i;
		FAILS(&f, UNC_ENOMEM, unc_users_find(f.m, UNC_USERS_OF_CACHES, NULL, &findings, &n_findings),
		      "out of memory");
		CU_ASSERT_PTR_NULL(findings);
	}
	fake_close(&f);
}

/* ---- who may count in a box ---- */

#define CH0    "/sys/bus/pci/devices/0000:ff:10.0/driver"
#define CH1    "/sys/bus/pci/devices/0000:ff:10.1/driver"
#define DRIVER "../../../bus/pci/drivers/snbep_uncore"
#define PERF   "anon_inode:[perf_event]"

/* Two channels, without which no driver has a function to be bound to. */
struct channels {
	struct fake f;
	struct unc_box boxes[2];
};

static void channels_open(struct channels *c)
{
	static const char *const names[] = {"socket0.imc0.ch0", "socket0.imc0.ch1"};
	static const char *const places[] = {"ff:10.0", "ff:10.1"};

	fake_open(&c->f);
	memset(c->boxes, 0, sizeof(c->boxes));
	for (unsigned i = 0; i < 2; i++) {
		struct unc_box *box = &c->boxes[i];

		box->machine = c->f.m;
		snprintf(box->name, sizeof(box->name), "%s", names[i]);
		box->addr_known = unc_addr_parse_pci(places[i], &box->addr);
		unc_addr_text(&box->addr, box->pci);
	}
	c->f.m->boxes = c->boxes;
	c->f.m->n_boxes = 2;
}

static struct found in_box(struct channels *c, unsigned box)
{
	struct found found = {0};

	OK(&c->f, unc_users_find(c->f.m, UNC_USERS_OF_BOX, &c->boxes[box], &found.findings, &found.n));
	return found;
}

static void box_has(struct channels *c, unsigned box, enum unc_finding_kind kind, const char *evidence,
		    const char *sentence)
{
	struct found found = in_box(c, box);

	CU_ASSERT_EQUAL_FATAL(found.n, 1);
	EQ(found.findings[0].kind, kind);
	CU_ASSERT_FALSE(found.findings[0].certain);
	EQ(strncmp(found.findings[0].sentence, "possible: ", 10), 0);
	HAS(found.findings[0].evidence, evidence);
	HAS(found.findings[0].sentence, sentence);
	CU_ASSERT_TRUE(found.findings[0].way_out[0] != '\0');
	free(found.findings);
}

static void box_has_nothing(struct channels *c, unsigned box)
{
	struct found found = in_box(c, box);

	EQ(found.n, 0);
	free(found.findings);
}

TEST(a_driver_that_is_bound_to_the_function_is_named)
{
	struct found found = {0};
	struct channels c;

	channels_open(&c);
	box_has_nothing(&c, 0);
	fake_put(&c.f, CH0, DRIVER);
	box_has(&c, 0, UNC_FOUND_DRIVER, CH0 ": leads to snbep_uncore",
		"perf counts, as the kernel's driver snbep_uncore is bound to this function");
	box_has_nothing(&c, 1);
	fake_put(&c.f, CH1, "../bus/pci/drivers/vfio-pci");
	box_has(&c, 1, UNC_FOUND_DRIVER, CH1 ": leads to vfio-pci",
		"the driver vfio-pci, which is bound to this function");
	/* Of the whole machine it is said once. */
	OK(&c.f, unc_users_find(c.f.m, UNC_USERS_OF_MACHINE, NULL, &found.findings, &found.n));
	CU_ASSERT_EQUAL_FATAL(found.n, 1);
	HAS(found.findings[0].sentence, "is bound to 2 of the functions of memory controllers");
	HAS(found.findings[0].way_out, "echo 0000:ff:10.0 > /sys/bus/pci/drivers/snbep_uncore/unbind");
	free(found.findings);
	fake_close(&c.f);
}

TEST(pmus_of_the_kernel_are_named_where_no_function_tells)
{
	struct channels c;

	channels_open(&c);
	fake_put(&c.f, "/sys/bus/event_source/devices/cpu/type", "4");
	fake_put(&c.f, "/sys/bus/event_source/devices/uncore_cbox_0/type", "9");
	box_has_nothing(&c, 0);
	fake_put(&c.f, "/sys/bus/event_source/devices/uncore_imc_0/type", "10");
	fake_put(&c.f, "/sys/bus/event_source/devices/uncore_imc_1/type", "11");
	box_has(&c, 0, UNC_FOUND_DRIVER, "/sys/bus/event_source/devices: 2 of uncore_imc_0",
		"the kernel has a driver for counters of memory controllers");
	fake_close(&c.f);
}

TEST(pmus_that_a_kernel_names_by_their_type_are_noticed)
{
	static const char *const names[] = {"uncore_type_6_0", "uncore_type_14_3", "uncore_hbm_3"};
	static const char *const others[] = {"uncore_type_5_0", "uncore_type_60_0", "uncore_type_1_6"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[FAKE_PATH], evidence[FAKE_PATH];
		struct channels c;

		channels_open(&c);
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", others[i]);
		fake_put(&c.f, path, "9");
		box_has_nothing(&c, 0);
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", names[i]);
		snprintf(evidence, sizeof(evidence), "/sys/bus/event_source/devices: 1 of %s", names[i]);
		fake_put(&c.f, path, "10");
		box_has(&c, 0, UNC_FOUND_DRIVER, evidence,
			"the kernel has a driver for counters of memory controllers");
		fake_close(&c.f);
	}
}

TEST(a_process_with_a_perf_event_is_a_possibility)
{
	struct unc_perf_users users;
	struct found found;
	struct channels c;

	channels_open(&c);
	fake_put(&c.f, "/proc/1/fd/0", "/dev/null");
	fake_put(&c.f, "/proc/812/fd/3", "pipe:[99]");
	fake_put(&c.f, "/proc/812/fd/4", PERF);
	fake_put(&c.f, "/proc/812/fd/5", PERF);
	fake_put(&c.f, "/proc/812/stat", STAT("812", "perf", "S", "1"));
	fake_put(&c.f, "/proc/813/fd/4", PERF);
	fake_put(&c.f, "/proc/814/fd", NULL); /* a thread of the kernel */
	fake_put(&c.f, "/proc/meminfo", "x");
	/* Without a driver of the kernel it does not count here, and nobody is searched for. */
	c.f.n_read = 0;
	box_has_nothing(&c, 0);
	CU_ASSERT_TRUE(c.f.n_read < 12);
	fake_put(&c.f, "/sys/bus/event_source/devices/uncore_imc_0/type", "10");
	found = in_box(&c, 0);
	CU_ASSERT_EQUAL_FATAL(found.n, 2);
	EQ(found.findings[1].kind, UNC_FOUND_PERF);
	CU_ASSERT_FALSE(found.findings[1].certain);
	SAME(found.findings[1].evidence, "/proc/812/fd/4: " PERF);
	SAME(found.findings[1].sentence,
	     "possible: process 812 (perf) has a perf event open, and 1 more have; on which "
	     "unit cannot be told, and 4 processes were looked at");
	free(found.findings);
	OK(&c.f, unc_users_perf_users(c.f.m, &users));
	EQ(users.n_looked, 4);
	EQ(users.n_holders, 2);
	EQ(users.pid, 812);
	SAME(users.comm, "perf");
	SAME(users.evidence, "/proc/812/fd/4");
	EQ(users.n_hidden + users.n_skipped, 0);
	fake_close(&c.f);
}

TEST(likwid_is_a_possibility_where_its_lock_file_is)
{
	struct channels c;

	channels_open(&c);
	fake_put(&c.f, "/run/likwid.lock", "");
	box_has(&c, 1, UNC_FOUND_LIKWID, "/run/likwid.lock: is there", "LIKWID counts, which its lock file reserves");
	fake_put(&c.f, "/var/run/likwid.lock", "");
	box_has(&c, 1, UNC_FOUND_LIKWID, "/var/run/likwid.lock", "LIKWID");
	is_nothing(&c.f); /* it has nothing to do with caches */
	fake_close(&c.f);
}

TEST(pcm_counts_in_boxes_too)
{
	struct channels c;

	channels_open(&c);
	fake_put_bytes(&c.f, "/dev/shm/sem.Num PCM insts", "\2\0\0\0", 4);
	box_has(&c, 0, UNC_FOUND_PCM, "its value is 2", "it programs the counters of memory controllers");
	fake_close(&c.f);
}

TEST(who_is_found_stands_behind_what_was_said)
{
	struct channels c;
	int rc;

	channels_open(&c);
	rc = unc_fail(c.f.ctx, UNC_EBUSY, "taken");
	EQ(unc_users_text(&c.boxes[0], rc), UNC_EBUSY);
	SAME(unc_errmsg(c.f.ctx), "taken");
	fake_put(&c.f, CH0, DRIVER);
	fake_put(&c.f, "/run/likwid.lock", "");
	rc = unc_fail(c.f.ctx, UNC_EBUSY, "taken");
	EQ(unc_users_text(&c.boxes[0], rc), UNC_EBUSY);
	SAME(unc_errmsg(c.f.ctx),
	     "taken (found here: possible: perf counts, as the kernel's driver snbep_uncore is bound to this function "
	     "[" CH0
	     ": leads to snbep_uncore]; possible: LIKWID counts, which its lock file reserves for one user, whether "
	     "that user counts now or not [/run/likwid.lock: is there])");
	/* What there is no room for is counted. */
	rc = unc_fail(c.f.ctx, UNC_EBUSY, "%0720d", 0);
	EQ(unc_users_text(&c.boxes[0], rc), UNC_EBUSY);
	HAS(unc_errmsg(c.f.ctx), "; and 1 more)");
	rc = unc_fail(c.f.ctx, UNC_EBUSY, "%0860d", 0);
	EQ(unc_users_text(&c.boxes[0], rc), UNC_EBUSY);
	HAS(unc_errmsg(c.f.ctx), "(found here: and 2 more)");
	rc = unc_fail(c.f.ctx, UNC_EBUSY, "%01000d", 0);
	EQ(unc_users_text(&c.boxes[0], rc), UNC_EBUSY);
	EQ(strlen(unc_errmsg(c.f.ctx)), 1000);
	fake_close(&c.f);
}

TEST(want_of_memory_ends_the_search_of_a_box)
{
	struct channels c;
	unsigned n;

	channels_open(&c);
	fake_put(&c.f, CH0, DRIVER);
	fake_put(&c.f, "/sys/bus/event_source/devices/uncore_imc_0/type", "10");
	fake_put(&c.f, "/proc/812/fd/4", PERF);
	fake_put(&c.f, "/proc/812/stat", STAT("812", "perf", "S", "1"));
	fake_put(&c.f, "/run/likwid.lock", "");
	free(in_box(&c, 0).findings);
	n = c.f.n_read;
	CU_ASSERT_TRUE(n >= 8);
	for (unsigned i = 1; i <= n; i++) {
		struct unc_finding *findings = NULL;
		size_t n_findings = 0;

		c.f.n_read = 0;
		c.f.fail_at = i;
		FAILS(&c.f, UNC_ENOMEM, unc_users_find(c.f.m, UNC_USERS_OF_BOX, &c.boxes[0], &findings, &n_findings),
		      "out of memory", "");
		CU_ASSERT_PTR_NULL(findings);
	}
	fake_close(&c.f);
}
