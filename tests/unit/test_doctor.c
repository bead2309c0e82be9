// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor: what a single check says of files, and what comes of all of them. */
#include "doctor/doctor.h"
#include "fakefiles.h"
#include "test.h"

#define ALL_CAPS "000001ffffffffff"

struct ward {
	struct fake f;
	struct unc_doctor d;
};

static void admit(struct ward *w, int kind)
{
	fake_open(&w->f);
	w->d = (struct unc_doctor){.ctx = w->f.ctx, .m = w->f.m, .theme = "test"};
	w->d.kind = kind;
	snprintf(w->d.command, sizeof(w->d.command), "uncorectl");
}

static void discharge(struct ward *w)
{
	free(w->d.entries);
	fake_close(&w->f);
}

static const struct unc_doctor_entry *entry(struct ward *w, const char *check)
{
	for (size_t i = 0; i < w->d.n_entries; i++)
		if (strcmp(w->d.entries[i].check, check) == 0)
			return &w->d.entries[i];
	return NULL;
}

/* Runs it anew, and is there such a line in that state, with that in its evidence? */
static bool says(struct ward *w, unc_doctor_check *run, const char *check, enum unc_doctor_state state,
		 const char *evidence)
{
	const struct unc_doctor_entry *line;

	w->d.n_entries = 0;
	run(&w->d);
	line = entry(w, check);
	if (line && line->state == state && strstr(line->evidence, evidence))
		return true;
	printf("%s: %s, state %d, seen %s\n", check, line ? line->finding : "no line", line ? (int)line->state : -1,
	       line ? line->evidence : "");
	return false;
}

static void put_status(struct ward *w, unsigned uid, const char *caps)
{
	char text[200];

	snprintf(text, sizeof(text), "Name:\tx\nUid:\t7\t%u\t8\t9\nCapInh:\t0\nCapPrm:\tff\nCapEff:\t%s\nSeccomp:\t0\n",
		 uid, caps);
	fake_put(&w->f, "own:/proc/self/status", text);
}

TEST(what_this_process_may_do_is_read_from_its_status)
{
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	fake_put(&w.f, "own:/proc/self/uid_map", "         0          0 4294967295\n");
	put_status(&w, 0, ALL_CAPS);
	CU_ASSERT(says(&w, unc_doctor_rights, "user", UNC_DOCTOR_OK, "effective user 0, CapEff " ALL_CAPS));
	CU_ASSERT(entry(&w, "capabilities")->state == UNC_DOCTOR_OK);
	CU_ASSERT(entry(&w, "namespace")->state == UNC_DOCTOR_OK);

	put_status(&w, 1000, "0000000000000000");
	CU_ASSERT(says(&w, unc_doctor_rights, "user", UNC_DOCTOR_FAIL, "effective user 1000"));
	CU_ASSERT(entry(&w, "user")->err == UNC_EPERM);
	CU_ASSERT(entry(&w, "capabilities")->state == UNC_DOCTOR_FAIL);

	/* CAP_DAC_OVERRIDE is bit 1, CAP_SYS_RAWIO 17, CAP_SYS_ADMIN 21: linux/capability.h */
	put_status(&w, 1000, "0000000000220002");
	CU_ASSERT(says(&w, unc_doctor_rights, "user", UNC_DOCTOR_OK, "CapEff 0000000000220002"));
	CU_ASSERT(entry(&w, "capabilities")->state == UNC_DOCTOR_OK);
	put_status(&w, 0, "0000000000200000");
	CU_ASSERT(says(&w, unc_doctor_rights, "capabilities", UNC_DOCTOR_FAIL, "CapEff 0000000000200000"));
	CU_ASSERT(strstr(entry(&w, "capabilities")->finding, "CAP_SYS_RAWIO (for MSRs)") != NULL);
	CU_ASSERT(!strstr(entry(&w, "capabilities")->finding, "CAP_SYS_ADMIN"));
	CU_ASSERT(entry(&w, "user")->state == UNC_DOCTOR_OK);

	put_status(&w, 0, "nonsense");
	CU_ASSERT(says(&w, unc_doctor_rights, "user", UNC_DOCTOR_UNKNOWN, "/proc/self/status"));
	fake_drop(&w.f, "own:/proc/self/status");
	CU_ASSERT(says(&w, unc_doctor_rights, "user", UNC_DOCTOR_UNKNOWN, "/proc/self/status"));
	discharge(&w);
}

TEST(of_another_folder_rights_are_a_warning_and_of_a_simulation_nothing)
{
	struct ward w;

	admit(&w, UNC_DOCTOR_ROOT);
	put_status(&w, 1000, "0000000000000000");
	CU_ASSERT(says(&w, unc_doctor_rights, "user", UNC_DOCTOR_WARN, "effective user 1000"));
	CU_ASSERT(entry(&w, "capabilities")->state == UNC_DOCTOR_WARN);
	discharge(&w);
	admit(&w, UNC_DOCTOR_SIM);
	put_status(&w, 1000, "0000000000000000");
	CU_ASSERT(says(&w, unc_doctor_rights, "user", UNC_DOCTOR_OK, ""));
	CU_ASSERT_EQUAL(w.d.n_entries, 1);
	discharge(&w);
}

TEST(root_of_a_user_namespace_is_none)
{
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	put_status(&w, 0, ALL_CAPS);
	fake_put(&w.f, "own:/proc/self/uid_map", "         0       1000          1\n");
	CU_ASSERT(says(&w, unc_doctor_rights, "namespace", UNC_DOCTOR_FAIL, "uid_map: 0 1000 1"));
	fake_put(&w.f, "own:/proc/self/uid_map", "0 100000 65536");
	CU_ASSERT(says(&w, unc_doctor_rights, "namespace", UNC_DOCTOR_FAIL, "uid_map: 0 100000 65536"));
	fake_put(&w.f, "own:/proc/self/uid_map", "");
	w.d.n_entries = 0;
	unc_doctor_rights(&w.d);
	CU_ASSERT_PTR_NULL(entry(&w, "namespace"));
	discharge(&w);
}

TEST(who_may_have_the_kernel_count_is_told)
{
	static const struct {
		const char *caps, *paranoid;
		enum unc_doctor_state state;
	} rows[] = {
		/* CAP_SYS_ADMIN is bit 21, CAP_PERFMON 38: linux/capability.h */
		{"0000000000200000", "4\n", UNC_DOCTOR_OK},   {"0000004000000000", "2\n", UNC_DOCTOR_OK},
		{"0000000000020002", "2\n", UNC_DOCTOR_NOTE}, {"0000000000020002", "1\n", UNC_DOCTOR_NOTE},
		{"0000000000020002", "0\n", UNC_DOCTOR_OK},   {"0000000000020002", "-1\n", UNC_DOCTOR_OK},
	};
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	put_status(&w, 0, ALL_CAPS);
	CU_ASSERT(says(&w, unc_doctor_rights, "perf rights", UNC_DOCTOR_NOTE, "perf_event_paranoid: not there"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_status(&w, 1000, rows[i].caps);
		fake_put(&w.f, "/proc/sys/kernel/perf_event_paranoid", rows[i].paranoid);
		CU_ASSERT(says(&w, unc_doctor_rights, "perf rights", rows[i].state, "perf_event_paranoid: "));
	}
	w.d.kind = UNC_DOCTOR_ROOT; /* of a copy nobody can say */
	w.d.n_entries = 0;
	unc_doctor_rights(&w.d);
	CU_ASSERT_PTR_NULL(entry(&w, "perf rights"));
	discharge(&w);
}

TEST(a_container_is_told_by_what_its_maker_leaves)
{
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	CU_ASSERT(says(&w, unc_doctor_container, "container", UNC_DOCTOR_OK, "/proc/1/cgroup: cannot be read"));
	fake_put(&w.f, "own:/proc/1/cgroup", "0::/init.scope\n");
	CU_ASSERT(says(&w, unc_doctor_container, "container", UNC_DOCTOR_OK, "names no container"));
	fake_put(&w.f, "own:/proc/1/cgroup", "0::/docker/0123456789abcdef\n");
	CU_ASSERT(says(&w, unc_doctor_container, "container", UNC_DOCTOR_WARN, "/proc/1/cgroup: names docker"));
	fake_drop(&w.f, "own:/proc/1/cgroup");
	fake_put(&w.f, "own:/run/.containerenv", "name=\"secret\"\n");
	CU_ASSERT(says(&w, unc_doctor_container, "container", UNC_DOCTOR_WARN, "/run/.containerenv: there"));
	CU_ASSERT(!strstr(entry(&w, "container")->evidence, "secret"));
	w.d.kind = UNC_DOCTOR_ROOT;
	CU_ASSERT(says(&w, unc_doctor_container, "container", UNC_DOCTOR_OK, "/run/.containerenv: there"));
	fake_put(&w.f, "own:/.dockerenv", "");
	CU_ASSERT(says(&w, unc_doctor_container, "container", UNC_DOCTOR_OK, "/.dockerenv: there"));
	discharge(&w);
}

TEST(sys_that_is_mounted_last_counts)
{
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	CU_ASSERT(says(&w, unc_doctor_sysfs, "sysfs", UNC_DOCTOR_UNKNOWN, "cannot be read"));
	fake_put(&w.f, "/proc/mounts", "x /sysroot ext4 ro 0 0\nbroken\n");
	CU_ASSERT(says(&w, unc_doctor_sysfs, "sysfs", UNC_DOCTOR_UNKNOWN, "no line of /sys"));
	fake_put(&w.f, "/proc/mounts", "sysfs /sys sysfs rw,nosuid 0 0\nsysfs /sys sysfs ro,nosuid 0 0\n");
	CU_ASSERT(says(&w, unc_doctor_sysfs, "sysfs", UNC_DOCTOR_FAIL, "/sys ro,nosuid"));
	fake_put(&w.f, "/proc/mounts", "sysfs /sys sysfs ro 0 0\n");
	CU_ASSERT(says(&w, unc_doctor_sysfs, "sysfs", UNC_DOCTOR_FAIL, "/sys ro"));
	fake_put(&w.f, "/proc/mounts", "sysfs /sys sysfs rw,rootcontext=ro,x 0 0\n");
	CU_ASSERT(says(&w, unc_doctor_sysfs, "sysfs", UNC_DOCTOR_OK, "/sys rw"));
	discharge(&w);
}

TEST(lockdown_is_not_known_where_secure_boot_is_on_and_nothing_tells)
{
	static const char efi[] = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	CU_ASSERT(says(&w, unc_doctor_lockdown, "lockdown", UNC_DOCTOR_OK, "lockdown: not there"));
	fake_put_bytes(&w.f, efi, "\x06\0\0\0\x01", 5);
	CU_ASSERT(says(&w, unc_doctor_lockdown, "lockdown", UNC_DOCTOR_UNKNOWN, "lockdown: not there"));
	CU_ASSERT(entry(&w, "secure boot")->state == UNC_DOCTOR_NOTE);
	fake_put_bytes(&w.f, efi, "\x06\0\0\0\0", 5);
	CU_ASSERT(says(&w, unc_doctor_lockdown, "secure boot", UNC_DOCTOR_OK, ": 0"));
	fake_put(&w.f, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	CU_ASSERT(says(&w, unc_doctor_lockdown, "lockdown", UNC_DOCTOR_FAIL, "none [integrity]"));
	fake_put(&w.f, "/sys/kernel/security/lockdown", "x")->rc = UNC_EPERM;
	CU_ASSERT(says(&w, unc_doctor_lockdown, "lockdown", UNC_DOCTOR_UNKNOWN, "cannot be read"));
	discharge(&w);
}

TEST(whether_landlock_is_there_is_told)
{
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	fake_put(&w.f, "own:/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\tffffffffffffffff\n");
	CU_ASSERT(says(&w, unc_doctor_rights, "landlock", UNC_DOCTOR_OK, "not there"));
	fake_put(&w.f, "own:/sys/kernel/security/lsm", "capability,landlock,yama");
	CU_ASSERT(says(&w, unc_doctor_rights, "landlock", UNC_DOCTOR_OK, "capability,landlock,yama"));
	fake_put(&w.f, "own:/sys/kernel/security/lsm", "capability,landlocked");
	CU_ASSERT(says(&w, unc_doctor_rights, "landlock", UNC_DOCTOR_NOTE, "landlocked"));
	discharge(&w);
}

TEST(of_a_file_the_first_line_is_told)
{
	struct ward w;

	admit(&w, UNC_DOCTOR_LIVE);
	fake_put(&w.f, "/proc/sys/kernel/nmi_watchdog", "1\033[2J\nsecond\n");
	CU_ASSERT(says(&w, unc_doctor_watchdog, "nmi watchdog", UNC_DOCTOR_OK, "nmi_watchdog: 1\033[2J"));
	CU_ASSERT(!strstr(entry(&w, "nmi watchdog")->evidence, "second"));
	discharge(&w);
}

TEST(being_out_of_memory_ends_it)
{
	static unc_doctor_check *const runs[] = {unc_doctor_rights,    unc_doctor_container, unc_doctor_sysfs,
						 unc_doctor_lockdown,  unc_doctor_watchdog,  unc_doctor_others,
						 unc_doctor_msr_writes};
	struct ward w;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		admit(&w, UNC_DOCTOR_LIVE);
		w.f.fail_at = 1;
		runs[i](&w.d);
		CU_ASSERT_EQUAL(w.d.rc, UNC_ENOMEM);
		discharge(&w);
	}
}

static void run(struct unc_ctx *ctx, const char *machine, struct unc_doctor **ret_doctor)
{
	const struct unc_machine_cfg cfg = {.machine = machine, .writable = true};

	CU_ASSERT_FATAL(unc_doctor_run(ctx, &cfg, ret_doctor) == 0);
}

TEST(the_worst_failure_is_the_one_that_the_least_can_be_done_about)
{
	struct unc_doctor *doctor;
	struct unc_ctx *ctx;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	run(ctx, "sim:snbep,sockets=1", &doctor);
	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), 0);
	CU_ASSERT(doctor->n_entries > 15);
	doctor->entries[3].state = UNC_DOCTOR_FAIL;
	doctor->entries[3].err = UNC_EIO;
	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), UNC_EIO);
	doctor->entries[1].state = UNC_DOCTOR_FAIL;
	doctor->entries[1].err = UNC_EBUSY;
	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), UNC_EBUSY);
	doctor->entries[5].state = UNC_DOCTOR_FAIL;
	doctor->entries[5].err = UNC_EPERM;
	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), UNC_EPERM);
	doctor->entries[2].state = UNC_DOCTOR_FAIL;
	doctor->entries[2].err = UNC_ENODEV;
	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), UNC_ENODEV);
	unc_doctor_free(doctor);
	unc_doctor_free(NULL);
	unc_free(ctx);
}

TEST(every_line_is_whole)
{
	struct unc_doctor *doctor;
	struct unc_doctor_line line;
	struct unc_ctx *ctx;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	run(ctx, "sim:bdx,sockets=1,cores=2,lockdown=1,msr=absent,hide=ff:14.0", &doctor);
	for (size_t i = 0; i < unc_doctor_count(doctor); i++) {
		CU_ASSERT_FATAL(unc_doctor_line(doctor, i, &line) == 0);
		CU_ASSERT(line.theme[0] && line.check[0] && line.finding[0] && line.evidence[0]);
		CU_ASSERT((line.state == UNC_DOCTOR_OK) == (line.todo == NULL));
		CU_ASSERT((line.state == UNC_DOCTOR_FAIL) == (line.err != 0));
	}
	CU_ASSERT_EQUAL(unc_doctor_line(doctor, unc_doctor_count(doctor), &line), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), UNC_ENODEV);
	unc_doctor_free(doctor);
	unc_free(ctx);
}

TEST(a_question_that_makes_no_sense_fails)
{
	const struct unc_machine_cfg none = {.machine = "x"}, map = {.machine = "sim:ivt", .map_dir = "/nowhere"};
	struct unc_doctor *doctor;
	struct unc_ctx *ctx;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	CU_ASSERT_EQUAL(unc_doctor_run(ctx, &none, &doctor), UNC_EARG);
	CU_ASSERT_EQUAL(unc_doctor_run(ctx, &map, &doctor), UNC_EARG);
	unc_free(ctx);
}
