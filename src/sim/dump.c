// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/dump.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/os.h"
#include "sim/load.h"

enum { DUMP_BYTES_MAX = 64 << 20 };

#define EXTENDED UINT32_C(0x80000000)

static bool recorded(struct unc_ctx *ctx, const struct unc_sim_dump *dump, unsigned cpu, uint32_t leaf,
		     uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	return unc_cpuid_dump_get(ctx, dump->raw, dump->single ? dump->number : cpu, leaf, subleaf, ret_regs) == UNC_OK;
}

/* Fills in what differs on a CPU that is derived from the only recorded one. */
static void make_own(const struct unc_sim_cpu *cpu, uint32_t leaf, struct unc_cpuid_regs *regs)
{
	switch (leaf) {
	case 0x1:
		regs->ebx = (regs->ebx & 0xffffff) | cpu->apic_id << 24;
		break;
	case 0xb:
	case 0x1f:
	case 0x80000026:
		regs->edx = cpu->apic_id;
		break;
	case 0x8000001e:
		regs->eax = cpu->apic_id;
		regs->ebx = (regs->ebx & ~UINT32_C(0xff)) | (cpu->core & 0xff);
		break;
	default:
		break;
	}
}

/* Beyond the highest leaf, Intel processors answer with the highest basic leaf; a dump may lack that sub-leaf of it. */
static void beyond(struct unc_ctx *ctx, const struct unc_sim_dump *dump, unsigned cpu, uint32_t subleaf,
		   struct unc_cpuid_regs *regs)
{
	struct unc_cpuid_regs basic;

	if (dump->model.vendor != UNC_SIM_INTEL || !recorded(ctx, dump, cpu, 0, 0, &basic))
		return;
	if (!recorded(ctx, dump, cpu, basic.eax, subleaf, regs))
		recorded(ctx, dump, cpu, basic.eax, 0, regs);
}

void unc_sim_dump_cpuid(struct unc_ctx *ctx, const struct unc_sim_dump *dump, const struct unc_sim_cpu *cpu,
			uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	struct unc_cpuid_regs regs = {0}, half = {0}, first;

	if (!recorded(ctx, dump, cpu->number, leaf, subleaf, &regs)) {
		recorded(ctx, dump, cpu->number, leaf & EXTENDED, 0, &half);
		if (leaf > half.eax)
			beyond(ctx, dump, cpu->number, subleaf, &regs);
		else if ((leaf == 0xb || leaf == 0x1f) && recorded(ctx, dump, cpu->number, leaf, 0, &first))
			/* Levels that do not exist still report the id (SDM vol. 2, CPUID). */
			regs = (struct unc_cpuid_regs){.ecx = subleaf & 0xff, .edx = first.edx};
	}
	if (dump->single && cpu->apic_id != dump->apic_id)
		make_own(cpu, leaf, &regs);
	*ret_regs = regs;
}

static int parse(struct unc_ctx *ctx, const char *path, struct unc_sim_dump *dump)
{
	char *text;
	size_t len;
	int rc;

	rc = unc_os_file_read(ctx, path, DUMP_BYTES_MAX, UNC_TRUST_ANY, &text, &len);
	if (rc < 0)
		return unc_sim_path_failed(ctx, NULL, "cpuid", rc);
	dump->fingerprint = unc_sim_fingerprint(text, len);
	rc = unc_cpuid_dump_parse(ctx, path, text, len, &dump->raw);
	free(text);
	return rc < 0 ? unc_wrap(ctx, rc, "sim:cpuid") : UNC_OK;
}

int unc_sim_dump_open(struct unc_ctx *ctx, const char *path, struct unc_sim_dump **ret_dump)
{
	struct unc_sim_dump *dump = calloc(1, sizeof(*dump));
	int rc;

	if (!dump)
		return unc_fail(ctx, UNC_ENOMEM, "sim: out of memory");
	rc = parse(ctx, path, dump);
	if (rc == UNC_OK) {
		dump->single = unc_cpuid_dump_cpus(dump->raw) == 1;
		rc = unc_sim_dump_place(ctx, dump);
	}
	if (rc < 0) {
		unc_sim_dump_free(dump);
		return rc;
	}
	*ret_dump = dump;
	return UNC_OK;
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
