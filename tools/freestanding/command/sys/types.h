/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_SYS_TYPES_H
#define UNC_COMMAND_SYS_TYPES_H
#include <stddef.h>
typedef long long ssize_t;
typedef int pid_t;
#endif
