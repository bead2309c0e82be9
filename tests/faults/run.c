// SPDX-License-Identifier: GPL-2.0-or-later
/* A command on a machine that is made for it. */
#define _GNU_SOURCE
#include "faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const uint64_t pqr_before[CPUS] = {UINT64_C(0x300000000), 0}, evtsel_before = UINT64_C(0x700000002);

void die(const char *what)
{
	printf("not ok faults: %s\n", what);
	exit(1);
}

void slurp(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
}

bool is_in_memory(const struct command *command)
{
	return strncmp(command->machine, "snr,", 4) == 0;
}

unsigned channels_of(const struct command *command)
{
	return is_in_memory(command) ? 2 : CHANNELS;
}

static void machine_name(const struct world *world, const struct command *command, const char *more, char *name,
			 size_t size)
{
	if (command->kind == MONITORS)
		snprintf(name, size, "sim:bdx,sockets=1,cores=%d,threads=1,clock=step,state=%s%s", CPUS, world->state,
			 more);
	else if (is_in_memory(command))
		snprintf(name, size, "sim:%s,clock=step,state=%s%s", command->machine, world->state, more);
	else
		snprintf(name, size, "sim:snbep,sockets=1,clock=step,%s,state=%s%s", command->machine, world->state,
			 more);
}

/* A machine as it is found: controls that another process left behind, in a busy box with enable; counters far from a carry. */
void prepare(struct world *world, const struct command *command)
{
	char name[512];
	struct unc_host *host;
	struct unc_ctx *ctx;

	unlink(world->state);
	machine_name(world, command, "", name, sizeof(name));
	if (unc_new(&ctx) < 0 || unc_sim_open(ctx, name + strlen("sim:"), -1, &host) < 0)
		die("no machine");
	for (unsigned i = 0; i < channels_of(command); i++) {
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
	if (!state_get(world->state, world->before))
		die("the state cannot be read");
	if (command->kind == MONITORS) {
		for (unsigned i = 0; i < CPUS; i++)
			world->before->threads[i].pqr_assoc = pqr_before[i];
		world->before->threads[CPUS - 1].selector.evtsel = evtsel_before; /* of the CPU that is not measured */
		return;
	}
	for (unsigned i = 0; i < channels_of(command); i++) {
		struct unc_sim_imc *imc = &world->before->imc[i];

		for (unsigned k = 0; k < UNC_SIM_CTRS; k++) {
			imc->ctl[k] = 0x01000000 * (k + 1) + 0x0304 + (command->flags & BUSY && i == 1 ? 1u << 22 : 0);
			imc->ctr[k] = UINT64_C(0x123456789a) + k;
		}
		if (command->kind == OBSERVES) { /* another process counts reads and writes */
			imc->ctl[0] = 1u << 22 | 0x0304;
			imc->ctl[1] = 1u << 22 | 0x0c04;
		}
	}
}

static void become(const struct world *world, const struct command *command, const char *machine, const char *signal_at)
{
	char plain[512], words[300],
		*argv[32] = {(char *)world->uncorectl, "--machine", (char *)machine,        "--trace",
			     (char *)world->trace,     "--state",   (char *)world->journals};
	unsigned n;

	snprintf(words, sizeof(words), "%s", command->args);
	n = add_words(argv, 7, words);
	for (unsigned i = 0; i < n; i++)
		if (strcmp(argv[i], RECORD) == 0)
			argv[i] = (char *)world->record;
	if (command->flags & WITH_COMMAND) { /* its life is a second of the machine's */
		machine_name(world, command, "", plain, sizeof(plain));
		argv[n++] = "-o";
		argv[n++] = (char *)world->data;
		argv[n++] = "--";
		argv[n++] = (char *)world->simpoke;
		argv[n++] = plain;
		argv[n++] = "step";
		argv[n++] = "1000000000";
	}
	if (signal_at) {
		setenv("LD_PRELOAD", world->sigat, 1);
		setenv("SIGAT", signal_at, 1);
		setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	}
	redirect(world->out, world->err);
	execv(argv[0], argv);
	_exit(99);
}

void run(const struct world *world, const struct command *command, const char *fail, const char *signal_at,
	 struct outcome *ret_outcome)
{
	char machine[512];
	pid_t pid;

	if (!state_put(world->state, world->before, false))
		die("the state cannot be written");
	drop_journals(world->journals);
	unlink(world->trace);
	machine_name(world, command, fail, machine, sizeof(machine));
	pid = fork();
	if (pid == 0)
		become(world, command, machine, signal_at);
	ret_outcome->status = wait_for(pid);
	slurp(command->flags & WITH_COMMAND ? world->data : world->out, ret_outcome->out, TEXT_MAX);
	slurp(world->err, ret_outcome->err, TEXT_MAX);
	ret_outcome->accesses = count_lines(world->trace);
	if (!state_get(world->state, world->after))
		die("the state cannot be read");
}
