/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables in which firmware lists the counter blocks of a part, from Sapphire Rapids on (Linux
 * arch/x86/events/intel/uncore_discovery.c, intel/pcm uncore_pmu_discovery.cpp).  What they say is believed only after it was checked.
 */
#ifndef UNC_MACHINE_DISCOVERY_H
#define UNC_MACHINE_DISCOVERY_H

#include "machine/windows.h"

enum { UNC_TYPE_HBM = 14 }; /* a channel in HBM (Linux, uncore_discovery.h); the type of others is in the map */
enum unc_table_access { UNC_TABLE_MSR, UNC_TABLE_MMIO, UNC_TABLE_PCI, UNC_TABLE_UNKNOWN };

struct unc_table_unit {
	unsigned type, id;
	enum unc_table_access access;
	uint64_t address; /* of its first register: a number of an MSR, a physical address, or a packed place in PCI */
	unsigned n_counters, width, ctl_off, ctr_off;
	bool doubted; /* another unit has its type and id, or a part of its registers */
};

struct unc_table {
	struct unc_addr function;     /* whose capability points at it */
	int package;                  /* the package it is near to; -1: not known */
	char why[UNC_MSG_MAX];        /* why it is not used; "": it is */
	struct unc_table_unit *units; /* owned */
	size_t n_units, n_skipped;    /* that it has, and that make no sense */
};

struct unc_tables {
	struct unc_table *tables; /* owned */
	size_t n;
};

/*
 * Finds and reads the tables of a machine, which keeps them; addrs are its PCI functions.  A table that is wrong is kept with the reason.  UNC_ENOMEM.
 */
int unc_tables_find(struct unc_machine *m, struct unc_iomem *iomem, const struct unc_addr *addrs, size_t n);
void unc_tables_free(struct unc_tables *tables); /* NULL is fine */

/*
 * Compares a window that was found by registers with the tables, or finds it there: addr->mmio.base 0 says that no register
 * tells.  UNC_EIO: they differ, and both are in the sentence; or a table that may have the box cannot be read; UNC_ENODEV: neither
 * tells of the box.
 */
int unc_tables_agree(const struct unc_box *box, struct unc_addr *addr);
/* The same of a box in PCI space, by its function: UNC_EIO. */
int unc_tables_agree_in_pci(const struct unc_box *box);

/*
 * Finds a unit in memory by its name, the function of its table, its type and its id: "06:00.1/7.2".  UNC_EARG: no such name, or a
 * unit that is not in memory or is in doubt; UNC_ENODEV: no table has it.
 */
int unc_tables_unit(struct unc_machine *m, const char *name, const struct unc_table_unit **ret_unit);
/* Returns how many bits the register there has, by what the table says of the unit; 0: it says of none. */
unsigned unc_table_unit_bits(const struct unc_table_unit *unit, uint32_t off);

/* True if a table tells of memory in the package. */
bool unc_tables_have_hbm(const struct unc_tables *tables);

/* Returns the package that a PCI function is near to, by its NUMA node; -1: the operating system does not tell, or the
 * node has several packages. */
int unc_machine_package_near(struct unc_machine *m, const struct unc_addr *function);

#endif
