// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boxes that every CPU has one of: its own model-specific registers.  There are hundreds of CPUs and few are used, so
 * each box is made when it is first requested, and found by the number of its CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "machine/machine.h"

/* More than any operating system numbers (Linux: NR_CPUS is at most 8192 on x86); no number may request all memory. */
enum { CPUS_MAX = 65536 };

struct boxes_of_unit {
	struct boxes_of_unit *next; /* owned */
	const struct unc_unit *unit;
	struct unc_box **boxes; /* by CPU number; owned, each of them too; NULL: not requested yet */
	unsigned n;
};

struct unc_cpu_boxes {
	struct boxes_of_unit *units;
	struct unc_host_cpu *cpus; /* by number; owned */
	size_t n_cpus;
	bool asked; /* cpus was requested */
	int rc;     /* the error of that */
	char why[UNC_MSG_MAX];
};

int unc_machine_cpu_boxes_new(struct unc_machine *m)
{
	m->cpu_boxes = calloc(1, sizeof(*m->cpu_boxes));
	return m->cpu_boxes ? UNC_OK : unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
}

static void free_unit(struct boxes_of_unit *of)
{
	for (unsigned cpu = 0; cpu < of->n; cpu++) {
		if (of->boxes[cpu])
			unc_space_close(of->boxes[cpu]->space);
		free(of->boxes[cpu]);
	}
	free(of->boxes);
	free(of);
}

void unc_machine_cpu_boxes_free(struct unc_machine *m)
{
	struct unc_cpu_boxes *all = m->cpu_boxes;

	while (all && all->units) {
		struct boxes_of_unit *of = all->units;

		all->units = of->next;
		free_unit(of);
	}
	if (all)
		free(all->cpus);
	free(all);
	m->cpu_boxes = NULL;
}

int unc_machine_cpus(const struct unc_machine *m, const struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct unc_cpu_boxes *all = m->cpu_boxes;

	if (!all->asked) {
		all->rc = m->host->ops->cpus(m->host, &all->cpus, &all->n_cpus);
		if (all->rc < 0)
			memcpy(all->why, m->ctx->msg, sizeof(all->why));
		all->asked = all->rc == 0 || all->rc == UNC_ENODATA; /* another error may be gone next time */
	}
	if (all->rc < 0)
		return unc_fail(m->ctx, all->rc, "%s", all->why);
	*ret_cpus = all->cpus;
	*ret_n = all->n_cpus;
	return UNC_OK;
}

/* Returns the socket of a CPU; the first if it is not known. */
static int socket_of(const struct unc_machine *m, unsigned cpu, unsigned *ret_socket)
{
	const struct unc_host_cpu *cpus;
	size_t n;
	int rc;

	*ret_socket = m->n_sockets ? m->sockets[0].id : 0;
	if (m->n_sockets <= 1)
		return UNC_OK;
	rc = unc_machine_cpus(m, &cpus, &n);
	if (rc < 0)
		return rc == UNC_ENODATA ? UNC_OK : rc;
	for (size_t i = 0; i < n; i++)
		if (cpus[i].cpu == cpu && cpus[i].package >= 0)
			*ret_socket = (unsigned)cpus[i].package;
	return UNC_OK;
}

static void describe(const struct unc_machine *m, const struct unc_unit *unit, unsigned cpu, unsigned socket,
		     struct unc_box *ret_box)
{
	static const struct unc_instance of_cpu = {.perf = -1, .pcm = -1, .likwid = -1};

	*ret_box = (struct unc_box){
		.machine = (struct unc_machine *)m, /* requesting a box does not change the machine */
		.unit = unit,
		.instance = &of_cpu,
		.socket = socket,
		.addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}},
		.addr_known = true,
		.presence = UNC_PRESENT,
		.rc = UNC_ENODEV,
	};
	unc_addr_text(&ret_box->addr, ret_box->pci);
	snprintf(ret_box->name, sizeof(ret_box->name), "cpu%u.%.20s", cpu, unit->name);
	snprintf(ret_box->why, sizeof(ret_box->why), "MSRs of %s itself", ret_box->pci);
}

static int make(const struct unc_machine *m, const struct unc_unit *unit, unsigned cpu, struct unc_box **ret_box)
{
	struct unc_box *box;
	unsigned socket;
	int rc;

	rc = socket_of(m, cpu, &socket);
	if (rc < 0)
		return rc;
	box = malloc(sizeof(*box));
	if (!box)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	describe(m, unit, cpu, socket, box);
	*ret_box = box;
	return UNC_OK;
}

static struct boxes_of_unit *of_unit(const struct unc_machine *m, const struct unc_unit *unit)
{
	struct boxes_of_unit *of;

	for (of = m->cpu_boxes->units; of; of = of->next)
		if (of->unit == unit)
			return of;
	of = calloc(1, sizeof(*of));
	if (!of)
		return NULL;
	of->unit = unit;
	of->next = m->cpu_boxes->units;
	m->cpu_boxes->units = of;
	return of;
}

/* Makes room for that CPU and for as many again, since they are requested in rising order. */
static bool make_room(struct boxes_of_unit *of, unsigned cpu)
{
	unsigned n = of->n ? of->n : 16;
	struct unc_box **boxes;

	if (cpu < of->n)
		return true;
	while (n <= cpu)
		n *= 2;
	boxes = realloc(of->boxes, n * sizeof(struct unc_box *));
	if (!boxes)
		return false;
	memset(boxes + of->n, 0, (n - of->n) * sizeof(struct unc_box *));
	of->boxes = boxes;
	of->n = n;
	return true;
}

int unc_machine_cpu_box(const struct unc_machine *m, const char *unit_name, unsigned cpu, struct unc_box **ret_box)
{
	const struct unc_unit *unit = unc_map_unit(m->map, unit_name);
	struct boxes_of_unit *of;

	if (!unit || !unit->per_cpu)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"cpu%u.%s: no register map that fits this CPU has a unit %s of each CPU", cpu,
				unit_name, unit_name);
	if (cpu >= CPUS_MAX)
		return unc_fail(m->ctx, UNC_ENODEV, "cpu%u.%s: there is no such CPU", cpu, unit_name);
	of = of_unit(m, unit);
	if (!of || !make_room(of, cpu))
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	if (!of->boxes[cpu]) {
		int rc = make(m, unit, cpu, &of->boxes[cpu]);

		if (rc < 0)
			return rc;
	}
	*ret_box = of->boxes[cpu];
	return UNC_OK;
}

bool unc_machine_cpu_box_named(const char *name, unsigned *ret_cpu, const char **ret_unit)
{
	const char *dot = strncmp(name, "cpu", 3) == 0 ? strchr(name, '.') : NULL;
	char digits[8];
	size_t len = dot ? (size_t)(dot - name - 3) : 0;
	uint64_t cpu;

	if (len == 0 || len >= sizeof(digits) || (name[3] == '0' && len > 1))
		return false;
	memcpy(digits, name + 3, len);
	digits[len] = '\0';
	if (strspn(digits, "0123456789") != len || !unc_text_u64(digits, &cpu))
		return false;
	*ret_cpu = (unsigned)cpu;
	*ret_unit = dot + 1;
	return true;
}
