// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

#define CH "ff:10.4"

/* The events a second time, from the guide's tables, so that a slip of the pen in the model shows. */
static const struct {
	const char *name;
	uint32_t code, umask;
} events[] = {
	{"act_count", 0x01, 0x00},
	{"pre_count.page_miss", 0x02, 0x01},
	{"pre_count.page_close", 0x02, 0x02},
	{"cas_count.rd_reg", 0x04, 0x01},
	{"cas_count.rd_underfill", 0x04, 0x02},
	{"cas_count.wr_wmm", 0x04, 0x04},
	{"cas_count.wr_rmm", 0x04, 0x08},
	{"dram_refresh.panic", 0x05, 0x02},
	{"dram_refresh.high", 0x05, 0x04},
	{"dram_pre_all", 0x06, 0x00},
	{"major_modes.read", 0x07, 0x01},
	{"major_modes.write", 0x07, 0x02},
	{"major_modes.partial", 0x07, 0x04},
	{"major_modes.isoch", 0x07, 0x08},
	{"preemption.rd_preempt_rd", 0x08, 0x01},
	{"preemption.rd_preempt_wr", 0x08, 0x02},
	{"ecc_correctable_errors", 0x09, 0x00},
	{"rpq_inserts", 0x10, 0x00},
	{"rpq_cycles_ne", 0x11, 0x00},
	{"rpq_cycles_full", 0x12, 0x00},
	{"wpq_inserts", 0x20, 0x00},
	{"wpq_cycles_ne", 0x21, 0x00},
	{"wpq_cycles_full", 0x22, 0x00},
	{"wpq_read_hit", 0x23, 0x00},
	{"wpq_write_hit", 0x24, 0x00},
	{"power_throttle_cycles.rank0", 0x41, 0x01},
	{"power_throttle_cycles.rank1", 0x41, 0x02},
	{"power_throttle_cycles.rank2", 0x41, 0x04},
	{"power_throttle_cycles.rank3", 0x41, 0x08},
	{"power_throttle_cycles.rank4", 0x41, 0x10},
	{"power_throttle_cycles.rank5", 0x41, 0x20},
	{"power_throttle_cycles.rank6", 0x41, 0x40},
	{"power_throttle_cycles.rank7", 0x41, 0x80},
	{"power_self_refresh", 0x43, 0x00},
	{"rpq_occupancy", 0x80, 0x00},
	{"wpq_occupancy", 0x81, 0x00},
	{"power_cke_cycles.rank0", 0x83, 0x01},
	{"power_cke_cycles.rank1", 0x83, 0x02},
	{"power_cke_cycles.rank2", 0x83, 0x04},
	{"power_cke_cycles.rank3", 0x83, 0x08},
	{"power_cke_cycles.rank4", 0x83, 0x10},
	{"power_cke_cycles.rank5", 0x83, 0x20},
	{"power_cke_cycles.rank6", 0x83, 0x40},
	{"power_cke_cycles.rank7", 0x83, 0x80},
	{"power_channel_dlloff", 0x84, 0x00},
	{"power_channel_ppd", 0x85, 0x00},
	{"power_critical_throttle_cycles", 0x86, 0x00},
};

enum { N_EVENTS = sizeof(events) / sizeof(events[0]) };

/* No two alike, and no two sums of two either. */
static uint64_t rate_of(size_t event)
{
	return 1000003 + 10007 * event + 13 * event * event;
}

static void open_all_different(struct fx *fx)
{
	char text[8192];
	size_t i, len;

	len = (size_t)snprintf(text, sizeof(text),
			       "format: uncorectl-load/1\nchannels:\n  socket0.imc0.ch2:\n    events:\n");
	for (i = 0; i < N_EVENTS; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "      %s: %llu\n", events[i].name,
					(unsigned long long)rate_of(i));
	CU_ASSERT_FATAL(len < sizeof(text));
	fx_open_load(fx, "snbep,sockets=1,clock=step,dword_ns=0", text);
}

static void every_event_and_sub_event_is_counted_by_its_own_code(void)
{
	struct fx fx;
	size_t i;

	for (i = 0; i < N_EVENTS; i++) {
		uint32_t slot = (uint32_t)i % 4;
		uint64_t count;

		open_all_different(&fx);
		fx_w32(&fx, CH, 0xd8 + 4 * slot, 0x400000 | events[i].umask << 8 | events[i].code);
		fx_step(&fx, 1000000000);
		count = fx_r48(&fx, CH, 0xa0 + 8 * slot);
		if (count != rate_of(i))
			fprintf(stderr, "\n%s: %llu, not %llu\n", events[i].name, (unsigned long long)count,
				(unsigned long long)rate_of(i));
		CU_ASSERT_EQUAL(count, rate_of(i));
		CU_ASSERT_EQUAL(fx_truth(&fx, CH, events[i].name), rate_of(i));
		CU_ASSERT_EQUAL(unc_sim_violations(fx.host), 0);
		fx_close(&fx);
	}
}

static void clockticks_is_dclk_whatever_the_load(void)
{
	struct fx fx;

	open_all_different(&fx);
	fx_w32(&fx, CH, 0xd8, 0x400000);
	fx_w32(&fx, CH, 0xf0, 0x400000);
	fx_step(&fx, 123456789);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, 0xa0), 98765431);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, 0xd0), 98765431);
	CU_ASSERT_EQUAL(fx_truth(&fx, CH, "clockticks"), 98765431);
	fx_close(&fx);
}

static void there_are_no_other_events(void)
{
	size_t i, k, known;
	const char *name;
	struct fx fx;

	open_all_different(&fx);
	for (i = 0; (name = unc_sim_event_name(fx.host, i)) != NULL; i++) {
		for (k = 0, known = !strcmp(name, "clockticks"); k < N_EVENTS; k++)
			known += !strcmp(name, events[k].name);
		CU_ASSERT_EQUAL(known, 1);
	}
	CU_ASSERT_EQUAL(i, N_EVENTS + 1);
	fx_close(&fx);
}

static void every_other_code_counts_nothing(void)
{
	struct fx fx;
	uint32_t code;
	size_t i;

	for (code = 1; code < 256; code++) {
		bool known = false;

		for (i = 0; i < N_EVENTS; i++)
			known |= events[i].code == code;
		if (known)
			continue;
		open_all_different(&fx);
		fx_w32(&fx, CH, 0xd8, 0x40ff00 | code);
		fx_w32(&fx, CH, 0xdc, 0x400000 | code);
		fx_step(&fx, 1000000000);
		CU_ASSERT_EQUAL(fx_r48(&fx, CH, 0xa0), 0);
		CU_ASSERT_EQUAL(fx_r48(&fx, CH, 0xa8), 0);
		fx_close(&fx);
	}
}

static void cpuid_says_xeon_e5_2687w(void)
{
	struct unc_cpuid_regs r;
	char brand[49] = "";
	struct fx fx;
	uint32_t i;

	fx_open(&fx, "snbep");
	r = fx_cpuid(&fx, 0, 0, 0);
	CU_ASSERT_EQUAL(r.eax, 0xd);
	CU_ASSERT(!memcmp(&r.ebx, "Genu", 4) && !memcmp(&r.edx, "ineI", 4) && !memcmp(&r.ecx, "ntel", 4));
	r = fx_cpuid(&fx, 3, 1, 0);
	CU_ASSERT_EQUAL(r.eax, 0x206d7);
	CU_ASSERT_EQUAL(r.ecx >> 31, 0); /* no hypervisor */
	for (i = 0; i < 3; i++) {
		r = fx_cpuid(&fx, 0, 0x80000002 + i, 0);
		memcpy(brand + 16 * i, &r, 16);
	}
	CU_ASSERT_STRING_EQUAL(brand, "      Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz");
	fx_close(&fx);
}

static void a_leaf_beyond_the_highest_answers_as_leaf_d(void)
{
	static const uint32_t leaves[] = {0xd, 0xe, 0xf, 0x10, 0x14, 0x40000000, 0x80000009, 0x8000001e, 0xffffffff};
	struct fx fx;
	size_t i;

	fx_open(&fx, "snbep");
	for (i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		struct unc_cpuid_regs r = fx_cpuid(&fx, 1, leaves[i], 0);

		CU_ASSERT_EQUAL(r.eax, 7);
		CU_ASSERT_EQUAL(r.ebx, 0x340);
		CU_ASSERT_EQUAL(r.ecx, 0x340);
		CU_ASSERT_EQUAL(r.edx, 0);
	}
	CU_ASSERT_EQUAL(fx_cpuid(&fx, 0, 0x80000000, 0).eax, 0x80000008);
	CU_ASSERT_EQUAL(fx_cpuid(&fx, 0, 0x80000008, 0).eax, 0x302e);
	CU_ASSERT_EQUAL(fx_cpuid(&fx, 0, 7, 0).ebx, 0);
	fx_close(&fx);
}

static void a_cpu_that_is_not_there_is_enodev(void)
{
	struct unc_cpuid_regs regs;
	struct fx fx;

	fx_open(&fx, "snbep,sockets=2,cores=3,threads=1");
	CU_ASSERT_EQUAL(fx.host->ops->cpuid(fx.host, 5, 0, 0, &regs), 0);
	CU_ASSERT_EQUAL(fx.host->ops->cpuid(fx.host, 6, 0, 0, &regs), UNC_ENODEV);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx.ctx), "cpu 6"));
	fx_close(&fx);
}

void test_sim_model_snbep_suite(void);
void test_sim_model_snbep_suite(void)
{
	CU_pSuite s = CU_add_suite("sim_model_snbep", NULL, NULL);

	CU_add_test(s, "every event and sub-event is counted by its own code",
		    every_event_and_sub_event_is_counted_by_its_own_code);
	CU_add_test(s, "clockticks is DCLK whatever the load", clockticks_is_dclk_whatever_the_load);
	CU_add_test(s, "there are no other events", there_are_no_other_events);
	CU_add_test(s, "every other code counts nothing", every_other_code_counts_nothing);
	CU_add_test(s, "CPUID says Xeon E5-2687W", cpuid_says_xeon_e5_2687w);
	CU_add_test(s, "a leaf beyond the highest answers as leaf 0xd", a_leaf_beyond_the_highest_answers_as_leaf_d);
	CU_add_test(s, "a CPU that is not there is ENODEV", a_cpu_that_is_not_there_is_enodev);
}
