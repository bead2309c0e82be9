// SPDX-License-Identifier: GPL-2.0-or-later
/* Applies the defects of defect= to a machine. */
#include <stdlib.h>

#include "base/err.h"
#include "base/text.h"
#include "sim/curve.h"
#include "sim/defects.h"
#include "sim/load.h"
#include "sim/msr.h"

enum { MILLION = 1000000, CTR_BITS = 48 };

static int refuse(const struct unc_sim *sim, const struct unc_sim_defect *defect, const char *why)
{
	return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: %s", defect->text, why);
}

static int append(struct unc_sim *sim, void *array, size_t *n, const void *element, size_t size)
{
	return unc_array_add(array, n, element, size) ? UNC_OK
						      : unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
}

static int find_channel(const struct unc_sim *sim, const struct unc_sim_defect *defect,
			const struct unc_sim_where *where, struct unc_sim_place **ret_place)
{
	const struct unc_sim_channel_load *last;

	for (size_t i = 0; i < sim->n_places; i++) {
		const struct unc_sim_function *function = sim->places[i].function;

		if (function->kind == UNC_SIM_IMC && sim->places[i].socket == where->socket &&
		    function->imc == where->imc && function->channel == where->channel) {
			*ret_place = &sim->places[i];
			return UNC_OK;
		}
	}
	if (!sim->load.n_channels)
		return refuse(sim, defect, "of this processor no memory channels are modelled");
	last = &sim->load.channels[sim->load.n_channels - 1];
	return unc_sim_fail(sim, UNC_EARG,
			    "defect=%.200s: this machine has no channel socket%u.imc%u.ch%u; it has "
			    "socket0.imc0.ch0 to socket%u.imc%u.ch%u",
			    defect->text, where->socket, where->imc, where->channel, last->socket, last->imc,
			    last->channel);
}

/* Gives a channel faults of its own. */
static int faults_at(struct unc_sim *sim, struct unc_sim_place *place, struct unc_sim_faults **ret_faults)
{
	if (!sim->faults) {
		sim->faults = calloc(sim->load.n_channels, sizeof(*sim->faults));
		if (!sim->faults)
			return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
		for (size_t i = 0; i < sim->load.n_channels; i++) {
			struct unc_sim_faults *faults = &sim->faults[i];

			faults->stops_ns = UINT64_MAX;
			faults->goes_on_ns = UINT64_MAX;
			for (unsigned k = 0; k < UNC_SIM_COUNTERS; k++) {
				faults->width[k] = CTR_BITS;
				faults->gate[k] = k;
				faults->status_bit[k] = k;
			}
		}
	}
	*ret_faults = &sim->faults[place->channel];
	place->faults = *ret_faults;
	return UNC_OK;
}

static struct unc_sim_stuck stuck_of(const struct unc_sim_defect *defect, uint32_t off, uint64_t bit)
{
	return (struct unc_sim_stuck){
		.off = off,
		.zeros = defect->what == UNC_SIM_STUCK0 ? bit : 0,
		.ones = defect->what == UNC_SIM_STUCK1 ? bit : 0,
	};
}

static bool is_register(const struct unc_sim *sim, uint32_t off)
{
	return off % 4 == 0 && off < sim->options.model->config_bytes;
}

/* A counter is two dwords and has 64 bits; other registers have bits 0 to 31 only. */
static int stick(struct unc_sim *sim, const struct unc_sim_defect *defect, struct unc_sim_faults *faults)
{
	uint32_t off = defect->off + (defect->bit >= 32 ? 4 : 0);
	const struct unc_sim_stuck stuck = stuck_of(defect, off, UINT64_C(1) << defect->bit % 32);
	int i = unc_sim_imc_counter_at(off);

	if (!is_register(sim, defect->off))
		return refuse(sim, defect, "the offset must be a multiple of 4 within the configuration space");
	if (defect->bit >= 32 && (i < 0 || defect->off % 8))
		return refuse(sim, defect, "that register has the bits 0 to 31; only counters have 64");
	if (i >= 0) {
		faults->zeros[i] |= stuck.zeros << (off % 8 ? 32 : 0);
		faults->ones[i] |= stuck.ones << (off % 8 ? 32 : 0);
	}
	return append(sim, &faults->stuck, &faults->n_stuck, &stuck, sizeof(stuck));
}

/* Writes to a channel have an effect at that other one, or in the same one clear another dword. */
static int add_side(struct unc_sim *sim, const struct unc_sim_defect *defect, struct unc_sim_faults *faults,
		    const struct unc_sim_place *other)
{
	const struct unc_sim_side side = {
		.off = defect->off, .any = !defect->has_off, .other = other, .clears = defect->others_off};

	if (!is_register(sim, defect->off) || !is_register(sim, defect->others_off))
		return refuse(sim, defect, "an offset must be a multiple of 4 within the configuration space");
	return append(sim, &faults->sides, &faults->n_sides, &side, sizeof(side));
}

static void run_off(struct unc_sim *sim, const struct unc_sim_place *place, int ppm)
{
	const struct unc_sim_model *model = sim->options.model;
	struct unc_sim_channel_load *channel = &sim->load.channels[place->channel];

	for (size_t i = 0; i < model->n_events; i++)
		for (size_t k = 0; model->events[i].flags & UNC_SIM_CONSTANT && k < channel->events[i].n; k++)
			channel->events[i].steps[k].rate = unc_sim_constant_hz(model, i) * (unsigned)(MILLION + ppm);
}

/* Exchanges the functions at two addresses; only the addresses stay. */
static void swap(struct unc_sim_place *a, struct unc_sim_place *b)
{
	const struct unc_sim_place was = *a;

	a->function = b->function;
	a->socket = b->socket;
	a->channel = b->channel;
	a->faults = b->faults;
	b->function = was.function;
	b->socket = was.socket;
	b->channel = was.channel;
	b->faults = was.faults;
}

static void cross(unsigned *counters, const struct unc_sim_defect *defect)
{
	counters[defect->ctr[0]] = defect->ctr[1];
	counters[defect->ctr[1]] = defect->ctr[0];
}

/* other: the second channel of the defect, or NULL. */
static int break_channel(struct unc_sim *sim, const struct unc_sim_defect *defect, struct unc_sim_place *place,
			 const struct unc_sim_place *other)
{
	unsigned i = defect->ctr[0], bit = defect->n_ctr ? 1u << i : 0xf;
	struct unc_sim_faults *faults;
	int rc = faults_at(sim, place, &faults);

	if (rc < 0)
		return rc;
	switch (defect->what) {
	case UNC_SIM_STUCK0:
	case UNC_SIM_STUCK1:
		return stick(sim, defect, faults);
	case UNC_SIM_WRITES_ALIAS:
	case UNC_SIM_WRITE_CLEARS:
		return add_side(sim, defect, faults, other);
	case UNC_SIM_SAME_BOX:
		faults->instead = other;
		break;
	case UNC_SIM_IGNORED:
		if (defect->bit >= 32)
			return refuse(sim, defect, "a control has the bits 0 to 31");
		for (unsigned k = 0; k < UNC_SIM_COUNTERS; k++)
			faults->ignored[k] |= bit >> k & 1 ? UINT32_C(1) << defect->bit : 0;
		break;
	case UNC_SIM_WIDTH:
		faults->width[i] = (unsigned)defect->n;
		break;
	case UNC_SIM_FREEZE_IGNORED:
		faults->freeze_ignored |= bit;
		break;
	case UNC_SIM_RESET_LEAVES:
		faults->reset_leaves |= bit;
		break;
	case UNC_SIM_ENABLE_CROSSED:
		cross(faults->gate, defect);
		break;
	case UNC_SIM_STATUS_CROSSED:
		cross(faults->status_bit, defect);
		break;
	case UNC_SIM_UMASK_SHIFTED:
		faults->umask_shifted |= bit;
		break;
	case UNC_SIM_FREEZE_LOSES:
		faults->freeze_loses = defect->n;
		break;
	case UNC_SIM_STOPS:
		faults->stops_ns = defect->ns;
		faults->goes_on_ns = defect->until_ns ? defect->until_ns : UINT64_MAX;
		break;
	case UNC_SIM_ONES:
		faults->ones_one_in = defect->n;
		break;
	case UNC_SIM_STATUS_STICKS:
		faults->status_sticks = true;
		break;
	case UNC_SIM_DROPS:
		faults->drops_one_in = defect->n;
		break;
	case UNC_SIM_DCLK_OFF:
		faults->dclk_ppm = defect->ppm;
		run_off(sim, place, defect->ppm);
		break;
	case UNC_SIM_CARRY_MISSING:
	default:
		faults->carry_missing |= bit;
		break;
	}
	return UNC_OK;
}

static int apply_to_channels(struct unc_sim *sim, const struct unc_sim_defect *defect)
{
	struct unc_sim_place *place, *other = NULL;
	int rc = find_channel(sim, defect, &defect->where[0], &place);

	if (rc == UNC_OK && defect->n_where > 1)
		rc = find_channel(sim, defect, &defect->where[1], &other);
	if (rc < 0)
		return rc;
	switch (defect->what) {
	case UNC_SIM_CHANNELS_SWAPPED:
		swap(place, other);
		return UNC_OK;
	case UNC_SIM_HIDDEN:
		if (place->gone)
			return refuse(sim, defect,
				      "allones= or vanish= names that function too, and it can be away only once");
		place->hidden = true;
		return UNC_OK;
	default:
		return break_channel(sim, defect, place, other);
	}
}

static int cpu_of(const struct unc_sim *sim, const struct unc_sim_defect *defect, const struct unc_sim_cpu **ret_cpu)
{
	if (defect->where[0].cpu >= sim->n_cpus)
		return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: this machine has no CPU %u; it has 0 to %zu",
				    defect->text, defect->where[0].cpu, sim->n_cpus - 1);
	*ret_cpu = &sim->cpus[defect->where[0].cpu];
	return UNC_OK;
}

static int stick_msr(struct unc_sim *sim, const struct unc_sim_defect *defect)
{
	struct unc_sim_stuck stuck = stuck_of(defect, defect->off, UINT64_C(1) << defect->bit);
	struct unc_sim_msr msr = {.sim = sim, .number = defect->off};
	int rc;

	if (sim->options.msr_absent)
		return refuse(sim, defect, "there are no MSRs with msr=absent");
	rc = cpu_of(sim, defect, &stuck.cpu);
	if (rc < 0)
		return rc;
	msr.cpu = stuck.cpu;
	if (!unc_sim_msr_exists(&msr))
		return refuse(sim, defect, "this processor has no MSR of that number");
	return append(sim, &sim->stuck, &sim->n_stuck, &stuck, sizeof(stuck));
}

static int stick_ubox(struct unc_sim *sim, const struct unc_sim_defect *defect)
{
	unsigned socket = defect->where[0].socket;
	uint32_t bit = defect->bit < 32 ? UINT32_C(1) << defect->bit : 0;
	const struct unc_sim_stuck stuck = stuck_of(defect, defect->off, bit);
	struct unc_sim_place *place = NULL;
	struct unc_sim_faults *faults;

	for (size_t i = 0; i < sim->n_places && !place; i++)
		if (sim->places[i].function->kind == UNC_SIM_UBOX && sim->places[i].socket == socket)
			place = &sim->places[i];
	if (!place)
		return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: this machine has no UBOX of socket %u", defect->text,
				    socket);
	if (!is_register(sim, defect->off))
		return refuse(sim, defect, "the offset must be a multiple of 4 within the configuration space");
	if (!bit)
		return refuse(sim, defect, "that register has the bits 0 to 31; only counters have 64");
	faults = &sim->ubox_faults[socket];
	place->faults = faults;
	return append(sim, &faults->stuck, &faults->n_stuck, &stuck, sizeof(stuck));
}

static int swap_sockets(struct unc_sim *sim, const struct unc_sim_defect *defect)
{
	unsigned a = defect->socket[0], b = defect->socket[1], was;

	if (!sim->options.model->n_functions)
		return refuse(sim, defect, "of this processor no PCI functions are modelled");
	if (a >= sim->options.sockets || b >= sim->options.sockets)
		return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: this machine has no socket %u; its sockets= is %u",
				    defect->text, a > b ? a : b, sim->options.sockets);
	was = sim->ubox_reports[a];
	sim->ubox_reports[a] = sim->ubox_reports[b];
	sim->ubox_reports[b] = was;
	return UNC_OK;
}

static int apply_to_monitoring(struct unc_sim *sim, const struct unc_sim_defect *defect)
{
	struct unc_sim_qm_faults *faults = &sim->qm_faults;

	if (sim->options.msr_absent)
		return refuse(sim, defect, "there are no MSRs with msr=absent");
	if (!sim->options.model->rdt || !sim->options.model->rdt->events)
		return refuse(sim, defect, "this processor has no cache monitoring; those from hsx on have");
	faults->rmid_off |= defect->what == UNC_SIM_RMID_OFF;
	faults->no_error |= defect->what == UNC_SIM_NO_ERROR;
	faults->never_falls |= defect->what == UNC_SIM_NEVER_FALLS;
	faults->mbm_exchanged |= defect->what == UNC_SIM_MBM_EXCHANGED;
	faults->assoc_shared |= defect->what == UNC_SIM_ASSOC_SHARED;
	if (defect->what == UNC_SIM_UPSCALE_OFF)
		faults->upscale_ppm = defect->ppm;
	if (defect->what == UNC_SIM_ASSOC_DEAD)
		return cpu_of(sim, defect, &faults->assoc_dead);
	return UNC_OK;
}

static int apply(struct unc_sim *sim, const struct unc_sim_defect *defect)
{
	if (!defect->n_where)
		return defect->n_socket ? swap_sockets(sim, defect) : apply_to_monitoring(sim, defect);
	if (defect->where[0].is_cpu)
		return stick_msr(sim, defect);
	return defect->where[0].is_ubox ? stick_ubox(sim, defect) : apply_to_channels(sim, defect);
}

int unc_sim_defects_init(struct unc_sim *sim)
{
	int rc = UNC_OK;

	for (unsigned socket = 0; socket < UNC_SIM_SOCKETS_MAX; socket++)
		sim->ubox_reports[socket] = socket;
	for (size_t i = 0; rc == UNC_OK && i < sim->options.defects.n; i++)
		rc = apply(sim, &sim->options.defects.defects[i]);
	return rc;
}

void unc_sim_defects_start(struct unc_sim *sim, uint64_t t_ns)
{
	for (size_t i = 0; i < sim->n_stuck; i++) {
		struct unc_sim_msr msr = {
			.sim = sim, .cpu = sim->stuck[i].cpu, .number = sim->stuck[i].off, .t_ns = t_ns};

		if (unc_sim_msr_find(&msr) && !msr.reg->counts)
			unc_sim_msr_stick(&msr);
	}
}

void unc_sim_defects_free(struct unc_sim *sim)
{
	for (size_t i = 0; sim->faults && i < sim->load.n_channels; i++) {
		free(sim->faults[i].stuck);
		free(sim->faults[i].sides);
	}
	for (size_t i = 0; i < UNC_SIM_SOCKETS_MAX; i++)
		free(sim->ubox_faults[i].stuck);
	free(sim->faults);
	free(sim->stuck);
}

/* How the registers of a channel with a defect behave. */

enum { LOW_BITS = 32 }; /* bits of the low dword, from which a carry may be missing */

uint32_t unc_sim_faults_hold(const struct unc_sim_faults *faults, uint32_t off, uint32_t value)
{
	for (size_t i = 0; i < faults->n_stuck; i++)
		if (faults->stuck[i].off == off)
			value = (value & ~(uint32_t)faults->stuck[i].zeros) | (uint32_t)faults->stuck[i].ones;
	return value;
}

static uint64_t mask(unsigned bits)
{
	return (UINT64_C(1) << bits) - 1;
}

/* Returns the first bit from there on that a carry does not reach normally, or the counter's width. */
static unsigned next_odd(const struct unc_sim_faults *faults, unsigned i, unsigned bit)
{
	uint64_t odd = faults->zeros[i] | faults->ones[i];
	unsigned from = bit;

	while (bit < faults->width[i] && !(odd >> bit & 1) &&
	       !(bit == LOW_BITS && from < LOW_BITS && faults->carry_missing >> i & 1))
		bit++;
	return bit;
}

/*
 * Counts come one by one and ripple through the bits: each time the bits below a stuck bit wrap, they give one carry. A
 * bit that stays 0 swallows it; one that stays 1 passes it on to the next.
 */
bool unc_sim_faults_add(const struct unc_sim_faults *faults, unsigned i, uint64_t *ctr, uint64_t count)
{
	uint64_t was = ((*ctr & ~faults->zeros[i]) | faults->ones[i]) & mask(faults->width[i]), is = 0;
	unc_sim_wide carry = count;
	unsigned bit = 0;

	while (bit < faults->width[i]) {
		unsigned end = next_odd(faults, i, bit);

		if (bit == LOW_BITS && faults->carry_missing >> i & 1)
			carry = 0;
		carry += was >> bit & mask(end - bit);
		is |= ((uint64_t)carry & mask(end - bit)) << bit;
		carry >>= end - bit;
		if (end == faults->width[i])
			break;
		bit = end;
		if (!((faults->zeros[i] | faults->ones[i]) >> bit & 1))
			continue;
		if (faults->zeros[i] >> bit & 1)
			carry = 0;
		is |= faults->ones[i] & UINT64_C(1) << bit++;
	}
	*ctr = is;
	return carry != 0;
}
