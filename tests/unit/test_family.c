// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/parse.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

TEST(a_name_without_ranges_is_one_event)
{
	char name[UNC_FAMILY_NAME];
	struct unc_family family;

	CU_ASSERT_TRUE_FATAL(unc_family_parse("cas_count.rd", &family));
	CU_ASSERT_EQUAL(family.n_ranges, 0);
	CU_ASSERT_EQUAL(unc_family_count(&family), 1);
	CU_ASSERT_EQUAL(unc_family_member(&family, 0, name), 12);
	CU_ASSERT_STRING_EQUAL(name, "cas_count.rd");
}

TEST(ranges_are_counted_through)
{
	static const struct {
		const char *name;
		size_t n, i;
		const char *member;
		unsigned indices[2];
	} cases[] = {
		{"power_cke_cycles.rank[0-7]", 8, 0, "power_cke_cycles.rank0", {0, 0}},
		{"power_cke_cycles.rank[0-7]", 8, 7, "power_cke_cycles.rank7", {7, 0}},
		{"rd_cas_rank[0-7].bank[0-15]", 128, 0, "rd_cas_rank0.bank0", {0, 0}},
		{"rd_cas_rank[0-7].bank[0-15]", 128, 15, "rd_cas_rank0.bank15", {0, 15}},
		{"rd_cas_rank[0-7].bank[0-15]", 128, 16, "rd_cas_rank1.bank0", {1, 0}},
		{"rd_cas_rank[0-7].bank[0-15]", 128, 127, "rd_cas_rank7.bank15", {7, 15}},
		{"rd_cas_rank[0-7].allbanks", 8, 5, "rd_cas_rank5.allbanks", {5, 0}},
		{"a[3-3]", 1, 0, "a3", {0, 0}},
		{"[9-11]x[1-2]", 6, 3, "10x2", {1, 1}},
		{"pmm[0-2]_cmp", 3, 2, "pmm2_cmp", {2, 0}},
		{"x[100-163]", 64, 63, "x163", {63, 0}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned indices[UNC_FAMILY_RANGES] = {0};
		char name[UNC_FAMILY_NAME];
		struct unc_family family;

		CU_ASSERT_TRUE_FATAL(unc_family_parse(cases[i].name, &family));
		CU_ASSERT_EQUAL(unc_family_count(&family), cases[i].n);
		CU_ASSERT_EQUAL(unc_family_member(&family, cases[i].i, name), strlen(cases[i].member));
		CU_ASSERT_STRING_EQUAL(name, cases[i].member);
		unc_family_indices(&family, cases[i].i, indices);
		for (unsigned k = 0; k < family.n_ranges; k++)
			CU_ASSERT_EQUAL(indices[k], cases[i].indices[k]);
	}
}

TEST(what_is_no_name_is_refused)
{
	static const char *const names[] = {
		"",        "Cas",    "a b",       "a[",      "a[]",       "a[0]",    "a[0-",
		"a[0-1",   "a]",     "a[0-]",     "a[-1]",   "a[2-1]",    "a[0-64]", "a[0-1][0-1][0-1]",
		"a[0-1]]", "a[x-y]", "a[0-1000]", "a[1-2]-", "a[0000-1]",
	};
	char name[80] = "";
	struct unc_family family = {.n_ranges = 9};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CU_ASSERT_FALSE(unc_family_parse(names[i], &family));
		if (unc_family_parse(names[i], &family))
			printf("\n    %s\n", names[i]);
	}
	CU_ASSERT_EQUAL(family.n_ranges, 9);
	memset(name, 'a', 63);
	CU_ASSERT_TRUE(unc_family_parse(name, &family));
	name[63] = 'a';
	CU_ASSERT_FALSE(unc_family_parse(name, &family));
}
