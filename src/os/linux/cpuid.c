// SPDX-License-Identifier: GPL-2.0-or-later
/* The answers of the host's CPUID: of the kernel's files, of a captured machine, or of the instruction (cpuid_x86.c). */
#define _FILE_OFFSET_BITS 64 /* an offset is a number of 32 bits or more, also if off_t has 32 */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/linux/fail.h"

enum { RAW_MAX = 16 << 20 }; /* bytes of cpuid.raw: thousands of CPUs */

static int files_open(struct unc_linux_cpuid *cpuid, unsigned cpu)
{
	struct unc_linux_path path;
	struct unc_linux_refusal refusal = {cpuid->root, path.text, UNC_LINUX_OPEN_READ, .errnum = 0};
	int fd;

	if (cpuid->fd >= 0 && cpuid->fd_cpu == cpu)
		return UNC_OK;
	fd = unc_linux_open(cpuid->root, unc_linux_path(cpuid->root, &path, "/dev/cpu/%u/cpuid", cpu), O_RDONLY);
	refusal.errnum = fd < 0 ? errno : 0;
	if (refusal.errnum == ENXIO)
		return unc_fail_named(cpuid->ctx, UNC_ENODEV, "ENXIO", "cpu %u: open %s: the CPU is offline", cpu,
				      path.text);
	if (refusal.errnum)
		return unc_linux_refused(cpuid->ctx, &refusal, "cpu %u", cpu);
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

/* Leaves UNC_LINUX_CPUID_NONE if there is no such file. */
static int dump_open(struct unc_linux_cpuid *cpuid)
{
	struct unc_linux_path path;
	size_t len;
	char *text;
	int rc;

	unc_linux_path(cpuid->root, &path, "/cpuid.raw");
	rc = unc_linux_file_read(cpuid->ctx, cpuid->root, path.text, RAW_MAX, UNC_TRUST_ANY, &text, &len);
	if (rc < 0)
		return rc == UNC_ENODEV ? UNC_OK : rc;
	rc = unc_cpuid_dump_parse(cpuid->ctx, path.text, text, len, &cpuid->dump);
	free(text);
	if (rc == UNC_OK)
		cpuid->kind = UNC_LINUX_CPUID_DUMP;
	return rc;
}

/* Returns true if there is a cpuid file for CPU 0, or in a tree for any CPU.  A file that may not be opened counts. */
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
	unc_linux_path(cpuid->root, &path, "/dev/cpu");
	if (unc_linux_dir_list(cpuid->ctx, cpuid->root, path.text, &names, &n) < 0)
		return false;
	for (size_t i = 0; i < n && !found; i++)
		found = names[i][0] >= '0' && names[i][0] <= '9' &&
			unc_linux_is_there(cpuid->root,
					   unc_linux_path(cpuid->root, &path, "/dev/cpu/%s/cpuid", names[i]));
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
	if (rc == UNC_OK)
		*ret_cpuid = cpuid;
	return rc;
}

void unc_linux_cpuid_close(struct unc_linux_cpuid *cpuid)
{
	if (cpuid->fd >= 0)
		close(cpuid->fd);
	cpuid->fd = -1;
	unc_cpuid_dump_free(cpuid->dump);
	cpuid->dump = NULL;
}

int unc_linux_cpuid_get(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	struct unc_linux_cpuid *cpuid = &((struct unc_linux_host *)host)->cpuid;

	switch (cpuid->kind) {
	case UNC_LINUX_CPUID_FILES:
		return files_get(cpuid, cpu, leaf, subleaf, ret_regs);
	case UNC_LINUX_CPUID_DUMP:
		return unc_cpuid_dump_get(cpuid->ctx, cpuid->dump, cpu, leaf, subleaf, ret_regs);
	case UNC_LINUX_CPUID_INSTRUCTION:
		return unc_linux_cpuid_instruction(cpuid, cpu, leaf, subleaf, ret_regs);
	default:
		return unc_fail(cpuid->ctx, UNC_ENOSUP,
				"%s: which CPU this is cannot be told: neither %s/dev/cpu/0/cpuid nor %s/cpuid.raw is "
				"there",
				cpuid->root->path, cpuid->root->path, cpuid->root->path);
	}
}
