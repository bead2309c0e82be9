// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/model_parts.h"

void unc_sim_uncore_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
			uint8_t *ret_bus)
{
	unsigned shares = 1, nth = options->reversed ? options->sockets - 1 - socket : socket;

	(void)slot; /* there is one */
	while (shares < options->sockets)
		shares *= 2;
	*ret_domain = 0;
	*ret_bus = (uint8_t)(256 / shares * (nth + 1) - 1);
}
