/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_LANGINFO_H
#define UNC_COMMAND_LANGINFO_H
enum { CODESET };
static inline const char *nl_langinfo(int what) /* firmware's consoles need not have more */
{
	(void)what;
	return "ASCII";
}
#endif
