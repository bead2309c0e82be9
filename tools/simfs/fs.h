/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mounted machine: what all parts of uncore-simfs share. */
#ifndef SIMFS_FS_H
#define SIMFS_FS_H

#include "base/err.h"
#include "served.h"
#include "tree.h"
#include "uncore/traffic.h"

/* Who asks, as the kernel told us with the request. */
struct client {
	uid_t uid;
	pid_t pid; /* of the thread; 0: in another PID namespace, so unknown */
};

struct fs {
	struct served sim;
	struct tree tree;
	uid_t owner; /* the user that mounted it: owns the files, and may do what root may on a real machine */
	gid_t group;
	struct handle *handles; /* that are open; owned */
	struct client client;   /* of the request that is being answered */
	unsigned first_cpu;     /* the lowest that is online, to ask it what all have in common */
	unsigned packages, nodes;
	unsigned smt_shift, package_shift; /* of APIC ids */
	/* traffic.c */
	const struct handle *traffic_from; /* the opening that makes traffic; NULL: there is none */
	struct unc_traffic_done moved;     /* since the last start, when it was last looked or stopped */
	char refused[UNC_MSG_MAX + 32];    /* the last line of the file, or nothing */
};

/* An open file. */
struct handle {
	const struct node *node;
	bool privileged;             /* the process that opened it had CAP_SYS_ADMIN */
	struct out content;          /* of a file that prints itself */
	struct handle *next, **link; /* all that are open */
};

/* Each puts a part into the tree, which remembers a failure. */
void pci_add(struct fs *fs);
void devcpu_add(struct fs *fs);
void cpus_add(struct fs *fs);
void numa_add(struct fs *fs);
void cpuinfo_add(struct fs *fs);
void acpi_add(struct fs *fs);
void dmi_add(struct fs *fs);
void truth_add(struct fs *fs);
void clock_add(struct fs *fs);
void traffic_add(struct fs *fs);
void kernel_add(struct fs *fs);
void resctrl_add(struct fs *fs);
void power_add(struct fs *fs);

/* client.c: may who asks do what this capability (CAP_SYS_ADMIN, CAP_SYS_RAWIO) allows? */
bool client_can(const struct fs *fs, unsigned capability);
void client_kill(void *fs);
/* The errno for a failure of the machine: 0 for none, else negative. */
int failure_errno(const struct fs *fs, int rc);

/* What CPUID answers on a CPU; all zeros when it is offline. */
struct unc_cpuid_regs cpuid_of(struct fs *fs, unsigned cpu, uint32_t leaf, uint32_t subleaf);
/* The i-th logical CPU. */
struct unc_sim_cpu cpu_of(struct fs *fs, size_t i);
/* CPUs that are online, and some of them. */
bool set_online(const void *fs, size_t i);
struct some_cpus {
	struct fs *fs;
	struct unc_sim_cpu like; /* this one, and */
	unsigned shift;          /* those whose APIC id is the same beyond these bits */
};
bool set_some(const void *some_cpus, size_t i);

/* numa.c: the first node of a package; what CPUs a node has. */
unsigned node_of_package(struct fs *fs, unsigned package);
int node_cpulist(struct fs *fs, unsigned numa_node, struct out *out);
int node_cpumask(struct fs *fs, unsigned numa_node, struct out *out);

/* ops.c */
struct fuse_session;
struct fuse_args;
struct fuse_session *ops_session_new(struct fs *fs, struct fuse_args *args);
/* Behind the end of the session: what clients still had open. */
void ops_clear(struct fs *fs);

#endif
