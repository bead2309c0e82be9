// SPDX-License-Identifier: GPL-2.0-or-later
/* What tests ask of a simulated machine, and do with it, that none of its users does. */
#include "simtruth.h"

#include <string.h>

#include "base/err.h"
#include "sim/computer.h"

int unc_sim_suspend(struct unc_host *host, uint64_t ns)
{
	struct unc_sim *sim = unc_sim_of(host);
	struct unc_sim_state *state;
	bool fits;

	if (!sim)
		return unc_sim_none(host);
	state = sim->store.state;
	unc_sim_lock(sim);
	fits = ns <= UNC_SIM_TIME_MAX - state->suspended_ns;
	if (fits) {
		state->suspended_ns += ns;
		memset(state->imc, 0, sizeof(state->imc));
		for (size_t i = 0; i < sizeof(state->imc) / sizeof(state->imc[0]); i++)
			state->imc[i].since_ns = unc_sim_state_now(state);
		unc_sim_msr_reset(sim, unc_sim_state_now(state));
	}
	unc_sim_unlock(sim);
	if (!fits)
		return unc_sim_fail(sim, UNC_ERANGE, "suspended for longer than its time can count");
	return UNC_OK;
}

/* Finds a channel by the address of its registers. */
static int find_channel(struct unc_host *host, const struct unc_addr *addr, size_t *ret_i)
{
	const struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_place *place = sim && addr->kind != UNC_MSR ? unc_sim_place_find(sim, addr) : NULL;
	char text[UNC_ADDR_TEXT];

	if (!sim)
		return unc_sim_none(host);
	if (!place || place->function->kind != UNC_SIM_IMC)
		return unc_sim_fail(sim, UNC_ENODEV, "%s is not a memory channel of this machine",
				    unc_addr_text(addr, text));
	*ret_i = place->channel;
	return UNC_OK;
}

int unc_sim_truth_events_at(struct unc_host *host, const struct unc_addr *addr, const char *name, uint64_t raw_ns,
			    uint64_t *ret_count)
{
	size_t i;
	int rc = find_channel(host, addr, &i);

	return rc < 0 ? rc : unc_sim_truth_events_of(host, i, name, raw_ns, ret_count);
}

int unc_sim_truth_bytes_at(struct unc_host *host, const struct unc_addr *addr, uint64_t raw_ns, uint64_t *ret_read,
			   uint64_t *ret_write)
{
	size_t i;
	int rc = find_channel(host, addr, &i);

	return rc < 0 ? rc : unc_sim_truth_bytes_of(host, i, raw_ns, ret_read, ret_write);
}
