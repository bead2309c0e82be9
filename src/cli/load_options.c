// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/load_options.h"

#include <getopt.h>
#include <string.h>

#include "base/text.h"
#include "cli/amount.h"

static const char help[] =
	"usage: uncorectl load --read|--write|--nt-write RATE [OPTION]...\n"
	"\n"
	"Makes memory traffic of known volume: on each CPU of a list a thread goes through a buffer of\n"
	"its own, again and again, in the memory of one NUMA node.  Without --time until interrupted.\n"
	"\n"
	"  --read RATE      loads\n"
	"  --write RATE     plain stores: a cache reads each line before it is written back\n"
	"  --nt-write RATE  non-temporal stores, which go round the caches (x86 only)\n"
	"                   RATE: bytes per second of all CPUs together, such as 2e9, 500MB/s or 2GB,\n"
	"                   or max\n"
	"  --node N         whose memory (default: the node of the CPUs)\n"
	"  --cpu LIST       who makes it, such as 0-3,8 (default: all CPUs of the node)\n"
	"  --size S         bytes of each buffer, such as 64M (default: four times the CPU's share of\n"
	"                   the L3)\n"
	"  --time T         seconds\n"
	"  --format FORMAT  table (default), csv or jsonl\n"
	"  -o FILE          write the data to FILE\n"
	"  --help\n"
	"\n"
	"The last record is what was moved in all, and at what rate; on a terminal there is one each\n"
	"second.  k, M, G and T are powers of 1024, kB, MB, GB and TB powers of 1000.  Needs no root on\n"
	"this computer.  A simulated machine is told of the traffic instead, and a mounted one.\n";

enum { READ = 1000, WRITE, NT_WRITE, NODE, CPU, SIZE, TIME, FORMAT, HELP };
enum { PAGE = 4096, NODE_MAX = 65535, NS_PER_S = 1000000000, LONGEST_S = 1000000 };

static const struct option long_options[] = {
	{"read", required_argument, NULL, READ},
	{"write", required_argument, NULL, WRITE},
	{"nt-write", required_argument, NULL, NT_WRITE},
	{"node", required_argument, NULL, NODE},
	{"cpu", required_argument, NULL, CPU},
	{"size", required_argument, NULL, SIZE},
	{"time", required_argument, NULL, TIME},
	{"format", required_argument, NULL, FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, HELP},
	{NULL, 0, NULL, 0},
};

const char *load_kind_name(enum unc_traffic_kind kind)
{
	static const char *const names[] = {"read", "write", "nt-write"};

	return names[kind];
}

static int parse_kind(struct load_options *options, enum unc_traffic_kind kind, const char *text)
{
	if (options->kind_given)
		return usage_error("load: --%s and --%s: one of them at a time", load_kind_name(options->kind),
				   load_kind_name(kind));
	options->kind_given = true;
	options->kind = kind;
	options->bytes_per_s = 0;
	if (strcmp(text, "max") == 0)
		return EXIT_DONE;
	if (!amount_of_rate(text, &options->bytes_per_s) || options->bytes_per_s == 0)
		return usage_error("load: --%s %s: not a number of bytes per second above 0, such as 2e9, 500MB/s or "
				   "max",
				   load_kind_name(kind), text);
	return EXIT_DONE;
}

static int parse_node(struct load_options *options, const char *text)
{
	uint64_t node;

	if (!unc_text_u64(text, &node) || node > NODE_MAX)
		return usage_error("load: --node %s: not the number of a NUMA node", text);
	options->node = (unsigned)node;
	options->node_given = true;
	return EXIT_DONE;
}

static int parse_cpus(struct load_options *options, const char *text)
{
	switch (cpu_list_add(&options->cpus, text)) {
	case CPU_LIST_GOOD:
		return EXIT_DONE;
	case CPU_LIST_MALFORMED:
		return usage_error("load: --cpu %s: not a list of CPUs such as 0-3,8", text);
	case CPU_LIST_TOO_HIGH:
		return usage_error("load: --cpu %s: no CPU has a number above %d", text, CPU_LIST_MAX);
	default:
		say("out of memory");
		return EXIT_FAILED;
	}
}

/* The size must be whole pages. */
static int parse_size(struct load_options *options, const char *text)
{
	uint64_t bytes;

	if (!amount_of_bytes(text, &bytes))
		return usage_error("load: --size %s: not a number of bytes, such as 64M", text);
	if (bytes < PAGE)
		return usage_error("load: --size %s: a buffer has %d bytes at least", text, PAGE);
	options->size_bytes = (bytes + PAGE - 1) / PAGE * PAGE;
	return EXIT_DONE;
}

static int parse_time(struct load_options *options, const char *text)
{
	double seconds;

	if (!unc_text_double(text, &seconds) || seconds < 1e-3 || seconds > LONGEST_S)
		return usage_error("load: --time %s: not a number of seconds from 0.001 to %d", text, LONGEST_S);
	options->time_ns = (uint64_t)(seconds * NS_PER_S + 0.5);
	return EXIT_DONE;
}

static int parse_option(struct load_options *options, int option, char **argv)
{
	switch (option) {
	case READ:
		return parse_kind(options, UNC_TRAFFIC_READ, optarg);
	case WRITE:
		return parse_kind(options, UNC_TRAFFIC_WRITE, optarg);
	case NT_WRITE:
		return parse_kind(options, UNC_TRAFFIC_NT_WRITE, optarg);
	case NODE:
		return parse_node(options, optarg);
	case CPU:
		return parse_cpus(options, optarg);
	case SIZE:
		return parse_size(options, optarg);
	case TIME:
		return parse_time(options, optarg);
	case 'o':
		options->path = optarg;
		return EXIT_DONE;
	case FORMAT:
		return parse_format("load", optarg, &options->format);
	default:
		return bad_option(argv, option, "load");
	}
}

bool load_options_parse(int argc, char **argv, struct load_options *ret_options, int *ret_status)
{
	int option;

	*ret_options = (struct load_options){.format = FORMAT_TABLE};
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (option == HELP || option == 'h') {
			*ret_status = show_text(help);
			return false;
		}
		*ret_status = parse_option(ret_options, option, argv);
		if (*ret_status != EXIT_DONE)
			return false;
	}
	if (optind < argc)
		*ret_status = usage_error("load: %s: it takes no argument", argv[optind]);
	else if (!ret_options->kind_given)
		*ret_status = usage_error("load: which traffic? There are --read, --write and --nt-write, each with a "
					  "rate or max");
	else
		return true;
	return false;
}

void load_options_clear(struct load_options *options)
{
	cpu_list_clear(&options->cpus);
}
