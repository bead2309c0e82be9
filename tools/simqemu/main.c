// SPDX-License-Identifier: GPL-2.0-or-later
/* uncore-simqemu: a simulated machine's PCI functions in the computer that QEMU emulates.  See uncore-simqemu(1). */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simqemu.h"

const char program_name[] = "uncore-simqemu";

static const char usage[] = "usage: uncore-simqemu [OPTION]... MACHINE [OPTION]... -- QEMU-ARGUMENT...\n";

static const char help[] =
	"\n"
	"Runs QEMU as a computer that has a simulated machine's PCI functions, until it ends or this is told to end "
	"by\n"
	"SIGTERM, SIGINT or SIGHUP.  The exit status is QEMU's.\n"
	"\n"
	"  --log FILE         write each access to a register there\n"
	"  --truth FILE       what the hardware really did: at the start, at the end, and whenever SIGUSR1 comes\n"
	"  --violations FILE  what was done to it against the rules, likewise\n"
	"  --extended         functions have 4096 bytes of configuration space, through a BAR of the window; see the "
	"manual\n"
	"  --qemu PROGRAM     instead of qemu-system-x86_64\n"
	"  --print            print what QEMU would be started with, a word a line, and start nothing\n"
	"  --help             this\n"
	"  --version          its version\n"
	"\n"
	"MACHINE is sim:MODEL[,KEY=VALUE]..., see uncorectl-sim(5), for example sim:snbep,sockets=2.\n"
	"\n"
	"QEMU is given -M q35, -cpu, -smp, -m, memory and NUMA nodes that suit the machine, its buses and its "
	"functions;\n"
	"behind these the arguments, which can say otherwise: -kernel, -initrd, -append, -nographic ...\n";

struct wishes {
	const char *log, *machine, *qemu;
	char **user; /* for QEMU */
	bool print;
};

static int print(const char *text, const char *more)
{
	return fputs(text, stdout) < 0 || fputs(more, stdout) < 0 || fflush(stdout) != 0 ? FAILED : DONE;
}

static int set(struct simqemu *q, struct wishes *wishes, int option)
{
	switch (option) {
	case 'l':
		wishes->log = optarg;
		return DONE;
	case 't':
		q->truth_path = optarg;
		return DONE;
	case 'v':
		q->violations_path = optarg;
		return DONE;
	case 'q':
		wishes->qemu = optarg;
		return DONE;
	case 'e':
		q->extended = true;
		return DONE;
	case 'p':
		wishes->print = true;
		return DONE;
	case 1: /* a word that is no option */
		if (wishes->machine)
			break;
		wishes->machine = optarg;
		return DONE;
	default:
		break;
	}
	fputs(usage, stderr);
	return USAGE;
}

/* DONE with machine NULL: there is nothing left to do. */
static int parse(int argc, char **argv, struct simqemu *q, struct wishes *ret_wishes)
{
	static const struct option options[] = {
		{"log", required_argument, NULL, 'l'},
		{"truth", required_argument, NULL, 't'},
		{"violations", required_argument, NULL, 'v'},
		{"qemu", required_argument, NULL, 'q'},
		{"extended", no_argument, NULL, 'e'},
		{"print", no_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int option, status = DONE;

	while (status == DONE && (option = getopt_long(argc, argv, "-:h", options, NULL)) != -1) {
		if (option == 'h' || option == 'V') {
			ret_wishes->machine = NULL;
			return option == 'h' ? print(usage, help) : print("uncore-simqemu ", UNC_VERSION "\n");
		}
		if (option == ':' || option == '?') {
			say(option == ':' ? "%s needs a value" : "there is no option %s", argv[optind - 1]);
			return USAGE;
		}
		status = set(q, ret_wishes, option);
	}
	ret_wishes->user = argv + optind;
	if (status == DONE && (!ret_wishes->machine || strcmp(argv[optind - 1], "--") != 0)) {
		if (ret_wishes->machine)
			say("%s: -- is missing, behind which stands what is for QEMU", ret_wishes->machine);
		else
			fputs(usage, stderr);
		status = USAGE;
	}
	return status;
}

/* What QEMU, or what it emulates, has no way to show. */
static int machine_check(struct simqemu *q, const char *machine)
{
	if (!unc_sim_info(q->sim.host).n_pcis) {
		say("%s: this machine has no PCI functions for QEMU", machine);
		return USAGE;
	}
	if (unc_sim_info(q->sim.host).is_locked_down) {
		say("%s: lockdown=1 would be the guest's kernel's doing; boot that with lockdown=integrity", machine);
		return USAGE;
	}
	return DONE;
}

static int print_words(const struct args *args)
{
	for (size_t i = 0; i < args->n; i++)
		if (puts(args->words[i]) < 0)
			return FAILED;
	return fflush(stdout) == 0 ? DONE : FAILED;
}

/* A file that cannot be written is found before there is much to be lost. */
static int reports_begin(struct simqemu *q)
{
	int error = reports_write(q);

	if (!error)
		return DONE;
	return error == EACCES || error == EPERM ? NOT_PERMITTED : USAGE;
}

static int run(struct simqemu *q, const struct wishes *wishes, const struct args *args)
{
	static const int more[] = {SIGCHLD, SIGUSR1, SIGALRM};
	int signals, status = reports_begin(q);

	if (status != DONE)
		return status;
	status = log_open(&q->sim, wishes->log);
	if (status != DONE)
		return status;
	signals = signals_open(more, sizeof(more) / sizeof(more[0]));
	if (signals < 0) {
		say("signals cannot be waited for: %s", strerror(errno));
		return FAILED;
	}
	unc_sim_on_kill(q->sim.host, qemu_kill, q);
	status = qemu_start(q, args);
	if (status == DONE)
		status = serve(q, signals, wishes->qemu);
	close(signals);
	return status == DONE && q->truth_errno ? FAILED : status;
}

int main(int argc, char **argv)
{
	struct wishes wishes = {.qemu = "qemu-system-x86_64"};
	struct simqemu q = {0};
	struct args args = {0};
	int status = parse(argc, argv, &q, &wishes);

	if (status != DONE || !wishes.machine)
		return status;
	status = served_open(&q.sim, wishes.machine);
	if (status == DONE)
		status = machine_check(&q, wishes.machine);
	if (status == DONE)
		status = guest_check(wishes.user);
	if (status == DONE)
		status = links_open(&q.sim, q.extended, &q.links, &q.n_links);
	if (status == DONE)
		status = args_make(&q, wishes.qemu, wishes.user, &args);
	if (status == DONE)
		status = wishes.print ? print_words(&args) : run(&q, &wishes, &args);
	status = log_close(&q.sim, status);
	args_clear(&args);
	links_close(q.links, q.n_links);
	served_close(&q.sim);
	return status;
}
