/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures of type 17 of SMBIOS (DSP0134, section 7.18): what the firmware reports of memory. */
#ifndef UNC_MACHINE_SMBIOS_H
#define UNC_MACHINE_SMBIOS_H

#include "machine/machine.h"

struct unc_smbios_memory { /* a memory device: a slot for a module */
	uint16_t handle;
	bool installed;
	uint8_t type;            /* 0x18 DDR3, 0x1a DDR4, 0x22 DDR5 */
	uint32_t speed_mts;      /* maximum speed in MT/s; 0: not reported */
	uint32_t configured_mts; /* configured speed in MT/s; 0: not reported */
	bool may_be_clock;       /* before SMBIOS 3.2, where some firmware gives the clock in MHz as speed */
};
/*
 * Goes through a table of structures from *at on (0 at first) to the next memory device.  False: there are no more; then *ret_whole
 * reports whether the table was well-formed up to its end.  Any input is safe.
 */
bool unc_smbios_next(const void *table, size_t len, size_t *at, struct unc_smbios_memory *ret_memory, bool *ret_whole);

struct unc_smbios_speed { /* to which the firmware has set memory */
	uint32_t mts;
	bool may_be_clock, ddr5;
	size_t n_devices;
};
struct unc_smbios_speeds {
	struct unc_smbios_speed *list; /* owned */
	size_t n, n_devices, n_installed;
	bool broken; /* a table was not well-formed up to its end */
};
/*
 * Reads the tables of the machine.  An error of the host where there are none, UNC_ENOMEM; *speeds, all zeros at first, must be
 * cleared in any case.
 */
int unc_smbios_speeds_read(struct unc_machine *m, struct unc_smbios_speeds *speeds);
void unc_smbios_speeds_clear(struct unc_smbios_speeds *speeds);

#endif
