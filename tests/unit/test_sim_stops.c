// SPDX-License-Identifier: GPL-2.0-or-later
/* What stops the counters of a simulated machine: its package sleeps, or another program freezes them. */
#include "test_sim.h"
#include "test.h"

#define US  UINT64_C(1000)
#define CH  "7f:14.0" /* of socket 0 */
#define CH1 "7f:14.1"
#define FAR "ff:14.0" /* of socket 1 */

enum { FIXED = 0xd0, FIXED_CTL = 0xf0, BOX_CTL = 0xf4, CTL = 0xd8, CTR = 0xa0, READS = 0x400304, EN = 0x400000 };
enum { DCLK = 800 }; /* in a microsecond */
#define HSX "hsx,sockets=2,cores=2,clock=step,dword_ns=0"

static void all_count(struct fx *fx)
{
	static const char *const at[] = {CH, CH1, FAR};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		fx_w32(fx, at[i], FIXED_CTL, EN);
		fx_w32(fx, at[i], CTL, READS);
	}
}

TEST(while_a_package_sleeps_its_clock_stands_and_its_memory_moves_nothing)
{
	struct fx fx;
	uint64_t reads;

	fx_open(&fx, HSX ",sleep=0@0.000002-0.000005,sleep=0@0.000006-0.000007");
	all_count(&fx);
	fx_step(&fx, 2 * US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 2 * DCLK);
	reads = fx_r48(&fx, CH, CTR);
	CU_ASSERT(reads > 0);
	fx_step(&fx, 2 * US); /* asleep */
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 2 * DCLK);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), reads);
	CU_ASSERT_EQUAL(fx_r48(&fx, FAR, FIXED), 4 * DCLK);
	fx_step(&fx, 4 * US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 4 * DCLK);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, CTR), fx_truth(&fx, CH, "cas_count.rd"));
	CU_ASSERT_EQUAL(fx_r48(&fx, FAR, FIXED), 8 * DCLK);
	fx_close(&fx);
}

TEST(another_program_freezes_a_channel_at_its_time)
{
	struct fx fx;

	fx_open(&fx, HSX ",freeze=socket0.imc0.ch1@0.000002");
	all_count(&fx);
	fx_step(&fx, 5 * US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 5 * DCLK);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH1, FIXED), 2 * DCLK);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH1, BOX_CTL), 0);
	fx_w32(&fx, CH1, BOX_CTL, 0x10000);
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH1, FIXED), 3 * DCLK);
	CU_ASSERT_EQUAL(unc_sim_violations(fx.host), 0);
	fx_close(&fx);
}

TEST(another_program_freezes_a_socket_from_the_start)
{
	struct fx fx;

	fx_open(&fx, HSX ",freeze=socket0");
	all_count(&fx);
	fx_w32(&fx, CH, BOX_CTL, 0x10000); /* which does not let it go on */
	fx_step(&fx, US);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH, FIXED), 0);
	CU_ASSERT_EQUAL(fx_r48(&fx, CH1, FIXED), 0);
	CU_ASSERT_EQUAL(fx_r48(&fx, FAR, FIXED), DCLK);
	fx_close(&fx);
}

static uint64_t global_ctl(struct fx *fx)
{
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 0}};
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	uint64_t value = 0;

	CU_ASSERT_FATAL(fx->host->ops->bus_open(fx->host, UNC_MSR, false, &bus) == 0);
	CU_ASSERT_FATAL(unc_space_open(bus, &addr, &space) == 0);
	CU_ASSERT_FATAL(unc_read64(space, 0x700, &value) == 0);
	unc_space_close(space);
	unc_bus_close(bus);
	return value;
}

TEST(freeze_bits_read_back_as_the_option_says)
{
	struct fx fx;

	fx_open(&fx, HSX ",freeze=socket0,freeze=socket0.imc0.ch1");
	CU_ASSERT_EQUAL(global_ctl(&fx), 0);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH1, BOX_CTL), 0);
	fx_close(&fx);
	fx_open(&fx, HSX ",frz=rw,freeze=socket0,freeze=socket0.imc0.ch1");
	CU_ASSERT_EQUAL(global_ctl(&fx), UINT64_C(1) << 31);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH1, BOX_CTL), 0x100);
	CU_ASSERT_EQUAL(fx_r32(&fx, CH, BOX_CTL), 0);
	fx_close(&fx);
	fx_open(&fx, HSX ",frz=rw");
	CU_ASSERT_EQUAL(global_ctl(&fx), 0);
	fx_close(&fx);
}

TEST(what_the_machine_does_not_have_cannot_be_stopped)
{
	FX_REFUSED("hsx,sleep=0", UNC_EARG, "sleep=0", "SOCKET@FROM-UNTIL");
	FX_REFUSED("hsx,sleep=0@1", UNC_EARG, "sleep=0@1", "SOCKET@FROM-UNTIL");
	FX_REFUSED("hsx,sleep=0@2-1", UNC_EARG, "sleep=0@2-1", "SOCKET@FROM-UNTIL");
	FX_REFUSED("hsx,sleep=0@1-3,sleep=0@2-4", UNC_EARG, "sleep=0@2-4", "SOCKET@FROM-UNTIL");
	FX_REFUSED("hsx,sockets=2,sleep=2@1-3", UNC_EARG, "sleep=2", "sockets 0 to 1");
	FX_REFUSED("hsx,freeze=", UNC_EARG, "freeze=", "no such channel or socket");
	FX_REFUSED("hsx,freeze=socket0@x", UNC_EARG, "freeze=socket0@x", "socket0.imc0.ch1@1.5");
	FX_REFUSED("hsx,sockets=2,freeze=socket2", UNC_EARG, "freeze=socket2", "no such channel or socket");
	FX_REFUSED("snbep,freeze=socket0", UNC_EARG, "freeze=socket0", "no register that freezes a socket");
	FX_REFUSED("hsx,frz=ro", UNC_EARG, "frz=ro", "wo", "rw");
}
