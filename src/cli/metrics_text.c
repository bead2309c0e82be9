// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes series: the text format 0.0.4 of Prometheus (prometheus.io/docs/instrumenting/exposition_formats), or OpenMetrics 1.0.0, which
 * differs in the names of families of counters, and in its end.
 */
#define _GNU_SOURCE
#include <math.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/metrics_store.h"
#include "cli/number.h"
#include "machine/machine.h"

struct writing {
	struct metrics *m;
	struct output *out;
	bool openmetrics;
};

static const struct {
	const char *name, *type, *help;
} families[M_FAMILIES] = {
	[M_EXPECTED] = {"uncore_channels_expected", "gauge",
			"Channels that the register map names, except places that no socket has."},
	[M_INFO] = {"uncore_channel_info", "gauge", "Where a memory channel is and what perf calls it."},
	[M_UP] = {"uncore_channel_up", "gauge", "Whether the last sample has values of this channel."},
	[M_STATE] = {"uncore_channel_state", "gauge", "Why the last sample has no values of this channel."},
	[M_READ] = {"uncore_memory_read_bytes_total", "counter", "Bytes read from DRAM: CAS commands of 64 bytes."},
	[M_WRITTEN] = {"uncore_memory_written_bytes_total", "counter",
		       "Bytes written to DRAM: CAS commands of 64 bytes."},
	[M_BOTH] = {"uncore_memory_bytes_total", "counter",
		    "Bytes read from and written to DRAM, where a processor does not tell them apart."},
	[M_PMEM_READ] = {"uncore_pmem_read_bytes_total", "counter", "Bytes read from Optane modules."},
	[M_PMEM_WRITTEN] = {"uncore_pmem_written_bytes_total", "counter", "Bytes written to Optane modules."},
	[M_CYCLES] = {"uncore_memory_clock_cycles_total", "counter",
		      "Cycles of the memory controller's clock; parts differ in the bytes that each can move."},
	[M_UNCORE] = {"uncore_clock_hertz", "gauge", "The clock of the uncore of a socket, in the last sample."},
	[M_PEAK] = {"uncore_memory_peak_bytes_per_second", "gauge",
		    "What the channels of a socket can move; the buckets of its throughput are shares of it."},
	[M_EVENT] = {"uncore_event_total", "counter", "Events of a channel that were asked for by name."},
	[M_METRIC] = {"uncore_metric", "gauge",
		      "Metrics of a channel that were asked for by name, in the last sample."},
	[M_OCCUPANCY] = {"uncore_llc_occupancy_bytes", "gauge", "Bytes of an L3 that the CPUs of a group own."},
	[M_SIZE] = {"uncore_llc_size_bytes", "gauge", "Size of an L3."},
	[M_BANDWIDTH] = {"uncore_l3_bandwidth_bytes_total", "counter",
			 "Bytes moved between an L3 and memory by the CPUs of a group; total includes what is local."},
	[M_LLC_ERRORS] = {"uncore_llc_value_errors_total", "counter", "Values of an L3 that were not obtained."},
	[M_ERRORS] = {"uncore_sample_errors_total", "counter", "Values of channels that were not obtained."},
};

/* Help and type; in OpenMetrics a family of counters has no _total, which its series have. */
static void put_family(const struct writing *w, const char *name, const char *type, const char *help)
{
	static const char total[] = "_total";
	size_t len = strlen(name), end = strlen(total);

	if (w->openmetrics && strcmp(type, "counter") == 0 && len > end && strcmp(name + len - end, total) == 0)
		len -= end;
	output_printf(w->out, "# HELP %.*s %s\n", (int)len, name, help);
	output_printf(w->out, "# TYPE %.*s %s\n", (int)len, name, type);
}

/* end: after the name; labels may be "". */
static void put_name(const struct writing *w, const char *name, const char *end, const char *labels)
{
	output_text(w->out, name);
	output_text(w->out, end);
	if (*labels) {
		output_append(w->out, "{", 1);
		output_text(w->out, labels);
		output_append(w->out, "}", 1);
	}
	output_append(w->out, " ", 1);
}

static void put_whole(const struct writing *w, const char *name, const char *end, const char *labels, uint64_t number)
{
	put_name(w, name, end, labels);
	output_u64(w->out, number);
	output_append(w->out, "\n", 1);
}

static void put_real(const struct writing *w, const char *name, const char *end, const char *labels, double number)
{
	char text[NUMBER_TEXT_MAX];

	put_name(w, name, end, labels);
	output_text(w->out, isfinite(number) ? number_exact(number, text) : "NaN");
	output_append(w->out, "\n", 1);
}

/* In seconds with so many digits after the point as a unit of unit_ns has. */
static double seconds_of(uint64_t ns, uint64_t unit_ns)
{
	uint64_t whole = ns / unit_ns;

	return (double)whole / (1e9 / (double)unit_ns);
}

/* A series without labels. */
static void put_one(const struct writing *w, const char *name, const char *type, const char *help, double number)
{
	put_family(w, name, type, help);
	put_real(w, name, "", "", number);
}

/* labels: with a comma at their end, or "".  Buckets add up. */
static void put_histogram(const struct writing *w, const char *name, const char *labels,
			  const struct metrics_histogram *histogram, const double *bounds, unsigned n, double scale)
{
	char text[120];
	uint64_t below = 0;

	for (unsigned i = 0; i <= n; i++) {
		char bound[24] = "+Inf";

		if (i < n)
			snprintf(bound, sizeof(bound), "%.9g", bounds[i] * scale);
		below += histogram->buckets[i];
		snprintf(text, sizeof(text), "%s%sle=\"%s\"", labels, *labels ? "," : "", bound);
		put_whole(w, name, "_bucket", text, below);
	}
	put_real(w, name, "_sum", labels, histogram->sum);
	put_whole(w, name, "_count", labels, histogram->count);
}

static void put_series(const struct writing *w, enum metrics_family family)
{
	const struct metrics_list *list = &w->m->lists[family];
	bool begun = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct metrics_series *series = &list->series[i];

		if (!series->given)
			continue;
		if (!begun)
			put_family(w, families[family].name, families[family].type, families[family].help);
		begun = true;
		if (series->real)
			put_real(w, families[family].name, "", series->labels, series->number);
		else
			put_whole(w, families[family].name, "", series->labels, series->total);
	}
}

static void put_throughput(const struct writing *w)
{
	static const char name[] = "uncore_memory_throughput_bytes_per_second";
	const struct metrics *m = w->m;

	if (m->n_sockets)
		put_family(w, name, "histogram", "Throughput of a socket in each sample.");
	for (size_t i = 0; i < m->n_sockets; i++) {
		const struct metrics_socket *socket = &m->sockets[i];
		char labels[40];

		snprintf(labels, sizeof(labels), "socket=\"%u\"", socket->number);
		put_histogram(w, name, labels, &socket->throughput, metrics_shares, METRICS_SHARES, socket->peak);
	}
}

static void put_machine(const struct writing *w)
{
	struct unc_machine_info info;
	struct metrics_labels labels = {.len = 0};

	unc_machine_info(w->m->machine, &info);
	put_family(w, "uncore_build_info", "gauge", "Version of uncorectl that serves this.");
	put_whole(w, "uncore_build_info", "", "version=\"" UNC_VERSION "\"", 1);
	put_family(w, "uncore_machine_info", "gauge",
		   "The machine whose registers are read; simulated is true where they are not real.");
	metrics_label(&labels, "machine", info.name);
	metrics_label(&labels, "model", info.part);
	metrics_label(&labels, "simulated", info.simulated ? "true" : "false");
	put_whole(w, "uncore_machine_info", "", labels.text, 1);
}

static void put_serving(const struct writing *w)
{
	static const char scrapes[] = "uncore_scrapes_total";
	struct timespec cpu = {0};

	put_family(w, scrapes, "counter",
		   "Scrapes; fresh ones read the registers, others have values of the last 0.1 s.");
	put_whole(w, scrapes, "", "values=\"fresh\"", w->m->scrapes[true]);
	put_whole(w, scrapes, "", "values=\"last\"", w->m->scrapes[false]);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	put_one(w, "process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.",
		(double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
}

/* What it costs, and how exact its times are. */
static void put_own(const struct writing *w)
{
	static const char intervals[] = "uncore_sample_interval_seconds", accesses[] = "uncore_register_accesses_total";
	const struct metrics *m = w->m;

	put_one(w, "uncore_samples_total", "counter", "Samples taken.", (double)m->samples);
	put_one(w, "uncore_sample_late_total", "counter", "Samples later than half an interval.", (double)m->late);
	if (m->interval_ns) {
		put_family(w, intervals, "histogram", "Time between two samples.");
		put_histogram(w, intervals, "", &m->intervals, metrics_intervals, METRICS_INTERVALS,
			      (double)m->interval_ns / 1e9);
	}
	put_one(w, "uncore_sample_timestamp_seconds", "gauge", "Wall clock of the last sample.",
		seconds_of(m->time_ns, 1000));
	put_one(w, "uncore_read_seconds_total", "counter", "Time spent in reading registers.",
		seconds_of(m->read_ns, 1));
	put_family(w, accesses, "counter", "Register accesses of this process.");
	put_whole(w, accesses, "", "kind=\"read\"", m->ctx->n_reads);
	put_whole(w, accesses, "", "kind=\"write\"", m->ctx->n_writes);
	put_one(w, "uncore_series_dropped", "gauge",
		"Series that the last sample lacks, since there would be too many.", (double)m->dropped);
	if (m->serves)
		put_serving(w);
	put_one(w, "process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
		seconds_of(m->started_ns, 1000000));
}

void metrics_write(struct metrics *m, bool openmetrics, struct output *out)
{
	const struct writing w = {.m = m, .out = out, .openmetrics = openmetrics};

	put_machine(&w);
	for (enum metrics_family i = 0; i < M_FAMILIES; i++) {
		put_series(&w, i);
		if (i == M_PEAK)
			put_throughput(&w);
	}
	put_own(&w);
	if (openmetrics)
		output_text(out, "# EOF\n");
}
