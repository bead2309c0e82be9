/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_GETOPT_H
#define UNC_COMMAND_GETOPT_H
struct option {
	const char *name;
	int has_arg, *flag, val;
};
enum { no_argument, required_argument };
extern char *optarg;
extern int optind, opterr, optopt;
int getopt_long(int argc, char *const *argv, const char *letters, const struct option *names, int *index);
#endif
