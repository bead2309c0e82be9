// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The performance counters of one memory channel, at their offsets in PCI configuration space; struct unc_sim_pmon has
 * the differences between the generations. memory.c brings them to their offsets in memory.
 *
 * G-JKT: Intel 327043-001, uncore guide for the E5-2600, p.60 to 68 (tables 2-60, 2-61).
 *
 * DS-SNB: Intel datasheet vol. 2 for LGA-2011 Sandy Bridge-E, p.530 to 532, of the same die.
 *
 * G-IVT: Intel 329468-002, uncore guide for the E5 v2 and E7 v2, p.83 to 94.
 *
 * K: Linux arch/x86/events/intel/uncore_snbep.c; PCM: intel/pcm; LK: RRZE-HPC/likwid.
 *
 * They disagree about Sandy Bridge-EP. BOX_CTL bits 1:0 are reserved (G-JKT) or a reset (DS-SNB): here they are
 * reserved and do nothing. frz is write-only in both; frz_en reads 0 (G-JKT) or what was written (DS-SNB), see frz_en=
 * in sim.h. CTL bit 16 is reserved (G-JKT) or a reset of the occupancy (DS-SNB): here it is reserved. Only DS-SNB has a
 * fifth counter (C0, C4, control E8): it does not exist here. Only DS-SNB has BOX_STATUS: it exists here, and an
 * overflow only sets its bit.
 *
 * Later generations have resets: BOX_CTL bit 0 clears CTL0 to CTL3, bit 1 CTR0 to CTR3 (G-IVT, K), CTL bit 17 the
 * paired counter (G-IVT, K, PCM). No document says whether the fixed counter and its control are meant too; here they
 * are not, as FIXED_CTL has a rst of its own and PCM uses it in addition to bit 1. ov_en (CTL bit 20) can be set and
 * does nothing: an overflow reaches no further than BOX_STATUS. LK writes each CTL twice on Haswell and later, saying
 * that one write does not stick; no other source mentions that, and here one write is enough, unless ctl_writes=twice.
 */

#include "sim/chance.h"

enum {
	CTR0 = 0xa0, /* low dword; the high one is at +4, the next counter at +8 */
	CTR_END = 0xc0,
	FIXED_CTR = 0xd0,
	FIXED_CTR_END = 0xd8,
	CTL0 = 0xd8, /* the next control is at +4 */
	CTL_END = 0xe8,
	FIXED_CTL = 0xf0,
	BOX_CTL = 0xf4,
	BOX_STATUS = 0xf8,
};

#define BIT(n) (UINT32_C(1) << (n))

/* G-JKT table 2-61; thresh has 8 bits there (DS-SNB: bit 31 is unused). ctl_writable says which of these a model has. */
#define CTL_EV_SEL       UINT32_C(0x000000ff)
#define CTL_UMASK        UINT32_C(0x0000ff00)
#define CTL_UMASK_SHIFT  8
#define CTL_EDGE_DET     BIT(18)
#define CTL_EN           BIT(22)
#define CTL_INVERT       BIT(23)
#define CTL_THRESH       UINT32_C(0xff000000)
#define CTL_THRESH_SHIFT 24

#define FIXED_RST BIT(19) /* write-only, clears FIXED_CTR */
#define FIXED_EN  CTL_EN

/* G-JKT table 2-60 */
#define BOX_FRZ    BIT(8)
#define BOX_FRZ_EN BIT(16)

/*
 * DS-SNB: bit 0 is the fixed counter, bit 1 CTR0 and so on; writing 1 clears a bit. G-IVT calls bits 4:1 counters 1 to
 * 4. The order on silicon is not known, see status_bits= in sim.h.
 */
#define STATUS_FIXED  BIT(0)
#define STATUS_CTR(i) BIT(1 + (i))

#define CTR_MASK          ((UINT64_C(1) << 48) - 1)
#define CTR_HIGH_WRITABLE UINT32_C(0x0000ffff) /* 63:48 are reserved */

static struct unc_sim_imc *imc_of(const struct unc_sim_cycle *cycle)
{
	return &cycle->sim->store.state->imc[cycle->place->channel];
}

static const struct unc_sim_pmon *pmon_of(const struct unc_sim_cycle *cycle)
{
	return cycle->sim->options.model->pmon;
}

/* NULL: this channel has no defect. */
static const struct unc_sim_faults *faults_of(const struct unc_sim_cycle *cycle)
{
	return cycle->place->faults;
}

/* Returns what the register holds when written was written to it. */
static uint32_t held(const struct unc_sim_cycle *cycle, uint32_t off, uint32_t written)
{
	const struct unc_sim_faults *faults = faults_of(cycle);

	return faults ? unc_sim_faults_hold(faults, off, written) : written;
}

static uint32_t frz(const struct unc_sim_pmon *pmon)
{
	return pmon->box_frz ? pmon->box_frz : BOX_FRZ;
}

/* frz has an effect only while frz_en is set, on models that have frz_en (G-JKT). */
static bool frozen(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_imc *imc = imc_of(cycle);
	uint32_t box_ctl = held(cycle, BOX_CTL, imc->box_ctl);

	if (imc->frozen_global)
		return true;
	return box_ctl & frz(pmon_of(cycle)) && (box_ctl & BOX_FRZ_EN || !pmon_of(cycle)->frz_needs_en);
}

static uint32_t control(const struct unc_sim_cycle *cycle, unsigned i)
{
	const struct unc_sim_faults *faults = faults_of(cycle);
	const struct unc_sim_imc *imc = imc_of(cycle);
	uint32_t ctl =
		i == UNC_SIM_FIXED ? held(cycle, FIXED_CTL, imc->fixed_ctl) : held(cycle, CTL0 + 4 * i, imc->ctl[i]);

	return faults ? ctl & (uint32_t)~faults->ignored[i] : ctl;
}

/* CTL and FIXED_CTL have their enable at the same bit, or CTL has none. */
static bool runs(const struct unc_sim_cycle *cycle, unsigned i)
{
	const struct unc_sim_faults *faults = faults_of(cycle);
	unsigned gate = faults ? faults->gate[i] : i;

	if (frozen(cycle) && !(faults && faults->freeze_ignored & BIT(i)))
		return false;
	if (gate != UNC_SIM_FIXED && pmon_of(cycle)->no_en)
		return control(cycle, gate) != 0;
	return control(cycle, gate) & CTL_EN;
}

static uint64_t dclk_cycles(const struct unc_sim_cycle *cycle, uint64_t t_ns)
{
	const struct unc_sim_faults *faults = faults_of(cycle);

	return unc_sim_cycles(cycle->sim->options.model->ticks_per_cycle, faults ? faults->dclk_ppm : 0,
			      t_ns * UNC_SIM_TICKS_PER_NS);
}

/*
 * Returns the counts of a control from the machine's start to t_ns, as if it had always been enabled. Several bits of
 * the umask add up. An unknown event counts nothing, nor does an event whose umask names none of its sub-events. Where
 * ranks do not add up, the lowest rank that is named is counted.
 *
 * edge_det and invert are applied after thresh and need it (G-JKT): with thresh 0 they count nothing. With both, the
 * edges are those of the condition before it is inverted.
 */
static uint64_t selected(const struct unc_sim_cycle *cycle, uint32_t ctl, uint64_t t_ns)
{
	const struct unc_sim_model *model = cycle->sim->options.model;
	const struct unc_sim_faults *faults = faults_of(cycle);
	uint8_t code = ctl & CTL_EV_SEL, umask = (ctl & CTL_UMASK) >> CTL_UMASK_SHIFT;
	unsigned thresh = (ctl & CTL_THRESH) >> CTL_THRESH_SHIFT;
	struct unc_sim_cycle_counts counts;
	struct unc_sim_stream stream;
	size_t events[UNC_SIM_PARTS];

	stream.ticks_per_cycle = model->ticks_per_cycle;
	stream.off_ppm = faults ? faults->dclk_ppm : 0;
	stream.n = cycle->sim->options.clock_event_dead && !code ? 0 : unc_sim_select(model, code, umask, events);
	for (size_t i = 0; i < stream.n; i++)
		stream.parts[i] = unc_sim_load_part(&cycle->sim->load, cycle->place->channel, events[i]);
	if (!thresh)
		return ctl & (CTL_EDGE_DET | CTL_INVERT) ? 0 : unc_sim_stream_count(&stream, t_ns);
	counts = unc_sim_stream_cycles(&stream, thresh, t_ns);
	if (ctl & CTL_EDGE_DET)
		return counts.edges;
	return ctl & CTL_INVERT ? dclk_cycles(cycle, t_ns) - counts.hits : counts.hits;
}

/* Returns the counts of CTR[i] from the machine's start to t_ns, as if it had always run. */
static uint64_t arrived(const struct unc_sim_cycle *cycle, unsigned i, uint64_t t_ns)
{
	const struct unc_sim_faults *faults = faults_of(cycle);
	uint32_t ctl;

	t_ns = unc_sim_faults_ran_ns(faults, unc_sim_awake_ns(&cycle->sim->options, cycle->place->socket, t_ns));
	if (i == UNC_SIM_FIXED)
		return dclk_cycles(cycle, t_ns) >> pmon_of(cycle)->fixed_halves;
	ctl = control(cycle, i);
	if (faults && faults->umask_shifted & BIT(i))
		ctl = (ctl & ~CTL_UMASK) | (ctl << 1 & CTL_UMASK);
	return selected(cycle, ctl, t_ns);
}

uint64_t unc_sim_imc_arrived(const struct unc_sim_cycle *cycle, uint32_t ctl)
{
	return selected(cycle, ctl, unc_sim_awake_ns(&cycle->sim->options, cycle->place->socket, cycle->t_ns));
}

/* Returns the counts since the time of the values in the state. */
static uint64_t since(const struct unc_sim_cycle *cycle, unsigned i)
{
	if (!runs(cycle, i))
		return 0;
	return arrived(cycle, i, cycle->t_ns) -
	       arrived(cycle, i, unc_sim_bounded(&imc_of(cycle)->since_ns, cycle->t_ns));
}

/* Returns true when it wrapped. */
static bool add(const struct unc_sim_cycle *cycle, unsigned i, uint64_t *ctr, uint64_t count)
{
	bool wraps;

	if (faults_of(cycle))
		return unc_sim_faults_add(faults_of(cycle), i, ctr, count);
	wraps = count > CTR_MASK - *ctr;
	*ctr = (*ctr + count) & CTR_MASK;
	return wraps;
}

static uint64_t *counter(struct unc_sim_imc *imc, unsigned i)
{
	return i == UNC_SIM_FIXED ? &imc->fixed_ctr : &imc->ctr[i];
}

/* The bit of BOX_STATUS that a wrap sets. */
static uint32_t status_bit(const struct unc_sim_cycle *cycle, unsigned i)
{
	unsigned counter = faults_of(cycle) ? faults_of(cycle)->status_bit[i] : i;

	if (cycle->sim->options.status_by_number)
		return BIT(counter);
	return counter == UNC_SIM_FIXED ? STATUS_FIXED : STATUS_CTR(counter);
}

/*
 * Brings the values in the state up to date. It must run before anything changes that affects counting. Returns the
 * counters that ran, a bit for each; 0 without a defect.
 */
static unsigned count_until(const struct unc_sim_cycle *cycle)
{
	struct unc_sim_imc *imc = imc_of(cycle);
	unsigned ran = 0;

	for (unsigned i = 0; i < UNC_SIM_COUNTERS; i++) {
		uint64_t count = since(cycle, i);

		if (add(cycle, i, counter(imc, i), count))
			imc->box_status |= status_bit(cycle, i);
		if (!faults_of(cycle))
			continue;
		ran |= runs(cycle, i) ? BIT(i) : 0;
		imc->ran[i] = ran & BIT(i) ? imc->ran[i] + count : 0;
	}
	imc->since_ns = cycle->t_ns;
	return ran;
}

/* defect=freeze-loses: the last counts before the freeze have not reached the counter yet, and are lost. */
static void lose(const struct unc_sim_cycle *cycle, unsigned ran)
{
	struct unc_sim_imc *imc = imc_of(cycle);

	for (unsigned i = 0; ran && i < UNC_SIM_COUNTERS; i++) {
		uint64_t most = faults_of(cycle)->freeze_loses, lost = imc->ran[i] < most ? imc->ran[i] : most;

		if (ran & BIT(i) && frozen(cycle) && !runs(cycle, i))
			*counter(imc, i) = (*counter(imc, i) - lost) & CTR_MASK;
	}
}

int unc_sim_imc_counter_at(uint32_t off)
{
	if (off >= CTR0 && off < CTR_END)
		return (int)(off - CTR0) / 8;
	return off >= FIXED_CTR && off < FIXED_CTR_END ? UNC_SIM_FIXED : -1;
}

uint32_t unc_sim_imc_read(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_options *options = &cycle->sim->options;
	uint32_t readable = options->frz_en_rw ? BOX_FRZ_EN : 0;
	const struct unc_sim_imc *imc = imc_of(cycle);
	int i = unc_sim_imc_counter_at(cycle->off);

	if (i >= 0) {
		uint64_t ctr = *counter(imc_of(cycle), (unsigned)i);

		add(cycle, (unsigned)i, &ctr, since(cycle, (unsigned)i));
		return (uint32_t)(cycle->off & 4 ? ctr >> 32 : ctr);
	}
	if (cycle->off >= CTL0 && cycle->off < CTL_END)
		return imc->ctl[(cycle->off - CTL0) / 4];
	switch (cycle->off) {
	case FIXED_CTL:
		return imc->fixed_ctl;
	case BOX_CTL:
		/* Other bits, such as frz_en where it is missing, read 0. */
		if (options->frz_rw || options->model->pmon->box_frz)
			readable |= frz(options->model->pmon);
		return imc->box_ctl & readable;
	case BOX_STATUS:
		count_until(cycle);
		return imc->box_status;
	default:
		return 0;
	}
}

/* Reports reserved bits that were written 1. */
static void check_reserved(const struct unc_sim_cycle *cycle, uint32_t writable)
{
	if (cycle->value & ~writable)
		unc_sim_violate(cycle, UNC_SIM_RESERVED, cycle->value & ~writable);
}

/* Returns the register after the write, as if all of its bits could be written. */
static uint32_t merged(const struct unc_sim_cycle *cycle, uint32_t before)
{
	return (before & ~cycle->enabled) | cycle->value;
}

static void ctr_write(const struct unc_sim_cycle *cycle, struct unc_sim_imc *imc, unsigned i)
{
	uint64_t *ctr = counter(imc, i);
	uint32_t low_half = (uint32_t)*ctr, high_half = (uint32_t)(*ctr >> 32);

	imc->ran[i] = 0;
	if (cycle->off & 4) {
		check_reserved(cycle, CTR_HIGH_WRITABLE);
		high_half = merged(cycle, high_half) & CTR_HIGH_WRITABLE;
	} else {
		low_half = merged(cycle, low_half);
	}
	*ctr = (uint64_t)high_half << 32 | low_half;
}

static void ctr_reset(const struct unc_sim_cycle *cycle, struct unc_sim_imc *imc, unsigned i)
{
	if (!faults_of(cycle) || !(faults_of(cycle)->reset_leaves & BIT(i)))
		*counter(imc, i) = 0;
}

static void ctl_write(const struct unc_sim_cycle *cycle, struct unc_sim_imc *imc, unsigned i)
{
	const struct unc_sim_pmon *pmon = pmon_of(cycle);
	uint32_t ctl = merged(cycle, imc->ctl[i]) & pmon->ctl_writable, was_lost = imc->ctl_lost & BIT(i);
	const struct unc_sim_event *event = unc_sim_event_of(cycle->sim->options.model, ctl & CTL_EV_SEL);
	uint32_t after_thresh = ctl & (CTL_EDGE_DET | CTL_INVERT), umask = ctl & CTL_UMASK;

	check_reserved(cycle, pmon->ctl_writable | pmon->ctl_rst);
	imc->ctl_lost &= ~BIT(i);
	/* With ctl_writes=twice a write that changes a control is lost, unless the one before it was. */
	if (cycle->sim->options.ctl_twice && ctl != imc->ctl[i] && !was_lost) {
		imc->ctl_lost |= BIT(i);
		return;
	}
	imc->ctl[i] = ctl;
	if (held(cycle, CTL0 + 4 * i, cycle->value) & pmon->ctl_rst)
		ctr_reset(cycle, imc, i);
	/* Combinations that the guide forbids, in what the register holds now. */
	if (after_thresh && !(ctl & CTL_THRESH))
		unc_sim_violate(cycle, UNC_SIM_NEEDS_THRESH, after_thresh);
	if (after_thresh == (CTL_EDGE_DET | CTL_INVERT))
		unc_sim_violate(cycle, UNC_SIM_INVERT_EDGE, after_thresh);
	if (event && event->flags & UNC_SIM_RANKS && umask & (umask - 1))
		unc_sim_violate(cycle, UNC_SIM_ONE_RANK, umask);
}

static void fixed_ctl_write(const struct unc_sim_cycle *cycle, struct unc_sim_imc *imc)
{
	const struct unc_sim_pmon *pmon = pmon_of(cycle);

	check_reserved(cycle, pmon->fixed_writable | FIXED_RST);
	imc->fixed_ctl = merged(cycle, imc->fixed_ctl) & pmon->fixed_writable;
	if (held(cycle, FIXED_CTL, cycle->value) & FIXED_RST)
		ctr_reset(cycle, imc, UNC_SIM_FIXED);
}

static void box_ctl_write(const struct unc_sim_cycle *cycle, struct unc_sim_imc *imc)
{
	const struct unc_sim_pmon *pmon = pmon_of(cycle);
	uint32_t kept = frz(pmon) | (pmon->frz_needs_en ? BOX_FRZ_EN : 0), command = held(cycle, BOX_CTL, cycle->value);
	uint32_t missing = pmon->box_ones & cycle->enabled & ~cycle->value; /* of the bytes that the cycle carries */

	check_reserved(cycle, kept | pmon->box_ones | pmon->box_accepted | pmon->box_rst_ctrl | pmon->box_rst_ctrs);
	if (missing)
		unc_sim_violate(cycle, UNC_SIM_MUST_BE_1, missing);
	imc->box_ctl = merged(cycle, imc->box_ctl) & kept;
	if (command & pmon->box_rst_ctrl)
		memset(imc->ctl, 0, sizeof(imc->ctl));
	for (unsigned i = 0; command & pmon->box_rst_ctrs && i < UNC_SIM_CTRS; i++)
		ctr_reset(cycle, imc, i);
}

void unc_sim_imc_write(const struct unc_sim_cycle *cycle)
{
	struct unc_sim_imc *imc = imc_of(cycle);
	int i = unc_sim_imc_counter_at(cycle->off);
	unsigned ran = count_until(cycle);

	if (i >= 0)
		ctr_write(cycle, imc, (unsigned)i);
	else if (cycle->off >= CTL0 && cycle->off < CTL_END)
		ctl_write(cycle, imc, (cycle->off - CTL0) / 4);
	else if (cycle->off == FIXED_CTL)
		fixed_ctl_write(cycle, imc);
	else if (cycle->off == BOX_CTL)
		box_ctl_write(cycle, imc);
	else if (cycle->off == BOX_STATUS)
		check_reserved(cycle, pmon_of(cycle)->status_writable);
	else
		unc_sim_violate(cycle, UNC_SIM_NO_REGISTER, cycle->enabled);
	if (cycle->off == BOX_STATUS && !(faults_of(cycle) && faults_of(cycle)->status_sticks))
		imc->box_status &= ~cycle->value;
	lose(cycle, ran);
}

void unc_sim_imc_freeze_all(struct unc_sim *sim, unsigned socket, bool frozen_global, uint64_t t_ns)
{
	for (size_t i = 0; i < sim->n_places; i++) {
		const struct unc_sim_cycle cycle = {.sim = sim, .place = &sim->places[i], .t_ns = t_ns};
		unsigned ran;

		if (cycle.place->function->kind == UNC_SIM_M2M && cycle.place->socket == socket)
			unc_sim_m2m_freeze(&cycle, frozen_global);
		if (cycle.place->function->kind != UNC_SIM_IMC || cycle.place->socket != socket)
			continue;
		ran = count_until(&cycle);
		imc_of(&cycle)->frozen_global = frozen_global;
		lose(&cycle, ran);
	}
}
