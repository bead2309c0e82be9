// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory bandwidth: what the library reports of a CPU that loads from memory is compared with what the channels of its socket
 * count, or, on a part whose channels have no map, with what the CPU's instructions load.  What each reports without the loads is
 * subtracted.  Intel SDM vol. 3, "Memory Bandwidth Monitoring".
 */
#include "check/monitoring.h"

#include <math.h>

#include "check/drive.h"
#include "rdt/leaves.h"

enum {
	PER_CENT = 8, /* largest difference of the two, in addition to the variation of other traffic */
	DROWNED = 25, /* largest share of the loads by which other traffic may vary */
	TIMES = 3,    /* measurements, if they do not agree */
	BUFFERS = 4,  /* buffer size in L3 sizes: a hit in the L3 is counted neither by MBM nor by the channels */
	LARGE = 16,   /* the same for instructions, which also count hits; an adaptive L3 keeps all that it can hold */
};
#define BANDWIDTH (1u << UNC_LLC_TOTAL | 1u << UNC_LLC_LOCAL)
#define EVENT     "cas_count.rd"

struct channel { /* a channel of the socket */
	struct unc_check_box *b;
	unsigned slot;
	double scale; /* bytes per count */
	struct unc_reading before;
};

struct meter {
	struct unc_mon *mon;
	struct unc_mon_l3 *l3;
	struct unc_llc *llc;      /* owned; it has one group, the CPU */
	struct channel *channels; /* owned */
	size_t n_channels;        /* 0: no channel has a map, or not all can be used */
	bool loads;               /* traffic is being made */
	bool shared;              /* interleaved over sockets: at least half of the memory belongs to others */
	unsigned rmid;
};

struct rates { /* bytes per second */
	double total, local, channels, loaded;
	bool has_local;
};

/* ---- channels ---- */

/* Starts all channels of the socket, or none: the sum would lack what a missing channel carries. */
static void start_channels(struct meter *meter)
{
	struct unc_mon *mon = meter->mon;
	struct unc_check *c = mon->c;
	size_t n = 0;

	if (!mon->rc)
		mon->rc = unc_drive_take(c);
	if (mon->rc || meter->shared)
		return;
	meter->channels = calloc(c->n_boxes + 1, sizeof(*meter->channels));
	if (!meter->channels)
		mon->rc = unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < c->n_boxes && !mon->rc; i++) {
		struct unc_check_box *b = &c->boxes[i];
		const struct unc_event *event = unc_unit_event(b->box->unit, EVENT);
		unsigned slot = unc_drive_slot_for(b, event, 0);

		if (b->box->socket != meter->l3->domain->l3->package)
			continue;
		if (!b->usable || slot == UNC_PMON_SLOTS)
			return;
		meter->channels[n++] = (struct channel){.b = b, .slot = slot, .scale = event->scale};
		unc_drive_set(b, slot, unc_drive_event(b, EVENT), true);
		mon->rc = unc_drive_end(b);
	}
	meter->n_channels = n;
}

/* ---- an interval ---- */

static void read_group(struct meter *meter, struct unc_llc_row *ret_row)
{
	struct unc_mon *mon = meter->mon;
	unsigned events = unc_llc_events(meter->llc);

	if (!mon->rc)
		mon->rc = unc_llc_read(meter->llc, ret_row, 1);
	for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS && !mon->rc; event++)
		if (events >> event & 1 && ret_row->values[event].status != UNC_LLC_OK)
			mon->rc = unc_fail(mon->c->m->ctx, UNC_EIO, "%s of RMID %u cannot be read: %s",
					   unc_llc_event_name(event), meter->rmid,
					   ret_row->values[event].status == UNC_LLC_UNAVAILABLE ? "Unavailable"
					   : ret_row->values[event].status == UNC_LLC_ERROR     ? "Error"
					   : ret_row->values[event].status == UNC_LLC_DISTURBED
						   ? "another program changes IA32_QM_EVTSEL"
						   : "it may have wrapped unseen");
}

static void read_loads(struct meter *meter, struct unc_traffic_done *ret_done)
{
	if (!meter->mon->rc && meter->loads)
		meter->mon->rc = unc_traffic_look(meter->mon->c->m, ret_done);
}

static struct unc_reading count(struct unc_mon *mon, const struct channel *channel)
{
	struct unc_reading reading = {0};

	if (mon->rc)
		return reading;
	reading = unc_drive_count(channel->b, channel->slot);
	mon->rc = unc_drive_end(channel->b);
	return reading;
}

static struct rates measure(struct meter *meter)
{
	struct unc_mon *mon = meter->mon;
	struct unc_traffic_done before = {0}, done = {0};
	struct rates rates = {0};
	struct unc_llc_row row;

	read_group(meter, &row);
	for (size_t i = 0; i < meter->n_channels; i++)
		meter->channels[i].before = count(mon, &meter->channels[i]);
	read_loads(meter, &before);
	if (!mon->rc)
		mon->rc = unc_llc_sleep_until(meter->llc,
					      unc_machine_mono_ns(mon->c->m) + unc_check_ms(mon->c, 20, 100, 300));
	read_group(meter, &row);
	for (size_t i = 0; i < meter->n_channels; i++) {
		const struct channel *channel = &meter->channels[i];
		struct unc_reading now = count(mon, channel);
		uint64_t gained = unc_drive_gained(channel->b, channel->before.value, now.value);
		uint64_t ns = now.before_ns - channel->before.before_ns;

		rates.channels += (double)gained * channel->scale * 1e9 / (double)(ns ? ns : 1);
	}
	read_loads(meter, &done);
	if (mon->rc)
		return rates;
	rates.total = row.values[UNC_LLC_TOTAL].bytes_per_s;
	rates.local = row.values[UNC_LLC_LOCAL].bytes_per_s;
	rates.has_local = row.values[UNC_LLC_LOCAL].status == UNC_LLC_OK;
	if (meter->loads && done.raw_ns > before.raw_ns)
		rates.loaded =
			(double)(done.loaded_bytes - before.loaded_bytes) * 1e9 / (double)(done.raw_ns - before.raw_ns);
	return rates;
}

/* ---- arithmetic ---- */

static bool agree(double a, double b, double noise)
{
	return fabs(a - b) <= b / 100 * PER_CENT + noise;
}

struct taken { /* one measurement */
	struct rates before, busy, after;
	/* What the loads added to the traffic without them; other: as the channels or instructions count it. */
	double total, local, other;
	double noise; /* by how much the traffic without the loads varies */
};

static bool is_drowned(const struct taken *taken)
{
	return taken->noise * 100 > taken->other * DROWNED;
}

static bool has_local(const struct meter *meter, const struct taken *taken)
{
	return taken->busy.has_local && !meter->shared;
}

static void see(struct unc_check *c, const char *what, double bytes_per_s)
{
	unc_check_see(c, unc_seen_value("bytes per second", what, bytes_per_s > 0 ? (uint64_t)bytes_per_s : 0));
}

/* On AMD, software can change what the events count. */
static bool is_as_after_reset(const struct meter *meter)
{
	static const uint64_t at_first[] = {0x7f, 0x15};
	struct unc_machine *m = meter->mon->c->m;
	const struct unc_reg *reg = unc_unit_reg(meter->l3->cpu->box->unit, "QOS_EVT_CFG");

	for (unsigned i = 0; reg && i < 2; i++) {
		uint64_t config;

		if (unc_rdt_field(m, meter->l3->cpu->number, reg->name, i, "events", &config) == 0 &&
		    config != at_first[i])
			return false;
	}
	return true;
}

static void report_bandwidth(const struct meter *meter, const struct taken *taken)
{
	struct unc_check *c = meter->mon->c;
	const char *who = meter->n_channels ? "the channels of its socket read" : "its instructions load";
	double total = taken->total, local = taken->local, other = taken->other;
	char beside[80] = "";

	if (!agree(total, other, taken->noise))
		unc_check_fail(c,
			       "RMID %u, cpu %u loading: total bandwidth is %.0f MB/s, and %s %.0f MB/s: %.1f %% off",
			       meter->rmid, meter->l3->cpu->number, total / 1e6, who, other / 1e6,
			       (total / (other > 0 ? other : 1) - 1) * 100);
	if (has_local(meter, taken)) {
		if (!agree(local, total, taken->noise))
			unc_check_fail(c,
				       "RMID %u, cpu %u loading from its own node's memory: total bandwidth is %.0f "
				       "MB/s, but local bandwidth only %.0f MB/s",
				       meter->rmid, meter->l3->cpu->number, total / 1e6, local / 1e6);
		snprintf(beside, sizeof(beside), ", local bandwidth is %.0f MB/s", local / 1e6);
	}
	unc_check_pass(c,
		       "RMID %u, cpu %u loading: total bandwidth is %.0f MB/s%s, and %s %.0f MB/s (%.0f MB/s by which "
		       "it varies without)",
		       meter->rmid, meter->l3->cpu->number, total / 1e6, beside, who, other / 1e6, taken->noise / 1e6);
}

/* ---- the check ---- */

static bool can_be_read(const struct meter *meter)
{
	struct unc_check *c = meter->mon->c;
	const struct unc_rdt *rdt = meter->mon->llc->rdt;

	if (!(rdt->info.events & 1 << UNC_LLC_TOTAL))
		unc_check_skip(c, "this CPU does not monitor total bandwidth: CPUID 0xF.1 EDX bit 1 is 0");
	else if (rdt->assigned_counters)
		unc_check_skip(c, "bandwidth counters %s assigned one by one here (ABMC): read by RMID they show 0",
			       rdt->assigned_unknown ? "may be" : "are");
	else if (!is_as_after_reset(meter))
		unc_check_skip(c, "what bandwidth events count was changed here (BMEC, QOS_EVT_CFG)");
	else
		return true;
	return false;
}

static struct taken take(struct meter *meter)
{
	uint64_t size = (meter->n_channels ? BUFFERS : LARGE) * meter->l3->bytes;
	struct taken taken = {.before = measure(meter)};

	unc_mon_walk(meter->mon, meter->l3, size);
	meter->loads = meter->mon->rc == 0;
	/* Waits for one pass over the buffer: after it, no more old data from the cache or from making pages is written back. */
	unc_mon_walked(meter->mon, size);
	taken.busy = measure(meter);
	unc_mon_rest(meter->mon);
	meter->loads = false;
	taken.after = measure(meter);
	taken.total = taken.busy.total - (taken.before.total + taken.after.total) / 2;
	taken.local = taken.busy.local - (taken.before.local + taken.after.local) / 2;
	taken.noise = fabs(taken.before.total - taken.after.total);
	taken.other = taken.busy.loaded;
	if (meter->n_channels) {
		taken.other = taken.busy.channels - (taken.before.channels + taken.after.channels) / 2;
		taken.noise += fabs(taken.before.channels - taken.after.channels);
	}
	return taken;
}

/* Other programs may begin or end something meanwhile.  Hardware that counts wrong is wrong each time, and by as much. */
static void compare(struct meter *meter)
{
	struct unc_check *c = meter->mon->c;
	double ratio, low = 1e9, high = 0;
	unsigned n_wrong = 0;
	struct taken taken = {.noise = 0};

	if (meter->mon->rc)
		return;
	for (unsigned i = 0; i < TIMES && n_wrong == i; i++) {
		taken = take(meter);
		if (meter->mon->rc)
			return;
		n_wrong += is_drowned(&taken) || !agree(taken.total, taken.other, taken.noise) ||
			   (has_local(meter, &taken) && !agree(taken.local, taken.total, taken.noise));
		ratio = taken.other > 0 ? taken.total / taken.other : 0;
		low = ratio < low ? ratio : low;
		high = ratio > high ? ratio : high;
	}
	see(c, "total bandwidth, loading", taken.busy.total);
	see(c, "total bandwidth, before", taken.before.total);
	see(c, "total bandwidth, after", taken.after.total);
	see(c, meter->n_channels ? "channels, loading" : "loaded by instructions",
	    meter->n_channels ? taken.busy.channels : taken.other);
	if (meter->n_channels) {
		see(c, "channels, before", taken.before.channels);
		see(c, "channels, after", taken.after.channels);
	}
	if (taken.busy.has_local)
		see(c, "local bandwidth, loading", taken.busy.local);
	if (is_drowned(&taken) || (!agree(taken.total, taken.other, taken.noise) && (high - low) * 100 > PER_CENT))
		unc_check_skip(c,
			       "without ours bandwidth varies by %.0f MB/s, and ours is %.0f MB/s, %d times: another "
			       "program uses memory, so nothing follows",
			       taken.noise / 1e6, taken.other / 1e6, TIMES);
	else
		report_bandwidth(meter, &taken);
}

/* Loads the memory of another package: only traffic that is not local shows which of the two counters is the total. */
static void measure_far(struct meter *meter)
{
	struct unc_check *c = meter->mon->c;
	unsigned own_node = meter->l3->node, own_package = meter->l3->domain->l3->package, far_node = own_node;
	const struct unc_host_cpu *cpus;
	struct taken far;
	double moved;
	size_t n;

	if (meter->mon->rc || c->cfg.depth == UNC_CHECK_QUICK) /* it takes as long again */
		return;
	if (meter->shared || !(unc_llc_events(meter->llc) >> UNC_LLC_LOCAL & 1) ||
	    unc_machine_cpus(c->m, &cpus, &n) < 0)
		return;
	for (size_t i = 0; i < n && far_node == own_node; i++)
		if (cpus[i].node >= 0 && cpus[i].package >= 0 && (unsigned)cpus[i].package != own_package)
			far_node = (unsigned)cpus[i].node;
	if (far_node == own_node)
		return;
	meter->l3->node = far_node;
	far = take(meter);
	meter->l3->node = own_node;
	if (meter->mon->rc)
		return;
	see(c, "total bandwidth, loading from another node", far.busy.total);
	see(c, "local bandwidth, loading from another node", far.busy.local);
	moved = far.total > far.local ? far.total : far.local;
	if (far.noise * 100 <= moved * DROWNED && far.local > far.total / 2 + far.noise)
		unc_check_fail(c,
			       "RMID %u, cpu %u loading from the memory of node %u, which is not its own: local "
			       "bandwidth is %.0f MB/s, and total bandwidth %.0f MB/s",
			       meter->rmid, meter->l3->cpu->number, far_node, far.local / 1e6, far.total / 1e6);
}

void unc_mon_bandwidth(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_cfg cfg = {
		.events = mon->llc->rdt->info.events & BANDWIDTH, .shared = mon->c->cfg.force, .no_wait = true};
	struct meter meter = {.mon = mon, .l3 = l3, .shared = l3->shared};
	struct unc_llc_row_info info = {0};
	struct unc_saved_msg why;

	if (!can_be_read(&meter))
		return;
	/* Any user could have such a group, so that the check compares what the library reports to users. */
	mon->rc = unc_llc_open(mon->c->m, &cfg, &meter.llc);
	if (!mon->rc)
		mon->rc = unc_llc_add(meter.llc, "check", &l3->cpu->number, 1);
	if (!mon->rc)
		mon->rc = unc_llc_start(meter.llc);
	if (!mon->rc)
		mon->rc = unc_llc_row_info(meter.llc, 0, &info);
	meter.rmid = info.rmid;
	start_channels(&meter);
	compare(&meter);
	measure_far(&meter);
	unc_msg_save(mon->c->m->ctx, &why);
	if (unc_llc_close(meter.llc) < 0)
		unc_check_fail(mon->c, "%s", mon->c->m->ctx->msg);
	unc_msg_restore(mon->c->m->ctx, &why);
	free(meter.channels);
}
