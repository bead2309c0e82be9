// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

struct ubox { /* where a model has it */
	const char *model;
	unsigned dev, fn;
	uint32_t node_id, node_map;
};

static const struct ubox uboxes[] = {
	{"snbep", 0x0b, 0, 0x40, 0x54}, {"ivt", 0x0b, 0, 0x40, 0x54}, {"hsx", 0x10, 5, 0x40, 0x54},
	{"bdx", 0x10, 5, 0x40, 0x54},   {"skx", 0x08, 0, 0xc0, 0xd4}, {"bdxde", 0x10, 5, 0x40, 0x54},
	{"clx", 0x08, 0, 0xc0, 0xd4},   {"cpx", 0x08, 0, 0xc0, 0xd4},
};

/* As the Linux driver does it: the first of the eight fields that holds this node's id is the package. */
static int socket_of(const struct ubox *ubox, const char *at)
{
	uint32_t node = fx_r32(at, ubox->node_id) & 7, map = fx_r32(at, ubox->node_map);

	for (int i = 0; i < 8; i++)
		if ((map >> 3 * i & 7) == node)
			return i;
	return -1;
}

static void expect_sockets(const struct ubox *ubox, unsigned sockets, const char *more, bool reversed)
{
	char at[UNC_ADDR_TEXT];
	struct unc_addr *addrs;
	unsigned nth = 0;
	size_t n;

	fx_open(fx_text("%s,sockets=%u%s%s", ubox->model, sockets, more, reversed ? ",numbering=reversed" : ""));
	CU_ASSERT_FATAL(unc_bus_list(fx.bus, &addrs, &n) == 0);
	for (size_t i = 0; i < n; i++) {
		if (addrs[i].pci.dev != ubox->dev || addrs[i].pci.fn != ubox->fn)
			continue;
		unc_addr_text(&addrs[i], at);
		if (fx_r32(at, 0) == 0x20668086) /* Skylake's M2M is 08.0 of another bus */
			continue;
		CU_ASSERT_EQUAL(socket_of(ubox, at), (int)(reversed ? sockets - 1 - nth : nth));
		nth++;
	}
	CU_ASSERT_EQUAL(nth, sockets);
	free(addrs);
}

TEST(the_first_match_in_the_map_is_the_socket)
{
	for (size_t i = 0; i < N(uboxes); i++) {
		for (unsigned sockets = 1; sockets <= 8; sockets++) {
			expect_sockets(&uboxes[i], sockets, "", false);
			expect_sockets(&uboxes[i], sockets, "", true);
		}
	}
}

TEST(domains_do_not_change_what_a_socket_is)
{
	expect_sockets(&uboxes[4], 8, ",domains=2", false);
	expect_sockets(&uboxes[4], 8, ",domains=8", true);
	expect_sockets(&uboxes[4], 5, ",domains=3", true);
}

TEST(no_node_id_stands_in_the_map_twice)
{
	unsigned seen = 0;
	uint32_t map;

	fx_open("snbep,sockets=3");
	map = fx_r32("3f:0b.0", 0x54);
	for (int i = 0; i < 8; i++)
		seen |= 1u << (map >> 3 * i & 7);
	CU_ASSERT_EQUAL(seen, 0xff);
	CU_ASSERT_EQUAL(map >> 24, 0);
}

TEST(node_ids_are_not_socket_numbers)
{
	fx_open("snbep,sockets=2");
	IS32("7f:0b.0", {0x40, 1});
	IS32("ff:0b.0", {0x40, 0});
}

TEST(where_another_model_has_them_is_no_register)
{
	fx_open("skx");
	IS32("00:08.0", {0xc0, 1});
	IS32("80:08.0", {0xc0, 0});
	IS32("00:08.0", {0x40, 0}, {0x54, 0});
	fx_w32("00:08.0", 0x40, 1);
	CU_ASSERT_EQUAL_FATAL(fx_violations(), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_violation(0).sentence, "no register"));
}

TEST(its_registers_cannot_be_written)
{
	fx_open("snbep");
	fx_w32("ff:0b.0", 0x40, 5);
	IS32("ff:0b.0", {0x40, 0});
	fx_w32("ff:0b.0", 0x44, 5);
	IS32("ff:0b.0", {0x44, 0});
	CU_ASSERT_EQUAL_FATAL(fx_violations(), 2);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_violation(0).sentence, "cannot be written"));
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_violation(1).sentence, "no register"));
}
