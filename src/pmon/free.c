// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a whole memory controller that always run. */
#include "pmon/free.h"

#include <stdlib.h>

#include "machine/gate.h"
#include "machine/uncertain.h"
#include "pmon/counter.h"
#include "pmon/session.h"

/* After the counts themselves comes the clock, by which they are judged. */
enum { CLOCK = UNC_FREE_COUNTS, REGS };
static const char *const names[REGS] = {[UNC_FREE_READS] = "RD",
					[UNC_FREE_WRITES] = "WR",
					[UNC_FREE_PMEM_READS] = "PMM_RD",
					[UNC_FREE_PMEM_WRITES] = "PMM_WR",
					[CLOCK] = "DCLK"};

struct values {
	uint64_t of[REGS];
	uint64_t ns, doubt_ns; /* raw time at which they were read, and how uncertain it is */
};

struct controller {
	struct unc_box *box;              /* not owned */
	const struct unc_reg *regs[REGS]; /* NULL: not read */
	bool has_last;
	struct values last;
	uint64_t quickest_ns; /* the shortest bracket of a read; 0: none yet */
	uint64_t totals[UNC_FREE_COUNTS];
	double clock_hz; /* in the last interval; 0: not known */
};

struct unc_free {
	struct unc_machine *machine;
	struct controller *list; /* owned */
	size_t n;
	struct unc_suspend suspend;
};

int unc_free_open(struct unc_machine *m, struct unc_free **ret_free)
{
	struct unc_free *counters = calloc(1, sizeof(*counters));

	if (!counters)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	counters->machine = m;
	unc_suspend_init(&counters->suspend, m);
	*ret_free = counters;
	return UNC_OK;
}

void unc_free_close(struct unc_free *counters)
{
	if (counters)
		free(counters->list);
	free(counters);
}

/* A read that took much longer than others is repeated: another process may have had the CPU in the middle. */
static int read_values(struct controller *c, struct values *ret_values)
{
	enum { TRIES = 3 };
	struct unc_machine *m = c->box->machine;
	uint64_t took_ns;
	int rc = UNC_OK;

	for (unsigned try = 0; try < TRIES && rc == 0; try++) {
		uint64_t before_ns = unc_machine_raw_ns(m);

		for (unsigned i = 0; i < REGS && rc == 0; i++)
			if (c->regs[i])
				rc = unc_reg_get(c->box, c->regs[i], 0, &ret_values->of[i]);
		for (unsigned i = 0; i < REGS && rc == 0; i++)
			if (ret_values->of[i] >> c->box->unit->counter_bits)
				rc = unc_gate_gone(c->box);
		ret_values->doubt_ns = unc_half_ns(before_ns, unc_machine_raw_ns(m));
		ret_values->ns = before_ns + ret_values->doubt_ns;
		took_ns = 2 * ret_values->doubt_ns;
		if (!unc_read_again(took_ns, c->quickest_ns, c->has_last ? ret_values->ns - c->last.ns : 0))
			break;
	}
	if (rc == 0 && (!c->quickest_ns || took_ns < c->quickest_ns))
		c->quickest_ns = took_ns;
	return rc;
}

int unc_free_add(struct unc_free *counters, struct unc_box *box)
{
	struct controller c = {.box = box};
	int rc;

	for (unsigned i = 0; i < REGS; i++)
		if ((i != UNC_FREE_PMEM_READS && i != UNC_FREE_PMEM_WRITES) || unc_box_has_pmem(box))
			c.regs[i] = unc_unit_reg(box->unit, names[i]);
	rc = unc_box_reach(box);
	if (rc == 0)
		rc = read_values(&c, &c.last);
	c.has_last = true;
	return rc == 0 ? unc_list_add(counters->machine->ctx, &counters->list, &counters->n, &c, sizeof(c)) : rc;
}

/* The clock proves a count: it went on, and neither it nor the counters went faster than they can. */
static unsigned flags_of(const struct controller *c, const struct values *now, const uint64_t gained[REGS])
{
	const struct unc_unit *unit = c->box->unit;
	uint64_t interval_ns = now->ns - c->last.ns, longest_ns = interval_ns + now->doubt_ns + c->last.doubt_ns;
	double most = (double)longest_ns * (double)unit->max_clock_hz / 1e9;

	if (2 * (double)interval_ns * (double)unit->max_clock_hz / 1e9 > (double)(UINT64_C(1) << unit->counter_bits))
		return UNC_COUNT_GAP;
	if (gained[CLOCK] == 0)
		return UNC_COUNT_STOPPED;
	for (unsigned i = 0; i < REGS; i++)
		if ((double)gained[i] > most)
			return UNC_COUNT_RESET;
	return 0;
}

static void fill(struct controller *c, const struct values *now, unsigned flags, uint64_t real_offset_ns,
		 struct unc_count *ret_counts)
{
	uint64_t gained[REGS] = {0};

	for (unsigned i = 0; i < REGS && c->has_last; i++)
		gained[i] = unc_delta(c->last.of[i], now->of[i], c->box->unit->counter_bits);
	if (!flags && c->has_last)
		flags = flags_of(c, now, gained);
	else if (!flags)
		flags = UNC_COUNT_MISSING;
	c->clock_hz = flags ? 0 : (double)gained[CLOCK] * 1e9 / (double)(now->ns - c->last.ns);
	for (unsigned i = 0; i < UNC_FREE_COUNTS; i++) {
		struct unc_count *count = &ret_counts[i];

		*count = (struct unc_count){.flags = flags | UNC_COUNT_FREE_RUNNING, .scale = 1};
		count->time_ns = now->ns + real_offset_ns;
		if (c->has_last)
			count->interval_ns = count->enabled_ns = count->running_ns = now->ns - c->last.ns;
		if (!(flags & UNC_COUNT_NO_NUMBER))
			count->delta = gained[i];
		c->totals[i] += count->delta;
		count->total = c->totals[i];
		unc_session_doubt(count, now->doubt_ns + c->last.doubt_ns);
	}
}

int unc_free_read(struct unc_free *counters, struct unc_count *ret_counts, size_t n)
{
	struct unc_machine *m = counters->machine;
	uint64_t offset_ns = unc_machine_real_ns(m) - unc_machine_raw_ns(m);
	size_t failed = 0;
	int rc = UNC_OK;

	if (n != counters->n * UNC_FREE_COUNTS)
		return unc_fail(m->ctx, UNC_EARG, "each controller has %d counts", UNC_FREE_COUNTS);
	for (size_t i = 0; i < counters->n; i++) {
		struct controller *c = &counters->list[i];
		struct values now = {0};
		int failure = read_values(c, &now);
		unsigned flags = failure < 0 ? UNC_COUNT_MISSING : 0;

		if (unc_was_suspended(&counters->suspend, m))
			for (size_t k = 0; k < counters->n; k++)
				counters->list[k].has_last = false;
		if (failure == 0 && !c->has_last)
			flags = UNC_COUNT_GAP;
		fill(c, &now, flags, offset_ns, &ret_counts[i * UNC_FREE_COUNTS]);
		c->has_last = failure == 0;
		c->last = now;
		if (failure < 0) {
			failed++;
			rc = failure;
		}
	}
	return failed == counters->n ? rc : UNC_OK;
}

unsigned unc_free_channels(const struct unc_box *box)
{
	const struct unc_machine *m = box->machine;
	unsigned n = 0;

	for (size_t i = 0; i < unc_box_count(m, "imc"); i++) {
		const struct unc_box *channel = unc_box_at(m, "imc", i);

		n += channel->presence != UNC_ABSENT && channel->socket == box->socket &&
		     channel->instance->imc == box->instance->imc;
	}
	return n;
}

struct unc_clock_rate unc_free_clock(const struct unc_free *counters, const struct unc_box *box)
{
	const struct unc_unit *unit = unc_map_unit(counters->machine->map, "imc");
	const struct unc_event *clock = unit ? unc_unit_event(unit, "dclk") : NULL;

	for (size_t i = 0; i < counters->n && clock; i++)
		if (counters->list[i].box == box)
			return (struct unc_clock_rate){counters->list[i].clock_hz, clock->clock_bytes, 0};
	return (struct unc_clock_rate){0};
}
