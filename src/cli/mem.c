// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl mem: DRAM bandwidth per channel, from the CAS counters of the memory controllers. */
#include <string.h>

#include "cli/counting.h"
#include "cli/mem_rows.h"

static const char help[] =
	"usage: uncorectl mem [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Read and write bandwidth of every memory channel, counted by the memory controllers.\n"
	"Without -n until interrupted.  With a COMMAND its lifetime is one sample, its exit\n"
	"status ours, and without -o the data goes to stderr.\n"
	"\n"
	"  -i SECONDS      time between samples (default 1); with a COMMAND: samples meanwhile\n"
	"  -n COUNT        end after so many samples; a COMMAND is waited for all the same\n"
	"  --per WHAT      one record per channel (default), imc, socket or machine\n"
	"  --freeze        stop each box while it is read: all its counters of one instant, but\n"
	"                  what happens meanwhile is not counted\n"
	"  --force         where no counter is free, take one that somebody else enabled, and\n"
	"                  give it back at exit\n"
	"  --observe       write no register: show what others count; a value that nobody counts is\n"
	"                  unprogrammed, one whose counter was given another event changed\n"
	"  --format FORMAT table (default), csv or jsonl\n"
	"  -o FILE         write the data to FILE\n"
	"  --help\n"
	"\n"
	"Rates are bytes per second; MB and GB are powers of ten.  Flags: missing (the channel does\n"
	"not answer, or another socket has it), partial (a sum without a channel), stolen (somebody\n"
	"else wrote our control register), reset (somebody cleared the counter), gap (not read for\n"
	"too long, or suspended), stopped (the box stood still, frozen or asleep), unconfirmed (a 0\n"
	"that no clock confirms): of these no value is given, and none is ever guessed.  late: the\n"
	"count is right, but its interval is uncertain by more than 0.2 %.  simulated: the machine is.\n"
	"\n"
	"A channel that fails while it is measured is missing, and the others go on; when none answers\n"
	"any more, that ends it.  Exit status 1 when a register could not be put back; it is named.\n";

struct mem {
	struct counting counting;
	enum per per;
	struct mem_rows *rows;
};

enum { PER = COUNTING_OWN_OPTION };

static const struct option own_options[] = {
	COUNTING_OPTIONS,
	{"per", required_argument, NULL, PER},
	{NULL, 0, NULL, 0},
};

static int mem_option(void *arg, int option)
{
	static const char *const names[] = {"channel", "imc", "socket", "machine"};
	struct mem *mem = arg;

	if (counting_option(&mem->counting, option))
		return EXIT_DONE;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(optarg, names[i]) == 0) {
			mem->per = (enum per)i;
			return EXIT_DONE;
		}
	}
	return usage_error("mem: --per %s: there are channel, imc, socket and machine", optarg);
}

static int mem_add(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session)
{
	struct mem *mem = arg;
	const struct mem_want want = {.per = mem->per, .observe = mem->counting.cfg.observe};

	return mem_rows_open(ctx, machine, session, &want, &mem->rows, &mem->counting.n_counts);
}

static int mem_emit(void *arg, const void *read, struct emitter *emitter)
{
	struct mem *mem = arg;

	mem_rows_show(mem->rows, read, emitter);
	return UNC_OK;
}

static void mem_close(void *arg)
{
	struct mem *mem = arg;

	mem_rows_free(mem->rows);
}

static int mem_run(const struct globals *globals, int argc, char **argv)
{
	struct mem mem = {.counting = {.add = mem_add}, .per = PER_CHANNEL};
	struct sampler sampler = {
		.name = "mem",
		.help = help,
		.letters = "",
		.own = own_options,
		.columns = mem_columns,
		.n_columns = mem_n_columns,
		.arg = &mem,
		.option = mem_option,
		.options_done = counting_options_done,
		.start = counting_start,
		.sleep_until = counting_sleep_until,
		.read = counting_read,
		.confirm = counting_confirm,
		.emit = mem_emit,
		.stop = counting_stop,
		.close = mem_close,
	};

	return sampler_run(&sampler, globals, argc, argv);
}

const struct command mem_command = {
	.name = "mem",
	.summary = "read and write bandwidth of every memory channel",
	.run = mem_run,
};
