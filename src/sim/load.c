// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads: the default one, and what all loads have in common. */

#include "sim/chance.h"
#include "sim/load.h"

#define MILLION UINT64_C(1000000)

void unc_sim_load_clear(struct unc_sim_load *load)
{
	for (size_t i = 0; i < load->n_channels; i++) {
		struct unc_sim_channel_load *channel = &load->channels[i];

		for (size_t k = 0; k < UNC_SIM_FROMS; k++)
			unc_sim_curve_clear(&channel->bytes[k]);
		for (size_t k = 0; channel->events && k < load->model->n_events; k++)
			unc_sim_curve_clear(&channel->events[k]);
		free(channel->events);
	}
	free(load->channels);
	for (size_t i = 0; i < load->n_cpus; i++) {
		unc_sim_curve_clear(&load->cpus[i].occupancy);
		unc_sim_curve_clear(&load->cpus[i].total);
		unc_sim_curve_clear(&load->cpus[i].local);
	}
	free(load->cpus);
	*load = (struct unc_sim_load){0};
}

/* Adds a rate that never changes. UNC_ENOMEM without a sentence, as all functions below that make a load. */
static int add_rate(struct unc_sim_curve *curve, uint64_t per_second)
{
	return unc_sim_curve_add(curve, 0, per_second * UNC_SIM_RATE_ONE, 0);
}

/* Makes a load where only the clock runs. */
static int load_init(struct unc_sim_load *load, const struct unc_sim_options *options, size_t n_cpus)
{
	const struct unc_sim_model *model = options->model;

	*load = (struct unc_sim_load){.model = model};
	load->channels = calloc((size_t)options->sockets * UNC_SIM_CHANNELS_MAX, sizeof(*load->channels));
	if (!load->channels)
		return UNC_ENOMEM;
	for (unsigned socket = 0; socket < options->sockets; socket++) {
		for (size_t i = 0; i < model->n_functions; i++) {
			const struct unc_sim_function *function = &model->functions[i];
			struct unc_sim_channel_load *channel = &load->channels[load->n_channels];

			if (function->kind != UNC_SIM_IMC)
				continue;
			load->n_channels++;
			channel->socket = socket;
			channel->imc = function->imc;
			channel->channel = function->channel;
			channel->by_event[UNC_SIM_FROM_EVENTS] = true;
			channel->events = calloc(model->n_events, sizeof(*channel->events));
			if (!channel->events)
				return UNC_ENOMEM;
			for (size_t k = 0; k < model->n_events; k++)
				if (model->events[k].flags & UNC_SIM_CONSTANT &&
				    add_rate(&channel->events[k], unc_sim_constant_hz(model, k)) < 0)
					return UNC_ENOMEM;
		}
	}
	load->cpus = calloc(n_cpus, sizeof(*load->cpus));
	load->n_cpus = load->cpus ? n_cpus : 0;
	return load->cpus ? UNC_OK : UNC_ENOMEM;
}

/*
 * These rates are plausible, not measured: every fourth CAS opens a page, and three of four of these pages had another
 * one open; a read waits about 12 DCLK in its queue and a write 20; a refresh comes every 7.8 us; there are two ranks,
 * mostly awake. Of eight commands to ranks by bank, five go to rank 0 and three to rank 1, spread evenly over the banks.
 */
static int default_events(const struct unc_sim_model *model, struct unc_sim_channel_load *channel, uint64_t reads,
			  uint64_t writes)
{
	uint64_t acts = (reads + writes) / 4, dclk = unc_sim_dclk_hz(model);
	const struct {
		const char *name;
		uint64_t per_second;
	} events[] = {
		{"act_count", acts},
		{"act_count.all", acts},
		{"act_count.total", acts},
		{"pre_count.pgt", acts / 8},
		{"act_count.rd", reads / 4},
		{"act_count.wr", writes / 4},
		{"pre_count.page_miss", acts * 3 / 4},
		{"pre_count.page_close", acts / 8},
		{"pre_count.idle", acts / 8},
		{"dram_page_hit.rd", reads * 3 / 4},
		{"dram_page_empty.rd", reads / 16},
		{"dram_page_miss.rd", reads * 3 / 16},
		{"dram_page_hit.wr", writes * 3 / 4},
		{"dram_page_empty.wr", writes / 16},
		{"dram_page_miss.wr", writes * 3 / 16},
		{"vc0_requests.rd", reads},
		{"vc0_requests.wr", writes},
		{"pre_count.rd", reads * 3 / 16},
		{"pre_count.wr", writes * 3 / 16},
		{"dram_refresh.high", 128205},
		{"major_modes.read", dclk / 10 * 7},
		{"major_modes.write", dclk / 10 * 2},
		{"rpq_inserts", reads},
		{"rpq_occupancy", reads * 12},
		{"rpq_cycles_ne", reads * 4},
		{"wpq_inserts", writes},
		{"wpq_occupancy", writes * 20},
		{"wpq_cycles_ne", writes * 6},
		{"rpq_inserts.pch0", reads / 2},
		{"rpq_inserts.pch1", reads - reads / 2},
		{"rpq_occupancy_pch0", reads * 6},
		{"rpq_occupancy_pch1", reads * 7},
		{"wpq_inserts.pch0", writes / 2},
		{"wpq_inserts.pch1", writes - writes / 2},
		{"wpq_occupancy_pch0", writes * 10},
		{"wpq_occupancy_pch1", writes * 11},
		{"power_cke_cycles.rank0", dclk / 10 * 9},
		{"power_cke_cycles.rank1", dclk / 10 * 8},
		{"power_channel_ppd", dclk / 20},
		{"rd_cas_rank0.bank0", reads * 5 / 8},
		{"rd_cas_rank1.bank0", reads * 3 / 8},
		{"wr_cas_rank0.bank0", writes * 5 / 8},
		{"wr_cas_rank1.bank0", writes * 3 / 8},
	};
	int rc = UNC_OK;

	/* A model may lack some of these events. */
	for (size_t i = 0; i < UNC_SIM_N(events); i++) {
		const struct unc_sim_event *event = unc_sim_event_find(model, events[i].name);
		size_t first = event ? (size_t)(event - model->events) : model->n_events, n = 1;

		while (event && strstr(events[i].name, ".bank0") && first + n < model->n_events &&
		       model->events[first + n].code == event->code)
			n++;
		for (size_t k = 0; event && k < n && rc == UNC_OK; k++)
			rc = add_rate(&channel->events[first + k], events[i].per_second / n);
	}
	return rc;
}

/* Returns this rate, or where an earlier channel has it, the next one that is not used. */
static uint64_t another(const struct unc_sim_load *load, size_t n, uint64_t bytes)
{
	size_t i = 0;

	while (i < n) {
		const struct unc_sim_channel_load *other = &load->channels[i++];

		if (other->bytes[UNC_SIM_FROM_READ].steps[0].rate != bytes * UNC_SIM_RATE_ONE &&
		    other->bytes[UNC_SIM_FROM_WRITE].steps[0].rate != bytes * UNC_SIM_RATE_ONE)
			continue;
		bytes++;
		i = 0;
	}
	return bytes;
}

/*
 * All rates are below the 12.8 GB/s of a DDR3-1600 or DDR4-1600 channel. No two are equal: 700 c + 130 s + 55 m and 350
 * c + 90 s + 25 m do not repeat for c < 4, s < 8 and m < 2, and the lowest read rate is above the highest write rate.
 */
static int channel_default(const struct unc_sim_options *options, struct unc_sim_load *load, size_t i)
{
	struct unc_sim_channel_load *channel = &load->channels[i];
	uint64_t read = MILLION * (4000 + 700 * channel->channel + 130 * channel->socket + 55 * channel->imc);
	uint64_t write = MILLION * (1500 + 350 * channel->channel + 90 * channel->socket + 25 * channel->imc);

	read = another(load, i, unc_sim_varied(options, 2 * i, read));
	write = another(load, i, unc_sim_varied(options, 2 * i + 1, write));
	if (add_rate(&channel->bytes[UNC_SIM_FROM_READ], read) < 0 ||
	    add_rate(&channel->bytes[UNC_SIM_FROM_WRITE], write) < 0)
		return UNC_ENOMEM;
	return default_events(load->model, channel, read / 64, write / 64);
}

/*
 * No two are equal: p is less than 8, and i counts by more. Where the least cache is available for each CPU, on an L3
 * of an EPYC 9655, the last 16 CPUs want 31.6 of 33.6 million bytes.
 */
static int cpu_default(const struct unc_sim_options *options, struct unc_sim_cpu_load *cpu,
		       const struct unc_sim_cpu *of)
{
	unsigned i = of->thread * options->cores + of->core, package = of->package;
	uint64_t occupancy = UINT64_C(1024) * (256 + 12 * i + package);
	uint64_t total = MILLION * (200 + 13 * i + package), local = MILLION * (150 + 9 * i + package);
	/* beyond all numbers that vary rates of channels */
	uint64_t nth = UINT64_C(2) * UNC_SIM_SOCKETS_X86 * UNC_SIM_CHANNELS_MAX + 3 * (uint64_t)of->number;

	occupancy = unc_sim_varied(options, nth, occupancy);
	total = unc_sim_varied(options, nth + 1, total);
	local = unc_sim_varied(options, nth + 2, local);
	if (add_rate(&cpu->occupancy, occupancy) < 0 || add_rate(&cpu->total, total) < 0)
		return UNC_ENOMEM;
	return add_rate(&cpu->local, unc_sim_least(local, total));
}

uint64_t unc_sim_fingerprint(const char *text, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

int unc_sim_load_open(struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;
	struct unc_sim_load *load = &sim->load;
	int rc = load_init(load, options, sim->n_cpus);

	for (size_t i = 0; !options->load && i < load->n_channels && rc == UNC_OK; i++)
		rc = channel_default(options, load, i);
	for (size_t i = 0; !options->load && i < load->n_cpus && rc == UNC_OK; i++)
		rc = cpu_default(options, &load->cpus[i], &sim->cpus[i]);
	if (rc < 0)
		return unc_fail(sim->host.ctx, rc, "sim: load: out of memory");
	return options->load ? unc_sim_load_read(sim->host.ctx, options->load, load) : UNC_OK;
}

/* Without a load file a module reads a quarter of what the channel's DIMMs do, and writes an eighth. */
static int default_pmem(const struct unc_sim_load *load, const struct unc_sim_channel_load *channel)
{
	const struct unc_sim_event *events = load->model->events;
	const struct unc_sim_event *reads = unc_sim_event_find(load->model, "pmm_rpq_inserts");
	const struct unc_sim_event *writes = unc_sim_event_find(load->model, "pmm_wpq_inserts");
	int rc = unc_sim_curve_add(&channel->events[reads - events], 0,
				   channel->bytes[UNC_SIM_FROM_READ].steps[0].rate / 4 / 64, 0);

	return rc < 0 ? rc
		      : unc_sim_curve_add(&channel->events[writes - events], 0,
					  channel->bytes[UNC_SIM_FROM_WRITE].steps[0].rate / 8 / 64, 0);
}

bool unc_sim_load_matches(const struct unc_sim_channel_load *channel, const char *pattern)
{
	char name[64];

	snprintf(name, sizeof(name), "socket%u.imc%u.ch%u", channel->socket, channel->imc, channel->channel);
	return unc_text_match(pattern, name);
}

/* Finds the channels that a key names. */
static int find_channels(struct unc_sim *sim, const char *key, const struct unc_names *names,
			 struct unc_sim_channel_set *set)
{
	const struct unc_sim_channel_load *channels = sim->load.channels;
	size_t n = sim->load.n_channels;
	const char *name = names->all.bytes;

	for (size_t k = 0; k < names->n; k++, name += strlen(name) + 1) {
		bool found = false;

		for (size_t i = 0; i < n; i++) {
			if (!unc_sim_load_matches(&channels[i], name))
				continue;
			found = true;
			set->has[i / 64] |= UINT64_C(1) << i % 64;
		}
		if (found)
			continue;
		if (!n)
			return unc_sim_fail(sim, UNC_EARG,
					    "%s=%.60s: of this processor no memory channels are modelled", key, name);
		return unc_sim_fail(sim, UNC_EARG,
				    "%s=%.60s: the machine has no such channel; they are socket0.imc%u.ch%u to "
				    "socket%u.imc%u.ch%u",
				    key, name, channels[0].imc, channels[0].channel, channels[n - 1].socket,
				    channels[n - 1].imc, channels[n - 1].channel);
	}
	return UNC_OK;
}

int unc_sim_channels_init(struct unc_sim *sim)
{
	const struct unc_sim_model *model = sim->load.model;
	int rc = find_channels(sim, "empty", &sim->options.empty, &sim->empty);

	if (rc == UNC_OK)
		rc = find_channels(sim, "pmem", &sim->options.pmem, &sim->pmem);
	for (size_t i = 0; i < sim->load.n_channels && rc == UNC_OK; i++) {
		struct unc_sim_channel_load *channel = &sim->load.channels[i];
		uint32_t umcs = model->umcs ? unc_sim_umcs_of(&sim->options, channel->socket)->mask : 0;
		/* Of a UMC that umcs= lacks the clock stands, too.  Where CPUID tells of none, all have memory. */
		bool gone = umcs && !(umcs >> channel->channel & 1);

		if (gone)
			sim->empty.has[i / 64] |= UINT64_C(1) << i % 64;
		if (unc_sim_has_pmem(sim, i) && !sim->options.load)
			rc = default_pmem(&sim->load, channel);
		for (size_t k = 0; k < model->n_events && sim->options.pmem.n && !unc_sim_has_pmem(sim, i); k++)
			if (!strncmp(model->events[k].name, "pmm_", 4))
				unc_sim_curve_clear(&channel->events[k]);
		if (!unc_sim_is_empty(sim, i))
			continue;
		for (size_t k = 0; k < UNC_SIM_FROMS; k++)
			unc_sim_curve_clear(&channel->bytes[k]);
		for (size_t k = 0; k < model->n_events; k++)
			if (gone || !(model->events[k].flags & UNC_SIM_CONSTANT))
				unc_sim_curve_clear(&channel->events[k]);
	}
	return rc;
}

struct unc_sim_part unc_sim_load_part(const struct unc_sim_load *load, size_t channel, size_t event)
{
	const struct unc_sim_event *kind = &load->model->events[event];
	const struct unc_sim_channel_load *from = &load->channels[channel];

	if (!from->by_event[kind->from])
		return (struct unc_sim_part){&from->bytes[kind->from], kind->whole, kind->less};
	return (struct unc_sim_part){&from->events[event], UNC_SIM_WEIGHT, 0};
}
