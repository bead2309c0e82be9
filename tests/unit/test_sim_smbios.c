// SPDX-License-Identifier: GPL-2.0-or-later
/* SMBIOS tables of a simulated machine, read by the letter of DSP0134. */
#include "test_sim.h"

enum { MAX = 1 << 20 };

struct device { /* type 17 */
	unsigned size_mb, speed, configured, type;
	char locator[64], bank[64];
};

static unsigned word(const unsigned char *at)
{
	return at[0] | (unsigned)at[1] << 8;
}

/* The nth string of a structure that is followed by these, from 1 on. */
static const char *string(const unsigned char *structure, unsigned nth)
{
	const char *text = (const char *)structure + structure[1];

	while (--nth)
		text += strlen(text) + 1;
	return text;
}

/* The next structure; NULL: it does not end within the table. */
static const unsigned char *next(const unsigned char *structure, const unsigned char *end)
{
	const unsigned char *at = structure + structure[1];

	while (at + 1 < end && (at[0] || at[1]))
		at++;
	return at + 1 < end ? at + 2 : NULL;
}

static int read_table(const char *name, size_t max, char **ret_text, size_t *ret_len)
{
	return unc_host_file(fx.host, fx_text("/sys/firmware/dmi/tables/%s", name), max, ret_text, ret_len);
}

static size_t devices_of(const char *args, struct device *ret_devices)
{
	const unsigned char *at, *end;
	unsigned handles[100], arrays = 0;
	size_t n = 0, len, seen = 0;
	char *text;

	fx_open(args);
	CU_ASSERT_FATAL(read_table("DMI", MAX, &text, &len) == 0);
	at = (const unsigned char *)text;
	end = at + len;
	while (at && at + 4 <= end && at[0] != 127) {
		handles[seen++] = word(at + 2);
		arrays += at[0] == 16;
		if (at[0] == 16)
			CU_ASSERT_EQUAL(word(at + 0xd), unc_sim_info(fx.host).n_channels);
		if (at[0] == 17) {
			struct device *device = &ret_devices[n++];

			CU_ASSERT(at[1] >= 0x22);
			*device = (struct device){.size_mb = word(at + 0xc),
						  .speed = word(at + 0x15),
						  .configured = word(at + 0x20),
						  .type = at[0x12]};
			snprintf(device->locator, sizeof(device->locator), "%s", string(at, at[0x10]));
			snprintf(device->bank, sizeof(device->bank), "%s", string(at, at[0x11]));
		}
		at = next(at, end);
	}
	CU_ASSERT_FATAL(at != NULL && at < end && at[0] == 127 && at[1] == 4);
	CU_ASSERT_PTR_EQUAL(next(at, end), end);
	CU_ASSERT_EQUAL(arrays, 1);
	for (size_t i = 0; i < seen; i++)
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(handles[i], handles[k]);
	free(text);
	return n;
}

TEST(each_channel_has_a_dimm_of_its_speed)
{
	static const struct {
		const char *model;
		unsigned channels, speed, type;
	} parts[] = {{"snbep", 8, 1600, 0x18}, {"ivt", 16, 1600, 0x18}, {"hsx", 8, 1600, 0x1a},
		     {"bdx", 8, 2400, 0x1a},   {"skx", 12, 2400, 0x1a}, {"bdxde", 2, 1600, 0x1a},
		     {"icx", 8, 2400, 0x1a},   {"spr", 8, 4800, 0x22}};

	for (size_t i = 0; i < N(parts); i++) {
		struct device devices[100];
		size_t n = devices_of(parts[i].model, devices);

		CU_ASSERT_EQUAL_FATAL(n, parts[i].channels);
		for (size_t k = 0; k < n; k++) {
			CU_ASSERT(devices[k].size_mb == 16384 && devices[k].type == parts[i].type);
			CU_ASSERT(devices[k].speed == parts[i].speed && devices[k].configured == parts[i].speed);
		}
		CU_ASSERT_STRING_EQUAL(devices[0].bank, "socket0.imc0.ch0");
		CU_ASSERT_STRING_EQUAL(devices[0].locator, "CPU0_IMC0_CH0_DIMM0");
	}
}

TEST(an_empty_channel_has_none)
{
	struct device devices[100];
	size_t n = devices_of("skx,sockets=8,empty=socket7.imc1.ch2", devices);

	CU_ASSERT_EQUAL_FATAL(n, 48);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(devices[i].size_mb, i == 47 ? 0 : 16384);
		CU_ASSERT_EQUAL(devices[i].speed, i == 47 ? 0 : 2400);
		CU_ASSERT_EQUAL(devices[i].configured, i == 47 ? 0 : 2400);
	}
	CU_ASSERT_STRING_EQUAL(devices[47].bank, "socket7.imc1.ch2");
}

TEST(the_entry_point_tells_how_long_the_table_is)
{
	unsigned char sum = 0;
	char *table, *entry;
	size_t len, n;

	fx_open("hsx");
	CU_ASSERT_FATAL(read_table("DMI", MAX, &table, &len) == 0);
	CU_ASSERT_FATAL(read_table("smbios_entry_point", MAX, &entry, &n) == 0);
	CU_ASSERT_EQUAL_FATAL(n, 24);
	CU_ASSERT(memcmp(entry, "_SM3_", 5) == 0);
	for (size_t i = 0; i < n; i++)
		sum = (unsigned char)(sum + (unsigned char)entry[i]);
	CU_ASSERT_EQUAL(sum, 0);
	CU_ASSERT_EQUAL(unc_le32(entry + 0xc), len);
	free(table);
	free(entry);
	CU_ASSERT_EQUAL(read_table("DMI", len - 1, &table, &len), UNC_ERANGE);
}

TEST(a_machine_without_channels_tells_nothing)
{
	char *table;
	size_t len;

	fx_open(fx_dump());
	CU_ASSERT_EQUAL(read_table("DMI", MAX, &table, &len), UNC_ENODEV);
}
