// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated machine as a host: open, time, CPUs, buses. */

#include "sim/chance.h"
#include "sim/perf.h"
#include "sim/qm.h"
#include "sim/resctrl.h"
#include "sim/traffic.h"

/* What now_ns() returns at machine time 0 with clock=step; UNC_SIM_RAW_AT_START_NS is that of the raw clock. */
#define MONO_AT_START_NS UINT64_C(2000000000000)
#define BOOT_AT_START_NS UINT64_C(3000000000000)
#define REAL_AT_START_NS UINT64_C(1577836800000000000) /* 2020-01-01T00:00:00Z */

static void sim_close(struct unc_host *host)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	struct unc_traffic_done done;

	if (sim->has_traffic)
		unc_sim_traffic(host, UNC_TRAFFIC_STOP, NULL, &done);
	unc_sim_perf_close(sim);
	unc_sim_store_close(&sim->store);
	unc_sim_defects_free(sim);
	unc_sim_load_clear(&sim->load);
	unc_sim_options_clear(&sim->options);
	free(sim->places);
	free(sim->cpus);
	free(sim->caches);
	free(sim->of_share);
	free(sim->share_begin);
	free(sim->sums);
	free(sim);
}

static uint64_t sim_now_ns(struct unc_host *host, enum unc_clock clock)
{
	static const uint64_t at_start_ns[] = {
		[UNC_CLOCK_MONO] = MONO_AT_START_NS,
		[UNC_CLOCK_RAW] = UNC_SIM_RAW_AT_START_NS,
		[UNC_CLOCK_BOOT] = BOOT_AT_START_NS,
		[UNC_CLOCK_REAL] = REAL_AT_START_NS,
	};
	struct unc_sim *sim = (struct unc_sim *)host;
	uint64_t now_ns;

	if (sim->options.step) {
		unc_sim_lock(sim);
		now_ns = at_start_ns[clock] + unc_sim_state_now(sim->store.state);
		unc_sim_unlock(sim);
	} else {
		now_ns = unc_os_now_ns(clock);
	}
	if (clock == UNC_CLOCK_BOOT || clock == UNC_CLOCK_REAL)
		now_ns += sim->store.state->suspended_ns;
	return now_ns;
}

static int sim_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	uint64_t t_ns = mono_ns - MONO_AT_START_NS, now_ns;

	if (!sim->options.step)
		return unc_os_sleep_until(mono_ns, host->wake_fd);
	/* A deadline in the past does not sleep; it only reports whether wake_fd can be read. */
	if (host->wake_fd >= 0 && unc_os_sleep_until(0, host->wake_fd) < 0)
		return UNC_EAGAIN;
	if (mono_ns < MONO_AT_START_NS)
		return UNC_OK;
	if (t_ns > UNC_SIM_TIME_MAX)
		return UNC_EAGAIN;
	/* Time moves on to the deadline, unless that has passed, and with seed= perhaps somewhat further. */
	unc_sim_lock(sim);
	now_ns = unc_sim_state_now(sim->store.state);
	if (t_ns > now_ns)
		unc_sim_state_pass(sim->store.state, t_ns - now_ns + unc_sim_overshoot_ns(sim));
	unc_sim_unlock(sim);
	return UNC_OK;
}

static int sim_cpuid(struct unc_host *host, unsigned number, uint32_t leaf, uint32_t subleaf,
		     struct unc_cpuid_regs *ret_regs)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	const struct unc_sim_cpu *cpu;
	int rc = unc_sim_cpu_reach(sim, number, &cpu);

	if (sim->options.model->nest)
		return unc_sim_fail(sim, UNC_ENODATA, "a POWER processor has no CPUID");
	if (rc == UNC_OK)
		unc_sim_cpuid(sim, cpu, leaf, subleaf, ret_regs);
	return rc;
}

static int sim_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	const struct unc_sim *sim = (const struct unc_sim *)host;
	struct unc_host_cpu *cpus = calloc(sim->n_cpus, sizeof(*cpus));

	if (!cpus)
		return unc_fail(host->ctx, UNC_ENOMEM, "sim: out of memory");
	for (size_t i = 0; i < sim->n_cpus; i++) {
		const struct unc_sim_cpu *cpu = &sim->cpus[i], *first = sim->cpus;

		cpus[i] = (struct unc_host_cpu){
			.cpu = cpu->number, .online = cpu->online, .package = -1, .node = -1, .l3 = -1};
		/* Linux reports nothing about a CPU that is offline. */
		if (!cpu->online)
			continue;
		while (!first->online || first->l3 != cpu->l3)
			first++;
		cpus[i].package = (int)cpu->package;
		cpus[i].node = sim->options.numa_off ? 0 : (int)cpu->node;
		cpus[i].l3 = (int)first->number;
	}
	*ret_cpus = cpus;
	*ret_n = sim->n_cpus;
	return UNC_OK;
}

/* What files= has takes precedence over what the kernel has; names in both are listed. */
static int sim_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		    struct unc_os_found *ret_found)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	struct unc_os_found found = {.n = 0};
	char *real = NULL;
	int rc = unc_host_path(host, sim->options.files, path, &real), own;

	if (rc == UNC_OK)
		rc = unc_os_look(host->ctx, what, real, max, &found);
	free(real);
	if (rc < 0 && rc != UNC_ENODEV)
		return rc;
	own = unc_sim_kernel_look(sim, what, path, max, &found);
	if (own != UNC_ENODEV)
		rc = own;
	if (rc == UNC_OK)
		*ret_found = found;
	return rc;
}

/* The machine is identified by its state file, which holds its registers. */
static int sim_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	const struct unc_sim *sim = (struct unc_sim *)host;
	struct unc_host_identity identity;
	char prefix[40];
	int rc;

	if (!sim->options.state)
		return unc_sim_fail(sim, UNC_ENODATA, "without state=FILE this machine ends with this program");
	snprintf(prefix, sizeof(prefix), "sim:%.15s,state=", sim->options.model->name);
	rc = unc_os_identity(host->ctx, sim->options.state, prefix, identity.machine, sizeof(identity.machine));
	if (rc == UNC_OK)
		rc = unc_host_boot(host, identity.boot, sizeof(identity.boot));
	if (rc == UNC_OK)
		*ret_identity = identity;
	return rc;
}

static const struct unc_host_ops sim_ops = {
	.close = sim_close,
	.now_ns = sim_now_ns,
	.sleep_until = sim_sleep_until,
	.cpuid = sim_cpuid,
	.topology = unc_host_topology,
	.cpus = sim_cpus,
	.look = sim_look,
	.identity = sim_identity,
	.traffic = unc_sim_traffic,
	.perf_open = unc_sim_perf_open,
	.perf = unc_sim_perf,
	.bus_open = unc_sim_bus_open,
};

struct unc_sim *unc_sim_of(struct unc_host *host)
{
	return host->ops == &sim_ops ? (struct unc_sim *)host : NULL;
}

/* A missing folder must fail: it would look like a machine without other users. */
static int check_files(struct unc_sim *sim)
{
	const char *const *names;
	size_t n;
	int rc;

	if (!sim->options.files)
		return UNC_OK;
	rc = unc_os_dir_list(sim->host.ctx, sim->options.files, &names, &n);
	if (rc < 0)
		return unc_sim_path_failed(sim->host.ctx, sim->options.model, "files", rc);
	free((void *)names);
	return UNC_OK;
}

/* Where nothing is monitored there are no accounts. */
static int open_store(struct unc_sim *sim)
{
	size_t n = unc_sim_n_accounts(sim), used = offsetof(struct unc_sim_state, shares);

	if (n) {
		n++; /* the account that cannot be read: sim/llc.c */
		sim->share_bytes = sizeof(struct unc_sim_share) + n * sizeof(struct unc_sim_rmid);
		used += sim->n_shares * sim->share_bytes;
	}
	sim->sums = calloc(n + 1, sizeof(*sim->sums));
	if (!sim->sums)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	return unc_sim_store_open(sim, used);
}

/* Does what happens by itself when the machine is used again. */
static int start(struct unc_sim *sim)
{
	int rc;

	unc_sim_lock(sim);
	unc_sim_traffic_bury(sim);
	unc_sim_perf_bury(sim);
	unc_sim_defects_start(sim, unc_sim_state_now(sim->store.state));
	unc_sim_perf_load(sim);
	rc = unc_sim_resctrl_mount(sim);
	unc_sim_unlock(sim);
	return rc;
}

int unc_sim_open(struct unc_ctx *ctx, const char *args, int wake_fd, struct unc_host **ret_host)
{
	static int (*const steps[])(struct unc_sim * sim) = {
		check_files,          unc_sim_cpus_init,    unc_sim_places_init, unc_sim_stops_init,
		unc_sim_quirks_init,  unc_sim_resctrl_init, unc_sim_load_open,   unc_sim_channels_init,
		unc_sim_defects_init, open_store,           unc_sim_state_check, start,
	};
	struct unc_sim *sim = calloc(1, sizeof(*sim));
	int rc;

	if (!sim)
		return unc_fail(ctx, UNC_ENOMEM, "sim: out of memory");
	sim->host = (struct unc_host){.ops = &sim_ops, .ctx = ctx, .simulated = true, .wake_fd = wake_fd};
	rc = unc_sim_options_parse(ctx, args, &sim->options);
	sim->host.stands_still = sim->options.step;
	sim->fault = sim->options.fail;
	for (size_t i = 0; rc == UNC_OK && i < UNC_SIM_N(steps); i++)
		rc = steps[i](sim);
	if (rc < 0) {
		sim_close(&sim->host);
		return rc;
	}
	*ret_host = &sim->host;
	return UNC_OK;
}

struct unc_sim_info unc_sim_info(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_model *model = sim ? sim->options.model : NULL;
	struct unc_sim_info info = {0};

	if (!sim)
		return info;
	info = (struct unc_sim_info){
		.start_ns = unc_sim_raw_at(sim, 0),
		.steps = sim->options.step,
		.has_msrs = !sim->options.msr_absent,
		.takes_msr_writes = !sim->options.msr_writes_off,
		.is_locked_down = sim->options.lockdown,
		.memory_bytes = model->memory ? sim->options.sockets * UNC_SIM_SOCKET_BYTES : 0,
		.n_channels = sim->load.n_channels,
		.n_cpus = sim->n_cpus,
		.n_chips = model->nest ? sim->options.sockets : 0,
		.n_caches = sim->n_caches,
		.caches = sim->caches,
		.n_rmids = unc_sim_n_rmids(sim),
	};
	for (size_t i = 0; i < sim->n_places; i++)
		info.n_pcis += !sim->places[i].hidden && sim->places[i].addr.kind == UNC_PCI;
	return info;
}

void unc_sim_on_kill(struct unc_host *host, void (*kill)(void *arg), void *arg)
{
	struct unc_sim *sim = unc_sim_of(host);

	if (!sim)
		return;
	sim->fault.kill = kill;
	sim->fault.kill_arg = arg;
}
