// SPDX-License-Identifier: GPL-2.0-or-later
#include "onchecks.h"

void onchecks_open(struct onchecks *k, const char *model, const char *common, const char *own)
{
	memset(k, 0, sizeof(*k));
	onsim_open_model(&k->o, model, common, own);
	k->before = onsim_controls(&k->o);
}

void onchecks_run(struct onchecks *k, enum unc_check_depth depth, const char *only, const char *box, int rc)
{
	const char *const names[] = {only};
	const struct unc_check_cfg cfg = {.depth = depth, .only = names, .n_only = only != NULL, .box = box};

	OK(&k->o, unc_check_open(k->o.m, &cfg, &k->check));
	EQ(unc_check_run(k->check), rc);
}

void onchecks_close(struct onchecks *k)
{
	struct onsim_controls after;

	unc_check_close(k->check);
	after = onsim_controls(&k->o);
	/* Where frz_en cannot be read back it is left set: DESIGN.md. */
	EQ(onsim_controls_differ(&k->before, &after, ~(uint32_t)R_FRZ_EN), 0);
	onsim_close(&k->o);
}

void onchecks_fail_each(const char *only, enum unc_fault_how how, unsigned step)
{
	bool went_wrong = true;

	for (uint64_t at = 1; went_wrong; at += step) {
		const struct unc_check_cfg cfg = {.depth = UNC_CHECK_QUICK, .only = &only, .n_only = 1};
		struct onchecks k;
		int rc;

		onchecks_open(&k, "snbep", "sockets=1,cores=2,frz_en=rw", NULL);
		OK(&k.o, unc_check_open(k.o.m, &cfg, &k.check));
		ONSIM_FAIL(&k.o, .at = at, .how = how);
		rc = unc_check_run(k.check);
		went_wrong = k.o.fault.done > 0;
		onsim_work(&k.o);
		CU_ASSERT(rc == 0 || (went_wrong && rc == UNC_EIO));
		CU_ASSERT(unc_check_results(k.check) > 0);
		CU_ASSERT(!k.o.m->has_traffic);
		if (rc == 0)
			onchecks_close(&k);
		else {
			unc_check_close(k.check);
			onsim_close_any(&k.o);
		}
	}
}

struct unc_check_result onchecks_result(struct onchecks *k, const char *check, const char *subject)
{
	struct unc_check_result result = {0};

	for (size_t i = 0; i < unc_check_results(k->check); i++) {
		OK(&k->o, unc_check_result(k->check, i, &result));
		if (strcmp(result.check, check) == 0 && strcmp(result.subject, subject) == 0)
			return result;
	}
	fprintf(stderr, "no result of %s on %s\n", check, subject);
	CU_FAIL_FATAL("a result is missing");
	return result;
}

size_t onchecks_count(struct onchecks *k, const char *check, enum unc_check_state state)
{
	struct unc_check_result result;
	size_t n = 0;

	for (size_t i = 0; i < unc_check_results(k->check); i++) {
		OK(&k->o, unc_check_result(k->check, i, &result));
		n += strcmp(result.check, check) == 0 && result.state == state;
	}
	return n;
}

void onchecks_none_failed(struct onchecks *k, const char *file, int line)
{
	struct unc_check_result result;

	for (size_t i = 0; i < unc_check_results(k->check); i++) {
		OK(&k->o, unc_check_result(k->check, i, &result));
		if (result.state != UNC_CHECK_FAIL)
			continue;
		fprintf(stderr, "%s:%d: %s %s: %s\n", file, line, result.check, result.subject, result.finding);
		CU_FAIL("a check has failed");
	}
}

void onchecks_found(struct onchecks *k, const char *check, const char *subject, enum unc_check_state state,
		    const char *const *pieces, const char *file, int line)
{
	struct unc_check_result result = onchecks_result(k, check, subject);
	bool good = result.state == state;

	for (; *pieces; pieces++)
		good &= strstr(result.finding, *pieces) != NULL;
	if (!good)
		fprintf(stderr, "%s:%d: %s %s: state %d: %s\n", file, line, check, subject, (int)result.state,
			result.finding);
	CU_ASSERT(good);
}
