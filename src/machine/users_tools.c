// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LIKWID's lock file (its src/includes/lock.h; the path is LIKWIDLOCKPATH of its config.mk).  If it exists, LIKWID
 * counts only for the user who owns it, so administrators give a machine to a job by its owner.  Counting does not make
 * or remove it: it shows that LIKWID is used here, not that it counts now.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "machine/users.h"

enum { LOCK_MAX = 4096 };

/* Both paths, since /var/run may be a link to /run, which leads out of a directory tree. */
static const char *const lock_files[] = {"/var/run/likwid.lock", "/run/likwid.lock"};

static int add(struct unc_users *users, const char *path)
{
	struct unc_finding *found = unc_users_add(users, UNC_FOUND_LIKWID, false);

	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: is there", path);
	snprintf(found->way_out, sizeof(found->way_out), "ask whom that file belongs to (ls -l %s)", path);
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: LIKWID counts, which its lock file reserves for one user, whether that user counts now or "
		 "not");
	return UNC_OK;
}

int unc_users_find_likwid(struct unc_users *users)
{
	for (size_t i = 0; i < sizeof(lock_files) / sizeof(lock_files[0]); i++) {
		char *text;
		int rc = unc_users_file(users, lock_files[i], LOCK_MAX, &text, NULL);

		if (rc < 0)
			return rc;
		if (!text)
			continue;
		free(text);
		return add(users, lock_files[i]);
	}
	return UNC_OK;
}

/*
 * Marks of a running Intel PCM.  Until 202202 it counted its instances in a POSIX semaphore (src/cpucounters.cpp); its
 * daemon has a System V shared memory, whose number is in a file (src/daemon/common.h); and if resctrl is mounted, it
 * makes a monitoring group for every CPU (src/resctrl.h).
 */

#define SEMAPHORE "/dev/shm/sem.Num PCM insts" /* the file of the semaphore "Num PCM insts" in glibc */
#define DAEMON_ID "/tmp/opcm-daemon-shm-id"
#define SHM_LIST  "/proc/sysvipc/shm"

enum { SMALL_MAX = 4096, SHM_MAX = 4 << 20 };

/* What PCM does to boxes or caches. */
static const char *doing(const struct unc_users *users)
{
	return users->box ? "it programs the counters of memory controllers"
			  : "where it measures caches, it assigns an RMID to every CPU and rewrites IA32_QM_EVTSEL";
}

static int find_instances(struct unc_users *users)
{
	struct unc_finding *found;
	unsigned char value[4] = {0};
	unsigned n;
	size_t len;
	char *text;
	int rc = unc_users_file(users, SEMAPHORE, SMALL_MAX, &text, &len);

	if (rc < 0 || !text)
		return rc;
	if (len >= sizeof(value)) /* its first word is the value (glibc, struct new_sem), little endian as on all x86 */
		memcpy(value, text, sizeof(value));
	free(text);
	n = value[0] + 256u * value[1] + 65536u * value[2] + 16777216u * value[3];
	if (n == 0)
		return UNC_OK;
	found = unc_users_add(users, UNC_FOUND_PCM, false);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: its value is %u", SEMAPHORE, n);
	snprintf(found->way_out, sizeof(found->way_out), "remove that file if no PCM runs");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: Intel PCM is running, as its number of instances is %u (one that was killed is still "
		 "counted); %s",
		 n, doing(users));
	return UNC_OK;
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
static int find_segment_of_daemon(struct unc_users *users, uint64_t id)
{
	struct unc_proc_stat stat;
	struct unc_finding *found;
	uint64_t pid, attached;
	bool there;
	char *text;
	int rc = unc_users_file(users, SHM_LIST, SHM_MAX, &text, NULL);

	if (rc < 0 || !text)
		return rc;
	there = find_segment(text, id, &pid, &attached) && attached;
	free(text);
	if (there)
		rc = unc_users_process(users, pid, &there, &stat);
	if (rc < 0 || !there)
		return rc;
	found = unc_users_add(users, UNC_FOUND_PCM, true);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->way_out, sizeof(found->way_out), "stop it");
	snprintf(found->evidence, sizeof(found->evidence),
		 "%s: %llu, which " SHM_LIST " has as made by process %llu and attached", DAEMON_ID,
		 (unsigned long long)id, (unsigned long long)pid);
	snprintf(found->sentence, sizeof(found->sentence),
		 "the daemon of Intel PCM is running as process %llu (%.40s); %s", (unsigned long long)pid, stat.comm,
		 doing(users));
	return UNC_OK;
}

static int find_daemon(struct unc_users *users)
{
	const char *rest;
	uint64_t id;
	char *text;
	bool told;
	int rc = unc_users_file(users, DAEMON_ID, SMALL_MAX, &text, NULL);

	if (rc < 0 || !text)
		return rc;
	rest = text;
	told = unc_proc_next_number(&rest, &id);
	free(text);
	return told ? find_segment_of_daemon(users, id) : UNC_OK;
}

static bool is_pcm_group(const char *name)
{
	return strncmp(name, "pcm", 3) == 0 && name[3] && !name[3 + strspn(name + 3, "0123456789")];
}

static int add_groups(struct unc_users *users, const char *dir, const char *const *names, size_t n)
{
	struct unc_finding *found;
	size_t n_groups = 0, first = 0;

	for (size_t i = n; i-- > 0;) {
		if (is_pcm_group(names[i])) {
			first = i;
			n_groups++;
		}
	}
	if (!n_groups)
		return UNC_OK;
	found = unc_users_add(users, UNC_FOUND_PCM, false);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%.100s: has %.40s", dir, names[first]);
	snprintf(found->way_out, sizeof(found->way_out), "remove its groups (rmdir) if no PCM runs");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: Intel PCM is running and measures caches with resctrl, which has %zu groups of its; a "
		 "killed one leaves them there",
		 n_groups);
	return UNC_OK;
}

static int find_groups(struct unc_users *users)
{
	char dir[600];
	const char *const *names;
	struct unc_resctrl_mount mount;
	size_t n;
	int rc = unc_users_resctrl_mount(users->m, &mount);

	if (rc < 0 || !mount.mounted)
		return rc;
	snprintf(dir, sizeof(dir), "%s/mon_groups", mount.dir);
	rc = unc_users_names(users, dir, &names, &n);
	if (rc < 0 || !names)
		return rc;
	rc = add_groups(users, dir, names, n);
	free((void *)names);
	return rc;
}

int unc_users_find_pcm(struct unc_users *users)
{
	int rc = find_instances(users);

	if (rc == 0)
		rc = find_daemon(users);
	if (rc == 0 && !users->box)
		rc = find_groups(users);
	return rc;
}

/*
 * Processes that have perf events open: each event is a descriptor of an anonymous inode that Linux calls [perf_event]
 * (kernel/events/core.c).  What it counts is not visible to other processes.  Events of the kernel itself, such as the
 * NMI watchdog's, have none.
 */

#define PERF_EVENT "anon_inode:[perf_event]"

/* At most this many links are read in all, and of one process; of a process with more, those that it opened first. */
enum { LINKS_MAX = 65536, LINKS_OF_PROCESS_MAX = 4096, PATH = 80 };

struct search {
	struct unc_users *users;
	struct unc_perf_users *found;
	unsigned n_links;
};

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static int note_holder(struct search *s, uint64_t pid, const char *path)
{
	struct unc_perf_users *found = s->found;
	struct unc_proc_stat stat = {0};
	bool there;
	int rc;

	if (found->n_holders++ > 0)
		return UNC_OK;
	found->pid = pid;
	snprintf(found->evidence, sizeof(found->evidence), "%s", path);
	rc = unc_users_process(s->users, pid, &there, &stat);
	memcpy(found->comm, stat.comm, sizeof(found->comm));
	return rc;
}

/* The first event is enough. */
static int look_at_links(struct search *s, uint64_t pid, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n && i < LINKS_OF_PROCESS_MAX; i++) {
		char path[PATH], *target;
		bool is_event;
		int rc;

		snprintf(path, sizeof(path), "/proc/%llu/fd/%.16s", (unsigned long long)pid, names[i]);
		s->n_links++;
		rc = unc_users_link(s->users, path, &target);
		if (rc < 0)
			return rc;
		is_event = target && strcmp(target, PERF_EVENT) == 0;
		free(target);
		if (is_event)
			return note_holder(s, pid, path);
	}
	return UNC_OK;
}

static int look_at_process(struct search *s, const char *name)
{
	struct unc_host *host = s->users->m->host;
	const char *const *names;
	const char *rest = name;
	char path[PATH];
	uint64_t pid;
	size_t n;
	int rc;

	if (!is_number(name) || !unc_proc_next_number(&rest, &pid))
		return UNC_OK;
	if (s->n_links >= LINKS_MAX) {
		s->found->n_skipped++;
		return UNC_OK;
	}
	snprintf(path, sizeof(path), "/proc/%llu/fd", (unsigned long long)pid);
	rc = host->ops->names(host, path, &names, &n);
	if (rc == UNC_EPERM)
		s->found->n_hidden++;
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK; /* it may have ended by now */
	s->found->n_looked++;
	rc = look_at_links(s, pid, names, n);
	free((void *)names);
	return rc;
}

static int search(struct unc_users *users, struct unc_perf_users *ret_users)
{
	struct search s = {.users = users, .found = ret_users};
	const char *const *names;
	size_t n;
	int rc = unc_users_names(users, "/proc", &names, &n);

	*ret_users = (struct unc_perf_users){0};
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = look_at_process(&s, names[i]);
	free((void *)names);
	return rc;
}

int unc_users_perf_users(struct unc_machine *m, struct unc_perf_users *ret_users)
{
	struct unc_users users = {.m = m};

	return search(&users, ret_users);
}

int unc_users_find_perf(struct unc_users *users)
{
	struct unc_perf_users perf;
	struct unc_uncore_pmus pmus;
	struct unc_finding *found;
	char more[40] = "";
	int rc = UNC_OK;

	/* Without a driver of the kernel perf does not use these counters. */
	if (users->box)
		rc = unc_users_uncore_pmus(users, &pmus);
	if (rc < 0 || (users->box && !pmus.n))
		return rc;
	rc = search(users, &perf);
	if (rc < 0 || !perf.n_holders)
		return rc;
	found = unc_users_add(users, UNC_FOUND_PERF, false);
	if (!found)
		return UNC_ENOMEM;
	if (perf.n_holders > 1)
		snprintf(more, sizeof(more), ", and %u more have", perf.n_holders - 1);
	snprintf(found->evidence, sizeof(found->evidence), "%s: " PERF_EVENT, perf.evidence);
	snprintf(found->way_out, sizeof(found->way_out), "see whether it counts in memory controllers, and stop it");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: process %llu (%.40s) has a perf event open%s; on which unit cannot be told, and %u "
		 "process%s looked at",
		 (unsigned long long)perf.pid, perf.comm, more, perf.n_looked, perf.n_looked == 1 ? " was" : "es were");
	return UNC_OK;
}

/*
 * The lock file of libpqos (intel-cmt-cat lib/lock.c), which pqos and rdtset are linked with.
 *
 * Until v4.6.0 the file is empty, is locked with lockf() only while a function of the library runs, and stays when the
 * program ends: it only shows that there was one.  Since v26.03 it is removed at the end, and holds the process id and
 * a second number, which should be the start time of the process; but the program reads one field too far, so it is the
 * size of its memory.
 */

#define REMOVE "remove that file if no pqos or rdtset runs"

enum { PQOS_LOCK_MAX = 4096 };

/* Both paths, since /var/lock may be a link to /run/lock, which leads out of a directory tree. */
static const char *const pqos_lock_files[] = {"/var/lock/libpqos", "/run/lock/libpqos"};

static int add_empty(struct unc_users *users, const char *path)
{
	struct unc_finding *found = unc_users_add(users, UNC_FOUND_PQOS, false);

	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: is there, without a process id", path);
	snprintf(found->way_out, sizeof(found->way_out), REMOVE);
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: a program that uses libpqos (pqos, rdtset) is running; the lock file of versions before "
		 "26.03 stays when they end, so it only tells that there was one");
	return UNC_OK;
}

/* Returns true if it is certainly the process that wrote the file. */
static bool same_process(const struct unc_proc_stat *stat, uint64_t second)
{
	return second == stat->starttime || second == stat->vsize || strcmp(stat->comm, "pqos") == 0 ||
	       strcmp(stat->comm, "rdtset") == 0;
}

static int add_process(struct unc_users *users, const char *path, uint64_t pid, uint64_t second)
{
	struct unc_proc_stat stat = {0};
	struct unc_finding *found;
	bool there, sure;
	int rc = unc_users_process(users, pid, &there, &stat);

	if (rc < 0)
		return rc;
	sure = there && same_process(&stat, second);
	found = unc_users_add(users, UNC_FOUND_PQOS, sure);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: process %llu, which %s%.40s%s", path,
		 (unsigned long long)pid, there ? "is \"" : "is not there", there ? stat.comm : "", there ? "\"" : "");
	snprintf(found->way_out, sizeof(found->way_out), sure ? "stop it" : REMOVE);
	if (sure)
		snprintf(found->sentence, sizeof(found->sentence),
			 "process %llu (%.40s) uses libpqos: it assigns RMIDs and rewrites IA32_QM_EVTSEL",
			 (unsigned long long)pid, stat.comm);
	else if (there)
		snprintf(found->sentence, sizeof(found->sentence),
			 "possible: process %llu (%.40s) uses libpqos; or one that had its number did, and was killed, "
			 "which the lock file does not tell apart",
			 (unsigned long long)pid, stat.comm);
	else
		snprintf(found->sentence, sizeof(found->sentence),
			 "possible: a program that uses libpqos was killed and left its RMIDs assigned, or runs in a "
			 "container, where it has another process id than %llu here",
			 (unsigned long long)pid);
	return UNC_OK;
}

int unc_users_find_pqos(struct unc_users *users)
{
	for (size_t i = 0; i < sizeof(pqos_lock_files) / sizeof(pqos_lock_files[0]); i++) {
		uint64_t pid, second;
		const char *rest;
		char *text;
		bool two;
		int rc = unc_users_file(users, pqos_lock_files[i], PQOS_LOCK_MAX, &text, NULL);

		if (rc < 0)
			return rc;
		if (!text)
			continue;
		rest = text;
		two = unc_proc_next_number(&rest, &pid) && unc_proc_next_number(&rest, &second);
		free(text);
		return two ? add_process(users, pqos_lock_files[i], pid, second) : add_empty(users, pqos_lock_files[i]);
	}
	return UNC_OK;
}
