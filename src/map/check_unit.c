// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the unit as a whole: where it is, whether its model can drive it, and what must not be written. */
#include <inttypes.h>
#include <string.h>

#include "map/checker.h"
#include "map/field.h"
#include "map/place.h"

static void check_place(struct unc_checker *c, const struct unc_yaml *instance)
{
	const struct unc_yaml *pci = unc_yaml_get(instance, "pci"), *at = unc_yaml_get(instance, "at");
	struct unc_pci_place place;

	if (!unc_pci_place_parse(pci->text, at->text, &place))
		unc_found(c, instance,
			  "instance at %.20s with pci %.20s: wanted are hex digits as in {pci: \"8086:3cb0\", "
			  "at: \"10.0\"}, device 00 to 1f, function 0 to 7",
			  at->text, pci->text);
}

void unc_check_instance_valid(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *instances = unc_yaml_get(c->root, "instances");

	if (unit->kind == UNC_PCI && unit->n_instances == 0)
		unc_found(c, instances ? instances : c->root, "no instances: say at which PCI functions the unit is");
	for (const struct unc_yaml *one = instances ? instances->child : NULL; one; one = one->next)
		check_place(c, one);
}

static const char *in_common(const struct unc_instance *a, const struct unc_instance *b)
{
	if (a->vendor == b->vendor && a->device == b->device && a->dev == b->dev && a->fn == b->fn)
		return "place";
	if (a->imc == b->imc && a->channel == b->channel)
		return "imc and channel";
	if (a->perf >= 0 && a->perf == b->perf)
		return "perf number";
	if (a->pcm >= 0 && a->pcm == b->pcm)
		return "pcm number";
	return a->likwid >= 0 && a->likwid == b->likwid ? "likwid number" : NULL;
}

void unc_check_instances_unique(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_instances; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct unc_instance *instance = &unit->instances[i];
			const char *what = in_common(instance, &unit->instances[k]);

			if (what)
				unc_found_at(c, instance->path, instance->line,
					     "the instance has the same %s as that of line %u", what,
					     unit->instances[k].line);
		}
	}
}

void unc_check_bus_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	if (unit->bus != UNC_BUS_SAME && strcmp(unit->model, "ubox1") != 0)
		unc_found(c, unc_yaml_get(c->root, "bus"), "bus: model %s finds nothing by a bus; leave the line out",
			  unit->model);
}

/* Windows and PCI functions have a place of their own; only MSRs are the same number on every CPU. */
void unc_check_per_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *per = unc_yaml_get(c->root, "per");
	bool driven_per_cpu = strcmp(unit->model, "qm1") == 0;

	if (unit->per_cpu && unit->kind != UNC_MSR)
		unc_found(c, per, "per: only MSRs are %s's own; leave the line out", per->text);
	else if (unit->per_cpu != driven_per_cpu)
		unc_found(c, per ? per : c->root, "per: model %s is driven %s", unit->model,
			  driven_per_cpu ? "on each CPU; say per: cpu" : "once a socket; leave the line out");
}

/* What the code of each model asks its map for. */
static const struct need {
	const char *model, *reg;
	bool optional; /* the register may be missing, but if it is there, it has the field */
	const char *field;
} needs[] = {
	{"pmon1", "CTL", false, "en"},
	{"pmon1", "CTL", false, "ev_sel"},
	{"pmon1", "CTL", false, "umask"},
	{"pmon1", "CTR", false, "event_count"},
	{"pmon1", "BOX_CTL", false, "frz"},
	{"pmon1", "FIXED_CTL", true, "en"},
	{"pmon1", "FIXED_CTR", true, "event_count"},
	{"freeze1", "GLOBAL_CTL", false, "frz_all"},
	{"freeze1", "GLOBAL_CTL", false, "unfrz_all"},
	{"qm1", "PQR_ASSOC", false, "rmid"},
	{"qm1", "PQR_ASSOC", false, "clos"},
	{"qm1", "QM_EVTSEL", false, "event"},
	{"qm1", "QM_EVTSEL", false, "rmid"},
	{"qm1", "QM_CTR", false, "data"},
	{"qm1", "QM_CTR", false, "unavailable"},
	{"qm1", "QM_CTR", false, "error"},
	{"ubox1", "CPUNODEID", false, "node"},
	{"ubox1", "GIDNIDMAP", false, "gid0"},
	{"ubox1", "GIDNIDMAP", false, "gid1"},
	{"ubox1", "GIDNIDMAP", false, "gid2"},
	{"ubox1", "GIDNIDMAP", false, "gid3"},
	{"ubox1", "GIDNIDMAP", false, "gid4"},
	{"ubox1", "GIDNIDMAP", false, "gid5"},
	{"ubox1", "GIDNIDMAP", false, "gid6"},
	{"ubox1", "GIDNIDMAP", false, "gid7"},
};

static void check_need(struct unc_checker *c, const struct unc_unit *unit, const struct need *need)
{
	const struct unc_yaml *registers = unc_yaml_get(c->root, "registers");
	const struct unc_reg *reg = unc_unit_reg(unit, need->reg);

	if (!reg && !need->optional)
		unc_found(c, registers, "model %s needs a register %s with a field %s", need->model, need->reg,
			  need->field);
	else if (reg && !unc_reg_field(reg, need->field))
		unc_found_at(c, reg->path, reg->line, "model %s needs a field %s in %s", need->model, need->field,
			     need->reg);
}

static void check_pair(struct unc_checker *c, const struct unc_unit *unit, const char *ctl_name, const char *ctr_name)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, ctl_name), *ctr = unc_unit_reg(unit, ctr_name);

	if (!ctl != !ctr)
		unc_found_at(c, (ctl ? ctl : ctr)->path, (ctl ? ctl : ctr)->line, "%s stands alone; %s is missing",
			     ctl ? ctl_name : ctr_name, ctl ? ctr_name : ctl_name);
	else if (ctl && ctl->count != ctr->count)
		unc_found_at(c, ctr->path, ctr->line, "there are %u %s for %u %s; each counter has one control",
			     ctr->count, ctr_name, ctl->count, ctl_name);
}

void unc_check_model_registers(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (strcmp(needs[i].model, unit->model) == 0)
			check_need(c, unit, &needs[i]);
	}
	if (strcmp(unit->model, "pmon1") != 0)
		return;
	check_pair(c, unit, "CTL", "CTR");
	check_pair(c, unit, "FIXED_CTL", "FIXED_CTR");
	if (ctl && ctl->count > UNC_COUNTERS_MAX)
		unc_found_at(c, ctl->path, ctl->line, "CTL: more than %d counters cannot be handled", UNC_COUNTERS_MAX);
}

static void check_counter(struct unc_checker *c, const struct unc_unit *unit, const char *name)
{
	const struct unc_reg *ctr = unc_unit_reg(unit, name);
	const struct unc_field *count = ctr ? unc_reg_field(ctr, "event_count") : NULL;

	if (count && (count->lo != 0 || count->hi + 1 != unit->counter_bits))
		unc_found_at(c, count->path, count->line, "%s.event_count has the bits %u:%u, but counter_bits is %u",
			     name, count->hi, count->lo, unit->counter_bits);
}

void unc_check_counter_bits_fit(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *said = unc_yaml_get(c->root, "counter_bits");

	if (unc_unit_reg(unit, "CTR") && unit->counter_bits == 0)
		unc_found(c, said ? said : c->root, "counter_bits: say how wide the counters are, such as 48");
	if (unit->counter_bits == 0)
		return;
	check_counter(c, unit, "CTR");
	check_counter(c, unit, "FIXED_CTR");
}

/* Command, status, BARs, bridge windows: a wrong bit there takes the machine down. */
void unc_check_header_writable(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs && unit->kind == UNC_PCI; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (reg->off < 0x40 && unc_reg_writable(reg))
			unc_found_at(c, reg->path, reg->line,
				     "%s is in the header of the PCI function, offsets 0x00 to 0x3f, "
				     "and may not be writable",
				     reg->name);
	}
}

static bool msr_meant_for_maps(uint32_t msr)
{
	static const uint32_t allowed[] = {
		0x700,         /* global freeze: HSX, BDX, SKX, ICX */
		0x701,         /* its status, in which writing 1 clears a bit */
		0xc00,         /* IVT */
		0xc01, 0x2ff0, /* SPR, EMR */
		0xc8d,         /* QM_EVTSEL */
		0xc8f,         /* PQR_ASSOC */
	};

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		if (allowed[i] == msr)
			return true;
	}
	return false;
}

/* Any MSR takes any value from root; a file from another person must not choose it. */
void unc_check_msr_writable(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs && unit->kind == UNC_MSR && unit->loaded; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		for (unsigned k = 0; k < reg->count && unc_reg_writable(reg); k++) {
			if (msr_meant_for_maps(unc_reg_off(reg, k)))
				continue;
			unc_found_at(c, reg->path, reg->line,
				     "%s: MSR 0x%x is not among those that a map from a folder may "
				     "write; make it ro",
				     reg->name, unc_reg_off(reg, k));
			break;
		}
	}
}
