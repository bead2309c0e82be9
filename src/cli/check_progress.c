// SPDX-License-Identifier: GPL-2.0-or-later
/* What `check` is doing now, on a terminal: one line that is overwritten by the next. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/check.h"
#include "cli/check_text.h"

void check_progress_open(struct check_progress *progress)
{
	*progress = (struct check_progress){0};
	output_open(&progress->err, NULL, STDERR_FILENO, "standard error");
}

void check_progress_hide(struct check_progress *progress)
{
	if (!progress->shown)
		return;
	progress->shown = false;
	output_text(&progress->err, "\r\033[K");
	output_flush(&progress->err);
}

void check_progress_show(void *arg, const struct unc_check_progress *now)
{
	struct check_progress *progress = arg;
	unsigned columns = output_window(&progress->err).columns;
	char left[32], line[200];
	int n;

	if (!progress->err.terminal)
		return;
	check_time_text(now->left_ns, left, sizeof(left));
	n = snprintf(line, sizeof(line), "[%u/%u] %s, about %s left", now->nth, now->of, now->check, left);
	if (n > 0 && (unsigned)n >= columns) /* the time is the least important part */
		n = snprintf(line, sizeof(line), "[%u/%u] %s", now->nth, now->of, now->check);
	if (n > 0 && (unsigned)n >= columns) /* on some terminals the last column would begin a new line */
		line[columns > 1 ? columns - 1 : 0] = '\0';
	output_text(&progress->err, "\r");
	output_text(&progress->err, line);
	output_text(&progress->err, "\033[K");
	output_flush(&progress->err);
	progress->shown = true;
}
