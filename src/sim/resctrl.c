// SPDX-License-Identifier: GPL-2.0-or-later
/* How the kernel accesses the registers of cache monitoring: see resctrl.h. Numbers and bits: Intel SDM vol. 3 ch. 17. */

#include "sim/chance.h"
#include "sim/msr.h"
#include "sim/qm.h"
#include "sim/resctrl.h"

enum { QM_EVTSEL = 0xc8d, QM_CTR = 0xc8e, PQR_ASSOC = 0xc8f };
enum { RMID_SHIFT = 32, CLOS_SHIFT = 32 };
#define CTR_ERROR       (UINT64_C(1) << 63)
#define CTR_UNAVAILABLE (UINT64_C(1) << 62)

#define SECOND_NS UINT64_C(1000000000) /* MBM_OVERFLOW_INTERVAL */
#define DAY_NS    (86400 * SECOND_NS)

enum { MILLION = 1000000, FACTOR_BITS = 20 };

static struct unc_sim_resctrl *resctrl_of(const struct unc_sim *sim)
{
	return &sim->store.state->resctrl;
}

bool unc_sim_resctrl_has(const struct unc_sim *sim, enum unc_sim_resctrl_event event)
{
	return sim->options.model->rdt->events >> event & 1;
}

const struct unc_sim_cpu *unc_sim_resctrl_cpu(const struct unc_sim *sim, size_t l3)
{
	for (size_t i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].online && sim->cpus[i].l3 == l3)
			return &sim->cpus[i];
	return NULL;
}

struct agent { /* one occasion on which the kernel acts, on one CPU */
	struct unc_sim *sim;
	const struct unc_sim_cpu *cpu;
	uint64_t t_ns; /* the time of all accesses, if no time passes */
	bool passes;
};

/*
 * With clock=real an access that was made meanwhile can be later than the time at which this one was due; time never
 * goes back.
 */
static struct unc_sim_msr access_of(const struct agent *agent, uint32_t number)
{
	struct unc_sim *sim = agent->sim;
	struct unc_sim_state *state = sim->store.state;
	const struct unc_sim_share *share = unc_sim_share_at(sim, unc_sim_share_of(sim, agent->cpu));
	uint64_t t_ns, changed_ns = unc_sim_bounded(&share->changed_ns, UNC_SIM_TIME_MAX);

	t_ns = agent->passes ? unc_sim_state_access(state) : unc_sim_state_access_at(state, agent->t_ns);
	return (struct unc_sim_msr){.sim = sim,
				    .cpu = agent->cpu,
				    .number = number,
				    .t_ns = t_ns > changed_ns ? t_ns : changed_ns,
				    .by_kernel = true};
}

static void put(const struct agent *agent, uint32_t number, uint64_t value)
{
	struct unc_sim_msr msr = access_of(agent, number);

	unc_sim_msr_store(&msr, value);
	if (agent->passes)
		unc_sim_access_pass(agent->sim);
}

/* as monitor.c, __rmid_read() */
static int read_counter(const struct agent *agent, unsigned rmid, enum unc_sim_resctrl_event event, uint64_t *ret_data)
{
	struct unc_sim_msr msr;
	uint64_t ctr = CTR_ERROR;

	put(agent, QM_EVTSEL, (uint64_t)rmid << RMID_SHIFT | (unsigned)(event + 1));
	msr = access_of(agent, QM_CTR);
	unc_sim_msr_load(&msr, &ctr);
	if (agent->passes)
		unc_sim_access_pass(agent->sim);
	if (ctr & CTR_ERROR)
		return UNC_EIO;
	if (ctr & CTR_UNAVAILABLE)
		return UNC_EAGAIN;
	*ret_data = ctr;
	return UNC_OK;
}

/* as resctrl_arch_rmid_read() */
static int units_of(const struct agent *agent, size_t group, enum unc_sim_resctrl_event event, uint64_t *ret_units)
{
	struct unc_sim_resctrl *resctrl = resctrl_of(agent->sim);
	const struct unc_sim_rdt *rdt = agent->sim->options.model->rdt;
	uint64_t mask = (UINT64_C(1) << rdt->width) - 1, data, factor;
	unsigned millionths = unc_sim_mbm_millionths(rdt->max_rmid, resctrl->rmids[group]);
	int rc = read_counter(agent, resctrl->rmids[group], event, &data);
	struct unc_sim_mbm *mbm;

	if (rc < 0)
		return rc;
	*ret_units = data;
	if (event == UNC_SIM_RESCTRL_OCCUPANCY)
		return UNC_OK;
	mbm = &resctrl->mbm[group][agent->cpu->l3][event - UNC_SIM_RESCTRL_TOTAL];
	mbm->units += (data - mbm->prev) & mask;
	mbm->prev = data;
	/* as get_corrected_mbm_count(), with a fixed-point factor */
	factor = (((uint64_t)millionths << FACTOR_BITS) + MILLION / 2) / MILLION;
	*ret_units = mbm->units;
	if (agent->sim->mbm_corrected && millionths != MILLION)
		*ret_units = (uint64_t)((unc_sim_wide)mbm->units * factor >> FACTOR_BITS);
	return UNC_OK;
}

int unc_sim_resctrl_read(struct unc_sim *sim, size_t group, size_t l3, enum unc_sim_resctrl_event event,
			 uint64_t *ret_bytes)
{
	const struct agent agent = {.sim = sim, .cpu = unc_sim_resctrl_cpu(sim, l3), .passes = true};
	unc_sim_wide factor = (unsigned)(MILLION + sim->options.resctrl.off_ppm);
	uint64_t units, all = 0;
	bool any = false;
	int rc = UNC_OK, one;

	/* mon_event_count(): it fails only if all reads failed, with the error of the last one. */
	unc_sim_lock(sim);
	for (size_t i = 0; i < sim->n_groups; i++) {
		if (i != group && !(sim->groups[i].monitors && sim->groups[i].parent == group))
			continue;
		one = units_of(&agent, i, event, &units);
		rc = one < 0 ? one : rc;
		any |= one == UNC_OK;
		all += one == UNC_OK ? units : 0;
	}
	unc_sim_unlock(sim);
	*ret_bytes = (uint64_t)(all * (unc_sim_wide)sim->options.model->rdt->upscale * factor / MILLION);
	return any ? UNC_OK : rc;
}

/*
 * Reads both bandwidths of all groups on all L3s. With first it is the read of the mount, resctrl_arch_reset_rmid(): what
 * cannot be read begins at 0; without, that of every second, mbm_update().
 */
static void read_all(struct unc_sim *sim, uint64_t t_ns, bool first)
{
	struct unc_sim_resctrl *resctrl = resctrl_of(sim);
	size_t n = unc_sim_bounded32(&resctrl->n_groups, UNC_SIM_GROUPS);

	for (size_t l3 = 0; l3 < sim->n_caches; l3++) {
		const struct agent agent = {.sim = sim, .cpu = unc_sim_resctrl_cpu(sim, l3), .t_ns = t_ns};

		for (size_t k = 0; agent.cpu && k < n * UNC_SIM_BANDWIDTHS; k++) {
			size_t group = k / UNC_SIM_BANDWIDTHS, nth = k % UNC_SIM_BANDWIDTHS;
			enum unc_sim_resctrl_event event = nth ? UNC_SIM_RESCTRL_LOCAL : UNC_SIM_RESCTRL_TOTAL;
			uint64_t units;

			if (!unc_sim_resctrl_has(sim, event))
				continue;
			if (first)
				read_counter(&agent, resctrl->rmids[group], event, &resctrl->mbm[group][l3][nth].prev);
			else
				units_of(&agent, group, event, &units);
		}
	}
}

void unc_sim_resctrl_catch_up(struct unc_sim *sim)
{
	struct unc_sim_resctrl *resctrl = resctrl_of(sim);
	uint64_t due_ns = unc_sim_bounded(&resctrl->due_ns, UNC_SIM_TIME_MAX), now_ns;

	if (!due_ns || !unc_sim_n_rmids(sim))
		return;
	now_ns = unc_sim_state_now(sim->store.state);
	if (now_ns > due_ns + DAY_NS)
		due_ns += (now_ns - DAY_NS - due_ns) / SECOND_NS * SECOND_NS;
	for (; due_ns <= now_ns; due_ns += SECOND_NS)
		read_all(sim, due_ns, false);
	resctrl->due_ns = due_ns;
}

/* Must be called last for monitoring groups: their CPUs are also CPUs of their control group. */
static void give_cpus(struct unc_sim *sim, uint64_t now_ns, bool monitoring)
{
	for (size_t i = 1; i < sim->n_groups; i++) {
		const struct unc_sim_group *group = &sim->groups[i];

		for (unsigned cpu = 0; cpu < sim->n_cpus && group->monitors == monitoring; cpu++) {
			const struct agent agent = {.sim = sim, .cpu = &sim->cpus[cpu], .t_ns = now_ns};

			if (unc_sim_has_cpu(&group->cpus, cpu))
				put(&agent, PQR_ASSOC, group->clos << CLOS_SHIFT | group->rmid);
		}
	}
}

int unc_sim_resctrl_mount(struct unc_sim *sim)
{
	struct unc_sim_resctrl *resctrl = resctrl_of(sim);
	uint64_t fingerprint = 1, now_ns = unc_sim_state_now(sim->store.state);

	for (size_t i = 1; i < sim->n_groups; i++) {
		const struct unc_sim_group *group = &sim->groups[i];

		fingerprint =
			31 * (31 * fingerprint + unc_sim_fingerprint(group->path, strlen(group->path))) + group->rmid;
		for (unsigned cpu = 0; cpu < sim->n_cpus; cpu++)
			if (unc_sim_has_cpu(&group->cpus, cpu))
				fingerprint = 31 * fingerprint + cpu + 1;
	}
	fingerprint += !fingerprint;
	if (!sim->options.resctrl.on || resctrl->fingerprint == fingerprint)
		return UNC_OK;
	if (resctrl->fingerprint)
		return unc_sim_fail(sim, UNC_EARG, "state=%s: resctrl is mounted there with other groups than these",
				    sim->options.state);
	resctrl->fingerprint = fingerprint;
	resctrl->n_groups = (uint32_t)sim->n_groups;
	for (size_t i = 0; i < sim->n_groups; i++)
		resctrl->rmids[i] = sim->groups[i].rmid;
	read_all(sim, now_ns, true);
	give_cpus(sim, now_ns, false);
	give_cpus(sim, now_ns, true);
	if (unc_sim_resctrl_has(sim, UNC_SIM_RESCTRL_TOTAL) || unc_sim_resctrl_has(sim, UNC_SIM_RESCTRL_LOCAL))
		resctrl->due_ns = now_ns + SECOND_NS;
	return UNC_OK;
}

/* The groups of resctrl, and the check that they are possible. */

static int refuse(const struct unc_sim *sim, const struct unc_sim_group *group, const char *why)
{
	return unc_sim_fail(sim, UNC_EARG, "resctrl_group=%.100s:%u: %s", group->path, group->rmid, why);
}

/* Returns the number of groups if there is none of that path. */
static size_t find(const struct unc_sim *sim, const char *path, size_t len)
{
	size_t i = 0;

	while (i < sim->n_groups &&
	       (strlen(sim->groups[i].path) != len || strncmp(sim->groups[i].path, path, len) != 0))
		i++;
	return i;
}

/* A monitoring group is in the folder of another group, or of mon_groups; control groups are not. */
static int add_group(struct unc_sim *sim, const struct unc_sim_group *given)
{
	static const char mon_groups[] = "mon_groups/";
	struct unc_sim_group *group = &sim->groups[sim->n_groups];

	*group = *given;
	group->monitors = strchr(group->path, '/');
	if (find(sim, group->path, strlen(group->path)) < sim->n_groups)
		return refuse(sim, group, "there is a group of that name already");
	for (size_t i = 0; i < sim->n_groups; i++) {
		if (sim->groups[i].rmid == group->rmid)
			return refuse(sim, group, "another group has that RMID, or it is 0, the root group's");
		group->clos += !sim->groups[i].monitors;
	}
	if (group->rmid >= unc_sim_n_rmids(sim))
		return refuse(sim, group, "this processor has fewer RMIDs");
	if (group->monitors) {
		bool of_root = strncmp(group->path, mon_groups, strlen(mon_groups)) == 0;

		group->parent = find(sim, group->path, of_root ? 0 : strcspn(group->path, "/"));
		if (group->parent == sim->n_groups)
			return refuse(sim, group, "the group in which it is must be given before");
		group->clos = sim->groups[group->parent].clos;
	} else if (group->clos >= sim->options.model->rdt->n_clos) {
		return refuse(sim, group,
			      "this processor has no class of service left for a control group; call it "
			      "mon_groups/NAME");
	}
	sim->n_groups++;
	return UNC_OK;
}

/* Control groups must not share CPUs, nor must monitoring groups, whose CPUs must be CPUs of their control group. */
static int check_cpu(const struct unc_sim *sim, const struct unc_sim_group *group, unsigned cpu)
{
	const struct unc_sim_group *parent = &sim->groups[group->parent], *root = &sim->groups[0], *other;

	if (cpu >= sim->n_cpus || !sim->cpus[cpu].online)
		return refuse(sim, group, "one of its CPUs is not there, or offline");
	if (parent != root && !unc_sim_has_cpu(&parent->cpus, cpu))
		return refuse(sim, group, "one of its CPUs is not one of the group in which it is");
	for (other = root + 1; other < root + sim->n_groups; other++) {
		if (other == group || other == parent || !unc_sim_has_cpu(&other->cpus, cpu))
			continue;
		if (other->monitors == group->monitors || (group->monitors && parent == root))
			return refuse(sim, group, "one of its CPUs is another group's");
	}
	return UNC_OK;
}

int unc_sim_resctrl_init(struct unc_sim *sim)
{
	static char nothing[] = "";
	const struct unc_sim_resctrl_options *given = &sim->options.resctrl;
	int rc = UNC_OK;

	if (!given->on)
		return UNC_OK;
	sim->groups[sim->n_groups++] = (struct unc_sim_group){.path = nothing};
	for (size_t i = 0; i < given->n && rc == UNC_OK; i++)
		rc = add_group(sim, &given->groups[i]);
	for (size_t i = 1; i < sim->n_groups; i++)
		for (unsigned cpu = 0; cpu < UNC_SIM_CPUS_MAX && rc == UNC_OK; cpu++)
			if (unc_sim_has_cpu(&sim->groups[i].cpus, cpu))
				rc = check_cpu(sim, &sim->groups[i], cpu);
	return rc;
}
