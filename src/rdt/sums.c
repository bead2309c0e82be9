// SPDX-License-Identifier: GPL-2.0-or-later
/* Relations between rows: sums, and L3s of which more is owned than there is. */
#include "rdt/llc.h"

void unc_llc_add_up(const struct unc_llc_line *line, struct unc_llc_row *rows, size_t index)
{
	struct unc_llc_row *sum = &rows[index];

	*sum = (struct unc_llc_row){.has_remote = true};
	for (size_t i = index - line->n_parts; i < index; i++) {
		const struct unc_llc_row *part = &rows[i];

		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
			unc_llc_add_value(&sum->values[event], &part->values[event]);
			sum->values[event].has_raw = false; /* it would be the sum of different counters */
			sum->values[event].raw = 0;
			if (part->values[event].status > UNC_LLC_OK)
				sum->flags |= UNC_LLC_PARTIAL;
		}
		sum->flags |= part->flags;
		if (part->flags & UNC_LLC_HIJACKED)
			sum->rmid_found = part->rmid_found;
		sum->has_remote &= part->has_remote;
		sum->remote_bytes += part->remote_bytes;
		sum->remote_uncertain_bytes += part->remote_uncertain_bytes;
		if (part->time_ns > sum->time_ns)
			sum->time_ns = part->time_ns;
		if (part->interval_ns > sum->interval_ns)
			sum->interval_ns = part->interval_ns;
	}
	if (sum->has_remote)
		return;
	sum->remote_bytes = 0;
	sum->remote_uncertain_bytes = 0;
}

/* Adds up what is owned of each L3, each RMID once, and flags the rows of an L3 if that is more than the L3 has. */
void unc_llc_flag_over(struct unc_llc *llc, struct unc_llc_row *rows)
{
	for (size_t i = 0; i < llc->n_domains; i++) {
		llc->domains[i].owned = 0;
		llc->domains[i].over = false;
	}
	for (size_t i = 0; i < llc->n_lines; i++) {
		const struct unc_llc_value *value = &rows[i].values[UNC_LLC_OCCUPANCY];
		struct unc_llc_domain *domain;

		if (llc->lines[i].domain == UNC_LLC_NO_DOMAIN || llc->lines[i].twice || value->status != UNC_LLC_OK)
			continue;
		domain = &llc->domains[llc->lines[i].domain];
		domain->over |= value->bytes > domain->l3->bytes || domain->owned > domain->l3->bytes - value->bytes;
		domain->owned += value->bytes;
	}
	for (size_t i = 0; i < llc->n_lines; i++)
		if (llc->lines[i].domain != UNC_LLC_NO_DOMAIN && llc->domains[llc->lines[i].domain].over)
			rows[i].flags |= UNC_LLC_OVER;
}
