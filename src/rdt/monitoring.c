// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * What CPUID reports about monitoring: leaf 7 EBX[12] (PQM), 0xf.0 (EBX highest RMID of all resources, EDX[1] L3), 0xf.1
 * (EAX[7:0] counter width, [8] overflow bit, [9] and [10] agents that are not CPUs; EBX bytes of a unit; ECX highest RMID; EDX
 * events). Values that cannot all be true are refused: programs that believed one of them were wrong by arbitrary factors.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "map/field.h"
#include "rdt/leaves.h"

#define GB_S UINT64_C(1000000000)

/*
 *
 * Bits of a bandwidth counter: 24 + EAX[7:0] on Intel; if AMD or Hygon report 0 it is 44 and 32 (kernel 0c4d5ba1b998,
 * 2c18bd525c47).  The kernel ignores an offset above 38, which is more than the 62 bits of data allow; but what such a counter
 * does, and how soon it wraps, is not known.
 */
enum { BASE_BITS = 24, OFFSET_AMD = 20, OFFSET_HYGON = 8, OFFSET_MAX = 38, DATA_BITS = 61 };

static void set_width(const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	unsigned offset = leaves->l3_monitoring.eax & 0xff;

	if (!offset && leaves->vendor == UNC_RDT_AMD)
		offset = OFFSET_AMD;
	else if (!offset && leaves->vendor == UNC_RDT_HYGON)
		offset = OFFSET_HYGON;
	rdt->info.counter_bits = BASE_BITS + offset;
	/* Bit 61 of IA32_QM_CTR may be the overflow bit.  A difference of fewer bits is correct, too. */
	if (rdt->info.counter_bits > DATA_BITS)
		rdt->info.counter_bits = DATA_BITS;
}

/*
 *
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

	if (leaves->vendor == UNC_RDT_UNKNOWN)
		snprintf(why, size,
			 "CPUID names the vendor %s; those whose monitoring is known here are GenuineIntel, "
			 "AuthenticAMD and HygonGenuine",
			 m->cpu.vendor);
	else if (leaves->highest < 7)
		snprintf(why, size, "CPUID leaf 7, which would announce it, lies beyond its highest leaf 0x%" PRIx32,
			 leaves->highest);
	else if (!unc_rdt_bit(leaves->features, 12) && leaves->highest < 0xf)
		snprintf(why, size,
			 "CPUID leaf 0xf lies beyond its highest leaf 0x%" PRIx32 ", and leaf 7 EBX bit 12 (PQM) is 0",
			 leaves->highest);
	else if (!unc_rdt_bit(leaves->features, 12))
		snprintf(why, size, "CPUID leaf 7 EBX bit 12 (PQM) is 0");
	else if (leaves->highest >= 0xf && !unc_rdt_bit(leaves->monitoring.edx, 1))
		snprintf(why, size, "CPUID leaf 0xf EDX bit 1 (L3) is 0");
	return why[0];
}

/* Returns the highest RMID that fits the register; 0: no map describes it. */
static uint64_t widest_rmid(struct unc_machine *m, unsigned cpu)
{
	const struct unc_reg *reg;
	const struct unc_field *field;
	struct unc_box *box;

	if (unc_machine_cpu_box(m, "rdt", cpu, &box) < 0)
		return 0;
	reg = unc_unit_reg(box->unit, "PQR_ASSOC");
	field = reg ? unc_reg_field(reg, "rmid") : NULL;
	return field ? unc_field_max(field) : 0;
}

static bool same(const struct unc_cpuid_regs *a, const struct unc_cpuid_regs *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static int contradiction(struct unc_machine *m, const struct unc_rdt_leaves *leaves)
{
	const struct unc_cpuid_regs *all = &leaves->monitoring, *l3 = &leaves->l3_monitoring;
	static const char end[] = "these answers of CPUID contradict each other, so neither is believed";
	uint64_t widest;

	if (leaves->highest < 0xf)
		return unc_fail(
			m->ctx, UNC_ENOSUP,
			"CPUID leaf 7 EBX bit 12 (PQM) is 1, but leaf 0xf lies beyond the highest leaf 0x%" PRIx32
			": %s",
			leaves->highest, end);
	if (l3->eax && same(l3, &leaves->allocation[UNC_RDT_L3]))
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 says %" PRIx32 "-%" PRIx32 "-%" PRIx32 "-%" PRIx32
				", which is what leaf 0x10.1 (allocation) says: %s",
				l3->eax, l3->ebx, l3->ecx, l3->edx, end);
	if (!l3->edx || l3->edx >> UNC_LLC_EVENTS)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 EDX is 0x%" PRIx32 ", but events are bits 0 to 2 (with EBX 0x%" PRIx32
				", ECX 0x%" PRIx32 "), and leaf 0xf.0 EDX 0x%" PRIx32 " announces some: %s",
				l3->edx, l3->ebx, l3->ecx, all->edx, end);
	if (l3->ecx > all->ebx || !l3->ecx)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 ECX says that the highest RMID of an L3 is 0x%" PRIx32
				", leaf 0xf.0 EBX that of all resources is 0x%" PRIx32 ": %s",
				l3->ecx, all->ebx, end);
	if (!l3->ebx)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 EBX says that a unit is 0 bytes, and EDX 0x%" PRIx32
				" that there are events counted in it: %s",
				l3->edx, end);
	if (l3->edx >> UNC_LLC_TOTAL && (l3->eax & 0xff) > OFFSET_MAX)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 EAX 0x%" PRIx32 " says that bandwidth counters have %" PRIu32
				" bits, but IA32_QM_CTR has room for %u only: %s",
				l3->eax, BASE_BITS + (l3->eax & 0xff), BASE_BITS + OFFSET_MAX, end);
	widest = widest_rmid(m, leaves->cpu);
	if (widest && l3->ecx > widest)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 ECX says that the highest RMID is 0x%" PRIx32
				", but IA32_PQR_ASSOC has room for 0x%" PRIx64 " only: %s",
				l3->ecx, widest, end);
	return UNC_OK;
}

int unc_rdt_monitoring(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	const struct unc_cpuid_regs *l3 = &leaves->l3_monitoring;
	int rc;

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
	set_width(leaves, rdt);
	rdt->info.full_speed = full_speed(&m->cpu, leaves, rdt->info.counter_bits);
	return UNC_OK;
}
