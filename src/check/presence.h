/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of the theme "presence" that are in check/presence_sockets.c. */
#ifndef UNC_CHECK_PRESENCE_H
#define UNC_CHECK_PRESENCE_H

#include "check/window.h"

int unc_presence_ubox(struct unc_check *c);
extern const struct unc_windows_def unc_presence_alike;

#endif
