// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of the simulated machine's kernel, as perf_event_open(2) provides them: which ones an opener may have, and
 * which opener owns them.
 */
#include "sim/perf.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"

/* Offset in the state file, far after its end: one byte for each event, which its opener locks. */
#define OWNERS (UINT64_C(3) << 61)

enum { MILLION = 1000000 };

struct refusal {
	int err;
	const char *name, *why;
};

static struct unc_sim_perf *perf_of(const struct unc_sim *sim)
{
	return &sim->store.state->perf;
}

static bool is_mine(const struct unc_sim *sim, size_t i)
{
	return i < UNC_SIM_PERF_EVENTS && sim->perf_events[i / 64] >> i % 64 & 1;
}

static int claim(struct unc_sim *sim, size_t i, enum unc_claim how)
{
	return sim->options.state ? unc_os_shared_claim(&sim->store.shared, OWNERS + i, 1, how) : UNC_OK;
}

/* Fails with "perf: uncore_imc_2 (PMU 14), config 0x304, CPU 0: Invalid argument: ...". */
static int refuse(const struct unc_sim *sim, const struct unc_perf_attr *attr, const struct refusal *why)
{
	unsigned number = attr->type - UNC_SIM_PERF_TYPE;
	char pmu[48];

	if (attr->type >= UNC_SIM_PERF_TYPE && number < UNC_SIM_PERF_NUMBERS && unc_sim_perf_has(sim, number))
		snprintf(pmu, sizeof(pmu), "uncore_imc_%u (PMU %" PRIu32 ")", number, attr->type);
	else
		snprintf(pmu, sizeof(pmu), "PMU %" PRIu32, attr->type);
	return unc_fail_named(sim->host.ctx, why->err, why->name, "perf: %s, config 0x%" PRIx64 ", CPU %u: %s", pmu,
			      attr->config, attr->cpu, why->why);
}

/* Checks as for a process that is not root: kernel/events/core.c, perf_allow_kernel(), perf_allow_cpu(). */
static int check_paranoid(const struct unc_sim *sim, const struct unc_perf_attr *attr)
{
	const struct unc_sim_perf_options *perf = &sim->options.perf;
	char why[240];

	if (!perf->suspicious || perf->paranoid <= 0)
		return UNC_OK;
	snprintf(why, sizeof(why),
		 "Permission denied: kernel.perf_event_paranoid is %" PRId64
		 ", and there is no CAP_PERFMON: run it as root, or give everybody that right with `sysctl "
		 "kernel.perf_event_paranoid=0` (here: without perf_paranoid=, or perf_paranoid=0)",
		 perf->paranoid);
	return refuse(sim, attr, &(struct refusal){UNC_EPERM, "EACCES", why});
}

/* As uncore.c, uncore_pmu_event_init(), and core.c, perf_init_event(), do. */
static int find(struct unc_sim *sim, const struct unc_perf_attr *attr, const struct unc_sim_place **ret_place)
{
	static const struct refusal
		no_pmu = {UNC_ENODEV, "ENOENT",
			  "No such file or directory: no PMU has that number; /sys/bus/event_source/devices tells "
			  "which there "
			  "are"},
		no_cpu = {UNC_ENODEV, "ENODEV",
			  "No such device: this machine has no such CPU, or it is offline; take one that the PMU's "
			  "cpumask has"},
		no_box = {UNC_EARG, "EINVAL",
			  "Invalid argument: the package of that CPU has no channel of that number"};
	unsigned number = attr->type - UNC_SIM_PERF_TYPE;

	if (attr->type < UNC_SIM_PERF_TYPE || number >= UNC_SIM_PERF_NUMBERS || !unc_sim_perf_has(sim, number))
		return refuse(sim, attr, &no_pmu);
	if (attr->cpu >= sim->n_cpus || !sim->cpus[attr->cpu].online)
		return refuse(sim, attr, &no_cpu);
	*ret_place = unc_sim_perf_place(sim, number, sim->cpus[attr->cpu].package);
	return *ret_place ? UNC_OK : refuse(sim, attr, &no_box);
}

/* Adds an event. The caller holds the lock. */
static int add(struct unc_sim *sim, const struct unc_sim_perf_event *event, unsigned *ret_event)
{
	struct unc_sim_perf *perf = perf_of(sim);
	uint32_t i = 0, n;

	unc_sim_perf_bury(sim);
	n = unc_sim_bounded32(&perf->n, UNC_SIM_PERF_EVENTS);
	while (i < n && perf->events[i].order)
		i++;
	if (i == UNC_SIM_PERF_EVENTS)
		return unc_fail_named(sim->host.ctx, UNC_ENOMEM, "EMFILE",
				      "perf: Too many open files: a simulated kernel has %d events at once",
				      UNC_SIM_PERF_EVENTS);
	if (i == n)
		perf->n = n + 1;
	perf->events[i] = *event;
	unc_sim_perf_add(sim, &perf->events[i]);
	sim->perf_events[i / 64] |= UINT64_C(1) << i % 64;
	claim(sim, i, UNC_CLAIM_TAKE);
	*ret_event = i;
	return UNC_OK;
}

int unc_sim_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	struct unc_sim_perf_event event = {.fixed = attr->config == UNC_SIM_PERF_FIXED};
	const struct unc_sim_place *place = NULL;
	int rc;

	if (!sim->options.perf.on)
		return unc_fail(host->ctx, UNC_ENOSUP,
				"sim:%s: its kernel has no driver that counts in memory channels; perf=on gives it one",
				sim->options.model->name);
	rc = check_paranoid(sim, attr);
	if (rc == UNC_OK)
		rc = find(sim, attr, &place);
	if (rc < 0)
		return rc;
	event.place = (uint32_t)(place - sim->places);
	/* The driver silently drops bits that it does not know. */
	event.ctl = event.fixed ? 0 : (uint32_t)attr->config & unc_sim_perf_part(sim).mask;
	unc_sim_lock(sim);
	rc = add(sim, &event, ret_event);
	unc_sim_unlock(sim);
	return rc;
}

/* perf_off=: makes the count too high by that percentage. */
static void falsify(const struct unc_sim *sim, struct unc_perf_count *count)
{
	uint64_t factor = (uint64_t)(MILLION + sim->options.perf.off_ppm);

	count->value = (uint64_t)((unc_sim_wide)count->value * factor / MILLION);
}

/* Ends event i. The caller holds the lock. */
static void end(struct unc_sim *sim, size_t i)
{
	struct unc_sim_perf *perf = perf_of(sim);

	unc_sim_perf_off(sim, &perf->events[i]);
	perf->events[i] = (struct unc_sim_perf_event){0};
	sim->perf_events[i / 64] &= ~(UINT64_C(1) << i % 64);
	claim(sim, i, UNC_CLAIM_LEAVE);
}

static void act(struct unc_sim *sim, enum unc_perf_op op, unsigned i, struct unc_perf_count *ret_count)
{
	struct unc_sim_perf_event *event = &perf_of(sim)->events[i];

	switch (op) {
	case UNC_PERF_ON:
		unc_sim_perf_on(sim, event);
		break;
	case UNC_PERF_OFF:
		unc_sim_perf_off(sim, event);
		break;
	case UNC_PERF_READ:
		*ret_count = unc_sim_perf_read(sim, event);
		falsify(sim, ret_count);
		break;
	case UNC_PERF_CLOSE:
		end(sim, i);
		break;
	}
}

int unc_sim_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	struct unc_sim *sim = (struct unc_sim *)host;

	if (!is_mine(sim, event))
		return unc_fail(host->ctx, UNC_EARG, "sim:%s: there is no open event %u", sim->options.model->name,
				event);
	unc_sim_lock(sim);
	act(sim, op, event, ret_count);
	unc_sim_unlock(sim);
	return UNC_OK;
}

void unc_sim_perf_close(struct unc_sim *sim)
{
	size_t i;

	for (i = 0; i < UNC_SIM_PERF_EVENTS; i++) {
		if (!is_mine(sim, i))
			continue;
		unc_sim_lock(sim);
		end(sim, i);
		unc_sim_unlock(sim);
	}
}

void unc_sim_perf_bury(struct unc_sim *sim)
{
	struct unc_sim_perf *perf = perf_of(sim);
	size_t i, n = unc_sim_bounded32(&perf->n, UNC_SIM_PERF_EVENTS);

	for (i = 0; sim->options.state && sim->n_places && i < n; i++)
		if (perf->events[i].order && !is_mine(sim, i) && claim(sim, i, UNC_CLAIM_TAKE) == UNC_OK)
			end(sim, i);
}
