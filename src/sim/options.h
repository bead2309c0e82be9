/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a simulated machine, "snbep,sockets=2,load=FILE": see sim/sim.h. */
#ifndef UNC_SIM_OPTIONS_H
#define UNC_SIM_OPTIONS_H

#include "access/fault.h"
#include "base/text.h"
#include "sim/defects.h"
#include "sim/dump.h"

struct unc_sim_perf_options { /* perf_*=: the kernel's driver of memory channels */
	bool on;
	bool ordered, masked, suspicious;     /* whether order, mask and paranoid were given */
	unsigned order[UNC_SIM_CHANNELS_MAX]; /* the N of uncore_imc_N, for each channel of a socket */
	uint32_t mask;                        /* bits of an event's config that it keeps */
	int64_t paranoid;                     /* perf_event_paranoid; the opener of events is not root */
	uint64_t moves_ns;                    /* delay after which events change counters; 0: never */
	int off_ppm;                          /* millionths that it counts too much */
};

struct unc_sim_group { /* resctrl_group= */
	char *path;    /* its folder: "jobs", "mon_groups/one", "jobs/mon_groups/one"; the root group's is ""; owned */
	unsigned rmid; /* not checked: it may be too large for the machine */
	struct unc_sim_cpu_set cpus; /* not checked: the machine may lack them */
	/* Set by unc_sim_resctrl_init(). */
	bool monitors; /* it is a monitoring group, and not a control group */
	size_t parent; /* the control group that a monitoring group is in */
	uint64_t clos; /* class of service: that of its control group; n for the n-th of these, 0 for the root group */
};

struct unc_sim_resctrl_options {
	bool on;
	bool hw_id;                   /* mounted with -o debug */
	int off_ppm;                  /* millionths that it reports too much */
	struct unc_sim_group *groups; /* without the root group; owned */
	size_t n;
};

/* mmio=, table=: what is wrong with the registers in memory and with the discovery table. */
enum unc_sim_mmio_fault { UNC_SIM_MMIO_OK, UNC_SIM_MMIO_LIMIT, UNC_SIM_MMIO_OFF };
/* nest=: what is wrong with what the microcode of a POWER chip counts. */
enum unc_sim_nest_fault {
	UNC_SIM_NEST_OK,
	UNC_SIM_NEST_PAUSED,
	UNC_SIM_NEST_NEVER,
	UNC_SIM_NEST_SPEED,
	UNC_SIM_NEST_LITTLE,
	UNC_SIM_NEST_TORN,
	UNC_SIM_NEST_STALLS,
	UNC_SIM_NEST_PAUSES,
	UNC_SIM_NEST_SHORT,
	UNC_SIM_NEST_PRUNED,
	UNC_SIM_NEST_DEAF,
};
enum unc_sim_table_fault {
	UNC_SIM_TABLE_OK,
	UNC_SIM_TABLE_DUPLICATE,
	UNC_SIM_TABLE_HOLE,
	UNC_SIM_TABLE_ACCESS0,
	UNC_SIM_TABLE_ACCESS2,
	UNC_SIM_TABLE_NO_UNITS,
	UNC_SIM_TABLE_ONES,
	UNC_SIM_TABLE_DIFFERS,
	UNC_SIM_TABLE_OFFSET,
	UNC_SIM_TABLE_RAM,
	UNC_SIM_TABLE_OVERLAP,
	UNC_SIM_TABLE_CHANGES,
	UNC_SIM_TABLE_SECOND,
	UNC_SIM_TABLE_STRIDE,
	UNC_SIM_TABLE_TWO,
	UNC_SIM_TABLE_LOOP,
};

/* AMD's uncore counters; of a key that was not given, check_amd() of options.c sets what the model has. */
struct unc_sim_amd {
	struct unc_sim_umcs {
		uint32_t mask;       /* bit for each UMC with memory */
		uint32_t ctrs, here; /* counters of all UMCs of a node, as of the data fabric below */
	} umcs[2];                   /* of socket 0, and of all others */
	uint32_t df_ctrs, df_here;   /* counters of the data fabric by CPUID, and how many there are */
	uint32_t remote;             /* per cent of a channel's traffic that other sockets cause */
	enum unc_sim_vm { UNC_SIM_VM_NO, UNC_SIM_VM_KVM, UNC_SIM_VM_QEMU } vm;
};

struct unc_sim_options {
	const struct unc_sim_model *model;
	struct unc_sim_dump *dump;        /* the dump of cpuid=, which holds model, or NULL; owned */
	unsigned sockets, cores, threads; /* cores: a socket; threads: a core */
	unsigned l3s;                     /* L3 caches of a socket */
	unsigned snc;                     /* NUMA nodes of a socket */
	unsigned domains;                 /* PCI domains */
	struct unc_sim_cpu_set offline;   /* not checked: the machine may lack them */
	struct unc_sim_cpu_set nohz_full; /* not checked: the machine may lack them */
	char *load, *state, *files;       /* paths, or NULL; owned */
	bool step;
	bool frz_en_rw;
	bool frz_rw;           /* frz of BOX_CTL and frz_all of the global register read back */
	bool status_by_number; /* bit i of BOX_STATUS is CTR[i], bit 4 the fixed one */
	bool ctl_twice;
	bool clock_event_dead;
	bool numa_off; /* all sockets are one node */
	bool reversed;
	unsigned dword_ns;
	bool seeded; /* load and durations vary */
	uint64_t seed;
	/* Channels that have no memory, or a module of persistent memory, with * and ?, not checked to exist; owned. */
	struct unc_names empty, pmem;
	struct unc_addr *hide; /* not checked: the machine may lack them; owned */
	size_t n_hide;
	struct unc_sim_gone {               /* allones=, vanish=: reads all ones for a time, or a CPU is away */
		struct unc_addr addr;       /* not checked: the machine may lack it */
		uint64_t from_ns, until_ns; /* machine time; UINT64_MAX: for ever */
		const char *key;            /* the key that was used: "allones" or "vanish" */
	} * gone;                           /* owned */
	size_t n_gone;
	struct unc_sim_sleep {   /* sleep=: times of the machine when a package sleeps */
		unsigned socket; /* not checked: the machine may lack it */
		uint64_t from_ns, until_ns;
	} * sleeps; /* owned */
	size_t n_sleeps;
	struct unc_sim_frozen { /* freeze=: frozen by another program */
		char *where;    /* "socket0" or "socket0.imc0.ch1", not checked to exist; owned */
		uint64_t from_ns;
		bool done; /* this opener has done it */
	} * freezes;       /* owned */
	size_t n_freezes;
	struct unc_fault fail; /* of fail=, kill= and lose= */
	bool msr_absent, msr_writes_off, lockdown;
	unsigned uncore;    /* ratio of the clock of the uncore, as far as its limits allow; 0: the highest */
	uint64_t mmio_base; /* where the registers in memory of socket 0 begin */
	bool iomem_zeros;   /* /proc/iomem shows no addresses */
	enum unc_sim_nest_fault nest;
	enum unc_sim_mmio_fault mmio;
	enum unc_sim_table_fault table;
	bool qm_per_package; /* an L3 has one IA32_QM_EVTSEL; else each CPU has one */
	enum unc_sim_qm { UNC_SIM_QM_OK, UNC_SIM_QM_ERROR, UNC_SIM_QM_UNAVAILABLE, UNC_SIM_QM_SLOW } qm;
	unsigned qm_times; /* first reads without data of each RMID and event, with slow after each selection; 0: all */
	bool qm_alternate; /* every second read has no data */
	enum unc_sim_choice { UNC_SIM_BY_DEFAULT, UNC_SIM_NO, UNC_SIM_YES } mbm_erratum;
	struct unc_sim_amd amd;
	struct { /* which of these keys were given */
		bool umcs, df_ctrs, umc_ctrs;
	} amd_given;
	bool abmc;                          /* assignable bandwidth counters are in use */
	uint64_t disturb_at, disturb_times; /* first of these writes of IA32_QM_EVTSEL, from 1, and how many; 0: none */
	struct unc_sim_perf_options perf;
	struct unc_sim_resctrl_options resctrl;
	struct unc_sim_defects defects; /* not checked: they may name what the machine lacks */
};

/* UNC_EARG; UNC_ENOMEM. The options must be cleared even after a failure. */
int unc_sim_options_parse(struct unc_ctx *ctx, const char *args, struct unc_sim_options *ret_options);
void unc_sim_options_clear(struct unc_sim_options *options);

/* Returns the UMCs of a socket. */
static inline const struct unc_sim_umcs *unc_sim_umcs_of(const struct unc_sim_options *options, unsigned socket)
{
	return &options->amd.umcs[socket ? 1 : 0];
}

/* Returns how many NUMA nodes a socket has. */
static inline unsigned unc_sim_nodes(const struct unc_sim_options *options)
{
	return options->model->dies ? options->model->dies : options->snc;
}

/*
 * Adds the level of this key, whose path failed, to the error message. Returns UNC_EARG if the path does not exist, is
 * not a file or is far too long, as that is not missing hardware; else rc. If model is NULL, the key is in place of a
 * model.
 */
int unc_sim_path_failed(struct unc_ctx *ctx, const struct unc_sim_model *model, const char *key, int rc);

#endif
