/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of the theme "behaviour" that are in other files than check/behaviour.c, which has the table. */
#ifndef UNC_CHECK_BEHAVIOUR_H
#define UNC_CHECK_BEHAVIOUR_H

#include "check/window.h"

extern const struct unc_windows_def unc_check_freeze, unc_check_frz_en, unc_check_resume, unc_check_reset,
	unc_check_global, unc_check_carry, unc_check_wrap, unc_check_status, unc_check_agree, unc_check_sums,
	unc_check_threshold, unc_check_fields, unc_check_free;

#endif
