// SPDX-License-Identifier: GPL-2.0-or-later
/* libcpuid is given what the host's CPUID answers: of a simulated or captured machine as well as of this one. */
#define _GNU_SOURCE
#include "access/identify.h"

#include "base/err.h"

#include <libcpuid/libcpuid.h>
#include <stdio.h>
#include <string.h>

#define EXTENDED UINT32_C(0x80000000)

struct source {
	struct unc_host *host;
	unsigned cpu;
};

/* A leaf that is not recorded stays zero, as it is where a processor does not have it. */
static int ask(const struct source *source, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[NUM_REGS])
{
	struct unc_cpuid_regs regs;
	int rc = source->host->ops->cpuid(source->host, source->cpu, leaf, subleaf, &regs);

	if (rc == UNC_ENODATA)
		return UNC_OK;
	if (rc < 0)
		return rc;
	ret_regs[EAX] = regs.eax;
	ret_regs[EBX] = regs.ebx;
	ret_regs[ECX] = regs.ecx;
	ret_regs[EDX] = regs.edx;
	return UNC_OK;
}

/* Leaves first, first + 1, ... up to the highest that there is: beyond it answers are another leaf's. */
static int ask_leaves(const struct source *source, uint32_t first, unsigned room, uint32_t (*ret_leaves)[NUM_REGS])
{
	unsigned n = 0;
	int rc = ask(source, first, 0, ret_leaves[0]);
	uint32_t highest = ret_leaves[0][EAX];

	if (rc < 0)
		return rc;
	if (highest >= first && highest - first < 0xffff)
		n = highest - first;
	for (unsigned i = 1; i <= n && i < room && rc == UNC_OK; i++)
		rc = ask(source, first + i, 0, ret_leaves[i]);
	return rc;
}

/* Up to the first that says nothing. */
static int ask_subleaves(const struct source *source, uint32_t leaf, unsigned room, uint32_t (*ret_leaves)[NUM_REGS])
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < room && rc == UNC_OK; i++) {
		rc = ask(source, leaf, i, ret_leaves[i]);
		if (!ret_leaves[i][EAX] && !ret_leaves[i][EBX])
			break;
		/* libcpuid 0.6.2 divides by the number of processors of a level. */
		if (leaf == 0xb && !(ret_leaves[i][EBX] & 0xffff)) {
			memset(ret_leaves[i], 0, sizeof(ret_leaves[i]));
			break;
		}
	}
	return rc;
}

static int ask_all(const struct source *source, struct cpu_raw_data_t *raw)
{
	int rc = ask_leaves(source, 0, MAX_CPUID_LEVEL, raw->basic_cpuid);

	if (rc == UNC_OK)
		rc = ask_leaves(source, EXTENDED, MAX_EXT_CPUID_LEVEL, raw->ext_cpuid);
	if (rc == UNC_OK && raw->basic_cpuid[0][EAX] >= 0x4)
		rc = ask_subleaves(source, 0x4, MAX_INTELFN4_LEVEL, raw->intel_fn4);
	if (rc == UNC_OK && raw->basic_cpuid[0][EAX] >= 0xb)
		rc = ask_subleaves(source, 0xb, MAX_INTELFN11_LEVEL, raw->intel_fn11);
	if (rc == UNC_OK && raw->ext_cpuid[0][EAX] >= 0x8000001d)
		rc = ask_subleaves(source, 0x8000001d, MAX_AMDFN8000001DH_LEVEL, raw->amd_fn8000001dh);
	return rc;
}

static void drop(const char *message)
{
	(void)message;
}

static unsigned not_negative(int32_t number)
{
	return number > 0 ? (unsigned)number : 0;
}

/* AMD fills its brand up to 48 characters with blanks. */
static void cut_blanks(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
}

static void translate(const struct cpu_id_t *id, struct unc_identity *ret_identity)
{
	memset(ret_identity, 0, sizeof(*ret_identity));
	snprintf(ret_identity->brand, sizeof(ret_identity->brand), "%s", id->brand_str);
	cut_blanks(ret_identity->brand);
	snprintf(ret_identity->codename, sizeof(ret_identity->codename), "%s", id->cpu_codename);
	ret_identity->n_cores = not_negative(id->num_cores);
	ret_identity->n_threads = not_negative(id->num_logical_cpus);
	ret_identity->l2_bytes = (uint64_t)not_negative(id->l2_cache) * 1024;
	ret_identity->l3_bytes = (uint64_t)not_negative(id->l3_cache) * 1024;
}

int unc_os_identify(struct unc_host *host, unsigned cpu, struct unc_identity *ret_identity)
{
	struct source source = {host, cpu};
	struct cpu_raw_data_t raw = {0};
	libcpuid_warn_fn_t before;
	struct cpu_id_t id;
	int rc = ask_all(&source, &raw);

	if (rc < 0)
		return rc;
	/* libcpuid keeps who hears its warnings for the whole process: lent, and given back. */
	before = cpuid_set_warn_function(drop);
	rc = cpu_identify(&raw, &id);
	cpuid_set_warn_function(before);
	if (rc < 0)
		return unc_fail(host->ctx, UNC_ENODATA, "cpu %u: libcpuid does not know this processor: %s", cpu,
				cpuid_error());
	translate(&id, ret_identity);
	return UNC_OK;
}
