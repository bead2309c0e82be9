// SPDX-License-Identifier: GPL-2.0-or-later
/* A raw CPUID dump as a machine: what CPUID answers, and which CPUs and caches there are. */

#include "sim/computer.h"
#include "sim/dump.h"

enum { DUMP_BYTES_MAX = 64 << 20 };

#define EXTENDED UINT32_C(0x80000000)

static bool recorded(struct unc_ctx *ctx, const struct unc_sim_dump *dump, unsigned cpu, uint32_t leaf,
		     uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	return unc_cpuid_dump_get(ctx, dump->raw, dump->single ? dump->number : cpu, leaf, subleaf, ret_regs) == UNC_OK;
}

void unc_sim_dump_cpuid(struct unc_ctx *ctx, const struct unc_sim_dump *dump, const struct unc_sim_cpu *cpu,
			uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	struct unc_cpuid_regs regs = {0}, highest = {0}, first;
	unsigned number = cpu->number;
	bool derived;

	if (!recorded(ctx, dump, number, leaf, subleaf, &regs)) {
		recorded(ctx, dump, number, leaf & EXTENDED, 0, &highest);
		if (leaf > highest.eax) {
			/* Intel processors answer with the highest basic leaf; a dump may lack that sub-leaf of it. */
			if (dump->model.vendor == UNC_SIM_INTEL && recorded(ctx, dump, number, 0, 0, &first) &&
			    !recorded(ctx, dump, number, first.eax, subleaf, &regs))
				recorded(ctx, dump, number, first.eax, 0, &regs);
		} else if ((leaf == 0xb || leaf == 0x1f) && recorded(ctx, dump, number, leaf, 0, &first)) {
			/* Levels that do not exist still report the id (SDM vol. 2, CPUID). */
			regs = (struct unc_cpuid_regs){.ecx = subleaf & 0xff, .edx = first.edx};
		}
	}
	/* What differs on a CPU that is derived from the only recorded one. */
	derived = dump->single && cpu->apic_id != dump->apic_id;
	if (derived && leaf == 0x1)
		regs.ebx = (regs.ebx & 0xffffff) | cpu->apic_id << 24;
	if (derived && (leaf == 0xb || leaf == 0x1f || leaf == 0x80000026))
		regs.edx = cpu->apic_id;
	if (derived && leaf == 0x8000001e) {
		regs.eax = cpu->apic_id;
		regs.ebx = (regs.ebx & ~UINT32_C(0xff)) | (cpu->core & 0xff);
	}
	*ret_regs = regs;
}

void unc_sim_dump_free(struct unc_sim_dump *dump)
{
	if (!dump)
		return;
	unc_cpuid_dump_free(dump->raw);
	free(dump->cpus);
	free(dump->caches);
	free(dump);
}

/* One CPU of the dump, whose CPUID is asked. */
struct asked {
	struct unc_ctx *ctx;
	const struct unc_sim_dump *dump;
	struct unc_sim_cpu cpu;
};

static struct unc_cpuid_regs cpuid(const struct asked *asked, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs regs;

	unc_sim_dump_cpuid(asked->ctx, asked->dump, &asked->cpu, leaf, subleaf, &regs);
	return regs;
}

static enum unc_sim_vendor vendor_of(const struct asked *asked)
{
	struct unc_cpuid_regs regs = cpuid(asked, 0, 0);
	char name[12];

	unc_put_le32(name, regs.ebx);
	unc_put_le32(name + 4, regs.edx);
	unc_put_le32(name + 8, regs.ecx);
	if (!memcmp(name, "AuthenticAMD", sizeof(name)))
		return UNC_SIM_AMD;
	return !memcmp(name, "HygonGenuine", sizeof(name)) ? UNC_SIM_HYGON : UNC_SIM_INTEL;
}

/*
 * Finds the CPUs that a dump describes, where they are, which L3 they share, and what is monitored. Positions: Intel
 * SDM vol. 2, CPUID, and vol. 3, 8.9 (fields of APIC ids); AMD64 Architecture Programmer's Manual vol. 3, appendix E.
 */

enum { LEVELS_MAX = 8, LEVEL_THREADS = 1, RMIDS_MAX_INTEL = 1024 };

static bool has_leaf(const struct asked *asked, uint32_t leaf)
{
	uint32_t highest = cpuid(asked, leaf & UINT32_C(0x80000000), 0).eax;

	return highest >= leaf && highest - leaf < 0x10000;
}

/* 4 and 8000001d: EAX 4:0 type, 0: no more caches; 7:5 level; 25:14 threads that share it, less 1. */
static bool find_l3(const struct asked *asked, struct unc_cpuid_regs *ret_l3)
{
	uint32_t leaf = asked->dump->model.vendor == UNC_SIM_INTEL ? 0x4 : 0x8000001d, i;

	for (i = 0; has_leaf(asked, leaf) && i < LEVELS_MAX; i++) {
		*ret_l3 = cpuid(asked, leaf, i);
		if (!(ret_l3->eax & 0x1f))
			break;
		if ((ret_l3->eax >> 5 & 7) == 3)
			return true;
	}
	return false;
}

/* EBX 31:22 ways, 21:12 partitions, 11:0 line size, ECX sets, each less 1. */
static uint64_t l3_bytes(const struct asked *asked)
{
	struct unc_cpuid_regs l3;

	if (!find_l3(asked, &l3))
		return 0;
	return (uint64_t)((l3.ebx >> 22) + 1) * ((l3.ebx >> 12 & 0x3ff) + 1) * ((l3.ebx & 0xfff) + 1) *
	       ((uint64_t)l3.ecx + 1);
}

/* The fields of an APIC id, and the numbers of threads and CPUs. */
struct cut {
	uint32_t apic_id;
	unsigned thread_bits, package_bits, l3_bits;
	unsigned threads, cpus; /* threads of a core; CPUs of a package */
};

static bool cut_by_levels(const struct asked *asked, uint32_t leaf, struct cut *cut)
{
	struct unc_cpuid_regs level = {0};

	if (!has_leaf(asked, leaf) || !(cpuid(asked, leaf, 0).ebx & 0xffff))
		return false;
	cut->apic_id = cpuid(asked, leaf, 0).edx;
	for (unsigned i = 0; i < LEVELS_MAX; i++) {
		level = cpuid(asked, leaf, i);
		if (!(level.ecx >> 8 & 0xff))
			break;
		if ((level.ecx >> 8 & 0xff) == LEVEL_THREADS) {
			cut->thread_bits = level.eax & 0x1f;
			cut->threads = level.ebx & 0xffff;
		}
		cut->package_bits = level.eax & 0x1f;
		cut->cpus = level.ebx & 0xffff;
	}
	return true;
}

/* For processors before leaf 0xb: 1 EBX 23:16 ids in a package, 31:24 id; 4 EAX 31:26 ids of cores, less 1. */
static void cut_by_counts(const struct asked *asked, struct cut *cut)
{
	struct unc_cpuid_regs one = cpuid(asked, 1, 0);
	unsigned ids = one.edx >> 28 & 1 ? one.ebx >> 16 & 0xff : 1, cores = 1;

	cut->apic_id = one.ebx >> 24;
	if (has_leaf(asked, 4) && cpuid(asked, 4, 0).eax)
		cores = (cpuid(asked, 4, 0).eax >> 26) + 1;
	cut->cpus = ids ? ids : 1;
	cut->threads = cut->cpus >= cores ? cut->cpus / cores : 1;
	cut->thread_bits = unc_sim_bits_of(cut->threads);
	cut->package_bits = unc_sim_bits_of(cut->cpus);
}

/*
 * 80000008 ECX 7:0 threads of a package, less 1; 15:12 bits of ids for them, 0: as many as they need. 8000001e EAX is
 * the id, EBX 15:8 threads of a core, less 1.
 */
static void cut_by_sizes(const struct asked *asked, struct cut *cut)
{
	uint32_t sizes = cpuid(asked, 0x80000008, 0).ecx;

	cut->apic_id = cpuid(asked, 1, 0).ebx >> 24;
	cut->cpus = (sizes & 0xff) + 1;
	cut->package_bits = sizes >> 12 & 0xf ? sizes >> 12 & 0xf : unc_sim_bits_of(cut->cpus);
	cut->threads = 1;
	if (!has_leaf(asked, 0x8000001e))
		return;
	cut->apic_id = cpuid(asked, 0x8000001e, 0).eax;
	cut->threads = (cpuid(asked, 0x8000001e, 0).ebx >> 8 & 0xff) + 1;
	cut->thread_bits = unc_sim_bits_of(cut->threads);
}

static struct cut cut_of(const struct asked *asked)
{
	struct cut cut = {.threads = 1, .cpus = 1};
	struct unc_cpuid_regs l3;

	if (!cut_by_levels(asked, 0x1f, &cut) && !cut_by_levels(asked, 0xb, &cut)) {
		if (asked->dump->model.vendor == UNC_SIM_INTEL)
			cut_by_counts(asked, &cut);
		else
			cut_by_sizes(asked, &cut);
	}
	/* If CPUID reports no L3, the whole package counts as one: something has to keep the accounts. */
	cut.l3_bits = cut.package_bits;
	if (find_l3(asked, &l3) && unc_sim_bits_of((l3.eax >> 14 & 0xfff) + 1) < cut.l3_bits)
		cut.l3_bits = unc_sim_bits_of((l3.eax >> 14 & 0xfff) + 1);
	cut.threads += !cut.threads;
	cut.cpus += !cut.cpus;
	return cut;
}

/* Where a CPU is, by the fields of its APIC id; count() turns these into numbers from 0 on. */
struct seat {
	unsigned number;
	uint32_t apic_id, package, l3, core;
};

/* Takes leaves 0xf and 0x10 even if they contradict themselves: a unit of 0 makes IA32_QM_CTR answer Error. */
static void find_monitoring(const struct asked *asked, struct unc_sim_dump *dump)
{
	uint32_t features = has_leaf(asked, 7) ? cpuid(asked, 7, 0).ebx : 0, subleaf;
	const unsigned bases[] = {[UNC_SIM_INTEL] = 24, [UNC_SIM_AMD] = 44, [UNC_SIM_HYGON] = 32};
	struct unc_sim_rdt *rdt = &dump->rdt;

	if (features >> 12 & 1 && has_leaf(asked, 0xf) && cpuid(asked, 0xf, 0).edx >> 1 & 1) {
		struct unc_cpuid_regs l3 = cpuid(asked, 0xf, 1);
		unsigned most = dump->model.vendor == UNC_SIM_INTEL ? RMIDS_MAX_INTEL : UNC_SIM_RMIDS_MAX;

		rdt->max_rmid = l3.ecx < most ? l3.ecx : most - 1;
		rdt->upscale = l3.ebx;
		rdt->events = l3.edx & 7;
		rdt->width = l3.eax & 0xff ? 24 + (l3.eax & 0xff) : bases[dump->model.vendor];
		if (rdt->width > 62)
			rdt->width = 62;
	}
	for (subleaf = 1; features >> 15 & 1 && has_leaf(asked, 0x10) && subleaf <= 3; subleaf++) {
		unsigned n = (cpuid(asked, 0x10, subleaf).edx & 0xffff) + 1;

		if (cpuid(asked, 0x10, 0).ebx >> subleaf & 1 && n > rdt->n_clos)
			rdt->n_clos = n;
	}
	dump->model.rdt = rdt->events || rdt->n_clos ? rdt : NULL;
}

/* Processors on which Linux knows RMID_SNC_CONFIG: Ice Lake-SP, Sapphire, Emerald and Granite Rapids, Sierra Forest. */
static bool has_snc(const struct asked *asked)
{
	static const uint32_t models[] = {0x606a0, 0x806f0, 0xc06f0, 0xa06d0, 0xa06f0};
	uint32_t is = cpuid(asked, 1, 0).eax & 0xfff0ff0;

	for (size_t i = 0; i < UNC_SIM_N(models); i++)
		if (asked->dump->model.vendor == UNC_SIM_INTEL && is == (models[i] & 0xfff0ff0))
			return true;
	return false;
}

static int by_apic_id(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	return x->apic_id != y->apic_id ? unc_order(x->apic_id, y->apic_id) : unc_order(x->number, y->number);
}

static struct seat seat_of(const struct cut *cut, unsigned number, uint32_t apic_id)
{
	return (struct seat){
		.number = number,
		.apic_id = apic_id,
		.package = apic_id >> cut->package_bits,
		.l3 = apic_id >> cut->l3_bits,
		.core = apic_id >> cut->thread_bits,
	};
}

/* Takes all CPUs of the dump; seats has room for UNC_SIM_CPUS_MAX. */
static int seats_recorded(struct asked *asked, struct seat *seats, size_t *ret_n)
{
	unsigned n = unc_cpuid_dump_cpus(asked->dump->raw);
	struct unc_cpuid_regs regs;

	if (n > UNC_SIM_CPUS_MAX)
		return unc_fail(asked->ctx, UNC_EARG,
				"sim:cpuid: the dump has %u CPUs, more than the %d that can be simulated", n,
				UNC_SIM_CPUS_MAX);
	for (asked->cpu.number = 0; asked->cpu.number < n; asked->cpu.number++) {
		struct cut cut;

		if (unc_cpuid_dump_get(asked->ctx, asked->dump->raw, asked->cpu.number, 0, 0, &regs) < 0)
			return unc_fail(
				asked->ctx, UNC_EARG,
				"sim:cpuid: the dump has %u CPUs, but none of the number %u with a leaf 0; they must "
				"be numbered from 0 on",
				n, asked->cpu.number);
		cut = cut_of(asked);
		seats[asked->cpu.number] = seat_of(&cut, asked->cpu.number, cut.apic_id);
	}
	*ret_n = n;
	return UNC_OK;
}

/*
 * Makes one package with as many CPUs as the recorded one says, numbered as Linux does it, with APIC ids without holes.
 * If none of them has the id of the recorded CPU, the last one gets it.
 */
static int seats_made(struct asked *asked, struct unc_sim_dump *dump, struct seat *seats, size_t *ret_n)
{
	struct cut cut = cut_of(asked);
	unsigned cores = cut.cpus / cut.threads + (cut.cpus < cut.threads), i;
	uint32_t first = cut.apic_id >> cut.package_bits << cut.package_bits;
	bool met = false;

	dump->apic_id = cut.apic_id;
	if (cores * cut.threads > UNC_SIM_CPUS_MAX)
		return unc_fail(asked->ctx, UNC_EARG,
				"sim:cpuid: the dump tells of %u CPUs, more than the %d that can be "
				"simulated",
				cores * cut.threads, UNC_SIM_CPUS_MAX);
	for (i = 0; i < cores * cut.threads; i++) {
		seats[i] = seat_of(&cut, i, first | i % cores << cut.thread_bits | i / cores);
		met |= seats[i].apic_id == cut.apic_id;
	}
	if (!met)
		seats[i - 1] = seat_of(&cut, i - 1, cut.apic_id);
	*ret_n = i;
	return UNC_OK;
}

/* Numbers packages, L3s, cores and threads from 0 on, in the order of APIC ids, and counts them. */
static void count(struct unc_sim_dump *dump, const struct seat *seats, size_t n)
{
	struct unc_sim_cpu at = {.online = true};

	for (size_t i = 0; i < n; i++) {
		const struct seat *seat = &seats[i], *last = i ? &seats[i - 1] : NULL;
		bool other = !last || seat->package != last->package;

		at.package += last && other;
		at.l3 += last && (other || seat->l3 != last->l3);
		at.thread = last && seat->core == last->core ? at.thread + 1 : 0;
		at.core = other ? 0 : at.core + !at.thread;
		at.node = at.package;
		at.number = seat->number;
		at.apic_id = seat->apic_id;
		dump->cpus[seat->number] = at;
		dump->caches[at.l3] = (struct unc_sim_cache){
			.id = seat->l3, .package = at.package, .nodes = 1, .bytes = dump->model.l3_bytes};
		dump->model.sockets = at.package + 1;
		dump->n_caches = at.l3 + 1;
		if (at.core >= dump->model.cores)
			dump->model.cores = at.core + 1;
		if (at.thread >= dump->model.threads)
			dump->model.threads = at.thread + 1;
	}
	dump->n_cpus = n;
}

static int place_cpus(struct asked *asked, struct unc_sim_dump *dump)
{
	struct seat *seats = calloc(UNC_SIM_CPUS_MAX, sizeof(*seats));
	size_t n = 0;
	int rc;

	if (!seats)
		return unc_fail(asked->ctx, UNC_ENOMEM, "sim: out of memory");
	rc = dump->single ? seats_made(asked, dump, seats, &n) : seats_recorded(asked, seats, &n);
	if (rc < 0)
		goto out;
	dump->cpus = calloc(n + 1, sizeof(*dump->cpus));
	dump->caches = calloc(n + 1, sizeof(*dump->caches));
	if (n == 0) {
		rc = unc_fail(asked->ctx, UNC_EARG, "sim:cpuid: the dump has no CPU");
	} else if (!dump->cpus || !dump->caches) {
		rc = unc_fail(asked->ctx, UNC_ENOMEM, "sim: out of memory");
	} else {
		qsort(seats, n, sizeof(seats[0]), by_apic_id);
		count(dump, seats, n);
	}
	if (dump->model.sockets > UNC_SIM_SOCKETS_X86 || dump->n_caches > UNC_SIM_L3S_MAX)
		rc = unc_fail(asked->ctx, UNC_EARG,
			      "sim:cpuid: the dump tells of %u packages with %zu L3 caches; at most %d and %d can be "
			      "simulated",
			      dump->model.sockets, dump->n_caches, UNC_SIM_SOCKETS_X86, UNC_SIM_L3S_MAX);
out:
	free(seats);
	return rc;
}

int unc_sim_dump_open(struct unc_ctx *ctx, const char *path, struct unc_sim_dump **ret_dump)
{
	struct unc_sim_dump *dump = calloc(1, sizeof(*dump));
	struct asked asked = {.ctx = ctx, .dump = dump};
	struct unc_cpuid_regs regs;
	char *text;
	size_t len;
	int rc;

	if (!dump)
		return unc_fail(ctx, UNC_ENOMEM, "sim: out of memory");
	rc = unc_os_file_read(ctx, path, DUMP_BYTES_MAX, UNC_TRUST_ANY, &text, &len);
	if (rc < 0) {
		rc = unc_sim_path_failed(ctx, NULL, "cpuid", rc);
		goto fail;
	}
	dump->fingerprint = unc_sim_fingerprint(text, len);
	rc = unc_cpuid_dump_parse(ctx, path, text, len, &dump->raw);
	free(text);
	if (rc < 0) {
		rc = unc_wrap(ctx, rc, "sim:cpuid");
		goto fail;
	}
	while (dump->number < UNC_SIM_CPUS_MAX && unc_cpuid_dump_get(ctx, dump->raw, dump->number, 0, 0, &regs) < 0)
		dump->number++;
	if (dump->number == UNC_SIM_CPUS_MAX) {
		rc = unc_fail(ctx, UNC_EARG, "sim:cpuid: the dump has no leaf 0, which says what processor it is of");
		goto fail;
	}
	dump->single = unc_cpuid_dump_cpus(dump->raw) == 1;
	asked.cpu.number = dump->number;
	dump->model = (struct unc_sim_model){.name = "cpuid", .on = UNC_SIM_ON_DUMP, .vendor = vendor_of(&asked)};
	/* With its own APIC id, the first CPU answers what was recorded, unchanged. */
	dump->apic_id = cut_of(&asked).apic_id;
	asked.cpu.apic_id = dump->apic_id;
	dump->model.l3_bytes = l3_bytes(&asked);
	dump->model.has_snc = has_snc(&asked);
	find_monitoring(&asked, dump);
	rc = place_cpus(&asked, dump);
	if (rc < 0)
		goto fail;
	*ret_dump = dump;
	return UNC_OK;
fail:
	unc_sim_dump_free(dump);
	return rc;
}
