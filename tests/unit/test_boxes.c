// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

static const char *const functions[] = {"10.0", "10.1", "10.4", "10.5"}; /* of channels 0 to 3 */
static const unsigned pcm[] = {2, 3, 0, 1};
static const char *const buses[][4] = {[1] = {"ff"}, [2] = {"7f", "ff"}, [4] = {"3f", "7f", "bf", "ff"}};

static struct unc_box_info info(struct onsim *o, size_t i)
{
	struct unc_box_info info;

	unc_box_info(unc_box_at(o->m, "imc", i), &info);
	return info;
}

/* Box i has the name and the place that it always has. */
static void named_as_ever(struct onsim *o, size_t i, unsigned sockets)
{
	struct unc_box_info box = info(o, i);
	unsigned socket = (unsigned)i / 4, channel = (unsigned)i % 4;
	char name[40], pci[40];

	snprintf(name, sizeof(name), "socket%u.imc0.ch%u", socket, channel);
	snprintf(pci, sizeof(pci), "0000:%s:%s", buses[sockets][socket], functions[channel]);
	SAME(box.name, name);
	SAME(box.pci, pci);
	EQ(box.socket, socket);
	EQ(box.imc, 0);
	EQ(box.channel, channel);
	EQ(box.perf, channel);
	EQ(box.pcm, pcm[channel]);
	EQ(box.likwid, channel);
}

TEST(every_channel_has_its_name_and_address)
{
	static const unsigned sockets[] = {1, 2, 4};

	for (unsigned k = 0; k < 3; k++) {
		struct onsim o;
		char options[32];

		snprintf(options, sizeof(options), "sockets=%u", sockets[k]);
		onsim_open(&o, options, NULL);
		EQ(unc_box_count(o.m, "imc"), 4 * sockets[k]);
		for (size_t i = 0; i < 4 * sockets[k]; i++) {
			named_as_ever(&o, i, sockets[k]);
			EQ(info(&o, i).presence, UNC_PRESENT);
			HAS(info(&o, i).why, "found as 8086:3cb");
			HAS(info(&o, i).why, info(&o, i).pci);
			/* A multi-function device is no bridge. */
			CU_ASSERT_FALSE(unc_box_at(o.m, "imc", i)->bridge);
		}
		CU_ASSERT_PTR_NULL(unc_box_at(o.m, "imc", 4 * sockets[k]));
		EQ(unc_box_count(o.m, "ubox"), sockets[k]);
		EQ(unc_box_count(o.m, "qpi"), 0);
		CU_ASSERT_PTR_NULL(unc_box_at(o.m, "qpi", 0));
		onsim_close(&o);
	}
}

TEST(finding_reads_and_never_writes)
{
	struct onsim o;

	onsim_open(&o, "sockets=2", NULL);
	OK(&o, onsim_find_boxes_again(&o, &(struct unc_fault){0}));
	CU_ASSERT_TRUE(onsim_trace_count(&o, " r") > 0);
	EQ(onsim_trace_count(&o, " w"), 0);
	/* A header each, and two registers of each UBOX. */
	EQ(onsim_trace_count(&o, "\n"), 10 + 4);
	onsim_close(&o);
}

/* Channel c hidden on one socket of two, or on both. */
static void hide(unsigned channel, unsigned how_many)
{
	struct onsim o;
	char own[64];

	snprintf(own, sizeof(own), "hide=7f:%s%s%s", functions[channel], how_many == 2 ? ",hide=ff:" : "",
		 how_many == 2 ? functions[channel] : "");
	onsim_open(&o, "sockets=2", own);
	EQ(unc_box_count(o.m, "imc"), 8);
	for (size_t i = 0; i < 8; i++) {
		bool hidden = i % 4 == channel && (i < 4 || how_many == 2);

		named_as_ever(&o, i, 2);
		EQ(info(&o, i).presence, !hidden ? UNC_PRESENT : how_many == 2 ? UNC_ABSENT : UNC_MISSING);
		if (hidden) {
			HAS(info(&o, i).why, info(&o, i).name);
			HAS(info(&o, i).why, how_many == 2 ? "on any socket" : "other sockets have it");
			HAS(info(&o, i).why, functions[channel]);
		}
	}
	onsim_close(&o);
}

TEST(a_hidden_channel_is_missing_or_absent_and_renumbers_nothing)
{
	for (unsigned channel = 0; channel < 4; channel++)
		for (unsigned how_many = 1; how_many <= 2; how_many++)
			hide(channel, how_many);
}

TEST(on_a_single_socket_a_hidden_channel_is_absent)
{
	struct onsim o;

	onsim_open(&o, "sockets=1", "hide=ff:10.0");
	EQ(info(&o, 0).presence, UNC_ABSENT);
	for (size_t i = 1; i < 4; i++)
		EQ(info(&o, i).presence, UNC_PRESENT);
	named_as_ever(&o, 1, 1);
	onsim_close(&o);
}

TEST(all_channels_of_one_socket_can_be_missing)
{
	struct onsim o;

	onsim_open(&o, "sockets=2", "hide=7f:10.0,hide=7f:10.1,hide=7f:10.4,hide=7f:10.5");
	for (size_t i = 0; i < 8; i++) {
		named_as_ever(&o, i, 2); /* the UBOX still tells the bus */
		EQ(info(&o, i).presence, i < 4 ? UNC_MISSING : UNC_PRESENT);
	}
	onsim_close(&o);
	onsim_open(&o, "sockets=2", "hide=7f:0b.0,hide=7f:10.0,hide=7f:10.1,hide=7f:10.4,hide=7f:10.5");
	for (size_t i = 0; i < 4; i++) {
		SAME(info(&o, i).pci, "");
		EQ(info(&o, i).presence, UNC_MISSING);
		EQ(info(&o, i).socket, 0);
	}
	named_as_ever(&o, 4, 2);
	onsim_close(&o);
}

TEST(everything_can_be_absent)
{
	struct onsim o;

	onsim_open(&o, "sockets=1", "hide=ff:0b.0,hide=ff:10.0,hide=ff:10.1,hide=ff:10.4,hide=ff:10.5");
	EQ(unc_box_count(o.m, "imc"), 4);
	for (size_t i = 0; i < 4; i++) {
		EQ(info(&o, i).presence, UNC_ABSENT);
		SAME(info(&o, i).pci, "");
	}
	onsim_close(&o);
}

TEST(a_function_of_all_ones_is_missing_even_on_every_socket)
{
	struct onsim o;

	onsim_open(&o, "sockets=2", "allones=7f:10.4,allones=ff:10.4,allones=ff:10.0");
	for (size_t i = 0; i < 8; i++) {
		bool ones = i == 2 || i == 6 || i == 4;

		named_as_ever(&o, i, 2);
		EQ(info(&o, i).presence, ones ? UNC_MISSING : UNC_PRESENT);
		if (ones)
			HAS(info(&o, i).why, "all ones");
	}
	onsim_close(&o);
}

TEST(a_refused_function_is_denied_with_the_refusal)
{
	struct onsim o;

	onsim_open(&o, "sockets=2", NULL);
	OK(&o,
	   onsim_find_boxes_again(
		   &o, &(struct unc_fault){.at = 1, .forever = true, .how = UNC_FAULT_EPERM, .only = "0000:7f:10.1"}));
	for (size_t i = 0; i < 8; i++) {
		named_as_ever(&o, i, 2);
		EQ(info(&o, i).presence, i == 1 ? UNC_DENIED : UNC_PRESENT);
	}
	HAS(info(&o, 1).why, "made to fail");
	onsim_close(&o);
}

TEST(where_everything_is_refused_that_is_the_answer)
{
	struct onsim o;

	onsim_open(&o, "sockets=2", NULL);
	FAILS(&o, UNC_EPERM,
	      onsim_find_boxes_again(&o, &(struct unc_fault){.at = 1, .forever = true, .how = UNC_FAULT_EPERM}),
	      "0000:7f:0b.0: open: Operation not permitted (made to fail)");
	onsim_work(&o);
	onsim_close(&o);
}

/* Each access of the search fails, once or from then on: what is found bears its right name, and nothing leaks. */
static unsigned fault_loop(enum unc_fault_how how, bool forever)
{
	struct onsim o;
	unsigned at;

	onsim_open(&o, "sockets=2,numbering=reversed", NULL);
	for (at = 1; at < 100; at++) {
		static const int errs[] = {UNC_EIO, UNC_EPERM, UNC_ENODEV, 0, UNC_EIO, 0};
		int rc = onsim_find_boxes_again(&o, &(struct unc_fault){.at = at, .how = how, .forever = forever});
		unsigned n_present = 0;

		CU_ASSERT_TRUE(rc == 0 || (rc == errs[how] && (forever || how == UNC_FAULT_EPERM)));
		for (size_t i = 0; rc == 0 && i < unc_box_count(o.m, "imc"); i++) {
			struct unc_box_info box = info(&o, i);
			bool lower = strncmp(box.pci, "0000:7f", 7) == 0;

			n_present += box.presence == UNC_PRESENT;
			if (box.presence == UNC_PRESENT && !forever)
				EQ(box.socket, lower ? 1 : 0);
		}
		if (rc == 0 && !forever)
			CU_ASSERT_TRUE(n_present >= 7);
		EQ(onsim_trace_count(&o, " w"), 0);
		if (!o.fault.done)
			break;
	}
	onsim_work(&o);
	OK(&o, onsim_find_boxes_again(&o, &(struct unc_fault){0}));
	onsim_close(&o);
	return at;
}

TEST(any_access_of_the_search_may_fail)
{
	static const enum unc_fault_how hows[] = {UNC_FAULT_EIO, UNC_FAULT_EPERM, UNC_FAULT_ENODEV, UNC_FAULT_ONES};

	for (unsigned i = 0; i < 4; i++) {
		unsigned opens = hows[i] == UNC_FAULT_ONES ? 0 : 10;

		EQ(fault_loop(hows[i], false), 14 + opens + 1);
		EQ(fault_loop(hows[i], true), 14 + opens + 1);
	}
}

/* ---- boxes of which a socket has one ---- */

struct seen { /* a machine with its trace and notes */
	struct unc_ctx *ctx;
	struct unc_machine *m;
	char trace[1 << 16];
};

static void on_line(void *arg, const char *line)
{
	struct seen *s = arg;
	size_t len = strlen(s->trace);

	snprintf(s->trace + len, sizeof(s->trace) - len, "%s\n", line);
}

static struct seen *seen_open(const char *name)
{
	struct seen *s = calloc(1, sizeof(*s));
	struct unc_machine_cfg cfg = {.machine = name, .trace = on_line, .trace_arg = s, .wake_fd = -1};

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_FATAL(unc_new(&s->ctx) == 0);
	OK(s, unc_machine_open(s->ctx, &cfg, &s->m));
	return s;
}

static void seen_close(struct seen *s)
{
	OK(s, unc_machine_close(s->m));
	unc_free(s->ctx);
	free(s);
}

static struct unc_box *seen_box(struct seen *s, const char *name)
{
	struct unc_box *box = NULL;

	OK(s, unc_box_find(s->m, name, &box));
	return box;
}

TEST(the_ubox_is_a_box_of_each_socket)
{
	static const struct {
		const char *machine, *box, *pci;
		uint64_t node_id;
	} cases[] = {
		{"sim:snbep,sockets=2,clock=step", "socket1.ubox", "0000:ff:0b.0", 0},
		{"sim:ivt,sockets=2,clock=step,numbering=reversed", "socket1.ubox", "0000:7f:0b.0", 0},
		{"sim:hsx,sockets=4,clock=step", "socket2.ubox", "0000:bf:10.5", 3},
		{"sim:skx,sockets=4,domains=2,clock=step", "socket2.ubox", "0001:00:08.0", 3},
		{"sim:skx,sockets=2,clock=step,hide=ae:0a.2", "socket1.ubox", "0000:80:08.0", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen *s = seen_open(cases[i].machine);
		struct unc_box *box = seen_box(s, cases[i].box);
		struct unc_box_state state;
		struct unc_box_info box_info;
		uint64_t value;

		unc_box_info(box, &box_info);
		SAME(box_info.pci, cases[i].pci);
		EQ(box_info.presence, UNC_PRESENT);
		EQ(box_info.perf, -1);
		OK(s, unc_box_reg_read(box, 0, &value)); /* CPUNODEID */
		EQ(value, cases[i].node_id);
		FAILS(s, UNC_ENOSUP, unc_box_state(box, &state), cases[i].box);
		seen_close(s);
	}
}

TEST(a_ubox_that_is_hidden_is_missing_or_absent)
{
	static const struct {
		const char *machine, *box, *pci;
		enum unc_presence presence;
	} cases[] = {
		{"sim:snbep,sockets=2,clock=step,hide=ff:0b.0", "socket1.ubox", "0000:ff:0b.0", UNC_MISSING},
		{"sim:snbep,sockets=1,clock=step,hide=ff:0b.0", "socket0.ubox", "0000:ff:0b.0", UNC_ABSENT},
		{"sim:skx,sockets=2,clock=step,hide=80:08.0", "socket1.ubox", "", UNC_MISSING},
		{"sim:skx,sockets=2,clock=step,hide=80:08.0", "socket0.ubox", "0000:00:08.0", UNC_PRESENT},
		{"sim:skx,sockets=1,clock=step,hide=00:08.0", "socket0.ubox", "", UNC_ABSENT},
		{"sim:skx,sockets=2,clock=step,allones=80:08.0", "socket1.ubox", "0000:80:08.0", UNC_MISSING},
		{"sim:skx,sockets=2,clock=step,allones=00:08.0", "socket0.ubox", "0000:00:08.0", UNC_MISSING},
		{"sim:skx,sockets=2,clock=step,hide=80:08.0,allones=ae:08.0", "socket1.ubox", "", UNC_MISSING},
		{"sim:skx,sockets=2,clock=step,allones=ae:08.0", "socket1.ubox", "0000:80:08.0", UNC_PRESENT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen *s = seen_open(cases[i].machine);
		struct unc_box_info box_info;

		unc_box_info(seen_box(s, cases[i].box), &box_info);
		SAME(box_info.pci, cases[i].pci);
		EQ(box_info.presence, cases[i].presence);
		if (strstr(cases[i].machine, "allones=80") || strstr(cases[i].machine, "allones=00"))
			HAS(box_info.why, "reads as all ones");
		if (box_info.presence == UNC_ABSENT)
			HAS(box_info.why, "this unit does not exist here");
		seen_close(s);
	}
}

TEST(msrs_of_a_socket_are_reached_through_its_lowest_cpu)
{
	static const struct {
		const char *machine, *box, *cpu;
	} cases[] = {
		{"sim:ivt,sockets=2,cores=4,clock=step", "socket0.global", "cpu0"},
		{"sim:ivt,sockets=2,cores=4,clock=step", "socket1.global", "cpu4"},
		{"sim:hsx,sockets=2,cores=4,clock=step,offline=0,4-6", "socket0.global", "cpu1"},
		{"sim:bdx,sockets=2,cores=4,clock=step,offline=4-6", "socket1.global", "cpu7"},
		{"sim:skx,sockets=2,cores=4,clock=step,numbering=reversed", "socket1.global", "cpu4"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen *s = seen_open(cases[i].machine);
		struct unc_box *box = seen_box(s, cases[i].box);
		struct unc_box_info box_info;
		uint64_t value = 1;

		unc_box_info(box, &box_info);
		SAME(box_info.pci, cases[i].cpu);
		EQ(box_info.presence, UNC_PRESENT);
		EQ(onsim_count(s->trace, "msr"), 0); /* not before it is asked for */
		OK(s, unc_box_reg_read(box, 0, &value));
		EQ(value, 0);
		EQ(onsim_count(s->trace, "msr"), 1);
		HAS(strstr(s->trace, "msr"), cases[i].cpu);
		seen_close(s);
	}
}

TEST(without_msrs_all_but_their_boxes_works)
{
	struct seen *s = seen_open("sim:hsx,sockets=2,clock=step,msr=absent");
	struct unc_box *box = seen_box(s, "socket1.global");
	struct unc_box_info box_info;
	uint64_t value;

	for (unsigned again = 0; again < 2; again++)
		FAILS(s, UNC_ENODEV, unc_box_reg_read(box, 0, &value), "socket1.global: GLOBAL_CTL", "modprobe msr");
	unc_box_info(box, &box_info);
	EQ(box_info.presence, UNC_MISSING);
	HAS(box_info.why, "modprobe msr");
	EQ(unc_box_count(s->m, "imc"), 16);
	EQ(unc_box_count(s->m, NULL), 16 + 2 + 2);
	seen_close(s);
}

TEST(a_socket_without_an_online_cpu_has_no_way_to_its_msrs)
{
	struct seen *s = seen_open("sim:ivt,sockets=2,cores=2,threads=1,clock=step,offline=2-3");
	struct unc_box_info box_info;
	uint64_t value;

	unc_box_info(seen_box(s, "socket1.global"), &box_info);
	EQ(box_info.presence, UNC_MISSING);
	SAME(box_info.pci, "");
	HAS(box_info.why, "no CPU of socket 1 is known");
	FAILS(s, UNC_ENODEV, unc_box_reg_read(seen_box(s, "socket1.global"), 0, &value), "no CPU of socket 1");
	OK(s, unc_box_reg_read(seen_box(s, "socket0.global"), 0, &value));
	seen_close(s);
}
