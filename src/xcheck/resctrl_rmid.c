// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds which RMID a group has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "xcheck/resctrl.h"

/* Number of consecutive looks that must agree, and the time between them. */
enum { AGREEING = 3 };
#define BETWEEN_NS UINT64_C(5000000)

/* ---- from mon_hw_id ---- */

/*
 *
 * Linux Documentation/filesystems/resctrl.rst, "mon_hw_id": "Available only with debug option. The identifier used by hardware
 * for the monitor group. On x86 this is the RMID." *ret_there: resctrl shows it.
 */
static int ask(struct unc_xresctrl *xr, const char *path, bool *ret_there, unsigned *ret_rmid)
{
	uint64_t number;
	int rc = unc_xr_number(xr, path, "mon_hw_id", &number);
	char name[240];

	*ret_there = rc == 0;
	if (rc == UNC_ENODEV)
		return UNC_OK;
	if (rc < 0)
		return rc;
	if (number > xr->rdt->info.max_rmid)
		return unc_fail(xr->machine->ctx, UNC_ENODATA,
				"%s: mon_hw_id says %llu, and the highest RMID of this CPU is %u",
				unc_xr_group_name(path, name, sizeof(name)), (unsigned long long)number,
				xr->rdt->info.max_rmid);
	*ret_rmid = (unsigned)number;
	return UNC_OK;
}

static int ask_all(struct unc_xresctrl *xr, struct unc_xr_member *members, size_t n, size_t *ret_n_unknown)
{
	int rc = UNC_OK;

	*ret_n_unknown = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		bool there;

		rc = ask(xr, members[i].path, &there, &members[i].rmid);
		members[i].how = there ? UNC_XR_TOLD : UNC_XR_UNKNOWN;
		*ret_n_unknown += !there;
	}
	return rc;
}

/* ---- from CPUs ---- */

struct evidence { /* evidence for one member */
	bool root;
	unsigned agreeing;      /* consecutive looks that agree */
	unsigned rmid;          /* RMID in these looks */
	bool any, clash;        /* in this look */
	unsigned cpu;           /* the first CPU of this look */
	char cpus[40];          /* CPUs of this look, as text */
	char contradiction[80]; /* the last contradiction; "" */
};

static void weigh(void *arg, unsigned cpu, unsigned rmid)
{
	struct evidence *e = arg;
	size_t len = strlen(e->cpus);

	/* RMID 0 belongs only to the root group: another program writes that register. */
	if (rmid == 0 && !e->root) {
		snprintf(e->contradiction, sizeof(e->contradiction), "cpu %u has RMID 0, the root group's", cpu);
		e->clash = true;
	} else if (!e->any) {
		e->any = true;
		e->cpu = cpu;
		if (rmid != e->rmid && e->agreeing)
			snprintf(e->contradiction, sizeof(e->contradiction), "RMID %u was seen, then %u on cpu %u",
				 e->rmid, rmid, cpu);
		if (rmid != e->rmid)
			e->agreeing = 0;
		e->rmid = rmid;
		snprintf(e->cpus, sizeof(e->cpus), "%u", cpu);
	} else if (rmid != e->rmid) {
		snprintf(e->contradiction, sizeof(e->contradiction), "cpu %u has RMID %u, cpu %u RMID %u", e->cpu,
			 e->rmid, cpu, rmid);
		e->clash = true;
	} else if (len + 16 < sizeof(e->cpus)) {
		snprintf(e->cpus + len, sizeof(e->cpus) - len, ",%u", cpu);
	}
}

static void weigh_look(const struct unc_xr_look *look, const struct unc_xr_member *member, struct evidence *e)
{
	e->any = e->clash = false;
	e->root = member->path[0] == '\0';
	unc_xr_seen(look, member->path, weigh, e);
	if (e->clash)
		e->agreeing = 0;
	else if (e->any)
		e->agreeing++;
}

static size_t take(const struct unc_xr_look *look, struct unc_xr_member *members, struct evidence *evidence, size_t n)
{
	size_t unknown = 0;

	for (size_t i = 0; i < n; i++) {
		if (members[i].how != UNC_XR_UNKNOWN)
			continue;
		weigh_look(look, &members[i], &evidence[i]);
		if (evidence[i].agreeing < AGREEING) {
			unknown++;
			continue;
		}
		members[i].how = UNC_XR_SEEN;
		members[i].rmid = evidence[i].rmid;
		snprintf(members[i].seen, sizeof(members[i].seen), "%s", evidence[i].cpus);
	}
	return unknown;
}

static int cannot_tell(struct unc_xresctrl *xr, const struct unc_xr_member *member, const struct evidence *e)
{
	char name[240];

	unc_xr_group_name(member->path, name, sizeof(name));
	if (e->contradiction[0])
		return unc_fail(
			xr->machine->ctx, UNC_ENODATA,
			"%s: which RMID it has cannot be told: resctrl shows no mon_hw_id (it does only when it "
			"is mounted with -o debug, and unmounting removes all groups), and what its CPUs carry "
			"changes or is contradictory (%s): let others keep off them",
			name, e->contradiction);
	return unc_fail(
		xr->machine->ctx, UNC_ENODATA,
		"%s: which RMID it has cannot be told: resctrl shows no mon_hw_id (it does only when it is mounted "
		"with -o debug, and unmounting removes all groups), and no CPU was seen to carry it: let something "
		"run in the group, or give it a CPU",
		name);
}

static int pause_a_little(struct unc_machine *m)
{
	return m->host->ops->sleep_until(m->host, unc_machine_mono_ns(m) + BETWEEN_NS);
}

static int see_all(struct unc_xresctrl *xr, struct unc_xr_look *look, struct unc_xr_member *members,
		   struct evidence *evidence, size_t n, unsigned looks)
{
	size_t unknown = n;
	int rc = UNC_OK;

	for (unsigned i = 0; i < looks && unknown && rc == 0; i++) {
		if (i)
			rc = pause_a_little(xr->machine);
		if (rc == UNC_EAGAIN) /* woken early, so there is no more time to look */
			break;
		if (rc == 0)
			rc = unc_xr_look(look, members, n);
		if (rc == 0)
			unknown = take(look, members, evidence, n);
	}
	for (size_t i = 0; i < n && (rc == 0 || rc == UNC_EAGAIN); i++)
		if (members[i].how == UNC_XR_UNKNOWN)
			return cannot_tell(xr, &members[i], &evidence[i]);
	return rc;
}

int unc_xr_find_rmids(struct unc_xresctrl *xr, struct unc_xr_member *members, size_t n, unsigned looks)
{
	struct evidence *evidence;
	struct unc_xr_look *look;
	size_t unknown;
	int rc = ask_all(xr, members, n, &unknown);

	if (rc < 0 || !unknown)
		return rc;
	rc = unc_xr_look_new(xr, &look);
	if (rc < 0)
		return rc;
	evidence = calloc(n, sizeof(*evidence));
	if (evidence)
		rc = see_all(xr, look, members, evidence, n, looks);
	else
		rc = unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	free(evidence);
	unc_xr_look_free(look);
	return rc;
}

/* ---- changes ---- */

static int check_told(struct unc_xresctrl *xr, const struct unc_xr_member *member, bool *ret_changed)
{
	unsigned rmid = member->rmid;
	bool there;
	int rc = ask(xr, member->path, &there, &rmid);

	if (rc == 0 && (!there || rmid != member->rmid))
		*ret_changed = true;
	return rc;
}

static int check_seen(struct unc_xresctrl *xr, const struct unc_xr_member *members, size_t n, bool *ret_changed)
{
	struct unc_xr_look *look;
	int rc = unc_xr_look_new(xr, &look);

	if (rc < 0)
		return rc;
	rc = unc_xr_look(look, members, n);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct evidence e = {0};

		if (members[i].how != UNC_XR_SEEN)
			continue;
		weigh_look(look, &members[i], &e);
		if (e.clash || (e.any && e.rmid != members[i].rmid))
			*ret_changed = true;
	}
	unc_xr_look_free(look);
	return rc;
}

int unc_xr_check_rmids(struct unc_xresctrl *xr, const struct unc_xr_member *members, size_t n, bool *ret_changed)
{
	bool seen = false;
	int rc = UNC_OK;

	*ret_changed = false;
	for (size_t i = 0; i < n && rc == 0; i++) {
		seen |= members[i].how == UNC_XR_SEEN;
		if (members[i].how == UNC_XR_TOLD)
			rc = check_told(xr, &members[i], ret_changed);
	}
	return rc == 0 && seen ? check_seen(xr, members, n, ret_changed) : rc;
}
