// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/counting.h"

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

int counting_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct counting *counting = arg;
	int rc = unc_session_open(machine, &counting->cfg, &counting->session);

	if (rc == 0)
		rc = counting->add(arg, ctx, machine, counting->session);
	*ret_bytes = counting->n_counts * sizeof(struct unc_count);
	if (rc == 0)
		rc = unc_session_start(counting->session);
	return rc;
}

int counting_sleep_until(void *arg, uint64_t mono_ns)
{
	struct counting *counting = arg;

	return unc_session_sleep_until(counting->session, mono_ns);
}

int counting_read(void *arg, void *read, bool *ret_pending)
{
	struct counting *counting = arg;
	const struct unc_count *counts = read;
	int rc = unc_session_read(counting->session, read, counting->n_counts);

	for (size_t i = 0; i < counting->n_counts && rc == 0; i++)
		*ret_pending |= counts[i].flags & UNC_COUNT_PENDING;
	return rc;
}

/* The flags of the counts show a box that does not answer; if no box answers, the next read fails. */
void counting_confirm(void *arg, void *reads, size_t n)
{
	struct counting *counting = arg;

	unc_session_confirm(counting->session, reads, n * counting->n_counts);
}

int counting_stop(void *arg)
{
	struct counting *counting = arg;
	int rc = unc_session_close(counting->session);

	counting->session = NULL;
	return rc;
}
