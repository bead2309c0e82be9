// SPDX-License-Identifier: GPL-2.0-or-later
#include "onchecks.h"

struct onchecks rig;

void onchecks_open(const char *model, const char *common, const char *own)
{
	onchecks_end();
	onsim_open_model(&rig.o, model, common, own);
	rig.before = onsim_controls(&rig.o);
}

void onchecks_choose(enum unc_check_depth depth, const char *only, const char *box)
{
	struct unc_check_cfg cfg = rig.cfg;

	if (only) {
		cfg.only = &only;
		cfg.n_only = 1;
	}
	cfg.depth = depth;
	cfg.box = box;
	unc_check_close(rig.check);
	rig.check = NULL;
	OK(&rig.o, unc_check_open(rig.o.m, &cfg, &rig.check));
}

void onchecks_run(enum unc_check_depth depth, const char *only, const char *box, int rc)
{
	onchecks_choose(depth, only, box);
	EQ(unc_check_run(rig.check), rc);
}

void onchecks_quick(const char *model, const char *common, const char *own, const char *only)
{
	onchecks_open(model, common, own);
	onchecks_run(UNC_CHECK_QUICK, only, NULL, 0);
}

void onchecks_end(void)
{
	bool broken = rig.broken;

	unc_check_close(rig.check);
	rig.check = NULL;
	rig.broken = true; /* where the following ends the test this is called once more */
	if (rig.o.m && !broken) {
		/* Where frz_en cannot be read back it is left set: DESIGN.md. */
		onsim_controls_are(&rig.o, &rig.before, ~(uint32_t)R_FRZ_EN);
		onsim_close(&rig.o);
	} else if (rig.o.m)
		onsim_close_any(&rig.o);
	memset(&rig, 0, sizeof(rig));
}

bool onchecks_fail(const struct unc_fault *fault)
{
	bool went_wrong;
	int rc;

	onsim_fail(&rig.o, fault);
	rc = unc_check_run(rig.check);
	went_wrong = rig.o.fault.done > 0;
	onsim_work(&rig.o);
	CU_ASSERT(rc == 0 || (went_wrong && rc == UNC_EIO));
	CU_ASSERT(unc_check_results(rig.check) > 0);
	CU_ASSERT(!rig.o.m->has_traffic);
	rig.broken = rc != 0;
	return went_wrong;
}

void onchecks_fail_each(const char *only, enum unc_fault_how how, unsigned step)
{
	bool went_wrong = true;

	for (uint64_t at = 1; went_wrong; at += step) {
		onchecks_open("snbep", "sockets=1,cores=2,frz_en=rw", NULL);
		onchecks_choose(UNC_CHECK_QUICK, only, NULL);
		went_wrong = onchecks_fail(&(struct unc_fault){.at = at, .how = how});
	}
}

struct unc_check_result onchecks_result(const char *check, const char *subject)
{
	struct unc_check_result result = {0};

	for (size_t i = 0; i < unc_check_results(rig.check); i++) {
		OK(&rig.o, unc_check_result(rig.check, i, &result));
		if (strcmp(result.check, check) == 0 && (!subject || strcmp(result.subject, subject) == 0))
			return result;
	}
	fprintf(stderr, "no result of %s on %s\n", check, subject ? subject : "any");
	CU_FAIL_FATAL("a result is missing");
	return result;
}

size_t onchecks_count(const char *check, enum unc_check_state state)
{
	struct unc_check_result result;
	size_t n = 0;

	for (size_t i = 0; i < unc_check_results(rig.check); i++) {
		OK(&rig.o, unc_check_result(rig.check, i, &result));
		n += (!check || strcmp(result.check, check) == 0) && result.state == state;
	}
	return n;
}

void onchecks_none_failed(const char *file, int line)
{
	struct unc_check_result result;

	for (size_t i = 0; i < unc_check_results(rig.check); i++) {
		OK(&rig.o, unc_check_result(rig.check, i, &result));
		if (result.state != UNC_CHECK_FAIL)
			continue;
		fprintf(stderr, "%s:%d: %s %s: %s\n", file, line, result.check, result.subject, result.finding);
		CU_FAIL("a check has failed");
	}
}

void onchecks_found(const char *check, const char *subject, enum unc_check_state state, const char *const *pieces,
		    const char *file, int line)
{
	struct unc_check_result result = onchecks_result(check, subject);

	if (result.state != state)
		fprintf(stderr, "%s:%d: %s %s: state %d: %s\n", file, line, check, result.subject, (int)result.state,
			result.finding);
	CU_ASSERT_EQUAL(result.state, state);
	for (; *pieces; pieces++)
		onsim_has(result.finding, *pieces, file, line);
}

void onchecks_tested(const char *check, const char *subject, const char *const *pieces, const char *file, int line)
{
	struct unc_check_result result = onchecks_result(check, subject);

	for (; *pieces; pieces++)
		onsim_has(result.tested ? result.tested : "", *pieces, file, line);
}
