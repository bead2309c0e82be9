// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel of a simulated machine counts beside its counters and ours, held against what really happened. */
#include "onsim.h"
#include "uncore.h"

void test_xcheck_suite(void);

struct run {
	struct onsim o;
	struct unc_xcheck *x;
	struct unc_xcheck_row row; /* the last that was looked at */
};

static void open_run(struct run *r, const char *model, const char *common)
{
	const struct unc_xcheck_cfg cfg = {.tolerance = -1};

	memset(r, 0, sizeof(*r));
	onsim_open_model(&r->o, model, common, NULL);
	OK(&r->o, unc_xcheck_open(r->o.m, &cfg, &r->x));
}

static void __attribute__((unused)) add(struct run *r, const char *box, const char *event)
{
	OK(&r->o, unc_xcheck_add(r->x, onsim_box(&r->o, box), event));
}

static void add_everywhere(struct run *r, const char *event)
{
	for (size_t i = 0; i < r->o.m->n_boxes; i++)
		if (strcmp(r->o.m->boxes[i].unit->name, "imc") == 0 && r->o.m->boxes[i].presence == UNC_PRESENT)
			OK(&r->o, unc_xcheck_add(r->x, &r->o.m->boxes[i], event));
}

static void go_on(struct run *r, uint64_t ns)
{
	struct unc_machine *m = r->o.m;

	OK(&r->o, unc_xcheck_sleep_until(r->x, unc_machine_mono_ns(m) + ns));
	OK(&r->o, unc_xcheck_sample(r->x));
}

static const struct unc_xcheck_row *row(struct run *r, size_t i)
{
	OK(&r->o, unc_xcheck_row(r->x, i, &r->row));
	return &r->row;
}

static void close_run(struct run *r)
{
	OK(&r->o, unc_xcheck_close(r->x));
	onsim_close(&r->o);
}

static void show(const struct unc_xcheck_row *is)
{
	fprintf(stderr,
		"\n%s %s: %s (%d) on cpu %d, %s, alias %s, counter %s, ours %s: verdict %d, %s; %d %" PRIu64 ", %d %" PRIu64
		", %d %" PRIu64 ", uncertainty %" PRIu64 "\n",
		is->subject, is->event, is->source, is->number, is->cpu, is->config, is->alias ? is->alias : "-",
		is->counter ? is->counter : "-", is->own ? is->own : "-", is->verdict, is->why ? is->why : "-",
		is->has_kernel, is->kernel, is->has_raw, is->raw, is->has_ours, is->ours, is->uncertainty);
}

static void x(void)
{
	struct run r;

	open_run(&r, "snbep", "sockets=2,perf=on");
	add_everywhere(&r, "cas_count.rd");
	add_everywhere(&r, "dclk");
	OK(&r.o, unc_xcheck_start(r.x));
	go_on(&r, S_NS);
	for (size_t i = 0; i < unc_xcheck_count(r.x); i++)
		show(row(&r, i));
	close_run(&r);
}

void test_xcheck_suite(void)
{
	CU_pSuite s = CU_add_suite("xcheck", NULL, NULL);

	CU_ADD_TEST(s, x);
}
