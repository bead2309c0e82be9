// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the meaning of a unit, of its registers and fields; those of its events are in check_event.c. */

#include "map/field.h"
#include "map/parse.h"

/* ---- sources ---- */

static bool tag_known(const struct unc_checker *c, const char *tag, size_t len)
{
	const struct unc_yaml *sources = unc_yaml_get(c->root, "sources");

	for (const struct unc_yaml *source = sources ? sources->child : NULL; source; source = source->next)
		if (strlen(source->key) == len && memcmp(source->key, tag, len) == 0)
			return true;
	return false;
}

void unc_check_src(struct unc_checker *c, const char *what, const char *src)
{
	while (src && *src) {
		size_t len;

		src += strspn(src, " ");
		len = strcspn(src, " ;");
		if (!tag_known(c, src, len))
			unc_found_here(c, "%.64s: src: \"%.*s\" is not a tag from sources", what,
				       (int)(len < 40 ? len : 40), src);
		src = strchr(src, ';');
		if (src)
			src++;
	}
}

static void sources_of_remarks(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_remarks; i++) {
		c->path = unit->remarks[i].path;
		c->line = unit->remarks[i].line;
		unc_check_src(c, "notes", unit->remarks[i].src);
	}
}

static void sources_of_reg(struct unc_checker *c, const struct unc_reg *reg)
{
	unc_check_src(c, reg->name, reg->src);
}

static void sources_of_field(struct unc_checker *c, const struct unc_field *field)
{
	unc_check_src(c, field->name, field->src);
	for (size_t i = 0; i < field->n_said; i++)
		if (!tag_known(c, field->said[i].tag, strlen(field->said[i].tag)))
			unc_found_here(c, "%.64s: said: \"%.40s\" is not a tag from sources", field->name,
				       field->said[i].tag);
}

static void sources_of_event(struct unc_checker *c, const struct unc_event *event)
{
	unc_check_src(c, event->name, event->src);
}

static void register_has_source(struct unc_checker *c, const struct unc_reg *reg)
{
	if (!reg->src)
		unc_found_here(c, "%s lacks src; say which document describes it", reg->name);
}

/* ---- registers and fields ---- */

static unsigned width_bytes(const struct unc_unit *unit, const struct unc_reg *reg)
{
	return unit->kind == UNC_MSR ? 1 : reg->bits / 8; /* an MSR is one number, however wide */
}

/* Past the last element, without wrapping. */
static uint64_t end_of(const struct unc_unit *unit, const struct unc_reg *reg)
{
	uint64_t last = reg->count ? reg->count - 1 : 0;

	return reg->off + last * reg->step + width_bytes(unit, reg);
}

static void register_aligned(struct unc_checker *c, const struct unc_reg *reg)
{
	unsigned to = c->unit->kind == UNC_MMIO ? reg->bits / 8 : 4;

	if (c->unit->kind != UNC_MSR && (reg->off % to != 0 || reg->step % to != 0))
		unc_found_here(c, "%s is not aligned; its offset and step are to be multiples of %u", reg->name, to);
}

static void register_in_space(struct unc_checker *c, const struct unc_reg *reg)
{
	/* A window is the registers of one block; the page behind them belongs to others. */
	static const uint64_t lens[] = {[UNC_PCI] = 0x1000, [UNC_MSR] = UINT64_C(0x100000000), [UNC_MMIO] = 0x100};
	uint64_t len = lens[c->unit->kind], end = end_of(c->unit, reg);

	if (reg->count == 0)
		unc_found_here(c, "%s has a count of 0; leave the register out", reg->name);
	if (end > len)
		unc_found_here(c, "%s ends at 0x%" PRIx64 ", beyond the 0x%" PRIx64 " of its space", reg->name, end,
			       len);
	if (c->unit->kind == UNC_MSR && reg->bits != 64)
		unc_found_here(c, "%s is an MSR, which are 64 bits wide; write bits: 64", reg->name);
}

/* Do any two elements share a byte?  Arrays interleave (lo, hi, lo, hi), so each element is looked at. */
static bool overlap(const struct unc_unit *unit, const struct unc_reg *a, const struct unc_reg *b)
{
	if (end_of(unit, a) <= b->off || end_of(unit, b) <= a->off)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned k = 0; k < b->count; k++) {
			uint64_t x = a->off + (uint64_t)i * a->step, y = b->off + (uint64_t)k * b->step;

			if (x < y + width_bytes(unit, b) && y < x + width_bytes(unit, a))
				return true;
		}
	}
	return false;
}

static void registers_overlap(struct unc_checker *c, const struct unc_reg *reg)
{
	if (reg->count > 1 && reg->step < width_bytes(c->unit, reg))
		unc_found_here(c, "%s overlaps itself; its step is smaller than its width", reg->name);
	for (const struct unc_reg *first = c->unit->regs; first < reg; first++) {
		bool second = unc_blame_second(c->unit, first->path, first->line, reg->path, reg->line);
		const struct unc_reg *blamed = second ? reg : first, *other = second ? first : reg;

		if (overlap(c->unit, first, reg))
			unc_found_at(c, blamed->path, blamed->line, "%s overlaps %s", blamed->name, other->name);
	}
}

static void field_bits(struct unc_checker *c, const struct unc_field *field)
{
	if (field->hi < field->lo)
		unc_found_here(c, "%s.%s: bits are written [high, low], so [%u, %u]", c->reg->name, field->name,
			       field->lo, field->hi);
	else if (field->hi >= c->reg->bits)
		unc_found_here(c, "%s.%s: bit %u is outside of a register of %u bits", c->reg->name, field->name,
			       field->hi, c->reg->bits);
}

static void fields_overlap(struct unc_checker *c, const struct unc_field *field)
{
	for (const struct unc_field *first = c->reg->fields; first < field; first++) {
		bool second = unc_blame_second(c->unit, first->path, first->line, field->path, field->line);
		const struct unc_field *blamed = second ? field : first, *other = second ? first : field;

		if (unc_field_mask(first) & unc_field_mask(field))
			unc_found_at(c, blamed->path, blamed->line, "%s.%s has bits in common with %s", c->reg->name,
				     blamed->name, other->name);
	}
}

/* A bit that the map forgets would be written 0 and shown nowhere. */
static void fields_cover(struct unc_checker *c, const struct unc_reg *reg)
{
	uint64_t missing = unc_reg_all(reg) & ~unc_reg_named(reg);

	if (missing)
		unc_found_here(c, "%s: no field has the bits 0x%" PRIx64 "; name them, if only as reserved", reg->name,
			       missing);
}

static void reset_fits(struct unc_checker *c, const struct unc_field *field)
{
	if (field->reset > unc_field_max(field))
		unc_found_here(c, "%s.%s: reset 0x%" PRIx64 " does not fit into its bits", c->reg->name, field->name,
			       field->reset);
}

static void write_fits(struct unc_checker *c, const struct unc_field *field)
{
	if (field->write > unc_field_max(field))
		unc_found_here(c, "%s.%s: write 0x%" PRIx64 " does not fit into its bits", c->reg->name, field->name,
			       field->write);
	else if (field->write && field->acc != UNC_RSVD)
		unc_found_here(c, "%s.%s: write is for reserved bits only", c->reg->name, field->name);
}

static void write_whole_said(struct unc_checker *c, const struct unc_reg *reg)
{
	if (unc_reg_mask(reg, UNC_WO) && !reg->write_whole)
		unc_found_here(c, "%s has write-only bits, which cannot be read back and kept; say write: whole",
			       reg->name);
}

/* ---- the unit as a whole: where it is, whether its model can drive it, and what must not be written ---- */

static void instance_valid(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *instances = unc_yaml_get(c->root, "instances");
	struct unc_instance place;

	bool placed = unit->kind != UNC_MSR || unit->by_cpuid || unit->counts_in;

	if (!placed && instances)
		unc_found(c, instances,
			  "a unit in msr has instances only with found: cpuid or counts_in; leave them out");
	else if (placed && unit->n_instances == 0)
		unc_found(c, instances ? instances : c->root, "no instances: say %s",
			  unit->kind == UNC_PCI ? "at which PCI functions the unit is" : "which channels the unit has");
	for (const struct unc_yaml *one = instances ? instances->child : NULL; one; one = one->next) {
		const struct unc_yaml *pci = unc_yaml_get(one, "pci"), *at = unc_yaml_get(one, "at");

		if (unit->kind != UNC_PCI && (pci || at))
			unc_found(c, one, "pci and at are of units in PCI space; leave them out");
		else if (unit->kind == UNC_PCI && (!pci || !at))
			unc_found(c, one, "this lacks the key %s", pci ? "at" : "pci");
		else if (unit->kind == UNC_PCI && !unc_pci_place_parse(pci->text, at->text, &place))
			unc_found(c, one,
				  "instance at %.20s with pci %.20s: wanted are hex digits as in {pci: \"8086:3cb0\", "
				  "at: \"10.0\"}, device 00 to 1f, function 0 to 7",
				  at->text, pci->text);
	}
}

static const char *in_common(const struct unc_instance *a, const struct unc_instance *b)
{
	if (a->vendor && a->vendor == b->vendor && a->device == b->device && a->dev == b->dev && a->fn == b->fn)
		return "place";
	if (a->hbm != b->hbm)
		return NULL;
	if (a->imc == b->imc && a->channel == b->channel)
		return "imc and channel";
	if (a->perf >= 0 && a->perf == b->perf)
		return "perf number";
	if (a->pcm >= 0 && a->pcm == b->pcm)
		return "pcm number";
	return a->likwid >= 0 && a->likwid == b->likwid ? "likwid number" : NULL;
}

static void instances_unique(struct unc_checker *c, const struct unc_unit *unit)
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

static void bus_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	if (unit->bus != UNC_BUS_SAME && strcmp(unit->model, "ubox1") != 0)
		unc_found(c, unc_yaml_get(c->root, "bus"), "bus: model %s finds nothing by a bus; leave the line out",
			  unit->model);
}

/* A window in memory is found by registers or by a discovery table, and nothing else is. */
static void found_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *found = unc_yaml_get(c->root, "found"), *type = unc_yaml_get(c->root, "box_type");

	if (unit->by_cpuid && (unit->kind != UNC_MSR || strcmp(unit->model, "node1") != 0))
		unc_found(c, found, "found: CPUID tells of units that are a node1 in msr only; leave the line out");
	else if (((found && !unit->by_cpuid) || (type && unit->kind != UNC_PCI)) && unit->kind != UNC_MMIO)
		unc_found(c, found && !unit->by_cpuid ? found : type,
			  "found is of units in mmio, and box_type of these and of units in pci; leave it out");
	else if (!found && !type && unit->kind == UNC_MMIO)
		unc_found(c, c->root, "no found and no box_type: say how the windows of the unit are found");
}

/* Windows and PCI functions have a place of their own; only MSRs are the same number on every CPU. */
static void per_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *per = unc_yaml_get(c->root, "per");
	bool driven_per_cpu = strcmp(unit->model, "qm1") == 0, of_node = strcmp(unit->model, "view1") == 0;
	bool of_part = of_node || strcmp(unit->model, "node1") == 0;
	bool right = driven_per_cpu ? unit->per == UNC_PER_CPU
		     : of_part      ? unit->per == UNC_PER_NODE || (unit->per == UNC_PER_L3 && !of_node)
				    : unit->per == UNC_PER_SOCKET;

	if (unit->per != UNC_PER_SOCKET && unit->kind != UNC_MSR)
		unc_found(c, per, "per: only MSRs are %s's own; leave the line out", per->text);
	else if (!right && strcmp(unit->model, "read1") != 0)
		unc_found(c, per ? per : c->root, "per: model %s is driven %s", unit->model,
			  driven_per_cpu ? "on each CPU; say per: cpu"
			  : of_node      ? "once a node; say per: node"
			  : of_part      ? "once a node or an L3; say per: node or per: l3"
					 : "once a socket; leave the line out");
}

/* The counters are another unit's, so none of the registers here could be one of them. */
static void view_meant(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *said = unc_yaml_get(c->root, "counts_in");

	bool is_view = strcmp(unit->model, "view1") == 0;

	if (is_view ? !said : said && strcmp(unit->model, "node1") != 0)
		unc_found(c, said ? said : c->root,
			  "counts_in: model view1 says which unit counts, node1 may, no other");
	else if (is_view && (unit->n_regs || unit->counter_bits || unit->saturates || unit->kind != UNC_MSR))
		unc_found(c, said,
			  "counts_in: the unit %.64s has the registers and counters; say space: msr and leave "
			  "registers, counter_bits and saturates out",
			  unit->counts_in);
	if (unit->saturates && !unit->counter_bits)
		unc_found(c, unc_yaml_get(c->root, "saturates"),
			  "saturates: there are no counters; leave the line out");
}

/* A register that is reached through others: they are there. */
static void reached_through(struct unc_checker *c, const struct unc_reg *reg)
{
	if (reg->through && (strcmp(reg->through, "L3_QOS_ABMC") != 0 || !unc_unit_reg(c->unit, "L3_QOS_ABMC_CFG") ||
			     !unc_unit_reg(c->unit, "L3_QOS_ABMC_DSC")))
		unc_found_at(c, reg->path, reg->line,
			     "through: only L3_QOS_ABMC is known, with _CFG and _DSC beside it");
}

/* What the code of each model asks its map for. */
static const struct need {
	const char *model, *reg;
	bool optional;         /* the register may be missing, but if it is there, it has the fields */
	const char *fields[8]; /* the last ones may be NULL */
} needs[] = {
	{"pmon1", "CTL", false, {"ev_sel"}},
	{"pmon1", "CTR", false, {"event_count"}},
	{"pmon1", "BOX_CTL", false, {"frz"}},
	{"pmon1", "FIXED_CTL", true, {"en"}},
	{"pmon1", "FIXED_CTR", true, {"event_count"}},
	{"freeze1", "GLOBAL_CTL", false, {"frz_all"}},
	{"node1", "CTL", false, {"en", "ev_sel"}},
	{"node1", "CTR", false, {"event_count"}},
	{"qm1", "PQR_ASSOC", false, {"rmid", "clos"}},
	{"qm1", "QM_EVTSEL", false, {"event", "rmid"}},
	{"qm1", "QM_CTR", false, {"data", "unavailable", "error"}},
	{"qm1", "L3_QOS_EXT_CFG", true, {"abmc", "sdciae"}},
	{"qm1", "L3_QOS_ABMC_CFG", true, {"apply", "number"}},
	{"qm1", "ABMC_COUNTER", true, {"error", "en", "number", "is_cos", "source", "type"}},
	{"qm1", "QOS_EVT_CFG", true, {"events"}},
	{"ubox1", "CPUNODEID", false, {"node"}},
	{"ubox1", "GIDNIDMAP", false, {"gid0", "gid1", "gid2", "gid3", "gid4", "gid5", "gid6", "gid7"}},
};

static void check_pair(struct unc_checker *c, const char *ctl_name, const char *ctr_name)
{
	const struct unc_reg *ctl = unc_unit_reg(c->unit, ctl_name), *ctr = unc_unit_reg(c->unit, ctr_name);

	if (!ctl != !ctr)
		unc_found_at(c, (ctl ? ctl : ctr)->path, (ctl ? ctl : ctr)->line, "%s is there alone; %s is missing",
			     ctl ? ctl_name : ctr_name, ctl ? ctr_name : ctl_name);
	else if (ctl && ctl->count != ctr->count)
		unc_found_at(c, ctr->path, ctr->line, "there are %u %s for %u %s; each counter has one control",
			     ctr->count, ctr_name, ctl->count, ctl_name);
}

static void model_registers(struct unc_checker *c, const struct unc_unit *unit)
{
	const struct unc_yaml *registers = unc_yaml_get(c->root, "registers");
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");
	bool pmon1 = strcmp(unit->model, "pmon1") == 0;
	int most = pmon1 ? UNC_PMON1_COUNTERS_MAX : UNC_COUNTERS_MAX;

	for (size_t i = 0; strcmp(unit->model, "read1") == 0 && i < unit->n_regs; i++)
		if (unc_reg_writable(&unit->regs[i]))
			unc_found_at(c, unit->regs[i].path, unit->regs[i].line,
				     "model read1 writes nothing; make the fields of %s ro", unit->regs[i].name);
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct need *need = &needs[i];
		const struct unc_reg *reg = unc_unit_reg(unit, need->reg);

		if (strcmp(need->model, unit->model) != 0)
			continue;
		for (size_t k = 0; k < 8 && need->fields[k]; k++) {
			if (!reg && !need->optional)
				unc_found(c, registers ? registers : c->root,
					  "model %s needs a register %s with a field %s", need->model, need->reg,
					  need->fields[k]);
			else if (reg && !unc_reg_field(reg, need->fields[k]))
				unc_found_at(c, reg->path, reg->line, "model %s needs a field %s in %s", need->model,
					     need->fields[k], need->reg);
		}
	}
	if (!pmon1 && strcmp(unit->model, "node1") != 0)
		return;
	if (pmon1 && ctl && unit->kind != UNC_MMIO && ctl->bits == 32 && !unc_reg_field(ctl, "en"))
		unc_found_at(c, ctl->path, ctl->line,
			     "model pmon1 needs a field en in a CTL of 32 bits, except in mmio");
	check_pair(c, "CTL", "CTR");
	check_pair(c, "FIXED_CTL", "FIXED_CTR");
	if (ctl && ctl->count > (unsigned)most)
		unc_found_at(c, ctl->path, ctl->line, "CTL: more than %d counters cannot be handled", most);
}

static void counter_bits_fit(struct unc_checker *c, const struct unc_unit *unit)
{
	static const char *const names[] = {"CTR", "FIXED_CTR"};
	const struct unc_yaml *said = unc_yaml_get(c->root, "counter_bits");

	if (unc_unit_reg(unit, "CTR") && unit->counter_bits == 0)
		unc_found(c, said ? said : c->root, "counter_bits: say how wide the counters are, such as 48");
	for (size_t i = 0; unit->counter_bits && i < sizeof(names) / sizeof(names[0]); i++) {
		const struct unc_reg *ctr = unc_unit_reg(unit, names[i]);
		const struct unc_field *count = ctr ? unc_reg_field(ctr, "event_count") : NULL;

		if (count && (count->lo != 0 || count->hi + 1 != unit->counter_bits))
			unc_found_at(c, count->path, count->line,
				     "%s.event_count has the bits %u:%u, but counter_bits is %u", names[i], count->hi,
				     count->lo, unit->counter_bits);
	}
}

/* Command, status, BARs, bridge windows: a wrong bit there takes the machine down. */
static void header_writable(struct unc_checker *c, const struct unc_reg *reg)
{
	if (c->unit->kind == UNC_PCI && reg->off < 0x40 && unc_reg_writable(reg))
		unc_found_here(c,
			       "%s is in the header of the PCI function, offsets 0x00 to 0x3f, and may not be writable",
			       reg->name);
}

/* Any MSR takes any value from root; a file from another user must not choose it. */
static void msr_writable(struct unc_checker *c, const struct unc_reg *reg)
{
	static const struct {
		uint32_t first, last;
	} allowed[] = {
		{0x700, 0x701},   /* global freeze: HSX, BDX, SKX, ICX; its status, in which writing 1 clears a bit */
		{0xc00, 0xc01},   /* IVT */
		{0x2ff0, 0x2ff0}, /* SPR, EMR */
		{0xc8d, 0xc8d},   /* QM_EVTSEL */
		{0xc8f, 0xc8f},   /* PQR_ASSOC */
		{0xc00003fd, 0xc00003fd}, /* AMD: L3_QOS_ABMC_CFG, */
		{0xc00003ff, 0xc0000401}, /* L3_QOS_EXT_CFG, what bandwidth events count, */
		{0xc0010230, 0xc001023b}, /* counters of an L3, */
		{0xc0010240, 0xc001025f}, /* of a data fabric, */
		{0xc0010800, 0xc00108ff}, /* of memory controllers */
	};

	if (c->unit->kind != UNC_MSR || !c->unit->loaded || !unc_reg_writable(reg) || reg->through)
		return;
	for (unsigned k = 0; k < reg->count; k++) {
		bool is_allowed = false;

		for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
			is_allowed |= allowed[i].first <= unc_reg_off(reg, k) && unc_reg_off(reg, k) <= allowed[i].last;
		if (is_allowed)
			continue;
		unc_found_here(c, "%s: MSR 0x%x is not among those that a map from a folder may write; make it ro",
			       reg->name, unc_reg_off(reg, k));
		return;
	}
}

const struct unc_check unc_unit_checks[] = {
	/* Every src begins each of its parts with a tag from sources, and said has such tags. */
	{"source_known", .unit = sources_of_remarks, .reg = sources_of_reg, .field = sources_of_field,
	 .event = sources_of_event},
	/* Every register says which document describes it. */
	{"register_has_source", .reg = register_has_source},
	/* Offsets are multiples of 4 where hardware counts bytes. */
	{"register_aligned", .reg = register_aligned},
	/* Every register lies inside its space. */
	{"register_in_space", .reg = register_in_space},
	/* No two registers share a byte. */
	{"registers_overlap", .reg = registers_overlap},
	/* The bits of a field are [high, low] and inside its register. */
	{"field_bits", .field = field_bits},
	/* No two fields share a bit. */
	{"fields_overlap", .field = fields_overlap},
	/* Every bit of a register is in a field, if only a reserved one. */
	{"fields_cover", .reg = fields_cover},
	/* A reset value fits its field. */
	{"reset_fits", .field = reset_fits},
	/* What is to be written to reserved bits fits, and only those have it. */
	{"write_fits", .field = write_fits},
	/* A register with write-only bits says write: whole. */
	{"write_whole_said", .reg = write_whole_said},
	/* The registers and fields are there that the model drives. */
	{"model_registers", .unit = model_registers, .reg = reached_through},
	/* Counters are as wide as counter_bits says. */
	{"counter_bits_fit", .unit = counter_bits_fit},
	/* A view1 says which unit counts for it, and has no counters of its own; a node1 may say it, and no other. */
	{"view_meant", .unit = view_meant},

	/* A PCI unit has instances like {pci: "8086:3cb0", at: "10.0"}, others like {imc: 0, channel: 1}, or none. */
	{"instance_valid", .unit = instance_valid},
	/* Units in mmio say how their windows are found; found: cpuid is of a node1. */
	{"found_meant", .unit = found_meant},
	/* Only a ubox1 says on which bus it is. */
	{"bus_meant", .unit = bus_meant},
	/* MSRs that a qm1 drives are of each CPU, those of a node1 of a node or an L3, all others that are driven of a socket. */
	{"per_meant", .unit = per_meant},
	/* No two instances are in one place or have one number. */
	{"instances_unique", .unit = instances_unique},

	/* The first 64 bytes of a PCI function are not written. */
	{"header_writable", .reg = header_writable},
	/* A map that is not built in writes no MSR but those meant for it. */
	{"msr_writable", .reg = msr_writable},
	{0},
};
