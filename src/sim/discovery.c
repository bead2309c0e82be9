// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Discovery tables of Sapphire Rapids and later.  A capability (DVSEC) of function 8086:09a7 names one of its BARs; the table there
 * lists the counters of the socket.  Linux arch/x86/events/intel/uncore_discovery.c and drivers/platform/x86/intel/vsec.c, PCM, LIKWID.
 *
 * Made up here: where the function is, where its BAR is, how many slots the table has, and that the first ones are a UBOX and empty.
 */
#include "sim/discovery.h"

/* The header, and the PCIe capability, without which Linux takes 256 bytes for all there is. */
enum { CFG_COMMAND = 0x04, CFG_BAR0 = 0x10, CFG_BAR1 = 0x14, CFG_BAR2 = 0x18, CFG_BAR3 = 0x1c };
enum { CFG_CAPABILITY = 0x34, CFG_PCIE = 0x40 };
enum { HAS_CAPABILITIES = 1 << 20, DECODES = 1 << 1, BAR_64_BITS = 0x4, PCIE_ENDPOINT = 0x00920010 };

/*
 * Two DVSECs, each of four dwords.  The first is of telemetry (id 2) and has no entries; the second is of counters (id 1).  With
 * table=two a third one has another table, in BAR 2; with table=loop the second one leads back to the first.
 */
enum { DVSEC_OTHER = 0x100, DVSEC = 0x110, DVSEC_TWO = 0x120, IN_BAR2 = 2 };
enum { CAP_ID = 0x10023, NEXT_AT = 20, VENDOR = 0x01018086, ID_OTHER = 0x2, ID = 0x18010001 };

/* table=offset: where in its BAR the table begins. */
enum { TABLE_OFFSET = 0x1000 };

static uint32_t table_offset(const struct unc_sim *sim)
{
	return sim->options.table == UNC_SIM_TABLE_OFFSET ? TABLE_OFFSET : 0;
}

uint32_t unc_sim_discovery_read(const struct unc_sim_cycle *cycle)
{
	uint64_t bar = unc_sim_memory_base(cycle->sim, cycle->place->socket) + UNC_SIM_DISCOVERY_AT;
	bool two = cycle->sim->options.table == UNC_SIM_TABLE_TWO;
	uint32_t next = two ? DVSEC_TWO : 0;
	const struct {
		uint32_t off, value;
	} registers[] = {
		{CFG_COMMAND, HAS_CAPABILITIES | (cycle->sim->options.mmio == UNC_SIM_MMIO_OFF ? 0 : DECODES)},
		{CFG_BAR0, (uint32_t)bar | BAR_64_BITS},
		{CFG_BAR1, (uint32_t)(bar >> 32)},
		{CFG_CAPABILITY, CFG_PCIE},
		{CFG_PCIE, PCIE_ENDPOINT},
		{DVSEC_OTHER, CAP_ID | (uint32_t)DVSEC << NEXT_AT},
		{DVSEC_OTHER + 4, VENDOR},
		{DVSEC_OTHER + 8, ID_OTHER},
		{DVSEC, CAP_ID | (cycle->sim->options.table == UNC_SIM_TABLE_LOOP ? DVSEC_OTHER : next) << NEXT_AT},
		{DVSEC + 4, VENDOR},
		{DVSEC + 8, ID},
		{DVSEC + 12, table_offset(cycle->sim)},
		/* The rest is there with table=two only. */
		{CFG_BAR2, (uint32_t)(bar + UNC_SIM_TABLE_BYTES) | BAR_64_BITS},
		{CFG_BAR3, (uint32_t)((bar + UNC_SIM_TABLE_BYTES) >> 32)},
		{DVSEC_TWO, CAP_ID},
		{DVSEC_TWO + 4, VENDOR},
		{DVSEC_TWO + 8, ID},
		{DVSEC_TWO + 12, IN_BAR2},
	};

	for (size_t i = 0; i < UNC_SIM_N(registers) - (two ? 0 : 6); i++)
		if (registers[i].off == cycle->off)
			return registers[i].value;
	return 0;
}

/* ---- the table ---- */

/* Its head is as large as an entry: three qwords of STRIDE; table=stride: of WIDE_STRIDE. */
enum { STRIDE = 8, WIDE_STRIDE = 20, ENTRY_WORDS = 3, UNITS = 64, FIRST_CHANNEL = 2 };
enum { BOX_UBOX = 5, BOX_IMC = 6, BOX_M2M = 7, BOX_HBM = 14, BOX_B2CMI = 16 };
enum { ACCESS_MSR = 0, ACCESS_MMIO = 1, ACCESS_PCI = 2, ACCESS_AT = 62 };

/* MSRs of Sapphire Rapids: the global control, and the UBOX with two counters. */
#define GLOBAL_CTL    UINT64_C(0x2ff0)
#define GLOBAL_STATUS UINT64_C(0x0101) /* one register, one after the control */
#define UBOX_LAYOUT   UINT64_C(0x0000000008300202)
#define UBOX_CTL      UINT64_C(0x2fd0)
/* Four counters of 48 bits at 8 from the unit's control, their controls at 0x40. */
#define IMC_LAYOUT UINT64_C(0x0000000008304004)
/* The same at 0x438 of a function, with controls at 0x468; bit 31 is set, 30:28 are the domain, 27:12 bus, device, function. */
#define M2M_LAYOUT UINT64_C(0x0000000008303004)
#define M2M_AT     UINT64_C(0x80000438)

struct entry {
	uint64_t words[ENTRY_WORDS];
};

/* Returns the nth of the model's channels, and then of its M2Ms; NULL: there is none. *ret_id numbers those of its type. */
static const struct unc_sim_function *channel_at(const struct unc_sim_model *model, unsigned nth, unsigned *ret_id)
{
	unsigned ddr = 0, hbm = 0, n = 0;

	for (size_t i = 0; i < 2 * model->n_functions; i++) {
		bool is_m2m = i >= model->n_functions;
		const struct unc_sim_function *function = &model->functions[is_m2m ? i - model->n_functions : i];

		if (function->kind != (is_m2m ? UNC_SIM_M2M : UNC_SIM_IMC))
			continue;
		*ret_id = function->kind == UNC_SIM_M2M ? function->imc : function->hbm ? hbm++ : ddr++;
		if (n++ == nth)
			return function;
	}
	return NULL;
}

/* The entry of the nth channel, with what is wrong with it; second: it is read in the other table of table=two. */
static struct entry channel_entry(const struct unc_sim_cycle *cycle, unsigned nth, bool second)
{
	const struct unc_sim_model *model = cycle->sim->options.model;
	enum unc_sim_table_fault fault = cycle->sim->options.table;
	uint64_t base = unc_sim_memory_base(cycle->sim, cycle->place->socket), access = ACCESS_MMIO;
	unsigned id = 0, none, slot = nth ^ (fault == UNC_SIM_TABLE_SECOND && cycle->place->socket > 0);
	const struct unc_sim_function *function = channel_at(model, slot, &id);
	struct entry entry = {{0}};

	if (!function || (nth == 1 && fault == UNC_SIM_TABLE_HOLE) ||
	    (fault == UNC_SIM_TABLE_TWO && nth % 2 != (unsigned)second))
		return entry;
	if (nth == 0 && fault == UNC_SIM_TABLE_ACCESS0)
		access = ACCESS_MSR;
	if (nth == 0 && fault == UNC_SIM_TABLE_ACCESS2)
		access = ACCESS_PCI;
	if (function->kind == UNC_SIM_M2M) {
		uint32_t domain, bus = unc_sim_bus(&cycle->sim->options, cycle->place->socket, function->slot, &domain);

		entry.words[0] = M2M_LAYOUT | (uint64_t)ACCESS_PCI << ACCESS_AT;
		entry.words[1] = M2M_AT | (uint64_t)domain << 28 | bus << 20 | (uint32_t)function->dev << 15 |
				 (uint32_t)function->fn << 12;
		entry.words[1] += fault == UNC_SIM_TABLE_DIFFERS ? 0x1000 : 0;
		entry.words[2] = model->memory->kind == UNC_SIM_MEMORY_SINGLE ? BOX_B2CMI : BOX_M2M;
		entry.words[2] |= (uint64_t)id << 16;
		return entry;
	}
	entry.words[0] = IMC_LAYOUT | access << ACCESS_AT;
	entry.words[1] = base + function->at + (fault == UNC_SIM_TABLE_DIFFERS ? 0x1000 : 0);
	entry.words[2] = (function->hbm ? BOX_HBM : BOX_IMC) | (uint64_t)id << 16;
	if (nth == 0 && fault == UNC_SIM_TABLE_RAM)
		entry.words[1] = 0x1000800;
	if (nth == 1 && fault == UNC_SIM_TABLE_OVERLAP)
		entry.words[1] = base + channel_at(model, 0, &none)->at + 0x20;
	if (nth == 1 && fault == UNC_SIM_TABLE_DUPLICATE)
		entry.words[2] &= 0xffff; /* the id of the first one */
	return entry;
}

uint64_t unc_sim_table_read(const struct unc_sim_cycle *cycle)
{
	enum unc_sim_table_fault fault = cycle->sim->options.table;
	uint64_t stride = fault == UNC_SIM_TABLE_STRIDE ? WIDE_STRIDE : STRIDE;
	uint64_t units = fault == UNC_SIM_TABLE_NO_UNITS ? 0 : UNITS;
	uint32_t off = cycle->off % UNC_SIM_TABLE_BYTES - table_offset(cycle->sim);
	uint32_t word = off / 8 % stride, nth = off / 8 / stride;
	bool second = cycle->off >= UNC_SIM_TABLE_BYTES;
	struct entry entry = {{0}};

	if (fault == UNC_SIM_TABLE_ONES)
		return UINT64_MAX;
	if (nth > UNITS || word >= ENTRY_WORDS || (second && fault != UNC_SIM_TABLE_TWO))
		return 0;
	if (nth == 0)
		entry = (struct entry){
			{stride << 8 | units << 16 | (uint64_t)ACCESS_MSR << ACCESS_AT, GLOBAL_CTL, GLOBAL_STATUS}};
	else if (nth == 1 && !second)
		entry = (struct entry){{UBOX_LAYOUT, UBOX_CTL, BOX_UBOX}};
	else if (nth > FIRST_CHANNEL)
		entry = channel_entry(cycle, nth - FIRST_CHANNEL - 1, second);
	/* table=changes: at each time another address is there. */
	if (fault == UNC_SIM_TABLE_CHANGES && nth == FIRST_CHANNEL + 1)
		entry.words[1] += cycle->t_ns % 0x1000 & ~UINT64_C(7);
	return entry.words[word];
}
