// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * truthat MACHINE CHANNEL EVENT T_NS...: how often EVENT had happened at the channel CHANNEL ("0000:ff:10.0") when a log's
 * clock showed T_NS, exactly; a line for each.
 * truthat MACHINE: the same for each line "T_NS CHANNEL EVENT" on stdin.
 * MACHINE is as it was served, but without clock=: what such a machine does depends on nothing but the time since it started,
 * which is what the log counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "../simtruth.h"

static struct unc_ctx *ctx;

static void check(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "truthat: %s\n", unc_errmsg(ctx));
	exit(1);
}

/* Opened now, and its clock stands: nothing of this run's own time is in it. */
static struct unc_host *open_stepped(const char *machine)
{
	struct unc_host *host = NULL;
	char args[1024];

	if (strncmp(machine, "sim:", 4) != 0 ||
	    snprintf(args, sizeof(args), "%s,clock=step", machine + 4) >= (int)sizeof(args)) {
		fprintf(stderr, "truthat: %s: no simulated machine\n", machine);
		exit(2);
	}
	check(unc_new(&ctx));
	check(unc_sim_open(ctx, args, -1, &host));
	return host;
}

static int usage(void)
{
	fprintf(stderr, "usage: truthat MACHINE [CHANNEL EVENT T_NS...]\n");
	return 2;
}

static void print_truth(struct unc_host *host, const char *channel, const char *event, const char *when)
{
	uint64_t t_ns, count;
	struct unc_addr addr;

	if (!(unc_addr_parse(channel, &addr) || unc_addr_parse_pci(channel, &addr)) || !unc_text_u64(when, &t_ns)) {
		fprintf(stderr, "truthat: %s, %s: no channel, or no time in nanoseconds\n", channel, when);
		exit(2);
	}
	check(unc_sim_truth_events_at(host, &addr, event, unc_sim_info(host).start_ns + t_ns, &count));
	printf("%" PRIu64 "\n", count);
}

static void print_lines(struct unc_host *host)
{
	char when[32], channel[UNC_ADDR_TEXT], event[64];
	int n;

	while ((n = scanf("%31s %47s %63s", when, channel, event)) == 3)
		print_truth(host, channel, event, when);
	if (n != EOF)
		exit(usage());
}

int main(int argc, char **argv)
{
	struct unc_host *host;

	if (argc != 2 && argc < 5)
		return usage();
	host = open_stepped(argv[1]);
	if (argc == 2)
		print_lines(host);
	for (int i = 4; i < argc; i++)
		print_truth(host, argv[2], argv[3], argv[i]);
	unc_host_close(host);
	unc_free(ctx);
	return 0;
}
