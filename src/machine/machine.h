/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One computer: its host and buses, what its CPU is, which maps fit, where its boxes are. */
#ifndef UNC_MACHINE_MACHINE_H
#define UNC_MACHINE_MACHINE_H

#include "access/host.h"
#include "access/trace.h"
#include "base/err.h"
#include "machine/journal.h"
#include "map/map.h"

struct unc_box {
	struct unc_machine *machine;         /* not owned */
	const struct unc_unit *unit;         /* the map's; outlives the box */
	const struct unc_instance *instance; /* likewise; of MSRs, which have none, one that says nothing */
	unsigned socket;
	char name[40];
	struct unc_addr addr;
	bool addr_known;
	char pci[UNC_ADDR_TEXT]; /* addr in text; "" if it is not known */
	struct unc_space *space; /* owned; NULL unless present, and of MSRs until unc_box_reach() */
	bool bridge;             /* header type 1: nothing there may be written under a loaded map */
	enum unc_presence presence;
	int rc; /* what it fails with while it is not present: UNC_ENODEV, UNC_EPERM, UNC_EIO */
	char why[UNC_MSG_MAX];
};

enum { UNC_SOCKETS_MAX = 64 };
struct unc_socket {
	unsigned id;  /* the number people know it by: the physical package */
	bool has_bus; /* the bus of its memory channels was found */
	uint32_t domain;
	uint8_t bus;
	bool has_ubox; /* the bus of its UBOX, which may be another one, */
	uint8_t ubox_bus;
	uint32_t ubox_domain;
	char how[160]; /* how the number was found */
};

struct unc_machine {
	struct unc_ctx *ctx;            /* outlives the machine */
	char *name;                     /* owned */
	struct unc_host *host;          /* owned */
	struct unc_bus *bus[UNC_KINDS]; /* owned; NULL where not opened */
	struct unc_trace trace;
	void (*dry_run)(void *arg, const char *line); /* NULL: writes are done */
	void *dry_run_arg;                            /* not owned */
	struct unc_map *map;                          /* owned */
	struct unc_cpu_id cpu;
	char no_monitoring[160]; /* "" where CPUID announces it */
	struct unc_topo topo;
	struct unc_socket sockets[UNC_SOCKETS_MAX]; /* by id */
	unsigned n_sockets;
	char socket_rule[240];
	struct unc_box *boxes; /* owned, by unit, socket, imc, channel */
	size_t n_boxes;
	struct unc_journal journal;
	bool writable;
};

/* machine/cpu.c */
unsigned unc_machine_first_cpu(const struct unc_machine *m); /* the lowest one online, as far as is known */
/* Vendor, family, model, stepping, cache monitoring or why not.  UNC_ENOSUP: CPUID makes no sense. */
int unc_machine_identify(struct unc_machine *m);
/* machine/hosts.c: the list of kinds of machine.  UNC_EARG: there is no such kind. */
int unc_machine_host_open(struct unc_ctx *ctx, const char *name, int wake_fd, struct unc_host **ret_host);
/* The bus, opened (and wrapped for the trace) when it is first asked for; borrowed. */
int unc_machine_bus(struct unc_machine *m, enum unc_kind kind, struct unc_bus **ret_bus);
/* A bus besides, with the trace around it; the caller closes it. */
int unc_machine_bus_open(struct unc_machine *m, enum unc_kind kind, bool writable, struct unc_bus **ret_bus);
/* machine/boxes.c: fills sockets and boxes. */
int unc_machine_find_boxes(struct unc_machine *m);
/*
 * Before the first access to a register: opens the MSRs of a box that is made of them.  0 when there is a space; else what the
 * box fails with, its sentence being box->why.
 */
int unc_box_reach(struct unc_box *box);

#endif
