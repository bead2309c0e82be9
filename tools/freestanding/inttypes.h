/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <inttypes.h> in terms of the compiler's own types. */
#ifndef UNC_FREESTANDING_INTTYPES_H
#define UNC_FREESTANDING_INTTYPES_H
#include <stdint.h>
#define PRIu32 "u"
#define PRIx32 "x"
#if __SIZEOF_LONG__ == 8
#define PRIu64 "lu"
#define PRIx64 "lx"
#define PRId64 "ld"
#else
#define PRIu64 "llu"
#define PRIx64 "llx"
#define PRId64 "lld"
#endif
#endif
