// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl mem: DRAM bandwidth per channel, from the CAS counters of the memory controllers. */
#include "cli/mem.h"

#include <inttypes.h>

#include "pmon/session.h"

static const char usage[] = "usage: uncorectl mem [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
			    "\n"
			    "Read and write bandwidth of every memory channel, counted by the memory controllers.\n"
			    "Without -n until interrupted.  With a COMMAND its lifetime is one sample, its exit\n"
			    "status ours, and without -o the data goes to stderr.\n";
static const char notes[] =
	"Rates are bytes per second; MB and GB are powers of ten.  Flags: missing (the channel does\n"
	"not answer, or another socket has it), partial (a sum without a channel), stolen (another\n"
	"program wrote our control register), reset (another program cleared the counter), gap (not\n"
	"read for too long, or suspended), stopped (the box stood still, frozen or asleep),\n"
	"unconfirmed (a 0 that no clock confirms): these have no value, and none is ever guessed.\n"
	"late: the count is right, but its interval is uncertain by more than 0.2 %.  free_running: by\n"
	"a counter of a whole controller that always runs, as its channels have none, or none free;\n"
	"mesh: counted in the mesh, because neither channels nor such a counter could be read.\n"
	"simulated: the machine is.\n"
	"\n"
	"A channel that fails while it is measured is missing, and the others go on; when none answers\n"
	"any more, that ends it.  Exit status 1 when a register could not be put back; it is named.\n";

/* clang-format off */
enum column_index {
	C_READ_BYTES = C_OWN, C_WRITE_BYTES, C_READ_RATE, C_WRITE_RATE, C_TOTAL_RATE, C_OF_PEAK,
	C_READ_COUNT, C_WRITE_COUNT,
	C_PMEM_READ_BYTES, C_PMEM_WRITE_BYTES, C_PMEM_READ_RATE, C_PMEM_WRITE_RATE, C_PMEM_READ_COUNT, C_PMEM_WRITE_COUNT,
	C_BOTH_BYTES, C_BOTH_RATE, C_BOTH_COUNT,
	C_FLAGS, C_UNCERTAINTY, C_NOTES, C_BAR, C_MEMORY, C_BOX, C_PEAK_RATE, C_PEAK_PERCENT, C_NODE, C_CLOCK, C_UNCORE, C_UNCORE_LIMIT, N_COLUMNS,
};
const struct column mem_columns[] = {
	COUNTING_COLUMNS(2),
	[C_READ_BYTES] = {"read_bytes", NULL, COLUMN_NUMBER, 0},
	[C_WRITE_BYTES] = {"write_bytes", NULL, COLUMN_NUMBER, 0},
	[C_READ_RATE] = {"read_bytes_per_s", "Read", COLUMN_RATE, 0},
	[C_WRITE_RATE] = {"write_bytes_per_s", "Write", COLUMN_RATE, 0},
	[C_TOTAL_RATE] = {NULL, "Total", COLUMN_RATE, 1},
	[C_OF_PEAK] = {NULL, "of peak", COLUMN_AMOUNT, 1},
	[C_READ_COUNT] = {"read_count", NULL, COLUMN_NUMBER, 0},
	[C_WRITE_COUNT] = {"write_count", NULL, COLUMN_NUMBER, 0},
	/* Only where there are Optane modules. */
	[C_PMEM_READ_BYTES] = {"pmem_read_bytes", NULL, COLUMN_NUMBER, 0},
	[C_PMEM_WRITE_BYTES] = {"pmem_write_bytes", NULL, COLUMN_NUMBER, 0},
	[C_PMEM_READ_RATE] = {"pmem_read_bytes_per_s", "PMem read", COLUMN_RATE, 0},
	[C_PMEM_WRITE_RATE] = {"pmem_write_bytes_per_s", "PMem write", COLUMN_RATE, 0},
	[C_PMEM_READ_COUNT] = {"pmem_read_count", NULL, COLUMN_NUMBER, 0},
	[C_PMEM_WRITE_COUNT] = {"pmem_write_count", NULL, COLUMN_NUMBER, 0},
	/* Only where reads and writes are not told apart. */
	[C_BOTH_BYTES] = {"total_bytes", NULL, COLUMN_NUMBER, 0},
	[C_BOTH_RATE] = {"total_bytes_per_s", NULL, COLUMN_RATE, 0},
	[C_BOTH_COUNT] = {"total_count", NULL, COLUMN_NUMBER, 0},
	[C_PEAK_RATE] = {"peak_bytes_per_s", NULL, COLUMN_RATE, 0},
	[C_PEAK_PERCENT] = {"peak_percent", NULL, COLUMN_AMOUNT, 0},
	[C_CLOCK] = {NULL, NULL, COLUMN_NUMBER, 0}, /* only in formats of series */
	[C_UNCORE] = {NULL, NULL, COLUMN_NUMBER, 1}, /* with --verbose, and in formats of series */
	[C_UNCORE_LIMIT] = {NULL, NULL, COLUMN_NUMBER, 0},
	[C_BAR] = {NULL, "read, then write", COLUMN_BAR, 1},
};
/* clang-format on */
const size_t n_mem_columns = N_COLUMNS;

/* The items that are counted, in the order in which they are planned; with Optane modules those of both. */
static const char metrics[] = "read_bandwidth,write_bandwidth";
static const char with_pmem[] = "read_bandwidth,write_bandwidth,pmem_read_rate,pmem_write_rate";
static const char both_directions[] = "total_bandwidth";
enum { READ, WRITE, PMEM_READ, PMEM_WRITE, BOTH, ITEMS };
/* Where their bytes go, their rates and their counts. */
static const unsigned item_columns[ITEMS][3] = {
	[READ] = {C_READ_BYTES, C_READ_RATE, C_READ_COUNT},
	[WRITE] = {C_WRITE_BYTES, C_WRITE_RATE, C_WRITE_COUNT},
	[PMEM_READ] = {C_PMEM_READ_BYTES, C_PMEM_READ_RATE, C_PMEM_READ_COUNT},
	[PMEM_WRITE] = {C_PMEM_WRITE_BYTES, C_PMEM_WRITE_RATE, C_PMEM_WRITE_COUNT},
	[BOTH] = {C_BOTH_BYTES, C_BOTH_RATE, C_BOTH_COUNT},
};

static const struct option_def option_defs[] = {
	SAMPLER_TIMES,
	COUNTING_PLACES,
	COUNTING_FREEZE_FORCE,
	OPTION_PEAK(struct mem, peaks),
	{"lines", NULL, option_flag, offsetof(struct mem, lines),
	 .help = "a line for each sample and socket instead of a table, for logs"},
	{"fail-if", "WHEN", fail_if_take, offsetof(struct mem, fail_ifs),
	 .help = "exit status 1 if that was true, as 'total>80GB/s for 5s'; more than once: any"},
	SAMPLER_OBSERVE("write no register: show what others count; a value that no program counts is\n"
			"unprogrammed, one whose counter was given another event changed"),
	SAMPLER_DATA,
};

/* ---- rows ---- */

static double higher(double a, double b)
{
	return a > b ? a : b;
}

static void emit_items(const void *arg, const struct channel_group *group, const struct accumulator *items,
		       const struct row *place, struct emitter *emitter)
{
	const struct mem *mem = arg;
	const struct counting *counting = &mem->counting;
	double peak = peaks_sum(&mem->peaks, group->first, group->end);
	const struct accumulator *read = &items[READ], *write = mem->first == READ ? &items[WRITE] : NULL;
	unsigned flags = 0;
	double uncertainty = 0;
	bool has_value = false;
	struct row row = *place;

	if (mem->lines && !row.values[C_SOCKET].given)
		return;
	time_values(read, &row);
	for (unsigned i = 0; i < mem->n_items; i++) {
		const unsigned *own = item_columns[mem->first + i];

		flags |= items[i].flags;
		if (!items[i].has_value)
			continue;
		has_value = true;
		uncertainty = higher(uncertainty, items[i].uncertainty_percent);
		row.values[own[0]] = number_value(items[i].amount);
		row.values[own[1]] = rate_value(items[i].value);
		row.values[own[2]] = number_value(items[i].events);
	}
	if (read->has_value && (!write || write->has_value)) {
		double written = write ? write->value : 0;

		row.values[C_TOTAL_RATE] = rate_value(read->value + written);
		row.busy = read->value + written;
		if (peak > 0 && !(flags & FLAG_PARTIAL))
			row.values[C_OF_PEAK] = row.values[C_PEAK_PERCENT] =
				share_value((read->value + written) / peak);
		if (row.values[C_CHANNEL].given)
			row.values[C_BAR] = (struct value){.given = true, .bar = {read->value, written, mem->most}};
	}
	if (peak > 0)
		row.values[C_PEAK_RATE] = rate_value(peak);
	if (counting->columns[C_CLOCK].name && counting->session) {
		struct unc_clock_rate clock =
			unc_session_clock(counting->session, counting->channels.list[group->first].box);

		row.values[C_CLOCK] = number_if(clock.ticks, clock.ticks);
	}
	for (unsigned i = 0; i < mem->n_uncores && row.values[C_SOCKET].given; i++) {
		const struct mem_uncore *uncore = &mem->uncores[i];

		if (uncore->socket != row.values[C_SOCKET].number)
			continue;
		row.values[C_UNCORE] = number_if(uncore->clock.mhz, uncore->clock.mhz);
		row.values[C_UNCORE_LIMIT] = number_if(uncore->clock.highest_mhz, uncore->clock.highest_mhz);
	}
	if (has_value)
		row.values[C_UNCERTAINTY] = uncertainty_value(uncertainty);
	emit_flagged(&mem->counting, &row, flags, emitter);
}

/* Before counting starts: MSRs are opened, since a process that measures opens nothing any more, and a counter is read for the first time. */
static void begin_clocks(struct mem *mem, struct unc_machine *machine)
{
	mem->n_uncores = mem->counting.columns[C_UNCORE].name ? machine->n_sockets : 0;
	for (unsigned i = 0; i < mem->n_uncores; i++) {
		struct mem_uncore *uncore = &mem->uncores[i];
		int rc;

		*uncore = (struct mem_uncore){.socket = machine->sockets[i].id};
		rc = unc_uncore_clock(machine, uncore->socket, &uncore->clock);
		if (rc < 0 && rc != UNC_EAGAIN && i == 0)
			unc_remark(machine->ctx, "no clock of the uncore: %s", unc_errmsg(machine->ctx));
	}
}

/* Without the registers, or the msr driver, there is no number.  A slow uncore limits what memory can deliver. */
static void look_at_clocks(struct mem *mem)
{
	for (unsigned i = 0; i < mem->n_uncores; i++) {
		struct mem_uncore *uncore = &mem->uncores[i];
		const struct unc_uncore_clock *clock = &uncore->clock;

		unc_uncore_clock(mem->counting.machine, uncore->socket, &uncore->clock);
		if (uncore->told || !clock->mhz || clock->mhz >= clock->highest_mhz)
			continue;
		uncore->told = true;
		say("note: socket%u: the uncore runs at %" PRIu64 " MHz, below its limit of %" PRIu64
		    ": idle, or throttled; memory may deliver less",
		    uncore->socket, clock->mhz, clock->highest_mhz);
	}
}

int mem_emit(void *arg, const void *read, struct emitter *emitter)
{
	struct mem *mem = arg;
	const struct accumulator *items = mem->counting.of_channels;
	bool by_rate;

	look_at_clocks(mem);
	counting_take(&mem->counting, read);
	if (!peaks_update(&mem->peaks, &mem->counting, items->time_ns))
		return UNC_ENOMEM;
	if (!summary_add(&mem->summary, &mem->counting, mem->first == BOTH, &mem->peaks))
		return UNC_ENOMEM;
	fail_if_see(&mem->fail_ifs, &mem->counting, mem->first == BOTH, &mem->peaks);
	emitter->table.lines = mem->lines;
	mem->most = peaks_most(&mem->peaks, mem->counting.channels.n);
	by_rate = mem->most == 0;
	for (size_t i = 0; by_rate && i < mem->counting.channels.n; i++, items += mem->counting.plan.n_items)
		mem->most = higher(mem->most, items[READ].value + (mem->first == READ ? items[WRITE].value : 0));
	counting_emit(&mem->counting, emitter);
	return UNC_OK;
}

/* ---- the command ---- */

void mem_name_series(struct column *columns)
{
	columns[C_CLOCK].name = "clock_count";
	columns[C_UNCORE].name = "uncore_clock_mhz";
}

static int options_done(void *arg, struct sampler_options *options)
{
	struct mem *mem = arg;

	if (mem->lines && options->format != FORMAT_TABLE)
		return usage_error("mem: --lines is for people, and --format is for programs: only one of them");
	if (mem->lines && mem->counting.per_given && mem->counting.per != PER_SOCKET)
		return usage_error("mem: --lines is a line for each socket; leave it or --per %s out",
				   counting_places[mem->counting.per]);
	if (mem->lines)
		mem->counting.per = PER_SOCKET;
	if (format_is_metrics(options->format))
		mem_name_series(options->columns);
	if (options->command) { /* it has ended when the clock is read */
		options->columns[C_UNCORE].name = NULL;
	} else if (options->verbose) {
		options->columns[C_UNCORE].name = "uncore_clock_mhz";
		options->columns[C_UNCORE].title = "uncore MHz";
		options->columns[C_UNCORE_LIMIT].name = "uncore_limit_mhz";
	}
	return counting_options_done(arg, options);
}

static int verdict(void *arg)
{
	const struct mem *mem = arg;

	return fail_if_verdict(&mem->fail_ifs);
}

void mem_close(void *arg)
{
	struct mem *mem = arg;

	fail_if_clear(&mem->fail_ifs);
	summary_free(mem->summary);
	peaks_clear(&mem->peaks);
	counting_close(arg);
}

static void mem_summary(void *arg, enum format format, struct output *out)
{
	const struct mem *mem = arg;

	summary_print(mem->summary, &mem->counting, format, out);
}

static bool has_metric(const struct unc_machine *machine, const char *name)
{
	struct unc_metric_info info;
	size_t metric;

	return unc_metric_find(machine, "imc", name, &metric) == 0 &&
	       unc_metric_info(machine, "imc", metric, &info) == 0 && !info.lacks;
}

/*
 * Where no channel has an Optane module, nothing of them is counted or shown.  Where other programs leave too few counters for the
 * modules, the DIMMs are counted alone; where they leave too few for these, what is left is counters of whole controllers.
 */
int mem_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	enum { WITH_PMEM, DIMMS_ALONE, LAST } step = LAST;
	struct mem *mem = arg;
	struct unc_saved_msg why = {.os_name = NULL}, last;
	bool has_pmem = false, by_fabric = false, shown,
	     together = !has_metric(machine, "read_bandwidth") && has_metric(machine, both_directions);
	int rc;

	begin_clocks(mem, machine);
	for (size_t i = 0; i < unc_box_count(machine, "imc"); i++)
		has_pmem |= unc_box_has_pmem(unc_box_at(machine, "imc", i));
	/* Channels of the data fabric share its counters, which may be fewer than they. */
	for (size_t i = 0; i < unc_box_count(machine, "imc"); i++)
		by_fabric |= unc_box_at(machine, "imc", i)->counted_by != NULL;
	mem->counting.cfg.multiplex |= by_fabric;
	if (has_pmem)
		step = WITH_PMEM;
	for (;;) {
		shown = has_pmem && step != DIMMS_ALONE;
		mem->counting.want.metrics = together ? both_directions : shown ? with_pmem : metrics;
		mem->counting.n_pmem = shown ? BOTH - PMEM_READ : 0;
		mem->counting.first_pmem = PMEM_READ;
		mem->n_items = together ? 1 : shown ? BOTH : PMEM_READ;
		mem->counting.falls_back = step == LAST;
		rc = counting_start(arg, ctx, machine, ret_bytes);
		if (rc == 0 || step == LAST)
			break;
		unc_msg_save(ctx, &last);
		if (step == WITH_PMEM)
			why = last;
		if (counting_give_up(&mem->counting) < 0) { /* a register is not as it was, and nothing else is tried */
			say("%s", unc_errmsg(ctx));
			unc_msg_restore(ctx, &last);
			return rc;
		}
		step = step == WITH_PMEM && rc == UNC_EBUSY ? DIMMS_ALONE : LAST;
	}
	if (rc == 0 && step == DIMMS_ALONE)
		say("note: %s; so Optane modules are not shown", why.msg);
	if (rc == 0)
		rc = peaks_start(&mem->peaks, &mem->counting, machine);
	if (rc == 0)
		rc = fail_if_bind(&mem->fail_ifs, &mem->counting);
	mem->first = together ? BOTH : READ;
	mem->together = together;
	if (together) {
		mem->counting.columns[C_READ_RATE].title = mem->counting.columns[C_WRITE_RATE].title = NULL;
		mem->counting.columns[C_TOTAL_RATE].drop_priority = 0;
		mem->counting.columns[C_BAR].title = "read and write";
	}
	if (rc == 0 && by_fabric && !together)
		say("note: CPUID does not tell where counters of memory controllers are: the data fabric counts "
		    "instead");
	if (rc == 0 && together)
		say("note: the counters of this processor do not tell reads from writes, so their sum is shown");
	for (unsigned i = C_PMEM_READ_BYTES; i <= C_PMEM_WRITE_COUNT && !shown; i++)
		mem->counting.columns[i].name = mem->counting.columns[i].title = NULL;
	if (!together && mem->counting.view->sort_column == C_BOTH_RATE)
		mem->counting.view->sort_column = C_TOTAL_RATE;
	for (unsigned i = C_BOTH_BYTES; i <= C_BOTH_COUNT && !together; i++)
		mem->counting.columns[i].name = mem->counting.columns[i].title = NULL;
	return rc;
}

struct mem mem_init(void)
{
	return (struct mem){.counting = {.want = {.unit = "imc", .metrics = metrics, .amounts = true},
					 .compact = true,
					 COUNTING_ITEMS(emit_items)}};
}

static int mem_run(const struct globals *globals, int argc, char **argv)
{
	struct mem mem = mem_init();
	struct sampler sampler = {
		.line = {"mem", usage, notes, .options = option_defs},
		.columns = mem_columns,
		.n_columns = N_COLUMNS,
		.arg = &mem,
		.options_done = options_done,
		.start = mem_start,
		.emit = mem_emit,
		.ends_partial = true,
		.summary = mem_summary,
		.verdict = verdict,
		.close = mem_close,
	};

	return counting_run(&sampler, globals, argc, argv);
}

const struct command mem_command = {"mem", "read and write bandwidth of every memory channel", mem_run};
