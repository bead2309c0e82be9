// SPDX-License-Identifier: GPL-2.0-or-later
/* Conditions under which a run of mem fails. */
#define _GNU_SOURCE
#include "cli/fail_if.h"

#include "base/err.h"
#include "base/text.h"

enum what { TOTAL, READ, WRITE, PEAK, WHATS };
static const char *const names[WHATS] = {"total", "read", "write", "peak"};

struct watch {                        /* one place of a condition */
	size_t first, end;            /* its channels */
	const char *box;              /* not owned */
	uint64_t held_ns, longest_ns; /* how long the condition has been true by now, and at most */
	double farthest;              /* the value that was farthest from the limit while it was true */
};

struct fail_if {
	const char *text; /* as it was written; not owned */
	char box[40];     /* a pattern of names; of all channels by default */
	enum what what;
	bool above;
	double limit; /* bytes per second, or percent of the peak */
	uint64_t for_ns;
	struct watch *watches; /* owned */
	size_t n_watches;
};

/* ---- the option ---- */

static const char form[] =
	"[BOX.]total, read, write or peak, then > or <, a rate such as 80GB/s, or of peak a percentage, and "
	"perhaps \" for \" and a time: total>80GB/s for 5s";

static bool take_what(struct fail_if *one, const char *text, size_t len)
{
	const char *dot = memrchr(text, '.', len), *name = dot ? dot + 1 : text;
	size_t box = dot ? (size_t)(dot - text) : 0, n = len - (size_t)(name - text);

	snprintf(one->box, sizeof(one->box), "%.*s", dot ? (int)box : (int)strlen("machine"), dot ? text : "machine");
	while (one->what < WHATS && (strlen(names[one->what]) != n || strncmp(names[one->what], name, n) != 0))
		one->what++;
	return one->what < WHATS && box < sizeof(one->box) && !(dot && box == 0);
}

static bool take_limit(struct fail_if *one, char *text)
{
	size_t len = strlen(text);
	uint64_t rate;
	bool percent = len > 0 && text[len - 1] == '%';

	if (percent != (one->what == PEAK))
		return false;
	if (percent) {
		text[len - 1] = '\0';
		return unc_text_double(text, &one->limit) && one->limit >= 0;
	}
	if (!amount_of_rate(text, &rate))
		return false;
	one->limit = (double)rate;
	return true;
}

int fail_if_take(void *member, const struct option_given *given)
{
	struct fail_ifs *ifs = member;
	struct fail_if one = {.text = given->value};
	size_t what = strcspn(given->value, "<>");
	const char *op = given->value + what, *end = strstr(given->value, " for ");
	char limit[40];
	int n = (int)(end ? end - op - 1 : (ptrdiff_t)strlen(op) - 1), status = EXIT_DONE;
	struct option_given span = *given;

	one.above = *op == '>';
	if (n > 0)
		snprintf(limit, sizeof(limit), "%.*s", n, op + 1);
	if (n <= 0 || (size_t)n >= sizeof(limit) || !take_what(&one, given->value, what) || !take_limit(&one, limit))
		return usage_error("%s: %s '%s': not a condition: %s", given->command, given->option, given->value,
				   form);
	if (end) {
		span.value = end + strlen(" for ");
		status = option_seconds(&one.for_ns, &span);
	}
	if (status == EXIT_DONE && !unc_array_add(&ifs->list, &ifs->n, &one, sizeof(one)))
		return no_memory();
	return status;
}

/* ---- a run ---- */

static int watch(struct fail_if *one, struct unc_ctx *ctx, const char *box, size_t first, size_t end)
{
	const struct watch more = {.first = first, .end = end, .box = box};

	if (!unc_text_match(one->box, box))
		return UNC_OK;
	return unc_list_add(ctx, &one->watches, &one->n_watches, &more, sizeof(more));
}

int fail_if_bind(struct fail_ifs *ifs, const struct counting *counting)
{
	const struct channels *channels = &counting->channels;
	const struct {
		const struct channel_group *list;
		size_t n;
	} groups[] = {{channels->totals, channels->n_totals},
		      {channels->sockets, channels->n_sockets},
		      {channels->imcs, channels->n_imcs}};
	int rc = UNC_OK;

	for (size_t k = 0; k < ifs->n && rc == 0; k++) {
		struct fail_if *one = &ifs->list[k];

		for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
			for (size_t i = 0; i < groups[g].n && rc == 0; i++)
				rc = watch(one, counting->ctx, groups[g].list[i].box, groups[g].list[i].first,
					   groups[g].list[i].end);
		for (size_t i = 0; i < channels->n && rc == 0; i++)
			rc = watch(one, counting->ctx, channels->list[i].info.name, i, i + 1);
		if (rc == 0 && one->n_watches == 0)
			rc = unc_fail(counting->ctx, UNC_EARG,
				      "--fail-if '%s': nothing here is called %s; `uncorectl list` has the names",
				      one->text, one->box);
	}
	return rc;
}

/* False: the value is not known, so that the condition is not true. */
static bool value_of(enum what what, const struct moved *moved, bool together, double peak, double *ret_value)
{
	const double values[WHATS] = {[TOTAL] = moved->read + moved->write,
				      [READ] = moved->read,
				      [WRITE] = moved->write,
				      [PEAK] = peak > 0 ? 100 * (moved->read + moved->write) / peak : 0};

	*ret_value = values[what];
	return moved->known && !(together && (what == READ || what == WRITE)) && (what != PEAK || peak > 0);
}

void fail_if_see(struct fail_ifs *ifs, const struct counting *counting, bool together, const struct peaks *peaks)
{
	for (size_t k = 0; k < ifs->n; k++) {
		struct fail_if *one = &ifs->list[k];

		for (struct watch *w = one->watches; w < one->watches + one->n_watches; w++) {
			struct moved moved = moved_by(counting, together, w->first, w->end);
			double value;
			bool known = value_of(one->what, &moved, together, peaks_sum(peaks, w->first, w->end), &value);

			/* What a channel without a value moved would only add to what is above the limit. */
			if (!known || (moved.partial && !one->above) ||
			    !(one->above ? value > one->limit : value < one->limit)) {
				w->held_ns = 0;
				continue;
			}
			if (w->longest_ns == 0 || (one->above ? value > w->farthest : value < w->farthest))
				w->farthest = value;
			w->held_ns += moved.interval_ns;
			w->longest_ns = w->held_ns > w->longest_ns ? w->held_ns : w->longest_ns;
		}
	}
}

int fail_if_verdict(const struct fail_ifs *ifs)
{
	int status = EXIT_DONE;

	for (size_t k = 0; k < ifs->n; k++) {
		const struct fail_if *one = &ifs->list[k];

		for (const struct watch *w = one->watches; w < one->watches + one->n_watches; w++) {
			bool share = one->what == PEAK;
			char value[NUMBER_TEXT_MAX];

			if (w->longest_ns == 0 || w->longest_ns < one->for_ns)
				continue;
			number_with_unit(w->farthest, share ? "%" : "bytes/s",
					 number_scale(w->farthest, share ? "%" : "bytes/s"), value);
			status = refuse(EXIT_FAILED, "--fail-if '%s': true of %s for %.3f s, with %s %s %s", one->text,
					w->box, (double)w->longest_ns / 1e9, one->above ? "up to" : "down to", value,
					share ? "of its peak" : names[one->what]);
			break;
		}
	}
	return status;
}

void fail_if_clear(struct fail_ifs *ifs)
{
	for (size_t i = 0; i < ifs->n; i++)
		free(ifs->list[i].watches);
	free(ifs->list);
	*ifs = (struct fail_ifs){.n = 0};
}
