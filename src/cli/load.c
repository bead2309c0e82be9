// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl load: memory traffic of known volume, made on this computer or given to a simulated one. */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/emit.h"
#include "cli/number.h"
#include "cli/options.h"
#include "cli/confine.h"
#include "cli/child.h"
#include "cli/traffic.h"
#include "cli/record.h"
#include "rdt/rdt.h"

enum {
	TIMES_L3 = 4,
	SIZE_UNKNOWN = 256 << 20,
	SIZE_LEAST = 16 << 20,
	PAGE = 4096,
	NS_PER_S = 1000000000,
	CPUS_MAX = CPU_LIST_MAX + 1
};

struct load_options {
	bool kind_given, node_given;
	enum unc_traffic_kind kind;
	uint64_t bytes_per_s; /* 0: as fast as possible */
	unsigned node;
	struct cpu_list cpus; /* owned */
	uint64_t size_bytes;  /* 0: not given */
	uint64_t time_ns;     /* 0: until interrupted */
	enum format format;
	const char *path; /* NULL: standard output */
};

struct cpus {
	struct unc_host_cpu *all; /* owned */
	size_t n;
};

/* ---- what the command line left open: the CPUs, the node of the memory, and its size ---- */

static int node_of(const struct unc_host_cpu *cpu)
{
	return cpu->node < 0 ? 0 : cpu->node;
}

/* The node is that of the CPUs, if they have one in common; the CPUs are those of the node. */
static int choose_place(struct load_options *options, const struct cpus *cpus)
{
	bool found = options->node_given, given = options->cpus.n > 0;
	char number[16];

	for (size_t i = 0; i < cpus->n && !options->node_given; i++) {
		unsigned node = (unsigned)node_of(&cpus->all[i]);

		if (given && !cpu_list_has(&options->cpus, cpus->all[i].cpu))
			continue;
		if (found && options->node != node && given)
			return usage_error("load: --cpu: these CPUs are of several NUMA nodes, %u and %u; say with "
					   "--node whose memory is meant",
					   options->node, node);
		options->node = found ? options->node : node;
		found = true;
	}
	for (size_t i = 0; i < cpus->n && !given; i++) {
		if (node_of(&cpus->all[i]) != (int)options->node)
			continue;
		snprintf(number, sizeof(number), "%u", cpus->all[i].cpu);
		if (cpu_list_add(&options->cpus, number) != CPU_LIST_GOOD)
			return no_memory();
	}
	if (options->cpus.n)
		return EXIT_DONE; /* absent CPUs are refused when the traffic is started */
	return refuse(EXIT_NOT_HERE,
		      "load: node %u: there is no such NUMA node, or no CPU of it is online and may be used; name "
		      "the CPUs that make the traffic with --cpu",
		      options->node);
}

/* Four times each CPU's share of the L3, where the fewest of the chosen CPUs share one. */
static void choose_size(struct load_options *options, const struct cpus *cpus, struct unc_machine *machine)
{
	uint64_t size = SIZE_UNKNOWN;
	struct unc_cpu_info info;
	unsigned fewest = 0;

	if (options->size_bytes)
		return;
	for (size_t i = 0; i < cpus->n; i++) {
		unsigned n = 0;

		if (!cpu_list_has(&options->cpus, cpus->all[i].cpu))
			continue;
		for (size_t k = 0; k < cpus->n; k++)
			n += cpus->all[k].l3 == cpus->all[i].l3 && cpu_list_has(&options->cpus, cpus->all[k].cpu);
		if (!fewest || n < fewest)
			fewest = n;
	}
	if (unc_machine_cpu(machine, &info) == 0 && info.l3_bytes) {
		size = TIMES_L3 * info.l3_bytes / (fewest ? fewest : 1);
		size = size < SIZE_LEAST ? SIZE_LEAST : size;
	}
	options->size_bytes = (size + PAGE - 1) / PAGE * PAGE;
}

/*
 * Completes the options.  CPUs: those of the node, with allowed only those on which this process may run; node: that of the CPUs;
 * size: four times each CPU's share of the L3.  EXIT_DONE, or the exit status after a message.
 */
static int load_options_complete(struct load_options *options, struct unc_machine *machine, struct unc_ctx *ctx,
				 bool allowed)
{
	struct unc_host *host = machine->host;
	struct cpus cpus = {NULL, 0};
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX), n = 0;
	cpu_set_t *set;
	int status, rc = host->ops->cpus(host, &cpus.all, &cpus.n);

	if (rc < 0 && rc != UNC_ENODATA)
		return fail_with(ctx, rc);
	if (rc < 0 && (!options->cpus.n || !options->node_given))
		return usage_error("load: this machine does not tell which CPUs it has; give --cpu and --node");
	set = allowed && !options->cpus.n ? CPU_ALLOC(CPUS_MAX) : NULL;
	if (set && sched_getaffinity(0, size, set) != 0) {
		CPU_FREE(set);
		set = NULL;
	}
	for (size_t i = 0; i < cpus.n; i++)
		if (cpus.all[i].online && (!set || CPU_ISSET_S(cpus.all[i].cpu, size, set)))
			cpus.all[n++] = cpus.all[i];
	cpus.n = n;
	CPU_FREE(set);
	status = choose_place(options, &cpus);
	if (status == EXIT_DONE)
		choose_size(options, &cpus, machine);
	free(cpus.all);
	return status;
}

static const char usage[] =
	"usage: uncorectl load --read|--write|--nt-write RATE [OPTION]...\n"
	"\n"
	"Makes memory traffic of known volume: on each CPU of a list a thread goes through a buffer of\n"
	"its own, again and again, in the memory of one NUMA node.  Without --time until interrupted.\n";
static const char notes[] =
	"The last record is what was moved in all, and at what rate; on a terminal there is one each\n"
	"second.  k, M, G and T are powers of 1024, kB, MB, GB and TB powers of 1000.  Needs no root on\n"
	"this computer.  A simulated machine is told of the traffic instead, and a mounted one.\n";

enum { NODE_MAX = 65535 };

static const char *const kinds[] = {
	[UNC_TRAFFIC_READ] = "read", [UNC_TRAFFIC_WRITE] = "write", [UNC_TRAFFIC_NT_WRITE] = "nt-write"};

static int take_kind(void *member, const struct option_given *given)
{
	struct load_options *options = member;
	enum unc_traffic_kind kind = UNC_TRAFFIC_READ;

	while (kind < UNC_TRAFFIC_NT_WRITE && strcmp(given->option + strlen("--"), kinds[kind]) != 0)
		kind++;
	if (options->kind_given)
		return usage_error("load: --%s and %s: one of them at a time", kinds[options->kind], given->option);
	options->kind_given = true;
	options->kind = kind;
	options->bytes_per_s = 0;
	if (strcmp(given->value, "max") == 0)
		return EXIT_DONE;
	if (!amount_of_rate(given->value, &options->bytes_per_s) || options->bytes_per_s == 0)
		return usage_error("load: %s %s: not a number of bytes per second above 0, such as 2e9, 500MB/s or max",
				   given->option, given->value);
	return EXIT_DONE;
}

static int take_node(void *member, const struct option_given *given)
{
	struct load_options *options = member;
	uint64_t node;

	if (!unc_text_u64(given->value, &node) || node > NODE_MAX)
		return usage_error("load: --node %s: not the number of a NUMA node", given->value);
	options->node = (unsigned)node;
	options->node_given = true;
	return EXIT_DONE;
}

/* The size must be whole pages. */
static int take_size(void *member, const struct option_given *given)
{
	struct load_options *options = member;
	const char *text = given->value;
	uint64_t bytes;

	if (!amount_of_bytes(text, &bytes))
		return usage_error("load: --size %s: not a number of bytes, such as 64M", text);
	if (bytes < PAGE)
		return usage_error("load: --size %s: a buffer has %d bytes at least", text, PAGE);
	options->size_bytes = (bytes + PAGE - 1) / PAGE * PAGE;
	return EXIT_DONE;
}

static const struct option_def option_defs[] = {
	{"read", "RATE", take_kind, 0, .help = "loads"},
	{"write", "RATE", take_kind, 0, .help = "plain stores: a cache reads each line before it is written back"},
	{"nt-write", "RATE", take_kind, 0,
	 .help = "non-temporal stores, which go round the caches (x86 only).\n"
		 "RATE: bytes per second of all CPUs together, such as 2e9, 500MB/s or 2GB,\n"
		 "or max"},
	{"node", "N", take_node, 0, .help = "whose memory (default: the node of the CPUs)"},
	{"cpu", "LIST", option_cpus, offsetof(struct load_options, cpus),
	 .help = "who makes it, such as 0-3,8 (default: all CPUs of the node)"},
	{"size", "S", take_size, 0,
	 .help = "bytes of each buffer, such as 64M (default: four times the CPU's share of\n"
		 "the L3)"},
	{"time", "T", option_seconds, offsetof(struct load_options, time_ns), .help = "how long: 2, 500ms, 1m"},
	OPTION_DATA(struct load_options, "table (default), csv or jsonl", "write the data to FILE"),
};

static const struct column columns[] = {
	{.name = "time_ns", .type = COLUMN_NUMBER},
	{.name = "interval_ns", .type = COLUMN_NUMBER},
	{.name = "record", .title = "record", .type = COLUMN_TEXT},
	{.name = "kind", .title = "kind", .type = COLUMN_TEXT},
	{.name = "node", .title = "node", .type = COLUMN_NUMBER},
	{.name = "cpus", .title = "CPUs", .type = COLUMN_TEXT, .drop_priority = 3},
	{.name = "size_bytes", .type = COLUMN_NUMBER},
	{.name = "wanted_bytes_per_s", .title = "wanted", .type = COLUMN_RATE, .drop_priority = 4},
	{.name = "loaded_bytes", .title = "loaded", .type = COLUMN_COUNT},
	{.name = "stored_bytes", .title = "stored", .type = COLUMN_COUNT},
	{.name = "nt_stored_bytes", .title = "NT-stored", .type = COLUMN_COUNT},
	{.name = "bytes_per_s", .title = "rate", .type = COLUMN_RATE},
	{.name = "flags", .title = "flags", .type = COLUMN_FLAGS, .drop_priority = 2},
	{.name = "box", .type = COLUMN_TEXT},
	{.name = "loaded_bytes_per_s", .type = COLUMN_RATE},
	{.name = "stored_bytes_per_s", .type = COLUMN_RATE},
	{.name = "nt_stored_bytes_per_s", .type = COLUMN_RATE},
};

struct load {
	struct load_options options;
	struct opened opened;
	struct output out;
	struct emitter emitter;
	bool live;     /* the machine is certainly this computer */
	bool recorded; /* or replayed: what the child or the terminal knows is in no record, so it must not be shown */
	struct traffic_child *child; /* NULL: the machine is certainly another one */
	int wake_fd;
	char *cpus;                    /* owned; the CPUs as a list */
	uint64_t began_ns;             /* raw time */
	uint64_t end_ns;               /* pacing time; UINT64_MAX: until interrupted */
	struct unc_traffic_done shown; /* what the records of intervals have shown so far */
};

static struct value rate_in(uint64_t bytes, uint64_t raw_ns)
{
	return raw_ns ? rate_value((double)bytes * NS_PER_S / (double)raw_ns) : no_value(NULL);
}

/* done: the bytes that were moved in the time raw_ns. */
static bool show(struct load *load, const char *record, const struct unc_traffic_done *done)
{
	const struct load_options *options = &load->options;
	struct unc_machine_info info;
	uint64_t bytes = done->loaded_bytes + done->stored_bytes + done->nt_stored_bytes;
	char flags[FLAGS_TEXT_MAX], box[24];

	snprintf(box, sizeof(box), "node%u", options->node);
	unc_machine_info(load->opened.machine, &info);
	emit_values(&load->emitter,
		    (struct value[]){
			    number_value(unc_machine_real_ns(load->opened.machine)),
			    number_value(done->raw_ns),
			    text_value(record),
			    text_value(kinds[options->kind]),
			    number_value(options->node),
			    text_value(load->cpus),
			    number_value(options->size_bytes),
			    options->bytes_per_s ? rate_value((double)options->bytes_per_s) : no_value("max"),
			    number_value(done->loaded_bytes),
			    number_value(done->stored_bytes),
			    number_value(done->nt_stored_bytes),
			    rate_in(bytes, done->raw_ns),
			    text_value(flags_text(info.simulated ? FLAG_SIMULATED : 0, flags)),
			    text_value(box),
			    rate_in(done->loaded_bytes, done->raw_ns),
			    rate_in(done->stored_bytes, done->raw_ns),
			    rate_in(done->nt_stored_bytes, done->raw_ns),
		    });
	return emit_sample(&load->emitter, NULL) || signals_were_cut_short();
}

static int start(struct load *load)
{
	struct load_options *options = &load->options;
	const struct unc_traffic traffic = {
		.kind = options->kind,
		.node = options->node,
		.cpus = options->cpus.cpus,
		.n_cpus = options->cpus.n,
		.bytes_per_s = options->bytes_per_s,
		.size_bytes = options->size_bytes,
	};
	int rc;

	load->cpus = unc_rdt_cpu_list(options->cpus.cpus, options->cpus.n);
	emitter_init(&load->emitter, options->format, EMIT_COLUMNS(columns), &load->out, true);
	emit_head(&load->emitter, &load->opened, NULL);
	if (!load->cpus)
		return no_memory();
	rc = unc_traffic_start(load->opened.machine, &traffic);
	if (rc == UNC_EAGAIN && signals_caught())
		return EXIT_DONE;
	if (rc < 0)
		return fail_with(load->opened.ctx, rc);
	/* The time when the call returned; but the child knows it to the nanosecond. */
	load->began_ns = unc_machine_raw_ns(load->opened.machine);
	if (load->child && !load->recorded && traffic_child_began_ns(load->child))
		load->began_ns = traffic_child_began_ns(load->child);
	load->shown.raw_ns = load->began_ns;
	load->end_ns = UINT64_MAX;
	if (options->time_ns)
		load->end_ns = unc_machine_mono_ns(load->opened.machine) + options->time_ns;
	return EXIT_DONE;
}

/* Waits until the time is over, or a signal comes; on a terminal it prints a record each second. */
static int wait(struct load *load)
{
	struct unc_machine *machine = load->opened.machine;
	uint64_t next = load->out.terminal && !load->recorded ? unc_machine_mono_ns(machine) + NS_PER_S : UINT64_MAX;
	struct unc_traffic_done now, since;
	int rc;

	while (!signals_caught()) {
		rc = unc_machine_sleep_until(machine, next < load->end_ns ? next : load->end_ns);
		if (rc == UNC_EAGAIN)
			signals_drain(load->wake_fd);
		else if (rc < 0)
			return fail_with(load->opened.ctx, rc);
		else if (load->end_ns <= next)
			return EXIT_DONE;
		/* It was woken without a signal: the child that makes the traffic may have ended, which is reported then. */
		if (signals_caught())
			break;
		rc = unc_traffic_look(machine, &now);
		if (rc < 0)
			return fail_with(load->opened.ctx, rc);
		if (unc_machine_mono_ns(machine) < next)
			continue;
		since = (struct unc_traffic_done){
			.loaded_bytes = now.loaded_bytes - load->shown.loaded_bytes,
			.stored_bytes = now.stored_bytes - load->shown.stored_bytes,
			.nt_stored_bytes = now.nt_stored_bytes - load->shown.nt_stored_bytes,
			.raw_ns = now.raw_ns - load->shown.raw_ns, /* duration */
		};
		load->shown = now;
		while (next <= unc_machine_mono_ns(machine))
			next += NS_PER_S; /* a missed second is included in this record */
		if (!show(load, "sample", &since))
			return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int open_all(struct load *load, const struct globals *globals)
{
	struct globals own = *globals;
	int status;

	load->wake_fd = signals_catch();
	if (load->wake_fd < 0)
		return EXIT_FAILED;
	load->recorded = globals->recorder || replayed_file(globals->machine);
	load->live = unc_machine_is_live(globals->machine);
	status = traffic_child_start(&own, &load->child);
	if (status == EXIT_DONE)
		status = output_open(&load->out, globals, load->options.path, STDOUT_FILENO);
	own.no_boxes = true;
	return status == EXIT_DONE ? open_machine(&own, false, load->wake_fd, NULL, &load->opened) : status;
}

static int load_run(const struct globals *globals, int argc, char **argv)
{
	struct load load = {.options.format = FORMAT_TABLE};
	const struct command_line line = {
		"load", usage, notes, option_defs, .own = &load.options, .shared = &load.options};
	struct unc_traffic_done done = {0};
	int rc, status, first = command_line_parse(&line, argc, argv, &status);

	if (first && first < argc)
		status = usage_error("load: %s: it takes no argument", argv[first]);
	else if (first && !load.options.kind_given)
		status = usage_error("load: which traffic? There are --read, --write and --nt-write, each with a rate "
				     "or max");
	else if (first)
		status = open_all(&load, globals);
	if (first && status == EXIT_DONE)
		status = load_options_complete(&load.options, load.opened.machine, load.opened.ctx,
					       load.live && !load.recorded);
	if (first && status == EXIT_DONE)
		status = start(&load);
	if (first && status == EXIT_DONE && load.end_ns) {
		confine(globals, CONFINE_HELD, 0);
		status = wait(&load);
		rc = unc_traffic_stop(load.opened.machine, &done);
		done.raw_ns -= load.began_ns;
		if (status == EXIT_DONE && rc < 0)
			status = fail_with(load.opened.ctx, rc);
		else if (status == EXIT_DONE && !show(&load, "summary", &done))
			status = EXIT_FAILED;
	}
	status = close_all(&load.emitter, &load.opened, &load.out, status);
	traffic_child_end(load.child);
	free(load.cpus);
	cpu_list_clear(&load.options.cpus);
	return signals_end(status, !load.options.time_ns);
}

const struct command load_command = {"load", "makes memory traffic of known volume", load_run};
