// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_lines.h"

enum { TIMES_BYTES = 100 };

/* ---- the host ---- */

static uint64_t record_now_ns(struct unc_host *host, enum unc_clock clock)
{
	struct record *record = (struct record *)host;
	uint64_t now_ns = record->inner->ops->now_ns(record->inner, clock), last_ns = record->last_ns[clock];

	if (record->len > TIMES_BYTES)
		unc_record_begin_line(record);
	if (!record->has_times)
		unc_record_put(record, "t");
	record->has_times = true;
	if (now_ns >= last_ns)
		unc_record_put(record, " %c+%" PRIu64, unc_record_clocks[clock], now_ns - last_ns);
	else
		unc_record_put(record, " %c-%" PRIu64, unc_record_clocks[clock], last_ns - now_ns);
	memset(record->asked, 0, sizeof(record->asked));
	record->last_ns[clock] = now_ns;
	return now_ns;
}

static int record_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	struct record *record = (struct record *)host;
	uint64_t last_ns = record->last_ns[UNC_CLOCK_MONO];
	int rc;

	unc_record_begin_line(record);
	rc = record->inner->ops->sleep_until(record->inner, mono_ns);
	if (mono_ns == UINT64_MAX)
		unc_record_put(record, "sleep forever");
	else if (mono_ns >= last_ns)
		unc_record_put(record, "sleep m+%" PRIu64, mono_ns - last_ns);
	else
		unc_record_put(record, "sleep m-%" PRIu64, last_ns - mono_ns);
	return unc_record_finish(record, rc);
}

static int record_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	struct record *record = (struct record *)host;
	struct unc_cpuid_regs regs;
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->cpuid(record->inner, cpu, leaf, subleaf, &regs);
	unc_record_answered(record);
	unc_record_put(record, "cpuid %u 0x%" PRIx32 " 0x%" PRIx32, cpu, leaf, subleaf);
	if (rc == UNC_OK) {
		unc_record_put(record, " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32, regs.eax,
			       regs.ebx, regs.ecx, regs.edx);
		*ret_regs = regs;
	}
	return unc_record_finish(record, rc);
}

static int record_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct record *record = (struct record *)host;
	struct unc_topo topo;
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->topology(record->inner, &topo);
	unc_record_answered(record);
	unc_record_put(record, "topology");
	if (rc == UNC_OK) {
		unc_record_put(record, " %u %u", topo.n_cpus, topo.first_cpu);
		for (size_t i = 0; i < topo.n_packages; i++)
			unc_record_put(record, " %u:%u:%u", topo.packages[i].id, topo.packages[i].n_cpus,
				       topo.packages[i].first_cpu);
		*ret_topo = topo;
	}
	return unc_record_finish(record, rc);
}

static void put_cpu(struct record *record, const struct unc_host_cpu *cpu)
{
	const int told[] = {cpu->package, cpu->node, cpu->l3};

	unc_record_put(record, " %u", cpu->cpu);
	if (!cpu->online) {
		unc_record_put(record, ":off");
		return;
	}
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (told[i] < 0)
			unc_record_put(record, ":-");
		else
			unc_record_put(record, ":%d", told[i]);
	}
}

static int record_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct record *record = (struct record *)host;
	struct unc_host_cpu *cpus;
	size_t n;
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->cpus(record->inner, &cpus, &n);
	unc_record_answered(record);
	unc_record_put(record, "cpus");
	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		unc_record_part(record, i);
		put_cpu(record, &cpus[i]);
	}
	*ret_cpus = cpus;
	*ret_n = n;
	return unc_record_finish(record, rc);
}

/* Of the computer, not of what is measured on it: so it is in no record. */
static int record_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	struct unc_host *inner = ((struct record *)host)->inner;

	if (!inner->ops->identity)
		return unc_fail(host->ctx, UNC_ENODATA, "this machine is gone when this program ends");
	return inner->ops->identity(inner, ret_identity);
}

static int record_traffic_start(struct record *record, const struct unc_traffic *traffic)
{
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->traffic(record->inner, UNC_TRAFFIC_START, traffic, NULL);
	unc_record_answered(record);
	unc_record_put(record, "traffic start %s %u %" PRIu64 " %" PRIu64 " %zu",
		       unc_record_traffic_kinds[traffic->kind], traffic->node, traffic->bytes_per_s,
		       traffic->size_bytes, traffic->n_cpus);
	for (size_t i = 0; i < traffic->n_cpus && rc == UNC_OK; i++) {
		unc_record_part(record, i);
		unc_record_put(record, " %u", traffic->cpus[i]);
	}
	return unc_record_finish(record, rc);
}

static int record_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
			  struct unc_traffic_done *ret_done)
{
	struct record *record = (struct record *)host;
	struct unc_traffic_done done;
	int rc;

	if (!record->inner->ops->traffic)
		return unc_fail(host->ctx, UNC_ENOSUP, "nobody can make memory traffic on this machine from here");
	if (op == UNC_TRAFFIC_START)
		return record_traffic_start(record, traffic);
	unc_record_ask(record);
	rc = record->inner->ops->traffic(record->inner, op, NULL, &done);
	unc_record_answered(record);
	unc_record_put(record, "traffic %s", unc_record_traffic_ops[op]);
	if (rc == UNC_OK) {
		unc_record_put(record, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, done.loaded_bytes,
			       done.stored_bytes, done.nt_stored_bytes, done.raw_ns);
		*ret_done = done;
	}
	return unc_record_finish(record, rc);
}

/* ---- begin and end ---- */

static void on_note(void *arg, const char *sentence)
{
	struct record *record = arg;
	char text[UNC_MSG_MAX];

	snprintf(text, sizeof(text), "%s", sentence);
	if (record->asking) {
		unc_record_hide(record, text, sizeof(text));
		unc_record_begin_line(record);
		unc_record_put(record, "note ");
		unc_record_put_text(record, text);
		unc_record_end_line(record);
	}
	if (record->log)
		record->log(record->log_arg, text);
}

static void record_close(struct unc_host *host)
{
	struct record *record = (struct record *)host;
	struct unc_ctx *ctx = host->ctx;

	unc_record_begin_line(record);
	if (ctx->log == on_note) {
		ctx->log = record->log;
		ctx->log_arg = record->log_arg;
	}
	if (ctx->files == &record->files)
		ctx->files = NULL;
	unc_host_close(record->inner);
	unc_record_private_clear(&record->private);
	free(record);
}

static const struct unc_host_ops record_ops = {
	.close = record_close,
	.now_ns = record_now_ns,
	.sleep_until = record_sleep_until,
	.cpuid = record_cpuid,
	.topology = record_topology,
	.cpus = record_cpus,
	.file = unc_record_file,
	.names = unc_record_names,
	.link = unc_record_link,
	.identity = record_identity,
	.traffic = record_traffic,
	.perf_open = unc_record_perf_open,
	.perf = unc_record_perf,
	.bus_open = unc_record_bus_open,
};

static void put_head(struct record *record)
{
	unc_record_put(record, "%s", UNC_RECORD_FORMAT);
	unc_record_end_line(record);
	unc_record_put(record, "machine ");
	unc_record_put_text(record, record->cfg.name);
	unc_record_end_line(record);
	if (record->host.simulated) {
		unc_record_put(record, "simulated");
		unc_record_end_line(record);
	}
	if (record->host.stands_still) {
		unc_record_put(record, "stands_still");
		unc_record_end_line(record);
	}
	if (record->cfg.map_dir) {
		unc_record_put(record, "maps");
		unc_record_end_line(record);
	}
	unc_record_put(record, "begin");
	unc_record_end_line(record);
}

int unc_record_wrap(struct unc_host *inner, const struct unc_record_cfg *cfg, struct unc_host **ret_host)
{
	struct unc_ctx *ctx = inner->ctx;
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
	record->host = *inner;
	record->host.ops = &record_ops;
	record->host.name = cfg->name;
	record->host.map_dir = cfg->map_dir;
	record->host.bystander = inner;
	record->inner = inner;
	record->cfg = *cfg;
	record->log = ctx->log;
	record->log_arg = ctx->log_arg;
	ctx->log = on_note;
	ctx->log_arg = record;
	record->files = (struct unc_files){.list = unc_record_maps_list, .read = unc_record_maps_read};
	ctx->files = &record->files;
	put_head(record);
	*ret_host = &record->host;
	return UNC_OK;
}

void unc_record_asked(struct unc_host *host, enum unc_record_end end, bool is_there, int number)
{
	struct record *record = (struct record *)host;
	unsigned asked;

	if (host->ops != &record_ops)
		return;
	asked = ++record->asked[end];
	if (!is_there)
		return;
	unc_record_begin_line(record);
	unc_record_put(record, "%s %d %u", unc_record_ends[end], number, asked);
	unc_record_end_line(record);
}
