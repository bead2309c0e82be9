// SPDX-License-Identifier: GPL-2.0-or-later
/* maps: the time in ns that loading the register maps of a CPU takes, median of 31, for each CPU that has a built-in map. */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/os.h"
#include "map/map.h"

static const struct unc_cpu_id cpus[] = {
	{.vendor = "GenuineIntel", .family = 6, .model = 0x2d, .stepping = 7},
	{.vendor = "GenuineIntel", .family = 6, .model = 0x3e, .stepping = 4},
	{.vendor = "GenuineIntel", .family = 6, .model = 0x3f, .stepping = 2},
	{.vendor = "GenuineIntel", .family = 6, .model = 0x4f, .stepping = 1},
	{.vendor = "GenuineIntel", .family = 6, .model = 0x56, .stepping = 3},
	{.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4},
	{.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 7},
	{.vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 11},
};

enum { ROUNDS = 31 };

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The last map that was loaded is left in *ret_map. */
static int median_ns(struct unc_ctx *ctx, const struct unc_cpu_id *cpu, uint64_t *ret_ns, struct unc_map **ret_map)
{
	uint64_t ns[ROUNDS];
	struct unc_map *map = NULL;

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t before_ns;
		int rc;

		unc_map_free(map);
		before_ns = unc_os_now_ns(UNC_CLOCK_RAW);
		rc = unc_map_load(ctx, cpu, NULL, &map);
		if (rc < 0)
			return rc;
		ns[round] = unc_os_now_ns(UNC_CLOCK_RAW) - before_ns;
	}
	qsort(ns, ROUNDS, sizeof(ns[0]), by_size);
	*ret_ns = ns[ROUNDS / 2];
	*ret_map = map;
	return 0;
}

int main(void)
{
	struct unc_ctx *ctx;

	if (unc_new(&ctx) < 0)
		return 1;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct unc_map *map;
		uint64_t ns;

		if (median_ns(ctx, &cpus[i], &ns, &map) < 0) {
			fprintf(stderr, "maps: %s\n", unc_errmsg(ctx));
			return 1;
		}
		printf("%llu %s\n", (unsigned long long)ns, map->units[0].title);
		unc_map_free(map);
	}
	unc_free(ctx);
	return 0;
}
