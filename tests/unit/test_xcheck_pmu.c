// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel says of its PMUs: files as of Linux 6.1 on a Sandy Bridge-EP, and others that no kernel should
 * have.
 */
#include "xcheck/pmu.h"

#include "fakefiles.h"
#include "test.h"

#define DEVICES "/sys/bus/event_source/devices"

static struct fake f;
static struct unc_unit unit; /* whose PMUs are found */
static struct unc_pmus pmus;
static struct unc_pmu_code code; /* of the last event that was encoded */
static struct onsim o;           /* whose boxes and events are encoded */

static void put(const char *pmu, const char *file, const char *text)
{
	fake_put(&f, test_text(DEVICES "/%s/%s", pmu, file), text);
}

static void put_pmu(const char *name, const char *type)
{
	put(name, "type", type);
	put(name, "cpumask", "0,8\n");
	put(name, "format/event", "config:0-7\n");
	put(name, "format/umask", "config:8-15\n");
	put(name, "format/edge", "config:18\n");
	put(name, "format/inv", "config:23\n");
	put(name, "format/thresh", "config:24-31\n");
	put(name, "events/clockticks", "event=0xff,umask=0x00\n");
	put(name, "events/cas_count_read", "event=0x04,umask=0x03\n");
	put(name, "events/cas_count_read.scale", "6.103515625e-5\n");
	put(name, "events/cas_count_read.unit", "MiB\n");
}

/* CPUs 0 to 7 are in socket 0, 8 to 15 in socket 1. */
static int two_packages(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	(void)host;
	*ret_cpus = calloc(16, sizeof(**ret_cpus));
	for (unsigned i = 0; i < 16; i++)
		(*ret_cpus)[i] = (struct unc_host_cpu){.cpu = i, .online = true, .package = (int)i / 8};
	*ret_n = 16;
	return UNC_OK;
}

static void begin(void)
{
	unit = (struct unc_unit){.name = "imc", .box_type = -1}; /* which is in no discovery table */
	fake_open(&f);
	onsim_open(&o, "sockets=2", NULL);
	put_pmu("uncore_imc_0", "12\n");
}

static void end(void)
{
	unc_pmus_clear(&pmus);
	onsim_close(&o);
	fake_close(&f);
}
EACH(begin, end)

static int try_find(void)
{
	unc_pmus_clear(&pmus);
	return unc_pmus_find(f.m, &unit, &pmus);
}

static void find(void)
{
	OK(&f, try_find());
}

TEST(pmus_are_in_the_order_of_their_numbers)
{
	const char *others = "uncore_imc_free_running_0 uncore_imc_ uncore_imc_1x uncore_qpi_0 uncore_imcx_3 cpu "
			     "uncore_imc_12345678 xuncore_imc_0 uncore_type_6_0 uncore_type_-1_0 uncore_hbm_0";
	char name[64];

	while (onsim_word(&others, name))
		put(name, "type", "nothing");
	put_pmu("uncore_imc_10", "22\n");
	put_pmu("uncore_imc_2", "14\n");
	find();
	EQ(pmus.n, 3);
	SAME(pmus.pmus[0].name, "uncore_imc_0");
	EQ(pmus.pmus[1].number, 2);
	EQ(pmus.pmus[1].type, 14);
	EQ(pmus.pmus[2].number, 10);
	EQ(pmus.pmus[2].n_fields, 5);
	EQ(pmus.pmus[2].n_aliases, 2);
	/* One alone has no number. */
	fake_drop(&f, "");
	put_pmu("uncore_imc", "12\n");
	find();
	EQ(pmus.n, 1);
	EQ(pmus.pmus[0].number, 0);
}

/* mmio.md, section 11.2: the alias has the number of the unit in the discovery table. */
TEST(the_number_of_an_alias_is_that_of_the_unit)
{
	fake_drop(&f, "");
	put_pmu("uncore_imc_0", "12\n");
	put_pmu("uncore_imc_1", "13\n");
	put_pmu("uncore_imc_2", "14\n");
	put("uncore_imc_0", "alias", "uncore_type_6_1\n");
	put("uncore_imc_1", "alias", "uncore_type_6_0\n");
	put("uncore_imc_2", "alias", "something else\n");
	find();
	SAME(pmus.pmus[0].name, "uncore_imc_0"); /* a part that is in no table has no such file */
	unit.box_type = 6;
	find();
	EQ(pmus.n, 3);
	SAME(pmus.pmus[0].name, "uncore_imc_1");
	SAME(pmus.pmus[1].name, "uncore_imc_0");
	EQ(pmus.pmus[1].number, 1);
	EQ(pmus.pmus[2].number, 2);
	unit.box_type = -1;
}

/* Linux 6.1 names a PMU by the type of discovery tables if it does not know the unit; later ones know the same as "imc", "hbm". */
TEST(names_by_the_type_of_a_unit_are_found)
{
	const char *others = "uncore_type_6_ uncore_type_6_x uncore_type_60_1 uncore_type_5_0 uncore_type_6_1_2 "
			     "uncore_type_1_4 uncore_hbm_free type_6_0 uncore_imc_free_running uncore_type_";
	char name[64];
	static const struct {
		const char *name;
		unsigned number;
		bool hbm;
	} found[] = {{"uncore_imc_1", 1, false},
		     {"uncore_type_6_2", 2, false},
		     {"uncore_type_6_10", 10, false},
		     {"uncore_type_14_0", 0, true},
		     {"uncore_hbm_31", 31, true}};

	unit.box_type = 6;
	fake_drop(&f, "");
	FAILS(&f, UNC_ENOSUP, try_find(), DEVICES, "not there");
	while (onsim_word(&others, name))
		put(name, "type", "nothing");
	FAILS(&f, UNC_ENOSUP, try_find(), "no uncore_imc_N and no uncore_type_6_N");
	for (size_t i = sizeof(found) / sizeof(found[0]); i-- > 0;)
		put_pmu(found[i].name, "12\n");
	find();
	EQ(pmus.n, sizeof(found) / sizeof(found[0]));
	for (size_t i = 0; i < pmus.n && i < sizeof(found) / sizeof(found[0]); i++) {
		SAME(pmus.pmus[i].name, found[i].name);
		EQ(pmus.pmus[i].number, found[i].number);
		CU_ASSERT_EQUAL(pmus.pmus[i].hbm, found[i].hbm);
	}
	/* One alone has no number. */
	fake_drop(&f, "");
	put_pmu("uncore_type_6", "12\n");
	find();
	EQ(pmus.n, 1);
	EQ(pmus.pmus[0].number, 0);
}

TEST(where_there_are_none_it_says_what_to_do)
{
	fake_drop(&f, "");
	FAILS(&f, UNC_ENOSUP, try_find(), DEVICES, "not there", "no perf events");
	put("cpu", "type", "4\n");
	FAILS(&f, UNC_ENOSUP, try_find(), "no uncore_imc_N", "modprobe intel_uncore", "hypervisor",
	      "CONFIG_PERF_EVENTS_INTEL_UNCORE");
	fake_put(&f, "/proc/modules", "not_intel_uncore 1 0 - Live 0x0\n");
	FAILS(&f, UNC_ENOSUP, try_find(), "modprobe intel_uncore");
	fake_put(&f, "/proc/modules", "msr 16384 0 - Live 0x0\nintel_uncore 200704 0 - Live 0x0\n");
	FAILS(&f, UNC_ENOSUP, try_find(), "no uncore_imc_N", "though intel_uncore is loaded");
}

static int try_encode(const char *event)
{
	struct unc_wanted *wanted = NULL;
	int rc;

	OK(&o, unc_wanted_new(o.m->boxes, event, &wanted));
	rc = unc_pmu_encode(&pmus.pmus[0], o.m->boxes, wanted, &code);
	unc_wanted_free(wanted);
	return rc;
}

/* What an event is encoded as is said in these texts. */
static void encodes(const char *event, const char *text, const char *words)
{
	char said[80];

	OK(&o, try_encode(event));
	SAME(unc_pmu_text(&pmus.pmus[0], &code, said, sizeof(said)), text);
	SAME(unc_pmu_words(&pmus.pmus[0], &code, said, sizeof(said)), words);
}

TEST(an_event_is_encoded_as_the_kernel_describes_it)
{
	static const struct {
		const char *event, *text, *words, *alias;
	} cases[] = {
		{"cas_count.rd", "type=12 config=0x304", "uncore_imc_0/event=0x4,umask=0x3/", "cas_count_read"},
		{"cas_count.wr", "type=12 config=0xc04", "uncore_imc_0/event=0x4,umask=0xc/", NULL},
		{"cas_count.rd:thresh=8:edge:invert", "type=12 config=0x8840304",
		 "uncore_imc_0/edge=0x1,event=0x4,inv=0x1,thresh=0x8,umask=0x3/", NULL},
		{"dclk", "type=12 config=0xff", "uncore_imc_0/event=0xff/", "clockticks"},
		{"imc/event=0x12,umask=0xff,thresh=255/", "type=12 config=0xff00ff12",
		 "uncore_imc_0/event=0x12,thresh=0xff,umask=0xff/", NULL},
	};
	find();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *alias;

		encodes(cases[i].event, cases[i].text, cases[i].words);
		alias = unc_pmu_alias(&pmus.pmus[0], &code);
		CU_ASSERT(cases[i].alias ? alias && strcmp(alias, cases[i].alias) == 0 : !alias);
	}
}

/* As other PMUs have it: an event code of nine bits with the highest far away, and two numbers more. */
TEST(fields_may_be_split_and_in_other_numbers)
{
	char text[80];

	put_pmu("uncore_imc_0", "4294967295\n");
	put("uncore_imc_0", "format/event", "config:0-3,60-63\n");
	put("uncore_imc_0", "format/umask", "config1:32-39,0\n");
	put("uncore_imc_0", "format/thresh", "config2:0-63\n");
	find();
	/* umask's lowest bit is in the lowest of its bits, which is 0, so that 0x81 is bits 0 and 38. */
	encodes("imc/event=0x84,umask=0x81,thresh=2/",
		"type=4294967295 config=0x8000000000000004 config1=0x4000000001 config2=0x2",
		"uncore_imc_0/event=0x84,thresh=0x2,umask=0x81/");
	code.config[0] |= 1 << 4; /* no field's */
	SAME(unc_pmu_words(&pmus.pmus[0], &code, text, sizeof(text)),
	     "uncore_imc_0/config=0x8000000000000014,config1=0x4000000001,config2=0x2/");
}

TEST(what_perf_cannot_express_is_refused)
{
	put("uncore_imc_0", "format/thresh", "config:24-29\n");
	fake_drop(&f, DEVICES "/uncore_imc_0/format/edge");
	find();
	CU_ASSERT_EQUAL(try_encode("cas_count.rd:thresh=63"), 0);
	FAILS(&o, UNC_EARG, try_encode("cas_count.rd:thresh=64"), "thresh=0x40 is wider than perf's field",
	      "format/thresh");
	FAILS(&o, UNC_EARG, try_encode("cas_count.rd:thresh=1:edge"), "perf's driver has no field for edge=0x1");
	FAILS(&o, UNC_EARG, try_encode("imc/event=0xff,umask=0/"), "takes that for the fixed counter");
}

TEST(the_cpu_is_one_of_the_mask_and_the_socket)
{
	struct unc_host_ops ops = fake_ops;
	unsigned cpu = 0;

	ops.cpus = two_packages;
	f.host.ops = &ops;
	OK(&f, unc_machine_cpu_boxes_new(f.m));
	find();
	OK(&f, unc_pmu_cpu(f.m, &pmus.pmus[0], 0, &cpu));
	EQ(cpu, 0);
	OK(&f, unc_pmu_cpu(f.m, &pmus.pmus[0], 1, &cpu));
	EQ(cpu, 8);
	FAILS(&f, UNC_ENODATA, unc_pmu_cpu(f.m, &pmus.pmus[0], 2, &cpu), "uncore_imc_0/cpumask",
	      "no CPU of socket 2 (\"0,8\")");
	put("uncore_imc_0", "cpumask", "3\n");
	find();
	FAILS(&f, UNC_ENODATA, unc_pmu_cpu(f.m, &pmus.pmus[0], 1, &cpu), "no CPU of socket 1 (\"3\")");
	put("uncore_imc_0", "cpumask", "\n");
	find();
	FAILS(&f, UNC_ENODATA, unc_pmu_cpu(f.m, &pmus.pmus[0], 0, &cpu), "no CPU of socket 0 (\"\")");
	unc_machine_cpu_boxes_free(f.m);
}

/* Where the machine tells nothing of its CPUs, of one socket alone any will do. */
TEST(without_topology_one_socket_has_all_cpus)
{
	unsigned cpu = 0;

	f.n_online = 0;
	OK(&f, unc_machine_cpu_boxes_new(f.m));
	put("uncore_imc_0", "cpumask", "5\n");
	find();
	f.m->n_sockets = 1;
	OK(&f, unc_pmu_cpu(f.m, &pmus.pmus[0], 0, &cpu));
	EQ(cpu, 5);
	f.m->n_sockets = 2;
	FAILS(&f, UNC_ENODATA, unc_pmu_cpu(f.m, &pmus.pmus[0], 0, &cpu), "does not tell");
	unc_machine_cpu_boxes_free(f.m);
}

TEST(what_makes_no_sense_is_said_with_its_file)
{
	static const struct {
		const char *file, *text;
	} cases[] = {{"type", "x\n"},
		     {"type", ""},
		     {"type", "4294967296\n"},
		     {"type", "-1\n"},
		     {"cpumask", "0-\n"},
		     {"cpumask", "9999\n"},
		     {"cpumask", "5-3\n"},
		     {"format/event", ""},
		     {"format/event", "config\n"},
		     {"format/event", "config:\n"},
		     {"format/event", "config:0-64\n"},
		     {"format/event", "config:7-0\n"},
		     {"format/event", "config3:0-7\n"},
		     {"format/event", "config:0-7,\n"},
		     {"format/event", "config0-7\n"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_pmu("uncore_imc_0", "12\n");
		put("uncore_imc_0", cases[i].file, cases[i].text);
		FAILS(&f, UNC_EIO, try_find(), DEVICES "/uncore_imc_0/", cases[i].file, "makes no sense");
	}
}

/* A file that is missing, or too long, or refused; an event whose words are not explained is none of ours. */
TEST(files_that_cannot_be_read_are_said_too)
{
	char *many;

	fake_drop(&f, DEVICES "/uncore_imc_0/type");
	FAILS(&f, UNC_EIO, try_find(), "makes no sense", "uncore_imc_0/type");
	many = calloc(1, 5000);
	CU_ASSERT_FATAL(many != NULL);
	memset(many, '1', 4999);
	put("uncore_imc_0", "type", many);
	FAILS(&f, UNC_EIO, try_find(), "makes no sense", "uncore_imc_0/type");
	free(many);
	put("uncore_imc_0", "type", "12\n");
	put("uncore_imc_0", "events/odd", "event=0x04,zumask=0x03\n");
	put("uncore_imc_0", "events/odder", "event=,umask\n");
	put("uncore_imc_0", "events/wide", "event=0x100\n");
	put("uncore_imc_0", "events/one", "event=0x04,edge\n");
	put("uncore_imc_0", "events/empty", "\n");
	find();
	EQ(pmus.pmus[0].n_aliases, 3); /* clockticks, cas_count_read, one */
	fake_put(&f, DEVICES "/uncore_imc_0/cpumask", "0\n")->rc = UNC_EPERM;
	FAILS(&f, UNC_EPERM, try_find(), "uncore_imc_0/cpumask");
}

/* Whatever bytes are in whichever file, it ends, and what it takes can be asked. */
TEST(any_bytes_do_no_harm)
{
	static const char *const files[] = {"type", "cpumask", "format/event", "format/thresh",
					    "events/cas_count_read"};
	static const char letters[] = "config12:0-9,=xevnthrsumak \n\t\377\001-63";
	uint32_t seed = 12345;

	for (unsigned n = 0; n < 400; n++) {
		char text[24] = "";
		size_t len;

		fake_drop(&f, "");
		put_pmu("uncore_imc_0", "12\n");
		seed = seed * 1664525 + 1013904223;
		len = seed >> 28;
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = letters[(seed >> 20) % (sizeof(letters) - 1)];
		}
		put("uncore_imc_0", files[n % 5], text);
		if (try_find() == 0) {
			code = (struct unc_pmu_code){{n, 0, 0}};
			EQ(pmus.n, 1);
			unc_pmu_alias(&pmus.pmus[0], &code);
		} else {
			HAS(f.ctx->msg, "uncore_imc_0/");
		}
	}
}

TEST(being_out_of_memory_is_said_wherever_it_comes)
{
	int rc = UNC_ENOMEM;

	for (unsigned at = 1; rc == UNC_ENOMEM; at++) {
		f.n_read = 0;
		f.fail_at = at;
		rc = try_find();
		CU_ASSERT(rc == UNC_ENOMEM || at > 9);
		CU_ASSERT_FATAL(at < 100);
	}
	EQ(rc, 0);
}
