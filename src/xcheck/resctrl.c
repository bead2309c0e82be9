// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes the rows, and finds our readings for them. */
#include "xcheck/resctrl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"

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

/* Makes a row for each event of the group on each L3 for which the kernel has numbers.  UNC_ENODATA: there is none. */
static int xr_rows_make(struct unc_xresctrl *xr, size_t group)
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

static void xr_rows_free(struct unc_xresctrl *xr)
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
		return "the kernel has that name for an L3 of which no CPU is online here";
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

/* Groups of resctrl, from adding to closing. */

/* ---- adding ---- */

static int may_be_read(struct unc_xresctrl *xr)
{
	struct unc_ctx *ctx = xr->machine->ctx;

	if (xr->rdt->info.no_monitoring)
		return unc_fail(ctx, UNC_ENOSUP, "%s", xr->rdt->info.no_monitoring);
	if (xr->xcheck->cfg.observe)
		return unc_fail(
			ctx, UNC_EARG,
			"what an RMID has is read by writing its number to IA32_QM_EVTSEL, and nothing is to be "
			"written here: leave that out, or the group");
	if (!xr->machine->writable)
		return unc_fail(ctx, UNC_EARG,
				"what an RMID has is read by writing its number to IA32_QM_EVTSEL, and the machine was "
				"opened read-only");
	return UNC_OK;
}

static int open_resctrl(struct unc_xcheck *xcheck, struct unc_xresctrl **ret_xr)
{
	struct unc_xresctrl *xr = calloc(1, sizeof(*xr));
	int rc;

	if (!xr)
		return unc_fail(xcheck->machine->ctx, UNC_ENOMEM, "out of memory");
	xr->xcheck = xcheck;
	xr->machine = xcheck->machine;
	rc = unc_rdt_of(xr->machine, &xr->rdt);
	if (rc == 0)
		rc = may_be_read(xr);
	if (rc == 0)
		rc = unc_xr_find_mount(xr);
	if (rc < 0)
		unc_xresctrl_close(xr);
	else
		*ret_xr = xr;
	return rc;
}

/* Removes a group whose rows could not be made. */
static void drop_last_group(struct unc_xresctrl *xr)
{
	const struct unc_xr_group *group = &xr->groups[--xr->n_groups];

	unc_xr_members_free(group->members, group->n_members);
	while (xr->n_rows && xr->rows[xr->n_rows - 1].group == xr->n_groups)
		xr->n_rows--;
}

static int add_group(struct unc_xresctrl *xr, char *path)
{
	struct unc_xr_group *more, group = {0};
	int rc;

	for (size_t i = 0; i < xr->n_groups; i++)
		if (strcmp(xr->groups[i].members[0].path, path) == 0)
			return unc_fail(xr->machine->ctx, UNC_EARG, "group \"%.200s\" was asked for twice", path);
	rc = unc_xr_members(xr, path, &group.members, &group.n_members);
	if (rc < 0)
		return rc;
	more = unc_array_more(xr->groups, xr->n_groups, sizeof(*more));
	if (more) {
		xr->groups = more;
		rc = unc_xr_find_rmids(xr, group.members, group.n_members, UNC_XR_LOOKS);
	} else {
		rc = unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	}
	if (rc < 0) {
		unc_xr_members_free(group.members, group.n_members);
		return rc;
	}
	unc_xr_describe(&group);
	xr->groups[xr->n_groups++] = group;
	rc = xr_rows_make(xr, xr->n_groups - 1);
	if (rc < 0)
		drop_last_group(xr);
	return rc;
}

int unc_xresctrl_add(struct unc_xcheck *xcheck, const char *group)
{
	char *path;
	int rc;

	if (xcheck->started)
		return unc_fail(xcheck->machine->ctx, UNC_EARG, "the cross-check has started already");
	if (!xcheck->resctrl) {
		struct unc_xresctrl *xr;

		rc = open_resctrl(xcheck, &xr);
		if (rc < 0)
			return rc;
		xcheck->resctrl = xr;
	}
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
	struct unc_xr_round round = {0};
	int rc = UNC_OK;

	for (size_t i = 0; i < xr->n_rows && rc == 0; i++)
		rc = unc_xr_bracket(xr, &xr->rows[i], &round);
	if (rc < 0 || round.failed == 0 || round.failed < round.tried)
		return rc;
	unc_msg_restore(xr->machine->ctx, &round.msg);
	return round.rc;
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

/* Notes in all rows that nothing was read, with the context's message as the reason. */
static void read_nothing(struct unc_xresctrl *xr)
{
	for (size_t i = 0; i < xr->n_rows; i++) {
		struct unc_xr_end *end = &xr->rows[i].to;

		*end = (struct unc_xr_end){0};
		snprintf(end->why, sizeof(end->why), "%.*s", (int)sizeof(end->why) - 1, xr->machine->ctx->msg);
		end->bracket.begin_ns = end->bracket.end_ns = unc_machine_raw_ns(xr->machine);
		xr->rows[i].time_ns = unc_machine_real_ns(xr->machine);
	}
}

int unc_xresctrl_sample(struct unc_xresctrl *xr)
{
	int rc;

	for (size_t i = 0; i < xr->n_rows; i++)
		xr->rows[i].from = xr->rows[i].to;
	rc = unc_xr_follow(xr);
	if (rc == 0)
		rc = read_all(xr);
	else
		read_nothing(xr);
	for (size_t i = 0; i < xr->n_rows; i++)
		unc_xr_judge(xr, &xr->rows[i]);
	return rc;
}

/* ---- rows ---- */

size_t unc_xresctrl_count(const struct unc_xresctrl *xr)
{
	return xr->n_rows;
}

void unc_xresctrl_row(const struct unc_xresctrl *xr, size_t index, struct unc_xcheck_row *ret_row)
{
	const struct unc_xr_row *row = &xr->rows[index];
	const struct unc_judgement *judged = &row->judged;

	*ret_row = (struct unc_xcheck_row){
		.subject = row->subject,
		.event = unc_xr_event_name(row->event),
		.source = row->source,
		.number = -1,
		.cpu = row->cpu,
		.config = xr->groups[row->group].config,
		.counter = row->to.counter[0] ? row->to.counter : NULL,
		.verdict = judged->verdict,
		.why = judged->why[0] ? judged->why : NULL,
		.has_kernel = judged->has_kernel,
		.has_raw = judged->has_raw,
		.kernel = judged->kernel,
		.raw = judged->raw,
		.uncertainty = judged->uncertainty,
		.tolerated = judged->tolerated,
		.interval_ns = row->to.bracket.end_ns - row->from.bracket.end_ns,
		.time_ns = row->time_ns,
		.from = row->from.bracket,
		.to = row->to.bracket,
	};
}

int unc_xresctrl_close(struct unc_xresctrl *xr)
{
	int rc = UNC_OK;

	if (!xr)
		return UNC_OK;
	unc_xr_llc_close(xr, &rc);
	xr_rows_free(xr);
	for (size_t i = 0; i < xr->n_groups; i++)
		unc_xr_members_free(xr->groups[i].members, xr->groups[i].n_members);
	free(xr->groups);
	free(xr);
	return rc;
}
