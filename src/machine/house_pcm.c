// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What Intel PCM leaves while it runs.  Until 202202 it counted its instances in a POSIX semaphore (src/cpucounters.cpp); its
 * daemon has a System V shared memory, whose number is in a file (src/daemon/common.h); and where resctrl is mounted, it makes a
 * monitoring group for every CPU (src/resctrl.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "machine/house_finders.h"

#define SEMAPHORE "/dev/shm/sem.Num PCM insts" /* where glibc has the semaphore "Num PCM insts" */
#define DAEMON_ID "/tmp/opcm-daemon-shm-id"
#define SHM_LIST  "/proc/sysvipc/shm"

enum { SMALL_MAX = 4096, SHM_MAX = 4 << 20 };

/* What it does to what is asked about. */
static const char *doing(const struct unc_house *house)
{
	return house->box ? "it programs the counters of memory controllers"
			  : "where it measures caches, it assigns an RMID to every CPU and rewrites IA32_QM_EVTSEL";
}

static int find_instances(struct unc_house *house)
{
	struct unc_finding *found;
	unsigned char value[4] = {0};
	unsigned n;
	size_t len;
	char *text;
	int rc = unc_house_file(house, SEMAPHORE, SMALL_MAX, &text, &len);

	if (rc < 0 || !text)
		return rc;
	if (len >= sizeof(value)) /* its first word is the value (glibc, struct new_sem), little endian as all of x86 */
		memcpy(value, text, sizeof(value));
	free(text);
	n = value[0] + 256u * value[1] + 65536u * value[2] + 16777216u * value[3];
	if (n == 0)
		return UNC_OK;
	found = unc_house_add(house, UNC_FOUND_PCM, false);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: its value is %u", SEMAPHORE, n);
	snprintf(found->way_out, sizeof(found->way_out), "remove that file if no PCM runs");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: Intel PCM is running, as its number of instances is %u (one that was killed is still "
		 "counted); %s",
		 n, doing(house));
	return UNC_OK;
}

/* The row of a segment: who made it, and how many have it attached.  False: there is no such segment. */
static bool find_segment(const char *text, uint64_t id, uint64_t *ret_pid, uint64_t *ret_attached)
{
	/* key, shmid, perms, size, cpid, lpid, nattch, ... (ipc/shm.c, sysvipc_shm_proc_show()); the key may be negative */
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

/* Its memory is gone with it where it ended by itself; if it was killed, no process is attached. */
static int find_segment_of_daemon(struct unc_house *house, uint64_t id)
{
	struct unc_proc_stat stat;
	struct unc_finding *found;
	uint64_t pid, attached;
	bool there;
	char *text;
	int rc = unc_house_file(house, SHM_LIST, SHM_MAX, &text, NULL);

	if (rc < 0 || !text)
		return rc;
	there = find_segment(text, id, &pid, &attached) && attached;
	free(text);
	if (there)
		rc = unc_house_process(house, pid, &there, &stat);
	if (rc < 0 || !there)
		return rc;
	found = unc_house_add(house, UNC_FOUND_PCM, true);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->way_out, sizeof(found->way_out), "stop it");
	snprintf(found->evidence, sizeof(found->evidence),
		 "%s: %llu, which " SHM_LIST " has as made by process %llu and attached", DAEMON_ID,
		 (unsigned long long)id, (unsigned long long)pid);
	snprintf(found->sentence, sizeof(found->sentence),
		 "the daemon of Intel PCM is running as process %llu (%.40s); %s", (unsigned long long)pid, stat.comm,
		 doing(house));
	return UNC_OK;
}

static int find_daemon(struct unc_house *house)
{
	const char *rest;
	uint64_t id;
	char *text;
	bool told;
	int rc = unc_house_file(house, DAEMON_ID, SMALL_MAX, &text, NULL);

	if (rc < 0 || !text)
		return rc;
	rest = text;
	told = unc_proc_next_number(&rest, &id);
	free(text);
	return told ? find_segment_of_daemon(house, id) : UNC_OK;
}

static bool is_pcm_group(const char *name)
{
	return strncmp(name, "pcm", 3) == 0 && name[3] && !name[3 + strspn(name + 3, "0123456789")];
}

static int add_groups(struct unc_house *house, const char *dir, const char *const *names, size_t n)
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
	found = unc_house_add(house, UNC_FOUND_PCM, false);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%.100s: has %.40s", dir, names[first]);
	snprintf(found->way_out, sizeof(found->way_out), "remove its groups (rmdir) if no PCM runs");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: Intel PCM is running and measures caches with resctrl, which has %zu groups of its; one "
		 "that was killed leaves them behind",
		 n_groups);
	return UNC_OK;
}

static int find_groups(struct unc_house *house)
{
	char dir[600];
	const char *const *names;
	struct unc_resctrl_mount mount;
	size_t n;
	int rc = unc_house_resctrl_mount(house->m, &mount);

	if (rc < 0 || !mount.mounted)
		return rc;
	snprintf(dir, sizeof(dir), "%s/mon_groups", mount.dir);
	rc = unc_house_names(house, dir, &names, &n);
	if (rc < 0 || !names)
		return rc;
	rc = add_groups(house, dir, names, n);
	free((void *)names);
	return rc;
}

int unc_house_find_pcm(struct unc_house *house)
{
	int rc = find_instances(house);

	if (rc == 0)
		rc = find_daemon(house);
	if (rc == 0 && !house->box)
		rc = find_groups(house);
	return rc;
}
