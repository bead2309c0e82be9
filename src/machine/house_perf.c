// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that have perf events open: each event is a descriptor on an anonymous inode that Linux calls [perf_event]
 * (kernel/events/core.c).  What it counts is not to be seen from outside.  The kernel's own events, such as the NMI
 * watchdog's, have none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "machine/house_finders.h"

#define PERF_EVENT "anon_inode:[perf_event]"

/* So many links are looked at in all, and so many of one process: of one that has more, what it opened first. */
enum { LINKS_MAX = 65536, LINKS_OF_PROCESS_MAX = 4096, PATH = 80 };

struct search {
	struct unc_house *house;
	struct unc_perf_users *users;
	unsigned n_links;
};

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static int note_holder(struct search *s, uint64_t pid, const char *path)
{
	struct unc_perf_users *users = s->users;
	struct unc_proc_stat stat = {0};
	bool there;
	int rc;

	if (users->n_holders++ > 0)
		return UNC_OK;
	users->pid = pid;
	snprintf(users->evidence, sizeof(users->evidence), "%s", path);
	rc = unc_house_process(s->house, pid, &there, &stat);
	memcpy(users->comm, stat.comm, sizeof(users->comm));
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
		rc = unc_house_link(s->house, path, &target);
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
	struct unc_host *host = s->house->m->host;
	const char *const *names;
	const char *rest = name;
	char path[PATH];
	uint64_t pid;
	size_t n;
	int rc;

	if (!is_number(name) || !unc_proc_next_number(&rest, &pid))
		return UNC_OK;
	if (s->n_links >= LINKS_MAX) {
		s->users->n_skipped++;
		return UNC_OK;
	}
	snprintf(path, sizeof(path), "/proc/%llu/fd", (unsigned long long)pid);
	rc = host->ops->names(host, path, &names, &n);
	if (rc == UNC_EPERM)
		s->users->n_hidden++;
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK; /* it may have ended by now */
	s->users->n_looked++;
	rc = look_at_links(s, pid, names, n);
	free((void *)names);
	return rc;
}

static int search(struct unc_house *house, struct unc_perf_users *ret_users)
{
	struct search s = {.house = house, .users = ret_users};
	const char *const *names;
	size_t n;
	int rc = unc_house_names(house, "/proc", &names, &n);

	*ret_users = (struct unc_perf_users){0};
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = look_at_process(&s, names[i]);
	free((void *)names);
	return rc;
}

int unc_house_perf_users(struct unc_machine *m, struct unc_perf_users *ret_users)
{
	struct unc_house house = {.m = m};

	return search(&house, ret_users);
}

int unc_house_find_perf(struct unc_house *house)
{
	struct unc_perf_users users;
	struct unc_uncore_pmus pmus;
	struct unc_finding *found;
	char more[40] = "";
	int rc = UNC_OK;

	/* Without a driver of the kernel's, perf does not come to these counters. */
	if (house->box)
		rc = unc_house_uncore_pmus(house, &pmus);
	if (rc < 0 || (house->box && !pmus.n))
		return rc;
	rc = search(house, &users);
	if (rc < 0 || !users.n_holders)
		return rc;
	found = unc_house_add(house, UNC_FOUND_PERF, false);
	if (!found)
		return UNC_ENOMEM;
	if (users.n_holders > 1)
		snprintf(more, sizeof(more), ", and %u more have", users.n_holders - 1);
	snprintf(found->evidence, sizeof(found->evidence), "%s: " PERF_EVENT, users.evidence);
	snprintf(found->way_out, sizeof(found->way_out), "see whether it counts in memory controllers, and stop it");
	snprintf(found->sentence, sizeof(found->sentence),
		 "possible: process %llu (%.40s) has a perf event open%s; of which unit cannot be told, and %u "
		 "process%s looked at",
		 (unsigned long long)users.pid, users.comm, more, users.n_looked,
		 users.n_looked == 1 ? " was" : "es were");
	return UNC_OK;
}
