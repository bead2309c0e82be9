// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMD's uncore counters: MSRs of a data fabric (DF), which every CPU of its node reaches, of the memory controllers (UMC)
 * of that node, and of an L3.
 *
 * K: Linux arch/x86/events/amd/uncore.c and asm/perf_event.h; JSON: Linux tools/perf/pmu-events/arch/x86/amdzen1 to
 * amdzen6; LK: RRZE-HPC/likwid; APM: AMD64 Architecture Programmer's Manual, vol. 2. AMD's own descriptions of the
 * registers (PPR) were not at hand, and no processor was.
 *
 * A control counts an event that JSON or LK have, with a mask that they have; of all others nothing happens. A bit of a DF
 * control that only the other generation has faults here; hardware may ignore it. Other reserved bits read 0, and writing
 * them is recorded, as is an interrupt, which here never comes.
 *
 * What a channel moves is that of its load: a CAS for every 64 bytes. remote= is the part of it that other sockets ask for.
 * The rest is made up, so that each event counts something: the CPUs of a node move all that its channels move, by all
 * interfaces of the fabric alike; devices (IOM) cause 1 / 16 of it, also alike; CXL and accelerators move 1 / 64 more each.
 *
 * L3: a CPU misses once for every 64 bytes of its load, and hits three times as often. See sources[] for misses.
 */
#include "sim/chance.h"
#include "sim/msr.h"

#define BIT(n)   (UINT64_C(1) << (n))
#define CTR_BITS (BIT(48) - 1)
#define UMC_BITS (BIT(49) - 1) /* with the overflow */

#define L3_CTL  UINT32_C(0xc0010230) /* each counter is the register after its control */
#define DF_CTL  UINT32_C(0xc0010240)
#define UMC_CTL UINT32_C(0xc0010800)

#define EVENT_MASK  UINT64_C(0xffff) /* 7:0 event, 15:8 unit mask */
#define INT         BIT(20)
#define EN          BIT(22)
#define UMC_EN      BIT(31)
#define DF_OLD_ONLY (UINT64_C(3) << 59)                       /* event 13:12 */
#define DF_NEW_ONLY (UINT64_C(0xf) << 24 | UINT64_C(3) << 36) /* unit mask 11:8, event 13:12 */
#define DF_BITS     (EVENT_MASK | INT | EN | UINT64_C(0xf) << 32)

static unsigned field(uint64_t value, unsigned from, unsigned bits)
{
	return (unsigned)(value >> from & (BIT(bits) - 1));
}

static const struct unc_sim_options *options_of(const struct unc_sim_msr *at)
{
	return &at->sim->options;
}

static bool is_new(const struct unc_sim_msr *at)
{
	return options_of(at)->model->on & UNC_SIM_ON_NEW_ZENS;
}

/* ---- where registers are ---- */

/* A counter of a UMC: the UMC's ordinal among those that have memory, by which they follow each other, and its number there. */
struct umc_ctr {
	unsigned nth, i;
	bool exists;
};

static struct umc_ctr umc_ctr_of(const struct unc_sim_msr *at)
{
	const struct unc_sim_umcs *umcs = unc_sim_umcs_of(options_of(at), at->cpu->package);
	unsigned n = unc_bits_set(umcs->mask), all = (at->number - UMC_CTL) / 2;
	unsigned each = n ? umcs->ctrs / n : 0; /* Linux divides like this */

	if (!each)
		return (struct umc_ctr){0};
	return (struct umc_ctr){all / each, all % each, all / each < n && all < umcs->here};
}

/* Returns which channel of its node the UMC of this register has. */
static size_t channel_of_umc(const struct unc_sim_msr *at)
{
	unsigned nth = umc_ctr_of(at).nth;
	uint32_t umcs = unc_sim_umcs_of(options_of(at), at->cpu->package)->mask;

	while (nth--)
		umcs &= umcs - 1;
	return unc_bits_set((umcs & -umcs) - 1);
}

/* Returns the channels of a node; the first of them is node times this. */
static size_t n_channels(const struct unc_sim_msr *at)
{
	return at->sim->load.n_channels / ((size_t)options_of(at)->sockets * unc_sim_nodes(options_of(at)));
}

/* ---- defects ---- */

/* Returns those of the data fabric or UMC that has this register; NULL: none. */
static const struct unc_sim_faults *faults_of(const struct unc_sim_msr *at)
{
	const struct unc_sim *sim = at->sim;

	if (at->number >= UMC_CTL)
		return sim->faults ? &sim->faults[at->cpu->node * n_channels(at) + channel_of_umc(at)] : NULL;
	return at->number >= DF_CTL && sim->df_faults ? &sim->df_faults[at->cpu->node] : NULL;
}

/* Of the register of a counter or its control, the number of the counter. */
static unsigned counter_of(const struct unc_sim_msr *at)
{
	return at->number >= UMC_CTL ? umc_ctr_of(at).i % UNC_SIM_FAULT_COUNTERS : (at->number - DF_CTL) / 2;
}

/* Returns the bits of a counter of a data fabric that count: carry-missing keeps those from 32 on as they were written. */
static uint64_t counting(const struct unc_sim_msr *at)
{
	const struct unc_sim_faults *faults = faults_of(at);
	unsigned i = counter_of(at);

	if (!faults)
		return UINT64_MAX;
	return BIT(faults->carry_missing >> i & 1 ? (unsigned)unc_sim_least(32, faults->width[i]) : faults->width[i]) -
	       1;
}

/* Returns whether the write is lost, by vm=qemu or a defect. */
static bool is_lost(const struct unc_sim_msr *at)
{
	const struct unc_sim_faults *faults = faults_of(at);
	uint64_t seed = options_of(at)->seed + at->number / 2;

	if (faults && faults->drops_one_in)
		return unc_sim_chance(seed, at->sim->store.state->imc[at->cpu->node].writes++) % faults->drops_one_in ==
		       0;
	return options_of(at)->amd.vm == UNC_SIM_VM_QEMU;
}

/* ---- what happened until now ---- */

struct commands { /* bursts of 64 bytes */
	uint64_t reads, writes;
};

/* Returns how often a command has happened in the nth channel of the node. */
static uint64_t happened(const struct unc_sim_msr *at, size_t nth, uint8_t code, uint8_t umask)
{
	size_t events[UNC_SIM_PARTS], n = unc_sim_select(options_of(at)->model, code, umask, events);
	const struct unc_sim_faults *faults = faults_of(at);
	unsigned node = faults && faults->counts ? faults->counts - 1 : at->cpu->node;
	uint64_t awake_ns = unc_sim_awake_ns(options_of(at), at->cpu->package, at->t_ns), count = 0;

	for (size_t i = 0; i < n; i++) {
		struct unc_sim_part part = unc_sim_load_part(&at->sim->load, node * n_channels(at) + nth, events[i]);

		count += unc_sim_part_count(&part, unc_sim_faults_ran_ns(faults, awake_ns));
	}
	return count;
}

/* Of the nth channel, or beyond the last of all of them. */
static struct commands moved(const struct unc_sim_msr *at, size_t nth)
{
	size_t n = n_channels(at), first = nth < n ? nth : 0, end = nth < n ? nth + 1 : n;
	struct commands all = {0};

	for (; first < end; first++) {
		all.reads += happened(at, first, 0x0a, 1);
		all.writes += happened(at, first, 0x0a, 2);
	}
	return all;
}

static uint64_t remote_of(const struct unc_sim_msr *at, uint64_t count)
{
	return (uint64_t)((unc_sim_wide)count * options_of(at)->amd.remote / 100);
}

/* ---- data fabric ---- */

/*
 * An event is the instance of a component, and in 5:0 an event of it. Zen 1 to 3: 07 of a channel counts with mask 38 what
 * both directions move, in 64 bytes; four links (JSON; LK has other numbers) count with mask 02 what goes to another socket, in
 * 32 bytes.
 */
static uint64_t old_df(const struct unc_sim_msr *at, uint64_t ctl)
{
	unsigned event = field(ctl, 0, 8) | field(ctl, 32, 4) << 8 | field(ctl, 59, 2) << 12, umask = field(ctl, 8, 8);
	unsigned instance = event >> 6;
	struct commands all;

	if ((event & 0x3f) != 0x07)
		return 0;
	all = moved(at, instance);
	if (umask == 0x38 && instance < n_channels(at))
		return all.reads + all.writes;
	return umask == 0x02 && instance >= 0x1f && instance <= 0x22 ? remote_of(at, all.reads) * 2 / 4 : 0;
}

/*
 * Zen 4 and 5: 1F counts beats of data, of a component with two interfaces 1E of the first one. Bit 0 of the mask: 0 reads,
 * or into a CPU, 1 writes; 9:1 are ones; 10 and 11: of this socket, of another one. A beat has 64 bytes, into a CPU 32.
 * Links have masks of their own: F3E out of the socket, Zen 5 also F3F into it.
 */
static const struct component {
	uint8_t first, on_zen4, on_zen5; /* instances */
	uint16_t share;                  /* all instances together move 1 / share of what the channels do */
	enum { CHANNEL, CORES, LINK, OTHER } is;
} components[] = {
	{0x00, 12, 12, 1, CHANNEL}, {0x0c, 0, 4, 64, OTHER}, /* CXL (LK) */
	{0x10, 8, 8, 1, CORES},     {0x18, 0, 4, 64, OTHER}, /* accelerators (LK) */
	{0x20, 4, 8, 16, OTHER},                             /* devices */
	{0x2d, 8, 0, 1, LINK},                               /* the eighth of Zen 4 is D1F in JSON and D5F in LK */
	{0x35, 0, 6, 1, LINK},
};

static uint64_t new_df(const struct unc_sim_msr *at, uint64_t ctl)
{
	unsigned event = field(ctl, 0, 8) | field(ctl, 32, 6) << 8, umask = field(ctl, 8, 8) | field(ctl, 24, 4) << 8;
	bool zen4 = options_of(at)->model->on == UNC_SIM_ON_ZEN4, writes = umask & 1;

	for (size_t i = 0; i < UNC_SIM_N(components); i++) {
		const struct component *is = &components[i];
		unsigned n = zen4 ? is->on_zen4 : is->on_zen5, nth = (event >> 6) - is->first;
		unsigned first = event & 0x3f, parts = n * is->share;
		struct commands all;
		uint64_t count, remote;

		if (nth >= n || (first != 0x1f && (first != 0x1e || is->is != CORES)))
			continue;
		all = moved(at, is->is == CHANNEL ? nth : SIZE_MAX);
		count = writes ? all.writes : all.reads;
		remote = remote_of(at, count);
		if (is->is == LINK)
			return (umask & 0xffe) == 0xf3e && !(zen4 && writes) ? remote / n : 0;
		if ((umask & 0x3fe) != 0x3fe)
			return 0;
		count = (umask >> 10 & 1 ? count - remote : 0) + (umask >> 11 & 1 ? remote : 0);
		if (is->is == CORES) { /* two interfaces of each, and twice as many beats of 32 bytes */
			parts *= 2;
			count *= writes ? 1 : 2;
		}
		return is->is == CHANNEL ? count : count / parts;
	}
	return 0;
}

/* ---- commands of memory controllers ---- */

/* 9:8: 0 all, 1 reads, 2 writes; the clock has none. */
static uint64_t umc(const struct unc_sim_msr *at, uint64_t ctl)
{
	unsigned code = field(ctl, 0, 8), which = field(ctl, 8, 2);
	static const uint8_t umasks[] = {3, 1, 2};

	return which > 2 ? 0 : happened(at, channel_of_umc(at), (uint8_t)code, code ? umasks[which] : 0);
}

/* ---- L3 ---- */

/* Where misses are served: of local memory and of another socket's, 1 / 8 by other caches, and 1 / 64 by CXL. */
static const struct source {
	uint8_t bit; /* of the mask of AC and AD */
	bool remote;
	uint8_t share; /* 1 / this of them; 0: those that are left */
	uint8_t waits; /* for so many 10 ns: event AC */
} sources[] = {
	{0x01, false, 0, 10}, {0x02, true, 0, 20},   {0x04, false, 8, 5},
	{0x08, true, 8, 15},  {0x10, false, 64, 25}, {0x20, true, 64, 40},
};

enum { HITS = 3, OLD_WAIT = 10 /* in 16 core clocks: event 90 of Zen 1 to 3 */ };

static uint64_t misses_of(const struct unc_sim_msr *at, const struct unc_sim_cpu *cpu, unsigned event, unsigned umask)
{
	const struct unc_sim_cpu_load *load = &at->sim->load.cpus[cpu->number];
	/* one for every 64 bytes */
	const struct unc_sim_part all = {&load->total, UNC_SIM_WEIGHT / 64, 0},
				  local = {&load->local, UNC_SIM_WEIGHT / 64, 0};
	uint64_t misses = unc_sim_part_count(&all, at->t_ns), near = unc_sim_part_count(&local, at->t_ns), count = 0;

	if (event == 0x04)
		return (umask & 1 ? misses : 0) + ((umask & 0xfe) == 0xfe ? HITS * misses : 0);
	if (!is_new(at) && event == 0x90)
		return misses * OLD_WAIT;
	if (!is_new(at))
		return event == 0x9a && umask == (options_of(at)->model->on == UNC_SIM_ON_ZEN3 ? 0xff : 0x3f) ? misses
													      : 0;
	for (size_t i = 0; (event == 0xac || event == 0xad) && i < UNC_SIM_N(sources); i++) {
		uint64_t from = sources[i].remote ? misses - unc_sim_least(near, misses) : near, served;

		served = sources[i].share ? from / sources[i].share : from - from / 8 - from / 64;
		if (umask & sources[i].bit)
			count += event == 0xac ? served * sources[i].waits : served;
	}
	return count;
}

/*
 * 17h: 51:48 slices, 63:56 threads of the L3. 19h and later: 46 all slices, else 50:48 is the number of one of eight; 47 all
 * cores, else 44:42 is that of one; 57:56 first and second threads. Each slice gets the same part; 90 ignores all of this.
 */
static uint64_t l3(const struct unc_sim_msr *at, uint64_t ctl)
{
	const struct unc_sim_options *options = options_of(at);
	bool is_17h = options->model->on & (UNC_SIM_ON_ZEN1 | UNC_SIM_ON_ZEN2);
	unsigned of_l3 = options->cores / options->l3s, slices = is_17h ? 4 : 8, event = field(ctl, 0, 8);
	bool ignores = !is_new(at) && event == 0x90;
	uint64_t all = 0, count = 0;

	for (size_t i = 0; i < at->sim->n_cpus; i++) {
		const struct unc_sim_cpu *cpu = &at->sim->cpus[i];
		unsigned core = cpu->core % of_l3, thread = core * options->threads + cpu->thread;
		bool is_meant = is_17h ? thread < 8 && ctl >> (56 + thread) & 1
				       : ctl >> (56 + cpu->thread) & 1 && (ctl & BIT(47) || field(ctl, 42, 3) == core);

		if (cpu->l3 == at->cpu->l3 && cpu->online && (is_meant || ignores))
			all += misses_of(at, cpu, event, field(ctl, 8, 8));
	}
	for (unsigned slice = 0; slice < slices; slice++)
		if (ignores || (is_17h ? ctl >> (48 + slice) & 1 : ctl & BIT(46) || field(ctl, 48, 3) == slice))
			count += (all + slice) / slices;
	return count;
}

/* ---- registers ---- */

/* Returns what the counter would have counted since the machine's start with its control as it is. */
static uint64_t counted(const struct unc_sim_msr *at)
{
	struct unc_sim_msr ctl = unc_sim_msr_beside(at, at->number - 1);
	const struct unc_sim_faults *faults = faults_of(&ctl);
	uint64_t value = unc_sim_msr_value(&ctl);
	unsigned twice = faults ? faults->counts_twice >> counter_of(&ctl) & 1 : 0;

	if (faults)
		value &= ~faults->ignored[counter_of(&ctl)];
	if (!(value & (at->number >= UMC_CTL ? UMC_EN : EN)))
		return 0;
	if (at->number >= UMC_CTL)
		return umc(&ctl, value);
	if (at->number < DF_CTL)
		return l3(&ctl, value);
	return (is_new(at) ? new_df(&ctl, value) : old_df(&ctl, value)) << twice;
}

/* Records a write of bits that must be 0, and returns the value without those that the register lacks. */
static uint64_t judged(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_broken broken = {
		.t_ns = at->t_ns,
		.place = (uint32_t)(at->sim->n_places + at->cpu->number),
		.off = at->number,
		.value = value,
		.wrong = value & (at->reg->counts ? ~at->reg->writable : ~at->reg->writable | INT),
		.rule = UNC_SIM_MSR_RESERVED,
	};

	if (broken.wrong && !at->by_kernel)
		unc_sim_violated(at->sim, &broken);
	return value & at->reg->writable;
}

static bool ctr_write(const struct unc_sim_msr *at, uint64_t value)
{
	if (is_lost(at))
		return true;
	value = judged(at, value);
	if (at->reg->counting && faults_of(at))
		value &= BIT(faults_of(at)->width[counter_of(at)]) - 1;
	return unc_sim_msr_keep(at, value);
}

static bool ctl_write(const struct unc_sim_msr *at, uint64_t value)
{
	bool is_df = at->number >= DF_CTL && at->number < UMC_CTL;

	if (is_lost(at))
		return true;
	if (is_df && value & ~at->reg->writable & (DF_OLD_ONLY | DF_NEW_ONLY))
		return false;
	*at->kept = judged(at, value);
	return true;
}

static bool exists(const struct unc_sim_msr *at)
{
	if (options_of(at)->amd.vm == UNC_SIM_VM_KVM)
		return false;
	if (at->number >= UMC_CTL)
		return umc_ctr_of(at).exists;
	return at->number < DF_CTL || (at->number - DF_CTL) / 2 < options_of(at)->amd.df_here;
}

/* Rows of n controls and their counters: every second register; after the former's bits come those of the counter. */
/* clang-format off */
#define REGS(number, how_many, mode, of) \
	.first = number, .block = 1, .step = 2, .n = how_many, .on = mode, .scope = of, .exists = exists
#define PAIRS(number, how_many, mode, of, bits, ...) \
	{REGS(number, how_many, mode, of), .write = ctl_write, .writable = bits, .n_ctrs = 1}, \
	{REGS((number) + 1, how_many, mode, of), .write = ctr_write, .base = counted, .counts = true, .writable = __VA_ARGS__}
#define DF(how_many, mode, bits) \
	PAIRS(DF_CTL, how_many, mode, UNC_SIM_OF_NODE, bits, CTR_BITS, .counting = counting)
#define L3S(mode, bits) PAIRS(L3_CTL, 6, mode, UNC_SIM_OF_L3, bits, CTR_BITS)
/* clang-format on */

/* Slices, threads; core, all slices and cores, slice, threads. */
#define L3_17H (EVENT_MASK | INT | EN | UINT64_C(0xf) << 48 | UINT64_C(0xff) << 56)
#define L3_19H (EVENT_MASK | INT | EN | UINT64_C(7) << 42 | UINT64_C(3) << 46 | UINT64_C(7) << 48 | UINT64_C(3) << 56)

static const struct unc_sim_msr_reg regs[] = {
	DF(4, UNC_SIM_ON_OLD_ZENS, DF_BITS | DF_OLD_ONLY),
	DF(UNC_SIM_DF_CTRS, UNC_SIM_ON_NEW_ZENS, DF_BITS | DF_NEW_ONLY),
	PAIRS(UMC_CTL, UNC_SIM_UMC_CTRS, UNC_SIM_ON_NEW_ZENS, UNC_SIM_OF_NODE, UINT64_C(0x3ff) | UMC_EN, UMC_BITS,
	      .saturates = true),
	L3S(UNC_SIM_ON_ZEN1 | UNC_SIM_ON_ZEN2, L3_17H),
	L3S(UNC_SIM_ON_ZEN3 | UNC_SIM_ON_NEW_ZENS, L3_19H),
};

const struct unc_sim_msr_table unc_sim_msr_amd = {regs, UNC_SIM_N(regs)};
