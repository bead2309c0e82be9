// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl list: what this machine is, and what can be counted on it.  It reads, and writes nothing. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "machine/areas.h"
#include "machine/discovery.h"
#include "cli/channels.h"
#include "cli/report.h"
#include "machine/users.h"

enum { LABEL = 8, WIDTH = 80, FEW = 4, CLOCK_NS = 20000000 };

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

static bool has_event(const struct unc_llc_info *info, unsigned event)
{
	return info->events >> event & 1;
}

/* What can be monitored, and with how many RMIDs and counters. */
static void print_monitoring(const struct unc_llc_info *info, struct page *page)
{
	bool occupancy = has_event(info, UNC_LLC_OCCUPANCY);
	bool total = has_event(info, UNC_LLC_TOTAL), local = has_event(info, UNC_LLC_LOCAL);
	const char *bandwidth = "";
	char size[32], time[32];

	if (total && local)
		bandwidth = "total and local bandwidth (MBM)";
	else if (total || local)
		bandwidth = total ? "total bandwidth (MBM)" : "local bandwidth (MBM)";
	page_labelled(page, "monitor", LABEL, "%s%s%s in units of %s%s", occupancy ? "occupancy (CMT)" : "",
		      occupancy && *bandwidth ? ", " : "", bandwidth, size_text(info->unit_bytes, size, sizeof(size)),
		      *bandwidth ? "" : "; this part has no monitoring of bandwidth");
	if (info->io_occupancy || info->io_bandwidth)
		page_labelled(page, "", LABEL, "%s of devices %s counted too",
			      info->io_occupancy && info->io_bandwidth ? "occupancy and bandwidth"
			      : info->io_bandwidth                     ? "bandwidth"
								       : "occupancy",
			      info->io_occupancy && info->io_bandwidth ? "are" : "is");
	if (info->nodes > 1)
		page_labelled(page, "", LABEL, "RMIDs 0 to %u, of %u: sub-NUMA clustering, %u nodes in each L3",
			      info->max_rmid, info->cpuid_max_rmid + 1, info->nodes);
	else
		page_labelled(page, "", LABEL, "RMIDs 0 to %u on each L3", info->max_rmid);
	if (!total && !local)
		return;
	page_labelled(page, "", LABEL, "%u-bit counters of bandwidth: one wraps after %s at %.4g GB/s%s",
		      info->counter_bits,
		      time_text(ldexp((double)info->unit_bytes, (int)info->counter_bits) / (double)info->full_speed,
				time, sizeof(time)),
		      (double)info->full_speed / 1e9, info->overflow_bit ? ", and its overflow bit tells" : "");
	if (info->exact_rmid < info->max_rmid)
		page_labelled(page, "", LABEL, "an erratum: bandwidth of RMIDs above %u is multiplied by %.7g",
			      info->exact_rmid, info->factor);
}

/* Why no cache can be monitored; NULL: they can.  Then *ret_info and *ret_rc are those of unc_llc_info(). */
static const char *caches_missing(struct opened *opened, struct unc_llc_info *ret_info, int *ret_rc)
{
	*ret_info = (struct unc_llc_info){0};
	*ret_rc = unc_llc_info(opened->machine, ret_info);
	return *ret_rc < 0 ? unc_errmsg(opened->ctx) : ret_info->no_monitoring;
}

/* Prints paragraphs below the machine. l3_bytes: the size of one, from libcpuid; 0: not known. */
static void print_caches(struct opened *opened, bool verbose, uint64_t l3_bytes, struct page *page)
{
	struct unc_llc_info info;
	struct unc_l3_info l3;
	int rc;
	const char *missing = caches_missing(opened, &info, &rc);
	char size[32];

	if (missing) {
		page_labelled(page, "cache", LABEL, "L3%s%s", l3_bytes ? " of " : "",
			      l3_bytes ? size_text(l3_bytes, size, sizeof(size)) : "");
		page_labelled(page, "", LABEL, "%s: %s",
			      rc < 0 ? "monitoring (CMT, MBM) cannot be used" : "no monitoring (CMT, MBM)", missing);
		if (info.allocation)
			page_labelled(page, "", LABEL, "there is allocation, but no monitoring");
	} else {
		bool few = info.n_l3s <= FEW || verbose;

		for (size_t i = 0; (i == 0 || few) && unc_l3_info(opened->machine, i, &l3) == 0; i++) {
			if (i == 0)
				page_labelled(page, "cache", LABEL, "%zu L3%s of %s%s", info.n_l3s,
					      info.n_l3s == 1 ? "" : "s", size_text(l3.bytes, size, sizeof(size)),
					      few ? "" : "; list -v tells their CPUs");
			if (few)
				page_labelled(page, "", LABEL, "L3 %u: socket %u, CPUs %s", l3.id, l3.package, l3.cpus);
		}
		print_monitoring(&info, page);
		if (info.features)
			page_labelled(page, "", LABEL, "%s", info.features);
		if (info.warning)
			page_labelled(page, "", LABEL, "warning: %s", info.warning);
	}
	if (info.allocation)
		page_labelled(page, "allocate", LABEL, "%s", info.allocation);
}

/* EXIT_DONE, or an exit status after a message why caches cannot be monitored. */
static int need_caches(struct opened *opened, struct unc_llc_info *ret_info)
{
	int rc;
	const char *missing = caches_missing(opened, ret_info, &rc);

	if (!missing)
		return EXIT_DONE;
	return refuse(rc < 0 && rc != UNC_ENODATA ? exit_status_of(rc) : EXIT_NOT_HERE,
		      "list: caches cannot be monitored: %s%s", missing,
		      ret_info->allocation ? "; there is allocation alone" : "");
}

/* Columns that -v adds are at the end.  One column per line. */
/* clang-format off */
static const struct column l3_columns[] = {
	{"l3", "L3", COLUMN_NUMBER, false},
	{"socket", "socket", COLUMN_NUMBER, false},
	{"cpus", "CPUs", COLUMN_TEXT, false},
	{"bytes", "bytes", COLUMN_COUNT, false},
	{"events", "events", COLUMN_TEXT, false},
	{"max_rmid", "max RMID", COLUMN_NUMBER, false},
	{"unit_bytes", "unit bytes", COLUMN_COUNT, false},
	{"counter_bits", "counter bits", COLUMN_NUMBER, false},
	{"full_speed_bytes_per_s", "bytes/s at most", COLUMN_COUNT, false},
	{"nodes", "nodes", COLUMN_NUMBER, false},
	{"exact_rmid", "exact RMID", COLUMN_NUMBER, false},
	{"factor", "factor", COLUMN_AMOUNT, false},
	{"box", NULL, COLUMN_TEXT, false},
};
enum { N_L3_USUAL = 7, N_L3_COLUMNS = sizeof(l3_columns) / sizeof(l3_columns[0]) };
/* clang-format on */

/* list --caches: prints a row for each cache.  Returns the exit status. */
static int list_caches(struct opened *opened, const struct report *report, struct output *out)
{
	size_t n_shown = report->verbose || report->format != FORMAT_TABLE ? N_L3_COLUMNS : N_L3_USUAL;
	static const char *const names[UNC_LLC_EVENTS] = {"occupancy", "total", "local"};
	char events[64] = "";
	struct emitter emitter;
	struct unc_llc_info info;
	struct unc_l3_info l3;
	int status = need_caches(opened, &info);

	if (status != EXIT_DONE)
		return status;
	emitter_init(&emitter, report->format, l3_columns, n_shown, out, false);
	emit_head(&emitter, opened, "cache");
	for (unsigned i = 0; i < UNC_LLC_EVENTS; i++)
		if (has_event(&info, i))
			unc_text_join(events, sizeof(events), "+", "%s", names[i]);
	for (size_t i = 0; i < info.n_l3s && unc_l3_info(opened->machine, i, &l3) == 0; i++) {
		char box[32];

		snprintf(box, sizeof(box), "socket%u.l3-%u", l3.package, l3.id);
		emit_values(&emitter, (struct value[]){
					      number_value(l3.id),
					      number_value(l3.package),
					      text_value(l3.cpus),
					      number_value(l3.bytes),
					      text_value(events),
					      number_value(info.max_rmid),
					      number_value(info.unit_bytes),
					      number_value(info.counter_bits),
					      number_value(info.full_speed),
					      number_value(info.nodes),
					      number_value(info.exact_rmid),
					      amount_value(info.factor, NULL),
					      text_value(box),
				      });
	}
	status = emit_sample(&emitter, NULL) ? EXIT_DONE : EXIT_FAILED;
	emitter_clear(&emitter);
	return status;
}

static const char usage[] =
	"usage: uncorectl list [-v] [--caches] [--observe] [--format FORMAT] [-o FILE]\n"
	"\n"
	"The machine, its L3 caches and what of them can be monitored, and its boxes of counters\n"
	"with PCI address and state:\n"
	"  idle           no counter is enabled: all are free\n"
	"  counting       a counter of another program is enabled, and runs\n"
	"  in use         a counter of another program is enabled, but did not move just now\n"
	"  stopped        the box stands still, frozen or asleep: its clock does not tick, or a freeze\n"
	"                 bit reads 1; where no counter counts the clock, that is not known\n"
	"  missing        it should be there: another socket has it, or it reads as all ones\n"
	"  absent         in this place on no socket: hidden by the firmware, or not on this part\n"
	"  not permitted  the operating system does not permit access to its registers\n";
static const char notes[] =
	"Exit status 0; when no box can be reached at all: 3, or 4 when they are not permitted, or 1\n"
	"when reading them failed.  Where there is none, or they are not known here: 0 when caches can\n"
	"be monitored, else 3.\n";

/* Columns that -v adds are at the end.  One column per line. */
/* clang-format off */
static const struct column columns[] = {
	{"box", "box", COLUMN_TEXT, false},
	{"socket", NULL, COLUMN_NUMBER, false},
	{"imc", NULL, COLUMN_NUMBER, false},
	{"channel", NULL, COLUMN_NUMBER, false},
	{"pci", "PCI", COLUMN_TEXT, false},
	{"state", "state", COLUMN_TEXT, false},
	{"detail", "", COLUMN_TEXT, false},
	{"perf", "perf", COLUMN_NUMBER, false},
	{"pcm", "PCM", COLUMN_NUMBER, false},
	{"likwid", "LIKWID", COLUMN_NUMBER, false},
	{"why", "why", COLUMN_TEXT, false},
};
enum { PLACE = 4, N_USUAL = 7, N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };
/* clang-format on */

struct totals {
	size_t reached, denied, failed;
	bool every_control;
	bool asked_global, frozen_global; /* of the socket of the last box */
	unsigned socket;
};

struct list_options {
	bool caches, observe;
};

/*
 * Prints the units of one type that are reached in one way, which are not always next to each other; a later one than the first of
 * them prints nothing.
 */
static void print_type(const struct unc_table *table, size_t index, struct page *page)
{
	static const char *const ways[] = {"MSRs", "memory", "PCI space"};
	const struct unc_table_unit *first = &table->units[index];
	size_t n = 0, n_doubted = 0;
	char doubted[60] = "";

	for (size_t i = 0; i < table->n_units; i++) {
		if (table->units[i].type != first->type || table->units[i].access != first->access)
			continue;
		if (i < index)
			return;
		n++;
		n_doubted += table->units[i].doubted;
	}
	if (n_doubted)
		snprintf(doubted, sizeof(doubted), "; of these %zu contradict each other", n_doubted);
	page_labelled(page, "", LABEL,
		      "type %u%s: %zu in %s, the first, of id %u, at 0x%" PRIx64 ": %u counters of %u bits%s",
		      first->type, first->type == 6 ? " (memory controllers)" : "", n, ways[first->access], first->id,
		      first->address, first->n_counters, first->width, doubted);
}

/* What the firmware's discovery tables say, also of units that no map names. */
static void print_tables(const struct unc_tables *tables, struct page *page)
{
	for (size_t i = 0; tables && i < tables->n; i++) {
		const struct unc_table *table = &tables->tables[i];
		char name[UNC_ADDR_TEXT], skipped[60] = "";

		if (table->why[0]) {
			page_labelled(page, i ? "" : "table", LABEL, "not used: %s", table->why);
			continue;
		}
		if (table->n_skipped)
			snprintf(skipped, sizeof(skipped), "; %zu entries make no sense", table->n_skipped);
		page_labelled(page, i ? "" : "table", LABEL, "of %s: %zu units of counters%s",
			      unc_addr_text(&table->function, name), table->n_units, skipped);
		for (size_t k = 0; k < table->n_units; k++)
			print_type(table, k, page);
	}
}

static void print_clocks(struct opened *opened, struct page *page)
{
	struct unc_machine *machine = opened->machine;
	int rc = UNC_OK;

	for (unsigned i = 0; i < machine->n_sockets && rc == 0; i++) {
		struct unc_uncore_clock clock = {.mhz = 0};
		unsigned socket = machine->sockets[i].id;
		char text[100] = "";

		rc = unc_uncore_clock(machine, socket, &clock);
		if (rc == UNC_EAGAIN) { /* of a counter: the mean clock between two readings */
			unc_machine_sleep_until(machine, unc_machine_mono_ns(machine) + CLOCK_NS);
			rc = unc_uncore_clock(machine, socket, &clock);
		}
		unc_text_join(text, sizeof(text), ", ", "socket %u: %" PRIu64 " MHz now", socket, clock.mhz);
		if (clock.highest_mhz)
			unc_text_join(text, sizeof(text), ", ", "limits %" PRIu64 " to %" PRIu64 " MHz",
				      clock.lowest_mhz, clock.highest_mhz);
		page_labelled(page, i ? "" : "uncore", LABEL, "%s", rc < 0 ? unc_errmsg(opened->ctx) : text);
	}
}

static void print_machine(struct opened *opened, bool verbose, struct output *out)
{
	struct unc_machine *machine = opened->machine;
	struct page page = {.out = out, .width = WIDTH};
	bool has_cpuid = !machine->map->catalogue;
	struct unc_machine_info info;
	struct unc_cpu_info cpu = {0};
	const char *why;

	unc_machine_info(machine, &info);
	output_printf(out, "machine  %s%s\n", info.name, info.simulated ? " (simulated)" : "");
	if (unc_machine_cpu(machine, &cpu) == 0 && cpu.brand[0])
		output_printf(out, "CPU      %s\n", cpu.brand);
	output_printf(out, "part     %s%s%s", info.part, info.part[0] ? ": " : "", info.vendor);
	if (has_cpuid)
		output_printf(out, " family %u model 0x%x stepping %u", info.family, info.model, info.stepping);
	output_printf(out, "\nsockets  %u", info.n_sockets);
	if (info.n_cpus)
		output_printf(out, ", %u CPUs", info.n_cpus);
	if (verbose && info.n_sockets)
		output_printf(out, "; numbered by: %s", info.socket_rule);
	output_printf(out, "\n");
	if (has_cpuid)
		print_caches(opened, verbose, cpu.l3_bytes, &page);
	if (verbose && has_cpuid)
		print_clocks(opened, &page);
	if (verbose)
		print_tables(opened->machine->tables, &page);
	if (info.no_counters) { /* it begins with the part, which is above */
		why = strstr(info.no_counters, ": ");
		page_labelled(&page, "boxes", LABEL, "%s", why ? why + 2 : info.no_counters);
		page_labelled(&page, "try", LABEL, "uncorectl --machine sim:skx mem");
	} else {
		output_printf(out, "\n");
	}
}

/* Returns the state of a box in words; detail: the sentence of a failure, or the controls in use. */
static const char *box_state(struct unc_ctx *ctx, struct unc_box *box, const struct unc_box_info *info, char *detail,
			     size_t size, struct totals *totals)
{
	static const char *const words[] = {[UNC_USE_IDLE] = "idle",
					    [UNC_USE_COUNTING] = "counting",
					    [UNC_USE_TAKEN] = "in use",
					    [UNC_USE_STOPPED] = "stopped"};
	struct unc_box_state state;
	unsigned speed;
	int rc;

	detail[0] = '\0';
	if (info->presence == UNC_MISSING || info->presence == UNC_ABSENT) {
		totals->failed +=
			unc_box_state(box, &state) == UNC_EIO; /* it reads nothing of a box that was not found */
		return info->presence == UNC_MISSING ? "missing" : "absent";
	}
	rc = info->presence == UNC_DENIED ? UNC_EPERM : unc_box_state(box, &state);
	if (rc < 0) {
		totals->denied += rc == UNC_EPERM;
		totals->failed += rc == UNC_EIO;
		snprintf(detail, size, "%s", info->presence == UNC_DENIED ? info->why : unc_errmsg(ctx));
		return rc == UNC_EPERM ? "not permitted" : "missing";
	}
	totals->reached++;
	/* The freeze bit of a socket is read once, since boxes are sorted by socket. */
	if (!totals->asked_global || totals->socket != info->socket)
		totals->frozen_global = unc_users_is_frozen(box);
	totals->asked_global = true;
	totals->socket = info->socket;
	/* Enabled controls, perhaps also those that were programmed and are not enabled, and freeze bits that read 1. */
	for (size_t i = 0; i < state.n_slots; i++) {
		const struct unc_slot_state *slot = &state.slots[i];

		if (slot->enabled || (totals->every_control && slot->event[0]))
			unc_text_join(detail, size, ", ", "%s[%u] at 0x%x = 0x%08" PRIx64 " %s%s", slot->reg,
				      slot->index, slot->offset, slot->control, slot->event,
				      slot->enabled ? "" : " (not enabled)");
	}
	if (state.frozen)
		unc_text_join(detail, size, ", ", "BOX_CTL reads frz=1");
	if (box->unit->kind == UNC_AREA && unc_area_check(box->space, &speed) < 0)
		unc_text_join(detail, size, ", ", "%s", unc_errmsg(ctx));
	if (totals->frozen_global)
		unc_text_join(detail, size, ", ", "GLOBAL_CTL reads frz_all=1");
	return words[totals->frozen_global && state.use != UNC_USE_COUNTING ? UNC_USE_STOPPED : state.use];
}

static void emit_box(struct unc_ctx *ctx, struct unc_box *box, struct emitter *emitter, struct totals *totals)
{
	struct unc_box_info info;
	char detail[1024];
	const char *state;

	unc_box_info(box, &info);
	state = box_state(ctx, box, &info, detail, sizeof(detail), totals);
	emit_values(emitter, (struct value[]){
				     text_value(info.name),
				     number_value(info.socket),
				     number_value(info.imc),
				     number_value(info.channel),
				     text_value(info.pci),
				     text_value(state),
				     text_value(detail),
				     number_if(info.perf >= 0, (uint64_t)info.perf),
				     number_if(info.pcm >= 0, (uint64_t)info.pcm),
				     number_if(info.likwid >= 0, (uint64_t)info.likwid),
				     text_value(info.why),
			     });
}

static int print_list(struct opened *opened, const struct report *report, struct output *out)
{
	size_t n_shown = report->verbose || report->format != FORMAT_TABLE ? N_COLUMNS : N_USUAL;
	size_t n = unc_box_count(opened->machine, "imc");
	const struct list_options *options = report->line.own;
	struct column shown[N_COLUMNS];
	struct emitter emitter;
	struct unc_machine_info info;
	struct unc_llc_info caches;
	struct totals totals = {.every_control = options->observe};
	bool written;
	int status, rc;

	if (options->caches)
		return list_caches(opened, report, out);
	memcpy(shown, columns, sizeof(shown));
	shown[PLACE].title = place_title(opened->machine);
	emitter_init(&emitter, report->format, shown, n_shown, out, false);
	emit_head(&emitter, opened, "box");
	unc_machine_info(opened->machine, &info);
	if (report->format == FORMAT_TABLE)
		print_machine(opened, report->verbose, out);
	for (size_t i = 0; i < n; i++)
		emit_box(opened->ctx, unc_box_at(opened->machine, "imc", i), &emitter, &totals);
	for (size_t i = 0; i < unc_box_count(opened->machine, "pmon"); i++)
		emit_box(opened->ctx, unc_box_at(opened->machine, "pmon", i), &emitter, &totals);
	written = info.no_counters && report->format == FORMAT_TABLE ? output_flush(out) : emit_sample(&emitter, NULL);
	emitter_clear(&emitter);
	if (!written)
		return EXIT_FAILED;
	/* Such a machine may still have caches; the table has said both. */
	if (info.no_counters && report->format == FORMAT_TABLE)
		return !caches_missing(opened, &caches, &rc) ? EXIT_DONE
		       : rc < 0 && rc != UNC_ENODATA         ? exit_status_of(rc)
							     : EXIT_NOT_HERE;
	if (info.no_counters) {
		status = need_caches(opened, &caches);
		if (status == EXIT_NOT_HERE)
			need_counters(opened);
		return status;
	}
	if (totals.reached)
		return EXIT_DONE;
	if (totals.denied)
		return refuse(EXIT_NOT_PERMITTED, "list: permission denied for all boxes; the reason is beside each");
	if (totals.failed)
		return refuse(EXIT_FAILED, "list: no box could be read; the reason is beside each");
	say("list: none of these boxes is there; `uncorectl list -v` has the reason of each");
	return caches_missing(opened, &caches, &rc) ? EXIT_NOT_HERE : EXIT_DONE;
}

static const struct option_def option_defs[] = {
	{"verbose", NULL, option_flag, offsetof(struct report, verbose),
	 .help = "also the numbers that perf, PCM and LIKWID give each channel, and why\n"
		 "each choice was made; the CPUs of every L3; all columns of --caches",
	 .letter = 'v', .shared = true},
	{"caches", NULL, option_flag, offsetof(struct list_options, caches),
	 .help = "a row for each L3 cache that can be monitored, instead"},
	{"observe", NULL, option_flag, offsetof(struct list_options, observe),
	 .help = "also counters that were programmed and are not enabled"},
	OPTION_DATA(struct report, "table (default), csv or jsonl: the boxes, or the caches", "write to FILE"),
};

static bool names_machine(const struct report *report)
{
	return report->format == FORMAT_TABLE && !((const struct list_options *)report->line.own)->caches;
}

static int list_run(const struct globals *globals, int argc, char **argv)
{
	struct list_options list = {.observe = globals->observe};
	struct report report = {.line = {"list", usage, notes, option_defs, .own = &list},
				.names_machine = names_machine,
				.print = print_list};

	return report_run(&report, globals, argc, argv);
}

const struct command list_command = {"list", "the machine, its L3 caches, its boxes of counters, and who uses them",
				     list_run};
