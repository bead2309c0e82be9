// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl load: memory traffic of known volume, made on this computer or given to a simulated one. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/confine.h"
#include "cli/endings.h"
#include "cli/flags.h"
#include "cli/load_options.h"
#include "cli/record.h"
#include "cli/signals.h"
#include "cli/traffic.h"
#include "rdt/rdt.h"

enum { NS_PER_S = 1000000000, SIGNAL_OF_CTRL_C = 2 };

enum {
	C_TIME,
	C_INTERVAL,
	C_RECORD,
	C_KIND,
	C_NODE,
	C_CPUS,
	C_SIZE,
	C_WANTED,
	C_LOADED,
	C_STORED,
	C_NT_STORED,
	C_RATE,
	C_FLAGS,
	N_COLUMNS
};
static const struct column columns[N_COLUMNS] = {
	[C_TIME] = {.name = "time_ns", .type = COLUMN_NUMBER},
	[C_INTERVAL] = {.name = "interval_ns", .type = COLUMN_NUMBER},
	[C_RECORD] = {.name = "record", .title = "record", .type = COLUMN_TEXT},
	[C_KIND] = {.name = "kind", .title = "kind", .type = COLUMN_TEXT},
	[C_NODE] = {.name = "node", .title = "node", .type = COLUMN_NUMBER},
	[C_CPUS] = {.name = "cpus", .title = "CPUs", .type = COLUMN_TEXT, .goes = 3},
	[C_SIZE] = {.name = "size_bytes", .type = COLUMN_NUMBER},
	[C_WANTED] = {.name = "wanted_bytes_per_s", .title = "wanted", .type = COLUMN_RATE, .goes = 4},
	[C_LOADED] = {.name = "loaded_bytes", .title = "loaded", .type = COLUMN_COUNT},
	[C_STORED] = {.name = "stored_bytes", .title = "stored", .type = COLUMN_COUNT},
	[C_NT_STORED] = {.name = "nt_stored_bytes", .title = "NT-stored", .type = COLUMN_COUNT},
	[C_RATE] = {.name = "bytes_per_s", .title = "rate", .type = COLUMN_RATE},
	[C_FLAGS] = {.name = "flags", .title = "flags", .type = COLUMN_TEXT, .goes = 2},
};

struct load {
	struct load_options options;
	struct opened opened;
	struct output out;
	struct emitter *emitter;
	bool live;     /* the machine is certainly this computer */
	bool recorded; /* or replayed: what the child or the terminal knows is in no record, so it must not be shown */
	struct traffic_child *child; /* NULL: the machine is certainly another one */
	struct unc_traffic_maker maker;
	int wake_fd;
	char *cpus;                    /* owned; the CPUs as a list */
	uint64_t began_ns;             /* raw time */
	uint64_t end_ns;               /* pacing time; UINT64_MAX: until interrupted */
	struct unc_traffic_done shown; /* what the records of intervals have shown so far */
};

static uint64_t all_bytes(const struct unc_traffic_done *done)
{
	return done->loaded_bytes + done->stored_bytes + done->nt_stored_bytes;
}

static struct unc_traffic_done difference(const struct unc_traffic_done *now, const struct unc_traffic_done *before)
{
	return (struct unc_traffic_done){
		.loaded_bytes = now->loaded_bytes - before->loaded_bytes,
		.stored_bytes = now->stored_bytes - before->stored_bytes,
		.nt_stored_bytes = now->nt_stored_bytes - before->nt_stored_bytes,
		.raw_ns = now->raw_ns - before->raw_ns, /* duration */
	};
}

/* done: the bytes that were moved in the time raw_ns. */
static bool show(struct load *load, const char *record, const struct unc_traffic_done *done)
{
	const struct load_options *options = &load->options;
	struct row row = {.record = true, .in_table = true};
	struct unc_machine_info info;
	char flags[FLAGS_TEXT_MAX];

	unc_machine_info(load->opened.machine, &info);
	row.values[C_TIME] = number_value(unc_machine_real_ns(load->opened.machine));
	row.values[C_INTERVAL] = number_value(done->raw_ns);
	row.values[C_RECORD] = text_value(record);
	row.values[C_KIND] = text_value(load_kind_name(options->kind));
	row.values[C_NODE] = number_value(options->node);
	row.values[C_CPUS] = text_value(load->cpus);
	row.values[C_SIZE] = number_value(options->size_bytes);
	row.values[C_WANTED] = options->bytes_per_s ? rate_value((double)options->bytes_per_s) : no_value("max");
	row.values[C_LOADED] = number_value(done->loaded_bytes);
	row.values[C_STORED] = number_value(done->stored_bytes);
	row.values[C_NT_STORED] = number_value(done->nt_stored_bytes);
	if (done->raw_ns)
		row.values[C_RATE] = rate_value((double)all_bytes(done) * NS_PER_S / (double)done->raw_ns);
	row.values[C_FLAGS] = text_value(flags_text(0, false, info.simulated, flags));
	emit_row(load->emitter, &row);
	return emit_sample(load->emitter, NULL) || signals_were_cut_short();
}

/* As open_machine(), except that no register is read, and confining comes later. */
static int open_it(struct load *load, const struct globals *globals)
{
	struct unc_machine_cfg cfg;
	int rc, status = prepare_machine(globals, false, load->wake_fd, NULL, &cfg, &load->opened);

	if (status != EXIT_DONE)
		return status;
	cfg.no_boxes = true;
	rc = unc_machine_open(load->opened.ctx, &cfg, &load->opened.machine);
	if (rc < 0)
		return fail_with(load->opened.ctx, rc);
	endings_of(load->opened.machine);
	return EXIT_DONE;
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
	load->emitter = emitter_new(options->format, columns, N_COLUMNS, &load->out, true);
	if (!load->cpus || !load->emitter) {
		say("out of memory");
		return EXIT_FAILED;
	}
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
		since = difference(&now, &load->shown);
		load->shown = now;
		while (next <= unc_machine_mono_ns(machine))
			next += NS_PER_S; /* a missed second is included in this record */
		if (!show(load, "interval", &since))
			return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int stop(struct load *load, int status)
{
	struct unc_traffic_done done;
	int rc = unc_traffic_stop(load->opened.machine, &done);

	if (status != EXIT_DONE)
		return status;
	if (rc < 0)
		return fail_with(load->opened.ctx, rc);
	done.raw_ns -= load->began_ns;
	return show(load, "total", &done) ? EXIT_DONE : EXIT_FAILED;
}

static int make(struct load *load, const struct globals *globals)
{
	int status = load_options_complete(&load->options, load->opened.machine, load->opened.ctx,
					   load->live && !load->recorded);

	if (status == EXIT_DONE)
		status = start(load);
	if (status != EXIT_DONE || load->end_ns == 0)
		return status;
	confine(globals, CONFINE_HELD, 0);
	status = wait(load);
	return stop(load, status);
}

static int open_all(struct load *load, const struct globals *globals)
{
	struct globals own = *globals;
	int status;

	if (!load->options.path && globals->stdout_closed) {
		say("standard output: closed; use -o FILE");
		return EXIT_FAILED;
	}
	load->wake_fd = signals_catch();
	if (load->wake_fd < 0)
		return EXIT_FAILED;
	load->recorded = globals->recorder || replayed_file(globals->machine);
	load->live = !globals->machine || strcmp(globals->machine, "live") == 0;
	/* root:DIR may be this computer as well, as seen from a container. */
	if (load->live || strncmp(globals->machine, "root:", strlen("root:")) == 0) {
		status = traffic_child_start(globals, &load->child);
		if (status != EXIT_DONE)
			return status;
		load->maker = traffic_child_maker(load->child);
		own.traffic_maker = &load->maker;
	}
	if (!output_open(&load->out, load->options.path, STDOUT_FILENO, "standard output"))
		return EXIT_FAILED;
	return open_it(load, &own);
}

static int close_all(struct load *load, int status)
{
	emitter_free(load->emitter);
	if (load->opened.ctx)
		status = close_machine(&load->opened, status);
	if (load->out.name && !output_close(&load->out) && status == EXIT_DONE && !signals_were_cut_short())
		status = EXIT_FAILED;
	traffic_child_end(load->child);
	free(load->cpus);
	return status;
}

/* An interrupt is the normal end of a run without a time limit; a run that was cut short ends by its signal. */
static int end_by_signal(const struct load_options *options, int signal, int status)
{
	if (signal == 0 || (signal == SIGNAL_OF_CTRL_C && !options->time_ns) || status != EXIT_DONE)
		return status;
	signals_die(signal);
	return 128 + signal;
}

static int load_run(const struct globals *globals, int argc, char **argv)
{
	struct load load = {.wake_fd = -1};
	int status = EXIT_DONE;

	if (load_options_parse(argc, argv, &load.options, &status)) {
		status = open_all(&load, globals);
		if (status == EXIT_DONE)
			status = make(&load, globals);
		status = close_all(&load, status);
		if (load.wake_fd >= 0)
			status = end_by_signal(&load.options, signals_caught(), status);
	}
	load_options_clear(&load.options);
	return status;
}

const struct command load_command = {
	.name = "load",
	.summary = "makes memory traffic of known volume",
	.run = load_run,
};
