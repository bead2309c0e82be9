/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's x-pci-proxy-dev says over its socket, and what is answered (QEMU: include/hw/remote/mpqemu-link.h).  A message
 * is a header, a command, 4 bytes of padding and the size of what follows, then that, in the byte order of this
 * computer; with some there are file descriptors.
 */
#ifndef SIMQEMU_PROXY_H
#define SIMQEMU_PROXY_H

#include "served.h"

enum { PROXY_HEADER = 16, PROXY_DATA_MAX = 192 /* struct SyncSysmemMsg */ };

/* The way to one function's device in QEMU. */
struct link {
	struct unc_addr addr;
	unsigned socket;    /* of the machine */
	uint32_t asked_bar; /* ones were written to this BAR, to see how large it is; 0: to none */
	bool is_window;     /* no function of the machine: its BAR is the machine's registers in memory (window.c) */
	bool extended; /* the function has a PCI Express capability; of the window: a second BAR is all configuration space */
	struct {
		uint32_t command, bar[2];
	} window;
	int fd;      /* ours; -1: it has ended */
	int theirs;  /* QEMU's end; -1: it has it */
	bool asked;  /* something came */
	size_t have; /* bytes in buf */
	unsigned char buf[PROXY_HEADER + PROXY_DATA_MAX];
};

/* One for each function that is not hidden.  DONE, or an exit status after a sentence. */
int links_open(struct served *sim, bool extended, struct link **ret_links, size_t *ret_n);
void links_close(struct link *links, size_t n);

/* Configuration space of the window. */
uint32_t window_config_read(const struct served *sim, const struct link *link, uint32_t off);
void window_config_write(struct served *sim, struct link *link, uint32_t off, uint32_t value);
/* If the address is in the window's second BAR: true, and whose configuration space that is, and where. */
bool window_config_at(const struct link *link, uint64_t address, struct unc_addr *ret_addr, uint32_t *ret_off);

enum link_said {
	LINK_FINE,
	LINK_ENDED, /* QEMU has closed it */
	LINK_WRONG, /* that was no such message; the sentence is told */
};

/* Takes what there is and answers it. */
enum link_said link_serve(struct served *sim, struct link *link);

#endif
