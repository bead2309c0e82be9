// SPDX-License-Identifier: GPL-2.0-or-later
#include "onrdt.h"

static const struct unc_cpuid_regs *leaf_of(struct onrdt *o, uint32_t leaf, uint32_t subleaf)
{
	for (size_t i = 0; i < o->n_leaves; i++)
		if (o->leaves[i].leaf == leaf && o->leaves[i].subleaf == subleaf)
			return &o->leaves[i].regs;
	return NULL;
}

static void topology_leaf(const struct onrdt *o, uint32_t apic, uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	*regs = (struct unc_cpuid_regs){.ecx = subleaf, .edx = apic};
	if (subleaf == 0)
		*regs = (struct unc_cpuid_regs){1, 2, 0x100, apic};
	else if (subleaf == 1)
		*regs = (struct unc_cpuid_regs){o->package_bits, 16, 0x201, apic};
}

static int answer(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	static const struct unc_cpuid_regs none, leaf_d = {7, 0x340, 0x340, 0};
	struct onrdt *o = (struct onrdt *)host;
	const struct unc_cpuid_regs *found = leaf_of(o, leaf, subleaf), *first = leaf_of(o, leaf & 0x80000000, 0);
	uint32_t apic = o->apic[0];
	size_t i = 0;

	o->asked++;
	while (i < o->n_cpus && o->cpus[i].cpu != cpu)
		i++;
	if (i == o->n_cpus || !o->cpus[i].online)
		return unc_fail(host->ctx, UNC_ENODEV, "cpu %u: it is not there", cpu);
	if (o->unasked && cpu != unc_machine_first_cpu(o->m))
		return unc_fail(host->ctx, o->unasked, "cpu %u: it cannot be asked", cpu);
	if (!o->one_cpu)
		apic = o->apic[i];
	if (leaf < 0x80000000 && leaf > o->highest_asked)
		o->highest_asked = leaf;
	*ret_regs = found ? *found : none;
	if (!first || leaf > first->eax)
		*ret_regs = leaf_d;
	else if (leaf == 0xb && (!found || found->ebx))
		topology_leaf(o, apic, subleaf, ret_regs);
	else if (leaf == 0x1f && found)
		ret_regs->edx = apic;
	else if (leaf == 0x8000001e)
		ret_regs->eax = apic;
	else if (leaf == 1)
		ret_regs->ebx = apic << 24 | 1u << o->package_bits << 16;
	return UNC_OK;
}

static int tell_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct onrdt *o = (struct onrdt *)host;

	if (o->no_lists)
		return unc_fail(host->ctx, UNC_ENODATA, "this machine does not tell which CPUs share a cache");
	*ret_cpus = calloc(o->n_cpus, sizeof(**ret_cpus));
	CU_ASSERT_PTR_NOT_NULL_FATAL(*ret_cpus);
	memcpy(*ret_cpus, o->cpus, o->n_cpus * sizeof(**ret_cpus));
	*ret_n = o->n_cpus;
	return UNC_OK;
}

struct msr_bus {
	struct unc_bus bus; /* first */
	struct onrdt *o;
};

static void msr_close(struct unc_bus *bus)
{
	free(bus);
}

static int msr_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_space *space = calloc(1, sizeof(*space));

	CU_ASSERT_PTR_NOT_NULL_FATAL(space);
	*space = (struct unc_space){.bus = bus, .addr = *addr, .len = UINT64_C(1) << 32};
	*ret_space = space;
	return UNC_OK;
}

static void msr_space_close(struct unc_space *space)
{
	free(space);
}

static int msr_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	const struct onrdt *o = ((struct msr_bus *)space->bus)->o;

	CU_ASSERT_EQUAL_FATAL(len, 8);
	for (size_t i = 0; i < o->n_msrs; i++) {
		if (o->msrs[i].number != off)
			continue;
		unc_put_le64(buf, o->msrs[i].value);
		return UNC_OK;
	}
	return unc_fail(space->bus->ctx, UNC_EIO, "cpu %u: read MSR 0x%" PRIx64 ": Input/output error",
			space->addr.msr.cpu, off);
}

static const struct unc_bus_ops msr_ops = {
	.name = "msr",
	.close = msr_close,
	.space_open = msr_space_open,
	.space_close = msr_space_close,
	.read = msr_read,
};

static int open_bus(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct onrdt *o = (struct onrdt *)host;
	struct msr_bus *bus;

	CU_ASSERT_EQUAL(kind, UNC_MSR);
	CU_ASSERT_FALSE(writable);
	if (o->msr_rc)
		return unc_fail(host->ctx, o->msr_rc, "msr: Permission denied");
	bus = calloc(1, sizeof(*bus));
	CU_ASSERT_PTR_NOT_NULL_FATAL(bus);
	*bus = (struct msr_bus){.bus = {.ops = &msr_ops, .ctx = host->ctx, .kind = kind}, .o = o};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

static const struct unc_host_ops ops = {.cpuid = answer, .cpus = tell_cpus, .bus_open = open_bus};

static void keep_note(void *arg, const char *note)
{
	struct onrdt *o = arg;
	size_t len = strlen(o->notes);

	snprintf(o->notes + len, sizeof(o->notes) - len, "%s\n", note);
}

static void begin(struct onrdt *o, uint32_t highest, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	onrdt_close(o);
	memset(o, 0, sizeof(*o));
	CU_ASSERT_FATAL(unc_new(&o->ctx) == 0);
	unc_set_log(o->ctx, keep_note, o);
	o->host = (struct unc_host){.ops = &ops, .ctx = o->ctx};
	o->m = calloc(1, sizeof(*o->m));
	CU_ASSERT_PTR_NOT_NULL_FATAL(o->m);
	o->m->ctx = o->ctx;
	o->m->host = &o->host;
	onrdt_set(o, 0, 0, highest, ebx, ecx, edx);
}

void onrdt_intel(struct onrdt *o, uint32_t signature, uint32_t features)
{
	begin(o, 0x10, VENDOR_INTEL);
	onrdt_set(o, 1, 0, signature, 0, 0, 0);
	onrdt_set(o, 7, 0, 0, features, 0, 0);
	onrdt_cpus(o, 16, 1, 6);
}

void onrdt_amd(struct onrdt *o, uint32_t signature, uint32_t features)
{
	begin(o, 0x10, VENDOR_AMD);
	onrdt_set(o, 1, 0, signature, 0, 0, 0);
	onrdt_set(o, 7, 0, 0, features, 0, 0);
	onrdt_set(o, 0x80000000, 0, 0x80000020, 0, 0, 0);
	onrdt_set(o, 0x80000008, 0, 0x3030, 0x018ef757, 0x707f, 0x10000); /* an EPYC 7742 */
	onrdt_cpus(o, 16, 1, 7);
}

void onrdt_set(struct onrdt *o, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	size_t i = 0;

	while (i < o->n_leaves && (o->leaves[i].leaf != leaf || o->leaves[i].subleaf != subleaf))
		i++;
	CU_ASSERT_FATAL(i < ONRDT_LEAVES_MAX);
	o->leaves[i] = (struct onrdt_leaf){leaf, subleaf, {eax, ebx, ecx, edx}};
	if (i == o->n_leaves)
		o->n_leaves++;
}

void onrdt_cpus(struct onrdt *o, size_t n, unsigned packages, unsigned package_bits)
{
	size_t each = n / packages;

	CU_ASSERT_FATAL(n <= ONRDT_CPUS_MAX && each <= UINT32_C(1) << package_bits);
	o->n_cpus = n;
	o->package_bits = package_bits;
	for (size_t i = 0; i < n; i++) {
		o->cpus[i] = (struct unc_host_cpu){
			.cpu = (unsigned)i, .online = true, .package = (int)(i / each), .node = -1, .l3 = -1};
		o->apic[i] = (uint32_t)(i / each << package_bits | i % each);
	}
}

void onrdt_nodes(struct onrdt *o, size_t each)
{
	for (size_t i = 0; i < o->n_cpus; i++)
		o->cpus[i].node = (int)(i / each);
}

void onrdt_lists(struct onrdt *o, size_t each)
{
	for (size_t i = 0; i < o->n_cpus; i++)
		o->cpus[i].l3 = (int)(i / each * each);
}

int onrdt_find(struct onrdt *o, const struct unc_rdt **ret_rdt)
{
	static struct unc_package package;
	size_t i = 0;

	while (i + 1 < o->n_cpus && !o->cpus[i].online)
		i++;
	o->m->topo = (struct unc_topo){&package, 1, (unsigned)o->n_cpus, o->cpus[i].cpu};
	if (!o->m->map) {
		OK(o, unc_machine_identify(o->m));
		OK(o, unc_machine_cpu_boxes_new(o->m));
		OK(o, unc_map_load(o->ctx, &o->m->cpu, NULL, &o->m->map));
	}
	o->asked = 0;
	o->highest_asked = 0;
	return unc_rdt_of(o->m, ret_rdt);
}

const struct unc_rdt *onrdt_found(struct onrdt *o)
{
	const struct unc_rdt *rdt = NULL;

	OK(o, onrdt_find(o, &rdt));
	return rdt;
}

void onrdt_close(struct onrdt *o)
{
	if (!o->m) /* closed already */
		return;
	unc_machine_cpu_boxes_free(o->m);
	if (o->m->rdt)
		o->m->rdt_free(o->m->rdt);
	unc_bus_close(o->m->bus[UNC_MSR]);
	unc_map_free(o->m->map);
	free(o->m);
	o->m = NULL;
	unc_free(o->ctx);
}
