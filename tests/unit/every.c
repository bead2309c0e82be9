// SPDX-License-Identifier: GPL-2.0-or-later
#define _DEFAULT_SOURCE
#include "every.h"

#include <unistd.h>

#include "onsim.h"
#include "sim/computer.h"

static void write_channel(FILE *file, struct unc_host *host, size_t channel)
{
	const struct unc_sim_model *model = unc_sim_of(host)->options.model;
	struct unc_sim_channel c;

	CU_ASSERT_FATAL(unc_sim_channel(host, channel, &c) == 0);
	fprintf(file, "  socket%u.imc%u.ch%u:\n    events:\n", c.socket, c.imc, c.channel);
	/* Of 64 channels and 500 events the highest is 33 million: 16 banks of a rank together stay below 800 MHz. */
	for (size_t i = 0; i < model->n_events; i++)
		if (!(model->events[i].flags & UNC_SIM_CONSTANT))
			fprintf(file, "      %s: %zu\n", model->events[i].name, 1000000 + 1001 * (64 * i + channel));
}

char *every_load(const char *args)
{
	char path[64], *copy;
	struct unc_host *host = NULL;
	struct unc_ctx *ctx = NULL;
	FILE *file;

	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	CU_ASSERT_FATAL(unc_sim_open(ctx, args, -1, &host) == 0);
	test_file(path, sizeof(path), "unc-every");
	file = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs("format: uncorectl-load/1\nchannels:\n", file);
	for (size_t i = 0; i < unc_sim_info(host).n_channels; i++)
		write_channel(file, host, i);
	CU_ASSERT_FATAL(fclose(file) == 0);
	unc_host_close(host);
	unc_free(ctx);
	copy = strdup(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	return copy;
}

uint64_t every_truth(struct unc_host *host, const struct unc_addr *addr, unsigned code, unsigned umask, uint64_t raw_ns,
		     size_t *ret_event)
{
	const struct unc_sim_model *model = unc_sim_of(host)->options.model;
	size_t events[UNC_SIM_PARTS], n = unc_sim_select(model, (uint8_t)code, (uint8_t)umask, events);
	uint64_t sum = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_FATAL(unc_sim_truth_events_at(host, addr, model->events[events[i]].name, raw_ns, &count) ==
				0);
		sum += count;
	}
	*ret_event = n == 1 ? events[0] : SIZE_MAX;
	return sum;
}
