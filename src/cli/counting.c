// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/counting.h"

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
	counting->held.size = counting->n_counts * sizeof(struct unc_count);
	if (rc == 0)
		rc = unc_session_start(counting->session);
	return rc;
}

int counting_sleep_until(void *arg, uint64_t mono_ns)
{
	struct counting *counting = arg;

	return unc_session_sleep_until(counting->session, mono_ns);
}

int counting_sample(void *arg, struct emitter *emitter)
{
	struct counting *counting = arg;
	struct unc_count *counts = held_room(&counting->held);
	bool pending = false;
	int rc;

	(void)emitter;
	if (!counts)
		return unc_fail(counting->ctx, UNC_ENOMEM, "out of memory");
	rc = unc_session_read(counting->session, counts, counting->n_counts);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < counting->n_counts; i++)
		pending |= counts[i].flags & UNC_COUNT_PENDING;
	held_add(&counting->held);
	if (!pending)
		counting_confirm(counting);
	return rc;
}

/* The flags of the counts show a box that does not answer; if no box answers, the next read fails. */
void counting_confirm(void *arg)
{
	struct counting *counting = arg;
	size_t n;
	struct unc_count *waiting = held_waiting(&counting->held, &n);

	if (waiting)
		unc_session_confirm(counting->session, waiting, n * counting->n_counts);
	held_confirmed(&counting->held);
}

int counting_show(void *arg, struct emitter *emitter)
{
	struct counting *counting = arg;
	const struct unc_count *counts = held_next(&counting->held);
	int rc;

	if (!counts)
		return 0;
	rc = counting->show(arg, counts, emitter);
	return rc < 0 ? rc : 1;
}

int counting_stop(void *arg)
{
	struct counting *counting = arg;
	int rc = unc_session_close(counting->session);

	counting->session = NULL;
	held_clear(&counting->held);
	return rc;
}
