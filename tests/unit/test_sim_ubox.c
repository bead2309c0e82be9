// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

/* As the Linux driver does it: the first of the eight fields that holds this node's id is the package. */
static int socket_of(struct fx *fx, const char *at)
{
	uint32_t node = fx_r32(fx, at, 0x40) & 7, map = fx_r32(fx, at, 0x54);
	int i;

	for (i = 0; i < 8; i++)
		if ((map >> 3 * i & 7) == node)
			return i;
	return -1;
}

static void expect_sockets(unsigned sockets, bool reversed)
{
	char args[64], at[32];
	struct unc_addr *addrs;
	unsigned nth = 0;
	struct fx fx;
	size_t n, i;

	snprintf(args, sizeof(args), "snbep,sockets=%u%s", sockets, reversed ? ",numbering=reversed" : "");
	fx_open(&fx, args);
	CU_ASSERT_FATAL(unc_bus_list(fx.bus, &addrs, &n) == 0);
	for (i = 0; i < n; i++) {
		if (addrs[i].pci.dev != 0x0b)
			continue;
		snprintf(at, sizeof(at), "%02x:0b.0", addrs[i].pci.bus);
		CU_ASSERT_EQUAL(socket_of(&fx, at), (int)(reversed ? sockets - 1 - nth : nth));
		nth++;
	}
	CU_ASSERT_EQUAL(nth, sockets);
	free(addrs);
	fx_close(&fx);
}

static void the_first_match_in_the_map_is_the_socket(void)
{
	unsigned sockets;

	for (sockets = 1; sockets <= 8; sockets++) {
		expect_sockets(sockets, false);
		expect_sockets(sockets, true);
	}
}

static void no_node_id_stands_in_the_map_twice(void)
{
	unsigned seen = 0;
	struct fx fx;
	uint32_t map;
	int i;

	fx_open(&fx, "snbep,sockets=3");
	map = fx_r32(&fx, "3f:0b.0", 0x54);
	for (i = 0; i < 8; i++)
		seen |= 1u << (map >> 3 * i & 7);
	CU_ASSERT_EQUAL(seen, 0xff);
	CU_ASSERT_EQUAL(map >> 24, 0);
	fx_close(&fx);
}

static void node_ids_are_not_socket_numbers(void)
{
	struct fx fx;

	fx_open(&fx, "snbep,sockets=2");
	CU_ASSERT_EQUAL(fx_r32(&fx, "7f:0b.0", 0x40), 1);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:0b.0", 0x40), 0);
	fx_close(&fx);
}

static void its_registers_cannot_be_written(void)
{
	struct unc_sim_violation violation;
	struct fx fx;

	fx_open(&fx, "snbep");
	fx_w32(&fx, "ff:0b.0", 0x40, 5);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:0b.0", 0x40), 0);
	fx_w32(&fx, "ff:0b.0", 0x44, 5);
	CU_ASSERT_EQUAL(fx_r32(&fx, "ff:0b.0", 0x44), 0);
	CU_ASSERT_EQUAL_FATAL(unc_sim_violations(fx.host), 2);
	CU_ASSERT_EQUAL(unc_sim_violation(fx.host, 0, &violation), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(violation.sentence, "cannot be written"));
	CU_ASSERT_EQUAL(unc_sim_violation(fx.host, 1, &violation), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(violation.sentence, "no register"));
	fx_close(&fx);
}

void test_sim_ubox_suite(void);
void test_sim_ubox_suite(void)
{
	CU_pSuite s = CU_add_suite("sim_ubox", NULL, NULL);

	CU_add_test(s, "the first match in the map is the socket", the_first_match_in_the_map_is_the_socket);
	CU_add_test(s, "no node id stands in the map twice", no_node_id_stands_in_the_map_twice);
	CU_add_test(s, "node ids are not socket numbers", node_ids_are_not_socket_numbers);
	CU_add_test(s, "its registers cannot be written", its_registers_cannot_be_written);
}
