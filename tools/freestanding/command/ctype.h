/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_CTYPE_H
#define UNC_COMMAND_CTYPE_H
static inline int tolower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}
#endif
