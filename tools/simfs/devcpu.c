// SPDX-License-Identifier: GPL-2.0-or-later
/* dev/cpu/N/msr and cpuid (Linux: arch/x86/kernel/msr.c, cpuid.c), and dev/mem. */
#include <errno.h>
#include <linux/capability.h>

#include "fs.h"

enum { MSR_BYTES = 8, CPUID_BYTES = 16 };

static int online(struct fs *fs, const struct node *node)
{
	return cpu_of(fs, node->which).online ? 0 : -ENXIO;
}

static int msr_open(struct fs *fs, struct handle *handle)
{
	return client_can(fs, CAP_SYS_RAWIO) ? online(fs, handle->node) : -EPERM;
}

static int msr_one(struct fs *fs, struct access *access, char *buf)
{
	size_t done;

	access->addr = (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = access->addr.msr.cpu}};
	access->bytes = buf;
	access->len = MSR_BYTES;
	access->rc = unc_sim_access(fs->sim.host, &access->addr, access->write, (uint32_t)access->off, buf, MSR_BYTES,
				    &done);
	log_access(&fs->sim, access);
	return failure_errno(fs, access->rc);
}

/* As often as the bytes say, always that register; what was done before a failure counts. */
static int msr_all(struct fs *fs, struct access *access, char *buf, size_t len)
{
	size_t done;

	if (len % MSR_BYTES)
		return -EINVAL;
	for (done = 0; done < len; done += MSR_BYTES) {
		int rc = msr_one(fs, access, buf + done);

		if (rc < 0)
			return done ? (int)done : rc;
	}
	return (int)done;
}

static int msr_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	struct access access = {.addr.msr.cpu = handle->node->which, .off = (uint32_t)off};

	return msr_all(fs, &access, buf, len);
}

static int msr_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	struct access access = {.addr.msr.cpu = handle->node->which, .write = true, .off = (uint32_t)off};

	return msr_all(fs, &access, (char *)buf, len); /* not changed by a write */
}

static int cpuid_open(struct fs *fs, struct handle *handle)
{
	return online(fs, handle->node);
}

/* Leaf after leaf: the driver counts the position up. */
static int cpuid_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	size_t done;

	if (len % CPUID_BYTES)
		return -EINVAL;
	for (done = 0; done < len; done += CPUID_BYTES, off++) {
		struct unc_cpuid_regs regs;
		int rc;

		rc = fs->sim.host->ops->cpuid(fs->sim.host, handle->node->which, (uint32_t)off, (uint32_t)(off >> 32),
					      &regs);
		if (rc < 0)
			return done ? (int)done : failure_errno(fs, rc);
		unc_put_le32(buf + done, regs.eax);
		unc_put_le32(buf + done + 4, regs.ebx);
		unc_put_le32(buf + done + 8, regs.ecx);
		unc_put_le32(buf + done + 12, regs.edx);
	}
	return (int)done;
}

/* The driver has no write(): a process sees that when it writes, not when it opens the device for writing. */
static int cpuid_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	(void)fs;
	(void)handle;
	(void)off;
	(void)buf;
	(void)len;
	return -EINVAL;
}

static int mem_open(struct fs *fs, struct handle *handle)
{
	(void)handle;
	if (!client_can(fs, CAP_SYS_RAWIO) || unc_sim_info(fs->sim.host).is_locked_down)
		return -EPERM;
	return 0;
}

/*
 * Not as Linux does it, which copies bytes: each read and write is one load or store of as many bytes, so that a program that cannot
 * map this file can do what it would do with the mapped one.
 */
static int mem_access(struct fs *fs, bool write, uint64_t off, char *buf, size_t len)
{
	int rc;

	if (len != 1 && len != 2 && len != 4 && len != 8)
		return -EINVAL;
	rc = served_mem_access(&fs->sim, write, off, buf, len);
	return rc < 0 ? failure_errno(fs, rc) : rc;
}

static int mem_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	(void)handle;
	return mem_access(fs, false, off, buf, len);
}

static int mem_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	(void)handle;
	return mem_access(fs, true, off, (char *)buf, len); /* not changed by a write */
}

void devcpu_add(struct fs *fs)
{
	static const struct file_type mem_file = {.mode = 0600, .open = mem_open, .read = mem_read, .write = mem_write};
	static const struct file_type msr_file = {.mode = 0600, .open = msr_open, .read = msr_read, .write = msr_write};
	static const struct file_type cpuid_file = {
		.mode = 0600, .open = cpuid_open, .read = cpuid_read, .write = cpuid_write};
	uint32_t dev_cpu = tree_folder_path(&fs->tree, "dev/cpu");
	size_t n = unc_sim_info(fs->sim.host).n_cpus;

	if (unc_sim_info(fs->sim.host).memory_bytes)
		tree_file(&fs->tree, tree_folder_path(&fs->tree, "dev"), "mem", &mem_file, 0);
	for (size_t i = 0; i < n; i++) {
		char name[24];
		uint32_t folder;

		snprintf(name, sizeof(name), "%zu", i);
		folder = tree_folder(&fs->tree, dev_cpu, name);
		tree_file(&fs->tree, folder, "cpuid", &cpuid_file, (uint32_t)i);
		if (unc_sim_info(fs->sim.host).has_msrs)
			tree_file(&fs->tree, folder, "msr", &msr_file, (uint32_t)i);
	}
}
