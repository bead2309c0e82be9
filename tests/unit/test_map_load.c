// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "map/map.h"

#include "base/err.h"
#include "map/field.h"
#include "onsim.h"
#include "test.h"
#include "tree.h"

/* A folder of maps, which is given where there is a file in it, and the map that was loaded last. */
static struct tree folder;
static bool has_files;
static struct unc_ctx ctx;
static struct unc_map *map;

static void begin(void)
{
	folder = tree_new();
	has_files = false;
}

static void end(void)
{
	unc_map_free(map);
	map = NULL;
	tree_remove(&folder);
}

EACH(begin, end)

static void anew(void)
{
	end();
	begin();
}

static void add(const char *name, const char *text)
{
	tree_text(&folder, name, text);
	has_files = true;
}

static bool is_path_of(const char *path, const char *name)
{
	return strcmp(path, tree_path(&folder, name).text) == 0;
}

static const struct unc_cpu_id snbep = {.vendor = "GenuineIntel", .family = 6, .model = 0x2d, .stepping = 7};
static const struct unc_cpu_id other = {.vendor = "GenuineIntel", .family = 6, .model = 0x99, .stepping = 4};

#define CPUS(entry) "format: uncorectl-regs/1\ncpus: [{" entry "}]\n" BODY("ubox")
/* A unit of its own for the CPU `other`: nothing but what is needed. */
#define HEAD(cpu_rest) "format: uncorectl-regs/1\ncpus: [{vendor: GenuineIntel, family: 6, model: 0x99" cpu_rest "}]\n"
#define BODY(unit)                                                                                                     \
	"title: Other part\nsources: {man: a manual}\nunit: " unit                                                     \
	"\nspace: pci\nmodel: ubox1\ninstances: [{pci: \"8086:0001\", at: \"1f.7\"}]\nregisters:\n"                    \
	"  CPUNODEID: {at: 0x40, src: man, fields: {r: {bits: [31, 3], access: ro}, "                                  \
	"node: {bits: [2, 0], access: ro}}}\n"                                                                         \
	"  GIDNIDMAP:\n    at: 0x54\n    src: man\n    fields:\n      r: {bits: [31, 8], access: ro}\n"                \
	"      gid0: {bits: 0, access: ro}\n      gid1: {bits: 1, access: ro}\n      gid2: {bits: 2, access: ro}\n"    \
	"      gid3: {bits: 3, access: ro}\n      gid4: {bits: 4, access: ro}\n      gid5: {bits: 5, access: ro}\n"    \
	"      gid6: {bits: 6, access: ro}\n      gid7: {bits: 7, access: ro}\n"
/* A map that fits no CPU here: a base, or what another is not based on. */
#define OTHER         "format: uncorectl-regs/1\ncpus: [{vendor: x, family: 1, model: 1}]\n"
#define FOR_SNBEP     "format: uncorectl-regs/1\ncpus: [{vendor: GenuineIntel, family: 6, model: 0x2d}]\n"
#define DERIVED(rest) HEAD("") "base: intel-snbep-imc\n" rest

static int load(const struct unc_cpu_id *cpu)
{
	unc_map_free(map);
	map = NULL;
	ctx = (struct unc_ctx){.msg = ""};
	return unc_map_load(&ctx, cpu, has_files ? folder.root : NULL, &map);
}

/* Loading fails with this code and a sentence that, behind "FOLDER/" if it begins so, begins like this. */
static void refused_for(const struct unc_cpu_id *cpu, int err, const char *begins)
{
	const char *sentence = ctx.msg;

	CU_ASSERT_EQUAL(load(cpu), err);
	CU_ASSERT_PTR_NULL(map);
	if (strncmp(sentence, folder.root, strlen(folder.root)) == 0)
		sentence += strlen(folder.root) + 1;
	CU_ASSERT_EQUAL(strncmp(sentence, begins, strlen(begins)), 0);
	if (strncmp(sentence, begins, strlen(begins)) != 0)
		printf("\n    wanted: %s\n    got: %s\n", begins, ctx.msg);
}

/* With that text as a.yaml. */
static void refused(const char *text, const char *begins)
{
	anew();
	add("a.yaml", text);
	refused_for(&other, UNC_EMAP, begins);
}

#define UCLK_OF_SNBEP "uclk read1 of intel-snbep-uclk, uncore clock; "
#define BUILT_IN_SNBEP                                                                                                 \
	"imc pmon1 of intel-snbep-imc, Sandy Bridge-EP; ubox ubox1 of intel-snbep-ubox, Sandy "                        \
	"Bridge-EP; " UCLK_OF_SNBEP

/* The units of the map, each as "NAME MODEL of MAP, TITLE, loaded; ". */
static void gets(const struct unc_cpu_id *cpu, const char *units)
{
	char text[600] = "";

	CU_ASSERT_EQUAL_FATAL(load(cpu), 0);
	for (size_t i = 0; i < map->n_units; i++) {
		const struct unc_unit *unit = &map->units[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s of %s, %s%s; ", unit->name,
			 unit->model, unit->map, unit->title, unit->loaded ? ", loaded" : "");
	}
	SAME(text, units);
}

TEST(a_cpu_gets_its_built_in_maps)
{
	gets(&snbep, BUILT_IN_SNBEP);
	SAME(unc_map_unit(map, "imc")->path, "regs/intel-snbep-imc.yaml (built in)");
	CU_ASSERT_PTR_EQUAL(unc_map_unit(map, "ubox"), &map->units[1]);
	CU_ASSERT_PTR_NULL(unc_map_unit(map, "cbox"));
	unc_map_free(NULL);
}

static void tells(const struct unc_cpu_id *cpu, const char *part, unsigned times)
{
	unsigned n = 0;

	CU_ASSERT_EQUAL_FATAL(load(cpu), 0);
	CU_ASSERT_EQUAL(map->n_units, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map->no_counters);
	for (const char *at = map->no_counters; (at = strstr(at, part)); at++)
		n++;
	CU_ASSERT_EQUAL(n, times);
}

TEST(an_unknown_cpu_is_named)
{
	static const struct unc_cpu_id client = {.vendor = "GenuineIntel", .family = 6, .model = 0x66, .stepping = 5},
				       zen = {.vendor = "AuthenticAMD", .family = 25, .model = 1, .stepping = 1},
				       dmr = {.vendor = "GenuineIntel", .family = 19, .model = 1};

	tells(&client,
	      "GenuineIntel family 6 model 0x66 stepping 5: no register map fits this CPU; `uncorectl maps list` shows",
	      1);
	tells(&client, ", --regs DIR adds one, see uncorectl-regs(5)", 1);
	tells(&zen, "AuthenticAMD family 25 model 0x1 stepping 1: no register map fits", 1);
	/* One that is known, but that cannot be driven, is refused with the reason. */
	tells(&dmr, "GenuineIntel family 19 model 0x1 stepping 0: Diamond Rapids: its memory controllers ", 1);
	tells(&dmr, "; nothing is read or written", 1);
	tells(&client, "Diamond Rapids", 0);
}

TEST(a_folder_adds_maps)
{
	const struct unc_instance *place;
	const struct unc_unit *unit;

	add("z.yaml", HEAD("") BODY("ubox"));
	add("a.yaml", HEAD("") BODY("other"));
	add("notes.txt", "not: [a map");
	add(".hidden.yaml", "not: [a map");
	gets(&other, "other ubox1 of a, Other part, loaded; ubox ubox1 of z, Other part, loaded; ");
	unit = unc_map_unit(map, "ubox");
	CU_ASSERT_TRUE(is_path_of(unit->path, "z.yaml"));
	CU_ASSERT_EQUAL(unit->line, 2);
	CU_ASSERT_EQUAL_FATAL(unit->n_instances, 1);
	place = &unit->instances[0];
	CU_ASSERT_TRUE(place->dev == 0x1f && place->fn == 7 && place->perf == -1);
}

TEST(a_map_of_a_folder_replaces_the_built_in_one_of_its_unit)
{
	add("mine.yaml", FOR_SNBEP BODY("ubox"));
	gets(&snbep,
	     "imc pmon1 of intel-snbep-imc, Sandy Bridge-EP; ubox ubox1 of mine, Other part, loaded; " UCLK_OF_SNBEP);
}

TEST(two_maps_for_one_unit_are_refused)
{
	char begins[2200];

	add("a.yaml", HEAD("") BODY("ubox"));
	add("b.yaml", "# one line more\n" HEAD(", stepping: [0, 4]") BODY("ubox"));
	snprintf(begins, sizeof(begins), "b.yaml:3: another map for unit ubox of this CPU; the first is %s:2",
		 tree_path(&folder, "a.yaml").text);
	refused_for(&other, UNC_EMAP, begins);
}

TEST(a_stepping_range_is_kept_to)
{
	struct unc_cpu_id cpu = other;

	add("a.yaml", HEAD(", stepping: [2, 4]") BODY("ubox"));
	for (cpu.stepping = 0; cpu.stepping < 16; cpu.stepping++) {
		bool fits = cpu.stepping >= 2 && cpu.stepping <= 4;

		CU_ASSERT_EQUAL_FATAL(load(&cpu), 0);
		CU_ASSERT_EQUAL(map->n_units, fits);
	}
}

TEST(a_range_of_models_is_kept_to)
{
	struct unc_cpu_id cpu = other;

	add("a.yaml", CPUS("vendor: GenuineIntel, family: 6, model: [0x62, 0x64]"));
	for (cpu.model = 0x60; cpu.model < 0x67; cpu.model++) {
		bool fits = cpu.model >= 0x62 && cpu.model <= 0x64;

		CU_ASSERT_EQUAL_FATAL(load(&cpu), 0);
		CU_ASSERT_EQUAL(map->n_units, fits);
	}
}

TEST(a_fault_in_a_map_that_fits_or_in_any_head_is_told_with_its_line)
{
	refused(HEAD("") "titel: x\n" BODY("ubox"), "a.yaml:3: error (unknown_key): key \"titel\"");
	refused(HEAD("") BODY("Ubox"), "a.yaml:5: error (name_valid): ");
	refused(HEAD("") "title: [x\n" BODY("ubox"), "a.yaml:4: error (yaml): malformed YAML");
	/* A head that cannot be read is refused for every CPU. */
	refused("format: uncorectl-regs/1\ncpus: [\n", "a.yaml:3: malformed YAML");
	refused("format: uncorectl-regs/1\n", "a.yaml:1: key cpus is missing");
	refused("", "a.yaml:1: the file is empty");
	refused("format: uncorectl-regs/9\ncpus: [{vendor: x, family: 1, model: 1}]\n",
		"a.yaml:1: error (format_known): ");
	refused("title: x\ncpus: [{vendor: x, family: 1, model: 1}]\n", "a.yaml:1: error (head_first): ");
	refused("format: uncorectl-regs/1\ncpus: [{family: 1, model: 1}]\n", "a.yaml:2: error (missing_key): ");
}

TEST(a_fault_below_the_head_of_a_map_that_does_not_fit_is_not_looked_for)
{
	add("a.yaml", HEAD("") "this: [is\n\tno: map");
	CU_ASSERT_EQUAL(load(&snbep), 0);
}

TEST(a_folder_that_is_not_there_is_told)
{
	CU_ASSERT_EQUAL(unc_map_load(&ctx, &snbep, "/nonexistent/maps", &map), UNC_ENODEV);
	HAS(ctx.msg, "/nonexistent/maps");
	CU_ASSERT_PTR_NULL(map);
}

TEST(a_file_that_cannot_be_trusted_is_refused)
{
	add("real", HEAD("") BODY("ubox"));
	CU_ASSERT_EQUAL_FATAL(symlink("real", tree_path(&folder, "link.yaml").text), 0);
	refused_for(&other, UNC_EPERM, "link.yaml");
}

/* Conditions on CPUID. */

struct cpuid_host {
	struct unc_host host;
	uint32_t highest;
	int err; /* of leaf 7 */
	unsigned asked_cpu, n_beyond;
};

static int cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	struct cpuid_host *h = (struct cpuid_host *)host;
	uint32_t base = leaf & 0x80000000;

	h->asked_cpu = cpu;
	h->n_beyond += leaf > (base | h->highest);
	if (leaf == base) {
		*ret_regs = (struct unc_cpuid_regs){.eax = base | h->highest};
		return 0;
	}
	if (h->err)
		return unc_fail(host->ctx, h->err, "cpu %u: leaf 0x%x", cpu, leaf);
	*ret_regs = (struct unc_cpuid_regs){.ebx = subleaf == 0 ? 0x1000 : 0, .edx = 0x50};
	return 0;
}

static const struct unc_host_ops cpuid_ops = {.cpuid = cpuid};

#define WHEN(cpuid, is)   HEAD(", when: {cpuid: \"" cpuid "\", is: " is "}") BODY("ubox")
#define WHEN_TWO(a, b)    HEAD(", when: [{cpuid: \"" a "\", is: 1}, {cpuid: \"" b "\", is: 1}]") BODY("ubox")
#define INTEL_WHEN(value) CPUS("vendor: GenuineIntel, when: {cpuid: \"7.0:ebx[12]\", is: " value "}")

TEST(a_condition_on_cpuid_decides)
{
	static const struct {
		const char *text;
		uint32_t highest; /* leaf; 0: there is no CPUID */
		int err;          /* of leaf 7 */
		int result;       /* 1: it fits, 0: it does not, or a code */
	} rows[] = {
		{WHEN("7.0:ebx[12]", "1"), 0xd, 0, 1},
		{WHEN("7.0:ebx[12]", "0"), 0xd, 0, 0},
		{WHEN("7.0:ebx[13]", "1"), 0xd, 0, 0},
		{WHEN("7.1:ebx[12]", "1"), 0xd, 0, 0},
		{WHEN("d.0:edx[7:4]", "5"), 0xd, 0, 1},
		{WHEN("80000008.0:edx[6:4]", "5"), 0xd, 0, 1},
		{WHEN("7.0:ebx[12]", "1"), 0, 0, 0},
		/* Any value but that one. */
		{HEAD(", when: {cpuid: \"d.0:edx[7:4]\", not: 0}") BODY("ubox"), 0xd, 0, 1},
		{HEAD(", when: {cpuid: \"d.0:edx[7:4]\", not: 5}") BODY("ubox"), 0xd, 0, 0},
		{HEAD(", when: {cpuid: \"7.0:ebx[12]\", not: 0}") BODY("ubox"), 6, 0, 0},
		/* Of several, all must hold. */
		{WHEN_TWO("7.0:ebx[12]", "7.0:edx[4]"), 0xd, 0, 1},
		{WHEN_TWO("7.0:ebx[13]", "7.0:edx[4]"), 0xd, 0, 0},
		{WHEN_TWO("7.0:ebx[12]", "7.0:edx[5]"), 0xd, 0, 0},
		{WHEN_TWO("1c.0:ebx[12]", "7.0:edx[4]"), 0xd, 0, 0},
		{WHEN_TWO("7.0:ebx[12]", "7.0:edx[4]"), 0xd, UNC_EIO, UNC_EIO},
		/* What an entry does not say fits every CPU. */
		{CPUS("vendor: GenuineIntel"), 0xd, 0, 1},
		{CPUS("vendor: AuthenticAMD"), 0xd, 0, 0},
		{CPUS("vendor: GenuineIntel, family: 6"), 0xd, 0, 1},
		{CPUS("vendor: GenuineIntel, family: 7"), 0xd, 0, 0},
		{INTEL_WHEN("1"), 0xd, 0, 1},
		{INTEL_WHEN("0"), 0xd, 0, 0},
		/* A leaf beyond the highest is not asked for. */
		{WHEN("7.0:ebx[12]", "1"), 6, 0, 0},
		{WHEN("80000008.0:edx[6:4]", "5"), 6, 0, 0},
		/* A leaf that the source lacks does not fit, and one that fails does. */
		{WHEN("7.0:ebx[12]", "1"), 0xd, UNC_ENODATA, 0},
		{WHEN("7.0:ebx[12]", "1"), 0xd, UNC_EIO, UNC_EIO},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpuid_host h = {.host = {.ops = &cpuid_ops, .ctx = &ctx},
				       .highest = rows[i].highest,
				       .err = rows[i].err,
				       .asked_cpu = 3};
		struct unc_cpu_id cpu = other;
		int result;

		if (rows[i].highest)
			cpu.host = &h.host;
		cpu.cpu = 3;
		anew();
		add("a.yaml", rows[i].text);
		result = load(&cpu);
		if (result == 0)
			result = unc_map_unit(map, "ubox") != NULL;
		CU_ASSERT_EQUAL(result, rows[i].result);
		if (result != rows[i].result)
			printf("\n    row %zu: %d\n", i, result);
		CU_ASSERT_EQUAL(h.asked_cpu, 3);
		CU_ASSERT_EQUAL(h.n_beyond, 0);
	}
}

/* And its title is not among the parts that there are maps for. */
TEST(cache_monitoring_is_for_whoever_announces_it)
{
	struct cpuid_host h = {.host = {.ops = &cpuid_ops}, .highest = 0xf};
	struct unc_cpu_id client = {.vendor = "GenuineIntel", .family = 6, .model = 0x66, .host = &h.host};
	struct unc_cpu_id zen = {.vendor = "AuthenticAMD", .family = 25, .model = 1, .host = &h.host};
	struct unc_cpu_id hygon = {.vendor = "HygonGenuine", .family = 24, .model = 1, .host = &h.host};
	const struct unc_cpu_id *const cpus[] = {&client, &zen, &hygon};

	for (unsigned i = 0; i < 3; i++) {
		h.host.ctx = &ctx;
		CU_ASSERT_EQUAL_FATAL(load(cpus[i]), 0);
		CU_ASSERT_EQUAL_FATAL(map->n_units, 1);
		CU_ASSERT_STRING_EQUAL(map->units[0].map, i == 0 ? "intel-rdt" : "amd-qos");
		CU_ASSERT_TRUE(map->units[0].per == UNC_PER_CPU);
		CU_ASSERT_PTR_NOT_NULL_FATAL(map->no_counters);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(map->no_counters, "no register map fits this CPU; `uncorectl maps list` "));
		CU_ASSERT_PTR_NULL(strstr(map->no_counters, map->units[0].title));
	}
}

/* Bases. */

TEST(what_a_map_does_not_say_is_as_in_its_base)
{
	const struct unc_unit *unit;
	const struct unc_event *event;
	const struct unc_field *field;
	const struct unc_reg *ctl;

	add("mine.yaml",
	    DERIVED("title: Mine\n"
		    "sources: {man: a manual}\n"
		    "instances: [{pci: \"8086:0eb4\", at: \"1e.4\", imc: 1, channel: 2}]\n"
		    "registers:\n"
		    "  CTL: {fields: {invert: {access: reserved, reset: 0}, en: {is: counts, tested: me}}}\n"
		    "  BOX_STATUS: none\n"
		    "  MORE: {at: 0xfc, src: man, fields: {all: {bits: [31, 0], access: ro}}}\n"
		    "events:\n"
		    "  rpq_occupancy: none\n"
		    "  act_count: {select: {umask: 0x0b}}\n"
		    "  more: {select: {ev_sel: 0x99}, counters: 1, max_inc: 7, is: more, src: man}\n"));
	gets(&other, "imc pmon1 of mine, Mine, loaded; ");
	unit = unc_map_unit(map, "imc");
	CU_ASSERT_TRUE(unit->counter_bits == 48 && unit->max_clock_hz == 1200000000);
	CU_ASSERT_TRUE(unit->n_instances == 1 && unit->instances[0].channel == 2);
	ctl = unc_unit_reg(unit, "CTL");
	field = unc_reg_field(ctl, "invert");
	CU_ASSERT_TRUE(field->acc == UNC_RSVD && field->lo == 23 && field->line == 8);
	CU_ASSERT_TRUE(is_path_of(field->path, "mine.yaml"));
	CU_ASSERT_STRING_EQUAL(unc_reg_field(ctl, "en")->tested, "me");
	CU_ASSERT_EQUAL(unc_reg_field(ctl, "en")->acc, UNC_RW);
	CU_ASSERT_STRING_EQUAL(unc_reg_field(ctl, "thresh")->path, "regs/intel-snbep-imc.yaml (built in)");
	CU_ASSERT_PTR_NULL(unc_unit_reg(unit, "BOX_STATUS"));
	CU_ASSERT_PTR_NOT_NULL(unc_unit_reg(unit, "BOX_CTL"));
	CU_ASSERT_PTR_NOT_NULL(unc_unit_reg(unit, "MORE"));
	CU_ASSERT_PTR_NULL(unc_unit_event(unit, "rpq_occupancy"));
	event = unc_unit_event(unit, "act_count");
	CU_ASSERT_TRUE(event->n_select == 2 && event->select[0].value == 1 && event->select[1].value == 0x0b);
	CU_ASSERT_EQUAL(unc_unit_event(unit, "more")->counters, 2);
}

TEST(a_base_is_not_chosen_through_what_is_based_on_it)
{
	add("mine.yaml", DERIVED(""));
	gets(&snbep, BUILT_IN_SNBEP);
}

TEST(a_base_may_have_a_base)
{
	const struct unc_event *event;

	add("a.yaml", HEAD("") "base: b\nevents: {act_count: {max_inc: 3}}\n");
	add("b.yaml", OTHER "base: intel-snbep-imc\n"
			    "title: Middle\nevents: {act_count: {max_inc: 2, is: middle}}\n");
	gets(&other, "imc pmon1 of a, Middle, loaded; ");
	event = unc_unit_event(&map->units[0], "act_count");
	CU_ASSERT_EQUAL(event->max_inc, 3);
	CU_ASSERT_STRING_EQUAL(event->desc, "middle");
	CU_ASSERT_EQUAL(event->select[0].value, 1);
}

TEST(a_map_may_change_the_built_in_one_of_its_own_name)
{
	add("intel-snbep-imc.yaml", FOR_SNBEP "base: intel-snbep-imc\nmax_clock_mhz: 1500\n");
	gets(&snbep, "imc pmon1 of intel-snbep-imc, Sandy Bridge-EP, loaded; ubox ubox1 of intel-snbep-ubox, Sandy "
		     "Bridge-EP; " UCLK_OF_SNBEP);
	CU_ASSERT_EQUAL(unc_map_unit(map, "imc")->max_clock_hz, 1500000000);
}

TEST(a_base_that_leads_back_or_is_missing_is_refused)
{
	add("a.yaml", HEAD("") "base: b\n");
	add("b.yaml", OTHER "\nbase: a\n");
	refused_for(&other, UNC_EMAP, "b.yaml:4: error (base_found): base a leads back");
	refused(HEAD("") "base: a\n", "a.yaml:3: error (base_found): base a leads back");
	refused(HEAD("") "base: none\n", "a.yaml:3: error (base_found): there is no map none");
}

TEST(a_chain_of_bases_is_bounded)
{
	add("m0.yaml", HEAD("") "base: m1\n");
	for (unsigned i = 1; i < 9; i++) {
		char name[20], text[200];

		snprintf(name, sizeof(name), "m%u.yaml", i);
		snprintf(text, sizeof(text), OTHER "base: m%u\n", i + 1);
		add(name, text);
	}
	refused_for(&other, UNC_EMAP, "m7.yaml:3: error (base_found): a base of a base");
}

TEST(a_fault_in_a_base_is_told_with_the_name_of_the_base)
{
	static const struct {
		const char *base, *begins;
		const struct unc_cpu_id *cpu;
	} rows[] = {
		{OTHER "x: [\n", "b.yaml:4: error (yaml): malformed YAML", &other},
		{OTHER "foo: 1\n" BODY("ubox"), "b.yaml:3: error (unknown_key): ", &other},
		{"cpus: [{vendor: x, family: 1, model: 1}]\n" BODY("ubox"), "b.yaml:1: error (head_first): ", &snbep},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		anew();
		add("a.yaml", HEAD("") "base: b\n");
		add("b.yaml", rows[i].base);
		refused_for(rows[i].cpu, UNC_EMAP, rows[i].begins);
	}
}

TEST(registers_are_found_by_name)
{
	const struct unc_unit *imc;

	CU_ASSERT_EQUAL_FATAL(load(&snbep), 0);
	imc = unc_map_unit(map, "imc");
	CU_ASSERT_EQUAL(unc_reg_off(unc_unit_reg(imc, "CTL"), 2), 0xe0);
	CU_ASSERT_EQUAL(unc_reg_off(unc_unit_reg(imc, "BOX_CTL"), 0), 0xf4);
	CU_ASSERT_EQUAL(unc_reg_off(unc_unit_reg(imc, "CTR"), 3), 0xb8);
	CU_ASSERT_PTR_NULL(unc_unit_reg(imc, "NOTHING"));
	CU_ASSERT_PTR_NULL(unc_unit_event(imc, "cas_count"));
	CU_ASSERT_PTR_NULL(unc_reg_field(unc_unit_reg(imc, "CTL"), "rst"));
}
