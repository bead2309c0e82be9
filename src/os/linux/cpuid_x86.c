// SPDX-License-Identifier: GPL-2.0-or-later
/* The instruction, and libcpuid, to which it gives the answers of the host's CPUID, which may be a simulated or captured machine. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <libcpuid/libcpuid.h>
#include <sched.h>

#include "os/linux/fail.h"
#include "os/linux/host.h"

/* Room for 16384 CPUs: the kernel refuses a set that is smaller than its own. */
struct cpus {
	cpu_set_t set[16];
};

int unc_linux_cpuid_instruction(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
				struct unc_cpuid_regs *ret_regs)
{
	struct cpus before, there;
	bool moved;

	if (cpu >= CPU_SETSIZE * 16)
		return unc_fail(cpuid->ctx, UNC_ENODEV, "cpu %u: there is no such CPU", cpu);
	CPU_ZERO_S(sizeof(before), before.set);
	if (sched_getaffinity(0, sizeof(before), before.set) < 0)
		return unc_linux_fail(cpuid->ctx, errno, "cpu %u: ask where we may run", cpu);
	CPU_ZERO_S(sizeof(there), there.set);
	CPU_SET_S(cpu, sizeof(there), there.set);
	moved = !CPU_EQUAL_S(sizeof(there), there.set, before.set);
	if (moved && sched_setaffinity(0, sizeof(there), there.set) < 0)
		return errno == EINVAL
			       ? unc_fail_named(cpuid->ctx, UNC_ENODEV, "EINVAL",
						"cpu %u: there is no such CPU, or it is offline, or kept from us "
						"by a cpuset (a container)",
						cpu)
			       : unc_linux_fail(cpuid->ctx, errno, "cpu %u: move there to execute CPUID", cpu);
	/* Not __get_cpuid(): the answer beyond the highest leaf belongs to the result. */
	__cpuid_count(leaf, subleaf, ret_regs->eax, ret_regs->ebx, ret_regs->ecx, ret_regs->edx);
	if (moved && sched_setaffinity(0, sizeof(before), before.set) < 0)
		unc_note(cpuid->ctx, "cpu %u: this thread could not be given back its CPUs after CPUID: %s", cpu,
			 unc_linux_err_text(errno));
	return UNC_OK;
}

#define EXTENDED UINT32_C(0x80000000)

struct source {
	struct unc_host *host;
	unsigned cpu;
};

/* A leaf that is not recorded stays zero, as on a processor that lacks it. */
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

/* Reads leaves first, first + 1, ... up to the highest one: beyond it a processor answers with another leaf. */
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

/* Reads subleaves up to the first empty one. */
static int ask_subleaves(const struct source *source, uint32_t leaf, unsigned room, uint32_t (*ret_leaves)[NUM_REGS])
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < room && rc == UNC_OK; i++) {
		rc = ask(source, leaf, i, ret_leaves[i]);
		if (!ret_leaves[i][EAX] && !ret_leaves[i][EBX])
			break;
		/* libcpuid 0.6.2 divides by the number of processors of a level, so 0 is refused. */
		if (leaf == 0xb && !(ret_leaves[i][EBX] & 0xffff)) {
			memset(ret_leaves[i], 0, sizeof(ret_leaves[i]));
			break;
		}
	}
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

int unc_os_identify(struct unc_host *host, unsigned cpu, struct unc_cpu_info *ret_info)
{
	struct source source = {host, cpu};
	struct cpu_raw_data_t raw = {0};
	libcpuid_warn_fn_t before;
	struct cpu_id_t id;
	size_t len;
	int rc = ask_leaves(&source, 0, MAX_CPUID_LEVEL, raw.basic_cpuid);

	if (rc == UNC_OK)
		rc = ask_leaves(&source, EXTENDED, MAX_EXT_CPUID_LEVEL, raw.ext_cpuid);
	if (rc == UNC_OK && raw.basic_cpuid[0][EAX] >= 0x4)
		rc = ask_subleaves(&source, 0x4, MAX_INTELFN4_LEVEL, raw.intel_fn4);
	if (rc == UNC_OK && raw.basic_cpuid[0][EAX] >= 0xb)
		rc = ask_subleaves(&source, 0xb, MAX_INTELFN11_LEVEL, raw.intel_fn11);
	if (rc == UNC_OK && raw.ext_cpuid[0][EAX] >= 0x8000001d)
		rc = ask_subleaves(&source, 0x8000001d, MAX_AMDFN8000001DH_LEVEL, raw.amd_fn8000001dh);
	if (rc < 0)
		return rc;
	/*
	 * The receiver of libcpuid's warnings belongs to the whole process: it is replaced for this call, then
	 * restored.
	 */
	before = cpuid_set_warn_function(drop);
	rc = cpu_identify(&raw, &id);
	cpuid_set_warn_function(before);
	if (rc < 0)
		return unc_fail(host->ctx, UNC_ENODATA, "cpu %u: libcpuid does not know this processor: %s", cpu,
				cpuid_error());
	*ret_info = (struct unc_cpu_info){.n_cores = not_negative(id.num_cores),
					  .n_threads = not_negative(id.num_logical_cpus),
					  .l3_bytes = (uint64_t)not_negative(id.l3_cache) * 1024};
	/* AMD fills the brand with blanks up to 48 characters. */
	len = (size_t)snprintf(ret_info->brand, sizeof(ret_info->brand) - 1, "%s", id.brand_str);
	while (len && ret_info->brand[len - 1] == ' ')
		ret_info->brand[--len] = '\0';
	return UNC_OK;
}
