/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI configuration space through libpci and ROOT/sys/bus/pci. */
#ifndef UNC_OS_LINUX_PCI_H
#define UNC_OS_LINUX_PCI_H

#include "access/access.h"
#include "os/linux/root.h"

/* root is "" for /.  UNC_ENODEV: ROOT/sys/bus/pci/devices is missing; UNC_EPERM; UNC_ENOMEM. */
int unc_linux_pci_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

#endif
