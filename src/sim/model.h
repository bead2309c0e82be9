/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a model of processor is, as tables: its PCI functions, its events, what CPUID answers. */
#ifndef UNC_SIM_MODEL_H
#define UNC_SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/host.h"

enum {
	UNC_SIM_SOCKETS_MAX = 8,
	UNC_SIM_CHANNELS_MAX = 4, /* a socket */
	UNC_SIM_CONFIG_BYTES = 256,
};

/* How a function's registers from 0x40 on behave. */
enum unc_sim_kind { UNC_SIM_UBOX, UNC_SIM_IMC };

struct unc_sim_function {
	uint8_t dev, fn;
	uint16_t device_id;
	uint8_t revision;
	enum unc_sim_kind kind;
	unsigned imc, channel; /* UNC_SIM_IMC */
};

/* What bytes per second of a load turn into. */
enum unc_sim_from { UNC_SIM_FROM_EVENTS, UNC_SIM_FROM_READ, UNC_SIM_FROM_WRITE };

enum unc_sim_event_flags {
	UNC_SIM_RANKS = 1,    /* the umask picks one rank; ranks are never added */
	UNC_SIM_CONSTANT = 2, /* DCLK itself: no load changes it */
};

struct unc_sim_event {    /* an event, or one sub-event of it */
	const char *name; /* as in load files */
	uint8_t code;
	uint8_t umask;   /* this sub-event's bit; 0: the event has no sub-events */
	uint8_t max_inc; /* the most that a DCLK cycle can add to a counter */
	uint8_t flags;
	enum unc_sim_from from; /* if the load gives bytes per second ... */
	uint16_t whole, less;   /* ... its share of them: see struct unc_sim_part */
};

/* A name for several sub-events of one event together. */
struct unc_sim_sum {
	const char *name;
	uint8_t code, umask;
};

struct unc_sim_model {
	const char *name;
	unsigned cores_max;
	const struct unc_sim_function *functions; /* by dev and fn */
	size_t n_functions;
	const struct unc_sim_event *events; /* the sub-events of one code stand together, by umask */
	size_t n_events;
	const struct unc_sim_sum *sums;
	size_t n_sums;
	/* What CPUID answers on a core of a package with that many cores. */
	void (*cpuid)(unsigned package, unsigned core, unsigned cores, uint32_t leaf, uint32_t subleaf,
		      struct unc_cpuid_regs *ret_regs);
};

extern const struct unc_sim_model unc_sim_snbep;

/* NULL: none of that name. */
const struct unc_sim_model *unc_sim_model_find(const char *name);
/* NULL beyond the last. */
const struct unc_sim_model *unc_sim_model_at(size_t i);

/* The event of that name, or NULL. */
const struct unc_sim_event *unc_sim_event_find(const struct unc_sim_model *model, const char *name);
const struct unc_sim_sum *unc_sim_sum_find(const struct unc_sim_model *model, const char *name);
/* The event as people write it without its sub-event: the length of the name up to the dot. */
size_t unc_sim_event_base_len(const struct unc_sim_event *event);

#endif
