// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree DIR VALUE: makes DIR a machine of plain files, for root:DIR.  Two sockets of a Xeon E5-2600 whose counters all hold
 * VALUE, 300 further PCI functions, 32 CPUs.  Prints the config files of the memory channels, one a line.
 *
 * Of the further functions, 80 share the buses of the sockets (none stands where a channel or the UBOX would), and 220
 * fill four other buses, on each of which five stand at just these places and so have to be asked for their ids.
 */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "bench.h"

/* Intel 327043-001, tables 2-58 and 2-59, and Linux arch/x86/events/intel/uncore_snbep.c for the UBOX. */
enum {
	INTEL = 0x8086,
	UBOX = 0x3ce0,
	CPUNODEID = 0x40,
	GIDNIDMAP = 0x54,
	CTR0 = 0xa0,
	N_COUNTERS = 4,
	N_CPUS = 32,
	CPUS_PER_SOCKET = N_CPUS / 2,
};

struct config {
	unsigned bus, dev, fn;
	size_t len; /* as sysfs shows it: 4096 with extended space, else 256 */
	unsigned char bytes[4096];
};

static const char *root;
static unsigned n_functions;

static FILE *create(const char *path)
{
	char dir[4096];
	FILE *file;

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *p = dir + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			die(dir, strerror(errno));
		*p = '/';
	}
	file = fopen(path, "w");
	if (!file)
		die(path, strerror(errno));
	return file;
}

static void finish(FILE *file, const char *path)
{
	if (ferror(file) || fclose(file) != 0)
		die(path, strerror(errno));
}

static void put32(struct config *config, unsigned off, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		config->bytes[off + i] = (unsigned char)(value >> 8 * i);
}

static void function_path(const struct config *config, char path[4096])
{
	snprintf(path, 4096, "%s/sys/bus/pci/devices/0000:%02x:%02x.%x/config", root, config->bus, config->dev,
		 config->fn);
}

static void write_config(const struct config *config)
{
	char path[4096];
	FILE *file;

	function_path(config, path);
	file = create(path);
	fwrite(config->bytes, 1, config->len, file);
	finish(file, path);
}

static void other(unsigned bus, unsigned dev, unsigned fn)
{
	struct config config = {.bus = bus, .dev = dev, .fn = fn, .len = 256};

	put32(&config, 0, INTEL | (uint32_t)(0x1000 + n_functions++) << 16);
	write_config(&config);
}

static void ubox(unsigned bus, unsigned node)
{
	struct config config = {.bus = bus, .dev = 0x0b, .fn = 0, .len = 4096};

	put32(&config, 0, INTEL | (uint32_t)UBOX << 16);
	put32(&config, CPUNODEID, node);
	put32(&config, GIDNIDMAP, 0x00fac688); /* entry i is node i */
	write_config(&config);
}

static void channel(unsigned bus, unsigned fn, uint64_t value)
{
	struct config config = {.bus = bus, .dev = 0x10, .fn = fn, .len = 4096};
	char path[4096];

	put32(&config, 0, INTEL | (uint32_t)(0x3cb0 + fn) << 16);
	for (unsigned i = 0; i < N_COUNTERS; i++) {
		put32(&config, CTR0 + 8 * i, (uint32_t)value);
		put32(&config, CTR0 + 8 * i + 4, (uint32_t)(value >> 32));
	}
	write_config(&config);
	function_path(&config, path);
	puts(path);
}

static void socket_of(unsigned bus, unsigned node, uint64_t value)
{
	static const unsigned channels[] = {0, 1, 4, 5}, others[] = {0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x0e, 0x0f, 0x13};

	ubox(bus, node);
	for (unsigned i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
		channel(bus, channels[i], value);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		for (unsigned fn = 0; fn < 5; fn++)
			other(bus, others[i], fn);
}

/* 55 functions: one at each device number, and more at some. */
static void other_bus(unsigned bus)
{
	static const unsigned full[] = {0x10, 0x1c, 0x1f};

	for (unsigned dev = 0; dev < 32; dev++)
		other(bus, dev, 0);
	for (unsigned i = 0; i < sizeof(full) / sizeof(full[0]); i++)
		for (unsigned fn = 1; fn < 8; fn++)
			other(bus, full[i], fn);
	other(bus, 0x16, 1);
	other(bus, 0x16, 2);
}

/* What a Xeon E5-2687W answers to the leaves that matter, for each CPU, as libcpuid writes it. */
static void cpuid(void)
{
	static const char *const lines[] = {
		"basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69",
		"basic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff",
		"basic_cpuid[2]=76035a01 00f0b2ff 00000000 00ca0000",
		"basic_cpuid[3]=00000000 00000000 00000000 00000000",
		"basic_cpuid[4]=3c004121 01c0003f 0000003f 00000000",
		"basic_cpuid[5]=00000040 00000040 00000003 00021120",
		"basic_cpuid[6]=00000077 00000002 00000009 00000000",
		"basic_cpuid[7]=00000000 00000000 00000000 00000000",
		"basic_cpuid[8]=00000000 00000000 00000000 00000000",
		"basic_cpuid[9]=00000001 00000000 00000000 00000000",
		"basic_cpuid[10]=07300403 00000000 00000000 00000603",
		"basic_cpuid[11]=00000001 00000002 00000100 00000000",
		"basic_cpuid[12]=00000000 00000000 00000000 00000000",
		"basic_cpuid[13]=00000007 00000340 00000340 00000000",
	};
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpuid.raw", root);
	file = create(path);
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		fprintf(file, "_________________ Logical CPU #%u _________________\n", cpu);
		for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			fprintf(file, "%s\n", lines[i]);
	}
	finish(file, path);
}

static void text(const char *name, const char *value)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/%s", root, name);
	file = create(path);
	fprintf(file, "%s\n", value);
	finish(file, path);
}

/* The cores of socket 0, of socket 1, then their second threads, as firmware numbers them. */
static void topology(void)
{
	text("online", "0-31");
	text("present", "0-31");
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		unsigned package = cpu / (CPUS_PER_SOCKET / 2) % 2;
		char name[128];

		snprintf(name, sizeof(name), "cpu%u/topology/physical_package_id", cpu);
		text(name, package ? "1" : "0");
		snprintf(name, sizeof(name), "cpu%u/topology/package_cpus_list", cpu);
		text(name, package ? "8-15,24-31" : "0-7,16-23");
	}
}

int main(int argc, char **argv)
{
	uint64_t value;

	if (argc != 3)
		return usage("DIR VALUE");
	root = argv[1];
	value = strtoull(argv[2], NULL, 0);
	socket_of(0x7f, 0, value);
	socket_of(0xff, 1, value);
	for (unsigned bus = 0; bus < 4; bus++)
		other_bus(bus);
	cpuid();
	topology();
	if (n_functions != 300)
		die("further functions", "their number");
	return ferror(stdout) || fflush(stdout) != 0;
}
