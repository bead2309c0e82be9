// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* an offset is a number of 32 bits or more, also where off_t would be 32 */
#include "os/linux/cpuid.h"

#include "os/linux/fail.h"
#include "os/linux/files.h"
#include "os/linux/refused.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define HAVE_CPUID 1
#else
#define HAVE_CPUID 0
#endif

enum { RAW_MAX = 16 << 20 }; /* bytes of cpuid.raw: thousands of CPUs */

static int file_path(const struct unc_linux_cpuid *cpuid, unsigned cpu, struct unc_linux_path *ret_path)
{
	return unc_linux_path(cpuid->ctx, ret_path, "%s/dev/cpu/%u/cpuid", cpuid->root->path, cpu);
}

static int fail_to_open(const struct unc_linux_cpuid *cpuid, unsigned cpu, const char *path, int errnum)
{
	struct unc_linux_refusal refusal = {
		.root = cpuid->root,
		.path = path,
		.deed = UNC_LINUX_OPEN_READ,
		.errnum = errnum,
	};

	if (unc_linux_is_refusal(errnum))
		return unc_linux_refused(cpuid->ctx, &refusal, "cpu %u", cpu);
	if (errnum == ENXIO)
		return unc_fail_named(cpuid->ctx, UNC_ENODEV, "ENXIO", "cpu %u: open %s: the CPU is offline", cpu,
				      path);
	return unc_linux_fail(cpuid->ctx, errnum, "cpu %u: open %s", cpu, path);
}

static int files_open(struct unc_linux_cpuid *cpuid, unsigned cpu)
{
	struct unc_linux_path path;
	int rc = file_path(cpuid, cpu, &path), fd;

	if (rc < 0 || (cpuid->fd >= 0 && cpuid->fd_cpu == cpu))
		return rc;
	fd = unc_linux_open(cpuid->root, path.text, O_RDONLY);
	if (fd < 0)
		return fail_to_open(cpuid, cpu, path.text, errno);
	if (cpuid->fd >= 0)
		close(cpuid->fd);
	cpuid->fd = fd;
	cpuid->fd_cpu = cpu;
	return UNC_OK;
}

static int files_get(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		     struct unc_cpuid_regs *ret_regs)
{
	unsigned char bytes[16];
	ssize_t n;
	int rc;

	if (subleaf > INT32_MAX) /* an offset is signed */
		return unc_fail(cpuid->ctx, UNC_ENODATA, "cpu %u: sub-leaf 0x%x of leaf 0x%x cannot be asked for", cpu,
				subleaf, leaf);
	rc = files_open(cpuid, cpu);
	if (rc < 0)
		return rc;
	n = pread(cpuid->fd, bytes, sizeof(bytes), (off_t)((uint64_t)subleaf << 32 | leaf));
	if (n < 0)
		return unc_linux_fail(cpuid->ctx, errno, "cpu %u: CPUID leaf 0x%x sub-leaf 0x%x", cpu, leaf, subleaf);
	if (n == 0)
		return unc_fail(cpuid->ctx, UNC_ENODATA, "cpu %u: CPUID leaf 0x%x sub-leaf 0x%x is not in its file",
				cpu, leaf, subleaf);
	if (n != sizeof(bytes))
		return unc_fail(cpuid->ctx, UNC_EIO, "cpu %u: CPUID leaf 0x%x sub-leaf 0x%x: %zd of 16 bytes were read",
				cpu, leaf, subleaf, n);
	*ret_regs = (struct unc_cpuid_regs){unc_le32(bytes), unc_le32(bytes + 4), unc_le32(bytes + 8),
					    unc_le32(bytes + 12)};
	return UNC_OK;
}

#if HAVE_CPUID

/* Of 16384 CPUs: the kernel refuses a set that is smaller than its own. */
struct cpus {
	cpu_set_t set[16];
};

static bool only_on(const struct cpus *cpus, unsigned cpu)
{
	return CPU_ISSET_S(cpu, sizeof(*cpus), cpus->set) && CPU_COUNT_S(sizeof(*cpus), cpus->set) == 1;
}

static int move_to(struct unc_ctx *ctx, unsigned cpu)
{
	struct cpus there;

	CPU_ZERO_S(sizeof(there), there.set);
	CPU_SET_S(cpu, sizeof(there), there.set);
	if (sched_setaffinity(0, sizeof(there), there.set) == 0)
		return UNC_OK;
	if (errno == EINVAL)
		return unc_fail_named(
			ctx, UNC_ENODEV, "EINVAL",
			"cpu %u: there is no such CPU, or it is offline, or kept from us by a cpuset (a container)",
			cpu);
	return unc_linux_fail(ctx, errno, "cpu %u: move there to execute CPUID", cpu);
}

static int instruction_get(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			   struct unc_cpuid_regs *ret_regs)
{
	struct cpus before;
	bool moved;
	int rc = UNC_OK;

	if (cpu >= CPU_SETSIZE * 16)
		return unc_fail(cpuid->ctx, UNC_ENODEV, "cpu %u: there is no such CPU", cpu);
	CPU_ZERO_S(sizeof(before), before.set);
	if (sched_getaffinity(0, sizeof(before), before.set) < 0)
		return unc_linux_fail(cpuid->ctx, errno, "cpu %u: ask where we may run", cpu);
	moved = !only_on(&before, cpu);
	if (moved)
		rc = move_to(cpuid->ctx, cpu);
	if (rc < 0)
		return rc;
	/* Not __get_cpuid(): what a processor answers beyond its highest leaf is part of the answer. */
	__cpuid_count(leaf, subleaf, ret_regs->eax, ret_regs->ebx, ret_regs->ecx, ret_regs->edx);
	if (moved && sched_setaffinity(0, sizeof(before), before.set) < 0)
		unc_note(cpuid->ctx, "cpu %u: this thread could not be given back its CPUs after CPUID: %s", cpu,
			 unc_linux_err_text(errno));
	return UNC_OK;
}

#else

static int instruction_get(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			   struct unc_cpuid_regs *ret_regs)
{
	(void)leaf, (void)subleaf, (void)ret_regs;
	return unc_fail(cpuid->ctx, UNC_ENOSUP, "cpu %u: this processor has no CPUID instruction", cpu);
}

#endif

static int fail_none(const struct unc_linux_cpuid *cpuid)
{
	return unc_fail(cpuid->ctx, UNC_ENOSUP,
			"%s: which CPU this is cannot be told: neither %s/dev/cpu/0/cpuid nor %s/cpuid.raw is there",
			cpuid->root->path, cpuid->root->path, cpuid->root->path);
}

/* Leaves UNC_LINUX_CPUID_NONE when there is no such file. */
static int dump_open(struct unc_linux_cpuid *cpuid)
{
	struct unc_linux_path path;
	size_t len;
	char *text;
	int rc;

	rc = unc_linux_path(cpuid->ctx, &path, "%s/cpuid.raw", cpuid->root->path);
	if (rc < 0)
		return rc;
	rc = unc_linux_file_read(cpuid->ctx, cpuid->root, path.text, RAW_MAX, &text, &len);
	if (rc == UNC_ENODEV)
		return UNC_OK;
	if (rc < 0)
		return rc;
	rc = unc_cpuid_dump_parse(cpuid->ctx, path.text, text, len, &cpuid->dump);
	free(text);
	if (rc == UNC_OK)
		cpuid->kind = UNC_LINUX_CPUID_DUMP;
	return rc;
}

/* Is there a cpuid file for CPU 0, or in a tree for any CPU?  One that is refused is there. */
static bool has_files(struct unc_linux_cpuid *cpuid, bool live)
{
	struct unc_linux_path path;
	const char *const *names;
	bool found = false;
	size_t n;
	int rc = files_open(cpuid, 0);

	if (rc == UNC_OK)
		return true;
	if (live)
		return false; /* the instruction needs no permission */
	if (rc != UNC_ENODEV)
		return true;
	if (unc_linux_path(cpuid->ctx, &path, "%s/dev/cpu", cpuid->root->path) < 0 ||
	    unc_linux_dir_list(cpuid->ctx, cpuid->root, path.text, &names, &n) < 0)
		return false;
	for (size_t i = 0; i < n && !found; i++)
		found = names[i][0] >= '0' && names[i][0] <= '9' &&
			unc_linux_path(cpuid->ctx, &path, "%s/dev/cpu/%s/cpuid", cpuid->root->path, names[i]) ==
				UNC_OK &&
			unc_linux_is_there(cpuid->root, path.text);
	free((void *)names);
	return found;
}

int unc_linux_cpuid_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool live, struct unc_linux_cpuid *ret_cpuid)
{
	struct unc_linux_cpuid cpuid = {.kind = UNC_LINUX_CPUID_NONE, .ctx = ctx, .root = root, .fd = -1};
	int rc = UNC_OK;

	if (has_files(&cpuid, live))
		cpuid.kind = UNC_LINUX_CPUID_FILES;
	else if (live)
		cpuid.kind = UNC_LINUX_CPUID_INSTRUCTION;
	else
		rc = dump_open(&cpuid);
	if (rc < 0)
		return rc;
	*ret_cpuid = cpuid;
	return UNC_OK;
}

void unc_linux_cpuid_close(struct unc_linux_cpuid *cpuid)
{
	if (cpuid->fd >= 0)
		close(cpuid->fd);
	cpuid->fd = -1;
	unc_cpuid_dump_free(cpuid->dump);
	cpuid->dump = NULL;
}

int unc_linux_cpuid_get(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	switch (cpuid->kind) {
	case UNC_LINUX_CPUID_FILES:
		return files_get(cpuid, cpu, leaf, subleaf, ret_regs);
	case UNC_LINUX_CPUID_DUMP:
		return unc_cpuid_dump_get(cpuid->ctx, cpuid->dump, cpu, leaf, subleaf, ret_regs);
	case UNC_LINUX_CPUID_INSTRUCTION:
		return instruction_get(cpuid, cpu, leaf, subleaf, ret_regs);
	case UNC_LINUX_CPUID_NONE:
		break;
	}
	return fail_none(cpuid);
}
