// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers of host bridges through which a write reaches others: on a computer that is nothing but files. */
#define _GNU_SOURCE
#include "tree.h"
#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

static struct tree tree;
static struct onsim o; /* only its context and its machine */

/* A function whose configuration space has ids and a class, and beyond the header 0x5a. */
static void put(const char *place, uint32_t ids, uint32_t class_code)
{
	unsigned char bytes[4096];
	char name[80];

	memset(bytes, 0x5a, sizeof(bytes));
	memset(bytes, 0, 0x40);
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(ids >> 8 * i);
	for (unsigned i = 0; i < 3; i++)
		bytes[9 + i] = (unsigned char)(class_code >> 8 * i);
	snprintf(name, sizeof(name), "sys/bus/pci/devices/0000:%s/config", place);
	tree_bytes(&tree, name, bytes, sizeof(bytes));
}

static void begin(void)
{
	char name[600], state[600];
	struct unc_machine_cfg cfg = {.machine = name, .state_dir = state, .writable = true};

	o = (struct onsim){.m = NULL};
	tree = tree_new();
	snprintf(name, sizeof(name), "root:%s", tree.root);
	snprintf(state, sizeof(state), "%s/state", tree.root);
	tree_text(&tree, "cpuid.raw",
		  "basic_cpuid[0]=00000001 68747541 444d4163 69746e65\n"
		  "basic_cpuid[1]=00a10f11 00800800 7ef8320b 178bfbff\n"
		  "ext_cpuid[0]=80000008 68747541 444d4163 69746e65\n");
	put("00:00.0", 0x14a41022, 0x060000);
	put("40:00.0", 0xfff01022, 0x060000); /* an id that no list has */
	put("80:00.0", 0x14501d94, 0x060000); /* Hygon */
	put("03:00.0", 0x14861022, 0x108000); /* an encryption controller */
	put("ff:00.0", 0x3c008086, 0x060000);
	CU_ASSERT_EQUAL_FATAL(unc_new(&o.ctx), 0);
	CU_ASSERT_EQUAL_FATAL(unc_machine_open(o.ctx, &cfg, &o.m), 0);
}

static void end(void)
{
	unc_machine_close(o.m);
	unc_free(o.ctx);
	tree_remove(&tree);
}

EACH(begin, end)

/* Only reads are allowed from first to before end, in each dword else beyond the header both. */
static void only_read(const char *place, const uint32_t (*pairs)[2], size_t n, const char *why)
{
	for (uint32_t off = 0x40; off < 0x100; off += 4) {
		bool refused = false;
		struct unc_box *box;
		uint64_t value = 0;

		for (size_t i = 0; i < n; i++)
			refused |= off >= pairs[i][0] && off < pairs[i][1];
		OK(&o, unc_raw_pci(o.m, place, off, &box));
		OK(&o, unc_box_reg_read(box, 0, &value));
		EQ(value, 0x5a5a5a5a);
		if (refused) {
			FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, 0, 0), place, why, "leave it to");
			FAILS(&o, UNC_EDENIED, unc_box_reg_write(box, 0, 0, &value), place, why);
		} else {
			OK(&o, unc_box_reg_allows(box, 0, 0));
		}
	}
}

static const uint32_t smn[][2] = {{0x60, 0x68}, {0xb4, 0xc0}, {0xc4, 0xcc}}, pciexbar[][2] = {{0x60, 0x68}};

TEST(the_smn_of_every_amd_root_is_left_alone)
{
	only_read("0000:00:00.0", smn, 3, "SMN");
	only_read("0000:40:00.0", smn, 3, "SMN");
	only_read("0000:80:00.0", smn, 3, "SMN");
}

TEST(other_functions_may_be_written_there)
{
	only_read("0000:03:00.0", smn, 0, "");
	only_read("0000:ff:00.0", smn, 0, "");
}

/* On servers of Intel it is not always of that class. */
TEST(pciexbar_of_intel_is_left_alone)
{
	put("00:00.0", 0x09a28086, 0x088000);
	only_read("0000:00:00.0", pciexbar, 1, "PCIEXBAR");
}

/* A register of 64 bits that reaches into them, of a map. */
TEST(so_is_a_register_that_a_map_names)
{
	struct unc_box *box;
	struct unc_unit *unit;

	OK(&o, unc_raw_pci(o.m, "0000:00:00.0", 0x5c, &box));
	OK(&o, unc_box_reg_allows(box, 0, 0));
	unit = (struct unc_unit *)box->unit;
	box->raw = NULL;
	unit->loaded = false;
	unit->regs[0].bits = 64;
	FAILS(&o, UNC_EDENIED, unc_box_reg_allows(box, 0, 0), "SMN");
}
