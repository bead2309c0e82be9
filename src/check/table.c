// SPDX-License-Identifier: GPL-2.0-or-later
/* All checks in the order in which they are run: a check comes after those that it relies on. */
#include "check/check.h"

static const struct unc_check_theme *const themes[] = {
	&unc_check_presence, &unc_check_registers,  &unc_check_behaviour, &unc_check_clock,
	&unc_check_traffic,  &unc_check_monitoring, &unc_check_after,
};

const struct unc_check_def *unc_check_def_at(size_t i)
{
	for (size_t t = 0; t < sizeof(themes) / sizeof(themes[0]); t++) {
		if (i < themes[t]->n)
			return &themes[t]->defs[i];
		i -= themes[t]->n;
	}
	return NULL;
}

const struct unc_check_about *unc_check_about(size_t index)
{
	const struct unc_check_def *def = unc_check_def_at(index);

	return def ? &def->about : NULL;
}
