// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of spaces: to text, from text, in order. */
#include "access/access.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

const char *unc_addr_text(const struct unc_addr *addr, char buf[UNC_ADDR_TEXT])
{
	switch (addr->kind) {
	case UNC_PCI:
		snprintf(buf, UNC_ADDR_TEXT, "%04" PRIx32 ":%02x:%02x.%x", addr->pci.domain, addr->pci.bus,
			 addr->pci.dev, addr->pci.fn);
		break;
	case UNC_MSR:
		snprintf(buf, UNC_ADDR_TEXT, "cpu%u", addr->msr.cpu);
		break;
	case UNC_MMIO:
		snprintf(buf, UNC_ADDR_TEXT, "0x%" PRIx64, addr->mmio.base);
		break;
	default:
		snprintf(buf, UNC_ADDR_TEXT, "kind %d", (int)addr->kind);
		break;
	}
	return buf;
}

/* One to most_digits hex digits, at most max, and nothing else up to the character end, which is passed over. */
static bool hex_piece(const char **text, unsigned most_digits, uint32_t max, char end, uint32_t *ret_value)
{
	const char *p = *text;
	uint32_t value = 0;

	for (; unc_text_digit(*p) >= 0; p++) {
		if (p - *text == (ptrdiff_t)most_digits)
			return false;
		value = value << 4 | (uint32_t)unc_text_digit(*p);
	}
	if (p == *text || *p != end || value > max)
		return false;
	*text = end ? p + 1 : p;
	*ret_value = value;
	return true;
}

static bool has_domain(const char *text)
{
	unsigned colons = 0;

	for (; *text; text++)
		colons += *text == ':';
	return colons > 1;
}

bool unc_addr_parse_pci(const char *text, struct unc_addr *ret_addr)
{
	uint32_t domain = 0, bus, dev, fn;

	/* Linux numbers the domains it makes up itself (VMD, Hyper-V) from 0x10000 on: more than four digits. */
	if (has_domain(text) && !hex_piece(&text, 8, UINT32_MAX, ':', &domain))
		return false;
	if (!hex_piece(&text, 2, 0xff, ':', &bus) || !hex_piece(&text, 2, 0x1f, '.', &dev) ||
	    !hex_piece(&text, 1, 7, '\0', &fn))
		return false;
	*ret_addr = (struct unc_addr){
		.kind = UNC_PCI,
		.pci = {.domain = domain, .bus = (uint8_t)bus, .dev = (uint8_t)dev, .fn = (uint8_t)fn},
	};
	return true;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint64_t pci_rank(const struct unc_addr *addr)
{
	return (uint64_t)addr->pci.domain << 32 | (uint64_t)addr->pci.bus << 16 | (uint64_t)addr->pci.dev << 8 |
	       addr->pci.fn;
}

int unc_addr_compare(const struct unc_addr *a, const struct unc_addr *b)
{
	int by;

	if (a->kind != b->kind)
		return order(a->kind, b->kind);
	switch (a->kind) {
	case UNC_PCI:
		return order(pci_rank(a), pci_rank(b));
	case UNC_MSR:
		return order(a->msr.cpu, b->msr.cpu);
	case UNC_MMIO:
		by = order(a->mmio.base, b->mmio.base);
		return by ? by : order(a->mmio.len, b->mmio.len);
	default:
		return 0;
	}
}
