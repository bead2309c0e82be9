// SPDX-License-Identifier: GPL-2.0-or-later
/* Model-specific registers of the simulated machine, but for monitoring: that is in test_sim_qm.c. */
#include "test_sim.h"

#define SECOND UINT64_C(1000000000)
#define N(a)   (sizeof(a) / sizeof((a)[0]))

static const char *const models[] = {"snbep", "ivt", "hsx", "bdx", "skx"};

static void open_model(struct fx *fx, const char *model, const char *options)
{
	char args[256];

	snprintf(args, sizeof(args), "%s,clock=step,dword_ns=0%s", model, options);
	fx_open(fx, args);
}

static void fails(struct fx *fx, int rc, int err, const char *name, const char *piece)
{
	if (rc != err || !strstr(unc_errmsg(fx->ctx), piece))
		fprintf(stderr, "\ngot %d: %s\n", rc, unc_errmsg(fx->ctx));
	CU_ASSERT_EQUAL(rc, err);
	CU_ASSERT_STRING_EQUAL(unc_err_name(fx->ctx, rc), name);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx->ctx), piece));
}

static int try_read(struct fx *fx, unsigned cpu, uint32_t number)
{
	uint64_t value = 0x5eed;
	int rc = unc_sim_msr_read(fx->host, cpu, number, &value);

	CU_ASSERT(rc == 0 || value == 0x5eed);
	return rc;
}

static int try_write(struct fx *fx, unsigned cpu, uint32_t number, uint64_t value)
{
	return unc_sim_msr_write(fx->host, cpu, number, value);
}

static void a_register_that_is_not_there_faults(void)
{
	static const uint32_t numbers[] = {0x0,   0x4e,  0x4f,  0x48,  0x10a,  0x63b,
					   0x640, 0x64d, 0xca0, 0xd00, 0xe7f0, UINT32_MAX};
	struct fx fx;
	size_t i, k;

	for (i = 0; i < N(models); i++) {
		open_model(&fx, models[i], "");
		for (k = 0; k < N(numbers); k++) {
			fails(&fx, try_read(&fx, 0, numbers[k]), UNC_EIO, "EIO", "this processor has no such register");
			fails(&fx, try_write(&fx, 0, numbers[k], 0), UNC_EIO, "EIO", "has no such register");
		}
		fx_close(&fx);
	}
}

/* The number behind the last C-box, S-box or IIO, and some between boxes. */
static void there_are_as_many_uncore_boxes_as_the_part_has(void)
{
	static const struct {
		const char *model;
		uint32_t behind[6];
	} parts[] = {
		{"snbep", {0xc00, 0xc0a, 0xc12, 0xc18, 0xd05, 0xe04}},
		{"ivt", {0xc02, 0xc12, 0xc35, 0xc3a, 0xd1b, 0xee4}},
		{"hsx", {0x6ff, 0x70b, 0x71b, 0x748, 0xe0c, 0xf20}},
		{"bdx", {0x707, 0x70b, 0x71b, 0x748, 0xe0c, 0xf80}},
		{"skx", {0x707, 0x71b, 0x720, 0xa50, 0xb00, 0xfc0}},
	};
	struct fx fx;
	size_t i, k;

	for (i = 0; i < N(parts); i++) {
		open_model(&fx, parts[i].model, "");
		for (k = 0; k < N(parts[i].behind); k++)
			CU_ASSERT_EQUAL(try_write(&fx, 0, parts[i].behind[k], 0), UNC_EIO);
		fx_close(&fx);
	}
}

static void a_cpu_that_is_not_there_has_none(void)
{
	struct fx fx;

	open_model(&fx, "snbep", ",cores=2,offline=3");
	fails(&fx, try_read(&fx, 3, 0x10), UNC_ENODEV, "ENXIO", "cpu 3: the CPU is offline");
	fails(&fx, try_write(&fx, 3, 0x199, 0), UNC_ENODEV, "ENXIO", "cpu 3: the CPU is offline");
	fails(&fx, try_read(&fx, 8, 0x10), UNC_ENODEV, "ENXIO", "CPUs 0 to 7");
	CU_ASSERT_EQUAL(try_read(&fx, 7, 0x10), 0);
	fx_close(&fx);
}

static void the_driver_may_refuse_writes(void)
{
	struct fx fx;

	open_model(&fx, "bdx", ",msr_writes=off");
	fails(&fx, try_write(&fx, 0, 0xc8f, 1), UNC_EPERM, "EPERM", "msr_writes=off");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc8f), 0);
	fx_close(&fx);
	open_model(&fx, "bdx", ",lockdown=1");
	fails(&fx, try_write(&fx, 0, 0xc8f, 1), UNC_EPERM, "EPERM", "lockdown=1");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc8f), 0); /* reading is allowed */
	fx_close(&fx);
	open_model(&fx, "bdx", ",lockdown=1,msr_writes=off");
	fails(&fx, try_write(&fx, 0, 0xc8f, 1), UNC_EPERM, "EPERM", "lockdown=1");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc8f), 0);
	fx_close(&fx);
}

static void the_bus_has_a_space_for_each_cpu_that_is_online(void)
{
	static const unsigned online[] = {0, 2, 3};
	struct unc_addr *addrs = NULL, off = {.kind = UNC_MSR, .msr = {.cpu = 1}};
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	uint64_t value = 0;
	struct fx fx;
	size_t n = 0, i;

	fx_open(&fx, "snbep,sockets=1,cores=2,offline=1,clock=step,dword_ns=7");
	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_MSR, true, &bus) == 0);
	CU_ASSERT_FATAL(unc_bus_list(bus, &addrs, &n) == 0);
	CU_ASSERT_EQUAL_FATAL(n, N(online));
	for (i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(addrs[i].kind, UNC_MSR);
		CU_ASSERT_EQUAL(addrs[i].msr.cpu, online[i]);
	}
	fails(&fx, unc_space_open(bus, &off, &space), UNC_ENODEV, "ENXIO", "cpu 1: the CPU is offline");
	CU_ASSERT_FATAL(unc_space_open(bus, &addrs[1], &space) == 0);
	CU_ASSERT_EQUAL(unc_read64(space, 0x1a2, &value), 0);
	CU_ASSERT_EQUAL(value, 95 << 16);
	CU_ASSERT_EQUAL(unc_read64(space, 0x10, &value), 0);
	CU_ASSERT_EQUAL(value, UINT64_C(3100000000000) + 7 * 31 / 10); /* the access before took 7 ns */
	fails(&fx, unc_read64(space, 0x11, &value), UNC_EIO, "EIO", "cpu 2: read MSR 0x11");
	unc_space_close(space);
	unc_bus_close(bus);
	free(addrs);
	fx_close(&fx);
}

static void a_bus_writes_and_its_faults_are_those_of_fail(void)
{
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 2}};
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	unsigned char bytes[8];
	uint64_t value = 0;
	struct fx fx;

	open_model(&fx, "snbep", ",fail=2:ENXIO");
	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_MSR, true, &bus) == 0);
	CU_ASSERT_FATAL(unc_space_open(bus, &addr, &space) == 0);
	unc_put_le64(bytes, UINT64_C(0x100001234));
	CU_ASSERT_EQUAL(bus->ops->write(space, 0x199, bytes, 8), 0);
	fails(&fx, unc_read64(space, 0x199, &value), UNC_ENODEV, "ENXIO", "made to fail");
	CU_ASSERT_EQUAL(unc_read64(space, 0x199, &value), 0);
	CU_ASSERT_EQUAL(value, UINT64_C(0x100001234));
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 3, 0x199), 0);
	unc_space_close(space);
	unc_bus_close(bus);
	fx_close(&fx);
}

static void files_have_the_faults_of_fail_too(void)
{
	struct fx fx;

	open_model(&fx, "snbep", ",fail=2:ones");
	fx_wmsr(&fx, 0, 0x199, 0x1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x199), UINT64_MAX);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x199), 0x1000);
	fx_close(&fx);
	open_model(&fx, "snbep", ",fail=1:drop");
	fx_wmsr(&fx, 0, 0x199, 0x1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x199), 0);
	fx_close(&fx);
	open_model(&fx, "snbep", ",fail=1");
	fails(&fx, try_write(&fx, 0, 0x199, 0x1000), UNC_EIO, "EIO", "msr cpu0: write 0x199");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x199), 0);
	fx_close(&fx);
}

static void count_kill(void *arg)
{
	++*(unsigned *)arg;
}

static void a_kill_comes_around_an_access_to_a_file(void)
{
	unsigned killed = 0;
	struct fx fx;

	open_model(&fx, "snbep", ",kill=2:after");
	unc_sim_on_kill(fx.host, count_kill, &killed);
	fx_wmsr(&fx, 0, 0x199, 1);
	CU_ASSERT_EQUAL(killed, 0);
	fx_wmsr(&fx, 0, 0x199, 2);
	CU_ASSERT_EQUAL(killed, 1);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x199), 2);
	fx_close(&fx);
}

static void without_the_driver_there_is_no_bus(void)
{
	struct unc_bus *bus = NULL;
	struct fx fx;

	open_model(&fx, "snbep", ",msr=absent");
	CU_ASSERT_FALSE(unc_sim_has_msrs(fx.host));
	fails(&fx, fx.host->ops->bus_open(fx.host, UNC_MSR, false, &bus), UNC_ENODEV, "ENOENT", "modprobe msr");
	CU_ASSERT_PTR_NULL(bus);
	fx_close(&fx);
	open_model(&fx, "snbep", "");
	CU_ASSERT_TRUE(unc_sim_has_msrs(fx.host));
	fx_close(&fx);
}

static void the_tsc_is_time_times_its_rate(void)
{
	static const uint64_t mhz[] = {3100, 2700, 2300, 2300, 2500};
	struct fx fx;
	size_t i;

	for (i = 0; i < N(models); i++) {
		open_model(&fx, models[i], "");
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x10), 1000 * mhz[i] * 1000000);
		fx_step(&fx, 1234567);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x10), (1000 * SECOND + 1234567) * mhz[i] / 1000);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x10), fx_rmsr(&fx, 9, 0x10));
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xce) >> 8 & 0xff, mhz[i] / 100);
		CU_ASSERT_EQUAL(try_write(&fx, 0, 0xce, 0), UNC_EIO);
		fx_step(&fx, UINT64_C(1) << 57);
		CU_ASSERT_EQUAL(
			fx_rmsr(&fx, 0, 0x10),
			(uint64_t)((unsigned __int128)((UINT64_C(1) << 57) + 1000 * SECOND + 1234567) * mhz[i] / 1000));
		fx_close(&fx);
	}
}

static void energy_rises_with_power_and_has_32_bits(void)
{
	static const struct {
		const char *model;
		unsigned esu;
	} parts[] = {{"snbep", 16}, {"ivt", 16}, {"hsx", 14}, {"bdx", 14}, {"skx", 14}};
	struct fx fx;
	size_t i;

	for (i = 0; i < N(parts); i++) {
		open_model(&fx, parts[i].model, "");
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x606) >> 8 & 0x1f, parts[i].esu);
		fx_step(&fx, 2 * SECOND);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x611), UINT64_C(180) << parts[i].esu);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x619), 40 << 16);
		fx_step(&fx, 100000 * SECOND);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x611), (UINT64_C(100002) * 90 << parts[i].esu) & 0xffffffff);
		fx_close(&fx);
		open_model(&fx, parts[i].model, "");
		fx_step(&fx, SECOND * ((3u << 30 >> parts[i].esu) / 90)); /* three quarters of them: bit 31 */
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x611), (UINT64_C(3) << 30 >> parts[i].esu) / 90 * 90 << parts[i].esu);
		fx_close(&fx);
	}
	open_model(&fx, "ivt", ",cores=2,threads=1"); /* CPU 2 is the other package's */
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0x611), 95 << 16);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0x639), 65 << 16);
	fx_close(&fx);
	open_model(&fx, "hsx", "");
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0x639), UNC_EIO);
	fx_close(&fx);
}

/* Positions: Intel SDM vol. 4. */
static void what_tools_decode_is_where_the_manual_has_it(void)
{
	static const uint64_t base[] = {31, 27, 23, 23, 25};
	static const unsigned turbo[] = {38, 35, 36, 36, 38};
	uint64_t value;
	struct fx fx;
	size_t i;

	for (i = 0; i < N(models); i++) {
		open_model(&fx, models[i], "");
		value = fx_rmsr(&fx, 0, 0xce);
		CU_ASSERT_EQUAL(value >> 8 & 0xff, base[i]);
		CU_ASSERT_EQUAL(value >> 28 & 3, 3);     /* ratios and power limits can be set */
		CU_ASSERT_EQUAL(value >> 40 & 0xff, 12); /* lowest ratio */
		CU_ASSERT_EQUAL(value & ~(UINT64_C(0xff) << 40 | 0x3000ff00), 0);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x198) >> 8 & 0xff, base[i] + 1);
		value = fx_rmsr(&fx, 3, 0x19c);
		CU_ASSERT_EQUAL(value >> 31, 1);                          /* valid */
		CU_ASSERT_EQUAL(value >> 27 & 0xf, 1);                    /* resolution, 1 degree */
		CU_ASSERT_EQUAL(value >> 16 & 0x7f, 43);                  /* below ... */
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x1a2) >> 16 & 0xff, 95); /* ... TjMax */
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x1b1) >> 16 & 0x7f, 38);
		value = fx_rmsr(&fx, 0, 0x606);
		CU_ASSERT_EQUAL(value & 0xf, 3);                          /* 1/8 W */
		CU_ASSERT_EQUAL(value >> 16 & 0xf, 10);                   /* 1/1024 s */
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x1ad) & 0xff, turbo[i]); /* of one active core */
		fx_close(&fx);
	}
}

static void idle_states_take_a_part_of_the_tsc(void)
{
	static const struct {
		uint32_t number;
		unsigned part; /* 0: never */
	} states[] = {{0x60d, 32}, {0x3f8, 16}, {0x3f9, 8}, {0x3fa, 0}, {0x3fc, 10}, {0x3fd, 4}, {0x3fe, 0}};
	struct fx fx;
	size_t i;

	open_model(&fx, "skx", "");
	fx_step(&fx, 2 * SECOND);
	for (i = 0; i < N(states); i++)
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, states[i].number),
				states[i].part ? 2 * (UINT64_C(2500000000) / states[i].part) : 0);
	fx_close(&fx);
}

static void a_fixed_counter_counts_while_it_is_enabled(void)
{
	struct fx fx;

	open_model(&fx, "skx", "");
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30a), 0);
	fx_wmsr(&fx, 0, 0x38d, 0x330);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30a), 0); /* not globally */
	fx_wmsr(&fx, 0, 0x38f, UINT64_C(7) << 32);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x309), 0); /* not in 0x38d */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30a), 2600000000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30b), 2500000000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0x30b), 0);
	fx_wmsr(&fx, 0, 0x30b, (UINT64_C(1) << 48) - 5);
	fx_step(&fx, 10);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30b), 20); /* it wrapped */
	fx_wmsr(&fx, 0, 0x38f, 0);
	fx_step(&fx, SECOND);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30b), 20);
	fx_wmsr(&fx, 0, 0x38f, UINT64_C(7) << 32);
	fx_wmsr(&fx, 0, 0x38d, 0x333);
	fx_step(&fx, 10);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30b), 45);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x309), 21); /* 0.8 instructions a cycle: from 20.8 to 41.6 */
	fx_wmsr(&fx, 0, 0x38f, UINT64_C(1) << 33);   /* each has its own bit */
	fx_step(&fx, 10);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x309), 21);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x30b), 45);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0x30b, UINT64_C(1) << 48), UNC_EIO);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0x38d, 0x1000), UNC_EIO);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x38d), 0x333);
	fx_close(&fx);
}

static void clocks_of_a_core_can_be_written(void)
{
	struct fx fx;

	open_model(&fx, "snbep", "");
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xe7), 3100);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xe8), 3200);
	fx_wmsr(&fx, 0, 0xe7, 0);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xe7), 3100);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xe8), 6400);
	fx_close(&fx);
}

static void there_are_as_many_counters_as_cpuid_says(void)
{
	struct unc_cpuid_regs regs;
	struct fx fx;
	unsigned n;
	size_t i;

	for (i = 0; i < N(models); i++) {
		open_model(&fx, models[i], "");
		CU_ASSERT_EQUAL(fx.host->ops->cpuid(fx.host, 0, 0xa, 0, &regs), 0);
		n = regs.eax >> 8 & 0xff;
		CU_ASSERT(n >= 4 && n <= 8);
		fx_wmsr(&fx, 0, 0xc1 + n - 1, 0x80000000);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc1 + n - 1), UINT64_C(0xffff80000000)); /* its sign is extended */
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x345) >> 13 & 1, 0); /* as without full-width writes */
		fx_wmsr(&fx, 0, 0x186 + n - 1, 0x4300c0);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x186 + n - 1), 0x4300c0);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0x186 + n - 1), 0);
		CU_ASSERT_EQUAL(try_read(&fx, 0, 0xc1 + n), UNC_EIO);
		CU_ASSERT_EQUAL(try_read(&fx, 0, 0x186 + n), UNC_EIO);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x38f), (1u << n) - 1);
		CU_ASSERT_EQUAL(try_write(&fx, 0, 0x38f, 1u << n), UNC_EIO);
		fx_close(&fx);
	}
}

/* PMON registers that count a channel's DCLK, and the freeze of its socket. */
static void a_global_freeze_stops_all_channels_of_its_socket(void)
{
	static const struct {
		const char *options;
		uint32_t msr;
		uint64_t freeze, thaw, back;
		const char *at, *other; /* a channel of socket 0 and one of socket 1 */
		unsigned cpu;           /* of socket 0 */
	} parts[] = {
		{"ivt", 0xc00, 0xc0000003, 0x60000003, 0x40000003, "7f:10.0", "ff:10.0", 1},
		{"hsx", 0x700, 0x80000000, 0x20000000, 0, "7f:14.0", "ff:14.0", 1},
		{"bdx", 0x700, 0x80000000, 0x20000000, 0, "7f:14.0", "ff:14.0", 1},
		{"skx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 0, "3a:0a.2", "ae:0a.2", 1},
	};
	struct fx fx;
	size_t i;

	for (i = 0; i < N(parts); i++) {
		uint64_t before, other;

		open_model(&fx, parts[i].options, "");
		fx_w32(&fx, parts[i].at, 0xf0, 0x400000);
		fx_w32(&fx, parts[i].other, 0xf0, 0x400000);
		fx_step(&fx, SECOND);
		before = fx_r48(&fx, parts[i].at, 0xd0);
		CU_ASSERT(before >= 800000000);
		fx_wmsr(&fx, parts[i].cpu, parts[i].msr, parts[i].freeze);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, parts[i].msr), parts[i].back);
		fx_step(&fx, SECOND / 2);
		CU_ASSERT_EQUAL(fx_r48(&fx, parts[i].at, 0xd0), before);
		fx_wmsr(&fx, parts[i].cpu, parts[i].msr, parts[i].back); /* neither freezes nor thaws */
		fx_step(&fx, SECOND / 4);
		fx_wmsr(&fx, parts[i].cpu, parts[i].msr, parts[i].freeze | parts[i].thaw);
		fx_step(&fx, SECOND / 4);
		CU_ASSERT_EQUAL(fx_r48(&fx, parts[i].at, 0xd0), before);
		other = fx_r48(&fx, parts[i].other, 0xd0);
		CU_ASSERT_EQUAL(other, 2 * before);
		fx_wmsr(&fx, parts[i].cpu, parts[i].msr, parts[i].thaw);
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, parts[i].msr), parts[i].back);
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(fx_r48(&fx, parts[i].at, 0xd0), 2 * before);
		fx_wmsr(&fx, parts[i].cpu, parts[i].msr, parts[i].back);
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(fx_r48(&fx, parts[i].at, 0xd0), 3 * before);
		fx_close(&fx);
	}
	open_model(&fx, "snbep", "");
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0xc00, 0x20000000), UNC_EIO);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0x700, 0x20000000), UNC_EIO);
	fx_close(&fx);
}

/* Of a socket's every channel, each counter: general ones and the fixed one. */
static uint64_t count_all(struct fx *fx, unsigned socket)
{
	struct unc_sim_channel channel;
	char at[UNC_ADDR_TEXT];
	uint64_t sum = 0;
	uint32_t off;
	size_t i;

	for (i = 0; i < unc_sim_channels(fx->host); i++) {
		CU_ASSERT_FATAL(unc_sim_channel(fx->host, i, &channel) == 0);
		if (channel.socket != socket)
			continue;
		unc_addr_text(&channel.addr, at);
		for (off = 0xa0; off < 0xc0; off += 8)
			sum += fx_r48(fx, at, off);
		sum += fx_r48(fx, at, 0xd0);
	}
	return sum;
}

static void enable_all(struct fx *fx)
{
	struct unc_sim_channel channel;
	char at[UNC_ADDR_TEXT];
	uint32_t off;
	size_t i;

	for (i = 0; i < unc_sim_channels(fx->host); i++) {
		CU_ASSERT_FATAL(unc_sim_channel(fx->host, i, &channel) == 0);
		unc_addr_text(&channel.addr, at);
		for (off = 0xd8; off < 0xe8; off += 4)
			fx_w32(fx, at, off, 0x400000); /* clockticks */
		fx_w32(fx, at, 0xf0, 0x400000);
	}
}

static void a_global_freeze_stops_every_counter_and_loses_none(void)
{
	static const struct {
		const char *model;
		uint32_t msr;
		uint64_t freeze, thaw;
		uint64_t per_second; /* channels, each with five counters of DCLK */
	} parts[] = {
		{"ivt", 0xc00, 0x80000000, 0x20000000, 8 * 5 * UINT64_C(800000000)},
		{"hsx", 0x700, 0x80000000, 0x20000000, 4 * 5 * UINT64_C(800000000)},
		{"bdx", 0x700, 0x80000000, 0x20000000, 4 * 5 * UINT64_C(1200000000)},
		{"skx", 0x700, UINT64_C(1) << 63, UINT64_C(1) << 61, 6 * 5 * UINT64_C(1200000000)},
	};
	struct fx fx;
	size_t i;

	for (i = 0; i < N(parts); i++) {
		uint64_t n = parts[i].per_second;

		open_model(&fx, parts[i].model, ",sockets=3,cores=2,threads=1"); /* CPUs 2 and 3 are socket 1's */
		enable_all(&fx);
		fx_step(&fx, SECOND);
		fx_wmsr(&fx, 3, parts[i].msr, parts[i].freeze);
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(count_all(&fx, 0), 2 * n);
		CU_ASSERT_EQUAL(count_all(&fx, 1), n);
		CU_ASSERT_EQUAL(count_all(&fx, 2), 2 * n);
		enable_all(&fx); /* does not thaw */
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(count_all(&fx, 1), n);
		fx_wmsr(&fx, 0, parts[i].msr, parts[i].thaw); /* another socket's */
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(count_all(&fx, 1), n);
		fx_wmsr(&fx, 2, parts[i].msr, parts[i].thaw);
		fx_step(&fx, SECOND);
		CU_ASSERT_EQUAL(count_all(&fx, 0), 5 * n);
		CU_ASSERT_EQUAL(count_all(&fx, 1), 2 * n);
		fx_close(&fx);
	}
}

/* All bits but those that G-IVT, LIKWID or PCM name. */
static void reserved_bits_of_the_global_freeze_fault(void)
{
	static const struct {
		const char *model;
		uint32_t msr;
		uint64_t named;
	} parts[] = {
		{"ivt", 0xc00, 0xe0007fff},
		{"hsx", 0x700, 0xa0000000},
		{"bdx", 0x700, 0xa0000000},
		{"skx", 0x700, UINT64_C(0xa000000000000000)},
	};
	struct fx fx;
	unsigned bit;
	size_t i;

	for (i = 0; i < N(parts); i++) {
		open_model(&fx, parts[i].model, "");
		for (bit = 0; bit < 64; bit++)
			CU_ASSERT_EQUAL(try_write(&fx, 0, parts[i].msr, UINT64_C(1) << bit),
					parts[i].named >> bit & 1 ? UNC_OK : UNC_EIO);
		fx_close(&fx);
	}
}

static void the_clock_of_the_u_box_stands_while_all_is_frozen(void)
{
	struct fx fx;

	open_model(&fx, "hsx", "");
	fx_wmsr(&fx, 0, 0x703, 0x400000);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 5, 0x704), 2000);
	fx_wmsr(&fx, 0, 0x700, 0x80000000);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x704), 2000);
	fx_wmsr(&fx, 0, 0x704, 5);
	fx_wmsr(&fx, 0, 0x700, 0x20000000);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x704), 2005);
	fx_wmsr(&fx, 0, 0x703, 0);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x704), 2005);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0x704, UINT64_C(1) << 48), UNC_EIO);
	CU_ASSERT_EQUAL(try_write(&fx, 0, 0x703, UINT64_C(1) << 32), UNC_EIO);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x704), 2005);
	fx_close(&fx);
	open_model(&fx, "snbep", "");
	fx_wmsr(&fx, 0, 0xc08, 0x400000);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xc09), 2000);
	fx_close(&fx);
}

static void the_buses_of_a_socket_are_told(void)
{
	struct fx fx;

	open_model(&fx, "skx", ",cores=2,threads=1");
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x300), UINT64_C(0x800000005d3a1700));
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 3, 0x300), UINT64_C(0x80000000d7ae8580));
	fx_close(&fx);
	open_model(&fx, "bdx", "");
	CU_ASSERT_EQUAL(try_read(&fx, 0, 0x300), UNC_EIO);
	fx_close(&fx);
}

static void a_register_of_the_package_is_all_its_cpus(void)
{
	struct fx fx;

	open_model(&fx, "bdx", ",cores=2,threads=1");
	fx_wmsr(&fx, 0, 0xe71, 0x123);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0xe71), 0x123);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0xe71), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xe81), 0); /* the next C-box */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xe72), 0);
	fx_wmsr(&fx, 0, 0x610, 0x8000); /* the power limit is the package's, too; prefetchers are the core's */
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0x610), 0x8000);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 2, 0x610), 0);
	fx_wmsr(&fx, 0, 0x1a4, 0xf);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0x1a4), 0);
	fx_close(&fx);
}

/* What pcm-memory, likwid-perfctr and pqos write at their start and end, and read. */
enum { S = 1, I = 2, H = 4, B = 8, K = 16, ALL = 31 };
static const struct {
	unsigned on;
	uint32_t first, last, step, n;
	bool writes_0;
} needed[] = {
	{ALL, 0x10, 0x10, 0, 1, false},         {ALL, 0x17, 0x17, 0, 1, false},
	{ALL, 0x8b, 0x8b, 0, 1, true},          {ALL, 0xce, 0xce, 0, 1, false},
	{ALL, 0x186, 0x189, 0, 1, true},        {ALL, 0xc1, 0xc4, 0, 1, true},
	{ALL, 0x198, 0x199, 0, 1, false},       {ALL, 0x19c, 0x19c, 0, 1, false},
	{ALL, 0x1a0, 0x1a0, 0, 1, false},       {ALL, 0x1a2, 0x1a2, 0, 1, false},
	{ALL, 0x1a4, 0x1a4, 0, 1, true},        {ALL, 0x1a6, 0x1a7, 0, 1, true},
	{ALL, 0x1ad, 0x1ad, 0, 1, false},       {I | H | B | K, 0x1ae, 0x1ae, 0, 1, false},
	{H | B, 0x1af, 0x1af, 0, 1, false},     {ALL, 0x1b0, 0x1b0, 0, 1, true},
	{ALL, 0x1b1, 0x1b1, 0, 1, false},       {ALL, 0x606, 0x606, 0, 1, false},
	{ALL, 0x610, 0x610, 0, 1, true},        {ALL, 0x611, 0x611, 0, 1, false},
	{ALL, 0x613, 0x614, 0, 1, false},       {ALL, 0x618, 0x618, 0, 1, true},
	{ALL, 0x619, 0x619, 0, 1, false},       {ALL, 0x61b, 0x61c, 0, 1, false},
	{S | I, 0x638, 0x63a, 0, 1, false},     {H | B | K, 0x620, 0x620, 0, 1, false},
	{ALL, 0x3f8, 0x3fa, 0, 1, false},       {ALL, 0x3fc, 0x3fe, 0, 1, false},
	{ALL, 0x60d, 0x60d, 0, 1, false},       {ALL, 0x34, 0x34, 0, 1, false},
	{ALL, 0x345, 0x345, 0, 1, false},       {ALL, 0x309, 0x30b, 0, 1, true},
	{ALL, 0x38d, 0x38d, 0, 1, true},        {ALL, 0x38e, 0x38e, 0, 1, false},
	{ALL, 0x38f, 0x390, 0, 1, true},        {ALL, 0x3f1, 0x3f1, 0, 1, true},
	{ALL, 0x3f6, 0x3f6, 0, 1, true},        {H | B | K, 0xc8d, 0xc8d, 0, 1, true},
	{H | B | K, 0xc8e, 0xc8e, 0, 1, false}, {H | B | K, 0xc8f, 0xc8f, 0, 1, true},
	{B | K, 0xc81, 0xc81, 0, 1, true},      {B | K, 0xc90, 0xc9f, 0, 1, false},
	{K, 0xd50, 0xd57, 0, 1, true},          {I, 0xc00, 0xc01, 0, 1, true},
	{I, 0xc06, 0xc06, 0, 1, true},          {H | B | K, 0x700, 0x702, 0, 1, true},
	{S | I, 0xc08, 0xc09, 0, 1, true},      {S | I, 0xc10, 0xc11, 0, 1, true},
	{S | I, 0xc16, 0xc17, 0, 1, true},      {S | I, 0xc24, 0xc24, 0, 1, true},
	{S | I, 0xc30, 0xc34, 0, 1, true},      {S | I, 0xc36, 0xc39, 0, 1, true},
	{S, 0xd04, 0xd04, 0x20, 8, true},       {S, 0xd10, 0xd14, 0x20, 8, true},
	{S, 0xd16, 0xd19, 0x20, 8, true},       {I, 0xd04, 0xd04, 0x20, 15, true},
	{I, 0xd10, 0xd14, 0x20, 15, true},      {I, 0xd16, 0xd1a, 0x20, 15, true},
	{H | B | K, 0x703, 0x706, 0, 1, true},  {H, 0x707, 0x707, 0, 1, true},
	{H | B | K, 0x709, 0x70a, 0, 1, true},  {H | B | K, 0x710, 0x715, 0, 1, true},
	{H | B | K, 0x717, 0x71a, 0, 1, true},  {H, 0x720, 0x726, 10, 4, true},
	{H, 0xe00, 0xe06, 0x10, 18, true},      {H, 0xe08, 0xe0b, 0x10, 18, true},
	{B, 0xe00, 0xe06, 0x10, 24, true},      {B, 0xe08, 0xe0b, 0x10, 24, true},
	{K, 0xe00, 0xe06, 0x10, 28, true},      {K, 0xe08, 0xe0b, 0x10, 28, true},
	{K, 0xa40, 0xa4f, 0x20, 6, true},       {K, 0xa58, 0xa5f, 0x20, 6, true},
};

static void what_tools_need_is_there(void)
{
	struct fx fx;
	size_t i, k;
	uint32_t nth, number;

	for (i = 0; i < N(models); i++) {
		open_model(&fx, models[i], "");
		for (k = 0; k < N(needed); k++) {
			if (!(needed[k].on & 1u << i))
				continue;
			for (nth = 0; nth < needed[k].n; nth++) {
				for (number = needed[k].first; number <= needed[k].last; number++) {
					uint32_t at = number + nth * needed[k].step;

					fx_rmsr(&fx, 0, at);
					if (needed[k].writes_0)
						fx_wmsr(&fx, 0, at, 0);
				}
			}
		}
		fx_close(&fx);
	}
}

/* Each has memory of its own: a register that shared it would show what was written to another. */
static void no_register_shows_what_was_written_to_another(void)
{
	struct fx fx;
	uint32_t number;
	size_t i;
	unsigned n;

	for (i = 0; i < N(models); i++) {
		open_model(&fx, models[i], "");
		for (n = 0, number = 0xa40; number < 0xfc0; number++) {
			if (number >= 0xc00 && number <= 0xca0)
				continue;
			if (number >= 0xd50 && number < 0xd58 && i == 4)
				continue;
			if (unc_sim_msr_write(fx.host, 0, number, number) == 0)
				n++;
		}
		for (number = 0xa40; number < 0xfc0; number++) {
			uint64_t value;

			if ((number >= 0xc00 && number <= 0xca0) || (number >= 0xd50 && number < 0xd58 && i == 4))
				continue;
			if (unc_sim_msr_read(fx.host, 0, number, &value) == 0)
				CU_ASSERT_EQUAL(value, number);
		}
		CU_ASSERT(n >= 80);
		fx_close(&fx);
	}
}

static void reserved_bits_and_constants_fault(void)
{
	static const struct {
		uint32_t number;
		uint64_t value;
	} wrong[] = {
		{0x10, 0},           {0x19c, 0},          {0x1a2, 0},          {0x606, 0},          {0x611, 0},
		{0x34, 0},           {0x1a4, 0x10},       {0x1b0, 0x10},       {0x1a0, 0},          {0x38e, 0},
		{0x199, 0x10000},    {0x1a6, 0x7000},     {0x186, 1ull << 40}, {0x390, 1ull << 40}, {0x3f6, 0x10000},
		{0x199, 1ull << 63}, {0xe01, 1ull << 48},
	};
	struct fx fx;
	size_t i;

	open_model(&fx, "hsx", "");
	for (i = 0; i < N(wrong); i++) {
		uint64_t before = fx_rmsr(&fx, 0, wrong[i].number);

		fails(&fx, try_write(&fx, 0, wrong[i].number, wrong[i].value), UNC_EIO, "EIO",
		      "does not take that value");
		CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, wrong[i].number), before);
	}
	fx_close(&fx);
}

static void what_it_holds_can_be_written_back(void)
{
	struct fx fx;

	open_model(&fx, "hsx", "");
	fx_wmsr(&fx, 0, 0x1a0, fx_rmsr(&fx, 0, 0x1a0) & ~UINT64_C(0x10000));
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x1a0), 0x840089);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 1, 0x1a0), 0x850089);
	fx_wmsr(&fx, 0, 0x8b, 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x8b), UINT64_C(0x43) << 32);
	fx_wmsr(&fx, 0, 0x701, UINT64_MAX);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x701), 0);
	fx_close(&fx);
}

static void suspending_resets_them(void)
{
	struct fx fx;

	open_model(&fx, "hsx", ",sockets=3");
	fx_wmsr(&fx, 107, 0x199, 0x1300); /* the last CPU, of the last package */
	fx_wmsr(&fx, 107, 0xe01, 0x2);
	fx_wmsr(&fx, 0, 0x199, 0x1200);
	fx_wmsr(&fx, 0, 0xe01, 0x1);
	fx_wmsr(&fx, 0, 0x703, 0x400000);
	fx_step(&fx, 1000);
	CU_ASSERT_EQUAL(unc_sim_suspend(fx.host, SECOND), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x199), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 107, 0x199), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0xe01), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 107, 0xe01), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x704), 0);
	CU_ASSERT_EQUAL(fx_rmsr(&fx, 0, 0x10), UINT64_C(2300000000000) + 2300);
	fx_close(&fx);
}

void test_sim_msr_suite(void);
void test_sim_msr_suite(void)
{
	CU_pSuite s = CU_add_suite("sim_msr", NULL, NULL);

	CU_add_test(s, "a register that is not there faults", a_register_that_is_not_there_faults);
	CU_add_test(s, "there are as many uncore boxes as the part has",
		    there_are_as_many_uncore_boxes_as_the_part_has);
	CU_add_test(s, "a CPU that is not there has none", a_cpu_that_is_not_there_has_none);
	CU_add_test(s, "the driver may refuse writes", the_driver_may_refuse_writes);
	CU_add_test(s, "the bus has a space for each CPU that is online",
		    the_bus_has_a_space_for_each_cpu_that_is_online);
	CU_add_test(s, "a bus writes, and its faults are those of fail", a_bus_writes_and_its_faults_are_those_of_fail);
	CU_add_test(s, "files have the faults of fail too", files_have_the_faults_of_fail_too);
	CU_add_test(s, "a kill comes around an access to a file", a_kill_comes_around_an_access_to_a_file);
	CU_add_test(s, "without the driver there is no bus", without_the_driver_there_is_no_bus);
	CU_add_test(s, "the TSC is time times its rate", the_tsc_is_time_times_its_rate);
	CU_add_test(s, "energy rises with power and has 32 bits", energy_rises_with_power_and_has_32_bits);
	CU_add_test(s, "what tools decode is where the manual has it", what_tools_decode_is_where_the_manual_has_it);
	CU_add_test(s, "idle states take a part of the TSC", idle_states_take_a_part_of_the_tsc);
	CU_add_test(s, "a fixed counter counts while it is enabled", a_fixed_counter_counts_while_it_is_enabled);
	CU_add_test(s, "clocks of a core can be written", clocks_of_a_core_can_be_written);
	CU_add_test(s, "there are as many counters as CPUID says", there_are_as_many_counters_as_cpuid_says);
	CU_add_test(s, "a global freeze stops all channels of its socket",
		    a_global_freeze_stops_all_channels_of_its_socket);
	CU_add_test(s, "a global freeze stops every counter and loses none",
		    a_global_freeze_stops_every_counter_and_loses_none);
	CU_add_test(s, "reserved bits of the global freeze fault", reserved_bits_of_the_global_freeze_fault);
	CU_add_test(s, "the clock of the U-box stands while all is frozen",
		    the_clock_of_the_u_box_stands_while_all_is_frozen);
	CU_add_test(s, "the buses of a socket are told", the_buses_of_a_socket_are_told);
	CU_add_test(s, "a register of the package is all its CPUs'", a_register_of_the_package_is_all_its_cpus);
	CU_add_test(s, "what tools need is there", what_tools_need_is_there);
	CU_add_test(s, "no register shows what was written to another", no_register_shows_what_was_written_to_another);
	CU_add_test(s, "reserved bits and constants fault", reserved_bits_and_constants_fault);
	CU_add_test(s, "what it holds can be written back", what_it_holds_can_be_written_back);
	CU_add_test(s, "suspending resets them", suspending_resets_them);
}
