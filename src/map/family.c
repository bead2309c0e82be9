// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/family.h"

#include <stdio.h>
#include <string.h>

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

static bool digits(const char **text, unsigned *ret_number)
{
	size_t len = strspn(*text, "0123456789");
	unsigned number = 0;

	if (len == 0 || len > 3)
		return false;
	for (size_t i = 0; i < len; i++)
		number = number * 10 + (unsigned)((*text)[i] - '0');
	*text += len;
	*ret_number = number;
	return true;
}

/* "[0-7]" */
static bool parse_range(struct unc_family *family, const char **text)
{
	unsigned k = family->n_ranges, last;

	if (k == UNC_FAMILY_RANGES)
		return false;
	family->at[k] = (size_t)(*text - family->name);
	++*text;
	if (!digits(text, &family->first[k]) || *(*text)++ != '-' || !digits(text, &last) || *(*text)++ != ']')
		return false;
	if (last < family->first[k] || last - family->first[k] >= UNC_FAMILY_LENGTH)
		return false;
	family->len[k] = last - family->first[k] + 1;
	family->after[k] = (size_t)(*text - family->name);
	family->n_ranges++;
	return true;
}

bool unc_family_parse(const char *name, struct unc_family *ret_family)
{
	struct unc_family family = {.name = name};
	const char *text = name;

	while (*text) {
		text += strspn(text, name_chars);
		if (*text && (*text != '[' || !parse_range(&family, &text)))
			return false;
	}
	/* A member's name is shorter: "[0-7]" becomes one digit, "[100-107]" three. */
	if (text == name || text - name >= UNC_FAMILY_NAME)
		return false;
	*ret_family = family;
	return true;
}

size_t unc_family_count(const struct unc_family *family)
{
	size_t n = 1;

	for (unsigned k = 0; k < family->n_ranges; k++)
		n *= family->len[k];
	return n;
}

void unc_family_indices(const struct unc_family *family, size_t i, unsigned indices[UNC_FAMILY_RANGES])
{
	for (unsigned k = family->n_ranges; k-- > 0;) {
		indices[k] = (unsigned)(i % family->len[k]);
		i /= family->len[k];
	}
}

size_t unc_family_member(const struct unc_family *family, size_t i, char name[UNC_FAMILY_NAME])
{
	unsigned indices[UNC_FAMILY_RANGES];
	size_t from = 0, len = 0;

	unc_family_indices(family, i, indices);
	for (unsigned k = 0; k < family->n_ranges; k++) {
		memcpy(name + len, family->name + from, family->at[k] - from);
		len += family->at[k] - from;
		len += (size_t)snprintf(name + len, UNC_FAMILY_NAME - len, "%u", family->first[k] + indices[k]);
		from = family->after[k];
	}
	return len + (size_t)snprintf(name + len, UNC_FAMILY_NAME - len, "%s", family->name + from);
}
