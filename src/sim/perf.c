// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of the simulated machine's kernel, as perf_event_open(2) gives them: who may have which, and whose they are. */
#include "sim/perf.h"

#include <inttypes.h>

#include "base/err.h"

/* In the file of the state, far behind its end: a byte for each event, which its opener holds. */
#define OWNERS (UINT64_C(3) << 61)

enum { MILLION = 1000000 };

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

/* As for a process that is not root: kernel/events/core.c, perf_allow_kernel(), perf_allow_cpu(). */
static int check_paranoid(const struct unc_sim *sim)
{
	const struct unc_sim_perf_options *perf = &sim->options.perf;

	if (!perf->suspicious || perf->paranoid <= 0)
		return UNC_OK;
	return unc_fail_named(sim->host.ctx, UNC_EPERM, "EACCES",
			      "perf_event_open: Permission denied: /proc/sys/kernel/perf_event_paranoid is %" PRId64
			      ", and counting a whole CPU takes 0 or less, or CAP_PERFMON (here: perf_paranoid=)",
			      perf->paranoid);
}

/* uncore.c, uncore_pmu_event_init(); core.c, perf_init_event(). */
static int find(struct unc_sim *sim, const struct unc_perf_attr *attr, const struct unc_sim_place **ret_place)
{
	unsigned number = attr->type - UNC_SIM_PERF_TYPE;
	const struct unc_sim_cpu *cpu;
	int rc;

	if (attr->type < UNC_SIM_PERF_TYPE || number >= UNC_SIM_PERF_NUMBERS || !unc_sim_perf_has(sim, number))
		return unc_fail_named(sim->host.ctx, UNC_ENODEV, "ENOENT",
				      "perf_event_open: No such file or directory: there is no PMU of type %" PRIu32,
				      attr->type);
	rc = unc_sim_cpu_reach(sim, attr->cpu, &cpu);
	if (rc < 0)
		return unc_wrap(sim->host.ctx, rc, "perf_event_open");
	*ret_place = unc_sim_perf_place(sim, number, cpu->package);
	if (*ret_place)
		return UNC_OK;
	return unc_fail_named(sim->host.ctx, UNC_EARG, "EINVAL",
			      "perf_event_open: Invalid argument: package %u, of which CPU %u is, has no uncore_imc_%u",
			      cpu->package, attr->cpu, number);
}

/* Locked. */
static int add(struct unc_sim *sim, const struct unc_sim_perf_event *event, unsigned *ret_event)
{
	struct unc_sim_perf *perf = perf_of(sim);
	uint32_t i = 0;

	unc_sim_perf_bury(sim);
	while (i < perf->n && perf->events[i].order)
		i++;
	if (i == UNC_SIM_PERF_EVENTS)
		return unc_fail_named(sim->host.ctx, UNC_ENOMEM, "EMFILE",
				      "perf_event_open: Too many open files: a simulated kernel has %d events at once",
				      UNC_SIM_PERF_EVENTS);
	if (i == perf->n)
		perf->n++;
	perf->events[i] = *event;
	perf->events[i].order = ++perf->orders;
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
	rc = check_paranoid(sim);
	if (rc == UNC_OK)
		rc = find(sim, attr, &place);
	if (rc < 0)
		return rc;
	event.place = (uint32_t)(place - sim->places);
	/* Bits that it does not know are dropped without a word. */
	event.ctl = event.fixed ? 0 : (uint32_t)attr->config & unc_sim_perf_part(sim).mask;
	unc_sim_lock(sim);
	rc = add(sim, &event, ret_event);
	unc_sim_unlock(sim);
	return rc;
}

/* perf_off=: what it says, but it says too much. */
static void falsify(const struct unc_sim *sim, struct unc_perf_count *count)
{
	uint64_t factor = (uint64_t)(MILLION + sim->options.perf.off_ppm);

	count->value = (uint64_t)((unc_sim_wide)count->value * factor / MILLION);
}

/* Locked. */
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
	size_t i;

	for (i = 0; sim->options.state && i < perf->n; i++)
		if (perf->events[i].order && !is_mine(sim, i) && claim(sim, i, UNC_CLAIM_TAKE) == UNC_OK)
			end(sim, i);
}
