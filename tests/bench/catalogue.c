// SPDX-License-Identifier: GPL-2.0-or-later
/* catalogue FILE: the CPU time in ns that reading it takes, best of 201, and how many events it has. */
#define _GNU_SOURCE

#include "bench.h"
#include "base/err.h"
#include "catalogue/catalogue.h"

enum { ROUNDS = 201 };

int main(int argc, char **argv)
{
	uint64_t best = UINT64_MAX;
	struct unc_map *map;
	struct unc_ctx *ctx;
	size_t len, n = 0;
	char *text;

	if (argc != 2 || unc_new(&ctx) < 0)
		return 1;
	must(ctx, unc_os_file_read(ctx, argv[1], 1 << 20, UNC_TRUST_ANY, &text, &len));
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t ns = 0 - now_ns(CLOCK_PROCESS_CPUTIME_ID);
		size_t tree_len;
		char *tree;

		must(ctx, unc_catalogue_unpack(ctx, argv[1], text, len, 0, &tree, &tree_len));
		must(ctx, unc_catalogue_parse(ctx, argv[1], tree, tree_len, &map));
		ns += now_ns(CLOCK_PROCESS_CPUTIME_ID);
		best = ns < best ? ns : best;
		n = 0;
		for (size_t u = 0; u < map->n_units; u++)
			n += map->units[u].n_events;
		unc_map_free(map);
	}
	printf("%llu %zu\n", (unsigned long long)best, n);
	free(text);
	unc_free(ctx);
	return 0;
}
