// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults UNCORECTL SIMPOKE SIGAT SCRATCH PART PARTS [STEP]: runs every command on a simulated machine whose NTH access goes
 * wrong, for NTH = 1, 2, 3, ... until the command meets the fault no more, in each way, once and for ever.  Then each
 * that writes is ended by a signal at every fifth moment.  Prints lines of "ok" and "not ok".  PART of PARTS: which
 * share of the commands and ways is tried here; STEP: only every so many accesses and moments are.
 *
 * Looked at after each run: its exit status, its sentences, that it ended, its numbers against a load that is constant, and the
 * controls of every channel, straight from the machine's state.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "access/fault.h"
#include "sim/sim.h"
#include "sim/state.h"

/* Sandy Bridge-EP, Intel 327043-001, chapter "iMC": offsets in configuration space, written here by hand. */
enum {
	INSPECT_AT = 0xd8,
	INSPECT_HEX = 64,
	BOX_CTL_AT = 0xf4,
	COUNTERS_AT = 0xa0,
	COUNTERS_END = 0xc0,
	FIXED_AT = 0xd0,
	FRZ_EN = 1 << 16
};
enum { CHANNELS = 4, ACCESSES_MAX = 2000, TEXT_MAX = 65536, TIMEOUT_S = 20 };

enum kind { LOOKS, EVENTS, DUMPS, MEASURES, COUNTS, DRY, WRITES, PEEKS, MONITORS };

/* Monitoring of caches: Intel SDM vol. 3, "Intel Resource Director Technology", likewise. */
enum { QM_EVTSEL_AT = 0xc8d, PQR_ASSOC_AT = 0xc8f };
enum { CPUS = 2, EVTSEL_BEFORE_SAMPLES = 3 /* is the RMID clean, and two first readings */ };
static const uint64_t pqr_before[CPUS] = {UINT64_C(0x300000000), 0}, evtsel_before = UINT64_C(0x700000002);

struct command {
	const char *name;
	enum kind kind;
	const char *machine; /* options of it, besides */
	bool busy, freeze, with_command;
	const char *args[12];
};

#define RECORD "RECORD" /* in the place of world.record */

static const struct command commands[] = {
	{"list", LOOKS, "frz_en=wo", false, false, false, {"list"}},
	{"list -v", LOOKS, "frz_en=rw", true, false, false, {"list", "-v"}},
	{"events", EVENTS, "frz_en=wo", false, false, false, {"events"}},
	{"events --metrics", EVENTS, "frz_en=wo", false, false, false, {"events", "--metrics"}},
	{"reg dump", DUMPS, "frz_en=wo", false, false, false, {"reg", "dump"}},
	{"reg get", DUMPS, "frz_en=wo", false, false, false, {"reg", "get", "*.CTL[*]"}},
	{"reg watch", DUMPS, "frz_en=wo", false, false, false, {"reg", "watch", "*.CTL[3]", "-n", "2"}},
	{"reg raw", PEEKS, "frz_en=wo", false, false, false, {"reg", "raw", "pci", "ff:10.1", "0x84"}},
	{"reg set",
	 WRITES,
	 "frz_en=rw",
	 false,
	 false,
	 false,
	 {"reg", "set", "*.CTL[3].en=1", "*.BOX_CTL=0x10100", "*.CTL[3].umask=12", "--write", "--for", "1"}},
	{"reg raw --write",
	 WRITES,
	 "frz_en=wo",
	 false,
	 false,
	 false,
	 {"reg", "raw", "msr", "0", "0xd10", "7", "--write", "--unmapped", "--for", "1"}},
	{"mem --dry-run", DRY, "frz_en=rw", false, false, false, {"--dry-run", "mem"}},
	{"mem -n 2", MEASURES, "frz_en=wo", false, false, false, {"mem", "-n", "2", "--format", "csv"}},
	{"mem -n 2 (frz_en=rw)", MEASURES, "frz_en=rw", false, false, false, {"mem", "-n", "2", "--format", "csv"}},
	{"mem --freeze", MEASURES, "frz_en=wo", false, true, false, {"mem", "-n", "2", "--freeze", "--format", "csv"}},
	{"mem --force", MEASURES, "frz_en=rw", true, false, false, {"mem", "-n", "2", "--force", "--format", "csv"}},
	{"stat of a set",
	 COUNTS,
	 "frz_en=wo",
	 false,
	 true,
	 false,
	 {"stat", "-e", "{cas_count.rd,cas_count.wr}", "-n", "2", "--format", "csv"}},
	{"stat in turns",
	 COUNTS,
	 "frz_en=wo",
	 false,
	 false,
	 false,
	 {"stat", "-e", "cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts", "-n2", "-i", "0.012",
	  "--format=csv"}},
	{"record mem",
	 MEASURES,
	 "frz_en=wo",
	 false,
	 false,
	 false,
	 {"record", RECORD, "--", "mem", "-n", "2", "--format", "csv"}},
	{"llc", MONITORS, "", false, false, false, {"llc", "--cpus", "0", "-n", "2", "--format", "csv"}},
	{"mem -- COMMAND", MEASURES, "frz_en=wo", false, false, true, {"mem", "--format", "csv"}},
};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

struct world {
	const char *uncorectl, *simpoke, *sigat;
	unsigned step; /* every so many places are tried */
	char state[256], trace[256], out[256], err[256], data[256], record[256];
	struct unc_sim_state before;
	double read_rate[CHANNELS], write_rate[CHANNELS];
	double llc_rate[2]; /* of CPU 0: total, local */
};

struct baseline { /* the accesses of a run without fault, from 1 */
	unsigned n, start_first, start_last, close_first;
	bool write[ACCESSES_MAX];
	bool imc[ACCESSES_MAX];
	bool release[ACCESSES_MAX]; /* of a box that was frozen: done twice, so that one of them may fail */
};

struct outcome {
	unsigned accesses;
	int status; /* -1: had to be killed; 256 + N: ended by signal N */
	char out[TEXT_MAX], err[TEXT_MAX];
	struct unc_sim_state after;
};

struct attempt {
	const struct world *world;
	const struct command *command;
	const struct baseline *baseline;
	enum unc_fault_how how;
	bool forever;
	unsigned at;
	const struct outcome *outcome;
	char complaint[1024];
};

static void die(const char *what)
{
	printf("not ok faults: %s\n", what);
	exit(1);
}

static void slurp(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
}

/* What caches own and have moved stands behind all registers, is large, and 0 at first. */
#define REGISTERS offsetof(struct unc_sim_state, shares)

static void put_state(const struct world *world)
{
	int fd = open(world->state, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, &world->before, REGISTERS) != (ssize_t)REGISTERS ||
	    ftruncate(fd, sizeof(world->before)) != 0)
		die("the state cannot be written");
	close(fd);
}

static void get_state(const struct world *world, struct unc_sim_state *ret_state)
{
	int fd = open(world->state, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, ret_state, REGISTERS) != (ssize_t)REGISTERS)
		die("the state cannot be read");
	close(fd);
}

static void machine_name(const struct world *world, const struct command *command, const char *more, char *name,
			 size_t size)
{
	if (command->kind == MONITORS)
		snprintf(name, size, "sim:bdx,sockets=1,cores=%d,threads=1,clock=step,state=%s%s", CPUS, world->state,
			 more);
	else
		snprintf(name, size, "sim:snbep,sockets=1,clock=step,%s,state=%s%s", command->machine, world->state,
			 more);
}

/* A machine as it is found: controls that somebody left behind, in a busy box with enable; counters far from a carry. */
static void prepare(struct world *world, const struct command *command)
{
	char name[512];
	struct unc_host *host;
	struct unc_ctx *ctx;

	unlink(world->state);
	machine_name(world, command, "", name, sizeof(name));
	if (unc_new(&ctx) < 0 || unc_sim_open(ctx, name + strlen("sim:"), -1, &host) < 0)
		die("no machine");
	for (unsigned i = 0; i < CHANNELS; i++) {
		struct unc_sim_channel channel;
		uint64_t read[2], written[2];

		unc_sim_channel(host, i, &channel);
		unc_sim_truth_bytes_at(host, &channel.addr, UINT64_C(1000000000000), &read[0], &written[0]);
		unc_sim_truth_bytes_at(host, &channel.addr, UINT64_C(1010000000000), &read[1], &written[1]);
		world->read_rate[i] = (double)(read[1] - read[0]) / 10;
		world->write_rate[i] = (double)(written[1] - written[0]) / 10;
	}
	unc_host_close(host);
	unc_free(ctx);
	get_state(world, &world->before);
	if (command->kind == MONITORS) {
		for (unsigned i = 0; i < CPUS; i++)
			world->before.threads[i].pqr_assoc = pqr_before[i];
		world->before.threads[CPUS - 1].evtsel = evtsel_before; /* of the CPU that is not measured */
		return;
	}
	for (unsigned i = 0; i < CHANNELS; i++) {
		struct unc_sim_imc *imc = &world->before.imc[i];

		for (unsigned k = 0; k < UNC_SIM_CTRS; k++) {
			imc->ctl[k] = 0x01000000 * (k + 1) + 0x0304 + (command->busy && i == 1 ? 1u << 22 : 0);
			imc->ctr[k] = UINT64_C(0x123456789a) + k;
		}
	}
}

/* signal_at: "N:SIGNAL", or NULL */
static void become(const struct world *world, const struct command *command, const char *machine, const char *signal_at)
{
	char plain[512], *argv[24];
	unsigned n = 0;

	argv[n++] = (char *)world->uncorectl;
	argv[n++] = "--machine";
	argv[n++] = (char *)machine;
	argv[n++] = "--trace";
	argv[n++] = (char *)world->trace;
	for (unsigned i = 0; i < sizeof(command->args) / sizeof(command->args[0]) && command->args[i]; i++)
		argv[n++] = (char *)(strcmp(command->args[i], RECORD) == 0 ? world->record : command->args[i]);
	if (command->with_command) { /* its life is a second of the machine's */
		machine_name(world, command, "", plain, sizeof(plain));
		argv[n++] = "-o";
		argv[n++] = (char *)world->data;
		argv[n++] = "--";
		argv[n++] = (char *)world->simpoke;
		argv[n++] = plain;
		argv[n++] = "step";
		argv[n++] = "1000000000";
	}
	argv[n] = NULL;
	if (signal_at) {
		setenv("LD_PRELOAD", world->sigat, 1);
		setenv("SIGAT", signal_at, 1);
		setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	}
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(open(world->out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
	dup2(open(world->err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
	execv(argv[0], argv);
	_exit(99);
}

static int wait_for(pid_t pid)
{
	struct timespec limit = {.tv_sec = TIMEOUT_S};
	sigset_t child;
	int status;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (sigtimedwait(&child, NULL, &limit) < 0) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
	}
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void run(const struct world *world, const struct command *command, const char *fail, const char *signal_at,
		struct outcome *ret_outcome)
{
	char machine[512], *trace = malloc(4 * TEXT_MAX);
	pid_t pid;

	put_state(world);
	unlink(world->trace);
	machine_name(world, command, fail, machine, sizeof(machine));
	pid = fork();
	if (pid == 0)
		become(world, command, machine, signal_at);
	ret_outcome->status = wait_for(pid);
	slurp(command->with_command ? world->data : world->out, ret_outcome->out, TEXT_MAX);
	slurp(world->err, ret_outcome->err, TEXT_MAX);
	slurp(world->trace, trace, 4 * TEXT_MAX);
	ret_outcome->accesses = 0;
	for (const char *at = trace; (at = strchr(at, '\n')); at++)
		ret_outcome->accesses++;
	get_state(world, &ret_outcome->after);
	free(trace);
}

struct box_ctl { /* what was written last to one */
	char place[32];
	bool frozen;
	unsigned released; /* the access that did; 0: none */
};

/* A release that fails is written again, whether that was meant anyhow or not. */
static void learn_release(struct baseline *b, const char *place, bool frozen, struct box_ctl *last)
{
	bool same = strcmp(place, last->place) == 0;

	b->release[b->n] = same && !frozen && (last->frozen || (last->released && last->released == b->n - 1));
	last->released = b->release[b->n] ? b->n : 0;
	last->frozen = frozen;
	snprintf(last->place, sizeof(last->place), "%s", place);
}

/* The last accesses before the first sample follow the third write of QM_EVTSEL: CTR is read, and EVTSEL again. */
static void learn_monitoring(struct baseline *b, const char *op, unsigned off, unsigned *n_selected)
{
	if (off == PQR_ASSOC_AT && !b->start_first)
		b->start_first = b->n;
	if (off == QM_EVTSEL_AT && strcmp(op, "w64") == 0 && ++*n_selected == EVTSEL_BEFORE_SAMPLES)
		b->start_last = b->n + 2;
}

/* Field number n of a record, from 1. */
static double field_of(const char *record, unsigned n)
{
	while (--n && record)
		record = strchr(record + 1, ',');
	return record ? strtod(record + 1, NULL) : 0;
}
enum { F_TOTAL_STATUS = 11, F_LOCAL_STATUS = 14 };

/* Where start and close begin, from the trace of a run without fault. */
static void learn(struct world *world, const struct command *command, struct baseline *b)
{
	unsigned n_counters = 0, n_selected = 0;
	struct box_ctl last = {.place = ""};
	struct outcome *outcome = malloc(sizeof(*outcome));
	char line[9000];
	FILE *trace;

	run(world, command, "", NULL, outcome);
	if (outcome->status != 0)
		die(command->name);
	if (command->kind == MONITORS) {
		const char *record = strchr(outcome->out, '\n');

		world->llc_rate[0] = field_of(record, 10);
		world->llc_rate[1] = field_of(record, 13);
		if (!(world->llc_rate[0] > world->llc_rate[1] && world->llc_rate[1] > 1e6))
			die("llc without a fault has no rates");
	}
	free(outcome);
	*b = (struct baseline){0};
	trace = fopen(world->trace, "re");
	while (trace && fgets(line, sizeof(line), trace) && b->n + 1 < ACCESSES_MAX) {
		char place[32], op[8], value[8200];
		unsigned off;

		if (sscanf(line, "%*u %*s %31s %7s 0x%x %8199s", place, op, &off, value) != 4)
			die("a line of the trace makes no sense");
		b->n++;
		b->write[b->n] = op[0] == 'w';
		b->imc[b->n] = strstr(place, ":10.") != NULL;
		if (command->kind == MONITORS)
			learn_monitoring(b, op, off, &n_selected);
		if (strcmp(op, "w32") == 0 && off == BOX_CTL_AT)
			learn_release(b, place, strstr(value, "0x00010100") != NULL, &last);
		if (strcmp(op, "rblk") == 0 && off >= COUNTERS_AT && off < COUNTERS_END && ++n_counters == CHANNELS)
			b->start_last = b->n;
		/* A box that is stopped for reading has the fixed counter read with care, and is released then. */
		else if (b->start_last && b->start_last == b->n - 1 &&
			 ((op[0] == 'r' && off >= FIXED_AT && off < INSPECT_AT) ||
			  (op[0] == 'w' && off == BOX_CTL_AT && !strstr(value, "0x00010100"))))
			b->start_last = b->n;
		if (strcmp(op, "rblk") == 0 && off == INSPECT_AT && strlen(value) == INSPECT_HEX) {
			if (!b->start_first)
				b->start_first = b->n;
			if (b->start_last && !b->close_first)
				b->close_first = b->n;
		}
	}
	if (trace)
		fclose(trace);
}

/* ---- what is right ---- */

static bool complain(struct attempt *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool complain(struct attempt *a, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(a->complaint, sizeof(a->complaint), fmt, args);
	va_end(args);
	return false;
}

static int status_of(enum unc_fault_how how)
{
	return how == UNC_FAULT_EPERM ? 4 : how == UNC_FAULT_ENODEV || how == UNC_FAULT_ENXIO ? 3 : 1;
}

static bool is_said(enum unc_fault_how how)
{
	return how <= UNC_FAULT_SHORT;
}

/* Of a command that programs counters, or would: a channel that fails while sampling is a row, everything else ends it. */
static bool measuring_status(struct attempt *a)
{
	const struct baseline *b = a->baseline;
	int status = a->outcome->status, right = status_of(a->how);
	bool not_back = strstr(a->outcome->err, "not put back") != NULL;
	bool opening = a->at < b->start_first, starting = !opening && a->at <= b->start_last;

	if (a->command->kind == DRY && !opening && !starting) /* nothing was written, so there is nothing to put back */
		return (status == 0 || (status == 1 && a->forever)) && !not_back;
	if (a->how == UNC_FAULT_DROP) /* seen where it reads back, and harmless where it does not */
		return status == 0 || (status == 1 && (starting || a->forever));
	if (a->how == UNC_FAULT_ONES && (starting || a->forever))
		return status == 3 || status == 1 || (status == 0 && !a->forever);
	if (a->how == UNC_FAULT_ONES)
		return status == 0;
	if (opening && !a->forever) /* an unknown function is missing; one that is refused is refused */
		return status == (a->how == UNC_FAULT_EPERM && b->imc[a->at] ? 4 : 0);
	if (starting && !a->forever && b->release[a->at])
		return status == 0;
	if (opening || starting)
		return status == right;
	return a->forever ? status == right || (status == 1 && not_back) : status == 0;
}

/* Of one that writes by name: what goes wrong before it is put back ends it; putting back is tried twice. */
static bool writing_status(struct attempt *a)
{
	int status = a->outcome->status;

	return status == 0 || status == status_of(a->how) || (status == 3 && a->how == UNC_FAULT_ONES) ||
	       (status == 1 && a->forever);
}

/*
 * Of llc: whatever fails before the first sample ends it, but a CPU that is not there any more, since another one of the L3 can
 * be read from.  A value that fails is a status, and of two samples the other has it.
 */
static bool monitoring_status(struct attempt *a)
{
	const struct baseline *b = a->baseline;
	int status = a->outcome->status, right = status_of(a->how);
	bool starting = a->at >= b->start_first && a->at <= b->start_last;

	if (!is_said(a->how)) /* what reads back or makes no sense is seen, and done again */
		return status == 0 || (status == 1 && (starting || a->forever));
	if (a->forever)
		return status == right || status == 1;
	if (starting)
		return status == right || (status == 0 && right == 3);
	return status == 0;
}

static bool status_is_right(struct attempt *a)
{
	int status = a->outcome->status;
	bool right = false;

	if (a->outcome->accesses < a->at) /* it never met the fault */
		return status == 0 || complain(a, "exit status %d", status);
	switch (a->command->kind) {
	case LOOKS: /* what cannot be reached is in the table */
		right = status == 0 ||
			(a->forever && (status == status_of(a->how) || (!is_said(a->how) && status == 3)));
		break;
	case EVENTS:
		right = status == 0 || (a->forever && a->at == 1 && status == status_of(a->how));
		break;
	case DUMPS:
		if (a->forever || !is_said(a->how))
			right = status == status_of(a->how) || (!is_said(a->how) && (status == 0 || status == 3));
		else if (a->at < 8) /* opening */
			right = status == (a->how == UNC_FAULT_EPERM && a->baseline->imc[a->at] ? 4 : 0) ||
				(a->how == UNC_FAULT_EPERM && status == 4); /* the UBOX is dumped as well */
		else
			right = status == status_of(a->how);
		break;
	case WRITES:
	case PEEKS:
		right = writing_status(a);
		break;
	case MONITORS:
		right = monitoring_status(a);
		break;
	default:
		right = measuring_status(a);
	}
	return right || complain(a, "exit status %d", status);
}

static bool sentences_are_right(struct attempt *a)
{
	char *copy = strdup(a->outcome->err), *rest = copy, *line;
	unsigned n = 0, n_back = 0, wanted = a->outcome->status ? 1 : 0;
	bool strange = false;

	while ((line = strsep(&rest, "\n"))) {
		strange |= *line && strncmp(line, "uncorectl: ", 11) != 0;
		if (!*line || strncmp(line, "uncorectl: machine: ", 20) == 0 ||
		    strncmp(line, "uncorectl: note: ", 17) == 0)
			continue;
		n_back += strstr(line, "not put back") != NULL;
		n++;
	}
	free(copy);
	if (strange)
		return complain(a, "a line that is no sentence of ours");
	/* That registers are not as before is said besides what went wrong first. */
	n_back += a->command->kind == DRY && strstr(a->outcome->err, "would be put back cannot be told") != NULL;
	return n == wanted || (n == 2 && n_back == 1 && wanted == 1) || complain(a, "%u sentences", n);
}

static bool number_is_right(const char *text, double truth)
{
	return *text && fabs(strtod(text, NULL) - truth) <= truth * 0.005;
}

/* Of stat: one event, whose value is bytes in interval_ns. */
static bool count_is_right(struct attempt *a, char *const field[13], unsigned channel)
{
	double truth = strcmp(field[6], "cas_count.rd") == 0   ? a->world->read_rate[channel]
		       : strcmp(field[6], "cas_count.wr") == 0 ? a->world->write_rate[channel]
							       : 0;
	bool number = strcmp(field[12], "simulated") == 0 || strcmp(field[12], "scaled;simulated") == 0;
	bool hidden_freeze = a->how == UNC_FAULT_DROP && a->forever;

	if (!number && !strstr(field[12], "late") && (*field[7] || *field[10]))
		return complain(a, "channel %u: a number, and %s", channel, field[12]);
	if (number && (!*field[7] || !*field[8] || !*field[9] || !*field[10]))
		return complain(a, "channel %u: %s without a number", channel, field[6]);
	if (number && truth > 0 && !hidden_freeze &&
	    fabs(strtod(field[10], NULL) / strtod(field[1], NULL) * 1e9 - truth) > truth * 0.005)
		return complain(a, "channel %u: %s %s in %s ns, not %.0f bytes/s", channel, field[6], field[10],
				field[1], truth);
	return true;
}

static bool record_is_right(struct attempt *a, char *line)
{
	char *field[16] = {NULL};
	unsigned n = 0, channel;
	/* frz cannot be read back, and only a box that is frozen for reading has a witness */
	bool hidden_freeze = a->how == UNC_FAULT_DROP && a->forever && !a->command->freeze;

	while (n < 16 && (field[n] = strsep(&line, ",")))
		n++;
	if (n != 13)
		return complain(a, "a record of %u fields", n);
	channel = (unsigned)atoi(field[4]);
	if (channel >= CHANNELS)
		return complain(a, "channel %u", channel);
	if (a->command->kind == COUNTS)
		return count_is_right(a, field, channel);
	if (strcmp(field[12], "simulated") == 0) {
		if (!hidden_freeze && (!number_is_right(field[8], a->world->read_rate[channel]) ||
				       !number_is_right(field[9], a->world->write_rate[channel])))
			return complain(a, "channel %u: %s and %s bytes/s, not %.0f and %.0f", channel, field[8],
					field[9], a->world->read_rate[channel], a->world->write_rate[channel]);
	} else if (!strstr(field[12], "late") && (*field[6] || *field[8] || *field[10])) {
		return complain(a, "channel %u: a number, and %s", channel, field[12]);
	}
	return true;
}

/* A status and a number, or no number; of two. */
static bool value_is_right(struct attempt *a, char *const field[21], unsigned status, double truth)
{
	const char *number = field[status - 1];

	if (strcmp(field[status], "ok") != 0)
		return (!*number && !*field[status - 2]) || complain(a, "a number, %s, and %s", number, field[status]);
	return number_is_right(number, truth) || complain(a, "%s bytes/s, not %.0f", number, truth);
}

static bool values_are_right(struct attempt *a)
{
	char *copy = strdup(a->outcome->out), *rest = copy, *line, *field[21];
	bool right = true;
	unsigned rows = 0;

	while (right && (line = strsep(&rest, "\n"))) {
		unsigned n = 0;

		if (!*line || *line == 't')
			continue;
		while (n < 21 && (field[n] = strsep(&line, ",")))
			n++;
		rows++;
		right = (n == 21 && !line) || complain(a, "a record of %u fields", n);
		right = right && value_is_right(a, field, F_TOTAL_STATUS - 1, a->world->llc_rate[0]) &&
			value_is_right(a, field, F_LOCAL_STATUS - 1, a->world->llc_rate[1]);
	}
	free(copy);
	return right && (a->outcome->status || rows == 2 || complain(a, "%u records", rows));
}

static bool numbers_are_right(struct attempt *a)
{
	char *copy, *rest, *line;
	unsigned n = 0, wanted = a->command->with_command ? CHANNELS : 2 * CHANNELS;
	bool right = true;

	if (a->command->kind == MONITORS)
		return values_are_right(a);
	if (a->command->kind != MEASURES && a->command->kind != COUNTS)
		return true;
	if (a->command->kind == COUNTS) /* an event is a record */
		wanted *= a->command->freeze ? 2 : 5;
	copy = rest = strdup(a->outcome->out);
	while (right && (line = strsep(&rest, "\n")))
		if (*line && *line != 't') {
			right = record_is_right(a, line);
			n++;
		}
	free(copy);
	if (right && a->outcome->status == 0 && n != wanted)
		return complain(a, "%u records", n);
	return right;
}

/* Does a line that is about that say that it is not back? */
static bool is_confessed(const struct attempt *a, const char *box, const char *reg)
{
	char *copy = strdup(a->outcome->err), *rest = copy, *line;
	bool said = false;

	while ((line = strsep(&rest, "\n")))
		said |= strstr(line, "not put back") && strstr(line, box) && strstr(line, reg);
	free(copy);
	return said;
}

static bool register_is_right(struct attempt *a, unsigned channel, const char *reg, uint32_t before, uint32_t after)
{
	char box[32];

	if (before == after)
		return true;
	if (!a->forever)
		return complain(a, "channel %u: %s is 0x%08" PRIx32 ", was 0x%08" PRIx32, channel, reg, after, before);
	if (a->how == UNC_FAULT_DROP && strcmp(reg, "BOX_CTL") == 0)
		return true; /* nothing of it can be read back: no trace is left that anybody could see */
	snprintf(box, sizeof(box), "socket0.imc0.ch%u", channel);
	if (a->outcome->status == 0 || !is_confessed(a, box, reg))
		return complain(a, "channel %u: %s is 0x%08" PRIx32 ", was 0x%08" PRIx32 ", and that is not said",
				channel, reg, after, before);
	return true;
}

static bool msr_is_right(struct attempt *a, unsigned cpu, const char *reg, uint64_t before, uint64_t after)
{
	char box[16];

	snprintf(box, sizeof(box), "cpu%u", cpu);
	if (before == after || (a->forever && a->outcome->status && is_confessed(a, box, reg)))
		return true;
	return complain(a, "cpu%u: %s is 0x%016" PRIx64 ", was 0x%016" PRIx64 "%s", cpu, reg, after, before,
			a->forever ? ", and that is not said" : "");
}

static bool msrs_are_right(struct attempt *a)
{
	bool right = true;

	for (unsigned i = 0; i < CPUS && right; i++) {
		const struct unc_sim_thread *before = &a->world->before.threads[i],
					    *after = &a->outcome->after.threads[i];

		right = msr_is_right(a, i, "PQR_ASSOC", before->pqr_assoc, after->pqr_assoc) &&
			msr_is_right(a, i, "QM_EVTSEL", before->evtsel, after->evtsel);
	}
	return right;
}

static bool registers_are_right(struct attempt *a)
{
	bool left_idle = strstr(a->outcome->err, "left idle (frz_en=1)") || strstr(a->outcome->err, "not put back");
	bool right = true;

	if (a->command->kind == MONITORS)
		return msrs_are_right(a);
	for (unsigned i = 0; i < CHANNELS && right; i++) {
		const struct unc_sim_imc *before = &a->world->before.imc[i], *after = &a->outcome->after.imc[i];
		uint32_t box_ctl = after->box_ctl;

		for (unsigned k = 0; k < UNC_SIM_CTRS && right; k++) {
			char reg[8];

			snprintf(reg, sizeof(reg), "CTL[%u]", k);
			right = register_is_right(a, i, reg, before->ctl[k], after->ctl[k]);
		}
		if (left_idle && !strstr(a->command->machine, "rw"))
			box_ctl &= ~(uint32_t)FRZ_EN;
		right = right && register_is_right(a, i, "FIXED_CTL", before->fixed_ctl, after->fixed_ctl) &&
			register_is_right(a, i, "BOX_CTL", before->box_ctl, box_ctl);
	}
	if (right && a->outcome->after.n_violations)
		return complain(a, "a rule of the manual was broken");
	return right;
}

/* What was recorded runs again, prints the same and ends alike. */
static bool replay_is_right(struct attempt *a)
{
	const struct world *world = a->world;
	char machine[300], again[TEXT_MAX];
	int status;
	pid_t pid;

	if (strcmp(a->command->args[0], "record") != 0)
		return true;
	snprintf(machine, sizeof(machine), "replay:%s", world->record);
	pid = fork();
	if (pid == 0) {
		dup2(open(world->data, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
		dup2(open(world->err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
		execl(world->uncorectl, world->uncorectl, "--machine", machine, (char *)NULL);
		_exit(99);
	}
	status = wait_for(pid);
	slurp(world->data, again, sizeof(again));
	if (status != a->outcome->status)
		return complain(a, "replayed, its status is %d", status);
	return strcmp(again, a->outcome->out) == 0 || complain(a, "replayed, it prints something else");
}

static bool try(struct attempt *a)
{
	if (a->outcome->status == -1)
		return complain(a, "did not end within %d s", TIMEOUT_S);
	if (a->outcome->status > 255)
		return complain(a, "died of signal %d", a->outcome->status - 256);
	return status_is_right(a) && sentences_are_right(a) && numbers_are_right(a) && registers_are_right(a) &&
	       replay_is_right(a);
}

/* ---- the loop ---- */

static void tell_failure(const struct attempt *a, const char *fail)
{
	char *copy = strdup(a->outcome->err), *rest = copy, *line;

	printf("not ok %s on %s: %s\n", a->command->name, fail, a->complaint);
	for (unsigned n = 0; n < 12 && (line = strsep(&rest, "\n")); n++)
		if (*line)
			printf("# %s\n", line);
	free(copy);
}

/* How many places were tried; failures are told, three at most. */
static unsigned loop(struct attempt *a, unsigned *failures)
{
	struct outcome *outcome = malloc(sizeof(*outcome));
	unsigned n = 0;

	a->outcome = outcome;
	for (a->at = 1; a->at < ACCESSES_MAX && *failures < 3; a->at += a->world->step) {
		char fail[64];

		if (a->how == UNC_FAULT_DROP && a->at <= a->baseline->n && !a->baseline->write[a->at])
			continue; /* a read is as ever */
		snprintf(fail, sizeof(fail), ",fail=%u:%s%s", a->at, unc_fault_name(a->how),
			 a->forever ? ":forever" : "");
		run(a->world, a->command, fail, NULL, outcome);
		if (!try(a)) {
			tell_failure(a, fail + 1);
			++*failures;
		}
		if (outcome->accesses < a->at)
			break;
		n++;
	}
	free(outcome);
	return n;
}

static void each_way(const struct world *world, const struct command *command, const struct baseline *baseline,
		     enum unc_fault_how how)
{
	struct attempt a = {.world = world, .command = command, .baseline = baseline, .how = how};
	unsigned failures = 0, once, forever;

	once = loop(&a, &failures);
	a.forever = true;
	forever = loop(&a, &failures);
	if (failures == 0)
		printf("ok %s survives %s: each of %u accesses once, and from each of %u on\n", command->name,
		       unc_fault_name(how), once, forever);
	fflush(stdout);
}

/* Ended by a signal in every moment there is, near enough: it dies by that signal, with all registers back. */
static void each_moment(const struct world *world, const struct command *command, int signal_number)
{
	struct attempt a = {.world = world, .command = command};
	struct outcome *outcome = malloc(sizeof(*outcome));
	unsigned n = 0;
	bool good = true;

	a.outcome = outcome;
	for (a.at = 1; good && a.at < 10000; a.at += 5 * world->step) {
		char signal_at[32];

		snprintf(signal_at, sizeof(signal_at), "%u:%d", a.at, signal_number);
		run(world, command, "", signal_at, outcome);
		if (outcome->status == 0)
			break;
		good = outcome->status == 256 + signal_number || complain(&a, "status %d", outcome->status);
		outcome->status = 0; /* a signal is no failure: there is nothing to say */
		good = good && sentences_are_right(&a) && registers_are_right(&a);
		if (!good)
			tell_failure(&a, signal_at);
		n++;
	}
	if (good && n > 5 / world->step)
		printf("ok %s ended by signal %d at %u moments leaves the registers as they were\n", command->name,
		       signal_number, n);
	else if (good)
		printf("not ok %s was not ended by signal %d: %u moments\n", command->name, signal_number, n);
	fflush(stdout);
	free(outcome);
}

int main(int argc, char **argv)
{
	unsigned part, parts, turn = 0;
	struct baseline baseline;
	struct world *world;
	sigset_t child;

	if (argc != 7 && argc != 8)
		return 2;
	world = calloc(1, sizeof(*world));
	if (!world)
		return 2;
	world->uncorectl = argv[1];
	world->simpoke = argv[2];
	world->sigat = argv[3];
	world->step = argc == 8 ? (unsigned)atoi(argv[7]) : 1;
	part = (unsigned)atoi(argv[5]);
	parts = (unsigned)atoi(argv[6]);
	snprintf(world->state, sizeof(world->state), "%s/state%u", argv[4], part);
	snprintf(world->trace, sizeof(world->trace), "%s/trace%u", argv[4], part);
	snprintf(world->out, sizeof(world->out), "%s/out%u", argv[4], part);
	snprintf(world->err, sizeof(world->err), "%s/err%u", argv[4], part);
	snprintf(world->record, sizeof(world->record), "%s/record%u", argv[4], part);
	snprintf(world->data, sizeof(world->data), "%s/data%u", argv[4], part);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL); /* for sigtimedwait() */
	for (unsigned i = 0; i < N_COMMANDS; i++) {
		prepare(world, &commands[i]);
		learn(world, &commands[i], &baseline);
		for (unsigned how = 0; how < UNC_FAULT_HOWS; how++)
			/* An MSR that is not there is refused; it never reads as all ones. */
			if (!(commands[i].kind == MONITORS && how == UNC_FAULT_ONES) && turn++ % parts == part)
				each_way(world, &commands[i], &baseline, (enum unc_fault_how)how);
		if ((commands[i].kind == MEASURES || commands[i].kind == COUNTS || commands[i].kind == WRITES ||
		     commands[i].kind == MONITORS) &&
		    !commands[i].with_command && turn++ % parts == part)
			each_moment(world, &commands[i], i % 2 ? SIGTERM : SIGHUP);
	}
	free(world);
	return 0;
}
