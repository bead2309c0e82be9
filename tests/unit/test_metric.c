// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics as a machine has them: from files, with the events of its map, worked out. */
#define _GNU_SOURCE
#include "map/metric.h"

#include "onsim.h"
#include "regs.h"
#include "test.h"
#include "tree.h"
#include "uncore/event.h"

/* A machine, and a folder of files for --regs, which is given where there is one in it. */
static struct {
	struct unc_ctx *ctx;
	struct unc_machine *m;
	struct tree folder;
	bool has_files;
} d;

static void begin(void)
{
	d.folder = tree_new();
	d.has_files = false;
	CU_ASSERT_EQUAL_FATAL(unc_new(&d.ctx), 0);
}

static void end(void)
{
	CU_ASSERT_EQUAL(unc_machine_close(d.m), 0);
	d.m = NULL;
	unc_free(d.ctx);
	tree_remove(&d.folder);
}

EACH(begin, end)

static void anew(void)
{
	end();
	begin();
}

static void add(const char *name, const char *text)
{
	tree_text(&d.folder, name, text);
	d.has_files = true;
}

static int try_open(const char *machine)
{
	struct unc_machine_cfg cfg = {.machine = machine, .map_dir = d.has_files ? d.folder.root : NULL};

	return unc_machine_open(d.ctx, &cfg, &d.m);
}

static void open_snbep(void)
{
	OK(&d, try_open("sim:snbep,sockets=1"));
}

/* Another, with metrics of its own. */
static void open_with(const char *metrics)
{
	anew();
	add("own.yaml", metrics);
	open_snbep();
}

#define HEAD "format: uncorectl-metrics/1\nunit: imc\nsources: {man: a manual}\nmetrics:\n"
#define METRIC(name, formula, events)                                                                                  \
	"  " name ":\n    is: a figure\n    formula: " formula                                                         \
	"\n    in: pieces\n    adds: false\n    events: " events "\n    src: man\n"

static size_t number_of(const char *name)
{
	size_t number = 0;

	CU_ASSERT_EQUAL_FATAL(unc_metric_find(d.m, "imc", name, &number), 0);
	return number;
}

TEST(built_in_metrics_are_listed)
{
	struct unc_metric_info info;
	size_t n;

	open_snbep();
	n = unc_metric_count(d.m, "imc");
	CU_ASSERT_TRUE(n > 20);
	for (size_t i = 0; i < n; i++) {
		size_t again = n;

		CU_ASSERT_EQUAL(unc_metric_info(d.m, "imc", i, &info), 0);
		CU_ASSERT_EQUAL(unc_metric_find(d.m, "imc", info.name, &again), 0);
		CU_ASSERT_EQUAL(again, i);
	}
	CU_ASSERT_EQUAL(unc_metric_info(d.m, "imc", n, &info), UNC_ENOREG);
	CU_ASSERT_EQUAL(unc_metric_find(d.m, "imc", "nothing", &n), UNC_ENOREG);
	CU_ASSERT_EQUAL(unc_metric_count(d.m, "ubox"), 0);
	CU_ASSERT_EQUAL(unc_metric_count(d.m, "nothing"), 0);
}

/* The formulas of the sources, section by section typed again: counts 1000, 600, 50, 20, 7 of the metric's events, half a second. */
static const struct {
	const char *model; /* NULL: that of the row above */
	const char *name;
	const char *events; /* in the order of the counts */
	bool adds;
	double value;
} formulas[] = {
	{"snbep", "read_bandwidth", "cas_count.rd", true, 1000 * 64 / 0.5},
	{NULL, "write_bandwidth", "cas_count.wr", true, 1000 * 64 / 0.5},
	{NULL, "total_bandwidth", "cas_count.rd cas_count.wr", true, 1600 * 64 / 0.5},
	{NULL, "page_hit", "act_count cas_count.rd cas_count.wr", false, 100 - 100 * 1000 / 650.0},
	{NULL, "page_empty", "act_count pre_count.page_miss cas_count.rd cas_count.wr", false,
	 100 * (1000 - 600) / 70.0},
	{NULL, "page_miss", "pre_count.page_miss cas_count.rd cas_count.wr", false, 100 * 1000 / 650.0},
	{NULL, "read_queue_latency_dclk", "rpq_occupancy rpq_inserts", false, 1000 / 600.0},
	{NULL, "read_queue_latency", "rpq_occupancy rpq_inserts dclk", false, 1000 / 600.0 * (0.5 / 50 * 1e9)},
	{NULL, "write_queue_latency_dclk", "wpq_occupancy wpq_inserts", false, 1000 / 600.0},
	{NULL, "write_queue_latency", "wpq_occupancy wpq_inserts dclk", false, 1000 / 600.0 * (0.5 / 50 * 1e9)},
	{NULL, "bus_utilisation", "cas_count.rd cas_count.wr dclk", false, 1600 * 4 / 50.0 * 100},
	{NULL, "read_requests", "rpq_inserts wpq_inserts", false, 62.5},
	{NULL, "partial_writes", "cas_count.rd_underfill cas_count.wr", false, 100 / 0.6},
	{NULL, "dclk_frequency", "dclk", false, 0.002},
	{NULL, "power_down", "power_channel_ppd dclk", false, 100 / 0.6},
	{NULL, "dll_off", "power_channel_dlloff dclk", false, 100 / 0.6},
	{NULL, "self_refresh", "power_self_refresh dclk", false, 100 / 0.6},
	{NULL, "critical_throttle", "power_critical_throttle_cycles dclk", false, 100 / 0.6},
	{NULL, "cke_on.rank0", "power_cke_cycles.rank0 dclk", false, 100 / 0.6},
	{NULL, "cke_off.rank7", "power_cke_cycles.rank7 dclk", false, 100 - 100 / 0.6},
	{NULL, "throttled.rank3", "power_throttle_cycles.rank3 dclk", false, 100 / 0.6},
	{"icx", "page_miss", "pre_count.page_miss cas_count.rd cas_count.wr", false, 100 * 1000 / 650.0},
	{NULL, "read_queue_latency",
	 "rpq_occupancy_pch0 rpq_occupancy_pch1 rpq_inserts.pch0 rpq_inserts.pch1 hclockticks", false,
	 1600 / 70.0 * (0.5 / 14 * 1e9)},
	{NULL, "write_queue_latency",
	 "wpq_occupancy_pch0 wpq_occupancy_pch1 wpq_inserts.pch0 wpq_inserts.pch1 hclockticks", false,
	 1600 / 70.0 * (0.5 / 14 * 1e9)},
	{NULL, "partial_writes", "cas_count.rd_underfill_all cas_count.wr", false, 100 / 0.6},
	{NULL, "pmem_read_rate", "pmm_rpq_inserts", true, 1000 * 64 / 0.5},
	{NULL, "pmem_write_rate", "pmm_wpq_inserts", true, 1000 * 64 / 0.5},
	{NULL, "throttled.slot1", "power_throttle_cycles.slot1 clockticks", false, 100 / 0.6},
	{NULL, "critical_throttle.slot0", "power_crit_throttle_cycles.slot0 clockticks", false, 100 / 0.6},
	{"spr", "bus_utilisation", "cas_count.rd cas_count.wr clockticks", false, 1600 * 4 / (2 * 50.0) * 100},
	{NULL, "partial_writes", "cas_count.rd_underfill_all cas_count.wr", false, 100 / 0.6},
	{"gnr", "partial_writes",
	 "cas_count_sch0.rd_underfill_all cas_count_sch1.rd_underfill_all cas_count_sch0.wr cas_count_sch1.wr", false,
	 100 * 1600 / 70.0},
	{NULL, "power_down", "power_channel_ppd_cycles clockticks", false, 100 / 0.6},
	{NULL, "self_refresh", "self_refresh.enter_success_cycles clockticks", false, 100 / 0.6},
	{NULL, "critical_throttle.slot1", "power_critical_throttle_cycles.slot1 clockticks", false, 100 / 0.6},
};

TEST(built_in_metrics_have_the_values_of_their_sources)
{
	static const double counts[] = {1000, 600, 50, 20, 7};

	for (size_t i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++) {
		struct unc_metric_info info = {0};
		char machine[40], events[200] = "";
		double value = -1;
		size_t metric;

		if (formulas[i].model) {
			anew();
			snprintf(machine, sizeof(machine), "sim:%s,sockets=1", formulas[i].model);
			OK(&d, try_open(machine));
		}
		metric = number_of(formulas[i].name);
		CU_ASSERT_EQUAL(unc_metric_info(d.m, "imc", metric, &info), 0);
		CU_ASSERT_PTR_NULL(info.lacks);
		CU_ASSERT_EQUAL(info.adds, formulas[i].adds);
		for (size_t k = 0; k < info.n_events; k++) {
			struct unc_metric_event event;

			CU_ASSERT_EQUAL(unc_metric_event(d.m, "imc", metric, k, &event), 0);
			snprintf(events + strlen(events), sizeof(events) - strlen(events), "%s%s", k ? " " : "",
				 event.event);
		}
		SAME(events, formulas[i].events);
		CU_ASSERT_EQUAL(unc_metric_value(d.m, "imc", metric, counts, 0.5, &value), 0);
		CU_ASSERT_DOUBLE_EQUAL(value, formulas[i].value, formulas[i].value * 1e-12 + 1e-12);
	}
}

/* No name in a file of metrics but of events that some map has. */
static void is_in_some_map(const char *metric, const char *event)
{
	int len = (int)strcspn(event, "["), digit = (int)strcspn(event, "0123456789[");
	char key[100], family[100], also[100];

	snprintf(key, sizeof(key), "\n  %.*s", len, event);
	snprintf(also, sizeof(also), "also: [%.*s]", len, event);
	snprintf(family, sizeof(family), "\n  %.*s[0-", digit, event);
	for (size_t i = 0; i < unc_n_maps_built_in; i++) {
		const char *text = unc_maps_built_in[i].text;

		if (!strstr(text, "\nformat: uncorectl-regs/"))
			continue;
		if (strstr(text, key) || strstr(text, also) || (digit < len && strstr(text, family)))
			return;
	}
	printf("\n    %s: no map has %s\n", metric, event);
	CU_FAIL("an event that no map has");
}

TEST(events_of_built_in_metrics_are_in_some_map)
{
	static const char *const files[] = {"imc-bandwidth", "imc-metrics", "zen-umc-metrics", "zen-df-metrics",
					    "zen-l3-metrics"};
	struct unc_ctx ctx = {.msg = ""};

	for (size_t i = 0; i < REGS_N(files); i++) {
		const struct unc_map_text *file = unc_map_built_in(files[i]);
		struct unc_yaml *root;

		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		CU_ASSERT_EQUAL_FATAL(unc_yaml_parse(&ctx, file->name, file->text, file->len, &root), 0);
		for (const struct unc_yaml *m = unc_yaml_get(root, "metrics")->child; m; m = m->next)
			for (const struct unc_yaml *e = unc_yaml_get(m, "events")->child; e; e = e->next)
				if (e->text)
					is_in_some_map(m->key, e->text);
				else
					for (const struct unc_yaml *c = e->child; c; c = c->next)
						is_in_some_map(m->key, c->text);
		unc_yaml_free(root);
	}
}

#define SLOTS " throttled.slot0 throttled.slot1 critical_throttle.slot0 critical_throttle.slot1"
#define RANKS                                                                                                          \
	" cke_on.rank0 cke_on.rank1 cke_on.rank2 cke_on.rank3 cke_on.rank4 cke_on.rank5 cke_on.rank6 cke_on.rank7"     \
	" cke_off.rank0 cke_off.rank1 cke_off.rank2 cke_off.rank3 cke_off.rank4 cke_off.rank5 cke_off.rank6 "          \
	"cke_off.rank7"
#define PMEM    " pmem_read_rate pmem_write_rate"
#define LATENCY " read_queue_latency_dclk read_queue_latency write_queue_latency_dclk write_queue_latency"
#define THROTTLED                                                                                                      \
	" throttled.rank0 throttled.rank1 throttled.rank2 throttled.rank3 throttled.rank4 throttled.rank5 "            \
	"throttled.rank6"                                                                                              \
	" throttled.rank7"

/* Every CPU that has memory channels, and which metrics it lacks: registers.md, sections 2.10 and 13; mmio.md, sections 5.2 and 6. */
static const struct part {
	const char *title;
	unsigned model, stepping;
	const char *lacks;
} parts[] = {
	{"Sandy Bridge-EP", 0x2d, 7, PMEM SLOTS},
	{"Ivy Bridge-EP", 0x3e, 4, PMEM LATENCY SLOTS},
	{"Haswell-EP", 0x3f, 2, PMEM " read_requests" LATENCY SLOTS},
	{"Broadwell-EP", 0x4f, 1, PMEM " read_requests" LATENCY SLOTS},
	{"Broadwell-DE", 0x56, 2, PMEM " read_requests" LATENCY SLOTS},
	{"Skylake-SP", 0x55, 4, PMEM SLOTS},
	{"Cascade Lake", 0x55, 7, SLOTS},
	{"Cooper Lake", 0x55, 11, SLOTS},
	{"Ice Lake-SP", 0x6a, 6, " dll_off" RANKS THROTTLED " critical_throttle"},
	{"Snow Ridge", 0x86, 5, PMEM " dll_off" RANKS THROTTLED " critical_throttle"},
	{"Sapphire Rapids", 0x8f, 8,
	 " dclk_frequency read_queue_latency write_queue_latency dll_off" RANKS THROTTLED " critical_throttle"},
	{"Granite Rapids", 0xad, 1,
	 PMEM " dclk_frequency page_empty read_queue_latency_dclk read_queue_latency write_queue_latency_dclk "
	      "write_queue_latency"
	      " dll_off" RANKS THROTTLED " throttled.slot0 throttled.slot1 critical_throttle"},
};

/* And so that no metric ever needs to take turns with itself, none needs more counters than there are. */
TEST(each_part_has_the_metrics_that_its_events_and_counters_allow)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct unc_map *map = regs_map(parts[i].model, parts[i].stepping);
		const struct unc_unit *imc = unc_map_unit(map, "imc");
		char lacks[800] = "", wanted[800];

		OK(&d, unc_map_metrics(d.ctx, map));
		CU_ASSERT_PTR_NOT_NULL_FATAL(imc);
		for (size_t k = 0; k < map->n_metrics; k++) {
			const struct unc_metric *metric = &map->metrics[k];
			unsigned n = 0;

			if (strcmp(metric->unit, "imc") != 0)
				continue;
			for (size_t e = 0; e < metric->n_inputs; e++)
				n += metric->inputs[e].event && !metric->inputs[e].event->fixed;
			CU_ASSERT_TRUE(n <= unc_unit_reg(imc, "CTL")->count);
			CU_ASSERT_TRUE(metric->n_inputs <= n + 1 || metric->lacks);
			if (!metric->lacks || metric->instead_of)
				continue;
			snprintf(lacks + strlen(lacks), sizeof(lacks) - strlen(lacks), " %s", metric->name);
			HAS(metric->lacks, " has no event ");
		}
		/* All lack the one that compares with AMD's data fabric, which comes last. */
		snprintf(wanted, sizeof(wanted), "%s df_over_umc", parts[i].lacks);
		SAME(lacks, wanted);
		unc_map_free(map);
	}
}

TEST(a_folder_adds_metrics_and_replaces_built_in_ones)
{
	static const double counts[] = {40, 8};
	struct unc_metric_info info;
	double value;
	size_t before;

	open_snbep();
	before = unc_metric_count(d.m, "imc");
	open_with(HEAD METRIC("page_hit", "2 * x", "{x: act_count}")
			  METRIC("refresh.rank[2-3]", "x / y", "{x: \"power_cke_cycles.rank[2-3]\", y: dclk}"));
	CU_ASSERT_EQUAL(unc_metric_count(d.m, "imc"), before + 2);
	CU_ASSERT_EQUAL(unc_metric_info(d.m, "imc", number_of("page_hit"), &info), 0);
	CU_ASSERT_STRING_EQUAL(info.formula, "2 * x");
	CU_ASSERT_STRING_EQUAL(info.unit, "pieces");
	CU_ASSERT_EQUAL(unc_metric_value(d.m, "imc", number_of("refresh.rank3"), counts, 1, &value), 0);
	CU_ASSERT_EQUAL(value, 5);
	CU_ASSERT_EQUAL(unc_metric_find(d.m, "imc", "refresh.rank4", &before), UNC_ENOREG);
}

TEST(what_the_map_lacks_is_told)
{
	static const struct {
		const char *events, *lacks;
	} table[] = {
		{"{x: dclk, y: nothing}", "Sandy Bridge-EP has no event nothing"},
		{"{x: [nothing, not.this], y: dclk}", "Sandy Bridge-EP has no event nothing or not.this"},
		{"{x: nothing, y: [a, b]}", "Sandy Bridge-EP has no event nothing, and no event a or b"},
		{"{x: [nothing, dclk], y: act_count}", NULL},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		static const double counts[] = {1, 2};
		struct unc_metric_event event;
		struct unc_metric_info info;
		char text[400], buf[40];
		size_t metric;
		double value;

		snprintf(text, sizeof(text), HEAD METRIC("own", "x / y", "%s"), table[i].events);
		open_with(text);
		metric = number_of("own");
		CU_ASSERT_EQUAL(unc_metric_info(d.m, "imc", metric, &info), 0);
		if (table[i].lacks) {
			CU_ASSERT_STRING_EQUAL(info.lacks, table[i].lacks);
			CU_ASSERT_EQUAL(info.n_events, 0);
			CU_ASSERT_EQUAL(unc_metric_event(d.m, "imc", metric, 0, &event), UNC_ENOREG);
			CU_ASSERT_EQUAL(unc_metric_value(d.m, "imc", metric, counts, 1, &value), UNC_ENOREG);
			CU_ASSERT_EQUAL(unc_metric_explain(d.m, "imc", metric, counts, 1, buf, sizeof(buf)),
					UNC_ENOREG);
			CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(d.ctx), table[i].lacks));
		} else {
			CU_ASSERT_PTR_NULL(info.lacks);
			CU_ASSERT_EQUAL(unc_metric_event(d.m, "imc", metric, 0, &event), 0);
			CU_ASSERT_STRING_EQUAL(event.name, "x");
			CU_ASSERT_STRING_EQUAL(event.event, "dclk");
			CU_ASSERT_EQUAL(unc_metric_event(d.m, "imc", metric, 2, &event), UNC_ENOREG);
			CU_ASSERT_EQUAL(unc_metric_explain(d.m, "imc", metric, counts, 1, buf, sizeof(buf)), 0);
			CU_ASSERT_STRING_EQUAL(buf, "1 / 2");
			CU_ASSERT_EQUAL(unc_metric_explain(d.m, "imc", metric, counts, 1, buf, 5), UNC_ERANGE);
		}
	}
}

TEST(dividing_by_no_count_gives_no_value)
{
	static const double counts[] = {0, 0};
	double value = 7;

	open_snbep();
	CU_ASSERT_EQUAL(unc_metric_value(d.m, "imc", number_of("read_queue_latency_dclk"), counts, 1, &value),
			UNC_ENODATA);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(d.ctx), "read_queue_latency_dclk"));
	CU_ASSERT_EQUAL(value, 7);
}

/* act, rd and wr of page_hit, which is 100 * (1 - act / (rd + wr)). */
TEST(below_zero_there_is_a_value_only_as_far_as_it_is_uncertain)
{
	static const struct {
		const char *name;
		double counts[3], doubts[3];
		int rc;
		double value, doubt;
	} table[] = {
		{"page_hit", {50, 60, 40}, {0, 0, 0}, 0, 50, 0},
		{"page_hit", {50, 60, 40}, {1, 0, 0}, 0, 50, 1},
		{"page_hit", {100, 60, 40}, {0, 0, 0}, 0, 0, 0},
		{"page_hit", {101, 60, 40}, {1.5, 0, 0}, 0, 0, 1.5},
		{"page_hit", {101, 60, 40}, {0.9, 0, 0}, UNC_ERANGE, 7, 7},
		{"page_hit", {101, 60, 40}, {0, 0, 0}, UNC_ERANGE, 7, 7},
		{"page_hit", {200, 60, 40}, {5, 5, 5}, UNC_ERANGE, 7, 7},
		/* All may be chance. */
		{"page_hit", {3, 1, 0}, {1, 1, 1}, UNC_ERANGE, 7, 7},
		{"page_hit", {3, 0, 0}, {1, 1, 1}, UNC_ENODATA, 7, 7},
		/* A metric that may be below zero. */
		{"saldo", {1, 4}, {0, 2}, 0, -3, 2},
		{"saldo", {1, 4}, {2, 2}, 0, -3, 4},
	};

	open_with(HEAD "  saldo:\n    is: reads beyond writes\n    formula: x - y\n    in: bursts\n    adds: true\n"
		       "    signed: true\n    events: {x: cas_count.rd, y: cas_count.wr}\n    src: man\n");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double value = 7, doubt = 7;

		CU_ASSERT_EQUAL(unc_metric_measure(d.m, "imc", number_of(table[i].name), table[i].counts,
						   table[i].doubts, 1, &value, &doubt),
				table[i].rc);
		CU_ASSERT_DOUBLE_EQUAL(value, table[i].value, 1e-12);
		CU_ASSERT_DOUBLE_EQUAL(doubt, table[i].doubt, 1e-12);
		if (table[i].rc < 0)
			HAS(unc_errmsg(d.ctx), table[i].name);
	}
}

static void refused(const char *first, const char *second, const char *sentence)
{
	anew();
	add("a.yaml", first);
	if (second)
		add("b.yaml", second);
	FAILS(&d, UNC_EMAP, try_open("sim:snbep,sockets=1"), sentence);
}

TEST(a_fault_in_a_file_of_a_folder_is_refused_with_its_line)
{
	refused(HEAD METRIC("own", "x / z", "{x: dclk}"), NULL,
		"a.yaml:7: error (metric_formula): own: formula \"x / z\": at character 5: \"z\" is not known");
	refused("format: uncorectl-metrics/3\n", NULL, "a.yaml:1: error (format_known): ");
	refused(HEAD METRIC("own", "x", "{x: dclk}"), HEAD METRIC("own", "2 * x", "{x: dclk}"),
		"b.yaml:5: another metric own; the first is ");
}

TEST(a_file_of_metrics_that_others_may_write_is_refused)
{
	if (getuid() != 0)
		return; /* only for root are owner and rights looked at */
	add("own.yaml", HEAD METRIC("own", "x", "{x: dclk}"));
	chmod(tree_path(&d.folder, "own.yaml").text, 0666);
	CU_ASSERT_EQUAL(try_open("sim:snbep,sockets=1"), UNC_EPERM);
}

/* A file of metrics makes no map, and is none to be based on. */
TEST(a_file_of_metrics_is_no_map)
{
	refused("format: uncorectl-regs/1\ncpus: [{vendor: GenuineIntel, family: 6, model: 0x2d}]\nbase: imc-metrics\n",
		NULL, "imc-metrics.yaml (built in):");
}
