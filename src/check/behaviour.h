/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the theme "behaviour", a file for each idea; behaviour.c has the table. */
#ifndef UNC_CHECK_BEHAVIOUR_H
#define UNC_CHECK_BEHAVIOUR_H

#include "check/window.h"

int unc_check_freeze(struct unc_check *c);
int unc_check_frz_en(struct unc_check *c); /* behaviour_frz_en.c */

#endif
