// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which CPUs share an L3, from APIC IDs.  EAX[25:14] + 1 of leaf 4 (0x8000001d on AMD), rounded up to a power of two, is
 * how many IDs share it.  An ID without the low bits for that is the number of the L3, the same as in Linux and resctrl.  A
 * socket is not an L3: AMD has one for each core complex.
 */

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

static int by_apic(const void *a, const void *b)
{
	return unc_order(((const struct member *)a)->apic, ((const struct member *)b)->apic);
}

static int by_l3(const void *a, const void *b)
{
	const struct member *ma = a, *mb = b;
	int by = unc_order(ma->l3, mb->l3);

	return by ? by : unc_order(ma->cpu, mb->cpu);
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
	for (struct member *member = s->members; member < s->members + s->n; member++) {
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

	for (const struct member *member = s->members; member < s->members + s->n; member++) {
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
	for (struct member *member = s->members; member < s->members + s->n && each; member++) {
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

/*
 * Sub-NUMA clustering divides an L3 into parts, each with a NUMA node and memory channels of its own.  RMIDs are divided too, and
 * a unit of IA32_QM_CTR is smaller by the number of parts, since it counts in one part and not in the whole: Intel 356688, "Intel
 * RDT Compatibility with Sub-NUMA Clustering".  CPUID does not report it; Linux finds it by counting CPUs as well
 * (snc_get_config).
 */

enum { PARTS_MAX = 6 };

/* The NUMA nodes of the CPUs of one L3. */
struct nodes {
	int nodes[PARTS_MAX + 1]; /* one too many tells that there are more than parts */
	unsigned n;
};

static bool has_node(const struct nodes *nodes, int node)
{
	for (unsigned i = 0; i < nodes->n; i++)
		if (nodes->nodes[i] == node)
			return true;
	return false;
}

static struct nodes nodes_of(const struct unc_l3 *l3)
{
	struct nodes nodes = {0};

	for (size_t i = 0; i < l3->n_cpus; i++)
		if (nodes.n <= PARTS_MAX && !has_node(&nodes, l3->nodes[i]))
			nodes.nodes[nodes.n++] = l3->nodes[i];
	return nodes;
}

/*
 * Returns the most nodes that an L3 has; 1 if the node of a CPU is not known.  With CPUs offline a part may seem to be missing.
 */
static unsigned count_nodes(const struct unc_rdt *rdt)
{
	unsigned most = 1;

	for (const struct unc_l3 *l3 = rdt->l3s; l3 < rdt->l3s + rdt->info.n_l3s; l3++) {
		struct nodes nodes = nodes_of(l3);

		for (size_t k = 0; k < l3->n_cpus; k++)
			if (l3->nodes[k] < 0)
				return 1;
		if (nodes.n > most)
			most = nodes.n;
	}
	return most;
}

/* True if a node is in two L3s: then it is not a part of one. */
static bool straddles(const struct unc_rdt *rdt)
{
	for (size_t i = 0; i < rdt->info.n_l3s; i++) {
		struct nodes nodes = nodes_of(&rdt->l3s[i]);

		for (size_t k = i + 1; k < rdt->info.n_l3s; k++)
			for (size_t cpu = 0; cpu < rdt->l3s[k].n_cpus; cpu++)
				if (has_node(&nodes, rdt->l3s[k].nodes[cpu]))
					return true;
	}
	return false;
}

/*
 * True for the models whose parts have RMIDs of their own, as in Linux: Ice Lake, Sapphire, Emerald and Granite Rapids, Sierra
 * and Clearwater Forest.
 */
static bool divides(const struct unc_machine *m)
{
	static const unsigned models[] = {0x6a, 0x8f, 0xcf, 0xad, 0xaf, 0xdd};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (m->cpu.family == 6 && m->cpu.model == models[i])
			return true;
	return false;
}

/*
 * Reads bit 0 of RMID_SNC_CONFIG, which must be the same in all packages.  UNC_ENODATA: it cannot be read, as in a virtual
 * machine, whose nodes need not be clusters; UNC_ENOSUP: packages differ.
 */
static int read_mode(struct unc_machine *m, const struct unc_rdt *rdt, enum unc_snc *ret_snc)
{
	uint64_t local = 0, other;

	for (size_t i = 0; i < rdt->info.n_l3s; i++) {
		int rc = unc_rdt_field(m, rdt->l3s[i].cpus[0], "RMID_SNC_CONFIG", 0, "local", &other);

		if (rc < 0)
			return rc == UNC_ENOMEM ? rc : UNC_ENODATA;
		if (i && other != local)
			return unc_fail(m->ctx, UNC_ENOSUP,
					"RMID_SNC_CONFIG bit 0 is %u on CPU %u and %u on CPU %u: how RMIDs are divided "
					"among NUMA nodes must be the same everywhere",
					(unsigned)local, rdt->l3s[0].cpus[0], (unsigned)other, rdt->l3s[i].cpus[0]);
		local = other;
	}
	*ret_snc = local ? UNC_SNC_LOCAL : UNC_SNC_SHARING;
	return UNC_OK;
}

/*
 * Divides RMIDs and units, if the mode can be read.  UNC_ENOSUP: packages differ, or a node's unit would not be a whole number of
 * bytes, which has no meaning.
 */
static int divide(struct unc_machine *m, struct unc_rdt *rdt, unsigned nodes)
{
	unsigned each = (rdt->info.cpuid_max_rmid + 1) / nodes;
	int rc = read_mode(m, rdt, &rdt->snc);

	if (rc == UNC_ENODATA) {
		unc_rdt_warn(rdt,
			     "%u NUMA nodes share an L3, and how that divides RMIDs cannot be read (%.300s): they are "
			     "taken as undivided",
			     nodes, m->ctx->msg);
		return UNC_OK;
	}
	if (rc < 0)
		return rc;
	if (rdt->info.unit_bytes % nodes)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"CPUID leaf 0xf.1 EBX says that a unit is %" PRIu64
				" bytes, which cannot be divided among the %u NUMA nodes that share an L3: these "
				"contradict each other, so neither is believed",
				rdt->info.unit_bytes, nodes);
	rdt->info.nodes = nodes;
	rdt->info.unit_bytes /= nodes;
	if (rdt->snc == UNC_SNC_SHARING)
		rdt->info.max_rmid = each - 1;
	else
		unc_rdt_warn(rdt,
			     "%u NUMA nodes share an L3, and RMID_SNC_CONFIG bit 0 is 1: each of them has %u RMIDs of "
			     "its own, which count nothing that is done in the others (Linux sets it to 0 where it "
			     "uses resctrl)",
			     nodes, each);
	return UNC_OK;
}

/* Returns how many cores of the L3 have a CPU online; 0: not known. */
static unsigned cores_online(struct unc_machine *m, const struct unc_l3 *l3, uint32_t leaf, unsigned thread_bits)
{
	uint32_t *cores = calloc(l3->n_cpus, sizeof(*cores));
	unsigned n = 0;

	for (size_t i = 0; i < l3->n_cpus && cores; i++) {
		unsigned k = 0;
		uint32_t id;

		if (unc_rdt_apic_id(m, leaf, l3->cpus[i], &id) < 0) {
			n = 0;
			break;
		}
		while (k < n && cores[k] != id >> thread_bits)
			k++;
		cores[k] = id >> thread_bits;
		n += k == n;
	}
	free(cores);
	return n;
}

/*
 * True if so many cores of every L3 are offline that all online ones may be in one part of it.  Leaf 0xb or 0x1f: EAX[4:0] of the
 * first level is the number of bits for threads of a core; EBX[15:0] the CPUs of a level, including offline ones.
 */
static bool may_be_hidden(struct unc_machine *m, const struct unc_rdt_leaves *leaves, const struct unc_rdt *rdt)
{
	enum { LEVELS_MAX = 8 };
	unsigned all = 0, threads = 0, thread_bits = 0;
	size_t n_online = 0;
	uint32_t leaf;

	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		n_online += rdt->l3s[i].n_cpus;
	if (rdt->n_present <= n_online || unc_rdt_apic_leaf(m, leaves, &leaf) < 0 || leaf == 1)
		return false;
	for (uint32_t i = 0; i < LEVELS_MAX; i++) {
		struct unc_cpuid_regs regs;

		if (unc_rdt_cpuid_or_0(m, leaves->cpu, leaf, i, &regs) < 0 || !(regs.ecx & 0xff00))
			break;
		all = regs.ebx & 0xffff;
		if (i > 0)
			continue;
		threads = all;
		thread_bits = regs.eax & 0x1f;
	}
	for (size_t i = 0; i < rdt->info.n_l3s; i++) {
		unsigned n = cores_online(m, &rdt->l3s[i], leaf, thread_bits);

		if (n == 0 || !threads || 2 * n > all / threads)
			return false;
	}
	return true;
}

int unc_rdt_snc(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	unsigned nodes = leaves->vendor == UNC_RDT_INTEL ? count_nodes(rdt) : 1;
	const char *more = nodes > PARTS_MAX ? "more than " : "";
	unsigned shown = nodes > PARTS_MAX ? PARTS_MAX : nodes;
	int rc = UNC_OK;

	rdt->info.nodes = 1;
	/* As in Linux, 2, 3, 4 or 6 nodes are clusters, if each is within one L3 and has an RMID besides 0. */
	if (nodes > 1 && !divides(m))
		unc_rdt_warn(rdt,
			     "%s%u NUMA nodes share an L3, and no document tells what that does to the RMIDs of this "
			     "part: they are taken as undivided",
			     more, shown);
	else if (nodes == 5 || nodes > PARTS_MAX ||
		 (nodes > 1 && ((rdt->info.cpuid_max_rmid + 1) / nodes <= 1 || straddles(rdt))))
		unc_note(m->ctx,
			 "%s%u NUMA nodes share an L3 of %u RMIDs, which no sub-NUMA clustering makes: RMIDs are taken "
			 "as undivided",
			 more, shown, rdt->info.cpuid_max_rmid + 1);
	else if (nodes > 1)
		rc = divide(m, rdt, nodes);
	else if (leaves->vendor == UNC_RDT_INTEL && divides(m) && may_be_hidden(m, leaves, rdt))
		unc_rdt_warn(
			rdt,
			"so many CPUs are offline that sub-NUMA clustering, if it is on, cannot be seen: then these "
			"numbers are as many times too large as an L3 has NUMA nodes; a CPU of each should be online");
	/*
	 * Replaces the operating system's node numbers by those of parts: the rank of a node among those of its L3.  If not all
	 * of them have a CPU online, it is the remainder of the node's number, as in Linux, since nodes are numbered consecutively.
	 */
	for (struct unc_l3 *l3 = rdt->l3s; l3 < rdt->l3s + rdt->info.n_l3s; l3++) {
		struct nodes of_l3 = nodes_of(l3);
		bool ranked = of_l3.n == rdt->info.nodes;

		for (size_t k = 0; k < l3->n_cpus; k++) {
			int node = l3->nodes[k];

			l3->nodes[k] = ranked ? 0 : (int)((unsigned)node % rdt->info.nodes);
			for (unsigned n = 0; n < of_l3.n && ranked; n++)
				l3->nodes[k] += of_l3.nodes[n] < node;
		}
	}
	return rc;
}
