/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "snbep,sockets=2,load=FILE": see sim/sim.h. */
#ifndef UNC_SIM_OPTIONS_H
#define UNC_SIM_OPTIONS_H

#include "access/fault.h"
#include "sim/defects.h"
#include "sim/dump.h"
#include "sim/model.h"

struct unc_sim_perf_options { /* of the kernel's driver of memory channels */
	bool on;
	bool ordered, masked, suspicious;     /* whether these are said: */
	unsigned order[UNC_SIM_CHANNELS_MAX]; /* the number of each channel of a socket */
	uint32_t mask;                        /* bits of config that it takes */
	int64_t paranoid;                     /* perf_event_paranoid, for somebody who is not root */
	uint64_t moves_ns;                    /* when events change counters; 0: never */
	int off_ppm;                          /* it counts so much more */
};

struct unc_sim_cpu_array {
	unsigned *cpus; /* owned */
	size_t n;
};

struct unc_sim_group { /* of resctrl */
	char *path;    /* its folder: "jobs", "mon_groups/one", "jobs/mon_groups/one"; owned; of the root group "" */
	unsigned rmid; /* not checked to be one of the machine */
	struct unc_sim_cpu_array cpus; /* likewise */
};

struct unc_sim_resctrl_options {
	bool on;
	bool hw_id;                   /* mounted with -o debug */
	int off_ppm;                  /* it says so much more */
	struct unc_sim_group *groups; /* without the root group; owned */
	size_t n;
};

struct unc_sim_options {
	const struct unc_sim_model *model;
	struct unc_sim_dump *dump;          /* cpuid=: the model's, or NULL; owned */
	unsigned sockets, cores, threads;   /* cores: a socket; threads: a core */
	unsigned l3s;                       /* L3 caches of a socket */
	unsigned snc;                       /* NUMA nodes of a socket */
	unsigned domains;                   /* PCI domains */
	struct unc_sim_cpu_array offline;   /* not checked to be CPUs of the machine */
	struct unc_sim_cpu_array nohz_full; /* likewise */
	char *load, *state, *files;         /* paths, or NULL; owned */
	bool step;
	bool frz_en_rw;
	bool frz_rw;           /* frz of BOX_CTL and frz_all of the global register read back */
	bool status_by_number; /* bit i of BOX_STATUS is CTR[i], bit 4 the fixed one */
	bool ctl_twice;
	bool clock_event_dead;
	bool numa_off; /* one node for all sockets */
	bool reversed;
	uint64_t dword_ns;
	bool seeded; /* load and durations vary */
	uint64_t seed;
	char **empty; /* "socket0.imc0.ch1", not checked to be channels of the machine; owned, each and all */
	size_t n_empty;
	struct unc_addr *hide; /* not checked to be functions of the machine; owned */
	size_t n_hide;
	struct unc_sim_gone {               /* reads all ones for a time */
		struct unc_addr addr;       /* likewise */
		uint64_t from_ns, until_ns; /* machine time; UINT64_MAX: for ever */
		const char *key;            /* "allones", "vanish": who said so */
	} * gone;                           /* owned */
	size_t n_gone;
	struct unc_sim_sleep {   /* of a socket's package; times of the machine */
		unsigned socket; /* not checked to be one of the machine */
		uint64_t from_ns, until_ns;
	} * sleeps; /* owned */
	size_t n_sleeps;
	struct unc_sim_frozen { /* another program freezes that */
		char *where;    /* "socket0", "socket0.imc0.ch1", not checked either; owned */
		uint64_t from_ns;
		bool done; /* by this opener */
	} * freezes;       /* owned */
	size_t n_freezes;
	struct unc_fault fail; /* as fail=, kill= and lose= say */
	bool msr_absent, msr_writes_off, lockdown;
	bool qm_per_package; /* IA32_QM_EVTSEL is one register of the L3, not each CPU's */
	enum unc_sim_qm { UNC_SIM_QM_OK, UNC_SIM_QM_ERROR, UNC_SIM_QM_UNAVAILABLE, UNC_SIM_QM_SLOW } qm;
	unsigned qm_times; /* how many first reads of each RMID and event, or with slow after each selection; 0: all */
	bool qm_alternate; /* each second one of them */
	enum unc_sim_choice { UNC_SIM_BY_DEFAULT, UNC_SIM_NO, UNC_SIM_YES } mbm_erratum;
	bool abmc;                          /* assignable bandwidth counters are in use */
	uint64_t disturb_at, disturb_times; /* which writes of IA32_QM_EVTSEL, from 1; 0: none */
	struct unc_sim_perf_options perf;
	struct unc_sim_resctrl_options resctrl;
	struct unc_sim_defects defects; /* not checked to be of things that the machine has */
};

/* UNC_EARG; UNC_ENOMEM.  Clear it also after a failure. */
int unc_sim_options_parse(struct unc_ctx *ctx, const char *args, struct unc_sim_options *ret_options);
void unc_sim_options_clear(struct unc_sim_options *options);

/*
 * The path of this key led to that failure: its level of the sentence.  UNC_EARG where somebody typed what does not
 * exist, is no file or far too long, which is no missing hardware; else rc.  Without a model the key is one.
 */
int unc_sim_path_failed(struct unc_ctx *ctx, const struct unc_sim_model *model, const char *key, int rc);

/* For sentences: appends ", item" to the list; one too long for its size bytes is cut. */
void unc_sim_list_add(char *list, size_t size, const char *item);

#endif
