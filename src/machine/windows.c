// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/windows.h"

#include "base/text.h"
#include "machine/discovery.h"
#include "map/field.h"

/* ---- the arithmetic ---- */

/*
 * Registers of function 0.1 of the UBOX's bus: the base of the socket's memory, and from there the offsets of the controllers
 * (MEM_BAR) and of what they share (SCF_BAR).
 */
enum { MMIO_BASE = 0xd0, SCF_BAR = 0xd4, MEM_BAR = 0xd8, BASE_DEV = 0, BASE_FN = 1 };
enum { BASE_BITS = 29, BASE_SHIFT = 23, BAR_BITS = 11, LIMIT_LOW = 13, BAR_SHIFT = 12 };
enum { VENDOR_INTEL = 0x8086, LEAST_BITS = 36, MOST_BITS = 46 };

struct way {
	uint16_t device;
	bool scf;                             /* offsets count from SCF_BAR, not from the MEM_BAR of the controller */
	uint32_t first, per_imc, per_channel; /* of the counters of a channel */
	uint32_t mode; /* MCMTR of the first channel, which is at the same steps; 0: no channel's */
	unsigned n_imcs, n_channels;
	uint32_t ddrt;         /* MCDDRTCFG of the first channel, below MCMTR in the same page; 0: there is none */
	uint32_t mchbar_bytes; /* offsets count from MCHBAR, of a client processor; 0: they do not */
	bool enabled;          /* and its bit 0 tells whether it is */
};

/*
 * EDAC (i10nm_base.c) and PCM (bw.cpp) have the same for Ice Lake to Granite Rapids; the bases of Granite Rapids-D are PCM's alone.
 * Below MCHBAR: Linux arch/x86/events/intel/uncore_snb.c; its size is chipsec's.
 */
static const struct way ways[] = {
	[UNC_WINDOW_MEMBAR] = {0x3451, false, 0x22800, 0, 0x4000, 0x20ef8, 4, 3},
	[UNC_WINDOW_MEMBAR_DDRT] = {0x3451, false, 0x22800, 0, 0x4000, 0x20ef8, 4, 3, 0x20970},
	[UNC_WINDOW_MEMBAR_WIDE] = {0x3251, false, 0x22800, 0, 0x8000, 0x20ef8, 4, 2},
	[UNC_WINDOW_SCF] = {0x3251, true, 0x24e800, 0x4000, 0, 0x24caf8, 12, 1},
	[UNC_WINDOW_SCF_GNRD] = {0x3251, true, 0x208800, 0x4000, 0, 0x206af8, 8, 1},
	[UNC_WINDOW_SCF_GNRD_A] = {0x3251, true, 0x104800, 0x4000, 0, 0x102af8, 8, 1},
	[UNC_WINDOW_MEMBAR_FREE] = {0x3451, false, 0x2290, 0, 0, 0, 4, 1},
	[UNC_WINDOW_MCHBAR] = {0, false, 0x5040, 0, 0, 0, 1, 1, 0, 0x8000, false},
	[UNC_WINDOW_MCHBAR_TGL] = {0, false, 0x5040, 0x10000, 0, 0, 2, 1, 0, 0x20000, true},
	[UNC_WINDOW_MCHBAR_ADL] = {0, false, 0xd840, 0x10000, 0, 0, 2, 1, 0, 0x20000, true},
	[UNC_WINDOW_MCHBAR_ADL_PMON] = {0, false, 0xd9c0, 0x10000, 0, 0, 2, 1, 0, 0x20000, true},
	[UNC_WINDOW_SCF_HBM] = {0x3251, true, 0x141c00, 0x9000, 0x4000, 0x140ef8, 16, 2},
};

void unc_windows_name_functions(struct unc_map *map)
{
	for (size_t u = 0; u < map->n_units; u++) {
		struct unc_unit *unit = &map->units[u];

		for (size_t i = 0; unit->found != UNC_WINDOW_NOT && i < unit->n_instances; i++) {
			struct unc_instance *instance = &unit->instances[i];

			instance->vendor = VENDOR_INTEL;
			instance->device = ways[unit->found].device;
			instance->dev = BASE_DEV;
			instance->fn = ways[unit->found].mchbar_bytes ? 0 : BASE_FN;
		}
	}
}

static uint64_t bits(uint32_t value, unsigned low, unsigned n)
{
	return value >> low & ((UINT32_C(1) << n) - 1);
}

/* How many bits a physical address has on this CPU: Intel SDM, CPUID leaf 80000008H. */
static unsigned address_bits(const struct unc_machine *m)
{
	struct unc_cpuid_regs regs;
	unsigned n;

	if (m->host->ops->cpuid(m->host, unc_machine_first_cpu(m), UINT32_C(0x80000008), 0, &regs) < 0)
		return MOST_BITS;
	n = regs.eax & 0xff;
	return n < LEAST_BITS || n > MOST_BITS ? MOST_BITS : n;
}

uint64_t unc_window_bytes(const struct unc_unit *unit)
{
	uint64_t end = 0;

	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];
		uint64_t after = (uint64_t)unc_reg_off(reg, reg->count - 1) + reg->bits / 8;

		end = after > end ? after : end;
	}
	return end;
}

/* MCHBAR of the host bridge; the bits of its address begin at 15 to 17 and end at 38 to 41, by the part. */
static int find_mchbar(struct unc_box *box, const struct way *way, struct unc_space *function, uint64_t *ret_base)
{
	enum { MCHBAR = 0x48, ENABLED = 1, ADDRESS_FROM = 15 };
	struct unc_ctx *ctx = box->machine->ctx;
	const char *why = NULL;
	uint32_t low = 0, high = 0;
	uint64_t bar, base;
	int rc = unc_read32(function, MCHBAR, &low);

	if (rc == 0)
		rc = unc_read32(function, MCHBAR + 4, &high);
	if (rc < 0)
		return rc;
	bar = (uint64_t)high << 32 | low;
	base = bar >> ADDRESS_FROM << ADDRESS_FROM;
	if (low == UINT32_MAX || high == UINT32_MAX)
		why = "the host bridge does not answer";
	else if (base == 0)
		why = "the firmware gave the controllers no address";
	else if (way->enabled && !(bar & ENABLED))
		why = "bit 0 is clear: the firmware has switched it off, so nothing is touched there";
	else if ((base + way->mchbar_bytes - 1) >> address_bits(box->machine))
		why = "that is beyond the addresses of this CPU";
	if (why)
		return unc_fail(ctx, UNC_ENODEV, "MCHBAR (0x48 of pci 0000:00:00.0) is 0x%" PRIx64 ": %s", bar, why);
	*ret_base = base;
	return UNC_OK;
}

/* Finds the controller's part of the socket's memory. */
static int find_part(struct unc_box *box, const struct way *way, struct unc_space *function, uint64_t *ret_base,
		     uint64_t *ret_len)
{
	uint64_t off = way->scf ? SCF_BAR : MEM_BAR + 4 * (uint64_t)box->instance->imc, low, high;
	struct unc_ctx *ctx = box->machine->ctx;
	char name[UNC_ADDR_TEXT];
	uint32_t base, bar = 0;
	int rc;

	unc_addr_text(&function->addr, name);
	rc = unc_read32(function, MMIO_BASE, &base);
	if (rc == 0)
		rc = unc_read32(function, off, &bar);
	if (rc < 0)
		return rc;
	if (base == UINT32_MAX || bar == UINT32_MAX)
		return unc_fail(ctx, UNC_EIO,
				"pci %s reads all ones at 0x%x or 0x%" PRIx64 ", which tell where its counters are",
				name, MMIO_BASE, off);
	if (bits(base, 0, BASE_BITS) == 0)
		return unc_fail(ctx, UNC_EIO,
				"MMIO_BASE (0x%x of pci %s) is 0: the firmware gave the controllers no address",
				MMIO_BASE, name);
	if (bar == 0) {
		box->presence = UNC_ABSENT;
		return unc_fail(ctx, UNC_ENODEV, "0x%" PRIx64 " of pci %s is 0: this controller is not there", off,
				name);
	}
	low = bits(bar, 0, BAR_BITS);
	high = way->scf ? (1u << BAR_BITS) - 1 : bits(bar, LIMIT_LOW, BAR_BITS); /* no source has a limit of SCF_BAR */
	if (high < low)
		return unc_fail(ctx, UNC_EIO,
				"0x%" PRIx64 " of pci %s is 0x%08" PRIx32 ", whose limit 0x%" PRIx64
				" is below its base 0x%" PRIx64,
				off, name, bar, high, low);
	*ret_base = bits(base, 0, BASE_BITS) << BASE_SHIFT | low << BAR_SHIFT;
	*ret_len = (high - low + 1) << BAR_SHIFT;
	if ((*ret_base + *ret_len - 1) >> address_bits(box->machine))
		return unc_fail(ctx, UNC_EIO,
				"its memory would be at 0x%" PRIx64 " (MMIO_BASE 0x%08" PRIx32
				" of pci %s), beyond the %u bits of an address of this CPU",
				*ret_base, base, name, address_bits(box->machine));
	return UNC_OK;
}

struct mode {           /* addresses of registers before the counters of a channel */
	uint64_t mcmtr; /* the channel's mode; 0: the box is of no channel */
	uint64_t
		ddrt; /* MCDDRTCFG, its slots with Optane modules, in the same page before MCMTR; 0: this part has none */
};

/*
 * Finds the window of a box by the registers of that function, the one that unc_windows_name_functions() named; touches no memory.
 * Linux arch/x86/events/intel/uncore_snbep.c (snr_uncore_mmio_map) and drivers/edac/i10nm_base.c.
 */
static int find_window(struct unc_box *box, struct unc_space *function, struct unc_addr *ret_addr,
		       struct mode *ret_mode)
{
	const struct unc_instance *instance = box->instance;
	const struct way *way = &ways[instance->hbm ? UNC_WINDOW_SCF_HBM : box->unit->found];
	uint64_t base, len, step, off;
	int rc;

	if (instance->imc >= way->n_imcs || instance->channel >= way->n_channels)
		return unc_fail(box->machine->ctx, UNC_EIO,
				"%s names a channel that no part found in this way has: at most %u controllers of %u",
				box->unit->path, way->n_imcs, way->n_channels);
	len = way->mchbar_bytes;
	rc = len ? find_mchbar(box, way, function, &base) : find_part(box, way, function, &base, &len);
	if (rc < 0)
		return rc;
	step = (uint64_t)way->per_imc * instance->imc + (uint64_t)way->per_channel * instance->channel;
	off = way->first + step;
	if (off + unc_window_bytes(box->unit) > len)
		return unc_fail(box->machine->ctx, UNC_EIO,
				"its counters would be 0x%" PRIx64 " into the controller's memory, which is 0x%" PRIx64
				" bytes by the limit beside its base",
				off, len);
	*ret_addr =
		(struct unc_addr){.kind = UNC_MMIO, .mmio = {.base = base + off, .len = unc_window_bytes(box->unit)}};
	*ret_mode = (struct mode){.mcmtr = way->mode ? base + way->mode + step : 0,
				  .ddrt = way->ddrt ? base + way->ddrt + step : 0};
	return UNC_OK;
}

/* ---- what lies there ---- */

#define IOMEM "/proc/iomem"
enum { IOMEM_MAX = 1 << 20, RANGE_NAME = 64 };

struct unc_iomem_range {
	uint64_t first, last;
	char name[RANGE_NAME];
};

void unc_iomem_clear(struct unc_iomem *iomem)
{
	free(iomem->ranges);
	*iomem = (struct unc_iomem){0};
}

static int read_iomem(struct unc_machine *m, struct unc_iomem *iomem)
{
	bool shown = false;
	char *text, *line;
	int rc = unc_host_file(m->host, IOMEM, IOMEM_MAX, &text, NULL);

	if (rc < 0)
		return unc_fail(m->ctx, UNC_EPERM,
				IOMEM " cannot be read, so that it is not known what lies in memory: %.700s",
				m->ctx->msg);
	for (char *rest = text; (line = unc_text_cut(&rest, '\n')) != NULL && rc == 0;) {
		/* "  fb800000-fbffffff : PCI Bus 0000:7e", indented by how deep it is in others. */
		const char *first = unc_text_cut(&line, '-'), *last = unc_text_cut(&line, ' ');
		struct unc_iomem_range range;

		if (!last || !line || strncmp(line, ": ", 2) != 0 ||
		    !unc_text_hex(first + strspn(first, " "), &range.first) || !unc_text_hex(last, &range.last))
			continue;
		snprintf(range.name, sizeof(range.name), "%.60s", line + 2);
		shown |= range.last != 0;
		rc = unc_list_add(m->ctx, &iomem->ranges, &iomem->n, &range, sizeof(range));
	}
	free(text);
	if (rc == 0 && !shown)
		rc = unc_fail(m->ctx, UNC_EPERM,
			      IOMEM " shows no addresses to this process, so that it is not known what lies in memory: "
				    "run as root, with the capability CAP_SYS_ADMIN");
	return rc;
}

/*
 * Buses, reserved areas and functions that no driver has are only names of a place.  Everything else is in use: by the kernel
 * ("PCI MMCONFIG", "IOAPIC 0"), as memory ("System RAM"), or by a driver, which is called after it.
 */
static bool is_place(struct unc_machine *m, const char *name)
{
	static const char *const places[] = {"Reserved", "reserved", "PCI Bus ", "pnp "};
	char path[100], *target;
	struct unc_addr addr;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strncmp(name, places[i], strlen(places[i])) == 0)
			return true;
	if (!unc_addr_parse_pci(name, &addr))
		return false;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", name);
	if (unc_host_link(m->host, path, &target) < 0)
		return true;
	free(target);
	return false;
}

int unc_iomem_is_free(struct unc_machine *m, struct unc_iomem *iomem, const struct unc_addr *addr, const char *own)
{
	uint64_t base = addr->mmio.base, len = addr->mmio.len;
	/* Memory is mapped in pages. */
	uint64_t first = base & ~UINT64_C(0xfff), last = (base + len - 1) | 0xfff;

	if (!iomem->asked) {
		iomem->asked = true;
		iomem->rc = read_iomem(m, iomem);
		snprintf(iomem->why, sizeof(iomem->why), "%s", iomem->rc < 0 ? m->ctx->msg : "");
	}
	if (iomem->rc < 0)
		return unc_fail(m->ctx, iomem->rc, "%s", iomem->why);
	for (size_t i = 0; i < iomem->n; i++) {
		const struct unc_iomem_range *range = &iomem->ranges[i];

		if (range->last < first || range->first > last || is_place(m, range->name) ||
		    (own && strcmp(range->name, own) == 0))
			continue;
		return unc_fail(m->ctx, UNC_EPERM,
				"0x%" PRIx64 " is in \"%s\" (0x%" PRIx64 "-0x%" PRIx64 " of " IOMEM
				"): that is in use, so nothing is touched there",
				base, range->name, range->first, range->last);
	}
	return UNC_OK;
}

/* ---- opening it ---- */

/* Opens a space in memory that nothing else uses. */
static int open_free(struct unc_machine *m, struct unc_iomem *iomem, const struct unc_addr *addr,
		     struct unc_space **ret_space)
{
	struct unc_bus *bus;
	int rc = unc_iomem_is_free(m, iomem, addr, NULL);

	if (rc == 0)
		rc = unc_machine_bus(m, UNC_MMIO, &bus);
	return rc == 0 ? unc_space_open(bus, addr, ret_space) : rc;
}

/*
 * What is not there reads as all ones, and a channel may be switched off: bit 18 of MCMTR.  Bit i of MCDDRTCFG: slot i of two has
 * an Optane module (Linux drivers/edac/i10nm_base.c).
 */
static int is_switched_on(struct unc_box *box, struct unc_iomem *iomem, const struct mode *mode)
{
	uint64_t first = mode->ddrt ? mode->ddrt : mode->mcmtr;
	const struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = first, .len = mode->mcmtr + 4 - first}};
	struct unc_space *space = NULL;
	uint32_t value = 0, modules = 0;
	int rc = open_free(box->machine, iomem, &addr, &space);

	if (rc < 0)
		return rc;
	rc = unc_read32(space, mode->mcmtr - first, &value);
	if (rc == 0 && mode->ddrt)
		rc = unc_read32(space, 0, &modules);
	unc_space_close(space);
	if (rc == 0 && (value == UINT32_MAX || value & UINT32_C(1) << 18))
		box->presence = UNC_ABSENT;
	if (rc == 0 && value == UINT32_MAX)
		rc = unc_fail(box->machine->ctx, UNC_ENODEV,
			      "%s: MCMTR at 0x%" PRIx64 " reads all ones: this channel does not exist here", box->name,
			      mode->mcmtr);
	else if (rc == 0 && value & UINT32_C(1) << 18)
		rc = unc_fail(box->machine->ctx, UNC_ENODEV,
			      "%s: MCMTR at 0x%" PRIx64 " is 0x%08" PRIx32 ": this channel is switched off", box->name,
			      mode->mcmtr, value);
	else if (rc == 0 && modules == UINT32_MAX)
		rc = unc_fail(box->machine->ctx, UNC_EIO,
			      "%s: MCDDRTCFG at 0x%" PRIx64
			      ", which tells of Optane modules, reads all ones, though MCMTR does not",
			      box->name, mode->ddrt);
	if (rc == 0)
		box->pmem = modules & 3;
	return rc;
}

/* A client processor may have one controller where others of its model have two. */
static int is_a_controller(struct unc_box *box, struct unc_space *space, const char *name)
{
	const struct unc_reg *first = &box->unit->regs[0];
	uint32_t low = UINT32_MAX;
	uint64_t value = UINT64_MAX;
	bool narrow = first->bits == 32;
	int rc = narrow ? unc_read32(space, first->off, &low) : unc_read64(space, first->off, &value);

	if (rc < 0 || (narrow ? low != UINT32_MAX : value != UINT64_MAX))
		return rc;
	box->presence = UNC_ABSENT;
	return unc_fail(box->machine->ctx, UNC_ENODEV,
			"%s: %s at %s reads all ones: this controller does not exist here", box->name, first->name,
			name);
}

/* The freeze register has only bits that the map knows; anything else is another device. */
static int is_a_block(struct unc_box *box, struct unc_space *space)
{
	const struct unc_reg *box_ctl = unc_unit_reg(box->unit, "BOX_CTL");
	struct unc_ctx *ctx = box->machine->ctx;
	char name[UNC_ADDR_TEXT];
	uint32_t value;
	int rc = UNC_OK;

	unc_addr_text(&space->addr, name);
	if (box->unit->found >= UNC_WINDOW_MCHBAR)
		rc = is_a_controller(box, space, name);
	if (rc < 0 || !box_ctl)
		return rc;
	rc = unc_read32(space, box_ctl->off, &value);
	if (rc == 0 && value == UINT32_MAX)
		return unc_fail(ctx, UNC_EIO, "%s: BOX_CTL at %s reads all ones: no counters answer there", box->name,
				name);
	if (rc == 0 && value & unc_reg_mask(box_ctl, UNC_RSVD))
		return unc_fail(
			ctx, UNC_EIO,
			"%s: BOX_CTL at %s reads 0x%08" PRIx32
			", with bits that it does not have: what is there are not its counters, so nothing is written",
			box->name, name, value);
	return rc;
}

int unc_window_open(struct unc_box *box, struct unc_iomem *iomem, struct unc_space *function,
		    struct unc_space **ret_space)
{
	struct unc_addr addr = {.kind = UNC_MMIO, .mmio = {.base = 0, .len = unc_window_bytes(box->unit)}};
	struct mode mode = {0};
	int rc = UNC_OK;

	if (function)
		rc = find_window(box, function, &addr, &mode);
	if (rc == 0 && box->unit->box_type >= 0) {
		rc = unc_tables_agree(box, &addr);
		if (rc == UNC_ENODEV)
			box->presence = UNC_ABSENT;
	}
	if (rc < 0)
		return unc_wrap(box->machine->ctx, rc, "%s", box->name);
	if (mode.mcmtr)
		rc = is_switched_on(box, iomem, &mode);
	if (rc == 0)
		rc = open_free(box->machine, iomem, &addr, ret_space);
	if (rc < 0)
		return rc;
	rc = is_a_block(box, *ret_space);
	if (rc < 0)
		unc_space_close(*ret_space);
	return rc;
}
