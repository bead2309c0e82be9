// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * simpoke MACHINE COMMAND...: a hand on the registers of a simulated machine with state=FILE, for tests of the whole
 * command: what another program, the firmware or a test would do to it.  MACHINE as behind --machine.
 *
 *     r ADDR OFFSET           prints the dword there
 *     w ADDR OFFSET VALUE     writes it
 *     m CPU NUMBER [VALUE]    prints an MSR of a CPU, or writes it
 *     c ADDR N VALUE          presets counter N to a 48-bit value
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
		if (unc_sim_channel(host, i, &channel) < 0 ||
		    unc_sim_truth_bytes_at(host, &channel.addr, now, &read, &written) < 0)
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

int main(int argc, char **argv)
{
	const char *machine = argc > 1 ? argv[1] : "";
	const char *command = argc > 2 ? argv[2] : "";

	if (unc_new(&ctx) < 0 || strncmp(machine, "sim:", 4) != 0 || unc_sim_open(ctx, machine + 4, -1, &host) < 0)
		die(machine);
	if (!strcmp(command, "r") && argc == 5)
		access_dword(argv[3], number(argv[4]), NULL);
	else if (!strcmp(command, "w") && argc == 6)
		access_dword(argv[3], number(argv[4]), argv[5]);
	else if (!strcmp(command, "m") && (argc == 5 || argc == 6))
		access_msr(argv[3], number(argv[4]), argc == 6 ? argv[5] : NULL);
	else if (!strcmp(command, "llc") && argc == 5)
		llc(number(argv[3]), number(argv[4]));
	else if (!strcmp(command, "c") && argc == 6)
		preset(argv[3], number(argv[4]), number(argv[5]));
	else if (!strcmp(command, "anew") && argc == 8)
		anew(argv + 3);
	else if (!strcmp(command, "step") && argc == 4) {
		if (unc_sim_step(host, number(argv[3]), false) < 0)
			die("step");
	} else if (!strcmp(command, "suspend") && argc == 4) {
		if (unc_sim_suspend(host, number(argv[3])) < 0)
			die("suspend");
	} else if (!strcmp(command, "truth"))
		truth();
	else if (!strcmp(command, "violations"))
		violations();
	else
		die("wrong usage");
	unc_host_close(host);
	unc_free(ctx);
	return 0;
}
