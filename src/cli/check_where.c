// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups results by subject: a broken channel fails in several checks, but is one fault to look for on a board. */
#include <stdio.h>
#include <string.h>

#include "cli/check.h"

void check_tally(const struct check_report *report, const char *subject, struct check_tally *ret_tally)
{
	size_t len = 0;

	*ret_tally = (struct check_tally){.n = 0};
	for (size_t i = 0; i < report->n; i++) {
		const struct unc_check_result *result = &report->items[i].result;

		if (strcmp(result->subject, subject) != 0)
			continue;
		ret_tally->n++;
		ret_tally->counts[result->state]++;
		if (result->state != UNC_CHECK_FAIL)
			continue;
		if (ret_tally->counts[UNC_CHECK_FAIL] == 1)
			ret_tally->first_failure = i;
		if (len < sizeof(ret_tally->failed))
			len += (size_t)snprintf(ret_tally->failed + len, sizeof(ret_tally->failed) - len, "%s%s",
						len ? ", " : "", result->check);
	}
}

size_t check_first_of(const struct check_report *report, const char *subject)
{
	size_t i = 0;

	while (i < report->n && strcmp(report->items[i].result.subject, subject) != 0)
		i++;
	return i;
}

bool check_is_first(const struct check_report *report, size_t i)
{
	return check_first_of(report, report->items[i].result.subject) == i;
}

void check_where_text(const struct check_item *item, char *buf, size_t size)
{
	const char *subject = item->result.subject;
	size_t len;

	if (item->socket < 0) {
		if (strncmp(subject, "l3 ", 3) == 0)
			snprintf(buf, size, "L3 cache %s", subject + 3);
		else if (strncmp(subject, "cpu", 3) == 0)
			snprintf(buf, size, "CPU %s", subject + 3);
		else
			snprintf(buf, size, "the %s", subject);
		return;
	}
	len = (size_t)snprintf(buf, size, "socket %d", item->socket);
	if (item->imc >= 0 && len < size)
		len += (size_t)snprintf(buf + len, size - len, ", memory controller %d", item->imc);
	if (item->channel >= 0 && len < size)
		snprintf(buf + len, size - len, ", channel %d", item->channel);
}

/* Skips the address of the text's own channel. */
static bool skip_own(const char **text, const char *own)
{
	size_t len = strlen(own);

	if (!len || strncmp(*text, own, len) != 0)
		return false;
	*text += len;
	return true;
}

/* Are both sentences the same, except for each channel's own address? */
static bool same_words(const struct check_item *a, const struct check_item *b)
{
	const char *left = a->finding, *right = b->finding;

	while (*left && *right) {
		bool own = skip_own(&left, a->pci);

		if (own != skip_own(&right, b->pci))
			return false;
		if (!own && *left++ != *right++)
			return false;
	}
	return *left == *right;
}

bool check_same_reason(const struct check_item *a, const struct check_item *b)
{
	return a->result.state == b->result.state && same_words(a, b);
}

unsigned check_alike(const struct check_report *report, const struct check_sum *sum, size_t index)
{
	unsigned n = 0;

	for (size_t i = sum->first; i < sum->end; i++) {
		if (!check_same_reason(&report->items[i], &report->items[index]))
			continue;
		if (i < index)
			return 0;
		n++;
	}
	return n;
}
