/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_STDIO_EXT_H
#define UNC_COMMAND_STDIO_EXT_H
#include <stdio.h>
int __fpurge(FILE *file);
#endif
