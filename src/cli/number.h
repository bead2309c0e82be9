/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text: all digits for programs, few for people. */
#ifndef UNC_CLI_NUMBER_H
#define UNC_CLI_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT_MAX = 400 }; /* the largest double has 309 digits, the smallest has 324 zeros after the point */

/*
 * Writes as many digits as identify a finite number, without an exponent; a whole number has no point.  Returns buf, as the others
 * do.
 */
const char *number_exact(double number, char buf[NUMBER_TEXT_MAX]);
/* At most ten significant digits, but all of a whole number, and all before the point. */
const char *number_readable(double number, char buf[NUMBER_TEXT_MAX]);
/* The number that number_readable() writes. */
double number_as_readable(double number);
/* "12,345,678" */
const char *number_grouped(uint64_t number, char buf[NUMBER_TEXT_MAX]);
/* "+12,345", "-678", "0" */
const char *number_signed(int64_t number, char buf[NUMBER_TEXT_MAX]);
/* The distance from 0. */
uint64_t number_distance(int64_t number);
/* The divisor for a number of this size in this unit, "bytes" as MB or GB; 1: the number is shown as it is. */
double number_scale(double number, const char *unit);
/* At least four digits, divided by scale, and the unit: "6.400 GB", "84.13 ns", "12,346". unit NULL: none. */
const char *number_with_unit(double number, const char *unit, double scale, char buf[NUMBER_TEXT_MAX]);

#endif
