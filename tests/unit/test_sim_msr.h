/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of model-specific registers have in common. */
#ifndef TEST_SIM_MSR_H
#define TEST_SIM_MSR_H

#include "test_sim.h"

#define SECOND UINT64_C(1000000000)
#define N(a)   (sizeof(a) / sizeof((a)[0]))

__attribute__((unused)) static const char *const models[] = {"snbep", "ivt",   "hsx", "bdx",
							     "skx",   "bdxde", "clx", "cpx"};

static inline void open_model(struct fx *fx, const char *model, const char *options)
{
	char args[256];

	snprintf(args, sizeof(args), "%s,clock=step,dword_ns=0%s", model, options);
	fx_open(fx, args);
}

static inline void fails(struct fx *fx, int rc, int err, const char *name, const char *piece)
{
	if (rc != err || !strstr(unc_errmsg(fx->ctx), piece))
		fprintf(stderr, "\ngot %d: %s\n", rc, unc_errmsg(fx->ctx));
	CU_ASSERT_EQUAL(rc, err);
	CU_ASSERT_STRING_EQUAL(unc_err_name(fx->ctx, rc), name);
	CU_ASSERT_PTR_NOT_NULL(strstr(unc_errmsg(fx->ctx), piece));
}

static inline int try_read(struct fx *fx, unsigned cpu, uint32_t number)
{
	uint64_t value = 0x5eed;
	int rc = unc_sim_msr_read(fx->host, cpu, number, &value);

	CU_ASSERT(rc == 0 || value == 0x5eed);
	return rc;
}

static inline int try_write(struct fx *fx, unsigned cpu, uint32_t number, uint64_t value)
{
	return unc_sim_msr_write(fx->host, cpu, number, value);
}

#endif
