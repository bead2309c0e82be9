// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers, straight from the machine's state: they are back, or it is said that they are not. */
#define _GNU_SOURCE
#include "faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of BOX_CTL: Sandy Bridge-EP, Intel 327043-001, chapter "iMC". */
enum { FRZ_EN = 1 << 16, EN = 1 << 22 };
enum { KERNELS = 2 }; /* events that are compared */

/* Does a line that is about that say that it is not back? */
static bool is_confessed(const struct attempt *a, const char *box, const char *reg)
{
	char *copy = strdup(a->outcome->err), *rest = copy, *line;
	bool said = false;

	while ((line = strsep(&rest, "\n")))
		said |= strstr(line, "not put back") && strstr(line, box) && strstr(line, reg);
	free(copy);
	return said;
}

static bool register_is_right(struct attempt *a, unsigned channel, const char *reg, uint32_t before, uint32_t after)
{
	char box[32];

	if (before == after)
		return true;
	if (!a->forever)
		return complain(a, "channel %u: %s is 0x%08" PRIx32 ", was 0x%08" PRIx32, channel, reg, after, before);
	if (a->how == UNC_FAULT_DROP && strcmp(reg, "BOX_CTL") == 0)
		return true; /* nothing of it can be read back: no trace is left that anybody could see */
	if (a->how == UNC_FAULT_DROP && a->command->kind == CHECKS && a->outcome->status &&
	    strstr(a->outcome->err, "left alone"))
		return true; /* of three values the last two were lost: it holds one that is not expected any more */
	snprintf(box, sizeof(box), "socket0.imc0.ch%u", channel);
	if (a->outcome->status == 0 || !is_confessed(a, box, reg))
		return complain(a, "channel %u: %s is 0x%08" PRIx32 ", was 0x%08" PRIx32 ", and that is not said",
				channel, reg, after, before);
	return true;
}

static bool msr_is_right(struct attempt *a, unsigned cpu, const char *reg, uint64_t before, uint64_t after)
{
	char box[16];

	snprintf(box, sizeof(box), "cpu%u", cpu);
	if (before == after || (a->forever && a->outcome->status && is_confessed(a, box, reg)))
		return true;
	return complain(a, "cpu%u: %s is 0x%016" PRIx64 ", was 0x%016" PRIx64 "%s", cpu, reg, after, before,
			a->forever ? ", and that is not said" : "");
}

static bool msrs_are_right(struct attempt *a)
{
	bool right = true;

	for (unsigned i = 0; i < CPUS && right; i++) {
		const struct unc_sim_thread *before = &a->world->before->threads[i],
					    *after = &a->world->after->threads[i];

		right = msr_is_right(a, i, "PQR_ASSOC", before->pqr_assoc, after->pqr_assoc) &&
			msr_is_right(a, i, "QM_EVTSEL", before->selector.evtsel, after->selector.evtsel);
	}
	return right;
}

bool registers_are_right(struct attempt *a)
{
	bool left_idle = strstr(a->outcome->err, "left idle (frz_en=1)") || strstr(a->outcome->err, "not put back");
	bool right = true;

	if (a->command->kind == MONITORS)
		return msrs_are_right(a);
	for (unsigned i = 0; i < channels_of(a->command) && right; i++) {
		const struct unc_sim_imc *before = &a->world->before->imc[i], *after = &a->world->after->imc[i];
		uint32_t box_ctl = after->box_ctl, box_ctl_before = before->box_ctl;

		for (unsigned k = 0; k < UNC_SIM_CTRS && right; k++) {
			char reg[8];

			snprintf(reg, sizeof(reg), "CTL[%u]", k);
			/* The kernel's driver takes the lowest, and leaves its event there without enable. */
			if (a->command->kind == COMPARES && k < KERNELS && !(after->ctl[k] & EN))
				continue;
			right = register_is_right(a, i, reg, before->ctl[k], after->ctl[k]);
		}
		if (left_idle && !strstr(a->command->machine, "rw"))
			box_ctl &= ~(uint32_t)FRZ_EN;
		/* That driver reads what it changes, and so takes frz_en away where that reads as 0. */
		if (a->command->kind == COMPARES && !strstr(a->command->machine, "rw")) {
			box_ctl &= ~(uint32_t)FRZ_EN;
			box_ctl_before &= ~(uint32_t)FRZ_EN;
		}
		if (a->command->kind == CHECKS && !a->forever && (after->box_status || after->frozen_global))
			return complain(a, "channel %u: BOX_STATUS is 0x%" PRIx32, i, after->box_status);
		right = right && register_is_right(a, i, "FIXED_CTL", before->fixed_ctl, after->fixed_ctl) &&
			register_is_right(a, i, "BOX_CTL", box_ctl_before, box_ctl);
	}
	if (right && a->world->after->n_violations)
		return complain(a, "a rule of the manual was broken");
	return right;
}
