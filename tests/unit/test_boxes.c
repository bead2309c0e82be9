// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"
#include "test.h"
#include "uncore/reg.h"

EACH_ON_SIM(o, "snbep", "sockets=1", NULL)

static const char *const functions[] = {"10.0", "10.1", "10.4", "10.5"}; /* of channels 0 to 3 */
static const unsigned pcm[] = {2, 3, 0, 1};
static const char *const buses[][4] = {[1] = {"ff"}, [2] = {"7f", "ff"}, [4] = {"3f", "7f", "bf", "ff"}};

static struct unc_box_info info(size_t i)
{
	struct unc_box_info info;

	unc_box_info(unc_box_at(o.m, "imc", i), &info);
	return info;
}

/*
 * Each box is Present, Missing, Absent or Denied, as its letter says; why one is not present has its name, its function and that piece.
 * Of a small letter the place is not known either.
 */
static void finds(unsigned sockets, const char *letters, const char *why)
{
	static const char of_presence[] = {
		[UNC_PRESENT] = 'P', [UNC_MISSING] = 'M', [UNC_ABSENT] = 'A', [UNC_DENIED] = 'D'};

	EQ(unc_box_count(o.m, "imc"), 4 * sockets);
	for (size_t i = 0; i < 4 * sockets; i++) {
		struct unc_box_info box = info(i);
		unsigned socket = (unsigned)i / 4, channel = (unsigned)i % 4;
		char name[40], pci[40];

		EQ(of_presence[box.presence], letters[i] & ~0x20);
		if (letters[i] & 0x20) {
			SAME(box.pci, "");
			EQ(box.socket, socket);
			continue;
		}
		/* Its name and its place are what they always are: nothing is renumbered. */
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
		HAS(box.why, letters[i] == 'P' ? "found as 8086:3cb" : why);
		HAS(box.why, letters[i] == 'P' ? box.pci : functions[channel]);
		/* A multi-function device is no bridge. */
		CU_ASSERT_FALSE(letters[i] == 'P' && unc_box_at(o.m, "imc", i)->bridge);
	}
	CU_ASSERT_PTR_NULL(unc_box_at(o.m, "imc", 4 * sockets));
}

TEST(every_channel_has_its_name_and_address)
{
	static const unsigned sockets[] = {1, 2, 4};

	for (unsigned k = 0; k < 3; k++) {
		char options[32];

		snprintf(options, sizeof(options), "sockets=%u", sockets[k]);
		onsim_reopen(&o, "snbep", options, NULL);
		finds(sockets[k], "PPPPPPPPPPPPPPPP", "");
		EQ(unc_box_count(o.m, "ubox"), sockets[k]);
		EQ(unc_box_count(o.m, "qpi"), 0);
		CU_ASSERT_PTR_NULL(unc_box_at(o.m, "qpi", 0));
	}
}

TEST(finding_reads_and_never_writes)
{
	onsim_reopen(&o, "snbep", "sockets=2", NULL);
	OK(&o, onsim_find_boxes_again(&o, &(struct unc_fault){0}));
	CU_ASSERT_TRUE(onsim_trace_count(&o, " r") > 0);
	EQ(onsim_trace_count(&o, " w"), 0);
	/* A header each, and two registers of each UBOX. */
	EQ(onsim_trace_count(&o, "\n"), 10 + 4);
}

TEST(what_is_hidden_is_missing_or_absent_and_what_is_all_ones_is_missing)
{
	static const struct {
		unsigned sockets;
		const char *own, *letters, *why;
	} rows[] = {
		{1, "hide=ff:10.0", "APPP", ""},
		{2, "hide=7f:10.0", "MPPPPPPP", "other sockets have it"},
		{2, "hide=7f:10.1", "PMPPPPPP", "other sockets have it"},
		{2, "hide=7f:10.4", "PPMPPPPP", "other sockets have it"},
		{2, "hide=7f:10.5", "PPPMPPPP", "other sockets have it"},
		{2, "hide=7f:10.0,hide=ff:10.0", "APPPAPPP", "on any socket"},
		{2, "hide=7f:10.1,hide=ff:10.1", "PAPPPAPP", "on any socket"},
		{2, "hide=7f:10.4,hide=ff:10.4", "PPAPPPAP", "on any socket"},
		{2, "hide=7f:10.5,hide=ff:10.5", "PPPAPPPA", "on any socket"},
		/* The UBOX still tells the bus; and where it does not. */
		{2, "hide=7f:10.0,hide=7f:10.1,hide=7f:10.4,hide=7f:10.5", "MMMMPPPP", ""},
		{2, "hide=7f:0b.0,hide=7f:10.0,hide=7f:10.1,hide=7f:10.4,hide=7f:10.5", "mmmmPPPP", ""},
		{1, "hide=ff:0b.0,hide=ff:10.0,hide=ff:10.1,hide=ff:10.4,hide=ff:10.5", "aaaa", ""},
		{2, "allones=7f:10.4,allones=ff:10.4,allones=ff:10.0", "PPMPMPMP", "all ones"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char options[32];

		snprintf(options, sizeof(options), "sockets=%u", rows[i].sockets);
		onsim_reopen(&o, "snbep", options, rows[i].own);
		finds(rows[i].sockets, rows[i].letters, rows[i].why);
	}
}

TEST(a_refused_function_is_denied_with_the_refusal)
{
	onsim_reopen(&o, "snbep", "sockets=2", NULL);
	OK(&o,
	   onsim_find_boxes_again(
		   &o, &(struct unc_fault){.at = 1, .forever = true, .how = UNC_FAULT_EPERM, .only = "0000:7f:10.1"}));
	finds(2, "PDPPPPPP", "made to fail");
}

TEST(where_everything_is_refused_that_is_the_answer)
{
	onsim_reopen(&o, "snbep", "sockets=2", NULL);
	FAILS(&o, UNC_EPERM,
	      onsim_find_boxes_again(&o, &(struct unc_fault){.at = 1, .forever = true, .how = UNC_FAULT_EPERM}),
	      "0000:7f:0b.0: open: Operation not permitted (made to fail)");
	onsim_work(&o);
}

/* Each access of the search fails, once or from then on: what is found bears its right name, and nothing leaks. */
static unsigned fault_loop(enum unc_fault_how how, bool forever)
{
	unsigned at;

	onsim_reopen(&o, "snbep", "sockets=2,numbering=reversed", NULL);
	for (at = 1; at < 100; at++) {
		static const int errs[] = {UNC_EIO, UNC_EPERM, UNC_ENODEV, 0, UNC_EIO, 0};
		int rc = onsim_find_boxes_again(&o, &(struct unc_fault){.at = at, .how = how, .forever = forever});
		unsigned n_present = 0;

		CU_ASSERT_TRUE(rc == 0 || (rc == errs[how] && (forever || how == UNC_FAULT_EPERM)));
		for (size_t i = 0; rc == 0 && i < unc_box_count(o.m, "imc"); i++) {
			struct unc_box_info box = info(i);
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

static struct unc_box *found(const char *name, struct unc_box_info *ret_info)
{
	struct unc_box *box = NULL;

	OK(&o, unc_box_find(o.m, name, &box));
	unc_box_info(box, ret_info);
	return box;
}

TEST(the_ubox_is_a_box_of_each_socket)
{
	static const struct {
		const char *model, *common, *own, *box, *pci;
		uint64_t node_id;
	} cases[] = {
		{"snbep", "sockets=2", "", "socket1.ubox", "0000:ff:0b.0", 0},
		{"ivt", "sockets=2,numbering=reversed", "", "socket1.ubox", "0000:7f:0b.0", 0},
		{"hsx", "sockets=4", "", "socket2.ubox", "0000:bf:10.5", 3},
		{"skx", "sockets=4,domains=2", "", "socket2.ubox", "0001:00:08.0", 3},
		{"skx", "sockets=2", "hide=ae:0a.2", "socket1.ubox", "0000:80:08.0", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_box_state state;
		struct unc_box_info box_info;
		struct unc_box *box;
		uint64_t value;

		onsim_reopen(&o, cases[i].model, cases[i].common, cases[i].own);
		box = found(cases[i].box, &box_info);
		SAME(box_info.pci, cases[i].pci);
		EQ(box_info.presence, UNC_PRESENT);
		EQ(box_info.perf, -1);
		OK(&o, unc_box_reg_read(box, 0, &value)); /* CPUNODEID */
		EQ(value, cases[i].node_id);
		FAILS(&o, UNC_ENOSUP, unc_box_state(box, &state), cases[i].box);
	}
}

TEST(a_ubox_that_is_hidden_is_missing_or_absent)
{
	static const struct {
		const char *model, *common, *own, *box, *pci;
		enum unc_presence presence;
		const char *why;
	} cases[] = {
		{"snbep", "sockets=2", "hide=ff:0b.0", "socket1.ubox", "0000:ff:0b.0", UNC_MISSING, ""},
		{"snbep", "sockets=1", "hide=ff:0b.0", "socket0.ubox", "0000:ff:0b.0", UNC_ABSENT,
		 "does not exist here"},
		{"skx", "sockets=2", "hide=80:08.0", "socket1.ubox", "", UNC_MISSING, ""},
		{"skx", "sockets=2", "hide=80:08.0", "socket0.ubox", "0000:00:08.0", UNC_PRESENT, ""},
		{"skx", "sockets=1", "hide=00:08.0", "socket0.ubox", "", UNC_ABSENT, "this unit does not exist here"},
		{"skx", "sockets=2", "allones=80:08.0", "socket1.ubox", "0000:80:08.0", UNC_MISSING, "all ones"},
		{"skx", "sockets=2", "allones=00:08.0", "socket0.ubox", "0000:00:08.0", UNC_MISSING,
		 "reads as all ones"},
		{"skx", "sockets=2", "hide=80:08.0,allones=ae:08.0", "socket1.ubox", "", UNC_MISSING, ""},
		{"skx", "sockets=2", "allones=ae:08.0", "socket1.ubox", "0000:80:08.0", UNC_PRESENT, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_box_info box_info;

		onsim_reopen(&o, cases[i].model, cases[i].common, cases[i].own);
		found(cases[i].box, &box_info);
		SAME(box_info.pci, cases[i].pci);
		EQ(box_info.presence, cases[i].presence);
		HAS(box_info.why, cases[i].why);
	}
}

TEST(msrs_of_a_socket_are_reached_through_its_lowest_cpu)
{
	static const struct {
		const char *model, *common, *box, *cpu;
	} cases[] = {
		{"ivt", "sockets=2,cores=4", "socket0.global", "cpu0"},
		{"ivt", "sockets=2,cores=4", "socket1.global", "cpu4"},
		{"hsx", "sockets=2,cores=4,offline=0,4-6", "socket0.global", "cpu1"},
		{"bdx", "sockets=2,cores=4,offline=4-6", "socket1.global", "cpu7"},
		{"skx", "sockets=2,cores=4,numbering=reversed", "socket1.global", "cpu4"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_box_info box_info;
		struct unc_box *box;
		uint64_t value = 1;

		onsim_reopen(&o, cases[i].model, cases[i].common, NULL);
		OK(&o, onsim_find_boxes_again(&o, &(struct unc_fault){0}));
		box = found(cases[i].box, &box_info);
		SAME(box_info.pci, cases[i].cpu);
		EQ(box_info.presence, UNC_PRESENT);
		EQ(onsim_trace_count(&o, "msr"), 0); /* not before it is asked for */
		OK(&o, unc_box_reg_read(box, 0, &value));
		EQ(value, 0);
		EQ(onsim_trace_count(&o, "msr"), 1);
		HAS(strstr(o.trace, "msr"), cases[i].cpu);
	}
}

TEST(without_msrs_all_but_their_boxes_works)
{
	struct unc_box_info box_info;
	struct unc_box *box;
	uint64_t value;

	onsim_reopen(&o, "hsx", "sockets=2", "msr=absent");
	box = found("socket1.global", &box_info);
	for (unsigned again = 0; again < 2; again++)
		FAILS(&o, UNC_ENODEV, unc_box_reg_read(box, 0, &value), "socket1.global: GLOBAL_CTL", "modprobe msr");
	found("socket1.global", &box_info);
	EQ(box_info.presence, UNC_MISSING);
	HAS(box_info.why, "modprobe msr");
	EQ(unc_box_count(o.m, "imc"), 16);
	EQ(unc_box_count(o.m, NULL), 16 + 2 + 2 + 2);
}

TEST(a_socket_without_an_online_cpu_has_no_way_to_its_msrs)
{
	struct unc_box_info box_info;
	struct unc_box *box;
	uint64_t value;

	onsim_reopen(&o, "ivt", "sockets=2,cores=2,threads=1,offline=2-3", NULL);
	box = found("socket1.global", &box_info);
	EQ(box_info.presence, UNC_MISSING);
	SAME(box_info.pci, "");
	HAS(box_info.why, "no CPU of socket 1 is known");
	FAILS(&o, UNC_ENODEV, unc_box_reg_read(box, 0, &value), "no CPU of socket 1");
	OK(&o, unc_box_reg_read(found("socket0.global", &box_info), 0, &value));
}
