// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "access/dry.h"
#include "access/identify.h"
#include "access/replay.h"
#include "base/err.h"
#include "base/text.h"
#include "machine/claim.h"
#include "machine/gate.h"
#include "machine/journal_disk.h"
#include "machine/recording.h"

int unc_machine_bus_open(struct unc_machine *m, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct unc_bus *bus;
	int rc;

	rc = m->host->ops->bus_open(m->host, kind, writable, &bus);
	if (rc < 0)
		return rc;
	if (!m->trace.sink) {
		*ret_bus = bus;
		return UNC_OK;
	}
	rc = unc_trace_wrap(bus, &m->trace, ret_bus);
	if (rc < 0)
		unc_bus_close(bus);
	return rc;
}

int unc_machine_bus(struct unc_machine *m, enum unc_kind kind, struct unc_bus **ret_bus)
{
	struct unc_bus *bus, *wrapped;
	int rc;

	if (!m->bus[kind]) {
		rc = unc_machine_bus_open(m, kind, m->writable && !m->dry_run, &bus);
		if (rc < 0)
			return rc;
		if (m->writable && m->dry_run) {
			rc = unc_dry_wrap(bus, &wrapped);
			if (rc < 0) {
				unc_bus_close(bus);
				return rc;
			}
			bus = wrapped;
		}
		m->bus[kind] = bus;
	}
	*ret_bus = m->bus[kind];
	return UNC_OK;
}

/* A bare directory tree tells no topology, which is said and survived. */
int unc_machine_who(struct unc_machine *m)
{
	int rc;

	rc = m->host->ops->topology(m->host, &m->topo);
	if (rc < 0 && rc != UNC_ENODATA)
		return rc;
	if (rc < 0)
		memcpy(m->no_topology, m->ctx->msg, sizeof(m->no_topology));
	return unc_machine_identify(m);
}

static void free_machine(struct unc_machine *m)
{
	unc_journal_disk_close(m->disk);
	unc_journal_clear(&m->journal);
	unc_claims_free(m->claims);
	for (size_t i = 0; i < m->n_boxes; i++)
		unc_space_close(m->boxes[i].space);
	free(m->boxes);
	unc_raw_free_all(m);
	unc_machine_cpu_boxes_free(m);
	if (m->rdt)
		m->rdt_free(m->rdt);
	for (unsigned kind = 0; kind < UNC_KINDS; kind++)
		unc_bus_close(m->bus[kind]);
	unc_map_free(m->map);
	unc_topo_clear(&m->topo);
	unc_host_close(m->host);
	unc_recording_free(m->recording);
	free(m->state_dir);
	free(m->name);
	free(m);
}

int unc_machine_reach(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_machine **ret_machine)
{
	struct unc_machine *m = calloc(1, sizeof(*m));
	int rc = UNC_ENOMEM;

	if (!m || !(m->name = unc_text_dup(cfg->machine ? cfg->machine : "live"))) {
		free(m);
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	}
	m->ctx = ctx;
	if (cfg->state_dir && !(m->state_dir = unc_text_dup(cfg->state_dir))) {
		rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
		goto fail;
	}
	m->writable = cfg->writable;
	m->recovers = cfg->recovers;
	m->dry_run = cfg->dry_run;
	m->dry_run_arg = cfg->dry_run_arg;
	rc = unc_machine_cpu_boxes_new(m);
	if (rc < 0)
		goto fail;
	rc = unc_machine_host_open(ctx, m->name, cfg->wake_fd > 0 ? cfg->wake_fd : -1, &m->host);
	if (rc < 0)
		goto fail;
	m->host->command = cfg->command_pid > 0 ? cfg->command_pid : 0;
	m->host->traffic_maker = cfg->traffic_maker;
	if (cfg->differs)
		unc_replay_on_difference(m->host, cfg->differs, cfg->differs_arg);
	if (cfg->record)
		rc = unc_machine_record(m, cfg);
	if (rc < 0)
		goto fail;
	/* Whether it is traced changes no record. */
	m->trace.host = m->host->bystander ? m->host->bystander : m->host;
	m->trace.t0_ns = m->trace.host->ops->now_ns(m->trace.host, UNC_CLOCK_RAW);
	m->trace.sink = cfg->trace;
	m->trace.arg = cfg->trace_arg;
	*ret_machine = m;
	return UNC_OK;
fail:
	free_machine(m);
	return rc;
}

int unc_machine_fit(struct unc_machine *m, const char *map_dir)
{
	int rc = unc_map_load(m->ctx, &m->cpu, m->host->map_dir ? m->host->map_dir : map_dir, &m->map);

	/* A folder of maps that is not there is a mistake in the question, not in the machine. */
	return rc == UNC_ENODEV ? UNC_EARG : rc;
}

int unc_machine_open(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_machine **ret_machine)
{
	struct unc_machine *m;
	int rc = unc_machine_reach(ctx, cfg, &m);

	if (rc < 0)
		return rc;
	rc = unc_machine_who(m);
	if (rc == 0)
		rc = unc_machine_fit(m, cfg->map_dir);
	if (rc == 0 && !cfg->no_boxes)
		rc = unc_machine_find_boxes(m);
	if (rc == 0 && m->writable && !m->dry_run)
		rc = unc_journal_disk_open(m, &m->disk);
	if (rc < 0) {
		free_machine(m);
		return rc;
	}
	*ret_machine = m;
	return UNC_OK;
}

int unc_machine_map(struct unc_ctx *ctx, const char *name, const char *map_dir, struct unc_map **ret_map)
{
	struct unc_machine *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	m->ctx = ctx;
	rc = unc_machine_host_open(ctx, name, -1, &m->host);
	if (rc == 0)
		rc = unc_machine_who(m);
	if (rc == 0)
		rc = unc_map_load(ctx, &m->cpu, map_dir, ret_map);
	free_machine(m);
	return rc == UNC_ENODEV && map_dir ? UNC_EARG : rc;
}

int unc_machine_close(struct unc_machine *m)
{
	struct unc_traffic_done done;
	int rc;

	if (!m)
		return UNC_OK;
	if (m->has_traffic)
		unc_traffic_stop(m, &done);
	rc = unc_gate_restore(m, NULL);
	free_machine(m);
	return rc;
}

/* Maps of several units name the part in their own way; what counts is asked for, and what is for many parts names none. */
static const char *part_title(const struct unc_map *map)
{
	const char *title = "";

	for (size_t i = 0; i < map->n_units; i++) {
		if (map->units[i].counter_bits)
			return map->units[i].title;
		if (!*title && !map->units[i].per_cpu)
			title = map->units[i].title;
	}
	return title;
}

void unc_machine_info(const struct unc_machine *m, struct unc_machine_info *ret_info)
{
	*ret_info = (struct unc_machine_info){
		.name = m->host->name ? m->host->name : m->name,
		.simulated = m->host->simulated,
		.vendor = m->cpu.vendor,
		.part = part_title(m->map),
		.family = m->cpu.family,
		.model = m->cpu.model,
		.stepping = m->cpu.stepping,
		.n_sockets = m->n_sockets,
		.n_cpus = m->topo.n_cpus,
		.socket_rule = m->socket_rule,
		.no_counters = m->map->no_counters,
	};
}

int unc_machine_cpu(struct unc_machine *m, struct unc_cpu_info *ret_info)
{
	struct unc_cpu_info info = {0};
	struct unc_identity identity;
	int rc;

	rc = unc_os_identify(m->host, unc_machine_first_cpu(m), &identity);
	if (rc < 0)
		return rc;
	memcpy(info.brand, identity.brand, sizeof(info.brand));
	info.n_cores = identity.n_cores;
	info.n_threads = identity.n_threads;
	info.l3_bytes = identity.l3_bytes;
	*ret_info = info;
	return UNC_OK;
}

int unc_machine_sleep_until(struct unc_machine *m, uint64_t mono_ns)
{
	if (mono_ns == UINT64_MAX && m->host->stands_still)
		return unc_fail(m->ctx, UNC_EARG, "the time of this machine stands still: it cannot be waited for");
	return m->host->ops->sleep_until(m->host, mono_ns);
}

uint64_t unc_machine_raw_ns(const struct unc_machine *m)
{
	return m->host->ops->now_ns(m->host, UNC_CLOCK_RAW);
}

uint64_t unc_machine_mono_ns(const struct unc_machine *m)
{
	return m->host->ops->now_ns(m->host, UNC_CLOCK_MONO);
}

uint64_t unc_machine_real_ns(const struct unc_machine *m)
{
	return m->host->ops->now_ns(m->host, UNC_CLOCK_REAL);
}
