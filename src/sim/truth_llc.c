// SPDX-License-Identifier: GPL-2.0-or-later
/* What was really in the last-level caches, and what was moved. */
#include <inttypes.h>

#include "base/err.h"
#include "sim/qm.h"

unsigned unc_sim_rmids(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim ? unc_sim_n_rmids(sim) : 0;
}

static int known(const struct unc_sim_moment *moment, uint64_t now_ns)
{
	struct unc_sim *sim = moment->sim;
	uint64_t changed_ns = unc_sim_share_at(sim, moment->share)->changed_ns;

	if (moment->t_ns <= now_ns && moment->t_ns >= changed_ns)
		return UNC_OK;
	return unc_fail(sim->host.ctx, UNC_ERANGE,
			"sim:%s: what was in L3 %u is known from the last change, at %" PRIu64
			" ns of the machine's time, until now, %" PRIu64 " ns, not at %" PRIu64 " ns",
			sim->options.model->name, moment->share / sim->options.snc, changed_ns, now_ns, moment->t_ns);
}

/* Returns whether that share counts that RMID, and in which account. */
static bool counted(const struct unc_sim_moment *moment, unsigned rmid, unsigned *ret_account)
{
	const struct unc_sim *sim = moment->sim;
	unsigned package = sim->caches[moment->share / sim->options.snc].package, n = unc_sim_n_accounts(sim);

	*ret_account = rmid % n;
	if (sim->store.state->packages[package].snc_sharing)
		return rmid < n;
	return rmid / n == moment->share % sim->options.snc;
}

static void add(const struct unc_sim_moment *moment, unsigned rmid, struct unc_sim_llc *llc)
{
	struct unc_sim_account is;
	unsigned account;

	unc_sim_llc_catch_up(moment);
	if (!counted(moment, rmid, &account))
		return;
	is = unc_sim_llc_account(moment, account);
	llc->occupancy_bytes += is.occupancy;
	llc->total_bytes += (uint64_t)is.total;
	llc->local_bytes += (uint64_t)is.local;
}

/* Adds up all shares of an L3, from moment.share on; t_ns UINT64_MAX: until now. The caller holds the lock. */
static int truth(struct unc_sim_moment moment, unsigned rmid, struct unc_sim_llc *ret_llc)
{
	uint64_t now_ns = unc_sim_state_now(moment.sim->store.state);
	unsigned end = moment.share + moment.sim->options.snc;
	struct unc_sim_llc llc = {0};
	int rc;

	if (moment.t_ns == UINT64_MAX)
		moment.t_ns = now_ns;
	for (; moment.share < end; moment.share++) {
		rc = known(&moment, now_ns);
		if (rc < 0)
			return rc;
		add(&moment, rmid, &llc);
	}
	*ret_llc = llc;
	return UNC_OK;
}

static int truth_llc(struct unc_sim *sim, unsigned l3, unsigned rmid, uint64_t t_ns, struct unc_sim_llc *ret_llc)
{
	const struct unc_sim_moment moment = {.sim = sim, .share = unc_sim_share_first(sim, l3), .t_ns = t_ns};
	int rc;

	if (l3 >= sim->n_caches || rmid >= unc_sim_n_rmids(sim))
		return unc_fail(sim->host.ctx, UNC_ENODEV, "sim:%s: there is no RMID %u on L3 %u",
				sim->options.model->name, rmid, l3);
	unc_sim_lock(sim);
	rc = truth(moment, rmid, ret_llc);
	unc_sim_unlock(sim);
	return rc;
}

int unc_sim_truth_llc(struct unc_host *host, unsigned l3, unsigned rmid, struct unc_sim_llc *ret_llc)
{
	struct unc_sim *sim = unc_sim_of(host);

	return sim ? truth_llc(sim, l3, rmid, UINT64_MAX, ret_llc) : unc_sim_none(host);
}

int unc_sim_truth_llc_at(struct unc_host *host, unsigned l3, unsigned rmid, uint64_t raw_ns,
			 struct unc_sim_llc *ret_llc)
{
	struct unc_sim *sim = unc_sim_of(host);
	uint64_t t_ns;
	int rc;

	if (!sim)
		return unc_sim_none(host);
	rc = unc_sim_machine_time(sim, raw_ns, &t_ns);
	return rc < 0 ? rc : truth_llc(sim, l3, rmid, t_ns, ret_llc);
}
