// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every event of every map, programmed on the simulated machine of its generation, whose tables of events are its own:
 * under a load that gives each a rate of its own, each count must be what happened, by the event's name and by its
 * encoding.  So a wrong code or umask on either side shows, and so does an event that one side lacks.
 */
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "every.h"
#include "onsim.h"
#include "sim/computer.h"
#include "test.h"
#include "uncore/event.h"

static const char *const models[] = {"snbep", "ivt", "hsx", "bdx", "bdxde", "skx",  "clx", "cpx", "icx",
				     "icxd",  "snr", "spr", "emr", "gnr",   "gnrd", "srf", "grr", "cwf"};

enum { AT_ONCE = 4, BOXES = 16, EVENTS = 640 };

static struct every {
	struct onsim o;
	struct onrun r;
	const char *model;
	struct unc_box *boxes[BOXES]; /* that are there */
	size_t n_boxes;
	struct unc_event_info info[AT_ONCE]; /* of the events in this session */
	size_t n;                            /* of them */
	uint64_t seen[BOXES][EVENTS];        /* counts by the model's number of the event */
} e;

/* Of one socket, where accesses take no time. */
static void open_every(const char *model)
{
	char args[128], common[128], *load;

	memset(&e, 0, sizeof(e));
	e.model = model;
	snprintf(args, sizeof(args), "%s,sockets=1", model);
	load = every_load(args);
	snprintf(common, sizeof(common), "sockets=1,load=%s", load);
	onsim_open_model(&e.o, model, common, "dword_ns=0");
	unlink(load);
	free(load);
	for (size_t i = 0; i < unc_box_count(e.o.m, "imc"); i++) {
		struct unc_box *box = unc_box_at(e.o.m, "imc", i);

		CU_ASSERT_FATAL(e.n_boxes < BOXES);
		if (box->presence == UNC_PRESENT)
			e.boxes[e.n_boxes++] = box;
	}
}

static void complain(const char *event, const char *what, uint64_t is, uint64_t wanted)
{
	fprintf(stderr, "\n%s: %s: %s: %" PRIu64 ", not %" PRIu64 "\n", e.model, event, what, is, wanted);
}

/* When the interval of count i ended, on the raw clock. */
static uint64_t end_ns(size_t i)
{
	return e.r.c[i].time_ns - (unc_machine_real_ns(e.o.m) - unc_machine_raw_ns(e.o.m));
}

static bool named_right(size_t i)
{
	/* The fixed counter counts cycles, or every second one. */
	bool fixed = strcmp(e.info[i % e.n].encoding, "fixed") == 0;
	unsigned halves = fixed && unc_sim_of(e.o.hand)->options.model->pmon->fixed_halves;
	const char *name = fixed || strcmp(e.r.event[i], "dclk") == 0 ? "clockticks" : e.r.event[i];
	const struct unc_addr *addr = &e.r.box[i]->addr;
	uint64_t end = end_ns(i), after = 0, before = 0;

	if (unc_sim_truth_events_at(e.o.hand, addr, name, end, &after) < 0 ||
	    unc_sim_truth_events_at(e.o.hand, addr, name, end - e.r.c[i].interval_ns, &before) < 0) {
		fprintf(stderr, "\n%s: the map has %s, and the simulated machine has not\n", e.model, name);
		return false;
	}
	after >>= halves;
	before >>= halves;
	if (e.r.c[i].delta != after - before)
		complain(name, "by its name", e.r.c[i].delta, after - before);
	return e.r.c[i].delta == after - before;
}

/* The most that a cycle adds, where the map knows it; of sums the model has none. */
static bool same_increment(const struct unc_event_info *info, size_t event)
{
	const struct unc_sim_model *model = unc_sim_of(e.o.hand)->options.model;
	unsigned max_inc = event == SIZE_MAX ? info->max_inc : model->events[event].max_inc;

	if (info->max_inc && info->max_inc != max_inc)
		complain(info->name, "max_inc", info->max_inc, max_inc);
	return !info->max_inc || info->max_inc == max_inc;
}

static bool encoded_right(size_t i)
{
	const struct unc_event_info *info = &e.info[i % e.n];
	size_t event = SIZE_MAX, box = i / e.n;
	uint64_t end = end_ns(i), happened;
	unsigned code, umask;

	if (strcmp(info->encoding, "fixed") == 0)
		return true;
	if (sscanf(info->encoding, "ev_sel=0x%x,umask=0x%x", &code, &umask) != 2) {
		fprintf(stderr, "\n%s: %s: %s\n", e.model, info->name, info->encoding);
		return false;
	}
	happened = every_truth(e.o.hand, &e.r.box[i]->addr, code, umask, end, &event) -
		   every_truth(e.o.hand, &e.r.box[i]->addr, code, umask, end - e.r.c[i].interval_ns, &event);
	if (e.r.c[i].delta != happened)
		complain(info->name, info->encoding, e.r.c[i].delta, happened);
	if (event != SIZE_MAX)
		e.seen[box][event] = e.r.c[i].delta;
	return same_increment(info, event) && e.r.c[i].delta == happened;
}

/* A second of these events on all channels. */
static void count_these(size_t first, size_t n)
{
	size_t i, k;

	e.n = n;
	onrun_open(&e.r, &e.o, NULL);
	for (k = 0; k < n; k++)
		OK(&e.o, unc_event_info(e.o.m, "imc", first + k, &e.info[k]));
	for (i = 0; i < e.n_boxes; i++)
		for (k = 0; k < n; k++)
			onrun_add(&e.r, e.boxes[i]->name, e.info[k].name);
	onrun_start(&e.r);
	onsim_step(&e.o, S_NS);
	onrun_read(&e.r);
	for (i = 0; i < e.r.n; i++) {
		CU_ASSERT_EQUAL(e.r.c[i].flags, 0);
		CU_ASSERT_EQUAL(e.r.c[i].interval_ns, S_NS);
		CU_ASSERT(e.r.c[i].delta > 0);
		CU_ASSERT_TRUE(named_right(i));
		CU_ASSERT_TRUE(encoded_right(i));
	}
	onrun_close(&e.r);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* All of the model's events were counted, and no two as often as each other. */
static void check_seen(size_t box)
{
	const struct unc_sim_model *model = unc_sim_of(e.o.hand)->options.model;
	size_t i;

	CU_ASSERT_FATAL(model->n_events <= EVENTS);
	for (i = 0; i < model->n_events; i++) {
		bool seen = e.seen[box][i] || model->events[i].flags & UNC_SIM_CONSTANT;

		if (!seen)
			fprintf(stderr, "\n%s: the simulated machine has %s, and no event of the map counts it\n",
				e.model, model->events[i].name);
		CU_ASSERT_TRUE(seen);
	}
	qsort(e.seen[box], model->n_events, sizeof(e.seen[box][0]), compare);
	for (i = 1; i < model->n_events; i++)
		CU_ASSERT(e.seen[box][i] == 0 || e.seen[box][i] != e.seen[box][i - 1]);
}

TEST(every_event_of_every_map_counts_what_happened)
{
	for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
		size_t n;

		open_every(models[m]);
		n = unc_event_count(e.o.m, "imc");
		CU_ASSERT_FATAL(n > 0);
		EQ(e.n_boxes, unc_sim_info(e.o.hand).n_channels);
		for (size_t i = 0; i < n; i += AT_ONCE)
			count_these(i, n - i < AT_ONCE ? n - i : AT_ONCE);
		for (size_t i = 0; i < e.n_boxes; i++)
			check_seen(i);
		onsim_close(&e.o);
	}
}
