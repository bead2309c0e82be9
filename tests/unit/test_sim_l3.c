// SPDX-License-Identifier: GPL-2.0-or-later
/* Machines with several L3s a package, and those with memory monitoring alone. */
#include "test_sim_qm.h"

#include "sim/computer.h"

static const char *const newer[] = {"icx", "spr", "zen2", "zen3", "zen4", "zen5"};
static const char *const monitoring[] = {"hsx", "bdx", "bdxde", "skx",  "clx",  "cpx",
					 "icx", "spr", "zen2",  "zen3", "zen4", "zen5"};

/* The part, how many CPUs and L3s it has, and the ids of the first ones and the last. */
TEST(machines_are_those_of_the_real_parts)
{
	static const struct {
		const char *args;
		size_t cpus, caches;
		unsigned ids[3], last;
		uint64_t bytes;
		unsigned rmids;
	} parts[] = {
		{"icx", 72, 1, {0, 0, 0}, 0, UINT64_C(54) << 20, 288},
		{"icx,sockets=2", 144, 2, {0, 1, 0}, 1, UINT64_C(54) << 20, 288},
		{"spr", 72, 1, {0, 0, 0}, 0, UINT64_C(84480) << 10, 352},
		{"zen2", 256, 32, {0, 1, 2}, 31, UINT64_C(16) << 20, 256},
		{"zen3", 256, 16, {0, 1, 2}, 15, UINT64_C(32) << 20, 256},
		{"zen4", 32, 4, {0, 2, 4}, 6, UINT64_C(16) << 20, 256}, /* room for eight cores each */
		{"zen5", 384, 24, {0, 1, 2}, 16 + 11, UINT64_C(32) << 20, 4096},
		{"zen5,l3s=16", 384, 32, {0, 1, 2}, 31, UINT64_C(32) << 20, 4096},
		{"skx", 112, 2, {0, 1, 0}, 1, UINT64_C(38) * 1024 * 1024 + 512 * 1024, 224},
	};

	for (size_t i = 0; i < N(parts); i++) {
		fx_open(parts[i].args);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_cpus, parts[i].cpus);
		CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_caches, parts[i].caches);
		for (size_t k = 0; k < 3 && k < parts[i].caches; k++)
			CU_ASSERT_EQUAL(fx_cache(k).id, parts[i].ids[k]);
		CU_ASSERT_EQUAL(fx_cache(parts[i].caches - 1).id, parts[i].last);
		CU_ASSERT_EQUAL(fx_cache(0).bytes, parts[i].bytes);
		CU_ASSERT_EQUAL(fx_cache(0).nodes, 1);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, parts[i].rmids);
	}
}

/* APM vol. 3, appendix E.5, and Linux's cacheinfo: an L3 is an APIC id >> bits of those who share it. */
static void expect_amd_cpu(const struct unc_sim_cpu *cpu, unsigned cores, unsigned threads)
{
	struct unc_cpuid_regs smt = fx_cpuid(cpu->number, 0xb, 0), core = fx_cpuid(cpu->number, 0xb, 1),
			      l3 = fx_cpuid(cpu->number, 0x8000001d, 3), l1 = fx_cpuid(cpu->number, 0x8000001d, 0),
			      ids = fx_cpuid(cpu->number, 0x8000001e, 0), sizes = fx_cpuid(cpu->number, 0x80000008, 0);
	unsigned sharing = (l3.eax >> 14 & 0xfff) + 1, bits = 0;

	while (1u << bits < sharing)
		bits++;
	CU_ASSERT_EQUAL(smt.edx, cpu->apic_id);
	CU_ASSERT_EQUAL(smt.ebx, threads);
	CU_ASSERT_EQUAL(core.ebx, cores * threads);
	CU_ASSERT_EQUAL(cpu->apic_id >> core.eax, cpu->package);
	CU_ASSERT_EQUAL(cpu->apic_id & ((1u << smt.eax) - 1), cpu->thread);
	CU_ASSERT_EQUAL(cpu->apic_id >> bits, fx_cache(cpu->l3).id);
	CU_ASSERT_EQUAL(fx_cache(cpu->l3).package, cpu->package);
	CU_ASSERT_EQUAL((l1.eax >> 14 & 0xfff) + 1, threads);
	CU_ASSERT_EQUAL(ids.eax, cpu->apic_id);
	CU_ASSERT_EQUAL((ids.ebx >> 8 & 0xff) + 1, threads);
	CU_ASSERT_EQUAL(ids.ecx & 0xff, cpu->package);
	CU_ASSERT_EQUAL(sizes.ecx >> 12 & 0xf, core.eax);
	CU_ASSERT_EQUAL(sizes.ecx & 0xff, cores * threads - 1);
	CU_ASSERT_EQUAL(fx_cpuid(cpu->number, 1, 0).ebx >> 24, cpu->apic_id & 0xff);
	CU_ASSERT_EQUAL(fx_cpuid(cpu->number, 4, 3).eax, 0);
}

static void expect_amd(const char *model, unsigned sockets, unsigned cores, unsigned threads, unsigned l3s)
{
	static unsigned of_l3[UNC_SIM_L3S_MAX];
	static unsigned char seen[8192];

	memset(of_l3, 0, sizeof(of_l3));
	memset(seen, 0, sizeof(seen));
	fx_open(fx_text("%s,sockets=%u,cores=%u,threads=%u,l3s=%u", model, sockets, cores, threads, l3s));
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_caches, (size_t)sockets * l3s);
	for (size_t i = 0; i < unc_sim_info(fx.host).n_cpus; i++) {
		struct unc_sim_cpu cpu = fx_cpu(i);

		CU_ASSERT_FATAL(cpu.apic_id < sizeof(seen) && cpu.l3 < sockets * l3s);
		CU_ASSERT_EQUAL(seen[cpu.apic_id]++, 0);
		of_l3[cpu.l3]++;
		CU_ASSERT_EQUAL(cpu.node, cpu.package);
		expect_amd_cpu(&cpu, cores, threads);
	}
	for (size_t i = 0; i < sockets * l3s; i++) {
		CU_ASSERT_EQUAL(of_l3[i], cores * threads / l3s);
		CU_ASSERT(i == 0 || fx_cache(i).id > fx_cache(i - 1).id);
	}
}

TEST(cpuid_tells_who_shares_an_l3)
{
	static const struct {
		unsigned cores, l3s;
	} shapes[] = {{1, 1}, {2, 1}, {6, 2}, {6, 1}, {64, 16}, {48, 16}, {96, 16}, {96, 12}, {60, 12}, {128, 16}};

	for (unsigned m = 2; m < N(newer); m++)
		for (unsigned sockets = 1; sockets <= 2; sockets++)
			for (unsigned i = 0; i < N(shapes); i++)
				expect_amd(newer[m], sockets, shapes[i].cores, 1 + (m + i) % 2, shapes[i].l3s);
}

TEST(cores_alone_give_as_many_l3s_as_they_need)
{
	static const struct {
		const char *args;
		size_t caches;
	} machines[] = {{"zen2,sockets=1,cores=8", 2}, {"zen2,sockets=1,cores=6", 2},    {"zen2,sockets=1,cores=5", 5},
			{"zen3,sockets=1,cores=8", 1}, {"zen5,sockets=1,cores=128", 16}, {"icx,cores=7", 1}};

	for (size_t i = 0; i < N(machines); i++) {
		fx_open(machines[i].args);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_caches, machines[i].caches);
	}
}

TEST(what_makes_no_machine_is_refused)
{
	FX_REFUSED("skx,l3s=2", "l3s=2", "has one L3");
	FX_REFUSED("zen2,l3s=5", "l3s=5", "64 cores", "shared out evenly");
	FX_REFUSED("zen2,l3s=0", "l3s=0", "1 to 128");
	FX_REFUSED("zen2,l3s=64,sockets=4", "4 sockets of 64", "128");
	FX_REFUSED("zen4,snc=2", "snc=2", "icx and spr");
	FX_REFUSED("skx,snc=4", "snc=4", "icx and spr");
	FX_REFUSED("icx,snc=3", "snc=3", "1, 2 or 4");
	FX_REFUSED("icx,snc=4,cores=6", "snc=4", "6 cores", "shared out evenly");
	FX_REFUSED("icx,sockets=8,snc=4,l3s=2", "l3s=2", "has one L3");
}

static void expect_no_functions(const char *machine)
{
	struct unc_sim_pci pci;
	struct unc_addr *addrs;
	size_t n = 1;

	fx_open(machine);
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_pcis, 0);
	CU_ASSERT_EQUAL(unc_sim_pci(fx.host, 0, &pci), UNC_ENODEV);
	CU_ASSERT_EQUAL(unc_bus_list(fx.bus, &addrs, &n), 0);
	CU_ASSERT_EQUAL(n, 0);
	free(addrs);
}

/* A dump has no memory channels: what asks for these finds none, and nothing else minds. */
TEST(machines_without_channels_work)
{
	static const char *const without_functions[] = {"zen2", "zen3", "zen4", "zen5"};
	struct unc_sim_channel channel;

	expect_no_functions(fx_dump());
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_channels, 0);
	CU_ASSERT_EQUAL(unc_sim_channel(fx.host, 0, &channel), UNC_ENODEV);
	CU_ASSERT_PTR_NULL(strstr(unc_errmsg(fx.ctx), "0 to"));
	CU_ASSERT_PTR_NULL(unc_sim_event_name(fx.host, 0));
	for (size_t i = 0; i < N(without_functions); i++)
		expect_no_functions(without_functions[i]);
	FX_REFUSED("zen2,hide=ff:10.0", "hide=0000:ff:10.0", "no PCI functions");
	FX_REFUSED("icx,frz_en=rw", "no frz_en");
}

/* 20 ms at a time CPUs get other RMIDs, and everything that is counted is as it is, to the unit. */
static void expect_truth(const char *model)
{
	const struct unc_sim_model *is = unc_sim_model_find(model);
	const uint64_t unit = is->rdt->upscale, mask = (UINT64_C(1) << is->rdt->width) - 1;
	unsigned step, cpu, l3, rmids[4] = {0, 1, is->rdt->max_rmid / 2, is->rdt->max_rmid};
	uint64_t from[2][4] = {{0}};

	open_model(model, ",sockets=1,mbm_erratum=0");
	for (step = 0; step < 12; step++) {
		for (cpu = 0; cpu < 16; cpu += 2)
			fx_wmsr(cpu, PQR, rmids[(cpu + step) % 4]);
		fx_step(20000000);
	}
	for (cpu = 0; cpu < 16; cpu += 2) { /* all of them once more, so that all have a CPU now */
		fx_wmsr(cpu, PQR, rmids[cpu / 2 % 4]);
	}
	for (size_t i = 0; i < 4; i++) {
		struct unc_sim_llc was = llc(0, rmids[i]);

		for (unsigned event = 1; event <= 3; event++) /* AMD's first ones */
			if (is->rdt->events >> (event - 1) & 1)
				qm(1, rmids[i], event);
		if (is->rdt->events & 2)
			from[0][i] = qm(1, rmids[i], TOTAL) - was.total_bytes / unit;
		if (is->rdt->events & 4)
			from[1][i] = qm(1, rmids[i], LOCAL) - was.local_bytes / unit;
	}
	for (step = 0; step < 5; step++) {
		fx_step(17000001);
		for (size_t i = 0; i < 4; i++) {
			struct unc_sim_llc truth = llc(0, rmids[i]);
			uint64_t total, local;

			QM({0, rmids[i], OCCUPANCY, truth.occupancy_bytes / unit});
			if (!(is->rdt->events & 2))
				continue;
			total = qm(0, rmids[i], TOTAL) - from[0][i];
			local = qm(0, rmids[i], LOCAL) - from[1][i];
			/* With AMD the beginning was between two units. */
			CU_ASSERT(((truth.total_bytes / unit - total + 1) & mask) <= 2);
			CU_ASSERT(((truth.local_bytes / unit - local + 1) & mask) <= 2);
			if (is->vendor == UNC_SIM_INTEL)
				CU_ASSERT(total == truth.total_bytes / unit && local == truth.local_bytes / unit);
			CU_ASSERT(truth.total_bytes > 0);
		}
	}
	for (l3 = 1; l3 < unc_sim_info(fx.host).n_caches; l3++)
		CU_ASSERT(llc(l3, 0).total_bytes > 0);
}

TEST(what_is_counted_is_what_was_moved)
{
	for (size_t i = 0; i < N(monitoring); i++)
		expect_truth(monitoring[i]);
}

/* CPUs 0 and 1 on one L3, 2 and 3 on the next, of one package. */
TEST(two_l3s_of_a_package_keep_apart)
{
	fx_open_load(ZEN2, HEAD "  0: {occupancy: 64000, total: 6.4e6}\n  2: {occupancy: 640000, total: 6.4e7}\n");
	WMSR({0, PQR, 7}, {2, PQR, 7});
	qm(0, 7, TOTAL);
	qm(2, 7, TOTAL);
	fx_step(SECOND);
	QM({1, 7, TOTAL, 100000}, {3, 7, TOTAL, 1000000});
	qm(0, 7, OCCUPANCY);
	QM({0, 7, OCCUPANCY, 1000}, {2, 7, OCCUPANCY, UNAVAILABLE}); /* the first of that one */
	QM({2, 7, OCCUPANCY, 10000});
	TOTALS({0, 7, 6400000}, {1, 7, 64000000});
}

TEST(evtsel_can_be_one_of_the_l3)
{
	fx_open(ZEN2 ",qm_scope=package");
	WMSR({0, EVTSEL, TOTAL}, {2, EVTSEL, LOCAL});
	ISMSR({1, EVTSEL, TOTAL}, {3, EVTSEL, LOCAL});
}

/* 384 CPUs in 32 L3s, twelve each: zen5 with as many L3s as a Rome has. */
TEST(a_large_machine_has_every_l3_of_its_own)
{
	unsigned of_l3[32] = {0};

	open_model("zen5", ",l3s=16");
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_cpus, 384);
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_caches, 32);
	for (size_t i = 0; i < 384; i++) {
		struct unc_sim_cpu cpu = fx_cpu(i);

		of_l3[cpu.l3]++;
		fx_wmsr(cpu.number, PQR, 4000 + cpu.l3);
		ISMSR({cpu.number, PQR, 4000 + cpu.l3});
	}
	for (size_t i = 0; i < 384; i++)
		qm((unsigned)i, 4000 + fx_cpu(i).l3, TOTAL);
	fx_step(SECOND);
	for (size_t i = 0; i < 384; i++) {
		struct unc_sim_cpu cpu = fx_cpu(i);
		unsigned rmid = 4000 + cpu.l3;

		CU_ASSERT_EQUAL(of_l3[cpu.l3], 12);
		QM({cpu.number, rmid, TOTAL, llc(cpu.l3, rmid).total_bytes / 64});
		TOTALS({(cpu.l3 + 1) % 32, rmid, 0});
	}
}

TEST(two_openers_must_name_the_same_caches)
{
	const char *state = fx_file(NULL), *args = fx_text("zen2,sockets=1,l3s=8,clock=step,state=%s", state);

	fx_open(args);
	fx_wmsr(63, PQR, 200);
	fx_use(1);
	fx_open(args);
	ISMSR({63, PQR, 200});
	FX_REFUSED(fx_text("zen2,sockets=1,clock=step,state=%s", state), "another machine", "l3s=8");
}

/* What tools read before anything else. */
TEST(registers_that_tools_read_at_start_are_there)
{
	static const uint32_t intel[] = {0x10, 0x17, 0x8b, 0xce, 0xe7, 0xe8, 0x198, 0x1a0, 0x1ad, 0x606, 0x611, 0x38d};
	static const uint32_t amd[] = {0x10,       0xe7,       0xe8,       0x8b,       0xc0010015, 0xc0010061,
				       0xc0010063, 0xc0010064, 0xc0010299, 0xc001029a, 0xc001029b};

	for (size_t i = 0; i < N(newer); i++) {
		bool is_intel = i < 2;

		open_model(newer[i], "");
		for (size_t k = 0; k < N(intel); k++)
			CU_ASSERT(!is_intel || try_read(3, intel[k]) == 0);
		for (size_t k = 0; k < N(amd); k++)
			CU_ASSERT(is_intel || try_read(3, amd[k]) == 0);
		/* Ice Lake alone has a register of the uncore, which freezes it. */
		ABSENT(3, is_intel ? 0xc0010015 : 0x606, i == 0 ? 0xc00 : 0x700);
	}
}
