// SPDX-License-Identifier: GPL-2.0-or-later
/* Other users of the counters and caches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/err.h"
#include "doctor/doctor.h"
#include "machine/users.h"
#include "machine/journals.h"

/* nobody and looked: the finding and the evidence if there is no such user. */
static const struct {
	enum unc_finding_kind kind;
	const char *check, *nobody, *looked;
	bool caches;   /* makes `llc` refuse, certain or not */
	bool counting; /* enabled counters may belong to it */
} kinds[] = {
	{UNC_FOUND_DRIVER, "driver", "no driver of the kernel's is bound to these functions",
	 "/sys/bus/pci/devices/*/driver, /sys/bus/event_source/devices/uncore_imc*: not there", false, false},
	{UNC_FOUND_PERF, "perf", "no process has a perf event open",
	 "/proc/*/fd: none leads to anon_inode:[perf_event]", false, true},
	{UNC_FOUND_LIKWID, "LIKWID", "no mark of LIKWID", "/var/run/likwid.lock: not there", false, true},
	{UNC_FOUND_PCM, "PCM", "no mark of Intel PCM", "/dev/shm/sem.Num PCM insts, /tmp/opcm-daemon-shm-id: not there",
	 true, true},
	{UNC_FOUND_RESCTRL, "resctrl", "resctrl is not mounted", "/proc/mounts, /proc/1/mounts: no resctrl", true,
	 false},
	{UNC_FOUND_PQOS, "pqos", "no mark of pqos or rdtset", "/var/lock/libpqos, /run/lock/libpqos: not there", true,
	 false},
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void say_finding(struct unc_doctor *d, size_t k, const struct unc_finding *found)
{
	bool refused = kinds[k].caches && d->caches;

	if (refused)
		unc_doctor_fail(d, kinds[k].check, UNC_EBUSY, "%s", found->sentence);
	else
		unc_doctor_say(d, kinds[k].check, UNC_DOCTOR_NOTE, "%s", found->sentence);
	unc_doctor_seen(d, "%s", found->evidence);
	unc_doctor_todo(d, "%s%s", found->way_out, refused ? ", or go on beside it with `llc --shared`" : "");
	d->counting |= kinds[k].counting;
}

/* Only root sees which files the processes of other users have open. */
static bool perf_is_hidden(struct unc_doctor *d)
{
	struct unc_perf_users users;
	int rc = unc_users_perf_users(d->m, &users);

	if (rc < 0)
		d->rc = rc;
	if (rc < 0 || !(users.n_hidden || users.n_skipped))
		return false;
	unc_doctor_say(d, "perf", UNC_DOCTOR_UNKNOWN, "whether a process has a perf event open is not known of all");
	unc_doctor_seen(d, "/proc/*/fd: processes looked at: %u, that do not show theirs: %u, too many to look at: %u",
			users.n_looked, users.n_hidden, users.n_skipped);
	unc_doctor_todo(d, "look as root");
	return true;
}

static void say_nobody(struct unc_doctor *d, size_t k)
{
	if (kinds[k].kind == UNC_FOUND_PERF && perf_is_hidden(d))
		return;
	unc_doctor_say(d, kinds[k].check, UNC_DOCTOR_OK, "%s", kinds[k].nobody);
	unc_doctor_seen(d, "%s", kinds[k].looked);
}

void unc_doctor_others(struct unc_doctor *d)
{
	struct unc_finding *findings;
	size_t n;
	int rc;

	if (d->no_proc) {
		unc_doctor_say(d, "others", UNC_DOCTOR_UNKNOWN, "who else uses this machine cannot be seen");
		unc_doctor_seen(d, "/proc: not there");
		unc_doctor_todo(d, "give root: the machine's /proc too");
		return;
	}
	rc = unc_users_of_machine(d->m, &findings, &n);
	if (rc < 0) {
		d->rc = rc;
		return;
	}
	for (size_t k = 0; k < N_KINDS; k++) {
		bool any = false;

		for (size_t i = 0; i < n; i++) {
			if (findings[i].kind != kinds[k].kind)
				continue;
			any = true;
			say_finding(d, k, &findings[i]);
		}
		if (!any)
			say_nobody(d, k);
	}
	free(findings);
}

/* Checks for each channel whether its lock is free. */
void unc_doctor_instances(struct unc_doctor *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_boxes; i++) {
		struct unc_doctor_box *seen = &d->boxes[i];
		struct unc_box *box = seen->pbox.box;

		if (unc_space_claim(box->space, 0, 0, UNC_CLAIM_ASK) != UNC_EBUSY)
			continue;
		seen->claimed = true;
		/* Its owner is in this computer's journals only, and so not in a record. */
		if (d->m->host->name || !unc_journal_disk_owner(d->m, &box->addr, seen->by, sizeof(seen->by)))
			snprintf(seen->by, sizeof(seen->by), "who it is cannot be told here");
		n++;
	}
	if (n) {
		for (size_t i = 0; i < d->n_boxes; i++) {
			if (!d->boxes[i].claimed)
				continue;
			unc_doctor_fail(d, "uncorectl", UNC_EBUSY, "%s%s: another uncorectl writes there: %s",
					d->boxes[i].pbox.box->name, n > 1 ? " and others" : "", d->boxes[i].by);
			unc_doctor_seen(d, "%s: its config file is locked (%zu of %zu channels)",
					d->boxes[i].pbox.box->pci, n, d->n_boxes);
			unc_doctor_todo(d, "wait until it has ended, or measure other channels");
			return;
		}
	}
	if (d->n_boxes) {
		unc_doctor_say(d, "uncorectl", UNC_DOCTOR_OK, "no other uncorectl measures here");
		unc_doctor_seen(d, "the config file of each of %zu channels can be locked", d->n_boxes);
	}
}
