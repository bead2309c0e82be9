// SPDX-License-Identifier: GPL-2.0-or-later
/* Processors, memory and NUMA nodes, as like the simulated machine's as a guest with few processors can have them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "simqemu.h"

#define MIB (UINT64_C(1) << 20)

enum {
	MEMORY_MIB = 512, /* if the user does not say */
	MEMORIES_MAX = 4, /* QEMU hands over up to 8 pieces, and low memory is several */
};

/* QEMU takes -m and --m. */
static bool is_option(const char *word, const char *option)
{
	return strcmp(word, option) == 0 || (word[0] == '-' && strcmp(word + 1, option) == 0);
}

const char *user_value(char **user, const char *option)
{
	const char *value = NULL;

	for (; *user; user++)
		if (is_option(*user, option))
			value = user[1] ? user[1] : "";
	return value;
}

/* "512", "512M", "size=1G,slots=1": MiB if it does not say.  0: not understood. */
static uint64_t bytes_of(const char *text)
{
	static const char units[] = "bkmgt";
	const char *unit;
	uint64_t n;
	char *end;

	if (strncmp(text, "size=", 5) == 0)
		text += 5;
	n = strtoull(text, &end, 10);
	if (end == text || *text == '-')
		return 0;
	unit = *end && *end != ',' ? strchr(units, *end | 0x20) : &units[2];
	if (!unit || (*end && *end != ',' && end[1] && end[1] != ','))
		return 0;
	return n << 10 * (unit - units);
}

int guest_check(char **user)
{
	const char *wanted = user_value(user, "-m");

	if (user_value(user, "-daemonize")) {
		say("-daemonize: QEMU ends together with who answers for its functions; put this in the background "
		    "instead");
		return USAGE;
	}
	if (!wanted || bytes_of(wanted) >= MIB)
		return DONE;
	say("-m %s: that is no size of memory; for example -m 512M", wanted);
	return USAGE;
}

struct shape {
	unsigned sockets, nodes;
};

static struct shape shape_of(const struct simqemu *q)
{
	struct shape shape = {0};

	for (size_t i = 0; i < unc_sim_info(q->sim.host).n_cpus; i++) {
		struct unc_sim_cpu cpu = {0};

		unc_sim_cpu(q->sim.host, i, &cpu);
		if (cpu.package >= shape.sockets)
			shape.sockets = cpu.package + 1;
		if (cpu.node >= shape.nodes)
			shape.nodes = cpu.node + 1;
	}
	return shape;
}

/* Of a socket, the node of its first CPU. */
static unsigned node_of(const struct simqemu *q, unsigned socket)
{
	struct unc_sim_cpu cpu = {0};

	for (size_t i = 0; unc_sim_cpu(q->sim.host, i, &cpu) == 0 && cpu.package != socket; i++)
		;
	return cpu.node;
}

int guest_node(const struct simqemu *q, char **user, unsigned socket)
{
	return user_value(user, "-numa") || shape_of(q).nodes < 2 ? -1 : (int)node_of(q, socket);
}

/*
 * Family, model and stepping are what drivers go by, and the name what people do; the rest is a processor that can be
 * emulated without complaint.  Drivers for what is outside the cores stay away where CPUID says "hypervisor".
 */
static void cpu_add(const struct simqemu *q, struct args *args)
{
	struct unc_sim_cpu cpu = {0};
	struct served_cpu kind;
	char brand[49];

	for (size_t i = 0; unc_sim_cpu(q->sim.host, i, &cpu) == 0 && !cpu.online; i++)
		;
	kind = served_cpu(&q->sim, cpu.number);
	served_brand(&q->sim, cpu.number, brand);
	args_add(args, "-cpu");
	args_add(args, "SandyBridge,family=%u,model=%u,stepping=%u,model-id=%s,-hypervisor,-x2apic,-tsc-deadline",
		 kind.family, kind.model, kind.stepping, brand);
}

/* Shared: QEMU hands all of it to who answers for a function, and refuses to if others cannot have it. */
static void memory_add(struct args *args, unsigned i, uint64_t bytes)
{
	args_add(args, "-object");
	args_add(args, "memory-backend-memfd,id=simqemu-memory%u,size=%" PRIu64 ",share=on", i, bytes);
}

static void nodes_add(const struct simqemu *q, const struct shape *shape, uint64_t bytes, struct args *args)
{
	unsigned memories = shape->nodes < MEMORIES_MAX ? shape->nodes : MEMORIES_MAX;
	uint64_t each = bytes / memories / MIB * MIB;

	for (unsigned i = 0; i < shape->nodes; i++) {
		if (i < memories)
			memory_add(args, i, i ? each : bytes - each * (memories - 1));
		args_add(args, "-numa");
		args_add(args, i < memories ? "node,nodeid=%u,memdev=simqemu-memory%u" : "node,nodeid=%u", i, i);
	}
	for (unsigned i = 0; i < shape->sockets; i++) {
		args_add(args, "-numa");
		args_add(args, "cpu,node-id=%u,socket-id=%u", node_of(q, i), i);
	}
}

void guest_add(const struct simqemu *q, char **user, struct args *args)
{
	const char *wanted = user_value(user, "-m");
	uint64_t bytes = wanted ? bytes_of(wanted) : MEMORY_MIB * MIB;
	struct shape shape = shape_of(q);
	bool own_nodes = user_value(user, "-numa") != NULL;

	args_add(args, "-M");
	args_add(args, shape.nodes < 2 && !own_nodes ? "q35,memory-backend=simqemu-memory0" : "q35");
	cpu_add(q, args);
	args_add(args, "-smp");
	args_add(args, "%u,sockets=%u", shape.sockets, shape.sockets);
	if (!wanted) {
		args_add(args, "-m");
		args_add(args, "%d", MEMORY_MIB);
	}
	if (own_nodes)
		return;
	if (shape.nodes < 2)
		memory_add(args, 0, bytes);
	else
		nodes_add(q, &shape, bytes, args);
}
