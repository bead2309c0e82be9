// SPDX-License-Identifier: GPL-2.0-or-later
/* sim:cpuid=FILE: a raw CPUID dump as a machine. */
#include "test_sim_qm.h"

#include "access/cpuid_raw.h"
#include "sim/sim.h"

/* A dump of that text, with the time standing still. */
static void open_text(const char *text)
{
	fx_open(fx_text("cpuid=%s,clock=step,dword_ns=0", fx_file(text)));
}

/* The dumps of real machines: ../shared/cpuid/NAME. */
struct real {
	const char *name, *model;
	size_t cpus, caches;
	unsigned packages, last_id, rmids; /* 0: no monitoring */
	uint64_t l3_bytes, unit;
};

static const struct real reals[] = {
	{"intel-xeon-cpu-e5-2687w-0.test", "snbep", 16, 1, 1, 0, 0, UINT64_C(20) << 20, 0},
	{"intel-xeon-cpu-e5-2697-v2.test", "ivt", 24, 1, 1, 0, 0, UINT64_C(30) << 20, 0},
	{"intel-xeon-cpu-e5-2699-v3-dual.test", "hsx", 72, 2, 2, 1, 72, UINT64_C(45) << 20, 0x12000},
	{"intel-xeon-cpu-e5-2697-v4-dual.test", "bdx", 72, 2, 2, 1, 144, UINT64_C(45) << 20, 0x12000},
	{"intel-xeon-platinum-8180-cpu-dual.test", "skx", 112, 2, 2, 1, 224, UINT64_C(39424) << 10, 0x1c000},
	{"intel-xeon-platinum-8351n-cpu.test", "icx", 72, 1, 1, 0, 288, UINT64_C(54) << 20, 0x12000},
	{"intel-xeon-w9-3475x.test", "spr", 72, 1, 1, 0, 352, UINT64_C(84480) << 10, 0x16000},
	{"amd-epyc-7742-64-core-processor-dual.test", "zen2", 256, 32, 2, 31, 256, UINT64_C(16) << 20, 64},
	{"amd-epyc-9124-16-core-processor.test", "zen4", 32, 4, 1, 6, 256, UINT64_C(16) << 20, 64},
};

/* Its path; NULL: it is not there. */
static const char *open_real(const struct real *real)
{
	const char *path = fx_text("../shared/cpuid/%s", real->name);

	if (access(path, R_OK) != 0) {
		printf("\n    skipped: no %s", path);
		return NULL;
	}
	/* No erratum, so that high RMIDs count what is so. */
	fx_open(fx_text("cpuid=%s,clock=step,dword_ns=0%s", path, real->rmids ? ",mbm_erratum=0" : ""));
	return path;
}

/* SDM vol. 2: these look at ECX. Of the others a model has one register set, whatever ECX was. */
static uint32_t subleaves_of_model(uint32_t leaf)
{
	static const uint32_t leaves[] = {4,    7,    0xb,  0xd,  0xf,  0x10, 0x12,       0x14,       0x17,
					  0x18, 0x1b, 0x1d, 0x1e, 0x1f, 0x20, 0x8000001d, 0x80000020, 0x80000026};

	for (size_t i = 0; i < N(leaves); i++)
		if (leaves[i] == leaf)
			return 0x20;
	return 1;
}

static unsigned compare_leaf(const struct unc_cpuid_dump *dump, unsigned in_dump, unsigned cpu, uint32_t leaf,
			     uint32_t subleaves)
{
	struct unc_cpuid_regs is, real;
	unsigned n = 0;

	for (uint32_t subleaf = 0; subleaf < subleaves; subleaf++) {
		if (unc_cpuid_dump_get(fx.ctx, dump, in_dump, leaf, subleaf, &real) < 0)
			continue;
		is = fx_cpuid(cpu, leaf, subleaf);
		if (memcmp(&is, &real, sizeof(is)) != 0)
			fx_wrong(__FILE__, __LINE__, "cpu %u: %x.%x: %08x %08x %08x %08x, not %08x %08x %08x %08x", cpu,
				 leaf, subleaf, is.eax, is.ebx, is.ecx, is.edx, real.eax, real.ebx, real.ecx, real.edx);
		n++;
	}
	return n;
}

/* Leaves 0 to 0x3f of both halves, and the one at the end that some programs ask a dump's machine for. */
static unsigned compare_cpu(const struct unc_cpuid_dump *dump, unsigned in_dump, unsigned cpu, bool model)
{
	unsigned n = model ? 0 : compare_leaf(dump, in_dump, cpu, 0x8fffffff, 0x20);

	for (uint32_t i = 0; i < 0x80; i++) {
		uint32_t leaf = i < 0x40 ? i : (i - 0x40) | 0x80000000;

		n += compare_leaf(dump, in_dump, cpu, leaf, model ? subleaves_of_model(leaf) : 0x20);
	}
	return n;
}

static struct unc_cpuid_dump *parsed(const char *path)
{
	struct unc_cpuid_dump *dump = NULL;
	char *text;
	size_t len;

	CU_ASSERT_FATAL(unc_os_file_read(fx.ctx, path, 4 << 20, UNC_TRUST_ANY, &text, &len) == 0);
	CU_ASSERT_FATAL(unc_cpuid_dump_parse(fx.ctx, path, text, len, &dump) == 0);
	free(text);
	return dump;
}

/* The CPU of the machine with the APIC id of one in the dump. */
static unsigned cpu_of(const struct unc_cpuid_dump *dump, unsigned in_dump)
{
	struct unc_cpuid_regs one;

	CU_ASSERT_FATAL(unc_cpuid_dump_get(fx.ctx, dump, in_dump, 1, 0, &one) == 0);
	for (size_t k = 0; k < unc_sim_info(fx.host).n_cpus; k++)
		if (fx_cpu(k).apic_id == one.ebx >> 24)
			return (unsigned)k;
	CU_FAIL_FATAL("the CPU that was asked must be there");
	return 0;
}

/* So do a machine of the dump, whose CPUs are in its order, and the model of that processor, whose are in its own. */
TEST(every_real_machine_answers_as_it_did)
{
	for (size_t i = 0; i < N(reals); i++) {
		const char *path = open_real(&reals[i]);
		struct unc_cpuid_dump *dump;
		unsigned n;

		if (!path)
			continue;
		dump = parsed(path);
		n = (unsigned)unc_cpuid_dump_cpus(dump);
		for (unsigned k = 0; k < n; k++)
			CU_ASSERT(compare_cpu(dump, k, n > 1 ? k : cpu_of(dump, k), false) > 30);
		fx_open(reals[i].model);
		/* A dump of one CPU stands for a machine whose other CPUs were not asked. */
		CU_ASSERT(n == 1 || n == unc_sim_info(fx.host).n_cpus);
		for (unsigned k = 0; k < n; k++)
			CU_ASSERT(compare_cpu(dump, k, cpu_of(dump, k), true) > 30);
		unc_cpuid_dump_free(dump);
	}
	CU_PASS("those that are there");
}

TEST(every_real_machine_has_its_cpus_and_caches)
{
	for (size_t i = 0; i < N(reals); i++) {
		unsigned packages = 0;

		if (!open_real(&reals[i]))
			continue;
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_cpus, reals[i].cpus);
		CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_caches, reals[i].caches);
		CU_ASSERT_EQUAL(fx_cache(0).id, 0);
		CU_ASSERT_EQUAL(fx_cache(reals[i].caches - 1).id, reals[i].last_id);
		CU_ASSERT_EQUAL(fx_cache(0).bytes, reals[i].l3_bytes);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, reals[i].rmids);
		for (size_t k = 0; k < reals[i].cpus; k++) {
			struct unc_sim_cpu cpu = fx_cpu(k);

			CU_ASSERT_EQUAL(cpu.number, k);
			CU_ASSERT_EQUAL(fx_cpuid((unsigned)k, 0xb, 0).edx, cpu.apic_id);
			CU_ASSERT_EQUAL(fx_cpuid((unsigned)k, 1, 0).ebx >> 24, cpu.apic_id);
			CU_ASSERT_EQUAL(fx_cache(cpu.l3).package, cpu.package);
			if (cpu.package >= packages)
				packages = cpu.package + 1;
		}
		CU_ASSERT_EQUAL(packages, reals[i].packages);
	}
	CU_PASS("those that are there");
}

/* To the unit; with AMD from when RMIDs are carried. */
TEST(every_real_machine_counts_what_was_moved)
{
	for (size_t i = 0; i < N(reals); i++) {
		struct unc_sim_llc from, is;
		unsigned cpu = 0, top = reals[i].rmids - 1;

		if (!reals[i].rmids || !open_real(&reals[i]))
			continue;
		for (unsigned l3 = 0; l3 < unc_sim_info(fx.host).n_caches; l3++) {
			while (fx_cpu(cpu).l3 != l3)
				cpu++;
			fx_wmsr(cpu, PQR, top);
			FAULTS({cpu, PQR, top + 1});
			qm(cpu, top, OCCUPANCY);
			qm(cpu, top, TOTAL);
			from = llc(l3, top);
			fx_step(SECOND);
			is = llc(l3, top);
			CU_ASSERT(is.total_bytes > from.total_bytes + 199999999);
			QM({cpu, top, OCCUPANCY, is.occupancy_bytes / reals[i].unit},
			   {cpu, top, TOTAL,
			    reals[i].rmids == 72 ? ERROR : (is.total_bytes - from.total_bytes) / reals[i].unit});
		}
	}
	CU_PASS("those that are there");
}

/* Beyond the highest leaf, 0xd, comes the data of that one, which is not a number of RMIDs. */
TEST(a_leaf_beyond_the_highest_is_another_one)
{
	open_text("basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
		  "basic_cpuid[1]=000206d7 00020800 1fbee3ff bfebfbff\n"
		  "basic_cpuid[4]=04004121 01c0003f 0000003f 00000000\n"
		  "basic_cpuid[13]=00000007 00000340 00000340 00000000\n"
		  "intel_fn4[0]=04004121 01c0003f 0000003f 00000000\n");
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 0).ebx, 0x340);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 1).ebx, 0x340);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000020, 0).ebx, 0x340);
	CU_ASSERT_EQUAL(fx_cpuid(0, 7, 0).ebx, 0); /* below the highest, and not in the dump */
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, 0);
	for (uint32_t number = 0xc81; number < 0xca1; number++)
		ABSENT(0, number);
	ABSENT(0, 0x606);
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_cpus, 2); /* leaf 4: two cores; leaf 1: two ids */
	CU_ASSERT_EQUAL(fx_cpuid(1, 1, 0).ebx >> 24, 1);
}

TEST(amd_answers_0_there)
{
	open_text("basic_cpuid[0]=0000000d 68747541 444d4163 69746e65\n"
		  "basic_cpuid[1]=00800f12 00040800 7ed8320b 178bfbff\n"
		  "basic_cpuid[13]=00000007 00000340 00000340 00000000\n"
		  "ext_cpuid[0]=8000001f 68747541 444d4163 69746e65\n"
		  "ext_cpuid[8]=00003030 00001007 00004003 00000000\n"
		  "ext_cpuid[29]=00004121 01c0003f 0000003f 00000000\n"
		  "ext_cpuid[30]=00000002 00000101 00000000 00000000\n");
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 0).ebx, 0);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x80000020, 0).ebx, 0);
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_cpus, 4); /* 80000008, two threads a core by 8000001e */
	CU_ASSERT_EQUAL(fx_cpu(1).apic_id, 2);
	CU_ASSERT_EQUAL(fx_cpu(1).core, 1);
	CU_ASSERT_EQUAL(fx_cpu(2).apic_id, 1);
	CU_ASSERT_EQUAL(fx_cpuid(1, 0x8000001e, 0).eax, 2); /* as it was recorded */
	CU_ASSERT_EQUAL(fx_cpuid(3, 0x8000001e, 0).eax, 3);
	CU_ASSERT_EQUAL(fx_cpuid(3, 0x8000001e, 0).ebx, 0x101);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0x8000001e, 0).ebx, 0x100);
}

/*
 * A made-up machine: two CPUs on each of two L3s of one package (leaf 0xb), and two on another package, in an order of their
 * own.  monitoring is leaf 0xf, sub-leaves 0 and 1; ebx7 leaf 7's EBX.
 */
static char *made_up(const char *ebx7, const char *monitoring)
{
	static const unsigned ids[] = {9, 0, 2, 1, 3, 8};
	static char text[8192];
	int len = 0;

	for (size_t i = 0; i < N(ids); i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len,
				"------[ Logical CPU #%zu ]------\n"
				"CPUID 00000000: 00000010-756E6547-6C65746E-49656E69 [GenuineIntel]\n"
				"CPUID 00000001: 00050654-%02X080800-7FFEFBFF-BFEBFBFF\n"
				"CPUID 00000004: 0C000121-01C0003F-0000003F-00000000 [SL 00]\n"
				"CPUID 00000004: 0C004163-0280003F-00000FFF-00000004 [SL 01]\n"
				"CPUID 00000007: 00000000-%s-00000008-00000000 [SL 00]\n"
				"CPUID 0000000B: 00000000-00000001-00000100-%08X [SL 00]\n"
				"CPUID 0000000B: 00000003-00000004-00000201-%08X [SL 01]\n"
				"%s",
				i, ids[i], ebx7, ids[i], ids[i], monitoring);
	return text;
}

#define F(max, l1) "CPUID 0000000F: 00000000-" max "-00000000-00000002 [SL 00]\nCPUID 0000000F: " l1 " [SL 01]\n"

TEST(ids_of_a_dump_are_cut_as_it_says)
{
	static const unsigned package[] = {1, 0, 0, 0, 0, 1}, l3[] = {2, 0, 1, 0, 1, 2};

	open_text(made_up("00001000", F("0000000F", "00000000-00001000-0000000F-00000007")));
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_cpus, 6);
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_caches, 3);
	for (size_t i = 0; i < 6; i++) {
		CU_ASSERT(fx_cpu(i).package == package[i] && fx_cpu(i).node == package[i] && fx_cpu(i).l3 == l3[i]);
	}
	CU_ASSERT(fx_cache(1).id == 1 && fx_cache(2).id == 4 && fx_cache(2).package == 1);
	CU_ASSERT_EQUAL(fx_cache(0).bytes, 11 * 64 * 4096);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xb, 2).edx, 9); /* no such level, but the id */
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xb, 2).ecx, 2);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xb, 2).ebx, 0);
	fx_wmsr(3, PQR, 15);
	FAULTS({3, PQR, 16}, {3, PQR, UINT64_C(1) << 32}); /* no allocation */
	fx_step(SECOND);
	CU_ASSERT(qm(1, 15, TOTAL) > 0);
	QM({2, 15, TOTAL, 0});
}

/* CPUID answers them as they are; what there is to monitor with is what sub-leaf 1 says. */
TEST(contradictions_make_a_machine_all_the_same)
{
	open_text(made_up("00001000", F("0000000F", "00000000-00001000-0000001F-00000007")));
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 0).ebx, 0xf);
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 1).ecx, 0x1f);
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, 32);
	open_text(made_up("00001000", F("0000000F", "00000000-00000000-0000000F-00000007")));
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 1).ebx, 0);
	QM({0, 0, OCCUPANCY, ERROR});
	open_text(made_up("00001000", F("0000000F", "00000000-00001000-0000000F-0000001D")));
	CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 1).edx, 0x1d);
	fx_step(SECOND);
	CU_ASSERT(qm(0, 0, OCCUPANCY) < UNAVAILABLE);
	QM({0, 0, TOTAL, ERROR}, {0, 0, 4, ERROR});
	/* One program printed leaf 0x10.1 there. */
	open_text(made_up("00001000", F("000000DF", "0000000A-00000600-00000004-0000000F")));
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, 5);
	CU_ASSERT_EQUAL(fx_cpuid(5, 0xf, 1).ebx, 0x600);
}

TEST(allocation_without_monitoring_has_its_registers_alone)
{
	open_text(made_up("00008000", "CPUID 00000010: 00000000-00000002-00000000-00000000 [SL 00]\n"
				      "CPUID 00000010: 0000000B-00000600-00000004-00000003 [SL 01]\n"));
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, 0);
	ABSENT(0, QM_CTR, EVTSEL);
	fx_wmsr(0, PQR, UINT64_C(3) << 32);
	FAULTS({0, PQR, UINT64_C(4) << 32}, {0, PQR, 1});
	ISMSR({0, 0xc93, 0xfff});
	ABSENT(0, 0xc94);
	ISMSR({0, 0xc81, 0});
	open_text(made_up("00000000", F("0000000F", "00000000-00001000-0000000F-00000007")));
	ABSENT(0, PQR); /* not announced in leaf 7 */
}

TEST(hygon_counts_32_bits)
{
	char *text = made_up("00001000", F("000000FF", "00000000-00000040-000000FF-00000007")), *at;

	while ((at = strstr(text, "756E6547-6C65746E-49656E69 [GenuineIntel]")) != NULL)
		memcpy(at, "6F677948-656E6975-6E65476E [HygonGenuine]", 41);
	open_text(text);
	QM({0, 0, TOTAL, UNAVAILABLE}); /* as AMD */
	fx_step(3600 * SECOND);
	CU_ASSERT(qm(0, 0, TOTAL) < UINT64_C(1) << 32);
}

static void refused(const char *text, const char *piece)
{
	FX_REFUSED(fx_text("cpuid=%s", fx_file(text)), "sim:cpuid", piece);
}

TEST(what_is_no_dump_is_refused)
{
	refused(NULL, "No such file");
	refused("hello\n", "not a raw CPUID dump");
	refused("", "no registers");
	refused("basic_cpuid[1]=000206d7 00020800 1fbee3ff bfebfbff\n", "no leaf 0");
	refused("basic_cpuid[0]=0000000d 756e6547 6c6574\n", ":1:");
	refused("------[ Logical CPU #0 ]------\nCPUID 00000000: 00000010-756E6547-6C65746E-49656E69\n"
		"------[ Logical CPU #2 ]------\nCPUID 00000000: 00000010-756E6547-6C65746E-49656E69\n",
		"none of the number 1");
	FX_REFUSED("cpuid=/tmp", "sim:cpuid", "/tmp");
	FX_REFUSED("cpuid=", "sim:cpuid");
	FX_REFUSED("nothing", "--list-machines", "cpuid=FILE");
}

/* Any numbers make a machine or a sentence: leaf 0xb has them as they come. */
TEST(nonsense_is_survived)
{
	static const uint32_t values[] = {0, 1, 2, 31, 32, 255, 0x7ff, 0x801, 0xffff, 0x7fffffff, 0xffffffff};
	unsigned seed = 1, opened = 0;

	for (unsigned i = 0; i < 2000; i++) {
		uint32_t v[20];
		struct unc_host *host = NULL;
		struct unc_ctx *ctx;
		char text[2048];

		for (size_t k = 0; k < N(v); k++) {
			seed = seed * 1103515245 + 12345;
			v[k] = seed >> 28 & 1 ? values[(seed >> 16) % N(values)] : seed >> 4 & 0x1ff;
		}
		snprintf(text, sizeof(text),
			 "basic_cpuid[0]=0000001f %s\nbasic_cpuid[1]=000506f4 %08x 00000000 10000000\n"
			 "basic_cpuid[7]=00000000 00009000 00000000 00000000\n"
			 "basic_cpuid[15]=00000000 %08x 00000000 00000002\nbasic_cpuid[16]=00000000 0000000e 00000000 "
			 "00000000\n"
			 "intel_fn4[0]=%08x %08x %08x 00000000\nintel_fn11[0]=%08x %08x 00000100 %08x\n"
			 "intel_fn11[1]=%08x %08x 00000201 %08x\next_cpuid[0]=8000001e 00000000 00000000 00000000\n"
			 "ext_cpuid[8]=00000000 00000000 %08x 00000000\next_cpuid[30]=%08x %08x 00000000 00000000\n"
			 "amd_fn8000001dh[0]=%08x %08x %08x 00000000\n",
			 i % 2 ? "756e6547 6c65746e 49656e69" : "68747541 444d4163 69746e65", v[0], v[1], v[2] | 0x60,
			 v[3], v[4], v[5], i % 3 ? v[6] : 0, v[7], v[8], v[9], v[7], v[10], v[11], v[12], v[13] | 0x60,
			 v[14], v[15]);
		CU_ASSERT_FATAL(unc_new(&ctx) == 0);
		if (unc_sim_open(ctx, fx_text("cpuid=%s,clock=step", fx_file(text)), -1, &host) == 0) {
			struct unc_sim_cpu cpu;

			opened++;
			for (size_t k = 0; k < unc_sim_info(host).n_cpus; k++)
				CU_ASSERT(unc_sim_cpu(host, k, &cpu) == 0 && cpu.number == k &&
					  cpu.l3 < unc_sim_info(host).n_caches);
		} else {
			CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(ctx), "simulated"));
		}
		unc_host_close(host);
		unc_free(ctx);
	}
	CU_ASSERT(opened > 100 && opened < 2000);
}

TEST(a_dump_says_what_there_is)
{
	static const char *const fixed[] = {"sockets=1", "cores=4", "threads=1", "l3s=2", "snc=1"};
	const char *path = fx_file(made_up("00000000", "")), *state = fx_file(NULL), *other;

	for (size_t i = 0; i < N(fixed); i++)
		FX_REFUSED(fx_text("cpuid=%s,%s", path, fixed[i]), "sim:cpuid", "the dump says");
	fx_open(fx_text("cpuid=%s,offline=2,5,clock=step,state=%s", path, state));
	CU_ASSERT_FALSE(fx_cpu(5).online);
	CU_ASSERT_TRUE(fx_cpu(1).online);
	CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_channels, 0);
	other = fx_file(made_up("00000001", ""));
	FX_REFUSED(fx_text("cpuid=%s,offline=2,5,clock=step,state=%s", other, state), "another machine", "CPUID dump");
}
