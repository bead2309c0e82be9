// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/counting.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

bool counting_option(struct counting *counting, int option)
{
	switch (option) {
	case COUNTING_FREEZE:
		counting->cfg.freeze = true;
		return true;
	case COUNTING_FORCE:
		counting->cfg.force = true;
		return true;
	default:
		return false;
	}
}

int counting_options_done(void *arg, const struct sampler_options *options)
{
	struct counting *counting = arg;

	counting->cfg.observe = options->observe;
	counting->cfg.interval_ns = sampler_interval_ns(options);
	counting->cfg.confirm_later = true;
	if (options->observe && (counting->cfg.freeze || counting->cfg.force))
		return usage_error("--%s needs a register to be written, and --observe writes none: only one of them",
				   counting->cfg.freeze ? "freeze" : "force");
	return EXIT_DONE;
}

int counting_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine)
{
	struct counting *counting = arg;
	int rc = unc_session_open(machine, &counting->cfg, &counting->session);

	counting->ctx = ctx;
	if (rc == 0)
		rc = counting->add(arg, ctx, machine, counting->session);
	if (rc == 0)
		rc = unc_session_start(counting->session);
	return rc;
}

int counting_sleep_until(void *arg, uint64_t mono_ns)
{
	struct counting *counting = arg;

	return unc_session_sleep_until(counting->session, mono_ns);
}

/* Room for one more read after those that are held. */
static bool make_room(struct counting *counting)
{
	size_t size = counting->n_counts * sizeof(*counting->held), held = counting->end - counting->first, room;
	void *more;

	if (counting->end < counting->room)
		return true;
	room = held + held / 2 + 1;
	if (counting->first > 0)
		memmove(counting->held, counting->held + counting->first * counting->n_counts, held * size);
	counting->good -= counting->first;
	counting->first = 0;
	counting->end = held;
	if (room <= counting->room)
		return true;
	more = realloc(counting->held, room * size);
	if (!more)
		return false;
	counting->held = more;
	counting->room = room;
	return true;
}

static struct unc_count *held(const struct counting *counting, size_t read)
{
	return counting->held + read * counting->n_counts;
}

int counting_sample(void *arg, struct emitter *emitter)
{
	struct counting *counting = arg;
	bool pending = false;
	int rc;

	(void)emitter;
	if (!make_room(counting))
		return unc_fail(counting->ctx, UNC_ENOMEM, "out of memory");
	rc = unc_session_read(counting->session, held(counting, counting->end), counting->n_counts);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < counting->n_counts; i++)
		pending |= held(counting, counting->end)[i].flags & UNC_COUNT_PENDING;
	counting->end++;
	if (!pending)
		counting_confirm(counting);
	return rc;
}

/* A box that does not answer is in the counts, and fails the next read if there is none that does. */
void counting_confirm(void *arg)
{
	struct counting *counting = arg;

	if (counting->good < counting->end)
		unc_session_confirm(counting->session, held(counting, counting->good),
				    (counting->end - counting->good) * counting->n_counts);
	counting->good = counting->end;
}

int counting_show(void *arg, struct emitter *emitter)
{
	struct counting *counting = arg;
	int rc;

	if (counting->first == counting->good)
		return 0;
	rc = counting->show(arg, held(counting, counting->first++), emitter);
	if (counting->first == counting->end)
		counting->first = counting->good = counting->end = 0;
	return rc < 0 ? rc : 1;
}

int counting_stop(void *arg)
{
	struct counting *counting = arg;
	int rc = unc_session_close(counting->session);

	counting->session = NULL;
	free(counting->held);
	counting->held = NULL;
	return rc;
}
