// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs that carry an RMID: another program monitors caches by CPU, or did so and was killed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "doctor/doctor.h"
#include "rdt/leaves.h"
#include "rdt/rdt.h"

#define PQR_ASSOC "PQR_ASSOC"

enum { CPUS_TEXT = 200 };

/* Finds the CPUs that carry an RMID; free() the array. */
static int find_carriers(struct unc_doctor *d, unsigned **ret_cpus, size_t *ret_n)
{
	const struct unc_host_cpu *cpus;
	unsigned *carry;
	size_t n_cpus, n = 0;
	int rc = unc_machine_cpus(d->m, &cpus, &n_cpus);

	if (rc < 0)
		return rc;
	carry = calloc(n_cpus + 1, sizeof(*carry));
	if (!carry)
		return unc_fail(d->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n_cpus && rc == 0; i++) {
		uint64_t rmid = 0;

		if (!cpus[i].online)
			continue;
		rc = unc_rdt_field(d->m, cpus[i].cpu, PQR_ASSOC, 0, "rmid", &rmid);
		if (rc == 0 && rmid)
			carry[n++] = cpus[i].cpu;
	}
	if (rc < 0) {
		free(carry);
		return rc;
	}
	*ret_cpus = carry;
	*ret_n = n;
	return UNC_OK;
}

/* Returns another uncorectl that has claimed such registers, as its journal describes it; NULL: there is none. */
static const char *who_claims(const struct unc_doctor *d)
{
	for (size_t i = 0; i < d->journals.n; i++) {
		const struct unc_journal_file *file = &d->journals.files[i];

		for (size_t c = 0; file->kind == UNC_RECOVER_ALIVE && c < file->text.n_claims; c++)
			if (file->text.claims[c].addr.kind == UNC_MSR)
				return file->who;
	}
	return NULL;
}

static bool all_are_left(const struct unc_doctor *d, const unsigned *cpus, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct unc_reg *reg;
		struct unc_box *box;

		if (unc_machine_cpu_box(d->m, "rdt", cpus[i], &box) < 0)
			return false;
		reg = unc_unit_reg(box->unit, PQR_ASSOC);
		if (!reg || !unc_journals_left(&d->journals, &box->addr, reg->off))
			return false;
	}
	return true;
}

static void say_carriers(struct unc_doctor *d, const unsigned *cpus, size_t n, const char *text)
{
	const char *who = who_claims(d);

	if (who)
		unc_doctor_fail(d, "RMIDs", UNC_EBUSY, "another uncorectl monitors caches: %s", who);
	else
		unc_doctor_fail(d, "RMIDs", UNC_EBUSY,
				"%zu CPU%s an RMID: somebody monitors caches, or left that behind", n,
				n == 1 ? " carries" : "s carry");
	unc_doctor_seen(d, "IA32_PQR_ASSOC (MSR 0xc8f) of CPUs %.*s", CPUS_TEXT, text);
	if (who)
		unc_doctor_todo(d, "wait until it has ended, or go on beside it with `llc --shared`");
	else if (all_are_left(d, cpus, n))
		unc_doctor_todo(d, "they are in the journal of one who was killed: `%s recover`", d->command);
	else
		unc_doctor_todo(d,
				"stop that, or go on beside it with `llc --shared`; if nobody needs them: `%s reg set "
				"'cpu*.rdt.PQR_ASSOC.rmid=0' --write --keep`",
				d->command);
}

/* RMIDs of killed programs stay on the CPUs: then llc takes these programs for users of monitoring. */
void unc_doctor_rmids(struct unc_doctor *d)
{
	unsigned *cpus;
	size_t n;
	char *text;
	int rc;

	if (!d->caches)
		return;
	rc = find_carriers(d, &cpus, &n);
	if (rc == UNC_ENOMEM) {
		d->rc = rc;
		return;
	}
	if (rc < 0) {
		if (d->no_msrs)
			unc_doctor_say(d, "RMIDs", UNC_DOCTOR_UNKNOWN, "which CPUs carry an RMID cannot be read");
		else
			unc_doctor_fail(d, "RMIDs", rc, "which CPUs carry an RMID cannot be read");
		unc_doctor_seen(d, "%s", unc_errmsg(d->ctx));
		unc_doctor_todo(d, "see the msr driver above");
		return;
	}
	if (!n) {
		unc_doctor_say(d, "RMIDs", UNC_DOCTOR_OK, "no CPU carries an RMID: nobody monitors caches by CPU");
		unc_doctor_seen(d, "IA32_PQR_ASSOC (MSR 0xc8f) of every CPU: its RMID is 0");
		free(cpus);
		return;
	}
	text = unc_rdt_cpu_list(cpus, n);
	if (text)
		say_carriers(d, cpus, n, text);
	else
		d->rc = unc_fail(d->ctx, UNC_ENOMEM, "out of memory");
	free(text);
	free(cpus);
}
