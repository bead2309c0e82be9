// SPDX-License-Identifier: GPL-2.0-or-later
/* The accounts of the last-level caches: what each RMID has in them and has moved.  See qm.h. */
#include "sim/qm.h"

/* One byte, in rate * ticks. */
#define BYTE (UNC_SIM_RATE_ONE * UINT64_C(1000000000) * UNC_SIM_TICKS_PER_NS)

#define PQR_RMID UINT64_C(0xffffffff) /* including its reserved bits, which are 0: sim/qm.c */

struct unc_sim_share *unc_sim_share_at(const struct unc_sim *sim, unsigned share)
{
	void *at = sim->store.state->shares + share * sim->share_bytes;

	return at;
}

static struct unc_sim_share *share_of(const struct unc_sim_moment *moment)
{
	return unc_sim_share_at(moment->sim, moment->share);
}

struct unc_sim_rmid *unc_sim_rmid_at(const struct unc_sim_moment *moment, unsigned account)
{
	return &share_of(moment)->rmids[account];
}

unsigned unc_sim_n_rmids(const struct unc_sim *sim)
{
	const struct unc_sim_rdt *rdt = sim->options.model->rdt;

	return rdt && rdt->events ? rdt->max_rmid + 1 : 0;
}

unsigned unc_sim_n_accounts(const struct unc_sim *sim)
{
	return unc_sim_n_rmids(sim) / sim->options.snc;
}

/* The i-th CPU of a share, NULL beyond the last. */
static const struct unc_sim_cpu *cpu_of(const struct unc_sim_moment *moment, size_t i)
{
	const struct unc_sim *sim = moment->sim;

	i += sim->share_begin[moment->share];
	return i < sim->share_begin[moment->share + 1] ? sim->of_share[i] : NULL;
}

/*
 * Returns the account of a CPU's bytes: its RMID. With sub-NUMA clustering and RMIDs in sharing mode this is the same,
 * as far as a node has accounts; in local mode each node has one range of RMIDs, one after the other. What has no
 * account goes to one after the last, which cannot be read.
 */
static unsigned account_for(const struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint64_t pqr_assoc)
{
	const struct unc_sim_package *package = &sim->store.state->packages[cpu->package];
	unsigned rmid = sim->qm_faults.assoc_dead == cpu ? 0 : (unsigned)(pqr_assoc & PQR_RMID);
	unsigned n = unc_sim_n_accounts(sim);
	unsigned first = package->snc_sharing ? 0 : cpu->node % sim->options.snc * n;

	return rmid >= first && rmid - first < n ? rmid - first : n;
}

static unsigned account_number(const struct unc_sim *sim, const struct unc_sim_cpu *cpu)
{
	return account_for(sim, cpu, sim->store.state->threads[cpu->number].pqr_assoc);
}

/* Returns the bytes from the last change until now. */
static unc_sim_wide moved(const struct unc_sim_moment *moment, const struct unc_sim_curve *curve)
{
	return unc_sim_curve_integral(curve, moment->t_ns * UNC_SIM_TICKS_PER_NS) / BYTE -
	       unc_sim_curve_integral(curve, share_of(moment)->changed_ns * UNC_SIM_TICKS_PER_NS) / BYTE;
}

enum { ALL_ACCOUNTS = -1 };

/* Returns the traffic of one account, or of all, since the last change. */
static struct unc_sim_accumulator traffic_of(const struct unc_sim_moment *moment, int account)
{
	struct unc_sim_accumulator traffic = {0};
	const struct unc_sim_cpu *cpu;

	for (size_t i = 0; (cpu = cpu_of(moment, i)) != NULL; i++) {
		const struct unc_sim_cpu_load *load = &moment->sim->load.cpus[cpu->number];

		if (!cpu->online || (account != ALL_ACCOUNTS && account_number(moment->sim, cpu) != (unsigned)account))
			continue;
		traffic.total += moved(moment, &load->total);
		traffic.local += moved(moment, &load->local);
	}
	return traffic;
}

/* Returns the bytes in the cache now; total and all are what this account and all of them moved since the last change. */
static uint64_t occupancy_of(const struct unc_sim_moment *moment, unsigned account, unc_sim_wide total,
			     unc_sim_wide all)
{
	const struct unc_sim_rmid *is = unc_sim_rmid_at(moment, account);
	uint64_t surplus = share_of(moment)->surplus;

	if (is->occupancy <= is->target)
		return total < is->target - is->occupancy ? is->occupancy + (uint64_t)total : is->target;
	if (all >= surplus)
		return is->target;
	return is->target + (uint64_t)((unc_sim_wide)(is->occupancy - is->target) * (surplus - all) / surplus);
}

/* Returns the next account, from this one on, that a CPU ever had; UNC_SIM_RMIDS_MAX: none. */
static unsigned next_carried(const struct unc_sim_moment *moment, unsigned account)
{
	const struct unc_sim_share *share = share_of(moment);
	unsigned n = unc_sim_n_accounts(moment->sim) + 1; /* plus the one that cannot be read */

	while (account < n && account < UNC_SIM_RMIDS_MAX) {
		uint64_t rest = share->carried[account / 64] >> account % 64;

		if (rest & 1)
			return account;
		account = rest ? account + 1 : (account / 64 + 1) * 64;
	}
	return UNC_SIM_RMIDS_MAX;
}

#define EACH_CARRIED(moment, i)                                                                                        \
	(i) = next_carried(moment, 0);                                                                                 \
	(i) < UNC_SIM_RMIDS_MAX;                                                                                       \
	(i) = next_carried(moment, (i) + 1)

/* Brings the accounts in the state up to date. */
static void account_until(const struct unc_sim_moment *moment)
{
	struct unc_sim_accumulator *sums = moment->sim->sums;
	struct unc_sim_share *share = share_of(moment);
	const struct unc_sim_cpu *cpu;
	unc_sim_wide all = 0;
	unsigned i;

	for (EACH_CARRIED(moment, i))
		sums[i] = (struct unc_sim_accumulator){0};
	for (size_t k = 0; (cpu = cpu_of(moment, k)) != NULL; k++) {
		const struct unc_sim_cpu_load *load = &moment->sim->load.cpus[cpu->number];
		struct unc_sim_accumulator *sum = &sums[account_number(moment->sim, cpu)];

		if (!cpu->online)
			continue;
		sum->total += moved(moment, &load->total);
		sum->local += moved(moment, &load->local);
		all += moved(moment, &load->total);
	}
	for (EACH_CARRIED(moment, i)) {
		share->rmids[i].occupancy = occupancy_of(moment, i, sums[i].total, all);
		if (share->rmids[i].peak < share->rmids[i].occupancy)
			share->rmids[i].peak = share->rmids[i].occupancy;
		share->rmids[i].total += sums[i].total;
		share->rmids[i].local += sums[i].local;
	}
	share->changed_ns = moment->t_ns;
}

/* Sets the target of each RMID from now on; call it after account_until(). */
static void aim(const struct unc_sim_moment *moment)
{
	const uint64_t size = moment->sim->options.model->l3_bytes / moment->sim->options.snc;
	struct unc_sim_accumulator *sums = moment->sim->sums;
	struct unc_sim_share *share = share_of(moment);
	const struct unc_sim_cpu *cpu;
	unc_sim_wide all = 0;
	unsigned i;

	for (size_t k = 0; (cpu = cpu_of(moment, k)) != NULL; k++) {
		unsigned account = account_number(moment->sim, cpu);

		share->carried[account / 64] |= UINT64_C(1) << account % 64;
	}
	for (EACH_CARRIED(moment, i))
		sums[i] = (struct unc_sim_accumulator){0};
	share->change_ns = UINT64_MAX;
	for (size_t k = 0; (cpu = cpu_of(moment, k)) != NULL; k++) {
		const struct unc_sim_cpu_load *load = &moment->sim->load.cpus[cpu->number];
		uint64_t tick = moment->t_ns * UNC_SIM_TICKS_PER_NS;
		uint64_t want = unc_sim_curve_rate(&load->occupancy, tick);
		uint64_t next = unc_sim_curve_next(&load->occupancy, tick);

		if (!cpu->online)
			continue;
		sums[account_number(moment->sim, cpu)].wanted += want;
		all += want;
		if (next != UINT64_MAX)
			share->change_ns = unc_sim_least(share->change_ns, next / UNC_SIM_TICKS_PER_NS);
	}
	share->surplus = 0;
	for (EACH_CARRIED(moment, i)) {
		struct unc_sim_rmid *rmid = &share->rmids[i];
		unc_sim_wide wanted = sums[i].wanted;

		/* The product fits: wanted is below 2^75, 2^64 for each CPU, and a cache is far below 2^53 bytes. */
		rmid->target = (uint64_t)(all > (unc_sim_wide)size * UNC_SIM_RATE_ONE ? wanted * size / all
										      : wanted / UNC_SIM_RATE_ONE);
		if (rmid->occupancy > rmid->target)
			share->surplus += rmid->occupancy - rmid->target;
	}
}

/* AMD: hardware begins to count for this RMID, from 0 on; call it after account_until(). */
static void track(const struct unc_sim_moment *moment, unsigned account)
{
	struct unc_sim_rmid *rmid = unc_sim_rmid_at(moment, account);

	rmid->tracked = 1;
	rmid->unread = (1u << UNC_SIM_QM_EVENTS) - 1;
	for (unsigned i = 0; i < UNC_SIM_BANDWIDTHS; i++)
		rmid->from[i] = unc_sim_counted(moment, i, rmid->total, rmid->local);
}

/* Does all steps of what CPUs want until now, in order; the first of them is the machine's start. */
void unc_sim_llc_catch_up(const struct unc_sim_moment *moment)
{
	struct unc_sim_share *share = share_of(moment);

	if (!share->change_ns)
		track(moment, 0);
	for (;;) {
		const struct unc_sim_moment step = {.sim = moment->sim,
						    .share = moment->share,
						    .t_ns = unc_sim_bounded(&share->change_ns, UINT64_MAX)};

		if (step.t_ns > moment->t_ns)
			return;
		account_until(&step);
		aim(&step);
		if (share->change_ns <= step.t_ns)
			return; /* the state is damaged */
	}
}

/* Must be called before what CPUs want or move, or their account, changes; aim() after it. */
static void account_now(const struct unc_sim_moment *moment)
{
	unc_sim_llc_catch_up(moment);
	account_until(moment);
}

void unc_sim_llc_begin(const struct unc_sim_moment *moment, unsigned bandwidth)
{
	struct unc_sim_share *share = share_of(moment);
	unsigned i;

	account_now(moment);
	for (EACH_CARRIED(moment, i)) {
		struct unc_sim_rmid *rmid = &share->rmids[i];

		rmid->unread |= (uint16_t)(2u << bandwidth); /* the bit after that of occupancy */
		rmid->from[bandwidth] = unc_sim_counted(moment, bandwidth, rmid->total, rmid->local);
	}
	aim(moment);
}

struct unc_sim_account unc_sim_llc_account(const struct unc_sim_moment *moment, unsigned account)
{
	const struct unc_sim_rmid *is = unc_sim_rmid_at(moment, account);
	struct unc_sim_accumulator traffic = traffic_of(moment, (int)account);
	unc_sim_wide all = is->occupancy > is->target ? traffic_of(moment, ALL_ACCOUNTS).total : 0;

	return (struct unc_sim_account){
		.occupancy = occupancy_of(moment, account, traffic.total, all),
		.total = is->total + traffic.total,
		.local = is->local + traffic.local,
	};
}

void unc_sim_llc_carry(const struct unc_sim_moment *moment, const struct unc_sim_cpu *cpu, uint64_t pqr_assoc)
{
	unsigned account = account_for(moment->sim, cpu, pqr_assoc);
	const struct unc_sim_cpu *other;
	bool carried = false;

	account_now(moment);
	for (size_t k = 0; (other = cpu_of(moment, k)) != NULL; k++)
		carried |= other->online && account_number(moment->sim, other) == account;
	if (!carried)
		track(moment, account);
	moment->sim->store.state->threads[cpu->number].pqr_assoc = pqr_assoc;
	aim(moment);
}

/* Does it for each share that has one of the CPUs. */
static void each_share(struct unc_sim *sim, const uint64_t *cpus, uint64_t t_ns,
		       void (*act)(const struct unc_sim_moment *moment))
{
	struct unc_sim_moment moment = {.sim = sim, .t_ns = t_ns};

	for (; unc_sim_n_rmids(sim) && moment.share < sim->n_shares; moment.share++) {
		const struct unc_sim_cpu *cpu;
		bool has_some = !cpus;

		for (size_t k = 0; !has_some && (cpu = cpu_of(&moment, k)) != NULL; k++)
			has_some = cpus[cpu->number / 64] >> cpu->number % 64 & 1;
		if (has_some)
			act(&moment);
	}
}

void unc_sim_llc_before_change(struct unc_sim *sim, const uint64_t *cpus, uint64_t t_ns)
{
	each_share(sim, cpus, t_ns, account_now);
}

void unc_sim_llc_after_change(struct unc_sim *sim, const uint64_t *cpus, uint64_t t_ns)
{
	each_share(sim, cpus, t_ns, aim);
}

void unc_sim_llc_reset(struct unc_sim *sim, uint64_t t_ns)
{
	struct unc_sim_moment moment = {.sim = sim, .t_ns = t_ns};
	const struct unc_sim_cpu *cpu;
	unsigned i;

	if (!unc_sim_n_rmids(sim))
		return;
	unc_sim_llc_before_change(sim, NULL, t_ns);
	for (; moment.share < sim->n_shares; moment.share++) {
		struct unc_sim_share *share = share_of(&moment);

		for (EACH_CARRIED(&moment, i)) {
			share->rmids[i].occupancy = share->rmids[i].peak = 0;
			share->rmids[i].tracked = 0;
		}
		for (size_t k = 0; (cpu = cpu_of(&moment, k)) != NULL; k++)
			sim->store.state->threads[cpu->number].pqr_assoc = 0;
		track(&moment, 0);
	}
	for (i = 0; i < sim->options.sockets; i++)
		sim->store.state->packages[i].snc_sharing = 0;
	unc_sim_llc_after_change(sim, NULL, t_ns);
}
