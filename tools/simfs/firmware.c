// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of the firmware: MCFG, and SMBIOS tables about the memory.
 *
 * MCFG says where extended configuration space is (PCI Firmware Specification 3.0, 4.1.2).
 */
#include <stdlib.h>
#include <string.h>

#include "fs.h"

enum { HEADER = 44, ENTRY = 16 };

/* One after the other below 4 GiB as long as there is room, as firmware does; nothing answers there. */
#define FIRST_BASE UINT64_C(0x80000000)
#define SEGMENT    UINT64_C(0x10000000)

static uint32_t segments(struct fs *fs)
{
	uint32_t n = 1;

	for (size_t i = 0; i < unc_sim_info(fs->sim.host).n_pcis; i++) {
		struct unc_sim_pci pci;

		if (unc_sim_pci(fs->sim.host, i, &pci) == 0 && pci.addr.pci.domain >= n)
			n = pci.addr.pci.domain + 1;
	}
	return n;
}

static void put_header(unsigned char header[HEADER], size_t len)
{
	memset(header, 0, HEADER);
	memcpy(header, "MCFG", 4);
	unc_put_le32(header + 4, (uint32_t)len);
	header[8] = 1; /* revision */
	memcpy(header + 10, "UNCORE", 6);
	memcpy(header + 16, "SIMFS   ", 8);
	unc_put_le32(header + 24, 1);
	memcpy(header + 28, "UNCR", 4);
	unc_put_le32(header + 32, 1);
}

static void put_entry(unsigned char entry[ENTRY], uint32_t segment)
{
	memset(entry, 0, ENTRY);
	unc_put_le64(entry, FIRST_BASE + segment * SEGMENT);
	unc_put_le32(entry + 8, (segment & 0xffff) | UINT32_C(0xff000000)); /* buses 0 to 0xff */
}

/* All bytes of a table add up to 0. */
static unsigned char checksum(const char *table, size_t len)
{
	unsigned char sum = 0;

	while (len--)
		sum = (unsigned char)(sum + (unsigned char)*table++);
	return (unsigned char)-sum;
}

static int mcfg_print(struct fs *fs, const struct node *node, struct out *out)
{
	unsigned char header[HEADER], entry[ENTRY];

	put_header(header, node->size);
	out_bytes(out, header, sizeof(header));
	for (uint32_t i = 0; out->len < node->size && !out->failed; i++) {
		put_entry(entry, i);
		out_bytes(out, entry, sizeof(entry));
	}
	(void)fs;
	if (!out->failed)
		out->text[9] = (char)checksum(out->text, out->len);
	return 0;
}

void acpi_add(struct fs *fs)
{
	static const struct file_type mcfg = {.mode = 0400, .print = mcfg_print};
	struct node *node;

	node = tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/firmware/acpi/tables"), "MCFG", &mcfg, 0);
	if (node)
		node->size = HEADER + ENTRY * segments(fs);
}

/* SMBIOS tables, which tell of the memory, as Linux shows them. */

static const char *const paths[] = {UNC_SIM_SMBIOS_TABLE, UNC_SIM_SMBIOS_ENTRY};

static int table_print(struct fs *fs, const struct node *node, struct out *out)
{
	char *bytes;
	size_t len;
	int rc = unc_sim_smbios(fs->sim.host, paths[node->which], &bytes, &len);

	if (rc < 0)
		return failure_errno(fs, rc);
	out_bytes(out, bytes, len);
	free(bytes);
	return 0;
}

/* Serial numbers can be in them: root's alone. */
void dmi_add(struct fs *fs)
{
	static const struct file_type table = {.mode = 0400, .print = table_print};

	for (uint32_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct node *node;
		char *bytes;
		size_t len;
		int rc = unc_sim_smbios(fs->sim.host, paths[i], &bytes, &len);

		fs->tree.failed |= rc == UNC_ENOMEM;
		if (rc < 0)
			continue;
		free(bytes);
		node = tree_file(&fs->tree, tree_folder_path(&fs->tree, "sys/firmware/dmi/tables"),
				 strrchr(paths[i], '/') + 1, &table, i);
		if (node)
			node->size = (uint32_t)len;
	}
}
