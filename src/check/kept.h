/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How results are kept, for note.c and result.c. */
#ifndef UNC_CHECK_KEPT_H
#define UNC_CHECK_KEPT_H

#include "check/check.h"

struct unc_check_kept { /* a value */
	char what[80];
	const struct unc_box *box; /* or NULL */
	char reg[UNC_GATE_TEXT];
	uint32_t offset;
	unsigned bits;
	bool has_wrote, has_expected;
	uint64_t wrote, read, expected, compared;
	bool good;
};

struct unc_check_trace { /* a plot */
	char title[120], x_unit[24], y_unit[24];
	struct unc_check_point *points; /* owned */
	size_t n;
	double low, high;
};

void unc_check_entry_clear(struct unc_check_entry *entry);

#endif
