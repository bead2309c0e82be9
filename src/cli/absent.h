/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports boxes that no socket has: once per place, not once per socket, and in one sentence, since this is normal on many parts.
 */
#ifndef UNC_CLI_ABSENT_H
#define UNC_CLI_ABSENT_H

#include "uncore.h"

struct absent {           /* all zeros: none yet */
	char places[400]; /* "imc0.ch2, imc0.ch3" */
	unsigned n;
};

/* True: the box is absent, and was noted. */
bool absent_add(struct absent *absent, const struct unc_box_info *info);
/* Prints the sentence, if any box was noted. */
void absent_say(const struct absent *absent);

#endif
