// SPDX-License-Identifier: GPL-2.0-or-later
/* PCI functions as sysfs and procfs show them (Linux: drivers/pci/pci-sysfs.c, proc.c). */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "fs.h"

enum {
	UNPRIVILEGED = 64, /* bytes of configuration space that anybody may read */
	RESOURCES = 13,    /* 6 BARs, ROM, 6 of SR-IOV */
	PROC_RESOURCES = 7,
};

static struct unc_sim_pci function_of(struct fs *fs, const struct node *node)
{
	struct unc_sim_pci pci = {0};

	unc_sim_pci(fs->sim.host, node->which, &pci);
	return pci;
}

/* What is left of an access that ends at size. */
static size_t cut(uint64_t off, size_t len, size_t size)
{
	if (off >= size)
		return 0;
	return len < size - off ? len : size - (size_t)off;
}

static int config_read(struct fs *fs, const struct unc_sim_pci *pci, uint64_t off, char *buf, size_t len)
{
	int n = len ? served_config_read(&fs->sim, &pci->addr, off, buf, len) : 0;

	return n < 0 ? failure_errno(fs, n) : n;
}

static int config_write(struct fs *fs, const struct unc_sim_pci *pci, uint64_t off, const char *buf, size_t len)
{
	int n = len ? served_config_write(&fs->sim, &pci->addr, off, buf, len) : 0;

	return n < 0 ? failure_errno(fs, n) : n;
}

/* sysfs decides when a file is opened how much of it may be read (file_ns_capable()). */
static int sysfs_open(struct fs *fs, struct handle *handle)
{
	handle->privileged = client_can(fs, CAP_SYS_ADMIN);
	return 0;
}

static int sysfs_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	struct unc_sim_pci pci = function_of(fs, handle->node);

	return config_read(fs, &pci, off, buf, cut(off, len, handle->privileged ? pci.config_bytes : UNPRIVILEGED));
}

/* A write at the end is an error (sysfs_kf_bin_write()). */
static int sysfs_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	struct unc_sim_pci pci = function_of(fs, handle->node);

	if (off >= pci.config_bytes)
		return -EFBIG;
	return config_write(fs, &pci, off, buf, cut(off, len, pci.config_bytes));
}

/* procfs checks the process that reads (capable()). */
static int proc_read(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len)
{
	struct unc_sim_pci pci = function_of(fs, handle->node);

	bool privileged = client_can(fs, CAP_SYS_ADMIN);

	return config_read(fs, &pci, off, buf, cut(off, len, privileged ? pci.config_bytes : UNPRIVILEGED));
}

/* and a write beyond the end writes nothing. */
static int proc_write(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len)
{
	struct unc_sim_pci pci = function_of(fs, handle->node);

	return config_write(fs, &pci, off, buf, cut(off, len, pci.config_bytes));
}

static const struct file_type sysfs_config = {
	.mode = 0644, .open = sysfs_open, .read = sysfs_read, .write = sysfs_write};
static const struct file_type proc_config = {.mode = 0644, .read = proc_read, .write = proc_write};

#define PRINTER(name, ...)                                                                                             \
	static int name##_print(struct fs *fs, const struct node *node, struct out *out)                               \
	{                                                                                                              \
		struct unc_sim_pci pci = function_of(fs, node);                                                        \
                                                                                                                       \
		(void)pci;                                                                                             \
		out_printf(out, __VA_ARGS__);                                                                          \
		return 0;                                                                                              \
	}                                                                                                              \
	static const struct file_type name##_file = {.mode = 0444, .shown_size = 4096, .print = name##_print};

PRINTER(vendor, "0x%04x\n", pci.vendor)
PRINTER(device, "0x%04x\n", pci.device)
PRINTER(subsystem_vendor, "0x%04x\n", pci.subsystem_vendor)
PRINTER(subsystem_device, "0x%04x\n", pci.subsystem_device)
PRINTER(class, "0x%06x\n", pci.class_code)
PRINTER(revision, "0x%02x\n", pci.revision)
PRINTER(irq, "0\n")
PRINTER(enable, "0\n")
PRINTER(ari_enabled, "0\n")
PRINTER(broken_parity_status, "0\n")
PRINTER(msi_bus, "1\n")
PRINTER(dma_mask_bits, "32\n")
PRINTER(driver_override, "(null)\n")
PRINTER(numa_node, "%u\n", node_of_package(fs, pci.socket))

/* modalias, and a line of uevent */
static void out_modalias(struct out *out, const struct unc_sim_pci *pci)
{
	out_printf(out, "pci:v%08Xd%08Xsv%08Xsd%08Xbc%02Xsc%02Xi%02X\n", pci->vendor, pci->device,
		   pci->subsystem_vendor, pci->subsystem_device, pci->class_code >> 16 & 0xff,
		   pci->class_code >> 8 & 0xff, pci->class_code & 0xff);
}

static int modalias_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct unc_sim_pci pci = function_of(fs, node);

	out_modalias(out, &pci);
	return 0;
}

static int uevent_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct unc_sim_pci pci = function_of(fs, node);
	char name[UNC_ADDR_TEXT];

	out_printf(out, "PCI_CLASS=%04X\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=%s\nMODALIAS=",
		   pci.class_code, pci.vendor, pci.device, pci.subsystem_vendor, pci.subsystem_device,
		   unc_addr_text(&pci.addr, name));
	out_modalias(out, &pci);
	return 0;
}

static int resource_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)fs;
	(void)node;
	for (unsigned i = 0; i < RESOURCES; i++)
		out_printf(out, "0x%016x 0x%016x 0x%016x\n", 0, 0, 0);
	return 0;
}

static int local_cpulist_print(struct fs *fs, const struct node *node, struct out *out)
{
	return node_cpulist(fs, node_of_package(fs, function_of(fs, node).socket), out);
}

static int local_cpus_print(struct fs *fs, const struct node *node, struct out *out)
{
	return node_cpumask(fs, node_of_package(fs, function_of(fs, node).socket), out);
}

static const struct file_type modalias_file = {.mode = 0444, .shown_size = 4096, .print = modalias_print};
static const struct file_type uevent_file = {.mode = 0444, .shown_size = 4096, .print = uevent_print};
static const struct file_type resource_file = {.mode = 0444, .shown_size = 4096, .print = resource_print};
static const struct file_type local_cpulist_file = {.mode = 0444, .shown_size = 4096, .print = local_cpulist_print};
static const struct file_type local_cpus_file = {.mode = 0444, .shown_size = 4096, .print = local_cpus_print};

static const struct {
	const char *name;
	const struct file_type *type;
} attributes[] = {
	{"ari_enabled", &ari_enabled_file},
	{"broken_parity_status", &broken_parity_status_file},
	{"class", &class_file},
	{"consistent_dma_mask_bits", &dma_mask_bits_file},
	{"device", &device_file},
	{"dma_mask_bits", &dma_mask_bits_file},
	{"driver_override", &driver_override_file},
	{"enable", &enable_file},
	{"irq", &irq_file},
	{"local_cpulist", &local_cpulist_file},
	{"local_cpus", &local_cpus_file},
	{"modalias", &modalias_file},
	{"msi_bus", &msi_bus_file},
	{"numa_node", &numa_node_file},
	{"resource", &resource_file},
	{"revision", &revision_file},
	{"subsystem_device", &subsystem_device_file},
	{"subsystem_vendor", &subsystem_vendor_file},
	{"uevent", &uevent_file},
	{"vendor", &vendor_file},
};

static void config_add(struct fs *fs, uint32_t folder, const char *name, const struct file_type *type, uint32_t which)
{
	struct node *node = tree_file(&fs->tree, folder, name, type, which);
	struct unc_sim_pci pci;

	if (!node)
		return;
	pci = function_of(fs, node);
	node->size = pci.config_bytes;
}

static void sysfs_add(struct fs *fs, const struct unc_sim_pci *pci, uint32_t which)
{
	char name[UNC_ADDR_TEXT], path[128];
	uint32_t folder;

	unc_addr_text(&pci->addr, name);
	snprintf(path, sizeof(path), "sys/devices/pci%04x:%02x/%s", pci->addr.pci.domain, pci->addr.pci.bus, name);
	folder = tree_folder_path(&fs->tree, path);
	config_add(fs, folder, "config", &sysfs_config, which);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		tree_file(&fs->tree, folder, attributes[i].name, attributes[i].type, which);
	tree_link(&fs->tree, folder, "subsystem", "../../../bus/pci");
	snprintf(path, sizeof(path), "../../../devices/pci%04x:%02x/%s", pci->addr.pci.domain, pci->addr.pci.bus, name);
	tree_link(&fs->tree, tree_folder_path(&fs->tree, "sys/bus/pci/devices"), name, path);
}

/* The bus alone in domain 0. */
static void proc_add(struct fs *fs, const struct unc_sim_pci *pci, uint32_t which)
{
	char name[8], path[48];

	if (pci->addr.pci.domain)
		snprintf(path, sizeof(path), "proc/bus/pci/%04x:%02x", pci->addr.pci.domain, pci->addr.pci.bus);
	else
		snprintf(path, sizeof(path), "proc/bus/pci/%02x", pci->addr.pci.bus);
	snprintf(name, sizeof(name), "%02x.%x", pci->addr.pci.dev & 0x1f, pci->addr.pci.fn & 7);
	config_add(fs, tree_folder_path(&fs->tree, path), tree_name(&fs->tree, name), &proc_config, which);
}

/* The domain is not in it, as in Linux. */
static int devices_print(struct fs *fs, const struct node *node, struct out *out)
{
	size_t n = unc_sim_info(fs->sim.host).n_pcis;

	(void)node;
	for (size_t i = 0; i < n; i++) {
		struct unc_sim_pci pci;

		if (unc_sim_pci(fs->sim.host, i, &pci) < 0)
			return -EIO;
		out_printf(out, "%02x%02x\t%04x%04x\t%x", pci.addr.pci.bus, pci.addr.pci.dev << 3 | pci.addr.pci.fn,
			   pci.vendor, pci.device, 0);
		for (unsigned j = 0; j < 2 * PROC_RESOURCES; j++) /* where they begin, how long they are */
			out_printf(out, "\t%16x", 0);
		out_printf(out, "\t\n");
	}
	return 0;
}

void pci_add(struct fs *fs)
{
	static const struct file_type devices_file = {.mode = 0444, .print = devices_print};
	size_t n = unc_sim_info(fs->sim.host).n_pcis;

	tree_folder_path(&fs->tree, "sys/bus/pci/devices");
	tree_folder_path(&fs->tree, "sys/bus/pci/drivers");
	tree_folder_path(&fs->tree, "sys/bus/pci/slots");
	tree_file(&fs->tree, tree_folder_path(&fs->tree, "proc/bus/pci"), "devices", &devices_file, 0);
	for (size_t i = 0; i < n; i++) {
		struct unc_sim_pci pci;

		if (unc_sim_pci(fs->sim.host, i, &pci) < 0)
			continue;
		sysfs_add(fs, &pci, (uint32_t)i);
		proc_add(fs, &pci, (uint32_t)i);
	}
}
