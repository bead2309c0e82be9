/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of simulated cache monitoring have in common: its registers by hand, and the truth. */
#ifndef TEST_SIM_QM_H
#define TEST_SIM_QM_H

#include "test_sim_msr.h"

/* Intel SDM vol. 3, "Intel Resource Director Technology" */
enum { EVTSEL = 0xc8d, CTR = 0xc8e, PQR = 0xc8f };
enum { OCCUPANCY = 1, TOTAL = 2, LOCAL = 3 };
#define ERROR       (UINT64_C(1) << 63)
#define UNAVAILABLE (UINT64_C(1) << 62)

#define UNIT     UINT64_C(73728) /* bytes per unit on an E5-2697 v4, CPUID 0xf.1 EBX = 0x12000 */
#define MAX_RMID 143u            /* ECX = 0x8f */
#define L3_BYTES (UINT64_C(45) << 20)

/* CPUs 0 and 1 on one L3, 2 and 3 on the other. */
#define BDX  "bdx,sockets=2,cores=2,threads=1,clock=step,dword_ns=0"
#define ZEN2 "zen2,sockets=1,cores=4,threads=1,l3s=2,clock=step,dword_ns=0"

#define HEAD "format: uncorectl-load/1\ncpus:\n"

static inline uint64_t qm(struct fx *fx, unsigned cpu, unsigned rmid, unsigned event)
{
	fx_wmsr(fx, cpu, EVTSEL, (uint64_t)rmid << 32 | event);
	return fx_rmsr(fx, cpu, CTR);
}

static inline struct unc_sim_llc llc(struct fx *fx, unsigned l3, unsigned rmid)
{
	struct unc_sim_llc is = {0};

	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx->host, l3, rmid, UNC_SIM_NOW, &is), 0);
	return is;
}

static inline uint64_t occupancy(struct fx *fx, unsigned l3, unsigned rmid)
{
	return llc(fx, l3, rmid).occupancy_bytes;
}

static inline void faults(struct fx *fx, unsigned cpu, uint32_t number, uint64_t value)
{
	CU_ASSERT_EQUAL(unc_sim_msr_write(fx->host, cpu, number, value), UNC_EIO);
}

#endif
