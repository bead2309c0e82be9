// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the machine is, seen from this process: simulated, below a folder, outside of a container. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_files.h"
#include "base/text.h"
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
		there[i] = unc_doctor_has_folder(d, parts[i].folder);
		unc_text_join(seen, sizeof(seen), ", ", "%s: %s", parts[i].folder, there[i] ? "there" : "not there");
		if (!there[i])
			unc_text_join(missing, sizeof(missing), ", ", "%s (%s)", parts[i].folder, parts[i].lacks);
	}
	d->no_sys = !there[0];
	d->no_proc = !there[1];
	if (missing[0]) {
		unc_doctor_say(d, "root", d->no_proc || d->no_sys ? UNC_DOCTOR_WARN : UNC_DOCTOR_NOTE,
			       "below that folder there is no %s: what would be there is not known", missing);
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

/* The rights of this process: its user, its capabilities (capabilities(7)), and whether they are valid on the machine. */

#define STATUS   "own:/proc/self/status"
#define UID_MAP  "own:/proc/self/uid_map"
#define LSMS     "own:/sys/kernel/security/lsm"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/*
 * Bits of CapEff: Linux include/uapi/linux/capability.h.  Their uses are in drivers/pci/pci-sysfs.c and arch/x86/kernel/msr.c.
 */
enum { DAC_OVERRIDE = 1, SYS_RAWIO = 17, SYS_ADMIN = 21, PERFMON = 38 };

struct rights {
	bool told;
	unsigned uid; /* effective */
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

static struct rights rights_of(struct unc_doctor *d)
{
	struct rights rights = {0};
	uint64_t uid = 0;
	char word[24];
	int rc;
	char *text = unc_doctor_text(d, STATUS, NULL, &rc);

	if (!text)
		return rights;
	word_of(text, "CapEff", 1, rights.cap_eff, sizeof(rights.cap_eff));
	word_of(text, "Uid", 2, word, sizeof(word)); /* Uid: real, effective, saved, file system */
	rights.told = unc_text_hex(rights.cap_eff, &rights.effective) && unc_text_u64(word, &uid);
	rights.uid = (unsigned)uid;
	free(text);
	return rights;
}

static bool holds(const struct rights *rights, unsigned capability)
{
	return rights->effective >> capability & 1;
}

/* On this computer a missing right prevents everything; files below a folder may belong to any user. */
static void lacking(struct unc_doctor *d, const char *check, const char *finding)
{
	if (d->kind == UNC_DOCTOR_LIVE)
		unc_doctor_fail(d, check, UNC_EPERM, "%s", finding);
	else
		unc_doctor_say(d, check, UNC_DOCTOR_WARN, "%s, unless the files of root: are copies of our own",
			       finding);
}

static void say_user(struct unc_doctor *d, const struct rights *rights)
{
	char finding[200];

	if (rights->uid == 0 || holds(rights, DAC_OVERRIDE)) {
		unc_doctor_say(d, "user", UNC_DOCTOR_OK, "%s: the machine's files can be opened for writing",
			       rights->uid == 0 ? "root" : "a user with CAP_DAC_OVERRIDE");
	} else {
		snprintf(finding, sizeof(finding),
			 "user %u may not open registers for writing, so nothing can be programmed", rights->uid);
		lacking(d, "user", finding);
		unc_doctor_todo(d, "run it as root, e.g. with sudo, or with CAP_SYS_RAWIO, CAP_SYS_ADMIN and "
				   "CAP_DAC_OVERRIDE");
	}
	unc_doctor_seen(d, "/proc/self/status: effective user %u, CapEff %s", rights->uid, rights->cap_eff);
}

static void say_capabilities(struct unc_doctor *d, const struct rights *rights)
{
	static const struct {
		unsigned bit;
		const char *name, *what_for;
	} needed[] = {
		{SYS_ADMIN, "CAP_SYS_ADMIN", "configuration space beyond 64 bytes"},
		{SYS_RAWIO, "CAP_SYS_RAWIO", "MSRs"},
	};
	char missing[200] = "", finding[300];

	for (size_t i = 0; i < 2; i++)
		if (!holds(rights, needed[i].bit))
			unc_text_join(missing, sizeof(missing), ", ", "%s (for %s)", needed[i].name,
				      needed[i].what_for);
	if (missing[0]) {
		snprintf(finding, sizeof(finding), "this process lacks %s", missing);
		lacking(d, "capabilities", finding);
		unc_doctor_todo(d, "run it as root; in a container add them, e.g. `docker run --cap-add SYS_ADMIN "
				   "--cap-add SYS_RAWIO`");
	} else {
		unc_doctor_say(d, "capabilities", UNC_DOCTOR_OK, "CAP_SYS_ADMIN and CAP_SYS_RAWIO are there");
	}
	unc_doctor_seen(d, "/proc/self/status: CapEff %s", rights->cap_eff);
}

/* user_namespaces(7): a line of uid_map is the first number inside, the first outside, and the number of IDs. */
struct uid_range {
	uint64_t inside, outside, n;
};

static bool parse_uid_range(char *line, struct uid_range *ret_range)
{
	char *rest = line;
	uint64_t numbers[3];

	for (unsigned i = 0; i < 3; i++) {
		if (!rest)
			return false;
		rest += strspn(rest, " ");
		if (!unc_text_u64(unc_text_cut(&rest, ' '), &numbers[i]))
			return false;
	}
	*ret_range = (struct uid_range){numbers[0], numbers[1], numbers[2]};
	return true;
}

/* The initial namespace maps every number to itself, and only its capabilities are valid for devices. */
static void say_namespace(struct unc_doctor *d)
{
	struct unc_doctor_file map;
	struct uid_range range;

	unc_doctor_look(d, UID_MAP, &map);
	if (!map.there || !parse_uid_range(map.value, &range))
		return;
	if (range.inside == 0 && range.outside == 0 && range.n == UINT32_MAX) {
		unc_doctor_say(d, "namespace", UNC_DOCTOR_OK, "user and capabilities are those of the machine");
	} else {
		lacking(d, "namespace",
			"this process is in a user namespace: its root and its capabilities count for no device");
		unc_doctor_todo(d, "run it outside, or in a container that is not rootless or remapped");
	}
	unc_doctor_seen(d, "/proc/self/uid_map: %" PRIu64 " %" PRIu64 " %" PRIu64, range.inside, range.outside,
			range.n);
}

/*
 * Linux Documentation/userspace-api/landlock.rst, "Kernel support": the list contains Landlock if it is built in and enabled.
 */
static void say_landlock(struct unc_doctor *d)
{
	struct unc_doctor_file file;

	unc_doctor_look(d, LSMS, &file);
	if (file.there && !unc_text_listed(file.value, "landlock", strlen("landlock"))) {
		unc_doctor_say(d, "landlock", UNC_DOCTOR_NOTE,
			       "this kernel has no Landlock: a filter of system calls alone confines which files a "
			       "command may change");
		unc_doctor_todo(d, "nothing, or boot with landlock in lsm=");
	} else {
		unc_doctor_say(d, "landlock", UNC_DOCTOR_OK, "%s",
			       file.there ? "commands confine which files they may change"
					  : "whether this kernel has Landlock is not told");
	}
	unc_doctor_seen(d, "%s", file.seen);
}

/* Linux kernel/events/core.c, perf_allow_cpu(): up to 0 every process may; above that it needs one of the two capabilities. */
static void say_perf(struct unc_doctor *d, const struct rights *rights)
{
	struct unc_doctor_file file;
	bool able = holds(rights, PERFMON) || holds(rights, SYS_ADMIN);

	unc_doctor_look(d, PARANOID, &file);
	if (!file.there) {
		unc_doctor_say(d, "perf rights", UNC_DOCTOR_NOTE,
			       "whether the kernel has perf is not told: xcheck alone needs it");
		unc_doctor_todo(d, "nothing, except for xcheck: a kernel with CONFIG_PERF_EVENTS");
	} else if (able || strcmp(file.value, "0") == 0 || file.value[0] == '-') {
		unc_doctor_say(d, "perf rights", UNC_DOCTOR_OK,
			       "the kernel counts for this process, if xcheck asks it to");
	} else {
		unc_doctor_say(d, "perf rights", UNC_DOCTOR_NOTE,
			       "the kernel counts for root alone, which xcheck needs");
		unc_doctor_todo(d, "run xcheck as root, or `sysctl kernel.perf_event_paranoid=0`");
	}
	unc_doctor_seen(d, "%s", file.seen);
}

void unc_doctor_rights(struct unc_doctor *d)
{
	struct rights rights;

	if (d->kind == UNC_DOCTOR_SIM) {
		unc_doctor_say(d, "user", UNC_DOCTOR_OK, "simulated registers need no rights");
		unc_doctor_seen(d, "they are memory of this process");
		return;
	}
	rights = rights_of(d);
	if (!rights.told) {
		unc_doctor_say(d, "user", UNC_DOCTOR_UNKNOWN, "what this process may do cannot be told");
		unc_doctor_seen(d, "/proc/self/status: cannot be read");
		unc_doctor_todo(d, "mount /proc");
		return;
	}
	say_user(d, &rights);
	say_capabilities(d, &rights);
	say_namespace(d);
	say_landlock(d);
	if (d->kind == UNC_DOCTOR_LIVE)
		say_perf(d, &rights);
}

/* What the kernel permits: Linux kernel_lockdown(7), arch/x86/kernel/msr.c, drivers/pci/pci-sysfs.c. */

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
static void read_secure_boot(struct unc_doctor *d, bool *ret_on, char seen[160])
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
	read_secure_boot(d, &secure_boot, seen);
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
