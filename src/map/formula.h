/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arithmetic of metrics: numbers, names, + - * / and parentheses.  `time` is the length of the interval, in seconds. */
#ifndef UNC_MAP_FORMULA_H
#define UNC_MAP_FORMULA_H

#include "uncore.h"

enum { UNC_FORMULA_MAX = 240, UNC_FORMULA_NAMES_MAX = 16, UNC_FORMULA_DEPTH_MAX = 16 };

struct unc_formula;

/*
 * names: those allowed in it besides `time`, at most UNC_FORMULA_NAMES_MAX.  Free *ret_formula with free(). UNC_EMAP:
 * it is not a formula, or has a name that is not among them; UNC_ENOMEM.
 */
int unc_formula_parse(struct unc_ctx *ctx, const char *text, const char *const *names, size_t n_names,
		      struct unc_formula **ret_formula);
/* The value of names[index] is multiplied by this factor from now on. */
void unc_formula_scale(struct unc_formula *formula, size_t index, double factor);
/* Returns true if the formula uses names[index]. */
bool unc_formula_uses(const struct unc_formula *formula, size_t index);
/* values: of names, in that order.  UNC_ENODATA, without a message: it divides by zero. */
int unc_formula_value(const struct unc_formula *formula, const double *values, double seconds, double *ret_value);
/*
 * The same with values that may each be wrong by up to doubts (NULL: they are exact).  *ret_doubt: the uncertainty of
 * the result; DBL_MAX: not known, because a divisor may be zero.
 */
int unc_formula_measure(const struct unc_formula *formula, const double *values, const double *doubts, double seconds,
			double *ret_value, double *ret_doubt);
/* Writes the text with the values in place of the names, with all their digits.  False: longer than size. */
bool unc_formula_explain(const struct unc_formula *formula, const double *values, double seconds, char *buf,
			 size_t size);

/* At most 63 of a-z, 0-9 and _, beginning with a letter. */
bool unc_formula_name_valid(const char *name);

#endif
