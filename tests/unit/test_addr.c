// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/access.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(a_pci_address_reads_and_prints_in_hex)
{
	static const struct {
		const char *text, *back;
	} cases[] = {
		{"0000:ff:10.0", "0000:ff:10.0"},
		{"ff:10.0", "0000:ff:10.0"},
		{"7f:0b.3", "0000:7f:0b.3"},
		{"7F:B.3", "0000:7f:0b.3"},
		{"0001:00:1f.7", "0001:00:1f.7"},
		{"10000:e1:00.0", "10000:e1:00.0"},
		{"ffffffff:ff:1f.7", "ffffffff:ff:1f.7"},
		{"0:0:0.0", "0000:00:00.0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_addr addr = {.kind = UNC_MMIO};
		char text[UNC_ADDR_TEXT];

		CU_ASSERT_TRUE(unc_addr_parse_pci(cases[i].text, &addr));
		CU_ASSERT_EQUAL(addr.kind, UNC_PCI);
		CU_ASSERT_STRING_EQUAL(unc_addr_text(&addr, text), cases[i].back);
	}
}

TEST(what_is_no_pci_address_is_refused_and_nothing_written)
{
	static const char *const bad[] = {
		"",
		"ff",
		"ff:10",
		"ff:10.",
		"ff:10.8",
		"ff:20.0",
		":10.0",
		"100:10.0",
		"ff:10.00",
		"ff:10.0 ",
		" ff:10.0",
		"ff:10.0\n",
		"123456789:ff:10.0",
		":ff:10.0",
		"0:0:ff:10.0",
		"0000-ff-10.0",
		"0000:fg:10.0",
		"0x0:ff:10.0",
		"0000:+f:10.0",
		"pci0000:ff",
	};
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 7}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CU_ASSERT_FALSE(unc_addr_parse_pci(bad[i], &addr));
	CU_ASSERT_EQUAL(addr.kind, UNC_MSR);
	CU_ASSERT_EQUAL(addr.msr.cpu, 7);
}

TEST(cpus_and_windows_have_names_too)
{
	struct unc_addr cpu = {.kind = UNC_MSR, .msr = {.cpu = 3}};
	struct unc_addr window = {.kind = UNC_MMIO, .mmio = {.base = 0xfed15000, .len = 4096}};
	char text[UNC_ADDR_TEXT];

	CU_ASSERT_STRING_EQUAL(unc_addr_text(&cpu, text), "cpu3");
	CU_ASSERT_STRING_EQUAL(unc_addr_text(&window, text), "0xfed15000");
}

static int by_address(const void *a, const void *b)
{
	return unc_addr_compare(a, b);
}

TEST(order_is_kind_domain_bus_device_function)
{
	static const char *const sorted[] = {"0000:00:00.1", "0000:00:01.0", "0000:7f:1f.7", "0000:ff:10.0",
					     "0000:ff:10.1", "0001:00:00.0", "10000:00:00.0"};
	struct unc_addr addrs[8];
	char text[UNC_ADDR_TEXT];

	addrs[0] = (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = 0}};
	for (unsigned i = 0; i < 7; i++)
		CU_ASSERT_TRUE(unc_addr_parse_pci(sorted[i], &addrs[7 - i]));
	qsort(addrs, 8, sizeof(addrs[0]), by_address);
	for (unsigned i = 0; i < 7; i++)
		CU_ASSERT_STRING_EQUAL(unc_addr_text(&addrs[i], text), sorted[i]);
	CU_ASSERT_EQUAL(addrs[7].kind, UNC_MSR);
	CU_ASSERT_EQUAL(unc_addr_compare(&addrs[3], &addrs[3]), 0);
}

TEST(large_numbers_do_not_wrap_in_the_order)
{
	struct unc_addr low = {.kind = UNC_MMIO, .mmio = {.base = 1, .len = 4}};
	struct unc_addr high = {.kind = UNC_MMIO, .mmio = {.base = UINT64_MAX, .len = 4}};
	struct unc_addr cpu0 = {.kind = UNC_MSR, .msr = {.cpu = 0}},
			last = {.kind = UNC_MSR, .msr = {.cpu = 0xffffffff}};

	CU_ASSERT_TRUE(unc_addr_compare(&low, &high) < 0);
	CU_ASSERT_TRUE(unc_addr_compare(&high, &low) > 0);
	CU_ASSERT_TRUE(unc_addr_compare(&cpu0, &last) < 0);
	high.mmio.base = 1;
	high.mmio.len = 8;
	CU_ASSERT_EQUAL(unc_addr_compare(&low, &high), 0);
}
