/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a simulated machine ("sockets=2") while they are parsed: keys.c has the table, defects.c defect=. */
#ifndef UNC_SIM_KEYS_H
#define UNC_SIM_KEYS_H

#include "sim/options.h"

/* What else must be so where a key is given. */
enum unc_sim_need {
	UNC_SIM_NEEDS_MODEL = 1, /* the machine is that of a model, and not of a dump */
	UNC_SIM_NEEDS_MSRS = 2,
	UNC_SIM_NEEDS_MONITORING = 4, /* of caches, by MSRs */
	UNC_SIM_NEEDS_PERF = 8,       /* perf=on */
	UNC_SIM_NEEDS_RESCTRL = 16,   /* resctrl=on */
	UNC_SIM_NEEDS_ZEN = 32,       /* a model with uncore counters of AMD */
	UNC_SIM_NEEDS_UMCS = 64,      /* and with those of UMCs */
	UNC_SIM_NEEDS_POWER = 128,    /* a model of POWER */
};

struct unc_sim_parse { /* the keys that have been read so far */
	struct unc_ctx *ctx;
	struct unc_sim_options *options;
	uint64_t given;                /* bit i: key i of the table was given */
	const struct unc_sim_key *key; /* the one that is being parsed, or the last one */
	const char *value;             /* of that key */
	int failed; /* why its function has refused it, after a sentence; 0: its value is not one of the possible */
};

/* Parses text, which it may cut. Returns false if it is not a possible value. */
typedef bool unc_sim_key_parse(struct unc_sim_parse *parse, char *text);

/* Parses one key with its value, which it cuts; or more numbers of the last key's list. */
int unc_sim_key_set(struct unc_sim_parse *parse, char *text);
/* Returns whether the key was given; name must be in the table. */
bool unc_sim_key_given(const struct unc_sim_parse *parse, const char *name);
/* Fails if a key with this need was given. */
int unc_sim_keys_refuse(struct unc_sim_parse *parse, enum unc_sim_need need, const char *why);

unc_sim_key_parse unc_sim_parse_defect;
bool unc_sim_parse_seconds(const char *text, uint64_t *ret_ns);
/* Parses a percentage: -3, 0.5, +12.25; not 0. */
bool unc_sim_parse_percent(const char *text, int *ret_ppm);
/* As unc_fail() with UNC_EARG, with "sim:MODEL: " in front of the sentence. */
#define unc_sim_refuse(parse, ...)                                                                                     \
	((parse)->failed = unc_wrap((parse)->ctx, unc_fail((parse)->ctx, UNC_EARG, __VA_ARGS__), "sim:%s",             \
				    (parse)->options->model->name))
/* Fails for lack of memory; returns false. */
bool unc_sim_no_memory(struct unc_sim_parse *parse);

#endif
