// SPDX-License-Identifier: GPL-2.0-or-later
/* Which exit status is right where an access went wrong in that phase. */
#define _GNU_SOURCE
#include "faults.h"

#include <string.h>

static int status_of(enum unc_fault_how how)
{
	return how == UNC_FAULT_EPERM ? 4 : how == UNC_FAULT_ENODEV || how == UNC_FAULT_ENXIO ? 3 : 1;
}

static bool is_said(enum unc_fault_how how)
{
	return how <= UNC_FAULT_SHORT;
}

/* Of a command that programs counters, or would: a channel that fails while sampling is a row, everything else ends it. */
static bool measuring_status(struct attempt *a)
{
	const struct baseline *b = a->baseline;
	int status = a->outcome->status, right = status_of(a->how);
	bool not_back = strstr(a->outcome->err, "not put back") != NULL;
	bool opening = a->at < b->start_first, starting = !opening && a->at <= b->start_last;

	if (a->command->kind == DRY && !opening && !starting) /* nothing was written, so there is nothing to put back */
		return (status == 0 || (status == 1 && a->forever)) && !not_back;
	if (a->command->kind == OBSERVES && !opening && !starting) /* nor here: only when no channel answers it ends */
		return status == 0 || (a->forever && (status == right || (a->how == UNC_FAULT_ONES && status == 3)));
	if (a->how == UNC_FAULT_DROP) /* seen where it reads back, and harmless where it does not */
		return status == 0 || (status == 1 && (starting || a->forever));
	if (a->how == UNC_FAULT_ONES && (starting || a->forever))
		return status == 3 || status == 1 || (status == 0 && !a->forever);
	if (is_in_memory(a->command) && !a->forever && (opening || starting)) {
		/* Where one is refused the counters that always run are shown. One function tells where all channels are. */
		if (a->how == UNC_FAULT_EPERM)
			return status == 0;
		if (opening)
			return status == 0 || status == (a->how == UNC_FAULT_ONES ? 3 : right);
	}
	if (a->how == UNC_FAULT_ONES)
		return status == 0;
	if (opening && !a->forever) /* an unknown function is missing; one that is refused is refused */
		return status == (a->how == UNC_FAULT_EPERM && b->imc[a->at] ? 4 : 0);
	if (starting && !a->forever && b->release[a->at])
		return status == 0;
	if (opening || starting)
		return status == right;
	return a->forever ? status == right || (status == 1 && not_back) : status == 0;
}

/* Of one that writes by name: what goes wrong before it is put back ends it; putting back is tried twice. */
static bool writing_status(struct attempt *a)
{
	int status = a->outcome->status;

	return status == 0 || status == status_of(a->how) || (status == 3 && a->how == UNC_FAULT_ONES) ||
	       (status == 1 && a->forever);
}

/*
 * Of llc: whatever fails before the first sample ends it, but a CPU that is not there any more, since another one of the L3 can
 * be read from.  A value that fails is a status, and of two samples the other has it.
 */
static bool monitoring_status(struct attempt *a)
{
	const struct baseline *b = a->baseline;
	int status = a->outcome->status, right = status_of(a->how);
	bool starting = a->at >= b->start_first && a->at <= b->start_last;

	if (!is_said(a->how)) /* what reads back or makes no sense is seen, and done again */
		return status == 0 || (status == 1 && (starting || a->forever));
	if (a->forever)
		return status == right || status == 1;
	if (starting)
		return status == right || (status == 0 && right == 3);
	return status == 0;
}

bool status_is_right(struct attempt *a)
{
	int status = a->outcome->status;
	bool right = false;

	if (a->outcome->accesses < a->at) /* it never met the fault */
		return status == 0 || complain(a, "exit status %d", status);
	switch (a->command->kind) {
	case LOOKS: /* what cannot be reached is in the table */
		right = status == 0 ||
			(a->forever && (status == status_of(a->how) || (!is_said(a->how) && status == 3)));
		break;
	case EVENTS:
		right = status == 0 || (a->forever && a->at == 1 && status == status_of(a->how));
		break;
	case DUMPS:
		if (a->forever || !is_said(a->how))
			right = status == status_of(a->how) || (!is_said(a->how) && (status == 0 || status == 3));
		else if (a->at < 8) /* opening */
			right = status == (a->how == UNC_FAULT_EPERM && a->baseline->imc[a->at] ? 4 : 0) ||
				(a->how == UNC_FAULT_EPERM && status == 4); /* the UBOX is dumped as well */
		else
			right = status == status_of(a->how);
		break;
	case WRITES:
	case PEEKS:
		right = writing_status(a);
		break;
	case MONITORS:
		right = monitoring_status(a);
		break;
	case DIAGNOSES: /* that something fails is what it is to say; one channel that does not answer stops nothing */
		right = status == 0 || status == status_of(a->how) || (!is_said(a->how) && status == 3);
		right &= status == 0 || a->forever || a->how == UNC_FAULT_EPERM;
		break;
	case COMPARES: /* 1 where nothing could be compared, or the kernel's own writes came to nothing */
	case CHECKS: /* that something fails is what it is to say; 3 where one channel is all, and cannot be looked at */
		right = status == 0 || status == 1 || status == 3 || status == status_of(a->how);
		break;
	default:
		right = measuring_status(a);
	}
	return right || complain(a, "exit status %d", status);
}
