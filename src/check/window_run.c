// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs all channels between release and freeze, so that all counters begin and end together. */
#include <string.h>

#include "check/window.h"
#include "map/field.h"

int unc_window_events(struct unc_window *w, void *arg)
{
	const char *const *events = arg;
	int rc = UNC_OK;

	for (unsigned i = 0, general = 0; i < w->b->pbox.n_slots && rc == 0; i++) {
		bool fixed = w->b->pbox.slots[i].fixed;
		const char *event = fixed || general >= UNC_COUNTERS_MAX ? NULL : events[general];
		uint64_t control = unc_reg_blank(w->b->pbox.slots[i].ctl);

		general += !fixed;
		if (event)
			rc = unc_drive_event(w->b, event, &control);
		if (rc == 0)
			rc = unc_drive_set(w->b, i, control, fixed || event);
	}
	return rc;
}

static int all_zero(struct unc_window *w, void *arg)
{
	int rc = UNC_OK;

	(void)arg;
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		rc = unc_drive_preset(w->b, i, 0);
	return rc;
}

static int from_here(struct unc_window *w, void *arg)
{
	int rc = unc_window_read(w, arg);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		if (w->now[i].value)
			w->restless = (int)i;
	return rc;
}

static int up_to_here(struct unc_window *w, void *arg)
{
	int rc;

	memcpy(w->before, w->now, sizeof(w->before));
	rc = unc_drive_counts(w->b, w->now);
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		w->gained[i] = unc_window_moved(w, i);
	if (rc == 0)
		rc = unc_window_read(w, arg);
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		if (unc_window_moved(w, i))
			w->restless = (int)i;
	return rc;
}

int unc_windows_run(struct unc_windows *ws, unc_window_act *program, void *arg, uint64_t ns)
{
	const struct {
		unc_window_act *act;
		void *arg;
	} acts[] = {
		{unc_window_freeze, NULL}, {unc_window_off, NULL},     {all_zero, NULL}, {program, arg},
		{from_here, NULL},         {unc_window_release, NULL},
	};
	int rc = UNC_OK;

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]) && rc == 0; i++)
		rc = unc_windows_each(ws, acts[i].act, acts[i].arg);
	if (rc == 0)
		rc = unc_check_wait(ws->c, ns);
	if (rc == 0)
		rc = unc_windows_each(ws, unc_window_freeze, NULL);
	return rc == 0 ? unc_windows_each(ws, up_to_here, NULL) : rc;
}

static int compare(struct unc_window *w, void *arg)
{
	(void)arg;
	for (unsigned i = 1; i < w->b->pbox.regs.ctl->count; i++)
		w->disagrees |= w->gained[i] != w->gained[0];
	return UNC_OK;
}

int unc_windows_agree(struct unc_windows *ws, const char *event, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX];
	int rc;

	if (!unc_windows_know(ws, event))
		return UNC_OK;
	for (unsigned i = 0; i < UNC_COUNTERS_MAX; i++)
		events[i] = event;
	rc = unc_windows_run(ws, unc_window_events, events, ns);
	return rc == 0 ? unc_windows_each(ws, compare, NULL) : rc;
}

bool unc_window_skips(const struct unc_window *w)
{
	char name[UNC_GATE_TEXT];

	if (w->restless >= 0)
		unc_check_skip(
			w->c, "%s counts while the channel is frozen, so that nothing is exact here (behaviour.freeze)",
			unc_window_slot(w, (unsigned)w->restless, name));
	else if (w->disagrees)
		unc_check_skip(w->c, "counters that are given the same event do not agree, so that nothing can be told "
				     "of sums (behaviour.agree)");
	return w->restless >= 0 || w->disagrees;
}
