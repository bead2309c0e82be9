/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "snbep,sockets=2,load=FILE": see sim/sim.h. */
#ifndef UNC_SIM_OPTIONS_H
#define UNC_SIM_OPTIONS_H

#include "access/fault.h"
#include "sim/model.h"

struct unc_sim_options {
	const struct unc_sim_model *model;
	unsigned sockets, cores, threads; /* cores: a socket; threads: a core */
	unsigned domains;                 /* PCI domains */
	unsigned *offline;                /* CPU numbers, not checked to be CPUs of the machine; owned */
	size_t n_offline;
	char *load, *state; /* paths, or NULL; owned */
	bool step;
	bool frz_en_rw;
	bool reversed;
	uint64_t dword_ns;
	struct unc_addr *hide, *allones; /* not checked to be functions of the machine; owned */
	size_t n_hide, n_allones;
	struct unc_sim_vanish {
		struct unc_addr addr; /* likewise */
		uint64_t at_ns;       /* machine time */
	} * vanish;                   /* owned */
	size_t n_vanish;
	struct unc_fault fail; /* as given; at 0: not */
	uint64_t kill_at;      /* this opener is killed at its Nth access; 0: not */
	bool kill_after;       /* behind its effect */
	bool msr_absent, msr_writes_off, lockdown;
	bool qm_per_package; /* IA32_QM_EVTSEL is one register of the package, not each CPU's */
	enum unc_sim_qm { UNC_SIM_QM_OK, UNC_SIM_QM_ERROR, UNC_SIM_QM_UNAVAILABLE } qm;
	unsigned qm_times; /* so many first reads of each RMID and event; 0: always */
};

/* UNC_EARG; UNC_ENOMEM.  Clear it also after a failure. */
int unc_sim_options_parse(struct unc_ctx *ctx, const char *args, struct unc_sim_options *ret_options);
void unc_sim_options_clear(struct unc_sim_options *options);

#endif
