/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of the theme "behaviour" that are in other files than check/behaviour.c, which has the table. */
#ifndef UNC_CHECK_BEHAVIOUR_H
#define UNC_CHECK_BEHAVIOUR_H

#include "check/window.h"

int unc_check_freeze(struct unc_check *c);
int unc_check_frz_en(struct unc_check *c);
int unc_check_resume(struct unc_check *c);
int unc_check_reset(struct unc_check *c);
int unc_check_global(struct unc_check *c);
int unc_check_carry(struct unc_check *c);
int unc_check_wrap(struct unc_check *c);
int unc_check_status(struct unc_check *c);
int unc_check_agree(struct unc_check *c);
int unc_check_sums(struct unc_check *c);
int unc_check_threshold(struct unc_check *c);
int unc_check_fields(struct unc_check *c);

#endif
