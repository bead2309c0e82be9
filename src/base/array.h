/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that grow.  One element type per array; the owner frees the memory with free(). */
#ifndef UNC_BASE_ARRAY_H
#define UNC_BASE_ARRAY_H

#include <stddef.h>

/*
 * Room for one more element of the given size behind the n that are there: the array, perhaps moved, with the
 * new element zeroed, or NULL when out of memory (then the old array is untouched and still the caller's).
 * Capacity doubles, so n is all that must be remembered.
 */
void *unc_array_more(void *array, size_t n, size_t size);

#endif
