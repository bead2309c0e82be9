// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers of cache monitoring: IA32_PQR_ASSOC, IA32_QM_EVTSEL, IA32_QM_CTR, RMID_SNC_CONFIG. Numbers and bits:
 * Intel SDM vol. 3 ch. 17, "Intel Resource Director Technology": "SDM"; AMD64 Technology Platform Quality of Service
 * Extensions, 56375: "AMD"; for RMID_SNC_CONFIG Linux, arch/x86/kernel/cpu/resctrl/monitor.c.
 */

#include "sim/msr.h"
#include "sim/qm.h"

enum { QM_EVTSEL = 0xc8d, QM_CTR = 0xc8e, PQR_ASSOC = 0xc8f, RMID_SNC_CONFIG = 0xca0 };

#define PQR_CLOS_SHIFT 32 /* 63:32 */

/* RMIDs have 10 bits (PQR_ASSOC 9:0, EVTSEL 41:32), with AMD 12 (11:0, 43:32); the bits above are reserved. */
#define RMID_BITS_INTEL   UINT64_C(0x3ff)
#define RMID_BITS_AMD     UINT64_C(0xfff)
#define PQR_LOW           UINT64_C(0xffffffff)
#define EVTSEL_EVENT      UINT64_C(0xff) /* 7:0 */
#define EVTSEL_RMID_SHIFT 32

#define CTR_ERROR       (UINT64_C(1) << 63)
#define CTR_UNAVAILABLE (UINT64_C(1) << 62)

#define L3_QOS_EXT_CFG  UINT32_C(0xc00003ff)
#define EXT_CFG_ABMC    UINT64_C(1) /* bit 0 */
#define EXT_CFG_SDCIAE  UINT64_C(2) /* bit 1: no effect here, where no device writes to a cache */
#define EVTSEL_EXTENDED (UINT64_C(1) << 31)

#define SNC_LOCAL UINT64_C(1) /* bit 0; 1 at power-on */

enum { MILLION = 1000000 };

enum { EVENT_OCCUPANCY = 1, EVENT_TOTAL = 2, EVENT_LOCAL = 3 };
enum { EVENT_EXTENDED = 1 }; /* with EVTSEL_EXTENDED: an assigned counter, whose number is where the RMID is else */

static const struct unc_sim_rdt *rdt_of(const struct unc_sim_msr *at)
{
	return at->sim->options.model->rdt;
}

static uint64_t rmid_bits(const struct unc_sim_msr *at)
{
	return at->sim->options.model->vendor == UNC_SIM_INTEL ? RMID_BITS_INTEL : RMID_BITS_AMD;
}

static struct unc_sim_moment moment_of(const struct unc_sim_msr *at)
{
	return (struct unc_sim_moment){.sim = at->sim, .share = unc_sim_share_of(at->sim, at->cpu), .t_ns = at->t_ns};
}

static struct unc_sim_thread *thread_of(const struct unc_sim_msr *at)
{
	return &at->sim->store.state->threads[at->cpu->number];
}

static bool monitors(const struct unc_sim_msr *at)
{
	return unc_sim_n_rmids(at->sim) > 0;
}

/* PQR_ASSOC also holds the class of service. */
static bool associates(const struct unc_sim_msr *at)
{
	return rdt_of(at) && (monitors(at) || rdt_of(at)->n_clos);
}

static uint64_t pqr_assoc(const struct unc_sim_msr *at)
{
	return thread_of(at)->pqr_assoc;
}

static void carry(const struct unc_sim_msr *at, uint64_t value)
{
	struct unc_sim_moment moment = moment_of(at);

	if ((value ^ pqr_assoc(at)) & PQR_LOW)
		unc_sim_llc_carry(&moment, at->cpu, value);
	thread_of(at)->pqr_assoc = value;
}

/* Without allocation the CLOS must be 0, without monitoring the RMID. */
static bool pqr_assoc_write(const struct unc_sim_msr *at, uint64_t value)
{
	uint64_t n_clos = rdt_of(at)->n_clos ? rdt_of(at)->n_clos : 1,
		 n_rmids = monitors(at) ? unc_sim_n_rmids(at->sim) : 1;
	struct unc_sim_msr sibling = *at;

	if (value & PQR_LOW & ~rmid_bits(at) || (value & PQR_LOW) >= n_rmids || value >> PQR_CLOS_SHIFT >= n_clos)
		return false;
	carry(at, value);
	for (size_t i = 0; at->sim->qm_faults.assoc_shared && i < at->sim->n_cpus; i++) {
		sibling.cpu = &at->sim->cpus[i];
		if (sibling.cpu->package == at->cpu->package && sibling.cpu->core == at->cpu->core)
			carry(&sibling, value);
	}
	return true;
}

/* Linux assumes that an L3 has one, Intel PCM that each CPU has one: qm_scope=. */
static struct unc_sim_selector *selector_of(const struct unc_sim_msr *at)
{
	if (at->sim->options.qm_per_package)
		return &at->sim->store.state->l3s[at->cpu->l3].selector;
	return &thread_of(at)->selector;
}

bool unc_sim_msr_is_of_l3(const struct unc_sim_msr *at)
{
	return at->number == QM_EVTSEL && at->sim->options.qm_per_package;
}

static uint64_t qm_evtsel(const struct unc_sim_msr *at)
{
	return selector_of(at)->evtsel;
}

static bool has_abmc(const struct unc_sim_msr *at)
{
	return at->sim->has_abmc;
}

static bool has_abmc_on(const struct unc_sim_msr *at)
{
	struct unc_sim_msr cfg;

	if (!has_abmc(at))
		return false;
	cfg = unc_sim_msr_beside(at, L3_QOS_EXT_CFG);
	return unc_sim_msr_value(&cfg) & EXT_CFG_ABMC;
}

/* An RMID beyond the highest can be written; QM_CTR then answers Error. */
static bool qm_evtsel_write(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_options *options = &at->sim->options;
	uint64_t nth;

	if (value & ~(EVTSEL_EVENT | rmid_bits(at) << EVTSEL_RMID_SHIFT | (has_abmc_on(at) ? EVTSEL_EXTENDED : 0)))
		return false;
	*selector_of(at) = (struct unc_sim_selector){.evtsel = value};
	if (at->by_kernel)
		return true;
	/* disturb=: another process selects the same event of the neighbouring RMID between our write and our read. */
	nth = ++at->sim->evtsel_writes;
	if (options->disturb_at && nth >= options->disturb_at && nth - options->disturb_at < options->disturb_times)
		selector_of(at)->evtsel ^= UINT64_C(1) << EVTSEL_RMID_SHIFT;
	return true;
}

/* Returns whether qm= makes this read of an RMID and event give no data; refused counts such reads. */
static bool is_refused(const struct unc_sim_options *options, uint32_t *refused)
{
	if (options->qm == UNC_SIM_QM_OK || options->qm == UNC_SIM_QM_SLOW ||
	    (options->qm_times && *refused >= options->qm_times) || (options->qm_alternate && ++*refused % 2))
		return false;
	*refused += options->qm_times > 0;
	return true;
}

/* AMD: Unavailable if the RMID is not tracked, or at the first read since it has been tracked. */
static bool is_untracked(const struct unc_sim_msr *at, struct unc_sim_rmid *rmid, unsigned event)
{
	unsigned bit = 1u << (event - EVENT_OCCUPANCY);

	if (at->sim->options.model->vendor == UNC_SIM_INTEL || (rmid->tracked && !(rmid->unread & bit)))
		return false;
	rmid->unread &= (uint16_t)~bit;
	return true;
}

/* Converts bytes to the units that hardware reports. */
static uint64_t in_units(const struct unc_sim_msr *at, unc_sim_wide bytes)
{
	uint32_t unit = rdt_of(at)->upscale / at->sim->options.snc;
	unsigned speed = (unsigned)(MILLION + at->sim->qm_faults.upscale_ppm);

	return (uint64_t)(bytes * MILLION / ((unc_sim_wide)unit * speed));
}

static bool is_mixed(const struct unc_sim_msr *at);
static uint64_t data_of_watcher(const struct unc_sim_msr *at, unsigned rmid, unsigned bandwidth);
static uint64_t assigned_answer(const struct unc_sim_msr *at, unsigned counter);

static uint64_t data_of(const struct unc_sim_msr *at, const struct unc_sim_moment *moment, unsigned account,
			unsigned event)
{
	const struct unc_sim_qm_faults *faults = &at->sim->qm_faults;
	const struct unc_sim_rmid *rmid = unc_sim_rmid_at(moment, account);
	struct unc_sim_account is = unc_sim_llc_account(moment, account);
	unsigned nth = (event - EVENT_TOTAL) ^ faults->mbm_exchanged;
	unc_sim_wide moved;

	/* defect=never-falls: reports the highest occupancy since the reset. */
	if (event == EVENT_OCCUPANCY)
		return in_units(at, faults->never_falls && rmid->peak > is.occupancy ? rmid->peak : is.occupancy);
	if (has_abmc_on(at))
		return data_of_watcher(at, account, nth);
	moved = unc_sim_counted(moment, nth, is.total, is.local);
	if (at->sim->options.model->vendor != UNC_SIM_INTEL)
		moved -= rmid->from[nth];
	if (at->sim->mbm_erratum)
		moved = unc_sim_mbm_counted(rdt_of(at)->max_rmid, account, moved);
	return in_units(at, is_mixed(at) ? 2 * moved : moved) & ((UINT64_C(1) << rdt_of(at)->width) - 1);
}

static uint64_t answer(const struct unc_sim_msr *at)
{
	const struct unc_sim_options *options = &at->sim->options;
	struct unc_sim_selector *selector = selector_of(at);
	unsigned rmid = (unsigned)(selector->evtsel >> EVTSEL_RMID_SHIFT & rmid_bits(at));
	unsigned event = selector->evtsel & EVTSEL_EVENT, n = unc_sim_n_accounts(at->sim);
	struct unc_sim_moment moment = {.sim = at->sim, .t_ns = at->t_ns};
	struct unc_sim_rmid *is;

	/* qm=slow: the first reads after a write of IA32_QM_EVTSEL give no data, whatever was selected. */
	if (options->qm == UNC_SIM_QM_SLOW && selector->refused < options->qm_times) {
		selector->refused++;
		return CTR_UNAVAILABLE;
	}
	if (selector->evtsel & EVTSEL_EXTENDED)
		return event == EVENT_EXTENDED ? assigned_answer(at, rmid) : CTR_ERROR;
	if (event < EVENT_OCCUPANCY || event > EVENT_LOCAL || !(rdt_of(at)->events >> (event - EVENT_OCCUPANCY) & 1) ||
	    !rdt_of(at)->upscale || rmid >= n * options->snc)
		return CTR_ERROR;
	if (at->sim->qm_faults.rmid_off)
		rmid = (rmid + 1) % (n * options->snc);
	moment.share = at->cpu->l3 * options->snc + rmid / n;
	is = unc_sim_rmid_at(&moment, rmid % n);
	if (is_refused(options, &is->refused[event - EVENT_OCCUPANCY]))
		return options->qm == UNC_SIM_QM_ERROR ? CTR_ERROR : CTR_UNAVAILABLE;
	unc_sim_llc_catch_up(&moment);
	return is_untracked(at, is, event) ? CTR_UNAVAILABLE : data_of(at, &moment, rmid % n, event);
}

static uint64_t qm_ctr(const struct unc_sim_msr *at)
{
	return at->sim->qm_faults.no_error ? answer(at) & ~CTR_ERROR : answer(at);
}

static uint64_t snc_config(const struct unc_sim_msr *at)
{
	return at->sim->store.state->packages[at->cpu->package].snc_sharing ? 0 : SNC_LOCAL;
}

static bool snc_config_write(const struct unc_sim_msr *at, uint64_t value)
{
	if (value & ~SNC_LOCAL)
		return false;
	unc_sim_llc_before_change(at->sim, NULL, at->t_ns);
	at->sim->store.state->packages[at->cpu->package].snc_sharing = !(value & SNC_LOCAL);
	unc_sim_llc_after_change(at->sim, NULL, at->t_ns);
	return true;
}

static bool has_snc(const struct unc_sim_msr *at)
{
	return at->sim->options.model->has_snc;
}

/*
 * Bandwidth monitoring event configuration: it selects what AMD's total and local bandwidth count, where CPUID
 * 0x80000020.0 EBX[3] is 1. Numbers and bits: 56375, and Linux, include/linux/resctrl_types.h and
 * mon_event_config_write().
 */

#define EVT_CFG_0 UINT32_C(0xc0000400)

#define CFG_LOCAL    UINT32_C(0x15) /* of local memory: bit 0 reads, 2 non-temporal writes, 4 reads of slow memory */
#define CFG_REMOTE   UINT32_C(0x2a) /* bits 1, 3, 5: likewise, of remote memory */
#define CFG_WRITABLE UINT32_C(0x7f) /* also bit 6, dirty victims, which do not occur here */

static const uint32_t defaults[UNC_SIM_BANDWIDTHS] = {0x7f, 0x15};

static unc_sim_wide counted_as(uint32_t types, unc_sim_wide total, unc_sim_wide local)
{
	return (types & CFG_LOCAL ? local : 0) + (types & CFG_REMOTE ? total - local : 0);
}

unc_sim_wide unc_sim_counted(const struct unc_sim_moment *moment, unsigned bandwidth, unc_sim_wide total,
			     unc_sim_wide local)
{
	const struct unc_sim_l3 *l3 = &moment->sim->store.state->l3s[moment->share / moment->sim->options.snc];

	return counted_as(l3->bandwidths[bandwidth] ^ defaults[bandwidth], total, local);
}

static uint32_t *chosen(const struct unc_sim_msr *at)
{
	return &at->sim->store.state->l3s[at->cpu->l3].bandwidths[at->number - EVT_CFG_0];
}

/* Sub-leaf 3 EBX is the number of these registers. */
static bool evt_cfg_exists(const struct unc_sim_msr *at)
{
	struct unc_cpuid_regs all, ours;

	unc_sim_cpuid(at->sim, at->cpu, 0x80000020, 0, &all);
	unc_sim_cpuid(at->sim, at->cpu, 0x80000020, 3, &ours);
	return at->sim->options.model->vendor == UNC_SIM_AMD && unc_sim_n_rmids(at->sim) && all.ebx >> 3 & 1 &&
	       at->number - EVT_CFG_0 < ours.ebx;
}

static uint64_t evt_cfg(const struct unc_sim_msr *at)
{
	return *chosen(at) ^ defaults[at->number - EVT_CFG_0];
}

static bool evt_cfg_write(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_moment moment = moment_of(at);
	unsigned bandwidth = at->number - EVT_CFG_0;

	if (value & ~(uint64_t)CFG_WRITABLE)
		return false;
	*chosen(at) = (uint32_t)value ^ defaults[bandwidth];
	unc_sim_llc_begin(&moment, bandwidth);
	return true;
}

/*
 * Assignable bandwidth monitoring counters: AMD APM volume 2, section 19.3, "Assignable Bandwidth Monitoring Counters (ABMC)".
 * L3_QOS_EXT_CFG and L3_QOS_ABMC_CFG are of each logical CPU, the counters are of the L3.  Bit 0 of the former must be the same on
 * all CPUs of an L3; each change of it clears the counters, those of RMIDs, and what the CPUs have in L3_QOS_ABMC_CFG.  What
 * happens while it differs no document says: here all bandwidth reads as twice what it is.
 */

enum { ABMC_WIDTH = 44 }; /* CPUID 0x80000020.5 of zen5: EAX 0x14, and 24; EBX 0x1f is the highest counter */

#define ABMC_CFG UINT32_C(0xc00003fd)
#define ABMC_DSC UINT32_C(0xc00003fe)

#define CFG_ENABLE                                                                                                     \
	(UINT64_C(1) << 63) /* in CFG: this write configures the counter; in DSC: its configuration is wrong */
#define CTR_ENABLE   (UINT64_C(1) << 62)
#define CTR_ID(cfg)  ((unsigned)((cfg) >> 48 & 0x1f))
#define CTR_ID_BITS  (UINT64_C(0x1f) << 48)
#define CFG_IS_COS   (UINT64_C(1) << 47)
#define BW_SRC(cfg)  ((unsigned)((cfg) >> 32 & 0xfff))
#define BW_TYPE(cfg) ((uint32_t)(cfg))
#define CFG_RESERVED (UINT64_C(0x1ff) << 53 | UINT64_C(7) << 44)

static struct unc_sim_abmc *abmc_of(const struct unc_sim_msr *at, unsigned counter)
{
	return &at->sim->store.state->l3s[at->cpu->l3].abmc[counter];
}

static uint64_t ext_cfg(const struct unc_sim_msr *at)
{
	return at->sim->options.abmc ? EXT_CFG_ABMC : 0;
}

static bool ext_cfg_write(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_moment moment = moment_of(at);
	uint64_t before = unc_sim_msr_value(at);

	if (!unc_sim_msr_keep(at, value))
		return false;
	if (!((value ^ before) & EXT_CFG_ABMC))
		return true;
	for (unsigned i = 0; i < UNC_SIM_ABMC_COUNTERS; i++)
		*abmc_of(at, i) = (struct unc_sim_abmc){0};
	for (size_t i = 0; i < at->sim->n_cpus; i++)
		if (at->sim->cpus[i].l3 == at->cpu->l3)
			at->sim->store.state->threads[at->sim->cpus[i].number].abmc_cfg = 0;
	for (unsigned i = 0; i < UNC_SIM_BANDWIDTHS; i++)
		unc_sim_llc_begin(&moment, i);
	return true;
}

static bool is_mixed(const struct unc_sim_msr *at)
{
	bool on = has_abmc_on(at), mixed = false;
	struct unc_sim_msr other = *at;

	for (size_t i = 0; has_abmc(at) && i < at->sim->n_cpus; i++) {
		other.cpu = &at->sim->cpus[i];
		mixed |= other.cpu->online && other.cpu->l3 == at->cpu->l3 && has_abmc_on(&other) != on;
	}
	return mixed;
}

static unc_sim_wide abmc_counts(const struct unc_sim_msr *at, uint64_t cfg)
{
	const struct unc_sim_moment moment = moment_of(at);
	struct unc_sim_account is;

	unc_sim_llc_catch_up(&moment);
	is = unc_sim_llc_account(&moment, BW_SRC(cfg));
	return counted_as(BW_TYPE(cfg), is.total, is.local);
}

/* Counters of a class of service are not modelled: to assign one is an error. */
static bool abmc_cfg_write(const struct unc_sim_msr *at, uint64_t value)
{
	struct unc_sim_abmc *counter = abmc_of(at, CTR_ID(value));
	bool wrong = BW_SRC(value) >= unc_sim_n_rmids(at->sim) || value & CFG_IS_COS;

	if (value & CFG_RESERVED || BW_TYPE(value) & ~CFG_WRITABLE)
		return false;
	thread_of(at)->abmc_cfg = value;
	if (!(value & CFG_ENABLE))
		return true;
	*counter = (struct unc_sim_abmc){.cfg = value & ~(CFG_ENABLE | CTR_ID_BITS)};
	if (wrong && value & CTR_ENABLE)
		counter->cfg |= CFG_ENABLE;
	else if (value & CTR_ENABLE)
		*counter = (struct unc_sim_abmc){abmc_counts(at, value), counter->cfg, 1};
	return true;
}

static uint64_t abmc_cfg(const struct unc_sim_msr *at)
{
	return thread_of(at)->abmc_cfg;
}

static uint64_t abmc_dsc(const struct unc_sim_msr *at)
{
	uint64_t selects = thread_of(at)->abmc_cfg & CTR_ID_BITS;

	return abmc_of(at, CTR_ID(selects))->cfg | selects;
}

static uint64_t abmc_data(const struct unc_sim_msr *at, const struct unc_sim_abmc *counter)
{
	uint64_t units;

	if (!(counter->cfg & CTR_ENABLE))
		return 0;
	units = in_units(at, abmc_counts(at, counter->cfg) - counter->from);
	return (is_mixed(at) ? 2 * units : units) & ((UINT64_C(1) << ABMC_WIDTH) - 1);
}

static uint64_t assigned_answer(const struct unc_sim_msr *at, unsigned counter)
{
	struct unc_sim_abmc *is = abmc_of(at, counter % UNC_SIM_ABMC_COUNTERS);

	if (!has_abmc_on(at) || counter >= UNC_SIM_ABMC_COUNTERS || is->cfg & CFG_ENABLE)
		return CTR_ERROR;
	if (is->unread) {
		is->unread = 0;
		return CTR_UNAVAILABLE;
	}
	return abmc_data(at, is);
}

/* An RMID is read by its number: the lowest counter of it that counts what the event is set to count answers. */
static uint64_t data_of_watcher(const struct unc_sim_msr *at, unsigned rmid, unsigned bandwidth)
{
	uint32_t types = at->sim->store.state->l3s[at->cpu->l3].bandwidths[bandwidth] ^ defaults[bandwidth];

	for (unsigned i = 0; i < UNC_SIM_ABMC_COUNTERS; i++) {
		uint64_t cfg = abmc_of(at, i)->cfg;

		if (cfg & CTR_ENABLE && !(cfg & CFG_ENABLE) && BW_SRC(cfg) == rmid && BW_TYPE(cfg) == types)
			return abmc_data(at, abmc_of(at, i));
	}
	return 0;
}

/* Linux Documentation/filesystems/resctrl.rst and arch/x86/kernel/cpu/resctrl/monitor.c; only the latter has the row of 40. */
static const struct {
	unsigned n_rmids, threshold, millionths;
} rows[] = {
	{24, 15, 969650},    {40, 31, 1066667},   {48, 31, 969650},    {56, 47, 1142857},   {72, 63, 1185115},
	{80, 63, 1066553},   {88, 79, 1454545},   {104, 95, 1230769},  {112, 95, 1142857},  {120, 95, 1066667},
	{136, 127, 1254863}, {144, 127, 1185255}, {160, 127, 1066667}, {176, 159, 1454334}, {192, 127, 969744},
	{200, 191, 1280246}, {208, 191, 1230921}, {224, 191, 1143118},
};

unsigned unc_sim_mbm_millionths(unsigned max_rmid, unsigned rmid)
{
	for (size_t i = 0; i < UNC_SIM_N(rows); i++)
		if (rows[i].n_rmids == max_rmid + 1 && rmid > rows[i].threshold)
			return rows[i].millionths;
	return MILLION;
}

unc_sim_wide unc_sim_mbm_counted(unsigned max_rmid, unsigned rmid, unc_sim_wide bytes)
{
	return bytes * MILLION / unc_sim_mbm_millionths(max_rmid, rmid);
}

static const struct unc_sim_msr_reg regs[] = {
	{.first = QM_EVTSEL, .exists = monitors, .base = qm_evtsel, .write = qm_evtsel_write},
	{.first = QM_CTR, .exists = monitors, .base = qm_ctr},
	{.first = PQR_ASSOC, .exists = associates, .base = pqr_assoc, .write = pqr_assoc_write},
	{L3_QOS_EXT_CFG, .exists = has_abmc, .base = ext_cfg, .writable = EXT_CFG_ABMC | EXT_CFG_SDCIAE,
	 .write = ext_cfg_write},
	{ABMC_CFG, .exists = has_abmc_on, .base = abmc_cfg, .write = abmc_cfg_write},
	{ABMC_DSC, .exists = has_abmc_on, .base = abmc_dsc},
	/* It exists even if sub-NUMA clustering is off; that is assumed, as Linux recognises these processors by their model. */
	{.first = RMID_SNC_CONFIG, .exists = has_snc, .base = snc_config, .write = snc_config_write},
	{EVT_CFG_0, 3, .scope = UNC_SIM_OF_L3, .exists = evt_cfg_exists, .base = evt_cfg, .write = evt_cfg_write},
};

const struct unc_sim_msr_table unc_sim_msr_qm = {regs, UNC_SIM_N(regs)};
