// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsers that need no machine. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/cpuid_raw.h"
#include "base/err.h"
#include "base/nearest.h"
#include "catalogue/catalogue.h"
#include "cli/curves.h"
#include "cli/fail_if.h"
#include "cli/number.h"
#include "cli/perfmon.h"
#include "cli/reg.h"
#include "fuzz.h"
#include "machine/tasks.h"
#include "map/check.h"
#include "map/formula.h"
#include "map/metric.h"
#include "../simtruth.h"
#include "xcheck/pmu.h"

static struct unc_ctx *new_ctx(void)
{
	struct unc_ctx *ctx;

	FUZZ_ASSERT(unc_new(&ctx) == 0);
	return ctx;
}

/* ---- maps and metrics: the same text, checked as one that is loaded, then loaded on a machine ---- */

struct one_file { /* a folder of one file, in memory */
	struct unc_files files;
	const char *name, *text;
	size_t len;
};

static int list_one(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n)
{
	const char **names = malloc(sizeof(*names));

	(void)path;
	FUZZ_ASSERT(names);
	names[0] = ((struct one_file *)files)->name;
	*ret_names = names;
	*ret_n = 1;
	return UNC_OK;
}

static int read_one(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		    size_t *ret_len)
{
	const struct one_file *one = (struct one_file *)files;

	(void)path, (void)trust;
	if (one->len > max)
		return UNC_ERANGE;
	*ret_text = fuzz_copy(one->text, one->len);
	if (ret_len)
		*ret_len = one->len;
	return UNC_OK;
}

static void note_nothing(void *arg, const char *file, unsigned line, const char *check, const char *sentence)
{
	(void)arg, (void)file, (void)line, (void)check, (void)sentence;
}

/* Each register that the map names is looked for and decoded. */
static void decode_all(struct unc_machine *m)
{
	for (size_t i = 0; i < unc_box_count(m, NULL); i++) {
		struct unc_box *box = unc_box_at(m, NULL, i);
		struct unc_reg_info reg;

		for (size_t k = 0; unc_box_reg_info(box, k, &reg) == 0; k++) {
			uint64_t value = UINT64_MAX, number;

			unc_box_reg_read(box, k, &value);
			for (size_t f = 0; f < reg.n_fields; f++)
				unc_box_field_value(box, k, f, value, &number);
		}
	}
}

static void open_with(struct unc_ctx *ctx, const char *machine)
{
	const struct unc_machine_cfg cfg = {.machine = machine, .map_dir = "maps"};
	struct unc_machine *m;
	struct unc_event_info event;
	struct unc_metric_info metric;

	if (unc_machine_open(ctx, &cfg, &m) < 0)
		return;
	decode_all(m);
	for (size_t i = 0; unc_event_info(m, "imc", i, &event) == 0; i++)
		;
	for (size_t i = 0; unc_metric_info(m, "imc", i, &metric) == 0; i++)
		;
	FUZZ_ASSERT(unc_machine_close(m) == 0);
}

/* The text is not followed by a zero, as a file that is mapped is not. */
static void run_map(const char *text, size_t size)
{
	struct one_file one = {{list_one, read_one}, "fuzz.yaml", text, size};
	struct unc_ctx *ctx = new_ctx();
	char *exact = malloc(size ? size : 1);
	unsigned loaded, built_in;

	FUZZ_ASSERT(exact);
	memcpy(exact, text, size);
	ctx->files = &one.files;
	if (unc_map_check_text(ctx, "fuzz.yaml", exact, size, false, note_nothing, NULL, &built_in) == 0 &&
	    unc_map_check_text(ctx, "fuzz.yaml", exact, size, true, note_nothing, NULL, &loaded) == 0) {
		if (loaded == 0)
			open_with(ctx, "sim:snbep,clock=step,sockets=1,cores=1");
		if (loaded == 0)
			open_with(ctx, "sim:skx,clock=step,sockets=1,cores=1");
	}
	free(exact);
	unc_free(ctx);
}

/* A value of the formula is that of what explains it, with numbers in the place of names. */
static void run_formula(const char *text, size_t size)
{
	static const char *const names[] = {"a", "b2", "reads", "x_y"};
	static const double values[] = {3, 0, 1e18, 0.25};
	struct unc_formula *formula, *again;
	struct unc_ctx *ctx = new_ctx();
	char explained[4096];
	double value, value_again;

	(void)size;
	if (unc_formula_parse(ctx, text, names, 4, &formula) == 0) {
		int rc = unc_formula_value(formula, values, 0.5, &value);

		for (size_t i = 0; i < 4; i++)
			unc_formula_uses(formula, i);
		if (unc_formula_explain(formula, values, 0.5, explained, sizeof(explained)) &&
		    strlen(explained) <= UNC_FORMULA_MAX && unc_formula_parse(ctx, explained, NULL, 0, &again) == 0) {
			FUZZ_ASSERT(unc_formula_value(again, NULL, 0.5, &value_again) == rc);
			FUZZ_ASSERT(rc < 0 || value == value_again || (value != value && value_again != value_again));
			free(again);
		}
		free(formula);
	}
	unc_free(ctx);
}

/* ---- CPUID dumps ---- */

static void run_cpuid(const char *text, size_t size)
{
	static const uint32_t leaves[] = {0, 1, 4, 7, 0xb, 0xf, 0x10, 0x80000000, 0x8000001d, 0x80000020};
	struct unc_ctx *ctx = new_ctx();
	struct unc_cpuid_dump *dump;
	struct unc_cpuid_regs regs;

	if (unc_cpuid_dump_parse(ctx, "cpuid", text, size, &dump) == 0) {
		unsigned n = unc_cpuid_dump_cpus(dump);

		for (unsigned cpu = 0; cpu <= n && cpu < 4; cpu++)
			for (unsigned i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
				for (uint32_t sub = 0; sub < 3; sub++)
					unc_cpuid_dump_get(ctx, dump, cpu, leaves[i], sub, &regs);
		unc_cpuid_dump_free(dump);
	}
	unc_free(ctx);
}

/* ---- names that people type ---- */

/* A PCI address that is printed is the same address again. */
static void run_address(const char *text)
{
	struct unc_addr addr, again;
	char shown[UNC_ADDR_TEXT];

	if (!unc_addr_parse_pci(text, &addr))
		return;
	FUZZ_ASSERT(unc_addr_parse_pci(unc_addr_text(&addr, shown), &again));
	FUZZ_ASSERT(unc_addr_compare(&addr, &again) == 0);
}

static void run_options(const char *text)
{
	const struct option_given given = {.command = "mem", .option = "-i", .value = text};
	struct fail_ifs ifs = {0};
	uint64_t ns;

	if (option_seconds(&ns, &given) == EXIT_DONE)
		FUZZ_ASSERT(ns >= 1000 && ns <= UINT64_C(1000000000000000));
	fail_if_take(&ifs, &given);
	fail_if_clear(&ifs);
}

static void run_name(const char *text, size_t size)
{
	char complaint[EVENT_LIST_COMPLAINT];
	struct event_list events = {0};
	struct cpu_list cpus = {0};
	struct reg_target target;
	uint64_t number;

	(void)size;
	run_address(text);
	run_options(text);
	reg_target_parse(text, &target);
	amount_of_bytes(text, &number);
	amount_of_rate(text, &number);
	event_list_add(&events, text, complaint);
	event_list_clear(&events);
	if (strlen(text) < 64) /* a list of every CPU, over and over, takes its time */
		cpu_list_add(&cpus, text);
	cpu_list_clear(&cpus);
}

/* What is near is in order, has each name once, and a name that is offered is near itself. */
static void check_nearest(const struct unc_nearest *nearest, bool itself)
{
	char text[UNC_NEAREST_TEXT];

	FUZZ_ASSERT(nearest->n <= UNC_NEAREST_SHOWN && (nearest->n || !itself));
	for (unsigned i = 1; i < nearest->n; i++) {
		FUZZ_ASSERT(nearest->near[i - 1].distance <= nearest->near[i].distance);
		for (unsigned k = 0; k < i; k++)
			FUZZ_ASSERT(strcmp(nearest->near[k].name, nearest->near[i].name) != 0);
	}
	unc_nearest_text(nearest, text);
	FUZZ_ASSERT((nearest->n == 0) == !*text);
	FUZZ_ASSERT(nearest->n == 0 || strstr(text, nearest->near[0].name));
}

/* The first line is what was typed, the others are names. */
static void run_nearest(const char *text, size_t size)
{
	char *copy = fuzz_copy(text, size), *rest = copy, *asked = strsep(&rest, "\n"), *name;
	struct unc_nearest nearest = {.asked = asked};
	bool itself = false;

	while ((name = strsep(&rest, "\n"))) {
		unsigned distance = unc_text_distance(asked, name);

		FUZZ_ASSERT(distance == unc_text_distance(name, asked));
		if (strlen(name) < UNC_NEAREST_NAME && strcmp(asked, name) == 0) {
			FUZZ_ASSERT(distance == 0);
			itself = true;
		}
		unc_nearest_offer(&nearest, name);
	}
	check_nearest(&nearest, itself);
	free(copy);
}

/* ---- what Linux writes ---- */

static void run_kernel(const char *text, size_t size)
{
	static struct unc_cpuset set; /* 8 KiB */
	struct unc_pmu pmu = {.name = "uncore_imc_0"};
	struct unc_proc_stat stat;
	struct unc_pmu_field field;
	struct unc_pmu_code code;
	struct unc_cpu_time time;
	const char *rest = text;
	uint64_t number;
	char *copy = fuzz_copy(text, size);

	if (unc_proc_stat_parse(text, &stat))
		unc_proc_ended(&stat);
	unc_cpuset_of_list(text, &set);
	unc_proc_status_cpus(text, &set);
	while (unc_proc_next_cpu_time(&rest, &number, &time))
		FUZZ_ASSERT(time.told && time.busy <= time.total);
	rest = text;
	while (unc_proc_next_number(&rest, &number))
		;
	if (unc_pmu_field_parse(text, &field)) {
		pmu.fields = &field;
		pmu.n_fields = 1;
		snprintf(field.name, sizeof(field.name), "event");
	}
	unc_pmu_code_parse(&pmu, copy, &code);
	free(copy);
}

/* ---- files of the commands ---- */

/* An event of the list names itself, and its encoding is text. */
static void run_perfmon(const char *text, size_t size)
{
	struct one_file one = {{list_one, read_one}, "perfmon.json", text, size};
	struct unc_ctx *ctx = new_ctx();
	struct perfmon perfmon;
	char encoding[200];

	ctx->files = &one.files;
	if (perfmon_read(ctx, "perfmon.json", &perfmon) == 0) {
		for (size_t i = 0; i < perfmon.n_events; i++) {
			perfmon_encoding(&perfmon.events[i], encoding, sizeof(encoding));
			FUZZ_ASSERT(perfmon_is_named(&perfmon.events[i], perfmon.events[i].name));
			FUZZ_ASSERT(perfmon_find(&perfmon, perfmon.events[i].name));
		}
		perfmon_clear(&perfmon);
	}
	unc_free(ctx);
}

static void check_row(const struct curves *curves)
{
	FUZZ_ASSERT(curves->place < curves->n_places && curves->n_quantities <= CURVES_QUANTITIES);
	for (size_t i = 0; i < curves->n_quantities; i++)
		FUZZ_ASSERT(curves_unit(curves, &curves->places[curves->place], i));
}

static void run_dump(const char *text, size_t size)
{
	const struct globals globals = {.no_sandbox = true};
	struct curves curves;

	fuzz_folder_begin();
	fuzz_folder_write("dump", text, size);
	if (size < 10 || memcmp(text, "uncorectl-", 10) != 0) { /* a record would be replayed by another process */
		if (series_open(&curves.series, &globals, "diff", "dump") == EXIT_DONE)
			while (series_next(&curves.series))
				FUZZ_ASSERT(curves.series.n_columns > 0);
		series_close(&curves.series);
		if (curves_open(&curves, &globals, "diff", "dump") == EXIT_DONE)
			while (curves_next(&curves))
				check_row(&curves);
		curves_close(&curves);
	}
	fuzz_folder_end();
}

static void run_load(const char *text, size_t size)
{
	struct unc_ctx *ctx = new_ctx();
	struct unc_host *host;
	struct unc_sim_channel channel;

	fuzz_folder_begin();
	fuzz_folder_write("load", text, size);
	if (unc_sim_open(ctx, "snbep,clock=step,sockets=1,cores=2,load=load", -1, &host) == 0) {
		uint64_t reads = 0, writes = 0, before;

		/* Time goes on, and what happened never becomes less. */
		for (unsigned i = 0; i < 4; i++) {
			before = reads;
			FUZZ_ASSERT(unc_sim_channel(host, 0, &channel) == 0);
			FUZZ_ASSERT(unc_sim_truth_bytes_at(host, &channel.addr, UNC_SIM_NOW, &reads, &writes) == 0);
			FUZZ_ASSERT(reads >= before);
			FUZZ_ASSERT(unc_sim_step(host, UINT64_C(1) << (10 * i + 10), false) == 0);
		}
		unc_host_close(host);
	}
	fuzz_folder_end();
	unc_free(ctx);
}

/* What can be counted is in the area, and each counter is one event's alone. */
static void run_catalogue(const char *text, size_t size)
{
	struct unc_ctx *ctx = new_ctx();
	struct unc_map *map;
	size_t len;
	char *tree;

	if (unc_catalogue_unpack(ctx, "catalogue", text, size, 0, &tree, &len) == 0 &&
	    unc_catalogue_parse(ctx, "catalogue", tree, len, &map) == 0) {
		for (size_t u = 0; u < map->n_units; u++) {
			const struct unc_unit *unit = &map->units[u];

			/* A unit that is reached has the status of its chip, too. */
			FUZZ_ASSERT(unc_map_unit(map, unit->name) &&
				    unit->n_regs == unit->n_events + (unit->n_instances > 0));
			for (size_t i = 0; i < unit->n_events; i++)
				FUZZ_ASSERT(unit->events[i].refused || unit->regs[i].off <= 4096 - 8);
		}
		unc_map_free(map);
	}
	unc_free(ctx);
}

const struct fuzz_target fuzz_texts[] = {
	{"map", run_map},         {"formula", run_formula},     {"cpuid", run_cpuid}, {"name", run_name},
	{"kernel", run_kernel},   {"perfmon", run_perfmon},     {"dump", run_dump},   {"load", run_load},
	{"nearest", run_nearest}, {"catalogue", run_catalogue}, {NULL, NULL},
};
