/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic that is made on purpose, of a directory tree that makes it by itself: DIR/traffic, as uncore-simfs serves it.  It takes
 *
 *     read NODE BYTES_PER_S SIZE_BYTES CPUS     or write, nt_write; CPUS as Linux writes a list ("0-3,8")
 *     stop
 *
 * and what was started ends at the latest when the file is closed through which it was.  It reads
 *
 *     running 1
 *     loaded BYTES
 *     stored BYTES
 *     nt_stored BYTES
 *     raw NS
 *
 * since the last start, until now or the stop; and behind that, where the last line that it took was refused, "refused CLASS
 * SENTENCE", with the classes of a record (access/record.h).
 */
#ifndef UNC_OS_LINUX_TRAFFIC_H
#define UNC_OS_LINUX_TRAFFIC_H

#include "access/host.h"
#include "os/linux/root.h"
#include "uncore/traffic.h"

enum unc_linux_traffic_by { UNC_LINUX_TRAFFIC_NONE, UNC_LINUX_TRAFFIC_FILE, UNC_LINUX_TRAFFIC_MAKER };

struct unc_linux_traffic { /* all zero: none is made */
	enum unc_linux_traffic_by by;
	int fd; /* FILE: owned */
};

/* As unc_host_ops.traffic, on a machine below that root, "" for this computer. */
int unc_linux_traffic(struct unc_host *host, struct unc_linux_root *root, struct unc_linux_traffic *made,
		      enum unc_traffic_op op, const struct unc_traffic *traffic, struct unc_traffic_done *ret_done);
/* What is made ends. */
void unc_linux_traffic_close(struct unc_host *host, struct unc_linux_traffic *made);

#endif
