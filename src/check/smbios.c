// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A structure is a header (type, length of the formatted area, handle), the rest of that area, and its strings: each ends with a
 * zero, and the last of them with another one; where there are none, there are two zeros (DSP0134, section 6.1).
 */
#include "check/smbios.h"

/* DSP0134 table 20 (type 17): offsets in the formatted area. */
enum {
	SIZE = 0x0c,
	TYPE = 0x12,
	SPEED = 0x15,
	CONFIGURED = 0x20,
	EXTENDED_SPEED = 0x54,
	EXTENDED_CONFIGURED = 0x58,
	BEFORE_3_2 = 0x54, /* an older structure is not longer than this */
};
enum { HEADER = 4, MEMORY_DEVICE = 17, END_OF_TABLE = 127 };

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

static void decode(const unsigned char *area, size_t len, struct unc_smbios_memory *ret)
{
	*ret = (struct unc_smbios_memory){
		.handle = (uint16_t)number(area, len, 2, 2),
		.installed = number(area, len, SIZE, 2) != 0,
		.type = (uint8_t)number(area, len, TYPE, 1),
		.speed_mts = speed(area, len, SPEED, EXTENDED_SPEED),
		.configured_mts = speed(area, len, CONFIGURED, EXTENDED_CONFIGURED),
		.may_be_clock = len <= BEFORE_3_2,
	};
}

/* The offset after the strings of the structure that begins at `at`; 0: they do not end. */
static size_t behind(const unsigned char *table, size_t len, size_t at)
{
	for (size_t i = at + table[at + 1]; i + 1 < len; i++)
		if (!table[i] && !table[i + 1])
			return i + 2;
	return 0;
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
		next = behind(bytes, len, *at);
		if (!next)
			return false;
		if (area[0] == END_OF_TABLE) {
			*at = len;
			break;
		}
		*at = next;
		if (area[0] == MEMORY_DEVICE) {
			decode(area, area[1], ret_memory);
			return true;
		}
	}
	*ret_whole = true;
	return false;
}
