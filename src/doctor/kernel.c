// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel permits: Linux kernel_lockdown(7), arch/x86/kernel/msr.c, drivers/pci/pci-sysfs.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "doctor/doctor.h"

#define MOUNTS       "/proc/mounts"
#define LOCKDOWN     "/sys/kernel/security/lockdown"
#define ALLOW_WRITES "/sys/module/msr/parameters/allow_writes"
#define WATCHDOG     "/proc/sys/kernel/nmi_watchdog"
/* UEFI specification, section 3.3: the variable SecureBoot is one byte; efivarfs puts four bytes of attributes before it. */
#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

/* Returns the options of the file system at /sys from a list of mounts, and modifies the text.  NULL: it is not in the list. */
static const char *sysfs_options(char *text)
{
	const char *found = NULL;
	char *rest = text, *line;

	while ((line = unc_text_cut(&rest, '\n')) != NULL) {
		char *fields = line, *dir, *options;

		unc_text_cut(&fields, ' ');
		dir = unc_text_cut(&fields, ' ');
		unc_text_cut(&fields, ' ');
		options = unc_text_cut(&fields, ' ');
		if (options && strcmp(dir, "/sys") == 0)
			found = options; /* what was mounted last is on top */
	}
	return found;
}

void unc_doctor_sysfs(struct unc_doctor *d)
{
	const char *options;
	char *text;
	int rc;

	if (d->kind == UNC_DOCTOR_SIM || d->no_proc)
		return;
	text = unc_doctor_text(d, MOUNTS, NULL, &rc);
	options = text ? sysfs_options(text) : NULL;
	if (!options) {
		unc_doctor_say(d, "sysfs", d->kind == UNC_DOCTOR_ROOT ? UNC_DOCTOR_OK : UNC_DOCTOR_UNKNOWN,
			       "how /sys is mounted is not told");
		unc_doctor_seen(d, MOUNTS ": %s", text ? "no line of /sys" : "cannot be read");
	} else if (unc_text_listed(options, "ro", 2) || strncmp(options, "ro,", 3) == 0) {
		unc_doctor_fail(d, "sysfs", UNC_EPERM,
				"/sys is mounted read-only, as in a container: configuration space cannot be written");
		unc_doctor_seen(d, MOUNTS ": /sys %.100s", options);
		unc_doctor_todo(d, "`mount -o remount,rw /sys`, or run it outside of the container");
	} else {
		unc_doctor_say(d, "sysfs", UNC_DOCTOR_OK, "/sys can be written to");
		unc_doctor_seen(d, MOUNTS ": /sys %.100s", options);
	}
	free(text);
}

/* Reads the Secure Boot variable and describes it in words; *ret_on is false if it is not known. */
static void look_at_secure_boot(struct unc_doctor *d, bool *ret_on, char seen[160])
{
	char *text;
	size_t len = 0;
	int rc = UNC_ENODEV;

	*ret_on = false;
	text = d->no_sys ? NULL : unc_doctor_text(d, SECURE_BOOT, &len, &rc);
	if (text && len)
		*ret_on = text[len - 1] == 1;
	snprintf(seen, 160, SECURE_BOOT ": %s",
		 text && len        ? *ret_on ? "1" : "0"
		 : rc == UNC_ENODEV ? "not there"
				    : "cannot be read");
	free(text);
}

void unc_doctor_lockdown(struct unc_doctor *d)
{
	struct unc_doctor_file file;
	bool secure_boot, locked;
	char seen[160];

	unc_doctor_look(d, LOCKDOWN, &file);
	look_at_secure_boot(d, &secure_boot, seen);
	locked = file.there && (strstr(file.value, "[integrity]") || strstr(file.value, "[confidentiality]"));
	if (locked) {
		unc_doctor_fail(d, "lockdown", UNC_EPERM,
				"the kernel is locked down: it refuses every write to registers");
		unc_doctor_seen(d, "%s", file.seen);
		unc_doctor_todo(d, secure_boot
					   ? "turn Secure Boot off in the firmware: it is what locks the kernel down"
					   : "boot without lockdown=");
	} else if (file.untold || (!file.there && secure_boot)) {
		unc_doctor_say(d, "lockdown", UNC_DOCTOR_UNKNOWN, "whether the kernel is locked down is not told");
		unc_doctor_seen(d, "%s", file.seen);
		unc_doctor_todo(d, "`mount -t securityfs none /sys/kernel/security` shows it");
	} else {
		unc_doctor_say(d, "lockdown", UNC_DOCTOR_OK, "%s",
			       file.there ? "the kernel is not locked down"
					  : "the kernel is not locked down, as far as the machine tells");
		unc_doctor_seen(d, "%s", file.seen);
	}
	if (secure_boot) {
		unc_doctor_say(d, "secure boot", UNC_DOCTOR_NOTE,
			       "Secure Boot is on: kernels of most distributions are locked down then, see lockdown");
		unc_doctor_todo(d, "nothing, while the kernel is not locked down");
	} else {
		unc_doctor_say(d, "secure boot", UNC_DOCTOR_OK, "Secure Boot is not on, as far as the machine tells");
	}
	unc_doctor_seen(d, "%s", seen);
}

/* Opening the device touches no register, and no write is tried. */
void unc_doctor_msr_driver(struct unc_doctor *d)
{
	unsigned cpu = unc_machine_first_cpu(d->m);
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};
	struct unc_space *space;
	struct unc_bus *bus;
	int rc = unc_machine_bus(d->m, UNC_MSR, &bus);

	if (rc == 0)
		rc = unc_space_open(bus, &addr, &space);
	if (rc == 0) {
		unc_space_close(space);
		unc_doctor_say(d, "msr driver", UNC_DOCTOR_OK, "model-specific registers can be reached");
		unc_doctor_seen(d, "/dev/cpu/%u/msr: opened for reading", cpu);
		return;
	}
	d->no_msrs = true;
	unc_doctor_fail_caches(d, "msr driver", rc, "model-specific registers cannot be reached: %s",
			       d->caches  ? "without them no cache can be monitored"
			       : d->known ? "mem and stat need none of them, and llc is not for this part"
					  : "llc alone needs them");
	unc_doctor_seen(d, "%s", unc_errmsg(d->ctx));
	unc_doctor_todo(d, rc == UNC_EPERM ? "see that sentence, and the rights above" : "`modprobe msr`");
}

void unc_doctor_msr_writes(struct unc_doctor *d)
{
	struct unc_doctor_file file;

	unc_doctor_look(d, ALLOW_WRITES, &file);
	if (file.there && strncmp(file.value, "off", 3) == 0) {
		unc_doctor_fail_caches(d, "msr writes", UNC_EPERM,
				       "the msr driver refuses every write: no cache can be monitored");
		unc_doctor_todo(d, "`echo on > " ALLOW_WRITES "`, or boot with msr.allow_writes=on");
	} else if (file.there && strncmp(file.value, "on", 2) != 0) {
		unc_doctor_say(d, "msr writes", UNC_DOCTOR_NOTE,
			       "writing MSRs, as llc does, leaves a line in the kernel's log and taints the kernel");
		unc_doctor_todo(d, "booting with msr.allow_writes=on spares the line");
	} else if (file.untold) {
		unc_doctor_say(d, "msr writes", UNC_DOCTOR_UNKNOWN, "whether MSRs may be written is not told");
		unc_doctor_todo(d, "make /sys/module reachable");
	} else {
		unc_doctor_say(d, "msr writes", UNC_DOCTOR_OK,
			       file.there ? "the msr driver lets writes through"
					  : "this kernel has no filter of MSR writes, or no msr driver");
	}
	unc_doctor_seen(d, "%s", file.seen);
}

void unc_doctor_watchdog(struct unc_doctor *d)
{
	struct unc_doctor_file file;

	unc_doctor_look(d, WATCHDOG, &file);
	unc_doctor_say(
		d, "nmi watchdog", file.untold ? UNC_DOCTOR_UNKNOWN : UNC_DOCTOR_OK,
		file.there && file.value[0] == '1'
			? "it takes a counter of every core, and none of the uncore: it is left alone"
			: "it is off, or not known; it has no counter of the uncore and is left alone in any case");
	unc_doctor_seen(d, "%s", file.seen);
	if (file.untold)
		unc_doctor_todo(d, "nothing");
}
