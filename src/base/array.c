// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *unc_array_more(void *array, size_t n, size_t size)
{
	/* Memory is bought at n = 0, 4, 8, 16, 32...: whenever n is a power of two from 4 on, it is full. */
	if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
		size_t room = n ? 2 * n : 4;

		if (room > SIZE_MAX / 2 / size)
			return NULL;
		array = realloc(array, room * size);
		if (!array)
			return NULL;
	}
	memset((char *)array + n * size, 0, size);
	return array;
}
