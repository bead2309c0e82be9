// SPDX-License-Identifier: GPL-2.0-or-later
/* What the firmware reports of memory. */
#include "machine/smbios.h"

#include "base/text.h"

/*
 * A structure is a header (type, length of the formatted area, handle), the rest of that area, and its strings: each ends with a
 * zero, and the last of them with another one; where there are none, there are two zeros (DSP0134, section 6.1).
 */

/* DSP0134 table 20 (type 17): offsets in the formatted area. */
enum {
	SIZE = 0x0c,
	TYPE = 0x12,
	SPEED = 0x15,
	CONFIGURED = 0x20,
	EXTENDED_SPEED = 0x54,
	EXTENDED_CONFIGURED = 0x58,
	FROM_3_2 = 0x54, /* an older structure is shorter than this */
};
enum { HEADER = 4, MEMORY_DEVICE = 17, END_OF_TABLE = 127, DDR5 = 0x22 };

static uint32_t number(const unsigned char *area, size_t len, size_t off, size_t bytes)
{
	uint32_t value = 0;

	if (off + bytes > len)
		return 0;
	while (bytes--)
		value = value * 256 + area[off + bytes];
	return value;
}

/* A speed has 16 bits, and an extended field of 32 bits if it does not fit: bit 31 of that is reserved. */
static uint32_t speed(const unsigned char *area, size_t len, size_t off, size_t extended)
{
	uint32_t value = number(area, len, off, 2);

	return value == 0xffff ? number(area, len, extended, 4) % 0x80000000u : value;
}

bool unc_smbios_next(const void *table, size_t len, size_t *at, struct unc_smbios_memory *ret_memory, bool *ret_whole)
{
	const unsigned char *bytes = table;

	*ret_whole = false;
	while (*at < len) {
		const unsigned char *area = bytes + *at;
		size_t room = len - *at, next;

		if (room < HEADER || area[1] < HEADER || area[1] > room)
			return false;
		for (next = *at + area[1]; next + 1 < len && (bytes[next] || bytes[next + 1]);)
			next++;
		if (next + 1 >= len) /* its strings do not end */
			return false;
		if (area[0] == END_OF_TABLE) {
			*at = len;
			break;
		}
		*at = next + 2;
		if (area[0] == MEMORY_DEVICE) {
			*ret_memory = (struct unc_smbios_memory){
				.handle = (uint16_t)number(area, area[1], 2, 2),
				.installed = number(area, area[1], SIZE, 2) != 0,
				.type = (uint8_t)number(area, area[1], TYPE, 1),
				.speed_mts = speed(area, area[1], SPEED, EXTENDED_SPEED),
				.configured_mts = speed(area, area[1], CONFIGURED, EXTENDED_CONFIGURED),
				.may_be_clock = area[1] < FROM_3_2,
			};
			return true;
		}
	}
	*ret_whole = true;
	return false;
}

enum { TABLE_MAX = 1 << 20, PATH_TEXT = 200 };
static const char table_path[] = "/sys/firmware/dmi/tables/DMI", entries[] = "/sys/firmware/dmi/entries";

static int read_table(struct unc_machine *m, const char *path, struct unc_smbios_speeds *speeds)
{
	struct unc_smbios_memory memory;
	size_t len, at = 0;
	bool whole;
	char *text;
	int rc = unc_host_file(m->host, path, TABLE_MAX, &text, &len);

	if (rc < 0)
		return rc;
	while (rc == 0 && unc_smbios_next(text, len, &at, &memory, &whole)) {
		const struct unc_smbios_speed speed = {memory.configured_mts, memory.may_be_clock, memory.type == DDR5,
						       1};
		size_t i = 0;

		speeds->n_devices++;
		speeds->n_installed += memory.installed;
		if (!memory.installed || !speed.mts)
			continue;
		while (i < speeds->n && (speeds->list[i].mts != speed.mts || speeds->list[i].ddr5 != speed.ddr5 ||
					 speeds->list[i].may_be_clock != speed.may_be_clock))
			i++;
		if (i < speeds->n)
			speeds->list[i].n_devices++;
		else
			rc = unc_list_add(m->ctx, &speeds->list, &speeds->n, &speed, sizeof(speed));
	}
	speeds->broken |= rc == 0 && !whole;
	free(text);
	return rc;
}

int unc_smbios_speeds_read(struct unc_machine *m, struct unc_smbios_speeds *speeds)
{
	const char *const *names = NULL;
	struct unc_saved_msg first;
	size_t n = 0;
	int rc = read_table(m, table_path, speeds), again;

	if (rc == 0 || rc == UNC_ENOMEM)
		return rc;
	unc_msg_save(m->ctx, &first);
	again = unc_host_names(m->host, entries, &names, &n);
	for (size_t i = 0; i < n && again == 0; i++) {
		char path[PATH_TEXT];

		/* A name is "17-3": the fourth structure of type 17. */
		if (strncmp(names[i], "17-", 3) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%.100s/raw", entries, names[i]);
		again = read_table(m, path, speeds);
	}
	free((void *)names);
	if (again < 0 && again != UNC_ENOMEM)
		unc_msg_restore(m->ctx, &first);
	return again;
}

void unc_smbios_speeds_clear(struct unc_smbios_speeds *speeds)
{
	free(speeds->list);
	*speeds = (struct unc_smbios_speeds){0};
}
