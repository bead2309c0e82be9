// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/model_parts.h"

/* Returns the first socket of a domain: all sockets before it are in lower domains. */
static unsigned domain_begin(const struct unc_sim_options *options, unsigned domain)
{
	return (domain * options->sockets + options->domains - 1) / options->domains;
}

struct unc_sim_seat unc_sim_seat_of(const struct unc_sim_options *options, unsigned socket)
{
	unsigned nth = options->reversed ? options->sockets - 1 - socket : socket;
	unsigned domain = nth * options->domains / options->sockets, begin = domain_begin(options, domain);

	return (struct unc_sim_seat){
		.domain = domain, .nth = nth - begin, .n = domain_begin(options, domain + 1) - begin};
}

void unc_sim_uncore_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
			uint8_t *ret_bus)
{
	struct unc_sim_seat seat = unc_sim_seat_of(options, socket);
	unsigned shares = 1;

	(void)slot; /* there is only one */
	while (shares < seat.n)
		shares *= 2;
	*ret_domain = seat.domain;
	*ret_bus = (uint8_t)(256 / shares * (seat.nth + 1) - 1);
}
