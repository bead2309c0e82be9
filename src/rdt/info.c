// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the CPUID leaves about shared resources: Intel SDM vol. 3, "Enumeration and Detection Support of Cache Monitoring
 * Technology" and "of Cache Allocation Technology"; AMD 56375, "AMD64 Technology Platform Quality of Service Extensions".
 *
 * A leaf above the highest returns the data of another one (on an E5-2687W 0xf has EBX = 0x340), so it is not read.
 */

#include "map/field.h"
#include "rdt/leaves.h"

#define EXTENDED UINT32_C(0x80000000)
#define AMD_QOS  UINT32_C(0x80000020)

bool unc_rdt_bit(uint32_t reg, unsigned bit)
{
	return reg >> bit & 1;
}

int unc_rdt_cpuid(struct unc_machine *m, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	return unc_wrap(m->ctx, m->host->ops->cpuid(m->host, cpu, leaf, subleaf, ret_regs), "CPUID leaf 0x%x.%x", leaf,
			subleaf);
}

int unc_rdt_cpuid_or_0(struct unc_machine *m, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		       struct unc_cpuid_regs *ret_regs)
{
	int rc = unc_rdt_cpuid(m, cpu, leaf, subleaf, ret_regs);

	if (rc != UNC_ENODATA)
		return rc;
	*ret_regs = (struct unc_cpuid_regs){0};
	return UNC_OK;
}

/* Reads a leaf, EBX of whose sub-leaf 0 says which other sub-leaves it has. */
static int read_subleaves(struct unc_machine *m, unsigned cpu, uint32_t leaf, struct unc_cpuid_regs *regs, unsigned n)
{
	int rc = unc_rdt_cpuid_or_0(m, cpu, leaf, 0, &regs[0]);

	for (unsigned i = 1; rc == 0 && i < n; i++)
		if (unc_rdt_bit(regs[0].ebx, i))
			rc = unc_rdt_cpuid_or_0(m, cpu, leaf, i, &regs[i]);
	return rc;
}

int unc_rdt_leaves_read(struct unc_machine *m, struct unc_rdt_leaves *ret_leaves)
{
	static const char *const vendors[] = {
		[UNC_RDT_INTEL] = "GenuineIntel", [UNC_RDT_AMD] = "AuthenticAMD", [UNC_RDT_HYGON] = "HygonGenuine"};
	struct unc_rdt_leaves leaves = {.cpu = unc_machine_first_cpu(m)};
	struct unc_cpuid_regs basic = {0}, extended = {0}, seven = {0}, amd = {0};
	unsigned cpu = leaves.cpu;
	int rc;

	for (unsigned i = UNC_RDT_INTEL; i <= UNC_RDT_HYGON; i++)
		if (strcmp(vendors[i], m->cpu.vendor) == 0)
			leaves.vendor = (enum unc_rdt_vendor)i;
	if (leaves.vendor == UNC_RDT_UNKNOWN) { /* its bits may have another meaning */
		*ret_leaves = leaves;
		return UNC_OK;
	}
	rc = unc_rdt_cpuid(m, cpu, 0, 0, &basic);
	if (rc == 0)
		rc = unc_rdt_cpuid_or_0(m, cpu, EXTENDED, 0, &extended);
	if (rc < 0)
		return rc;
	leaves.highest = basic.eax;
	leaves.highest_extended = extended.eax >> 16 == EXTENDED >> 16 ? extended.eax : 0;
	if (leaves.highest >= 7)
		rc = unc_rdt_cpuid(m, cpu, 7, 0, &seven);
	leaves.features = seven.ebx;
	if (rc == 0 && unc_rdt_bit(leaves.features, 12) && leaves.highest >= 0xf)
		rc = unc_rdt_cpuid(m, cpu, 0xf, 0, &leaves.monitoring);
	if (rc == 0 && unc_rdt_bit(leaves.monitoring.edx, 1))
		rc = unc_rdt_cpuid(m, cpu, 0xf, 1, &leaves.l3_monitoring);
	if (rc == 0 && unc_rdt_bit(leaves.features, 15) && leaves.highest >= 0x10)
		rc = read_subleaves(m, cpu, 0x10, leaves.allocation, UNC_RDT_RESOURCES);
	if (rc == 0 && leaves.vendor != UNC_RDT_INTEL && leaves.highest_extended >= AMD_QOS)
		rc = unc_rdt_cpuid_or_0(m, cpu, 0x80000008, 0, &amd);
	if (rc == 0 && unc_rdt_bit(amd.ebx, 6)) /* this bit announces the leaf */
		rc = read_subleaves(m, cpu, AMD_QOS, leaves.amd, UNC_RDT_AMD_LEAVES);
	if (rc == 0)
		*ret_leaves = leaves;
	return rc;
}

/*
 * APIC IDs, and how many of their low bits distinguish the CPUs that share a resource: Intel SDM vol. 3, "Hierarchical Mapping of
 * Shared Resources"; AMD APM vol. 3, CPUID 0x8000001d and 0x8000001e.
 */

enum { SUBLEAVES_MAX = 16 };

/* Returns the least number of bits that distinguishes n items. */
static unsigned bits_for(unsigned n)
{
	unsigned bits = 0;

	while (bits < 31 && UINT32_C(1) << bits < n)
		bits++;
	return bits;
}

static uint32_t bits_of(uint32_t reg, unsigned hi, unsigned lo)
{
	return reg >> lo & ((UINT32_C(2) << (hi - lo)) - 1);
}

/*
 * EAX[4:0]: 0 if there are no more caches; [7:5]: level; [25:14]: how many IDs share it, less 1.  EBX[31:22]: ways; [21:12]:
 * partitions; [11:0]: bytes of a line; ECX: sets; each less 1.
 */
int unc_rdt_l3_shape(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt_shape *ret_shape)
{
	uint32_t leaf = leaves->vendor == UNC_RDT_INTEL ? 4 : 0x8000001d;
	uint32_t highest = leaf == 4 ? leaves->highest : leaves->highest_extended;
	struct unc_cpuid_regs regs = {0};

	for (uint32_t i = 0; leaf <= highest && i < SUBLEAVES_MAX; i++) {
		int rc = unc_rdt_cpuid_or_0(m, leaves->cpu, leaf, i, &regs);

		if (rc < 0)
			return rc;
		if (!bits_of(regs.eax, 4, 0))
			break;
		if (bits_of(regs.eax, 7, 5) != 3)
			continue;
		ret_shape->id_bits = bits_for(bits_of(regs.eax, 25, 14) + 1);
		ret_shape->bytes = ((uint64_t)bits_of(regs.ebx, 31, 22) + 1) * (bits_of(regs.ebx, 21, 12) + 1) *
				   (bits_of(regs.ebx, 11, 0) + 1) * ((uint64_t)regs.ecx + 1);
		return UNC_OK;
	}
	return unc_fail(m->ctx, UNC_ENODATA, "CPUID leaf 0x%x tells of no L3 cache, which would be monitored", leaf);
}

/* APIC IDs come from 0x8000001e (EAX) on AMD; else from 0x1f or 0xb (EDX, if EBX is not 0), else from leaf 1 EBX[31:24]. */
int unc_rdt_apic_leaf(struct unc_machine *m, const struct unc_rdt_leaves *leaves, uint32_t *ret_leaf)
{
	static const uint32_t basic[] = {0x1f, 0xb};
	struct unc_cpuid_regs regs = {0};
	int rc = UNC_OK;

	*ret_leaf = 1;
	if (leaves->vendor != UNC_RDT_INTEL && leaves->highest_extended >= 0x8000001e) {
		*ret_leaf = 0x8000001e;
		return UNC_OK;
	}
	for (size_t i = 0; i < 2 && *ret_leaf == 1 && rc == 0; i++) {
		if (leaves->highest >= basic[i])
			rc = unc_rdt_cpuid_or_0(m, leaves->cpu, basic[i], 0, &regs);
		if (regs.ebx)
			*ret_leaf = basic[i];
	}
	return rc;
}

int unc_rdt_apic_id(struct unc_machine *m, uint32_t leaf, unsigned cpu, uint32_t *ret_id)
{
	struct unc_cpuid_regs regs;
	int rc = unc_rdt_cpuid(m, cpu, leaf, 0, &regs);

	if (rc == 0)
		*ret_id = leaf == 1 ? bits_of(regs.ebx, 31, 24) : leaf == 0x8000001e ? regs.eax : regs.edx;
	return rc;
}

/*
 * On AMD: 0x80000008 ECX[15:12], or if 0 the bits for ECX[7:0] + 1 CPUs.  With IDs of leaf 1: the bits for EBX[23:16] CPUs.  The
 * levels of leaf 0xb or 0x1f end with one of type 0, ECX[15:8]; EAX[4:0] of the last one is that number.
 */
int unc_rdt_package_bits(struct unc_machine *m, const struct unc_rdt_leaves *leaves, uint32_t leaf, unsigned *ret_bits)
{
	struct unc_cpuid_regs regs;
	int rc;

	if (leaf == 1 || leaf == 0x8000001e) {
		rc = unc_rdt_cpuid_or_0(m, leaves->cpu, leaf == 1 ? 1 : 0x80000008, 0, &regs);
		if (rc < 0)
			return rc;
		if (leaf == 1)
			*ret_bits = bits_for(bits_of(regs.ebx, 23, 16));
		else if (bits_of(regs.ecx, 15, 12))
			*ret_bits = bits_of(regs.ecx, 15, 12);
		else
			*ret_bits = bits_for(bits_of(regs.ecx, 7, 0) + 1);
		return UNC_OK;
	}
	*ret_bits = 0;
	for (uint32_t i = 0; i < SUBLEAVES_MAX; i++) {
		rc = unc_rdt_cpuid_or_0(m, leaves->cpu, leaf, i, &regs);
		if (rc < 0 || !bits_of(regs.ecx, 15, 8))
			return rc;
		*ret_bits = bits_of(regs.eax, 4, 0);
	}
	return UNC_OK;
}

/*
 * What CPUID reports about monitoring: leaf 7 EBX[12] (PQM), 0xf.0 (EBX highest RMID of all resources, EDX[1] L3), 0xf.1
 * (EAX[7:0] counter width, [8] overflow bit, [9] and [10] agents that are not CPUs; EBX bytes of a unit; ECX highest RMID; EDX
 * events). Values that cannot all be true are refused: programs that believed one of them were wrong by arbitrary factors.
 */

#define GB_S UINT64_C(1000000000)

/*
 * Bits of a bandwidth counter: 24 + EAX[7:0] on Intel; if AMD or Hygon report 0 it is 44 and 32 (kernel 0c4d5ba1b998,
 * 2c18bd525c47).  The kernel ignores an offset above 38, which is more than the 62 bits of data allow; but what such a counter
 * does, and how soon it wraps, is not known.
 */
enum { BASE_BITS = 24, OFFSET_AMD = 20, OFFSET_HYGON = 8, OFFSET_MAX = 38, DATA_BITS = 61 };

/*
 * Returns the most that one L3 moves in a second.  24-bit counters: four DDR4-2400 channels give Broadwell 76.8 GB/s, six of
 * DDR4-3200 give Cooper Lake, the fastest of the others, 153.6.  Twice as much would still be seen.  A core complex of AMD or
 * Hygon does not come near the bandwidth of its socket's memory.
 */
static uint64_t full_speed(const struct unc_cpu_id *cpu, const struct unc_rdt_leaves *leaves, unsigned counter_bits)
{
	if (leaves->vendor != UNC_RDT_INTEL)
		return 200 * GB_S;
	if (counter_bits != BASE_BITS)
		return 1000 * GB_S;
	if (cpu->family == UNC_RDT_FAMILY && (cpu->model == UNC_RDT_BROADWELL_X || cpu->model == UNC_RDT_BROADWELL_D))
		return 80 * GB_S;
	return 160 * GB_S;
}

/* Explains why CPUID reports no monitoring.  False: it announces monitoring of the L3. */
static bool none(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	char *why = rdt->no_monitoring;
	size_t size = sizeof(rdt->no_monitoring);

	if (m->map && m->map->catalogue)
		snprintf(why, size, "this machine has no CPUID, by which it is found");
	else if (leaves->vendor == UNC_RDT_UNKNOWN)
		snprintf(why, size,
			 "CPUID names the vendor %s; those whose monitoring is known here are GenuineIntel, "
			 "AuthenticAMD and HygonGenuine",
			 m->cpu.vendor);
	else if (leaves->highest < 7)
		snprintf(why, size, "CPUID leaf 7, which would announce it, lies beyond its highest leaf 0x%x",
			 leaves->highest);
	else if (!unc_rdt_bit(leaves->features, 12) && leaves->highest < 0xf)
		snprintf(why, size,
			 "CPUID leaf 0xf lies beyond its highest leaf 0x%x, and leaf 7 EBX bit 12 (PQM) is 0",
			 leaves->highest);
	else if (!unc_rdt_bit(leaves->features, 12))
		snprintf(why, size, "CPUID leaf 7 EBX bit 12 (PQM) is 0");
	else if (leaves->highest >= 0xf && !unc_rdt_bit(leaves->monitoring.edx, 1))
		snprintf(why, size, "CPUID leaf 0xf EDX bit 1 (L3) is 0");
	return why[0];
}

static int contradiction(struct unc_machine *m, const struct unc_rdt_leaves *leaves)
{
	const struct unc_cpuid_regs *all = &leaves->monitoring, *l3 = &leaves->l3_monitoring;
	static const char end[] = "these answers of CPUID contradict each other, so neither is believed";
	const struct unc_field *field = NULL;
	const struct unc_reg *reg;
	struct unc_box *box;

	if (leaves->highest < 0xf)
		return unc_fail(
			m->ctx, UNC_ENOSUP,
			"CPUID leaf 7 EBX bit 12 (PQM) is 1, but leaf 0xf lies beyond the highest leaf 0x%x: %s",
			leaves->highest, end);
	if (l3->eax && memcmp(l3, &leaves->allocation[UNC_RDT_L3], sizeof(*l3)) == 0)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 says %x-%x-%x-%x, which is what leaf 0x10.1 (allocation) says: %s",
				l3->eax, l3->ebx, l3->ecx, l3->edx, end);
	if (!l3->edx || l3->edx >> UNC_LLC_EVENTS)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 EDX is 0x%x, but events are bits 0 to 2 (with EBX 0x%x, ECX 0x%x), "
				"and leaf 0xf.0 EDX 0x%x announces some: %s",
				l3->edx, l3->ebx, l3->ecx, all->edx, end);
	if (l3->ecx > all->ebx || !l3->ecx)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 ECX says that the highest RMID of an L3 is 0x%x, leaf 0xf.0 EBX that "
				"of all resources is 0x%x: %s",
				l3->ecx, all->ebx, end);
	if (!l3->ebx)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 EBX says that a unit is 0 bytes, and EDX 0x%x that there are events "
				"counted in it: %s",
				l3->edx, end);
	if (l3->edx >> UNC_LLC_TOTAL && (l3->eax & 0xff) > OFFSET_MAX)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 EAX 0x%x says that bandwidth counters have %u bits, but IA32_QM_CTR "
				"has room for %u only: %s",
				l3->eax, BASE_BITS + (l3->eax & 0xff), BASE_BITS + OFFSET_MAX, end);
	reg = unc_machine_cpu_box(m, "rdt", leaves->cpu, &box) < 0 ? NULL : unc_unit_reg(box->unit, "PQR_ASSOC");
	if (reg)
		field = unc_reg_field(reg, "rmid");
	if (field && l3->ecx > unc_field_max(field))
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 ECX says that the highest RMID is 0x%x, but IA32_PQR_ASSOC has room "
				"for 0x%" PRIx64 " only: %s",
				l3->ecx, unc_field_max(field), end);
	return UNC_OK;
}

/* Sets what can be monitored, or no_monitoring.  UNC_ENOSUP: the CPUID data contradict each other. */
static int find_monitoring(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	const struct unc_cpuid_regs *l3 = &leaves->l3_monitoring;
	unsigned offset;
	int rc;

	/* AMD APM volume 2, chapter 19: from Zen 4 on, which are models 10-1f and from 60 on of family 19, and family 1a. */
	rdt->own_selectors =
		leaves->vendor == UNC_RDT_AMD &&
		(m->cpu.family > 0x19 || (m->cpu.family == 0x19 && (m->cpu.model >> 4 == 1 || m->cpu.model >= 0x60)));
	rdt->amd = leaves->vendor == UNC_RDT_AMD || leaves->vendor == UNC_RDT_HYGON;
	if (none(m, leaves, rdt))
		return UNC_OK;
	rc = contradiction(m, leaves);
	if (rc < 0)
		return rc;
	rdt->info.events = l3->edx; /* the bits have the order of enum unc_llc_event */
	rdt->info.max_rmid = l3->ecx;
	rdt->info.cpuid_max_rmid = l3->ecx;
	rdt->info.unit_bytes = l3->ebx;
	rdt->info.overflow_bit = unc_rdt_bit(l3->eax, 8);
	rdt->info.io_occupancy = unc_rdt_bit(l3->eax, 9);
	rdt->info.io_bandwidth = unc_rdt_bit(l3->eax, 10);
	offset = l3->eax & 0xff;
	if (!offset && leaves->vendor == UNC_RDT_AMD)
		offset = OFFSET_AMD;
	else if (!offset && leaves->vendor == UNC_RDT_HYGON)
		offset = OFFSET_HYGON;
	/* Bit 61 of IA32_QM_CTR may be the overflow bit.  A difference of fewer bits is correct, too. */
	rdt->info.counter_bits = BASE_BITS + offset < DATA_BITS ? BASE_BITS + offset : DATA_BITS;
	rdt->info.full_speed = full_speed(&m->cpu, leaves, rdt->info.counter_bits);
	return UNC_OK;
}

/* Describes the allocation of caches and bandwidth in words, from CPUID leaves 0x10 and 0x80000020.  Nothing here uses it. */

enum what { CACHE, DELAYS, LIMITS };

/*
 * A cache: EAX[4:0]: ways less 1; EBX: ways shared with devices; ECX[2]: code and data apart; [3]: masks may have gaps; [1]: CLOS
 * of devices.  Delays: EAX[11:0]: the greatest delay less 1; ECX[2]: linear, in percent.  Limits (AMD): EAX: bits of a limit.  All:
 * EDX: the highest CLOS.
 */
static void resource(struct unc_rdt *rdt, const char *name, enum what what, const struct unc_cpuid_regs *regs)
{
	unc_rdt_add(rdt->allocation, "; ", "%s", name);
	if (!regs->eax && !(what == DELAYS && (regs->ecx || regs->edx))) {
		unc_rdt_add(rdt->allocation, "", " (not told how much)");
		return;
	}
	if (what == CACHE)
		unc_rdt_add(rdt->allocation, "", " of %u ways", (unsigned)(regs->eax & 0x1f) + 1);
	else if (what == DELAYS)
		unc_rdt_add(rdt->allocation, "", " of delays up to %u%s", (unsigned)(regs->eax & 0xfff) + 1,
			    unc_rdt_bit(regs->ecx, 2) ? " %" : "");
	else
		unc_rdt_add(rdt->allocation, "", " of %u-bit limits", (unsigned)regs->eax);
	if (what == CACHE && regs->ebx)
		unc_rdt_add(rdt->allocation, "", " (0x%x used by devices too)", regs->ebx);
	unc_rdt_add(rdt->allocation, "", ", %u CLOS", (unsigned)(regs->edx & 0xffff) + 1);
	if (what == CACHE)
		unc_rdt_add(rdt->allocation, "", "%s%s%s", unc_rdt_bit(regs->ecx, 2) ? ", CDP" : "",
			    unc_rdt_bit(regs->ecx, 3) ? ", masks with gaps" : "",
			    unc_rdt_bit(regs->ecx, 1) ? ", CLOS of devices" : "");
}

static void describe_allocation(const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	uint32_t what = leaves->allocation[0].ebx, amd = leaves->amd[0].ebx;
	char *text = rdt->allocation;
	size_t size = sizeof(rdt->allocation);

	if (unc_rdt_bit(what, UNC_RDT_L3))
		resource(rdt, "L3 CAT", CACHE, &leaves->allocation[UNC_RDT_L3]);
	if (unc_rdt_bit(what, UNC_RDT_L2))
		resource(rdt, "L2 CAT", CACHE, &leaves->allocation[UNC_RDT_L2]);
	if (unc_rdt_bit(what, UNC_RDT_MBA))
		resource(rdt, "MBA", DELAYS, &leaves->allocation[UNC_RDT_MBA]);
	if (unc_rdt_bit(amd, UNC_RDT_AMD_MBA))
		resource(rdt, "MBA", LIMITS, &leaves->amd[UNC_RDT_AMD_MBA]);
	if (unc_rdt_bit(amd, UNC_RDT_AMD_SMBA))
		resource(rdt, "SMBA (slow memory)", LIMITS, &leaves->amd[UNC_RDT_AMD_SMBA]);
	if (text[0] || !unc_rdt_bit(leaves->features, 15))
		return;
	if (leaves->highest < 0x10)
		snprintf(text, size,
			 "announced by CPUID leaf 7 EBX bit 15 (PQE), but leaf 0x10, which tells of what, lies beyond "
			 "the highest leaf 0x%x",
			 leaves->highest);
	else
		snprintf(text, size,
			 "announced by CPUID leaf 7 EBX bit 15 (PQE), but leaf 0x10 EBX 0x%x names nothing to allocate",
			 what);
}

/*
 * Errata BDF102 and SKX99: bandwidth of RMIDs above a threshold is too low or too high by a factor; threshold and factor depend
 * on how many RMIDs there are.  Numbers and parts are those of Linux (arch/x86/kernel/cpu/resctrl, mbm_cf_table;
 * __check_quirks_intel applies it to models 0x4f and 0x55), which took them from Intel 338822-001.  Broadwell-DE, 0x56, is not
 * among them, and no document says that it is affected.
 */

static const struct correction {
	unsigned n_rmids;
	unsigned exact; /* the highest RMID that counts correctly */
	double factor;
} corrections[] = {
	{24, 15, 0.969650},   {40, 31, 1.066667},   {48, 31, 0.969650},   {56, 47, 1.142857},   {72, 63, 1.185115},
	{80, 63, 1.066553},   {88, 79, 1.454545},   {104, 95, 1.230769},  {112, 95, 1.142857},  {120, 95, 1.066667},
	{136, 127, 1.254863}, {144, 127, 1.185255}, {160, 127, 1.066667}, {176, 159, 1.454334}, {192, 127, 0.969744},
	{200, 191, 1.280246}, {208, 191, 1.230921}, {224, 191, 1.143118},
};

const char unc_rdt_linux_minds[] =
	"errata SKZ4, SKZ14 and SKZ15: Linux does not use the cache monitoring of this stepping unless it is told "
	"rdt=cmt,mbmtotal,mbmlocal, and its numbers may be wrong";

/* Sets exact_rmid and factor, and the warning for parts that Linux does not monitor. */
static void rdt_erratum(const struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	bool skylake = m->cpu.model == UNC_RDT_SKYLAKE_X;
	unsigned n_rmids = (rdt->info.cpuid_max_rmid + 1) / 8 * 8; /* Linux counts them in multiples of 8 */

	rdt->info.exact_rmid = rdt->info.max_rmid;
	rdt->info.factor = 1;
	if (leaves->vendor != UNC_RDT_INTEL || m->cpu.family != UNC_RDT_FAMILY ||
	    (!skylake && m->cpu.model != UNC_RDT_BROADWELL_X))
		return;
	for (size_t i = 0; i < sizeof(corrections) / sizeof(corrections[0]); i++) {
		if (corrections[i].n_rmids != n_rmids)
			continue;
		rdt->info.exact_rmid = corrections[i].exact;
		rdt->info.factor = corrections[i].factor;
	}
	if (skylake && m->cpu.stepping <= UNC_RDT_LAST_SKYLAKE)
		unc_rdt_warn(rdt, "%s", unc_rdt_linux_minds);
}

/* Finds what can be monitored, from its parts, and keeps it with the machine. */

int unc_rdt_field(struct unc_machine *m, unsigned cpu, const char *reg_name, unsigned index, const char *field_name,
		  uint64_t *ret_value)
{
	const struct unc_field *field;
	const struct unc_reg *reg;
	struct unc_box *box;
	uint64_t value;
	int rc = unc_machine_cpu_box(m, "rdt", cpu, &box);

	if (rc < 0)
		return rc;
	reg = unc_unit_reg(box->unit, reg_name);
	field = reg ? unc_reg_field(reg, field_name) : NULL;
	if (!field)
		return unc_fail(m->ctx, UNC_ENOREG, "%s: the register map has no %s.%s", box->name, reg_name,
				field_name);
	rc = unc_box_reach(box);
	if (rc == 0)
		rc = unc_read64(box->space, reg->off + index * reg->step, &value);
	if (rc == 0)
		*ret_value = unc_field_get(field, value);
	return unc_wrap(m->ctx, rc, "%s: %s", box->name, reg_name);
}

char *unc_rdt_cpu_list(const unsigned *cpus, size_t n)
{
	enum { LONGEST = sizeof("4294967295-4294967295,") };
	char *text = calloc(n + 1, LONGEST);
	size_t len = 0;

	for (size_t i = 0, last; text && i < n; i = last + 1) {
		for (last = i; last + 1 < n && cpus[last + 1] == cpus[last] + 1;)
			last++;
		len += (size_t)snprintf(text + len, LONGEST, "%s%u", i ? "," : "", cpus[i]);
		if (last > i)
			len += (size_t)snprintf(text + len, LONGEST, "-%u", cpus[last]);
	}
	return text;
}

/*
 * Features that only AMD has: AMD 56375, "Bandwidth Monitoring Event Configuration" and "Assignable Bandwidth Monitoring
 * Counters"; CPUID 0x80000020.3 EBX (how many events can be set) and ECX (what they can count), .5 EBX (the highest counter).
 */

enum { N_EVENTS = 2 };

/* What a bandwidth event can count, by bit. */
static const char *const kinds[] = {
	"local reads",
	"remote reads",
	"local non-temporal writes",
	"remote non-temporal writes",
	"local reads of slow memory",
	"remote reads of slow memory",
	"lines written back",
};

/* Describes what the two bandwidth events count, which a user may have changed from AMD's defaults. */
static void event_settings(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	static const uint64_t at_first[N_EVENTS] = {0x7f, 0x15};
	static const char *const events[N_EVENTS] = {"total", "local"};

	rdt->types = leaves->amd[UNC_RDT_AMD_BMEC].ecx;
	unc_rdt_add(rdt->features, "", "BMEC");
	for (unsigned i = 0; i < N_EVENTS; i++) {
		char list[200] = "";
		uint64_t config = 0;

		unc_rdt_add(rdt->features, "", "%s%s counts ", i ? "; " : ": ", events[i]);
		if (unc_rdt_field(m, leaves->cpu, "QOS_EVT_CFG", i, "events", &config) < 0) {
			unc_rdt_add(rdt->features, "", "what could not be read");
		} else if (config == at_first[i]) {
			unc_rdt_add(rdt->features, "", "0x%" PRIx64 " as after power-on", config);
		} else {
			unc_rdt_add(rdt->features, "", "0x%" PRIx64 " instead of 0x%" PRIx64 ", which is ", config,
				    at_first[i]);
			for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
				if (config >> k & 1)
					unc_text_join(list, sizeof(list), ", ", "%s", kinds[k]);
			unc_rdt_add(rdt->features, "", "%s", list[0] ? list : "nothing");
		}
	}
}

static void assigned_counters(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	uint64_t on = 0;
	int rc = UNC_OK;

	/* Each L3 has that register; it counts as on if it is on in any. */
	for (size_t i = 0; i < rdt->info.n_l3s && rc == 0 && !on; i++)
		rc = unc_rdt_field(m, rdt->l3s[i].cpus[0], "L3_QOS_EXT_CFG", 0, "abmc", &on);
	rdt->n_counters = (leaves->amd[UNC_RDT_AMD_ABMC].ebx & 0xffff) + 1;
	rdt->n_counters = rdt->n_counters < UNC_RDT_COUNTERS_MAX ? rdt->n_counters : UNC_RDT_COUNTERS_MAX;
	rdt->assigned_bits = BASE_BITS + (leaves->amd[UNC_RDT_AMD_ABMC].eax & 0xff);
	rdt->assigned_unknown = rc < 0;
	rdt->assigned_counters = rc < 0 || on;
	unc_rdt_add(rdt->features, "; ", "ABMC");
	if (leaves->amd[UNC_RDT_AMD_ABMC].ebx)
		unc_rdt_add(rdt->features, "", " of %u counters",
			    (unsigned)(leaves->amd[UNC_RDT_AMD_ABMC].ebx & 0xffff) + 1);
	unc_rdt_add(rdt->features, "", "%s",
		    rc < 0 ? ": whether it is on could not be read"
		    : on   ? " is on"
			   : " is off");
	if (rc == 0 && on)
		unc_rdt_warn(
			rdt,
			"bandwidth counters are assigned one by one (ABMC, L3_QOS_EXT_CFG bit 0 is 1; Linux does that "
			"from 6.18 on): an RMID without one has no bandwidth");
}

static void free_rdt(struct unc_rdt *rdt)
{
	if (!rdt)
		return;
	for (size_t i = 0; rdt->l3s && i < rdt->info.n_l3s; i++) {
		free(rdt->l3s[i].cpus);
		free(rdt->l3s[i].nodes);
		free(rdt->l3s[i].text);
	}
	free(rdt->l3s);
	free(rdt->present);
	free(rdt);
}

static int find(struct unc_machine *m, struct unc_rdt *rdt)
{
	struct unc_llc_info *info = &rdt->info;
	struct unc_rdt_leaves leaves = {0};
	int rc = unc_rdt_leaves_read(m, &leaves);
	uint64_t sdciae = 0;

	if (rc < 0)
		return rc;
	describe_allocation(&leaves, rdt);
	rc = find_monitoring(m, &leaves, rdt);
	info->no_monitoring = rdt->no_monitoring[0] ? rdt->no_monitoring : NULL;
	info->allocation = rdt->allocation[0] ? rdt->allocation : NULL;
	if (rc < 0 || info->no_monitoring)
		return rc;
	rc = unc_rdt_domains(m, &leaves, rdt);
	if (rc == 0 && info->unit_bytes > rdt->l3s[0].bytes) /* it would count nothing */
		rc = unc_fail(m->ctx, UNC_ENOSUP,
			      "CPUID leaf 0xf.1 EBX says that a unit is 0x%" PRIx64
			      " bytes, but an L3 has only 0x%" PRIx64
			      ": these answers contradict each other, so neither is believed",
			      info->unit_bytes, rdt->l3s[0].bytes);
	if (rc == 0)
		rc = unc_rdt_snc(m, &leaves, rdt);
	if (rc < 0)
		return rc;
	rdt_erratum(m, &leaves, rdt);
	/* In words the features that only AMD has, and their settings. */
	if (unc_rdt_bit(leaves.amd[0].ebx, UNC_RDT_AMD_BMEC))
		event_settings(m, &leaves, rdt);
	if (unc_rdt_bit(leaves.amd[0].ebx, UNC_RDT_AMD_ABMC))
		assigned_counters(m, &leaves, rdt);
	if (unc_rdt_bit(leaves.amd[0].ebx, UNC_RDT_AMD_L3RR))
		unc_rdt_add(rdt->features, "; ", "L3RR");
	if (unc_rdt_bit(leaves.amd[0].ebx, UNC_RDT_AMD_SDCIAE))
		unc_rdt_add(rdt->features, "; ", "SDCIAE%s; PLZA is not known (its MSR is not read)",
			    unc_rdt_field(m, leaves.cpu, "L3_QOS_EXT_CFG", 0, "sdciae", &sdciae) < 0
				    ? ": whether it is on could not be read"
			    : sdciae ? " is on"
				     : " is off");
	info->warning = rdt->warning[0] ? rdt->warning : NULL;
	info->features = rdt->features[0] ? rdt->features : NULL;
	return UNC_OK;
}

int unc_rdt_of(struct unc_machine *m, const struct unc_rdt **ret_rdt)
{
	if (!m->rdt) {
		struct unc_rdt *rdt = calloc(1, sizeof(*rdt));
		int rc = rdt ? find(m, rdt) : unc_fail(m->ctx, UNC_ENOMEM, "out of memory");

		if (rc < 0) {
			free_rdt(rdt);
			return rc;
		}
		m->rdt = rdt;
		m->rdt_free = free_rdt;
	}
	*ret_rdt = m->rdt;
	return UNC_OK;
}

int unc_llc_info(struct unc_machine *m, struct unc_llc_info *ret_info)
{
	const struct unc_rdt *rdt;
	int rc = unc_rdt_of(m, &rdt);

	if (rc == 0)
		*ret_info = rdt->info;
	return rc;
}

int unc_l3_info(struct unc_machine *m, size_t l3, struct unc_l3_info *ret_info)
{
	const struct unc_rdt *rdt;
	const struct unc_l3 *found;
	int rc = unc_rdt_of(m, &rdt);

	if (rc < 0)
		return rc;
	if (l3 >= rdt->info.n_l3s)
		return unc_fail(m->ctx, UNC_ENODEV, "this machine has %zu L3 caches that can be monitored, not %zu",
				rdt->info.n_l3s, l3 + 1);
	found = &rdt->l3s[l3];
	*ret_info = (struct unc_l3_info){
		.id = found->id,
		.package = found->package,
		.bytes = found->bytes,
		.cpus = found->text,
		.first_cpu = found->cpus[0],
		.n_cpus = found->n_cpus,
	};
	return UNC_OK;
}

const char *unc_l3_name(const struct unc_rdt *rdt, unsigned id, char buf[UNC_L3_NAME])
{
	snprintf(buf, UNC_L3_NAME, "l3-%u", id);
	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		if (rdt->l3s[i].id == id)
			snprintf(buf, UNC_L3_NAME, "socket%u.l3-%u", rdt->l3s[i].package, id);
	return buf;
}
