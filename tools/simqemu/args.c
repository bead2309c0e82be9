// SPDX-License-Identifier: GPL-2.0-or-later
/* What QEMU is told: a computer with a bus of the right number for each of the machine's, and the functions on them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simqemu.h"

void args_add(struct args *args, const char *fmt, ...)
{
	char **words = args->failed ? NULL : unc_array_more(args->words, args->n, sizeof(*words));
	struct out out = {0};
	va_list list;

	args->failed |= !words;
	if (!words)
		return;
	args->words = words;
	va_start(list, fmt);
	out_vprintf(&out, fmt, list);
	va_end(list);
	args->failed |= out.failed;
	words[args->n++] = out.text;
}

void args_clear(struct args *args)
{
	for (size_t i = 0; i < args->n; i++)
		free(args->words[i]);
	free(args->words);
	*args = (struct args){0};
}

/*
 * A bus behind the root bus before it, since on a root bus of PCI Express there are bridges only.  A bridge with slots to
 * plug into (pcie-pci-bridge) gets I/O addresses from firmware, of which there are not enough for the buses of a skx with
 * eight sockets.  Behind a bridge to conventional PCI kernels use no more than 256 bytes of configuration space, so a root port is
 * there where there are to be more.
 */
static void bus_add(const struct simqemu *q, const struct link *link, char **user, struct args *args)
{
	unsigned bus = link->addr.pci.bus;
	int node = guest_node(q, user, link->socket);

	args_add(args, "-device");
	if (node < 0)
		args_add(args, "pxb-pcie,id=simqemu-root%02x,bus=pcie.0,bus_nr=0x%02x", bus, bus - 1);
	else
		args_add(args, "pxb-pcie,id=simqemu-root%02x,bus=pcie.0,bus_nr=0x%02x,numa_node=%d", bus, bus - 1,
			 node);
	args_add(args, "-device");
	if (q->extended)
		args_add(args,
			 "pcie-root-port,id=simqemu-bus%02x,bus=simqemu-root%02x,addr=0,chassis=%u,slot=0,hotplug=off",
			 bus, bus, bus);
	else
		args_add(args, "i82801b11-bridge,id=simqemu-bus%02x,bus=simqemu-root%02x,addr=0", bus, bus);
}

static void function_add(const struct link *link, struct args *args)
{
	char bus[24] = "pcie.0";

	if (link->addr.pci.bus)
		snprintf(bus, sizeof(bus), "simqemu-bus%02x", link->addr.pci.bus);
	args_add(args, "-device");
	args_add(args, "x-pci-proxy-dev,fd=%d,bus=%s,addr=%02x.%x,multifunction=on", link->theirs, bus,
		 link->addr.pci.dev, link->addr.pci.fn);
}

/* QEMU's main root bus is there anyhow. */
static int check_place(const struct link *link, const struct link *before)
{
	unsigned bus = link->addr.pci.bus, last = before ? before->addr.pci.bus : 0;
	char name[UNC_ADDR_TEXT];

	unc_addr_text(&link->addr, name);
	if (link->addr.pci.domain) {
		say("pci %s: QEMU has no PCI domain but 0; take domains=1", name);
		return USAGE;
	}
	if (bus == last || bus > last + 1)
		return DONE;
	say("pci %s: QEMU cannot give bus %02x, since bus %02x, behind which it would be, has functions of its own",
	    name, bus, bus - 1);
	return USAGE;
}

static bool same_device(const struct unc_addr *a, const struct unc_addr *b)
{
	return a->pci.bus == b->pci.bus && a->pci.dev == b->pci.dev;
}

/* Said once for each device: it is how a real machine would look, but easily overlooked. */
static void note_unseen(const struct link *link, const struct link *before)
{
	char name[UNC_ADDR_TEXT];

	if (link->addr.pci.fn == 0 || (before && same_device(&before->addr, &link->addr)))
		return;
	say("note: pci %s: function 0 of that device is not there, so firmware and kernels look for no other of it",
	    unc_addr_text(&link->addr, name));
}

static void words_add(struct args *args, char **words)
{
	for (; *words; words++)
		args_add(args, "%s", *words);
}

/* A NULL behind them, which is not counted. */
static void end(struct args *args)
{
	char **words = args->failed ? NULL : unc_array_more(args->words, args->n, sizeof(*words));

	args->failed |= !words;
	if (words)
		args->words = words;
}

int args_make(const struct simqemu *q, const char *program, char **user, struct args *ret_args)
{
	const struct link *before = NULL;
	struct args args = {0};
	int status = DONE;

	args_add(&args, "%s", program);
	guest_add(q, user, &args);
	for (size_t i = 0; i < q->n_links && status == DONE; i++) {
		const struct link *link = &q->links[i];

		status = check_place(link, before);
		note_unseen(link, before);
		if (link->addr.pci.bus && (!before || before->addr.pci.bus != link->addr.pci.bus))
			bus_add(q, link, user, &args);
		function_add(link, &args);
		before = link;
	}
	words_add(&args, user);
	end(&args);
	if (status == DONE && args.failed) {
		say("out of memory");
		status = FAILED;
	}
	*ret_args = args;
	return status;
}
