// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of the driver of sim/perf.h: Linux 6.1, Documentation/ABI/testing/sysfs-bus-event_source-devices-*, and
 * arch/x86/events/intel/uncore.c. As there, files of events do not end with a newline, and the others do.
 */

#include "sim/kernel_files.h"
#include "sim/perf.h"

#define DEVICES  "/sys/bus/event_source/devices"
#define REAL     "/sys/devices" /* where the links in DEVICES lead */
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define ALIAS    "/alias" /* of a PMU whose unit is in a discovery table, if the driver knows the processor */

enum { PARANOID_DEFAULT = 2 };

/* The size of a CAS, 64 bytes, in MiB. */
#define CAS_SCALE "6.103515625e-5"

static const struct file {
	const char *path; /* below the folder of a PMU */
	const char *text; /* NULL: generated */
	size_t at;        /* of the text in struct unc_sim_perf_part; 0: it is not there */
} files[] = {
	{"/type", NULL, 0},
	{"/cpumask", NULL, 0},
	{ALIAS, NULL, 0},
	{"/perf_event_mux_interval_ms", "4\n", 0},
	{"/format/event", "config:0-7\n", 0},
	{"/format/umask", "config:8-15\n", 0},
	{"/format/edge", "config:18\n", 0},
	{"/format/inv", "config:23\n", 0},
	{"/format/thresh", "config:24-31\n", 0},
	{"/events/clockticks", NULL, offsetof(struct unc_sim_perf_part, clock)},
	{"/events/cas_count_read", NULL, offsetof(struct unc_sim_perf_part, reads)},
	{"/events/cas_count_read.scale", CAS_SCALE, 0},
	{"/events/cas_count_read.unit", "MiB", 0},
	{"/events/cas_count_write", NULL, offsetof(struct unc_sim_perf_part, writes)},
	{"/events/cas_count_write.scale", CAS_SCALE, 0},
	{"/events/cas_count_write.unit", "MiB", 0},
};

/*
 * Which channel is PMU number N: tables of PCI functions in Linux 6.1, arch/x86/events/intel/uncore_snbep.c. A PMU
 * exists only if a package of the machine has a channel of its number.
 */

/* clang-format off */
static const struct {
	uint16_t device_id;
	uint8_t number;
} by_id[] = {
	{0x3cb0, 0}, {0x3cb1, 1}, {0x3cb4, 2}, {0x3cb5, 3}, /* Sandy Bridge-EP */
	{0x0eb4, 0}, {0x0eb5, 1}, {0x0eb0, 2}, {0x0eb1, 3}, /* Ivy Bridge-EP */
	{0x0ef4, 4}, {0x0ef5, 5}, {0x0ef0, 6}, {0x0ef1, 7},
	{0x2fb0, 0}, {0x2fb1, 1}, {0x2fb4, 2}, {0x2fb5, 3}, /* Haswell-EP */
	{0x2fd0, 4}, {0x2fd1, 5}, {0x2fd4, 6}, {0x2fd5, 7},
	{0x6fb0, 0}, {0x6fb1, 1}, {0x6fb4, 2}, {0x6fb5, 3}, /* Broadwell-EP, -DE */
	{0x6fd0, 4}, {0x6fd1, 5}, {0x6fd4, 6}, {0x6fd5, 7},
};

/* Skylake-SP, where two functions have the same id. */
static const struct {
	uint8_t dev, fn, number;
} by_slot[] = {
	{0x0a, 2, 0}, {0x0a, 6, 1}, {0x0b, 2, 2}, {0x0c, 2, 3}, {0x0c, 6, 4}, {0x0d, 2, 5},
};
/* clang-format on */

int unc_sim_perf_number(const struct unc_sim *sim, const struct unc_sim_place *place)
{
	/* In memory: three to a controller of Ice Lake, of which the third may not exist; later, box_id of tables. */
	static const unsigned of_imc[] = {
		[UNC_SIM_MEMORY_LAKE] = 3, [UNC_SIM_MEMORY_PAIRS] = 2, [UNC_SIM_MEMORY_SINGLE] = 1};
	const struct unc_sim_model *model = sim->options.model;
	const struct unc_sim_function *function = place->function;
	bool by_fn = model->on & UNC_SIM_ON_SKYLAKES;

	/* The driver does not find what reads all ones while the machine starts. */
	if (function->kind != UNC_SIM_IMC || (model->memory && model->memory->always) || place->hidden ||
	    (place->gone && !place->gone->from_ns))
		return -1;
	if (function->hbm) /* its controllers come after the four others */
		return (int)(UNC_SIM_PERF_HBM + (function->imc - 4) * 2 + function->channel);
	if (sim->options.perf.ordered)
		return (int)sim->options.perf.order[place->channel % (sim->load.n_channels / sim->options.sockets)];
	if (model->memory)
		return (int)(function->imc * of_imc[model->memory->kind] + function->channel);
	for (size_t i = 0; by_fn && i < UNC_SIM_N(by_slot); i++)
		if (by_slot[i].dev == function->dev && by_slot[i].fn == function->fn)
			return by_slot[i].number;
	for (size_t i = 0; !by_fn && i < UNC_SIM_N(by_id); i++)
		if (by_id[i].device_id == function->device_id)
			return by_id[i].number;
	return -1;
}

uint64_t unc_sim_perf_numbers(const struct unc_sim *sim)
{
	uint64_t numbers = 0;

	for (size_t i = 0; i < sim->n_places; i++) {
		int number = unc_sim_perf_number(sim, &sim->places[i]);

		if (number >= 0 && number < UNC_SIM_PERF_NUMBERS)
			numbers |= UINT64_C(1) << number;
	}
	return numbers;
}

/* Writes the CPUs that count events, the lowest one of each package. */
static void cpumask(const struct unc_sim *sim, char *buf, size_t size)
{
	struct unc_sim_cpu_set cpus = {{0}};
	bool has_one[UNC_SIM_SOCKETS_MAX] = {false};

	for (size_t i = 0; i < sim->n_cpus; i++) {
		if (!sim->cpus[i].online || has_one[sim->cpus[i].package])
			continue;
		has_one[sim->cpus[i].package] = true;
		cpus.has[i / 64] |= UINT64_C(1) << i % 64;
	}
	unc_sim_cpu_list(&cpus, buf, size);
}

/* ev_sel 7:0, umask 15:8, edge 18, invert 23, thresh 31:24; Ivy Bridge-EP has no invert */
#define ALL       UINT32_C(0xff84ffff)
#define NO_INVERT UINT32_C(0xff04ffff)

#define KNOWN   "uncore_imc_"
#define UNKNOWN "uncore_type_6_" /* by the number of a unit's type in discovery tables */

#define FIXED   "event=0xff,umask=0x00"
#define GENERAL "event=0x00,umask=0x00"
#define LATER   "event=0x01,umask=0x00" /* which is HCLK */
#define READS   "event=0x04,umask=0x03"
#define WRITES  "event=0x04,umask=0x0c"

#define ICX_READS  "event=0x04,umask=0x0f"
#define ICX_WRITES "event=0x04,umask=0x30"
#define SPR_READS  "event=0x05,umask=0xcf"
#define SPR_WRITES "event=0x05,umask=0xf0"

/* The freeze bit of BOX_CTL, and the enable bit of a control. */
#define FRZ UINT32_C(0x100)
#define EN  UINT32_C(0x400000)

/* clang-format off */
static const struct {
	unsigned on; /* bits of enum unc_sim_on */
	struct unc_sim_perf_part part; /* box_ctl: both resets, and bit 16 is frz_en */
} parts[] = {
	{UNC_SIM_ON_SNBEP,      {0x10003, ALL, KNOWN, FIXED, READS, WRITES, FRZ, EN, "snbep_uncore"}},
	{UNC_SIM_ON_IVT,        {0x00003, NO_INVERT, KNOWN, FIXED, READS, WRITES, FRZ, EN, "ivbep_uncore"}},
	{UNC_SIM_ON_HSX,        {0x10003, ALL, KNOWN, GENERAL, READS, WRITES, FRZ, EN, "hswep_uncore"}},
	{UNC_SIM_ON_BROADWELLS, {0x10003, ALL, KNOWN, GENERAL, READS, WRITES, FRZ, EN, "bdx_uncore"}},
	{UNC_SIM_ON_SKYLAKES,   {0x00003, ALL, KNOWN, GENERAL, READS, WRITES, FRZ, EN, "skx_uncore"}},
	{UNC_SIM_ON_ICX,        {0x00003, ALL, KNOWN, GENERAL, ICX_READS, ICX_WRITES, FRZ, EN, NULL}},
	{UNC_SIM_ON_SPR,        {0x00300, ALL, KNOWN, LATER, SPR_READS, SPR_WRITES, 1, 0, NULL}},
	{UNC_SIM_ON_GNR,        {0x00300, ALL, UNKNOWN, NULL, NULL, NULL, 1, 0, NULL}},
};
/* clang-format on */

struct unc_sim_perf_part unc_sim_perf_part(const struct unc_sim *sim)
{
	struct unc_sim_perf_part part = parts[0].part;

	for (size_t i = 0; i < UNC_SIM_N(parts); i++)
		if (parts[i].on & sim->options.model->on)
			part = parts[i].part;
	if (sim->options.perf.masked)
		part.mask = sim->options.perf.mask;
	return part;
}

/* Linux 6.1 knows channels in HBM only by their type in discovery tables. */
const char *unc_sim_perf_name(const struct unc_sim *sim, unsigned number, char buf[UNC_SIM_PERF_NAME])
{
	bool hbm = number >= UNC_SIM_PERF_HBM;

	snprintf(buf, UNC_SIM_PERF_NAME, "%s%u", hbm ? "uncore_type_14_" : unc_sim_perf_part(sim).pmu,
		 hbm ? number - UNC_SIM_PERF_HBM : number);
	return buf;
}

void unc_sim_perf_files(const struct unc_sim *sim, struct unc_sim_asked *asked)
{
	static const char *const roots[] = {DEVICES, REAL};
	const struct unc_sim_perf_options *perf = &sim->options.perf;
	const struct unc_sim_perf_part part = unc_sim_perf_part(sim);
	uint64_t numbers = unc_sim_perf_numbers(sim);
	char name[UNC_SIM_PERF_NAME];

	for (size_t i = 0; i < UNC_SIM_N(roots) && perf->on; i++) {
		/* Folders above are not the driver's. */
		if (strncmp(asked->path, roots[i], strlen(roots[i])) != 0)
			continue;
		unc_sim_asks(asked, "%s/", roots[i]);
		for (unsigned k = 0; k < UNC_SIM_PERF_NUMBERS * UNC_SIM_N(files); k++) {
			const struct file *file = &files[k % UNC_SIM_N(files)];
			unsigned number = k / (unsigned)UNC_SIM_N(files);
			bool known = part.clock && number < UNC_SIM_PERF_HBM;

			if (!(numbers >> number & 1) || (!known && !strncmp(file->path, "/events", strlen("/events"))))
				continue;
			if (!strcmp(file->path, ALIAS) && !(known && sim->options.model->on & UNC_SIM_ON_SPR))
				continue;
			if (!unc_sim_asks(asked, "%s/%s%s", roots[i], unc_sim_perf_name(sim, number, name), file->path))
				continue;
			if (!strcmp(file->path, "/type"))
				snprintf(asked->text, asked->size, "%u\n", UNC_SIM_PERF_TYPE + number);
			else if (!strcmp(file->path, "/cpumask"))
				cpumask(sim, asked->text, asked->size);
			else if (!strcmp(file->path, ALIAS))
				snprintf(asked->text, asked->size, UNKNOWN "%u\n", number);
			else
				snprintf(asked->text, asked->size, "%s",
					 file->at ? *(const char *const *)((const char *)&part + file->at)
						  : file->text);
		}
	}
	if (perf->on && asked->size && unc_sim_asks(asked, PARANOID))
		snprintf(asked->text, asked->size, "%d\n", perf->suspicious ? (int)perf->paranoid : PARANOID_DEFAULT);
}

void unc_sim_perf_links(const struct unc_sim *sim, struct unc_sim_asked *asked)
{
	const struct unc_sim_perf_part part = unc_sim_perf_part(sim);
	uint64_t numbers = sim->options.perf.on ? unc_sim_perf_numbers(sim) : 0;
	char name[UNC_ADDR_TEXT], pmu[UNC_SIM_PERF_NAME];

	/* Of a function that the driver has found. */
	for (const struct unc_sim_place *place = sim->places; numbers && place < sim->places + sim->n_places; place++)
		if (place->addr.kind == UNC_PCI && unc_sim_perf_number(sim, place) >= 0 &&
		    unc_sim_asks(asked, "/sys/bus/pci/devices/%s/driver", unc_addr_text(&place->addr, name)))
			snprintf(asked->text, asked->size, "../../../bus/pci/drivers/%s", part.driver);
	for (unsigned number = 0; number < UNC_SIM_PERF_NUMBERS; number++)
		if (numbers >> number & 1 && unc_sim_asks(asked, DEVICES "/%s", unc_sim_perf_name(sim, number, pmu)))
			snprintf(asked->text, asked->size, "../../../devices/%s", pmu);
}

/* The driver learns from the UBOX which package a channel belongs to. */
const struct unc_sim_place *unc_sim_perf_place(const struct unc_sim *sim, unsigned number, unsigned package)
{
	for (size_t i = 0; i < sim->n_places; i++)
		if (unc_sim_perf_number(sim, &sim->places[i]) == (int)number &&
		    sim->ubox_reports[sim->places[i].socket] == package)
			return &sim->places[i];
	return NULL;
}
