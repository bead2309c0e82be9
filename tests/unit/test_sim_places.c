// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

static void expect_socket0_bus(const char *args, uint8_t bus, uint8_t last)
{
	struct unc_sim_channel channel;

	fx_open(args);
	channel = fx_channel(0);
	CU_ASSERT_EQUAL(channel.socket, 0);
	CU_ASSERT_EQUAL(channel.addr.pci.bus, bus);
	channel = fx_channel(unc_sim_info(fx.host).n_channels - 1);
	CU_ASSERT_EQUAL(channel.addr.pci.bus, last);
}

TEST(reversed_numbering_gives_the_lowest_bus_to_the_highest_socket)
{
	expect_socket0_bus("snbep,sockets=4", 0x3f, 0xff);
	expect_socket0_bus("snbep,sockets=4,numbering=reversed", 0xff, 0x3f);
	expect_socket0_bus("snbep,sockets=3,numbering=reversed", 0xbf, 0x3f);
}

TEST(a_hidden_function_is_gone)
{
	struct unc_addr hidden = fx_addr("ff:10.0"), there = fx_addr("ff:10.1"), *addrs;
	struct unc_space *space = NULL;
	size_t n;

	fx_open("snbep,hide=ff:10.0,hide=7f:0b.0");
	CU_ASSERT_FATAL(unc_bus_list(fx.bus, &addrs, &n) == 0);
	CU_ASSERT_EQUAL(n, 2 * 15 - 2);
	for (size_t i = 0; i < n; i++)
		CU_ASSERT_NOT_EQUAL(unc_addr_compare(&addrs[i], &hidden), 0);
	free(addrs);
	FAILS(unc_space_open(fx.bus, &hidden, &space), UNC_ENODEV, "0000:ff:10.0");
	CU_ASSERT_PTR_NULL(space);
	CU_ASSERT_EQUAL(unc_space_open(fx.bus, &there, &space), 0);
	unc_space_close(space);
}

TEST(a_function_of_all_ones_opens_and_takes_nothing)
{
	fx_open("snbep,clock=step,allones=ff:10.4");
	for (uint32_t off = 0; off < 256; off += 4)
		IS32("ff:10.4", {off, 0xffffffff});
	W32("ff:10.4", {0xd8, 0xffffffff}, {0x00, 0});
	CU_ASSERT_EQUAL(fx_violations(), 0);
	IS32("ff:10.5", {0, 0x3cb58086});
}

TEST(an_address_that_is_no_function_is_refused)
{
	FX_REFUSED("snbep,hide=ff:10.2", "hide=0000:ff:10.2", "no such function", "on that bus",
		   "0b.0, 0e.0, 0e.1, 10.0, 10.1, 10.4, 10.5, 13.0, 13.1");
	FX_REFUSED("snbep,sockets=1,allones=7f:10.0", "allones=0000:7f:10.0", "its buses are 0000:ff");
	FX_REFUSED("snbep,hide=fe:10.0", "hide=0000:fe:10.0", "no such function", "0000:7f, 0000:ff");
	/* The functions of a socket are on several buses, and the sockets in several domains. */
	FX_REFUSED("skx,hide=3a:08.1", "hide=0000:3a:08.1", "on that bus",
		   "has 08.0, 09.0, 0a.0, 0a.2, 0a.6, 0b.0, 0b.2");
	FX_REFUSED("skx,allones=00:0a.2", "allones=0000:00:0a.2", "on that bus it has 08.0");
	FX_REFUSED("skx,domains=2,hide=ae:0a.2", "hide=0000:ae:0a.2",
		   "its buses are 0000:00, 0000:3a, 0000:5d, 0001:00, 0001:3a, 0001:5d");
	FX_REFUSED("skx,hide=17:08.0", "its buses are 0000:00, 0000:3a, 0000:5d, 0000:80, 0000:ae, 0000:d7");
	FX_REFUSED("snbep,hide=0001:ff:10.0", "hide=0001:ff:10.0");
}
