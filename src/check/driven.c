// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a check of counters that count no clock, as those of a data fabric or of a client's controller: what is loaded from its memory is their clock. */
#include "check/traffic.h"

/* The event of the channel from which most is read becomes the clock. */
static void find_clock(struct unc_windows *ws, struct unc_window *w)
{
	const struct unc_unit *unit = w->b->box->unit;
	uint64_t most = 0;

	for (size_t i = 0; i < unit->n_events && ws->rc == 0; i++) {
		const char *name = unit->events[i].name;

		if (strncmp(name, "dram_data.ch", 12) != 0 && strncmp(name, "read.ch", 7) != 0 &&
		    strcmp(name, "cas_count.rd") != 0)
			continue;
		unc_drive_set(w->b, 0, unc_drive_event(w->b, name), true);
		unc_window_read(w);
		unc_windows_wait(ws, 1000000);
		unc_window_read(w);
		if (w->moved[0] <= most)
			continue;
		most = w->moved[0];
		w->clock = name;
		w->control = unc_drive_event(w->b, name);
	}
	w->clockless = !w->clock;
}

/* It is skipped with that reason. */
static void leave_out(struct unc_window *w, const char *why)
{
	w->in = false;
	w->rc = UNC_EBUSY;
	snprintf(w->why, sizeof(w->why), "%s", why);
}

/* ws: of this window alone.  The loads are of the CPU by which the fabric is reached, so that they go to its own memory. */
static void drive(struct unc_windows *ws, struct unc_window *w)
{
	unsigned cpu = w->b->box->addr.msr.cpu;
	struct unc_traffic traffic = {
		.kind = UNC_TRAFFIC_READ, .cpus = &cpu, .n_cpus = 1, .size_bytes = UINT64_C(256) << 20};
	const struct unc_host_cpu *cpus;
	struct unc_traffic_done done;
	struct unc_saved_msg msg;
	size_t n = 0;
	int rc = unc_machine_cpus(ws->c->m, &cpus, &n);

	for (size_t i = n; i-- > 0 && !w->b->pbox.in_msrs;)
		cpu = (unsigned)cpus[i].package == w->b->box->socket ? cpus[i].cpu : cpu;
	for (size_t i = 0; i < n; i++)
		if (cpus[i].cpu == cpu && cpus[i].node > 0)
			traffic.node = (unsigned)cpus[i].node;
	rc = rc < 0 ? rc : unc_traffic_start(ws->c->m, &traffic);
	if (rc < 0) {
		leave_out(w, ws->c->m->ctx->msg);
		return;
	}
	unc_windows_wait(ws, 10000000);
	for (struct unc_window *one = NULL; unc_windows_next(ws, &one);)
		find_clock(ws, one);
	if (w->in && w->clock)
		ws->c->now->windows->run(ws);
	if (w->in && w->clockless)
		leave_out(w, "its counters counted nothing of what was loaded from its memory (traffic.volume)");
	unc_msg_save(ws->c->m->ctx, &msg);
	unc_traffic_stop(ws->c->m, &done);
	unc_msg_restore(ws->c->m->ctx, &msg);
}

void unc_windows_drive(struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++) {
		ws->of[i].driven = ws->of[i].in && !ws->of[i].clock && !ws->of[i].b->pbox.regs.fixed_ctl;
		ws->of[i].in &= !ws->of[i].driven;
	}
	ws->c->now->windows->run(ws);
	for (size_t i = 0; i < ws->n && ws->rc == 0; i++) {
		struct unc_windows one = *ws;

		one.of += i;
		one.n = 1;
		one.of->in |= one.of->driven;
		if (one.of->driven)
			drive(&one, one.of);
		ws->rc = one.rc;
	}
}
