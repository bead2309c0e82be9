/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "snbep,sockets=2,load=FILE": see sim/sim.h. */
#ifndef UNC_SIM_OPTIONS_H
#define UNC_SIM_OPTIONS_H

#include "access/fault.h"
#include "sim/model.h"

struct unc_sim_options {
	const struct unc_sim_model *model;
	unsigned sockets, cores; /* cores: a socket */
	char *load, *state;      /* paths, or NULL; owned */
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
};

/* UNC_EARG; UNC_ENOMEM.  Clear it also after a failure. */
int unc_sim_options_parse(struct unc_ctx *ctx, const char *args, struct unc_sim_options *ret_options);
void unc_sim_options_clear(struct unc_sim_options *options);

#endif
