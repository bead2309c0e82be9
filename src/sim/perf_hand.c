// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the driver accesses the registers of a channel: see perf.h. Registers and the order of accesses are as in Linux
 * 6.1, arch/x86/events/intel/uncore_snbep.c, snbep_uncore_pci_*(), and uncore.c, uncore_pmu_event_start(), _stop(),
 * _update().
 */
#include "sim/perf_hand.h"

#include "sim/chance.h"

enum {
	CTR0 = 0xa0,
	FIXED_CTR = 0xd0,
	CTL0 = 0xd8,
	FIXED_CTL = 0xf0,
	BOX_CTL = 0xf4,
};
#define BOX_FRZ  UINT32_C(0x100)
#define CTL_EN   UINT32_C(0x400000)
#define CTR_MASK ((UINT64_C(1) << 48) - 1)

/*
 * With clock=real an access that was made meanwhile can be later than the time at which this one was due; time never
 * goes back.
 */
static uint64_t time_of(const struct unc_sim_perf_hand *hand)
{
	struct unc_sim_state *state = hand->sim->store.state;
	uint64_t since_ns = unc_sim_bounded(&state->imc[hand->place->channel].since_ns, UNC_SIM_TIME_MAX), t_ns;

	t_ns = hand->passes ? unc_sim_state_access(state) : unc_sim_state_access_at(state, hand->begin_ns);
	return t_ns > since_ns ? t_ns : since_ns;
}

static struct unc_sim_cycle cycle_of(const struct unc_sim_perf_hand *hand, uint32_t off, uint32_t value)
{
	return (struct unc_sim_cycle){.sim = hand->sim,
				      .place = hand->place,
				      .off = off,
				      .value = value,
				      .enabled = UINT32_MAX,
				      .t_ns = time_of(hand),
				      .by_kernel = true};
}

static void passed(const struct unc_sim_perf_hand *hand)
{
	if (hand->passes && hand->sim->options.step)
		unc_sim_state_pass(hand->sim->store.state, unc_sim_access_ns(hand->sim));
}

static uint32_t get(const struct unc_sim_perf_hand *hand, uint32_t off)
{
	struct unc_sim_cycle cycle = cycle_of(hand, off, 0);
	uint32_t value = unc_sim_cycle_read(&cycle);

	passed(hand);
	return value;
}

static void put(const struct unc_sim_perf_hand *hand, uint32_t off, uint32_t value)
{
	struct unc_sim_cycle cycle = cycle_of(hand, off, value);

	unc_sim_cycle_write(&cycle);
	passed(hand);
}

struct unc_sim_perf_hand unc_sim_perf_hand_at(struct unc_sim *sim, uint32_t place, uint64_t t_ns, bool passes)
{
	if (place >= sim->n_places)
		place = 0; /* the state is damaged */
	return (struct unc_sim_perf_hand){.sim = sim,
					  .box = &sim->store.state->perf.boxes[sim->places[place].channel],
					  .place = &sim->places[place],
					  .begin_ns = t_ns,
					  .passes = passes};
}

struct unc_sim_perf_hand unc_sim_perf_hand_now(struct unc_sim *sim, uint32_t place)
{
	return unc_sim_perf_hand_at(sim, place, unc_sim_state_now(sim->store.state), true);
}

void unc_sim_perf_freeze(const struct unc_sim_perf_hand *hand)
{
	put(hand, BOX_CTL, get(hand, BOX_CTL) | BOX_FRZ);
}

void unc_sim_perf_unfreeze(const struct unc_sim_perf_hand *hand)
{
	put(hand, BOX_CTL, get(hand, BOX_CTL) & ~BOX_FRZ);
}

static uint32_t ctl_off(unsigned slot)
{
	return slot == UNC_SIM_PERF_SLOT_FIXED ? FIXED_CTL : CTL0 + 4 * (slot - 1);
}

static uint64_t ctr_get(const struct unc_sim_perf_hand *hand, unsigned slot)
{
	uint32_t off = slot == UNC_SIM_PERF_SLOT_FIXED ? FIXED_CTR : CTR0 + 8 * (slot - 1), low, high;

	low = get(hand, off);
	high = get(hand, off + 4);
	return (uint64_t)high << 32 | low;
}

void unc_sim_perf_update(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event)
{
	uint64_t value = ctr_get(hand, event->slot);

	event->count += (value - event->prev) & CTR_MASK;
	event->prev = value;
}

void unc_sim_perf_start(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event, unsigned slot)
{
	event->slot = (uint8_t)slot;
	event->runs_ns = hand->begin_ns;
	if (!hand->box->polls_ns)
		hand->box->polls_ns = hand->begin_ns + UNC_SIM_PERF_POLL_NS;
	event->prev = ctr_get(hand, slot);
	put(hand, ctl_off(slot), event->ctl | CTL_EN);
}

void unc_sim_perf_stop(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event)
{
	put(hand, ctl_off(event->slot), event->ctl);
	unc_sim_perf_update(hand, event);
	event->running_ns += hand->begin_ns - event->runs_ns;
	event->slot = 0;
}

void unc_sim_perf_reset(const struct unc_sim_perf_hand *hand)
{
	put(hand, BOX_CTL, unc_sim_perf_part(hand->sim).box_ctl);
}
