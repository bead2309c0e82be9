// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/sampler.h"

int sampler_take_interval(void *member, const struct option_given *given)
{
	struct sampler_options *options = member;

	options->interval_given = true;
	return option_seconds(&options->interval_ns, given);
}

static bool parse_command(const struct sampler *sampler, int first, int argc, char **argv,
			  struct sampler_options *options, int *ret_status)
{
	if (first < argc) {
		if (strcmp(argv[first - 1], "--") != 0) {
			*ret_status = usage_error("%s: %s: a COMMAND comes after --", sampler->name, argv[first]);
			return false;
		}
		options->command = argv + first;
	} else if (strcmp(argv[argc - 1], "--") == 0) {
		*ret_status = usage_error("%s: there is no COMMAND after --", sampler->name);
		return false;
	}
	return true;
}

uint64_t sampler_interval_ns(const struct sampler_options *options)
{
	return options->command && !options->interval_given ? 0 : options->interval_ns;
}

bool sampler_parse(const struct sampler *sampler, const struct globals *globals, int argc, char **argv,
		   struct sampler_options *ret_options, int *ret_status)
{
	const struct command_line line = {.command = sampler->name,
					  .usage = sampler->usage,
					  .notes = sampler->notes,
					  .column = 18,
					  .options = sampler->options,
					  .own = sampler->arg,
					  .shared = ret_options,
					  .stops = true};
	int first;

	*ret_options = (struct sampler_options){.interval_ns = 1000000000, .observe = globals->observe};
	first = command_line_parse(&line, argc, argv, ret_status);
	if (first == 0 || !parse_command(sampler, first, argc, argv, ret_options, ret_status))
		return false;
	if (ret_options->observe && sampler->no_observe) {
		*ret_status = usage_error("%s: --observe: %s", sampler->name, sampler->no_observe);
		return false;
	}
	if (sampler->options_done)
		*ret_status = sampler->options_done(sampler->arg, ret_options);
	return *ret_status == EXIT_DONE;
}
