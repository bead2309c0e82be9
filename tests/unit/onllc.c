// SPDX-License-Identifier: GPL-2.0-or-later
#include "onllc.h"
#include "simmsr.h"

#include "base/text.h"

void onllc_machine(struct onllc *x, const char *model, const char *common, const char *own)
{
	struct unc_bus *bus = NULL;

	memset(x, 0, sizeof(*x));
	onsim_open_model(&x->o, model, common, own);
	OK(&x->o, unc_machine_bus(x->o.m, UNC_MSR, &bus));
	OK(&x->o, unc_fault_wrap(x->o.m->bus[UNC_MSR], &x->o.fault, &bus));
	x->o.m->bus[UNC_MSR] = bus;
	onsim_trace_clear(&x->o);
}

void onllc_open(struct onllc *x, const char *model, const char *common, const char *own, const struct unc_llc_cfg *cfg)
{
	static const struct unc_llc_cfg plain;

	onllc_close(x);
	onllc_machine(x, model, common, own);
	OK(&x->o, unc_llc_open(x->o.m, cfg ? cfg : &plain, &x->llc));
}

void onllc_open_load(struct onllc *x, const char *common, const char *load, const char *own,
		     const struct unc_llc_cfg *cfg)
{
	const char *path = onsim_file(test_text("format: uncorectl-load/1\ncpus:\n%s", load));

	onllc_open(x, "bdx", test_text("%s,load=%s", common, path), own, cfg);
}

int onllc_try_group(struct onllc *x, const char *name, const char *cpus)
{
	unsigned list[256];
	uint64_t cpu, last;
	size_t n = 0;

	while (unc_text_range(&cpus, 255, &cpu, &last))
		for (; cpu <= last; cpu++)
			list[n++] = (unsigned)cpu;
	CU_ASSERT_PTR_NULL_FATAL(cpus);
	return unc_llc_add(x->llc, name, list, n);
}

void onllc_group(struct onllc *x, const char *name, const char *cpus)
{
	OK(&x->o, onllc_try_group(x, name, cpus));
}

int onllc_try_start(struct onllc *x)
{
	int rc = unc_llc_start(x->llc);

	if (rc < 0)
		return rc;
	x->n = unc_llc_row_count(x->llc);
	CU_ASSERT_FATAL(x->n <= ONLLC_ROWS);
	for (size_t i = 0; i < x->n; i++)
		OK(&x->o, unc_llc_row_info(x->llc, i, &x->infos[i]));
	return rc;
}

void onllc_start(struct onllc *x)
{
	OK(&x->o, onllc_try_start(x));
}

void onllc_groups(struct onllc *x, const char *const *groups)
{
	for (; *groups; groups += 2)
		onllc_group(x, groups[0], groups[1]);
	onllc_start(x);
}

void onllc_begin(struct onllc *x, const char *model, const char *common, const char *own, const struct unc_llc_cfg *cfg,
		 const char *const *groups)
{
	onllc_open(x, model, common, own, cfg);
	onllc_groups(x, groups);
}

void onllc_read(struct onllc *x)
{
	OK(&x->o, unc_llc_read(x->llc, x->rows, x->n));
}

void onllc_read_after(struct onllc *x, uint64_t ns)
{
	onsim_step(&x->o, ns);
	onllc_read(x);
}

int onllc_try_stop(struct onllc *x)
{
	int rc = unc_llc_close(x->llc);

	x->llc = NULL;
	return rc;
}

void onllc_stop(struct onllc *x)
{
	OK(&x->o, onllc_try_stop(x));
}

void onllc_close(struct onllc *x)
{
	onllc_stop(x);
	onsim_close(&x->o);
}

void onllc_flags_are(struct onllc *x, const unsigned *flags, size_t n, const char *file, int line)
{
	CU_ASSERT_EQUAL(x->n, n);
	for (size_t i = 0; i < n; i++)
		onsim_eq(x->rows[i].flags, flags[i], x->infos[i].group, "expected flags", file, line);
}

void onllc_status_is(struct onllc *x, size_t row, const unsigned status[UNC_LLC_EVENTS], const char *file, int line)
{
	static const char *const names[] = {"occupancy", "total", "local"};

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
		onsim_eq(x->rows[row].values[event].status, status[event], names[event], "expected status", file, line);
}

uint64_t onllc_peek(struct onllc *x, unsigned cpu, uint32_t number)
{
	uint64_t value = 0;

	CU_ASSERT_EQUAL_FATAL(sim_msr_read(x->o.hand, cpu, number, &value), 0);
	return value;
}

void onllc_poke(struct onllc *x, unsigned cpu, uint32_t number, uint64_t value)
{
	CU_ASSERT_EQUAL_FATAL(sim_msr_write(x->o.hand, cpu, number, value), 0);
}

struct unc_sim_llc onllc_truth(struct onllc *x, unsigned l3, unsigned rmid)
{
	struct unc_sim_llc is = {0};

	CU_ASSERT_EQUAL_FATAL(unc_sim_truth_llc_at(x->o.hand, l3, rmid, UNC_SIM_NOW, &is), 0);
	return is;
}

uint64_t onllc_moved(uint64_t before, uint64_t after, uint64_t unit)
{
	return (after / unit - before / unit) * unit;
}

struct onllc_state onllc_state(struct onllc *x)
{
	struct onllc_state state = {.n = unc_sim_info(x->o.hand).n_cpus};

	CU_ASSERT_FATAL(state.n <= ONLLC_CPUS);
	for (unsigned i = 0; i < state.n; i++) {
		state.pqr[i] = onllc_peek(x, i, R_PQR);
		state.evtsel[i] = onllc_peek(x, i, R_EVTSEL);
	}
	return state;
}

unsigned onllc_differ(const struct onllc_state *a, const struct onllc_state *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < a->n; i++) {
		n += a->pqr[i] != b->pqr[i];
		n += a->evtsel[i] != b->evtsel[i];
	}
	return n;
}

void onllc_is_as(struct onllc *x, const struct onllc_state *found)
{
	struct onllc_state now = onllc_state(x);

	EQ(onllc_differ(found, &now), 0);
}
