/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_MATH_H
#define UNC_COMMAND_MATH_H
#include_next <math.h>
#define fabs(x)     __builtin_fabs(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x)  __builtin_signbit(x)
#define isnan(x)    __builtin_isnan(x)
#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
double ldexp(double x, int power);
#endif
