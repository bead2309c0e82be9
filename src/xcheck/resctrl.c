// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of resctrl, from adding to closing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "xcheck/resctrl.h"

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
	rc = unc_xr_rows_make(xr, xr->n_groups - 1);
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
	unc_xr_rows_free(xr);
	for (size_t i = 0; i < xr->n_groups; i++)
		unc_xr_members_free(xr->groups[i].members, xr->groups[i].n_members);
	free(xr->groups);
	free(xr);
	return rc;
}
