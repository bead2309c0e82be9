/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes of counters that always run, in memory: what a session does differently with them. */
#ifndef UNC_PMON_FREE1_H
#define UNC_PMON_FREE1_H

#include "pmon/reading.h"
#include "pmon/session.h"

#define UNC_FREE_UNIT "free" /* of Ice Lake-SP: a unit of whole controllers beside that of channels */

/* False: the unit of the box is driven in another way. */
bool unc_free1_init(struct unc_box *box, struct unc_pmon_box *ret_pbox);
/* Gives each event that was added a slot for its register, and the box its clock.  UNC_EARG: too many events; UNC_ENOMEM. */
int unc_free1_plan(struct unc_session *s, size_t number);

#endif
