// SPDX-License-Identifier: GPL-2.0-or-later
/* Equal differences are one finding of xcheck. */
#include "cli/xcheck_alike.h"

/* Is one cause likely, since both counts differ by the same share? */
static bool is_like(const struct difference *one, const struct difference *other)
{
	double apart = one->percent > other->percent ? one->percent - other->percent : other->percent - one->percent;

	return other->report && other->percent != 0 && apart <= one->doubt + other->doubt;
}

void differences_print(const struct difference *list, size_t n, struct output *out)
{
	const struct difference *end = list + n, *before;
	size_t n_all = 0;

	for (const struct difference *one = list; one < end; one++)
		n_all += one->report != NULL;
	for (const struct difference *one = list; one < end; one++) {
		const char *label = "also";
		size_t n_like = 0;

		for (before = list; before < one && !is_like(one, before);)
			before++;
		if (!one->report || before < one) /* the report of the one before is that of both */
			continue;
		for (const struct difference *other = list; other < end; other++)
			n_like += is_like(one, other);
		if (n_like > 1 && n_like == n_all)
			output_printf(out, "all %zu differ", n_like);
		else if (n_like > 1)
			output_printf(out, "%zu of %zu differ", n_like, n_all);
		if (n_like > 1)
			output_printf(out, " by %+.3f %%: %s\n", one->percent,
				      one->percent <= -100 ? "the kernel counted nothing" : "a scale");
		output_text(out, one->report);
		for (const struct difference *other = one + 1; other < end; other++) {
			if (!is_like(one, other))
				continue;
			output_printf(out, "  %-9s %s\n", label, other->name);
			label = "";
		}
		output_text(out, "\n");
	}
}
