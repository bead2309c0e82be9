/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the firmware reports of memory: structures of type 17 of SMBIOS (DSP0134, section 7.18). */
#ifndef UNC_CHECK_SMBIOS_H
#define UNC_CHECK_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unc_smbios_memory { /* a memory device: a slot for a module */
	uint16_t handle;
	bool installed;
	uint8_t type;            /* 0x18 DDR3, 0x1a DDR4 */
	uint32_t speed_mts;      /* maximum speed in MT/s; 0: not reported */
	uint32_t configured_mts; /* configured speed in MT/s; 0: not reported */
	bool may_be_clock;       /* before SMBIOS 3.2, where some firmware gives the clock in MHz as speed */
};

/*
 * Goes through a table of structures from *at on (0 at first) to the next memory device.  False: there are no more; then *ret_whole
 * reports whether the table was well-formed up to its end.  Any input is safe.
 */
bool unc_smbios_next(const void *table, size_t len, size_t *at, struct unc_smbios_memory *ret_memory, bool *ret_whole);

#endif
