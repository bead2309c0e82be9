// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boxes with freeze in BOX_CTL and an enable bit in each control (pmon1: Intel 327043-001, section 2.1; registers.md, section 2.5),
 * and those with enable bits alone (node1: AMD's counters in MSRs, amd.md, sections 3 and 4).
 */

#include "pmon/counter.h"
#include "pmon/reading.h"

/* All controls of the box and BOX_CTL are close together: one read gets them.  Places are in bytes, an MSR has eight. */
struct control_block {
	uint32_t first, end;
	uint64_t dwords; /* of a box whose registers are read one by one: which of its first 64 dwords were included */
	unsigned char bytes[256];
};

static uint32_t place(const struct unc_pmon_box *pbox, const struct unc_reg *reg, unsigned index)
{
	return pbox->in_msrs ? (unc_reg_off(reg, index) - pbox->regs.ctl->off) * 8 : unc_reg_off(reg, index);
}

static const struct unc_field *field(const struct unc_reg *reg, const char *name)
{
	return reg ? unc_reg_field(reg, name) : NULL;
}

int unc_pmon1_init(struct unc_box *of, struct unc_pmon_box *ret_pbox)
{
	struct unc_box *box = of->counted_by ? of->counted_by : of;
	const struct unc_unit *unit = box->unit;
	struct unc_pmon_box pbox = {.box = box};
	struct unc_pmon_regs *regs = &pbox.regs;

	regs->ctl = unc_unit_reg(unit, "CTL");
	regs->ctr = unc_unit_reg(unit, "CTR");
	regs->box_ctl = unc_unit_reg(unit, "BOX_CTL");
	regs->fixed_ctl = unc_unit_reg(unit, "FIXED_CTL");
	regs->fixed_ctr = unc_unit_reg(unit, "FIXED_CTR");
	regs->en = field(regs->ctl, "en");
	regs->fixed_en = field(regs->fixed_ctl, "en");
	regs->frz = field(regs->box_ctl, "frz");
	regs->frz_en = field(regs->box_ctl, "frz_en");
	pbox.in_memory = unit->kind == UNC_MMIO;
	pbox.in_msrs = unit->kind == UNC_MSR;
	if (!regs->ctl || !regs->ctr ||
	    (strcmp(unit->model, "pmon1") == 0 ? !regs->frz : strcmp(unit->model, "node1") != 0 || !regs->en))
		return unc_fail(box->machine->ctx, UNC_ENOSUP, "%s: %s does not describe a box driven as pmon1",
				box->name, unit->path);
	if (regs->ctl->count > (regs->box_ctl ? UNC_PMON1_COUNTERS_MAX : UNC_COUNTERS_MAX))
		return unc_fail(box->machine->ctx, UNC_ENOSUP,
				"%s: %s has %u counters in a box; this program drives at most %d and the fixed one",
				box->name, unit->path, regs->ctl->count, UNC_PMON1_COUNTERS_MAX);
	for (; pbox.n_slots < regs->ctl->count; pbox.n_slots++)
		pbox.slots[pbox.n_slots] =
			(struct unc_slot){.ctl = regs->ctl, .ctr = regs->ctr, .en = regs->en, .index = pbox.n_slots};
	if (regs->fixed_en && regs->fixed_ctr)
		pbox.slots[pbox.n_slots++] = (struct unc_slot){
			.ctl = regs->fixed_ctl, .ctr = regs->fixed_ctr, .en = regs->fixed_en, .fixed = true};
	*ret_pbox = pbox;
	return UNC_OK;
}

uint64_t unc_slot_on(const struct unc_slot *slot, uint64_t control)
{
	return slot->en ? control | unc_field_mask(slot->en) : control;
}

uint64_t unc_slot_off(const struct unc_slot *slot, uint64_t control)
{
	return slot->en ? control & ~unc_field_mask(slot->en) : unc_reg_blank(slot->ctl);
}

bool unc_slot_counts(const struct unc_slot *slot, uint64_t control)
{
	return slot->en ? unc_field_get(slot->en, control) : control != unc_reg_blank(slot->ctl);
}

static void include(const struct unc_pmon_box *pbox, struct control_block *block, const struct unc_reg *reg,
		    unsigned index)
{
	uint32_t off = place(pbox, reg, index), end = off + reg->bits / 8;

	block->dwords |= UINT64_C(1) << off / 4 % 64;
	block->first = block->end == 0 || off < block->first ? off : block->first;
	block->end = end > block->end ? end : block->end;
}

static int load(struct unc_pmon_box *pbox, struct control_block *block, const struct unc_reg *reg, unsigned index)
{
	static const unsigned char ones[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	uint32_t off = place(pbox, reg, index);
	unsigned char *bytes;
	int rc;

	if (!(block->dwords >> off / 4 % 64 & 1))
		return UNC_OK;
	bytes = block->bytes + (off - block->first);
	rc = unc_read_block(pbox->box->space, unc_reg_off(reg, index), bytes, reg->bits / 8);
	/* Of every register here some bits read as 0, so all ones is no value but how absent hardware reads. */
	if (rc == 0 && memcmp(bytes, ones, reg->bits / 8) == 0)
		rc = unc_gate_gone(pbox->box);
	return rc;
}

/* Loads the registers that are included one by one; what is between them stays all ones. */
static int load_each(struct unc_pmon_box *pbox, struct control_block *block)
{
	int rc = pbox->regs.box_ctl ? load(pbox, block, pbox->regs.box_ctl, 0) : UNC_OK;

	for (unsigned i = 0; i < pbox->n_slots && rc == 0; i++) {
		rc = load(pbox, block, pbox->slots[i].ctr, pbox->slots[i].index);
		if (rc == 0)
			rc = load(pbox, block, pbox->slots[i].ctl, pbox->slots[i].index);
	}
	return rc;
}

static int read_controls(struct unc_pmon_box *pbox, struct control_block *block)
{
	struct unc_box *box = pbox->box;
	struct unc_ctx *ctx = box->machine->ctx;
	uint32_t len = block->end - block->first, ones = 0;
	int rc = unc_box_reach(box);

	if (rc < 0)
		return unc_fail(ctx, rc, "%s", ctx->msg);
	if (len > sizeof(block->bytes))
		return unc_fail(ctx, UNC_ENOSUP, "%s: controls are too far apart", box->name);
	memset(block->bytes, 0xff, sizeof(block->bytes));
	if (pbox->in_memory || pbox->in_msrs)
		rc = load_each(pbox, block);
	else
		rc = unc_read_block(box->space, block->first, block->bytes, len);
	while (ones < len && block->bytes[ones] == 0xff)
		ones++;
	if (rc == 0 && ones == len)
		rc = unc_gate_gone(box);
	/* That is how the msr driver reports a register that the processor lacks. */
	if (rc == UNC_EIO && pbox->in_msrs)
		rc = unc_fail(ctx, UNC_ENODEV, "CPUID tells of a counter that is not there: %s", ctx->msg);
	return unc_wrap(ctx, rc, "%s", box->name);
}

/* Returns a control, or BOX_CTL, that was included. */
static uint64_t control_in(const struct unc_pmon_box *pbox, const struct control_block *block,
			   const struct unc_reg *reg, unsigned index)
{
	const unsigned char *bytes = block->bytes + (place(pbox, reg, index) - block->first);

	return reg->bits == 64 ? unc_le64(bytes) : unc_le32(bytes);
}

static bool holds(const struct unc_slot *slot, uint64_t now, uint64_t value)
{
	return ((now ^ value) & unc_reg_readback_mask(slot->ctl)) == 0;
}

bool unc_pmon1_is_ours(const struct unc_slot *slot, uint64_t now)
{
	return slot->ours && holds(slot, now, slot->control);
}

static bool enabled_in(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct control_block *block)
{
	return unc_slot_counts(slot, control_in(pbox, block, slot->ctl, slot->index));
}

int unc_pmon1_inspect(struct unc_pmon_box *pbox)
{
	struct control_block block = {0};
	int rc;

	for (unsigned i = 0; i < pbox->n_slots; i++)
		include(pbox, &block, pbox->slots[i].ctl, pbox->slots[i].index);
	if (pbox->regs.box_ctl)
		include(pbox, &block, pbox->regs.box_ctl, 0);
	rc = read_controls(pbox, &block);
	if (rc < 0)
		return rc;
	pbox->foreign = false;
	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		slot->found = control_in(pbox, &block, slot->ctl, slot->index);
		slot->enabled = enabled_in(pbox, slot, &block);
		/* It is surely ours if it holds what we wrote last, or before that, and no other program wrote it. */
		if (!slot->ours || slot->disputed ||
		    !(holds(slot, slot->found, slot->control) || holds(slot, slot->found, slot->control_before)))
			pbox->foreign |= slot->enabled;
	}
	if (pbox->regs.box_ctl) {
		pbox->found = control_in(pbox, &block, pbox->regs.box_ctl, 0);
		pbox->frozen = unc_field_get(pbox->regs.frz, pbox->found);
	}
	return UNC_OK;
}

/* A session that stops the box at times must know which other programs count there. */
static bool stops(const struct unc_pmon_box *pbox)
{
	return pbox->freezes || pbox->n_mux_sets > 1;
}

/*
 * Reads in one block: our controls, all controls if this session stops the box at times, and what block included before.
 * UNC_ENODEV: all ones, which is what a removed function and a failed configuration cycle read as.
 */
static int read_own_controls(struct unc_pmon_box *pbox, struct control_block *block)
{
	for (unsigned i = 0; i < pbox->n_slots; i++)
		if (pbox->slots[i].ours || stops(pbox))
			include(pbox, block, pbox->slots[i].ctl, pbox->slots[i].index);
	return read_controls(pbox, block);
}

/* Decides whether a control that is not what we wrote is a lost write or was changed by another program. */
static void classify_control(struct unc_pmon_box *pbox, struct unc_slot *slot, uint64_t now)
{
	bool holds_last = unc_pmon1_is_ours(slot, now);

	slot->stolen = !holds_last && !holds(slot, now, slot->control_before);
	if (slot->stolen) {
		slot->disputed = slot->seen_other = true;
		slot->lost = slot->has_baseline ? UNC_COUNT_STOLEN : slot->lost;
		slot->has_baseline = false; /* even if the next look finds the control put back */
		return;
	}
	if (!holds_last) {
		unc_gate_missed(pbox->box, slot->ctl, slot->index);
		slot->control = slot->control_before;
	}
	slot->control_before = slot->control;
}

static bool looks_at_clock(const struct unc_pmon_box *pbox)
{
	return pbox->clock.slot && (pbox->starting || !unc_box_clock_is_sampled(pbox));
}

/* A read that was interrupted is not precise about the time at which the clock had that value. */
static bool was_interrupted(struct unc_box_clock *clock, const struct unc_stop *when)
{
	enum { AT_MOST_NS = UNC_RATE_NS / 1000 }; /* limit until the duration of a read is known */
	uint64_t took_ns = when->after_ns - when->before_ns, known_ns = clock->quickest_ns;

	if (known_ns == 0 || took_ns < known_ns)
		clock->quickest_ns = took_ns;
	return took_ns > (known_ns ? 2 * known_ns : AT_MOST_NS);
}

int unc_pmon1_see_ticks(struct unc_pmon_box *pbox, uint64_t value, uint64_t after_ns)
{
	enum { TICKS_NS = 100, WAITS = 8, TRIES = 3 }; /* the slowest DRAM clock, 400 MHz, ticks 40 times in 100 ns */
	struct unc_box_clock *clock = &pbox->clock;
	uint32_t off = unc_reg_off(clock->slot->ctr, clock->slot->index);
	bool by_one = pbox->in_memory || pbox->in_msrs;
	uint64_t now_ns = 0, again = 0;
	unsigned tries = 0;
	uint32_t low = 0;
	int rc;

	for (unsigned i = 0; i < WAITS && now_ns <= after_ns + TICKS_NS; i++)
		now_ns = unc_machine_raw_ns(pbox->box->machine);
	do {
		clock->seen_when.before_ns = unc_machine_raw_ns(pbox->box->machine);
		rc = by_one ? unc_read64(pbox->box->space, off, &again) : unc_read32(pbox->box->space, off, &low);
		clock->seen_when.after_ns = unc_machine_raw_ns(pbox->box->machine);
	} while (rc == 0 && was_interrupted(clock, &clock->seen_when) && ++tries < TRIES);
	low = by_one ? (uint32_t)again : low;
	clock->seen = (value + (uint32_t)(low - (uint32_t)value)) & unc_reg_all(clock->slot->ctr);
	clock->stands = rc == 0 && now_ns > after_ns + TICKS_NS && low == (uint32_t)value;
	return rc;
}

static int see_clock(struct unc_pmon_box *pbox, const struct control_block *block, const struct unc_stop *when,
		     const struct unc_stop *stop)
{
	struct unc_box_clock *clock = &pbox->clock;
	struct unc_reading reading = {
		.value = unc_le64(block->bytes + (place(pbox, clock->slot->ctr, clock->slot->index) - block->first)),
		.before_ns = when->before_ns,
		.after_ns = when->after_ns,
	};
	int rc = UNC_OK;

	/* Another program has changed its event, or disabled it. */
	if (clock->borrowed &&
	    !holds(clock->slot, control_in(pbox, block, clock->slot->ctl, clock->slot->index), clock->slot->found)) {
		clock->slot = NULL;
		return UNC_OK;
	}
	if (!stop && !pbox->in_memory && !pbox->in_msrs &&
	    unc_may_be_torn((uint32_t)reading.value, unc_reach(&unc_box_clock_event, pbox->box->unit->max_clock_hz,
							       when->after_ns - when->before_ns)))
		rc = unc_pmon_read_halves(pbox, clock->slot, &reading);
	clock->seen = reading.value;
	clock->seen_when = stop ? *stop : (struct unc_stop){reading.before_ns, reading.after_ns};
	clock->stands = false;
	return rc < 0 || stop ? rc : unc_pmon1_see_ticks(pbox, reading.value, reading.after_ns);
}

int unc_pmon1_check(struct unc_pmon_box *pbox, const struct unc_stop *stop)
{
	struct unc_machine *m = pbox->box->machine;
	struct control_block block = {0};
	struct unc_stop when;
	int rc;

	if (looks_at_clock(pbox)) { /* its counter is near the controls: one read gets both */
		include(pbox, &block, pbox->clock.slot->ctr, pbox->clock.slot->index);
		include(pbox, &block, pbox->clock.slot->ctl, pbox->clock.slot->index);
	}
	if (pbox->regs.box_ctl)
		include(pbox, &block, pbox->regs.box_ctl, 0);
	when.before_ns = unc_machine_raw_ns(m);
	rc = read_own_controls(pbox, &block);
	when.after_ns = unc_machine_raw_ns(m);
	if (rc == 0 && looks_at_clock(pbox))
		rc = see_clock(pbox, &block, &when, stop);
	if (rc < 0)
		return rc;
	pbox->frozen = !stop && pbox->regs.box_ctl &&
		       unc_field_get(pbox->regs.frz, control_in(pbox, &block, pbox->regs.box_ctl, 0));
	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		if (slot->ours)
			classify_control(pbox, slot, control_in(pbox, &block, slot->ctl, slot->index));
		if (stops(pbox) && (!slot->ours || slot->disputed))
			pbox->foreign |= enabled_in(pbox, slot, &block);
	}
	return UNC_OK;
}

bool unc_pmon1_all_ours(struct unc_pmon_box *pbox, const struct unc_block *block, uint32_t first)
{
	const struct unc_slot *clock = pbox->clock.slot;

	if (looks_at_clock(pbox) && unc_reg_off(clock->ctr, clock->index) < first)
		return false; /* the clock is not in that block */
	for (const struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		uint32_t now = unc_le32(block->bytes + (unc_reg_off(slot->ctl, slot->index) - first));

		if (slot->ours ? !unc_pmon1_is_ours(slot, now) : unc_slot_counts(slot, now))
			return false;
	}
	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		slot->stolen = false;
		slot->control_before = slot->control;
	}
	if (looks_at_clock(pbox)) {
		pbox->clock.seen = unc_le64(block->bytes + (unc_reg_off(clock->ctr, clock->index) - first));
		pbox->clock.seen_when = *block->stop;
		pbox->clock.stands = false;
	}
	pbox->frozen = false; /* this session froze it */
	return true;
}

/* What is written to a box driven as pmon1, and the plan for it. */

/* BOX_CTL is written whole: with freezing armed, and frozen or not. */
static int box_ctl_value(const struct unc_pmon_box *pbox, bool frozen, uint64_t *ret_value)
{
	const struct unc_pmon_regs *regs = &pbox->regs;
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	int rc = UNC_OK;

	*ret_value = unc_reg_blank(regs->box_ctl);
	if (regs->frz_en)
		rc = unc_field_set(ctx, regs->frz_en, 1, ret_value);
	return rc == 0 ? unc_field_set(ctx, regs->frz, frozen, ret_value) : rc;
}

static int write_box_ctl(struct unc_pmon_box *pbox, bool frozen, const void *owner)
{
	uint64_t box_ctl;
	int rc = box_ctl_value(pbox, frozen, &box_ctl);

	return rc == 0 ? unc_gate_write(pbox->box, pbox->regs.box_ctl, 0, box_ctl, owner) : rc;
}

/* ---- the plan ---- */

/*
 * The exact value can be restored only if frz_en reads back, on which sources differ; if it does not, the box is left released.
 */
int unc_pmon1_plan_box_ctl(struct unc_pmon_box *pbox, uint64_t any, const void *owner)
{
	uint64_t values[2];
	struct unc_gate_intent intent = {
		.reg = pbox->regs.box_ctl,
		.values = values,
		.n_values = 2,
		.any = any,
		.was = &pbox->found,
	};
	int rc = box_ctl_value(pbox, false, &values[0]);

	if (rc == 0)
		rc = box_ctl_value(pbox, true, &values[1]);
	if (pbox->regs.frz_en) {
		intent.doubted = unc_field_mask(pbox->regs.frz_en);
		intent.idle = values[0];
	}
	return rc == 0 ? unc_gate_plan(pbox->box, &intent, owner) : rc;
}

/* Returns what the slot's control holds while the slot counts that accumulator's event, or nothing. */
static uint64_t control_of(const struct unc_slot *slot, const struct unc_accumulator *accumulator)
{
	return accumulator ? accumulator->control : unc_reg_blank(slot->ctl);
}

int unc_pmon1_plan(struct unc_pmon_box *pbox, const void *owner)
{
	uint64_t *values = calloc(pbox->n_mux_sets + 1, sizeof(*values));
	int rc = UNC_OK;

	if (!values)
		return unc_fail(pbox->box->machine->ctx, UNC_ENOMEM, "out of memory");
	if (!pbox->foreign && pbox->regs.box_ctl)
		rc = unc_pmon1_plan_box_ctl(pbox, 0, owner);
	for (unsigned i = 0; i < pbox->n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		const struct unc_accumulator *first = slot->ours ? pbox->mux_sets[0].of[i] : NULL;
		struct unc_gate_intent intent = {
			.reg = slot->ctl, .index = slot->index, .values = values, .was = &slot->found};

		if (!slot->ours)
			continue;
		if (first)
			values[intent.n_values++] = unc_slot_off(slot, first->control);
		for (unsigned k = 0; k < pbox->n_mux_sets; k++)
			values[intent.n_values++] = control_of(slot, pbox->mux_sets[k].of[i]);
		rc = unc_gate_plan(pbox->box, &intent, owner);
	}
	free(values);
	return rc;
}

/* ---- BOX_CTL ---- */

int unc_pmon1_freeze(struct unc_pmon_box *pbox, const void *owner)
{
	return write_box_ctl(pbox, true, owner);
}

/*
 * No register shows whether a box stands still, and the loss of a single write must not leave it stopped, since its counters
 * would then seem to count nothing.
 */
int unc_pmon1_release(struct unc_pmon_box *pbox, bool twice, const void *owner)
{
	int rc = write_box_ctl(pbox, false, owner), again;

	if (rc == 0 && !twice)
		return rc;
	again = write_box_ctl(pbox, false, owner);
	return again < 0 ? rc : again;
}

/* ---- controls ---- */

/*
 * Includes the counters if they are close enough: the value of a counter while it stands still shows later whether its first
 * value is torn.
 */
static void include_counters(const struct unc_pmon_box *pbox, struct control_block *block)
{
	struct control_block all = *block;

	for (const struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		if (!slot->accumulator)
			continue;
		include(pbox, &all, slot->ctl, slot->index);
		include(pbox, &all, slot->ctr, slot->index);
	}
	if (all.end - all.first <= sizeof(all.bytes))
		*block = all;
}

static void note_rested(struct unc_pmon_box *pbox, const struct control_block *block, uint64_t before_ns)
{
	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		uint32_t off = unc_reg_off(slot->ctr, slot->index);

		if (!slot->accumulator || off < block->first || off + 8 > block->end)
			continue;
		slot->rested = unc_le64(block->bytes + (off - block->first));
		slot->rested_ns = before_ns;
	}
}

/* Linux hides a failed configuration write: only reading back shows it, and whether BOX_CTL is armed, on parts that show this. */
static int read_back(struct unc_pmon_box *pbox)
{
	bool stopped = !pbox->foreign && pbox->regs.box_ctl;
	struct control_block block = {0};
	uint64_t before_ns = unc_machine_raw_ns(pbox->box->machine);
	int rc;

	if (stopped) {
		include(pbox, &block, pbox->regs.box_ctl, 0);
		include_counters(pbox, &block);
	}
	rc = read_own_controls(pbox, &block);
	if (rc < 0)
		return rc;
	if (stopped) {
		unc_gate_was_read_back(pbox->box, pbox->regs.box_ctl, 0,
				       control_in(pbox, &block, pbox->regs.box_ctl, 0));
		note_rested(pbox, &block, before_ns);
	}
	for (const struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		int digits = (int)slot->ctl->bits / 4;
		bool swallowed;
		uint64_t now;

		if (!slot->accumulator)
			continue;
		now = control_in(pbox, &block, slot->ctl, slot->index);
		swallowed = pbox->in_msrs && now == slot->found;
		if (!unc_pmon1_is_ours(slot, now))
			return unc_fail(pbox->box->machine->ctx, swallowed ? UNC_ENODEV : UNC_EIO,
					"%s (%s): %s[%u] at 0x%x did not take the write: wrote 0x%0*" PRIx64
					", reads back 0x%0*" PRIx64 "; %s",
					pbox->box->name, pbox->box->pci, slot->ctl->name, slot->index,
					unc_reg_off(slot->ctl, slot->index), digits, slot->control, digits, now,
					pbox->in_msrs
						? "there are no such counters here, as in a virtual machine, or "
						  "another program uses them"
						: "is the box locked by the firmware, or used by another program?");
	}
	return UNC_OK;
}

/*
 * Writes each event first, then the same with enable: so nothing is counted under a half-built control, and parts on which one
 * write does not stick (HSX, BDX) get two.  The fixed counter's control has nothing to select, and no source writes it twice, nor
 * those without an enable bit: there the first write is left out if it would change nothing.
 */
static int write_controls(struct unc_pmon_box *pbox, const void *owner)
{
	int rc = UNC_OK;

	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots && rc == 0; slot++) {
		uint64_t control, disabled;

		if (!slot->accumulator)
			continue;
		control = slot->accumulator->control;
		disabled = unc_slot_off(slot, control);
		if (disabled != slot->found || (!slot->fixed && slot->en))
			rc = unc_gate_write(pbox->box, slot->ctl, slot->index, disabled, owner);
		if (rc < 0)
			break;
		slot->control = slot->control_before = control;
		rc = unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);
	}
	if (rc == UNC_EIO && pbox->in_msrs)
		return unc_fail(pbox->box->machine->ctx, UNC_ENODEV,
				"%s; the firmware or a hypervisor lets no program count here",
				pbox->box->machine->ctx->msg);
	return rc < 0 ? rc : read_back(pbox);
}

/*
 * Programs a box while it is frozen.  It is released after any failure: a control with an unexpected value may belong to another
 * program by now, and then closing does not write BOX_CTL.
 */
int unc_pmon1_program(struct unc_pmon_box *pbox, const void *owner)
{
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	struct unc_saved_msg why;
	int rc, released;

	if (pbox->foreign || !pbox->regs.box_ctl)
		return write_controls(pbox, owner);
	rc = write_box_ctl(pbox, false, owner);
	if (rc < 0)
		return rc;
	rc = unc_pmon1_freeze(pbox, owner);
	if (rc == 0)
		rc = write_controls(pbox, owner);
	unc_msg_save(ctx, &why);
	released = unc_pmon1_release(pbox, true, owner);
	if (rc == 0)
		return released;
	unc_msg_restore(ctx, &why);
	return rc;
}

/*
 * Writes the same value twice, for the parts on which one write does not stick.  Until it is read back the control may hold the
 * new value or the old one; but a write that the operating system refuses has not reached the register.
 */
int unc_pmon1_write_twice(struct unc_pmon_box *pbox, struct unc_slot *slot, uint64_t control, const void *owner)
{
	int rc = unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);

	if (rc == UNC_EPERM)
		return rc;
	slot->control_before = slot->control;
	slot->control = control;
	return rc < 0 ? rc : unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);
}

int unc_pmon1_switch(struct unc_pmon_box *pbox, const struct unc_mux_set *mux_set, const void *owner)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];
		struct unc_accumulator *next = mux_set->of[i];
		uint64_t control = control_of(slot, next);

		if (!slot->ours || (next == slot->accumulator && control == slot->control))
			continue;
		slot->accumulator = next;
		slot->has_baseline = false;
		slot->lost = 0;
		if (rc == 0 && !slot->disputed && control != slot->control)
			rc = unc_pmon1_write_twice(pbox, slot, control, owner);
		if (rc < 0)
			slot->lost = UNC_COUNT_MISSING;
	}
	return rc;
}
