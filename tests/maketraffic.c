// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maketraffic MACHINE KIND NODE BYTES_PER_S SIZE CPU NS: makes traffic on any machine for so long of its time, for tests.  Prints
 * what was moved when half of the time was over, and in all: LOADED STORED NT_STORED, in bytes.  With NS 0 it waits to be
 * killed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uncore.h"
#include "uncore/traffic.h"

static struct unc_ctx *ctx;

static void check(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "maketraffic: %s\n", unc_errmsg(ctx));
	exit(1);
}

static enum unc_traffic_kind kind_of(const char *text)
{
	if (strcmp(text, "read") == 0)
		return UNC_TRAFFIC_READ;
	return strcmp(text, "write") == 0 ? UNC_TRAFFIC_WRITE : UNC_TRAFFIC_NT_WRITE;
}

static void sleep_for(struct unc_machine *m, uint64_t ns)
{
	check(unc_machine_sleep_until(m, unc_machine_mono_ns(m) + ns));
}

static void print(const struct unc_traffic_done *done)
{
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", done->loaded_bytes, done->stored_bytes, done->nt_stored_bytes);
	fflush(stdout);
}

static void wait_to_be_killed(void)
{
	printf("begun\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct unc_machine_cfg cfg = {.machine = argc > 1 ? argv[1] : NULL, .wake_fd = -1};
	struct unc_traffic traffic = {.n_cpus = 1};
	struct unc_traffic_done done;
	struct unc_machine *m;
	unsigned cpu;
	uint64_t ns;

	if (argc != 8)
		return 2;
	traffic.kind = kind_of(argv[2]);
	traffic.node = (unsigned)strtoul(argv[3], NULL, 0);
	traffic.bytes_per_s = strtoull(argv[4], NULL, 0);
	traffic.size_bytes = strtoull(argv[5], NULL, 0);
	cpu = (unsigned)strtoul(argv[6], NULL, 0);
	traffic.cpus = &cpu;
	ns = strtoull(argv[7], NULL, 0);
	if (unc_new(&ctx) < 0)
		return 1;
	check(unc_machine_open(ctx, &cfg, &m));
	check(unc_traffic_start(m, &traffic));
	if (!ns)
		wait_to_be_killed();
	sleep_for(m, ns / 2);
	check(unc_traffic_look(m, &done));
	print(&done);
	sleep_for(m, ns - ns / 2);
	check(unc_traffic_stop(m, &done));
	print(&done);
	check(unc_machine_close(m));
	unc_free(ctx);
	return 0;
}
