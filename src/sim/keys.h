/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a simulated machine ("sockets=2"), their values, and which keys go together. */
#ifndef UNC_SIM_KEYS_H
#define UNC_SIM_KEYS_H

#include "sim/options.h"

struct unc_sim_parse { /* the keys that have been read so far */
	struct unc_ctx *ctx;
	struct unc_sim_options *options;
	uint64_t given; /* bit i: key i of the table was given */
	const struct unc_sim_key *last;
};

struct unc_sim_key {
	const char *name;
	const char *possible; /* describes the values after the = */
	bool repeats;
	int (*set)(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
};

extern const struct unc_sim_key unc_sim_keys[];
extern const size_t unc_sim_n_keys;
/* NULL: there is no key of that name. */
const struct unc_sim_key *unc_sim_key_find(const char *name);
/* Returns the function that adds more numbers after a comma to the key's list. NULL: the key has no list, or key is NULL. */
typedef int (*unc_sim_key_set)(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
unc_sim_key_set unc_sim_key_more(const struct unc_sim_key *key);
/* Returns whether the key was given; name must be in the table. */
bool unc_sim_key_given(const struct unc_sim_parse *parse, const char *name);

/* Returns UNC_EARG, with the possible values. */
int unc_sim_bad_value(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
/* Parses a number from 1 to most. */
int unc_sim_set_count(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value,
		      unsigned most, unsigned *count);
/* Parses one of two words. */
int unc_sim_set_word(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value, const char *no,
		     const char *yes, bool *flag);
/* Parses NTH or NTH:TIMES. */
int unc_sim_set_nth(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value, uint64_t *nth,
		    uint64_t *times);

/* sim/keys_stops.c: keys of what stops counters. */
int unc_sim_set_frz(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_add_sleep(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_add_freeze(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);

/* sim/keys_llc.c: keys of caches. */
int unc_sim_set_l3s(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_snc(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_qm_scope(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_qm(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_disturb(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_mbm_erratum(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_abmc(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
/* Parses at most SECONDS_MAX seconds, 6 years. */
bool unc_sim_parse_seconds(const char *text, uint64_t *ret_ns);

/* sim/keys_kernel.c: keys of its operating system. */
int unc_sim_set_msr(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_msr_writes(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_lockdown(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_perf(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_perf_order(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_perf_moves(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_perf_mask(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_perf_off(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_perf_paranoid(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_resctrl(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_resctrl_hw_id(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_set_resctrl_off(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
/* UNC_EARG: a key is about a part of the kernel that is off, or that cannot be on this machine. */
int unc_sim_check_kernel(const struct unc_sim_parse *parse);

/* sim/keys_group.c */
int unc_sim_add_group(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
int unc_sim_add_group_cpus(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
void unc_sim_groups_clear(struct unc_sim_resctrl_options *resctrl);

/* Adds the CPUs of list, which is value or a part of it. */
int unc_sim_add_cpus(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value,
		     const char *list, struct unc_sim_cpu_array *array);

/* sim/keys_defects.c */
/* Parses a percentage: -3, 0.5, +12.25; not 0. */
bool unc_sim_parse_percent(const char *text, int *ret_ppm);
int unc_sim_add_defect(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value);
/* Chooses the caches and nodes of a socket where no key does. UNC_EARG: the keys contradict the model or each other. */
int unc_sim_check_caches(const struct unc_sim_parse *parse);

#endif
