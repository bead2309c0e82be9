// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cache monitoring: IA32_PQR_ASSOC, IA32_QM_EVTSEL, IA32_QM_CTR; and cache allocation as far as tools read and write
 * its registers: nothing comes of masks and delays.  Numbers and bits: Intel SDM vol. 3 ch. 17, "Intel Resource Director
 * Technology": "SDM".
 */
#include "sim/qm.h"

#include <inttypes.h>

#include "base/err.h"
#include "sim/msr.h"

enum { L3_QOS_CFG = 0xc81, QM_EVTSEL = 0xc8d, QM_CTR = 0xc8e, PQR_ASSOC = 0xc8f, L3_MASK_0 = 0xc90, MBA_0 = 0xd50 };

#define PQR_RMID       UINT64_C(0x3ff) /* 9:0; 31:10 are reserved */
#define PQR_RESERVED   UINT64_C(0xfffffc00)
#define PQR_CLOS_SHIFT 32 /* 63:32 */

#define EVTSEL_EVENT      UINT64_C(0xff) /* 7:0 */
#define EVTSEL_RMID       UINT64_C(0x3ff)
#define EVTSEL_RMID_SHIFT 32 /* 41:32 */
#define EVTSEL_WRITABLE   (EVTSEL_EVENT | EVTSEL_RMID << EVTSEL_RMID_SHIFT)

#define CTR_ERROR       (UINT64_C(1) << 63)
#define CTR_UNAVAILABLE (UINT64_C(1) << 62)

enum { EVENT_OCCUPANCY = 1, EVENT_TOTAL = 2, EVENT_LOCAL = 3 };

/* A byte, in rate * ticks. */
#define BYTE (UNC_SIM_RATE_ONE * UINT64_C(1000000000) * UNC_SIM_TICKS_PER_NS)

/* One L3 at a time. */
struct moment {
	struct unc_sim *sim;
	unsigned package;
	uint64_t t_ns;
};

static struct unc_sim_l3 *l3_of(const struct moment *moment)
{
	return &moment->sim->store.state->l3[moment->package];
}

static unsigned n_rmids(const struct unc_sim *sim)
{
	return sim->options.model->rdt ? sim->options.model->rdt->max_rmid + 1 : 0;
}

/* The i-th CPU of a package, NULL beyond the last. */
static const struct unc_sim_cpu *cpu_of(const struct moment *moment, unsigned i)
{
	const struct unc_sim_options *options = &moment->sim->options;
	unsigned thread = i / options->cores, core = i % options->cores;

	if (thread >= options->threads)
		return NULL;
	return &moment->sim->cpus[(thread * options->sockets + moment->package) * options->cores + core];
}

static unsigned rmid_of(const struct unc_sim *sim, const struct unc_sim_cpu *cpu)
{
	return sim->store.state->threads[cpu->number].pqr_assoc & PQR_RMID;
}

static unc_sim_wide bytes_until(const struct unc_sim_curve *curve, uint64_t t_ns)
{
	return unc_sim_curve_integral(curve, t_ns * UNC_SIM_TICKS_PER_NS) / BYTE;
}

/* From the last change until now. */
static unc_sim_wide moved(const struct moment *moment, const struct unc_sim_curve *curve)
{
	return bytes_until(curve, moment->t_ns) - bytes_until(curve, l3_of(moment)->changed_ns);
}

enum { ALL_RMIDS = -1 };

struct traffic {
	unc_sim_wide total, local;
};

/* Of an RMID, or of all. */
static struct traffic traffic_of(const struct moment *moment, int rmid)
{
	struct traffic traffic = {0};
	const struct unc_sim_cpu *cpu;
	unsigned i;

	for (i = 0; (cpu = cpu_of(moment, i)) != NULL; i++) {
		const struct unc_sim_cpu_load *load = &moment->sim->load.cpus[cpu->number];

		if (!cpu->online || (rmid != ALL_RMIDS && rmid_of(moment->sim, cpu) != (unsigned)rmid))
			continue;
		traffic.total += moved(moment, &load->total);
		traffic.local += moved(moment, &load->local);
	}
	return traffic;
}

/* Given what it and what all moved since the last change. */
static uint64_t occupancy_of(const struct moment *moment, unsigned rmid, unc_sim_wide total, unc_sim_wide all)
{
	const struct unc_sim_l3 *l3 = l3_of(moment);
	uint64_t had = l3->rmids[rmid].occupancy, target = l3->rmids[rmid].target;

	if (had <= target)
		return total < target - had ? had + (uint64_t)total : target;
	if (all >= l3->surplus)
		return target;
	return target + (uint64_t)((unc_sim_wide)(had - target) * (l3->surplus - all) / l3->surplus);
}

/* What has happened until now becomes what the state says, RMID by RMID. */
static void settle(const struct moment *moment)
{
	struct traffic traffic[UNC_SIM_RMIDS_MAX] = {{0}};
	struct unc_sim_l3 *l3 = l3_of(moment);
	const struct unc_sim_cpu *cpu;
	unc_sim_wide all = 0;
	unsigned i;

	for (i = 0; (cpu = cpu_of(moment, i)) != NULL; i++) {
		const struct unc_sim_cpu_load *load = &moment->sim->load.cpus[cpu->number];
		struct traffic *sum = &traffic[rmid_of(moment->sim, cpu) % UNC_SIM_RMIDS_MAX];

		if (!cpu->online)
			continue;
		sum->total += moved(moment, &load->total);
		sum->local += moved(moment, &load->local);
		all += moved(moment, &load->total);
	}
	for (i = 0; i < n_rmids(moment->sim); i++) {
		l3->rmids[i].occupancy = occupancy_of(moment, i, traffic[i].total, all);
		l3->rmids[i].total += traffic[i].total;
		l3->rmids[i].local += traffic[i].local;
	}
	l3->changed_ns = moment->t_ns;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* When that CPU will want more or less of the cache, in ns. */
static uint64_t next_step(const struct unc_sim_cpu_load *load, uint64_t t_ns)
{
	uint64_t next = unc_sim_curve_next(&load->occupancy, t_ns * UNC_SIM_TICKS_PER_NS);

	return next == UINT64_MAX ? UINT64_MAX : next / UNC_SIM_TICKS_PER_NS;
}

/* What each RMID is heading for from now on: after settle(). */
static void aim(const struct moment *moment)
{
	const uint64_t size = moment->sim->options.model->l3_bytes;
	unc_sim_wide wanted[UNC_SIM_RMIDS_MAX] = {0}, all = 0;
	struct unc_sim_l3 *l3 = l3_of(moment);
	const struct unc_sim_cpu *cpu;
	unsigned i;

	l3->change_ns = UINT64_MAX;
	for (i = 0; (cpu = cpu_of(moment, i)) != NULL; i++) {
		const struct unc_sim_cpu_load *load = &moment->sim->load.cpus[cpu->number];
		uint64_t want = unc_sim_curve_rate(&load->occupancy, moment->t_ns * UNC_SIM_TICKS_PER_NS);

		if (!cpu->online)
			continue;
		wanted[rmid_of(moment->sim, cpu) % UNC_SIM_RMIDS_MAX] += want;
		all += want;
		l3->change_ns = sooner(l3->change_ns, next_step(load, moment->t_ns));
	}
	l3->surplus = 0;
	for (i = 0; i < n_rmids(moment->sim); i++) {
		struct unc_sim_rmid *rmid = &l3->rmids[i];

		/* Either is below 2^67 * 2^26. */
		rmid->target = (uint64_t)(all > (unc_sim_wide)size * UNC_SIM_RATE_ONE ? wanted[i] * size / all
										      : wanted[i] / UNC_SIM_RATE_ONE);
		if (rmid->occupancy > rmid->target)
			l3->surplus += rmid->occupancy - rmid->target;
	}
}

/* All steps of what CPUs want until now, in their order; the first of them is the machine's start. */
static void catch_up(const struct moment *moment)
{
	struct unc_sim_l3 *l3 = l3_of(moment);

	while (l3->change_ns <= moment->t_ns) {
		const struct moment step = {.sim = moment->sim, .package = moment->package, .t_ns = l3->change_ns};

		settle(&step);
		aim(&step);
	}
}

/* What an RMID has in the cache, and what it has moved since the machine's start: bytes. */
struct account {
	uint64_t occupancy;
	struct traffic moved;
};

static struct account account_of(const struct moment *moment, unsigned rmid)
{
	const struct unc_sim_rmid *is = &l3_of(moment)->rmids[rmid];
	struct traffic traffic = traffic_of(moment, (int)rmid);
	unc_sim_wide all = is->occupancy > is->target ? traffic_of(moment, ALL_RMIDS).total : 0;

	return (struct account){
		.occupancy = occupancy_of(moment, rmid, traffic.total, all),
		.moved = {.total = is->total + traffic.total, .local = is->local + traffic.local},
	};
}

static struct moment moment_of(const struct unc_sim_msr *at)
{
	return (struct moment){.sim = at->sim, .package = at->cpu->package, .t_ns = at->t_ns};
}

static struct unc_sim_thread *thread_of(const struct unc_sim_msr *at)
{
	return &at->sim->store.state->threads[at->cpu->number];
}

static uint64_t pqr_assoc(const struct unc_sim_msr *at)
{
	return thread_of(at)->pqr_assoc;
}

/* Without allocation the CLOS is reserved. */
static bool pqr_assoc_write(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_rdt *rdt = at->sim->options.model->rdt;
	uint64_t *pqr = &thread_of(at)->pqr_assoc, n_clos = rdt->n_clos ? rdt->n_clos : 1;
	struct moment moment = moment_of(at);

	if (value & PQR_RESERVED || (value & PQR_RMID) > rdt->max_rmid || value >> PQR_CLOS_SHIFT >= n_clos)
		return false;
	if ((value ^ *pqr) & PQR_RMID) {
		catch_up(&moment);
		settle(&moment);
		*pqr = value;
		aim(&moment);
	}
	*pqr = value;
	return true;
}

/* Linux takes it for one of the L3's, Intel PCM for each CPU's own: qm_scope=. */
static uint64_t *evtsel_of(const struct unc_sim_msr *at)
{
	if (at->sim->options.qm_per_package)
		return &at->sim->store.state->l3[at->cpu->package].evtsel;
	return &thread_of(at)->evtsel;
}

static uint64_t qm_evtsel(const struct unc_sim_msr *at)
{
	return *evtsel_of(at);
}

/* An RMID beyond the highest can be written: QM_CTR says that it is wrong. */
static bool qm_evtsel_write(const struct unc_sim_msr *at, uint64_t value)
{
	if (value & ~EVTSEL_WRITABLE)
		return false;
	*evtsel_of(at) = value;
	return true;
}

/* qm=: what this read of an RMID and event gives instead of data, 0: data. */
static uint64_t refusal(const struct unc_sim_msr *at, struct unc_sim_rmid *rmid, unsigned event)
{
	const struct unc_sim_options *options = &at->sim->options;
	uint32_t *refused = &rmid->refused[event - EVENT_OCCUPANCY];

	if (options->qm == UNC_SIM_QM_OK || (options->qm_times && *refused >= options->qm_times))
		return 0;
	if (options->qm_times)
		++*refused;
	return options->qm == UNC_SIM_QM_ERROR ? CTR_ERROR : CTR_UNAVAILABLE;
}

static uint64_t data_of(const struct unc_sim_rdt *rdt, const struct account *account, unsigned event)
{
	uint64_t mask = (UINT64_C(1) << rdt->width) - 1;

	switch (event) {
	case EVENT_OCCUPANCY:
		return account->occupancy / rdt->upscale;
	case EVENT_TOTAL:
		return (uint64_t)(account->moved.total / rdt->upscale) & mask;
	case EVENT_LOCAL:
	default:
		return (uint64_t)(account->moved.local / rdt->upscale) & mask;
	}
}

static uint64_t qm_ctr(const struct unc_sim_msr *at)
{
	const struct unc_sim_rdt *rdt = at->sim->options.model->rdt;
	uint64_t evtsel = *evtsel_of(at), refused;
	unsigned event = evtsel & EVTSEL_EVENT, rmid = evtsel >> EVTSEL_RMID_SHIFT & EVTSEL_RMID;
	struct moment moment = moment_of(at);
	struct account account;

	if (event < EVENT_OCCUPANCY || event > EVENT_LOCAL || !(rdt->events >> (event - EVENT_OCCUPANCY) & 1) ||
	    rmid > rdt->max_rmid)
		return CTR_ERROR;
	refused = refusal(at, &l3_of(&moment)->rmids[rmid], event);
	if (refused)
		return refused;
	catch_up(&moment);
	account = account_of(&moment, rmid);
	return data_of(rdt, &account, event);
}

static struct unc_cpuid_regs cpuid_10(const struct unc_sim_msr *at, uint32_t subleaf)
{
	struct unc_cpuid_regs regs;

	unc_sim_cpuid(at->sim, at->cpu, 0x10, subleaf, &regs);
	return regs;
}

/* As many ones as CPUID 0x10.1 EAX 4:0 says, plus one (SDM). */
static uint64_t cbm_all(const struct unc_sim_msr *at)
{
	return (UINT64_C(2) << (cpuid_10(at, 1).eax & 0x1f)) - 1;
}

/* One run of ones, not empty: else #GP (SDM). */
static bool l3_mask_write(const struct unc_sim_msr *at, uint64_t value)
{
	uint64_t lowest = value & (~value + 1);

	if (!value || value & ~cbm_all(at) || value & (value + lowest))
		return false;
	return unc_sim_msr_keep(at, value);
}

/* A delay in per cent, at most CPUID 0x10.3 EAX 11:0 plus one (SDM). */
static bool mba_write(const struct unc_sim_msr *at, uint64_t value)
{
	return value <= (cpuid_10(at, 3).eax & 0xfff) + 1 && unc_sim_msr_keep(at, value);
}

static const struct unc_sim_msr_reg regs[] = {
	{.first = QM_EVTSEL, .on = UNC_SIM_ON_LATER, .base = qm_evtsel, .write = qm_evtsel_write},
	{.first = QM_CTR, .on = UNC_SIM_ON_LATER, .base = qm_ctr},
	{.first = PQR_ASSOC, .on = UNC_SIM_ON_LATER, .base = pqr_assoc, .write = pqr_assoc_write},
	/* bit 0: code and data apart (CDP), which CPUID 0x10.1 ECX[2] offers on both */
	{.first = L3_QOS_CFG,
	 .on = UNC_SIM_ON_BROADWELLS | UNC_SIM_ON_SKYLAKES,
	 .scope = UNC_SIM_OF_PACKAGE,
	 .writable = 1},
	{.first = L3_MASK_0,
	 .block = 0xffff, /* 16 CLOS */
	 .on = UNC_SIM_ON_BROADWELLS | UNC_SIM_ON_SKYLAKES,
	 .scope = UNC_SIM_OF_PACKAGE,
	 .base = cbm_all,
	 .writable = UINT32_MAX,
	 .write = l3_mask_write},
	{.first = MBA_0,
	 .block = 0xff, /* 8 CLOS */
	 .on = UNC_SIM_ON_SKYLAKES,
	 .scope = UNC_SIM_OF_PACKAGE,
	 .writable = 0xfff,
	 .write = mba_write},
};

const struct unc_sim_msr_table unc_sim_msr_qm = {regs, sizeof(regs) / sizeof(regs[0])};

void unc_sim_qm_reset(struct unc_sim *sim, uint64_t t_ns)
{
	struct moment moment = {.sim = sim, .t_ns = t_ns};
	const struct unc_sim_cpu *cpu;
	unsigned i;

	for (; n_rmids(sim) && moment.package < sim->options.sockets; moment.package++) {
		struct unc_sim_l3 *l3 = l3_of(&moment);

		catch_up(&moment);
		settle(&moment);
		l3->evtsel = 0;
		for (i = 0; i < n_rmids(sim); i++)
			l3->rmids[i].occupancy = 0;
		for (i = 0; (cpu = cpu_of(&moment, i)) != NULL; i++)
			sim->store.state->threads[cpu->number].pqr_assoc = 0;
		aim(&moment);
	}
}

unsigned unc_sim_rmids(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim ? n_rmids(sim) : 0;
}

/* The moment's own time says until when; UINT64_MAX: until now.  Locked. */
static int truth(struct moment *moment, unsigned rmid, struct unc_sim_llc *ret_llc)
{
	struct unc_sim *sim = moment->sim;
	uint64_t now_ns = unc_sim_state_now(sim->store.state);
	struct account account;

	if (moment->t_ns == UINT64_MAX)
		moment->t_ns = now_ns;
	if (moment->t_ns > now_ns || moment->t_ns < l3_of(moment)->changed_ns)
		return unc_fail(sim->host.ctx, UNC_ERANGE,
				"sim:%s: what was in the L3 of package %u is known from the last change, at %" PRIu64
				" ns of the machine's time, until now, %" PRIu64 " ns, not at %" PRIu64 " ns",
				sim->options.model->name, moment->package, l3_of(moment)->changed_ns, now_ns,
				moment->t_ns);
	catch_up(moment);
	account = account_of(moment, rmid);
	*ret_llc = (struct unc_sim_llc){
		.occupancy_bytes = account.occupancy,
		.total_bytes = (uint64_t)account.moved.total,
		.local_bytes = (uint64_t)account.moved.local,
	};
	return UNC_OK;
}

static int truth_llc(struct unc_host *host, struct moment *moment, unsigned rmid, struct unc_sim_llc *ret_llc)
{
	struct unc_sim *sim = moment->sim;
	int rc;

	if (moment->package >= sim->options.sockets || rmid >= n_rmids(sim))
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: there is no RMID %u on package %u",
				sim->options.model->name, rmid, moment->package);
	unc_sim_store_lock(&sim->store);
	rc = truth(moment, rmid, ret_llc);
	unc_sim_store_unlock(&sim->store);
	return rc;
}

int unc_sim_truth_llc(struct unc_host *host, unsigned package, unsigned rmid, struct unc_sim_llc *ret_llc)
{
	struct moment moment = {.sim = unc_sim_of(host), .package = package, .t_ns = UINT64_MAX};

	return moment.sim ? truth_llc(host, &moment, rmid, ret_llc) : unc_sim_none(host);
}

int unc_sim_truth_llc_at(struct unc_host *host, unsigned package, unsigned rmid, uint64_t raw_ns,
			 struct unc_sim_llc *ret_llc)
{
	struct moment moment = {.sim = unc_sim_of(host), .package = package};
	int rc;

	if (!moment.sim)
		return unc_sim_none(host);
	rc = unc_sim_machine_time(moment.sim, raw_ns, &moment.t_ns);
	return rc < 0 ? rc : truth_llc(host, &moment, rmid, ret_llc);
}
