/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_ASSERT_H
#define UNC_COMMAND_ASSERT_H
#define assert(x) ((void)sizeof(x))
#endif
