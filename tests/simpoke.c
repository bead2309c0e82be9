// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * simpoke MACHINE COMMAND [-- COMMAND]...: a hand on the registers of a simulated machine with state=FILE, for tests of the whole
 * command: what another program, the firmware or a test would do to it.  MACHINE as behind --machine.
 *
 *     r ADDR OFFSET           prints the dword there
 *     w ADDR OFFSET VALUE     writes it
 *     m CPU NUMBER [VALUE]    prints an MSR of a CPU, or writes it
 *     c ADDR N VALUE          presets counter N to a 48-bit value
 *     raise ADDR N BY         adds to counter N, as fast as this process can
 *     anew ADDR N OFFSET OFF ON   the control at OFFSET becomes OFF, counter N 0, the control ON, with nothing in between
 *     step NS                 lets time pass (clock=step)
 *     suspend NS              suspends it for so long: BOOT and REAL go on, PMON registers are lost
 *     truth                   a line per channel: SOCKET CHANNEL ADDR RAW_NS READ_BYTES WRITE_BYTES
 *     llc L3 RMID             OCCUPANCY TOTAL LOCAL: bytes that the RMID owns and has moved
 *     violations              how many there were, then each sentence
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/write.h"
#include "base/os.h"
#include "simtruth.h"

static struct unc_ctx *ctx;
static struct unc_host *host;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "simpoke: %s: %s\n", what, unc_errmsg(ctx));
	exit(1);
}

static unsigned long long number(const char *text)
{
	return strtoull(text, NULL, 0);
}

/* Prints the register there, of 4 or 8 bytes, or writes it. */
static void access_there(const struct unc_addr *addr, uint64_t off, unsigned bytes, const char *value_text)
{
	uint64_t value = value_text ? number(value_text) : 0;
	struct unc_space *space;
	struct unc_bus *bus;
	uint32_t low;
	int rc;

	if (host->ops->bus_open(host, addr->kind, true, &bus) < 0 || unc_space_open(bus, addr, &space) < 0)
		die("open");
	if (value_text) {
		rc = bytes == 4 ? unc_write32(space, off, (uint32_t)value) : unc_write64(space, off, value);
	} else if (bytes == 4) {
		rc = unc_read32(space, off, &low);
		value = low;
	} else {
		rc = unc_read64(space, off, &value);
	}
	if (rc < 0)
		die("access");
	if (!value_text)
		printf("0x%0*" PRIx64 "\n", 2 * (int)bytes, value);
	unc_space_close(space);
	unc_bus_close(bus);
}

static void access_dword(const char *addr_text, unsigned long long off, const char *value_text)
{
	struct unc_addr addr;

	if (!unc_addr_parse_pci(addr_text, &addr))
		die(addr_text);
	access_there(&addr, off, 4, value_text);
}

static void access_msr(const char *cpu, unsigned long long msr, const char *value_text)
{
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = (unsigned)number(cpu)}};

	access_there(&addr, msr, 8, value_text);
}

static void llc(unsigned long long l3, unsigned long long rmid)
{
	struct unc_sim_llc truth;

	if (unc_sim_truth_llc_at(host, (unsigned)l3, (unsigned)rmid, UNC_SIM_NOW, &truth) < 0)
		die("llc");
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", truth.occupancy_bytes, truth.total_bytes, truth.local_bytes);
}

static void preset(const char *addr, unsigned long long index, unsigned long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", value & 0xffffffff);
	access_dword(addr, 0xa0 + 8 * index, text); /* CTR0 at A0, 8 bytes each: Intel 327043-001, table 2-59 */
	snprintf(text, sizeof(text), "%llu", value >> 32);
	access_dword(addr, 0xa4 + 8 * index, text);
}

static uint64_t counter(const char *addr_text, unsigned long long index)
{
	uint32_t low, high;
	struct unc_space *space;
	struct unc_addr addr;
	struct unc_bus *bus;

	if (!unc_addr_parse_pci(addr_text, &addr) || host->ops->bus_open(host, addr.kind, true, &bus) < 0 ||
	    unc_space_open(bus, &addr, &space) < 0 || unc_read32(space, 0xa0 + 8 * index, &low) < 0 ||
	    unc_read32(space, 0xa4 + 8 * index, &high) < 0)
		die("read");
	unc_space_close(space);
	unc_bus_close(bus);
	return (uint64_t)high << 32 | low;
}

static void anew(char **what)
{
	access_dword(what[0], number(what[2]), what[3]);
	preset(what[0], number(what[1]), 0);
	access_dword(what[0], number(what[2]), what[4]);
}

static void truth(void)
{
	uint64_t now = host->ops->now_ns(host, UNC_CLOCK_RAW), read, written;
	struct unc_sim_channel channel;
	char text[UNC_ADDR_TEXT];

	for (size_t i = 0; i < unc_sim_info(host).n_channels; i++) {
		if (unc_sim_channel(host, i, &channel) < 0 || unc_sim_truth_bytes_of(host, i, now, &read, &written) < 0)
			die("truth");
		printf("%u %u %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", channel.socket, channel.channel,
		       unc_addr_text(&channel.addr, text), now, read, written);
	}
}

static void violations(void)
{
	struct unc_sim_violation violation;

	printf("%" PRIu64 "\n", unc_sim_violations(host));
	for (size_t i = 0; unc_sim_violation(host, i, &violation) == 0; i++)
		printf("%s\n", violation.sentence);
}

static void command(int argc, char **argv)
{
	const char *name = argc > 0 ? argv[0] : "";

	if (!strcmp(name, "r") && argc == 3)
		access_dword(argv[1], number(argv[2]), NULL);
	else if (!strcmp(name, "w") && argc == 4)
		access_dword(argv[1], number(argv[2]), argv[3]);
	else if (!strcmp(name, "m") && (argc == 3 || argc == 4))
		access_msr(argv[1], number(argv[2]), argc == 4 ? argv[3] : NULL);
	else if (!strcmp(name, "llc") && argc == 3)
		llc(number(argv[1]), number(argv[2]));
	else if (!strcmp(name, "c") && argc == 4)
		preset(argv[1], number(argv[2]), number(argv[3]));
	else if (!strcmp(name, "raise") && argc == 4)
		preset(argv[1], number(argv[2]), counter(argv[1], number(argv[2])) + number(argv[3]));
	else if (!strcmp(name, "anew") && argc == 6)
		anew(argv + 1);
	else if (!strcmp(name, "step") && argc == 2) {
		if (unc_sim_step(host, number(argv[1]), false) < 0)
			die("step");
	} else if (!strcmp(name, "suspend") && argc == 2) {
		if (unc_sim_suspend(host, number(argv[1])) < 0)
			die("suspend");
	} else if (!strcmp(name, "truth"))
		truth();
	else if (!strcmp(name, "violations"))
		violations();
	else
		die("wrong usage");
}

int main(int argc, char **argv)
{
	const char *machine = argc > 1 ? argv[1] : "";
	int from = 2, to;

	if (unc_new(&ctx) < 0 || strncmp(machine, "sim:", 4) != 0 || unc_sim_open(ctx, machine + 4, -1, &host) < 0)
		die(machine);
	do {
		for (to = from; to < argc && strcmp(argv[to], "--") != 0;)
			to++;
		command(to - from, argv + from);
		from = to + 1;
	} while (to < argc);
	unc_host_close(host);
	unc_free(ctx);
	return 0;
}
