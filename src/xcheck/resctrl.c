// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes the rows, and finds our readings for them. */
#include "xcheck/resctrl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"

static int add(struct unc_xresctrl *xr, size_t group, const char *domain, unsigned l3)
{
	const char *path = xr->groups[group].members.list[0].path;

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		struct unc_xr_row row = {
			.group = group,
			.event = event,
			.l3 = l3,
			.cpu = -1,
			.judged = {.verdict = UNC_XCHECK_NOT_COMPARABLE, .why = "no interval has ended yet"},
		};

		snprintf(row.subject, sizeof(row.subject), "l3 %u", l3);
		snprintf(row.source, sizeof(row.source), "%s%smon_data/%.20s/%s", path, path[0] ? "/" : "", domain,
			 unc_xr_event_name(event));
		if (xr->events >> event & 1 && !unc_array_add(&xr->rows, &xr->n_rows, &row, sizeof(row)))
			return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	}
	return UNC_OK;
}

/* Makes a row for each event of the group on each L3 for which the kernel has numbers.  UNC_ENODATA: there is none. */
static int xr_rows_make(struct unc_xresctrl *xr, size_t group)
{
	const char *path = xr->groups[group].members.list[0].path, *const * names;
	static const char front[] = "mon_L3_";
	size_t n, before = xr->n_rows, len = strlen(front);
	uint64_t l3;
	int rc = unc_xr_names(xr, path, "mon_data", &names, &n);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		/* A name is "mon_L3_07"; there may also be directories of other domains. */
		if (strncmp(names[i], front, len) == 0 &&
		    names[i][len + strspn(names[i] + len, "0123456789")] == '\0' && unc_text_u64(names[i] + len, &l3) &&
		    l3 <= UINT32_MAX)
			rc = add(xr, group, names[i], (unsigned)l3);
	}
	free((void *)names);
	if (rc == 0 && xr->n_rows == before)
		rc = unc_fail(xr->machine->ctx, UNC_ENODATA, "%.200s/%s%smon_data has no mon_L3_*", xr->mount.dir, path,
			      path[0] ? "/" : "");
	return rc;
}

/* ---- our rows for them ---- */

int unc_xr_row_point(struct unc_xresctrl *xr, struct unc_xr_row *row)
{
	const struct unc_xr_group *group = &xr->groups[row->group];
	const struct unc_llc_domain *domain = NULL;

	free(row->lines);
	row->lines = NULL;
	row->cpu = -1;
	if (!xr->llc || group->unknown[0])
		return UNC_OK;
	for (size_t i = 0; i < xr->llc->n_domains && !domain; i++)
		if (xr->llc->domains[i].l3->id == row->l3)
			domain = &xr->llc->domains[i];
	if (domain)
		row->cpu = (int)domain->cpus[domain->reader].number;
	if (!domain)
		row->nothing = "the kernel has that name for an L3 without a CPU that is online here";
	else if (unc_llc_events(xr->llc) >> row->event & 1)
		row->nothing = NULL;
	else if (xr->rdt->assigned_counters)
		row->nothing = "bandwidth counters are assigned one by one here (ABMC), and read by RMID, as we do, "
			       "they show 0: echo default >info/L3_MON/mbm_assign_mode";
	else
		row->nothing = "by CPUID this processor does not monitor it";
	if (row->nothing)
		return UNC_OK;
	row->lines = calloc(group->members.n, sizeof(*row->lines));
	if (!row->lines)
		return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < group->members.n; i++) {
		const struct unc_llc_line *lines = xr->llc->lines;
		unsigned rmid = group->members.list[i].rmid;
		size_t k = 0;

		while (k < xr->llc->n_lines &&
		       (lines[k].rmid != rmid || xr->llc->domains[lines[k].domain].l3->id != row->l3))
			k++;
		if (k == xr->llc->n_lines)
			return unc_fail(xr->machine->ctx, UNC_ENODEV, "L3 %u: RMID %u is not read", row->l3, rmid);
		row->lines[i] = k;
	}
	return UNC_OK;
}

/* ---- groups, from adding to closing ---- */

static int open_resctrl(struct unc_xcheck *xcheck, struct unc_xresctrl **ret_xr)
{
	struct unc_machine *m = xcheck->machine;
	struct unc_xresctrl *xr = calloc(1, sizeof(*xr));
	int rc;

	if (!xr)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	xr->xcheck = xcheck;
	xr->machine = m;
	rc = unc_rdt_of(m, &xr->rdt);
	if (rc == 0 && xr->rdt->info.no_monitoring)
		rc = unc_fail(m->ctx, UNC_ENOSUP, "%s", xr->rdt->info.no_monitoring);
	else if (rc == 0 && xcheck->cfg.observe)
		rc = unc_fail(m->ctx, UNC_EARG,
			      "what an RMID has is read by writing its number to IA32_QM_EVTSEL, and nothing is to be "
			      "written here: leave that out, or the group");
	else if (rc == 0 && !m->writable)
		rc = unc_fail(m->ctx, UNC_EARG,
			      "what an RMID has is read by writing its number to IA32_QM_EVTSEL, and the machine was "
			      "opened read-only");
	if (rc == 0)
		rc = unc_xr_find_mount(xr);
	if (rc < 0)
		unc_xresctrl_close(xr);
	else
		*ret_xr = xr;
	return rc;
}

static int add_group(struct unc_xresctrl *xr, const char *path)
{
	struct unc_xr_group group = {.members = {0}};
	int rc;

	for (size_t i = 0; i < xr->n_groups; i++)
		if (strcmp(xr->groups[i].members.list[0].path, path) == 0)
			return unc_fail(xr->machine->ctx, UNC_EARG, "group \"%.200s\" was asked for twice", path);
	rc = unc_xr_members(xr, path, &group.members);
	if (rc == 0)
		rc = unc_xr_find_rmids(xr, &group.members, UNC_XR_LOOKS);
	if (rc == 0)
		unc_xr_describe(&group);
	if (rc == 0 && !unc_array_add(&xr->groups, &xr->n_groups, &group, sizeof(group)))
		rc = unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	if (rc < 0) {
		unc_xr_members_clear(&group.members);
		return rc;
	}
	rc = xr_rows_make(xr, xr->n_groups - 1);
	if (rc < 0) {
		unc_xr_members_clear(&xr->groups[--xr->n_groups].members);
		while (xr->n_rows && xr->rows[xr->n_rows - 1].group == xr->n_groups)
			xr->n_rows--;
	}
	return rc;
}

int unc_xresctrl_add(struct unc_xcheck *xcheck, const char *group)
{
	char *path;
	int rc = xcheck->resctrl ? UNC_OK : open_resctrl(xcheck, &xcheck->resctrl);

	if (rc < 0)
		return rc;
	rc = unc_xr_find_group(xcheck->resctrl, group, &path);
	if (rc < 0)
		return rc;
	rc = add_group(xcheck->resctrl, path);
	free(path);
	return rc;
}

/* ---- measuring ---- */

static int read_all(struct unc_xresctrl *xr)
{
	struct unc_llc_round round = {0};
	int rc = UNC_OK;

	for (size_t i = 0; i < xr->n_rows && rc == 0; i++)
		rc = unc_xr_bracket(xr, &xr->rows[i], &round);
	return rc < 0 ? rc : unc_llc_round_end(xr->machine->ctx, &round);
}

int unc_xresctrl_start(struct unc_xresctrl *xr)
{
	int rc = unc_xr_follow(xr);

	return rc == 0 ? read_all(xr) : rc;
}

int unc_xresctrl_sleep_until(struct unc_xresctrl *xr, uint64_t mono_ns)
{
	struct unc_host *host = xr->machine->host;

	return xr->llc ? unc_llc_sleep_until(xr->llc, mono_ns) : host->ops->sleep_until(host, mono_ns);
}

int unc_xresctrl_sample(struct unc_xresctrl *xr)
{
	int rc;

	for (size_t i = 0; i < xr->n_rows; i++)
		xr->rows[i].from = xr->rows[i].to;
	rc = unc_xr_follow(xr);
	for (size_t i = 0; i < xr->n_rows && rc < 0; i++) { /* nothing is read, for that reason */
		struct unc_xr_end *end = &xr->rows[i].to;

		*end = (struct unc_xr_end){0};
		snprintf(end->why, sizeof(end->why), "%.*s", (int)sizeof(end->why) - 1, xr->machine->ctx->msg);
		end->bracket.begin_ns = end->bracket.end_ns = unc_machine_raw_ns(xr->machine);
		xr->rows[i].time_ns = unc_machine_real_ns(xr->machine);
	}
	if (rc == 0)
		rc = read_all(xr);
	for (size_t i = 0; i < xr->n_rows; i++)
		unc_xr_judge(xr, &xr->rows[i]);
	return rc;
}

/* ---- rows ---- */

void unc_xresctrl_row(const struct unc_xresctrl *xr, size_t index, struct unc_xcheck_row *ret_row)
{
	const struct unc_xr_row *row = &xr->rows[index];

	*ret_row = (struct unc_xcheck_row){
		.subject = row->subject,
		.event = unc_xr_event_name(row->event),
		.source = row->source,
		.number = -1,
		.cpu = row->cpu,
		.config = xr->groups[row->group].config,
		.counter = row->to.counter[0] ? row->to.counter : NULL,
		.interval_ns = row->to.bracket.end_ns - row->from.bracket.end_ns,
		.time_ns = row->time_ns,
	};
	unc_judgement_show(&row->judged, &row->from.bracket, &row->to.bracket, ret_row);
}

int unc_xresctrl_close(struct unc_xresctrl *xr)
{
	int rc = UNC_OK;

	if (!xr)
		return UNC_OK;
	unc_xr_llc_close(xr, &rc);
	for (size_t i = 0; i < xr->n_rows; i++)
		free(xr->rows[i].lines);
	free(xr->rows);
	for (size_t i = 0; i < xr->n_groups; i++)
		unc_xr_members_clear(&xr->groups[i].members);
	free(xr->groups);
	free(xr);
	return rc;
}
