// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the machine is, seen from this process: simulated, below a folder, outside of a container. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_private.h"
#include "doctor/doctor.h"

void unc_doctor_simulated(struct unc_doctor *d)
{
	struct unc_host *host = d->m->host;
	const char *name = host->name ? host->name : d->m->name;

	if (host->simulated) {
		unc_doctor_say(d, "machine", UNC_DOCTOR_NOTE, "its registers are simulated: no number is of silicon");
		unc_doctor_todo(d, "`--machine live` is this computer");
	} else if (d->kind == UNC_DOCTOR_LIVE) {
		unc_doctor_say(d, "machine", UNC_DOCTOR_OK, "this computer");
	} else {
		unc_doctor_say(d, "machine", UNC_DOCTOR_OK, "%s",
			       d->kind == UNC_DOCTOR_ROOT ? "a computer whose files are below that folder"
							  : "the computer that was recorded");
	}
	unc_doctor_seen(d, "--machine: %.600s", name);
}

/*
 *
 * Only the functions' config files and one source of CPUID are needed; any other missing part is reported, and the checks go on.
 */
void unc_doctor_root(struct unc_doctor *d)
{
	static const struct {
		const char *folder, *lacks;
	} parts[] = {
		{"/sys", "PCI, topology and the kernel's settings"},
		{"/proc", "who else is there"},
		{"/dev/cpu", "MSRs"},
	};
	char missing[160] = "", seen[160] = "";
	bool there[3];

	if (d->kind != UNC_DOCTOR_ROOT)
		return;
	for (size_t i = 0; i < 3; i++) {
		there[i] = unc_doctor_has_folder(d, parts[i].folder);
		unc_doctor_list(seen, sizeof(seen), "%s: %s", parts[i].folder, there[i] ? "there" : "not there");
		if (!there[i])
			unc_doctor_list(missing, sizeof(missing), "%s (%s)", parts[i].folder, parts[i].lacks);
	}
	d->no_sys = !there[0];
	d->no_proc = !there[1];
	if (missing[0]) {
		unc_doctor_say(d, "root", d->no_proc || d->no_sys ? UNC_DOCTOR_WARN : UNC_DOCTOR_NOTE,
			       "below that folder is no %s: what would stand there is not known", missing);
		unc_doctor_seen(d, "%s", seen);
		unc_doctor_todo(d, "mount them there too, e.g. `docker run -v /:/host`; /dev/cpu wants the msr driver");
		return;
	}
	unc_doctor_say(d, "root", UNC_DOCTOR_OK, "all that is looked for is below that folder");
	unc_doctor_seen(d, "%s", seen);
}

/* Looks for the files that each container runtime leaves in a container. */
static bool find_mark(struct unc_doctor *d, char *seen, size_t size)
{
	static const char *const marks[] = {"own:/.dockerenv", "own:/run/.containerenv", "own:/run/systemd/container"};
	const char *maker;
	char *cgroup;
	int rc;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct unc_doctor_file mark;

		unc_doctor_look(d, marks[i], &mark);
		if (mark.there || mark.untold) {
			snprintf(seen, size, "%s: there", marks[i] + strlen("own:"));
			return true;
		}
	}
	cgroup = unc_doctor_text(d, "own:/proc/1/cgroup", NULL, &rc);
	maker = cgroup ? unc_record_container(cgroup) : NULL;
	snprintf(seen, size, "%s/proc/1/cgroup: %s%s", maker ? "" : "/.dockerenv, /run/.containerenv: not there; ",
		 !cgroup ? "cannot be read"
		 : maker ? "names "
			 : "names no container",
		 maker ? maker : "");
	free(cgroup);
	return maker;
}

void unc_doctor_container(struct unc_doctor *d)
{
	char seen[500];

	if (d->kind == UNC_DOCTOR_SIM)
		return;
	if (!find_mark(d, seen, sizeof(seen))) {
		unc_doctor_say(d, "container", UNC_DOCTOR_OK, "this process seems to be in no container");
	} else if (d->kind == UNC_DOCTOR_ROOT) {
		unc_doctor_say(d, "container", UNC_DOCTOR_OK,
			       "this process is in a container, and looks at the machine from there");
	} else {
		unc_doctor_say(d, "container", UNC_DOCTOR_WARN,
			       "this process is in a container: /sys is often read-only there, /dev/cpu missing, and "
			       "/proc without the processes of others");
	}
	unc_doctor_seen(d, "%s", seen);
	if (d->n_entries && d->entries[d->n_entries - 1].state == UNC_DOCTOR_WARN)
		unc_doctor_todo(d,
				"run it outside, or give the container the machine's files and the capabilities below, "
				"and say `--machine root:DIR`");
}
