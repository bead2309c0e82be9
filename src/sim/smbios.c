// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What firmware reports about the memory: SMBIOS structures, as Linux shows them in /sys/firmware/dmi/tables. DSP0134,
 * DMTF's System Management BIOS Reference Specification, 3.3.0: 5.2.2 the 64-bit entry point, 6.1 structures and their
 * strings, 7.17 type 16, 7.18 type 17, 7.46 type 127.
 */

#include "sim/computer.h"

enum {
	ARRAY = 16,
	ARRAY_BYTES = 0x17,
	DEVICE = 17,
	OLD_DEVICE_BYTES = 0x28, /* through the configured voltage: version 2.8 */
	DEVICE_BYTES = 0x5c,     /* through the extended configured speed: version 3.3, which has DDR5 */
	END = 127,
	END_BYTES = 4,
	ENTRY_BYTES = 0x18,

	ARRAY_HANDLE = 0x1000,
	DEVICE_HANDLE = 0x1100, /* of the first device */
	END_HANDLE = 0xfeff,
	NO_HANDLE = 0xfffe, /* no error information is provided */

	DIMM = 0x09,
	DDR5 = 0x22,
	REGISTERED = 1 << 13,
	SYNCHRONOUS = 1 << 7,
	SIZE_MB = 16384,
	RANKS = 2, /* as in the default load */
};

static const struct kind { /* of memory */
	unsigned char type;
	unsigned mv, per_clock; /* transfers in a cycle of DCLK */
} ddr3 = {0x18, 1500, 2}, ddr4 = {0x1a, 1200, 2}, ddr5 = {DDR5, 1100, 4}, umc_ddr5 = {DDR5, 1100, 2};

struct table {
	struct unc_bytes all;
	bool failed; /* out of memory */
};

static void put(struct table *table, const void *bytes, size_t len)
{
	table->failed |= !unc_bytes_add(&table->all, bytes, len);
}

static void put16(unsigned char *at, unsigned value)
{
	at[0] = (unsigned char)value;
	at[1] = (unsigned char)(value >> 8);
}

/*
 * Puts a structure, of which the first four bytes are set here, and its strings: they follow it, each with a zero, and
 * one more zero ends them; if there are no strings, there are two zeros.
 */
static void put_structure(struct table *table, unsigned char *bytes, unsigned char type, unsigned char len,
			  unsigned handle, const char *const *strings)
{
	bytes[0] = type;
	bytes[1] = len;
	put16(bytes + 2, handle);
	put(table, bytes, len);
	for (size_t i = 0; strings && strings[i]; i++)
		put(table, strings[i], strlen(strings[i]) + 1);
	put(table, "\0", strings ? 1 : 2);
}

/* A size of 0 means that the socket of a DIMM is empty, a speed of 0 that it is not known (7.18). */
static void put_device(struct table *table, const struct unc_sim *sim, size_t i)
{
	const struct unc_sim_model *model = sim->options.model;
	const struct unc_sim_channel_load *channel = &sim->load.channels[i];
	const struct kind *kind = model->memory && model->memory->kind != UNC_SIM_MEMORY_LAKE ? &ddr5
				  : model->on & UNC_SIM_ON_NEW_ZENS                           ? &umc_ddr5
				  : model->on & UNC_SIM_ON_FIRST                              ? &ddr3
											      : &ddr4;
	unsigned mts = (unsigned)(kind->per_clock * unc_sim_dclk_hz(model) / 1000000);
	bool empty = unc_sim_is_empty(sim, i);
	char device[48], bank[48];
	const char *const strings[] = {device, bank, NULL};
	unsigned char memory[DEVICE_BYTES] = {0};

	snprintf(device, sizeof(device), "CPU%u_IMC%u_CH%u_DIMM0", channel->socket, channel->imc, channel->channel);
	snprintf(bank, sizeof(bank), "socket%u.imc%u.ch%u", channel->socket, channel->imc, channel->channel);
	put16(memory + 0x04, ARRAY_HANDLE);
	put16(memory + 0x06, NO_HANDLE);
	put16(memory + 0x08, empty ? 0xffff : 72); /* total width with the ECC bits; 0xffff: unknown */
	put16(memory + 0x0a, empty ? 0xffff : 64);
	put16(memory + 0x0c, empty ? 0 : SIZE_MB);
	memory[0x0e] = DIMM;
	memory[0x10] = 1; /* numbers of the strings */
	memory[0x11] = 2;
	memory[0x12] = kind->type;
	put16(memory + 0x13, REGISTERED | SYNCHRONOUS);
	put16(memory + 0x15, empty ? 0 : mts);
	memory[0x1b] = empty ? 0 : RANKS;
	put16(memory + 0x20, empty ? 0 : mts);
	for (unsigned voltage = 0x22; !empty && voltage < OLD_DEVICE_BYTES; voltage += 2)
		put16(memory + voltage, kind->mv);
	memory[0x28] = empty ? 2 : 3;                  /* technology: unknown, or DRAM */
	put16(memory + 0x29, empty ? 1 << 2 : 1 << 3); /* operating modes: unknown, or as memory */
	unc_put_le64(memory + 0x3c, empty ? 0 : (uint64_t)SIZE_MB << 20);
	put_structure(table, memory, DEVICE, kind->type == DDR5 ? DEVICE_BYTES : OLD_DEVICE_BYTES,
		      DEVICE_HANDLE + (unsigned)i, strings);
}

static struct table structures(const struct unc_sim *sim)
{
	unsigned char array[ARRAY_BYTES] = {0}, end[END_BYTES] = {0};
	struct table table = {0};

	array[0x04] = 3;                                  /* on the system board */
	array[0x05] = 3;                                  /* system memory */
	array[0x06] = 6;                                  /* multi-bit ECC */
	unc_put_le32(array + 0x07, UINT32_C(0x80000000)); /* maximum capacity: it is in the last field */
	put16(array + 0x0b, NO_HANDLE);
	put16(array + 0x0d, (unsigned)sim->load.n_channels);
	unc_put_le64(array + 0x0f, (uint64_t)sim->load.n_channels * SIZE_MB << 20);
	put_structure(&table, array, ARRAY, sizeof(array), ARRAY_HANDLE, NULL);
	for (size_t i = 0; i < sim->load.n_channels; i++)
		put_device(&table, sim, i);
	put_structure(&table, end, END, sizeof(end), END_HANDLE, NULL);
	return table;
}

/*
 * The physical address of the structures cannot be known here: the entry point has 0, their offset in the file DMI
 * (dmi-sysfs.c).
 */
static struct table entry_point(const struct unc_sim *sim)
{
	unsigned char entry[ENTRY_BYTES] = {0}, sum = 0;
	struct table all = structures(sim), table = {.failed = all.failed};

	memcpy(entry, "_SM3_", 5);
	entry[0x06] = sizeof(entry);
	entry[0x07] = 3; /* version */
	entry[0x08] = 3;
	entry[0x0a] = 1; /* revision of the entry point */
	unc_put_le32(entry + 0x0c, (uint32_t)all.all.len);
	for (size_t i = 0; i < sizeof(entry); i++)
		sum = (unsigned char)(sum + entry[i]);
	entry[0x05] = (unsigned char)-sum; /* all its bytes add up to 0 */
	free(all.all.bytes);
	put(&table, entry, sizeof(entry));
	return table;
}

int unc_sim_smbios(struct unc_host *host, const char *path, char **ret_bytes, size_t *ret_len)
{
	struct unc_sim *sim = unc_sim_of(host);
	struct table table;

	if (!sim)
		return unc_sim_none(host);
	if (!sim->load.n_channels || sim->options.model->nest)
		return UNC_ENODEV;
	if (!strcmp(path, UNC_SIM_SMBIOS_TABLE))
		table = structures(sim);
	else if (!strcmp(path, UNC_SIM_SMBIOS_ENTRY))
		table = entry_point(sim);
	else
		return UNC_ENODEV;
	put(&table, "", 1); /* a zero after the contents, as after a text */
	if (table.failed) {
		free(table.all.bytes);
		return unc_fail(host->ctx, UNC_ENOMEM, "sim: out of memory");
	}
	*ret_bytes = table.all.bytes;
	*ret_len = table.all.len - 1;
	return UNC_OK;
}
