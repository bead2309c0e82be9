/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of events that take turns have in common: time is made, so turns come exactly when due. */
#ifndef UNC_TESTS_ONTURNS_H
#define UNC_TESTS_ONTURNS_H

#include "onsim.h"

static const struct unc_session_cfg turns = {.multiplex = true}, frozen_turns = {.multiplex = true, .freeze = true};

#define BOX     "socket0.imc0.ch0"
#define TURN_NS (10 * MS_NS)

/* Eight events: with four counters two turns, four in each. */
static const char *const eight[] = {"cas_count.rd",     "cas_count.wr", "act_count",  "rpq_inserts",
				    "cas_count.rd_reg", "wpq_inserts",  "clockticks", "major_modes.read"};

/* Events of BOX, which need not run together: ADD(&r, "cas_count.rd", "cas_count.wr"). */
#define ADD(r, ...) add_all(r, (const char *const[]){__VA_ARGS__, NULL})
static inline void add_all(struct onrun *r, const char *const *events)
{
	for (; *events; events++)
		onrun_add(r, BOX, *events);
}

/* The same of events that must run together. */
#define ADD_SET(r, freeze, ...) add_set(r, freeze, (const char *const[]){__VA_ARGS__, NULL})
static inline void add_set(struct onrun *r, bool freeze, const char *const *events)
{
	OK(r->o, unc_session_begin_set(r->s, freeze));
	add_all(r, events);
	OK(r->o, unc_session_end_set(r->s));
}

static inline void sleep_on(struct onrun *r, uint64_t ns)
{
	OK(r->o, unc_session_sleep_until(r->s, unc_machine_mono_ns(r->o->m) + ns));
}

static inline void read_on(struct onrun *r, uint64_t ns)
{
	sleep_on(r, ns);
	onrun_read(r);
}

static inline uint64_t truth_between(const struct onrun *r, size_t i, uint64_t from_ns, uint64_t to_ns)
{
	return onsim_truth(r->o, r->box[i], r->event[i], to_ns) - onsim_truth(r->o, r->box[i], r->event[i], from_ns);
}

/* What count i gains in its turns between two raw times: of n turns, which begin at origin_ns, its is the one numbered turn. */
static inline uint64_t truth_of_turns(const struct onrun *r, size_t i, uint64_t origin_ns, uint64_t from_ns,
				      uint64_t to_ns, unsigned n, unsigned turn)
{
	uint64_t sum = 0;

	for (uint64_t k = turn; origin_ns + k * TURN_NS < to_ns; k += n) {
		uint64_t begin_ns = origin_ns + k * TURN_NS, end_ns = begin_ns + TURN_NS;

		begin_ns = begin_ns < from_ns ? from_ns : begin_ns;
		end_ns = end_ns > to_ns ? to_ns : end_ns;
		if (begin_ns < end_ns)
			sum += truth_between(r, i, begin_ns, end_ns);
	}
	return sum;
}

/* A session of the first n of eight, which has started. */
static inline void begin_some(struct onsim *o, struct onrun *r, const struct unc_session_cfg *cfg, unsigned n)
{
	onrun_open(r, o, cfg);
	for (unsigned i = 0; i < n; i++)
		onrun_add(r, BOX, eight[i]);
	onrun_start(r);
}

static inline void begin_eight(struct onsim *o, struct onrun *r, const struct unc_session_cfg *cfg)
{
	begin_some(o, r, cfg, 8);
}

#endif
