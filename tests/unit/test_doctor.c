// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor: what a single check says of files, and what comes of all of them. */
#include "doctor/doctor.h"
#include "fakefiles.h"
#include "test.h"

#define ALL_CAPS "000001ffffffffff"

static struct fake f;
static struct unc_doctor d;

static void begin(void)
{
	fake_open(&f);
	d = (struct unc_doctor){.ctx = f.ctx, .m = f.m, .theme = "test", .kind = UNC_DOCTOR_LIVE};
	snprintf(d.command, sizeof(d.command), "uncorectl");
}

static void end(void)
{
	free(d.entries);
	fake_close(&f);
}

EACH(begin, end)

static const struct unc_doctor_entry *entry(const char *check)
{
	for (size_t i = 0; i < d.n_entries; i++)
		if (strcmp(d.entries[i].check, check) == 0)
			return &d.entries[i];
	return NULL;
}

/* There must be such a line in that state, with that in its evidence. */
#define TELLS(check, state, evidence) tells(check, state, evidence, __LINE__)
static void tells(const char *check, enum unc_doctor_state state, const char *evidence, int line)
{
	const struct unc_doctor_entry *told = entry(check);
	bool good = told && told->state == state && strstr(told->evidence, evidence);

	if (!good)
		printf("line %d: %s: %s, state %d, seen %s\n", line, check, told ? told->finding : "no line",
		       told ? (int)told->state : -1, told ? told->evidence : "");
	CU_ASSERT(good);
}

static void run(unc_doctor_check *check)
{
	d.n_entries = 0;
	check(&d);
}

/* When it is run anew. */
#define SAYS(check, line, state, evidence) (run(check), TELLS(line, state, evidence))

/* Of this process. */
static void run_rights(unsigned uid, const char *caps)
{
	char text[200];

	snprintf(text, sizeof(text), "Name:\tx\nUid:\t7\t%u\t8\t9\nCapInh:\t0\nCapPrm:\tff\nCapEff:\t%s\nSeccomp:\t0\n",
		 uid, caps);
	fake_put(&f, "own:/proc/self/status", text);
	run(unc_doctor_rights);
}

TEST(what_this_process_may_do_is_read_from_its_status)
{
	fake_put(&f, "own:/proc/self/uid_map", "         0          0 4294967295\n");
	run_rights(0, ALL_CAPS);
	TELLS("user", UNC_DOCTOR_OK, "effective user 0, CapEff " ALL_CAPS);
	TELLS("capabilities", UNC_DOCTOR_OK, "");
	TELLS("namespace", UNC_DOCTOR_OK, "");

	run_rights(1000, "0000000000000000");
	TELLS("user", UNC_DOCTOR_FAIL, "effective user 1000");
	CU_ASSERT(entry("user")->err == UNC_EPERM);
	TELLS("capabilities", UNC_DOCTOR_FAIL, "");

	/* CAP_DAC_OVERRIDE is bit 1, CAP_SYS_RAWIO 17, CAP_SYS_ADMIN 21: linux/capability.h */
	run_rights(1000, "0000000000220002");
	TELLS("user", UNC_DOCTOR_OK, "CapEff 0000000000220002");
	TELLS("capabilities", UNC_DOCTOR_OK, "");
	run_rights(0, "0000000000200000");
	TELLS("capabilities", UNC_DOCTOR_FAIL, "CapEff 0000000000200000");
	CU_ASSERT(strstr(entry("capabilities")->finding, "CAP_SYS_RAWIO (for MSRs)") != NULL);
	CU_ASSERT(!strstr(entry("capabilities")->finding, "CAP_SYS_ADMIN"));
	TELLS("user", UNC_DOCTOR_OK, "");

	run_rights(0, "nonsense");
	TELLS("user", UNC_DOCTOR_UNKNOWN, "/proc/self/status");
	fake_drop(&f, "own:/proc/self/status");
	SAYS(unc_doctor_rights, "user", UNC_DOCTOR_UNKNOWN, "/proc/self/status");
}

TEST(of_another_folder_rights_are_a_warning_and_of_a_simulation_nothing)
{
	d.kind = UNC_DOCTOR_ROOT;
	run_rights(1000, "0000000000000000");
	TELLS("user", UNC_DOCTOR_WARN, "effective user 1000");
	TELLS("capabilities", UNC_DOCTOR_WARN, "");
	d.kind = UNC_DOCTOR_SIM;
	run_rights(1000, "0000000000000000");
	TELLS("user", UNC_DOCTOR_OK, "");
	CU_ASSERT_EQUAL(d.n_entries, 1);
}

TEST(root_of_a_user_namespace_is_none)
{
	run_rights(0, ALL_CAPS);
	fake_put(&f, "own:/proc/self/uid_map", "         0       1000          1\n");
	SAYS(unc_doctor_rights, "namespace", UNC_DOCTOR_FAIL, "uid_map: 0 1000 1");
	fake_put(&f, "own:/proc/self/uid_map", "0 100000 65536");
	SAYS(unc_doctor_rights, "namespace", UNC_DOCTOR_FAIL, "uid_map: 0 100000 65536");
	fake_put(&f, "own:/proc/self/uid_map", "");
	run(unc_doctor_rights);
	CU_ASSERT_PTR_NULL(entry("namespace"));
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

	run_rights(0, ALL_CAPS);
	TELLS("perf rights", UNC_DOCTOR_NOTE, "perf_event_paranoid: not there");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fake_put(&f, "/proc/sys/kernel/perf_event_paranoid", rows[i].paranoid);
		run_rights(1000, rows[i].caps);
		TELLS("perf rights", rows[i].state, "perf_event_paranoid: ");
	}
	d.kind = UNC_DOCTOR_ROOT; /* of a copy it is not known */
	run(unc_doctor_rights);
	CU_ASSERT_PTR_NULL(entry("perf rights"));
}

TEST(a_container_is_told_by_what_its_maker_leaves)
{
	SAYS(unc_doctor_container, "container", UNC_DOCTOR_OK, "/proc/1/cgroup: cannot be read");
	fake_put(&f, "own:/proc/1/cgroup", "0::/init.scope\n");
	SAYS(unc_doctor_container, "container", UNC_DOCTOR_OK, "names no container");
	fake_put(&f, "own:/proc/1/cgroup", "0::/docker/0123456789abcdef\n");
	SAYS(unc_doctor_container, "container", UNC_DOCTOR_WARN, "/proc/1/cgroup: names docker");
	fake_drop(&f, "own:/proc/1/cgroup");
	fake_put(&f, "own:/run/.containerenv", "name=\"secret\"\n");
	SAYS(unc_doctor_container, "container", UNC_DOCTOR_WARN, "/run/.containerenv: there");
	CU_ASSERT(!strstr(entry("container")->evidence, "secret"));
	d.kind = UNC_DOCTOR_ROOT;
	SAYS(unc_doctor_container, "container", UNC_DOCTOR_OK, "/run/.containerenv: there");
	fake_put(&f, "own:/.dockerenv", "");
	SAYS(unc_doctor_container, "container", UNC_DOCTOR_OK, "/.dockerenv: there");
}

TEST(sys_that_is_mounted_last_counts)
{
	SAYS(unc_doctor_sysfs, "sysfs", UNC_DOCTOR_UNKNOWN, "cannot be read");
	fake_put(&f, "/proc/mounts", "x /sysroot ext4 ro 0 0\nbroken\n");
	SAYS(unc_doctor_sysfs, "sysfs", UNC_DOCTOR_UNKNOWN, "no line of /sys");
	fake_put(&f, "/proc/mounts", "sysfs /sys sysfs rw,nosuid 0 0\nsysfs /sys sysfs ro,nosuid 0 0\n");
	SAYS(unc_doctor_sysfs, "sysfs", UNC_DOCTOR_FAIL, "/sys ro,nosuid");
	fake_put(&f, "/proc/mounts", "sysfs /sys sysfs ro 0 0\n");
	SAYS(unc_doctor_sysfs, "sysfs", UNC_DOCTOR_FAIL, "/sys ro");
	fake_put(&f, "/proc/mounts", "sysfs /sys sysfs rw,rootcontext=ro,x 0 0\n");
	SAYS(unc_doctor_sysfs, "sysfs", UNC_DOCTOR_OK, "/sys rw");
}

TEST(lockdown_is_not_known_where_secure_boot_is_on_and_nothing_tells)
{
	static const char efi[] = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

	SAYS(unc_doctor_lockdown, "lockdown", UNC_DOCTOR_OK, "lockdown: not there");
	fake_put_bytes(&f, efi, "\x06\0\0\0\x01", 5);
	SAYS(unc_doctor_lockdown, "lockdown", UNC_DOCTOR_UNKNOWN, "lockdown: not there");
	TELLS("secure boot", UNC_DOCTOR_NOTE, "");
	fake_put_bytes(&f, efi, "\x06\0\0\0\0", 5);
	SAYS(unc_doctor_lockdown, "secure boot", UNC_DOCTOR_OK, ": 0");
	fake_put(&f, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	SAYS(unc_doctor_lockdown, "lockdown", UNC_DOCTOR_FAIL, "none [integrity]");
	fake_put(&f, "/sys/kernel/security/lockdown", "x")->rc = UNC_EPERM;
	SAYS(unc_doctor_lockdown, "lockdown", UNC_DOCTOR_UNKNOWN, "cannot be read");
}

TEST(whether_landlock_is_there_is_told)
{
	fake_put(&f, "own:/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\tffffffffffffffff\n");
	SAYS(unc_doctor_rights, "landlock", UNC_DOCTOR_OK, "not there");
	fake_put(&f, "own:/sys/kernel/security/lsm", "capability,landlock,yama");
	SAYS(unc_doctor_rights, "landlock", UNC_DOCTOR_OK, "capability,landlock,yama");
	fake_put(&f, "own:/sys/kernel/security/lsm", "capability,landlocked");
	SAYS(unc_doctor_rights, "landlock", UNC_DOCTOR_NOTE, "landlocked");
}

TEST(of_a_file_the_first_line_is_told)
{
	fake_put(&f, "/proc/sys/kernel/nmi_watchdog", "1\033[2J\nsecond\n");
	SAYS(unc_doctor_watchdog, "nmi watchdog", UNC_DOCTOR_OK, "nmi_watchdog: 1\033[2J");
	CU_ASSERT(!strstr(entry("nmi watchdog")->evidence, "second"));
}

TEST(being_out_of_memory_ends_it)
{
	static unc_doctor_check *const runs[] = {unc_doctor_rights,    unc_doctor_container, unc_doctor_sysfs,
						 unc_doctor_lockdown,  unc_doctor_watchdog,  unc_doctor_others,
						 unc_doctor_msr_writes};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		end();
		begin();
		f.fail_at = 1;
		runs[i](&d);
		CU_ASSERT_EQUAL(d.rc, UNC_ENOMEM);
	}
}

static struct unc_doctor *examined(const char *machine)
{
	const struct unc_machine_cfg cfg = {.machine = machine, .writable = true};
	struct unc_doctor *doctor = NULL;

	OK(&f, unc_doctor_run(f.ctx, &cfg, &doctor));
	return doctor;
}

TEST(the_worst_failure_is_the_one_that_the_least_can_be_done_about)
{
	static const struct {
		size_t entry;
		int err; /* each is worse than those before */
	} worse[] = {{3, UNC_EIO}, {1, UNC_EBUSY}, {5, UNC_EPERM}, {2, UNC_ENODEV}};
	struct unc_doctor *doctor = examined("sim:snbep,sockets=1");

	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), 0);
	CU_ASSERT(doctor->n_entries > 15);
	for (size_t i = 0; i < sizeof(worse) / sizeof(worse[0]); i++) {
		doctor->entries[worse[i].entry].state = UNC_DOCTOR_FAIL;
		doctor->entries[worse[i].entry].err = worse[i].err;
		CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), worse[i].err);
	}
	unc_doctor_free(doctor);
	unc_doctor_free(NULL);
}

TEST(every_line_is_whole)
{
	struct unc_doctor *doctor = examined("sim:bdx,sockets=1,cores=2,lockdown=1,msr=absent,hide=ff:14.0");
	struct unc_doctor_line line;

	for (size_t i = 0; i < unc_doctor_count(doctor); i++) {
		CU_ASSERT_FATAL(unc_doctor_line(doctor, i, &line) == 0);
		CU_ASSERT(line.theme[0] && line.check[0] && line.finding[0] && line.evidence[0]);
		CU_ASSERT((line.state == UNC_DOCTOR_OK) == (line.todo == NULL));
		CU_ASSERT((line.state == UNC_DOCTOR_FAIL) == (line.err != 0));
	}
	CU_ASSERT_EQUAL(unc_doctor_line(doctor, unc_doctor_count(doctor), &line), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_doctor_verdict(doctor), UNC_ENODEV);
	unc_doctor_free(doctor);
}

TEST(a_question_that_makes_no_sense_fails)
{
	const struct unc_machine_cfg none = {.machine = "x"}, map = {.machine = "sim:ivt", .map_dir = "/nowhere"};
	struct unc_doctor *doctor;

	CU_ASSERT_EQUAL(unc_doctor_run(f.ctx, &none, &doctor), UNC_EARG);
	CU_ASSERT_EQUAL(unc_doctor_run(f.ctx, &map, &doctor), UNC_EARG);
}

/* ---- AMD ---- */

static uint32_t amd_ecx;

static int amd_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		     struct unc_cpuid_regs *ret_regs)
{
	(void)host;
	(void)cpu;
	(void)subleaf;
	*ret_regs = (struct unc_cpuid_regs){.eax = leaf == 0x80000000 ? 0x8000001f : 0,
					    .ecx = leaf == 0x80000001 ? amd_ecx : 0};
	return UNC_OK;
}

static void become_amd(struct unc_host_ops *ops, const char *vendor)
{
	*ops = *f.host.ops;
	ops->cpuid = amd_cpuid;
	f.host.ops = ops;
	d.known = true;
	snprintf(f.m->cpu.vendor, sizeof(f.m->cpu.vendor), "%s", vendor);
}

TEST(why_ibs_is_not_sampled_is_told)
{
	struct unc_host_ops ops;

	become_amd(&ops, "GenuineIntel");
	amd_ecx = 1 << 10;
	run(unc_doctor_ibs);
	CU_ASSERT_EQUAL(d.n_entries, 0);
	become_amd(&ops, "AuthenticAMD");
	SAYS(unc_doctor_ibs, "ibs", UNC_DOCTOR_OK, "/sys/bus/event_source/devices/ibs_op: not there");
	HAS(entry("ibs")->finding, "would raise an NMI");
	HAS(entry("ibs")->todo, "uncorectl reg dump cpu0.ibs");
	fake_put(&f, "/sys/bus/event_source/devices/ibs_op/type", "11\n");
	SAYS(unc_doctor_ibs, "ibs", UNC_DOCTOR_OK, "ECX bit 10 is 1; /sys/bus/event_source/devices/ibs_op: there");
	HAS(entry("ibs")->todo, "perf record -e ibs_op//");
	amd_ecx = ~amd_ecx; /* Zen 1 */
	SAYS(unc_doctor_ibs, "ibs", UNC_DOCTOR_OK, "ECX bit 10 is 0");
	HAS(entry("ibs")->finding, "not offered by firmware");
}

TEST(the_kernels_pmus_of_amd_are_named)
{
	struct unc_host_ops ops;

	become_amd(&ops, "HygonGenuine");
	SAYS(unc_doctor_others, "driver", UNC_DOCTOR_OK, "no amd_df, amd_l3, amd_umc_*");
	fake_put(&f, "/sys/bus/event_source/devices/amd_df/cpumask", "0,64\n");
	fake_put(&f, "/sys/bus/event_source/devices/amd_l3/type", "9\n");
	fake_put(&f, "/sys/bus/event_source/devices/amd_umc_0/cpumask", "0\n");
	fake_put(&f, "/sys/bus/event_source/devices/amd_umc_11/cpumask", "0\n");
	fake_put(&f, "/sys/bus/event_source/devices/amd_iommu_0/type", "1\n");
	SAYS(unc_doctor_others, "driver", UNC_DOCTOR_OK, "/sys/bus/event_source/devices/amd_df/cpumask: 0,64, ");
	HAS(entry("driver")->evidence, "/sys/bus/event_source/devices/amd_l3: there");
	HAS(entry("driver")->evidence, "/sys/bus/event_source/devices/amd_umc_*: 2");
	CU_ASSERT_PTR_NULL(strstr(entry("driver")->evidence, "iommu"));
	HAS(entry("driver")->finding, "writes nothing before");
}

/* Whose channels are MSRs, and which does not need caches for that. */
TEST(channels_of_amd_need_the_msr_driver)
{
	struct unc_host_ops ops;

	become_amd(&ops, "AuthenticAMD");
	fake_put(&f, "/sys/module/msr/parameters/allow_writes", "off\n");
	SAYS(unc_doctor_msr_writes, "msr writes", UNC_DOCTOR_NOTE, "off");
	d.channels = true;
	SAYS(unc_doctor_msr_writes, "msr writes", UNC_DOCTOR_FAIL, "off");
	HAS(entry("msr writes")->finding, "no channel and no cache");
	become_amd(&ops, "GenuineIntel");
	SAYS(unc_doctor_msr_writes, "msr writes", UNC_DOCTOR_NOTE, "off");
}
