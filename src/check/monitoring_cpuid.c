// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What CPUID reports of cache monitoring: it must not contradict itself, and every CPU must report the same.  Intel SDM vol. 3,
 * "Cache Monitoring Technology"; AMD 56375.  Leaves that are not announced are not read.
 */
#include "base/text.h"
#include "check/monitoring.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rdt/leaves.h"

enum { LEAVES_MAX = 16, BMEC_EVENTS = 2 };

struct leaf {
	uint32_t leaf, subleaf;
	uint32_t compared[4]; /* bits of EAX, EBX, ECX, EDX that must be equal on every CPU */
	uint32_t says[4];     /* what the first CPU reports */
};

struct leaves {
	struct leaf leaves[LEAVES_MAX];
	size_t n;
};

static void list(struct leaves *all, uint32_t leaf, uint32_t subleaf)
{
	const uint32_t every = UINT32_MAX;

	if (all->n < LEAVES_MAX)
		all->leaves[all->n++] =
			(struct leaf){.leaf = leaf, .subleaf = subleaf, .compared = {every, every, every, every}};
}

/* Of the first CPU all is kept, of the others only differences: a machine may have hundreds of CPUs. */
static int ask(struct unc_check *c, unsigned cpu, struct leaves *all, bool first)
{
	static const char *const names[] = {"EAX", "EBX", "ECX", "EDX"};

	for (size_t i = 0; i < all->n; i++) {
		struct leaf *leaf = &all->leaves[i];
		struct unc_cpuid_regs regs = {0};
		bool differs = false;
		int rc = unc_rdt_cpuid_or_0(c->m, cpu, leaf->leaf, leaf->subleaf, &regs);
		const uint32_t says[] = {regs.eax, regs.ebx, regs.ecx, regs.edx};

		if (rc < 0)
			return rc;
		if (first)
			memcpy(leaf->says, says, sizeof(says));
		for (unsigned k = 0; k < 4; k++)
			differs |= ((says[k] ^ leaf->says[k]) & leaf->compared[k]) != 0;
		for (unsigned k = 0; k < 4 && (first || differs); k++) {
			char name[60], what[40];

			snprintf(name, sizeof(name), "CPUID 0x%" PRIx32 ".%" PRIu32 " %s", leaf->leaf, leaf->subleaf,
				 names[k]);
			snprintf(what, sizeof(what), "cpu %u", cpu);
			if (leaf->compared[k] && !unc_check_compare(c, unc_seen_value(name, what, says[k]),
								    leaf->says[k], leaf->compared[k]))
				unc_check_fail(c, "cpu %u says 0x%" PRIx32 " in %s, other CPUs 0x%" PRIx32, cpu,
					       says[k], name, leaf->says[k]);
		}
	}
	return UNC_OK;
}

/* What AMD's leaf announces must be described in the sub-leaf that it announces. */
static void check_amd(struct unc_check *c, const struct unc_rdt_leaves *said)
{
	const struct unc_cpuid_regs *bmec = &said->amd[UNC_RDT_AMD_BMEC], *abmc = &said->amd[UNC_RDT_AMD_ABMC];

	if (unc_rdt_bit(said->amd[0].ebx, UNC_RDT_AMD_BMEC) && (!bmec->ecx || bmec->ebx > BMEC_EVENTS))
		unc_check_fail(c,
			       "CPUID 0x80000020.0 EBX bit %d (BMEC) is 1, but sub-leaf %d says that %" PRIu32
			       " events can be set (EBX), to bits 0x%" PRIx32 " (ECX)",
			       UNC_RDT_AMD_BMEC, UNC_RDT_AMD_BMEC, bmec->ebx, bmec->ecx);
	if (unc_rdt_bit(said->amd[0].ebx, UNC_RDT_AMD_ABMC) && !(abmc->ebx & 0xffff))
		unc_check_fail(c,
			       "CPUID 0x80000020.0 EBX bit %d (ABMC) is 1, but sub-leaf %d says that there is one "
			       "counter (EBX 0x%" PRIx32 ")",
			       UNC_RDT_AMD_ABMC, UNC_RDT_AMD_ABMC, abmc->ebx);
}

int unc_mon_cpuid(struct unc_check *c)
{
	struct unc_rdt_leaves said;
	struct leaves all = {.n = 0};
	const struct unc_rdt *rdt = NULL;
	char events[80] = "", width[60] = "";
	unsigned n = 0;
	int rc;

	unc_check_begin(c, "machine");
	rc = unc_rdt_leaves_read(c->m, &said);
	if (rc < 0)
		return unc_mon_broke(c, rc);
	/* Leaf 7 also reports much else, in which cores may differ: PQM is bit 12 of EBX, PQE bit 15. */
	all.leaves[all.n++] = (struct leaf){.leaf = 7, .compared = {0, 1 << 12 | 1 << 15, 0, 0}};
	for (unsigned i = 0; i < 2 && said.highest >= 0xf; i++)
		list(&all, 0xf, i);
	for (unsigned i = 0; i < UNC_RDT_RESOURCES && said.highest >= 0x10 && unc_rdt_bit(said.features, 15); i++)
		if (i == 0 || unc_rdt_bit(said.allocation[0].ebx, i))
			list(&all, 0x10, i);
	for (unsigned i = 0; i < UNC_RDT_AMD_LEAVES && said.amd[0].ebx; i++)
		if (i == 0 || unc_rdt_bit(said.amd[0].ebx, i))
			list(&all, 0x80000020, i);
	rc = ask(c, said.cpu, &all, true);
	if (rc == 0)
		rc = unc_rdt_of(c->m, &rdt);
	if (rc < 0 || !rdt)
		return unc_check_broke(c, rc); /* the answers contradict each other: the sentence has both */
	check_amd(c, &said);
	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		for (size_t k = 0; k < rdt->l3s[i].n_cpus && rc == 0; k++, n++)
			rc = ask(c, rdt->l3s[i].cpus[k], &all, false);
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
		if (rdt->info.events >> event & 1)
			unc_text_join(events, sizeof(events), ", ", "%s", unc_llc_event_name(event));
	if (rdt->info.events >> UNC_LLC_TOTAL)
		snprintf(width, sizeof(width), " (counters of %u bits)", rdt->info.counter_bits);
	unc_check_pass(
		c, "RMIDs 0 to %u, units of %" PRIu64 " bytes, %s%s, and no answer contradicts another on %u CPU%s",
		rdt->info.cpuid_max_rmid, rdt->info.unit_bytes * rdt->info.nodes, events, width, n, n == 1 ? "" : "s");
	return unc_check_broke(c, rc);
}
