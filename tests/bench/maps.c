// SPDX-License-Identifier: GPL-2.0-or-later
/* maps: the CPU time in ns that loading the register maps of a CPU takes, best of 201, for each CPU that has a built-in map. */
#define _GNU_SOURCE

#include "bench.h"
#include "base/err.h"
#include "map/map.h"

/* Those that announce cache monitoring (7.0:ebx[12]) have the map of that, too. */
static const struct {
	struct unc_cpu_id id;
	bool monitors;
} cpus[] = {
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x2d, .stepping = 7}, false},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x3e, .stepping = 4}, false},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x3f, .stepping = 2}, true},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x4f, .stepping = 1}, true},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x56, .stepping = 3}, true},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4}, true},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 7}, true},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 11}, true},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x8f, .stepping = 8}, true},
	{{.vendor = "AuthenticAMD", .family = 0x17, .model = 0x31, .stepping = 0}, true},
	{{.vendor = "AuthenticAMD", .family = 0x19, .model = 0x11, .stepping = 1}, true},
	{{.vendor = "AuthenticAMD", .family = 26, .model = 2, .stepping = 1}, true},
};

#define EXTENDED UINT32_C(0x80000000)

static int cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	(void)host;
	(void)cpu;
	*ret_regs = (struct unc_cpuid_regs){.eax = leaf == 0 ? 0xf : 0, .ebx = leaf == 7 && subleaf == 0 ? 1 << 12 : 0};
	if (leaf == EXTENDED)
		ret_regs->eax = EXTENDED + 0x22;
	else if (leaf == EXTENDED + 1) /* of AMD: counters of the data fabric and of the L3, IBS */
		ret_regs->ecx = 1 << 24 | 1 << 28 | 1 << 10;
	else if (leaf == EXTENDED + 0x22) /* and of the memory controllers */
		*ret_regs = (struct unc_cpuid_regs){.eax = 1, .ebx = 48 << 16};
	return 0;
}

static const struct unc_host_ops ops = {.cpuid = cpuid};
static struct unc_host host = {.ops = &ops};

enum { ROUNDS = 201 };

int main(void)
{
	struct unc_ctx *ctx;

	if (unc_new(&ctx) < 0)
		return 1;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct unc_cpu_id id = cpus[i].id;
		struct unc_map *map = NULL;
		uint64_t best = UINT64_MAX;

		id.host = cpus[i].monitors ? &host : NULL;
		for (unsigned round = 0; round < ROUNDS; round++) {
			uint64_t ns;

			unc_map_free(map);
			ns = 0 - now_ns(CLOCK_PROCESS_CPUTIME_ID);
			must(ctx, unc_map_load(ctx, &id, NULL, &map));
			ns += now_ns(CLOCK_PROCESS_CPUTIME_ID);
			best = ns < best ? ns : best;
		}
		printf("%llu %s\n", (unsigned long long)best, map->units[0].title);
		unc_map_free(map);
	}
	unc_free(ctx);
	return 0;
}
