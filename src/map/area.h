/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is where in the area of memory in which a POWER chip's microcode counts, which is the same for all of them: skiboot include/imc.h,
 * open-power/occ gpe1_24x7.c.  A catalogue is the map of the rest.
 */
#ifndef UNC_MAP_AREA_H
#define UNC_MAP_AREA_H

/* Counters are in groups: a word that is incremented before an update of the group, 32 counters, and a word that is incremented after it. */
enum { UNC_AREA_GROUP = 0x110, UNC_AREA_TAIL = 0x108 };
/* Words of the control block, and the version of the microcode. */
enum { UNC_AREA_STATUS = 0x3fc00, UNC_AREA_SPEED = 0x3fc10, UNC_AREA_AVAILABLE = 0x3fc18, UNC_AREA_VERSION = 0x2fc00 };
/* The status.  Writing UNC_AREA_RUNS or UNC_AREA_PAUSED is a command that makes it so. */
enum { UNC_AREA_NEVER_RAN, UNC_AREA_RUNS, UNC_AREA_PAUSED, UNC_AREA_BAD_SPEED, UNC_AREA_BAD_MODE };
/* The name of the status in each unit. */
#define UNC_AREA_STATUS_NAME "STATUS"
/* The highest code of the speed at which the catalogue's scales are right. */
enum { UNC_AREA_SPEED_MOST = 3 };

#endif
