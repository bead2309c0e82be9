/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_SYS_PRCTL_H
#define UNC_COMMAND_SYS_PRCTL_H
enum { PR_SET_TIMERSLACK };
#define prctl(...) 0
#endif
