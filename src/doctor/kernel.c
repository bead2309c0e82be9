// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the machine is, seen from this process: simulated, below a folder, outside of a container; and what the kernel permits. */

#include "access/record_files.h"
#include "doctor/doctor.h"
#include "machine/tasks.h"

#define OWN "own:" /* prefix of a path on the computer that this program runs on: access/host.h */

enum { FILE_MAX = 4 << 20 };

static bool begins_with(const char *text, const char *part)
{
	return strncmp(text, part, strlen(part)) == 0;
}

/* Reads the whole file; the caller frees it.  NULL: it cannot be read, for the reason *ret_rc, or memory ran out (d->rc). */
static char *read_text(struct unc_doctor *d, const char *path, size_t *ret_len, int *ret_rc)
{
	char *text = NULL;

	*ret_rc = unc_doctor_rc(d, unc_host_file(d->m->host, path, FILE_MAX, &text, ret_len));
	return *ret_rc < 0 ? NULL : text;
}

struct file { /* the first line of a text file */
	bool there;
	bool untold; /* it is not known whether it is there */
	char value[256];
	char seen[400]; /* "/proc/sys/kernel/nmi_watchdog: 1" */
};

static struct file read_first_line(struct unc_doctor *d, const char *path)
{
	struct file file = {0};
	char *text;
	int rc;

	if ((d->no_proc && begins_with(path, "/proc/")) || (d->no_sys && begins_with(path, "/sys/"))) {
		file.untold = true;
		snprintf(file.seen, sizeof(file.seen), "%s: the folder of root: has none",
			 begins_with(path, "/proc/") ? "/proc" : "/sys");
		return file;
	}
	text = read_text(d, path, NULL, &rc);
	file.there = text != NULL;
	file.untold = rc < 0 && rc != UNC_ENODEV;
	if (text)
		snprintf(file.value, sizeof(file.value), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	snprintf(file.seen, sizeof(file.seen), "%s: %s", begins_with(path, OWN) ? path + strlen(OWN) : path,
		 file.there    ? file.value[0] ? file.value : "there"
		 : file.untold ? "cannot be read"
			       : "not there");
	return file;
}

void unc_doctor_simulated(struct unc_doctor *d)
{
	struct unc_host *host = d->m->host;
	const char *name = host->name ? host->name : d->m->name;

	if (host->simulated)
		unc_doctor_add(d, "machine", UNC_DOCTOR_NOTE, "its registers are simulated: no number is of silicon",
			       "`--machine live` is this computer", "--machine: %.600s", name);
	else
		unc_doctor_add(d, "machine", UNC_DOCTOR_OK,
			       d->kind == UNC_DOCTOR_LIVE   ? "this computer"
			       : d->kind == UNC_DOCTOR_ROOT ? "a computer whose files are below that folder"
							    : "the computer that was recorded",
			       NULL, "--machine: %.600s", name);
}

void unc_doctor_firmware(struct unc_doctor *d)
{
	struct unc_host_fact facts[UNC_HOST_FACTS];

	if (!d->m->host->ops->firmware)
		return;
	d->m->host->ops->firmware(d->m->host, facts);
	for (size_t i = 0; i < UNC_HOST_FACTS; i++)
		unc_doctor_add(d, facts[i].check, UNC_DOCTOR_OK, facts[i].finding, NULL, "%s", facts[i].evidence);
}

/*
 * Only the functions' config files and one source of CPUID are needed; any other missing part is reported, and the checks go on.
 */
void unc_doctor_root(struct unc_doctor *d)
{
	static const struct {
		const char *folder, *lacks;
	} parts[] = {
		{"/sys", "PCI, topology and the kernel's settings"},
		{"/proc", "the other programs"},
		{"/dev/cpu", "MSRs"},
	};
	char missing[160] = "", seen[160] = "";
	bool there[3];

	if (d->kind != UNC_DOCTOR_ROOT)
		return;
	for (size_t i = 0; i < 3; i++) {
		const char *const *names = NULL;
		size_t n;

		there[i] = unc_doctor_rc(d, unc_host_names(d->m->host, parts[i].folder, &names, &n)) == 0;
		if (there[i])
			free((void *)names);
		else
			unc_text_join(missing, sizeof(missing), ", ", "%s (%s)", parts[i].folder, parts[i].lacks);
		unc_text_join(seen, sizeof(seen), ", ", "%s: %s", parts[i].folder, there[i] ? "there" : "not there");
	}
	d->no_sys = !there[0];
	d->no_proc = !there[1];
	if (!missing[0]) {
		unc_doctor_add(d, "root", UNC_DOCTOR_OK, "all that is looked for is below that folder", NULL, "%s",
			       seen);
		return;
	}
	unc_doctor_say(d, "root", d->no_proc || d->no_sys ? UNC_DOCTOR_WARN : UNC_DOCTOR_NOTE,
		       "below that folder there is no %s: what would be there is not known", missing);
	unc_doctor_seen(d, "%s", seen);
	unc_doctor_todo(d, "mount them there too, e.g. `docker run -v /:/host`; /dev/cpu wants the msr driver");
}

/* Looks for the files that each container runtime leaves in a container. */
static bool find_mark(struct unc_doctor *d, char *seen, size_t size)
{
	static const char *const marks[] = {OWN "/.dockerenv", OWN "/run/.containerenv", OWN "/run/systemd/container"};
	const char *maker;
	char *cgroup;
	int rc;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct file mark = read_first_line(d, marks[i]);

		if (mark.there || mark.untold) {
			snprintf(seen, size, "%s: there", marks[i] + strlen(OWN));
			return true;
		}
	}
	cgroup = read_text(d, OWN "/proc/1/cgroup", NULL, &rc);
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
	if (!find_mark(d, seen, sizeof(seen)))
		unc_doctor_add(d, "container", UNC_DOCTOR_OK, "this process seems to be in no container", NULL, "%s",
			       seen);
	else if (d->kind == UNC_DOCTOR_ROOT)
		unc_doctor_add(d, "container", UNC_DOCTOR_OK,
			       "this process is in a container, and looks at the machine from there", NULL, "%s", seen);
	else
		unc_doctor_add(d, "container", UNC_DOCTOR_WARN,
			       "this process is in a container: /sys is often read-only there, /dev/cpu missing, and "
			       "/proc without the processes of others",
			       "run it outside, or give the container the machine's files and the capabilities below, "
			       "and say `--machine root:DIR`",
			       "%s", seen);
}

/* The rights of this process: its user, its capabilities (capabilities(7)), and whether they are valid on the machine. */

/*
 * Bits of CapEff: Linux include/uapi/linux/capability.h.  Their uses are in drivers/pci/pci-sysfs.c and arch/x86/kernel/msr.c.
 */
enum { DAC_OVERRIDE = 1, SYS_RAWIO = 17, SYS_ADMIN = 21, PERFMON = 38 };

struct rights {
	uint64_t uid; /* effective */
	uint64_t effective;
	char cap_eff[24]; /* as text from the file */
};

/* Copies the nth word after "Name:" in a text of lines; "" if there is none. */
static void word_of(const char *text, const char *name, unsigned nth, char *word, size_t size)
{
	const char *line = text;
	size_t len = strlen(name);

	word[0] = '\0';
	while (line && (strncmp(line, name, len) != 0 || line[len] != ':')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	for (line = line ? line + len + 1 : NULL; line && nth; nth--) {
		line += strspn(line, " \t");
		if (nth == 1)
			snprintf(word, size, "%.*s", (int)strcspn(line, " \t\n"), line);
		line += strcspn(line, " \t\n");
	}
}

/* False: it is not known. */
static bool read_rights(struct unc_doctor *d, struct rights *rights)
{
	char word[24];
	bool told;
	int rc;
	char *text = read_text(d, OWN "/proc/self/status", NULL, &rc);

	if (!text)
		return false;
	word_of(text, "CapEff", 1, rights->cap_eff, sizeof(rights->cap_eff));
	word_of(text, "Uid", 2, word, sizeof(word)); /* Uid: real, effective, saved, file system */
	told = unc_text_hex(rights->cap_eff, &rights->effective) && unc_text_u64(word, &rights->uid);
	free(text);
	return told;
}

static bool holds(const struct rights *rights, unsigned capability)
{
	return rights->effective >> capability & 1;
}

/* On this computer a missing right prevents everything; files below a folder may belong to any user. */
static void say_lacking(struct unc_doctor *d, const char *check, const char *finding)
{
	bool live = d->kind == UNC_DOCTOR_LIVE;

	unc_doctor_say(d, check, live ? (int)UNC_EPERM : UNC_DOCTOR_WARN, "%s%s", finding,
		       live ? "" : ", unless the files of root: are copies of our own");
}

static void say_user(struct unc_doctor *d, const struct rights *rights)
{
	unsigned uid = (unsigned)rights->uid;
	char finding[200];

	if (uid == 0 || holds(rights, DAC_OVERRIDE)) {
		unc_doctor_say(d, "user", UNC_DOCTOR_OK, "%s: the machine's files can be opened for writing",
			       uid == 0 ? "root" : "a user with CAP_DAC_OVERRIDE");
	} else {
		snprintf(finding, sizeof(finding),
			 "user %u may not open registers for writing, so nothing can be programmed", uid);
		say_lacking(d, "user", finding);
		unc_doctor_todo(
			d, "run it as root, e.g. with sudo, or with CAP_SYS_RAWIO, CAP_SYS_ADMIN and CAP_DAC_OVERRIDE");
	}
	unc_doctor_seen(d, "/proc/self/status: effective user %u, CapEff %s", uid, rights->cap_eff);
}

static void say_capabilities(struct unc_doctor *d, const struct rights *rights)
{
	char finding[300] = "";

	if (!holds(rights, SYS_ADMIN))
		unc_text_join(finding, sizeof(finding), "",
			      "this process lacks CAP_SYS_ADMIN (for configuration space beyond 64 bytes)");
	if (!holds(rights, SYS_RAWIO))
		unc_text_join(finding, sizeof(finding), "", "%s CAP_SYS_RAWIO (for MSRs)",
			      finding[0] ? "," : "this process lacks");
	if (finding[0]) {
		say_lacking(d, "capabilities", finding);
		unc_doctor_todo(d, "run it as root; in a container add them, e.g. `docker run --cap-add SYS_ADMIN "
				   "--cap-add SYS_RAWIO`");
	} else {
		unc_doctor_say(d, "capabilities", UNC_DOCTOR_OK, "CAP_SYS_ADMIN and CAP_SYS_RAWIO are there");
	}
	unc_doctor_seen(d, "/proc/self/status: CapEff %s", rights->cap_eff);
}

/*
 * user_namespaces(7): a line of uid_map is the first number inside, the first outside, and the number of IDs.  The initial
 * namespace maps every number to itself, and only its capabilities are valid for devices.
 */
static void say_namespace(struct unc_doctor *d)
{
	struct file map = read_first_line(d, OWN "/proc/self/uid_map");
	const char *rest = map.value;
	uint64_t inside, outside, n;

	if (!map.there || !unc_proc_next_number(&rest, &inside) || !unc_proc_next_number(&rest, &outside) ||
	    !unc_proc_next_number(&rest, &n))
		return;
	if (inside == 0 && outside == 0 && n == UINT32_MAX) {
		unc_doctor_say(d, "namespace", UNC_DOCTOR_OK, "user and capabilities are those of the machine");
	} else {
		say_lacking(d, "namespace",
			    "this process is in a user namespace: its root and its capabilities count for no device");
		unc_doctor_todo(d, "run it outside, or in a container that is not rootless or remapped");
	}
	unc_doctor_seen(d, "/proc/self/uid_map: %" PRIu64 " %" PRIu64 " %" PRIu64, inside, outside, n);
}

void unc_doctor_rights(struct unc_doctor *d)
{
	struct rights rights = {0};
	struct file file;
	bool able;

	if (d->kind == UNC_DOCTOR_SIM) {
		unc_doctor_add(d, "user", UNC_DOCTOR_OK, "simulated registers need no rights", NULL,
			       "they are memory of this process");
		return;
	}
	if (!read_rights(d, &rights)) {
		unc_doctor_add(d, "user", UNC_DOCTOR_UNKNOWN, "what this process may do cannot be told", "mount /proc",
			       "/proc/self/status: cannot be read");
		return;
	}
	say_user(d, &rights);
	say_capabilities(d, &rights);
	say_namespace(d);
	/* Linux Documentation/userspace-api/landlock.rst, "Kernel support": the list has it if it is built in and enabled. */
	file = read_first_line(d, OWN "/sys/kernel/security/lsm");
	if (file.there && !unc_text_listed(file.value, "landlock", strlen("landlock")))
		unc_doctor_add(d, "landlock", UNC_DOCTOR_NOTE,
			       "this kernel has no Landlock: a filter of system calls alone confines which files a "
			       "command may change",
			       "nothing, or boot with landlock in lsm=", "%s", file.seen);
	else
		unc_doctor_add(d, "landlock", UNC_DOCTOR_OK,
			       file.there ? "commands confine which files they may change"
					  : "whether this kernel has Landlock is not told",
			       NULL, "%s", file.seen);
	if (d->kind != UNC_DOCTOR_LIVE)
		return;
	/* Linux kernel/events/core.c, perf_allow_cpu(): up to 0 every process may; above that it needs one of two capabilities. */
	file = read_first_line(d, "/proc/sys/kernel/perf_event_paranoid");
	able = holds(&rights, PERFMON) || holds(&rights, SYS_ADMIN) || strcmp(file.value, "0") == 0 ||
	       file.value[0] == '-';
	if (!file.there)
		unc_doctor_add(d, "perf rights", UNC_DOCTOR_NOTE,
			       "whether the kernel has perf is not told: xcheck alone needs it",
			       "nothing, except for xcheck: a kernel with CONFIG_PERF_EVENTS", "%s", file.seen);
	else if (able)
		unc_doctor_add(d, "perf rights", UNC_DOCTOR_OK,
			       "the kernel counts for this process, if xcheck asks it to", NULL, "%s", file.seen);
	else
		unc_doctor_add(d, "perf rights", UNC_DOCTOR_NOTE,
			       "the kernel counts for root alone, which xcheck needs",
			       "run xcheck as root, or `sysctl kernel.perf_event_paranoid=0`", "%s", file.seen);
}

/* What the kernel permits: Linux kernel_lockdown(7), arch/x86/kernel/msr.c, drivers/pci/pci-sysfs.c. */

#define MOUNTS       "/proc/mounts"
#define ALLOW_WRITES "/sys/module/msr/parameters/allow_writes"
/* UEFI specification, section 3.3: the variable SecureBoot is one byte; efivarfs puts four bytes of attributes before it. */
#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

void unc_doctor_sysfs(struct unc_doctor *d)
{
	const char *options = NULL;
	char *text, *rest, *line;
	int rc;

	if (d->kind == UNC_DOCTOR_SIM || d->no_proc)
		return;
	text = read_text(d, MOUNTS, NULL, &rc);
	for (rest = text; (line = unc_text_cut(&rest, '\n')) != NULL;) {
		char *dir, *its;

		unc_text_cut(&line, ' ');
		dir = unc_text_cut(&line, ' ');
		unc_text_cut(&line, ' ');
		its = unc_text_cut(&line, ' ');
		if (its && strcmp(dir, "/sys") == 0)
			options = its; /* what was mounted last is on top */
	}
	if (!options)
		unc_doctor_add(d, "sysfs", d->kind == UNC_DOCTOR_ROOT ? UNC_DOCTOR_OK : UNC_DOCTOR_UNKNOWN,
			       "how /sys is mounted is not told", NULL, MOUNTS ": %s",
			       text ? "no line of /sys" : "cannot be read");
	else if (unc_text_listed(options, "ro", 2) || begins_with(options, "ro,"))
		unc_doctor_add(d, "sysfs", UNC_EPERM,
			       "/sys is mounted read-only, as in a container: configuration space cannot be written",
			       "`mount -o remount,rw /sys`, or run it outside of the container", MOUNTS ": /sys %.100s",
			       options);
	else
		unc_doctor_add(d, "sysfs", UNC_DOCTOR_OK, "/sys can be written to", NULL, MOUNTS ": /sys %.100s",
			       options);
	free(text);
}

void unc_doctor_lockdown(struct unc_doctor *d)
{
	struct file file = read_first_line(d, "/sys/kernel/security/lockdown");
	size_t len = 0;
	int rc = UNC_ENODEV;
	char *text = d->no_sys ? NULL : read_text(d, SECURE_BOOT, &len, &rc);
	bool secure_boot = text && len && text[len - 1] == 1;
	char seen[160];

	snprintf(seen, sizeof(seen), SECURE_BOOT ": %s",
		 text && len        ? secure_boot ? "1" : "0"
		 : rc == UNC_ENODEV ? "not there"
				    : "cannot be read");
	free(text);
	if (file.there && (strstr(file.value, "[integrity]") || strstr(file.value, "[confidentiality]")))
		unc_doctor_add(d, "lockdown", UNC_EPERM,
			       "the kernel is locked down: it refuses every write to registers",
			       secure_boot ? "turn Secure Boot off in the firmware: it is what locks the kernel down"
					   : "boot without lockdown=",
			       "%s", file.seen);
	else if (file.untold || (!file.there && secure_boot))
		unc_doctor_add(d, "lockdown", UNC_DOCTOR_UNKNOWN, "whether the kernel is locked down is not told",
			       "`mount -t securityfs none /sys/kernel/security` shows it", "%s", file.seen);
	else
		unc_doctor_add(d, "lockdown", UNC_DOCTOR_OK,
			       file.there ? "the kernel is not locked down"
					  : "the kernel is not locked down, as far as the machine tells",
			       NULL, "%s", file.seen);
	if (secure_boot)
		unc_doctor_add(d, "secure boot", UNC_DOCTOR_NOTE,
			       "Secure Boot is on: kernels of most distributions are locked down then, see lockdown",
			       "nothing, while the kernel is not locked down", "%s", seen);
	else
		unc_doctor_add(d, "secure boot", UNC_DOCTOR_OK, "Secure Boot is not on, as far as the machine tells",
			       NULL, "%s", seen);
}

/* Opening the device touches no register, and no write is tried. */
void unc_doctor_msr_driver(struct unc_doctor *d)
{
	unsigned cpu = unc_machine_first_cpu(d->m);
	struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};
	struct unc_space *space;
	struct unc_bus *bus;
	bool channels = d->channels && unc_doctor_is_amd(d); /* all of AMD's are MSRs */
	int rc;

	if (d->m->map && d->m->map->catalogue) /* POWER has none */
		return;
	rc = unc_machine_bus(d->m, UNC_MSR, &bus);
	if (rc == 0)
		rc = unc_space_open(bus, &addr, &space);
	if (rc == 0) {
		unc_space_close(space);
		unc_doctor_add(d, "msr driver", UNC_DOCTOR_OK, "model-specific registers can be reached", NULL,
			       "/dev/cpu/%u/msr: opened for reading", cpu);
		return;
	}
	d->no_msrs = true;
	unc_doctor_say(d, "msr driver", d->caches || channels ? rc : UNC_DOCTOR_NOTE,
		       "model-specific registers cannot be reached: %s",
		       channels    ? "without them no channel and no cache can be counted"
		       : d->caches ? "without them no cache can be monitored"
		       : d->known  ? "mem and stat need none of them, and llc is not for this part"
				   : "llc alone needs them");
	unc_doctor_seen(d, "%s", unc_errmsg(d->ctx));
	unc_doctor_todo(d, rc == UNC_EPERM ? "see that sentence, and the rights above" : "`modprobe msr`");
}

void unc_doctor_msr_writes(struct unc_doctor *d)
{
	struct file file = read_first_line(d, ALLOW_WRITES);
	bool channels = d->channels && unc_doctor_is_amd(d);

	if (file.there && begins_with(file.value, "off"))
		unc_doctor_add(d, "msr writes", d->caches || channels ? (int)UNC_EPERM : UNC_DOCTOR_NOTE,
			       channels ? "the msr driver refuses every write: no channel and no cache can be counted"
					: "the msr driver refuses every write: no cache can be monitored",
			       "`echo on > " ALLOW_WRITES "`, or boot with msr.allow_writes=on", "%s", file.seen);
	else if (file.there && !begins_with(file.value, "on"))
		unc_doctor_add(d, "msr writes", UNC_DOCTOR_NOTE,
			       "writing MSRs, as llc does, leaves a line in the kernel's log and taints the kernel",
			       "booting with msr.allow_writes=on spares the line", "%s", file.seen);
	else if (file.untold)
		unc_doctor_add(d, "msr writes", UNC_DOCTOR_UNKNOWN, "whether MSRs may be written is not told",
			       "make /sys/module reachable", "%s", file.seen);
	else
		unc_doctor_add(d, "msr writes", UNC_DOCTOR_OK,
			       file.there ? "the msr driver lets writes through"
					  : "this kernel has no filter of MSR writes, or no msr driver",
			       NULL, "%s", file.seen);
}

void unc_doctor_watchdog(struct unc_doctor *d)
{
	struct file file = read_first_line(d, "/proc/sys/kernel/nmi_watchdog");

	unc_doctor_add(
		d, "nmi watchdog", file.untold ? UNC_DOCTOR_UNKNOWN : UNC_DOCTOR_OK,
		file.there && file.value[0] == '1'
			? "it takes a counter of every core, and none of the uncore: it is left alone"
			: "it is off, or not known; it has no counter of the uncore and is left alone in any case",
		file.untold ? "nothing" : NULL, "%s", file.seen);
}
