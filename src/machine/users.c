// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other users of counters and caches: a table of the marks that they leave in files, how each is read, and what it means for us.
 */

#include "base/text.h"
#include "machine/users.h"

#define PMUS       "/sys/bus/event_source/devices"
#define PERF_EVENT "anon_inode:[perf_event]"
#define SHM_LIST   "/proc/sysvipc/shm"

enum {
	PATH = 96,
	LONG_PATH = 1024,
	SMALL_MAX = 4096,
	LISTS_MAX = 4 << 20,
	/* At most so many links are read in all, and of one process; of a process with more, those that it opened first. */
	LINKS_MAX = 65536,
	LINKS_OF_PROCESS_MAX = 4096,
};

/* What cannot be read counts as not there: only lack of memory is a failure. */
static int or_none(int rc)
{
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

/* Reads /proc about a process; *ret_there is false if it has ended. */
static int read_process(struct unc_machine *m, uint64_t pid, bool *ret_there, struct unc_proc_stat *ret_stat)
{
	char path[PATH], *text = NULL;
	int rc;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	rc = or_none(unc_host_file(m->host, path, SMALL_MAX, &text, NULL));
	if (rc < 0)
		return rc;
	*ret_there = text && unc_proc_stat_parse(text, ret_stat) && !unc_proc_ended(ret_stat);
	free(text);
	return UNC_OK;
}

struct search { /* for a user of the counters */
	struct unc_machine *m;
	const struct unc_box *box; /* programs that may count in it; NULL: in any box, or that use caches */
	const char *path, *text;   /* the mark: the first file of its row that can be read; NULL: the row has none */
	size_t len;
};

/* A finder fills in a finding and returns FOUND, or returns 0, or UNC_ENOMEM. */
enum { FOUND = 1 };
typedef int find_fn(const struct search *s, struct unc_finding *found);

/* Writes a text of a finding. */
#define WRITE(found, member, ...) snprintf((found)->member, sizeof((found)->member), __VA_ARGS__)

/*
 * The kernel's own way to uncore counters (Linux arch/x86/events/intel/uncore.c): a PCI driver, such as snbep_uncore, bound to the
 * functions, and a PMU for each box (uncore_imc_0 and so on) through which perf counts.  Neither shows whether a program counts.
 */

/*
 * How the names of the PMUs begin through which perf counts in such boxes.  Where the kernel does not know the CPU, a PMU of Intel's
 * has the type of its unit in discovery tables: 6, 14 of HBM, and 7 or 16 of the mesh's way to a controller.  AMD's are of the driver
 * amd_uncore (arch/x86/events/amd/uncore.c), which writes no MSR before an event is opened; memory channels without counters of
 * their own are counted in the data fabric.
 */
static const struct {
	const char *units; /* of AMD, or of the mesh; NULL: memory controllers of Intel */
	const char *start;
} pmus[] = {
	{NULL, "uncore_imc"},  {NULL, "uncore_hbm"},      {NULL, "uncore_type_6_"}, {NULL, "uncore_type_14_"},
	{"m2m", "uncore_m2m"}, {"m2m", "uncore_type_7_"}, {"m2m", "uncore_b2cmi"},  {"m2m", "uncore_type_16_"},
	{"df, imc", "amd_df"}, {"imc", "amd_umc_"},       {"l3", "amd_l3"},
};

/* Returns true if perf counts in this box through amd_uncore.  NULL: in no box in particular. */
static bool is_of_amd(const struct unc_box *box)
{
	const struct unc_unit *unit = box ? box->unit : NULL;

	return unit && unit->kind == UNC_MSR && unc_text_listed("df, l3, imc", unit->name, strlen(unit->name));
}

static bool counts_in(const struct unc_box *box, const char *name)
{
	const char *of = box && box->unit ? box->unit->name : "";
	const char *unit = is_of_amd(box) || strcmp(of, "m2m") == 0 ? of : NULL;

	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		if (strncmp(name, pmus[i].start, strlen(pmus[i].start)) == 0 && !pmus[i].units == !unit)
			return !unit || unc_text_listed(pmus[i].units, unit, strlen(unit));
	return false;
}

/* *ret_n: how many PMUs the kernel has that count in the box, or in memory controllers of Intel; first: the name of the first. */
static int uncore_pmus(const struct search *s, unsigned *ret_n, char first[PATH])
{
	const char *const *names = NULL;
	size_t n = 0;
	int rc = or_none(unc_host_names(s->m->host, PMUS, &names, &n));

	*ret_n = 0;
	for (size_t i = 0; i < n; i++)
		if (counts_in(s->box, names[i]) && (*ret_n)++ == 0)
			snprintf(first, PATH, "%.40s", names[i]);
	free((void *)names);
	return rc;
}

static int find_driver(const struct search *s, struct unc_finding *found)
{
	const struct unc_box *boxes = s->box ? s->box : s->m->boxes, *first = NULL;
	size_t n_boxes = s->box ? 1 : s->m->n_boxes;
	char path[PATH], driver[40], pmu[PATH], whose[60] = "this function";
	unsigned n = 0;
	int rc;

	if (is_of_amd(
		    s->box)) /* that the driver is there does not mean that it counts, nor that it has written anything */
		return 0;
	for (size_t i = 0; i < n_boxes; i++) {
		char *target = NULL;

		if (boxes[i].addr.kind != UNC_PCI || !boxes[i].addr_known)
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", boxes[i].pci);
		rc = or_none(unc_host_link(s->m->host, path, &target));
		if (rc < 0)
			return rc;
		if (target && n++ == 0) {
			const char *slash = strrchr(target, '/');

			first = &boxes[i];
			snprintf(driver, sizeof(driver), "%s", slash ? slash + 1 : target);
			WRITE(found, evidence, "%s: leads to %s", path, driver);
		}
		free(target);
	}
	if (first) {
		const char *end = strrchr(driver, 'u');
		bool is_uncore = end && strcmp(end, "uncore") == 0; /* snbep_uncore, ivbep_uncore, skx_uncore */

		if (!s->box)
			snprintf(whose, sizeof(whose), "%u of the functions of memory controllers", n);
		WRITE(found, way_out, "%s, or take the driver away (echo %s > /sys/bus/pci/drivers/%s/unbind)",
		      is_uncore ? "stop perf" : "stop the program that uses them", first->pci, driver);
		WRITE(found, sentence,
		      is_uncore ? "possible: perf counts, as the kernel's driver %s is bound to %s"
				: "possible: the driver %s, which is bound to %s",
		      driver, whose);
		return FOUND;
	}
	rc = uncore_pmus(s, &n, pmu);
	if (rc < 0 || n == 0)
		return rc;
	WRITE(found, evidence, PMUS ": %u of %s", n, pmu);
	WRITE(found, way_out, "stop perf");
	WRITE(found, sentence, "possible: perf counts, as the kernel has a driver for counters of memory controllers");
	return FOUND;
}

/*
 * Processes that have perf events open: each event is a descriptor of an anonymous inode that Linux calls [perf_event]
 * (kernel/events/core.c).  What it counts is not visible to other processes.  Events of the kernel itself, such as the NMI
 * watchdog's, have none.
 */

/* The first event of a process is enough. */
static int read_links(struct unc_machine *m, struct unc_perf_users *found, uint64_t pid, const char *const *names,
		      size_t n)
{
	for (size_t i = 0; i < n && i < LINKS_OF_PROCESS_MAX; i++) {
		char path[PATH], *target = NULL;
		struct unc_proc_stat stat = {0};
		bool is_event, there;
		int rc;

		snprintf(path, sizeof(path), "/proc/%llu/fd/%.16s", (unsigned long long)pid, names[i]);
		found->n_links++;
		rc = or_none(unc_host_link(m->host, path, &target));
		if (rc < 0)
			return rc;
		is_event = target && strcmp(target, PERF_EVENT) == 0;
		free(target);
		if (!is_event)
			continue;
		if (found->n_holders++ > 0)
			return UNC_OK;
		found->pid = pid;
		snprintf(found->evidence, sizeof(found->evidence), "%.79s", path);
		rc = read_process(m, pid, &there, &stat);
		memcpy(found->comm, stat.comm, sizeof(found->comm));
		return rc;
	}
	return UNC_OK;
}

static int search_process(struct unc_machine *m, struct unc_perf_users *found, const char *name)
{
	const char *const *names;
	const char *rest = name;
	char path[PATH];
	uint64_t pid;
	size_t n;
	int rc;

	if (name[strspn(name, "0123456789")] || !unc_proc_next_number(&rest, &pid))
		return UNC_OK;
	if (found->n_links >= LINKS_MAX) {
		found->n_skipped++;
		return UNC_OK;
	}
	snprintf(path, sizeof(path), "/proc/%llu/fd", (unsigned long long)pid);
	rc = unc_host_names(m->host, path, &names, &n);
	if (rc == UNC_EPERM)
		found->n_hidden++;
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK; /* it may have ended by now */
	found->n_looked++;
	rc = read_links(m, found, pid, names, n);
	free((void *)names);
	return rc;
}

int unc_users_perf_users(struct unc_machine *m, struct unc_perf_users *ret_users)
{
	const char *const *names = NULL;
	size_t n = 0;
	int rc = or_none(unc_host_names(m->host, "/proc", &names, &n));

	*ret_users = (struct unc_perf_users){0};
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = search_process(m, ret_users, names[i]);
	free((void *)names);
	return rc;
}

static int find_perf(const struct search *s, struct unc_finding *found)
{
	struct unc_perf_users perf;
	char first[PATH] = "", more[40] = "", unit[60] = "on which unit";
	bool amd = is_of_amd(s->box);
	unsigned n_pmus = 1;
	int rc = UNC_OK;

	/* Without a driver of the kernel perf does not use these counters. */
	if (s->box)
		rc = uncore_pmus(s, &n_pmus, first);
	if (rc < 0 || !n_pmus)
		return rc;
	rc = unc_users_perf_users(s->m, &perf);
	if (rc < 0 || !perf.n_holders)
		return rc;
	if (perf.n_holders > 1)
		snprintf(more, sizeof(more), ", and %u more have", perf.n_holders - 1);
	if (amd)
		snprintf(unit, sizeof(unit), "whether on %.40s", first);
	WRITE(found, evidence, "%s: " PERF_EVENT, perf.evidence);
	WRITE(found, way_out, "see whether it counts in %s, and stop it", amd ? first : "memory controllers");
	WRITE(found, sentence,
	      "possible: process %llu (%.40s) has a perf event open%s; %s cannot be told, and %u process%s looked at",
	      (unsigned long long)perf.pid, perf.comm, more, unit, perf.n_looked,
	      perf.n_looked == 1 ? " was" : "es were");
	return FOUND;
}

/*
 * LIKWID's lock file (its src/includes/lock.h; the path is LIKWIDLOCKPATH of its config.mk).  If it exists, LIKWID counts only for
 * the user who owns it, so administrators give a machine to a job by its owner.  Counting does not make or remove it: it shows that
 * LIKWID is used here, not that it counts now.
 */
static int find_likwid(const struct search *s, struct unc_finding *found)
{
	WRITE(found, evidence, "%s: is there", s->path);
	WRITE(found, way_out, "ask whom that file belongs to (ls -l %s)", s->path);
	WRITE(found, sentence,
	      "possible: LIKWID counts, which its lock file reserves for one user, whether that user counts now or "
	      "not");
	return FOUND;
}

/*
 * resctrl, the kernel's own user of cache monitoring and allocation (Linux Documentation/filesystems/resctrl.rst): a file system in
 * which control groups are directories, and monitoring groups are directories in a directory "mon_groups" of each.
 */

/* Mounted for us, or at least for process 1 if we are in a mount namespace of our own: there is only one resctrl. */
int unc_users_resctrl_mount(struct unc_machine *m, struct unc_resctrl_mount *ret_mount)
{
	static const struct {
		const char *list, *root, *unmount;
	} views[] = {{"/proc/mounts", "", "umount"},
		     {"/proc/1/mounts", "/proc/1/root", "nsenter --target 1 --mount umount"}};

	*ret_mount = (struct unc_resctrl_mount){0};
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !ret_mount->mounted; i++) {
		char *text = NULL, *rest, *line;
		int rc = or_none(unc_host_file(m->host, views[i].list, LISTS_MAX, &text, NULL));

		if (rc < 0)
			return rc;
		for (rest = text; !ret_mount->mounted && (line = unc_text_cut(&rest, '\n')) != NULL;) {
			char *dir, *type;

			unc_text_cut(&line, ' ');
			dir = unc_text_cut(&line, ' ');
			type = unc_text_cut(&line, ' ');
			ret_mount->mounted = type && strcmp(type, "resctrl") == 0;
			if (!ret_mount->mounted)
				continue;
			unc_text_demangle(dir);
			ret_mount->list = views[i].list;
			ret_mount->unmount = views[i].unmount;
			snprintf(ret_mount->dir, sizeof(ret_mount->dir), "%s%s", views[i].root, dir);
			ret_mount->root_len = strlen(views[i].root);
		}
		free(text);
	}
	return UNC_OK;
}

/* Counts the names in a directory; *ret_there: it is a directory. */
static int count(struct unc_machine *m, const char *dir, const char *name, bool *ret_there, size_t *ret_n)
{
	char path[LONG_PATH];
	const char *const *names = NULL;
	int rc;

	*ret_there = false;
	*ret_n = 0;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return UNC_OK;
	rc = or_none(unc_host_names(m->host, path, &names, ret_n));
	*ret_there = names != NULL;
	free((void *)names);
	return rc;
}

/* Skips files, which need not be read. */
bool unc_users_is_of_resctrl(const char *name)
{
	return unc_text_listed(
		"info, mon_data, mon_groups, cpus, cpus_list, ctrl_hw_id, mode, mon_hw_id, schemata, size, tasks", name,
		strlen(name));
}

static int count_groups(struct unc_machine *m, const char *root, size_t *ret_control, size_t *ret_monitoring)
{
	const char *const *names = NULL;
	size_t n = 0, n_own;
	bool there;
	int rc = count(m, root, "mon_groups", &there, ret_monitoring);

	*ret_control = 0;
	if (rc == 0)
		rc = or_none(unc_host_names(m->host, root, &names, &n));
	for (size_t i = 0; i < n && rc == 0; i++) {
		char path[LONG_PATH];

		if (unc_users_is_of_resctrl(names[i]) ||
		    snprintf(path, sizeof(path), "%s/%s", root, names[i]) >= (int)sizeof(path))
			continue;
		rc = count(m, root, names[i], &there, &n_own);
		if (rc < 0 || !there)
			continue;
		++*ret_control;
		rc = count(m, path, "mon_groups", &there, &n_own);
		*ret_monitoring += n_own;
	}
	free((void *)names);
	return rc;
}

static int find_resctrl(const struct search *s, struct unc_finding *found)
{
	struct unc_resctrl_mount mount;
	size_t n_control = 0, n_monitoring = 0;
	int rc = unc_users_resctrl_mount(s->m, &mount);

	if (rc == 0 && mount.mounted)
		rc = count_groups(s->m, mount.dir, &n_control, &n_monitoring);
	if (rc < 0 || !mount.mounted)
		return rc;
	found->certain = true;
	WRITE(found, evidence, "%s: resctrl at %.120s", mount.list, mount.dir);
	WRITE(found, way_out, "unmount it if no program needs its groups (%s %.120s)", mount.unmount,
	      mount.dir + mount.root_len);
	/*
	 * Linux arch/x86/include/asm/resctrl.h, __resctrl_sched_in(): writes the register when the next task has another CLOS or
	 * RMID than the last one; monitor.c, mbm_handle_overflow(): reads it every second.
	 */
	WRITE(found, sentence,
	      "resctrl is mounted at %.80s, with %zu control and %zu monitoring groups: its kernel rewrites "
	      "IA32_PQR_ASSOC at every context switch%s, RMIDs of groups that sleep are seen in no register, and "
	      "writing IA32_QM_EVTSEL may spoil what it reads",
	      mount.dir, n_control, n_monitoring, n_control + n_monitoring ? "" : " once there is a group");
	return FOUND;
}

/*
 * The lock file of libpqos (intel-cmt-cat lib/lock.c), which pqos and rdtset are linked with.
 *
 * Until v4.6.0 the file is empty, is locked with lockf() only while a function of the library runs, and stays when the program
 * ends: it only shows that there was one.  Since v26.03 it is removed at the end, and holds the process id and a second number,
 * which should be the start time of the process; but the program reads one field too far, so it is the size of its memory.
 */

#define REMOVE "remove that file if no pqos or rdtset runs"

static int find_pqos(const struct search *s, struct unc_finding *found)
{
	struct unc_proc_stat stat = {0};
	const char *rest = s->text;
	uint64_t pid, second;
	bool there;
	int rc;

	if (!unc_proc_next_number(&rest, &pid) || !unc_proc_next_number(&rest, &second)) {
		WRITE(found, evidence, "%s: is there, without a process id", s->path);
		WRITE(found, way_out, REMOVE);
		WRITE(found, sentence,
		      "possible: a program that uses libpqos (pqos, rdtset) is running; the lock file of versions "
		      "before 26.03 stays when they end, so it only tells that there was one");
		return FOUND;
	}
	rc = read_process(s->m, pid, &there, &stat);
	if (rc < 0)
		return rc;
	/* Certainly the process that wrote the file. */
	found->certain = there && (second == stat.starttime || second == stat.vsize || strcmp(stat.comm, "pqos") == 0 ||
				   strcmp(stat.comm, "rdtset") == 0);
	WRITE(found, evidence, "%s: process %llu, which %s%.40s%s", s->path, (unsigned long long)pid,
	      there ? "is \"" : "is not there", there ? stat.comm : "", there ? "\"" : "");
	WRITE(found, way_out, found->certain ? "stop it" : REMOVE);
	if (found->certain)
		WRITE(found, sentence,
		      "process %llu (%.40s) uses libpqos: it assigns RMIDs and rewrites IA32_QM_EVTSEL",
		      (unsigned long long)pid, stat.comm);
	else if (there)
		WRITE(found, sentence,
		      "possible: process %llu (%.40s) uses libpqos; or one that had its number did, and was killed, "
		      "which the lock file does not tell apart",
		      (unsigned long long)pid, stat.comm);
	else
		WRITE(found, sentence,
		      "possible: a program that uses libpqos was killed and left its RMIDs assigned, or runs in a "
		      "container, where it has another process id than %llu here",
		      (unsigned long long)pid);
	return FOUND;
}

/*
 * Marks of a running Intel PCM.  Until 202202 it counted its instances in a POSIX semaphore (src/cpucounters.cpp); its daemon has a
 * System V shared memory, whose number is in a file (src/daemon/common.h); and if resctrl is mounted, it makes a monitoring group for
 * every CPU (src/resctrl.h).
 */

/* What PCM does to boxes or caches. */
static const char *doing(const struct search *s)
{
	return s->box ? "it programs the counters of memory controllers"
		      : "where it measures caches, it assigns an RMID to every CPU and rewrites IA32_QM_EVTSEL";
}

static int find_pcm_instances(const struct search *s, struct unc_finding *found)
{
	/* Its first word is the value (glibc, struct new_sem), little endian as on all x86. */
	uint32_t n = s->len >= 4 ? unc_le32((const unsigned char *)s->text) : 0;

	if (n == 0)
		return 0;
	WRITE(found, evidence, "%s: its value is %" PRIu32, s->path, n);
	WRITE(found, way_out, "remove that file if no PCM runs");
	WRITE(found, sentence,
	      "possible: Intel PCM is running, as its number of instances is %" PRIu32
	      " (one that was killed is still counted); %s",
	      n, doing(s));
	return FOUND;
}

/*
 * Reads the row of a segment: the process that made it, and how many have it attached.  False: there is no such
 * segment.
 */
static bool find_segment(const char *text, uint64_t id, uint64_t *ret_pid, uint64_t *ret_attached)
{
	/*
	 * key, shmid, perms, size, cpid, lpid, nattch, ... (ipc/shm.c, sysvipc_shm_proc_show()); the key may be
	 * negative
	 */
	enum { KEY, SHMID, PERMS, SIZE, CPID, LPID, NATTCH, N_COLUMNS };

	while (*text) {
		uint64_t columns[N_COLUMNS];
		const char *rest = text + strspn(text, " ");
		unsigned n = 0;

		rest += *rest == '-';
		while (n < N_COLUMNS && *rest != '\n' && unc_proc_next_number(&rest, &columns[n]))
			n++;
		if (n == N_COLUMNS && columns[SHMID] == id) {
			*ret_pid = columns[CPID];
			*ret_attached = columns[NATTCH];
			return true;
		}
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

/* A daemon that ended by itself removed its memory; after a killed one no process has it attached. */
static int find_pcm_daemon(const struct search *s, struct unc_finding *found)
{
	const char *rest = s->text;
	struct unc_proc_stat stat;
	uint64_t id, pid, attached;
	bool there;
	char *text = NULL;
	int rc;

	if (!unc_proc_next_number(&rest, &id))
		return 0;
	rc = or_none(unc_host_file(s->m->host, SHM_LIST, LISTS_MAX, &text, NULL));
	if (rc < 0 || !text)
		return rc;
	there = find_segment(text, id, &pid, &attached) && attached;
	free(text);
	if (there)
		rc = read_process(s->m, pid, &there, &stat);
	if (rc < 0 || !there)
		return rc;
	found->certain = true;
	WRITE(found, way_out, "stop it");
	WRITE(found, evidence, "%s: %llu, which " SHM_LIST " has as made by process %llu and attached", s->path,
	      (unsigned long long)id, (unsigned long long)pid);
	WRITE(found, sentence, "the daemon of Intel PCM is running as process %llu (%.40s); %s",
	      (unsigned long long)pid, stat.comm, doing(s));
	return FOUND;
}

static int find_pcm_groups(const struct search *s, struct unc_finding *found)
{
	struct unc_resctrl_mount mount;
	const char *const *names = NULL;
	char dir[LONG_PATH];
	size_t n = 0, n_groups = 0;
	int rc = unc_users_resctrl_mount(s->m, &mount);

	if (rc < 0 || !mount.mounted)
		return rc;
	snprintf(dir, sizeof(dir), "%s/mon_groups", mount.dir);
	rc = or_none(unc_host_names(s->m->host, dir, &names, &n));
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (strncmp(names[i], "pcm", 3) == 0 && names[i][3] &&
		    !names[i][3 + strspn(names[i] + 3, "0123456789")] && n_groups++ == 0)
			WRITE(found, evidence, "%.100s: has %.40s", dir, names[i]);
	free((void *)names);
	if (!n_groups)
		return 0;
	WRITE(found, way_out, "remove its groups (rmdir) if no PCM runs");
	WRITE(found, sentence,
	      "possible: Intel PCM is running and measures caches with resctrl, which has %zu groups of its; a killed "
	      "one leaves them there",
	      n_groups);
	return FOUND;
}

/* Two paths where the first may be a link to the second, which would lead out of a directory tree. */
static const struct finder {
	enum unc_finding_kind kind;
	unsigned scopes;
	find_fn *find;
	const char *paths[2]; /* the first that can be read is the mark; if there is none, neither is the user */
} finders[] = {
	{UNC_FOUND_DRIVER, UNC_USERS_OF_BOX, find_driver, {NULL}},
	{UNC_FOUND_PERF, UNC_USERS_OF_BOX, find_perf, {NULL}},
	{UNC_FOUND_LIKWID, UNC_USERS_OF_BOX, find_likwid, {"/var/run/likwid.lock", "/run/likwid.lock"}},
	{UNC_FOUND_RESCTRL, UNC_USERS_OF_CACHES, find_resctrl, {NULL}},
	{UNC_FOUND_PQOS, UNC_USERS_OF_CACHES, find_pqos, {"/var/lock/libpqos", "/run/lock/libpqos"}},
	/* The file of the semaphore "Num PCM insts" in glibc. */
	{UNC_FOUND_PCM, UNC_USERS_OF_MACHINE, find_pcm_instances, {"/dev/shm/sem.Num PCM insts"}},
	{UNC_FOUND_PCM, UNC_USERS_OF_MACHINE, find_pcm_daemon, {"/tmp/opcm-daemon-shm-id"}},
	{UNC_FOUND_PCM, UNC_USERS_OF_CACHES, find_pcm_groups, {NULL}},
};
enum { N_FINDERS = sizeof(finders) / sizeof(finders[0]) };

/* Reads the mark of a user, if it has one, and asks what it means.  As find_fn. */
static int find(const struct finder *finder, struct search s, struct unc_finding *found)
{
	char *text = NULL;
	int rc = UNC_OK;

	for (unsigned i = 0; i < 2 && finder->paths[i] && !text && rc == 0; i++) {
		s.path = finder->paths[i];
		rc = or_none(unc_host_file(s.m->host, s.path, SMALL_MAX, &text, &s.len));
	}
	s.text = text;
	if (text || !finder->paths[0])
		rc = finder->find(&s, found);
	free(text);
	return rc;
}

int unc_users_find(struct unc_machine *m, enum unc_users_of of, const struct unc_box *box,
		   struct unc_finding **ret_findings, size_t *ret_n)
{
	struct unc_finding all[N_FINDERS] = {0};
	size_t n = 0;

	for (size_t i = 0; i < N_FINDERS; i++) {
		int rc = finders[i].scopes & of ? find(&finders[i], (struct search){.m = m, .box = box}, &all[n]) : 0;

		if (rc < 0)
			return rc;
		if (rc == FOUND)
			all[n++].kind = finders[i].kind;
	}
	*ret_findings = NULL;
	*ret_n = n;
	if (n == 0)
		return UNC_OK;
	*ret_findings = malloc(n * sizeof(all[0]));
	if (!*ret_findings)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	memcpy(*ret_findings, all, n * sizeof(all[0]));
	return UNC_OK;
}
