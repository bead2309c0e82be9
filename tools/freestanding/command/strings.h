/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_STRINGS_H
#define UNC_COMMAND_STRINGS_H
#include <stddef.h>
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t size);
#endif
