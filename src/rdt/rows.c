// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes the rows: each group on each of its L3s, their sum, and RMIDs without a group. */

#include "base/text.h"
#include "rdt/llc.h"

/* Lists the CPUs of the L3 that are in the row's group or, for a row without a group, that carry the RMID. */
static char *cpus_text(const struct unc_llc *llc, const struct unc_llc_line *line)
{
	const struct unc_llc_domain *domain = &llc->domains[line->domain];
	unsigned *cpus = malloc(domain->n_cpus * sizeof(*cpus));
	char *text = NULL;
	size_t n = 0;

	for (const struct unc_llc_cpu *cpu = domain->cpus; cpu < domain->cpus + domain->n_cpus && cpus; cpu++) {
		/* With UNC_SNC_LOCAL, an RMID counts in one part alone. */
		bool carries = cpu->rmid == line->rmid &&
			       (llc->rdt->snc != UNC_SNC_LOCAL || cpu->part == line->rmid / llc->n_rmids);

		if (line->group == UNC_LLC_NO_GROUP ? carries : cpu->group == line->group)
			cpus[n++] = cpu->number;
	}
	if (cpus)
		text = unc_rdt_cpu_list(cpus, n);
	free(cpus);
	return text;
}

static int l3_line(struct unc_llc *llc, size_t group, unsigned rmid, size_t domain)
{
	/* With UNC_SNC_LOCAL, an RMID of the hardware belongs to one part alone. */
	bool one_part = group == UNC_LLC_NO_GROUP && llc->rdt->snc == UNC_SNC_LOCAL;
	struct unc_llc_line line = {
		.group = group,
		.domain = (ptrdiff_t)domain,
		.nodes = one_part ? 1 : llc->nodes,
		.rmid = rmid,
		.l3_bytes = llc->domains[domain].l3->bytes,
		.twin = UNC_LLC_NO_ROW,
	};
	struct unc_llc_line *added;
	int rc = UNC_OK;

	if (group == UNC_LLC_NO_GROUP)
		snprintf(line.rmid_name, sizeof(line.rmid_name), "rmid%u", rmid);
	line.cpus = cpus_text(llc, &line);
	if (!line.cpus || !unc_array_add(&llc->lines, &llc->n_lines, &line, sizeof(line))) {
		free(line.cpus);
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	}
	added = &llc->lines[llc->n_lines - 1];
	for (unsigned event = 0; event < UNC_LLC_EVENTS && rc == 0; event++) {
		struct unc_llc_counter *counters;

		if (!(llc->events >> event & 1))
			continue;
		counters = added->events[event].counters = calloc(line.nodes, sizeof(*counters));
		if (!counters)
			return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
		if (event != UNC_LLC_OCCUPANCY && llc->domains[domain].assigned) {
			rc = unc_llc_find_counter(llc, &llc->domains[domain], rmid, event, counters);
			continue;
		}
		for (unsigned node = 0; node < line.nodes && rc == 0; node++)
			rc = unc_llc_select(llc, (enum unc_llc_event)event, rmid + node * llc->n_rmids,
					    &counters[node].evtsel);
	}
	return rc;
}

static int sum_line(struct unc_llc *llc, size_t group, size_t n_parts)
{
	const struct unc_llc_group *of = &llc->groups[group];
	struct unc_llc_line line = {
		.group = group,
		.domain = UNC_LLC_NO_DOMAIN,
		.n_parts = n_parts,
		.rmid = of->rmid,
		.twin = UNC_LLC_NO_ROW,
		.cpus = unc_rdt_cpu_list(of->cpus, of->n_cpus),
	};

	for (size_t i = llc->n_lines - n_parts; i < llc->n_lines; i++)
		line.l3_bytes += llc->lines[i].l3_bytes;
	if (line.cpus && unc_array_add(&llc->lines, &llc->n_lines, &line, sizeof(line)))
		return UNC_OK;
	free(line.cpus);
	return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
}

static int group_lines(struct unc_llc *llc, size_t group)
{
	size_t n = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_domains && rc == 0; i++) {
		struct unc_llc_domain *domain = &llc->domains[i];
		bool any = false;

		for (size_t k = 0; k < domain->n_cpus; k++) {
			if (domain->cpus[k].group != group)
				continue;
			domain->cpus[k].row = llc->n_lines;
			any = true;
		}
		if (!any)
			continue;
		rc = l3_line(llc, group, llc->groups[group].rmid, i);
		n++;
	}
	return rc == 0 && n > 1 ? sum_line(llc, group, n) : rc;
}

static int rmid_lines(struct unc_llc *llc, unsigned rmid)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_domains && rc == 0; i++) {
		size_t line = llc->n_lines;

		rc = l3_line(llc, UNC_LLC_NO_GROUP, rmid, i);
		for (size_t k = 0; k < llc->domains[i].n_cpus && rc == 0; k++) {
			const struct unc_llc_cpu *cpu = &llc->domains[i].cpus[k];

			if (cpu->group == UNC_LLC_NO_GROUP || cpu->rmid != rmid)
				continue;
			llc->lines[line].twin = cpu->row;
			llc->lines[line].twice = true;
			llc->lines[cpu->row].twin = line;
		}
	}
	return rc;
}

int unc_llc_lines_make(struct unc_llc *llc)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_groups && rc == 0; i++)
		rc = group_lines(llc, i);
	for (unsigned rmid = 0; rmid <= llc->rdt->info.max_rmid && rc == 0; rmid++)
		if (llc->all_rmids || (llc->rmids && llc->rmids[rmid]))
			rc = rmid_lines(llc, rmid);
	return rc;
}

void unc_llc_lines_free(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_lines; i++) {
		free(llc->lines[i].cpus);
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			free(llc->lines[i].events[event].counters);
	}
	free(llc->lines);
	llc->lines = NULL;
	llc->n_lines = 0;
}

const char *unc_llc_line_name(const struct unc_llc *llc, const struct unc_llc_line *line)
{
	return line->group == UNC_LLC_NO_GROUP ? line->rmid_name : llc->groups[line->group].name;
}

size_t unc_llc_row_count(const struct unc_llc *llc)
{
	return llc->n_lines;
}

int unc_llc_row_info(const struct unc_llc *llc, size_t row, struct unc_llc_row_info *ret_info)
{
	const struct unc_llc_line *line;

	if (row >= llc->n_lines)
		return unc_fail(llc->machine->ctx, UNC_ENODEV, "there is no row %zu", row);
	line = &llc->lines[row];
	*ret_info = (struct unc_llc_row_info){
		.group = unc_llc_line_name(llc, line),
		.cpus = line->cpus,
		.sum = line->domain == UNC_LLC_NO_DOMAIN,
		.as_is = line->group == UNC_LLC_NO_GROUP,
		.l3 = line->domain == UNC_LLC_NO_DOMAIN ? 0 : llc->domains[line->domain].l3->id,
		.rmid = line->rmid,
		.l3_bytes = line->l3_bytes,
	};
	return UNC_OK;
}

const char *unc_llc_event_name(unsigned event)
{
	static const char *const names[UNC_LLC_EVENTS] = {"occupancy", "total bandwidth", "local bandwidth"};

	return names[event];
}

/* Returns the events of a row that never had a value, as bits. */
static unsigned never_obtained(const struct unc_llc_line *line)
{
	unsigned events = 0;

	/* An RMID without a group that no CPU carries need not have a value: AMD's hardware does not track such RMIDs. */
	if (line->domain == UNC_LLC_NO_DOMAIN || (line->group == UNC_LLC_NO_GROUP && line->cpus[0] == '\0'))
		return 0;
	/* Nor has one that was left without a counter. */
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
		if (line->events[event].counters && !line->events[event].obtained &&
		    (line->group != UNC_LLC_NO_GROUP || line->events[event].last != UNC_LLC_UNASSIGNED))
			events |= 1U << event;
	return events;
}

/* Writes "occupancy, total bandwidth: REASON; local bandwidth: ANOTHER". */
static void list_lacking(const struct unc_llc_line *line, unsigned events, char *buf, size_t size)
{
	static const char *const sentences[] = {
		[UNC_LLC_NOT_ASKED] = "it was never read",
		[UNC_LLC_OK] = "",
		[UNC_LLC_UNAVAILABLE] = "the last answer was Unavailable",
		[UNC_LLC_ERROR] = "the last answer was Error, or the access failed",
		[UNC_LLC_DISTURBED] = "another program writes IA32_QM_EVTSEL all the time",
		[UNC_LLC_STALE] = "there was no reading before that could be counted from",
		[UNC_LLC_SHARED] = "another program gave its RMID to a CPU outside the group",
		[UNC_LLC_UNASSIGNED] = "no bandwidth counter is assigned to its RMID (ABMC)",
	};
	const char *why = NULL;

	buf[0] = '\0';
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		const char *its = sentences[line->events[event].last];

		if (!(events >> event & 1))
			continue;
		if (why && why != its)
			unc_text_join(buf, size, ": ", "%s", why);
		unc_text_join(buf, size, why == its ? ", " : "; ", "%s", unc_llc_event_name(event));
		why = its;
	}
	unc_text_join(buf, size, ": ", "%s", why);
}

bool unc_llc_complete(const struct unc_llc *llc, char *buf, size_t size)
{
	const struct unc_llc_line *first = NULL;
	char lacking[300], more[60] = "";
	size_t n = 0;

	for (size_t i = 0; i < llc->n_lines; i++) {
		if (never_obtained(&llc->lines[i]) && n++ == 0)
			first = &llc->lines[i];
	}
	if (!first)
		return true;
	list_lacking(first, never_obtained(first), lacking, sizeof(lacking));
	if (n > 1)
		snprintf(more, sizeof(more), "; %zu more row%s lack%s values, too", n - 1, n == 2 ? "" : "s",
			 n == 2 ? "s" : "");
	snprintf(buf, size, "%s, L3 %u: there was no value of %s%s", unc_llc_line_name(llc, first),
		 llc->domains[first->domain].l3->id, lacking, more);
	return false;
}
