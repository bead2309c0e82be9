// SPDX-License-Identifier: GPL-2.0-or-later
/* What a CPU of the machine is, by CPUID, as an operating system understands it. */
#include <string.h>

#include "base/err.h"
#include "served.h"

struct unc_cpuid_regs served_cpuid(const struct served *sim, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs regs;

	if (sim->host->ops->cpuid(sim->host, cpu, leaf, subleaf, &regs) < 0)
		memset(&regs, 0, sizeof(regs));
	return regs;
}

/* Of leaf 1, the extended numbers in them (Linux: x86_family(), x86_model()). */
struct served_cpu served_cpu(const struct served *sim, unsigned cpu)
{
	uint32_t eax = served_cpuid(sim, cpu, 1, 0).eax;
	struct served_cpu kind = {.family = eax >> 8 & 0xf, .model = eax >> 4 & 0xf, .stepping = eax & 0xf};

	if (kind.family >= 6)
		kind.model += (eax >> 16 & 0xf) << 4;
	if (kind.family == 0xf)
		kind.family += eax >> 20 & 0xff;
	return kind;
}

/* Blanks in front, at the end and in rows are left out. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to > text && to[-1] != ' '))
			*to++ = *from;
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

void served_brand(const struct served *sim, unsigned cpu, char brand[49])
{
	for (uint32_t i = 0; i < 3; i++) {
		struct unc_cpuid_regs regs = served_cpuid(sim, cpu, 0x80000002 + i, 0);
		char *part = brand + (size_t)16 * i;

		unc_put_le32(part, regs.eax);
		unc_put_le32(part + 4, regs.ebx);
		unc_put_le32(part + 8, regs.ecx);
		unc_put_le32(part + 12, regs.edx);
	}
	brand[48] = '\0';
	squeeze(brand);
}
