// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine MACHINE: what a simulated machine costs, one line of numbers: the time to open it (ns, median of 9), the memory
 * it holds then (kB), and the time of one access (ns): 16 bytes of a memory channel, a write of a dword there, an MSR, and a
 * cache value (write IA32_QM_EVTSEL, read IA32_QM_CTR); 0 where it has no such thing.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <unistd.h>

#include "bench.h"
#include "sim/sim.h"
#include "../unit/simmsr.h"

enum { OPENS = 9, ACCESSES = 100000 };

static struct unc_ctx *ctx;
static struct unc_host *host;

static uint64_t resident_kb(void)
{
	unsigned long long size = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%llu %llu", &size, &resident) != 2)
		exit(1);
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* It stays open. */
static uint64_t opening(const char *args)
{
	uint64_t took[OPENS], begin;

	for (size_t i = 0; i < OPENS; i++) {
		unc_host_close(host);
		begin = now_ns(CLOCK_MONOTONIC_RAW);
		if (unc_sim_open(ctx, args, -1, &host) < 0)
			die(args, unc_errmsg(ctx));
		took[i] = now_ns(CLOCK_MONOTONIC_RAW) - begin;
	}
	return median(took, OPENS);
}

static const struct unc_addr *last_channel(void)
{
	static struct unc_sim_channel channel;

	if (channel.addr.pci.dev == 0 && unc_sim_channel(host, unc_sim_info(host).n_channels - 1, &channel) < 0)
		die("channel", unc_errmsg(ctx));
	return &channel.addr;
}

static void read_channel(void)
{
	unsigned char bytes[16];
	size_t done;

	if (unc_sim_access(host, last_channel(), false, 0xb0, bytes, sizeof(bytes), &done) < 0)
		die("read", unc_errmsg(ctx));
}

static void write_channel(void)
{
	static const unsigned char ctl[4] = {0x04, 0x03, 0x40, 0x00}; /* cas_count.rd, enabled */
	size_t done;

	if (unc_sim_access(host, last_channel(), true, 0xe0, (void *)ctl, sizeof(ctl), &done) <
	    0) /* CTL2: registers.md 2.1 */
		die("write", unc_errmsg(ctx));
}

static void read_msr(void)
{
	uint64_t value;

	if (sim_msr_read(host, 0, 0x10, &value) < 0) /* the time-stamp counter */
		die("msr", unc_errmsg(ctx));
}

static void read_cache(void)
{
	uint64_t value;

	if (sim_msr_write(host, 0, 0xc8d, 1) < 0 || sim_msr_read(host, 0, 0xc8e, &value) < 0)
		die("cache", unc_errmsg(ctx));
}

static uint64_t each(void (*deed)(void))
{
	uint64_t begin;

	deed();
	begin = now_ns(CLOCK_MONOTONIC_RAW);
	for (unsigned i = 0; i < ACCESSES; i++)
		deed();
	return (now_ns(CLOCK_MONOTONIC_RAW) - begin) / ACCESSES;
}

int main(int argc, char **argv)
{
	uint64_t before_kb = resident_kb(), open_ns, kb, write_ns;

	if (argc != 2 || strncmp(argv[1], "sim:", 4) != 0 || unc_new(&ctx) < 0)
		return 2;
	open_ns = opening(argv[1] + 4);
	kb = resident_kb() - before_kb;
	write_ns = each(write_channel); /* so that there is something to read */
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", open_ns, kb,
	       each(read_channel), write_ns, each(read_msr), unc_sim_info(host).n_rmids ? each(read_cache) : 0);
	unc_host_close(host);
	unc_free(ctx);
	return 0;
}
