// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes the rows, and finds our readings for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "xcheck/resctrl.h"

/* Parses "mon_L3_07"; there may also be directories of other domains. */
static bool is_l3(const char *name, unsigned *ret_l3)
{
	static const char front[] = "mon_L3_";
	uint64_t number;

	if (strncmp(name, front, strlen(front)) != 0)
		return false;
	name += strlen(front);
	if (strspn(name, "0123456789") != strlen(name) || !unc_text_u64(name, &number) || number > UINT32_MAX)
		return false;
	*ret_l3 = (unsigned)number;
	return true;
}

static int add(struct unc_xresctrl *xr, size_t group, const char *domain, unsigned l3)
{
	const char *path = xr->groups[group].members[0].path;

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		struct unc_xr_row *more;

		if (!(xr->events >> event & 1))
			continue;
		more = unc_array_more(xr->rows, xr->n_rows, sizeof(*more));
		if (!more)
			return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
		xr->rows = more;
		more = &more[xr->n_rows++];
		*more = (struct unc_xr_row){
			.group = group,
			.event = event,
			.l3 = l3,
			.cpu = -1,
			.judged = {.verdict = UNC_XCHECK_NOT_COMPARABLE, .why = "no interval has ended yet"},
		};
		snprintf(more->subject, sizeof(more->subject), "l3 %u", l3);
		snprintf(more->source, sizeof(more->source), "%s%smon_data/%.20s/%s", path, path[0] ? "/" : "", domain,
			 unc_xr_event_name(event));
	}
	return UNC_OK;
}

int unc_xr_rows_make(struct unc_xresctrl *xr, size_t group)
{
	const char *path = xr->groups[group].members[0].path, *const * names;
	size_t n, before = xr->n_rows;
	unsigned l3;
	int rc = unc_xr_names(xr, path, "mon_data", &names, &n);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++)
		if (is_l3(names[i], &l3))
			rc = add(xr, group, names[i], l3);
	free((void *)names);
	if (rc == 0 && xr->n_rows == before)
		rc = unc_fail(xr->machine->ctx, UNC_ENODATA, "%.200s/%s%smon_data has no mon_L3_*", xr->mount.dir, path,
			      path[0] ? "/" : "");
	return rc;
}

void unc_xr_rows_free(struct unc_xresctrl *xr)
{
	for (size_t i = 0; i < xr->n_rows; i++)
		free(xr->rows[i].lines);
	free(xr->rows);
	xr->rows = NULL;
	xr->n_rows = 0;
}

/* ---- our rows for them ---- */

static struct unc_llc_domain *domain_of(const struct unc_xresctrl *xr, const struct unc_xr_row *row)
{
	for (size_t i = 0; i < xr->llc->n_domains; i++)
		if (xr->llc->domains[i].l3->id == row->l3)
			return &xr->llc->domains[i];
	return NULL;
}

static const char *nothing_of(const struct unc_xresctrl *xr, const struct unc_xr_row *row)
{
	if (!domain_of(xr, row))
		return "the kernel calls an L3 so of which no CPU is found to be online here";
	if (unc_llc_events(xr->llc) >> row->event & 1)
		return NULL;
	if (xr->rdt->assigned_counters)
		return "bandwidth counters are assigned one by one here (ABMC), and read by RMID, as we do, they show "
		       "0: "
		       "echo default >info/L3_MON/mbm_assign_mode";
	return "by CPUID this processor does not monitor it";
}

static bool find_line(const struct unc_llc *llc, const struct unc_xr_row *row, unsigned rmid, size_t *ret_line)
{
	for (size_t i = 0; i < llc->n_lines; i++) {
		const struct unc_llc_line *line = &llc->lines[i];

		if (line->rmid != rmid || llc->domains[line->domain].l3->id != row->l3)
			continue;
		*ret_line = i;
		return true;
	}
	return false;
}

static int point(struct unc_xresctrl *xr, struct unc_xr_row *row)
{
	const struct unc_xr_group *group = &xr->groups[row->group];
	struct unc_llc_domain *domain;

	free(row->lines);
	row->lines = NULL;
	row->cpu = -1;
	if (!xr->llc || group->unknown[0])
		return UNC_OK;
	row->nothing = nothing_of(xr, row);
	domain = domain_of(xr, row);
	if (domain)
		row->cpu = (int)domain->cpus[domain->reader].number;
	if (row->nothing)
		return UNC_OK;
	row->lines = calloc(group->n_members, sizeof(*row->lines));
	if (!row->lines)
		return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < group->n_members; i++)
		if (!find_line(xr->llc, row, group->members[i].rmid, &row->lines[i]))
			return unc_fail(xr->machine->ctx, UNC_ENODEV, "L3 %u: RMID %u is not read", row->l3,
					group->members[i].rmid);
	return UNC_OK;
}

int unc_xr_rows_point(struct unc_xresctrl *xr)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < xr->n_rows && rc == 0; i++)
		rc = point(xr, &xr->rows[i]);
	return rc;
}
