// SPDX-License-Identifier: GPL-2.0-or-later
/* llc --per: sums of rows, of a group on several L3s, or of all groups on a socket or on the machine. */

#include "base/text.h"
#include "cli/channels.h"
#include "cli/llc.h"
#include "machine/machine.h"
#include "rdt/account.h"

/* Of two names of L3s, such as "socket0.l3-1". */
static bool is_same_socket(const char *box, const char *other)
{
	return strncmp(box, other, strcspn(other, ".") + 1) == 0;
}

/* Does a row belong to the same sum as the first?  Rows of all RMIDs contain those of groups. */
static bool is_part(const struct llc *llc, enum llc_per per, size_t first, size_t row)
{
	const struct unc_llc_row_info *info = &llc->infos[row];
	const char *box = llc->boxes[first];

	if (info->sum || !box_is_chosen(llc->patterns, llc->boxes[row]))
		return false;
	if (per == LLC_PER_GROUP)
		return strcmp(info->group, llc->infos[first].group) == 0;
	return info->as_is == llc->all_rmids && (per == LLC_PER_MACHINE || is_same_socket(llc->boxes[row], box));
}

static struct llc_sum sum_of(const struct llc *llc, enum llc_per per, size_t first)
{
	const char *box = llc->boxes[first];
	struct llc_sum sum = {.per = per, .first = first, .info.sum = true};
	bool one_socket = per != LLC_PER_MACHINE;
	struct unc_l3_info l3;

	if (per == LLC_PER_GROUP) {
		sum.info.group = llc->infos[first].group;
		sum.info.as_is = llc->infos[first].as_is;
		sum.info.rmid = llc->infos[first].rmid;
	}
	for (size_t row = first; row < llc->n_rows; row++) {
		if (is_part(llc, per, first, row)) {
			sum.n++;
			one_socket &= is_same_socket(llc->boxes[row], box);
		} else if (per == LLC_PER_GROUP && llc->infos[row].sum &&
			   strcmp(llc->infos[row].group, sum.info.group) == 0) {
			sum.info.cpus = llc->infos[row].cpus;
		}
	}
	for (size_t i = 0; unc_l3_info(llc->machine, i, &l3) == 0; i++) {
		size_t row = first;

		while (row < llc->n_rows && !(is_part(llc, per, first, row) && llc->infos[row].l3 == l3.id))
			row++;
		sum.info.l3_bytes += row < llc->n_rows ? l3.bytes : 0;
	}
	snprintf(sum.box, sizeof(sum.box), "%.*s", one_socket ? (int)strcspn(box, ".") : 7,
		 one_socket ? box : "machine");
	return sum;
}

int llc_sums_make(struct llc *llc)
{
	for (enum llc_per per = LLC_PER_GROUP; per <= LLC_PER_MACHINE; per++) {
		if (per != llc->per && !(llc->per == LLC_PER_ALL && per != LLC_PER_GROUP))
			continue;
		for (size_t row = 0; row < llc->n_rows; row++) {
			bool known = !is_part(llc, per, row, row);
			struct llc_sum sum;

			for (size_t i = 0; i < llc->n_sums && !known; i++)
				known = llc->sums[i].per == per && is_part(llc, per, llc->sums[i].first, row);
			if (known)
				continue;
			sum = sum_of(llc, per, row);
			if (!unc_array_add(&llc->sums, &llc->n_sums, &sum, sizeof(sum)))
				return unc_fail(llc->ctx, UNC_ENOMEM, "out of memory");
		}
	}
	return UNC_OK;
}

uint64_t llc_sum_up(const struct llc *llc, const struct llc_sum *sum, const struct unc_llc_row *rows,
		    const uint64_t *task, struct unc_llc_row *ret_row)
{
	uint64_t flags = 0;

	*ret_row = (struct unc_llc_row){.has_remote = true};
	for (size_t row = sum->first; row < llc->n_rows; row++) {
		if (!is_part(llc, sum->per, sum->first, row))
			continue;
		unc_llc_add_row(ret_row, &rows[row]);
		flags |= task[row];
	}
	return flags;
}

bool llc_row_is_shown(const struct llc *llc, size_t row)
{
	if (!box_is_chosen(llc->patterns, llc->boxes[row]))
		return false;
	return llc->per == LLC_PER_USUAL || llc->per == LLC_PER_ALL || (llc->per == LLC_PER_L3 && !llc->infos[row].sum);
}
