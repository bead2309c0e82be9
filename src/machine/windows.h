/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the registers of a unit in memory are, and whether it is safe to touch that memory. */
#ifndef UNC_MACHINE_WINDOWS_H
#define UNC_MACHINE_WINDOWS_H

#include "machine/machine.h"

/* What the operating system says lies at physical addresses; read when it is first needed. */
struct unc_iomem {
	struct unc_iomem_range *ranges; /* owned */
	size_t n;
	bool asked;
	int rc; /* the error of asking, */
	char why[UNC_MSG_MAX];
};
void unc_iomem_clear(struct unc_iomem *iomem);

/*
 * Succeeds if neither memory nor a driver nor the kernel itself has a byte of this window, as far as /proc/iomem tells; what the
 * PCI function "own" has is free, too (NULL: there is none).
 * UNC_EPERM: one has, or the file shows no addresses to this process, or it cannot be read; the sentence says which.
 */
int unc_iomem_is_free(struct unc_machine *m, struct unc_iomem *iomem, const struct unc_addr *addr, const char *own);
/* How many bytes the registers of a unit take. */
uint64_t unc_window_bytes(const struct unc_unit *unit);

/* Gives all instances of units that are found by registers the function that has these. */
void unc_windows_name_functions(struct unc_map *map);

/*
 * Finds the window of a box by the registers of that function, the one that unc_windows_name_functions() named, and in the tables, as
 * far as there are any, which must say the same; then opens it, if nothing else uses it and the box answers there.  function: NULL,
 * there is none.  UNC_ENODEV: the registers say that the controller or channel is not there; UNC_EPERM: unc_iomem_is_free() failed;
 * UNC_EIO: what they say cannot be true; or the error of reading them.
 */
int unc_window_open(struct unc_box *box, struct unc_iomem *iomem, struct unc_space *function,
		    struct unc_space **ret_space);

#endif
