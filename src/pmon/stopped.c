// SPDX-License-Identifier: GPL-2.0-or-later
/* Notes about boxes that stood still: which, and the evidence of which program stopped them. */
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

void unc_session_note_who_stopped(struct unc_session *s)
{
	for (size_t i = 0; i < s->n_pboxes; i++) {
		struct unc_box *box = s->pboxes[i].box;
		char evidence[600];
		size_t n = 1;

		if (!s->pboxes[i].told_stopped)
			continue;
		for (; i + 1 < s->n_pboxes && s->pboxes[i + 1].box->socket == box->socket; i++)
			n += s->pboxes[i + 1].told_stopped;
		if (unc_house_of_freeze(box, evidence, sizeof(evidence)) == 0 && evidence[0])
			unc_note(s->machine->ctx, "socket%u: channels stood still in this run: %zu; found here: %s",
				 box->socket, n, evidence);
	}
}
