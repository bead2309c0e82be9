// SPDX-License-Identifier: GPL-2.0-or-later
/* Notes about boxes that stood still: which ones, and the evidence of which program stopped them. */
#include <stdio.h>

#include "base/err.h"
#include "machine/house.h"
#include "pmon/session.h"

void unc_session_note_stopped(struct unc_session *s)
{
	const struct unc_pmon_box *first = NULL;
	char others[40] = "";
	size_t n = 0;

	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_pmon_box *pbox = &s->pboxes[i];

		if (!pbox->stood_still || pbox->told_stopped)
			continue;
		pbox->told_stopped = true;
		first = first ? first : pbox;
		n++;
	}
	if (n > 1)
		snprintf(others, sizeof(others), " and %zu more", n - 1);
	if (first)
		unc_note(s->machine->ctx, "%s%s: stood still: %s", first->box->name, others,
			 first->frozen
				 ? "BOX_CTL reads as frozen, and another program or the firmware wrote that"
				 : "the clock did not tick: another program or the firmware froze the box or its "
				   "socket, or the package slept (PC3, PC6); `uncorectl doctor` names other users");
}

/* At this point BOX_CTL holds again what it was found to hold at the start. */
static void note_evidence(struct unc_box *box, size_t n_stopped, const struct unc_box *frozen)
{
	char evidence[600], read[100] = "";
	struct unc_saved_msg said;

	if (frozen)
		snprintf(read, sizeof(read), "BOX_CTL of %s read frz=1", frozen->name);
	unc_msg_save(box->machine->ctx, &said);
	if (unc_house_of_freeze(box, evidence, sizeof(evidence)) == 0 && (read[0] || evidence[0]))
		unc_note(box->machine->ctx, "socket%u: channels stood still in this run: %zu; found here: %s%s%s",
			 box->socket, n_stopped, read, read[0] && evidence[0] ? "; " : "", evidence);
	unc_msg_restore(box->machine->ctx, &said);
}

void unc_session_note_who_stopped(struct unc_session *s)
{
	size_t i = 0;

	while (i < s->n_pboxes) {
		struct unc_box *first = NULL, *frozen = NULL;
		unsigned socket = s->pboxes[i].box->socket;
		size_t n = 0;

		for (; i < s->n_pboxes && s->pboxes[i].box->socket == socket; i++) {
			const struct unc_pmon_box *pbox = &s->pboxes[i];

			if (!pbox->told_stopped)
				continue;
			first = first ? first : pbox->box;
			frozen = frozen || !pbox->read_frozen ? frozen : pbox->box;
			n++;
		}
		if (first)
			note_evidence(first, n, frozen);
	}
}
