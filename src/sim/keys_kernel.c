// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the machine's operating system: the drivers of its kernel, and what it refuses. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "sim/keys.h"

enum { PARANOID_LEAST = -1, PARANOID_MOST = 4, NUMBER_MOST = 15 };

int unc_sim_set_msr(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "present", "absent", &parse->options->msr_absent);
}

int unc_sim_set_msr_writes(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "on", "off", &parse->options->msr_writes_off);
}

int unc_sim_set_lockdown(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "0", "1", &parse->options->lockdown);
}

int unc_sim_set_perf(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "off", "on", &parse->options->perf.on);
}

static size_t channels_of_socket(const struct unc_sim_model *model)
{
	size_t i, n = 0;

	for (i = 0; i < model->n_functions; i++)
		n += model->functions[i].kind == UNC_SIM_IMC;
	return n;
}

/* Parses one number for each channel, no two equal. */
static bool parse_order(char *text, size_t n, unsigned *order)
{
	unsigned seen = 0;
	uint64_t number;
	size_t i = 0;
	char *word;

	while ((word = unc_text_cut(&text, '-')) != NULL) {
		if (i == n || !unc_text_u64(word, &number) || number > NUMBER_MOST || seen >> number & 1)
			return false;
		seen |= 1u << number;
		order[i++] = (unsigned)number;
	}
	return i == n;
}

int unc_sim_set_perf_order(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_perf_options *perf = &parse->options->perf;
	size_t n = channels_of_socket(parse->options->model);
	char *copy = unc_text_dup(value);

	if (!copy)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	perf->ordered = !n || parse_order(copy, n, perf->order); /* without channels perf=on is refused anyway */
	free(copy);
	if (perf->ordered)
		return UNC_OK;
	return unc_fail(parse->ctx, UNC_EARG,
			"sim:%s: %s=%.200s: must be %zu different numbers from 0 to %d with - between, the number of "
			"each channel of a socket",
			parse->options->model->name, key->name, value, n, NUMBER_MOST);
}

int unc_sim_set_perf_moves(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	uint64_t *moves_ns = &parse->options->perf.moves_ns;

	return unc_sim_parse_seconds(value, moves_ns) && *moves_ns ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

int unc_sim_set_perf_mask(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	uint64_t mask;

	if (!unc_text_u64(value, &mask) || mask > UINT32_MAX)
		return unc_sim_bad_value(parse, key, value);
	parse->options->perf.masked = true;
	parse->options->perf.mask = (uint32_t)mask;
	return UNC_OK;
}

int unc_sim_set_perf_off(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_parse_percent(value, &parse->options->perf.off_ppm) ? UNC_OK
									   : unc_sim_bad_value(parse, key, value);
}

int unc_sim_set_perf_paranoid(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	bool minus = *value == '-';
	uint64_t n;
	int64_t paranoid;

	if (!unc_text_u64(value + minus, &n) || n > PARANOID_MOST)
		return unc_sim_bad_value(parse, key, value);
	paranoid = minus ? -(int64_t)n : (int64_t)n;
	if (paranoid < PARANOID_LEAST)
		return unc_sim_bad_value(parse, key, value);
	parse->options->perf.suspicious = true;
	parse->options->perf.paranoid = paranoid;
	return UNC_OK;
}

int unc_sim_set_resctrl(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "off", "on", &parse->options->resctrl.on);
}

int unc_sim_set_resctrl_hw_id(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "off", "on", &parse->options->resctrl.hw_id);
}

int unc_sim_set_resctrl_off(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	int *off_ppm = &parse->options->resctrl.off_ppm;

	return unc_sim_parse_percent(value, off_ppm) ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

static int check_resctrl(const struct unc_sim_parse *parse)
{
	static const char *const keys[] = {"resctrl_hw_id", "resctrl_group", "resctrl_off"};
	const struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!options->resctrl.on && unc_sim_key_given(parse, keys[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: resctrl is not mounted; add resctrl=on",
					model, keys[i]);
	if (options->resctrl.on && !(options->model->rdt && options->model->rdt->events))
		return unc_fail(parse->ctx, UNC_EARG, "sim:%s: resctrl=on: this processor has no cache monitoring",
				model);
	if (options->resctrl.on && options->snc > 1)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: resctrl=on: with snc=%u it would be that of a later kernel than the one here",
				model, options->snc);
	return UNC_OK;
}

int unc_sim_check_kernel(const struct unc_sim_parse *parse)
{
	static const char *const of_perf[] = {"perf_order", "perf_moves", "perf_mask", "perf_off", "perf_paranoid"};
	const struct unc_sim_options *options = parse->options;
	size_t i;

	if (options->perf.on && !options->model->pmon)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: perf=on: of this processor no memory channels are modelled, so there is "
				"nothing to drive",
				options->model->name);
	for (i = 0; i < sizeof(of_perf) / sizeof(of_perf[0]); i++)
		if (!options->perf.on && unc_sim_key_given(parse, of_perf[i]))
			return unc_fail(parse->ctx, UNC_EARG,
					"sim:%s: %s: there is no driver of memory channels; add perf=on",
					options->model->name, of_perf[i]);
	return check_resctrl(parse);
}
