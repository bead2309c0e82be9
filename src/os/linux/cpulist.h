/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, as sysfs writes them ("0-7,16\n"). */
#ifndef UNC_OS_LINUX_CPULIST_H
#define UNC_OS_LINUX_CPULIST_H

#include <stdbool.h>

#include "os/linux/files.h"

enum {
	UNC_LINUX_CPU_MAX = 16383,   /* the highest number; twice what Linux can be built for */
	UNC_LINUX_LIST_BYTES = 65536 /* of the text of a list */
};

struct unc_linux_cpus {
	unsigned char has[UNC_LINUX_CPU_MAX + 1];
};

/* Reads lists of CPUs from below ROOT/sys/devices/system. */
struct unc_linux_lists {
	struct unc_ctx *ctx;
	struct unc_linux_root *root;        /* outlives it */
	char dir[UNC_LINUX_PATH_MAX - 128]; /* ROOT/sys/devices/system */
	char text[UNC_LINUX_LIST_BYTES];    /* of the list that is being read */
};

/* UNC_EARG: root is longer than Linux can open. */
int unc_linux_lists_init(struct unc_linux_lists *lists, struct unc_ctx *ctx, struct unc_linux_root *root);

/* true: that file is there and is a list with something in it; else the set is empty. */
bool unc_linux_list_read(struct unc_linux_lists *lists, struct unc_linux_cpus *ret_cpus, const char *fmt, ...)
	UNC_PRINTF(3, 4);

/*
 * The CPUs that are online: by the kernel's list, else those that are present, else the directories cpu0, cpu1 ...
 * UNC_ENODATA: none is told of; UNC_ENOMEM.
 */
int unc_linux_online_read(struct unc_linux_lists *lists, struct unc_linux_cpus *ret_cpus);

/*
 * The number of the package that cpu is in, or -1 where the kernel does not tell; then *ret_siblings is the CPUs that
 * share it, perhaps offline ones too: cpu alone where they are not listed.
 */
int unc_linux_package_read(struct unc_linux_lists *lists, unsigned cpu, struct unc_linux_cpus *ret_siblings);

#endif
