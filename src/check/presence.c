// SPDX-License-Identifier: GPL-2.0-or-later
/* Is every function there that this part should have, and is it what it should be? */
#include "check/check.h"

static int run_functions(struct unc_check *c)
{
	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_check_box *b = &c->boxes[i];

		unc_check_begin(c, b->box->name);
		if (b->there)
			unc_check_pass(c, "%s is there and answers", b->box->pci);
		else if (b->box->presence == UNC_DENIED)
			unc_check_skip(c, "%s", b->why);
		else
			unc_check_fail(c, "%s", b->why);
	}
	return UNC_OK;
}

static const struct unc_check_def defs[] = {
	{
		.about = {.name = "presence.functions",
			  .proves = "each memory channel that this part should have is there and answers",
			  .src = "327043-001 section 2.5; PCI 3.0 section 6.1",
			  .ms = {1, 1, 1}},
		.run = run_functions,
	},
};

const struct unc_check_theme unc_check_presence = {defs, sizeof(defs) / sizeof(defs[0])};
