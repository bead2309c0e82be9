// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * simfuse MACHINE MOUNTPOINT: a simulated machine as a directory tree in the layout of --machine root:DIR, so that the
 * files, offsets and system calls of a real machine are tried on registers that tick.  Runs in the foreground; SIGTERM
 * unmounts.  Exit status 77: there is no FUSE here.
 *
 *     dev/cpu/N/cpuid                                   16 bytes at leaf | sub-leaf << 32
 *     sys/bus/pci/devices/DDDD:BB:DD.F/config           256 bytes
 *     sys/devices/system/cpu/online, cpuN/topology/{physical_package_id,core_siblings_list}
 *     truth                                             as `simpoke MACHINE truth` prints it
 */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fuse.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os.h"
#include "sim/sim.h"

enum kind { CONFIG, CPUID, TEXT, TRUTH };

struct file {
	char path[96];
	enum kind kind;
	struct unc_addr addr; /* CONFIG */
	unsigned cpu;         /* CPUID */
	char text[64];        /* TEXT */
};

struct tree {
	struct unc_ctx *ctx;
	struct unc_host *host;
	struct file *files;
	size_t n_files;
};

static struct tree *the_tree(void)
{
	return fuse_get_context()->private_data;
}

static struct file *add(struct tree *tree, enum kind kind)
{
	void *more = unc_array_more(tree->files, tree->n_files, sizeof(*tree->files));

	if (!more)
		exit(1);
	tree->files = more;
	tree->files[tree->n_files].kind = kind;
	return &tree->files[tree->n_files++];
}

static struct file *find(struct tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->n_files; i++)
		if (strcmp(tree->files[i].path, path) == 0)
			return &tree->files[i];
	return NULL;
}

/* Is path a folder above file?  Then what follows in file's path, "" for a path that is no folder above it. */
static const char *below(const char *path, const struct file *file)
{
	size_t len = strcmp(path, "/") == 0 ? 0 : strlen(path);

	return strncmp(file->path, path, len) == 0 && file->path[len] == '/' ? file->path + len + 1 : "";
}

static int tree_getattr(const char *path, struct stat *st, struct fuse_file_info *info)
{
	struct tree *tree = the_tree();
	const struct file *file = find(tree, path);

	(void)info;
	memset(st, 0, sizeof(*st));
	if (file) {
		st->st_mode = S_IFREG | (file->kind == CONFIG ? 0644 : 0444);
		st->st_nlink = 1;
		st->st_size = file->kind == CONFIG ? 256 : file->kind == CPUID ? 0 : 4096;
		return 0;
	}
	st->st_mode = S_IFDIR | 0755;
	st->st_nlink = 2;
	for (size_t i = 0; i < tree->n_files; i++)
		if (*below(path, &tree->files[i]))
			return 0;
	return -ENOENT;
}

static int tree_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t off, struct fuse_file_info *info,
			enum fuse_readdir_flags flags)
{
	struct tree *tree = the_tree();
	char last[96] = "";

	(void)off;
	(void)info;
	(void)flags;
	fill(buf, ".", NULL, 0, 0);
	fill(buf, "..", NULL, 0, 0);
	for (size_t i = 0; i < tree->n_files; i++) {
		const char *rest = below(path, &tree->files[i]);
		char name[96];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, "/"), rest);
		/* Files of one folder stand together in the list. */
		if (name[0] && strcmp(name, last) != 0)
			fill(buf, name, NULL, 0, 0);
		memcpy(last, name, sizeof(last));
	}
	return 0;
}

static int tree_open(const char *path, struct fuse_file_info *info)
{
	const struct file *file = find(the_tree(), path);

	if (!file)
		return -ENOENT;
	if (file->kind != CONFIG && (info->flags & O_ACCMODE) != O_RDONLY)
		return -EACCES;
	info->direct_io = 1; /* registers are not to be cached */
	return 0;
}

static int read_text(const char *text, char *buf, size_t size, off_t off)
{
	size_t len = strlen(text);

	if ((size_t)off >= len)
		return 0;
	if (size > len - (size_t)off)
		size = len - (size_t)off;
	memcpy(buf, text + off, size);
	return (int)size;
}

static int read_truth(struct tree *tree, char *buf, size_t size, off_t off)
{
	uint64_t now = tree->host->ops->now_ns(tree->host, UNC_CLOCK_RAW), read, written;
	struct unc_sim_channel channel;
	char text[8192] = "", addr[UNC_ADDR_TEXT];
	size_t len = 0;

	for (size_t i = 0; unc_sim_channel(tree->host, i, &channel) == 0; i++) {
		if (unc_sim_truth_bytes_at(tree->host, &channel.addr, now, &read, &written) < 0)
			return -EIO;
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%u %u %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", channel.socket,
					channel.channel, unc_addr_text(&channel.addr, addr), now, read, written);
	}
	return read_text(text, buf, size, off);
}

static int read_cpuid(struct tree *tree, const struct file *file, char *buf, size_t size, off_t off)
{
	struct unc_cpuid_regs regs;

	if (size != 16)
		return -EINVAL;
	if (tree->host->ops->cpuid(tree->host, file->cpu, (uint32_t)off, (uint32_t)((uint64_t)off >> 32), &regs) < 0)
		return -EIO;
	unc_put_le32(buf, regs.eax);
	unc_put_le32(buf + 4, regs.ebx);
	unc_put_le32(buf + 8, regs.ecx);
	unc_put_le32(buf + 12, regs.edx);
	return 16;
}

static int tree_read(const char *path, char *buf, size_t size, off_t off, struct fuse_file_info *info)
{
	struct tree *tree = the_tree();
	const struct file *file = find(tree, path);
	size_t done;

	(void)info;
	if (!file)
		return -ENOENT;
	switch (file->kind) {
	case CONFIG:
		return unc_sim_pci_read(tree->host, &file->addr, (uint64_t)off, buf, size, &done) < 0 ? -EIO
												      : (int)done;
	case CPUID:
		return read_cpuid(tree, file, buf, size, off);
	case TRUTH:
		return read_truth(tree, buf, size, off);
	default:
		return read_text(file->text, buf, size, off);
	}
}

static int tree_write(const char *path, const char *buf, size_t size, off_t off, struct fuse_file_info *info)
{
	struct tree *tree = the_tree();
	const struct file *file = find(tree, path);
	size_t done;

	(void)info;
	if (!file || file->kind != CONFIG)
		return -EACCES;
	return unc_sim_pci_write(tree->host, &file->addr, (uint64_t)off, buf, size, &done) < 0 ? -EIO : (int)done;
}

static const struct fuse_operations operations = {
	.getattr = tree_getattr,
	.readdir = tree_readdir,
	.open = tree_open,
	.read = tree_read,
	.write = tree_write,
};

static void add_pci(struct tree *tree)
{
	struct unc_addr *addrs = NULL;
	struct unc_bus *bus;
	size_t n = 0;

	if (tree->host->ops->bus_open(tree->host, UNC_PCI, false, &bus) < 0 || unc_bus_list(bus, &addrs, &n) < 0)
		exit(1);
	for (size_t i = 0; i < n; i++) {
		struct file *file = add(tree, CONFIG);
		char text[UNC_ADDR_TEXT];

		file->addr = addrs[i];
		snprintf(file->path, sizeof(file->path), "/sys/bus/pci/devices/%s/config",
			 unc_addr_text(&addrs[i], text));
	}
	free(addrs);
	unc_bus_close(bus);
}

/* The packages of the simulated machine follow one another in CPU numbers. */
static void add_cpus(struct tree *tree)
{
	struct unc_topo topo;
	unsigned cpu = 0;
	struct file *file;

	if (tree->host->ops->topology(tree->host, &topo) < 0)
		exit(1);
	for (cpu = 0; cpu < topo.n_cpus; cpu++) {
		file = add(tree, CPUID);
		file->cpu = cpu;
		snprintf(file->path, sizeof(file->path), "/dev/cpu/%u/cpuid", cpu);
	}
	file = add(tree, TEXT);
	snprintf(file->path, sizeof(file->path), "/sys/devices/system/cpu/online");
	snprintf(file->text, sizeof(file->text), "0-%u\n", topo.n_cpus - 1);
	cpu = 0;
	for (size_t p = 0; p < topo.n_packages; p++) {
		unsigned first = cpu, last = cpu + topo.packages[p].n_cpus - 1;

		for (; cpu <= last; cpu++) {
			file = add(tree, TEXT);
			snprintf(file->path, sizeof(file->path),
				 "/sys/devices/system/cpu/cpu%u/topology/core_siblings_list", cpu);
			snprintf(file->text, sizeof(file->text), "%u-%u\n", first, last);
			file = add(tree, TEXT);
			snprintf(file->path, sizeof(file->path),
				 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
			snprintf(file->text, sizeof(file->text), "%u\n", topo.packages[p].id);
		}
	}
	unc_topo_clear(&topo);
}

static int serve(struct tree *tree, const char *mountpoint)
{
	char *argv[] = {(char *)"simfuse", (char *)"-odefault_permissions", NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	struct fuse *fuse = fuse_new(&args, &operations, sizeof(operations), tree);
	int status = 77;

	if (!fuse)
		return status;
	if (fuse_mount(fuse, mountpoint) == 0) {
		status = fuse_set_signal_handlers(fuse_get_session(fuse)) == 0 && fuse_loop(fuse) >= 0 ? 0 : 1;
		fuse_unmount(fuse);
	}
	fuse_destroy(fuse);
	fuse_opt_free_args(&args);
	return status;
}

int main(int argc, char **argv)
{
	struct tree tree = {0};
	int status;

	if (argc != 3 || strncmp(argv[1], "sim:", 4) != 0) {
		fprintf(stderr, "usage: simfuse sim:MODEL[,KEY=VALUE]... MOUNTPOINT\n");
		return 2;
	}
	if (unc_new(&tree.ctx) < 0)
		return 1;
	if (unc_sim_open(tree.ctx, argv[1] + 4, -1, &tree.host) < 0) {
		fprintf(stderr, "simfuse: %s\n", unc_errmsg(tree.ctx));
		return 2;
	}
	add_pci(&tree);
	add_cpus(&tree);
	snprintf(add(&tree, TRUTH)->path, sizeof(tree.files[0].path), "/truth");
	status = serve(&tree, argv[2]);
	free(tree.files);
	unc_host_close(tree.host);
	unc_free(tree.ctx);
	return status;
}
