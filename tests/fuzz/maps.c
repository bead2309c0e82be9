// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Built-in maps, parsed once for each CPU: that takes most of the time of a run, and is the same each time.  The linker hands us
 * the functions (--wrap).
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "map/map.h"

FUZZ_WRAPPED(int, unc_map_load, struct unc_ctx *ctx, const struct unc_cpu_id *cpu, const char *map_dir,
	     struct unc_map **ret_map);
FUZZ_WRAPPED(void, unc_map_free, struct unc_map *map);

enum { KEPT = 16 };
static struct kept {
	struct unc_cpu_id cpu;
	struct unc_cpuid_regs leaf7; /* the only one that a map asks for */
	struct unc_map *map;
} kept[KEPT];
static size_t n_kept;

/* Looked at by CPUID of a machine that is no record, which would take the question for another one. */
static bool same_cpu(const struct kept *a, const struct kept *b)
{
	return strcmp(a->cpu.vendor, b->cpu.vendor) == 0 && a->cpu.family == b->cpu.family &&
	       a->cpu.model == b->cpu.model && a->cpu.stepping == b->cpu.stepping &&
	       memcmp(&a->leaf7, &b->leaf7, sizeof(a->leaf7)) == 0;
}

int wrap_unc_map_load(struct unc_ctx *ctx, const struct unc_cpu_id *cpu, const char *map_dir, struct unc_map **ret_map)
{
	struct kept asked = {.cpu = *cpu};
	int rc;

	if (map_dir || !cpu->host || cpu->host->name /* a record */ ||
	    cpu->host->ops->cpuid(cpu->host, cpu->cpu, 7, 0, &asked.leaf7) < 0)
		return real_unc_map_load(ctx, cpu, map_dir, ret_map);
	for (size_t i = 0; i < n_kept; i++) {
		if (same_cpu(&kept[i], &asked)) {
			*ret_map = kept[i].map;
			return UNC_OK;
		}
	}
	rc = real_unc_map_load(ctx, cpu, map_dir, ret_map);
	if (rc == 0 && n_kept < KEPT) {
		asked.map = *ret_map;
		kept[n_kept++] = asked;
	}
	return rc;
}

void wrap_unc_map_free(struct unc_map *map)
{
	for (size_t i = 0; i < n_kept; i++)
		if (kept[i].map == map)
			return;
	real_unc_map_free(map);
}
