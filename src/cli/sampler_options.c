// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/sampler.h"

enum { FORMAT = 1000, OBSERVE, HELP, OPTIONS_MAX = 32 };

static int parse_interval(const char *command, const char *text, struct sampler_options *options)
{
	double seconds;

	if (!unc_text_double(text, &seconds))
		return usage_error("%s: -i %s: not a number of seconds above 0", command, text);
	if (seconds < 1e-6 || seconds > 1e6)
		return usage_error("%s: -i %s: an interval is from 0.000001 to 1000000 seconds", command, text);
	options->interval_ns = (uint64_t)(seconds * 1e9 + 0.5);
	options->interval_given = true;
	return EXIT_DONE;
}

static int parse_count(const char *command, const char *text, struct sampler_options *options)
{
	if (!unc_text_u64(text, &options->count) || options->count == 0)
		return usage_error("%s: -n %s: not a number of samples above 0", command, text);
	return EXIT_DONE;
}

static int parse_option(const struct sampler *sampler, int option, char **argv, struct sampler_options *options)
{
	switch (option) {
	case 'i':
		return parse_interval(sampler->name, optarg, options);
	case 'n':
		return parse_count(sampler->name, optarg, options);
	case 'o':
		options->path = optarg;
		return EXIT_DONE;
	case FORMAT:
		return parse_format(sampler->name, optarg, &options->format);
	case OBSERVE:
		options->observe = true;
		return EXIT_DONE;
	case ':':
	case '?':
		return bad_option(argv, option, sampler->name);
	default:
		return sampler->option(sampler->arg, option);
	}
}

/* getopt_long() needs one list: the common options and the command's own. */
static void join_options(const struct sampler *sampler, char letters[OPTIONS_MAX],
			 struct option long_options[OPTIONS_MAX])
{
	static const struct option common[] = {
		{"format", required_argument, NULL, FORMAT}, {"interval", required_argument, NULL, 'i'},
		{"count", required_argument, NULL, 'n'},     {"output", required_argument, NULL, 'o'},
		{"observe", no_argument, NULL, OBSERVE},     {"help", no_argument, NULL, HELP},
	};
	size_t n = sizeof(common) / sizeof(common[0]);

	memcpy(long_options, common, sizeof(common));
	for (const struct option *own = sampler->own; own->name && n + 1 < OPTIONS_MAX; own++)
		long_options[n++] = *own;
	long_options[n] = (struct option){0};
	snprintf(letters, OPTIONS_MAX, "+:i:n:o:h%s", sampler->letters);
}

static bool parse_command(const struct sampler *sampler, int argc, char **argv, struct sampler_options *options,
			  int *ret_status)
{
	if (optind < argc) {
		if (strcmp(argv[optind - 1], "--") != 0) {
			*ret_status = usage_error("%s: %s: a COMMAND comes after --", sampler->name, argv[optind]);
			return false;
		}
		options->command = argv + optind;
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
	struct option long_options[OPTIONS_MAX];
	char letters[OPTIONS_MAX];
	int option;

	*ret_options = (struct sampler_options){.interval_ns = 1000000000, .observe = globals->observe};
	join_options(sampler, letters, long_options);
	while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		if (option == HELP || option == 'h') {
			*ret_status = show_text(sampler->help);
			return false;
		}
		*ret_status = parse_option(sampler, option, argv, ret_options);
		if (*ret_status != EXIT_DONE)
			return false;
	}
	if (!parse_command(sampler, argc, argv, ret_options, ret_status))
		return false;
	if (ret_options->observe && sampler->no_observe) {
		*ret_status = usage_error("%s: --observe: %s", sampler->name, sampler->no_observe);
		return false;
	}
	if (sampler->options_done)
		*ret_status = sampler->options_done(sampler->arg, ret_options);
	return *ret_status == EXIT_DONE;
}
