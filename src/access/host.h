/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host is one computer as far as it can be reached: its time, its CPUs, what CPUID answers there, and its buses.
 * os/linux makes them of this computer ("live") and of a directory tree ("root:DIR"), sim/ of nothing ("sim:...").
 */
#ifndef UNC_ACCESS_HOST_H
#define UNC_ACCESS_HOST_H

#include "access/access.h"
#include "uncore/traffic.h"

struct unc_cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

struct unc_package { /* a physical package: what sits in one socket */
	unsigned id; /* the package number of the operating system */
	unsigned n_cpus;
	unsigned first_cpu; /* the lowest of its CPUs that is online */
};

struct unc_topo {
	struct unc_package *packages; /* sorted by id; owned */
	size_t n_packages;
	unsigned n_cpus;    /* logical CPUs that are online */
	unsigned first_cpu; /* the lowest of them */
};
void unc_topo_clear(struct unc_topo *topo);

/* A logical CPU that is there, as the operating system tells of it; -1: it does not. */
struct unc_host_cpu {
	unsigned cpu;
	bool online;
	int package;
	int node; /* NUMA */
	int l3;   /* the lowest CPU that shares its L3 */
};

/* Finds the packages of the online CPUs; cpus is sorted by number, and so is the result.  UNC_ENOMEM. */
int unc_topo_of(struct unc_ctx *ctx, const struct unc_host_cpu *cpus, size_t n, struct unc_topo *ret_topo);

enum { UNC_IDENTITY_TEXT = 600 };
struct unc_host_identity {
	/* "live"; "root:/real/path DEVICE:INODE"; "sim:MODEL,state=/real/path DEVICE:INODE" */
	char machine[UNC_IDENTITY_TEXT];
	char boot[64]; /* its boot_id, or where it has none that of the computer that this program runs on */
};

enum unc_traffic_op { UNC_TRAFFIC_START, UNC_TRAFFIC_LOOK, UNC_TRAFFIC_STOP };

/* An event that the operating system counts by itself, with counters that it programs: on Linux, of perf_event_open(2). */
struct unc_perf_attr {
	uint32_t type; /* the number of its PMU: /sys/bus/event_source/devices/NAME/type */
	uint64_t config, config1, config2;
	unsigned cpu; /* every process there is counted */
};
struct unc_perf_count {
	uint64_t value;
	uint64_t enabled_ns, running_ns; /* since it was opened: when it was to be counted, and when a counter did */
};
enum unc_perf_op { UNC_PERF_ON, UNC_PERF_OFF, UNC_PERF_READ, UNC_PERF_CLOSE };

/* A line of doctor about firmware: what is looked at, where, and what was found. */
enum { UNC_HOST_FACTS = 4 };
struct unc_host_fact {
	const char *check, *evidence; /* static text */
	char finding[160];
};

struct unc_host {
	const struct unc_host_ops *ops;
	struct unc_ctx *ctx; /* outlives the host */
	bool simulated;      /* its numbers come from a model, not from silicon */
	bool stands_still;   /* its time passes only during a sleep until some time: waiting without end is useless */
	int command;         /* the process "COMMAND" in paths; 0: none */
	int wake_fd;         /* ends a sleep early when it can be read; -1: none; not owned */
	const struct unc_traffic_maker
		*traffic_maker; /* makes traffic on this computer; NULL: there is none; not owned */
	/* Of a host around a host, or in the place of one; owned by the host.  NULL: nothing special. */
	const char *name;           /* what the machine is called from now on, since its own name may hold a path */
	const char *map_dir;        /* how the folder of more maps is called, which is read through ctx->files */
	struct unc_host *bystander; /* whose time can be looked at without that being noted */
};

struct unc_host_ops {
	void (*close)(struct unc_host *host);
	uint64_t (*now_ns)(struct unc_host *host, enum unc_clock clock);
	/* As unc_os_sleep_until(), in this machine's time. */
	int (*sleep_until)(struct unc_host *host, uint64_t mono_ns);
	/*
	 * What CPUID answers on a CPU; no knowledge of which leaves exist: a leaf beyond the highest answers what
	 * the processor answers, which is the data of another leaf.
	 * UNC_ENODEV: no such CPU; UNC_ENODATA: this source does not have that leaf; UNC_EPERM, UNC_EIO.
	 */
	int (*cpuid)(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		     struct unc_cpuid_regs *ret_regs);
	/* UNC_ENODATA: this machine does not tell (a bare directory tree), which can be survived. */
	int (*topology)(struct unc_host *host, struct unc_topo *ret_topo);
	/*
	 * Every CPU that is present, by number, with more than topology() tells: asked for caches alone, since it takes many
	 * files.  *ret_cpus is the caller's to free().  UNC_ENODATA: this machine does not tell.
	 */
	int (*cpus)(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n);
	/*
	 * unc_os_look() of the machine's operating system, by a whole path ("/proc/mounts"), or with "own:" in front of the
	 * computer that this program runs on, whatever the machine: "own:/proc/COMMAND/status" is of the process that
	 * host->command is.  A simulated machine has none but own files, unless it was given a folder.  NULL: it has none at all.
	 */
	int (*look)(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		    struct unc_os_found *ret_found);
	/*
	 * Which computer this is, told apart from every other on which a register could be put back.  Asked of the machine itself,
	 * so it stands in no record.  NULL, or UNC_ENODATA: its registers are gone when this process has ended.
	 */
	int (*identity)(struct unc_host *host, struct unc_host_identity *ret_identity);
	/*
	 * unc_traffic_start(), _look() and _stop(), which fail as these; NULL: no traffic can be made.  traffic is of START alone,
	 * ret_done of the others.
	 */
	int (*traffic)(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		       struct unc_traffic_done *ret_done);
	/*
	 * Begins an event of the operating system, switched off; *ret_event is its number in perf().  NULL: none can be had of this
	 * machine.  UNC_ENOSUP: likewise, or the PMU does not count so; UNC_EARG: it does not take that config; UNC_ENODEV: no such PMU or
	 * CPU; UNC_EBUSY: another program uses the PMU exclusively; UNC_EPERM, with what refused it in the sentence; UNC_EIO, UNC_ENOMEM.
	 */
	int (*perf_open)(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event);
	/* ret_count is of READ alone.  UNC_EARG: no such event is open; UNC_EIO: and one that has stopped for good. */
	int (*perf)(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count);
	/* What doctor shows of firmware, where no operating system runs.  NULL: one does. */
	void (*firmware)(struct unc_host *host, struct unc_host_fact ret_facts[UNC_HOST_FACTS]);
	/* UNC_ENOSUP: this machine has no such bus; UNC_ENODEV: its directory is missing; UNC_EPERM. */
	int (*bus_open)(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus);
};

void unc_host_close(struct unc_host *host); /* NULL is fine */

/* The topology() of a host whose cpus() has it at no cost. */
int unc_host_topology(struct unc_host *host, struct unc_topo *ret_topo);

/* perf_open() and perf(), also of a host that has neither: UNC_ENOSUP. */
int unc_host_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event);
int unc_host_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count);

/*
 * Each calls look() for one kind: a file as unc_os_file_read(), a directory as unc_os_dir_list(), and a symbolic link
 * ("../../../bus/pci/drivers/snbep_uncore").
 */
int unc_host_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len);
int unc_host_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n);
int unc_host_link(struct unc_host *host, const char *path, char **ret_text);
/*
 * Finds where a file of look() is on the computer that this program runs on.  root: the folder with the files of the machine; "":
 * those of this computer; NULL: the machine has only own files.  The caller frees *ret_path.
 */
int unc_host_path(struct unc_host *host, const char *root, const char *path, char **ret_path);
/* The boot_id of a host, or where it has none that of this computer: with it all registers are others. */
int unc_host_boot(struct unc_host *host, char *buf, size_t size);

#endif
