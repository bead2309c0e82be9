// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/list_caches.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 9, WIDTH = 80, FEW = 4, LINE_MAX = 1400 };

void list_print_paragraph(struct output *out, const char *label, const char *text)
{
	size_t at = 0;

	output_printf(out, "%-*s", INDENT, label);
	for (bool first = true; *text; first = false) {
		size_t word = strcspn(text, " ");

		if (!first && INDENT + at + 1 + word > WIDTH) {
			output_printf(out, "\n%*s", INDENT, "");
			at = 0;
		} else if (!first) {
			output_printf(out, " ");
			at++;
		}
		output_printf(out, "%.*s", (int)word, text);
		at += word;
		text += word + (text[word] == ' ');
	}
	output_printf(out, "\n");
}

static void sentence(struct output *out, const char *label, const char *fmt, ...) UNC_PRINTF(3, 4);
static void sentence(struct output *out, const char *label, const char *fmt, ...)
{
	char text[LINE_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	list_print_paragraph(out, label, text);
}

/* "72 KiB", "64 bytes", "45 MiB" */
static const char *size_text(uint64_t bytes, char *buf, size_t size)
{
	if (bytes >= 1 << 20)
		snprintf(buf, size, "%.4g MiB", (double)bytes / (1 << 20));
	else if (bytes >= 1024 && bytes % 1024 == 0)
		snprintf(buf, size, "%" PRIu64 " KiB", bytes / 1024);
	else
		snprintf(buf, size, "%" PRIu64 " bytes", bytes);
	return buf;
}

static const char *time_text(double seconds, char *buf, size_t size)
{
	if (seconds < 100)
		snprintf(buf, size, "%.3g s", seconds);
	else if (seconds < 6000)
		snprintf(buf, size, "%.3g min", seconds / 60);
	else
		snprintf(buf, size, "%.3g h", seconds / 3600);
	return buf;
}

static double wrap_s(const struct unc_llc_info *info)
{
	double units = 1;

	for (unsigned i = 0; i < info->counter_bits; i++)
		units *= 2;
	return units * (double)info->unit_bytes / (double)info->full_speed;
}

static bool has_event(const struct unc_llc_info *info, enum unc_llc_event event)
{
	return info->events >> event & 1;
}

static bool counts_bandwidth(const struct unc_llc_info *info)
{
	return has_event(info, UNC_LLC_TOTAL) || has_event(info, UNC_LLC_LOCAL);
}

static void print_l3s(struct unc_machine *machine, const struct unc_llc_info *info, bool verbose, struct output *out)
{
	struct unc_l3_info l3;
	char size[32];

	if (unc_l3_info(machine, 0, &l3) < 0)
		return;
	size_text(l3.bytes, size, sizeof(size));
	if (info->n_l3s > FEW && !verbose)
		sentence(out, "cache", "%zu L3s of %s; list -v tells their CPUs", info->n_l3s, size);
	else
		sentence(out, "cache", "%zu L3%s of %s", info->n_l3s, info->n_l3s == 1 ? "" : "s", size);
	for (size_t i = 0; (info->n_l3s <= FEW || verbose) && unc_l3_info(machine, i, &l3) == 0; i++)
		sentence(out, "", "L3 %u: socket %u, CPUs %s", l3.id, l3.package, l3.cpus);
}

static void print_events(const struct unc_llc_info *info, struct output *out)
{
	bool occupancy = has_event(info, UNC_LLC_OCCUPANCY);
	const char *bandwidth = "";
	char size[32];

	if (has_event(info, UNC_LLC_TOTAL) && has_event(info, UNC_LLC_LOCAL))
		bandwidth = "total and local bandwidth (MBM)";
	else if (counts_bandwidth(info))
		bandwidth = has_event(info, UNC_LLC_TOTAL) ? "total bandwidth (MBM)" : "local bandwidth (MBM)";
	sentence(out, "monitor", "%s%s%s in units of %s%s", occupancy ? "occupancy (CMT)" : "",
		 occupancy && *bandwidth ? ", " : "", bandwidth, size_text(info->unit_bytes, size, sizeof(size)),
		 *bandwidth ? "" : "; this part has no monitoring of bandwidth");
	if (info->io_occupancy || info->io_bandwidth)
		sentence(out, "", "%s of devices %s counted too",
			 info->io_occupancy && info->io_bandwidth ? "occupancy and bandwidth"
			 : info->io_bandwidth                     ? "bandwidth"
								  : "occupancy",
			 info->io_occupancy && info->io_bandwidth ? "are" : "is");
}

static void print_counters(const struct unc_llc_info *info, struct output *out)
{
	char time[32];

	if (info->nodes > 1)
		sentence(out, "", "RMIDs 0 to %u, of %u: sub-NUMA clustering, %u nodes in each L3", info->max_rmid,
			 info->cpuid_max_rmid + 1, info->nodes);
	else
		sentence(out, "", "RMIDs 0 to %u on each L3", info->max_rmid);
	if (!counts_bandwidth(info))
		return;
	sentence(out, "", "%u-bit counters of bandwidth: one wraps after %s at %.4g GB/s%s", info->counter_bits,
		 time_text(wrap_s(info), time, sizeof(time)), (double)info->full_speed / 1e9,
		 info->overflow_bit ? ", and its overflow bit tells" : "");
	if (info->exact_rmid < info->max_rmid)
		sentence(out, "", "an erratum: bandwidth of RMIDs above %u is multiplied by %.7g", info->exact_rmid,
			 info->factor);
}

static void print_monitoring(struct unc_machine *machine, const struct unc_llc_info *info, bool verbose,
			     struct output *out)
{
	print_l3s(machine, info, verbose, out);
	print_events(info, out);
	print_counters(info, out);
	if (info->features)
		sentence(out, "", "%s", info->features);
	if (info->warning)
		sentence(out, "", "warning: %s", info->warning);
}

static void print_bare_cache(uint64_t l3_bytes, struct output *out)
{
	char size[32];

	if (l3_bytes)
		sentence(out, "cache", "L3 of %s", size_text(l3_bytes, size, sizeof(size)));
	else
		sentence(out, "cache", "L3");
}

void list_print_caches(struct opened *opened, bool verbose, uint64_t l3_bytes, struct output *out)
{
	struct unc_llc_info info;
	int rc = unc_llc_info(opened->machine, &info);

	if (rc < 0) {
		print_bare_cache(l3_bytes, out);
		sentence(out, "", "monitoring (CMT, MBM) cannot be used: %s", unc_errmsg(opened->ctx));
		return;
	}
	if (info.no_monitoring) {
		print_bare_cache(l3_bytes, out);
		sentence(out, "", "no monitoring (CMT, MBM): %s", info.no_monitoring);
		if (info.allocation)
			sentence(out, "", "there is allocation, but no monitoring");
	} else {
		print_monitoring(opened->machine, &info, verbose, out);
	}
	if (info.allocation)
		sentence(out, "allocate", "%s", info.allocation);
}

int list_has_caches(struct opened *opened)
{
	struct unc_llc_info info;
	int rc = unc_llc_info(opened->machine, &info);

	if (rc < 0) {
		say("list: caches cannot be monitored: %s", unc_errmsg(opened->ctx));
		return rc == UNC_ENODATA ? EXIT_NOT_HERE : exit_status_of(rc);
	}
	if (info.no_monitoring) {
		say("list: caches cannot be monitored: %s%s", info.no_monitoring,
		    info.allocation ? "; there is allocation alone" : "");
		return EXIT_NOT_HERE;
	}
	return EXIT_DONE;
}

enum column_index {
	C_L3,
	C_SOCKET,
	C_CPUS,
	C_BYTES,
	C_EVENTS,
	C_MAX_RMID,
	C_UNIT,
	C_BITS,
	C_SPEED,
	C_NODES,
	C_EXACT,
	C_FACTOR,
	N_COLUMNS
};

/* Columns that -v adds are at the end.  One column per line. */
/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_L3] = {"l3", "L3", COLUMN_NUMBER, false},
	[C_SOCKET] = {"socket", "socket", COLUMN_NUMBER, false},
	[C_CPUS] = {"cpus", "CPUs", COLUMN_TEXT, false},
	[C_BYTES] = {"bytes", "bytes", COLUMN_COUNT, false},
	[C_EVENTS] = {"events", "events", COLUMN_TEXT, false},
	[C_MAX_RMID] = {"max_rmid", "max RMID", COLUMN_NUMBER, false},
	[C_UNIT] = {"unit_bytes", "unit bytes", COLUMN_COUNT, false},
	[C_BITS] = {"counter_bits", "counter bits", COLUMN_NUMBER, false},
	[C_SPEED] = {"full_speed_bytes_per_s", "bytes/s at most", COLUMN_COUNT, false},
	[C_NODES] = {"nodes", "nodes", COLUMN_NUMBER, false},
	[C_EXACT] = {"exact_rmid", "exact RMID", COLUMN_NUMBER, false},
	[C_FACTOR] = {"factor", "factor", COLUMN_AMOUNT, false},
};
/* clang-format on */

static void list_events(const struct unc_llc_info *info, char between, char *buf, size_t size)
{
	static const char *const names[UNC_LLC_EVENTS] = {"occupancy", "total", "local"};
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < UNC_LLC_EVENTS && len < size; i++)
		if (info->events >> i & 1)
			len += (size_t)snprintf(buf + len, size - len, "%.*s%s", len ? 1 : 0, &between, names[i]);
}

static void emit_l3(struct emitter *emitter, const struct unc_llc_info *info, const struct unc_l3_info *l3)
{
	struct row row = {.record = true, .in_table = true};
	char events[64];

	list_events(info, '+', events, sizeof(events));
	row.values[C_L3] = number_value(l3->id);
	row.values[C_SOCKET] = number_value(l3->package);
	row.values[C_CPUS] = text_value(l3->cpus);
	row.values[C_BYTES] = number_value(l3->bytes);
	row.values[C_EVENTS] = text_value(events);
	row.values[C_MAX_RMID] = number_value(info->max_rmid);
	row.values[C_UNIT] = number_value(info->unit_bytes);
	row.values[C_BITS] = number_value(info->counter_bits);
	row.values[C_SPEED] = number_value(info->full_speed);
	row.values[C_NODES] = number_value(info->nodes);
	row.values[C_EXACT] = number_value(info->exact_rmid);
	row.values[C_FACTOR] = amount_value(info->factor, NULL);
	emit_row(emitter, &row);
}

int list_emit_caches(struct opened *opened, const struct report *report, struct output *out)
{
	size_t n_shown = report->verbose || report->format != FORMAT_TABLE ? N_COLUMNS : C_BITS;
	struct emitter *emitter;
	struct unc_llc_info info;
	struct unc_l3_info l3;
	int status = list_has_caches(opened);
	bool written;

	if (status != EXIT_DONE || unc_llc_info(opened->machine, &info) < 0)
		return status;
	emitter = emitter_new(report->format, columns, n_shown, out, false);
	if (!emitter)
		return EXIT_FAILED;
	for (size_t i = 0; i < info.n_l3s && unc_l3_info(opened->machine, i, &l3) == 0; i++)
		emit_l3(emitter, &info, &l3);
	written = emit_sample(emitter, NULL);
	emitter_free(emitter);
	return written ? EXIT_DONE : EXIT_FAILED;
}
