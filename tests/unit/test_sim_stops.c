// SPDX-License-Identifier: GPL-2.0-or-later
/* What stops the counters of a simulated machine: its package sleeps, or another program freezes them. */
#include "test_sim.h"

#define CH  "7f:14.0" /* of socket 0 */
#define CH1 "7f:14.1"
#define FAR "ff:14.0" /* of socket 1 */

enum { DCLK = 800 }; /* in a microsecond */
#define HSX "hsx,sockets=2,cores=2,clock=step,dword_ns=0"

static void all_count(void)
{
	static const char *const at[] = {CH, CH1, FAR};

	for (size_t i = 0; i < N(at); i++)
		W32(at[i], {FIXED_CTL, EN}, {CTL, READS});
}

TEST(while_a_package_sleeps_its_clock_stands_and_its_memory_moves_nothing)
{
	uint64_t reads;

	fx_open(HSX ",sleep=0@0.000002-0.000005,sleep=0@0.000006-0.000007");
	all_count();
	fx_step(2 * US);
	IS48(CH, {FIXED, 2 * DCLK});
	reads = fx_r48(CH, CTR);
	CU_ASSERT(reads > 0);
	fx_step(2 * US); /* asleep */
	IS48(CH, {FIXED, 2 * DCLK}, {CTR, reads});
	IS48(FAR, {FIXED, 4 * DCLK});
	fx_step(4 * US);
	IS48(CH, {FIXED, 4 * DCLK}, {CTR, fx_truth(CH, "cas_count.rd")});
	IS48(FAR, {FIXED, 8 * DCLK});
}

TEST(another_program_freezes_a_channel_at_its_time)
{
	fx_open(HSX ",freeze=socket0.imc0.ch1@0.000002");
	all_count();
	fx_step(5 * US);
	IS48(CH, {FIXED, 5 * DCLK});
	IS48(CH1, {FIXED, 2 * DCLK});
	IS32(CH1, {BOX_CTL, 0});
	fx_w32(CH1, BOX_CTL, 0x10000);
	fx_step(US);
	IS48(CH1, {FIXED, 3 * DCLK});
}

TEST(another_program_freezes_a_socket_from_the_start)
{
	fx_open(HSX ",freeze=socket0");
	all_count();
	fx_w32(CH, BOX_CTL, 0x10000); /* which does not let it go on */
	fx_step(US);
	IS48(CH, {FIXED, 0});
	IS48(CH1, {FIXED, 0});
	IS48(FAR, {FIXED, DCLK});
}

static uint64_t global_ctl(void)
{
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = 0}};
	struct unc_space *space = NULL;
	struct unc_bus *bus = NULL;
	uint64_t value = 0;

	CU_ASSERT_FATAL(fx.host->ops->bus_open(fx.host, UNC_MSR, false, &bus) == 0);
	CU_ASSERT_FATAL(unc_space_open(bus, &addr, &space) == 0);
	CU_ASSERT_FATAL(unc_read64(space, 0x700, &value) == 0);
	unc_space_close(space);
	unc_bus_close(bus);
	return value;
}

TEST(freeze_bits_read_back_as_the_option_says)
{
	fx_open(HSX ",freeze=socket0,freeze=socket0.imc0.ch1");
	CU_ASSERT_EQUAL(global_ctl(), 0);
	IS32(CH1, {BOX_CTL, 0});
	fx_open(HSX ",frz=rw,freeze=socket0,freeze=socket0.imc0.ch1");
	CU_ASSERT_EQUAL(global_ctl(), UINT64_C(1) << 31);
	IS32(CH1, {BOX_CTL, 0x100});
	IS32(CH, {BOX_CTL, 0});
	fx_open(HSX ",frz=rw");
	CU_ASSERT_EQUAL(global_ctl(), 0);
}

TEST(what_the_machine_does_not_have_cannot_be_stopped)
{
	BAD_KEYS("hsx", {"sleep=0", "SOCKET@FROM-UNTIL"}, {"sleep=0@1", "SOCKET@FROM-UNTIL"},
		 {"sleep=0@2-1", "SOCKET@FROM-UNTIL"});
	FX_REFUSED("hsx,sleep=0@1-3,sleep=0@2-4", "sleep=0@2-4", "SOCKET@FROM-UNTIL");
	FX_REFUSED("hsx,sockets=2,sleep=2@1-3", "sleep=2", "sockets 0 to 1");
	BAD_KEYS("hsx", {"freeze=", "no such channel or socket"}, {"freeze=socket0@x", "socket0.imc0.ch1@1.5"});
	FX_REFUSED("hsx,sockets=2,freeze=socket2", "freeze=socket2", "no such channel or socket");
	FX_REFUSED("snbep,freeze=socket0", "freeze=socket0", "no register that freezes a socket");
	FX_REFUSED("hsx,frz=ro", "frz=ro", "wo", "rw");
}
