// SPDX-License-Identifier: GPL-2.0-or-later
/* Other users of the counters and caches. */

#include "doctor/doctor.h"
#include "machine/users.h"
#include "rdt/leaves.h"

/* none and looked: the finding and the evidence if there is no such user. */
static const struct {
	enum unc_finding_kind kind;
	const char *check, *none, *looked;
	bool caches;   /* makes `llc` refuse, certain or not */
	bool counting; /* enabled counters may belong to it */
} kinds[] = {
	{UNC_FOUND_DRIVER, "driver", "no driver of the kernel's is bound to these functions",
	 "/sys/bus/pci/devices/*/driver, /sys/bus/event_source/devices/uncore_imc*: not there", false, false},
	{UNC_FOUND_PERF, "perf", "no process has a perf event open",
	 "/proc/*/fd: none leads to anon_inode:[perf_event]", false, true},
	{UNC_FOUND_LIKWID, "LIKWID", "no mark of LIKWID", "/var/run/likwid.lock: not there", false, true},
	{UNC_FOUND_PCM, "PCM", "no mark of Intel PCM", "/dev/shm/sem.Num PCM insts, /tmp/opcm-daemon-shm-id: not there",
	 true, true},
	{UNC_FOUND_RESCTRL, "resctrl", "resctrl is not mounted", "/proc/mounts, /proc/1/mounts: no resctrl", true,
	 false},
	{UNC_FOUND_PQOS, "pqos", "no mark of pqos or rdtset", "/var/lock/libpqos, /run/lock/libpqos: not there", true,
	 false},
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Only root sees which files the processes of other users have open. */
static bool perf_is_hidden(struct unc_doctor *d)
{
	struct unc_perf_users users;

	if (unc_doctor_rc(d, unc_users_perf_users(d->m, &users)) < 0 || !(users.n_hidden || users.n_skipped))
		return false;
	unc_doctor_say(d, "perf", UNC_DOCTOR_UNKNOWN, "whether a process has a perf event open is not known of all");
	unc_doctor_seen(d, "/proc/*/fd: processes looked at: %u, that do not show theirs: %u, too many to look at: %u",
			users.n_looked, users.n_hidden, users.n_skipped);
	unc_doctor_todo(d, "look as root");
	return true;
}

#define PMUS "/sys/bus/event_source/devices"

/* AMD's driver of the kernel writes nothing before perf counts, so that it is there is no more than worth knowing. */
static void say_amd_driver(struct unc_doctor *d)
{
	const char *const *names = NULL;
	char seen[600] = "";
	size_t n = 0, n_umcs = 0;

	unc_doctor_rc(d, unc_host_names(d->m->host, PMUS, &names, &n));
	for (size_t i = 0; i < n; i++) {
		bool umc = strncmp(names[i], "amd_umc_", 8) == 0;
		char path[160], *cpus = NULL;

		if (!umc && strcmp(names[i], "amd_df") != 0 && strcmp(names[i], "amd_l3") != 0)
			continue;
		n_umcs += umc;
		snprintf(path, sizeof(path), PMUS "/%.40s/cpumask", names[i]);
		if (!umc && unc_doctor_rc(d, unc_host_file(d->m->host, path, 4096, &cpus, NULL)) == 0)
			unc_text_join(seen, sizeof(seen), ", ", "%s: %.*s", path, (int)strcspn(cpus, "\n"), cpus);
		else if (!umc)
			unc_text_join(seen, sizeof(seen), ", ", PMUS "/%.40s: there", names[i]);
		free(cpus);
	}
	free((void *)names);
	if (n_umcs)
		unc_text_join(seen, sizeof(seen), ", ", PMUS "/amd_umc_*: %zu", n_umcs);
	unc_doctor_add(d, "driver", UNC_DOCTOR_OK,
		       seen[0] ? "perf can count here through the kernel's amd_uncore, which writes nothing before that"
			       : "the kernel has no driver of these counters (amd_uncore)",
		       NULL, "%s", seen[0] ? seen : PMUS ": no amd_df, amd_l3, amd_umc_*");
}

void unc_doctor_others(struct unc_doctor *d)
{
	const char *driver = kinds[0].looked;
	struct unc_finding *findings;
	size_t n;

	if (d->no_proc) {
		unc_doctor_add(d, "others", UNC_DOCTOR_UNKNOWN, "other users of this machine cannot be seen",
			       "give root: the machine's /proc too", "/proc: not there");
		return;
	}
	d->rc = unc_users_find(d->m, UNC_USERS_OF_MACHINE, NULL, &findings, &n);
	if (d->rc < 0)
		return;
	/* A kernel that does not know the part names its PMUs by the types of discovery tables. */
	if (d->m->tables)
		driver = "/sys/bus/pci/devices/*/driver, /sys/bus/event_source/devices/uncore_imc*, uncore_hbm*, "
			 "uncore_type_6_*, "
			 "uncore_type_14_*: not there";
	for (size_t k = 0; k < N_KINDS; k++) {
		bool refused = kinds[k].caches && d->caches, any = false;

		for (size_t i = 0; i < n; i++) {
			const struct unc_finding *found = &findings[i];

			if (found->kind != kinds[k].kind)
				continue;
			any = true;
			unc_doctor_say(d, kinds[k].check, refused ? (int)UNC_EBUSY : UNC_DOCTOR_NOTE, "%s",
				       found->sentence);
			unc_doctor_seen(d, "%s", found->evidence);
			unc_doctor_todo(d, "%s%s", found->way_out,
					refused ? ", or go on beside it with `llc --shared`" : "");
			d->counting |= kinds[k].counting;
		}
		if (!any && kinds[k].kind == UNC_FOUND_DRIVER && unc_doctor_is_amd(d))
			say_amd_driver(d);
		else if (!any && !(kinds[k].kind == UNC_FOUND_PERF && perf_is_hidden(d)))
			unc_doctor_add(d, kinds[k].check, UNC_DOCTOR_OK, kinds[k].none, NULL, "%s",
				       kinds[k].kind == UNC_FOUND_DRIVER ? driver : kinds[k].looked);
	}
	free(findings);
}

/* Checks for each channel whether its lock is free. */
void unc_doctor_instances(struct unc_doctor *d)
{
	struct unc_doctor_box *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->n_boxes; i++) {
		struct unc_doctor_box *seen = &d->boxes[i];

		seen->claimed = unc_space_claim(seen->pbox.box->space, 0, 0, UNC_CLAIM_ASK) == UNC_EBUSY;
		n += seen->claimed;
		if (seen->claimed && !first)
			first = seen;
	}
	if (first) {
		struct unc_box *box = first->pbox.box;
		char by[400];

		/* Its owner is in this computer's journals only, and so not in a record. */
		if (d->m->host->name || !unc_journal_disk_owner(d->m, &box->addr, by, sizeof(by)))
			snprintf(by, sizeof(by), "which program it is cannot be told here");
		unc_doctor_say(d, "uncorectl", UNC_EBUSY, "%s%s: another uncorectl writes there: %s", box->name,
			       n > 1 ? " and others" : "", by);
		unc_doctor_seen(d, "%s: %s locked (%zu of %zu channels)", box->pci,
				first->pbox.in_memory ? "its registers in memory are" : "its config file is", n,
				d->n_boxes);
		unc_doctor_todo(d, "wait until it has ended, or measure other channels");
	} else if (d->n_boxes) {
		unc_doctor_add(d, "uncorectl", UNC_DOCTOR_OK, "no other uncorectl measures here", NULL,
			       "%s of each of %zu channels can be locked",
			       d->boxes[0].pbox.in_memory ? "in memory the registers" : "the config file", d->n_boxes);
	}
}

/* CPUs that carry an RMID: another program monitors caches by CPU, or did so and was killed. */

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
	const char *who = NULL; /* another uncorectl that has claimed such registers, as its journal describes it */

	for (size_t i = 0; i < d->journals.n; i++) {
		const struct unc_journal_file *file = &d->journals.files[i];

		for (size_t c = 0; file->kind == UNC_RECOVER_ALIVE && c < file->text.n_claims && !who; c++)
			if (file->text.claims[c].addr.kind == UNC_MSR)
				who = file->who;
	}

	if (who)
		unc_doctor_say(d, "RMIDs", UNC_EBUSY, "another uncorectl monitors caches: %s", who);
	else
		unc_doctor_say(d, "RMIDs", UNC_EBUSY,
			       "%zu CPU%s an RMID: another program monitors caches, or left it there", n,
			       n == 1 ? " carries" : "s carry");
	unc_doctor_seen(d, "IA32_PQR_ASSOC (MSR 0xc8f) of CPUs %.*s", CPUS_TEXT, text);
	if (who)
		unc_doctor_todo(d, "wait until it has ended, or go on beside it with `llc --shared`");
	else if (all_are_left(d, cpus, n))
		unc_doctor_todo(d, "they are in the journal of a program that was killed: `%s recover`", d->command);
	else
		unc_doctor_todo(d,
				"stop that, or go on beside it with `llc --shared`; if no program needs them: `%s reg "
				"set 'cpu*.rdt.PQR_ASSOC.rmid=0' --write --keep`",
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
	rc = unc_doctor_rc(d, find_carriers(d, &cpus, &n));
	if (rc < 0) {
		unc_doctor_add(d, "RMIDs", d->no_msrs ? (int)UNC_DOCTOR_UNKNOWN : rc,
			       "which CPUs carry an RMID cannot be read",
			       d->m->host->ops->firmware ? "see that sentence" : "see the msr driver above", "%s",
			       unc_errmsg(d->ctx));
		return;
	}
	if (!n) {
		unc_doctor_add(d, "RMIDs", UNC_DOCTOR_OK, "no CPU carries an RMID: no program monitors caches by CPU",
			       NULL, "IA32_PQR_ASSOC (MSR 0xc8f) of every CPU: its RMID is 0");
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

/* The journals on disk: whether one may be written, and what other processes have left in theirs. */

static void say_folder(struct unc_doctor *d, int rc, const char *path)
{
	bool there = rc == 0;
	char seen[600];

	snprintf(seen, sizeof(seen), "%.500s%s", there ? path : unc_errmsg(d->ctx),
		 there && !d->m->host->ops->firmware ? ": a folder of our own or of root, with mode 0700" : "");
	if (there || rc == UNC_ENODEV)
		rc = unc_doctor_rc(d, unc_os_folder_could(d->ctx, d->state_dir));
	if (rc == 0)
		unc_doctor_add(d, "state folder", UNC_DOCTOR_OK,
			       there ? "no other user may write there"
				     : "there is none yet: it is made before the first write",
			       NULL, "%s", seen);
	else
		unc_doctor_add(d, "state folder", rc == UNC_ENODEV ? UNC_EIO : rc,
			       "no journal can be kept there, and without one nothing is written",
			       "see that sentence; `--state DIR` names another one", "%.600s", unc_errmsg(d->ctx));
}

static void say_journal(struct unc_doctor *d, const char *folder, const struct unc_journal_file *file)
{
	size_t n = file->text.n_lines;

	switch (file->kind) {
	case UNC_RECOVER_STALE:
		unc_doctor_say(d, "journals", UNC_DOCTOR_WARN,
			       "%s, ended without putting back %zu register%s: left alone until recover puts back what "
			       "was there",
			       file->who, n, n == 1 ? "" : "s");
		unc_doctor_todo(d, "`%s recover`, at first with --dry-run", d->command);
		break;
	case UNC_RECOVER_DAMAGED:
		unc_doctor_say(d, "journals", UNC_DOCTOR_WARN,
			       "a damaged journal: which registers were left changed is not known: %.400s", file->why);
		unc_doctor_todo(d, "`%s recover` tells what to do", d->command);
		break;
	case UNC_RECOVER_OTHER_BOOT:
		unc_doctor_say(d, "journals", UNC_DOCTOR_NOTE,
			       "%s, wrote it before this machine was started anew: no register holds what it wrote",
			       file->who);
		unc_doctor_todo(d, "nothing: the next command that writes removes it");
		break;
	case UNC_RECOVER_OTHER_MACHINE:
		unc_doctor_say(d, "journals", UNC_DOCTOR_NOTE, "%s, left registers of another machine: %.200s",
			       file->who, file->text.identity.machine);
		unc_doctor_todo(d, "`uncorectl recover` there");
		break;
	case UNC_RECOVER_ALIVE:
		return;
	}
	unc_doctor_seen(d, "%.400s/%s", folder, file->name);
}

/* This folder belongs to the computer that this program runs on, so it is not in a record, and a replay has none. */
void unc_doctor_journals(struct unc_doctor *d)
{
	struct unc_host *host = d->m->host;
	struct unc_host_identity identity;
	struct unc_os_folder *folder;
	const char *path;
	size_t n_gone = 0;
	int rc;

	if (host->name) {
		unc_doctor_add(d, "journals", UNC_DOCTOR_UNKNOWN, "what others have left is in no record",
			       "run it without `record`", "not looked at while a record is made or replayed");
		return;
	}
	rc = host->ops->identity ? unc_doctor_rc(d, host->ops->identity(host, &identity)) : UNC_ENODATA;
	if (rc == UNC_ENODATA)
		unc_doctor_add(d, "journals", UNC_DOCTOR_OK, "its registers end with this process: none is needed",
			       NULL, "--machine: without state=");
	if (rc < 0)
		return;
	rc = unc_doctor_rc(d, unc_os_folder_open(d->ctx, d->state_dir, false, &folder));
	path = rc == 0 ? unc_os_folder_path(folder) : "";
	say_folder(d, rc, path);
	if (rc < 0)
		return;
	rc = unc_doctor_rc(d, unc_journals_read(d->ctx, folder, &identity, false, NULL, &d->journals));
	unc_journals_look(d->m, &d->journals);
	for (size_t i = 0; i < d->journals.n; i++) {
		const struct unc_journal_file *file = &d->journals.files[i];

		/* One that names no register waits for the next writer, which removes it. */
		if (file->kind == UNC_RECOVER_STALE && file->text.n_lines == 0)
			continue;
		n_gone += file->kind != UNC_RECOVER_ALIVE;
		say_journal(d, path, file);
	}
	if (rc < 0)
		unc_doctor_add(d, "journals", UNC_DOCTOR_UNKNOWN, "what others have left cannot be read",
			       "see that sentence", "%.600s", unc_errmsg(d->ctx));
	else if (!n_gone)
		unc_doctor_add(d, "journals", UNC_DOCTOR_OK, "no killed program has left one", NULL,
			       "%.500s: %zu of programs that run", path, d->journals.n);
	unc_os_folder_close(folder);
}
