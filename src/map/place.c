// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/place.h"

#include <string.h>

#include "base/text.h"

/* Exactly n hex digits, and then the end or this character. */
static bool hex(const char *text, size_t n, char then, uint64_t *ret_value)
{
	char digits[8];

	if (strlen(text) < n || text[n] != then)
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	return unc_text_hex(digits, ret_value);
}

bool unc_pci_place_parse(const char *id, const char *at, struct unc_pci_place *ret_place)
{
	uint64_t vendor, device, dev, fn;

	if (!hex(id, 4, ':', &vendor) || !hex(id + 5, 4, '\0', &device))
		return false;
	if (!hex(at, 2, '.', &dev) || !hex(at + 3, 1, '\0', &fn) || dev > 0x1f || fn > 7)
		return false;
	*ret_place = (struct unc_pci_place){
		.vendor = (uint16_t)vendor, .device = (uint16_t)device, .dev = (uint8_t)dev, .fn = (uint8_t)fn};
	return true;
}
