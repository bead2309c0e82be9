/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Areas of memory in which the microcode of POWER chips counts. */
#ifndef UNC_MACHINE_AREAS_H
#define UNC_MACHINE_AREAS_H

#include "machine/boxes.h"

/* Makes a socket for each chip, and its boxes.  UNC_ENODEV: firmware exports no area; UNC_EPERM; UNC_ERANGE; UNC_ENOMEM. */
int unc_areas_find(struct unc_machine *m);
/*
 * Reads whether the counters of an area run, and the code of their speed; that of every second is one more period.  UNC_EBUSY: they are
 * paused; UNC_ENODATA: they never ran; UNC_ENOSUP: at this speed no scale is right; UNC_EIO: it is no such area.
 */
int unc_area_check(struct unc_space *space, unsigned *ret_speed);
/*
 * Writes which process has a perf event open; "": no process has.  The event may be of the nest: then pausing the microcode would stop
 * its counts.  UNC_ENOMEM.
 */
int unc_area_users(struct unc_machine *m, char *buf, size_t size);
enum { UNC_AREA_TEXT = 160 };
/* Describes the microcode of an area: "microcode 2.0.0 of 2018-05-31, status 1, speed 0, ...".  Fails as reading. */
int unc_area_text(struct unc_space *space, char buf[UNC_AREA_TEXT]);

#endif
