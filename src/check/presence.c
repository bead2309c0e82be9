// SPDX-License-Identifier: GPL-2.0-or-later
/* Is every function present that this part should have, and is it the right one? */
#include "check/presence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "access/access.h"
#include "machine/pci_header.h"

enum { PCI_BYTES = 256, EXPRESS_BYTES = 4096 }; /* PCI 3.0 section 6.1; PCI Express 3.0 section 7.2 */

size_t unc_presence_sockets(const struct unc_check *c, unsigned *ret_sockets)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_boxes; i++) {
		unsigned socket = c->boxes[i].box->socket;

		if ((n == 0 || ret_sockets[n - 1] != socket) && n < UNC_SOCKETS_MAX)
			ret_sockets[n++] = socket; /* channels are sorted by socket */
	}
	return n;
}

/* ---- ids ---- */

static void judge_header(struct unc_check *c, const struct unc_box *box, const struct unc_pci_header *header)
{
	const struct unc_instance *at = box->instance;
	bool good = unc_check_expect(c, &(struct unc_check_seen){.what = "device and vendor",
								 .name = "ids",
								 .has_expected = true,
								 .read = header->ids,
								 .expected = unc_instance_ids(at)});

	unc_check_see(c, &(struct unc_check_seen){.what = "class code", .name = "class", .read = header->class_code});
	unc_check_see(c, &(struct unc_check_seen){.what = "header type", .name = "type", .read = header->type});
	if (header->bridge)
		unc_check_fail(c, "header type 0x%02x, that of a bridge and not of a function with counters",
			       header->type);
	else if (good)
		unc_check_pass(c,
			       "%04x:%04x as the map says; of class 0x%06" PRIx32
			       ", revision 0x%02x and header type 0x%02x the map says nothing",
			       at->vendor, at->device, header->class_code, header->revision, header->type);
}

static int run_ids(struct unc_check *c)
{
	for (size_t i = 0; i < c->n_boxes; i++) {
		const struct unc_box *box = c->boxes[i].box;
		struct unc_pci_header header;
		int rc;

		if (!unc_check_begin_box(c, &c->boxes[i], true))
			continue;
		rc = unc_pci_header_read(box->space, &header);
		if (rc == 0)
			judge_header(c, box, &header);
		rc = unc_check_broke(c, rc);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

/* ---- configuration space ---- */

static uint32_t end_of(const struct unc_unit *unit, const struct unc_reg **ret_last)
{
	uint32_t end = 0;

	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];
		uint32_t its_end = unc_reg_off(reg, reg->count - 1) + reg->bits / 8;

		if (its_end > end) {
			end = its_end;
			*ret_last = reg;
		}
	}
	return end;
}

/*
 * Reads as much as exists and is compared.  Whether a function has more than the first 256 bytes shows when its last dword is read,
 * since its file or window may promise more than it has.
 */
static int read_space(const struct unc_check *c, const struct unc_box *box, unsigned char *bytes, size_t *ret_len,
		      size_t *ret_there)
{
	struct unc_space *space = box->space;
	size_t there = space->len < EXPRESS_BYTES ? (size_t)space->len : EXPRESS_BYTES;
	uint32_t last;
	int rc;

	if (there > PCI_BYTES && unc_read32(space, there - 4, &last) < 0)
		there = PCI_BYTES;
	*ret_there = there;
	*ret_len = c->depth == UNC_CHECK_QUICK && there > PCI_BYTES ? PCI_BYTES : there;
	rc = unc_read_block(space, 0, bytes, *ret_len);
	return rc == 0 ? unc_read32(space, there - 4, &last) : rc;
}

static size_t count_ones(const unsigned char *bytes, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i += 4)
		n += unc_le32(bytes + i) == UINT32_MAX;
	return n;
}

static int look_at_space(struct unc_check *c, const struct unc_box *box)
{
	unsigned char bytes[EXPRESS_BYTES];
	const struct unc_reg *reg = NULL;
	uint32_t end = end_of(box->unit, &reg);
	size_t len, there, n_ones;
	int rc = read_space(c, box, bytes, &len, &there);

	if (rc < 0)
		return unc_check_broke(c, rc);
	n_ones = count_ones(bytes, len);
	if (n_ones == len / 4)
		unc_check_fail(c, "all %zu dwords read as all ones", n_ones);
	else if (end > there)
		unc_check_fail(c, "%s ends at 0x%" PRIx32 ", but only %zu bytes can be read", reg->name, end, there);
	else
		unc_check_pass(c,
			       "%zu bytes, as of %s, can be read to the last dword, and all registers of the map are "
			       "below 0x%" PRIx32 "; of %zu dwords %zu are all ones",
			       there, there > PCI_BYTES ? "PCI Express" : "PCI", end, len / 4, n_ones);
	return UNC_OK;
}

static int run_config(struct unc_check *c)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++)
		if (unc_check_begin_box(c, &c->boxes[i], true))
			rc = look_at_space(c, c->boxes[i].box);
	return rc;
}

/* clang-format off */
static const struct unc_check_def defs[] = {
	{
		.about = {.name = "presence.functions",
			  .proves = "each memory channel that this part should have is there and answers",
			  .src = "327043-001 section 2.5; PCI 3.0 section 6.1",
			  .ms = {1, 1, 1}},
		.run = unc_presence_functions,
	},
	{
		.about = {.name = "presence.ids",
			  .proves = "vendor and device are those of the map, and the header is that of a function",
			  .src = "327043-001 section 2.5; PCI 3.0 section 6.2.1",
			  .ms = {1, 1, 1}},
		.run = run_ids,
	},
	{
		.about = {.name = "presence.config",
			  .proves = "configuration space can be read to its end and holds all registers of the map",
			  .src = "PCI 3.0 section 6.1; PCI Express 3.0 section 7.2",
			  .ms = {1, 2, 2}},
		.run = run_config,
	},
	{
		.about = {.name = "presence.ubox",
			  .proves = "what each socket tells of its number fits the other sockets and the operating system",
			  .src = "Linux uncore_snbep.c, snbep_pci2phy_map_init()",
			  .ms = {1, 1, 1}},
		.run = unc_presence_ubox,
	},
	{
		.about = {.name = "presence.alike",
			  .proves = "each socket has the same channels; which of them nothing is read from or written to",
			  .src = "327043-001 section 2.5",
			  .ms = {6, 21, 101},
			  .writes = true},
		.run = unc_presence_alike,
	},
	{
		.about = {.name = "presence.steady",
			  .proves = "ids and controls read the same each time, and never as all ones",
			  .src = "PCI 3.0 section 6.1",
			  .ms = {8, 19, 361}},
		.run = unc_presence_steady,
	},
};
/* clang-format on */

const struct unc_check_theme unc_check_presence = {defs, sizeof(defs) / sizeof(defs[0])};
