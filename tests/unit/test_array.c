// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

struct thing {
	uint64_t number;
	char rest[24];
};

TEST(it_grows_element_by_element_and_keeps_what_is_there)
{
	struct thing *things = NULL;
	size_t n, bad = 0;

	for (n = 0; n < 3000; n++) {
		static const struct thing zero;
		struct thing *more = unc_array_more(things, n, sizeof(*things));

		CU_ASSERT_PTR_NOT_NULL_FATAL(more);
		things = more;
		bad += memcmp(&things[n], &zero, sizeof(zero)) != 0;
		memset(&things[n], 0xa5, sizeof(things[n]));
		things[n].number = n;
	}
	for (size_t i = 0; i < n; i++)
		bad += things[i].number != i || things[i].rest[23] != (char)0xa5;
	CU_ASSERT_EQUAL(bad, 0);
	free(things);
}

/* Taking the last away and adding again needs no other memory, and finds a zeroed element. */
TEST(an_element_that_was_taken_away_comes_back_zeroed)
{
	unsigned char *bytes = NULL;
	size_t n = 0;

	for (unsigned round = 0; round < 40; round++) {
		bytes = unc_array_more(bytes, n, 1);
		CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
		CU_ASSERT_EQUAL(bytes[n], 0);
		bytes[n++] = 0xff;
		if (round % 3 == 2)
			n -= 2;
	}
	free(bytes);
}

TEST(a_size_that_no_memory_has_is_refused)
{
	char *array = unc_array_more(NULL, 0, 4);

	CU_ASSERT_PTR_NOT_NULL_FATAL(array);
	CU_ASSERT_PTR_NULL(unc_array_more(NULL, 0, SIZE_MAX / 4));
	CU_ASSERT_PTR_NULL(unc_array_more(array, (size_t)1 << 61, 8));
	memset(array, 1, 16); /* still there, and ours */
	free(array);
}
