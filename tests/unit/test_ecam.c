// SPDX-License-Identifier: GPL-2.0-or-later
/* ecam.c on a tree whose dev/mem is a file that begins where configuration space is. */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "access/write.h"
#include "treeroot.h"

#include "test.h"

/* One bus, 0x7f: its first 4 KiB are of function 00.0, and after 0x83000 bytes are those of 10.3. */
enum { BASE = 0x100000, BUS = 0x7f, FUNCTION = 0x83000, MEM_BYTES = 0x84000 };
#define AT           (BASE - ((uint64_t)BUS << 20))
#define FUNCTION_DIR "sys/bus/pci/devices/0000:7f:10.3"
#define MCFG         "sys/firmware/acpi/tables/MCFG"

static unsigned char mem[BASE + MEM_BYTES], config[256];

static void put_mcfg(uint64_t base, unsigned first, unsigned last)
{
	unsigned char mcfg[44 + 16] = "MCFG";

	unc_put_le64(mcfg + 44, base);
	mcfg[44 + 10] = (unsigned char)first;
	mcfg[44 + 11] = (unsigned char)last;
	tree_bytes(&desk.tree, MCFG, mcfg, sizeof(mcfg));
}

static void begin(void)
{
	desk_begin();
	for (size_t i = 0; i < sizeof(mem); i++)
		mem[i] = (unsigned char)(i * 7 + (i >> 8));
	unc_put_le32(mem + BASE + FUNCTION, 0x3cb08086);
	unc_put_le32(config, 0x3cb08086);
	tree_bytes(&desk.tree, "dev/mem", mem, sizeof(mem));
	tree_bytes(&desk.tree, FUNCTION_DIR "/config", config, sizeof(config));
	tree_text(&desk.tree, "proc/iomem",
		  "00001000-000fffff : System RAM\n00100000-001fffff : PCI MMCONFIG 0000 [bus 7f-7f]\n");
	put_mcfg(AT, BUS, 0xff);
}

EACH(begin, desk_end)

static struct unc_addr at(const char *name)
{
	struct unc_addr addr;

	CU_ASSERT_TRUE_FATAL(unc_addr_parse_pci(name, &addr));
	return addr;
}

TEST(a_function_is_the_4_kib_at_its_place)
{
	unsigned char block[20];
	struct unc_space *space;
	uint32_t value;

	desk_bus(unc_linux_ecam_open, true);
	space = desk_space(desk.bus, at("7f:10.3"));
	reads32(space, 0xa4, unc_le32(mem + BASE + FUNCTION + 0xa4));
	CU_ASSERT_EQUAL(unc_read_block(space, 0xffc - 16, block, sizeof(block)), UNC_OK);
	CU_ASSERT(memcmp(block, mem + BASE + FUNCTION + 0xffc - 16, sizeof(block)) == 0);
	CU_ASSERT_EQUAL(unc_write32(space, 0xd8, 0x400304), UNC_OK);
	reads32(space, 0xd8, 0x400304);
	CU_ASSERT_EQUAL(unc_read32(space, 0x1000, &value), UNC_ERANGE);
}

TEST(a_claim_is_seen_without_ecam)
{
	struct unc_space *space, *plain;

	desk_bus(unc_linux_ecam_open, true);
	space = desk_space(desk.bus, at("7f:10.3"));
	desk_bus(unc_linux_pci_open, true);
	plain = desk_space(desk.bus, at("7f:10.3"));
	CU_ASSERT_EQUAL(unc_space_claim(space, 0, 0, UNC_CLAIM_TAKE), UNC_OK);
	CU_ASSERT_EQUAL(unc_space_claim(plain, 0, 0, UNC_CLAIM_TAKE), UNC_EBUSY);
}

/* With that text in that file; NULL: without the file. */
static void cannot_open(const char *file, const char *text, const char *why)
{
	if (text)
		tree_text(&desk.tree, file, text);
	else
		CU_ASSERT_EQUAL(unlink(tree_path(&desk.tree, file).text), 0);
	CU_ASSERT_EQUAL(unc_linux_ecam_open(&desk.ctx, &desk.root, false, &desk.bus), UNC_ENODEV);
	CU_ASSERT_TRUE(says(why));
	desk_end();
	begin();
}

TEST(kernel_and_firmware_must_agree)
{
	put_mcfg(AT + 0x1000000, BUS, 0xff);
	cannot_open("any", "", "the ACPI table MCFG confirms");
	put_mcfg(AT, BUS + 1, 0xff);
	cannot_open("any", "", "the ACPI table MCFG confirms");
	cannot_open("proc/iomem", "00000000-00000000 : PCI MMCONFIG 0000 [bus 7f-7f]\n", "or it is hidden");
	cannot_open("proc/iomem", "00100000-0010ffff : PCI MMCONFIG 0000 [bus 7f-7f]\nPCI MMCONFIG\n: PCI \n",
		    "shows no \"PCI MMCONFIG\"");
	cannot_open(MCFG, "MCFG", "shows no \"PCI MMCONFIG\"");
	cannot_open(MCFG, NULL, "MCFG");
}

TEST(newer_kernels_call_it_ecam)
{
	tree_text(&desk.tree, "proc/iomem", "00100000-001fffff : PCI ECAM 0000 [bus 7f-7f]\n");
	desk_bus(unc_linux_ecam_open, false);
	desk_space(desk.bus, at("7f:10.3"));
}

TEST(other_ids_or_another_bus_are_refused)
{
	struct unc_addr other_id = at("7f:10.3"), other_bus = at("7e:10.3");
	struct unc_space *space;

	unc_put_le32(config, 0x3cb18086);
	tree_bytes(&desk.tree, FUNCTION_DIR "/config", config, sizeof(config));
	tree_bytes(&desk.tree, "sys/bus/pci/devices/0000:7e:10.3/config", config, sizeof(config));
	desk_bus(unc_linux_ecam_open, false);
	CU_ASSERT_EQUAL(unc_space_open(desk.bus, &other_id, &space), UNC_EIO);
	CU_ASSERT_TRUE(says("0x3cb18086 in sysfs and 0x3cb08086 in memory at 0x183000"));
	CU_ASSERT_EQUAL(unc_space_open(desk.bus, &other_bus, &space), UNC_ENODEV);
	CU_ASSERT_TRUE(says("that has its bus"));
}
