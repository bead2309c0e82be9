// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/name_match.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

enum { LONGEST = 256 };

/* False: it is too long for a name. */
static bool lower(const char *text, char buf[LONGEST])
{
	size_t len = strlen(text);

	if (len >= LONGEST)
		return false;
	for (size_t i = 0; i <= len; i++)
		buf[i] = (char)tolower((unsigned char)text[i]);
	return true;
}

int name_match(const char *pattern, const char *name)
{
	char wanted[LONGEST], given[LONGEST];
	size_t len;

	if (!pattern)
		return 2;
	if (!lower(pattern, wanted) || !lower(name, given))
		return 0;
	len = strlen(wanted);
	if (strpbrk(wanted, "*?"))
		return unc_text_match(wanted, given) ? 2 : 0;
	if (strncmp(given, wanted, len) == 0 && (given[len] == '\0' || given[len] == '.'))
		return 2;
	return strstr(given, wanted) ? 1 : 0;
}
