/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of simulated cache monitoring have in common: its registers by hand, and the truth. */
#ifndef TEST_SIM_QM_H
#define TEST_SIM_QM_H

#include "test_sim.h"

/* Intel SDM vol. 3, "Intel Resource Director Technology" */
enum { EVTSEL = 0xc8d, QM_CTR = 0xc8e, PQR = 0xc8f };
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

static inline uint64_t qm(unsigned cpu, unsigned rmid, unsigned event)
{
	fx_wmsr(cpu, EVTSEL, (uint64_t)rmid << 32 | event);
	return fx_rmsr(cpu, QM_CTR);
}

static inline struct unc_sim_llc llc(unsigned l3, unsigned rmid)
{
	struct unc_sim_llc is = {0};

	CU_ASSERT_EQUAL(unc_sim_truth_llc_at(fx.host, l3, rmid, UNC_SIM_NOW, &is), 0);
	return is;
}

static inline uint64_t occupancy(unsigned l3, unsigned rmid)
{
	return llc(l3, rmid).occupancy_bytes;
}

static inline uint64_t total(unsigned l3, unsigned rmid)
{
	return llc(l3, rmid).total_bytes;
}

struct llc_row {
	unsigned l3, rmid;
	uint64_t bytes;
};

static inline void llcs_are(uint64_t (*what)(unsigned l3, unsigned rmid), size_t n, const struct llc_row *rows,
			    const char *file, int line)
{
	for (const struct llc_row *r = rows; r < rows + n; r++)
		if (what(r->l3, r->rmid) != r->bytes)
			fx_differs(what(r->l3, r->rmid), r->bytes, fx_text("RMID %u in L3 %u", r->rmid, r->l3), file,
				   line);
}

/* {L3, RMID, bytes}, ...: what it truly holds, and has moved. */
#define HOLDS(...)  llcs_are(occupancy, ROWS(llc_row, __VA_ARGS__))
#define TOTALS(...) llcs_are(total, ROWS(llc_row, __VA_ARGS__))

/* {cpu, rmid, event, what it counts}, read in this order. */
struct qm_row {
	unsigned cpu, rmid, event;
	uint64_t value;
};

static inline void qm_is(size_t n, const struct qm_row *rows, const char *file, int line)
{
	for (const struct qm_row *r = rows; r < rows + n; r++) {
		uint64_t is = qm(r->cpu, r->rmid, r->event);

		if (is != r->value)
			fx_differs(is, r->value, fx_text("cpu %u: event %u of RMID %u", r->cpu, r->event, r->rmid),
				   file, line);
	}
}

#define QM(...) qm_is(ROWS(qm_row, __VA_ARGS__))

#endif
