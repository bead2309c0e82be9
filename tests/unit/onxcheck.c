// SPDX-License-Identifier: GPL-2.0-or-later
#include "onxcheck.h"

struct onsim_controls onxcheck_controls(struct onxcheck *r)
{
	struct onsim_controls all = {0};

	for (size_t i = 0; i < unc_box_count(r->o.m, "imc"); i++) {
		const struct unc_box *box = unc_box_at(r->o.m, "imc", i);

		if (box->presence != UNC_PRESENT)
			continue;
		for (unsigned k = 0; k < 4; k++)
			all.values[all.n][k] = onsim_peek(&r->o, box, R_CTL(k));
		all.values[all.n++][4] = onsim_peek(&r->o, box, R_FIXED_CTL);
	}
	return all;
}

void onxcheck_open_with(struct onxcheck *r, const char *model, const char *common, const char *own, double tolerance)
{
	onxcheck_close(r);
	onsim_open_model(&r->o, model, common, own);
	r->controls = onxcheck_controls(r);
	OK(&r->o, unc_xcheck_open(r->o.m, &(struct unc_xcheck_cfg){.tolerance = tolerance}, &r->x));
}

void onxcheck_open(struct onxcheck *r, const char *model, const char *common)
{
	onxcheck_open_with(r, model, common, NULL, -1);
}

void onxcheck_add(struct onxcheck *r, bool start, const char *const *events)
{
	for (; *events; events++) {
		const char *event;
		struct unc_box *box = onsim_box_of_event(&r->o, *events, &event);

		OK(&r->o, unc_xcheck_add(r->x, box, event));
	}
	if (start)
		onxcheck_start(r);
}

void onxcheck_add_everywhere(struct onxcheck *r, const char *event)
{
	for (size_t i = 0; i < unc_box_count(r->o.m, "imc"); i++)
		if (unc_box_at(r->o.m, "imc", i)->presence == UNC_PRESENT)
			OK(&r->o, unc_xcheck_add(r->x, unc_box_at(r->o.m, "imc", i), event));
}

void onxcheck_start(struct onxcheck *r)
{
	OK(&r->o, unc_xcheck_start(r->x));
}

void onxcheck_go_on(struct onxcheck *r, uint64_t ns)
{
	struct unc_machine *m = r->o.m;

	OK(&r->o, unc_xcheck_sleep_until(r->x, unc_machine_mono_ns(m) + ns));
	OK(&r->o, unc_xcheck_sample(r->x));
}

const struct unc_xcheck_row *onxcheck_row(struct onxcheck *r, size_t i)
{
	OK(&r->o, unc_xcheck_row(r->x, i, &r->row));
	return &r->row;
}

void onxcheck_is_left_as_found(struct onxcheck *r)
{
	struct onsim_controls now = onxcheck_controls(r);

	for (size_t i = 0; i < now.n; i++) {
		for (unsigned k = 0; k < 5; k++) {
			uint32_t was = r->controls.values[i][k], is = now.values[i][k];

			CU_ASSERT(was & R_EN ? is == was : !(is & R_EN));
			CU_ASSERT(was || is == 0 || k < 4);
		}
	}
}

void onxcheck_end(struct onxcheck *r)
{
	struct unc_xcheck *x = r->x;

	r->x = NULL;
	if (x)
		OK(&r->o, unc_xcheck_close(x));
	onsim_close(&r->o);
}

void onxcheck_close(struct onxcheck *r)
{
	struct unc_xcheck *x = r->x;

	r->x = NULL;
	if (x) {
		OK(&r->o, unc_xcheck_close(x));
		onxcheck_is_left_as_found(r);
	}
	onsim_close(&r->o);
}

const char *onxcheck_text(const struct unc_xcheck_row *is, char text[400])
{
	snprintf(text, 400, "%s %s: %s (%d) on cpu %d, %s, alias %s, counter %s, ours %s", is->subject, is->event,
		 is->source, is->number, is->cpu, is->config, is->alias ? is->alias : "-",
		 is->counter ? is->counter : "-", is->own ? is->own : "-");
	return text;
}

void onxcheck_show(const struct unc_xcheck_row *is)
{
	fprintf(stderr,
		"\n%s: verdict %d, %s; %d %" PRIu64 ", %d %" PRIu64 ", %d %" PRIu64 ", uncertainty %" PRIu64 "\n",
		onxcheck_text(is, (char[400]){0}), is->verdict, is->why ? is->why : "-", is->has_kernel, is->kernel,
		is->has_raw, is->raw, is->has_ours, is->ours, is->uncertainty);
}

/* What a control with the code of that config counts had so often happened there. */
static uint64_t onxcheck_truth(struct onxcheck *r, const struct unc_xcheck_row *is, uint64_t raw_ns)
{
	const char *config = strstr(is->config, "config=0x");
	unsigned code = config ? (unsigned)strtoul(config + 7, NULL, 16) : 0;
	size_t event;

	if (code == 0xff)
		return onsim_truth(&r->o, is->box, "dclk", raw_ns);
	return every_truth(r->o.hand, &is->box->addr, code & 0xff, code >> 8 & 0xff, raw_ns, &event);
}

bool onxcheck_is_true(struct onxcheck *r, const struct unc_xcheck_row *is)
{
	uint64_t least = onxcheck_truth(r, is, is->to.begin_ns) - onxcheck_truth(r, is, is->from.end_ns);
	uint64_t most = onxcheck_truth(r, is, is->to.end_ns) - onxcheck_truth(r, is, is->from.begin_ns);
	uint64_t kernel = is->kernel, raw = is->raw, ours = is->has_ours ? is->ours : raw;

	/* A half of one is rounded somewhere. */
	return kernel + 1 >= least && kernel <= most + 1 && raw + 1 >= least && raw <= most + 1 && ours + 1 >= least &&
	       ours <= most + 1 && is->uncertainty <= most - least + 2;
}

void onxcheck_is_ok(struct onxcheck *r, size_t i, bool ours)
{
	const struct unc_xcheck_row *is = onxcheck_row(r, i);
	bool right = is->verdict == UNC_XCHECK_OK && !is->why && is->has_kernel && is->has_raw &&
		     is->has_ours == ours && (is->own != NULL) == ours && is->raw > 0 && onxcheck_is_true(r, is);

	if (!right)
		onxcheck_show(is);
	CU_ASSERT(right);
}

void onxcheck_goes_on(struct onxcheck *r, bool ours)
{
	onxcheck_go_on(r, S_NS);
	onxcheck_is_ok(r, 0, ours);
}

void onxcheck_is_not(struct onxcheck *r, size_t i, enum unc_xcheck_verdict verdict, const char *why)
{
	const struct unc_xcheck_row *is = onxcheck_row(r, i);
	bool right = is->verdict == verdict && is->why && strstr(is->why, why);

	if (!right) {
		onxcheck_show(is);
		fprintf(stderr, "no \"%s\"\n", why);
	}
	CU_ASSERT(right);
}

void onxcheck_other_does(struct onxcheck *r, enum unc_perf_op op, unsigned event)
{
	onsim_ok(&r->o.hand_ctx, unc_host_perf(r->o.hand, op, event, NULL), "perf", __FILE__, __LINE__);
}

unsigned onxcheck_other_counts(struct onxcheck *r, uint64_t config)
{
	const struct unc_perf_attr attr = {.type = 12, .config = config, .cpu = 0};
	unsigned event = 0;

	onsim_ok(&r->o.hand_ctx, unc_host_perf_open(r->o.hand, &attr, &event), "open", __FILE__, __LINE__);
	onxcheck_other_does(r, UNC_PERF_ON, event);
	return event;
}

void onxcheck_sleep_for(struct onxcheck *r, uint64_t ns)
{
	OK(&r->o, unc_xcheck_sleep_until(r->x, unc_machine_mono_ns(r->o.m) + ns));
}

void onxcheck_begin_well(struct onxcheck *r)
{
	ONXCHECK_START(r, "ch0 cas_count.rd");
	onxcheck_goes_on(r, true);
}
