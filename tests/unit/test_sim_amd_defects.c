// SPDX-License-Identifier: GPL-2.0-or-later
/* Defects of AMD's uncore counters, each beside a healthy counter. */
#include "test_sim.h"

#define DF_CTL(i)  (0xc0010240 + 2 * (uint32_t)(i))
#define DF_CTR(i)  (0xc0010241 + 2 * (uint32_t)(i))
#define UMC_CTL(i) (0xc0010800 + 2 * (uint32_t)(i))
#define UMC_CTR(i) (0xc0010801 + 2 * (uint32_t)(i))
#define READS      UINT64_C(0x740fe1f) /* of channel 0 */

/* Node 0 reads 100 000 000 lines a second, node 1 a tenth of that. */
static void open_bad(const char *defect)
{
	static const char load[] =
		"format: uncorectl-load/1\nchannels:\n"
		"  socket0.imc0.ch0: {read: 6.4e9, write: 6.4e8}\n  socket1.imc0.ch0: {read: 6.4e8}\n";

	fx_open_load(fx_text("zen4,sockets=2,umcs=3,clock=step,dword_ns=0,defect=%s", defect), load);
}

TEST(a_carry_can_be_missing_in_a_data_fabric)
{
	const uint64_t from = UINT64_C(0x3fffffff0), to = from + 100000000;

	open_bad("carry-missing:socket0.df0:2");
	WMSR({0, DF_CTR(2), from}, {0, DF_CTR(3), from}, {0, DF_CTL(2), READS}, {0, DF_CTL(3), READS});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(2), (to & UINT32_MAX) | UINT64_C(3) << 32}, {0, DF_CTR(3), to});
	fx_wmsr(0, DF_CTL(2), 0);
	fx_wmsr(0, DF_CTL(2), READS);
	fx_step(SECOND);
	ISMSR({0, DF_CTR(2), ((to + 100000000) & UINT32_MAX) | UINT64_C(3) << 32}, {0, DF_CTR(3), to + 100000000});
}

TEST(a_data_fabric_can_have_too_few_bits)
{
	open_bad("width:socket0.df0:15:44");
	WMSR({0, DF_CTR(15), BIT(44) - 1}, {0, DF_CTR(14), BIT(44) - 1}, {0, DF_CTL(15), READS},
	     {0, DF_CTL(14), READS});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(15), 99999999}, {0, DF_CTR(14), BIT(44) + 99999999});
	fx_wmsr(0, DF_CTR(15), BIT(47) | 7);
	ISMSR({0, DF_CTR(15), 7});
}

TEST(a_counter_of_a_data_fabric_can_count_twice)
{
	open_bad("counts-twice:socket0.df0:3");
	WMSR({0, DF_CTL(3), READS}, {0, DF_CTL(2), READS});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(3), 200000000}, {0, DF_CTR(2), 100000000});
}

/* Its own registers, and another node's traffic; or all of another node. */
TEST(a_data_fabric_can_count_another_node)
{
	open_bad("counts-other:socket1.df0:socket0.df0");
	WMSR({16, DF_CTL(0), READS}, {0, DF_CTL(1), READS});
	fx_step(SECOND);
	ISMSR({16, DF_CTR(0), 100000000}, {0, DF_CTR(1), 100000000}, {16, DF_CTL(1), 0});
	open_bad("same-box:socket1.df0:socket0.df0");
	WMSR({16, DF_CTL(0), READS}, {0, UMC_CTL(0), 7});
	fx_step(SECOND);
	ISMSR({16, DF_CTR(0), 100000000}, {0, DF_CTR(0), 100000000}, {0, DF_CTL(0), READS});
}

/* Of UMC 1 alone; all of the data fabric. */
TEST(amd_counters_can_stop)
{
	open_bad("stops:socket0.imc0.ch1:1:3,defect=stops:socket0.df0:2");
	WMSR({0, UMC_CTL(0), BIT(31)}, {0, UMC_CTL(4), BIT(31)}, {0, DF_CTL(0), READS}, {16, DF_CTL(0), READS});
	fx_step(2 * SECOND);
	ISMSR({0, UMC_CTR(0), UINT64_C(4800000000)}, {0, UMC_CTR(4), UINT64_C(2400000000)}, {0, DF_CTR(0), 200000000});
	fx_step(2 * SECOND);
	ISMSR({0, UMC_CTR(4), UINT64_C(4800000000)}, {0, DF_CTR(0), 200000000}, {16, DF_CTR(0), 40000000});
}

TEST(the_clock_of_a_umc_can_be_off)
{
	open_bad("dclk-off:socket0.imc0.ch1:-10");
	WMSR({0, UMC_CTL(0), BIT(31)}, {0, UMC_CTL(4), BIT(31)});
	fx_step(SECOND);
	ISMSR({0, UMC_CTR(0), UINT64_C(2400000000)}, {0, UMC_CTR(4), UINT64_C(2160000000)});
}

/* Bit 0 of the unit mask of one counter; the mask of reads of all counters of a UMC. */
TEST(bits_of_amd_controls_can_be_ignored)
{
	open_bad("ignored:socket0.df0:8:1,defect=ignored:socket0.df0:32,defect=ignored:socket0.imc0.ch0:8");
	WMSR({0, DF_CTL(0), READS | BIT(8)}, {0, DF_CTL(1), READS | BIT(8)}, {0, DF_CTL(2), READS | BIT(32)},
	     {0, UMC_CTL(3), 0x8000010a});
	fx_step(SECOND);
	ISMSR({0, DF_CTR(0), 10000000}, {0, DF_CTR(1), 100000000}, {0, DF_CTR(2), 100000000},
	      {0, UMC_CTR(3), 110000000}, {0, DF_CTL(1), READS | BIT(8)}, {0, UMC_CTL(3), 0x8000010a});
}

/* All of them, and every second one by chance. */
TEST(writes_can_be_lost)
{
	unsigned lost = 0;

	open_bad("drops:socket0.df0:1,defect=drops:socket0.imc0.ch1:2");
	WMSR({0, DF_CTL(0), READS}, {0, DF_CTR(0), 7}, {16, DF_CTL(0), READS}, {0, UMC_CTL(0), 7});
	ISMSR({0, DF_CTL(0), 0}, {0, DF_CTR(0), 0}, {16, DF_CTL(0), READS}, {0, UMC_CTL(0), 7});
	for (unsigned i = 1; i <= 100; i++) {
		fx_wmsr(0, UMC_CTL(4), i);
		lost += fx_rmsr(0, UMC_CTL(4)) != i;
	}
	CU_ASSERT(lost > 20 && lost < 80);
}

/* A register that faults when it is written; a bit of a counter that does. The node shares both. */
TEST(amd_registers_can_fault_or_stick)
{
	open_bad("write-faults:cpu3:0xc0010242,defect=stuck1:cpu3:0xc0010245:4");
	FAULTS({0, DF_CTL(1), READS}, {5, DF_CTL(1), 0});
	ISMSR({0, DF_CTL(1), 0}, {0, DF_CTR(2), 16}, {16, DF_CTR(2), 0});
	WMSR({16, DF_CTL(1), READS}, {0, DF_CTL(0), READS}, {0, DF_CTR(1), 5});
}

TEST(defects_that_amd_lacks_are_refused)
{
	BAD_KEYS("zen1", {"defect=width:socket0.df4:0:40", "socket0.df0"}, {"defect=width:socket2.df0:0:40", "no such"},
		 {"defect=width:socket0.df0:16:40", "counter"}, {"defect=width:socket0.df0:fixed:40", "counter"},
		 {"defect=hidden:socket0.df0", "not a defect of data fabrics"},
		 {"defect=same-box:socket0.df0:socket0.imc0.ch1", "no such data fabric"},
		 {"defect=counts-other:socket0.df0:socket0.df0", "different"},
		 {"defect=stops:socket0.imc0.ch0:1", "registers of their own"},
		 {"defect=write-faults:cpu0:0xc0010248", "no MSR of that number"});
	BAD_KEYS("zen4", {"defect=width:socket0.imc0.ch3:0:40", "registers of their own"});
	BAD_KEYS("bdx", {"defect=stops:socket0.df0:1", "no such data fabric"},
		 {"defect=counts-other:socket0.imc0.ch0:socket0.imc0.ch1", "data fabric"},
		 {"defect=write-faults:socket0.ubox:1", "CPU"});
	fx_open("bdx,defect=write-faults:cpu0:0xc8f");
	FAULTS({0, 0xc8f, 1});
}
