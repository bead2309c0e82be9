// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the functions of the models are: addresses, ids and classes are typed here a second time, so that a slip of the pen in a
 * model shows.  Of snbep there is test_sim_model_events.c, of events test_sim_model_events.c.
 */
#include "test_sim.h"

TEST(channels_are_where_they_are)
{
	static const struct {
		const char *models[4]; /* two sockets of each */
		struct {
			const char *at; /* of the last socket */
			uint32_t id;
		} imcs[2][5]; /* the channels of each controller */
	} parts[] = {
		{{"ivt"},
		 {{{"ff:10.4", 0x0eb4}, {"ff:10.5", 0x0eb5}, {"ff:10.0", 0x0eb0}, {"ff:10.1", 0x0eb1}},
		  {{"ff:1e.4", 0x0ef4}, {"ff:1e.5", 0x0ef5}, {"ff:1e.0", 0x0ef0}, {"ff:1e.1", 0x0ef1}}}},
		{{"hsx"}, {{{"ff:14.0", 0x2fb0}, {"ff:14.1", 0x2fb1}}, {{"ff:17.0", 0x2fd0}, {"ff:17.1", 0x2fd1}}}},
		{{"bdx"}, {{{"ff:14.0", 0x6fb0}, {"ff:14.1", 0x6fb1}}, {{"ff:17.0", 0x6fd0}, {"ff:17.1", 0x6fd1}}}},
		{{"bdxde,sockets=2"}, {{{"ff:14.0", 0x6fb0}, {"ff:14.1", 0x6fb1}}}},
		{{"skx", "clx", "cpx"},
		 {{{"ae:0a.2", 0x2042}, {"ae:0a.6", 0x2046}, {"ae:0b.2", 0x204a}},
		  {{"ae:0c.2", 0x2042}, {"ae:0c.6", 0x2046}, {"ae:0d.2", 0x204a}}}},
	};

	for (size_t i = 0; i < N(parts); i++) {
		for (const char *const *model = parts[i].models; *model; model++) {
			size_t n;

			fx_open(*model);
			n = unc_sim_info(fx.host).n_channels / 2;
			for (unsigned imc = 0; imc < 2; imc++) {
				for (unsigned c = 0; parts[i].imcs[imc][c].at; c++, n++) {
					const char *where = parts[i].imcs[imc][c].at;
					struct unc_sim_channel channel = fx_channel(n);
					struct unc_addr at = fx_addr(where);

					CU_ASSERT(channel.socket == 1 && channel.imc == imc && channel.channel == c);
					CU_ASSERT_EQUAL(unc_addr_compare(&channel.addr, &at), 0);
					IS32(where, {0, parts[i].imcs[imc][c].id << 16 | 0x8086});
					CU_ASSERT_EQUAL(fx_r32(where, 8) >> 8, 0x088000);
				}
			}
			CU_ASSERT_EQUAL(n, unc_sim_info(fx.host).n_channels);
		}
	}
}

/* What LIKWID and PCM look for, with the classes that lspci shows. */
TEST(the_functions_that_tools_look_for_are_there_and_take_anything)
{
	static const struct {
		const char *model, *at;
		uint32_t id, class_code;
	} others[] = {
		{"snbep", "7f:13.5", 0x3c44, 0x110100}, {"snbep", "7f:08.2", 0x3c41, 0x110100},
		{"snbep", "ff:09.2", 0x3c42, 0x110100}, {"snbep", "ff:13.6", 0x3c45, 0x088000},
		{"snbep", "ff:0b.0", 0x3ce0, 0x088000}, {"ivt", "7f:13.5", 0x0e36, 0x110100},
		{"ivt", "ff:0e.1", 0x0e30, 0x110100},   {"ivt", "ff:1c.1", 0x0e38, 0x110100},
		{"ivt", "ff:0b.0", 0x0e1e, 0x088000},   {"hsx", "7f:12.1", 0x2f30, 0x110100},
		{"hsx", "ff:12.5", 0x2f38, 0x110100},   {"hsx", "ff:10.5", 0x2f1e, 0x088000},
		{"bdx", "7f:12.1", 0x6f30, 0x110100},   {"bdx", "ff:08.2", 0x6f32, 0x110100},
		{"bdx", "ff:10.5", 0x6f1e, 0x088000},   {"skx", "3a:08.0", 0x2066, 0x088000},
		{"skx", "ae:09.0", 0x2066, 0x088000},   {"skx", "5d:0e.0", 0x2058, 0x110100},
		{"skx", "d7:12.1", 0x204d, 0x110100},   {"skx", "80:08.0", 0x2014, 0x088000},
		{"clx", "3a:09.0", 0x2066, 0x088000},   {"clx", "80:08.0", 0x2014, 0x088000},
		{"cpx", "d7:0e.0", 0x2058, 0x110100},   {"cpx", "00:08.0", 0x2014, 0x088000},
		{"bdxde", "ff:12.1", 0x6f30, 0x110100}, {"bdxde", "ff:10.5", 0x6f1e, 0x088000},
	};

	for (size_t i = 0; i < N(others); i++) {
		bool ubox = (others[i].id & 0xff) == 0x1e || others[i].id == 0x3ce0 || others[i].id == 0x2014;

		fx_open(others[i].model);
		IS32(others[i].at, {0, others[i].id << 16 | 0x8086});
		CU_ASSERT_EQUAL(fx_r32(others[i].at, 8) >> 8, others[i].class_code);
		fx_w32(others[i].at, 0xf4, 0x10102);
		IS32(others[i].at, {0xf4, 0});
		CU_ASSERT_EQUAL(fx_violations(), ubox);
	}
}

/* Firmware and kernels look for other functions of a device only where its function 0 is. */
TEST(every_device_has_its_function_0)
{
	for (size_t i = 0; i < N(models); i++) {
		fx_open(models[i]);
		for (size_t k = 0; k < unc_sim_info(fx.host).n_pcis; k++) {
			struct unc_sim_pci pci;
			char at[UNC_ADDR_TEXT];

			CU_ASSERT_FATAL(unc_sim_pci(fx.host, k, &pci) == 0);
			pci.addr.pci.fn = 0;
			CU_ASSERT_EQUAL(fx_r32(unc_addr_text(&pci.addr, at), 0x00) & 0xffff, 0x8086);
		}
	}
}

/* What tells the three apart for lspci. */
TEST(the_skylakes_have_revisions_of_their_own)
{
	static const struct {
		const char *model;
		uint32_t revision;
	} models_of[] = {{"skx", 4}, {"clx", 7}, {"cpx", 11}};

	for (size_t i = 0; i < 3; i++) {
		fx_open(models_of[i].model);
		CU_ASSERT_EQUAL(fx_r32("3a:0a.2", 8) & 0xff, models_of[i].revision);
		CU_ASSERT_EQUAL(fx_r32("80:08.0", 8) & 0xff, models_of[i].revision);
	}
}

TEST(pci_functions_are_told_as_their_headers_say)
{
	struct unc_sim_pci pci;
	char at[UNC_ADDR_TEXT];
	size_t n;

	fx_open("skx,hide=00:08.0");
	n = unc_sim_info(fx.host).n_pcis;
	CU_ASSERT_EQUAL(n, 2 * 21 - 1);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_FATAL(unc_sim_pci(fx.host, i, &pci) == 0);
		unc_addr_text(&pci.addr, at);
		IS32(at, {0x00, (uint32_t)pci.device << 16 | pci.vendor}, {0x08, pci.class_code << 8 | pci.revision},
		     {0x2c, (uint32_t)pci.subsystem_device << 16 | pci.subsystem_vendor});
		CU_ASSERT_EQUAL(pci.socket, pci.addr.pci.bus >= 0x80);
		CU_ASSERT_EQUAL(pci.config_bytes, 4096);
		IS32(at, {0xffc, 0});
	}
	CU_ASSERT_EQUAL(unc_sim_pci(fx.host, n, &pci), UNC_ENODEV);
}

/* The buses with that device and function, "D:BB" one behind the other. */
static void expect_buses(const char *args, unsigned dev, unsigned fn, const char *buses)
{
	char got[128] = "", item[16];
	struct unc_addr *addrs;
	size_t n;

	fx_open(args);
	CU_ASSERT_FATAL(unc_bus_list(fx.bus, &addrs, &n) == 0);
	for (size_t i = 0; i < n; i++) {
		if (addrs[i].pci.dev != dev || addrs[i].pci.fn != fn)
			continue;
		snprintf(item, sizeof(item), "%s%x:%02x", *got ? " " : "", addrs[i].pci.domain, addrs[i].pci.bus);
		strcat(got, item);
	}
	if (strcmp(got, buses) != 0)
		fprintf(stderr, "\n%s: %02x.%x on %s\n", args, dev, fn, got);
	CU_ASSERT_STRING_EQUAL(got, buses);
	free(addrs);
}

TEST(buses_are_those_of_the_part_in_every_domain)
{
	expect_buses("snbep,sockets=1", 0x10, 0, "0:ff");
	expect_buses("snbep,sockets=2", 0x10, 0, "0:7f 0:ff");
	expect_buses("snbep,sockets=3", 0x10, 0, "0:3f 0:7f 0:bf");
	expect_buses("snbep,sockets=4", 0x10, 0, "0:3f 0:7f 0:bf 0:ff");
	expect_buses("snbep,sockets=5", 0x10, 0, "0:1f 0:3f 0:5f 0:7f 0:9f");
	expect_buses("snbep,sockets=8", 0x10, 0, "0:1f 0:3f 0:5f 0:7f 0:9f 0:bf 0:df 0:ff");
	expect_buses("snbep", 0x10, 0, "0:7f 0:ff");
	expect_buses("ivt,sockets=4", 0x1e, 4, "0:3f 0:7f 0:bf 0:ff");
	expect_buses("ivt,sockets=4,domains=2", 0x1e, 4, "0:7f 0:ff 1:7f 1:ff");
	expect_buses("bdx,sockets=3,domains=2", 0x14, 0, "0:7f 0:ff 1:ff");
	expect_buses("hsx,sockets=1", 0x14, 0, "0:ff");
	expect_buses("skx,sockets=1", 0x0a, 2, "0:3a");
	expect_buses("skx", 0x0a, 2, "0:3a 0:ae");
	expect_buses("skx", 0x0e, 0, "0:5d 0:d7");
	expect_buses("skx,domains=2", 0x0a, 2, "0:3a 1:3a");
	expect_buses("skx,sockets=4,domains=2", 0x0a, 2, "0:3a 0:ae 1:3a 1:ae");
	expect_buses("skx,sockets=3,domains=2", 0x0a, 2, "0:3a 0:ae 1:3a");
	expect_buses("skx,sockets=4", 0x0a, 2, "0:0e 0:4e 0:8e 0:ce");
	expect_buses("clx,sockets=4,domains=2", 0x0a, 2, "0:3a 0:ae 1:3a 1:ae");
	expect_buses("cpx,sockets=8,domains=2", 0x0a, 2, "0:0e 0:4e 0:8e 0:ce 1:0e 1:4e 1:8e 1:ce");
	expect_buses("bdxde", 0x14, 0, "0:ff");
	expect_buses("skx,sockets=8", 0x0e, 0, "0:17 0:37 0:57 0:77 0:97 0:b7 0:d7 0:f7");
	expect_buses("skx,sockets=8,domains=8", 0x0e, 0, "0:5d 1:5d 2:5d 3:5d 4:5d 5:5d 6:5d 7:5d");
}

TEST(each_socket_has_functions_of_its_own_in_every_machine)
{
	for (unsigned m = 0; m < N(models); m++) {
		for (unsigned sockets = 1; sockets <= 8; sockets++) {
			for (unsigned domains = 1; domains <= sockets; domains++) {
				unsigned of_socket[8] = {0}, reversed;
				struct unc_sim_pci pci, last = {.addr = {.kind = UNC_PCI}};
				size_t i;

				reversed = (sockets + domains) % 2;
				fx_open(fx_text("%s,sockets=%u,domains=%u,numbering=%s", models[m], sockets, domains,
						reversed ? "reversed" : "normal"));
				for (i = 0; unc_sim_pci(fx.host, i, &pci) == 0; i++, last = pci) {
					CU_ASSERT_FATAL(pci.socket < sockets);
					of_socket[pci.socket]++;
					/* No address twice, and sockets follow one another as the buses do. */
					CU_ASSERT(i == 0 || unc_addr_compare(&last.addr, &pci.addr) < 0);
					CU_ASSERT(i == 0 ||
						  (reversed ? pci.socket <= last.socket : pci.socket >= last.socket));
					CU_ASSERT(pci.addr.pci.domain < domains);
				}
				CU_ASSERT_EQUAL(pci.addr.pci.domain, domains - 1);
				CU_ASSERT_EQUAL(of_socket[0], i / sockets);
				CU_ASSERT_EQUAL(of_socket[sockets - 1], i / sockets);
			}
		}
	}
}

TEST(a_leaf_beyond_the_highest_answers_as_leaf_d)
{
	static const uint32_t leaves[] = {0xd, 0xe, 0xf, 0x10, 0x14, 0x40000000, 0x80000009, 0x8000001e, 0xffffffff};

	fx_open("snbep");
	for (size_t i = 0; i < N(leaves); i++) {
		struct unc_cpuid_regs r = fx_cpuid(1, leaves[i], 0);

		CU_ASSERT(r.eax == 7 && r.ebx == 0x340 && r.ecx == 0x340 && r.edx == 0);
	}
	CU_ASSERT_EQUAL(fx_cpuid(0, 0, 0).eax, 0xd);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000000, 0).eax, 0x80000008);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000008, 0).eax, 0x302e);
	CU_ASSERT_EQUAL(fx_cpuid(0, 7, 0).ebx, 0);
}
