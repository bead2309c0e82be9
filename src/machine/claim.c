// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/gate.h"

/* A lock that any session of this machine may need; one that none needs any more stays for the next session. */
struct unc_claimed {
	struct unc_space *space; /* the lock is on its file; not owned, lives as long as the machine */
	uint64_t first, n;       /* as unc_space_claim() */
	const void **owners;     /* owned; never dereferenced */
	size_t n_owners;
};

void unc_claims_free(struct unc_machine *m)
{
	for (size_t i = 0; i < m->n_claims; i++)
		free((void *)m->claims[i].owners);
	free(m->claims);
}

/* ---- which lock belongs to a box ---- */

/* Returns the box of the lowest CPU that shares the L3; the CPU's own if that is not known. */
static int of_l3(struct unc_box *box, struct unc_box **ret_box)
{
	const struct unc_machine *m = box->machine;
	unsigned cpu = box->addr.msr.cpu;
	const struct unc_host_cpu *cpus;
	size_t n;
	int rc;

	*ret_box = box;
	rc = unc_machine_cpus(m, &cpus, &n);
	if (rc < 0)
		return rc == UNC_ENODATA ? UNC_OK : rc;
	for (size_t i = 0; i < n; i++)
		if (cpus[i].cpu == cpu && cpus[i].l3 >= 0 && (unsigned)cpus[i].l3 != cpu)
			return unc_machine_cpu_box(m, box->unit->name, (unsigned)cpus[i].l3, ret_box);
	return UNC_OK;
}

static int place_of(struct unc_box *box, struct unc_claimed *ret_claim)
{
	const struct unc_unit *unit = box->unit;
	struct unc_box *where = box;
	int rc = UNC_OK;

	*ret_claim = (struct unc_claimed){0};
	/* From the first to the last of its registers: what each CPU has of them may be one register for all of its L3. */
	for (size_t i = 0; box->addr.kind == UNC_MSR && i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];
		uint64_t off = unc_reg_off(reg, 0), end = (uint64_t)unc_reg_off(reg, reg->count - 1) + 1;

		ret_claim->first = i && ret_claim->first < off ? ret_claim->first : off;
		ret_claim->n = end > ret_claim->n ? end : ret_claim->n;
	}
	ret_claim->n -= ret_claim->first;
	if (unit->per == UNC_PER_CPU && !box->alone)
		rc = of_l3(box, &where);
	if (rc < 0)
		return rc;
	rc = unc_box_reach(where);
	if (rc < 0)
		return unc_fail(box->machine->ctx, rc, "%s: %s", where->name, where->why);
	ret_claim->space = where->space;
	return UNC_OK;
}

/* ---- which process has it ---- */

static int taken(const struct unc_box *box, const struct unc_claimed *claim)
{
	struct unc_machine *m = box->machine;
	struct unc_saved_msg said;
	char at[UNC_ADDR_TEXT], what[120], who[UNC_MSG_MAX / 2];
	bool told;

	unc_msg_save(m->ctx, &said);
	/* The owner is not in a record, and a recorded run must print what its replay prints. */
	told = !m->recording && unc_journal_disk_owner(m, &claim->space->addr, who, sizeof(who));
	unc_msg_restore(m->ctx, &said);
	unc_addr_text(&claim->space->addr, at);
	if (box->addr.kind == UNC_MSR && unc_addr_compare(&box->addr, &claim->space->addr) != 0)
		snprintf(what, sizeof(what), "%s, whose L3 is that of %s,", box->name, at);
	else if (box->addr.kind == UNC_MSR && box->raw)
		snprintf(what, sizeof(what), "%s, MSR %s,", box->name, box->unit->regs->name);
	else if (box->addr.kind == UNC_MSR || box->raw)
		snprintf(what, sizeof(what), "%s", box->name);
	else
		snprintf(what, sizeof(what), "%s (%s)", box->name, at);
	if (!told)
		return unc_wrap(m->ctx, UNC_EBUSY, "%s is in use", what);
	return unc_fail(
		m->ctx, UNC_EBUSY,
		"%s is in use by %s; one program at a time writes there: leave it out, or wait until that one ends",
		what, who);
}

/* ---- the list of claims ---- */

static bool same_file(const struct unc_claimed *a, const struct unc_claimed *b)
{
	return unc_addr_compare(&a->space->addr, &b->space->addr) == 0;
}

/* Gives a box the claim of its place.  Two claims of one file use one opening of it: else we would block ourselves. */
static int find(struct unc_box *box)
{
	struct unc_machine *m = box->machine;
	struct unc_claimed claim;
	int rc = place_of(box, &claim);

	for (size_t i = 0; i < m->n_claims && rc == 0 && !box->claim; i++) {
		const struct unc_claimed *other = &m->claims[i];

		if (!same_file(other, &claim))
			continue;
		claim.space = other->space;
		if (other->first == claim.first && other->n == claim.n)
			box->claim = i + 1;
	}
	if (rc < 0 || box->claim)
		return rc;
	rc = unc_list_add(m->ctx, &m->claims, &m->n_claims, &claim, sizeof(claim));
	box->claim = rc == 0 ? m->n_claims : 0;
	return rc;
}

int unc_claim_box(struct unc_box *box, const void *owner)
{
	struct unc_machine *m = box->machine;
	struct unc_claimed *claim;
	int rc;

	if (!m->writable)
		return unc_fail(m->ctx, UNC_EDENIED, "%s: the machine was opened read-only; open it with cfg.writable",
				box->name);
	rc = box->claim ? UNC_OK : find(box);
	if (rc < 0)
		return rc;
	claim = &m->claims[box->claim - 1];
	if (claim->n_owners == 0) {
		rc = unc_space_claim(claim->space, claim->first, claim->n, UNC_CLAIM_TAKE);
		if (rc == UNC_EBUSY)
			return taken(box, claim);
		if (rc == 0)
			rc = unc_journal_disk_claim(m->disk, box->name, &claim->space->addr);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < claim->n_owners; i++)
		if (claim->owners[i] == owner)
			return UNC_OK;
	return unc_list_add(m->ctx, &claim->owners, &claim->n_owners, &owner, sizeof(owner));
}

void unc_claims_move(struct unc_machine *m, const struct unc_space *from, struct unc_space *to)
{
	for (size_t i = 0; i < m->n_claims; i++)
		if (m->claims[i].space == from)
			m->claims[i].space = to;
}

/* Unlocks a file as a whole, since places that overlap cannot be unlocked one by one. */
void unc_claim_leave(struct unc_machine *m, const void *owner)
{
	for (size_t i = 0; i < m->n_claims; i++) {
		struct unc_claimed *claim = &m->claims[i];
		size_t kept = 0, had = claim->n_owners;
		bool needed = false;

		for (size_t k = 0; k < had; k++)
			if (owner && claim->owners[k] != owner)
				claim->owners[kept++] = claim->owners[k];
		claim->n_owners = kept;
		for (size_t k = 0; k < m->n_claims; k++)
			needed |= m->claims[k].n_owners && same_file(&m->claims[k], claim);
		if (had && !needed)
			unc_space_claim(claim->space, 0, 0, UNC_CLAIM_LEAVE);
	}
}
