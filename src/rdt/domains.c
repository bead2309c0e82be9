// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which CPUs share an L3, from APIC IDs.  EAX[25:14] + 1 of leaf 4 (0x8000001d on AMD), rounded up to a power of two, is
 * how many IDs share it.  An ID without the low bits for that is the number of the L3, the same as in Linux and resctrl.  A
 * socket is not an L3: AMD has one for each core complex.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rdt/leaves.h"

struct member { /* an online CPU */
	unsigned cpu;
	uint32_t apic, l3;
	int package, node, os_l3;
};

struct search {
	struct unc_machine *m;
	const struct unc_rdt_leaves *leaves;
	struct unc_rdt *rdt;
	struct member *members; /* owned */
	size_t n;
	struct unc_rdt_shape shape;
};

static int order(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_apic(const void *a, const void *b)
{
	return order(((const struct member *)a)->apic, ((const struct member *)b)->apic);
}

static int by_l3(const void *a, const void *b)
{
	const struct member *ma = a, *mb = b;
	int by = order(ma->l3, mb->l3);

	return by ? by : order(ma->cpu, mb->cpu);
}

static bool all_told(const struct search *s, bool packages)
{
	for (size_t i = 0; i < s->n; i++)
		if ((packages ? s->members[i].package : s->members[i].os_l3) < 0)
			return false;
	return true;
}

/* Takes the L3s from the operating system, if CPUID does not distinguish the CPUs. */
static int l3_by_system(struct search *s, unsigned bits)
{
	bool lists = all_told(s, false);

	if (!lists && (!all_told(s, true) || s->shape.id_bits < bits))
		return unc_fail(s->m->ctx, UNC_ENODATA,
				"this machine does not tell which CPUs share an L3 cache: CPUID cannot be asked on "
				"each CPU, and the operating system's lists are not there");
	for (size_t i = 0; i < s->n; i++) {
		struct member *member = &s->members[i];

		member->l3 = (uint32_t)(lists ? member->os_l3 : member->package);
		if (member->package < 0)
			member->package = 0;
	}
	if (!lists)
		return UNC_OK;
	/* Each L3 had its lowest CPU as number; now it gets the number of L3s below it. */
	qsort(s->members, s->n, sizeof(*s->members), by_l3);
	for (size_t i = 0, number = 0; i < s->n; i++) {
		bool last = i + 1 == s->n || s->members[i + 1].l3 != s->members[i].l3;

		s->members[i].l3 = (uint32_t)number;
		number += last;
	}
	return UNC_OK;
}

/* Both CPUID and the system report L3s; where they differ, CPUID is used.  Members are sorted by L3. */
static void compare(const struct search *s)
{
	const struct member *first = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct member *member = &s->members[i];

		if (!first || first->l3 != member->l3)
			first = member;
		if (member->os_l3 >= 0 && (unsigned)member->os_l3 != first->cpu) {
			unc_note(s->m->ctx,
				 "CPU %u is of L3 %" PRIu32
				 " with CPU %u as its lowest by CPUID, but of one with CPU %d by the operating system "
				 "(shared_cpu_list): CPUID is believed, for all CPUs",
				 member->cpu, member->l3, first->cpu, member->os_l3);
			return;
		}
		if (member->package != first->package) {
			unc_note(s->m->ctx,
				 "CPUs %u and %u share L3 %" PRIu32 " by CPUID, but are in packages %d and %d by the "
				 "operating system: CPUID is believed, for all CPUs",
				 first->cpu, member->cpu, member->l3, first->package, member->package);
			return;
		}
	}
}

/* Fails if CPUID says that CPUs of two packages share an L3: one of the two answers must be wrong.  Members are sorted by L3. */
static int check_packages(const struct search *s, unsigned bits)
{
	for (size_t i = 1; i < s->n; i++) {
		const struct member *a = &s->members[i - 1], *b = &s->members[i];

		if (a->l3 == b->l3 && a->apic >> bits != b->apic >> bits)
			return unc_fail(s->m->ctx, UNC_ENOSUP,
					"CPUID says that %u bits of an APIC id tell which CPUs share an L3, so that "
					"CPUs %u (0x%" PRIx32 ") and %u (0x%" PRIx32
					") do, but only %u bits the CPUs of a package, so that these are of two: these "
					"answers contradict each other, so neither is believed",
					s->shape.id_bits, a->cpu, a->apic, b->cpu, b->apic, bits);
	}
	return UNC_OK;
}

static int make_l3s(struct search *s)
{
	struct unc_rdt *rdt = s->rdt;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += !i || s->members[i].l3 != s->members[i - 1].l3;
	rdt->l3s = calloc(n ? n : 1, sizeof(*rdt->l3s));
	if (!rdt->l3s)
		return unc_fail(s->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0, end; i < s->n; i = end) {
		const struct member *first = &s->members[i];
		struct unc_l3 *l3 = &rdt->l3s[rdt->info.n_l3s++];

		for (end = i + 1; end < s->n && s->members[end].l3 == first->l3;)
			end++;
		*l3 = (struct unc_l3){
			.id = first->l3,
			.package = (unsigned)first->package,
			.bytes = s->shape.bytes,
			.cpus = calloc(end - i, sizeof(*l3->cpus)),
			.nodes = calloc(end - i, sizeof(*l3->nodes)),
			.n_cpus = end - i,
		};
		for (size_t k = 0; k < l3->n_cpus && l3->cpus && l3->nodes; k++) {
			l3->cpus[k] = first[k].cpu;
			l3->nodes[k] = first[k].node;
		}
		l3->text = l3->cpus && l3->nodes ? unc_rdt_cpu_list(l3->cpus, l3->n_cpus) : NULL;
		if (!l3->text)
			return unc_fail(s->m->ctx, UNC_ENOMEM, "out of memory");
	}
	return UNC_OK;
}

static int group(struct search *s)
{
	uint32_t leaf;
	unsigned bits = 0;
	bool each;
	int rc = unc_rdt_apic_leaf(s->m, s->leaves, &leaf);

	if (rc == 0)
		rc = unc_rdt_package_bits(s->m, s->leaves, leaf, &bits);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < s->n; i++)
		rc = unc_rdt_apic_id(s->m, leaf, s->members[i].cpu, &s->members[i].apic);
	if (rc < 0 && rc != UNC_ENODEV && rc != UNC_ENODATA) /* these two mean that CPUID cannot be read on each CPU */
		return rc;
	/* Where two CPUs have the same APIC ID, they were not read on each CPU, as in a dump of one CPU that is used for all. */
	each = rc == 0;
	qsort(s->members, s->n, sizeof(*s->members), by_apic);
	for (size_t i = 1; i < s->n && each; i++)
		each = s->members[i].apic != s->members[i - 1].apic;
	for (size_t i = 0; i < s->n && each; i++) {
		struct member *member = &s->members[i];

		member->l3 = member->apic >> s->shape.id_bits;
		if (member->package < 0)
			member->package = (int)(member->apic >> bits);
	}
	if (!each)
		rc = l3_by_system(s, bits);
	if (rc < 0)
		return rc;
	qsort(s->members, s->n, sizeof(*s->members), by_l3);
	if (each) {
		rc = check_packages(s, bits);
		if (rc < 0)
			return rc;
		compare(s);
	}
	return make_l3s(s);
}

int unc_rdt_domains(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	struct search s = {.m = m, .leaves = leaves, .rdt = rdt};
	const struct unc_host_cpu *cpus;
	size_t n;
	int rc = unc_rdt_l3_shape(m, leaves, &s.shape);

	if (rc < 0)
		return rc;
	rc = unc_machine_cpus(m, &cpus, &n);
	if (rc < 0)
		return unc_wrap(m->ctx, rc, "this machine does not tell which CPUs share an L3");
	s.members = calloc(n ? n : 1, sizeof(*s.members));
	rdt->present = calloc(n ? n : 1, sizeof(*rdt->present));
	for (size_t i = 0; i < n && s.members && rdt->present; i++) {
		rdt->present[rdt->n_present++] = cpus[i].cpu;
		if (cpus[i].online)
			s.members[s.n++] = (struct member){
				.cpu = cpus[i].cpu,
				.package = cpus[i].package,
				.node = cpus[i].node,
				.os_l3 = cpus[i].l3,
			};
	}
	if (!s.members || !rdt->present)
		rc = unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	else if (!s.n)
		rc = unc_fail(m->ctx, UNC_ENODATA, "this machine tells of no CPU that is online");
	else
		rc = group(&s);
	free(s.members);
	return rc;
}
