// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of what stops counters: freeze bits, sleep of a package, another program. */
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "sim/keys.h"

int unc_sim_set_frz(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "wo", "rw", &parse->options->frz_rw);
}

static int no_memory(const struct unc_sim_parse *parse)
{
	return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
}

/* SOCKET@FROM-UNTIL; text is cut at @ and -. Sleeps of a socket must not overlap. */
static bool parse_sleep(char *text, const struct unc_sim_options *options, struct unc_sim_sleep *sleep)
{
	char *socket = unc_text_cut(&text, '@'), *from = unc_text_cut(&text, '-');
	uint64_t n;

	if (!socket || !from || !text || !unc_text_u64(socket, &n) || n >= UNC_SIM_SOCKETS_MAX ||
	    !unc_sim_parse_seconds(from, &sleep->from_ns) || !unc_sim_parse_seconds(text, &sleep->until_ns))
		return false;
	sleep->socket = (unsigned)n;
	for (size_t i = 0; i < options->n_sleeps; i++)
		if (options->sleeps[i].socket == sleep->socket && sleep->from_ns < options->sleeps[i].until_ns &&
		    options->sleeps[i].from_ns < sleep->until_ns)
			return false;
	return sleep->until_ns > sleep->from_ns;
}

int unc_sim_add_sleep(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	struct unc_sim_sleep *more = unc_array_more(options->sleeps, options->n_sleeps, sizeof(*more));
	char *copy = unc_text_dup(value);
	bool good;

	if (more)
		options->sleeps = more;
	if (!more || !copy) {
		free(copy);
		return no_memory(parse);
	}
	good = parse_sleep(copy, options, &more[options->n_sleeps]);
	options->n_sleeps += good;
	free(copy);
	return good ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

int unc_sim_add_freeze(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	struct unc_sim_frozen *more = unc_array_more(options->freezes, options->n_freezes, sizeof(*more));
	char *where = unc_text_dup(value), *at = where;

	if (more)
		options->freezes = more;
	if (!more || !where) {
		free(where);
		return no_memory(parse);
	}
	more[options->n_freezes++] = (struct unc_sim_frozen){.where = where};
	if (!unc_text_cut(&at, '@') || (at && !unc_sim_parse_seconds(at, &more[options->n_freezes - 1].from_ns)))
		return unc_sim_bad_value(parse, key, value);
	return UNC_OK;
}
