// SPDX-License-Identifier: GPL-2.0-or-later
/* Machines with several L3s a package, and those with memory monitoring alone. */
#include "test_sim_msr.h"

#include "sim/computer.h"

enum { EVTSEL = 0xc8d, CTR = 0xc8e, PQR = 0xc8f, SNC_CONFIG = 0xca0 };
enum { OCCUPANCY = 1, TOTAL = 2, LOCAL = 3 };

#define ERROR       (UINT64_C(1) << 63)
#define UNAVAILABLE (UINT64_C(1) << 62)
#define HEAD        "format: uncorectl-load/1\ncpus:\n"

static const char *const newer[] = {"icx", "spr", "zen2", "zen3", "zen4", "zen5"};
static const char *const monitoring[] = {"hsx", "bdx", "bdxde", "skx",  "clx",  "cpx",
					 "icx", "spr", "zen2",  "zen3", "zen4", "zen5"};

static uint64_t qm(struct fx *fx, unsigned cpu, unsigned rmid, unsigned event)
{
	fx_wmsr(fx, cpu, EVTSEL, (uint64_t)rmid << 32 | event);
	return fx_rmsr(fx, cpu, CTR);
}

static struct unc_sim_cpu cpu_at(struct fx *fx, size_t i)
{
	struct unc_sim_cpu cpu;

	CU_ASSERT_FATAL(unc_sim_cpu(fx->host, i, &cpu) == 0);
	return cpu;
}

static struct unc_sim_cache cache_at(struct fx *fx, size_t i)
{
	struct unc_sim_cache cache;

	CU_ASSERT_FATAL(unc_sim_cache(fx->host, i, &cache) == 0);
	return cache;
}

static struct unc_cpuid_regs cpuid(struct fx *fx, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs regs = {0};

	CU_ASSERT_FATAL(fx->host->ops->cpuid(fx->host, cpu, leaf, subleaf, &regs) == 0);
	return regs;
}

static struct unc_sim_llc llc(struct fx *fx, unsigned l3, unsigned rmid)
{
	struct unc_sim_llc is = {0};

	CU_ASSERT_EQUAL(unc_sim_truth_llc(fx->host, l3, rmid, &is), 0);
	return is;
}

/* The part, how many CPUs and L3s it has, and the ids of the first ones and the last. */
static void machines_are_those_of_the_real_parts(void)
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
	struct fx fx;
	size_t i, k;

	for (i = 0; i < N(parts); i++) {
		fx_open(&fx, parts[i].args);
		CU_ASSERT_EQUAL(unc_sim_cpus(fx.host), parts[i].cpus);
		CU_ASSERT_EQUAL_FATAL(unc_sim_caches(fx.host), parts[i].caches);
		for (k = 0; k < 3 && k < parts[i].caches; k++)
			CU_ASSERT_EQUAL(cache_at(&fx, k).id, parts[i].ids[k]);
		CU_ASSERT_EQUAL(cache_at(&fx, parts[i].caches - 1).id, parts[i].last);
		CU_ASSERT_EQUAL(cache_at(&fx, 0).bytes, parts[i].bytes);
		CU_ASSERT_EQUAL(cache_at(&fx, 0).nodes, 1);
		CU_ASSERT_EQUAL(unc_sim_rmids(fx.host), parts[i].rmids);
		fx_close(&fx);
	}
}

/* APM vol. 3, appendix E.5, and Linux's cacheinfo: an L3 is an APIC id >> bits of those who share it. */
static void expect_amd_cpu(struct fx *fx, const struct unc_sim_cpu *cpu, unsigned cores, unsigned threads)
{
	struct unc_cpuid_regs smt = cpuid(fx, cpu->number, 0xb, 0), core = cpuid(fx, cpu->number, 0xb, 1),
			      l3 = cpuid(fx, cpu->number, 0x8000001d, 3), l1 = cpuid(fx, cpu->number, 0x8000001d, 0),
			      ids = cpuid(fx, cpu->number, 0x8000001e, 0),
			      sizes = cpuid(fx, cpu->number, 0x80000008, 0);
	unsigned sharing = (l3.eax >> 14 & 0xfff) + 1, bits = 0;

	while (1u << bits < sharing)
		bits++;
	CU_ASSERT_EQUAL(smt.edx, cpu->apic_id);
	CU_ASSERT_EQUAL(smt.ebx, threads);
	CU_ASSERT_EQUAL(core.ebx, cores * threads);
	CU_ASSERT_EQUAL(cpu->apic_id >> core.eax, cpu->package);
	CU_ASSERT_EQUAL(cpu->apic_id & ((1u << smt.eax) - 1), cpu->thread);
	CU_ASSERT_EQUAL(cpu->apic_id >> bits, cache_at(fx, cpu->l3).id);
	CU_ASSERT_EQUAL(cache_at(fx, cpu->l3).package, cpu->package);
	CU_ASSERT_EQUAL((l1.eax >> 14 & 0xfff) + 1, threads);
	CU_ASSERT_EQUAL(ids.eax, cpu->apic_id);
	CU_ASSERT_EQUAL((ids.ebx >> 8 & 0xff) + 1, threads);
	CU_ASSERT_EQUAL(ids.ecx & 0xff, cpu->package);
	CU_ASSERT_EQUAL(sizes.ecx >> 12 & 0xf, core.eax);
	CU_ASSERT_EQUAL(sizes.ecx & 0xff, cores * threads - 1);
	CU_ASSERT_EQUAL(cpuid(fx, cpu->number, 1, 0).ebx >> 24, cpu->apic_id & 0xff);
	CU_ASSERT_EQUAL(cpuid(fx, cpu->number, 4, 3).eax, 0);
}

static void expect_amd(const char *model, unsigned sockets, unsigned cores, unsigned threads, unsigned l3s)
{
	static unsigned of_l3[UNC_SIM_L3S_MAX];
	static unsigned char seen[8192];
	char args[96];
	struct fx fx;
	size_t i;

	memset(of_l3, 0, sizeof(of_l3));
	memset(seen, 0, sizeof(seen));
	snprintf(args, sizeof(args), "%s,sockets=%u,cores=%u,threads=%u,l3s=%u", model, sockets, cores, threads, l3s);
	fx_open(&fx, args);
	CU_ASSERT_EQUAL_FATAL(unc_sim_caches(fx.host), (size_t)sockets * l3s);
	for (i = 0; i < unc_sim_cpus(fx.host); i++) {
		struct unc_sim_cpu cpu = cpu_at(&fx, i);

		CU_ASSERT_FATAL(cpu.apic_id < sizeof(seen) && cpu.l3 < sockets * l3s);
		CU_ASSERT_EQUAL(seen[cpu.apic_id]++, 0);
		of_l3[cpu.l3]++;
		CU_ASSERT_EQUAL(cpu.node, cpu.package);
		expect_amd_cpu(&fx, &cpu, cores, threads);
	}
	for (i = 0; i < sockets * l3s; i++) {
		CU_ASSERT_EQUAL(of_l3[i], cores * threads / l3s);
		CU_ASSERT(i == 0 || cache_at(&fx, i).id > cache_at(&fx, i - 1).id);
	}
	fx_close(&fx);
}

static void cpuid_tells_who_shares_an_l3(void)
{
	static const struct {
		unsigned cores, l3s;
	} shapes[] = {{1, 1}, {2, 1}, {6, 2}, {6, 1}, {64, 16}, {48, 16}, {96, 16}, {96, 12}, {60, 12}, {128, 16}};
	unsigned m, sockets, i;

	for (m = 2; m < N(newer); m++)
		for (sockets = 1; sockets <= 2; sockets++)
			for (i = 0; i < N(shapes); i++)
				expect_amd(newer[m], sockets, shapes[i].cores, 1 + (m + i) % 2, shapes[i].l3s);
}

static void cores_alone_give_as_many_l3s_as_they_need(void)
{
	static const struct {
		const char *args;
		size_t caches;
	} machines[] = {{"zen2,sockets=1,cores=8", 2}, {"zen2,sockets=1,cores=6", 2},    {"zen2,sockets=1,cores=5", 5},
			{"zen3,sockets=1,cores=8", 1}, {"zen5,sockets=1,cores=128", 16}, {"icx,cores=7", 1}};
	struct fx fx;
	size_t i;

	for (i = 0; i < N(machines); i++) {
		fx_open(&fx, machines[i].args);
		CU_ASSERT_EQUAL(unc_sim_caches(fx.host), machines[i].caches);
		fx_close(&fx);
	}
}

static void what_makes_no_machine_is_refused(void)
{
	FX_REFUSED("skx,l3s=2", UNC_EARG, "l3s=2", "has one L3");
	FX_REFUSED("zen2,l3s=5", UNC_EARG, "l3s=5", "64 cores", "shared out evenly");
	FX_REFUSED("zen2,l3s=0", UNC_EARG, "l3s=0", "1 to 128");
	FX_REFUSED("zen2,l3s=64,sockets=4", UNC_EARG, "4 sockets of 64", "128");
	FX_REFUSED("zen4,snc=2", UNC_EARG, "snc=2", "icx and spr");
	FX_REFUSED("skx,snc=4", UNC_EARG, "snc=4", "icx and spr");
	FX_REFUSED("icx,snc=3", UNC_EARG, "snc=3", "1, 2 or 4");
	FX_REFUSED("icx,snc=4,cores=6", UNC_EARG, "snc=4", "6 cores", "shared out evenly");
	FX_REFUSED("icx,sockets=8,snc=4,l3s=2", UNC_EARG, "l3s=2", "has one L3");
}

/* They have no memory channels: what asks for these finds none, and nothing else minds. */
static void machines_without_channels_work(void)
{
	struct unc_sim_channel channel;
	struct unc_sim_pci pci;
	struct unc_addr *addrs;
	struct fx fx;
	size_t i, n = 1;

	for (i = 0; i < N(newer); i++) {
		fx_open(&fx, newer[i]);
		CU_ASSERT_EQUAL(unc_sim_channels(fx.host), 0);
		CU_ASSERT_EQUAL(unc_sim_channel(fx.host, 0, &channel), UNC_ENODEV);
		CU_ASSERT_PTR_NULL(strstr(unc_errmsg(fx.ctx), "0 to"));
		CU_ASSERT_EQUAL(unc_sim_pcis(fx.host), 0);
		CU_ASSERT_EQUAL(unc_sim_pci(fx.host, 0, &pci), UNC_ENODEV);
		CU_ASSERT_PTR_NULL(unc_sim_event_name(fx.host, 0));
		CU_ASSERT_EQUAL(unc_bus_list(fx.bus, &addrs, &n), 0);
		CU_ASSERT_EQUAL(n, 0);
		free(addrs);
		fx_close(&fx);
	}
	FX_REFUSED("zen2,hide=ff:10.0", UNC_EARG, "hide=0000:ff:10.0", "no PCI functions");
	FX_REFUSED("icx,frz_en=rw", UNC_EARG, "no frz_en");
}

/* 20 ms at a time CPUs get other RMIDs, and everything that is counted is as it is, to the unit. */
static void expect_truth(const char *model)
{
	const struct unc_sim_model *is = unc_sim_model_find(model);
	const uint64_t unit = is->rdt->upscale, mask = (UINT64_C(1) << is->rdt->width) - 1;
	unsigned step, cpu, l3, rmids[4] = {0, 1, is->rdt->max_rmid / 2, is->rdt->max_rmid};
	uint64_t from[2][4] = {{0}};
	struct fx fx;
	size_t i;

	open_model(&fx, model, ",sockets=1,mbm_erratum=0");
	for (step = 0; step < 12; step++) {
		for (cpu = 0; cpu < 16; cpu += 2)
			fx_wmsr(&fx, cpu, PQR, rmids[(cpu + step) % 4]);
		fx_step(&fx, 20000000);
	}
	for (cpu = 0; cpu < 16; cpu += 2) { /* all of them once more, so that all have a CPU now */
		fx_wmsr(&fx, cpu, PQR, rmids[cpu / 2 % 4]);
	}
	for (i = 0; i < 4; i++) {
		struct unc_sim_llc was = llc(&fx, 0, rmids[i]);
		unsigned event;

		for (event = 1; event <= 3; event++) /* AMD's first ones */
			if (is->rdt->events >> (event - 1) & 1)
				qm(&fx, 1, rmids[i], event);
		if (is->rdt->events & 2)
			from[0][i] = qm(&fx, 1, rmids[i], TOTAL) - was.total_bytes / unit;
		if (is->rdt->events & 4)
			from[1][i] = qm(&fx, 1, rmids[i], LOCAL) - was.local_bytes / unit;
	}
	for (step = 0; step < 5; step++) {
		fx_step(&fx, 17000001);
		for (i = 0; i < 4; i++) {
			struct unc_sim_llc truth = llc(&fx, 0, rmids[i]);
			uint64_t total, local;

			CU_ASSERT_EQUAL(qm(&fx, 0, rmids[i], OCCUPANCY), truth.occupancy_bytes / unit);
			if (!(is->rdt->events & 2))
				continue;
			total = qm(&fx, 0, rmids[i], TOTAL) - from[0][i];
			local = qm(&fx, 0, rmids[i], LOCAL) - from[1][i];
			/* With AMD the beginning was between two units. */
			CU_ASSERT(((truth.total_bytes / unit - total + 1) & mask) <= 2);
			CU_ASSERT(((truth.local_bytes / unit - local + 1) & mask) <= 2);
			if (is->vendor == UNC_SIM_INTEL)
				CU_ASSERT(total == truth.total_bytes / unit && local == truth.local_bytes / unit);
			CU_ASSERT(truth.total_bytes > 0);
		}
	}
	for (l3 = 1; l3 < unc_sim_caches(fx.host); l3++)
		CU_ASSERT(llc(&fx, l3, 0).total_bytes > 0);
	fx_close(&fx);
}

static void what_is_counted_is_what_was_moved(void)
{
	size_t i;

	for (i = 0; i < N(monitoring); i++)
		expect_truth(monitoring[i]);
}

/* CPUs 0 and 1 on one L3, 2 and 3 on the next, of one package. */
#define ZEN2 "zen2,sockets=1,cores=4,threads=1,l3s=2,clock=step,dword_ns=0"

static void two_l3s_of_a_package_keep_apart(void)
{
	struct fx fx;

	fx_open_load(&fx, ZEN2, HEAD "  0: {occupancy: 64000, total: 6.4e6}\n  2: {occupancy: 640000, total: 6.4e7}\n");
	fx_wmsr(&fx, 0, PQR, 7);
	fx_wmsr(&fx, 2, PQR, 7);
	qm(&fx, 0, 7, TOTAL);
	qm(&fx, 2, 7, TOTAL);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 1, 7, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 3, 7, TOTAL), 1000000);
	qm(&fx, 0, 7, OCCUPANCY);
	CU_ASSERT_EQUAL(qm(&fx, 0, 7, OCCUPANCY), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 2, 7, OCCUPANCY), UNAVAILABLE); /* the first of that one */
	CU_ASSERT_EQUAL(qm(&fx, 2, 7, OCCUPANCY), 10000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 7).total_bytes, 6400000);
	CU_ASSERT_EQUAL(llc(&fx, 1, 7).total_bytes, 64000000);
	fx_close(&fx);
}

static void evtsel_can_be_one_of_the_l3(void)
{
	struct fx fx;

	fx_open(&fx, ZEN2 ",qm_scope=package");
	fx_wmsr(&fx, 0, EVTSEL, TOTAL);
	fx_wmsr(&fx, 2, EVTSEL, LOCAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, EVTSEL), TOTAL);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 3, EVTSEL), LOCAL);
	fx_close(&fx);
}

static void each_l3_has_its_masks(void)
{
	struct fx fx;

	fx_open(&fx, ZEN2);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc9f), 0xffff);
	fx_wmsr(&fx, 0, 0xc91, 0xff0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xc91), 0xff0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc91), 0xffff);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000200), 0x800); /* no limit */
	fx_wmsr(&fx, 0, 0xc000020f, 100);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xc000020f), 100);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc000020f), 0x800);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0xc0000200, 0x801), UNC_EIO);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000210), UNC_EIO);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000280), UNC_EIO); /* slow memory: not on this one */
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xd50), UNC_EIO);
	fx_close(&fx);
	open_model(&fx, "zen4", "");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000280), 0x800);
	fx_close(&fx);
	open_model(&fx, "spr", ""); /* 15 classes of service; 8 of the L2s */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc9e), 0x7fff);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc9f), UNC_EIO);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xd17), 0xffff);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xd18), UNC_EIO);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc81), 0);
	fx_close(&fx);
	open_model(&fx, "icx", ""); /* no CDP: 0x10.1 ECX is 0 there */
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc81), UNC_EIO);
	fx_close(&fx);
}

static void rmids_have_12_bits_with_amd(void)
{
	struct fx fx;
	unsigned bit;

	fx_open_load(&fx, "zen5,sockets=1,cores=2,threads=1,clock=step,dword_ns=0", HEAD "  0: {total: 6.4e6}\n");
	fx_wmsr(&fx, 0, PQR, 4095);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, TOTAL), UNAVAILABLE);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, EVTSEL), UINT64_C(4095) << 32 | TOTAL);
	CU_ASSERT_EQUAL(qm(&fx, 0, 4095, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 1023, TOTAL), UNAVAILABLE); /* nobody's */
	for (bit = 12; bit < 32; bit++)
		CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, UINT64_C(1) << bit), UNC_EIO);
	for (bit = 44; bit < 64; bit++)
		CU_ASSERT_EQUAL(try_write(&fx, 0, EVTSEL, UINT64_C(1) << bit), UNC_EIO);
	fx_close(&fx);
	open_model(&fx, "zen2", "");
	CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, 256), UNC_EIO); /* beyond the highest */
	CU_ASSERT_EQUAL(qm(&fx, 0, 256, TOTAL), ERROR);
	fx_close(&fx);
	open_model(&fx, "spr", "");
	fx_wmsr(&fx, 0, PQR, 351);
	CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, 352), UNC_EIO);
	CU_ASSERT_EQUAL(try_write(&fx, 0, EVTSEL, UINT64_C(1) << 42), UNC_EIO);
	CU_ASSERT_EQUAL(qm(&fx, 0, 352, TOTAL), ERROR);
	fx_close(&fx);
}

/* 56375: hardware tracks an RMID from when a CPU carries it, from 0 on. */
static void amd_counts_an_rmid_from_when_it_is_carried(void)
{
	struct fx fx;

	fx_open_load(&fx, ZEN2, HEAD "  0-1: {occupancy: 64000, total: 6.4e6, local: 6.4e6}\n");
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE);
	fx_step(&fx, SECOND);
	fx_wmsr(&fx, 0, PQR, 5);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE); /* once for each event, whoever asks */
	CU_ASSERT_EQUAL(qm(&fx, 1, 5, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 1, 5, LOCAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, LOCAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, OCCUPANCY), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, OCCUPANCY), 1000);
	fx_wmsr(&fx, 1, PQR, 5); /* a second one changes nothing */
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 100000);
	fx_wmsr(&fx, 0, PQR, 0);
	fx_wmsr(&fx, 1, PQR, 0); /* the last one leaves: it can still be read */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 100000);
	fx_wmsr(&fx, 1, PQR, 5);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 100000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).total_bytes, 12800000); /* the truth has no such gaps */
	CU_ASSERT_EQUAL(qm(&fx, 2, 5, TOTAL), UNAVAILABLE);    /* the other L3 */
	fx_close(&fx);
}

static void rmid_0_is_tracked_from_the_reset_on(void)
{
	struct fx fx;

	fx_open_load(&fx, ZEN2, HEAD "  0: {total: 6.4e6}\n");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 100000);
	fx_wmsr(&fx, 0, PQR, 9);
	qm(&fx, 0, 9, TOTAL);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 9, TOTAL), UNAVAILABLE); /* nobody has carried it since */
	CU_ASSERT_EQUAL(qm(&fx, 0, 9, TOTAL), UNAVAILABLE);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), 100000);
	fx_close(&fx);
}

/* 0x7f is everything, 0x15 what is local, 0x2a what is remote. */
static void what_bandwidth_events_count_can_be_chosen(void)
{
	struct fx fx;

	fx_open_load(&fx, "zen4,cores=4,threads=1,l3s=2,clock=step,dword_ns=0",
		     HEAD "  0: {total: 6.4e6, local: 6.4e5}\n  2: {total: 6.4e6}\n");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000400), 0x7f);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000401), 0x15);
	fx_wmsr(&fx, 0, PQR, 3);
	qm(&fx, 0, 3, TOTAL);
	qm(&fx, 0, 3, LOCAL);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), 10000);
	fx_wmsr(&fx, 1, 0xc0000401, 0x2a); /* the L3's */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000401), 0x2a);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xc0000401), 0x15);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 100000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), UNAVAILABLE);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, LOCAL), 90000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 200000);
	fx_wmsr(&fx, 0, 0xc0000400, 0);
	qm(&fx, 0, 3, TOTAL);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 3, TOTAL), 0);
	CU_ASSERT_EQUAL(llc(&fx, 0, 3).total_bytes, 3 * 6400000);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0xc0000400, 0x80), UNC_EIO);
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000402), UNC_EIO);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc0000400), 0x7f);
	fx_close(&fx);
	open_model(&fx, "zen3", "");
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc0000400), UNC_EIO);
	fx_close(&fx);
}

static void amd_counts_44_bits(void)
{
	const uint64_t wrap = UINT64_C(1) << 44;
	struct fx fx;

	fx_open_load(&fx, ZEN2, HEAD "  0: {total: 6.4e11, local: 1e10}\n"); /* 10^10 units a second */
	qm(&fx, 0, 0, TOTAL);
	fx_step(&fx, 1800 * SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, TOTAL), UINT64_C(18000000000000) - wrap);
	fx_close(&fx);
}

/* CPUs 0 and 1 on node 0, 2 and 3 on node 1; 144 RMIDs for each.  A node's unit is half of 0x12000. */
#define SNC "icx,cores=4,threads=1,snc=2,clock=step,dword_ns=0"
#define SNC_LOAD                                                                                                       \
	HEAD "  0: {occupancy: 3686400, total: 36864000}\n  2: {occupancy: 368640, total: 368640000, local: 36864}\n"
enum { HALF = 144 };

static void nodes_divide_the_cores_of_a_package(void)
{
	struct fx fx;
	size_t i;

	fx_open(&fx, "icx,sockets=2,snc=4");
	CU_ASSERT_EQUAL(unc_sim_caches(fx.host), 2);
	CU_ASSERT_EQUAL(cache_at(&fx, 1).nodes, 4);
	for (i = 0; i < unc_sim_cpus(fx.host); i++) {
		struct unc_sim_cpu cpu = cpu_at(&fx, i);

		CU_ASSERT_EQUAL(cpu.node, cpu.package * 4 + cpu.core / 9);
		CU_ASSERT_EQUAL(cpu.l3, cpu.package);
	}
	CU_ASSERT_EQUAL(unc_sim_rmids(fx.host), 288); /* as CPUID says */
	fx_close(&fx);
}

static void sharing_mode_counts_each_nodes_under_its_own_rmids(void)
{
	struct fx fx;

	fx_open_load(&fx, SNC, SNC_LOAD);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, SNC_CONFIG), 1);
	fx_wmsr(&fx, 3, SNC_CONFIG, 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, SNC_CONFIG), 0);
	fx_wmsr(&fx, 0, PQR, 5);
	fx_wmsr(&fx, 2, PQR, 5);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 3, 5, TOTAL), 1000); /* any CPU of the L3 can ask */
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 10000);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, LOCAL), 1);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, OCCUPANCY), 100);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, OCCUPANCY), 10);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).total_bytes, 36864000 + 368640000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).occupancy_bytes, 3686400 + 368640);
	CU_ASSERT_EQUAL(llc(&fx, 0, HALF + 5).total_bytes, 0);
	fx_wmsr(&fx, 0, PQR, HALF + 7); /* no node has it */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 7, TOTAL), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 7, TOTAL), 0);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 288, TOTAL), ERROR);
	CU_ASSERT_EQUAL(try_write(&fx, 0, PQR, 288), UNC_EIO);
	fx_close(&fx);
}

static void local_mode_counts_a_nodes_range_alone(void)
{
	struct fx fx;

	fx_open_load(&fx, SNC, SNC_LOAD);
	fx_wmsr(&fx, 0, PQR, 5);
	fx_wmsr(&fx, 2, PQR, 5); /* not one of node 1's */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 1000);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 0);
	fx_wmsr(&fx, 2, PQR, HALF + 5);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 10000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 2000);
	CU_ASSERT_EQUAL(llc(&fx, 0, 5).total_bytes, 2 * 36864000);
	CU_ASSERT_EQUAL(llc(&fx, 0, HALF + 5).total_bytes, 368640000);
	fx_wmsr(&fx, 0, SNC_CONFIG, 0); /* from now on CPU 2 has none */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 10000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 5, TOTAL), 3000);
	fx_wmsr(&fx, 0, SNC_CONFIG, 1);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, HALF + 5, TOTAL), 20000);
	CU_ASSERT_EQUAL(try_write(&fx, 0, SNC_CONFIG, 2), UNC_EIO);
	fx_wmsr(&fx, 0, SNC_CONFIG, 0);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, SNC_CONFIG), 1);
	fx_close(&fx);
}

/* Half of the L3 each: 27 MiB. */
static void a_node_has_its_part_of_the_cache(void)
{
	struct fx fx;

	fx_open_load(&fx, SNC, HEAD "  0: {occupancy: 90e6, total: 1e10}\n  2: {occupancy: 1e6, total: 1e10}\n");
	fx_wmsr(&fx, 0, SNC_CONFIG, 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(llc(&fx, 0, 0).occupancy_bytes, (UINT64_C(27) << 20) + 1000000);
	CU_ASSERT_EQUAL(qm(&fx, 0, 0, OCCUPANCY), (UINT64_C(27) << 20) / 36864);
	fx_close(&fx);
}

static void the_register_of_sub_numa_clustering_is_on_some_alone(void)
{
	static const char *const without[] = {"snbep", "ivt", "hsx",  "bdx",  "bdxde", "skx",
					      "clx",   "cpx", "zen2", "zen3", "zen4",  "zen5"};
	struct fx fx;
	size_t i;

	for (i = 0; i < N(without); i++) {
		open_model(&fx, without[i], "");
		CU_ASSERT_EQUAL(try_read(&fx, 0, SNC_CONFIG), UNC_EIO);
		CU_ASSERT_EQUAL(try_write(&fx, 0, SNC_CONFIG, 0), UNC_EIO);
		fx_close(&fx);
	}
	open_model(&fx, "spr", ",sockets=2"); /* there also where it is off, and does nothing then */
	fx_wmsr(&fx, 0, PQR, 300);
	fx_wmsr(&fx, 0, SNC_CONFIG, 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 71, SNC_CONFIG), 1); /* the other package */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(qm(&fx, 0, 300, TOTAL), UINT64_C(200000000) / 0x16000);
	fx_close(&fx);
}

/* 384 CPUs in 32 L3s, twelve each: zen5 with as many L3s as a Rome has. */
static void a_large_machine_has_every_l3_of_its_own(void)
{
	unsigned of_l3[32] = {0};
	struct fx fx;
	size_t i;

	open_model(&fx, "zen5", ",l3s=16");
	CU_ASSERT_EQUAL_FATAL(unc_sim_cpus(fx.host), 384);
	CU_ASSERT_EQUAL_FATAL(unc_sim_caches(fx.host), 32);
	for (i = 0; i < 384; i++) {
		struct unc_sim_cpu cpu = cpu_at(&fx, i);

		of_l3[cpu.l3]++;
		fx_wmsr(&fx, cpu.number, PQR, 4000 + cpu.l3);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, cpu.number, PQR), 4000 + cpu.l3);
	}
	for (i = 0; i < 384; i++)
		qm(&fx, (unsigned)i, 4000 + cpu_at(&fx, i).l3, TOTAL);
	fx_step(&fx, SECOND);
	for (i = 0; i < 384; i++) {
		struct unc_sim_cpu cpu = cpu_at(&fx, i);
		unsigned rmid = 4000 + cpu.l3;

		CU_ASSERT_EQUAL(of_l3[cpu.l3], 12);
		CU_ASSERT_EQUAL(qm(&fx, cpu.number, rmid, TOTAL), llc(&fx, cpu.l3, rmid).total_bytes / 64);
		CU_ASSERT_EQUAL(llc(&fx, (cpu.l3 + 1) % 32, rmid).total_bytes, 0);
	}
	fx_close(&fx);
}

static void two_openers_must_name_the_same_caches(void)
{
	char *path = fx_file(NULL), args[256];
	struct fx a, b;

	snprintf(args, sizeof(args), "zen2,sockets=1,l3s=8,clock=step,state=%s", path);
	fx_open(&a, args);
	fx_open(&b, args);
	fx_wmsr(&a, 63, PQR, 200);
	CU_ASSERT_EQUAL(fx_rmsr(&b, 63, PQR), 200);
	fx_close(&b);
	fx_close(&a);
	snprintf(args, sizeof(args), "zen2,sockets=1,clock=step,state=%s", path);
	FX_REFUSED(args, UNC_EARG, "another machine", "l3s=8");
	fx_unlink(path);
}

/* What tools read before anything else. */
static void registers_that_tools_read_at_start_are_there(void)
{
	static const uint32_t intel[] = {0x10, 0x17, 0x8b, 0xce, 0xe7, 0xe8, 0x198, 0x1a0, 0x1ad, 0x606, 0x611, 0x38d};
	static const uint32_t amd[] = {0x10,       0xe7,       0xe8,       0x8b,       0xc0010015, 0xc0010061,
				       0xc0010063, 0xc0010064, 0xc0010299, 0xc001029a, 0xc001029b};
	struct fx fx;
	size_t i, k;

	for (i = 0; i < N(newer); i++) {
		bool is_intel = i < 2;

		open_model(&fx, newer[i], "");
		for (k = 0; k < N(intel); k++)
			CU_ASSERT(!is_intel || try_read(&fx, 3, intel[k]) == 0);
		for (k = 0; k < N(amd); k++)
			CU_ASSERT(is_intel || try_read(&fx, 3, amd[k]) == 0);
		CU_ASSERT_EQUAL(try_read(&fx, 3, is_intel ? 0xc0010015 : 0x606), UNC_EIO);
		CU_ASSERT_EQUAL(try_read(&fx, 3, 0x700), UNC_EIO); /* no uncore is modelled */
		fx_close(&fx);
	}
}

void test_sim_l3_suite(void);
void test_sim_l3_suite(void)
{
	CU_pSuite s = CU_add_suite("sim_l3", NULL, NULL);

	CU_add_test(s, "machines are those of the real parts", machines_are_those_of_the_real_parts);
	CU_add_test(s, "CPUID tells who shares an L3", cpuid_tells_who_shares_an_l3);
	CU_add_test(s, "cores alone give as many L3s as they need", cores_alone_give_as_many_l3s_as_they_need);
	CU_add_test(s, "what makes no machine is refused", what_makes_no_machine_is_refused);
	CU_add_test(s, "machines without channels work", machines_without_channels_work);
	CU_add_test(s, "what is counted is what was moved", what_is_counted_is_what_was_moved);
	CU_add_test(s, "two L3s of a package keep apart", two_l3s_of_a_package_keep_apart);
	CU_add_test(s, "EVTSEL can be one of the L3", evtsel_can_be_one_of_the_l3);
	CU_add_test(s, "each L3 has its masks", each_l3_has_its_masks);
	CU_add_test(s, "RMIDs have 12 bits with AMD", rmids_have_12_bits_with_amd);
	CU_add_test(s, "AMD counts an RMID from when it is carried", amd_counts_an_rmid_from_when_it_is_carried);
	CU_add_test(s, "RMID 0 is tracked from the reset on", rmid_0_is_tracked_from_the_reset_on);
	CU_add_test(s, "what bandwidth events count can be chosen", what_bandwidth_events_count_can_be_chosen);
	CU_add_test(s, "AMD counts 44 bits", amd_counts_44_bits);
	CU_add_test(s, "nodes divide the cores of a package", nodes_divide_the_cores_of_a_package);
	CU_add_test(s, "sharing mode counts each node's under its own RMIDs",
		    sharing_mode_counts_each_nodes_under_its_own_rmids);
	CU_add_test(s, "local mode counts a node's range alone", local_mode_counts_a_nodes_range_alone);
	CU_add_test(s, "a node has its part of the cache", a_node_has_its_part_of_the_cache);
	CU_add_test(s, "the register of sub-NUMA clustering is on some alone",
		    the_register_of_sub_numa_clustering_is_on_some_alone);
	CU_add_test(s, "a large machine has every L3 of its own", a_large_machine_has_every_l3_of_its_own);
	CU_add_test(s, "two openers must name the same caches", two_openers_must_name_the_same_caches);
	CU_add_test(s, "registers that tools read at start are there", registers_that_tools_read_at_start_are_there);
}
