/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --fail-if 'total>80GB/s for 5s' of mem: conditions under which a run fails. */
#ifndef UNC_CLI_FAIL_IF_H
#define UNC_CLI_FAIL_IF_H

#include "cli/summary.h"

struct fail_if;
struct fail_ifs {             /* all zeros at first */
	struct fail_if *list; /* owned */
	size_t n;
};

option_fn fail_if_take; /* struct fail_ifs: adds a condition */
/* Call it after the start: finds the places that the conditions name.  UNC_EARG: no place has that name; UNC_ENOMEM. */
int fail_if_bind(struct fail_ifs *ifs, const struct counting *counting);
/* Looks at a sample that was taken. */
void fail_if_see(struct fail_ifs *ifs, const struct counting *counting, bool together, const struct peaks *peaks);
/* EXIT_DONE, or EXIT_FAILED after a sentence for each condition that came true. */
int fail_if_verdict(const struct fail_ifs *ifs);
void fail_if_clear(struct fail_ifs *ifs);

#endif
