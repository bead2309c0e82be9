// SPDX-License-Identifier: GPL-2.0-or-later
/* The side of caches: makes the rows, finds our readings for them, and reads and judges them. */
#include "xcheck/resctrl.h"

#include "base/text.h"

static int add(struct unc_xresctrl *xr, size_t group, const char *domain, unsigned l3)
{
	const char *path = xr->groups[group].members.list[0].path;

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		struct unc_xr_row row = {
			.group = group,
			.event = event,
			.l3 = l3,
			.cpu = -1,
			.judged = {.row = {.verdict = UNC_XCHECK_NOT_COMPARABLE}, .why = "no interval has ended yet"},
		};

		unc_l3_name(xr->rdt, l3, row.subject);
		snprintf(row.source, sizeof(row.source), "%s%smon_data/%.20s/%s", path, path[0] ? "/" : "", domain,
			 unc_xr_event_name(event));
		if (xr->events >> event & 1 &&
		    unc_list_add(xr->machine->ctx, &xr->rows, &xr->n_rows, &row, sizeof(row)) < 0)
			return UNC_ENOMEM;
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

static int point_row(struct unc_xresctrl *xr, struct unc_xr_row *row)
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
	else if (row->event != UNC_LLC_OCCUPANCY && xr->rdt->assigned_counters)
		row->nothing = "bandwidth counters are assigned one by one here (ABMC), and the kernel may assign them "
			       "anew at any time: echo default >info/L3_MON/mbm_assign_mode";
	else if (unc_llc_events(xr->llc) >> row->event & 1)
		row->nothing = NULL;
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

/* ---- following groups ---- */

/* Groups and their RMIDs come and go: what is read follows them. */

/* ---- descriptions ---- */

static void describe(struct unc_xr_group *group)
{
	const struct unc_xr_member *first = group->members.list;
	size_t n = group->members.n, told = 0;

	snprintf(group->counter, sizeof(group->counter), "RMID%s ", n > 1 ? "s" : "");
	snprintf(group->config, sizeof(group->config), "rmid=");
	for (size_t i = 0; i < n; i++) {
		told += first[i].how == UNC_XR_TOLD;
		unc_text_join(group->counter, sizeof(group->counter), i ? ", " : "", "%u", first[i].rmid);
		unc_text_join(group->config, sizeof(group->config) - sizeof(first->seen) - 40, i ? "+" : "", "%u",
			      first[i].rmid);
	}
	if (told == n)
		unc_text_join(group->config, sizeof(group->config), " ", "(mon_hw_id)");
	else if (n == 1)
		unc_text_join(group->config, sizeof(group->config), " ", "(IA32_PQR_ASSOC of cpu %s)", first->seen);
	else
		unc_text_join(group->config, sizeof(group->config), " ", "(IA32_PQR_ASSOC of their CPUs)");
}

/* ---- our reading ---- */

static int llc_close(struct unc_xresctrl *xr)
{
	int rc = unc_llc_close(xr->llc);

	xr->llc = NULL;
	return rc;
}

static int open_llc(struct unc_xresctrl *xr)
{
	static const struct unc_llc_cfg cfg = {.shared = true};
	size_t n = 0;
	int rc = unc_llc_open(xr->machine, &cfg, &xr->llc);

	for (size_t i = 0; i < xr->n_groups && rc == 0; i++) {
		const struct unc_xr_group *group = &xr->groups[i];

		for (size_t k = 0; k < group->members.n && rc == 0 && !group->unknown[0]; k++, n++)
			rc = unc_llc_add_rmid(xr->llc, group->members.list[k].rmid);
	}
	if (rc == 0 && n)
		rc = unc_llc_start(xr->llc);
	if (rc < 0 || n == 0) {
		struct unc_saved_msg why;

		unc_msg_save(xr->machine->ctx, &why);
		llc_close(xr);
		unc_msg_restore(xr->machine->ctx, &why);
	}
	return rc;
}

/* ---- changes of groups ---- */

static bool same_paths(const struct unc_xr_members *a, const struct unc_xr_members *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (strcmp(a->list[i].path, b->list[i].path) != 0)
			return false;
	return a->n == b->n;
}

/* Keeps the message as what is wrong with the group, unless memory ran out. */
static int not_known(struct unc_xresctrl *xr, struct unc_xr_group *group, int rc)
{
	if (rc == UNC_ENOMEM)
		return rc;
	snprintf(group->unknown, sizeof(group->unknown), "%.*s", (int)sizeof(group->unknown) - 1,
		 xr->machine->ctx->msg);
	return UNC_OK;
}

/* Checks whether the group still has the RMIDs that it had, and finds its new ones. */
static int follow_group(struct unc_xresctrl *xr, struct unc_xr_group *group)
{
	const char *path = group->members.list[0].path, *const * names;
	struct unc_xr_members members = {0};
	bool changed = true;
	char name[240];
	size_t n;
	int rc = unc_xr_names(xr, path, "mon_data", &names, &n);

	if (rc == UNC_ENODEV) {
		snprintf(group->unknown, sizeof(group->unknown), "%s is gone",
			 unc_xr_group_name(path, name, sizeof(name)));
		return UNC_OK;
	}
	if (rc < 0)
		return not_known(xr, group, rc);
	free((void *)names);
	rc = unc_xr_members(xr, path, &members);
	if (rc == 0 && !group->unknown[0] && same_paths(&members, &group->members))
		rc = unc_xr_check_rmids(xr, &group->members, &changed);
	if (rc < 0 || !changed) {
		unc_xr_members_clear(&members);
		return rc < 0 ? not_known(xr, group, rc) : UNC_OK;
	}
	rc = unc_xr_find_rmids(xr, &members, UNC_XR_FEW_LOOKS);
	unc_xr_members_clear(&group->members);
	group->members = members;
	group->unknown[0] = '\0';
	if (rc < 0)
		return not_known(xr, group, rc);
	describe(group);
	return UNC_OK;
}

/* If RMIDs are needed that are not being read, a new session is started, in which everything is counted from the beginning. */
static int follow(struct unc_xresctrl *xr)
{
	bool all = true;
	int rc = UNC_OK;

	for (size_t i = 0; i < xr->n_groups && rc == 0; i++) {
		const struct unc_xr_group *group = &xr->groups[i];

		rc = follow_group(xr, &xr->groups[i]);
		for (size_t k = 0; k < group->members.n && !group->unknown[0]; k++)
			all = all && xr->llc && xr->llc->rmids[group->members.list[k].rmid];
	}
	if (rc == 0 && !all) {
		rc = llc_close(xr);
		for (size_t i = 0; i < xr->n_rows; i++)
			xr->rows[i].begun_anew = "a group has other RMIDs now, so all reading was begun anew; it is "
						 "compared from here on";
		if (rc == 0)
			rc = open_llc(xr);
	}
	for (size_t i = 0; i < xr->n_rows && rc == 0; i++)
		rc = point_row(xr, &xr->rows[i]);
	return rc;
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
	if (rc == 0) {
		describe(&group);
		rc = unc_list_add(xr->machine->ctx, &xr->groups, &xr->n_groups, &group, sizeof(group));
	}
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

/* ==== brackets ==== */

/*
 * Reads the kernel's number between two readings of ours, of the same register, and judges whether they agree.  The kernel reads
 * what IA32_QM_CTR holds at that moment, with the erratum's factor as we do; so its bandwidth is between our two.  Occupancy may
 * rise and fall in between.
 */

enum { TRIES = 3 };

/*
 * The kernel's own selftests, tools/testing/selftests/resctrl, accept these differences from the expected number: mbm_test.c,
 * MAX_DIFF_PERCENT; cmt_test.c, the larger of MAX_DIFF_PERCENT and MAX_DIFF in bytes.
 */
static const double bandwidth_tolerance = 0.08, occupancy_tolerance = 0.15;
enum { OCCUPANCY_SLACK = 2000000 };

/* ---- ours ---- */

/* Why there is no number of ours. */
static const char stale[] = "what moved since the last reading is not known, since the machine slept or the counter "
			    "may have wrapped unseen; it is compared from here on";
static const char *const why_not[] = {
	[UNC_LLC_NOT_ASKED] = "it was not read",
	[UNC_LLC_OK] = "",
	[UNC_LLC_UNAVAILABLE] = "hardware has no number for this RMID now (Unavailable)",
	[UNC_LLC_ERROR] = "hardware says that there is no such RMID or event (Error), or the access failed",
	[UNC_LLC_DISTURBED] = "another program changed IA32_QM_EVTSEL between our write and our read, three times",
	[UNC_LLC_STALE] = stale,
	[UNC_LLC_SHARED] = "it was not read",
	[UNC_LLC_UNASSIGNED] = "no counter is assigned to it",
};

/* Reads our number, which is the sum of all members. */
static enum unc_llc_status read_ours(struct unc_xresctrl *xr, const struct unc_xr_row *row, struct unc_llc_round *round,
				     struct unc_xr_end *end, uint64_t *ret_bytes)
{
	enum unc_llc_status status = UNC_LLC_NOT_ASKED;

	*ret_bytes = 0;
	for (size_t i = 0; i < xr->groups[row->group].members.n; i++) {
		struct unc_llc_now now;

		unc_llc_round_add(xr->llc, round,
				  unc_llc_read_now(xr->llc, row->lines[i], (enum unc_llc_event)row->event, &now));
		status = unc_llc_worse(status, now.status);
		*ret_bytes += now.bytes;
		end->corrected |= now.corrected;
	}
	return status;
}

/* ---- the kernel's ---- */

static const char *meaning(int rc, const char *sentence)
{
	if (rc == UNC_ENODEV)
		return ": the group is gone, or the kernel has no such number";
	if (rc != UNC_ENODATA)
		return "";
	if (strstr(sentence, "\"Unassigned\""))
		return ", which means that no counter is assigned to it (info/L3_MON/mbm_assign_mode)";
	if (strstr(sentence, "\"Unavailable\""))
		return ", which means that hardware has no number for it now";
	if (strstr(sentence, "\"Error\""))
		return ", which means that hardware knows no such RMID or event";
	return ", which is not a number";
}

/* ---- both ---- */

static int take(struct unc_xresctrl *xr, const struct unc_xr_row *row, struct unc_llc_round *round,
		struct unc_xr_end *end)
{
	struct unc_xcheck_bracket *bracket = &end->bracket;
	enum unc_llc_status before = UNC_LLC_NOT_ASKED, after = UNC_LLC_NOT_ASKED, status;
	int rc;

	bracket->begin_ns = unc_machine_raw_ns(xr->machine);
	if (row->lines)
		before = read_ours(xr, row, round, end, &bracket->raw_before);
	rc = unc_xr_number(xr, row->source, "", &bracket->kernel);
	end->has_kernel = rc == 0;
	if (rc < 0)
		snprintf(end->why, sizeof(end->why), "%.250s%s", xr->machine->ctx->msg,
			 meaning(rc, xr->machine->ctx->msg));
	if (row->lines)
		after = read_ours(xr, row, round, end, &bracket->raw_after);
	bracket->end_ns = unc_machine_raw_ns(xr->machine);
	status = unc_llc_worse(before, after);
	end->has_raw = row->lines && status == UNC_LLC_OK;
	end->anew = status == UNC_LLC_STALE ? why_not[status] : NULL;
	if (end->has_kernel && !end->has_raw)
		snprintf(end->why, sizeof(end->why), "%s",
			 row->nothing ? row->nothing
			 : xr->machine->dry_run
				 ? "in a dry run IA32_QM_EVTSEL is not written, so no number of ours can be read"
				 : why_not[status]);
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

static uint64_t width_ns(const struct unc_xr_end *end)
{
	return end->bracket.end_ns - end->bracket.begin_ns;
}

static int bracket_row(struct unc_xresctrl *xr, struct unc_xr_row *row, struct unc_llc_round *round)
{
	const struct unc_xr_group *group = &xr->groups[row->group];
	struct unc_xr_end best = {0};
	const char *anew = row->begun_anew;

	for (unsigned i = 0; i < TRIES; i++) {
		struct unc_xr_end end = {0};
		bool first = !row->tried; /* whether the first bracket is a quick one is not known */
		unsigned has, had;
		int rc = take(xr, row, round, &end);

		if (rc < 0)
			return rc;
		row->tried = true;
		anew = end.anew ? end.anew : anew;
		/*
		 * Of two readings, the better one has more numbers, or as many and took less time.  What was read before
		 * counting began again is unrelated to what is read after that.
		 */
		has = end.has_kernel + end.has_raw;
		had = best.has_kernel + best.has_raw;
		if (i == 0 || end.anew || has > had || (has == had && width_ns(&end) < width_ns(&best)))
			best = end;
		if (!row->lines || !end.has_kernel)
			break;
		if (end.has_raw && (!row->fastest_ns || width_ns(&end) < row->fastest_ns))
			row->fastest_ns = width_ns(&end);
		if (first)
			continue;
		if (xr->machine->dry_run || (end.has_raw && !unc_bracket_is_wide(width_ns(&end), row->fastest_ns)))
			break;
	}
	best.anew = anew;
	row->begun_anew = NULL;
	if (group->unknown[0])
		snprintf(best.why, sizeof(best.why), "%s", group->unknown);
	else
		snprintf(best.counter, sizeof(best.counter), "%s", group->counter);
	row->to = best;
	row->time_ns = unc_machine_real_ns(xr->machine);
	return UNC_OK;
}

/* ---- the verdict ---- */

static bool is_whole(const struct unc_xr_end *end)
{
	return end->has_kernel && end->has_raw;
}

/* Explains why there is nothing to compare, from the readings; NULL: there is something. */
static const char *unknown(const struct unc_xr_row *row, char *buf, size_t size)
{
	const struct unc_xcheck_bracket *from = &row->from.bracket, *to = &row->to.bracket;

	if (!is_whole(&row->to))
		return row->to.why;
	if (row->event == UNC_LLC_OCCUPANCY)
		return NULL;
	if (row->from.counter[0] && strcmp(row->from.counter, row->to.counter) != 0) {
		snprintf(buf, size,
			 "the group had %s when the interval began, and has %s now; it is compared from here on",
			 row->from.counter, row->to.counter);
		return buf;
	}
	if (row->to.anew)
		return row->to.anew;
	if (!is_whole(&row->from)) {
		snprintf(buf, size,
			 "when the interval began, there was nothing to count from (%.280s); it is compared from here "
			 "on",
			 row->from.why);
		return buf;
	}
	/*
	 * If resctrl was mounted again, or the group made again, after from, the kernel counts from 0; ours was at least
	 * raw_before by then.
	 */
	if (to->kernel < from->kernel && to->kernel <= to->raw_after - from->raw_before) {
		snprintf(buf, size,
			 "the kernel began anew in this interval (it said %llu bytes, and says %llu now): resctrl was "
			 "mounted, or the group made, anew; it is compared from here on",
			 (unsigned long long)from->kernel, (unsigned long long)to->kernel);
		return buf;
	}
	return NULL;
}

static void classify_row(const struct unc_xresctrl *xr, struct unc_xr_row *row)
{
	const struct unc_xcheck_cfg *cfg = &xr->xcheck->cfg;
	bool level = row->event == UNC_LLC_OCCUPANCY, own = cfg->tolerance >= 0;
	uint64_t rounding = row->to.corrected ? xr->rdt->info.unit_bytes * xr->groups[row->group].members.n : 0;
	const struct unc_xr_end *from = level ? &row->to : &row->from, *to = &row->to;
	char buf[UNC_XCHECK_WHY];
	struct unc_judged judged = {
		.who = "resctrl",
		.unit = "bytes",
		.from = &from->bracket,
		.to = &to->bracket,
		.level = level,
		.has_kernel = from->has_kernel && to->has_kernel,
		.has_raw = from->has_raw && to->has_raw && (level || !to->anew),
		.width_bits = 64,
		.most = UINT64_MAX,
		.tolerance = own     ? cfg->tolerance
			     : level ? occupancy_tolerance
				     : bandwidth_tolerance,
		/* The kernel rounds to whole units after the erratum's factor, of all that moved since it was mounted. */
		.slack = level ? (own ? 0 : OCCUPANCY_SLACK) : rounding,
		.counter_from = from->counter[0] ? from->counter : NULL,
		.counter_to = to->counter[0] ? to->counter : NULL,
		.unknown = unknown(row, buf, sizeof(buf)),
	};

	unc_judge(&judged, &row->judged);
}

/* ==== measuring ==== */

static int read_all(struct unc_xresctrl *xr)
{
	struct unc_llc_round round = {0};
	int rc = UNC_OK;

	for (size_t i = 0; i < xr->n_rows && rc == 0; i++)
		rc = bracket_row(xr, &xr->rows[i], &round);
	return rc < 0 ? rc : unc_llc_round_end(xr->machine->ctx, &round);
}

int unc_xresctrl_start(struct unc_xresctrl *xr)
{
	int rc = follow(xr);

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
	rc = follow(xr);
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
		classify_row(xr, &xr->rows[i]);
	return rc;
}

/* ---- rows ---- */

void unc_xresctrl_row(const struct unc_xresctrl *xr, size_t index, struct unc_xcheck_row *ret_row)
{
	const struct unc_xr_row *row = &xr->rows[index];

	*ret_row = row->judged.row;
	ret_row->subject = row->subject;
	ret_row->event = unc_xr_event_name(row->event);
	ret_row->source = row->source;
	ret_row->number = -1;
	ret_row->cpu = row->cpu;
	ret_row->config = xr->groups[row->group].config;
	ret_row->counter = row->to.counter[0] ? row->to.counter : NULL;
	ret_row->why = row->judged.why[0] ? row->judged.why : NULL;
	ret_row->interval_ns = row->to.bracket.end_ns - row->from.bracket.end_ns;
	ret_row->time_ns = row->time_ns;
	ret_row->from = row->from.bracket;
	ret_row->to = row->to.bracket;
}

int unc_xresctrl_close(struct unc_xresctrl *xr)
{
	int rc;

	if (!xr)
		return UNC_OK;
	rc = llc_close(xr);
	for (size_t i = 0; i < xr->n_rows; i++)
		free(xr->rows[i].lines);
	free(xr->rows);
	for (size_t i = 0; i < xr->n_groups; i++)
		unc_xr_members_clear(&xr->groups[i].members);
	free(xr->groups);
	free(xr);
	return rc;
}
