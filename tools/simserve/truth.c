// SPDX-License-Identifier: GPL-2.0-or-later
/* What the hardware really did, and what was done to it against the rules. */
#include <inttypes.h>

#include "served.h"

static int out_event(struct served *sim, size_t i, const char *name, uint64_t raw_ns, struct out *out)
{
	uint64_t count;
	int rc = unc_sim_truth_events_of(sim->host, i, name, raw_ns, &count);

	if (rc < 0)
		return rc;
	out_json(out, name);
	out_printf(out, ": %" PRIu64, count);
	return 0;
}

/* All events, then the sums. */
static int out_events(struct served *sim, size_t i, uint64_t raw_ns, struct out *out)
{
	/* A model has some of these. */
	static const char *const sums[] = {"cas_count.rd",      "cas_count.wr",      "cas_count.all",
					   "cas_count_sch0.rd", "cas_count_sch0.wr", "cas_count_sch1.rd",
					   "cas_count_sch1.wr"};
	const char *name;
	uint64_t none;
	unsigned n = 0;
	int rc;

	for (size_t k = 0; (name = unc_sim_event_name(sim->host, k)) != NULL; k++) {
		rc = out_event(sim, i, name, raw_ns, out);
		if (rc < 0)
			return rc;
		out_printf(out, ", ");
	}
	for (size_t k = 0; k < sizeof(sums) / sizeof(sums[0]); k++) {
		if (unc_sim_truth_events_of(sim->host, i, sums[k], raw_ns, &none) < 0)
			continue;
		out_printf(out, "%s", n++ ? ", " : "");
		rc = out_event(sim, i, sums[k], raw_ns, out);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Its clock is an event, the first. */
static int out_channel(struct served *sim, size_t i, const struct unc_sim_channel *channel, uint64_t raw_ns,
		       struct out *out)
{
	const char *clock = unc_sim_event_name(sim->host, 0);
	uint64_t read_bytes = 0, write_bytes = 0, dclk = 0;
	char name[UNC_ADDR_TEXT];
	int rc = unc_sim_truth_bytes_of(sim->host, i, raw_ns, &read_bytes, &write_bytes);

	if (rc == 0)
		rc = unc_sim_truth_events_of(sim->host, i, clock, raw_ns, &dclk);
	if (rc < 0)
		return rc;
	out_printf(out,
		   "    {\"socket\": %u, \"imc\": %u, \"channel\": %u, \"pci\": \"%s\", \"hidden\": %s, "
		   "\"read_bytes\": %" PRIu64 ", \"write_bytes\": %" PRIu64 ", \"dclk\": %" PRIu64 ", \"events\": {",
		   channel->socket, channel->imc, channel->channel, unc_addr_text(&channel->addr, name),
		   channel->hidden ? "true" : "false", read_bytes, write_bytes, dclk);
	rc = out_events(sim, i, raw_ns, out);
	out_printf(out, "}}");
	return rc;
}

static int out_channels(struct served *sim, uint64_t raw_ns, struct out *out)
{
	size_t n = unc_sim_info(sim->host).n_channels;

	for (size_t i = 0; i < n; i++) {
		struct unc_sim_channel channel;
		int rc;

		rc = unc_sim_channel(sim->host, i, &channel);
		if (rc < 0)
			return rc;
		out_printf(out, "%s\n", i ? "," : "");
		rc = out_channel(sim, i, &channel, raw_ns, out);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void out_llc(const struct unc_sim_cache *cache, unsigned rmid, const struct unc_sim_llc *llc, const char *comma,
		    struct out *out)
{
	out_printf(out,
		   "%s\n    {\"package\": %u, \"l3\": %u, \"rmid\": %u, \"occupancy_bytes\": %" PRIu64
		   ", \"total_bytes\": %" PRIu64 ", \"local_bytes\": %" PRIu64 "}",
		   comma, cache->package, cache->id, rmid, llc->occupancy_bytes, llc->total_bytes, llc->local_bytes);
}

/* UNC_ERANGE: something changed since that time. */
static int out_llcs(struct served *sim, uint64_t raw_ns, struct out *out)
{
	const struct unc_sim_info info = unc_sim_info(sim->host);
	const char *comma = "";

	for (unsigned l3 = 0; l3 < info.n_caches; l3++) {
		struct unc_sim_cache cache = info.caches[l3];

		for (unsigned rmid = 0; rmid < info.n_rmids; rmid++) {
			struct unc_sim_llc llc;
			int rc = unc_sim_truth_llc_at(sim->host, l3, rmid, raw_ns, &llc);

			if (rc < 0)
				return rc;
			if (!llc.occupancy_bytes && !llc.total_bytes && !llc.local_bytes)
				continue;
			out_llc(&cache, rmid, &llc, comma, out);
			comma = ",";
		}
	}
	return UNC_OK;
}

/* One line a channel or RMID, so that simple tools can read it too. */
static int out_truth(struct served *sim, struct out *out)
{
	uint64_t raw_ns = sim->host->ops->now_ns(sim->host, UNC_CLOCK_RAW);
	uint64_t mono_ns = sim->host->ops->now_ns(sim->host, UNC_CLOCK_MONO);
	int rc;

	out_printf(out,
		   "{\n  \"raw_ns\": %" PRIu64 ",\n  \"mono_ns\": %" PRIu64 ",\n  \"t_ns\": %" PRIu64
		   ",\n  \"channels\": [",
		   raw_ns, mono_ns, raw_ns - sim->t0_ns);
	rc = out_channels(sim, raw_ns, out);
	out_printf(out, "\n  ],\n  \"llc\": [");
	if (rc == 0)
		rc = out_llcs(sim, raw_ns, out);
	out_printf(out, "\n  ]\n}\n");
	return rc;
}

/* All of one moment: again with a later one, where a cache changed just then. */
int truth_print(struct served *sim, struct out *out)
{
	unsigned tries = 100;
	int rc;

	do {
		out->len = 0;
		rc = out_truth(sim, out);
	} while (rc == UNC_ERANGE && --tries);
	return rc;
}

static void out_violation(const struct unc_sim_violation *violation, struct out *out)
{
	char name[UNC_ADDR_TEXT];

	out_printf(out,
		   "    {\"t_ns\": %" PRIu64 ", \"pci\": \"%s\", \"offset\": %" PRIu32 ", \"value\": %" PRIu64
		   ", \"wrong\": %" PRIu64 ", \"sentence\": ",
		   violation->t_ns, unc_addr_text(&violation->addr, name), violation->off, violation->value,
		   violation->wrong);
	out_json(out, violation->sentence);
	out_printf(out, "}");
}

int violations_print(struct served *sim, struct out *out)
{
	struct unc_sim_violation violation;

	out_printf(out, "{\n  \"count\": %" PRIu64 ",\n  \"violations\": [", unc_sim_violations(sim->host));
	for (size_t i = 0; unc_sim_violation(sim->host, i, &violation) == 0; i++) {
		out_printf(out, "%s\n", i ? "," : "");
		out_violation(&violation, out);
	}
	out_printf(out, "\n  ]\n}\n");
	return UNC_OK;
}
