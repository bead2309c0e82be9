// SPDX-License-Identifier: GPL-2.0-or-later
/* One register of a socket stops all counters of that socket, and no counter of another. */
#include "check/window.h"

#include "machine/users.h"

struct odd { /* counters that did not do what they should */
	unsigned n;
	char first[100];
};

struct global { /* one for each socket */
	struct unc_check *c;
	struct unc_box *box;
	const struct unc_reg *ctl;
	const struct unc_field *frz_all, *unfrz_all; /* the latter NULL: frz_all 0 lets all go */
	bool skipped;                                /* it is not tried, for the reason in why */
	int rc;                                      /* the error of the failure in why, if an access failed */
	char why[UNC_MSG_MAX];
	uint64_t was, while_frozen, in_the_end; /* what the register held */
	unsigned n_own, n_other;                /* counters of its own channels, and of other channels */
	/* Own counters that ran while frozen; others that stopped; own counters that stayed stopped after the release. */
	struct odd ran, stood, stayed;
};

/* ---- whether the socket may be stopped ---- */

static int refuse(struct global *g, const char *why)
{
	g->skipped = true;
	snprintf(g->why, sizeof(g->why), "%s", why);
	return UNC_OK;
}

/* If this process dies the register is left released, since frz_all stops all counters of the socket. */
static int plan(struct global *g)
{
	const struct unc_field *release = g->unfrz_all ? g->unfrz_all : g->frz_all;
	uint64_t both = unc_field_mask(g->frz_all) | unc_field_mask(release), value, idle;
	int rc = unc_box_reach(g->box);

	if (rc == 0)
		rc = unc_reg_get(g->box, g->ctl, 0, &g->was);
	if (rc < 0)
		return rc;
	value = idle = unc_reg_base(g->ctl, g->was);
	rc = unc_field_set(g->c->m->ctx, release, g->unfrz_all != NULL, &idle);
	if (rc == 0)
		rc = unc_gate_plan(g->box,
				   &(struct unc_gate_intent){.reg = g->ctl,
							     .values = &value,
							     .n_values = 1,
							     .any = both,
							     .ours = both,
							     .was = &g->was,
							     .doubted = unc_field_mask(g->frz_all),
							     .idle = idle},
				   g->c);
	return rc == 0 ? unc_gate_ready(g->c->m) : rc;
}

static int prepare(struct global *g, const struct unc_windows *ws)
{
	struct unc_finding *findings = NULL;
	struct unc_pmon_box pbox;
	struct unc_box *box;
	bool any = false;
	char why[UNC_MSG_MAX];
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < ws->n; i++)
		any |= ws->of[i].in && ws->of[i].b->box->socket == g->box->socket;
	g->ctl = unc_unit_reg(g->box->unit, "GLOBAL_CTL");
	g->frz_all = g->ctl ? unc_reg_field(g->ctl, "frz_all") : NULL;
	g->unfrz_all = g->ctl ? unc_reg_field(g->ctl, "unfrz_all") : NULL;
	if (!any)
		return refuse(g, "none of its channels can be checked");
	if (!g->frz_all)
		return refuse(g, "the map does not say which bits freeze it");
	for (size_t i = 0; (box = unc_box_at(g->c->m, "imc", i)); i++) {
		if (box->socket != g->box->socket || box->presence != UNC_PRESENT || unc_pmon1_init(box, &pbox) < 0 ||
		    unc_pmon1_inspect(&pbox) < 0 || !pbox.foreign)
			continue;
		snprintf(why, sizeof(why), "another program counts in %.40s, and would be stopped too", box->name);
		return refuse(g, why);
	}
	/* Looks for a driver, or a tool that uses counters of the socket which this process cannot see. */
	rc = unc_users_find(g->c->m, UNC_USERS_OF_MACHINE, NULL, &findings, &n);
	for (size_t i = 0; rc == 0 && i < n && !g->skipped; i++) {
		if (findings[i].kind == UNC_FOUND_RESCTRL || findings[i].kind == UNC_FOUND_PQOS)
			continue; /* they count in caches only */
		snprintf(why, sizeof(why), "all counters of the socket would be stopped, and %.400s [%.160s]",
			 findings[i].sentence, findings[i].evidence);
		refuse(g, why);
	}
	free(findings);
	if (rc < 0 || g->skipped)
		return rc;
	rc = plan(g);
	return rc < 0 && rc != UNC_ENOMEM ? refuse(g, g->c->m->ctx->msg) : rc;
}

/* ---- the test ---- */

static int command(struct global *g, bool freeze)
{
	const struct unc_field *field = freeze || !g->unfrz_all ? g->frz_all : g->unfrz_all;
	uint64_t now;
	int rc = unc_reg_get(g->box, g->ctl, 0, &now);

	return rc == 0 ? unc_gate_set_field(g->box, g->ctl, field, now, freeze || g->unfrz_all, g->c) : rc;
}

static void note(const struct unc_window *w, unsigned slot, struct odd *odd)
{
	if (odd->n++ == 0)
		snprintf(odd->first, sizeof(odd->first), "%.40s %.50s", w->b->box->name, w->b->name[slot]);
}

/* Notes whether counters moved between two reads while the socket was frozen, or after it was released. */
static void wait_and_watch(struct unc_windows *ws, struct global *g, uint64_t ns, bool frozen)
{
	struct unc_window *w = NULL;

	unc_windows_each(ws, unc_window_read);
	unc_windows_wait(ws, ns);
	while (unc_windows_next(ws, &w)) {
		bool own = w->b->box->socket == g->box->socket;

		unc_window_read(w);
		for (unsigned i = 0; i < w->n && !w->b->failed; i++) {
			bool moved = w->moved[i] != 0;

			if (!unc_window_is_clock(w, i))
				continue;
			if (frozen)
				*(own ? &g->n_own : &g->n_other) += 1;
			if (frozen && own && moved)
				note(w, i, &g->ran);
			if (frozen && !own && !moved)
				note(w, i, &g->stood);
			if (!frozen && own && !moved)
				note(w, i, &g->stayed);
		}
	}
}

/* It is released also after a failure. */
static void try_socket(struct unc_windows *ws, struct global *g, uint64_t ns)
{
	struct unc_saved_msg msg;
	int rc = command(g, true);

	if (rc == 0)
		rc = unc_reg_get(g->box, g->ctl, 0, &g->while_frozen);
	g->rc = rc;
	if (rc == 0)
		wait_and_watch(ws, g, ns, true);
	else if (rc == UNC_ENOMEM)
		ws->rc = rc;
	unc_msg_save(g->c->m->ctx, &msg);
	if (g->rc < 0)
		memcpy(g->why, msg.msg, sizeof(g->why));
	rc = command(g, false);
	if (rc < 0)
		rc = command(g, false);
	if (rc == 0)
		rc = unc_reg_get(g->box, g->ctl, 0, &g->in_the_end);
	if (rc < 0 && g->rc == 0) {
		g->rc = rc;
		memcpy(g->why, g->c->m->ctx->msg, sizeof(g->why));
	}
	unc_msg_restore(g->c->m->ctx, &msg);
	wait_and_watch(ws, g, ns, false);
}

/* ---- results ---- */

static void report_socket(struct unc_check *c, const struct global *g)
{
	const struct unc_check_seen seen[] = {unc_seen(g->box, g->ctl, 0, "while frozen", g->while_frozen),
					      unc_seen(g->box, g->ctl, 0, "after the release", g->in_the_end)};
	uint64_t kept = unc_reg_mask(g->ctl, UNC_RW) & ~unc_field_mask(g->frz_all);

	if (g->ran.n)
		unc_check_fail(c, "%s and %u others of %u counters went on while all of the socket were frozen",
			       g->ran.first, g->ran.n - 1, g->n_own);
	if (g->stood.n)
		unc_check_fail(c, "%s, of another socket, stood still, and %u others of %u", g->stood.first,
			       g->stood.n - 1, g->n_other);
	if (g->stayed.n)
		unc_check_fail(c, "%s stood still after all were released, and %u others of %u", g->stayed.first,
			       g->stayed.n - 1, g->n_own);
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]) && kept; i++)
		unc_check_expect(c, seen[i], g->was, kept);
	unc_check_pass(c, "%u counters of the socket stood still and went on again, while %u of other sockets went on",
		       g->n_own, g->n_other);
}

static void report_all(struct unc_check *c, const struct global *globals, size_t n)
{
	struct unc_doubt doubt = {0};

	for (size_t i = 0; i < n; i++) {
		if (globals[i].skipped || globals[i].rc < 0)
			continue;
		unc_doubt_add(&doubt, unc_check_is_doubtful(globals[i].ctl, globals[i].frz_all),
			      globals[i].ran.n == globals[i].n_own);
	}
	for (size_t i = 0; i < n; i++) {
		const struct global *g = &globals[i];

		unc_check_begin_socket(c, g->box->socket);
		if (g->skipped) {
			unc_check_skip(c, "%s", g->why);
			continue;
		}
		if (g->rc < 0)
			unc_check_fail(c, "%s", g->why);
		else if (unc_doubt_excuses(&doubt))
			unc_check_skip(c, "frz_all stops no counter of any socket here, and the map doubts it");
		else
			report_socket(c, g);
		if (i == 0 && g->rc == 0 && doubt.doubtful)
			unc_check_tested(c, "GLOBAL_CTL.frz_all",
					 unc_doubt_excuses(&doubt) ? "stops no counter of memory channels"
								   : "stops the counters of memory channels");
	}
}

static void global(struct unc_windows *ws)
{
	size_t n = unc_box_count(ws->c->m, "global");
	struct global *globals = calloc(n + 1, sizeof(*globals));
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	bool any = false;

	if (!globals) {
		ws->rc = unc_fail(ws->c->m->ctx, UNC_ENOMEM, "out of memory");
	} else if (!n) {
		unc_check_begin(ws->c, "machine");
		unc_check_skip(ws->c, "no map of this part has a register that freezes a whole socket");
	}
	for (size_t i = 0; i < n && ws->rc == 0; i++) {
		globals[i] = (struct global){.c = ws->c, .box = unc_box_at(ws->c->m, "global", i)};
		ws->rc = prepare(&globals[i], ws);
		any |= !globals[i].skipped;
	}
	if (any)
		unc_windows_clock(ws, ns, 1);
	for (size_t i = 0; i < n && ws->rc == 0; i++)
		if (!globals[i].skipped)
			try_socket(ws, &globals[i], ns);
	if (ws->rc == 0)
		report_all(ws->c, globals, n);
	free(globals);
}

const struct unc_windows_def unc_check_global = {0, global, NULL, NULL};
