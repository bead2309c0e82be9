/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tools/lint alone, in front of every file of src/ but base/err.c: the analyzer sees one file at a time, so it does not
 * know that failing is never success, and would follow paths on which a function failed and its results were used.
 */
#ifndef UNC_TOOLS_ANALYZER_H
#define UNC_TOOLS_ANALYZER_H

#include "base/err.h"

#define unc_fail(ctx, err, ...)                                                                                        \
	({                                                                                                             \
		int err_ = (err);                                                                                      \
		unc_fail(ctx, err_, __VA_ARGS__);                                                                      \
		if (err_ >= 0)                                                                                         \
			__builtin_unreachable();                                                                       \
		err_;                                                                                                  \
	})
#define unc_fail_named(ctx, err, ...)                                                                                  \
	({                                                                                                             \
		int err_ = (err);                                                                                      \
		unc_fail_named(ctx, err_, __VA_ARGS__);                                                                \
		if (err_ >= 0)                                                                                         \
			__builtin_unreachable();                                                                       \
		err_;                                                                                                  \
	})
#define unc_wrap(ctx, err, ...)                                                                                        \
	({                                                                                                             \
		int wrapped_ = (err);                                                                                  \
		unc_wrap(ctx, wrapped_, __VA_ARGS__);                                                                  \
		wrapped_;                                                                                              \
	})

#endif
