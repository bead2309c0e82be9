// SPDX-License-Identifier: GPL-2.0-or-later
/* The public functions, which call the two sides. */
#include "xcheck/xcheck.h"

#include "xcheck/perf.h"
#include "xcheck/resctrl.h"

/* With both sides in use, each gets a chance this often to read what is due. */
enum { SLICE_NS = 100000000 };

int unc_xcheck_open(struct unc_machine *m, const struct unc_xcheck_cfg *cfg, struct unc_xcheck **ret_xcheck)
{
	struct unc_xcheck *x;

	if (!(cfg->tolerance < 1))
		return unc_fail(m->ctx, UNC_EARG, "a tolerance of %g is none: it is a part, 0.001 being 0.1 %%",
				cfg->tolerance);
	if (m->map->no_counters) {
		struct unc_llc_info llc;
		int rc = unc_llc_info(m, &llc);

		if (rc == UNC_ENOMEM)
			return rc;
		if (rc < 0 || llc.no_monitoring) /* nothing could be compared */
			return unc_fail(m->ctx, UNC_ENOSUP, "%s", m->map->no_counters);
	}
	x = calloc(1, sizeof(*x));
	if (!x)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	x->machine = m;
	x->cfg = *cfg;
	*ret_xcheck = x;
	return UNC_OK;
}

static int check_not_started(const struct unc_xcheck *x, const char *what)
{
	if (!x->started)
		return UNC_OK;
	return unc_fail(x->machine->ctx, UNC_EARG, "%s: the cross-check has started already", what);
}

int unc_xcheck_add(struct unc_xcheck *x, struct unc_box *box, const char *event)
{
	int rc = check_not_started(x, event);

	return rc < 0 ? rc : unc_xperf_add(x, box, event);
}

int unc_xcheck_add_resctrl(struct unc_xcheck *x, const char *group)
{
	int rc = check_not_started(x, group);

	return rc < 0 ? rc : unc_xresctrl_add(x, group);
}

int unc_xcheck_start(struct unc_xcheck *x)
{
	struct unc_machine *m = x->machine;
	int rc = check_not_started(x, "start");

	if (rc < 0)
		return rc;
	if (unc_xcheck_count(x) == 0)
		return unc_fail(m->ctx, UNC_EARG, "nothing is to be cross-checked: no event was added, and no group");
	if (!m->writable && !x->cfg.observe)
		return unc_fail(m->ctx, UNC_EDENIED,
				"the machine is open for reading only, and what the kernel counts is counted by "
				"ourselves, too, unless it is only to be observed");
	x->started = true;
	if (x->perf)
		rc = unc_xperf_start(x->perf);
	if (rc == 0 && x->resctrl)
		rc = unc_xresctrl_start(x->resctrl);
	return rc;
}

static int must_have_started(const struct unc_xcheck *x)
{
	return x->started ? UNC_OK : unc_fail(x->machine->ctx, UNC_EARG, "the cross-check has not started");
}

/* Sleeps on each side alternately: the second side reads immediately what became due during the first one's sleep. */
int unc_xcheck_sleep_until(struct unc_xcheck *x, uint64_t mono_ns)
{
	int rc = must_have_started(x);

	if (rc < 0)
		return rc;
	if (!x->perf)
		return unc_xresctrl_sleep_until(x->resctrl, mono_ns);
	if (!x->resctrl)
		return unc_xperf_sleep_until(x->perf, mono_ns);
	if (mono_ns == UINT64_MAX && x->machine->host->stands_still)
		return UNC_EAGAIN;
	for (;;) {
		uint64_t next = unc_machine_mono_ns(x->machine) + SLICE_NS, until = next < mono_ns ? next : mono_ns;

		rc = unc_xperf_sleep_until(x->perf, until);
		if (rc == 0)
			rc = unc_xresctrl_sleep_until(x->resctrl, until);
		if (rc < 0 || until == mono_ns)
			return rc;
	}
}

/* Fails only if every side in use fails. */
int unc_xcheck_sample(struct unc_xcheck *x)
{
	int rc = must_have_started(x), perf_rc, resctrl_rc;

	if (rc < 0)
		return rc;
	perf_rc = x->perf ? unc_xperf_sample(x->perf) : UNC_OK;
	resctrl_rc = x->resctrl ? unc_xresctrl_sample(x->resctrl) : UNC_OK;
	if (!x->perf)
		return resctrl_rc;
	return x->resctrl && resctrl_rc == 0 ? UNC_OK : perf_rc;
}

static size_t count_perf(const struct unc_xcheck *x)
{
	return x->perf ? x->perf->n_events : 0;
}

size_t unc_xcheck_count(const struct unc_xcheck *x)
{
	return count_perf(x) + (x->resctrl ? x->resctrl->n_rows : 0);
}

int unc_xcheck_row(const struct unc_xcheck *x, size_t index, struct unc_xcheck_row *ret_row)
{
	if (!x->started || index >= unc_xcheck_count(x))
		return unc_fail(x->machine->ctx, UNC_ENODEV, "there is no row %zu", index);
	if (index < count_perf(x))
		unc_xperf_row(x->perf, index, ret_row);
	else
		unc_xresctrl_row(x->resctrl, index - count_perf(x), ret_row);
	return UNC_OK;
}

int unc_xcheck_close(struct unc_xcheck *x)
{
	struct unc_saved_msg why;
	int rc, resctrl_rc;

	if (!x)
		return UNC_OK;
	rc = unc_xperf_close(x->perf);
	unc_msg_save(x->machine->ctx, &why);
	resctrl_rc = unc_xresctrl_close(x->resctrl);
	if (rc < 0)
		unc_msg_restore(x->machine->ctx, &why);
	free(x);
	return rc < 0 ? rc : resctrl_rc;
}
