// SPDX-License-Identifier: GPL-2.0-or-later
#include "catalogue/catalogue.h"

#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#include "onsim.h"

enum { ROOM = 4096 };

static void put_node(char *tree, const char *name, uint32_t phandle)
{
	EQ(fdt_begin_node(tree, name), 0);
	if (phandle)
		EQ(fdt_property_u32(tree, "phandle", phandle), 0);
}

/* One unit with one event, whose counter is at 0x80.  Returns its length. */
static size_t small_tree(char tree[ROOM])
{
	static const char event_reg[] = {0, 0, 0, 0x78, 0, 0, 0, 8}, unit_reg[] = {0, 0, 0, 8, 0, 0, 0, 8};

	EQ(fdt_create(tree, ROOM), 0);
	EQ(fdt_finish_reservemap(tree), 0);
	put_node(tree, "", 0);
	EQ(fdt_property_string(tree, "compatible", "ibm,opal-in-memory-counters"), 0);
	EQ(fdt_property_u32(tree, "version-id", 0x20), 0);
	put_node(tree, "powerbus0@8", 0);
	EQ(fdt_property_string(tree, "compatible", "ibm,imc-counters"), 0);
	EQ(fdt_property_u32(tree, "type", 0x10), 0);
	EQ(fdt_property_u32(tree, "size", 0x40000), 0);
	EQ(fdt_property(tree, "reg", unit_reg, sizeof(unit_reg)), 0);
	EQ(fdt_property_u32(tree, "events", 1), 0);
	EQ(fdt_property_string(tree, "events-prefix", "PM_PB_"), 0);
	EQ(fdt_property_string(tree, "scale", "256"), 0);
	EQ(fdt_end_node(tree), 0);
	put_node(tree, "nest-pb-events", 1);
	put_node(tree, "event@78", 0);
	EQ(fdt_property_string(tree, "event-name", "CYC"), 0);
	EQ(fdt_property(tree, "reg", event_reg, sizeof(event_reg)), 0);
	EQ(fdt_end_node(tree), 0);
	EQ(fdt_end_node(tree), 0);
	EQ(fdt_end_node(tree), 0);
	EQ(fdt_finish(tree), 0);
	return fdt_totalsize(tree);
}

/* Reads exactly len bytes, in memory that ends there.  True: the map has the one event as it should be. */
static bool reads(const char *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1), *tree;
	struct unc_ctx *ctx;
	struct unc_map *map;
	bool whole = false;
	size_t n;

	EQ(unc_new(&ctx), 0);
	memcpy(copy, bytes, len);
	if (unc_catalogue_unpack(ctx, "file", copy, len, 0, &tree, &n) == 0) {
		/* The same in a tree of exactly its length. */
		char *exact = malloc(n ? n : 1);

		memcpy(exact, tree, n);
		free(tree);
		if (unc_catalogue_parse(ctx, "file", exact, n, &map) == 0) {
			const struct unc_unit *unit = &map->units[0];

			whole = map->n_units == 1 && unit->n_events == 1 && !unit->events[0].refused &&
				strcmp(unit->name, "powerbus0") == 0 &&
				strcmp(unit->events[0].name, "PM_PB_CYC") == 0 && unit->regs[0].off == 0x80 &&
				unit->events[0].scale == 256;
			unc_map_free(map);
		}
	}
	free(copy);
	unc_free(ctx);
	return whole;
}

TEST(a_catalogue_cut_off_anywhere_is_no_catalogue)
{
	char tree[ROOM];
	size_t len = small_tree(tree);

	EQ(reads(tree, len), true);
	for (size_t n = 0; n < len; n++)
		EQ(reads(tree, n), false);
}

/* What AddressSanitizer and valgrind look at: no byte, whatever it becomes, leads outside. */
TEST(a_catalogue_with_any_byte_changed_is_read_inside_its_bounds)
{
	static const unsigned char others[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	char tree[ROOM], copy[ROOM];
	size_t len = small_tree(tree), n_whole = 0;

	for (size_t i = 0; i < len; i++) {
		for (size_t k = 0; k < sizeof(others); k++) {
			memcpy(copy, tree, len);
			copy[i] = (char)others[k];
			n_whole += reads(copy, len);
		}
	}
	/* Most bytes matter. */
	EQ(n_whole < len * sizeof(others) / 2, true);
}

/* libfdt takes such trees, and finds no names in them. */
TEST(a_tree_of_a_version_with_other_names_is_no_catalogue)
{
	char tree[ROOM];
	size_t len = small_tree(tree);

	for (uint32_t version = 0; version < 16; version++) {
		fdt_set_version(tree, version);
		fdt_set_last_comp_version(tree, version);
		EQ(reads(tree, len), false);
	}
}
