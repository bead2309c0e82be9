/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compilers have one instruction for this, and make no call. */
#ifndef UNC_FREESTANDING_MATH_H
#define UNC_FREESTANDING_MATH_H

double fabs(double x);

#endif
