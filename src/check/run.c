// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs one check after the other, and puts all registers back in between. */
#include <string.h>

#include "base/err.h"
#include "check/drive.h"
#include "check/running.h"

/*
 * On this computer packages sleep (C3, C6) when all CPUs sleep long enough, unless traffic keeps it awake: then memory refreshes
 * itself, and the clock of the channels stops.  For a machine that is recorded, staying awake would record nothing but reads of the
 * time.
 */
static bool must_stay_awake(const struct unc_machine *m)
{
	return strcmp(m->name, "live") == 0 && !m->has_traffic && !m->recording;
}

int unc_check_wait(const struct unc_check *c, uint64_t ns)
{
	struct unc_machine *m = c->m;
	uint64_t until_ns = unc_machine_mono_ns(m) + ns;
	int rc = UNC_OK;

	if (!must_stay_awake(m))
		return unc_machine_sleep_until(m, until_ns);
	while (rc == 0 && unc_machine_mono_ns(m) < until_ns)
		rc = unc_machine_sleep_until(m, 0); /* it only detects whether the wait was woken */
	return rc;
}

unsigned unc_check_times(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full)
{
	return c->depth == UNC_CHECK_QUICK ? quick : c->depth == UNC_CHECK_USUAL ? usual : full;
}

uint64_t unc_check_ms(const struct unc_check *c, unsigned quick, unsigned usual, unsigned full)
{
	return unc_check_times(c, quick, usual, full) * UINT64_C(1000000);
}

enum { ROUNDS_LEAST = 10 };

void unc_check_rounds_begin(const struct unc_check *c, unsigned most, uint64_t all_ns, struct unc_check_rounds *rounds)
{
	*rounds = (struct unc_check_rounds){
		.c = c, .most = most, .end_ns = unc_machine_raw_ns(c->m) + all_ns / (c->n_boxes ? c->n_boxes : 1)};
}

bool unc_check_rounds_next(struct unc_check_rounds *rounds, unsigned *ret_round)
{
	if (rounds->n >= rounds->most ||
	    (rounds->n >= ROUNDS_LEAST && unc_machine_raw_ns(rounds->c->m) >= rounds->end_ns))
		return false;
	*ret_round = rounds->n++;
	return true;
}

static void tell_progress(const struct unc_check *c, size_t i)
{
	struct unc_check_progress progress = {
		.check = c->chosen[i]->about.name, .nth = (unsigned)i + 1, .of = (unsigned)c->n_chosen};

	for (size_t k = i; k < c->n_chosen; k++)
		progress.left_ns += c->chosen[k]->about.ms[c->depth] * UINT64_C(1000000);
	if (c->progress)
		c->progress(c->progress_arg, &progress);
}

/* A failure is noted and ends nothing: in the end the gate tries again, and reports what it could not put back. */
static void put_one_back(struct unc_check *c, struct unc_check_box *b)
{
	int rc = unc_drive_put_back(b);

	if (rc < 0 && c->rc == 0)
		unc_note(c->m->ctx, "after %s: %s", c->now->about.name, c->m->ctx->msg);
}

static int put_back(struct unc_check *c)
{
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].touched)
			put_one_back(c, &c->boxes[i]);
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].shared) /* what was put back elsewhere also reached this channel */
			put_one_back(c, &c->boxes[i]);
	return c->rc;
}

static int run_one(struct unc_check *c, const struct unc_check_def *def)
{
	uint64_t begin_ns = unc_machine_raw_ns(c->m);
	size_t first = c->n_entries, first_own;
	int rc, back;

	c->now = def;
	rc = def->counts ? unc_running_look(c) : UNC_OK;
	first_own = c->n_entries;
	if (rc == 0)
		rc = def->run(c);
	back = put_back(c);
	if (rc == 0 && back == 0 && def->counts) {
		rc = unc_running_look_again(c, first_own);
		back = put_back(c);
	}
	if (c->n_entries == first && rc == 0)
		unc_check_skip_all(c, "there is nothing here that it could look at");
	if (rc == 0 && back == 0)
		unc_check_settle(c, first);
	for (size_t i = first; i < c->n_entries; i++)
		c->entries[i].ns = unc_machine_raw_ns(c->m) - begin_ns;
	return rc < 0 ? rc : back;
}

/* The run ends here.  Results of the check that was begun are incomplete and count as not run, except failures. */
static void not_run(struct unc_check *c, size_t n_whole, size_t from)
{
	for (size_t i = n_whole; i < c->n_entries; i++)
		if (c->entries[i].state != UNC_CHECK_FAIL)
			c->entries[i].state = UNC_CHECK_NOT_RUN;
	if (c->n_entries > n_whole)
		from++;
	for (; from < c->n_chosen; from++) {
		c->now = c->chosen[from];
		unc_check_begin(c, "machine");
		if (c->rc == 0)
			c->entries[c->n_entries - 1].state = UNC_CHECK_NOT_RUN;
	}
}

/* Takes all channels before the first check reads any: while another program writes there no two reads agree. */
static int claim(struct unc_check *c)
{
	const struct unc_check_box *busy = NULL;
	size_t n_usable = 0;
	bool writes = false;
	int rc;

	for (size_t i = 0; i < c->n_chosen; i++)
		writes |= c->chosen[i]->about.writes && c->chosen[i]->need == UNC_CHECK_CHANNELS;
	rc = writes ? unc_drive_claim(c) : UNC_OK;
	for (size_t i = 0; i < c->n_boxes; i++) {
		n_usable += c->boxes[i].usable;
		if (c->boxes[i].rc == UNC_EBUSY)
			busy = &c->boxes[i];
	}
	return rc == 0 && busy && !n_usable ? unc_fail(c->m->ctx, UNC_EBUSY, "%s", busy->why) : rc;
}

int unc_check_run(struct unc_check *c)
{
	size_t i, n_whole = 0;
	int rc, back;

	if (c->has_run || c->m->dry_run)
		return unc_fail(c->m->ctx, UNC_EARG, "%s",
				c->has_run ? "these checks were run already" : "in a dry run nothing can be checked");
	c->has_run = true;
	rc = claim(c);
	for (i = 0; i < c->n_chosen && rc == 0; i++) {
		n_whole = c->n_entries;
		tell_progress(c, i);
		rc = run_one(c, c->chosen[i]);
	}
	if (rc == UNC_EAGAIN)
		not_run(c, n_whole, i - 1);
	back = unc_gate_restore(c->m, c);
	return rc < 0 ? rc : back;
}
