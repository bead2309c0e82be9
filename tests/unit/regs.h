/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of maps compare: rows that were typed from the documents, against what a map says. */
#ifndef UNC_TESTS_REGS_H
#define UNC_TESTS_REGS_H

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "map/field.h"
#include "map/map.h"

#define REGS_N(array) (sizeof(array) / sizeof((array)[0]))

/* The maps of a CPU of Intel's family 6. */
static inline struct unc_map *regs_map(unsigned model, unsigned stepping)
{
	struct unc_cpu_id cpu = {.vendor = "GenuineIntel", .family = 6, .model = model, .stepping = stepping};
	struct unc_ctx ctx = {.msg = ""};
	struct unc_map *map = NULL;

	CU_ASSERT_EQUAL(unc_map_load(&ctx, &cpu, NULL, &map), 0);
	if (!map)
		printf("\n    %s\n", ctx.msg);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

struct regs_place { /* device and function as manuals write them */
	unsigned device_id, dev, fn, imc, channel;
};

static inline void regs_places(const struct unc_unit *unit, const struct regs_place *want, size_t n)
{
	CU_ASSERT_EQUAL_FATAL(unit->n_instances, n);
	for (size_t i = 0; i < n; i++) {
		const struct unc_instance *is = &unit->instances[i];

		CU_ASSERT_EQUAL(is->vendor, 0x8086);
		CU_ASSERT_EQUAL(is->device, want[i].device_id);
		CU_ASSERT_EQUAL(is->dev, want[i].dev);
		CU_ASSERT_EQUAL(is->fn, want[i].fn);
		CU_ASSERT_EQUAL(is->imc, want[i].imc);
		CU_ASSERT_EQUAL(is->channel, want[i].channel);
	}
}

/* The order of the kernel's table, and of LIKWID's where the ids in that are right. */
static inline void regs_numbers(const struct unc_unit *unit, bool likwid)
{
	for (size_t i = 0; i < unit->n_instances; i++) {
		CU_ASSERT_EQUAL(unit->instances[i].perf, (int)i);
		CU_ASSERT_EQUAL(unit->instances[i].likwid, likwid ? (int)i : -1);
	}
}

struct regs_reg {
	const char *name;
	unsigned off, step, count, bits;
	bool whole, never;
};

static inline void regs_regs(const struct unc_unit *unit, const struct regs_reg *want, size_t n)
{
	CU_ASSERT_EQUAL(unit->n_regs, n);
	for (size_t i = 0; i < n; i++) {
		const struct unc_reg *reg = unc_unit_reg(unit, want[i].name);

		CU_ASSERT_PTR_NOT_NULL_FATAL(reg);
		CU_ASSERT_EQUAL(reg->off, want[i].off);
		CU_ASSERT_EQUAL(reg->count, want[i].count);
		CU_ASSERT_EQUAL(reg->bits, want[i].bits);
		CU_ASSERT_EQUAL(reg->write_whole, want[i].whole);
		CU_ASSERT_EQUAL(reg->never, want[i].never);
		CU_ASSERT_TRUE(reg->count == 1 || reg->step == want[i].step);
	}
}

struct regs_field {
	const char *reg, *field;
	unsigned hi, lo;
	enum unc_acc acc;
};

/* All that is not reserved, and no more; reset values, as far as there are some, are 0. */
static inline void regs_fields(const struct unc_unit *unit, const struct regs_field *want, size_t n)
{
	size_t n_used = 0;

	for (size_t i = 0; i < n; i++) {
		const struct unc_reg *reg = unc_unit_reg(unit, want[i].reg);
		const struct unc_field *field = reg ? unc_reg_field(reg, want[i].field) : NULL;

		CU_ASSERT_PTR_NOT_NULL(field);
		if (!field) {
			printf("\n    %s has no %s.%s\n", unit->map, want[i].reg, want[i].field);
			continue;
		}
		CU_ASSERT_EQUAL(field->hi, want[i].hi);
		CU_ASSERT_EQUAL(field->lo, want[i].lo);
		CU_ASSERT_EQUAL(field->acc, want[i].acc);
	}
	for (size_t r = 0; r < unit->n_regs; r++) {
		for (size_t f = 0; f < unit->regs[r].n_fields; f++) {
			const struct unc_field *field = &unit->regs[r].fields[f];

			n_used += field->acc != UNC_RSVD;
			CU_ASSERT_EQUAL(field->reset, 0);
		}
	}
	CU_ASSERT_EQUAL(n_used, n);
}

enum regs_kind {
	ONE,       /* an event */
	RANKS,     /* "...rank%u...": eight, and a code for each */
	BANK_BITS, /* "...rank%u.bank%u": so, and a bit of the umask for each bank */
	BANKS,     /* so, with a number for each of so many banks */
};

struct regs_event {
	const char *name;
	unsigned code, umask; /* of the first */
	enum regs_kind kind;
	unsigned n_banks; /* 0: none are told apart */
};

static inline uint64_t regs_selected(const struct unc_event *event, const char *field)
{
	for (size_t i = 0; i < event->n_select; i++)
		if (strcmp(event->select[i].field, field) == 0)
			return event->select[i].value;
	return UINT64_MAX;
}

static inline const struct unc_event *regs_event(const struct unc_unit *unit, const char *name, unsigned code,
						 unsigned umask)
{
	const struct unc_event *event = unc_unit_event(unit, name);
	bool right = event && event->n_select == 2 && regs_selected(event, "ev_sel") == code &&
		     regs_selected(event, "umask") == umask;

	CU_ASSERT_TRUE(right);
	if (!right)
		printf("\n    %s: %s is not code 0x%x, umask 0x%x\n", unit->map, name, code, umask);
	return event;
}

/* What an event says besides its code. */
static inline void regs_event_is_whole(const struct unc_unit *unit, const struct unc_event *event, unsigned max_inc)
{
	bool cas = strncmp(event->name, "cas_count.", 10) == 0;

	CU_ASSERT_EQUAL(event->max_inc, max_inc);
	if (event->max_inc != max_inc)
		printf("\n    %s: %s: max_inc is %u\n", unit->map, event->name, event->max_inc);
	CU_ASSERT_EQUAL(event->one_per, cas || strstr(event->name, "_cas_rank") ? 4 : 0);
	CU_ASSERT_EQUAL(event->counters, event->fixed ? 0 : 0xf);
	CU_ASSERT_TRUE(event->scale == (cas ? 64 : 1));
	CU_ASSERT_TRUE(cas ? event->unit && strcmp(event->unit, "bytes") == 0 : !event->unit);
	CU_ASSERT_TRUE(event->desc && event->src);
	CU_ASSERT_TRUE(event->max_inc != 0 || event->verify != NULL);
}

/* Marks those that there are in KNOWN, which has an element for each event of the unit. */
static inline void regs_family(const struct unc_unit *unit, const struct regs_event *want, bool *known)
{
	unsigned n_ranks = want->kind == ONE ? 1 : 8;
	unsigned n_banks = want->n_banks ? want->n_banks : 1;

	for (unsigned rank = 0; rank < n_ranks; rank++) {
		for (unsigned bank = 0; bank < n_banks; bank++) {
			unsigned umask = want->kind == BANK_BITS ? want->umask << bank : want->umask + bank;
			const struct unc_event *event;
			char name[80];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(name, sizeof(name), want->name, rank, bank);
#pragma GCC diagnostic pop
			event = regs_event(unit, name, want->code + rank, umask);
			if (event)
				known[event - unit->events] = true;
		}
	}
}

/* Another name of an event finds it. */
static inline void regs_also(const struct unc_unit *unit, const char *name, const char *also)
{
	const struct unc_event *event = unc_unit_event(unit, name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(event);
	CU_ASSERT_PTR_EQUAL(unc_unit_event(unit, also), event);
	CU_ASSERT_STRING_EQUAL(event->name, name);
}

#endif
