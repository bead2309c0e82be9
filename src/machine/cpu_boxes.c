// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boxes that every CPU has one of: its own model-specific registers.  There are hundreds of CPUs and few are used, so
 * each box is made when it is first requested, and found by the number of its CPU.
 */

#include "machine/tasks.h"

/* More than any operating system numbers (Linux: NR_CPUS is at most 8192 on x86); no number may request all memory. */
enum { CPUS_MAX = 65536 };

struct cpu_box {
	struct cpu_box *next; /* of the same CPU in another unit; owned */
	struct unc_box box;
};

struct unc_cpu_boxes {
	struct cpu_box **of; /* by CPU number; owned, as are the boxes; NULL: none was requested yet */
	unsigned n;
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

void unc_machine_cpu_boxes_free(struct unc_machine *m)
{
	struct unc_cpu_boxes *all = m->cpu_boxes;

	if (!all)
		return;
	for (unsigned cpu = 0; cpu < all->n; cpu++) {
		for (struct cpu_box *one = all->of[cpu], *next; one; one = next) {
			next = one->next;
			unc_space_close(one->box.space);
			free(one);
		}
	}
	free(all->of);
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

/* Makes room for that CPU and for as many again, since they are requested in rising order. */
static bool make_room(struct unc_cpu_boxes *all, unsigned cpu)
{
	unsigned n = all->n ? all->n : 16;
	struct cpu_box **of;

	if (cpu < all->n)
		return true;
	while (n <= cpu)
		n *= 2;
	of = realloc(all->of, n * sizeof(struct cpu_box *));
	if (!of)
		return false;
	memset(of + all->n, 0, (n - all->n) * sizeof(struct cpu_box *));
	all->of = of;
	all->n = n;
	return true;
}

int unc_machine_cpu_box(const struct unc_machine *m, const char *unit_name, unsigned cpu, struct unc_box **ret_box)
{
	static const struct unc_instance of_cpu = {.perf = -1, .pcm = -1, .likwid = -1};
	const struct unc_unit *unit = unc_map_unit(m->map, unit_name);
	struct unc_cpu_boxes *all = m->cpu_boxes;
	struct cpu_box *one;
	unsigned socket;
	int rc;

	if (!unit || unit->per != UNC_PER_CPU)
		return unc_fail(m->ctx, UNC_ENOSUP,
				"cpu%u.%s: no register map that fits this CPU has a unit %s of each CPU", cpu,
				unit_name, unit_name);
	if (cpu >= CPUS_MAX)
		return unc_fail(m->ctx, UNC_ENODEV, "cpu%u.%s: there is no such CPU", cpu, unit_name);
	for (one = cpu < all->n ? all->of[cpu] : NULL; one && one->box.unit != unit; one = one->next)
		;
	if (one) {
		*ret_box = &one->box;
		return UNC_OK;
	}
	rc = socket_of(m, cpu, &socket);
	if (rc < 0)
		return rc;
	one = make_room(all, cpu) ? malloc(sizeof(*one)) : NULL;
	if (!one)
		return unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	one->next = all->of[cpu];
	one->box = (struct unc_box){
		.machine = (struct unc_machine *)m, /* requesting a box does not change the machine */
		.unit = unit,
		.instance = &of_cpu,
		.socket = socket,
		.addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}},
		.addr_known = true,
		.presence = UNC_PRESENT,
		.rc = UNC_ENODEV,
	};
	unc_addr_text(&one->box.addr, one->box.pci);
	snprintf(one->box.name, sizeof(one->box.name), "cpu%u.%.20s", cpu, unit->name);
	snprintf(one->box.why, sizeof(one->box.why), "MSRs of %s itself", one->box.pci);
	all->of[cpu] = one;
	*ret_box = &one->box;
	return UNC_OK;
}

bool unc_machine_cpu_box_named(const char *name, unsigned *ret_cpu, const char **ret_unit)
{
	enum { DIGITS_MAX = 7 };
	const char *digits = name + 3, *rest = digits;
	uint64_t cpu;

	if (strncmp(name, "cpu", 3) != 0 || *digits == ' ' || !unc_proc_next_number(&rest, &cpu) || *rest != '.' ||
	    rest - digits > DIGITS_MAX || (*digits == '0' && rest - digits > 1))
		return false;
	*ret_cpu = (unsigned)cpu;
	*ret_unit = rest + 1;
	return true;
}
