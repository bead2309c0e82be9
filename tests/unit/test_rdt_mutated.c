// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUID of every model with single fields changed by lot: whatever it says then, there is a sentence, or numbers that are true of a
 * machine that is what CPUID says; and none where its answers cannot all be.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "onsim.h"
#include "rdt/rdt.h"
#include "test.h"

enum { CPUS = 8, LEAVES_MAX = 40 };

struct leaf {
	uint32_t leaf, subleaf;
	struct unc_cpuid_regs regs[CPUS];
};

struct part {
	const char *model;
	unsigned n_cpus;
	size_t n;
	struct leaf leaves[LEAVES_MAX];
};

static uint64_t lot = 88172645463325252;

static uint32_t below(uint32_t n)
{
	lot ^= lot << 13;
	lot ^= lot >> 7;
	lot ^= lot << 17;
	return (uint32_t)(lot >> 33) % n;
}

/* ---- a part, as its model has it ---- */

static const struct {
	uint32_t leaf, n;
} asked[] = {
	{0, 1},  {1, 1},          {4, 5},          {7, 1},          {0xb, 3},        {0xf, 2},        {0x10, 4},
	{20, 1}, {0x80000000, 1}, {0x80000001, 1}, {0x80000008, 1}, {0x8000001d, 5}, {0x8000001e, 1}, {0x80000020, 6},
};

static void ask_part(struct part *part, const char *model)
{
	struct unc_host *host = NULL;
	struct unc_ctx *ctx;
	char args[60];

	*part = (struct part){.model = model, .n_cpus = 4};
	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	snprintf(args, sizeof(args), "%s,clock=step,sockets=1,cores=4,threads=1", model);
	CU_ASSERT_EQUAL_FATAL(unc_sim_open(ctx, args, -1, &host), 0);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		for (uint32_t sub = 0; sub < asked[i].n; sub++) {
			struct leaf *leaf = &part->leaves[part->n];
			struct unc_cpuid_regs highest;

			host->ops->cpuid(host, 0, asked[i].leaf & 0x80000000, 0, &highest);
			if (asked[i].leaf > highest.eax)
				continue;
			*leaf = (struct leaf){.leaf = asked[i].leaf, .subleaf = sub};
			for (unsigned cpu = 0; cpu < part->n_cpus; cpu++)
				host->ops->cpuid(host, cpu, leaf->leaf, sub, &leaf->regs[cpu]);
			part->n++;
			CU_ASSERT_FATAL(part->n < LEAVES_MAX);
		}
	}
	unc_host_close(host);
	unc_free(ctx);
}

static void write_part(const struct part *part, const char *path)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	for (unsigned cpu = 0; cpu < part->n_cpus; cpu++) {
		fprintf(file, "------[ Logical CPU #%u ]------\n", cpu);
		for (size_t i = 0; i < part->n; i++) {
			const struct leaf *leaf = &part->leaves[i];
			const struct unc_cpuid_regs *is = &leaf->regs[cpu];

			fprintf(file, "CPUID %08X: %08X-%08X-%08X-%08X [SL %02X]\n", leaf->leaf, is->eax, is->ebx,
				is->ecx, is->edx, leaf->subleaf);
		}
	}
	fclose(file);
}

/* ---- changing it ---- */

static uint32_t *reg_of(struct leaf *leaf, unsigned cpu, unsigned reg)
{
	struct unc_cpuid_regs *regs = &leaf->regs[cpu];

	return reg == 0 ? &regs->eax : reg == 1 ? &regs->ebx : reg == 2 ? &regs->ecx : &regs->edx;
}

static uint32_t changed(uint32_t value, unsigned how, unsigned bit, uint32_t number)
{
	switch (how) {
	case 0:
	case 1:
		return value ^ UINT32_C(1) << bit;
	case 2:
		return (value & ~(UINT32_C(0xff) << (bit & 24))) | (number & 0xff) << (bit & 24);
	case 3:
		return number >> bit;
	case 4:
		return value + 1;
	case 5:
		return value - 1;
	default:
		return number & 1 ? 0 : UINT32_MAX;
	}
}

/* A field of a leaf, on all CPUs or on one; a vendor that is no more known says nothing of the rest. */
static void mutate(struct part *part)
{
	struct leaf *leaf = &part->leaves[below((uint32_t)part->n)];
	unsigned reg = leaf->leaf ? below(4) : 0, how = below(7), bit = below(32), one = below(4 * part->n_cpus);
	uint32_t number = below(UINT32_C(1) << 31) << 1 | below(2);

	/* Of monitoring more often than of the rest. */
	if (below(2))
		for (size_t i = 0; i < part->n; i++)
			if (part->leaves[i].leaf == 0xf && part->leaves[i].subleaf == below(2))
				leaf = &part->leaves[i];
	for (unsigned cpu = 0; cpu < part->n_cpus; cpu++)
		if (one >= part->n_cpus || one == cpu)
			*reg_of(leaf, cpu, reg) = changed(*reg_of(leaf, cpu, reg), how, bit, number);
}

/* ---- what it must be ---- */

static struct unc_cpuid_regs says(const struct part *part, uint32_t leaf, uint32_t subleaf)
{
	for (size_t i = 0; i < part->n; i++)
		if (part->leaves[i].leaf == leaf && part->leaves[i].subleaf == subleaf)
			return part->leaves[i].regs[0];
	return (struct unc_cpuid_regs){0};
}

/* SDM vol. 3, "Enumeration and Detection Support of Cache Monitoring Technology", and ours of what cannot be. */
static bool can_be(const struct part *part, const struct unc_llc_info *info)
{
	struct unc_cpuid_regs all = says(part, 0xf, 0), l3 = says(part, 0xf, 1);
	bool amd = strncmp(part->model, "zen", 3) == 0;

	return says(part, 0, 0).eax >= 0xf && says(part, 7, 0).ebx >> 12 & 1 && all.edx >> 1 & 1 && l3.ebx && l3.edx &&
	       l3.edx <= 7 && l3.ecx && l3.ecx <= all.ebx && l3.ecx <= (amd ? 0xfffu : 0x3ffu) &&
	       ((l3.eax & 0xff) <= 38 || l3.edx == 1) && info->unit_bytes * info->nodes == l3.ebx &&
	       info->events == l3.edx && info->cpuid_max_rmid == l3.ecx && info->counter_bits <= 62 &&
	       info->counter_bits >= 24;
}

struct tried {
	struct unc_ctx *ctx;
	struct unc_machine *m;
	const struct part *part;
	/* CPUID of one CPU alone has changed so that it sits elsewhere by the operating system, which was said. */
	bool differs;
	unsigned numbers;
};

static void on_note(void *arg, const char *sentence)
{
	struct tried *t = arg;

	t->differs |= strstr(sentence, "CPUID is believed") != NULL;
}

static void compare(struct tried *t, const struct unc_llc_value *value, uint64_t truth, uint64_t unit)
{
	if (value->status != UNC_LLC_OK) {
		EQ(value->bytes, 0);
		return;
	}
	t->numbers++;
	if (t->differs)
		return;
	CU_ASSERT_TRUE(value->bytes < truth + unit && value->bytes + unit > truth);
	if (!(value->bytes < truth + unit && value->bytes + unit > truth))
		fprintf(stderr, "\n%" PRIu64 ", not %" PRIu64 "\n", value->bytes, truth);
}

static void sample(struct tried *t, struct unc_llc *llc, unsigned cpu)
{
	struct unc_sim_cpu at = {0};
	struct unc_llc_row_info info;
	struct unc_sim_llc last = {0}, now;
	struct unc_llc_row row;
	struct unc_llc_info all;

	OK(t, unc_llc_row_info(llc, 0, &info));
	OK(t, unc_llc_info(t->m, &all));
	CU_ASSERT_EQUAL_FATAL(unc_sim_cpu(t->m->host, cpu, &at), 0);
	for (unsigned k = 0; k < 3; k++) {
		OK(t, unc_llc_read(llc, &row, 1));
		CU_ASSERT_EQUAL_FATAL(unc_sim_truth_llc_at(t->m->host, at.l3, info.rmid, UNC_SIM_NOW, &now), 0);
		compare(t, &row.values[UNC_LLC_OCCUPANCY], now.occupancy_bytes, all.unit_bytes);
		if (k) {
			compare(t, &row.values[UNC_LLC_TOTAL], now.total_bytes - last.total_bytes, all.unit_bytes);
			compare(t, &row.values[UNC_LLC_LOCAL], now.local_bytes - last.local_bytes, all.unit_bytes);
		}
		last = now;
		CU_ASSERT_EQUAL_FATAL(unc_sim_step(t->m->host, 50 * MS_NS, false), 0);
	}
}

static void monitor(struct tried *t)
{
	struct unc_llc_cfg cfg = {.no_wait = true};
	struct unc_llc *llc = NULL;
	struct unc_llc_info info;
	struct unc_l3_info l3;
	int rc = unc_llc_info(t->m, &info);

	if (rc < 0 || info.no_monitoring) {
		CU_ASSERT_TRUE(strlen(rc < 0 ? unc_errmsg(t->ctx) : info.no_monitoring) > 20);
		CU_ASSERT_FALSE(strchr(rc < 0 ? unc_errmsg(t->ctx) : info.no_monitoring, '\n') != NULL);
		return;
	}
	CU_ASSERT_TRUE(can_be(t->part, &info));
	OK(t, unc_l3_info(t->m, 0, &l3));
	CU_ASSERT_TRUE(l3.n_cpus && l3.bytes >= info.unit_bytes);
	rc = unc_llc_open(t->m, &cfg, &llc);
	if (rc == 0)
		rc = unc_llc_add(llc, "a", &l3.first_cpu, 1);
	if (rc == 0)
		rc = unc_llc_start(llc);
	if (rc == 0)
		sample(t, llc, l3.first_cpu);
	else
		CU_ASSERT_TRUE(strlen(unc_errmsg(t->ctx)) > 20);
	OK(t, unc_llc_close(llc));
}

static unsigned try_part(const struct part *part, const char *path)
{
	struct unc_machine_cfg cfg = {.writable = true, .wake_fd = -1};
	struct tried t = {.part = part};
	char name[100];

	snprintf(name, sizeof(name), "sim:cpuid=%s,clock=step,dword_ns=0", path);
	cfg.machine = name;
	CU_ASSERT_FATAL(unc_new(&t.ctx) == 0);
	unc_set_log(t.ctx, on_note, &t);
	write_part(part, path);
	if (unc_machine_open(t.ctx, &cfg, &t.m) == 0) {
		monitor(&t);
		unc_machine_close(t.m);
	} else {
		CU_ASSERT_TRUE(strlen(unc_errmsg(t.ctx)) > 20);
	}
	unc_free(t.ctx);
	return t.numbers;
}

static const char *const models[] = {"hsx", "bdx", "skx", "clx", "icx", "spr", "zen2", "zen3", "zen4", "zen5"};
enum { N_MODELS = sizeof(models) / sizeof(models[0]) };

TEST(a_changed_field_makes_no_wrong_number)
{
	unsigned n = getenv("MUTATED_CASES") ? (unsigned)atoi(getenv("MUTATED_CASES")) : 60, whole = 0, numbers = 0;
	char path[64];
	static struct part parts[N_MODELS], part;

	test_file(path, sizeof(path), "unc-mutated");
	for (unsigned i = 0; i < N_MODELS; i++) {
		ask_part(&parts[i], models[i]);
		whole += try_part(&parts[i], path) > 0;
	}
	EQ(whole, N_MODELS);
	for (unsigned i = 0; i < n * N_MODELS; i++) {
		unsigned failures = CU_get_number_of_failures();

		part = parts[i % N_MODELS];
		for (unsigned k = 0; k < 1 + i % 2; k++)
			mutate(&part);
		numbers += try_part(&part, path) > 0;
		if (CU_get_number_of_failures() != failures)
			fprintf(stderr, "case %u, %s\n", i, part.model);
		if (CU_get_number_of_failures() != failures && getenv("MUTATED_STOP"))
			return;
	}
	unlink(path);
	CU_ASSERT_TRUE(numbers > n * N_MODELS / 10 && numbers < n * N_MODELS);
}
